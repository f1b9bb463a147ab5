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

enum { PART_ALIGNMENT = 64, N_PARTS = 8 };

struct mr_edge_sorter {
    const struct mr_context *context;
    const struct mr_edge_plan *plan;
    const struct mr_edge_piece *piece;
    bool merge;
    void *buffer;
    /* Parts of the buffer, for the current piece. */
    uint64_t *records; /* [n_edges][record_words] */
    uint32_t *scratch; /* [n_sorters][mr_edge_plan_scratch][record_words] */
    uint32_t
        *large_scratch; /* [mr_edge_plan_large_scratch][record_words], with a lock of its own */
    struct mr_tile_run *runs; /* [n_runs] */
    struct mr_edge_bucket *buckets; /* [n_buckets] */
    uint64_t *lines; /* [n_workers][n_buckets][line_records][record_words] */
    uint32_t *fills; /* [n_workers][n_buckets] */
    uint32_t *bucket_of; /* [cells of the piece] */
    pthread_mutex_t locks[N_LOCKS + 1]; /* the last one for large_scratch */
    unsigned n_locks;
};

_Static_assert(PART_ALIGNMENT *N_PARTS <= MR_EDGE_SORTER_EXTRA_BYTES, "parts are aligned");

enum mr_status mr_edge_sorter_create(const struct mr_context *context,
                                     const struct mr_edge_plan *plan, bool merge,
                                     struct mr_edge_sorter **out, struct mr_error *err)
{
    *out = NULL;
    struct mr_edge_sorter *sorter = calloc(1, sizeof *sorter);
    if (sorter == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for sorting");
    }
    sorter->context = context;
    sorter->plan = plan;
    sorter->merge = merge;
    enum mr_status status =
        mr_memory_alloc(context->memory, "sort buffer",
                        plan->max_bytes + MR_EDGE_SORTER_EXTRA_BYTES, &sorter->buffer, err);
    while (status == MR_OK && sorter->n_locks < N_LOCKS + 1) {
        int failure = pthread_mutex_init(&sorter->locks[sorter->n_locks], NULL);
        if (failure != 0) {
            status = mr_error_file(err, MR_ERROR_RUNTIME, NULL, failure, "cannot make a mutex");
        } else {
            sorter->n_locks++;
        }
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
    uint64_t n_lines = plan->n_workers * piece->n_buckets;
    const uint64_t words = plan->record_words;
    char *at = sorter->buffer;
    sorter->piece = piece;
    sorter->records = take(&at, piece->n_edges * words, sizeof *sorter->records);
    sorter->lines = take(&at, n_lines * plan->line_records * words, sizeof *sorter->lines);
    sorter->runs = take(&at, piece->n_runs, sizeof *sorter->runs);
    sorter->buckets = take(&at, piece->n_buckets, sizeof *sorter->buckets);
    sorter->scratch = take(&at, plan->n_sorters * mr_edge_plan_scratch(plan, piece) * words,
                           sizeof *sorter->scratch);
    sorter->large_scratch =
        take(&at, mr_edge_plan_large_scratch(plan, piece) * words, sizeof *sorter->large_scratch);
    sorter->fills = take(&at, n_lines, sizeof *sorter->fills);
    sorter->bucket_of = take(&at, piece->end_cell - piece->first_cell, sizeof *sorter->bucket_of);
    assert((uint64_t)(at - (char *)sorter->buffer) <=
           sorter->plan->max_bytes + MR_EDGE_SORTER_EXTRA_BYTES);
    memset(sorter->fills, 0, n_lines * sizeof *sorter->fills);
    mr_edge_plan_buckets(sorter->plan, piece, sorter->buckets, sorter->bucket_of);
}

static enum mr_status changed(struct mr_error *err)
{
    return mr_error_set(err, MR_ERROR_RUNTIME,
                        "the temporary files changed while they were in use; check the disk");
}

/* Move `n` records of a line to their bucket. */
static bool flush_line(struct mr_edge_sorter *sorter, struct mr_edge_bucket *bucket,
                       const uint64_t *line, uint32_t n)
{
    uint32_t at = atomic_fetch_add_explicit(&bucket->n_filled, n, memory_order_relaxed);
    if (at > bucket->n_edges || n > bucket->n_edges - at) {
        return false;
    }
    const uint64_t words = sorter->plan->record_words;
    memcpy(sorter->records + (bucket->first_edge + at) * words, line, n * words * sizeof *line);
    return true;
}

static inline enum mr_status add_some(struct mr_edge_sorter *sorter, unsigned worker,
                                      const uint32_t (*pairs)[2], const float *weights,
                                      size_t n_pairs, unsigned words, struct mr_error *err)
{
    const struct mr_edge_grid grid = *sorter->plan->grid;
    const uint64_t first_cell = sorter->piece->first_cell;
    const uint64_t n_cells = sorter->piece->end_cell - first_cell;
    const uint64_t n_buckets = sorter->piece->n_buckets;
    const uint32_t line_records = sorter->plan->line_records;
    uint32_t *fills = sorter->fills + worker * n_buckets;
    uint64_t *lines = sorter->lines + worker * n_buckets * line_records * words;
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
        uint32_t bucket = bucket_of[cell], fill = fills[bucket];
        uint64_t *line = lines + (uint64_t)bucket * line_records * words;
        line[fill * words] = mr_edge_grid_record(&grid, source, target);
        if (words == 2) {
            uint32_t bits;
            memcpy(&bits, &weights[i], sizeof bits);
            line[fill * words + 1] = bits;
        }
        if (++fill == line_records) {
            if (!flush_line(sorter, &sorter->buckets[bucket], line, fill)) {
                return changed(err);
            }
            fill = 0;
        }
        fills[bucket] = fill;
    }
    return MR_OK;
}

enum mr_status mr_edge_sorter_add(struct mr_edge_sorter *sorter, unsigned worker,
                                  const uint32_t (*pairs)[2], const float *weights, size_t n_pairs,
                                  struct mr_error *err)
{
    assert((weights != NULL) == (sorter->plan->record_words == 2));
    return weights == NULL ? add_some(sorter, worker, pairs, NULL, n_pairs, 1, err)
                           : add_some(sorter, worker, pairs, weights, n_pairs, 2, err);
}

enum mr_status mr_edge_sorter_flush(struct mr_edge_sorter *sorter, unsigned worker,
                                    struct mr_error *err)
{
    const uint64_t n_buckets = sorter->piece->n_buckets;
    const uint32_t line_records = sorter->plan->line_records;
    uint32_t *fills = sorter->fills + worker * n_buckets;
    const uint64_t line_words = (uint64_t)line_records * sorter->plan->record_words;
    const uint64_t *lines = sorter->lines + worker * n_buckets * line_words;
    for (uint64_t b = 0; b < n_buckets; b++) {
        if (fills[b] > 0 &&
            !flush_line(sorter, &sorter->buckets[b], lines + b * line_words, fills[b])) {
            return changed(err);
        }
        fills[b] = 0;
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

/* Sort a bucket into tiles, in the scratch of `thread` or, one after the other, in the large one. */
static void split_bucket(struct mr_edge_sorter *sorter, struct mr_edge_bucket *bucket,
                         unsigned thread, bool *overflows)
{
    const unsigned words = sorter->plan->record_words;
    uint64_t room = mr_edge_plan_scratch(sorter->plan, sorter->piece);
    bool is_large = bucket->n_edges > room;
    uint32_t *scratch = is_large ? sorter->large_scratch : sorter->scratch + thread * room * words;
    uint64_t *records = sorter->records + bucket->first_edge * words;
    struct mr_tile_run *runs = sorter->runs + bucket->first_run;
    if (is_large) {
        (void)pthread_mutex_lock(&sorter->locks[N_LOCKS]);
    }
    if (words == 1) {
        bucket->n_runs = mr_sort_bucket(records, bucket->n_edges, bucket->first_order, bucket->span,
                                        sorter->merge, scratch, runs);
    } else {
        bucket->n_runs = mr_sort_weighted_bucket((uint64_t(*)[2])(void *)records, bucket->n_edges,
                                                 bucket->first_order, bucket->span, sorter->merge,
                                                 (uint64_t *)(void *)scratch, runs, overflows);
    }
    if (is_large) {
        (void)pthread_mutex_unlock(&sorter->locks[N_LOCKS]);
    }
}

static enum mr_status sort_bucket(struct mr_edge_sorter *sorter, struct mr_edge_bucket *bucket,
                                  unsigned thread, uint32_t *out_degrees, uint64_t *n_edges,
                                  uint64_t *n_loops, struct mr_error *err)
{
    const struct mr_edge_grid *grid = sorter->plan->grid;
    const struct mr_tile_run *runs = sorter->runs + bucket->first_run;
    const uint32_t *keys =
        mr_sorted_keys(sorter->records + bucket->first_edge * sorter->plan->record_words);
    bool fits = true, overflows = false;

    if (atomic_load_explicit(&bucket->n_filled, memory_order_relaxed) != bucket->n_edges) {
        return changed(err);
    }
    split_bucket(sorter, bucket, thread, &overflows);
    if (overflows) {
        return mr_error_set(err, MR_ERROR_INPUT,
                            "the weights of a link that is told several times add up to more than "
                            "a 32-bit float holds; scale them down");
    }
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
        *n_edges += runs[i].n_keys;
        keys += runs[i].n_keys;
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
static void add_strengths_of(const struct mr_edge_sorter *sorter, uint32_t first, uint32_t end,
                             struct strengths *s)
{
    const struct mr_edge_grid *grid = sorter->plan->grid;
    for (uint64_t b = 0; b < sorter->piece->n_buckets; b++) {
        const struct mr_edge_bucket *bucket = &sorter->buckets[b];
        const struct mr_tile_run *runs = sorter->runs + bucket->first_run;
        const uint64_t *records = sorter->records + bucket->first_edge * sorter->plan->record_words;
        const uint32_t *keys = mr_sorted_keys(records);
        const float *weights = mr_sorted_weights(records, bucket->n_edges);
        for (uint32_t i = 0; i < bucket->n_runs; i++) {
            const uint32_t stripe = mr_edge_grid_stripe(grid, bucket->band, runs[i].order);
            if (stripe >= first && stripe < end) {
                add_strengths(keys, weights, runs[i].n_keys, grid->band_bits, s,
                              (uint64_t)stripe << grid->stripe_bits);
            }
            keys += runs[i].n_keys;
            weights += runs[i].n_keys;
        }
    }
}

/* A stripe is one thread's, so that its sums have one order. */
static void sum_strengths(const struct mr_edge_sorter *sorter, struct mr_sort_tally *tally)
{
    const uint32_t n_stripes = sorter->plan->grid->n_stripes;
    const uint32_t n_jobs =
        (uint32_t)mr_min_u64(n_stripes, STRENGTH_JOBS_PER_THREAD * sorter->plan->n_sorters);
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)sorter->plan->n_sorters)
    for (uint32_t job = 0; job < n_jobs; job++) {
        struct strengths s = {.out = tally->out_strengths};
        add_strengths_of(sorter, (uint32_t)((uint64_t)n_stripes * job / n_jobs),
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
        .records = sorter->records,
        .record_words = sorter->plan->record_words,
        .runs = sorter->runs,
    };
    status = mr_team_end(&team, err);
    if (status == MR_OK && tally->out_strengths != NULL) {
        sum_strengths(sorter, tally);
    }
    return status;
}
