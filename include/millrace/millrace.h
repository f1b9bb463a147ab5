/* SPDX-License-Identifier: Apache-2.0 */
/* Includes all public headers of libmillrace. Each of them can also be included alone. */
#ifndef MILLRACE_MILLRACE_H
#define MILLRACE_MILLRACE_H

#include "millrace/build.h"
#include "millrace/context.h"
#include "millrace/error.h"
#include "millrace/levels.h"
#include "millrace/names.h"
#include "millrace/query.h"
#include "millrace/rank.h"
#include "millrace/scores.h"
#include "millrace/store.h"
#include "millrace/version.h"
#include "millrace/weights.h"

#endif
