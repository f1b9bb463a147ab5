/* SPDX-License-Identifier: Apache-2.0 */
/* millrace harmonic: harmonic centrality, closeness and reach of all pages, and the neighbourhood
 * function. algorithms/harmonic does the work. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/harmonic/harmonic.h"
#include "cli/graph/columns.h"
#include "cli/graph/subset.h"
#include "cli/program/command.h"
#include "cli/program/meta.h"
#include "cli/program/option_table.h"
#include "engine/base/clock.h"
#include "engine/base/memory.h"

enum { N_COLUMNS = 3 };
static const char *const column_names[N_COLUMNS] = {"harmonic", "closeness", "reach"};

struct chosen {
    unsigned n;
    unsigned column[N_COLUMNS]; /* in the order of the flag */
};

struct harmonic_flags {
    struct mr_common_flags common;
    struct mr_import_flags import;
    struct mr_columns_flags columns;
    struct chosen chosen;
    uint64_t log2m;
    uint64_t seed;
    bool exact;
    const char *sources;
    uint64_t max_unknown;
};

static const struct harmonic_flags defaults = {.common = MR_COMMON_DEFAULTS,
                                               .import = MR_IMPORT_DEFAULTS,
                                               .chosen = {.n = 1},
                                               .log2m = 6,
                                               .seed = 1,
                                               .max_unknown = MR_MAX_UNKNOWN_DEFAULT};

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
    {.name = "log2m",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(log2m),
     .value = "B",
     .least = MR_HARMONIC_LEAST_LOG2M,
     .most = MR_HARMONIC_MOST_LOG2M,
     .help = "Counters have 2^B registers of a byte, and a relative error of 1.04/sqrt(2^B): 13% "
             "at 6, 3.3% at 10, 0.8% at 14. Default 6."},
    {.name = "exact",
     .type = MR_OPTION_FLAG,
     .offset = FIELD(exact),
     .help = "Search in breadth from every page instead: exact, for small graphs and few sources."},
    {.name = "sources",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(sources),
     .value = "FILE",
     .file = MR_FILE_READ,
     .help = "Count only paths from the pages named in FILE, one per line. Default: from all."},
    MR_MAX_UNKNOWN_OPTION(FIELD(max_unknown), "names in --sources"),
    {.name = "score-columns",
     .type = MR_OPTION_PARSED,
     .offset = FIELD(chosen),
     .value = "LIST",
     .parse = parse_columns,
     .help = "Columns to write: harmonic, closeness (1 over the sum of distances), reach (pages "
             "that reach the page, itself included). Default harmonic."},
    {.name = "random-seed",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(seed),
     .value = "N",
     .most = UINT64_MAX,
     .help = "Seed of the hash function of the counters. Default 1."},
    MR_LARGEST_OPTION(FIELD(import.largest)),
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

static void fill_json(struct mr_json *json, const struct harmonic_flags *flags,
                      const struct mr_harmonic *result, uint64_t n_sources, double seconds)
{
    mr_json_text(json, "algorithm", flags->exact ? "breadth-first search" : "HyperBall");
    mr_json_text(json, "direction", "incoming paths");
    if (!flags->exact) {
        mr_json_count(json, "log2m", flags->log2m);
        mr_json_count(json, "seed", flags->seed);
    }
    mr_json_real(json, "relative_error", result->relative_error);
    if (flags->sources != NULL) {
        mr_json_count(json, "sources", n_sources);
    }
    mr_json_count(json, "distances", result->n_distances);
    mr_json_add(json, "neighbourhood", neighbourhood(result));
    mr_json_count(json, "slices", result->n_slices);
    mr_json_count(json, "slice_bytes", result->slice_bytes);
    mr_json_real(json, "readings", result->readings);
    mr_json_count(json, "bytes_read", result->read.bytes_read);
    mr_json_count(json, "blocks_skipped", result->read.blocks_skipped);
    mr_json_count(json, "temporary_bytes", result->temporary_bytes);
    mr_json_real(json, "seconds", seconds);
}

static enum mr_status write_results(struct mr_session *session, const struct harmonic_flags *flags,
                                    const struct mr_parsed *parsed, const struct mr_graph *graph,
                                    const struct mr_harmonic *result, uint64_t n_sources,
                                    double seconds, struct mr_error *err)
{
    const double *const values[N_COLUMNS] = {result->harmonic, result->closeness, result->reach};
    const char *path = graph->temporary != NULL ? NULL : parsed->operands[0];
    struct mr_score_column columns[N_COLUMNS];
    struct mr_json json = mr_json_create();

    for (unsigned i = 0; i < flags->chosen.n; i++) {
        const unsigned column = flags->chosen.column[i];
        columns[i] = (struct mr_score_column){
            .name = column_names[column], .type = MR_SCORES_DOUBLE, .values = values[column]};
    }
    mr_meta_store(&json, path, mr_store_get_info(graph->store));
    if (path == NULL) {
        mr_json_texts(&json, "inputs", parsed->operands, parsed->n_operands);
    }
    fill_json(&json, flags, result, n_sources, seconds);
    mr_meta_run(&json, session);
    const enum mr_status status = mr_columns_write(session, graph, &flags->columns, NULL, columns,
                                                   flags->chosen.n, &json, err);
    mr_json_destroy(&json);
    return status;
}

/* The vertices named in --sources, ascending. */
static enum mr_status read_sources(struct mr_session *session, const struct harmonic_flags *flags,
                                   const struct mr_graph *graph, uint32_t **sources, uint64_t *n,
                                   struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(graph->store);
    const uint64_t n_vertices = info->n_vertices;
    struct mr_vertex_set set = {0};

    enum mr_status status = mr_subset_of_list(&set, &session->context, graph->names, info,
                                              flags->max_unknown, flags->sources, err);
    if (status == MR_OK && set.n_members == 0) {
        status = mr_error_file(err, MR_ERROR_INPUT, flags->sources, 0,
                               "names no page; name at least one");
    }
    if (status == MR_OK) {
        status = mr_memory_array(session->context.memory, "sources", set.n_members, sources, err);
    }
    for (uint64_t v = 0; v < n_vertices && status == MR_OK; v++) {
        if (mr_vertex_set_has(&set, (uint32_t)v)) {
            (*sources)[(*n)++] = (uint32_t)v;
        }
    }
    mr_vertex_set_destroy(&set);
    return status;
}

static enum mr_status rank(struct mr_session *session, const struct harmonic_flags *flags,
                           const struct mr_parsed *parsed, const struct mr_graph *graph,
                           const char *directory, struct mr_error *err)
{
    struct mr_harmonic_options options = {.struct_size = sizeof options,
                                          .log2m = flags->exact ? 0 : (unsigned)flags->log2m,
                                          .seed = flags->seed,
                                          .directory = directory};
    struct mr_harmonic result = {0};
    uint32_t *sources = NULL;
    enum mr_status status = MR_OK;
    const double began = mr_now();

    if (flags->sources != NULL) {
        status = read_sources(session, flags, graph, &sources, &options.n_sources, err);
        options.sources = sources;
    }
    if (status == MR_OK) {
        status =
            mr_harmonic_find(&session->context, graph->store, graph->names, &options, &result, err);
    }
    if (status == MR_OK) {
        const double seconds = mr_now() - began;
        mr_session_say(session,
                       "harmonic: distances up to %llu, relative error %.2g, %llu slices, %.1f "
                       "readings of the links; %.1f s",
                       (unsigned long long)(result.n_distances > 0 ? result.n_distances - 1 : 0),
                       result.relative_error, (unsigned long long)result.n_slices, result.readings,
                       seconds);
        status =
            write_results(session, flags, parsed, graph, &result, options.n_sources, seconds, err);
    }
    mr_harmonic_free(&result);
    mr_memory_free(session->context.memory, sources);
    return status;
}

static enum mr_status estimate(struct mr_session *session, const struct harmonic_flags *flags,
                               const struct mr_parsed *parsed, struct mr_error *err)
{
    struct mr_estimate result = {0};
    enum mr_status status;

    if (mr_graph_is_store(parsed)) {
        struct mr_store *store = NULL;
        status = mr_store_open(&session->context, parsed->operands[0], &store, err);
        if (status == MR_OK) {
            const struct mr_store_info *info = mr_store_get_info(store);
            result.memory_bytes = MR_MEMORY_FLOOR_BYTES + info->index_bytes +
                                  info->n_vertices * (flags->exact ? 80 : 24);
            /* a counter changes at about eight distances of a web graph */
            result.temporary_bytes = flags->exact ? 0 : info->n_vertices * 12 * 8 * 2;
            mr_store_close(store);
        }
    } else {
        uint64_t edges = 0;
        status = mr_import_guess_edges(session, parsed->operands, parsed->n_operands, &edges, err);
        result = mr_build_estimate(session, edges, flags->import.undirected);
    }
    result.passes = 10;
    return status == MR_OK ? mr_session_estimate(session, &result, err) : status;
}

static enum mr_status run(struct mr_session *session, const void *data,
                          const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct harmonic_flags *flags = data;
    const char *names[N_COLUMNS];
    struct mr_graph graph = {0};
    const char *directory = NULL;
    enum { IMPORT_GROUP = 2 }; /* in mr_command_harmonic.groups */

    for (unsigned i = 0; i < flags->chosen.n; i++) {
        names[i] = column_names[flags->chosen.column[i]];
    }
    enum mr_status status = mr_columns_check(session, &flags->columns, names, flags->chosen.n, err);
    if (status != MR_OK) {
        return status;
    }
    if (flags->common.estimate) {
        return estimate(session, flags, parsed, err);
    }
    status = mr_graph_open(session, &flags->import, parsed->first_given[IMPORT_GROUP], parsed,
                           &graph, err);
    if (status == MR_OK) {
        status = mr_session_workspace(session, &directory, err);
    }
    if (status == MR_OK) {
        status = rank(session, flags, parsed, &graph, directory, err);
    }
    mr_graph_close(session, &graph);
    return status;
}

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
    .groups = {{.title = "Output",
                .options = mr_columns_options,
                .base = offsetof(struct harmonic_flags, columns)},
               {.title = "Counting", .options = harmonic_options, .base = 0},
               {.title = "For an input that is not a store",
                .options = mr_import_options,
                .topic = "inputs",
                .base = offsetof(struct harmonic_flags, import)},
               MR_COMMON_GROUP},
    .defaults = &defaults,
    .flags_bytes = sizeof defaults,
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .operands = "a store or an input file (- for standard input)",
    .run = run,
};
