/* SPDX-License-Identifier: Apache-2.0 */
/* millrace trustrank: PageRank from trusted pages, and spam mass. Spam mass is the part of the
 * PageRank of a page that does not come from trusted pages. With --spam-mass both vectors are
 * solved side by side in the same passes. */
#include <math.h>

#include "cli/ranking/solver_flags.h"
#include "library/bound.h"
#include "library/rank/spam_mass.h"

/* Trust is the last column, because --top and precedence use the last column by default. */
enum { PAGERANK, SPAM_MASS, SPAM_SHARE, TRUST, N_COLUMNS };
static const char *const column_names[] = {"pagerank", "spam_mass", "spam_share", "trust"};

struct trust_flags {
    struct mr_ranking_flags ranking; /* as in struct mr_solver_flags */
    struct mr_pagerank_options solver;
    struct mr_texts trusted;
    bool spam_mass;
    double good_share; /* 0: not given */
};
MR_BEGINS_WITH_SOLVER(struct trust_flags);

static const struct trust_flags defaults = {.ranking = MR_RANKING_DEFAULTS,
                                            .solver = MR_PAGERANK_OPTIONS_INIT};

#define FIELD(name) offsetof(struct trust_flags, name)
static const struct mr_option trust_options[] = {
    {"trusted", 0, MR_OPTION_TEXTS, FIELD(trusted), "FILE", .file = MR_FILE_READ,
     .help = "File of the trusted pages, hosts or registered domains, one per line. Several "
             "--trusted add up. Required."},
    {"spam-mass", 0, MR_OPTION_FLAG, FIELD(spam_mass),
     .help = "Add columns before the trust: the PageRank, the part of it that does not come from "
             "trusted pages (the spam mass), and the share of that part."},
    {"good-share", 0, MR_OPTION_REAL, FIELD(good_share), "G",
     .range = {.least = 0.0, .most = 1.0, .above_least = true},
     .help =
         "With --spam-mass: treat the trusted pages as a sample of a share G of all pages, such as "
         "0.85. Spam masses can then be below 0. Default: their own share of all pages."},
    MR_WIDTH_OPTION,
    {0}};
#undef FIELD

/* The data of one run. */
struct trust_run {
    struct mr_personal personal; /* its vectors are trust and PageRank */
    struct mr_teleport_vector teleports[2];
    struct mr_personalised_vector outcomes[2];
    struct mr_vertex_weights trusted;
    struct mr_personal_columns solved; /* columns: trust, PageRank */
    struct mr_personal_columns spam; /* [N_COLUMNS] doubles, with --spam-mass only */
    struct mr_score_column columns[N_COLUMNS];
    double good_share;
};

static const struct trust_flags *flags_of(const struct mr_run *run)
{
    return (const struct trust_flags *)run->flags;
}

static enum mr_status check(struct mr_run *run, struct mr_error *err)
{
    static const char *const vectors[] = {"trusted", "pagerank"};
    const struct trust_flags *flags = flags_of(run);
    const unsigned first = flags->spam_mass ? 0 : TRUST;
    struct trust_run *trust = run->data;
    struct mr_personal *personal = &trust->personal;

    personal->options = flags->solver;
    personal->options.dangling = flags->spam_mass ? MR_DANGLING_NONE : MR_DANGLING_TELEPORT;
    personal->names = vectors;
    personal->n = flags->spam_mass ? 2 : 1;
    personal->outcomes = trust->outcomes;
    if (flags->trusted.n == 0) {
        return mr_error_set(
            err, MR_ERROR_USAGE,
            "trustrank: needs trusted pages; say --trusted FILE, one name per line");
    }
    if (flags->good_share > 0.0 && !flags->spam_mass) {
        return mr_error_set(err, MR_ERROR_USAGE, "--good-share needs --spam-mass");
    }
    return mr_columns_expect(run, column_names + first, N_COLUMNS - first, err);
}

static void estimate_memory(struct mr_run *run, uint64_t beside, struct mr_estimate *estimate)
{
    const struct trust_run *trust = run->data;

    mr_personal_estimate(run, &trust->personal, trust->personal.n,
                         flags_of(run)->spam_mass ? 2 + N_COLUMNS : 1, beside, estimate);
}

static double passes(const struct mr_run *run)
{
    const struct trust_run *trust = run->data;
    return mr_personal_passes(&trust->personal, trust->personal.n);
}

static enum mr_status prepare(struct mr_run *run, struct mr_error *err)
{
    const struct trust_flags *flags = flags_of(run);
    struct trust_run *trust = run->data;

    return mr_run_read_pages(run, flags->trusted.items, flags->trusted.n, false, &trust->trusted,
                             err);
}

/* ---- Spam mass ---- */

static double solved_at(const struct mr_personal_columns *columns, uint64_t column, uint64_t v)
{
    const uint64_t at = column * columns->n_vertices + v;
    return columns->is_single ? (double)((const float *)columns->values)[at]
                              : ((const double *)columns->values)[at];
}

static enum mr_status find_spam(struct mr_run *run, struct mr_error *err)
{
    const double given = flags_of(run)->good_share;
    struct trust_run *trust = run->data;
    const struct mr_personal_columns *solved = &trust->solved;
    const uint64_t n = solved->n_vertices;
    const double trust_sum = trust->outcomes[0].score_sum;
    const double rank_sum = trust->outcomes[1].score_sum;

    trust->good_share = given > 0.0 ? given : (double)trust->trusted.n_entries / (double)n;
    const enum mr_status status =
        mr_personal_columns_create(run->session, n, N_COLUMNS, false, &trust->spam, err);
    if (status != MR_OK) {
        return status;
    }
    double *columns = trust->spam.values;
    for (uint64_t v = 0; v < n; v++) {
        const struct mr_spam spam = mr_spam_of(solved_at(solved, 0, v), solved_at(solved, 1, v),
                                               trust_sum, rank_sum, trust->good_share);
        columns[PAGERANK * n + v] = spam.pagerank;
        columns[SPAM_MASS * n + v] = spam.mass;
        columns[SPAM_SHARE * n + v] = spam.share;
        columns[TRUST * n + v] = spam.trust;
    }
    return MR_OK;
}

/* ---- The run ---- */

static enum mr_status rank(struct mr_run *run, struct mr_error *err)
{
    const bool spam_mass = flags_of(run)->spam_mass;
    struct trust_run *trust = run->data;
    struct mr_personal *personal = &trust->personal;
    unsigned n = 0;

    trust->teleports[0] =
        (struct mr_teleport_vector){trust->trusted.entries, trust->trusted.n_entries};
    personal->teleports = trust->teleports;
    enum mr_status status = mr_personal_columns_create(
        run->session, mr_run_info(run)->n_vertices, personal->n,
        personal->options.precision == MR_PRECISION_SINGLE, &trust->solved, err);
    if (status == MR_OK) {
        status = mr_personal_rank(run, personal, mr_personal_columns_take, &trust->solved, err);
    }
    if (spam_mass && (status == MR_OK || status == MR_NOT_CONVERGED)) {
        const enum mr_status spam_status = find_spam(run, err);
        status = spam_status == MR_OK ? status : spam_status;
    }
    for (unsigned i = 0; i < N_COLUMNS && spam_mass; i++) {
        trust->columns[n++] = mr_personal_column(&trust->spam, i, column_names[i]);
    }
    if (!spam_mass) {
        trust->columns[n++] = mr_personal_column(&trust->solved, 0, column_names[TRUST]);
    }
    run->columns.columns = trust->columns;
    run->columns.n_columns = n;
    return status;
}

/* The bounds of the summary are those of the vectors. The columns are the vectors divided by their
 * sums, which have the same error, so that their bounds are twice that. */
static void report(const struct mr_run *run)
{
    const struct trust_run *trust = run->data;
    const struct mr_personalised_vector *outcomes = trust->outcomes;
    char text[32];
    double worst = 0.0;

    mr_personal_report(run, &trust->personal);
    if (flags_of(run)->spam_mass && !(flags_of(run)->good_share > 0.0) && trust->good_share < 0.5) {
        mr_session_say(run->session,
                       "note: the trusted pages are %.2g%% of all and stand for themselves alone, "
                       "so nearly all PageRank counts as spam mass, that of good pages too; "
                       "--good-share 0.85 takes them as a sample of 85%% of the pages",
                       100.0 * trust->good_share);
    }
    for (uint64_t i = 0; i < trust->personal.n; i++) {
        worst = fmax(worst, 2.0 * outcomes[i].error_bound / outcomes[i].score_sum);
    }
    if (flags_of(run)->spam_mass && trust->personal.result.n_unconverged == 0 && isfinite(worst)) {
        mr_session_say(run->session,
                       "pagerank and trust, which add up to 1, have error bounds of at most %s",
                       mr_bound_text(worst, text));
    }
}

static void describe(const struct mr_run *run, struct mr_json *json)
{
    const struct trust_flags *flags = flags_of(run);
    const struct trust_run *trust = run->data;

    mr_json_text(json, "algorithm", "trustrank");
    mr_json_flag(json, "weights", run->flags->weights);
    mr_json_texts_given(json, "trusted", flags->trusted.items, flags->trusted.n);
    mr_json_count(json, "trusted_lines", trust->trusted.lines);
    mr_json_count(json, "trusted_vertices", trust->trusted.n_entries);
    mr_json_count(json, "trusted_duplicates", trust->trusted.duplicates);
    mr_json_count(json, "trusted_unknown", trust->trusted.unknown);
    mr_json_flag(json, "spam_mass", flags->spam_mass);
    if (flags->spam_mass) {
        mr_json_real(json, "good_share", trust->good_share);
    }
    mr_personal_describe(json, &trust->personal);
}

static enum mr_status end(struct mr_run *run, enum mr_status status, struct mr_error *err)
{
    struct trust_run *trust = run->data;

    (void)err;
    mr_personal_columns_destroy(&trust->spam);
    mr_personal_columns_destroy(&trust->solved);
    mr_vertex_weights_free(&trust->trusted);
    return status;
}

/* ---- The command ---- */

static const struct mr_ranker ranker = {.data_bytes = sizeof(struct trust_run),
                                        .check = check,
                                        .estimate = estimate_memory,
                                        .passes = passes,
                                        .prepare = prepare,
                                        .rank = rank,
                                        .report = report,
                                        .describe = describe,
                                        .end = end};

const struct mr_command mr_command_trustrank = {
    .name = "trustrank",
    .summary = "rank pages by PageRank from trusted pages; spam mass",
    .usage = "trustrank STORE|INPUT... --trusted FILE [-o FILE] [OPTIONS]",
    .text =
        "Computes TrustRank: PageRank that teleports only to trusted pages. A page scores high if "
        "links lead to it from trusted pages. With --spam-mass it also computes how much of the "
        "PageRank of a page does not come from trusted pages. Scores have a certificate, as in "
        "'millrace pagerank'. An input that is not a store is first built into a temporary store.",
    .examples = "  millrace trustrank web.mill --trusted good.txt -o trust.tsv --top 10\n"
                "  millrace trustrank web.mill --trusted good.txt --spam-mass \\\n"
                "      --good-share 0.85 -o trust.tsv\n"
                "  millrace trustrank web.mill --trusted good.txt --spam-mass \\\n"
                "      --good-share 0.85 --sort score --by spam_mass -o suspects.tsv\n",
    .groups = {{.title = "Trust", .options = trust_options, .base = 0},
               MR_SOLVER_GROUP(MR_SOLVER_ALIKE),
               MR_OUTPUT_GROUP,
               MR_IMPORT_GROUP,
               MR_COMMON_GROUP},
    MR_RANKING_COMMAND(defaults, ranker),
};
