/* SPDX-License-Identifier: Apache-2.0 */
/* Captures of pages in one input: which of them give their links to a page, and when each page was
 * fetched. Internal to the numbering.
 *
 * Each dated capture has an id of its own, which is the source of its links in the spool. When the
 * names have vertices, the newest capture of each page is known, and the ids become numbers of
 * names again, or their links are left out. So captures of a page may come in any order and from
 * different files. Captures with links go to one spool, and the times of all fetches to another, 16
 * bytes each, in a part of the memory or on temporary disk. A fetch whose links are elsewhere (a
 * line of a crawl.log) has no id. Memory, when the names have vertices: 4 bytes for a capture with
 * links, for a short time 12 for a page. */
#ifndef MR_ENGINE_BUILDER_VERTICES_CAPTURES_H
#define MR_ENGINE_BUILDER_VERTICES_CAPTURES_H

#include "engine/builder/edges/spool.h"
#include "engine/scan/vertex_set.h"
#include "engine/writer/store_writer.h"

/* In the page of a fetch: see is_due of struct mr_capture. */
#define MR_CAPTURES_DUE ((uint64_t)1 << 32)

struct mr_captures {
    const struct mr_context *context;
    struct mr_spool_options files; /* where temporary files go */
    struct mr_scratch_use *use; /* outlives the captures */
    /* edges from the page to time << 32 | confirms, until the captures are chosen; NULL: none */
    struct mr_spool *linked;
    uint32_t *pages; /* [n], when they are chosen: UINT32_MAX if the links are left out */
    uint64_t n; /* captures with links */
    uint64_t n_dated;
    /* edges from the page, or PAGE | MR_CAPTURES_DUE, to time << 32 | digest; NULL: no fetches */
    struct mr_spool *fetches;
    bool has_digests, has_due;
};

/* Add a capture of the page `*id` and set its id. If `id` is NULL, add a fetch of `capture->page`
 * without links. Errors: BUDGET, those of temporary disk. */
enum mr_status mr_captures_add(struct mr_captures *captures, const struct mr_capture *capture,
                               uint64_t *id, struct mr_error *err) MR_WARN_UNUSED;
void mr_captures_free(struct mr_captures *captures);

/* Is it the id of a capture? Ids of captures count down from 2^32 - 2. */
static inline bool mr_captures_have(const struct mr_captures *captures, uint64_t id)
{
    return id < UINT32_MAX && UINT32_MAX - 1 - id < captures->n;
}

/* Choose the captures: all, or of each page the newest one. If that is a revisit, also the one it
 * confirms, or else the newest one that is none. Captures of the same time count together.
 * `vertices` [n_numbers] has the vertex of each number of a name. `fetched` is NULL, or gets the
 * pages whose links are known. Three scans of the captures. */
enum mr_status mr_captures_choose(struct mr_captures *captures, bool all, const uint32_t *vertices,
                                  uint64_t n_numbers, uint64_t n_vertices,
                                  struct mr_vertex_set *fetched,
                                  struct mr_error *err) MR_WARN_UNUSED;
/* What the chosen captures take, and what choosing them takes beside that. */
uint64_t mr_captures_bytes(const struct mr_captures *captures);
uint64_t mr_captures_choose_bytes(const struct mr_captures *captures, uint64_t n_vertices);

/* Write the fetch facts of the captured pages, after the captures are chosen, and free the fetches.
 * Captures of one time are one fetch. `vertices` [n_numbers] as above. The rows are made window by
 * window, from the first page on. A window takes 8 bytes for each of its pages and 8 for each of
 * their fetches: about a quarter of the free memory, more if few pages have most fetches. Fetches
 * that are due take 8 more for each page. */
enum mr_status mr_captures_write(struct mr_captures *captures, const uint32_t *vertices,
                                 uint64_t n_numbers, uint64_t n_vertices,
                                 struct mr_store_writer *store,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Turn the ids of captures in a chunk into numbers of names, and leave the links of others out. */
void mr_captures_apply(const struct mr_captures *captures, struct mr_spool_chunk *chunk);

#endif
