/* SPDX-License-Identifier: Apache-2.0 */
/* About how many different values there are, in 4 KiB: HyperLogLog (Flajolet, Fusy, Gandouet and
 * Meunier, 2007) with linear counting of few values. The error is 1.6% of the number (one standard
 * deviation). */
#ifndef MR_ENGINE_BASE_DISTINCT_H
#define MR_ENGINE_BASE_DISTINCT_H

#include <math.h>
#include <stdint.h>

enum { MR_DISTINCT_BITS = 12 };

/* All zeros at first. */
struct mr_distinct {
    uint8_t registers[1u << MR_DISTINCT_BITS];
};

/* Adds a value by 32 bits of its hash. */
static inline void mr_distinct_add(struct mr_distinct *distinct, uint32_t hash)
{
    const uint32_t rest = hash << MR_DISTINCT_BITS | 1u << (MR_DISTINCT_BITS - 1);
    const uint8_t rank = (uint8_t)(__builtin_clz(rest) + 1);
    uint8_t *most = &distinct->registers[hash >> (32 - MR_DISTINCT_BITS)];
    *most = rank > *most ? rank : *most;
}

/* The number of different values; hashes of 32 bits serve up to some hundred millions. */
static inline uint64_t mr_distinct_count(const struct mr_distinct *distinct)
{
    const double n_registers = 1u << MR_DISTINCT_BITS;
    const double alpha = 0.7213 / (1 + 1.079 / n_registers);
    double sum = 0, n_empty = 0;
    for (unsigned i = 0; i < 1u << MR_DISTINCT_BITS; i++) {
        sum += ldexp(1, -distinct->registers[i]);
        n_empty += distinct->registers[i] == 0;
    }
    const double count = alpha * n_registers * n_registers / sum;
    return (uint64_t)(n_empty > 0 && count <= 2.5 * n_registers
                          ? n_registers * log(n_registers / n_empty)
                          : count);
}

#endif
