#include "engine/build/append.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/base/format.h"
#include "engine/base/memory.h"
#include "engine/build/link_feed.h"
#include "engine/names/name_join.h"
#include "engine/store/sweep.h"

struct mr_append {
    const struct mr_context *context;
    struct mr_publish *publish; /* holds the lock */
    struct mr_store *store;
    char *path;
    const char *delta_path; /* the publication's */
    double started;
};

/* ---- Begin, end ---- */

void mr_append_abandon(struct mr_append *append)
{
    if (append != NULL) {
        mr_store_close(append->store);
        mr_publish_abandon(append->publish);
        free(append->path);
        free(append);
    }
}

/* What a store has to be to be written again. */
static enum mr_status open_locked(const struct mr_context *context, const char *path,
                                  struct mr_publish **publish, struct mr_store **store,
                                  struct mr_error *err)
{
    if (!mr_store_probe(path)) {
        return mr_error_file(err, MR_ERROR_INPUT, path, 0,
                             "is not a store; make one with: millrace build -o NAME.mill INPUT");
    }
    enum mr_status status =
        mr_publish_begin(context->io, path, MR_PUBLISH_DIRECTORY, true, publish, err);
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
        return mr_store_probe(path)
                   ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for an append")
                   : mr_error_file(err, MR_ERROR_INPUT, path, 0,
                                   "is not a store; make one with: millrace build -o NAME.mill "
                                   "INPUT");
    }
    append->context = context;
    append->started = mr_now();
    enum mr_status status =
        open_locked(context, append->path, &append->publish, &append->store, err);
    if (status == MR_OK && (mr_store_info(append->store)->n_parts >= MR_PARTS_MAX ||
                            mr_store_index(append->store)->n_name_parts + 2 > MR_PARTS_MAX)) {
        status = mr_error_file(err, MR_ERROR_USAGE, path, 0,
                               "has %u parts, as many as can be; fold them with millrace compact",
                               mr_store_info(append->store)->n_parts);
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
    return mr_store_info(append->store);
}

const char *mr_append_delta_path(const struct mr_append *append)
{
    return append->delta_path;
}

/* ---- Append ---- */

/* The delta is in the scratch directory as the next generation's files; or nothing is new. */
static enum mr_status write_generation(struct mr_append *append, struct mr_store *delta,
                                       const struct mr_append_options *options,
                                       struct mr_append_summary *summary, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_info(append->store);
    struct mr_names_joined joined = {.vertices = NULL};
    enum mr_status status =
        mr_names_join(append->context, append->store, delta, options->name_key, &joined, err);
    if (status != MR_OK) {
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
    const struct mr_build_change change = {
        .store = append->store, .names = &source, .appends = true, .publish = append->publish};
    struct mr_build_summary built = {0};
    const struct mr_link_source links = {.store = delta, .vertices = joined.vertices};
    status = mr_build_of_links(append->context, append->path, &build_options, &change, &links, 1,
                               &built, err);
    mr_memory_free(append->context->memory, joined.vertices);
    summary->n_links = mr_store_info(delta)->n_edges;
    summary->n_new_links = built.edges;
    summary->n_known = summary->n_links - built.edges;
    summary->n_new_vertices = joined.n_new;
    summary->n_spellings_lost = joined.n_lost;
    return status;
}

/* What a store that is made anew of `info` is to be again. */
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
        .order = info->order_id != 0 ? MR_ORDER_DEGREE : MR_ORDER_KEEP,
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

/* Build `store` anew into `publish`; it is to be again what `info` says, which may be another store's. */
static enum mr_status fold(const struct mr_context *context, const char *path,
                           struct mr_store *store, const struct mr_store_info *info,
                           const struct mr_append_options *options, struct mr_publish *publish,
                           struct mr_build_summary *summary, struct mr_error *err)
{
    struct mr_names_merge *names = NULL;
    struct mr_build_options build_options;
    uint32_t *vertices = NULL;

    enum mr_status status =
        options_of(info, path, options, mr_store_info(store)->n_vertices, &build_options, err);
    if (status == MR_OK) {
        status = mr_names_merge_create(context, store, options->name_key, &names, err);
    }
    if (status == MR_OK) {
        status = mr_places_of_links(context, store, mr_names_merge_vertices(names), &vertices, err);
    }
    if (status == MR_OK) {
        const struct mr_build_change change = {
            .store = store, .names = mr_names_merge_source(names), .publish = publish};
        const struct mr_link_source links = {.store = store, .vertices = vertices};
        status = mr_build_of_links(context, path, &build_options, &change, &links, 1, summary, err);
    }
    mr_memory_free(context->memory, vertices);
    mr_names_merge_destroy(names);
    return status;
}

/* ---- Anew ---- */

/* Weights add up, an order is of all degrees, and classes have parts of their own: a part beside the others cannot
 * say that, so that these stores are written anew from their links and the new ones. They are of one generation. */
bool mr_append_is_anew(const struct mr_store_info *info)
{
    return info->has_weights || info->n_classes > 1 || info->order_id != 0;
}

/* The names of a store, and behind them those that are new. */
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
        mr_names_of_join(&names->fresh, mr_store_info(append->store)->generation + 1);
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

/* The links of both, with the names of the store and the new ones behind them. */
static enum mr_status build_grown(struct mr_append *append, struct mr_store *delta,
                                  const struct mr_names_joined *joined,
                                  const struct mr_build_options *options,
                                  struct mr_publish *publish, struct mr_build_summary *built,
                                  struct mr_error *err)
{
    const struct mr_context *context = append->context;
    struct grown_names *names = calloc(1, sizeof *names);
    uint32_t *places = NULL;

    if (names == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for names");
    }
    enum mr_status status = mr_places_of_links(context, append->store, NULL, &places, err);
    if (status == MR_OK) {
        const struct mr_names_source source = grow_names(append, delta, joined, names);
        const struct mr_build_change change = {
            .store = append->store, .names = &source, .publish = publish};
        const struct mr_link_source links[] = {
            {.store = append->store, .vertices = places},
            {.store = delta, .vertices = joined->vertices},
        };
        status = mr_build_of_links(context, publish != NULL ? append->path : append->delta_path,
                                   options, &change, links, 2, built, err);
    }
    mr_memory_free(context->memory, places);
    free(names);
    return status;
}

/* With new names, which belong between the others, or an order, which is to count no link twice: both stores
 * together take the delta's place first, and are then folded. */
static enum mr_status build_and_fold(struct mr_append *append, struct mr_store *delta,
                                     const struct mr_names_joined *joined,
                                     const struct mr_append_options *options,
                                     struct mr_build_summary *built, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_info(append->store);
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
        status =
            fold(append->context, append->path, both, info, options, append->publish, built, err);
    }
    mr_store_close(both);
    return status;
}

static enum mr_status make_anew(struct mr_append *append, struct mr_store *delta,
                                const struct mr_append_options *options,
                                struct mr_append_summary *summary, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_info(append->store);
    struct mr_names_joined joined = {.vertices = NULL};
    struct mr_build_options build_options;
    struct mr_build_summary built = {.edges = info->n_edges};

    enum mr_status status =
        mr_names_join(append->context, append->store, delta, options->name_key, &joined, err);
    if (status == MR_OK) {
        status = options_of(info, append->path, options, joined.n_vertices, &build_options, err);
    }
    summary->n_links = mr_store_info(delta)->n_edges;
    summary->n_new_vertices = joined.n_new;
    summary->n_spellings_lost = joined.n_lost;
    if (status == MR_OK && summary->n_links + joined.n_new > 0) {
        mr_context_note(append->context,
                        "the store has %s: all of its links are written anew, with the new ones",
                        info->has_weights     ? "weights"
                        : info->n_classes > 1 ? "classes of links"
                                              : "its pages by degree");
        status =
            joined.n_new > 0 || info->order_id != 0
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

/* In the place of the store, which nothing has changed until then. */
static enum mr_status replace(struct mr_append *append, struct mr_error *err)
{
    struct mr_publish *publish = append->publish;
    enum mr_status status = mr_context_poll(append->context, err);
    if (status != MR_OK) {
        return status;
    }
    mr_store_close(append->store);
    append->store = NULL;
    append->publish = NULL; /* frees itself, whatever happens */
    status = mr_publish_commit(publish, err);
    return status == MR_OK ? mr_store_open(append->context, append->path, &append->store, err)
                           : status;
}

/* ---- Finish ---- */

/* The store as it is now. */
static void describe(const struct mr_append *append, struct mr_append_summary *summary)
{
    const struct mr_store_info *info = mr_store_info(append->store);
    summary->vertices = info->n_vertices;
    summary->edges = info->n_edges;
    summary->dangling = info->n_dangling;
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
    /* Also where it failed: files that were moved may be no generation's, or the new one's. */
    mr_store_close(append->store);
    append->store = NULL;
    const enum mr_status opened = mr_store_open(append->context, append->path, &append->store, err);
    if (opened == MR_OK) {
        mr_store_sweep(append->context, append->store);
    }
    return status == MR_OK ? opened : status;
}

enum mr_status mr_append_finish(struct mr_append *append, const struct mr_append_options *options,
                                struct mr_append_summary *summary, struct mr_error *err)
{
    struct mr_append_summary ignored;
    struct mr_store *delta = NULL;

    assert(options->struct_size == sizeof *options);
    summary = summary != NULL ? summary : &ignored;
    *summary = (struct mr_append_summary){0};
    enum mr_status status = mr_store_open(append->context, append->delta_path, &delta, err);
    const bool is_anew = mr_append_is_anew(mr_store_info(append->store));
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

    assert(options->struct_size == sizeof *options);
    enum mr_status status =
        open_locked(context, real_path != NULL ? real_path : path, &publish, &store, err);
    if (status == MR_OK) {
        status =
            fold(context, real_path, store, mr_store_info(store), options, publish, summary, err);
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
