/* The index of a store: in memory, to bytes, and from hostile bytes. */
#include <stdbool.h>
#include <string.h>

#include <xxhash.h>

#include "engine/block.h"
#include "engine/bytes.h"
#include "engine/manifest.h"
#include "engine/memory.h"

#define INDEX_MAGIC "MRINDEX1" /* 8 bytes */

/* Layout; docs/store-format.md, "Index". */
enum {
    HEADER_BYTES = 64, /* magic, graph id, then the six counts */
    BAND_BYTES = 80,
    SEGMENT_BYTES = 8,
    ENTRY_BYTES = 32
};

#define DAMAGED "; the store is damaged: build it again"

enum mr_status mr_index_create(struct mr_memory *memory, uint64_t n_bands, struct mr_index *index,
                               struct mr_error *err)
{
    memset(index, 0, sizeof *index);
    index->n_bands = n_bands;
    if (n_bands == 0) {
        return MR_OK;
    }
    void *bands = NULL;
    enum mr_status status =
        mr_memory_alloc(memory, "store index", n_bands * sizeof *index->bands, &bands, err);
    index->bands = bands;
    return status;
}

void mr_index_free(struct mr_memory *memory, struct mr_index *index)
{
    mr_memory_free(memory, index->bands);
    mr_memory_free(memory, index->segment_ends);
    mr_memory_free(memory, index->link_blocks);
    mr_memory_free(memory, index->degree_blocks);
    mr_memory_free(memory, index->name_blocks);
    mr_memory_free(memory, index->names);
    memset(index, 0, sizeof *index);
}

/* Make room for one more item of `item_bytes` in `*array`. */
static enum mr_status make_room(struct mr_memory *memory, void **array, uint64_t used,
                                uint64_t *capacity, uint64_t item_bytes, struct mr_error *err)
{
    if (used < *capacity) {
        return MR_OK;
    }
    uint64_t larger = *capacity + *capacity / 2 + 128;
    enum mr_status status =
        mr_memory_resize(memory, "store index", array, larger * item_bytes, err);
    if (status == MR_OK) {
        *capacity = larger;
    }
    return status;
}

enum mr_status mr_index_add_block(struct mr_memory *memory, struct mr_index *index,
                                  enum mr_store_file file, const struct mr_block_entry *entry,
                                  struct mr_error *err)
{
    struct mr_block_entry **list = file == MR_FILE_LINKS     ? &index->link_blocks
                                   : file == MR_FILE_DEGREES ? &index->degree_blocks
                                                             : &index->name_blocks;
    uint64_t *count = file == MR_FILE_LINKS     ? &index->n_link_blocks
                      : file == MR_FILE_DEGREES ? &index->n_degree_blocks
                                                : &index->n_name_blocks;
    uint64_t *capacity = file == MR_FILE_LINKS     ? &index->link_capacity
                         : file == MR_FILE_DEGREES ? &index->degree_capacity
                                                   : &index->name_capacity;
    void *array = *list;
    enum mr_status status = make_room(memory, &array, *count, capacity, sizeof **list, err);
    if (status != MR_OK) {
        return status;
    }
    *list = array;
    (*list)[(*count)++] = *entry;
    return MR_OK;
}

enum mr_status mr_index_add_segment(struct mr_memory *memory, struct mr_index *index,
                                    uint64_t end_block, struct mr_error *err)
{
    void *array = index->segment_ends;
    enum mr_status status = make_room(memory, &array, index->n_segments, &index->segment_capacity,
                                      sizeof *index->segment_ends, err);
    if (status != MR_OK) {
        return status;
    }
    index->segment_ends = array;
    index->segment_ends[index->n_segments++] = end_block;
    return MR_OK;
}

enum mr_status mr_index_set_names(struct mr_memory *memory, struct mr_index *index,
                                  const uint8_t *bytes, uint64_t n_bytes, struct mr_error *err)
{
    if (n_bytes == 0) {
        return MR_OK;
    }
    void *copy = NULL;
    enum mr_status status = mr_memory_alloc(memory, "name index", n_bytes, &copy, err);
    if (status != MR_OK) {
        return status;
    }
    memcpy(copy, bytes, n_bytes);
    index->names = copy;
    index->names_bytes = n_bytes;
    return MR_OK;
}

static uint8_t *put_band(uint8_t *out, const struct mr_band_entry *band)
{
    const uint64_t fields[BAND_BYTES / 8] = {
        band->first_block,     band->first_diagonal,   band->end_block,      band->end_segment,
        band->n_edges,         band->n_diagonal_edges, band->first_in_block, band->end_in_block,
        band->first_out_block, band->end_out_block};
    for (unsigned i = 0; i < BAND_BYTES / 8; i++) {
        mr_put_u64(out + 8 * i, fields[i]);
    }
    return out + BAND_BYTES;
}

static uint8_t *put_entries(uint8_t *out, const struct mr_block_entry *entries, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++, out += ENTRY_BYTES) {
        mr_put_u64(out, entries[i].offset);
        mr_put_u32(out + 8, entries[i].stored_bytes);
        mr_put_u32(out + 12, entries[i].raw_bytes);
        mr_put_u32(out + 16, entries[i].first);
        mr_put_u32(out + 20, entries[i].last);
        mr_put_u64(out + 24, entries[i].n_entries);
    }
    return out;
}

enum mr_status mr_index_serialize(struct mr_memory *memory, struct mr_manifest *manifest,
                                  const struct mr_index *index, uint8_t **bytes, uint64_t *n_bytes,
                                  struct mr_error *err)
{
    const uint64_t counts[6] = {index->n_bands,         index->n_segments,    index->n_link_blocks,
                                index->n_degree_blocks, index->n_name_blocks, index->names_bytes};
    uint64_t total = HEADER_BYTES + counts[0] * BAND_BYTES + counts[1] * SEGMENT_BYTES +
                     (counts[2] + counts[3] + counts[4]) * ENTRY_BYTES + counts[5];
    void *buffer = NULL;
    enum mr_status status = mr_memory_alloc(memory, "store index", total, &buffer, err);
    if (status != MR_OK) {
        return status;
    }
    uint8_t *out = buffer;
    memcpy(out, INDEX_MAGIC, 8);
    mr_put_u64(out + 8, manifest->graph_id);
    for (unsigned i = 0; i < 6; i++) {
        mr_put_u64(out + 16 + 8 * i, counts[i]);
    }
    out += HEADER_BYTES;
    for (uint64_t i = 0; i < counts[0]; i++) {
        out = put_band(out, &index->bands[i]);
    }
    for (uint64_t i = 0; i < counts[1]; i++, out += SEGMENT_BYTES) {
        mr_put_u64(out, index->segment_ends[i]);
    }
    out = put_entries(out, index->link_blocks, counts[2]);
    out = put_entries(out, index->degree_blocks, counts[3]);
    out = put_entries(out, index->name_blocks, counts[4]);
    if (counts[5] > 0) {
        memcpy(out, index->names, counts[5]);
    }
    manifest->index_checksum = XXH3_64bits(buffer, total);
    *bytes = buffer;
    *n_bytes = total;
    return MR_OK;
}

static const uint8_t *get_band(const uint8_t *in, struct mr_band_entry *band)
{
    uint64_t f[BAND_BYTES / 8];
    for (unsigned i = 0; i < BAND_BYTES / 8; i++) {
        f[i] = mr_get_u64(in + 8 * i);
    }
    *band = (struct mr_band_entry){.first_block = f[0],
                                   .first_diagonal = f[1],
                                   .end_block = f[2],
                                   .end_segment = f[3],
                                   .n_edges = f[4],
                                   .n_diagonal_edges = f[5],
                                   .first_in_block = f[6],
                                   .end_in_block = f[7],
                                   .first_out_block = f[8],
                                   .end_out_block = f[9]};
    return in + BAND_BYTES;
}

/* Read `count` entries and check that they tile the file: no byte outside a block, none in two. */
static enum mr_status get_entries(struct mr_memory *memory, const uint8_t **in, uint64_t count,
                                  uint64_t file_bytes, uint32_t align, uint64_t most_entries,
                                  const char *path, struct mr_block_entry **out,
                                  struct mr_error *err)
{
    if (count > 0) {
        void *array = NULL;
        enum mr_status status =
            mr_memory_alloc(memory, "store index", count * sizeof **out, &array, err);
        if (status != MR_OK) {
            return status;
        }
        *out = array;
    }
    uint64_t end = 0;
    const uint8_t *p = *in;
    for (uint64_t i = 0; i < count; i++, p += ENTRY_BYTES) {
        struct mr_block_entry *e = &(*out)[i];
        e->offset = mr_get_u64(p);
        e->stored_bytes = mr_get_u32(p + 8);
        e->raw_bytes = mr_get_u32(p + 12);
        e->first = mr_get_u32(p + 16);
        e->last = mr_get_u32(p + 20);
        e->n_entries = mr_get_u64(p + 24);
        if (e->offset != end || e->stored_bytes == 0 || e->stored_bytes % align != 0 ||
            e->stored_bytes > MR_BLOCK_MAX_BYTES || e->raw_bytes > MR_BLOCK_RAW_MAX_BYTES ||
            e->first > e->last || e->n_entries == 0 || e->n_entries > most_entries) {
            return mr_error_file(err, MR_ERROR_CORRUPT, path, 0,
                                 "entry of block %llu does not add up" DAMAGED,
                                 (unsigned long long)i);
        }
        end += e->stored_bytes;
    }
    *in = p;
    if (end != file_bytes) {
        return mr_error_file(err, MR_ERROR_CORRUPT, path, 0, "blocks do not fill a file" DAMAGED);
    }
    return MR_OK;
}

/* Degree blocks [first, end) hold the band's vertices, each once, in order. */
static bool degrees_cover_band(const struct mr_index *index, uint64_t first, uint64_t end,
                               uint64_t first_vertex, uint64_t n_vertices)
{
    if (first > end || end > index->n_degree_blocks) {
        return false;
    }
    uint64_t vertex = first_vertex;
    for (uint64_t i = first; i < end; i++) {
        const struct mr_block_entry *e = &index->degree_blocks[i];
        if (e->first != vertex || (uint64_t)e->last - e->first + 1 != e->n_entries) {
            return false;
        }
        vertex += e->n_entries;
    }
    return vertex == first_vertex + n_vertices;
}

/* Blocks, segments and counts of band `b` follow those of band `b - 1` and add up. */
static bool band_adds_up(const struct mr_manifest *m, const struct mr_index *index, uint64_t b)
{
    const struct mr_band_entry *band = &index->bands[b];
    const struct mr_band_entry *before = b == 0 ? NULL : &index->bands[b - 1];
    uint64_t n_stripes = mr_div_up(m->n_vertices, (uint64_t)1 << m->stripe_bits);
    if (band->first_block != (before == NULL ? 0 : before->end_block) ||
        band->first_block > band->first_diagonal || band->first_diagonal > band->end_block ||
        band->end_block > index->n_link_blocks || band->first_segment > band->end_segment ||
        band->end_segment > index->n_segments) {
        return false;
    }
    uint64_t block = band->first_block;
    for (uint64_t i = band->first_segment; i < band->end_segment; i++) {
        if (index->segment_ends[i] <= block || index->segment_ends[i] > band->first_diagonal) {
            return false;
        }
        block = index->segment_ends[i];
    }
    if (block != band->first_diagonal) {
        return false;
    }
    uint64_t n_edges = 0, n_diagonal = 0;
    for (uint64_t i = band->first_block; i < band->end_block; i++) {
        const struct mr_block_entry *e = &index->link_blocks[i];
        n_edges += e->n_entries;
        if (e->last >= n_stripes || n_edges > m->n_edges) { /* before it could overflow */
            return false;
        }
        n_diagonal += i >= band->first_diagonal ? e->n_entries : 0;
    }
    uint64_t first_vertex = b << m->band_bits;
    uint64_t n_vertices = mr_min_u64(m->n_vertices - first_vertex, (uint64_t)1 << m->band_bits);
    return n_edges == band->n_edges && n_diagonal == band->n_diagonal_edges &&
           degrees_cover_band(index, band->first_in_block, band->end_in_block, first_vertex,
                              n_vertices) &&
           degrees_cover_band(index, band->first_out_block, band->end_out_block, first_vertex,
                              n_vertices);
}

static enum mr_status check_bands(const struct mr_manifest *m, struct mr_index *index,
                                  const char *path, struct mr_error *err)
{
    uint64_t n_edges = 0, end_block = 0, end_segment = 0;
    for (uint64_t b = 0; b < index->n_bands; b++) {
        index->bands[b].first_segment = end_segment;
        if (!band_adds_up(m, index, b)) {
            return mr_error_file(err, MR_ERROR_CORRUPT, path, 0,
                                 "entry of band %llu does not add up" DAMAGED,
                                 (unsigned long long)b);
        }
        n_edges += index->bands[b].n_edges;
        end_block = index->bands[b].end_block;
        end_segment = index->bands[b].end_segment;
    }
    if (n_edges != m->n_edges || end_block != index->n_link_blocks ||
        end_segment != index->n_segments) {
        return mr_error_file(err, MR_ERROR_CORRUPT, path, 0, "bands do not add up" DAMAGED);
    }
    return MR_OK;
}

static enum mr_status read_lists(struct mr_memory *memory, const struct mr_manifest *m,
                                 const uint8_t *in, const uint64_t counts[6], const char *path,
                                 struct mr_index *index, struct mr_error *err)
{
    enum mr_status status = mr_index_create(memory, counts[0], index, err);
    for (uint64_t i = 0; i < counts[0] && status == MR_OK; i++) {
        in = get_band(in, &index->bands[i]);
    }
    void *ends = NULL;
    if (status == MR_OK && counts[1] > 0) {
        status = mr_memory_alloc(memory, "store index", counts[1] * sizeof *index->segment_ends,
                                 &ends, err);
    }
    if (status != MR_OK) {
        return status;
    }
    index->segment_ends = ends;
    index->n_segments = counts[1];
    for (uint64_t i = 0; i < counts[1]; i++, in += SEGMENT_BYTES) {
        index->segment_ends[i] = mr_get_u64(in);
    }
    status = get_entries(memory, &in, counts[2], m->file_bytes[MR_FILE_LINKS], MR_BLOCK_ALIGN,
                         MR_BLOCK_LINKS_MAX, path, &index->link_blocks, err);
    index->n_link_blocks = counts[2];
    if (status == MR_OK) {
        status = get_entries(memory, &in, counts[3], m->file_bytes[MR_FILE_DEGREES], MR_BLOCK_ALIGN,
                             MR_BLOCK_RAW_MAX_BYTES, path, &index->degree_blocks, err);
    }
    index->n_degree_blocks = counts[3];
    if (status == MR_OK) {
        status = get_entries(memory, &in, counts[4], m->file_bytes[MR_FILE_NAMES], MR_NAME_ALIGN,
                             MR_BLOCK_RAW_MAX_BYTES, path, &index->name_blocks, err);
    }
    index->n_name_blocks = counts[4];
    if (status == MR_OK) {
        status = mr_index_set_names(memory, index, in, counts[5], err);
    }
    return status;
}

enum mr_status mr_index_parse(struct mr_memory *memory, const struct mr_manifest *m,
                              const uint8_t *bytes, uint64_t n_bytes, const char *path,
                              struct mr_index *index, struct mr_error *err)
{
    memset(index, 0, sizeof *index);
    if (XXH3_64bits(bytes, n_bytes) != m->index_checksum || n_bytes < HEADER_BYTES ||
        memcmp(bytes, INDEX_MAGIC, 8) != 0 || mr_get_u64(bytes + 8) != m->graph_id) {
        return mr_error_file(err, MR_ERROR_CORRUPT, path, 0, "checksum is wrong" DAMAGED);
    }
    /* Counts are bounded by the file before anything is allocated by them. */
    const uint64_t sizes[6] = {BAND_BYTES, SEGMENT_BYTES, ENTRY_BYTES, ENTRY_BYTES, ENTRY_BYTES, 1};
    uint64_t counts[6];
    uint64_t left = n_bytes - HEADER_BYTES;
    for (unsigned i = 0; i < 6; i++) {
        counts[i] = mr_get_u64(bytes + 16 + 8 * i);
        if (counts[i] > left / sizes[i]) {
            return mr_error_file(err, MR_ERROR_CORRUPT, path, 0, "counts do not add up" DAMAGED);
        }
        left -= counts[i] * sizes[i];
    }
    if (left != 0 || counts[0] != m->n_bands) {
        return mr_error_file(err, MR_ERROR_CORRUPT, path, 0, "counts do not add up" DAMAGED);
    }
    enum mr_status status = read_lists(memory, m, bytes + HEADER_BYTES, counts, path, index, err);
    if (status == MR_OK) {
        status = check_bands(m, index, path, err);
    }
    if (status != MR_OK) {
        mr_index_free(memory, index);
    }
    return status;
}
