/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes the frames of a zstd file ahead, in threads. formats/stream/input.c starts the team at
 * the second frame and takes decoded frames from it in order.
 *
 * A thread locks the mutex, cuts the next frame off the file, unlocks the mutex and decodes. Frames
 * are cut by the sizes in their block headers, which costs little, so one lock around the file is
 * enough. The frames stand in a ring of slots; it bounds the memory. */
#include "formats/stream/input_internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <zstd.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"

enum {
    SLOTS_PER_THREAD = 2,
    MEMORY_SHARE = 8,
    MAX_THREADS = 64,
    BLOCK_HEADER_BYTES = 3,
    CHECKSUM_BYTES = 4,
    BLOCK_MAX_BYTES = 128 << 10, /* of a block, compressed or decoded */
    SKIPPABLE_HEADER_BYTES = 8,
    PATIENCE_NS = 100000000
};

/* Bytes of a decoder, as in formats/stream/input.c. */
#define DECODER_BYTES ((uint64_t)512 << 10)

/* Bytes of a frame, both compressed and decoded; less where memory is short. pzstd writes frames of
 * 8 MiB by default. */
#define FRAME_MAX_BYTES ((uint64_t)40 << 20)
#define FRAME_MIN_BYTES ((uint64_t)1 << 20)

static const char memory_name[] = "decompression";

struct frame_slot {
    struct mr_frame frame;
    enum mr_status status; /* status of reading the file */
    struct mr_error error;
    bool is_done;
    void *packed, *data; /* charged to the budget */
    size_t packed_room, data_room; /* bytes of `packed` and of `data` */
    size_t data_bound; /* the frame decodes to at most this many bytes */
};

struct frame_worker {
    struct mr_frame_team *team;
    pthread_t thread;
    ZSTD_DCtx *decoder;
};

struct mr_frame_team {
    const struct mr_context *context;
    struct mr_frame_reader reader;
    const ZSTD_DDict *dictionary; /* or NULL */
    uint64_t frame_bytes; /* most bytes of a frame */
    struct frame_slot *slots; /* [n_slots] */
    unsigned n_slots, n_threads;
    struct frame_worker workers[MAX_THREADS]; /* [n_threads] work */
    uint64_t charged_bytes;

    pthread_mutex_t mutex; /* guards the reader and the fields below */
    pthread_cond_t has_room, has_frame;
    uint64_t n_read, n_given; /* frames cut, and frames handed out, since the beginning */
    bool holds_one; /* the caller still uses the frame before n_given */
    bool ended, stopped;
};

/* ---- Cutting ---- */

/* Make room for `bytes` in a buffer of a slot; false where no memory is left. */
static bool reserve(struct mr_frame_team *team, void **buffer, size_t *room, size_t bytes)
{
    if (bytes <= *room) {
        return true;
    }
    const size_t wanted = (size_t)mr_min_u64(mr_max_u64(bytes, 2 * *room), team->frame_bytes);
    if (bytes > wanted ||
        mr_memory_resize(team->context->memory, memory_name, buffer, wanted, NULL) != MR_OK) {
        return false;
    }
    *room = wanted;
    return true;
}

/* Move `bytes` from the file to the slot's frame. `*moved` is false where the file ends before, or
 * there is no room. */
static enum mr_status move(struct mr_frame_team *team, struct frame_slot *slot, size_t bytes,
                           bool *moved, struct mr_error *err)
{
    const uint8_t *at;
    size_t held;
    struct mr_frame *frame = &slot->frame;
    enum mr_status status = team->reader.fill(team->reader.data, bytes, &at, &held, err);

    *moved = status == MR_OK && held >= bytes &&
             reserve(team, &slot->packed, &slot->packed_room, frame->packed_bytes + bytes);
    if (*moved) {
        memcpy((uint8_t *)slot->packed + frame->packed_bytes, at, bytes);
        frame->packed_bytes += bytes;
        team->reader.skip(team->reader.data, bytes);
    }
    return status;
}

/* Move all blocks of the frame; its header is in the slot already. */
static enum mr_status move_blocks(struct mr_frame_team *team, struct frame_slot *slot,
                                  const struct mr_zstd_frame *header, bool *moved,
                                  struct mr_error *err)
{
    const size_t block_max = (size_t)mr_min_u64(header->window_bytes, BLOCK_MAX_BYTES);
    enum mr_status status = MR_OK;
    bool is_last = false;

    while (status == MR_OK && *moved && !is_last) {
        const uint8_t *at;
        size_t held;
        status = team->reader.fill(team->reader.data, BLOCK_HEADER_BYTES, &at, &held, err);
        if (status != MR_OK || held < BLOCK_HEADER_BYTES) {
            *moved = false;
            break;
        }
        const uint32_t block = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
        const uint32_t kind = block >> 1 & 3, size = block >> 3;
        enum { RLE = 1, COMPRESSED = 2 };
        is_last = (block & 1) != 0;
        slot->data_bound += kind == COMPRESSED ? block_max : size;
        if (size > BLOCK_MAX_BYTES || slot->data_bound > team->frame_bytes) {
            *moved = false;
            break;
        }
        status =
            move(team, slot, BLOCK_HEADER_BYTES + (kind == RLE ? 1 : (size_t)size), moved, err);
    }
    if (status == MR_OK && *moved && header->has_checksum) {
        status = move(team, slot, CHECKSUM_BYTES, moved, err);
    }
    return status;
}

/* Cut the next frame off the file into `slot`; `*found` is false at the end of the file. Skip a
 * skippable frame if all of it is there. If the bytes are not a frame, the slot gets none of
 * them. */
static enum mr_status cut(struct mr_frame_team *team, struct frame_slot *slot, bool *found,
                          struct mr_error *err)
{
    struct mr_frame_reader *reader = &team->reader;
    struct mr_zstd_frame header;
    const uint8_t *at;
    size_t held;
    enum mr_status status;

    slot->frame = (struct mr_frame){.is_whole = false};
    slot->data_bound = 0;
    for (;;) {
        status = reader->fill(reader->data, MR_ZSTD_FRAME_HEADER_MAX, &at, &held, err);
        *found = status == MR_OK && held > 0;
        slot->frame.offset = reader->offset(reader->data);
        if (!*found || !mr_zstd_frame_parse(at, held, &header)) {
            return status;
        }
        if (!header.skippable) {
            break;
        }
        if (held < SKIPPABLE_HEADER_BYTES) {
            return MR_OK;
        }
        const uint64_t bytes = SKIPPABLE_HEADER_BYTES + (uint64_t)mr_get_u32(at + 4);
        if (bytes > MR_FRAME_FILL_BYTES) {
            return MR_OK;
        }
        status = reader->fill(reader->data, (size_t)bytes, &at, &held, err);
        if (status != MR_OK || held < bytes) {
            return status;
        }
        reader->skip(reader->data, (size_t)bytes);
    }
    bool moved = false;
    status = move(team, slot, header.header_bytes, &moved, err);
    if (status == MR_OK && moved) {
        status = move_blocks(team, slot, &header, &moved, err);
    }
    slot->frame.packed = slot->packed;
    slot->frame.is_whole = moved;
    return status;
}

/* ---- Decoding ---- */

static void decode(struct mr_frame_team *team, struct frame_slot *slot, ZSTD_DCtx *decoder)
{
    struct mr_frame *frame = &slot->frame;
    /* At least one byte, so that the data of an empty frame is not NULL. */
    if (slot->status != MR_OK || !frame->is_whole ||
        !reserve(team, &slot->data, &slot->data_room, slot->data_bound + 1)) {
        return;
    }
    const size_t bytes = ZSTD_decompress_usingDDict(
        decoder, slot->data, slot->data_room, frame->packed, frame->packed_bytes, team->dictionary);
    if (!ZSTD_isError(bytes)) {
        frame->data = slot->data;
        frame->data_bytes = bytes;
    }
}

static void *work(void *data)
{
    const struct frame_worker *worker = data;
    struct mr_frame_team *team = worker->team;

    (void)pthread_mutex_lock(&team->mutex);
    for (;;) {
        while (!team->stopped && !team->ended &&
               team->n_read - team->n_given + team->holds_one >= team->n_slots) {
            (void)pthread_cond_wait(&team->has_room, &team->mutex);
        }
        if (team->stopped || team->ended) {
            break;
        }
        struct frame_slot *slot = &team->slots[team->n_read % team->n_slots];
        bool found;
        slot->is_done = false;
        slot->error = (struct mr_error){.status = MR_OK};
        slot->status = cut(team, slot, &found, &slot->error);
        if (slot->status == MR_OK && !found) {
            team->ended = true;
            break;
        }
        team->n_read++;
        team->ended = slot->status != MR_OK || !slot->frame.is_whole;
        (void)pthread_mutex_unlock(&team->mutex);
        decode(team, slot, worker->decoder);
        (void)pthread_mutex_lock(&team->mutex);
        slot->is_done = true;
        (void)pthread_cond_broadcast(&team->has_frame);
    }
    (void)pthread_cond_broadcast(&team->has_frame);
    (void)pthread_cond_broadcast(&team->has_room);
    (void)pthread_mutex_unlock(&team->mutex);
    return NULL;
}

/* ---- The team ---- */

void mr_frame_team_destroy(struct mr_frame_team *team)
{
    if (team == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&team->mutex);
    team->stopped = true;
    (void)pthread_cond_broadcast(&team->has_room);
    (void)pthread_mutex_unlock(&team->mutex);
    for (unsigned i = 0; i < team->n_threads; i++) {
        (void)pthread_join(team->workers[i].thread, NULL);
    }
    for (unsigned i = 0; i < MAX_THREADS; i++) {
        (void)ZSTD_freeDCtx(team->workers[i].decoder);
    }
    for (unsigned i = 0; i < team->n_slots; i++) {
        mr_memory_free(team->context->memory, team->slots[i].packed);
        mr_memory_free(team->context->memory, team->slots[i].data);
    }
    mr_memory_discharge(team->context->memory, memory_name, team->charged_bytes);
    free(team->slots);
    free(team);
}

/* Start as many threads as possible; one is enough. */
static void start(struct mr_frame_team *team, unsigned n_threads)
{
    for (unsigned i = 0; i < n_threads; i++) {
        struct frame_worker *worker = &team->workers[i];
        *worker = (struct frame_worker){.team = team, .decoder = ZSTD_createDCtx()};
        if (worker->decoder == NULL || pthread_create(&worker->thread, NULL, work, worker) != 0) {
            return;
        }
        team->n_threads++;
    }
}

enum mr_status mr_frame_team_create(const struct mr_context *context,
                                    const struct mr_frame_reader *reader,
                                    const ZSTD_DDict *dictionary, struct mr_frame_team **out,
                                    struct mr_error *err)
{
    const unsigned n_threads = (unsigned)mr_min_u64(context->threads, MAX_THREADS);
    const unsigned n_slots = SLOTS_PER_THREAD * n_threads;
    const uint64_t decoders_bytes = n_threads * DECODER_BYTES;
    const uint64_t share = mr_memory_available(context->memory) / MEMORY_SHARE;
    struct mr_frame_team *team;

    *out = NULL;
    if (n_threads == 0 || share < decoders_bytes + 2 * n_slots * FRAME_MIN_BYTES ||
        mr_memory_charge(context->memory, memory_name, decoders_bytes, NULL) != MR_OK) {
        return MR_OK;
    }
    team = calloc(1, sizeof *team);
    struct frame_slot *slots = calloc(n_slots, sizeof *slots);
    if (team == NULL || slots == NULL) {
        free(team);
        free(slots);
        mr_memory_discharge(context->memory, memory_name, decoders_bytes);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory to decompress");
    }
    team->context = context;
    team->reader = *reader;
    team->dictionary = dictionary;
    team->slots = slots;
    team->n_slots = n_slots;
    team->charged_bytes = decoders_bytes;
    team->frame_bytes = mr_min_u64(FRAME_MAX_BYTES, (share - decoders_bytes) / (2 * n_slots));
    team->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    team->has_room = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    team->has_frame = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    start(team, n_threads);
    if (team->n_threads == 0) {
        mr_frame_team_destroy(team);
        return MR_OK;
    }
    *out = team;
    return MR_OK;
}

/* Wait for a frame, but not for long: a signal may reach another thread, so the caller must look at
 * the cancel flag from time to time. */
static void await_frame(struct mr_frame_team *team)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += PATIENCE_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void)pthread_cond_timedwait(&team->has_frame, &team->mutex, &until);
}

enum mr_status mr_frame_team_next(struct mr_frame_team *team, const struct mr_frame **frame,
                                  struct mr_error *err)
{
    enum mr_status status = MR_OK;

    *frame = NULL;
    (void)pthread_mutex_lock(&team->mutex);
    team->holds_one = false;
    (void)pthread_cond_broadcast(&team->has_room);
    struct frame_slot *slot = &team->slots[team->n_given % team->n_slots];
    while (status == MR_OK && !(team->n_given < team->n_read && slot->is_done) &&
           !(team->ended && team->n_given == team->n_read)) {
        status = mr_context_poll(team->context, err);
        if (status == MR_OK) {
            await_frame(team);
        }
    }
    if (status == MR_OK && team->n_given < team->n_read) {
        team->n_given++;
        team->holds_one = true;
        status = slot->status;
        *frame = status == MR_OK ? &slot->frame : NULL;
        if (status != MR_OK && err != NULL && err->status == MR_OK) {
            *err = slot->error;
        }
    }
    (void)pthread_mutex_unlock(&team->mutex);
    return status;
}
