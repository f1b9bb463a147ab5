/* Java .properties files, as WebGraph and Graphalytics keep beside their graphs: "key = value" lines,
 * '#' and '!' comments. Escapes and continued lines, which they never use, are not interpreted. */
#ifndef MR_FORMATS_STREAM_PROPERTIES_H
#define MR_FORMATS_STREAM_PROPERTIES_H

#include <stdbool.h>

#include "engine/base/context.h"

struct mr_properties;

#define MR_PROPERTIES_MAX_BYTES (1u << 20)

/* Read all of `path`. Errors: RUNTIME when it cannot be opened, INPUT when it is too long. Free takes
 * NULL. */
enum mr_status mr_properties_read(const struct mr_context *context, const char *path,
                                  struct mr_properties **out, struct mr_error *err) MR_WARN_UNUSED;
void mr_properties_free(struct mr_properties *properties);

/* The value of `key`, trimmed; NULL where there is none. With `ends` the first key that ends with it
 * counts. */
const char *mr_properties_get(const struct mr_properties *properties, const char *key, bool ends);

/* A whole number from `least` to `most`; `otherwise` where the key is missing. MR_ERROR_INPUT at the
 * line where it is no such number. */
enum mr_status mr_properties_count(const struct mr_properties *properties, const char *key,
                                   uint64_t least, uint64_t most, uint64_t otherwise, uint64_t *out,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* MR_ERROR_INPUT at the line of `key`, or of the first key that ends with it, or without a line where it is missing. */
enum mr_status mr_properties_error(const struct mr_properties *properties, const char *key,
                                   struct mr_error *err, const char *format, ...) MR_PRINTF(4, 5);

/* BASE for a path that ends with one of the `suffixes` (NULL ends them), else all of it; with
 * `suffix` added. To be freed; NULL when out of memory. */
char *mr_path_sibling(const char *path, const char *const *suffixes, const char *suffix);

#endif
