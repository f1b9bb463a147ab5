/* SPDX-License-Identifier: Apache-2.0 */
/* millrace bench: times passes over a store, from disk and from memory, and the ranking by default.
 * It prints the median of each over several rounds. The result tells a user whether more memory, a
 * faster disk or more threads would help. */
#include <math.h>
#include <stdlib.h>

#include "cli/program/command.h"
#include "engine/base/clock.h"
#include "engine/base/count_text.h"
#include "engine/base/memory.h"
#include "engine/pass/pass.h"
#include "millrace/rank.h"

enum { MAX_ROUNDS = 99 };

struct bench_flags {
    struct mr_common_flags common;
    uint64_t rounds;
};

static const struct bench_flags defaults = {.common = MR_COMMON_DEFAULTS, .rounds = 5};

static const struct mr_option bench_options[] = {
    {"rounds", 0, MR_OPTION_COUNT, offsetof(struct bench_flags, rounds), "N", .least = 1,
     .most = MAX_ROUNDS, .help = "Number of measurements for each median. Default 5.",
     .often = true},
    {0}};

/* Medians in seconds; `pinned` is NaN if --memory has no room for all links. */
struct bench {
    struct mr_session *session;
    struct mr_store *store;
    unsigned rounds, passes; /* of the ranking */
    double cold, pinned, ranking;
};

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, unsigned n)
{
    qsort(values, n, sizeof *values, compare);
    return 0.5 * (values[n / 2] + values[(n - 1) / 2]);
}

static void ignore_band(void *data, const struct mr_pass_band *band)
{
    (void)data, (void)band;
}

static enum mr_status time_passes(struct bench *bench, bool pinned, double *result,
                                  struct mr_error *err)
{
    const struct mr_context *context = &bench->session->context;
    const struct mr_store_info *info = mr_store_get_info(bench->store);
    const struct mr_pass_options options = {.no_pinning = !pinned, .decode_pinned = pinned};
    double seconds[MAX_ROUNDS];
    struct mr_pass *pass = NULL;
    void *x = NULL;

    enum mr_status status = mr_memory_alloc(context->memory, "values",
                                            mr_pass_vector_length(info) * sizeof(float), &x, err);
    if (status == MR_OK) {
        status = mr_pass_open(context, bench->store, &options, &pass, err);
    }
    const bool fits =
        status == MR_OK && (!pinned || mr_pass_get_figures(pass).pinned_bytes >= info->links_bytes);
    for (unsigned round = 0; round < bench->rounds && status == MR_OK && fits; round++) {
        const struct mr_pass_task task = {.value = MR_VALUE_FLOAT, .x = x, .callback = ignore_band};
        const double began = mr_now();
        status = mr_pass_run(pass, &task, err);
        seconds[round] = mr_now() - began;
    }
    *result = status == MR_OK && fits ? median(seconds, bench->rounds) : (double)NAN;
    mr_pass_close(pass);
    mr_memory_free(context->memory, x);
    return status;
}

static enum mr_status time_rankings(struct bench *bench, struct mr_error *err)
{
    double seconds[MAX_ROUNDS];
    struct mr_ranking_figures figures = {.struct_size = sizeof figures};
    enum mr_status status = MR_OK;

    for (unsigned round = 0; round < bench->rounds && status == MR_OK; round++) {
        struct mr_ranking *ranking = NULL;
        const double began = mr_now();
        status = mr_rank(&bench->session->context, bench->store, NULL, "pagerank", NULL, 0,
                         &ranking, err);
        seconds[round] = mr_now() - began;
        if (ranking != NULL) {
            mr_ranking_describe(ranking, &figures);
        }
        bench->passes = figures.passes;
        mr_ranking_free(ranking);
    }
    bench->ranking = status == MR_OK ? median(seconds, bench->rounds) : 0;
    return status;
}

static void print_text(const struct bench *bench)
{
    const struct mr_store_info *info = mr_store_get_info(bench->store);
    const double links = (double)info->n_edges, bytes = (double)info->links_bytes;
    char count[64];

    printf("%s, %.3f bytes each; %u threads; medians of %u\n",
           mr_count_of_text(info->n_edges, "link", count), bytes / links,
           bench->session->context.threads, bench->rounds);
    printf("%-18s%10s%10s\n%-18s%10.3f%10.2f\n", "", "ns/link", "GB/s", "pass from disk",
           1e9 * bench->cold / links, 1e-9 * bytes / bench->cold);
    if (!isnan(bench->pinned)) {
        printf("%-18s%10.3f%10.2f\n", "pass from memory", 1e9 * bench->pinned / links,
               1e-9 * bytes / bench->pinned);
    }
    printf("pagerank: %.3g s, %s\n", bench->ranking,
           mr_count_of_text(bench->passes, "pass", count));
}

static enum mr_status print_json(const struct bench *bench, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(bench->store);
    struct mr_json json = mr_json_create();

    mr_json_text(&json, "store", mr_store_path(bench->store));
    mr_json_count(&json, "edges", info->n_edges);
    mr_json_count(&json, "links_bytes", info->links_bytes);
    mr_json_count(&json, "threads", bench->session->context.threads);
    mr_json_count(&json, "rounds", bench->rounds);
    mr_json_real(&json, "cold_pass_seconds", bench->cold);
    mr_json_real(&json, "pinned_pass_seconds", bench->pinned);
    mr_json_real(&json, "pagerank_seconds", bench->ranking);
    mr_json_count(&json, "pagerank_passes", bench->passes);
    return mr_json_print_and_destroy(&json, err);
}

static enum mr_status estimate(const struct bench *bench, struct mr_error *err)
{
    struct mr_rank_costs costs;
    const enum mr_status status =
        mr_rank_plan(&bench->session->context, bench->store, "pagerank", NULL, 0, &costs, err);
    const struct mr_rank_costs result = {
        .memory_bytes = mr_session_peak_bytes() + costs.least_bytes +
                        4 * mr_pass_vector_length(mr_store_get_info(bench->store)),
        .passes = 2.0 * bench->rounds};
    return status == MR_OK ? mr_session_estimate(bench->session, &result, err) : status;
}

static enum mr_status measure(struct bench *bench, bool is_json, struct mr_error *err)
{
    if (mr_store_get_info(bench->store)->n_edges == 0) {
        return mr_error_file(err, MR_ERROR_USAGE, mr_store_path(bench->store), 0,
                             "has no links to measure with");
    }
    enum mr_status status = time_passes(bench, false, &bench->cold, err);
    if (status == MR_OK) {
        status = time_passes(bench, true, &bench->pinned, err);
    }
    if (status == MR_OK) {
        status = time_rankings(bench, err);
    }
    if (status == MR_OK && !is_json) {
        print_text(bench);
    }
    return status == MR_OK && is_json ? print_json(bench, err) : status;
}

static enum mr_status run_bench(struct mr_session *session, const void *data,
                                const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct bench_flags *flags = data;
    struct bench bench = {.session = session, .rounds = (unsigned)flags->rounds};

    enum mr_status status =
        mr_store_open(&session->context, parsed->operands[0], &bench.store, err);
    if (status == MR_OK) {
        status = flags->common.estimate ? estimate(&bench, err)
                                        : measure(&bench, flags->common.json, err);
    }
    mr_store_close(bench.store);
    return status;
}

const struct mr_command mr_command_bench = {
    .name = "bench",
    .summary = "measure the speed of passes over a store, and of the ranking",
    .usage = "bench STORE [OPTIONS]",
    .text = "Measures whole passes over the links, from disk and from memory (if --memory can hold "
            "all links), and 'millrace pagerank' with its defaults. If a pass from memory is much "
            "faster, more memory or a faster disk helps. Run nothing else meanwhile.",
    .examples = "  millrace bench web.mill\n"
                "  millrace bench web.mill --threads 1 --json\n",
    .groups = {{.title = "Options", .options = bench_options, .base = 0},
               MR_COMMON_GROUP_WITHOUT("tmp")},
    .min_operands = 1,
    .max_operands = 1,
    .operands = "a store",
    MR_COMMAND_RUNS(defaults, run_bench),
};
