/* SPDX-License-Identifier: Apache-2.0 */
/* Appends edges to a store, and compacts a store. Most stores get one more generation: a part with
 * the new edges, the names of the new vertices, new degrees and a new index. A store with weights,
 * classes or an order by degree is rebuilt instead, since a part beside the others cannot express
 * these. Both ways publish in one step, so a killed process leaves the old store or the new one. */
#include "engine/build/append.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/base/format.h"
#include "engine/base/memory.h"
#include "engine/build/store_edges.h"
#include "engine/names/name_join.h"
#include "engine/store/sweep.h"
#include "engine/store/vertex_order.h"

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
    return status;
}

enum mr_status mr_append_begin(const struct mr_context *context, const char *path,
                               struct mr_append **out, struct mr_error *err)
{
    struct mr_append *append = calloc(1, sizeof *append);

    *out = NULL;
    if (append == NULL || (append->path = realpath(path, NULL)) == NULL) {
        free(append);
        const enum mr_status status = mr_store_require(path, err);
        return status == MR_OK ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for an append")
                               : status;
    }
    append->context = context;
    append->started = mr_now();
    enum mr_status status =
        open_locked(context, append->path, &append->publish, &append->store, err);
    if (status == MR_OK && (mr_store_get_info(append->store)->n_parts >= MR_PARTS_MAX ||
                            mr_store_index(append->store)->n_name_parts + 2 > MR_PARTS_MAX)) {
        status = mr_error_file(err, MR_ERROR_USAGE, path, 0,
                               "has %u parts, as many as can be; fold them with millrace compact",
                               mr_store_get_info(append->store)->n_parts);
    }
    if (status == MR_OK && !mr_append_is_anew(mr_store_get_info(append->store))) {
        mr_build_expect_append(context, append->store);
    }
    if (status == MR_OK) {
        mr_store_sweep(context, append->store);
        status = mr_publish_beside(append->publish, &append->delta_path, err);
    }
    if (status != MR_OK) {
        mr_append_abandon(append);
        return status;
    }
    *out = append;
    return MR_OK;
}

const struct mr_store_info *mr_append_store(const struct mr_append *append)
{
    return mr_store_get_info(append->store);
}

const char *mr_append_delta_path(const struct mr_append *append)
{
    return append->delta_path;
}

/* ---- Append ---- */

/* The last_append of the new store. Without weights and duplicates, edges that are added twice
 * change nothing, and the store needs no id to tell. */
static uint64_t append_id(const struct mr_append *append, struct mr_store *delta)
{
    const struct mr_store_info *info = mr_store_get_info(append->store);
    const bool counts_twice = info->has_weights || info->duplicates_kept;
    return counts_twice ? mr_store_get_info(delta)->store_id : 0;
}

/* The vertices of the store for those of the delta. `moved` has their positions; NULL: they are the
 * same. `*vertices` is `moved`, or takes its place. */
static enum mr_status vertices_of_delta(struct mr_append *append, struct mr_store *delta,
                                        uint32_t *moved, uint32_t **vertices, struct mr_error *err)
{
    const uint64_t n = mr_store_get_info(delta)->n_vertices;
    const uint64_t n_store = mr_store_get_info(append->store)->n_vertices;
    uint32_t *order = NULL;
    void *list = moved;

    *vertices = moved;
    if (mr_store_get_info(append->store)->order_id == 0) {
        return MR_OK;
    }
    enum mr_status status =
        mr_vertex_order_load(append->context, append->store, MR_ORDER_VERTICES, &order, err);
    if (status == MR_OK && moved == NULL) {
        status = mr_memory_alloc(append->context->memory, "vertices of new links",
                                 (n + 1) * sizeof **vertices, &list, err);
    }
    for (uint64_t v = 0; v < n && status == MR_OK; v++) {
        const uint32_t position = moved == NULL ? (uint32_t)v : moved[v];
        ((uint32_t *)list)[v] = position < n_store ? order[position] : position;
    }
    *vertices = list;
    mr_memory_free(append->context->memory, order);
    return status;
}

/* Write the edges and names of the delta to the scratch directory, as the files of the next
 * generation. If nothing in the delta is new, the caller publishes nothing. */
static enum mr_status write_generation(struct mr_append *append, struct mr_store *delta,
                                       const struct mr_append_options *options,
                                       struct mr_append_summary *summary, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(append->store);
    struct mr_names_joined joined = {.vertices = NULL};
    enum mr_status status =
        mr_names_join(append->context, append->store, delta, options->name_key, &joined, err);
    if (status == MR_OK) {
        status = vertices_of_delta(append, delta, joined.vertices, &joined.vertices, err);
    }
    if (status != MR_OK) {
        mr_memory_free(append->context->memory, joined.vertices);
        return status;
    }
    struct mr_names_new names = {
        .context = append->context, .store = append->store, .delta = delta, .joined = &joined};
    const struct mr_names_source source = mr_names_of_join(&names, info->generation + 1);
    const struct mr_build_options build_options = {
        .struct_size = sizeof build_options,
        .ids = MR_IDS_DENSE,
        .n_vertices = joined.n_vertices,
        .zstd_level = options->zstd_level,
        .encoding = options->encoding,
    };
    const struct mr_build_change change = {.store = append->store,
                                           .names = &source,
                                           .appends = true,
                                           .publish = append->publish,
                                           .last_append = append_id(append, delta)};
    struct mr_build_summary built = {0};
    const struct mr_edge_source links = {.store = delta, .vertices = joined.vertices};
    status = mr_build_from_stores(append->context, append->path, &build_options, &change, &links, 1,
                                  &built, err);
    mr_memory_free(append->context->memory, joined.vertices);
    summary->n_links = mr_store_get_info(delta)->n_edges;
    summary->n_new_links = built.edges;
    summary->n_known = summary->n_links - built.edges;
    summary->n_new_vertices = joined.n_new;
    summary->n_spellings_lost = joined.n_lost;
    return status;
}

/* The options for a rebuild of the store that `info` describes: the new store gets the same
 * properties. */
static enum mr_status options_of(const struct mr_store_info *info, const char *path,
                                 const struct mr_append_options *options, uint64_t n_vertices,
                                 struct mr_build_options *out, struct mr_error *err)
{
    *out = (struct mr_build_options){
        .struct_size = sizeof *out,
        .ids = MR_IDS_DENSE,
        .n_vertices = n_vertices,
        .zstd_level = options->zstd_level,
        .encoding = options->encoding,
        .weights = info->has_weights,
        .order = info->order_kind == MR_ORDER_BY_LISTS ? MR_ORDER_DEGREE : MR_ORDER_KEEP,
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

/* ---- One part, names in one order ---- */

/* Rebuild `store` as one part with names in one order, into `publish`. The result has the
 * properties in `info`, which may describe another store. */
static enum mr_status fold(const struct mr_context *context, const char *path,
                           struct mr_store *store, const struct mr_store_info *info,
                           const struct mr_append_options *options, struct mr_publish *publish,
                           uint64_t last_append, struct mr_build_summary *summary,
                           struct mr_error *err)
{
    struct mr_names_merge *names = NULL;
    struct mr_build_options build_options;
    uint32_t *vertices = NULL;

    enum mr_status status =
        options_of(info, path, options, mr_store_get_info(store)->n_vertices, &build_options, err);
    if (status == MR_OK) {
        status = mr_names_merge_create(context, store, options->name_key, &names, err);
    }
    if (status == MR_OK) {
        status =
            mr_edge_source_vertices(context, store, mr_names_merge_vertices(names), &vertices, err);
    }
    if (status == MR_OK) {
        const struct mr_build_change change = {.store = store,
                                               .names = mr_names_merge_source(names),
                                               .publish = publish,
                                               .last_append = last_append};
        const struct mr_edge_source links = {.store = store, .vertices = vertices};
        status =
            mr_build_from_stores(context, path, &build_options, &change, &links, 1, summary, err);
    }
    mr_memory_free(context->memory, vertices);
    mr_names_merge_destroy(names);
    return status;
}

/* ---- Rebuild ---- */

/* True for stores whose edges an append rewrites. Weights of equal edges add up, an order depends
 * on all degrees, and classes have parts of their own: one more part beside the others cannot
 * express any of these. Such a store always has one generation. */
bool mr_append_is_anew(const struct mr_store_info *info)
{
    return info->has_weights || info->n_classes > 1 || info->order_kind == MR_ORDER_BY_LISTS;
}

/* The names of a store, followed by the new names. */
struct grown_names {
    struct mr_names_copy copy;
    struct mr_names_new fresh;
    struct mr_names_source old_source, new_source;
    struct mr_names_part parts[MR_PARTS_MAX];
};

static enum mr_status walk_grown(void *data, uint32_t part, mr_names_visit visit, void *visit_data,
                                 struct mr_error *err)
{
    const struct grown_names *names = data;
    const struct mr_names_source *old = &names->old_source, *fresh = &names->new_source;
    return part < old->n_parts
               ? old->walk(old->data, part, visit, visit_data, err)
               : fresh->walk(fresh->data, part - old->n_parts, visit, visit_data, err);
}

static struct mr_names_source grow_names(const struct mr_append *append, struct mr_store *delta,
                                         const struct mr_names_joined *joined,
                                         struct grown_names *names)
{
    names->copy = (struct mr_names_copy){append->context, append->store};
    names->fresh = (struct mr_names_new){
        .context = append->context, .store = append->store, .delta = delta, .joined = joined};
    names->old_source = mr_names_of_store(&names->copy);
    names->new_source =
        mr_names_of_join(&names->fresh, mr_store_get_info(append->store)->generation + 1);
    struct mr_names_source source = names->new_source;
    source.parts = names->parts;
    source.n_parts = 0;
    source.walk = walk_grown;
    source.data = names;
    for (uint32_t i = 0; i < names->old_source.n_parts; i++) {
        names->parts[source.n_parts++] = names->old_source.parts[i];
    }
    for (uint32_t i = 0; i < names->new_source.n_parts; i++) {
        names->parts[source.n_parts++] = names->new_source.parts[i];
    }
    return source;
}

/* Build the edges of both stores. The names of the delta's new vertices follow those of the
 * store. */
static enum mr_status build_grown(struct mr_append *append, struct mr_store *delta,
                                  const struct mr_names_joined *joined,
                                  const struct mr_build_options *options,
                                  struct mr_publish *publish, struct mr_build_summary *built,
                                  struct mr_error *err)
{
    const struct mr_context *context = append->context;
    struct grown_names *names = calloc(1, sizeof *names);
    uint32_t *vertices = NULL;

    if (names == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for names");
    }
    enum mr_status status = mr_edge_source_vertices(context, append->store, NULL, &vertices, err);
    if (status == MR_OK) {
        const struct mr_names_source source = grow_names(append, delta, joined, names);
        const struct mr_build_change change = {.store = append->store,
                                               .names = &source,
                                               .publish = publish,
                                               .last_append =
                                                   publish != NULL ? append_id(append, delta) : 0};
        const struct mr_edge_source links[] = {
            {.store = append->store, .vertices = vertices},
            {.store = delta, .vertices = joined->vertices},
        };
        status = mr_build_from_stores(context, publish != NULL ? append->path : append->delta_path,
                                      options, &change, links, 2, built, err);
    }
    mr_memory_free(context->memory, vertices);
    free(names);
    return status;
}

/* Rebuild a store that gets new names, which belong between the others, or that has an order, which
 * must count no edge twice. First writes the edges of both stores to the path of the delta,
 * replacing it. Then folds that store. */
static enum mr_status build_and_fold(struct mr_append *append, struct mr_store *delta,
                                     const struct mr_names_joined *joined,
                                     const struct mr_append_options *options,
                                     struct mr_build_summary *built, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(append->store);
    const uint64_t id = append_id(append, delta);
    const struct mr_build_options build_options = {
        .struct_size = sizeof build_options,
        .ids = MR_IDS_DENSE,
        .n_vertices = joined->n_vertices,
        .encoding = MR_ENCODING_KEYS,
        .weights = info->has_weights,
        .force = true,
    };
    struct mr_store *both = NULL;
    enum mr_status status = build_grown(append, delta, joined, &build_options, NULL, built, err);
    if (status == MR_OK) {
        status = mr_store_open(append->context, append->delta_path, &both, err);
    }
    if (status == MR_OK) {
        status = fold(append->context, append->path, both, info, options, append->publish, id,
                      built, err);
    }
    mr_store_close(both);
    return status;
}

static enum mr_status make_anew(struct mr_append *append, struct mr_store *delta,
                                const struct mr_append_options *options,
                                struct mr_append_summary *summary, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(append->store);
    struct mr_names_joined joined = {.vertices = NULL};
    struct mr_build_options build_options;
    struct mr_build_summary built = {.edges = info->n_edges};

    enum mr_status status =
        mr_names_join(append->context, append->store, delta, options->name_key, &joined, err);
    if (status == MR_OK) {
        status = options_of(info, append->path, options, joined.n_vertices, &build_options, err);
    }
    summary->n_links = mr_store_get_info(delta)->n_edges;
    summary->n_new_vertices = joined.n_new;
    summary->n_spellings_lost = joined.n_lost;
    if (status == MR_OK && summary->n_links + joined.n_new > 0) {
        mr_context_note(append->context,
                        "the store has %s: all of its links are rewritten, with the new ones",
                        info->has_weights     ? "weights"
                        : info->n_classes > 1 ? "classes of links"
                                              : "its pages by degree");
        status =
            joined.n_new > 0 || info->order_kind == MR_ORDER_BY_LISTS
                ? build_and_fold(append, delta, &joined, options, &built, err)
                : build_grown(append, delta, &joined, &build_options, append->publish, &built, err);
    }
    if (status == MR_OK) {
        summary->n_new_links = built.edges - info->n_edges;
        summary->n_known = summary->n_links - summary->n_new_links;
    }
    mr_memory_free(append->context->memory, joined.vertices);
    return status;
}

/* Replace the store, which is unchanged until here. */
static enum mr_status replace(struct mr_append *append, struct mr_error *err)
{
    struct mr_publish *publish = append->publish;
    enum mr_status status = mr_context_poll(append->context, err);
    if (status != MR_OK) {
        return status;
    }
    mr_store_close(append->store);
    append->store = NULL;
    append->publish = NULL; /* the commit frees it, even if it fails */
    status = mr_publish_commit(publish, err);
    return status == MR_OK ? mr_store_open(append->context, append->path, &append->store, err)
                           : status;
}

/* ---- Finish ---- */

/* Put the figures of the new store into the summary. */
static void describe(const struct mr_append *append, struct mr_append_summary *summary)
{
    const struct mr_store_info *info = mr_store_get_info(append->store);
    summary->vertices = info->n_vertices;
    summary->edges = info->n_edges;
    summary->dangling = info->n_dangling;
    summary->n_bands = info->n_bands;
    summary->n_source_bands = info->n_source_bands;
    const uint64_t n_core = info->n_vertices - info->n_dangling;
    summary->n_source_bands_folded =
        info->core_first ? (uint32_t)mr_div_up(n_core, (uint64_t)1 << info->band_bits)
                         : info->n_source_bands;
    summary->store_bytes = info->bytes;
    summary->generation = info->generation;
    summary->n_parts = info->n_parts;
    summary->seconds = mr_now() - append->started;
}

static enum mr_status publish(struct mr_append *append, struct mr_error *err)
{
    enum mr_status status = mr_context_poll(append->context, err);
    if (status == MR_OK) {
        status = mr_publish_commit_into(append->publish, err);
    }
    /* Reopen even if the commit failed: the files that it moved may belong to the new generation or
     * to none. */
    mr_store_close(append->store);
    append->store = NULL;
    struct mr_error problem = {.status = MR_OK};
    const enum mr_status opened =
        mr_store_open(append->context, append->path, &append->store, &problem);
    if (opened == MR_OK) {
        mr_store_sweep(append->context, append->store);
    }
    if (status == MR_OK && opened != MR_OK) {
        return mr_error_file(err, opened, append->path, 0,
                             "the links are added, but the store cannot be read again: %s; do not "
                             "repeat the append",
                             problem.message);
    }
    return status;
}

/* Refuses edges that were the last ones to be added, if adding them twice changes the graph. So an
 * append that was killed after it published can be repeated. */
static enum mr_status check_again(const struct mr_append *append, struct mr_store *delta,
                                  struct mr_error *err)
{
    const uint64_t id = append_id(append, delta);

    return id != 0 && id == mr_store_get_info(append->store)->last_append
               ? mr_error_file(err, MR_ERROR_USAGE, append->path, 0,
                               "has these links already: they were the last to be appended; "
                               "--again appends them once more")
               : MR_OK;
}

enum mr_status mr_append_finish(struct mr_append *append, const struct mr_append_options *options,
                                struct mr_append_summary *summary, struct mr_error *err)
{
    struct mr_append_summary ignored;
    struct mr_store *delta = NULL;

    assert(options->struct_size == sizeof *options);
    summary = summary != NULL ? summary : &ignored;
    *summary = (struct mr_append_summary){0};
    mr_memory_expect_more(append->context->memory, 0);
    enum mr_status status = mr_store_open(append->context, append->delta_path, &delta, err);
    const bool is_anew = mr_append_is_anew(mr_store_get_info(append->store));
    if (status == MR_OK && !options->again) {
        status = check_again(append, delta, err);
    }
    if (status == MR_OK) {
        status = (is_anew ? make_anew : write_generation)(append, delta, options, summary, err);
    }
    mr_store_close(delta);
    if (status == MR_OK && is_anew && summary->n_links + summary->n_new_vertices > 0) {
        status = replace(append, err);
    } else if (status == MR_OK && summary->n_new_links + summary->n_new_vertices > 0) {
        status = publish(append, err);
    }
    if (status == MR_OK) {
        describe(append, summary);
    }
    mr_append_abandon(append);
    return status;
}

/* ---- Compact ---- */

enum mr_status mr_compact(const struct mr_context *context, const char *path,
                          const struct mr_append_options *options, struct mr_build_summary *summary,
                          struct mr_error *err)
{
    struct mr_publish *publish = NULL;
    struct mr_store *store = NULL;
    char *real_path = realpath(path, NULL);
    const char *store_path = real_path != NULL ? real_path : path;

    assert(options->struct_size == sizeof *options);
    enum mr_status status = open_locked(context, store_path, &publish, &store, err);
    if (status == MR_OK) {
        status = fold(context, store_path, store, mr_store_get_info(store), options, publish, 0,
                      summary, err);
    }
    mr_store_close(store);
    if (status == MR_OK) {
        status = mr_publish_commit(publish, err);
    } else {
        mr_publish_abandon(publish);
    }
    free(real_path);
    return status;
}
