/* SPDX-License-Identifier: Apache-2.0 */
/* The values of options as users type them: sizes, counts, numbers, choices.
 *
 * All parsers return MR_ERROR_USAGE with a message that says which values are accepted, such as
 * "must be at least 0 and below 1". The message names neither the option nor the text; the
 * caller adds both. */
#ifndef MR_CLI_PROGRAM_VALUES_H
#define MR_CLI_PROGRAM_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/count_text.h"
#include "millrace/error.h"

/* An amount of memory or disk, absolute or relative. */
struct mr_size {
    uint64_t bytes;
    double percent; /* > 0: percent of the available amount; `bytes` is 0 */
};

/* The values of an option that may be given several times; they point into the arguments. */
enum { MR_MOST_TEXTS = 64 };
struct mr_texts {
    size_t n;
    const char *items[MR_MOST_TEXTS];
};

/* The range of a number; `most` may be INFINITY. */
struct mr_range {
    double least;
    double most;
    bool above_least; /* `least` itself is refused */
    bool below_most; /* `most` itself is refused */
};

/* Parses a size: "67108864", "64k", "64M", "1.5G", "2T" (powers of 1000), "64Ki", "64Mi",
 * "1.5Gi", "2Ti" (powers of 1024), each with or without a B at the end, in upper or lower case;
 * or "75%", above 0 and at most 100. */
enum mr_status mr_value_size(const char *text, struct mr_size *out,
                             struct mr_error *err) MR_WARN_UNUSED;

enum mr_status mr_texts_add(const char *text, struct mr_texts *texts,
                            struct mr_error *err) MR_WARN_UNUSED;

/* Returns `size` in bytes; `whole` bytes are 100%. */
uint64_t mr_size_resolve(struct mr_size size, uint64_t whole);

/* Parses a whole number in decimal digits, least <= number <= most. */
enum mr_status mr_value_count(const char *text, uint64_t least, uint64_t most, uint64_t *out,
                              struct mr_error *err) MR_WARN_UNUSED;

/* Parses a number of unknown names, or a share of all names such as "20%", into a uint64_t as
 * MR_UNKNOWN_PERCENT makes it. */
enum mr_status mr_value_unknown(const char *text, void *value, struct mr_error *err) MR_WARN_UNUSED;

/* Parses a finite decimal number ("0.85", "1e-9") within `range`. */
enum mr_status mr_value_real(const char *text, const struct mr_range *range, double *out,
                             struct mr_error *err) MR_WARN_UNUSED;

/* Parses `text` as one of `choices`, which are words separated by '|'. `*out` becomes its index. */
enum mr_status mr_value_choice(const char *text, const char *choices, int *out,
                               struct mr_error *err) MR_WARN_UNUSED;

/* Writes `word` as a shell takes it, in quotes if it needs them, to `text`, cut to `bytes`. Returns
 * how long the whole is, as snprintf does. */
size_t mr_value_quote(const char *word, char *text, size_t bytes);

#endif
