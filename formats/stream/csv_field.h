/* SPDX-License-Identifier: Apache-2.0 */
/* One field of a line of a table. */
#ifndef MR_FORMATS_STREAM_CSV_FIELD_H
#define MR_FORMATS_STREAM_CSV_FIELD_H

#include <stdbool.h>
#include <stddef.h>

/* Take the field at `*at`, without the blanks and quotes around it. `*at` moves behind its
 * separator, or becomes NULL at the end of the line. `*raw`: the field holds doubled quotes, which
 * are still doubled. Returns false where quotes do not match. */
bool mr_csv_field(const char **at, const char *end, char separator, const char **text,
                  size_t *bytes, bool *raw);

#endif
