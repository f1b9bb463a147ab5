/* SPDX-License-Identifier: Apache-2.0 */
/* The input side of the builder: checks the options, takes vertices and edges, and stores edges in
 * the spool. finish.c then makes the store. The two sides are separate since vertices get their
 * numbers only when all input is read. */
#include "engine/builder/build.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/clock.h"
#include "engine/base/count_text.h"
#include "engine/base/memory.h"
#include "engine/builder/internal.h"
#include "engine/io/io.h"

/* Limits of the bits that options may ask for. */
enum { MIN_BITS = 8, MAX_BAND_BITS = 20, MAX_STRIPE_BITS = 16, KEY_BITS = 32 };

/* `named`: the store whose names the build copies, or NULL. */
static enum mr_status check_options(const struct mr_build_options *options,
                                    const struct mr_store *named, struct mr_error *err)
{
    unsigned band = options->band_bits, stripe = options->stripe_bits;
    if (options->ids == MR_IDS_DENSE && options->n_vertices > UINT32_MAX) {
        return mr_error_set(err, MR_ERROR_USAGE, "%llu pages; a store can hold 4294967295",
                            (unsigned long long)options->n_vertices);
    }
    if (options->ids == MR_IDS_TEXT &&
        (options->name_key == NULL || options->name_key_number == 0)) {
        return mr_error_set(err, MR_ERROR_USAGE, "text names need a key to order them by");
    }
    if (options->zstd_level < 0 || options->zstd_level > 19) {
        return mr_error_set(err, MR_ERROR_USAGE, "zstd level %d is not between 1 and 19",
                            options->zstd_level);
    }
    if ((band != 0 && (band < MIN_BITS || band > MAX_BAND_BITS)) ||
        (stripe != 0 && (stripe < MIN_BITS || stripe > MAX_STRIPE_BITS)) ||
        (band != 0 && (stripe > band || band + stripe > KEY_BITS))) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "bands of 2^%u and stripes of 2^%u pages are not possible", band,
                            stripe);
    }
    if (options->class_rule != MR_CLASSES_NONE && options->weights) {
        return mr_error_set(err, MR_ERROR_USAGE, "links have classes or weights, not both");
    }
    if ((options->class_rule != MR_CLASSES_NONE) != (options->name_group != NULL) ||
        (options->name_group != NULL && options->ids != MR_IDS_TEXT &&
         (named == NULL || mr_store_get_info(named)->name_kind != MR_NAMES_TEXT))) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "classes of links need text names, and a rule that groups them");
    }
    if (options->like != NULL && options->core_first) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "a store like another one keeps the order of that store");
    }
    if (options->like != NULL &&
        (options->ids != MR_IDS_DENSE ||
         options->n_vertices != mr_store_get_info(options->like)->n_vertices)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "a store like another one has the numbered pages of that store");
    }
    return MR_OK;
}

/* Set the facts that are known before any edge comes. Where edges come from another store, that
 * store's build has already reversed, merged or dropped them, so this build does not do it
 * again. */
static void take_facts(struct mr_build *build)
{
    struct mr_build_options *options = &build->options;
    struct mr_store *like = build->change.store != NULL ? build->change.store : options->like;
    if (like == NULL) {
        build->facts = (struct mr_store_info){
            .undirected = options->undirected,
            .duplicates_kept = options->keep_duplicates,
            .self_loops_dropped = options->drop_self_loops,
            .transposed = options->transpose,
            .core_first = options->core_first,
            .class_rule = options->class_rule,
            .name_key_number = options->ids == MR_IDS_TEXT ? options->name_key_number : 0,
        };
        return;
    }
    const struct mr_store_info *info = mr_store_get_info(like);
    build->facts = (struct mr_store_info){
        .undirected = info->undirected,
        .duplicates_kept = info->duplicates_kept && !build->change.merges,
        .self_loops_dropped = info->self_loops_dropped,
        .transposed = info->transposed != options->transpose,
        .core_first = options->core_first,
        .class_rule = options->class_rule,
        .name_key_number = info->name_key_number,
    };
    options->undirected = false;
    options->keep_duplicates = build->facts.duplicates_kept;
    options->drop_self_loops = false;
}

static void release(struct mr_build *build)
{
    struct mr_memory *memory = build->context->memory;
    mr_edge_partition_destroy(build->partition);
    mr_edge_sorter_destroy(build->sorter);
    mr_core_map_free(memory, &build->core);
    mr_memory_free(memory, build->tally.out_strengths);
    mr_memory_free(memory, build->tally.out_degrees);
    mr_memory_free(memory, build->internal_out);
    mr_name_groups_destroy(build->groups);
    mr_edge_plan_free(build->context, &build->plan);
    mr_band_pipeline_destroy(build->pipeline);
    mr_memory_free(memory, build->counts.cells);
    mr_numbering_destroy(build->numbering);
    mr_spool_destroy(build->spool);
    free(build->stem);
    free(build);
}

/* The last part of `path`, for the names of temporary files. NULL when out of memory. */
static char *make_stem(const char *path)
{
    size_t end = strlen(path);
    while (end > 0 && path[end - 1] == '/') {
        end--;
    }
    size_t start = end;
    while (start > 0 && path[start - 1] != '/') {
        start--;
    }
    static const char suffix[] = ".edges";
    char *stem = malloc(end - start + sizeof suffix);
    if (stem != NULL) {
        memcpy(stem, path + start, end - start);
        memcpy(stem + (end - start), suffix, sizeof suffix);
    }
    return stem;
}

static enum mr_status create_numbering(struct mr_build *build, struct mr_error *err)
{
    const struct mr_build_options *options = &build->options;
    const struct mr_dictionary_options names = {
        .directory = mr_publish_path(build->publish),
        .stem = build->stem,
        .use = &build->use,
        .key = options->name_key,
        .canonical = options->name_canonical,
        .canonical_data = options->name_canonical_data,
        .drops_spellings =
            options->name_canonical != NULL && (options->name_key_number & MR_NAME_SPELLINGS) == 0,
        .stays = options->lists_names,
        .max_bytes = options->name_bytes,
    };
    enum mr_status status = mr_numbering_create(build->context, options->ids, options->n_vertices,
                                                &names, &build->numbering, err);
    if (status == MR_OK && options->like != NULL) {
        build->names = mr_names_of_store(build->context, options->like);
        build->numbering->names = build->names;
    }
    if (status == MR_OK && build->change.names != NULL) {
        build->names = *build->change.names;
        build->numbering->names = build->names;
    }
    return status;
}

/* Keep part of the edges in memory, which is twice as fast as disk. Plain edges may take half of
 * the memory, since they are sorted in place. Edges with weights are not sorted in place. Names
 * need the rest. */
#define RESIDENT_SHARE         2u
#define RESIDENT_SHARE_WEIGHTS 4u
#define RESIDENT_SHARE_TEXT    16u

static uint64_t resident_bytes(const struct mr_context *context, enum mr_id_kind ids, bool weights)
{
    return mr_memory_available(context->memory) / (ids == MR_IDS_TEXT ? RESIDENT_SHARE_TEXT
                                                   : weights          ? RESIDENT_SHARE_WEIGHTS
                                                                      : RESIDENT_SHARE);
}

static enum mr_status create_spool(struct mr_build *build, struct mr_error *err)
{
    const struct mr_context *context = build->context;
    const struct mr_spool_options options = {
        .directory = mr_publish_path(build->publish),
        .stem = build->stem,
        .swap = build->options.transpose,
        .n_writers = context->threads,
        .has_weights = build->options.weights,
        .resident_bytes = build->options.sort_bytes != 0
                              ? 0
                              : resident_bytes(context, build->options.ids, build->options.weights),
    };
    return mr_spool_create(context, &options, &build->use, &build->spool, err);
}

uint64_t mr_build_temporary_bytes(const struct mr_context *context, enum mr_id_kind ids,
                                  uint64_t n_edges, bool undirected)
{
    enum { EDGE_BYTES = 8 };
    uint64_t spooled = 0, sorted = 0;
    if (mr_mul_overflows(n_edges, EDGE_BYTES, &spooled) ||
        mr_mul_overflows(spooled, undirected ? 2 : 1, &sorted)) {
        return UINT64_MAX;
    }
    uint64_t resident = resident_bytes(context, ids, false);
    /* An eighth of the memory is for what lies beside the edges during the sort. */
    if (spooled <= resident && sorted <= mr_memory_available(context->memory) / 8 * 7) {
        return 0;
    }
    return mr_max_u64(spooled > resident ? spooled - resident : 0, sorted);
}

enum mr_status mr_build_expect(struct mr_build *build, uint64_t n_edges, bool is_guess,
                               struct mr_error *err)
{
    const struct mr_context *context = build->context;
    const char *directory =
        context->tmp_dir != NULL ? context->tmp_dir : mr_publish_path(build->publish);
    const uint64_t needed =
        mr_build_temporary_bytes(context, build->options.ids, n_edges, build->options.undirected);
    char needs[32], room[32];
    uint64_t free_bytes;
    if (needed == 0) {
        return MR_OK;
    }
    const enum mr_status status = mr_io_free_bytes(directory, &free_bytes, err);
    if (status != MR_OK) {
        return status;
    }
    if (needed > free_bytes && !is_guess) {
        return mr_error_file(err, MR_ERROR_BUDGET, directory, 0,
                             "needs about %s of temporary disk for %" PRIu64
                             " links, and %s is free; make room, or give --tmp or more --memory",
                             mr_size_text(needed, needs), n_edges, mr_size_text(free_bytes, room));
    }
    mr_context_note(context,
                    "about %" PRIu64 " links, for which %s of temporary files are needed in %s; "
                    "%s is free",
                    n_edges, mr_size_text(needed, needs), directory,
                    mr_size_text(free_bytes, room));
    return MR_OK;
}

enum mr_status mr_build_check_names(const char *path, const struct mr_store *store,
                                    struct mr_error *err)
{
    /* Beside other names they may be packed a little tighter. */
    const uint64_t least = mr_store_get_info(store)->names_bytes / 4 * 3;
    char needs[32], room[32];
    uint64_t free_bytes;
    const enum mr_status status = mr_io_free_bytes(path, &free_bytes, err);

    return status != MR_OK || least <= free_bytes
               ? status
               : mr_error_file(err, MR_ERROR_BUDGET, path, 0,
                               "needs %s or more for the names of the pages alone, and %s is free; "
                               "make room, or choose another disk (-o, --tmp)",
                               mr_size_text(least, needs), mr_size_text(free_bytes, room));
}

enum mr_status mr_build_create(const struct mr_context *context, const char *path,
                               const struct mr_build_options *options, struct mr_build **out,
                               struct mr_error *err)
{
    const struct mr_build_change none = {.store = NULL};
    return mr_build_create_change(context, path, options, &none, out, err);
}

enum mr_status mr_build_create_change(const struct mr_context *context, const char *path,
                                      const struct mr_build_options *options,
                                      const struct mr_build_change *change, struct mr_build **out,
                                      struct mr_error *err)
{
    struct mr_build *build = calloc(1, sizeof *build);

    *out = build;
    if (build == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a build");
    }
    build->context = context;
    build->change = *change;
    build->publish = change->publish;
    build->started = mr_now();
    build->options = *options;
    enum mr_status status =
        check_options(&build->options, change->store != NULL ? change->store : options->like, err);
    if (status == MR_OK && options->like != NULL) {
        status = mr_build_check_names(path, options->like, err);
    }
    if (status == MR_OK) {
        take_facts(build);
        build->facts.last_append = change->last_append;
        build->stem = make_stem(path);
        if (build->stem == NULL) {
            status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a path");
        }
    }
    if (status == MR_OK && build->publish == NULL) {
        status = mr_publish_begin(context->io, path, MR_PUBLISH_DIRECTORY, build->options.force,
                                  &build->publish, err);
    }
    if (status == MR_OK) {
        status = create_numbering(build, err);
    }
    if (status == MR_OK) {
        status = create_spool(build, err);
    }
    return status;
}

enum mr_status mr_build_vertex(struct mr_build *build, uint64_t id, struct mr_error *err)
{
    return mr_numbering_vertex(build->numbering, id, err);
}

enum mr_status mr_build_freeze(struct mr_build *build, struct mr_error *err)
{
    return mr_numbering_freeze(build->numbering, err);
}

bool mr_build_is_frozen(const struct mr_build *build)
{
    return build->numbering->is_frozen;
}

bool mr_build_knows(const struct mr_build *build, uint64_t id)
{
    return mr_numbering_knows(build->numbering, id);
}

enum mr_status mr_build_name(struct mr_build *build, const char *name, size_t name_bytes,
                             uint64_t *id, struct mr_error *err)
{
    return mr_numbering_name(build->numbering, name, name_bytes, id, err);
}

enum mr_status mr_build_capture(struct mr_build *build, const struct mr_capture *capture,
                                uint64_t *id, struct mr_error *err)
{
    const bool counts =
        capture->time > 0 || capture->digest == MR_DIGEST_GONE || build->options.fetched != NULL;
    return counts ? mr_captures_add(&build->numbering->captures, capture, id, err) : MR_OK;
}

uint32_t mr_build_name_hash(const char *name, size_t name_bytes)
{
    return mr_dictionary_hash(name, name_bytes);
}

enum mr_status mr_build_all_names(struct mr_build *build, const struct mr_name_ref *names, size_t n,
                                  uint64_t *ids, struct mr_error *err)
{
    return mr_dictionary_add_all(build->numbering->dictionary, names, n,
                                 !build->numbering->is_frozen, ids, err);
}

/* Edges without weights in a build that has some. */
static enum mr_status add_with_ones(struct mr_build *build, unsigned worker,
                                    const struct mr_edge *edges, size_t n_edges,
                                    struct mr_error *err)
{
    enum mr_status status = MR_OK;
    float ones[256];
    for (size_t i = 0; i < 256; i++) {
        ones[i] = 1;
    }
    for (size_t done = 0; done < n_edges && status == MR_OK; done += 256) {
        status = mr_spool_add(build->spool, worker, edges + done, ones,
                              (size_t)mr_min_u64(n_edges - done, 256), err);
    }
    return status;
}

enum mr_status mr_build_edges(struct mr_build *build, unsigned worker, const struct mr_edge *edges,
                              const float *weights, size_t n_edges, struct mr_error *err)
{
    const enum mr_status status = mr_context_poll(build->context, err);
    if (status != MR_OK) {
        return status;
    }
    if (!build->options.weights) {
        return mr_spool_add(build->spool, worker, edges, NULL, n_edges, err);
    }
    for (size_t i = 0; i < n_edges && weights != NULL; i++) {
        if (!mr_weight_is_good(weights[i])) {
            return mr_error_set(err, MR_ERROR_INPUT,
                                "a link has the weight %g; weights are at least 1.2e-38 and below "
                                "3.4e38: scale them",
                                (double)weights[i]);
        }
    }
    return weights != NULL ? mr_spool_add(build->spool, worker, edges, weights, n_edges, err)
                           : add_with_ones(build, worker, edges, n_edges, err);
}

enum mr_status mr_build_room(struct mr_build *build, unsigned worker, uint32_t (**pairs)[2],
                             uint32_t *n_edges, struct mr_error *err)
{
    *pairs = NULL;
    enum mr_status status = mr_context_poll(build->context, err);
    return status == MR_OK ? mr_spool_room(build->spool, worker, pairs, n_edges, err) : status;
}

void mr_build_filled(struct mr_build *build, unsigned worker, uint32_t n_edges, uint64_t first)
{
    mr_spool_filled(build->spool, worker, n_edges, first);
}

void mr_build_forget_weights(struct mr_build *build)
{
    build->options.weights = false;
    mr_spool_forget_weights(build->spool);
}

bool mr_build_has_weights(const struct mr_build *build)
{
    return build->options.weights;
}

enum mr_status mr_build_finish(struct mr_build *build, enum mr_status status,
                               struct mr_store_build_figures *summary, struct mr_error *err)
{
    struct mr_store_build_figures ignored;

    if (status == MR_OK) {
        status = mr_build_make_store(build, summary != NULL ? summary : &ignored, err);
    }
    if (build == NULL) {
        return status;
    }
    if (status != MR_OK) {
        mr_store_writer_destroy(build->store);
        mr_publish_abandon(build->change.publish == NULL ? build->publish : NULL);
    }
    release(build);
    return status;
}
