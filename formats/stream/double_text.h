/* SPDX-License-Identifier: Apache-2.0 */
/* Doubles as text of as few digits as are read back, and back: the very bytes of printf's %.15g,
 * %.16g or %.17g and the very numbers of strtod, in a fifth of their time. Internal to formats. */
#ifndef MR_FORMATS_STREAM_DOUBLE_TEXT_H
#define MR_FORMATS_STREAM_DOUBLE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { MR_DOUBLE_TEXT_BYTES = 32 }; /* sign, 17 digits, point, e-308, and a zero */

/* Writes `value` with the fewest digits, 15 to 17, that are read back to it, zeros at the end left
 * out, as %g does in the C locale; to[MR_DOUBLE_TEXT_BYTES], without a zero behind it. Returns the
 * number of bytes. Thread-safe. */
size_t mr_double_shortest(double value, char *to);
/* The same of a float, 6 to 9 digits; a zero may be behind it. */
size_t mr_single_shortest(float value, char *to);

/* Reads text[bytes], all of which must be a finite decimal number as strtod takes it in the C
 * locale: [sign] digits [. digits] [e [sign] digits]. False where it is none, and `*value` may have
 * changed. Thread-safe. */
bool mr_double_read(const char *text, size_t bytes, double *value);

#endif
