/* --codec of commands that make stores. */
#ifndef MR_CLI_GRAPH_CODEC_H
#define MR_CLI_GRAPH_CODEC_H

#include "engine/base/context.h"

/* mr_codec_parse reads "plain", "zstd" (level 9), "zstd:LEVEL" or "auto" into an int: 0 for
 * plain, the level for zstd, MR_CODEC_BY_MEASUREMENT for auto. mr_codec_resolve replaces
 * MR_CODEC_BY_MEASUREMENT by plain or zstd: it measures the disk on which `store` will be, and
 * prints its figures as a note. */
#define MR_CODEC_BY_MEASUREMENT (-1)
enum mr_status mr_codec_parse(const char *text, void *zstd_level,
                              struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_codec_resolve(const struct mr_context *context, const char *store,
                                int *zstd_level, struct mr_error *err) MR_WARN_UNUSED;

#endif
