/* SPDX-License-Identifier: Apache-2.0 */
/* --codec of commands that make stores. */
#ifndef MR_CLI_GRAPH_CODEC_H
#define MR_CLI_GRAPH_CODEC_H

#include "library/codec_resolve.h"

/* mr_codec_parse reads "plain", "zstd" (level 9), "zstd:LEVEL" or "auto" into an int: 0 for plain,
 * the level for zstd, MR_ZSTD_MEASURED for auto, which mr_codec_resolve replaces by one of the
 * others. */
enum mr_status mr_codec_parse(const char *text, void *zstd_level,
                              struct mr_error *err) MR_WARN_UNUSED;

#endif
