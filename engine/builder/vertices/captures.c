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

/* For a time, and for `confirms` of a capture whose links are left out. */
#define NEVER UINT32_MAX

enum {
    WINDOW_SHARE = 8, /* a window may have this part of the memory left, twice */
    RESIDENT_SHARE = 32 /* fetches in memory may have this part of the memory left */
};

static enum mr_status add_fetch(struct mr_captures *captures, const struct mr_capture *capture,
                                struct mr_error *err)
{
    const struct mr_edge edge = {capture->page, (uint64_t)capture->time << 32 | capture->digest};
    enum mr_status status = MR_OK;

    captures->has_digests |=
        capture->digest != MR_DIGEST_UNKNOWN && capture->digest != MR_DIGEST_GONE;
    if (captures->fetches == NULL) {
        captures->files.resident_bytes =
            mr_memory_available(captures->context->memory) / RESIDENT_SHARE;
        status = mr_spool_create(captures->context, &captures->files, captures->use,
                                 &captures->fetches, err);
    }
    return status == MR_OK ? mr_spool_add(captures->fetches, 0, &edge, NULL, 1, err) : status;
}

enum mr_status mr_captures_add(struct mr_captures *captures, const struct mr_capture *capture,
                               uint64_t *id, struct mr_error *err)
{
    struct mr_capture added = *capture;
    enum mr_status status = MR_OK;

    added.page = id != NULL ? (uint32_t)*id : capture->page;
    added.time -= added.time == NEVER;
    added.confirms -= added.confirms == NEVER;
    if (added.digest == MR_DIGEST_GONE || (added.time > 0 && added.digest != MR_DIGEST_NO_FETCH)) {
        status = add_fetch(captures, &added, err);
    }
    if (status == MR_OK && id != NULL) {
        status = mr_memory_grow(captures->context->memory, "captures of pages", captures->n + 1,
                                &captures->all, &captures->room, err);
    }
    if (status != MR_OK || id == NULL) {
        return status;
    }
    *id = added.time > 0 ? UINT32_MAX - 1 - captures->n : *id;
    captures->n_dated += added.time > 0;
    captures->all[captures->n++] = added;
    return MR_OK;
}

void mr_captures_free(struct mr_captures *captures)
{
    if (captures->context != NULL) {
        mr_memory_free(captures->context->memory, captures->all);
        mr_spool_destroy(captures->fetches);
    }
}

static bool is_revisit(const struct mr_capture *capture)
{
    return capture->confirms != capture->time;
}

/* Does `a` win over `b`? */
static bool wins(const struct mr_capture *a, const struct mr_capture *b)
{
    return a->time != b->time               ? a->time > b->time
           : is_revisit(a) != is_revisit(b) ? is_revisit(b)
                                            : a->confirms > b->confirms;
}

/* Set the winner of each page, and the newest time of a capture that is no revisit: UINT32_MAX if
 * the winner confirms one of these. */
static void find_newest(const struct mr_captures *captures, const uint32_t *vertices,
                        uint32_t *winners, uint32_t *newest)
{
    for (uint64_t i = 0; i < captures->n; i++) {
        const struct mr_capture *capture = &captures->all[i];
        uint32_t *winner = &winners[vertices[capture->page]];
        if (capture->time > 0 && (*winner == 0 || wins(capture, &captures->all[*winner - 1]))) {
            *winner = (uint32_t)i + 1;
        }
    }
    for (uint64_t i = 0; i < captures->n; i++) {
        const struct mr_capture *capture = &captures->all[i];
        const uint32_t vertex = vertices[capture->page];
        if (capture->time > 0 && !is_revisit(capture)) {
            const bool is_confirmed = captures->all[winners[vertex] - 1].confirms == capture->time;
            newest[vertex] = is_confirmed                     ? UINT32_MAX
                             : newest[vertex] < capture->time ? capture->time
                                                              : newest[vertex];
        }
    }
}

enum mr_status mr_captures_choose(struct mr_captures *captures, bool all, const uint32_t *vertices,
                                  uint64_t n_vertices, struct mr_vertex_set *fetched,
                                  struct mr_error *err)
{
    struct mr_memory *memory = captures->context->memory;
    uint32_t *winners = NULL, *newest = NULL;
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("newest captures", n_vertices + 1, &winners),
        MR_WANTED("newest captures", n_vertices + 1, &newest),
    };
    const bool chooses = captures->n_dated > 0 && !all;
    enum mr_status status =
        captures->fetches != NULL ? mr_spool_seal(captures->fetches, err) : MR_OK;

    if (status == MR_OK && chooses) {
        status = mr_memory_arrays(memory, arrays, err);
    }
    if (status == MR_OK && chooses) {
        find_newest(captures, vertices, winners, newest);
    }
    for (uint64_t i = 0; status == MR_OK && i < captures->n; i++) {
        struct mr_capture *capture = &captures->all[i];
        const uint32_t vertex = vertices[capture->page];
        if (capture->time > 0 && chooses) {
            assert(winners != NULL && newest != NULL);
            const struct mr_capture *winner = &captures->all[winners[vertex] - 1];
            const uint32_t other = newest[vertex] == UINT32_MAX ? winner->confirms : newest[vertex];
            if (capture->time != winner->time && capture->time != other) {
                capture->confirms = NEVER;
                continue;
            }
        }
        if (fetched != NULL && !is_revisit(capture)) {
            mr_vertex_set_add(fetched, vertex);
        }
    }
    mr_memory_free(memory, winners);
    mr_memory_free(memory, newest);
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
    uint64_t *fetches; /* [n] of [room], by vertex: time << 32 | digest */
    uint64_t n, room;
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
        if (page >= window->n_numbers) {
            return mr_scratch_changed(err);
        }
        const uint64_t at = window->vertices[page] - window->first;
        if (at >= window->width) {
            continue;
        }
        if (window->counts) {
            window->ends[at + 1]++;
        } else if (window->ends[at] == window->n) {
            return mr_scratch_changed(err);
        } else {
            window->fetches[window->ends[at]++] = fetch;
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
        const uint64_t at = window->next - window->first, end = window->ends[at],
                       begin = at > 0 ? window->ends[at - 1] : 0;
        if (status == MR_OK && end < begin) {
            status = mr_scratch_changed(err);
        }
        if (status == MR_OK && end > begin) {
            mr_sort_u64_in_place(window->fetches + begin, end - begin);
        }
        row->position = (uint32_t)window->next++;
        for (uint64_t i = begin; i < end && status == MR_OK; i++) {
            const uint64_t fetch = window->fetches[i];
            if (i + 1 == end || fetch >> 32 != window->fetches[i + 1] >> 32) {
                add_fetches(row, window->fetches + begin, window->fetches + i);
            }
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
    if (status == MR_OK) {
        status = mr_store_writer_facts(store, captures->has_digests, next_facts, &window, err);
    }
    mr_memory_free(memory, window.ends);
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
                const struct mr_capture *capture = &captures->all[UINT32_MAX - 1 - id];
                id = capture->page;
                stays = stays && capture->confirms != NEVER;
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
