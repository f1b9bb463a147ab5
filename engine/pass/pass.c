/* SPDX-License-Identifier: Apache-2.0 */
/* Opening, running and closing a pass. It plans what fits into memory: first as many threads as are
 * asked for, then deep queues; what is left holds pinned blocks (pin.c). Each thread of a run
 * executes mr_worker_run (worker.c). */
#include "engine/pass/pass.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include <omp.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/team.h"
#include "engine/io/io.h"
#include "engine/pass/internal.h"
#include "engine/tile/corners_encode.h"
#include "engine/tile/keys.h"

/* Reads in flight per thread, of at most 256 KiB. 8 saturate the disks measured so far, with
 * nothing else to do; but completions come in bursts, and threads that compute as fast as the disk
 * reads waited for 24% of a pass over kron-22 with 8 and for 11% with 32. 64 gained nothing, 128 a
 * tenth. */
enum { DEPTH_BEST = 32, DEPTH_ENOUGH = 8, DEPTH_LEAST = 2 };

/* Queues deeper than enough take at most this share of the memory there is: it would hold pinned
 * links. */
enum { DEEP_QUEUES_SHARE = 8 };

/* Below this a thread takes longer to wake up than to work: a few microseconds, and milliseconds
 * where others want the processors. */
#define LINKS_OF_A_THREAD (UINT64_C(1) << 13)

/* The shape of everything a pass allocates, for a number of threads and a depth. */
struct pass_plan {
    unsigned n_workers, depth, n_accumulators;
    unsigned n_ends; /* per worker */
    uint32_t n_states;
    uint64_t slot_bytes; /* of the queues */
    uint64_t most_links; /* of diagonals that have rows */
    uint64_t worker_bytes; /* per worker, its queue and codec included */
    uint64_t total_bytes;
};

/* Threads one by one, each with the queue depth wished for: what they take together. */
static struct pass_plan make_plan(const struct mr_store_info *info,
                                  const struct mr_pass_options *options, uint64_t slot_bytes,
                                  uint64_t most_links, unsigned n_workers, unsigned depth)
{
    const uint64_t n = (uint64_t)1 << info->band_bits;
    const uint64_t degree_bytes = sizeof(uint32_t) + (info->is_weighted ? sizeof(double) : 0);
    struct pass_plan plan = {.n_workers = n_workers,
                             .depth = depth,
                             .slot_bytes = slot_bytes,
                             .most_links = options->sweeps ? most_links : 0};
    /* One each to fill, one each for the sum of a band, and some for bands that wait to be merged:
     * with fewer, two threads waited for 4% of a pass over kron-22. */
    plan.n_accumulators = n_workers == 1 ? 3 : 3 * n_workers + MR_ACCUMULATORS_KEPT;
    plan.n_states =
        (CLAIMS_AHEAD + 1) * n_workers; /* so that nobody waits for what another claimed */
    plan.n_ends = n_workers == 1 ? 1 : MR_BAND_ENDS;
    plan.worker_bytes =
        mr_queue_memory(depth, slot_bytes) + MR_BLOCK_MAX_BYTES +
        (info->weighs_classes ? 1 : 0) * n * MR_ACCUMULATOR_BYTES +
        plan.n_ends * n * 2 * degree_bytes + (options->relaxes ? 2 * n * sizeof(double) : 0) +
        mr_tile_applier_memory(info) + (UINT64_C(512) << 10); /* zstd context, rounding to pages */
    if (plan.most_links > 0) {
        plan.worker_bytes += mr_rows_builder_memory(info, most_links) +
                             plan.n_ends * mr_rows_room_memory(info, most_links);
    }
    plan.total_bytes =
        n_workers * plan.worker_bytes + plan.n_accumulators * n * MR_ACCUMULATOR_BYTES;
    return plan;
}

uint64_t mr_pass_minimum_memory(const struct mr_store_info *info,
                                const struct mr_pass_options *options)
{
    const uint64_t most_links = mr_rows_most_links(info, NULL);
    return make_plan(info, options, MR_BLOCK_MAX_BYTES, most_links, 1, DEPTH_LEAST).total_bytes;
}

/* The largest block. */
static uint64_t slot_bytes_of(struct mr_store *store)
{
    uint64_t bytes = MR_BLOCK_ALIGN, n_degree_blocks;
    const struct mr_block_entry *links = mr_store_link_blocks(store);
    const struct mr_block_entry *degrees = mr_store_degree_blocks(store, &n_degree_blocks);
    const uint64_t n_blocks = mr_store_get_info(store)->n_blocks;
    for (uint64_t i = 0; i < n_blocks; i++) {
        bytes = mr_max_u64(bytes, links[i].stored_bytes);
    }
    for (uint64_t i = 0; i < n_degree_blocks; i++) {
        bytes = mr_max_u64(bytes, degrees[i].stored_bytes);
    }
    return bytes;
}

uint64_t mr_pass_least_memory(struct mr_store *store, const struct mr_pass_options *options,
                              unsigned n_workers)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    const uint64_t most_links = mr_rows_most_links(info, mr_store_bands(store));
    return make_plan(info, options, slot_bytes_of(store), most_links, n_workers, DEPTH_LEAST)
        .total_bytes;
}

/* What this pass may take of the budget. */
static uint64_t bytes_available(const struct mr_pass *pass)
{
    const uint64_t available = mr_memory_available(pass->context->memory);
    return available - mr_min_u64(available, pass->options.leave_bytes);
}

/* The deepest queues that are of use to these threads: none are where all links will be pinned. */
static unsigned best_depth(const struct mr_pass *pass, const struct pass_plan *enough,
                           uint64_t available)
{
    const uint64_t file_bytes = pass->info->links_bytes + pass->info->degrees_bytes;
    const uint64_t deep_bytes = enough->n_workers * mr_queue_memory(DEPTH_BEST, enough->slot_bytes);
    const bool is_pinned =
        !pass->options.no_pinning && enough->total_bytes + file_bytes <= available;
    return is_pinned || deep_bytes > available / DEEP_QUEUES_SHARE ? DEPTH_ENOUGH : DEPTH_BEST;
}

/* More threads than units that can be in work at once would only wait for one another. */
static unsigned useful_threads(const struct mr_pass *pass)
{
    const uint64_t n_units = (uint64_t)pass->info->n_bands * pass->order.most_units;
    const uint64_t most = mr_min_u64(n_units, 1 + pass->info->n_edges / LINKS_OF_A_THREAD);
    return (unsigned)mr_max_u64(1, mr_min_u64(pass->context->threads, most));
}

/* As many threads as fit, then as deep queues as fit. */
static struct pass_plan choose_plan(struct mr_pass *pass)
{
    const uint64_t slot_bytes = slot_bytes_of(pass->store);
    const uint64_t most_links = mr_rows_most_links(pass->info, pass->bands);
    const uint64_t available = bytes_available(pass);
    struct pass_plan plan = {0};
    for (unsigned n = useful_threads(pass); n >= 1; n--) {
        plan = make_plan(pass->info, &pass->options, slot_bytes, most_links, n, DEPTH_ENOUGH);
        unsigned depth = best_depth(pass, &plan, available);
        for (; depth >= DEPTH_LEAST; depth /= 2) {
            plan = make_plan(pass->info, &pass->options, slot_bytes, most_links, n, depth);
            if (plan.total_bytes <= available) {
                return plan;
            }
        }
    }
    return plan; /* does not fit: the allocation that fails will say what and how much */
}

static enum mr_status allocate(struct mr_pass *pass, const char *name, uint64_t bytes, void *out,
                               struct mr_error *err)
{
    return mr_memory_alloc_array(pass->context->memory, name, bytes, 1, out, err);
}

static enum mr_status create_end(struct mr_pass *pass, struct band_end *end,
                                 const struct pass_plan *plan, struct mr_error *err)
{
    const uint64_t bytes = pass->band_width * sizeof(uint32_t);
    enum mr_status status = allocate(pass, "degrees of a band", bytes, &end->out_degree, err);
    if (status == MR_OK) {
        status = allocate(pass, "degrees of a band", bytes, &end->in_degree, err);
    }
    if (status == MR_OK && pass->info->is_weighted) {
        status = allocate(pass, "strengths of a band", 2 * bytes, &end->out_strength, err);
        if (status == MR_OK) {
            status = allocate(pass, "strengths of a band", 2 * bytes, &end->in_strength, err);
        }
    }
    if (status == MR_OK && plan->most_links > 0) {
        status = mr_rows_room_create(pass->context->memory, pass->info, plan->most_links,
                                     &end->rows, err);
    }
    return status;
}

static enum mr_status create_worker(struct mr_pass *pass, struct pass_worker *worker,
                                    const struct pass_plan *plan, struct mr_error *err)
{
    worker->pass = pass;
    worker->n_ends = plan->n_ends;
    enum mr_status status =
        mr_queue_create(pass->context, plan->depth, plan->slot_bytes, &worker->queue, err);
    if (status == MR_OK) {
        status = mr_block_codec_create(pass->context->memory, 0, &worker->codec, err);
    }
    if (status == MR_OK) {
        status = allocate(pass, "block buffer", MR_BLOCK_RAW_MAX_BYTES + MR_KEYS_SLACK_BYTES,
                          &worker->scratch, err);
    }
    if (status == MR_OK) {
        status = mr_tile_applier_create(pass->context->memory, pass->info, &worker->applier, err);
    }
    if (status == MR_OK) {
        worker->applier->weight_scale = pass->weight_scale;
    }
    for (unsigned i = 0; i < plan->n_ends && status == MR_OK; i++) {
        status = create_end(pass, &worker->ends[i], plan, err);
    }
    if (status == MR_OK && plan->most_links > 0) {
        status = mr_rows_builder_create(pass->context->memory, pass->info, plan->most_links,
                                        &worker->rows, err);
    }
    if (status == MR_OK && pass->options.relaxes) {
        const uint64_t bytes = pass->band_width * sizeof(double);
        status = allocate(pass, "new values of a band", bytes, &worker->relaxed, err);
        if (status == MR_OK) {
            status = allocate(pass, "gains of a band", bytes, &worker->gain, err);
        }
    }
    if (status == MR_OK && pass->class_weights != NULL) {
        const uint64_t bytes = pass->band_width * MR_ACCUMULATOR_BYTES;
        status = allocate(pass, "accumulators", bytes, &worker->class_sum, err);
    }
    return status;
}

static void destroy_worker(struct mr_pass *pass, struct pass_worker *worker)
{
    struct mr_memory *memory = pass->context->memory;
    mr_memory_free(memory, worker->class_sum);
    mr_memory_free(memory, worker->gain);
    mr_memory_free(memory, worker->relaxed);
    mr_rows_builder_destroy(worker->rows);
    for (unsigned i = 0; i < MR_BAND_ENDS; i++) {
        mr_rows_room_destroy(worker->ends[i].rows);
        mr_memory_free(memory, worker->ends[i].in_strength);
        mr_memory_free(memory, worker->ends[i].out_strength);
        mr_memory_free(memory, worker->ends[i].in_degree);
        mr_memory_free(memory, worker->ends[i].out_degree);
    }
    mr_tile_applier_destroy(worker->applier);
    mr_memory_free(memory, worker->scratch);
    mr_block_codec_destroy(worker->codec);
    mr_queue_destroy(worker->queue);
}

static enum mr_status create_parts(struct mr_pass *pass, const struct pass_plan *plan,
                                   struct mr_error *err)
{
    assert(plan->n_workers > 0 && plan->n_accumulators > 0);
    pass->n_workers = plan->n_workers;
    pass->n_accumulators = plan->n_accumulators;
    pass->workers = calloc(plan->n_workers, sizeof *pass->workers);
    pass->accumulators = calloc(plan->n_accumulators, sizeof *pass->accumulators);
    if (pass->workers == NULL || pass->accumulators == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the threads of a pass");
    }
    enum mr_status status = mr_order_create(pass, plan->n_states, err);
    for (unsigned i = 0; i < plan->n_workers && status == MR_OK; i++) {
        status = create_worker(pass, &pass->workers[i], plan, err);
    }
    /* One allocation for all of them: scattered writes want huge pages. */
    const uint64_t bytes = pass->band_width * MR_ACCUMULATOR_BYTES;
    if (status == MR_OK) {
        status = allocate(pass, "accumulators", plan->n_accumulators * bytes,
                          &pass->accumulator_memory, err);
    }
    for (unsigned i = 0; i < plan->n_accumulators && status == MR_OK; i++) {
        pass->accumulators[i] = pass->accumulator_memory + i * bytes;
    }
    if (status == MR_OK && pass->options.may_skip) {
        status = allocate(pass, "active stripes",
                          (mr_pass_stripes(pass->info) + 1) * sizeof *pass->active_before,
                          &pass->active_before, err);
    }
    if (status == MR_OK) {
        status = mr_pin(pass, bytes_available(pass), err);
    }
    return status;
}

/* The largest weight comes to between 1 and 2, so that no quotient by a sum of weights vanishes,
 * but the least one stays above 2^-125, so that no quotient by it overflows. */
double mr_pass_weight_scale(const struct mr_store_info *info)
{
    const double least = (double)info->weights.least, most = (double)info->weights.most;
    if (!info->is_weighted || !(least > 0) || (least >= 0x1p-32 && most <= MR_PASS_WEIGHT_MOST)) {
        return 1;
    }
    const int down = ilogb(most), most_down = ilogb(least) + 125;
    return ldexp(1, -(down < most_down ? down : most_down));
}

static void destroy(struct mr_pass *pass)
{
    struct mr_memory *memory = pass->context->memory;
    mr_memory_free(memory, pass->active_before);
    mr_pin_destroy(pass);
    mr_memory_free(memory, pass->accumulator_memory);
    for (unsigned i = 0; pass->workers != NULL && i < pass->n_workers; i++) {
        destroy_worker(pass, &pass->workers[i]);
    }
    mr_order_destroy(pass);
    mr_units_destroy(pass);
    pthread_cond_destroy(&pass->order.changed);
    pthread_mutex_destroy(&pass->order.lock);
    free(pass->accumulators);
    free(pass->workers);
    free(pass);
}

static void destroy_kept(struct mr_kept *kept)
{
    struct mr_pass *pass = (struct mr_pass *)kept;
    mr_memory_wake(pass->context->memory, pass->bytes);
    destroy(pass);
}

static enum mr_status create(struct mr_pass *pass, struct mr_error *err)
{
    const uint64_t available = mr_memory_available(pass->context->memory);
    struct mr_store *store = pass->store;
    uint64_t n_degree_blocks;
    pass->info = mr_store_get_info(store);
    pass->bands = mr_store_bands(store);
    pass->links = mr_store_link_blocks(store);
    pass->degrees = mr_store_degree_blocks(store, &n_degree_blocks);
    pass->class_weights = mr_store_class_weights(store, &pass->out_strengths);
    pass->weight_scale = pass->options.scales_weights ? mr_pass_weight_scale(pass->info) : 1;
    pass->band_width = (uint64_t)1 << pass->info->band_bits;
    pthread_mutex_init(&pass->order.lock, NULL);
    pthread_cond_init(&pass->order.changed, NULL);
    enum mr_status status = mr_units_create(pass, err);
    if (status != MR_OK) {
        return status;
    }
    const struct pass_plan plan = choose_plan(pass);
    status = create_parts(pass, &plan, err);
    if (status != MR_OK) {
        return status;
    }
    pass->figures.backend =
        mr_queue_get_backend(pass->workers[0].queue, &pass->figures.registered_buffers);
    pass->figures.direct = mr_file_is_direct(pass->info->n_blocks > 0
                                                 ? mr_store_links_location(store, pass->links).file
                                                 : mr_store_location(store, MR_FILE_DEGREES).file);
    pass->figures.threads = plan.n_workers;
    pass->opened = pass->figures;
    pass->bytes = available - mr_memory_available(pass->context->memory);
    return MR_OK;
}

enum mr_status mr_pass_open(const struct mr_context *context, struct mr_store *store,
                            const struct mr_pass_options *options, struct mr_pass **out,
                            struct mr_error *err)
{
    struct mr_pass *pass = mr_pass_take_kept(context, store, options);
    if (pass != NULL) {
        *out = pass;
        return MR_OK;
    }
    pass = calloc(1, sizeof *pass);
    if (pass == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a pass");
    }
    pass->kept.destroy = destroy_kept;
    pass->context = context;
    pass->store = store;
    pass->options = *options;
    const enum mr_status status = create(pass, err);
    if (status != MR_OK) {
        destroy(pass);
        return status;
    }
    *out = pass;
    return MR_OK;
}

void mr_pass_close(struct mr_pass *pass)
{
    if (pass != NULL && !mr_pass_keep(pass)) {
        destroy(pass);
    }
}

/* Count the active stripes, so that a block's range of them is one subtraction. */
static void count_active(struct mr_pass *pass)
{
    const uint8_t *active = pass->run->active_stripes;
    const uint64_t n_stripes = active != NULL ? mr_pass_stripes(pass->info) : 0;
    for (uint64_t i = 0; i < n_stripes; i++) {
        pass->active_before[i + 1] = pass->active_before[i] + (active[i] != 0);
    }
}

/* Degrees of one set of links could stand in place of another set's, in intact blocks; their sums
 * tell them apart. Only degrees that the run read completely are compared. */
static enum mr_status check_degree_sums(struct mr_pass *pass, struct mr_error *err)
{
    for (unsigned kind = 0; kind < 2; kind++) {
        uint64_t n = 0;
        uint32_t sum = 0;
        for (unsigned i = 0; i < pass->n_workers; i++) {
            n += pass->workers[i].n_degrees[kind];
            sum += pass->workers[i].degree_sums[kind];
            pass->workers[i].n_degrees[kind] = 0;
            pass->workers[i].degree_sums[kind] = 0;
        }
        if (pass->order.status == MR_OK && n == pass->info->n_vertices &&
            sum != (uint32_t)pass->info->n_edges) {
            return mr_error_file(err, MR_ERROR_CORRUPT,
                                 mr_file_path(mr_store_location(pass->store, MR_FILE_DEGREES).file),
                                 0,
                                 "the degrees are not those of the links; restore the store from a "
                                 "copy or build it again");
        }
    }
    return MR_OK;
}

enum mr_status mr_pass_run(struct mr_pass *pass, const struct mr_pass_task *run,
                           struct mr_error *err)
{
    assert(!run->relax || (pass->options.relaxes && run->wave >= 1 && run->terms != NULL &&
                           run->steps != NULL && run->value != MR_VALUE_U64));
    assert(run->sweeps == 0 || pass->options.sweeps);
    assert(run->active_stripes == NULL || (pass->options.may_skip && !run->relax));
    assert(run->end_band <= pass->info->n_bands &&
           (run->end_band == 0 || run->first_band < run->end_band));
    const uint64_t start = mr_now_ns();
    unsigned n_threads = pass->n_workers;
    if (run->relax) {
        n_threads = (unsigned)mr_min_u64(n_threads, (uint64_t)run->wave * pass->order.most_units);
    }
    n_threads = (unsigned)mr_team_threads(n_threads);
    for (unsigned i = 0; i < n_threads; i++) {
        pass->workers[i].left_ns = start;
    }
    pass->run = run;
    pass->end_band = run->end_band == 0 ? pass->info->n_bands : run->end_band;
    pass->n_running = n_threads;
    pass->vertex_bytes = mr_value_bytes(run->value);
    count_active(pass);
    mr_order_reset(pass);
#pragma omp parallel num_threads(mr_team_threads(n_threads))
    {
        mr_worker_run(&pass->workers[omp_get_thread_num()]);
    }
    const uint64_t end = mr_now_ns();
    struct mr_pass_figures *figures = &pass->figures;
    uint64_t skipped = 0;
    for (unsigned i = 0; i < pass->n_workers; i++) {
        struct pass_worker *worker = &pass->workers[i];
        figures->edge_visits += worker->edge_visits;
        figures->bytes_read += worker->bytes_read;
        figures->degree_bytes_read += worker->degree_bytes_read;
        figures->wait_seconds += 1e-9 * (double)worker->wait_ns;
        figures->idle_seconds +=
            1e-9 * (double)(worker->idle_ns + (i < n_threads ? end - worker->left_ns : 0));
        skipped += worker->blocks_skipped;
        worker->blocks_skipped = 0;
        worker->edge_visits = worker->bytes_read = worker->degree_bytes_read = 0;
        worker->wait_ns = worker->idle_ns = 0;
    }
    figures->seconds += 1e-9 * (double)(end - start);
    const enum mr_status sums = check_degree_sums(pass, err);
    if (pass->order.status != MR_OK) {
        if (err != NULL && err->status == MR_OK) {
            *err = pass->order.error;
        }
        return pass->order.status;
    }
    if (sums != MR_OK) {
        return sums;
    }
    figures->blocks_skipped += skipped;
    figures->passes += !run->degrees_only && skipped == 0 && run->first_band == 0;
    figures->partial_passes += skipped > 0 && run->first_band == 0;
    return MR_OK;
}

enum mr_status mr_pass_run_once(const struct mr_context *context, struct mr_store *store,
                                const struct mr_pass_task *task, struct mr_pass_figures *figures,
                                struct mr_error *err)
{
    const struct mr_pass_options options = {.no_pinning = true};
    struct mr_pass *pass = NULL;

    enum mr_status status = mr_pass_open(context, store, &options, &pass, err);
    if (status == MR_OK) {
        status = mr_pass_run(pass, task, err);
    }
    if (pass != NULL && figures != NULL) {
        *figures = pass->figures;
    }
    mr_pass_close(pass);
    return status;
}

void mr_pass_cost_of(const struct mr_store_info *info, uint64_t *keys_ps, uint64_t *corners_ps)
{
    const struct mr_corners_figures *corners = &info->corners;

    *keys_ps = mr_cost_of_keys(info->keys_edges);
    *corners_ps =
        mr_cost_of_corners(corners->entries, corners->rows, corners->parts << info->stripe_bits);
}

struct mr_pass_figures mr_pass_get_figures(const struct mr_pass *pass)
{
    return pass->figures;
}

const char *mr_pass_decoder_name(void)
{
    return mr_keys_decoder_name();
}
