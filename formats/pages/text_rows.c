/* SPDX-License-Identifier: Apache-2.0 */
/* The loop over the lines of lists and files of scores. Most of the time goes into fields and
 * decimal numbers, so the threads parse chunks of lines into batches of rows (line_team.h). Names
 * are looked up when the rows are taken, one chunk after the other. */
#include "formats/pages/text_rows.h"

#include "engine/base/memory.h"

enum {
    CHUNK_BYTES = 64 << 10, /* so that the rows of a chunk stay in the L2 cache */
    BATCH_ROWS = 4096 /* more than a chunk has, if its lines have 16 bytes or more */
};

struct mr_row_batch {
    struct mr_text_rows *rows;
    struct mr_line_chunk *chunk;
    struct mr_row *items; /* [n] of [BATCH_ROWS] */
    unsigned n, i; /* the one that is taken */
};

/* Takes the rows of a batch when all lines before are done. Returns false in `*has_turn` if another
 * thread failed. */
static enum mr_status flush(struct mr_row_batch *batch, bool *has_turn, struct mr_error *err)
{
    struct mr_text_rows *rows = batch->rows;
    struct mr_line_chunk *chunk = batch->chunk;
    enum mr_status status = MR_OK;

    *has_turn = mr_line_chunk_await(chunk);
    if (*has_turn) {
        rows->taken = batch; /* and no more of `rows`, which the other threads read */
    }
    for (batch->i = 0; *has_turn && batch->i < batch->n && status == MR_OK; batch->i++) {
        struct mr_row *row = &batch->items[batch->i];
        row->line += chunk->lines_before;
        status = rows->take(rows->data, row, err);
    }
    batch->n = 0;
    return status;
}

struct mr_line_place mr_text_rows_place(const struct mr_text_rows *rows)
{
    const struct mr_row_batch *batch = rows->taken;
    const struct mr_line_chunk *chunk = batch->chunk;
    const struct mr_row *row = &batch->items[batch->i];
    struct mr_line_place place = chunk->place;

    place.pending += (uint64_t)(chunk->text + chunk->bytes - row->text) - row->bytes;
    return place;
}

static enum mr_status take_chunk(struct mr_row_batch *batch, struct mr_error *err)
{
    const struct mr_text_rows *rows = batch->rows;
    const char *at = batch->chunk->text, *const end = at + batch->chunk->bytes;
    uint64_t line = 0;
    bool has_turn = true;
    enum mr_status status = MR_OK;

    while (at < end && status == MR_OK && has_turn) {
        struct mr_row *row = &batch->items[batch->n];
        const char *stop = memchr(at, '\n', (size_t)(end - at)), *const next = stop + 1;
        mr_lines_trim(&at, &stop);
        *row = rows->begin;
        row->text = at;
        row->bytes = (size_t)(stop - at);
        row->line = ++line;
        at = next;
        if (rows->parse(rows->data, row, NULL) != MR_OK) {
            struct mr_row bad = *row;
            status = flush(batch, &has_turn, err);
            if (status == MR_OK && has_turn) {
                bad.line += batch->chunk->lines_before;
                status = rows->parse(rows->data, &bad, err);
            }
            break;
        }
        batch->n += row->name != NULL;
        if (batch->n == BATCH_ROWS || (at == end && batch->n > 0)) {
            status = flush(batch, &has_turn, err);
        }
    }
    if (status == MR_OK) {
        mr_line_chunk_pass(batch->chunk, line);
    }
    return status;
}

/* A mr_line_work. */
static enum mr_status work(void *data, struct mr_line_chunk *chunk, struct mr_error *err)
{
    struct mr_text_rows *rows = data;
    struct mr_memory *memory = rows->context->memory;
    struct mr_row_batch batch = {.rows = rows, .chunk = chunk};
    enum mr_status status = mr_memory_array(memory, "batch of rows", BATCH_ROWS, &batch.items, err);

    while (status == MR_OK) {
        status = mr_line_chunk_next(chunk, err);
        if (status != MR_OK || chunk->bytes == 0) {
            break;
        }
        status = take_chunk(&batch, err);
    }
    mr_memory_free(memory, batch.items);
    return status;
}

enum mr_status mr_text_rows_read(struct mr_text_rows *rows, struct mr_error *err)
{
    return mr_line_team_run(rows->context, rows->input, rows->lines,
                            mr_line_team_size(rows->context), CHUNK_BYTES, work, rows, err);
}
