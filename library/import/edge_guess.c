/* SPDX-License-Identifier: Apache-2.0 */
/* How many lines a file has: those of a few looks into it are counted. */
#include "library/import/import_graphs.h"

#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "formats/stream/input.h"

/* Text compresses about so well; links files of crawls do better, random graphs worse. */
#define GUESSED_COMPRESSION 4u

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
        status = mr_input_file_read(file, path, data, LOOK_BYTES,
                                    (whole - LOOK_BYTES) / LOOKS * (i + 1), err);
        seen += status == MR_OK ? count_lines(data, LOOK_BYTES) : 0;
    }
    if (file != NULL) {
        mr_file_abandon(file);
    }
    mr_memory_free(context->memory, data);
    *lines = (uint64_t)((double)seen * (double)whole / (LOOKS * (double)LOOK_BYTES));
    return status;
}

enum mr_status mr_edge_guess_lines(const struct mr_context *context,
                                   const struct mr_input_path *path, uint64_t *edges,
                                   bool *is_rough, struct mr_error *err)
{
    uint64_t whole = path->bytes;
    struct mr_input *input = NULL;
    const char *data = NULL;
    size_t bytes = 0;
    uint64_t lines = 0;
    bool is_plain = true;

    if (whole == 0) {
        *is_rough = true; /* a pipe, whose contents must not be consumed, or nothing */
        return MR_OK;
    }
    enum mr_status status = mr_input_open(context, path->path, &input, err);
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
        status = sample_lines(context, path->path, whole, &lines, err);
    } else if (bytes == MR_INPUT_PEEK_BYTES) {
        whole *= is_plain ? 1 : GUESSED_COMPRESSION;
        lines = (uint64_t)((double)lines * (whole < bytes ? 1.0 : (double)whole / (double)bytes));
        *is_rough |= !is_plain;
    }
    *edges += lines;
    return status;
}
