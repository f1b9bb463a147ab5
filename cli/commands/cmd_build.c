/* SPDX-License-Identifier: Apache-2.0 */
/* millrace build: makes a store from files of links. This file has the output options and the
 * summary; library/import/import_files.h reads the inputs and engine/builder makes the store. Other
 * commands read inputs through the same import. */
#include "cli/graph/building.h"
#include "cli/program/command.h"
#include "cli/program/option_table.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "library/import/import_files.h"

struct build_flags {
    struct mr_common_flags common;
    struct mr_import_options import;
    const char *output;
    bool weights, no_weights;
};

static const struct build_flags defaults = {.common = MR_COMMON_DEFAULTS,
                                            .import = MR_IMPORT_DEFAULTS};

static const struct mr_option output_options[] = {
    {"output", 'o', MR_OPTION_TEXT, offsetof(struct build_flags, output), "STORE",
     .file = MR_FILE_STORE, .help = "Directory of the store; by convention NAME.mill. Required.",
     .often = true},
    {"names", 0, MR_OPTION_TEXT, offsetof(struct build_flags, import.names_from), "FILE",
     .file = MR_FILE_READ,
     .help =
         "Names for the vertices of a numbered graph: one per line for vertex 0, 1, 2, ... (.urls "
         "of LAW), or lines of an id and a name, or of a name and an id. The store is then as one "
         "built from names.",
     .often = true},
    MR_KEEP_WEIGHTS_OPTIONS(offsetof(struct build_flags, weights),
                            offsetof(struct build_flags, no_weights)),
    {0}};

static void report_input(struct mr_session *session, const struct mr_import_summary *summary)
{
    const struct mr_edge_text_summary *text = &summary->text;
    const uint64_t n_comments = text->comments + text->blank;
    char lines[64], edges[64], comments[32], bad[32];

    (void)mr_count_of_text(text->edges, "link", edges);
    (void)mr_count_text(text->bad_lines, bad);
    if (text->lines == 0) {
        mr_session_say(session, "%s: %s", summary->format->title, edges);
    } else if (summary->format->has_records) {
        mr_session_say(session, "%s: %s, %s bad", mr_count_of_text(text->lines, "record", lines),
                       edges, bad);
    } else {
        mr_session_say(session, "%s: %s, %s %s, %s bad",
                       mr_count_of_text(text->lines, "line", lines), edges,
                       mr_count_text(n_comments, comments),
                       n_comments == 1 ? "comment or blank" : "comments and blanks", bad);
    }
}

static enum mr_status print_json(const struct build_flags *flags,
                                 const struct mr_import_summary *summary, struct mr_error *err)
{
    struct mr_json json = mr_json_create();

    mr_build_json(&json, flags->output, &summary->build);
    mr_json_text(&json, "format", summary->format->name);
    mr_json_count(&json, "lines", summary->text.lines);
    mr_json_count(&json, "comments", summary->text.comments);
    mr_json_count(&json, "blank_lines", summary->text.blank);
    mr_json_count(&json, "bad_lines", summary->text.bad_lines);
    mr_json_count(&json, "lines_with_extra_columns", summary->text.extra_columns);
    mr_json_count(&json, "links_of_other_kinds", summary->text.other_kinds);
    return mr_json_print_and_destroy(&json, err);
}

static enum mr_status estimate(struct mr_session *session, const struct build_flags *flags,
                               const struct mr_parsed *parsed, struct mr_error *err)
{
    uint64_t edges = 0;
    const enum mr_status status = mr_import_guess(&session->context, parsed->operands,
                                                  parsed->n_operands, &flags->import, &edges, err);
    if (status != MR_OK) {
        return status;
    }
    struct mr_rank_costs result = mr_build_estimate(session, edges, flags->import.undirected);
    /* Vertices that the user announces have out-degrees, and with weights strengths. */
    uint64_t vertex_bytes = 0;
    if (flags->import.vertices != UINT64_MAX) {
        vertex_bytes =
            flags->import.vertices *
            (sizeof(uint32_t) + (flags->import.weights == MR_WEIGHTS_MUST ? sizeof(double) : 0));
    }
    result.memory_bytes = mr_max_u64(result.memory_bytes, MR_MEMORY_FLOOR_BYTES + vertex_bytes);
    return mr_session_estimate(session, &result, err);
}

static enum mr_status run_build(struct mr_session *session, const void *data,
                                const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct build_flags *flags = data;
    struct mr_import_summary summary;

    if (flags->output == NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "build: needs an output; say -o STORE, such as -o web.mill");
    }
    if (flags->common.estimate) {
        return estimate(session, flags, parsed, err);
    }
    struct mr_import_options import = flags->import;
    import.force = flags->common.force;
    import.together = mr_session_publish_together(session);
    import.weights = mr_weights_flags(flags->weights, flags->no_weights);
    enum mr_status status = mr_import_files(&session->context, flags->output, parsed->operands,
                                            parsed->n_operands, &import, &summary, err);
    if (status != MR_OK) {
        return status;
    }
    report_input(session, &summary);
    mr_build_report(session, flags->output, false, &summary.build);
    return flags->common.json ? print_json(flags, &summary, err) : MR_OK;
}

const struct mr_command mr_command_build = {
    .name = "build",
    .summary = "make a store from files of links",
    .usage = "build -o STORE INPUT... [OPTIONS]",
    .text = "Reads files of links and writes them as a store, which the other commands read. A "
            "line holds one link: two numbers (separated by blanks, tabs or a comma; # and % begin "
            "comments) or two names such as URLs (separated by blanks or tabs). Inputs may be "
            "compressed with gzip or zstd; - is standard input. Several inputs make one graph. "
            "Pages with URLs are ordered by host and path, so that pages of a host are neighbours.",
    .examples = "  millrace build -o web.mill links.txt.gz\n"
                "  zcat part-*.gz | millrace build -o web.mill -\n"
                "  millrace build -o crawl.mill --columns target-source heritrix-links.txt\n",
    .groups = {{.title = "Output", .options = output_options, .base = 0},
               {.title = "Input",
                .options = mr_import_options,
                .topic = "inputs",
                .base = offsetof(struct build_flags, import)},
               MR_COMMON_GROUP},
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .operands = "an input file (- for standard input)",
    MR_COMMAND_RUNS(defaults, run_build),
};
