/* SPDX-License-Identifier: Apache-2.0 */
/* Scores from NumPy arrays: one column of a one- or two-dimensional array of floats.
 *
 * Accepts format versions 1 to 3, descr '<f8', '<f4', '>f8' or '>f4', and both orders of a
 * two-dimensional array. Every field of the header is checked before it is used. */
#ifndef MR_FORMATS_TABLE_NPY_READER_H
#define MR_FORMATS_TABLE_NPY_READER_H

#include <stdbool.h>

#include "formats/stream/input.h"

struct mr_npy_reader;

/* Does the input begin like an .npy file? Takes no bytes. Only before the first read. */
enum mr_status mr_npy_probe(struct mr_input *input, bool *is_npy,
                            struct mr_error *err) MR_WARN_UNUSED;

/* Begin at the first byte of `input`, which is borrowed. `column` is the number of a column from 1,
 * or NULL for the last one. Errors: INPUT for a file that is not such an array, USAGE for a column
 * that the array does not have, BUDGET. Close takes NULL. Memory: 64 KiB. */
enum mr_status mr_npy_reader_open(const struct mr_context *context, struct mr_input *input,
                                  const char *column, struct mr_npy_reader **out,
                                  struct mr_error *err) MR_WARN_UNUSED;
void mr_npy_reader_close(struct mr_npy_reader *reader);

/* Number of rows that the header states. */
uint64_t mr_npy_reader_rows(const struct mr_npy_reader *reader);

/* The score of the next row; `*is_end` is true past the last row. Errors: INPUT when the file ends
 * early, or for a score that is not finite. */
enum mr_status mr_npy_reader_next(struct mr_npy_reader *reader, double *score, bool *is_end,
                                  struct mr_error *err) MR_WARN_UNUSED;

#endif
