/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the newest capture of each page of a build, and writes when each page was fetched. The
 * numbering calls it between the end of the input and the first scan of the spool, and again when
 * the store is written. */
#include "engine/builder/vertices/captures.h"

#include <assert.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "engine/builder/edges/spool_scan.h"

/* For a time, for `confirms`, and for the page of a capture whose links are left out. */
#define NEVER UINT32_MAX

enum {
    WINDOW_SHARE = 8, /* a window may have this part of the memory left, twice */
    RESIDENT_SHARE = 32 /* either spool may have this part of the memory left */
};

static enum mr_status add(struct mr_captures *captures, struct mr_spool **spool, uint64_t page,
                          uint64_t value, struct mr_error *err)
{
    const struct mr_edge edge = {page, value};
    enum mr_status status = MR_OK;

    if (*spool == NULL) {
        captures->files.resident_bytes =
            mr_memory_available(captures->context->memory) / RESIDENT_SHARE;
        status = mr_spool_create(captures->context, &captures->files, captures->use, spool, err);
    }
    return status == MR_OK ? mr_spool_add(*spool, 0, &edge, NULL, 1, err) : status;
}

enum mr_status mr_captures_add(struct mr_captures *captures, const struct mr_capture *capture,
                               uint64_t *id, struct mr_error *err)
{
    const uint64_t page =
        id != NULL ? *id : capture->page | (capture->is_due ? MR_CAPTURES_DUE : 0);
    const uint64_t time = capture->time - (capture->time == NEVER),
                   confirms = capture->confirms - (capture->confirms == NEVER);
    enum mr_status status = MR_OK;

    if (capture->digest == MR_DIGEST_GONE || (time > 0 && capture->digest != MR_DIGEST_NO_FETCH)) {
        captures->has_digests |=
            capture->digest != MR_DIGEST_UNKNOWN && capture->digest != MR_DIGEST_GONE;
        captures->has_due |= capture->is_due;
        status = add(captures, &captures->fetches, page, time << 32 | capture->digest, err);
    }
    if (status == MR_OK && id != NULL) {
        status = add(captures, &captures->linked, page, time << 32 | confirms, err);
    }
    if (status == MR_OK && id != NULL) {
        *id = time > 0 ? UINT32_MAX - 1 - captures->n : *id;
        captures->n_dated += time > 0;
        captures->n++;
    }
    return status;
}

void mr_captures_free(struct mr_captures *captures)
{
    if (captures->context != NULL) {
        mr_memory_free(captures->context->memory, captures->pages);
        mr_spool_destroy(captures->linked);
        mr_spool_destroy(captures->fetches);
    }
}

/* ---- The newest captures ---- */

/* What the scans of the captures with links share. */
struct choice {
    struct mr_captures *captures;
    const uint32_t *vertices; /* [n_numbers] */
    uint64_t n_numbers;
    /* [n_vertices]: the winner of each page, as `rank_of` writes it, and the newest time of a
     * capture that is no revisit: NEVER if the winner confirms one of these. NULL: all stay. */
    uint64_t *winners;
    uint32_t *newest;
    struct mr_vertex_set *fetched;
    uint64_t n_seen; /* captures of this scan */
    void (*visit)(struct choice *choice, uint32_t page, uint32_t time, uint32_t confirms);
};

/* The capture with the greatest rank wins: the newest one; among those, one that is no revisit. */
static uint64_t rank_of(uint32_t time, uint32_t confirms)
{
    return (uint64_t)time << 32 | (confirms == time ? NEVER : confirms);
}

/* The time of the capture that the winner of `vertex` confirms, its own if it is no revisit. */
static uint32_t confirmed_by_winner(const struct choice *choice, uint32_t vertex)
{
    const uint64_t winner = choice->winners[vertex];
    return (uint32_t)winner == NEVER ? (uint32_t)(winner >> 32) : (uint32_t)winner;
}

static void visit_for_winner(struct choice *choice, uint32_t page, uint32_t time, uint32_t confirms)
{
    uint64_t *winner = &choice->winners[choice->vertices[page]];
    if (time > 0) {
        *winner = mr_max_u64(*winner, rank_of(time, confirms));
    }
}

static void visit_for_newest(struct choice *choice, uint32_t page, uint32_t time, uint32_t confirms)
{
    const uint32_t vertex = choice->vertices[page];
    if (time > 0 && confirms == time) {
        const uint32_t newest = choice->newest[vertex];
        choice->newest[vertex] = confirmed_by_winner(choice, vertex) == time ? NEVER
                                 : newest < time                             ? time
                                                                             : newest;
    }
}

/* Sets the page of a capture whose links stay, and NEVER for others. */
static void visit_to_choose(struct choice *choice, uint32_t page, uint32_t time, uint32_t confirms)
{
    const uint32_t vertex = choice->vertices[page];
    uint32_t *chosen = &choice->captures->pages[choice->n_seen];

    if (time > 0 && choice->winners != NULL && time != choice->winners[vertex] >> 32 &&
        time != (choice->newest[vertex] == NEVER ? confirmed_by_winner(choice, vertex)
                                                 : choice->newest[vertex])) {
        *chosen = NEVER;
        return;
    }
    *chosen = page;
    if (choice->fetched != NULL && confirms == time) {
        mr_vertex_set_add(choice->fetched, vertex);
    }
}

/* A mr_spool_visitor. */
static enum mr_status choose_in_chunk(void *data, unsigned worker, struct mr_spool_chunk *chunk,
                                      struct mr_error *err)
{
    struct choice *choice = data;

    (void)worker;
    for (uint32_t i = 0; i < chunk->n_edges; i++) {
        /* narrow: all that are so far have the time 0 */
        const bool is_wide = chunk->wide != NULL;
        const uint64_t page = is_wide ? chunk->wide[i][0] : chunk->narrow[i][0];
        const uint64_t times = is_wide ? chunk->wide[i][1] : chunk->narrow[i][1];
        if (page >= choice->n_numbers || choice->n_seen == choice->captures->n) {
            return mr_scratch_changed(err);
        }
        choice->visit(choice, (uint32_t)page, (uint32_t)(times >> 32), (uint32_t)times);
        choice->n_seen++;
    }
    return MR_OK;
}

/* Scans the captures in the order in which they were added. */
static enum mr_status scan_linked(struct choice *choice,
                                  void (*visit)(struct choice *choice, uint32_t page, uint32_t time,
                                                uint32_t confirms),
                                  struct mr_error *err)
{
    const struct mr_spool_scan scan = {
        .stage = "number", .spool = choice->captures->linked, .n_workers = 1, .in_place = true};

    choice->visit = visit;
    choice->n_seen = 0;
    return mr_spool_scan_raw(choice->captures->context, &scan, choose_in_chunk, choice, err);
}

uint64_t mr_captures_bytes(const struct mr_captures *captures)
{
    return captures->n * sizeof *captures->pages;
}

uint64_t mr_captures_choose_bytes(const struct mr_captures *captures, uint64_t n_vertices)
{
    return captures->linked == NULL
               ? 0
               : MR_SPOOL_CHUNK_BYTES + (n_vertices + 1) * (sizeof(uint64_t) + sizeof(uint32_t));
}

enum mr_status mr_captures_choose(struct mr_captures *captures, bool all, const uint32_t *vertices,
                                  uint64_t n_numbers, uint64_t n_vertices,
                                  struct mr_vertex_set *fetched, struct mr_error *err)
{
    struct mr_memory *memory = captures->context->memory;
    struct choice choice = {
        .captures = captures, .vertices = vertices, .n_numbers = n_numbers, .fetched = fetched};
    const bool chooses = captures->n_dated > 0 && !all;
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("captures of pages", captures->n, &captures->pages),
        MR_WANTED("newest captures", chooses ? n_vertices + 1 : 0, &choice.winners),
        MR_WANTED("newest captures", chooses ? n_vertices + 1 : 0, &choice.newest),
    };
    const uint64_t needed =
        mr_captures_bytes(captures) + mr_captures_choose_bytes(captures, n_vertices);
    enum mr_status status = MR_OK;

    for (unsigned i = 0; i < 2 && status == MR_OK; i++) {
        struct mr_spool *spool = i == 0 ? captures->linked : captures->fetches;
        status = spool != NULL ? mr_spool_seal(spool, err) : MR_OK;
        if (status == MR_OK && spool != NULL && needed > mr_memory_available(memory)) {
            status = mr_spool_evict(spool, err);
        }
    }
    if (status != MR_OK || captures->linked == NULL) {
        return status;
    }
    status = mr_memory_arrays(memory, arrays, err);
    if (status == MR_OK && chooses) {
        status = scan_linked(&choice, visit_for_winner, err);
    }
    if (status == MR_OK && chooses) {
        status = scan_linked(&choice, visit_for_newest, err);
    }
    if (status == MR_OK) {
        status = scan_linked(&choice, visit_to_choose, err);
    }
    mr_memory_free(memory, choice.winners);
    mr_memory_free(memory, choice.newest);
    mr_spool_destroy(captures->linked);
    captures->linked = NULL;
    return status;
}

/* ---- Fetch facts ---- */

/* A window of the vertices, with the fetches of its pages. */
struct captures_window {
    const struct mr_captures *captures;
    const uint32_t *vertices; /* [n_numbers] */
    uint64_t n_numbers, n_vertices;
    uint64_t first, width, next; /* the vertices first..first + width - 1; the next one */
    /* [width + 1]: the number of fetches of each vertex, then where they begin in `fetches`, and
     * after the second scan where they end */
    uint64_t *ends;
    uint64_t *fetches; /* [n] of [room], by vertex: time << 32 | digest; 0: it is in `due` */
    uint64_t n, room;
    uint64_t *due; /* [width]: the last of those that are due, or 0; NULL: none are */
    bool counts;
};

/* A mr_spool_visitor. */
static enum mr_status take_chunk(void *data, unsigned worker, struct mr_spool_chunk *chunk,
                                 struct mr_error *err)
{
    struct captures_window *window = data;

    (void)worker;
    for (uint32_t i = 0; i < chunk->n_edges; i++) {
        /* narrow: all that are so far have the time 0 */
        const bool is_wide = chunk->wide != NULL;
        const uint64_t page = is_wide ? chunk->wide[i][0] : chunk->narrow[i][0];
        const uint64_t fetch = is_wide ? chunk->wide[i][1] : chunk->narrow[i][1];
        const bool is_due = (page & MR_CAPTURES_DUE) != 0;
        if ((uint32_t)page >= window->n_numbers || (is_due && window->due == NULL)) {
            return mr_scratch_changed(err);
        }
        const uint64_t at = window->vertices[(uint32_t)page] - window->first;
        if (at >= window->width) {
            continue;
        }
        if (window->counts) {
            window->ends[at + 1]++;
        } else if (window->ends[at] == window->n) {
            return mr_scratch_changed(err);
        } else {
            uint64_t earlier = fetch;
            if (is_due) {
                earlier = mr_min_u64(window->due[at], fetch);
                window->due[at] = mr_max_u64(window->due[at], fetch);
            }
            window->fetches[window->ends[at]++] = earlier;
        }
    }
    return MR_OK;
}

static enum mr_status fill_window(struct captures_window *window, struct mr_error *err)
{
    const struct mr_context *context = window->captures->context;
    const struct mr_spool_scan scan = {
        .stage = "number", .spool = window->captures->fetches, .n_workers = 1, .in_place = true};

    window->first = window->next;
    memset(window->ends, 0, (window->width + 1) * sizeof *window->ends);
    if (window->due != NULL) {
        memset(window->due, 0, window->width * sizeof *window->due);
    }
    window->counts = true;
    enum mr_status status = mr_spool_scan_raw(context, &scan, take_chunk, window, err);
    for (uint64_t i = 0; i < window->width; i++) {
        window->ends[i + 1] += window->ends[i];
    }
    window->n = window->ends[window->width];
    window->counts = false;
    if (status == MR_OK) {
        status = mr_memory_grow(context->memory, "fetches of pages", window->n, &window->fetches,
                                &window->room, err);
    }
    return status == MR_OK ? mr_spool_scan_raw(context, &scan, take_chunk, window, err) : status;
}

/* Adds the newest of the fetches first..last, and those of the same time. */
static void add_fetches(struct mr_fetch_facts *row, const uint64_t *first, const uint64_t *last)
{
    const uint32_t time = (uint32_t)(*last >> 32);

    while (last > first && (uint32_t)*last == MR_DIGEST_GONE && last[-1] >> 32 == time) {
        last--;
    }
    row->gone = (uint32_t)*last == MR_DIGEST_GONE || *first == MR_DIGEST_GONE;
    if ((uint32_t)*last != MR_DIGEST_GONE) {
        mr_fetch_facts_add(row, time, (uint32_t)*last);
    } else if (row->fetches == 0) {
        row->last = time;
    }
}

/* Puts the fetch that is due among the sorted ones, and returns where these begin. Schedules that
 * adapt to a page move the time of its next fetch. So if no fetch has the time of this one and a
 * later one is known, it is that one, and says its digest if nothing else does. */
static uint64_t place_due(struct captures_window *window, uint64_t page, uint64_t begin,
                          uint64_t end)
{
    uint64_t *fetches = window->fetches;
    const uint64_t due = window->due != NULL ? window->due[page] : 0;
    bool is_known = false;

    while (begin < end && fetches[begin] == 0) {
        begin++;
    }
    for (uint64_t i = begin; i < end; i++) {
        is_known |= fetches[i] >> 32 == due >> 32;
    }
    if (due == 0) {
        return begin;
    }
    if (begin < end && !is_known && fetches[end - 1] > due &&
        (uint32_t)fetches[end - 1] != MR_DIGEST_GONE) {
        fetches[end - 1] |= (uint32_t)fetches[end - 1] == MR_DIGEST_UNKNOWN ? (uint32_t)due : 0;
        return begin;
    }
    fetches[--begin] = due;
    mr_sort_u64_in_place(fetches + begin, end - begin);
    return begin;
}

/* A mr_fetch_facts_next. Of several captures of one time, the greatest digest counts. A page is
 * gone if its newest capture says so, or one without a time. */
static enum mr_status next_facts(void *data, struct mr_fetch_facts *row, bool *is_over,
                                 struct mr_error *err)
{
    struct captures_window *window = data;
    enum mr_status status = MR_OK;

    *row = (struct mr_fetch_facts){.fetches = 0};
    while (status == MR_OK && row->fetches == 0 && !row->gone &&
           window->next < window->n_vertices) {
        if (window->next % window->width == 0) {
            status = fill_window(window, err);
        }
        const uint64_t at = window->next - window->first, end = window->ends[at];
        uint64_t begin = at > 0 ? window->ends[at - 1] : 0;
        if (status == MR_OK && end < begin) {
            status = mr_scratch_changed(err);
        }
        if (status == MR_OK && end > begin) {
            mr_sort_u64_in_place(window->fetches + begin, end - begin);
            begin = place_due(window, at, begin, end);
        }
        row->position = (uint32_t)window->next++;
        for (uint64_t i = begin; i < end && status == MR_OK; i++) {
            const uint64_t fetch = window->fetches[i];
            if (i + 1 == end || fetch >> 32 != window->fetches[i + 1] >> 32) {
                add_fetches(row, window->fetches + begin, window->fetches + i);
            }
        }
        if (status == MR_OK && end == begin + 1 && window->due != NULL && window->due[at] > 0) {
            row->first_digest = MR_DIGEST_NO_FETCH;
        }
    }
    *is_over = row->fetches == 0 && !row->gone;
    return status;
}

enum mr_status mr_captures_write(struct mr_captures *captures, const uint32_t *vertices,
                                 uint64_t n_numbers, uint64_t n_vertices,
                                 struct mr_store_writer *store, struct mr_error *err)
{
    struct mr_memory *memory = captures->context->memory;
    struct captures_window window = {.captures = captures,
                                     .vertices = vertices,
                                     .n_numbers = n_numbers,
                                     .n_vertices = n_vertices};

    if (captures->fetches == NULL) {
        return MR_OK;
    }
    const uint64_t room = mr_memory_available(memory) / WINDOW_SHARE / sizeof(uint64_t) + 1;
    const uint64_t most = mr_max_u64(mr_spool_figures_of(captures->fetches).n_edges, n_vertices);
    window.width = mr_div_up(n_vertices, mr_div_up(most, room));
    enum mr_status status =
        mr_memory_array(memory, "fetches of pages", window.width + 1, &window.ends, err);
    if (status == MR_OK && captures->has_due) {
        status = mr_memory_array(memory, "fetches of pages", window.width, &window.due, err);
    }
    if (status == MR_OK) {
        status = mr_store_writer_facts(store, captures->has_digests || captures->has_due,
                                       next_facts, &window, err);
    }
    mr_memory_free(memory, window.ends);
    mr_memory_free(memory, window.due);
    mr_memory_free(memory, window.fetches);
    mr_spool_destroy(captures->fetches); /* the links need its room when they are sorted */
    captures->fetches = NULL;
    return status;
}

/* ---- Links ---- */

void mr_captures_apply(const struct mr_captures *captures, struct mr_spool_chunk *chunk)
{
    uint32_t(*pairs)[2] = chunk->narrow;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < chunk->n_edges; i++) {
        bool stays = true;
        for (unsigned end = 0; end < 2; end++) { /* a transposed build has the source second */
            uint32_t id = pairs[i][end];
            if (mr_captures_have(captures, id)) {
                id = captures->pages[UINT32_MAX - 1 - id];
                stays = stays && id != NEVER;
            }
            pairs[kept][end] = id;
        }
        if (chunk->weights != NULL) {
            chunk->weights[kept] = chunk->weights[i];
        }
        kept += stays;
    }
    chunk->n_edges = kept;
}
