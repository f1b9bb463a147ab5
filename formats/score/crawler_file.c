/* SPDX-License-Identifier: Apache-2.0 */
/* Writes scores and levels in the formats of crawlers. This is the last step of the command
 * `precedence`: formats/score/precedence_file.c reads the names a second time and calls write_row
 * here for each. A cursor over the store gives the spellings as long as the score file has the
 * order of the store, which saves a lookup per page. Of an earlier file (--only-changed) only
 * hashes stay in memory. */
#include "formats/score/crawler_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/count_text.h"
#include "engine/base/hash_set.h"
#include "engine/base/memory.h"
#include "formats/score/scores.h"
#include "formats/stream/double_text.h"
#include "formats/stream/name_text.h"
#include "formats/stream/output.h"
#include "formats/table/lines.h"

#define LINE(gap) .before = "", .between = gap, .after = "\n"

/* By enum mr_crawler_format. */
static const struct mr_crawler_layout layouts[] = {
    [MR_CRAWLER_HERITRIX] = {LINE(" "), .urls = &mr_urls_of_heritrix},
    [MR_CRAWLER_NUTCH] = {LINE("\t"), .has_shares = true, .urls = &mr_urls_of_nutch},
    [MR_CRAWLER_STORMCRAWLER] = {LINE("\t"), .has_shares = true},
    [MR_CRAWLER_FRONTERA] = {LINE("\t"), .has_shares = true, .urls = &mr_urls_of_frontera},
    [MR_CRAWLER_SCRAPY] = {LINE("\t"), .urls = &mr_urls_of_scrapy},
    [MR_CRAWLER_COMMONCRAWL] = {LINE("\t"), .head = "#pr_pos\t#pr_val\t#host_rev\n",
                                .value_first = true, .has_ranks = true, .takes_keys = true},
    [MR_CRAWLER_FRONTERA_HBASE] = {LINE("\t"), .has_shares = true, .urls = &mr_urls_of_scrapy},
    [MR_CRAWLER_URLFRONTIER] = {.before = "{\"known\":{\"info\":{\"url\":\"",
                                .between = "\"},\"refetchableFromDate\":\"",
                                .after = "\"}}\n",
                                .is_json = true,
                                .has_ranks = true},
    [MR_CRAWLER_NUTCH_NODES] = {.is_binary = true, .has_shares = true},
};

const struct mr_crawler_layout *mr_crawler_layout_of(enum mr_crawler_format format)
{
    return &layouts[format];
}

struct writer {
    const struct mr_context *context;
    const struct mr_crawler_layout *layout;
    const struct mr_crawler_rows *rows;
    const struct mr_precedence_options *options;
    const uint8_t *levels; /* [rows->n] */
    const uint32_t *ranks; /* [rows->n], or NULL */
    struct mr_precedence_figures *figures;
    struct mr_output *output;
    struct mr_row_writer table; /* in place of `output`, of a .csv and the like */
    double sum, best; /* of the scores */
    /* over rows->names; NULL from the first row on that is not in its order */
    struct mr_name_cursor *cursor;
    struct mr_hash_set old; /* names of the old file */
    uint32_t *old_values; /* [old.n] of [n_old_values], hashes */
    uint64_t n_old_values;
    char *escaped; /* [3 * MR_NAME_MAX_BYTES] */
    uint64_t n_changed; /* lines whose name the crawler changes */
    char changed[MR_LINES_QUOTE_BYTES]; /* the first one */
    size_t since_sync; /* nutch-nodes: bytes since the last mark */
};

/* ---- The old file ---- */

/* Adds a line. The last line of a name counts. `*is_line` is false for a line that has no name and
 * no value. */
static enum mr_status add_old(struct writer *writer, const char *line, size_t bytes, bool *is_line,
                              struct mr_error *err)
{
    const struct mr_crawler_layout *layout = writer->layout;
    const size_t before = strlen(layout->before), gap = strlen(layout->between);
    const size_t after = strlen(layout->after) - 1; /* without the end of the line */
    const bool is_framed = bytes >= before + after && memcmp(line, layout->before, before) == 0;
    const char *first = line + before, *const end = line + bytes - after;
    const char *const stop = !is_framed ? NULL
                             : layout->value_first
                                 ? memrchr(first, *layout->between, (size_t)(end - first))
                                 : memmem(first, (size_t)(end - first), layout->between, gap);
    uint32_t number = 0;

    *is_line = stop != NULL && stop > first && stop + gap < end;
    if (!*is_line) {
        return MR_OK;
    }
    const char *second = stop + gap;
    const size_t first_bytes = (size_t)(stop - first), second_bytes = (size_t)(end - second);
    const char *name = layout->value_first ? second : first;
    const char *value = layout->value_first ? first : second;
    enum mr_status status = mr_hash_set_add(
        &writer->old, XXH3_128bits(name, layout->value_first ? second_bytes : first_bytes), &number,
        err);
    if (status == MR_OK) {
        status = mr_memory_grow(writer->context->memory, writer->old.name, writer->old.n,
                                &writer->old_values, &writer->n_old_values, err);
    }
    if (status == MR_OK) {
        writer->old_values[number] =
            (uint32_t)XXH3_64bits(value, layout->value_first ? first_bytes : second_bytes);
    }
    return status;
}

static enum mr_status read_old(struct writer *writer, struct mr_error *err)
{
    const char *path = writer->options->only_changed, *line;
    struct mr_input *input = NULL;
    struct mr_lines *lines = NULL;
    size_t bytes;
    enum mr_status status = mr_input_open(writer->context, path, &input, err);

    if (status == MR_OK) {
        status = mr_lines_open(writer->context, input, &lines, err);
    }
    while (status == MR_OK) {
        status = mr_lines_next(lines, &line, &bytes, err);
        if (status != MR_OK || line == NULL) {
            break;
        }
        if (writer->layout->head != NULL && bytes > 0 && line[0] == '#') {
            continue;
        }
        bool is_line = false;
        status = add_old(writer, line, bytes, &is_line, err);
        if (status == MR_OK && !is_line) {
            status = mr_error_line(err, MR_ERROR_INPUT, path, mr_lines_number(lines),
                                   "is no line of this format; --only-changed takes what an "
                                   "earlier run wrote for the same --crawler");
        }
    }
    mr_lines_close(lines);
    mr_input_close(input);
    return status;
}

/* ---- Lines ---- */

/* The score in units of that of the average page. */
static double relative_score(const struct writer *writer, uint64_t row)
{
    return writer->sum > 0.0 ? writer->rows->scores[row] * ((double)writer->rows->n / writer->sum)
                             : 0.0;
}

/* The text beside the name: score, level or both. Returns its length, as snprintf does. */
static int print_value(const struct writer *writer, uint64_t row, char *value, size_t room)
{
    const struct mr_precedence_options *options = writer->options;
    const double score = writer->rows->scores[row];
    const double relative = relative_score(writer, row);
    const double share = writer->best > 0.0 ? score / writer->best : 0.0;
    char text[MR_DOUBLE_TEXT_BYTES];

    switch (options->format) {
    case MR_CRAWLER_NUTCH: /* reads a float, and takes 1 for "no score given" */
        return snprintf(value, room, "nutch.score=%.9g",
                        (float)relative == 1.0f ? (double)nextafterf(1.0f, 2.0f) : relative);
    case MR_CRAWLER_STORMCRAWLER:
        return snprintf(value, room, "score=%.9g\tlevel=%u", relative, writer->levels[row]);
    case MR_CRAWLER_FRONTERA:
        return snprintf(value, room, "%.*s", (int)mr_double_shortest(1.0 - share, text), text);
    case MR_CRAWLER_FRONTERA_HBASE:
        return snprintf(value, room, "%.9g", share);
    case MR_CRAWLER_SCRAPY:
        return snprintf(value, room, "%u", options->n_levels - writer->levels[row]);
    case MR_CRAWLER_COMMONCRAWL:
        return snprintf(value, room, "%u\t%.*s", writer->ranks[row],
                        (int)mr_double_shortest(score, text), text);
    case MR_CRAWLER_URLFRONTIER:
        return snprintf(value, room, "%u", writer->ranks[row]);
    default: /* MR_CRAWLER_HERITRIX */
        break;
    }
    return snprintf(value, room, "%u", writer->levels[row]);
}

/* Puts a backslash before quotes and backslashes. A name has room for twice its bytes. */
static size_t escape_json(char *name, size_t bytes)
{
    size_t more = 0;

    for (size_t i = 0; i < bytes; i++) {
        more += name[i] == '"' || name[i] == '\\';
    }
    for (size_t i = bytes, to = bytes + more; i-- > 0 && to > i + 1;) {
        name[--to] = name[i];
        if (name[i] == '"' || name[i] == '\\') {
            name[--to] = '\\';
        }
    }
    return bytes + more;
}

/* ---- A file of nodes ---- */

enum { SYNC_BYTES = 16, SYNC_INTERVAL = 2000 };
static const unsigned char sync_mark[SYNC_BYTES] = "Millrace's nodes";

/* An integer as Java writes it. */
static unsigned char *put_int(unsigned char *at, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8) {
        *at++ = (unsigned char)(value >> shift);
    }
    return at;
}

/* The bytes of a text, as Hadoop's WritableUtils write them. */
static unsigned char *put_length(unsigned char *at, uint32_t bytes)
{
    const int size = bytes < 128 ? 0 : bytes < 1 << 8 ? 1 : bytes < 1 << 16 ? 2 : 3;

    *at++ = (unsigned char)(size == 0 ? (int)bytes : -112 - size);
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
        *at++ = (unsigned char)(bytes >> shift);
    }
    return at;
}

/* The head of a SequenceFile of version 6 of Text and Node, plain, without metadata. */
static enum mr_status write_nodes_head(struct writer *writer, struct mr_error *err)
{
    static const char head[] = "SEQ\6\31org.apache.hadoop.io.Text"
                               "\46org.apache.nutch.scoring.webgraph.Node\0\0\0\0\0";
    const enum mr_status status = mr_output_write(writer->output, head, sizeof head, err);
    return status == MR_OK ? mr_output_write(writer->output, sync_mark, SYNC_BYTES, err) : status;
}

/* A record: the URL, and a Node of the score, whose counts of links and metadata are 0. */
static enum mr_status write_node(struct writer *writer, uint64_t row, size_t bytes,
                                 struct mr_error *err)
{
    enum { VALUE_BYTES = 16, SCORE_AT = 8 };
    unsigned char head[4 + SYNC_BYTES + 4 + 4 + 4], length[4], value[VALUE_BYTES] = {0};
    unsigned char *at = head;
    const size_t length_bytes = (size_t)(put_length(length, (uint32_t)bytes) - length);
    const float score = (float)relative_score(writer, row);
    uint32_t bits;

    memcpy(&bits, &score, sizeof bits);
    (void)put_int(value + SCORE_AT, bits);
    if (writer->since_sync > SYNC_INTERVAL) {
        at = put_int(at, UINT32_MAX);
        memcpy(at, sync_mark, SYNC_BYTES);
        at += SYNC_BYTES;
        writer->since_sync = 0;
    }
    at = put_int(at, (uint32_t)(length_bytes + bytes + VALUE_BYTES));
    at = put_int(at, (uint32_t)(length_bytes + bytes));
    memcpy(at, length, length_bytes);
    at += length_bytes;
    writer->since_sync += (size_t)(at - head) + bytes + VALUE_BYTES;
    enum mr_status status = mr_output_write(writer->output, head, (size_t)(at - head), err);
    if (status == MR_OK) {
        status = mr_output_write(writer->output, writer->escaped, bytes, err);
    }
    return status == MR_OK ? mr_output_write(writer->output, value, VALUE_BYTES, err) : status;
}

/* ---- A name ---- */

static enum mr_status write_texts(struct writer *writer, const char *const *texts,
                                  const size_t *bytes, size_t n, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (size_t i = 0; i < n && status == MR_OK; i++) {
        status = mr_output_write(writer->output, texts[i], bytes[i], err);
    }
    return status;
}

static enum mr_status write_name(struct writer *writer, uint64_t row, const char *name,
                                 size_t name_bytes, struct mr_error *err)
{
    const struct mr_crawler_layout *layout = writer->layout;
    char value[96];

    if (writer->table.output != NULL) {
        const struct mr_cell cells[] = {{.text = name, .bytes = name_bytes},
                                        {.count = writer->levels[row]},
                                        {.real = writer->rows->scores[row]}};
        writer->figures->lines++;
        return mr_row_writer_add(&writer->table, cells, err);
    }
    size_t bytes = mr_name_escape(name, name_bytes, MR_NAME_URI, writer->escaped);

    if (layout->urls != NULL && mr_client_url_changes(layout->urls, writer->escaped, bytes) &&
        writer->n_changed++ == 0) {
        (void)mr_lines_quote(writer->escaped, bytes, writer->changed);
    }
    if (layout->is_binary) {
        writer->figures->lines++;
        return write_node(writer, row, bytes, err);
    }
    bytes = layout->is_json ? escape_json(writer->escaped, bytes) : bytes;
    const size_t value_bytes = (size_t)print_value(writer, row, value, sizeof value);
    const uint32_t before = mr_hash_set_find(&writer->old, XXH3_128bits(writer->escaped, bytes));
    if (before != MR_HASH_SET_NONE &&
        writer->old_values[before] == (uint32_t)XXH3_64bits(value, value_bytes)) {
        writer->figures->unchanged++;
        return MR_OK;
    }
    writer->figures->lines++;
    const bool swaps = layout->value_first;
    const char *const texts[] = {layout->before, swaps ? value : writer->escaped, layout->between,
                                 swaps ? writer->escaped : value, layout->after};
    const size_t sizes[] = {strlen(layout->before), swaps ? value_bytes : bytes,
                            strlen(layout->between), swaps ? bytes : value_bytes,
                            strlen(layout->after)};
    return write_texts(writer, texts, sizes, 5, err);
}

/* ---- Spellings ---- */

/* Finds the spellings of the page in this row. The cursor gives them as long as the rows are in its
 * order, as the rows of a whole ranking are. After the first other row, each page is looked up. */
static enum mr_status find_spellings(struct writer *writer, const char *row, size_t row_bytes,
                                     const char **spellings, size_t *bytes, struct mr_error *err)
{
    struct mr_names *names = writer->rows->names;
    const char *name = NULL;
    size_t name_bytes = 0;
    enum mr_status status = MR_OK;
    uint32_t vertex = 0;
    bool found = false;

    if (writer->cursor != NULL) {
        status = mr_name_cursor_next(writer->cursor, &name, &name_bytes, err);
        if (status != MR_OK) {
            return status;
        }
        if (name != NULL && name_bytes == row_bytes && memcmp(name, row, row_bytes) == 0) {
            *spellings = mr_name_cursor_spellings(writer->cursor, bytes);
            return MR_OK;
        }
        mr_name_cursor_close(writer->cursor);
        writer->cursor = NULL;
    }
    status = mr_names_find(names, row, row_bytes, &vertex, &found, err);
    if (status == MR_OK && !found) {
        return mr_error_set(err, MR_ERROR_INPUT,
                            "%.*s is no page of the store; the scores have to be of its ranking",
                            (int)(row_bytes < 200 ? row_bytes : 200), row);
    }
    if (status == MR_OK) {
        status = mr_names_get(names, vertex, &name, &name_bytes, err);
        *spellings = mr_names_spellings(names, bytes);
    }
    return status;
}

/* Is it like "com,example)/path", a key of the profile surt? Nobody can fetch a key. */
static bool is_surt_key(const char *name, size_t name_bytes)
{
    const char *stop = memchr(name, ')', name_bytes);
    const size_t bytes = stop != NULL ? (size_t)(stop - name) : 0;
    return bytes > 0 && bytes + 1 < name_bytes && stop[1] == '/' &&
           memchr(name, '/', bytes) == NULL && memchr(name, '(', bytes) == NULL;
}

/* A mr_score_row_take. */
static enum mr_status write_row(void *data, uint64_t row, const char *name, size_t name_bytes,
                                struct mr_error *err)
{
    struct writer *writer = data;
    const char *spellings = NULL, *spelling;
    size_t bytes = 0, spelling_bytes;
    enum mr_status status = MR_OK;

    if (!mr_score_is_chosen(writer->rows->chosen, row)) {
        const char *skipped;
        return writer->cursor == NULL ? MR_OK
                                      : mr_name_cursor_next(writer->cursor, &skipped, &bytes, err);
    }
    writer->figures->pages++;
    if (status == MR_OK && writer->rows->names != NULL) {
        status = find_spellings(writer, name, name_bytes, &spellings, &bytes, err);
    }
    if (status == MR_OK && writer->rows->names == NULL && !writer->layout->takes_keys &&
        is_surt_key(name, name_bytes)) {
        status = mr_error_set(err, MR_ERROR_INPUT,
                              "%.*s is a key, no URL that a crawler can fetch; name the store of "
                              "the scores with --spellings STORE",
                              (int)(name_bytes < 200 ? name_bytes : 200), name);
    }
    size_t odd_bytes;
    writer->figures->escaped +=
        writer->table.output == NULL && /* rows of a table have other codes */
        mr_name_find_odd(name, name + name_bytes, MR_NAME_URI, &odd_bytes) != name + name_bytes;
    if (status == MR_OK && bytes == 0) {
        return write_name(writer, row, name, name_bytes, err);
    }
    while (status == MR_OK &&
           (spelling = mr_name_next_spelling(&spellings, &bytes, &spelling_bytes)) != NULL) {
        status = write_name(writer, row, spelling, spelling_bytes, err);
    }
    return status;
}

enum mr_status mr_crawler_check_path(const char *path, const struct mr_precedence_options *options,
                                     struct mr_error *err)
{
    const bool is_table = mr_row_form_of(path) != MR_ROWS_TSV;

    if (is_table && options->format == MR_CRAWLER_HERITRIX && options->only_changed != NULL) {
        return mr_error_file(err, MR_ERROR_USAGE, path, 0,
                             "--only-changed is about lines, and this is a table; name a file of "
                             "lines (.txt)");
    }
    return is_table && options->format == MR_CRAWLER_HERITRIX ? mr_row_form_check(path, false, err)
           : mr_crawler_layout_of(options->format)->is_json   ? MR_OK
                                                            : mr_scores_check_lines_path(path, err);
}

/* Opens the output: of Heritrix's format a table, if the suffix of the path asks for one. */
static enum mr_status open_output(struct writer *writer, const char *path, struct mr_error *err)
{
    static const struct mr_row_column columns[] = {{"name", MR_CELL_NAME, false},
                                                   {"level", MR_CELL_COUNT, false},
                                                   {"score", MR_CELL_REAL, false}};

    if (writer->options->format == MR_CRAWLER_HERITRIX && mr_row_form_of(path) != MR_ROWS_TSV) {
        writer->table = (struct mr_row_writer){.columns = columns,
                                               .n_columns = sizeof columns / sizeof columns[0]};
        return mr_row_writer_open(&writer->table, writer->context, path, writer->options->force,
                                  false, false, err);
    }
    enum mr_status status =
        mr_output_open(writer->context, path, writer->options->force, &writer->output, err);
    if (status == MR_OK && writer->layout->head != NULL) {
        status = mr_output_print(writer->output, err, "%s", writer->layout->head);
    } else if (status == MR_OK && writer->layout->is_binary) {
        status = write_nodes_head(writer, err);
    }
    return status;
}

enum mr_status mr_crawler_write(const struct mr_context *context,
                                const struct mr_crawler_rows *rows,
                                const struct mr_precedence_options *options, const uint8_t *levels,
                                const uint32_t *ranks, const char *path,
                                struct mr_precedence_figures *figures, struct mr_error *err)
{
    struct writer writer = {.context = context,
                            .layout = mr_crawler_layout_of(options->format),
                            .rows = rows,
                            .options = options,
                            .levels = levels,
                            .ranks = ranks,
                            .figures = figures,
                            .old = {.memory = context->memory, .name = "lines of --only-changed"},
                            .escaped = malloc(3 * (size_t)MR_NAME_MAX_BYTES)};
    enum mr_status status = MR_OK;
    char count[32];

    if (writer.escaped == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a name");
    }
    for (uint64_t i = 0; i < rows->n; i++) {
        writer.sum += rows->scores[i];
        writer.best = rows->scores[i] > writer.best ? rows->scores[i] : writer.best;
    }
    if (options->only_changed != NULL) {
        status = read_old(&writer, err);
    }
    if (status == MR_OK && rows->names != NULL) {
        status = mr_name_cursor_open(rows->names, 0, &writer.cursor, err);
    }
    if (status == MR_OK) {
        status = open_output(&writer, path, err);
    }
    if (status == MR_OK) {
        status = mr_score_file_visit(rows->file, write_row, &writer, err);
    }
    if (status == MR_OK && writer.n_changed > 0) {
        mr_context_note(context,
                        "%s spells %s of these names in another way, or refuses them, such as %s; "
                        "their lines may have no effect",
                        writer.layout->urls->name, mr_count_text(writer.n_changed, count),
                        writer.changed);
    }
    mr_name_cursor_close(writer.cursor);
    mr_hash_set_free(&writer.old);
    mr_memory_free(context->memory, writer.old_values);
    free(writer.escaped);
    return writer.table.output != NULL ? mr_row_writer_end(&writer.table, status, err)
                                       : mr_output_end(writer.output, status, err);
}
