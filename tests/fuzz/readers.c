/* SPDX-License-Identifier: Apache-2.0 */
/* Gives one fuzz input to a reader of formats/ and checks every edge that comes out. The builder is
 * replaced by a sink, so that an input takes microseconds. The fuzzer and corpus_test both call
 * it. */
#include "tests/fuzz/readers.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "formats/crawl/fetch_log.h"
#include "formats/graph_format.h"

/* The memory of a reader, and the number of edges to check. An interval of a WebGraph legally makes
 * a million edges out of a few bytes. */
enum { MEMORY_BYTES = 128 << 20, MAX_EDGES = 1 << 20, MAX_PARTS = 3, MAX_NAMES = 4096 };

static const struct shape {
    const char *reader;
    const char *path; /* the path to open */
    const char *parts[MAX_PARTS]; /* files of the parts; empty: `path` has the whole input */
    bool dense_is_checked; /* by the reader; the sink does not check */
} shapes[] = {
    {"bvgraph", "x.graph", {"x.properties", "x.offsets", "x.graph"}, true},
    {"mtx", "x.mtx", {NULL}, true},
    {"metis", "x.metis", {NULL}, true},
    {"ascii-graph", "x.graph-txt", {NULL}, true},
    {"sg", "x.sg", {NULL}, true},
};

static const struct mr_graph_format *format;
static struct shape shape;
static char directory[64];
static bool reads_fetches; /* not the links of the input, but the fetches in it */

/* ---- A builder that only looks ---- */

struct mr_build {
    struct mr_graph_head head;
    bool checked, frozen;
    bool weights, must; /* the format has weights; only valid ones may come */
    double sum_of_weights;
    uint64_t n_edges, n_names, sum;
};

enum mr_status mr_build_vertex(struct mr_build *build, uint64_t id, struct mr_error *err)
{
    (void)err;
    build->sum += id;
    return MR_OK;
}

enum mr_status mr_build_capture(struct mr_build *build, const struct mr_capture *capture,
                                uint64_t *id, struct mr_error *err)
{
    (void)err;
    build->sum +=
        (id != NULL ? *id : capture->page) + capture->time + capture->confirms + capture->digest;
    return MR_OK;
}

enum mr_status mr_build_freeze(struct mr_build *build, struct mr_error *err)
{
    (void)err;
    build->frozen = true;
    return MR_OK;
}

bool mr_build_is_frozen(const struct mr_build *build)
{
    return build->frozen;
}

bool mr_build_knows(const struct mr_build *build, uint64_t id)
{
    if (build->head.ids != MR_IDS_DENSE || id < build->head.n_vertices) {
        return true;
    }
    if (build->checked) {
        abort(); /* the reader has accepted an invalid edge */
    }
    return false;
}

enum mr_status mr_build_name(struct mr_build *build, const char *name, size_t name_bytes,
                             uint64_t *id, struct mr_error *err)
{
    (void)err;
    for (size_t i = 0; i < name_bytes; i++) {
        build->sum += (unsigned char)name[i];
    }
    *id = build->n_names++ % MAX_NAMES;
    return MR_OK;
}

uint32_t mr_build_name_hash(const char *name, size_t name_bytes)
{
    return (uint32_t)(unsigned char)name[name_bytes - 1];
}

enum mr_status mr_build_all_names(struct mr_build *build, const struct mr_name_ref *names, size_t n,
                                  uint64_t *ids, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    for (size_t i = 0; i < n && status == MR_OK; i++) {
        status = mr_build_name(build, names[i].name, names[i].name_bytes, &ids[i], err);
    }
    return status;
}

enum mr_status mr_build_edges(struct mr_build *build, unsigned worker, const struct mr_edge *edges,
                              const float *weights, size_t n_edges, struct mr_error *err)
{
    (void)worker; /* the context has one thread */
    for (size_t i = 0; i < n_edges; i++) {
        build->sum += edges[i].source ^ edges[i].target;
        if (build->weights && weights != NULL) {
            if (!mr_weight_is_good(weights[i])) {
                abort(); /* the reader or the sink has accepted it */
            }
            build->sum_of_weights += (double)weights[i];
        }
    }
    build->n_edges += n_edges;
    return build->n_edges < MAX_EDGES ? MR_OK : mr_error_set(err, MR_ERROR_RUNTIME, "enough");
}

enum mr_status mr_build_room(struct mr_build *build, unsigned worker, uint32_t (**pairs)[2],
                             uint32_t *n_edges, struct mr_error *err)
{
    (void)build, (void)worker, (void)err;
    *pairs = NULL;
    *n_edges = 0;
    return MR_OK;
}

void mr_build_filled(struct mr_build *build, unsigned worker, uint32_t n_edges, uint64_t first)
{
    (void)build, (void)worker, (void)n_edges, (void)first;
    abort(); /* the sink has no room */
}

void mr_build_forget_weights(struct mr_build *build)
{
    if (build->must) {
        abort();
    }
    build->weights = false;
}

bool mr_build_has_weights(const struct mr_build *build)
{
    return build->weights;
}

/* ---- One input ---- */

bool fuzz_choose(const char *reader)
{
    reads_fetches = strcmp(reader, "fetch-log") == 0;
    format = mr_graph_format_find(reads_fetches ? "crawl-log" : reader);
    shape = (struct shape){.reader = reader, .path = "x"};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if (strcmp(shapes[i].reader, reader) == 0) {
            shape = shapes[i];
        }
    }
    return format != NULL;
}

bool fuzz_begin(void)
{
    const char *tmp = getenv("TMPDIR");
    (void)snprintf(directory, sizeof directory, "%.40s/fuzz.XXXXXX",
                   access("/dev/shm", W_OK) == 0 ? "/dev/shm"
                   : tmp != NULL                 ? tmp
                                                 : "/tmp");
    return mkdtemp(directory) != NULL && chdir(directory) == 0;
}

void fuzz_end(void)
{
    for (unsigned i = 0; i < MAX_PARTS; i++) {
        if (shape.parts[i] != NULL) {
            (void)unlink(shape.parts[i]);
        }
    }
    (void)unlink(shape.path);
    (void)!chdir("/"); /* the ! keeps compilers quiet that want the result used */
    (void)rmdir(directory);
}

static void write_file(const char *path, const uint8_t *data, size_t bytes)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || write(file, data, bytes) != (ssize_t)bytes || close(file) != 0) {
        abort();
    }
}

static void write_parts(const uint8_t *data, size_t bytes)
{
    if (shape.parts[0] == NULL) {
        write_file(shape.path, data, bytes);
        return;
    }
    const size_t header = bytes < 4 ? bytes : 4;
    size_t sizes[MAX_PARTS] = {header < 4 ? 0 : mr_get_u16(data),
                               header < 4 ? 0 : mr_get_u16(data + 2), SIZE_MAX};
    data += header;
    bytes -= header;
    for (unsigned i = 0; i < MAX_PARTS; i++) {
        const size_t part = sizes[i] < bytes ? sizes[i] : bytes;
        write_file(shape.parts[i], data, part);
        data += part;
        bytes -= part;
    }
}

static enum mr_status read_input(const struct mr_context *context, struct mr_error *err)
{
    struct mr_edge_text_options text = {.bad_lines = MR_BAD_LINES_SKIP};
    struct mr_edge_text_summary summary = {0};
    struct mr_build build = {.checked = shape.dense_is_checked};
    struct mr_twin_ids twins = {0};
    struct mr_graph_build_sink target = {.build = &build, .input = "x"};
    struct mr_graph_probe probe = {.path = shape.path};
    const struct mr_graph_format *detected;
    struct mr_input *input = NULL;
    struct mr_graph_reader *reader = NULL;

    enum mr_status status = mr_input_open(context, shape.path, &input, err);
    if (status == MR_OK) {
        status = mr_input_peek(input, &probe.data, &probe.bytes, err);
    }
    if (status == MR_OK) {
        probe.file_bytes = probe.bytes;
        (void)!mr_graph_format_detect(&probe, &detected, NULL);
    }
    if (status == MR_OK) {
        const struct mr_graph_request request = {.context = context,
                                                 .path = shape.path,
                                                 .input = input,
                                                 .text = &text,
                                                 .summary = &summary,
                                                 .twins = &twins,
                                                 .weights = probe.bytes % 3};
        status = mr_graph_reader_open(format, &request, &build.head, &reader, err);
        target.ids = text.ids = build.head.ids;
        build.weights = request.weights != MR_WEIGHTS_NONE && build.head.weighted;
        build.must = request.weights == MR_WEIGHTS_MUST;
        target.may_forget_weights = !build.must;
        if (status == MR_OK) {
            const struct mr_graph_sink sink = mr_graph_sink_of_build(&target, context->threads);
            status = mr_graph_reader_read(reader, &sink, err);
        }
        mr_graph_reader_close(reader);
    }
    mr_memory_free(context->memory, twins.pairs);
    mr_input_close(input);
    return status;
}

static enum mr_status take_fetch(void *data, const struct mr_row *fetch, struct mr_error *err)
{
    uint64_t *n = data;
    (void)err;
    if (fetch->name_bytes == 0 || memchr(fetch->name, '\n', fetch->name_bytes) != NULL ||
        memchr(fetch->name, ' ', fetch->name_bytes) != NULL || !(fetch->values[1] >= 0) ||
        fetch->values[0] > 0x1p33) {
        abort();
    }
    ++*n;
    return MR_OK;
}

/* A file that says what is fetched. A list of names is none of these, and is not read here. */
static enum mr_status read_fetches(const struct mr_context *context, struct mr_error *err)
{
    struct mr_input *input = NULL;
    const char *text;
    size_t bytes;
    uint64_t n = 0;

    enum mr_status status = mr_input_open(context, shape.path, &input, err);
    if (status == MR_OK) {
        status = mr_input_peek(input, &text, &bytes, err);
    }
    if (status == MR_OK) {
        const enum mr_fetch_log kind = mr_fetch_log_look(text, bytes);
        status = kind == MR_FETCH_LOG_NONE
                     ? MR_OK
                     : mr_fetch_log_read(context, input, kind, MR_FETCH_WANTS_TIMES, take_fetch, &n,
                                         err);
    }
    mr_input_close(input);
    return status;
}

void fuzz_one(const uint8_t *data, size_t bytes)
{
    struct mr_context context = {.threads = 1};
    struct mr_error err = {0};

    if (mr_memory_create(MEMORY_BYTES, &context.memory, NULL) != MR_OK ||
        mr_io_create_real(&context.io, NULL) != MR_OK) {
        abort();
    }
    const uint64_t before = mr_memory_available(context.memory);
    write_parts(data, bytes);
    const enum mr_status status =
        reads_fetches ? read_fetches(&context, &err) : read_input(&context, &err);
    if ((status == MR_OK) != (err.status == MR_OK) ||
        mr_memory_available(context.memory) != before) {
        abort();
    }
    mr_io_destroy(context.io);
    mr_memory_destroy(context.memory);
}
