/* SPDX-License-Identifier: Apache-2.0 */
/* millrace trustrank: PageRank from trusted pages, and spam mass. Spam mass is the part of the
 * PageRank of a page that does not come from trusted pages. With --spam-mass both vectors are
 * solved side by side in the same passes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/graph/columns.h"
#include "cli/program/bound.h"
#include "cli/program/command.h"
#include "cli/program/meta.h"
#include "cli/program/option_table.h"
#include "cli/ranking/personal.h"
#include "engine/base/memory.h"
#include "formats/score/vertex_weights.h"
#include "library/spam_mass.h"

/* Trust is the last column, because --top and precedence use the last column by default. */
enum { PAGERANK, SPAM_MASS, SPAM_SHARE, TRUST, N_COLUMNS };
static const char *const column_names[] = {"pagerank", "spam_mass", "spam_share", "trust"};

struct trust_flags {
    struct mr_common_flags common;
    struct mr_import_flags import;
    struct mr_columns_flags columns;
    struct mr_personal_flags solver;
    bool weights;
    struct mr_texts trusted;
    bool spam_mass;
    double good_share; /* 0: not given */
};

static const struct trust_flags defaults = {
    .common = MR_COMMON_DEFAULTS, .import = MR_IMPORT_DEFAULTS, .solver = MR_PERSONAL_DEFAULTS};

#define FIELD(name) offsetof(struct trust_flags, name)
static const struct mr_option trust_options[] = {
    MR_RANK_WEIGHTS_OPTION(FIELD(weights)),
    MR_LINKS_OPTION(FIELD(import.links.links)),
    MR_LARGEST_OPTION(FIELD(import.largest)),
    MR_LINK_WEIGHTS_OPTIONS(FIELD(import.links.internal_weight),
                            FIELD(import.links.external_weight)),
    {.name = "trusted",
     .type = MR_OPTION_TEXTS,
     .offset = FIELD(trusted),
     .value = "FILE",
     .file = MR_FILE_READ,
     .help = "File of the trusted pages, hosts or registered domains, one per line. Several "
             "--trusted add up. Required."},
    {.name = "spam-mass",
     .type = MR_OPTION_FLAG,
     .offset = FIELD(spam_mass),
     .help = "Add columns before the trust: the PageRank, the part of it that does not come from "
             "trusted pages (the spam mass), and the share of that part."},
    {.name = "good-share",
     .type = MR_OPTION_REAL,
     .offset = FIELD(good_share),
     .value = "G",
     .range = {.least = 0.0, .most = 1.0, .above_least = true},
     .help =
         "With --spam-mass: treat the trusted pages as a sample of a share G of all pages, such as "
         "0.85. Spam masses can then be below 0. Default: their own share of all pages."},
    {0}};
#undef FIELD

/* All data of one ranking. */
struct ranking {
    struct mr_personal personal; /* its vectors are trust and PageRank */
    const struct trust_flags *flags;
    struct mr_vertex_weights trusted;
    struct mr_personal_columns solved; /* columns: trust, PageRank */
    struct mr_personal_columns columns; /* [N_COLUMNS] doubles, with --spam-mass only */
    double good_share;
};

static enum mr_status check_flags(const struct ranking *ranking, struct mr_error *err)
{
    const struct trust_flags *flags = ranking->flags;
    const unsigned first = flags->spam_mass ? 0 : TRUST;

    if (flags->trusted.n == 0) {
        return mr_error_set(
            err, MR_ERROR_USAGE,
            "trustrank: needs trusted pages; say --trusted FILE, one name per line");
    }
    if (flags->good_share > 0.0 && !flags->spam_mass) {
        return mr_error_set(err, MR_ERROR_USAGE, "--good-share needs --spam-mass");
    }
    return mr_columns_check(ranking->personal.session, &flags->columns, column_names + first,
                            N_COLUMNS - first, err);
}

/* ---- Spam mass ---- */

static double solved_at(const struct mr_personal_columns *columns, uint64_t column, uint64_t v)
{
    const uint64_t at = column * columns->n_vertices + v;
    return columns->is_single ? (double)((const float *)columns->values)[at]
                              : ((const double *)columns->values)[at];
}

static enum mr_status find_spam(struct ranking *ranking, struct mr_error *err)
{
    const struct mr_personal_columns *solved = &ranking->solved;
    const uint64_t n = solved->n_vertices;
    const double trust_sum = ranking->personal.outcomes[0].score_sum;
    const double rank_sum = ranking->personal.outcomes[1].score_sum;

    ranking->good_share = ranking->flags->good_share > 0.0
                              ? ranking->flags->good_share
                              : (double)ranking->trusted.n_entries / (double)n;
    const enum mr_status status = mr_personal_columns_create(
        ranking->personal.session, n, N_COLUMNS, false, &ranking->columns, err);
    if (status != MR_OK) {
        return status;
    }
    double *columns = ranking->columns.values;
    for (uint64_t v = 0; v < n; v++) {
        const struct mr_spam spam = mr_spam_of(solved_at(solved, 0, v), solved_at(solved, 1, v),
                                               trust_sum, rank_sum, ranking->good_share);
        columns[PAGERANK * n + v] = spam.pagerank;
        columns[SPAM_MASS * n + v] = spam.mass;
        columns[SPAM_SHARE * n + v] = spam.share;
        columns[TRUST * n + v] = spam.trust;
    }
    return MR_OK;
}

/* ---- Results ---- */

/* The bounds of the summary are those of the vectors. The columns are the vectors divided by their
 * sums, which have the same error, so that their bounds are twice that. */
static void say_bound(const struct ranking *ranking)
{
    const struct mr_personalised_vector *outcomes = ranking->personal.outcomes;
    char text[32];
    double worst = 0.0;

    for (uint64_t i = 0; i < ranking->personal.n; i++) {
        worst = fmax(worst, 2.0 * outcomes[i].error_bound / outcomes[i].score_sum);
    }
    if (ranking->personal.result.n_unconverged == 0 && isfinite(worst)) {
        mr_session_say(ranking->personal.session,
                       "pagerank and trust, which add up to 1, have error bounds of at most %s",
                       mr_bound_text(worst, text));
    }
}

static enum mr_status write_results(void *data, struct mr_error *err)
{
    struct ranking *ranking = data;
    const struct trust_flags *flags = ranking->flags;
    struct mr_personal *personal = &ranking->personal;
    struct mr_score_column columns[N_COLUMNS];
    unsigned n_columns = 0;

    if (flags->spam_mass) {
        const enum mr_status status = find_spam(ranking, err);
        if (status != MR_OK) {
            return status;
        }
        say_bound(ranking);
    }
    for (unsigned i = 0; i < N_COLUMNS && flags->spam_mass; i++) {
        columns[n_columns++] = mr_personal_column(&ranking->columns, i, column_names[i]);
    }
    if (n_columns == 0) {
        columns[n_columns++] = mr_personal_column(&ranking->solved, 0, column_names[TRUST]);
    }
    struct mr_json json = mr_personal_json(personal, "trustrank");
    mr_json_texts_given(&json, "trusted", flags->trusted.items, flags->trusted.n);
    mr_json_count(&json, "trusted_lines", ranking->trusted.lines);
    mr_json_count(&json, "trusted_vertices", ranking->trusted.n_entries);
    mr_json_count(&json, "trusted_duplicates", ranking->trusted.duplicates);
    mr_json_count(&json, "trusted_unknown", ranking->trusted.unknown);
    mr_json_flag(&json, "spam_mass", flags->spam_mass);
    if (flags->spam_mass) {
        mr_json_real(&json, "good_share", ranking->good_share);
    }
    mr_personal_describe(&json, personal);
    const enum mr_status status = mr_columns_write(
        personal->session, &personal->graph, &flags->columns, NULL, columns, n_columns, &json, err);
    mr_json_destroy(&json);
    return status;
}

static enum mr_status rank(struct ranking *ranking, struct mr_error *err)
{
    struct mr_personal *personal = &ranking->personal;
    const struct mr_teleport teleports[2] = {{ranking->trusted.entries, ranking->trusted.n_entries},
                                             {NULL, 0}};

    personal->teleports = teleports;
    const enum mr_status status = mr_personal_columns_create(
        personal->session, mr_store_get_info(personal->graph.store)->n_vertices, personal->n,
        personal->options.precision == MR_PRECISION_SINGLE, &ranking->solved, err);
    return status == MR_OK ? mr_personal_rank(personal, mr_personal_columns_take, &ranking->solved,
                                              write_results, ranking, err)
                           : status;
}

static enum mr_status run(struct mr_session *session, const void *data,
                          const struct mr_parsed *parsed, struct mr_error *err)
{
    static const char *const vectors[] = {"trusted", "pagerank"};
    const struct trust_flags *flags = data;
    const uint64_t n = flags->spam_mass ? 2 : 1;
    struct mr_personalised_vector outcomes[2] = {0};
    struct ranking ranking = {.personal = {.session = session,
                                           .parsed = parsed,
                                           .weights = flags->weights,
                                           .names = vectors,
                                           .outcomes = outcomes,
                                           .n = n},
                              .flags = flags};
    enum { IMPORT_GROUP = 3 }; /* in mr_command_trustrank.groups */

    enum mr_status status = check_flags(&ranking, err);
    if (status != MR_OK) {
        return status;
    }
    ranking.personal.options = mr_personal_solver(
        session, &flags->solver, flags->spam_mass ? MR_DANGLING_NONE : MR_DANGLING_TELEPORT);
    if (flags->common.estimate) {
        return mr_personal_estimate(&ranking.personal, &flags->import, n,
                                    flags->spam_mass ? 2 + N_COLUMNS : 1, err);
    }
    status =
        mr_personal_open(&ranking.personal, &flags->import, parsed->first_given[IMPORT_GROUP], err);
    if (status == MR_OK) {
        status = mr_vertex_weights_open(&session->context, flags->trusted.items, flags->trusted.n,
                                        ranking.personal.graph.names,
                                        mr_store_get_info(ranking.personal.graph.store), false,
                                        flags->solver.max_unknown, &ranking.trusted, err);
    }
    if (status == MR_OK) {
        status = rank(&ranking, err);
    }
    mr_personal_columns_destroy(&ranking.columns);
    mr_personal_columns_destroy(&ranking.solved);
    mr_vertex_weights_free(&ranking.trusted);
    mr_graph_close(session, &ranking.personal.graph);
    return status;
}

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
                "  millrace trustrank web.mill --trusted good.txt --spam-mass -o trust.tsv\n",
    .groups = {{.title = "Trust", .options = trust_options, .base = 0},
               {.title = "Ranking",
                .options = mr_personal_options,
                .base = offsetof(struct trust_flags, solver)},
               {.title = "Output",
                .options = mr_columns_options,
                .base = offsetof(struct trust_flags, columns)},
               {.title = "For an input that is not a store",
                .options = mr_import_options,
                .topic = "inputs",
                .base = offsetof(struct trust_flags, import)},
               MR_COMMON_GROUP},
    .defaults = &defaults,
    .flags_bytes = sizeof defaults,
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .operands = "a store or an input file (- for standard input)",
    .run = run,
};
