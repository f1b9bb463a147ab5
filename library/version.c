/* SPDX-License-Identifier: Apache-2.0 */
/* The version of the library that runs. A program may have been compiled with older headers. */
#include "millrace/version.h"

const char *mr_version(void)
{
    return MR_VERSION;
}
