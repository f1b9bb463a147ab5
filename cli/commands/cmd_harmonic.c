/* SPDX-License-Identifier: Apache-2.0 */
/* millrace harmonic: harmonic centrality, closeness and reach of all pages, and the neighbourhood
 * function. algorithms/harmonic does the work. */
#include <string.h>

#include "algorithms/harmonic/harmonic.h"
#include "cli/ranking/ranker.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "formats/pages/page_list.h"

enum { N_COLUMNS = 3 };
static const char *const column_names[N_COLUMNS] = {"harmonic", "closeness", "reach"};

struct chosen {
    unsigned n;
    unsigned column[N_COLUMNS]; /* in the order of the flag */
};

struct harmonic_flags {
    struct mr_ranking_flags ranking;
    struct chosen chosen;
    uint64_t log2m;
    uint64_t seed;
    bool exact;
    const char *sources;
};

static const struct harmonic_flags defaults = {
    .ranking = MR_RANKING_DEFAULTS, .chosen = {.n = 1}, .log2m = MR_HARMONIC_AUTO_LOG2M, .seed = 1};

/* The data of one run. */
struct harmonic {
    struct mr_harmonic result;
    uint64_t n_sources;
    struct mr_score_column columns[N_COLUMNS];
};

static const struct harmonic_flags *flags_of(const struct mr_run *run)
{
    return (const struct harmonic_flags *)run->flags;
}

static enum mr_status parse_columns(const char *text, void *value, struct mr_error *err)
{
    struct chosen chosen = {0};

    for (const char *at = text; *at != '\0';) {
        const size_t bytes = strcspn(at, ",");
        unsigned i = 0;
        while (i < N_COLUMNS &&
               (strlen(column_names[i]) != bytes || memcmp(column_names[i], at, bytes) != 0)) {
            i++;
        }
        for (unsigned j = 0; j < chosen.n; j++) {
            i = chosen.column[j] == i ? N_COLUMNS : i;
        }
        if (i == N_COLUMNS) {
            return mr_error_set(err, MR_ERROR_USAGE,
                                "write harmonic, closeness and reach, each at most once, with "
                                "commas between");
        }
        chosen.column[chosen.n++] = i;
        at += bytes + (at[bytes] == ',');
    }
    if (chosen.n == 0) {
        return mr_error_set(err, MR_ERROR_USAGE, "name at least one column");
    }
    memcpy(value, &chosen, sizeof chosen);
    return MR_OK;
}

#define FIELD(name) offsetof(struct harmonic_flags, name)
static const struct mr_option harmonic_options[] = {
    {"log2m", 0, MR_OPTION_COUNT, FIELD(log2m), "B", .least = MR_HARMONIC_LEAST_LOG2M,
     .most = MR_HARMONIC_MOST_LOG2M,
     .help = "Counters have 2^B registers of a byte, and a relative error of 1.04/sqrt(2^B): 13% "
             "at 6, 3.3% at 10, 0.8% at 14. Default 6; up to 4,096 pages --exact."},
    {"exact", 0, MR_OPTION_FLAG, FIELD(exact),
     .help = "Search in breadth from every page instead: exact, for small graphs and few sources."},
    {"sources", 0, MR_OPTION_TEXT, FIELD(sources), "FILE", .file = MR_FILE_READ,
     .help = "Count only paths from the pages named in FILE, one per line. Default: from all."},
    MR_MAX_UNKNOWN_OPTION(FIELD(ranking.max_unknown), "names in --sources"),
    {"score-columns", 0, MR_OPTION_PARSED, FIELD(chosen), "LIST", .parse = parse_columns,
     .help = "Columns to write: harmonic, closeness (1 over the sum of distances), reach (pages "
             "that reach the page, itself included). Default harmonic."},
    {"random-seed", 0, MR_OPTION_COUNT, FIELD(seed), "N", .most = UINT64_MAX,
     .help = "Seed of the hash function of the counters. Default 1."},
    {0}};
#undef FIELD

static json_t *neighbourhood(const struct mr_harmonic *result)
{
    json_t *list = json_array();

    for (uint64_t t = 0; list != NULL && t < result->n_distances; t++) {
        if (json_array_append_new(list, json_real(result->neighbourhood[t])) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

/* The vertices named in --sources, ascending. */
static enum mr_status read_sources(struct mr_run *run, struct mr_page_list *sources,
                                   struct mr_error *err)
{
    const char *path = flags_of(run)->sources;

    const enum mr_status status = mr_page_list_read(
        &run->session->context, &path, 1, NULL, run->ranked->names, mr_run_info(run),
        MR_FETCH_WANTS_PAGES, 0, run->flags->max_unknown, sources, err);
    return status == MR_OK && sources->n_pages == 0
               ? mr_error_file(err, MR_ERROR_INPUT, path, 0, "names no page; name at least one")
               : status;
}

static enum mr_status check(struct mr_run *run, struct mr_error *err)
{
    const struct harmonic_flags *flags = flags_of(run);
    struct harmonic *harmonic = run->data;
    const char *names[N_COLUMNS];

    for (unsigned i = 0; i < flags->chosen.n; i++) {
        names[i] = column_names[flags->chosen.column[i]];
        harmonic->columns[i] = (struct mr_score_column){.name = names[i], .type = MR_SCORES_DOUBLE};
    }
    return mr_columns_expect(run, names, flags->chosen.n, err);
}

static void estimate_memory(struct mr_run *run, uint64_t beside, struct mr_estimate *estimate)
{
    const struct harmonic_flags *flags = flags_of(run);
    const struct mr_store_info *info = mr_run_info(run);
    const struct mr_session *session = run->session;
    const struct mr_harmonic_options options = {.struct_size = sizeof options,
                                                .log2m = flags->exact ? 0 : (unsigned)flags->log2m};
    const uint64_t others = MR_MEMORY_RESERVE_BYTES + info->index_bytes + beside;
    const uint64_t most = mr_harmonic_memory(info, &options, session->context.threads);

    estimate->least_bytes = others + mr_harmonic_memory(info, &options, 0);
    estimate->memory_bytes =
        mr_max_u64(estimate->least_bytes, mr_min_u64(others + most, session->memory_limit));
    /* a counter changes at about eight distances of a web graph */
    estimate->temporary_bytes =
        mr_harmonic_log2m(options.log2m, info->n_vertices) == 0 ? 0 : info->n_vertices * 12 * 8 * 2;
}

static enum mr_status rank(struct mr_run *run, struct mr_error *err)
{
    const struct harmonic_flags *flags = flags_of(run);
    const struct mr_context *context = &run->session->context;
    struct harmonic *harmonic = run->data;
    struct mr_harmonic *result = &harmonic->result;
    struct mr_harmonic_options options = {.struct_size = sizeof options,
                                          .log2m = flags->exact ? 0 : (unsigned)flags->log2m,
                                          .seed = flags->seed};
    struct mr_page_list sources = {0};
    enum mr_status status = MR_OK;

    if (flags->sources != NULL) {
        status = read_sources(run, &sources, err);
        options.sources = sources.pages;
        options.n_sources = harmonic->n_sources = sources.n_pages;
    }
    if (status == MR_OK) {
        status = mr_harmonic_find(context, run->ranked->store, run->ranked->names, &options, result,
                                  err);
    }
    const double *const values[N_COLUMNS] = {result->harmonic, result->closeness, result->reach};
    for (unsigned i = 0; i < flags->chosen.n; i++) {
        harmonic->columns[i].values = values[flags->chosen.column[i]];
    }
    run->columns.columns = harmonic->columns;
    run->columns.n_columns = flags->chosen.n;
    mr_page_list_free(&sources);
    return status;
}

static void describe(const struct mr_run *run, struct mr_json *json)
{
    const struct harmonic_flags *flags = flags_of(run);
    const struct harmonic *harmonic = run->data;
    const struct mr_harmonic *result = &harmonic->result;

    mr_json_text(json, "algorithm", result->log2m == 0 ? "breadth-first search" : "HyperBall");
    mr_json_text(json, "direction", "incoming paths");
    if (result->log2m > 0) {
        mr_json_count(json, "log2m", result->log2m);
        mr_json_count(json, "seed", flags->seed);
    }
    mr_json_real(json, "relative_error", result->relative_error);
    if (flags->sources != NULL) {
        mr_json_count(json, "sources", harmonic->n_sources);
    }
    mr_json_count(json, "distances", result->n_distances);
    mr_json_add(json, "neighbourhood", neighbourhood(result));
    mr_json_count(json, "slices", result->n_slices);
    mr_json_count(json, "slice_bytes", result->slice_bytes);
    mr_json_real(json, "readings", result->readings);
    mr_json_count(json, "bytes_read", result->read.bytes_read);
    mr_json_count(json, "blocks_skipped", result->read.blocks_skipped);
    mr_json_count(json, "temporary_bytes", result->temporary_bytes);
}

static void report(const struct mr_run *run)
{
    const struct harmonic *harmonic = run->data;
    const struct mr_harmonic *result = &harmonic->result;

    mr_session_say(run->session,
                   "harmonic: distances up to %llu, relative error %.2g, %llu slices, %.1f "
                   "readings of the links; %.1f s",
                   (unsigned long long)(result->n_distances > 0 ? result->n_distances - 1 : 0),
                   result->relative_error, (unsigned long long)result->n_slices, result->readings,
                   run->seconds);
}

static enum mr_status end(struct mr_run *run, enum mr_status status, struct mr_error *err)
{
    struct harmonic *harmonic = run->data;

    (void)err;
    mr_harmonic_free(&harmonic->result);
    return status;
}

static const struct mr_ranker ranker = {.data_bytes = sizeof(struct harmonic),
                                        .check = check,
                                        .estimate = estimate_memory,
                                        .n_passes = 10,
                                        .rank = rank,
                                        .report = report,
                                        .describe = describe,
                                        .end = end};

const struct mr_command mr_command_harmonic = {
    .name = "harmonic",
    .summary = "rank pages by harmonic centrality (HyperBall), from disk",
    .usage = "harmonic STORE|INPUT... [-o FILE] [OPTIONS]",
    .text = "Computes the harmonic centrality of every page: the sum of 1/distance over all pages "
            "that reach it along links. HyperBall estimates it with a counter for each page; "
            "--memory says how many registers of the counters are in memory at a time, and "
            "changes nothing but the time. The metadata has the neighbourhood function: how many "
            "pairs of pages are within each distance. An input that is not a store is first "
            "built into a temporary store.",
    .examples = "  millrace harmonic web.mill -o harmonic.tsv --log2m 10\n"
                "  millrace harmonic web.mill --score-columns harmonic,reach -o both.tsv\n",
    .groups = {MR_OUTPUT_GROUP,
               {.title = "Counting", .options = harmonic_options, .base = 0},
               MR_LINKS_GROUP(MR_ONLY_LARGEST),
               MR_IMPORT_GROUP,
               MR_COMMON_GROUP},
    MR_RANKING_COMMAND(defaults, ranker),
};
