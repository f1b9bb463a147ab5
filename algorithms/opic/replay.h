/* A crawl of a stored graph, replayed: which pages would have been fetched when, by which rule.
 *
 * The crawl begins with seeds; a page is known once a fetched page links to it. In each step it fetches
 * a budget of known pages by one of four orders. What is asked of an order is how soon it has the
 * important pages (Cho, Garcia-Molina, Page 1998; Abiteboul, Preda, Cobena 2003). */
#ifndef MR_ALGORITHMS_OPIC_REPLAY_H
#define MR_ALGORITHMS_OPIC_REPLAY_H

#include "engine/pass/pass.h"

enum mr_replay_order {
    MR_REPLAY_RANDOM, /* any known page */
    MR_REPLAY_BREADTH_FIRST, /* the step in which it became known; then by number */
    MR_REPLAY_GREEDY, /* OPIC: most cash; after each step all fetched pages pass theirs on */
    MR_REPLAY_IMPORTANCE /* the importance itself, which no real crawl knows: the best there is */
};
enum { MR_REPLAY_ORDERS = 4 };

struct mr_replay_options {
    size_t struct_size; /* sizeof(struct mr_replay_options) */
    enum mr_replay_order order;
    uint64_t budget; /* pages per step, at least 1 */
    const uint32_t *seeds; /* [n_seeds], ascending; NULL: the page of most out-links */
    uint64_t n_seeds;
    const double *importance; /* [n_vertices], >= 0 */
    double tax; /* greedy: as in algorithms/opic/opic.h */
    uint64_t seed; /* random */
    enum mr_queue_backend backend;
    bool no_pinning;
};

struct mr_replay_step {
    uint64_t fetched; /* pages, so far */
    uint64_t known; /* fetched ones included */
    double importance; /* of the fetched ones, summed */
};

/* Owned by the caller: mr_replay_free. */
struct mr_replay {
    struct mr_replay_step *steps; /* [n_steps] */
    uint64_t n_steps;
    struct mr_memory *memory;
};

/* Crawl until no known page is left. Memory: 13 bytes per page, greedy 8 more. Each step reads the
 * links of the pages just fetched; greedy those of all fetched ones besides, and the degrees. */
enum mr_status mr_replay_simulate(const struct mr_context *context, struct mr_store *store,
                                  const struct mr_replay_options *options, struct mr_replay *crawl,
                                  struct mr_error *err) MR_WARN_UNUSED;
void mr_replay_free(struct mr_replay *crawl);

#endif
