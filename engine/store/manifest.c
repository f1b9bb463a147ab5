/* SPDX-License-Identifier: Apache-2.0 */
/* The manifest and the names of a store's files. Writers serialize the manifest last; opening a
 * store parses it first. Every field is checked, because the file may be damaged or hostile. */
#include "engine/store/manifest.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include <xxhash.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/store/block.h"

/* Byte offsets; see docs/store-format.md, "Manifest". All other bytes are zero. */
enum {
    AT_MAGIC = 0,
    AT_VERSION = 8,
    AT_GENERATION = 12, /* 1 */
    AT_GRAPH_ID = 16,
    AT_N_VERTICES = 24,
    AT_N_EDGES = 32,
    AT_N_DANGLING = 40,
    AT_N_SELF_LOOPS = 48,
    AT_MAX_OUT_DEGREE = 56,
    AT_MAX_IN_DEGREE = 64,
    AT_BAND_BITS = 72,
    AT_STRIPE_BITS = 76,
    AT_N_BANDS = 80,
    AT_ZSTD_LEVEL = 84,
    AT_N_TILES = 88,
    AT_KEYS_TILES = 96,
    AT_KEYS_EDGES = 104,
    AT_KEYS_BYTES = 112,
    AT_FLAGS = 120,
    AT_NAME_KIND = 124,
    AT_NAME_KEY = 128,
    AT_N_CLASSES = 132,
    AT_FILE_BYTES = 136, /* u64 each: index, links, degrees, names */
    AT_INDEX_CHECKSUM = 168,
    AT_CORNERS_TILES = 176,
    AT_CORNERS_EDGES = 184,
    AT_CORNERS_BYTES = 192,
    AT_CORNERS_PARTS = 200,
    AT_CORNERS_ENTRIES = 208,
    AT_CORNERS_ROWS = 216,
    AT_WEIGHTS_ID = 224,
    AT_WEIGHTS_TOTAL = 232,
    AT_WEIGHTS_LEAST = 240, /* f32 */
    AT_WEIGHTS_MOST = 244, /* f32 */
    AT_WEIGHTS_BYTE_EDGES = 248,
    AT_CLASS_RULE = 256,
    AT_ORDER_KIND = 260,
    AT_ORDER_ID = 264,
    AT_N_SOURCES = 272,
    AT_N_POSITIONS = 280, /* n_vertices if there is an order, else 0 */
    AT_ORDER_GRAPH_ID = 288, /* the graph id if there is an order, else 0 */
    AT_ORDER_GENERATION = 296, /* 1 if there is an order, else 0 */
    AT_RESERVED = 300,
    AT_LAST_APPEND = 304,
    AT_N_FACTS = 312,
    AT_FACTS_ID = 320,
    AT_RESERVED_2 = 328,
    AT_CHECKSUM = 504
};
_Static_assert(AT_FILE_BYTES + 8 * MR_N_DATA_FILES == AT_INDEX_CHECKSUM, "manifest layout");
_Static_assert(AT_CHECKSUM + 8 == MR_MANIFEST_BYTES, "manifest layout");

enum {
    FLAG_UNDIRECTED = 1,
    FLAG_DUPLICATES = 2,
    FLAG_NO_LOOPS = 4,
    FLAG_TRANSPOSED = 8,
    FLAG_HAS_WEIGHTS = 16,
    FLAG_IS_WEIGHTED = 32,
    FLAG_CORE_FIRST = 64,
    FLAG_DIGESTS = 128,
    FLAGS_KNOWN = 255
};

#define DAMAGED "; the store is damaged: build it again"

enum mr_status mr_store_file_path(const char *directory, bool is_weighted, enum mr_store_file which,
                                  char *path, size_t path_bytes, struct mr_error *err)
{
    static const char *const names[MR_N_FILES] = {MR_INDEX_NAME, MR_LINKS_NAME,    MR_DEGREES_NAME,
                                                  MR_NAMES_NAME, MR_MANIFEST_NAME, MR_ORDER_NAME,
                                                  MR_FACTS_NAME, MR_INTERNAL_NAME};
    const int length = snprintf(path, path_bytes, "%s/%s%s", directory,
                                is_weighted ? MR_WEIGHTS_PREFIX : "", names[which]);
    if (length < 0 || (size_t)length >= path_bytes) {
        return mr_error_file(err, MR_ERROR_USAGE, directory, 0, "path is too long");
    }
    return MR_OK;
}

void mr_manifest_serialize(struct mr_manifest *manifest, uint8_t bytes[MR_MANIFEST_BYTES])
{
    memset(bytes, 0, MR_MANIFEST_BYTES);
    memcpy(bytes + AT_MAGIC, MR_MANIFEST_MAGIC, 8);
    manifest->format_version = manifest->n_facts == 0 ? MR_FORMAT_WITHOUT_FACTS
                               : manifest->has_gone   ? MR_FORMAT_VERSION
                                                      : MR_FORMAT_WITHOUT_GONE;
    mr_put_u32(bytes + AT_VERSION, manifest->format_version);
    mr_put_u32(bytes + AT_GENERATION, 1);
    mr_put_u64(bytes + AT_GRAPH_ID, manifest->graph_id);
    mr_put_u64(bytes + AT_N_VERTICES, manifest->n_vertices);
    mr_put_u64(bytes + AT_N_EDGES, manifest->n_edges);
    mr_put_u64(bytes + AT_N_DANGLING, manifest->n_dangling);
    mr_put_u64(bytes + AT_N_SELF_LOOPS, manifest->n_self_loops);
    mr_put_u64(bytes + AT_MAX_OUT_DEGREE, manifest->max_out_degree);
    mr_put_u64(bytes + AT_MAX_IN_DEGREE, manifest->max_in_degree);
    mr_put_u32(bytes + AT_BAND_BITS, manifest->band_bits);
    mr_put_u32(bytes + AT_STRIPE_BITS, manifest->stripe_bits);
    mr_put_u32(bytes + AT_N_BANDS, manifest->n_bands);
    mr_put_u32(bytes + AT_ZSTD_LEVEL, (uint32_t)manifest->zstd_level);
    mr_put_u64(bytes + AT_N_TILES, manifest->n_tiles);
    mr_put_u64(bytes + AT_KEYS_TILES, manifest->keys_tiles);
    mr_put_u64(bytes + AT_KEYS_EDGES, manifest->keys_edges);
    mr_put_u64(bytes + AT_KEYS_BYTES, manifest->keys_bytes);
    mr_put_u64(bytes + AT_CORNERS_TILES, manifest->corners.tiles);
    mr_put_u64(bytes + AT_CORNERS_EDGES, manifest->corners.edges);
    mr_put_u64(bytes + AT_CORNERS_BYTES, manifest->corners.bytes);
    mr_put_u64(bytes + AT_CORNERS_PARTS, manifest->corners.parts);
    mr_put_u64(bytes + AT_CORNERS_ENTRIES, manifest->corners.entries);
    mr_put_u64(bytes + AT_CORNERS_ROWS, manifest->corners.rows);
    uint32_t flags = (manifest->undirected ? FLAG_UNDIRECTED : 0) |
                     (manifest->duplicates_kept ? FLAG_DUPLICATES : 0) |
                     (manifest->self_loops_dropped ? FLAG_NO_LOOPS : 0) |
                     (manifest->transposed ? FLAG_TRANSPOSED : 0) |
                     (manifest->has_weights ? FLAG_HAS_WEIGHTS : 0) |
                     (manifest->is_weighted ? FLAG_IS_WEIGHTED : 0) |
                     (manifest->core_first ? FLAG_CORE_FIRST : 0) |
                     (manifest->has_digests ? FLAG_DIGESTS : 0);
    mr_put_u32(bytes + AT_FLAGS, flags);
    mr_put_u64(bytes + AT_WEIGHTS_ID, manifest->weights_id);
    mr_put_f64(bytes + AT_WEIGHTS_TOTAL, manifest->weights.total);
    mr_put_f32(bytes + AT_WEIGHTS_LEAST, manifest->weights.least);
    mr_put_f32(bytes + AT_WEIGHTS_MOST, manifest->weights.most);
    mr_put_u64(bytes + AT_WEIGHTS_BYTE_EDGES, manifest->weights.byte_edges);
    mr_put_u32(bytes + AT_NAME_KIND, (uint32_t)manifest->name_kind);
    mr_put_u32(bytes + AT_NAME_KEY, manifest->name_key_number);
    mr_put_u32(bytes + AT_N_CLASSES, manifest->n_classes);
    mr_put_u32(bytes + AT_CLASS_RULE, (uint32_t)manifest->class_rule);
    mr_put_u64(bytes + AT_ORDER_ID, manifest->order_id);
    mr_put_u32(bytes + AT_ORDER_KIND, (uint32_t)manifest->order_kind);
    mr_put_u64(bytes + AT_N_SOURCES, manifest->n_sources);
    const bool has_order = manifest->order_id != 0;
    mr_put_u64(bytes + AT_N_POSITIONS, has_order ? manifest->n_vertices : 0);
    mr_put_u64(bytes + AT_ORDER_GRAPH_ID, has_order ? manifest->graph_id : 0);
    mr_put_u32(bytes + AT_ORDER_GENERATION, has_order);
    mr_put_u64(bytes + AT_LAST_APPEND, manifest->last_append);
    mr_put_u64(bytes + AT_N_FACTS, manifest->n_facts);
    mr_put_u64(bytes + AT_FACTS_ID, manifest->facts_id);
    for (unsigned i = 0; i < MR_N_DATA_FILES; i++) {
        mr_put_u64(bytes + AT_FILE_BYTES + 8 * i, manifest->file_bytes[i]);
    }
    mr_put_u64(bytes + AT_INDEX_CHECKSUM, manifest->index_checksum);
    manifest->store_id = XXH3_64bits(bytes, AT_CHECKSUM);
    mr_put_u64(bytes + AT_CHECKSUM, manifest->store_id);
}

static bool weights_add_up(const struct mr_manifest *m)
{
    const struct mr_weights_figures *w = &m->weights;
    if (!m->is_weighted) {
        return w->total == 0 && w->least == 0 && w->most == 0 && w->byte_edges == 0 &&
               (m->has_weights || m->weights_id == 0);
    }
    return !m->has_weights && m->weights_id == 0 && m->corners.edges == 0 &&
           m->name_kind == MR_NAMES_IDENTITY && w->byte_edges <= m->n_edges &&
           w->least <= w->most && w->most <= w->total && w->total <= DBL_MAX &&
           (m->n_edges == 0 ? w->total == 0 && w->least == 0 : w->least > 0);
}

/* A weighted set uses the store's order. */
static bool order_adds_up(const struct mr_manifest *m, const uint8_t *bytes)
{
    const bool has_order = m->order_id != 0;
    return !(mr_get_u64(bytes + AT_ORDER_GRAPH_ID) != (has_order ? m->graph_id : 0) ||
             mr_get_u64(bytes + AT_N_POSITIONS) != (has_order ? m->n_vertices : 0) ||
             mr_get_u32(bytes + AT_ORDER_GENERATION) != has_order ||
             m->order_kind > MR_ORDER_CORE_FIRST || m->n_sources > m->n_vertices ||
             has_order != (m->order_kind != MR_ORDER_BY_NAME) ||
             (has_order && (m->is_weighted || m->n_vertices == 0)));
}

static bool facts_add_up(const struct mr_manifest *m)
{
    const bool has_some = m->format_version != MR_FORMAT_WITHOUT_FACTS;
    return m->n_facts <= m->n_vertices && has_some == (m->n_facts > 0) &&
           has_some == (m->facts_id != 0) && !(has_some && m->is_weighted) &&
           (has_some || !m->has_digests);
}

static bool manifest_adds_up(const struct mr_manifest *m, const uint8_t *bytes)
{
    for (unsigned i = AT_RESERVED; i < AT_CHECKSUM; i++) {
        if (bytes[i] != 0 && (i < AT_LAST_APPEND || i >= AT_RESERVED_2)) {
            return false;
        }
    }
    if (!order_adds_up(m, bytes) || !facts_add_up(m)) {
        return false;
    }
    /* A reader must refuse what it does not know. */
    if (mr_get_u32(bytes + AT_GENERATION) != 1 || mr_get_u32(bytes + AT_FLAGS) > FLAGS_KNOWN ||
        (m->n_classes != 1 && m->n_classes != MR_CLASSES_MAX) ||
        m->class_rule > MR_CLASSES_BY_DOMAIN ||
        (m->class_rule != MR_CLASSES_NONE && m->n_classes != MR_CLASSES_MAX)) {
        return false;
    }
    if (m->name_kind > MR_NAMES_TEXT ||
        (m->name_kind != MR_NAMES_TEXT && m->name_key_number != 0) ||
        (m->name_kind == MR_NAMES_IDENTITY && m->file_bytes[MR_FILE_NAMES] != 0)) {
        return false;
    }
    if (m->band_bits < 8 || m->band_bits > 20 || m->stripe_bits < 8 || m->stripe_bits > 16 ||
        m->stripe_bits > m->band_bits || m->band_bits + m->stripe_bits > 32) {
        return false;
    }
    if (!weights_add_up(m) || (m->is_weighted && m->last_append != 0)) {
        return false;
    }
    uint64_t width = (uint64_t)1 << m->band_bits;
    return m->n_vertices <= UINT32_MAX && m->n_edges <= UINT64_C(1) << 48 &&
           m->n_bands == mr_div_up(m->n_vertices, width) && m->n_dangling <= m->n_vertices &&
           m->n_self_loops <= m->n_edges && m->keys_edges <= m->n_edges &&
           m->corners.edges == m->n_edges - m->keys_edges && m->zstd_level >= 0 &&
           m->zstd_level <= 22;
}

static void take_order_and_facts(struct mr_manifest *m, const uint8_t *bytes)
{
    m->order_id = mr_get_u64(bytes + AT_ORDER_ID);
    m->order_kind = mr_get_u32(bytes + AT_ORDER_KIND);
    m->n_sources = mr_get_u64(bytes + AT_N_SOURCES);
    m->last_append = mr_get_u64(bytes + AT_LAST_APPEND);
    m->n_facts = mr_get_u64(bytes + AT_N_FACTS);
    m->facts_id = mr_get_u64(bytes + AT_FACTS_ID);
}

enum mr_status mr_manifest_parse(const uint8_t *bytes, uint64_t n_bytes, const char *path,
                                 struct mr_manifest *m, struct mr_error *err)
{
    memset(m, 0, sizeof *m);
    if (n_bytes < AT_GENERATION || memcmp(bytes, MR_MANIFEST_MAGIC, 8) != 0) {
        return mr_error_file(err, MR_ERROR_CORRUPT, path, 0,
                             "is not the manifest of a store, or damaged: build it again");
    }
    m->format_version = mr_get_u32(bytes + AT_VERSION);
    const bool is_read =
        m->format_version >= MR_FORMAT_WITHOUT_FACTS && m->format_version <= MR_FORMAT_VERSION;
    /* Another version may have another layout after these bytes. A damaged version number is rarely
     * small. */
    if (!is_read && m->format_version < 1000) {
        return mr_error_file(err, MR_ERROR_INPUT, path, 0,
                             "has format version %u, this program reads %u to %u; build the store "
                             "again",
                             m->format_version, MR_FORMAT_WITHOUT_FACTS, MR_FORMAT_VERSION);
    }
    if (!is_read || n_bytes != MR_MANIFEST_BYTES ||
        XXH3_64bits(bytes, AT_CHECKSUM) != mr_get_u64(bytes + AT_CHECKSUM)) {
        return mr_error_file(err, MR_ERROR_CORRUPT, path, 0, "checksum or size is wrong" DAMAGED);
    }
    m->graph_id = mr_get_u64(bytes + AT_GRAPH_ID);
    m->n_vertices = mr_get_u64(bytes + AT_N_VERTICES);
    m->n_edges = mr_get_u64(bytes + AT_N_EDGES);
    m->n_dangling = mr_get_u64(bytes + AT_N_DANGLING);
    m->n_self_loops = mr_get_u64(bytes + AT_N_SELF_LOOPS);
    m->max_out_degree = mr_get_u64(bytes + AT_MAX_OUT_DEGREE);
    m->max_in_degree = mr_get_u64(bytes + AT_MAX_IN_DEGREE);
    m->band_bits = mr_get_u32(bytes + AT_BAND_BITS);
    m->stripe_bits = mr_get_u32(bytes + AT_STRIPE_BITS);
    m->n_bands = mr_get_u32(bytes + AT_N_BANDS);
    m->zstd_level = (int)mr_get_u32(bytes + AT_ZSTD_LEVEL);
    m->n_tiles = mr_get_u64(bytes + AT_N_TILES);
    m->keys_tiles = mr_get_u64(bytes + AT_KEYS_TILES);
    m->keys_edges = mr_get_u64(bytes + AT_KEYS_EDGES);
    m->keys_bytes = mr_get_u64(bytes + AT_KEYS_BYTES);
    m->corners = (struct mr_corners_figures){
        .tiles = mr_get_u64(bytes + AT_CORNERS_TILES),
        .edges = mr_get_u64(bytes + AT_CORNERS_EDGES),
        .bytes = mr_get_u64(bytes + AT_CORNERS_BYTES),
        .parts = mr_get_u64(bytes + AT_CORNERS_PARTS),
        .entries = mr_get_u64(bytes + AT_CORNERS_ENTRIES),
        .rows = mr_get_u64(bytes + AT_CORNERS_ROWS),
    };
    uint32_t flags = mr_get_u32(bytes + AT_FLAGS);
    m->undirected = (flags & FLAG_UNDIRECTED) != 0;
    m->duplicates_kept = (flags & FLAG_DUPLICATES) != 0;
    m->self_loops_dropped = (flags & FLAG_NO_LOOPS) != 0;
    m->transposed = (flags & FLAG_TRANSPOSED) != 0;
    m->has_weights = (flags & FLAG_HAS_WEIGHTS) != 0;
    m->is_weighted = (flags & FLAG_IS_WEIGHTED) != 0;
    m->weights_id = mr_get_u64(bytes + AT_WEIGHTS_ID);
    m->weights = (struct mr_weights_figures){
        .total = mr_get_f64(bytes + AT_WEIGHTS_TOTAL),
        .least = mr_get_f32(bytes + AT_WEIGHTS_LEAST),
        .most = mr_get_f32(bytes + AT_WEIGHTS_MOST),
        .byte_edges = mr_get_u64(bytes + AT_WEIGHTS_BYTE_EDGES),
    };
    m->name_kind = mr_get_u32(bytes + AT_NAME_KIND);
    m->name_key_number = mr_get_u32(bytes + AT_NAME_KEY);
    m->n_classes = mr_get_u32(bytes + AT_N_CLASSES);
    m->class_rule = mr_get_u32(bytes + AT_CLASS_RULE);
    m->core_first = (flags & FLAG_CORE_FIRST) != 0;
    m->has_digests = (flags & FLAG_DIGESTS) != 0;
    m->has_gone = m->format_version == MR_FORMAT_VERSION;
    take_order_and_facts(m, bytes);
    for (unsigned i = 0; i < MR_N_DATA_FILES; i++) {
        m->file_bytes[i] = mr_get_u64(bytes + AT_FILE_BYTES + 8 * i);
    }
    m->index_checksum = mr_get_u64(bytes + AT_INDEX_CHECKSUM);
    m->store_id = mr_get_u64(bytes + AT_CHECKSUM);
    if (!manifest_adds_up(m, bytes)) {
        return mr_error_file(err, MR_ERROR_CORRUPT, path, 0, "figures do not add up" DAMAGED);
    }
    return MR_OK;
}
