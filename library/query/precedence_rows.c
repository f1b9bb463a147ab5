/* SPDX-License-Identifier: Apache-2.0 */
/* Makes precedence levels from scores and writes them for a crawler. Rows are those of a score
 * file, or the names of a store with its scores; formats/score/precedence_file.h reads both in the
 * same way. Only the chosen rows get levels, and each level gets its share of them. */
#include "library/query/precedence_rows.h"

#include <math.h>
#include <stdlib.h>

#include "algorithms/scores/compare.h"
#include "engine/base/memory.h"
#include "engine/base/sized_struct.h"
#include "engine/store/store.h"
#include "formats/score/scores.h"
#include "library/files.h"

enum mr_status mr_precedence_check(const struct mr_precedence_options *options,
                                   struct mr_error *err)
{
    if ((unsigned)options->format > MR_CRAWLER_NUTCH_NODES) {
        return mr_error_set(err, MR_ERROR_USAGE, "no such format of a crawler: %d",
                            (int)options->format);
    }
    if (options->n_levels > MR_PRECEDENCE_MAX_LEVELS) {
        return mr_error_set(err, MR_ERROR_USAGE, "%u levels; there can be 1 to %d",
                            options->n_levels, MR_PRECEDENCE_MAX_LEVELS);
    }
    if (options->percentages != NULL && options->n_levels == 0) {
        return mr_error_set(err, MR_ERROR_USAGE, "percentages for 0 levels; say for how many");
    }
    if (options->only_changed != NULL && mr_crawler_layout_of(options->format)->is_binary) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--only-changed: nutch-nodes has no lines; leave it out, since "
                            "scoreupdater takes all scores anew");
    }
    return options->logarithmic && (options->percentages != NULL || options->per_host)
               ? mr_error_set(err, MR_ERROR_USAGE,
                              "--log-scale sets the width of the levels; leave out --percentages "
                              "and --per-host")
               : MR_OK;
}

/* ---- Scores ---- */

struct wrong_row {
    uint64_t row;
    double score;
};

/* A mr_score_row_take. */
static enum mr_status refuse_row(void *data, uint64_t row, const char *name, size_t name_bytes,
                                 struct mr_error *err)
{
    const struct wrong_row *wrong = data;

    return row != wrong->row
               ? MR_OK
               : mr_error_set(err, MR_ERROR_INPUT, "the score %g of %.*s is %s", wrong->score,
                              (int)(name_bytes < 200 ? name_bytes : 200), name,
                              isfinite(wrong->score)
                                  ? "below 0, and this format has shares of the scores; choose "
                                    "heritrix, scrapy or commoncrawl, or give other scores"
                                  : "not finite; give each page a finite score");
}

/* Scores are finite. They are at least 0 if the file has shares of their sum or of the best one. */
static enum mr_status check_scores(const struct mr_crawler_rows *rows, bool shares,
                                   struct mr_error *err)
{
    for (uint64_t i = 0; i < rows->n; i++) {
        struct wrong_row wrong = {i, rows->scores[i]};
        if (!isfinite(wrong.score) || (shares && wrong.score < 0)) {
            return mr_score_file_visit(rows->file, refuse_row, &wrong, err);
        }
    }
    return MR_OK;
}

/* ---- Levels ---- */

static enum mr_status find_levels(const struct mr_context *context,
                                  const struct mr_crawler_rows *rows,
                                  const struct mr_precedence_options *options, const double *scores,
                                  uint64_t n, uint8_t *levels, uint64_t *counts,
                                  struct mr_error *err)
{
    return options->per_host
               ? mr_host_levels(context, rows, options, scores, n, levels, counts, err)
               : mr_precedence_levels(context, scores, n, options, levels, counts, err);
}

static enum mr_status find_chosen_levels(const struct mr_context *context,
                                         const struct mr_crawler_rows *rows,
                                         const struct mr_precedence_options *options,
                                         uint8_t *levels, uint64_t *counts, struct mr_error *err)
{
    double *scores = NULL;
    uint8_t *chosen_levels = NULL;
    uint64_t n = 0;

    if (rows->chosen == NULL) {
        return find_levels(context, rows, options, rows->scores, rows->n, levels, counts, err);
    }
    for (uint64_t i = 0; i < rows->n; i++) {
        n += mr_score_is_chosen(rows->chosen, i);
    }
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("chosen scores", n + 1, &scores),
        MR_WANTED("chosen levels", n + 1, &chosen_levels),
    };
    enum mr_status status = mr_memory_arrays(context->memory, arrays, err);
    for (uint64_t i = 0, to = 0; status == MR_OK && i < rows->n; i++) {
        if (mr_score_is_chosen(rows->chosen, i)) {
            scores[to++] = rows->scores[i];
        }
    }
    if (status == MR_OK) {
        status = find_levels(context, rows, options, scores, n, chosen_levels, counts, err);
    }
    for (uint64_t i = 0, from = 0; status == MR_OK && i < rows->n; i++) {
        levels[i] = mr_score_is_chosen(rows->chosen, i) ? chosen_levels[from++] : (uint8_t)1;
    }
    mr_memory_free(context->memory, scores);
    mr_memory_free(context->memory, chosen_levels);
    return status;
}

/* ---- Ranks ---- */

static int compare_scores(const void *left, const void *right, void *data)
{
    const double *scores = data;
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (scores[a] != scores[b]) {
        return scores[a] > scores[b] ? -1 : 1;
    }
    return (a > b) - (a < b);
}

void mr_rows_by_score(uint32_t *rows, uint64_t n, const double *scores)
{
    qsort_r(rows, n, sizeof *rows, compare_scores, (void *)(uintptr_t)scores);
}

/* Gives each page its rank by score, from 1. Pages with equal scores are ranked in the order of
 * the rows. */
static enum mr_status make_ranks(const struct mr_context *context,
                                 const struct mr_crawler_rows *rows, uint32_t **ranks,
                                 struct mr_error *err)
{
    uint32_t *sorted = NULL;

    if (rows->n > UINT32_MAX) {
        return mr_error_set(err, MR_ERROR_INPUT, "more than 4294967295 pages");
    }
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("ranks", rows->n + 1, &sorted),
        MR_WANTED("ranks", rows->n + 1, ranks),
    };
    const enum mr_status status = mr_memory_arrays(context->memory, arrays, err);
    for (uint64_t i = 0; status == MR_OK && i < rows->n; i++) {
        sorted[i] = (uint32_t)i;
    }
    if (status == MR_OK) {
        mr_rows_by_score(sorted, rows->n, rows->scores);
    }
    for (uint64_t i = 0; status == MR_OK && i < rows->n; i++) {
        (*ranks)[sorted[i]] = (uint32_t)(i + 1);
    }
    mr_memory_free(context->memory, sorted);
    return status;
}

enum mr_status mr_precedence_write_rows(const struct mr_context *context,
                                        const struct mr_crawler_rows *rows,
                                        const struct mr_precedence_options *options,
                                        const char *path, uint8_t *levels,
                                        struct mr_precedence_figures *figures, struct mr_error *err)
{
    struct mr_precedence_options taken = *options;
    uint32_t *ranks = NULL;

    taken.struct_size = sizeof taken;
    taken.n_levels = options->n_levels > 0 ? options->n_levels : 5;
    const struct mr_crawler_layout *layout = mr_crawler_layout_of(options->format);
    enum mr_status status = check_scores(rows, path != NULL && layout->has_shares, err);
    if (status == MR_OK) {
        status = find_chosen_levels(context, rows, &taken, levels, figures->level_pages, err);
    }
    if (status == MR_OK && path != NULL && layout->has_ranks) {
        status = make_ranks(context, rows, &ranks, err);
    }
    if (status == MR_OK && path != NULL) {
        status = mr_crawler_write(context, rows, &taken, levels, ranks, path, figures, err);
    }
    mr_memory_free(context->memory, ranks);
    return status;
}

/* ---- A store ---- */

/* Rows of a store are in the order of the names: `bits` are those of `chosen`, by row. With
 * `levels` it puts the levels of the rows, 0 if they are not chosen, where the vertices are. */
static enum mr_status turn(const struct mr_crawler_rows *rows, const uint8_t *chosen, uint8_t *bits,
                           const uint8_t *by_row, uint8_t *levels, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (uint64_t i = 0; i < rows->n && status == MR_OK; i++) {
        uint32_t vertex = 0;
        status = mr_names_vertex(rows->names, (uint32_t)i, &vertex, err);
        const bool is_chosen = status == MR_OK && mr_score_is_chosen(chosen, vertex);
        if (is_chosen && bits != NULL) {
            bits[i / 8] |= (uint8_t)(1u << i % 8);
        }
        if (status == MR_OK && levels != NULL) {
            levels[vertex] = is_chosen ? by_row[i] : 0;
        }
    }
    return status;
}

enum mr_status mr_precedence_write(const struct mr_context *context, struct mr_store *store,
                                   struct mr_names *names, const double *scores,
                                   const struct mr_precedence_options *options, const char *path,
                                   uint8_t *levels, struct mr_precedence_figures *figures,
                                   struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    struct mr_precedence_options taken = {.struct_size = sizeof taken};
    struct mr_precedence_figures made = {0};
    struct mr_canonical canonical = {0};
    struct mr_crawler_rows rows = {.names = names, .canonical = &canonical};
    uint8_t *bits = NULL, *by_row = NULL;

    enum mr_status status = mr_sized_copy(options, &taken, sizeof taken, err);
    if (status == MR_OK) {
        status = mr_precedence_check(&taken, err);
    }
    if (status == MR_OK && path != NULL) {
        struct mr_files *files = mr_files_create();
        mr_files_add(files, MR_FILE_READ, "the store", mr_store_path(store), NULL);
        mr_files_add(files, MR_FILE_WRITE, "the levels", path, NULL);
        status =
            mr_files_end(files, mr_crawler_check_path(path, &taken, err), taken.force, false, err);
    }
    if (status == MR_OK) {
        status = mr_score_file_of_names(context, names, info->n_vertices, scores, &rows.file, err);
    }
    if (status == MR_OK) {
        rows.scores = mr_score_file_scores(rows.file, &rows.n);
        (void)mr_canonical_of(info->name_key_number, &canonical);
        status = mr_memory_array(context->memory, "precedence levels", rows.n + 1, &by_row, err);
    }
    if (status == MR_OK && taken.chosen != NULL) {
        status = mr_memory_array(context->memory, "chosen pages", rows.n / 8 + 1, &bits, err);
        status = status == MR_OK ? turn(&rows, taken.chosen, bits, NULL, NULL, err) : status;
        rows.chosen = bits;
    }
    if (status == MR_OK) {
        status = mr_precedence_write_rows(context, &rows, &taken, path, by_row, &made, err);
    }
    if (status == MR_OK && levels != NULL) {
        status = turn(&rows, taken.chosen, NULL, by_row, levels, err);
    }
    if (status == MR_OK) {
        mr_sized_give(&made, sizeof made, figures);
    }
    mr_memory_free(context->memory, by_row);
    mr_memory_free(context->memory, bits);
    mr_score_file_close(rows.file);
    return status;
}
