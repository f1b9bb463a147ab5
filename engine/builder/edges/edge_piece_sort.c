/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts the buckets of a loaded piece, merges duplicates, and counts out-degrees, strengths and
 * self-loops. Each bucket fits into a cache and has one thread, so the result does not depend on
 * the number of threads. The band pipeline then encodes the piece. */
#include <string.h>

#include "engine/base/team.h"
#include "engine/builder/edges/edge_piece_internal.h"
#include "engine/io/scratch_file.h"

/* Returns false when a degree overflows. */
static bool count_sources(const uint32_t *restrict keys, uint32_t n_keys, unsigned band_bits,
                          uint32_t *restrict degrees)
{
    bool overflowed = false;
    for (uint32_t i = 0; i < n_keys; i++) {
        overflowed |= ++degrees[keys[i] >> band_bits] == 0;
    }
    return !overflowed;
}

/* Count edges v -> v in a diagonal tile. Its sources begin `shift` after the band's targets. */
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

/* Count out-degrees and self-loops of a sorted bucket. Returns false when a degree overflows. */
static bool count_bucket(struct mr_edge_sorter *sorter, const struct mr_edge_bucket *bucket,
                         const uint32_t *keys, uint32_t *out_degrees, uint64_t *n_loops)
{
    const struct mr_edge_grid *grid = sorter->plan->grid;
    const struct mr_tile_run *runs = sorter->runs + bucket->first_run;
    bool fits = true;
    for (uint32_t i = 0; i < bucket->n_runs; i++) {
        uint32_t stripe = mr_edge_grid_stripe(grid, bucket->band, runs[i].order);
        uint64_t first_source = (uint64_t)stripe << grid->stripe_bits;
        pthread_mutex_t *lock = &sorter->locks[stripe % MR_SORTER_LOCKS];
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

/* Write the keys of a bucket, and its weights unless NULL, to the bucket's blocks. They replace its
 * records. */
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

/* Copy the records of a bucket with weights to `scratch`, three words for each, and sort them
 * there. */
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

/* Sort a bucket in `scratch`, which has room for it. */
static bool sort_within(struct mr_edge_sorter *sorter, struct mr_edge_bucket *bucket,
                        uint64_t *scratch, uint32_t *out_degrees, uint64_t *n_edges,
                        uint64_t *n_loops, bool *overflows)
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
    for (uint32_t i = 0; i < bucket->n_runs; i++) {
        n_keys += runs[i].n_keys;
    }
    bool fits = count_bucket(sorter, bucket, mr_sorted_keys(scratch), out_degrees, n_loops);
    store_keys(sorter, bucket, mr_sorted_keys(scratch), weights, n_keys);
    *n_edges += n_keys;
    return fits;
}

/* Are there as many edges in the bucket's blocks as were counted? */
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
    const uint64_t words = mr_edge_plan_scratch_words(sorter->plan);
    const uint64_t room = mr_edge_plan_scratch(sorter->plan, sorter->piece);
    bool fits, overflows = false;
    if (!is_whole(sorter, bucket)) {
        return mr_scratch_changed(err);
    }
    if (bucket->n_edges <= room) {
        uint64_t *scratch = sorter->scratch + thread * room * words;
        fits = sort_within(sorter, bucket, scratch, out_degrees, n_edges, n_loops, &overflows);
    } else {
        const unsigned large = thread % sorter->plan->n_large;
        uint64_t *scratch =
            sorter->large_scratch + large * mr_edge_plan_large_scratch(sorter->piece) * words;
        pthread_mutex_t *lock = &sorter->locks[MR_SORTER_LARGE_LOCK + large % MR_SORTER_LOCKS];
        (void)pthread_mutex_lock(lock);
        fits = sort_within(sorter, bucket, scratch, out_degrees, n_edges, n_loops, &overflows);
        (void)pthread_mutex_unlock(lock);
    }
    if (overflows) {
        return mr_error_set(err, MR_ERROR_INPUT,
                            "the weights of a link that is told several times add up to more than "
                            "a 32-bit float holds; scale them down");
    }
    return fits ? MR_OK
                : mr_error_set(err, MR_ERROR_INPUT,
                               "a page has more than 4294967295 out-links, counting duplicates; "
                               "merge them");
}

/* ---- Strengths ---- */

/* The sources are cut into this many jobs per thread. */
enum { STRENGTH_JOBS_PER_THREAD = 4 };

struct strengths {
    double *out;
    float least, most; /* 0 before the first edge */
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

/* Add up the strengths of stripes [first, end), over all buckets of the piece in order. */
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

/* One thread adds up all strengths of a stripe, so the sums have a fixed order. */
static void sum_strengths(const struct mr_edge_sorter *sorter, const struct mr_sorted_piece *sorted,
                          struct mr_sort_tally *tally)
{
    const uint32_t n_stripes = sorter->plan->grid->n_stripes;
    const uint32_t n_jobs =
        (uint32_t)mr_min_u64(n_stripes, STRENGTH_JOBS_PER_THREAD * sorter->plan->n_sorters);
#pragma omp parallel for schedule(dynamic, 1) num_threads(mr_team_threads(sorter->plan->n_sorters))
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

/* A mr_team_work. */
static enum mr_status sort_buckets(void *data, struct mr_team *team, unsigned worker,
                                   struct mr_error *err)
{
    struct mr_edge_sorter *sorter = data;
    struct mr_sort_tally *tally = sorter->tally;
    uint64_t n_edges = 0, n_loops = 0, job;
    enum mr_status status = MR_OK;

    while (status == MR_OK && mr_team_next(team, &job)) {
        status = sort_bucket(sorter, &sorter->buckets[job], worker, tally->out_degrees, &n_edges,
                             &n_loops, err);
    }
#pragma omp critical(mr_sort_tally)
    {
        tally->n_edges += n_edges;
        tally->n_self_loops += n_loops;
    }
    return status;
}

enum mr_status mr_edge_sorter_sort(struct mr_edge_sorter *sorter, struct mr_sort_tally *tally,
                                   struct mr_sorted_piece *sorted, struct mr_error *err)
{
    sorter->tally = tally;
    const enum mr_status status = mr_team_run(sorter->context, sorter->piece->n_buckets,
                                              sorter->plan->n_sorters, sort_buckets, sorter, err);
    *sorted = (struct mr_sorted_piece){
        .piece = sorter->piece,
        .buckets = sorter->buckets,
        .blocks = sorter->blocks,
        .runs = sorter->runs,
        .block_keys = 2 * sorter->plan->block_records,
    };
    if (status == MR_OK && tally->out_strengths != NULL) {
        sum_strengths(sorter, sorted, tally);
    }
    return status;
}
