/* SPDX-License-Identifier: Apache-2.0 */
/* What stays in memory between passes: the degrees first, half of which every pass of a ranking
 * reads, then the links, all of them decoded, or else the first blocks of them as they are. A
 * cyclic scan through a cache that is too small never hits; a fixed prefix hits for exactly its
 * share.
 *
 * Decoding is half of what a pinned link costs on a Kronecker graph: on two cores with 512 KiB of
 * L2 each kron-22 takes 0.9 ns a link decoded and 1.3 encoded. So links are kept decoded where
 * there is room for 4 bytes each, all or none of them. The tiles are applied in the same order,
 * with the same additions. Where there is still room, the rows of diagonal tiles
 * (engine/tile/rows.h) of the first bands are decoded to stay as well, of as many as fit; and then
 * the out-degrees. */
#include <stdatomic.h>
#include <string.h>

#include <omp.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/team.h"
#include "engine/pass/internal.h"

/* Of an allocation, to pages. */
#define ROUNDING (UINT64_C(1) << 20)

/* Blocks of links up to `entry` are there: from one thread at a time. */
static void report_read(const struct mr_pass *pass, const struct mr_block_entry *entry)
{
    const struct mr_context *context = pass->context;
    const uint64_t done = entry->position + entry->stored_bytes;
    if (context->progress != NULL) {
        const struct mr_progress progress = {.stage = "read",
                                             .done = done,
                                             .total = pass->info->links_bytes,
                                             .unit = "bytes",
                                             .bytes = done,
                                             .error_bound = -1};
        context->progress(context->progress_data, &progress);
    }
}

/* ---- As they are ---- */

/* Read the first blocks of links, or of degrees, into `out`, through the first worker's queue. */
static enum mr_status read_prefix(struct mr_pass *pass, bool of_links,
                                  const struct mr_block_entry *entries, uint64_t n_entries,
                                  uint8_t *out, struct mr_error *err)
{
    struct mr_queue *queue = pass->workers[0].queue;
    uint64_t pushed = 0;
    enum mr_status status = MR_OK;
    for (uint64_t popped = 0; popped < n_entries && status == MR_OK; popped++) {
        for (; pushed < n_entries && mr_queue_has_room(queue) && status == MR_OK; pushed++) {
            const struct mr_block_location place =
                of_links ? mr_store_links_location(pass->store, &entries[pushed])
                         : mr_store_location(pass->store, MR_FILE_DEGREES);
            status = mr_queue_push(queue, place.file, entries[pushed].offset,
                                   entries[pushed].stored_bytes, pushed, err);
        }
        uint8_t *data = NULL;
        uint64_t tag;
        if (status == MR_OK) {
            status = mr_context_poll(pass->context, err);
        }
        if (status == MR_OK) {
            status = mr_queue_pop(queue, &data, &tag, NULL, err);
        }
        if (status == MR_OK) {
            memcpy(out + entries[popped].position, data, entries[popped].stored_bytes);
            if (of_links) {
                report_read(pass, &entries[popped]);
            }
        }
    }
    mr_queue_drain(queue);
    return status;
}

static enum mr_status pin_degrees(struct mr_pass *pass, struct mr_error *err)
{
    uint64_t n_blocks;
    const struct mr_block_entry *blocks = mr_store_degree_blocks(pass->store, &n_blocks);
    const uint64_t bytes = pass->info->degrees_bytes;
    const enum mr_status status =
        mr_memory_array(pass->context->memory, "pinned degrees", bytes + MR_KEYS_SLACK_BYTES,
                        &pass->pinned_degrees, err);
    pass->figures.pinned_degree_bytes = bytes;
    return status == MR_OK ? read_prefix(pass, false, blocks, n_blocks, pass->pinned_degrees, err)
                           : status;
}

static enum mr_status pin_prefix(struct mr_pass *pass, uint64_t available, struct mr_error *err)
{
    uint64_t n_blocks = 0, bytes = 0;
    while (n_blocks < pass->info->n_blocks &&
           bytes + pass->links[n_blocks].stored_bytes <= available) {
        bytes += pass->links[n_blocks++].stored_bytes;
    }
    if (n_blocks == 0) {
        return MR_OK;
    }
    enum mr_status status = mr_memory_array(pass->context->memory, "pinned links",
                                            bytes + MR_KEYS_SLACK_BYTES, &pass->pinned_links, err);
    if (status == MR_OK) {
        status = read_prefix(pass, true, pass->links, n_blocks, pass->pinned_links, err);
    }
    pass->pinned_blocks = n_blocks;
    pass->figures.pinned_bytes = bytes;
    return status;
}

/* ---- Decoded ---- */

/* What all threads decode: in mr_team_works, each every so many blocks or bands, so that it can
 * read ahead. */
struct decoding {
    struct mr_pass *pass;
    uint64_t capacity;
    uint32_t end_band; /* of the bands that get rows */
    _Atomic uint64_t n_bytes; /* of decoded_memory or row_memory, handed out */
};

static enum mr_status decode_together(struct decoding *decoding, mr_team_work work,
                                      struct mr_error *err)
{
    const struct mr_pass *pass = decoding->pass;
    return mr_team_run(pass->context, 0, pass->n_workers, work, decoding, err);
}

/* Behind the tiles of a block: a decoder writes up to so much beyond, and another thread has the
 * next block. */
#define BLOCK_SLACK_BYTES (MR_KEYS_SLACK_KEYS * sizeof(uint32_t))
_Static_assert(BLOCK_SLACK_BYTES >= MR_KEYS_SLACK_BYTES, "streams in corner tiles are read beyond");

/* Bytes of all links decoded, at most: a tile that is cut over blocks is several parts. */
static uint64_t decoded_bytes(const struct mr_store_info *info)
{
    const uint64_t each = 2 * sizeof(struct mr_decoded_head); /* its head, and the rounding */
    return (info->n_tiles + info->n_blocks) * each + info->n_blocks * BLOCK_SLACK_BYTES +
           info->keys_edges * sizeof(uint32_t) + info->corners.bytes;
}

/* Links in corner tiles stay as they are: where nearly all are, there is nothing to gain. */
static bool is_worth_decoding(const struct mr_store_info *info)
{
    return !info->is_weighted && info->keys_edges >= info->n_edges / 8;
}

static uint64_t decoded_memory(const struct mr_store_info *info)
{
    return decoded_bytes(info) + info->n_blocks * sizeof(struct decoded_block) + ROUNDING;
}

static enum mr_status damaged(const struct mr_block_location *place,
                              const struct mr_block_entry *entry, struct mr_error *err)
{
    return mr_error_offset(err, MR_ERROR_CORRUPT, mr_file_path(place->file), entry->offset,
                           "a tile does not decode; the store is damaged: build it again");
}

static uint32_t decoded_encoding(const struct mr_tile *tile)
{
    return tile->encoding != MR_TILE_KEYS ? tile->encoding : MR_TILE_DECODED;
}

/* The keys of a tile, to `keys`. */
static bool decode_tile(const struct mr_tile *tile, uint32_t *keys)
{
    const uint8_t *end = tile->data + tile->data_bytes;
    return mr_keys_best_decoder()(tile->data, end, 0, keys, tile->n_entries) == end;
}

/* Decode an opened block behind those that others have decoded so far. */
static enum mr_status decode_block(struct decoding *decoding, uint64_t block,
                                   const struct mr_block_location *place,
                                   const struct mr_block_header *header, const uint8_t *raw,
                                   struct mr_error *err)
{
    struct mr_pass *pass = decoding->pass;
    const struct mr_block_entry *entry = &pass->links[block];
    struct mr_tile_cursor cursor;
    struct mr_tile tile;
    uint64_t n_bytes = 0;
    mr_tile_cursor_init(&cursor, pass->info, header, raw, mr_file_path(place->file), entry->offset);
    enum mr_status status;
    while ((status = mr_tile_next(&cursor, &tile, err)) == MR_OK && tile.n_entries > 0) {
        n_bytes += mr_tile_decoded_bytes(decoded_encoding(&tile), tile.n_entries, tile.data_bytes);
    }
    if (status != MR_OK) {
        return status;
    }
    const uint64_t taken = n_bytes + BLOCK_SLACK_BYTES;
    const uint64_t at = atomic_fetch_add(&decoding->n_bytes, taken);
    if (taken > decoding->capacity || at > decoding->capacity - taken) {
        return damaged(place, entry, err); /* more links or tiles than the index says */
    }
    uint8_t *out = pass->decoded_memory + at;
    pass->decoded[block] = (struct decoded_block){.tiles = out, .n_bytes = n_bytes};
    mr_tile_cursor_init(&cursor, pass->info, header, raw, mr_file_path(place->file), entry->offset);
    while ((status = mr_tile_next(&cursor, &tile, err)) == MR_OK && tile.n_entries > 0) {
        struct mr_decoded_head *head = (struct mr_decoded_head *)out;
        *head = (struct mr_decoded_head){.stripe = tile.stripe,
                                         .encoding = decoded_encoding(&tile),
                                         .n_entries = tile.n_entries,
                                         .data_bytes = tile.data_bytes};
        if (!mr_tile_is_decoded(head->encoding)) {
            memcpy(head + 1, tile.data, tile.data_bytes);
        } else if (!decode_tile(&tile, (uint32_t *)(head + 1))) {
            return damaged(place, entry, err);
        }
        out += mr_tile_decoded_bytes(head->encoding, head->n_entries, head->data_bytes);
    }
    return status;
}

/* Every n_threads-th block from `thread` on, through the queue of this worker. */
static enum mr_status decode_links(void *data, struct mr_team *team, unsigned thread,
                                   struct mr_error *err)
{
    struct decoding *decoding = data;
    struct mr_pass *pass = decoding->pass;
    struct pass_worker *worker = &pass->workers[thread];
    const unsigned n_threads = (unsigned)omp_get_num_threads();
    const uint64_t n_blocks = pass->info->n_blocks;
    uint64_t pushed = thread;
    uint32_t band = 0;
    enum mr_status status = MR_OK;
    for (uint64_t block = thread; block < n_blocks && status == MR_OK; block += n_threads) {
        const struct mr_block_entry *entry = &pass->links[block];
        const struct mr_block_location place = mr_store_links_location(pass->store, entry);
        for (; pushed < n_blocks && mr_queue_has_room(worker->queue) && status == MR_OK;
             pushed += n_threads) {
            const struct mr_block_entry *next = &pass->links[pushed];
            status = mr_queue_push(worker->queue, mr_store_links_location(pass->store, next).file,
                                   next->offset, next->stored_bytes, pushed, err);
        }
        uint8_t *stored = NULL;
        uint64_t tag;
        struct mr_block_header header;
        const uint8_t *raw = NULL;
        if (status == MR_OK) {
            status = mr_context_poll(pass->context, err);
        }
        if (status == MR_OK) {
            status = mr_queue_pop(worker->queue, &stored, &tag, NULL, err);
        }
        while (block >= pass->bands[band].end_block) {
            band++;
        }
        if (status == MR_OK) {
            status = mr_block_verify(worker->codec, stored, place, entry, MR_BLOCK_LINKS, band,
                                     worker->scratch, &header, &raw, err);
        }
        if (status == MR_OK) {
            status = decode_block(decoding, block, &place, &header, raw, err);
        }
        if (status == MR_OK && thread == 0) { /* the others are about as far */
            report_read(pass, entry);
        }
        if (mr_team_failed(team)) {
            break;
        }
    }
    mr_queue_drain(worker->queue);
    return status;
}

static enum mr_status decode_all(struct mr_pass *pass, uint64_t capacity, struct mr_error *err)
{
    struct mr_memory *memory = pass->context->memory;
    struct decoding decoding = {.pass = pass, .capacity = capacity};
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("blocks of decoded links", pass->info->n_blocks, &pass->decoded),
        MR_WANTED("decoded links", capacity, &pass->decoded_memory),
    };
    enum mr_status result = mr_memory_arrays(memory, arrays, err);
    if (result != MR_OK) {
        return result;
    }
    result = decode_together(&decoding, decode_links, err);
    pass->pinned_blocks = pass->info->n_blocks;
    pass->figures.pinned_bytes = pass->info->links_bytes;
    pass->figures.decoded_bytes = decoding.n_bytes;
    return result;
}

/* Decode the out-degrees of every n_threads-th band from `thread` on. */
static enum mr_status decode_degrees(void *data, struct mr_team *team, unsigned thread,
                                     struct mr_error *err)
{
    const struct decoding *decoding = data;
    struct mr_pass *pass = decoding->pass;
    struct pass_worker *worker = &pass->workers[thread];
    const unsigned n_threads = (unsigned)omp_get_num_threads();
    const struct mr_block_location place = mr_store_location(pass->store, MR_FILE_DEGREES);
    enum mr_status status = MR_OK;
    (void)team;
    for (uint32_t band = thread; band < pass->info->n_bands && status == MR_OK; band += n_threads) {
        uint64_t block = pass->bands[band].first_out_block;
        for (; block < pass->bands[band].end_out_block && status == MR_OK; block++) {
            const struct mr_block_entry *entry = &pass->degrees[block];
            struct mr_block_header header;
            const uint8_t *raw = NULL;
            status =
                mr_block_verify(worker->codec, pass->pinned_degrees + entry->position, place, entry,
                                MR_BLOCK_OUT_DEGREES, band, worker->scratch, &header, &raw, err);
            if (status == MR_OK) {
                uint32_t *degrees = pass->out_degrees + ((size_t)band << pass->info->band_bits);
                status = mr_worker_degrees(worker, &header, raw, entry, degrees, NULL, err);
            }
        }
    }
    return status;
}

/* The out-degrees, which every pass of a ranking wants. */
static enum mr_status keep_out_degrees(struct mr_pass *pass, uint64_t available,
                                       struct mr_error *err)
{
    const uint64_t n = mr_pass_vector_length(pass->info);
    if (pass->pinned_degrees == NULL || pass->info->is_weighted ||
        n * sizeof *pass->out_degrees > available) {
        return MR_OK;
    }
    const enum mr_status status =
        mr_memory_array(pass->context->memory, "out-degrees", n, &pass->out_degrees, err);
    struct decoding decoding = {.pass = pass};
    return status == MR_OK ? decode_together(&decoding, decode_degrees, err) : status;
}

/* ---- Rows ---- */

/* The links of a block of the diagonal, which is pinned. */
static enum mr_status collect_block(struct pass_worker *worker, uint32_t band, uint64_t block,
                                    struct mr_error *err)
{
    struct mr_pass *pass = worker->pass;
    const struct mr_block_entry *entry = &pass->links[block];
    const struct mr_block_location place = mr_store_links_location(pass->store, entry);
    const char *path = mr_file_path(place.file);
    struct mr_tile_cursor cursor;
    if (pass->decoded != NULL) {
        mr_tile_cursor_init_decoded(&cursor, pass->decoded[block].tiles,
                                    pass->decoded[block].n_bytes, path, entry->offset);
        return mr_worker_collect(worker, band, &cursor, err);
    }
    struct mr_block_header header;
    const uint8_t *raw = NULL;
    const enum mr_status status =
        mr_block_verify(worker->codec, pass->pinned_links + entry->position, place, entry,
                        MR_BLOCK_LINKS, band, worker->scratch, &header, &raw, err);
    if (status != MR_OK) {
        return status;
    }
    mr_tile_cursor_init(&cursor, pass->info, &header, raw, path, entry->offset);
    return mr_worker_collect(worker, band, &cursor, err);
}

/* Bytes of the rows of a band, at most. */
static uint64_t row_bytes(const struct mr_store_info *info, const struct mr_band_entry *bands,
                          uint32_t band)
{
    const uint32_t n = (uint32_t)mr_band_vertices(info, band);
    return mr_rows_fit(info, &bands[band]) ? mr_rows_most_bytes(n, bands[band].n_diagonal_edges)
                                           : 0;
}

/* Rows of every n_threads-th band from `thread` on before end_band; those that mr_rows_fit. */
static enum mr_status decode_rows(void *data, struct mr_team *team, unsigned thread,
                                  struct mr_error *err)
{
    struct decoding *decoding = data;
    struct mr_pass *pass = decoding->pass;
    struct pass_worker *worker = &pass->workers[thread];
    const unsigned n_threads = (unsigned)omp_get_num_threads();
    struct mr_rows_room *room = worker->ends[0].rows;
    enum mr_status status = MR_OK;
    for (uint32_t b = thread; b < decoding->end_band && status == MR_OK; b += n_threads) {
        const struct mr_band_entry *band = &pass->bands[b];
        if (!mr_rows_fit(pass->info, band)) {
            continue;
        }
        mr_rows_begin(worker->rows, (uint32_t)mr_band_vertices(pass->info, b));
        for (uint64_t i = band->first_diagonal; i < band->end_block && status == MR_OK; i++) {
            status = collect_block(worker, b, i, err);
        }
        if (status == MR_OK) {
            status = mr_context_poll(pass->context, err);
        }
        if (status != MR_OK || mr_team_failed(team)) {
            break;
        }
        mr_rows_end(worker->rows, room);
        const struct mr_rows rows = mr_rows_of(room);
        const uint64_t bytes = mr_rows_bytes(&rows);
        if (bytes > row_bytes(pass->info, pass->bands, b)) {
            const struct mr_block_entry *first = &pass->links[band->first_diagonal];
            const struct mr_block_location place = mr_store_links_location(pass->store, first);
            return damaged(&place, first, err); /* more than the index says */
        }
        const uint64_t at = atomic_fetch_add(&decoding->n_bytes, bytes);
        pass->rows[b] = mr_rows_copy(&rows, pass->row_memory + at);
    }
    return status;
}

/* The bands before it have rows that fit into `available` bytes, in *bytes at most. */
static uint32_t end_of_rows(const struct mr_pass *pass, uint64_t available, uint64_t *bytes)
{
    uint32_t band = 0;
    *bytes = 0;
    for (; band < pass->info->n_bands; band++) {
        const uint64_t more = row_bytes(pass->info, pass->bands, band);
        if (more > available - *bytes) {
            break;
        }
        *bytes += more;
    }
    return band;
}

/* Decode rows of diagonals to stay, of as many bands as there is room for. All are in one piece of
 * memory: those of one band are too small for huge pages. A crawl of 20 M pages took 87,000 page
 * faults and takes 4,200. */
static enum mr_status keep_rows(struct mr_pass *pass, uint64_t *available, struct mr_error *err)
{
    const uint32_t n_bands = pass->info->n_bands;
    const uint64_t table = mr_min_u64(*available, n_bands * sizeof *pass->rows);
    struct decoding decoding = {.pass = pass};
    uint64_t bytes = 0;
    if (pass->workers[0].rows != NULL && pass->pinned_blocks == pass->info->n_blocks &&
        pass->options.decode_pinned) {
        decoding.end_band = end_of_rows(pass, *available - table, &bytes);
    }
    if (bytes == 0) {
        return MR_OK;
    }
    const struct mr_memory_wanted arrays[] = {MR_WANTED("rows", bytes, &pass->row_memory),
                                              MR_WANTED("rows", n_bands, &pass->rows)};
    enum mr_status status = mr_memory_arrays(pass->context->memory, arrays, err);
    if (status == MR_OK) {
        status = decode_together(&decoding, decode_rows, err);
    }
    pass->figures.row_bytes = decoding.n_bytes;
    *available -= table + bytes;
    return status;
}

/* ---- All of it ---- */

uint64_t mr_pass_pinned_memory(struct mr_store *store, bool sweeps)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    const uint64_t out_degrees =
        info->is_weighted ? 0 : mr_pass_vector_length(info) * sizeof(uint32_t);
    uint64_t bytes = (is_worth_decoding(info) ? decoded_memory(info) : info->links_bytes) +
                     info->degrees_bytes + out_degrees + 2 * ROUNDING;
    for (uint32_t b = 0; sweeps && b < info->n_bands; b++) {
        bytes += sizeof(struct mr_rows) + row_bytes(info, mr_store_bands(store), b);
    }
    return bytes;
}

static enum mr_status pin_links(struct mr_pass *pass, uint64_t *available, struct mr_error *err)
{
    const struct mr_store_info *info = pass->info;
    if (pass->options.decode_pinned && is_worth_decoding(info) &&
        decoded_memory(info) <= *available) {
        *available -= decoded_memory(info);
        return decode_all(pass, decoded_bytes(info), err);
    }
    const enum mr_status status = pin_prefix(pass, *available, err);
    *available -= pass->figures.pinned_bytes;
    return status;
}

enum mr_status mr_pin(struct mr_pass *pass, uint64_t available, struct mr_error *err)
{
    const struct mr_store_info *info = pass->info;
    enum mr_status status = MR_OK;
    if (pass->options.no_pinning || info->n_edges == 0) {
        return MR_OK;
    }
    available -= mr_min_u64(available, ROUNDING);
    if (info->degrees_bytes > 0 && info->degrees_bytes <= available) {
        status = pin_degrees(pass, err);
        available -= info->degrees_bytes;
    }
    if (status == MR_OK) {
        status = pin_links(pass, &available, err);
    }
    if (status == MR_OK) {
        status = keep_rows(pass, &available, err);
    }
    return status == MR_OK && pass->pinned_blocks == info->n_blocks
               ? keep_out_degrees(pass, available, err)
               : status;
}

void mr_pin_destroy(struct mr_pass *pass)
{
    struct mr_memory *memory = pass->context->memory;
    mr_memory_free(memory, pass->rows);
    mr_memory_free(memory, pass->row_memory);
    mr_memory_free(memory, pass->out_degrees);
    mr_memory_free(memory, pass->decoded);
    mr_memory_free(memory, pass->decoded_memory);
    mr_memory_free(memory, pass->pinned_links);
    mr_memory_free(memory, pass->pinned_degrees);
}
