/* Words and line ends of a text input, for formats whose lines may be longer than any buffer.
 *
 * A word is a run of bytes other than blank, tab, CR, LF and (where it separates) comma. Memory: 256
 * KiB, charged to the budget. One thread at a time. About 6 ns a word of digits. */
#ifndef MR_FORMATS_STREAM_TOKENS_H
#define MR_FORMATS_STREAM_TOKENS_H

#include <stdbool.h>

#include "formats/stream/input.h"

enum mr_token_kind {
    MR_TOKEN_END, /* of the input */
    MR_TOKEN_LINE, /* of a line; one that lacks its LF at the end of the input has none */
    MR_TOKEN_NUMBER, /* digits only, below 2^64 */
    MR_TOKEN_WORD /* anything else */
};

#define MR_TOKEN_MAX_BYTES 4096u /* longest word accepted */

struct mr_token {
    enum mr_token_kind kind;
    const char *text; /* [bytes]: of NUMBER and WORD, valid until the next call */
    size_t bytes;
    uint64_t number; /* of NUMBER */
};

struct mr_tokens;

/* Begin reading `input`, which is borrowed and must outlive it. A UTF-8 byte order mark is skipped.
 * Close takes NULL. */
enum mr_status mr_tokens_open(const struct mr_context *context, struct mr_input *input,
                              struct mr_tokens **out, struct mr_error *err) MR_WARN_UNUSED;
void mr_tokens_close(struct mr_tokens *tokens);

/* The next one. Errors: INPUT at the line of a word that is too long; whatever reading returns. */
enum mr_status mr_tokens_next(struct mr_tokens *tokens, struct mr_token *token,
                              struct mr_error *err) MR_WARN_UNUSED;

/* Skip what is left of the line, its LINE included: nothing when the last token was one. */
enum mr_status mr_tokens_skip_line(struct mr_tokens *tokens, struct mr_error *err) MR_WARN_UNUSED;

/* After a word: is the byte behind it `byte`? */
bool mr_tokens_is_next(const struct mr_tokens *tokens, char byte);

/* From now on `also` is a blank too (','); 0: none. */
void mr_tokens_separate_by(struct mr_tokens *tokens, char also);

/* Bytes that the input still has, as far as known: at most this many tokens follow. UINT64_MAX:
 * unknown (compressed, a pipe). */
uint64_t mr_tokens_left(const struct mr_tokens *tokens);
const char *mr_tokens_name(const struct mr_tokens *tokens);

/* A finite decimal number ("-1", ".5e3"); false when it is none. */
bool mr_token_real(const struct mr_token *token, double *value);
bool mr_token_is(const struct mr_token *token, const char *word); /* ASCII case does not matter */

/* MR_ERROR_INPUT at the last token's line. `token`, if not NULL, is quoted before the reason. */
enum mr_status mr_tokens_error(const struct mr_tokens *tokens, const struct mr_token *token,
                               struct mr_error *err, const char *format, ...) MR_PRINTF(4, 5);

#endif
