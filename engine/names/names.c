/* SPDX-License-Identifier: Apache-2.0 */
/* Finds vertices by name and names by vertex. A lookup searches the index in memory for a block,
 * then decodes that block up to the name. The latest block stays in memory, so a lookup in the same
 * block reads nothing from disk. */
#include "engine/names/names.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/decimal.h"
#include "engine/base/memory.h"
#include "engine/names/name_block.h"
#include "engine/store/core_map.h"
#include "engine/store/index.h"

#define DECIMAL_BYTES 20u /* digits of the largest 64-bit number */

struct mr_names {
    const struct mr_context *context;
    struct mr_store *store;
    mr_name_key key;
    struct mr_name_index index; /* of the names */
    struct mr_core_map core; /* without words: each vertex is its position */
    struct mr_name_scan scan; /* its loaded block serves as the cache */
    mr_name_canonical canonical; /* or NULL */
    uint64_t canonical_data[MR_NAME_CANONICAL_MAX_BYTES / sizeof(uint64_t)]; /* aligned for any */
    char *keys; /* for text with a key: [2][MR_NAME_KEY_MAX_BYTES], [2][MR_NAME_MAX_BYTES] */
    char decimal[DECIMAL_BYTES];
};

struct mr_name_cursor {
    const struct mr_core_map *core; /* of the names */
    uint64_t position; /* the next position */
    uint32_t vertex; /* vertex of the latest name */
    struct mr_name_scan scan;
    char decimal[DECIMAL_BYTES];
};

enum mr_status mr_names_open(const struct mr_context *context, struct mr_store *store,
                             mr_name_key key, struct mr_names **out, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    struct mr_names *names = calloc(1, sizeof *names);
    enum mr_status status = MR_OK;

    *out = NULL;
    if (names == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for names");
    }
    names->context = context;
    names->store = store;
    names->key = key;
    if (info->order_id != 0) {
        status = mr_core_map_load(context, store, &names->core, err);
    }
    if (status == MR_OK) {
        status = mr_name_scan_open(context, store, &names->scan, err);
    }
    if (status == MR_OK && info->name_kind != MR_NAMES_IDENTITY) {
        const struct mr_index *index = mr_store_index(store);
        status =
            mr_name_index_open(&names->index, info->name_kind, index->names, index->names_bytes,
                               index->n_name_blocks, mr_store_path(store), names->scan.name, err);
    }
    if (status == MR_OK && info->name_kind == MR_NAMES_TEXT && key != NULL) {
        status = mr_memory_array(context->memory, "keys of names",
                                 2 * (uint64_t)MR_NAME_KEY_MAX_BYTES + 2 * MR_NAME_MAX_BYTES,
                                 &names->keys, err);
    }
    if (status != MR_OK) {
        mr_names_close(names);
        return status;
    }
    *out = names;
    return MR_OK;
}

void mr_names_close(struct mr_names *names)
{
    if (names == NULL) {
        return;
    }
    mr_memory_free(names->context->memory, names->keys);
    mr_core_map_free(names->context->memory, &names->core);
    mr_name_scan_close(&names->scan);
    free(names);
}

void mr_names_set_canonical(struct mr_names *names, mr_name_canonical canonical, const void *data,
                            size_t data_bytes)
{
    assert(data_bytes <= sizeof names->canonical_data);
    names->canonical = canonical;
    memcpy(names->canonical_data, data, data_bytes);
}

const char *mr_name_next_spelling(const char **at, size_t *bytes, size_t *spelling_bytes)
{
    if (*bytes == 0) {
        return NULL;
    }
    const char *spelling = *at + 1;
    const char *end = memchr(spelling, '\n', *bytes - 1);
    *spelling_bytes = end != NULL ? (size_t)(end - spelling) : *bytes - 1;
    *at = spelling + *spelling_bytes;
    *bytes -= 1 + *spelling_bytes;
    return spelling;
}

/* Write the digits of a number. Returns the first one. */
static const char *render(uint64_t number, char decimal[DECIMAL_BYTES], size_t *bytes)
{
    *bytes = (size_t)(mr_decimal_put(decimal, number) - decimal);
    return decimal;
}

static enum mr_status find_number(struct mr_names *names, uint64_t number, uint32_t *position,
                                  bool *found, struct mr_error *err)
{
    struct mr_name_scan *scan = &names->scan;
    const struct mr_name_index *index = &names->index;
    /* finds the last block whose first number is <= number */
    uint64_t low = 0, high = index->n_blocks;
    enum mr_status status;

    MR_FIND_FIRST(low, high, middle, mr_name_index_number(index, middle) <= number);
    if (low == 0) {
        return MR_OK;
    }
    status = mr_name_scan_load(scan, low - 1, err);
    while (status == MR_OK && mr_name_scan_has_next(scan)) {
        status = mr_name_scan_next(scan, err);
        if (status == MR_OK && scan->number >= number) {
            *found = scan->number == number;
            *position = (uint32_t)(scan->vertex - 1);
            break;
        }
    }
    return status;
}

/* Find the last block whose first name has a key not above that of `name`. Returns false if there
 * is none. */
static bool find_block(struct mr_names *names, const char *name, size_t name_bytes, uint64_t *block)
{
    const struct mr_name_index *index = &names->index;
    char *key = names->keys, *first_key = key + MR_NAME_KEY_MAX_BYTES;
    /* not the scan's buffer: the scan may be in the middle of a block */
    char *first = first_key + MR_NAME_KEY_MAX_BYTES;
    size_t key_bytes = names->key(name, name_bytes, key);
    uint64_t low = 0, high = index->n_blocks;

    while (high > low) {
        uint64_t middle = low + (high - low) / 2;
        size_t first_bytes = mr_name_bytes_of(names->scan.has_spellings, first,
                                              mr_name_index_text(index, middle, first));
        size_t first_key_bytes = names->key(first, first_bytes, first_key);

        if (mr_compare_bytes(first_key, first_key_bytes, key, key_bytes) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *block = low - 1;
    return low > 0;
}

/* Is the text the number of a page? 007 may be a code that is another page than 7. */
static bool is_number(const char *text, size_t bytes, uint64_t *number)
{
    return mr_decimal_whole(text, text + bytes, number) && (*text != '0' || bytes == 1);
}

bool mr_names_form(const struct mr_names *names, const char **name, size_t *name_bytes,
                   char room[MR_NAME_MAX_BYTES])
{
    char decimal[DECIMAL_BYTES];
    uint64_t number;

    if (names->scan.kind != MR_NAMES_TEXT) {
        if (!is_number(*name, *name_bytes, &number)) {
            return false;
        }
        const char *text = render(number, decimal, name_bytes);
        *name = memcpy(room, text, *name_bytes);
        return true;
    }
    if (*name_bytes == 0 || *name_bytes > MR_NAME_MAX_BYTES) {
        return false;
    }
    if (names->canonical != NULL) {
        *name_bytes = names->canonical(names->canonical_data, *name, *name_bytes, room);
        *name = room;
    }
    return true;
}

uint64_t mr_names_walk_length(const struct mr_names *names)
{
    return names->scan.kind == MR_NAMES_IDENTITY ? UINT64_MAX : names->scan.n_vertices;
}

bool mr_names_are_numbers(const struct mr_names *names)
{
    return names->scan.kind != MR_NAMES_TEXT;
}

/* Keys are injective, so equal names have equal keys. Inside the block only names are compared. */
static enum mr_status find_key(struct mr_names *names, const char *name, size_t name_bytes,
                               uint32_t *position, bool *found, struct mr_error *err)
{
    struct mr_name_scan *scan = &names->scan;
    uint64_t block = 0;
    enum mr_status status;

    if (!find_block(names, name, name_bytes, &block)) {
        return MR_OK;
    }
    status = mr_name_scan_load(scan, block, err);
    while (status == MR_OK && !*found && mr_name_scan_has_next(scan)) {
        status = mr_name_scan_next(scan, err);
        if (status == MR_OK && scan->name_bytes >= name_bytes &&
            memcmp(scan->name, name, name_bytes) == 0 &&
            (scan->name_bytes == name_bytes ||
             (scan->has_spellings && scan->name[name_bytes] == '\n'))) {
            *found = true;
            *position = (uint32_t)(scan->vertex - 1);
        }
    }
    return status;
}

static enum mr_status find_text(struct mr_names *names, const char *name, size_t name_bytes,
                                uint32_t *position, bool *found, struct mr_error *err)
{
    if (names->key == NULL) {
        return mr_error_file(
            err, MR_ERROR_INPUT, mr_store_path(names->store), 0,
            "its names are in an order that this program does not know; use a newer "
            "millrace");
    }
    if (!mr_names_form(names, &name, &name_bytes,
                       names->keys + 2 * MR_NAME_KEY_MAX_BYTES + MR_NAME_MAX_BYTES)) {
        return MR_OK;
    }
    return find_key(names, name, name_bytes, position, found, err);
}

static enum mr_status find_position(struct mr_names *names, const char *name, size_t name_bytes,
                                    uint32_t *position, bool *found, struct mr_error *err)
{
    uint64_t number = 0;

    if (names->scan.kind == MR_NAMES_TEXT) {
        return find_text(names, name, name_bytes, position, found, err);
    }
    if (!is_number(name, name_bytes, &number)) {
        return MR_OK;
    }
    if (names->scan.kind == MR_NAMES_NUMBERS) {
        return find_number(names, number, position, found, err);
    }
    if (number < names->scan.n_vertices) {
        *found = true;
        *position = (uint32_t)number;
    }
    return MR_OK;
}

enum mr_status mr_names_find(struct mr_names *names, const char *name, size_t name_bytes,
                             uint32_t *vertex, bool *found, struct mr_error *err)
{
    uint32_t position = 0;

    *found = false;
    const enum mr_status status = find_position(names, name, name_bytes, &position, found, err);
    return status == MR_OK && *found ? mr_names_vertex(names, position, vertex, err) : status;
}

static uint32_t vertex_at(const struct mr_core_map *core, uint64_t position)
{
    return core->words == NULL ? (uint32_t)position : mr_core_map_vertex(core, (uint32_t)position);
}

const struct mr_store *mr_names_store(const struct mr_names *names)
{
    return names->store;
}

bool mr_names_are_ordered(const struct mr_names *names)
{
    return names->core.words != NULL;
}

enum mr_status mr_names_position(struct mr_names *names, uint32_t vertex, uint32_t *position,
                                 struct mr_error *err)
{
    (void)err;
    *position = names->core.words == NULL ? vertex : mr_core_map_position(&names->core, vertex);
    return MR_OK;
}

enum mr_status mr_names_vertex(struct mr_names *names, uint32_t position, uint32_t *vertex,
                               struct mr_error *err)
{
    (void)err;
    *vertex = vertex_at(&names->core, position);
    return MR_OK;
}

/* The name of the scan. */
static const char *latest(const struct mr_name_scan *scan, char decimal[DECIMAL_BYTES],
                          size_t *name_bytes)
{
    if (scan->kind != MR_NAMES_TEXT) {
        return render(scan->number, decimal, name_bytes);
    }
    *name_bytes = mr_name_scan_bytes(scan);
    return scan->name;
}

/* The spellings of that name. */
static const char *spellings(const struct mr_name_scan *scan, size_t *bytes)
{
    const size_t name_bytes = scan->has_spellings ? mr_name_scan_bytes(scan) : 0;
    *bytes = scan->has_spellings ? scan->name_bytes - name_bytes : 0;
    return scan->has_spellings ? scan->name + name_bytes : NULL;
}

const char *mr_names_spellings(const struct mr_names *names, size_t *bytes)
{
    return spellings(&names->scan, bytes);
}

const char *mr_name_cursor_spellings(const struct mr_name_cursor *cursor, size_t *bytes)
{
    return spellings(&cursor->scan, bytes);
}

enum mr_status mr_names_get(struct mr_names *names, uint32_t vertex, const char **name,
                            size_t *name_bytes, struct mr_error *err)
{
    uint32_t position = 0;

    if (vertex >= names->scan.n_vertices) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "vertex %" PRIu32 " is not among the %" PRIu64 " of %s", vertex,
                            names->scan.n_vertices, mr_store_path(names->store));
    }
    enum mr_status status = mr_names_position(names, vertex, &position, err);
    if (status == MR_OK) {
        status = mr_name_scan_to(&names->scan, position, err);
    }
    if (status == MR_OK) {
        *name = latest(&names->scan, names->decimal, name_bytes);
    }
    return status;
}

enum mr_status mr_name_cursor_open(struct mr_names *names, uint32_t first,
                                   struct mr_name_cursor **out, struct mr_error *err)
{
    struct mr_name_cursor *cursor = calloc(1, sizeof *cursor);

    *out = NULL;
    if (cursor == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a cursor of names");
    }
    cursor->position = first;
    cursor->core = &names->core;
    const enum mr_status status =
        mr_name_scan_open(names->context, names->store, &cursor->scan, err);
    if (status != MR_OK) {
        mr_name_cursor_close(cursor);
        return status;
    }
    *out = cursor;
    return MR_OK;
}

enum mr_status mr_name_cursor_next(struct mr_name_cursor *cursor, const char **name,
                                   size_t *name_bytes, struct mr_error *err)
{
    *name = NULL;
    *name_bytes = 0;
    if (cursor->position >= cursor->scan.n_vertices) {
        return MR_OK;
    }
    cursor->vertex = vertex_at(cursor->core, cursor->position);
    const enum mr_status status = mr_name_scan_to(&cursor->scan, (uint32_t)cursor->position, err);
    if (status == MR_OK) {
        *name = latest(&cursor->scan, cursor->decimal, name_bytes);
        cursor->position++;
    }
    return status;
}

void mr_name_cursor_seek(struct mr_name_cursor *cursor, uint64_t position)
{
    cursor->position = position;
}

uint32_t mr_name_cursor_vertex(const struct mr_name_cursor *cursor)
{
    return cursor->vertex;
}

void mr_name_cursor_close(struct mr_name_cursor *cursor)
{
    if (cursor != NULL) {
        mr_name_scan_close(&cursor->scan);
        free(cursor);
    }
}
