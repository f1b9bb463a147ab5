/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a score file twice: the numbers first, then names and numbers line by line.
 * mr_precedence_write and `precedence` stand on it (library/precedence_rows.c). Two readings keep
 * the names out of memory. If the two readings disagree about the number of lines, the file has
 * changed, and the run stops. The names of a store with an array of scores are read in the same
 * way. */
#include "formats/score/precedence_file.h"

#include <errno.h>
#include <stdlib.h>

#include "engine/base/memory.h"
#include "engine/names/names.h"
#include "formats/score/row_forecast.h"
#include "formats/score/score_reader.h"
#include "formats/stream/input_paths.h"

enum { ROWS_PER_REPORT = 1 << 16 };

struct mr_score_file {
    const struct mr_context *context;
    struct mr_input_paths paths; /* of a directory, several */
    struct mr_input *input; /* the one that is read; or else names of a store: */
    struct mr_names *names;
    const char *column; /* as the caller gave it, or NULL */
    double *scores; /* [room] */
    uint64_t n_scores;
    struct mr_row_array array; /* of `scores` */
};

/* What is done with each row of a reading. */
struct reading {
    struct mr_score_file *file;
    const char *stage;
    mr_score_row_take take; /* NULL: the scores are added to the file */
    void *data;
    struct mr_score_reader *rows; /* of the file that is read */
    uint64_t n_rows; /* so far */
};

static enum mr_status add_score(struct mr_score_file *file, const struct mr_score_reader *reader,
                                double score, struct mr_error *err)
{
    if (file->n_scores == file->array.room) {
        const uint64_t n_rows =
            mr_row_forecast(file->input, file->n_scores, mr_score_reader_place(reader));
        const enum mr_status status =
            mr_row_array_grow(file->context->memory, n_rows, &file->array, &file->scores, err);
        if (status != MR_OK) {
            return status;
        }
    }
    file->scores[file->n_scores++] = score;
    return MR_OK;
}

static enum mr_status report(const struct reading *reading, struct mr_error *err)
{
    const struct mr_score_file *file = reading->file;

    if (file->context->progress != NULL) {
        const struct mr_line_place place = mr_score_reader_place(reading->rows);
        const struct mr_progress progress = {.stage = reading->stage,
                                             .unit = "bytes",
                                             .done = place.done,
                                             .total = place.total,
                                             .bytes = place.done,
                                             .error_bound = -1};
        file->context->progress(file->context->progress_data, &progress);
    }
    return mr_context_poll(file->context, err);
}

static enum mr_status changed(const struct reading *reading, struct mr_error *err)
{
    return mr_error_file(err, MR_ERROR_INPUT, mr_input_name(reading->file->input), 0,
                         "changed while it was read; try again");
}

/* A mr_row_take. The second reading must have as many lines as the first. */
static enum mr_status take_row(void *data, const struct mr_row *row, struct mr_error *err)
{
    struct reading *reading = data;
    const uint64_t n = reading->n_rows++;
    const enum mr_status status = n % ROWS_PER_REPORT == 0 ? report(reading, err) : MR_OK;

    return status != MR_OK         ? status
           : reading->take == NULL ? add_score(reading->file, reading->rows, row->values[0], err)
           : n < reading->file->n_scores
               ? reading->take(reading->data, n, row->name, row->name_bytes, err)
               : changed(reading, err);
}

static enum mr_status read_rows(struct reading *reading, struct mr_error *err)
{
    const struct mr_score_file *file = reading->file;
    struct mr_context context = *file->context;

    context.note = reading->take == NULL ? context.note : NULL; /* the first reading notes all */
    enum mr_status status =
        mr_score_reader_open(&context, file->input, file->column, 0, &reading->rows, err);
    if (status == MR_OK && !mr_score_reader_has_names(reading->rows)) {
        status = mr_error_file(err, MR_ERROR_INPUT, mr_input_name(file->input), 0,
                               "has scores without names, and names are needed; give lines "
                               "NAME<TAB>SCORE");
    }
    if (status == MR_OK) {
        status = mr_score_reader_rest(reading->rows, take_row, reading, err);
    }
    mr_score_reader_close(reading->rows);
    reading->rows = NULL;
    return status;
}

/* Reads the files one after the other. A single one stays open, because it may be a pipe. */
static enum mr_status read_files(struct reading *reading, struct mr_error *err)
{
    struct mr_score_file *file = reading->file;
    enum mr_status status = MR_OK;

    for (size_t i = 0; i < file->paths.n && status == MR_OK; i++) {
        if (file->paths.n > 1 || file->input == NULL) {
            mr_input_close(file->input);
            file->input = NULL;
            status = mr_input_open(file->context, file->paths.items[i].path, &file->input, err);
            if (status == MR_OK && file->paths.n == 1) {
                status = mr_input_make_rewindable(file->input, err);
            }
        } else {
            status = mr_input_rewind(file->input, err);
        }
        if (status == MR_OK) {
            status = read_rows(reading, err);
        }
    }
    return status == MR_OK && reading->take != NULL && reading->n_rows < file->n_scores
               ? changed(reading, err)
               : status;
}

enum mr_status mr_score_file_open(const struct mr_context *context, const char *path,
                                  const char *column, uint64_t later_row_bytes,
                                  struct mr_score_file **out, struct mr_error *err)
{
    struct mr_score_file *file = calloc(1, sizeof *file);

    *out = file;
    if (file == NULL) {
        return mr_error_file(err, MR_ERROR_BUDGET, path, ENOMEM, "cannot open");
    }
    file->context = context;
    file->column = column;
    file->array = (struct mr_row_array){
        .name = "scores", .item_bytes = sizeof *file->scores, .later_row_bytes = later_row_bytes};
    struct reading reading = {.file = file, .stage = "read"};
    const enum mr_status status = mr_input_paths_find(&path, 1, false, &file->paths, err);
    return status == MR_OK ? read_files(&reading, err) : status;
}

enum mr_status mr_score_file_of_names(const struct mr_context *context, struct mr_names *names,
                                      uint64_t n_vertices, const double *scores,
                                      struct mr_score_file **out, struct mr_error *err)
{
    struct mr_score_file *file = calloc(1, sizeof *file);

    *out = file;
    if (file == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for scores");
    }
    file->context = context;
    file->names = names;
    file->n_scores = n_vertices;
    enum mr_status status =
        mr_memory_array(context->memory, "scores", n_vertices + 1, &file->scores, err);
    for (uint64_t i = 0; i < n_vertices && status == MR_OK; i++) {
        uint32_t vertex = 0;
        status = mr_names_vertex(names, (uint32_t)i, &vertex, err);
        file->scores[i] = scores[vertex];
    }
    return status;
}

void mr_score_file_close(struct mr_score_file *file)
{
    if (file != NULL) {
        mr_memory_free(file->context->memory, file->scores);
        mr_input_close(file->input);
        mr_input_paths_free(&file->paths);
        free(file);
    }
}

const double *mr_score_file_scores(const struct mr_score_file *file, uint64_t *n_scores)
{
    *n_scores = file->n_scores;
    return file->scores;
}

/* A mr_name_take. */
static enum mr_status take_name(void *data, const struct mr_name_cursor *cursor, uint64_t position,
                                const char *name, size_t name_bytes, struct mr_error *err)
{
    const struct reading *reading = data;

    (void)cursor;
    return reading->take(reading->data, position, name, name_bytes, err);
}

enum mr_status mr_score_file_visit(struct mr_score_file *file, mr_score_row_take take, void *data,
                                   struct mr_error *err)
{
    struct reading reading = {.file = file, .stage = "write", .take = take, .data = data};
    if (file->names != NULL) {
        return mr_names_walk(file->context, file->names, file->n_scores, "write", take_name,
                             &reading, err);
    }
    return read_files(&reading, err);
}
