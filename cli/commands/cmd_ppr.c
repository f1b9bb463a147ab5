/* SPDX-License-Identifier: Apache-2.0 */
/* millrace ppr: personalised PageRank for one teleport vector or many. With --batch and an .npy
 * output, finished columns go straight to the file, so that memory need not hold all of them. */
#include <stdlib.h>
#include <string.h>

#include "cli/ranking/solver_flags.h"

enum { COPY_BYTES = 64 << 10 };

struct ppr_flags {
    struct mr_ranking_flags ranking; /* as in struct mr_solver_flags */
    struct mr_pagerank_options solver;
    const char *seed;
    struct mr_texts seeds;
    const char *teleport;
    const char *batch;
};
MR_BEGINS_WITH_SOLVER(struct ppr_flags);

static const struct ppr_flags defaults = {.ranking = MR_RANKING_DEFAULTS,
                                          .solver = MR_PAGERANK_OPTIONS_INIT};

#define FIELD(name) offsetof(struct ppr_flags, name)
static const struct mr_option ppr_options[] = {
    {"seed", 0, MR_OPTION_TEXT, FIELD(seed), "NAME",
     .help = "Teleport only to NAME: a page, or all pages of a host or registered domain."},
    {"seeds", 0, MR_OPTION_TEXTS, FIELD(seeds), "FILE", .file = MR_FILE_READ,
     .help = "Teleport to the pages in FILE evenly. One name per line: a page, a host or a "
             "registered domain. Several --seeds add up."},
    {"teleport", 0, MR_OPTION_TEXT, FIELD(teleport), "FILE", .file = MR_FILE_READ,
     .help = "Teleport to pages in proportion to the weights in FILE, such as scores from a text "
             "classifier. Lines are NAME<TAB>WEIGHT. Pages of a host or domain share its weight."},
    {"batch", 0, MR_OPTION_TEXT, FIELD(batch), "FILE", .file = MR_FILE_READ,
     .help = "Rank many teleports, with a column of scores for each. Lines are "
             "VECTOR<TAB>PAGE<TAB>WEIGHT, or VECTOR<TAB>PAGE with weight 1. Columns are in the "
             "order of "
             "the first lines of the vectors; --header names them."},
    MR_WIDTH_OPTION,
    {0}};
#undef FIELD

/* The data of one run. */
struct ppr {
    struct mr_personal personal;
    struct mr_vertex_weights weights;
    struct mr_teleport_batch batch;
    struct mr_teleport_vector *teleports; /* [n] */
    const char **names; /* [n], names of the columns */
    struct mr_personal_columns scores; /* unused where columns go straight to an .npy */
    struct mr_score_column *columns; /* [n] */
};

static const struct ppr_flags *flags_of(const struct mr_run *run)
{
    return (const struct ppr_flags *)run->flags;
}

static enum mr_status check(struct mr_run *run, struct mr_error *err)
{
    const struct ppr_flags *flags = flags_of(run);
    struct ppr *ppr = run->data;
    const int given = (flags->seed != NULL) + (flags->seeds.n > 0) + (flags->teleport != NULL) +
                      (flags->batch != NULL);

    ppr->personal.options = flags->solver;
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
    if (run->flags->columns.by != NULL && flags->batch == NULL) {
        return mr_error_set(err, MR_ERROR_USAGE, "--by needs --batch FILE");
    }
    return MR_OK;
}

static void estimate_memory(struct mr_run *run, uint64_t beside, struct mr_estimate *estimate)
{
    const struct ppr *ppr = run->data;
    const bool is_batch = flags_of(run)->batch != NULL;

    mr_personal_estimate(run, &ppr->personal, is_batch ? MR_RANK_MAX_WIDTH : 1, is_batch ? 1 : 0,
                         beside, estimate);
}

static double passes(const struct mr_run *run)
{
    const struct ppr *ppr = run->data;
    return mr_personal_passes(&ppr->personal, flags_of(run)->batch != NULL ? MR_RANK_MAX_WIDTH : 1);
}

/* ---- Teleports ---- */

static enum mr_status find_seed(struct mr_run *run, struct mr_error *err)
{
    const char *name = flags_of(run)->seed;
    const struct mr_store_info *info = mr_run_info(run);
    struct ppr *ppr = run->data;

    const enum mr_status status = mr_vertex_weights_of_name(
        &run->session->context, name, run->ranked->names, info, &ppr->weights, err);
    if (status == MR_OK && ppr->weights.n_entries == 0) {
        return mr_error_set(
            err, MR_ERROR_INPUT, "--seed %s: no %s of the graph has that name", name,
            info->name_kind == MR_NAMES_TEXT && strstr(name, "://") == NULL ? "page, host or domain"
                                                                            : "page");
    }
    return status;
}

static enum mr_status read_batch(struct mr_run *run, struct mr_error *err)
{
    struct ppr *ppr = run->data;
    const enum mr_status status =
        mr_teleport_batch_read(&run->session->context, flags_of(run)->batch, run->ranked->names,
                               mr_run_info(run), run->flags->max_unknown, &ppr->batch, err);

    ppr->personal.n = ppr->batch.n_vectors;
    return status;
}

static void set_teleports(struct ppr *ppr)
{
    const struct mr_teleport_batch *batch = &ppr->batch;

    ppr->names[0] = "score";
    ppr->teleports[0] = (struct mr_teleport_vector){ppr->weights.entries, ppr->weights.n_entries};
    for (uint64_t i = 0; i < batch->n_vectors; i++) {
        const uint64_t first = i > 0 ? batch->ends[i - 1] : 0;
        ppr->names[i] = batch->names[i];
        ppr->teleports[i] =
            (struct mr_teleport_vector){batch->weights.entries + first, batch->ends[i] - first};
    }
}

static enum mr_status prepare(struct mr_run *run, struct mr_error *err)
{
    const struct ppr_flags *flags = flags_of(run);
    struct ppr *ppr = run->data;
    struct mr_personal *personal = &ppr->personal;
    enum mr_status status;

    personal->n = 1;
    if (flags->batch != NULL) {
        status = read_batch(run, err);
    } else if (flags->seed != NULL) {
        status = find_seed(run, err);
    } else if (flags->teleport != NULL) {
        status = mr_run_read_pages(run, &flags->teleport, 1, true, &ppr->weights, err);
    } else {
        status =
            mr_run_read_pages(run, flags->seeds.items, flags->seeds.n, false, &ppr->weights, err);
    }
    if (status != MR_OK) {
        return status;
    }
    ppr->teleports = calloc(personal->n, sizeof *ppr->teleports);
    ppr->names = calloc(personal->n, sizeof *ppr->names);
    ppr->columns = calloc(personal->n, sizeof *ppr->columns);
    personal->outcomes = calloc(personal->n, sizeof *personal->outcomes);
    if (ppr->teleports == NULL || ppr->names == NULL || ppr->columns == NULL ||
        personal->outcomes == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for %llu vectors",
                            (unsigned long long)personal->n);
    }
    set_teleports(ppr);
    personal->teleports = ppr->teleports;
    personal->names = ppr->names;
    return mr_columns_expect(run, ppr->names, personal->n, err);
}

/* ---- Columns straight into an .npy ---- */

/* Returns whether columns go straight to the output. Only an .npy stores whole columns one after
 * the other, so only there the columns of one batch are enough in memory. */
static bool goes_straight(const struct mr_run *run)
{
    const struct mr_columns_flags *flags = &run->flags->columns;
    return flags->output != NULL && mr_output_has_suffix(flags->output, ".npy") &&
           flags->top == 0 && run->flags->fetch.next == 0;
}

static enum mr_status append_columns(void *data, uint64_t first, unsigned n, unsigned width,
                                     void *values, struct mr_error *err)
{
    struct mr_run *run = data;
    const struct ppr *ppr = run->data;
    const uint64_t n_vertices = mr_run_info(run)->n_vertices;
    const size_t bytes = ppr->personal.options.precision == MR_PRECISION_SINGLE ? 4 : 8;
    uint8_t copy[COPY_BYTES];
    enum mr_status status = MR_OK;

    (void)first;
    for (unsigned j = 0; j < n && status == MR_OK; j++) {
        const uint8_t *from = (const uint8_t *)values + j * bytes;
        for (uint64_t v = 0; v < n_vertices && status == MR_OK;) {
            size_t used = 0;
            for (; v < n_vertices && used < sizeof copy && status == MR_OK; v++, used += bytes) {
                uint32_t vertex = 0;
                status = mr_names_vertex(run->ranked->names, (uint32_t)v, &vertex, err);
                memcpy(copy + used, from + (size_t)vertex * width * bytes, bytes);
            }
            status = status == MR_OK ? mr_output_write(run->columns.npy, copy, used, err) : status;
        }
    }
    return status;
}

static enum mr_status begin_columns(struct mr_run *run, struct mr_error *err)
{
    struct ppr *ppr = run->data;
    const uint64_t n_vertices = mr_run_info(run)->n_vertices;
    const bool is_single = ppr->personal.options.precision == MR_PRECISION_SINGLE;

    if (!goes_straight(run)) {
        return mr_personal_columns_create(run->session, n_vertices, ppr->personal.n, is_single,
                                          &ppr->scores, err);
    }
    const enum mr_status status = mr_output_open(&run->session->context, run->flags->columns.output,
                                                 run->flags->common.force, &run->columns.npy, err);
    return status == MR_OK ? mr_scores_npy_begin(run->columns.npy,
                                                 is_single ? MR_SCORES_FLOAT : MR_SCORES_DOUBLE,
                                                 n_vertices, ppr->personal.n, err)
                           : status;
}

/* ---- The run ---- */

static enum mr_status rank(struct mr_run *run, struct mr_error *err)
{
    struct ppr *ppr = run->data;
    struct mr_personal *personal = &ppr->personal;

    enum mr_status status = begin_columns(run, err);
    if (status == MR_OK && run->columns.npy != NULL) {
        return mr_personal_rank(run, personal, append_columns, run, err);
    }
    if (status == MR_OK) {
        status = mr_personal_rank(run, personal, mr_personal_columns_take, &ppr->scores, err);
        run->columns.columns = ppr->columns;
        run->columns.n_columns = (unsigned)personal->n;
    }
    for (uint64_t i = 0; i < run->columns.n_columns; i++) {
        ppr->columns[i] = mr_personal_column(&ppr->scores, i, ppr->names[i]);
    }
    return status;
}

static void report(const struct mr_run *run)
{
    const struct ppr *ppr = run->data;
    mr_personal_report(run, &ppr->personal);
}

static void describe(const struct mr_run *run, struct mr_json *json)
{
    const struct ppr_flags *flags = flags_of(run);
    const struct ppr *ppr = run->data;
    const bool is_batch = flags->batch != NULL;

    mr_json_text(json, "algorithm", "ppr");
    mr_json_flag(json, "weights", run->flags->weights);
    mr_json_text(json, "seed", flags->seed);
    mr_json_texts_given(json, "seeds", flags->seeds.items, flags->seeds.n);
    mr_json_text(json, "teleport", flags->teleport);
    mr_json_text(json, "batch", flags->batch);
    if (flags->seed == NULL) {
        mr_json_count(json, "teleport_lines",
                      is_batch ? ppr->batch.weights.lines : ppr->weights.lines);
        mr_json_count(json, "teleport_vertices",
                      is_batch ? ppr->batch.weights.n_entries : ppr->weights.n_entries);
        mr_json_count(json, "teleport_duplicates",
                      is_batch ? ppr->batch.weights.duplicates : ppr->weights.duplicates);
        mr_json_count(json, "teleport_unknown",
                      is_batch ? ppr->batch.weights.unknown : ppr->weights.unknown);
    }
    mr_personal_describe(json, &ppr->personal);
}

static enum mr_status end(struct mr_run *run, enum mr_status status, struct mr_error *err)
{
    struct ppr *ppr = run->data;

    (void)err;
    mr_personal_columns_destroy(&ppr->scores);
    free(ppr->personal.outcomes);
    free(ppr->columns);
    free(ppr->names);
    free(ppr->teleports);
    mr_teleport_batch_free(&ppr->batch);
    mr_vertex_weights_free(&ppr->weights);
    return status;
}

/* ---- The command ---- */

static const struct mr_ranker ranker = {.data_bytes = sizeof(struct ppr),
                                        .check = check,
                                        .estimate = estimate_memory,
                                        .passes = passes,
                                        .prepare = prepare,
                                        .rank = rank,
                                        .report = report,
                                        .describe = describe,
                                        .end = end};

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
               MR_SOLVER_GROUP(MR_SOLVER_ALL),
               MR_OUTPUT_GROUP,
               MR_IMPORT_GROUP,
               MR_FETCH_GROUP,
               MR_COMMON_GROUP},
    MR_RANKING_COMMAND(defaults, ranker),
    .list_files = mr_ranker_list_files,
};
