/* Plain lines of two numbers, nearly all of a real edge list, converted by what the processor has for it. */
#ifndef MR_FORMATS_GRAPH_EDGE_LINES_H
#define MR_FORMATS_GRAPH_EDGE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/build/build.h"

/* From `*at`, as many lines "digits, one separator, digits, end" as there are in a row, of 1..16 digits with
 * values below `limit`, up to `room` of them, to `edges`; with `swap` the first number is the target. Returns
 * how many; `*at` is at the beginning of the line after them, or `end`. Every line before `end` ends with
 * LF, and MR_LINES_PADDING_BYTES can be read behind it. */
typedef size_t (*mr_edge_lines)(const char **at, const char *end, struct mr_edge *edges,
                                size_t room, uint64_t limit, bool swap);

/* One digit run after the other: 13 ns a line of 15 bytes (Zen 3, busy host). */
size_t mr_edge_lines_portable(const char **at, const char *end, struct mr_edge *edges, size_t room,
                              uint64_t limit, bool swap);

#if defined(__x86_64__)
/* Where AVX2 and BMI2 are: 7.4 to 9.5 ns. */
size_t mr_edge_lines_avx2(const char **at, const char *end, struct mr_edge *edges, size_t room,
                          uint64_t limit, bool swap);
#endif

/* The fastest here. */
mr_edge_lines mr_edge_lines_best(void);

static inline bool mr_edge_lines_separator(char c)
{
    return c == ' ' || c == '\t' || c == ',';
}

#endif
