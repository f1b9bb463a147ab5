/* SPDX-License-Identifier: Apache-2.0 */
/* millrace check: verifies every byte of a store (mr_store_check). The command reads each block
 * once, also blocks that no ranking reads, so that damage is found before it matters. */
#include "cli/graph/graph.h"
#include "cli/program/command.h"
#include "engine/base/memory.h"

struct check_flags {
    struct mr_common_flags common;
    bool full;
};

static const struct check_flags defaults = {.common = MR_COMMON_DEFAULTS};

static const struct mr_option check_options[] = {
    {"full", 0, MR_OPTION_FLAG, offsetof(struct check_flags, full),
     .help = "Also decode everything, and check the order and range of links, the degrees and the "
             "order of names. Needs 4 bytes of memory per page.",
     .often = true},
    {0}};

static enum mr_status report(const struct check_flags *flags, const char *path,
                             const struct mr_check_summary *summary, struct mr_error *err)
{
    char blocks[32], size[32];
    struct mr_json json;

    if (!flags->common.json) {
        if (!flags->common.quiet) {
            printf("%s: good%s; %s blocks, %s\n", path, flags->full ? " in full" : "",
                   mr_count_text(summary->blocks, blocks), mr_size_text(summary->bytes, size));
        }
        return MR_OK;
    }
    json = mr_json_create();
    mr_json_text(&json, "store", path);
    mr_json_flag(&json, "good", true);
    mr_json_flag(&json, "full", flags->full);
    mr_json_count(&json, "blocks", summary->blocks);
    mr_json_count(&json, "bytes", summary->bytes);
    mr_json_count(&json, "edges", summary->edges);
    mr_json_count(&json, "vertices", summary->vertices);
    return mr_json_print_and_destroy(&json, err);
}

static enum mr_status run_check(struct mr_session *session, const void *data,
                                const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct check_flags *flags = data;
    const char *path = parsed->operands[0];
    struct mr_check_summary summary;

    if (flags->common.estimate) {
        return mr_graph_estimate(session, path, flags->full ? 4 : 0, 1.0, err);
    }
    const enum mr_status status =
        mr_store_check(&session->context, path, flags->full, &summary, err);
    return status == MR_OK ? report(flags, path, &summary, err) : status;
}

const struct mr_command mr_command_check = {
    .name = "check",
    .summary = "verify a store, byte by byte",
    .usage = "check STORE [--full] [OPTIONS]",
    .text = "Reads every block of a store and verifies its checksum and header. For a damaged "
            "store it prints the location of the first damage and ends with exit code 4.",
    .examples = "  millrace check web.mill --full\n",
    .groups = {{.title = "What to check", .options = check_options, .base = 0},
               MR_COMMON_GROUP_WITHOUT("force tmp")},
    .min_operands = 1,
    .max_operands = 1,
    .operands = "a store",
    MR_COMMAND_RUNS(defaults, run_check),
};
