/* SPDX-License-Identifier: Apache-2.0 */
/* Scans the whole spool with all threads. It numbers the vertices of each chunk, drops or reverses
 * edges as the options say, and passes the pairs to a visitor: for counting, for ordering by
 * degree, and for sorting. */
#include "engine/builder/edges/spool_scan.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/team.h"

unsigned mr_spool_scan_workers(const struct mr_context *context, uint64_t bytes_each)
{
    uint64_t quarter = mr_memory_available(context->memory) / 4;
    uint64_t affordable = quarter / (bytes_each + MR_SPOOL_CHUNK_BYTES);
    return (unsigned)mr_max_u64(1, mr_min_u64(affordable, context->threads));
}

static void report(const struct mr_context *context, const struct mr_spool_scan *scan,
                   uint64_t done)
{
    struct mr_spool_figures figures = mr_spool_figures_of(scan->spool);
    if (context->progress == NULL || figures.n_chunks == 0) {
        return;
    }
    double share = (double)done / (double)figures.n_chunks;
    const struct mr_progress progress = {
        .stage = scan->stage,
        .done = done,
        .total = figures.n_chunks,
        .unit = "chunks",
        .edges = (uint64_t)(share * (double)figures.n_edges),
        .bytes = (uint64_t)(share * (double)figures.bytes),
        .error_bound = -1,
    };
    context->progress(context->progress_data, &progress);
}

/* Each worker begins with a stretch of consecutive chunks. When its stretch is done, it helps with
 * the next one. Edges mostly come in some order. Workers that are far apart in it rarely write to
 * the same words, cells and buckets. And the edges that one worker puts into a bucket stay in
 * order, which is half of the sorting. */
struct stretch {
    _Alignas(64) _Atomic uint64_t next;
    uint64_t end;
};

struct schedule {
    unsigned n_workers;
    struct stretch *stretches; /* [n_workers]: runs of `order` */
    uint64_t *order; /* [n_chunks] */
};

static enum mr_status make_schedule(const struct mr_spool_scan *scan, uint64_t n_chunks,
                                    struct schedule *schedule, struct mr_error *err)
{
    const unsigned n = scan->n_workers;
    schedule->n_workers = n;
    schedule->stretches = aligned_alloc(_Alignof(struct stretch), n * sizeof(struct stretch));
    schedule->order = malloc((n_chunks + 1) * sizeof *schedule->order);
    if (schedule->stretches == NULL || schedule->order == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for reading the spool");
    }
    for (unsigned i = 0; i < n; i++) {
        atomic_init(&schedule->stretches[i].next, n_chunks / n * i);
        schedule->stretches[i].end = i + 1 == n ? n_chunks : n_chunks / n * (i + 1);
    }
    mr_spool_order(scan->spool, schedule->order);
    return MR_OK;
}

/* The next chunk for `worker`. The caller has made sure that there is one. */
static uint64_t next_chunk(const struct schedule *schedule, unsigned worker)
{
    for (;; worker = (worker + 1) % schedule->n_workers) {
        struct stretch *stretch = &schedule->stretches[worker];
        const uint64_t at = atomic_fetch_add_explicit(&stretch->next, 1, memory_order_relaxed);
        if (at < stretch->end) {
            return schedule->order[at];
        }
    }
}

/* What the threads of a scan share. */
struct scanning {
    const struct mr_spool_scan *scan;
    struct schedule schedule;
    char *buffers; /* [n_workers] of MR_SPOOL_CHUNK_BYTES */
    mr_spool_visitor visitor;
    void *data;
};

/* A mr_team_work. */
static enum mr_status work(void *data, struct mr_team *team, unsigned worker, struct mr_error *err)
{
    const struct scanning *scanning = data;
    const struct mr_spool_scan *scan = scanning->scan;
    void *buffer = scanning->buffers + (size_t)worker * MR_SPOOL_CHUNK_BYTES;
    struct mr_spool_chunk chunk;
    uint64_t job;
    while (mr_team_next(team, &job)) {
        const uint64_t index = next_chunk(&scanning->schedule, worker);
        if (scan->resident && !mr_spool_is_resident(scan->spool, index)) {
            continue;
        }
        enum mr_status status = (scan->in_place || scan->discard ? mr_spool_take : mr_spool_read)(
            scan->spool, index, buffer, &chunk, err);
        if (status == MR_OK) {
            status = scanning->visitor(scanning->data, worker, &chunk, err);
        }
        if (status != MR_OK) {
            return status;
        }
        if (scan->give != NULL && chunk.spare != NULL) {
            void *memory = chunk.narrow != NULL ? (void *)chunk.narrow : (void *)chunk.wide;
            scan->give(scanning->data, worker, memory, MR_SPOOL_CHUNK_BYTES);
        } else if (scan->discard) {
            mr_spool_discard(scan->spool, index);
        }
        if (worker == 0) {
            report(team->context, scan, job + 1);
        }
    }
    return MR_OK;
}

enum mr_status mr_spool_scan_raw(const struct mr_context *context, const struct mr_spool_scan *scan,
                                 mr_spool_visitor visitor, void *data, struct mr_error *err)
{
    const uint64_t n_chunks = mr_spool_figures_of(scan->spool).n_chunks;
    struct scanning scanning = {.scan = scan, .visitor = visitor, .data = data};
    assert(scan->n_workers >= 1);
    enum mr_status status =
        mr_memory_array(context->memory, "spool buffer",
                        (uint64_t)scan->n_workers * MR_SPOOL_CHUNK_BYTES, &scanning.buffers, err);
    if (status == MR_OK) {
        status = make_schedule(scan, n_chunks, &scanning.schedule, err);
    }
    if (status == MR_OK) {
        status = mr_team_run(context, n_chunks, scan->n_workers, work, &scanning, err);
    }
    free(scanning.schedule.order);
    free(scanning.schedule.stretches);
    mr_memory_free(context->memory, scanning.buffers);
    return status;
}

struct pairs_scan {
    const struct mr_spool_scan *scan;
    mr_pairs_visitor visitor;
    void (*give)(void *data, unsigned worker, void *memory, uint64_t bytes);
    void *data;
};

/* drop_self_loops and reverse return how many edges are left. They have no branch that could be
 * mispredicted. */

static size_t drop_self_loops(uint32_t (*pairs)[2], size_t n_pairs)
{
    size_t kept = 0;
    for (size_t i = 0; i < n_pairs; i++) {
        uint32_t source = pairs[i][0], target = pairs[i][1];
        pairs[kept][0] = source;
        pairs[kept][1] = target;
        kept += source != target;
    }
    return kept;
}

/* Reverse edges and drop self-loops. `to` may be `pairs`. */
static size_t reverse(const uint32_t (*pairs)[2], size_t n_pairs, uint32_t (*to)[2])
{
    size_t kept = 0;
    for (size_t i = 0; i < n_pairs; i++) {
        uint32_t source = pairs[i][0], target = pairs[i][1];
        to[kept][0] = target;
        to[kept][1] = source;
        kept += source != target;
    }
    return kept;
}

/* Drop the weights of self-loops. Call it before the pairs change. */
static void drop_weights(const uint32_t (*pairs)[2], float *weights, size_t n_pairs)
{
    size_t kept = 0;
    for (size_t i = 0; i < n_pairs; i++) {
        weights[kept] = weights[i];
        kept += pairs[i][0] != pairs[i][1];
    }
}

static enum mr_status visit_pairs(void *data, unsigned worker, struct mr_spool_chunk *chunk,
                                  struct mr_error *err)
{
    const struct pairs_scan *pass = data;
    const struct mr_spool_scan *scan = pass->scan;
    uint32_t(*pairs)[2];
    float *weights = chunk->weights;
    enum mr_status status = scan->translate(scan->numbering, chunk, &pairs, err);
    if (status != MR_OK) {
        return status;
    }
    size_t n_pairs = chunk->n_edges;
    if (weights != NULL && scan->drop_self_loops) {
        drop_weights((const uint32_t(*)[2])pairs, weights, n_pairs);
    }
    if (scan->drop_self_loops && !chunk->is_numbered) {
        n_pairs = drop_self_loops(pairs, n_pairs);
    }
    if (chunk->spare != NULL && !scan->discard) {
        mr_spool_settle(scan->spool, chunk->index, (uint32_t)n_pairs);
    }
    status = pass->visitor(pass->data, worker, (const uint32_t(*)[2])pairs, weights, n_pairs, err);
    if (status == MR_OK && scan->undirected) {
        uint32_t(*reversed)[2] = chunk->spare != NULL ? chunk->spare : pairs;
        if (weights != NULL) {
            drop_weights((const uint32_t(*)[2])pairs, weights, n_pairs);
        }
        n_pairs = reverse((const uint32_t(*)[2])pairs, n_pairs, reversed);
        status = pass->visitor(pass->data, worker, (const uint32_t(*)[2])reversed, weights, n_pairs,
                               err);
    }
    return status;
}

static void give_pairs(void *data, unsigned worker, void *memory, uint64_t bytes)
{
    const struct pairs_scan *pass = data;
    pass->give(pass->data, worker, memory, bytes);
}

enum mr_status mr_spool_scan_pairs(const struct mr_context *context,
                                   const struct mr_spool_scan *scan, mr_pairs_visitor visitor,
                                   void *data, struct mr_error *err)
{
    struct mr_spool_scan in_place = *scan;
    /* weights would have to move with the pairs */
    in_place.in_place = !mr_spool_has_weights(scan->spool);
    in_place.give = scan->give != NULL ? give_pairs : NULL;
    struct pairs_scan pairs = {
        .scan = &in_place, .visitor = visitor, .give = scan->give, .data = data};
    return mr_spool_scan_raw(context, &in_place, visit_pairs, &pairs, err);
}
