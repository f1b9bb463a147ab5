/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the kernels for bitmaps of ids with a loop over single bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/builder/vertices/id_bits.h"
#include "tests/support/test_dir.h"

enum { N_WORDS = 300, N_IDS = 4096 };

struct bitmap {
    uint64_t words[N_WORDS];
    uint32_t rank_of[32 * N_WORDS]; /* UINT32_MAX: not in the set */
};

/* All but every `gap`-th id; 0: all. */
static void fill(struct bitmap *bitmap, uint32_t gap)
{
    uint32_t rank = 0;
    memset(bitmap->words, 0, sizeof bitmap->words);
    for (uint32_t id = 0; id < 32 * N_WORDS; id++) {
        const bool is_there = gap == 0 || id % gap != 0;
        if (id % 32 == 0) {
            bitmap->words[id / 32] = (uint64_t)rank << 32;
        }
        bitmap->words[id / 32] |= (uint64_t)is_there << (id % 32);
        bitmap->rank_of[id] = is_there ? rank++ : UINT32_MAX;
    }
}

/* Number of ids before the first that is not in the set; n_ids if all are. */
static size_t known(const struct bitmap *bitmap, uint64_t max_id, const uint32_t *ids, size_t n_ids)
{
    size_t n = 0;
    while (n < n_ids && ids[n] <= max_id && bitmap->rank_of[ids[n]] != UINT32_MAX) {
        n++;
    }
    return n;
}

static void check(const struct mr_id_bits *bits, const struct bitmap *bitmap, uint64_t max_id,
                  const uint32_t *ids, size_t n_ids)
{
    enum { MOST_LEFT = 16 }; /* ids that are in the set */
    uint32_t vertices[N_IDS] = {0};
    const size_t n_known = known(bitmap, max_id, ids, n_ids);
    memcpy(vertices, ids, n_ids * sizeof *ids);
    const size_t found = bits->find(bitmap->words, max_id, vertices, n_ids, vertices);
    assert_true(found <= n_known && n_known - found < MOST_LEFT);
    for (size_t i = 0; i < n_ids; i++) {
        assert_int_equal(vertices[i], i < found ? bitmap->rank_of[ids[i]] : ids[i]);
    }
}

static void every_kernel_agrees(void **state)
{
    const struct mr_id_bits *kernels[] = {
        mr_id_bits_best(),
#if defined(__x86_64__)
        &mr_id_bits_avx512,
        &mr_id_bits_bmi2,
#endif
    };
    const uint32_t gaps[] = {0, 5000, 700, 40, 3};
    static struct bitmap bitmap;
    static uint32_t ids[N_IDS];
    uint64_t seed = 7;
    (void)state;
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
        if (kernels[k] == NULL || !kernels[k]->is_usable()) {
            continue;
        }
        for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
            fill(&bitmap, gaps[g]);
            for (unsigned trial = 0; trial < 200; trial++) {
                const size_t n_ids = test_random(&seed) % N_IDS;
                const uint64_t max_id = trial % 4 == 0 ? 32 * N_WORDS - 300 : 32 * N_WORDS - 1;
                for (size_t i = 0; i < n_ids; i++) {
                    ids[i] = (uint32_t)(test_random(&seed) % (32 * N_WORDS));
                }
                check(kernels[k], &bitmap, max_id, ids, n_ids);
            }
        }
    }
}

/* Ids far beyond the bitmap are not looked up. */
static void ids_beyond_the_last_are_left(void **state)
{
    const struct mr_id_bits *bits = mr_id_bits_best();
    static struct bitmap bitmap;
    uint32_t ids[64], vertices[64];
    (void)state;
    if (bits == NULL) {
        return;
    }
    fill(&bitmap, 0);
    for (size_t at = 0; at < 64; at++) {
        for (uint32_t i = 0; i < 64; i++) {
            ids[i] = i;
        }
        ids[at] = UINT32_MAX;
        assert_true(bits->find(bitmap.words, 32 * N_WORDS - 1, ids, 64, vertices) <= at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_agrees),
        cmocka_unit_test(ids_beyond_the_last_are_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
