#include "engine/store_writer.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/band_writer_parts.h"
#include "engine/block.h"
#include "engine/bytes.h"
#include "engine/index_draft.h"
#include "engine/io.h"
#include "engine/keys.h"
#include "engine/memory.h"

struct mr_store_writer {
    const struct mr_context *context;
    struct mr_store_writer *weights; /* of the weighted set; NULL: none */
    struct mr_band_shape shape;
    struct mr_manifest manifest; /* filled as the files grow */
    struct mr_index_draft draft;
    struct mr_store *base; /* or NULL */
    void *base_index; /* bytes */
    struct mr_index_bytes before; /* in them */
    char *directory;
    struct mr_file *links[MR_CLASSES_MAX];
    struct mr_file *files[MR_N_FILES]; /* but links */
    uint32_t next_band[MR_CLASSES_MAX]; /* to be ended */
    uint32_t next_in_band[MR_DEGREE_SETS_MAX], next_out_band[MR_DEGREE_SETS_MAX];
    struct mr_block_codec *codec; /* for blocks of degrees */
    uint8_t *degree_stream; /* [MR_BLOCK_RAW_MAX_BYTES] */
    uint8_t *degree_block; /* [MR_BLOCK_MAX_BYTES] */
};

static void destroy(struct mr_store_writer *writer)
{
    if (writer->weights != NULL) {
        destroy(writer->weights);
    }
    struct mr_memory *memory = writer->context->memory;
    for (unsigned i = 0; i < MR_N_FILES; i++) {
        mr_file_abandon(writer->files[i]);
    }
    for (unsigned i = 0; i < MR_CLASSES_MAX; i++) {
        mr_file_abandon(writer->links[i]);
    }
    mr_memory_free(memory, writer->degree_block);
    mr_memory_free(memory, writer->degree_stream);
    mr_block_codec_destroy(writer->codec);
    mr_index_draft_free(&writer->draft);
    mr_memory_free(memory, writer->base_index);
    free(writer->directory);
    free(writer);
}

static enum mr_status open_file(struct mr_store_writer *writer, enum mr_store_file which,
                                uint32_t link_class, struct mr_file **file, struct mr_error *err)
{
    char path[4096];
    enum mr_status status =
        mr_store_file_path(writer->directory, writer->manifest.is_weighted, which,
                           writer->manifest.generation, link_class, path, sizeof path, err);
    if (status != MR_OK) {
        return status;
    }
    return mr_file_open(writer->context->io, path, MR_OPEN_READ | MR_OPEN_WRITE, file, err);
}

/* A generation without new links of a class has no file for them. */
static enum mr_status open_links(struct mr_store_writer *writer, uint32_t link_class,
                                 struct mr_error *err)
{
    return writer->links[link_class] != NULL
               ? MR_OK
               : open_file(writer, MR_FILE_LINKS, link_class, &writer->links[link_class], err);
}

static enum mr_status open_files(struct mr_store_writer *writer, struct mr_error *err)
{
    enum mr_status status =
        open_file(writer, MR_FILE_DEGREES, 0, &writer->files[MR_FILE_DEGREES], err);
    for (uint32_t i = 0; i < writer->draft.n_classes && status == MR_OK; i++) {
        writer->draft.parts[i].part.generation = writer->manifest.generation;
        writer->draft.parts[i].part.block_id = writer->shape.graph_id;
        if (writer->base == NULL) {
            status = open_links(writer, i, err);
        }
    }
    return status;
}

/* The lists that the next generation's begin with. */
static enum mr_status take_base(struct mr_store_writer *writer, struct mr_error *err)
{
    return writer->base == NULL ? MR_OK
                                : mr_store_read_index(writer->context, writer->base,
                                                      &writer->base_index, &writer->before, err);
}

enum mr_status mr_store_writer_create(const struct mr_context *context, const char *directory,
                                      const struct mr_band_shape *shape, struct mr_store *base,
                                      uint32_t generation, struct mr_store_writer **out,
                                      struct mr_error *err)
{
    struct mr_store_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a store writer");
    }
    writer->context = context;
    writer->shape = *shape;
    writer->base = base;
    writer->directory = strdup(directory);
    void *stream = NULL, *block = NULL;
    enum mr_status status = writer->directory != NULL
                                ? MR_OK
                                : mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a path");
    if (status == MR_OK) {
        status = mr_block_codec_create(context->memory, shape->zstd_level, &writer->codec, err);
    }
    if (status == MR_OK) {
        status =
            mr_memory_alloc(context->memory, "block buffer", MR_BLOCK_RAW_MAX_BYTES, &stream, err);
    }
    writer->degree_stream = stream;
    if (status == MR_OK) {
        status = mr_memory_alloc(context->memory, "block buffer", MR_BLOCK_MAX_BYTES, &block, err);
    }
    writer->degree_block = block;

    struct mr_manifest *manifest = &writer->manifest;
    manifest->generation = generation;
    manifest->n_classes = shape->n_classes == 0 ? 1 : shape->n_classes;
    manifest->graph_id = shape->graph_id;
    manifest->n_vertices = shape->n_vertices;
    manifest->band_bits = shape->band_bits;
    manifest->stripe_bits = shape->stripe_bits;
    manifest->zstd_level = shape->zstd_level;
    uint64_t n_bands = mr_div_up(shape->n_vertices, (uint64_t)1 << shape->band_bits);
    manifest->n_bands = (uint32_t)n_bands;
    manifest->has_weights = shape->has_weights;
    manifest->is_weighted = shape->is_weighted;
    if (status == MR_OK && shape->has_weights) {
        const struct mr_band_shape weighted = mr_band_shape_weighted(shape);
        status = mr_store_writer_create(context, directory, &weighted, NULL, generation,
                                        &writer->weights, err);
    }
    if (status == MR_OK) {
        status = mr_index_draft_create(context->memory, n_bands, manifest->n_classes,
                                       &writer->draft, err);
    }
    if (status == MR_OK) {
        status = take_base(writer, err);
    }
    if (status == MR_OK) {
        status = open_files(writer, err);
    }
    if (status != MR_OK) {
        destroy(writer);
        return status;
    }
    *out = writer;
    return MR_OK;
}

/* The disk gets so much of a file at a time, while the next bands are encoded: a kernel would keep a few
 * gigabytes until the sync at the end asks for them. */
#define SYNC_BYTES ((uint64_t)4 << 20)

/* Write behind what the file has, `*end` bytes. */
static enum mr_status append(struct mr_file *file, const uint8_t *data, uint64_t bytes,
                             uint64_t *end, struct mr_error *err)
{
    enum mr_status status = mr_file_write(file, data, bytes, *end, err);
    if (status == MR_OK) {
        const uint64_t first = *end / SYNC_BYTES, behind = (*end + bytes) / SYNC_BYTES;
        if (behind > first) {
            mr_file_start_sync(file, first * SYNC_BYTES, (behind - first) * SYNC_BYTES);
        }
        *end += bytes;
    }
    return status;
}

enum mr_status mr_store_writer_take(struct mr_store_writer *writer, struct mr_band_writer *band,
                                    struct mr_error *err)
{
    struct mr_band_parts parts = mr_band_writer_parts(band);
    struct mr_draft_part *draft = &writer->draft.parts[parts.link_class];
    struct mr_draft_band *entry = &draft->bands[parts.band];
    assert(parts.band == writer->next_band[parts.link_class]);
    enum mr_status status = mr_context_poll(writer->context, err);
    uint64_t base = draft->part.file_bytes;
    if (status == MR_OK && parts.data_bytes > 0) {
        status = open_links(writer, parts.link_class, err);
    }
    if (status == MR_OK && parts.data_bytes > 0) {
        status = append(writer->links[parts.link_class], parts.data, parts.data_bytes,
                        &draft->part.file_bytes, err);
    }
    for (uint64_t i = 0; i < parts.n_blocks && status == MR_OK; i++) {
        struct mr_block_entry block = parts.blocks[i].entry;
        block.offset += base;
        entry->n_edges += block.n_entries;
        if (parts.blocks[i].is_diagonal) {
            entry->n_diagonal_edges += block.n_entries;
        } else {
            entry->first_diagonal++;
        }
        entry->end_block++;
        status = mr_draft_blocks_add(writer->context->memory, &draft->blocks, &block, err);
    }
    draft->part.n_tiles += parts.n_tiles;
    draft->part.keys_tiles += parts.n_tiles - parts.corners.tiles;
    draft->part.keys_edges += parts.keys_edges;
    draft->part.keys_bytes += parts.keys_bytes;
    draft->part.corners.tiles += parts.corners.tiles;
    draft->part.corners.edges += parts.corners.edges;
    draft->part.corners.bytes += parts.corners.bytes;
    draft->part.corners.parts += parts.corners.parts;
    draft->part.corners.entries += parts.corners.entries;
    draft->part.corners.rows += parts.corners.rows;
    writer->manifest.weights.byte_edges += parts.byte_edges;
    mr_band_writer_forget(band);
    return status;
}

enum mr_status mr_store_writer_end_band(struct mr_store_writer *writer, struct mr_band_writer *band,
                                        struct mr_error *err)
{
    struct mr_band_parts parts = mr_band_writer_parts(band);
    struct mr_draft_part *draft = &writer->draft.parts[parts.link_class];
    assert(parts.is_complete);
    enum mr_status status = mr_store_writer_take(writer, band, err);
    if (status != MR_OK) {
        return status;
    }
    const struct mr_draft_band *entry = &draft->bands[parts.band];
    draft->part.n_edges += entry->n_edges;
    const uint32_t next = ++writer->next_band[parts.link_class];
    if (next < writer->manifest.n_bands) {
        draft->bands[next].first_block = draft->bands[next].first_diagonal =
            draft->bands[next].end_block = entry->end_block;
    }
    return status;
}

/* The stream of a band's degrees has them as differences: keys_encode of their running sum. Strengths, if
 * there are some, come after those of a block. */
static uint32_t encode_degrees(const uint32_t *degrees, const double *strengths, uint32_t n,
                               uint32_t *n_encoded, uint8_t *out)
{
    const uint32_t extra = strengths == NULL ? 0 : sizeof *strengths;
    uint8_t *p = out;
    uint32_t i = 0;
    while (i < n && (uint64_t)(p - out) + MR_LEB_MAX_BYTES + (i + 1) * (uint64_t)extra <=
                        MR_BLOCK_RAW_MAX_BYTES) {
        p = mr_leb_put(p, degrees[i++]);
    }
    for (uint32_t k = 0; strengths != NULL && k < i; k++, p += sizeof *strengths) {
        mr_put_f64(p, strengths[k]);
    }
    *n_encoded = i;
    return (uint32_t)(p - out);
}

/* `strengths` where links have weights, else NULL. */
static enum mr_status write_degrees(struct mr_store_writer *writer, enum mr_block_kind kind,
                                    uint32_t band, const uint32_t *degrees, const double *strengths,
                                    uint32_t n, uint64_t *first_block, uint64_t *end_block,
                                    struct mr_error *err)
{
    struct mr_draft_blocks *blocks = &writer->draft.degrees;
    *first_block = blocks->count;
    uint32_t first_vertex = band << writer->shape.band_bits;
    uint64_t number = 0;
    for (uint32_t done = 0; done < n;) {
        uint32_t n_encoded;
        uint32_t raw_bytes =
            encode_degrees(degrees + done, strengths == NULL ? NULL : strengths + done, n - done,
                           &n_encoded, writer->degree_stream);
        struct mr_block_header header = {
            .kind = kind,
            .graph_id = writer->shape.graph_id,
            .band = band,
            .first = first_vertex + done,
            .last = first_vertex + done + n_encoded - 1,
            .n_entries = n_encoded,
            .number = number++,
        };
        enum mr_status status = mr_block_seal(writer->codec, &header, writer->degree_stream,
                                              raw_bytes, MR_BLOCK_ALIGN, writer->degree_block, err);
        struct mr_block_entry block = {
            .offset = writer->manifest.file_bytes[MR_FILE_DEGREES],
            .stored_bytes = header.stored_bytes,
            .raw_bytes = header.raw_bytes,
            .first = header.first,
            .last = header.last,
            .n_entries = header.n_entries,
        };
        if (status == MR_OK) {
            status =
                append(writer->files[MR_FILE_DEGREES], writer->degree_block, header.stored_bytes,
                       &writer->manifest.file_bytes[MR_FILE_DEGREES], err);
        }
        if (status == MR_OK) {
            status = mr_draft_blocks_add(writer->context->memory, blocks, &block, err);
        }
        if (status != MR_OK) {
            return status;
        }
        done += n_encoded;
    }
    *end_block = blocks->count;
    return MR_OK;
}

static enum mr_status write_in(struct mr_store_writer *writer, enum mr_block_kind kind,
                               unsigned set, uint32_t band, const uint32_t *degrees,
                               const double *strengths, uint32_t n, struct mr_error *err)
{
    struct mr_degree_facts *facts = &writer->draft.facts[set];
    struct mr_draft_run *run = &writer->draft.runs[set][band];
    assert(band == writer->next_in_band[set]);
    writer->next_in_band[set]++;
    for (uint32_t i = 0; i < n; i++) {
        facts->max_in_degree = mr_max_u64(facts->max_in_degree, degrees[i]);
    }
    return write_degrees(writer, kind, band, degrees, strengths, n, &run->first_in_block,
                         &run->end_in_block, err);
}

static enum mr_status write_out(struct mr_store_writer *writer, enum mr_block_kind kind,
                                unsigned set, uint32_t band, const uint32_t *degrees,
                                const double *strengths, uint32_t n, struct mr_error *err)
{
    struct mr_degree_facts *facts = &writer->draft.facts[set];
    struct mr_draft_run *run = &writer->draft.runs[set][band];
    assert(band == writer->next_out_band[set]);
    writer->next_out_band[set]++;
    for (uint32_t i = 0; i < n; i++) {
        facts->max_out_degree = mr_max_u64(facts->max_out_degree, degrees[i]);
        facts->n_dangling += degrees[i] == 0;
        writer->manifest.weights.total += strengths == NULL ? 0 : strengths[i];
    }
    return write_degrees(writer, kind, band, degrees, strengths, n, &run->first_out_block,
                         &run->end_out_block, err);
}

enum mr_status mr_store_writer_in_degrees(struct mr_store_writer *writer, unsigned set,
                                          uint32_t band, const uint32_t *degrees, uint32_t n,
                                          struct mr_error *err)
{
    return write_in(writer, MR_BLOCK_IN_DEGREES, set, band, degrees, NULL, n, err);
}

enum mr_status mr_store_writer_out_degrees(struct mr_store_writer *writer, unsigned set,
                                           uint32_t band, const uint32_t *degrees, uint32_t n,
                                           struct mr_error *err)
{
    return write_out(writer, MR_BLOCK_OUT_DEGREES, set, band, degrees, NULL, n, err);
}

struct mr_store_writer *mr_store_writer_weights(const struct mr_store_writer *writer)
{
    return writer->weights;
}

enum mr_status mr_store_writer_in_strengths(struct mr_store_writer *writer, uint32_t band,
                                            const uint32_t *degrees, const double *strengths,
                                            uint32_t n, struct mr_error *err)
{
    assert(writer->shape.is_weighted);
    return write_in(writer, MR_BLOCK_IN_STRENGTHS, 0, band, degrees, strengths, n, err);
}

enum mr_status mr_store_writer_out_strengths(struct mr_store_writer *writer, uint32_t band,
                                             const uint32_t *degrees, const double *strengths,
                                             uint32_t n, struct mr_error *err)
{
    assert(writer->shape.is_weighted);
    return write_out(writer, MR_BLOCK_OUT_STRENGTHS, 0, band, degrees, strengths, n, err);
}

static enum mr_status sync_and_close(struct mr_file **file, struct mr_error *err)
{
    if (*file == NULL) {
        return MR_OK;
    }
    enum mr_status status = mr_file_sync(*file, err);
    if (status == MR_OK) {
        status = mr_file_close(*file, err);
        *file = NULL;
    }
    return status;
}

enum mr_status mr_store_writer_order(struct mr_store_writer *writer, mr_order_source source,
                                     void *data, struct mr_error *err)
{
    struct mr_manifest *manifest = &writer->manifest;
    struct mr_file **file = &writer->files[MR_FILE_ORDER];
    assert(manifest->order_id == 0 && writer->base == NULL);
    enum mr_status status = open_file(writer, MR_FILE_ORDER, 0, file, err);
    return status == MR_OK
               ? mr_vertex_order_write(writer->context, *file, manifest->graph_id,
                                       manifest->n_vertices, source, data, &manifest->order_id, err)
               : status;
}

enum mr_status mr_store_writer_begin_names(struct mr_store_writer *writer,
                                           const struct mr_names_part *part, struct mr_error *err)
{
    struct mr_index_draft *draft = &writer->draft;
    assert(draft->n_name_parts < MR_PARTS_MAX);
    draft->name_parts[draft->n_name_parts++] = (struct mr_names_part){
        .generation = part->generation,
        .kind = part->kind,
        .first_vertex = part->first_vertex,
        .n_vertices = part->kind == MR_NAMES_IDENTITY ? part->n_vertices : 0,
        .block_id = writer->manifest.graph_id,
    };
    if (part->kind == MR_NAMES_IDENTITY) {
        return MR_OK;
    }
    char path[4096];
    struct mr_file **file = &writer->files[MR_FILE_NAMES];
    enum mr_status status = sync_and_close(file, err);
    if (status == MR_OK) {
        status = mr_store_file_path(writer->directory, false, MR_FILE_NAMES, part->generation, 0,
                                    path, sizeof path, err);
    }
    return status == MR_OK
               ? mr_file_open(writer->context->io, path, MR_OPEN_READ | MR_OPEN_WRITE, file, err)
               : status;
}

enum mr_status mr_store_writer_name_block(struct mr_store_writer *writer, const uint8_t *block,
                                          const struct mr_block_header *header,
                                          struct mr_error *err)
{
    struct mr_names_part *part = &writer->draft.name_parts[writer->draft.n_name_parts - 1];
    struct mr_block_entry entry = {
        .offset = part->file_bytes,
        .stored_bytes = header->stored_bytes,
        .raw_bytes = header->raw_bytes,
        .first = header->first,
        .last = header->last,
        .n_entries = header->n_entries,
    };
    enum mr_status status =
        append(writer->files[MR_FILE_NAMES], block, header->stored_bytes, &part->file_bytes, err);
    if (status == MR_OK) {
        status = mr_draft_blocks_add(writer->context->memory, &writer->draft.names, &entry, err);
    }
    part->n_blocks++;
    part->n_vertices += header->n_entries;
    return status;
}

enum mr_status mr_store_writer_name_index(struct mr_store_writer *writer, const uint8_t *index,
                                          uint64_t index_bytes, struct mr_error *err)
{
    return mr_index_draft_add_names(&writer->draft, index, index_bytes, err);
}

/* Write the index and the manifest, each whole and synced before the next step. */
static enum mr_status write_index(struct mr_store_writer *writer, struct mr_error *err)
{
    struct mr_manifest *manifest = &writer->manifest;
    uint8_t *bytes = NULL;
    uint64_t n_bytes = 0;
    enum mr_status status =
        mr_index_draft_serialize(&writer->draft, writer->base != NULL ? &writer->before : NULL,
                                 manifest, &bytes, &n_bytes, err);
    if (status == MR_OK) {
        status = open_file(writer, MR_FILE_INDEX, 0, &writer->files[MR_FILE_INDEX], err);
    }
    if (status == MR_OK) {
        status = append(writer->files[MR_FILE_INDEX], bytes, n_bytes,
                        &manifest->file_bytes[MR_FILE_INDEX], err);
    }
    mr_memory_free(writer->context->memory, bytes);
    return status;
}

static enum mr_status write_manifest(struct mr_store_writer *writer, struct mr_error *err)
{
    uint8_t bytes[MR_MANIFEST_BYTES];
    mr_manifest_serialize(&writer->manifest, bytes);
    enum mr_status status =
        open_file(writer, MR_FILE_MANIFEST, 0, &writer->files[MR_FILE_MANIFEST], err);
    if (status == MR_OK) {
        status = mr_file_write(writer->files[MR_FILE_MANIFEST], bytes, sizeof bytes, 0, err);
    }
    return status;
}

/* The manifest's figures: those of the parts together, and of all degrees. */
static void sum_up(struct mr_store_writer *writer)
{
    struct mr_manifest *manifest = &writer->manifest;
    const struct mr_degree_facts *facts = &writer->draft.facts[0];
    if (writer->base != NULL) {
        const struct mr_store_info *base = mr_store_info(writer->base);
        manifest->n_edges = base->n_edges;
        manifest->n_tiles = base->n_tiles;
        manifest->keys_tiles = base->keys_tiles;
        manifest->keys_edges = base->keys_edges;
        manifest->keys_bytes = base->keys_bytes;
        manifest->corners = base->corners;
        manifest->file_bytes[MR_FILE_LINKS] = base->links_bytes;
        manifest->file_bytes[MR_FILE_NAMES] = base->names_bytes;
    }
    for (uint32_t i = 0; i < writer->draft.n_classes; i++) {
        struct mr_links_part *part = &writer->draft.parts[i].part;
        part->n_blocks = writer->draft.parts[i].blocks.count;
        manifest->n_edges += part->n_edges;
        manifest->n_tiles += part->n_tiles;
        manifest->keys_tiles += part->keys_tiles;
        manifest->keys_edges += part->keys_edges;
        manifest->keys_bytes += part->keys_bytes;
        manifest->corners.tiles += part->corners.tiles;
        manifest->corners.edges += part->corners.edges;
        manifest->corners.bytes += part->corners.bytes;
        manifest->corners.parts += part->corners.parts;
        manifest->corners.entries += part->corners.entries;
        manifest->corners.rows += part->corners.rows;
        manifest->file_bytes[MR_FILE_LINKS] += part->file_bytes;
    }
    manifest->n_dangling = facts->n_dangling;
    manifest->n_self_loops = facts->n_self_loops;
    manifest->max_out_degree = facts->max_out_degree;
    manifest->max_in_degree = facts->max_in_degree;
    for (uint32_t i = 0; i < writer->draft.n_name_parts; i++) {
        manifest->file_bytes[MR_FILE_NAMES] += writer->draft.name_parts[i].file_bytes;
    }
}

/* Frees the writer of the weighted set. */
static enum mr_status finish_weights(struct mr_store_writer *writer,
                                     const struct mr_store_facts *facts, uint64_t *bytes,
                                     struct mr_error *err)
{
    struct mr_store_writer *weights = writer->weights;
    struct mr_store_facts own = *facts;
    struct mr_store_written written = {0};
    const bool is_empty = weights->draft.parts[0].part.n_edges == 0;
    own.name_kind = MR_NAMES_IDENTITY;
    own.name_key_number = 0;
    weights->manifest.weights.least = is_empty ? 0 : facts->least_weight;
    weights->manifest.weights.most = is_empty ? 0 : facts->most_weight;
    writer->weights = NULL;
    const enum mr_status status = mr_store_writer_finish(weights, &own, &written, err);
    writer->manifest.weights_id = written.store_id;
    *bytes = written.bytes;
    return status;
}

enum mr_status mr_store_writer_finish(struct mr_store_writer *writer,
                                      const struct mr_store_facts *facts,
                                      struct mr_store_written *written, struct mr_error *err)
{
    struct mr_manifest *manifest = &writer->manifest;
    uint64_t weights_bytes = 0;
    enum mr_status status = MR_OK;
    if (writer->weights != NULL) { /* the weighted set first: this one's manifest names it */
        status = finish_weights(writer, facts, &weights_bytes, err);
    }
    for (uint32_t i = 0; i < writer->draft.n_classes; i++) {
        assert(writer->next_band[i] == manifest->n_bands);
    }
    for (uint32_t i = 0; i < writer->draft.n_sets; i++) {
        assert(writer->next_in_band[i] == manifest->n_bands &&
               writer->next_out_band[i] == manifest->n_bands);
        writer->draft.facts[i].n_self_loops = facts->n_self_loops[i];
    }
    manifest->undirected = facts->undirected;
    manifest->duplicates_kept = facts->duplicates_kept;
    manifest->self_loops_dropped = facts->self_loops_dropped;
    manifest->transposed = facts->transposed;
    manifest->class_rule = facts->class_rule;
    manifest->name_kind = facts->name_kind;
    manifest->name_key_number = facts->name_key_number;
    if (status == MR_OK && facts->name_kind != MR_NAMES_IDENTITY && writer->base == NULL &&
        writer->draft.n_name_parts == 0) { /* a graph without vertices */
        const struct mr_names_part none = {.generation = manifest->generation,
                                           .kind = facts->name_kind};
        status = mr_store_writer_begin_names(writer, &none, err);
    }
    sum_up(writer);
    if (status == MR_OK) {
        status = write_index(writer, err);
    }
    for (unsigned i = 0; i < MR_CLASSES_MAX && status == MR_OK; i++) {
        status = sync_and_close(&writer->links[i], err);
    }
    for (unsigned i = 0; i < MR_N_FILES && status == MR_OK; i++) {
        status = sync_and_close(&writer->files[i], err);
    }
    if (status == MR_OK) {
        status = write_manifest(writer, err);
    }
    if (status == MR_OK) {
        status = sync_and_close(&writer->files[MR_FILE_MANIFEST], err);
    }
    if (status == MR_OK && written != NULL) {
        const struct mr_draft_part *parts = writer->draft.parts;
        *written = (struct mr_store_written){
            .n_dangling = manifest->n_dangling,
            .bytes = MR_MANIFEST_BYTES + weights_bytes +
                     (manifest->order_id == 0 ? 0 : mr_vertex_order_bytes(manifest->n_vertices)),
            .links_bytes = manifest->file_bytes[MR_FILE_LINKS],
            .internal_edges = manifest->n_classes > 1 ? parts[MR_LINK_INTERNAL].part.n_edges : 0,
        };
        written->store_id = manifest->store_id;
        for (unsigned i = 0; i < MR_N_DATA_FILES; i++) {
            written->bytes += manifest->file_bytes[i];
        }
    }
    destroy(writer);
    return status;
}

void mr_store_writer_abandon(struct mr_store_writer *writer)
{
    if (writer != NULL) {
        destroy(writer);
    }
}
