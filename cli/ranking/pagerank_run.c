/* SPDX-License-Identifier: Apache-2.0 */
/* The log, the checkpoint and the start of a run of `millrace pagerank`. cmd_pagerank.c opens it
 * before the solver runs; the solver calls its hooks after each pass. library/rank_pagerank.c reads
 * and writes the checkpoint. */
#include "cli/ranking/pagerank_run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/program/meta.h"
#include "engine/base/memory.h"
#include "engine/io/checkpoint.h"
#include "formats/score/scores.h"

#define CHECKPOINT_SUFFIX ".checkpoint"

enum { RESUME_NO, RESUME_YES, RESUME_AUTO };

/* ---- The start ---- */

/* Scales the scores, and gives 1/n to pages without a score. */
static enum mr_status complete(struct mr_session *session, const char *path, bool as_they_are,
                               double *start, uint64_t n_pages, const struct mr_scores_found *found,
                               struct mr_error *err)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    const double n = (double)n_pages, n_known = (double)found->n_found;
    double largest = 0, sum = 0;
    char count[32], missing[32];
    for (uint64_t v = 0; v < n_pages; v++) {
        largest = fmax(largest, start[v]);
    }
    if (!(largest > 0)) {
        return mr_error_file(
            err, MR_ERROR_INPUT, name, 0,
            "gives no page of the graph a score above 0; use scores of this graph");
    }
    for (uint64_t v = 0; v < n_pages; v++) {
        sum += isnan(start[v]) ? 0 : start[v] / largest;
    }
    for (uint64_t v = 0; v < n_pages; v++) {
        const double scaled = as_they_are ? start[v] : start[v] / largest / sum * (n_known / n);
        start[v] = isnan(start[v]) ? (as_they_are ? 1 : 1 / n) : scaled;
    }
    if (found->n_unknown > 0 || found->n_found < n_pages) {
        mr_session_say(session,
                       "note: %s: %s of its names are not pages of the graph, %s pages of the "
                       "graph are not in it",
                       name, mr_count_text(found->n_unknown, count),
                       mr_count_text(n_pages - found->n_found, missing));
    }
    return MR_OK;
}

/* Fills start[v], [n_vertices]. With `as_they_are` (Heritrix) a page has its score in the file, or
 * 1. Otherwise the sum is 1: if the file has k of the n pages, these share k/n in proportion to
 * their scores, and each other page gets 1/n. Free `*start` with mr_memory_free. */
static enum mr_status read_start(struct mr_session *session, const struct mr_graph *graph,
                                 const char *path, bool as_they_are, double **start,
                                 struct mr_error *err)
{
    const struct mr_context *context = &session->context;
    const uint64_t n_pages = mr_store_get_info(graph->store)->n_vertices;
    struct mr_scores_found found;

    enum mr_status status =
        mr_memory_array(context->memory, "scores to start from", n_pages, start, err);
    if (status != MR_OK || n_pages == 0) {
        return status;
    }
    status = mr_scores_read_from(context, path, NULL, graph->names, n_pages,
                                 "the score is negative; a start takes scores that are not", *start,
                                 &found, err);
    if (status == MR_OK) {
        status =
            mr_meta_check_store(session, path, mr_store_get_info(graph->store), "the graph", err);
    }
    if (status == MR_OK) {
        status = complete(session, path, as_they_are, *start, n_pages, &found, err);
    }
    return status;
}

/* ---- The log ---- */

static enum mr_status open_log(struct mr_pagerank_run *run, const struct mr_pagerank_flags *flags,
                               struct mr_error *err)
{
    if (flags->log == NULL) {
        return MR_OK;
    }
    run->log_path = flags->log;
    /* O_NONBLOCK: to open a pipe without a reader is an error, and does not wait. */
    int fd;
    do {
        fd = open(flags->log,
                  O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK |
                      (run->resumes ? O_APPEND : O_TRUNC),
                  0666);
    } while (fd < 0 && errno == EINTR);
    if (fd >= 0) {
        (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
        run->log = fdopen(fd, run->resumes ? "a" : "w");
    }
    if (run->log == NULL) {
        if (fd >= 0) {
            (void)close(fd);
        }
        return mr_error_file(err, MR_ERROR_RUNTIME, flags->log, errno, "cannot write");
    }
    if (!run->resumes) {
        (void)fputs("pass\tbound\tcertified\tseconds\tedge_visits\tbytes_read\n", run->log);
    }
    return MR_OK;
}

/* The solver calls this after each pass. A failure to write ends the log and not the ranking, whose
 * scores may have taken hours; mr_pagerank_run_close reports it. */
static enum mr_status log_step(void *data, const struct mr_pagerank_step *step,
                               struct mr_error *err)
{
    struct mr_pagerank_run *run = data;
    const struct mr_pass_figures *figures = &step->figures;
    (void)err;
    if (run->log_errno != 0) {
        return MR_OK;
    }
    (void)fprintf(run->log, "%u\t", step->pass);
    if (step->bound >= 0) {
        (void)fprintf(run->log, "%.6e", step->bound);
    }
    (void)fprintf(run->log, "\t%d\t%.6f\t%" PRIu64 "\t%" PRIu64 "\n", step->certified,
                  figures->seconds, figures->edge_visits,
                  figures->bytes_read + figures->degree_bytes_read);
    if (fflush(run->log) != 0 || ferror(run->log) != 0) {
        run->log_errno = errno != 0 ? errno : EIO;
    }
    return MR_OK;
}

/* ---- The checkpoint ---- */

/* Sets `*path` to --checkpoint, or to a file beside the output, or to NULL for standard output
 * and devices. The caller frees it. */
static enum mr_status place_checkpoint(const struct mr_pagerank_flags *flags, char **path,
                                       struct mr_error *err)
{
    *path = NULL;
    if (flags->checkpoint != NULL) {
        *path = strdup(flags->checkpoint);
    } else if (!mr_output_is_standard(flags->ranking.columns.output) &&
               strncmp(flags->ranking.columns.output, "/dev/", 5) != 0) {
        if (asprintf(path, "%s" CHECKPOINT_SUFFIX, flags->ranking.columns.output) < 0) {
            *path = NULL;
        }
    } else {
        return MR_OK;
    }
    return *path != NULL ? MR_OK
                         : mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a file name");
}

static bool resumes(const struct mr_pagerank_flags *flags, const char *checkpoint)
{
    return flags->resume == RESUME_YES ||
           (flags->resume == RESUME_AUTO && checkpoint != NULL && mr_io_exists(checkpoint));
}

/* ---- The run ---- */

/* Refuses to replace a file that is not a checkpoint. */
static enum mr_status check_checkpoint(const struct mr_pagerank_flags *flags, const char *path,
                                       struct mr_error *err)
{
    const enum mr_status status = mr_checkpoint_may_replace(path, err);

    if (status != MR_OK) {
        return status;
    }
    if (mr_io_exists(path) && flags->checkpoint != NULL && flags->resume == RESUME_NO &&
        !flags->ranking.common.force) {
        return mr_error_file(err, MR_ERROR_USAGE, path, 0,
                             "exists; --resume continues from it, --force starts again");
    }
    return MR_OK;
}

enum mr_status mr_pagerank_list_files(const void *data, const struct mr_parsed *parsed,
                                      struct mr_files *files, struct mr_error *err)
{
    const struct mr_pagerank_flags *flags = data;
    char *path = NULL;

    (void)parsed;
    mr_fetch_list_files(&flags->ranking.fetch, files);
    enum mr_status status = place_checkpoint(flags, &path, err);
    if (status == MR_OK && path != NULL) {
        status = check_checkpoint(flags, path, err);
    }
    if (path != NULL && flags->checkpoint == NULL) {
        mr_files_add(files, MR_FILE_UPDATED, "the checkpoint of -o", path, NULL);
    }
    mr_files_add(files, flags->resume != RESUME_NO ? MR_FILE_UPDATED : MR_FILE_WRITE, "--log",
                 flags->log, NULL);
    free(path);
    return status;
}

enum mr_status mr_pagerank_run_check(const struct mr_pagerank_flags *flags, struct mr_error *err)
{
    if (flags->resume == RESUME_YES && flags->checkpoint == NULL &&
        mr_output_is_standard(flags->ranking.columns.output)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--resume needs a checkpoint; name it with --checkpoint FILE, or name "
                            "the output with -o");
    }
    if (flags->log != NULL && mr_output_is_standard(flags->log)) {
        return mr_error_set(err, MR_ERROR_USAGE, "--log %s: needs a file of its own", flags->log);
    }
    if (flags->start != NULL && (flags->teleport != NULL || flags->seeds.n > 0)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--start cannot go with --teleport or --seeds, because pages that "
                            "these do not reach must score 0; leave one out");
    }
    if (flags->solver.iterations > 0 &&
        ((flags->start != NULL && !flags->solver.heritrix) || flags->solver.until != 0)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--iterations starts from 1/n and makes exactly N rounds; leave out "
                            "--start and --until");
    }
    return MR_OK;
}

enum mr_status mr_pagerank_run_open(struct mr_pagerank_run *run, struct mr_session *session,
                                    const struct mr_pagerank_flags *flags,
                                    const struct mr_graph *graph,
                                    struct mr_pagerank_options *options, struct mr_error *err)
{
    *run = (struct mr_pagerank_run){.session = session, .hooks = {.data = run}};
    enum mr_status status = place_checkpoint(flags, &run->checkpoint, err);
    run->resumes = resumes(flags, run->checkpoint);
    if (status == MR_OK && flags->start != NULL && !run->resumes) {
        status = read_start(session, graph, flags->start, flags->solver.heritrix, &run->start, err);
    }
    if (status == MR_OK) {
        status = open_log(run, flags, err);
    }
    if (status != MR_OK) {
        return status;
    }
    run->saver = (struct mr_pagerank_saver){.context = &session->context,
                                            .path = run->checkpoint,
                                            .only_at_interruption = flags->checkpoint == NULL};
    if (run->checkpoint != NULL) {
        mr_pagerank_saver_begin(&run->saver, mr_graph_links(graph), options, run->resumes,
                                &run->hooks);
    }
    run->hooks.step = run->log != NULL ? log_step : NULL;
    options->start = run->start;
    options->hooks = &run->hooks;
    return MR_OK;
}

void mr_pagerank_run_end(struct mr_pagerank_run *run)
{
    if (run->log != NULL && fclose(run->log) != 0 && run->log_errno == 0) {
        run->log_errno = errno != 0 ? errno : EIO;
    }
    run->log = NULL;
    if (run->session != NULL) {
        mr_memory_free(run->session->context.memory, run->start);
        run->start = NULL;
    }
}

enum mr_status mr_pagerank_run_close(struct mr_pagerank_run *run, enum mr_status status,
                                     struct mr_error *err)
{
    if ((status == MR_OK || status == MR_NOT_CONVERGED) && run->log_errno != 0) {
        mr_error_clear(err);
        const enum mr_status ignored = mr_pagerank_saver_end(&run->saver, MR_OK, NULL);
        (void)ignored;
        status = mr_error_file(err, MR_ERROR_RUNTIME, run->log_path, run->log_errno,
                               "cannot write the log, which is cut off; the scores are complete");
    } else {
        status = mr_pagerank_saver_end(&run->saver, status, err);
    }
    if (status == MR_INTERRUPTED && run->checkpoint == NULL && run->session != NULL) {
        mr_error_clear(err);
        status =
            mr_error_set(err, MR_INTERRUPTED,
                         "interrupted; nothing is kept: -o FILE or --checkpoint FILE keeps the "
                         "state for --resume");
    }
    free(run->checkpoint);
    *run = (struct mr_pagerank_run){0};
    return status;
}
