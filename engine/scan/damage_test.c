/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that a damaged store never passes the check: truncations of every file, hundreds of random
 * bit flips, swapped blocks, and files that are missing, too long, or from another store. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/bytes.h"
#include "engine/base/checksum.h"
#include "engine/base/format.h"
#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "engine/scan/check.h"
#include "engine/store/block.h"
#include "engine/store/manifest.h"
#include "tests/support/test.h"
#include "tests/support/test_dir.h"
#include "tests/support/test_store.h"

#define N_FLIPS 300u

enum { N_FILES = MR_FILE_INTERNAL_LINKS }; /* of a store without classes: all before it */
enum { VERSION_BEGIN = 8, VERSION_END = 12 }; /* in the manifest */

struct fixture {
    struct mr_context context;
    struct test_dir dir, other;
    char paths[N_FILES][PATH_MAX];
    uint8_t *bytes[N_FILES];
    size_t n_bytes[N_FILES];
};

static uint8_t *read_file(const char *path, size_t *n_bytes)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes;

    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *n_bytes = (size_t)ftell(file);
    rewind(file);
    assert_non_null(bytes = malloc(*n_bytes + 1));
    assert_int_equal(fread(bytes, 1, *n_bytes, file), *n_bytes);
    assert_int_equal(fclose(file), 0);
    return bytes;
}

/* A small store with random edges and names that are numbers. */
static void make_store(struct fixture *f, const char *path, uint64_t graph_id, uint32_t n_vertices,
                       int zstd_level)
{
    enum { N = 3000, N_FACTS = 60 };
    struct mr_fetch_facts facts[N_FACTS];
    const struct test_store_options options = {.n_vertices = n_vertices,
                                               .band_bits = 8,
                                               .stripe_bits = 8,
                                               .graph_id = graph_id,
                                               .zstd_level = zstd_level,
                                               .encoding = MR_ENCODING_CORNERS,
                                               .n_core = n_vertices / 3,
                                               .facts = facts,
                                               .n_facts = N_FACTS};
    struct test_edge edges[N];
    uint64_t random = 7;
    size_t n_edges = N;

    for (uint32_t i = 0; i < N_FACTS; i++) {
        facts[i] = (struct mr_fetch_facts){3 * i,   100 + i, 200 + i, 5, 4, (uint16_t)(i % 5),
                                           300 + i, 400 + i, false};
    }
    for (size_t i = 0; i < N; i++) {
        edges[i].source = (uint32_t)(test_random(&random) % n_vertices);
        edges[i].target = (uint32_t)(test_random(&random) % n_vertices);
    }
    assert_int_equal(test_store_write(&f->context, path, &options, edges, &n_edges), MR_OK);
}

static enum mr_status check(struct fixture *f)
{
    struct mr_check_summary summary;

    return mr_check(&f->context, f->dir.path, true, NULL, &summary, NULL);
}

static void make_stores(struct fixture *f, uint32_t n_vertices, int zstd_level)
{
    assert_true(test_dir_make(&f->dir, NULL));
    assert_true(test_dir_make(&f->other, NULL));
    make_store(f, f->dir.path, 1, n_vertices, zstd_level);
    make_store(f, f->other.path, 2, n_vertices, zstd_level);
    assert_int_equal(check(f), MR_OK);
    for (unsigned i = 0; i < N_FILES; i++) {
        free(f->bytes[i]);
        assert_int_equal(
            mr_store_file_path(f->dir.path, false, i, f->paths[i], sizeof f->paths[i], NULL),
            MR_OK);
        f->bytes[i] = read_file(f->paths[i], &f->n_bytes[i]);
        assert_true(f->n_bytes[i] > 0);
    }
}

static void remake_stores(struct fixture *f, uint32_t n_vertices, int zstd_level)
{
    test_dir_remove(&f->dir);
    test_dir_remove(&f->other);
    make_stores(f, n_vertices, zstd_level);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    assert_int_equal(mr_memory_create(UINT64_MAX, &f->context.memory, NULL), MR_OK);
    assert_int_equal(mr_io_create_real(&f->context.io, NULL), MR_OK);
    f->context.threads = 1;
    f->context.backend = MR_QUEUE_PREAD; /* to set up io_uring takes half of the time of a check */
    make_stores(f, 700, 0); /* three bands */
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    test_dir_remove(&f->dir);
    test_dir_remove(&f->other);
    for (unsigned i = 0; i < N_FILES; i++) {
        free(f->bytes[i]);
    }
    mr_io_destroy(f->context.io);
    mr_memory_destroy(f->context.memory);
    free(f);
    return 0;
}

static void restore(struct fixture *f, unsigned file)
{
    assert_true(test_dir_write(f->paths[file], f->bytes[file], f->n_bytes[file]));
}

/* Every length near both ends of a file, and each 29th between: 29 divides no size of a block. */
static bool is_tried(size_t cut, size_t n_bytes)
{
    return cut < 150 || n_bytes - cut < 150 || cut % 29 == 0;
}

static void test_truncations_are_reported(void **state)
{
    struct fixture *f = *state;

    remake_stores(f, 200, 0); /* one band has fewer bytes to test */
    for (unsigned file = 0; file < N_FILES; file++) {
        for (size_t cut = f->n_bytes[file]; cut-- > 0;) {
            if (!is_tried(cut, f->n_bytes[file])) {
                continue;
            }
            assert_int_equal(truncate(f->paths[file], (off_t)cut), 0);
            if (check(f) != MR_ERROR_CORRUPT) {
                fail_msg("%s cut to %zu bytes passed", f->paths[file], cut);
            }
        }
        restore(f, file);
    }
    assert_int_equal(check(f), MR_OK);
}

/* Writes one byte where it stands: to write whole files thousands of times waits for the disk. */
static void put_byte(const char *path, size_t at, uint8_t byte)
{
    FILE *file = fopen(path, "r+b");

    assert_non_null(file);
    assert_int_equal(fseek(file, (long)at, SEEK_SET), 0);
    assert_int_equal(fwrite(&byte, 1, 1, file), 1);
    assert_int_equal(fclose(file), 0);
}

static void flip(struct fixture *f, unsigned file, size_t byte, unsigned bit)
{
    enum mr_status status;
    bool in_version = file == MR_FILE_MANIFEST && byte >= VERSION_BEGIN && byte < VERSION_END;

    put_byte(f->paths[file], byte, f->bytes[file][byte] ^ (uint8_t)(1u << bit));
    status = check(f);
    put_byte(f->paths[file], byte, f->bytes[file][byte]);
    /* a changed version may look like a newer format */
    if (status != MR_ERROR_CORRUPT && !(in_version && status == MR_ERROR_INPUT)) {
        fail_msg("bit %u of byte %zu of %s flipped: status %d", bit, byte, f->paths[file], status);
    }
}

/* Flip one fifth of the bits in each file, so that short files get their share. */
static void flip_at_random(struct fixture *f, uint64_t random, unsigned n_flips)
{
    for (unsigned i = 0; i < n_flips; i++) {
        unsigned file = i % N_FILES;
        uint64_t bit = test_random(&random) % (8 * f->n_bytes[file]);

        flip(f, file, bit / 8, bit % 8);
    }
    assert_int_equal(check(f), MR_OK);
}

static void test_every_byte_of_the_manifest_counts(void **state)
{
    struct fixture *f = *state;

    for (size_t byte = 0; byte < f->n_bytes[MR_FILE_MANIFEST]; byte++) {
        flip(f, MR_FILE_MANIFEST, byte, byte % 8);
    }
}

static void test_random_bit_flips_are_reported(void **state)
{
    flip_at_random(*state, 20, N_FLIPS);
}

static void test_random_bit_flips_of_a_compressed_store_are_reported(void **state)
{
    struct fixture *f = *state;

    remake_stores(f, 700, 9);
    flip_at_random(f, 21, N_FLIPS);
}

static void test_missing_longer_and_foreign_files_are_reported(void **state)
{
    struct fixture *f = *state;

    for (unsigned file = 0; file < N_FILES; file++) {
        char other_path[PATH_MAX];
        uint8_t *other;
        size_t n_bytes;

        assert_int_equal(unlink(f->paths[file]), 0);
        assert_int_equal(check(f), file == MR_FILE_MANIFEST ? MR_ERROR_INPUT : MR_ERROR_CORRUPT);
        f->bytes[file][f->n_bytes[file]] = 0; /* read_file left room for one */
        assert_true(test_dir_write(f->paths[file], f->bytes[file], f->n_bytes[file] + 1));
        assert_int_equal(check(f), MR_ERROR_CORRUPT);

        /* the other store differs in its graph id only: sizes and figures are the same */
        assert_int_equal(
            mr_store_file_path(f->other.path, false, file, other_path, sizeof other_path, NULL),
            MR_OK);
        other = read_file(other_path, &n_bytes);
        assert_int_equal(n_bytes, f->n_bytes[file]);
        assert_true(test_dir_write(f->paths[file], other, n_bytes));
        assert_int_equal(check(f), MR_ERROR_CORRUPT);
        free(other);
        restore(f, file);
    }
    assert_int_equal(check(f), MR_OK);
}

/* Each block is valid by itself. */
static void test_swapped_blocks_are_reported(void **state)
{
    struct fixture *f = *state;
    static const enum mr_store_file files[] = {MR_FILE_LINKS, MR_FILE_DEGREES};

    for (unsigned i = 0; i < 2; i++) {
        size_t n_blocks = f->n_bytes[files[i]] / MR_BLOCK_ALIGN;
        uint8_t *swapped = malloc(f->n_bytes[files[i]]);

        assert_true(n_blocks >= 6);
        for (size_t a = 0; a < n_blocks; a++) {
            for (size_t b = a + 1; b < n_blocks; b++) {
                memcpy(swapped, f->bytes[files[i]], f->n_bytes[files[i]]);
                memcpy(swapped + a * MR_BLOCK_ALIGN, f->bytes[files[i]] + b * MR_BLOCK_ALIGN,
                       MR_BLOCK_ALIGN);
                memcpy(swapped + b * MR_BLOCK_ALIGN, f->bytes[files[i]] + a * MR_BLOCK_ALIGN,
                       MR_BLOCK_ALIGN);
                assert_true(test_dir_write(f->paths[files[i]], swapped, f->n_bytes[files[i]]));
                assert_int_equal(check(f), MR_ERROR_CORRUPT);
            }
        }
        free(swapped);
        restore(f, files[i]);
    }
    assert_int_equal(check(f), MR_OK);
}

/* Blocks of rows of fixed size are plain. A compressed one, which is valid by itself, has no room.
 */
static void test_compressed_rows_are_refused(void **state)
{
    struct fixture *f = *state;
    uint8_t *zeros = calloc(1, MR_BLOCK_RAW_MAX_BYTES), *sealed = malloc(MR_BLOCK_MAX_BYTES);
    struct mr_block_codec *codec = NULL;

    assert_int_equal(mr_block_codec_create(f->context.memory, 1, &codec, NULL), MR_OK);
    for (enum mr_store_file file = MR_FILE_ORDER; file <= MR_FILE_FACTS; file++) {
        const size_t n_bytes = f->n_bytes[file];
        struct mr_block_header header = {.kind = f->bytes[file][12], .graph_id = 1};
        uint8_t *block = calloc(1, n_bytes);

        assert_int_equal(mr_block_seal(codec, &header, zeros, MR_BLOCK_RAW_MAX_BYTES, MR_NAME_ALIGN,
                                       sealed, NULL),
                         MR_OK);
        assert_true(header.codec == MR_CODEC_ZSTD && header.stored_bytes <= n_bytes);
        memcpy(block, sealed, header.stored_bytes);
        mr_put_u32(block + 24, (uint32_t)n_bytes);
        mr_put_u64(block, mr_checksum(block + 8, n_bytes - 8));
        assert_true(test_dir_write(f->paths[file], block, n_bytes));
        assert_int_equal(check(f), MR_ERROR_CORRUPT);
        restore(f, file);
        free(block);
    }
    mr_block_codec_destroy(codec);
    free(sealed);
    free(zeros);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

TEST_MAIN(TEST(test_truncations_are_reported), TEST(test_every_byte_of_the_manifest_counts),
          TEST(test_random_bit_flips_are_reported),
          TEST(test_random_bit_flips_of_a_compressed_store_are_reported),
          TEST(test_missing_longer_and_foreign_files_are_reported),
          TEST(test_swapped_blocks_are_reported), TEST(test_compressed_rows_are_refused))
