/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing facts.1. Builds and appends write it; check, show, export and --revisit read
 * it. Its blocks are not indexed; the first row of a block says which pages it has. */
#include "engine/store/fetch_facts.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/store/column.h"

enum { BLOCK_ROWS = MR_FACTS_BLOCK_ROWS };

/* ---- Rows ---- */

/* The most changes of a row, and the bit above them. */
enum { CHANGES_MOST = 0x7fff, GONE = 0x8000 };

/* Byte offsets in a row; docs/store-format.md, "Fetch facts". */
enum {
    AT_POSITION = 0,
    AT_FIRST = 4,
    AT_LAST = 8,
    AT_FETCHES = 12,
    AT_COMPARED = 14,
    AT_CHANGES = 16, /* with GONE */
    AT_FIRST_DIGEST = 18, /* from here on only with digests */
    AT_LAST_DIGEST = 22
};

static void put_row(const struct mr_fetch_facts *row, bool digests, uint8_t *at)
{
    mr_put_u32(at + AT_POSITION, row->position);
    mr_put_u32(at + AT_FIRST, row->first);
    mr_put_u32(at + AT_LAST, row->last);
    mr_put_u16(at + AT_FETCHES, row->fetches);
    mr_put_u16(at + AT_COMPARED, row->compared);
    mr_put_u16(at + AT_CHANGES,
               (uint16_t)(mr_min_u64(row->changes, CHANGES_MOST) | (row->gone ? GONE : 0)));
    if (digests) {
        mr_put_u32(at + AT_FIRST_DIGEST, row->first_digest);
        mr_put_u32(at + AT_LAST_DIGEST, row->last_digest);
    }
}

static bool makes_sense(const struct mr_fetch_facts *row)
{
    if (row->fetches == 0) {
        return row->gone && row->first == 0 && row->compared == 0 && row->changes == 0 &&
               row->first_digest == 0 && row->last_digest == 0;
    }
    return row->first >= 1 && row->changes <= row->compared && row->compared < row->fetches &&
           (row->fetches == 1 ? row->first == row->last : row->first < row->last);
}

static uint16_t stop_at_most(uint64_t count)
{
    return (uint16_t)mr_min_u64(count, UINT16_MAX);
}

/* Do the digests of two fetches say whether the content has changed between them? */
static bool can_compare(uint32_t before, uint32_t after)
{
    return after == MR_DIGEST_SAME || (before >= MR_DIGEST_FIRST && after >= MR_DIGEST_FIRST);
}

static bool has_changed(uint32_t before, uint32_t after)
{
    return can_compare(before, after) && after != MR_DIGEST_SAME && after != before;
}

static void count_fetches(struct mr_fetch_facts *row, uint64_t fetches, uint64_t compared,
                          uint64_t changes)
{
    row->fetches = stop_at_most(fetches);
    row->compared = (uint16_t)mr_min_u64(compared, row->fetches - 1u);
    row->changes = (uint16_t)mr_min_u64(changes, row->compared);
}

/* Has the row revisits alone, after content that it does not know? */
static bool has_only_revisits(const struct mr_fetch_facts *row)
{
    return row->fetches > 0 && row->last_digest == MR_DIGEST_SAME;
}

/* A revisit is compared with the fetch before it, whoever knows that one. So a row of revisits
 * alone has one comparison more than it may say, until other fetches come to it. */
static uint64_t count_compared(const struct mr_fetch_facts *row)
{
    return has_only_revisits(row) ? row->fetches : row->compared;
}

void mr_fetch_facts_add(struct mr_fetch_facts *row, uint32_t time, uint32_t digest)
{
    const uint32_t before = row->last_digest;
    const uint64_t compared = count_compared(row) + can_compare(before, digest);

    if (row->fetches == 0) {
        row->first = time;
        row->last_digest = digest;
    }
    if (row->fetches == 0 || before == MR_DIGEST_SAME) {
        row->first_digest = digest;
    }
    count_fetches(row, row->fetches + 1u, compared, row->changes + has_changed(before, digest));
    row->last = time;
    row->last_digest = digest != MR_DIGEST_SAME ? digest : row->last_digest;
}

/* The digest of a fetch that both rows have. */
static uint32_t digest_of_both(uint32_t a, uint32_t b)
{
    return a < MR_DIGEST_FIRST && b >= MR_DIGEST_FIRST ? b : a;
}

static void join_digests(struct mr_fetch_facts *a, const struct mr_fetch_facts *b)
{
    const uint32_t later = a->last > b->last ? a->last_digest : b->last_digest;
    const uint32_t other = a->last > b->last ? b->last_digest : a->last_digest;
    const struct mr_fetch_facts *begin = a->first < b->first ? a : b;

    a->first_digest = a->first == b->first        ? digest_of_both(a->first_digest, b->first_digest)
                      : !has_only_revisits(begin) ? begin->first_digest
                                                  : (begin == a ? b : a)->first_digest;
    a->last_digest = a->last == b->last        ? digest_of_both(other, later)
                     : later == MR_DIGEST_SAME ? other
                                               : later;
}

void mr_fetch_facts_date(struct mr_fetch_facts *b, const struct mr_fetch_facts *a)
{
    if (b->fetches == 1 && b->first_digest == MR_DIGEST_NO_FETCH && b->last < a->last) {
        b->first = b->last = a->last;
    }
}

void mr_fetch_facts_join(struct mr_fetch_facts *a, const struct mr_fetch_facts *b,
                         enum mr_links_seen links)
{
    const bool is_newer = b->last > a->last;
    const bool apart = a->last < b->first || b->last < a->first;
    const bool touch = a->last == b->first || b->last == a->first;
    const uint64_t sum = (uint64_t)a->fetches + b->fetches;
    /* a first or last fetch outside of the other's time is none of the other's fetches */
    const uint64_t of_a = (uint64_t)a->fetches + (b->first < a->first) + (b->last > a->last);
    const uint64_t of_b = (uint64_t)b->fetches + (a->first < b->first) + (a->last > b->last);
    const uint64_t fetches = apart ? sum : touch ? sum - 1 : mr_max_u64(of_a, of_b);

    /* comparisons that both may have count once, too: those of the one that has more */
    const struct mr_fetch_facts *more = a->compared >= b->compared ? a : b;
    const uint64_t compared = apart   ? count_compared(a) + count_compared(b)
                              : touch ? (uint64_t)a->compared + b->compared
                                      : more->compared;
    const uint64_t changes = apart || touch ? (uint64_t)a->changes + b->changes : more->changes;
    /* the fetches at the border, or the last one of each */
    const uint32_t before = is_newer ? a->last_digest : b->last_digest;
    const uint32_t after = !is_newer ? a->first_digest : apart ? b->first_digest : b->last_digest;
    /* a change inside `b` has changed the links, too */
    const bool by_links = is_newer && links != MR_LINKS_UNSEEN && b->changes == 0;
    const bool by_digests = (apart || (is_newer && !touch)) && can_compare(before, after) &&
                            !(apart && after == MR_DIGEST_SAME);
    const bool differ =
        (by_links && links == MR_LINKS_OTHER) || (by_digests && has_changed(before, after));
    const bool is_one_more = by_digests || (by_links && !has_only_revisits(b));
    const bool is_older = b->fetches == 0 && b->last > 0 && b->last < a->last;
    const bool gone = (b->gone && !is_older) || (a->gone && !is_newer);

    if (a->fetches == 0 || b->fetches == 0) {
        const bool takes_b = b->fetches > 0 || (a->fetches == 0 && is_newer);
        *a = takes_b ? *b : *a;
        a->gone = gone;
        return;
    }
    a->gone = gone;
    join_digests(a, b);
    a->first = a->first < b->first ? a->first : b->first;
    a->last = a->last > b->last ? a->last : b->last;
    count_fetches(a, fetches, compared + is_one_more, changes + differ);
}

/* ---- Reading ---- */

struct mr_fetch_facts_reader {
    const struct mr_store_info *info;
    struct mr_column_file column;
    uint64_t next; /* number of the row that is read next */
    uint64_t least; /* its position is at least this */
};

static struct mr_fetch_facts get_row(const struct mr_fetch_facts_reader *reader, const uint8_t *at)
{
    const bool digests = reader->info->has_digests;
    const uint16_t changes = mr_get_u16(at + AT_CHANGES);
    const bool gone = reader->info->has_gone && changes >= GONE;

    return (struct mr_fetch_facts){.position = mr_get_u32(at + AT_POSITION),
                                   .first = mr_get_u32(at + AT_FIRST),
                                   .last = mr_get_u32(at + AT_LAST),
                                   .fetches = mr_get_u16(at + AT_FETCHES),
                                   .compared = mr_get_u16(at + AT_COMPARED),
                                   .changes = gone ? changes - GONE : changes,
                                   .gone = gone,
                                   .first_digest = digests ? mr_get_u32(at + AT_FIRST_DIGEST) : 0,
                                   .last_digest = digests ? mr_get_u32(at + AT_LAST_DIGEST) : 0};
}

enum mr_status mr_fetch_facts_open(const struct mr_context *context, const struct mr_store *store,
                                   struct mr_fetch_facts_reader **out, struct mr_error *err)
{
    struct mr_fetch_facts_reader *reader = calloc(1, sizeof *reader);

    *out = NULL;
    if (reader == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the fetches of pages");
    }
    reader->info = mr_store_get_info(store);
    const enum mr_status status = mr_column_open(
        context, &mr_facts_columns[reader->info->has_digests],
        mr_store_location(store, MR_FILE_FACTS), reader->info->n_facts, &reader->column, err);
    if (status != MR_OK) {
        free(reader);
        return status;
    }
    *out = reader;
    return MR_OK;
}

void mr_fetch_facts_close(struct mr_fetch_facts_reader *reader)
{
    if (reader != NULL) {
        mr_column_close(&reader->column);
        free(reader);
    }
}

/* Do the rows of the loaded block ascend, and has each possible figures? */
static bool has_good_rows(const struct mr_fetch_facts_reader *reader)
{
    const struct mr_block_header *header = &reader->column.header;
    const uint32_t row_bytes = reader->column.column->row_bytes;
    uint64_t least = header->first;
    bool good = true;

    for (uint64_t i = 0; i < header->n_entries && good; i++) {
        const struct mr_fetch_facts row = get_row(reader, reader->column.rows + row_bytes * i);
        good =
            row.position >= least && makes_sense(&row) && (i > 0 || row.position == header->first);
        least = (uint64_t)row.position + 1;
    }
    return good && least == (uint64_t)header->last + 1 && header->last < reader->info->n_vertices;
}

/* Finds row number `at`. */
static enum mr_status row_at(struct mr_fetch_facts_reader *reader, uint64_t at, const uint8_t **row,
                             struct mr_error *err)
{
    struct mr_column_file *column = &reader->column;
    const bool is_new = column->block != at / BLOCK_ROWS;
    enum mr_status status = mr_column_load(column, at / BLOCK_ROWS, err);

    if (status == MR_OK && is_new && !has_good_rows(reader)) {
        status = mr_column_damaged(column, err);
    }
    if (status == MR_OK) {
        *row = column->rows + column->column->row_bytes * (at % BLOCK_ROWS);
    }
    return status;
}

enum mr_status mr_fetch_facts_read(void *data, struct mr_fetch_facts *row, bool *is_over,
                                   struct mr_error *err)
{
    struct mr_fetch_facts_reader *reader = data;
    const uint8_t *at = NULL;

    *is_over = reader->next == reader->info->n_facts;
    if (*is_over) {
        return reader->next == 0 ? MR_OK
                                 : mr_column_check_id(&reader->column, reader->info->facts_id, err);
    }
    enum mr_status status = row_at(reader, reader->next, &at, err);
    if (status == MR_OK) {
        *row = get_row(reader, at);
        if (row->position < reader->least) {
            return mr_column_damaged(&reader->column, err);
        }
        reader->least = (uint64_t)row->position + 1;
        reader->next++;
    }
    return status;
}

enum mr_status mr_fetch_facts_find(struct mr_fetch_facts_reader *reader, uint32_t position,
                                   struct mr_fetch_facts *row, struct mr_error *err)
{
    uint64_t low = 0, high = reader->info->n_facts;
    enum mr_status status = MR_OK;

    *row = (struct mr_fetch_facts){.position = position};
    while (low < high && status == MR_OK) {
        /* look at first rows of blocks until one block is left */
        const uint64_t middle = low + (high - low) / 2;
        const uint64_t begin = middle / BLOCK_ROWS * BLOCK_ROWS;
        const uint64_t at = begin > low ? begin : middle;
        const uint8_t *found = NULL;

        status = row_at(reader, at, &found, err);
        if (status == MR_OK && mr_get_u32(found) == position) {
            *row = get_row(reader, found);
            return MR_OK;
        }
        if (status == MR_OK && mr_get_u32(found) < position) {
            low = at + 1;
        } else {
            high = at;
        }
    }
    return status;
}

/* ---- Writing ---- */

enum mr_status mr_fetch_facts_write(const struct mr_context *context, struct mr_file *file,
                                    const struct mr_fetch_facts *first_row,
                                    mr_fetch_facts_next next, void *data,
                                    struct mr_store_info *manifest, struct mr_error *err)
{
    const struct mr_column *column = &mr_facts_columns[manifest->has_digests];
    const struct mr_block_location place = {file, manifest->graph_id};
    struct mr_column_file writer = {0};
    struct mr_fetch_facts row = *first_row;
    uint32_t n = 0, first = 0, last = 0; /* rows in the block, and their positions */
    bool is_over = false;

    enum mr_status status = mr_column_open(context, column, place, 0, &writer, err);
    while (status == MR_OK && !is_over) {
        assert(makes_sense(&row) && (manifest->n_facts == 0 || row.position > last));
        put_row(&row, manifest->has_digests, writer.rows + column->row_bytes * n);
        first = n == 0 ? row.position : first;
        last = row.position;
        manifest->has_gone |= row.gone;
        manifest->n_facts++;
        if (++n == BLOCK_ROWS) {
            status = mr_column_write(&writer, first, last, n, err);
            n = 0;
        }
        if (status == MR_OK) {
            status = next(data, &row, &is_over, err);
        }
    }
    if (status == MR_OK && n > 0) {
        status = mr_column_write(&writer, first, last, n, err);
    }
    if (status == MR_OK) {
        manifest->facts_id = mr_column_id(&writer);
    }
    mr_column_close(&writer);
    return status;
}
