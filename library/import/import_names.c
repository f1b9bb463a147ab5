/* SPDX-License-Identifier: Apache-2.0 */
/* Gives the vertices of a numbered graph the names that a file beside it has, for import_files.c:
 * WebGraph's formats, edge lists and the others know only numbers. All names go to the builder
 * first; its numbers of them stand in an array by id. Then a sink between the reader and the
 * builder replaces the ids of every link. So any reader serves, and the store is as one built from
 * names. */
#include "library/import/import_graphs.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/decimal.h"
#include "engine/base/memory.h"
#include "formats/crawl/fetch_log.h"
#include "formats/graph/link_columns.h"
#include "formats/stream/input_paths.h"
#include "formats/stream/name_text.h"
#include "formats/table/table.h"

#define NO_NUMBER UINT32_MAX
/* Takes all of each line for a name. */
#define NUMBERED "awk '{print NR-1 \"\\t\" $0}' FILE | millrace ... --names -"

enum { POLL_NAMES = 65536 };

struct mr_import_names {
    const struct mr_context *context;
    const char *name_of_all; /* of the file or directory */
    struct mr_input_paths paths; /* its files */
    size_t at; /* the one that is read */
    struct mr_input *input;
    struct mr_lines *lines;
    uint64_t n_before; /* lines of the files before it */
    struct form {
        enum { BY_LINE, ID_FIRST, ID_SECOND, ADUANA } kind;
        char separator; /* between id and name: tab , ; | or blank */
        bool has_header; /* the first line has no id */
        bool is_reversed; /* names are hosts, org.example.www */
        const char *problem; /* NULL, or why the lines do not say which form they have */
    } form;
    char name[MR_NAME_MAX_BYTES + 1]; /* without its quotes and codes */
    uint32_t *numbers; /* [n_ids] of the builder, by id; NO_NUMBER: the id has no name */
    uint64_t n_ids, room;
    uint64_t n_names;
};

/* ---- Lines ---- */

static bool is_number(struct mr_span word, uint64_t *number)
{
    const struct mr_table_field field = {.text = word.text, .bytes = word.bytes};
    return word.text != NULL && mr_column_whole(&field, number);
}

/* The two fields of a line. Between blanks the name is all beside the id, which is the first or the
 * last word. */
static bool split(const struct form *form, const char *line, const char *end,
                  struct mr_span words[2])
{
    struct mr_table_row row;
    const char *at = NULL;

    words[0] = words[1] = (struct mr_span){0};
    if (form->separator == '\t') {
        at = memchr(line, '\t', (size_t)(end - line));
        const char *next = at != NULL ? memchr(at + 1, '\t', (size_t)(end - at - 1)) : NULL;
        words[0] = (struct mr_span){line, (size_t)((at != NULL ? at : end) - line)};
        words[1] =
            (struct mr_span){at != NULL ? at + 1 : NULL,
                             at != NULL ? (size_t)((next != NULL ? next : end) - at - 1) : 0};
    } else if (form->separator == ' ') {
        at = form->kind == ID_FIRST ? memchr(line, ' ', (size_t)(end - line))
                                    : memrchr(line, ' ', (size_t)(end - line));
        if (at != NULL) {
            words[0] = (struct mr_span){line, (size_t)(at - line)};
            words[1] = (struct mr_span){at + 1, (size_t)(end - at - 1)};
        }
    } else if (mr_table_split(line, end, form->separator, &row) && row.n_fields > 1) {
        for (int k = 0; k < 2; k++) {
            words[k] = (struct mr_span){row.fields[k].text, row.fields[k].bytes};
        }
    }
    return words[1].text != NULL;
}

/* Does a header call this column the ids? */
static bool names_id(const struct mr_span *word)
{
    const struct mr_table_field field = {.text = word->text, .bytes = word->bytes};
    return word->text != NULL &&
           mr_table_is(&field, " id ids node nodeid vertex vertexid index idx nodeindex number key "
                               "pageid entityid ");
}

bool mr_import_names_may_be_other(const char *line, size_t bytes)
{
    const struct mr_table_field field = {.text = line, .bytes = bytes};
    const bool is_json =
        bytes > 1 && (*line == '{' || *line == '[') && (line[1] == '"' || line[1] == '[');
    return is_json || mr_lines_is_comment(line, bytes) ||
           mr_table_is(&field, " id name names title titles url urls uri page pages host hosts "
                               "hostname domain domains label labels node nodes vertex ");
}

/* How many lines of the look have a number first, or second, if this is their form? */
static unsigned count_ids(const struct form *form, struct mr_table_rows rows, unsigned *n_lines,
                          bool *has_header)
{
    struct mr_span words[2];
    const char *line, *end;
    uint64_t id;
    unsigned n_ids = 0;

    *has_header = false;
    for (*n_lines = 0; mr_table_line(&rows, '\0', &line, &end); ++*n_lines) {
        const bool has_id =
            split(form, line, end, words) && is_number(words[form->kind == ID_SECOND], &id);
        *has_header |= *n_lines == 0 && !has_id && names_id(&words[form->kind == ID_SECOND]);
        n_ids += has_id;
    }
    return n_ids;
}

/* Are the ids 0, 1, 2, ... or 1, 2, 3, ...? Else words may follow a number in a title. */
static bool are_counted(const struct form *form, struct mr_table_rows rows)
{
    struct mr_span words[2];
    const char *line, *end;
    uint64_t id = 0, expected = UINT64_MAX;
    bool are = true, are_words = true;

    while (mr_table_line(&rows, '\0', &line, &end)) {
        are_words &=
            split(form, line, end, words) && memchr(words[form->kind == ID_FIRST].text, ' ',
                                                    words[form->kind == ID_FIRST].bytes) == NULL;
        are &= is_number(words[form->kind == ID_SECOND], &id) &&
               (expected == UINT64_MAX ? id < 2 : id == expected);
        expected = id + 1;
    }
    return are || are_words;
}

static bool are_hosts(const struct form *form, struct mr_table_rows rows)
{
    struct mr_span words[2];
    const char *line, *end;
    unsigned n_lines = 0, n_dots = 0;

    for (; mr_table_line(&rows, '\0', &line, &end); n_lines++) {
        const struct mr_span *name = &words[form->kind == ID_FIRST];
        if (split(form, line, end, words)) {
            if (memchr(name->text, ' ', name->bytes) != NULL ||
                memmem(name->text, name->bytes, "://", 3) != NULL) {
                return false;
            }
            n_dots += memchr(name->text, '.', name->bytes) != NULL;
        }
    }
    return 2 * n_dots > n_lines;
}

/* Is it (ID,NAME), as Spark prints a tuple or a row? */
static bool is_printed(const char *line, const char *end)
{
    const char *at = line + 1;
    uint64_t id;

    return end - line > 3 &&
           ((*line == '(' && end[-1] == ')') || (*line == '[' && end[-1] == ']')) &&
           mr_decimal_parse(&at, end, &id) == MR_DECIMAL_OK && *at == ',';
}

/* The first lines decide about the form of the file. What this program writes has no separator and
 * no number beside a blank in its first line, and is a name a line. */
static void look(struct form *form, const char *data, size_t bytes)
{
    struct mr_table_rows rows = mr_table_begin_rows(data, bytes), first = rows;
    const char *line = data, *end = data;
    unsigned n_lines;
    bool has_header;

    rows.by_line = first.by_line = true;
    *form = (struct form){.kind = BY_LINE};
    if (mr_fetch_log_look(data, bytes) == MR_FETCH_LOG_ADUANA) { /* HASH NUMBER URL ... */
        form->kind = ADUANA;
        return;
    }
    if (memchr(data, '\0', bytes) != NULL) {
        form->problem = "has bytes that are no text; names are lines of text";
        return;
    }
    (void)mr_table_line(&first, '\0', &line, &end);
    if (is_printed(line, end)) {
        form->problem = "has rows in brackets, as Spark prints them; sed -E 's/^[[(]//; s/[])]$//' "
                        "FILE | millrace ... --names -";
        return;
    }
    for (const char *at = "\t,;| "; *at != '\0'; at++) {
        if (memchr(line, *at, (size_t)(end - line)) == NULL) {
            continue;
        }
        for (unsigned kind = ID_FIRST; kind <= ID_SECOND; kind++) {
            struct form tried = {.kind = kind, .separator = *at};
            const unsigned n_ids = count_ids(&tried, rows, &n_lines, &has_header);
            const bool may_be_year = kind == ID_SECOND && !has_header && strchr(",;|", *at) != NULL;
            const bool fits = n_ids > 0 && n_ids + (has_header && *at != ' ') == n_lines;
            if (fits && (*at != ' ' || are_counted(&tried, rows)) && !may_be_year) {
                tried.has_header = has_header;
                tried.is_reversed = kind == ID_FIRST && are_hosts(&tried, rows);
                *form = tried;
                return;
            }
            if (may_be_year ? n_ids == n_lines : 2 * n_ids > n_lines && *at != ' ') {
                form->problem =
                    may_be_year
                        ? "has a number behind each name, its id or a part of it; ids: name the "
                          "columns in a header (name,id); a name a line: " NUMBERED
                        : "has an id and a name in most of its lines, and not in all; names a "
                          "line: " NUMBERED;
                return;
            }
        }
        if (*at == '\t') {
            form->problem = "has tabs and no ids beside them; cut -f 1 FILE takes the first column";
            return;
        }
    }
    if (mr_import_names_may_be_other(line, (size_t)(end - line))) {
        form->problem =
            *line == '{' || *line == '['
                ? "is JSON: jq -r '[.id, .name] | @tsv' FILE | millrace ... --names -, with the "
                  "keys that it has"
                : "begins with a header or a comment, or with the name of page 0: tail -n +2 FILE "
                  "| millrace ... --names - passes over it; if it is a name: " NUMBERED;
    }
}

static enum mr_status begin_file(struct mr_import_names *names, struct mr_error *err)
{
    char text[MR_WAY_OUT_BYTES];
    const char *data;
    size_t bytes;
    enum mr_status status =
        mr_input_open(names->context, names->paths.items[names->at].path, &names->input, err);

    if (status == MR_OK) {
        status = mr_input_peek(names->input, &data, &bytes, err);
    }
    if (status == MR_OK) {
        look(&names->form, data, bytes);
        status = names->form.problem != NULL
                     ? mr_error_file(
                           err, MR_ERROR_INPUT, mr_input_name(names->input), 0, "%s",
                           mr_text_way_out(mr_input_name(names->input), names->form.problem, text))
                     : mr_lines_open(names->context, names->input, &names->lines, err);
    }
    return status;
}

static void end_file(struct mr_import_names *names)
{
    mr_lines_close(names->lines);
    mr_input_close(names->input);
    names->lines = NULL;
    names->input = NULL;
}

enum mr_status mr_import_names_open(const struct mr_context *context, const char *path,
                                    struct mr_import_names **out, struct mr_error *err)
{
    struct mr_import_names *names = calloc(1, sizeof *names);

    *out = names;
    if (names == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for names");
    }
    names->context = context;
    names->name_of_all = mr_input_path_name(path);
    const enum mr_status status = mr_input_paths_find(&path, 1, false, &names->paths, err);
    return status == MR_OK ? begin_file(names, err) : status;
}

void mr_import_names_close(struct mr_import_names *names)
{
    if (names != NULL) {
        end_file(names);
        mr_input_paths_free(&names->paths);
        mr_memory_free(names->context->memory, names->numbers);
        free(names);
    }
}

bool mr_import_names_are_reversed(const struct mr_import_names *names)
{
    return names->form.is_reversed;
}

static enum mr_status bad(const struct mr_import_names *names, const char *line, size_t bytes,
                          const char *reason, struct mr_error *err)
{
    char quote[MR_LINES_QUOTE_BYTES];
    return mr_error_line(err, MR_ERROR_INPUT, mr_input_name(names->input),
                         mr_lines_number(names->lines), "%s: %s",
                         mr_lines_quote(line, bytes, quote), reason);
}

/* Takes the id and the name of a line. Returns NULL, or what is wrong. */
static const char *take_words(struct mr_import_names *names, const char *line, size_t bytes,
                              uint64_t *id, struct mr_span *name)
{
    const struct form *form = &names->form;
    const char *at = line, *const end = line + bytes;
    struct mr_span words[3] = {{0}};

    *id = names->n_before + mr_lines_number(names->lines) - 1;
    *name = (struct mr_span){line, bytes};
    if (form->kind == ADUANA) {
        for (int i = 0; i < 3; i++) {
            words[i].text = mr_lines_field(&at, end, &words[i].bytes);
        }
        *name = words[2];
        return is_number(words[1], id) && name->text != NULL
                   ? NULL
                   : "no hash, index and URL; page_db_dump info of this version does not say which "
                     "page has which index";
    }
    if (form->kind != BY_LINE) {
        if (!split(form, line, end, words) || !is_number(words[form->kind == ID_SECOND], id)) {
            return form->kind == ID_FIRST ? "no id and name, as the first line has"
                                          : "no name and id, as the first line has";
        }
        *name = words[form->kind == ID_FIRST];
    }
    return name->bytes == 0 ? "no name; every vertex needs one" : NULL;
}

/* The name without quotes and codes, in names->name. */
static struct mr_span plain_name(struct mr_import_names *names, const char *line, size_t bytes,
                                 struct mr_span name)
{
    struct mr_table_row row;

    if (strchr(",;|", names->form.separator) != NULL && names->form.separator != '\0' &&
        mr_table_split(line, line + bytes, names->form.separator, &row)) {
        name.text =
            mr_table_text(&row.fields[names->form.kind == ID_FIRST], names->name, &name.bytes);
    }
    if (memchr(name.text, '\\', name.bytes) != NULL) {
        name.bytes = mr_name_unescape(name.text, name.bytes, names->name);
        name.text = names->name;
    }
    return name;
}

static enum mr_status take_line(struct mr_import_names *names, struct mr_build *build,
                                const char *line, size_t bytes, struct mr_error *err)
{
    struct mr_span name;
    uint64_t id, number;
    const char *reason = take_words(names, line, bytes, &id, &name);

    if (reason != NULL) {
        return bad(names, line, bytes, reason, err);
    }
    if (name.bytes > MR_NAME_MAX_BYTES) {
        return bad(names, line, bytes, "the name is too long", err);
    }
    if (id >= NO_NUMBER) {
        return bad(names, line, bytes, "the id is above 4294967294", err);
    }
    name = plain_name(names, line, bytes, name);
    enum mr_status status = mr_memory_grow(names->context->memory, "numbers of names", id + 1,
                                           &names->numbers, &names->room, err);
    for (; status == MR_OK && names->n_ids <= id; names->n_ids++) {
        names->numbers[names->n_ids] = NO_NUMBER;
    }
    if (status == MR_OK) {
        status = mr_build_name(build, name.text, name.bytes, &number, err);
    }
    if (status == MR_OK && names->numbers[id] != NO_NUMBER) {
        return number == names->numbers[id]
                   ? MR_OK
                   : bad(names, line, bytes, "the id came before; it can have one name only", err);
    }
    if (status == MR_OK && number >= NO_NUMBER) {
        return bad(names, line, bytes, "the store that links are added to lacks this page", err);
    }
    if (status == MR_OK) {
        names->numbers[id] = (uint32_t)number;
        names->n_names++;
    }
    return status;
}

/* Refuses two ids with one name. */
static enum mr_status refuse_twins(const struct mr_import_names *names, struct mr_error *err)
{
    const uint32_t *numbers = names->numbers;
    uint32_t *ids = NULL, most = 0;
    uint64_t first = 0, twin = 0;

    for (uint64_t id = 0; id < names->n_ids; id++) {
        most = numbers[id] != NO_NUMBER && numbers[id] > most ? numbers[id] : most;
    }
    const enum mr_status status =
        mr_memory_array(names->context->memory, "numbers of names", (uint64_t)most + 1, &ids, err);
    for (uint64_t id = names->n_ids; status == MR_OK && id-- > 0;) {
        if (numbers[id] != NO_NUMBER && ids[numbers[id]] != 0) {
            first = id;
            twin = ids[numbers[id]];
        }
        if (numbers[id] != NO_NUMBER) {
            ids[numbers[id]] = (uint32_t)id;
        }
    }
    mr_memory_free(names->context->memory, ids);
    return status == MR_OK && twin > 0
               ? mr_error_file(
                     err, MR_ERROR_INPUT, names->name_of_all, 0,
                     "has one name for the ids %llu and %llu; --bad-lines skip makes such "
                     "pages one",
                     (unsigned long long)first, (unsigned long long)twin)
               : status;
}

enum mr_status mr_import_names_read(struct mr_import_names *names, struct mr_build *build,
                                    uint64_t n_vertices, bool may_merge, struct mr_error *err)
{
    const char *line;
    size_t bytes;
    enum mr_status status = MR_OK;

    while (status == MR_OK) {
        if (names->n_names % POLL_NAMES == 0) {
            status = mr_context_poll(names->context, err);
        }
        if (status == MR_OK) {
            status = mr_lines_next(names->lines, &line, &bytes, err);
        }
        if (status == MR_OK && line == NULL && names->at + 1 < names->paths.n) {
            names->n_before += mr_lines_number(names->lines);
            end_file(names);
            names->at++;
            status = begin_file(names, err);
            continue;
        }
        if (status != MR_OK || line == NULL) {
            break;
        }
        if (!names->form.has_header || mr_lines_number(names->lines) > 1) {
            status = take_line(names, build, line, bytes, err);
        }
    }
    if (status == MR_OK && n_vertices > 0 &&
        (names->n_names != n_vertices || names->n_ids != n_vertices)) {
        return mr_error_file(err, MR_ERROR_INPUT, names->name_of_all, 0,
                             "has %llu names up to id %llu, and the graph has %llu pages; it is of "
                             "another graph",
                             (unsigned long long)names->n_names, (unsigned long long)names->n_ids,
                             (unsigned long long)n_vertices);
    }
    return status == MR_OK && !may_merge ? refuse_twins(names, err) : status;
}

/* ---- Links ---- */

static enum mr_status rename_ends(const struct mr_named_sink *sink, struct mr_edge *edges,
                                  size_t n_edges, struct mr_error *err)
{
    const struct mr_import_names *names = sink->names;

    for (size_t i = 0; i < n_edges; i++) {
        uint64_t *const ends[2] = {&edges[i].source, &edges[i].target};
        for (int k = 0; k < 2; k++) {
            const uint64_t id = *ends[k];
            if (id >= names->n_ids || names->numbers[id] == NO_NUMBER) {
                return mr_error_file(err, MR_ERROR_INPUT, sink->input, 0,
                                     "vertex %llu has no name in %s", (unsigned long long)id,
                                     names->name_of_all);
            }
            *ends[k] = names->numbers[id];
        }
    }
    return MR_OK;
}

static enum mr_status take_edges(void *data, struct mr_edge *edges, const float *weights,
                                 size_t n_edges, struct mr_error *err)
{
    const struct mr_named_sink *sink = data;
    const enum mr_status status = rename_ends(sink, edges, n_edges, err);
    return status == MR_OK ? sink->inner->edges(sink->inner->data, edges, weights, n_edges, err)
                           : status;
}

static enum mr_status take_edges_by(void *data, unsigned worker, struct mr_edge *edges,
                                    size_t n_edges, uint64_t first, struct mr_error *err)
{
    const struct mr_named_sink *sink = data;
    const enum mr_status status = rename_ends(sink, edges, n_edges, err);
    return status == MR_OK
               ? sink->inner->edges_by(sink->inner->data, worker, edges, n_edges, first, err)
               : status;
}

/* The pages of a format with names are numbers here, which the edges then have. */
static enum mr_status take_name(void *data, const char *name, size_t name_bytes, uint64_t *id,
                                struct mr_error *err)
{
    const struct mr_named_sink *sink = data;
    const struct mr_import_names *names = sink->names;
    char quote[MR_LINES_QUOTE_BYTES];

    return is_number((struct mr_span){name, name_bytes}, id) && *id < names->n_ids &&
                   names->numbers[*id] != NO_NUMBER
               ? MR_OK
               : mr_error_file(err, MR_ERROR_INPUT, sink->input, 0, "page %s has no name in %s",
                               mr_lines_quote(name, name_bytes, quote), names->name_of_all);
}

static enum mr_status no_room(void *data, unsigned worker, uint32_t (**pairs)[2], uint32_t *n_edges,
                              struct mr_error *err)
{
    (void)data, (void)worker, (void)n_edges, (void)err;
    *pairs = NULL;
    return MR_OK;
}

struct mr_graph_sink mr_import_names_sink(struct mr_named_sink *sink)
{
    return (struct mr_graph_sink){.data = sink,
                                  .name = take_name,
                                  .edges = take_edges,
                                  .edges_by = take_edges_by,
                                  .room = no_room,
                                  .n_workers = sink->inner->n_workers};
}
