/* Verify a store from the bytes up. */
#ifndef MR_ENGINE_SCAN_CHECK_H
#define MR_ENGINE_SCAN_CHECK_H

#include "engine/names/names.h"
#include "engine/store/store.h"

struct mr_check_summary {
    uint64_t blocks, bytes, edges, vertices;
};

/* Read every block of every file (checksums, headers against the index, padding). With `full` also
 * decode everything: keys ascending and in range, tiles in order and counted right, degrees
 * recounted from the links (4 bytes per vertex, 12 with weights), strengths added up, names ascending and counted. The first thing wrong is
 * MR_ERROR_CORRUPT with file and offset. One sequential reading of the store. `key` orders text
 * names; NULL leaves their order unchecked. */
enum mr_status mr_check(const struct mr_context *context, const char *path, bool full,
                        mr_name_key key, struct mr_check_summary *summary,
                        struct mr_error *err) MR_WARN_UNUSED;

#endif
