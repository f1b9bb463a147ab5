/* SPDX-License-Identifier: Apache-2.0 */
/* millrace ppr: personalised PageRank for one teleport vector or many. Reads the teleports and
 * hands them to the solver through personal.h. With --batch and an .npy output, finished columns
 * go straight to the file, so that memory need not hold all of them. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cli/graph/columns.h"
#include "cli/program/command.h"
#include "cli/program/meta.h"
#include "cli/program/option_table.h"
#include "cli/ranking/personal.h"
#include "engine/base/memory.h"
#include "formats/score/teleport_batch.h"
#include "formats/score/vertex_weights.h"
#include "formats/stream/output.h"

static_assert((int)MR_DANGLING_TELEPORT == 0 && (int)MR_DANGLING_UNIFORM == 1 &&
                  (int)MR_DANGLING_NONE == 2,
              "--dangling's choices are in the order of enum mr_dangling");

enum { COPY_BYTES = 64 << 10 };

struct ppr_flags {
    struct mr_common_flags common;
    struct mr_import_flags import;
    struct mr_columns_flags columns;
    struct mr_personal_flags solver;
    bool weights;
    const char *seed;
    struct mr_texts seeds;
    const char *teleport;
    const char *batch;
    int dangling; /* enum mr_dangling */
};

static const struct ppr_flags defaults = {
    .common = MR_COMMON_DEFAULTS, .import = MR_IMPORT_DEFAULTS, .solver = MR_PERSONAL_DEFAULTS};

#define FIELD(name) offsetof(struct ppr_flags, name)
static const struct mr_option ppr_options[] = {
    MR_RANK_WEIGHTS_OPTION(FIELD(weights)),
    MR_LINKS_OPTION(FIELD(import.links.links)),
    MR_LARGEST_OPTION(FIELD(import.largest)),
    MR_LINK_WEIGHTS_OPTIONS(FIELD(import.links.internal_weight),
                            FIELD(import.links.external_weight)),
    {.name = "seed",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(seed),
     .value = "NAME",
     .help = "Teleport only to NAME: a page, or all pages of a host or registered domain."},
    {.name = "seeds",
     .type = MR_OPTION_TEXTS,
     .offset = FIELD(seeds),
     .value = "FILE",
     .file = MR_FILE_READ,
     .help = "Teleport to the pages in FILE evenly. One name per line: a page, a host or a "
             "registered domain. Several --seeds add up."},
    {.name = "teleport",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(teleport),
     .value = "FILE",
     .file = MR_FILE_READ,
     .help = "Teleport to pages in proportion to the weights in FILE, such as scores from a text "
             "classifier. Lines are NAME WEIGHT. Pages of a host or domain share its weight."},
    {.name = "batch",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(batch),
     .value = "FILE",
     .file = MR_FILE_READ,
     .help = "Rank many teleports, with a column of scores for each. Lines are VECTOR PAGE WEIGHT, "
             "or VECTOR PAGE with weight 1. Columns are in the order of the first lines of the "
             "vectors; --header names them."},
    {.name = "dangling",
     .type = MR_OPTION_CHOICE,
     .offset = FIELD(dangling),
     .choices = "teleport|uniform|none",
     .help = "Where the score of pages without links goes: to the pages of the teleport, to all "
             "pages evenly, or nowhere (the scores then do not add up to 1). Default teleport."},
    {0}};
#undef FIELD

/* All data of one ranking. */
struct ranking {
    struct mr_personal personal;
    const struct ppr_flags *flags;
    struct mr_vertex_weights weights;
    struct mr_teleport_batch batch;
    struct mr_teleport *teleports; /* [n] */
    const char **names; /* [n], names of the columns */
    struct mr_personal_columns columns; /* unused where columns go straight to an .npy */
    struct mr_output *npy;
    struct mr_fetch_plan plan;
};

static enum mr_status check_flags(const struct ranking *ranking, struct mr_error *err)
{
    const struct ppr_flags *flags = ranking->flags;
    const int given = (flags->seed != NULL) + (flags->seeds.n > 0) + (flags->teleport != NULL) +
                      (flags->batch != NULL);

    if (given == 0) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "ppr: needs pages to teleport to; say one of --seed NAME, --seeds "
                            "FILE, --teleport FILE, --batch FILE");
    }
    if (given > 1) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--seed, --seeds, --teleport and --batch exclude each other; give one "
                            "of them");
    }
    if (flags->columns.by != NULL && flags->batch == NULL) {
        return mr_error_set(err, MR_ERROR_USAGE, "--by needs --batch FILE");
    }
    return mr_columns_check(ranking->personal.session, &flags->columns, NULL, 0, err);
}

/* ---- Teleports ---- */

static enum mr_status find_seed(struct ranking *ranking, struct mr_error *err)
{
    const char *name = ranking->flags->seed;
    const struct mr_graph *graph = &ranking->personal.graph;
    const struct mr_store_info *info = mr_store_get_info(graph->store);

    const enum mr_status status = mr_vertex_weights_of_name(
        &ranking->personal.session->context, name, graph->names, info, &ranking->weights, err);
    if (status == MR_OK && ranking->weights.n_entries == 0) {
        return mr_error_set(
            err, MR_ERROR_INPUT, "--seed %s: no %s of the graph has that name", name,
            info->name_kind == MR_NAMES_TEXT && strstr(name, "://") == NULL ? "page, host or domain"
                                                                            : "page");
    }
    return status;
}

static enum mr_status read_batch(struct ranking *ranking, struct mr_error *err)
{
    const struct ppr_flags *flags = ranking->flags;
    const struct mr_context *context = &ranking->personal.session->context;
    struct mr_input *input = NULL;

    enum mr_status status = mr_input_open(context, flags->batch, &input, err);
    if (status == MR_OK) {
        status = mr_teleport_batch_read(context, input, ranking->personal.graph.names,
                                        mr_store_get_info(ranking->personal.graph.store),
                                        flags->solver.max_unknown, &ranking->batch, err);
    }
    mr_input_close(input);
    ranking->personal.n = ranking->batch.n_vectors;
    return status;
}

static void set_teleports(struct ranking *ranking)
{
    const struct mr_teleport_batch *batch = &ranking->batch;

    ranking->names[0] = "score";
    ranking->teleports[0] =
        (struct mr_teleport){ranking->weights.entries, ranking->weights.n_entries};
    for (uint64_t i = 0; i < batch->n_vectors; i++) {
        const uint64_t first = i > 0 ? batch->ends[i - 1] : 0;
        ranking->names[i] = batch->names[i];
        ranking->teleports[i] =
            (struct mr_teleport){batch->entries + first, batch->ends[i] - first};
    }
}

static enum mr_status read_teleports(struct ranking *ranking, struct mr_error *err)
{
    const struct ppr_flags *flags = ranking->flags;
    enum mr_status status;

    ranking->personal.n = 1;
    if (flags->batch != NULL) {
        status = read_batch(ranking, err);
    } else if (flags->seed != NULL) {
        status = find_seed(ranking, err);
    } else {
        const bool weighted = flags->teleport != NULL;
        status = mr_vertex_weights_open(
            &ranking->personal.session->context, weighted ? &flags->teleport : flags->seeds.items,
            weighted ? 1 : flags->seeds.n, ranking->personal.graph.names,
            mr_store_get_info(ranking->personal.graph.store), weighted, flags->solver.max_unknown,
            &ranking->weights, err);
    }
    if (status != MR_OK) {
        return status;
    }
    ranking->teleports = calloc(ranking->personal.n, sizeof *ranking->teleports);
    ranking->names = calloc(ranking->personal.n, sizeof *ranking->names);
    ranking->personal.outcomes = calloc(ranking->personal.n, sizeof *ranking->personal.outcomes);
    if (ranking->teleports == NULL || ranking->names == NULL ||
        ranking->personal.outcomes == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for %llu vectors",
                            (unsigned long long)ranking->personal.n);
    }
    set_teleports(ranking);
    ranking->personal.teleports = ranking->teleports;
    ranking->personal.names = ranking->names;
    for (uint64_t i = 0; flags->columns.by != NULL; i++) {
        if (i == ranking->personal.n) {
            return mr_error_set(err, MR_ERROR_USAGE, "--by %s: no vector of %s has that name",
                                flags->columns.by, flags->batch);
        }
        assert(ranking->names[i] != NULL);
        if (strcmp(ranking->names[i], flags->columns.by) == 0) {
            break;
        }
    }
    return MR_OK;
}

/* ---- Columns straight into an .npy ---- */

/* Returns whether columns go straight to the output. Only an .npy stores whole columns one after
 * the other, so only there the columns of one batch are enough in memory. */
static bool goes_straight(const struct ranking *ranking)
{
    const struct mr_columns_flags *flags = &ranking->flags->columns;
    return flags->output != NULL && mr_output_has_suffix(flags->output, ".npy") &&
           flags->top == 0 && flags->fetch.next == 0;
}

static enum mr_status append_columns(void *data, uint64_t first, unsigned n, unsigned width,
                                     void *values, struct mr_error *err)
{
    struct ranking *ranking = data;
    const uint64_t n_vertices = mr_store_get_info(ranking->personal.graph.store)->n_vertices;
    const size_t bytes = ranking->personal.options.precision == MR_PRECISION_SINGLE ? 4 : 8;
    uint8_t copy[COPY_BYTES];
    enum mr_status status = MR_OK;

    (void)first;
    for (unsigned j = 0; j < n && status == MR_OK; j++) {
        const uint8_t *from = (const uint8_t *)values + j * bytes;
        for (uint64_t v = 0; v < n_vertices && status == MR_OK;) {
            size_t used = 0;
            for (; v < n_vertices && used < sizeof copy && status == MR_OK; v++, used += bytes) {
                uint32_t vertex = 0;
                status = mr_names_vertex(ranking->personal.graph.names, (uint32_t)v, &vertex, err);
                memcpy(copy + used, from + (size_t)vertex * width * bytes, bytes);
            }
            status = status == MR_OK ? mr_output_write(ranking->npy, copy, used, err) : status;
        }
    }
    return status;
}

static enum mr_status begin_columns(struct ranking *ranking, struct mr_error *err)
{
    const struct mr_context *context = &ranking->personal.session->context;
    const struct ppr_flags *flags = ranking->flags;
    const uint64_t n_vertices = mr_store_get_info(ranking->personal.graph.store)->n_vertices;
    const bool is_single = ranking->personal.options.precision == MR_PRECISION_SINGLE;

    if (!goes_straight(ranking)) {
        return mr_personal_columns_create(ranking->personal.session, n_vertices,
                                          ranking->personal.n, is_single, &ranking->columns, err);
    }
    const enum mr_status status =
        mr_output_open(context, flags->columns.output, flags->common.force, &ranking->npy, err);
    return status == MR_OK
               ? mr_scores_npy_begin(ranking->npy, is_single ? MR_SCORES_FLOAT : MR_SCORES_DOUBLE,
                                     n_vertices, ranking->personal.n, err)
               : status;
}

/* ---- Results ---- */

static struct mr_json describe(const struct ranking *ranking)
{
    const struct ppr_flags *flags = ranking->flags;
    const bool is_batch = flags->batch != NULL;
    struct mr_json json = mr_personal_json(&ranking->personal, "ppr");

    mr_json_text(&json, "seed", flags->seed);
    mr_json_texts_given(&json, "seeds", flags->seeds.items, flags->seeds.n);
    mr_json_text(&json, "teleport", flags->teleport);
    mr_json_text(&json, "batch", flags->batch);
    if (flags->seed == NULL) {
        mr_json_count(&json, "teleport_lines",
                      is_batch ? ranking->batch.lines : ranking->weights.lines);
        mr_json_count(&json, "teleport_vertices",
                      is_batch ? ranking->batch.n_entries : ranking->weights.n_entries);
        mr_json_count(&json, "teleport_duplicates",
                      is_batch ? ranking->batch.duplicates : ranking->weights.duplicates);
        mr_json_count(&json, "teleport_unknown",
                      is_batch ? ranking->batch.unknown : ranking->weights.unknown);
    }
    mr_personal_describe(&json, &ranking->personal);
    return json;
}

/* The .npy is complete except for its end. Publishes it together with the files about it. */
static enum mr_status finish_npy(struct ranking *ranking, const struct mr_json *json,
                                 struct mr_error *err)
{
    const struct ppr_flags *flags = ranking->flags;
    struct mr_output *output = ranking->npy;

    ranking->npy = NULL;
    mr_session_publish_together(ranking->personal.session);
    enum mr_status status = mr_output_commit(output, err);
    if (status == MR_OK && flags->columns.names != NULL) {
        status = mr_scores_write_names(&ranking->personal.session->context, flags->columns.names,
                                       ranking->personal.graph.names,
                                       mr_store_get_info(ranking->personal.graph.store)->n_vertices,
                                       flags->common.force, NULL, err);
    }
    if (status == MR_OK) {
        status = mr_meta_write(ranking->personal.session, json, flags->columns.output, err);
    }
    status = mr_session_publish(ranking->personal.session, status, err);
    return status == MR_OK && flags->common.json ? mr_json_print(json, stdout, err) : status;
}

static enum mr_status write_results(void *data, struct mr_error *err)
{
    struct ranking *ranking = data;
    struct mr_json json = describe(ranking);
    struct mr_score_column *columns = NULL;
    enum mr_status status;

    if (ranking->npy != NULL) {
        status = finish_npy(ranking, &json, err);
        goto out;
    }
    columns = calloc(ranking->personal.n, sizeof *columns);
    if (columns == NULL) {
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for columns");
        goto out;
    }
    for (uint64_t i = 0; i < ranking->personal.n; i++) {
        columns[i] = mr_personal_column(&ranking->columns, i, ranking->names[i]);
    }
    status = mr_columns_write(ranking->personal.session, &ranking->personal.graph,
                              &ranking->flags->columns, &ranking->plan, columns,
                              (unsigned)ranking->personal.n, &json, err);
out:
    free(columns);
    mr_json_destroy(&json);
    return status;
}

/* ---- The command ---- */

static enum mr_status rank(struct ranking *ranking, struct mr_error *err)
{
    const enum mr_status status = begin_columns(ranking, err);
    const bool is_straight = ranking->npy != NULL;

    return status == MR_OK
               ? mr_personal_rank(&ranking->personal,
                                  is_straight ? append_columns : mr_personal_columns_take,
                                  is_straight ? (void *)ranking : (void *)&ranking->columns,
                                  write_results, ranking, err)
               : status;
}

static enum mr_status list_files(const void *data, const struct mr_parsed *parsed,
                                 struct mr_files *files, struct mr_error *err)
{
    const struct ppr_flags *flags = data;

    (void)parsed;
    (void)err;
    mr_fetch_list_files(&flags->columns.fetch, files);
    return MR_OK;
}

static enum mr_status run(struct mr_session *session, const void *data,
                          const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct ppr_flags *flags = data;
    struct ranking ranking = {
        .personal = {.session = session, .parsed = parsed, .weights = flags->weights},
        .flags = flags};
    enum { IMPORT_GROUP = 3 }; /* in mr_command_ppr.groups */

    enum mr_status status = check_flags(&ranking, err);
    if (status != MR_OK) {
        return status;
    }
    ranking.personal.options =
        mr_personal_solver(session, &flags->solver, (enum mr_dangling)flags->dangling);
    if (flags->common.estimate) {
        return mr_personal_estimate(&ranking.personal, &flags->import,
                                    flags->batch != NULL ? MR_RANK_MAX_WIDTH : 1,
                                    flags->batch != NULL ? 1 : 0, err);
    }
    status =
        mr_personal_open(&ranking.personal, &flags->import, parsed->first_given[IMPORT_GROUP], err);
    if (status == MR_OK) {
        status = read_teleports(&ranking, err);
    }
    if (status == MR_OK) {
        status = mr_fetch_plan_open(session, &flags->columns.fetch, &ranking.personal.graph,
                                    flags->solver.max_unknown, &ranking.plan, err);
    }
    if (status == MR_OK) {
        status = rank(&ranking, err);
    }
    mr_output_abandon(ranking.npy);
    mr_personal_columns_destroy(&ranking.columns);
    mr_fetch_plan_close(&ranking.plan);
    free(ranking.personal.outcomes);
    free(ranking.names);
    free(ranking.teleports);
    mr_teleport_batch_free(&ranking.batch);
    mr_vertex_weights_free(&ranking.weights);
    mr_graph_close(session, &ranking.personal.graph);
    return status;
}

const struct mr_command mr_command_ppr = {
    .name = "ppr",
    .summary = "rank pages by personalised PageRank, for one or many teleports",
    .usage = "ppr STORE|INPUT... --seed NAME [-o FILE] [OPTIONS]",
    .text = "Computes PageRank that teleports only to given pages, so that scores show importance "
            "as seen from these pages. With --batch it ranks many teleports, several in each pass "
            "over the links. Every vector has its own certificate, as in 'millrace pagerank'. An "
            "input that is not a store is first built into a temporary store.",
    .examples = "  millrace ppr web.mill --seed http://example.com/ --top 10\n"
                "  millrace ppr web.mill --teleport relevance.tsv -o scores.tsv.zst\n"
                "  millrace ppr web.mill --batch topics.tsv -o topics.npy --names pages.txt\n",
    .groups = {{.title = "Teleport", .options = ppr_options, .base = 0},
               {.title = "Ranking",
                .options = mr_personal_options,
                .base = offsetof(struct ppr_flags, solver)},
               {.title = "Output",
                .options = mr_columns_options,
                .base = offsetof(struct ppr_flags, columns)},
               {.title = "For an input that is not a store",
                .options = mr_import_options,
                .topic = "inputs",
                .base = offsetof(struct ppr_flags, import)},
               {.title = "Pages to fetch",
                .options = mr_fetch_options,
                .base = offsetof(struct ppr_flags, columns.fetch)},
               MR_COMMON_GROUP},
    .defaults = &defaults,
    .flags_bytes = sizeof defaults,
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .operands = "a store or an input file (- for standard input)",
    .list_files = list_files,
    .run = run,
};
