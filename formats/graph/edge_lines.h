/* SPDX-License-Identifier: Apache-2.0 */
/* Converts plain lines of two numbers, which are nearly all lines of a real edge list. The kernel
 * depends on the processor. Internal to formats/graph/. */
#ifndef MR_FORMATS_GRAPH_EDGE_LINES_H
#define MR_FORMATS_GRAPH_EDGE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/edge.h"

/* Convert lines "digits, one separator, digits, end" from `*at` on, up to `room` of them, into
 * `edges`. A number has 1..16 digits, no zeros before it and a value below `limit`. With `swap` the
 * first number is the target. The conversion stops at the first line of another form. Returns the
 * number of edges;
 * `*at` moves to the beginning of the line after them, or to `end`. Every line before `end` ends
 * with LF, and MR_LINES_PADDING_BYTES after `end` can be read. */
typedef size_t (*mr_edge_lines)(const char **at, const char *end, struct mr_edge *edges,
                                size_t room, uint64_t limit, bool swap);

/* Converts one run of digits after the other: 13 ns per line of 15 bytes (Zen 3, busy host). */
size_t mr_edge_lines_portable(const char **at, const char *end, struct mr_edge *edges, size_t room,
                              uint64_t limit, bool swap);

#if defined(__x86_64__)
/* For processors with AVX2 and BMI2: 7.4 to 9.5 ns per line. */
size_t mr_edge_lines_avx2(const char **at, const char *end, struct mr_edge *edges, size_t room,
                          uint64_t limit, bool swap);
#endif

/* The fastest kernel for this processor. */
mr_edge_lines mr_edge_lines_best(void);

static inline bool mr_edge_lines_separator(char c)
{
    return c == ' ' || c == '\t' || c == ',';
}

/* Has the number zeros before it, as 007? */
static inline bool mr_edge_lines_padded(const char *number, const char *end)
{
    return __builtin_expect(*number == '0', 0) && end - number > 1;
}

#endif
