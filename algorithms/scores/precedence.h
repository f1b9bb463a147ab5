/* SPDX-License-Identifier: Apache-2.0 */
/* Precedence levels from scores; millrace/levels.h has the public interface. */
#ifndef MR_ALGORITHMS_SCORES_PRECEDENCE_H
#define MR_ALGORITHMS_SCORES_PRECEDENCE_H

#include "engine/base/context.h"
#include "millrace/levels.h"

#endif
