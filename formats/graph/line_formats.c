/* SPDX-License-Identifier: Apache-2.0 */
/* The formats of one link in each line: "edges" (two numbers), "wel" (GAPBS .wel and similar files:
 * two numbers and a weight) and "urls" (two names). Further columns are ignored. What a comment
 * says about the direction of the links counts. A sink that has a builder of lines reads edges and
 * urls by formats/graph/edge_text.h; where something must stand between the lines and the builder,
 * numbers are read here, several times slower. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "formats/graph/graph_reader.h"
#include "formats/graph/text_reader.h"

struct lines {
    struct mr_text_reader reader;
    bool has_weights;
};

/* ---- Direction ---- */

/* The word of a comment that says what its lines are; NULL: none. KONECT's is the first word, and
 * with other words it may be part of a sentence. */
static const char *direction_in(const char *at, const char *end)
{
    static const char *const words[] = {"undirected", "directed", "sym", "asym", "bip"};
    enum { N_WORDS = sizeof words / sizeof words[0], OF_SENTENCES = 2 };
    const char *found = NULL;
    const bool is_konect = *at == '%';

    for (unsigned n = 0; at < end; n++) {
        while (at < end && strchr("%# \t,;:.()=\"'", *at) != NULL) {
            at++;
        }
        const char *word = at;
        while (at < end && strchr("%# \t,;:.()=\"'", *at) == NULL) {
            at++;
        }
        const unsigned n_words = is_konect && n == 0 ? N_WORDS : OF_SENTENCES;
        for (unsigned i = 0; i < n_words; i++) {
            if (strlen(words[i]) == (size_t)(at - word) &&
                strncasecmp(word, words[i], strlen(words[i])) == 0) {
                if (found != NULL && found != words[i]) {
                    return NULL; /* "directed" beside "undirected" says nothing */
                }
                found = words[i];
            }
        }
    }
    return found;
}

enum mr_status mr_graph_direction(const struct mr_graph_request *request,
                                  struct mr_graph_head *head, struct mr_error *err)
{
    const char *data = NULL, *word = NULL;
    size_t bytes = 0;
    enum mr_status status = MR_OK;

    if (request->directed) {
        return MR_OK;
    }
    status = mr_input_peek(request->input, &data, &bytes, err);
    for (const char *at = data, *end = data + bytes; status == MR_OK && at < end && word == NULL;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop != NULL ? stop : end;
        /* In lines of names a blank stands behind the mark of a comment. */
        const bool is_comment =
            (*at == '#' || *at == '%') &&
            (head->ids != MR_IDS_TEXT || stop - at < 2 || at[1] == ' ' || at[1] == '\t');
        word = is_comment ? direction_in(at, stop) : NULL;
        at = stop < end ? stop + 1 : end;
    }
    if (word != NULL && strcmp(word, "bip") == 0) {
        const char *name = mr_input_name(request->input);
        return mr_error_file(err, MR_ERROR_INPUT, name, 0,
                             "%% bip says that the two columns number different things, each from "
                             "1; name the sides: awk '!/^%%/ {print \"left/\" $1, \"right/\" $2}' "
                             "%s | millrace build -o STORE -; --directed takes equal numbers for "
                             "one page",
                             name);
    }
    head->both_ways =
        word != NULL && (strcmp(word, "undirected") == 0 || strcmp(word, "sym") == 0) ? word : NULL;
    return status;
}

/* ---- Lines ---- */

static enum mr_status open_lines(const struct mr_graph_request *request, struct mr_graph_head *head,
                                 enum mr_id_kind ids, bool has_weights, void **out,
                                 struct mr_error *err)
{
    enum mr_status status = mr_text_reader_open(request, sizeof(struct lines), out, err);

    if (status == MR_OK) {
        mr_tokens_separate_by(((struct mr_text_reader *)*out)->tokens, ',');
        ((struct lines *)*out)->has_weights = has_weights;
        *head = (struct mr_graph_head){.ids = ids, .weighted = has_weights};
        status = mr_graph_direction(request, head, err);
    }
    if (status != MR_OK) {
        mr_text_reader_close(*out);
        *out = NULL;
    }
    return status;
}

static enum mr_status open_wel(const struct mr_graph_request *request, struct mr_graph_head *head,
                               void **out, struct mr_error *err)
{
    return open_lines(request, head, MR_IDS_SPARSE, true, out, err);
}

static enum mr_status open_numbers(const struct mr_graph_request *request,
                                   struct mr_graph_head *head, void **out, struct mr_error *err)
{
    return open_lines(request, head, MR_IDS_SPARSE, false, out, err);
}

static enum mr_status open_names(const struct mr_graph_request *request, struct mr_graph_head *head,
                                 void **out, struct mr_error *err)
{
    return open_lines(request, head, MR_IDS_TEXT, false, out, err);
}

static enum mr_status read_line(struct mr_text_reader *reader, const struct mr_token *first,
                                struct mr_error *err)
{
    const bool has_commas = mr_tokens_is_next(reader->tokens, ',');
    uint64_t ids[2] = {0, 0};
    double weight = 1;
    struct mr_token token;

    enum mr_status status =
        mr_text_reader_check(reader, first, "the source", 0, UINT64_MAX - 1, err);
    ids[0] = first->number;
    if (status == MR_OK) {
        status = mr_tokens_next(reader->tokens, &token, err);
    }
    if (status == MR_OK) {
        status = mr_text_reader_check(reader, &token, "the target", 0, UINT64_MAX - 1, err);
        ids[1] = token.number;
    }
    const bool has_weights = ((const struct lines *)reader)->has_weights;
    if (status == MR_OK && has_weights) {
        status = mr_text_reader_weight(reader, &weight, err);
    }
    if (status == MR_OK && has_weights && !has_commas && mr_tokens_is_next(reader->tokens, ',')) {
        status = mr_tokens_error(reader->tokens, NULL, err,
                                 "a comma behind the weight; write fractions with a point");
    }
    if (status == MR_OK) {
        status = mr_tokens_skip_line(reader->tokens, err);
    }
    if (status == MR_OK && reader->request.text->mirrors && ids[0] != ids[1]) {
        status = mr_edge_batch_add(&reader->batch, ids[1], ids[0], weight, err);
    }
    return status == MR_OK ? mr_edge_batch_add(&reader->batch, ids[0], ids[1], weight, err)
                           : status;
}

static enum mr_status read_wel(void *data, const struct mr_graph_sink *sink, struct mr_error *err)
{
    struct mr_text_reader *reader = data;
    struct mr_token token;
    enum mr_status status;

    mr_text_reader_begin(reader, sink, ((const struct lines *)reader)->has_weights);
    while ((status = mr_text_reader_word(reader, &token, err)) == MR_OK &&
           token.kind != MR_TOKEN_END) {
        const bool is_comment = token.text[0] == '#' || token.text[0] == '%';
        status =
            is_comment ? mr_tokens_skip_line(reader->tokens, err) : read_line(reader, &token, err);
        if (status != MR_OK) {
            return status;
        }
    }
    return status == MR_OK ? mr_edge_batch_flush(&reader->batch, err) : status;
}

/* Lines of two columns, by the fast reader where the sink has a builder. */
static enum mr_status read_columns(void *data, const struct mr_graph_sink *sink,
                                   struct mr_error *err)
{
    struct mr_text_reader *reader = data;
    const struct mr_graph_request *request = &reader->request;

    if (sink->lines == NULL) {
        return read_wel(data, sink, err);
    }
    mr_tokens_close(reader->tokens); /* their memory is for the fast reader */
    reader->tokens = NULL;
    return mr_edge_text_read(request->context, request->input, sink->lines, request->text,
                             request->summary, err);
}

/* Plain text of two columns. Detection tries it last. */
static bool detect_edges(const struct mr_graph_probe *probe)
{
    return mr_edge_text_detect(probe->data, probe->bytes, 2) != MR_IDS_TEXT;
}

static bool detect_urls(const struct mr_graph_probe *probe)
{
    return memchr(probe->data, '\0', probe->bytes) == NULL;
}

const struct mr_graph_format mr_format_wel = {.name = "wel",
                                              .title = "lines of two numbers and a weight",
                                              .open = open_wel,
                                              .read = read_wel,
                                              .close = mr_text_reader_close};
const struct mr_graph_format mr_format_edges = {.name = "edges",
                                                .title = "lines of two numbers",
                                                .detect = detect_edges,
                                                .open = open_numbers,
                                                .read = read_columns,
                                                .close = mr_text_reader_close};
const struct mr_graph_format mr_format_urls = {.name = "urls",
                                               .title = "lines of two names",
                                               .detect = detect_urls,
                                               .open = open_names,
                                               .read = read_columns,
                                               .close = mr_text_reader_close};
