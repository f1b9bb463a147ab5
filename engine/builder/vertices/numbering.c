/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers the vertices of a build. It learns ids and names while the input is read, numbers them
 * when all edges are in the spool, and turns the ids of a chunk into vertices for each scan. Dense
 * ids need no work, sparse ids an id set, names a dictionary. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/builder/vertices/numbering.h"

enum mr_status mr_numbering_create(const struct mr_context *context, enum mr_id_kind kind,
                                   uint64_t n_vertices, const struct mr_dictionary_options *names,
                                   struct mr_numbering **out, struct mr_error *err)
{
    struct mr_numbering *numbering = calloc(1, sizeof *numbering);
    *out = numbering;
    if (numbering == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the numbering of pages");
    }
    enum mr_status status = MR_OK;
    numbering->context = context;
    numbering->kind = kind;
    if (kind == MR_IDS_DENSE) {
        numbering->n_vertices = n_vertices;
    } else if (kind == MR_IDS_SPARSE) {
        const struct mr_id_set_options ids = {
            .directory = names->directory, .stem = names->stem, .use = names->use};
        status = mr_id_set_create(context, &ids, &numbering->ids, err);
    } else {
        numbering->names.has_spellings = names->canonical != NULL;
        numbering->captures.context = context;
        numbering->captures.use = names->use;
        numbering->captures.files = (struct mr_spool_options){
            .directory = names->directory, .stem = names->stem, .n_writers = 1};
        status = mr_dictionary_create(context, names, &numbering->dictionary, err);
    }
    return status;
}

void mr_numbering_destroy(struct mr_numbering *numbering)
{
    if (numbering == NULL) {
        return;
    }
    mr_dictionary_destroy(numbering->dictionary);
    mr_id_set_destroy(numbering->ids);
    mr_captures_free(&numbering->captures);
    free(numbering);
}

/* ---- While the input is read ---- */

enum mr_status mr_numbering_vertex(struct mr_numbering *numbering, uint64_t id,
                                   struct mr_error *err)
{
    if (numbering->kind != MR_IDS_SPARSE || numbering->is_frozen) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "pages are declared for sparse ids only, and before the freeze");
    }
    return mr_id_set_declare(numbering->ids, id, err);
}

enum mr_status mr_numbering_freeze(struct mr_numbering *numbering, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    if (numbering->is_frozen) {
        return MR_OK;
    }
    if (numbering->kind == MR_IDS_SPARSE) {
        status = mr_id_set_freeze(numbering->ids, err);
    }
    numbering->is_frozen = status == MR_OK;
    return status;
}

bool mr_numbering_knows(const struct mr_numbering *numbering, uint64_t id)
{
    uint32_t vertex;
    if (numbering->kind == MR_IDS_DENSE) {
        return id < numbering->n_vertices;
    }
    if (numbering->kind == MR_IDS_TEXT) {
        return id < mr_dictionary_count(numbering->dictionary) ||
               mr_captures_have(&numbering->captures, id);
    }
    return !numbering->is_frozen || mr_id_set_find(numbering->ids, id, &vertex);
}

enum mr_status mr_numbering_name(struct mr_numbering *numbering, const char *name,
                                 size_t name_bytes, uint64_t *id, struct mr_error *err)
{
    if (numbering->kind != MR_IDS_TEXT) {
        return mr_error_set(err, MR_ERROR_USAGE, "the pages of this store have no text names");
    }
    return mr_dictionary_add(numbering->dictionary, name, name_bytes, !numbering->is_frozen, id,
                             err);
}

/* ---- Numbering ---- */

/* Count the self-loops of a chunk. Names must have their vertices. */
static enum mr_status count_self_loops(void *data, unsigned worker, struct mr_spool_chunk *chunk,
                                       struct mr_error *err)
{
    struct mr_numbering *numbering = data;
    uint32_t(*pairs)[2];
    uint64_t n = 0;
    (void)worker;
    enum mr_status status = mr_numbering_apply(numbering, chunk, &pairs, err);
    for (size_t i = 0; status == MR_OK && i < chunk->n_edges; i++) {
        n += pairs[i][0] == pairs[i][1];
    }
    __atomic_fetch_add(&numbering->n_self_loops, n, __ATOMIC_RELAXED);
    return status;
}

static enum mr_status number_text(struct mr_numbering *numbering, struct mr_spool *spool,
                                  bool all_captures, struct mr_vertex_set *fetched,
                                  struct mr_error *err)
{
    struct mr_dictionary *dictionary = numbering->dictionary;
    struct mr_captures *captures = &numbering->captures;
    enum mr_status status = mr_dictionary_order(dictionary, err);
    if (status == MR_OK && mr_dictionary_count(dictionary) + captures->n >= UINT32_MAX) {
        status = mr_error_set(err, MR_ERROR_INPUT,
                              "the names and the captures of pages are more than 4294967294; build "
                              "a store of some of the inputs, and append the others");
    }
    numbering->n_vertices = mr_dictionary_vertex_count(dictionary);
    if (status == MR_OK && fetched != NULL) {
        status = mr_vertex_set_create(numbering->context, numbering->n_vertices, fetched, err);
    }
    if (status == MR_OK) {
        status = mr_captures_choose(captures, all_captures, mr_dictionary_vertices(dictionary),
                                    mr_dictionary_count(dictionary), numbering->n_vertices, fetched,
                                    err);
    }
    if (status != MR_OK ||
        (numbering->n_vertices == mr_dictionary_count(dictionary) && captures->n_dated == 0)) {
        return status;
    }
    /* Several numbers may mean one vertex, so there may be more self-loops than the spool
     * counted. */
    const struct mr_spool_scan scan = {
        .stage = "number",
        .spool = spool,
        .n_workers = mr_spool_scan_workers(numbering->context, 0),
    };
    numbering->n_self_loops = 0;
    numbering->is_finished = true;
    return mr_spool_scan_raw(numbering->context, &scan, count_self_loops, numbering, err);
}

enum mr_status mr_numbering_finish(struct mr_numbering *numbering, struct mr_spool *spool,
                                   bool all_captures, struct mr_vertex_set *fetched,
                                   struct mr_error *err)
{
    struct mr_spool_figures figures = mr_spool_figures_of(spool);
    enum mr_status status = MR_OK;
    numbering->n_self_loops = figures.n_self_loops;
    if (numbering->kind == MR_IDS_SPARSE) {
        status = numbering->is_frozen ? MR_OK : mr_id_set_number(numbering->ids, spool, err);
        numbering->n_vertices = status == MR_OK ? mr_id_set_count(numbering->ids) : 0;
    } else if (figures.n_edges > 0 && !mr_numbering_knows(numbering, figures.max_id)) {
        status = mr_error_set(err, MR_ERROR_INPUT, "id %" PRIu64 " is not among the pages",
                              figures.max_id);
    } else if (numbering->kind == MR_IDS_TEXT) {
        status = number_text(numbering, spool, all_captures, fetched, err);
    }
    numbering->is_finished = status == MR_OK;
    if (status == MR_OK && numbering->kind != MR_IDS_DENSE) {
        mr_numbering_take_names(numbering);
    }
    return status;
}

bool mr_numbering_foresee(const struct mr_numbering *numbering, struct mr_names_forecast *forecast)
{
    const struct mr_captures *captures = &numbering->captures;

    if (numbering->dictionary == NULL) {
        return false;
    }
    const bool is_on_disk = mr_dictionary_foresee(numbering->dictionary, forecast);
    forecast->numbers_bytes += mr_captures_bytes(captures);
    forecast->merge_bytes = mr_max_u64(is_on_disk ? forecast->merge_bytes : 0,
                                       mr_captures_choose_bytes(captures, forecast->n_vertices));
    return is_on_disk || captures->n > 0;
}

uint64_t mr_numbering_bytes(const struct mr_numbering *numbering)
{
    uint64_t bytes = numbering->ids != NULL ? mr_id_set_bytes(numbering->ids) : 0;
    if (numbering->dictionary != NULL) {
        bytes += mr_dictionary_bytes(numbering->dictionary);
    }
    return bytes +
           (numbering->captures.pages != NULL ? mr_captures_bytes(&numbering->captures) : 0);
}

/* ---- Chunks ---- */

/* Turn ids into positions. */
static enum mr_status apply_numbers(const struct mr_numbering *numbering,
                                    const struct mr_spool_chunk *chunk, uint32_t *ids,
                                    struct mr_error *err)
{
    size_t n_ids = 2 * (size_t)chunk->n_edges;
    if (numbering->kind == MR_IDS_SPARSE &&
        (!mr_id_set_is_identity(numbering->ids) || numbering->is_frozen)) {
        return mr_id_set_apply(numbering->ids, chunk, ids, err);
    }
    /* Vertices and numbers of names are below 2^32, so their chunks are narrow: mr_numbering_finish
     * has checked the largest id. */
    const uint64_t n_known = numbering->kind == MR_IDS_TEXT
                                 ? mr_dictionary_count(numbering->dictionary)
                                 : numbering->n_vertices;
    assert(chunk->narrow != NULL && (n_known > 0 || n_ids == 0));
    const enum mr_status status = mr_spool_chunk_check(chunk, n_known - 1, err);
    if (status == MR_OK && numbering->kind == MR_IDS_TEXT) {
        const uint32_t *vertices = mr_dictionary_vertices(numbering->dictionary);
        for (size_t i = 0; i < n_ids; i++) {
            ids[i] = vertices[ids[i]];
        }
    }
    return status;
}

static void apply_order(const struct mr_numbering *numbering, uint32_t *ids, size_t n_ids)
{
    if (numbering->core != NULL) {
        mr_core_map_vertices(numbering->core, ids, n_ids);
    }
}

enum mr_status mr_numbering_apply(const void *data, struct mr_spool_chunk *chunk,
                                  uint32_t (**pairs)[2], struct mr_error *err)
{
    const struct mr_numbering *numbering = data;
    assert(numbering->is_finished);
    void *buffer = chunk->narrow != NULL ? (void *)chunk->narrow : (void *)chunk->wide;
    *pairs = buffer;
    if (chunk->is_numbered) {
        return MR_OK;
    }
    if (numbering->captures.n_dated > 0) {
        mr_captures_apply(&numbering->captures, chunk);
    }
    const enum mr_status status = apply_numbers(numbering, chunk, buffer, err);
    if (status == MR_OK) {
        apply_order(numbering, buffer, 2 * (size_t)chunk->n_edges);
    }
    return status;
}

static enum mr_status reorder_chunk(void *data, unsigned worker, struct mr_spool_chunk *chunk,
                                    struct mr_error *err)
{
    (void)worker;
    (void)err;
    if (chunk->is_numbered) {
        apply_order(data, *chunk->narrow, 2 * (size_t)chunk->n_edges);
    }
    return MR_OK;
}

enum mr_status mr_numbering_core_first(struct mr_numbering *numbering, struct mr_spool *spool,
                                       const struct mr_core_map *core, struct mr_error *err)
{
    const struct mr_spool_scan scan = {
        .stage = "number",
        .spool = spool,
        .n_workers = mr_spool_scan_workers(numbering->context, 0),
        .in_place = true,
        .resident = true,
    };
    assert(numbering->is_finished && numbering->core == NULL);
    numbering->core = core;
    return mr_spool_scan_raw(numbering->context, &scan, reorder_chunk, numbering, err);
}

enum mr_status mr_numbering_write_facts(struct mr_numbering *numbering,
                                        struct mr_store_writer *store, struct mr_error *err)
{
    const struct mr_dictionary *dictionary = numbering->dictionary;
    return dictionary == NULL
               ? MR_OK
               : mr_captures_write(&numbering->captures, mr_dictionary_vertices(dictionary),
                                   mr_dictionary_count(dictionary), numbering->n_vertices, store,
                                   err);
}

void mr_numbering_forget_names(struct mr_numbering *numbering)
{
    if (numbering->dictionary != NULL) {
        mr_dictionary_forget_names(numbering->dictionary);
    }
}
