/* SPDX-License-Identifier: Apache-2.0 */
/* Names wait in a batch; a table of 128-bit hashes leads from a name of the store to the lines that
 * have it. Lists of pages and scores that are not in the order of the names come here. A walk over
 * all names takes 0.1 us a name and a lookup 40 us, so few names are looked up one by one. */
#include "formats/pages/page_join.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "engine/base/memory.h"
#include "engine/names/name_walk.h"

enum {
    WALK_OR_FIND = 256, /* names walked over in the time of a lookup */
    FIRST_LINES = 1024,
    FIRST_TEXT_BYTES = 1 << 16,
    NAMES_PER_POLL = 4096,
    N_SPELLINGS = 2
};

static const char array_name[] = "names of a list";

/* A key is a spelling of a line: its number is N_SPELLINGS * line + spelling. */
struct key {
    XXH128_hash_t hash;
    uint32_t same; /* the key before it with this hash, plus 1; 0: none */
    uint32_t bytes; /* of the spelling; 0: there is none, or no vertex can be called so */
};

struct line {
    struct key keys[N_SPELLINGS];
    uint64_t text; /* where its name begins; the second spelling follows it */
    uint64_t number, tag;
    double weight;
    uint32_t name_bytes;
    uint32_t vertex;
    uint32_t found; /* the spelling that was found, N_SPELLINGS: none */
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
    uint32_t *slots; /* [n_slots], a power of two: a key plus 1, or 0 */
    uint64_t n_slots;
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
    join->names = names;
    join->memory_bytes = memory_bytes;
    join->take = take;
    join->data = data;
    return MR_OK;
}

void mr_page_join_destroy(struct mr_page_join *join)
{
    if (join != NULL) {
        mr_memory_free(join->context->memory, join->slots);
        mr_memory_free(join->context->memory, join->text);
        mr_memory_free(join->context->memory, join->lines);
        free(join);
    }
}

/* ---- The table ---- */

static struct key *key_at(const struct mr_page_join *join, uint32_t number)
{
    return &join->lines[number / N_SPELLINGS].keys[number % N_SPELLINGS];
}

/* The slot of a name, or the free slot where it belongs. */
static uint32_t *find_slot(const struct mr_page_join *join, XXH128_hash_t hash)
{
    const uint64_t mask = join->n_slots - 1;

    for (uint64_t at = hash.low64 & mask;; at = (at + 1) & mask) {
        uint32_t *slot = &join->slots[at];
        if (*slot == 0 || XXH128_isEqual(key_at(join, *slot - 1)->hash, hash)) {
            return slot;
        }
    }
}

static enum mr_status make_table(struct mr_page_join *join, struct mr_error *err)
{
    join->n_slots = FIRST_LINES;
    while (join->n_slots < 2 * N_SPELLINGS * join->n_lines) {
        join->n_slots *= 2;
    }
    const enum mr_status status =
        mr_memory_array(join->context->memory, array_name, join->n_slots, &join->slots, err);
    for (uint32_t i = 0; i < N_SPELLINGS * join->n_lines && status == MR_OK; i++) {
        struct key *key = key_at(join, i);
        if (key->bytes > 0) {
            uint32_t *slot = find_slot(join, key->hash);
            key->same = *slot;
            *slot = i + 1;
        }
    }
    return status;
}

/* ---- Matching a batch ---- */

/* A mr_name_take. */
static enum mr_status found(void *data, const struct mr_name_cursor *cursor, uint64_t position,
                            const char *name, size_t name_bytes, struct mr_error *err)
{
    struct mr_page_join *join = data;
    const XXH128_hash_t hash = XXH3_128bits(name, name_bytes);

    (void)position, (void)err;
    for (uint32_t at = *find_slot(join, hash); at != 0; at = key_at(join, at - 1)->same) {
        struct line *line = &join->lines[(at - 1) / N_SPELLINGS];
        const uint32_t spelling = (at - 1) % N_SPELLINGS;
        if (spelling < line->found) {
            line->found = spelling;
            line->vertex = mr_name_cursor_vertex(cursor);
        }
    }
    return MR_OK;
}

static enum mr_status look_up(struct mr_page_join *join, struct line *line, struct mr_error *err)
{
    const char *text = join->text + line->text;
    enum mr_status status = MR_OK;

    for (uint32_t i = 0; i < N_SPELLINGS && status == MR_OK && line->found == N_SPELLINGS; i++) {
        bool is_found = false;
        if (line->keys[i].bytes > 0) {
            status = mr_names_find(join->names, text, line->keys[i].bytes, &line->vertex, &is_found,
                                   err);
        }
        line->found = is_found ? i : line->found;
        text += line->name_bytes;
    }
    return status;
}

static enum mr_status hand_over(struct mr_page_join *join, const struct line *line,
                                struct mr_error *err)
{
    const struct mr_page_name name = {.name = join->text + line->text,
                                      .bytes = line->name_bytes,
                                      .line = line->number,
                                      .tag = line->tag,
                                      .weight = line->weight};
    return join->take(join->data, &name, line->vertex, line->found < N_SPELLINGS, err);
}

static enum mr_status match_batch(struct mr_page_join *join, struct mr_error *err)
{
    const uint64_t n_names = mr_names_walk_length(join->names);
    const bool walks = join->n_lines > n_names / WALK_OR_FIND;
    enum mr_status status = MR_OK;

    if (walks) {
        status = make_table(join, err);
        if (status == MR_OK) {
            status = mr_names_walk(join->context, join->names, n_names, NULL, found, join, err);
        }
        mr_memory_free(join->context->memory, join->slots);
        join->slots = NULL;
    }
    for (uint64_t i = 0; i < join->n_lines && status == MR_OK; i++) {
        if (!walks) {
            status = look_up(join, &join->lines[i], err);
        }
        if (status == MR_OK && i % NAMES_PER_POLL == 0) {
            status = mr_context_poll(join->context, err);
        }
        if (status == MR_OK) {
            status = hand_over(join, &join->lines[i], err);
        }
    }
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
    return lines * (sizeof(struct line) + 4 * N_SPELLINGS * sizeof(uint32_t)) + text_bytes;
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

enum mr_status mr_page_join_add(struct mr_page_join *join, const struct mr_page_name *name,
                                const char *other, size_t other_bytes, struct mr_error *err)
{
    const enum mr_status status = make_room(join, name->bytes + other_bytes, err);
    if (status != MR_OK) {
        return status;
    }
    join->lines[join->n_lines++] = (struct line){
        .keys = {key_of(join, name->name, name->bytes), key_of(join, other, other_bytes)},
        .text = join->text_bytes,
        .number = name->line,
        .tag = name->tag,
        .weight = name->weight,
        .name_bytes = (uint32_t)name->bytes,
        .found = N_SPELLINGS};
    copy_text(join, name->name, name->bytes);
    copy_text(join, other, other_bytes);
    return MR_OK;
}

enum mr_status mr_page_join_finish(struct mr_page_join *join, struct mr_error *err)
{
    return match_batch(join, err);
}
