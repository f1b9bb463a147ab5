/* Reads the scores of an earlier ranking as the start of a new one. Score files have the order
 * of the names, so the reader walks the names of the store beside the file. It looks a name up
 * only where the file skips many names or has another order. */
#include "cli/commands/pagerank_start.h"

#include <math.h>
#include <string.h>

#include "engine/base/memory.h"
#include "formats/score/score_reader.h"
#include "formats/stream/npy_reader.h"

/* The reader looks up a name that is more than LONGEST_WALK positions ahead, and walks to a
 * nearer one. */
enum { LONGEST_WALK = 1000, LINES_PER_POLL = 4096 };

struct reader {
    struct mr_session *session;
    const struct mr_graph *graph;
    struct mr_input *input;
    double *start; /* -1: no score yet */
    uint64_t n;
    /* The walk over the names; `name` is the name at position `at`. */
    struct mr_name_cursor *walk;
    uint64_t at;
    const char *name; /* NULL after the last name */
    size_t name_bytes;
    uint64_t n_unknown;
};

static enum mr_status walk_to(struct reader *reader, uint64_t position, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    if (reader->walk == NULL || position < reader->at || position - reader->at > LONGEST_WALK) {
        mr_name_cursor_close(reader->walk);
        reader->walk = NULL;
        reader->name = NULL;
        if (position >= reader->n) {
            return MR_OK;
        }
        status = mr_name_cursor_open(reader->graph->names, (uint32_t)position, &reader->walk, err);
        reader->at = position;
        if (status == MR_OK) {
            status = mr_name_cursor_next(reader->walk, &reader->name, &reader->name_bytes, err);
        }
    }
    for (; reader->at < position && status == MR_OK; reader->at++) {
        status = mr_name_cursor_next(reader->walk, &reader->name, &reader->name_bytes, err);
    }
    return status;
}

static enum mr_status bad_score(const struct reader *reader, uint64_t line, struct mr_error *err)
{
    return mr_error_line(err, MR_ERROR_INPUT, mr_input_name(reader->input), line,
                         "the score is negative; --start needs scores of at least 0");
}

static enum mr_status take_line(struct reader *reader, const char *name, size_t name_bytes,
                                double score, uint64_t line, struct mr_error *err)
{
    uint32_t position = (uint32_t)reader->at, vertex;
    if (!(score >= 0)) {
        return bad_score(reader, line, err);
    }
    if (reader->name == NULL || reader->name_bytes != name_bytes ||
        memcmp(reader->name, name, name_bytes) != 0) {
        bool found;
        enum mr_status status =
            mr_names_find(reader->graph->names, name, name_bytes, &vertex, &found, err);
        if (status != MR_OK || !found) {
            reader->n_unknown += status == MR_OK;
            return status;
        }
        status = mr_names_place(reader->graph->names, vertex, &position, err);
        if (status != MR_OK) {
            return status;
        }
    } else {
        vertex = mr_name_cursor_vertex(reader->walk);
    }
    reader->start[vertex] = score;
    return walk_to(reader, (uint64_t)position + 1, err);
}

static enum mr_status read_lines(struct reader *reader, struct mr_error *err)
{
    const struct mr_context *context = &reader->session->context;
    struct mr_score_reader *lines = NULL;
    enum mr_status status = mr_score_reader_open(context, reader->input, NULL, &lines, err);
    if (status == MR_OK) {
        status = walk_to(reader, 0, err);
    }
    while (status == MR_OK) {
        const char *name;
        size_t name_bytes;
        double score;
        status = mr_score_reader_next(lines, &name, &name_bytes, &score, err);
        if (status != MR_OK || name == NULL) {
            break;
        }
        const uint64_t line = mr_score_reader_line(lines);
        status = take_line(reader, name, name_bytes, score, line, err);
        if (status == MR_OK && line % LINES_PER_POLL == 0) {
            status = mr_context_poll(context, err);
        }
    }
    mr_name_cursor_close(reader->walk);
    mr_score_reader_close(lines);
    return status;
}

static enum mr_status read_array(struct reader *reader, struct mr_error *err)
{
    struct mr_npy_reader *array = NULL;
    enum mr_status status =
        mr_npy_reader_open(&reader->session->context, reader->input, NULL, &array, err);
    if (status == MR_OK && mr_npy_reader_rows(array) != reader->n) {
        status = mr_error_file(
            err, MR_ERROR_INPUT, mr_input_name(reader->input), 0,
            "has %llu rows for %llu pages; an array has no names, so it must be from this graph",
            (unsigned long long)mr_npy_reader_rows(array), (unsigned long long)reader->n);
    }
    for (uint64_t v = 0; v < reader->n && status == MR_OK; v++) {
        bool is_end;
        uint32_t vertex = 0;
        status = mr_names_vertex(reader->graph->names, (uint32_t)v, &vertex, err);
        if (status == MR_OK) {
            status = mr_npy_reader_next(array, &reader->start[vertex], &is_end, err);
        }
        if (status == MR_OK && !(reader->start[vertex] >= 0)) {
            status = bad_score(reader, v + 1, err);
        }
    }
    mr_npy_reader_close(array);
    return status;
}

/* Scales the scores, and gives 1/n to pages without a score. */
static enum mr_status complete(struct reader *reader, struct mr_error *err)
{
    const double n = (double)reader->n;
    double largest = 0, sum = 0, n_known = 0;
    char count[32], missing[32];
    for (uint64_t v = 0; v < reader->n; v++) {
        largest = fmax(largest, reader->start[v]);
        n_known += reader->start[v] >= 0 ? 1 : 0;
    }
    if (!(largest > 0)) {
        return mr_error_file(
            err, MR_ERROR_INPUT, mr_input_name(reader->input), 0,
            "gives no page of the graph a score above 0; use scores of this graph");
    }
    for (uint64_t v = 0; v < reader->n; v++) {
        sum += reader->start[v] >= 0 ? reader->start[v] / largest : 0;
    }
    for (uint64_t v = 0; v < reader->n; v++) {
        reader->start[v] =
            reader->start[v] >= 0 ? reader->start[v] / largest / sum * (n_known / n) : 1 / n;
    }
    if (reader->n_unknown > 0 || n_known < n) {
        mr_session_say(reader->session,
                       "note: %s: %s of its names are not pages of the graph, %s pages of the "
                       "graph are not in it",
                       mr_input_name(reader->input), mr_count_text(reader->n_unknown, count),
                       mr_count_text((uint64_t)(n - n_known), missing));
    }
    return MR_OK;
}

enum mr_status mr_pagerank_start_read(struct mr_session *session, const struct mr_graph *graph,
                                      const char *path, double **start, struct mr_error *err)
{
    const struct mr_context *context = &session->context;
    struct reader reader = {
        .session = session, .graph = graph, .n = mr_store_info(graph->store)->n_vertices};
    void *memory = NULL;
    bool is_array = false;
    *start = NULL;
    if (reader.n == 0) {
        return MR_OK;
    }
    enum mr_status status = mr_memory_alloc(context->memory, "scores to start from",
                                            reader.n * sizeof(double), &memory, err);
    if (status != MR_OK) {
        return status;
    }
    reader.start = memory;
    for (uint64_t v = 0; v < reader.n; v++) {
        reader.start[v] = -1;
    }
    status = mr_input_open(context, path, &reader.input, err);
    if (status == MR_OK) {
        status = mr_npy_probe(reader.input, &is_array, err);
    }
    if (status == MR_OK) {
        status = is_array ? read_array(&reader, err) : read_lines(&reader, err);
    }
    if (status == MR_OK) {
        status = complete(&reader, err);
    }
    mr_input_close(reader.input);
    if (status != MR_OK) {
        mr_memory_free(context->memory, memory);
        return status;
    }
    *start = reader.start;
    return MR_OK;
}
