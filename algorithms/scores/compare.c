/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two rankings: Kendall's tau, Spearman's rho, overlap of the best, distances. Kendall's
 * tau follows Knight (1966): sort by a, then by b; the merge sort by b exchanges exactly the
 * discordant pairs. The two sorts give rho too. While the pairs are in the order of a, ranks
 * replace the numbers of a, because nothing after that needs the numbers. */
#include "algorithms/scores/compare.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "algorithms/base/sum.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/team.h"

enum {
    DEFAULT_TOP = 100,
    DIGIT_BITS = 11,
    DIGITS = 6, /* of 64 bits */
    RADIX = 1 << DIGIT_BITS,
    FIRST_RUN = 32 /* length of the runs that insertion sort makes for the merge sort */
};

__extension__ typedef __int128 wide;

/* A pair as integers with the order of the scores. A rank replaces `a` later. */
struct integer_pair {
    uint64_t a, b;
};

static_assert(sizeof(struct integer_pair) == sizeof(struct mr_score_pair),
              "entries take the pairs' place");

/* -0 and 0 are the same score. */
static inline uint64_t key_of(double score)
{
    const uint64_t sign = (uint64_t)1 << 63;
    uint64_t bits;

    score += 0.0;
    memcpy(&bits, &score, sizeof bits);
    return (bits & sign) != 0 ? ~bits : bits | sign;
}

static inline uint64_t pairs_of(uint64_t n)
{
    return n % 2 == 0 ? n / 2 * (n - (n > 0)) : n * ((n - 1) / 2);
}

/* ---- The K best ---- */

/* The K best of one side: every key above `key`, and the first `n_equal` of those equal to it. */
struct best {
    uint64_t key, n_equal;
};

static double side_of(const struct mr_score_pair *pair, bool is_b)
{
    return is_b ? pair->b : pair->a;
}

/* The k-th largest score (k from 1), found digit by digit, most significant first. */
static struct best find_best(const struct mr_score_pair *pairs, uint64_t n, bool is_b, uint64_t k)
{
    uint64_t prefix = 0, rank = k;

    for (unsigned digit = DIGITS; digit-- > 0;) {
        const unsigned shift = digit * DIGIT_BITS, above = shift + DIGIT_BITS;
        uint64_t counts[RADIX] = {0};
        for (uint64_t i = 0; i < n; i++) {
            const double score = side_of(&pairs[i], is_b);
            const uint64_t key = key_of(score);
            if (!isnan(score) && (above >= 64 || key >> above == prefix)) {
                counts[key >> shift & (RADIX - 1)]++;
            }
        }
        uint64_t value = RADIX - 1;
        for (; counts[value] < rank; value--) {
            rank -= counts[value];
        }
        prefix = prefix << DIGIT_BITS | value;
    }
    return (struct best){.key = prefix, .n_equal = rank};
}

static bool is_best(struct best *best, double score)
{
    const uint64_t key = key_of(score);

    if (isnan(score) || key < best->key) {
        return false;
    }
    if (key > best->key) {
        return true;
    }
    if (best->n_equal == 0) {
        return false;
    }
    best->n_equal--;
    return true;
}

static void count_overlap(const struct mr_score_pair *pairs, uint64_t n,
                          struct mr_compare_figures *figures)
{
    if (figures->top == 0) {
        return;
    }
    struct best a = find_best(pairs, n, false, figures->top);
    struct best b = find_best(pairs, n, true, figures->top);
    for (uint64_t i = 0; i < n; i++) {
        const bool in_a = is_best(&a, pairs[i].a), in_b = is_best(&b, pairs[i].b);
        figures->top_common += in_a && in_b;
    }
}

/* ---- Sides, distances ---- */

static void count_sides(const struct mr_score_pair *pairs, uint64_t n, uint64_t top,
                        struct mr_compare_figures *figures)
{
    struct mr_sum a = {0}, b = {0};

    for (uint64_t i = 0; i < n; i++) {
        const bool has_a = !isnan(pairs[i].a), has_b = !isnan(pairs[i].b);
        figures->n_a += has_a;
        figures->n_b += has_b;
        figures->n_common += has_a && has_b;
        mr_sum_add(&a, has_a ? pairs[i].a : 0);
        mr_sum_add(&b, has_b ? pairs[i].b : 0);
    }
    figures->sum_a = mr_sum_value(&a);
    figures->sum_b = mr_sum_value(&b);
    figures->top = mr_min_u64(top == 0 ? DEFAULT_TOP : top, mr_min_u64(figures->n_a, figures->n_b));
}

/* Drop the missing scores or set them to 0, add up the differences, and turn scores into keys, in
 * place. */
static void take_differences(struct mr_score_pair *pairs, uint64_t n, bool missing_is_zero,
                             struct mr_compare_figures *figures)
{
    struct mr_sum l1 = {0};

    for (uint64_t i = 0; i < n; i++) {
        struct mr_score_pair pair = pairs[i];
        if (missing_is_zero) {
            pair.a = isnan(pair.a) ? 0 : pair.a;
            pair.b = isnan(pair.b) ? 0 : pair.b;
        } else if (isnan(pair.a) || isnan(pair.b)) {
            continue;
        }
        const double difference = fabs(pair.a - pair.b);
        mr_sum_add(&l1, difference);
        figures->l_infinity = fmax(figures->l_infinity, difference);
        figures->n_different += difference > 0;
        const struct integer_pair entry = {key_of(pair.a), key_of(pair.b)};
        memcpy(&pairs[figures->n_compared++], &entry, sizeof entry);
    }
    figures->l1 = mr_sum_value(&l1);
}

/* ---- Sorting ---- */

/* One stable round of a radix sort. Returns false, and does nothing, when all items have the same
 * digit. */
static bool sort_round(const struct integer_pair *from, struct integer_pair *to, uint64_t n,
                       bool by_b, unsigned shift)
{
    uint64_t place[RADIX] = {0}, sum = 0;

    for (uint64_t i = 0; i < n; i++) {
        place[(by_b ? from[i].b : from[i].a) >> shift & (RADIX - 1)]++;
    }
    for (unsigned digit = 0; digit < RADIX; digit++) {
        const uint64_t count = place[digit];
        if (count == n) {
            return false;
        }
        place[digit] = sum;
        sum += count;
    }
    for (uint64_t i = 0; i < n; i++) {
        to[place[(by_b ? from[i].b : from[i].a) >> shift & (RADIX - 1)]++] = from[i];
    }
    return true;
}

static void swap_arrays(struct integer_pair **x, struct integer_pair **y)
{
    struct integer_pair *z = *x;
    *x = *y;
    *y = z;
}

/* Sort by a, and equal a by b. The result is in *entries; the two arrays may have been
 * exchanged. */
static enum mr_status sort_by_a(const struct mr_context *context, struct integer_pair **entries,
                                struct integer_pair **spare, uint64_t n, struct mr_error *err)
{
    for (unsigned round = 0; round < 2 * DIGITS; round++) {
        const enum mr_status status = mr_context_poll(context, err);
        if (status != MR_OK) {
            return status;
        }
        if (sort_round(*entries, *spare, n, round < DIGITS, round % DIGITS * DIGIT_BITS)) {
            swap_arrays(entries, spare);
        }
    }
    return MR_OK;
}

/* Sort a run by b with insertion sort. Returns the number of exchanges. */
static uint64_t sort_run(struct integer_pair *entries, uint64_t n)
{
    uint64_t exchanges = 0;

    for (uint64_t i = 1; i < n; i++) {
        const struct integer_pair moved = entries[i];
        uint64_t at = i;
        for (; at > 0 && entries[at - 1].b > moved.b; at--) {
            entries[at] = entries[at - 1];
        }
        entries[at] = moved;
        exchanges += i - at;
    }
    return exchanges;
}

/* Merge from[first, middle) and from[middle, end), both ascending by b. Returns the number of
 * exchanges. */
static uint64_t merge_runs(const struct integer_pair *from, struct integer_pair *to, uint64_t first,
                           uint64_t middle, uint64_t end)
{
    uint64_t left = first, right = middle, exchanges = 0;

    for (uint64_t out = first; out < end; out++) {
        if (left < middle && (right == end || from[left].b <= from[right].b)) {
            to[out] = from[left++];
        } else {
            exchanges += middle - left;
            to[out] = from[right++];
        }
    }
    return exchanges;
}

/* Sort by b, stably, and count the exchanges of neighbours. */
static enum mr_status sort_by_b(const struct mr_context *context, struct integer_pair **entries,
                                struct integer_pair **spare, uint64_t n, uint64_t *exchanges,
                                struct mr_error *err)
{
    const int64_t n_runs = (int64_t)mr_div_up(n, FIRST_RUN);
    uint64_t sum = 0;

#pragma omp parallel for num_threads(mr_team_threads(context->threads)) reduction(+ : sum)
    for (int64_t i = 0; i < n_runs; i++) {
        const uint64_t first = (uint64_t)i * FIRST_RUN;
        sum += sort_run(*entries + first, mr_min_u64(FIRST_RUN, n - first));
    }
    for (uint64_t width = FIRST_RUN; width < n; width *= 2) {
        const int64_t n_merges = (int64_t)mr_div_up(n, 2 * width);
        const struct integer_pair *from = *entries;
        struct integer_pair *to = *spare;
        const enum mr_status status = mr_context_poll(context, err);
        if (status != MR_OK) {
            return status;
        }
#pragma omp parallel for num_threads(mr_team_threads(context->threads)) reduction(+ : sum)         \
    schedule(dynamic)
        for (int64_t i = 0; i < n_merges; i++) {
            const uint64_t first = (uint64_t)i * 2 * width;
            sum += merge_runs(from, to, first, mr_min_u64(first + width, n),
                              mr_min_u64(first + 2 * width, n));
        }
        swap_arrays(entries, spare);
    }
    *exchanges = sum;
    return MR_OK;
}

/* ---- Correlations ---- */

/* Twice the rank, minus n + 1. This is a whole number for shared ranks too, and its sum over all
 * entries is 0. The group [first, end) shares the mean of the ranks first + 1 to end. */
static int64_t centred_rank(uint64_t first, uint64_t end, uint64_t n)
{
    return (int64_t)(first + end) - (int64_t)n;
}

/* Counts that tau-b and rho are made of. */
struct concordance {
    uint64_t tied_a, tied_b, both; /* pairs of vertices with equal scores */
    wide aa, bb, ab; /* sums of the products of centred ranks: below n^3 < 2^96 */
};

/* In the order of a: count ties, and replace a by its rank. */
static void rank_a(struct integer_pair *entries, uint64_t n, struct concordance *c)
{
    for (uint64_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && entries[end].a == entries[first].a; end++) {
        }
        for (uint64_t same = first, next; same < end; same = next) {
            for (next = same + 1; next < end && entries[next].b == entries[same].b; next++) {
            }
            c->both += pairs_of(next - same);
        }
        const int64_t rank = centred_rank(first, end, n);
        for (uint64_t i = first; i < end; i++) {
            entries[i].a = (uint64_t)rank;
        }
        c->tied_a += pairs_of(end - first);
        c->aa += (wide)rank * rank * (wide)(end - first);
    }
}

/* In the order of b: count ties, and add up the products of ranks. */
static void rank_b(const struct integer_pair *entries, uint64_t n, struct concordance *c)
{
    for (uint64_t first = 0, end; first < n; first = end) {
        wide sum = 0;
        for (end = first; end < n && entries[end].b == entries[first].b; end++) {
            sum += (int64_t)entries[end].a;
        }
        const int64_t rank = centred_rank(first, end, n);
        c->tied_b += pairs_of(end - first);
        c->bb += (wide)rank * rank * (wide)(end - first);
        c->ab += sum * rank;
    }
}

/* x / sqrt(y z), or NaN. Long doubles make exactly 1 for equal rankings. */
static double correlation(long double x, long double y, long double z)
{
    return y > 0 && z > 0 ? (double)(x / (sqrtl(y) * sqrtl(z))) : (double)NAN;
}

static enum mr_status correlate(const struct mr_context *context, struct integer_pair *entries,
                                struct integer_pair *spare, struct mr_compare_figures *figures,
                                struct mr_error *err)
{
    const uint64_t n = figures->n_compared;
    struct concordance c = {0};
    uint64_t exchanges = 0;

    enum mr_status status = sort_by_a(context, &entries, &spare, n, err);
    if (status != MR_OK) {
        return status;
    }
    rank_a(entries, n, &c);
    status = sort_by_b(context, &entries, &spare, n, &exchanges, err);
    if (status != MR_OK) {
        return status;
    }
    rank_b(entries, n, &c);
    /* Concordant pairs minus discordant pairs. Each count is below 2^63. */
    const uint64_t all = pairs_of(n);
    const int64_t excess = (int64_t)(all - c.tied_a - c.tied_b + c.both) - 2 * (int64_t)exchanges;
    figures->kendall_tau = correlation((long double)excess, (long double)(all - c.tied_a),
                                       (long double)(all - c.tied_b));
    figures->spearman_rho = correlation((long double)c.ab, (long double)c.aa, (long double)c.bb);
    return MR_OK;
}

enum mr_status mr_compare(const struct mr_context *context, struct mr_score_pair *pairs, uint64_t n,
                          const struct mr_compare_options *options,
                          struct mr_compare_figures *figures, struct mr_error *err)
{
    assert(options->struct_size == sizeof *options && n >> 32 == 0);
    *figures = (struct mr_compare_figures){.kendall_tau = (double)NAN, .spearman_rho = (double)NAN};
    count_sides(pairs, n, options->top, figures);
    count_overlap(pairs, n, figures);
    take_differences(pairs, n, options->missing_is_zero, figures);
    if (figures->n_compared == 0) {
        return MR_OK;
    }
    void *spare = NULL;
    enum mr_status status =
        mr_memory_alloc(context->memory, "order of the scores",
                        figures->n_compared * sizeof(struct integer_pair), &spare, err);
    if (status == MR_OK) {
        /* take_differences has turned the pairs into entries. */
        status = correlate(context, (struct integer_pair *)(void *)pairs, spare, figures, err);
    }
    mr_memory_free(context->memory, spare);
    return status;
}
