/* SPDX-License-Identifier: Apache-2.0 */
/* millrace opic --simulate: replays four crawls of the same graph, each with another order of
 * fetching. cmd_opic.c calls it in place of a ranking. It first ranks the whole graph with
 * PageRank, because the share of PageRank that a crawl has fetched shows how good its order is. */
#include <math.h>
#include <string.h>

#include "algorithms/opic/replay.h"
#include "algorithms/pagerank/pagerank.h"
#include "cli/opic/opic_job.h"
#include "engine/base/memory.h"
#include "formats/stream/output.h"
#include "formats/stream/svg_plot.h"

static const char *const order_names[MR_REPLAY_ORDERS] = {"random", "breadth_first", "greedy",
                                                          "pagerank"};

struct replay {
    struct mr_opic_job *job;
    struct mr_pagerank_result importance;
    struct mr_replay crawls[MR_REPLAY_ORDERS];
    uint64_t budget;
};

/* Computes the PageRank of the whole graph, which measures what a crawl has fetched. */
static enum mr_status rank(struct replay *replay, struct mr_error *err)
{
    struct mr_opic_job *job = replay->job;
    const double tax = job->flags->tax.share;
    struct mr_pagerank_options options;

    mr_pagerank_defaults(&options);
    if (tax > 0.0 && tax < 1.0) {
        options.damping = 1.0 - tax;
    }
    options.tolerance = 1e-6;
    options.backend = job->session->backend;
    options.no_pinning = job->flags->no_pin;
    return mr_pagerank(&job->session->context, job->graph.store, &options, &replay->importance,
                       err);
}

static enum mr_status crawl(struct replay *replay, enum mr_replay_order order, struct mr_error *err)
{
    const struct mr_opic_job *job = replay->job;
    const struct mr_replay_options options = {.struct_size = sizeof options,
                                              .order = order,
                                              .budget = replay->budget,
                                              .seeds = job->seeds.pages,
                                              .n_seeds = job->seeds.n_pages,
                                              .importance = replay->importance.scores,
                                              .tax = job->flags->tax.share,
                                              .seed = job->flags->seed,
                                              .backend = job->session->backend,
                                              .no_pinning = job->flags->no_pin};
    return mr_replay_simulate(&job->session->context, job->graph.store, &options,
                              &replay->crawls[order], err);
}

/* ---- Results ---- */

static uint64_t most_steps(const struct replay *replay)
{
    uint64_t most = 0;
    for (int i = 0; i < MR_REPLAY_ORDERS; i++) {
        most = replay->crawls[i].n_steps > most ? replay->crawls[i].n_steps : most;
    }
    return most;
}

/* Returns step `number` of a crawl, or its last step after its end. */
static struct mr_replay_step step_of(const struct mr_replay *crawled, uint64_t number)
{
    if (crawled->n_steps == 0) {
        return (struct mr_replay_step){0};
    }
    return crawled->steps[number < crawled->n_steps ? number : crawled->n_steps - 1];
}

static enum mr_status write_table(const struct replay *replay, struct mr_error *err)
{
    const struct mr_opic_job *job = replay->job;
    const uint64_t n_steps = most_steps(replay);
    struct mr_output *out = NULL;

    mr_session_leave_terminal(job->session, job->flags->output);
    enum mr_status status = mr_output_open(&job->session->context, job->flags->output,
                                           job->flags->common.force, &out, err);
    if (status != MR_OK) {
        return status;
    }
    status = mr_output_print(out, err, "step\tbudget\t%s\t%s\t%s\t%s\n", order_names[0],
                             order_names[1], order_names[2], order_names[3]);
    for (uint64_t i = 0; i < n_steps && status == MR_OK; i++) {
        status = mr_output_print(out, err, "%llu\t%llu", (unsigned long long)(i + 1),
                                 (unsigned long long)((i + 1) * replay->budget));
        for (int k = 0; k < MR_REPLAY_ORDERS && status == MR_OK; k++) {
            status = mr_output_print(out, err, "\t%.6f", step_of(&replay->crawls[k], i).importance);
        }
        if (status == MR_OK) {
            status = mr_output_write(out, "\n", 1, err);
        }
    }
    if (status != MR_OK) {
        mr_output_abandon(out);
        return status;
    }
    return mr_output_commit(out, err);
}

static enum mr_status write_plot(const struct replay *replay, struct mr_error *err)
{
    const struct mr_opic_job *job = replay->job;
    const uint64_t n_points = most_steps(replay) + 1;
    struct mr_memory *memory = job->session->context.memory;
    struct mr_plot_curve curves[MR_REPLAY_ORDERS];
    void *points = NULL;
    double end = 1.0;

    if (job->flags->plot == NULL) {
        return MR_OK;
    }
    enum mr_status status = mr_memory_alloc(
        memory, "points of a plot", 2 * MR_REPLAY_ORDERS * n_points * sizeof(double), &points, err);
    if (status != MR_OK) {
        return status;
    }
    for (int k = 0; k < MR_REPLAY_ORDERS; k++) {
        double *x = (double *)points + 2 * (uint64_t)k * n_points, *y = x + n_points;
        for (uint64_t i = 1; i < n_points; i++) {
            const struct mr_replay_step step = step_of(&replay->crawls[k], i - 1);
            x[i] = (double)step.fetched;
            y[i] = fmin(step.importance, 1.0);
            end = fmax(end, x[i]);
        }
        curves[k] =
            (struct mr_plot_curve){.name = order_names[k], .x = x, .y = y, .n_points = n_points};
    }
    const struct mr_plot plot = {.title = "Importance fetched, by crawl order",
                                 .x_label = "pages fetched",
                                 .y_label = "share of all importance",
                                 .x_end = end,
                                 .y_end = 1.0,
                                 .curves = curves,
                                 .n_curves = MR_REPLAY_ORDERS};
    status = mr_plot_write(&job->session->context, job->flags->plot, job->flags->common.force,
                           &plot, err);
    mr_memory_free(memory, points);
    return status;
}

/* Prints the mean share fetched of each crawl, over all steps of the longest crawl. This is the
 * area under its curve. */
static void report(const struct replay *replay)
{
    const uint64_t n_steps = most_steps(replay);
    char pages[32];
    double area[MR_REPLAY_ORDERS] = {0};

    for (int k = 0; k < MR_REPLAY_ORDERS && n_steps > 0; k++) {
        for (uint64_t i = 0; i < n_steps; i++) {
            area[k] += step_of(&replay->crawls[k], i).importance / (double)n_steps;
        }
    }
    mr_session_say(replay->job->session,
                   "%s pages reached in %llu steps; mean share of importance fetched: random %.3f, "
                   "breadth-first %.3f, greedy %.3f, pagerank %.3f",
                   mr_count_text(step_of(&replay->crawls[0], n_steps).fetched, pages),
                   (unsigned long long)n_steps, area[0], area[1], area[2], area[3]);
}

enum mr_status mr_opic_simulate(struct mr_opic_job *job, struct mr_error *err)
{
    struct replay replay = {.job = job,
                            .budget = mr_opic_pages(job->flags->budget, job->info->n_vertices)};

    enum mr_status status = rank(&replay, err);
    for (int i = 0; i < MR_REPLAY_ORDERS && status == MR_OK; i++) {
        status = crawl(&replay, (enum mr_replay_order)i, err);
    }
    if (status == MR_OK) {
        report(&replay);
        mr_session_publish_together(job->session);
        status = write_table(&replay, err);
        if (status == MR_OK) {
            status = write_plot(&replay, err);
        }
        status = mr_session_publish(job->session, status, err);
    }
    for (int i = 0; i < MR_REPLAY_ORDERS; i++) {
        mr_replay_free(&replay.crawls[i]);
    }
    mr_pagerank_result_free(&replay.importance);
    return status;
}
