/* SPDX-License-Identifier: Apache-2.0 */
/* Tests HITS on random graphs against dense eigenvectors (Jacobi rotations over all of L R L^T, in
 * this file): the vectors, the first and second eigenvalue, and the report of equal eigenvalues. */
#include <math.h>

#include "algorithms/hits/hits.h"
#include "tests/support/test.h"
#include "tests/support/test_context.h"
#include "tests/support/test_dir.h"
#include "tests/support/test_store.h"

enum { MAX_N = 70 };

struct fixture {
    struct test_dir dir;
    struct mr_context context;
    struct mr_store *store, *transpose;
    struct test_edge edges[2048];
    size_t n_edges;
    uint32_t n;
};

static uint64_t state = 0x2545f4914f6cdd1d;

static uint32_t random_below(uint32_t n)
{
    return (uint32_t)(test_random(&state) % n);
}

static struct mr_store *write_store(struct fixture *f, const char *name, bool is_reversed,
                                    bool keep_duplicates)
{
    char path[PATH_MAX];
    struct test_edge edges[2048];
    size_t n_edges = f->n_edges;
    struct mr_store *store = NULL;
    const struct test_store_options options = {
        .n_vertices = f->n,
        .band_bits = 8,
        .stripe_bits = 8,
        .graph_id = 5,
        .duplicates_kept = keep_duplicates,
        .encoding = random_below(2) == 0 ? MR_ENCODING_CORNERS : MR_ENCODING_AUTO,
        .no_names = true};
    for (size_t i = 0; i < n_edges; i++) {
        edges[i] =
            is_reversed ? (struct test_edge){f->edges[i].target, f->edges[i].source} : f->edges[i];
    }
    (void)test_dir_path(&f->dir, name, path);
    assert_int_equal(mr_io_make_dir(f->context.io, path, NULL), MR_OK);
    assert_int_equal(test_store_write(&f->context, path, &options, edges, &n_edges), MR_OK);
    assert_int_equal(mr_store_open(&f->context, path, &store, NULL), MR_OK);
    if (!is_reversed) {
        memcpy(f->edges, edges, n_edges * sizeof *edges);
        f->n_edges = n_edges;
    }
    return store;
}

static void open_graph(struct fixture *f, bool keep_duplicates)
{
    assert_true(test_dir_make(&f->dir, NULL));
    assert_true(test_context_open(&f->context, UINT64_MAX, 1));
    f->store = write_store(f, "s.mill", false, keep_duplicates);
    f->transpose = write_store(f, "t.mill", true, keep_duplicates);
}

static void close_graph(struct fixture *f)
{
    mr_store_close(f->store);
    mr_store_close(f->transpose);
    test_context_close(&f->context);
    test_dir_remove(&f->dir);
}

/* ---- The oracle ---- */

struct oracle {
    double hubs[MAX_N], authorities[MAX_N]; /* not normalised */
    double first, second,
        third; /* eigenvalues with their multiplicity; third: the next smaller one */
};

static double m[MAX_N][MAX_N], v[MAX_N][MAX_N], links[MAX_N][MAX_N];

static void diagonalise(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            v[i][j] = i == j;
        }
    }
    for (int sweep = 0; sweep < 60; sweep++) {
        for (uint32_t p = 0; p < n; p++) {
            for (uint32_t q = p + 1; q < n; q++) {
                if (fabs(m[p][q]) < 1e-300) {
                    continue;
                }
                const double angle = 0.5 * atan2(2 * m[p][q], m[q][q] - m[p][p]);
                const double c = cos(angle), s = sin(angle);
                for (uint32_t k = 0; k < n; k++) {
                    const double x = m[k][p], y = m[k][q];
                    m[k][p] = c * x - s * y;
                    m[k][q] = s * x + c * y;
                }
                for (uint32_t k = 0; k < n; k++) {
                    const double x = m[p][k], y = m[q][k];
                    m[p][k] = c * x - s * y;
                    m[q][k] = s * x + c * y;
                }
                for (uint32_t k = 0; k < n; k++) {
                    const double x = v[k][p], y = v[k][q];
                    v[k][p] = c * x - s * y;
                    v[k][q] = s * x + c * y;
                }
            }
        }
    }
}

static void solve_densely(const struct fixture *f, const double *relevance, const double *start,
                          struct oracle *out)
{
    const uint32_t n = f->n;
    memset(links, 0, sizeof links);
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < f->n_edges; i++) {
        links[f->edges[i].source][f->edges[i].target] += 1;
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            m[i][j] = 0;
            for (uint32_t k = 0; k < n; k++) {
                m[i][j] += links[i][k] * relevance[k] * links[j][k];
            }
        }
    }
    diagonalise(n);
    for (uint32_t i = 0; i < n; i++) {
        out->first = fmax(out->first, m[i][i]);
    }
    unsigned n_first = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (m[i][i] < out->first * (1 - 1e-9)) {
            out->third = fmax(out->third, m[i][i]);
            continue;
        }
        double part = 0;
        n_first++;
        for (uint32_t k = 0; k < n; k++) {
            part += v[k][i] * start[k];
        }
        for (uint32_t k = 0; k < n; k++) {
            out->hubs[k] += part * v[k][i];
        }
    }
    out->second = n_first > 1 ? out->first : out->third;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < n; k++) {
            out->authorities[k] += links[i][k] * out->hubs[i];
        }
    }
}

static double norm_of(const double *x, uint32_t n, enum mr_hits_norm norm)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum = norm == MR_HITS_MAX ? fmax(sum, fabs(x[i]))
                                  : sum + (norm == MR_HITS_L2 ? x[i] * x[i] : fabs(x[i]));
    }
    return norm == MR_HITS_L2 ? sqrt(sum) : sum;
}

static double distance(const double *x, const double *expected, uint32_t n, enum mr_hits_norm norm)
{
    double difference[MAX_N];
    const double size = norm_of(expected, n, norm);
    for (uint32_t i = 0; i < n; i++) {
        difference[i] = x[i] - (size > 0 ? expected[i] / size : 0);
    }
    return norm_of(difference, n, norm);
}

/* ---- Tests ---- */

static void make_random_graph(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    f->n = 1 + random_below(MAX_N);
    f->n_edges = random_below(4 * f->n);
    const uint32_t sources = 1 + random_below(f->n), targets = 1 + random_below(f->n);
    for (size_t i = 0; i < f->n_edges; i++) {
        uint32_t source = random_below(sources);
        uint32_t target = random_below(9) == 0 ? source : f->n - 1 - random_below(targets);
        f->edges[i] = (struct test_edge){source, target};
    }
    open_graph(f, random_below(2) == 0);
}

static void random_graphs_match_dense_eigenvectors(void **unused)
{
    (void)unused;
    unsigned compared = 0, accelerated[2] = {0}, rounds[2] = {0};
    for (int round = 0; round < 120; round++) {
        struct fixture f;
        double relevance[MAX_N], start[MAX_N];
        struct mr_vertex_weight weights[MAX_N];
        uint64_t n_weights = 0;
        make_random_graph(&f);
        const bool is_modulated = random_below(3) == 0;
        for (uint32_t i = 0; i < f.n; i++) {
            start[i] = 1;
            relevance[i] = is_modulated ? random_below(4) / 2.0 : 1;
            if (is_modulated && (relevance[i] > 0 || random_below(2) == 0)) {
                weights[n_weights++] = (struct mr_vertex_weight){i, relevance[i]};
            }
        }
        if (is_modulated && !(norm_of(relevance, f.n, MR_HITS_MAX) > 0)) {
            close_graph(&f);
            continue;
        }
        struct oracle oracle;
        struct mr_hits_options options;
        struct mr_hits_result result;
        solve_densely(&f, relevance, start, &oracle);
        const bool has_gap = oracle.third < 0.9 * oracle.first;
        options = (struct mr_hits_options)MR_HITS_USUAL;
        options.tolerance = 1e-11;
        options.norm = (enum mr_hits_norm)random_below(3);
        options.acceleration = round % 2 == 0 ? 0 : 2 + random_below(9);
        options.probe = 200;
        if (is_modulated) {
            options.relevance = weights;
            options.n_relevance = n_weights;
        }
        struct mr_error err = {0};
        const enum mr_status status =
            mr_hits(&f.context, f.store, f.transpose, &options, &result, &err);
        assert_int_equal(status, MR_OK);
        const uint64_t passes = 2 * (result.rounds + result.probe_rounds) +
                                (result.probe_rounds > 0) +
                                (oracle.first > 0 ? 0 : 1 + (result.rounds > 0)) -
                                2 * (oracle.first > 0 ? 0 : result.rounds);
        /* Half a round measures the authorities; solving again without a shift ends like that. */
        assert_in_range(result.passes, passes, passes + (oracle.first > 0 ? 3 : 0));
        if (!(oracle.first > 0)) {
            assert_true(norm_of(result.hubs, f.n, MR_HITS_MAX) == 0);
            assert_true(norm_of(result.authorities, f.n, MR_HITS_MAX) == 0);
        } else if (has_gap) {
            assert_true(
                fabs(result.eigenvalue * (is_modulated ? norm_of(relevance, f.n, MR_HITS_MAX) : 1) /
                         oracle.first -
                     1) < 1e-8);
            assert_true(distance(result.hubs, oracle.hubs, f.n, options.norm) < 1e-8);
            assert_true(distance(result.authorities, oracle.authorities, f.n, options.norm) < 1e-8);
            const double separation = oracle.second / oracle.first;
            assert_true(result.depends_on_start == (separation > 1 - 1e-9));
            assert_true(result.separation <= separation + 1e-7);
            assert_true(1 - result.separation <= 1.5 * (1 - separation) + 1e-5);
            assert_true(result.depends_on_start ==
                        isnan(result.error_estimate)); /* enough rounds to search */
            assert_true(result.depends_on_start ||
                        distance(result.hubs, oracle.hubs, f.n, options.norm) <=
                            result.error_estimate + 1e-12);
            compared++;
            accelerated[round % 2]++;
            rounds[round % 2] += result.rounds;
        }
        mr_hits_result_free(&result);
        close_graph(&f);
    }
    assert_true(compared > 50);
    /* Lanczos takes fewer rounds. */
    assert_true(rounds[1] * accelerated[0] < rounds[0] * accelerated[1]);
}

/* Two stars of equal size without edges between them: the eigenvalue is double, and equal hubs
 * share it. */
static void equal_parts_depend_on_the_start(void **unused)
{
    (void)unused;
    struct fixture f = {.n = 14, .n_edges = 10};
    for (uint32_t i = 0; i < 5; i++) {
        f.edges[i] = (struct test_edge){i + 1, 0};
        f.edges[5 + i] = (struct test_edge){i + 8, 7};
    }
    open_graph(&f, false);
    struct mr_hits_options options;
    struct mr_hits_result result;
    options = (struct mr_hits_options)MR_HITS_USUAL;
    assert_int_equal(mr_hits(&f.context, f.store, f.transpose, &options, &result, NULL), MR_OK);
    assert_true(result.depends_on_start && result.converged);
    assert_true(fabs(result.authorities[0] - 0.5) < 1e-9);
    assert_true(fabs(result.authorities[7] - 0.5) < 1e-9);
    mr_hits_result_free(&result);
    /* Another start gives another answer. */
    double start[14];
    for (int i = 0; i < 14; i++) {
        start[i] = i == 1 ? 3 : i == 2 || i == 8 ? 1 : (double)NAN;
    }
    options.start = start;
    assert_int_equal(mr_hits(&f.context, f.store, f.transpose, &options, &result, NULL), MR_OK);
    assert_true(result.depends_on_start);
    assert_true(result.authorities[0] > 1.1 * result.authorities[7]);
    mr_hits_result_free(&result);
    /* Without a search the result says nothing about the separation. */
    options.probe = 0;
    assert_int_equal(mr_hits(&f.context, f.store, f.transpose, &options, &result, NULL), MR_OK);
    assert_true(!result.depends_on_start && isnan(result.separation));
    assert_true(isnan(result.error_estimate));
    assert_int_equal(result.probe_rounds, 0);
    mr_hits_result_free(&result);
    close_graph(&f);
}

/* Two equal parts of different start share the score as in plain rounds. A shift alone would change
 * the shares by some percent, so HITS solves again. */
static void equal_parts_share_alike_with_any_acceleration(void **unused)
{
    (void)unused;
    enum { PART = MAX_N / 2 };
    for (int round = 0; round < 40; round++) {
        struct fixture f = {.n = 2 * PART, .n_edges = 4 * PART};
        double start[2 * PART];
        for (uint32_t i = 0; i < 2 * PART; i++) {
            const struct test_edge edge = {random_below(PART), random_below(PART)};
            f.edges[i] = edge;
            f.edges[2 * PART + i] = (struct test_edge){edge.source + PART, edge.target + PART};
            start[i] = 1 + random_below(9);
        }
        open_graph(&f, false);
        struct mr_hits_options options = MR_HITS_USUAL;
        struct mr_hits_result result, plain;
        options.tolerance = 1e-12;
        options.start = start;
        assert_int_equal(mr_hits(&f.context, f.store, f.transpose, &options, &result, NULL), MR_OK);
        options.acceleration = options.probe = 0;
        assert_int_equal(mr_hits(&f.context, f.store, f.transpose, &options, &plain, NULL), MR_OK);
        assert_true(result.depends_on_start && result.rounds < plain.rounds + 40);
        assert_true(distance(result.hubs, plain.hubs, f.n, MR_HITS_L1) < 1e-6);
        assert_true(distance(result.authorities, plain.authorities, f.n, MR_HITS_L1) < 1e-6);
        mr_hits_result_free(&result);
        mr_hits_result_free(&plain);
        close_graph(&f);
    }
}

/* If one star is a little larger, it gets all scores, and the separation is the ratio of the
 * sizes. */
static void the_larger_part_takes_all(void **unused)
{
    (void)unused;
    struct fixture f = {.n = 14, .n_edges = 9};
    for (uint32_t i = 0; i < 5; i++) {
        f.edges[i] = (struct test_edge){i + 1, 0};
    }
    for (uint32_t i = 0; i < 4; i++) {
        f.edges[5 + i] = (struct test_edge){i + 8, 7};
    }
    open_graph(&f, false);
    for (unsigned acceleration = 0; acceleration <= MR_HITS_AUTO; acceleration += MR_HITS_AUTO) {
        struct mr_hits_options options;
        struct mr_hits_result result;
        options = (struct mr_hits_options)MR_HITS_USUAL;
        options.acceleration = acceleration;
        assert_int_equal(mr_hits(&f.context, f.store, f.transpose, &options, &result, NULL), MR_OK);
        assert_true(!result.depends_on_start);
        assert_true(fabs(result.separation - 0.8) < 1e-6);
        assert_true(fabs(result.authorities[0] - 1) < 1e-8 && result.authorities[7] < 1e-8);
        assert_true(result.authorities[1] == 0 && result.hubs[0] == 0 && result.hubs[6] == 0);
        mr_hits_result_free(&result);
    }
    close_graph(&f);
}

static void graphs_without_vertices_or_links(void **unused)
{
    (void)unused;
    for (uint32_t n = 0; n < 3; n++) {
        struct fixture f = {.n = n};
        struct mr_hits_options options;
        struct mr_hits_result result;
        open_graph(&f, false);
        options = (struct mr_hits_options)MR_HITS_USUAL;
        assert_int_equal(mr_hits(&f.context, f.store, f.transpose, &options, &result, NULL), MR_OK);
        assert_true(result.converged && result.n_vertices == n && result.eigenvalue == 0);
        for (uint32_t i = 0; i < n; i++) {
            assert_true(result.hubs[i] == 0 && result.authorities[i] == 0);
        }
        mr_hits_result_free(&result);
        close_graph(&f);
    }
}

/* A vertex of relevance 0 gives nothing to the vertices that link to it. */
static void irrelevant_pages_make_no_hubs(void **unused)
{
    (void)unused;
    struct fixture f = {.n = 6, .n_edges = 5};
    const struct test_edge edges[] = {{0, 4}, {1, 4}, {2, 4}, {3, 5}, {2, 5}};
    const struct mr_vertex_weight only_5 = {5, 7e300};
    memcpy(f.edges, edges, sizeof edges);
    open_graph(&f, false);
    struct mr_hits_options options;
    struct mr_hits_result result;
    options = (struct mr_hits_options)MR_HITS_USUAL;
    options.relevance = &only_5;
    options.n_relevance = 1;
    assert_int_equal(mr_hits(&f.context, f.store, f.transpose, &options, &result, NULL), MR_OK);
    assert_true(result.hubs[0] == 0 && result.hubs[1] == 0);
    assert_true(fabs(result.hubs[2] - 0.5) < 1e-9 && fabs(result.hubs[3] - 0.5) < 1e-9);
    /* Its own authority comes from its in-edges as usual. */
    assert_true(fabs(result.authorities[4] - 1.0 / 3) < 1e-9);
    assert_true(fabs(result.authorities[5] - 2.0 / 3) < 1e-9);
    mr_hits_result_free(&result);
    close_graph(&f);
}

static void a_good_start_saves_rounds(void **unused)
{
    (void)unused;
    struct fixture f = {.n = 60, .n_edges = 240};
    for (size_t i = 0; i < f.n_edges; i++) {
        f.edges[i] = (struct test_edge){random_below(60), random_below(60)};
    }
    open_graph(&f, false);
    struct mr_hits_options options;
    struct mr_hits_result cold, warm;
    options = (struct mr_hits_options)MR_HITS_USUAL;
    options.acceleration = 0;
    options.probe = 0;
    assert_int_equal(mr_hits(&f.context, f.store, f.transpose, &options, &cold, NULL), MR_OK);
    options.start = cold.hubs;
    assert_int_equal(mr_hits(&f.context, f.store, f.transpose, &options, &warm, NULL), MR_OK);
    assert_true(warm.rounds < cold.rounds);
    assert_true(distance(warm.hubs, cold.hubs, 60, MR_HITS_L1) < 1e-7);
    mr_hits_result_free(&cold);
    mr_hits_result_free(&warm);
    close_graph(&f);
}

static void give_up_after_max_rounds(void **unused)
{
    (void)unused;
    struct fixture f;
    make_random_graph(&f);
    while (f.n_edges < 100) {
        close_graph(&f);
        make_random_graph(&f);
    }
    struct mr_hits_options options;
    struct mr_hits_result result;
    struct mr_error err = {0};
    options = (struct mr_hits_options)MR_HITS_USUAL;
    options.max_rounds = 2;
    assert_int_equal(mr_hits(&f.context, f.store, f.transpose, &options, &result, &err),
                     MR_NOT_CONVERGED);
    assert_true(!result.converged && result.rounds == 2);
    assert_true(fabs(norm_of(result.hubs, f.n, MR_HITS_L1) - 1) < 1e-12);
    mr_hits_result_free(&result);
    close_graph(&f);
}

static void what_is_no_transpose_is_refused(void **unused)
{
    (void)unused;
    /* The last one has the degrees of the first one. */
    static const struct test_edge graphs[][3] = {
        {{0, 1}, {0, 2}, {3, 2}}, {{0, 1}, {0, 3}, {3, 2}}, {{0, 2}, {0, 2}, {3, 1}}};
    enum { N_GRAPHS = sizeof graphs / sizeof graphs[0] };
    struct fixture made[N_GRAPHS];
    struct mr_error err = {0};
    for (unsigned i = 0; i < N_GRAPHS; i++) {
        made[i] = (struct fixture){.n = 4, .n_edges = 3};
        memcpy(made[i].edges, graphs[i], sizeof graphs[i]);
        open_graph(&made[i], true);
    }
    struct fixture *f = &made[0];
    assert_int_equal(mr_hits_check_transpose(&f->context, f->store, f->store, &err),
                     MR_ERROR_INPUT);
    for (unsigned i = 0; i < N_GRAPHS; i++) {
        mr_error_clear(&err);
        assert_int_equal(mr_hits_check_transpose(&f->context, f->store, made[i].transpose, &err),
                         i == 0 ? MR_OK : MR_ERROR_INPUT);
    }
    for (unsigned i = 0; i < N_GRAPHS; i++) {
        close_graph(&made[i]);
    }
}

/* On a larger graph, threads, memory and back ends change nothing, and both passes fit into the
 * least budget. */
static void the_same_bits_for_any_threads_and_memory(void **unused)
{
    (void)unused;
    enum { N = 5000, EDGES = 60000 };
    struct test_dir dir;
    struct mr_context context;
    struct test_edge *edges = malloc(2 * EDGES * sizeof *edges);
    struct mr_hits_result first = {0};
    char paths[2][PATH_MAX];
    size_t n_edges[2] = {EDGES, EDGES};

    assert_true(test_dir_make(&dir, NULL));
    assert_true(test_context_open(&context, UINT64_MAX, 1));
    for (size_t i = 0; i < EDGES; i++) {
        const uint32_t source = random_below(N), target = random_below(1 + random_below(N));
        edges[i] = (struct test_edge){source, target};
        edges[EDGES + i] = (struct test_edge){target, source};
    }
    for (int k = 0; k < 2; k++) {
        const struct test_store_options options = {
            .n_vertices = N, .band_bits = 9, .stripe_bits = 8, .graph_id = 5, .no_names = true};
        (void)test_dir_path(&dir, k == 0 ? "s.mill" : "t.mill", paths[k]);
        assert_int_equal(mr_io_make_dir(context.io, paths[k], NULL), MR_OK);
        assert_int_equal(
            test_store_write(&context, paths[k], &options, edges + k * EDGES, &n_edges[k]), MR_OK);
    }
    test_context_close(&context);
    for (unsigned round = 0; round < 6; round++) {
        struct mr_store *store, *transpose;
        struct mr_hits_options options;
        struct mr_hits_result result;
        options = (struct mr_hits_options)MR_HITS_USUAL;
        options.no_pinning = round == 1;
        options.acceleration = 6; /* the least budget would choose another one */
        assert_true(test_context_open(&context, UINT64_MAX, 1 + round));
        assert_int_equal(mr_store_open(&context, paths[0], &store, NULL), MR_OK);
        assert_int_equal(mr_store_open(&context, paths[1], &transpose, NULL), MR_OK);
        if (round == 5) { /* the least budget */
            const uint64_t least = mr_hits_minimum_memory(mr_store_get_info(store), &options);
            mr_store_close(store);
            mr_store_close(transpose);
            test_context_close(&context);
            assert_true(test_context_open(&context, least > (32u << 20) ? least : 32u << 20, 2));
            assert_int_equal(mr_store_open(&context, paths[0], &store, NULL), MR_OK);
            assert_int_equal(mr_store_open(&context, paths[1], &transpose, NULL), MR_OK);
        }
        assert_int_equal(mr_hits(&context, store, transpose, &options, &result, NULL), MR_OK);
        if (round == 1) {
            assert_true(result.figures.pinned_bytes == 0 && result.figures.bytes_read > 0);
        }
        if (round == 0) {
            first = result;
            first.hubs = malloc(N * sizeof(double));
            first.authorities = malloc(N * sizeof(double));
            memcpy(first.hubs, result.hubs, N * sizeof(double));
            memcpy(first.authorities, result.authorities, N * sizeof(double));
        }
        assert_memory_equal(first.hubs, result.hubs, N * sizeof(double));
        assert_memory_equal(first.authorities, result.authorities, N * sizeof(double));
        assert_true(first.separation == result.separation);
        assert_true(first.hub_change == result.hub_change);
        mr_hits_result_free(&result);
        mr_store_close(store);
        mr_store_close(transpose);
        test_context_close(&context);
    }
    free(first.hubs);
    free(first.authorities);
    free(edges);
    test_dir_remove(&dir);
}

TEST_MAIN(cmocka_unit_test(random_graphs_match_dense_eigenvectors),
          cmocka_unit_test(equal_parts_depend_on_the_start),
          cmocka_unit_test(equal_parts_share_alike_with_any_acceleration),
          cmocka_unit_test(the_larger_part_takes_all),
          cmocka_unit_test(graphs_without_vertices_or_links),
          cmocka_unit_test(irrelevant_pages_make_no_hubs),
          cmocka_unit_test(a_good_start_saves_rounds), cmocka_unit_test(give_up_after_max_rounds),
          cmocka_unit_test(what_is_no_transpose_is_refused),
          cmocka_unit_test(the_same_bits_for_any_threads_and_memory))
