/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing a store's index: the list of parts, and the edges of all parts merged into one list of
 * blocks. Opening a store calls it. index_lists.c parses degrees and names. The bytes may be
 * hostile, so every count is bounded before use. */
#include "engine/store/index_internal.h"

#include <string.h>

#include <xxhash.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/store/block.h"

const uint8_t mr_index_item_bytes[MR_INDEX_N_LISTS] = {[MR_INDEX_PARTS] = MR_INDEX_PART_BYTES,
                                                       [MR_INDEX_NAME_PARTS] =
                                                           MR_INDEX_NAME_PART_BYTES,
                                                       [MR_INDEX_SETS] = MR_INDEX_SET_BYTES,
                                                       [MR_INDEX_RUNS] = MR_INDEX_RUN_BYTES,
                                                       [MR_INDEX_BANDS] = MR_INDEX_BAND_BYTES,
                                                       [MR_INDEX_LINKS] = MR_INDEX_BLOCK_BYTES,
                                                       [MR_INDEX_DEGREES] = MR_INDEX_BLOCK_BYTES,
                                                       [MR_INDEX_NAMES] = MR_INDEX_BLOCK_BYTES,
                                                       [MR_INDEX_NAME_BYTES] = 1};

void mr_index_free(struct mr_memory *memory, struct mr_index *index)
{
    mr_memory_free(memory, index->parts);
    mr_memory_free(memory, index->bands);
    mr_memory_free(memory, index->segment_ends);
    mr_memory_free(memory, index->link_blocks);
    mr_memory_free(memory, index->degree_blocks);
    mr_memory_free(memory, index->name_blocks);
    mr_memory_free(memory, index->names);
    memset(index, 0, sizeof *index);
}

/* Verifies the checksum and finds the lists. They point into `bytes`. */
static enum mr_status split_index(struct mr_index_parser *parser, const uint8_t *bytes,
                                  uint64_t n_bytes, struct mr_error *err)
{
    const struct mr_store_info *m = parser->m;
    const char *path = parser->path;
    if (XXH3_64bits(bytes, n_bytes) != m->index_checksum || n_bytes < MR_INDEX_HEADER_BYTES ||
        memcmp(bytes, MR_INDEX_MAGIC, 8) != 0 || mr_get_u64(bytes + 8) != m->graph_id) {
        return mr_index_bad(path, "checksum is wrong", err);
    }
    /* The size of the file bounds all counts before any of them is used for an allocation. */
    uint64_t left = n_bytes - MR_INDEX_HEADER_BYTES;
    const uint8_t *at = bytes + MR_INDEX_HEADER_BYTES;
    for (unsigned i = 0; i < MR_INDEX_N_LISTS; i++) {
        const uint64_t count = mr_get_u64(bytes + 16 + 8 * i);
        if (count > left / mr_index_item_bytes[i]) {
            return mr_index_bad(path, "counts do not add up", err);
        }
        parser->at[i] = at;
        parser->count[i] = count;
        at += count * mr_index_item_bytes[i];
        left -= count * mr_index_item_bytes[i];
    }
    const uint64_t *n = parser->count;
    if (left != 0 || n[MR_INDEX_PARTS] != m->n_classes ||
        n[MR_INDEX_NAME_PARTS] != (m->name_kind != MR_NAMES_IDENTITY) ||
        n[MR_INDEX_SETS] != (m->n_classes > 1 ? 1 + m->n_classes : 1) ||
        n[MR_INDEX_RUNS] != n[MR_INDEX_SETS] * m->n_bands ||
        n[MR_INDEX_BANDS] != n[MR_INDEX_PARTS] * m->n_bands) {
        return mr_index_bad(path, "counts do not add up", err);
    }
    return MR_OK;
}

static bool is_seen(const struct mr_index_parser *parser, uint64_t link_class)
{
    return (parser->classes >> link_class & 1) != 0;
}

/* Parses the files of edges, one for each class. The sums of their figures must
 * equal the manifest's. */
static enum mr_status read_parts(struct mr_index_parser *parser, struct mr_error *err)
{
    const struct mr_store_info *m = parser->m;
    struct mr_index *index = parser->index;
    const uint64_t n_parts = parser->count[MR_INDEX_PARTS];
    const uint8_t *in = parser->at[MR_INDEX_PARTS];
    struct mr_links_part all = {0};
    enum mr_status status =
        mr_index_allocate(parser, n_parts, sizeof *index->parts, &index->parts, err);
    for (uint64_t i = 0; i < n_parts && status == MR_OK; i++, in += MR_INDEX_PART_BYTES) {
        struct mr_links_part *part = &index->parts[i];
        mr_fields_get(mr_links_fields, in, part);
        if (mr_get_u32(in) != 1 || mr_get_u32(in + 4) != i || mr_get_u64(in + 16) != m->graph_id ||
            mr_get_u64(in + 120) != 0 || part->n_edges > m->n_edges - all.n_edges ||
            part->n_blocks > parser->count[MR_INDEX_LINKS] - all.n_blocks ||
            part->file_bytes > m->links_bytes - all.file_bytes ||
            part->keys_edges > part->n_edges ||
            part->corners.edges != part->n_edges - part->keys_edges) {
            return mr_index_bad_item(parser, "part", i, err);
        }
        mr_figures_add(mr_links_fields, &all, part);
        if (is_seen(parser, i)) {
            mr_figures_add(mr_links_fields, &index->total, part);
        }
    }
    index->n_parts = (uint32_t)n_parts;
    const uint64_t n_blocks = all.n_blocks;
    all.n_blocks = m->n_blocks; /* not in the manifest */
    if (status == MR_OK && (n_blocks != parser->count[MR_INDEX_LINKS] ||
                            !mr_figures_agree(mr_links_fields, &all, m))) {
        return mr_index_bad(parser->path, "parts do not add up", err);
    }
    return status;
}

/* ---- Edges ---- */

/* How far a part is parsed. Its blocks are in the order of its file. */
struct part_cursor {
    const uint8_t *bands, *blocks; /* its lists in the index */
    uint64_t next_block, end_bytes;
    struct mr_band_entry band; /* the current band, without its degrees */
};

/* Parses a part's entry of band `b`, which must follow the entry before it. */
static bool get_band(const struct mr_index_parser *parser, const struct mr_links_part *part,
                     uint64_t b, struct part_cursor *cursor)
{
    const struct mr_band_entry *band = &cursor->band;
    mr_fields_get(mr_band_fields, cursor->bands + b * MR_INDEX_BAND_BYTES, &cursor->band);
    return band->first_block == cursor->next_block && band->first_block <= band->first_diagonal &&
           band->first_diagonal <= band->end_block && band->end_block <= part->n_blocks &&
           band->end_block - band->first_block <= UINT32_MAX && band->n_edges <= parser->m->n_edges;
}

/* Parses the part's blocks up to `end` and adds them to the merged list if the part's class is
 * opened. `*n_edges` gets the number of edges in these blocks. */
static bool take_blocks(const struct mr_index_parser *parser, uint32_t p,
                        struct part_cursor *cursor, uint64_t end, uint64_t *n_edges)
{
    struct mr_index *index = parser->index;
    /* of sources: passes hold values of these alone */
    const uint64_t n_stripes =
        mr_div_up(parser->m->n_sources, (uint64_t)1 << parser->m->stripe_bits);
    *n_edges = 0;
    for (; cursor->next_block < end; cursor->next_block++) {
        struct mr_block_entry entry;
        if (!mr_index_get_block(cursor->blocks + cursor->next_block * MR_INDEX_BLOCK_BYTES,
                                cursor->end_bytes, MR_BLOCK_ALIGN, MR_BLOCK_LINKS_MAX, &entry) ||
            entry.last >= n_stripes || entry.n_entries > parser->m->n_edges - *n_edges) {
            return false;
        }
        entry.number = (uint32_t)(cursor->next_block - cursor->band.first_block);
        entry.link_class = p;
        cursor->end_bytes += entry.stored_bytes;
        *n_edges += entry.n_entries;
        if (is_seen(parser, p)) {
            mr_index_append_block(index->link_blocks, &index->n_link_blocks, entry);
        }
    }
    return true;
}

/* Parses one band of all parts: first their off-diagonal blocks, then their diagonal blocks. */
static bool parse_band(const struct mr_index_parser *parser, struct part_cursor *cursors,
                       uint64_t b)
{
    struct mr_index *index = parser->index;
    struct mr_band_entry *band = &index->bands[b];
    bool good = true;
    band->first_block = index->n_link_blocks;
    for (uint32_t p = 0; p < index->n_parts && good; p++) {
        uint64_t n_edges = 0;
        good = get_band(parser, &index->parts[p], b, &cursors[p]) &&
               take_blocks(parser, p, &cursors[p], cursors[p].band.first_diagonal, &n_edges) &&
               n_edges == cursors[p].band.n_edges - cursors[p].band.n_diagonal_edges;
        band->n_edges += is_seen(parser, p) ? n_edges : 0;
    }
    band->first_diagonal = index->n_link_blocks;
    for (uint32_t p = 0; p < index->n_parts && good; p++) {
        uint64_t n_edges = 0;
        good = take_blocks(parser, p, &cursors[p], cursors[p].band.end_block, &n_edges) &&
               n_edges == cursors[p].band.n_diagonal_edges;
        band->n_diagonal_edges += is_seen(parser, p) ? n_edges : 0;
    }
    band->n_edges += band->n_diagonal_edges;
    band->end_block = index->n_link_blocks;
    return good;
}

static enum mr_status parse_links(struct mr_index_parser *parser, struct mr_error *err)
{
    struct mr_index *index = parser->index;
    struct part_cursor *cursors = NULL;
    const uint64_t n_bands = parser->m->n_bands;
    uint64_t first_block = 0;
    enum mr_status status =
        mr_index_allocate(parser, n_bands, sizeof *index->bands, &index->bands, err);
    if (status == MR_OK) {
        status = mr_index_allocate(parser, index->total.n_blocks, sizeof *index->link_blocks,
                                   &index->link_blocks, err);
    }
    if (status == MR_OK) {
        status = mr_index_allocate(parser, index->n_parts, sizeof *cursors, &cursors, err);
    }
    index->n_bands = n_bands;
    for (uint32_t p = 0; p < index->n_parts && status == MR_OK; p++) {
        cursors[p].bands = parser->at[MR_INDEX_BANDS] + p * n_bands * MR_INDEX_BAND_BYTES;
        cursors[p].blocks = parser->at[MR_INDEX_LINKS] + first_block * MR_INDEX_BLOCK_BYTES;
        first_block += index->parts[p].n_blocks;
    }
    for (uint64_t b = 0; b < n_bands && status == MR_OK; b++) {
        if (!parse_band(parser, cursors, b)) {
            status = mr_index_bad_item(parser, "band", b, err);
        }
    }
    uint64_t n_edges = 0;
    for (uint64_t b = 0; b < n_bands && status == MR_OK; b++) {
        n_edges += index->bands[b].n_edges;
    }
    for (uint32_t p = 0; p < index->n_parts && status == MR_OK; p++) {
        if (cursors[p].next_block != index->parts[p].n_blocks ||
            cursors[p].end_bytes != index->parts[p].file_bytes) {
            status = mr_index_bad(parser->path, "blocks do not fill a file", err);
        }
    }
    if (status == MR_OK && n_edges != index->total.n_edges) {
        status = mr_index_bad(parser->path, "bands do not add up", err);
    }
    mr_memory_free(parser->memory, cursors);
    return status;
}

/* Cuts the off-diagonal blocks of all bands into segments; see MR_SEGMENT_EDGES_PER_VERTEX. If
 * `ends` is NULL, only counts them. */
static uint64_t cut_segments(const struct mr_index_parser *parser, uint64_t *ends)
{
    const struct mr_index *index = parser->index;
    const uint64_t full = (uint64_t)MR_SEGMENT_EDGES_PER_VERTEX << parser->m->band_bits;
    uint64_t n_segments = 0;
    for (uint64_t b = 0; b < index->n_bands; b++) {
        struct mr_band_entry *band = &index->bands[b];
        uint64_t n_edges = 0;
        band->first_segment = n_segments;
        for (uint64_t i = band->first_block; i < band->first_diagonal; i++) {
            n_edges += index->link_blocks[i].n_entries;
            if (n_edges < full && i + 1 < band->first_diagonal) {
                continue;
            }
            n_edges = 0;
            if (ends != NULL) {
                ends[n_segments] = i + 1;
            }
            n_segments++;
        }
        band->end_segment = n_segments;
    }
    return n_segments;
}

static enum mr_status make_segments(struct mr_index_parser *parser, struct mr_error *err)
{
    struct mr_index *index = parser->index;
    index->n_segments = cut_segments(parser, NULL);
    enum mr_status status = mr_index_allocate(
        parser, index->n_segments, sizeof *index->segment_ends, &index->segment_ends, err);
    if (status == MR_OK) {
        (void)cut_segments(parser, index->segment_ends);
    }
    return status;
}

/* ---- The whole index ---- */

enum mr_status mr_index_parse(struct mr_memory *memory, const struct mr_store_info *m,
                              uint32_t classes, const uint8_t *bytes, uint64_t n_bytes,
                              const char *path, struct mr_index *index, struct mr_error *err)
{
    const uint32_t all = ((uint32_t)1 << m->n_classes) - 1;
    struct mr_index_parser parser = {.memory = memory,
                                     .m = m,
                                     .classes = classes == MR_CLASSES_ALL ? all : classes,
                                     .path = path,
                                     .index = index};
    memset(index, 0, sizeof *index);
    enum mr_status status = split_index(&parser, bytes, n_bytes, err);
    if (status == MR_OK) {
        status = read_parts(&parser, err);
    }
    if (status == MR_OK) {
        status = parse_links(&parser, err);
    }
    if (status == MR_OK) {
        status = make_segments(&parser, err);
    }
    if (status == MR_OK) {
        status = mr_index_parse_degrees(&parser, err);
    }
    if (status == MR_OK) {
        status = mr_index_parse_names(&parser, err);
    }
    if (status != MR_OK) {
        mr_index_free(memory, index);
    }
    return status;
}
