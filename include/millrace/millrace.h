/* All of libmillrace's public headers. Each may be included alone as well. */
#ifndef MILLRACE_MILLRACE_H
#define MILLRACE_MILLRACE_H

#include "millrace/context.h"
#include "millrace/error.h"
#include "millrace/version.h"

#endif
