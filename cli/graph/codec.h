/* --codec of commands that make stores. */
#ifndef MR_CLI_GRAPH_CODEC_H
#define MR_CLI_GRAPH_CODEC_H

#include "engine/base/context.h"

/* "plain", "zstd" (level 9), "zstd:LEVEL" or "auto" into an int: 0 for plain, and MR_CODEC_BY_MEASUREMENT for auto,
 * which mr_codec_resolve turns into one of the others for the place where `store` will be, saying why. */
#define MR_CODEC_BY_MEASUREMENT (-1)
enum mr_status mr_codec_parse(const char *text, void *zstd_level,
                              struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_codec_resolve(const struct mr_context *context, const char *store,
                                int *zstd_level, struct mr_error *err) MR_WARN_UNUSED;

#endif
