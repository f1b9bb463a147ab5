/* SPDX-License-Identifier: Apache-2.0 */
/* millrace export: writes the links of a store in the format of another program. This file has
 * the flags of the output; cli/graph/export.h writes the file, also for `convert`. */
#include "cli/graph/export.h"
#include "cli/program/command.h"
#include "engine/base/memory.h"
#include "formats/graph_writer.h"
#include "formats/url/surt.h"

struct export_flags {
    struct mr_common_flags common;
    struct mr_export_flags export;
    const char *output;
};

static const struct export_flags defaults = {.common = MR_COMMON_DEFAULTS};

#define FIELD(name) offsetof(struct export_flags, name)
static const struct mr_option output_options[] = {
    {.name = "output",
     .letter = 'o',
     .type = MR_OPTION_TEXT,
     .offset = FIELD(output),
     .value = "FILE",
     .file = MR_FILE_LISTED,
     .help = "Write to FILE. .gz and .zst compress formats that are a single stream. Default: "
             "standard output, unless it is a terminal and the format is binary."},
    {0}};
#undef FIELD

static enum mr_status list_files(const void *data, const struct mr_parsed *parsed,
                                 struct mr_files *files, struct mr_error *err)
{
    const struct export_flags *flags = data;

    (void)parsed;
    (void)err;
    mr_export_list_files(&flags->export, "-o", flags->output, files);
    return MR_OK;
}

static enum mr_status run(struct mr_session *session, const void *data,
                          const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct export_flags *flags = data;
    const struct mr_graph_writer *writer = NULL;
    struct mr_store *store = NULL;
    struct mr_names *names = NULL;

    if (flags->common.json && !flags->common.estimate) {
        return mr_error_set(
            err, MR_ERROR_USAGE,
            "export has no --json, because it has no figures to print; see 'millrace info'");
    }
    enum mr_status status = MR_OK;
    if (!flags->common.estimate) {
        status = mr_export_choose(&flags->export, "to", flags->output, &writer, err);
    }
    if (status == MR_OK) {
        status = mr_store_open(&session->context, parsed->operands[0], &store, err);
    }
    if (status == MR_OK) {
        status =
            mr_names_open(&session->context, store,
                          mr_name_key_of(mr_store_get_info(store)->name_key_number), &names, err);
    }
    if (status == MR_OK && flags->common.estimate) {
        const struct mr_graph_writer *to = mr_export_writer(&flags->export, flags->output);
        const struct mr_estimate estimate = {
            .memory_bytes = MR_MEMORY_FLOOR_BYTES,
            .temporary_bytes =
                to == NULL ? 0 : mr_export_temporary_bytes(to, mr_store_get_info(store)),
            .passes = 1.0};
        status = mr_session_estimate(session, &estimate, err);
    } else if (status == MR_OK) {
        status =
            mr_export(session, &flags->export, writer, store, names, false, flags->output, err);
    }
    mr_names_close(names);
    mr_store_close(store);
    return status;
}

const struct mr_command mr_command_export = {
    .name = "export",
    .summary = "write a store in the format of another program",
    .usage = "export STORE [-o FILE] [OPTIONS]",
    .text = "Writes the links of a store or of a part of it. Pages get the numbers 0 to n-1 in the "
            "order of their names; in edges and graphalytics they have the numbers of the input. "
            "Formats of adjacency lists (graphalytics, sg, bvgraph) first reverse the store into a "
            "temporary store.",
    .examples = "  millrace export web.mill --format u32 -o web.u32\n"
                "  millrace export web.mill -o web.graph\n"
                "  millrace export web.mill --host www.example.com --names pages.txt -o host.mtx\n",
    .groups = {{.title = "Output", .options = output_options, .base = 0},
               {.title = "Format",
                .options = mr_export_options,
                .base = offsetof(struct export_flags, export)},
               MR_COMMON_GROUP_WITHOUT("json")},
    .defaults = &defaults,
    .flags_bytes = sizeof defaults,
    .min_operands = 1,
    .max_operands = 1,
    .operands = "a store",
    .list_files = list_files,
    .run = run,
};
