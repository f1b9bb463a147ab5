/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing a store's index: figures, single entries, degrees and names, which index.c uses for the
 * whole index. The bytes may be hostile, so every number is checked against the file and the
 * manifest. */
#include "engine/store/index_internal.h"

#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"

/* ---- Fields ---- */

#define OF_LINKS(at, name) MR_FIGURE(at, struct mr_links_part, name, name)
const struct mr_field mr_links_fields[] = {
    MR_FIGURE(8, struct mr_links_part, file_bytes, links_bytes),
    OF_LINKS(24, n_blocks),
    OF_LINKS(32, n_edges),
    OF_LINKS(40, n_tiles),
    OF_LINKS(48, keys_tiles),
    OF_LINKS(56, keys_edges),
    OF_LINKS(64, keys_bytes),
    OF_LINKS(72, corners.tiles),
    OF_LINKS(80, corners.edges),
    OF_LINKS(88, corners.bytes),
    OF_LINKS(96, corners.parts),
    OF_LINKS(104, corners.entries),
    OF_LINKS(112, corners.rows),
    {.bytes = 0},
};
#define OF_DEGREES(at, name) MR_FIGURE(at, struct mr_degree_facts, name, name)
const struct mr_field mr_degree_fields[] = {
    OF_DEGREES(0, n_dangling),
    OF_DEGREES(8, n_self_loops),
    OF_DEGREES(16, max_out_degree),
    OF_DEGREES(24, max_in_degree),
    {.bytes = 0},
};
#define OF_BLOCK(at, name) MR_FIELD(at, struct mr_block_entry, name)
const struct mr_field mr_block_fields[] = {
    OF_BLOCK(0, offset), OF_BLOCK(8, stored_bytes), OF_BLOCK(12, raw_bytes),
    OF_BLOCK(16, first), OF_BLOCK(20, last),        OF_BLOCK(24, n_entries),
    {.bytes = 0},
};
#define OF_BAND(at, name) MR_FIELD(at, struct mr_band_entry, name)
const struct mr_field mr_band_fields[] = {
    OF_BAND(0, first_block), OF_BAND(8, first_diagonal),    OF_BAND(16, end_block),
    OF_BAND(24, n_edges),    OF_BAND(32, n_diagonal_edges), {.bytes = 0},
};
const struct mr_field mr_run_fields[] = {
    OF_BAND(0, first_in_block),
    OF_BAND(8, end_in_block),
    OF_BAND(16, first_out_block),
    OF_BAND(24, end_out_block),
    {.bytes = 0},
};

/* ---- Entries ---- */

enum mr_status mr_index_bad(const char *path, const char *what, struct mr_error *err)
{
    return mr_error_file(err, MR_ERROR_CORRUPT, path, 0, "%s" MR_INDEX_DAMAGED, what);
}

enum mr_status mr_index_bad_item(const struct mr_index_parser *parser, const char *what, uint64_t i,
                                 struct mr_error *err)
{
    return mr_error_file(err, MR_ERROR_CORRUPT, parser->path, 0,
                         "entry of %s %llu does not add up" MR_INDEX_DAMAGED, what,
                         (unsigned long long)i);
}

enum mr_status mr_index_allocate(const struct mr_index_parser *parser, uint64_t count,
                                 uint64_t item_bytes, void *out, struct mr_error *err)
{
    return mr_memory_alloc_array(parser->memory, "store index", count, item_bytes, out, err);
}

bool mr_index_get_block(const uint8_t *in, uint64_t offset, uint32_t align, uint64_t most_entries,
                        struct mr_block_entry *e)
{
    *e = (struct mr_block_entry){.position = 0};
    mr_fields_get(mr_block_fields, in, e);
    return e->offset == offset && e->stored_bytes > 0 && e->stored_bytes % align == 0 &&
           e->stored_bytes <= MR_BLOCK_MAX_BYTES && e->raw_bytes <= MR_BLOCK_RAW_MAX_BYTES &&
           e->first <= e->last && e->n_entries > 0 && e->n_entries <= most_entries;
}

void mr_index_append_block(struct mr_block_entry *list, uint64_t *count,
                           struct mr_block_entry entry)
{
    if (*count > 0) {
        entry.position = list[*count - 1].position + list[*count - 1].stored_bytes;
    }
    list[(*count)++] = entry;
}

/* ---- Degrees ---- */

/* Parses blocks [first, end) of degrees. They must start at `*next` and have the band's vertices,
 * each once, in order. If the set is the opened one (`seen`), adds the blocks to the list. */
static bool take_degrees(const struct mr_index_parser *parser, uint64_t b, bool seen,
                         uint64_t first, uint64_t end, uint64_t *next, uint64_t *end_bytes)
{
    struct mr_index *index = parser->index;
    const struct mr_store_info *m = parser->m;
    uint64_t vertex = b << m->band_bits;
    const uint64_t end_vertex =
        vertex + mr_min_u64(m->n_vertices - vertex, (uint64_t)1 << m->band_bits);
    if (first != *next || end < first || end > parser->count[MR_INDEX_DEGREES]) {
        return false;
    }
    for (uint64_t i = first; i < end; i++) {
        struct mr_block_entry entry;
        const uint8_t *in = parser->at[MR_INDEX_DEGREES] + i * MR_INDEX_BLOCK_BYTES;
        if (!mr_index_get_block(in, *end_bytes, MR_BLOCK_ALIGN, MR_BLOCK_RAW_MAX_BYTES, &entry) ||
            entry.first != vertex || (uint64_t)entry.last - entry.first + 1 != entry.n_entries) {
            return false;
        }
        vertex += entry.n_entries;
        *end_bytes += entry.stored_bytes;
        entry.number = (uint32_t)(i - first);
        if (seen) {
            mr_index_append_block(index->degree_blocks, &index->n_degree_blocks, entry);
        }
    }
    *next = end;
    return vertex == end_vertex;
}

/* Parses the in-degrees of all bands, for each band those of all sets; then the out-degrees in the
 * same way. */
enum mr_status mr_index_parse_degrees(struct mr_index_parser *parser, struct mr_error *err)
{
    struct mr_index *index = parser->index;
    const struct mr_store_info *m = parser->m;
    const uint64_t n_blocks = parser->count[MR_INDEX_DEGREES];
    const uint64_t n_sets = parser->count[MR_INDEX_SETS];
    uint64_t next = 0, end_bytes = 0, seen_set = 0;
    for (uint32_t c = 0; c < m->n_classes && n_sets > 1; c++) {
        seen_set = parser->classes == (uint32_t)1 << c ? 1 + c : seen_set;
    }
    const uint8_t *facts = parser->at[MR_INDEX_SETS] + seen_set * MR_INDEX_SET_BYTES;
    mr_fields_get(mr_degree_fields, facts, &index->facts);
    if (seen_set == 0 && !mr_figures_agree(mr_degree_fields, &index->facts, m)) {
        return mr_index_bad(parser->path, "facts of degrees do not add up", err);
    }
    enum mr_status status = mr_index_allocate(parser, n_blocks, sizeof *index->degree_blocks,
                                              &index->degree_blocks, err);
    for (unsigned out = 0; out < 2; out++) {
        for (uint64_t b = 0; b < m->n_bands && status == MR_OK; b++) {
            const uint64_t first_seen = index->n_degree_blocks;
            for (uint64_t set = 0; set < n_sets && status == MR_OK; set++) {
                const uint8_t *run = parser->at[MR_INDEX_RUNS] +
                                     (set * m->n_bands + b) * MR_INDEX_RUN_BYTES + 16u * out;
                if (!take_degrees(parser, b, set == seen_set, mr_get_u64(run), mr_get_u64(run + 8),
                                  &next, &end_bytes)) {
                    status = mr_index_bad_item(parser, "the degrees of band", b, err);
                }
            }
            if (status == MR_OK && out == 0) {
                index->bands[b].first_in_block = first_seen;
                index->bands[b].end_in_block = index->n_degree_blocks;
            } else if (status == MR_OK) {
                index->bands[b].first_out_block = first_seen;
                index->bands[b].end_out_block = index->n_degree_blocks;
            }
        }
    }
    if (status == MR_OK && (next != n_blocks || end_bytes != m->degrees_bytes)) {
        status = mr_index_bad(parser->path, "blocks do not fill a file", err);
    }
    if (index->n_degree_blocks > 0) {
        const struct mr_block_entry *last = &index->degree_blocks[index->n_degree_blocks - 1];
        index->degrees_bytes = last->position + last->stored_bytes;
    }
    return status;
}

/* ---- Names ---- */

/* Parses the file of names: its blocks fill it and have all vertices. */
static bool get_names_file(const struct mr_index_parser *parser, const uint8_t *in)
{
    struct mr_index *index = parser->index;
    const struct mr_store_info *m = parser->m;
    const uint64_t n_blocks = parser->count[MR_INDEX_NAMES];
    if (mr_get_u32(in) != 1 || mr_get_u32(in + 4) != (uint32_t)m->name_kind ||
        mr_get_u64(in + 8) != 0 || mr_get_u64(in + 16) != m->n_vertices ||
        mr_get_u64(in + 24) != m->names_bytes || mr_get_u64(in + 32) != m->graph_id ||
        mr_get_u64(in + 40) != n_blocks || mr_get_u64(in + 48) != index->names_bytes ||
        mr_get_u64(in + 56) != 0) {
        return false;
    }
    uint64_t end_bytes = 0, vertex = 0;
    for (uint64_t i = 0; i < n_blocks; i++) {
        struct mr_block_entry entry;
        const uint8_t *block =
            parser->at[MR_INDEX_NAMES] + index->n_name_blocks * MR_INDEX_BLOCK_BYTES;
        if (!mr_index_get_block(block, end_bytes, MR_NAME_ALIGN, MR_BLOCK_RAW_MAX_BYTES, &entry) ||
            entry.first != vertex || (uint64_t)entry.last - entry.first + 1 != entry.n_entries) {
            return false;
        }
        vertex += entry.n_entries;
        end_bytes += entry.stored_bytes;
        entry.number = (uint32_t)i;
        mr_index_append_block(index->name_blocks, &index->n_name_blocks, entry);
    }
    return end_bytes == m->names_bytes && vertex == m->n_vertices;
}

enum mr_status mr_index_parse_names(struct mr_index_parser *parser, struct mr_error *err)
{
    struct mr_index *index = parser->index;
    const uint64_t n_blocks = parser->count[MR_INDEX_NAMES];

    index->names_bytes = parser->count[MR_INDEX_NAME_BYTES];
    if (parser->m->name_kind == MR_NAMES_IDENTITY) {
        return n_blocks == 0 && index->names_bytes == 0
                   ? MR_OK
                   : mr_index_bad(parser->path, "names do not add up", err);
    }
    enum mr_status status =
        mr_index_allocate(parser, n_blocks, sizeof *index->name_blocks, &index->name_blocks, err);
    if (status == MR_OK && index->names_bytes > 0) {
        status =
            mr_memory_array(parser->memory, "name index", index->names_bytes, &index->names, err);
        if (status == MR_OK) {
            memcpy(index->names, parser->at[MR_INDEX_NAME_BYTES], index->names_bytes);
        }
    }
    if (status == MR_OK && !get_names_file(parser, parser->at[MR_INDEX_NAME_PARTS])) {
        status = mr_index_bad(parser->path, "names do not add up", err);
    }
    return status;
}
