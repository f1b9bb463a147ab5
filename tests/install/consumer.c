/* SPDX-License-Identifier: Apache-2.0 */
/* A program as somebody else would write it, against the installed headers and libraries alone:
 * a store from arrays, ranked, its names read, scores written and read back. It is compiled as C
 * and as C++, so it keeps to what both have. What it prints does not depend on the compiler. */
#include <millrace/millrace.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 5, N_EDGES = 7 };
static const char *const names[N] = {"http://b.example/", "http://a.example/1",
                                     "http://a.example/2", "http://c.example/",
                                     "http://lonely.example/"};
static const uint64_t sources[N_EDGES] = {0, 0, 1, 2, 2, 3, 0};
static const uint64_t targets[N_EDGES] = {1, 2, 2, 0, 3, 2, 1}; /* the last repeats the first */

static struct mr_error err;

static int fail(const char *what)
{
    char text[1400];
    fprintf(stderr, "%s: %s\n", what, mr_error_text(&err, text, sizeof text));
    return 1;
}

/* PageRank by the book, dangling pages to all: the oracle. Pages are numbered as in `names`. */
static void power_iteration(double rank[N])
{
    double links[N][N], degree[N], next[N];

    memset(links, 0, sizeof links);
    memset(degree, 0, sizeof degree);
    for (int i = 0; i < N_EDGES; i++) {
        links[sources[i]][targets[i]] = 1;
    }
    for (int u = 0; u < N; u++) {
        rank[u] = 1.0 / N;
        for (int v = 0; v < N; v++) {
            degree[u] += links[u][v];
        }
    }
    for (int round = 0; round < 300; round++) {
        for (int v = 0; v < N; v++) {
            next[v] = 0.15 / N;
            for (int u = 0; u < N; u++) {
                next[v] += 0.85 * rank[u] * (degree[u] > 0 ? links[u][v] / degree[u] : 1.0 / N);
            }
        }
        memcpy(rank, next, sizeof next);
    }
}

/* The initialisers are good C and good C++, and set the sizes and the defaults. */
static bool starts_with_defaults(void)
{
    const struct mr_context_options context = MR_CONTEXT_OPTIONS_INIT;
    const struct mr_precedence_options levels = MR_PRECEDENCE_OPTIONS_INIT;
    const struct mr_scores_options scores = MR_SCORES_OPTIONS_INIT;

    return context.struct_size == sizeof context && levels.struct_size == sizeof levels &&
           scores.struct_size == sizeof scores && levels.n_levels == 5;
}

static int build(const struct mr_context *context)
{
    struct mr_memory_edges arrays = MR_MEMORY_EDGES_INIT;
    const struct mr_store_build_options options = MR_STORE_BUILD_OPTIONS_INIT;
    struct mr_store_build_figures figures;

    arrays.n_edges = N_EDGES;
    arrays.sources = sources;
    arrays.targets = targets;
    arrays.names = names;
    arrays.n_names = N;
    figures.struct_size = sizeof figures;
    if (mr_store_build_edges(context, "web.mill", &arrays, &options, &figures, &err) != MR_OK) {
        return fail("build");
    }
    printf("%d vertices, %d edges, %d duplicates, %d dangling\n", (int)figures.n_vertices,
           (int)figures.n_edges, (int)figures.duplicates, (int)figures.n_dangling);
    return 0;
}

/* Compare each page's score with the oracle's, finding it by its name and back. */
static int compare(struct mr_names *of_store, const double *scores)
{
    double expected[N];

    power_iteration(expected);
    for (int i = 0; i < N; i++) {
        uint32_t vertex = 0;
        bool found = false;
        const char *name = NULL;
        size_t name_bytes = 0;
        if (mr_names_find(of_store, names[i], strlen(names[i]), &vertex, &found, &err) != MR_OK ||
            mr_names_get(of_store, vertex, &name, &name_bytes, &err) != MR_OK) {
            return fail("names");
        }
        if (!found || name_bytes != strlen(names[i]) || memcmp(name, names[i], name_bytes) != 0) {
            fprintf(stderr, "%s is not there\n", names[i]);
            return 1;
        }
        if (!(fabs(scores[vertex] - expected[i]) < 1e-9)) {
            fprintf(stderr, "%s: %g, not %g\n", names[i], scores[vertex], expected[i]);
            return 1;
        }
        printf("%s %u %.6f\n", names[i], (unsigned)vertex, scores[vertex]);
    }
    return 0;
}

static int write_and_read(const struct mr_context *context, const struct mr_ranking *ranking,
                          struct mr_names *of_store)
{
    const double *scores = mr_ranking_scores(ranking, 0);
    unsigned n_columns = 0;
    const struct mr_score_column *columns = mr_ranking_columns(ranking, &n_columns);
    struct mr_scores_found found;
    double read[N];

    if (mr_scores_write(context, "ranks.tsv", of_store, N, columns, n_columns, NULL, NULL, &err) !=
            MR_OK ||
        mr_scores_read(context, "ranks.tsv", NULL, of_store, N, read, &found, &err) != MR_OK) {
        return fail("scores");
    }
    bool same = n_columns == 1 && found.n_found == N;
    for (unsigned i = 0; i < N; i++) {
        same = same && read[i] == scores[i];
    }
    if (!same) {
        fprintf(stderr, "the scores read are not those written\n");
        return 1;
    }
    return 0;
}

static int rank(const struct mr_context *context, struct mr_store *store, struct mr_names *of_store)
{
    struct mr_ranking *ranking = NULL;
    struct mr_ranking_figures figures;

    figures.struct_size = sizeof figures;
    if (mr_rank(context, store, NULL, "pagerank", NULL, 0, &ranking, &err) != MR_OK) {
        return fail("rank");
    }
    mr_ranking_describe(ranking, &figures);
    int result =
        figures.converged && figures.bound_kind == MR_BOUND_ERROR && figures.error_bound <= 1e-9
            ? 0
            : 1;
    if (result == 0) {
        result = compare(of_store, mr_ranking_scores(ranking, 0));
    }
    if (result == 0) {
        result = write_and_read(context, ranking, of_store);
    }
    mr_ranking_free(ranking);
    return result;
}

int main(void)
{
    struct mr_context *context = NULL;
    struct mr_store *store = NULL;
    struct mr_names *of_store = NULL;

    puts(mr_version());
    if (strcmp(mr_version(), MR_VERSION) != 0 || !starts_with_defaults()) {
        return 1;
    }
    if (mr_context_create(NULL, &context, &err) != MR_OK) {
        return fail("context");
    }
    int result = build(context);
    if (result == 0 && (mr_store_open(context, "web.mill", &store, &err) != MR_OK ||
                        mr_store_open_names(context, store, &of_store, &err) != MR_OK)) {
        result = fail("open");
    }
    if (result == 0) {
        result = rank(context, store, of_store);
    }
    mr_names_close(of_store);
    mr_store_close(store);
    mr_context_destroy(context);
    return result;
}
