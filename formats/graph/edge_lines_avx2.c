/* SPDX-License-Identifier: Apache-2.0 */
/* Converts plain lines of two numbers with AVX2 and BMI2, for formats/graph/edge_text.c. A loop
 * over digits makes each number wait for the one before: its bytes give its length, and the length
 * gives the address of the next number. Here one bit per byte marks the ends of all numbers in 64
 * bytes, so that the processor works on several numbers at once. Both numbers of a line are
 * converted together. */
#include <immintrin.h>

#include "engine/base/bytes.h"
#include "engine/base/decimal.h"
#include "formats/graph/edge_lines.h"

enum { SCAN_BYTES = 64, WORD_DIGITS = 8, QUICK_DIGITS = 16 };

/* Greater than all numbers of 8 digits. */
#define WORD_END ((uint64_t)100000000)

struct scan {
    const char *block;
    uint64_t others; /* a bit per byte that is not a digit and was not returned yet */
};

static inline uint64_t digits_of(const char *p)
{
    const __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)p);
    const __m256i values = _mm256_sub_epi8(bytes, _mm256_set1_epi8('0'));
    const __m256i low = _mm256_min_epu8(values, _mm256_set1_epi8(9));
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, values));
}

static inline uint64_t others_of(const char *p)
{
    return ~(digits_of(p) | digits_of(p + SCAN_BYTES / 2) << SCAN_BYTES / 2);
}

/* The next byte that is not a digit. There is one before the text ends. */
static inline const char *next_other(struct scan *scan)
{
    while (__builtin_expect(scan->others == 0, 0)) {
        scan->block += SCAN_BYTES;
        scan->others = others_of(scan->block);
    }
    const char *at = scan->block + _tzcnt_u64(scan->others);
    scan->others = _blsr_u64(scan->others);
    return at;
}

/* The number of 1..16 digits at `p`. */
static inline uint64_t number_of(const char *p, size_t n_digits)
{
    static const uint64_t powers[WORD_DIGITS + 1] = {1,      10,      100,      1000,     10000,
                                                     100000, 1000000, 10000000, 100000000};
    const uint64_t zeros = 0x3030303030303030u;
    const uint64_t first = mr_get_u64((const uint8_t *)p) ^ zeros;
    if (n_digits <= WORD_DIGITS) {
        return mr_decimal_value(first, (unsigned)n_digits);
    }
    const unsigned rest = (unsigned)n_digits - WORD_DIGITS;
    const uint64_t second = mr_get_u64((const uint8_t *)p + WORD_DIGITS) ^ zeros;
    return mr_decimal_value(first, WORD_DIGITS) * powers[rest] + mr_decimal_value(second, rest);
}

/* Moves the last digit to the highest byte and fills the bytes below the first digit with zeros. */
static inline uint64_t aligned_digits(const char *p, size_t n_digits)
{
    return mr_get_u64((const uint8_t *)p) << (64 - 8 * n_digits);
}

/* Converts two numbers of up to 8 digits: to pairs of digits, to fours, to eights, and to 64 bits
 * each. */
static inline __m128i pair_of(uint64_t low, uint64_t high)
{
    __m128i x = _mm_set_epi64x((int64_t)high, (int64_t)low);
    x = _mm_subs_epu8(x, _mm_set1_epi8('0')); /* bytes that were shifted in stay 0 */
    x = _mm_maddubs_epi16(x, _mm_set1_epi16(1 << 8 | 10));
    x = _mm_madd_epi16(x, _mm_set1_epi32(1 << 16 | 100));
    x = _mm_packus_epi32(x, x);
    x = _mm_madd_epi16(x, _mm_set1_epi32(1 << 16 | 10000));
    return _mm_cvtepu32_epi64(x);
}

size_t mr_edge_lines_avx2(const char **at, const char *end, struct mr_edge *edges, size_t room,
                          uint64_t limit, bool swap)
{
    struct scan scan = {.block = *at, .others = others_of(*at)};
    const char *p = *at;
    size_t n = 0;

    while (p < end && n < room) {
        const char *q = next_other(&scan);
        if (!mr_edge_lines_separator(*q)) {
            break;
        }
        const char *r = next_other(&scan);
        const size_t n_first = (size_t)(q - p), n_second = (size_t)(r - q) - 1;
        if (((n_first - 1) | (n_second - 1)) < WORD_DIGITS) { /* neither is 0 */
            const uint64_t first = aligned_digits(p, n_first);
            const uint64_t second = aligned_digits(q + 1, n_second);
            const __m128i pair = swap ? pair_of(second, first) : pair_of(first, second);
            _mm_storeu_si128((__m128i *)(void *)&edges[n], pair);
        } else if (((n_first - 1) | (n_second - 1)) < QUICK_DIGITS) {
            const uint64_t first = number_of(p, n_first), second = number_of(q + 1, n_second);
            edges[n] = swap ? (struct mr_edge){second, first} : (struct mr_edge){first, second};
        } else {
            break;
        }
        if (mr_edge_lines_padded(p, q) || mr_edge_lines_padded(q + 1, r)) {
            break;
        }
        if (*r == '\r') {
            r = next_other(&scan);
            if (r[-1] != '\r') {
                break;
            }
        }
        if (*r != '\n' || (limit < WORD_END * WORD_END &&
                           (edges[n].source >= limit || edges[n].target >= limit))) {
            break;
        }
        n++;
        p = r + 1;
    }
    *at = p;
    return n;
}
