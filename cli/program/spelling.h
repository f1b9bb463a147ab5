/* "Did you mean ...?": the nearest of a set of known words.
 *
 *     struct mr_spelling spelling = {.word = "--dampng"};
 *     mr_spelling_consider(&spelling, "damping");      for every known word
 *     mr_spelling_best(&spelling)                      the nearest one, or NULL */
#ifndef MR_CLI_PROGRAM_SPELLING_H
#define MR_CLI_PROGRAM_SPELLING_H

#include <stddef.h>

struct mr_spelling {
    const char *word; /* as typed; borrowed */
    const char *nearest; /* among those considered so far; borrowed */
    size_t distance; /* of `nearest` */
};

/* Insertions, deletions, replacements and swaps of neighbours that turn one word into the other
 * (optimal string alignment; Damerau 1964). Words beyond 63 bytes count as far from everything.
 * O(|a| * |b|). */
size_t mr_spelling_distance(const char *a, const char *b);

/* Compare one known word; of equally near ones the first stays. */
void mr_spelling_consider(struct mr_spelling *spelling, const char *known);

/* The nearest word if it is near enough to be what was meant (a third of the letters wrong at most,
 * or the beginning of it), else NULL. */
const char *mr_spelling_best(const struct mr_spelling *spelling);

#endif
