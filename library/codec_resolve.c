/* SPDX-License-Identifier: Apache-2.0 */
/* Decides between plain and compressed blocks when the caller wants it measured. It measures the
 * directory where the store will be, because the best choice depends on the speed of that disk. */
#include "library/codec_resolve.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "engine/tile/codec_choice.h"

enum mr_status mr_codec_resolve(const struct mr_context *context, const char *store,
                                int *zstd_level, struct mr_error *err)
{
    struct mr_codec_choice choice;
    char directory[PATH_MAX];
    if (*zstd_level != MR_ZSTD_MEASURED) {
        return MR_OK;
    }
    /* The directory of the store: the path without its last component. */
    (void)snprintf(directory, sizeof directory, "%s", store);
    size_t length = strlen(directory);
    while (length > 1 && directory[length - 1] == '/') {
        length--;
    }
    while (length > 0 && directory[length - 1] != '/') {
        length--;
    }
    directory[length] = '\0';
    enum mr_status status = mr_codec_choose(context, length == 0 ? "." : directory,
                                            MR_ZSTD_DEFAULT_LEVEL, &choice, err);
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
