/* SPDX-License-Identifier: Apache-2.0 */
/* How fast a store is read, decoded and applied, for `millrace bench`. It times a sample of blocks
 * in memory, whole passes, and plain reads of the disk, each over several rounds. */
#include "engine/pass/store_speed.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <omp.h>

#include "engine/base/bytes.h"
#include "engine/base/checksum.h"
#include "engine/base/memory.h"
#include "engine/base/team.h"
#include "engine/tile/apply.h"

enum { SAMPLE_BLOCKS = 64, ROUNDS_DEFAULT = 5, ROUNDS_MAX = 99 };
enum { DISK_DEPTH = 8, DISK_JOB_BLOCKS = 16 };

#define SAMPLE_SECONDS 0.2 /* the least time the sample is gone over in a round, by all threads */

enum part { CHECKSUM, OPEN, DECODE, ADD, APPLY, N_PARTS };

struct sampler {
    const struct mr_context *context;
    struct mr_store *store;
    const struct mr_store_info *info;
    struct mr_store_speed *speed;
    uint8_t *blocks; /* [n_blocks] slots of MR_BLOCK_MAX_BYTES + slack */
    const struct mr_block_entry *entries[SAMPLE_BLOCKS];
    unsigned n_blocks;
    void *x; /* [mr_pass_vector_length] values, zeros */
    enum mr_value value;
};

/* One thread's room and clock. */
struct sampling {
    struct mr_block_codec *codec;
    struct mr_tile_applier *applier;
    uint8_t *raw;
    uint32_t *keys; /* of one tile */
    void *accumulator;
    double seconds[N_PARTS];
    uint64_t links, key_links;
};

#define SLOT_BYTES ((uint64_t)MR_BLOCK_MAX_BYTES + MR_QUEUE_SLACK_BYTES)

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, unsigned n)
{
    qsort(values, n, sizeof *values, compare);
    return n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

double mr_store_speed_limit(const struct mr_store_speed *speed, const char **name)
{
    const double open_ns = speed->checksum_ns + speed->decompress_ns;
    const double core_ns = open_ns + speed->apply_ns;
    if (speed->disk_ns >= core_ns) {
        *name = "disk";
        return speed->disk_ns;
    }
    if (open_ns > speed->apply_ns) {
        *name = speed->decompress_ns > speed->checksum_ns ? "zstd" : "checksums";
    } else {
        *name = speed->decode_ns > speed->add_ns ? "decoding" : "adding";
    }
    return core_ns;
}

/* ---- The disk alone ---- */

static void read_jobs(const struct sampler *sampler, struct mr_team *team, struct mr_queue *queue)
{
    const struct mr_block_entry *blocks = mr_store_link_blocks(sampler->store);
    struct mr_error error = {0};
    enum mr_status status = MR_OK;
    uint64_t next = 0, end = 0, job;
    bool is_more = true;
    while (status == MR_OK) {
        while (is_more && status == MR_OK && mr_queue_has_room(queue)) {
            if (next == end && (is_more = mr_team_next(team, &job))) {
                next = job * DISK_JOB_BLOCKS;
                end = mr_min_u64(next + DISK_JOB_BLOCKS, sampler->info->n_blocks);
            }
            if (is_more) {
                status = mr_queue_push(queue,
                                       mr_store_links_location(sampler->store, &blocks[next]).file,
                                       blocks[next].offset, blocks[next].stored_bytes, 0, &error);
                next++;
            }
        }
        if (mr_queue_pending(queue) == 0) {
            break;
        }
        uint8_t *data;
        uint64_t tag;
        if (status == MR_OK) {
            status = mr_queue_pop(queue, &data, &tag, NULL, &error);
        }
    }
    if (status != MR_OK) {
        mr_team_fail(team, status, &error);
    }
    mr_queue_drain(queue);
}

static enum mr_status time_disk(const struct sampler *sampler, enum mr_queue_backend backend,
                                double *seconds, struct mr_error *err)
{
    const unsigned n_threads = sampler->context->threads;
    struct mr_queue **queues = calloc(n_threads, sizeof(struct mr_queue *));
    struct mr_team team;
    enum mr_status status = MR_OK;
    if (queues == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for queues");
    }
    for (unsigned i = 0; i < n_threads && status == MR_OK; i++) {
        status = mr_queue_create(sampler->context, backend, DISK_DEPTH, MR_BLOCK_MAX_BYTES,
                                 &queues[i], err);
    }
    if (status == MR_OK) {
        status = mr_team_begin(&team, sampler->context,
                               mr_div_up(sampler->info->n_blocks, DISK_JOB_BLOCKS), err);
    }
    if (status == MR_OK) {
        const double start = now();
#pragma omp parallel num_threads((int)n_threads)
        read_jobs(sampler, &team, queues[omp_get_thread_num()]);
        *seconds = now() - start;
        status = mr_team_end(&team, err);
    }
    for (unsigned i = 0; i < n_threads; i++) {
        mr_queue_destroy(queues[i]);
    }
    free(queues);
    return status;
}

/* ---- The core's work, on a sample ---- */

static enum mr_status allocate(struct mr_memory *memory, const char *name, uint64_t bytes,
                               void *out, struct mr_error *err)
{
    void *pointer = NULL;
    enum mr_status status = mr_memory_alloc(memory, name, bytes, &pointer, err);
    memcpy(out, &pointer, sizeof pointer);
    return status;
}

static enum mr_status load_sample(struct sampler *sampler, struct mr_error *err)
{
    const struct mr_block_entry *blocks = mr_store_link_blocks(sampler->store);
    const uint64_t n = sampler->info->n_blocks;
    sampler->n_blocks = (unsigned)mr_min_u64(n, SAMPLE_BLOCKS);
    enum mr_status status = allocate(sampler->context->memory, "sample of blocks",
                                     sampler->n_blocks * SLOT_BYTES, &sampler->blocks, err);
    for (unsigned i = 0; i < sampler->n_blocks && status == MR_OK; i++) {
        sampler->entries[i] = &blocks[i * n / sampler->n_blocks];
        status = mr_file_read(mr_store_links_location(sampler->store, sampler->entries[i]).file,
                              sampler->blocks + i * SLOT_BYTES, sampler->entries[i]->stored_bytes,
                              sampler->entries[i]->offset, err);
    }
    return status;
}

static enum mr_status create_sampling(const struct sampler *sampler, struct sampling *sampling,
                                      struct mr_error *err)
{
    struct mr_memory *memory = sampler->context->memory;
    const uint64_t n_keys = (uint64_t)MR_BLOCK_RAW_MAX_BYTES + MR_KEYS_SLACK_KEYS;
    enum mr_status status = mr_block_codec_create(memory, 0, &sampling->codec, err);
    if (status == MR_OK) {
        status = mr_tile_applier_create(memory, sampler->info, 1, &sampling->applier, err);
    }
    if (status == MR_OK) {
        status = allocate(memory, "block buffer", MR_BLOCK_RAW_MAX_BYTES + MR_KEYS_SLACK_BYTES,
                          &sampling->raw, err);
    }
    if (status == MR_OK) {
        status = allocate(memory, "decoded links", n_keys * sizeof(uint32_t), &sampling->keys, err);
    }
    if (status == MR_OK) {
        status = allocate(memory, "accumulator",
                          (uint64_t)MR_ACCUMULATOR_BYTES << sampler->info->band_bits,
                          &sampling->accumulator, err);
    }
    return status;
}

static void destroy_sampling(const struct sampler *sampler, struct sampling *sampling)
{
    struct mr_memory *memory = sampler->context->memory;
    mr_memory_free(memory, sampling->accumulator);
    mr_memory_free(memory, sampling->keys);
    mr_memory_free(memory, sampling->raw);
    mr_tile_applier_destroy(sampling->applier);
    mr_block_codec_destroy(sampling->codec);
}

static enum mr_status bad_tile(const struct mr_tile_cursor *cursor, struct mr_error *err)
{
    return mr_error_offset(err, MR_ERROR_CORRUPT, cursor->path, cursor->offset,
                           "a tile does not decode; the store is damaged: build it again");
}

static enum mr_status time_tile(const struct sampler *sampler, struct sampling *sampling,
                                const struct mr_tile_cursor *cursor, const struct mr_tile *tile,
                                struct mr_error *err)
{
    const struct mr_key_kernels *kernels = sampling->applier->kernels;
    const uint64_t stripe_bytes = mr_value_bytes(sampler->value) << sampler->info->stripe_bits;
    const void *x = (const uint8_t *)sampler->x + tile->stripe * stripe_bytes;
    const uint8_t *end = tile->data + tile->data_bytes;
    const double start = now();
    if (!mr_tile_apply(sampling->applier, tile, x, sampling->accumulator)) {
        return bad_tile(cursor, err);
    }
    const double applied = now();
    sampling->seconds[APPLY] += applied - start;
    sampling->links += tile->n_entries;
    if (tile->encoding != MR_TILE_KEYS) {
        return MR_OK;
    }
    if (kernels->decode(tile->data, end, 0, sampling->keys, tile->n_entries) != end) {
        return bad_tile(cursor, err);
    }
    const double decoded = now();
    kernels->add_keys[sampler->value][0](&sampling->applier->shape, sampling->keys, tile->n_entries,
                                         x, sampling->accumulator);
    sampling->seconds[DECODE] += decoded - applied;
    sampling->seconds[ADD] += now() - decoded;
    sampling->key_links += tile->n_entries;
    return MR_OK;
}

static enum mr_status time_block(const struct sampler *sampler, struct sampling *sampling,
                                 unsigned block, struct mr_error *err)
{
    const struct mr_block_entry *entry = sampler->entries[block];
    assert(entry != NULL);
    const uint8_t *data = sampler->blocks + block * SLOT_BYTES;
    const struct mr_block_location place = mr_store_links_location(sampler->store, entry);
    const char *path = mr_file_path(place.file);
    struct mr_block_header header;
    struct mr_tile_cursor cursor;
    struct mr_tile tile = {.n_entries = 1};
    const uint8_t *raw;
    const double start = now();
    const uint64_t checksum = mr_checksum(data + 8, entry->stored_bytes - 8u);
    const double checked = now();
    enum mr_status status =
        mr_block_open(sampling->codec, data, entry->stored_bytes, MR_BLOCK_LINKS, place.graph_id,
                      sampling->raw, path, entry->offset, &header, &raw, err);
    sampling->seconds[OPEN] += now() - checked;
    sampling->seconds[CHECKSUM] += checked - start;
    if (status != MR_OK || checksum == 0) { /* it is never 0, and so not optimised away */
        return status;
    }
    mr_tile_applier_forget(sampling->applier);
    mr_tile_cursor_init(&cursor, sampler->info, &header, raw, path, entry->offset);
    while (status == MR_OK && tile.n_entries > 0) {
        status = mr_tile_next(&cursor, &tile, err);
        if (status == MR_OK && tile.n_entries > 0) {
            status = time_tile(sampler, sampling, &cursor, &tile, err);
        }
    }
    return status;
}

/* All threads over the sample, each beginning elsewhere, until the time is over. */
static enum mr_status time_sample(const struct sampler *sampler, struct sampling *samplings,
                                  double ns[N_PARTS], struct mr_error *err)
{
    const unsigned n_threads = sampler->context->threads;
    struct mr_team team;
    enum mr_status status = mr_team_begin(&team, sampler->context, 1, err);
    if (status != MR_OK) {
        return status;
    }
#pragma omp parallel num_threads((int)n_threads)
    {
        const unsigned thread = (unsigned)omp_get_thread_num();
        struct sampling *sampling = &samplings[thread];
        struct mr_error error = {0};
        enum mr_status mine = MR_OK;
        memset(sampling->seconds, 0, sizeof sampling->seconds);
        sampling->links = sampling->key_links = 0;
        mr_tile_applier_begin(sampling->applier, sampler->value, 1);
        const double start = now();
        unsigned block = thread * sampler->n_blocks / n_threads;
        do {
            mine = time_block(sampler, sampling, block, &error);
            block = (block + 1) % sampler->n_blocks;
        } while (mine == MR_OK && !mr_team_failed(&team) && now() - start < SAMPLE_SECONDS);
        if (mine != MR_OK) {
            mr_team_fail(&team, mine, &error);
        }
    }
    double seconds[N_PARTS] = {0}, links = 0, key_links = 0;
    for (unsigned i = 0; i < n_threads; i++) {
        for (unsigned part = 0; part < N_PARTS; part++) {
            seconds[part] += samplings[i].seconds[part];
        }
        links += (double)samplings[i].links;
        key_links += (double)samplings[i].key_links;
    }
    for (unsigned part = 0; part < N_PARTS; part++) {
        const double n = part == DECODE || part == ADD ? key_links : links;
        ns[part] = 1e9 * seconds[part] / n / n_threads;
    }
    sampler->speed->sampled_links = (uint64_t)links;
    sampler->speed->sampled_keys = (uint64_t)key_links;
    return mr_team_end(&team, err);
}

static enum mr_status measure_sample(struct sampler *sampler, struct mr_error *err)
{
    const unsigned n_threads = sampler->context->threads;
    struct mr_store_speed *speed = sampler->speed;
    struct mr_memory *memory = sampler->context->memory;
    double ns[N_PARTS][ROUNDS_MAX], round_ns[N_PARTS];
    struct sampling *samplings = calloc(n_threads, sizeof *samplings);
    enum mr_status status = load_sample(sampler, err);
    if (samplings == NULL && status == MR_OK) {
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the sample");
    }
    for (unsigned i = 0; i < n_threads && status == MR_OK; i++) {
        status = create_sampling(sampler, &samplings[i], err);
    }
    for (unsigned round = 0; round <= speed->rounds && status == MR_OK; round++) {
        status = time_sample(sampler, samplings, round_ns, err);
        for (unsigned part = 0; round > 0 && part < N_PARTS; part++) { /* the first one warms up */
            ns[part][round - 1] = round_ns[part];
        }
    }
    for (unsigned i = 0; samplings != NULL && i < n_threads; i++) {
        destroy_sampling(sampler, &samplings[i]);
    }
    free(samplings);
    mr_memory_free(memory, sampler->blocks);
    sampler->blocks = NULL;
    if (status != MR_OK) {
        return status;
    }
    speed->checksum_ns = median(ns[CHECKSUM], speed->rounds);
    speed->decompress_ns = median(ns[OPEN], speed->rounds) - speed->checksum_ns;
    if (sampler->info->zstd_level == 0 || speed->decompress_ns < 0) {
        speed->decompress_ns = 0;
    }
    speed->decode_ns = median(ns[DECODE], speed->rounds);
    speed->add_ns = median(ns[ADD], speed->rounds);
    speed->apply_ns = median(ns[APPLY], speed->rounds);
    return MR_OK;
}

/* ---- Whole passes ---- */

static void ignore_band(void *data, const struct mr_pass_band *band)
{
    (void)data, (void)band;
}

static enum mr_status measure_pass(struct sampler *sampler,
                                   const struct mr_store_speed_options *options, bool pinned,
                                   double *ns, struct mr_error *err)
{
    const struct mr_pass_options pass_options = {.struct_size = sizeof pass_options,
                                                 .backend = options->backend,
                                                 .no_pinning = !pinned,
                                                 .decode_pinned = pinned};
    const struct mr_pass_task run = {
        .value = sampler->value, .x = sampler->x, .callback = ignore_band};
    double seconds[ROUNDS_MAX];
    struct mr_pass *pass = NULL;
    *ns = NAN;
    enum mr_status status =
        mr_pass_open(sampler->context, sampler->store, &pass_options, &pass, err);
    if (status == MR_OK && pinned &&
        mr_pass_get_figures(pass).pinned_bytes < sampler->info->links_bytes) {
        mr_pass_close(pass);
        return MR_OK;
    }
    for (unsigned round = 0; round < sampler->speed->rounds && status == MR_OK; round++) {
        const double start = now();
        status = mr_pass_run(pass, &run, err);
        seconds[round] = now() - start;
    }
    if (status == MR_OK) {
        const struct mr_pass_figures figures = mr_pass_get_figures(pass);
        *ns = 1e9 * median(seconds, sampler->speed->rounds) / (double)sampler->info->n_edges;
        if (pinned) {
            sampler->speed->is_decoded = figures.decoded_bytes > 0;
        } else {
            sampler->speed->cold_wait_share =
                figures.wait_seconds / (figures.seconds * figures.threads);
        }
        sampler->speed->backend = figures.backend;
        sampler->speed->direct = figures.direct;
        sampler->speed->registered_buffers = figures.registered_buffers;
    }
    mr_pass_close(pass);
    return status;
}

static enum mr_status measure_disk(struct sampler *sampler,
                                   const struct mr_store_speed_options *options,
                                   struct mr_error *err)
{
    double seconds[ROUNDS_MAX];
    enum mr_status status = MR_OK;
    for (unsigned round = 0; round < sampler->speed->rounds && status == MR_OK; round++) {
        status = time_disk(sampler, options->backend, &seconds[round], err);
    }
    if (status == MR_OK) {
        sampler->speed->disk_ns =
            1e9 * median(seconds, sampler->speed->rounds) / (double)sampler->info->n_edges;
    }
    return status;
}

enum mr_status mr_store_speed_measure(const struct mr_context *context, struct mr_store *store,
                                      const struct mr_store_speed_options *options,
                                      struct mr_store_speed *speed, struct mr_error *err)
{
    struct sampler sampler = {.context = context,
                              .store = store,
                              .info = mr_store_get_info(store),
                              .speed = speed,
                              .value = options->value};
    assert(options->struct_size == sizeof *options);
    assert(options->value != MR_VALUE_U64 && options->rounds <= ROUNDS_MAX);
    if (sampler.info->n_edges == 0) {
        return mr_error_file(err, MR_ERROR_USAGE, mr_store_path(store), 0,
                             "has no links to measure with");
    }
    *speed = (struct mr_store_speed){
        .threads = context->threads,
        .rounds = options->rounds == 0 ? ROUNDS_DEFAULT : options->rounds,
        .decoder = mr_keys_decoder_name(),
    };
    const uint64_t x_bytes = mr_pass_vector_length(sampler.info) * mr_value_bytes(sampler.value);
    enum mr_status status = allocate(context->memory, "values", x_bytes, &sampler.x, err);
    if (status == MR_OK) {
        status = measure_disk(&sampler, options, err);
    }
    if (status == MR_OK) {
        status = measure_pass(&sampler, options, false, &speed->cold_ns, err);
    }
    if (status == MR_OK) {
        status = measure_pass(&sampler, options, true, &speed->pinned_ns, err);
    }
    if (status == MR_OK) {
        status = measure_sample(&sampler, err);
    }
    mr_memory_free(context->memory, sampler.x);
    return status;
}
