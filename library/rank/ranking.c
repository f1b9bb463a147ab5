/* SPDX-License-Identifier: Apache-2.0 */
/* The result of every public ranking: columns of doubles by vertex, and figures. The ranking takes
 * over the arrays that the algorithms allocated, so that nothing is copied. */
#include "library/rank/kinds.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/base/sized_struct.h"
#include "engine/pass/pass.h"
#include "engine/store/core_map.h"
#include "library/rank/kinds.h"

/* By enum mr_queue_backend; "none" where nothing was read. */
const char *const mr_io_words[] = {"none", "io_uring", "pread"};

int mr_rank_word(const char *list, const char *name)
{
    const size_t bytes = strlen(name);

    for (int i = 0; list != NULL && *list != '\0'; i++) {
        const char *end = strchr(list, '|');
        const size_t length = end != NULL ? (size_t)(end - list) : strlen(list);
        if (length == bytes && memcmp(list, name, bytes) == 0) {
            return i;
        }
        list += length + (end != NULL);
    }
    return -1;
}

bool mr_rank_gives(const struct mr_ranking_kind *kind, uint64_t given, const char *names)
{
    bool found = names == NULL;

    for (unsigned i = 0; kind->options[i].name != NULL && !found; i++) {
        found = (given >> i & 1) != 0 && mr_rank_word(names, kind->options[i].name) >= 0;
    }
    return found;
}

uint64_t mr_rank_least_memory(const struct mr_ranking_job *job, uint64_t work_bytes,
                              uint64_t result_bytes)
{
    return MR_MEMORY_RESERVE_BYTES + job->info->index_bytes + mr_core_map_memory(job->info) +
           mr_max_u64(work_bytes, result_bytes + job->extras.write_bytes);
}

enum mr_status mr_ranking_reserve(struct mr_ranking *ranking, uint64_t n, struct mr_error *err)
{
    struct mr_score_column *columns = NULL;

    if (n <= ranking->most_columns) {
        return MR_OK;
    }
    columns = realloc(ranking->columns, n * sizeof *columns);
    if (columns == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the columns of a ranking");
    }
    ranking->columns = columns;
    ranking->most_columns = n;
    return MR_OK;
}

enum mr_status mr_ranking_create(const struct mr_context *context, uint64_t n_vertices,
                                 struct mr_ranking **out, struct mr_error *err)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a ranking");
    }
    const enum mr_status status = mr_ranking_reserve(*out, MR_RANKING_MAX_COLUMNS, err);
    if (status != MR_OK) {
        free(*out);
        *out = NULL;
        return status;
    }
    (*out)->memory = context->memory;
    (*out)->figures.n_vertices = n_vertices;
    return MR_OK;
}

static void add(struct mr_ranking *ranking, const char *name, enum mr_score_type type, void *values,
                const char *const *words)
{
    const unsigned i = ranking->n_columns++;

    assert(i < ranking->most_columns);
    ranking->columns[i] =
        (struct mr_score_column){.name = name, .type = type, .values = values, .words = words};
}

void mr_ranking_add(struct mr_ranking *ranking, const char *name, enum mr_score_type type,
                    void *values)
{
    add(ranking, name, type, values, NULL);
}

void mr_ranking_add_words(struct mr_ranking *ranking, const char *name, uint8_t *values,
                          const char *const *words)
{
    add(ranking, name, MR_SCORES_WORD, values, words);
}

enum mr_status mr_ranking_add_new(struct mr_ranking *ranking, const char *name,
                                  enum mr_score_type type, void **values, struct mr_error *err)
{
    const size_t bytes = type == MR_SCORES_FLOAT ? sizeof(float) : sizeof(double);

    *values = NULL;
    const enum mr_status status = mr_memory_alloc(
        ranking->memory, "scores", (ranking->figures.n_vertices + 1) * bytes, values, err);
    if (status == MR_OK) {
        mr_ranking_add(ranking, name, type, *values);
    }
    return status;
}

enum mr_status mr_ranking_add_zeros(struct mr_ranking *ranking, const char *name, double **values,
                                    struct mr_error *err)
{
    void *made = NULL;
    const enum mr_status status = mr_ranking_add_new(ranking, name, MR_SCORES_DOUBLE, &made, err);

    *values = made;
    return status;
}

enum mr_status mr_ranking_finish(struct mr_ranking *ranking, enum mr_status status,
                                 struct mr_ranking **out)
{
    *out = NULL;
    if (status == MR_OK || status == MR_NOT_CONVERGED) {
        *out = ranking;
    } else {
        mr_ranking_free(ranking);
    }
    return status;
}

const struct mr_score_column *mr_ranking_columns(const struct mr_ranking *ranking,
                                                 unsigned *n_columns)
{
    if (n_columns != NULL) {
        *n_columns = ranking->n_columns;
    }
    return ranking->columns;
}

void mr_ranking_describe(const struct mr_ranking *ranking, struct mr_ranking_figures *figures)
{
    mr_sized_give(&ranking->figures, sizeof ranking->figures, figures);
}

void mr_ranking_release(struct mr_ranking *ranking)
{
    if (ranking->held != NULL) {
        ranking->kind->work->release(ranking->held);
        ranking->held = NULL;
    }
}

void mr_ranking_free(struct mr_ranking *ranking)
{
    if (ranking == NULL) {
        return;
    }
    mr_ranking_release(ranking);
    for (unsigned i = 0; i < ranking->n_columns; i++) {
        mr_memory_free(ranking->memory, (void *)ranking->columns[i].values);
    }
    if (ranking->kind_figures != NULL && ranking->kind->work->free_figures != NULL) {
        ranking->kind->work->free_figures(ranking->kind_figures);
    }
    free(ranking->kind_figures);
    free(ranking->columns);
    free(ranking);
}
