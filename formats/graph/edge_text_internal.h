/* What reading text by one thread (edge_text.c) and by several (edge_text_team.c, below it)
 * share. Internal to them. */
#ifndef MR_FORMATS_GRAPH_EDGE_TEXT_INTERNAL_H
#define MR_FORMATS_GRAPH_EDGE_TEXT_INTERNAL_H

#include "formats/graph/edge_lines.h"
#include "formats/graph/edge_text.h"

#define MR_EDGE_TEXT_BATCH 8192u /* edges: 128 KiB, beside a chunk in the L2 cache */

struct mr_edge_text_team;

/* One thread's part of it. */
struct mr_edge_text_reader {
    const struct mr_context *context;
    struct mr_input *input;
    struct mr_build *build;
    const struct mr_edge_text_options *options;
    struct mr_edge_text_summary *summary;
    struct mr_edge *batch; /* [MR_EDGE_TEXT_BATCH] */
    size_t n_batch;
    uint64_t line; /* in this input, from 1; with a team: in this chunk, until its turn has come */
    uint64_t edges; /* from this input */
    uint64_t bytes_done, bytes_total; /* of the input, when the chunk in work was read */
    uint64_t limit; /* DENSE: ids are below it; else UINT64_MAX, and any goes */
    bool ask; /* a vertex list decides about ids */
    bool swap; /* target before source */
    bool nothing_good; /* all lines are bad, as far as that can be seen in advance */
    mr_edge_lines convert;
    unsigned worker; /* of mr_build_edges_by */
    struct mr_edge_text_team *team; /* NULL: alone */
    uint64_t chunk; /* with a team: its number */
    bool has_turn; /* with a team: all chunks before are done, `line` counts from their end */
};

/* Parse [data, end), whole lines with MR_LINES_PADDING_BYTES behind them, and hand all of their
 * edges over. */
typedef enum mr_status (*mr_edge_text_parse)(struct mr_edge_text_reader *reader, const char *data,
                                             const char *end, struct mr_error *err);

static inline void mr_edge_text_report(const struct mr_edge_text_reader *reader)
{
    struct mr_progress progress = {
        .stage = "parse", .unit = "bytes", .edges = reader->edges, .error_bound = -1};

    if (reader->context->progress == NULL) {
        return;
    }
    progress.bytes = reader->bytes_done;
    progress.done = reader->options->bytes_before + reader->bytes_done;
    progress.total =
        reader->options->bytes_total > 0 ? reader->options->bytes_total : reader->bytes_total;
    reader->context->progress(reader->context->progress_data, &progress);
}

/* Wait until all chunks before this reader's are done: its counts and its line are those of the whole
 * input from then on. False when that will not happen, because somebody failed. */
bool mr_edge_text_await_turn(struct mr_edge_text_reader *reader);

/* Threads that memory allows for; 1: do it alone. */
unsigned mr_edge_text_team_size(const struct mr_context *context);

/* All lines of `first->input`, each chunk by `parse`, by `n_workers` threads with readers like
 * `first`, whose summary gets the counts. Errors and notes as one thread would have them. */
enum mr_status mr_edge_text_read_by_team(const struct mr_edge_text_reader *first,
                                         mr_edge_text_parse parse, unsigned n_workers,
                                         struct mr_error *err) MR_WARN_UNUSED;

#endif
