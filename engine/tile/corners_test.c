/* SPDX-License-Identifier: Apache-2.0 */
/* Compares corner tiles with edges added up one by one: exactly in integers, within the stated
 * error in floating point, for each instruction set. Also expands tiles and damages them in every
 * way. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/format.h"
#include "engine/tile/corners_encode.h"
#include "engine/tile/corners_expand.h"
#include "engine/tile/corners_kernels.h"
#include "engine/tile/key_kernels.h"
#include "tests/support/test.h"
#include "tests/support/test_context.h"

static uint64_t state = 88172645463325252u;

static uint64_t random64(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 2685821657736338717u;
}

static uint32_t below(uint32_t n)
{
    return (uint32_t)((random64() >> 32) * n >> 32);
}

/* A tile to encode: one byte per possible edge, row after row. */
struct plane {
    struct mr_corners_shape shape;
    uint32_t n_rows, n_columns; /* rows and columns that may have edges; the tile itself is wider */
    uint8_t *cells;
    uint32_t *keys;
    uint32_t n_links;
};

static uint8_t *cell(const struct plane *plane, uint32_t row, uint32_t column)
{
    return &plane->cells[(size_t)row * plane->n_columns + column];
}

static void fill_rows_like_pages(struct plane *plane)
{
    for (uint32_t row = 0; row < plane->n_rows; row++) {
        const unsigned kind = below(10);
        for (uint32_t c = 0; c < plane->n_columns; c++) {
            *cell(plane, row, c) = row > 0 && kind < 7 ? *cell(plane, row - 1, c) : 0;
        }
        for (unsigned i = kind == 9 ? 0 : below(4); i > 0; i--) {
            const uint32_t first = below(plane->n_columns), length = 1 + below(9);
            for (uint32_t c = first; c < first + length && c < plane->n_columns; c++) {
                *cell(plane, row, c) = (uint8_t)(below(8) > 0);
            }
        }
    }
}

enum kind { RANDOM, PAGES, ONES, CHECKERBOARD, ONE_ROW, ONE_COLUMN, RUNS, ONE_LINK, N_KINDS };

static void fill(struct plane *plane, enum kind kind)
{
    const uint32_t density = 1 + below(200), at = below(plane->n_rows);
    const uint32_t column = below(plane->n_columns);
    if (kind == PAGES) {
        fill_rows_like_pages(plane);
        return;
    }
    for (uint32_t r = 0; r < plane->n_rows; r++) {
        for (uint32_t c = 0; c < plane->n_columns; c++) {
            *cell(plane, r, c) = kind == RANDOM         ? below(256) < density
                                 : kind == ONES         ? 1
                                 : kind == CHECKERBOARD ? (r + c) % 2 == 0
                                 : kind == ONE_ROW      ? r == at
                                 : kind == ONE_COLUMN   ? c == column
                                 : kind == RUNS         ? r % 3 != 1
                                                        : r == at && c == column;
        }
    }
}

/* Collect the keys source-major, as the encoder expects them. */
static void collect_keys(struct plane *plane)
{
    plane->n_links = 0;
    for (uint32_t c = 0; c < plane->n_columns; c++) {
        for (uint32_t r = 0; r < plane->n_rows; r++) {
            if (*cell(plane, r, c) != 0) {
                plane->keys[plane->n_links++] = c << plane->shape.band_bits | r;
            }
        }
    }
}

static struct plane make_plane(unsigned band_bits, unsigned stripe_bits, uint32_t n_rows,
                               uint32_t n_columns, enum kind kind)
{
    struct plane plane = {.shape = {.band_bits = band_bits, .stripe_bits = stripe_bits},
                          .n_rows = n_rows,
                          .n_columns = n_columns};
    plane.cells = calloc((size_t)n_rows * n_columns, 1);
    plane.keys = malloc((size_t)n_rows * n_columns * sizeof *plane.keys);
    fill(&plane, kind);
    collect_keys(&plane);
    return plane;
}

static void free_plane(struct plane *plane)
{
    free(plane->cells);
    free(plane->keys);
}

/* Everything one shape needs. */
struct bench {
    struct mr_context context;
    struct mr_corners_shape shape;
    struct mr_corners_encoder *encoder;
    struct mr_corners_expander *expander;
    uint8_t *part; /* [MR_BLOCK_RAW_MAX_BYTES] */
    uint8_t *copy; /* with the bytes that a decoder may read beyond the end */
    uint32_t part_bytes;
    uint64_t *x, *expected, *sums; /* as long as the longer side */
    uint32_t *expanded;
    void *scratch; /* memory of open_scratch: fresh pages for each tile take longer than the tile */
    size_t scratch_bytes;
};

static void open_bench(struct bench *b, unsigned band_bits, unsigned stripe_bits)
{
    *b = (struct bench){.shape = {.band_bits = band_bits, .stripe_bits = stripe_bits}};
    const size_t n = (size_t)1 << (band_bits > stripe_bits ? band_bits : stripe_bits);
    assert_true(test_context_open(&b->context, UINT64_MAX, 1));
    assert_int_equal(mr_corners_encoder_create(&b->context, &b->shape, &b->encoder, NULL), MR_OK);
    assert_int_equal(mr_corners_expander_create(b->context.memory, &b->shape, &b->expander, NULL),
                     MR_OK);
    b->part = malloc(MR_BLOCK_RAW_MAX_BYTES);
    b->copy = malloc(MR_BLOCK_RAW_MAX_BYTES + MR_KEYS_SLACK_BYTES);
    b->x = malloc(n * sizeof *b->x);
    b->expected = malloc(n * sizeof *b->expected);
    b->sums = malloc(n * sizeof *b->sums);
    b->expanded = malloc(MR_CORNERS_LINKS_MAX * sizeof *b->expanded);
    b->scratch_bytes = (size_t)((mr_corners_scratch_bytes(&b->shape) + 63) / 64 * 64);
    b->scratch = aligned_alloc(64, b->scratch_bytes);
}

static void close_bench(struct bench *b)
{
    mr_corners_encoder_destroy(b->encoder);
    mr_corners_expander_destroy(b->expander);
    free(b->part);
    free(b->copy);
    free(b->x);
    free(b->expected);
    free(b->sums);
    free(b->expanded);
    free(b->scratch);
    test_context_close(&b->context);
}

/* Make a new scratch in the memory of the bench. */
static void open_scratch(const struct bench *b, const struct mr_key_kernels *key_kernels,
                         const struct mr_corners_kernels *kernels,
                         struct mr_corners_scratch *scratch)
{
    memset(b->scratch, 0, b->scratch_bytes);
    mr_corners_scratch_init(scratch, &b->shape, key_kernels, kernels, b->scratch);
}

/* The kernels of this machine, in every combination; false past the last one. */
static bool kernels_at(unsigned index, const struct mr_key_kernels **key_kernels,
                       const struct mr_corners_kernels **kernels)
{
    unsigned n = 0;
    while (mr_corners_kernels_at(n) != NULL) {
        n++;
    }
    assert(n > 0);
    *key_kernels = mr_key_kernels_at(index / n);
    *kernels = mr_corners_kernels_at(index % n);
    return *key_kernels != NULL;
}

/* False where there are too few edges in too many rows. */
static bool encode(struct bench *b, const struct plane *plane)
{
    const uint32_t mask = ((uint32_t)1 << b->shape.band_bits) - 1;
    struct mr_corners_part part;
    uint32_t lowest = UINT32_MAX, highest = 0;
    for (uint32_t i = 0; i < plane->n_links; i++) {
        const uint32_t row = plane->keys[i] & mask;
        lowest = row < lowest ? row : lowest;
        highest = row > highest ? row : highest;
    }
    if (plane->n_links == 0 || highest / 8 - lowest / 8 + 1 > plane->n_links) {
        return false;
    }
    assert_int_equal(mr_corners_encode(b->encoder, plane->keys, plane->n_links, true, &part),
                     MR_CORNERS_DONE);
    memcpy(b->part, part.bytes, part.n_bytes);
    b->part_bytes = part.n_bytes;
    assert_true(part.n_entries <= plane->n_links);
    assert_int_equal(part.n_rows, 8 * (highest / 8 - lowest / 8 + 1));
    return true;
}

static void expect_links(struct bench *b, const struct plane *plane)
{
    uint32_t *keys = b->expanded;
    const char *fault =
        mr_corners_expand(b->expander, plane->n_links, b->part, b->part_bytes, keys);
    if (fault != NULL) {
        fail_msg("%s", fault);
    }
    assert_memory_equal(keys, plane->keys, plane->n_links * sizeof *keys);
    /* another number of edges is refused */
    if (plane->n_links < MR_CORNERS_LINKS_MAX) {
        assert_non_null(
            mr_corners_expand(b->expander, plane->n_links + 1, b->part, b->part_bytes, keys));
    }
    assert_non_null(
        mr_corners_expand(b->expander, plane->n_links - 1, b->part, b->part_bytes, keys));
}

/* Check every instruction set, and use the scratch twice. */
static void expect_exact_sums(struct bench *b, const struct plane *plane)
{
    const size_t n = (size_t)1 << b->shape.band_bits, n_columns = (size_t)1 << b->shape.stripe_bits;
    const uint32_t mask = ((uint32_t)1 << b->shape.band_bits) - 1;
    struct mr_corners corners;
    for (size_t i = 0; i < n_columns; i++) {
        b->x[i] = random64();
    }
    memset(b->expected, 0, n * sizeof *b->expected);
    for (uint32_t i = 0; i < plane->n_links; i++) {
        b->expected[plane->keys[i] & mask] += 2 * b->x[plane->keys[i] >> b->shape.band_bits];
    }
    assert_null(mr_corners_open(&b->shape, plane->n_links, b->part, b->part_bytes, &corners));
    const struct mr_key_kernels *key_kernels;
    const struct mr_corners_kernels *kernels;
    for (unsigned k = 0; kernels_at(k, &key_kernels, &kernels); k++) {
        struct mr_corners_scratch scratch;
        open_scratch(b, key_kernels, kernels, &scratch);
        mr_corners_prepare(&scratch, MR_VALUE_U64, b->x);
        memset(b->sums, 0, n * sizeof *b->sums);
        assert_null(mr_corners_apply(&scratch, &corners, b->sums));
        assert_null(mr_corners_apply(&scratch, &corners, b->sums)); /* the scratch is clean again */
        assert_memory_equal(b->sums, b->expected, n * sizeof *b->sums);
    }
}

/* 10,000 tiles of every kind. */
static void test_sums_are_exact_and_links_come_back(void **unused)
{
    (void)unused;
    static const unsigned shapes[][2] = {{8, 8}, {9, 8}, {10, 10}, {12, 8}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        struct bench b;
        open_bench(&b, shapes[s][0], shapes[s][1]);
        for (unsigned i = 0; i < 2500; i++) {
            const uint32_t n_rows = i % 50 == 0 ? 1u << shapes[s][0] : 1 + below(60);
            const uint32_t n_columns = i % 50 == 1 ? 1u << shapes[s][1] : 1 + below(60);
            struct plane plane =
                make_plane(shapes[s][0], shapes[s][1], n_rows, n_columns, (enum kind)(i % N_KINDS));
            if (encode(&b, &plane)) {
                expect_links(&b, &plane);
                expect_exact_sums(&b, &plane);
            }
            free_plane(&plane);
        }
        close_bench(&b);
    }
}

/* The widest tile: 65,536 columns, runs across all of them, the last row and the last column. */
static void test_full_width(void **unused)
{
    (void)unused;
    struct bench b;
    open_bench(&b, 16, 16);
    for (unsigned kind = 0; kind < N_KINDS; kind++) {
        struct plane wide = make_plane(16, 16, 7, 65536, (enum kind)kind);
        struct plane high = make_plane(16, 16, 65536, 7, (enum kind)kind);
        if (encode(&b, &wide)) {
            expect_links(&b, &wide);
            expect_exact_sums(&b, &wide);
        }
        if (encode(&b, &high)) {
            expect_links(&b, &high);
            expect_exact_sums(&b, &high);
        }
        free_plane(&wide);
        free_plane(&high);
    }
    /* the four corners of the tile, and its whole last column */
    struct plane plane = {.shape = b.shape, .keys = malloc(65538 * sizeof *plane.keys)};
    plane.keys[plane.n_links++] = 0;
    plane.keys[plane.n_links++] = 65535;
    for (uint32_t row = 0; row < 65536; row++) {
        plane.keys[plane.n_links++] = 65535u << 16 | row;
    }
    assert_true(encode(&b, &plane));
    expect_links(&b, &plane);
    expect_exact_sums(&b, &plane);
    free(plane.keys);
    close_bench(&b);
}

/* ---- Floating point ---- */

/* Values over many magnitudes, some of them 0. */
static void random_values(double *x, size_t n, unsigned mix)
{
    for (size_t i = 0; i < n; i++) {
        const double u = (double)(random64() >> 11) * 0x1p-53;
        x[i] = below(4) == 0 ? 0.0 : mix == 0 ? u : u * u * u * u * u * u * u * 1e-9;
        if (mix == 2 && below(50) == 0) {
            x[i] = u * 1e12;
        }
    }
}

static void expect_close_sums(struct bench *b, const struct plane *plane, bool is_float,
                              unsigned mix)
{
    const size_t n = (size_t)1 << b->shape.band_bits, n_columns = (size_t)1 << b->shape.stripe_bits;
    const uint32_t mask = ((uint32_t)1 << b->shape.band_bits) - 1;
    long double *exact = calloc(n, sizeof *exact), sum = 0;
    uint32_t *n_links = calloc(n, sizeof *n_links);
    double *x = malloc(n_columns * sizeof *x);
    float *narrow = malloc(n_columns * sizeof *narrow);
    double *first = calloc(n, sizeof *first), *result = malloc(n * sizeof *result);
    struct mr_corners corners;
    random_values(x, n_columns, mix);
    for (size_t i = 0; i < n_columns; i++) {
        narrow[i] = (float)x[i];
        x[i] = is_float ? (double)narrow[i] : x[i];
        sum += x[i];
    }
    for (uint32_t i = 0; i < plane->n_links; i++) {
        exact[plane->keys[i] & mask] += x[plane->keys[i] >> b->shape.band_bits];
        n_links[plane->keys[i] & mask]++;
    }
    assert_null(mr_corners_open(&b->shape, plane->n_links, b->part, b->part_bytes, &corners));
    const struct mr_key_kernels *key_kernels;
    const struct mr_corners_kernels *kernels;
    for (unsigned k = 0; kernels_at(k, &key_kernels, &kernels); k++) {
        struct mr_corners_scratch scratch;
        open_scratch(b, key_kernels, kernels, &scratch);
        mr_corners_prepare(&scratch, is_float ? MR_VALUE_FLOAT : MR_VALUE_DOUBLE,
                           is_float ? (const void *)narrow : x);
        memset(result, 0, n * sizeof *result);
        assert_null(mr_corners_apply(&scratch, &corners, result));
        for (size_t i = 0; i < n; i++) {
            const long double error = (long double)result[i] - exact[i];
            const long double bound =
                n_links[i] * MR_PASS_LINK_ERROR * sum * (1 + 1e-9L) + exact[i] * 0x1p-53L;
            assert_true(result[i] >= 0);
            assert_true((result[i] == 0) == (exact[i] == 0));
            assert_true(error <= bound && -error <= bound);
        }
        if (k == 0) {
            memcpy(first, result, n * sizeof *result);
        }
        assert_memory_equal(first, result, n * sizeof *result);
    }
    free(exact);
    free(n_links);
    free(x);
    free(narrow);
    free(first);
    free(result);
}

static void test_the_error_is_bounded_and_zero_stays_zero(void **unused)
{
    (void)unused;
    struct bench b;
    open_bench(&b, 10, 9);
    for (unsigned i = 0; i < 600; i++) {
        struct plane plane =
            make_plane(10, 9, 1 + below(300), 1 + below(300), i % 2 == 0 ? PAGES : i % N_KINDS);
        if (encode(&b, &plane)) {
            expect_close_sums(&b, &plane, i % 3 == 0, i % 4 % 3);
        }
        free_plane(&plane);
    }
    close_bench(&b);
}

/* The smallest and largest doubles, all zeros, negative values, infinities. */
static void test_extreme_values(void **unused)
{
    (void)unused;
    static const double values[] = {0, 4.9e-324, 2.3e-308, 1e-300, 1, 1e300, -1};
    struct bench b;
    open_bench(&b, 8, 8);
    struct plane plane = make_plane(8, 8, 100, 4, ONES);
    struct mr_corners corners;
    const struct mr_key_kernels *key_kernels;
    const struct mr_corners_kernels *kernels;
    assert_true(encode(&b, &plane));
    assert_null(mr_corners_open(&b.shape, plane.n_links, b.part, b.part_bytes, &corners));
    for (unsigned k = 0; kernels_at(k, &key_kernels, &kernels); k++) {
        struct mr_corners_scratch scratch;
        open_scratch(&b, key_kernels, kernels, &scratch);
        for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
            double x[256] = {values[v], values[v], values[v], values[v]}, y[256] = {0};
            mr_corners_prepare(&scratch, MR_VALUE_DOUBLE, x);
            assert_null(mr_corners_apply(&scratch, &corners, y));
            const double error = y[99] - 4 * values[v], size = values[v] < 0 ? -y[99] : y[99];
            assert_true(error <= 0x1p-50 * size + 1e-300 && -error <= 0x1p-50 * size);
            assert_true((y[99] == 0) == (values[v] == 0) && y[100] == 0);
        }
        double x[256] = {1, (double)INFINITY}, y[256] = {0};
        mr_corners_prepare(&scratch, MR_VALUE_DOUBLE, x);
        assert_null(mr_corners_apply(&scratch, &corners, y));
        assert_true(isnan(y[0])); /* not a finite number that looks like a result */
    }
    free_plane(&plane);
    close_bench(&b);
}

/* ---- Edges that are not encoded as corners ---- */

static void test_repeated_links_and_too_large_parts(void **unused)
{
    (void)unused;
    struct bench b;
    open_bench(&b, 16, 16);
    struct mr_corners_part part;
    struct plane plane = make_plane(16, 16, 500, 100, PAGES);
    assert_true(encode(&b, &plane));
    plane.keys[plane.n_links / 2] = plane.keys[plane.n_links / 2 - 1];
    assert_int_equal(mr_corners_encode(b.encoder, plane.keys, plane.n_links, true, &part),
                     MR_CORNERS_SLOWER);
    free_plane(&plane);
    /* so many scattered edges that they cannot fit */
    plane = make_plane(16, 16, 2000, 2000, ONE_LINK);
    memset(plane.cells, 0, (size_t)2000 * 2000);
    for (unsigned i = 0; i < 500000; i++) {
        *cell(&plane, below(2000), below(2000)) = 1;
    }
    collect_keys(&plane);
    assert_in_range(plane.n_links, MR_CORNERS_LINKS_MAX / 2, MR_CORNERS_LINKS_MAX);
    assert_int_equal(mr_corners_encode(b.encoder, plane.keys, plane.n_links, true, &part),
                     MR_CORNERS_TOO_LARGE);
    plane.n_links /= 4;
    assert_true(encode(&b, &plane));
    free_plane(&plane);
    close_bench(&b);
}

/* Corner tiles are chosen for the pages of a site, but not for scattered edges or a handful of
 * edges. */
static void test_the_cheaper_encoding_is_chosen(void **unused)
{
    (void)unused;
    struct bench b;
    open_bench(&b, 10, 10);
    struct mr_corners_part part;
    struct plane pages = make_plane(10, 10, 1024, 256, ONES);
    struct plane scattered = make_plane(10, 10, 1024, 256, RANDOM);
    struct plane few = make_plane(10, 10, 3, 3, ONES);
    assert_int_equal(mr_corners_encode(b.encoder, pages.keys, pages.n_links, false, &part),
                     MR_CORNERS_DONE);
    assert_int_equal(part.n_rows, 1024);
    assert_int_equal(part.n_entries, 1);
    assert_int_equal(mr_corners_encode(b.encoder, few.keys, few.n_links, false, &part),
                     MR_CORNERS_SLOWER);
    memset(scattered.cells, 0, 1024 * 256);
    for (unsigned i = 0; i < 5000; i++) {
        *cell(&scattered, below(1024), below(256)) = 1;
    }
    collect_keys(&scattered);
    assert_int_equal(mr_corners_encode(b.encoder, scattered.keys, scattered.n_links, false, &part),
                     MR_CORNERS_SLOWER);
    free_plane(&pages);
    free_plane(&scattered);
    free_plane(&few);
    close_bench(&b);
}

/* The example of encoding 1 in docs/store-format.md. */
static void test_the_example_of_the_specification(void **unused)
{
    (void)unused;
    static const uint8_t bytes[] = {0x00, 0x01, 0x01, 0x01, 0x02, 0x01, 0x48,
                                    0x27, 0xA1, 0x01, 0x04, 0x7E, 0x00};
    static const uint16_t rows[6] = {0x1e, 0x9e, 0x9e, 0, 0x07, 0x05}; /* bit c: column c */
    struct bench b;
    open_bench(&b, 8, 8);
    struct plane plane = make_plane(8, 8, 6, 8, ONES);
    for (uint32_t r = 0; r < 6; r++) {
        for (uint32_t c = 0; c < 8; c++) {
            *cell(&plane, r, c) = (uint8_t)(rows[r] >> c & 1);
        }
    }
    collect_keys(&plane);
    assert_int_equal(plane.n_links, 19);
    assert_true(encode(&b, &plane));
    assert_int_equal(b.part_bytes, sizeof bytes);
    assert_memory_equal(b.part, bytes, sizeof bytes);
    expect_links(&b, &plane);
    free_plane(&plane);
    close_bench(&b);
}

/* ---- Damage ---- */

/* Whatever the bytes are, the code stays within memory. Where the bytes expand to edges, the sums
 * are the sums of these edges. */
static bool survive(struct bench *b, uint32_t n_links, uint32_t n_bytes)
{
    const uint8_t *data = b->copy;
    const size_t n = (size_t)1 << b->shape.band_bits, n_columns = (size_t)1 << b->shape.stripe_bits;
    const uint32_t mask = ((uint32_t)1 << b->shape.band_bits) - 1;
    struct mr_corners_scratch scratch;
    struct mr_corners corners;
    uint32_t *keys = b->expanded;
    const bool is_good = mr_corners_expand(b->expander, n_links, data, n_bytes, keys) == NULL;
    if (mr_corners_open(&b->shape, n_links, data, n_bytes, &corners) != NULL) {
        assert_false(is_good);
        return false;
    }
    open_scratch(b, mr_key_kernels_best(), mr_corners_best_kernels(), &scratch);
    double *x = malloc(n_columns * sizeof *x), *y = calloc(n, sizeof *y);
    random_values(x, n_columns, 0);
    mr_corners_prepare(&scratch, MR_VALUE_DOUBLE, x);
    const char *fault = mr_corners_apply(&scratch, &corners, y);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(scratch.sums[i], 0);
        assert_true(fault != NULL || y[i] >= 0); /* never a negative rank */
    }
    if (is_good) {
        assert_null(fault);
        for (uint32_t i = 0; i < n_links; i++) {
            y[keys[i] & mask] -= x[keys[i] >> b->shape.band_bits];
        }
        for (size_t i = 0; i < n; i++) {
            assert_true(y[i] < 1e-9 && y[i] > -1e-9);
        }
    }
    free(x);
    free(y);
    return is_good;
}

static void test_damaged_parts_are_refused_or_harmless(void **unused)
{
    (void)unused;
    unsigned n_good = 0, n_bad = 0;
    struct bench b;
    open_bench(&b, 9, 8);
    for (unsigned round = 0; round < 4000; round++) {
        struct plane plane = make_plane(9, 8, 1 + below(40), 1 + below(40), PAGES);
        if (encode(&b, &plane)) {
            uint32_t n_links = plane.n_links, n_bytes = b.part_bytes;
            memcpy(b.copy, b.part, n_bytes);
            memset(b.copy + n_bytes, (int)below(256), MR_KEYS_SLACK_BYTES);
            switch (round % 4) {
            case 0:
                b.copy[below(n_bytes)] ^= (uint8_t)(1u << below(8));
                break;
            case 1:
                b.copy[below(n_bytes)] = (uint8_t)below(256);
                b.copy[below(n_bytes)] = (uint8_t)below(256);
                break;
            case 2:
                n_bytes = below(n_bytes);
                break;
            default:
                for (uint32_t i = 0; i < n_bytes; i++) {
                    b.copy[i] = (uint8_t)(below(4) == 0 ? below(256) : below(6));
                }
                n_links = 1 + below(2000);
                break;
            }
            if (survive(&b, n_links, n_bytes)) {
                n_good++; /* an edge has moved */
            } else {
                n_bad++;
            }
        }
        free_plane(&plane);
    }
    assert_true(n_bad > 10 * n_good);
    close_bench(&b);
}

static void test_impossible_headers(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t n_links;
        uint8_t bytes[12];
        uint32_t n_bytes;
    } parts[] = {
        {0, {0, 1, 1, 0, 0, 0, 0, 0}, 8}, /* no links */
        {MR_CORNERS_LINKS_MAX + 1, {0, 1, 1, 0, 0, 0, 0, 0}, 8}, /* too many */
        {1, {0, 0, 1, 0, 0, 0, 0, 0}, 8}, /* no rows */
        {2, {31, 2, 1, 0, 0, 0, 0, 0, 0}, 9}, /* rows beyond the band */
        {3, {0, 1, 3, 0, 0, 0, 0, 0}, 8}, /* more entries than bytes */
        {9, {0, 9, 1, 0, 0, 0, 0, 0}, 8}, /* more rows than bytes */
        {1, {0, 2, 1, 0, 0, 0, 0, 0, 0}, 9}, /* more rows than links */
        {1, {0, 1, 2, 0, 0, 0, 0, 0, 0}, 9}, /* more entries than links */
        {1, {0, 1, 1, 0, 0, 0}, 6}, /* cut off */
        {1, {0, 1, 1, 0, 0}, 5},
    };
    const struct mr_corners_shape shape = {.band_bits = 8, .stripe_bits = 8};
    struct mr_corners corners;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        assert_non_null(
            mr_corners_open(&shape, parts[i].n_links, parts[i].bytes, parts[i].n_bytes, &corners));
    }
    assert_null(mr_corners_open(&shape, 1, (const uint8_t[]){0, 1, 1, 0, 0, 0, 0, 0}, 8, &corners));
}

TEST_MAIN(cmocka_unit_test(test_sums_are_exact_and_links_come_back),
          cmocka_unit_test(test_full_width),
          cmocka_unit_test(test_the_example_of_the_specification),
          cmocka_unit_test(test_the_error_is_bounded_and_zero_stays_zero),
          cmocka_unit_test(test_extreme_values),
          cmocka_unit_test(test_repeated_links_and_too_large_parts),
          cmocka_unit_test(test_the_cheaper_encoding_is_chosen),
          cmocka_unit_test(test_damaged_parts_are_refused_or_harmless),
          cmocka_unit_test(test_impossible_headers))
