/* Structs of the public face that begin with struct_size: a program that was compiled with an
 * older or a newer header still gets what it asks for. */
#ifndef MR_ENGINE_BASE_SIZED_STRUCT_H
#define MR_ENGINE_BASE_SIZED_STRUCT_H

#include <stddef.h>

#include "engine/base/error.h"

/* Copy `options`, which begins with its size, to `out[out_bytes]`; what it lacks is 0. `options`
 * may be NULL: all 0. Errors: USAGE for a size that cannot be, and for a field that this library
 * does not know and that is not 0. */
enum mr_status mr_sized_take(const void *options, void *out, size_t out_bytes,
                             struct mr_error *err) MR_WARN_UNUSED;

/* Copy `figures[figures_bytes]` to `out`, which begins with its size: as much as both have, the
 * rest 0. The size stays. `out` may be NULL. */
void mr_sized_give(const void *figures, size_t figures_bytes, void *out);

#endif
