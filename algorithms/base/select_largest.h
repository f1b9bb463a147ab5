/* SPDX-License-Identifier: Apache-2.0 */
/* Selection of the N largest keys without sorting. Internal to algorithms. */
#ifndef MR_ALGORITHMS_BASE_SELECT_LARGEST_H
#define MR_ALGORITHMS_BASE_SELECT_LARGEST_H

#include <stdint.h>

#define MR_SELECT_DIGITS (1u << 16) /* number of counters, which the caller provides */

struct mr_selection {
    uint32_t n; /* items 0..n-1 */
    uint64_t wanted; /* the number of items to take, at least 1 */
    /* The key of an item; an item with key 0 is never taken. It is called five times for each item
     * and must give the same key each time. */
    uint64_t (*key)(const void *data, uint32_t item);
    /* Called for each taken item, in ascending order. */
    void (*take)(void *data, uint32_t item);
    void *data;
    uint64_t *digits; /* [MR_SELECT_DIGITS] */
};

/* Take the `wanted` items with the largest keys; of equal keys, those of the lowest numbers. If
 * fewer items have a key, take these. Returns the number of taken items. Time: five scans, because
 * the key at the border is found digit by digit. */
uint64_t mr_select_largest(const struct mr_selection *selection);

#endif
