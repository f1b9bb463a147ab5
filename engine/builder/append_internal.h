/* SPDX-License-Identifier: Apache-2.0 */
/* An append from begin to finish, which these files share:
 *
 *     append.c         begins, builds the next store, replaces the last one
 *     append_old.c     which links and pages of the last store are not in the next one
 *     append_facts.c   the fetch facts of the next store
 */
#ifndef MR_ENGINE_BUILDER_APPEND_INTERNAL_H
#define MR_ENGINE_BUILDER_APPEND_INTERNAL_H

#include "engine/builder/append.h"
#include "engine/names/name_source.h"
#include "engine/scan/vertex_set.h"
#include "engine/store/fetch_facts.h"

/* What the append knows of a page: the delta has it, its links differ from those before, and the
 * crawler was told that it is gone. */
enum { MR_APPEND_FRESH, MR_APPEND_DIFFERS, MR_APPEND_GONE, MR_APPEND_BITS };

struct mr_append {
    const struct mr_context *context;
    struct mr_publish *publish; /* holds the lock of the store */
    char *path; /* of the next store */
    bool is_copy; /* the last store stays */
    const char *delta_path; /* owned by `publish` */
    double started;
    struct mr_store *stores[2]; /* the last store; the delta, or NULL if there is none */

    /* ---- The members below are used while finishing ---- */

    const struct mr_append_options *options;
    struct mr_store_append_figures *figures;
    struct mr_names_merge *merge; /* of the names of both */

    /* What of the last store is left out. Positions are those in the names of both. */
    bool leaves_out; /* otherwise all of it stays, and the sets are empty */
    uint64_t n_vertices; /* of both */
    uint32_t *vertices[2]; /* of each store, [n_vertices]: its position */
    struct mr_vertex_set old; /* vertices of the last store whose own links go */
    struct mr_vertex_set fresh; /* positions of pages that the delta has links of, or as fetched */
    struct mr_vertex_set gone; /* those that the options call gone */
    struct mr_vertex_set unlinked; /* [n_unlinked], those that the next store does not have */
    uint64_t n_unlinked;
    struct mr_vertex_set
        linked; /* positions that links lead to, of the stores before `n_linking` */
    unsigned n_linking;
    uint64_t n_common; /* links of `old` that the delta has, too */
    /* [n_vertices]: for each `old` vertex the number of its links that only one of both stores has;
     * NULL: not compared */
    uint32_t *differences;

    /* Fetch facts. */
    struct {
        struct mr_fetch_facts_reader *reader;
        const uint32_t *positions; /* of each position of the store in the next one; NULL: same */
        struct mr_fetch_facts row; /* the next one, with its position in the next store */
        bool is_over;
    } sides[2];
    struct mr_vertex_set known; /* MR_APPEND_BITS for each page of the next store */
    bool compares; /* the links of fresh pages with those before */
    uint64_t next_gone; /* the next position to look at for pages without a row */
    uint64_t n_mixed; /* rows whose fetches lie between each other's, so far */
};

static inline unsigned mr_append_n_stores(const struct mr_append *append)
{
    return append->stores[1] != NULL ? 2 : 1;
}

/* Find the vertices of the last store whose own links go: `old`, `fresh` and `gone`. Counts
 * n_replaced. */
enum mr_status mr_append_old_find(struct mr_append *append, struct mr_error *err) MR_WARN_UNUSED;

/* Count the links of `old` vertices that the delta has as well, and fill in `differences`, which
 * are zeros or NULL. Reads the last store once, or several times if 8 bytes for each link of the
 * delta exceed a half of the memory. */
enum mr_status mr_append_old_in_delta(struct mr_append *append,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* Find the gone pages that nothing but a link of an `old` vertex or of the page itself leads to.
 * Reads both stores once. Counts n_gone and n_dropped: pages that the last store has. */
enum mr_status mr_append_old_unlinked(struct mr_append *append,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* Opens the facts of both stores. Close in any case. */
enum mr_status mr_append_facts_open(struct mr_append *append, struct mr_error *err) MR_WARN_UNUSED;
void mr_append_facts_close(struct mr_append *append);

/* A mr_fetch_facts_next; `data` is the append. */
enum mr_status mr_append_facts_next(void *data, struct mr_fetch_facts *row, bool *is_over,
                                    struct mr_error *err) MR_WARN_UNUSED;

#endif
