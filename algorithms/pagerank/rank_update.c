/* SPDX-License-Identifier: Apache-2.0 */
/* The relaxation of one band: its vertices' new shares, in pieces that stay in the first cache. The
 * loops over pages are in algorithms/base/relax_loops.h. */
#include <assert.h>
#include <string.h>

#include "algorithms/base/relax_loops.h"
#include "algorithms/pagerank/rank_bands.h"
#include "engine/base/bytes.h"

enum { MAX_WIDTH = MR_RANK_MAX_WIDTH };

_Static_assert((int)MR_RELAX_PIECE <= (int)MR_ACCELERATION_PIECE, "a piece is observed at once");

/* What the vertices of a piece start with. */
struct starts {
    double rows[MR_RELAX_PIECE];
    bool is_set; /* all rows are those of vertices that nobody teleports to */
};

static void set_starts(const struct mr_slots *slots, struct mr_slot_walks *walks, uint64_t vertex,
                       size_t n, struct starts *starts)
{
    const unsigned width = slots->width;
    for (size_t i = 0; i < MR_RELAX_PIECE && !starts->is_set; i++) {
        starts->rows[i] = slots->slots[i % width].constant;
    }
    starts->is_set = walks->next >= vertex + n;
    while (walks->next < vertex + n) {
        const uint64_t at = walks->next;
        mr_slot_walks_start(walks, at, width, starts->rows + (at - vertex) * width);
    }
}

static struct mr_relax_piece piece_of(const struct mr_slots *slots, const struct mr_pass_band *band,
                                      uint32_t first)
{
    assert(slots->width > 0);
    return (struct mr_relax_piece){
        .n = mr_min_u64(band->n_vertices - first, MR_RELAX_PIECE / slots->width),
        .width = slots->width,
        .out_degree = band->out_degree + first,
        .out_strength = band->out_strength == NULL ? NULL : band->out_strength + first,
        .damping = slots->damping,
        .relaxation = slots->relaxation,
        .is_single = slots->is_single,
    };
}

void mr_slots_terms(void *data, const struct mr_pass_band *band, double *sums, double *gain)
{
    const struct mr_slots *slots = data;
    const struct mr_relax_loops *loops = mr_relax_loops_best();
    struct mr_slot_walks walks = mr_slot_walks_begin(slots, band);
    struct starts starts = {.is_set = false};
    for (uint32_t first = 0; first < band->n_vertices;) {
        struct mr_relax_piece piece = piece_of(slots, band, first);
        set_starts(slots, &walks, (uint64_t)band->first_vertex + first, piece.n, &starts);
        piece.start = starts.rows;
        piece.sums = sums + (size_t)first * slots->width;
        piece.gain = gain == NULL ? NULL : gain + first;
        loops->terms(&piece);
        first += (uint32_t)piece.n;
    }
}

/* Show the acceleration a piece whose steps are made. */
static void observe(const struct mr_slots *slots, const struct mr_pass_band *band, uint32_t first,
                    uint32_t n, struct mr_acceleration_sums *sums)
{
    double degree[MR_RELAX_PIECE];
    for (uint32_t i = 0; i < n; i++) {
        degree[i] = mr_slot_divisor(band, first + i);
    }
    mr_acceleration_observe(slots->acceleration, (uint64_t)band->first_vertex + first, n, degree,
                            sums);
}

/* Old shares to new ones, as steps or to `fresh`; the band's sums. */
static void settle(struct mr_slots *slots, const struct mr_pass_band *band, const double *shares,
                   const void *old, void *fresh)
{
    const struct mr_relax_loops *loops = mr_relax_loops_best();
    const size_t bytes = slots->is_single ? sizeof(float) : sizeof(double);
    const unsigned width = slots->width;
    const bool accelerates = fresh == NULL && slots->acceleration != NULL;
    struct mr_relax_sums sums = {0};
    struct mr_acceleration_sums products;
    uint64_t still[MAX_WIDTH];
    for (unsigned j = 0; j < width; j++) {
        still[j] = slots->slots[j].is_still ? UINT64_MAX : 0;
    }
    if (accelerates) {
        memset(&products, 0, sizeof products);
    }
    for (uint32_t first = 0; first < band->n_vertices;) {
        const size_t at = (size_t)first * width;
        struct mr_relax_piece piece = piece_of(slots, band, first);
        piece.shares = shares + at;
        piece.old = (const uint8_t *)old + at * bytes;
        piece.fresh = fresh == NULL ? NULL : (uint8_t *)fresh + at * bytes;
        piece.steps = fresh == NULL ? band->steps + at : NULL;
        piece.still = slots->any_still ? still : NULL;
        piece.totals = &sums;
        loops->settle(&piece);
        if (accelerates) {
            observe(slots, band, first, (uint32_t)piece.n, &products);
        }
        first += (uint32_t)piece.n;
    }
    if (accelerates) {
        mr_acceleration_add_part(slots->acceleration, band->band, &products);
    }
    for (unsigned j = 0; j < width; j++) {
        slots->sums[(uint64_t)band->band * width + j] =
            (struct mr_rank_sums){.mass = mr_relax_join(sums.mass, width, j),
                                  .dangling = mr_relax_join(sums.dangling, width, j),
                                  .change = mr_relax_join(sums.change, width, j)};
    }
}

void mr_slots_relax(void *data, const struct mr_pass_band *band)
{
    struct mr_slots *slots = data;
    settle(slots, band, band->relaxed, band->values, NULL);
}

void mr_slots_round(struct mr_slots *slots, const struct mr_pass_band *band, const void *old,
                    void *fresh)
{
    /* The pass has no further use for the sums of a band once they are handed out. */
    double *sums = (double *)(uintptr_t)band->accumulator;
    mr_slots_terms(slots, band, sums, NULL);
    settle(slots, band, sums, old, fresh);
}
