/* SPDX-License-Identifier: Apache-2.0 */
/* Reads WebGraph's BVGraph: BASE.graph, BASE.properties and, if it is there, BASE.offsets. A graph
 * with labels on its links is BASE.labels, and BASE.properties, which name the BVGraph under it;
 * labels that are numbers are weights.
 *
 * With offsets all threads decode, in runs of nodes. The offsets are read when a run is handed out
 * and do not stay in memory. One thread decodes from front to back where there are no offsets,
 * where the graph is little-endian (the order of its offsets differs between releases), and where
 * chains of references are unbounded. A scan for the offsets would be the same work. All codes and
 * flags of the Java and Rust releases are read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/bytes.h"
#include "engine/base/team.h"
#include "formats/graph/edge_batch.h"
#include "formats/graph/graph_output.h"
#include "formats/graph/graph_reader.h"
#include "formats/graph/webgraph/bv_lists.h"
#include "formats/table/properties.h"

enum { RUN_NODES = 8192, MAX_ZETA_K = 63, FEW_NODES = 4 * RUN_NODES, MOST_LABEL_BITS = 57 };

/* A run ends when its lists have this many bits. */
#define RUN_BITS ((uint64_t)8 << 20)

struct bv_reader {
    struct mr_graph_request request;
    struct mr_edge_batch batch; /* of a thread alone */
    struct mr_bv_shape shape;
    struct mr_code offset_code;
    uint64_t n_bits; /* of all lists; UINT64_MAX: the properties do not say */
    struct mr_properties *properties;
    struct mr_file *graph, *offsets;
    char *name; /* name of the .graph file */
    struct mr_file *labels; /* NULL: without labels, or they are not wanted */
    unsigned label_bits; /* of each; 0: they are in gamma code */
};

/* All runs of nodes; threads take them one by one. */
struct runs {
    const struct bv_reader *reader;
    const struct mr_graph_sink *sink;
    pthread_mutex_t mutex; /* guards all that follow */
    struct mr_bits offsets, labels;
    uint64_t next; /* the next node */
    uint64_t next_offset;
    uint64_t *history; /* [n_history]: offsets of the nodes before `next`, at node mod n_history */
    uint64_t n_history;
    uint64_t n_arcs;
};

struct list_range {
    uint64_t first, n, start, end;
    uint64_t *before; /* [n_history] */
    size_t n_before;
};

/* ---- Properties ---- */

static const char *const base_suffixes[] = {".graph", ".properties", ".offsets", ".labels", NULL};

static bool parse_code(const char *text, unsigned zeta_k, struct mr_code *code)
{
    static const struct {
        const char *name;
        enum mr_code_kind kind;
    } names[] = {{"UNARY", MR_CODE_UNARY},   {"GAMMA", MR_CODE_GAMMA}, {"DELTA", MR_CODE_DELTA},
                 {"GOLOMB", MR_CODE_GOLOMB}, {"ZETA", MR_CODE_ZETA},   {"NIBBLE", MR_CODE_NIBBLE},
                 {"OMEGA", MR_CODE_OMEGA},   {"PI", MR_CODE_PI}};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t length = strlen(names[i].name);
        if (strncasecmp(text, names[i].name, length) != 0) {
            continue;
        }
        const char digit = text[length];
        const bool takes = names[i].kind == MR_CODE_ZETA || names[i].kind == MR_CODE_PI;
        *code = (struct mr_code){names[i].kind, zeta_k};
        if (digit == '\0') {
            return names[i].kind != MR_CODE_PI;
        }
        code->k = (unsigned)(digit - '0');
        return takes && digit >= '1' && digit <= '7' && text[length + 1] == '\0';
    }
    return false;
}

/* One "FIELD_CODE" of compressionflags. */
static bool parse_flag(struct bv_reader *reader, const char *flag, unsigned zeta_k)
{
    struct mr_bv_shape *shape = &reader->shape;
    const struct {
        const char *name;
        struct mr_code *code;
    } fields[] = {{"OUTDEGREES_", &shape->outdegree},    {"BLOCKS_", &shape->block},
                  {"BLOCK_COUNT_", &shape->block_count}, {"RESIDUALS_", &shape->residual},
                  {"REFERENCES_", &shape->reference},    {"OFFSETS_", &reader->offset_code},
                  {"INTERVALS_", &shape->interval}};

    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        const size_t length = strlen(fields[i].name);
        if (strncasecmp(flag, fields[i].name, length) == 0) {
            return parse_code(flag + length, zeta_k, fields[i].code);
        }
    }
    return false;
}

static enum mr_status parse_flags(struct bv_reader *reader, unsigned zeta_k, bool rust,
                                  struct mr_error *err)
{
    const char *flags = mr_properties_get(reader->properties, "compressionflags");
    bool block_count_given = false, blocks_given = false;

    while (flags != NULL && *flags != '\0') {
        char flag[64];
        const size_t length = strcspn(flags, "|");
        const char *at = flags + strspn(flags, " \t");

        (void)snprintf(flag, sizeof flag, "%.*s", (int)(length - (size_t)(at - flags)), at);
        flag[strcspn(flag, " \t")] = '\0';
        if (flag[0] != '\0' && !parse_flag(reader, flag, zeta_k)) {
            return mr_properties_error(reader->properties, "compressionflags", err,
                                       "\"%s\" is no code that is known here", flag);
        }
        block_count_given |= strncasecmp(flag, "BLOCK_COUNT_", 12) == 0;
        blocks_given |= strncasecmp(flag, "BLOCKS_", 7) == 0;
        flags += length + (flags[length] == '|');
    }
    if (rust && blocks_given && !block_count_given) {
        /* the Rust releases have one code for both */
        reader->shape.block_count = reader->shape.block;
    }
    return MR_OK;
}

static bool is_class(const struct mr_properties *properties, const char *wanted)
{
    const char *class = mr_properties_get(properties, "graphclass");
    const char *dot = class == NULL ? NULL : strrchr(class, '.');

    return class != NULL && strcasecmp(dot == NULL ? class : dot + 1, wanted) == 0;
}

/* k is also the modulus of Golomb codes, and may be larger there. */
static bool has_wide_zeta(const struct bv_reader *reader)
{
    const struct mr_bv_shape *shape = &reader->shape;
    const struct mr_code codes[] = {shape->outdegree,   shape->block_count, shape->block,
                                    shape->interval,    shape->residual,    shape->reference,
                                    reader->offset_code};
    bool is_wide = false;
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        is_wide |= codes[i].kind == MR_CODE_ZETA && codes[i].k > MAX_ZETA_K;
    }
    return is_wide;
}

static enum mr_status parse_properties(struct bv_reader *reader, struct mr_error *err)
{
    const struct mr_properties *properties = reader->properties;
    struct mr_bv_shape *shape = &reader->shape;
    const char *order = mr_properties_get(properties, "endianness");
    const char *references = mr_properties_get(properties, "maxrefcount");
    uint64_t version = 0, zeta_k = 3, window = 7;

    enum mr_status status =
        is_class(properties, "BVGraph")
            ? mr_properties_count(properties, "version", 0, 1, 0, &version, err)
            : mr_properties_error(properties, "graphclass", err,
                                  "only BVGraph is read; convert the graph with WebGraph");
    if (status == MR_OK) {
        status = mr_properties_count(properties, "nodes", 0, UINT32_MAX, UINT64_MAX,
                                     &shape->n_nodes, err);
    }
    if (status == MR_OK) {
        status = mr_properties_count(properties, "arcs", 0, UINT64_MAX / 2, UINT64_MAX,
                                     &shape->n_arcs, err);
    }
    if (status == MR_OK) {
        status =
            mr_properties_count(properties, "windowsize", 0, MR_BV_MAX_WINDOW, 7, &window, err);
    }
    if (status == MR_OK) {
        status = mr_properties_count(properties, "minintervallength", 0, UINT32_MAX, 4,
                                     &shape->min_interval, err);
    }
    if (status == MR_OK) {
        status = mr_properties_count(properties, "zetak", 1, UINT32_MAX, 3, &zeta_k, err);
    }
    if (status == MR_OK) {
        status = mr_properties_count(properties, "length", 0, UINT64_MAX - 1, UINT64_MAX,
                                     &reader->n_bits, err);
    }
    if (status != MR_OK) {
        return status;
    }
    if (shape->n_nodes == UINT64_MAX || shape->n_arcs == UINT64_MAX) {
        return mr_properties_error(properties, shape->n_nodes == UINT64_MAX ? "nodes" : "arcs", err,
                                   "is missing");
    }
    /* A negative number means that chains are unbounded. */
    shape->max_references = UINT64_MAX;
    if (references != NULL && references[0] != '-') {
        status = mr_properties_count(properties, "maxrefcount", 0, UINT64_MAX, UINT64_MAX,
                                     &shape->max_references, err);
    }
    if (status == MR_OK && order != NULL && strcmp(order, "big") != 0 &&
        strcmp(order, "little") != 0) {
        status = mr_properties_error(properties, "endianness", err, "must be big or little");
    }
    shape->little = order != NULL && strcmp(order, "little") == 0;
    shape->window = (unsigned)window;
    shape->outdegree = shape->block_count = shape->block = shape->interval = reader->offset_code =
        (struct mr_code){MR_CODE_GAMMA, 0};
    shape->reference = (struct mr_code){MR_CODE_UNARY, 0};
    shape->residual = (struct mr_code){MR_CODE_ZETA, (unsigned)zeta_k};
    if (status == MR_OK) {
        status = parse_flags(reader, (unsigned)zeta_k, version == 1 || order != NULL, err);
    }
    return status == MR_OK && has_wide_zeta(reader)
               ? mr_properties_error(properties, "zetak", err, "must be at most 63 for zeta codes")
               : status;
}

/* ---- Opening ---- */

static bool detect(const struct mr_graph_probe *probe)
{
    const char *path = probe->path;
    const size_t length = strlen(path);
    bool binary = false;

    if (length > 11 && strcmp(path + length - 11, ".properties") == 0) {
        return memmem(probe->data, probe->bytes, "graphclass", 10) != NULL;
    }
    if (length <= 6 || strcmp(path + length - 6, ".graph") != 0) {
        return false;
    }
    char *properties = mr_path_sibling(path, base_suffixes, ".properties");
    const bool sibling = properties != NULL && mr_io_exists(properties);
    free(properties);
    for (size_t i = 0; i < probe->bytes && !binary; i++) {
        const unsigned char c = (unsigned char)probe->data[i];
        binary = c >= 0x7f || (c < ' ' && c != '\n' && c != '\r' && c != '\t');
    }
    return sibling || binary;
}

static void close_graph(void *data)
{
    struct bv_reader *reader = data;
    mr_properties_free(reader->properties);
    mr_file_abandon(reader->graph);
    mr_file_abandon(reader->offsets);
    mr_file_abandon(reader->labels);
    free(reader->name);
}

/* Every node takes at least one bit, so that the size of the file bounds `nodes`. */
static enum mr_status check_nodes(const struct bv_reader *reader, struct mr_error *err)
{
    uint64_t bytes = 0;
    const enum mr_status status = mr_file_size(reader->graph, &bytes, err);

    return status == MR_OK && reader->shape.n_nodes / 8 > bytes
               ? mr_properties_error(reader->properties, "nodes", err,
                                     "%llu nodes do not fit into the %llu bytes of %s",
                                     (unsigned long long)reader->shape.n_nodes,
                                     (unsigned long long)bytes, reader->name)
               : status;
}

/* The path of `name` beside that of the input, as Java finds it. The caller frees it. */
static char *beside(const char *path, const char *name)
{
    const char *slash = name[0] == '/' ? NULL : strrchr(path, '/');
    const size_t length = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    char *both = malloc(length + strlen(name) + 1);

    if (both != NULL) {
        memcpy(both, path, length);
        memcpy(both + length, name, strlen(name) + 1);
    }
    return both;
}

/* Opens the labels if they are numbers of a fixed width, or in gamma code. */
static enum mr_status open_labels(struct bv_reader *reader, struct mr_graph_head *head,
                                  struct mr_error *err)
{
    const struct mr_graph_request *request = &reader->request;
    const char *spec = mr_properties_get(reader->properties, "labelspec");
    const char *class = spec == NULL ? "" : spec, *width = strrchr(class, ',');

    for (const char *at = class; *at != '\0' && *at != '('; at++) {
        class = *at == '.' ? at + 1 : class;
    }
    const bool is_fixed = width != NULL && (strncmp(class, "FixedWidthIntLabel(", 19) == 0 ||
                                            strncmp(class, "FixedWidthLongLabel(", 20) == 0);
    reader->label_bits = is_fixed ? (unsigned)strtoul(width + 1, NULL, 10) : 0;
    head->weighted = is_fixed ? reader->label_bits > 0 && reader->label_bits <= MOST_LABEL_BITS
                              : strncmp(class, "GammaCodedIntLabel(", 19) == 0;
    if (request->weights == MR_WEIGHTS_NONE) {
        return MR_OK;
    }
    if (!head->weighted && request->weights == MR_WEIGHTS_MUST) {
        return mr_properties_error(reader->properties, "labelspec", err,
                                   "these labels are no weights; leave out --weights");
    }
    if (!head->weighted) {
        mr_context_note(request->context,
                        "%s has labels that are no weights; the links are read "
                        "without them",
                        request->path);
        return MR_OK;
    }
    char *path = mr_path_sibling(request->path, base_suffixes, ".labels");
    const enum mr_status status =
        path == NULL ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader")
                     : mr_file_open(request->context->io, path, MR_OPEN_READ, &reader->labels, err);
    free(path);
    return status;
}

/* Reads the properties of the graph at `path`. */
static enum mr_status open_properties(struct bv_reader *reader, const char *path,
                                      struct mr_error *err)
{
    char *properties = mr_path_sibling(path, base_suffixes, ".properties");
    enum mr_status status =
        properties == NULL ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader")
        : mr_io_exists(properties)
            ? mr_properties_read(reader->request.context, properties, &reader->properties, err)
            : mr_error_file(err, MR_ERROR_INPUT, path, 0,
                            "a WebGraph needs its properties beside it, in %s", properties);
    free(properties);
    return status;
}

/* Goes on from a graph with labels to the BVGraph under it, at `*path`. */
static enum mr_status open_underlying(struct bv_reader *reader, struct mr_graph_head *head,
                                      char **path, struct mr_error *err)
{
    const char *name = mr_properties_get(reader->properties, "underlyinggraph");

    if (name == NULL) {
        return mr_properties_error(reader->properties, "underlyinggraph", err, "is missing");
    }
    *path = beside(reader->request.path, name);
    enum mr_status status = *path != NULL
                                ? open_labels(reader, head, err)
                                : mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader");
    if (status == MR_OK) {
        mr_properties_free(reader->properties);
        reader->properties = NULL;
        status = open_properties(reader, *path, err);
    }
    return status;
}

static enum mr_status open_lists(struct bv_reader *reader, const char *path, struct mr_error *err)
{
    struct mr_io *io = reader->request.context->io;
    char *offsets = mr_path_sibling(path, base_suffixes, ".offsets");

    reader->name = mr_path_sibling(path, base_suffixes, ".graph");
    enum mr_status status = offsets == NULL || reader->name == NULL
                                ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader")
                                : mr_file_open(io, reader->name, MR_OPEN_READ, &reader->graph, err);
    if (status == MR_OK) {
        status = check_nodes(reader, err);
    }
    if (status == MR_OK && mr_io_exists(offsets)) {
        status = mr_file_open(io, offsets, MR_OPEN_READ, &reader->offsets, err);
    }
    free(offsets);
    return status;
}

static enum mr_status open_graph(void *data, struct mr_graph_head *head, struct mr_error *err)
{
    struct bv_reader *reader = data;
    char *underlying = NULL;
    enum mr_status status = open_properties(reader, reader->request.path, err);

    if (status == MR_OK && is_class(reader->properties, "BitStreamArcLabelledImmutableGraph")) {
        status = open_underlying(reader, head, &underlying, err);
    }
    if (status == MR_OK) {
        status = parse_properties(reader, err);
    }
    if (status == MR_OK) {
        status = open_lists(reader, underlying != NULL ? underlying : reader->request.path, err);
    }
    free(underlying);
    head->n_vertices = reader->shape.n_nodes;
    head->n_edges = reader->shape.n_arcs;
    return status;
}

/* ---- Decoding ---- */

static enum mr_status too_many(const struct bv_reader *reader, struct mr_error *err)
{
    return mr_properties_error(reader->properties, "arcs", err,
                               "%s has more arcs than the %llu said here", reader->name,
                               (unsigned long long)reader->shape.n_arcs);
}

/* Passes a batch to the sink, under the mutex, because the sink takes one at a time. */
static enum mr_status flush(struct runs *runs, struct mr_edge_batch *batch, struct mr_error *err)
{
    const struct mr_context *context = runs->reader->request.context;
    const size_t n = batch->n;
    enum mr_status status = MR_OK;

    batch->n = 0;
    (void)pthread_mutex_lock(&runs->mutex);
    runs->n_arcs += n;
    if (runs->n_arcs > runs->reader->shape.n_arcs) {
        status = too_many(runs->reader, err);
    } else {
        status = runs->sink->edges(runs->sink->data, batch->edges, NULL, n, err);
    }
    runs->reader->request.summary->edges += n;
    if (status == MR_OK && context->progress != NULL) {
        const struct mr_progress progress = {.stage = "parse",
                                             .unit = "edges",
                                             .done = runs->n_arcs,
                                             .total = runs->reader->shape.n_arcs,
                                             .edges = runs->n_arcs,
                                             .error_bound = -1};
        context->progress(context->progress_data, &progress);
    }
    (void)pthread_mutex_unlock(&runs->mutex);
    return status;
}

static enum mr_status add_list(struct runs *runs, struct mr_edge_batch *batch, uint64_t node,
                               const uint32_t *successors, size_t n, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    while (n > 0 && status == MR_OK) {
        const size_t part = n < MR_EDGE_BATCH - batch->n ? n : MR_EDGE_BATCH - batch->n;
        struct mr_edge *edges = batch->edges + batch->n;

        for (size_t i = 0; i < part; i++) {
            edges[i] = (struct mr_edge){node, successors[i]};
        }
        batch->n += part;
        successors += part;
        n -= part;
        if (batch->n == MR_EDGE_BATCH) {
            status = flush(runs, batch, err);
        }
    }
    return status;
}

/* Adds a list with a label for each link. One thread reads these. */
static enum mr_status add_weighted(struct runs *runs, struct mr_edge_batch *batch, uint64_t node,
                                   const uint32_t *successors, size_t n, struct mr_error *err)
{
    const struct bv_reader *reader = runs->reader;
    struct mr_bits *label = &runs->labels;
    enum mr_status status = MR_OK;

    runs->n_arcs += n;
    for (size_t i = 0; i < n && status == MR_OK; i++) {
        const unsigned bits = reader->label_bits;
        const uint64_t weight = bits == 0
                                    ? mr_bits_gamma(label, false)
                                    : mr_bits_cut(mr_bits_window(label, false), 0, bits, false);
        label->at += bits;
        status = mr_edge_batch_add(batch, node, successors[i], (double)weight, err);
    }
    return status == MR_OK && mr_bits_is_over(label)
               ? mr_error_file(err, MR_ERROR_INPUT, mr_file_path(reader->labels), 0,
                               "ends before the label of the last link; it lost bytes at its end, "
                               "or is another graph's")
               : status;
}

static enum mr_status decode(struct runs *runs, struct mr_bv_lists *lists, uint64_t first,
                             uint64_t n, struct mr_edge_batch *batch, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (uint64_t node = first; node < first + n && status == MR_OK; node++) {
        const uint32_t *successors;
        size_t n_successors;

        status = mr_bv_lists_next(lists, &successors, &n_successors, err);
        if (status == MR_OK) {
            status = runs->reader->labels != NULL
                         ? add_weighted(runs, batch, node, successors, n_successors, err)
                         : add_list(runs, batch, node, successors, n_successors, err);
        }
        if (status == MR_OK && node % RUN_NODES == 0) {
            status = mr_context_poll(runs->reader->request.context, err);
        }
    }
    return status;
}

/* Writers end the file with the byte of the last list, or fill it up to whole words of 32 or 64
 * bits, perhaps with a word more. Another size is that of a file that lost its end. */
enum { WORD_BYTES = 4, MOST_FILLED = 24 };

static enum mr_status check_size(const struct runs *runs, struct mr_error *err)
{
    const uint64_t needed = runs->next_offset / 8 + (runs->next_offset % 8 != 0);
    uint64_t bytes = 0;

    const enum mr_status status = mr_file_size(runs->reader->graph, &bytes, err);
    return status != MR_OK || bytes <= needed ||
                   (bytes % WORD_BYTES == 0 && bytes - needed < MOST_FILLED)
               ? status
               : mr_error_file(err, MR_ERROR_INPUT, runs->reader->name, 0,
                               "has %llu bytes, and its lists end after %llu; it lost bytes at its "
                               "end, or is another file: copy it again",
                               (unsigned long long)bytes, (unsigned long long)needed);
}

static enum mr_status check_total(const struct runs *runs, struct mr_error *err)
{
    const uint64_t n_bits = runs->reader->n_bits;

    if (n_bits != UINT64_MAX && n_bits != runs->next_offset) {
        return mr_properties_error(runs->reader->properties, "length", err,
                                   "the lists in %s have %llu bits; the file is damaged, or its "
                                   ".properties are another graph's",
                                   runs->reader->name, (unsigned long long)runs->next_offset);
    }
    return runs->n_arcs == runs->reader->shape.n_arcs
               ? check_size(runs, err)
               : mr_properties_error(runs->reader->properties, "arcs", err,
                                     "%s has %llu arcs; the file is damaged, or its .properties "
                                     "are another graph's",
                                     runs->reader->name, (unsigned long long)runs->n_arcs);
}

static enum mr_status read_in_order(struct runs *runs, struct mr_edge_batch *batch,
                                    struct mr_error *err)
{
    const struct bv_reader *reader = runs->reader;
    struct mr_bv_lists *lists = NULL;

    enum mr_status status = mr_bv_lists_open(reader->request.context, reader->graph, reader->name,
                                             &reader->shape, &lists, err);
    if (status == MR_OK && reader->labels != NULL) {
        status = mr_bits_open(&runs->labels, reader->request.context, reader->labels, false, err);
    }
    if (status == MR_OK) {
        status = decode(runs, lists, 0, reader->shape.n_nodes, batch, err);
        runs->next_offset = mr_bv_lists_position(lists);
    }
    if (status == MR_OK) {
        status = reader->labels != NULL ? mr_edge_batch_flush(batch, err) : flush(runs, batch, err);
    }
    mr_bits_close(&runs->labels);
    mr_bv_lists_close(lists);
    return status;
}

/* ---- In parallel ---- */

static uint64_t next_offset(struct runs *runs)
{
    const uint64_t gap = mr_bits_code(&runs->offsets, runs->reader->offset_code, false);
    const uint64_t limit = UINT64_MAX / 2;
    return gap > limit || runs->next_offset > limit ? UINT64_MAX : runs->next_offset + gap;
}

/* Takes the next run of nodes; false when there are none left. */
static bool take_run(struct runs *runs, struct list_range *run)
{
    const uint64_t n_nodes = runs->reader->shape.n_nodes;

    (void)pthread_mutex_lock(&runs->mutex);
    run->first = runs->next;
    run->start = run->end = runs->next_offset;
    run->n_before = (size_t)mr_min_u64(runs->n_history, runs->next);
    for (size_t i = 0; i < run->n_before; i++) {
        run->before[i] = runs->history[(run->first - run->n_before + i) % runs->n_history];
    }
    run->n = 0;
    while (run->n < RUN_NODES && runs->next < n_nodes &&
           (run->n == 0 || run->end - run->start < RUN_BITS)) {
        if (runs->n_history > 0) {
            runs->history[runs->next % runs->n_history] = runs->next_offset;
        }
        runs->next_offset = run->end = next_offset(runs);
        runs->next++;
        run->n++;
    }
    (void)pthread_mutex_unlock(&runs->mutex);
    return run->n > 0;
}

static enum mr_status decode_run(struct runs *runs, struct mr_bv_lists *lists,
                                 const struct list_range *run, struct mr_edge_batch *batch,
                                 struct mr_error *err)
{
    const struct mr_bv_before before = {
        .first = run->first - run->n_before, .offsets = run->before, .n = run->n_before};

    mr_bv_lists_seek(lists, run->first, run->start, &before);
    const enum mr_status status = decode(runs, lists, run->first, run->n, batch, err);
    if (status == MR_OK && mr_bv_lists_position(lists) != run->end) {
        return mr_error_file(err, MR_ERROR_INPUT, mr_file_path(runs->reader->offsets), 0,
                             "node %llu ends at bit %llu of %s, and not at %llu; remove this file "
                             "to do without it",
                             (unsigned long long)(run->first + run->n - 1),
                             (unsigned long long)mr_bv_lists_position(lists), runs->reader->name,
                             (unsigned long long)run->end);
    }
    return status;
}

/* A mr_team_work. */
static enum mr_status work(void *data, struct mr_team *team, unsigned worker, struct mr_error *err)
{
    struct runs *runs = data;
    const struct bv_reader *reader = runs->reader;
    struct mr_edge_batch *batch = calloc(1, sizeof *batch);
    struct list_range run = {.before = calloc(runs->n_history + 1, sizeof *run.before)};
    struct mr_bv_lists *lists = NULL;

    (void)worker;
    if (batch == NULL || run.before == NULL) {
        free(run.before);
        free(batch);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for edges");
    }
    enum mr_status status = mr_bv_lists_open(reader->request.context, reader->graph, reader->name,
                                             &reader->shape, &lists, err);
    while (status == MR_OK && !mr_team_failed(team) && take_run(runs, &run)) {
        status = decode_run(runs, lists, &run, batch, err);
    }
    if (status == MR_OK) {
        status = flush(runs, batch, err);
    }
    mr_bv_lists_close(lists);
    free(run.before);
    free(batch);
    return status;
}

static enum mr_status read_in_parallel(struct runs *runs, struct mr_error *err)
{
    const struct bv_reader *reader = runs->reader;
    const unsigned threads = reader->request.context->threads;
    enum mr_status status =
        mr_bits_open(&runs->offsets, reader->request.context, reader->offsets, false, err);

    runs->n_history = reader->shape.window * reader->shape.max_references;
    runs->history = calloc(runs->n_history + 1, sizeof *runs->history);
    if (status == MR_OK && runs->history == NULL) {
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for offsets");
    }
    if (status == MR_OK) {
        runs->next_offset = next_offset(runs); /* of node 0 */
        status = mr_team_run(reader->request.context, threads, threads, work, runs, err);
    }
    free(runs->history);
    mr_bits_close(&runs->offsets);
    return status;
}

static enum mr_status read_graph(void *data, struct mr_error *err)
{
    struct bv_reader *reader = data;
    const struct mr_bv_shape *shape = &reader->shape;
    struct runs runs = {
        .reader = reader, .sink = reader->batch.sink, .mutex = PTHREAD_MUTEX_INITIALIZER};
    const bool parallel =
        reader->offsets != NULL && reader->labels == NULL && !shape->little &&
        reader->request.context->threads > 1 && shape->n_nodes > FEW_NODES &&
        (shape->window == 0 || shape->max_references <= MR_BV_MAX_CHAIN / shape->window);
    const enum mr_status status =
        parallel ? read_in_parallel(&runs, err) : read_in_order(&runs, &reader->batch, err);
    return status == MR_OK ? check_total(&runs, err) : status;
}

const struct mr_graph_format mr_format_bvgraph = {.name = "bvgraph",
                                                  .title = "WebGraph BVGraph",
                                                  .detect = detect,
                                                  .reader_bytes = MR_READER_BYTES(struct bv_reader),
                                                  .head = {.ids = MR_IDS_DENSE},
                                                  .open = open_graph,
                                                  .read = read_graph,
                                                  .close = close_graph};
