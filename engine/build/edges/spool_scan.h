/* A pass over the whole spool, by all threads. */
#ifndef MR_ENGINE_BUILD_EDGES_SPOOL_SCAN_H
#define MR_ENGINE_BUILD_EDGES_SPOOL_SCAN_H

#include "engine/build/edges/spool.h"

/* Turn the ids of a chunk into vertices, in place: `*pairs` of (source, target), in the chunk's buffer.
 * Thread-safe. */
typedef enum mr_status (*mr_spool_translate)(const void *data, const struct mr_spool_chunk *chunk,
                                             uint32_t (**pairs)[2], struct mr_error *err);

struct mr_spool_scan {
    const char *stage; /* for progress */
    struct mr_spool *spool;
    mr_spool_translate translate; /* mostly mr_numbering_apply, */
    const void *numbering; /* and its data */
    unsigned n_workers; /* 1..context->threads */
    bool drop_self_loops;
    bool undirected; /* every edge but self-loops also the other way round */
    bool
        in_place; /* a raw scan whose visitor leaves chunks as they are, or changes those in memory for good */
    bool resident; /* chunks in memory alone */
    bool discard; /* give each chunk's disk space back after it was seen */
    /* With `discard`, NULL or who may use the memory of a chunk that was in memory until the spool is
     * destroyed; called by the worker that saw it, with the visitor's data. */
    void (*give)(void *data, unsigned worker, void *memory, uint64_t bytes);
};

/* Workers that `bytes_each` and their chunk buffers leave affordable: a quarter of what is available
 * at most, 1 at least and context->threads at most. */
unsigned mr_spool_scan_workers(const struct mr_context *context, uint64_t bytes_each);

/* Called by worker 0..n_workers-1, at the same time, each with chunks of its own. */
typedef enum mr_status (*mr_spool_visitor)(void *data, unsigned worker,
                                           struct mr_spool_chunk *chunk, struct mr_error *err);
typedef enum mr_status (*mr_pairs_visitor)(void *data, unsigned worker, const uint32_t (*pairs)[2],
                                           const float *weights, size_t n_pairs,
                                           struct mr_error *err);

/* Chunks as they were spooled; `translate`, `drop_self_loops` and `undirected` are not used. The visitor
 * may change them, unless they are seen in place. */
enum mr_status mr_spool_scan_raw(const struct mr_context *context, const struct mr_spool_scan *scan,
                                 mr_spool_visitor visitor, void *data,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Edges as vertices; `weights` [n_pairs], or NULL where the spool has none. Chunks in memory, without
 * weights, are numbered by the first such scan, for all. */
enum mr_status mr_spool_scan_pairs(const struct mr_context *context,
                                   const struct mr_spool_scan *scan, mr_pairs_visitor visitor,
                                   void *data, struct mr_error *err) MR_WARN_UNUSED;

#endif
