/* SPDX-License-Identifier: Apache-2.0 */
/* Links on their way from the threads that parse them into the batch of a reader
 * (formats/graph/edge_batch.h), for tables, lines of numbers or names, and queries. Threads convert
 * plain rows only. All others go through the line reader, which has the rules and messages, when
 * all rows before are added. */
#include "formats/graph/link_rows.h"

#include "engine/base/memory.h"
#include "formats/graph/edge_lines.h"

/* ---- Adding ---- */

static enum mr_status add_one(struct mr_line_reader *lines, const struct mr_link_rows *rows,
                              unsigned row, struct mr_error *err)
{
    const uint64_t *ids = rows->ids[row];
    enum mr_status status = mr_line_reader_good(lines, 1, err);

    if (status == MR_OK && lines->request.text->mirrors && ids[0] != ids[1]) {
        status = mr_edge_batch_add(&lines->batch, ids[1], ids[0], rows->weights[row], err);
        lines->request.summary->edges -= !lines->batch.weights; /* a line counts as one */
    }
    return status == MR_OK
               ? mr_edge_batch_add(&lines->batch, ids[0], ids[1], rows->weights[row], err)
               : status;
}

/* Adds the links of the rows from `from` to `end`, none of which is odd. Links of numbers that are
 * nothing else go to the sink at once. */
static enum mr_status add_plain(struct mr_line_reader *lines, struct mr_link_rows *rows,
                                unsigned from, unsigned end, mr_link_rows_odd add_odd, void *data,
                                struct mr_error *err)
{
    struct mr_edge_batch *batch = &lines->batch;
    enum mr_status status = MR_OK;

    if (!rows->are_names && !batch->weights && !lines->request.text->mirrors) {
        status = mr_line_reader_good(lines, end - from, err);
        if (status == MR_OK && batch->n > 0) {
            status = mr_edge_batch_flush(batch, err);
        }
        for (unsigned row = from; row < end; row++) {
            lines->request.summary->extra_columns += rows->is_longer[row];
        }
        return status == MR_OK
                   ? mr_edge_batch_pass(batch, (struct mr_edge *)(void *)rows->ids[from], NULL,
                                        end - from, err)
                   : status;
    }
    if (rows->are_names) {
        status = mr_build_all_names(batch->sink->lines, rows->names[from], (size_t)2 * (end - from),
                                    rows->ids[from], err);
    }
    for (unsigned row = from; row < end && status == MR_OK; row++) {
        const uint64_t *ids = rows->ids[row];
        if (rows->are_names && (ids[0] == UINT64_MAX || ids[1] == UINT64_MAX)) {
            status = add_odd(data, row, err);
        } else {
            lines->request.summary->extra_columns += rows->is_longer[row];
            status = add_one(lines, rows, row, err);
        }
    }
    return status;
}

enum mr_status mr_link_rows_add(struct mr_line_reader *lines, struct mr_link_rows *rows,
                                mr_link_rows_odd add_odd, void *data, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (unsigned row = 0, end; row < rows->n && status == MR_OK; row = end) {
        end = row;
        while (end < rows->n && !rows->is_odd[end]) {
            end++;
        }
        if (end > row) {
            status = add_plain(lines, rows, row, end, add_odd, data, err);
        }
        if (status == MR_OK && end < rows->n) {
            status = add_odd(data, end++, err);
        }
    }
    rows->n = 0;
    return status;
}

/* ---- Lines ---- */

enum { CHUNK_BYTES = 64 << 10 }; /* of names, so that the rows of a chunk stay in the L2 cache */

struct rows_team {
    struct mr_line_reader *lines;
    mr_link_rows_take take;
    bool are_names;
    enum mr_plain_lines plain;
    mr_edge_lines convert; /* them, if their ids are below `limit` */
    uint64_t limit;
    const struct mr_build *asks; /* the builder, if it does not know all ids; or NULL */
};

/* The lines of a thread. */
struct rows_of_links {
    struct mr_line_reader *lines;
    struct mr_line_chunk *chunk;
    struct mr_span text[MR_LINK_ROWS];
    uint64_t numbers[MR_LINK_ROWS]; /* of the lines, from 1 in each chunk */
    bool waits; /* all links do: their ids are to be found or checked, or they have weights */
    uint64_t n_early, n_longer; /* links of the chunk that are added and not counted yet */
    struct mr_link_rows rows;
};

/* A mr_link_rows_odd. */
static enum mr_status add_line(void *data, unsigned row, struct mr_error *err)
{
    const struct rows_of_links *worker = data;

    mr_lines_set_number(worker->lines->lines, worker->chunk->lines_before + worker->numbers[row]);
    return mr_line_reader_line(worker->lines, worker->text[row].text, worker->text[row].bytes, err);
}

/* Waits until all lines before are done, and counts the links that did not wait. Returns false in
 * `*has_turn` if another thread failed. */
static enum mr_status await_turn(struct rows_of_links *worker, bool *has_turn, struct mr_error *err)
{
    struct mr_edge_text_summary *summary = worker->lines->request.summary;
    struct mr_edge_batch *batch = &worker->lines->batch;
    const uint64_t n = worker->n_early;

    *has_turn = mr_line_chunk_await(worker->chunk);
    if (!*has_turn) {
        return MR_OK;
    }
    batch->place = &worker->chunk->place;
    batch->worker = worker->waits ? 0 : worker->chunk->worker;
    summary->edges += n;
    batch->n_edges += n;
    summary->extra_columns += worker->n_longer;
    worker->n_early = worker->n_longer = 0;
    const enum mr_status status = n > 0 ? mr_line_reader_good(worker->lines, n, err) : MR_OK;
    return status == MR_OK && n > 0 ? mr_edge_batch_pass(batch, NULL, NULL, 0, err) : status;
}

/* Adds the rows when all lines before are done; links of numbers that are nothing else at once,
 * since the sink takes them in any order. Returns false in `*has_turn` if another thread failed. */
static enum mr_status flush(struct rows_of_links *worker, bool *has_turn, struct mr_error *err)
{
    const struct mr_graph_sink *sink = worker->lines->batch.sink;
    struct mr_link_rows *rows = &worker->rows;

    if (!worker->waits && !worker->chunk->has_turn && memchr(rows->is_odd, true, rows->n) == NULL) {
        const unsigned n = rows->n;
        for (unsigned row = 0; row < n; row++) {
            worker->n_longer += rows->is_longer[row];
        }
        worker->n_early += n;
        rows->n = 0;
        return sink->edges_by(sink->data, worker->chunk->worker,
                              (struct mr_edge *)(void *)rows->ids, n, 0, err);
    }
    const enum mr_status status = await_turn(worker, has_turn, err);
    return status == MR_OK && *has_turn
               ? mr_link_rows_add(worker->lines, rows, add_line, worker, err)
               : status;
}

/* Takes plain lines from `*at` on, as long as they come and the batch has room; `*at` moves behind
 * them. Returns their number. */
static unsigned take_plain(const struct rows_team *team, struct mr_link_rows *rows, const char **at,
                           const char *end)
{
    const char *const begin = *at;
    uint64_t(*ids)[2] = &rows->ids[rows->n];
    const unsigned room = MR_LINK_ROWS - rows->n;
    unsigned n = (unsigned)team->convert(at, end, (struct mr_edge *)(void *)ids, room, team->limit,
                                         team->plain == MR_PLAIN_TURNED);
    unsigned known = 0;

    while (team->asks != NULL && known < n && mr_build_knows(team->asks, ids[known][0]) &&
           mr_build_knows(team->asks, ids[known][1])) {
        known++;
    }
    if (team->asks != NULL && known < n) {
        *at = begin;
        for (n = 0; n < known; n++) {
            *at = (const char *)memchr(*at, '\n', (size_t)(end - *at)) + 1;
        }
    }
    memset(&rows->is_odd[rows->n], 0, n);
    memset(&rows->is_longer[rows->n], 0, n);
    for (unsigned i = 0; i < n; i++) {
        rows->weights[rows->n + i] = 1;
    }
    rows->n += n;
    return n;
}

static enum mr_status take_chunk(const struct rows_team *team, struct rows_of_links *worker,
                                 struct mr_error *err)
{
    struct mr_link_rows *rows = &worker->rows;
    const char *at = worker->chunk->text, *const end = at + worker->chunk->bytes;
    uint64_t line = 0;
    bool has_turn = true;
    enum mr_status status = MR_OK;

    while (at < end && status == MR_OK && has_turn) {
        line += team->plain != MR_PLAIN_NONE ? take_plain(team, rows, &at, end) : 0;
        if (at == end || rows->n == MR_LINK_ROWS) {
            status = flush(worker, &has_turn, err);
            continue;
        }
        const unsigned row = rows->n++;
        uint64_t n_more;
        const char *stop = mr_lines_row_end(team->lines->lines, at, end, &n_more);
        const char *const next = stop + 1;

        mr_lines_trim(&at, &stop);
        worker->text[row] = (struct mr_span){at, (size_t)(stop - at)};
        worker->numbers[row] = line + 1;
        rows->is_longer[row] = false;
        rows->is_odd[row] = !team->take(team->lines, rows, row, at, stop);
        line += 1 + n_more;
        at = next;
        if (rows->n == MR_LINK_ROWS || at == end) {
            status = flush(worker, &has_turn, err);
        }
    }
    if (status == MR_OK && worker->n_early > 0) {
        status = await_turn(worker, &has_turn, err);
    }
    if (status == MR_OK) {
        mr_line_chunk_pass(worker->chunk, line);
    }
    return status;
}

/* A mr_line_work. */
static enum mr_status work(void *data, struct mr_line_chunk *chunk, struct mr_error *err)
{
    const struct rows_team *team = data;
    struct mr_memory *memory = team->lines->request.context->memory;
    struct rows_of_links *worker = NULL;
    enum mr_status status = mr_memory_array(memory, "rows of links", 1, &worker, err);

    if (status == MR_OK) {
        worker->lines = team->lines;
        worker->chunk = chunk;
        worker->rows.n = 0;
        worker->waits = team->are_names || team->limit < UINT64_MAX || team->asks != NULL ||
                        team->lines->batch.weights || team->lines->request.text->mirrors ||
                        team->lines->batch.sink->edges_by == NULL;
        worker->n_early = worker->n_longer = 0;
        worker->rows.are_names = team->are_names;
    }
    while (status == MR_OK) {
        status = mr_line_chunk_next(chunk, err);
        if (status != MR_OK || chunk->bytes == 0) {
            break;
        }
        status = take_chunk(team, worker, err);
    }
    mr_memory_free(memory, worker);
    return status;
}

enum mr_status mr_link_rows_read(struct mr_line_reader *lines, bool are_names,
                                 mr_link_rows_take take, enum mr_plain_lines plain,
                                 struct mr_error *err)
{
    const struct mr_context *context = lines->request.context;
    const struct mr_edge_text_options *text = lines->request.text;
    const struct mr_build *build = lines->batch.sink->lines;
    const bool knows_all = text->ids == MR_IDS_DENSE || !mr_build_is_frozen(build);
    struct rows_team team = {.lines = lines,
                             .take = take,
                             .are_names = are_names,
                             .plain = plain,
                             .convert = mr_edge_lines_best(),
                             .limit = text->ids == MR_IDS_DENSE ? text->n_vertices : UINT64_MAX,
                             .asks = knows_all ? NULL : build};

    const enum mr_status status =
        mr_line_team_run(context, lines->request.input, lines->lines, mr_line_team_size(context),
                         plain == MR_PLAIN_NONE ? CHUNK_BYTES : SIZE_MAX, work, &team, err);
    lines->batch.place = NULL;
    lines->batch.worker = 0;
    return status == MR_OK ? mr_line_reader_end(lines, err) : status;
}
