/* Scores to integer precedence levels: public, millrace/levels.h. */
#ifndef MR_ALGORITHMS_SCORES_PRECEDENCE_H
#define MR_ALGORITHMS_SCORES_PRECEDENCE_H

#include "engine/base/context.h"
#include "millrace/levels.h"

#endif
