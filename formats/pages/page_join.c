/* SPDX-License-Identifier: Apache-2.0 */
/* Names wait in a batch with their hashes, which lead from a name of the store to the lines that
 * have it. Lists of pages and scores that are not in the order of the names come here. A walk over
 * all names takes 0.1 us a name and a lookup 40 us, so few names are looked up one by one. */
#include "formats/pages/page_names.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash_set.h"
#include "engine/base/memory.h"
#include "engine/names/names.h"

enum {
    WALK_OR_FIND = 256, /* names walked over in the time of a lookup */
    FIRST_LINES = 1024,
    FIRST_TEXT_BYTES = 1 << 16,
    NAMES_PER_POLL = 4096,
    N_SPELLINGS = 2
};
#define NONE MR_HASH_SET_NONE

static const char array_name[] = "names of a list";

struct key {
    XXH128_hash_t hash; /* of the spelling, in the form that vertices have */
    uint32_t bytes; /* of the spelling; 0: there is none, or no vertex can be called so */
    uint32_t number; /* in a walk */
};

struct line {
    struct key keys[N_SPELLINGS];
    uint64_t text; /* where its name begins; the second spelling follows it */
    uint64_t number, tag;
    double weight;
    uint32_t name_bytes;
};

struct mr_page_join {
    const struct mr_context *context;
    struct mr_names *names;
    uint64_t memory_bytes;
    mr_page_join_take take;
    void *data;
    struct line *lines; /* [n_lines] of [room] */
    uint64_t n_lines, room;
    char *text; /* [text_bytes] of [text_room] */
    uint64_t text_bytes, text_room;
    struct mr_hash_set keys; /* of the lines, in a walk */
    uint32_t *vertices; /* [keys.n] of a walk; NONE: not found */
    char form[MR_NAME_MAX_BYTES];
};

enum mr_status mr_page_join_create(const struct mr_context *context, struct mr_names *names,
                                   uint64_t memory_bytes, mr_page_join_take take, void *data,
                                   struct mr_page_join **out, struct mr_error *err)
{
    struct mr_page_join *join = calloc(1, sizeof *join);

    *out = join;
    if (join == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a list of names");
    }
    join->context = context;
    join->keys = (struct mr_hash_set){.memory = context->memory, .name = array_name};
    join->names = names;
    join->memory_bytes = memory_bytes;
    join->take = take;
    join->data = data;
    return MR_OK;
}

void mr_page_join_destroy(struct mr_page_join *join)
{
    if (join != NULL) {
        mr_hash_set_free(&join->keys);
        mr_memory_free(join->context->memory, join->text);
        mr_memory_free(join->context->memory, join->lines);
        free(join);
    }
}

/* ---- Matching a batch ---- */

/* A mr_name_take. */
static enum mr_status found(void *data, const struct mr_name_cursor *cursor, uint64_t position,
                            const char *name, size_t name_bytes, struct mr_error *err)
{
    const struct mr_page_join *join = data;
    const uint32_t key = mr_hash_set_find(&join->keys, XXH3_128bits(name, name_bytes));

    (void)position, (void)err;
    if (key != NONE) {
        join->vertices[key] = mr_name_cursor_vertex(cursor);
    }
    return MR_OK;
}

/* Hands a line over with the vertex of its first spelling that has one: of the walk, or looked up
 * if there was none. */
static enum mr_status hand_over(struct mr_page_join *join, const struct line *line,
                                struct mr_error *err)
{
    const struct mr_row name = {.name = join->text + line->text,
                                .name_bytes = line->name_bytes,
                                .line = line->number,
                                .tag = line->tag,
                                .values = {line->weight}};
    const char *text = name.name;
    uint32_t vertex = NONE;
    bool is_found = false;
    enum mr_status status = MR_OK;

    for (uint32_t i = 0; i < N_SPELLINGS && status == MR_OK && !is_found; i++) {
        const struct key *key = &line->keys[i];
        if (key->bytes > 0 && join->vertices == NULL) {
            status = mr_names_find(join->names, text, key->bytes, &vertex, &is_found, err);
        } else if (key->bytes > 0) {
            vertex = join->vertices[key->number];
            is_found = vertex != NONE;
        }
        text += line->name_bytes;
    }
    return status == MR_OK ? join->take(join->data, &name, vertex, is_found, err) : status;
}

/* Numbers the spellings of all lines in one loop, whose reads of the set do not wait for each
 * other. */
static enum mr_status number_keys(struct mr_page_join *join, struct mr_error *err)
{
    uint64_t n = 0;

    for (uint64_t i = 0; i < N_SPELLINGS * join->n_lines; i++) {
        n += join->lines[i / N_SPELLINGS].keys[i % N_SPELLINGS].bytes > 0;
    }
    enum mr_status status = mr_hash_set_reserve(&join->keys, n, err);
    for (uint64_t i = 0; i < N_SPELLINGS * join->n_lines && status == MR_OK; i++) {
        struct key *key = &join->lines[i / N_SPELLINGS].keys[i % N_SPELLINGS];
        if (key->bytes > 0) {
            status = mr_hash_set_add(&join->keys, key->hash, &key->number, err);
        }
    }
    if (status == MR_OK) {
        status = mr_memory_array(join->context->memory, array_name, n + 1, &join->vertices, err);
    }
    if (status == MR_OK) {
        memset(join->vertices, 0xff, n * sizeof *join->vertices);
    }
    return status;
}

static enum mr_status match_batch(struct mr_page_join *join, struct mr_error *err)
{
    const uint64_t n_names = mr_names_walk_length(join->names);
    const bool walks = join->n_lines > n_names / WALK_OR_FIND;
    enum mr_status status = MR_OK;

    if (walks) {
        status = number_keys(join, err);
        if (status == MR_OK) {
            status = mr_names_walk(join->context, join->names, n_names, NULL, found, join, err);
        }
    }
    for (uint64_t i = 0; i < join->n_lines && status == MR_OK; i++) {
        status = i % NAMES_PER_POLL == 0 ? mr_context_poll(join->context, err) : MR_OK;
        if (status == MR_OK) {
            status = hand_over(join, &join->lines[i], err);
        }
    }
    mr_memory_free(join->context->memory, join->vertices);
    join->vertices = NULL;
    mr_hash_set_free(&join->keys);
    join->n_lines = 0;
    join->text_bytes = 0;
    return status;
}

/* ---- Collecting a batch ---- */

static uint64_t grown(uint64_t room, uint64_t first)
{
    return room == 0 ? first : room + room / 2;
}

/* What a batch takes with room for so many lines and so many bytes of names, with its table. */
static uint64_t bytes_of(uint64_t lines, uint64_t text_bytes)
{
    return lines *
               (sizeof(struct line) + N_SPELLINGS * (MR_HASH_SET_TEXT_BYTES + sizeof(uint32_t))) +
           text_bytes;
}

/* Makes room for a line, or empties the batch. */
static enum mr_status make_room(struct mr_page_join *join, size_t text_bytes, struct mr_error *err)
{
    struct mr_memory *memory = join->context->memory;
    const bool lines_full = join->n_lines == join->room;
    const bool text_full = join->text_bytes + text_bytes > join->text_room;
    uint64_t room = lines_full ? grown(join->room, FIRST_LINES) : join->room;
    uint64_t text_room = join->text_room;
    enum mr_status status = MR_OK;

    if (!lines_full && !text_full) {
        return MR_OK;
    }
    if (text_full) {
        text_room = grown(text_room, FIRST_TEXT_BYTES) + text_bytes;
    }
    if (join->n_lines > 0 &&
        (room >= UINT32_MAX / N_SPELLINGS || bytes_of(room, text_room) > join->memory_bytes)) {
        status = match_batch(join, err);
        if (text_bytes <= join->text_room) {
            return status;
        }
        room = join->room;
    }
    if (status == MR_OK && room > join->room) {
        status =
            mr_memory_resize(memory, array_name, &join->lines, room * sizeof *join->lines, err);
        join->room = status == MR_OK ? room : join->room;
    }
    if (status == MR_OK && text_room > join->text_room) {
        status = mr_memory_resize(memory, array_name, &join->text, text_room, err);
        join->text_room = status == MR_OK ? text_room : join->text_room;
    }
    return status;
}

static struct key key_of(struct mr_page_join *join, const char *name, size_t bytes)
{
    const char *form = name;
    size_t form_bytes = bytes;

    if (bytes == 0 || !mr_names_form(join->names, &form, &form_bytes, join->form)) {
        return (struct key){.bytes = 0};
    }
    return (struct key){.hash = XXH3_128bits(form, form_bytes), .bytes = (uint32_t)bytes};
}

static void copy_text(struct mr_page_join *join, const char *text, size_t bytes)
{
    if (bytes > 0) {
        memcpy(join->text + join->text_bytes, text, bytes);
        join->text_bytes += bytes;
    }
}

enum mr_status mr_page_join_add(struct mr_page_join *join, const struct mr_row *name,
                                const char *other, size_t other_bytes, struct mr_error *err)
{
    const enum mr_status status = make_room(join, name->name_bytes + other_bytes, err);

    if (status == MR_OK) {
        join->lines[join->n_lines++] = (struct line){
            .keys = {key_of(join, name->name, name->name_bytes), key_of(join, other, other_bytes)},
            .text = join->text_bytes,
            .number = name->line,
            .tag = name->tag,
            .weight = name->values[0],
            .name_bytes = (uint32_t)name->name_bytes};
        copy_text(join, name->name, name->name_bytes);
        copy_text(join, other, other_bytes);
    }
    return status;
}

enum mr_status mr_page_join_finish(struct mr_page_join *join, struct mr_error *err)
{
    return match_batch(join, err);
}
