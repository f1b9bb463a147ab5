/* SPDX-License-Identifier: Apache-2.0 */
/* TrustRank (Gyongyi, Garcia-Molina, Pedersen 2004): PageRank that teleports only to trusted pages;
 * and spam mass (Gyongyi, Berkhin, Garcia-Molina, Pedersen 2006), the part of the PageRank of a
 * page that does not come from them. For the spam mass the vector of all pages is solved in the
 * same passes; dangling mass is lost in both. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/count_text.h"
#include "library/rank/kinds.h"
#include "library/rank/solver_rows.h"

/* Trust is the last column, because --top and precedence use the last column by default. */
enum { PAGERANK, SPAM_MASS, SPAM_SHARE, TRUST, N_COLUMNS };

struct trust_options {
    struct mr_rank_array trusted;
    bool spam_mass;
    double good_share; /* 0: not given */
    struct mr_pagerank_options solver;
};

struct trust_figures {
    int dangling;
    double good_share; /* that was taken */
    bool is_sample; /* it was given */
    bool has_spam;
    double bound; /* of the errors of pagerank and of trust */
    struct mr_personalised_vector vectors[2]; /* of trusted pages, of all pages */
    struct mr_personal_figures personal;
};

static void plan(const struct mr_ranking_job *job, struct mr_rank_costs *plan)
{
    const struct trust_options *options = job->options;

    mr_personal_plan(job, &options->solver, options->spam_mass ? 2 : 1,
                     options->spam_mass ? N_COLUMNS : 1, plan);
}

/* The solved vectors are in two of the columns, and become all four. */
static void find_spam(const struct trust_figures *figures, uint64_t n, void *const *columns)
{
    double *pagerank = columns[PAGERANK], *mass = columns[SPAM_MASS];
    double *share = columns[SPAM_SHARE], *trust = columns[TRUST];

    for (uint64_t v = 0; v < n; v++) {
        const struct mr_spam spam = mr_spam_of(trust[v], pagerank[v], figures->vectors[0].score_sum,
                                               figures->vectors[1].score_sum, figures->good_share);
        pagerank[v] = spam.pagerank;
        mass[v] = spam.mass;
        share[v] = spam.share;
        trust[v] = spam.trust;
    }
}

/* Columns are vectors divided by their sums, which have the same error, so that their bounds are
 * twice that. */
static void find_bound(struct trust_figures *figures, struct mr_ranking_figures *known)
{
    const struct mr_personalised_vector *vectors = figures->vectors;

    for (unsigned i = 0; i < figures->personal.vectors.n; i++) {
        const double bound = figures->has_spam ? 2.0 * vectors[i].error_bound / vectors[i].score_sum
                                               : vectors[i].error_bound;
        figures->bound = fmax(figures->bound, bound);
        known->residual = fmax(known->residual, vectors[i].residual);
        known->rounding_bound = fmax(known->rounding_bound, vectors[i].rounding_bound);
    }
    known->bound_kind = MR_BOUND_ERROR;
    known->error_bound = figures->bound;
}

static enum mr_status solve(struct mr_ranking_job *job, const struct mr_pagerank_options *options,
                            const struct mr_personal_columns *columns, struct mr_error *err)
{
    const struct trust_options *given = job->options;
    const struct mr_rank_vector teleports[2] = {
        {.pages = given->trusted.items, .count = given->trusted.n}, {0}};
    struct trust_figures *figures = job->figures;

    return mr_personalised(job->context, job->store, teleports, figures->personal.vectors.n,
                           options, figures->vectors, mr_personal_take, (void *)columns,
                           &figures->personal.result, err);
}

static enum mr_status run_trustrank(struct mr_ranking_job *job, struct mr_error *err)
{
    static const char *const names[] = {"pagerank", "spam_mass", "spam_share", "trust"};
    const struct trust_options *given = job->options;
    struct mr_pagerank_options options = given->solver;
    struct trust_figures *figures = job->figures;
    const uint64_t n = job->info->n_vertices;
    const bool is_single = options.precision == MR_PRECISION_SINGLE;
    const enum mr_score_type type =
        is_single && !given->spam_mass ? MR_SCORES_FLOAT : MR_SCORES_DOUBLE;
    void *columns[N_COLUMNS] = {NULL};
    enum mr_status status = MR_OK;

    options.dangling = given->spam_mass ? MR_DANGLING_NONE : MR_DANGLING_TELEPORT;
    figures->dangling = (int)options.dangling;
    figures->has_spam = given->spam_mass;
    figures->is_sample = given->good_share > 0;
    figures->good_share =
        figures->is_sample ? given->good_share : (double)given->trusted.n / (double)n;
    figures->vectors[0].name = "trusted";
    figures->vectors[1].name = "pagerank";
    figures->personal.vectors = (struct mr_rank_array){figures->vectors, given->spam_mass ? 2 : 1};
    for (unsigned i = given->spam_mass ? 0 : TRUST; i < N_COLUMNS && status == MR_OK; i++) {
        status = mr_ranking_add_new(job->ranking, names[i], type, &columns[i], err);
    }
    if (status == MR_OK) {
        void *const solved[] = {columns[TRUST], columns[PAGERANK]};
        const struct mr_personal_columns to = {.n_vertices = n,
                                               .from_floats = is_single,
                                               .to_floats = type == MR_SCORES_FLOAT,
                                               .columns = solved};
        status = solve(job, &options, &to, err);
    }
    if (status == MR_OK || status == MR_NOT_CONVERGED) {
        find_bound(figures, &job->ranking->figures);
    }
    if (given->spam_mass && (status == MR_OK || status == MR_NOT_CONVERGED)) {
        find_spam(figures, n, columns);
    }
    return status;
}

static void say(const void *data, char *text, size_t text_bytes)
{
    const struct trust_figures *figures = data;
    char bound[32];

    mr_personal_say(&figures->personal, text, text_bytes);
    size_t used = strlen(text);
    if (figures->has_spam && !figures->is_sample && figures->good_share < 0.5) {
        used += (size_t)snprintf(
            text + used, text_bytes - used,
            "\nnote: the trusted pages are %.2g%% of all and stand for themselves alone, so nearly "
            "all PageRank counts as spam mass, that of good pages too; --good-share 0.85 takes "
            "them as a sample of 85%% of the pages",
            100.0 * figures->good_share);
    }
    if (figures->has_spam && figures->personal.result.converged && isfinite(figures->bound)) {
        (void)snprintf(text + used, text_bytes - used,
                       "\npagerank and trust, which add up to 1, have error bounds of at most %s",
                       mr_bound_text(figures->bound, bound));
    }
}

#define OPTION(name) offsetof(struct trust_options, name)
#define FIGURE(name) offsetof(struct trust_figures, name)
const struct mr_ranking_kind mr_kind_trustrank = {
    .name = "trustrank",
    .summary = "rank pages by PageRank from trusted pages; spam mass",
    .text =
        "Computes TrustRank: PageRank that teleports only to trusted pages. A page scores high if "
        "links lead to it from trusted pages. With --spam-mass it also computes how much of the "
        "PageRank of a page does not come from trusted pages. Scores have a certificate, as in "
        "'millrace pagerank'.",
    .examples = "  millrace trustrank web.mill --trusted good.txt -o trust.tsv --top 10\n"
                "  millrace trustrank web.mill --trusted good.txt --spam-mass \\\n"
                "      --good-share 0.85 -o trust.tsv\n"
                "  millrace trustrank web.mill --trusted good.txt --spam-mass \\\n"
                "      --good-share 0.85 --sort score --by spam_mass -o suspects.tsv\n",
    .columns = (const struct mr_rank_column[]){{.name = "pagerank", .needs = "spam-mass"},
                                               {.name = "spam_mass", .needs = "spam-mass"},
                                               {.name = "spam_share", .needs = "spam-mass"},
                                               {.name = "trust"},
                                               {0}},
    .takes_weights = true,
    .weighs_classes = true,
    .needs = "trusted",
    .options =
        (const struct mr_rank_option[]){
            {"trusted", MR_RANK_PAGES, OPTION(trusted), "FILE", .also = "seeds seed good",
             .help = "File of the trusted pages, hosts or registered domains, one per line. "
                     "Several --trusted add up. Required.",
             .often = true},
            {"spam-mass", MR_RANK_FLAG, OPTION(spam_mass),
             .help = "Add columns before the trust: the PageRank, the part of it that does not "
                     "come from trusted pages (the spam mass), and the share of that part.",
             .often = true},
            {"good-share", MR_RANK_REAL, OPTION(good_share), "G",
             "With --spam-mass: treat the trusted pages as a sample of a share G of all pages, "
             "such as 0.85. Spam masses can then be below 0. Default: their own share of all "
             "pages.",
             .most = 1, .above_least = true, .needs = "spam-mass"},
            MR_WIDTH_OPTION(OPTION(solver)),
            MR_SOLVER_OPTIONS(OPTION(solver)),
            {0}},
    .figures =
        (const struct mr_rank_figure[]){
            {"good_share", MR_RANK_REAL, FIGURE(good_share),
             .help = "the assumed share of good pages", .needs = "spam-mass"},
            {"dangling", MR_RANK_CHOICE, FIGURE(dangling),
             .help = "where the score of pages without links goes: teleport or none",
             .words = mr_dangling_words},
            MR_PERSONAL_FIGURES(FIGURE(personal)),
            {0}},
    .work = &(const struct mr_ranking_work){.options_bytes = sizeof(struct trust_options),
                                            .figures_bytes = sizeof(struct trust_figures),
                                            .plan = plan,
                                            .run = run_trustrank,
                                            .say = say},
};
