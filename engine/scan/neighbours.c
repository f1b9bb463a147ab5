/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the degrees and neighbours of single vertices, and the degrees of whole bands. Queries use
 * it: it reads only the blocks that may hold the answer. Rankings read whole bands through
 * engine/pass instead. */
#include "engine/scan/neighbours.h"

#include <inttypes.h>

#include "engine/base/memory.h"
#include "engine/scan/edges.h"
#include "engine/store/block_reader.h"
#include "engine/tile/degrees.h"

/* ---- Degrees ---- */

/* Set the blocks of a band's degrees: [*first, *end) of the file. */
static enum mr_block_kind blocks_of(const struct mr_store *store, uint32_t number,
                                    enum mr_degree_kind kind, uint64_t *first, uint64_t *end)
{
    const struct mr_band_entry *band = &mr_store_bands(store)[number];
    const bool in = kind == MR_DEGREES_IN;
    *first = in ? band->first_in_block : band->first_out_block;
    *end = in ? band->end_in_block : band->end_out_block;
    return mr_store_get_info(store)->is_weighted
               ? (in ? MR_BLOCK_IN_STRENGTHS : MR_BLOCK_OUT_STRENGTHS)
               : (in ? MR_BLOCK_IN_DEGREES : MR_BLOCK_OUT_DEGREES);
}

struct degree_reader {
    struct mr_store *store;
    struct mr_block_reader *blocks;
    uint32_t *degrees; /* [MR_BLOCK_RAW_MAX_BYTES]: each takes at least one byte in a block */
    double *strengths; /* as many, of a store with weights; else NULL */
    struct mr_memory *memory;
};

static void close_degrees(struct degree_reader *reader)
{
    mr_block_reader_close(reader->blocks);
    mr_memory_free(reader->memory, reader->strengths);
    mr_memory_free(reader->memory, reader->degrees);
}

static enum mr_status open_degrees(const struct mr_context *context, struct mr_store *store,
                                   struct degree_reader *reader, struct mr_error *err)
{
    *reader = (struct degree_reader){.store = store, .memory = context->memory};
    enum mr_status status = mr_block_reader_open(context, &reader->blocks, err);
    if (status == MR_OK) {
        status = mr_memory_array(context->memory, "degrees", MR_BLOCK_RAW_MAX_BYTES,
                                 &reader->degrees, err);
    }
    if (status == MR_OK && mr_store_get_info(store)->is_weighted) {
        status = mr_memory_array(context->memory, "strengths", MR_BLOCK_RAW_MAX_BYTES,
                                 &reader->strengths, err);
    }
    if (status != MR_OK) {
        close_degrees(reader);
    }
    return status;
}

/* Decode block `index` of the band's degrees of this kind into reader->degrees. */
static enum mr_status read_degrees(struct degree_reader *reader, uint32_t band, uint64_t index,
                                   enum mr_block_kind kind, const struct mr_block_entry **entry,
                                   struct mr_error *err)
{
    const struct mr_block_location place = mr_store_location(reader->store, MR_FILE_DEGREES);
    struct mr_block_header header;
    const uint8_t *raw = NULL;
    uint64_t n_blocks;

    *entry = &mr_store_degree_blocks(reader->store, &n_blocks)[index];
    enum mr_status status =
        mr_block_reader_read(reader->blocks, place, *entry, kind, band, &header, &raw, err);
    return status == MR_OK ? mr_degrees_decode(place, *entry, &header, raw, reader->degrees,
                                               reader->strengths, err)
                           : status;
}

static enum mr_status one_degree(struct degree_reader *reader, uint32_t vertex,
                                 enum mr_degree_kind which, uint32_t *degree, struct mr_error *err)
{
    const uint32_t band = vertex >> mr_store_get_info(reader->store)->band_bits;
    uint64_t first, end, n_blocks;
    enum mr_block_kind kind = blocks_of(reader->store, band, which, &first, &end);
    const struct mr_block_entry *entries = mr_store_degree_blocks(reader->store, &n_blocks), *entry;

    for (uint64_t i = first; i < end; i++) {
        if (entries[i].first <= vertex && vertex <= entries[i].last) {
            enum mr_status status = read_degrees(reader, band, i, kind, &entry, err);
            if (status == MR_OK) {
                *degree = reader->degrees[vertex - entry->first];
            }
            return status;
        }
    }
    return mr_error_file(err, MR_ERROR_CORRUPT, mr_store_path(reader->store), 0,
                         "no block has the degree of page %" PRIu32
                         "; restore the store from a copy or build it again",
                         vertex);
}

enum mr_status mr_vertex_degrees(const struct mr_context *context, struct mr_store *store,
                                 uint32_t vertex, struct mr_degrees *degrees, struct mr_error *err)
{
    struct degree_reader reader;
    enum mr_status status = open_degrees(context, store, &reader, err);

    if (status != MR_OK) {
        return status;
    }
    status = one_degree(&reader, vertex, MR_DEGREES_IN, &degrees->in, err);
    if (status == MR_OK) {
        status = one_degree(&reader, vertex, MR_DEGREES_OUT, &degrees->out, err);
    }
    close_degrees(&reader);
    return status;
}

enum mr_status mr_degrees_read(const struct mr_context *context, struct mr_store *store,
                               enum mr_degree_kind which, mr_degrees_visit visit, void *data,
                               struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    struct degree_reader reader;
    enum mr_status status = open_degrees(context, store, &reader, err);

    if (status != MR_OK) {
        return status;
    }
    for (uint32_t band = 0; band < info->n_bands && status == MR_OK; band++) {
        uint64_t first, end;
        enum mr_block_kind kind = blocks_of(store, band, which, &first, &end);

        status = mr_context_poll(context, err);
        for (uint64_t i = first; i < end && status == MR_OK; i++) {
            const struct mr_block_entry *entry;
            status = read_degrees(&reader, band, i, kind, &entry, err);
            if (status == MR_OK) {
                status = visit(data, entry->first, reader.degrees, reader.strengths,
                               (size_t)entry->n_entries, err);
            }
        }
    }
    close_degrees(&reader);
    return status;
}

/* ---- Neighbours ---- */

struct neighbour_finder {
    uint32_t vertex;
    /* index of the vertex in a pair. 0: it is the source of the wanted edges, 1: the target */
    unsigned own;
    struct mr_vertex_edge *found; /* [room] */
    uint64_t n, room; /* n may exceed the room, in which case it still counts */
};

static enum mr_status collect(void *data, const uint32_t (*pairs)[2], const float *weights,
                              size_t n_pairs, struct mr_error *err)
{
    struct neighbour_finder *finder = data;

    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        if (pairs[i][finder->own] != finder->vertex) {
            continue;
        }
        if (finder->n < finder->room) {
            finder->found[finder->n] = (struct mr_vertex_edge){
                .vertex = pairs[i][1 - finder->own], .weight = weights != NULL ? weights[i] : 0};
        }
        finder->n++;
    }
    return MR_OK;
}

/* What has the edges of `vertex`. */
static struct mr_scan scan_of(const struct mr_store_info *info, uint32_t vertex, bool in)
{
    const uint32_t band = vertex >> info->band_bits, stripe = vertex >> info->stripe_bits;
    return (struct mr_scan){
        .first_band = in ? band : 0,
        .n_bands = in ? 1 : info->n_bands,
        .first_stripe = in ? 0 : stripe,
        .n_stripes = in ? (uint32_t)mr_edges_stripes(info) : 1,
    };
}

enum mr_status mr_neighbours(const struct mr_context *context, struct mr_store *store,
                             struct mr_store *weighted, uint32_t vertex,
                             enum mr_degree_kind direction, struct mr_vertex_edge **out,
                             uint64_t *n, struct mr_error *err)
{
    const bool in = direction == MR_DEGREES_IN;
    struct mr_store *of_links = weighted != NULL ? weighted : store;
    const struct mr_scan scan = scan_of(mr_store_get_info(of_links), vertex, in);
    struct neighbour_finder finder = {.vertex = vertex, .own = in};
    struct mr_degrees degrees = {0};

    *out = NULL;
    *n = 0;
    enum mr_status status = mr_vertex_degrees(context, store, vertex, &degrees, err);
    finder.room = in ? degrees.in : degrees.out;
    if (status != MR_OK || finder.room == 0) {
        return status;
    }
    status = mr_memory_array(context->memory, "neighbours", finder.room, &finder.found, err);
    if (status == MR_OK) {
        status = mr_edges_read(context, of_links, &scan, collect, &finder, err);
    }
    if (status == MR_OK && finder.n != finder.room) {
        status = mr_error_file(err, MR_ERROR_CORRUPT, mr_store_path(store), 0,
                               "page %" PRIu32 " has %" PRIu64 " links and a degree of %" PRIu64
                               "; restore the store from a copy or build it again",
                               vertex, finder.n, finder.room);
    }
    if (status != MR_OK) {
        mr_memory_free(context->memory, finder.found);
        return status;
    }
    *out = finder.found;
    *n = finder.n;
    return MR_OK;
}
