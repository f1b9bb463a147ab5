/* SPDX-License-Identifier: Apache-2.0 */
/* millrace transpose: makes a store with every edge reversed. hits needs such a store beside the
 * original, and builds a temporary one if it has none. The work is in
 * engine/builder/transpose.h. */
#include "cli/graph/building.h"
#include "cli/program/command.h"
#include "cli/program/option_table.h"
#include "engine/builder/transpose.h"
#include "formats/url/host.h"

struct transpose_flags {
    struct mr_common_flags common;
    const char *output;
    int zstd_level;
    int encoding; /* enum mr_encoding */
};

#define CODEC_OF_STORE (-2) /* --codec is not given */

static const struct transpose_flags defaults = {.common = MR_COMMON_DEFAULTS,
                                                .zstd_level = CODEC_OF_STORE};

#define FIELD(name) offsetof(struct transpose_flags, name)
static const struct mr_option transpose_options[] = {
    {"output", 'o', MR_OPTION_TEXT, FIELD(output), "STORE", .file = MR_FILE_STORE,
     .help = "Directory of the reversed store. Required.", .often = true},
    MR_STORE_CODEC_OPTION(FIELD(zstd_level)),
    MR_ENCODING_OPTION(FIELD(encoding)),
    {0}};
#undef FIELD

static enum mr_status transpose(struct mr_session *session, struct mr_store *store,
                                const struct transpose_flags *flags, struct mr_error *err)
{
    struct mr_build_options options = {
        .force = flags->common.force,
        .together = mr_session_publish_together(session),
        .zstd_level = flags->zstd_level == CODEC_OF_STORE ? mr_store_get_info(store)->zstd_level
                                                          : flags->zstd_level,
        .encoding = (enum mr_encoding)flags->encoding,
    };
    struct mr_build_summary summary;
    struct mr_host_groups *groups = NULL;
    /* The new store has the same classes of edges. */
    enum mr_status status = mr_host_groups_of_store(mr_store_get_info(store), &groups, err);
    if (groups != NULL) {
        options.class_rule = mr_store_get_info(store)->class_rule;
        options.name_group = mr_host_group;
        options.name_group_data = groups;
    }
    if (status == MR_OK) {
        status = mr_transpose(&session->context, store, flags->output, &options, &summary, err);
    }
    mr_host_groups_close(groups);
    if (status != MR_OK) {
        return status;
    }
    mr_build_report(session, flags->output, false, &summary);
    if (flags->common.json) {
        struct mr_json json = mr_json_create();
        mr_build_json(&json, flags->output, &summary);
        status = mr_json_print_and_destroy(&json, err);
    }
    return status;
}

static enum mr_status run_transpose(struct mr_session *session, const void *data,
                                    const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct transpose_flags *flags = data;
    struct mr_store *store = NULL;

    if (flags->output == NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "transpose: needs an output; say -o STORE, such as -o reversed.mill");
    }
    enum mr_status status = mr_store_open(&session->context, parsed->operands[0], &store, err);
    if (status != MR_OK) {
        return status;
    }
    if (flags->common.estimate) {
        const struct mr_estimate estimate =
            mr_build_estimate(session, mr_store_get_info(store)->n_edges, false);
        status = mr_session_estimate(session, &estimate, err);
    } else {
        status = transpose(session, store, flags, err);
    }
    mr_store_close(store);
    return status;
}

const struct mr_command mr_command_transpose = {
    .name = "transpose",
    .summary = "reverse every link of a store",
    .usage = "transpose STORE -o STORE [OPTIONS]",
    .text = "Makes a store of the same pages and names with every link reversed. It works within "
            "--memory like a build and reads the links once. To reverse an input during the "
            "import, use build --transpose.",
    .examples = "  millrace transpose web.mill -o web-reversed.mill\n",
    .groups = {{.title = "Output", .options = transpose_options, .base = 0}, MR_COMMON_GROUP},
    .min_operands = 1,
    .max_operands = 1,
    .operands = "a store",
    MR_COMMAND_RUNS(defaults, run_transpose),
};
