/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata of a kind: its options and figures; the fields that they are in docs/json-fields.md. */
#include "cli/ranking/kind_internal.h"

#include <string.h>

#include "cli/program/meta.h"

/* ---- Metadata ---- */

/* "random-seed" becomes "random_seed". */
static const char *field_name(const char *option, const char *more, char text[MR_KIND_NAME_BYTES])
{
    (void)snprintf(text, MR_KIND_NAME_BYTES, "%s%s", option, more);
    for (char *c = text; *c != '\0'; c++) {
        *c = *c == '-' ? '_' : *c;
    }
    return text;
}

static void describe_pages(const struct mr_run *run, size_t i, struct mr_json *json)
{
    const char *option = mr_kind_of(run)->options[i].name;
    const struct mr_kind_run *own = run->data;
    const enum mr_rank_type type = mr_kind_of(run)->options[i].type;
    const bool is_batch = type == MR_RANK_VECTORS;
    const struct mr_vertex_weights *pages = is_batch ? &own->batch.weights : &own->pages[i];
    size_t n = 0;
    const char *const *files = mr_kind_files(run, i, &n);
    char name[MR_KIND_NAME_BYTES];

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
    const char *option = mr_kind_of(run)->options[i].name;
    const struct mr_kind_run *own = run->data;
    char name[MR_KIND_NAME_BYTES];

    mr_json_text(json, field_name(option, "", name), mr_kind_options_of(run)->slots[i].text);
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
    char text[MR_KIND_NAME_BYTES];

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
    const struct mr_rank_option *row = &mr_kind_of(run)->options[i];
    const union mr_kind_slot *slot = &mr_kind_options_of(run)->slots[i];
    char name[MR_KIND_NAME_BYTES];

    if (is_figure(mr_kind_of(run), field_name(row->name, "", name)) ||
        !mr_kind_has(run, row->needs, NULL)) {
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
    } else if (mr_kind_has_files(row)) {
        describe_pages(run, i, json);
    }
}

void mr_kind_describe(const struct mr_run *run, struct mr_json *json)
{
    const struct mr_ranking_kind *kind = mr_kind_of(run);
    const struct mr_kind_run *own = run->data;

    mr_json_text(json, "algorithm", kind->name);
    if (kind->takes_weights) {
        mr_json_flag(json, "weights", run->flags->weights);
    }
    for (size_t i = 0; kind->options[i].name != NULL; i++) {
        describe_option(run, i, json);
    }
    for (const struct mr_rank_figure *row = kind->figures; row->name != NULL; row++) {
        struct mr_named_value value;
        mr_ranking_value(own->ranking, row, &value);
        if (value.name != NULL) {
            mr_meta_figure(json, row, &value);
        }
    }
    if (mr_kind_hooks(run)->describe != NULL) {
        mr_kind_hooks(run)->describe(run, json);
    }
}

/* Files have one row together, and the other options another one. */
static void print_option_fields(const struct mr_ranking_kind *kind, FILE *out)
{
    const char *between = "| ";
    char name[MR_KIND_NAME_BYTES];
    bool any = false;

    for (const struct mr_rank_option *row = kind->options; row->name != NULL; row++) {
        (void)field_name(row->name, "", name);
        if (!mr_kind_has_files(row) && row->type != MR_RANK_FILE && row->type != MR_RANK_REALS &&
            !is_figure(kind, name)) {
            (void)fprintf(out, "%s`%s`", between, name);
            between = ", ";
        }
    }
    (void)fputs(*between == ',' ? " | the options of the same names |\n" : "", out);
    for (const struct mr_rank_option *row = kind->options; row->name != NULL; row++) {
        (void)field_name(row->name, "", name);
        if ((row->type != MR_RANK_REALS && !mr_kind_has_files(row)) || is_figure(kind, name)) {
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
    char name[2 * MR_KIND_NAME_BYTES];

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
    char name[MR_KIND_NAME_BYTES];

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
            (void)fprintf(out, "## Part: %s\n| field | meaning |\n|---|---|\n", row->part);
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

    (void)fprintf(out, "## `%s`\n| with the parts store, ranking, ", kind->name);
    print_parts(i, false, out);
    (void)fprintf(out, "run%s | |\n|---|---|\n", mr_kind_is_of_labels(kind) ? "" : ", best pages");
    print_option_fields(kind, out);
    for (const struct mr_rank_figure *row = kind->figures; row->name != NULL; row++) {
        if (row->part == NULL) {
            print_figure(row, out);
        }
    }
    (void)fputs(mr_kind_front_of(kind) != NULL && mr_kind_front_of(kind)->fields != NULL
                    ? mr_kind_front_of(kind)->fields
                    : "",
                out);
    for (unsigned c = 0; !mr_kind_is_of_labels(kind) && columns[c].name != NULL &&
                         (c == 0 || c < kind->n_written || kind->n_written == 0);
         c++) {
        (void)fprintf(out, "%s`top[].%s`", c > 0 ? ", " : "| ", columns[c].name);
    }
    (void)fputs(mr_kind_is_of_labels(kind) ? "" : " | scores of the page |\n", out);
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
