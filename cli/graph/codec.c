/* Reads --codec and resolves `auto`. Plain links are larger but need no decompression, so a fast
 * disk prefers them and a slow disk prefers zstd. engine/tile/codec_choice.h measures which one
 * gives the faster pass. */
#include "cli/graph/codec.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/program/values.h"
#include "engine/tile/codec_choice.h"

enum { DEFAULT_ZSTD_LEVEL = 9, MAX_ZSTD_LEVEL = 19 };

enum mr_status mr_codec_parse(const char *text, void *zstd_level, struct mr_error *err)
{
    uint64_t level = DEFAULT_ZSTD_LEVEL;

    if (strcmp(text, "plain") == 0) {
        *(int *)zstd_level = 0;
        return MR_OK;
    }
    if (strcmp(text, "auto") == 0) {
        *(int *)zstd_level = MR_CODEC_BY_MEASUREMENT;
        return MR_OK;
    }
    if (strncmp(text, "zstd", 4) != 0 || (text[4] != '\0' && text[4] != ':')) {
        return mr_error_set(err, MR_ERROR_USAGE, "must be plain, zstd, zstd:LEVEL or auto");
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

enum mr_status mr_codec_resolve(const struct mr_context *context, const char *store,
                                int *zstd_level, struct mr_error *err)
{
    struct mr_codec_choice choice;
    char directory[PATH_MAX];
    if (*zstd_level != MR_CODEC_BY_MEASUREMENT) {
        return MR_OK;
    }
    /* The folder that the store will be in: what comes before its last component. */
    (void)snprintf(directory, sizeof directory, "%s", store);
    size_t length = strlen(directory);
    while (length > 1 && directory[length - 1] == '/') {
        length--;
    }
    while (length > 0 && directory[length - 1] != '/') {
        length--;
    }
    directory[length] = '\0';
    enum mr_status status =
        mr_codec_choose(context, length == 0 ? "." : directory, DEFAULT_ZSTD_LEVEL, &choice, err);
    if (status == MR_OK) {
        *zstd_level = choice.zstd_level;
        mr_context_note(
            context,
            "--codec auto: the disk reads %.2f GB/s. A link takes %.2f ns to decode and %.2f ns to "
            "decompress. A pass takes %.2f ns per link with plain and %.2f ns with zstd: %s",
            1e-9 * choice.disk_bytes_per_second, choice.keys_ns, choice.zstd_ns,
            choice.plain_pass_ns, choice.zstd_pass_ns, choice.zstd_level == 0 ? "plain" : "zstd");
    }
    return status;
}
