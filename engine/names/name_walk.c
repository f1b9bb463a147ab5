/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of all that reads every name of a store: with a cursor, and with a report from time to
 * time. */
#include "engine/names/names.h"

enum { NAMES_PER_REPORT = 1 << 16 };

enum mr_status mr_names_walk(const struct mr_context *context, struct mr_names *names,
                             uint64_t n_names, const char *stage, mr_name_take take, void *data,
                             struct mr_error *err)
{
    struct mr_name_cursor *cursor = NULL;
    const char *name = NULL;
    size_t bytes = 0;

    enum mr_status status = n_names > 0 ? mr_name_cursor_open(names, 0, &cursor, err) : MR_OK;
    for (uint64_t i = 0; i < n_names && status == MR_OK; i++) {
        if (i % NAMES_PER_REPORT == 0) {
            status = stage != NULL ? mr_context_report(context, stage, "rows", i, n_names, err)
                                   : mr_context_poll(context, err);
        }
        if (status == MR_OK) {
            status = mr_name_cursor_next(cursor, &name, &bytes, err);
        }
        if (status == MR_OK) {
            status = take(data, cursor, i, name, bytes, err);
        }
    }
    mr_name_cursor_close(cursor);
    return status;
}
