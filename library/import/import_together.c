/* SPDX-License-Identifier: Apache-2.0 */
/* Reads several inputs at the same time (import_graphs.h): the archives of a crawl, whose pages
 * take long to parse. The final numbers of names come from their order, so that it does not matter
 * which thread adds a name first. A failed input stops those behind it; those before it are read to
 * the end, because one of them may fail as well. */
#include "library/import/import_graphs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/team.h"

/* A reader of an archive: buffers of the input and its decoder, and the largest page. */
#define WORKER_BYTES ((uint64_t)24 << 20)

struct together {
    const struct mr_import_together *job;
    pthread_mutex_t mutex; /* guards the sink, and what follows */
    size_t next, n_done;
    size_t failed_at; /* the first input that is known to fail; n_inputs: none */
    enum mr_status status;
    struct mr_error error;
    char **notes; /* [n_inputs]: lines; NULL: none, or there was no memory for them */
};

/* What one thread reads with. */
struct import_worker {
    struct together *together;
    size_t index; /* of its input */
    struct mr_context context;
    struct mr_edge_text_summary summary;
};

unsigned mr_import_together_workers(const struct mr_context *context, size_t n_inputs)
{
    const uint64_t affordable = mr_memory_available(context->memory) / 2 / WORKER_BYTES;
    const uint64_t most = mr_min_u64(mr_min_u64(context->threads, n_inputs), affordable);
    return (unsigned)mr_max_u64(1, most);
}

/* ---- One call at a time ---- */

static void lock(struct together *together)
{
    (void)pthread_mutex_lock(&together->mutex);
}

static void unlock(struct together *together)
{
    (void)pthread_mutex_unlock(&together->mutex);
}

/* Under the lock: has an input before this one failed? */
static enum mr_status check(const struct import_worker *worker, struct mr_error *err)
{
    return worker->index > worker->together->failed_at
               ? mr_error_set(err, MR_INTERRUPTED, "an input before this one failed")
               : MR_OK;
}

static enum mr_status add_name(void *data, const char *name, size_t name_bytes, uint64_t *id,
                               struct mr_error *err)
{
    struct import_worker *worker = data;
    const struct mr_graph_sink *sink = worker->together->job->sink;
    lock(worker->together);
    enum mr_status status = check(worker, err);
    if (status == MR_OK) {
        status = sink->name(sink->data, name, name_bytes, id, err);
    }
    unlock(worker->together);
    return status;
}

static enum mr_status add_capture(void *data, const struct mr_capture *capture, uint64_t *id,
                                  struct mr_error *err)
{
    struct import_worker *worker = data;
    const struct mr_graph_sink *sink = worker->together->job->sink;
    lock(worker->together);
    enum mr_status status = check(worker, err);
    if (status == MR_OK) {
        status = sink->capture(sink->data, capture, id, err);
    }
    unlock(worker->together);
    return status;
}

static enum mr_status add_edges(void *data, struct mr_edge *edges, const float *weights,
                                size_t n_edges, struct mr_error *err)
{
    struct import_worker *worker = data;
    const struct mr_graph_sink *sink = worker->together->job->sink;
    lock(worker->together);
    enum mr_status status = check(worker, err);
    if (status == MR_OK) {
        status = sink->edges(sink->data, edges, weights, n_edges, err);
    }
    unlock(worker->together);
    return status;
}

/* Keeps a note until all inputs are read. */
static void keep_note(void *data, const char *text)
{
    struct import_worker *worker = data;
    char **notes = &worker->together->notes[worker->index];
    const size_t before = *notes == NULL ? 0 : strlen(*notes), bytes = strlen(text);
    char *longer = realloc(*notes, before + bytes + 2);
    if (longer != NULL) {
        memcpy(longer + before, text, bytes);
        memcpy(longer + before + bytes, "\n", 2);
        *notes = longer;
    }
}

/* ---- Inputs ---- */

static bool next_input(struct import_worker *worker)
{
    struct together *together = worker->together;
    lock(together);
    const size_t end = together->failed_at;
    const bool is_left = together->next < end && together->next < together->job->n_inputs;
    worker->index = is_left ? together->next++ : 0;
    unlock(together);
    return is_left;
}

static void add_counts(struct mr_edge_text_summary *to, const struct mr_edge_text_summary *from)
{
    to->lines += from->lines;
    to->comments += from->comments;
    to->blank += from->blank;
    to->edges += from->edges;
    to->vertices += from->vertices;
    to->pages += from->pages;
    to->bad_lines += from->bad_lines;
    to->extra_columns += from->extra_columns;
    to->other_kinds += from->other_kinds;
    to->no_values += from->no_values;
    to->zero_weights += from->zero_weights;
    to->bad_times += from->bad_times;
}

static void work(struct together *together)
{
    const struct mr_import_together *job = together->job;
    struct import_worker worker = {.together = together, .context = *job->context};
    const struct mr_graph_sink sink = {.data = &worker,
                                       .name = add_name,
                                       .capture = add_capture,
                                       .edges = add_edges,
                                       .n_workers = 1};

    worker.context.threads = 1;
    worker.context.progress = NULL;
    worker.context.note = keep_note;
    worker.context.note_data = &worker;
    while (next_input(&worker)) {
        struct mr_error error = {.status = MR_OK};
        const enum mr_status status =
            job->read(job->data, worker.index, &worker.context, &worker.summary, &sink, &error);
        lock(together);
        if (status != MR_OK && worker.index < together->failed_at) {
            together->failed_at = worker.index;
            together->status = status;
            together->error = error;
        }
        together->n_done++;
        const enum mr_status polled = mr_context_report(job->context, "parse", "files",
                                                        together->n_done, job->n_inputs, NULL);
        (void)polled; /* readers poll themselves */
        unlock(together);
    }
    lock(together);
    add_counts(job->summary, &worker.summary);
    unlock(together);
}

/* Passes the notes on that one thread would have made. */
static void give_notes(const struct together *together)
{
    for (size_t i = 0; i < together->job->n_inputs && i <= together->failed_at; i++) {
        char *at = together->notes[i];
        for (char *end; at != NULL && (end = strchr(at, '\n')) != NULL; at = end + 1) {
            *end = '\0';
            mr_context_note(together->job->context, "%s", at);
        }
    }
}

enum mr_status mr_import_read_together(const struct mr_import_together *job, struct mr_error *err)
{
    struct together together = {.job = job,
                                .mutex = PTHREAD_MUTEX_INITIALIZER,
                                .failed_at = job->n_inputs,
                                .notes = calloc(job->n_inputs + 1, sizeof(char *))};
    if (together.notes == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for notes");
    }
#pragma omp parallel num_threads(mr_team_threads(job->n_workers))
    work(&together);
    give_notes(&together);
    for (size_t i = 0; i < job->n_inputs; i++) {
        free(together.notes[i]);
    }
    free(together.notes);
    if (together.status != MR_OK && err != NULL && err->status == MR_OK) {
        *err = together.error;
    }
    return together.status;
}
