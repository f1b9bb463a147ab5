/* The values of options as users type them: sizes, counts, numbers, choices.
 *
 * All return MR_ERROR_USAGE with a message that says what would be right and names neither the
 * option nor the text, which the caller knows: "must be at least 0 and below 1". */
#ifndef MR_CLI_PROGRAM_VALUES_H
#define MR_CLI_PROGRAM_VALUES_H

#include <stdbool.h>

#include "engine/base/count_text.h"
#include "engine/base/error.h"

/* An amount of memory or disk, absolute or relative. */
struct mr_size {
    uint64_t bytes;
    double percent; /* > 0: of what is available, and `bytes` is 0 */
};

/* What a number must satisfy; `most` may be INFINITY. */
struct mr_range {
    double least;
    double most;
    bool above_least; /* `least` itself is refused */
    bool below_most; /* `most` itself is refused */
};

/* "67108864", "64k", "64M", "1.5G", "2T" (powers of 1000), "64Ki", "64Mi", "1.5Gi", "2Ti" (powers of
 * 1024), any of them with a B behind, in either case; or "75%", above 0 and up to 100. */
enum mr_status mr_value_size(const char *text, struct mr_size *out,
                             struct mr_error *err) MR_WARN_UNUSED;

/* `size` in bytes, where `whole` bytes are 100%. */
uint64_t mr_size_resolve(struct mr_size size, uint64_t whole);

/* A whole number in decimal digits, least <= number <= most. */
enum mr_status mr_value_count(const char *text, uint64_t least, uint64_t most, uint64_t *out,
                              struct mr_error *err) MR_WARN_UNUSED;

/* A finite number in decimal ("0.85", "1e-9") within `range`. */
enum mr_status mr_value_real(const char *text, const struct mr_range *range, double *out,
                             struct mr_error *err) MR_WARN_UNUSED;

/* The place of `text` in `choices`, words separated by '|'. */
enum mr_status mr_value_choice(const char *text, const char *choices, int *out,
                               struct mr_error *err) MR_WARN_UNUSED;

/* "1.5 GB", "64.0 MB", "17 bytes", as the messages write sizes. Returns `text`. */
const char *mr_size_text(uint64_t bytes, char text[32]);

#endif
