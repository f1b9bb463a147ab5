/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing facts.1. Builds and appends write it; check, show, export and --revisit read
 * it. Its blocks are neither compressed nor indexed, so a block's location follows from its number,
 * and its first row says which pages it has. */
#include "engine/store/fetch_facts.h"

#include <assert.h>
#include <stdlib.h>

#include <xxhash.h>

#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "engine/store/block.h"
#include "engine/store/store.h"

#define WAY_OUT "; restore the store from a copy or build it again"

enum { ROW_BYTES = MR_FETCH_FACTS_ROW_BYTES + MR_FETCH_FACTS_DIGESTS_BYTES }; /* of the longest */
#define STORED_BYTES(row_bytes) (MR_BLOCK_HEADER_BYTES + (row_bytes)*MR_FETCH_FACTS_BLOCK_ROWS)
_Static_assert(STORED_BYTES(ROW_BYTES) % MR_NAME_ALIGN == 0 &&
                   STORED_BYTES(MR_FETCH_FACTS_ROW_BYTES) % MR_NAME_ALIGN == 0 &&
                   STORED_BYTES(ROW_BYTES) <= MR_BLOCK_MAX_BYTES,
               "full blocks need no padding");

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

static uint64_t end_hash(const XXH3_state_t *state)
{
    const uint64_t hash = XXH3_64bits_digest(state);
    return hash != 0 ? hash : 1;
}

/* ---- Reading ---- */

struct mr_fetch_facts_reader {
    const struct mr_context *context;
    struct mr_block_location place;
    uint64_t n_rows, n_vertices;
    uint64_t next; /* number of the row that is read next */
    uint64_t least; /* its position is at least this */
    uint64_t block; /* number of the block in `stored`; UINT64_MAX: none */
    bool digests, has_gone; /* rows have them */
    uint32_t row_bytes;
    uint32_t block_bytes; /* of a full block */
    struct mr_block_codec *codec;
    XXH3_state_t *hash; /* of the rows that were read */
    uint8_t *stored; /* [block_bytes] */
    const uint8_t *raw; /* in `stored` */
};

static struct mr_fetch_facts get_row(const struct mr_fetch_facts_reader *reader, const uint8_t *at)
{
    const bool digests = reader->digests;
    const uint16_t changes = mr_get_u16(at + AT_CHANGES);
    const bool gone = reader->has_gone && changes >= GONE;

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
    const struct mr_store_info *info = mr_store_get_info(store);
    struct mr_fetch_facts_reader *reader = calloc(1, sizeof *reader);

    *out = NULL;
    if (reader == NULL || (reader->hash = XXH3_createState()) == NULL ||
        XXH3_64bits_reset(reader->hash) != XXH_OK) {
        mr_fetch_facts_close(reader);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the fetches of pages");
    }
    reader->context = context;
    reader->place = mr_store_location(store, MR_FILE_FACTS);
    reader->n_rows = info->n_facts;
    reader->n_vertices = info->n_vertices;
    reader->block = UINT64_MAX;
    reader->digests = info->has_digests;
    reader->has_gone = info->has_gone;
    reader->row_bytes = mr_fetch_facts_row_bytes(reader->digests);
    reader->block_bytes = STORED_BYTES(reader->row_bytes);
    enum mr_status status = mr_block_codec_create(context->memory, 0, &reader->codec, err);
    if (status == MR_OK) {
        status = mr_memory_array(context->memory, "fetches of pages", reader->block_bytes,
                                 &reader->stored, err);
    }
    if (status != MR_OK) {
        mr_fetch_facts_close(reader);
        return status;
    }
    *out = reader;
    return MR_OK;
}

void mr_fetch_facts_close(struct mr_fetch_facts_reader *reader)
{
    if (reader != NULL) {
        if (reader->context != NULL) {
            mr_memory_free(reader->context->memory, reader->stored);
        }
        mr_block_codec_destroy(reader->codec);
        (void)XXH3_freeState(reader->hash);
        free(reader);
    }
}

static uint32_t rows_in(const struct mr_fetch_facts_reader *reader, uint64_t block)
{
    return (uint32_t)mr_min_u64(reader->n_rows - block * MR_FETCH_FACTS_BLOCK_ROWS,
                                MR_FETCH_FACTS_BLOCK_ROWS);
}

static enum mr_status is_damaged(const struct mr_fetch_facts_reader *reader, uint64_t block,
                                 struct mr_error *err)
{
    return mr_error_offset(err, MR_ERROR_CORRUPT, mr_file_path(reader->place.file),
                           block * reader->block_bytes,
                           "the fetches of pages make no sense" WAY_OUT);
}

/* Do the rows of the block ascend, and has each possible figures? */
static bool has_good_rows(const struct mr_fetch_facts_reader *reader,
                          const struct mr_block_header *header)
{
    uint64_t least = header->first;
    bool good = true;

    for (uint64_t i = 0; i < header->n_entries && good; i++) {
        const struct mr_fetch_facts row = get_row(reader, reader->raw + reader->row_bytes * i);
        good =
            row.position >= least && makes_sense(&row) && (i > 0 || row.position == header->first);
        least = (uint64_t)row.position + 1;
    }
    return good && least == (uint64_t)header->last + 1 && header->last < reader->n_vertices;
}

static enum mr_status load(struct mr_fetch_facts_reader *reader, uint64_t block,
                           struct mr_error *err)
{
    const uint32_t n = rows_in(reader, block);
    const uint32_t stored = (uint32_t)mr_fetch_facts_bytes(n, reader->digests);
    const uint64_t offset = block * reader->block_bytes;
    struct mr_block_header header;

    if (reader->block == block) {
        return MR_OK;
    }
    reader->block = UINT64_MAX;
    enum mr_status status = mr_context_poll(reader->context, err);
    if (status == MR_OK) {
        status = mr_file_read(reader->place.file, reader->stored, stored, offset, err);
    }
    if (status == MR_OK) { /* plain: it needs no room to decompress */
        status = mr_block_open(
            reader->codec, reader->stored, stored, MR_BLOCK_FETCH_FACTS, reader->place.graph_id,
            reader->stored, mr_file_path(reader->place.file), offset, &header, &reader->raw, err);
    }
    if (status != MR_OK) {
        return status;
    }
    if (header.codec != MR_CODEC_PLAIN || header.raw_bytes != reader->row_bytes * n ||
        header.n_entries != n || header.number != block || header.band != 0 ||
        !has_good_rows(reader, &header)) {
        return is_damaged(reader, block, err);
    }
    reader->block = block;
    return MR_OK;
}

/* Finds row number `at`. */
static enum mr_status row_at(struct mr_fetch_facts_reader *reader, uint64_t at, const uint8_t **row,
                             struct mr_error *err)
{
    const enum mr_status status = load(reader, at / MR_FETCH_FACTS_BLOCK_ROWS, err);

    if (status == MR_OK) {
        *row = reader->raw + reader->row_bytes * (at % MR_FETCH_FACTS_BLOCK_ROWS);
    }
    return status;
}

enum mr_status mr_fetch_facts_read(void *data, struct mr_fetch_facts *row, bool *is_over,
                                   struct mr_error *err)
{
    struct mr_fetch_facts_reader *reader = data;
    const uint8_t *at = NULL;

    *is_over = reader->next == reader->n_rows;
    if (*is_over) {
        return MR_OK;
    }
    enum mr_status status = row_at(reader, reader->next, &at, err);
    if (status == MR_OK) {
        *row = get_row(reader, at);
        (void)XXH3_64bits_update(reader->hash, at, reader->row_bytes);
        if (row->position < reader->least) {
            return is_damaged(reader, reader->block, err);
        }
        reader->least = (uint64_t)row->position + 1;
        reader->next++;
    }
    return status;
}

enum mr_status mr_fetch_facts_find(struct mr_fetch_facts_reader *reader, uint32_t position,
                                   struct mr_fetch_facts *row, struct mr_error *err)
{
    uint64_t low = 0, high = reader->n_rows;
    enum mr_status status = MR_OK;

    *row = (struct mr_fetch_facts){.position = position};
    while (low < high && status == MR_OK) {
        /* look at first rows of blocks until one block is left */
        const uint64_t middle = low + (high - low) / 2;
        const uint64_t begin = middle / MR_FETCH_FACTS_BLOCK_ROWS * MR_FETCH_FACTS_BLOCK_ROWS;
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

uint64_t mr_fetch_facts_id(const struct mr_fetch_facts_reader *reader)
{
    return end_hash(reader->hash);
}

/* ---- Writing ---- */

struct writing {
    const struct mr_fetch_facts_target *target;
    struct mr_file *file; /* NULL: no block is full yet */
    struct mr_block_codec *codec;
    XXH3_state_t *hash;
    uint64_t n_blocks;
    uint32_t n, first, last; /* rows in `raw`, and their positions */
    bool has_gone;
    uint32_t row_bytes;
    uint8_t raw[ROW_BYTES * MR_FETCH_FACTS_BLOCK_ROWS];
    uint8_t stored[STORED_BYTES(ROW_BYTES)];
};

/* Write the rows in `raw` as a block. */
static enum mr_status flush(struct writing *writing, struct mr_error *err)
{
    const uint32_t raw_bytes = writing->row_bytes * writing->n;
    struct mr_block_header header = {.kind = MR_BLOCK_FETCH_FACTS,
                                     .graph_id = writing->target->graph_id,
                                     .first = writing->first,
                                     .last = writing->last,
                                     .n_entries = writing->n,
                                     .number = writing->n_blocks};
    enum mr_status status = MR_OK;

    if (writing->n == 0) {
        return MR_OK;
    }
    if (writing->file == NULL) {
        status = writing->target->open(writing->target->data, &writing->file, err);
    }
    if (status == MR_OK) {
        (void)XXH3_64bits_update(writing->hash, writing->raw, raw_bytes);
        status = mr_block_seal(writing->codec, &header, writing->raw, raw_bytes, MR_NAME_ALIGN,
                               writing->stored, err);
    }
    if (status == MR_OK) {
        status = mr_file_write(writing->file, writing->stored, header.stored_bytes,
                               writing->n_blocks * STORED_BYTES(writing->row_bytes), err);
    }
    writing->n_blocks++;
    writing->n = 0;
    return status;
}

static enum mr_status write_all(const struct mr_context *context, struct writing *writing,
                                mr_fetch_facts_next next, void *data, uint64_t *n_rows,
                                struct mr_error *err)
{
    enum mr_status status = MR_OK;
    struct mr_fetch_facts row;

    for (bool is_over = false; status == MR_OK;) {
        status = next(data, &row, &is_over, err);
        if (status != MR_OK || is_over) {
            break;
        }
        assert(makes_sense(&row) && (*n_rows == 0 || row.position > writing->last));
        put_row(&row, writing->target->digests, writing->raw + writing->row_bytes * writing->n);
        writing->first = writing->n == 0 ? row.position : writing->first;
        writing->last = row.position;
        writing->has_gone |= row.gone;
        ++*n_rows;
        if (++writing->n == MR_FETCH_FACTS_BLOCK_ROWS) {
            status = mr_context_poll(context, err);
            status = status == MR_OK ? flush(writing, err) : status;
        }
    }
    return status == MR_OK ? flush(writing, err) : status;
}

enum mr_status mr_fetch_facts_write(const struct mr_context *context,
                                    const struct mr_fetch_facts_target *target,
                                    mr_fetch_facts_next next, void *data, uint64_t *n_rows,
                                    uint64_t *id, bool *has_gone, struct mr_error *err)
{
    struct writing *writing = NULL;

    *n_rows = *id = 0;
    *has_gone = false;
    enum mr_status status = mr_memory_array(context->memory, "fetches of pages", 1, &writing, err);
    if (status != MR_OK) {
        return status;
    }
    writing->target = target;
    writing->row_bytes = mr_fetch_facts_row_bytes(target->digests);
    writing->hash = XXH3_createState();
    if (writing->hash == NULL || XXH3_64bits_reset(writing->hash) != XXH_OK) {
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the fetches of pages");
    }
    if (status == MR_OK) {
        status = mr_block_codec_create(context->memory, 0, &writing->codec, err);
    }
    if (status == MR_OK) {
        status = write_all(context, writing, next, data, n_rows, err);
    }
    if (status == MR_OK && *n_rows > 0) {
        *id = end_hash(writing->hash);
        *has_gone = writing->has_gone;
    }
    mr_block_codec_destroy(writing->codec);
    (void)XXH3_freeState(writing->hash);
    mr_memory_free(context->memory, writing);
    return status;
}
