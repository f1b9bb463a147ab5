/* SPDX-License-Identifier: Apache-2.0 */
/* What relaxing passes of one vector and of several side by side have in common. Internal to
 * algorithms. */
#ifndef MR_ALGORITHMS_BASE_RELAXATION_H
#define MR_ALGORITHMS_BASE_RELAXATION_H

#include "engine/base/bytes.h"
#include "engine/base/context.h"
#include "engine/store/store.h"

/* Sweeps over the rows of diagonal tiles: two where half of the links are there, as on web graphs.
 * A third sweep and more of a band whose neighbours stand still save few passes: cnr-2000 takes 31
 * with two, 27 with three. */
static inline unsigned mr_relaxation_sweeps(const struct mr_store_info *info)
{
    return info->n_diagonal_edges >= info->n_core_edges / 2 ? 2 : 1;
}

/* Bands of a wave, which are as many runs of bands (engine/pass/pass.h): a function of the store.
 * Most links between bands of web graphs lead to neighbours. Runs of four bands or more take about
 * as many passes as one run, bands without a run more: web-NotreDame, three bands, takes 24, 25 and
 * 45 passes with 1, 2 and 3 runs. So there are as many runs as give 64 threads work, and two where
 * there are few bands, so that two threads have one each. On expanders, where most links are
 * between bands, a wave of one band saves passes, but between waves threads wait for each other. So
 * the share of a wave grows with the square of the graph: one band of a graph of 2^20 vertices, a
 * quarter of one of 2^21, all from 2^22 on (docs/notes/waves.md). */
static inline uint32_t mr_relaxation_wave(const struct mr_store_info *info)
{
    const uint32_t n_bands = info->n_source_bands;
    if (info->n_diagonal_edges >= info->n_core_edges / 2) {
        const uint32_t n_runs = n_bands / 4 < 64 ? n_bands / 4 : 64;
        return n_bands < 3 ? 1 : n_runs < 2 ? 2 : n_runs;
    }
    const uint64_t n = mr_min_u64(info->n_vertices, (uint64_t)n_bands << info->band_bits);
    const uint64_t most = (uint64_t)1 << 22;
    const uint64_t counted = mr_min_u64(n, most);
    return (uint32_t)mr_max_u64(1, (counted * counted / most) * n_bands / most);
}

/* Without acceleration steps are kept for the bands of one wave alone: 4 MiB of single values. */
static inline uint32_t mr_relaxation_narrow_wave(const struct mr_store_info *info)
{
    const uint32_t wave = mr_relaxation_wave(info);
    return wave < 16 ? wave : 16;
}

/* Plain passes before the acceleration begins anew, when it has done harm `harms` times before:
 * none, then 2, 4 and so on, so that passes converge as plain ones do where it does harm again and
 * again. */
static inline uint64_t mr_relaxation_pause(uint64_t harms)
{
    return harms == 0 ? 0 : (uint64_t)1 << mr_min_u64(harms, 6);
}

/* Depths of the acceleration, best first: a run has the first one that fits into its memory, with
 * links and rows or without (mr_rank_fit_depth). On web graphs depth 2 takes a tenth more passes
 * than depth 5, and links and rows that are not in memory take more than that: a crawl of 2 G links
 * with --memory 6G took 149 s with depth 5 and 116 s with depth 2. Depth 1 saves 3 of 103 passes
 * where there are no rows. */
enum { MR_RELAXATION_DEPTHS = 3 };
static const unsigned mr_relaxation_depths[MR_RELAXATION_DEPTHS] = {5, 2, 0};

/* What rankings of the caller's store may still take, with what an open store and the process hold
 * already. */
uint64_t mr_ranking_available(const struct mr_context *context, const struct mr_store_info *info);

/* Checks, before anything is read, that a ranking fits which needs `needs` bytes of the process.
 * Errors: BUDGET, naming the least --memory that works. */
enum mr_status mr_ranking_require(const struct mr_context *context,
                                  const struct mr_store_info *info, uint64_t needs,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Which one that is. needs[i]: the bytes that a run with mr_relaxation_depths[i] needs on one
 * thread, `second_thread`: those that a second thread adds. A smaller depth leaves room for the
 * second thread. The number of threads does not matter, so that the bits are
 * the same for all. */
unsigned mr_relaxation_fit(const struct mr_context *context, const struct mr_store_info *info,
                           const uint64_t needs[MR_RELAXATION_DEPTHS], uint64_t second_thread);

/* Notes that the depth is not the best one, which needs so many bytes. */
void mr_relaxation_note(const struct mr_context *context, unsigned depth, uint64_t best_needs);

/* How far a relaxation goes, times what the links say. Where all links go both ways, (D - a A) x =
 * c t, x the shares and D the degrees, is symmetric and positive definite, so that going further
 * than Gauss-Seidel, up to twice as far, converges as well (Ostrowski 1954), and a little further
 * faster; other graphs have cycles that it stirs up. */
static inline double mr_relaxation_reach(const struct mr_store_info *info)
{
    return info->undirected ? 1.05 : 1;
}

#endif
