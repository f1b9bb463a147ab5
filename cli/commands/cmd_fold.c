/* SPDX-License-Identifier: Apache-2.0 */
/* millrace fold: makes the graph of hosts or domains from a store of pages or hosts. The work is in
 * library/fold_hosts.c; this file has the flags and the report. */
#include <stdlib.h>

#include "cli/graph/building.h"
#include "cli/graph/graph.h"
#include "cli/program/command.h"
#include "cli/program/option_table.h"

struct fold_flags {
    struct mr_common_flags common;
    const char *output;
    const char *members;
    int by; /* index into "host|domain|icann-domain" */
    int weights; /* enum mr_fold_weights */
    int self_loops; /* index into "drop|keep" */
    int zstd_level;
    int encoding; /* enum mr_encoding */
};

static const struct fold_flags defaults = {.common = MR_COMMON_DEFAULTS,
                                           .zstd_level = MR_ZSTD_LEVEL_OF_STORE};

_Static_assert((int)MR_FOLD_LINKS == 0 && (int)MR_FOLD_PAGES == 1 && (int)MR_FOLD_NONE == 2,
               "--weights' choices are in the order of enum mr_fold_weights");

#define FIELD(name) offsetof(struct fold_flags, name)
static const struct mr_option fold_options[] = {
    {"output", 'o', MR_OPTION_TEXT, FIELD(output), "STORE", .file = MR_FILE_STORE,
     .help = "Directory of the new store. Required.", .often = true},
    {"by", 0, MR_OPTION_CHOICE, FIELD(by), .choices = "host|domain|icann-domain",
     .also = "domain domains host hosts level",
     .help = "Fold to hosts or registered domains. domain: by the public suffix list. "
             "icann-domain: by its "
             "section of registries alone, as Common Crawl does: x.blogspot.com belongs to "
             "blogspot.com. Default host.",
     .often = true},
    {"weights", 0, MR_OPTION_CHOICE, FIELD(weights), .choices = "links|pages|none",
     .help = "What the weight of a link between two hosts is. links: the number of links between "
             "their pages, or the sum of their weights. pages: the number of pages that have such "
             "a link. none: the store has no weights. Default links.",
     .often = true},
    {"self-loops", 0, MR_OPTION_CHOICE, FIELD(self_loops), .choices = "drop|keep",
     .help = "What to do with links inside a host. keep: they become a link of the host to itself. "
             "Default drop."},
    {"members", 0, MR_OPTION_TEXT, FIELD(members), "FILE", .file = MR_FILE_WRITE,
     .help = "Also write how many pages each host has: lines NAME<TAB>N; or hosts of each domain "
             "if the store is one of hosts; or .csv, .jsonl, .json and .parquet. .gz and .zst "
             "compress.",
     .often = true},
    MR_STORE_CODEC_OPTION(FIELD(zstd_level)),
    MR_ENCODING_OPTION(FIELD(encoding)),
    {0}};
#undef FIELD

static enum mr_status check_flags(const struct fold_flags *flags, struct mr_error *err)
{
    if (flags->output == NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "fold: needs an output; say -o STORE, such as -o hosts.mill");
    }
    if (flags->members != NULL && mr_output_is_standard(flags->members) && flags->common.json) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--members %s: --json prints to standard output already; name a file",
                            flags->members);
    }
    return mr_row_form_check(flags->members, false, err);
}

static void report(struct mr_session *session, const struct fold_flags *flags,
                   const struct mr_store_build_figures *figures)
{
    char alone[32], links[64];

    if (figures->n_alone > 0) {
        mr_session_say(session, "note: pages without a host: %s; they are left out with %s",
                       mr_count_text(figures->n_alone, alone),
                       mr_count_of_text(figures->n_edges_alone, "link", links));
    }
    mr_build_report(session, flags->output, false, figures);
}

static enum mr_status print_json(const struct fold_flags *flags,
                                 const struct mr_store_build_figures *figures, struct mr_error *err)
{
    struct mr_json json = mr_json_create();

    mr_build_json(&json, flags->output, figures);
    mr_json_count(&json, "pages_without_host", figures->n_alone);
    mr_json_count(&json, "links_without_host", figures->n_edges_alone);
    return mr_json_print_and_destroy(&json, err);
}

/* Folds the graph. The files appear together. */
static enum mr_status fold(struct mr_session *session, const struct fold_flags *flags,
                           struct mr_store *store, struct mr_error *err)
{
    const struct mr_store_fold_options options = {.struct_size = sizeof options,
                                                  .by = (enum mr_fold_by)flags->by,
                                                  .weights = (enum mr_fold_weights)flags->weights,
                                                  .keep_self_loops = flags->self_loops != 0,
                                                  .force = flags->common.force,
                                                  .zstd_level = flags->zstd_level,
                                                  .members = flags->members,
                                                  .encoding = (enum mr_encoding)flags->encoding};
    struct mr_store_build_figures figures = {.struct_size = sizeof figures};

    (void)mr_session_publish_together(session);
    const enum mr_status status =
        mr_store_fold(&session->context, store, flags->output, &options, &figures, err);
    if (status == MR_OK) {
        report(session, flags, &figures);
    }
    return status == MR_OK && flags->common.json ? print_json(flags, &figures, err) : status;
}

static enum mr_status run_fold(struct mr_session *session, const void *data,
                               const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct fold_flags *flags = data;
    struct mr_store *store = NULL;

    enum mr_status status = check_flags(flags, err);
    if (status == MR_OK) {
        status = mr_store_open(&session->context, parsed->operands[0], &store, err);
    }
    if (status == MR_OK && flags->common.estimate) {
        const struct mr_rank_costs estimate =
            mr_build_estimate(session, mr_store_get_info(store)->n_edges, false);
        status = mr_session_estimate(session, &estimate, err);
    } else if (status == MR_OK) {
        status = fold(session, flags, store, err);
    }
    mr_store_close(store);
    return status;
}

const struct mr_command mr_command_fold = {
    .name = "fold",
    .summary = "make the graph of hosts or domains of a store",
    .usage = "fold STORE -o STORE [OPTIONS]",
    .text = "Makes a store whose pages are the hosts or registered domains of another store. All "
            "links between two hosts become one link with a weight. Names are reversed hosts, such "
            "as org.example.www, as in the host graphs of Common Crawl. Pages whose names have no "
            "host are left out. It works within --memory like a build and reads the links once.",
    .examples = "  millrace fold web.mill -o hosts.mill --members pages.tsv\n"
                "  millrace fold hosts.mill -o domains.mill --by domain --members hosts.tsv\n"
                "  millrace pagerank hosts.mill --weights -o hostranks.tsv\n",
    .groups = {{.title = "Fold", .options = fold_options, .base = 0}, MR_COMMON_GROUP},
    .min_operands = 1,
    .max_operands = 1,
    .operands = "a store",
    MR_COMMAND_RUNS(defaults, run_fold),
};
