/* The N largest of many keys without sorting them. Internal to algorithms. */
#ifndef MR_ALGORITHMS_BASE_SELECT_LARGEST_H
#define MR_ALGORITHMS_BASE_SELECT_LARGEST_H

#include <stdint.h>

#define MR_SELECT_DIGITS (1u << 16) /* counters that the caller provides */

struct mr_selection {
    uint32_t n; /* items 0..n-1 */
    uint64_t wanted; /* how many, at least 1 */
    /* The key of an item; 0: not to be taken. Asked five times, and must not change meanwhile. */
    uint64_t (*key)(const void *data, uint32_t item);
    /* Called for each item taken, ascending. */
    void (*take)(void *data, uint32_t item);
    void *data;
    uint64_t *digits; /* [MR_SELECT_DIGITS] */
};

/* Take the `wanted` items of the largest keys, of equal keys those of the lowest numbers; fewer where
 * fewer have a key. Returns how many. The key at the border is found digit by digit, as in a radix sort
 * that follows one digit only: five scans. */
uint64_t mr_select_largest(const struct mr_selection *selection);

#endif
