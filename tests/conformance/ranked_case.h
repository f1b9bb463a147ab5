/* One graph with published ranks, or hubs and authorities: build a store of it, rank it, compare. */
#ifndef MR_TESTS_CONFORMANCE_RANKED_CASE_H
#define MR_TESTS_CONFORMANCE_RANKED_CASE_H

#include "algorithms/hits/hits.h"
#include "algorithms/pagerank/pagerank.h"
#include "engine/build/build.h"

/* A vertex and what is known of it. */
struct case_vertex {
    uint64_t id;
    double expected;
    double expected_authority; /* with is_hits; expected is the hub then */
    bool has_expected;
};

struct case_weight {
    uint64_t id;
    double weight;
};

/* Everything is owned: case_clear. Duplicate edges count, an undirected edge is listed once. */
struct ranked_case {
    char name[128];
    struct case_vertex *vertices; /* ascending by id once case_finish has been called */
    size_t n_vertices, room_vertices;
    struct mr_edge *edges;
    size_t n_edges, room_edges;
    float *weights; /* [n_edges] */
    size_t room_weights;
    bool weighted; /* ranked with them */
    struct case_weight *teleport;
    size_t n_teleport, room_teleport;
    bool undirected;
    bool is_hits; /* else PageRank */
    enum mr_hits_norm norm;
    double damping;
    unsigned iterations; /* 0: converged */
    /* Published after so many applications to the base vector: what is left of the series is taken off the
     * limit before comparing. 0: not. */
    unsigned applications;
    bool
        scale_by_sources; /* the base vector is 1 - a for each teleport page, not for all together */
    enum mr_dangling dangling;
    double tolerance; /* of each value, absolute */
};

/* The additions abort when out of memory: this is a test. */
void case_clear(struct ranked_case *c);
void case_add_vertex(struct ranked_case *c, uint64_t id);
void case_add_edge(struct ranked_case *c, uint64_t source, uint64_t target); /* of weight 1 */
void case_add_weighted_edge(struct ranked_case *c, uint64_t source, uint64_t target, float weight);
void case_add_teleport(struct ranked_case *c, uint64_t id, double weight);

/* Sort the vertices. NULL, or what is wrong with them: a static string. */
const char *case_finish(struct ranked_case *c);
/* Only after case_finish. False when there is no such vertex, or it has a value already. */
bool case_expect(struct ranked_case *c, uint64_t id, double value);
bool case_expect_hits(struct ranked_case *c, uint64_t id, double hub, double authority);

/* A store of a case, in a directory of its own below $TMPDIR. */
struct case_store;

enum mr_status case_store_open(const struct ranked_case *c, struct case_store **out,
                               struct mr_error *err) MR_WARN_UNUSED;
void case_store_close(struct case_store *store);

struct case_outcome {
    double max_difference; /* of any value from what is expected */
    double l1_difference; /* summed over all vertices */
    double error_bound; /* the certificate */
    double sum;
    uint64_t n_false_zeros; /* exactly one of score and expected value is 0 */
    uint64_t n_negative;
};

/* Rank to `tolerance` (not used with c->iterations) and compare with the expected values. A result
 * that is not certified is an error. */
enum mr_status case_rank(const struct ranked_case *c, struct case_store *store, double tolerance,
                         struct case_outcome *outcome, struct mr_error *err) MR_WARN_UNUSED;

/* Build, rank to 1e-12 and print a line "NAME  max difference D, tolerance T, ok". Returns whether
 * it is ok: every value within c->tolerance, zero where zero is expected and nowhere else. */
bool case_check(const struct ranked_case *c);

#endif
