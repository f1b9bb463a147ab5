/* SPDX-License-Identifier: Apache-2.0 */
/* Public structs that begin with struct_size. A program that was compiled with an older or a newer
 * header still works with this library. */
#ifndef MR_ENGINE_BASE_SIZED_STRUCT_H
#define MR_ENGINE_BASE_SIZED_STRUCT_H

#include <stddef.h>

#include "engine/base/error.h"

/* Copies `options`, which begins with its size, to `out[out_bytes]`, which holds the defaults.
 * Fields that `options` lacks keep them, and all fields if `options` is NULL. The size in `out` is
 * `out_bytes` afterwards. Errors: USAGE for an impossible size, and for a field that this library
 * does not know and that is not 0. */
enum mr_status mr_sized_copy(const void *options, void *out, size_t out_bytes,
                             struct mr_error *err) MR_WARN_UNUSED;

/* Copies `figures[figures_bytes]` to `out`, which begins with its size. Fields that only `out` has
 * become 0. The size in `out` stays. `out` may be NULL. */
void mr_sized_give(const void *figures, size_t figures_bytes, void *out);

#endif
