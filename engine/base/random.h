/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers by counter, for generators: each number is computed without the ones before it.
 * Internal to the engine.
 *
 * The function is splitmix64's finalizer (Steele, Lea, Flood 2014, "Fast splittable pseudorandom
 * number generators", in Stafford's variant 13). It is a bijection of 64 bits that leaves no
 * pattern. */
#ifndef MR_ENGINE_BASE_RANDOM_H
#define MR_ENGINE_BASE_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

#define MR_RANDOM_GOLDEN 0x9e3779b97f4a7c15u

static inline uint64_t mr_random_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* The number at (what, index) of the sequence `key`, in any order. */
static inline uint64_t mr_random_at(uint64_t key, uint64_t what, uint64_t index)
{
    return mr_random_mix(mr_random_mix(key + what * MR_RANDOM_GOLDEN) +
                         (index + 1) * MR_RANDOM_GOLDEN);
}

/* A number below `n`, from the upper half of `random`. Each has the same probability up to n /
 * 2^32. */
static inline uint32_t mr_random_below(uint64_t random, uint32_t n)
{
    return (uint32_t)(((random >> 32) * n) >> 32);
}

/* A number below `n`, distributed like the product of two uniform numbers: mostly small. */
static inline uint32_t mr_random_small(uint64_t random, uint32_t n)
{
    uint64_t product = ((random >> 32) * (random & UINT32_MAX)) >> 32;
    return (uint32_t)((product * n) >> 32);
}

/* A probability for mr_random_chance. */
#define MR_SHARE(p) ((uint32_t)((p)*65536.0))

/* True with probability share / 2^16; uses the lowest 16 bits of `random`. */
static inline bool mr_random_chance(uint64_t random, uint32_t share)
{
    return (random & 0xffff) < share;
}

#endif
