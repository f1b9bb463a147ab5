/* One entry into every reader of formats/, for libFuzzer and for the replay of the corpora. */
#ifndef MR_TESTS_FUZZ_READERS_H
#define MR_TESTS_FUZZ_READERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Readers by name: the formats of formats/graph_format.h. False when there is none of that name. */
bool fuzz_choose(const char *reader);

/* Files in a directory of its own, until the process ends. */
bool fuzz_begin(void);

/* Read `data[bytes]` as the chosen reader's input, in little memory. Formats of several files take
 *
 *     u16 a, u16 b (little-endian), a bytes, b bytes, the rest
 *
 * as the parts that readers.c lists. Aborts on what no input may bring about: an edge of a vertex that
 * the head rules out, memory that is not given back. */
void fuzz_one(const uint8_t *data, size_t bytes);

/* Remove the directory. */
void fuzz_end(void);

#endif
