/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files that decode key streams: the functions of a step are always inlined into the
 * loops. Internal. */
#ifndef MR_ENGINE_TILE_KEY_STEPS_H
#define MR_ENGINE_TILE_KEY_STEPS_H

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#endif
