/* All of libmillrace's public headers. Each may be included alone as well. */
#ifndef MILLRACE_MILLRACE_H
#define MILLRACE_MILLRACE_H

#include "millrace/build.h"
#include "millrace/context.h"
#include "millrace/error.h"
#include "millrace/levels.h"
#include "millrace/names.h"
#include "millrace/rank.h"
#include "millrace/scores.h"
#include "millrace/store.h"
#include "millrace/version.h"
#include "millrace/weights.h"

#endif
