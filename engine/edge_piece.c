#include "engine/edge_piece.h"

#include <assert.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine/memory.h"
#include "engine/team.h"

/* Out-degrees of a stripe are counted by one thread at a time: one lock for a tile is cheaper than a
 * locked addition for each edge. Stripes share locks. */
enum { N_LOCKS = 64 };

/* Blocks are aligned to their size, so that where a worker is says when its block is full. */
enum {
    CACHE_LINE_BYTES = 64,
    MAX_BLOCK_BYTES = 512,
    PART_ALIGNMENT = MAX_BLOCK_BYTES,
    N_PARTS = 8
};

/* Memory for blocks that nobody has taken yet. Its first bytes say what there is. */
struct extent {
    struct extent *next;
    uint64_t bytes;
};

/* Where a worker takes its blocks from. */
struct supply {
    _Alignas(64) char *at;
    char *end;
};

struct mr_edge_sorter {
    const struct mr_context *context;
    const struct mr_edge_plan *plan;
    const struct mr_edge_piece *piece;
    bool merge;
    uint64_t block_bytes;
    struct mr_base_filter *filter;
    void *buffer;
    uint64_t buffer_bytes;
    /* Parts of the buffer, for the current piece. */
    uint64_t *scratch; /* [n_sorters][mr_edge_plan_scratch][mr_edge_plan_scratch_words] */
    uint64_t *large_scratch; /* [mr_edge_plan_large_scratch][...words], under a lock of its own */
    struct mr_tile_run *runs; /* [n_runs] */
    struct mr_edge_bucket *buckets; /* [n_buckets] */
    struct mr_record_block *blocks;
    uint64_t *
        *cursors; /* [n_workers][n_buckets]: where the next record goes; NULL before the first */
    uint32_t *bucket_of; /* [cells of the piece] */
    _Atomic(char *) arena_at; /* the rest of it: blocks */
    char *arena_end;
    struct extent *given; /* under the lock behind the others */
    struct supply *supplies; /* [n_workers] */
    pthread_mutex_t locks[N_LOCKS + 2]; /* of the last two, the first for large_scratch */
    unsigned n_locks;
};

enum { LARGE_LOCK = N_LOCKS, GIVEN_LOCK };

_Static_assert(PART_ALIGNMENT *N_PARTS <= MR_EDGE_SORTER_EXTRA_BYTES, "parts are aligned");

static enum mr_status make_locks(struct mr_edge_sorter *sorter, struct mr_error *err)
{
    while (sorter->n_locks < N_LOCKS + 2) {
        int failure = pthread_mutex_init(&sorter->locks[sorter->n_locks], NULL);
        if (failure != 0) {
            return mr_error_file(err, MR_ERROR_RUNTIME, NULL, failure, "cannot make a mutex");
        }
        sorter->n_locks++;
    }
    return MR_OK;
}

enum mr_status mr_edge_sorter_create(const struct mr_context *context,
                                     const struct mr_edge_plan *plan, bool merge,
                                     struct mr_base_filter *filter, uint64_t given_bytes,
                                     struct mr_edge_sorter **out, struct mr_error *err)
{
    *out = NULL;
    struct mr_edge_sorter *sorter = calloc(1, sizeof *sorter);
    struct supply *supplies =
        aligned_alloc(_Alignof(struct supply), plan->n_workers * sizeof *supplies);
    if (sorter == NULL || supplies == NULL) {
        free(supplies);
        free(sorter);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for sorting");
    }
    sorter->context = context;
    sorter->plan = plan;
    sorter->merge = merge;
    sorter->filter = filter;
    sorter->supplies = supplies;
    sorter->block_bytes = plan->block_records * plan->record_words * sizeof(uint64_t);
    assert(sorter->block_bytes <= MAX_BLOCK_BYTES && given_bytes <= plan->max_bytes);
    sorter->buffer_bytes = plan->max_bytes - given_bytes + MR_EDGE_SORTER_EXTRA_BYTES;
    enum mr_status status =
        mr_memory_alloc(context->memory, "sort buffer", sorter->buffer_bytes, &sorter->buffer, err);
    if (status == MR_OK) {
        status = make_locks(sorter, err);
    }
    if (status != MR_OK) {
        mr_edge_sorter_destroy(sorter);
        return status;
    }
    *out = sorter;
    return MR_OK;
}

void mr_edge_sorter_destroy(struct mr_edge_sorter *sorter)
{
    if (sorter == NULL) {
        return;
    }
    while (sorter->n_locks > 0) {
        (void)pthread_mutex_destroy(&sorter->locks[--sorter->n_locks]);
    }
    mr_memory_free(sorter->context->memory, sorter->buffer);
    free(sorter->supplies);
    free(sorter);
}

static void *take(char **at, uint64_t count, uint64_t size)
{
    char *part = *at;
    *at += mr_round_up(count * size, PART_ALIGNMENT);
    return part;
}

void mr_edge_sorter_begin(struct mr_edge_sorter *sorter, const struct mr_edge_piece *piece)
{
    const struct mr_edge_plan *plan = sorter->plan;
    uint64_t n_cursors = plan->n_workers * piece->n_buckets;
    const uint64_t scratch_bytes = mr_edge_plan_scratch_words(plan) * sizeof(uint64_t);
    char *at = sorter->buffer;
    sorter->piece = piece;
    sorter->cursors = take(&at, n_cursors, sizeof *sorter->cursors);
    sorter->blocks =
        take(&at, piece->n_edges / plan->block_records + n_cursors, sizeof *sorter->blocks);
    sorter->runs = take(&at, piece->n_runs, sizeof *sorter->runs);
    sorter->buckets = take(&at, piece->n_buckets, sizeof *sorter->buckets);
    sorter->scratch = take(&at, plan->n_sorters * mr_edge_plan_scratch(plan, piece), scratch_bytes);
    sorter->large_scratch = take(&at, mr_edge_plan_large_scratch(piece), scratch_bytes);
    sorter->bucket_of = take(&at, piece->end_cell - piece->first_cell, sizeof *sorter->bucket_of);
    atomic_init(&sorter->arena_at, at);
    sorter->arena_end = (char *)sorter->buffer + sorter->buffer_bytes;
    assert(at <= sorter->arena_end);
    sorter->given = NULL;
    memset(sorter->supplies, 0, plan->n_workers * sizeof *sorter->supplies);
    memset(sorter->cursors, 0, n_cursors * sizeof *sorter->cursors);
    mr_edge_plan_buckets(sorter->plan, piece, sorter->buckets, sorter->bucket_of);
}

static enum mr_status changed(struct mr_error *err)
{
    return mr_error_set(err, MR_ERROR_RUNTIME,
                        "the temporary files changed while they were in use; check the disk");
}

/* ---- Blocks ---- */

void mr_edge_sorter_give(struct mr_edge_sorter *sorter, unsigned worker, void *memory,
                         uint64_t bytes)
{
    struct supply *supply = &sorter->supplies[worker];
    assert((uintptr_t)memory % MAX_BLOCK_BYTES == 0 && bytes % MAX_BLOCK_BYTES == 0);
    if (supply->at == supply->end) {
        *supply = (struct supply){.at = memory, .end = (char *)memory + bytes};
        return;
    }
    struct extent *extent = memory;
    extent->bytes = bytes;
    (void)pthread_mutex_lock(&sorter->locks[GIVEN_LOCK]);
    extent->next = sorter->given;
    sorter->given = extent;
    (void)pthread_mutex_unlock(&sorter->locks[GIVEN_LOCK]);
}

/* More blocks: of what was given, or else of the sorter's own. False when there are none, which the plan
 * rules out for the edges that were counted. */
static bool refill(struct mr_edge_sorter *sorter, struct supply *supply)
{
    (void)pthread_mutex_lock(&sorter->locks[GIVEN_LOCK]);
    struct extent *extent = sorter->given;
    sorter->given = extent != NULL ? extent->next : NULL;
    (void)pthread_mutex_unlock(&sorter->locks[GIVEN_LOCK]);
    if (extent != NULL) {
        *supply = (struct supply){.at = (char *)extent, .end = (char *)extent + extent->bytes};
        return true;
    }
    uint64_t bytes = MR_EDGE_BLOCKS_TAKEN * sorter->block_bytes;
    char *at = atomic_load_explicit(&sorter->arena_at, memory_order_relaxed);
    do {
        uint64_t left = (uint64_t)(sorter->arena_end - at);
        bytes = mr_min_u64(bytes, left - left % sorter->block_bytes);
    } while (!atomic_compare_exchange_weak(&sorter->arena_at, &at, at + bytes));
    *supply = (struct supply){.at = at, .end = at + bytes};
    return bytes > 0;
}

/* Hand the block that ends before `end` over to its bucket. False when that has its blocks already. */
static bool hand_over(struct mr_edge_sorter *sorter, struct mr_edge_bucket *bucket, uint64_t *end,
                      uint32_t n_records)
{
    uint32_t at = atomic_fetch_add_explicit(&bucket->n_blocks, 1, memory_order_relaxed);
    if (at >= mr_edge_plan_blocks(sorter->plan, bucket->n_edges)) {
        return false;
    }
    sorter->blocks[bucket->first_block + at] = (struct mr_record_block){
        .records = end - (uint64_t)n_records * sorter->plan->record_words, .n_records = n_records};
    return true;
}

/* The worker's block of `bucket` is full, or there is none yet: where the next record goes, or NULL. */
static uint64_t *next_block(struct mr_edge_sorter *sorter, unsigned worker,
                            struct mr_edge_bucket *bucket, uint64_t *cursor)
{
    struct supply *supply = &sorter->supplies[worker];
    if ((cursor != NULL && !hand_over(sorter, bucket, cursor, sorter->plan->block_records)) ||
        (supply->at == supply->end && !refill(sorter, supply))) {
        return NULL;
    }
    cursor = (uint64_t *)(void *)supply->at;
    supply->at += sorter->block_bytes;
    /* It fills slowly, among a thousand others: its lines come while it does. */
    for (char *line = (char *)cursor; line < supply->at; line += CACHE_LINE_BYTES) {
        __builtin_prefetch(line, 1);
    }
    return cursor;
}

static inline enum mr_status add_some(struct mr_edge_sorter *sorter, unsigned worker,
                                      const uint32_t (*pairs)[2], const float *weights,
                                      size_t n_pairs, unsigned words, struct mr_error *err)
{
    const struct mr_edge_grid grid = *sorter->plan->grid;
    const uint64_t first_cell = sorter->piece->first_cell;
    const uint64_t n_cells = sorter->piece->end_cell - first_cell;
    const uint64_t n_buckets = sorter->piece->n_buckets;
    const uintptr_t mask = sorter->block_bytes - 1;
    uint64_t **cursors = sorter->cursors + worker * n_buckets;
    const uint32_t *bucket_of = sorter->bucket_of;
    if (n_buckets == 0) {
        return n_pairs == 0 ? MR_OK : changed(err);
    }
    for (size_t i = 0; i < n_pairs; i++) {
        uint32_t source = pairs[i][0], target = pairs[i][1];
        uint64_t cell = mr_edge_grid_cell(&grid, source, target) - first_cell;
        if (cell >= n_cells) {
            return changed(err);
        }
        uint32_t bucket = bucket_of[cell];
        uint64_t *cursor = cursors[bucket];
        if (((uintptr_t)cursor & mask) == 0) { /* also where it is NULL */
            cursor = next_block(sorter, worker, &sorter->buckets[bucket], cursor);
            if (cursor == NULL) {
                return changed(err);
            }
        }
        *cursor = mr_edge_grid_record(&grid, source, target);
        if (words == 2) {
            uint32_t bits;
            memcpy(&bits, &weights[i], sizeof bits);
            cursor[1] = bits;
        }
        cursors[bucket] = cursor + words;
    }
    return MR_OK;
}

enum mr_status mr_edge_sorter_add(struct mr_edge_sorter *sorter, unsigned worker,
                                  const uint32_t (*pairs)[2], const float *weights, size_t n_pairs,
                                  struct mr_error *err)
{
    return sorter->plan->record_words == 1
               ? add_some(sorter, worker, pairs, NULL, n_pairs, 1, err)
               : add_some(sorter, worker, pairs, weights, n_pairs, 2, err);
}

enum mr_status mr_edge_sorter_flush(struct mr_edge_sorter *sorter, unsigned worker,
                                    struct mr_error *err)
{
    const uint64_t n_buckets = sorter->piece->n_buckets;
    const uintptr_t mask = sorter->block_bytes - 1;
    const unsigned words = sorter->plan->record_words;
    uint64_t **cursors = sorter->cursors + worker * n_buckets;
    for (uint64_t b = 0; b < n_buckets; b++) {
        uint64_t bytes = (uintptr_t)cursors[b] & mask;
        uint64_t n_words = (bytes > 0 ? bytes : mask + 1) / sizeof(uint64_t);
        if (cursors[b] != NULL &&
            !hand_over(sorter, &sorter->buckets[b], cursors[b], (uint32_t)(n_words / words))) {
            return changed(err);
        }
        cursors[b] = NULL;
    }
    return MR_OK;
}

/* ---- Sorting ---- */

/* False when a degree overflows. */
static bool count_sources(const uint32_t *restrict keys, uint32_t n_keys, unsigned band_bits,
                          uint32_t *restrict degrees)
{
    bool overflowed = false;
    for (uint32_t i = 0; i < n_keys; i++) {
        overflowed |= ++degrees[keys[i] >> band_bits] == 0;
    }
    return !overflowed;
}

/* Edges v -> v in a diagonal tile whose sources begin `shift` after the band's targets. */
static uint64_t count_self_loops(const uint32_t *keys, uint32_t n_keys, unsigned band_bits,
                                 uint32_t shift)
{
    uint32_t mask = ((uint32_t)1 << band_bits) - 1;
    uint64_t n_loops = 0;
    for (uint32_t i = 0; i < n_keys; i++) {
        n_loops += (keys[i] >> band_bits) + shift == (keys[i] & mask);
    }
    return n_loops;
}

/* Out-degrees and self-loops of a sorted bucket. False when a degree overflows. */
static bool count_bucket(struct mr_edge_sorter *sorter, const struct mr_edge_bucket *bucket,
                         const uint32_t *keys, uint32_t *out_degrees, uint64_t *n_loops)
{
    const struct mr_edge_grid *grid = sorter->plan->grid;
    const struct mr_tile_run *runs = sorter->runs + bucket->first_run;
    bool fits = true;
    for (uint32_t i = 0; i < bucket->n_runs; i++) {
        uint32_t stripe = mr_edge_grid_stripe(grid, bucket->band, runs[i].order);
        uint64_t first_source = (uint64_t)stripe << grid->stripe_bits;
        pthread_mutex_t *lock = &sorter->locks[stripe % N_LOCKS];
        (void)pthread_mutex_lock(lock);
        fits &= count_sources(keys, runs[i].n_keys, grid->band_bits, out_degrees + first_source);
        (void)pthread_mutex_unlock(lock);
        if (runs[i].order >= grid->n_stripes) {
            uint32_t shift = (uint32_t)(first_source - ((uint64_t)bucket->band << grid->band_bits));
            *n_loops += count_self_loops(keys, runs[i].n_keys, grid->band_bits, shift);
        }
        keys += runs[i].n_keys;
    }
    return fits;
}

/* The keys of a bucket, and its weights unless NULL, to its blocks, whose records are used up. */
static void store_keys(struct mr_edge_sorter *sorter, const struct mr_edge_bucket *bucket,
                       const uint32_t *keys, const float *weights, uint64_t n_keys)
{
    const struct mr_record_block *block = sorter->blocks + bucket->first_block;
    const uint64_t room = 2 * (uint64_t)sorter->plan->block_records;
    for (; n_keys > 0; block++) {
        uint64_t n = mr_min_u64(n_keys, room);
        uint32_t *to = (uint32_t *)(void *)block->records;
        memcpy(to, keys, n * sizeof *keys);
        if (weights != NULL) {
            memcpy(to + room, weights, n * sizeof *weights);
            weights += n;
        }
        keys += n;
        n_keys -= n;
    }
}

/* The records of a bucket with weights together, sorted there: `scratch` has three words for each. */
static void sort_weighted(struct mr_edge_sorter *sorter, struct mr_edge_bucket *bucket,
                          uint64_t *scratch, struct mr_tile_run *runs, bool *overflows)
{
    const struct mr_record_block *block = sorter->blocks + bucket->first_block;
    const uint32_t n_blocks = atomic_load_explicit(&bucket->n_blocks, memory_order_relaxed);
    uint64_t *to = scratch;
    for (uint32_t b = 0; b < n_blocks; b++, block++) {
        memcpy(to, block->records, 2 * block->n_records * sizeof *to);
        to += 2 * (uint64_t)block->n_records;
    }
    bucket->n_runs = mr_sort_weighted_bucket((uint64_t(*)[2])(void *)scratch, bucket->n_edges,
                                             bucket->first_order, bucket->span, sorter->merge, to,
                                             runs, overflows);
}

/* In `scratch`, which has room for the bucket. */
static bool sort_within(struct mr_edge_sorter *sorter, struct mr_edge_bucket *bucket,
                        uint64_t *scratch, uint32_t *out_degrees, uint64_t *n_edges,
                        uint64_t *n_loops, bool *overflows, unsigned thread,
                        enum mr_status *filtered, struct mr_error *err)
{
    struct mr_tile_run *runs = sorter->runs + bucket->first_run;
    const float *weights = NULL;
    uint64_t n_keys = 0;
    if (sorter->plan->record_words == 2) {
        sort_weighted(sorter, bucket, scratch, runs, overflows);
        weights = mr_sorted_weights(scratch, bucket->n_edges);
    } else {
        bool in_place = mr_edge_plan_in_place(sorter->plan, bucket->n_edges, bucket->span);
        bucket->n_runs = mr_sort_bucket(
            sorter->blocks + bucket->first_block,
            atomic_load_explicit(&bucket->n_blocks, memory_order_relaxed), bucket->n_edges,
            bucket->first_order, bucket->span, sorter->merge, in_place, scratch, runs);
    }
    if (sorter->filter != NULL) { /* without weights: flags go behind the keys */
        uint32_t *keys = (uint32_t *)(void *)scratch;
        *filtered =
            mr_base_filter_apply(sorter->filter, thread, sorter->plan->grid, bucket->band, runs,
                                 &bucket->n_runs, keys, (uint8_t *)(keys + bucket->n_edges), err);
    }
    for (uint32_t i = 0; i < bucket->n_runs; i++) {
        n_keys += runs[i].n_keys;
    }
    bool fits = count_bucket(sorter, bucket, mr_sorted_keys(scratch), out_degrees, n_loops);
    store_keys(sorter, bucket, mr_sorted_keys(scratch), weights, n_keys);
    *n_edges += n_keys;
    return fits;
}

/* Are the edges in the bucket's blocks as many as were counted? */
static bool is_whole(const struct mr_edge_sorter *sorter, const struct mr_edge_bucket *bucket)
{
    uint32_t n_blocks = atomic_load_explicit(&bucket->n_blocks, memory_order_relaxed);
    uint64_t n_records = 0;
    for (uint32_t b = 0; b < n_blocks; b++) {
        n_records += sorter->blocks[bucket->first_block + b].n_records;
    }
    return n_records == bucket->n_edges;
}

static enum mr_status sort_bucket(struct mr_edge_sorter *sorter, struct mr_edge_bucket *bucket,
                                  unsigned thread, uint32_t *out_degrees, uint64_t *n_edges,
                                  uint64_t *n_loops, struct mr_error *err)
{
    const uint64_t room = mr_edge_plan_scratch(sorter->plan, sorter->piece);
    enum mr_status filtered = MR_OK;
    bool fits, overflows = false;
    if (!is_whole(sorter, bucket)) {
        return changed(err);
    }
    if (bucket->n_edges <= room) {
        uint64_t *scratch =
            sorter->scratch + thread * room * mr_edge_plan_scratch_words(sorter->plan);
        fits = sort_within(sorter, bucket, scratch, out_degrees, n_edges, n_loops, &overflows,
                           thread, &filtered, err);
    } else {
        (void)pthread_mutex_lock(&sorter->locks[LARGE_LOCK]);
        fits = sort_within(sorter, bucket, sorter->large_scratch, out_degrees, n_edges, n_loops,
                           &overflows, thread, &filtered, err);
        (void)pthread_mutex_unlock(&sorter->locks[LARGE_LOCK]);
    }
    if (filtered != MR_OK) {
        return filtered;
    }
    if (overflows) {
        return mr_error_set(err, MR_ERROR_INPUT,
                            "the weights of a link that is told several times add up to more than "
                            "a 32-bit float holds; scale them down");
    }
    return fits ? MR_OK
                : mr_error_set(err, MR_ERROR_INPUT,
                               "a vertex has more than 4294967295 out-links, counting duplicates; "
                               "merge them");
}

/* ---- Strengths ---- */

/* Sources whose strengths one thread adds up at a time. */
enum { STRENGTH_JOBS_PER_THREAD = 4 };

struct strengths {
    double *out;
    float least, most; /* 0: none yet */
};

static void add_strengths(const uint32_t *keys, const float *weights, uint32_t n_keys,
                          unsigned band_bits, struct strengths *s, uint64_t first_source)
{
    double *out = s->out + first_source;
    for (uint32_t i = 0; i < n_keys; i++) {
        const float weight = weights[i];
        out[keys[i] >> band_bits] += (double)weight;
        s->least = s->least == 0 || weight < s->least ? weight : s->least;
        s->most = weight > s->most ? weight : s->most;
    }
}

/* Of stripes [first, end), in all buckets of the piece, one after the other. */
static void add_strengths_of(const struct mr_edge_grid *grid, const struct mr_sorted_piece *sorted,
                             uint32_t first, uint32_t end, struct strengths *s)
{
    for (uint64_t b = 0; b < sorted->piece->n_buckets; b++) {
        const struct mr_edge_bucket *bucket = &sorted->buckets[b];
        const struct mr_tile_run *runs = sorted->runs + bucket->first_run;
        uint32_t at = 0;
        for (uint32_t i = 0; i < bucket->n_runs; at += runs[i++].n_keys) {
            const uint32_t stripe = mr_edge_grid_stripe(grid, bucket->band, runs[i].order);
            uint32_t n = 0;
            for (uint32_t done = 0; stripe >= first && stripe < end && done < runs[i].n_keys;
                 done += n) {
                const uint32_t *keys = mr_sorted_piece_keys(sorted, bucket, at + done, &n);
                n = n < runs[i].n_keys - done ? n : runs[i].n_keys - done;
                add_strengths(keys, mr_sorted_piece_weights(sorted, bucket, at + done), n,
                              grid->band_bits, s, (uint64_t)stripe << grid->stripe_bits);
            }
        }
    }
}

/* A stripe is one thread's, so that its sums have one order. */
static void sum_strengths(const struct mr_edge_sorter *sorter, const struct mr_sorted_piece *sorted,
                          struct mr_sort_tally *tally)
{
    const uint32_t n_stripes = sorter->plan->grid->n_stripes;
    const uint32_t n_jobs =
        (uint32_t)mr_min_u64(n_stripes, STRENGTH_JOBS_PER_THREAD * sorter->plan->n_sorters);
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)sorter->plan->n_sorters)
    for (uint32_t job = 0; job < n_jobs; job++) {
        struct strengths s = {.out = tally->out_strengths};
        add_strengths_of(sorter->plan->grid, sorted, (uint32_t)((uint64_t)n_stripes * job / n_jobs),
                         (uint32_t)((uint64_t)n_stripes * (job + 1) / n_jobs), &s);
#pragma omp critical(mr_sum_strengths)
        if (s.most > 0) {
            const bool is_first = tally->most_weight == 0;
            tally->least_weight =
                is_first || s.least < tally->least_weight ? s.least : tally->least_weight;
            tally->most_weight = s.most > tally->most_weight ? s.most : tally->most_weight;
        }
    }
}

enum mr_status mr_edge_sorter_sort(struct mr_edge_sorter *sorter, struct mr_sort_tally *tally,
                                   struct mr_sorted_piece *sorted, struct mr_error *err)
{
    struct mr_team team;
    uint64_t n_edges = 0, n_loops = 0;
    enum mr_status status = mr_team_begin(&team, sorter->context, sorter->piece->n_buckets, err);
    if (status != MR_OK) {
        return status;
    }
#pragma omp parallel num_threads((int)sorter->plan->n_sorters) reduction(+ : n_edges, n_loops)
    {
        struct mr_error error = {.status = MR_OK};
        unsigned thread = (unsigned)omp_get_thread_num();
        uint64_t job;
        while (mr_team_next(&team, &job)) {
            enum mr_status failure = sort_bucket(sorter, &sorter->buckets[job], thread,
                                                 tally->out_degrees, &n_edges, &n_loops, &error);
            if (failure != MR_OK) {
                mr_team_fail(&team, failure, &error);
            }
        }
    }
    tally->n_edges += n_edges;
    tally->n_self_loops += n_loops;
    *sorted = (struct mr_sorted_piece){
        .piece = sorter->piece,
        .buckets = sorter->buckets,
        .blocks = sorter->blocks,
        .runs = sorter->runs,
        .block_keys = 2 * sorter->plan->block_records,
    };
    status = mr_team_end(&team, err);
    if (status == MR_OK && tally->out_strengths != NULL) {
        sum_strengths(sorter, sorted, tally);
    }
    return status;
}
