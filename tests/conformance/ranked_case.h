/* SPDX-License-Identifier: Apache-2.0 */
/* A graph with published ranks, or hubs and authorities: functions to build a store of it, rank it,
 * and compare. */
#ifndef MR_TESTS_CONFORMANCE_RANKED_CASE_H
#define MR_TESTS_CONFORMANCE_RANKED_CASE_H

#include "algorithms/hits/hits.h"
#include "algorithms/pagerank/pagerank.h"
#include "engine/builder/build.h"

/* A vertex and its published values. */
struct case_vertex {
    uint64_t id;
    double expected;
    double expected_authority; /* with is_hits, where `expected` is the hub */
    bool has_expected;
};

struct case_weight {
    uint64_t id;
    double weight;
};

/* The case owns everything; case_clear frees it. Duplicate edges count. An undirected edge is
 * listed once. */
struct ranked_case {
    char name[128];
    struct case_vertex *vertices; /* ascending by id once case_finish has been called */
    size_t n_vertices, room_vertices;
    struct mr_edge *edges;
    size_t n_edges, room_edges;
    float *weights; /* [n_edges]; NULL: no weights */
    size_t room_weights;
    bool weighted; /* rank with the weights */
    struct case_weight *teleport;
    size_t n_teleport, room_teleport;
    bool undirected;
    bool is_hits; /* otherwise PageRank */
    enum mr_hits_norm norm;
    double damping;
    unsigned iterations; /* 0: until it converges */
    /* Published after this number of applications to the base vector. The comparison subtracts the
     * rest of the series from the limit. 0: compare with the limit. */
    unsigned applications;
    /* the base vector is 1 - a for each teleport vertex, instead of 1 - a in total */
    bool scale_by_sources;
    enum mr_dangling dangling;
    double tolerance; /* of each value, absolute */
};

/* The functions that add abort when memory runs out, because this is a test. */
void case_clear(struct ranked_case *c);
void case_add_vertex(struct ranked_case *c, uint64_t id);
void case_add_edge(struct ranked_case *c, uint64_t source, uint64_t target); /* of weight 1 */
void case_add_weighted_edge(struct ranked_case *c, uint64_t source, uint64_t target, float weight);
void case_add_teleport(struct ranked_case *c, uint64_t id, double weight);

/* Sort the vertices. Returns NULL, or a static string that says what is wrong with them. */
const char *case_finish(struct ranked_case *c);
/* Call it after case_finish. Returns false when there is no such vertex, or when it has a value
 * already. */
bool case_expect(struct ranked_case *c, uint64_t id, double value);
bool case_expect_hits(struct ranked_case *c, uint64_t id, double hub, double authority);

/* The store of a case, in a temporary directory below $TMPDIR. */
struct case_store;

enum mr_status case_store_open(const struct ranked_case *c, struct case_store **out,
                               struct mr_error *err) MR_WARN_UNUSED;
void case_store_close(struct case_store *store);

struct case_outcome {
    double max_difference; /* largest difference of a value to the expected one */
    double l1_difference; /* sum of the differences over all vertices */
    double error_bound; /* the bound of the certificate */
    double sum;
    uint64_t n_false_zeros; /* vertices where exactly one of score and expected value is 0 */
    uint64_t n_negative;
};

/* Rank to `tolerance` (ignored with c->iterations), and compare with the expected values. A result
 * without a certificate is an error. */
enum mr_status case_rank(const struct ranked_case *c, struct case_store *store, double tolerance,
                         struct case_outcome *outcome, struct mr_error *err) MR_WARN_UNUSED;

/* Build, rank to 1e-12 and print a line "NAME  max difference D, tolerance T, ok". Returns whether
 * it is ok: every value is within c->tolerance, and a score is zero exactly where zero is
 * expected. */
bool case_check(const struct ranked_case *c);

#endif
