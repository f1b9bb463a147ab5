/* SPDX-License-Identifier: Apache-2.0 */
/* Gives the vertices of a numbered graph the names that a file beside it has, for import_files.c:
 * WebGraph's formats, edge lists and the others know only numbers. All names go to the builder
 * first; its numbers of them stand in an array by id. Then a sink between the reader and the
 * builder replaces the ids of every link. So any reader serves, and the store is as one built from
 * names. */
#include "library/import/import_names.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/decimal.h"
#include "engine/base/memory.h"
#include "formats/crawl/fetch_log.h"
#include "formats/table/lines.h"

#define NO_NUMBER UINT32_MAX

enum { POLL_NAMES = 65536 };

struct mr_import_names {
    const struct mr_context *context;
    struct mr_input *input;
    struct mr_lines *lines;
    enum { BY_LINE, ID_FIRST, ID_SECOND, ADUANA } form;
    bool is_reversed;
    uint32_t *numbers; /* [n_ids] of the builder, by id; NO_NUMBER: the id has no name */
    uint64_t n_ids, room;
    uint64_t n_names;
};

/* ---- Lines ---- */

struct word {
    const char *text;
    size_t bytes;
};

static bool is_number(struct word word, uint64_t *number)
{
    return word.text != NULL && mr_decimal_whole(word.text, word.text + word.bytes, number);
}

static void split(const char *line, size_t bytes, struct word words[3])
{
    const char *at = line;
    for (int i = 0; i < 3; i++) {
        words[i] = (struct word){0};
        words[i].text = mr_lines_field(&at, line + bytes, &words[i].bytes);
    }
}

/* The first line decides about the form of the file. */
static void look(struct mr_import_names *names, const char *data, size_t bytes)
{
    struct word words[3];
    uint64_t number;
    const char *end = memchr(data, '\n', bytes);
    size_t length = end != NULL ? (size_t)(end - data) : bytes;

    length -= length > 0 && data[length - 1] == '\r';
    split(data, length, words);
    if (mr_fetch_log_look(data, bytes) == MR_FETCH_LOG_ADUANA) { /* HASH NUMBER URL ... */
        names->form = ADUANA;
    } else if (words[1].text == NULL) {
        names->form = BY_LINE;
    } else if (is_number(words[0], &number)) {
        names->form = ID_FIRST;
        names->is_reversed = memmem(words[1].text, words[1].bytes, "://", 3) == NULL;
    } else {
        names->form = is_number(words[1], &number) ? ID_SECOND : BY_LINE;
    }
}

enum mr_status mr_import_names_open(const struct mr_context *context, const char *path,
                                    struct mr_import_names **out, struct mr_error *err)
{
    struct mr_import_names *names = calloc(1, sizeof *names);
    const char *data;
    size_t bytes;

    *out = names;
    if (names == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for names");
    }
    names->context = context;
    enum mr_status status = mr_input_open(context, path, &names->input, err);
    if (status == MR_OK) {
        status = mr_input_peek(names->input, &data, &bytes, err);
    }
    if (status == MR_OK) {
        look(names, data, bytes);
        status = mr_lines_open(context, names->input, &names->lines, err);
    }
    return status;
}

void mr_import_names_close(struct mr_import_names *names)
{
    if (names != NULL) {
        mr_lines_close(names->lines);
        mr_input_close(names->input);
        mr_memory_free(names->context->memory, names->numbers);
        free(names);
    }
}

bool mr_import_names_are_reversed(const struct mr_import_names *names)
{
    return names->is_reversed;
}

static enum mr_status bad(const struct mr_import_names *names, const char *line, size_t bytes,
                          const char *reason, struct mr_error *err)
{
    char quote[MR_LINES_QUOTE_BYTES];
    return mr_error_line(err, MR_ERROR_INPUT, mr_input_name(names->input),
                         mr_lines_number(names->lines), "%s: %s",
                         mr_lines_quote(line, bytes, quote), reason);
}

static enum mr_status take_line(struct mr_import_names *names, struct mr_build *build,
                                const char *line, size_t bytes, struct mr_error *err)
{
    struct word words[3];
    uint64_t id = mr_lines_number(names->lines) - 1, number;

    split(line, bytes, words);
    const struct word name = words[names->form == ADUANA ? 2 : names->form == ID_FIRST];
    if (names->form != BY_LINE && !is_number(words[names->form == ID_FIRST ? 0 : 1], &id)) {
        return bad(names, line, bytes,
                   names->form == ADUANA     ? "no hash, index and URL; page_db_dump info of this "
                                               "version does not say which page has which index"
                   : names->form == ID_FIRST ? "no id and name, as the first line has"
                                             : "no name and id, as the first line has",
                   err);
    }
    if (name.text == NULL) {
        return bad(names, line, bytes, "no name; every vertex needs one", err);
    }
    if (name.bytes > MR_NAME_MAX_BYTES) {
        return bad(names, line, bytes, "the name is too long", err);
    }
    if (id >= NO_NUMBER) {
        return bad(names, line, bytes, "the id is above 4294967294", err);
    }
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

enum mr_status mr_import_names_read(struct mr_import_names *names, struct mr_build *build,
                                    uint64_t n_vertices, struct mr_error *err)
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
        if (status != MR_OK || line == NULL) {
            break;
        }
        status = take_line(names, build, line, bytes, err);
    }
    if (status == MR_OK && n_vertices > 0 &&
        (names->n_names != n_vertices || names->n_ids != n_vertices)) {
        return mr_error_file(err, MR_ERROR_INPUT, mr_input_name(names->input), 0,
                             "has %llu names up to id %llu, and the graph has %llu pages; it is of "
                             "another graph",
                             (unsigned long long)names->n_names, (unsigned long long)names->n_ids,
                             (unsigned long long)n_vertices);
    }
    return status;
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
                                     mr_input_name(names->input));
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

    return is_number((struct word){name, name_bytes}, id) && *id < names->n_ids &&
                   names->numbers[*id] != NO_NUMBER
               ? MR_OK
               : mr_error_file(err, MR_ERROR_INPUT, sink->input, 0, "page %s has no name in %s",
                               mr_lines_quote(name, name_bytes, quote),
                               mr_input_name(names->input));
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
