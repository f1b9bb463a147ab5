/* SPDX-License-Identifier: Apache-2.0 */
/* Suggests known words for mistyped ones: options, choices and commands. Errors of the parser
 * end with the suggestion. The distance counts swapped neighbours as one error, because that is
 * the most common typing mistake. */
#include "cli/program/spelling.h"

#include <stdbool.h>
#include <string.h>

enum { MAX_WORD = 63 };

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t mr_spelling_distance(const char *a, const char *b)
{
    /* Three rows of the table are enough: this one, the one above, and one more for swaps. */
    size_t rows[3][MAX_WORD + 1];
    const size_t a_length = strlen(a);
    const size_t b_length = strlen(b);

    if (a_length > MAX_WORD || b_length > MAX_WORD) {
        return a_length + b_length;
    }
    for (size_t j = 0; j <= b_length; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        const size_t *two_above = rows[(i + 1) % 3];

        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = min_size(min_size(row[j - 1], above[j]) + 1,
                              above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = min_size(row[j], two_above[j - 2] + 1);
            }
        }
    }
    return rows[a_length % 3][b_length];
}

void mr_spelling_consider(struct mr_spelling *spelling, const char *known)
{
    size_t distance = mr_spelling_distance(spelling->word, known);
    const size_t word_length = strlen(spelling->word);

    /* An abbreviation counts as near, however many letters are missing. */
    if (distance > 1 && word_length >= 2 && strncmp(spelling->word, known, word_length) == 0) {
        distance = 1;
    }
    if (spelling->nearest == NULL || distance < spelling->distance) {
        spelling->nearest = known;
        spelling->distance = distance;
    }
}

const char *mr_spelling_best(const struct mr_spelling *spelling)
{
    if (spelling->nearest == NULL) {
        return NULL;
    }
    /* "top" is no mistyped "tmp": of so few letters each counts. */
    const size_t length = strlen(spelling->word);
    const bool is_other = spelling->distance > 0 && length == 3 && strlen(spelling->nearest) == 3 &&
                          spelling->word[0] == spelling->nearest[0] &&
                          spelling->word[2] == spelling->nearest[2];
    return !is_other && 3 * spelling->distance <= length + 1 ? spelling->nearest : NULL;
}
