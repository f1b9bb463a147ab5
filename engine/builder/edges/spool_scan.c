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

/* What the threads of a scan share. */
struct scanning {
    const struct mr_spool_scan *scan;
    bool in_place;
    mr_spool_visitor visitor; /* of raw chunks; NULL: pairs are visited */
    mr_pairs_visitor pairs_visitor;
    void *data;
    struct stretch *stretches; /* [n_workers]: runs of `order` */
    uint64_t *order; /* [n_chunks] */
    char *buffers; /* [n_workers] of MR_SPOOL_CHUNK_BYTES */
};

static enum mr_status make_schedule(struct scanning *scanning, uint64_t n_chunks,
                                    struct mr_error *err)
{
    const unsigned n = scanning->scan->n_workers;
    scanning->stretches = aligned_alloc(_Alignof(struct stretch), n * sizeof(struct stretch));
    scanning->order = malloc((n_chunks + 1) * sizeof *scanning->order);
    if (scanning->stretches == NULL || scanning->order == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for reading the spool");
    }
    for (unsigned i = 0; i < n; i++) {
        atomic_init(&scanning->stretches[i].next, n_chunks / n * i);
        scanning->stretches[i].end = i + 1 == n ? n_chunks : n_chunks / n * (i + 1);
    }
    mr_spool_order(scanning->scan->spool, scanning->order);
    return MR_OK;
}

/* The next chunk for `worker`. The caller has made sure that there is one. */
static uint64_t next_chunk(const struct scanning *scanning, unsigned worker)
{
    for (;; worker = (worker + 1) % scanning->scan->n_workers) {
        struct stretch *stretch = &scanning->stretches[worker];
        const uint64_t at = atomic_fetch_add_explicit(&stretch->next, 1, memory_order_relaxed);
        if (at < stretch->end) {
            return scanning->order[at];
        }
    }
}

/* ---- Pairs ---- */

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

static enum mr_status visit_pairs(const struct scanning *scanning, unsigned worker,
                                  struct mr_spool_chunk *chunk, struct mr_error *err)
{
    const struct mr_spool_scan *scan = scanning->scan;
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
    status = scanning->pairs_visitor(scanning->data, worker, (const uint32_t(*)[2])pairs, weights,
                                     n_pairs, err);
    if (status == MR_OK && scan->undirected) {
        uint32_t(*reversed)[2] = chunk->spare != NULL ? chunk->spare : pairs;
        if (weights != NULL) {
            drop_weights((const uint32_t(*)[2])pairs, weights, n_pairs);
        }
        n_pairs = reverse((const uint32_t(*)[2])pairs, n_pairs, reversed);
        status = scanning->pairs_visitor(scanning->data, worker, (const uint32_t(*)[2])reversed,
                                         weights, n_pairs, err);
    }
    return status;
}

/* ---- All chunks ---- */

/* A mr_team_work. */
static enum mr_status work(void *data, struct mr_team *team, unsigned worker, struct mr_error *err)
{
    const struct scanning *scanning = data;
    const struct mr_spool_scan *scan = scanning->scan;
    void *buffer = scanning->buffers + (size_t)worker * MR_SPOOL_CHUNK_BYTES;
    struct mr_spool_chunk chunk;
    uint64_t job;
    while (mr_team_next(team, &job)) {
        const uint64_t index = next_chunk(scanning, worker);
        if (scan->resident && !mr_spool_is_resident(scan->spool, index)) {
            continue;
        }
        enum mr_status status = (scanning->in_place || scan->discard
                                     ? mr_spool_take
                                     : mr_spool_read)(scan->spool, index, buffer, &chunk, err);
        if (status == MR_OK) {
            status = scanning->visitor != NULL
                         ? scanning->visitor(scanning->data, worker, &chunk, err)
                         : visit_pairs(scanning, worker, &chunk, err);
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

static enum mr_status run(const struct mr_context *context, struct scanning *scanning,
                          struct mr_error *err)
{
    const unsigned n_workers = scanning->scan->n_workers;
    const uint64_t n_chunks = mr_spool_figures_of(scanning->scan->spool).n_chunks;
    assert(n_workers >= 1);
    enum mr_status status =
        mr_memory_array(context->memory, "spool buffer", (uint64_t)n_workers * MR_SPOOL_CHUNK_BYTES,
                        &scanning->buffers, err);
    if (status == MR_OK) {
        status = make_schedule(scanning, n_chunks, err);
    }
    if (status == MR_OK) {
        status = mr_team_run(context, n_chunks, n_workers, work, scanning, err);
    }
    free(scanning->order);
    free(scanning->stretches);
    mr_memory_free(context->memory, scanning->buffers);
    return status;
}

enum mr_status mr_spool_scan_raw(const struct mr_context *context, const struct mr_spool_scan *scan,
                                 mr_spool_visitor visitor, void *data, struct mr_error *err)
{
    struct scanning scanning = {
        .scan = scan, .in_place = scan->in_place, .visitor = visitor, .data = data};
    return run(context, &scanning, err);
}

enum mr_status mr_spool_scan_pairs(const struct mr_context *context,
                                   const struct mr_spool_scan *scan, mr_pairs_visitor visitor,
                                   void *data, struct mr_error *err)
{
    struct scanning scanning = {.scan = scan,
                                /* weights would have to move with the pairs */
                                .in_place = !mr_spool_has_weights(scan->spool),
                                .pairs_visitor = visitor,
                                .data = data};
    return run(context, &scanning, err);
}
