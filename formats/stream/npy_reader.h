/* Scores out of NumPy arrays: one column of a one- or two-dimensional array of floats.
 *
 * Format versions 1 to 3, descr '<f8', '<f4', '>f8', '>f4', either order of a two-dimensional array. Nothing
 * of the header is believed before it is checked against what mr_scores_write writes and numpy reads. */
#ifndef MR_FORMATS_STREAM_NPY_READER_H
#define MR_FORMATS_STREAM_NPY_READER_H

#include <stdbool.h>

#include "formats/stream/input.h"

struct mr_npy_reader;

/* Does the input begin like an .npy? Consumes nothing; before the first read only. */
enum mr_status mr_npy_probe(struct mr_input *input, bool *is_npy,
                            struct mr_error *err) MR_WARN_UNUSED;

/* Begin at the first byte of `input`, which is borrowed. `column` is the number of a column from 1, or
 * NULL: the last. Errors: INPUT for what is no such array, USAGE for a column that it does not have. Close
 * takes NULL. Memory: 64 KiB. */
enum mr_status mr_npy_reader_open(const struct mr_context *context, struct mr_input *input,
                                  const char *column, struct mr_npy_reader **out,
                                  struct mr_error *err) MR_WARN_UNUSED;
void mr_npy_reader_close(struct mr_npy_reader *reader);

/* Rows of the array, as its header says. */
uint64_t mr_npy_reader_rows(const struct mr_npy_reader *reader);

/* The score of the next row; `*is_end` past the last one. Errors: INPUT when the file ends early, or for
 * a score that is not finite. */
enum mr_status mr_npy_reader_next(struct mr_npy_reader *reader, double *score, bool *is_end,
                                  struct mr_error *err) MR_WARN_UNUSED;

#endif
