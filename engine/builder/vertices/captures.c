/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the newest capture of each page of a build. The numbering calls it between the end of the
 * input and the first scan of the spool. */
#include "engine/builder/vertices/captures.h"

#include <assert.h>

#include "engine/base/memory.h"
#include "engine/base/sort.h"

/* For a time, and for `confirms` of a capture whose links are left out. */
#define NEVER UINT32_MAX

enum mr_status mr_captures_add(struct mr_captures *captures, struct mr_memory *memory,
                               const struct mr_capture *capture, uint64_t *id, struct mr_error *err)
{
    const enum mr_status status = mr_memory_grow(memory, "captures of pages", captures->n + 1,
                                                 &captures->all, &captures->room, err);
    if (status != MR_OK) {
        return status;
    }
    struct mr_capture *added = &captures->all[captures->n];
    *added = *capture;
    added->page = (uint32_t)*id;
    *id = capture->time > 0 ? UINT32_MAX - 1 - captures->n : *id;
    captures->n_dated += capture->time > 0;
    captures->n++;
    added->time -= added->time == NEVER;
    added->confirms -= added->confirms == NEVER;
    return MR_OK;
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

enum mr_status mr_captures_choose(struct mr_captures *captures, const struct mr_context *context,
                                  bool all, const uint32_t *vertices, uint64_t n_vertices,
                                  struct mr_vertex_set *fetched, struct mr_error *err)
{
    uint32_t *winners = NULL, *newest = NULL;
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("newest captures", n_vertices + 1, &winners),
        MR_WANTED("newest captures", n_vertices + 1, &newest),
    };
    const bool chooses = captures->n_dated > 0 && !all;
    const enum mr_status status = chooses ? mr_memory_arrays(context->memory, arrays, err) : MR_OK;

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
    mr_memory_free(context->memory, winners);
    mr_memory_free(context->memory, newest);
    return status;
}

static uint64_t key_of(const struct mr_capture *capture, const uint32_t *vertices)
{
    return (uint64_t)vertices[capture->page] << 32 | capture->time;
}

/* Is it a fetch at a known time? */
static bool is_fetch(const struct mr_capture *capture)
{
    return capture->time > 0 && capture->digest != MR_DIGEST_NO_FETCH;
}

/* Find the digest of each fetch: of several captures of one time the greatest. */
static enum mr_status list_digests(const struct mr_captures *captures, struct mr_memory *memory,
                                   const uint32_t *vertices, struct mr_capture_facts *facts,
                                   struct mr_error *err)
{
    const enum mr_status status =
        mr_memory_array(memory, "fetches of pages", facts->n, &facts->digests, err);

    for (uint64_t i = 0; status == MR_OK && i < captures->n; i++) {
        const struct mr_capture *capture = &captures->all[i];
        if (is_fetch(capture)) {
            uint32_t *digest =
                &facts->digests[mr_find_u64(facts->keys, facts->n, key_of(capture, vertices))];
            *digest = capture->digest > *digest ? capture->digest : *digest;
        }
    }
    return status;
}

enum mr_status mr_captures_list(const struct mr_captures *captures, struct mr_memory *memory,
                                const uint32_t *vertices, struct mr_capture_facts *facts,
                                struct mr_error *err)
{
    enum mr_status status =
        mr_memory_array(memory, "fetches of pages", captures->n_dated, &facts->keys, err);
    bool has_digests = false;

    for (uint64_t i = 0; status == MR_OK && i < captures->n; i++) {
        const struct mr_capture *capture = &captures->all[i];
        if (is_fetch(capture)) {
            facts->keys[facts->n++] = key_of(capture, vertices);
            has_digests |= capture->digest != MR_DIGEST_UNKNOWN;
        }
    }
    if (status == MR_OK) {
        mr_sort_u64_in_place(facts->keys, facts->n);
        facts->n = mr_unique_u64(facts->keys, facts->n);
    }
    return status == MR_OK && has_digests ? list_digests(captures, memory, vertices, facts, err)
                                          : status;
}

enum mr_status mr_captures_next(void *data, struct mr_fetch_facts *row, bool *is_over,
                                struct mr_error *err)
{
    struct mr_capture_facts *facts = data;

    (void)err;
    *is_over = facts->at == facts->n;
    if (*is_over) {
        return MR_OK;
    }
    const uint64_t first = facts->keys[facts->at];
    *row = (struct mr_fetch_facts){.position = (uint32_t)(first >> 32)};
    for (; facts->at < facts->n && facts->keys[facts->at] >> 32 == first >> 32; facts->at++) {
        mr_fetch_facts_add(row, (uint32_t)facts->keys[facts->at],
                           facts->digests != NULL ? facts->digests[facts->at] : MR_DIGEST_UNKNOWN);
    }
    return MR_OK;
}

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
