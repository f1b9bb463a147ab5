/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the lines of an input with several threads. Chunks of lines are read one after the other
 * and parsed at the same time; what must be in the order of the input waits for its turn:
 *
 *     worker 0   read 0 | parse 0 ... | turn 0 | read 2 | parse 2 ... | turn 2
 *     worker 1          | read 1 | parse 1 ... | turn 1 | read 3 | ...
 *
 * Decompression is part of reading. */
#ifndef MR_FORMATS_TABLE_LINE_TEAM_H
#define MR_FORMATS_TABLE_LINE_TEAM_H

#include "engine/base/team.h"
#include "formats/table/lines.h"

/* How far an input is read. */
struct mr_line_place {
    uint64_t done, total; /* mr_input_position */
    uint64_t pending; /* decompressed bytes that were read and not taken yet */
};

struct mr_line_team;

/* The chunk of a worker. */
struct mr_line_chunk {
    unsigned worker; /* the number of the thread, from 0 */
    const char *text; /* whole lines, MR_LINES_PADDING_BYTES can be read behind them */
    size_t bytes; /* 0: there is no more */
    struct mr_line_place place; /* of the input, when the chunk was taken */
    bool has_turn;
    uint64_t lines_before; /* with the turn: in all chunks before */
    /* for line_team.c */
    struct mr_line_team *team;
    struct mr_team *turns;
    uint64_t number;
    void *copy; /* [room + MR_LINES_PADDING_BYTES] */
    size_t room;
};

/* What each thread does: take chunks until there is none, parse them, and pass the turn of each. */
typedef enum mr_status (*mr_line_work)(void *data, struct mr_line_chunk *chunk,
                                       struct mr_error *err);

/* The number of threads that the budget allows, at least 1. */
unsigned mr_line_team_size(const struct mr_context *context);

/* Run `work` for the lines of `lines` that were not taken yet, in `n_workers` threads. Chunks have
 * about `chunk_bytes`. Errors: the one at the first line, as with one thread. */
enum mr_status mr_line_team_run(const struct mr_context *context, struct mr_input *input,
                                struct mr_lines *lines, unsigned n_workers, size_t chunk_bytes,
                                mr_line_work work, void *data, struct mr_error *err) MR_WARN_UNUSED;

/* Take the next chunk. Errors: those of the input, when all chunks before are done; of a request to
 * stop; BUDGET. */
enum mr_status mr_line_chunk_next(struct mr_line_chunk *chunk, struct mr_error *err) MR_WARN_UNUSED;
/* Wait until all chunks before are done. Returns false when another worker failed, so that the turn
 * never comes. */
bool mr_line_chunk_await(struct mr_line_chunk *chunk) MR_WARN_UNUSED;
/* End the turn of this chunk, which has `n_lines`. */
void mr_line_chunk_pass(struct mr_line_chunk *chunk, uint64_t n_lines);

#endif
