/* SPDX-License-Identifier: Apache-2.0 */
/* millrace report: writes a page of HTML about a store and its scores. The folder cli/report
 * collects the figures and writes the page; this file has the options and the order of the work. */
#include <stdlib.h>
#include <unistd.h>

#include "cli/graph/query.h"
#include "cli/program/command.h"
#include "cli/report/report.h"
#include "engine/base/clock.h"
#include "engine/base/memory.h"

struct report_flags {
    struct mr_common_flags common;
    const char *output, *passes, *charts;
    bool components, stamp;
    uint64_t top;
    double good_share; /* 0: not given */
};

static const struct report_flags defaults = {.common = MR_COMMON_DEFAULTS, .top = 10};

#define FIELD(field) offsetof(struct report_flags, field)
static const struct mr_option report_options[] = {
    {"output", 'o', MR_OPTION_TEXT, FIELD(output), "FILE", .file = MR_FILE_WRITE,
     .help = "The page to write, such as report.html. Default: standard output."},
    {"charts", 0, MR_OPTION_TEXT, FIELD(charts), "DIR", .file = MR_FILE_DIRECTORY,
     .help =
         "Also write each picture of the page to a file in DIR, such as degrees.svg, for a paper "
         "(Inkscape, rsvg-convert, LaTeX)."},
    {"top", 0, MR_OPTION_COUNT, FIELD(top), "N", .least = 1, .most = MR_REPORT_TOP,
     .help = "List the N best pages and hosts. Default 10."},
    {"stamp", 0, MR_OPTION_FLAG, FIELD(stamp),
     .help = "Say below the page when and by which command line it was made. Without it, the same "
             "input gives the same bytes."},
    {"components", 0, MR_OPTION_FLAG, FIELD(components),
     .help = "Also find the connected components and show the bow-tie. It reads the links about "
             "three more times and needs 8 bytes per page."},
    {"log", 0, MR_OPTION_TEXT, FIELD(passes), "FILE", .file = MR_FILE_READ,
     .help = "Draw the convergence from FILE, which 'millrace pagerank --log FILE' wrote."},
    {"good-share", 0, MR_OPTION_REAL, FIELD(good_share), "G",
     .range = {.least = 0.0, .most = 1.0, .above_least = true},
     .help =
         "For spam mass: treat the trusted pages as a sample of a share G of all pages, such as "
         "0.85. Default: as 'millrace trustrank --spam-mass' did, or their own share."},
    {0}};
#undef FIELD

static enum mr_status list_files(const void *data, const struct mr_parsed *parsed,
                                 struct mr_files *files, struct mr_error *err)
{
    static const char *const charts[] = {"/degrees.svg", "/links.svg", "/hosts.svg", "/scores.svg",
                                         "/convergence.svg"};
    const struct report_flags *flags = data;
    /* A directory that is not there yet has no files. */
    const bool in_charts = flags->charts != NULL && access(flags->charts, F_OK) == 0;

    if (parsed->n_operands > MR_REPORT_MAX_SCORES + 1) {
        return mr_error_set(err, MR_ERROR_USAGE, "report shows at most %d files of scores",
                            MR_REPORT_MAX_SCORES);
    }
    for (size_t i = 1; i < parsed->n_operands; i++) {
        mr_files_add(files, MR_FILE_READ, "the scores", parsed->operands[i], "");
    }
    for (size_t i = 0; in_charts && i < sizeof charts / sizeof charts[0]; i++) {
        mr_files_add(files, MR_FILE_WRITE, "--charts", flags->charts, charts[i]);
    }
    return MR_OK;
}

static enum mr_status find_components(struct mr_session *session, struct mr_report *report,
                                      struct mr_error *err)
{
    const char *directory = NULL;
    enum mr_status status = mr_session_workspace(session, &directory, err);

    if (status == MR_OK) {
        const struct mr_components_options options = {.struct_size = sizeof options,
                                                      .directory = directory};
        status = mr_components_find(&session->context, report->graph.store, report->graph.names,
                                    &options, &report->components, err);
        report->has_components = status == MR_OK;
    }
    return status;
}

static enum mr_status estimate(struct mr_session *session, const struct mr_report *report,
                               const struct report_flags *flags, size_t n_scores,
                               struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(report->graph.store);
    const uint64_t components = flags->components ? mr_components_memory(info) : 0;
    const struct mr_estimate result = {.memory_bytes = MR_MEMORY_FLOOR_BYTES + info->index_bytes +
                                                       info->n_vertices * (8 * n_scores + 14) +
                                                       (n_scores > 1 ? 32 * info->n_vertices : 0) +
                                                       components,
                                       .passes = flags->components ? 6 : 3};
    return mr_session_estimate(session, &result, err);
}

static void free_pages(struct mr_report_page *pages, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        free(pages[i].name);
    }
}

static void close_report(struct mr_session *session, struct mr_report *report)
{
    free_pages(report->spam.top, report->spam.n_top);
    mr_memory_free(session->context.memory, report->spam.own_pagerank);
    for (unsigned i = 0; i < report->n_scores; i++) {
        struct mr_report_scores *scores = &report->scores[i];
        free_pages(scores->top, scores->n_top);
        json_decref(scores->meta);
        mr_memory_free(session->context.memory, scores->values);
    }
    mr_memory_free(session->context.memory, report->host_of);
    mr_memory_free(session->context.memory, report->hosts);
    mr_components_free(&report->components);
    mr_graph_close(session, &report->graph);
    free(report);
}

static enum mr_status run(struct mr_session *session, const void *data,
                          const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct report_flags *flags = data;
    const double began = mr_now();
    struct mr_report *report = calloc(1, sizeof *report);

    if (report == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the report");
    }
    report->passes = flags->passes;
    report->charts = flags->charts;
    report->is_stamped = flags->stamp;
    report->n_best = (unsigned)flags->top;
    enum mr_status status = mr_graph_open_at(session, parsed->operands[0], &report->graph, err);
    if (status == MR_OK && flags->common.estimate) {
        status = estimate(session, report, flags, parsed->n_operands - 1, err);
        close_report(session, report);
        return status;
    }
    if (status == MR_OK) {
        status = mr_report_read_graph(session, report, err);
    }
    for (size_t i = 1; i < parsed->n_operands && status == MR_OK; i++) {
        status = mr_report_read_scores(session, report, parsed->operands[i], err);
    }
    if (status == MR_OK) {
        status = mr_report_compare(session, report, err);
    }
    if (status == MR_OK) {
        status = mr_report_read_spam(session, report, flags->good_share, err);
    }
    if (status == MR_OK) {
        status = mr_report_read_hosts(session, report, err);
    }
    if (status == MR_OK && flags->components) {
        status = find_components(session, report, err);
    }
    if (status == MR_OK) {
        report->seconds = mr_now() - began;
        mr_session_leave_terminal(session, flags->output);
        status = mr_report_write(session, report, parsed->operands[0], flags->output, err);
    }
    close_report(session, report);
    return status;
}

const struct mr_command mr_command_report = {
    .name = "report",
    .summary = "write a page of HTML about a store and its scores",
    .usage = "report STORE [SCORES...] -o FILE [OPTIONS]",
    .text = "Writes one file of HTML, with its pictures inside and nothing to load: what the graph "
            "is, where its links go, the best pages and hosts, the distributions of degrees and "
            "scores, how alike several files of scores are, certificates, levels, and what looks "
            "like spam: "
            "hosts that few other hosts link to, and spam mass, if the files have the scores of "
            "'millrace trustrank --spam-mass', or those of trustrank and pagerank. It reads the "
            "links three times.",
    .examples = "  millrace report web.mill scores.tsv -o report.html\n"
                "  millrace report web.mill scores.tsv trust.tsv -o report.html --components\n"
                "  millrace report web.mill scores.tsv -o report.html --charts figures --top 50\n",
    .groups = {{.title = "What to show", .options = report_options, .base = 0},
               MR_COMMON_GROUP_WITHOUT("json")},
    .defaults = &defaults,
    .flags_bytes = sizeof defaults,
    .min_operands = 1,
    .max_operands = MR_REPORT_MAX_SCORES + 1,
    .operand_files = MR_OPERANDS_FIRST,
    .operands = "a store and files of its scores",
    .list_files = list_files,
    .run = run,
};
