/* What is done to each page of a band: against one page at a time, and one instruction set against another. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/base/rank_loops.h"

enum { N = MR_RANK_PIECE };

struct data {
    double start[N], linked[N], strength[N], old[N], fresh[N];
    float old_single[N], fresh_single[N], difference[N];
    uint32_t degree[N];
    struct mr_rank_lanes sums;
};

static void fill(struct data *data, uint32_t seed)
{
    memset(data, 0, sizeof *data);
    for (unsigned i = 0; i < N; i++) {
        seed = seed * 1664525 + 1013904223;
        data->degree[i] = (seed >> 28) * (seed >> 30); /* many without links */
        data->strength[i] = 0.25 + (double)(seed >> 8) / 0x1p20;
        data->start[i] = 1.0 / (double)((seed >> 12) + 3);
        data->linked[i] = (double)(seed >> 6) / 0x1p26;
        data->old[i] = (double)(seed % 977) / 977;
        data->old_single[i] = (float)data->old[i];
    }
}

static struct mr_rank_piece piece_of(struct data *data, size_t n, bool is_single)
{
    return (struct mr_rank_piece){
        .n = n,
        .damping = 0.85,
        .relaxation = 1,
        .start = data->start,
        .linked = data->linked,
        .out_degree = data->degree,
        .is_single = is_single,
        .old = is_single ? (void *)data->old_single : data->old,
        .fresh = is_single ? (void *)data->fresh_single : data->fresh,
        .difference = data->difference,
        .sums = &data->sums,
    };
}

/* Each page by itself, as rank_loops.h has it. */
static void expect(const struct data *data, const struct mr_rank_piece *piece, size_t i,
                   double *share, double *rank)
{
    const double divisor = data->degree[i] == 0          ? 1
                           : piece->out_strength == NULL ? (double)data->degree[i]
                                                         : data->strength[i];
    const double old = piece->is_single ? (double)data->old_single[i] : data->old[i];
    *rank = data->start[i] + 0.85 * data->linked[i];
    *share = *rank / divisor;
    if (piece->relaxation != 1) {
        *share = fmax(old + piece->relaxation * (*share - old), 0);
        *rank = *share * divisor;
    }
}

static void pages_are_updated(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 7, 8, 9, 63, 100, N - 1, N};
    static const double relaxations[] = {1, 1.05, 1.9};
    static struct data data;

    for (unsigned k = 0; k < sizeof sizes / sizeof sizes[0] * 12; k++) {
        const size_t n = sizes[k / 12];
        fill(&data, k);
        struct mr_rank_piece piece = piece_of(&data, n, k % 2 == 1);
        piece.relaxation = relaxations[k % 3];
        piece.out_strength = k % 4 < 2 ? NULL : data.strength;
        double mass = 0, dangling = 0;
        mr_rank_loops_best()->update(&piece);
        for (size_t i = 0; i < n; i++) {
            double share, rank;
            expect(&data, &piece, i, &share, &rank);
            mass += rank;
            dangling += data.degree[i] == 0 ? rank : 0;
            assert_true(share >= 0);
            if (piece.is_single) {
                assert_true(data.fresh_single[i] == (float)share);
                assert_true(data.difference[i] == (float)(share - (double)data.old_single[i]));
            } else {
                assert_true(data.fresh[i] == share);
                assert_true(data.difference[i] == (float)(share - data.old[i]));
            }
        }
        for (unsigned lane = 0; lane < MR_RANK_LANES; lane++) {
            mass -= data.sums.mass[lane];
            dangling -= data.sums.dangling[lane];
        }
        assert_true(fabs(mass) < 1e-9 && fabs(dangling) < 1e-9);
        for (size_t i = n; i < N; i++) { /* nothing behind the piece is touched */
            assert_true(data.fresh[i] == 0 && data.fresh_single[i] == 0 && data.difference[i] == 0);
        }
    }
}

static void instruction_sets_agree(void **state)
{
    (void)state;
#if defined(__x86_64__)
    static struct data ours, others;
    if (!__builtin_cpu_supports("avx2")) {
        skip();
    }
    for (unsigned k = 0; k < 200; k++) {
        const size_t n = k < 20 ? k + 1 : N - k % 24;
        fill(&ours, k);
        fill(&others, k);
        struct mr_rank_piece mine = piece_of(&ours, n, k % 2 == 0);
        struct mr_rank_piece other = piece_of(&others, n, k % 2 == 0);
        mine.relaxation = other.relaxation = k % 3 == 0 ? 1 : 1.05;
        mr_rank_loops_portable.update(&mine);
        mr_rank_loops_avx2.update(&other);
        assert_memory_equal(&ours, &others, sizeof ours);
    }
#else
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_updated),
        cmocka_unit_test(instruction_sets_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
