/* SPDX-License-Identifier: Apache-2.0 */
/* The manifest: the file that describes the other files of a store. Internal to the engine.
 *
 * It is small, has a fixed size and is written last. It has the figures of a store, the sizes of
 * its files and the checksum of the index (engine/store/index.h). The parser treats the bytes as
 * hostile: anything that does not add up exactly is MR_ERROR_CORRUPT. Layout:
 * docs/store-format.md. */
#ifndef MR_ENGINE_STORE_MANIFEST_H
#define MR_ENGINE_STORE_MANIFEST_H

#include <stddef.h>

#include "engine/store/store.h"

struct mr_memory;

#define MR_MANIFEST_BYTES 512u

/* A member of a struct and its bytes on disk. Its size says what it is: 4 and 8 bytes are an
 * integer or a floating-point number; a bool is a bit of the u32 at `at`. A table of fields ends
 * with one of 0 bytes. */
struct mr_field {
    uint16_t at;
    uint8_t bytes, bit;
    uint16_t member;
    uint16_t
        in_info; /* of a figure, a u64 of a struct of u64 alone: that of struct mr_store_info */
};
#define MR_FIELD(AT, type, name)                                                                   \
    {                                                                                              \
        .at = AT, .bytes = sizeof((type *)0)->name, .member = offsetof(type, name)                 \
    }
#define MR_FLAG(AT, BIT, type, name)                                                               \
    {                                                                                              \
        .at = AT, .bytes = 1, .bit = BIT, .member = offsetof(type, name)                           \
    }
#define MR_FIGURE(AT, type, name, of_store)                                                        \
    {                                                                                              \
        .at = AT, .bytes = sizeof(uint64_t), .member = offsetof(type, name),                       \
        .in_info = offsetof(struct mr_store_info, of_store)                                        \
    }

void mr_fields_put(const struct mr_field *fields, const void *from, uint8_t *out);
void mr_fields_get(const struct mr_field *fields, const uint8_t *in, void *to);
/* Puts figures into `info`. Are they the figures in it? */
void mr_figures_state(const struct mr_field *figures, const void *from, struct mr_store_info *info);
bool mr_figures_agree(const struct mr_field *figures, const void *from,
                      const struct mr_store_info *info);
/* Adds figures. */
void mr_figures_add(const struct mr_field *figures, void *total, const void *part);

/* Writes the path of a file in `directory` to `path`. `is_weighted` chooses the file of the
 * weighted set. Errors: USAGE if the path is too long. */
enum mr_status mr_store_file_path(const char *directory, bool is_weighted, enum mr_store_file which,
                                  char *path, size_t path_bytes,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Writes the figures that a manifest has. Sets format_version and store_id. */
void mr_manifest_serialize(struct mr_store_info *info, uint8_t bytes[MR_MANIFEST_BYTES]);
/* Parses and checks a manifest; figures that it does not have become 0. `n_bytes` is the file's
 * size; `bytes` has its first MR_MANIFEST_BYTES, or all if there are fewer. Errors: CORRUPT; INPUT
 * for another format version. */
enum mr_status mr_manifest_parse(const uint8_t *bytes, uint64_t n_bytes, const char *path,
                                 struct mr_store_info *info, struct mr_error *err) MR_WARN_UNUSED;

#endif
