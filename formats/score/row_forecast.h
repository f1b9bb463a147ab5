/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that grow with the rows of a file of scores, and how large they will be, seen from the
 * middle of the file: for errors about the memory budget. */
#ifndef MR_FORMATS_SCORE_ROW_FORECAST_H
#define MR_FORMATS_SCORE_ROW_FORECAST_H

#include "formats/table/line_team.h"

/* An array with `room` items of `item_bytes`, about one for each row. When it is complete, the
 * caller takes `later_row_bytes` more for each row, and gives `freed_bytes` back before. */
struct mr_row_array {
    const char *name;
    uint64_t room, item_bytes, later_row_bytes, freed_bytes;
};

/* About the number of rows of the whole `input`, which is read as far as `place`, and of which
 * `n_rows` were taken; rather a few too many. 0: unknown, or `input` is NULL. */
uint64_t mr_row_forecast(const struct mr_input *input, uint64_t n_rows, struct mr_line_place place);

/* Resizes the array that `items` points to, of any type, which is full and may be NULL: half as
 * many items more, or fewer if the file will not have the forecast `n_rows`. Foresees
 * (mr_memory_foresee) what the array and the caller take at the end. */
enum mr_status mr_row_array_grow(struct mr_memory *memory, uint64_t n_rows,
                                 struct mr_row_array *array, void *items,
                                 struct mr_error *err) MR_WARN_UNUSED;

#endif
