/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and reads a run: sorted names in compressed blocks on temporary disk. Front coding and
 * zstd level 1 make names about a quarter of their size, so a run costs little disk and time.
 * dictionary_order.c writes runs, dictionary_merge.c reads them. */
#include "engine/base/zstd_status.h"
#include "engine/builder/vertices/dictionary_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define ZSTD_STATIC_LINKING_ONLY /* for the sizes of contexts, which count in the memory budget */
#include <zstd.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/names/name_block.h"
#include "engine/tile/keys.h"

enum { HEADER_BYTES = 8, LEB_BYTES = 10, RUN_ZSTD_LEVEL = 1 };

/* An entry that fills a block to this size ends it. */
#define BLOCK_BYTES     ((uint64_t)64 << 10)
#define ENTRY_MAX_BYTES (2 * (uint64_t)MR_NAME_MAX_BYTES + 5 * LEB_BYTES)
#define RAW_MAX_BYTES   (BLOCK_BYTES + ENTRY_MAX_BYTES)

struct mr_run_writer {
    struct mr_memory *memory;
    struct mr_scratch_file *file;
    ZSTD_CCtx *zstd;
    uint64_t zstd_bytes; /* bytes charged to the budget */
    uint64_t begin, offset, n_entries;
    uint8_t *raw; /* the one allocation, [RAW_MAX_BYTES] ... */
    uint64_t raw_bytes;
    uint8_t *stored; /* [stored_room] */
    uint64_t stored_room;
    char *previous; /* [MR_NAME_MAX_BYTES] */
    uint32_t previous_bytes;
};

struct mr_run_reader {
    struct mr_memory *memory;
    struct mr_name_run run;
    bool discard;
    uint64_t offset; /* offset of the next block */
    uint8_t *raw; /* the one allocation, [RAW_MAX_BYTES] ... */
    const uint8_t *at, *end;
    uint8_t *stored; /* [stored_room] */
    uint64_t stored_room;
    char *spelling, *canonical; /* [MR_NAME_MAX_BYTES] each */
    struct mr_run_entry entry;
};

/* ---- Writing ---- */

enum mr_status mr_run_writer_create(const struct mr_context *context, struct mr_scratch_file *file,
                                    uint64_t offset, struct mr_run_writer **out,
                                    struct mr_error *err)
{
    struct mr_run_writer *writer = calloc(1, sizeof *writer);

    *out = writer;
    if (writer == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a run of names");
    }
    writer->memory = context->memory;
    writer->file = file;
    writer->begin = writer->offset = offset;
    writer->stored_room = HEADER_BYTES + ZSTD_compressBound(RAW_MAX_BYTES);
    enum mr_status status =
        mr_memory_array(writer->memory, "run of names",
                        RAW_MAX_BYTES + writer->stored_room + MR_NAME_MAX_BYTES, &writer->raw, err);
    if (status == MR_OK) {
        writer->stored = writer->raw + RAW_MAX_BYTES;
        writer->previous = (char *)writer->stored + writer->stored_room;
        uint64_t zstd_bytes = ZSTD_estimateCCtxSize(RUN_ZSTD_LEVEL);
        status = mr_memory_charge(writer->memory, "run of names", zstd_bytes, err);
        writer->zstd_bytes = status == MR_OK ? zstd_bytes : 0;
    }
    if (status == MR_OK) {
        writer->zstd = ZSTD_createCCtx();
        if (writer->zstd == NULL) {
            status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a run of names");
        }
    }
    return status;
}

void mr_run_writer_destroy(struct mr_run_writer *writer)
{
    if (writer == NULL) {
        return;
    }
    (void)ZSTD_freeCCtx(writer->zstd);
    mr_memory_discharge(writer->memory, "run of names", writer->zstd_bytes);
    mr_memory_free(writer->memory, writer->raw);
    free(writer);
}

static enum mr_status write_block(struct mr_run_writer *writer, struct mr_error *err)
{
    size_t bytes = ZSTD_compressCCtx(writer->zstd, writer->stored + HEADER_BYTES,
                                     writer->stored_room - HEADER_BYTES, writer->raw,
                                     writer->raw_bytes, RUN_ZSTD_LEVEL);
    if (ZSTD_isError(bytes) != 0) {
        return mr_error_set(err, mr_zstd_status(bytes), "names cannot be compressed: %s",
                            ZSTD_getErrorName(bytes));
    }
    mr_put_u32(writer->stored, (uint32_t)bytes);
    mr_put_u32(writer->stored + 4, (uint32_t)writer->raw_bytes);
    enum mr_status status = mr_scratch_file_write(writer->file, writer->stored,
                                                  HEADER_BYTES + bytes, writer->offset, err);
    writer->offset += HEADER_BYTES + bytes;
    writer->raw_bytes = 0;
    writer->previous_bytes = 0;
    return status;
}

enum mr_status mr_run_writer_put(struct mr_run_writer *writer, const struct mr_run_entry *entry,
                                 struct mr_error *err)
{
    uint8_t *to = mr_leb_put(writer->raw + writer->raw_bytes, entry->number);

    to = mr_name_put(writer->previous, writer->previous_bytes, entry->spelling,
                     entry->spelling_bytes, to);
    if (entry->canonical == entry->spelling) {
        to = mr_leb_put(to, 0);
    } else {
        uint32_t limit = entry->spelling_bytes < entry->canonical_bytes ? entry->spelling_bytes
                                                                        : entry->canonical_bytes;
        uint32_t shared = 0;
        while (shared < limit && entry->spelling[shared] == entry->canonical[shared]) {
            shared++;
        }
        to = mr_leb_put(to, 1 + (uint64_t)shared);
        to = mr_leb_put(to, entry->canonical_bytes - shared);
        memcpy(to, entry->canonical + shared, entry->canonical_bytes - shared);
        to += entry->canonical_bytes - shared;
    }
    memcpy(writer->previous, entry->spelling, entry->spelling_bytes);
    writer->previous_bytes = entry->spelling_bytes;
    writer->raw_bytes = (uint64_t)(to - writer->raw);
    writer->n_entries++;
    return writer->raw_bytes >= BLOCK_BYTES ? write_block(writer, err) : MR_OK;
}

enum mr_status mr_run_writer_finish(struct mr_run_writer *writer, struct mr_name_run *run,
                                    struct mr_error *err)
{
    enum mr_status status = writer->raw_bytes > 0 ? write_block(writer, err) : MR_OK;

    *run = (struct mr_name_run){.file = writer->file,
                                .begin = writer->begin,
                                .end = writer->offset,
                                .n_entries = writer->n_entries};
    mr_run_writer_destroy(writer);
    return status;
}

/* ---- Reading ---- */

enum mr_status mr_run_reader_open(const struct mr_context *context, const struct mr_name_run *run,
                                  bool discard, struct mr_run_reader **out, struct mr_error *err)
{
    struct mr_run_reader *reader = calloc(1, sizeof *reader);

    *out = reader;
    if (reader == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a run of names");
    }
    reader->memory = context->memory;
    reader->run = *run;
    reader->discard = discard;
    reader->offset = run->begin;
    reader->stored_room = HEADER_BYTES + ZSTD_compressBound(RAW_MAX_BYTES);
    uint64_t bytes = RAW_MAX_BYTES + reader->stored_room + 2 * (uint64_t)MR_NAME_MAX_BYTES;
    assert(bytes <= MR_RUN_READER_BYTES);
    const enum mr_status status =
        mr_memory_array(reader->memory, "run of names", bytes, &reader->raw, err);
    if (status == MR_OK) {
        reader->stored = reader->raw + RAW_MAX_BYTES;
        reader->spelling = (char *)reader->stored + reader->stored_room;
        reader->canonical = reader->spelling + MR_NAME_MAX_BYTES;
    }
    return status;
}

void mr_run_reader_close(struct mr_run_reader *reader)
{
    if (reader != NULL) {
        mr_memory_free(reader->memory, reader->raw);
        free(reader);
    }
}

static enum mr_status read_block(struct mr_run_reader *reader, struct mr_error *err)
{
    uint64_t left = reader->run.end - reader->offset;
    enum mr_status status = left < HEADER_BYTES
                                ? mr_scratch_changed(err)
                                : mr_scratch_file_read(reader->run.file, reader->stored,
                                                       HEADER_BYTES, reader->offset, err);
    if (status != MR_OK) {
        return status;
    }
    uint64_t stored = mr_get_u32(reader->stored), raw = mr_get_u32(reader->stored + 4);
    if (stored > left - HEADER_BYTES || stored > reader->stored_room - HEADER_BYTES || raw == 0 ||
        raw > RAW_MAX_BYTES) {
        return mr_scratch_changed(err);
    }
    status = mr_scratch_file_read(reader->run.file, reader->stored, stored,
                                  reader->offset + HEADER_BYTES, err);
    if (status != MR_OK) {
        return status;
    }
    if (ZSTD_decompress(reader->raw, RAW_MAX_BYTES, reader->stored, stored) != raw) {
        return mr_scratch_changed(err);
    }
    if (reader->discard) {
        mr_scratch_file_discard(reader->run.file, reader->offset, HEADER_BYTES + stored);
    }
    reader->offset += HEADER_BYTES + stored;
    reader->at = reader->raw;
    reader->end = reader->raw + raw;
    reader->entry.spelling_bytes = 0;
    return MR_OK;
}

/* Read the canonical name of an entry. Returns false if there is no valid one. */
static bool take_canonical(struct mr_run_reader *reader)
{
    struct mr_run_entry *entry = &reader->entry;
    uint64_t shared = 0, rest = 0;

    reader->at = mr_leb_get(reader->at, reader->end, &shared);
    if (reader->at == NULL || shared > (uint64_t)entry->spelling_bytes + 1) {
        return false;
    }
    if (shared == 0) {
        entry->canonical = entry->spelling;
        entry->canonical_bytes = entry->spelling_bytes;
        return true;
    }
    shared--;
    reader->at = mr_leb_get(reader->at, reader->end, &rest);
    if (reader->at == NULL || rest > MR_NAME_MAX_BYTES - shared || shared + rest == 0 ||
        rest > (uint64_t)(reader->end - reader->at)) {
        return false;
    }
    memcpy(reader->canonical, entry->spelling, shared);
    memcpy(reader->canonical + shared, reader->at, rest);
    reader->at += rest;
    entry->canonical = reader->canonical;
    entry->canonical_bytes = (uint32_t)(shared + rest);
    return true;
}

enum mr_status mr_run_reader_next(struct mr_run_reader *reader, const struct mr_run_entry **out,
                                  struct mr_error *err)
{
    struct mr_run_entry *entry = &reader->entry;
    uint64_t number = 0;

    *out = NULL;
    if (reader->at == reader->end) {
        if (reader->offset == reader->run.end) {
            return MR_OK;
        }
        enum mr_status status = read_block(reader, err);
        if (status != MR_OK) {
            return status;
        }
    }
    reader->at = mr_leb_get(reader->at, reader->end, &number);
    if (reader->at != NULL) {
        reader->at = mr_name_get(reader->at, reader->end, reader->spelling, &entry->spelling_bytes);
    }
    entry->spelling = reader->spelling;
    if (reader->at == NULL || number > UINT32_MAX || !take_canonical(reader)) {
        return mr_scratch_changed(err);
    }
    entry->number = (uint32_t)number;
    *out = entry;
    return MR_OK;
}
