/* The version of the library that runs, which may be newer than the headers a program was
 * compiled with. */
#include "millrace/version.h"

const char *mr_version(void)
{
    return MR_VERSION;
}
