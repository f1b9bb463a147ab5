/* Rankings: PageRank and its relatives, HITS, SALSA, OPIC. Each is computed out of core, over an
 * opened store whose links are read from disk as often as the budget of memory makes necessary.
 *
 * A ranking is a handle that has one column of scores or several, n_vertices doubles each, by
 * vertex; mr_scores_write puts the columns into a file. The same store and options give the same
 * bits, for any threads, memory and I/O back end.
 *
 * PageRank and what descends from it come with a certificate: at the end the residual of the
 * scores is computed, which bounds how far they are from the exact ones (docs/solver.md). A
 * function that returns MR_NOT_CONVERGED gives a ranking all the same, with the bound that was
 * reached. */
#ifndef MILLRACE_RANK_H
#define MILLRACE_RANK_H

#include "millrace/scores.h"
#include "millrace/store.h"
#include "millrace/weights.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mr_ranking;

/* What is known of the distance between scores and what they approximate. */
enum mr_bound_kind {
    MR_BOUND_NONE,
    MR_BOUND_ERROR, /* the sum of all scores' errors is proven to be at most error_bound */
    MR_BOUND_ESTIMATE, /* an estimate of the error, not a proof (HITS) */
    MR_BOUND_STATIONARITY /* OPIC: how far scores are from stationary, not from a limit */
};

/* What came of a ranking. Fields that an algorithm does not have are 0. */
struct mr_ranking_figures {
    size_t struct_size; /* sizeof(struct mr_ranking_figures), set by the caller */
    uint64_t n_vertices;
    bool converged; /* the tolerance was reached */
    enum mr_bound_kind bound_kind;
    double error_bound; /* of that kind; 0 without one */
    double tolerance; /* that was asked for, or the default */
    double residual; /* PageRank: L1 residual of the certified vector, relative to its sum */
    double rounding_bound; /* PageRank: part of error_bound that is rounding of the certificate */
    double change; /* HITS: at most so much did the last round move either vector */
    double eigenvalue; /* HITS: the largest one; 0: no links, and all scores are 0 */
    unsigned passes; /* complete readings of the links */
    uint64_t rounds; /* HITS: rounds, two passes each; OPIC: sweeps */
    uint64_t bytes_read; /* from disk, by passes over the links */
    double seconds; /* inside passes */
};

/* The columns of a ranking, [*n_columns], as mr_scores_write takes them: their names, and
 * doubles by vertex. They belong to the ranking and live as long. */
MR_API const struct mr_score_column *mr_ranking_columns(const struct mr_ranking *ranking,
                                                        unsigned *n_columns);

/* The scores of column `column` (from 0; below the number of columns), [n_vertices], by vertex.
 * They belong to the ranking and live as long. */
MR_API const double *mr_ranking_scores(const struct mr_ranking *ranking, unsigned column);

/* Fill `figures`, whose struct_size is set. */
MR_API void mr_ranking_describe(const struct mr_ranking *ranking,
                                struct mr_ranking_figures *figures);

/* NULL is allowed. The context it was made with still lives; the store may be closed. */
MR_API void mr_ranking_free(struct mr_ranking *ranking);

/* ---- PageRank ---- */

/* Where pages without links pass their score on to. */
enum mr_rank_dangling {
    MR_RANK_DANGLING_TELEPORT, /* like a teleport */
    MR_RANK_DANGLING_UNIFORM, /* evenly to all vertices */
    MR_RANK_DANGLING_NONE /* nowhere: scores then do not add up to 1 */
};

struct mr_pagerank_params {
    size_t struct_size; /* sizeof(struct mr_pagerank_params) */
    double damping; /* above 0, below 1; 0: 0.85 */
    double tolerance; /* of the error bound, above 0; 0: 1e-9 */
    unsigned max_passes; /* give up after so many readings of the links; 0: 10000 */
    enum mr_rank_dangling dangling;
    /* Teleport weights: ascending by vertex, finite, >= 0, not all 0; scaled here. NULL: to all
     * vertices alike. Borrowed for the call. For mr_rank_pagerank alone. */
    const struct mr_vertex_weight *teleport; /* [n_teleport] */
    uint64_t n_teleport;
    /* Ranks to start from: [n_vertices], finite, >= 0, not all 0; scaled here. NULL: none.
     * Borrowed for the call. For mr_rank_pagerank alone; not with teleport weights, nor with
     * iterations. */
    const double *start;
    /* Above 0: not to a tolerance, but the textbook power iteration from 1/n, so many rounds of
     * it. For mr_rank_pagerank alone. */
    unsigned iterations;
};

/* PageRank, with `teleport` personalised PageRank: column "score", adding up to 1 but for
 * MR_RANK_DANGLING_NONE. Brin and Page 1998; dangling mass as in Boldi, Santini, Vigna 2005.
 * `params` may be NULL. `*ranking` is the caller's to free, NULL after errors other than
 * NOT_CONVERGED. Errors: USAGE for parameters that make no sense, BUDGET naming what does not
 * fit, CORRUPT, INTERRUPTED. Memory: 8 bytes per vertex, 20 to 44 more for its acceleration
 * where the budget has them, and bounded buffers; the rest of the budget keeps links. Time:
 * about 0.3 of the passes of a power iteration. */
MR_API enum mr_status mr_rank_pagerank(const struct mr_context *context, struct mr_store *store,
                                       const struct mr_pagerank_params *params,
                                       struct mr_ranking **ranking,
                                       struct mr_error *err) MR_WARN_UNUSED;

/* One teleport vector: as in mr_pagerank_params. NULL: to all vertices alike. Borrowed. */
struct mr_teleport_vector {
    const struct mr_vertex_weight *weights; /* [n_weights] */
    uint64_t n_weights;
};

/* Takes the scores of one vector: number `vector` of mr_rank_personalised, `scores[n_vertices]`
 * by vertex, which live for the call. A status other than OK ends the run with it. It comes from
 * the thread that called. */
typedef enum mr_status (*mr_rank_callback)(void *data, uint64_t vector, const double *scores,
                                           struct mr_error *err);

/* Personalised PageRank for `vectors[n_vectors]`, up to 16 of them in one stream of the links,
 * each certified by itself. `take` gets the scores in order of the vectors.
 * `figures[n_vectors]`, all with their struct_size set, may be NULL; passes, bytes and seconds
 * are those of the whole run. The scores of a vector are the same bits in any company. Errors:
 * as mr_rank_pagerank; NOT_CONVERGED after all vectors were handed over. Memory per vertex: 8
 * bytes, and 8 to 36 for each of the vectors side by side, of which there are as many as fit. */
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
    /* Also columns "pagerank", "spam_mass" (the part of it that does not come from trusted
     * pages) and "spam_share" (that part's share), before the trust: Gyongyi, Berkhin,
     * Garcia-Molina, Pedersen 2006. */
    bool spam_mass;
    /* With spam_mass: let the trusted pages stand for this share of all pages, above 0 and at
     * most 1; spam masses can then be below 0. 0: the share that they are. */
    double good_share;
};

/* TrustRank: PageRank that teleports to trusted pages only, column "trust", the last one, adding
 * up to 1 (Gyongyi, Garcia-Molina, Pedersen 2004). `trusted[n_trusted]` is ascending by vertex,
 * finite, >= 0, not all 0; borrowed for the call. `params` may be NULL. Errors and costs: as
 * mr_rank_personalised with one vector, with spam_mass two, and 8 bytes per vertex and column. */
MR_API enum mr_status mr_rank_trust(const struct mr_context *context, struct mr_store *store,
                                    const struct mr_vertex_weight *trusted, uint64_t n_trusted,
                                    const struct mr_trust_params *params,
                                    struct mr_ranking **ranking,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* ---- Hubs and authorities ---- */

/* How vectors are scaled: the sum, the Euclidean length or the largest entry is 1. What the
 * vectors move is measured in the same norm. */
enum mr_hits_norm { MR_HITS_L1, MR_HITS_L2, MR_HITS_MAX };

struct mr_hits_params {
    size_t struct_size; /* sizeof(struct mr_hits_params) */
    double tolerance; /* largest move of either vector in a round; 0: 1e-9 */
    unsigned max_rounds; /* give up after so many, two passes each; 0: 10000 */
    enum mr_hits_norm norm;
    /* Page scores: a page's authority counts that much for those that link to it (Aduana).
     * Ascending by vertex, finite, >= 0; a vertex without an entry has 0. NULL: 1 everywhere.
     * Borrowed for the call. */
    const struct mr_vertex_weight *relevance; /* [n_relevance] */
    uint64_t n_relevance;
};

/* HITS (Kleinberg 1999): columns "hub" and "authority". `reverse` is the reverse of `store`
 * (mr_store_build_reverse), or `store` itself where links go both ways; with weights both are
 * what mr_store_open_weights opened. `params` may be NULL. Errors: INPUT when `reverse` is no
 * reverse of `store`; else as mr_rank_pagerank. Memory: 16 bytes per vertex, 8 more with
 * relevance, and for a basis of m vectors 4 + 4 m, as the budget allows; buffers of two passes. */
MR_API enum mr_status mr_rank_hits(const struct mr_context *context, struct mr_store *store,
                                   struct mr_store *reverse, const struct mr_hits_params *params,
                                   struct mr_ranking **ranking,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* SALSA (Lempel, Moran 2001), columns "hub" and "authority", each adding up to 1: the limit of
 * the random walk, exact but for rounding, from degrees and connected parts. Memory: 16 bytes
 * per vertex, 32 more meanwhile. One reading of the links, in one thread. Errors: CORRUPT,
 * BUDGET, INTERRUPTED. */
MR_API enum mr_status mr_rank_salsa(const struct mr_context *context, struct mr_store *store,
                                    struct mr_ranking **ranking,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Degrees, columns "out" and "in": whole numbers, repeated links counted; of what
 * mr_store_open_weights opened the sums of weights. Memory: 16 bytes per vertex. Reads the
 * degrees, no links. */
MR_API enum mr_status mr_rank_degree(const struct mr_context *context, struct mr_store *store,
                                     struct mr_ranking **ranking,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* ---- OPIC ---- */

#define MR_OPIC_NO_TAX (-1.0)

struct mr_opic_params {
    size_t struct_size; /* sizeof(struct mr_opic_params) */
    /* Share of a visited page's cash that goes to all pages, at most 1; 0: 0.15; or
     * MR_OPIC_NO_TAX. */
    double tax;
    /* Above 0: AOPIC, importance by what came in during the last `window` times all cash. */
    double window;
    /* When to stop: at whichever comes first. */
    double tolerance; /* of the error bound; 0: 0.01 where sweeps is 0, else not by it */
    uint64_t sweeps; /* 0: not by their number (but by 100000) */
    /* A file that keeps the state from one crawl to the next: where it is there, the ranking
     * goes on from it, pages matched by name; it is replaced when the ranking has ended. NULL:
     * none. */
    const char *state;
};

/* OPIC, the on-line computation of page importance (Abiteboul, Preda, Cobena 2003;
 * docs/opic.md): column "score", adding up to 1. Links count, not their weights. `names` are
 * those of the store; they may be NULL without a state. `params` may be NULL. Errors: USAGE for
 * parameters that make no sense; INPUT and CORRUPT of the state; NOT_CONVERGED where a tolerance
 * was asked for; else as mr_rank_pagerank. Memory: 37 bytes per vertex, and bounded buffers.
 * Each sweep is a pass over the links. */
MR_API enum mr_status mr_rank_opic(const struct mr_context *context, struct mr_store *store,
                                   struct mr_names *names, const struct mr_opic_params *params,
                                   struct mr_ranking **ranking,
                                   struct mr_error *err) MR_WARN_UNUSED;

#ifdef __cplusplus
}
#endif

#endif
