/* SPDX-License-Identifier: Apache-2.0 */
/* Reads Java .properties files. The reader of WebGraph graphs takes the facts about a graph from
 * them. Such a file is small, so it is read as a whole and cut into keys and values in place. */
#include "formats/table/properties.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/decimal.h"
#include "engine/io/io.h"

struct property {
    const char *key, *value;
    uint64_t line;
};

struct mr_properties {
    char *path;
    char *text; /* cut into keys and values */
    struct property *entries; /* [n_entries] */
    size_t n_entries;
};

void mr_properties_free(struct mr_properties *properties)
{
    if (properties != NULL) {
        free(properties->path);
        free(properties->text);
        free(properties->entries);
        free(properties);
    }
}

static char *trim(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\f", text[length - 1]) != NULL) {
        text[--length] = '\0';
    }
    return text + strspn(text, " \t\r\f");
}

/* Cut the text into entries; `entries` has room for one per line. */
static void parse(struct mr_properties *properties)
{
    uint64_t number = 0;

    for (char *line = properties->text, *next; line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL) {
            *next++ = '\0';
        }
        number++;
        line = trim(line);
        char *value = line + strcspn(line, "=:");
        if (*line == '\0' || *line == '#' || *line == '!') {
            continue;
        }
        if (*value != '\0') {
            *value++ = '\0';
        }
        properties->entries[properties->n_entries++] =
            (struct property){.key = trim(line), .value = trim(value), .line = number};
    }
}

enum mr_status mr_properties_read(const struct mr_context *context, const char *path,
                                  struct mr_properties **out, struct mr_error *err)
{
    struct mr_properties *properties = calloc(1, sizeof *properties);
    struct mr_file *file = NULL;
    uint64_t bytes = 0;

    *out = properties;
    if (properties == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for %s", path);
    }
    enum mr_status status = mr_file_open(context->io, path, MR_OPEN_READ, &file, err);
    if (status == MR_OK) {
        status = mr_file_size(file, &bytes, err);
    }
    if (status == MR_OK && bytes > MR_PROPERTIES_MAX_BYTES) {
        status = mr_error_file(err, MR_ERROR_INPUT, path, 0,
                               "longer than %u bytes; this is no .properties file",
                               MR_PROPERTIES_MAX_BYTES);
    }
    if (status == MR_OK) {
        properties->path = strdup(path);
        properties->text = calloc(1, bytes + 1);
        status = properties->path == NULL || properties->text == NULL
                     ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for %s", path)
                     : mr_file_read(file, properties->text, bytes, 0, err);
    }
    if (status == MR_OK) {
        size_t lines = 1;
        for (uint64_t i = 0; i < bytes; i++) {
            lines += properties->text[i] == '\n';
        }
        properties->entries = calloc(lines, sizeof *properties->entries);
        if (properties->entries != NULL) {
            parse(properties);
        } else {
            status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for %s", path);
        }
    }
    mr_file_abandon(file);
    return status;
}

static const struct property *find(const struct mr_properties *properties, const char *key)
{
    for (size_t i = 0; i < properties->n_entries; i++) {
        if (strcmp(properties->entries[i].key, key) == 0) {
            return &properties->entries[i];
        }
    }
    return NULL;
}

const char *mr_properties_get(const struct mr_properties *properties, const char *key)
{
    const struct property *entry = find(properties, key);
    return entry == NULL ? NULL : entry->value;
}

enum mr_status mr_properties_error(const struct mr_properties *properties, const char *key,
                                   struct mr_error *err, const char *format, ...)
{
    const struct property *entry = find(properties, key);
    char reason[256];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return entry == NULL
               ? mr_error_file(err, MR_ERROR_INPUT, properties->path, 0, "%s: %s", key, reason)
               : mr_error_line(err, MR_ERROR_INPUT, properties->path, entry->line, "%s: %s", key,
                               reason);
}

enum mr_status mr_properties_count(const struct mr_properties *properties, const char *key,
                                   uint64_t least, uint64_t most, uint64_t otherwise, uint64_t *out,
                                   struct mr_error *err)
{
    const char *value = mr_properties_get(properties, key);

    *out = otherwise;
    if (value == NULL) {
        return MR_OK;
    }
    if (!mr_decimal_whole(value, value + strlen(value), out) || *out < least || *out > most) {
        return mr_properties_error(properties, key, err, "must be a number from %llu to %llu",
                                   (unsigned long long)least, (unsigned long long)most);
    }
    return MR_OK;
}

char *mr_path_sibling(const char *path, const char *const *suffixes, const char *suffix)
{
    size_t length = strlen(path);

    for (; *suffixes != NULL; suffixes++) {
        const size_t tail = strlen(*suffixes);
        if (length > tail && strcmp(path + length - tail, *suffixes) == 0) {
            length -= tail;
            break;
        }
    }
    const size_t bytes = length + strlen(suffix) + 1;
    char *sibling = malloc(bytes);
    if (sibling != NULL) {
        (void)snprintf(sibling, bytes, "%.*s%s", (int)length, path, suffix);
    }
    return sibling;
}
