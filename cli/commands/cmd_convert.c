/* SPDX-License-Identifier: Apache-2.0 */
/* millrace convert: turns a graph file of one program into a file of another. It imports the
 * input into a temporary store and exports that store. So every format that build reads can
 * become every format that export writes, in bounded memory. */
#include "cli/graph/export.h"
#include "cli/graph/graph.h"
#include "cli/program/command.h"
#include "library/query/export_store.h"

struct convert_flags {
    struct mr_common_flags common;
    struct mr_import_options import;
    struct mr_export_flags export;
    bool weights;
};

static const struct convert_flags defaults = {.common = MR_COMMON_DEFAULTS,
                                              .import = MR_IMPORT_DEFAULTS};

static const struct mr_option weights_options[] = {
    {"weights", 0, MR_OPTION_FLAG, offsetof(struct convert_flags, weights),
     .help =
         "Keep the weights of links, and fail if one of them is not above 0. In edges they are the "
         "third column. Default: keep them if both formats have weights and all are above 0.",
     .excludes = {{.names = "no-weights"}}},
    {0}};

/* Estimated bytes per edge of the temporary store, with its degrees. */
#define STORE_LINK_BYTES 4u

static enum mr_status estimate(struct mr_session *session, const struct convert_flags *flags,
                               const struct mr_parsed *inputs, struct mr_error *err)
{
    uint64_t edges = 0;
    const enum mr_status status = mr_import_guess(&session->context, inputs->operands,
                                                  inputs->n_operands, &flags->import, &edges, err);
    if (status != MR_OK) {
        return status;
    }
    struct mr_rank_costs result = mr_build_estimate(session, edges, flags->import.undirected);
    result.temporary_bytes += STORE_LINK_BYTES * edges;
    result.passes = 1;
    return mr_session_estimate(session, &result, err);
}

/* The last operand is the output. */
static enum mr_status list_files(const void *data, const struct mr_parsed *parsed,
                                 struct mr_files *files, struct mr_error *err)
{
    const struct convert_flags *flags = data;
    const size_t n_inputs = parsed->n_operands - 1;

    (void)err;
    for (size_t i = 0; i < n_inputs; i++) {
        mr_files_add(files, MR_FILE_READ, "INPUT", parsed->operands[i], NULL);
    }
    mr_export_list_files(&flags->export.file, "OUTPUT", parsed->operands[n_inputs], files);
    return MR_OK;
}

static enum mr_status run_convert(struct mr_session *session, const void *data,
                                  const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct convert_flags *flags = data;
    struct mr_import_options import = flags->import;
    struct mr_parsed inputs = *parsed;
    const char *output = parsed->operands[--inputs.n_operands];
    const struct mr_graph_writer *writer;
    struct mr_graph graph = {0};

    if (flags->common.json && !flags->common.estimate) {
        return mr_error_set(
            err, MR_ERROR_USAGE,
            "convert has no --json, because it has no figures to print; leave it out");
    }
    if (flags->common.estimate) {
        return estimate(session, flags, &inputs, err);
    }
    enum mr_status status = mr_export_choose(session, &flags->export, output, &writer, err);
    if (status != MR_OK) {
        return status;
    }
    /* A store has lists by target. For lists by source, build the reversed graph at once. */
    const bool reversed = writer->wants == MR_WANTS_LISTS && !mr_graph_is_store(&inputs);
    import.transpose ^= reversed;
    const struct mr_links_flags links = {.reversed = reversed};
    if (flags->weights && writer->weighs == MR_WEIGHS_NOT) {
        return mr_error_set(
            err, MR_ERROR_USAGE,
            "--weights: the format %s has none; choose one that has, such as --to wel",
            writer->name);
    }
    import.weights = mr_weights_flags(flags->weights, flags->export.file.no_weights ||
                                                          writer->weighs == MR_WEIGHS_NOT);
    status = mr_graph_open(session, &import, &links, &inputs, &graph, err);
    if (status == MR_OK) {
        status = mr_export(session, &flags->export, &graph, reversed, output, err);
    }
    mr_graph_close(session, &graph);
    return status;
}

const struct mr_command mr_command_convert = {
    .name = "convert",
    .summary = "turn a graph file into the format of another program",
    .usage = "convert INPUT... OUTPUT [OPTIONS]",
    .text = "Reads the formats that build reads and writes the formats that export writes. It "
            "works in bounded memory, through a temporary store. Repeated links "
            "are written once, unless --duplicates keep is given.",
    .examples = "  millrace convert uk-2007.graph uk-2007.sg\n"
                "  millrace convert roads.mtx roads.txt.gz\n"
                "  millrace convert --format u32 --to bvgraph edges.bin web\n",
    .groups = {{.title = "Output",
                .options = mr_convert_options,
                .base = offsetof(struct convert_flags, export)},
               {.title = "Input",
                .options = mr_import_options,
                .topic = "inputs",
                .base = offsetof(struct convert_flags, import)},
               {.title = "Weights", .options = weights_options, .base = 0},
               MR_COMMON_GROUP_WITHOUT("json")},
    .min_operands = 2,
    .max_operands = SIZE_MAX,
    .operand_files = MR_OPERANDS_LISTED,
    .operands = "an input and an output",
    .list_files = list_files,
    MR_COMMAND_RUNS(defaults, run_convert),
};
