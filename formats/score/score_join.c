/* SPDX-License-Identifier: Apache-2.0 */
/* Lines wait in a batch; a table of 128-bit hashes leads from a name to its lines. scores_read.c
 * sends the lines here that do not come in the order of the names. A walk over all names takes 0.1
 * us a name and a lookup 40 us, so few lines are looked up one by one. */
#include "formats/score/score_join.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "engine/base/memory.h"

enum {
    WALK_OR_FIND = 256, /* names walked over in the time of a lookup */
    FIRST_LINES = 1024,
    FIRST_TEXT_BYTES = 1 << 16,
    NAMES_PER_POLL = 4096
};

struct line {
    XXH128_hash_t hash;
    double score;
    uint64_t text; /* where its name begins */
    uint32_t name_bytes;
    uint32_t vertex;
    uint32_t same; /* the line before it with this name, plus 1; 0: none */
    bool is_found;
};

struct mr_score_join {
    const struct mr_context *context;
    struct mr_names *names;
    uint64_t n_vertices;
    uint64_t memory_bytes;
    double *scores;
    struct line *lines; /* [n_lines] of [room] */
    uint64_t n_lines, room;
    char *text; /* [text_bytes] of [text_room] */
    uint64_t text_bytes, text_room;
    uint32_t *slots; /* [n_slots], a power of two: a line plus 1, or 0 */
    uint64_t n_slots;
    uint64_t n_unknown;
};

enum mr_status mr_score_join_create(const struct mr_context *context, struct mr_names *names,
                                    uint64_t n_vertices, uint64_t memory_bytes, double *scores,
                                    struct mr_score_join **out, struct mr_error *err)
{
    struct mr_score_join *join = calloc(1, sizeof *join);

    *out = join;
    if (join == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a join of scores");
    }
    join->context = context;
    join->names = names;
    join->n_vertices = n_vertices;
    join->memory_bytes =
        memory_bytes != 0 ? memory_bytes : mr_memory_available(context->memory) / 2;
    join->scores = scores;
    return MR_OK;
}

void mr_score_join_destroy(struct mr_score_join *join)
{
    if (join != NULL) {
        mr_memory_free(join->context->memory, join->slots);
        mr_memory_free(join->context->memory, join->text);
        mr_memory_free(join->context->memory, join->lines);
        free(join);
    }
}

/* ---- The table ---- */

/* The slot of a name, or the free slot where it belongs. */
static uint32_t *find_slot(const struct mr_score_join *join, XXH128_hash_t hash)
{
    const uint64_t mask = join->n_slots - 1;

    for (uint64_t at = hash.low64 & mask;; at = (at + 1) & mask) {
        uint32_t *slot = &join->slots[at];
        if (*slot == 0 || XXH128_isEqual(join->lines[*slot - 1].hash, hash)) {
            return slot;
        }
    }
}

static enum mr_status make_table(struct mr_score_join *join, struct mr_error *err)
{
    join->n_slots = FIRST_LINES;
    while (join->n_slots < 2 * join->n_lines) {
        join->n_slots *= 2;
    }
    const enum mr_status status =
        mr_memory_array(join->context->memory, "table of names", join->n_slots, &join->slots, err);
    for (uint64_t i = 0; i < join->n_lines && status == MR_OK; i++) {
        uint32_t *slot = find_slot(join, join->lines[i].hash);
        join->lines[i].same = *slot;
        *slot = (uint32_t)i + 1;
    }
    return status;
}

/* ---- Matching a batch ---- */

static void found(struct mr_score_join *join, const char *name, size_t name_bytes, uint32_t vertex)
{
    const XXH128_hash_t hash = XXH3_128bits(name, name_bytes);

    for (uint32_t at = *find_slot(join, hash); at != 0; at = join->lines[at - 1].same) {
        join->lines[at - 1].vertex = vertex;
        join->lines[at - 1].is_found = true;
    }
}

static enum mr_status walk(struct mr_score_join *join, struct mr_error *err)
{
    struct mr_name_cursor *cursor = NULL;
    enum mr_status status = mr_name_cursor_open(join->names, 0, &cursor, err);

    for (uint64_t i = 0; i < join->n_vertices && status == MR_OK; i++) {
        const char *name, *at, *spelling;
        size_t bytes, spelling_bytes;
        status = mr_name_cursor_next(cursor, &name, &bytes, err);
        if (status != MR_OK) {
            break;
        }
        const uint32_t vertex = mr_name_cursor_vertex(cursor);
        found(join, name, bytes, vertex);
        at = mr_name_cursor_spellings(cursor, &bytes);
        while ((spelling = mr_name_next_spelling(&at, &bytes, &spelling_bytes)) != NULL) {
            found(join, spelling, spelling_bytes, vertex);
        }
        if (i % NAMES_PER_POLL == 0) {
            status = mr_context_poll(join->context, err);
        }
    }
    mr_name_cursor_close(cursor);
    return status;
}

static enum mr_status look_up(struct mr_score_join *join, struct line *line, struct mr_error *err)
{
    return mr_names_find(join->names, join->text + line->text, line->name_bytes, &line->vertex,
                         &line->is_found, err);
}

static enum mr_status match_batch(struct mr_score_join *join, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    if (join->n_lines > join->n_vertices / WALK_OR_FIND) {
        status = make_table(join, err);
        if (status == MR_OK) {
            status = walk(join, err);
        }
        mr_memory_free(join->context->memory, join->slots);
        join->slots = NULL;
    }
    for (uint64_t i = 0; i < join->n_lines && status == MR_OK; i++) {
        struct line *line = &join->lines[i];
        if (!line->is_found) {
            status = look_up(join, line, err);
        }
        if (status == MR_OK && line->is_found) {
            join->scores[line->vertex] = line->score;
        }
        join->n_unknown += status == MR_OK && !line->is_found;
        if (status == MR_OK && i % NAMES_PER_POLL == 0) {
            status = mr_context_poll(join->context, err);
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
    return lines * (sizeof(struct line) + 4 * sizeof(uint32_t)) + text_bytes;
}

/* Makes room for a line, or empties the batch. */
static enum mr_status make_room(struct mr_score_join *join, size_t name_bytes, struct mr_error *err)
{
    struct mr_memory *memory = join->context->memory;
    const bool lines_full = join->n_lines == join->room;
    const bool text_full = join->text_bytes + name_bytes > join->text_room;
    uint64_t room = lines_full ? grown(join->room, FIRST_LINES) : join->room;
    uint64_t text_room = join->text_room;
    enum mr_status status = MR_OK;

    if (!lines_full && !text_full) {
        return MR_OK;
    }
    if (text_full) {
        text_room = grown(text_room, FIRST_TEXT_BYTES) + name_bytes;
    }
    if (join->n_lines > 0 &&
        (room >= UINT32_MAX || bytes_of(room, text_room) > join->memory_bytes)) {
        status = match_batch(join, err);
        if (name_bytes <= join->text_room) {
            return status;
        }
        room = join->room;
    }
    if (status == MR_OK && room > join->room) {
        void *lines = join->lines;
        status =
            mr_memory_resize(memory, "lines of scores", &lines, room * sizeof *join->lines, err);
        join->lines = lines;
        join->room = status == MR_OK ? room : join->room;
    }
    if (status == MR_OK && text_room > join->text_room) {
        void *text = join->text;
        status = mr_memory_resize(memory, "names of scores", &text, text_room, err);
        join->text = text;
        join->text_room = status == MR_OK ? text_room : join->text_room;
    }
    return status;
}

enum mr_status mr_score_join_add(struct mr_score_join *join, const char *name, size_t name_bytes,
                                 double score, struct mr_error *err)
{
    if (name_bytes > MR_NAME_MAX_BYTES) {
        join->n_unknown++;
        return MR_OK;
    }
    const enum mr_status status = make_room(join, name_bytes, err);
    if (status != MR_OK) {
        return status;
    }
    join->lines[join->n_lines++] = (struct line){.hash = XXH3_128bits(name, name_bytes),
                                                 .score = score,
                                                 .text = join->text_bytes,
                                                 .name_bytes = (uint32_t)name_bytes};
    memcpy(join->text + join->text_bytes, name, name_bytes);
    join->text_bytes += name_bytes;
    return MR_OK;
}

enum mr_status mr_score_join_finish(struct mr_score_join *join, uint64_t *n_unknown,
                                    struct mr_error *err)
{
    const enum mr_status status = match_batch(join, err);

    *n_unknown = join->n_unknown;
    return status;
}
