/* SPDX-License-Identifier: Apache-2.0 */
/* millrace transpose: makes a store with every edge reversed. hits needs such a store beside the
 * original, and builds a temporary one if it has none. */
#include "cli/graph/building.h"
#include "cli/graph/graph.h"
#include "cli/program/command.h"
#include "cli/program/option_table.h"

struct transpose_flags {
    struct mr_common_flags common;
    const char *output;
    int zstd_level;
    int encoding; /* enum mr_encoding */
};

static const struct transpose_flags defaults = {.common = MR_COMMON_DEFAULTS,
                                                .zstd_level = MR_ZSTD_LEVEL_OF_STORE};

#define FIELD(name) offsetof(struct transpose_flags, name)
static const struct mr_option transpose_options[] = {
    {"output", 'o', MR_OPTION_TEXT, FIELD(output), "STORE", .file = MR_FILE_STORE,
     .help = "Directory of the reversed store; the same as a STORE behind the first one.",
     .often = true},
    MR_STORE_CODEC_OPTION(FIELD(zstd_level)),
    MR_ENCODING_OPTION(FIELD(encoding)),
    {0}};
#undef FIELD

static enum mr_status transpose(struct mr_session *session, struct mr_store *store,
                                const struct transpose_flags *flags, struct mr_error *err)
{
    const struct mr_store_build_options options = {.struct_size = sizeof options,
                                                   .force = flags->common.force,
                                                   .zstd_level = flags->zstd_level,
                                                   .encoding = (enum mr_encoding)flags->encoding};
    struct mr_store_build_figures figures = {.struct_size = sizeof figures};

    (void)mr_session_publish_together(session);
    const enum mr_status status =
        mr_store_build_reverse(&session->context, store, flags->output, &options, &figures, err);
    return status == MR_OK ? mr_build_print(session, flags->output, &figures, err) : status;
}

/* The output, if it is not named by -o: the operand behind the store. */
static const char *output_of(const struct transpose_flags *flags, const struct mr_parsed *parsed)
{
    return flags->output == NULL && parsed->n_operands > 1 ? parsed->operands[1] : flags->output;
}

static enum mr_status list_files(const void *data, const struct mr_parsed *parsed,
                                 struct mr_files *files, struct mr_error *err)
{
    const struct transpose_flags *flags = data;

    if (flags->output != NULL && parsed->n_operands > 1) {
        return mr_error_set(err, MR_ERROR_USAGE, "%s: one argument too many beside -o %s",
                            parsed->operands[1], flags->output);
    }
    if (flags->output == NULL) {
        mr_files_add(files, MR_FILE_STORE, "the output", output_of(flags, parsed), NULL);
    }
    return MR_OK;
}

static enum mr_status run_transpose(struct mr_session *session, const void *data,
                                    const struct mr_parsed *parsed, struct mr_error *err)
{
    struct transpose_flags flags = *(const struct transpose_flags *)data;
    struct mr_store *store = NULL;

    flags.output = output_of(&flags, parsed);
    if (flags.output == NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "transpose: needs an output; say -o STORE, such as -o reversed.mill");
    }
    enum mr_status status = mr_store_open(&session->context, parsed->operands[0], &store, err);
    if (status != MR_OK) {
        return status;
    }
    if (flags.common.estimate) {
        const struct mr_rank_costs estimate =
            mr_build_estimate(session, mr_store_get_info(store)->n_edges, false);
        status = mr_session_estimate(session, &estimate, err);
    } else {
        status = transpose(session, store, &flags, err);
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
    .store_first = true,
    .min_operands = 1,
    .max_operands = 2,
    .operand_files = MR_OPERANDS_FIRST,
    .list_files = list_files,
    .operands = "a store and an output",
    MR_COMMAND_RUNS(defaults, run_transpose),
};
