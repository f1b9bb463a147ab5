/* SPDX-License-Identifier: Apache-2.0 */
/* ppr --each: reads the seeds, pushes from a batch of them at a time, and writes their best pages.
 */
#include "cli/ranking/kind.h"

#include <math.h>

#include "cli/program/meta.h"
#include "engine/base/bytes.h"
#include "engine/base/clock.h"
#include "engine/base/count_text.h"
#include "engine/base/memory.h"
#include "formats/score/scores.h"

enum { USUAL_TOP = 100 }; /* by default */
#define USUAL_ERROR 1e-2

enum { ROWS = 1 << 15 }; /* of a batch; a seed with more is a batch by itself */

struct each_run {
    double error;
    struct mr_push_options options;
    uint64_t top;
    struct mr_teleport_batch seeds;
    struct mr_push *push;
    /* The best pages of a batch, `top` of each seed. */
    uint64_t room; /* seeds */
    uint32_t *vertices; /* [room * top] */
    double *scores; /* [room * top] */
    struct mr_push_answer *answers; /* [room] */
    struct mr_seed_pages pages;
    uint64_t n_proven;
    double bound; /* the largest */
    double push_seconds;
};

static const char *file_of(const struct mr_run *run)
{
    return *(const char *const *)mr_kind_flags(run->flags);
}

static enum mr_status check(struct mr_run *run, struct mr_error *err)
{
    const char *output = run->flags->columns.output;
    struct each_run *own = run->data;

    own->error = mr_kind_real(run, "tolerance");
    own->error = own->error > 0 ? own->error : USUAL_ERROR;
    own->options = (struct mr_push_options){sizeof own->options, mr_kind_real(run, "damping"),
                                            mr_kind_text(run->parsed, "dangling")};
    own->top = run->flags->columns.top > 0 ? run->flags->columns.top : USUAL_TOP;
    if (own->error > 1) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--tolerance %s: with --each it is at most 1, the sum of all scores",
                            mr_kind_text(run->parsed, "tolerance"));
    }
    if (run->flags->common.json && output == NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--json prints to standard output, as --each does; add -o FILE");
    }
    return mr_seed_pages_check(output, err);
}

/* ---- Memory ---- */

static void estimate(struct mr_run *run, uint64_t beside, struct mr_rank_costs *estimate)
{
    struct each_run *own = run->data;
    const uint64_t row = sizeof *own->vertices + sizeof *own->scores + sizeof *own->answers;
    const uint64_t rows = mr_max_u64(own->top, ROWS);
    const uint64_t more = rows * row + mr_seed_pages_memory(rows) + (1 << 20) + beside;
    struct mr_rank_costs costs = {0};
    struct mr_error ignored = {0};

    if (mr_push_plan(&run->session->context, mr_run_links(run), &own->options, &costs, &ignored) ==
        MR_OK) {
        estimate->least_bytes = costs.least_bytes + more;
        estimate->memory_bytes =
            mr_max_u64(estimate->least_bytes,
                       mr_min_u64(costs.memory_bytes + more, run->session->memory_limit));
        estimate->temporary_bytes =
            estimate->memory_bytes < costs.memory_bytes + more ? costs.temporary_bytes : 0;
    }
}

static enum mr_status open_rows(struct mr_run *run, struct mr_error *err)
{
    struct each_run *own = run->data;

    own->top = mr_min_u64(own->top, mr_run_info(run)->n_vertices);
    own->room = mr_min_u64(mr_max_u64(ROWS / own->top, 1), own->seeds.n_vectors);
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("best pages", own->room * own->top, &own->vertices),
        MR_WANTED("best pages", own->room * own->top, &own->scores),
        MR_WANTED("answers of seeds", own->room, &own->answers),
    };
    return mr_memory_arrays(run->session->context.memory, arrays, err);
}

static enum mr_status prepare(struct mr_run *run, struct mr_error *err)
{
    struct each_run *own = run->data;

    return mr_teleport_batch_read(&run->session->context, file_of(run), run->ranked->names,
                                  mr_run_info(run), true, run->flags->max_unknown, &own->seeds,
                                  err);
}

/* ---- The run ---- */

static enum mr_status begin_output(struct mr_run *run, struct mr_error *err)
{
    const char *path = run->flags->columns.output;
    struct each_run *own = run->data;

    own->pages = (struct mr_seed_pages){
        .context = &run->session->context,
        .names = run->ranked->names,
        .top = own->top,
        .rows = {.is_aligned = mr_session_is_read(&(struct mr_rows_flags){.output = path})}};
    mr_session_leave_terminal(run->session, path);
    const enum mr_status status = mr_seed_pages_open(
        &own->pages, path, run->flags->common.force, run->flags->columns.header,
        run->flags->columns.mark, own->seeds.n_vectors, own->room * own->top, err);
    run->columns.output = own->pages.rows.output;
    return status;
}

/* Answers and writes batch after batch. Seeds that did not converge are written as well. */
static enum mr_status answer_all(struct mr_run *run, struct mr_error *err)
{
    struct each_run *own = run->data;
    const uint64_t n = own->seeds.n_vectors;
    enum mr_status status = MR_OK, far = MR_OK;

    for (uint64_t first = 0; first < n && status == MR_OK; first += own->room) {
        const uint64_t count = mr_min_u64(own->room, n - first);
        const double began = mr_now();
        status = mr_context_report(&run->session->context, "push", "seeds", first, n, err);
        if (status == MR_OK) {
            status =
                mr_push_best(own->push, own->seeds.vectors + first, count, own->top, own->error,
                             own->vertices, own->scores, own->answers, far == MR_OK ? err : NULL);
        }
        own->push_seconds += mr_now() - began;
        if (status == MR_NOT_CONVERGED) {
            far = status;
            status = MR_OK;
        }
        if (status == MR_OK) {
            status = mr_seed_pages_write(&own->pages, own->seeds.names + first, count, own->answers,
                                         own->vertices, own->scores, far == MR_OK ? err : NULL);
        }
        for (uint64_t s = 0; s < count; s++) {
            own->n_proven += own->answers[s].proven;
            own->bound = fmax(own->bound, own->answers[s].bound);
        }
    }
    if (status == MR_OK) {
        status = mr_row_writer_finish(&own->pages.rows, far == MR_OK ? err : NULL);
    }
    return status == MR_OK ? far : status;
}

static enum mr_status rank(struct mr_run *run, struct mr_error *err)
{
    struct each_run *own = run->data;
    enum mr_status status = open_rows(run, err);
    if (status == MR_OK) {
        status = begin_output(run, err);
    }
    if (status == MR_OK) {
        status =
            mr_push_open(&run->session->context, mr_run_links(run), &own->options, &own->push, err);
    }
    return status == MR_OK ? answer_all(run, err) : status;
}

static double per_second(const struct each_run *own)
{
    return own->push_seconds > 0 ? (double)own->seeds.n_vectors / own->push_seconds : 0;
}

static void report(const struct mr_run *run)
{
    const struct each_run *own = run->data;
    const uint64_t n = own->seeds.n_vectors;
    char seeds[64], proven[32], top[64], bound[32];

    mr_session_say(run->session,
                   "%s, the best %s of each, proven for %s; the errors of all scores "
                   "of a seed add up to at most %s (tolerance %g), %.*f seeds a second, %.1f s",
                   mr_count_of_text(n, "seed", seeds), mr_count_of_text(own->top, "page", top),
                   own->n_proven == n ? "all" : mr_count_text(own->n_proven, proven),
                   mr_bound_text(own->bound, bound), own->error, per_second(own) < 1 ? 3 : 0,
                   per_second(own), run->seconds);
    mr_columns_note_escaped(run->session, own->pages.rows.n_escaped);
}

static void describe(const struct mr_run *run, struct mr_json *json)
{
    const struct each_run *own = run->data;

    mr_json_text(json, "algorithm", "ppr");
    mr_json_text(json, "each", file_of(run));
    mr_json_count(json, "seeds", own->seeds.n_vectors);
    mr_json_count(json, "seeds_empty", own->seeds.n_empty);
    mr_json_count(json, "seeds_unknown", own->seeds.weights.unknown);
    mr_json_count(json, "top", own->top);
    mr_json_count(json, "proven", own->n_proven);
    mr_json_real(json, "damping", own->options.damping);
    mr_json_text(json, "dangling",
                 own->options.dangling != NULL ? own->options.dangling : "teleport");
    mr_json_real(json, "tolerance", own->error);
    mr_json_real(json, "error_bound", own->bound);
    mr_json_flag(json, "converged", own->bound <= own->error);
    mr_json_real(json, "seeds_per_second", per_second(own));
}

/* Standard output has the pages already, if they go there. */
static void print(const struct mr_run *run)
{
    (void)run;
}

static enum mr_status end(struct mr_run *run, enum mr_status status, struct mr_error *err)
{
    struct mr_memory *memory = run->session->context.memory;
    struct each_run *own = run->data;

    (void)err;
    mr_push_close(own->push);
    mr_memory_free(memory, own->vertices);
    mr_memory_free(memory, own->scores);
    mr_memory_free(memory, own->answers);
    mr_seed_pages_close(&own->pages);
    mr_teleport_batch_free(&own->seeds);
    return status;
}

const struct mr_ranker mr_each_ranker = {.data_bytes = sizeof(struct each_run),
                                         .check = check,
                                         .estimate = estimate,
                                         .n_passes = 3,
                                         .prepare = prepare,
                                         .rank = rank,
                                         .report = report,
                                         .describe = describe,
                                         .print = print,
                                         .end = end};
