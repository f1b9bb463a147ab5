/* SPDX-License-Identifier: Apache-2.0 */
/* The choice between plain and compressed blocks by measurement. */
#ifndef MR_LIBRARY_CODEC_RESOLVE_H
#define MR_LIBRARY_CODEC_RESOLVE_H

#include "engine/base/context.h"
#include "millrace/build.h"

#define MR_ZSTD_DEFAULT_LEVEL 9

/* Replace MR_ZSTD_MEASURED in `*level` by 0 or a level, measured on the disk of `store`, and send
 * the reason as a note. Any other level stays. */
enum mr_status mr_codec_resolve(const struct mr_context *context, const char *store,
                                int *zstd_level, struct mr_error *err) MR_WARN_UNUSED;

#endif
