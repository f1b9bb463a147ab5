/* SPDX-License-Identifier: Apache-2.0 */
/* Writes rankings with several scores per page: hits, salsa, degree, ppr and trustrank. It has
 * their common options -o, --top, --by, --header and --names. All files of one ranking appear
 * together, so that metadata never describes other scores. */
#include "cli/graph/columns.h"

#include <string.h>

#include "cli/graph/best_pages.h"
#include "cli/program/meta.h"
#include "cli/program/option_table.h"

#define FIELD(name) offsetof(struct mr_columns_flags, name)
const struct mr_option mr_columns_options[] = {
    {.name = "output",
     .letter = 'o',
     .type = MR_OPTION_TEXT,
     .offset = FIELD(output),
     .value = "FILE",
     .file = MR_FILE_SCORES,
     .help =
         "Write all scores to FILE: lines of a name and its scores with tabs between, in the order "
         "of the names. .gz and .zst compress; .csv, .jsonl and .json write these formats; .npy "
         "makes a NumPy array with a column per score. "
         "FILE.meta.json says how the scores were computed. Default: standard output; a terminal "
         "gets the ten best pages."},
    MR_TOP_OPTION(FIELD(top)),
    {.name = "by",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(by),
     .value = "COLUMN",
     .help = "Order --top by this score. Default: the last one."},
    MR_HEADER_OPTION(FIELD(header)),
    MR_NAMES_OPTION(FIELD(names)),
    {0}};
#undef FIELD

/* Returns the index of the column, or n_columns where no column has that name. */
static unsigned find_column(const char *name, const char *const *columns, unsigned n_columns)
{
    unsigned i = 0;
    while (i < n_columns && strcmp(columns[i], name) != 0) {
        i++;
    }
    return i;
}

enum mr_status mr_columns_check(const struct mr_session *session,
                                const struct mr_columns_flags *flags, const char *const *columns,
                                unsigned n_columns, struct mr_error *err)
{
    const bool json = session->flags.json;

    if (flags->output != NULL && mr_is_standard_output(flags->output) && (flags->top > 0 || json)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "-o %s: --%s prints to standard output already; name a file",
                            flags->output, flags->top > 0 ? "top" : "json");
    }
    if (flags->names != NULL && mr_is_standard_output(flags->names)) {
        return mr_error_set(err, MR_ERROR_USAGE, "--names %s: needs a file of its own",
                            flags->names);
    }
    if (flags->by != NULL && flags->top == 0 && flags->fetch.next == 0) {
        return mr_error_set(err, MR_ERROR_USAGE, "--by %s needs --top K", flags->by);
    }
    if (flags->by != NULL && columns != NULL &&
        find_column(flags->by, columns, n_columns) == n_columns) {
        return mr_error_set(err, MR_ERROR_USAGE, "--by %s: no such score; choose %s%s%s", flags->by,
                            columns[0], n_columns > 1 ? " or " : "",
                            n_columns > 1 ? columns[n_columns - 1] : "");
    }
    const enum mr_status status =
        mr_fetch_check(&flags->fetch, flags->top > 0 || json, flags->output, err);
    return status == MR_OK ? mr_session_check_scores(flags->output, flags->names, err) : status;
}

/* The column that orders --top and --next. */
static unsigned leading_column(const struct mr_columns_flags *flags,
                               const struct mr_score_column *columns, unsigned n_columns)
{
    unsigned leading = n_columns - 1;
    for (unsigned i = 0; flags->by != NULL && i < n_columns; i++) {
        leading = strcmp(columns[i].name, flags->by) == 0 ? i : leading;
    }
    return leading;
}

static enum mr_status write_scores(struct mr_session *session, const struct mr_graph *graph,
                                   const struct mr_columns_flags *flags, const uint8_t *chosen,
                                   const char *path, bool only_top,
                                   const struct mr_score_column *columns, unsigned n_columns,
                                   struct mr_error *err)
{
    const uint64_t n_vertices = mr_store_get_info(graph->store)->n_vertices;
    const struct mr_scores_options options = {.struct_size = sizeof options,
                                              .force = session->flags.force,
                                              .header = flags->header,
                                              .only_top = only_top,
                                              .top = flags->top,
                                              .top_column =
                                                  leading_column(flags, columns, n_columns),
                                              .chosen = chosen};
    struct mr_scores_summary summary = {0};
    char count[32];

    mr_session_leave_terminal(session, path);
    const enum mr_status status = mr_scores_write(&session->context, path, graph->names, n_vertices,
                                                  columns, n_columns, &options, &summary, err);
    if (status == MR_OK && summary.escaped > 0) {
        mr_session_say(session, "note: %s names had control bytes; written as \\xNN",
                       mr_count_text(summary.escaped, count));
    }
    return status;
}

enum mr_status mr_columns_write(struct mr_session *session, const struct mr_graph *graph,
                                const struct mr_columns_flags *flags,
                                const struct mr_fetch_plan *plan,
                                const struct mr_score_column *columns, unsigned n_columns,
                                const struct mr_json *json, struct mr_error *err)
{
    const uint8_t *chosen = plan == NULL ? NULL : mr_fetch_plan_chosen(&flags->fetch, plan);
    enum mr_status status = MR_OK;

    /* Publish the scores last: where they exist, the files about them exist as well. */
    mr_session_publish_together(session);
    if (flags->names != NULL) {
        status = mr_scores_write_names(&session->context, flags->names, graph->names,
                                       mr_store_get_info(graph->store)->n_vertices,
                                       session->flags.force, NULL, err);
    }
    if (status == MR_OK) {
        status = mr_meta_write(session, json, flags->output, err);
    }
    if (status == MR_OK && flags->output != NULL) {
        status = write_scores(session, graph, flags, chosen, flags->output, false, columns,
                              n_columns, err);
    }
    status = mr_session_publish(session, status, err);
    if (status != MR_OK) {
        return status;
    }
    const struct mr_best_pages best = {.graph = graph,
                                       .columns = columns,
                                       .n_columns = n_columns,
                                       .leading = leading_column(flags, columns, n_columns),
                                       .bound = -1.0,
                                       .chosen = chosen,
                                       .k = flags->top > 0 || session->flags.json ? flags->top
                                                                                  : MR_BEST_PAGES};
    if (session->flags.json) {
        return mr_best_pages_json(session, &best, json, err);
    }
    if (flags->fetch.next > 0) {
        return mr_fetch_plan_print(session, &flags->fetch, plan, graph->names,
                                   &columns[leading_column(flags, columns, n_columns)],
                                   flags->header, err);
    }
    if (mr_best_pages_wanted(flags->output, flags->top, false)) {
        return mr_best_pages_print(session, &best, err);
    }
    if (flags->top > 0 || flags->output == NULL) {
        status = write_scores(session, graph, flags, chosen, NULL, flags->top > 0, columns,
                              n_columns, err);
    }
    return status;
}
