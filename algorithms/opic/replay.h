/* SPDX-License-Identifier: Apache-2.0 */
/* The replay of a crawl over a store: the order in which a rule would have fetched the vertices.
 *
 * The crawl begins with seeds. A vertex becomes known when a vertex with an edge to it is fetched.
 * Each step fetches a fixed number of known vertices by one of four orders. A good order fetches
 * the important vertices early (Cho, Garcia-Molina, Page 1998; Abiteboul, Preda, Cobena 2003). */
#ifndef MR_ALGORITHMS_OPIC_REPLAY_H
#define MR_ALGORITHMS_OPIC_REPLAY_H

#include "engine/pass/pass.h"

enum mr_replay_order {
    MR_REPLAY_RANDOM, /* random known vertices */
    MR_REPLAY_BREADTH_FIRST, /* by the step in which a vertex became known, then by number */
    /* OPIC: the most cash first; after each step all fetched vertices pass on their cash */
    MR_REPLAY_GREEDY,
    /* the most important first, which no real crawl knows: the best possible order */
    MR_REPLAY_IMPORTANCE
};
enum { MR_REPLAY_ORDERS = 4 };

struct mr_replay_options {
    size_t struct_size; /* sizeof(struct mr_replay_options) */
    enum mr_replay_order order;
    uint64_t budget; /* vertices per step, at least 1 */
    const uint32_t *seeds; /* [n_seeds], ascending; NULL: the vertex with the most out-edges */
    uint64_t n_seeds;
    const double *importance; /* [n_vertices], >= 0 */
    double tax; /* for the greedy order, as in algorithms/opic/opic.h */
    uint64_t seed; /* for the random order */
    enum mr_queue_backend backend;
    bool no_pinning;
};

struct mr_replay_step {
    uint64_t fetched; /* vertices fetched so far */
    uint64_t known; /* vertices known so far, fetched ones included */
    double importance; /* sum over the fetched vertices */
};

/* The steps of a crawl. The caller frees them with mr_replay_free. */
struct mr_replay {
    struct mr_replay_step *steps; /* [n_steps] */
    uint64_t n_steps;
    struct mr_memory *memory;
};

/* Crawl until no known vertex is left to fetch. Memory: 13 bytes per vertex, and 8 more for the
 * greedy order. Each step reads the edges of the vertices just fetched. The greedy order reads the
 * edges of all fetched vertices and the degrees too. */
enum mr_status mr_replay_simulate(const struct mr_context *context, struct mr_store *store,
                                  const struct mr_replay_options *options, struct mr_replay *crawl,
                                  struct mr_error *err) MR_WARN_UNUSED;
void mr_replay_free(struct mr_replay *crawl);

#endif
