/* SPDX-License-Identifier: Apache-2.0 */
/* Tests comparisons against the definitions: all pairs of vertices, and ranks by counting. */
#include <math.h>
#include <stdlib.h>

#include "algorithms/scores/compare.h"
#include "tests/support/test.h"
#include "tests/support/test_context.h"
#include "tests/support/test_dir.h"

enum { MAX_N = 400 };

TEST_RANDOM(88172645463325252u)

static struct mr_compare_figures compare(const struct mr_score_pair *pairs, uint64_t n,
                                         const struct mr_compare_options *options, unsigned threads)
{
    struct mr_context context;
    struct mr_compare_figures result;
    struct mr_score_pair *copy = malloc((n + 1) * sizeof *copy);

    assert_true(test_context_open(&context, 64u << 20, threads));
    memcpy(copy, pairs, n * sizeof *copy);
    assert_int_equal(mr_compare(&context, copy, n, options, &result, NULL), MR_OK);
    test_context_close(&context);
    free(copy);
    return result;
}

static int sign(double x)
{
    return (x > 0) - (x < 0);
}

/* The rank by counting: 1 for the lowest; equal scores share the mean. */
static double rank_of(const double *x, int n, int i)
{
    int below = 0, equal = 0;
    for (int k = 0; k < n; k++) {
        below += x[k] < x[i];
        equal += x[k] == x[i];
    }
    return below + (equal + 1) / 2.0;
}

/* Returns whether vertex i is among the k best; equal scores rank by index. */
static bool is_top(const struct mr_score_pair *pairs, int n, int i, bool is_b, uint64_t k)
{
    uint64_t before = 0;
    const double score = is_b ? pairs[i].b : pairs[i].a;
    for (int j = 0; j < n; j++) {
        const double other = is_b ? pairs[j].b : pairs[j].a;
        before += other > score || (other == score && j < i);
    }
    return !isnan(score) && before < k;
}

static struct mr_compare_figures expect(const struct mr_score_pair *pairs, int n,
                                        const struct mr_compare_options *options)
{
    static double a[MAX_N], b[MAX_N];
    struct mr_compare_figures r = {0};
    int m = 0;
    for (int i = 0; i < n; i++) {
        const bool has_a = !isnan(pairs[i].a), has_b = !isnan(pairs[i].b);
        r.n_a += has_a;
        r.n_b += has_b;
        r.n_common += has_a && has_b;
        r.sum_a += has_a ? pairs[i].a : 0;
        r.sum_b += has_b ? pairs[i].b : 0;
        if (options->missing_is_zero || (has_a && has_b)) {
            a[m] = has_a ? pairs[i].a : 0;
            b[m] = has_b ? pairs[i].b : 0;
            r.l1 += fabs(a[m] - b[m]);
            r.l_infinity = fmax(r.l_infinity, fabs(a[m] - b[m]));
            r.n_different += a[m] != b[m];
            m++;
        }
    }
    r.n_compared = (uint64_t)m;
    r.top = options->top;
    r.top = r.top < r.n_a ? r.top : r.n_a;
    r.top = r.top < r.n_b ? r.top : r.n_b;
    for (int i = 0; i < n; i++) {
        r.top_common += is_top(pairs, n, i, false, r.top) && is_top(pairs, n, i, true, r.top);
    }
    double balance = 0, untied_a = 0, untied_b = 0, ab = 0, aa = 0, bb = 0;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < i; j++) {
            balance += sign(a[i] - a[j]) * sign(b[i] - b[j]);
            untied_a += a[i] != a[j];
            untied_b += b[i] != b[j];
        }
        const double x = rank_of(a, m, i) - (m + 1) / 2.0, y = rank_of(b, m, i) - (m + 1) / 2.0;
        ab += x * y;
        aa += x * x;
        bb += y * y;
    }
    r.kendall_tau = balance / sqrt(untied_a * untied_b);
    r.spearman_rho = ab / sqrt(aa * bb);
    return r;
}

static void same_number(double x, double y)
{
    assert_true((isnan(x) && isnan(y)) || fabs(x - y) <= 1e-13);
}

static void random_scores_match_the_definitions(void **unused)
{
    (void)unused;
    for (int round = 0; round < 300; round++) {
        struct mr_score_pair pairs[MAX_N];
        const int n = (int)random_below(round < 100 ? 12 : MAX_N);
        const uint32_t values = 1 + random_below(round % 3 == 0 ? 4 : 1000);
        const bool are_alike = random_below(2) == 0, are_whole = random_below(2) == 0;
        for (int i = 0; i < n; i++) {
            const double sign_of = random_below(9) == 0 ? -1 : 1;
            pairs[i].a = sign_of * random_below(values) / 7.0;
            pairs[i].b = are_alike && random_below(4) > 0 ? pairs[i].a : random_below(values) / 7.0;
            const uint32_t lost = are_whole ? 9 : random_below(9);
            if (lost == 0) {
                pairs[i].a = (double)NAN;
            } else if (lost == 1) {
                pairs[i].b = (double)NAN;
            }
        }
        const struct mr_compare_options options = {.struct_size = sizeof options,
                                                   .missing_is_zero = random_below(2) == 0,
                                                   .top = 1 + random_below(30)};
        const struct mr_compare_figures got =
            compare(pairs, (uint64_t)n, &options, 1 + random_below(3));
        const struct mr_compare_figures want = expect(pairs, n, &options);
        assert_int_equal(got.n_a, want.n_a);
        assert_int_equal(got.n_b, want.n_b);
        assert_int_equal(got.n_common, want.n_common);
        assert_int_equal(got.n_compared, want.n_compared);
        assert_int_equal(got.n_different, want.n_different);
        assert_int_equal(got.top, want.top);
        assert_int_equal(got.top_common, want.top_common);
        same_number(got.kendall_tau, want.kendall_tau);
        same_number(got.spearman_rho, want.spearman_rho);
        same_number(got.l1 / 1000, want.l1 / 1000);
        same_number(got.sum_a / 1000, want.sum_a / 1000);
        same_number(got.sum_b / 1000, want.sum_b / 1000);
        same_number(got.l_infinity, want.l_infinity);
    }
}

/* The examples in the documentation of scipy.stats.kendalltau and scipy.stats.spearmanr. */
static void published_values(void **unused)
{
    (void)unused;
    const struct mr_score_pair tau[] = {{12, 1}, {2, 4}, {1, 7}, {12, 1}, {2, 0}};
    const struct mr_score_pair rho[] = {{1, 5}, {2, 6}, {3, 7}, {4, 8}, {5, 7}};
    const struct mr_compare_options options = {.struct_size = sizeof options, .top = 2};
    assert_true(fabs(compare(tau, 5, &options, 1).kendall_tau - -0.47140452079103173) < 1e-15);
    assert_true(fabs(compare(rho, 5, &options, 1).spearman_rho - 0.8207826816681233) < 1e-15);
}

/* The results are exactly 1 and exactly -1, also for large counts. */
static void the_same_ranking_and_its_reverse(void **unused)
{
    (void)unused;
    enum { N = 100003 };
    struct mr_score_pair *pairs = malloc(N * sizeof *pairs);
    const struct mr_compare_options options = {.struct_size = sizeof options, .top = 1000};
    for (uint32_t i = 0; i < N; i++) {
        pairs[i].a = (i * 7919u % N) * 1e-9;
        pairs[i].b = pairs[i].a;
    }
    struct mr_compare_figures result = compare(pairs, N, &options, 2);
    assert_true(result.kendall_tau == 1 && result.spearman_rho == 1);
    assert_true(result.l1 == 0 && result.l_infinity == 0 && result.n_different == 0);
    assert_int_equal(result.top_common, 1000);
    for (uint32_t i = 0; i < N; i++) {
        pairs[i].b = -pairs[i].a;
    }
    result = compare(pairs, N, &options, 3);
    assert_true(result.kendall_tau == -1 && result.spearman_rho == -1);
    assert_int_equal(result.top_common, 0);
    free(pairs);
}

static void nothing_one_page_and_equal_scores_have_no_correlation(void **unused)
{
    (void)unused;
    const struct mr_score_pair pairs[] = {{1, 2}, {1, 3}, {1, 4}};
    const struct mr_compare_options options = {.struct_size = sizeof options};
    for (uint64_t n = 0; n <= 3; n++) {
        const struct mr_compare_figures result = compare(pairs, n, &options, 1);
        assert_true(isnan(result.kendall_tau) && isnan(result.spearman_rho));
        assert_int_equal(result.n_compared, n);
        assert_int_equal(result.top_common, n);
    }
}

static void zero_and_minus_zero_are_one_score(void **unused)
{
    (void)unused;
    const struct mr_score_pair pairs[] = {{0, -0.0}, {-0.0, 0}, {1, 1}};
    const struct mr_compare_options options = {.struct_size = sizeof options, .top = 3};
    const struct mr_compare_figures result = compare(pairs, 3, &options, 1);
    assert_true(result.kendall_tau == 1 && result.spearman_rho == 1);
    assert_int_equal(result.n_different, 0);
}

TEST_MAIN(cmocka_unit_test(random_scores_match_the_definitions), cmocka_unit_test(published_values),
          cmocka_unit_test(the_same_ranking_and_its_reverse),
          cmocka_unit_test(nothing_one_page_and_equal_scores_have_no_correlation),
          cmocka_unit_test(zero_and_minus_zero_are_one_score))
