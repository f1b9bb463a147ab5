/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts byte strings with multikey quicksort, eight bytes at a time, on several threads. Each entry
 * caches the eight bytes at the current depth, so most comparisons do not read the strings.
 * dictionary_order.c sorts keys with it. */
#include "engine/builder/vertices/dictionary_internal.h"

#include <stdbool.h>
#include <string.h>

#include "engine/base/team.h"

enum { WORD_BYTES = 8, INSERTION_MAX = 20 };

/* Parts with more entries than this may go to another thread. */
#define TASK_ENTRIES ((uint64_t)1 << 14)

struct strings {
    const char *arena;
    const uint64_t *starts;
};

/* The 8 bytes of a string from `depth` on as a big-endian number, with zeros past its end. Numbers
 * compare like memcmp, except for strings that end inside the word, see `settle_ended`. */
static uint64_t load_word(const struct strings *strings, const struct mr_string_entry *entry,
                          uint32_t depth)
{
    uint64_t word = 0;
    if (entry->n_bytes <= depth) {
        return 0;
    }
    uint32_t left = entry->n_bytes - depth;
    memcpy(&word, strings->arena + strings->starts[entry->number] + depth,
           left < WORD_BYTES ? left : WORD_BYTES);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static void swap(struct mr_string_entry *a, struct mr_string_entry *b)
{
    struct mr_string_entry c = *a;
    *a = *b;
    *b = c;
}

/* Is a < b? They agree before `depth`. */
static bool is_less(const struct strings *strings, const struct mr_string_entry *a,
                    const struct mr_string_entry *b, uint32_t depth)
{
    if (a->word != b->word) {
        return a->word < b->word;
    }
    uint32_t shorter = a->n_bytes < b->n_bytes ? a->n_bytes : b->n_bytes;
    int order = 0;
    if (shorter > depth) {
        order = memcmp(strings->arena + strings->starts[a->number] + depth,
                       strings->arena + strings->starts[b->number] + depth, shorter - depth);
    }
    return order != 0 ? order < 0 : a->n_bytes < b->n_bytes;
}

static void insertion_sort(const struct strings *strings, struct mr_string_entry *entries,
                           uint64_t n, uint32_t depth)
{
    for (uint64_t i = 1; i < n; i++) {
        struct mr_string_entry entry = entries[i];
        uint64_t j = i;
        for (; j > 0 && is_less(strings, &entry, &entries[j - 1], depth); j--) {
            entries[j] = entries[j - 1];
        }
        entries[j] = entry;
    }
}

/* For entries with equal words at `depth`: move those that end inside the word to the front, by
 * length. They are prefixes of each other and of the rest. Returns their number. They have nine
 * possible lengths, so at most nine of them differ. */
static uint64_t settle_ended(struct mr_string_entry *entries, uint64_t n, uint32_t depth)
{
    uint64_t n_ended = 0, n_settled = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (entries[i].n_bytes <= depth + WORD_BYTES) {
            swap(&entries[i], &entries[n_ended++]);
        }
    }
    for (uint32_t n_bytes = depth; n_settled < n_ended; n_bytes++) {
        for (uint64_t i = n_settled; i < n_ended; i++) {
            if (entries[i].n_bytes == n_bytes) {
                swap(&entries[i], &entries[n_settled++]);
            }
        }
    }
    return n_ended;
}

static uint64_t median_word(const struct mr_string_entry *entries, uint64_t n)
{
    uint64_t a = entries[0].word, b = entries[n / 2].word, c = entries[n - 1].word;
    return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
}

/* Partition by the words: [0, *low) < pivot, [*low, *high) = pivot, [*high, n) > pivot. */
static void partition(struct mr_string_entry *entries, uint64_t n, uint64_t pivot, uint64_t *low,
                      uint64_t *high)
{
    uint64_t less = 0, i = 0, greater = n;
    while (i < greater) {
        if (entries[i].word < pivot) {
            swap(&entries[i++], &entries[less++]);
        } else if (entries[i].word > pivot) {
            swap(&entries[i], &entries[--greater]);
        } else {
            i++;
        }
    }
    *low = less;
    *high = greater;
}

static void sort(const struct strings *strings, struct mr_string_entry *entries, uint64_t n,
                 uint32_t depth);

/* Sort a part, on another thread if that pays. `strings` outlives all tasks. */
static void sort_part(const struct strings *strings, struct mr_string_entry *entries, uint64_t n,
                      uint32_t depth)
{
#pragma omp task if (n > TASK_ENTRIES) firstprivate(strings, entries, n, depth)
    sort(strings, entries, n, depth);
}

/* Sort entries whose words at `depth` are loaded. Recurses into the two smaller parts and continues
 * with the largest, so the stack is logarithmic for any strings. */
static void sort(const struct strings *strings, struct mr_string_entry *entries, uint64_t n,
                 uint32_t depth)
{
    while (n > INSERTION_MAX) {
        uint64_t low, high;
        partition(entries, n, median_word(entries, n), &low, &high);
        uint64_t n_less = low, n_equal = high - low, n_greater = n - high;
        struct mr_string_entry *equal = entries + low, *greater = entries + high;
        uint64_t n_ended = settle_ended(equal, n_equal, depth);
        equal += n_ended;
        n_equal -= n_ended;
        for (uint64_t i = 0; i < n_equal; i++) {
            equal[i].word = load_word(strings, &equal[i], depth + WORD_BYTES);
        }
        if (n_equal >= n_less && n_equal >= n_greater) {
            sort_part(strings, entries, n_less, depth);
            sort_part(strings, greater, n_greater, depth);
            entries = equal;
            n = n_equal;
            depth += WORD_BYTES;
            continue;
        }
        sort_part(strings, equal, n_equal, depth + WORD_BYTES);
        bool less_is_larger = n_less > n_greater;
        sort_part(strings, less_is_larger ? greater : entries, less_is_larger ? n_greater : n_less,
                  depth);
        entries = less_is_larger ? entries : greater;
        n = less_is_larger ? n_less : n_greater;
    }
    insertion_sort(strings, entries, n, depth);
}

void mr_strings_sort(struct mr_string_entry *entries, uint64_t n_entries, const char *arena,
                     const uint64_t *starts, unsigned threads)
{
    const struct strings strings = {.arena = arena, .starts = starts};
#pragma omp parallel num_threads(mr_team_threads(threads))
    {
#pragma omp for
        for (uint64_t i = 0; i < n_entries; i++) {
            entries[i].word = load_word(&strings, &entries[i], 0);
        }
#pragma omp single
        sort(&strings, entries, n_entries, 0);
    }
}
