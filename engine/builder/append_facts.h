/* SPDX-License-Identifier: Apache-2.0 */
/* The fetch facts of the store that an append makes, out of those of the last store and of the
 * delta. Internal to the builder. */
#ifndef MR_ENGINE_BUILDER_APPEND_FACTS_H
#define MR_ENGINE_BUILDER_APPEND_FACTS_H

#include "engine/scan/vertex_set.h"
#include "engine/store/fetch_facts.h"
#include "engine/store/store.h"

/* What the append knows of a page: the delta has it, its links differ from those before, and the
 * crawler was told that it is gone. */
enum { MR_APPEND_FRESH, MR_APPEND_DIFFERS, MR_APPEND_GONE, MR_APPEND_BITS };

struct mr_append_facts {
    struct {
        struct mr_fetch_facts_reader *reader;
        const uint32_t *positions; /* of each position of the store in the next one; NULL: same */
        struct mr_fetch_facts row; /* the next one, with its position in the next store */
        bool is_over;
    } sides[2];
    /* MR_APPEND_BITS for each position of the next store, or NULL */
    const struct mr_vertex_set *pages;
    bool compares; /* the links of fresh pages with those before */
    uint64_t next_gone; /* the next position to look at for pages without a row */
    uint64_t n_pages; /* of the next store */
    bool has_digests; /* of contents, in either store */
    uint64_t n_mixed; /* rows whose fetches lie between each other's, so far */
};

/* Opens the facts of `stores`[n_stores], which outlive them. `positions` of a page is UINT32_MAX if
 * the next store does not have it. Close in any case. */
enum mr_status mr_append_facts_open(const struct mr_context *context,
                                    struct mr_store *const *stores, unsigned n_stores,
                                    const uint32_t *const *positions, struct mr_append_facts *facts,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_append_facts_close(struct mr_append_facts *facts);

/* A mr_fetch_facts_next; `data` is a struct mr_append_facts. */
enum mr_status mr_append_facts_next(void *data, struct mr_fetch_facts *row, bool *is_over,
                                    struct mr_error *err) MR_WARN_UNUSED;

#endif
