/* SPDX-License-Identifier: Apache-2.0 */
/* What is done to each page of a band: against one page at a time, and one instruction set against
 * another. */
#include <math.h>
#include <string.h>

#include "algorithms/base/relax_loops.h"

#include "tests/support/test.h"

enum { N = MR_RELAX_PIECE };

struct data {
    double start[N], linked[N], sums[N], gain[N], strength[N], shares[N], old[N], fresh[N];
    float old_single[N], fresh_single[N], steps[N];
    uint32_t degree[N];
    struct mr_relax_sums totals;
};

static void fill(struct data *data, uint32_t seed)
{
    memset(data, 0, sizeof *data);
    for (unsigned i = 0; i < N; i++) {
        seed = seed * 1664525 + 1013904223;
        data->degree[i] = (seed >> 28) * (seed >> 30); /* many without links */
        data->strength[i] = 0.25 + (double)(seed >> 8) / 0x1p20;
        data->start[i] = 1.0 / (double)((seed >> 12) + 3);
        data->linked[i] = data->sums[i] = (double)(seed >> 6) / 0x1p26;
        data->shares[i] = (double)(seed % 1009) / 1009;
        data->old[i] = (double)(seed % 977) / 977;
        data->old_single[i] = (float)data->old[i];
    }
}

static struct mr_relax_piece piece_of(struct data *data, size_t n, bool is_single)
{
    return (struct mr_relax_piece){
        .n = n,
        .out_degree = data->degree,
        .damping = 0.85,
        .start = data->start,
        .sums = data->sums,
        .gain = data->gain,
        .shares = data->shares,
        .relaxation = 1,
        .is_single = is_single,
        .old = is_single ? (void *)data->old_single : data->old,
        .steps = data->steps,
        .totals = &data->totals,
    };
}

static double divisor_of(const struct data *data, const struct mr_relax_piece *piece, size_t page)
{
    return data->degree[page] == 0       ? 1
           : piece->out_strength == NULL ? (double)data->degree[page]
                                         : data->strength[page];
}

static void sums_become_shares(void **state)
{
    (void)state;
    static struct data data;
    for (unsigned k = 0; k < 60; k++) {
        const size_t n = k % 3 == 0 ? N : N - k % 7;
        fill(&data, k);
        struct mr_relax_piece piece = piece_of(&data, n, false);
        piece.out_strength = k % 4 < 2 ? NULL : data.strength;
        mr_relax_loops_best()->terms(&piece);
        for (size_t i = 0; i < N; i++) {
            const double divisor = divisor_of(&data, &piece, i);
            const double share = (data.start[i] + 0.85 * data.linked[i]) / divisor;
            assert_true(data.sums[i] == (i < n ? share : data.linked[i]));
            assert_true(data.gain[i] == (i < n ? 0.85 / divisor_of(&data, &piece, i) : 0));
        }
    }
}

/* One value as relax_loops.h has it. */
static double settled(const struct data *data, const struct mr_relax_piece *piece, size_t i)
{
    const double old = piece->is_single ? (double)data->old_single[i] : data->old[i];
    double share = data->shares[i];
    if (piece->relaxation != 1) {
        share = fmax(old + piece->relaxation * (share - old), 0);
    }
    return share;
}

static void old_shares_become_new_ones(void **state)
{
    (void)state;
    static const double relaxations[] = {1, 1.05, 1.9};
    static struct data data;
    for (unsigned k = 0; k < 240; k++) {
        const size_t n = k % 3 == 0 ? N : N - k % 7;
        const bool has_steps = k % 4 < 2;
        double mass = 0, dangling = 0, change = 0;
        fill(&data, k);
        struct mr_relax_piece piece = piece_of(&data, n, k % 2 == 1);
        piece.relaxation = relaxations[k % 3];
        piece.out_strength = k % 8 < 4 ? NULL : data.strength;
        piece.fresh = has_steps ? NULL : piece.is_single ? (void *)data.fresh_single : data.fresh;
        mr_relax_loops_best()->settle(&piece);
        for (size_t i = 0; i < n; i++) {
            const double old = piece.is_single ? (double)data.old_single[i] : data.old[i];
            const double share = settled(&data, &piece, i);
            const double divisor = divisor_of(&data, &piece, i);
            mass += share * divisor;
            dangling += data.degree[i] == 0 ? share : 0;
            change += fabs(share - old) * divisor;
            assert_true(share >= 0);
            assert_true(data.steps[i] == (has_steps ? (float)(share - old) : 0));
            assert_true(data.fresh[i] == (piece.fresh == data.fresh ? share : 0));
            assert_true(data.fresh_single[i] ==
                        (piece.fresh == data.fresh_single ? (float)share : 0));
        }
        for (size_t i = n; i < N; i++) { /* nothing behind the piece is touched */
            assert_true(data.fresh[i] == 0 && data.fresh_single[i] == 0 && data.steps[i] == 0);
        }
        mass -= mr_relax_join(data.totals.mass);
        dangling -= mr_relax_join(data.totals.dangling);
        change -= mr_relax_join(data.totals.change);
        assert_true(fabs(mass) < 1e-6 && fabs(dangling) < 1e-9 && fabs(change) < 1e-6);
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
    for (unsigned k = 0; k < 300; k++) {
        const size_t n = k < 20 ? k + 1 : N - k % 24;
        fill(&ours, k);
        fill(&others, k);
        struct mr_relax_piece mine = piece_of(&ours, n, k % 2 == 0);
        struct mr_relax_piece other = piece_of(&others, n, k % 2 == 0);
        mine.relaxation = other.relaxation = k % 3 == 0 ? 1 : 1.05;
        mr_relax_loops_portable.terms(&mine);
        mr_relax_loops_portable.settle(&mine);
        mr_relax_loops_avx2.terms(&other);
        mr_relax_loops_avx2.settle(&other);
        assert_memory_equal(&ours, &others, sizeof ours);
    }
#else
    skip();
#endif
}

TEST_MAIN(cmocka_unit_test(sums_become_shares), cmocka_unit_test(old_shares_become_new_ones),
          cmocka_unit_test(instruction_sets_agree))
