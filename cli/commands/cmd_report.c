/* SPDX-License-Identifier: Apache-2.0 */
/* millrace report: writes a page of HTML about a store and its scores. This file has the options;
 * mr_store_report (library/report) does the work. */
#include <stdlib.h>
#include <unistd.h>

#include "cli/graph/graph.h"
#include "cli/program/command.h"
#include "engine/base/memory.h"
#include "library/report/report.h"

struct report_flags {
    struct mr_common_flags common;
    struct mr_store_report_options report; /* the options that need no reading of files here */
    const char *output;
    bool stamp;
    uint64_t top;
};

static const struct report_flags defaults = {.common = MR_COMMON_DEFAULTS, .top = MR_REPORT_TOP};

#define FIELD(field) offsetof(struct report_flags, field)
static const struct mr_option report_options[] = {
    {"output", 'o', MR_OPTION_TEXT, FIELD(output), "FILE", .file = MR_FILE_WRITE,
     .help = "The page to write, such as report.html. Default: standard output.", .often = true},
    {"charts", 0, MR_OPTION_TEXT, FIELD(report.charts), "DIR", .file = MR_FILE_DIRECTORY,
     .help =
         "Also write each picture of the page to a file in DIR, such as degrees.svg, for a paper "
         "(Inkscape, rsvg-convert, LaTeX).",
     .often = true},
    {"top", 'n', MR_OPTION_COUNT, FIELD(top), "N", .alias = "limit", .least = 1,
     .most = MR_REPORT_TOP, .help = "List the N best pages and hosts. Default 1000.",
     .often = true},
    {"stamp", 0, MR_OPTION_FLAG, FIELD(stamp),
     .help = "Say below the page when and by which command line it was made. Without it, the same "
             "input gives the same bytes."},
    {"components", 0, MR_OPTION_FLAG, FIELD(report.components),
     .help = "Also find connected components and show the bow-tie. It reads the links about "
             "three more times and needs 8 bytes per page.",
     .often = true},
    {"log", 0, MR_OPTION_TEXT, FIELD(report.passes), "FILE", .file = MR_FILE_READ,
     .help = "Draw the convergence from FILE, which 'millrace pagerank --log FILE' wrote.",
     .often = true},
    {"since", 0, MR_OPTION_TEXT, FIELD(report.since), "OLD", .file = MR_FILE_READ,
     .help =
         "Show what changed since OLD, an older file of scores: the pages and hosts that gained "
         "and lost more than the error bounds, new and gone ones, as 'millrace compare "
         "--changes' does with the first SCORES."},
    {"good-share", 0, MR_OPTION_REAL, FIELD(report.good_share), "G",
     .range = {.least = 0.0, .most = 1.0, .above_least = true},
     .help =
         "For spam mass: treat the trusted pages as a sample of a share G of all pages, such as "
         "0.85. Default: as 'millrace trustrank --spam-mass' did, or their own share."},
    {0}};
#undef FIELD

static enum mr_status list_files(const void *data, const struct mr_parsed *parsed,
                                 struct mr_files *files, struct mr_error *err)
{
    const struct report_flags *flags = data;
    static const char *const others[] = {".pdf", ".csv", ".tsv", ".json", ".xlsx", ".svg", ".png"};
    /* A directory that is not there yet has no files. */
    const bool in_charts = flags->report.charts != NULL && access(flags->report.charts, F_OK) == 0;

    for (size_t i = 0; flags->output != NULL && i < sizeof others / sizeof others[0]; i++) {
        if (mr_output_has_suffix(flags->output, others[i])) {
            return mr_error_file(err, MR_ERROR_USAGE, flags->output, 0,
                                 "the report is a page of HTML; name it .html, and a browser "
                                 "prints it as PDF and saves its tables as CSV");
        }
    }
    if (parsed->n_operands > MR_REPORT_MAX_SCORES + 1) {
        return mr_error_set(err, MR_ERROR_USAGE, "report shows at most %d files of scores",
                            MR_REPORT_MAX_SCORES);
    }
    for (size_t i = 1; i < parsed->n_operands; i++) {
        if (flags->output == NULL && mr_output_has_suffix(parsed->operands[i], ".html")) {
            return mr_error_set(err, MR_ERROR_USAGE, "%s: the page to write is named by -o %s",
                                parsed->operands[i], parsed->operands[i]);
        }
        mr_files_add(files, MR_FILE_READ, "the scores", parsed->operands[i], "");
    }
    for (size_t i = 0; in_charts && mr_report_charts[i] != NULL; i++) {
        mr_files_add(files, MR_FILE_WRITE, "--charts", flags->report.charts, mr_report_charts[i]);
    }
    return MR_OK;
}

static enum mr_status estimate(struct mr_session *session, const struct mr_store_info *info,
                               const struct mr_store_report_options *options, struct mr_error *err)
{
    const struct mr_rank_costs result = {
        .memory_bytes =
            MR_MEMORY_FLOOR_BYTES + info->index_bytes +
            info->n_vertices * (8 * options->n_scores + 14) +
            (options->n_scores > 1 || options->since != NULL ? 32 * info->n_vertices : 0) +
            (options->components ? mr_components_memory(info, false) : 0),
        .passes = options->components ? 6 : 3};
    return mr_session_estimate(session, &result, err);
}

static enum mr_status run_report(struct mr_session *session, const void *data,
                                 const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct report_flags *flags = data;
    struct mr_store_report_options options = flags->report;
    struct mr_graph graph = {0};

    options.struct_size = sizeof options;
    options.force = flags->common.force;
    options.top = (unsigned)flags->top;
    options.scores = parsed->operands + 1;
    options.n_scores = (unsigned)(parsed->n_operands - 1);
    options.command = flags->stamp ? session->argv : NULL;
    options.n_command = session->argc;
    enum mr_status status = mr_graph_open_at(session, parsed->operands[0], &graph, err);
    if (status == MR_OK && flags->common.estimate) {
        status = estimate(session, mr_store_get_info(graph.store), &options, err);
    } else if (status == MR_OK) {
        mr_session_leave_terminal(session, flags->output);
        status = mr_store_report(&session->context, graph.store, graph.names, flags->output,
                                 &options, err);
    }
    mr_graph_close(session, &graph);
    return status;
}

const struct mr_command mr_command_report = {
    .name = "report",
    .summary = "write a page of HTML about a store and its scores",
    .usage = "report STORE [SCORES...] -o FILE [OPTIONS]",
    .text = "Writes one file of HTML, with its pictures inside and nothing to load: what the graph "
            "is, where its links go, the best pages and hosts, who links to the best pages and why "
            "they have their scores, what changed since older ones, the "
            "distributions of degrees and scores, how alike several files of scores are, "
            "certificates, levels, and what looks like spam: hosts that few other hosts link to, "
            "and spam mass, if the files have the scores of 'millrace trustrank --spam-mass', or "
            "those of trustrank and pagerank. Its tables can be sorted, searched and saved as CSV. "
            "It reads the links three times, and those to the best pages once more.",
    .examples = "  millrace report web.mill scores.tsv -o report.html\n"
                "  millrace report web.mill scores.tsv trust.tsv -o report.html --components\n"
                "  millrace report web.mill scores.tsv -o report.html --charts figures --top 50\n",
    .groups = {{.title = "What to show", .options = report_options, .base = 0},
               MR_COMMON_GROUP_WITHOUT("json")},
    .store_first = true,
    .min_operands = 1,
    .max_operands = MR_REPORT_MAX_SCORES + 1,
    .operand_files = MR_OPERANDS_FIRST,
    .operands = "a store and files of its scores",
    .list_files = list_files,
    MR_COMMAND_RUNS(defaults, run_report),
};
