/* SPDX-License-Identifier: Apache-2.0 */
/* What a store remembers of the fetches of its pages: a row for each page that was fetched at a
 * known time, or that the crawler was told is gone. The rows ascend by position
 * (engine/store/core_map.h), so an append merges them as it merges names. They stand in blocks
 * of a fixed number of rows, and a binary search finds the row of a page. Rankings do not read
 * them. Layout: docs/store-format.md, "Fetch facts". Internal to the engine and its commands. */
#ifndef MR_ENGINE_STORE_FETCH_FACTS_H
#define MR_ENGINE_STORE_FETCH_FACTS_H

#include <stdbool.h>

#include "engine/base/bytes.h"
#include "engine/base/context.h"
#include "engine/base/edge.h"
#include "engine/base/format.h"

struct mr_file;
struct mr_store;
struct mr_store_info;
struct mr_fetch_facts_reader;

/* Counts stop at UINT16_MAX. */
struct mr_fetch_facts {
    uint32_t position; /* of the page */
    /* its first and last fetch, in seconds since 1970, above 0; of a page without a fetch 0, and
     * when it was known to be gone, or 0 */
    uint32_t first, last;
    uint16_t fetches; /* at different times; 0 only if the page is gone */
    /* fetches that were compared with the one before, a revisit that is the first one included;
     * below `fetches` */
    uint16_t compared;
    uint16_t changes; /* of these, fetches that found other links or another digest */
    /* of the content at the first fetch that is no revisit, and at the last fetch, as in struct
     * mr_capture; both MR_DIGEST_SAME if all are revisits. The first one of a page with one fetch
     * is MR_DIGEST_NO_FETCH if that is due (struct mr_capture). */
    uint32_t first_digest, last_digest;
    bool gone; /* since the last fetch */
};

/* Gives the next row, by ascending positions. `*is_over` is set past the last one. */
typedef enum mr_status (*mr_fetch_facts_next)(void *data, struct mr_fetch_facts *row, bool *is_over,
                                              struct mr_error *err);

/* Opens the facts of `store`, which outlives the reader; without any it is at its end. Memory: a
 * block of at most 208 KiB. One thread at a time uses a reader. Close takes NULL. */
enum mr_status mr_fetch_facts_open(const struct mr_context *context, const struct mr_store *store,
                                   struct mr_fetch_facts_reader **out,
                                   struct mr_error *err) MR_WARN_UNUSED;
void mr_fetch_facts_close(struct mr_fetch_facts_reader *reader);

/* A mr_fetch_facts_next; `data` is a reader. Reads each block once. Errors: CORRUPT, at the end
 * also if the rows are not those that the manifest names. */
enum mr_status mr_fetch_facts_read(void *data, struct mr_fetch_facts *row, bool *is_over,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Gets the row of a position; if there is none, `row->fetches` is 0 and the page is not gone. Reads
 * O(log n) blocks. */
enum mr_status mr_fetch_facts_find(struct mr_fetch_facts_reader *reader, uint32_t position,
                                   struct mr_fetch_facts *row, struct mr_error *err) MR_WARN_UNUSED;

/* Adds a later fetch to a row whose `fetches` may be 0, and compares the digests. */
void mr_fetch_facts_add(struct mr_fetch_facts *row, uint32_t time, uint32_t digest);

/* What the links of the last fetches in both show. */
enum mr_links_seen { MR_LINKS_UNSEEN, MR_LINKS_SAME, MR_LINKS_OTHER };

/* If the only fetch of `b` is due, and not later than the last one of `a`, it is that one. */
void mr_fetch_facts_date(struct mr_fetch_facts *b, const struct mr_fetch_facts *a);

/* Adds the facts `b` of other fetches of the same page to `a`. Their times are not known one by
 * one. Fetches that both may have count once: the result is what `a` was if `b` is part of it, and
 * the sum if one ends before the other begins. In the second case the digests of the fetches at the
 * border are compared. If `b` ends later, `links` is a comparison, too; a change that either shows
 * counts. A page is gone if `b` says so, or if `a` does and `b` has no later fetch. */
void mr_fetch_facts_join(struct mr_fetch_facts *a, const struct mr_fetch_facts *b,
                         enum mr_links_seen links);

/* Writes the first row and all that `next` gives after it to the empty `file`. `manifest` says
 * graph_id and has_digests, and gets n_facts, facts_id and has_gone. */
enum mr_status mr_fetch_facts_write(const struct mr_context *context, struct mr_file *file,
                                    const struct mr_fetch_facts *first, mr_fetch_facts_next next,
                                    void *data, struct mr_store_info *manifest,
                                    struct mr_error *err) MR_WARN_UNUSED;

#endif
