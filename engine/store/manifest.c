/* SPDX-License-Identifier: Apache-2.0 */
/* The manifest and the names of a store's files. Writers serialize the manifest last; opening a
 * store parses it first. One table says where each figure is. Every field is checked, because the
 * file may be damaged or hostile. */
#include "engine/store/manifest.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include <xxhash.h>

#include "engine/base/bytes.h"

/* Bytes that are no figure; see docs/store-format.md, "Manifest". */
enum {
    AT_VERSION = 8,
    AT_ONE = 12,
    AT_FLAGS = 120,
    AT_ORDER_KIND = 260, /* ORDER_CORE_FIRST if there is an order; so the next three: */
    AT_ORDER_VERTICES = 280, /* n_vertices */
    AT_ORDER_GRAPH_ID = 288, /* graph_id */
    AT_ORDER_ONE = 296, /* 1 */
    AT_CHECKSUM = 504
};
enum { ORDER_CORE_FIRST = 2 }; /* 0: vertices are in the order of their names */
_Static_assert(AT_CHECKSUM + 8 == MR_MANIFEST_BYTES, "manifest layout");

#define FIELD(at, member) MR_FIELD(at, struct mr_store_info, member)
#define FLAG(bit, member) MR_FLAG(AT_FLAGS, bit, struct mr_store_info, member)
static const struct mr_field fields[] = {
    FIELD(16, graph_id),
    FIELD(24, n_vertices),
    FIELD(32, n_edges),
    FIELD(40, n_dangling),
    FIELD(48, n_self_loops),
    FIELD(56, max_out_degree),
    FIELD(64, max_in_degree),
    FIELD(72, band_bits),
    FIELD(76, stripe_bits),
    FIELD(80, n_bands),
    FIELD(84, zstd_level),
    FIELD(88, n_tiles),
    FIELD(96, keys_tiles),
    FIELD(104, keys_edges),
    FIELD(112, keys_bytes),
    FLAG(0, undirected),
    FLAG(1, duplicates_kept),
    FLAG(2, self_loops_dropped),
    FLAG(3, transposed),
    FLAG(4, has_weights),
    FLAG(5, is_weighted),
    FLAG(6, core_first),
    FLAG(7, has_digests),
    FIELD(124, name_kind),
    FIELD(128, name_key_number),
    FIELD(132, n_classes),
    FIELD(136, index_bytes),
    FIELD(144, links_bytes),
    FIELD(152, degrees_bytes),
    FIELD(160, names_bytes),
    FIELD(168, index_checksum),
    FIELD(176, corners.tiles),
    FIELD(184, corners.edges),
    FIELD(192, corners.bytes),
    FIELD(200, corners.parts),
    FIELD(208, corners.entries),
    FIELD(216, corners.rows),
    FIELD(224, weights_id),
    FIELD(232, weights.total),
    FIELD(240, weights.least),
    FIELD(244, weights.most),
    FIELD(248, weights.byte_edges),
    FIELD(256, class_rule),
    FIELD(264, order_id),
    FIELD(272, n_sources),
    FIELD(304, last_append),
    FIELD(312, n_facts),
    FIELD(320, facts_id),
    {.bytes = 0},
};
_Static_assert(sizeof(enum mr_name_kind) == 4 && sizeof(enum mr_class_rule) == 4,
               "enums have the size of their fields");

#define DAMAGED "; the store is damaged: build it again"

void mr_fields_put(const struct mr_field *field, const void *from, uint8_t *out)
{
    for (; field->bytes != 0; field++) {
        const uint8_t *member = (const uint8_t *)from + field->member;
        uint8_t *at = out + field->at;
        uint32_t low;
        uint64_t value;
        if (field->bytes == sizeof value) {
            memcpy(&value, member, sizeof value);
            mr_put_u64(at, value);
        } else if (field->bytes == sizeof low) {
            memcpy(&low, member, sizeof low);
            mr_put_u32(at, low);
        } else {
            mr_put_u32(at, mr_get_u32(at) | (uint32_t) * (const bool *)member << field->bit);
        }
    }
}

void mr_fields_get(const struct mr_field *field, const uint8_t *in, void *to)
{
    for (; field->bytes != 0; field++) {
        uint8_t *member = (uint8_t *)to + field->member;
        const uint8_t *at = in + field->at;
        if (field->bytes == sizeof(uint64_t)) {
            const uint64_t value = mr_get_u64(at);
            memcpy(member, &value, sizeof value);
        } else if (field->bytes == sizeof(uint32_t)) {
            const uint32_t value = mr_get_u32(at);
            memcpy(member, &value, sizeof value);
        } else {
            *(bool *)member = (mr_get_u32(at) >> field->bit & 1) != 0;
        }
    }
}

static uint64_t get_figure(const void *item, uint16_t member)
{
    uint64_t value;
    memcpy(&value, (const uint8_t *)item + member, sizeof value);
    return value;
}

static void set_figure(void *item, uint16_t member, uint64_t value)
{
    memcpy((uint8_t *)item + member, &value, sizeof value);
}

void mr_figures_state(const struct mr_field *figure, const void *from, struct mr_store_info *info)
{
    for (; figure->bytes != 0; figure++) {
        set_figure(info, figure->in_info, get_figure(from, figure->member));
    }
}

bool mr_figures_agree(const struct mr_field *figure, const void *from,
                      const struct mr_store_info *info)
{
    bool agree = true;
    for (; figure->bytes != 0; figure++) {
        agree &= get_figure(from, figure->member) == get_figure(info, figure->in_info);
    }
    return agree;
}

void mr_figures_add(const struct mr_field *figure, void *total, const void *part)
{
    for (; figure->bytes != 0; figure++) {
        const uint16_t member = figure->member;
        set_figure(total, member, get_figure(total, member) + get_figure(part, member));
    }
}

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

void mr_manifest_serialize(struct mr_store_info *info, uint8_t bytes[MR_MANIFEST_BYTES])
{
    const bool has_order = info->order_id != 0;
    memset(bytes, 0, MR_MANIFEST_BYTES);
    memcpy(bytes, MR_MANIFEST_MAGIC, 8);
    info->format_version = info->n_facts == 0 ? MR_FORMAT_WITHOUT_FACTS
                           : info->has_gone   ? MR_FORMAT_VERSION
                                              : MR_FORMAT_WITHOUT_GONE;
    mr_put_u32(bytes + AT_VERSION, info->format_version);
    mr_put_u32(bytes + AT_ONE, 1);
    mr_fields_put(fields, info, bytes);
    mr_put_u32(bytes + AT_ORDER_KIND, has_order ? ORDER_CORE_FIRST : 0);
    mr_put_u64(bytes + AT_ORDER_VERTICES, has_order ? info->n_vertices : 0);
    mr_put_u64(bytes + AT_ORDER_GRAPH_ID, has_order ? info->graph_id : 0);
    mr_put_u32(bytes + AT_ORDER_ONE, has_order);
    info->store_id = XXH3_64bits(bytes, AT_CHECKSUM);
    mr_put_u64(bytes + AT_CHECKSUM, info->store_id);
}

static bool weights_add_up(const struct mr_store_info *m)
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

/* A weighted set uses the store's order and fetch facts. */
static bool order_and_facts_add_up(const struct mr_store_info *m)
{
    const bool has_order = m->order_id != 0, has_facts = m->n_facts > 0;
    return m->n_sources <= m->n_vertices && m->n_facts <= m->n_vertices &&
           has_facts == (m->facts_id != 0) && (has_facts || !m->has_digests) &&
           !(has_order && m->n_vertices == 0) &&
           !(m->is_weighted && (has_order || has_facts || m->last_append != 0));
}

static bool figures_add_up(const struct mr_store_info *m)
{
    /* A reader must refuse what it does not know. */
    if ((m->n_classes != 1 && m->n_classes != MR_CLASSES_MAX) ||
        m->class_rule > MR_CLASSES_BY_DOMAIN ||
        (m->class_rule != MR_CLASSES_NONE && m->n_classes != MR_CLASSES_MAX) ||
        m->name_kind > MR_NAMES_TEXT ||
        (m->name_kind != MR_NAMES_TEXT && m->name_key_number != 0) ||
        (m->name_kind == MR_NAMES_IDENTITY && m->names_bytes != 0)) {
        return false;
    }
    if (m->band_bits < 8 || m->band_bits > 20 || m->stripe_bits < 8 || m->stripe_bits > 16 ||
        m->stripe_bits > m->band_bits || m->band_bits + m->stripe_bits > 32) {
        return false;
    }
    const uint64_t width = (uint64_t)1 << m->band_bits;
    return order_and_facts_add_up(m) && weights_add_up(m) && m->n_vertices <= UINT32_MAX &&
           m->n_edges <= UINT64_C(1) << 48 && m->n_bands == mr_div_up(m->n_vertices, width) &&
           m->n_dangling <= m->n_vertices && m->n_self_loops <= m->n_edges &&
           m->keys_edges <= m->n_edges && m->corners.edges == m->n_edges - m->keys_edges &&
           m->zstd_level >= 0 && m->zstd_level <= 22;
}

enum mr_status mr_manifest_parse(const uint8_t *bytes, uint64_t n_bytes, const char *path,
                                 struct mr_store_info *info, struct mr_error *err)
{
    memset(info, 0, sizeof *info);
    if (n_bytes < AT_ONE || memcmp(bytes, MR_MANIFEST_MAGIC, 8) != 0) {
        return mr_error_file(err, MR_ERROR_CORRUPT, path, 0,
                             "is not the manifest of a store, or damaged: build it again");
    }
    const uint32_t version = mr_get_u32(bytes + AT_VERSION);
    const bool is_read = version >= MR_FORMAT_WITHOUT_FACTS && version <= MR_FORMAT_VERSION;
    /* Another version may have another layout after these bytes. A damaged version number is rarely
     * small. */
    if (!is_read && version < 1000) {
        return mr_error_file(err, MR_ERROR_INPUT, path, 0,
                             "has format version %u, this program reads %u to %u; build the store "
                             "again",
                             version, MR_FORMAT_WITHOUT_FACTS, MR_FORMAT_VERSION);
    }
    if (!is_read || n_bytes != MR_MANIFEST_BYTES ||
        XXH3_64bits(bytes, AT_CHECKSUM) != mr_get_u64(bytes + AT_CHECKSUM)) {
        return mr_error_file(err, MR_ERROR_CORRUPT, path, 0, "checksum or size is wrong" DAMAGED);
    }
    mr_fields_get(fields, bytes, info);
    info->has_gone = version == MR_FORMAT_VERSION;
    /* The same figures give the same bytes: so flags and bytes that nobody knows are zero, and
     * what follows from figures is right. */
    uint8_t again[MR_MANIFEST_BYTES];
    mr_manifest_serialize(info, again);
    if (memcmp(bytes, again, sizeof again) != 0 || !figures_add_up(info)) {
        return mr_error_file(err, MR_ERROR_CORRUPT, path, 0, "figures do not add up" DAMAGED);
    }
    return MR_OK;
}
