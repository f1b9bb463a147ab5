/* SPDX-License-Identifier: Apache-2.0 */
/* millrace export: writes the links of a store in the format of another program. This file has
 * the flags of the output; cli/graph/export.h writes the file, also for `convert`. */
#include "cli/graph/export.h"
#include "cli/graph/graph.h"
#include "cli/program/command.h"
#include "cli/program/option_table.h"
#include "engine/base/memory.h"
#include "library/folder.h"
#include "library/query/export_store.h"

struct export_flags {
    struct mr_common_flags common;
    struct mr_export_flags export;
    const char *output;
    uint64_t shards; /* 0: one output */
    int shards_for; /* enum mr_shards_for */
};

static const struct export_flags defaults = {.common = MR_COMMON_DEFAULTS,
                                             .export = {.max_unknown = MR_MAX_UNKNOWN_DEFAULT}};

#define FIELD(name) offsetof(struct export_flags, name)
static const struct mr_option output_options[] = {
    {"output", 'o', MR_OPTION_TEXT, FIELD(output), "FILE", .file = MR_FILE_LISTED,
     .help = "Write to FILE. .gz and .zst compress formats that are a single stream. Default: "
             "standard output, unless it is a terminal and the format is binary.",
     .often = true},
    {"shards", 0, MR_OPTION_COUNT, FIELD(shards), "N", .least = 1, .most = MR_SHARDS_MOST,
     .help = "Write a directory of N parts for Spark: -o DIR has the links in edges/ and the pages "
             "in vertices/. Ids are the numbers of the input below 2^63, or positions of "
             "names.",
     .excludes = {{.names = "to|vertex-list|host|largest|names|scores|seeds",
                   .why = "writes all pages, links and names in a layout of its own"}},
     .often = true},
    {"shards-for", 0, MR_OPTION_CHOICE, FIELD(shards_for),
     .choices = "graphx|graphframes|graphx.gz|graphframes.gz",
     .help = "graphx: lines SOURCE<TAB>TARGET and ID<TAB>NAME, for GraphLoader.edgeListFile. "
             "graphframes: CSV with the headers src,dst and id,name. With .gz the parts are "
             "compressed. Default graphx.",
     .needs = {{.names = "shards"}}},
    {0}};

_Static_assert((int)MR_SHARDS_GRAPHX == 0 && (int)MR_SHARDS_GRAPHFRAMES == 1 &&
                   (int)MR_SHARDS_GZIP == 2,
               "--shards-for's choices are in the order of enum mr_shards_for");
#undef FIELD

static enum mr_status list_files(const void *data, const struct mr_parsed *parsed,
                                 struct mr_files *files, struct mr_error *err)
{
    const struct export_flags *flags = data;

    (void)parsed;
    (void)err;
    if (flags->shards > 0) {
        return MR_OK; /* write_shards checks its directory */
    }
    mr_export_list_files(&flags->export.file, "-o", flags->output, files);
    return MR_OK;
}

static enum mr_status write_shards(struct mr_session *session, const struct export_flags *flags,
                                   struct mr_store *store, struct mr_names *names,
                                   struct mr_error *err)
{
    if (flags->common.estimate) {
        const struct mr_rank_costs estimate = {
            .memory_bytes = MR_MEMORY_FLOOR_BYTES + 8 * mr_store_get_info(store)->n_vertices +
                            flags->shards * mr_output_memory(
                                                flags->shards_for >= MR_SHARDS_GZIP ? ".gz" : NULL),
            .passes = 1.0};
        return mr_session_estimate(session, &estimate, err);
    }
    struct mr_folder folder = {0};
    enum mr_status status = mr_export_shards_check(flags->output, flags->common.force, err);
    if (status == MR_OK) {
        status = mr_folder_open(&session->context, flags->output, true, true, &folder, err);
    }
    if (status == MR_OK) {
        status =
            mr_export_shards(&session->context, store, names, folder.work, (unsigned)flags->shards,
                             (enum mr_shards_for)flags->shards_for, err);
    }
    if (status == MR_OK) {
        status = mr_session_flush(err); /* what it printed about the results */
    }
    if (status == MR_OK) {
        status = mr_folder_commit(&folder, err);
    }
    mr_folder_close(&folder, false);
    return status;
}

static enum mr_status run_export(struct mr_session *session, const void *data,
                                 const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct export_flags *flags = data;
    const struct mr_graph_writer *writer = NULL;
    struct mr_graph graph = {0};

    if (flags->common.json && !flags->common.estimate) {
        return mr_error_set(
            err, MR_ERROR_USAGE,
            "export has no --json, because it has no figures to print; see 'millrace info'");
    }
    enum mr_status status = MR_OK;
    if (flags->shards > 0 && mr_output_is_standard(flags->output)) {
        return mr_error_set(err, MR_ERROR_USAGE, "--shards needs a directory; say -o DIR");
    }
    if (!flags->common.estimate && flags->shards == 0) {
        status = mr_export_choose(session, &flags->export, flags->output, &writer, err);
    }
    if (status == MR_OK) {
        status = mr_graph_open_at(session, parsed->operands[0], &graph, err);
    }
    if (status == MR_OK && flags->shards > 0) {
        status = write_shards(session, flags, graph.store, graph.names, err);
    } else if (status == MR_OK && flags->common.estimate) {
        const struct mr_rank_costs estimate = {
            .memory_bytes = MR_MEMORY_FLOOR_BYTES,
            .temporary_bytes = mr_export_temporary_bytes(&flags->export, flags->output,
                                                         mr_store_get_info(graph.store)),
            .passes = 1.0};
        status = mr_session_estimate(session, &estimate, err);
    } else if (status == MR_OK) {
        status = mr_export(session, &flags->export, &graph, false, flags->output, err);
    }
    mr_graph_close(session, &graph);
    return status;
}

const struct mr_command mr_command_export = {
    .name = "export",
    .summary = "write a store in the format of another program",
    .usage = "export STORE [-o FILE] [OPTIONS]",
    .text = "Writes the links of a store or of a part of it. Pages get the numbers 0 to n-1 in the "
            "order of their names; in edges and wel they have the numbers of the input. "
            "Formats of adjacency lists (sg, bvgraph, heritrix-pagerank) first reverse the store "
            "into a temporary store.",
    .examples = "  millrace export web.mill --to u32 -o web.u32\n"
                "  millrace export web.mill -o web.graph\n"
                "  millrace export web.mill --host www.example.com --names pages.txt -o host.mtx\n"
                "  millrace export web.mill --shards 64 --shards-for graphframes -o web.parts\n",
    .groups = {{.title = "Output", .options = output_options, .base = 0},
               {.title = "Format",
                .options = mr_export_options,
                .base = offsetof(struct export_flags, export)},
               MR_COMMON_GROUP_WITHOUT("json")},
    .min_operands = 1,
    .max_operands = 1,
    .operands = "a store",
    .list_files = list_files,
    MR_COMMAND_RUNS(defaults, run_export),
};
