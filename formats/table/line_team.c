/* SPDX-License-Identifier: Apache-2.0 */
/* Hands chunks of lines to threads, for the readers of links, scores and lists. A line number, and
 * the question which bad line is the first, depend on the chunks before, so each chunk has a turn
 * (engine/base/team.h). A single worker gets the lines where they are, without a copy. */
#include "formats/table/line_team.h"

#include "engine/base/bytes.h"
#include "engine/base/memory.h"

/* Memory of a worker: a chunk, and what it makes of its lines. */
#define WORKER_BYTES ((uint64_t)3 << 19)
#define CHUNK_BYTES  ((size_t)320 << 10) /* at the beginning; longer lines need more */

struct mr_line_team {
    const struct mr_context *context;
    struct mr_input *input;
    size_t chunk_bytes;
    bool copies;
    mr_line_work work;
    void *data;
    pthread_mutex_t reading; /* guards `lines`, `n_chunks`, `ended` */
    struct mr_lines *lines;
    uint64_t n_chunks;
    bool ended;
    uint64_t lines_before; /* in the chunks before the one that has the turn; of its thread */
};

unsigned mr_line_team_size(const struct mr_context *context)
{
    const uint64_t affordable = mr_memory_available(context->memory) / 8 / WORKER_BYTES;
    return affordable >= context->threads ? context->threads
           : affordable > 1               ? (unsigned)affordable
                                          : 1;
}

bool mr_line_chunk_await(struct mr_line_chunk *chunk)
{
    if (!chunk->has_turn) {
        chunk->has_turn = mr_team_await(chunk->turns, chunk->number);
        chunk->lines_before = chunk->has_turn ? chunk->team->lines_before : 0;
    }
    return chunk->has_turn;
}

void mr_line_chunk_pass(struct mr_line_chunk *chunk, uint64_t n_lines)
{
    if (mr_line_chunk_await(chunk)) {
        chunk->team->lines_before += n_lines;
        mr_team_pass(chunk->turns);
    }
}

/* Takes the next lines, with the lock. */
static enum mr_status take(struct mr_line_chunk *chunk, struct mr_error *err)
{
    struct mr_line_team *team = chunk->team;
    const char *text = NULL;
    size_t bytes = 0;
    enum mr_status status = MR_OK;

    if (!team->ended) {
        status = mr_lines_chunk(team->lines, 0, team->chunk_bytes, &text, &bytes, err);
    }
    team->ended |= status != MR_OK || text == NULL;
    mr_input_position(team->input, &chunk->place.done, &chunk->place.total);
    chunk->place.pending = mr_lines_pending(team->lines);
    if (status == MR_OK && team->copies && bytes > chunk->room) {
        const size_t room = (size_t)mr_max_u64(bytes, mr_min_u64(team->chunk_bytes, CHUNK_BYTES));
        status = mr_memory_resize(team->context->memory, "text of lines", &chunk->copy,
                                  room + MR_LINES_PADDING_BYTES, err);
        chunk->room = status == MR_OK ? room : chunk->room;
    }
    if (status == MR_OK && team->copies && bytes > 0) {
        text = memcpy(chunk->copy, text, bytes);
    }
    chunk->text = text;
    chunk->bytes = status == MR_OK ? bytes : 0;
    chunk->number = team->n_chunks++;
    chunk->has_turn = false;
    return status;
}

enum mr_status mr_line_chunk_next(struct mr_line_chunk *chunk, struct mr_error *err)
{
    struct mr_line_team *team = chunk->team;
    enum mr_status status = MR_OK;

    chunk->bytes = 0;
    if (mr_team_failed(chunk->turns)) {
        return MR_OK;
    }
    status = mr_context_poll(team->context, err);
    if (status != MR_OK) {
        return status;
    }
    (void)pthread_mutex_lock(&team->reading);
    status = take(chunk, err);
    (void)pthread_mutex_unlock(&team->reading);
    if (status != MR_OK && !mr_line_chunk_await(chunk)) {
        return MR_OK; /* an error before this one ends the run */
    }
    if (status != MR_OK && err != NULL && err->location_kind == MR_ERROR_LOCATION_LINE) {
        err->position += team->lines_before;
    }
    return status;
}

/* A mr_team_work: a chunk is a job. */
static enum mr_status work(void *data, struct mr_team *turns, unsigned number, struct mr_error *err)
{
    struct mr_line_team *team = data;
    struct mr_line_chunk chunk = {.worker = number, .team = team, .turns = turns};
    const enum mr_status status = team->work(team->data, &chunk, err);

    mr_memory_free(team->context->memory, chunk.copy);
    return status;
}

enum mr_status mr_line_team_run(const struct mr_context *context, struct mr_input *input,
                                struct mr_lines *lines, unsigned n_workers, size_t chunk_bytes,
                                mr_line_work do_work, void *data, struct mr_error *err)
{
    struct mr_line_team team = {.context = context,
                                .input = input,
                                .chunk_bytes = chunk_bytes,
                                .copies = n_workers > 1,
                                .work = do_work,
                                .data = data,
                                .reading = PTHREAD_MUTEX_INITIALIZER,
                                .lines = lines,
                                .lines_before = mr_lines_number(lines)};

    return mr_team_run(context, UINT64_MAX, n_workers, work, &team, err);
}
