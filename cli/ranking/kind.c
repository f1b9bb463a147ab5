/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ranking/kind.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/program/meta.h"
#include "cli/ranking/ranker.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "library/rank/ranking.h"

enum { MOST_KINDS = 32, MOST_OPTIONS = 24, NAME_BYTES = 64 };

/* The value of a row, as struct mr_option has it. */
union slot {
    bool flag;
    uint64_t count;
    double real;
    const char *text;
    int choice;
    struct mr_texts files;
};

struct kind_flags {
    struct mr_ranking_flags ranking;
    const char *columns; /* --score-columns */
    union slot slots[MOST_OPTIONS]; /* by the number of the row */
};

/* A command, with what it points to. */
struct made {
    struct mr_command command;
    struct mr_option options[MOST_OPTIONS + 3];
    struct kind_flags defaults;
    char usage[NAME_BYTES + 64];
    char text[2048];
};
static struct made made[MOST_KINDS];

/* The data of one run. */
struct kind_run {
    struct mr_named_value values[MOST_OPTIONS]; /* [n_values]: the options that are given */
    size_t n_values;
    struct mr_vertex_weights pages[MOST_OPTIONS]; /* by the number of the row */
    struct mr_rank_costs plan;
    struct mr_ranking *ranking;
    unsigned chosen[MR_RANKING_MAX_COLUMNS]; /* [n_chosen], of the ranking's columns */
    unsigned n_chosen;
    struct mr_score_column columns[MR_RANKING_MAX_COLUMNS]; /* [n_chosen] */
};

static const struct kind_flags *flags_of(const struct mr_run *run)
{
    return (const struct kind_flags *)run->flags;
}

static const struct mr_ranking_kind *kind_of(const struct mr_run *run)
{
    return run->session->command->kind;
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

/* ---- Columns ---- */

/* Chooses the columns of --score-columns, or those that the kind writes. */
static enum mr_status choose_columns(struct mr_run *run, struct mr_error *err)
{
    const struct mr_ranking_kind *kind = kind_of(run);
    struct kind_run *own = run->data;
    const char *at = flags_of(run)->columns, *names[MR_RANKING_MAX_COLUMNS];

    for (unsigned i = 0; at == NULL && kind->columns[i] != NULL; i++) {
        if (kind->n_written == 0 || i < kind->n_written) {
            own->chosen[own->n_chosen++] = i;
        }
    }
    while (at != NULL && *at != '\0') {
        const size_t bytes = strcspn(at, ",");
        unsigned i = 0;
        while (kind->columns[i] != NULL &&
               (strlen(kind->columns[i]) != bytes || memcmp(kind->columns[i], at, bytes) != 0)) {
            i++;
        }
        bool again = false;
        for (unsigned j = 0; j < own->n_chosen; j++) {
            again |= own->chosen[j] == i;
        }
        if (kind->columns[i] == NULL || again) {
            return mr_error_set(err, MR_ERROR_USAGE,
                                "--score-columns %s: %.*s is %s; each column comes once, with "
                                "commas between, and 'millrace help %s' names them",
                                flags_of(run)->columns, (int)bytes, at,
                                again ? "there twice" : "none of the columns", kind->name);
        }
        own->chosen[own->n_chosen++] = i;
        at += bytes + (at[bytes] == ',');
    }
    for (unsigned i = 0; i < own->n_chosen; i++) {
        names[i] = kind->columns[own->chosen[i]];
    }
    return mr_columns_expect(run, names, own->n_chosen, err);
}

/* ---- Values ---- */

static void take_values(struct mr_run *run)
{
    const struct mr_ranking_kind *kind = kind_of(run);
    struct kind_run *own = run->data;

    own->n_values = 0;
    for (size_t i = 0; kind->options[i].name != NULL; i++) {
        const struct mr_rank_option *row = &kind->options[i];
        const union slot *slot = &flags_of(run)->slots[i];
        struct mr_named_value value = {.name = row->name};
        if (given(run, i) == NULL) {
            continue;
        }
        if (row->type == MR_RANK_FLAG) {
            value.count = slot->flag;
        } else if (row->type == MR_RANK_COUNT) {
            value.count = slot->count;
        } else if (row->type == MR_RANK_REAL) {
            value.real = slot->real;
        } else if (row->type == MR_RANK_TEXT) {
            value.text = slot->text;
        } else if (row->type == MR_RANK_CHOICE) {
            value.text = given(run, i)->text;
        } else if (own->pages[i].n_entries > 0) {
            value.pages = own->pages[i].entries;
            value.count = own->pages[i].n_entries;
        } else {
            continue; /* the files are not read yet */
        }
        own->values[own->n_values++] = value;
    }
}

static enum mr_status check(struct mr_run *run, struct mr_error *err)
{
    struct kind_run *own = run->data;

    enum mr_status status = choose_columns(run, err);
    if (status == MR_OK) {
        take_values(run);
        status = mr_rank_plan(&run->session->context, NULL, kind_of(run)->name, own->values,
                              own->n_values, &own->plan, err);
    }
    if (!kind_of(run)->takes_weights) {
        run->import.weights = run->flags->import.weights;
    }
    return status;
}

static enum mr_status prepare(struct mr_run *run, struct mr_error *err)
{
    const struct mr_ranking_kind *kind = kind_of(run);
    struct kind_run *own = run->data;
    enum mr_status status = MR_OK;

    for (size_t i = 0; kind->options[i].name != NULL && status == MR_OK; i++) {
        const struct mr_texts *files = &flags_of(run)->slots[i].files;
        if (kind->options[i].type == MR_RANK_PAGES && given(run, i) != NULL) {
            status = mr_run_read_pages(run, files->items, files->n, false, &own->pages[i], err);
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
    if (mr_rank_plan(&run->session->context, mr_run_links(run), kind_of(run)->name, own->values,
                     own->n_values, &own->plan, &ignored) == MR_OK) {
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
    struct kind_run *own = run->data;
    struct mr_ranking_figures figures = {.struct_size = sizeof figures};
    unsigned n_columns = 0;

    take_values(run);
    const enum mr_status status =
        mr_rank(&run->session->context, mr_run_links(run), run->ranked->names, kind_of(run)->name,
                own->values, own->n_values, &own->ranking, err);
    if (own->ranking == NULL) {
        return status;
    }
    mr_ranking_describe(own->ranking, &figures);
    const struct mr_score_column *columns = mr_ranking_columns(own->ranking, &n_columns);
    for (unsigned i = 0; i < own->n_chosen; i++) {
        assert(own->chosen[i] < n_columns);
        own->columns[i] = columns[own->chosen[i]];
    }
    run->columns = (struct mr_columns){
        .columns = own->columns,
        .n_columns = own->n_chosen,
        .bound = figures.bound_kind == MR_BOUND_ERROR ? figures.error_bound : -1.0};
    return status;
}

static void report(const struct mr_run *run)
{
    const struct kind_run *own = run->data;
    const char *text = mr_ranking_text(own->ranking);

    if (text[0] != '\0') {
        mr_session_say(run->session, "%s; %.1f s", text, run->seconds);
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
    const struct mr_texts *files = &flags_of(run)->slots[i].files;
    const struct kind_run *own = run->data;
    const struct mr_vertex_weights *pages = &own->pages[i];
    char name[NAME_BYTES];

    if (files->n > 0) {
        mr_json_texts_given(json, field_name(option, "", name), files->items, files->n);
        mr_json_count(json, field_name(option, "_lines", name), pages->lines);
        mr_json_count(json, field_name(option, "_vertices", name), pages->n_entries);
        mr_json_count(json, field_name(option, "_duplicates", name), pages->duplicates);
        mr_json_count(json, field_name(option, "_unknown", name), pages->unknown);
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

    if (is_figure(kind_of(run), field_name(row->name, "", name))) {
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
    } else if (row->type == MR_RANK_PAGES) {
        describe_pages(run, i, json);
    }
}

static void describe(const struct mr_run *run, struct mr_json *json)
{
    const struct mr_ranking_kind *kind = kind_of(run);
    const struct kind_run *own = run->data;
    struct mr_named_value value;

    mr_json_text(json, "algorithm", kind->name);
    if (kind->takes_weights) {
        mr_json_flag(json, "weights", run->flags->weights);
    }
    for (size_t i = 0; kind->options[i].name != NULL; i++) {
        describe_option(run, i, json);
    }
    for (const struct mr_rank_figure *row = kind->figures; row->name != NULL; row++) {
        mr_ranking_value(own->ranking, row, &value);
        mr_meta_figure(json, row, &value);
    }
}

static enum mr_status end(struct mr_run *run, enum mr_status status, struct mr_error *err)
{
    struct kind_run *own = run->data;

    (void)err;
    for (size_t i = 0; i < MOST_OPTIONS; i++) {
        mr_vertex_weights_free(&own->pages[i]);
    }
    mr_ranking_free(own->ranking);
    return status;
}

static const struct mr_ranker ranker = {.data_bytes = sizeof(struct kind_run),
                                        .check = check,
                                        .estimate = estimate,
                                        .passes = passes,
                                        .prepare = prepare,
                                        .rank = rank,
                                        .report = report,
                                        .describe = describe,
                                        .end = end};

/* Lists of pages have a row each, the other options one row together. */
static void print_option_fields(const struct mr_ranking_kind *kind, FILE *out)
{
    const char *between = "| ";
    char name[NAME_BYTES];

    for (const struct mr_rank_option *row = kind->options; row->name != NULL; row++) {
        (void)field_name(row->name, "", name);
        if (row->type != MR_RANK_PAGES && !is_figure(kind, name)) {
            (void)fprintf(out, "%s`%s`", between, name);
            between = ", ";
        }
    }
    (void)fputs(*between == ',' ? " | the options of the same names |\n" : "", out);
    for (const struct mr_rank_option *row = kind->options; row->name != NULL; row++) {
        if (row->type == MR_RANK_PAGES) {
            (void)field_name(row->name, "", name);
            (void)fprintf(out,
                          "| `%s`, `%s_lines`, `%s_vertices`, `%s_duplicates`, `%s_unknown` | "
                          "files of `--%s`; their lines, pages, repeated names, names that the "
                          "graph lacks |\n",
                          name, name, name, name, name, row->name);
        }
    }
}

void mr_kind_print_fields(FILE *out)
{
    const struct mr_ranking_kind *kind;

    (void)fputs("<!-- $ millrace help --fields -->\n", out);
    for (size_t i = 0; (kind = mr_ranking_kind_at(i)) != NULL; i++) {
        /* The figures of passes, from "io" to "wait_seconds", are the part "reading". */
        const bool has_passes = is_figure(kind, "wait_seconds");
        bool is_of_passes = false;

        (void)fprintf(out,
                      "%s## `%s`\n\nWith the parts: store, %srun, best pages.\n\n| field | "
                      "meaning |\n|---|---|\n| `algorithm` | `%s` |\n",
                      i > 0 ? "\n" : "", kind->name, has_passes ? "reading, " : "", kind->name);
        print_option_fields(kind, out);
        for (const struct mr_rank_figure *row = kind->figures; row->name != NULL; row++) {
            is_of_passes = is_of_passes || (has_passes && strcmp(row->name, "io") == 0);
            if (!is_of_passes) {
                (void)fprintf(out, "| `%s` | %s |\n", row->name, row->help);
            }
            is_of_passes = is_of_passes && strcmp(row->name, "wait_seconds") != 0;
        }
        (void)fputs("| `seconds` | time of the ranking |\n| ", out);
        for (unsigned c = 0;
             kind->columns[c] != NULL && (c == 0 || c < kind->n_written || kind->n_written == 0);
             c++) {
            (void)fprintf(out, "%s`top[].%s`", c > 0 ? ", " : "", kind->columns[c]);
        }
        (void)fputs(" | scores of the page |\n", out);
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
                               .excludes = {{.names = row->excludes}},
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
    } else {
        option.type = MR_OPTION_TEXTS;
        option.file = MR_FILE_READ;
    }
    return option;
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
        has_pages |= kind->options[n].type == MR_RANK_PAGES;
    }
    if (has_pages) {
        of->options[n++] = unknown;
    }
    if (kind->columns[1] != NULL) {
        of->options[n++] = columns;
    }
}

/* "... Lines are NAME, hub, authority." */
static void make_text(const struct mr_ranking_kind *kind, struct made *of)
{
    size_t used = (size_t)snprintf(of->text, sizeof of->text, "%s Lines are NAME", kind->text);
    const unsigned n_written = kind->n_written > 0 ? kind->n_written : MR_RANKING_MAX_COLUMNS;
    unsigned i = 0;

    for (; kind->columns[i] != NULL && i < n_written && used < sizeof of->text; i++) {
        used += (size_t)snprintf(of->text + used, sizeof of->text - used, ", %s", kind->columns[i]);
    }
    if (kind->columns[i] != NULL && used < sizeof of->text) {
        used += (size_t)snprintf(of->text + used, sizeof of->text - used,
                                 "; --score-columns also writes");
    }
    for (const char *comma = ""; kind->columns[i] != NULL && used < sizeof of->text;
         i++, comma = ",") {
        used += (size_t)snprintf(of->text + used, sizeof of->text - used, "%s %s", comma,
                                 kind->columns[i]);
    }
    assert(used < sizeof of->text - 1);
    (void)snprintf(of->text + used, sizeof of->text - used, ".");
}

static void make(const struct mr_ranking_kind *kind, struct made *of)
{
    struct mr_command *command = &of->command;
    size_t n = 0;

    of->defaults.ranking = (struct mr_ranking_flags)MR_RANKING_DEFAULTS;
    make_options(kind, of);
    make_text(kind, of);
    (void)snprintf(of->usage, sizeof of->usage, "%s STORE|INPUT... [-o FILE] [OPTIONS]",
                   kind->name);
    *command = (struct mr_command){
        .name = kind->name,
        .summary = kind->summary,
        .usage = of->usage,
        .text = of->text,
        .examples = kind->examples,
        .defaults = &of->defaults,
        .flags_bytes = sizeof of->defaults,
        .min_operands = 1,
        .max_operands = SIZE_MAX,
        .operands = "a store or an input file (- for standard input)",
        .list_files = mr_ranker_list_files,
        .ranker = &ranker,
        .kind = kind,
        .run = mr_ranker_run,
    };
    command->groups[n++] = (struct mr_option_group){.title = "Ranking", .options = of->options};
    command->groups[n++] = kind->takes_weights
                               ? (struct mr_option_group)MR_LINKS_GROUP(MR_ALL_LINKS)
                               : (struct mr_option_group)MR_LINKS_GROUP(MR_ONLY_LARGEST);
    command->groups[n++] = (struct mr_option_group)MR_OUTPUT_GROUP;
    command->groups[n++] = (struct mr_option_group)MR_IMPORT_GROUP;
    command->groups[n++] = (struct mr_option_group)MR_FETCH_GROUP;
    command->groups[n++] = (struct mr_option_group)MR_COMMON_GROUP;
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
