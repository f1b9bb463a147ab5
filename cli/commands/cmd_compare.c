/* SPDX-License-Identifier: Apache-2.0 */
/* millrace compare: prints how alike two score files are. The library matches the
 * pages of both files by name. The command needs no store, so it also compares scores of different
 * graphs. */
#include <math.h>

#include "cli/program/command.h"
#include "cli/program/option_table.h"
#include "engine/base/memory.h"
#include "millrace/scores.h"

struct compare_flags {
    struct mr_common_flags common;
    const char *column;
    const char *column_b;
    uint64_t top; /* 0: not given */
    int missing; /* index into "skip|zero" */
};

static const struct compare_flags defaults = {.common = MR_COMMON_DEFAULTS};

#define FIELD(name) offsetof(struct compare_flags, name)
static const struct mr_option compare_options[] = {
    {"top", 'n', MR_OPTION_COUNT, FIELD(top), "K", .alias = "limit", .least = 1, .most = UINT32_MAX,
     .help = "Count the pages among the K best of A and of B. Default 100.", .often = true},
    {"missing", 0, MR_OPTION_CHOICE, FIELD(missing), .choices = "skip|zero",
     .help = "What to do with pages that only one file has: leave them out (skip), or give them "
             "the score 0 in the other file (zero). They are counted in both cases, and the K best "
             "pages are always those of the whole files. Default skip.",
     .often = true},
    MR_COLUMN_OPTION(FIELD(column)),
    {"column-b", 0, MR_OPTION_TEXT, FIELD(column_b), "NAME|K",
     .help = "The same for B. Default: as for A."},
    {0}};
#undef FIELD

static void print_measure(const char *label, double value, const char *digits)
{
    if (isnan(value)) {
        printf("%-16s undefined\n", label);
    } else {
        printf("%-16s ", label);
        printf(digits, value);
        printf("\n");
    }
}

static void print_text(const struct mr_compare_figures *result, const struct compare_flags *flags)
{
    char compared[32], only_a[32], only_b[32], different[32], top[32], common[32];
    const bool is_zero = flags->missing != 0;

    printf("%-16s %s, %s of them with different scores\n", "pages compared",
           mr_count_text(result->n_compared, compared),
           mr_count_text(result->n_different, different));
    printf("%-16s %s in A, %s in B, %s\n", "in one only",
           mr_count_text(result->n_a - result->n_common, only_a),
           mr_count_text(result->n_b - result->n_common, only_b),
           is_zero ? "0 in the other" : "left out");
    printf("%-16s %.9g in A, %.9g in B\n", "sum of scores", result->sum_a, result->sum_b);
    print_measure("Kendall tau-b", result->kendall_tau, "%.9f");
    print_measure("Spearman rho", result->spearman_rho, "%.9f");
    printf("%-16s %s of %s\n", "best in common", mr_count_text(result->top_common, common),
           mr_count_text(result->top, top));
    print_measure("L1", result->l1, "%.6g");
    print_measure("L-infinity", result->l_infinity, "%.6g");
}

static enum mr_status print_json(const struct mr_compare_figures *result,
                                 const struct mr_parsed *parsed, const struct compare_flags *flags,
                                 struct mr_error *err)
{
    struct mr_json json = mr_json_create();

    mr_json_text(&json, "a", parsed->operands[0]);
    mr_json_text(&json, "b", parsed->operands[1]);
    mr_json_text(&json, "matched_by", result->by_row ? "row" : "name");
    mr_json_text(&json, "missing", flags->missing != 0 ? "zero" : "skip");
    mr_json_count(&json, "pages_a", result->n_a);
    mr_json_count(&json, "pages_b", result->n_b);
    mr_json_count(&json, "pages_common", result->n_common);
    mr_json_count(&json, "pages_compared", result->n_compared);
    mr_json_count(&json, "pages_different", result->n_different);
    mr_json_real(&json, "sum_a", result->sum_a);
    mr_json_real(&json, "sum_b", result->sum_b);
    mr_json_real(&json, "kendall_tau", result->kendall_tau);
    mr_json_real(&json, "spearman_rho", result->spearman_rho);
    mr_json_count(&json, "top", result->top);
    mr_json_count(&json, "top_common", result->top_common);
    mr_json_real(&json, "l1", result->l1);
    mr_json_real(&json, "l_infinity", result->l_infinity);
    return mr_json_print_and_destroy(&json, err);
}

static enum mr_status run_compare(struct mr_session *session, const void *data,
                                  const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct compare_flags *flags = data;
    const char *const *paths = parsed->operands;
    const char *column_b = flags->column_b != NULL ? flags->column_b : flags->column;
    const struct mr_compare_options options = {
        .struct_size = sizeof options, .missing_is_zero = flags->missing != 0, .top = flags->top};
    struct mr_compare_figures result = {.struct_size = sizeof result};

    if (flags->common.estimate) {
        const struct mr_estimate estimate = {.memory_bytes = MR_MEMORY_FLOOR_BYTES};
        return mr_session_estimate(session, &estimate, err);
    }
    enum mr_status status = mr_scores_compare_files(&session->context, paths[0], flags->column,
                                                    paths[1], column_b, &options, &result, err);
    if (status == MR_OK) {
        mr_session_leave_terminal(session, NULL);
        if (flags->common.json) {
            status = print_json(&result, parsed, flags, err);
        } else {
            print_text(&result, flags);
        }
    }
    return status;
}

const struct mr_command mr_command_compare = {
    .name = "compare",
    .summary = "print how alike two score files are",
    .usage = "compare A B [OPTIONS]",
    .text = "Prints Kendall's tau-b and Spearman's rho, the overlap of the best pages, and the L1 "
            "and L-infinity distances of two score files. Pages are matched by name, in any order. "
            "An .npy has no names, so its pages are matched by position. -0 equals 0. Equal scores "
            "share their rank; among the best pages they are in the order of A.",
    .examples = "  millrace compare ranks.tsv ranks-of-last-crawl.tsv.zst\n"
                "  millrace compare hits.tsv hits.tsv --column hub --column-b authority --json\n",
    .groups = {{.title = "Comparing", .options = compare_options, .base = 0}, MR_COMMON_GROUP},
    .min_operands = 2,
    .max_operands = 2,
    .operands = "two files of scores",
    MR_COMMAND_RUNS(defaults, run_compare),
};
