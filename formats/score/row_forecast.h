/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that grow with the rows of a file of scores, and how large they will be, seen from the
 * middle of the file: for errors about the memory budget. */
#ifndef MR_FORMATS_SCORE_ROW_FORECAST_H
#define MR_FORMATS_SCORE_ROW_FORECAST_H

#include "formats/stream/input.h"

/* Where the reading stands: `n_rows` rows of `input` were taken, and `pending_bytes` of it were
 * read and not yet taken. `input` is NULL if the rows come from no file. */
struct mr_row_place {
    const struct mr_input *input; /* NULL: no file */
    uint64_t n_rows, pending_bytes;
};

/* An array with `room` items of `item_bytes`, about one for each row. When it is complete, the
 * caller takes `later_row_bytes` more for each row, and gives `freed_bytes` back before. */
struct mr_row_array {
    const char *name;
    uint64_t room, item_bytes, later_row_bytes, freed_bytes;
};

/* About the number of rows of the whole input; rather a few too many. 0: unknown. */
uint64_t mr_row_forecast(const struct mr_row_place *place);

/* Resizes the array that `items` points to, of any type, which is full and may be NULL: half as
 * many items more, or fewer if the file will not have them. Foresees (mr_memory_foresee) what the
 * array and the caller take at the end. */
enum mr_status mr_row_array_grow(struct mr_memory *memory, const struct mr_row_place *place,
                                 struct mr_row_array *array, void *items,
                                 struct mr_error *err) MR_WARN_UNUSED;

#endif
