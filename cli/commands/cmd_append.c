/* SPDX-License-Identifier: Apache-2.0 */
/* millrace append: adds edges to a store. It builds the new edges as a small temporary store first,
 * so that it reads inputs as `build` does. The store changes in one step. */
#include "cli/graph/codec.h"
#include "cli/graph/import.h"
#include "cli/program/command.h"
#include "engine/builder/append.h"
#include "formats/graph_format.h"
#include "formats/url/host.h"
#include "formats/url/surt.h"

struct append_flags {
    struct mr_common_flags common;
    struct mr_import_flags import;
};

#define CODEC_OF_STORE (-2) /* --codec is not given */

static const struct append_flags append_defaults = {
    .common = MR_COMMON_DEFAULTS,
    .import = {.duplicates = -1, .vertices = UINT64_MAX, .zstd_level = CODEC_OF_STORE}};

/* Refuses flags that the store has fixed at its build; they hold for appended edges as well. */
static enum mr_status check_flags(const struct mr_import_flags *flags, struct mr_error *err)
{
    const char *name = flags->undirected        ? "--undirected"
                       : flags->duplicates >= 0 ? "--duplicates"
                       : flags->self_loops != 0 ? "--self-loops"
                       : flags->transpose       ? "--transpose"
                       : flags->order != 0      ? "--order"
                       : flags->profile != NULL ? "--profile"
                       : flags->rules != NULL   ? "--rule"
                       : flags->classes != 0    ? "--classes"
                                                : NULL;
    return name == NULL
               ? MR_OK
               : mr_error_set(err, MR_ERROR_USAGE,
                              "append: the build of the store fixed %s; leave it out", name);
}

/* Sets the options of the build. The caller closes their name_group_data with
 * mr_host_groups_close, also after an error. */
static enum mr_status resolve(const struct mr_store_info *info, int zstd_level, int encoding,
                              struct mr_append_options *options, struct mr_error *err)
{
    *options = (struct mr_append_options){
        .struct_size = sizeof *options,
        .name_key = info->name_kind == MR_NAMES_TEXT ? mr_name_key_of(info->name_key_number) : NULL,
        .zstd_level = zstd_level == CODEC_OF_STORE ? info->zstd_level : zstd_level,
        .encoding = (enum mr_encoding)encoding,
    };
    struct mr_host_groups *groups = NULL;
    /* The new edges get the same classes. */
    const enum mr_status status = mr_host_groups_of_store(info, &groups, err);
    options->name_group = groups != NULL ? mr_host_group : NULL;
    options->name_group_data = groups;
    return status;
}

static void report_append(struct mr_session *session, const char *store,
                          const struct mr_append_summary *summary)
{
    char links[32], fresh[32], known[32], vertices[32], all[32], edges[32], size[32];

    mr_session_say(
        session, "%s links: %s new, %s known; %s new pages", mr_count_text(summary->n_links, links),
        mr_count_text(summary->n_new_links, fresh), mr_count_text(summary->n_known, known),
        mr_count_text(summary->n_new_vertices, vertices));
    if (summary->n_respelled > 0) {
        mr_session_say(session, "new spellings of %s known pages",
                       mr_count_text(summary->n_respelled, links));
    }
    mr_session_say(session, "%s: %s pages, %s links, %s, %.1f s", store,
                   mr_count_text(summary->vertices, all), mr_count_text(summary->edges, edges),
                   mr_size_text(summary->store_bytes, size), summary->seconds);
}

static enum mr_status print_append(const char *store, const struct mr_import_summary *input,
                                   const struct mr_append_summary *summary, struct mr_error *err)
{
    struct mr_json json = mr_json_create();

    mr_json_text(&json, "store", store);
    mr_json_text(&json, "format", input->format->name);
    mr_json_count(&json, "input_edges", input->build.input_edges);
    mr_json_count(&json, "links", summary->n_links);
    mr_json_count(&json, "new_links", summary->n_new_links);
    mr_json_count(&json, "known_links", summary->n_known);
    mr_json_count(&json, "new_vertices", summary->n_new_vertices);
    mr_json_count(&json, "respelled", summary->n_respelled);
    mr_json_count(&json, "spellings_left_out", input->build.spellings_left_out);
    mr_json_count(&json, "vertices", summary->vertices);
    mr_json_count(&json, "edges", summary->edges);
    mr_json_count(&json, "dangling", summary->dangling);
    mr_json_count(&json, "bytes", summary->store_bytes);
    mr_json_real(&json, "seconds", summary->seconds);
    const enum mr_status status = mr_json_print(&json, stdout, err);
    mr_json_destroy(&json);
    return status;
}

/* Builds a temporary store of the new edges, then adds it to the store. */
static enum mr_status append_inputs(struct mr_session *session, const struct append_flags *flags,
                                    const struct mr_parsed *parsed, struct mr_append *append,
                                    struct mr_error *err)
{
    const char *const *inputs = parsed->operands + 1;
    struct mr_import_flags import = flags->import;
    struct mr_import_summary input;
    struct mr_append_summary summary;
    struct mr_append_options options;

    import.onto = mr_append_store(append);
    import.onto_path = parsed->operands[0];
    import.weights = import.onto->has_weights ? MR_WEIGHTS_MUST : MR_WEIGHTS_NONE;
    import.ignores_weights = "the store has none";
    import.zstd_level = 0; /* the temporary store is read only once */
    import.encoding = MR_ENCODING_KEYS;
    enum mr_status status =
        resolve(import.onto, flags->import.zstd_level, flags->import.encoding, &options, err);
    if (status == MR_OK) {
        status = mr_import(session, &import, inputs, parsed->n_operands - 1,
                           mr_append_delta_path(append), true, &input, err);
    }
    if (status != MR_OK) {
        mr_append_abandon(append);
    } else {
        status = mr_append_finish(append, &options, &summary, err);
    }
    mr_host_groups_close(options.name_group_data);
    if (status != MR_OK) {
        return status;
    }
    report_append(session, parsed->operands[0], &summary);
    return flags->common.json ? print_append(parsed->operands[0], &input, &summary, err) : MR_OK;
}

/* Adds the edges of the store, which an append writes again. */
static enum mr_status add_own_edges(struct mr_session *session, const char *path, uint64_t *edges,
                                    struct mr_error *err)
{
    struct mr_store *store = NULL;
    const enum mr_status status = mr_store_open(&session->context, path, &store, err);
    if (status == MR_OK) {
        *edges += mr_store_get_info(store)->n_edges;
    }
    mr_store_close(store);
    return status;
}

/* The command writes the first operand and reads the others. */
static enum mr_status list_files(const void *data, const struct mr_parsed *parsed,
                                 struct mr_files *files, struct mr_error *err)
{
    (void)data;
    (void)err;
    mr_files_add(files, MR_FILE_UPDATE, "the store", parsed->operands[0], NULL);
    for (size_t i = 1; i < parsed->n_operands; i++) {
        mr_files_add(files, MR_FILE_READ, "INPUT", parsed->operands[i], NULL);
    }
    return MR_OK;
}

static enum mr_status run_append(struct mr_session *session, const void *data,
                                 const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct append_flags *flags = data;
    struct mr_append *append = NULL;
    uint64_t edges = 0;

    enum mr_status status = check_flags(&flags->import, err);
    if (status != MR_OK) {
        return status;
    }
    if (flags->common.estimate) {
        status = mr_import_guess_edges(session, parsed->operands + 1, parsed->n_operands - 1,
                                       &edges, err);
        if (status == MR_OK) {
            status = add_own_edges(session, parsed->operands[0], &edges, err);
        }
        const struct mr_estimate estimate = mr_build_estimate(session, edges, false);
        return status == MR_OK ? mr_session_estimate(session, &estimate, err) : status;
    }
    status = mr_append_begin(&session->context, parsed->operands[0], &append, err);
    return status == MR_OK ? append_inputs(session, flags, parsed, append, err) : status;
}

const struct mr_command mr_command_append = {
    .name = "append",
    .summary = "add links to a store",
    .usage = "append STORE INPUT... [OPTIONS]",
    .text =
        "Adds the links of the inputs to a store: the store that one build of all inputs makes. "
        "It reads inputs as 'millrace build' does, and the store instead of the inputs that it "
        "was built from. Flags of the build (--undirected, --duplicates, --profile ...) hold "
        "for the new links, too. The store changes in one step: running rankings continue "
        "with the old links, and no link is ever half appended. Only one writer may work at a "
        "time. Pages get new numbers where new names come between the old ones. It takes the "
        "memory and temporary disk of a build, and the disk for a second store.",
    .examples = "  millrace append web.mill today.txt.gz\n"
                "  millrace append crawl.mill part-*.warc.wat.gz\n",
    .groups = {{.title = "Input",
                .options = mr_import_options,
                .unlisted = "undirected duplicates self-loops transpose order profile rule classes",
                .topic = "inputs",
                .base = offsetof(struct append_flags, import)},
               MR_COMMON_GROUP_WITHOUT("force")},
    .defaults = &append_defaults,
    .flags_bytes = sizeof append_defaults,
    .min_operands = 2,
    .max_operands = SIZE_MAX,
    .operand_files = MR_OPERANDS_LISTED,
    .list_files = list_files,
    .operands = "a store, then input files (- for standard input)",
    .run = run_append,
};
