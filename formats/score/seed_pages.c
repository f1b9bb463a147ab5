/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the best pages of seeds (scores.h), as `ppr --each` finds them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "formats/score/scores.h"
#include "formats/stream/output.h"
#include "formats/stream/table_file.h"
#include "formats/table/double_text.h"
#include "formats/table/row_writer.h"
#include "millrace/rank.h"

enum { TEXT_BYTES = 4 << 20, RECORD_HEAD = 4 + 8 + 1 };

enum mr_status mr_seed_pages_check(const char *path, struct mr_error *err)
{
    return path == NULL || !mr_output_has_suffix(path, "score_uri.txt")
               ? MR_OK
               : mr_error_file(err, MR_ERROR_USAGE, path, 0,
                               "has one score for each page, not one for each seed; name a file of "
                               "lines with tabs (.tsv)");
}

static enum mr_status write_text(struct mr_seed_pages *pages, const char *text,
                                 struct mr_error *err)
{
    return mr_output_write(pages->output, text, strlen(text), err);
}

enum mr_status mr_seed_pages_open(const struct mr_context *context, const char *path, bool force,
                                  struct mr_output **out, struct mr_error *err)
{
    const struct mr_table_kind kind = {
        .columns = "'seed': 'VARCHAR', 'page': 'VARCHAR', 'score': 'DOUBLE', 'bound': 'DOUBLE', "
                   "'proven': 'BOOLEAN'"};
    return mr_table_file_is(path) ? mr_output_open_table(context, path, force, &kind, out, err)
                                  : mr_output_open(context, path, force, out, err);
}

enum mr_status mr_seed_pages_begin(struct mr_seed_pages *pages, const char *path, uint64_t n_seeds,
                                   uint64_t most_rows, bool header, struct mr_error *err)
{
    const unsigned long long top = pages->top;
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("names of best pages", most_rows, &pages->rows),
        MR_WANTED("names of best pages", most_rows, &pages->found),
        MR_WANTED("names of best pages", TEXT_BYTES, &pages->text),
    };
    char type[160];

    pages->form = mr_row_form_of(path);
    pages->is_npy = path != NULL && mr_output_has_suffix(path, ".npy");
    if (pages->is_npy) {
        (void)snprintf(type, sizeof type,
                       "[('n', '<u4'), ('bound', '<f8'), ('proven', '|b1'), ('pages', '<u4', "
                       "(%llu,)), ('scores', '<f8', (%llu,))]",
                       top, top);
        return mr_scores_npy_header(pages->output, type, n_seeds, 1, err);
    }
    const enum mr_status status = mr_memory_arrays(pages->context->memory, arrays, err);
    if (status != MR_OK) {
        return status;
    }
    return write_text(pages,
                      pages->form == MR_ROWS_CSV             ? "seed,page,score,bound,proven\n"
                      : pages->form == MR_ROWS_JSON          ? "[\n"
                      : pages->form == MR_ROWS_TSV && header ? "seed\tpage\tscore\tbound\tproven\n"
                                                             : "",
                      err);
}

static enum mr_status write_name(struct mr_seed_pages *pages, const char *name, size_t bytes,
                                 struct mr_error *err)
{
    return mr_row_name_write(pages->output, pages->form, name, bytes, &pages->escaped, err);
}

/* A number after `between`. */
static enum mr_status write_real(struct mr_seed_pages *pages, const char *between, double value,
                                 struct mr_error *err)
{
    char text[MR_DOUBLE_TEXT_BYTES];
    const enum mr_status status = write_text(pages, between, err);

    return status == MR_OK
               ? mr_output_write(pages->output, text, mr_double_shortest(value, text), err)
               : status;
}

/* Looks up the pages of the answers [n]. */
static enum mr_status find_names(struct mr_seed_pages *pages, uint64_t n,
                                 const struct mr_push_answer *answers, const uint32_t *vertices,
                                 struct mr_error *err)
{
    struct mr_seed_page_name found = {0, 0};
    enum mr_status status = MR_OK;
    uint64_t n_rows = 0, used = 0;

    for (uint64_t row = 0; row < n * pages->top; row++) {
        if (row % pages->top < answers[row / pages->top].n) {
            pages->rows[n_rows++] = (uint64_t)vertices[row] << 32 | row;
        }
    }
    mr_sort_u64_in_place(pages->rows, n_rows);
    for (uint64_t i = 0; i < n_rows && status == MR_OK; i++) {
        const uint64_t vertex = pages->rows[i] >> 32;
        if (i == 0 || vertex != pages->rows[i - 1] >> 32) {
            const char *name = NULL;
            size_t bytes = 0;
            status = mr_names_get(pages->names, (uint32_t)vertex, &name, &bytes, err);
            bytes = used + bytes <= TEXT_BYTES ? bytes : 0;
            if (bytes > 0) {
                memcpy(pages->text + used, name, bytes);
            }
            found = (struct mr_seed_page_name){(uint32_t)used, (uint32_t)bytes};
            used += bytes;
        }
        pages->found[(uint32_t)pages->rows[i]] = found;
    }
    return status;
}

/* The name of the page of a row, after `between`. */
static enum mr_status write_page(struct mr_seed_pages *pages, const char *between, uint64_t row,
                                 uint32_t vertex, struct mr_error *err)
{
    const char *name = pages->text + pages->found[row].at;
    size_t bytes = pages->found[row].bytes;
    enum mr_status status = write_text(pages, between, err);

    if (status == MR_OK && bytes == 0) {
        status = mr_names_get(pages->names, vertex, &name, &bytes, err);
    }
    return status == MR_OK ? write_name(pages, name, bytes, err) : status;
}

static enum mr_status write_lines(struct mr_seed_pages *pages, const char *seed, uint64_t row,
                                  const struct mr_push_answer *answer, const uint32_t *vertices,
                                  const double *scores, struct mr_error *err)
{
    const char *between = pages->form == MR_ROWS_CSV ? "," : "\t";
    enum mr_status status = MR_OK;

    for (uint64_t i = 0; i < answer->n && status == MR_OK; i++) {
        status = write_name(pages, seed, strlen(seed), err);
        if (status == MR_OK) {
            status = write_page(pages, between, row + i, vertices[i], err);
        }
        if (status == MR_OK) {
            status = write_real(pages, between, scores[i], err);
        }
        if (status == MR_OK) {
            status = write_real(pages, between, answer->bound, err);
        }
        if (status == MR_OK) {
            status = mr_output_print(pages->output, err, "%s%d\n", between, answer->proven);
        }
    }
    return status;
}

/* {"seed": ..., "bound": ..., "proven": ..., "pages": [...], "scores": [...]} */
static enum mr_status write_object(struct mr_seed_pages *pages, const char *seed, uint64_t row,
                                   const struct mr_push_answer *answer, const uint32_t *vertices,
                                   const double *scores, struct mr_error *err)
{
    enum mr_status status = write_text(
        pages,
        pages->n_seeds > 0 && pages->form == MR_ROWS_JSON ? ",\n{\"seed\": " : "{\"seed\": ", err);

    if (status == MR_OK) {
        status = write_name(pages, seed, strlen(seed), err);
    }
    if (status == MR_OK && answer->n == 0) {
        status = write_text(pages,
                            ", \"error\": \"no page of the store has a weight above 0\", "
                            "\"bound\": null, \"proven\": false, \"pages\": [",
                            err);
    } else if (status == MR_OK) {
        status = write_real(pages, ", \"bound\": ", answer->bound, err);
        if (status == MR_OK) {
            status = write_text(pages,
                                answer->proven ? ", \"proven\": true, \"pages\": ["
                                               : ", \"proven\": false, \"pages\": [",
                                err);
        }
    }
    for (uint64_t i = 0; i < answer->n && status == MR_OK; i++) {
        status = write_page(pages, i > 0 ? ", " : "", row + i, vertices[i], err);
    }
    if (status == MR_OK) {
        status = write_text(pages, "], \"scores\": [", err);
    }
    for (uint64_t i = 0; i < answer->n && status == MR_OK; i++) {
        status = write_real(pages, i > 0 ? ", " : "", scores[i], err);
    }
    return status == MR_OK ? write_text(pages, pages->form == MR_ROWS_JSON ? "]}" : "]}\n", err)
                           : status;
}

static enum mr_status write_record(struct mr_seed_pages *pages, const struct mr_push_answer *answer,
                                   const uint32_t *vertices, const double *scores,
                                   struct mr_error *err)
{
    uint8_t head[RECORD_HEAD], field[sizeof(double)];

    mr_put_u32(head, (uint32_t)answer->n);
    mr_put_f64(head + 4, answer->n > 0 ? answer->bound : (double)NAN);
    head[12] = answer->proven;
    enum mr_status status = mr_output_write(pages->output, head, sizeof head, err);
    for (uint64_t i = 0; i < pages->top && status == MR_OK; i++) {
        uint32_t position = UINT32_MAX;
        if (i < answer->n) {
            status = mr_names_position(pages->names, vertices[i], &position, err);
        }
        mr_put_u32(field, position);
        status = status == MR_OK ? mr_output_write(pages->output, field, 4, err) : status;
    }
    for (uint64_t i = 0; i < pages->top && status == MR_OK; i++) {
        mr_put_f64(field, i < answer->n ? scores[i] : 0);
        status = mr_output_write(pages->output, field, sizeof field, err);
    }
    return status;
}

enum mr_status mr_seed_pages_write(struct mr_seed_pages *pages, char *const *seeds,
                                   uint64_t n_seeds, const struct mr_push_answer *answers,
                                   const uint32_t *vertices, const double *scores,
                                   struct mr_error *err)
{
    enum mr_status status =
        pages->is_npy ? MR_OK : find_names(pages, n_seeds, answers, vertices, err);

    for (uint64_t s = 0, row = 0; s < n_seeds && status == MR_OK; s++, row += pages->top) {
        const struct mr_push_answer *answer = &answers[s];
        status = pages->is_npy ? write_record(pages, answer, vertices + row, scores + row, err)
                 : pages->form >= MR_ROWS_JSONL
                     ? write_object(pages, seeds[s], row, answer, vertices + row, scores + row, err)
                     : write_lines(pages, seeds[s], row, answer, vertices + row, scores + row, err);
        pages->n_seeds++;
    }
    return status;
}

enum mr_status mr_seed_pages_end(struct mr_seed_pages *pages, struct mr_error *err)
{
    return write_text(pages, pages->form == MR_ROWS_JSON ? "\n]\n" : "", err);
}

uint64_t mr_seed_pages_memory(uint64_t most_rows)
{
    return most_rows * (sizeof(uint64_t) + sizeof(struct mr_seed_page_name)) + TEXT_BYTES +
           3 * 4096;
}

void mr_seed_pages_close(struct mr_seed_pages *pages)
{
    if (pages->context != NULL) {
        mr_memory_free(pages->context->memory, pages->rows);
        mr_memory_free(pages->context->memory, pages->found);
        mr_memory_free(pages->context->memory, pages->text);
    }
}
