/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a score file twice: the numbers first, then names and numbers line by line. The command
 * `precedence` stands on it (cli/levels/levels_file.c). Two readings keep the names out of
 * memory. If the two readings disagree about the number of lines, the file has changed, and the run
 * stops. */
#include "formats/score/precedence_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "formats/score/row_forecast.h"
#include "formats/score/score_reader.h"
#include "formats/stream/output.h"

enum { ROWS_PER_REPORT = 1 << 16 };

struct mr_score_file {
    const struct mr_context *context;
    struct mr_input *input;
    char *column; /* as the caller gave it, or NULL; owned */
    double *scores; /* [room] */
    uint64_t n_scores;
    struct mr_row_array array; /* of `scores` */
};

static enum mr_status report(const struct mr_score_file *file, const char *stage,
                             struct mr_error *err)
{
    const struct mr_context *context = file->context;
    if (context->progress != NULL) {
        struct mr_progress progress = {.stage = stage, .unit = "bytes", .error_bound = -1};
        mr_input_position(file->input, &progress.done, &progress.total);
        progress.bytes = progress.done;
        context->progress(context->progress_data, &progress);
    }
    return mr_context_poll(context, err);
}

static enum mr_status add_score(struct mr_score_file *file, const struct mr_score_reader *reader,
                                double score, struct mr_error *err)
{
    if (file->n_scores == file->array.room) {
        const struct mr_row_place place = {.input = file->input,
                                           .n_rows = file->n_scores,
                                           .pending_bytes = mr_score_reader_pending(reader)};
        void *grown = file->scores;
        const enum mr_status status =
            mr_row_array_grow(file->context->memory, &place, &file->array, &grown, err);
        if (status != MR_OK) {
            return status;
        }
        file->scores = grown;
    }
    file->scores[file->n_scores++] = score;
    return MR_OK;
}

static enum mr_status read_scores(struct mr_score_file *file, struct mr_error *err)
{
    struct mr_score_reader *reader = NULL;
    const char *name;
    size_t name_bytes;
    double score;
    enum mr_status status =
        mr_score_reader_open(file->context, file->input, file->column, &reader, err);

    while (status == MR_OK) {
        if (file->n_scores % ROWS_PER_REPORT == 0) {
            status = report(file, "read", err);
        }
        if (status == MR_OK) {
            status = mr_score_reader_next(reader, &name, &name_bytes, &score, err);
        }
        if (status != MR_OK || name == NULL) {
            break;
        }
        status = add_score(file, reader, score, err);
    }
    mr_score_reader_close(reader);
    return status;
}

enum mr_status mr_score_file_open(const struct mr_context *context, const char *path,
                                  const char *column, uint64_t later_row_bytes,
                                  struct mr_score_file **out, struct mr_error *err)
{
    struct mr_score_file *file = calloc(1, sizeof *file);
    enum mr_status status;

    *out = NULL;
    if (file == NULL) {
        return mr_error_file(err, MR_ERROR_BUDGET, path, ENOMEM, "cannot open");
    }
    file->context = context;
    file->array = (struct mr_row_array){
        .name = "scores", .item_bytes = sizeof *file->scores, .later_row_bytes = later_row_bytes};
    if (column != NULL) {
        file->column = strdup(column);
        if (file->column == NULL) {
            status = mr_error_file(err, MR_ERROR_BUDGET, path, ENOMEM, "cannot open");
            goto out;
        }
    }
    status = mr_input_open(context, path, &file->input, err);
    if (status == MR_OK) {
        status = mr_input_make_rewindable(file->input, err);
    }
    if (status == MR_OK) {
        status = read_scores(file, err);
    }
out:
    if (status != MR_OK) {
        mr_score_file_close(file);
        return status;
    }
    *out = file;
    return MR_OK;
}

void mr_score_file_close(struct mr_score_file *file)
{
    if (file != NULL) {
        mr_memory_free(file->context->memory, file->scores);
        mr_input_close(file->input);
        free(file->column);
        free(file);
    }
}

const double *mr_score_file_scores(const struct mr_score_file *file, uint64_t *n_scores)
{
    *n_scores = file->n_scores;
    return file->scores;
}

static enum mr_status write_lines(struct mr_score_file *file, mr_score_row_writer write, void *data,
                                  struct mr_output *output, struct mr_precedence_summary *summary,
                                  struct mr_error *err)
{
    struct mr_score_reader *reader = NULL;
    const char *name;
    size_t name_bytes;
    double score;
    enum mr_status status =
        mr_score_reader_open(file->context, file->input, file->column, &reader, err);

    while (status == MR_OK) {
        if (summary->rows % ROWS_PER_REPORT == 0) {
            status = report(file, "write", err);
        }
        if (status == MR_OK) {
            status = mr_score_reader_next(reader, &name, &name_bytes, &score, err);
        }
        if (status != MR_OK) {
            break;
        }
        /* Both readings must have the same number of lines. */
        if ((name == NULL) != (summary->rows == file->n_scores)) {
            status = mr_error_file(err, MR_ERROR_INPUT, mr_input_name(file->input), 0,
                                   "changed while it was read; try again");
            break;
        }
        if (name == NULL) {
            break;
        }
        status = write(data, output, summary->rows, name, name_bytes, &summary->escaped, err);
        summary->rows++;
    }
    mr_score_reader_close(reader);
    return status;
}

enum mr_status mr_score_file_visit(struct mr_score_file *file, mr_score_row_writer visit,
                                   void *data, struct mr_error *err)
{
    struct mr_precedence_summary ignored = {0};
    enum mr_status status = mr_input_rewind(file->input, err);

    return status == MR_OK ? write_lines(file, visit, data, NULL, &ignored, err) : status;
}

enum mr_status mr_score_file_write(struct mr_score_file *file, mr_score_row_writer write,
                                   void *data, const char *path, bool force,
                                   struct mr_precedence_summary *summary, struct mr_error *err)
{
    struct mr_precedence_summary own = {0};
    struct mr_output *output = NULL;
    enum mr_status status = mr_output_open(file->context, path, force, &output, err);

    if (status == MR_OK) {
        status = mr_input_rewind(file->input, err);
    }
    if (status == MR_OK) {
        status = write_lines(file, write, data, output, &own, err);
    }
    if (status != MR_OK) {
        mr_output_abandon(output);
        return status;
    }
    if (summary != NULL) {
        *summary = own;
    }
    return mr_output_commit(output, err);
}
