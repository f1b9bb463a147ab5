/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ranking/kind.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/graph/best_pages.h"
#include "cli/program/meta.h"
#include "engine/base/bytes.h"
#include "engine/base/count_text.h"
#include "engine/base/memory.h"
#include "formats/pages/page_list.h"

enum { MOST_KINDS = 32, MOST_OPTIONS = 32, NAME_BYTES = 64, NEEDS_BYTES = 256 };

/* The value of a row, as struct mr_option has it. */
union slot {
    bool flag;
    uint64_t count;
    double real;
    const char *text;
    int choice;
    struct mr_texts files;
    struct mr_fetched_value fetched;
};

struct kind_flags {
    struct mr_ranking_flags ranking;
    const char *act; /* the value of the option of an act */
    const char *columns; /* --score-columns */
    union slot slots[MOST_OPTIONS]; /* by the number of the row */
    _Alignas(max_align_t) char of_front[MR_KIND_FLAGS_BYTES];
};

/* A command, with what it points to. */
struct made {
    struct mr_command command;
    struct mr_ranker ranker;
    const struct mr_kind_front *front;
    struct mr_option options[MOST_OPTIONS + 4];
    struct kind_flags defaults;
    char usage[NEEDS_BYTES + 128];
    char text[2048];
};
static struct made made[MOST_KINDS];
static const struct mr_kind_front *const *all_fronts;

static const struct mr_kind_act *const acts[] = {&mr_opic_dump_act};

/* The data of one run. */
struct kind_run {
    struct mr_named_value values[MOST_OPTIONS]; /* [n_values]: the options that are given */
    size_t n_values;
    uint64_t given; /* mr_rank_given */
    /* What files of the options have, by the number of the row. */
    struct mr_vertex_weights pages[MOST_OPTIONS];
    struct mr_page_list vertices[MOST_OPTIONS];
    double *reals[MOST_OPTIONS];
    struct mr_scores_found found[MOST_OPTIONS]; /* of reals */
    struct mr_store *stores[MOST_OPTIONS];
    char ignores_weights[NAME_BYTES]; /* a note */
    struct mr_rank_costs plan;
    struct mr_ranking *ranking;
    const char *chosen[MR_RANKING_MAX_COLUMNS]; /* [n_chosen], of the ranking's columns */
    unsigned n_chosen;
    struct mr_score_column columns[MR_RANKING_MAX_COLUMNS]; /* [n_chosen] */
    struct mr_teleport_batch batch; /* of the option of vectors */
    struct mr_rank_vector *vectors; /* [batch.n_vectors] */
    struct mr_rank_extras extras;
    max_align_t of_front[]; /* [hooks.data_bytes] */
};

static const struct kind_flags *flags_of(const struct mr_run *run)
{
    return (const struct kind_flags *)run->flags;
}

static const struct mr_ranking_kind *kind_of(const struct mr_run *run)
{
    return run->session->command->kind;
}

static const struct mr_ranker *hooks_of(const struct mr_run *run)
{
    static const struct mr_ranker none;
    const struct mr_kind_front *front = ((const struct made *)run->session->command)->front;
    return front != NULL ? &front->hooks : &none;
}

const void *mr_kind_flags(const void *flags)
{
    return ((const struct kind_flags *)flags)->of_front;
}

void *mr_kind_data(const struct mr_run *run)
{
    return ((struct kind_run *)run->data)->of_front;
}

const struct mr_ranking *mr_kind_ranking(const struct mr_run *run)
{
    return ((const struct kind_run *)run->data)->ranking;
}

const char *mr_kind_text(const struct mr_parsed *parsed, const char *option)
{
    const char *text = NULL;

    for (size_t i = 0; i < parsed->n_given; i++) {
        text = strcmp(parsed->given[i].option->name, option) == 0 ? parsed->given[i].text : text;
    }
    return text;
}

/* The front of a kind, or NULL. */
static const struct mr_kind_front *front_of(const struct mr_ranking_kind *kind)
{
    const struct mr_kind_front *const *at = all_fronts;

    while (at != NULL && *at != NULL && strcmp((*at)->kind, kind->name) != 0) {
        at++;
    }
    return at != NULL ? *at : NULL;
}

/* Are the columns of the kind labels, which have no order? */
static bool is_of_labels(const struct mr_ranking_kind *kind)
{
    return kind->columns[0].is_label;
}

/* Option number `i` as it was given last, or NULL. */
static const struct mr_given *given(const struct mr_run *run, size_t i)
{
    const struct mr_option *option = &run->session->command->groups[0].options[i];
    const struct mr_given *found = NULL;

    for (size_t j = 0; j < run->parsed->n_given; j++) {
        found = run->parsed->given[j].option == option ? &run->parsed->given[j] : found;
    }
    return found;
}

/* Does the run have what needs and excludes these options? */
static bool has(const struct mr_run *run, const char *needs, const char *excludes)
{
    const struct kind_run *own = run->data;
    return mr_rank_has(kind_of(run), own->given, needs, excludes);
}

bool mr_kind_gives(const struct mr_run *run, const char *names)
{
    return has(run, names, NULL);
}

/* Does the program read files for the option? */
static bool has_files(const struct mr_rank_option *row)
{
    return (row->type >= MR_RANK_PAGES && row->type <= MR_RANK_FETCHED) ||
           row->type == MR_RANK_VECTORS;
}

/* ---- Columns ---- */

/* Chooses column number `i`, which --score-columns may name with `bytes` of `text`. */
static enum mr_status choose(struct mr_run *run, unsigned i, const char *text, size_t bytes,
                             struct mr_error *err)
{
    const struct mr_rank_column *column = &kind_of(run)->columns[i];
    struct kind_run *own = run->data;
    bool again = false;

    for (unsigned j = 0; j < own->n_chosen; j++) {
        again |= own->chosen[j] == column->name;
    }
    if (column->name == NULL || again) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--score-columns %s: %.*s is %s; each column comes once, with "
                            "commas between, and 'millrace help %s' names them",
                            flags_of(run)->columns, (int)bytes, text,
                            again ? "there twice" : "none of the columns", kind_of(run)->name);
    }
    if (!has(run, column->needs, column->excludes)) {
        return mr_error_set(err, MR_ERROR_USAGE, "--score-columns %s: %s %s --%s",
                            flags_of(run)->columns, column->name,
                            has(run, column->needs, NULL) ? "does not go with" : "needs",
                            has(run, column->needs, NULL) ? column->excludes : column->needs);
    }
    own->chosen[own->n_chosen++] = column->name;
    return MR_OK;
}

/* Chooses the columns of --score-columns, or those that the kind writes. */
static enum mr_status choose_columns(struct mr_run *run, struct mr_error *err)
{
    const struct mr_ranking_kind *kind = kind_of(run);
    const struct mr_rank_column *columns = kind->columns;
    struct kind_run *own = run->data;
    const char *at = flags_of(run)->columns;
    enum mr_status status = MR_OK;

    for (unsigned i = 0; at == NULL && columns[i].name != NULL; i++) {
        if ((kind->n_written == 0 || i < kind->n_written) &&
            has(run, columns[i].needs, columns[i].excludes)) {
            own->chosen[own->n_chosen++] = columns[i].name;
        }
    }
    while (at != NULL && *at != '\0' && status == MR_OK) {
        const size_t bytes = strcspn(at, ",");
        unsigned i = 0;
        while (columns[i].name != NULL &&
               (strlen(columns[i].name) != bytes || memcmp(columns[i].name, at, bytes) != 0)) {
            i++;
        }
        status = choose(run, i, at, bytes, err);
        at += bytes + (at[bytes] == ',');
    }
    return status == MR_OK && own->n_chosen > 0
               ? mr_columns_expect(run, own->chosen, own->n_chosen, err)
               : status;
}

enum mr_status mr_kind_choose(struct mr_run *run, const char *column, struct mr_error *err)
{
    struct kind_run *own = run->data;

    assert(own->n_chosen < MR_RANKING_MAX_COLUMNS);
    own->chosen[own->n_chosen++] = column;
    return mr_columns_expect(run, own->chosen, own->n_chosen, err);
}

/* ---- Values ---- */

/* The row of the type FETCHED; NULL: the kind has none. */
static const struct mr_rank_option *fetched_row(const struct mr_ranking_kind *kind)
{
    const struct mr_rank_option *row = kind->options;

    while (row->name != NULL && row->type != MR_RANK_FETCHED) {
        row++;
    }
    return row->name != NULL ? row : NULL;
}

/* With --next the pages with links are fetched, unless told otherwise. */
static const char *fetched_word(const struct mr_run *run, const struct mr_fetched_value *value)
{
    static const char *const words[] = {"all", "links", "list"};
    const int word = value->is_given ? value->word : run->flags->fetch.next > 0;

    return words[word];
}

static void take_values(struct mr_run *run)
{
    const struct mr_ranking_kind *kind = kind_of(run);
    struct kind_run *own = run->data;

    own->n_values = 0;
    for (size_t i = 0; kind->options[i].name != NULL; i++) {
        const struct mr_rank_option *row = &kind->options[i];
        const union slot *slot = &flags_of(run)->slots[i];
        struct mr_named_value value = {.name = row->name};
        if (row->type == MR_RANK_FETCHED) {
            value.text = fetched_word(run, &slot->fetched);
        } else if (given(run, i) == NULL) {
            continue;
        }
        if (row->type == MR_RANK_FLAG) {
            value.count = slot->flag;
        } else if (row->type == MR_RANK_COUNT) {
            value.count = slot->count;
        } else if (row->type == MR_RANK_REAL) {
            value.real = slot->real;
        } else if (row->type == MR_RANK_TEXT || row->type == MR_RANK_FILE) {
            value.text = slot->text;
        } else if (row->type == MR_RANK_CHOICE) {
            value.text = given(run, i)->text;
        } else if (row->type == MR_RANK_STORE) {
            value.store = own->stores[i];
        } else if (row->type == MR_RANK_VECTORS) {
            value.vectors = own->vectors;
            value.count = own->batch.n_vectors;
        } else if (own->reals[i] != NULL) {
            value.reals = own->reals[i];
            value.count = mr_run_info(run)->n_vertices;
        } else if (own->pages[i].n_entries > 0) { /* the file is read */
            value.pages = own->pages[i].entries;
            value.count = own->pages[i].n_entries;
        } else if (own->vertices[i].n_pages > 0) {
            value.vertices = own->vertices[i].pages;
            value.count = own->vertices[i].n_pages;
        }
        own->values[own->n_values++] = value;
    }
    own->given = mr_rank_given(kind, own->values, own->n_values);
}

/* Writes the first, or all, of the options of which the kind needs one: "--a FILE, --b NAME". */
static void needs_text(const struct mr_ranking_kind *kind, bool all, char text[NEEDS_BYTES])
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; kind->options[i].name != NULL && kind->needs != NULL; i++) {
        const struct mr_rank_option *row = &kind->options[i];
        if ((all || used == 0) && mr_rank_gives(kind, UINT64_C(1) << i, kind->needs)) {
            (void)snprintf(text + used, NEEDS_BYTES - used, "%s--%s %s", used > 0 ? ", " : "",
                           row->name, row->value);
            used = strlen(text);
        }
    }
}

static enum mr_status check_needs(const struct mr_run *run, struct mr_error *err)
{
    const struct mr_ranking_kind *kind = kind_of(run);
    char text[NEEDS_BYTES];

    if (has(run, kind->needs, NULL)) {
        return MR_OK;
    }
    needs_text(kind, true, text);
    return mr_error_set(err, MR_ERROR_USAGE, "%s: needs %s%s", kind->name,
                        strchr(kind->needs, '|') != NULL ? "one of " : "", text);
}

/* What lists the best pages, and a second list, want all scores at hand. */
static bool may_stream(const struct mr_run *run)
{
    const struct mr_columns_flags *columns = &run->flags->columns;

    return run->flags->fetch.next == 0 && !run->flags->common.json &&
           (columns->output == NULL || columns->top == 0) &&
           !mr_best_pages_wanted(columns->output, columns->top);
}

/* The files of an option of pages. */
static const char *const *files_of(const struct mr_run *run, size_t i, size_t *n)
{
    const union slot *slot = &flags_of(run)->slots[i];
    const enum mr_rank_type type = kind_of(run)->options[i].type;
    const bool is_one = type == MR_RANK_WEIGHTS || type == MR_RANK_VECTORS;
    const struct mr_texts *files = type == MR_RANK_FETCHED ? &slot->fetched.files : &slot->files;

    *n = is_one ? slot->text != NULL : files->n;
    return is_one ? &slot->text : files->items;
}

static bool is_of_fetches(const struct mr_rank_option *row)
{
    return row->type == MR_RANK_FETCHED || row->type == MR_RANK_TIMES;
}

/* --revisit looks again at the files of fetched pages, for those that are gone. */
static enum mr_status check_pipes(const struct mr_run *run, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (size_t i = 0; kind_of(run)->options[i].name != NULL && status == MR_OK; i++) {
        size_t n = 0;
        if (run->flags->fetch.revisit && is_of_fetches(&kind_of(run)->options[i])) {
            const char *const *files = files_of(run, i, &n);
            status = mr_page_list_refuse_pipes("--revisit", files, n, err);
        }
    }
    return status;
}

static enum mr_status check(struct mr_run *run, struct mr_error *err)
{
    struct kind_run *own = run->data;

    take_values(run);
    own->extras.may_stream = may_stream(run);
    enum mr_status status = check_needs(run, err);
    if (status == MR_OK) {
        status = mr_rank_plan(&run->session->context, NULL, kind_of(run)->name, own->values,
                              own->n_values, &own->plan, err);
    }
    if (status == MR_OK) {
        status = choose_columns(run, err);
    }
    if (status == MR_OK && is_of_labels(kind_of(run))) {
        status = mr_scores_check_labels(run->flags->columns.output, err);
    }
    if (!kind_of(run)->takes_weights) {
        (void)snprintf(own->ignores_weights, sizeof own->ignores_weights,
                       "%s counts links, whatever they weigh", kind_of(run)->name);
        run->import.ignores_weights = own->ignores_weights;
    }
    if (status == MR_OK) {
        status = check_pipes(run, err);
    }
    return status == MR_OK && hooks_of(run)->check != NULL ? hooks_of(run)->check(run, err)
                                                           : status;
}

/* What the program reads of the files of an option. */
static enum mr_status read_pages(struct mr_run *run, size_t i, struct mr_error *err)
{
    const struct mr_context *context = &run->session->context;
    const enum mr_rank_type type = kind_of(run)->options[i].type;
    const uint64_t max_unknown = run->flags->max_unknown;
    struct kind_run *own = run->data;
    size_t n = 0;
    const char *const *files = files_of(run, i, &n);

    if (n == 0) {
        return MR_OK;
    }
    if (type == MR_RANK_PAGES || type == MR_RANK_WEIGHTS) {
        return mr_run_read_pages(run, files, n, type == MR_RANK_WEIGHTS, &own->pages[i], err);
    }
    const enum mr_status status =
        type == MR_RANK_TIMES || type == MR_RANK_INTERVALS
            ? mr_vertex_weights_read(context, files, n, run->ranked->names, NULL,
                                     type == MR_RANK_TIMES ? MR_LIST_TIMES : MR_LIST_INTERVALS,
                                     max_unknown, &own->pages[i], err)
            : mr_page_list_read(context, files, n, run->ranked->names, mr_run_info(run),
                                type == MR_RANK_FETCHED ? MR_FETCH_WANTS_FETCHED
                                                        : MR_FETCH_WANTS_PAGES,
                                run->flags->fetch.retries, max_unknown, &own->vertices[i], err);
    return status == MR_OK && type != MR_RANK_FETCHED && own->pages[i].n_entries == 0 &&
                   own->vertices[i].n_pages == 0
               ? mr_error_file(err, MR_ERROR_INPUT, files[0], 0,
                               "has nothing for --%s about a page of the graph; check the names",
                               kind_of(run)->options[i].name)
               : status;
}

/* Refuses scores of which no page of the graph has one above 0; notes what does not match. */
static enum mr_status check_reals(struct mr_run *run, const char *path, const double *reals,
                                  const struct mr_scores_found *found, struct mr_error *err)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    const uint64_t n = mr_run_info(run)->n_vertices;
    char count[32], missing[32];
    uint64_t v = 0;

    while (v < n && !(reals[v] > 0)) {
        v++;
    }
    if (v == n && n > 0) {
        return mr_error_file(
            err, MR_ERROR_INPUT, name, 0,
            "gives no page of the graph a score above 0; use scores of this graph");
    }
    if (found->n_unknown > 0 || found->n_found < n) {
        mr_session_say(run->session,
                       "note: %s: %s of its names are not pages of the graph, %s pages of the "
                       "graph are not in it",
                       name, mr_count_text(found->n_unknown, count),
                       mr_count_text(n - found->n_found, missing));
    }
    return MR_OK;
}

/* Reads the scores of an earlier result, of this graph or another one. */
static enum mr_status read_reals(struct mr_run *run, size_t i, struct mr_error *err)
{
    const struct mr_context *context = &run->session->context;
    const struct mr_rank_option *row = &kind_of(run)->options[i];
    const struct mr_store_info *info = mr_run_info(run);
    const char *path = flags_of(run)->slots[i].text;
    struct kind_run *own = run->data;

    enum mr_status status = mr_meta_check_store(context, path, info, "the graph", err);
    if (status == MR_OK) {
        status = mr_memory_array(context->memory, "scores to start from", info->n_vertices + 1,
                                 &own->reals[i], err);
    }
    if (status == MR_OK) {
        status =
            mr_scores_read_from(context, path, row->choices, run->ranked->names, info->n_vertices,
                                "the score is negative; a start takes scores that are not",
                                own->reals[i], &own->found[i], err);
    }
    return status == MR_OK ? check_reals(run, path, own->reals[i], &own->found[i], err) : status;
}

/* Opens a store, with its weights where those of the graph count. */
static enum mr_status open_store(struct mr_run *run, size_t i, struct mr_error *err)
{
    const struct mr_context *context = &run->session->context;
    struct kind_run *own = run->data;
    struct mr_store *plain = NULL;

    enum mr_status status = mr_store_open(context, flags_of(run)->slots[i].text, &plain, err);
    if (status != MR_OK || !run->flags->weights) {
        own->stores[i] = plain;
        return status;
    }
    status = mr_store_open_weights(context, plain, &own->stores[i], err);
    mr_store_close(plain);
    return status;
}

/* Reads the vectors, and expects a column for each. */
static enum mr_status read_batch(struct mr_run *run, const char *path, struct mr_error *err)
{
    struct kind_run *own = run->data;
    struct mr_teleport_batch *batch = &own->batch;
    const enum mr_status status =
        mr_teleport_batch_read(&run->session->context, path, run->ranked->names, mr_run_info(run),
                               run->flags->max_unknown, batch, err);

    if (status != MR_OK) {
        return status;
    }
    own->vectors = calloc(batch->n_vectors, sizeof *own->vectors);
    if (own->vectors == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for %llu vectors",
                            (unsigned long long)batch->n_vectors);
    }
    for (uint64_t i = 0; i < batch->n_vectors; i++) {
        const uint64_t first = i > 0 ? batch->ends[i - 1] : 0;
        own->vectors[i] = (struct mr_rank_vector){batch->names[i], batch->weights.entries + first,
                                                  batch->ends[i] - first};
    }
    return mr_columns_expect(run, (const char *const *)batch->names, batch->n_vectors, err);
}

static enum mr_status prepare(struct mr_run *run, struct mr_error *err)
{
    const struct mr_ranking_kind *kind = kind_of(run);
    enum mr_status status =
        hooks_of(run)->prepare != NULL ? hooks_of(run)->prepare(run, err) : MR_OK;

    for (size_t i = 0; kind->options[i].name != NULL && status == MR_OK; i++) {
        const enum mr_rank_type type = kind->options[i].type;
        if (type == MR_RANK_REALS && given(run, i) != NULL) {
            status = read_reals(run, i, err);
        } else if (type == MR_RANK_STORE && given(run, i) != NULL) {
            status = open_store(run, i, err);
        } else if (type == MR_RANK_VECTORS && given(run, i) != NULL) {
            status = read_batch(run, flags_of(run)->slots[i].text, err);
        } else if (type != MR_RANK_VECTORS && has_files(&kind->options[i])) {
            status = read_pages(run, i, err);
        }
    }
    return status;
}

/* ---- The run ---- */

static void estimate(struct mr_run *run, uint64_t beside, struct mr_estimate *estimate)
{
    struct kind_run *own = run->data;
    struct mr_error ignored = {0};

    take_values(run);
    if (mr_rank_plan_with(&run->session->context, mr_run_links(run), kind_of(run)->name,
                          own->values, own->n_values, &own->extras, &own->plan,
                          &ignored) == MR_OK) {
        const uint64_t most = mr_max_u64(own->plan.memory_bytes + beside, MR_MEMORY_FLOOR_BYTES);
        estimate->least_bytes = own->plan.least_bytes + beside;
        estimate->memory_bytes =
            mr_max_u64(estimate->least_bytes, mr_min_u64(most, run->session->memory_limit));
        estimate->temporary_bytes = own->plan.temporary_bytes;
    }
}

static double passes(const struct mr_run *run)
{
    const struct kind_run *own = run->data;
    return own->plan.passes;
}

static enum mr_status rank(struct mr_run *run, struct mr_error *err)
{
    const struct mr_kind_front *front = front_of(kind_of(run));
    struct kind_run *own = run->data;
    struct mr_ranking_figures figures = {.struct_size = sizeof figures};
    unsigned n_columns = 0;

    take_values(run);
    run->session->meter.goal = own->plan.goal;
    run->session->meter.rounds = (unsigned)own->plan.rounds;
    enum mr_status status =
        front != NULL && front->begin != NULL ? front->begin(run, &own->extras, err) : MR_OK;
    if (status == MR_OK) {
        status = mr_rank_with(&run->session->context, mr_run_links(run), run->ranked->names,
                              kind_of(run)->name, own->values, own->n_values, &own->extras,
                              &own->ranking, err);
    }
    if (own->ranking == NULL) {
        return status;
    }
    mr_ranking_describe(own->ranking, &figures);
    const struct mr_score_column *columns = mr_ranking_columns(own->ranking, &n_columns);
    for (unsigned i = 0; i < own->n_chosen; i++) {
        for (unsigned c = 0; c < n_columns; c++) {
            if (strcmp(columns[c].name, own->chosen[i]) == 0) {
                own->columns[i] = columns[c];
            }
        }
    }
    run->columns.columns = own->n_chosen > 0 ? own->columns : columns;
    run->columns.n_columns = own->n_chosen > 0 ? own->n_chosen : n_columns;
    run->columns.stream = own->ranking->stream.score != NULL ? &own->ranking->stream : NULL;
    if (figures.bound_kind == MR_BOUND_ERROR && n_columns == 1 && isfinite(figures.error_bound)) {
        run->columns.bound = figures.error_bound;
    }
    return status;
}

/* The time stands in the first line; that may be empty. Of labels it is the only one: the others
 * are a table. */
static void report(const struct mr_run *run)
{
    const struct kind_run *own = run->data;
    const char *line = mr_ranking_text(own->ranking);
    char seconds[32];

    (void)snprintf(seconds, sizeof seconds, ", %.1f s", run->seconds);
    for (bool is_first = true; *line != '\0' && (is_first || !is_of_labels(kind_of(run)));
         is_first = false) {
        const size_t bytes = strcspn(line, "\n");
        if (bytes > 0) {
            mr_session_say(run->session, "%.*s%s", (int)bytes, line, is_first ? seconds : "");
        }
        line += bytes + (line[bytes] == '\n');
    }
}

/* Prints the table about labels, to standard error if standard output has the lines of an output.
 */
static void print_table(const struct mr_run *run)
{
    const struct kind_run *own = run->data;
    const struct mr_parsed *parsed = run->parsed;
    bool has_lines = false;

    for (size_t i = 0; i < parsed->n_given; i++) {
        const struct mr_given *one = &parsed->given[i];
        has_lines |= (one->option->file == MR_FILE_SCORES || one->option->file == MR_FILE_WRITE) &&
                     mr_output_is_standard(one->text);
    }
    mr_session_leave_terminal(run->session, NULL);
    if (!has_lines || !run->flags->common.quiet) {
        const char *text = mr_ranking_text(own->ranking);
        (void)fputs(text + strcspn(text, "\n") + 1, has_lines ? stderr : stdout);
    }
}

/* ---- Metadata ---- */

/* "random-seed" becomes "random_seed". */
static const char *field_name(const char *option, const char *more, char text[NAME_BYTES])
{
    (void)snprintf(text, NAME_BYTES, "%s%s", option, more);
    for (char *c = text; *c != '\0'; c++) {
        *c = *c == '-' ? '_' : *c;
    }
    return text;
}

static void describe_pages(const struct mr_run *run, size_t i, struct mr_json *json)
{
    const char *option = kind_of(run)->options[i].name;
    const struct kind_run *own = run->data;
    const enum mr_rank_type type = kind_of(run)->options[i].type;
    const bool is_batch = type == MR_RANK_VECTORS;
    const struct mr_vertex_weights *pages = is_batch ? &own->batch.weights : &own->pages[i];
    size_t n = 0;
    const char *const *files = files_of(run, i, &n);
    char name[NAME_BYTES];

    if (n == 0) {
        return;
    }
    if (type != MR_RANK_WEIGHTS && !is_batch) {
        mr_json_texts_given(json, field_name(option, "", name), files, n);
    } else {
        mr_json_text(json, field_name(option, "", name), files[0]);
    }
    if (type == MR_RANK_VERTICES) {
        mr_json_count(json, field_name(option, "_vertices", name), own->vertices[i].n_pages);
        return;
    }
    mr_json_count(json, field_name(option, "_lines", name), pages->lines);
    mr_json_count(json, field_name(option, "_vertices", name), pages->n_entries);
    mr_json_count(json, field_name(option, "_duplicates", name), pages->duplicates);
    mr_json_count(json, field_name(option, "_unknown", name), pages->unknown);
}

static void describe_reals(const struct mr_run *run, size_t i, struct mr_json *json)
{
    const char *option = kind_of(run)->options[i].name;
    const struct kind_run *own = run->data;
    char name[NAME_BYTES];

    mr_json_text(json, field_name(option, "", name), flags_of(run)->slots[i].text);
    if (own->reals[i] != NULL) {
        mr_json_count(json, field_name(option, "_vertices", name), own->found[i].n_found);
        mr_json_count(json, field_name(option, "_unknown", name), own->found[i].n_unknown);
    }
}

/* Word number `choice`. */
static void describe_choice(const struct mr_rank_option *row, int choice, const char *name,
                            struct mr_json *json)
{
    const char *word = row->choices;
    char text[NAME_BYTES];

    for (int i = 0; i < choice; i++) {
        word = strchr(word, '|') + 1;
    }
    (void)snprintf(text, sizeof text, "%.*s", (int)strcspn(word, "|"), word);
    mr_json_text(json, name, text);
}

/* An option that is a figure, too, is left to that: it says what was taken. */
static bool is_figure(const struct mr_ranking_kind *kind, const char *field)
{
    for (const struct mr_rank_figure *figure = kind->figures; figure->name != NULL; figure++) {
        if (strcmp(figure->name, field) == 0) {
            return true;
        }
    }
    return false;
}

static void describe_option(const struct mr_run *run, size_t i, struct mr_json *json)
{
    const struct mr_rank_option *row = &kind_of(run)->options[i];
    const union slot *slot = &flags_of(run)->slots[i];
    char name[NAME_BYTES];

    if (is_figure(kind_of(run), field_name(row->name, "", name)) || !has(run, row->needs, NULL)) {
        return;
    }
    if (row->type == MR_RANK_FLAG) {
        mr_json_flag(json, name, slot->flag);
    } else if (row->type == MR_RANK_COUNT) {
        mr_json_count(json, name, slot->count);
    } else if (row->type == MR_RANK_REAL) {
        mr_json_real(json, name, slot->real);
    } else if (row->type == MR_RANK_CHOICE) {
        describe_choice(row, slot->choice, name, json);
    } else if (row->type == MR_RANK_TEXT || row->type == MR_RANK_STORE) {
        mr_json_text(json, name, slot->text);
    } else if (row->type == MR_RANK_REALS) {
        describe_reals(run, i, json);
    } else if (has_files(row)) {
        describe_pages(run, i, json);
    }
}

static void describe(const struct mr_run *run, struct mr_json *json)
{
    const struct mr_ranking_kind *kind = kind_of(run);
    const struct kind_run *own = run->data;

    mr_json_text(json, "algorithm", kind->name);
    if (kind->takes_weights) {
        mr_json_flag(json, "weights", run->flags->weights);
    }
    for (size_t i = 0; kind->options[i].name != NULL; i++) {
        describe_option(run, i, json);
    }
    for (const struct mr_rank_figure *row = kind->figures; row->name != NULL; row++) {
        if (has(run, row->needs, row->excludes)) {
            mr_meta_figure(json, own->ranking->kind_figures, row);
        }
    }
    if (hooks_of(run)->describe != NULL) {
        hooks_of(run)->describe(run, json);
    }
}

/* A state comes last: until it is there the whole run can be repeated. */
static enum mr_status write_after(struct mr_run *run, struct mr_error *err)
{
    const struct kind_run *own = run->data;
    return mr_ranking_keep(own->ranking, err);
}

static enum mr_status print_next(struct mr_run *run, struct mr_error *err)
{
    const struct mr_ranking_kind *kind = kind_of(run);
    const struct kind_run *own = run->data;
    static const struct mr_texts nothing;
    const struct mr_texts *fetched = &nothing, *timed = &nothing;

    for (size_t i = 0; kind->options[i].name != NULL; i++) {
        if (kind->options[i].type == MR_RANK_FETCHED) {
            fetched = &flags_of(run)->slots[i].fetched.files;
        } else if (kind->options[i].type == MR_RANK_TIMES) {
            timed = &flags_of(run)->slots[i].files;
        }
    }
    return mr_fetch_known_print(run->session, &run->flags->fetch, run->ranked,
                                mr_ranking_next(own->ranking, run->flags->fetch.revisit), fetched,
                                timed, run->flags->columns.header, err);
}

static enum mr_status end(struct mr_run *run, enum mr_status status, struct mr_error *err)
{
    struct kind_run *own = run->data;

    for (size_t i = 0; i < MOST_OPTIONS; i++) {
        mr_vertex_weights_free(&own->pages[i]);
        mr_memory_free(run->session->context.memory, own->reals[i]);
        mr_store_close(own->stores[i]);
        mr_page_list_free(&own->vertices[i]);
    }
    mr_teleport_batch_free(&own->batch);
    free(own->vectors);
    mr_ranking_free(own->ranking);
    return hooks_of(run)->end != NULL ? hooks_of(run)->end(run, status, err) : status;
}

static const struct mr_ranker ranker = {.data_bytes = sizeof(struct kind_run),
                                        .check = check,
                                        .estimate = estimate,
                                        .passes = passes,
                                        .prepare = prepare,
                                        .rank = rank,
                                        .report = report,
                                        .describe = describe,
                                        .write_after = write_after,
                                        .end = end};

/* Files have one row together, and the other options another one. */
static void print_option_fields(const struct mr_ranking_kind *kind, FILE *out)
{
    const char *between = "| ";
    char name[NAME_BYTES];
    bool any = false;

    for (const struct mr_rank_option *row = kind->options; row->name != NULL; row++) {
        (void)field_name(row->name, "", name);
        if (!has_files(row) && row->type != MR_RANK_FILE && row->type != MR_RANK_REALS &&
            !is_figure(kind, name)) {
            (void)fprintf(out, "%s`%s`", between, name);
            between = ", ";
        }
    }
    (void)fputs(*between == ',' ? " | the options of the same names |\n" : "", out);
    for (const struct mr_rank_option *row = kind->options; row->name != NULL; row++) {
        (void)field_name(row->name, "", name);
        if ((row->type != MR_RANK_REALS && !has_files(row)) || is_figure(kind, name)) {
            continue;
        }
        (void)fprintf(out, "%s`%s`, `%s_vertices`", any ? ", " : "| ", name, name);
        if (row->type != MR_RANK_VERTICES) {
            (void)fprintf(out, ", `%s_unknown`", name);
        }
        if (row->type != MR_RANK_VERTICES && row->type != MR_RANK_REALS) {
            (void)fprintf(out, ", `%s_lines`, `%s_duplicates`", name, name);
        }
        any = true;
    }
    (void)fputs(any ? " | files of the options; their pages, names that the graph lacks, lines, "
                      "repeated names |\n"
                    : "",
                out);
}

/* The fields of a table or record in one row, and then those of the tables in it. `of` is its name
 * with what follows it in front of a field. */
static void print_record(const char *of, const struct mr_rank_figure *fields, FILE *out)
{
    const struct mr_rank_figure *field;
    char name[2 * NAME_BYTES];

    for (field = fields; field->name != NULL; field++) {
        (void)fprintf(out, "%s`%s%s`", field == fields ? "| " : ", ", of, field->name);
    }
    for (field = fields; field->name != NULL; field++) {
        (void)fprintf(out, "%s%s", field == fields ? " | " : "; ", field->help);
    }
    (void)fputs(" |\n", out);
    for (field = fields; field->name != NULL; field++) {
        if (field->fields != NULL) {
            (void)snprintf(name, sizeof name, "%s%s%s.", of, field->name,
                           field->type == MR_RANK_TABLE ? "[]" : "");
            print_record(name, field->fields, out);
        }
    }
}

/* The row of a figure and of those behind it without a help, and those of its records. */
static void print_figure(const struct mr_rank_figure *row, FILE *out)
{
    char name[NAME_BYTES];

    if (row->help == NULL) {
        return;
    }
    (void)fprintf(out, "| `%s`", row->name);
    for (const struct mr_rank_figure *more = row + 1; more->name != NULL && more->help == NULL;
         more++) {
        (void)fprintf(out, ", `%s`", more->name);
    }
    (void)fprintf(out, " | %s", row->help);
    if (row->needs != NULL) {
        (void)fprintf(out, "; with `--%s`", row->needs);
    }
    if (row->excludes != NULL) {
        (void)fprintf(out, "; without `--%s`", row->excludes);
    }
    (void)fputs(" |\n", out);
    if (row->fields != NULL) {
        (void)snprintf(name, sizeof name, "%s%s.", row->name,
                       row->type == MR_RANK_TABLE ? "[]" : "");
        print_record(name, row->fields, out);
    }
}

/* The first row of a part among `rows`; NULL: there is none. */
static const struct mr_rank_figure *find_part(const struct mr_rank_figure *rows, const char *part)
{
    while (rows->name != NULL && (rows->part == NULL || strcmp(rows->part, part) != 0)) {
        rows++;
    }
    return rows->name != NULL ? rows : NULL;
}

/* The parts of kind number `i`: their names, or the sections of those that no kind before it has.
 */
static void print_parts(size_t i, bool are_sections, FILE *out)
{
    const struct mr_rank_figure *rows = mr_ranking_kind_at(i)->figures;

    for (const struct mr_rank_figure *row = rows; row->name != NULL; row++) {
        bool is_new = row->part != NULL && find_part(rows, row->part) == row;
        for (size_t before = 0; are_sections && is_new && before < i; before++) {
            is_new = find_part(mr_ranking_kind_at(before)->figures, row->part) == NULL;
        }
        if (is_new && !are_sections) {
            (void)fprintf(out, "%s, ", row->part);
        } else if (is_new) {
            (void)fprintf(out, "\n## Part: %s\n\n| field | meaning |\n|---|---|\n", row->part);
            for (const struct mr_rank_figure *own = row; own->name != NULL; own++) {
                if (own->part != NULL && strcmp(own->part, row->part) == 0) {
                    print_figure(own, out);
                }
            }
        }
    }
}

static void print_section(size_t i, FILE *out)
{
    const struct mr_ranking_kind *kind = mr_ranking_kind_at(i);
    const struct mr_rank_column *columns = kind->columns;

    (void)fprintf(out, "%s## `%s`\n\nWith the parts: store, ", i > 0 ? "\n" : "", kind->name);
    print_parts(i, false, out);
    (void)fprintf(out, "run%s.\n\n| field | meaning |\n|---|---|\n| `algorithm` | `%s` |\n",
                  is_of_labels(kind) ? "" : ", best pages", kind->name);
    print_option_fields(kind, out);
    for (const struct mr_rank_figure *row = kind->figures; row->name != NULL; row++) {
        if (row->part == NULL) {
            print_figure(row, out);
        }
    }
    (void)fputs(front_of(kind) != NULL && front_of(kind)->fields != NULL ? front_of(kind)->fields
                                                                         : "",
                out);
    (void)fputs("| `seconds` | time of the ranking |\n", out);
    for (unsigned c = 0; !is_of_labels(kind) && columns[c].name != NULL &&
                         (c == 0 || c < kind->n_written || kind->n_written == 0);
         c++) {
        (void)fprintf(out, "%s`top[].%s`", c > 0 ? ", " : "| ", columns[c].name);
    }
    (void)fputs(is_of_labels(kind) ? "" : " | scores of the page |\n", out);
}

void mr_kind_print_fields(FILE *out)
{
    (void)fputs("<!-- $ millrace help --fields -->\n", out);
    for (size_t i = 0; mr_ranking_kind_at(i) != NULL; i++) {
        print_section(i, out);
    }
    for (size_t i = 0; mr_ranking_kind_at(i) != NULL; i++) {
        print_parts(i, true, out);
    }
}

/* ---- The command ---- */

/* The row as an option of the program; its usual value goes to the slot. */
static struct mr_option option_of(const struct mr_rank_option *row, size_t i, union slot *slot)
{
    struct mr_option option = {.name = row->name,
                               .offset = offsetof(struct kind_flags, slots) + i * sizeof *slot,
                               .value = row->value,
                               .help = row->help,
                               .also = row->also,
                               .excludes = {{.names = row->excludes, .why = row->why}},
                               .needs = {{.names = row->needs}},
                               .choices = row->choices};

    if (row->type == MR_RANK_FLAG) {
        option.type = MR_OPTION_FLAG;
        slot->flag = row->usual > 0;
    } else if (row->type == MR_RANK_COUNT) {
        option.type = MR_OPTION_COUNT;
        option.least = (uint64_t)row->least;
        option.most = row->most >= 0x1p64 ? UINT64_MAX : (uint64_t)row->most;
        slot->count = (uint64_t)row->usual;
    } else if (row->type == MR_RANK_REAL) {
        option.type = MR_OPTION_REAL;
        option.range = (struct mr_range){row->least, row->most, row->above_least, row->below_most};
        slot->real = row->usual;
    } else if (row->type == MR_RANK_CHOICE) {
        option.type = MR_OPTION_CHOICE;
    } else if (row->type == MR_RANK_FETCHED) {
        option.type = MR_OPTION_PARSED;
        option.parse = mr_fetched_parse;
        option.adds = true;
        option.file = MR_FILE_LISTED;
    } else if (has_files(row) && row->type != MR_RANK_WEIGHTS && row->type != MR_RANK_VECTORS) {
        option.type = MR_OPTION_TEXTS;
        option.file = MR_FILE_READ;
    } else {
        option.type = MR_OPTION_TEXT;
        option.file = row->type == MR_RANK_FILE   ? MR_FILE_UPDATED
                      : row->type == MR_RANK_TEXT ? MR_FILE_NONE
                                                  : MR_FILE_READ;
    }
    return option;
}

static const struct mr_kind_act *act_of(const struct mr_ranking_kind *kind)
{
    for (size_t i = 0; i < sizeof acts / sizeof acts[0]; i++) {
        if (strcmp(acts[i]->kind, kind->name) == 0) {
            return acts[i];
        }
    }
    return NULL;
}

static bool has_option(const struct mr_ranking_kind *kind, const char *name)
{
    const struct mr_rank_option *row = kind->options;

    while (row->name != NULL && strcmp(row->name, name) != 0) {
        row++;
    }
    return row->name != NULL;
}

/* The rows of the kind, --max-unknown for its lists of pages, --score-columns for several. */
static void make_options(const struct mr_ranking_kind *kind, struct made *of)
{
    static const struct mr_option unknown =
        MR_MAX_UNKNOWN_OPTION(offsetof(struct kind_flags, ranking.max_unknown), "names of pages");
    static const struct mr_option columns = {
        "score-columns",
        0,
        MR_OPTION_TEXT,
        offsetof(struct kind_flags, columns),
        "COLUMN,...",
        .help = "Scores to write, with commas between. Default: those that the text names."};
    bool has_pages = false;
    size_t n = 0;

    for (; kind->options[n].name != NULL; n++) {
        assert(n < MOST_OPTIONS);
        of->options[n] = option_of(&kind->options[n], n, &of->defaults.slots[n]);
        has_pages |= has_files(&kind->options[n]);
    }
    if (act_of(kind) != NULL) {
        of->options[n] = act_of(kind)->option;
        of->options[n++].offset = offsetof(struct kind_flags, act);
    }
    if (has_pages) {
        of->options[n++] = unknown;
    }
    if (kind->columns[1].name != NULL && !has_option(kind, columns.name)) {
        of->options[n++] = columns;
    }
    for (size_t i = 0; of->front != NULL && of->front->options[i].name != NULL; i++) {
        assert(n < sizeof of->options / sizeof of->options[0] - 1);
        of->options[n] = of->front->options[i];
        of->options[n++].offset += offsetof(struct kind_flags, of_front);
    }
}

/* "... Lines are NAME, hub, authority; --score-columns also writes parts." */
static void make_text(const struct mr_ranking_kind *kind, struct made *of)
{
    size_t used = (size_t)snprintf(of->text, sizeof of->text, "%s Lines are NAME", kind->text);
    const struct mr_rank_column *column = kind->columns;

    for (unsigned i = 0; column[i].name != NULL && used < sizeof of->text; i++) {
        used += (size_t)snprintf(
            of->text + used, sizeof of->text - used, "%s %s%s%s%s",
            i > 0 && i == kind->n_written ? "; --score-columns also writes" : ",", column[i].name,
            column[i].needs != NULL      ? " (with --"
            : column[i].excludes != NULL ? " (without --"
                                         : "",
            column[i].needs != NULL      ? column[i].needs
            : column[i].excludes != NULL ? column[i].excludes
                                         : "",
            column[i].needs != NULL || column[i].excludes != NULL ? ")" : "");
    }
    assert(used < sizeof of->text - 1);
    (void)snprintf(of->text + used, sizeof of->text - used, ".");
}

/* Takes what the front adds. */
static void make_ranker(const struct mr_ranking_kind *kind, struct made *of)
{
    of->ranker = ranker;
    of->front = front_of(kind);
    if (is_of_labels(kind)) {
        of->ranker.print = print_table;
    }
    if (fetched_row(kind) != NULL) {
        of->ranker.print_next = print_next;
    }
    if (of->front != NULL) {
        assert(of->front->flags_bytes <= sizeof of->defaults.of_front);
        memcpy(of->defaults.of_front, of->front->defaults, of->front->flags_bytes);
        of->ranker.data_bytes += of->front->hooks.data_bytes;
        of->ranker.write_before = of->front->hooks.write_before;
    }
}

/* Labels have no order, so there are no best pages, and none to fetch. */
static void make_groups(const struct mr_ranking_kind *kind, struct made *of)
{
    struct mr_option_group *group = of->command.groups;
    const unsigned links = kind->weighs_classes  ? MR_CLASS_LINKS
                           : kind->takes_weights ? MR_ALL_LINKS
                                                 : MR_UNWEIGHTED_LINKS;

    *group++ = (struct mr_option_group){.title = "Ranking", .options = of->options};
    if (is_of_labels(kind)) {
        *group++ = (struct mr_option_group)MR_LABELS_GROUP;
    } else {
        *group++ = (struct mr_option_group)MR_LINKS_GROUP(links);
        *group++ = (struct mr_option_group)MR_OUTPUT_GROUP;
    }
    *group++ = (struct mr_option_group)MR_IMPORT_GROUP;
    if (!is_of_labels(kind)) {
        *group = (struct mr_option_group)MR_FETCH_GROUP;
        group->options = fetched_row(kind) != NULL ? mr_fetch_known_options : group->options;
        group++;
    }
    *group = (struct mr_option_group)MR_COMMON_GROUP;
}

/* Ranks, or does what the kind's act is. */
static enum mr_status run_kind(struct mr_session *session, const void *data,
                               const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct kind_flags *flags = data;
    const struct mr_ranking_kind *kind = session->command->kind;

    if (flags->act == NULL && parsed->n_operands == 0) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "%s: needs a store or an input file (- for standard input); 'millrace "
                            "help %s' shows how",
                            kind->name, kind->name);
    }
    if (flags->act != NULL && parsed->n_operands > 0) {
        return mr_error_set(err, MR_ERROR_USAGE, "--%s needs no graph; leave out %s",
                            act_of(kind)->option.name, parsed->operands[0]);
    }
    return flags->act == NULL ? mr_ranker_run(session, data, parsed, err)
                              : act_of(kind)->run(session, &flags->ranking, flags->act, err);
}

/* Files of options, and those of FETCHED. */
static enum mr_status list_files(const void *data, const struct mr_parsed *parsed,
                                 struct mr_files *files, struct mr_error *err)
{
    const struct mr_option *option = NULL;

    for (size_t i = 0; i < parsed->n_given; i++) {
        option =
            parsed->given[i].option->parse == mr_fetched_parse ? parsed->given[i].option : option;
    }
    if (option != NULL) {
        const struct mr_fetched_value *value =
            (const void *)((const uint8_t *)data + option->offset);
        for (size_t i = 0; i < value->files.n; i++) {
            mr_files_add(files, MR_FILE_READ, "--fetched", value->files.items[i], NULL);
        }
    }
    return mr_ranker_list_files(data, parsed, files, err);
}

static void make(const struct mr_ranking_kind *kind, struct made *of)
{
    struct mr_command *command = &of->command;
    char needs[NEEDS_BYTES];

    of->defaults.ranking = (struct mr_ranking_flags)MR_RANKING_DEFAULTS;
    make_ranker(kind, of);
    make_options(kind, of);
    make_text(kind, of);
    needs_text(kind, false, needs);
    (void)snprintf(of->usage, sizeof of->usage, "%s STORE|INPUT... %s%s[-o FILE] [OPTIONS]",
                   kind->name, needs, needs[0] != '\0' ? " " : "");
    *command = (struct mr_command){
        .name = kind->name,
        .summary = kind->summary,
        .usage = of->usage,
        .text = of->text,
        .examples = kind->examples,
        .defaults = &of->defaults,
        .flags_bytes = sizeof of->defaults,
        .min_operands = act_of(kind) == NULL,
        .max_operands = SIZE_MAX,
        .operands = "a store or an input file (- for standard input)",
        .list_files =
            of->front != NULL && of->front->list_files != NULL ? of->front->list_files : list_files,
        .ranker = &of->ranker,
        .kind = kind,
        .run = run_kind,
    };
    make_groups(kind, of);
}

void mr_kind_set_fronts(const struct mr_kind_front *const *fronts)
{
    all_fronts = fronts;
}

const struct mr_command *mr_kind_command_at(size_t index)
{
    const struct mr_ranking_kind *kind = mr_ranking_kind_at(index);

    if (kind == NULL) {
        return NULL;
    }
    assert(index < MOST_KINDS);
    if (made[index].command.name == NULL) {
        make(kind, &made[index]);
    }
    return &made[index].command;
}

const struct mr_command *mr_kind_command(const char *name)
{
    size_t i = 0;

    while (strcmp(mr_ranking_kind_at(i)->name, name) != 0) {
        i++;
    }
    return mr_kind_command_at(i);
}
