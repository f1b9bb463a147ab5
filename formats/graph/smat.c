/* SPDX-License-Identifier: Apache-2.0 */
/* Reads SMAT, the matrices of Gleich's tools: "ROWS COLUMNS ENTRIES", then ENTRIES lines "ROW
 * COLUMN VALUE", counted from 0. The entry (i, j) is the edge from i to j. The first line looks
 * like an edge with a weight, and a reader of lines takes it for one. Detection therefore uses the
 * lines after it: their ids are below its first two numbers, and there are as many lines as its
 * third number says. */
#include "formats/graph/graph_reader.h"
#include "formats/graph/text_reader.h"

#include <string.h>

#include "engine/base/bytes.h"
#include "formats/stream/decimal.h"
#include "formats/stream/output.h"

struct smat {
    struct mr_text_reader text;
    uint64_t rows, columns, n_edges;
};

/* ---- Is it one? ---- */

/* Reads the words of the line at `*at`, up to three numbers; `*at` moves behind the line. The first
 * two words must be numbers. Returns how many words there are; UINT32_MAX for any other line. */
static unsigned take_row(const char **at, const char *end, uint64_t numbers[3], bool *whole)
{
    unsigned n = 0;
    const char *p = *at;

    *whole = false;
    for (;;) {
        while (p < end && (*p == ' ' || *p == '\t' || *p == '\r')) {
            p++;
        }
        if (p == end || *p == '\n') {
            *at = p < end ? p + 1 : end;
            return n;
        }
        const char *word = p;
        *whole = n < 3 && mr_decimal_parse(&p, end, &numbers[n]) == MR_DECIMAL_OK &&
                 (p == end || strchr(" \t\r\n", *p) != NULL);
        if (!*whole && n != 2) {
            return UINT32_MAX;
        }
        p = word;
        while (p < end && *p != ' ' && *p != '\t' && *p != '\r' && *p != '\n') {
            p++;
        }
        n++;
    }
}

static bool detect(const struct mr_graph_probe *probe)
{
    const char *at = probe->data, *const end = probe->data + probe->bytes;
    const bool is_all = probe->bytes < MR_INPUT_PEEK_BYTES;
    const bool named = mr_output_has_suffix(probe->path, ".smat");
    uint64_t head[3], row[3], n_rows = 0;
    bool whole;

    if (take_row(&at, end, head, &whole) != 3 || !whole || (head[0] != head[1] && !named)) {
        return false;
    }
    const char *const first = at;
    while (at < end) {
        const char *const line = at;
        const unsigned n = take_row(&at, end, row, &whole);
        if (at == end && !is_all) {
            at = line; /* the line may be incomplete */
            break;
        }
        if (n != 0 && (n != 3 || row[0] >= head[0] || row[1] >= head[1])) {
            return false;
        }
        n_rows += n == 3;
    }
    if (named || n_rows == 0) {
        return named;
    }
    if (is_all || probe->file_bytes == 0) {
        return is_all ? n_rows == head[2] : n_rows < head[2];
    }
    /* In a longer file: about as many entries as its size suggests. */
    const double guess = (double)probe->file_bytes / (double)(at - first) * (double)n_rows;
    return (double)head[2] > guess / 2 && (double)head[2] < guess * 2;
}

/* ---- Reading ---- */

static enum mr_status open_smat(const struct mr_graph_request *request, struct mr_graph_head *head,
                                void **out, struct mr_error *err)
{
    void *data = NULL;
    enum mr_status status = mr_text_reader_open(request, sizeof(struct smat), &data, err);
    struct smat *reader = data;

    *out = NULL;
    if (status == MR_OK) {
        status = mr_text_reader_number(&reader->text, "the number of rows", UINT64_MAX - 1,
                                       &reader->rows, err);
    }
    if (status == MR_OK) {
        status = mr_text_reader_number(&reader->text, "the number of columns", UINT64_MAX - 1,
                                       &reader->columns, err);
    }
    if (status == MR_OK) {
        status = mr_text_reader_number(&reader->text, "the number of entries", UINT64_MAX,
                                       &reader->n_edges, err);
    }
    if (status == MR_OK) {
        status = mr_text_reader_room(&reader->text, "entries", reader->n_edges, err);
    }
    if (status != MR_OK) {
        mr_text_reader_close(reader);
        return status;
    }
    *head = (struct mr_graph_head){.ids = MR_IDS_DENSE,
                                   .n_vertices = mr_max_u64(reader->rows, reader->columns),
                                   .n_edges = reader->n_edges,
                                   .weighted = true};
    *out = reader;
    return MR_OK;
}

static enum mr_status read_entry(struct smat *reader, const struct mr_token *first,
                                 struct mr_error *err)
{
    struct mr_token token;
    double weight = 1;

    if (reader->rows == 0 || reader->columns == 0) {
        return mr_tokens_error(reader->text.tokens, first, err, "an entry of an empty matrix");
    }
    enum mr_status status =
        mr_text_reader_check(&reader->text, first, "a row", 0, reader->rows - 1, err);
    const uint64_t source = first->number;
    if (status == MR_OK) {
        status = mr_tokens_next(reader->text.tokens, &token, err);
    }
    if (status == MR_OK) {
        status =
            mr_text_reader_check(&reader->text, &token, "a column", 0, reader->columns - 1, err);
    }
    if (status != MR_OK) {
        return status;
    }
    const uint64_t target = token.number;
    status = mr_text_reader_weight(&reader->text, &weight, err);
    return status == MR_OK ? mr_edge_batch_add(&reader->text.batch, source, target, weight, err)
                           : status;
}

static enum mr_status read_smat(void *data, const struct mr_graph_sink *sink, struct mr_error *err)
{
    struct smat *reader = data;
    struct mr_token token;
    uint64_t n = 0;
    enum mr_status status;

    mr_text_reader_begin(&reader->text, sink, true);
    while ((status = mr_text_reader_word(&reader->text, &token, err)) == MR_OK &&
           token.kind != MR_TOKEN_END && n < reader->n_edges) {
        status = read_entry(reader, &token, err);
        if (status != MR_OK) {
            return status;
        }
        n++;
    }
    if (status == MR_OK && token.kind != MR_TOKEN_END) {
        return mr_tokens_error(reader->text.tokens, &token, err,
                               "more than the %llu entries announced",
                               (unsigned long long)reader->n_edges);
    }
    if (status == MR_OK && n < reader->n_edges) {
        return mr_tokens_error(reader->text.tokens, NULL, err,
                               "%llu entries where %llu were announced", (unsigned long long)n,
                               (unsigned long long)reader->n_edges);
    }
    return status == MR_OK ? mr_edge_batch_flush(&reader->text.batch, err) : status;
}

const struct mr_graph_format mr_format_smat = {.name = "smat",
                                               .title = "SMAT",
                                               .detect = detect,
                                               .open = open_smat,
                                               .read = read_smat,
                                               .close = mr_text_reader_close};
