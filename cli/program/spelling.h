/* SPDX-License-Identifier: Apache-2.0 */
/* "Did you mean ...?": the nearest of a set of known words.
 *
 *     struct mr_spelling spelling = {.word = "--dampng"};
 *     mr_spelling_consider(&spelling, "damping");      for every known word
 *     mr_spelling_best(&spelling)                      the nearest one, or NULL */
#ifndef MR_CLI_PROGRAM_SPELLING_H
#define MR_CLI_PROGRAM_SPELLING_H

#include <stddef.h>

struct mr_spelling {
    const char *word; /* as the user typed it; borrowed */
    const char *nearest; /* among those considered so far; borrowed */
    size_t distance; /* of `nearest` */
};

/* Returns how many insertions, deletions, replacements and swaps of neighbours turn `a` into `b`
 * (optimal string alignment; Damerau 1964). If a word has more than 63 bytes, returns the sum of
 * both lengths. O(|a| * |b|). */
size_t mr_spelling_distance(const char *a, const char *b);

/* Compares one known word. If two known words are equally near, the first one stays. */
void mr_spelling_consider(struct mr_spelling *spelling, const char *known);

/* Returns the nearest known word if the user probably meant it, else NULL. A word is near if at
 * most a third of its letters are wrong, or if it is the beginning of the known word. */
const char *mr_spelling_best(const struct mr_spelling *spelling);

#endif
