/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the best pages of seeds (scores.h), as `ppr --each` finds them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "formats/score/scores.h"
#include "millrace/rank.h"

enum { TEXT_BYTES = 4 << 20, RECORD_HEAD = 4 + 8 + 1 };

static const struct mr_row_column columns[] = {{"seed", MR_CELL_NAME, false},
                                               {"page", MR_CELL_NAME, false},
                                               {"score", MR_CELL_REAL, false},
                                               {"bound", MR_CELL_REAL, false},
                                               {"proven", MR_CELL_FLAG, false}};

enum mr_status mr_seed_pages_check(const char *path, struct mr_error *err)
{
    return path == NULL || !mr_output_has_suffix(path, "score_uri.txt")
               ? MR_OK
               : mr_error_file(err, MR_ERROR_USAGE, path, 0,
                               "has one score for each page, not one for each seed; name a file of "
                               "lines with tabs (.tsv)");
}

enum mr_status mr_seed_pages_open(struct mr_seed_pages *pages, const char *path, bool force,
                                  bool header, bool mark, uint64_t n_seeds, uint64_t most_rows,
                                  struct mr_error *err)
{
    const unsigned long long top = pages->top;
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("names of best pages", most_rows, &pages->found),
        MR_WANTED("names of best pages", most_rows, &pages->names_of),
        MR_WANTED("names of best pages", TEXT_BYTES, &pages->text),
    };
    char type[160];

    pages->rows.columns = columns;
    pages->rows.n_columns = sizeof columns / sizeof columns[0];
    pages->is_npy = path != NULL && mr_output_has_suffix(path, ".npy");
    enum mr_status status =
        mr_row_writer_open(&pages->rows, pages->context, path, force, header, mark, err);
    if (status == MR_OK && pages->is_npy) {
        (void)snprintf(type, sizeof type,
                       "[('n', '<u4'), ('bound', '<f8'), ('proven', '|b1'), ('pages', '<u4', "
                       "(%llu,)), ('scores', '<f8', (%llu,))]",
                       top, top);
        return mr_scores_npy_header(pages->rows.output, type, n_seeds, 1, err);
    }
    return status == MR_OK ? mr_memory_arrays(pages->context->memory, arrays, err) : status;
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
            pages->found[n_rows++] = (uint64_t)vertices[row] << 32 | row;
        }
    }
    mr_sort_u64_in_place(pages->found, n_rows);
    for (uint64_t i = 0; i < n_rows && status == MR_OK; i++) {
        const uint64_t vertex = pages->found[i] >> 32;
        if (i == 0 || vertex != pages->found[i - 1] >> 32) {
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
        pages->names_of[(uint32_t)pages->found[i]] = found;
    }
    return status;
}

static enum mr_status write_rows(struct mr_seed_pages *pages, const char *seed, uint64_t row,
                                 const struct mr_push_answer *answer, const uint32_t *vertices,
                                 const double *scores, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (uint64_t i = 0; i < answer->n && status == MR_OK; i++) {
        const struct mr_seed_page_name *name = &pages->names_of[row + i];
        struct mr_cell cells[] = {{.text = seed, .bytes = strlen(seed)},
                                  {.text = pages->text + name->at, .bytes = name->bytes},
                                  {.real = scores[i]},
                                  {.real = answer->bound},
                                  {.count = answer->proven}};
        if (name->bytes == 0) {
            status = mr_names_get(pages->names, vertices[i], &cells[1].text, &cells[1].bytes, err);
        }
        status = status == MR_OK ? mr_row_writer_add(&pages->rows, cells, err) : status;
    }
    return status;
}

static enum mr_status write_record(struct mr_seed_pages *pages, const struct mr_push_answer *answer,
                                   const uint32_t *vertices, const double *scores,
                                   struct mr_error *err)
{
    uint8_t head[RECORD_HEAD], field[sizeof(double)];

    mr_put_u32(head, (uint32_t)answer->n);
    mr_put_f64(head + 4, answer->n > 0 ? answer->bound : (double)NAN);
    head[12] = answer->proven;
    enum mr_status status = mr_output_write(pages->rows.output, head, sizeof head, err);
    for (uint64_t i = 0; i < pages->top && status == MR_OK; i++) {
        uint32_t position = UINT32_MAX;
        if (i < answer->n) {
            status = mr_names_position(pages->names, vertices[i], &position, err);
        }
        mr_put_u32(field, position);
        status = status == MR_OK ? mr_output_write(pages->rows.output, field, 4, err) : status;
    }
    for (uint64_t i = 0; i < pages->top && status == MR_OK; i++) {
        mr_put_f64(field, i < answer->n ? scores[i] : 0);
        status = mr_output_write(pages->rows.output, field, sizeof field, err);
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
        status = pages->is_npy
                     ? write_record(pages, answer, vertices + row, scores + row, err)
                     : write_rows(pages, seeds[s], row, answer, vertices + row, scores + row, err);
    }
    return status;
}

uint64_t mr_seed_pages_memory(uint64_t most_rows)
{
    return most_rows * (sizeof(uint64_t) + sizeof(struct mr_seed_page_name)) + TEXT_BYTES +
           3 * 4096;
}

void mr_seed_pages_close(struct mr_seed_pages *pages)
{
    if (pages->context != NULL) {
        mr_memory_free(pages->context->memory, pages->found);
        mr_memory_free(pages->context->memory, pages->names_of);
        mr_memory_free(pages->context->memory, pages->text);
    }
}
