/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a store from a case, ranks it, and compares the result with the published values.
 * facts_test.c and vectors_test.c read the cases. */
#include "tests/conformance/ranked_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/pagerank/pagerank.h"
#include "engine/base/memory.h"
#include "engine/builder/transpose.h"
#include "engine/io/io.h"
#include "tests/support/test_dir.h"

#define SOLVER_TOLERANCE 1e-12

struct case_store {
    struct test_dir dir;
    struct mr_context context;
    struct mr_store *store;
    struct mr_store *ranked; /* the store, or its weights */
    struct mr_names *names;
};

/* ---- The case ---- */

static void *grow(void *array, size_t n, size_t *room, size_t size)
{
    if (n < *room) {
        return array;
    }
    *room = *room > 0 ? 2 * *room : 64;
    array = realloc(array, *room * size);
    if (array == NULL) {
        perror("conformance test");
        abort();
    }
    return array;
}

void case_clear(struct ranked_case *c)
{
    free(c->vertices);
    free(c->edges);
    free(c->weights);
    free(c->teleport);
    *c = (struct ranked_case){0};
}

void case_add_vertex(struct ranked_case *c, uint64_t id)
{
    c->vertices = grow(c->vertices, c->n_vertices, &c->room_vertices, sizeof *c->vertices);
    c->vertices[c->n_vertices++] = (struct case_vertex){.id = id};
}

void case_add_edge(struct ranked_case *c, uint64_t source, uint64_t target)
{
    const bool weighted = c->weighted;
    case_add_weighted_edge(c, source, target, 1);
    c->weighted = weighted;
}

void case_add_weighted_edge(struct ranked_case *c, uint64_t source, uint64_t target, float weight)
{
    c->weights = grow(c->weights, c->n_edges, &c->room_weights, sizeof *c->weights);
    c->weights[c->n_edges] = weight;
    c->weighted = true;
    c->edges = grow(c->edges, c->n_edges, &c->room_edges, sizeof *c->edges);
    c->edges[c->n_edges++] = (struct mr_edge){.source = source, .target = target};
}

void case_add_teleport(struct ranked_case *c, uint64_t id, double weight)
{
    c->teleport = grow(c->teleport, c->n_teleport, &c->room_teleport, sizeof *c->teleport);
    c->teleport[c->n_teleport++] = (struct case_weight){.id = id, .weight = weight};
}

static int compare_vertices(const void *a, const void *b)
{
    const struct case_vertex *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static int compare_weights(const void *a, const void *b)
{
    const struct case_weight *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static struct case_vertex *find(const struct ranked_case *c, uint64_t id)
{
    const struct case_vertex key = {.id = id};
    return c->n_vertices == 0
               ? NULL
               : bsearch(&key, c->vertices, c->n_vertices, sizeof *c->vertices, compare_vertices);
}

const char *case_finish(struct ranked_case *c)
{
    if (c->n_vertices == 0) {
        return "no vertices";
    }
    qsort(c->vertices, c->n_vertices, sizeof *c->vertices, compare_vertices);
    for (size_t i = 1; i < c->n_vertices; i++) {
        if (c->vertices[i - 1].id == c->vertices[i].id) {
            return "a vertex is listed twice";
        }
    }
    if (c->n_teleport > 0) {
        qsort(c->teleport, c->n_teleport, sizeof *c->teleport, compare_weights);
    }
    return NULL;
}

bool case_expect(struct ranked_case *c, uint64_t id, double value)
{
    struct case_vertex *vertex = find(c, id);

    if (vertex == NULL || vertex->has_expected) {
        return false;
    }
    vertex->expected = value;
    vertex->has_expected = true;
    return true;
}

bool case_expect_hits(struct ranked_case *c, uint64_t id, double hub, double authority)
{
    const bool is_new = case_expect(c, id, hub);
    if (is_new) {
        find(c, id)->expected_authority = authority;
    }
    return is_new;
}

/* ---- The store ---- */

static enum mr_status add_graph(const struct ranked_case *c, struct mr_build *build,
                                struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (size_t i = 0; i < c->n_vertices && status == MR_OK; i++) {
        status = mr_build_vertex(build, c->vertices[i].id, err);
    }
    if (status == MR_OK) {
        status = mr_build_freeze(build, err);
    }
    for (size_t i = 0; i < c->n_edges && status == MR_OK; i++) {
        if (!mr_build_knows(build, c->edges[i].source) ||
            !mr_build_knows(build, c->edges[i].target)) {
            status = mr_error_set(err, MR_ERROR_INPUT, "edge %zu has an unlisted vertex", i + 1);
        }
    }
    if (status == MR_OK && c->n_edges > 0) {
        status = c->weighted ? mr_build_edges(build, 0, c->edges, c->weights, c->n_edges, err)
                             : mr_build_edges(build, 0, c->edges, NULL, c->n_edges, err);
    }
    return status;
}

static enum mr_status build_store(const struct ranked_case *c, const struct mr_context *context,
                                  const char *path, struct mr_error *err)
{
    const struct mr_build_options options = {.ids = MR_IDS_SPARSE,
                                             .undirected = c->undirected,
                                             .weights = c->weighted,
                                             .keep_duplicates = true};
    struct mr_store_build_figures summary;
    struct mr_build *build = NULL;

    enum mr_status status = mr_build_create(context, path, &options, &build, err);
    if (status == MR_OK) {
        status = add_graph(c, build, err);
    }
    status = mr_build_finish(build, status, &summary, err);
    if (status == MR_OK && summary.n_vertices != c->n_vertices) {
        status = mr_error_set(err, MR_ERROR_RUNTIME, "the store has %llu vertices instead of %zu",
                              (unsigned long long)summary.n_vertices, c->n_vertices);
    }
    return status;
}

enum mr_status case_store_open(const struct ranked_case *c, struct case_store **out,
                               struct mr_error *err)
{
    struct case_store *store = calloc(1, sizeof *store);
    char path[PATH_MAX];
    enum mr_status status;

    *out = NULL;
    if (store == NULL || !test_dir_make(&store->dir, NULL)) {
        free(store);
        (void)mr_error_set(err, MR_ERROR_RUNTIME, "cannot make a directory below TMPDIR");
        return MR_ERROR_RUNTIME;
    }
    store->context.threads = 2;
    status = mr_memory_create(UINT64_MAX, &store->context.memory, err);
    if (status == MR_OK) {
        status = mr_io_create_real(&store->context.io, err);
    }
    if (status == MR_OK) {
        (void)test_dir_path(&store->dir, "graph.mill", path);
        status = build_store(c, &store->context, path, err);
    }
    if (status == MR_OK) {
        status = mr_store_open(&store->context, path, &store->store, err);
    }
    if (status == MR_OK) {
        status = mr_names_open(&store->context, store->store, NULL, &store->names, err);
    }
    store->ranked = store->store;
    if (status == MR_OK && c->weighted) {
        store->ranked = NULL;
        status = mr_store_open_weights(&store->context, store->store, &store->ranked, err);
    }
    if (status != MR_OK) {
        case_store_close(store);
        return status;
    }
    *out = store;
    return MR_OK;
}

void case_store_close(struct case_store *store)
{
    if (store == NULL) {
        return;
    }
    if (store->ranked != store->store) {
        mr_store_close(store->ranked);
    }
    mr_names_close(store->names);
    mr_store_close(store->store);
    mr_io_destroy(store->context.io);
    mr_memory_destroy(store->context.memory);
    test_dir_remove(&store->dir);
    free(store);
}

/* ---- Ranking ---- */

/* The store promises to number vertices in the order of their ids. This checks the promise. */
static enum mr_status check_names(const struct ranked_case *c, struct case_store *store,
                                  struct mr_error *err)
{
    for (size_t i = 0; i < c->n_vertices; i++) {
        char wanted[32];
        const char *name = NULL;
        size_t name_bytes = 0;

        const int length =
            snprintf(wanted, sizeof wanted, "%llu", (unsigned long long)c->vertices[i].id);
        const enum mr_status status =
            mr_names_get(store->names, (uint32_t)i, &name, &name_bytes, err);
        if (status != MR_OK) {
            return status;
        }
        if (name_bytes != (size_t)length || memcmp(name, wanted, name_bytes) != 0) {
            return mr_error_set(err, MR_ERROR_RUNTIME, "vertex %zu is called %.*s instead of %s", i,
                                (int)name_bytes, name, wanted);
        }
    }
    return MR_OK;
}

static enum mr_status teleport_weights(const struct ranked_case *c,
                                       struct mr_vertex_weight **weights, struct mr_error *err)
{
    *weights = NULL;
    if (c->n_teleport == 0) {
        return MR_OK;
    }
    *weights = calloc(c->n_teleport, sizeof **weights);
    if (*weights == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory");
    }
    for (size_t i = 0; i < c->n_teleport; i++) {
        const struct case_vertex *vertex = find(c, c->teleport[i].id);
        if (vertex == NULL) {
            return mr_error_set(err, MR_ERROR_INPUT, "personalisation has an unlisted vertex");
        }
        (*weights)[i] = (struct mr_vertex_weight){.vertex = (uint32_t)(vertex - c->vertices),
                                                  .weight = c->teleport[i].weight};
    }
    return MR_OK;
}

/* The limit is the sum over all k of (a P^T)^k base. The published values are the part up to k =
 * applications. The rest is (a P^T)^(applications + 1) times the limit. */
static void cut_series(const struct ranked_case *c, double *scores)
{
    const size_t n = c->n_vertices;
    double *rest = calloc(3 * n, sizeof *rest);

    if (rest == NULL) {
        abort();
    }
    double *next = rest + n, *degree = rest + 2 * n;
    memcpy(rest, scores, n * sizeof *rest);
    for (size_t i = 0; i < c->n_edges; i++) {
        degree[find(c, c->edges[i].source) - c->vertices] += (double)c->weights[i];
    }
    for (unsigned k = 0; k <= c->applications; k++) {
        memset(next, 0, n * sizeof *next);
        for (size_t i = 0; i < c->n_edges; i++) {
            const size_t source = (size_t)(find(c, c->edges[i].source) - c->vertices);
            const size_t target = (size_t)(find(c, c->edges[i].target) - c->vertices);
            next[target] += c->damping * rest[source] * (double)c->weights[i] / degree[source];
        }
        memcpy(rest, next, n * sizeof *rest);
    }
    for (size_t i = 0; i < n; i++) {
        scores[i] -= rest[i];
    }
    free(rest);
}

static void compare(const struct ranked_case *c, const struct mr_pagerank_result *result,
                    struct case_outcome *outcome)
{
    double *scores = result->scores;

    if (c->applications > 0) {
        cut_series(c, scores);
    }
    for (size_t i = 0; c->scale_by_sources && i < c->n_vertices; i++) {
        scores[i] *= (double)(c->n_teleport > 0 ? c->n_teleport : c->n_vertices);
    }

    *outcome = (struct case_outcome){.error_bound = result->error_bound};
    for (size_t i = 0; i < c->n_vertices; i++) {
        const double difference = fabs(scores[i] - c->vertices[i].expected);
        /* the negation counts a NaN as the largest difference */
        if (!(difference <= outcome->max_difference)) {
            outcome->max_difference = difference;
        }
        outcome->l1_difference += difference;
        outcome->sum += scores[i];
        outcome->n_false_zeros += (scores[i] == 0.0) != (c->vertices[i].expected == 0.0);
        outcome->n_negative += !(scores[i] >= 0.0);
    }
}

enum mr_status case_rank(const struct ranked_case *c, struct case_store *store, double tolerance,
                         struct case_outcome *outcome, struct mr_error *err)
{
    struct mr_pagerank_options options;
    struct mr_pagerank_result result = {0};
    struct mr_vertex_weight *weights = NULL;

    enum mr_status status = check_names(c, store, err);
    if (status == MR_OK) {
        status = teleport_weights(c, &weights, err);
    }
    if (status != MR_OK) {
        goto out;
    }
    options = (struct mr_pagerank_options)MR_PAGERANK_OPTIONS_INIT;
    options.damping = c->damping;
    options.iterations = c->iterations;
    options.tolerance = c->iterations > 0 ? 0.0 : tolerance;
    options.dangling = c->dangling;
    options.teleport = weights;
    options.n_teleport = c->n_teleport;
    status = mr_pagerank(&store->context, store->ranked, &options, &result, err);
    if (status == MR_OK && result.n_vertices != c->n_vertices) {
        status = mr_error_set(err, MR_ERROR_RUNTIME, "a result of another length");
    }
    if (status == MR_OK) {
        compare(c, &result, outcome);
    }
out:
    mr_pagerank_result_free(&result);
    free(weights);
    return status;
}

/* Computes hubs and authorities to the solver's tolerance. Makes the reverse of the store beside
 * it. */
static enum mr_status rank_hits(const struct ranked_case *c, struct case_store *store,
                                struct case_outcome *outcome, struct mr_error *err)
{
    const struct mr_build_options reverse = {0};
    struct mr_hits_options options;
    struct mr_hits_result result = {0};
    struct mr_store *transpose = NULL, *reversed = NULL;
    char path[PATH_MAX];

    *outcome = (struct case_outcome){0};
    (void)test_dir_path(&store->dir, "reverse.mill", path);
    enum mr_status status = check_names(c, store, err);
    if (status == MR_OK) {
        status = mr_transpose(&store->context, store->store, path, &reverse, NULL, err);
    }
    if (status == MR_OK) {
        status = mr_store_open(&store->context, path, &transpose, err);
        reversed = transpose;
    }
    if (status == MR_OK && c->weighted) {
        reversed = NULL;
        status = mr_store_open_weights(&store->context, transpose, &reversed, err);
    }
    options = (struct mr_hits_options)MR_HITS_USUAL;
    options.tolerance = SOLVER_TOLERANCE;
    options.norm = c->norm;
    if (status == MR_OK) {
        status = mr_hits(&store->context, store->ranked, reversed, &options, &result, err);
    }
    for (size_t i = 0; status == MR_OK && i < c->n_vertices; i++) {
        const struct case_vertex *vertex = &c->vertices[i];
        const double hub = fabs(result.hubs[i] - vertex->expected);
        const double authority = fabs(result.authorities[i] - vertex->expected_authority);
        const double difference = hub <= authority ? authority : hub;
        if (!(difference <= outcome->max_difference)) {
            outcome->max_difference = difference;
        }
        outcome->n_negative += !(result.hubs[i] >= 0.0) || !(result.authorities[i] >= 0.0);
    }
    mr_hits_result_free(&result);
    if (reversed != transpose) {
        mr_store_close(reversed);
    }
    mr_store_close(transpose);
    return status;
}

static const char *verdict(const struct ranked_case *c, const struct case_outcome *outcome)
{
    if (!(outcome->max_difference <= c->tolerance)) {
        return "FAILED: differs";
    }
    if (outcome->n_negative > 0) {
        return "FAILED: negative scores";
    }
    if (c->is_hits) {
        return NULL; /* published values end before they reach zero */
    }
    if (outcome->n_false_zeros > 0) {
        return "FAILED: scores are 0 that should not be, or the other way round";
    }
    if (c->dangling != MR_DANGLING_NONE && !(fabs(outcome->sum - 1.0) <= 1e-12)) {
        return "FAILED: the sum is not 1";
    }
    return NULL;
}

bool case_check(const struct ranked_case *c)
{
    struct mr_error err = {0};
    struct case_store *store = NULL;
    struct case_outcome outcome;
    char text[1536];

    enum mr_status status = case_store_open(c, &store, &err);
    if (status == MR_OK) {
        status = c->is_hits ? rank_hits(c, store, &outcome, &err)
                            : case_rank(c, store, SOLVER_TOLERANCE, &outcome, &err);
    }
    case_store_close(store);
    if (status != MR_OK) {
        printf("%-42s FAILED: status %d: %s\n", c->name, (int)status,
               mr_error_text(&err, text, sizeof text));
        return false;
    }
    const char *problem = verdict(c, &outcome);
    printf("%-42s max difference %.2e, tolerance %.0e, %s\n", c->name, outcome.max_difference,
           c->tolerance, problem == NULL ? "ok" : problem);
    return problem == NULL;
}
