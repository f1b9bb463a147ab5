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
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
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
    struct mr_team failures;
    pthread_mutex_t reading; /* guards `lines`, `n_chunks`, `ended` */
    struct mr_lines *lines;
    uint64_t n_chunks;
    bool ended;
    pthread_mutex_t turning; /* guards what follows */
    pthread_cond_t turned;
    uint64_t turn; /* the first chunk that is not done */
    uint64_t lines_before; /* in the chunks before it */
    uint64_t edges_before;
};

struct worker {
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
    struct mr_memory *memory = reader->context->memory;
    void *batch = NULL, *names = NULL;
    reader->batch = NULL;
    reader->names = NULL;
    enum mr_status status = mr_memory_alloc(
        memory, "edge batch", MR_EDGE_TEXT_BATCH * sizeof(struct mr_edge), &batch, err);
    if (status == MR_OK && reader->options->ids == MR_IDS_TEXT) {
        status = mr_memory_alloc(memory, "batch of names", sizeof *reader->names, &names, err);
    }
    reader->batch = batch;
    reader->names = names;
    return status;
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
    *from = (struct mr_edge_text_summary){0};
}

bool mr_edge_text_await_turn(struct mr_edge_text_reader *reader)
{
    struct mr_edge_text_team *team = reader->team;
    if (team == NULL || reader->has_turn) {
        return true;
    }
    (void)pthread_mutex_lock(&team->turning);
    while (team->turn != reader->chunk && !mr_team_failed(&team->failures)) {
        (void)pthread_cond_wait(&team->turned, &team->turning);
    }
    reader->has_turn = team->turn == reader->chunk && !mr_team_failed(&team->failures);
    (void)pthread_mutex_unlock(&team->turning);
    if (reader->has_turn) {
        reader->line += team->lines_before;
        reader->edges += team->edges_before;
        add_counts(team->first->summary, reader->summary);
        reader->summary = team->first->summary;
    }
    return reader->has_turn;
}

/* Ends the turn of a finished chunk; the next chunk has its turn. */
static void pass_turn(struct worker *worker)
{
    struct mr_edge_text_reader *reader = &worker->reader;
    struct mr_edge_text_team *team = worker->team;
    if (mr_edge_text_await_turn(reader)) {
        mr_edge_text_report(reader);
        (void)pthread_mutex_lock(&team->turning);
        team->lines_before = reader->line;
        team->edges_before = reader->edges;
        team->turn++;
        (void)pthread_cond_broadcast(&team->turned);
        (void)pthread_mutex_unlock(&team->turning);
    }
}

static void fail(struct mr_edge_text_team *team, enum mr_status status, const struct mr_error *err)
{
    mr_team_fail(&team->failures, status, err);
    (void)pthread_mutex_lock(&team->turning);
    (void)pthread_cond_broadcast(&team->turned);
    (void)pthread_mutex_unlock(&team->turning);
}

/* ---- Chunks ---- */

/* Copies the next chunk for the worker and resets the counts of its reader. */
static enum mr_status take_chunk(struct worker *worker, struct mr_error *err)
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
static enum mr_status in_its_turn(struct worker *worker, enum mr_status status,
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

static enum mr_status work_through(struct worker *worker, struct mr_error *error)
{
    enum mr_status status =
        mr_memory_alloc(worker->team->first->context->memory, "text of links",
                        CHUNK_BYTES + MR_LINES_PADDING_BYTES, &worker->text, error);
    worker->text_bytes = CHUNK_BYTES;
    while (status == MR_OK && !mr_team_failed(&worker->team->failures)) {
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

static void work(struct mr_edge_text_team *team, unsigned number)
{
    struct worker worker = {.team = team, .reader = *team->first};
    struct mr_memory *memory = team->first->context->memory;
    struct mr_error error = {.status = MR_OK};

    worker.reader.worker = number;
    worker.reader.team = team;
    enum mr_status status = mr_edge_text_open_batch(&worker.reader, &error);
    if (status == MR_OK) {
        status = work_through(&worker, &error);
    }
    if (status != MR_OK) {
        fail(team, status, &error);
    }
    mr_memory_free(memory, worker.text);
    mr_edge_text_close_batch(&worker.reader);
}

/* ---- All of it ---- */

static enum mr_status begin(struct mr_edge_text_team *team, struct mr_error *err)
{
    const struct mr_edge_text_reader *first = team->first;
    int failure = pthread_mutex_init(&team->reading, NULL);
    if (failure == 0) {
        failure = pthread_mutex_init(&team->turning, NULL);
        if (failure != 0) {
            (void)pthread_mutex_destroy(&team->reading);
        }
    }
    if (failure == 0) {
        failure = pthread_cond_init(&team->turned, NULL);
        if (failure != 0) {
            (void)pthread_mutex_destroy(&team->turning);
            (void)pthread_mutex_destroy(&team->reading);
        }
    }
    if (failure != 0) {
        return mr_error_file(err, MR_ERROR_RUNTIME, NULL, failure, "cannot make a mutex");
    }
    enum mr_status status = mr_lines_open(first->context, first->input, &team->lines, err);
    if (status == MR_OK) {
        status = mr_team_begin(&team->failures, first->context, UINT64_MAX, err);
        if (status != MR_OK) {
            mr_lines_close(team->lines);
        }
    }
    if (status != MR_OK) {
        (void)pthread_cond_destroy(&team->turned);
        (void)pthread_mutex_destroy(&team->turning);
        (void)pthread_mutex_destroy(&team->reading);
    }
    return status;
}

enum mr_status mr_edge_text_read_by_team(const struct mr_edge_text_reader *first,
                                         mr_edge_text_parse parse, unsigned n_workers,
                                         struct mr_error *err)
{
    struct mr_edge_text_team team = {.first = first, .parse = parse};
    enum mr_status status = begin(&team, err);
    if (status != MR_OK) {
        return status;
    }
#pragma omp parallel num_threads((int)n_workers)
    work(&team, (unsigned)omp_get_thread_num());
    status = mr_team_end(&team.failures, err);
    mr_lines_close(team.lines);
    (void)pthread_cond_destroy(&team.turned);
    (void)pthread_mutex_destroy(&team.turning);
    (void)pthread_mutex_destroy(&team.reading);
    return status;
}
