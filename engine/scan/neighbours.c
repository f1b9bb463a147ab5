/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the degrees and neighbours of single vertices, and the degrees of whole bands. Queries use
 * it: it reads only the blocks that may hold the answer. Rankings read whole bands through
 * engine/pass instead. */
#include "engine/scan/neighbours.h"

#include <inttypes.h>
#include <stdlib.h>

#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "engine/scan/edges.h"
#include "engine/store/block_reader.h"
#include "engine/tile/keys.h"

/* ---- Degrees ---- */

/* Decode the degrees of a block to `out`[header->n_entries]. */
static enum mr_status decode(struct mr_store *store, const struct mr_block_entry *entry,
                             const struct mr_block_header *header, const uint8_t *raw,
                             uint32_t *out, struct mr_error *err)
{
    const uint8_t *at = raw, *end = raw + header->raw_bytes;

    for (uint64_t i = 0; i < header->n_entries; i++) {
        uint64_t degree = 0;
        at = mr_leb_get(at, end, &degree);
        if (at == NULL || degree > UINT32_MAX) {
            at = NULL;
            break;
        }
        out[i] = (uint32_t)degree;
    }
    return at == end ? MR_OK
                     : mr_error_offset(err, MR_ERROR_CORRUPT,
                                       mr_file_path(mr_store_location(store, MR_FILE_DEGREES).file),
                                       entry->offset,
                                       "the degrees of a block do not decode; restore the store "
                                       "from a copy or build it again");
}

/* Set the blocks of a band's degrees: [*first, *end) of the file. */
static enum mr_block_kind blocks_of(const struct mr_band_entry *band, enum mr_degree_kind kind,
                                    uint64_t *first, uint64_t *end)
{
    bool in = kind == MR_DEGREES_IN;
    *first = in ? band->first_in_block : band->first_out_block;
    *end = in ? band->end_in_block : band->end_out_block;
    return in ? MR_BLOCK_IN_DEGREES : MR_BLOCK_OUT_DEGREES;
}

struct degree_reader {
    struct mr_store *store;
    struct mr_block_reader *blocks;
    uint32_t *degrees; /* [MR_BLOCK_RAW_MAX_BYTES]: each takes at least one byte in a block */
    struct mr_memory *memory;
};

static void close_degrees(struct degree_reader *reader)
{
    mr_block_reader_close(reader->blocks);
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
    struct mr_block_header header;
    const uint8_t *raw = NULL;
    uint64_t n_blocks;

    *entry = &mr_store_degree_blocks(reader->store, &n_blocks)[index];
    enum mr_status status =
        mr_block_reader_read(reader->blocks, mr_store_location(reader->store, MR_FILE_DEGREES),
                             *entry, kind, band, &header, &raw, err);
    return status == MR_OK ? decode(reader->store, *entry, &header, raw, reader->degrees, err)
                           : status;
}

static enum mr_status one_degree(struct degree_reader *reader, uint32_t vertex,
                                 enum mr_degree_kind which, uint32_t *degree, struct mr_error *err)
{
    const uint32_t band = vertex >> mr_store_get_info(reader->store)->band_bits;
    uint64_t first, end, n_blocks;
    enum mr_block_kind kind = blocks_of(&mr_store_bands(reader->store)[band], which, &first, &end);
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
        enum mr_block_kind kind = blocks_of(&mr_store_bands(store)[band], which, &first, &end);

        status = mr_context_poll(context, err);
        for (uint64_t i = first; i < end && status == MR_OK; i++) {
            const struct mr_block_entry *entry;
            status = read_degrees(&reader, band, i, kind, &entry, err);
            if (status == MR_OK) {
                status = visit(data, entry->first, reader.degrees, (size_t)entry->n_entries, err);
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
    uint32_t *found; /* [room] */
    uint64_t n, room;
};

static enum mr_status collect(void *data, const uint32_t (*pairs)[2], const float *weights,
                              size_t n_pairs, struct mr_error *err)
{
    struct neighbour_finder *collector = data;

    (void)weights;
    for (size_t i = 0; i < n_pairs; i++) {
        if (pairs[i][collector->own] != collector->vertex) {
            continue;
        }
        if (collector->n == collector->room) {
            return mr_error_set(err, MR_ERROR_CORRUPT,
                                "page %" PRIu32 " has more links than its degree says; restore "
                                "the store from a copy or build it again",
                                collector->vertex);
        }
        collector->found[collector->n++] = pairs[i][1 - collector->own];
    }
    return MR_OK;
}

static int compare_vertices(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
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

static enum mr_status wrong_degree(const struct mr_store *store, uint32_t vertex, uint64_t n,
                                   uint64_t degree, struct mr_error *err)
{
    return mr_error_file(err, MR_ERROR_CORRUPT, mr_store_path(store), 0,
                         "page %" PRIu32 " has %" PRIu64 " links and a degree of %" PRIu64
                         "; restore the store from a copy or build it again",
                         vertex, n, degree);
}

enum mr_status mr_neighbours(const struct mr_context *context, struct mr_store *store,
                             uint32_t vertex, enum mr_degree_kind direction, uint32_t **out,
                             uint64_t *n, struct mr_error *err)
{
    const bool in = direction == MR_DEGREES_IN;
    const struct mr_scan scan = scan_of(mr_store_get_info(store), vertex, in);
    struct mr_degrees degrees = {0};

    *out = NULL;
    *n = 0;
    enum mr_status status = mr_vertex_degrees(context, store, vertex, &degrees, err);
    struct neighbour_finder collector = {.vertex = vertex, .own = in};
    collector.room = in ? degrees.in : degrees.out;
    if (status != MR_OK || collector.room == 0) {
        return status;
    }
    status = mr_memory_array(context->memory, "neighbours", collector.room, &collector.found, err);
    if (status != MR_OK) {
        return status;
    }
    status = mr_edges_read(context, store, &scan, collect, &collector, err);
    if (status == MR_OK && collector.n != collector.room) {
        status = wrong_degree(store, vertex, collector.n, collector.room, err);
    }
    if (status != MR_OK) {
        mr_memory_free(context->memory, collector.found);
        return status;
    }
    qsort(collector.found, collector.n, sizeof(uint32_t), compare_vertices);
    *out = collector.found;
    *n = collector.n;
    return MR_OK;
}

struct weighted_collector {
    uint32_t vertex;
    unsigned own; /* index of the vertex in a pair */
    struct mr_weighted_neighbour *found; /* [room] */
    uint64_t n, room; /* n may exceed the room, in which case it still counts */
};

static enum mr_status collect_weighted(void *data, const uint32_t (*pairs)[2], const float *weights,
                                       size_t n_pairs, struct mr_error *err)
{
    struct weighted_collector *collector = data;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        if (pairs[i][collector->own] != collector->vertex) {
            continue;
        }
        if (collector->n < collector->room) {
            collector->found[collector->n] =
                (struct mr_weighted_neighbour){pairs[i][1 - collector->own], weights[i]};
        }
        collector->n++;
    }
    return MR_OK;
}

static int compare_weighted(const void *left, const void *right)
{
    const struct mr_weighted_neighbour *a = left, *b = right;
    return a->vertex != b->vertex ? (a->vertex > b->vertex ? 1 : -1)
                                  : (a->weight > b->weight) - (a->weight < b->weight);
}

enum mr_status mr_weighted_neighbours(const struct mr_context *context, struct mr_store *store,
                                      struct mr_store *weighted, uint32_t vertex,
                                      enum mr_degree_kind direction,
                                      struct mr_weighted_neighbour **out, uint64_t *n,
                                      struct mr_error *err)
{
    const bool in = direction == MR_DEGREES_IN;
    const struct mr_scan scan = scan_of(mr_store_get_info(weighted), vertex, in);
    struct mr_degrees degrees = {0};

    *out = NULL;
    *n = 0;
    enum mr_status status = mr_vertex_degrees(context, store, vertex, &degrees, err);
    struct weighted_collector collector = {.vertex = vertex, .own = in};
    collector.room = in ? degrees.in : degrees.out;
    if (status != MR_OK || collector.room == 0) {
        return status;
    }
    status = mr_memory_array(context->memory, "neighbours", collector.room, &collector.found, err);
    if (status == MR_OK) {
        status = mr_edges_read(context, weighted, &scan, collect_weighted, &collector, err);
    }
    if (status == MR_OK && collector.n != collector.room) {
        status = wrong_degree(store, vertex, collector.n, collector.room, err);
    }
    if (status != MR_OK) {
        mr_memory_free(context->memory, collector.found);
        return status;
    }
    qsort(collector.found, collector.n, sizeof *collector.found, compare_weighted);
    *out = collector.found;
    *n = collector.n;
    return MR_OK;
}
