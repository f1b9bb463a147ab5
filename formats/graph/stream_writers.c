/* SPDX-License-Identifier: Apache-2.0 */
/* Writes formats that are one stream: a header and a record for each edge, for `export` and
 * `convert`.
 *
 *     u32, u64   two little-endian numbers
 *     edges      SNAP: '#' comments, then "source TAB target" with the ids of the input. A file
 *                .el has no comments: GAPBS reads numbers and stops at anything else
 *     mtx        Matrix Market, general: pattern, or with weights integer or real
 *     wel        "source target weight" with the ids of the input
 *     npy        shape (2, E) of int64 in Fortran order: pairs in memory, two rows for NumPy and
 *                PyTorch
 *     urls       lines of two names with a tab between, below a header if the first line might be
 *                taken for one
 *     csv        a table of names, and of weights if there are some
 *     jsonl      objects with two names
 *
 * Four are the files of the "Offline PageRank Analysis Notes" of Heritrix 2.0.0. Numbers are those
 * of the pages with a link to them, from 1:
 *
 *     heritrix-links        links.txt        TARGET SOURCE
 *     heritrix-input-links  input_links.txt  NUMBER<TAB>TARGET<TAB>SOURCE, by target: GenGraph
 *                                            splits at tabs
 *     heritrix-map          map.txt          NUMBER NAME
 *     heritrix-pagerank     pr0.txt          PAGE<TAB>SCORE<TAB>O:TARGET,TARGET,... by source;
 *                                            pages are numbers; names for `pagerank`
 *
 * Formats differ in the header and in the function that writes a pair: see `layouts`. Pairs of
 * numbers share a buffer. `build` reads all but heritrix-map, which its --names reads. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/decimal.h"
#include "formats/graph/graph_output.h"
#include "formats/graph/link_columns.h"
#include "formats/stream/double_text.h"
#include "formats/stream/output.h"

enum { BATCH = 1024, LINE_BYTES = 80, NPY_ALIGN = 64 };

/* Writes a pair to `to`, which has room for LINE_BYTES, and returns the end. `weight` is NULL if
 * there is none. */
struct pairs_writer;
typedef char *(*put_pair)(const struct pairs_writer *writer, const uint32_t pair[2],
                          const float *weight, char *to);

struct text_layout {
    put_pair put; /* NULL: pairs of names */
    enum mr_status (*head)(struct pairs_writer *writer, struct mr_error *err); /* or NULL */
    const char *before, *between, *after; /* the names */
    bool is_table; /* of names */
    bool is_json;
    bool is_turned; /* the target comes first */
    enum mr_name_form form; /* of names */
};

struct pairs_writer {
    struct mr_graph_output graph;
    struct mr_output *output;
    const struct text_layout *layout;
    uint64_t escaped; /* names with bytes that are written as codes */
    bool has_codes; /* of a table: its names have codes, and its header says so */
    bool has_begun; /* of names: a pair was written */
    char bytes[BATCH * LINE_BYTES];
};

static void abandon(void *data)
{
    struct pairs_writer *writer = data;
    if (writer != NULL) {
        mr_output_abandon(writer->output);
        free(writer);
    }
}

static enum mr_status commit(void *data, struct mr_error *err)
{
    struct pairs_writer *writer = data;
    const enum mr_name_form form = writer->layout->form;
    const enum mr_status status = mr_output_commit(writer->output, err);
    if (status == MR_OK && writer->escaped > 0 && form >= MR_NAME_URI) {
        mr_context_note(writer->graph.context,
                        "names with blanks%s or control bytes: %" PRIu64
                        "; these bytes are written as %%NN",
                        form == MR_NAME_URI_ITEM ? ", commas" : "", writer->escaped);
    } else if (status == MR_OK && writer->escaped > 0) {
        mr_context_note(writer->graph.context,
                        writer->has_codes
                            ? "names with codes \\xNN: %" PRIu64
                              "; the header says so, and build reads these codes"
                            : "names with control bytes: %" PRIu64
                              "; these are written as \\xNN, and build reads four characters; --to "
                              "csv keeps them",
                        writer->escaped);
    }
    free(writer);
    return status;
}

/* ---- Headers ---- */

static enum mr_status head_edges(struct pairs_writer *writer, struct mr_error *err)
{
    if (writer->graph.path != NULL && mr_output_has_suffix(writer->graph.path, ".el")) {
        return MR_OK;
    }
    return mr_output_print(writer->output, err,
                           "# Nodes: %" PRIu64 " Edges: %" PRIu64 "\n# FromNodeId\tToNodeId\n",
                           writer->graph.n_vertices, writer->graph.n_edges);
}

static enum mr_status head_mtx(struct pairs_writer *writer, struct mr_error *err)
{
    const struct mr_graph_output *graph = &writer->graph;
    return mr_output_print(writer->output, err,
                           "%%%%MatrixMarket matrix coordinate %s general\n%" PRIu64 " %" PRIu64
                           " %" PRIu64 "\n",
                           !graph->weighted       ? "pattern"
                           : graph->whole_weights ? "integer"
                                                  : "real",
                           graph->n_vertices, graph->n_vertices, graph->n_edges);
}

static enum mr_status head_npy(struct pairs_writer *writer, struct mr_error *err)
{
    char header[2 * NPY_ALIGN] = "\x93NUMPY\x01";

    memset(header + 10, ' ', sizeof header - 10);
    const int length =
        snprintf(header + 10, sizeof header - 10,
                 "{'descr': '<i8', 'fortran_order': True, 'shape': (2, %" PRIu64 "), }",
                 writer->graph.n_edges);
    header[7] = 0;
    mr_put_u16((uint8_t *)header + 8, sizeof header - 10);
    header[10 + length] = ' '; /* over the terminator */
    header[sizeof header - 1] = '\n';
    return mr_output_write(writer->output, header, sizeof header, err);
}

/* What csv_edges.c looks for: (\xNN) says that names have codes. */
static enum mr_status put_header(struct pairs_writer *writer, struct mr_error *err)
{
    const char *codes = writer->has_codes ? " (\\xNN)" : "";
    return mr_output_print(writer->output, err, "source%s%starget%s%s\n", codes,
                           writer->layout->between, codes, writer->graph.weighted ? ",weight" : "");
}

/* Is it a number that a table of numbers would read as another name, such as 1.0 and 007? */
static bool is_other_number(const char *name, size_t bytes)
{
    const struct mr_table_field field = {.text = name, .bytes = bytes};
    uint64_t number;

    return mr_column_whole(&field, &number) &&
           (mr_column_whole_bytes(&field) < bytes || (bytes > 1 && *name == '0'));
}

/* Has any name bytes that need codes? Fields of CSV have quotes for the begin of a name. */
static enum mr_status find_codes(struct pairs_writer *writer, struct mr_error *err)
{
    const struct mr_graph_output *graph = &writer->graph;
    enum mr_status status = MR_OK;
    const char *name;
    size_t bytes, odd;

    for (uint64_t v = 0; status == MR_OK && v < graph->n_vertices && !writer->has_codes; v++) {
        status = graph->name(graph->data, (uint32_t)v, &name, &bytes, err);
        if (status == MR_OK) {
            const char *const end = name + bytes;
            writer->has_codes =
                is_other_number(name, bytes) ||
                end != (writer->layout->head != NULL
                            ? mr_name_find_odd_inside(name, end, writer->layout->form, &odd)
                            : mr_name_find_odd(name, end, writer->layout->form, &odd));
        }
    }
    return status;
}

/* ---- Pairs of numbers ---- */

static char *put_weight(char *to, float weight)
{
    return to + mr_single_shortest(weight, to);
}

static char *put_u32(const struct pairs_writer *writer, const uint32_t pair[2], const float *weight,
                     char *to)
{
    (void)writer, (void)weight;
    mr_put_u32((uint8_t *)to, pair[0]);
    mr_put_u32((uint8_t *)to + 4, pair[1]);
    return to + 8;
}

static char *put_u64(const struct pairs_writer *writer, const uint32_t pair[2], const float *weight,
                     char *to)
{
    (void)writer, (void)weight;
    mr_put_u64((uint8_t *)to, pair[0]);
    mr_put_u64((uint8_t *)to + 8, pair[1]);
    return to + 16;
}

/* A line with the ids of the input. */
static char *put_edge(const struct pairs_writer *writer, const uint32_t pair[2],
                      const float *weight, char *to)
{
    const uint64_t *numbers = writer->graph.numbers;

    to = mr_decimal_put(to, numbers == NULL ? pair[0] : numbers[pair[0]]);
    *to++ = weight == NULL ? '\t' : ' ';
    to = mr_decimal_put(to, numbers == NULL ? pair[1] : numbers[pair[1]]);
    if (weight != NULL) {
        *to++ = ' ';
        to = put_weight(to, *weight);
    }
    *to++ = '\n';
    return to;
}

static char *put_entry(const struct pairs_writer *writer, const uint32_t pair[2],
                       const float *weight, char *to)
{
    to = mr_decimal_put(to, (uint64_t)pair[0] + 1);
    *to++ = ' ';
    to = mr_decimal_put(to, (uint64_t)pair[1] + 1);
    if (weight != NULL) {
        *to++ = ' ';
        to = writer->graph.whole_weights ? mr_decimal_put(to, (uint64_t)*weight)
                                         : put_weight(to, *weight);
    }
    *to++ = '\n';
    return to;
}

static enum mr_status write_pairs(void *data, const uint32_t (*pairs)[2], const float *weights,
                                  size_t n_pairs, struct mr_error *err)
{
    struct pairs_writer *writer = data;
    enum mr_status status = MR_OK;

    for (size_t i = 0; i < n_pairs && status == MR_OK;) {
        char *to = writer->bytes;
        for (const size_t end = n_pairs - i < BATCH ? n_pairs : i + BATCH; i < end; i++) {
            to = writer->layout->put(writer, pairs[i], weights == NULL ? NULL : &weights[i], to);
        }
        status = mr_output_write(writer->output, writer->bytes, (size_t)(to - writer->bytes), err);
    }
    return status;
}

/* ---- Pairs of names ---- */

static enum mr_status put_name(struct pairs_writer *writer, uint32_t vertex, struct mr_error *err)
{
    const struct text_layout *layout = writer->layout;
    const char *name;
    size_t bytes;
    const enum mr_status status =
        writer->graph.name(writer->graph.data, vertex, &name, &bytes, err);

    if (status != MR_OK) {
        return status;
    }
    return layout->between[0] == ',' ? mr_output_name_field(writer->output, layout->form, name,
                                                            bytes, &writer->escaped, err)
                                     : mr_output_name_escaped(writer->output, name, bytes,
                                                              layout->form, &writer->escaped, err);
}

static enum mr_status put_names(struct pairs_writer *writer, const uint32_t pair[2],
                                const float *weight, struct mr_error *err)
{
    const struct text_layout *layout = writer->layout;
    struct mr_output *output = writer->output;

    enum mr_status status = mr_output_write(output, layout->before, strlen(layout->before), err);
    if (status == MR_OK) {
        status = put_name(writer, pair[layout->is_turned], err);
    }
    if (status == MR_OK) {
        status = mr_output_write(output, layout->between, strlen(layout->between), err);
    }
    if (status == MR_OK) {
        status = put_name(writer, pair[!layout->is_turned], err);
    }
    if (status == MR_OK && weight != NULL) {
        status = mr_output_print(output, err, ",%.9g", (double)*weight);
    }
    return status == MR_OK ? mr_output_write(output, layout->after, strlen(layout->after), err)
                           : status;
}

/* Without a header a first line of words might be taken for one. */
static enum mr_status begin_urls(struct pairs_writer *writer, const uint32_t pair[2],
                                 struct mr_error *err)
{
    const struct mr_graph_output *graph = &writer->graph;
    enum mr_status status = MR_OK;
    bool are_words = true;
    struct mr_table_field name = {0};

    for (int k = 0; k < 2 && status == MR_OK; k++) {
        status = graph->name(graph->data, pair[k], &name.text, &name.bytes, err);
        are_words &= status == MR_OK && !mr_table_is_url(&name) && !mr_table_is_number(&name);
    }
    return status == MR_OK && (are_words || writer->has_codes) ? put_header(writer, err) : status;
}

static enum mr_status write_names(void *data, const uint32_t (*pairs)[2], const float *weights,
                                  size_t n_pairs, struct mr_error *err)
{
    struct pairs_writer *writer = data;
    const bool begins = !writer->has_begun && n_pairs > 0 && writer->layout->is_table &&
                        writer->layout->head == NULL;
    enum mr_status status = begins ? begin_urls(writer, pairs[0], err) : MR_OK;

    writer->has_begun = true;
    for (size_t i = 0; i < n_pairs && status == MR_OK; i++) {
        status = put_names(data, pairs[i], weights == NULL ? NULL : &weights[i], err);
    }
    return status;
}

/* ---- Lists of Heritrix ---- */

static enum mr_status put_text(struct pairs_writer *writer, const char *text, struct mr_error *err)
{
    return mr_output_write(writer->output, text, strlen(text), err);
}

/* A line for each source, behind the number of the target. */
static enum mr_status write_input_links(void *data, uint32_t vertex, const uint32_t *sources,
                                        size_t n_sources, struct mr_error *err)
{
    struct pairs_writer *writer = data;
    enum mr_status status = MR_OK;

    for (size_t i = 0; i < n_sources && status == MR_OK; i++) {
        const uint32_t pair[2] = {sources[i], vertex};
        status =
            mr_output_print(writer->output, err, "%" PRIu64 "\t", writer->graph.numbers[vertex]);
        status = status == MR_OK ? put_names(writer, pair, NULL, err) : status;
    }
    return status;
}

static enum mr_status write_map(void *data, uint32_t vertex, const uint32_t *sources,
                                size_t n_sources, struct mr_error *err)
{
    struct pairs_writer *writer = data;

    (void)sources;
    if (n_sources == 0) {
        return MR_OK;
    }
    enum mr_status status =
        mr_output_print(writer->output, err, "%" PRIu64 " ", writer->graph.numbers[vertex]);
    status = status == MR_OK ? put_name(writer, vertex, err) : status;
    return status == MR_OK ? put_text(writer, "\n", err) : status;
}

static enum mr_status put_page(struct pairs_writer *writer, uint32_t vertex, struct mr_error *err)
{
    const uint64_t *numbers = writer->graph.numbers;
    return numbers == NULL ? put_name(writer, vertex, err)
                           : mr_output_print(writer->output, err, "%" PRIu64, numbers[vertex]);
}

/* A page without a number has no line. Links of a page to itself are left out, and repeated links
 * come once, as GenGraph has it: their targets stand side by side. */
static enum mr_status write_pagerank(void *data, uint32_t vertex, const uint32_t *targets,
                                     size_t n_targets, struct mr_error *err)
{
    struct pairs_writer *writer = data;
    const struct mr_graph_output *graph = &writer->graph;
    const char *before = "";
    char score[MR_DOUBLE_TEXT_BYTES];

    if (graph->numbers != NULL && graph->numbers[vertex] == 0) {
        return MR_OK;
    }
    enum mr_status status = put_page(writer, vertex, err);
    if (status == MR_OK && graph->score != NULL) {
        const size_t bytes = mr_double_shortest(graph->score(graph->data, vertex), score);
        status = mr_output_print(writer->output, err, "\t%.*s\tO:", (int)bytes, score);
    } else if (status == MR_OK) {
        status = put_text(writer, "\t1.0\tO:", err);
    }
    for (size_t i = 0; i < n_targets && status == MR_OK; i++) {
        if (targets[i] != vertex && (i == 0 || targets[i] != targets[i - 1])) {
            status = put_text(writer, before, err);
            status = status == MR_OK ? put_page(writer, targets[i], err) : status;
            before = ",";
        }
    }
    return status == MR_OK ? put_text(writer, *before == '\0' ? "dummy\n" : "\n", err) : status;
}

/* The page that takes the score of pages without links ends the file. */
static enum mr_status commit_pagerank(void *data, struct mr_error *err)
{
    struct pairs_writer *writer = data;
    const enum mr_status status = put_text(writer, "dummy\t1.0\tO:dummy\n", err);

    if (status != MR_OK) {
        abandon(writer);
        return status;
    }
    return commit(writer, err);
}

/* ---- The formats ---- */

#define LAYOUT(...)                                                                                \
    .variant = &(const struct text_layout)                                                         \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define OF_HERITRIX(separator)                                                                     \
    LAYOUT(.before = "", .between = (separator), .after = "\n", .is_turned = true,                 \
           .form = MR_NAME_URI)

static enum mr_status open_pairs(const struct mr_graph_output *graph, void **out,
                                 struct mr_error *err)
{
    struct pairs_writer *writer = calloc(1, sizeof *writer);

    *out = writer;
    if (writer == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a writer");
    }
    writer->graph = *graph;
    writer->layout = graph->format->variant;
    enum mr_status status = writer->layout->is_table ? find_codes(writer, err) : MR_OK;
    if (status == MR_OK) {
        status = mr_output_open(graph->context, graph->path, graph->force, &writer->output, err);
    }
    return status == MR_OK && writer->layout->head != NULL ? writer->layout->head(writer, err)
                                                           : status;
}

#define STREAM .open = open_pairs, .pairs = write_pairs, .commit = commit, .abandon = abandon
#define NAMED                                                                                      \
    .wants_names = true, .open = open_pairs, .pairs = write_names, .commit = commit,               \
    .abandon = abandon

const struct mr_graph_writer mr_writer_u32 = {.name = "u32",
                                              .title = "pairs of 32-bit numbers",
                                              .suffixes = {".u32"},
                                              .binary = true,
                                              LAYOUT(.put = put_u32),
                                              STREAM};
const struct mr_graph_writer mr_writer_u64 = {.name = "u64",
                                              .title = "pairs of 64-bit numbers",
                                              .suffixes = {".u64"},
                                              .binary = true,
                                              LAYOUT(.put = put_u64),
                                              STREAM};
const struct mr_graph_writer mr_writer_edges = {.name = "edges",
                                                .title = "SNAP text",
                                                .suffixes = {".txt", ".el", ".tsv"},
                                                LAYOUT(.put = put_edge, .head = head_edges),
                                                .numbers = MR_NUMBERS_OF_INPUT,
                                                STREAM};
const struct mr_graph_writer mr_writer_mtx = {.name = "mtx",
                                              .title = "Matrix Market",
                                              .weighs = MR_WEIGHS_IF_THERE,
                                              .suffixes = {".mtx"},
                                              LAYOUT(.put = put_entry, .head = head_mtx),
                                              STREAM};
const struct mr_graph_writer mr_writer_npy = {.name = "npy",
                                              .title = "a NumPy array of edges",
                                              .suffixes = {".npy"},
                                              .binary = true,
                                              LAYOUT(.put = put_u64, .head = head_npy),
                                              STREAM};
const struct mr_graph_writer mr_writer_wel = {.name = "wel",
                                              .title = "edges with weights",
                                              .suffixes = {".wel"},
                                              LAYOUT(.put = put_edge),
                                              .weighs = MR_WEIGHS_ALWAYS,
                                              .numbers = MR_NUMBERS_OF_INPUT,
                                              STREAM};
const struct mr_graph_writer mr_writer_urls = {
    .name = "urls",
    .title = "lines of two names",
    .suffixes = {".urls"},
    LAYOUT(.before = "", .between = "\t", .after = "\n", .is_table = true, .form = MR_NAME_TABLE),
    NAMED};
const struct mr_graph_writer mr_writer_csv = {
    .name = "csv",
    .title = "a table of names",
    .suffixes = {".csv"},
    LAYOUT(.head = put_header, .before = "", .between = ",", .after = "\n", .is_table = true),
    .weighs = MR_WEIGHS_IF_THERE,
    NAMED};
const struct mr_graph_writer mr_writer_jsonl = {
    .name = "jsonl",
    .title = "JSON with names",
    .suffixes = {".jsonl", ".ndjson", ".jl"},
    LAYOUT(.before = "{\"from\":", .between = ",\"to\":", .after = "}\n", .is_json = true,
           .form = MR_NAME_UTF8),
    NAMED};

/* Files of Heritrix have no suffix of their own. */
#define LISTS(what, writes)                                                                        \
    .numbers = MR_NUMBERS_OF_LINKED, .wants = (what), .open = open_pairs, .list = (writes),        \
    .abandon = abandon

const struct mr_graph_writer mr_writer_heritrix_links = {
    .name = "heritrix-links", .title = "Heritrix's links.txt", OF_HERITRIX(" "), NAMED};
const struct mr_graph_writer mr_writer_heritrix_input_links = {
    .name = "heritrix-input-links",
    .title = "Heritrix's input_links.txt",
    OF_HERITRIX("\t"),
    .wants_names = true,
    .commit = commit,
    LISTS(MR_WANTS_SOURCES, write_input_links)};
const struct mr_graph_writer mr_writer_heritrix_map = {.name = "heritrix-map",
                                                       .title = "Heritrix's map.txt",
                                                       OF_HERITRIX(" "),
                                                       .wants_names = true,
                                                       .commit = commit,
                                                       LISTS(MR_WANTS_SOURCES, write_map)};
const struct mr_graph_writer mr_writer_heritrix_pagerank = {
    .name = "heritrix-pagerank",
    .title = "Heritrix's pr0.txt",
    LAYOUT(.between = "", .form = MR_NAME_URI_ITEM),
    .commit = commit_pagerank,
    LISTS(MR_WANTS_LISTS, write_pagerank)};
