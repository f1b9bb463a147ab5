/* millrace generate: synthetic graphs for measurements. */
#include "cli/command.h"
#include "cli/import.h"
#include "engine/kron.h"

#include <string.h>

enum { MAX_SCALE = 31 };

struct generate_flags {
    struct mr_common_flags common;
    const char *output;
    uint64_t scale; /* 0: not given */
    uint64_t edge_factor;
    uint64_t seed;
    bool undirected;
    int duplicates; /* 0 merge, 1 keep */
    int self_loops; /* 0 keep, 1 drop */
    int zstd_level;
};

static const struct generate_flags defaults = {
    .common = MR_COMMON_DEFAULTS, .edge_factor = 16, .seed = 1};

#define FIELD(name) offsetof(struct generate_flags, name)
static const struct mr_option graph_options[] = {
    {.name = "output",
     .letter = 'o',
     .type = MR_OPTION_TEXT,
     .offset = FIELD(output),
     .value = "STORE",
     .help = "Where to put the store, a directory; by convention NAME.mill. Required."},
    {.name = "scale",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(scale),
     .value = "S",
     .least = 1,
     .most = MAX_SCALE,
     .help = "2^S vertices, isolated ones included. Required."},
    {.name = "edge-factor",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(edge_factor),
     .value = "F",
     .least = 0,
     .most = (uint64_t)1 << 17,
     .help = "F links per vertex, before duplicates are merged. Default 16."},
    {.name = "seed",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(seed),
     .value = "N",
     .least = 0,
     .most = UINT64_MAX,
     .help = "The same seed gives the same graph, everywhere. Default 1."},
    {.name = "undirected",
     .type = MR_OPTION_FLAG,
     .offset = FIELD(undirected),
     .help = "Every link also the other way round."},
    {.name = "duplicates",
     .type = MR_OPTION_CHOICE,
     .offset = FIELD(duplicates),
     .choices = "merge|keep",
     .help = "What to do with a link that comes again. Default merge."},
    {.name = "self-loops",
     .type = MR_OPTION_CHOICE,
     .offset = FIELD(self_loops),
     .choices = "keep|drop",
     .help = "What to do with a link of a vertex to itself. Default keep."},
    {.name = "codec",
     .type = MR_OPTION_PARSED,
     .offset = FIELD(zstd_level),
     .value = "plain|zstd[:LEVEL]|auto",
     .parse = mr_codec_parse,
     .help = "As in 'millrace help build'. Default plain."},
    {0}};
#undef FIELD

static enum mr_status check(const struct generate_flags *flags, const char *kind,
                            struct mr_error *err)
{
    int choice = 0;
    struct mr_error reason = {0};

    if (mr_value_choice(kind, "kron|rmat", &choice, &reason) != MR_OK) {
        return mr_error_set(err, MR_ERROR_USAGE, "generate %s: %s", kind, reason.message);
    }
    if (flags->scale == 0) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "generate: how many vertices? Say --scale S for 2^S of them");
    }
    if (flags->output == NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "generate: where should the store go? Say -o STORE, such as -o "
                            "kron.mill");
    }
    return MR_OK;
}

static enum mr_status generate(struct mr_session *session, const struct generate_flags *flags,
                               struct mr_build_summary *summary, struct mr_error *err)
{
    int zstd_level = flags->zstd_level;
    enum mr_status status = mr_codec_resolve(&session->context, flags->output, &zstd_level, err);
    if (status != MR_OK) {
        return status;
    }
    const struct mr_kron_options kron = {.struct_size = sizeof kron,
                                         .scale = (unsigned)flags->scale,
                                         .edge_factor = flags->edge_factor,
                                         .seed = flags->seed};
    const struct mr_build_options options = {.struct_size = sizeof options,
                                             .ids = MR_IDS_DENSE,
                                             .n_vertices = (uint64_t)1 << flags->scale,
                                             .undirected = flags->undirected,
                                             .keep_duplicates = flags->duplicates == 1,
                                             .drop_self_loops = flags->self_loops == 1,
                                             .force = flags->common.force,
                                             .zstd_level = zstd_level};
    struct mr_build *build = NULL;

    status = mr_build_create(&session->context, flags->output, &options, &build, err);
    if (status != MR_OK) {
        return status;
    }
    status = mr_kron_generate(&session->context, &kron, build, err);
    if (status != MR_OK) {
        mr_build_abandon(build);
        return status;
    }
    return mr_build_finish(build, summary, err);
}

static enum mr_status run(struct mr_session *session, const void *data,
                          const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct generate_flags *flags = data;
    struct mr_build_summary summary = {0};

    enum mr_status status = check(flags, parsed->operands[0], err);
    if (status != MR_OK) {
        return status;
    }
    if (flags->common.estimate) {
        const struct mr_estimate estimate =
            mr_build_estimate(session, flags->edge_factor << flags->scale, flags->undirected);
        return mr_session_estimate(session, &estimate, err);
    }
    status = generate(session, flags, &summary, err);
    if (status != MR_OK) {
        return status;
    }
    mr_build_report(session, flags->output, &summary);
    if (flags->common.json) {
        struct mr_json json = mr_json_create();
        mr_build_json(&json, flags->output, &summary);
        status = mr_json_print(&json, stdout, err);
        mr_json_destroy(&json);
    }
    return status;
}

const struct mr_command mr_command_generate = {
    .name = "generate",
    .summary = "make a synthetic graph",
    .usage = "generate kron|rmat --scale S -o STORE [OPTIONS]",
    .text = "Makes the Kronecker graph of the Graph500 and GAP benchmarks (R-MAT with "
            "probabilities 0.57, 0.19, 0.19, 0.05; kron and rmat are two names for it): 2^S "
            "vertices with scrambled numbers, F links per vertex, directed unless --undirected. "
            "GAP's own is --undirected --self-loops drop.",
    .examples = "  millrace generate kron --scale 20 --edge-factor 16 --seed 1 -o kron20.mill\n",
    .groups = {{.title = "Graph", .options = graph_options, .base = 0}, MR_COMMON_GROUP},
    .defaults = &defaults,
    .flags_bytes = sizeof defaults,
    .min_operands = 1,
    .max_operands = 1,
    .operands = "the kind of graph (kron or rmat)",
    .run = run,
};
