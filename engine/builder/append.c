/* SPDX-License-Identifier: Apache-2.0 */
/* Appends edges to a store: builds the next store out of the last one and the new edges, and
 * replaces it in one step, so a killed process leaves the old store or the new one. The result is
 * the store that one build of all input makes. */
#include "engine/builder/append_internal.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/base/count_text.h"
#include "engine/base/memory.h"
#include "engine/builder/store_edges.h"

/* What the build of the next store holds beside what that of the new edges does: the encoder of all
 * kinds of tiles, and for each vertex its position, its number in the build and an out-degree. */
#define NEXT_BYTES            ((uint64_t)12 << 20)
#define NEXT_BYTES_PER_VERTEX (3 * sizeof(uint32_t))

/* ---- Begin, end ---- */

void mr_append_abandon(struct mr_append *append)
{
    if (append != NULL) {
        mr_memory_expect_more(append->context->memory, 0);
        mr_store_close(append->stores[0]);
        mr_publish_abandon(append->publish);
        free(append->path);
        free(append);
    }
}

/* Lock the place of the next store, open the last one, and check that it can be rewritten. */
static enum mr_status open_locked(const struct mr_context *context, const char *path,
                                  const struct mr_append *append, struct mr_publish **publish,
                                  struct mr_store **store, struct mr_error *err)
{
    enum mr_status status = mr_store_require(path, err);
    if (status == MR_OK) {
        status = mr_publish_begin(context->io, append->path, MR_PUBLISH_DIRECTORY, !append->is_copy,
                                  publish, err);
    }
    if (status == MR_OK) {
        status = mr_store_open(context, path, store, err);
    }
    return status == MR_OK ? mr_build_check_names(path, *store, err) : status;
}

enum mr_status mr_append_begin(const struct mr_context *context, const char *path, const char *to,
                               struct mr_append **out, struct mr_error *err)
{
    struct mr_append *append = calloc(1, sizeof *append);

    *out = append;
    if (append != NULL) {
        append->context = context;
        append->started = mr_now();
        append->path = to != NULL ? strdup(to) : realpath(path, NULL);
        append->is_copy = to != NULL;
    }
    if (append == NULL || append->path == NULL) {
        const enum mr_status status = mr_store_require(path, err);
        return status == MR_OK ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for an append")
                               : status;
    }
    enum mr_status status = open_locked(context, to != NULL ? path : append->path, append,
                                        &append->publish, &append->stores[0], err);
    if (status == MR_OK) {
        mr_memory_expect_more(context->memory,
                              NEXT_BYTES + NEXT_BYTES_PER_VERTEX *
                                               mr_store_get_info(append->stores[0])->n_vertices);
        status = mr_publish_beside(append->publish, &append->delta_path, err);
    }
    return status;
}

const struct mr_store_info *mr_append_store(const struct mr_append *append)
{
    return mr_store_get_info(append->stores[0]);
}

const char *mr_append_delta_path(const struct mr_append *append)
{
    return append->delta_path;
}

/* ---- The next store ---- */

/* The last_append of the new store. Without weights and duplicates, edges that are added twice
 * change nothing, and the store needs no id to tell; so it is with links that replace others. */
static uint64_t append_id(const struct mr_append *append)
{
    const struct mr_store *delta = append->stores[1];
    const struct mr_store_info *info = mr_store_get_info(append->stores[0]);
    const bool counts_twice =
        (info->has_weights || info->duplicates_kept) && !append->options->replaces;
    return delta == NULL ? info->last_append
           : counts_twice && mr_store_get_info(delta)->n_edges > 0
               ? mr_store_get_info(delta)->store_id
               : 0;
}

/* The options for a rebuild of the store: the new store gets the same properties. */
static enum mr_status options_of(const struct mr_append *append, struct mr_build_options *out,
                                 struct mr_error *err)
{
    const struct mr_append_options *options = append->options;
    const struct mr_store_info *info = mr_store_get_info(append->stores[0]);

    *out = (struct mr_build_options){
        .ids = MR_IDS_DENSE,
        .n_vertices = mr_names_merge_count(append->merge),
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
               : mr_error_file(err, MR_ERROR_USAGE, append->path, 0,
                               "has classes of links by a rule that is not known here; build it "
                               "again from its input");
}

/* Get the position of each vertex of both stores in the merge of their names. */
static enum mr_status get_vertices(struct mr_append *append, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (unsigned i = 0; i < mr_append_n_stores(append) && status == MR_OK; i++) {
        status = mr_edge_source_vertices(append->context, append->stores[i],
                                         mr_names_merge_positions(append->merge, i),
                                         &append->vertices[i], err);
    }
    return status;
}

static void free_vertices(struct mr_append *append)
{
    for (unsigned i = 0; i < 2; i++) {
        mr_memory_free(append->context->memory, append->vertices[i]);
        append->vertices[i] = NULL;
    }
}

/* Build the edges, names and fetch facts of all stores as one. */
static enum mr_status build_all(struct mr_append *append, struct mr_store_build_figures *built,
                                struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(append->stores[0]);
    const unsigned n_stores = mr_append_n_stores(append);
    struct mr_build_change change = {.store = append->stores[0],
                                     .names = mr_names_merge_source(append->merge),
                                     .publish = append->publish,
                                     .next_facts = mr_append_facts_next,
                                     .facts = append,
                                     .last_append = append_id(append)};
    struct mr_build_options options;
    struct mr_edge_source links[2] = {{.store = NULL}};

    enum mr_status status = options_of(append, &options, err);
    if (status == MR_OK) {
        status = get_vertices(append, err);
    }
    for (unsigned i = 0; i < n_stores; i++) {
        change.has_digests |= mr_store_get_info(append->stores[i])->has_digests;
        links[i] =
            (struct mr_edge_source){.store = append->stores[i],
                                    .vertices = append->vertices[i],
                                    .drops_self_loops = info->self_loops_dropped,
                                    .old = i == 0 && append->leaves_out ? &append->old : NULL,
                                    .without = i == 0 ? append->options->without : NULL,
                                    .n_without = i == 0 ? append->options->n_without : 0};
    }
    if (status == MR_OK) {
        status = mr_build_from_stores(append->context, append->path, &options, &change, links,
                                      n_stores, built, err);
    }
    free_vertices(append);
    return status;
}

/* Keeps what is known of the pages that stay. */
static enum mr_status take_pages(struct mr_append *append, struct mr_error *err)
{
    const uint32_t *differences = append->differences;
    uint64_t next = 0;
    const enum mr_status status = mr_vertex_set_create(
        append->context, MR_APPEND_BITS * (append->n_vertices - append->n_unlinked), &append->known,
        err);

    for (uint64_t at = 0; status == MR_OK && at < append->n_vertices; at++) {
        const bool is_fresh = mr_vertex_set_has(&append->fresh, at);
        const bool bits[MR_APPEND_BITS] = {
            [MR_APPEND_FRESH] = is_fresh,
            [MR_APPEND_DIFFERS] = differences != NULL && differences[at] > 0,
            [MR_APPEND_GONE] = mr_vertex_set_has(&append->gone, at) && !is_fresh};
        if (append->n_unlinked > 0 && mr_vertex_set_has(&append->unlinked, at)) {
            continue;
        }
        for (unsigned i = 0; i < MR_APPEND_BITS; i++, next++) {
            if (bits[i]) {
                mr_vertex_set_add(&append->known, next);
            }
        }
    }
    append->compares = differences != NULL;
    return status;
}

static bool changes_links(const struct mr_append_options *options)
{
    return options->replaces || options->n_gone[0] + options->n_gone[1] > 0;
}

static bool have_facts(const struct mr_append *append)
{
    return mr_store_get_info(append->stores[0])->n_facts > 0 &&
           mr_store_get_info(append->stores[1])->n_facts > 0;
}

/* Find what is left out, and number the names without those pages. */
static enum mr_status leave_out(struct mr_append *append, struct mr_error *err)
{
    struct mr_memory *memory = append->context->memory;
    const bool has_copies = mr_store_get_info(append->stores[0])->duplicates_kept;
    const bool compares =
        append->stores[1] != NULL && !has_copies && changes_links(append->options);

    append->n_vertices = mr_names_merge_count(append->merge);
    enum mr_status status = get_vertices(append, err);
    if (status == MR_OK) {
        status = mr_append_old_find(append, err);
    }
    if (status == MR_OK && compares && append->options->replaces && have_facts(append)) {
        status = mr_memory_array(memory, "differences of pages", append->n_vertices + 1,
                                 &append->differences, err);
    }
    if (status == MR_OK && compares) {
        status = mr_append_old_in_delta(append, err);
    }
    if (status == MR_OK) {
        status = mr_append_old_unlinked(append, err);
    }
    if (status == MR_OK) {
        status = take_pages(append, err);
    }
    mr_memory_free(memory, append->differences);
    append->differences = NULL;
    mr_vertex_set_destroy(&append->fresh);
    mr_vertex_set_destroy(&append->gone);
    free_vertices(append);
    return status == MR_OK && append->n_unlinked > 0
               ? mr_names_merge_leave_out(append->merge, append->unlinked.bits, err)
               : status;
}

/* Set the figures of the next store, and `*is_new` unless it is the store as it is. */
static void count(const struct mr_append *append, const struct mr_store_build_figures *built,
                  bool *is_new)
{
    const struct mr_store_info *info = mr_store_get_info(append->stores[0]);
    struct mr_store_append_figures *figures = append->figures;

    if (append->stores[1] != NULL) {
        const struct mr_store_info *delta = mr_store_get_info(append->stores[1]);
        figures->n_links = delta->n_edges - (info->self_loops_dropped ? delta->n_self_loops : 0);
    }
    const uint64_t all_links = info->n_edges + figures->n_links;
    figures->n_removed = all_links - built->input_edges - append->n_common;
    figures->n_kept = info->n_edges - figures->n_removed;
    figures->n_new_links = built->n_edges - figures->n_kept;
    figures->n_known = figures->n_links - figures->n_new_links;
    figures->n_new_vertices =
        mr_names_merge_count(append->merge) + figures->n_dropped - info->n_vertices;
    figures->n_respelled = mr_names_merge_respelled(append->merge);
    figures->n_vertices = built->n_vertices;
    figures->n_edges = built->n_edges;
    figures->n_dangling = built->n_dangling;
    figures->store_bytes = built->store_bytes;
    *is_new = figures->n_new_links + figures->n_new_vertices + figures->n_respelled +
                      figures->n_removed + figures->n_dropped >
                  0 ||
              (info->has_weights && figures->n_links > 0) || built->facts_id != info->facts_id;
}

/* Facts say when the first and the last fetch was, and not which lie between. */
static void note_mixed(const struct mr_context *context, uint64_t n_pages)
{
    char text[32];

    if (n_pages > 0) {
        mr_context_note(context,
                        "pages with fetches here between those that the store knows: %s; fetches "
                        "that it may have already count once, and are not compared; append in the "
                        "order of the fetches to count all",
                        mr_count_text(n_pages, text));
    }
}

/* Build the next store. Sets `*is_new` unless it is the store as it is. */
static enum mr_status build_next(struct mr_append *append, bool *is_new, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(append->stores[0]);
    const struct mr_append_options *options = append->options;
    struct mr_store_build_figures built = {.n_edges = 0};

    /* a page of the input is not gone */
    append->leaves_out = changes_links(options) ||
                         (info->has_gone && !info->undirected && append->stores[1] != NULL);
    enum mr_status status =
        mr_names_merge_create(append->context, append->stores, mr_append_n_stores(append),
                              options->name_key, options->drops_unlinked, &append->merge, err);
    if (status == MR_OK && append->leaves_out) {
        status = leave_out(append, err);
    }
    if (status == MR_OK) {
        status = mr_append_facts_open(append, err);
    }
    if (status == MR_OK) {
        status = build_all(append, &built, err);
    }
    if (status == MR_OK) {
        count(append, &built, is_new);
        note_mixed(append->context, append->n_mixed);
    }
    mr_append_facts_close(append);
    mr_names_merge_destroy(append->merge);
    append->merge = NULL;
    mr_vertex_set_destroy(&append->old);
    mr_vertex_set_destroy(&append->unlinked);
    mr_vertex_set_destroy(&append->known);
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
    mr_store_close(append->stores[0]);
    append->stores[0] = NULL;
    append->publish = NULL; /* the commit frees it, even if it fails */
    return mr_publish_commit_with(publish, together, err);
}

/* ---- Finish ---- */

/* Refuses edges that were the last ones to be added, if adding them twice changes the graph. So an
 * append that was killed after it published can be repeated. */
static enum mr_status check_again(const struct mr_append *append, struct mr_error *err)
{
    const uint64_t id = append_id(append);

    return !append->is_copy && id != 0 && id == mr_store_get_info(append->stores[0])->last_append
               ? mr_error_file(err, MR_ERROR_USAGE, append->path, 0,
                               "has these links already: they were the last to be appended, and "
                               "would count twice; nothing is left to do")
               : MR_OK;
}

enum mr_status mr_append_check(const struct mr_append *append,
                               const struct mr_append_options *options, bool has_gone,
                               struct mr_error *err)
{
    return mr_store_get_info(append->stores[0])->undirected && (options->replaces || has_gone)
               ? mr_error_file(err, MR_ERROR_USAGE, append->path, 0,
                               "has each link in both directions, so nothing says which page it is "
                               "on; build a store without --undirected to replace links")
               : MR_OK;
}

enum mr_status mr_append_finish(struct mr_append *append, const struct mr_append_options *options,
                                struct mr_store_append_figures *summary, struct mr_error *err)
{
    struct mr_store_append_figures ignored;
    bool is_new = false;

    summary = summary != NULL ? summary : &ignored;
    const struct mr_store_info *info = mr_store_get_info(append->stores[0]);
    *summary = (struct mr_store_append_figures){.n_vertices = info->n_vertices,
                                                .n_edges = info->n_edges,
                                                .n_kept = info->n_edges,
                                                .n_dangling = info->n_dangling,
                                                .store_bytes = info->bytes};
    append->options = options;
    append->figures = summary;
    mr_memory_expect_more(append->context->memory, 0);
    enum mr_status status = mr_append_check(append, options, options->n_gone[0] > 0, err);
    if (status == MR_OK && !options->without_delta) {
        status = mr_store_open(append->context, append->delta_path, &append->stores[1], err);
    }
    if (status == MR_OK && append->stores[1] != NULL) {
        status = check_again(append, err);
    }
    if (status == MR_OK &&
        (append->is_copy || options->n_gone[0] > 0 || options->n_without > 0 ||
         (append->stores[1] != NULL && mr_store_get_info(append->stores[1])->n_vertices > 0))) {
        status = build_next(append, &is_new, err);
    }
    mr_store_close(append->stores[1]);
    append->stores[1] = NULL;
    if (status == MR_OK && (is_new || append->is_copy)) {
        status = replace(append, options->together, err);
    }
    summary->seconds = mr_now() - append->started;
    mr_append_abandon(append);
    return status;
}
