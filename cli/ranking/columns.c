/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what a ranking found. All its files appear together, so that metadata never describes
 * other scores. */
#include "cli/ranking/columns.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/graph/best_pages.h"
#include "cli/program/meta.h"
#include "cli/ranking/ranker.h"
#include "engine/base/memory.h"
#include "engine/io/workspace.h"

#define FIELD(name) offsetof(struct mr_columns_flags, name)
const struct mr_option mr_columns_options[] = {
    {.name = "output",
     .letter = 'o',
     .type = MR_OPTION_TEXT,
     .offset = FIELD(output),
     .value = "FILE",
     .file = MR_FILE_SCORES,
     .often = true,
     .help =
         "Write all scores to FILE: lines of a name and its scores with tabs between, in the order "
         "of the names. .gz and .zst compress; .csv, .jsonl, .json, .parquet and .duckdb (by "
         "DuckDB's library, as --sql) write these formats; .npy "
         "makes a NumPy array with a column per score; score_uri.txt is Heritrix's, the score "
         "before the URL. "
         "FILE.meta.json says how the scores were computed. Default: standard output, best first; "
         "a terminal gets the ten best pages."},
    MR_TOP_OPTION(FIELD(top)),
    {.name = "by",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(by),
     .value = "COLUMN",
     .help = "Order --top and --sort score by this score. Default: the last one."},
    {.name = "sort",
     .type = MR_OPTION_CHOICE,
     .offset = FIELD(sort),
     .choices = "name|score",
     .help = "Order of the rows: score is best first, equal ones by name. It takes 20 bytes of "
             "memory for each page. Default: score on standard output, name in a file."},
    MR_HEADER_OPTION(FIELD(header)),
    MR_MARK_OPTION(FIELD(mark)),
    MR_NAMES_OPTION(FIELD(names)),
    {0}};
const struct mr_option mr_labels_options[] = {
    {.name = "output",
     .letter = 'o',
     .type = MR_OPTION_TEXT,
     .offset = FIELD(output),
     .value = "FILE",
     .file = MR_FILE_SCORES,
     .often = true,
     .help = "Write a line for each page to FILE: its name and labels with tabs between, in the "
             "order of the names. .gz and .zst compress; .csv, .jsonl, .json and .parquet write "
             "these formats. Default: only the table is printed."},
    {.name = "header",
     .type = MR_OPTION_FLAG,
     .offset = FIELD(header),
     .help = "Write a first line that names the columns. A .csv has it anyway.",
     .needs = {{.names = "output"}}},
    MR_MARK_OPTION(FIELD(mark)),
    {0}};
#undef FIELD

enum mr_status mr_columns_expect(struct mr_run *run, const char *const *names, uint64_t n_names,
                                 struct mr_error *err)
{
    const char *by = run->flags->columns.by;
    bool has_by = by == NULL;

    run->n_columns = (unsigned)n_names;
    for (uint64_t i = 0; !has_by && i < n_names; i++) {
        has_by = strcmp(names[i], by) == 0;
    }
    return has_by ? mr_scores_check_uri(run->flags->columns.output, run->n_columns, NULL, 0, err)
                  : mr_error_set(err, MR_ERROR_USAGE, "--by %s: no such score; choose %s%s%s", by,
                                 names[0], n_names > 1 ? " or " : "",
                                 n_names > 1 ? names[n_names - 1] : "");
}

bool mr_columns_sort(const struct mr_columns_flags *flags)
{
    return flags->sort == MR_SORT_SCORE ||
           (flags->sort == MR_SORT_USUAL && flags->names == NULL && flags->top == 0 &&
            (flags->output == NULL || mr_output_is_standard(flags->output)));
}

enum mr_status mr_columns_check(struct mr_run *run, struct mr_error *err)
{
    const struct mr_ranker *ranker = run->ranker;
    const struct mr_columns_flags *flags = &run->flags->columns;
    const bool json = run->flags->common.json;

    if (flags->output != NULL && mr_output_is_standard(flags->output) && (flags->top > 0 || json)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "-o %s: --%s prints to standard output already; name a file",
                            flags->output, flags->top > 0 ? "top" : "json");
    }
    if (flags->names != NULL && mr_output_is_standard(flags->names)) {
        return mr_error_set(err, MR_ERROR_USAGE, "--names %s: needs a file of its own",
                            flags->names);
    }
    if (flags->by != NULL && flags->top == 0 && run->flags->fetch.next == 0 &&
        !mr_columns_sort(flags)) {
        return mr_error_set(err, MR_ERROR_USAGE, "--by %s needs --top K or --sort score",
                            flags->by);
    }
    if (flags->sort == MR_SORT_NAME && flags->top > 0 && flags->output == NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--top %llu prints the best first; leave out --sort name",
                            (unsigned long long)flags->top);
    }
    if (flags->sort == MR_SORT_SCORE &&
        (flags->names != NULL ||
         (flags->output != NULL && mr_output_has_suffix(flags->output, ".npy")))) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--sort score: %s has the order of the names; leave out --sort",
                            flags->names != NULL ? "--names" : "an .npy");
    }
    enum mr_status status = mr_row_form_check_mark(flags->output, flags->mark, err);
    if (status == MR_OK && ranker->columns != NULL) {
        status = mr_columns_expect(run, ranker->columns, ranker->n_columns, err);
    }
    if (status == MR_OK) {
        status = mr_fetch_check(&run->flags->fetch,
                                ranker->print_next != NULL ? MR_FETCH_OF_OPIC : MR_FETCH_OF_GRAPH,
                                flags->top > 0 || json, flags->output, err);
    }
    return status == MR_OK ? mr_session_check_scores(flags->output, flags->names, err) : status;
}

/* ---- Room on the disk ---- */

/* Bytes of a score and the tab before it in text: the fewest, and as they mostly are. Names take at
 * most PACKED times their bytes in the store, but in graphs where the room is no question. */
enum { SHORTEST_SCORE = 2, USUAL_SCORE = 21, PACKED = 32, RESCUE_SECONDS = 10 };
enum { LINES_BYTES = 8 << 20 }; /* of lines that are put in order, at least */

/* Refuses to sort more rows than the memory can, before the ranking. */
static enum mr_status check_memory(const struct mr_run *run, struct mr_error *err)
{
    const uint64_t n = mr_run_info(run)->n_vertices;
    const uint64_t wanted = n * MR_SORT_BYTES + run->n_columns * n * sizeof(double) + LINES_BYTES;
    char text[32];

    return !mr_columns_sort(&run->flags->columns) || run->flags->common.json ||
                   run->flags->fetch.next > 0 || run->ranker->print != NULL ||
                   wanted <= mr_memory_available(run->session->context.memory)
               ? MR_OK
               : mr_error_set(err, MR_ERROR_BUDGET,
                              "all rows, best first, take %s of memory beside the scores; say "
                              "--sort name or -o FILE, which need none of it, or raise --memory",
                              mr_size_text(n * MR_SORT_BYTES + LINES_BYTES, text));
}

static enum mr_status add_name(void *data, const struct mr_name_cursor *cursor, uint64_t position,
                               const char *name, size_t name_bytes, struct mr_error *err)
{
    (void)cursor;
    (void)position;
    (void)name;
    (void)err;
    *(uint64_t *)data += name_bytes;
    return MR_OK;
}

/* Checks the room for lines of names and `*least` further bytes. The names are read where they may
 * not fit; `*least` is then with them. */
static enum mr_status check_lines_room(struct mr_run *run, const char *path, const char *what,
                                       uint64_t *least, uint64_t *room, struct mr_error *err)
{
    const struct mr_store_info *info = mr_run_info(run);

    enum mr_status status = mr_output_check_room(path, what, *least, room, err);
    if (status != MR_OK || info->name_kind != MR_NAMES_TEXT ||
        *room > PACKED * info->names_bytes + *least) {
        return status;
    }
    status = mr_names_walk(&run->session->context, run->ranked->names, info->n_vertices,
                           "measure names", add_name, least, err);
    return status == MR_OK ? mr_output_check_room(path, what, *least, room, err) : status;
}

static bool is_single(const struct mr_run *run)
{
    bool found = false;

    for (size_t i = 0; i < run->parsed->n_given; i++) {
        found |= strcmp(run->parsed->given[i].option->name, "precision") == 0 &&
                 strcmp(run->parsed->given[i].text, "single") == 0;
    }
    return found;
}

enum mr_status mr_columns_check_room(struct mr_run *run, struct mr_error *err)
{
    const char *path = run->flags->columns.output;
    const struct mr_store_info *info = mr_run_info(run);
    const uint64_t n_scores = info->n_vertices * run->n_columns;
    uint64_t least, usual, room = 0;
    char wanted[32], left[32];

    enum mr_status status =
        mr_scores_check_uri(path, run->n_columns, run->ranked->names, info->n_vertices, err);
    if (status == MR_OK) {
        status = check_memory(run, err);
    }
    if (status != MR_OK || run->flags->fetch.only != 0 || run->n_columns == 0) {
        return status;
    }
    if (path != NULL && mr_output_has_suffix(path, ".npy")) {
        least = usual = n_scores * (is_single(run) ? sizeof(float) : sizeof(double));
        status = mr_output_check_room(path, "the scores", least, &room, err);
    } else {
        least = info->n_vertices + n_scores * SHORTEST_SCORE;
        status = check_lines_room(run, path, "the scores", &least, &room, err);
        usual = mr_max_u64(least, info->names_bytes) + n_scores * (USUAL_SCORE - SHORTEST_SCORE);
    }
    if (status == MR_OK && run->flags->columns.names != NULL) {
        uint64_t ends = info->n_vertices, left_for_names;
        status = check_lines_room(run, run->flags->columns.names, "the names", &ends,
                                  &left_for_names, err);
    }
    if (status == MR_OK && room < usual) {
        mr_session_say(run->session,
                       "note: %s: the scores take about %s, and the disk has room for %s", path,
                       mr_size_text(usual, wanted), mr_size_text(room, left));
    }
    return status;
}

void mr_columns_rescue(struct mr_run *run, struct mr_error *err)
{
    const struct mr_context *context = &run->session->context;
    const struct mr_columns *columns = &run->columns;
    const struct mr_scores_options options = {.struct_size = sizeof options, .force = true};
    struct mr_error ignored = {0};
    char problem[sizeof err->message + 128];
    char *path = NULL;

    if (columns->n_columns == 0 || columns->stream != NULL || columns->output != NULL ||
        (run->seconds < RESCUE_SECONDS && context->tmp_dir == NULL) ||
        asprintf(&path, "%s/millrace-%s-%ld.npy", mr_workspace_parent(context),
                 run->session->command->name, (long)getpid()) < 0) {
        return;
    }
    if (mr_scores_write(context, path, run->ranked->names, mr_run_info(run)->n_vertices,
                        columns->columns, columns->n_columns, &options, NULL, &ignored) == MR_OK) {
        (void)snprintf(problem, sizeof problem, "%s%s%s", err->message,
                       err->os_errno != 0 ? ": " : "",
                       err->os_errno != 0 ? strerror(err->os_errno) : "");
        err->os_errno = 0;
        (void)snprintf(err->message, sizeof err->message,
                       "%.400s; the scores are in %.200s, in the order of the names", problem,
                       path);
    }
    free(path);
}

/* The column that orders --top and --next. */
static unsigned leading_column(const struct mr_run *run)
{
    const struct mr_columns *columns = &run->columns;
    const char *by = run->flags->columns.by;
    unsigned leading = columns->n_columns - 1;

    for (unsigned i = 0; by != NULL && i < columns->n_columns; i++) {
        leading = strcmp(columns->columns[i].name, by) == 0 ? i : leading;
    }
    return leading;
}

void mr_columns_note_escaped(struct mr_session *session, uint64_t n)
{
    char count[64];

    if (n > 0) {
        mr_session_say(session, "note: %s had control bytes; written as \\xNN",
                       mr_count_of_text(n, "name", count));
    }
}

static enum mr_status write_scores(struct mr_run *run, const char *path, bool only_top,
                                   const char *metadata, struct mr_error *err)
{
    const struct mr_columns_flags *flags = &run->flags->columns;
    const struct mr_columns *columns = &run->columns;
    const struct mr_context *context = &run->session->context;
    struct mr_names *names = run->ranked->names;
    const uint64_t n_vertices = mr_run_info(run)->n_vertices;
    const struct mr_scores_options options = {
        .struct_size = sizeof options,
        .force = run->flags->common.force,
        .header = flags->header,
        .only_top = only_top || mr_columns_sort(flags),
        .top = only_top ? flags->top : UINT64_MAX,
        .top_column = leading_column(run),
        .chosen = mr_fetch_plan_chosen(&run->flags->fetch, &run->plan),
        .mark = flags->mark,
        .metadata = metadata,
        .error_bound = columns->bound};
    struct mr_scores_summary summary = {0};

    mr_session_leave_terminal(run->session, path);
    const enum mr_status status =
        columns->stream != NULL
            ? mr_scores_write_stream(context, path, names, n_vertices, columns->stream, &options,
                                     &summary, err)
            : mr_scores_write(context, path, names, n_vertices, columns->columns,
                              columns->n_columns, &options, &summary, err);
    if (status == MR_OK) {
        mr_columns_note_escaped(run->session, summary.escaped);
    }
    return status;
}

/* Where the scores exist, the files about them exist as well: they are published last. A state,
 * which goes on from them, comes even later. */
static enum mr_status write_files(struct mr_run *run, const struct mr_json *json,
                                  struct mr_error *err)
{
    const struct mr_columns_flags *flags = &run->flags->columns;
    char *metadata = NULL;
    enum mr_status status = MR_OK;

    if (flags->names != NULL) {
        status = mr_scores_write_names(&run->session->context, flags->names, run->ranked->names,
                                       mr_run_info(run)->n_vertices, run->flags->common.force, NULL,
                                       err);
    }
    if (status == MR_OK && run->ranker->write_before != NULL) {
        status = run->ranker->write_before(run, err);
    }
    if (status == MR_OK) {
        status = mr_meta_write(run->session, json, flags->output, err);
    }
    if (status == MR_OK && run->columns.output != NULL) {
        struct mr_output *output = run->columns.output;
        run->columns.output = NULL;
        status = mr_output_commit(output, err);
    } else if (status == MR_OK && flags->output != NULL) {
        status = mr_json_dump(json, &metadata, err);
        if (status == MR_OK) {
            status = write_scores(run, flags->output, false, metadata, err);
        }
        free(metadata);
    }
    return status == MR_OK && run->ranker->write_after != NULL ? run->ranker->write_after(run, err)
                                                               : status;
}

/* Writes one thing to standard output. A terminal gets the best pages as a table. */
static enum mr_status write_standard_output(struct mr_run *run, const struct mr_json *json,
                                            struct mr_error *err)
{
    const struct mr_columns_flags *flags = &run->flags->columns;
    const struct mr_fetch_flags *fetch = &run->flags->fetch;
    const struct mr_columns *columns = &run->columns;
    const struct mr_best_pages best = {.graph = run->ranked,
                                       .columns = columns->columns,
                                       .n_columns = columns->n_columns,
                                       .leading = leading_column(run),
                                       .bound = columns->bound,
                                       .chosen = mr_fetch_plan_chosen(fetch, &run->plan),
                                       .k = columns->n_columns > 0 ? flags->top : 0};

    if (run->flags->common.json) {
        return mr_best_pages_json(run->session, &best, json, err);
    }
    if (run->ranker->print != NULL) {
        run->ranker->print(run);
        return MR_OK;
    }
    if (fetch->next > 0) {
        return run->ranker->print_next != NULL
                   ? run->ranker->print_next(run, err)
                   : mr_fetch_plan_print(run->session, fetch, &run->plan, run->ranked,
                                         &columns->columns[best.leading], flags->header, err);
    }
    if ((flags->sort == MR_SORT_USUAL || flags->top > 0) &&
        mr_best_pages_wanted(flags->output, flags->top)) {
        return mr_best_pages_print(run->session, &best, err);
    }
    return flags->top > 0 || flags->output == NULL
               ? write_scores(run, NULL, flags->top > 0, NULL, err)
               : MR_OK;
}

enum mr_status mr_columns_write(struct mr_run *run, const struct mr_json *json,
                                struct mr_error *err)
{
    (void)mr_session_publish_together(run->session);
    enum mr_status status = write_files(run, json, err);
    if (status == MR_OK) {
        status = write_standard_output(run, json, err);
    }
    return mr_session_publish(run->session, status, err);
}
