/* SPDX-License-Identifier: Apache-2.0 */
/* millrace compare: prints how alike two score files are, or with --changes which pages and hosts
 * changed by more than the error bounds. The library matches the pages of both files by name. The
 * command needs no store, so it also compares scores of different graphs. */
#include <math.h>
#include <string.h>

#include "cli/program/command.h"
#include "cli/program/option_table.h"
#include "engine/base/memory.h"
#include "millrace/scores.h"

struct compare_flags {
    struct mr_common_flags common;
    const char *column;
    const char *column_b;
    struct mr_rows_flags rows;
    uint64_t top; /* 0: not given */
    int missing; /* index into "skip|zero" */
    int scale; /* index into "pages|one" */
    bool changes;
};

static const struct compare_flags defaults = {.common = MR_COMMON_DEFAULTS};

#define FIELD(name) offsetof(struct compare_flags, name)
static const struct mr_option compare_options[] = {
    {"changes", 0, MR_OPTION_FLAG, FIELD(changes),
     .help = "List what surely changed from A, the old file, to B, the new one: pages and hosts "
             "whose scores differ by more than the error bounds in both FILE.meta.json. Gained and "
             "lost, the largest change first; then new and gone ones, best first. Columns: name, "
             "of (page or host), kind, before, after, change, rank_before, rank_after, and the "
             "ranks between which the exact ones are, which a terminal does not get. 0 and nan: "
             "there is none.",
     .often = true},
    {"scale", 0, MR_OPTION_CHOICE, FIELD(scale), .choices = "pages|one",
     .help = "What --changes compares. pages: scores times the number of pages of their graph, "
             "whose mean is 1, so that no page loses because the graph grows. one: shares of the "
             "whole. Default pages.",
     .needs = {{.names = "changes"}}},
    {"top", 'n', MR_OPTION_COUNT, FIELD(top), "K", .alias = "limit", .least = 1, .most = UINT32_MAX,
     .help = "Count the pages among the K best of A and of B. With --changes list at most K of "
             "each kind. Default 100.",
     .often = true},
    {"missing", 0, MR_OPTION_CHOICE, FIELD(missing), .choices = "skip|zero",
     .help = "What to do with pages that only one file has: leave them out (skip), or give them "
             "the score 0 in the other file (zero). They are counted in both cases, and the K best "
             "pages are always those of the whole files. Default skip.",
     .excludes = {{.names = "changes", .why = "lists them apart"}}, .often = true},
    MR_COLUMN_OPTION(FIELD(column)),
    {"column-b", 0, MR_OPTION_TEXT, FIELD(column_b), "NAME|K",
     .help = "The same for B. Default: as for A."},
    MR_ROWS_OPTIONS(FIELD(rows)),
    {0}};
#undef FIELD

static struct mr_cell text_cell(const char *text)
{
    return (struct mr_cell){.text = text, .bytes = strlen(text)};
}

/* ---- How alike the files are ---- */

enum { N_FIGURES = 17 };

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

/* The figures as a row, to -o or as JSON. */
static enum mr_status write_figures(struct mr_session *session,
                                    const struct mr_compare_figures *result,
                                    const struct mr_parsed *parsed,
                                    const struct compare_flags *flags, struct mr_error *err)
{
    const struct mr_row_column columns[N_FIGURES] = {{"a", MR_CELL_LABEL, false},
                                                     {"b", MR_CELL_LABEL, false},
                                                     {"matched_by", MR_CELL_LABEL, false},
                                                     {"missing", MR_CELL_LABEL, false},
                                                     {"pages_a", MR_CELL_COUNT, false},
                                                     {"pages_b", MR_CELL_COUNT, false},
                                                     {"pages_common", MR_CELL_COUNT, false},
                                                     {"pages_compared", MR_CELL_COUNT, false},
                                                     {"pages_different", MR_CELL_COUNT, false},
                                                     {"sum_a", MR_CELL_REAL, false},
                                                     {"sum_b", MR_CELL_REAL, false},
                                                     {"kendall_tau", MR_CELL_REAL, false},
                                                     {"spearman_rho", MR_CELL_REAL, false},
                                                     {"top", MR_CELL_COUNT, false},
                                                     {"top_common", MR_CELL_COUNT, false},
                                                     {"l1", MR_CELL_REAL, false},
                                                     {"l_infinity", MR_CELL_REAL, false}};
    const struct mr_cell cells[N_FIGURES] = {text_cell(parsed->operands[0]),
                                             text_cell(parsed->operands[1]),
                                             text_cell(result->by_row ? "row" : "name"),
                                             text_cell(flags->missing != 0 ? "zero" : "skip"),
                                             {.count = result->n_a},
                                             {.count = result->n_b},
                                             {.count = result->n_common},
                                             {.count = result->n_compared},
                                             {.count = result->n_different},
                                             {.real = result->sum_a},
                                             {.real = result->sum_b},
                                             {.real = result->kendall_tau},
                                             {.real = result->spearman_rho},
                                             {.count = result->top},
                                             {.count = result->top_common},
                                             {.real = result->l1},
                                             {.real = result->l_infinity}};
    struct mr_row_writer rows = {.columns = columns, .n_columns = N_FIGURES};
    struct mr_json json = mr_json_create();
    enum mr_status status = MR_OK;

    mr_json_cells(&json, columns, N_FIGURES, cells);
    if (flags->rows.output != NULL) {
        status = mr_session_open_rows(session, &flags->rows, &rows, err);
        status = status == MR_OK ? mr_row_writer_add(&rows, cells, err) : status;
        status = mr_row_writer_end(&rows, status, err);
    }
    if (status == MR_OK && flags->common.json) {
        status = mr_json_print_and_destroy(&json, err);
    }
    mr_json_destroy(&json);
    return status;
}

static enum mr_status compare(struct mr_session *session, const struct compare_flags *flags,
                              const struct mr_parsed *parsed, struct mr_error *err)
{
    const char *const *paths = parsed->operands;
    const char *column_b = flags->column_b != NULL ? flags->column_b : flags->column;
    const struct mr_scores_side a = {.path = paths[0], .column = flags->column};
    const struct mr_scores_side b = {.path = paths[1], .column = column_b};
    const struct mr_compare_options options = {
        .struct_size = sizeof options, .missing_is_zero = flags->missing != 0, .top = flags->top};
    struct mr_compare_figures result = {.struct_size = sizeof result};
    const enum mr_status status =
        mr_scores_compare(&session->context, &a, &b, &options, &result, err);

    if (status != MR_OK) {
        return status;
    }
    if (flags->rows.output != NULL || flags->common.json) {
        return write_figures(session, &result, parsed, flags, err);
    }
    mr_session_leave_terminal(session, NULL);
    print_text(&result, flags);
    return MR_OK;
}

/* ---- What changed ---- */

static const char *const objects[2] = {"page", "host"};
static const char *const kinds[MR_CHANGE_KINDS] = {"gained", "lost", "new", "gone"};

enum { N_CHANGE_COLUMNS = 12, N_COLUMNS_READ = 8 /* on a terminal */ };
static const struct mr_row_column change_columns[N_CHANGE_COLUMNS] = {
    {"name", MR_CELL_NAME, false},         {"of", MR_CELL_LABEL, false},
    {"kind", MR_CELL_LABEL, false},        {"before", MR_CELL_REAL, false},
    {"after", MR_CELL_REAL, false},        {"change", MR_CELL_REAL, false},
    {"rank_before", MR_CELL_COUNT, false}, {"rank_after", MR_CELL_COUNT, false},
    {"best_before", MR_CELL_COUNT, false}, {"worst_before", MR_CELL_COUNT, false},
    {"best_after", MR_CELL_COUNT, false},  {"worst_after", MR_CELL_COUNT, false}};

static void change_cells(const struct mr_change *change, const char *of, const char *kind,
                         struct mr_cell cells[N_CHANGE_COLUMNS])
{
    const struct mr_ranked_score *before = &change->before, *after = &change->after;
    const struct mr_cell made[N_CHANGE_COLUMNS] = {
        {.text = change->name, .bytes = change->name_bytes},
        text_cell(of),
        text_cell(kind),
        {.real = before->score},
        {.real = after->score},
        {.real = after->score - before->score},
        {.count = before->rank},
        {.count = after->rank},
        {.count = before->best},
        {.count = before->worst},
        {.count = after->best},
        {.count = after->worst}};
    memcpy(cells, made, sizeof made);
}

/* Writes the rows of all lists to `rows`, or adds them to `array` if it is not NULL. */
static enum mr_status write_changes(const struct mr_changes *changes, struct mr_row_writer *rows,
                                    json_t *array, struct mr_error *err)
{
    struct mr_cell cells[N_CHANGE_COLUMNS];
    enum mr_status status = MR_OK;

    for (unsigned i = 0; i < 2 * MR_CHANGE_KINDS; i++) {
        const unsigned of = i / MR_CHANGE_KINDS, kind = i % MR_CHANGE_KINDS;
        const struct mr_change_list *list = &changes->lists[of][kind];
        for (uint64_t row = 0; row < list->n_rows && status == MR_OK; row++) {
            change_cells(&list->rows[row], objects[of], kinds[kind], cells);
            if (array == NULL) {
                status = mr_row_writer_add(rows, cells, err);
                continue;
            }
            struct mr_json json = mr_json_create();
            mr_json_cells(&json, change_columns, N_CHANGE_COLUMNS, cells);
            if (json_array_append_new(array, mr_json_finish(&json)) != 0) {
                status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for JSON");
            }
        }
    }
    return status;
}

static enum mr_status changes_json(const struct mr_changes *changes, const struct mr_parsed *parsed,
                                   const struct compare_flags *flags, struct mr_error *err)
{
    struct mr_json json = mr_json_create();
    json_t *array = json_array();
    char name[32];

    mr_json_text(&json, "a", parsed->operands[0]);
    mr_json_text(&json, "b", parsed->operands[1]);
    mr_json_text(&json, "scale", flags->scale != 0 ? "one" : "pages");
    mr_json_real(&json, "bound_a", changes->bound_before);
    mr_json_real(&json, "bound_b", changes->bound_after);
    mr_json_count(&json, "pages_a", changes->n_before);
    mr_json_count(&json, "pages_b", changes->n_after);
    mr_json_count(&json, "pages_common", changes->n_common);
    for (unsigned i = 0; i < 2 * MR_CHANGE_KINDS; i++) {
        const unsigned of = i / MR_CHANGE_KINDS, kind = i % MR_CHANGE_KINDS;
        (void)snprintf(name, sizeof name, "%ss_%s", objects[of], kinds[kind]);
        mr_json_count(&json, name, changes->lists[of][kind].n);
    }
    const enum mr_status status = write_changes(changes, NULL, array, err);
    mr_json_add(&json, "changes", array);
    if (status != MR_OK) {
        mr_json_destroy(&json);
        return status;
    }
    return mr_json_print_and_destroy(&json, err);
}

static void say_changes(struct mr_session *session, const struct mr_changes *changes,
                        const struct compare_flags *flags)
{
    char before[32], after[32], counts[MR_CHANGE_KINDS][32];

    for (int i = 0; i < 2; i++) {
        uint64_t n = 0;
        for (unsigned kind = 0; kind < MR_CHANGE_KINDS; kind++) {
            (void)mr_count_text(changes->lists[i][kind].n, counts[kind]);
            n += changes->lists[i][kind].n;
        }
        if (i == 0 || n > 0) { /* names that are no URLs have no hosts */
            mr_session_say(session,
                           "%ss: %s gained and %s lost more than both bounds, %s new, %s gone",
                           objects[i], counts[MR_CHANGE_GAINED], counts[MR_CHANGE_LOST],
                           counts[MR_CHANGE_NEW], counts[MR_CHANGE_GONE]);
        }
    }
    mr_session_say(session, "bounds of a score: %s before, %s after; %s",
                   mr_bound_text(changes->bound_before, before),
                   mr_bound_text(changes->bound_after, after),
                   flags->scale != 0 ? "scores are shares of the whole (--scale one)"
                                     : "scores are times the pages of their graph (--scale pages)");
}

static enum mr_status list_changes(struct mr_session *session, const struct compare_flags *flags,
                                   const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct mr_scores_side before = {.path = parsed->operands[0], .column = flags->column};
    const struct mr_scores_side after = {.path = parsed->operands[1],
                                         .column = flags->column_b != NULL ? flags->column_b
                                                                           : flags->column};
    const struct mr_changes_options options = {.struct_size = sizeof options,
                                               .top = flags->top,
                                               .shares = flags->scale != 0,
                                               .hosts = true};
    struct mr_row_writer rows = {.columns = change_columns,
                                 .n_columns = mr_session_is_read(&flags->rows) ? N_COLUMNS_READ
                                                                               : N_CHANGE_COLUMNS};
    struct mr_changes changes = {.memory = NULL};
    enum mr_status status =
        mr_scores_find_changes(&session->context, &before, &after, &options, &changes, err);

    if (status == MR_OK && (flags->rows.output != NULL || !flags->common.json)) {
        status = mr_session_open_rows(session, &flags->rows, &rows, err);
        status = status == MR_OK ? write_changes(&changes, &rows, NULL, err) : status;
        status = mr_row_writer_end(&rows, status, err);
    }
    if (status == MR_OK && flags->common.json) {
        status = changes_json(&changes, parsed, flags, err);
    }
    if (status == MR_OK) {
        say_changes(session, &changes, flags);
    }
    mr_changes_free(&changes);
    return status;
}

static enum mr_status run_compare(struct mr_session *session, const void *data,
                                  const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct compare_flags *flags = data;

    if (flags->common.estimate) {
        const struct mr_rank_costs estimate = {.memory_bytes = MR_MEMORY_FLOOR_BYTES};
        return mr_session_estimate(session, &estimate, err);
    }
    const enum mr_status status = mr_session_check_rows(&flags->rows, err);
    if (status != MR_OK) {
        return status;
    }
    return flags->changes ? list_changes(session, flags, parsed, err)
                          : compare(session, flags, parsed, err);
}

const struct mr_command mr_command_compare = {
    .name = "compare",
    .summary = "print how alike two score files are, or what changed between them",
    .usage = "compare A B [OPTIONS]",
    .text = "Prints Kendall's tau-b and Spearman's rho, the overlap of the best pages, and the L1 "
            "and L-infinity distances of two score files. Pages are matched by name, in any order. "
            "An .npy has no names, so its pages are matched by position. -0 equals 0. Equal scores "
            "share their rank; among the best pages they are in the order of A. With --changes it "
            "lists "
            "the pages and hosts that gained and lost more than the error bounds, new and gone "
            "ones.",
    .examples = "  millrace compare ranks.tsv ranks-of-last-crawl.tsv.zst\n"
                "  millrace compare --changes last-night.tsv tonight.tsv -o changes.csv\n"
                "  millrace compare hits.tsv hits.tsv --column 1 --column-b 2 --json\n",
    .groups = {{.title = "Comparing", .options = compare_options, .base = 0}, MR_COMMON_GROUP},
    .min_operands = 2,
    .max_operands = 2,
    .operands = "two files of scores",
    MR_COMMAND_RUNS(defaults, run_compare),
};
