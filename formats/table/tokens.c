/* SPDX-License-Identifier: Apache-2.0 */
/* Splits a text input into words and line ends. Readers of formats with lines of any length use it,
 * because formats/table/lines.c needs a whole line in memory. The buffer always holds a whole word
 * and padding, so that mr_decimal_quick can read ahead without a check. */
#include "formats/table/tokens.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/decimal.h"
#include "engine/base/memory.h"
#include "formats/table/lines.h"

enum { BUFFER_BYTES = 256 << 10, PADDING_BYTES = 32 };

struct mr_tokens {
    const struct mr_context *context;
    struct mr_input *input;
    char *buffer; /* [BUFFER_BYTES + PADDING_BYTES] */
    size_t at, end;
    bool ended, begun;
    bool line_over; /* the last token was a LINE */
    uint64_t line; /* line of the next token, from 1 */
    uint64_t token_line;
};

enum mr_status mr_tokens_open(const struct mr_context *context, struct mr_input *input,
                              struct mr_tokens **out, struct mr_error *err)
{
    struct mr_tokens *tokens = calloc(1, sizeof *tokens);

    *out = tokens;
    if (tokens == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader");
    }
    *tokens = (struct mr_tokens){.context = context, .input = input, .line = 1, .token_line = 1};
    return mr_memory_array(context->memory, "input buffer", BUFFER_BYTES + PADDING_BYTES,
                           &tokens->buffer, err);
}

void mr_tokens_close(struct mr_tokens *tokens)
{
    if (tokens != NULL) {
        mr_memory_free(tokens->context->memory, tokens->buffer);
        free(tokens);
    }
}

static enum mr_status refill(struct mr_tokens *tokens, struct mr_error *err)
{
    enum mr_status status = mr_context_poll(tokens->context, err);
    size_t got = 1;

    memmove(tokens->buffer, tokens->buffer + tokens->at, tokens->end - tokens->at);
    tokens->end -= tokens->at;
    tokens->at = 0;
    while (status == MR_OK && got > 0 && tokens->end < BUFFER_BYTES) {
        status = mr_input_read(tokens->input, tokens->buffer + tokens->end,
                               BUFFER_BYTES - tokens->end, &got, err);
        tokens->end += got;
    }
    tokens->ended = got == 0;
    memset(tokens->buffer + tokens->end, '\n', PADDING_BYTES); /* a scan always ends here */
    if (!tokens->begun && tokens->end >= 3 && memcmp(tokens->buffer, "\xef\xbb\xbf", 3) == 0) {
        tokens->at = 3;
    }
    tokens->begun = true;
    return status == MR_OK && tokens->ended ? mr_input_check_lines(tokens->input, err) : status;
}

/* Have in the buffer a whole word and the bytes that mr_decimal_quick may touch. */
static inline enum mr_status have_word(struct mr_tokens *tokens, struct mr_error *err)
{
    return tokens->end - tokens->at >= MR_TOKEN_MAX_BYTES + PADDING_BYTES || tokens->ended
               ? MR_OK
               : refill(tokens, err);
}

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static inline bool ends_word(char c)
{
    return c == '\n' || is_blank(c);
}

static enum mr_status skip_blanks(struct mr_tokens *tokens, struct mr_error *err)
{
    for (;;) {
        while (tokens->at < tokens->end && is_blank(tokens->buffer[tokens->at])) {
            tokens->at++;
        }
        if (tokens->at < tokens->end || tokens->ended) {
            return have_word(tokens, err);
        }
        const enum mr_status status = refill(tokens, err);
        if (status != MR_OK) {
            return status;
        }
    }
}

static enum mr_status take_word(struct mr_tokens *tokens, struct mr_token *token,
                                struct mr_error *err)
{
    const char *const start = tokens->buffer + tokens->at;
    const char *stop = mr_decimal_quick(start, &token->number);
    const char *const end = tokens->buffer + tokens->end;

    token->text = start;
    if (stop != NULL && stop <= end && ends_word(*stop)) {
        token->kind = MR_TOKEN_NUMBER;
    } else {
        stop = start;
        while (stop < end && !ends_word(*stop)) {
            stop++;
        }
        token->kind =
            mr_decimal_whole(start, stop, &token->number) ? MR_TOKEN_NUMBER : MR_TOKEN_WORD;
    }
    token->bytes = (size_t)(stop - start);
    tokens->at += token->bytes;
    if (token->bytes > MR_TOKEN_MAX_BYTES) {
        return mr_tokens_error(tokens, NULL, err,
                               "a word is longer than %u bytes; is this a text file?",
                               MR_TOKEN_MAX_BYTES);
    }
    return MR_OK;
}

enum mr_status mr_tokens_next(struct mr_tokens *tokens, struct mr_token *token,
                              struct mr_error *err)
{
    const enum mr_status status = skip_blanks(tokens, err);

    *token = (struct mr_token){.kind = MR_TOKEN_END};
    tokens->token_line = tokens->line;
    tokens->line_over = false;
    if (status != MR_OK || tokens->at == tokens->end) {
        return status;
    }
    if (tokens->buffer[tokens->at] != '\n') {
        return take_word(tokens, token, err);
    }
    token->kind = MR_TOKEN_LINE;
    tokens->at++;
    tokens->line++;
    tokens->line_over = true;
    return MR_OK;
}

enum mr_status mr_tokens_skip_line(struct mr_tokens *tokens, struct mr_error *err)
{
    while (!tokens->line_over) {
        const char *start = tokens->buffer + tokens->at;
        const char *stop = memchr(start, '\n', tokens->end - tokens->at);

        if (stop != NULL) {
            tokens->at = (size_t)(stop - tokens->buffer) + 1;
            tokens->line++;
            tokens->line_over = true;
        } else {
            tokens->at = tokens->end;
            if (tokens->ended) {
                return MR_OK;
            }
            const enum mr_status status = refill(tokens, err);
            if (status != MR_OK) {
                return status;
            }
        }
    }
    return MR_OK;
}

uint64_t mr_tokens_left(const struct mr_tokens *tokens)
{
    uint64_t done, total;

    if (tokens->ended) {
        return tokens->end - tokens->at;
    }
    mr_input_position(tokens->input, &done, &total);
    if (mr_input_codec(tokens->input) != MR_INPUT_PLAIN || total == 0) {
        return UINT64_MAX;
    }
    /* `done` runs ahead of the tokens, so count the whole file. */
    return total;
}

const char *mr_tokens_name(const struct mr_tokens *tokens)
{
    return mr_input_name(tokens->input);
}

bool mr_token_real(const struct mr_token *token, double *value)
{
    char copy[64], *end;

    if (token->kind == MR_TOKEN_NUMBER) {
        *value = (double)token->number;
        return true;
    }
    if (token->kind != MR_TOKEN_WORD || token->bytes >= sizeof copy) {
        return false;
    }
    memcpy(copy, token->text, token->bytes);
    copy[token->bytes] = '\0';
    *value = strtod(copy, &end);
    return *end == '\0' && isfinite(*value) && strpbrk(copy, "xXnN") == NULL;
}

bool mr_token_is(const struct mr_token *token, const char *word)
{
    return token->kind >= MR_TOKEN_NUMBER && token->bytes == strlen(word) &&
           strncasecmp(token->text, word, token->bytes) == 0;
}

enum mr_status mr_tokens_error(const struct mr_tokens *tokens, const struct mr_token *token,
                               struct mr_error *err, const char *format, ...)
{
    char reason[256], quote[MR_LINES_QUOTE_BYTES] = "";
    va_list args;

    va_start(args, format);
    (void)vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    if (token != NULL && token->kind >= MR_TOKEN_NUMBER) {
        (void)mr_lines_quote(token->text, token->bytes, quote);
    }
    return mr_error_line(err, MR_ERROR_INPUT, mr_tokens_name(tokens), tokens->token_line, "%s%s%s",
                         quote, quote[0] == '\0' ? "" : ": ", reason);
}
