/* What reading text by one thread and by several share. Internal to formats/edge_text*.c. */
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

/* Parse lines of numbers, [data, end), whole ones with MR_LINES_PADDING_BYTES behind them. */
enum mr_status mr_edge_text_numbers(struct mr_edge_text_reader *reader, const char *data,
                                    const char *end, struct mr_error *err) MR_WARN_UNUSED;

/* Hand the batch over. */
enum mr_status mr_edge_text_flush(struct mr_edge_text_reader *reader,
                                  struct mr_error *err) MR_WARN_UNUSED;

void mr_edge_text_report(const struct mr_edge_text_reader *reader);

/* Wait until all chunks before this reader's are done: its counts and its line are those of the whole
 * input from then on. False when that will not happen, because somebody failed. */
bool mr_edge_text_await_turn(struct mr_edge_text_reader *reader);

/* Threads that memory allows for; 1: do it alone. */
unsigned mr_edge_text_team_size(const struct mr_context *context);

/* All lines of numbers of `first->input`, by `n_workers` threads with readers like `first`, whose
 * summary gets the counts. Errors and notes as one thread would have them. */
enum mr_status mr_edge_text_read_by_team(const struct mr_edge_text_reader *first,
                                         unsigned n_workers, struct mr_error *err) MR_WARN_UNUSED;

#endif
