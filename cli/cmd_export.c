/* millrace export: the links of a store as raw pairs of vertex numbers. */
#include <unistd.h>

#include "cli/command.h"
#include "engine/bytes.h"
#include "engine/edges.h"
#include "engine/memory.h"
#include "formats/output.h"

struct export_flags {
    struct mr_common_flags common;
    const char *output;
    int format;
};

static const struct export_flags defaults = {.common = MR_COMMON_DEFAULTS};

#define FIELD(name) offsetof(struct export_flags, name)
static const struct mr_option export_options[] = {
    {.name = "output",
     .letter = 'o',
     .type = MR_OPTION_TEXT,
     .offset = FIELD(output),
     .value = "FILE",
     .help = "Where to write; .gz and .zst compress. Default: standard output, unless that is a "
             "terminal."},
    {.name = "format",
     .type = MR_OPTION_CHOICE,
     .offset = FIELD(format),
     .choices = "u32",
     .help = "u32, the only one: source and target, 32 bits each, little-endian."},
    {0}};
#undef FIELD

static enum mr_status write_pairs(void *data, const uint32_t (*pairs)[2], size_t n_pairs,
                                  struct mr_error *err)
{
    uint8_t bytes[MR_EDGES_BATCH * 8];

    for (size_t i = 0; i < n_pairs; i++) {
        mr_put_u32(bytes + 8 * i, pairs[i][0]);
        mr_put_u32(bytes + 8 * i + 4, pairs[i][1]);
    }
    return mr_output_write(data, bytes, 8 * n_pairs, err);
}

static enum mr_status export_pairs(struct mr_session *session, struct mr_store *store,
                                   const struct export_flags *flags, struct mr_error *err)
{
    struct mr_output *output = NULL;

    enum mr_status status =
        mr_output_open(&session->context, flags->output, flags->common.force, &output, err);
    if (status != MR_OK) {
        return status;
    }
    status = mr_edges_read(&session->context, store, write_pairs, output, err);
    if (status != MR_OK) {
        mr_output_abandon(output);
        return status;
    }
    return mr_output_commit(output, err);
}

static enum mr_status run(struct mr_session *session, const void *data,
                          const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct export_flags *flags = data;
    struct mr_store *store = NULL;

    if (flags->common.json && !flags->common.estimate) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "export has no figures to print as --json; see 'millrace info'");
    }
    if (mr_is_standard_output(flags->output) && isatty(STDOUT_FILENO) && !flags->common.estimate) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "export: not writing binary numbers to a terminal; say -o FILE");
    }
    enum mr_status status = mr_store_open(&session->context, parsed->operands[0], &store, err);
    if (status != MR_OK) {
        return status;
    }
    if (flags->common.estimate) {
        const struct mr_estimate estimate = {.memory_bytes = MR_MEMORY_FLOOR_BYTES, .passes = 1.0};
        status = mr_session_estimate(session, &estimate, err);
    } else {
        status = export_pairs(session, store, flags, err);
    }
    mr_store_close(store);
    return status;
}

const struct mr_command mr_command_export = {
    .name = "export",
    .summary = "write the links of a store as raw pairs",
    .usage = "export STORE [-o FILE] [OPTIONS]",
    .text = "Writes every link as a pair of vertex numbers (0 to n-1: the order of the names), in "
            "the order in which the store keeps them.",
    .examples = "  millrace export web.mill --format u32 -o web.u32\n",
    .groups = {{.title = "Output", .options = export_options, .base = 0}, MR_COMMON_GROUP},
    .defaults = &defaults,
    .flags_bytes = sizeof defaults,
    .min_operands = 1,
    .max_operands = 1,
    .operands = "a store",
    .run = run,
};
