/* HITS: hubs and authorities over a store and its transpose, plain or modulated by page scores.
 *
 *     a(v) = sum over u -> v of h(u)          h(u) = sum over u -> v of r(v) a(v)
 *
 * (Kleinberg 1999; with page scores r as in Aduana: seeds, aduana-frontera). h is the leading
 * eigenvector of M = L R L^T, which is symmetric, so that rounds of power iteration are mixed
 * with restarted Lanczos: the limit is the same one, the start's projection on the leading
 * eigenspace, in fewer readings of the links. A result is taken when a plain round moves neither
 * vector by more than the tolerance. How far that is from the limit depends on the separation of
 * the two largest eigenvalues, which is estimated afterwards by a search for the second one;
 * where the two are equal, as for equal parts of a graph that are not linked with each other,
 * the vectors depend on the start, and the result says so.
 *
 * Same stores and options, same bits, for any threads, memory and I/O back end. */
#ifndef MR_ALGORITHMS_HITS_HITS_H
#define MR_ALGORITHMS_HITS_HITS_H

#include "engine/base/vertex_weight.h"
#include "engine/pass/pass.h"
#include "millrace/rank.h"

#define MR_HITS_ACCELERATION_NONE (-1)
#define MR_HITS_PROBE_NONE        (-1)

struct mr_hits_options {
    size_t struct_size; /* sizeof(struct mr_hits_options) */
    double tolerance; /* largest move of either vector in a round; 0: 1e-9 */
    unsigned max_rounds; /* give up (NOT_CONVERGED) after so many; 0: 10000. Two passes each */
    int acceleration; /* Lanczos basis: 2..16 vectors; 0: fixed rule; NONE: power iteration */
    int probe; /* rounds of the search for the second eigenvalue, at most; 0: 30; NONE: no search */
    enum mr_hits_norm norm;
    /* r: ascending by vertex, finite, >= 0; vertices without an entry have 0. NULL: 1 everywhere.
     * Borrowed for the call, as is `start`. */
    const struct mr_vertex_weight *relevance;
    uint64_t n_relevance;
    /* Hubs to start from, ascending by vertex, finite, >= 0, not all 0, of any scale. Vertices
     * without an entry get the mean of those with one, and everybody a thousandth of it more, so
     * that nothing is out of reach. NULL: equal hubs. */
    const struct mr_vertex_weight *start;
    uint64_t n_start;
    enum mr_queue_backend backend;
    bool no_pinning;
};

struct mr_hits_result {
    double *hubs, *authorities; /* [n_vertices], owned: mr_hits_result_free */
    struct mr_memory *memory; /* where they came from */
    uint64_t n_vertices;
    bool converged; /* neither change is above the tolerance */
    double tolerance;
    double hub_change,
        authority_change; /* at most so much did the last round move them, in the norm */
    double eigenvalue; /* of L R L^T; 0: no links, or none that counts, and all scores are 0 */
    double second_eigenvalue; /* found by the search, never above the true one; NaN: not searched */
    double
        separation; /* second / first, the factor by which a plain round shrinks errors; or NaN */
    double error_estimate; /* of hubs in the norm: change * separation / (1 - separation); or NaN */
    bool depends_on_start; /* separation above 1 - 1e-6: the two are taken as equal */
    unsigned rounds, probe_rounds; /* applications of M, two passes each */
    unsigned acceleration; /* vectors of the basis, 0 for none */
    unsigned passes; /* complete readings of the links of a store, of either orientation */
    struct mr_pass_figures figures; /* of both stores together */
};

void mr_hits_defaults(struct mr_hits_options *options);

/* Rank. `transpose` is the reverse of `store`: mr_hits_check_transpose. Memory: 16 bytes per
 * vertex (24 with relevance), with acceleration of m vectors or a search 4 + 4 m more; buffers
 * of two passes; spare budget pins blocks. MR_NOT_CONVERGED still fills `result`; on other
 * errors it is all zero. */
enum mr_status mr_hits(const struct mr_context *context, struct mr_store *store,
                       struct mr_store *transpose, const struct mr_hits_options *options,
                       struct mr_hits_result *result, struct mr_error *err) MR_WARN_UNUSED;
void mr_hits_result_free(struct mr_hits_result *result);

/* INPUT unless the stores have the same vertices and every vertex's in-degree in one is its
 * out-degree in the other. Reads the degrees of both, no links. */
enum mr_status mr_hits_check_transpose(const struct mr_context *context, struct mr_store *store,
                                       struct mr_store *transpose,
                                       struct mr_error *err) MR_WARN_UNUSED;

/* Least budget (mr_memory limit) with which mr_hits would run on such stores. */
uint64_t mr_hits_minimum_memory(const struct mr_store_info *info,
                                const struct mr_hits_options *options);

#endif
