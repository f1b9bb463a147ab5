/* SPDX-License-Identifier: Apache-2.0 */
/* Opens, decodes and applies corner tiles (corners.h). engine/tile/apply.c calls it. First the
 * entries of a part are scattered into row sums, then one scan over the rows adds them to the
 * accumulator. The loops are in corners_kernels.h and key_kernels.h, one set per instruction set;
 * this file holds everything that they share. */
#include "engine/tile/corners.h"

#include <math.h>
#include <string.h>

#include "engine/tile/key_kernels.h"
#include "engine/tile/tile.h"

const char *mr_corners_open(const struct mr_corners_shape *shape, uint32_t n_links,
                            const uint8_t *data, uint32_t data_bytes, struct mr_corners *corners)
{
    const uint8_t *at = data, *end = data + data_bytes;
    uint32_t first_group, n_groups;

    memset(corners, 0, sizeof *corners);
    if (n_links == 0 || n_links > MR_CORNERS_LINKS_MAX) {
        return "a corner tile's number of links is impossible";
    }
    if ((at = mr_tile_number(at, end, &first_group)) == NULL ||
        (at = mr_tile_number(at, end, &n_groups)) == NULL) {
        return "a corner tile's header is cut off";
    }
    uint64_t n_all_entries = 0;
    for (unsigned i = 0; i < MR_CORNER_STREAMS; i++) {
        if ((at = mr_tile_number(at, end, &corners->n_entries[i])) == NULL) {
            return "a corner tile's header is cut off";
        }
        n_all_entries += corners->n_entries[i];
    }
    if (n_groups == 0 || (uint64_t)first_group + n_groups > (uint64_t)1 << (shape->band_bits - 3)) {
        return "a corner tile's rows are outside its band";
    }
    if (n_groups > n_links || n_all_entries > n_links) {
        return "a corner tile has more rows or entries than links";
    }
    if (n_groups > (uint64_t)(end - at) || n_all_entries > (uint64_t)(end - at) - n_groups) {
        return "a corner tile ends before its entries";
    }
    corners->first_row = 8 * first_group;
    corners->n_rows = 8 * n_groups;
    corners->n_all_entries = (uint32_t)n_all_entries;
    corners->restarts = at;
    corners->streams = at + n_groups;
    corners->end = end;
    return NULL;
}

static const char bad_stream[] = "the entries of a corner tile cannot be decoded";
static const char bad_row[] = "an entry of a corner tile is outside its rows";
static const char bad_sum[] = "the entries of a corner tile do not make up links";

const char *mr_corners_decode(const struct mr_corners_shape *shape,
                              const struct mr_corners *corners,
                              const struct mr_key_kernels *key_kernels, uint32_t *keys)
{
    const uint8_t *at = corners->streams;

    for (unsigned i = 0; i < MR_CORNER_STREAMS; i++) {
        const uint32_t n = corners->n_entries[i];

        at = key_kernels->decode(at, corners->end, 0, keys, n);
        if (at == NULL) {
            return bad_stream;
        }
        if (!key_kernels->corner_unpack(shape, corners, keys, n)) {
            return bad_row;
        }
        keys += n;
    }
    return at == corners->end ? NULL : bad_stream;
}

/* ---- Applying ---- */

enum { FRONT = 8 }; /* words before through[0]; the last of them is through[-1] = 0 */

uint64_t mr_corners_scratch_bytes(const struct mr_corners_shape *shape)
{
    return (((uint64_t)1 << shape->band_bits) + FRONT + ((uint64_t)1 << shape->stripe_bits)) *
           sizeof(uint64_t);
}

void mr_corners_scratch_init(struct mr_corners_scratch *scratch,
                             const struct mr_corners_shape *shape,
                             const struct mr_key_kernels *key_kernels,
                             const struct mr_corners_kernels *kernels, void *memory)
{
    uint64_t *words = memory;

    *scratch = (struct mr_corners_scratch){
        .shape = *shape, .key_kernels = key_kernels, .kernels = kernels, .sums = words};
    scratch->values.through = words + ((uint64_t)1 << shape->band_bits) + FRONT;
}

double mr_corners_scale(double sum, double *quantum)
{
    int exponent = 0;
    double scale = 1;

    if (!isfinite(sum)) {
        *quantum = (double)NAN;
        return scale;
    }
    if (sum != 0) {
        (void)frexp(sum, &exponent);
        scale = ldexp(1, 62 - exponent > 1000 ? 1000 : 62 - exponent);
    }
    *quantum = 1 / scale;
    return scale;
}

void mr_corners_prepare(struct mr_corners_scratch *scratch, enum mr_value value, const void *x)
{
    const struct mr_corners_kernels *kernels = scratch->kernels;
    struct mr_corners_values *values = &scratch->values;
    const size_t n = (size_t)1 << scratch->shape.stripe_bits;
    const bool is_float = value == MR_VALUE_FLOAT;
    bool has_negative = false;

    values->value = value;
    if (value == MR_VALUE_U64) {
        (void)kernels->prefix_u64(x, n, values->through);
        values->total = UINT64_MAX;
        return;
    }
    const double sum = is_float ? kernels->sum_float(x, n, &has_negative)
                                : kernels->sum_double(x, n, &has_negative);
    const double scale = mr_corners_scale(sum, &values->quantum);
    values->total = is_float ? kernels->prefix_float(x, n, has_negative, scale, values->through)
                             : kernels->prefix_double(x, n, has_negative, scale, values->through);
    if (has_negative || !isfinite(sum)) {
        values->total = UINT64_MAX;
    }
}

/* Scan the complete row sums into the accumulator. */
static const char *finish(struct mr_corners_scratch *scratch, const struct mr_corners *corners,
                          void *accumulator)
{
    const struct mr_corners_values *values = &scratch->values;
    const struct mr_corners_kernels *kernels = scratch->kernels;
    const size_t n_groups = corners->n_rows / 8;
    const size_t first = corners->first_row;
    uint64_t *sums = scratch->sums + first;

    if (values->value == MR_VALUE_U64) {
        kernels->scan_u64(corners->restarts, n_groups, sums, (uint64_t *)accumulator + first);
        return NULL;
    }
    return kernels->scan_double(corners->restarts, n_groups, sums, values->total, values->quantum,
                                (double *)accumulator + first)
               ? NULL
               : bad_sum;
}

const char *mr_corners_apply(struct mr_corners_scratch *scratch, const struct mr_corners *corners,
                             void *accumulator)
{
    const uint8_t *at = corners->streams;
    const mr_corner_stream_kernel *stream = scratch->key_kernels->corner_stream;

    for (unsigned i = 0; i < MR_CORNER_STREAMS && at != NULL; i++) {
        at = stream[i](&scratch->shape, corners, at, corners->n_entries[i], scratch->values.through,
                       scratch->sums);
    }
    if (at != corners->end) { /* leave the row sums at zero */
        memset(scratch->sums, 0, sizeof *scratch->sums << scratch->shape.band_bits);
        return bad_stream;
    }
    return finish(scratch, corners, accumulator);
}
