/* SPDX-License-Identifier: Apache-2.0 */
/* Reads an edge list with several threads. Chunks of lines are read one after the other
 * and parsed at the same time:
 *
 *     worker 0   read 0 | parse 0 ......... | read 2 | parse 2 ......
 *     worker 1          | read 1 | parse 1 ......... | read 3 | ...
 *
 * Decompression is part of reading. A line number, and the question which bad line is the first,
 * depend on the chunks before: a bad line waits until those chunks are done. Names become vertices
 * in the order of the input, so that a chunk of names, once parsed, waits as well. */
#include <assert.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/base/team.h"
#include "formats/graph/edge_text_internal.h"
#include "formats/table/lines.h"

/* Memory of a worker: a chunk, a batch, a chunk of the spool; see mr_edge_text_team_size. */
#define WORKER_BYTES ((uint64_t)3 << 19)
#define CHUNK_BYTES  ((size_t)320 << 10) /* at the beginning; longer lines need more */

struct mr_edge_text_team {
    const struct mr_edge_text_reader *first;
    mr_edge_text_parse parse;
    pthread_mutex_t reading; /* guards `lines`, `n_chunks`, `ended` */
    struct mr_lines *lines;
    uint64_t n_chunks;
    bool ended;
    /* In the chunks before the one that has the turn; of the thread that has it. */
    uint64_t lines_before;
    uint64_t edges_before;
};

struct text_worker {
    struct mr_edge_text_team *team;
    struct mr_edge_text_reader reader;
    struct mr_edge_text_summary counts; /* of its chunk, until the chunk has its turn */
    void *text; /* [text_bytes + MR_LINES_PADDING_BYTES] */
    size_t text_bytes;
    size_t n_bytes; /* 0: the input has ended */
};

unsigned mr_edge_text_team_size(const struct mr_context *context)
{
    uint64_t affordable = mr_memory_available(context->memory) / 8 / WORKER_BYTES;
    return (unsigned)(affordable < context->threads ? affordable : context->threads);
}

enum mr_status mr_edge_text_open_batch(struct mr_edge_text_reader *reader, struct mr_error *err)
{
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("edge batch", MR_EDGE_TEXT_BATCH, &reader->batch),
        MR_WANTED("batch of names", reader->options->ids == MR_IDS_TEXT, &reader->names),
    };
    return mr_memory_arrays(reader->context->memory, arrays, err);
}

void mr_edge_text_close_batch(struct mr_edge_text_reader *reader)
{
    mr_memory_free(reader->context->memory, reader->batch);
    mr_memory_free(reader->context->memory, reader->names);
}

/* ---- Turns ---- */

static void add_counts(struct mr_edge_text_summary *to, struct mr_edge_text_summary *from)
{
    to->lines += from->lines;
    to->comments += from->comments;
    to->blank += from->blank;
    to->edges += from->edges;
    to->bad_lines += from->bad_lines;
    to->extra_columns += from->extra_columns;
    to->no_values += from->no_values;
    *from = (struct mr_edge_text_summary){0};
}

bool mr_edge_text_await_turn(struct mr_edge_text_reader *reader)
{
    struct mr_edge_text_team *team = reader->team;
    if (team == NULL || reader->has_turn) {
        return true;
    }
    reader->has_turn = mr_team_await(reader->turns, reader->chunk);
    if (reader->has_turn) {
        reader->line += team->lines_before;
        reader->edges += team->edges_before;
        add_counts(team->first->summary, reader->summary);
        reader->summary = team->first->summary;
    }
    return reader->has_turn;
}

/* Ends the turn of a finished chunk; the next chunk has its turn. */
static void pass_turn(struct text_worker *worker)
{
    struct mr_edge_text_reader *reader = &worker->reader;
    struct mr_edge_text_team *team = worker->team;
    if (mr_edge_text_await_turn(reader)) {
        mr_edge_text_report(reader);
        team->lines_before = reader->line;
        team->edges_before = reader->edges;
        mr_team_pass(reader->turns);
    }
}

/* ---- Chunks ---- */

/* Copies the next chunk for the worker and resets the counts of its reader. */
static enum mr_status take_chunk(struct text_worker *worker, struct mr_error *err)
{
    struct mr_edge_text_team *team = worker->team;
    struct mr_edge_text_reader *reader = &worker->reader;
    struct mr_memory *memory = team->first->context->memory;
    const char *data = NULL;
    enum mr_status status = MR_OK;

    worker->n_bytes = 0;
    (void)pthread_mutex_lock(&team->reading);
    if (!team->ended) {
        status = mr_lines_chunk(team->lines, 0, &data, &worker->n_bytes, err);
    }
    team->ended |= status != MR_OK || data == NULL;
    mr_input_position(reader->input, &reader->bytes_done, &reader->bytes_total);
    if (status == MR_OK && worker->n_bytes > worker->text_bytes) {
        status = mr_memory_resize(memory, "text of links", &worker->text,
                                  worker->n_bytes + MR_LINES_PADDING_BYTES, err);
        worker->text_bytes = status == MR_OK ? worker->n_bytes : worker->text_bytes;
    }
    if (status == MR_OK && worker->n_bytes > 0) {
        assert(data != NULL);
        memcpy(worker->text, data, worker->n_bytes);
    }
    reader->chunk = team->n_chunks++;
    reader->has_turn = false;
    reader->line = 0;
    reader->edges = 0;
    reader->summary = &worker->counts;
    (void)pthread_mutex_unlock(&team->reading);
    return status;
}

/* Reports a reading error after the errors of all chunks before. Adds their lines to its line
 * number. */
static enum mr_status in_its_turn(struct text_worker *worker, enum mr_status status,
                                  struct mr_error *error)
{
    if (!mr_edge_text_await_turn(&worker->reader)) {
        return MR_OK; /* another worker failed before */
    }
    if (error->location_kind == MR_ERROR_LOCATION_LINE) {
        error->position += worker->team->lines_before;
    }
    return status;
}

static enum mr_status work_through(struct text_worker *worker, struct mr_error *error)
{
    enum mr_status status =
        mr_memory_alloc(worker->team->first->context->memory, "text of links",
                        CHUNK_BYTES + MR_LINES_PADDING_BYTES, &worker->text, error);
    worker->text_bytes = CHUNK_BYTES;
    while (status == MR_OK && !mr_team_failed(worker->reader.turns)) {
        status = mr_context_poll(worker->reader.context, error);
        if (status != MR_OK) {
            break;
        }
        status = take_chunk(worker, error);
        if (status != MR_OK) {
            return in_its_turn(worker, status, error);
        }
        if (worker->n_bytes == 0) {
            break;
        }
        const char *text = worker->text;
        status = worker->team->parse(&worker->reader, text, text + worker->n_bytes, error);
        if (status == MR_OK) {
            pass_turn(worker);
        }
    }
    return status;
}

/* A mr_team_work: a chunk is a job. */
static enum mr_status work(void *data, struct mr_team *turns, unsigned number, struct mr_error *err)
{
    struct mr_edge_text_team *team = data;
    struct text_worker worker = {.team = team, .reader = *team->first};

    worker.reader.worker = number;
    worker.reader.team = team;
    worker.reader.turns = turns;
    enum mr_status status = mr_edge_text_open_batch(&worker.reader, err);
    if (status == MR_OK) {
        status = work_through(&worker, err);
    }
    mr_memory_free(team->first->context->memory, worker.text);
    mr_edge_text_close_batch(&worker.reader);
    return status;
}

enum mr_status mr_edge_text_read_by_team(const struct mr_edge_text_reader *first,
                                         mr_edge_text_parse parse, unsigned n_workers,
                                         struct mr_error *err)
{
    struct mr_edge_text_team team = {
        .first = first, .parse = parse, .reading = PTHREAD_MUTEX_INITIALIZER};

    enum mr_status status = mr_lines_open(first->context, first->input, &team.lines, err);
    if (status == MR_OK) {
        status = mr_team_run(first->context, UINT64_MAX, n_workers, work, &team, err);
    }
    mr_lines_close(team.lines);
    return status;
}
