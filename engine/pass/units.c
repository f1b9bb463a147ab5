/* SPDX-License-Identifier: Apache-2.0 */
/* The units of a band: its off-diagonal segments, the last one with the diagonal tile. Where that
 * is applied once it is cut into segments likewise: the first of them goes with the last
 * off-diagonal one, the others are units of their own. A diagonal with almost half of all links
 * would have one of two threads wait for a quarter of a pass. Where its rows are swept it is all in
 * one hand. */
#include <stdlib.h>

#include "engine/base/format.h"
#include "engine/pass/internal.h"

uint64_t mr_pass_diagonal_end(const struct mr_store *store, uint32_t band, uint64_t first_block)
{
    const struct mr_band_entry *entry = &mr_store_bands(store)[band];
    const struct mr_block_entry *blocks = mr_store_link_blocks(store);
    const uint64_t full = (uint64_t)MR_SEGMENT_EDGES_PER_VERTEX
                          << mr_store_get_info(store)->band_bits;
    uint64_t n_edges = 0, block = first_block;
    while (block < entry->end_block && n_edges < full) {
        n_edges += blocks[block++].n_entries;
    }
    return block;
}

/* Writes them where `ends` is not NULL. Returns how many there are. */
static uint32_t cut_diagonals(struct mr_pass *pass, uint64_t *ends)
{
    uint32_t n_cuts = 0;
    for (uint32_t b = 0; b < pass->info->n_bands; b++) {
        const struct mr_band_entry *band = &pass->bands[b];
        uint64_t end = mr_pass_diagonal_end(pass->store, b, band->first_diagonal);
        pass->first_cut[b] = n_cuts;
        for (; end < band->end_block; end = mr_pass_diagonal_end(pass->store, b, end)) {
            if (ends != NULL) {
                ends[n_cuts] = end;
            }
            n_cuts++;
        }
    }
    pass->first_cut[pass->info->n_bands] = n_cuts;
    return n_cuts;
}

enum mr_status mr_units_create(struct mr_pass *pass, struct mr_error *err)
{
    pass->first_cut = calloc((size_t)pass->info->n_bands + 1, sizeof *pass->first_cut);
    if (pass->first_cut != NULL) {
        pass->cuts = calloc((size_t)cut_diagonals(pass, NULL) + 1, sizeof *pass->cuts);
    }
    if (pass->first_cut == NULL || pass->cuts == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the segments of diagonals");
    }
    (void)cut_diagonals(pass, pass->cuts);
    pass->order.most_units = 1;
    for (uint32_t b = 0; b < pass->info->n_bands; b++) {
        const uint32_t n_units = mr_units_of(pass, b);
        pass->order.most_units =
            n_units > pass->order.most_units ? n_units : pass->order.most_units;
    }
    return MR_OK;
}

void mr_units_destroy(struct mr_pass *pass)
{
    free(pass->first_cut);
    free(pass->cuts);
}

/* Of off-diagonal segments, at least one. */
static uint32_t off_diagonal_units(const struct mr_pass *pass, uint32_t band)
{
    const uint64_t n = pass->bands[band].end_segment - pass->bands[band].first_segment;
    return n == 0 ? 1 : (uint32_t)n;
}

uint32_t mr_units_of(const struct mr_pass *pass, uint32_t band)
{
    if (pass->run != NULL && pass->run->degrees_only) {
        return 1;
    }
    const uint32_t n_cuts =
        mr_pass_sweeps(pass, band) ? 0 : pass->first_cut[band + 1] - pass->first_cut[band];
    return off_diagonal_units(pass, band) + n_cuts;
}

void mr_unit_links(const struct mr_pass *pass, const struct pass_unit *unit, uint64_t *first,
                   uint64_t *end)
{
    const struct mr_band_entry *band = &pass->bands[unit->band];
    const uint64_t *ends = mr_store_segment_ends(pass->store);
    const uint64_t segment = band->first_segment + unit->segment;
    *first = *end = 0;
    if (segment < band->end_segment) {
        *first = unit->segment == 0 ? band->first_block : ends[segment - 1];
        *end = ends[segment];
    }
}

void mr_unit_diagonal(const struct mr_pass *pass, const struct pass_unit *unit, uint64_t *first,
                      uint64_t *end)
{
    const struct mr_band_entry *band = &pass->bands[unit->band];
    const uint32_t n_before = off_diagonal_units(pass, unit->band) - 1; /* without any of it */
    *first = *end = 0;
    if (mr_pass_sweeps(pass, unit->band) && mr_pass_keeps_rows(pass, unit->band)) {
        return; /* in memory, as rows */
    }
    if (unit->segment >= n_before) {
        const uint64_t *cuts = pass->cuts + pass->first_cut[unit->band];
        const uint32_t part = unit->segment - n_before;
        *first = part == 0 ? band->first_diagonal : cuts[part - 1];
        *end = unit->is_last ? band->end_block : cuts[part];
    }
}
