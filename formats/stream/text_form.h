/* SPDX-License-Identifier: Apache-2.0 */
/* How a text is stored: as UTF-8 (or any bytes) with LF, or in a form that mr_input converts to
 * that. */
#ifndef MR_FORMATS_STREAM_TEXT_FORM_H
#define MR_FORMATS_STREAM_TEXT_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mr_text_form {
    MR_TEXT_AS_IS,
    MR_TEXT_CR, /* lines end with CR alone */
    MR_TEXT_UTF16_LITTLE,
    MR_TEXT_UTF16_BIG
};

/* The form of a text that begins with `data[bytes]`. AS_IS for binary data. UTF-16 needs a byte
 * order mark, or mostly ASCII characters. */
enum mr_text_form mr_text_form_of(const char *data, size_t bytes);

/* Convert text of a form other than AS_IS, from `*from` up to `end`, to `to[room]`. `*from` moves
 * behind what is converted; it stops before a character that is incomplete or does not fit. Returns
 * the bytes written; SIZE_MAX for half a surrogate pair. */
size_t mr_text_convert(enum mr_text_form form, const char **from, const char *end, char *to,
                       size_t room);

/* Write a character in UTF-8. Returns its bytes. */
size_t mr_utf8_put(uint32_t code, char out[4]);

#endif
