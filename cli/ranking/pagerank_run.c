/* SPDX-License-Identifier: Apache-2.0 */
/* The option tables, the log, the checkpoint and the start of a run of `millrace pagerank`.
 * cmd_pagerank.c opens it before the solver runs; the solver calls its hooks after each pass.
 * library/rank_pagerank.c reads and writes the checkpoint. */
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
#include "millrace/levels.h"

#define CHECKPOINT_SUFFIX ".checkpoint"
#define DEFAULT_SHARE     0.001 /* share of the pages, for --until levels */

enum { RESUME_NO, RESUME_YES, RESUME_AUTO };

/* ---- Options ---- */

const struct mr_pagerank_flags mr_pagerank_flag_defaults = {.ranking = MR_RANKING_DEFAULTS,
                                                            .solver = MR_PAGERANK_OPTIONS_INIT};
MR_BEGINS_WITH_SOLVER(struct mr_pagerank_flags);

/* Parses the number of levels or pages before the next colon. `*rest` is the text after the
 * colon, or NULL without one. */
static enum mr_status parse_head(const char *text, uint64_t most, uint64_t *count,
                                 const char **rest, struct mr_error *err)
{
    char head[24];
    const char *colon = strchr(text, ':');
    const size_t bytes = colon != NULL ? (size_t)(colon - text) : strlen(text);
    *rest = colon != NULL ? colon + 1 : NULL;
    if (bytes >= sizeof head) {
        return mr_error_set(err, MR_ERROR_USAGE, "must be order:K or levels:N[:SHARE]");
    }
    memcpy(head, text, bytes);
    head[bytes] = '\0';
    return mr_value_count(head, 1, most, count, err);
}

static enum mr_status parse_until(const char *text, void *value, struct mr_error *err)
{
    static const struct mr_range shares = {.least = 0.0, .most = 1.0, .below_most = true};
    struct mr_pagerank_options *options = value;
    const char *rest = NULL;
    enum mr_status status;
    options->until_share = DEFAULT_SHARE;
    if (strncmp(text, "order:", 6) == 0) {
        options->until = MR_UNTIL_ORDER;
        status = parse_head(text + 6, UINT32_MAX, &options->until_count, &rest, err);
        if (status == MR_OK && rest == NULL) {
            return MR_OK;
        }
    } else if (strncmp(text, "levels:", 7) == 0) {
        options->until = MR_UNTIL_LEVELS;
        status = parse_head(text + 7, MR_PRECEDENCE_MAX_LEVELS, &options->until_count, &rest, err);
        return status == MR_OK && rest != NULL
                   ? mr_value_real(rest, &shares, &options->until_share, err)
                   : status;
    } else {
        status = MR_OK;
    }
    return status != MR_OK
               ? status
               : mr_error_set(err, MR_ERROR_USAGE, "must be order:K or levels:N[:SHARE]");
}

#define FIELD(name) offsetof(struct mr_pagerank_flags, name)
const struct mr_option mr_pagerank_options[] = {
    {"until", 0, MR_OPTION_PARSED, FIELD(solver), "WHAT", .parse = parse_until,
     .help = "Stop earlier, when WHAT is proven. order:K: the order of the K best pages. "
             "levels:N[:SHARE]: at most SHARE of the pages (default 0.001) can be on another of N "
             "precedence levels. Pages with the same in-links are tied and may be in any order. If "
             "the tolerance is reached first, the run stops and says that WHAT is not proven."},
    {"start", 0, MR_OPTION_TEXT, FIELD(start), "SCORES", .file = MR_FILE_READ,
     .help = "Start from the scores in FILE, such as those of the last crawl. Pages are matched by "
             "name (.npy: by position); pages that are not in FILE start from 1/n. The run needs "
             "fewer passes and gives the same certificate."},
    {"checkpoint", 0, MR_OPTION_TEXT, FIELD(checkpoint), "FILE", .file = MR_FILE_UPDATED,
     .help = "Save the state to FILE every minute and at an interruption. A finished run removes "
             "it. Default: OUTPUT.checkpoint, only at an interruption after 10 seconds."},
    {"resume", 0, MR_OPTION_CHOICE, FIELD(resume), .may_be_alone = true, .choices = "no|yes|auto",
     .help = "yes, or --resume alone: continue from the checkpoint of an interrupted run with the "
             "same store and parameters. The scores are the same, bit by bit. auto: continue if "
             "there is a checkpoint, else begin. Default no."},
    {"iterations", 0, MR_OPTION_COUNT, FIELD(solver.iterations), "N", .least = 1,
     .most = UINT32_MAX,
     .help = "Make N rounds of plain power iteration from 1/n, with no tolerance."},
    {"heritrix", 0, MR_OPTION_FLAG, FIELD(solver.heritrix),
     .help =
         "Compute the numbers of Heritrix's offline PageRank: --iterations N rounds (default 10) "
         "of 0.15 + 0.85 * sum, from 1 for each page, or from --start. With --tolerance T: rounds "
         "until the bound is T, which is a sum over all pages. Leave out pages without a link to "
         "them, then links of a page to itself. Repeated links of an input count as often as they "
         "occur."},
    {"heritrix-file", 0, MR_OPTION_TEXT, FIELD(heritrix_file), "FILE", .file = MR_FILE_WRITE,
     .help = "With --heritrix: also write the file that Heritrix's job passes from round to round, "
             "lines PAGE SCORE O:TARGET,TARGET. It is an input for build, and for --start."},
    {"teleport", 0, MR_OPTION_TEXT, FIELD(teleport), "FILE", .file = MR_FILE_READ,
     .help =
         "Teleport to pages in proportion to the weights in FILE, lines NAME<TAB>WEIGHT. Default: "
         "to all pages evenly."},
    {"seeds", 0, MR_OPTION_TEXTS, FIELD(seeds), "FILE", .file = MR_FILE_READ, .also = "seed",
     .help = "Teleport to the pages in FILE evenly, one a line. For one page: ppr --seed PAGE."},
    {"log", 0, MR_OPTION_TEXT, FIELD(log), "FILE", .file = MR_FILE_LISTED,
     .help = "Write a line to FILE after each pass: pass, bound, whether the bound is certified or "
             "estimated, seconds in passes, links applied, bytes read. Tabs between, with a "
             "header. 'millrace report --log FILE' draws it."},
    {0}};
#undef FIELD

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
        status = mr_meta_check_store(&session->context, path, mr_store_get_info(graph->store),
                                     "the graph", err);
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
