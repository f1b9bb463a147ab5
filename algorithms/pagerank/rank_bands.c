/* SPDX-License-Identifier: Apache-2.0 */
/* What one band of a pass means for the vectors side by side: start, iterate, certify, finish. Its
 * relaxation is in rank_update.c. Functions that take a width are inlined where it is 1, so that
 * loops over one vector vanish. */
#include "algorithms/pagerank/rank_bands.h"

#include <math.h>

#include "algorithms/base/sum.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { MAX_WIDTH = MR_RANK_MAX_WIDTH };

void mr_slots_put(struct mr_slots *slots, unsigned j, const struct mr_teleport_vector *teleport,
                  uint64_t n_vertices)
{
    struct mr_slot *slot = &slots->slots[j];
    struct mr_sum sum = {0};
    *slot = (struct mr_slot){.teleport = teleport, .is_still = teleport == NULL};
    slots->any_still |= teleport == NULL;
    if (teleport == NULL || teleport->weights == NULL) {
        return;
    }
    slot->largest_weight = mr_weights_largest(teleport->weights, teleport->n_weights, n_vertices);
    for (uint64_t i = 0; i < teleport->n_weights; i++) {
        mr_sum_add(&sum, teleport->weights[i].weight / slot->largest_weight);
    }
    slot->inverse_weight = 1 / mr_sum_value(&sum);
}

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

/* ---- Rounds ---- */

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

void mr_slots_iterate(void *data, const struct mr_pass_band *band)
{
    struct mr_slots *slots = data;
    void *fresh = in_vector(slots, slots->next, band);

    mr_slots_round(slots, band, in_vector(slots, slots->x, band), fresh);
    if (slots->next_active != NULL) {
        find_active(slots, band, fresh, slots->next_active);
    }
}

ALWAYS_INLINE void start(struct mr_slots *slots, const struct mr_pass_band *band, unsigned width)
{
    struct mr_slot_walks walks = mr_slot_walks_begin(slots, band);
    void *x = in_vector(slots, slots->x, band);
    double even[MAX_WIDTH], mass[MAX_WIDTH] = {0}, dangling[MAX_WIDTH] = {0};

    for (unsigned j = 0; j < width; j++) {
        const struct mr_teleport_vector *teleport = slots->slots[j].teleport;
        const bool is_even =
            teleport != NULL && (slots->starts_evenly || teleport->weights == NULL);
        even[j] = is_even ? slots->even : 0;
    }
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const uint64_t vertex = band->first_vertex + (uint64_t)i;
        const double divisor = mr_slot_divisor(band, i);
        double t[MAX_WIDTH] = {0};
        if (vertex == walks.next) {
            mr_slot_walks_take(&walks, (uint32_t)vertex, t);
        }
        for (unsigned j = 0; j < width; j++) {
            const double rank = slots->start != NULL ? slots->start[vertex] / slots->start_unit *
                                                           slots->slots[j].scale
                                : even[j] > 0 ? even[j]
                                              : t[j];
            mass[j] += rank;
            dangling[j] += band->out_degree[i] == 0 ? rank : 0;
            store(slots->is_single, x, (uint64_t)i * width + j, rank / divisor);
        }
    }
    for (unsigned j = 0; j < width; j++) {
        slots->sums[(uint64_t)band->band * width + j] =
            (struct mr_rank_sums){.mass = mass[j], .dangling = dangling[j]};
    }
}

void mr_slots_start(void *data, const struct mr_pass_band *band)
{
    struct mr_slots *slots = data;
    if (slots->width == 1) {
        start(slots, band, 1);
    } else {
        start(slots, band, slots->width);
    }
    if (slots->active != NULL) {
        find_active(slots, band, in_vector(slots, slots->x, band), slots->active);
    }
}

/* ---- Certificate ---- */

ALWAYS_INLINE void measure(struct mr_slots *slots, const struct mr_pass_band *band, unsigned width)
{
    const void *x = in_vector(slots, slots->x, band);
    struct mr_sum mass[MAX_WIDTH] = {{0}}, dangling[MAX_WIDTH] = {{0}};

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const double divisor = mr_slot_divisor(band, i);
        for (unsigned j = 0; j < width; j++) {
            const double rank = load(slots->is_single, x, (uint64_t)i * width + j) * divisor;
            mr_sum_add(&mass[j], rank);
            mr_sum_add(&dangling[j], band->out_degree[i] == 0 ? rank : 0);
        }
    }
    for (unsigned j = 0; j < width; j++) {
        slots->sums[(uint64_t)band->band * width + j] = (struct mr_rank_sums){
            .mass = mr_sum_value(&mass[j]), .dangling = mr_sum_value(&dangling[j])};
    }
}

void mr_slots_measure(void *data, const struct mr_pass_band *band)
{
    struct mr_slots *slots = data;
    if (slots->width == 1) {
        measure(slots, band, 1);
    } else {
        measure(slots, band, slots->width);
    }
}

ALWAYS_INLINE void certify(struct mr_slots *slots, const struct mr_pass_band *band, unsigned width)
{
    const void *x = in_vector(slots, slots->x, band);
    const double *acc = band->accumulator;
    struct mr_slot_walks walks = mr_slot_walks_begin(slots, band);
    struct mr_sum mass[MAX_WIDTH] = {{0}}, above[MAX_WIDTH] = {{0}}, below[MAX_WIDTH] = {{0}};
    /* With weights a product more for each link; and the sum of a page's weights was rounded. */
    const double weights = band->out_strength == NULL ? 0 : 1;
    double rounding[MAX_WIDTH] = {0}, shares[MAX_WIDTH] = {0}, start[MAX_WIDTH];

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const double divisor = mr_slot_divisor(band, i);
        const double in_degree = (double)band->in_degree[i];
        const double out_degree = (double)band->out_degree[i];
        mr_slot_walks_start(&walks, band->first_vertex + (uint64_t)i, width, start);
        for (unsigned j = 0; j < width; j++) {
            const uint64_t at = (uint64_t)i * width + j;
            const double linked = slots->damping * acc[at];
            const double share = load(slots->is_single, x, at);
            const double rank = share * divisor;
            shares[j] += share;
            mr_sum_add(&mass[j], rank);
            mr_sum_add(&above[j], fmax(start[j] + linked - rank, 0));
            mr_sum_add(&below[j], fmax(rank - (start[j] + linked), 0));
            rounding[j] += (in_degree + 5) * linked + 6 * start[j] + 3 * rank;
            rounding[j] += weights * linked + weights * slots->damping * out_degree * rank;
        }
    }
    for (unsigned j = 0; j < width; j++) {
        slots->sums[(uint64_t)band->band * width + j] =
            (struct mr_rank_sums){.mass = mr_sum_value(&mass[j]),
                                  .above = mr_sum_value(&above[j]),
                                  .below = mr_sum_value(&below[j]),
                                  .rounding = 0x1p-53 * rounding[j],
                                  .shares = shares[j]};
    }
}

/* The residual of the stored vector and a bound on the rounding of this very computation: `k`
 * ordered additions of nonnegative numbers err by at most (k - 1) u times their sum, as many sums
 * of tiles by u times themselves when they become doubles, each further operation adds u times its
 * result (docs/solver.md, "The certificate"). */
void mr_slots_certify(void *data, const struct mr_pass_band *band)
{
    struct mr_slots *slots = data;
    if (slots->width == 1) {
        certify(slots, band, 1);
    } else {
        certify(slots, band, slots->width);
    }
}

/* ---- Ranks ---- */

/* The rank of value `at` of the band, for the caller of the solver. */
static void give(const struct mr_slots *slots, const struct mr_pass_band *band, uint64_t at,
                 double rank)
{
    const uint64_t first = (uint64_t)band->first_vertex * slots->width;
    if (slots->ranks != NULL) {
        slots->ranks[first + at - slots->first_rank] = rank;
    } else {
        store(slots->is_single, slots->x, first + at, rank);
    }
}

/* In double, to the place of the shares, or to ranks that the caller wants. */
ALWAYS_INLINE void finish_one(const struct mr_pass_band *band, const double *x, double scale,
                              double *ranks)
{
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        ranks[i] = x[i] * mr_slot_divisor(band, i) * scale;
    }
}

void mr_slots_finish(void *data, const struct mr_pass_band *band)
{
    struct mr_slots *slots = data;
    const void *x = in_vector(slots, slots->x, band);
    if (slots->width == 1 && !slots->is_single) {
        double *ranks = slots->ranks == NULL
                            ? in_vector(slots, slots->x, band)
                            : slots->ranks + (band->first_vertex - slots->first_rank);
        finish_one(band, x, slots->slots[0].scale, ranks);
        return;
    }
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const double divisor = mr_slot_divisor(band, i);
        for (unsigned j = 0; j < slots->width; j++) {
            const uint64_t at = (uint64_t)i * slots->width + j;
            give(slots, band, at, load(slots->is_single, x, at) * divisor * slots->slots[j].scale);
        }
    }
}

/* ---- The frontier ---- */

/* Ranks of the frontier solve their equations by construction. What is left is the rounding. */
void mr_slots_certify_frontier(void *data, const struct mr_pass_band *band)
{
    struct mr_slots *slots = data;
    const double *acc = band->accumulator;
    struct mr_slot_walks walks = mr_slot_walks_begin(slots, band);
    const unsigned width = slots->width;
    struct mr_sum mass[MAX_WIDTH] = {{0}};
    double rounding[MAX_WIDTH] = {0}, start[MAX_WIDTH];

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        mr_slot_walks_start(&walks, band->first_vertex + (uint64_t)i, width, start);
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
    const unsigned width = slots->width;
    double start[MAX_WIDTH];

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        mr_slot_walks_start(&walks, band->first_vertex + (uint64_t)i, width, start);
        for (unsigned j = 0; j < width; j++) {
            const uint64_t at = (uint64_t)i * width + j;
            give(slots, band, at, (start[j] + slots->damping * acc[at]) * slots->slots[j].scale);
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
