/* SPDX-License-Identifier: Apache-2.0 */
/* A run of a kind: its columns, values and checks, the ranking, and what it says. */
#include "cli/ranking/kind_internal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/graph/best_pages.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"

/* ---- Columns ---- */

/* Chooses column number `i`, which --score-columns may name with `bytes` of `text`. */
static enum mr_status choose(struct mr_run *run, unsigned i, const char *text, size_t bytes,
                             struct mr_error *err)
{
    const struct mr_rank_column *column = &mr_kind_of(run)->columns[i];
    struct mr_kind_run *own = run->data;
    bool again = false;

    for (unsigned j = 0; j < own->n_chosen; j++) {
        again |= own->chosen[j] == column->name;
    }
    if (column->name == NULL || again) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--score-columns %s: %.*s is %s; each column comes once, with "
                            "commas between, and 'millrace help %s' names them",
                            mr_kind_options_of(run)->columns, (int)bytes, text,
                            again ? "there twice" : "none of the columns", mr_kind_of(run)->name);
    }
    if (!mr_kind_has(run, column->needs, column->excludes)) {
        return mr_error_set(
            err, MR_ERROR_USAGE, "--score-columns %s: %s %s --%s", mr_kind_options_of(run)->columns,
            column->name, mr_kind_has(run, column->needs, NULL) ? "does not go with" : "needs",
            mr_kind_has(run, column->needs, NULL) ? column->excludes : column->needs);
    }
    own->chosen[own->n_chosen++] = column->name;
    return MR_OK;
}

/* Chooses the columns of --score-columns, or those that the kind writes. */
static enum mr_status choose_columns(struct mr_run *run, struct mr_error *err)
{
    const struct mr_ranking_kind *kind = mr_kind_of(run);
    const struct mr_rank_column *columns = kind->columns;
    struct mr_kind_run *own = run->data;
    const char *at = mr_kind_options_of(run)->columns;
    enum mr_status status = MR_OK;

    for (unsigned i = 0; at == NULL && columns[i].name != NULL; i++) {
        if ((kind->n_written == 0 || i < kind->n_written) &&
            mr_kind_has(run, columns[i].needs, columns[i].excludes)) {
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
    struct mr_kind_run *own = run->data;

    assert(own->n_chosen < MR_RANKING_MAX_COLUMNS);
    own->chosen[own->n_chosen++] = column;
    return mr_columns_expect(run, own->chosen, own->n_chosen, err);
}

/* ---- Values ---- */

/* With --next the pages with links are fetched, unless told otherwise. */
static const char *fetched_word(const struct mr_run *run, const struct mr_fetched_value *value)
{
    static const char *const words[] = {"all", "links", "list"};
    const int word = value->is_given ? value->word : run->flags->fetch.next > 0;

    return words[word];
}

static void take_values(struct mr_run *run)
{
    const struct mr_ranking_kind *kind = mr_kind_of(run);
    struct mr_kind_run *own = run->data;

    own->n_values = 0;
    for (size_t i = 0; kind->options[i].name != NULL; i++) {
        const struct mr_rank_option *row = &kind->options[i];
        const union mr_kind_slot *slot = &mr_kind_options_of(run)->slots[i];
        struct mr_named_value value = {.name = row->name};
        if (row->type == MR_RANK_FETCHED) {
            value.text = fetched_word(run, &slot->fetched);
        } else if (mr_kind_given(run, i) == NULL) {
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
            value.text = mr_kind_given(run, i)->text;
        } else if (row->type == MR_RANK_STORE) {
            value.store = own->stores[i];
        } else if (row->type == MR_RANK_VECTORS) {
            value.vectors = own->batch.vectors;
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

void mr_kind_needs_text(const struct mr_ranking_kind *kind, bool all,
                        char text[MR_KIND_NEEDS_BYTES])
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; kind->options[i].name != NULL && kind->needs != NULL; i++) {
        const struct mr_rank_option *row = &kind->options[i];
        if ((all || used == 0) && mr_rank_gives(kind, UINT64_C(1) << i, kind->needs)) {
            (void)snprintf(text + used, MR_KIND_NEEDS_BYTES - used, "%s--%s %s",
                           used > 0 ? ", " : "", row->name, row->value);
            used = strlen(text);
        }
    }
}

static enum mr_status check_needs(const struct mr_run *run, struct mr_error *err)
{
    const struct mr_ranking_kind *kind = mr_kind_of(run);
    char text[MR_KIND_NEEDS_BYTES];

    if (mr_kind_has(run, kind->needs, NULL)) {
        return MR_OK;
    }
    mr_kind_needs_text(kind, true, text);
    const struct mr_kind_front *front = mr_kind_front_of(kind);
    const bool has_other = front != NULL && front->instead != NULL;
    return mr_error_set(err, MR_ERROR_USAGE, "%s: needs %s%s%s%s%s%s", kind->name,
                        strchr(kind->needs, '|') != NULL ? "one of " : "", text,
                        has_other ? ", --" : "", has_other ? front->options->name : "",
                        has_other ? " " : "", has_other ? front->options->value : "");
}

/* What lists the best pages, and a second list, want all scores at hand. */
static bool may_stream(const struct mr_run *run)
{
    const struct mr_columns_flags *columns = &run->flags->columns;

    return run->flags->fetch.next == 0 && !run->flags->common.json &&
           (columns->output == NULL || columns->top == 0) &&
           !mr_best_pages_wanted(columns->output, columns->top);
}

static bool is_of_fetches(const struct mr_rank_option *row)
{
    return row->type == MR_RANK_FETCHED || row->type == MR_RANK_TIMES;
}

/* --revisit looks again at the files of fetched pages, for those that are gone. */
static enum mr_status check_pipes(const struct mr_run *run, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (size_t i = 0; mr_kind_of(run)->options[i].name != NULL && status == MR_OK; i++) {
        size_t n = 0;
        if (run->flags->fetch.revisit && is_of_fetches(&mr_kind_of(run)->options[i])) {
            const char *const *files = mr_kind_files(run, i, &n);
            status = mr_page_list_refuse_pipes("--revisit", files, n, err);
        }
    }
    return status;
}

static void set_extras(struct mr_run *run)
{
    struct mr_rank_extras *extras = &((struct mr_kind_run *)run->data)->extras;
    const char *output = run->flags->columns.output;
    const bool has_labels = mr_kind_is_of_labels(mr_kind_of(run));

    extras->may_stream = may_stream(run);
    extras->write_bytes =
        has_labels && output == NULL ? 0 : mr_scores_write_memory(output, has_labels);
}

static enum mr_status check(struct mr_run *run, struct mr_error *err)
{
    struct mr_kind_run *own = run->data;

    take_values(run);
    set_extras(run);
    enum mr_status status = check_needs(run, err);
    if (status == MR_OK) {
        status = mr_rank_plan(&run->session->context, NULL, mr_kind_of(run)->name, own->values,
                              own->n_values, &own->plan, err);
    }
    if (status == MR_OK) {
        status = choose_columns(run, err);
    }
    if (status == MR_OK && mr_kind_is_of_labels(mr_kind_of(run))) {
        status = mr_scores_check_labels(run->flags->columns.output, err);
    }
    if (!mr_kind_of(run)->takes_weights) {
        (void)snprintf(own->ignores_weights, sizeof own->ignores_weights,
                       "%s counts links, whatever they weigh", mr_kind_of(run)->name);
        run->import.ignores_weights = own->ignores_weights;
    }
    if (status == MR_OK) {
        status = check_pipes(run, err);
    }
    return status == MR_OK && mr_kind_hooks(run)->check != NULL
               ? mr_kind_hooks(run)->check(run, err)
               : status;
}

/* ---- The run ---- */

static void estimate(struct mr_run *run, uint64_t beside, struct mr_rank_costs *estimate)
{
    struct mr_kind_run *own = run->data;
    struct mr_error ignored = {0};

    take_values(run);
    set_extras(run);
    own->extras.memory_limit =
        run->session->memory_limit - mr_min_u64(run->session->memory_limit, beside);
    if (mr_rank_plan_with(&run->session->context, mr_run_links(run), mr_kind_of(run)->name,
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
    const struct mr_kind_run *own = run->data;
    return own->plan.passes;
}

static enum mr_status rank(struct mr_run *run, struct mr_error *err)
{
    const struct mr_kind_front *front = mr_kind_front_of(mr_kind_of(run));
    struct mr_kind_run *own = run->data;
    struct mr_ranking_figures figures = {.struct_size = sizeof figures};
    unsigned n_columns = 0;

    take_values(run);
    run->session->meter.goal = own->plan.goal;
    run->session->meter.rounds = (unsigned)own->plan.rounds;
    enum mr_status status =
        front != NULL && front->begin != NULL ? front->begin(run, &own->extras, err) : MR_OK;
    if (status == MR_OK) {
        status = mr_rank_with(&run->session->context, mr_run_links(run), run->ranked->names,
                              mr_kind_of(run)->name, own->values, own->n_values, &own->extras,
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
    const struct mr_kind_run *own = run->data;
    const char *line = mr_ranking_text(own->ranking);
    char seconds[32];

    (void)snprintf(seconds, sizeof seconds, ", %.1f s", run->seconds);
    for (bool is_first = true;
         *line != '\0' && (is_first || !mr_kind_is_of_labels(mr_kind_of(run))); is_first = false) {
        const size_t bytes = strcspn(line, "\n");
        if (bytes > 0) {
            mr_session_say(run->session, "%.*s%s", (int)bytes, line, is_first ? seconds : "");
        }
        line += bytes + (line[bytes] == '\n');
    }
}

/* Prints the table about labels, to standard error if standard output has the lines of an output.
 */
void mr_kind_print_table(const struct mr_run *run)
{
    const struct mr_kind_run *own = run->data;
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

/* A state comes last: until it is there the whole run can be repeated. */
static enum mr_status write_after(struct mr_run *run, struct mr_error *err)
{
    const struct mr_kind_run *own = run->data;
    return mr_ranking_keep(own->ranking, err);
}

enum mr_status mr_kind_print_next(struct mr_run *run, struct mr_error *err)
{
    const struct mr_ranking_kind *kind = mr_kind_of(run);
    const struct mr_kind_run *own = run->data;
    static const struct mr_texts nothing;
    const struct mr_texts *fetched = &nothing, *timed = &nothing;

    for (size_t i = 0; kind->options[i].name != NULL; i++) {
        if (kind->options[i].type == MR_RANK_FETCHED) {
            fetched = &mr_kind_options_of(run)->slots[i].fetched.files;
        } else if (kind->options[i].type == MR_RANK_TIMES) {
            timed = &mr_kind_options_of(run)->slots[i].files;
        }
    }
    return mr_fetch_known_print(run->session, &run->flags->fetch, run->ranked,
                                mr_ranking_next(own->ranking, run->flags->fetch.revisit), fetched,
                                timed, run->flags->columns.header, err);
}

static enum mr_status end(struct mr_run *run, enum mr_status status, struct mr_error *err)
{
    struct mr_kind_run *own = run->data;

    for (size_t i = 0; i < MR_KIND_OPTIONS_MAX; i++) {
        mr_vertex_weights_free(&own->pages[i]);
        mr_memory_free(run->session->context.memory, own->reals[i]);
        mr_store_close(own->stores[i]);
        mr_page_list_free(&own->vertices[i]);
    }
    mr_teleport_batch_free(&own->batch);
    mr_ranking_free(own->ranking);
    return mr_kind_hooks(run)->end != NULL ? mr_kind_hooks(run)->end(run, status, err) : status;
}

const struct mr_ranker mr_kind_ranker = {.data_bytes = sizeof(struct mr_kind_run),
                                         .check = check,
                                         .estimate = estimate,
                                         .passes = passes,
                                         .prepare = mr_kind_prepare,
                                         .rank = rank,
                                         .report = report,
                                         .describe = mr_kind_describe,
                                         .write_after = write_after,
                                         .end = end};
