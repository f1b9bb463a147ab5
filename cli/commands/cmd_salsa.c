/* SPDX-License-Identifier: Apache-2.0 */
/* millrace salsa and millrace degree: rankings without iterations, with two scores per page, from
 * degrees and at most one pass. */
#include "algorithms/hits/salsa.h"
#include "cli/ranking/ranker.h"
#include "engine/base/memory.h"

static const struct mr_ranking_flags defaults = MR_RANKING_DEFAULTS;

/* The data of one run. */
struct scores {
    struct mr_salsa_result result;
    struct mr_score_column columns[2];
};

static void estimate_memory(struct mr_run *run, uint64_t beside, uint64_t bytes_per_vertex,
                            struct mr_estimate *estimate)
{
    const struct mr_store_info *info = mr_run_info(run);

    estimate->memory_bytes =
        MR_MEMORY_FLOOR_BYTES + info->n_vertices * bytes_per_vertex + info->index_bytes + beside;
}

static enum mr_status take(struct mr_run *run, enum mr_status status)
{
    struct scores *scores = run->data;
    const double *const values[2] = {scores->result.hubs, scores->result.authorities};

    for (int i = 0; i < 2; i++) {
        scores->columns[i] = (struct mr_score_column){
            .name = run->ranker->columns[i], .type = MR_SCORES_DOUBLE, .values = values[i]};
    }
    run->columns.columns = scores->columns;
    run->columns.n_columns = 2;
    return status;
}

static enum mr_status end(struct mr_run *run, enum mr_status status, struct mr_error *err)
{
    struct scores *scores = run->data;

    (void)err;
    mr_salsa_result_free(&scores->result);
    return status;
}

/* ---- salsa ---- */

static void estimate_salsa(struct mr_run *run, uint64_t beside, struct mr_estimate *estimate)
{
    estimate_memory(run, beside, 48, estimate);
}

static enum mr_status rank_salsa(struct mr_run *run, struct mr_error *err)
{
    struct scores *scores = run->data;
    return take(run, mr_salsa(&run->session->context, mr_run_links(run), &scores->result, err));
}

static void report_salsa(const struct mr_run *run)
{
    const struct scores *scores = run->data;
    const struct mr_salsa_result *result = &scores->result;
    char hubs[32], authorities[32], parts[32];

    mr_session_say(run->session, "hubs: %s, authorities: %s, connected parts: %s; %.1f s",
                   mr_count_text(result->n_hubs, hubs),
                   mr_count_text(result->n_authorities, authorities),
                   mr_count_text(result->n_parts, parts), run->seconds);
}

static void describe_salsa(const struct mr_run *run, struct mr_json *json)
{
    const struct scores *scores = run->data;
    const struct mr_salsa_result *result = &scores->result;

    mr_json_text(json, "algorithm", "salsa");
    mr_json_flag(json, "weights", run->flags->weights);
    mr_json_count(json, "hubs", result->n_hubs);
    mr_json_count(json, "authorities", result->n_authorities);
    mr_json_count(json, "parts", result->n_parts);
    mr_json_count(json, "largest_part_hubs", result->largest_hubs);
    mr_json_count(json, "largest_part_authorities", result->largest_authorities);
}

static const char *const salsa_columns[] = {"hub", "authority"};
static const struct mr_ranker salsa = {.data_bytes = sizeof(struct scores),
                                       .columns = salsa_columns,
                                       .n_columns = 2,
                                       .estimate = estimate_salsa,
                                       .n_passes = 1,
                                       .rank = rank_salsa,
                                       .report = report_salsa,
                                       .describe = describe_salsa,
                                       .end = end};

/* ---- degree ---- */

static void estimate_degree(struct mr_run *run, uint64_t beside, struct mr_estimate *estimate)
{
    estimate_memory(run, beside, 16, estimate);
}

static enum mr_status rank_degree(struct mr_run *run, struct mr_error *err)
{
    struct scores *scores = run->data;
    return take(run,
                mr_degree_rank(&run->session->context, mr_run_links(run), &scores->result, err));
}

static void describe_degree(const struct mr_run *run, struct mr_json *json)
{
    const struct scores *scores = run->data;

    mr_json_text(json, "algorithm", "degree");
    mr_json_flag(json, "weights", run->flags->weights);
    mr_json_count(json, "hubs", scores->result.n_hubs);
    mr_json_count(json, "authorities", scores->result.n_authorities);
}

static const char *const degree_columns[] = {"out", "in"};
static const struct mr_ranker degree = {.data_bytes = sizeof(struct scores),
                                        .columns = degree_columns,
                                        .n_columns = 2,
                                        .estimate = estimate_degree,
                                        .rank = rank_degree,
                                        .describe = describe_degree,
                                        .end = end};

/* ---- The commands ---- */

#define GROUPS                                                                                     \
    {                                                                                              \
        MR_OUTPUT_GROUP, MR_IMPORT_GROUP, MR_LINKS_GROUP(MR_ALL_LINKS), MR_COMMON_GROUP            \
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
    MR_RANKING_COMMAND(defaults, salsa),
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
    MR_RANKING_COMMAND(defaults, degree),
};
