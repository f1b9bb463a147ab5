/* SPDX-License-Identifier: Apache-2.0 */
/* How many links inputs have that were not read yet: for estimates, and to refuse what will not
 * fit. A format says it in its head, or the lines of a few looks into the file are counted. */
#include "library/import/edge_guess.h"

#include <string.h>
#include <sys/stat.h>

#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "library/import/import_detect.h"

/* Text compresses about so well; links files of crawls do better, random graphs worse. */
#define GUESSED_COMPRESSION 4u

static uint64_t file_bytes(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
}

/* Looks into a file of lines, so long and so many: its beginning, where numbers are short, is
 * not like the rest. */
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
static enum mr_status sample_lines(const struct mr_context *context, const char *path,
                                   uint64_t whole, uint64_t *lines, struct mr_error *err)
{
    struct mr_file *file = NULL;
    void *data = NULL;
    uint64_t seen = 0;
    enum mr_status status =
        mr_memory_alloc(context->memory, "input buffer", LOOK_BYTES, &data, err);
    if (status == MR_OK) {
        status = mr_file_open(context->io, path, MR_OPEN_READ, &file, err);
    }
    for (unsigned i = 0; i < LOOKS && status == MR_OK; i++) {
        status = mr_file_read(file, data, LOOK_BYTES, (whole - LOOK_BYTES) / LOOKS * (i + 1), err);
        seen += status == MR_OK ? count_lines(data, LOOK_BYTES) : 0;
    }
    if (file != NULL) {
        mr_file_abandon(file);
    }
    mr_memory_free(context->memory, data);
    *lines = (uint64_t)((double)seen * (double)whole / (LOOKS * (double)LOOK_BYTES));
    return status;
}

static enum mr_status guess_lines(const struct mr_context *context, const char *path,
                                  uint64_t whole, struct mr_edge_guess *guess, struct mr_error *err)
{
    struct mr_input *input = NULL;
    const char *data = NULL;
    size_t bytes = 0;
    uint64_t lines = 0;
    bool is_plain = true;
    enum mr_status status = mr_input_open(context, path, &input, err);

    if (status == MR_OK) {
        status = mr_input_peek(input, &data, &bytes, err);
    }
    if (status == MR_OK) {
        is_plain = mr_input_codec(input) == MR_INPUT_PLAIN;
        lines = count_lines(data, bytes);
    }
    mr_input_close(input);
    /* A beginning that is not all there is stands for the rest of what cannot be looked into. */
    if (status == MR_OK && is_plain && whole >= (uint64_t)LOOKS * LOOK_BYTES) {
        status = sample_lines(context, path, whole, &lines, err);
    } else if (bytes == MR_INPUT_PEEK_BYTES) {
        whole *= is_plain ? 1 : GUESSED_COMPRESSION;
        lines = (uint64_t)((double)lines * (whole < bytes ? 1.0 : (double)whole / (double)bytes));
        guess->is_rough |= !is_plain;
    }
    guess->edges += lines;
    return status;
}

/* The number of edges that the file says it has, 0 for a file of vertices; UINT64_MAX where it is
 * text of two columns, says nothing or cannot be read. */
static uint64_t edges_stated(const struct mr_context *context, const char *path)
{
    const struct mr_edge_text_options text = {0};
    const struct mr_graph_format *format = NULL;
    struct mr_edge_text_summary summary = {0};
    struct mr_graph_head head = {0};
    struct mr_input *input = NULL;
    struct mr_graph_reader *reader = NULL;

    enum mr_status status = mr_input_open(context, path, &input, NULL);
    if (status == MR_OK) {
        status = mr_import_detect(path, input, &format, NULL);
    }
    if (status == MR_OK) {
        const struct mr_graph_request request = {
            .context = context, .path = path, .input = input, .text = &text, .summary = &summary};
        status = mr_graph_reader_open(format, &request, &head, &reader, NULL);
        mr_graph_reader_close(reader);
    }
    mr_input_close(input);
    if (status == MR_OK && format->detects_vertices) {
        return 0;
    }
    return status == MR_OK && head.n_edges > 0 ? head.n_edges : UINT64_MAX;
}

static enum mr_status guess_one(const struct mr_context *context, const char *path,
                                struct mr_edge_guess *guess, struct mr_error *err)
{
    const uint64_t whole = file_bytes(path);

    if (strcmp(path, "-") == 0 || (whole == 0 && mr_io_exists(path))) {
        guess->is_rough = true; /* a pipe, whose contents must not be consumed, or nothing */
        return MR_OK;
    }
    const uint64_t stated = edges_stated(context, path);
    if (stated == UINT64_MAX) {
        return guess_lines(context, path, whole, guess, err);
    }
    guess->edges += stated;
    return MR_OK;
}

enum mr_status mr_edge_guess_make(const struct mr_context *context, const char *const *inputs,
                                  size_t n_inputs, struct mr_edge_guess *guess,
                                  struct mr_error *err)
{
    enum mr_status status = MR_OK;

    *guess = (struct mr_edge_guess){0};
    for (size_t i = 0; i < n_inputs && status == MR_OK; i++) {
        status = guess_one(context, inputs[i], guess, err);
    }
    return status;
}
