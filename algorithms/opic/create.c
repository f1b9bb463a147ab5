/* SPDX-License-Identifier: Apache-2.0 */
/* Creates and destroys an OPIC system: checks options, allocates the arrays, opens the passes, and
 * makes the first payment. Everything that can be refused is refused here, before the first
 * sweep. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/base/relaxation.h"
#include "algorithms/opic/internal.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/scan/edges.h"

static enum mr_status check_options(const struct mr_opic *opic, struct mr_error *err)
{
    const struct mr_opic_options *o = &opic->options;
    const uint64_t n = opic->info->n_vertices;
    if (!(o->tax >= 0 && o->tax <= 1)) {
        return mr_error_set(err, MR_ERROR_USAGE, "tax %g must be at least 0 and at most 1", o->tax);
    }
    if (o->tax_one_link && (o->drain || o->internal != NULL)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "a tax of one link goes neither with draining nor with weights");
    }
    if (o->drain && o->tax <= 0) {
        return mr_error_set(err, MR_ERROR_USAGE, "draining needs a tax above 0");
    }
    if (o->n_intervals > 0 && (!(o->window > 0) || o->n_times == 0)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "windows of single vertices need a window of all and times");
    }
    if (!(o->window >= 0) || !(o->tolerance >= 0) || !(o->cash_left >= 0)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "window, tolerance and cash left must not be negative");
    }
    if (o->internal != NULL && (!(o->internal_weight >= 0 && o->internal_weight <= 0x1p20) ||
                                !(o->external_weight >= 0 && o->external_weight <= 0x1p20) ||
                                o->internal_weight + o->external_weight <= 0)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "weights of links must be in 0..2^20 and not both 0");
    }
    if (o->internal != NULL && mr_store_get_info(o->internal)->n_vertices != n) {
        return mr_error_set(err, MR_ERROR_USAGE, "the internal links are of another graph");
    }
    if (o->payout == MR_OPIC_PAY_TARGETS && o->n_targets == 0 && n > 0) {
        return mr_error_set(err, MR_ERROR_USAGE, "payout to targets, but there are none");
    }
    return MR_OK;
}

static bool needs_digits(const struct mr_opic_options *options)
{
    return options->policy == MR_OPIC_RANDOM ||
           (options->policy == MR_OPIC_GREEDY && options->visits > 0);
}

/* All arrays of a system of cash whose `info` and `options` are set: the plan for the estimate and
 * the allocation. */
enum { OPIC_ARRAYS = 15 };
static void list_arrays(struct mr_opic *opic, struct mr_memory_wanted arrays[OPIC_ARRAYS])
{
    const struct mr_opic_options *o = &opic->options;
    const uint64_t n = opic->info->n_vertices, length = mr_pass_vector_length(opic->info);
    const bool weighted = o->internal != NULL;
    const struct mr_memory_wanted all[OPIC_ARRAYS] = {
        MR_WANTED("cash", n, &opic->cash),
        MR_WANTED("shares of links", length, &opic->share),
        MR_WANTED("history", n, &opic->history),
        MR_WANTED("last visits", n, &opic->last),
        MR_WANTED("flags of pages", n, &opic->flags),
        MR_WANTED("pages with times", n / 8 + 1, &opic->timed),
        MR_WANTED("active stripes", mr_pass_stripes(opic->info), &opic->active_stripes),
        MR_WANTED("sums of bands", opic->info->n_bands, &opic->sums),
        MR_WANTED("shares of internal links",
                  weighted ? mr_pass_vector_length(mr_store_get_info(o->internal)) : 0,
                  &opic->internal_share),
        MR_WANTED("sums of internal links", weighted ? n : 0, &opic->internal_sum),
        MR_WANTED("internal degrees", weighted ? n : 0, &opic->internal_degree),
        MR_WANTED("self-loops", o->ignore_self_loops ? mr_min_u64(opic->info->n_self_loops, n) : 0,
                  &opic->self_loops),
        MR_WANTED("digit counts", needs_digits(o) ? MR_SELECT_DIGITS : 0, &opic->digits),
        MR_WANTED("order of times", o->n_times, &opic->by_time),
        MR_WANTED("windows of pages", o->n_intervals > 0 ? n : 0, &opic->windows),
    };
    memcpy(arrays, all, sizeof all);
}

static enum mr_status allocate_arrays(struct mr_opic *opic, struct mr_error *err)
{
    struct mr_memory_wanted arrays[OPIC_ARRAYS];

    list_arrays(opic, arrays);
    return mr_memory_arrays(opic->context->memory, arrays, err);
}

/* Self-loops come in the order of sources inside a tile, and all self-loops of a source are in one
 * tile. */
static enum mr_status note_self_loops(void *data, const uint32_t (*pairs)[2], const float *weights,
                                      size_t n_pairs, struct mr_error *err)
{
    struct mr_opic *opic = data;
    (void)weights;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t v = pairs[i][0];
        if (v != pairs[i][1]) {
            continue;
        }
        if (opic->n_self_loops > 0 && opic->self_loops[opic->n_self_loops - 1].vertex == v) {
            opic->self_loops[opic->n_self_loops - 1].count++;
            continue;
        }
        if (opic->n_self_loops == opic->self_loop_room) { /* the manifest has promised no more */
            return mr_error_file(err, MR_ERROR_CORRUPT, mr_store_path(opic->store), 0,
                                 "more self-loops than it says; the store is damaged: build it "
                                 "again");
        }
        opic->self_loops[opic->n_self_loops++] = (struct opic_self_loop){v, 1};
    }
    return MR_OK;
}

static enum mr_status find_self_loops(struct mr_opic *opic, struct mr_error *err)
{
    opic->self_loop_room = mr_min_u64(opic->info->n_self_loops, opic->info->n_vertices);
    return opic->self_loops != NULL
               ? mr_edges_read(opic->context, opic->store, NULL, note_self_loops, opic, err)
               : MR_OK;
}

/* The memory for pinned blocks goes to the pass over all links. */
static struct mr_pass_options pass_options(const struct mr_opic_options *options, bool is_internal)
{
    return (struct mr_pass_options){.no_pinning = is_internal || options->no_pinning,
                                    .decode_pinned = !is_internal,
                                    .may_skip = !is_internal};
}

static enum mr_status open_passes(struct mr_opic *opic, struct mr_error *err)
{
    const struct mr_pass_options options = pass_options(&opic->options, false);
    struct mr_pass_options internal = pass_options(&opic->options, true);
    enum mr_status status = MR_OK;

    internal.leave_bytes = mr_pass_minimum_memory(opic->info, &options);
    if (opic->options.internal != NULL) {
        status = mr_pass_open(opic->context, opic->options.internal, &internal,
                              &opic->internal_pass, err);
    }
    return status == MR_OK ? mr_pass_open(opic->context, opic->store, &options, &opic->pass, err)
                           : status;
}

static int compare_times(const void *a, const void *b, void *data)
{
    const struct mr_vertex_weight *times = data;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const uint32_t at_x = (uint32_t)times[x].weight, at_y = (uint32_t)times[y].weight;
    return at_x != at_y ? (at_x > at_y) - (at_x < at_y) : (x > y) - (x < y);
}

/* The clock begins at the first fetch of the crawl. */
static void set_clock(struct mr_opic *opic)
{
    const uint64_t n_times = opic->options.n_times;
    opic->window = opic->options.window * (double)(1u << OPIC_TICK_BITS);
    if (n_times == 0) {
        return;
    }
    opic->clock_kind = OPIC_CLOCK_TIME;
    opic->window = opic->options.window;
    for (uint64_t i = 0; i < n_times; i++) {
        opic->by_time[i] = (uint32_t)i;
    }
    struct mr_vertex_weight *times = (struct mr_vertex_weight *)(uintptr_t)opic->options.times;
    qsort_r(opic->by_time, n_times, sizeof *opic->by_time, compare_times, times);
    opic->clock = (uint64_t)opic->options.times[opic->by_time[0]].weight;
}

static void set_fixed_point(struct mr_opic *opic)
{
    const double tax = opic->options.tax;
    opic->kept = (UINT64_C(1) << 63) - (uint64_t)ldexp(tax, 63);
    int exponent;
    (void)frexp(fmax(opic->options.internal_weight, opic->options.external_weight), &exponent);
    opic->internal_weight = (uint64_t)ldexp(opic->options.internal_weight, 64 - exponent);
    opic->external_weight = (uint64_t)ldexp(opic->options.external_weight, 64 - exponent);
}

/* A new system: the virtual page pays every vertex. */
static void begin_anew(struct mr_opic *opic)
{
    const uint32_t n = (uint32_t)opic->info->n_vertices;
    opic->virtual_cash = MR_OPIC_TOTAL;
    for (uint32_t v = 0; v < n; v++) {
        opic->flags[v] |= OPIC_NEW | OPIC_RECENT;
        opic->last[v] = (uint32_t)opic->clock;
        opic->n_fetched += (opic->flags[v] & OPIC_FETCHED) != 0;
    }
    mr_opic_inject(opic, opic->options.payout == MR_OPIC_PAY_TARGETS ? opic->n_targets : n, true);
}

static enum mr_status prepare(struct mr_opic *opic, struct mr_error *err)
{
    const struct mr_opic_options *o = &opic->options;
    enum mr_status status = check_options(opic, err);
    if (status == MR_OK) {
        status = allocate_arrays(opic, err);
    }
    if (status != MR_OK) {
        return status;
    }
    set_fixed_point(opic);
    set_clock(opic);
    for (uint64_t i = 0; i < o->n_intervals; i++) {
        opic->windows[o->intervals[i].vertex] =
            (float)(o->intervals[i].weight * o->window_intervals);
    }
    opic->n_targets = o->n_targets;
    for (uint64_t i = 0; i < o->n_targets; i++) {
        opic->flags[o->targets[i]] |= OPIC_TARGET;
    }
    for (uint64_t i = 0; i < o->n_fetched && o->fetched_rule != MR_OPIC_FETCHED_ALL; i++) {
        opic->flags[o->fetched[i]] |= OPIC_FETCHED;
    }
    /* a vertex with a time was fetched, whatever the rule says */
    for (uint64_t i = 0; i < o->n_times; i++) {
        opic->flags[o->times[i].vertex] |= OPIC_FETCHED;
        mr_opic_note_time(opic, o->times[i].vertex);
    }
    status = find_self_loops(opic, err);
    if (status == MR_OK) {
        status = open_passes(opic, err);
    }
    if (status == MR_OK) {
        status = mr_opic_survey(opic, err);
    }
    if (status == MR_OK) {
        begin_anew(opic);
    }
    return status;
}

enum mr_status mr_opic_create(const struct mr_context *context, struct mr_store *store,
                              const struct mr_opic_options *options, struct mr_opic **out,
                              struct mr_error *err)
{
    struct mr_opic *opic = calloc(1, sizeof *opic);
    *out = opic;
    if (opic == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a system of cash");
    }
    opic->context = context;
    opic->store = store;
    opic->info = mr_store_get_info(store);
    opic->options = *options;
    return prepare(opic, err);
}

void mr_opic_destroy(struct mr_opic *opic)
{
    if (opic == NULL) {
        return;
    }
    struct mr_memory *memory = opic->context->memory;
    mr_pass_close(opic->pass);
    mr_pass_close(opic->internal_pass);
    mr_memory_free(memory, opic->cash);
    mr_memory_free(memory, opic->has_given ? NULL : opic->share);
    mr_memory_free(memory, opic->history);
    mr_memory_free(memory, opic->last);
    mr_memory_free(memory, opic->flags);
    mr_memory_free(memory, opic->timed);
    mr_memory_free(memory, opic->active_stripes);
    mr_memory_free(memory, opic->sums);
    mr_memory_free(memory, opic->internal_share);
    mr_memory_free(memory, opic->internal_sum);
    mr_memory_free(memory, opic->internal_degree);
    mr_memory_free(memory, opic->self_loops);
    mr_memory_free(memory, opic->digits);
    mr_memory_free(memory, opic->by_time);
    mr_memory_free(memory, opic->windows);
    free(opic);
}

uint64_t mr_opic_result_memory(const struct mr_store_info *info,
                               const struct mr_opic_options *options)
{
    struct mr_opic plan = {.info = info, .options = *options};
    struct mr_memory_wanted arrays[OPIC_ARRAYS];

    list_arrays(&plan, arrays);
    return mr_memory_of_arrays(arrays, OPIC_ARRAYS) +
           (options->internal != NULL ? mr_store_get_info(options->internal)->index_bytes : 0);
}

uint64_t mr_opic_memory(const struct mr_store_info *info, const struct mr_opic_options *options)
{
    const struct mr_pass_options all = pass_options(options, false);
    const struct mr_pass_options inside = pass_options(options, true);
    uint64_t passes = mr_pass_minimum_memory(info, &all);

    if (options->internal != NULL) {
        passes += mr_pass_minimum_memory(mr_store_get_info(options->internal), &inside);
    }
    if (options->ignore_self_loops && info->n_self_loops > 0) { /* found before the passes */
        passes = mr_max_u64(passes, mr_edges_reader_memory(info));
    }
    return passes + mr_opic_result_memory(info, options);
}
