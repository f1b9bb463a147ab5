/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of an output that all threads make (output.h). A part holds what its thread wrote
 * until it has its turn. One thread alone needs no parts: it writes to the output itself, and ends
 * a frame where a part would end. */
#include "formats/stream/output.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/team.h"
#include "formats/stream/output_internal.h"

/* What one thread has. */
struct part_worker {
    void *state; /* the caller's */
    struct mr_output *part;
};

struct output_job {
    const struct mr_output_rows *rows;
    struct mr_output *whole;
    struct part_worker *workers; /* [n_workers] */
    unsigned n_workers;
};

static uint64_t n_parts_of(const struct mr_output_rows *rows)
{
    return mr_div_up(rows->n_rows, rows->rows_per_part);
}

static enum mr_status report(const struct output_job *job, uint64_t n_parts, struct mr_error *err)
{
    const struct mr_output_rows *rows = job->rows;
    const uint64_t done = mr_min_u64(n_parts * rows->rows_per_part, rows->n_rows);
    return mr_context_report(job->whole->context, "write", "rows", done, rows->n_rows, err);
}

/* All that the part holds goes to the file, when it has its turn. */
static enum mr_status put_held(struct mr_output *part, struct mr_error *err)
{
    if (!mr_team_await(part->turns, part->number)) {
        return mr_error_set(err, MR_ERROR_RUNTIME, "another thread could not write");
    }
    struct mr_output *whole = part->whole;
    const enum mr_status status = mr_output_put(whole, part->held, part->n_held, err);
    whole->has_frame |= part->n_held > 0;
    part->n_held = 0;
    return status;
}

static enum mr_status hold(struct mr_output *part, const void *data, size_t bytes,
                           struct mr_error *err)
{
    enum mr_status status = MR_OK;
    if (bytes > MR_OUTPUT_HELD_BYTES - part->n_held) {
        status = put_held(part, err);
    }
    if (status == MR_OK) { /* a buffer is smaller than what a part holds */
        memcpy(part->held + part->n_held, data, bytes);
        part->n_held += bytes;
    }
    return status;
}

/* ---- Threads ---- */

static enum mr_status write_part(struct part_worker *worker, const struct mr_output_rows *rows,
                                 struct mr_output *to, uint64_t number, struct mr_error *err)
{
    const uint64_t first = number * rows->rows_per_part;
    const uint64_t end = mr_min_u64(first + rows->rows_per_part, rows->n_rows);
    const enum mr_status status = rows->write(worker->state, to, first, end, err);
    return status == MR_OK ? mr_output_end_frame(to, err) : status;
}

/* A mr_team_work: a part is a job. */
static enum mr_status work(void *data, struct mr_team *team, unsigned number, struct mr_error *err)
{
    struct output_job *job = data;
    struct part_worker *worker = &job->workers[number];
    struct mr_output *part = worker->part;
    enum mr_status status = MR_OK;

    part->turns = team;
    while (status == MR_OK && mr_team_next(team, &part->number)) {
        status = write_part(worker, job->rows, part, part->number, err);
        if (status == MR_OK) {
            status = put_held(part, err);
        }
        if (status == MR_OK) {
            status = report(job, part->number + 1, err);
            mr_team_pass(team);
        }
    }
    return status;
}

static enum mr_status run_together(struct output_job *job, struct mr_error *err)
{
    const enum mr_status status = mr_output_end_frame(job->whole, err);
    return status == MR_OK ? mr_team_run(job->whole->context, n_parts_of(job->rows), job->n_workers,
                                         work, job, err)
                           : status;
}

static enum mr_status run_alone(struct output_job *job, struct mr_error *err)
{
    struct mr_output *whole = job->whole;
    const uint64_t n_parts = n_parts_of(job->rows);
    enum mr_status status = mr_output_end_frame(whole, err);
    for (uint64_t number = 0; number < n_parts && status == MR_OK; number++) {
        status = report(job, number, err);
        if (status == MR_OK) {
            status = write_part(&job->workers[0], job->rows, whole, number, err);
        }
    }
    return status;
}

/* One worker, and as many more as there are threads, parts and memory for. */
static enum mr_status open_workers(struct output_job *job, struct mr_error *err)
{
    struct mr_output *whole = job->whole;
    const uint64_t most =
        job->rows->one_by_one ? 1 : mr_min_u64(whole->context->threads, n_parts_of(job->rows));
    enum mr_status status = job->rows->open(job->rows->data, &job->workers[0].state, err);
    if (status != MR_OK) {
        return status;
    }
    job->n_workers = 1;
    for (unsigned i = 0; i < most && most > 1; i++) {
        struct part_worker *worker = &job->workers[i];
        struct mr_error error = {0};
        status = mr_output_part_open(whole, hold, &worker->part, &error);
        if (status == MR_OK && i > 0) {
            status = job->rows->open(job->rows->data, &worker->state, &error);
        }
        if (status != MR_OK) {
            mr_output_abandon(worker->part);
            worker->part = NULL;
            if (status != MR_ERROR_BUDGET && err != NULL && err->status == MR_OK) {
                *err = error;
            }
            return status == MR_ERROR_BUDGET ? MR_OK : status; /* fewer threads */
        }
        job->n_workers = i + 1;
    }
    return MR_OK;
}

static void close_workers(struct output_job *job)
{
    for (unsigned i = 0; i < job->n_workers; i++) {
        if (job->rows->close != NULL) {
            job->rows->close(job->rows->data, job->workers[i].state);
        }
        mr_output_abandon(job->workers[i].part);
    }
    free(job->workers);
}

enum mr_status mr_output_write_rows(struct mr_output *output, const struct mr_output_rows *rows,
                                    struct mr_error *err)
{
    struct output_job job = {.rows = rows, .whole = output};
    const unsigned n_threads = output->context->threads > 1 ? output->context->threads : 1;
    if (rows->n_rows == 0) {
        return MR_OK;
    }
    job.workers = calloc(n_threads, sizeof *job.workers);
    if (job.workers == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the threads of an output");
    }
    enum mr_status status = open_workers(&job, err);
    if (status == MR_OK) {
        status = job.n_workers > 1 ? run_together(&job, err) : run_alone(&job, err);
    }
    close_workers(&job);
    return status;
}
