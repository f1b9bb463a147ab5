/* SPDX-License-Identifier: Apache-2.0 */
/* PageRank of one vector with a certificate; with teleport weights or seeds personalised PageRank;
 * with `heritrix` the arithmetic of Heritrix's offline PageRank. A checkpoint keeps the state of an
 * interrupted run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algorithms/base/relaxation.h"
#include "engine/base/bytes.h"
#include "engine/base/count_text.h"
#include "engine/base/decimal.h"
#include "engine/base/memory.h"
#include "engine/io/checkpoint.h"
#include "formats/stream/double_text.h"
#include "library/files.h"
#include "library/rank/pagerank_saver.h"
#include "library/rank/solver_rows.h"
#include "millrace/levels.h"

#define HERITRIX_ROUNDS 10 /* the default, from the example in Heritrix's notes */
#define UNTIL_SHARE     0.001 /* share of the pages, for levels */
#define BEST_DEPTH      5

/* What has the numbers of other programs (docs/conventions.md): NAME, the options that it sets.
 * Those of a row are the whole difference, or the default that it needs. */
#define LIKES(LIKE)                                                                                \
    LIKE("graphx", "scale=pages")                                                                  \
    LIKE("graphframes", "scale=pages")                                                             \
    LIKE("nutch", "dangling=none scale=pages iterations=10")                                       \
    LIKE("law-weakly", "dangling=uniform")                                                         \
    LIKE("law-strongly", "dangling=teleport")                                                      \
    LIKE("law-pseudorank", "dangling=none")                                                        \
    LIKE("webgraph", "dangling=teleport")                                                          \
    LIKE("cc-webgraph", "dangling=uniform")                                                        \
    LIKE("networkx", "dangling=teleport")                                                          \
    LIKE("igraph", "dangling=teleport")                                                            \
    LIKE("networkit", "dangling=teleport")                                                         \
    LIKE("scikit-network", "dangling=teleport iterations=10")                                      \
    LIKE("graphblas", "dangling=teleport")                                                         \
    LIKE("lagraph", "dangling=uniform")                                                            \
    LIKE("gap", "dangling=none")
#define LIKE_CHOICE(name, settings) "|" name
#define LIKE_HELP(name, settings)   "; " name ": " settings
#define LIKE_SETS(name, settings)   settings,
static const char *const scales[] = {"one", "pages"};
static const char *const likes[] = {"", LIKES(LIKE_SETS)};

struct pagerank_options {
    struct mr_pagerank_options solver;
    int like;
    struct mr_rank_array teleport, seeds, start;
    const char *until, *checkpoint;
};

struct pagerank_figures {
    struct mr_pagerank_result result;
    int dangling, scale;
    uint64_t iterations; /* that were asked for */
    enum mr_until until;
    unsigned long long until_count;
};

/* ---- Options ---- */

/* Parses "order:K" or "levels:N[:SHARE]". */
static bool parse_until(const char *text, struct mr_pagerank_options *options)
{
    const bool is_order = strncmp(text, "order:", 6) == 0;
    const char *end = text + strlen(text), *at = text + (is_order ? 6 : 7);

    if (!is_order && strncmp(text, "levels:", 7) != 0) {
        return false;
    }
    options->until = is_order ? MR_UNTIL_ORDER : MR_UNTIL_LEVELS;
    options->until_share = UNTIL_SHARE;
    if (mr_decimal_parse(&at, end, &options->until_count) != MR_DECIMAL_OK ||
        options->until_count < 1 ||
        options->until_count > (is_order ? UINT32_MAX : MR_PRECEDENCE_MAX_LEVELS)) {
        return false;
    }
    return at == end || (!is_order && *at == ':' &&
                         mr_double_read(at + 1, (size_t)(end - at - 1), &options->until_share) &&
                         options->until_share >= 0 && options->until_share < 1);
}

static enum mr_status check(const struct mr_ranking_job *job, struct mr_error *err)
{
    const struct pagerank_options *given = job->options;
    struct mr_pagerank_options solver = given->solver;

    if (given->until != NULL && !parse_until(given->until, &solver)) {
        return mr_error_set(
            err, MR_ERROR_USAGE,
            "--until %s: must be order:K or levels:N[:SHARE], with a K from 1, an N "
            "from 1 to %d, and a SHARE from 0 and below 1",
            given->until, MR_PRECEDENCE_MAX_LEVELS);
    }
    if (solver.iterations > 0 && given->start.items != NULL && !solver.heritrix) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--iterations starts from 1/n and makes exactly N rounds; leave out "
                            "--start");
    }
    if (solver.heritrix && solver.max_passes != MR_PAGERANK_MAX_PASSES && !(solver.tolerance > 0)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--heritrix makes plain rounds of 0.15 + 0.85 * sum that start from 1 "
                            "for each page; leave out --max-passes");
    }
    return MR_OK;
}

/* The options of the solver. */
static struct mr_pagerank_options taken(const struct pagerank_options *given)
{
    const struct mr_rank_array *pages =
        given->seeds.items != NULL ? &given->seeds : &given->teleport;
    struct mr_pagerank_options options = given->solver;

    options.teleport = pages->items;
    options.n_teleport = pages->n;
    if (given->until != NULL) {
        (void)parse_until(given->until, &options); /* which `check` did */
    }
    if (options.heritrix) {
        /* the score of dangling pages goes to the dummy page of Heritrix, so no page gets it */
        options.dangling = MR_DANGLING_NONE;
        options.iterations = options.iterations > 0       ? options.iterations
                             : !(options.tolerance > 0.0) ? HERITRIX_ROUNDS
                                                          : options.max_passes;
    }
    return options;
}

/* ---- Costs ---- */

static void plan(const struct mr_ranking_job *job, struct mr_rank_costs *plan)
{
    const struct mr_pagerank_options options = taken(job->options);
    struct mr_pagerank_options least = options, full = options;
    const bool has_rounds = options.iterations > 0 && !(options.tolerance > 0.0);

    plan->passes = has_rounds ? (double)options.iterations + 1.0 : mr_solver_passes(&options);
    plan->goal = mr_rank_tolerance(&options);
    plan->rounds = options.tolerance > 0.0 ? 0 : options.iterations;
    if (job->store == NULL) {
        return;
    }
    const uint64_t sweeps = options.iterations > 0 ? 0
                            : options.inner > 0    ? options.inner
                                                   : mr_relaxation_sweeps(job->info);
    full.acceleration = full.acceleration == MR_ACCELERATION_AUTO ? BEST_DEPTH : full.acceleration;
    least.may_stream = full.may_stream = job->extras.may_stream;
    plan->least_bytes = mr_rank_minimum_memory(job->store, &least, false);
    plan->memory_bytes = mr_rank_minimum_memory(job->store, &full, false) +
                         (options.no_pinning ? 0 : mr_pass_pinned_memory(job->store, sweeps > 0));
}

/* ---- The start ---- */

/* Fills start[v], [n], from scores `given`, NAN where there is none. Heritrix takes them as they
 * are, and 1 for other pages. Otherwise the sum is 1: if k of the n pages have a score, these share
 * k/n in proportion to their scores, and each other page gets 1/n. */
static enum mr_status complete(const double *given, uint64_t n, bool as_they_are, double *start,
                               struct mr_error *err)
{
    double largest = 0, sum = 0, n_known = 0;

    for (uint64_t v = 0; v < n; v++) {
        if (given[v] < 0 || isinf(given[v])) {
            return mr_error_set(err, MR_ERROR_USAGE,
                                "scores to start from must be finite and not negative");
        }
        largest = fmax(largest, given[v]);
        n_known += !isnan(given[v]);
    }
    if (n > 0 && !(largest > 0)) {
        return mr_error_set(err, MR_ERROR_USAGE, "scores to start from must not all be 0");
    }
    for (uint64_t v = 0; v < n; v++) {
        sum += isnan(given[v]) ? 0 : given[v] / largest;
    }
    for (uint64_t v = 0; v < n; v++) {
        const double scaled =
            as_they_are ? given[v] : given[v] / largest / sum * (n_known / (double)n);
        start[v] = isnan(given[v]) ? (as_they_are ? 1 : 1 / (double)n) : scaled;
    }
    return MR_OK;
}

static enum mr_status make_start(const struct mr_ranking_job *job, double **start,
                                 struct mr_error *err)
{
    const struct pagerank_options *given = job->options;

    *start = NULL;
    if (given->start.items == NULL) {
        return MR_OK;
    }
    const enum mr_status status = mr_memory_array(job->context->memory, "scores to start from",
                                                  job->info->n_vertices + 1, start, err);
    return status == MR_OK ? complete(given->start.items, job->info->n_vertices,
                                      given->solver.heritrix, *start, err)
                           : status;
}

/* ---- The run ---- */

/* The saver of the option `checkpoint`, which goes on from the file if it exists. */
static enum mr_status open_checkpoint(const struct mr_ranking_job *job,
                                      struct mr_pagerank_saver *saver, struct mr_error *err)
{
    struct mr_files *files = mr_files_create();

    *saver = (struct mr_pagerank_saver){
        .context = job->context,
        .path = ((const struct pagerank_options *)job->options)->checkpoint};
    saver->resumes = mr_io_exists(saver->path);
    mr_files_add(files, MR_FILE_READ, "the store", mr_store_path(job->store), NULL);
    mr_files_add(files, MR_FILE_UPDATED, "the checkpoint", saver->path, NULL);
    return mr_files_end(files, saver->resumes ? mr_checkpoint_may_replace(saver->path, err) : MR_OK,
                        true, false, err);
}

static enum mr_status score_of_stream(void *data, uint64_t vertex, double *score,
                                      struct mr_error *err)
{
    return mr_rank_stream_score(data, vertex, score, err);
}

/* The ranking takes over the scores. */
static void take_scores(struct mr_ranking *ranking, struct mr_pagerank_result *result)
{
    const enum mr_score_type type =
        result->precision == MR_PRECISION_SINGLE ? MR_SCORES_FLOAT : MR_SCORES_DOUBLE;

    mr_ranking_add(ranking, "score", type, result->scores);
    result->scores = NULL;
    if (result->stream != NULL) {
        ranking->stream = (struct mr_score_stream){
            .name = "score", .type = type, .score = score_of_stream, .data = result->stream};
    }
}

static enum mr_status solve(struct mr_ranking_job *job, struct mr_pagerank_options *options,
                            struct mr_pagerank_saver *saver, struct mr_error *err)
{
    struct mr_pagerank_hooks hooks = {.data = NULL};
    struct mr_pagerank_result *result = &((struct pagerank_figures *)job->figures)->result;
    double *start = NULL;

    if (job->extras.hooks != NULL) {
        hooks = *job->extras.hooks;
    }
    enum mr_status status =
        saver != NULL ? mr_pagerank_saver_begin(saver, job->store, options, &hooks, err) : MR_OK;
    if (status == MR_OK && (saver == NULL || !saver->resumes)) {
        status = make_start(job, &start, err);
    }
    options->start = start;
    options->hooks = &hooks;
    options->may_stream = job->extras.may_stream;
    if (status == MR_OK) {
        status = mr_pagerank(job->context, job->store, options, result, err);
    }
    if (status == MR_OK || status == MR_NOT_CONVERGED) {
        take_scores(job->ranking, result);
    }
    mr_memory_free(job->context->memory, start);
    return status;
}

static enum mr_status run_pagerank(struct mr_ranking_job *job, struct mr_error *err)
{
    const struct pagerank_options *given = job->options;
    struct pagerank_figures *figures = job->figures;
    struct mr_pagerank_options options = taken(given);
    struct mr_pagerank_saver own;

    figures->dangling = (int)options.dangling;
    figures->scale = (int)options.scale;
    figures->iterations = options.iterations;
    figures->until = options.until;
    figures->until_count = options.until_count;
    if (job->extras.saver != NULL || given->checkpoint == NULL) {
        return solve(job, &options, job->extras.saver, err);
    }
    const enum mr_status status = open_checkpoint(job, &own, err);
    return status == MR_OK ? mr_pagerank_saver_end(&own, solve(job, &options, &own, err), err)
                           : status;
}

/* ---- What it says ---- */

/* Writes whether what `until` asked for is proven; an empty text without it. */
static void until_text(const struct pagerank_figures *figures, char *text, size_t text_bytes)
{
    const struct mr_pagerank_result *result = &figures->result;
    const unsigned long long count = figures->until_count;

    text[0] = '\0';
    if (figures->until == MR_UNTIL_ORDER && result->proven_until) {
        (void)snprintf(text, text_bytes, "order of the best %llu proven, %llu ties; ", count,
                       (unsigned long long)result->until_ties);
    } else if (figures->until == MR_UNTIL_ORDER) {
        (void)snprintf(text, text_bytes,
                       "order of the best %llu not proven, %llu of them too close to the next; ",
                       count, (unsigned long long)result->until_close);
    } else if (figures->until == MR_UNTIL_LEVELS) {
        (void)snprintf(text, text_bytes,
                       "at most %.2g of the pages can be on another of %llu levels; ",
                       result->until_share, count);
    }
}

static void say(const void *data, char *text, size_t text_bytes)
{
    const struct pagerank_figures *figures = data;
    const struct mr_pagerank_result *result = &figures->result;
    char bound[32], until[160], tolerance[48] = "", passes[64];

    (void)mr_bound_text(result->error_bound, bound);
    if (figures->iterations > 0) {
        (void)snprintf(text, text_bytes, "error bound %s after %s", bound,
                       mr_count_of_text(result->iterations, "iteration", passes));
    } else if (result->converged) {
        until_text(figures, until, sizeof until);
        if (!result->proven_until) {
            (void)snprintf(tolerance, sizeof tolerance, " (tolerance %g)", result->tolerance);
        }
        (void)snprintf(text, text_bytes, "%serror bound %s%s after %s", until, bound, tolerance,
                       mr_count_of_text(result->passes, "pass", passes));
    }
}

static void free_figures(void *figures)
{
    mr_rank_stream_destroy(((struct pagerank_figures *)figures)->result.stream);
}

/* ---- The kind ---- */

#define OPTION(name) offsetof(struct pagerank_options, name)
#define FIGURE(name) offsetof(struct pagerank_figures, name)
#define RESULT(name) offsetof(struct pagerank_figures, result.name)
const struct mr_ranking_kind mr_kind_pagerank = {
    .name = "pagerank",
    .summary = "rank pages by PageRank, with a proven error bound",
    .text = "Computes PageRank. Every pass reads the links from disk, and memory holds little more "
            "than one number per page. The result has a certificate: a bound on the sum of the "
            "errors of all scores, computed from the scores themselves. With --teleport or --seeds "
            "it is personalised PageRank.",
    .examples = "  millrace pagerank web.mill -o scores.tsv --top 10\n"
                "  millrace pagerank links.txt.gz --tolerance 1e-12 > scores.tsv\n"
                "  millrace pagerank web.mill --seeds trusted.txt -o trust.tsv.zst\n",
    .columns = (const struct mr_rank_column[]){{.name = "score"}, {0}},
    .takes_weights = true,
    .weighs_classes = true,
    .options =
        (const struct mr_rank_option[]){
            {"like", MR_RANK_CHOICE, OPTION(like), "NAME",
             .help = "Set the options that give the numbers of another program, but for those that "
                     "are said here" LIKES(LIKE_HELP) ". Default millrace.",
             .choices = "millrace" LIKES(LIKE_CHOICE)},
            MR_DANGLING_OPTION(OPTION(solver)),
            {"scale", MR_RANK_CHOICE, OPTION(solver.scale),
             .help = "What the scores add up to: 1, or the number of pages, which the error bound "
                     "and the tolerance are multiplied by, too. Default one.",
             .choices = "one|pages"},
            MR_SOLVER_OPTIONS(OPTION(solver)),
            {"until", MR_RANK_TEXT, OPTION(until), "WHAT",
             .help =
                 "Stop earlier, when WHAT is proven. order:K: the order of the K best pages. "
                 "levels:N[:SHARE]: at most SHARE of the pages (default 0.001) can be on another "
                 "of N "
                 "precedence levels. Pages with the same in-links are tied and may be in any "
                 "order. If "
                 "the tolerance is reached first, the run stops and says that WHAT is not proven."},
            {"start", MR_RANK_REALS, OPTION(start), "SCORES",
             "Start from the scores in FILE, such as those of the last crawl. Pages are matched by "
             "name (.npy: by position); pages that are not in FILE start from 1/n. The run needs "
             "fewer passes and gives the same certificate.",
             .also = "nstart initial warm-start init", .excludes = "teleport|seeds",
             .why = "gives scores to pages that a teleport may not reach, and these must score 0",
             .often = true},
            {"checkpoint", MR_RANK_FILE, OPTION(checkpoint), "FILE",
             .help = "Save the state to FILE every minute and at an interruption. A finished run "
                     "removes "
                     "it. Default: OUTPUT.checkpoint, only at an interruption after 10 seconds."},
            {"iterations", MR_RANK_COUNT, OPTION(solver.iterations), "N",
             "Make N rounds of plain power iteration from 1/n, with no tolerance.", .least = 1,
             .most = UINT32_MAX, .excludes = "tolerance|max-passes|until",
             .why = "makes exactly so many rounds", .often = true},
            {"heritrix", MR_RANK_FLAG, OPTION(solver.heritrix),
             .help = "Compute the numbers of Heritrix's offline PageRank: --iterations N rounds "
                     "(default 10) of 0.15 + 0.85 * sum, from 1 for each page, or from --start. "
                     "With --tolerance T: rounds until the bound is T, which is a sum over all "
                     "pages. Leave out pages without a link to them, then links of a page to "
                     "itself. A link that a page has several times counts once.",
             .excludes =
                 "damping|until|dangling|teleport|seeds|inner|acceleration|weights|like|scale",
             .why = "makes plain rounds of 0.15 + 0.85 * sum that start from 1 for each page"},
            {"teleport", MR_RANK_WEIGHTS, OPTION(teleport), "FILE",
             "Teleport to pages in proportion to the weights in FILE, lines NAME<TAB>WEIGHT. "
             "Default: to all pages evenly.",
             .also = "personalization personalize personalisation restart preference",
             .excludes = "seeds"},
            {"seeds", MR_RANK_PAGES, OPTION(seeds), "FILE",
             "Teleport to the pages in FILE evenly, one a line. For one page: ppr --seed PAGE.",
             .also = "seed", .often = true},
            {0}},
    .figures =
        (const struct mr_rank_figure[]){
            {"tolerance", MR_RANK_REAL, RESULT(tolerance), .help = "of the error bound"},
            {"dangling", MR_RANK_CHOICE, FIGURE(dangling),
             .help = "where the score of pages without links goes", .words = mr_dangling_words},
            {"scale", MR_RANK_CHOICE, FIGURE(scale), .help = "what the scores add up to",
             .words = scales},
            {"iterations", MR_RANK_COUNT, RESULT(iterations),
             .help = "rounds that made the scores, with `--iterations` or `--heritrix`; else 0"},
            {"inner", MR_RANK_COUNT, RESULT(inner),
             .help = "sweeps over the links inside a band in a pass"},
            {"acceleration", MR_RANK_COUNT, RESULT(acceleration),
             .help = "depth of the acceleration; 0: none"},
            {"wave", MR_RANK_COUNT, RESULT(wave), .help = "bands that are relaxed in parallel"},
            {"relaxation", MR_RANK_REAL, RESULT(relaxation),
             .help = "how far each step goes, times what the links say"},
            {"proven_until", MR_RANK_FLAG, RESULT(proven_until),
             .help = "whether what it asks for is proven", .needs = "until"},
            {"until_ties", MR_RANK_COUNT, RESULT(until_ties),
             .help = "order: pages that have the same score as the next", .needs = "until"},
            {"until_close", MR_RANK_COUNT, RESULT(until_close),
             .help = "order: pages too close to the next to tell apart", .needs = "until"},
            {"until_share", MR_RANK_REAL, RESULT(until_share),
             .help = "levels: the share of pages that may be on another level", .needs = "until"},
            {"converged", MR_RANK_FLAG, RESULT(converged),
             .help = "whether the run reached what ends it: the tolerance is proven, or what "
                     "`--until` asks for, or all `--iterations` are made"},
            {"normalised", MR_RANK_FLAG, RESULT(normalised),
             .help = "whether the scores add up to 1"},
            {"error_bound", MR_RANK_REAL, RESULT(error_bound),
             .help = "proven bound on the sum of the errors of all scores"},
            {"residual", MR_RANK_REAL, RESULT(residual),
             .help = "the part of it that iterating left"},
            {"rounding_bound", MR_RANK_REAL, RESULT(rounding_bound),
             .help = "the part of it that rounding can add"},
            {"score_sum", MR_RANK_REAL, RESULT(sum), .help = "sum of the scores"},
            {"unnormalised_sum", MR_RANK_REAL, RESULT(score_sum),
             .help = "their sum before they were normalised; spam masses are relative to it"},
            {"passes", MR_RANK_COUNT, RESULT(passes), .help = "passes over the links"},
            MR_PASS_FIGURES(RESULT(figures)),
            {0}},
    .work = &(const struct mr_ranking_work){.options_bytes = sizeof(struct pagerank_options),
                                            .figures_bytes = sizeof(struct pagerank_figures),
                                            .check = check,
                                            .plan = plan,
                                            .run = run_pagerank,
                                            .likes = likes,
                                            .say = say,
                                            .free_figures = free_figures},
};
