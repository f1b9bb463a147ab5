/* SPDX-License-Identifier: Apache-2.0 */
/* One entry of a sparse vector over vertices: public, millrace/weights.h. */
#ifndef MR_ENGINE_BASE_VERTEX_WEIGHT_H
#define MR_ENGINE_BASE_VERTEX_WEIGHT_H

#include "millrace/weights.h"

#endif
