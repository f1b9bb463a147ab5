/* SPDX-License-Identifier: Apache-2.0 */
/* Rankings: PageRank and its relatives, HITS, SALSA, OPIC. The functions work out of core on an
 * open store. They read its edges from disk as often as the memory budget makes necessary.
 *
 * A ranking is a handle with one or more columns of scores, each of n_vertices doubles by vertex.
 * mr_scores_write writes the columns to a file. The same store and options give the same bits, for
 * any threads, memory and I/O back end.
 *
 * The struct of parameters of each ranking has an initialiser, MR_PAGERANK_PARAMS_INIT and so on,
 * which sets its size and the defaults; NULL in place of parameters means the same.
 *
 * PageRank and its relatives end with a certificate: a final pass computes the residual of the
 * scores, which bounds their distance to the exact scores (docs/solver.md). A function that returns
 * MR_NOT_CONVERGED gives a ranking too, with the bound that it reached. */
#ifndef MILLRACE_RANK_H
#define MILLRACE_RANK_H

#include "millrace/scores.h"
#include "millrace/store.h"
#include "millrace/weights.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mr_ranking;

/* The meaning of error_bound. */
enum mr_bound_kind {
    MR_BOUND_NONE,
    MR_BOUND_ERROR, /* proven: the sum of the errors of all scores is at most error_bound */
    MR_BOUND_ESTIMATE, /* HITS: an estimate of the error, without a proof */
    MR_BOUND_STATIONARITY /* OPIC: the distance of the scores to stationary ones, not to a limit */
};

/* Figures of a ranking. Fields that an algorithm does not have are 0. */
struct mr_ranking_figures {
    size_t struct_size; /* sizeof(struct mr_ranking_figures), set by the caller */
    uint64_t n_vertices;
    bool converged; /* the ranking reached the tolerance */
    enum mr_bound_kind bound_kind;
    double error_bound; /* of the kind in bound_kind; 0 without a bound */
    double tolerance; /* the tolerance of the caller, or the default */
    /* PageRank: bound on the L1 residual of the certified vector, relative to the vector's sum */
    double residual;
    /* PageRank: the part of error_bound that comes from rounding in the certificate */
    double rounding_bound;
    double change; /* HITS: the larger change of the two vectors in the last round */
    double eigenvalue; /* HITS: the largest eigenvalue; 0: no edges, and all scores are 0 */
    unsigned passes; /* complete passes over the edges */
    uint64_t rounds; /* HITS: rounds of two passes each; OPIC: sweeps */
    uint64_t bytes_read; /* bytes that passes over the edges read from disk */
    double seconds; /* time inside passes */
};

/* Get the columns of a ranking, [*n_columns], in the form that mr_scores_write takes. The array,
 * the names and the values belong to the ranking. */
MR_API const struct mr_score_column *mr_ranking_columns(const struct mr_ranking *ranking,
                                                        unsigned *n_columns);

/* Get the scores of column `column`, [n_vertices], by vertex. `column` is from 0 and below the
 * number of columns. The scores belong to the ranking. */
MR_API const double *mr_ranking_scores(const struct mr_ranking *ranking, unsigned column);

/* Fill `figures`. The caller sets its struct_size. */
MR_API void mr_ranking_describe(const struct mr_ranking *ranking,
                                struct mr_ranking_figures *figures);

/* Free a ranking. NULL is allowed. Free it before its context is destroyed; the store may be closed
 * already. */
MR_API void mr_ranking_free(struct mr_ranking *ranking);

/* ---- PageRank ---- */

/* Where vertices without out-edges pass their score to. */
enum mr_rank_dangling {
    MR_RANK_DANGLING_TELEPORT, /* to the vertices that the teleport goes to, in the same shares */
    MR_RANK_DANGLING_UNIFORM, /* to all vertices, in equal shares */
    MR_RANK_DANGLING_NONE /* nowhere: the sum of the scores is then below 1 */
};

struct mr_pagerank_params {
    size_t struct_size; /* sizeof(struct mr_pagerank_params) */
    double damping; /* at least 0 and below 1 */
    double tolerance; /* of the error bound; 0 means 1e-9 */
    unsigned max_passes; /* stop after this number of passes over the edges; 0 means 10000 */
    enum mr_rank_dangling dangling;
    /* Teleport weights: ascending by vertex, finite, >= 0, at least one above 0, of any sum. NULL:
     * the same weight for all vertices. Borrowed for the call. Only for mr_rank_pagerank. */
    const struct mr_vertex_weight *teleport; /* [n_teleport] */
    uint64_t n_teleport;
    /* Scores to start from: [n_vertices], finite, >= 0, at least one above 0, of any sum. NULL:
     * none. Borrowed for the call. Only for mr_rank_pagerank, without teleport weights and without
     * iterations. */
    const double *start;
    /* Above 0: run this number of rounds of the textbook power iteration from 1/n, and ignore the
     * tolerance. Only for mr_rank_pagerank. */
    unsigned iterations;
};
#define MR_PAGERANK_PARAMS_INIT                                                                    \
    {                                                                                              \
        sizeof(struct mr_pagerank_params), 0.85, 1e-9, 10000, MR_RANK_DANGLING_TELEPORT, NULL, 0,  \
            NULL, 0                                                                                \
    }

/* PageRank; with `teleport`, personalised PageRank. Column "score", with the sum 1 (less with
 * MR_RANK_DANGLING_NONE). Brin and Page 1998; dangling vertices as in Boldi, Santini, Vigna 2005.
 * `params` may be NULL. The caller frees `*ranking`, which is NULL after every error except
 * MR_NOT_CONVERGED.
 *
 * Errors: USAGE for parameters that are not valid, BUDGET with the name of what does not fit,
 * CORRUPT, INTERRUPTED. Memory: 8 bytes per vertex, 8 to 24 more for the acceleration if the
 * budget allows it, and buffers of bounded size; the rest of the budget pins edges. Time: about 0.3
 * times the passes of a power iteration. */
MR_API enum mr_status mr_rank_pagerank(const struct mr_context *context, struct mr_store *store,
                                       const struct mr_pagerank_params *params,
                                       struct mr_ranking **ranking,
                                       struct mr_error *err) MR_WARN_UNUSED;

/* One teleport vector, as in mr_pagerank_params. NULL: the same weight for all vertices. Borrowed
 * for the call. */
struct mr_teleport_vector {
    const struct mr_vertex_weight *weights; /* [n_weights] */
    uint64_t n_weights;
};

/* Receives the scores of one vector. `vector` is its index in mr_rank_personalised.
 * `scores[n_vertices]`, by vertex, are valid for the call. A status other than MR_OK ends the run
 * with that status. All calls come from the thread that called mr_rank_personalised. */
typedef enum mr_status (*mr_rank_callback)(void *data, uint64_t vector, const double *scores,
                                           struct mr_error *err);

/* Personalised PageRank for `vectors[n_vectors]`. Each pass over the edges serves up to 16 vectors.
 * Each vector has its own certificate. `take` gets the scores in the order of the vectors.
 * `figures[n_vectors]` may be NULL; the caller sets the struct_size of each. Its passes, bytes and
 * seconds are those of the whole run. The scores of a vector have the same bits alone and together
 * with any other vectors.
 *
 * Errors: as mr_rank_pagerank; MR_NOT_CONVERGED comes after `take` got all vectors. Memory per
 * vertex: 8 bytes, and 8 to 36 for each vector of the same pass; the budget decides how many
 * vectors that is. */
MR_API enum mr_status mr_rank_personalised(const struct mr_context *context, struct mr_store *store,
                                           const struct mr_teleport_vector *vectors,
                                           uint64_t n_vectors,
                                           const struct mr_pagerank_params *params,
                                           mr_rank_callback take, void *take_data,
                                           struct mr_ranking_figures *figures,
                                           struct mr_error *err) MR_WARN_UNUSED;

/* ---- TrustRank ---- */

struct mr_trust_params {
    size_t struct_size; /* sizeof(struct mr_trust_params) */
    double damping, tolerance; /* as in mr_pagerank_params */
    unsigned max_passes;
    /* Add the columns "pagerank", "spam_mass" and "spam_share" before "trust". The spam mass is the
     * part of the PageRank that does not come from trusted pages; the spam share is the spam mass
     * divided by the PageRank. Gyongyi, Berkhin, Garcia-Molina, Pedersen 2006. */
    bool spam_mass;
    /* With spam_mass: the share of all pages that the trusted pages stand for, above 0 and at most
     * 1. Spam masses can then be below 0. 0: the actual share of the trusted pages. */
    double good_share;
};
#define MR_TRUST_PARAMS_INIT                                                                       \
    {                                                                                              \
        sizeof(struct mr_trust_params), 0.85, 1e-9, 10000, false, 0                                \
    }

/* TrustRank: PageRank that teleports to trusted pages only (Gyongyi, Garcia-Molina, Pedersen 2004).
 * The last column is "trust", with the sum 1. `trusted[n_trusted]` is ascending by vertex, finite,
 * >= 0, with at least one weight above 0; it is borrowed for the call. `params` may be NULL. Errors
 * and costs: as mr_rank_personalised with one vector, or two with spam_mass, and 8 bytes per vertex
 * and column. */
MR_API enum mr_status mr_rank_trust(const struct mr_context *context, struct mr_store *store,
                                    const struct mr_vertex_weight *trusted, uint64_t n_trusted,
                                    const struct mr_trust_params *params,
                                    struct mr_ranking **ranking,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* ---- Hubs and authorities ---- */

/* The norm that scales both vectors: the sum, the Euclidean length or the largest entry is 1.
 * Changes of the vectors are measured in the same norm. */
enum mr_hits_norm { MR_HITS_L1, MR_HITS_L2, MR_HITS_MAX };

struct mr_hits_params {
    size_t struct_size; /* sizeof(struct mr_hits_params) */
    double tolerance; /* largest change of either vector in a round; 0 means 1e-9 */
    unsigned max_rounds; /* stop after this number of rounds, two passes each; 0 means 10000 */
    enum mr_hits_norm norm;
    /* Weights of authorities: a hub counts the authority of each target times the weight of that
     * target (Aduana). Ascending by vertex, finite, >= 0; a vertex without an entry has 0. NULL: 1
     * for all vertices. Borrowed for the call. */
    const struct mr_vertex_weight *relevance; /* [n_relevance] */
    uint64_t n_relevance;
};
#define MR_HITS_PARAMS_INIT                                                                        \
    {                                                                                              \
        sizeof(struct mr_hits_params), 1e-9, 10000, MR_HITS_L1, NULL, 0                            \
    }

/* HITS (Kleinberg 1999): columns "hub" and "authority". `reverse` is the reverse of `store`
 * (mr_store_build_reverse). It may be `store` itself if every edge of the store also goes the other
 * way. To rank with weights, open both with mr_store_open_weights. `params` may be NULL. The links
 * of both are read once to compare them.
 *
 * Errors: INPUT when `reverse` is not the reverse of `store`; else as mr_rank_pagerank. Memory: 16
 * bytes per vertex, 8 more with relevance, 4 + 4 m more for a basis of m vectors if the budget
 * allows it, and the buffers of two passes. */
MR_API enum mr_status mr_rank_hits(const struct mr_context *context, struct mr_store *store,
                                   struct mr_store *reverse, const struct mr_hits_params *params,
                                   struct mr_ranking **ranking,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* SALSA (Lempel, Moran 2001): columns "hub" and "authority", each with the sum 1. The scores are
 * the limit of the random walk. They are computed from degrees and connected components, without
 * iterations, so that rounding is the only error. Memory: 16 bytes per vertex, and 32 more during
 * the call. One pass over the edges, in one thread. Errors: CORRUPT, BUDGET, INTERRUPTED. */
MR_API enum mr_status mr_rank_salsa(const struct mr_context *context, struct mr_store *store,
                                    struct mr_ranking **ranking,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Degrees: columns "out" and "in", whole numbers that count repeated edges. On a handle from
 * mr_store_open_weights they are the sums of the weights. Memory: 16 bytes per vertex. Reads the
 * degrees, no edges. Errors: as mr_rank_salsa. */
MR_API enum mr_status mr_rank_degree(const struct mr_context *context, struct mr_store *store,
                                     struct mr_ranking **ranking,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* ---- OPIC ---- */

struct mr_opic_params {
    size_t struct_size; /* sizeof(struct mr_opic_params) */
    double tax; /* the share of a visited page's cash that goes to all pages, from 0 to 1 */
    /* Above 0: adaptive OPIC. The importance of a page is the cash that it got during the last
     * `window`; the unit of `window` is the total cash moved. */
    double window;
    /* The run stops at the first of these limits. */
    double tolerance; /* of the error bound; 0 means 0.01 if sweeps is 0, else no tolerance */
    uint64_t sweeps; /* number of sweeps; 0 means at most 100000 */
    /* A file that saves the state from one crawl to the next. If the file exists, the ranking goes
     * on from it and matches the pages by name. The file is replaced when the ranking ends. NULL:
     * none. */
    const char *state;
};
#define MR_OPIC_PARAMS_INIT                                                                        \
    {                                                                                              \
        sizeof(struct mr_opic_params), 0.15, 0, 0, 0, NULL                                         \
    }

/* OPIC, the on-line computation of page importance (Abiteboul, Preda, Cobena 2003; docs/opic.md):
 * column "score", with the sum 1. OPIC counts edges and ignores their weights. `names` are those of
 * the store; they may be NULL without a state. `params` may be NULL.
 *
 * Errors: USAGE for parameters that are not valid; INPUT and CORRUPT for the state;
 * MR_NOT_CONVERGED if the tolerance was not reached; else as mr_rank_pagerank. Memory: 37 bytes per
 * vertex, and buffers of bounded size. Each sweep is a pass over the edges. */
MR_API enum mr_status mr_rank_opic(const struct mr_context *context, struct mr_store *store,
                                   struct mr_names *names, const struct mr_opic_params *params,
                                   struct mr_ranking **ranking,
                                   struct mr_error *err) MR_WARN_UNUSED;

#ifdef __cplusplus
}
#endif

#endif
