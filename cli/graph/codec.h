/* SPDX-License-Identifier: Apache-2.0 */
/* --codec of commands that make stores. */
#ifndef MR_CLI_GRAPH_CODEC_H
#define MR_CLI_GRAPH_CODEC_H

#include "engine/base/error.h"

/* Reads "plain", "zstd" (level 9) or "zstd:LEVEL" into an int: 0 for plain, the level for zstd. */
enum mr_status mr_codec_parse(const char *text, void *zstd_level,
                              struct mr_error *err) MR_WARN_UNUSED;

#endif
