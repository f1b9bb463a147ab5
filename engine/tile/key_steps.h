/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the loops over vectors: the functions of a step are always inlined into the loops.
 * Internal. */
#ifndef MR_ENGINE_TILE_KEY_STEPS_H
#define MR_ENGINE_TILE_KEY_STEPS_H

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* A vector of elements of `a` and `b`, by their numbers. gcc knows clang's name since version 12.
 */
#if defined(__clang__)
#define SHUFFLE(TYPE, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(TYPE, a, b, ...) __builtin_shuffle(a, b, (TYPE){__VA_ARGS__})
#endif

#endif
