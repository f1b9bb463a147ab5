/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "algorithms/base/relaxation.h"
#include "algorithms/base/sum.h"
#include "algorithms/spectral/internal.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"

static const struct mr_pass_options pass_options = {.decode_pinned = true};

/* The arrays of an iteration: what is allocated, and what is planned. */
enum { N_ARRAYS = 3 };
static void list_arrays(const struct mr_store_info *info, struct mr_iteration *iteration,
                        struct mr_memory_wanted arrays[N_ARRAYS])
{
    const uint64_t length = mr_pass_vector_length(info);
    const struct mr_memory_wanted all[N_ARRAYS] = {
        MR_WANTED("scores", length, &iteration->x),
        MR_WANTED("next scores", length, &iteration->next),
        MR_WANTED("sums of bands", info->n_bands, &iteration->sums),
    };

    for (int i = 0; i < N_ARRAYS; i++) {
        arrays[i] = all[i];
    }
}

uint64_t mr_spectral_least_memory(const struct mr_store_info *info)
{
    struct mr_memory_wanted arrays[N_ARRAYS];
    struct mr_iteration nothing;

    list_arrays(info, &nothing, arrays);
    return MR_MEMORY_RESERVE_BYTES + info->index_bytes + mr_memory_of_arrays(arrays, N_ARRAYS) +
           mr_pass_minimum_memory(info, &pass_options);
}

uint64_t mr_spectral_memory(struct mr_store *store)
{
    return mr_spectral_least_memory(mr_store_get_info(store)) + mr_pass_pinned_memory(store, false);
}

enum mr_status mr_iteration_open(const struct mr_context *context, struct mr_store *store,
                                 struct mr_iteration *iteration, struct mr_error *err)
{
    struct mr_memory_wanted arrays[N_ARRAYS];

    *iteration = (struct mr_iteration){.context = context, .info = mr_store_get_info(store)};
    enum mr_status status = mr_ranking_require(context, iteration->info,
                                               mr_spectral_least_memory(iteration->info), err);
    if (status == MR_OK) {
        list_arrays(iteration->info, iteration, arrays);
        status = mr_memory_arrays(context->memory, arrays, err);
    }
    return status == MR_OK ? mr_pass_open(context, store, &pass_options, &iteration->pass, err)
                           : status;
}

void mr_iteration_close(struct mr_iteration *iteration)
{
    struct mr_memory *memory = iteration->context->memory;

    mr_pass_close(iteration->pass);
    mr_memory_free(memory, iteration->sums);
    mr_memory_free(memory, iteration->next);
    mr_memory_free(memory, iteration->x);
}

static struct mr_iterate_sums add_up(const struct mr_iteration *iteration)
{
    struct mr_sum before = {0}, after = {0}, change = {0}, rounding = {0};
    double largest_change = 0, largest_rounding = 0, relative = 0;

    for (uint64_t b = 0; b < iteration->info->n_bands; b++) {
        const struct mr_iterate_sums *band = &iteration->sums[b];
        mr_sum_add(&before, band->before);
        mr_sum_add(&after, band->after);
        mr_sum_add(&change, band->change);
        mr_sum_add(&rounding, band->rounding);
        largest_change = fmax(largest_change, band->largest_change);
        largest_rounding = fmax(largest_rounding, band->largest_rounding);
        relative = fmax(relative, band->relative_rounding);
    }
    return (struct mr_iterate_sums){.before = mr_sum_value(&before),
                                    .after = mr_sum_value(&after),
                                    .change = mr_sum_value(&change),
                                    .largest_change = largest_change,
                                    .rounding = mr_sum_value(&rounding),
                                    .largest_rounding = largest_rounding,
                                    .relative_rounding = relative};
}

double mr_iteration_largest_band(const struct mr_iteration *iteration)
{
    double largest = 0;

    for (uint64_t b = 0; b < iteration->info->n_bands; b++) {
        largest = fmax(largest, iteration->sums[b].after);
    }
    return largest;
}

enum mr_status mr_iteration_run(struct mr_iteration *iteration, bool in_degrees,
                                mr_pass_callback fill, void *data, struct mr_iterate_sums *sums,
                                struct mr_error *err)
{
    const struct mr_pass_task task = {.value = MR_VALUE_DOUBLE,
                                      .x = iteration->x,
                                      .in_degrees = in_degrees,
                                      .callback = fill,
                                      .callback_data = data};
    const enum mr_status status = mr_pass_run(iteration->pass, &task, err);

    if (status == MR_OK) {
        double *const old = iteration->x;
        iteration->x = iteration->next;
        iteration->next = old;
        *sums = add_up(iteration);
    }
    return status;
}

/* ---- Degrees ---- */

/* `before` and `after` of a band get its largest sums of rows and of columns. Weights of classes
 * have no sums of columns. */
static void find_largest(void *data, const struct mr_pass_band *band)
{
    struct mr_iteration *iteration = data;
    struct mr_iterate_sums *sums = &iteration->sums[band->band];
    const bool weighs = band->out_strength != NULL;

    sums->before = sums->after = 0;
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const double in = !weighs                     ? band->in_degree[i]
                          : band->in_strength != NULL ? band->in_strength[i]
                                                      : (double)INFINITY;
        sums->before = fmax(sums->before, weighs ? band->out_strength[i] : band->out_degree[i]);
        sums->after = fmax(sums->after, in);
    }
}

enum mr_status mr_iteration_largest_row(struct mr_iteration *iteration, double *largest,
                                        struct mr_error *err)
{
    const struct mr_pass_task task = {.value = MR_VALUE_DOUBLE,
                                      .x = iteration->x,
                                      .out_degrees = true,
                                      .in_degrees = true,
                                      .degrees_only = true,
                                      .callback = find_largest,
                                      .callback_data = iteration};
    const enum mr_status status = mr_pass_run(iteration->pass, &task, err);
    double row = 0, column = 0;

    for (uint64_t b = 0; b < iteration->info->n_bands && status == MR_OK; b++) {
        row = fmax(row, iteration->sums[b].before);
        column = fmax(column, iteration->sums[b].after);
    }
    *largest = fmin(row, column);
    return status;
}

/* ---- The result ---- */

enum mr_status mr_iteration_copy_scores(struct mr_iteration *iteration, double factor,
                                        double **scores, struct mr_error *err)
{
    const uint64_t n = iteration->info->n_vertices;
    double *values = iteration->x;

    for (uint64_t v = 0; v < n; v++) {
        values[v] = values[v] * factor;
    }
    const enum mr_status status = mr_memory_resize(iteration->context->memory, "scores",
                                                   &iteration->x, (n + 1) * sizeof *values, err);
    if (status == MR_OK) {
        *scores = iteration->x;
        iteration->x = NULL;
    }
    return status;
}
