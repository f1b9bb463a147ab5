/* SPDX-License-Identifier: Apache-2.0 */
/* Verifies a store from its bytes up. */
#ifndef MR_ENGINE_SCAN_CHECK_H
#define MR_ENGINE_SCAN_CHECK_H

#include "engine/names/names.h"
#include "engine/store/store.h"

/* Read every block of every file and check checksums, headers against the index, and padding. With
 * `full` also decode everything: keys ascend and are in range, tiles are in order and have the
 * right counts, degrees equal those counted from the edges (4 bytes per vertex, 12 with weights),
 * strengths add up, names ascend and have the right count. The first error is MR_ERROR_CORRUPT with
 * file and offset. Reads the store once, sequentially. `key` orders text names; NULL: their order
 * is not checked. */
enum mr_status mr_check(const struct mr_context *context, const char *path, bool full,
                        mr_name_key key, struct mr_check_summary *summary,
                        struct mr_error *err) MR_WARN_UNUSED;

#endif
