/* SPDX-License-Identifier: Apache-2.0 */
/* Tests every public ranking against a dense solution of the same equations: 300 rounds of the
 * textbook iteration over a matrix, which shares no code with the library. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "library/rank/kinds.h"
#include "millrace/millrace.h"
#include "tests/support/test.h"
#include "tests/support/test_dir.h"

enum { N = 40, N_EDGES = 160, ROUNDS = 300 };

struct fixture {
    struct test_dir dir;
    struct mr_context *context;
    char path[PATH_MAX], reverse_path[PATH_MAX], state[PATH_MAX];
    struct mr_store *store;
    double links[N][N]; /* 1: an edge from row to column */
};

static int set_up(void **state)
{
    static struct fixture f;
    uint64_t sources[N_EDGES], targets[N_EDGES], random = 1;

    f = (struct fixture){.store = NULL};
    *state = &f;
    if (!test_dir_make(&f.dir, NULL) || mr_context_create(NULL, &f.context, NULL) != MR_OK) {
        return -1;
    }
    (void)snprintf(f.path, sizeof f.path, "%s/a.mill", f.dir.path);
    (void)snprintf(f.reverse_path, sizeof f.reverse_path, "%s/r.mill", f.dir.path);
    (void)snprintf(f.state, sizeof f.state, "%s/state", f.dir.path);
    for (int i = 0; i < N_EDGES; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        sources[i] = (random >> 33) % (N - 4); /* the last four vertices have no out-edges */
        targets[i] = (random >> 40) % N;
        f.links[sources[i]][targets[i]] = 1;
    }
    const struct mr_memory_edges arrays = {
        .struct_size = sizeof arrays, .n_edges = N_EDGES, .sources = sources, .targets = targets};
    const struct mr_store_build_options options = {.struct_size = sizeof options, .n_vertices = N};
    return mr_store_build_edges(f.context, f.path, &arrays, &options, NULL, NULL) == MR_OK &&
                   mr_store_open(f.context, f.path, &f.store, NULL) == MR_OK
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    mr_store_close(f->store);
    mr_context_destroy(f->context);
    test_dir_remove(&f->dir);
    return 0;
}

/* x = (1 - a) t + a (P^T x + lost * back). Dangling vertices lose their scores; these go to `back`,
 * or are dropped if it is NULL. */
static void solve(const struct fixture *f, double damping, const double *teleport,
                  const double *back, double *x)
{
    double next[N], degree[N] = {0};

    for (int u = 0; u < N; u++) {
        x[u] = teleport[u];
        for (int v = 0; v < N; v++) {
            degree[u] += f->links[u][v];
        }
    }
    for (int round = 0; round < ROUNDS; round++) {
        double lost = 0;
        for (int u = 0; u < N; u++) {
            lost += degree[u] > 0 ? 0 : x[u];
        }
        for (int v = 0; v < N; v++) {
            next[v] = (1 - damping) * teleport[v] + (back != NULL ? damping * lost * back[v] : 0);
            for (int u = 0; u < N; u++) {
                next[v] += degree[u] > 0 ? damping * x[u] * f->links[u][v] / degree[u] : 0;
            }
        }
        memcpy(x, next, sizeof next);
    }
}

static double distance(const double *a, const double *b)
{
    double sum = 0;
    for (int v = 0; v < N; v++) {
        sum += fabs(a[v] - b[v]);
    }
    return sum;
}

static struct mr_ranking_figures figures_of(const struct mr_ranking *ranking)
{
    struct mr_ranking_figures figures = {.struct_size = sizeof figures};
    mr_ranking_describe(ranking, &figures);
    return figures;
}

static void expect_columns(const struct mr_ranking *ranking, const char *names)
{
    char joined[100] = "";
    unsigned n = 0;
    const struct mr_score_column *columns = mr_ranking_columns(ranking, &n);
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(columns[i].type, MR_SCORES_DOUBLE);
        assert_ptr_equal(columns[i].values, mr_ranking_scores(ranking, i));
        (void)snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%s%s",
                       i > 0 ? " " : "", columns[i].name);
    }
    assert_string_equal(joined, names);
}

static void uniform(double *t)
{
    for (int v = 0; v < N; v++) {
        t[v] = 1.0 / N;
    }
}

/* ---- PageRank ---- */

static void test_pagerank_by_default(void **state)
{
    struct fixture *f = *state;
    double t[N], expected[N];
    struct mr_ranking *ranking = NULL;

    uniform(t);
    solve(f, 0.85, t, t, expected);
    assert_int_equal(mr_rank(f->context, f->store, NULL, "pagerank", NULL, 0, &ranking, NULL),
                     MR_OK);
    expect_columns(ranking, "score");
    const struct mr_ranking_figures figures = figures_of(ranking);
    assert_true(figures.converged && figures.bound_kind == MR_BOUND_ERROR);
    assert_true(figures.error_bound > 0 && figures.error_bound <= 1e-9);
    assert_true(figures.tolerance == 1e-9 && figures.passes > 0 && figures.n_vertices == N);
    assert_true(distance(mr_ranking_scores(ranking, 0), expected) <= figures.error_bound + 1e-14);
    mr_ranking_free(ranking);
}

static enum mr_status pagerank(const struct fixture *f, const struct mr_named_value *values,
                               size_t n, struct mr_ranking **ranking, struct mr_error *err)
{
    return mr_rank(f->context, f->store, NULL, "pagerank", values, n, ranking, err);
}

static void test_pagerank_with_parameters(void **state)
{
    static const char *const dangling[] = {"teleport", "uniform", "none"};
    struct fixture *f = *state;
    const struct mr_vertex_weight seeds[] = {{3, 1}, {17, 3}};
    struct mr_named_value values[] = {{.name = "damping", .real = 0.5},
                                      {.name = "tolerance", .real = 1e-12},
                                      {.name = "teleport", .pages = seeds, .count = 2},
                                      {.name = "dangling"}};
    double t[N] = {0}, everywhere[N], expected[N];
    struct mr_ranking *ranking = NULL;

    uniform(everywhere);
    t[3] = 0.25;
    t[17] = 0.75;
    for (int d = 0; d < 3; d++) {
        values[3].text = dangling[d];
        solve(f, 0.5, t, d == 0 ? t : d == 1 ? everywhere : NULL, expected);
        assert_int_equal(pagerank(f, values, 4, &ranking, NULL), MR_OK);
        assert_true(distance(mr_ranking_scores(ranking, 0), expected) <= 2e-12);
        mr_ranking_free(ranking);
    }
}

static void test_a_damping_of_0_is_0(void **state)
{
    struct fixture *f = *state;
    const struct mr_named_value damping = {.name = "damping", .real = 0};
    struct mr_ranking *ranking = NULL;
    double t[N];

    uniform(t); /* nobody follows a link */
    assert_int_equal(pagerank(f, &damping, 1, &ranking, NULL), MR_OK);
    assert_true(distance(mr_ranking_scores(ranking, 0), t) <= 1e-15);
    mr_ranking_free(ranking);
}

/* Pages without a score start from 1/n. */
static void test_a_start_gives_the_same_scores(void **state)
{
    struct fixture *f = *state;
    double start[N], t[N], expected[N];
    const struct mr_named_value value = {.name = "start", .reals = start, .count = N};
    struct mr_ranking *whole = NULL, *ranking = NULL;

    uniform(t);
    solve(f, 0.85, t, t, expected);
    assert_int_equal(pagerank(f, NULL, 0, &whole, NULL), MR_OK);
    for (int round = 0; round < 2; round++) {
        for (int v = 0; v < N; v++) {
            start[v] = round > 0 && v % 3 == 0 ? NAN : 1e30 * expected[v];
        }
        assert_int_equal(pagerank(f, &value, 1, &ranking, NULL), MR_OK);
        assert_true(distance(mr_ranking_scores(ranking, 0), expected) <= 1e-9);
        assert_true(figures_of(ranking).passes <= figures_of(whole).passes);
        mr_ranking_free(ranking);
    }
    mr_ranking_free(whole);
}

static void test_a_ranking_that_gave_up_is_there(void **state)
{
    struct fixture *f = *state;
    const struct mr_named_value values[] = {{.name = "tolerance", .real = 1e-300},
                                            {.name = "max-passes", .count = 3}};
    double t[N], expected[N];
    struct mr_ranking *ranking = NULL;

    uniform(t);
    solve(f, 0.85, t, t, expected);
    assert_int_equal(pagerank(f, values, 2, &ranking, NULL), MR_NOT_CONVERGED);
    assert_non_null(ranking);
    const struct mr_ranking_figures figures = figures_of(ranking);
    assert_false(figures.converged);
    assert_true(distance(mr_ranking_scores(ranking, 0), expected) <= figures.error_bound);
    mr_ranking_free(ranking);
}

static void test_a_stopped_ranking_goes_on_from_its_checkpoint(void **state)
{
    struct fixture *f = *state;
    const struct mr_named_value values[] = {{.name = "checkpoint", .text = f->state},
                                            {.name = "damping", .real = 0.5}};
    struct mr_ranking *whole = NULL, *rest = NULL;
    struct mr_error err = {0};

    assert_int_equal(pagerank(f, NULL, 0, &whole, NULL), MR_OK);
    mr_context_stop(f->context, true);
    assert_int_equal(pagerank(f, values, 1, &rest, NULL), MR_INTERRUPTED);
    assert_null(rest);
    mr_context_stop(f->context, false);
    assert_int_equal(pagerank(f, values, 2, &rest, &err), MR_ERROR_USAGE);
    assert_non_null(strstr(err.message, "belongs to another run"));
    assert_int_equal(pagerank(f, values, 1, &rest, NULL), MR_OK);
    assert_memory_equal(mr_ranking_scores(whole, 0), mr_ranking_scores(rest, 0),
                        N * sizeof(double));
    assert_int_equal(access(f->state, F_OK), -1);
    mr_ranking_free(whole);
    mr_ranking_free(rest);

    FILE *file = fopen(f->state, "w"); /* is not replaced */
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(pagerank(f, values, 1, &rest, NULL), MR_ERROR_USAGE);
    assert_int_equal(access(f->state, F_OK), 0);
}

static void test_parameters_that_make_no_sense(void **state)
{
    struct fixture *f = *state;
    const double start[N] = {[3] = -1};
    const struct {
        struct mr_named_value values[2];
        const char *message;
    } cases[] = {
        {{{.name = "damping", .real = 1}, {.name = "no-pin"}},
         "damping: 1 must be at least 0 and below 1"},
        {{{.name = "dangling", .text = "some"}, {.name = "no-pin"}},
         "dangling: some is not one of teleport|uniform|none"},
        {{{.name = "until", .text = "order:0"}, {.name = "no-pin"}},
         "--until order:0: must be order:K or levels:N[:SHARE], with a K from 1, an N from 1 to "
         "126, "
         "and a SHARE from 0 and below 1"},
        {{{.name = "until", .text = "levels:3:1"}, {.name = "no-pin"}},
         "--until levels:3:1: must be order:K or levels:N[:SHARE], with a K from 1, an N from 1 to "
         "126, and a SHARE from 0 and below 1"},
        {{{.name = "iterations", .count = 3}, {.name = "tolerance", .real = 0.1}},
         "iterations makes exactly so many rounds; leave out tolerance"},
        {{{.name = "iterations", .count = 3}, {.name = "start", .reals = start, .count = N}},
         "--iterations starts from 1/n and makes exactly N rounds; leave out --start"},
        {{{.name = "heritrix", .count = 1}, {.name = "damping", .real = 0.5}},
         "heritrix makes plain rounds of 0.15 + 0.85 * sum that start from 1 for each page; leave "
         "out damping"},
        {{{.name = "start", .reals = start, .count = N - 1}, {.name = "no-pin"}},
         "start: must be 40 numbers, one per vertex"},
        {{{.name = "start", .reals = start, .count = N}, {.name = "no-pin"}},
         "scores to start from must be finite and not negative"},
    };
    struct mr_ranking *ranking = NULL;
    struct mr_error err = {0};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(pagerank(f, cases[i].values, 2, &ranking, &err), MR_ERROR_USAGE);
        assert_string_equal(err.message, cases[i].message);
        assert_null(ranking);
        mr_error_clear(&err);
    }
    const struct mr_named_value itself = {.name = "reverse", .store = f->store};
    assert_int_equal(mr_rank(f->context, f->store, NULL, "hits", &itself, 1, &ranking, &err),
                     MR_ERROR_USAGE);
    assert_string_equal(err.message, "the store is its own reverse only where links go both ways");
    mr_error_clear(&err);
    const struct mr_named_value opic = {.name = "state", .text = "anything"};
    assert_int_equal(mr_rank(f->context, f->store, NULL, "opic", &opic, 1, &ranking, &err),
                     MR_ERROR_USAGE);
    assert_string_equal(err.message,
                        "a state and weights of links inside hosts need the names of the store");
    assert_null(ranking);
}

/* ---- Many vectors ---- */

enum { VECTORS = 20 };

static void test_personalised_vectors(void **state)
{
    struct fixture *f = *state;
    struct mr_vertex_weight seeds[VECTORS];
    struct mr_rank_vector vectors[VECTORS];
    char names[VECTORS][8];
    const struct mr_named_value values[] = {{.name = "batch", .vectors = vectors, .count = VECTORS},
                                            {.name = "width", .count = 4}};
    const struct mr_named_value one = {.name = "teleport", .pages = seeds, .count = 1};
    struct mr_ranking *ranking = NULL, *alone = NULL;
    struct mr_error err = {0};
    unsigned n = 0;

    for (uint32_t i = 0; i < VECTORS; i++) {
        (void)snprintf(names[i], sizeof names[i], "v%u", i);
        seeds[i] = (struct mr_vertex_weight){2 * i, 1 + i};
        vectors[i] = (struct mr_rank_vector){names[i], &seeds[i], 1};
    }
    assert_int_equal(mr_rank(f->context, f->store, NULL, "ppr", values, 2, &ranking, NULL), MR_OK);
    const struct mr_score_column *columns = mr_ranking_columns(ranking, &n);
    assert_int_equal(n, VECTORS);
    const double bound = figures_of(ranking).error_bound;
    assert_true(figures_of(ranking).converged && bound <= 1e-9);
    for (int i = 0; i < VECTORS; i++) {
        double t[N] = {0}, expected[N];
        t[2 * i] = 1;
        solve(f, 0.85, t, t, expected);
        assert_string_equal(columns[i].name, names[i]);
        assert_true(distance(columns[i].values, expected) <= bound + 1e-14);
    }
    assert_int_equal(mr_rank(f->context, f->store, NULL, "ppr", &one, 1, &alone, NULL), MR_OK);
    expect_columns(alone, "score");
    assert_true(distance(mr_ranking_scores(alone, 0), columns[0].values) <=
                bound + figures_of(alone).error_bound);
    mr_ranking_free(alone);
    mr_ranking_free(ranking);
    vectors[3].count = 0;
    assert_int_equal(mr_rank(f->context, f->store, NULL, "ppr", values, 2, &ranking, &err),
                     MR_ERROR_USAGE);
    assert_non_null(strstr(err.message, "batch: must be vertices of the store"));
}

/* ---- TrustRank ---- */

static void test_trust_and_spam_mass(void **state)
{
    struct fixture *f = *state;
    const struct mr_vertex_weight trusted[] = {{1, 1}, {2, 1}, {30, 1}};
    const struct mr_named_value values[] = {{.name = "trusted", .pages = trusted, .count = 3},
                                            {.name = "spam-mass", .count = 1},
                                            {.name = "good-share", .real = 0.5}};
    const struct mr_named_value single[] = {values[0], {.name = "precision", .text = "single"}};
    double t[N] = {0}, u[N], trust[N], good[N], all[N], sum = 0;
    struct mr_ranking *ranking = NULL;
    unsigned n_columns = 0;

    t[1] = t[2] = t[30] = 1.0 / 3;
    uniform(u);
    solve(f, 0.85, t, t, trust);
    assert_int_equal(mr_rank(f->context, f->store, NULL, "trustrank", values, 1, &ranking, NULL),
                     MR_OK);
    expect_columns(ranking, "trust");
    assert_true(distance(mr_ranking_scores(ranking, 0), trust) <= figures_of(ranking).error_bound);
    assert_true(figures_of(ranking).error_bound <= 1e-9);
    mr_ranking_free(ranking);
    assert_int_equal(mr_rank(f->context, f->store, NULL, "trustrank", single, 2, &ranking, NULL),
                     MR_OK);
    const float *floats = mr_ranking_columns(ranking, &n_columns)->values;
    for (int v = 0; v < N; v++) {
        assert_true(fabs(floats[v] - trust[v]) < 1e-5);
    }
    mr_ranking_free(ranking);

    solve(f, 0.85, t, NULL, good);
    solve(f, 0.85, u, NULL, all);
    for (int v = 0; v < N; v++) {
        sum += all[v];
    }
    assert_int_equal(mr_rank(f->context, f->store, NULL, "trustrank", values, 3, &ranking, NULL),
                     MR_OK);
    expect_columns(ranking, "pagerank spam_mass spam_share trust");
    for (int v = 0; v < N; v++) {
        const double rank = all[v] / sum, mass = rank - 0.5 * good[v] / sum;
        assert_true(fabs(mr_ranking_scores(ranking, 0)[v] - rank) < 1e-8);
        assert_true(fabs(mr_ranking_scores(ranking, 1)[v] - mass) < 1e-8);
        assert_true(fabs(mr_ranking_scores(ranking, 2)[v] - mass / rank) < 1e-5);
        assert_true(fabs(mr_ranking_scores(ranking, 3)[v] - trust[v]) < 1e-8);
    }
    mr_ranking_free(ranking);
}

/* What rows say about each other; a value that is the default does not count as given. */
static void test_what_options_need(void **state)
{
    struct fixture *f = *state;
    const struct mr_vertex_weight page = {1, 1};
    const struct mr_named_value trusted = {.name = "trusted", .pages = &page, .count = 1};
    const struct {
        struct mr_named_value values[3];
        size_t n;
        const char *message;
    } cases[] = {
        {{{.name = "damping", .real = 0.5}}, 1, "trustrank needs trusted"},
        {{trusted, {.name = "good-share", .real = 0.5}}, 2, "good-share needs spam-mass"},
        {{trusted, {.name = "good-share", .real = 0.5}, {.name = "spam-mass"}},
         3,
         "good-share needs spam-mass"},
        {{trusted, {.name = "damping", .real = 1}}, 2, "damping: 1 must be at least 0 and below 1"},
        {{{.name = "trusted"}},
         1,
         "trusted: must be vertices of the store, ascending, with weights that are finite, not "
         "below 0, and not all 0"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct mr_ranking *ranking = NULL;
        struct mr_error err = {0};
        assert_int_equal(mr_rank(f->context, f->store, NULL, "trustrank", cases[i].values,
                                 cases[i].n, &ranking, &err),
                         MR_ERROR_USAGE);
        assert_string_equal(err.message, cases[i].message);
    }
}

/* ---- Hubs and authorities ---- */

static void scale(double *x)
{
    double sum = 0;
    for (int v = 0; v < N; v++) {
        sum += x[v];
    }
    for (int v = 0; v < N; v++) {
        x[v] /= sum;
    }
}

static void test_hits(void **state)
{
    struct fixture *f = *state;
    struct mr_store *reverse = NULL;
    struct mr_ranking *ranking = NULL;
    double hubs[N], authorities[N] = {0};

    uniform(hubs);
    for (int round = 0; round < 20000; round++) {
        for (int v = 0; v < N; v++) {
            authorities[v] = 0;
            for (int u = 0; u < N; u++) {
                authorities[v] += hubs[u] * f->links[u][v];
            }
        }
        for (int u = 0; u < N; u++) {
            hubs[u] = 0;
            for (int v = 0; v < N; v++) {
                hubs[u] += authorities[v] * f->links[u][v];
            }
        }
        scale(hubs);
        scale(authorities);
    }
    assert_int_equal(
        mr_store_build_reverse(f->context, f->store, f->reverse_path, NULL, NULL, NULL), MR_OK);
    assert_int_equal(mr_store_open(f->context, f->reverse_path, &reverse, NULL), MR_OK);
    for (int given = 0; given < 2; given++) { /* without a reverse it makes one */
        const struct mr_named_value value = {.name = "reverse", .store = reverse};
        assert_int_equal(
            mr_rank(f->context, f->store, NULL, "hits", &value, (size_t)given, &ranking, NULL),
            MR_OK);
        expect_columns(ranking, "hub authority");
        assert_true(figures_of(ranking).converged && figures_of(ranking).change <= 1e-9);
        assert_int_equal(figures_of(ranking).bound_kind, MR_BOUND_ESTIMATE);
        assert_true(distance(mr_ranking_scores(ranking, 0), hubs) < 1e-6);
        assert_true(distance(mr_ranking_scores(ranking, 1), authorities) < 1e-6);
        mr_ranking_free(ranking);
    }
    mr_store_close(reverse);
}

static void test_degrees_and_salsa(void **state)
{
    struct fixture *f = *state;
    struct mr_ranking *degrees = NULL, *salsa = NULL;
    double out[N] = {0}, in[N] = {0}, hub[N], next[N];

    for (int u = 0; u < N; u++) {
        for (int v = 0; v < N; v++) {
            out[u] += f->links[u][v];
            in[v] += f->links[u][v];
        }
    }
    assert_int_equal(mr_rank(f->context, f->store, NULL, "degree", NULL, 0, &degrees, NULL), MR_OK);
    expect_columns(degrees, "out in");
    assert_memory_equal(mr_ranking_scores(degrees, 0), out, sizeof out);
    assert_memory_equal(mr_ranking_scores(degrees, 1), in, sizeof in);
    mr_ranking_free(degrees);

    /* The random walk forward and back along edges, from all hubs with the same weight. */
    double n_hubs = 0;
    for (int u = 0; u < N; u++) {
        n_hubs += out[u] > 0;
    }
    for (int u = 0; u < N; u++) {
        hub[u] = out[u] > 0 ? 1 / n_hubs : 0;
    }
    for (int round = 0; round < 5000; round++) {
        memset(next, 0, sizeof next);
        for (int u = 0; u < N; u++) {
            for (int v = 0; v < N; v++) {
                for (int w = 0; w < N && f->links[u][v] > 0; w++) {
                    next[w] += f->links[w][v] * hub[u] / out[u] / in[v];
                }
            }
        }
        memcpy(hub, next, sizeof next);
    }
    assert_int_equal(mr_rank(f->context, f->store, NULL, "salsa", NULL, 0, &salsa, NULL), MR_OK);
    expect_columns(salsa, "hub authority");
    assert_true(distance(mr_ranking_scores(salsa, 0), hub) < 1e-9);
    mr_ranking_free(salsa);
}

/* ---- Along paths ---- */

/* distance[u][v] along edges by the algorithm of Floyd and Warshall; N: no path. */
static void all_distances(const struct fixture *f, int distances[N][N])
{
    for (int u = 0; u < N; u++) {
        for (int v = 0; v < N; v++) {
            distances[u][v] = u == v ? 0 : f->links[u][v] > 0 ? 1 : N;
        }
    }
    for (int by = 0; by < N; by++) {
        for (int u = 0; u < N; u++) {
            for (int v = 0; v < N; v++) {
                const int around = distances[u][by] + distances[by][v];
                distances[u][v] = around < distances[u][v] ? around : distances[u][v];
            }
        }
    }
}

static void test_harmonic_centrality(void **state)
{
    struct fixture *f = *state;
    int distances[N][N];
    double harmonic[2][N] = {{0}}, reach[2][N] = {{0}};
    const struct mr_vertex_weight sources[] = {{2, 1}, {5, 1}, {11, 1}};
    struct mr_error err = {0};
    struct mr_ranking *ranking = NULL;

    all_distances(f, distances);
    for (int u = 0; u < N; u++) {
        for (int v = 0; v < N; v++) {
            const int d = distances[u][v];
            for (int of = 0; of < 2 && d < N; of++) {
                const double counts = of == 0 || u == 2 || u == 5 || u == 11;
                harmonic[of][v] += d > 0 ? counts / d : 0;
                reach[of][v] += counts;
            }
        }
    }
    for (int of = 0; of < 2; of++) {
        const struct mr_named_value options[] = {{.name = "sources", .pages = sources, .count = 3},
                                                 {.name = "exact", .count = 1}};
        assert_int_equal(mr_rank(f->context, f->store, NULL, "harmonic", options + (of == 0),
                                 of == 0 ? 1 : 2, &ranking, &err),
                         MR_OK);
        expect_columns(ranking, "harmonic closeness reach");
        assert_true(distance(mr_ranking_scores(ranking, 0), harmonic[of]) < 1e-9);
        assert_memory_equal(mr_ranking_scores(ranking, 2), reach[of], sizeof reach[of]);
        mr_ranking_free(ranking);
    }
}

/* ---- Kinds: what their rows do not allow is refused, and names the option ---- */

static void is_refused(const struct fixture *f, const char *kind,
                       const struct mr_named_value *values, size_t n_values, const char *message)
{
    struct mr_ranking *ranking = NULL;
    struct mr_error err = {0};

    assert_int_equal(mr_rank(f->context, f->store, NULL, kind, values, n_values, &ranking, &err),
                     MR_ERROR_USAGE);
    assert_null(ranking);
    assert_string_equal(err.message, message);
}

static void test_rows_check_values(void **state)
{
    char kinds[256] = "harmonics: no such ranking; there are ";
    struct fixture *f = *state;
    static const char pages[] =
        "sources: must be vertices of the store, ascending, with weights that are finite, not "
        "below 0, and not all 0";
    const struct mr_vertex_weight wrong[][2] = {
        {{3, 1}, {N, 1}},  {{3, 1}, {3, 1}},   {{3, 1}, {2, 1}},       {{1, 0}, {2, 0}},
        {{1, 1}, {2, -1}}, {{1, 1}, {2, NAN}}, {{1, 1}, {2, INFINITY}}};

    for (size_t i = 0; mr_ranking_kind_at(i) != NULL; i++) {
        strcat(kinds, i > 0 ? ", " : "");
        strcat(kinds, mr_ranking_kind_at(i)->name);
    }
    is_refused(f, "harmonics", NULL, 0, kinds);
    is_refused(f, "salsa", &(const struct mr_named_value){.name = "log2m", .count = 6}, 1,
               "salsa has no option log2m");
    is_refused(f, "harmonic", &(const struct mr_named_value){.name = "log2m", .count = 3}, 1,
               "log2m: 3 must be at least 4 and at most 14");
    is_refused(f, "harmonic", &(const struct mr_named_value){.name = "log2m", .count = 15}, 1,
               "log2m: 15 must be at least 4 and at most 14");
    is_refused(f, "katz", &(const struct mr_named_value){.name = "attenuation", .real = NAN}, 1,
               "attenuation: nan must be above 0 and below inf");
    is_refused(f, "harmonic",
               (const struct mr_named_value[]){{.name = "exact", .count = 1},
                                               {.name = "log2m", .count = 6}},
               2, "exact and log2m exclude each other; give one");
    is_refused(f, "harmonic", &(const struct mr_named_value){.name = "sources"}, 1, pages);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const struct mr_named_value value = {.name = "sources", .pages = wrong[i], .count = 2};
        is_refused(f, "harmonic", &value, 1, pages);
    }
}

static void test_components(void **state)
{
    enum { CORE, IN, OUT };
    struct fixture *f = *state;
    int along[N][N];
    struct mr_names *names = NULL;
    struct mr_ranking *ranking = NULL;
    const struct mr_named_value only_weak = {.name = "weak-only", .count = 1};
    unsigned n_columns;

    all_distances(f, along);
    assert_int_equal(mr_store_open_names(f->context, f->store, &names, NULL), MR_OK);
    assert_int_equal(mr_rank(f->context, f->store, names, "components", NULL, 0, &ranking, NULL),
                     MR_OK);
    const struct mr_score_column *columns = mr_ranking_columns(ranking, &n_columns);
    assert_true(n_columns == 3 && columns[0].type == MR_SCORES_VERTEX &&
                columns[1].type == MR_SCORES_VERTEX && columns[2].type == MR_SCORES_WORD);
    const uint32_t *weak = columns[0].values, *strong = columns[1].values;
    const uint8_t *part = columns[2].values;
    assert_string_equal(columns[2].words[IN], "in");
    for (int u = 0; u < N; u++) {
        for (int v = 0; v < N; v++) {
            assert_int_equal(strong[u] == strong[v], along[u][v] < N && along[v][u] < N);
            assert_true(f->links[u][v] == 0 || weak[u] == weak[v]);
            if (part[u] == CORE) {
                const bool in = along[v][u] < N, out = along[u][v] < N;
                assert_int_equal(part[v] <= OUT, in || out);
                assert_int_equal(part[v] == CORE, in && out);
            }
        }
    }
    mr_ranking_free(ranking);
    assert_int_equal(
        mr_rank(f->context, f->store, NULL, "components", &only_weak, 1, &ranking, NULL), MR_OK);
    (void)mr_ranking_columns(ranking, &n_columns);
    assert_int_equal(n_columns, 1);
    assert_null(mr_ranking_scores(ranking, 0));
    mr_ranking_free(ranking);
    mr_names_close(names);
}

/* ---- OPIC ---- */

static void test_opic_comes_near_pagerank_and_goes_on_from_its_state(void **state)
{
    struct fixture *f = *state;
    const struct mr_named_value kept = {.name = "state", .text = f->state};
    struct mr_ranking *ranking = NULL;
    struct mr_names *names = NULL;
    double t[N], expected[N];

    uniform(t);
    solve(f, 0.85, t, t, expected);
    assert_int_equal(mr_store_open_names(f->context, f->store, &names, NULL), MR_OK);
    assert_int_equal(mr_rank(f->context, f->store, names, "opic", &kept, 1, &ranking, NULL), MR_OK);
    expect_columns(ranking, "score");
    const struct mr_ranking_figures first = figures_of(ranking);
    assert_int_equal(first.bound_kind, MR_BOUND_ERROR);
    assert_true(first.error_bound <= 0.01 && first.rounds > 0);
    assert_true(distance(mr_ranking_scores(ranking, 0), expected) <= first.error_bound);
    mr_ranking_free(ranking);
    /* The state already satisfies the tolerance. */
    assert_int_equal(mr_rank(f->context, f->store, names, "opic", &kept, 1, &ranking, NULL), MR_OK);
    assert_true(figures_of(ranking).rounds < first.rounds);
    mr_ranking_free(ranking);
    mr_names_close(names);
}

static void test_opic_keeps_its_state_when_told_to(void **state)
{
    struct fixture *f = *state;
    const struct mr_named_value kept = {.name = "state", .text = f->state};
    struct mr_ranking *ranking = NULL;
    struct mr_names *names = NULL;

    assert_int_equal(mr_store_open_names(f->context, f->store, &names, NULL), MR_OK);
    assert_int_equal(mr_rank_with(f->context, f->store, names, "opic", &kept, 1,
                                  &(const struct mr_rank_extras){0}, &ranking, NULL),
                     MR_OK);
    assert_int_not_equal(access(f->state, F_OK), 0);
    const double *cash = mr_ranking_next(ranking, false), *again = mr_ranking_next(ranking, true);
    assert_ptr_equal(cash, again); /* the array of the score; all pages are fetched */
    assert_true(again[0] >= 0 && mr_ranking_next(ranking, false)[0] < 0);
    assert_int_equal(mr_ranking_keep(ranking, NULL), MR_OK);
    assert_int_equal(access(f->state, F_OK), 0);
    mr_ranking_free(ranking);
    mr_names_close(names);
}

static void test_opic_takes_lists(void **state)
{
    struct fixture *f = *state;
    const uint32_t two[] = {3, 5}, twice[] = {3, 3}, none[] = {3, N};
    const struct mr_vertex_weight times[] = {{3, 100}, {5, 200}}, late[] = {{3, 0x1p32}};
    const struct mr_named_value right[] = {
        {.name = "targets", .vertices = two, .count = 2},
        {.name = "fetched", .text = "list", .vertices = two, .count = 2},
        {.name = "times", .pages = times, .count = 2},
        {.name = "window", .text = "1x90d"},
        {.name = "intervals", .pages = times, .count = 2},
        {.name = "score-columns", .text = "all"}};
    static const char wrong[] = ": must be vertices of the store, ascending, each once, with times "
                                "from 0 to below 2^32 if they have times";
    const struct mr_named_value lists[] = {{.name = "targets", .vertices = twice, .count = 2},
                                           {.name = "fetched", .vertices = none, .count = 2},
                                           {.name = "fetched", .count = 1},
                                           {.name = "times", .pages = late, .count = 1}};
    struct mr_ranking *ranking = NULL;

    assert_int_equal(mr_rank(f->context, f->store, NULL, "opic", right, 6, &ranking, NULL), MR_OK);
    expect_columns(ranking, "cash history last_visit score");
    const double *last = mr_ranking_scores(ranking, 2);
    assert_true(last[3] == 100 && last[5] == 200 && last[0] == 100);
    mr_ranking_free(ranking);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        char message[256];
        (void)snprintf(message, sizeof message, "%s%s", lists[i].name, wrong);
        is_refused(f, "opic", &lists[i], 1, message);
    }
    is_refused(f, "opic", &(const struct mr_named_value){.name = "fetched", .text = "some"}, 1,
               "fetched: some is not one of all|links|list");
    is_refused(f, "opic", &(const struct mr_named_value){.name = "window", .text = "3x"}, 1,
               "--window 3x: must be above 0, and a number, a time such as 90d, or intervals and a "
               "time such as 3x30d");
}

/* ---- Scores from elsewhere ---- */

static void test_certified_scores(void **state)
{
    struct fixture *f = *state;
    const struct mr_vertex_weight teleport[] = {{1, 2}, {7, 6}};
    double t[N] = {0}, x[N], off[N];
    const struct mr_scores_side exact = {.scores = x, .n_vertices = N};
    const struct mr_scores_side other = {.scores = off, .n_vertices = N};
    struct mr_certify_options options = MR_CERTIFY_OPTIONS_INIT;
    struct mr_certify_figures figures = {.struct_size = sizeof figures};

    for (int personal = 0; personal < 2; personal++) {
        uniform(t);
        if (personal == 1) {
            memset(t, 0, sizeof t);
            t[1] = 0.25;
            t[7] = 0.75;
            options.teleport = teleport;
            options.n_teleport = 2;
        }
        solve(f, 0.85, t, t, x);
        assert_int_equal(
            mr_scores_certify(f->context, f->store, NULL, &exact, &options, &figures, NULL), MR_OK);
        assert_true(figures.error_bound < 1e-12 && figures.top == N);
        memcpy(off, x, sizeof off);
        off[3] += 0.01;
        assert_int_equal(
            mr_scores_certify(f->context, f->store, NULL, &other, &options, &figures, NULL), MR_OK);
        assert_true(fabs(figures.score_sum - 1.01) < 1e-12);
        for (int v = 0; v < N; v++) {
            off[v] /= 1.01;
        }
        const double error = distance(off, x);
        assert_true(figures.error_bound >= error && figures.error_bound < 13 * error);
    }
    for (int i = 0; i < 4; i++) { /* no scores */
        const double bad[] = {-1, INFINITY, NAN, 0};
        for (int v = 0; v < N; v++) {
            off[v] = i < 2 ? x[v] : bad[i];
        }
        off[5] = bad[i];
        assert_int_equal(
            mr_scores_certify(f->context, f->store, NULL, &other, NULL, &figures, NULL),
            MR_ERROR_INPUT);
    }
    for (int i = 0; i < 4; i++) {
        options = (struct mr_certify_options)MR_CERTIFY_OPTIONS_INIT;
        options.damping = i == 0 ? 0 : i == 1 ? 1 : i == 2 ? NAN : 0.85;
        options.teleport = i == 3 ? (struct mr_vertex_weight[]){{7, 1}, {1, 1}} : NULL;
        options.n_teleport = i == 3 ? 2 : 0;
        assert_int_equal(
            mr_scores_certify(f->context, f->store, NULL, &exact, &options, &figures, NULL),
            MR_ERROR_USAGE);
    }
}

static void test_compared_scores(void **state)
{
    struct fixture *f = *state;
    double a[] = {1, 2, 3, 4, NAN, 7}, b[] = {1.5, 1, 2.5, 4, NAN, NAN};
    struct mr_compare_options options = MR_COMPARE_OPTIONS_INIT;
    struct mr_compare_figures figures = {.struct_size = sizeof figures};

    const struct mr_scores_side sides[] = {
        {.scores = a, .n_vertices = 6}, {.scores = b, .n_vertices = 6}, {.path = "scores.tsv"}};

    options.top = 2; /* of all scores: 7 and 4 of a, 4 and 2.5 of b */
    assert_int_equal(mr_scores_compare(f->context, &sides[0], &sides[1], &options, &figures, NULL),
                     MR_OK);
    assert_true(figures.n_a == 5 && figures.n_b == 4 && figures.n_compared == 4);
    assert_true(fabs(figures.kendall_tau - 2.0 / 3) < 1e-15 && figures.l1 == 2);
    assert_true(fabs(figures.spearman_rho - 0.8) < 1e-15 && figures.l_infinity == 1);
    assert_true(figures.top == 2 && figures.top_common == 1 && !figures.by_row);
    options.missing_is_zero = true;
    assert_int_equal(mr_scores_compare(f->context, &sides[0], &sides[1], &options, &figures, NULL),
                     MR_OK);
    assert_true(figures.n_compared == 5 && figures.l1 == 9);
    assert_int_equal(mr_scores_compare(f->context, &sides[0], &sides[2], &options, &figures, NULL),
                     MR_ERROR_USAGE);
    b[2] = INFINITY;
    assert_int_equal(mr_scores_compare(f->context, &sides[0], &sides[1], NULL, &figures, NULL),
                     MR_ERROR_INPUT);
}

/* ---- Bits ---- */

static void test_threads_do_not_change_a_bit(void **state)
{
    struct fixture *f = *state;
    struct mr_ranking *a = NULL, *b = NULL;
    struct mr_store *store = NULL;
    struct mr_context *context = NULL;
    const struct mr_context_options options = {
        .struct_size = sizeof options, .threads = 3, .memory_bytes = 64u << 20};

    assert_int_equal(mr_rank(f->context, f->store, NULL, "pagerank", NULL, 0, &a, NULL), MR_OK);
    assert_int_equal(mr_context_create(&options, &context, NULL), MR_OK);
    assert_int_equal(mr_store_open(context, f->path, &store, NULL), MR_OK);
    assert_int_equal(mr_rank(context, store, NULL, "pagerank", NULL, 0, &b, NULL), MR_OK);
    assert_memory_equal(mr_ranking_scores(a, 0), mr_ranking_scores(b, 0), N * sizeof(double));
    mr_ranking_free(b);
    mr_store_close(store);
    mr_context_destroy(context);
    mr_ranking_free(a);
}

/* ---- Nothing ---- */

static void test_a_graph_without_vertices(void **state)
{
    struct fixture *f = *state;
    const struct mr_memory_edges arrays = {.struct_size = sizeof arrays};
    const struct mr_store_build_options options = {.struct_size = sizeof options, .force = true};
    struct mr_store *store = NULL;
    struct mr_ranking *ranking = NULL;

    assert_int_equal(
        mr_store_build_edges(f->context, f->reverse_path, &arrays, &options, NULL, NULL), MR_OK);
    assert_int_equal(mr_store_open(f->context, f->reverse_path, &store, NULL), MR_OK);
    assert_int_equal(mr_rank(f->context, store, NULL, "pagerank", NULL, 0, &ranking, NULL), MR_OK);
    assert_true(figures_of(ranking).converged && figures_of(ranking).n_vertices == 0);
    mr_ranking_free(ranking);
    for (size_t i = 0; mr_ranking_kind_at(i) != NULL; i++) {
        const struct mr_ranking_kind *kind = mr_ranking_kind_at(i);
        assert_int_equal(mr_rank(f->context, store, NULL, kind->name, NULL, 0, &ranking, NULL),
                         kind->needs == NULL ? MR_OK : MR_ERROR_USAGE);
        mr_ranking_free(ranking);
    }
    mr_store_close(store);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN(TEST(test_pagerank_by_default), TEST(test_trust_and_spam_mass),
          TEST(test_what_options_need), TEST(test_pagerank_with_parameters),
          TEST(test_a_damping_of_0_is_0), TEST(test_a_start_gives_the_same_scores),
          TEST(test_a_ranking_that_gave_up_is_there),
          TEST(test_a_stopped_ranking_goes_on_from_its_checkpoint),
          TEST(test_parameters_that_make_no_sense), TEST(test_personalised_vectors),
          TEST(test_hits), TEST(test_degrees_and_salsa), TEST(test_harmonic_centrality),
          TEST(test_rows_check_values), TEST(test_components),
          TEST(test_opic_comes_near_pagerank_and_goes_on_from_its_state),
          TEST(test_opic_keeps_its_state_when_told_to), TEST(test_opic_takes_lists),
          TEST(test_certified_scores), TEST(test_compared_scores),
          TEST(test_threads_do_not_change_a_bit), TEST(test_a_graph_without_vertices))
