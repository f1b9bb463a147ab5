/* SPDX-License-Identifier: Apache-2.0 */
/* Words and line ends of a text input, for formats whose lines may be longer than any buffer.
 *
 * A word is a run of bytes other than blank, tab, CR and LF. Memory: 256 KiB, charged to the
 * budget. One thread at a time. Takes about 6 ns per word of digits. */
#ifndef MR_FORMATS_TABLE_TOKENS_H
#define MR_FORMATS_TABLE_TOKENS_H

#include <stdbool.h>

#include "formats/stream/input.h"

enum mr_token_kind {
    MR_TOKEN_END, /* end of the input */
    MR_TOKEN_LINE, /* end of a line; a last line without LF has no such token */
    MR_TOKEN_NUMBER, /* digits only, below 2^64 */
    MR_TOKEN_WORD /* anything else */
};

#define MR_TOKEN_MAX_BYTES 4096u /* the longest word accepted */

struct mr_token {
    enum mr_token_kind kind;
    const char *text; /* [bytes], for NUMBER and WORD; valid until the next call */
    size_t bytes;
    uint64_t number; /* value of a NUMBER */
};

struct mr_tokens;

/* Begin to read `input`, which is borrowed and outlives the tokens. A UTF-8 byte order mark is
 * skipped. Errors: BUDGET. Close takes NULL. */
enum mr_status mr_tokens_open(const struct mr_context *context, struct mr_input *input,
                              struct mr_tokens **out, struct mr_error *err) MR_WARN_UNUSED;
void mr_tokens_close(struct mr_tokens *tokens);

/* The next token. Errors: INPUT, with the line, for a word that is too long; those of reading. */
enum mr_status mr_tokens_next(struct mr_tokens *tokens, struct mr_token *token,
                              struct mr_error *err) MR_WARN_UNUSED;

/* Skip the rest of the line and its LINE token. Does nothing when the last token was a LINE. */
enum mr_status mr_tokens_skip_line(struct mr_tokens *tokens, struct mr_error *err) MR_WARN_UNUSED;

/* The most bytes, and so the most tokens, that can still follow. UINT64_MAX when unknown (a
 * compressed file, a pipe). */
uint64_t mr_tokens_left(const struct mr_tokens *tokens);
const char *mr_tokens_name(const struct mr_tokens *tokens);

/* Parse a finite decimal number ("-1", ".5e3"); false when the token is not one. */
bool mr_token_real(const struct mr_token *token, double *value);
/* ignores the case of ASCII letters */
bool mr_token_is(const struct mr_token *token, const char *word);

/* MR_ERROR_INPUT with the last token's line. If `token` is not NULL, it is quoted before the
 * reason. */
enum mr_status mr_tokens_error(const struct mr_tokens *tokens, const struct mr_token *token,
                               struct mr_error *err, const char *format, ...) MR_PRINTF(4, 5);

#endif
