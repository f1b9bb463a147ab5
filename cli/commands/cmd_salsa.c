/* SPDX-License-Identifier: Apache-2.0 */
/* millrace salsa and millrace degree: rankings without iterations, with two scores per page.
 * Both compute their scores from degrees and at most one pass, so they share this file and its
 * output. */
#include "algorithms/base/relaxation.h"
#include "algorithms/hits/salsa.h"
#include "cli/graph/columns.h"
#include "cli/program/command.h"
#include "cli/program/meta.h"
#include "cli/program/option_table.h"
#include "engine/base/clock.h"
#include "engine/base/memory.h"
#include "formats/graph_format.h"

struct salsa_flags {
    struct mr_common_flags common;
    struct mr_import_flags import;
    struct mr_columns_flags columns;
    bool weights;
};

static const struct salsa_flags defaults = {.common = MR_COMMON_DEFAULTS,
                                            .import = MR_IMPORT_DEFAULTS};

/* The differences between the two commands. */
struct kind {
    const char *algorithm;
    const char *columns[2];
    double passes;
    uint64_t bytes_per_vertex;
    enum mr_status (*rank)(const struct mr_context *context, struct mr_store *store,
                           struct mr_salsa_result *result, struct mr_error *err);
};

static const struct kind salsa = {"salsa", {"hub", "authority"}, 1, 48, mr_salsa};
static const struct kind degree = {"degree", {"out", "in"}, 0, 16, mr_degree_rank};

static enum mr_status estimate(struct mr_session *session, const struct kind *kind,
                               const struct salsa_flags *flags, const struct mr_parsed *parsed,
                               struct mr_error *err)
{
    struct mr_estimate result = {0};
    enum mr_status status;

    if (mr_graph_is_store(parsed)) {
        struct mr_store *store = NULL;
        status = mr_store_open(&session->context, parsed->operands[0], &store, err);
        if (status == MR_OK) {
            const struct mr_store_info *info = mr_store_get_info(store);
            result.memory_bytes = MR_MEMORY_FLOOR_BYTES +
                                  info->n_vertices * kind->bytes_per_vertex + info->index_bytes;
            if (flags->weights) {
                struct mr_store *weighted = NULL;
                status = mr_store_open_weights(&session->context, store, &weighted, err);
                result.memory_bytes +=
                    status == MR_OK ? mr_store_get_info(weighted)->index_bytes : 0;
                mr_store_close(weighted);
            }
            mr_store_close(store);
        }
    } else {
        uint64_t edges = 0;
        status = mr_import_guess_edges(session, parsed->operands, parsed->n_operands, &edges, err);
        result = mr_build_estimate(session, edges, flags->import.undirected);
    }
    result.passes = kind->passes;
    return status == MR_OK ? mr_session_estimate(session, &result, err) : status;
}

static enum mr_status write_results(struct mr_session *session, const struct kind *kind,
                                    const struct salsa_flags *flags, const struct mr_parsed *parsed,
                                    const struct mr_graph *graph,
                                    const struct mr_salsa_result *result, double seconds,
                                    struct mr_error *err)
{
    const struct mr_score_column columns[2] = {
        {.name = kind->columns[0], .type = MR_SCORES_DOUBLE, .values = result->hubs},
        {.name = kind->columns[1], .type = MR_SCORES_DOUBLE, .values = result->authorities}};
    const char *path = graph->temporary != NULL ? NULL : parsed->operands[0];
    struct mr_json json = mr_json_create();

    mr_meta_store(&json, path, mr_store_get_info(graph->store));
    mr_json_flag(&json, "weights", flags->weights);
    if (path == NULL) {
        mr_json_texts(&json, "inputs", parsed->operands, parsed->n_operands);
    }
    mr_json_text(&json, "algorithm", kind->algorithm);
    mr_json_count(&json, "hubs", result->n_hubs);
    mr_json_count(&json, "authorities", result->n_authorities);
    if (kind == &salsa) {
        mr_json_count(&json, "parts", result->n_parts);
        mr_json_count(&json, "largest_part_hubs", result->largest_hubs);
        mr_json_count(&json, "largest_part_authorities", result->largest_authorities);
    }
    mr_json_real(&json, "seconds", seconds);
    mr_meta_run(&json, session);
    const enum mr_status status =
        mr_columns_write(session, graph, &flags->columns, NULL, columns, 2, &json, err);
    mr_json_destroy(&json);
    return status;
}

static void report(struct mr_session *session, const struct kind *kind,
                   const struct mr_salsa_result *result, double seconds)
{
    char hubs[32], authorities[32], parts[32];

    if (kind == &salsa) {
        mr_session_say(session, "hubs: %s, authorities: %s, connected parts: %s; %.1f s",
                       mr_count_text(result->n_hubs, hubs),
                       mr_count_text(result->n_authorities, authorities),
                       mr_count_text(result->n_parts, parts), seconds);
    }
}

static enum mr_status run_kind(struct mr_session *session, const struct kind *kind,
                               const struct salsa_flags *flags, const struct mr_parsed *parsed,
                               struct mr_error *err)
{
    struct mr_graph graph = {0};
    struct mr_salsa_result result = {0};
    struct mr_import_flags import = flags->import;
    enum { IMPORT_GROUP = 1 }; /* in the commands' groups */

    enum mr_status status = mr_columns_check(session, &flags->columns, kind->columns, 2, err);
    if (status != MR_OK) {
        return status;
    }
    if (flags->common.estimate) {
        return estimate(session, kind, flags, parsed, err);
    }
    import.weights = flags->weights ? MR_WEIGHTS_MUST : MR_WEIGHTS_NONE;
    status =
        mr_graph_open(session, &import, parsed->first_given[IMPORT_GROUP], parsed, &graph, err);
    const double began = mr_now();
    if (status == MR_OK) {
        status = kind->rank(&session->context, mr_graph_links(&graph), &result, err);
    }
    if (status == MR_OK) {
        const double seconds = mr_now() - began;
        report(session, kind, &result, seconds);
        status = write_results(session, kind, flags, parsed, &graph, &result, seconds, err);
    }
    mr_salsa_result_free(&result);
    mr_graph_close(session, &graph);
    return status;
}

static enum mr_status run_salsa(struct mr_session *session, const void *flags,
                                const struct mr_parsed *parsed, struct mr_error *err)
{
    return run_kind(session, &salsa, flags, parsed, err);
}

static enum mr_status run_degree(struct mr_session *session, const void *flags,
                                 const struct mr_parsed *parsed, struct mr_error *err)
{
    return run_kind(session, &degree, flags, parsed, err);
}

static const struct mr_option links_options[] = {
    {.name = "weights",
     .type = MR_OPTION_FLAG,
     .offset = offsetof(struct salsa_flags, weights),
     .help = "Use the weights of links: the walk takes links in proportion to their weights, and "
             "degrees are sums of weights. Default: all links have the same weight."},
    MR_LINKS_OPTION(offsetof(struct salsa_flags, import.links.links)),
    MR_LARGEST_OPTION(offsetof(struct salsa_flags, import.largest)),
    {0}};

#define GROUPS                                                                                     \
    {                                                                                              \
        {.title = "Output",                                                                        \
         .options = mr_columns_options,                                                            \
         .base = offsetof(struct salsa_flags, columns)},                                           \
            {.title = "For an input that is not a store",                                          \
             .options = mr_import_options,                                                         \
             .topic = "inputs",                                                                    \
             .base = offsetof(struct salsa_flags, import)},                                        \
            {.title = "Links", .options = links_options, .base = 0}, MR_COMMON_GROUP               \
    }

const struct mr_command mr_command_salsa = {
    .name = "salsa",
    .summary = "rank pages as hubs and authorities by a random walk (SALSA)",
    .usage = "salsa STORE|INPUT... [-o FILE] [OPTIONS]",
    .text = "Computes SALSA: how often a random walk, which follows links forwards and backwards "
            "in turn, meets a page as a hub and as an authority. It computes the limit of the walk "
            "exactly from degrees and connected parts, in one pass over the links. Lines are NAME, "
            "hub, authority. With --weights the walk takes the links of a page in proportion to "
            "their weights.",
    .examples = "  millrace salsa web.mill -o salsa.tsv --top 10\n",
    .groups = GROUPS,
    .defaults = &defaults,
    .flags_bytes = sizeof defaults,
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .operands = "a store or an input file (- for standard input)",
    .run = run_salsa,
};

const struct mr_command mr_command_degree = {
    .name = "degree",
    .summary = "count the links from and to every page",
    .usage = "degree STORE|INPUT... [-o FILE] [OPTIONS]",
    .text = "Writes the numbers of links of every page, as lines NAME, out, in. This is the "
            "cheapest ranking, for comparisons with others. With --weights it writes the sums of "
            "the weights. It reads no links.",
    .examples = "  millrace degree web.mill -o degrees.tsv --top 10 --by in\n",
    .groups = GROUPS,
    .defaults = &defaults,
    .flags_bytes = sizeof defaults,
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .operands = "a store or an input file (- for standard input)",
    .run = run_degree,
};
