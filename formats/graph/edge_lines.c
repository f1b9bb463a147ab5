/* SPDX-License-Identifier: Apache-2.0 */
/* Converts plain lines of two numbers on any processor, and chooses the kernel for
 * formats/graph/edge_text.c. This kernel is the fallback and the reference that the AVX2 kernel is
 * tested against. */
#include "formats/graph/edge_lines.h"

#include "engine/base/decimal.h"

size_t mr_edge_lines_portable(const char **at, const char *end, struct mr_edge *edges, size_t room,
                              uint64_t limit, bool swap)
{
    const char *p = *at;
    uint64_t first, second;
    size_t n = 0;

    while (p < end && n < room) {
        const char *q = mr_decimal_quick(p, &first);
        if (q == NULL || !mr_edge_lines_separator(*q) || mr_edge_lines_padded(p, q)) {
            break;
        }
        const char *const begin = q + 1;
        q = mr_decimal_quick(begin, &second);
        if (q == NULL || mr_edge_lines_padded(begin, q)) {
            break;
        }
        q += *q == '\r';
        if (*q != '\n' || first >= limit || second >= limit) {
            break;
        }
        edges[n++] = swap ? (struct mr_edge){second, first} : (struct mr_edge){first, second};
        p = q + 1;
    }
    *at = p;
    return n;
}

mr_edge_lines mr_edge_lines_best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2")) {
        return mr_edge_lines_avx2;
    }
#endif
    return mr_edge_lines_portable;
}
