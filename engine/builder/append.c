/* SPDX-License-Identifier: Apache-2.0 */
/* Appends edges to a store: builds the next store out of the last one and the new edges, and
 * replaces it in one step, so a killed process leaves the old store or the new one. The result is
 * the store that one build of all input makes. */
#include "engine/builder/append.h"

#include <stdlib.h>

#include "engine/base/clock.h"
#include "engine/base/count_text.h"
#include "engine/base/memory.h"
#include "engine/builder/append_facts.h"
#include "engine/builder/append_old.h"
#include "engine/builder/store_edges.h"
#include "engine/names/name_source.h"

/* What the build of the next store holds beside what that of the new edges does: the encoder of all
 * kinds of tiles, and for each vertex its position, its number in the build and an out-degree. */
#define NEXT_BYTES            ((uint64_t)12 << 20)
#define NEXT_BYTES_PER_VERTEX (3 * sizeof(uint32_t))

struct mr_append {
    const struct mr_context *context;
    struct mr_publish *publish; /* holds the lock of the store */
    struct mr_store *store;
    char *path;
    const char *delta_path; /* owned by `publish` */
    double started;
};

/* ---- Begin, end ---- */

void mr_append_abandon(struct mr_append *append)
{
    if (append != NULL) {
        mr_memory_expect_more(append->context->memory, 0);
        mr_store_close(append->store);
        mr_publish_abandon(append->publish);
        free(append->path);
        free(append);
    }
}

/* Lock a store, open it, and check that it can be rewritten. */
static enum mr_status open_locked(const struct mr_context *context, const char *path,
                                  struct mr_publish **publish, struct mr_store **store,
                                  struct mr_error *err)
{
    enum mr_status status = mr_store_require(path, err);
    if (status == MR_OK) {
        status = mr_publish_begin(context->io, path, MR_PUBLISH_DIRECTORY, true, publish, err);
    }
    if (status == MR_OK) {
        status = mr_store_open(context, path, store, err);
    }
    return status == MR_OK ? mr_build_check_names(path, *store, err) : status;
}

enum mr_status mr_append_begin(const struct mr_context *context, const char *path,
                               struct mr_append **out, struct mr_error *err)
{
    struct mr_append *append = calloc(1, sizeof *append);

    *out = append;
    if (append != NULL) {
        append->context = context;
        append->started = mr_now();
        append->path = realpath(path, NULL);
    }
    if (append == NULL || append->path == NULL) {
        const enum mr_status status = mr_store_require(path, err);
        return status == MR_OK ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for an append")
                               : status;
    }
    enum mr_status status =
        open_locked(context, append->path, &append->publish, &append->store, err);
    if (status == MR_OK) {
        mr_memory_expect_more(context->memory,
                              NEXT_BYTES + NEXT_BYTES_PER_VERTEX *
                                               mr_store_get_info(append->store)->n_vertices);
        status = mr_publish_beside(append->publish, &append->delta_path, err);
    }
    return status;
}

const struct mr_store_info *mr_append_store(const struct mr_append *append)
{
    return mr_store_get_info(append->store);
}

const char *mr_append_delta_path(const struct mr_append *append)
{
    return append->delta_path;
}

/* ---- The next store ---- */

/* The last_append of the new store. Without weights and duplicates, edges that are added twice
 * change nothing, and the store needs no id to tell; so it is with links that replace others. */
static uint64_t append_id(const struct mr_append *append, struct mr_store *delta,
                          const struct mr_append_options *options)
{
    const struct mr_store_info *info = mr_store_get_info(append->store);
    const bool counts_twice = (info->has_weights || info->duplicates_kept) && !options->replaces;
    return delta == NULL ? info->last_append
           : counts_twice && mr_store_get_info(delta)->n_edges > 0
               ? mr_store_get_info(delta)->store_id
               : 0;
}

/* The options for a rebuild of the store that `info` describes: the new store gets the same
 * properties. */
static enum mr_status options_of(const struct mr_store_info *info, const char *path,
                                 const struct mr_append_options *options, uint64_t n_vertices,
                                 struct mr_build_options *out, struct mr_error *err)
{
    *out = (struct mr_build_options){
        .ids = MR_IDS_DENSE,
        .n_vertices = n_vertices,
        .zstd_level = options->zstd_level,
        .encoding = options->encoding,
        .weights = info->has_weights,
        .core_first = info->core_first,
        .class_rule = info->class_rule,
        .name_group = options->name_group,
        .name_group_data = options->name_group_data,
    };
    return (info->class_rule != MR_CLASSES_NONE) == (options->name_group != NULL)
               ? MR_OK
               : mr_error_file(err, MR_ERROR_USAGE, path, 0,
                               "has classes of links by a rule that is not known here; build it "
                               "again from its input");
}

/* A build of one or two stores. */
struct combination {
    struct mr_store *const *stores; /* [n]; the facts about edges are those of the first */
    unsigned n;
    const struct mr_vertex_set *old; /* of the first: vertices whose own links go; NULL: none */
    const char *path;
    struct mr_publish *publish; /* or NULL: publish at `path` */
    struct mr_append_facts *facts; /* or NULL: without fetch facts */
    uint64_t last_append;
};

/* Build the edges and names of all stores as one. `merge` has their names. */
static enum mr_status build_all(const struct mr_append *append, const struct combination *all,
                                const struct mr_names_merge *merge,
                                const struct mr_build_options *options,
                                struct mr_build_summary *built, struct mr_error *err)
{
    const struct mr_context *context = append->context;
    const struct mr_build_change change = {
        .store = append->store,
        .names = mr_names_merge_source(merge),
        .publish = all->publish,
        .next_facts = all->facts != NULL ? mr_append_facts_next : NULL,
        .facts = all->facts,
        .has_digests = all->facts != NULL && all->facts->has_digests,
        .last_append = all->last_append};
    const bool drops_self_loops = mr_store_get_info(append->store)->self_loops_dropped;
    struct mr_edge_source links[2] = {{.store = NULL}};
    uint32_t *vertices[2] = {NULL, NULL};
    enum mr_status status = MR_OK;

    for (unsigned i = 0; i < all->n && status == MR_OK; i++) {
        status = mr_edge_source_vertices(context, all->stores[i],
                                         mr_names_merge_positions(merge, i), &vertices[i], err);
        links[i] = (struct mr_edge_source){.store = all->stores[i],
                                           .vertices = vertices[i],
                                           .drops_self_loops = drops_self_loops,
                                           .old = i == 0 ? all->old : NULL};
    }
    if (status == MR_OK) {
        status =
            mr_build_from_stores(context, all->path, options, &change, links, all->n, built, err);
    }
    mr_memory_free(context->memory, vertices[0]);
    mr_memory_free(context->memory, vertices[1]);
    return status;
}

/* What of the last store is left out: links of vertices, and positions of pages. */
struct left_out {
    struct mr_vertex_set old, pages;
    uint64_t n_pages;
    uint64_t n_common; /* links of `old` that the delta has, too */
    struct mr_vertex_set known; /* MR_APPEND_BITS for each page of the next store */
    bool compares; /* links, as in struct mr_append_facts */
};

/* Keeps what is known of the pages that stay, from the differences of the links in both stores. */
static enum mr_status take_pages(const struct mr_append_pair *pair, const uint32_t *differences,
                                 const struct mr_vertex_set *fresh,
                                 const struct mr_vertex_set *gone, struct left_out *out,
                                 struct mr_error *err)
{
    uint64_t next = 0;
    const enum mr_status status = mr_vertex_set_create(
        pair->context, MR_APPEND_BITS * (pair->n_vertices - out->n_pages), &out->known, err);

    for (uint64_t at = 0; status == MR_OK && at < pair->n_vertices; at++) {
        const bool bits[MR_APPEND_BITS] = {
            [MR_APPEND_FRESH] = mr_vertex_set_has(fresh, at),
            [MR_APPEND_DIFFERS] = differences != NULL && differences[at] > 0,
            [MR_APPEND_GONE] = mr_vertex_set_has(gone, at) && !mr_vertex_set_has(fresh, at)};
        if (out->n_pages > 0 && mr_vertex_set_has(&out->pages, at)) {
            continue;
        }
        for (unsigned i = 0; i < MR_APPEND_BITS; i++, next++) {
            if (bits[i]) {
                mr_vertex_set_add(&out->known, next);
            }
        }
    }
    out->compares = differences != NULL;
    return status;
}

static bool changes_links(const struct mr_append_options *options)
{
    return options->replaces || options->n_gone[0] + options->n_gone[1] > 0;
}

static bool has_copies(const struct mr_store *store)
{
    return mr_store_get_info(store)->duplicates_kept;
}

static bool have_facts(const struct mr_append_pair *pair)
{
    return mr_store_get_info(pair->stores[0])->n_facts > 0 &&
           mr_store_get_info(pair->stores[1])->n_facts > 0;
}

/* Find what is left out, and number the names without those pages. */
static enum mr_status leave_out(struct mr_append_pair *pair, struct mr_names_merge *merge,
                                struct left_out *out, struct mr_store_append_figures *summary,
                                struct mr_error *err)
{
    const struct mr_context *context = pair->context;
    uint32_t *vertices[2] = {NULL, NULL};
    uint32_t *differences = NULL;
    struct mr_vertex_set fresh = {0}, gone = {0};
    enum mr_status status = MR_OK;

    pair->n_vertices = mr_names_merge_count(merge);
    for (unsigned i = 0; i < 2 && pair->stores[i] != NULL && status == MR_OK; i++) {
        status = mr_edge_source_vertices(context, pair->stores[i],
                                         mr_names_merge_positions(merge, i), &vertices[i], err);
        pair->vertices[i] = vertices[i];
    }
    if (status == MR_OK) {
        status = mr_append_old_find(pair, &out->old, &fresh, &gone, summary, err);
    }
    const bool compares =
        pair->stores[1] != NULL && !has_copies(pair->stores[0]) && changes_links(pair->options);
    if (status == MR_OK && compares && pair->options->replaces && have_facts(pair)) {
        status = mr_memory_array(context->memory, "differences of pages", pair->n_vertices + 1,
                                 &differences, err);
    }
    if (status == MR_OK && compares) {
        status = mr_append_old_in_delta(pair, &out->old, differences, &out->n_common, err);
    }
    if (status == MR_OK) {
        status = mr_append_old_unlinked(pair, &out->old, &fresh, &out->pages, &out->n_pages,
                                        summary, err);
    }
    if (status == MR_OK) {
        status = take_pages(pair, differences, &fresh, &gone, out, err);
    }
    mr_memory_free(context->memory, differences);
    mr_vertex_set_destroy(&fresh);
    mr_vertex_set_destroy(&gone);
    mr_memory_free(context->memory, vertices[0]);
    mr_memory_free(context->memory, vertices[1]);
    return status == MR_OK && out->n_pages > 0
               ? mr_names_merge_leave_out(merge, out->pages.bits, err)
               : status;
}

/* Set the figures of the next store, and `*is_new` unless it is the store as it is. */
static void count(const struct mr_store_info *info, const struct mr_names_merge *merge,
                  const struct left_out *out, const struct mr_build_summary *built,
                  struct mr_store_append_figures *summary, bool *is_new)
{
    const uint64_t all_links = info->n_edges + summary->n_links;
    summary->n_removed = all_links - built->input_edges - out->n_common;
    summary->n_kept = info->n_edges - summary->n_removed;
    summary->n_new_links = built->edges - summary->n_kept;
    summary->n_known = summary->n_links - summary->n_new_links;
    summary->n_new_vertices = mr_names_merge_count(merge) + summary->n_dropped - info->n_vertices;
    summary->n_respelled = mr_names_merge_respelled(merge);
    summary->n_vertices = built->vertices;
    summary->n_edges = built->edges;
    summary->n_dangling = built->dangling;
    summary->store_bytes = built->store_bytes;
    *is_new = summary->n_new_links + summary->n_new_vertices + summary->n_respelled +
                      summary->n_removed + summary->n_dropped >
                  0 ||
              (info->has_weights && summary->n_links > 0) || built->facts_id != info->facts_id;
}

/* Let the build write the fetch facts of all stores. */
static enum mr_status open_facts(const struct mr_context *context, struct combination *all,
                                 const struct mr_names_merge *merge, struct mr_append_facts *facts,
                                 struct mr_error *err)
{
    const uint32_t *positions[2] = {NULL, NULL};

    for (unsigned i = 0; i < all->n; i++) {
        positions[i] = mr_names_merge_positions(merge, i);
    }
    all->facts = facts;
    return mr_append_facts_open(context, all->stores, all->n, positions, facts, err);
}

/* Facts say when the first and the last fetch was, and not which lie between. */
static void note_mixed(const struct mr_context *context, uint64_t n_pages)
{
    char text[32];

    if (n_pages > 0) {
        mr_context_note(context,
                        "%s pages have fetches here between those that the store knows: fetches "
                        "that it may have already count once, and are not compared; append in the "
                        "order of the fetches to count all",
                        mr_count_text(n_pages, text));
    }
}

/* Build the next store. `delta` may be NULL. Sets `*is_new` unless it is the store as it is. */
static enum mr_status build_next(struct mr_append *append, struct mr_store *delta,
                                 const struct mr_append_options *options,
                                 struct mr_store_append_figures *summary, bool *is_new,
                                 struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(append->store);
    struct mr_append_pair pair = {
        .context = append->context, .stores = {append->store, delta}, .options = options};
    /* a page of the input is not gone */
    const bool leaves_out =
        changes_links(options) || (info->has_gone && !info->undirected && delta != NULL);
    struct left_out out = {.n_common = 0};
    struct combination all = {.stores = pair.stores,
                              .n = delta != NULL ? 2 : 1,
                              .old = leaves_out ? &out.old : NULL,
                              .path = append->path,
                              .publish = append->publish,
                              .last_append = append_id(append, delta, options)};
    struct mr_names_merge *merge = NULL;
    struct mr_append_facts facts = {.pages = NULL};
    struct mr_build_options build_options;
    struct mr_build_summary built = {.edges = 0};

    enum mr_status status =
        mr_names_merge_create(append->context, pair.stores, all.n, options->name_key,
                              options->drops_unlinked, &merge, err);
    if (status == MR_OK && leaves_out) {
        status = leave_out(&pair, merge, &out, summary, err);
    }
    if (status == MR_OK) {
        status = options_of(info, append->path, options, mr_names_merge_count(merge),
                            &build_options, err);
    }
    if (status == MR_OK) {
        facts = (struct mr_append_facts){.pages = leaves_out ? &out.known : NULL,
                                         .compares = out.compares,
                                         .n_pages = mr_names_merge_count(merge)};
        status = open_facts(append->context, &all, merge, &facts, err);
    }
    if (status == MR_OK) {
        status = build_all(append, &all, merge, &build_options, &built, err);
    }
    if (status == MR_OK) {
        summary->n_links = delta != NULL ? mr_store_get_info(delta)->n_edges : 0;
        summary->n_links -=
            delta != NULL && info->self_loops_dropped ? mr_store_get_info(delta)->n_self_loops : 0;
        count(info, merge, &out, &built, summary, is_new);
        note_mixed(append->context, facts.n_mixed);
    }
    mr_append_facts_close(&facts);
    mr_names_merge_destroy(merge);
    mr_vertex_set_destroy(&out.old);
    mr_vertex_set_destroy(&out.pages);
    mr_vertex_set_destroy(&out.known);
    return status;
}

/* Replace the store, which is unchanged until here, by what the build has written and read back. */
static enum mr_status replace(struct mr_append *append, struct mr_publish_group *together,
                              struct mr_error *err)
{
    struct mr_publish *publish = append->publish;
    const enum mr_status status = mr_context_poll(append->context, err);
    if (status != MR_OK) {
        return status;
    }
    mr_store_close(append->store);
    append->store = NULL;
    append->publish = NULL; /* the commit frees it, even if it fails */
    return mr_publish_commit_with(publish, together, err);
}

/* ---- Finish ---- */

/* Refuses edges that were the last ones to be added, if adding them twice changes the graph. So an
 * append that was killed after it published can be repeated. */
static enum mr_status check_again(const struct mr_append *append, struct mr_store *delta,
                                  const struct mr_append_options *options, struct mr_error *err)
{
    const uint64_t id = append_id(append, delta, options);

    return id != 0 && id == mr_store_get_info(append->store)->last_append
               ? mr_error_file(err, MR_ERROR_USAGE, append->path, 0,
                               "has these links already: they were the last to be appended, and "
                               "would count twice; nothing is left to do")
               : MR_OK;
}

enum mr_status mr_append_check(const struct mr_append *append,
                               const struct mr_append_options *options, bool has_gone,
                               struct mr_error *err)
{
    return mr_store_get_info(append->store)->undirected && (options->replaces || has_gone)
               ? mr_error_file(err, MR_ERROR_USAGE, append->path, 0,
                               "has each link in both directions, so nothing says which page it is "
                               "on; build a store without --undirected to replace links")
               : MR_OK;
}

enum mr_status mr_append_finish(struct mr_append *append, const struct mr_append_options *options,
                                struct mr_store_append_figures *summary, struct mr_error *err)
{
    struct mr_store_append_figures ignored;
    struct mr_store *delta = NULL;
    bool is_new = false;

    summary = summary != NULL ? summary : &ignored;
    const struct mr_store_info *info = mr_store_get_info(append->store);
    *summary = (struct mr_store_append_figures){.n_vertices = info->n_vertices,
                                                .n_edges = info->n_edges,
                                                .n_kept = info->n_edges,
                                                .n_dangling = info->n_dangling,
                                                .store_bytes = info->bytes};
    mr_memory_expect_more(append->context->memory, 0);
    enum mr_status status = mr_append_check(append, options, options->n_gone[0] > 0, err);
    if (status == MR_OK && !options->without_delta) {
        status = mr_store_open(append->context, append->delta_path, &delta, err);
    }
    if (status == MR_OK && delta != NULL) {
        status = check_again(append, delta, options, err);
    }
    if (status == MR_OK &&
        (options->n_gone[0] > 0 || (delta != NULL && mr_store_get_info(delta)->n_vertices > 0))) {
        status = build_next(append, delta, options, summary, &is_new, err);
    }
    mr_store_close(delta);
    if (status == MR_OK && is_new) {
        status = replace(append, options->together, err);
    }
    summary->seconds = mr_now() - append->started;
    mr_append_abandon(append);
    return status;
}
