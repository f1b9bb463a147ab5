/* SPDX-License-Identifier: Apache-2.0 */
/* Reads --codec. */
#include "cli/graph/codec.h"

#include <string.h>

#include "cli/program/values.h"

enum { DEFAULT_ZSTD_LEVEL = 9, MAX_ZSTD_LEVEL = 19 };

enum mr_status mr_codec_parse(const char *text, void *zstd_level, struct mr_error *err)
{
    uint64_t level = DEFAULT_ZSTD_LEVEL;

    if (strcmp(text, "plain") == 0) {
        *(int *)zstd_level = 0;
        return MR_OK;
    }
    if (strncmp(text, "zstd", 4) != 0 || (text[4] != '\0' && text[4] != ':')) {
        return mr_error_set(err, MR_ERROR_USAGE, "must be plain, zstd or zstd:LEVEL");
    }
    if (text[4] == ':') {
        struct mr_error reason = {0};
        if (mr_value_count(text + 5, 1, MAX_ZSTD_LEVEL, &level, &reason) != MR_OK) {
            return mr_error_set(err, MR_ERROR_USAGE, "the level %s",
                                text[5] == '\0' ? "is missing" : "must be from 1 to 19");
        }
    }
    *(int *)zstd_level = (int)level;
    return MR_OK;
}
