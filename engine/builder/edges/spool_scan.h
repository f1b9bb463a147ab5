/* SPDX-License-Identifier: Apache-2.0 */
/* A scan of the whole spool by all threads. */
#ifndef MR_ENGINE_BUILDER_EDGES_SPOOL_SCAN_H
#define MR_ENGINE_BUILDER_EDGES_SPOOL_SCAN_H

#include "engine/builder/edges/spool.h"

/* Turn the ids of a chunk into vertices, in place; edges may be left out. `*pairs` gets the pairs
 * of (source, target), in the chunk's buffer. Thread-safe. */
typedef enum mr_status (*mr_spool_translate)(const void *data, struct mr_spool_chunk *chunk,
                                             uint32_t (**pairs)[2], struct mr_error *err);

struct mr_spool_scan {
    const char *stage; /* for progress */
    struct mr_spool *spool;
    mr_spool_translate translate; /* usually mr_numbering_apply */
    const void *numbering; /* data for `translate` */
    unsigned n_workers; /* 1..context->threads */
    bool drop_self_loops;
    bool undirected; /* store each edge in both directions, except self-loops */
    /* A raw scan passes chunks in memory without a copy. The visitor does not change them, or
     * changes them for good. */
    bool in_place;
    bool resident; /* scan only the chunks in memory */
    bool discard; /* free each chunk after the visitor has seen it */
    /* For `discard`: NULL, or a function that gets the memory of each chunk that was in memory, for
     * use until the spool is destroyed. The worker that saw the chunk calls it, with the visitor's
     * data. */
    void (*give)(void *data, unsigned worker, void *memory, uint64_t bytes);
};

/* Number of workers: as many as may take `bytes_each` and a chunk buffer from a quarter of the
 * memory left; at least 1 and at most context->threads. */
unsigned mr_spool_scan_workers(const struct mr_context *context, uint64_t bytes_each);

/* Called by workers 0..n_workers-1 at the same time, each with chunks of its own. */
typedef enum mr_status (*mr_spool_visitor)(void *data, unsigned worker,
                                           struct mr_spool_chunk *chunk, struct mr_error *err);
typedef enum mr_status (*mr_pairs_visitor)(void *data, unsigned worker, const uint32_t (*pairs)[2],
                                           const float *weights, size_t n_pairs,
                                           struct mr_error *err);

/* Pass the chunks as they were spooled. Ignores `translate`, `drop_self_loops` and `undirected`.
 * The visitor may change a chunk, unless `in_place` is set. */
enum mr_status mr_spool_scan_raw(const struct mr_context *context, const struct mr_spool_scan *scan,
                                 mr_spool_visitor visitor, void *data,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Pass the edges as vertices; `weights` [n_pairs], or NULL if the spool has none. The first such
 * scan numbers the chunks in memory that have no weights; later scans use these numbers. */
enum mr_status mr_spool_scan_pairs(const struct mr_context *context,
                                   const struct mr_spool_scan *scan, mr_pairs_visitor visitor,
                                   void *data, struct mr_error *err) MR_WARN_UNUSED;

#endif
