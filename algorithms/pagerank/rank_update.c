/* SPDX-License-Identifier: Apache-2.0 */
/* The relaxation of one band: its vertices' new shares, in pieces that stay in the first cache. The
 * loops over pages are in algorithms/base/relax_loops.h. */
#include "algorithms/base/relax_loops.h"
#include "algorithms/pagerank/rank_bands.h"
#include "engine/base/bytes.h"

_Static_assert((int)MR_RELAX_PIECE <= (int)MR_ACCELERATION_PIECE, "a piece is observed at once");

/* Sets what the vertices of a piece start with. `is_plain`: all of `starts` are those of vertices
 * that nobody teleports to. Returns this for the new ones. */
static bool set_starts(struct mr_rank_walk *walk, uint64_t vertex, size_t n, bool is_plain,
                       double starts[MR_RELAX_PIECE])
{
    for (size_t i = 0; i < MR_RELAX_PIECE && !is_plain; i++) {
        starts[i] = walk->terms->constant;
    }
    is_plain = mr_rank_walk_next(walk) >= vertex + n;
    while (mr_rank_walk_next(walk) < vertex + n) {
        const uint64_t at = mr_rank_walk_next(walk);
        starts[at - vertex] = mr_rank_walk_start(walk, (uint32_t)at);
    }
    return is_plain;
}

static struct mr_relax_piece piece_of(const struct mr_rank_shares *vector,
                                      const struct mr_pass_band *band, uint32_t first)
{
    return (struct mr_relax_piece){
        .n = mr_min_u64(band->n_vertices - first, MR_RELAX_PIECE),
        .out_degree = band->out_degree + first,
        .out_strength = band->out_strength == NULL ? NULL : band->out_strength + first,
        .damping = vector->damping,
        .relaxation = vector->relaxation,
        .is_single = vector->is_single,
    };
}

void mr_vector_terms(void *data, const struct mr_pass_band *band, double *sums, double *gain)
{
    const struct mr_rank_shares *vector = data;
    const struct mr_relax_loops *loops = mr_relax_loops_best();
    struct mr_rank_walk walk = mr_rank_walk_begin(&vector->terms, band->first_vertex);
    double starts[MR_RELAX_PIECE];
    bool is_plain = false;
    for (uint32_t first = 0; first < band->n_vertices;) {
        struct mr_relax_piece piece = piece_of(vector, band, first);
        is_plain =
            set_starts(&walk, (uint64_t)band->first_vertex + first, piece.n, is_plain, starts);
        piece.start = starts;
        piece.sums = sums + first;
        piece.gain = gain == NULL ? NULL : gain + first;
        loops->terms(&piece);
        first += (uint32_t)piece.n;
    }
}

/* Show the acceleration a piece whose steps are made. */
static void observe(const struct mr_rank_shares *vector, const struct mr_pass_band *band,
                    uint32_t first, uint32_t n, struct mr_acceleration_sums *sums)
{
    double degree[MR_RELAX_PIECE];
    for (uint32_t i = 0; i < n; i++) {
        degree[i] = mr_vector_divisor(band, first + i);
    }
    mr_acceleration_observe(vector->acceleration, (uint64_t)band->first_vertex + first, n, degree,
                            sums);
}

/* Old shares to new ones, as steps or to `fresh`; the band's sums. */
static void settle(struct mr_rank_shares *vector, const struct mr_pass_band *band,
                   const double *shares, const void *old, void *fresh)
{
    const struct mr_relax_loops *loops = mr_relax_loops_best();
    const size_t bytes = vector->is_single ? sizeof(float) : sizeof(double);
    const bool accelerates = fresh == NULL && vector->acceleration != NULL;
    struct mr_relax_sums sums = {0};
    struct mr_acceleration_sums products = {0};
    for (uint32_t first = 0; first < band->n_vertices;) {
        struct mr_relax_piece piece = piece_of(vector, band, first);
        piece.shares = shares + first;
        piece.old = (const uint8_t *)old + first * bytes;
        piece.fresh = fresh == NULL ? NULL : (uint8_t *)fresh + first * bytes;
        piece.steps = fresh == NULL ? band->steps + first : NULL;
        piece.totals = &sums;
        loops->settle(&piece);
        if (accelerates) {
            observe(vector, band, first, (uint32_t)piece.n, &products);
        }
        first += (uint32_t)piece.n;
    }
    if (accelerates) {
        mr_acceleration_add_part(vector->acceleration, band->band, &products);
    }
    vector->band_sums[band->band] = (struct mr_rank_sums){.mass = mr_relax_join(sums.mass),
                                                          .dangling = mr_relax_join(sums.dangling),
                                                          .change = mr_relax_join(sums.change)};
}

void mr_vector_relax(void *data, const struct mr_pass_band *band)
{
    settle(data, band, band->relaxed, band->values, NULL);
}

void mr_vector_round(struct mr_rank_shares *vector, const struct mr_pass_band *band,
                     const void *old, void *fresh)
{
    /* The pass has no further use for the sums of a band once they are handed out. */
    double *sums = (double *)(uintptr_t)band->accumulator;
    mr_vector_terms(vector, band, sums, NULL);
    settle(vector, band, sums, old, fresh);
}
