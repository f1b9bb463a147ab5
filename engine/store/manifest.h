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
 * integer or a floating-point number; a bool is a bit of the u32 at `at`. */
struct mr_field {
    uint16_t at;
    uint8_t bytes, bit;
    uint16_t member;
};
#define MR_FIELD(at, type, member)                                                                 \
    {                                                                                              \
        at, sizeof((type *)0)->member, 0, offsetof(type, member)                                   \
    }
#define MR_FLAG(at, bit, type, member)                                                             \
    {                                                                                              \
        at, 1, bit, offsetof(type, member)                                                         \
    }

void mr_fields_put(const struct mr_field *fields, size_t n, const void *from, uint8_t *out);
void mr_fields_get(const struct mr_field *fields, size_t n, const uint8_t *in, void *to);

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
