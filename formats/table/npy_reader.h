/* SPDX-License-Identifier: Apache-2.0 */
/* Scores from NumPy arrays: one column of a one- or two-dimensional array of floats.
 *
 * Accepts format versions 1 to 3, descr '<f8', '<f4', '>f8' or '>f4', and both orders of a
 * two-dimensional array. Every field of the header is checked before it is used. */
#ifndef MR_FORMATS_TABLE_NPY_READER_H
#define MR_FORMATS_TABLE_NPY_READER_H

#include <stdbool.h>

#include "formats/stream/input.h"

/* What the header of an array says. */
struct mr_npy_head {
    char kind; /* of the elements: 'f', 'i' or 'u'; 0: none of 4 or 8 bytes */
    unsigned value_bytes;
    bool is_big_endian, is_fortran;
    unsigned n_dimensions; /* 0: neither 1 nor 2 */
    uint64_t shape[2]; /* the second is 1 if there is one dimension */
    uint64_t text_offset, data_offset; /* of the header's text, and of the first element */
};

enum mr_npy_problem {
    MR_NPY_OK,
    MR_NPY_NONE, /* no array of version 1, 2 or 3 */
    MR_NPY_LONG_HEADER, /* or an empty one */
    MR_NPY_CUT, /* the input ends within the header */
    MR_NPY_LACKS /* no type, order or shape */
};

/* Read the header at the beginning of `input`. Errors: those of the input. */
enum mr_status mr_npy_head_read(struct mr_input *input, struct mr_npy_head *head,
                                enum mr_npy_problem *problem, struct mr_error *err) MR_WARN_UNUSED;

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
