/* Whether the blocks of a store are compressed, where that is to be measured. */
#ifndef MR_LIBRARY_CODEC_RESOLVE_H
#define MR_LIBRARY_CODEC_RESOLVE_H

#include "engine/base/context.h"
#include "millrace/build.h"

#define MR_ZSTD_DEFAULT_LEVEL 9

/* Turn MR_ZSTD_MEASURED into 0 or a level, for the disk that `store` will be on, and say why in
 * a note. Any other level stays. */
enum mr_status mr_codec_resolve(const struct mr_context *context, const char *store,
                                int *zstd_level, struct mr_error *err) MR_WARN_UNUSED;

#endif
