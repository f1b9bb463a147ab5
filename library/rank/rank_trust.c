/* SPDX-License-Identifier: Apache-2.0 */
/* The public TrustRank: personalised PageRank from trusted pages. For the spam mass it ranks the
 * vector of all pages in the same passes; the arithmetic is in spam_mass.h. */
#include <math.h>

#include "library/rank/rank_pagerank.h"
#include "library/rank/spam_mass.h"

enum { PAGERANK, SPAM_MASS, SPAM_SHARE, TRUST, N_COLUMNS };

struct trust {
    struct mr_ranking *ranking;
    bool spam_mass;
    double *solved[2]; /* [n_vertices]: from the trusted vertices; from all vertices */
    uint64_t n_vertices;
};

static enum mr_status take(void *data, uint64_t first, unsigned n, unsigned width, void *values,
                           struct mr_error *err)
{
    const struct trust *trust = data;
    const double *side_by_side = values;

    (void)err;
    for (unsigned j = 0; j < n; j++) {
        for (uint64_t v = 0; v < trust->n_vertices; v++) {
            trust->solved[first + j][v] = side_by_side[v * width + j];
        }
    }
    return MR_OK;
}

static enum mr_status add_columns(struct trust *trust, struct mr_error *err)
{
    static const char *const names[] = {"pagerank", "spam_mass", "spam_share", "trust"};
    double *values = NULL;
    enum mr_status status = MR_OK;

    for (unsigned i = trust->spam_mass ? PAGERANK : TRUST; i < N_COLUMNS && status == MR_OK; i++) {
        status = mr_ranking_add_zeros(trust->ranking, names[i], &values, err);
    }
    if (status == MR_OK) {
        trust->solved[0] = values;
        trust->solved[1] = trust->spam_mass ? trust->ranking->values[PAGERANK] : NULL;
    }
    return status;
}

static void find_spam(const struct trust *trust, const struct mr_personalised_vector *outcomes,
                      double good_share)
{
    double *columns[N_COLUMNS];

    for (unsigned i = 0; i < N_COLUMNS; i++) {
        columns[i] = trust->ranking->values[i];
    }
    for (uint64_t v = 0; v < trust->n_vertices; v++) {
        const struct mr_spam spam =
            mr_spam_of(columns[TRUST][v], columns[PAGERANK][v], outcomes[0].score_sum,
                       outcomes[1].score_sum, good_share);
        columns[PAGERANK][v] = spam.pagerank;
        columns[SPAM_MASS][v] = spam.mass;
        columns[SPAM_SHARE][v] = spam.share;
        columns[TRUST][v] = spam.trust;
    }
}

/* The figures are good only if both vectors are good. */
static void join_figures(const struct mr_personalised_vector *outcomes,
                         struct mr_ranking_figures *figures)
{
    figures->converged = outcomes[0].converged && outcomes[1].converged;
    figures->error_bound = fmax(outcomes[0].error_bound, outcomes[1].error_bound);
    figures->residual = fmax(outcomes[0].residual, outcomes[1].residual);
    figures->rounding_bound = fmax(outcomes[0].rounding_bound, outcomes[1].rounding_bound);
}

static enum mr_status check(const struct mr_pagerank_options *options, const void *trusted,
                            bool spam_mass, double good_share, struct mr_error *err)
{
    if (trusted == NULL) {
        return mr_error_set(err, MR_ERROR_USAGE, "no trusted pages");
    }
    if (options->precision != MR_PRECISION_DOUBLE) {
        return mr_error_set(err, MR_ERROR_USAGE, "mr_rank_trust has no single precision");
    }
    if (good_share != 0 && (!spam_mass || !(good_share > 0 && good_share <= 1))) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "good_share %g: must be above 0, at most 1, and with spam_mass",
                            good_share);
    }
    return MR_OK;
}

enum mr_status mr_rank_trust(const struct mr_context *context, struct mr_store *store,
                             const struct mr_vertex_weight *trusted, uint64_t n_trusted,
                             const struct mr_pagerank_options *options, bool spam_mass,
                             double good_share, struct mr_ranking **ranking, struct mr_error *err)
{
    const struct mr_teleport_vector vectors[2] = {{trusted, n_trusted}, {NULL, 0}};
    struct trust trust = {.spam_mass = spam_mass,
                          .n_vertices = mr_store_get_info(store)->n_vertices};
    struct mr_personalised_vector outcomes[2] = {{0}, {0}};
    struct mr_personalised_result result = {0};
    struct mr_pagerank_options taken;

    *ranking = NULL;
    enum mr_status status = mr_take_pagerank_options(options, &taken, err);
    if (status == MR_OK) {
        status = check(&taken, trusted, spam_mass, good_share, err);
    }
    if (status == MR_OK) {
        status = mr_ranking_create(context, trust.n_vertices, &trust.ranking, err);
    }
    if (status != MR_OK) {
        return status;
    }
    taken.dangling = spam_mass ? MR_DANGLING_NONE : taken.dangling;
    status = add_columns(&trust, err);
    if (status == MR_OK) {
        status = mr_personalised(context, store, vectors, spam_mass ? 2 : 1, &taken, outcomes, take,
                                 &trust, &result, err);
    }
    if (status == MR_OK || status == MR_NOT_CONVERGED) {
        mr_personalised_figures(&outcomes[0], &result, trust.n_vertices, &trust.ranking->figures);
        if (spam_mass) {
            join_figures(outcomes, &trust.ranking->figures);
            find_spam(&trust, outcomes,
                      good_share > 0 ? good_share : (double)n_trusted / (double)trust.n_vertices);
        }
    }
    return mr_ranking_finish(trust.ranking, status, ranking);
}
