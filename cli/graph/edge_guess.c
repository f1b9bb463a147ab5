/* How many links inputs have that were not read yet: for estimates, and to refuse what will not fit. */
#include <string.h>
#include <sys/stat.h>

#include "cli/graph/import.h"
#include "cli/graph/import_graph.h"
#include "engine/base/memory.h"
#include "engine/io/io.h"

/* Text compresses about so well; links files of crawls do better, random graphs worse. */
#define GUESSED_COMPRESSION 4u
/* Of the builder, per edge, while it is sorted. */
#define SORT_EDGE_BYTES 12u

static uint64_t file_bytes(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
}

/* Looks into a file of lines, so long and so many: its beginning, where numbers are short, is not like the
 * rest. */
enum { LOOK_BYTES = 64 << 10, LOOKS = 4 };

static uint64_t count_lines(const char *data, size_t bytes)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < bytes; i++) {
        lines += data[i] == '\n';
    }
    return lines;
}

/* Lines in a plain file of `whole` bytes, from looks at it here and there. */
static enum mr_status sample_lines(struct mr_session *session, const char *path, uint64_t whole,
                                   uint64_t *lines, struct mr_error *err)
{
    struct mr_file *file = NULL;
    void *data = NULL;
    uint64_t seen = 0;
    enum mr_status status =
        mr_memory_alloc(session->context.memory, "input buffer", LOOK_BYTES, &data, err);
    if (status == MR_OK) {
        status = mr_file_open(session->context.io, path, MR_OPEN_READ, &file, err);
    }
    for (unsigned i = 0; i < LOOKS && status == MR_OK; i++) {
        status = mr_file_read(file, data, LOOK_BYTES, (whole - LOOK_BYTES) / LOOKS * (i + 1), err);
        seen += status == MR_OK ? count_lines(data, LOOK_BYTES) : 0;
    }
    if (file != NULL) {
        mr_file_abandon(file);
    }
    mr_memory_free(session->context.memory, data);
    *lines = (uint64_t)((double)seen * (double)whole / (LOOKS * (double)LOOK_BYTES));
    return status;
}

static enum mr_status guess_lines(struct mr_session *session, const char *path, uint64_t whole,
                                  struct mr_edge_guess *guess, struct mr_error *err)
{
    struct mr_input *input = NULL;
    const char *data = NULL;
    size_t bytes = 0;
    uint64_t lines = 0;
    bool is_plain = true;
    enum mr_status status = mr_input_open(&session->context, path, &input, err);

    if (status != MR_OK) {
        return status;
    }
    status = mr_input_peek(input, &data, &bytes, err);
    if (status == MR_OK) {
        is_plain = mr_input_codec(input) == MR_INPUT_PLAIN;
        lines = count_lines(data, bytes);
    }
    mr_input_close(input);
    /* A beginning that is not all there is stands for the rest of what cannot be looked into. */
    if (status == MR_OK && is_plain && whole >= (uint64_t)LOOKS * LOOK_BYTES) {
        status = sample_lines(session, path, whole, &lines, err);
    } else if (bytes == MR_INPUT_PEEK_BYTES) {
        whole *= is_plain ? 1 : GUESSED_COMPRESSION;
        lines = (uint64_t)((double)lines * (whole < bytes ? 1.0 : (double)whole / (double)bytes));
        guess->is_rough |= !is_plain;
    }
    guess->edges += lines;
    return status;
}

static enum mr_status guess_one(struct mr_session *session, const char *path,
                                struct mr_edge_guess *guess, struct mr_error *err)
{
    const uint64_t whole = file_bytes(path);

    if (strcmp(path, "-") == 0 || (whole == 0 && mr_io_exists(path))) {
        guess->is_rough = true; /* a pipe, whose contents must not be consumed, or nothing */
        return MR_OK;
    }
    const uint64_t stated = mr_graph_edges_stated(session, path);
    guess->edges += stated;
    return stated > 0 ? MR_OK : guess_lines(session, path, whole, guess, err);
}

enum mr_status mr_edge_guess_make(struct mr_session *session, const char *const *inputs,
                                  size_t n_inputs, struct mr_edge_guess *guess,
                                  struct mr_error *err)
{
    enum mr_status status = MR_OK;

    *guess = (struct mr_edge_guess){0};
    for (size_t i = 0; i < n_inputs && status == MR_OK; i++) {
        status = guess_one(session, inputs[i], guess, err);
    }
    return status;
}

enum mr_status mr_import_guess_edges(struct mr_session *session, const char *const *inputs,
                                     size_t n_inputs, uint64_t *edges, struct mr_error *err)
{
    for (size_t i = 0; i < n_inputs; i++) {
        if (strcmp(inputs[i], "-") == 0) {
            return mr_error_set(err, MR_ERROR_USAGE,
                                "--estimate: nothing is known about standard input; name a file");
        }
    }
    struct mr_edge_guess guess;
    const enum mr_status status = mr_edge_guess_make(session, inputs, n_inputs, &guess, err);
    *edges = guess.edges;
    return status;
}

struct mr_estimate mr_build_estimate(const struct mr_session *session, uint64_t edges,
                                     bool undirected)
{
    const uint64_t spooled = undirected ? 2 * edges : edges;
    const uint64_t wanted = MR_MEMORY_FLOOR_BYTES + SORT_EDGE_BYTES * spooled;
    return (struct mr_estimate){
        .memory_bytes = wanted < session->memory_limit ? wanted : session->memory_limit,
        .temporary_bytes =
            mr_build_temporary_bytes(&session->context, MR_IDS_SPARSE, edges, undirected)};
}
