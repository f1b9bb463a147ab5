/* SPDX-License-Identifier: Apache-2.0 */
/* Java .properties files, which WebGraph stores beside its graphs: lines "key = value", and
 * comments that begin with '#' or '!'. Escapes and continued lines are not interpreted, because
 * WebGraph never writes them. */
#ifndef MR_FORMATS_TABLE_PROPERTIES_H
#define MR_FORMATS_TABLE_PROPERTIES_H

#include "engine/base/context.h"

struct mr_properties;

#define MR_PROPERTIES_MAX_BYTES (1u << 20)

/* Read all of `path`. Errors: RUNTIME when it cannot be opened, INPUT when it is too long, BUDGET.
 * Free takes NULL. */
enum mr_status mr_properties_read(const struct mr_context *context, const char *path,
                                  struct mr_properties **out, struct mr_error *err) MR_WARN_UNUSED;
void mr_properties_free(struct mr_properties *properties);

/* The value of `key`, without blanks around it; NULL when the key is missing. */
const char *mr_properties_get(const struct mr_properties *properties, const char *key);

/* Parse a whole number from `least` to `most`; `otherwise` when the key is missing. MR_ERROR_INPUT,
 * with the line, when the value is not such a number. */
enum mr_status mr_properties_count(const struct mr_properties *properties, const char *key,
                                   uint64_t least, uint64_t most, uint64_t otherwise, uint64_t *out,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* MR_ERROR_INPUT with the line of `key`; without a line when there is none. */
enum mr_status mr_properties_error(const struct mr_properties *properties, const char *key,
                                   struct mr_error *err, const char *format, ...) MR_PRINTF(4, 5);

/* `path` without the first of `suffixes` (NULL ends them) that it ends with, and with `suffix`
 * added. The caller frees the result; NULL when out of memory. */
char *mr_path_sibling(const char *path, const char *const *suffixes, const char *suffix);

#endif
