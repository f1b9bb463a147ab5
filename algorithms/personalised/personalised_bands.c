/* SPDX-License-Identifier: Apache-2.0 */
/* What one band of a pass means for several vectors side by side: start, spread, certify, finish.
 * Its relaxation is in personalised_update.c. */
#include "algorithms/personalised/personalised_bands.h"

#include <math.h>

#include "algorithms/personalised/personalised_walks.h"

enum { MAX_WIDTH = MR_PERSONALISED_MAX_WIDTH };

static inline double load(bool is_single, const void *values, uint64_t i)
{
    return is_single ? (double)((const float *)values)[i] : ((const double *)values)[i];
}

static inline void store(bool is_single, void *values, uint64_t i, double value)
{
    if (is_single) {
        ((float *)values)[i] = (float)value;
    } else {
        ((double *)values)[i] = value;
    }
}

static void *in_vector(const struct mr_slots *slots, void *vector, const struct mr_pass_band *band)
{
    const size_t bytes = slots->is_single ? sizeof(float) : sizeof(double);
    return (uint8_t *)vector + (uint64_t)band->first_vertex * slots->width * bytes;
}

/* ---- Spreading ---- */

/* Which of the band's stripes have a value other than 0. */
static void find_active(const struct mr_slots *slots, const struct mr_pass_band *band,
                        const void *values, uint8_t *active)
{
    const size_t bytes = (slots->is_single ? sizeof(float) : sizeof(double)) * slots->width;
    const uint64_t stripe = (uint64_t)1 << slots->stripe_bits;
    for (uint64_t first = 0; first < band->n_vertices; first += stripe) {
        const uint64_t n = band->n_vertices - first < stripe ? band->n_vertices - first : stripe;
        const uint8_t *at = (const uint8_t *)values + first * bytes;
        uint8_t any = 0;
        for (uint64_t i = 0; i < n * bytes && any == 0; i++) {
            any = at[i];
        }
        active[(band->first_vertex + first) >> slots->stripe_bits] = any;
    }
}

void mr_slots_spread(void *data, const struct mr_pass_band *band)
{
    struct mr_slots *slots = data;
    void *fresh = in_vector(slots, slots->next, band);

    mr_slots_round(slots, band, in_vector(slots, slots->x, band), fresh);
    find_active(slots, band, fresh, slots->next_active);
}

void mr_slots_start(void *data, const struct mr_pass_band *band)
{
    struct mr_slots *slots = data;
    struct mr_slot_walks walks = mr_slot_walks_begin(slots, band);
    void *x = in_vector(slots, slots->x, band);
    const unsigned width = slots->width;

    for (unsigned j = 0; j < width; j++) {
        slots->sums[(uint64_t)band->band * width + j] = (struct mr_rank_sums){0};
    }
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        double t[MAX_WIDTH] = {0};
        if (band->first_vertex + (uint64_t)i == walks.next) {
            mr_slot_walks_take(&walks, band->first_vertex + i, t);
        }
        for (unsigned j = 0; j < width; j++) {
            const struct mr_slot *slot = &slots->slots[j];
            struct mr_rank_sums *sums = &slots->sums[(uint64_t)band->band * width + j];
            if (slot->teleport != NULL && slot->teleport->weights == NULL) {
                t[j] = 1.0 / (double)slots->n_vertices;
            }
            sums->mass += t[j];
            sums->dangling += band->out_degree[i] == 0 ? t[j] : 0;
            store(slots->is_single, x, (uint64_t)i * width + j, t[j] / mr_slot_divisor(band, i));
        }
    }
    if (slots->next != NULL) {
        find_active(slots, band, x, slots->active);
    }
}

/* ---- Certificate ---- */

void mr_slots_measure(void *data, const struct mr_pass_band *band)
{
    struct mr_slots *slots = data;
    const void *x = in_vector(slots, slots->x, band);
    const unsigned width = slots->width;
    struct mr_sum mass[MAX_WIDTH] = {{0}}, dangling[MAX_WIDTH] = {{0}};

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const double degree = mr_slot_divisor(band, i);
        for (unsigned j = 0; j < width; j++) {
            const double rank = load(slots->is_single, x, (uint64_t)i * width + j) * degree;
            mr_sum_add(&mass[j], rank);
            mr_sum_add(&dangling[j], band->out_degree[i] == 0 ? rank : 0);
        }
    }
    for (unsigned j = 0; j < width; j++) {
        slots->sums[(uint64_t)band->band * width + j] = (struct mr_rank_sums){
            .mass = mr_sum_value(&mass[j]), .dangling = mr_sum_value(&dangling[j])};
    }
}

/* As mr_rank_certify, where the bound is derived. */
void mr_slots_certify(void *data, const struct mr_pass_band *band)
{
    struct mr_slots *slots = data;
    const void *x = in_vector(slots, slots->x, band);
    const double *acc = band->accumulator;
    struct mr_slot_walks walks = mr_slot_walks_begin(slots, band);
    const unsigned width = slots->width;
    struct mr_sum mass[MAX_WIDTH] = {{0}}, residual[MAX_WIDTH] = {{0}};
    /* With weights a product more for each link; and the sum of a page's weights was rounded. */
    const double weights = band->out_strength == NULL ? 0 : 1;
    double rounding[MAX_WIDTH] = {0}, shares[MAX_WIDTH] = {0};

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const double degree = mr_slot_divisor(band, i);
        const double in_degree = (double)band->in_degree[i];
        const double out_degree = (double)band->out_degree[i];
        double t[MAX_WIDTH] = {0};
        if (band->first_vertex + (uint64_t)i == walks.next) {
            mr_slot_walks_take(&walks, band->first_vertex + i, t);
        }
        for (unsigned j = 0; j < width; j++) {
            const uint64_t at = (uint64_t)i * width + j;
            const double start = slots->slots[j].teleport_scale * t[j] + slots->slots[j].constant;
            const double linked = slots->damping * acc[at];
            const double share = load(slots->is_single, x, at);
            const double rank = share * degree;
            shares[j] += share;
            mr_sum_add(&mass[j], rank);
            mr_sum_add(&residual[j], fabs(start + linked - rank));
            rounding[j] += (in_degree + 5) * linked + 6 * start + 3 * rank;
            rounding[j] += weights * linked + weights * slots->damping * out_degree * rank;
        }
    }
    for (unsigned j = 0; j < width; j++) {
        struct mr_rank_sums *sums = &slots->sums[(uint64_t)band->band * width + j];
        *sums = (struct mr_rank_sums){.mass = mr_sum_value(&mass[j]),
                                      .residual = mr_sum_value(&residual[j]),
                                      .rounding = 0x1p-53 * rounding[j],
                                      .shares = shares[j]};
    }
}

void mr_slots_finish(void *data, const struct mr_pass_band *band)
{
    struct mr_slots *slots = data;
    void *x = in_vector(slots, slots->x, band);
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const double degree = mr_slot_divisor(band, i);
        for (unsigned j = 0; j < slots->width; j++) {
            const uint64_t at = (uint64_t)i * slots->width + j;
            store(slots->is_single, x, at,
                  load(slots->is_single, x, at) * degree * slots->slots[j].scale);
        }
    }
}

/* ---- The frontier ---- */

/* What the ranks of vertex `i` of the band start with, for each slot. */
static void start_of(struct mr_slot_walks *walks, const struct mr_pass_band *band, uint32_t i,
                     double *start)
{
    const struct mr_slots *slots = walks->slots;
    double t[MAX_WIDTH] = {0};

    if (band->first_vertex + (uint64_t)i == walks->next) {
        mr_slot_walks_take(walks, band->first_vertex + i, t);
    }
    for (unsigned j = 0; j < slots->width; j++) {
        start[j] = slots->slots[j].teleport_scale * t[j] + slots->slots[j].constant;
    }
}

/* As mr_rank_certify_frontier: what is left is the rounding. */
void mr_slots_certify_frontier(void *data, const struct mr_pass_band *band)
{
    struct mr_slots *slots = data;
    const double *acc = band->accumulator;
    struct mr_slot_walks walks = mr_slot_walks_begin(slots, band);
    const unsigned width = slots->width;
    struct mr_sum mass[MAX_WIDTH] = {{0}};
    double rounding[MAX_WIDTH] = {0}, start[MAX_WIDTH];

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        start_of(&walks, band, i, start);
        for (unsigned j = 0; j < width; j++) {
            const double linked = slots->damping * acc[(uint64_t)i * width + j];
            const double rank = start[j] + linked;
            mr_sum_add(&mass[j], rank);
            rounding[j] += ((double)band->in_degree[i] + 5) * linked + 6 * start[j] + 3 * rank;
            rounding[j] += slots->has_weights ? linked : 0;
        }
    }
    for (unsigned j = 0; j < width; j++) {
        slots->sums[(uint64_t)band->band * width + j] = (struct mr_rank_sums){
            .mass = mr_sum_value(&mass[j]), .rounding = 0x1p-53 * rounding[j]};
    }
}

void mr_slots_finish_frontier(void *data, const struct mr_pass_band *band)
{
    struct mr_slots *slots = data;
    const double *acc = band->accumulator;
    struct mr_slot_walks walks = mr_slot_walks_begin(slots, band);
    void *x = in_vector(slots, slots->x, band);
    const unsigned width = slots->width;
    double start[MAX_WIDTH];

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        start_of(&walks, band, i, start);
        for (unsigned j = 0; j < width; j++) {
            const uint64_t at = (uint64_t)i * width + j;
            store(slots->is_single, x, at,
                  (start[j] + slots->damping * acc[at]) * slots->slots[j].scale);
        }
    }
}

void mr_slots_add_up(struct mr_slots *slots, uint32_t first, uint32_t end)
{
    const struct mr_rank_sums *sums = slots->sums + (uint64_t)first * slots->width;
    for (unsigned j = 0; j < slots->width; j++) {
        slots->slots[j].sums = mr_rank_add_up(sums + j, end - first, slots->width);
    }
}
