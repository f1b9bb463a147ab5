/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers may be names, and a store of names takes them: one that was built from "a 17" does. A
 * store of URLs would get thousands of pages called 1, 2, 3, beside its own, and no link between
 * these and those. A store has numbers among its names if the first one is a number: names that
 * are no URLs come before URLs, by their bytes. Pages that were appended come behind all others,
 * so numbers that the store knows count as well. */
#include "library/import/import_graphs.h"

#include <string.h>

#include "engine/names/names.h"
#include "engine/store/store.h"
#include "formats/table/lines.h"
#include "formats/url/surt.h"

enum { LOOK_LINES = 64 };

static bool is_number(const char *name, size_t bytes)
{
    size_t digits = 0;
    while (digits < bytes && name[digits] >= '0' && name[digits] <= '9') {
        digits++;
    }
    return digits == bytes;
}

/* Does the store know one of the numbers that the input begins with? */
static enum mr_status look_up(struct mr_names *names, struct mr_input *input, bool *known,
                              struct mr_error *err)
{
    const char *data;
    size_t bytes, field_bytes;
    uint32_t vertex;
    enum mr_status status = mr_input_peek(input, &data, &bytes, err);
    const char *at = data, *const end = status == MR_OK ? data + bytes : data;

    *known = false;
    for (unsigned n = 0; n < LOOK_LINES && at < end && !*known && status == MR_OK; n++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at)), *field;
        stop = stop != NULL ? stop : end;
        while (status == MR_OK && !*known &&
               (field = mr_lines_field(&at, stop, &field_bytes)) != NULL) {
            if (is_number(field, field_bytes)) {
                status = mr_names_find(names, field, field_bytes, &vertex, known, err);
            }
        }
        at = stop + 1;
    }
    return status;
}

static enum mr_status check_names(struct mr_names *names, struct mr_input *input,
                                  struct mr_error *err)
{
    char quote[MR_LINES_QUOTE_BYTES];
    struct mr_name_cursor *cursor = NULL;
    const char *name = NULL;
    size_t bytes = 0;
    bool known = false;

    enum mr_status status = mr_name_cursor_open(names, 0, &cursor, err);
    if (status == MR_OK) {
        status = mr_name_cursor_next(cursor, &name, &bytes, err);
    }
    if (status == MR_OK && name != NULL && !is_number(name, bytes)) {
        status = look_up(names, input, &known, err);
        if (status == MR_OK && !known) {
            status = mr_error_file(err, MR_ERROR_USAGE, mr_input_name(input), 0,
                                   "has numbers for pages, the store names such as %s; give "
                                   "links as the store was built from, or say --format urls if "
                                   "the numbers are names",
                                   mr_lines_quote(name, bytes, quote));
        }
    }
    mr_name_cursor_close(cursor);
    return status;
}

enum mr_status mr_import_check_onto(const struct mr_context *context, const char *path,
                                    struct mr_input *input, struct mr_error *err)
{
    struct mr_store *store = NULL;
    struct mr_names *names = NULL;

    enum mr_status status = mr_store_open(context, path, &store, err);
    if (status == MR_OK) {
        status = mr_names_open(
            context, store, mr_name_key_of(mr_store_get_info(store)->name_key_number), &names, err);
    }
    if (status == MR_OK) {
        status = check_names(names, input, err);
    }
    mr_names_close(names);
    mr_store_close(store);
    return status;
}
