/* One application of M = L R L^T in two passes, measured or not. Internal to algorithms.
 *
 * Vectors are stored almost normalised: the pass that computes one scales it by what its norm is
 * expected to be (authorities: as the last time; hubs: what the eigenvalue makes of that of the
 * authorities), and its exact norm is known only at the end. So every vector comes with its norm, and no scan
 * over the vertices is needed beside the passes. */
#ifndef MR_ALGORITHMS_HITS_HITS_ROUNDS_H
#define MR_ALGORITHMS_HITS_HITS_ROUNDS_H

#include "algorithms/hits/hits.h"

/* Of one band, combined in band order: a fixed order for any threads. */
struct mr_hits_sums {
    double norm; /* L1: sum; L2: sum of squares; max: maximum of what was stored */
    double change; /* likewise of what was stored less the old vector, normalised */
};

struct mr_hits_vector {
    double *values; /* [length] */
    double norm; /* of the values, in the norm of the options; 0: not known, or all 0 */
    double last_factor; /* values = raw sums * this */
    double change; /* at most so far did the last measured pass move it; INFINITY: not known */
};

struct mr_hits_rounds {
    enum mr_hits_norm norm;
    uint64_t n_vertices;
    const struct mr_vertex_weight *relevance;
    uint64_t n_relevance;
    double inverse_relevance; /* 1 / the largest */
    struct mr_pass *forward, *backward; /* over the store, over the transpose */
    uint32_t n_bands[2];
    struct mr_hits_vector hubs, authorities;
    double *relevant; /* [length] r a; NULL without relevance: then it is a */
    struct mr_hits_sums *sums; /* [the larger number of bands] */
    double
        eigenvalue; /* |M h| / |h| in the norm, of the last round; or a better one; 0: not known */
    unsigned rounds;
};

/* Authorities from the hubs, then (unless `authorities_only`) hubs from the authorities, both
 * measured. The factors keep values near norm 1. */
enum mr_status mr_hits_round(struct mr_hits_rounds *rounds, bool authorities_only,
                             struct mr_error *err) MR_WARN_UNUSED;

/* hubs.values = M hubs.values, as plain numbers, for Lanczos: nothing is scaled. */
enum mr_status mr_hits_apply(struct mr_hits_rounds *rounds, struct mr_error *err) MR_WARN_UNUSED;

/* INPUT unless the stores have equally many vertices and links. */
enum mr_status mr_hits_check_sizes(const struct mr_store *store, const struct mr_store *transpose,
                                   struct mr_error *err) MR_WARN_UNUSED;

#endif
