/* SPDX-License-Identifier: Apache-2.0 */
/* Captures of pages in one input: which of them give their links to a page. Internal to the
 * numbering.
 *
 * Each dated capture has an id of its own, which is the source of its links in the spool. When the
 * names have vertices, the newest capture of each page is known, and the ids become numbers of
 * names again, or their links are left out. So captures of a page may come in any order and from
 * different files. Memory: 16 to 24 bytes for a capture, for a short time 8 for a page. */
#ifndef MR_ENGINE_BUILDER_VERTICES_CAPTURES_H
#define MR_ENGINE_BUILDER_VERTICES_CAPTURES_H

#include "engine/builder/edges/spool.h"
#include "engine/scan/vertex_set.h"
#include "engine/store/fetch_facts.h"

struct mr_captures {
    /* [n] of [room]; if `confirms` is UINT32_MAX, the links of the capture are left out */
    struct mr_capture *all;
    uint64_t n, room;
    uint64_t n_dated;
};

/* Add a capture of the page `*id` and set its id. Errors: BUDGET. Free `captures->all` with
 * mr_memory_free. */
enum mr_status mr_captures_add(struct mr_captures *captures, struct mr_memory *memory,
                               const struct mr_capture *capture, uint64_t *id,
                               struct mr_error *err) MR_WARN_UNUSED;

/* Is it the id of a capture? Ids of captures count down from 2^32 - 2. */
static inline bool mr_captures_have(const struct mr_captures *captures, uint64_t id)
{
    return id < UINT32_MAX && UINT32_MAX - 1 - id < captures->n;
}

/* Choose the captures: all, or of each page the newest one. If that is a revisit, also the one it
 * confirms, or else the newest one that is none. Captures of the same time count together.
 * `vertices` has the vertex of each number of a name. `fetched` is NULL, or gets the pages whose
 * links are known. */
enum mr_status mr_captures_choose(struct mr_captures *captures, const struct mr_context *context,
                                  bool all, const uint32_t *vertices, uint64_t n_vertices,
                                  struct mr_vertex_set *fetched,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* The fetch facts of the captured pages: a mr_fetch_facts_next, with a struct mr_capture_facts as
 * its data. Takes 8 bytes for a dated capture, and 4 more if there are digests. Captures of one
 * time are one fetch. The caller frees both arrays with mr_memory_free in any case. */
struct mr_capture_facts {
    uint64_t *keys; /* [n], ascending: page << 32 | time */
    uint32_t *digests; /* [n]; NULL: there are none */
    uint64_t n, at;
};
enum mr_status mr_captures_list(const struct mr_captures *captures, struct mr_memory *memory,
                                const uint32_t *vertices, struct mr_capture_facts *facts,
                                struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_captures_next(void *data, struct mr_fetch_facts *row, bool *is_over,
                                struct mr_error *err) MR_WARN_UNUSED;

/* Turn the ids of captures in a chunk into numbers of names, and leave the links of others out. */
void mr_captures_apply(const struct mr_captures *captures, struct mr_spool_chunk *chunk);

#endif
