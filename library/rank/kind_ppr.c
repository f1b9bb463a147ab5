/* SPDX-License-Identifier: Apache-2.0 */
/* Personalised PageRank for one teleport vector or many, several in each pass over the links. The
 * vectors become columns, or go to the program batch by batch. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "formats/score/vertex_weights.h"
#include "library/rank/solver_rows.h"

struct ppr_options {
    const char *seed;
    struct mr_rank_array seeds, teleport, batch;
    struct mr_pagerank_options solver;
};

/* The figures own the vectors, and the vectors their names. */
static struct mr_personalised_vector *vectors_of(const struct mr_personal_figures *figures)
{
    return (struct mr_personalised_vector *)(uintptr_t)figures->vectors.items;
}

static void plan(const struct mr_ranking_job *job, struct mr_rank_costs *plan)
{
    const struct ppr_options *options = job->options;
    const bool is_batch = options->batch.items != NULL;

    mr_personal_plan(job, &options->solver, is_batch ? MR_RANK_MAX_WIDTH : 1, is_batch ? 1 : 0,
                     plan);
}

/* ---- Vectors ---- */

/* The pages of the option `seed`. */
static enum mr_status find_seed(const struct mr_ranking_job *job, const char *name,
                                struct mr_vertex_weights *pages, struct mr_error *err)
{
    if (job->names == NULL) {
        return mr_error_set(err, MR_ERROR_USAGE, "seed needs the names of the store");
    }
    const enum mr_status status =
        mr_vertex_weights_of_name(job->context, name, job->names, job->info, pages, err);
    if (status == MR_OK && pages->n_entries == 0) {
        const bool may_be_host =
            job->info->name_kind == MR_NAMES_TEXT && strstr(name, "://") == NULL;
        return mr_error_set(err, MR_ERROR_INPUT, "--seed %s: no %s of the graph has that name",
                            name, may_be_host ? "page, host or domain" : "page");
    }
    return status;
}

/* Sets teleports[n] and the names of the vectors. */
static enum mr_status set_vectors(const struct mr_ranking_job *job,
                                  const struct mr_vertex_weights *of_seed,
                                  struct mr_rank_vector *teleports, struct mr_error *err)
{
    const struct ppr_options *given = job->options;
    const struct mr_rank_array *pages =
        given->teleport.items != NULL ? &given->teleport : &given->seeds;
    const struct mr_rank_vector *batch = given->batch.items;
    struct mr_personal_figures *figures = job->figures;

    teleports[0] =
        given->seed != NULL
            ? (struct mr_rank_vector){.pages = of_seed->entries, .count = of_seed->n_entries}
            : (struct mr_rank_vector){.pages = pages->items, .count = pages->n};
    for (uint64_t i = 0; i < figures->vectors.n; i++) {
        if (batch != NULL) {
            teleports[i] = batch[i];
        }
        vectors_of(figures)[i].name = strdup(batch != NULL ? batch[i].name : "score");
        if (vectors_of(figures)[i].name == NULL) {
            return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the names of vectors");
        }
    }
    return MR_OK;
}

/* ---- The run ---- */

/* A column for each vector. */
static enum mr_status add_columns(struct mr_ranking_job *job, bool is_single, void **columns,
                                  struct mr_error *err)
{
    const struct mr_personal_figures *figures = job->figures;
    const uint64_t n = figures->vectors.n;
    const enum mr_score_type type = is_single ? MR_SCORES_FLOAT : MR_SCORES_DOUBLE;
    uint64_t bytes = 0;

    enum mr_status status = mr_memory_size("scores of all vectors", job->info->n_vertices,
                                           n * sizeof(double), 1, &bytes, err);
    if (status == MR_OK) {
        status = mr_ranking_reserve(job->ranking, n, err);
    }
    for (uint64_t i = 0; i < n && status == MR_OK; i++) {
        status =
            mr_ranking_add_new(job->ranking, vectors_of(figures)[i].name, type, &columns[i], err);
    }
    return status;
}

static enum mr_status solve(struct mr_ranking_job *job, const struct mr_rank_vector *teleports,
                            void **columns, struct mr_error *err)
{
    const struct mr_pagerank_options *options = &((const struct ppr_options *)job->options)->solver;
    const bool is_single = options->precision == MR_PRECISION_SINGLE;
    struct mr_personal_figures *figures = job->figures;
    struct mr_personal_columns to = {.n_vertices = job->info->n_vertices,
                                     .from_floats = is_single,
                                     .to_floats = is_single,
                                     .columns = columns};
    const bool is_taken = job->extras.take != NULL;

    const enum mr_status status = is_taken ? MR_OK : add_columns(job, is_single, columns, err);
    return status == MR_OK
               ? mr_personalised(job->context, job->store, teleports, figures->vectors.n, options,
                                 vectors_of(figures),
                                 is_taken ? job->extras.take : mr_personal_take,
                                 is_taken ? job->extras.take_data : &to, &figures->result, err)
               : status;
}

static enum mr_status run_ppr(struct mr_ranking_job *job, struct mr_error *err)
{
    const struct ppr_options *given = job->options;
    const uint64_t n = given->batch.items != NULL ? given->batch.n : 1;
    struct mr_ranking_figures *known = &job->ranking->figures;
    struct mr_personal_figures *figures = job->figures;
    struct mr_vertex_weights of_seed = {0};
    struct mr_rank_vector *teleports = calloc(n, sizeof *teleports);
    void **columns = calloc(n, sizeof *columns);
    enum mr_status status = MR_OK;

    figures->vectors.items = calloc(n, sizeof(struct mr_personalised_vector));
    if (teleports == NULL || columns == NULL || figures->vectors.items == NULL) {
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for %llu vectors",
                              (unsigned long long)n);
    } else {
        figures->vectors.n = n;
    }
    if (status == MR_OK && given->seed != NULL) {
        status = find_seed(job, given->seed, &of_seed, err);
    }
    if (status == MR_OK) {
        status = set_vectors(job, &of_seed, teleports, err);
    }
    if (status == MR_OK) {
        status = solve(job, teleports, columns, err);
    }
    for (uint64_t i = 0; i < figures->vectors.n; i++) {
        known->error_bound = fmax(known->error_bound, vectors_of(figures)[i].error_bound);
        known->bound_kind = MR_BOUND_ERROR;
    }
    mr_vertex_weights_free(&of_seed);
    free(columns);
    free(teleports);
    return status;
}

static void say(const void *figures, char *text, size_t text_bytes)
{
    mr_personal_say(figures, text, text_bytes);
}

static void free_figures(void *data)
{
    struct mr_personal_figures *figures = data;

    for (uint64_t i = 0; i < figures->vectors.n; i++) {
        free((void *)vectors_of(figures)[i].name);
    }
    free(vectors_of(figures));
}

/* ---- The kind ---- */

#define OPTION(name) offsetof(struct ppr_options, name)
const struct mr_ranking_kind mr_kind_ppr = {
    .name = "ppr",
    .summary = "rank pages by personalised PageRank, for one or many teleports",
    .text = "Computes PageRank that teleports only to given pages, so that scores show importance "
            "as seen from these pages. With --batch it ranks many teleports, several in each pass "
            "over the links. Every vector has its own certificate, as in 'millrace pagerank'.",
    .examples = "  millrace ppr web.mill --seed http://example.com/ --top 10\n"
                "  millrace ppr web.mill --teleport relevance.tsv -o scores.tsv.zst\n"
                "  millrace ppr web.mill --batch topics.tsv -o topics.npy --names pages.txt\n"
                "  millrace ppr web.mill --each pages.txt --top 20 -o related.jsonl\n",
    .columns = (const struct mr_rank_column[]){{.name = "score", .excludes = "batch"}, {0}},
    .takes_weights = true,
    .weighs_classes = true,
    .needs = "seed|seeds|teleport|batch",
    .options =
        (const struct mr_rank_option[]){
            {"seed", MR_RANK_TEXT, OPTION(seed), "NAME", .also = "source restart",
             .help = "Teleport only to NAME: a page, or all pages of a host or registered domain.",
             .excludes = "seeds|teleport|batch", .often = true},
            {"seeds", MR_RANK_PAGES, OPTION(seeds), "FILE",
             .help = "Teleport to the pages in FILE evenly. One name per line: a page, a host or a "
                     "registered domain. Several --seeds add up.",
             .excludes = "teleport|batch", .often = true},
            {"teleport", MR_RANK_WEIGHTS, OPTION(teleport), "FILE",
             .also = "personalization personalize personalisation",
             .help = "Teleport to pages in proportion to the weights in FILE, such as scores from "
                     "a text classifier. Lines are NAME<TAB>WEIGHT. Pages of a host or domain "
                     "share its weight.",
             .excludes = "batch", .often = true},
            {"batch", MR_RANK_VECTORS, OPTION(batch), "FILE",
             .help = "Rank many teleports, with a column of scores for each. Lines are "
                     "VECTOR<TAB>PAGE<TAB>WEIGHT, or VECTOR<TAB>PAGE with weight 1. Columns are "
                     "in the order of the first lines of the vectors; --header names them.",
             .often = true},
            MR_WIDTH_OPTION(OPTION(solver)),
            MR_DANGLING_OPTION(OPTION(solver)),
            MR_SOLVER_OPTIONS(OPTION(solver)),
            {0}},
    .figures = (const struct mr_rank_figure[]){MR_PERSONAL_FIGURES(0), {0}},
    .work = &(const struct mr_ranking_work){.options_bytes = sizeof(struct ppr_options),
                                            .figures_bytes = sizeof(struct mr_personal_figures),
                                            .plan = plan,
                                            .run = run_ppr,
                                            .say = say,
                                            .free_figures = free_figures},
};
