/* SPDX-License-Identifier: Apache-2.0 */
/* The handle of a ranking: columns of scores that are charged to the budget, and figures. */
#ifndef MR_LIBRARY_RANK_RANKING_H
#define MR_LIBRARY_RANK_RANKING_H

#include "engine/base/context.h"
#include "formats/score/scores.h"
#include "millrace/rank.h"

#define MR_RANKING_MAX_COLUMNS 4u

struct mr_ranking {
    struct mr_memory *memory;
    struct mr_ranking_figures figures;
    unsigned n_columns;
    uint64_t most_columns;
    struct mr_score_column *columns; /* [most_columns]; it frees their values */
    const struct mr_ranking_kind *kind; /* that made it; NULL: none */
    void *kind_figures; /* of the kind, or NULL; the ranking frees them */
    struct mr_score_stream stream; /* of the only column, which has no values then; else zero */
    void *held; /* by its run, for mr_ranking_keep; NULL: nothing */
    uint64_t given; /* of the kind's options: mr_rank_given */
    char text[8192]; /* mr_ranking_text */
};

/* A ranking without columns. Free with mr_ranking_free. */
enum mr_status mr_ranking_create(const struct mr_context *context, uint64_t n_vertices,
                                 struct mr_ranking **out, struct mr_error *err) MR_WARN_UNUSED;

/* Make room for `n` columns, where that is more than MR_RANKING_MAX_COLUMNS, before any is added.
 */
enum mr_status mr_ranking_reserve(struct mr_ranking *ranking, uint64_t n,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Add a column. The ranking takes over `values`, [n_vertices], charged to the context's budget;
 * NULL if there are no vertices. `name` is static. */
void mr_ranking_add(struct mr_ranking *ranking, const char *name, enum mr_score_type type,
                    void *values);

/* Add a column of MR_SCORES_WORD likewise. `words` are static. */
void mr_ranking_add_words(struct mr_ranking *ranking, const char *name, uint8_t *values,
                          const char *const *words);

/* Add a column of zeros, doubles or floats. */
enum mr_status mr_ranking_add_new(struct mr_ranking *ranking, const char *name,
                                  enum mr_score_type type, void **values,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Add a column of zeros. */
enum mr_status mr_ranking_add_zeros(struct mr_ranking *ranking, const char *name, double **values,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Free what the run holds. */
void mr_ranking_release(struct mr_ranking *ranking);

/* Hand the ranking out. With MR_OK and MR_NOT_CONVERGED the caller owns `*out`; otherwise the
 * ranking is freed, and `*out` is NULL. Returns `status`. */
enum mr_status mr_ranking_finish(struct mr_ranking *ranking, enum mr_status status,
                                 struct mr_ranking **out);

#endif
