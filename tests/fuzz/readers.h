/* SPDX-License-Identifier: Apache-2.0 */
/* An entry into every reader of formats/, for libFuzzer and for the replay of the corpora. */
#ifndef MR_TESTS_FUZZ_READERS_H
#define MR_TESTS_FUZZ_READERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Choose a reader by its name in formats/graph_format.h. Returns false when no reader has this
 * name. */
bool fuzz_choose(const char *reader);

/* Make a temporary directory for the files, until fuzz_end. */
bool fuzz_begin(void);

/* Read `data[bytes]` with the chosen reader, in little memory. For formats of several files the
 * input is
 *
 *     u16 a, u16 b (little-endian), a bytes, b bytes, the rest
 *
 * which are the parts that readers.c lists. The function aborts on an edge with a vertex that the
 * header excludes, and on memory that is not given back. */
void fuzz_one(const uint8_t *data, size_t bytes);

/* Remove the directory. */
void fuzz_end(void);

#endif
