/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates of HyperBall, and its sums over slices. An estimate is no sum over registers, so where
 * there are several slices, nothing can be estimated before the last; until then a temporary file
 * has, for each distance and band, the vertices whose value fell and by how much. A later slice
 * reads the entries of a band, adds its own, and writes them anew. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/harmonic/internal.h"
#include "engine/base/memory.h"
#include "engine/io/scratch_file.h"

/* The entries of a band and a distance in the file. */
struct record {
    uint64_t offset, n;
};

struct mr_harmonic_tally {
    const struct mr_context *context;
    const struct mr_store_info *info;
    struct mr_scratch_use use;
    struct mr_scratch_file *file;
    uint64_t end; /* of the file; threads reserve what they write */
    struct record *records; /* [n_distances * n_bands] */
    uint64_t n_distances;
};

enum mr_status mr_harmonic_tally_open(const struct mr_context *context,
                                      const struct mr_store_info *info,
                                      struct mr_harmonic_tally **out, struct mr_error *err)
{
    struct mr_harmonic_tally *tally = calloc(1, sizeof *tally);

    *out = tally;
    if (tally == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for sums of slices");
    }
    tally->context = context;
    tally->info = info;
    return mr_scratch_file_open(context, NULL, "harmonic", &tally->use, &tally->file, err);
}

void mr_harmonic_tally_close(struct mr_harmonic_tally *tally)
{
    if (tally != NULL) {
        mr_scratch_file_close(tally->file);
        mr_memory_free(tally->context->memory, tally->records);
        free(tally);
    }
}

enum mr_status mr_harmonic_tally_reserve(struct mr_harmonic_tally *tally, uint64_t distance,
                                         struct mr_error *err)
{
    uint64_t bytes = 0;

    if (distance < tally->n_distances) {
        return MR_OK;
    }
    const uint64_t n_distances =
        distance + 1 > 2 * tally->n_distances ? distance + 8 : 2 * tally->n_distances;
    enum mr_status status =
        mr_memory_size("records of distances", n_distances * sizeof(struct record),
                       (uint64_t)tally->info->n_bands + 1, 0, &bytes, err);
    if (status == MR_OK) {
        status = mr_memory_resize(tally->context->memory, "records of distances", &tally->records,
                                  bytes, err);
    }
    tally->n_distances = status == MR_OK ? n_distances : tally->n_distances;
    return status;
}

static inline uint64_t fall_of(const struct mr_harmonic_fall *fall)
{
    return (uint64_t)fall->high << 32 | fall->low;
}

static inline struct mr_harmonic_fall make_fall(uint32_t vertex, uint64_t fall)
{
    return (struct mr_harmonic_fall){vertex, (uint32_t)fall, (uint32_t)(fall >> 32)};
}

/* Merges two ascending lists. Returns the length of the result. */
static uint64_t merge(const struct mr_harmonic_fall *a, uint64_t n_a,
                      const struct mr_harmonic_fall *b, uint64_t n_b, struct mr_harmonic_fall *out)
{
    uint64_t n = 0, i = 0, j = 0;

    while (i < n_a || j < n_b) {
        if (j == n_b || (i < n_a && a[i].vertex < b[j].vertex)) {
            out[n++] = a[i++];
        } else if (i == n_a || b[j].vertex < a[i].vertex) {
            out[n++] = b[j++];
        } else {
            out[n++] = make_fall(a[i].vertex, fall_of(&a[i]) + fall_of(&b[j]));
            i++;
            j++;
        }
    }
    return n;
}

static enum mr_status append(struct mr_harmonic_tally *tally, struct record *record,
                             const struct mr_harmonic_fall *falls, uint64_t n, struct mr_error *err)
{
    const uint64_t bytes = n * sizeof *falls;

    record->offset = __atomic_fetch_add(&tally->end, bytes, __ATOMIC_RELAXED);
    record->n = n;
    return mr_scratch_file_write(tally->file, falls, bytes, record->offset, err);
}

/* Adds to entries that earlier slices wrote. */
static enum mr_status add_to_record(struct mr_harmonic_tally *tally, struct record *record,
                                    const struct mr_harmonic_fall *falls, uint64_t n,
                                    struct mr_harmonic_fall *before, struct mr_harmonic_fall *after,
                                    struct mr_error *err)
{
    const struct record old = *record;
    enum mr_status status =
        mr_scratch_file_read(tally->file, before, old.n * sizeof *before, old.offset, err);
    if (status == MR_OK) {
        status = append(tally, record, after, merge(before, old.n, falls, n, after), err);
        mr_scratch_file_discard(tally->file, old.offset, old.n * sizeof *before);
    }
    return status;
}

enum mr_status mr_harmonic_tally_add(struct mr_harmonic_tally *tally, uint64_t distance,
                                     uint32_t band, const struct mr_harmonic_fall *falls,
                                     uint64_t n, struct mr_harmonic_fall *before,
                                     struct mr_harmonic_fall *after, struct mr_error *err)
{
    struct record *record = &tally->records[distance * tally->info->n_bands + band];

    if (n == 0) {
        return MR_OK;
    }
    return record->n == 0 ? append(tally, record, falls, n, err)
                          : add_to_record(tally, record, falls, n, before, after, err);
}

/* ---- Estimates ---- */

/* The estimate of HyperLogLog (Flajolet et al. 2007), with linear counting where registers are 0
 * and the estimate is below 5/2 m, as in WebGraph. */
static double estimate(uint64_t value, unsigned log2m)
{
    const double m = (double)(1u << log2m);
    const double alpha = log2m == 4   ? 0.673
                         : log2m == 5 ? 0.697
                         : log2m == 6 ? 0.709
                                      : 0.7213 / (1 + 1.079 / m);
    const uint64_t zeros = value >> MR_HARMONIC_ZEROS_SHIFT;
    const uint64_t sum = value & (((uint64_t)1 << MR_HARMONIC_ZEROS_SHIFT) - 1);
    const double raw = alpha * m * m / ((double)sum * 0x1p-34);

    return raw <= 2.5 * m && zeros > 0 ? m * log(m / (double)zeros) : raw;
}

/* Estimates never fall: where linear counting ends, an estimate may be below the one before. */
double mr_harmonic_take_value(struct mr_harmonic *result, uint64_t vertex, uint64_t value,
                              uint64_t distance)
{
    const double before = result->reach[vertex];
    const double after = estimate(value, (unsigned)result->log2m);

    if (after <= before) {
        return 0;
    }
    result->reach[vertex] = after;
    if (distance > 0) {
        result->harmonic[vertex] += (after - before) / (double)distance;
        result->closeness[vertex] += (after - before) * (double)distance;
    }
    return after - before;
}

void mr_harmonic_finish_sums(struct mr_harmonic *result, const struct mr_sum *pairs)
{
    struct mr_sum all = {0};

    for (uint64_t v = 0; v < result->n_vertices; v++) {
        result->closeness[v] = result->closeness[v] > 0 ? 1 / result->closeness[v] : 0;
    }
    for (uint64_t t = 0; t < result->n_distances; t++) {
        mr_sum_add(&all, mr_sum_value(&pairs[t]));
        result->neighbourhood[t] = mr_sum_value(&all);
    }
}

/* A band at the end: values and estimates of its vertices as the distance grows. */
struct finish {
    struct mr_harmonic_tally *tally;
    struct mr_harmonic *result;
    uint64_t *values; /* [2^band_bits] */
    struct mr_harmonic_fall *falls; /* [2^band_bits] */
    struct mr_sum *pairs; /* [n_distances] */
};

static enum mr_status finish_band(struct finish *finish, uint32_t band, struct mr_error *err)
{
    struct mr_harmonic_tally *tally = finish->tally;
    const uint64_t m = (uint64_t)1 << finish->result->log2m;
    const uint64_t first = (uint64_t)band << tally->info->band_bits;
    const uint64_t n = mr_band_vertices(tally->info, band);
    enum mr_status status = MR_OK;

    for (uint64_t i = 0; i < n; i++) {
        finish->values[i] = (m << MR_HARMONIC_MOST_RANK) + (m << MR_HARMONIC_ZEROS_SHIFT);
    }
    for (uint64_t t = 0; t < finish->result->n_distances && status == MR_OK; t++) {
        const struct record *record = &tally->records[t * tally->info->n_bands + band];
        if (record->n == 0) {
            continue;
        }
        status = mr_scratch_file_read(tally->file, finish->falls, record->n * sizeof *finish->falls,
                                      record->offset, err);
        for (uint64_t i = 0; i < record->n && status == MR_OK; i++) {
            const struct mr_harmonic_fall *fall = &finish->falls[i];
            finish->values[fall->vertex] -= fall_of(fall);
            mr_sum_add(&finish->pairs[t],
                       mr_harmonic_take_value(finish->result, first + fall->vertex,
                                              finish->values[fall->vertex], t));
        }
    }
    return status;
}

void mr_harmonic_result_arrays(struct mr_harmonic *result,
                               struct mr_memory_wanted arrays[MR_HARMONIC_RESULT_ARRAYS])
{
    const uint64_t n = result->n_vertices;
    const struct mr_memory_wanted all[MR_HARMONIC_RESULT_ARRAYS] = {
        MR_WANTED("harmonic centrality", n + 1, &result->harmonic),
        MR_WANTED("closeness", n + 1, &result->closeness),
        MR_WANTED("reach", n + 1, &result->reach),
        MR_WANTED("neighbourhood function", result->n_distances + 1, &result->neighbourhood),
    };
    memcpy(arrays, all, sizeof all);
}

enum { FINISH_ARRAYS = 3 };

static void finish_arrays(struct finish *finish, const struct mr_store_info *info,
                          uint64_t n_distances, struct mr_memory_wanted arrays[FINISH_ARRAYS])
{
    const uint64_t width = (uint64_t)1 << info->band_bits;
    const struct mr_memory_wanted all[FINISH_ARRAYS] = {
        MR_WANTED("values of a band", width, &finish->values),
        MR_WANTED("sums of slices", width, &finish->falls),
        MR_WANTED("pairs by distance", n_distances + 1, &finish->pairs),
    };
    memcpy(arrays, all, sizeof all);
}

uint64_t mr_harmonic_tally_finish_memory(const struct mr_store_info *info)
{
    struct finish finish;
    struct mr_memory_wanted arrays[FINISH_ARRAYS];
    finish_arrays(&finish, info, 0, arrays);
    return mr_memory_of_arrays(arrays, FINISH_ARRAYS);
}

enum mr_status mr_harmonic_tally_finish(struct mr_harmonic_tally *tally, struct mr_harmonic *result,
                                        struct mr_error *err)
{
    struct mr_memory *memory = tally->context->memory;
    struct finish finish = {.tally = tally, .result = result};
    struct mr_memory_wanted arrays[MR_HARMONIC_RESULT_ARRAYS + FINISH_ARRAYS];
    mr_harmonic_result_arrays(result, arrays);
    finish_arrays(&finish, tally->info, result->n_distances, arrays + MR_HARMONIC_RESULT_ARRAYS);
    enum mr_status status = mr_memory_arrays(memory, arrays, err);

    for (uint32_t band = 0; band < tally->info->n_bands && status == MR_OK; band++) {
        status = mr_context_poll(tally->context, err);
        if (status == MR_OK) {
            status = finish_band(&finish, band, err);
        }
    }
    if (status == MR_OK) {
        mr_harmonic_finish_sums(result, finish.pairs);
    }
    result->temporary_bytes = tally->use.peak_bytes;
    mr_memory_free(memory, finish.pairs);
    mr_memory_free(memory, finish.falls);
    mr_memory_free(memory, finish.values);
    return status;
}
