#include "algorithms/personalised_bands.h"

#include <math.h>
#include <string.h>

#include "algorithms/weight_walk.h"

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

/* What a vertex's score is divided by: its links, or their weights together. */
static inline double degree_or_1(const struct mr_pass_band *band, uint32_t i)
{
    if (band->out_degree[i] == 0) {
        return 1.0;
    }
    return band->out_strength == NULL ? (double)band->out_degree[i] : band->out_strength[i];
}

/* ---- Sparse teleports beside the vertices of a band ---- */

struct walks {
    const struct mr_slots *slots;
    struct mr_weight_walk walk[MAX_WIDTH];
    uint64_t next; /* the next vertex that some slot teleports to; UINT64_MAX: none */
};

static void find_next(struct walks *walks)
{
    walks->next = UINT64_MAX;
    for (unsigned j = 0; j < walks->slots->width; j++) {
        const struct mr_weight_walk *walk = &walks->walk[j];
        if (walk->next != walk->end && walk->next->vertex < walks->next) {
            walks->next = walk->next->vertex;
        }
    }
}

static struct walks begin_walks(const struct mr_slots *slots, const struct mr_pass_band *band)
{
    struct walks walks = {.slots = slots};
    for (unsigned j = 0; j < slots->width; j++) {
        const struct mr_teleport *teleport = slots->slots[j].teleport;
        if (teleport != NULL && teleport->weights != NULL) {
            walks.walk[j] =
                mr_weight_walk(teleport->weights, teleport->n_weights, band->first_vertex);
        }
    }
    find_next(&walks);
    return walks;
}

/* t of `vertex` for every slot that teleports sparsely, 0 for the others; on to the next vertex. */
static void take_next(struct walks *walks, uint32_t vertex, double *t)
{
    for (unsigned j = 0; j < walks->slots->width; j++) {
        const struct mr_slot *slot = &walks->slots->slots[j];
        const struct mr_vertex_weight *w = mr_weight_walk_at(&walks->walk[j], vertex);
        t[j] = w != NULL ? w->weight / slot->largest_weight * slot->inverse_weight : 0;
    }
    find_next(walks);
}

/* ---- Relaxing and spreading ---- */

struct row_sums {
    double mass[MAX_WIDTH], dangling[MAX_WIDTH], change[MAX_WIDTH];
};

/* The constants of a band's loop, out of the slots. */
struct terms {
    double damping, constant[MAX_WIDTH], scale[MAX_WIDTH];
};

/* New shares of all vertices of a band; `width` and `is_single` are constants where this is inlined. The order of a
 * slot's additions is that of one vector alone. */
static inline __attribute__((always_inline)) void update(struct mr_slots *slots,
                                                         const struct mr_pass_band *band,
                                                         const void *old, void *fresh, bool is_last,
                                                         unsigned width, bool is_single)
{
    const double *acc = band->accumulator;
    struct walks walks = begin_walks(slots, band);
    struct terms terms = {.damping = slots->damping};
    struct row_sums sums = {0};
    float *difference[MAX_WIDTH];

    for (unsigned j = 0; j < width; j++) {
        const struct mr_slot *slot = &slots->slots[j];
        terms.constant[j] = slot->constant;
        terms.scale[j] = slot->teleport_scale;
        difference[j] = slot->acceleration != NULL && !slot->is_still && slots->next == NULL
                            ? mr_acceleration_difference(slot->acceleration) + band->first_vertex
                            : NULL;
    }
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const double degree = degree_or_1(band, i);
        const uint64_t at = (uint64_t)i * width;
        double rank[MAX_WIDTH], share[MAX_WIDTH];
        for (unsigned j = 0; j < width; j++) {
            rank[j] = terms.constant[j] + terms.damping * acc[at + j];
        }
        if (band->first_vertex + (uint64_t)i == walks.next) {
            double t[MAX_WIDTH];
            take_next(&walks, band->first_vertex + i, t);
            for (unsigned j = 0; j < width; j++) {
                rank[j] = (terms.scale[j] * t[j] + terms.constant[j]) + terms.damping * acc[at + j];
            }
        }
        for (unsigned j = 0; j < width; j++) {
            share[j] = rank[j] / degree;
        }
        if (is_last) {
            const double dangling = band->out_degree[i] == 0 ? 1 : 0;
            for (unsigned j = 0; j < width; j++) {
                sums.mass[j] += rank[j];
                sums.dangling[j] += dangling * rank[j];
                sums.change[j] += fabs(rank[j] - load(is_single, old, at + j) * degree);
            }
            for (unsigned j = 0; j < width; j++) {
                if (difference[j] != NULL) {
                    difference[j][i] = (float)(share[j] - load(is_single, old, at + j));
                }
            }
        }
        if (slots->any_still) {
            for (unsigned j = 0; j < width; j++) {
                share[j] = slots->slots[j].is_still ? load(is_single, old, at + j) : share[j];
            }
        }
        for (unsigned j = 0; j < width; j++) {
            store(is_single, fresh, at + j, share[j]);
        }
    }
    if (!is_last) {
        return;
    }
    for (unsigned j = 0; j < width; j++) {
        slots->sums[(uint64_t)band->band * width + j] = (struct mr_rank_sums){
            .mass = sums.mass[j], .dangling = sums.dangling[j], .change = sums.change[j]};
        if (difference[j] != NULL) {
            mr_acceleration_observe(slots->slots[j].acceleration, band->band, band->first_vertex,
                                    band->n_vertices, band->out_degree);
        }
    }
}

/* One copy of the loop for each width and precision. */
static void update_any(struct mr_slots *slots, const struct mr_pass_band *band, const void *old,
                       void *fresh, bool is_last)
{
    const unsigned kind = slots->width * 2 + (slots->is_single ? 1 : 0);
    switch (kind) {
    case 2:
        update(slots, band, old, fresh, is_last, 1, false);
        return;
    case 3:
        update(slots, band, old, fresh, is_last, 1, true);
        return;
    case 4:
        update(slots, band, old, fresh, is_last, 2, false);
        return;
    case 5:
        update(slots, band, old, fresh, is_last, 2, true);
        return;
    case 8:
        update(slots, band, old, fresh, is_last, 4, false);
        return;
    case 9:
        update(slots, band, old, fresh, is_last, 4, true);
        return;
    case 16:
        update(slots, band, old, fresh, is_last, 8, false);
        return;
    case 17:
        update(slots, band, old, fresh, is_last, 8, true);
        return;
    case 32:
        update(slots, band, old, fresh, is_last, 16, false);
        return;
    default:
        update(slots, band, old, fresh, is_last, 16, true);
        return;
    }
}

void mr_slots_relax(void *data, const struct mr_pass_band *band)
{
    update_any(data, band, band->old_values, band->new_values, band->is_last_sweep);
}

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

    update_any(slots, band, in_vector(slots, slots->x, band), fresh, true);
    find_active(slots, band, fresh, slots->next_active);
}

void mr_slots_start(void *data, const struct mr_pass_band *band)
{
    struct mr_slots *slots = data;
    struct walks walks = begin_walks(slots, band);
    void *x = in_vector(slots, slots->x, band);
    const unsigned width = slots->width;

    for (unsigned j = 0; j < width; j++) {
        slots->sums[(uint64_t)band->band * width + j] = (struct mr_rank_sums){0};
    }
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        double t[MAX_WIDTH] = {0};
        if (band->first_vertex + (uint64_t)i == walks.next) {
            take_next(&walks, band->first_vertex + i, t);
        }
        for (unsigned j = 0; j < width; j++) {
            const struct mr_slot *slot = &slots->slots[j];
            struct mr_rank_sums *sums = &slots->sums[(uint64_t)band->band * width + j];
            if (slot->teleport != NULL && slot->teleport->weights == NULL) {
                t[j] = 1.0 / (double)slots->n_vertices;
            }
            sums->mass += t[j];
            sums->dangling += band->out_degree[i] == 0 ? t[j] : 0;
            store(slots->is_single, x, (uint64_t)i * width + j, t[j] / degree_or_1(band, i));
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
        const double degree = degree_or_1(band, i);
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
    struct walks walks = begin_walks(slots, band);
    const unsigned width = slots->width;
    struct mr_sum mass[MAX_WIDTH] = {{0}}, residual[MAX_WIDTH] = {{0}};
    /* With weights a product more for each link; and the sum of a page's weights was rounded. */
    const double weights = band->out_strength == NULL ? 0 : 1;
    double rounding[MAX_WIDTH] = {0}, shares[MAX_WIDTH] = {0};

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const double degree = degree_or_1(band, i);
        const double in_degree = (double)band->in_degree[i];
        const double out_degree = (double)band->out_degree[i];
        double t[MAX_WIDTH] = {0};
        if (band->first_vertex + (uint64_t)i == walks.next) {
            take_next(&walks, band->first_vertex + i, t);
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
        const double degree = degree_or_1(band, i);
        for (unsigned j = 0; j < slots->width; j++) {
            const uint64_t at = (uint64_t)i * slots->width + j;
            store(slots->is_single, x, at,
                  load(slots->is_single, x, at) * degree * slots->slots[j].scale);
        }
    }
}

void mr_slots_add_up(struct mr_slots *slots, uint32_t n_bands)
{
    for (unsigned j = 0; j < slots->width; j++) {
        slots->slots[j].sums = mr_rank_add_up(slots->sums + j, n_bands, slots->width);
    }
}
