/* SPDX-License-Identifier: Apache-2.0 */
/* millrace append: adds edges to a store. library/import/append_inputs.c does the work; this file
 * has the flags, the estimate and the report. */
#include "cli/graph/building.h"
#include "cli/graph/graph.h"
#include "cli/program/command.h"
#include "cli/program/option_table.h"
#include "library/import/import_files.h"

struct append_flags {
    struct mr_common_flags common;
    struct mr_import_options import;
    bool replaces, drops_unlinked;
    struct mr_texts gone, seeds;
    uint64_t max_unknown;
};

static const struct append_flags append_defaults = {
    .common = MR_COMMON_DEFAULTS,
    .import = {.duplicates = -1, .vertices = UINT64_MAX, .zstd_level = MR_ZSTD_LEVEL_OF_STORE},
    .max_unknown = MR_MAX_UNKNOWN_DEFAULT};

#define FIELD(name) offsetof(struct append_flags, name)
static const struct mr_option append_options[] = {
    {.name = "replace",
     .type = MR_OPTION_FLAG,
     .offset = FIELD(replaces),
     .help = "Links of a page in the inputs replace its old ones, also where a page is fetched and "
             "has no links now. Other pages keep their links.",
     .often = true},
    {.name = "gone",
     .type = MR_OPTION_TEXTS,
     .offset = FIELD(gone),
     .value = "FILE",
     .file = MR_FILE_READ,
     .help = "Pages that are gone lose their links in the store. FILE is a list of "
             "pages or hosts, or a crawler's own file (crawl.log, a crawldb of Nutch, CDX, CDXJ, "
             "JSON, a status table of StormCrawler), of which those count that ended in 404 or "
             "410. Several --gone add up. There need be no INPUT.",
     .often = true},
    {.name = "seeds",
     .type = MR_OPTION_TEXTS,
     .offset = FIELD(seeds),
     .value = "FILE",
     .file = MR_FILE_READ,
     .help = "Add the pages that are listed in FILE, one per line or in a crawler's own file, "
             "without links. Several --seeds add up. There need be no INPUT.",
     .often = true},
    {.name = "drop-unlinked",
     .type = MR_OPTION_FLAG,
     .offset = FIELD(drops_unlinked),
     .help = "Leave out the pages of --gone that no page links to, also those that only the "
             "inputs name. If there is an INPUT or --seeds, FILE of --gone cannot be a pipe.",
     .often = true},
    MR_MAX_UNKNOWN_OPTION(FIELD(max_unknown), "names in --gone"),
    {0}};
#undef FIELD

static void report_changes(struct mr_session *session,
                           const struct mr_store_append_figures *summary)
{
    char pages[64], gone[32], dropped[32], fresh[64], kept[32], removed[32];

    mr_session_say(session, "%s replaced, %s gone, %s dropped; %s added, %s kept, %s removed",
                   mr_count_of_text(summary->n_replaced, "page", pages),
                   mr_count_text(summary->n_gone, gone), mr_count_text(summary->n_dropped, dropped),
                   mr_count_of_text(summary->n_new_links, "link", fresh),
                   mr_count_text(summary->n_kept, kept),
                   mr_count_text(summary->n_removed, removed));
}

static void report_append(struct mr_session *session, const char *store,
                          const struct append_flags *flags, const struct mr_import_summary *input,
                          const struct mr_store_append_figures *summary)
{
    char links[64], fresh[32], known[32], vertices[64], all[64], edges[64], size[32];

    if (input->format != NULL) {
        mr_session_say(
            session, "%s: %s new, %s known; %s", mr_count_of_text(summary->n_links, "link", links),
            mr_count_text(summary->n_new_links, fresh), mr_count_text(summary->n_known, known),
            mr_count_of_text(summary->n_new_vertices, "new page", vertices));
    }
    mr_build_report_older(session, &input->build);
    if (flags->replaces || flags->gone.n > 0) {
        report_changes(session, summary);
    }
    if (summary->n_respelled > 0) {
        mr_session_say(session, "new spellings of %s",
                       mr_count_of_text(summary->n_respelled, "known page", links));
    }
    mr_session_say(session, "%s: %s, %s, %s, %.1f s", store,
                   mr_count_of_text(summary->n_vertices, "page", all),
                   mr_count_of_text(summary->n_edges, "link", edges),
                   mr_size_text(summary->store_bytes, size), summary->seconds);
}

static enum mr_status print_append(const char *store, const struct mr_import_summary *input,
                                   const struct mr_store_append_figures *summary,
                                   struct mr_error *err)
{
    struct mr_json json = mr_json_create();

    mr_json_text(&json, "store", store);
    if (input->format != NULL) {
        mr_json_text(&json, "format", input->format->name);
    }
    mr_json_count(&json, "input_edges", input->build.input_edges);
    mr_json_count(&json, "older_links", input->build.older_links);
    mr_json_count(&json, "links", summary->n_links);
    mr_json_count(&json, "new_links", summary->n_new_links);
    mr_json_count(&json, "known_links", summary->n_known);
    mr_json_count(&json, "new_vertices", summary->n_new_vertices);
    mr_json_count(&json, "kept_links", summary->n_kept);
    mr_json_count(&json, "removed_links", summary->n_removed);
    mr_json_count(&json, "replaced_pages", summary->n_replaced);
    mr_json_count(&json, "gone_pages", summary->n_gone);
    mr_json_count(&json, "dropped_pages", summary->n_dropped);
    mr_json_count(&json, "respelled", summary->n_respelled);
    mr_json_count(&json, "spellings_left_out", input->build.spellings_left_out);
    mr_json_count(&json, "vertices", summary->n_vertices);
    mr_json_count(&json, "edges", summary->n_edges);
    mr_json_count(&json, "dangling", summary->n_dangling);
    mr_json_count(&json, "bytes", summary->store_bytes);
    mr_json_real(&json, "seconds", summary->seconds);
    return mr_json_print_and_destroy(&json, err);
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
    const char *path = parsed->operands[0];
    const struct mr_store_append_options options = {.struct_size = sizeof options,
                                                    .replace = flags->replaces,
                                                    .drop_unlinked = flags->drops_unlinked,
                                                    .gone = flags->gone.items,
                                                    .n_gone = flags->gone.n,
                                                    .seeds = flags->seeds.items,
                                                    .n_seeds = flags->seeds.n,
                                                    .max_unknown = flags->max_unknown};
    struct mr_import_summary input;
    struct mr_store_append_figures summary;
    uint64_t edges = 0;

    enum mr_status status =
        mr_append_check_options(&flags->import, &options, parsed->n_operands - 1, err);
    if (status != MR_OK) {
        return status;
    }
    if (flags->common.estimate) {
        status = mr_import_guess(&session->context, parsed->operands + 1, parsed->n_operands - 1,
                                 &flags->import, &edges, err);
        if (status == MR_OK) {
            status = add_own_edges(session, path, &edges, err);
        }
        const struct mr_rank_costs estimate = mr_build_estimate(session, edges, false);
        return status == MR_OK ? mr_session_estimate(session, &estimate, err) : status;
    }
    struct mr_import_options import = flags->import;
    import.together = mr_session_publish_together(session);
    status = mr_append_inputs(&session->context, path, parsed->operands + 1, parsed->n_operands - 1,
                              &import, &options, &input, &summary, err);
    if (status != MR_OK) {
        return status;
    }
    report_append(session, path, flags, &input, &summary);
    return flags->common.json ? print_append(path, &input, &summary, err) : MR_OK;
}

const struct mr_command mr_command_append = {
    .name = "append",
    .summary = "add links to a store",
    .usage = "append STORE [INPUT...] [OPTIONS]",
    .text =
        "Adds the links of the inputs to a store: the store that one build of all inputs makes. "
        "With --replace the links of a page that was fetched again replace its old ones, and with "
        "--gone pages that are gone lose theirs. "
        "It reads inputs as 'millrace build' does, and the store instead of the inputs that it "
        "was built from. Flags of the build (--undirected, --duplicates, --profile ...) hold "
        "for the new links, too. The store changes in one step: running rankings continue "
        "with the old links, and no link is ever half appended. Only one writer may work at a "
        "time. Pages get new numbers where new names come between the old ones. It takes the "
        "memory and temporary disk of a build, and the disk for a second store.",
    .examples = "  millrace append web.mill today.txt.gz\n"
                "  millrace append crawl.mill round2.warc.gz --replace --gone crawl.log\n"
                "  millrace append crawl.mill part-*.warc.wat.gz\n",
    .groups = {{.title = "Changes", .options = append_options, .base = 0},
               {.title = "Input",
                .options = mr_import_options,
                .unlisted = "undirected duplicates self-loops transpose order profile rule classes",
                .topic = "inputs",
                .base = offsetof(struct append_flags, import)},
               MR_COMMON_GROUP_WITHOUT("force")},
    .store_first = true,
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .operand_files = MR_OPERANDS_LISTED,
    .list_files = list_files,
    .operands = "a store, then input files (- for standard input)",
    MR_COMMAND_RUNS(append_defaults, run_append),
};
