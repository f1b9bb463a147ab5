/* SPDX-License-Identifier: Apache-2.0 */
/* Passing options and figures between a program and the library by size. Every public function with
 * such a struct uses it. A struct only ever grows at its end, and 0 is the default of every field
 * that is added there. So a shorter struct is completed with defaults, and a longer struct is
 * accepted if its excess is zero. */
#include "engine/base/sized_struct.h"

#include <stdint.h>
#include <string.h>

enum mr_status mr_sized_copy(const void *options, void *out, size_t out_bytes, struct mr_error *err)
{
    const uint8_t *bytes = options;
    size_t given = 0;

    if (options == NULL) {
        return MR_OK;
    }
    memcpy(&given, options, sizeof given);
    if (given < sizeof given) {
        return mr_error_set(
            err, MR_ERROR_USAGE,
            "the options have a struct_size of %zu; set it to the size of the struct", given);
    }
    for (size_t i = out_bytes; i < given; i++) {
        if (bytes[i] != 0) {
            return mr_error_set(err, MR_ERROR_USAGE,
                                "the options have fields that this version of the library does not "
                                "know; use a newer one");
        }
    }
    memcpy(out, options, given < out_bytes ? given : out_bytes);
    memcpy(out, &out_bytes, sizeof out_bytes);
    return MR_OK;
}

void mr_sized_give(const void *figures, size_t figures_bytes, void *out)
{
    uint8_t *bytes = out;
    size_t wanted = 0;

    if (out == NULL) {
        return;
    }
    memcpy(&wanted, out, sizeof wanted);
    const size_t both = wanted < figures_bytes ? wanted : figures_bytes;
    if (both > sizeof wanted) {
        memcpy(bytes + sizeof wanted, (const uint8_t *)figures + sizeof wanted,
               both - sizeof wanted);
    }
    if (wanted > both) {
        memset(bytes + both, 0, wanted - both);
    }
}
