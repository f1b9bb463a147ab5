#include "engine/tile/row_sweeps.h"

#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"

struct mr_row_sweeps {
    struct mr_memory *memory;
    unsigned band_bits, stripe_bits;
    uint32_t width; /* of a band */
    uint32_t n_vertices;
    const uint32_t *keys;
    const uint64_t *ends;
    const float *weights; /* of the keys; NULL: 1 */
    const double *outside; /* sums of the band's other links */
    double threshold;
    /* All [width]. */
    double *base, *gain; /* from begin on with links v -> v solved for */
    double *values;
    uint32_t *row_ends; /* the keys of vertex v end there, and begin where those of v - 1 end */
    uint32_t *self_links; /* of v to itself */
    double *self_weights; /* of these; NULL where links have none */
    double *sums[MR_ROW_PARTS]; /* of the part's own vertices, and changes for others */
};

static uint64_t vector_bytes(const struct mr_store_info *info)
{
    const uint64_t width = (uint64_t)1 << info->band_bits;
    return width * ((3 + MR_ROW_PARTS + (info->is_weighted ? 1 : 0)) * sizeof(double) +
                    2 * sizeof(uint32_t));
}

uint64_t mr_row_sweeps_memory(const struct mr_store_info *info)
{
    return mr_round_up(sizeof(struct mr_row_sweeps) + vector_bytes(info), 4096);
}

enum mr_status mr_row_sweeps_create(struct mr_memory *memory, const struct mr_store_info *info,
                                    struct mr_row_sweeps **out, struct mr_error *err)
{
    const uint64_t width = (uint64_t)1 << info->band_bits;
    void *pointer = NULL;
    enum mr_status status =
        mr_memory_alloc(memory, "row by row relaxation", mr_row_sweeps_memory(info), &pointer, err);
    if (status != MR_OK) {
        return status;
    }
    struct mr_row_sweeps *rows = pointer;
    rows->memory = memory;
    rows->band_bits = info->band_bits;
    rows->stripe_bits = info->stripe_bits;
    rows->width = (uint32_t)width;
    rows->base = (double *)(rows + 1);
    rows->gain = rows->base + width;
    rows->values = rows->gain + width;
    for (unsigned p = 0; p < MR_ROW_PARTS; p++) {
        rows->sums[p] = rows->values + (p + 1) * width;
    }
    double *end = rows->values + (MR_ROW_PARTS + 1) * width;
    if (info->is_weighted) {
        rows->self_weights = end;
        end += width;
    }
    rows->row_ends = (uint32_t *)end;
    rows->self_links = rows->row_ends + width;
    *out = rows;
    return MR_OK;
}

void mr_row_sweeps_destroy(struct mr_row_sweeps *rows)
{
    if (rows != NULL) {
        mr_memory_free(rows->memory, rows);
    }
}

double *mr_row_sweeps_base(struct mr_row_sweeps *rows)
{
    return rows->base;
}

double *mr_row_sweeps_gain(struct mr_row_sweeps *rows)
{
    return rows->gain;
}

double *mr_row_sweeps_values(struct mr_row_sweeps *rows)
{
    return rows->values;
}

void mr_row_sweeps_begin(struct mr_row_sweeps *rows, const uint32_t *keys, const float *weights,
                         const uint64_t *ends, uint32_t n_vertices, const double *sums,
                         double threshold)
{
    rows->keys = keys;
    rows->weights = weights;
    rows->ends = ends;
    rows->n_vertices = n_vertices;
    rows->outside = sums;
    rows->threshold = threshold;
}

void mr_row_sweeps_range(const struct mr_row_sweeps *rows, unsigned part, uint32_t *first,
                         uint32_t *end)
{
    const uint32_t wide = (rows->width + MR_ROW_PARTS - 1) / MR_ROW_PARTS;
    *first = (uint32_t)mr_min_u64((uint64_t)part * wide, rows->n_vertices);
    *end = (uint32_t)mr_min_u64((uint64_t)*first + wide, rows->n_vertices);
}

/* Source of a key in its stripe. band_bits + stripe_bits may be 32 and stripe_bits 0: so in 64 bits. */
static inline uint32_t source_of(const struct mr_row_sweeps *rows, uint32_t key)
{
    return (uint32_t)((uint64_t)key >> rows->band_bits) & ((1u << rows->stripe_bits) - 1);
}

/* Keys of sources before `vertex`. */
static uint64_t keys_before(const struct mr_row_sweeps *rows, uint32_t vertex)
{
    const uint32_t stripe = vertex >> rows->stripe_bits,
                   n_stripes = rows->width >> rows->stripe_bits;
    if (stripe >= n_stripes) {
        return rows->ends[n_stripes - 1];
    }
    const uint32_t source = vertex - (stripe << rows->stripe_bits);
    uint64_t low = stripe == 0 ? 0 : rows->ends[stripe - 1], high = rows->ends[stripe];
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (source_of(rows, rows->keys[middle]) < source) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* One stripe's keys [i, end): where rows end, which have links to themselves, and what the values add. */
static void prepare_stripe(struct mr_row_sweeps *rows, uint32_t stripe, uint64_t i, uint64_t end,
                           double *restrict sums)
{
    const uint32_t first = stripe << rows->stripe_bits, targets = rows->width - 1;
    const uint32_t sources = (1u << rows->stripe_bits) - 1;
    const unsigned bits = rows->band_bits;
    const uint32_t *restrict keys = rows->keys;
    const double *restrict values = rows->values + first;
    uint32_t *restrict row_ends = rows->row_ends + first;
    for (; i < end; i++) {
        const uint32_t source = (uint32_t)((uint64_t)keys[i] >> bits) & sources;
        const uint32_t target = keys[i] & targets;
        sums[target] += values[source];
        row_ends[source] = (uint32_t)i + 1;
        if (first + source == target) {
            rows->self_links[target]++;
        }
    }
}

static void prepare_weighted_stripe(struct mr_row_sweeps *rows, uint32_t stripe, uint64_t i,
                                    uint64_t end, double *restrict sums)
{
    const uint32_t first = stripe << rows->stripe_bits, targets = rows->width - 1;
    for (; i < end; i++) {
        const uint32_t source = first + source_of(rows, rows->keys[i]);
        const uint32_t target = rows->keys[i] & targets;
        const double weight = (double)rows->weights[i];
        sums[target] += weight * rows->values[source];
        rows->row_ends[source] = (uint32_t)i + 1;
        if (source == target) {
            rows->self_links[target]++;
            rows->self_weights[target] += weight;
        }
    }
}

/* What a value of v adds to its own sum, for each 1 of it. */
static inline double self_weight(const struct mr_row_sweeps *rows, uint32_t v)
{
    return rows->weights == NULL ? (double)rows->self_links[v] : rows->self_weights[v];
}

void mr_row_sweeps_prepare(struct mr_row_sweeps *rows, unsigned part)
{
    double *sums = rows->sums[part];
    uint32_t first, end;
    mr_row_sweeps_range(rows, part, &first, &end);
    memset(sums, 0, rows->width * sizeof(double));
    memcpy(sums + first, rows->outside + first, (end - first) * sizeof(double));
    memset(rows->row_ends + first, 0, (end - first) * sizeof *rows->row_ends);
    memset(rows->self_links + first, 0, (end - first) * sizeof *rows->self_links);
    if (rows->weights != NULL) {
        memset(rows->self_weights + first, 0, (end - first) * sizeof *rows->self_weights);
    }
    uint64_t i = keys_before(rows, first);
    const uint64_t last = keys_before(rows, end);
    uint32_t row_end = (uint32_t)i;
    for (uint32_t s = first >> rows->stripe_bits; i < last; s++) {
        const uint64_t stripe_end = mr_min_u64(rows->ends[s], last);
        if (rows->weights == NULL) {
            prepare_stripe(rows, s, i, stripe_end, sums);
        } else {
            prepare_weighted_stripe(rows, s, i, stripe_end, sums);
        }
        i = stripe_end;
    }
    /* x = b + g (s + k x) is x = (b + g s) / (1 - k g), s without the k links to itself. */
    for (uint32_t v = first; v < end; v++) {
        row_end = rows->row_ends[v] > row_end ? rows->row_ends[v] : row_end;
        rows->row_ends[v] = row_end;
        if (rows->self_links[v] > 0) {
            const double scale = 1 / (1 - self_weight(rows, v) * rows->gain[v]);
            rows->base[v] *= scale;
            rows->gain[v] *= scale;
        }
    }
}

uint64_t mr_row_sweeps_sweep(struct mr_row_sweeps *rows, unsigned part)
{
    const uint32_t targets = rows->width - 1;
    const uint32_t *keys = rows->keys;
    const float *weights = rows->weights;
    const double *base = rows->base, *gain = rows->gain, threshold = rows->threshold;
    double *restrict sums = rows->sums[part], *restrict values = rows->values;
    uint64_t n_applied = 0;
    uint32_t first, end;
    mr_row_sweeps_range(rows, part, &first, &end);
    uint32_t row = (uint32_t)keys_before(rows, first);
    for (uint32_t v = first; v < end; v++) {
        const uint32_t begin = row;
        row = rows->row_ends[v];
        if (begin == row) {
            continue; /* nobody in this tile reads it */
        }
        const double old = values[v];
        const double others = sums[v] - self_weight(rows, v) * old;
        double fresh = base[v] + gain[v] * others;
        fresh = fresh > 0 ? fresh : 0; /* differences round, values are never negative */
        const double change = fresh - old;
        if (change > threshold * gain[v] || -change > threshold * gain[v]) {
            values[v] = fresh;
            if (weights == NULL) {
                for (uint32_t i = begin; i < row; i++) {
                    sums[keys[i] & targets] += change;
                }
            } else {
                for (uint32_t i = begin; i < row; i++) {
                    sums[keys[i] & targets] += (double)weights[i] * change;
                }
            }
            n_applied += row - begin;
        }
    }
    return n_applied;
}

void mr_row_sweeps_merge(struct mr_row_sweeps *rows, unsigned part)
{
    double *restrict own = rows->sums[part];
    uint32_t first, end;
    mr_row_sweeps_range(rows, part, &first, &end);
    for (unsigned p = 0; p < MR_ROW_PARTS; p++) {
        double *restrict other = rows->sums[p];
        if (p == part) {
            continue;
        }
        for (uint32_t v = first; v < end; v++) {
            own[v] += other[v];
            other[v] = 0;
        }
    }
}

void mr_row_sweeps_end(struct mr_row_sweeps *rows, unsigned part, double *sums)
{
    uint32_t first, end;
    mr_row_sweeps_range(rows, part, &first, &end);
    memcpy(sums + first, rows->sums[part] + first, (end - first) * sizeof(double));
}
