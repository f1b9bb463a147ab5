/* SPDX-License-Identifier: Apache-2.0 */
/* Binary heaps of items of any type, for merges and for the best K of many. */
#ifndef MR_ENGINE_BASE_HEAP_H
#define MR_ENGINE_BASE_HEAP_H

#include <stdint.h>

/* Defines functions of heaps `heap[n]` of `type`, in which no item is above its parent by
 * `is_above(const type *a, const type *b)`:
 *
 *     NAME_sift(heap, n, at)   moves heap[at] down to its place, after it was replaced: O(log n)
 *     NAME_make(heap, n)       makes a heap of any n items: O(n)
 *     NAME_sort(heap, n)       makes a sorted array of a heap, the top last: O(n log n); may be
 * unused */
#define MR_HEAP(name, type, is_above)                                                              \
    static inline void name##_sift(type *heap, uint64_t n, uint64_t at)                            \
    {                                                                                              \
        type const moved = heap[at];                                                               \
        for (uint64_t child; (child = 2 * at + 1) < n; at = child) {                               \
            child += child + 1 < n && is_above(&heap[child + 1], &heap[child]);                    \
            if (!is_above(&heap[child], &moved)) {                                                 \
                break;                                                                             \
            }                                                                                      \
            heap[at] = heap[child];                                                                \
        }                                                                                          \
        heap[at] = moved;                                                                          \
    }                                                                                              \
    static inline void name##_make(type *heap, uint64_t n)                                         \
    {                                                                                              \
        for (uint64_t at = n / 2; at-- > 0;) {                                                     \
            name##_sift(heap, n, at);                                                              \
        }                                                                                          \
    }                                                                                              \
    static inline __attribute__((unused)) void name##_sort(type *heap, uint64_t n)                 \
    {                                                                                              \
        while (n-- > 1) {                                                                          \
            type const top = heap[0];                                                              \
            heap[0] = heap[n];                                                                     \
            heap[n] = top;                                                                         \
            name##_sift(heap, n, 0);                                                               \
        }                                                                                          \
    }

#endif
