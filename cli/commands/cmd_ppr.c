/* SPDX-License-Identifier: Apache-2.0 */
/* millrace ppr: personalised PageRank for one teleport vector or many. With --batch and an .npy
 * output, finished columns go straight to the file, so that memory need not hold all of them. */
#include <stdlib.h>
#include <string.h>

#include "cli/program/meta.h"
#include "cli/ranking/ranker.h"
#include "engine/base/memory.h"
#include "library/rank/solver_rows.h"

enum { COPY_BYTES = 64 << 10 };

struct ppr_flags {
    struct mr_ranking_flags ranking;
    struct mr_pagerank_options solver;
    const char *seed;
    struct mr_texts seeds;
    const char *teleport;
    const char *batch;
};

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
    {"width", 0, MR_OPTION_COUNT, FIELD(solver.width), "K", .least = 1, .most = MR_RANK_MAX_WIDTH,
     .help = "Number of vectors that share a pass over the links: 1, 2, 4, 8 or 16. It does not "
             "change the results. Default: all, if memory allows."},
    {0}};

static const struct mr_option solver_options[] = {
    {"dangling", 0, MR_OPTION_CHOICE, FIELD(solver.dangling), .choices = "teleport|uniform|none",
     .help = "Where the score of pages without links goes: to the pages of the teleport, to all "
             "pages evenly, or nowhere (the scores then do not add up to 1). Default teleport."},
    MR_RANKED_LINKS_OPTIONS,
    MR_LINK_WEIGHTS_OPTIONS(FIELD(ranking.links.internal_weight),
                            FIELD(ranking.links.external_weight)),
    MR_DAMPING_OPTION(FIELD(solver.damping)),
    MR_TOLERANCE_OPTION(FIELD(solver.tolerance),
                        "Stop when the sum of all scores' errors is proven to be at most T. "
                        "Default 1e-9, with --precision single 1e-5."),
    {"max-passes", 0, MR_OPTION_COUNT, FIELD(solver.max_passes), "N", .least = 1,
     .most = UINT32_MAX, .also = "max-iter maxiter max-iterations",
     .help = "Stop after N passes over the links, with exit code 6 and the scores so far. Default "
             "10000."},
    MR_MAX_UNKNOWN_OPTION(FIELD(ranking.max_unknown), "names of pages"),
    MR_PRECISION_OPTION(FIELD(solver.precision)),
    {"inner", 0, MR_OPTION_COUNT, FIELD(solver.inner), "K", .least = 1, .most = 1000,
     .help = "Apply the links inside a band of pages K times per pass, while they are in cache. "
             "Default: 2 where at least half of the links stay inside bands, else 1; none where "
             "memory has no room for all of them, decoded."},
    {"acceleration", 0, MR_OPTION_COUNT, FIELD(solver.acceleration), "M", .least = 0, .most = 8,
     .help = "Depth of the Anderson acceleration. Each step of depth needs 4 bytes per page (and "
             "vector), and 4 more if M is not 0. Default: 5, or less if --memory has no room."},
    MR_NO_PIN_OPTION(FIELD(solver.no_pinning)),
    {0}};
#undef FIELD

/* The data of one run. */
struct ppr {
    struct mr_vertex_weights weights;
    struct mr_teleport_batch batch;
    uint64_t n; /* vectors */
    struct mr_teleport_vector *teleports; /* [n] */
    struct mr_personalised_vector *vectors; /* [n] */
    const char **names; /* [n], names of the columns */
    /* All unused where columns go straight to an .npy: */
    void *scores; /* [n][n_vertices] */
    void **starts; /* [n], of the vectors in `scores` */
    struct mr_score_column *columns; /* [n] */
    struct mr_personal_figures figures;
};

static const struct ppr_flags *flags_of(const struct mr_run *run)
{
    return (const struct ppr_flags *)run->flags;
}

static enum mr_status check(struct mr_run *run, struct mr_error *err)
{
    const struct ppr_flags *flags = flags_of(run);
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
    if (run->flags->columns.by != NULL && flags->batch == NULL) {
        return mr_error_set(err, MR_ERROR_USAGE, "--by needs --batch FILE");
    }
    return MR_OK;
}

static void plan(const struct mr_run *run, struct mr_store *store, struct mr_rank_costs *costs)
{
    const bool is_batch = flags_of(run)->batch != NULL;
    const struct mr_ranking_job job = {.store = store,
                                       .info = store != NULL ? mr_store_get_info(store) : NULL};

    *costs = (struct mr_rank_costs){0};
    mr_personal_plan(&job, &flags_of(run)->solver, is_batch ? MR_RANK_MAX_WIDTH : 1,
                     is_batch ? 1 : 0, costs);
}

static void estimate_memory(struct mr_run *run, uint64_t beside, struct mr_estimate *estimate)
{
    struct mr_rank_costs costs;

    plan(run, mr_run_links(run), &costs);
    estimate->memory_bytes = costs.memory_bytes + beside;
    estimate->least_bytes = costs.least_bytes + beside;
}

static double passes(const struct mr_run *run)
{
    struct mr_rank_costs costs;

    plan(run, NULL, &costs);
    return costs.passes;
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

    ppr->n = ppr->batch.n_vectors;
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
    enum mr_status status;

    ppr->n = 1;
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
    ppr->teleports = calloc(ppr->n, sizeof *ppr->teleports);
    ppr->vectors = calloc(ppr->n, sizeof *ppr->vectors);
    ppr->names = calloc(ppr->n, sizeof *ppr->names);
    ppr->starts = calloc(ppr->n, sizeof *ppr->starts);
    ppr->columns = calloc(ppr->n, sizeof *ppr->columns);
    if (ppr->teleports == NULL || ppr->vectors == NULL || ppr->names == NULL ||
        ppr->starts == NULL || ppr->columns == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for %llu vectors",
                            (unsigned long long)ppr->n);
    }
    set_teleports(ppr);
    for (uint64_t i = 0; i < ppr->n; i++) {
        ppr->vectors[i].name = ppr->names[i];
    }
    ppr->figures.vectors = (struct mr_rank_array){ppr->vectors, ppr->n};
    return mr_columns_expect(run, ppr->names, ppr->n, err);
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
    const uint64_t n_vertices = mr_run_info(run)->n_vertices;
    const size_t bytes = flags_of(run)->solver.precision == MR_PRECISION_SINGLE ? 4 : 8;
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

/* Opens the .npy, or makes the columns. */
static enum mr_status begin_columns(struct mr_run *run, enum mr_score_type type,
                                    struct mr_error *err)
{
    static const char what[] = "scores of all vectors (an .npy needs those of one batch only)";
    struct ppr *ppr = run->data;
    struct mr_memory *memory = run->session->context.memory;
    const uint64_t n_vertices = mr_run_info(run)->n_vertices;
    const size_t bytes = type == MR_SCORES_FLOAT ? sizeof(float) : sizeof(double);
    uint64_t all = 0;

    if (goes_straight(run)) {
        const enum mr_status status =
            mr_output_open(&run->session->context, run->flags->columns.output,
                           run->flags->common.force, &run->columns.npy, err);
        return status == MR_OK
                   ? mr_scores_npy_begin(run->columns.npy, type, n_vertices, ppr->n, err)
                   : status;
    }
    enum mr_status status = mr_memory_size(what, n_vertices, ppr->n * bytes, 1, &all, err);
    if (status == MR_OK) {
        status = mr_memory_alloc(memory, what, all, &ppr->scores, err);
    }
    for (uint64_t i = 0; i < ppr->n && status == MR_OK; i++) {
        ppr->starts[i] = (uint8_t *)ppr->scores + i * n_vertices * bytes;
        ppr->columns[i] =
            (struct mr_score_column){.name = ppr->names[i], .type = type, .values = ppr->starts[i]};
    }
    return status;
}

/* ---- The run ---- */

static enum mr_status rank(struct mr_run *run, struct mr_error *err)
{
    const struct mr_pagerank_options *options = &flags_of(run)->solver;
    struct ppr *ppr = run->data;
    const bool is_single = options->precision == MR_PRECISION_SINGLE;
    struct mr_personal_columns columns = {.n_vertices = mr_run_info(run)->n_vertices,
                                          .from_floats = is_single,
                                          .to_floats = is_single,
                                          .columns = ppr->starts};

    run->session->meter.goal = mr_rank_tolerance(options);
    const enum mr_status status =
        begin_columns(run, is_single ? MR_SCORES_FLOAT : MR_SCORES_DOUBLE, err);
    if (status != MR_OK) {
        return status;
    }
    const bool is_straight = run->columns.npy != NULL;
    run->columns.columns = is_straight ? NULL : ppr->columns;
    run->columns.n_columns = is_straight ? 0 : (unsigned)ppr->n;
    return mr_personalised(&run->session->context, mr_run_links(run), ppr->teleports, ppr->n,
                           options, ppr->vectors, is_straight ? append_columns : mr_personal_take,
                           is_straight ? (void *)run : &columns, &ppr->figures.result, err);
}

static void report(const struct mr_run *run)
{
    const struct ppr *ppr = run->data;
    char text[256] = "";

    mr_personal_say(&ppr->figures, text, sizeof text);
    if (text[0] != '\0') {
        mr_session_say(run->session, "%s, %.1f s", text, run->seconds);
    }
}

/* Adds the parameters of the solver, but for the tolerance. */
static void describe_solver(struct mr_json *json, const struct mr_pagerank_options *options)
{
    mr_json_real(json, "damping", options->damping);
    mr_json_text(json, "dangling", mr_dangling_words[options->dangling]);
    mr_json_text(json, "precision",
                 options->precision == MR_PRECISION_SINGLE ? "single" : "double");
}

static void describe(const struct mr_run *run, struct mr_json *json)
{
    static const struct mr_rank_figure rows[] = {MR_PERSONAL_FIGURES(0), {0}};
    const struct ppr_flags *flags = flags_of(run);
    const struct ppr *ppr = run->data;
    const struct mr_vertex_weights *pages =
        flags->batch != NULL ? &ppr->batch.weights : &ppr->weights;

    mr_json_text(json, "algorithm", "ppr");
    mr_json_flag(json, "weights", run->flags->weights);
    mr_json_text(json, "seed", flags->seed);
    mr_json_texts_given(json, "seeds", flags->seeds.items, flags->seeds.n);
    mr_json_text(json, "teleport", flags->teleport);
    mr_json_text(json, "batch", flags->batch);
    if (flags->seed == NULL) {
        mr_json_count(json, "teleport_lines", pages->lines);
        mr_json_count(json, "teleport_vertices", pages->n_entries);
        mr_json_count(json, "teleport_duplicates", pages->duplicates);
        mr_json_count(json, "teleport_unknown", pages->unknown);
    }
    describe_solver(json, &flags->solver);
    for (const struct mr_rank_figure *row = rows; row->name != NULL; row++) {
        mr_meta_figure(json, &ppr->figures, row);
    }
}

static enum mr_status end(struct mr_run *run, enum mr_status status, struct mr_error *err)
{
    struct ppr *ppr = run->data;

    (void)err;
    mr_memory_free(run->session->context.memory, ppr->scores);
    free(ppr->columns);
    free(ppr->starts);
    free(ppr->vectors);
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
               {.title = "Ranking", .options = solver_options, .base = 0},
               MR_OUTPUT_GROUP,
               MR_IMPORT_GROUP,
               MR_FETCH_GROUP,
               MR_COMMON_GROUP},
    MR_RANKING_COMMAND(defaults, ranker),
    .list_files = mr_ranker_list_files,
};
