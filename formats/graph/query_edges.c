/* SPDX-License-Identifier: Apache-2.0 */
/* Reads links from the chunks of rows that DuckDB hands over (formats/stream/query.h):
 *
 *     worker 0   fetch 0 | convert 0 .. | add 0 | fetch 2 | convert 2 .. | add 2
 *     worker 1             | fetch 1 | convert 1 .. | add 1 | ...
 *
 * A chunk is converted column by column, while others are fetched. It is added when all chunks
 * before are: names become pages in the order of the rows (link_rows.h). The reader of text
 * (csv_edges.c) gets the rows that are odd: without a value, with negative ids, odd weights. */
#include "formats/graph/query_edges.h"

#include <pthread.h>

#include "engine/base/memory.h"
#include "engine/base/team.h"
#include "formats/graph/link_columns.h"
#include "formats/graph/link_rows.h"
#include "formats/stream/double_text.h"
#include "formats/table/table.h"

enum { INTEGER_BYTES = 24, CHUNK_TEXT_BYTES = 1 << 20 };

struct query_team {
    struct mr_line_reader *lines;
    struct mr_query *query;
    const struct mr_query_links *links;
    struct query_chunk *chunks; /* [n_workers] */
    pthread_mutex_t fetching; /* guards `n_chunks`, and the query's next rows */
    uint64_t n_chunks;
};

/* The rows of a worker. */
struct query_chunk {
    const struct query_team *team;
    struct mr_query_rows rows;
    bool is_large; /* its texts have more than CHUNK_TEXT_BYTES: no other is fetched meanwhile */
    uint64_t number; /* of the chunk */
    struct mr_link_rows links; /* an odd row goes as text */
    char integers[MR_QUERY_ROWS][2][INTEGER_BYTES]; /* names that are integers */
};
_Static_assert((int)MR_LINK_ROWS >= (int)MR_QUERY_ROWS, "a chunk of a query is a batch of links");

/* ---- Converting ---- */

/* `asks` is the builder if it does not know all ids, else NULL. */
static void take_id(struct query_chunk *chunk, const struct mr_query_column *column, unsigned k,
                    uint64_t row, const struct mr_build *asks)
{
    uint64_t *id = &chunk->links.ids[row][k];
    bool is_odd = false;

    if (column->type == MR_QUERY_VARCHAR) {
        struct mr_table_field field = {.bytes = 0};
        uint64_t bytes;
        field.text = mr_query_text(column, row, &bytes);
        field.bytes = bytes;
        is_odd = !mr_column_whole(&field, id) || mr_column_is_padded(&field);
    } else if (column->type == MR_QUERY_FLOAT || column->type == MR_QUERY_DOUBLE) {
        const double number = mr_query_real(column, row);
        const double most = column->type == MR_QUERY_FLOAT ? MR_SINGLE_WHOLE : MR_DOUBLE_WHOLE;
        *id = number >= 0 && number < most ? (uint64_t)number : 0;
        is_odd = (double)*id != number;
    } else {
        *id = mr_query_integer(column, row, &is_odd);
        is_odd |= *id == UINT64_MAX;
    }
    chunk->links.is_odd[row] |= is_odd || (asks != NULL && !mr_build_knows(asks, *id));
}

static void take_name(struct query_chunk *chunk, const struct mr_query_column *column, unsigned k,
                      uint64_t row, bool is_said)
{
    struct mr_table_field field = {.is_quoted = true};
    uint64_t bytes = 0;

    if (column->type == MR_QUERY_VARCHAR) {
        field.text = mr_query_text(column, row, &bytes);
    } else if (column->type != MR_QUERY_FLOAT && column->type != MR_QUERY_DOUBLE) {
        field.text = chunk->integers[row][k];
        bytes = (uint64_t)(mr_query_put_integer(column, row, chunk->integers[row][k]) - field.text);
    }
    field.bytes = bytes;
    chunk->links.names[row][k] =
        (struct mr_name_ref){.name = field.text, .name_bytes = (uint32_t)bytes};
    chunk->links.is_odd[row] |= bytes == 0 || bytes > MR_NAME_MAX_BYTES ||
                                (column->type == MR_QUERY_VARCHAR && column->is_number) ||
                                memchr(field.text, '\n', bytes) != NULL ||
                                (field.text[bytes - 1] == ')' && *field.text == '(') ||
                                (!is_said && mr_column_has_urls(&field));
    if (!chunk->links.is_odd[row]) {
        chunk->links.names[row][k].hash = mr_build_name_hash(field.text, bytes);
    }
}

static void take_weight(struct query_chunk *chunk, const struct mr_query_column *column,
                        uint64_t row)
{
    double *weight = &chunk->links.weights[row];
    bool is_odd = false;

    if (column->type == MR_QUERY_VARCHAR) {
        uint64_t bytes;
        const char *text = mr_query_text(column, row, &bytes);
        is_odd = !mr_double_read(text, bytes, weight);
    } else {
        *weight = mr_query_real(column, row);
    }
    chunk->links.is_odd[row] |= is_odd || !mr_weight_is_good((float)*weight);
}

/* Are both names no link, such as those of a header? */
static bool are_odd(const struct query_chunk *chunk, uint64_t row, const char *words)
{
    struct mr_table_field fields[2];

    for (unsigned k = 0; k < 2; k++) {
        fields[k] = (struct mr_table_field){.text = chunk->links.names[row][k].name,
                                            .bytes = chunk->links.names[row][k].name_bytes};
    }
    return mr_table_why_none(&fields[0], &fields[1], words) != NULL;
}

static void convert(const struct query_team *team, struct query_chunk *chunk)
{
    const struct mr_query_links *links = team->links;
    const bool has_weights = team->lines->batch.weights && links->columns[2] >= 0;
    const struct mr_build *build = team->lines->batch.sink->lines;
    const bool knows_all =
        team->lines->request.text->ids == MR_IDS_SPARSE && !mr_build_is_frozen(build);
    const struct mr_build *asks = knows_all ? NULL : build;
    const uint64_t n = chunk->rows.n;

    memset(chunk->links.is_odd, 0, sizeof chunk->links.is_odd);
    chunk->links.n = (unsigned)n;
    for (unsigned k = 0; k < (has_weights ? 3 : 2); k++) {
        const struct mr_query_column column =
            mr_query_vector(team->query, &chunk->rows, (uint64_t)links->columns[k]);
        for (uint64_t row = 0; row < n; row++) {
            if (mr_query_is_null(&column, row)) {
                chunk->links.is_odd[row] = true;
            } else if (k == 2) {
                take_weight(chunk, &column, row);
            } else if (links->are_names) {
                take_name(chunk, &column, k, row, links->is_said);
            } else {
                take_id(chunk, &column, k, row, asks);
            }
        }
    }
    for (uint64_t row = 0; row < n && links->are_names && !links->is_said; row++) {
        chunk->links.is_odd[row] = chunk->links.is_odd[row] || are_odd(chunk, row, links->words);
    }
    for (uint64_t row = 0; row < n && !has_weights; row++) {
        chunk->links.weights[row] = 1;
    }
}

/* ---- Adding ---- */

/* A mr_link_rows_odd. */
static enum mr_status add_odd(void *data, unsigned row, struct mr_error *err)
{
    const struct query_chunk *chunk = data;
    const struct query_team *team = chunk->team;
    const char *text = NULL;
    size_t bytes = 0;

    enum mr_status status = mr_query_row(team->query, &chunk->rows, row, &text, &bytes, err);
    if (status == MR_OK) { /* the header is line 1 */
        mr_lines_set_number(team->lines->lines, chunk->rows.first + row + 2);
        status = mr_line_reader_line(team->lines, text, bytes, err);
    }
    return status;
}

/* ---- Threads ---- */

static enum mr_status fetch(struct query_team *team, struct query_chunk *chunk,
                            struct mr_error *err)
{
    (void)pthread_mutex_lock(&team->fetching);
    chunk->number = team->n_chunks++;
    const enum mr_status status = mr_query_next(team->query, &chunk->rows, err);
    chunk->is_large = mr_query_text_bytes(team->query, &chunk->rows) > CHUNK_TEXT_BYTES;
    if (!chunk->is_large) {
        (void)pthread_mutex_unlock(&team->fetching);
    }
    return status;
}

static void release(struct query_team *team, struct query_chunk *chunk)
{
    mr_query_release(team->query, &chunk->rows);
    if (chunk->is_large) {
        (void)pthread_mutex_unlock(&team->fetching);
    }
}

/* A mr_team_work: a chunk is a job. */
static enum mr_status work(void *data, struct mr_team *turns, unsigned worker, struct mr_error *err)
{
    struct query_team *team = data;
    struct query_chunk *chunk = &team->chunks[worker];
    enum mr_status status = MR_OK;
    bool is_end = false;

    while (status == MR_OK && !is_end && !mr_team_failed(turns)) {
        status = fetch(team, chunk, err);
        is_end = chunk->rows.n == 0;
        if (status == MR_OK && !is_end) {
            convert(team, chunk);
        }
        if (!mr_team_await(turns, chunk->number)) {
            status = MR_OK; /* an earlier row has failed */
            is_end = true;
        } else if (status == MR_OK && !is_end) {
            status = mr_link_rows_add(team->lines, &chunk->links, add_odd, chunk, err);
        }
        release(team, chunk);
        if (status == MR_OK && !mr_team_failed(turns)) {
            mr_team_pass(turns);
        }
    }
    return status;
}

enum mr_status mr_query_edges_read(struct mr_line_reader *lines, struct mr_query *query,
                                   const struct mr_query_links *links, struct mr_error *err)
{
    const struct mr_context *context = lines->request.context;
    static const char name[] = "rows of a query";
    const uint64_t each = sizeof(struct query_chunk) + CHUNK_TEXT_BYTES;
    const uint64_t affordable = mr_memory_available(context->memory) / 8 / each;
    const unsigned n_workers = (unsigned)mr_max_u64(1, mr_min_u64(affordable, context->threads));
    struct query_team team = {
        .lines = lines, .query = query, .links = links, .fetching = PTHREAD_MUTEX_INITIALIZER};

    const uint64_t text_bytes = (uint64_t)n_workers * CHUNK_TEXT_BYTES;
    enum mr_status status = mr_memory_charge(context->memory, name, text_bytes, err);
    if (status != MR_OK) {
        return status;
    }
    status = mr_memory_array(context->memory, name, n_workers, &team.chunks, err);
    for (unsigned i = 0; i < n_workers && status == MR_OK; i++) {
        team.chunks[i].team = &team;
        team.chunks[i].rows = (struct mr_query_rows){0};
        memset(team.chunks[i].links.is_longer, 0, sizeof team.chunks[i].links.is_longer);
        team.chunks[i].links.are_names = links->are_names;
    }
    lines->notes_skipped = true;
    if (status == MR_OK) {
        status = mr_team_run(context, UINT64_MAX, n_workers, work, &team, err);
    }
    mr_memory_free(context->memory, team.chunks);
    mr_memory_discharge(context->memory, name, text_bytes);
    return status == MR_OK ? mr_line_reader_end(lines, err) : status;
}
