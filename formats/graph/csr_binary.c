/* Binary graphs that keep the sizes of the lists in one place and the targets in another, read side by
 * side in bounded memory: regular, uncompressed files only.
 *
 *     sg, wsg        GAPBS: u8 directed, i64 m, i64 n, n + 1 i64 offsets, m targets of 4 bytes (wsg: each
 *                    with an i32 weight); the reversed graph after that is not needed
 *     ligra-binary   Ligra: BASE.config ("n"), BASE.idx (n offsets of 4 or 8 bytes), BASE.adj (targets)
 *     cost           COST: BASE.nodes ({u32 vertex, u32 count}), BASE.edges (targets)
 *
 * All little-endian. Sources: GAPBS writer.h, Ligra IO.h, McSherry's COST. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "formats/graph/edge_batch.h"
#include "formats/graph/graph_reader.h"
#include "formats/stream/cursor.h"
#include "formats/stream/decimal.h"
#include "formats/stream/output.h"
#include "formats/stream/properties.h"

enum { SG_HEADER_BYTES = 17 };

struct csr_reader {
    struct mr_graph_request request;
    uint64_t n_vertices, n_edges;
    unsigned offset_bytes; /* 4 or 8; 0: pairs of vertex and count */
    unsigned target_bytes; /* 4, or 8 with a weight behind the target */
    bool last_given; /* GAPBS: the end of the last list is stored too */
    uint64_t n_records; /* COST: lists */
    struct mr_edge_batch batch;
    struct mr_cursor sizes, targets;
};

static const char *const ligra_suffixes[] = {".config", ".idx", ".adj", NULL};
static const char *const cost_suffixes[] = {".nodes", ".edges", NULL};

static bool path_is(const char *path, const char *suffix)
{
    const size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && strcmp(path + length - tail, suffix) == 0;
}

static bool has_sibling(const char *path, const char *const *suffixes, const char *suffix)
{
    char *sibling = mr_path_sibling(path, suffixes, suffix);
    const bool there = sibling != NULL && mr_io_exists(sibling);
    free(sibling);
    return there;
}

static void close_csr(void *data)
{
    struct csr_reader *reader = data;
    if (reader != NULL) {
        mr_cursor_close(&reader->sizes);
        mr_cursor_close(&reader->targets);
        free(reader);
    }
}

static enum mr_status create(const struct mr_graph_request *request, struct csr_reader **out,
                             struct mr_error *err)
{
    uint64_t done, total;

    *out = NULL;
    mr_input_position(request->input, &done, &total);
    if (mr_input_codec(request->input) != MR_INPUT_PLAIN || strcmp(request->path, "-") == 0) {
        return mr_error_file(err, MR_ERROR_INPUT, mr_input_name(request->input), 0,
                             "this format is read in several places at once, and so only from an "
                             "uncompressed file; decompress it into one");
    }
    if (total == 0) {
        return mr_error_file(err, MR_ERROR_INPUT, mr_input_name(request->input), 0,
                             "is empty, or no regular file");
    }
    *out = calloc(1, sizeof **out);
    if (*out == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader");
    }
    (*out)->request = *request;
    return MR_OK;
}

/* A cursor over BASE with another suffix. */
static enum mr_status open_sibling(struct csr_reader *reader, struct mr_cursor *cursor,
                                   const char *const *suffixes, const char *suffix,
                                   struct mr_error *err)
{
    char *path = mr_path_sibling(reader->request.path, suffixes, suffix);
    const enum mr_status status =
        path == NULL ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a path")
                     : mr_cursor_open(cursor, reader->request.context, path, 0, err);
    free(path);
    return status;
}

/* ---- GAPBS ---- */

/* 17 + (1 + directed) * (8 (n + 1) + m * each) bytes, or fewer than 2^64 of them at the least. */
static bool sg_size(uint64_t directed, uint64_t m, uint64_t n, unsigned each, uint64_t *bytes)
{
    uint64_t offsets, targets;

    if (mr_add_overflows(n, 1, &n) || mr_mul_overflows(n, 8, &offsets) ||
        mr_mul_overflows(m, each, &targets) || mr_add_overflows(offsets, targets, &offsets) ||
        mr_mul_overflows(offsets, 1 + directed, &offsets)) {
        return false;
    }
    return !mr_add_overflows(offsets, SG_HEADER_BYTES, bytes);
}

static bool is_sg(const struct mr_graph_probe *probe, unsigned each)
{
    const uint8_t *p = (const uint8_t *)probe->data;
    uint64_t bytes;

    return probe->bytes >= SG_HEADER_BYTES && p[0] <= 1 &&
           sg_size(p[0], mr_get_u64(p + 1), mr_get_u64(p + 9), each, &bytes) &&
           bytes == probe->file_bytes;
}

static bool detect_sg(const struct mr_graph_probe *probe)
{
    return is_sg(probe, 4) || mr_output_has_suffix(probe->path, ".sg");
}

static bool detect_wsg(const struct mr_graph_probe *probe)
{
    return is_sg(probe, 8) || mr_output_has_suffix(probe->path, ".wsg");
}

static enum mr_status open_sg_as(const struct mr_graph_request *request, unsigned each,
                                 struct mr_graph_head *head, void **out, struct mr_error *err)
{
    struct csr_reader *reader = NULL;
    const uint8_t *p = NULL;
    uint64_t bytes = 0;
    enum mr_status status = create(request, &reader, err);

    *out = NULL;
    if (reader == NULL) {
        return status;
    }
    if (status == MR_OK) {
        status = mr_cursor_open(&reader->sizes, request->context, request->path, 0, err);
    }
    if (status == MR_OK) {
        status = mr_cursor_take(&reader->sizes, SG_HEADER_BYTES, &p, err);
    }
    if (status == MR_OK) {
        reader->n_edges = mr_get_u64(p + 1);
        reader->n_vertices = mr_get_u64(p + 9);
        if (p[0] > 1 || !sg_size(p[0], reader->n_edges, reader->n_vertices, each, &bytes) ||
            bytes != reader->sizes.bytes) {
            status = mr_error_offset(
                err, MR_ERROR_INPUT, request->path, 0,
                "its first bytes announce %llu vertices and %llu edges, which "
                "do not make %llu bytes; is it a %s file, and whole?",
                (unsigned long long)reader->n_vertices, (unsigned long long)reader->n_edges,
                (unsigned long long)reader->sizes.bytes, each == 4 ? ".sg" : ".wsg");
        }
    }
    if (status == MR_OK) {
        reader->offset_bytes = 8;
        reader->last_given = true;
        reader->target_bytes = each;
        status = mr_cursor_open(&reader->targets, request->context, request->path,
                                SG_HEADER_BYTES + 8 * (reader->n_vertices + 1), err);
    }
    if (status != MR_OK) {
        close_csr(reader);
        return status;
    }
    *head = (struct mr_graph_head){.ids = MR_IDS_DENSE,
                                   .n_vertices = reader->n_vertices,
                                   .n_edges = reader->n_edges,
                                   .weighted = each == 8};
    *out = reader;
    return MR_OK;
}

static enum mr_status open_sg(const struct mr_graph_request *request, struct mr_graph_head *head,
                              void **out, struct mr_error *err)
{
    return open_sg_as(request, 4, head, out, err);
}

static enum mr_status open_wsg(const struct mr_graph_request *request, struct mr_graph_head *head,
                               void **out, struct mr_error *err)
{
    return open_sg_as(request, 8, head, out, err);
}

/* ---- Ligra ---- */

static bool detect_ligra(const struct mr_graph_probe *probe)
{
    return (path_is(probe->path, ".config") || path_is(probe->path, ".idx") ||
            path_is(probe->path, ".adj")) &&
           has_sibling(probe->path, ligra_suffixes, ".config") &&
           has_sibling(probe->path, ligra_suffixes, ".idx") &&
           has_sibling(probe->path, ligra_suffixes, ".adj");
}

/* The number that .config begins with. */
static enum mr_status take_config(struct csr_reader *reader, struct mr_error *err)
{
    struct mr_cursor *cursor = &reader->sizes; /* for the moment */
    enum mr_status status = open_sibling(reader, cursor, ligra_suffixes, ".config", err);

    if (status == MR_OK) {
        status = mr_cursor_refill(cursor, (size_t)mr_min_u64(cursor->bytes, 20), err);
    }
    if (status == MR_OK) {
        const char *at = (const char *)cursor->buffer, *const end = at + cursor->end;
        if (mr_decimal_parse(&at, end, &reader->n_vertices) != MR_DECIMAL_OK) {
            status = mr_error_line(err, MR_ERROR_INPUT, mr_file_path(cursor->file), 1,
                                   "here must stand the number of vertices");
        }
    }
    mr_cursor_close(cursor);
    return status;
}

static enum mr_status open_ligra(const struct mr_graph_request *request, struct mr_graph_head *head,
                                 void **out, struct mr_error *err)
{
    struct csr_reader *reader = NULL;
    enum mr_status status = create(request, &reader, err);

    *out = NULL;
    if (reader == NULL) {
        return status;
    }
    if (status == MR_OK) {
        status = take_config(reader, err);
    }
    if (status == MR_OK) {
        status = open_sibling(reader, &reader->sizes, ligra_suffixes, ".idx", err);
    }
    if (status == MR_OK) {
        status = open_sibling(reader, &reader->targets, ligra_suffixes, ".adj", err);
    }
    if (status == MR_OK) {
        const uint64_t n = reader->n_vertices, bytes = reader->sizes.bytes;
        reader->offset_bytes = n != 0 && bytes / n == 8 ? 8 : 4;
        reader->target_bytes = 4;
        reader->n_edges = reader->targets.bytes / 4;
        if (n > bytes || bytes != n * reader->offset_bytes || reader->targets.bytes % 4 != 0) {
            status = mr_error_file(err, MR_ERROR_INPUT, mr_file_path(reader->sizes.file), 0,
                                   "%llu bytes are no offsets of 4 or 8 bytes for the %llu "
                                   "vertices of the .config file, or the .adj file is cut",
                                   (unsigned long long)bytes, (unsigned long long)n);
        }
    }
    if (status != MR_OK) {
        close_csr(reader);
        return status;
    }
    *head = (struct mr_graph_head){
        .ids = MR_IDS_DENSE, .n_vertices = reader->n_vertices, .n_edges = reader->n_edges};
    *out = reader;
    return MR_OK;
}

/* ---- COST ---- */

static bool detect_cost(const struct mr_graph_probe *probe)
{
    return (path_is(probe->path, ".nodes") || path_is(probe->path, ".edges")) &&
           has_sibling(probe->path, cost_suffixes, ".nodes") &&
           has_sibling(probe->path, cost_suffixes, ".edges") &&
           memchr(probe->data, '\0', probe->bytes) != NULL;
}

static enum mr_status open_cost(const struct mr_graph_request *request, struct mr_graph_head *head,
                                void **out, struct mr_error *err)
{
    struct csr_reader *reader = NULL;
    enum mr_status status = create(request, &reader, err);

    *out = NULL;
    if (reader == NULL) {
        return status;
    }
    if (status == MR_OK) {
        status = open_sibling(reader, &reader->sizes, cost_suffixes, ".nodes", err);
    }
    if (status == MR_OK) {
        status = open_sibling(reader, &reader->targets, cost_suffixes, ".edges", err);
    }
    if (status == MR_OK) {
        reader->target_bytes = 4;
        reader->n_records = reader->sizes.bytes / 8;
        reader->n_edges = reader->targets.bytes / 4;
        if (reader->sizes.bytes % 8 != 0 || reader->targets.bytes % 4 != 0) {
            status = mr_error_file(err, MR_ERROR_INPUT, request->path, 0,
                                   "the .nodes file must be records of 8 bytes, the .edges file of "
                                   "4; get them again");
        }
    }
    if (status != MR_OK) {
        close_csr(reader);
        return status;
    }
    *head = (struct mr_graph_head){.ids = MR_IDS_SPARSE, .n_edges = reader->n_edges};
    *out = reader;
    return MR_OK;
}

/* ---- Lists ---- */

/* The next `n` targets are those of `source`. */
static enum mr_status take_targets(struct csr_reader *reader, uint64_t source, uint64_t n,
                                   struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (uint64_t i = 0; i < n && status == MR_OK; i++) {
        const uint8_t *p;
        float weight = 1;

        status = mr_cursor_take(&reader->targets, reader->target_bytes, &p, err);
        if (status != MR_OK) {
            return status;
        }
        const uint64_t target = mr_get_u32(p);
        const uint64_t offset = reader->targets.next - (reader->targets.end - reader->targets.at) -
                                reader->target_bytes;
        if (reader->target_bytes == 8) {
            weight = (float)(int32_t)mr_get_u32(p + 4);
        }
        if (reader->offset_bytes != 0 && target >= reader->n_vertices) {
            return mr_error_offset(err, MR_ERROR_INPUT, mr_file_path(reader->targets.file), offset,
                                   "target %llu of vertex %llu is not below %llu",
                                   (unsigned long long)target, (unsigned long long)source,
                                   (unsigned long long)reader->n_vertices);
        }
        if (mr_graph_refuses_weight(&reader->request, (double)weight)) {
            return mr_error_offset(err, MR_ERROR_INPUT, mr_file_path(reader->targets.file), offset,
                                   MR_GRAPH_WEIGHT_REASON);
        }
        status = mr_edge_batch_add(&reader->batch, source, target, weight, err);
    }
    return status;
}

static uint64_t offset_at(const struct csr_reader *reader, const uint8_t *p)
{
    return reader->offset_bytes == 8 ? mr_get_u64(p) : mr_get_u32(p);
}

static enum mr_status bad_offset(const struct csr_reader *reader, uint64_t vertex, uint64_t offset,
                                 struct mr_error *err)
{
    return mr_error_file(err, MR_ERROR_INPUT, mr_file_path(reader->sizes.file), 0,
                         "offset %llu of vertex %llu: they must begin with 0, ascend and end with "
                         "%llu",
                         (unsigned long long)offset, (unsigned long long)vertex,
                         (unsigned long long)reader->n_edges);
}

/* Lists by offsets: vertex v has those from its offset to the next one's. */
static enum mr_status read_offsets(struct csr_reader *reader, struct mr_error *err)
{
    uint64_t begin = 0;
    const uint8_t *p;

    for (uint64_t v = 0; v <= reader->n_vertices; v++) {
        uint64_t end = reader->n_edges;
        enum mr_status status = MR_OK;

        if (v < reader->n_vertices || reader->last_given) {
            status = mr_cursor_take(&reader->sizes, reader->offset_bytes, &p, err);
            if (status != MR_OK) {
                return status;
            }
            end = offset_at(reader, p);
        }
        if (end < begin || end > reader->n_edges ||
            (v == 0 && end != 0 && reader->n_vertices > 0) ||
            (v == reader->n_vertices && end != reader->n_edges)) {
            return bad_offset(reader, v, end, err);
        }
        if (v > 0) {
            status = take_targets(reader, v - 1, end - begin, err);
        }
        if (status != MR_OK) {
            return status;
        }
        begin = end;
    }
    return MR_OK;
}

static enum mr_status read_counts(struct csr_reader *reader, struct mr_error *err)
{
    uint64_t done = 0;
    enum mr_status status = MR_OK;
    const uint8_t *p;

    for (uint64_t i = 0; i < reader->n_records && status == MR_OK; i++) {
        status = mr_cursor_take(&reader->sizes, 8, &p, err);
        if (status != MR_OK) {
            break;
        }
        const uint64_t source = mr_get_u32(p), n = mr_get_u32(p + 4);
        if (n > reader->n_edges - done) {
            return mr_error_offset(err, MR_ERROR_INPUT, mr_file_path(reader->sizes.file), 8 * i,
                                   "the lists so far have more edges than the .edges file");
        }
        status = take_targets(reader, source, n, err);
        done += n;
    }
    return status == MR_OK && done != reader->n_edges
               ? mr_error_file(err, MR_ERROR_INPUT, mr_file_path(reader->sizes.file), 0,
                               "its lists have %llu edges, the .edges file has %llu",
                               (unsigned long long)done, (unsigned long long)reader->n_edges)
               : status;
}

static enum mr_status read_csr(void *data, const struct mr_graph_sink *sink, struct mr_error *err)
{
    struct csr_reader *reader = data;

    reader->batch.request = &reader->request;
    reader->batch.sink = sink;
    reader->batch.weights = reader->request.weights && reader->target_bytes == 8;
    const enum mr_status status =
        reader->offset_bytes == 0 ? read_counts(reader, err) : read_offsets(reader, err);
    return status == MR_OK ? mr_edge_batch_flush(&reader->batch, err) : status;
}

const struct mr_graph_format mr_format_sg = {.name = "sg",
                                             .title = "GAPBS serialized graph",
                                             .detect = detect_sg,
                                             .open = open_sg,
                                             .read = read_csr,
                                             .close = close_csr};
const struct mr_graph_format mr_format_wsg = {.name = "wsg",
                                              .title = "GAPBS weighted serialized graph",
                                              .detect = detect_wsg,
                                              .open = open_wsg,
                                              .read = read_csr,
                                              .close = close_csr};
const struct mr_graph_format mr_format_ligra_binary = {.name = "ligra-binary",
                                                       .title = "Ligra binary graph",
                                                       .detect = detect_ligra,
                                                       .open = open_ligra,
                                                       .read = read_csr,
                                                       .close = close_csr};
const struct mr_graph_format mr_format_cost = {.name = "cost",
                                               .title = "COST graph",
                                               .detect = detect_cost,
                                               .open = open_cost,
                                               .read = read_csr,
                                               .close = close_csr};
