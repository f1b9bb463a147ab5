/* SPDX-License-Identifier: Apache-2.0 */
/* Reads an edge list with the threads of formats/table/line_team.h: each parses chunks of lines and
 * adds up its counts, which join those of the input when the chunk has its turn. A bad line waits
 * for the turn. */
#include "engine/base/memory.h"
#include "formats/graph/edge_batch.h"
#include "formats/graph/edge_text_internal.h"

struct mr_edge_text_team {
    const struct mr_edge_text_reader *first;
    mr_edge_text_parse parse;
    uint64_t edges_before; /* in the chunks before the one that has the turn; of its thread */
};

static void add_counts(struct mr_edge_text_summary *to, struct mr_edge_text_summary *from)
{
    to->lines += from->lines;
    to->comments += from->comments;
    to->blank += from->blank;
    to->vertices += from->vertices;
    to->edges += from->edges;
    to->bad_lines += from->bad_lines;
    to->extra_columns += from->extra_columns;
    to->no_values += from->no_values;
    *from = (struct mr_edge_text_summary){0};
}

bool mr_edge_text_await_turn(struct mr_edge_text_reader *reader)
{
    const struct mr_edge_text_team *team = reader->team;

    if (reader->chunk->has_turn) {
        return true;
    }
    if (!mr_line_chunk_await(reader->chunk)) {
        return false;
    }
    reader->line += reader->chunk->lines_before;
    reader->edges += team->edges_before;
    add_counts(team->first->summary, reader->summary);
    reader->summary = team->first->summary;
    return true;
}

/* Ends the turn of a finished chunk; the next chunk has its turn. */
static void pass_turn(struct mr_edge_text_reader *reader)
{
    if (mr_edge_text_await_turn(reader)) {
        mr_graph_report(reader->context, reader->options, &reader->chunk->place, reader->edges);
        reader->team->edges_before = reader->edges;
        mr_line_chunk_pass(reader->chunk, reader->line - reader->chunk->lines_before);
    }
}

/* A mr_line_work. */
static enum mr_status work(void *data, struct mr_line_chunk *chunk, struct mr_error *err)
{
    struct mr_edge_text_team *team = data;
    struct mr_edge_text_reader reader = *team->first;
    struct mr_memory *memory = reader.context->memory;
    struct mr_edge_text_summary counts = {0}; /* of a chunk, until it has its turn */
    enum mr_status status =
        mr_memory_array(memory, "edge batch", MR_EDGE_TEXT_BATCH, &reader.batch, err);

    reader.team = team;
    reader.chunk = chunk;
    while (status == MR_OK) {
        status = mr_line_chunk_next(chunk, err);
        if (status != MR_OK || chunk->bytes == 0) {
            break;
        }
        reader.line = 0;
        reader.edges = 0;
        reader.summary = &counts;
        status = team->parse(&reader, chunk->text, chunk->text + chunk->bytes, err);
        if (status == MR_OK) {
            pass_turn(&reader);
        }
    }
    mr_memory_free(memory, reader.batch);
    return status;
}

enum mr_status mr_edge_text_read_by_team(const struct mr_edge_text_reader *first,
                                         mr_edge_text_parse parse, unsigned n_workers,
                                         struct mr_error *err)
{
    struct mr_edge_text_team team = {.first = first, .parse = parse};
    struct mr_lines *lines = NULL;
    enum mr_status status = mr_lines_open(first->context, first->input, &lines, err);

    if (status == MR_OK) {
        status = mr_line_team_run(first->context, first->input, lines, n_workers, SIZE_MAX, work,
                                  &team, err);
    }
    mr_lines_close(lines);
    return status;
}
