/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the values of options and writes sizes and counts as text. options.c calls the parsers
 * and adds the name of the option to their errors. The parsers are stricter than strtod and
 * strtoull, which accept hexadecimal numbers, signs, blanks and "nan". */
#include "cli/program/values.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/program/spelling.h"
#include "millrace/weights.h"

#define DIGITS "0123456789"

enum { MAX_CHOICE = 32, MAX_CHOICES = 16 };

/* ---- Sizes ---- */

static enum mr_status not_a_size(struct mr_error *err)
{
    return mr_error_set(
        err, MR_ERROR_USAGE,
        "not a size; write bytes, or a number with k, M, G, T, Ki, Mi, Gi, Ti or %%, "
        "such as 4G");
}

/* Returns the bytes of one unit of `suffix`, or 0 for an unknown suffix. */
static uint64_t unit_bytes(const char *suffix)
{
    static const char letters[] = "kmgt";
    uint64_t base = 1000;
    uint64_t bytes = 1;

    if (suffix[0] != '\0' && tolower((unsigned char)suffix[0]) != 'b') {
        const char *letter = strchr(letters, tolower((unsigned char)suffix[0]));
        if (letter == NULL) {
            return 0;
        }
        suffix++;
        if (tolower((unsigned char)suffix[0]) == 'i') {
            base = 1024;
            suffix++;
        }
        for (const char *step = letters; step <= letter; step++) {
            bytes *= base;
        }
    }
    if (tolower((unsigned char)suffix[0]) == 'b') {
        suffix++;
    }
    return suffix[0] == '\0' ? bytes : 0;
}

static enum mr_status read_percent(const char *text, struct mr_size *out, struct mr_error *err)
{
    const double percent = strtod(text, NULL);
    if (!(percent > 0.0 && percent <= 100.0)) {
        return mr_error_set(err, MR_ERROR_USAGE, "must be above 0%% and at most 100%%");
    }
    out->percent = percent;
    return MR_OK;
}

enum mr_status mr_value_size(const char *text, struct mr_size *out, struct mr_error *err)
{
    const size_t whole_length = strspn(text, DIGITS);
    size_t length = whole_length;

    *out = (struct mr_size){0};
    if (text[length] == '.') {
        length += 1 + strspn(text + length + 1, DIGITS);
    }
    if (whole_length == 0) {
        return not_a_size(err);
    }
    if (strcmp(text + length, "%") == 0) {
        return read_percent(text, out, err);
    }
    const uint64_t unit = unit_bytes(text + length);
    if (unit == 0) {
        return not_a_size(err);
    }
    errno = 0;
    if (length == whole_length) {
        /* Whole numbers stay exact: a double would round numbers above 2^53. */
        const unsigned long long number = strtoull(text, NULL, 10);
        if (errno == ERANGE || __builtin_mul_overflow((uint64_t)number, unit, &out->bytes)) {
            return mr_error_set(err, MR_ERROR_USAGE, "is more than 64 bits can hold");
        }
        return MR_OK;
    }
    const double bytes = strtod(text, NULL) * (double)unit;
    if (!(bytes < 0x1p64)) {
        return mr_error_set(err, MR_ERROR_USAGE, "is more than 64 bits can hold");
    }
    out->bytes = (uint64_t)bytes;
    return MR_OK;
}

uint64_t mr_size_resolve(struct mr_size size, uint64_t whole)
{
    if (size.percent > 0.0) {
        return (uint64_t)((double)whole * (size.percent / 100.0));
    }
    return size.bytes;
}

/* ---- Numbers ---- */

enum mr_status mr_value_count(const char *text, uint64_t least, uint64_t most, uint64_t *out,
                              struct mr_error *err)
{
    const size_t length = strlen(text);
    errno = 0;
    const unsigned long long number = strtoull(text, NULL, 10);

    if (length == 0 || strspn(text, DIGITS) != length) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "not a whole number; write its digits, such as 1000");
    }
    if (errno == ERANGE || number < least || number > most) {
        if (most == UINT64_MAX && errno != ERANGE) {
            return mr_error_set(err, MR_ERROR_USAGE, "must be at least %llu",
                                (unsigned long long)least);
        }
        return mr_error_set(err, MR_ERROR_USAGE, "must be from %llu to %llu",
                            (unsigned long long)least, (unsigned long long)most);
    }
    *out = number;
    return MR_OK;
}

static enum mr_status out_of_range(const struct mr_range *range, const char *reason,
                                   struct mr_error *err)
{
    const char *least = range->above_least ? "above" : "at least";
    if (isinf(range->most)) {
        return mr_error_set(err, MR_ERROR_USAGE, "%smust be %s %g", reason, least, range->least);
    }
    return mr_error_set(err, MR_ERROR_USAGE, "%smust be %s %g and %s %g", reason, least,
                        range->least, range->below_most ? "below" : "at most", range->most);
}

enum mr_status mr_value_real(const char *text, const struct mr_range *range, double *out,
                             struct mr_error *err)
{
    char *end = NULL;
    const double number = strtod(text, &end);

    /* strtod also accepts hexadecimal numbers, "inf", "nan" and leading blanks. These are errors
     * here. */
    if (text[0] == '\0' || strspn(text, DIGITS "+-.eE") != strlen(text) || *end != '\0') {
        return out_of_range(range, "not a number; ", err);
    }
    const bool too_low = range->above_least ? number <= range->least : number < range->least;
    const bool too_high = range->below_most ? number >= range->most : number > range->most;
    if (too_low || too_high || !isfinite(number)) {
        return out_of_range(range, "", err);
    }
    *out = number;
    return MR_OK;
}

/* ---- Choices ---- */

/* Writes the choices as a list, such as "auto, uring or pread". */
static void list_choices(const char *choices, char *text, size_t text_bytes)
{
    size_t used = 0;
    for (const char *c = choices; *c != '\0' && used + 5 < text_bytes; c++) {
        if (*c != '|') {
            text[used++] = *c;
            continue;
        }
        const char *separator = strchr(c + 1, '|') == NULL ? " or " : ", ";
        memcpy(text + used, separator, strlen(separator));
        used += strlen(separator);
    }
    text[used] = '\0';
}

enum mr_status mr_value_choice(const char *text, const char *choices, int *out,
                               struct mr_error *err)
{
    char words[MAX_CHOICES][MAX_CHOICE];
    struct mr_spelling spelling = {.word = text};
    const char *word = choices;

    for (int i = 0; i < MAX_CHOICES; i++) {
        const size_t length = strcspn(word, "|");
        (void)snprintf(words[i], MAX_CHOICE, "%.*s", (int)length, word);
        if (strcmp(words[i], text) == 0) {
            *out = i;
            return MR_OK;
        }
        mr_spelling_consider(&spelling, words[i]);
        if (word[length] == '\0') {
            break;
        }
        word += length + 1;
    }
    char list[256];
    list_choices(choices, list, sizeof list);
    const char *nearest = mr_spelling_best(&spelling);
    if (nearest != NULL) {
        return mr_error_set(err, MR_ERROR_USAGE, "must be %s; did you mean %s?", list, nearest);
    }
    return mr_error_set(err, MR_ERROR_USAGE, "must be %s", list);
}

enum mr_status mr_value_unknown(const char *text, void *value, struct mr_error *err)
{
    static const struct mr_range range = {.least = 0.0, .most = 100.0};
    static const char accepted[] = "must be a whole number, or a share such as 20%";
    uint64_t *unknown = value;
    const size_t bytes = strlen(text);
    double percent = 0;
    char number[32];

    if (bytes == 0 || text[bytes - 1] != '%') {
        return mr_value_count(text, 0, INT64_MAX, unknown, NULL) == MR_OK
                   ? MR_OK
                   : mr_error_set(err, MR_ERROR_USAGE, "%s", accepted);
    }
    (void)snprintf(number, sizeof number, "%.*s", (int)bytes - 1, text);
    if (bytes > sizeof number || mr_value_real(number, &range, &percent, NULL) != MR_OK) {
        return mr_error_set(err, MR_ERROR_USAGE, "%s", accepted);
    }
    *unknown = MR_UNKNOWN_PERCENT(percent);
    return MR_OK;
}

enum mr_status mr_texts_add(const char *text, struct mr_texts *texts, struct mr_error *err)
{
    if (text[0] == '\0') {
        return mr_error_set(err, MR_ERROR_USAGE, "must not be empty");
    }
    if (texts->n == MR_MOST_TEXTS) {
        return mr_error_set(err, MR_ERROR_USAGE, "is given more than %d times", MR_MOST_TEXTS);
    }
    texts->items[texts->n++] = text;
    return MR_OK;
}

size_t mr_value_quote(const char *word, char *text, size_t bytes)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./,+@%=:-";
    const size_t length = strlen(word), n_plain = strspn(word, plain);

    if (n_plain == length && length > 0) {
        return (size_t)snprintf(text, bytes, "%s", word);
    }
    size_t n = (size_t)snprintf(text, bytes, "'");
    for (const char *c = word; *c != '\0'; c++) {
        n += (size_t)snprintf(text + (n < bytes ? n : bytes), n < bytes ? bytes - n : 0,
                              *c == '\'' ? "'\\''" : "%c", *c);
    }
    return n + (size_t)snprintf(text + (n < bytes ? n : bytes), n < bytes ? bytes - n : 0, "'");
}
