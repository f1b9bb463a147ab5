/* SPDX-License-Identifier: Apache-2.0 */
/* What an error of zstd means to the user: no memory, or a failure. Internal. */
#ifndef MR_ENGINE_BASE_ZSTD_STATUS_H
#define MR_ENGINE_BASE_ZSTD_STATUS_H

#include <zstd.h> /* 1.5.7 declares ZSTD_getErrorCode here */
#include <zstd_errors.h>

#include "engine/base/error.h"

static inline enum mr_status mr_zstd_status(size_t result)
{
    return ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation ? MR_ERROR_BUDGET
                                                                     : MR_ERROR_RUNTIME;
}

#endif
