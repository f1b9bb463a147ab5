/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the vertices that the next sweep of OPIC visits, by the policy or by a list of times.
 * Classes of cash replace sorting: the greedy policy needs a threshold only, and four classes per
 * power of two give it in one step. */
#include "algorithms/opic/internal.h"

#include "engine/base/bytes.h"
#include "engine/base/random.h"
#include <string.h>

enum {
    FULL_EVERY = 16, /* greedy: a full sweep now and then visits every vertex infinitely often */
    RANDOM_SHARE = 10 /* the random policy visits 1 / RANDOM_SHARE of the vertices */
};

/* Cash of 0..3 units has class 0. Above that there are four classes per power of two, ascending. */
uint32_t mr_opic_class(uint64_t cash)
{
    if (cash < 4) {
        return 0;
    }
    const unsigned log = 63u - (unsigned)__builtin_clzll(cash);
    return 4 * log + (uint32_t)(cash >> (log - 2) & 3);
}

/* The least cash of a class; at least 1. */
static uint64_t class_begins(uint32_t class)
{
    return class < 8 ? 1 : (uint64_t)(4 + class % 4) << (class / 4 - 2);
}

/* The least cash of the highest classes that together hold half of the cash of fetched vertices. */
static uint64_t half_of_the_cash(const struct mr_opic *opic)
{
    uint64_t all = 0, above = 0;
    for (uint32_t i = 0; i < OPIC_CLASSES; i++) {
        all += opic->classes[i];
    }
    for (uint32_t i = OPIC_CLASSES; i-- > 0;) {
        above += opic->classes[i];
        if (above >= all - all / 2 && above > 0) {
            return class_begins(i);
        }
    }
    return 1;
}

/* The key of the choice: the largest keys are chosen; 0 is never chosen. */
static uint64_t key_of(const struct mr_opic *opic, uint32_t v)
{
    if ((opic->flags[v] & OPIC_FETCHED) == 0) {
        return 0;
    }
    if (opic->options.policy == MR_OPIC_GREEDY) {
        return opic->cash[v];
    }
    return mr_random_mix(opic->salt + v * MR_RANDOM_GOLDEN) | 1;
}

/* Mark the `wanted` vertices with the largest keys; of equal keys, those of the lowest numbers. If
 * fewer have a key, mark these. The key at the border is found digit by digit, like a radix sort
 * that follows one digit only; then a last scan marks. That needs no array of the vertices, which
 * sorting would need. */
static void mark_largest(struct mr_opic *opic, uint64_t wanted)
{
    const uint32_t n = (uint32_t)opic->info->n_vertices;
    const int bits = n < MR_SELECT_DIGITS ? 8 : 16; /* few vertices: few counters */
    const uint32_t last = (1u << bits) - 1;
    uint64_t border = 0; /* leading digits of the key at the border */
    uint64_t left = wanted; /* still wanted among the keys with these digits */

    opic->salt = mr_random_mix(opic->options.seed ^ mr_random_mix(opic->sweep));
    for (int shift = 64 - bits; shift >= 0; shift -= bits) {
        memset(opic->digits, 0, ((size_t)last + 1) * sizeof *opic->digits);
        for (uint32_t v = 0; v < n; v++) {
            const uint64_t key = key_of(opic, v);
            if (shift == 64 - bits || key >> (shift + bits) == border) {
                opic->digits[key >> shift & last]++;
            }
        }
        uint32_t digit = last;
        while (digit > 0 && opic->digits[digit] < left) {
            left -= opic->digits[digit--];
        }
        border = border << bits | digit;
    }
    for (uint32_t v = 0; v < n; v++) {
        const uint64_t key = key_of(opic, v);
        if (key > border || (key == border && key > 0 && left > 0)) {
            opic->flags[v] |= OPIC_MARKED;
            left -= key == border;
        }
    }
}

/* Mark the next `wanted` fetched vertices, from the cursor on; after the last vertex comes the
 * first. */
static void mark_next(struct mr_opic *opic, uint64_t wanted)
{
    const uint64_t n = opic->info->n_vertices;
    for (uint64_t seen = 0, marked = 0; seen < n && marked < wanted; seen++) {
        if (opic->cursor >= n) {
            opic->cursor = 0;
        }
        if ((opic->flags[opic->cursor] & OPIC_FETCHED) != 0) {
            opic->flags[opic->cursor] |= OPIC_MARKED;
            marked++;
        }
        opic->cursor++;
    }
}

/* Mark the vertices of slice `number` of the times. Returns false past the last slice. */
static bool mark_slice(struct mr_opic *opic, uint64_t number)
{
    const uint64_t n_slices = opic->options.sweeps > 0 ? opic->options.sweeps : 1;
    const struct mr_vertex_weight *times = opic->options.times;
    if (number >= n_slices) {
        return false;
    }
    const uint64_t first = (uint64_t)((mr_u128)opic->options.n_times * number / n_slices);
    const uint64_t end = (uint64_t)((mr_u128)opic->options.n_times * (number + 1) / n_slices);
    for (uint64_t i = first; i < end; i++) {
        const struct mr_vertex_weight *at = &times[opic->by_time[i]];
        const bool is_later = (opic->flags[at->vertex] & OPIC_VISITED) == 0 ||
                              (uint32_t)at->weight > opic->last[at->vertex];
        if (is_later && (opic->flags[at->vertex] & OPIC_FETCHED) != 0) {
            opic->flags[at->vertex] |= OPIC_MARKED;
        }
        opic->clock = mr_max_u64(opic->clock, (uint64_t)at->weight);
    }
    return true;
}

bool mr_opic_choose(struct mr_opic *opic, uint64_t number)
{
    uint64_t wanted = opic->options.visits;

    opic->choice = OPIC_CHOOSE_MARKED;
    if (opic->options.n_times > 0) {
        return mark_slice(opic, number);
    }
    if (opic->options.policy == MR_OPIC_RANDOM && wanted == 0) {
        wanted = mr_div_up(opic->info->n_vertices, RANDOM_SHARE);
    }
    if (wanted > 0) {
        if (opic->options.policy == MR_OPIC_CYCLIC) {
            mark_next(opic, wanted);
        } else {
            mark_largest(opic, wanted);
        }
    } else if (opic->options.policy == MR_OPIC_GREEDY && number % FULL_EVERY != 0) {
        opic->choice = OPIC_CHOOSE_RICH;
        opic->threshold = half_of_the_cash(opic);
    } else {
        opic->choice = OPIC_CHOOSE_ALL;
    }
    return true;
}
