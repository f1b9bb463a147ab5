/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/stream/input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <zdict.h>
#include <zlib.h>
#include <zstd.h>

#include "tests/support/test_streams.h"

enum { BIG_BYTES = 3 << 20 };

struct bytes {
    uint8_t *data;
    size_t n, room;
};

static void append(struct bytes *to, const void *data, size_t n)
{
    if (to->n + n >= to->room) {
        to->room = 2 * (to->n + n) + 1; /* under sanitizers a realloc is a copy */
        to->data = realloc(to->data, to->room);
        assert_non_null(to->data);
    }
    memcpy(to->data + to->n, data, n);
    to->n += n;
}

static void append_gzip(struct bytes *to, const void *data, size_t n)
{
    z_stream z = {0};
    size_t bound = n + n / 100 + 1024;
    uint8_t *packed = malloc(bound);
    assert_non_null(packed);
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)data;
    z.avail_in = (uInt)n;
    z.next_out = packed;
    z.avail_out = (uInt)bound;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    append(to, packed, bound - z.avail_out);
    assert_int_equal(deflateEnd(&z), Z_OK);
    free(packed);
}

static void append_zstd(struct bytes *to, const void *data, size_t n)
{
    size_t bound = ZSTD_compressBound(n);
    uint8_t *packed = malloc(bound);
    assert_non_null(packed);
    size_t wrote = ZSTD_compress(packed, bound, data, n, 3);
    assert_false(ZSTD_isError(wrote));
    append(to, packed, wrote);
    free(packed);
}

static char *make_text(size_t bytes, uint64_t seed)
{
    char *text = malloc(bytes);
    assert_non_null(text);
    for (size_t i = 0; i < bytes; i++) {
        uint64_t r = test_random(&seed);
        text[i] = r % 9 == 0 ? '\n' : (char)('0' + r % 10);
    }
    return text;
}

/* Make frames that decode to `piece` bytes each, with skippable frames between them, as pzstd
 * writes, and an empty frame. */
static struct bytes make_frames(const char *text, size_t bytes, size_t piece)
{
    static const uint8_t skippable[] = {0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4};
    struct bytes file = {0};
    for (size_t at = 0; at < bytes; at += piece) {
        append(&file, skippable, sizeof skippable);
        append_zstd(&file, text + at, bytes - at < piece ? bytes - at : piece);
        if (at < piece) {
            append_zstd(&file, "", 0);
        }
    }
    append(&file, skippable, sizeof skippable);
    return file;
}

/* Read everything in `path` in pieces of `piece` bytes; `status` is that of the last read. */
static struct bytes read_all(struct test_context *test, const char *path, size_t piece,
                             enum mr_status *status)
{
    struct bytes all = {0};
    struct mr_input *input = NULL;
    char *buffer = malloc(piece);
    size_t got = 1;

    assert_non_null(buffer);
    append(&all, "", 0);
    *status = mr_input_open(&test->context, path, &input, &test->err);
    while (*status == MR_OK && got > 0) {
        *status = mr_input_read(input, buffer, piece, &got, &test->err);
        if (*status == MR_OK) {
            append(&all, buffer, got);
        }
    }
    mr_input_close(input);
    free(buffer);
    return all;
}

static void expect_content(struct test_context *test, struct bytes file, const void *content,
                           size_t bytes)
{
    static const size_t pieces[] = {1 << 20, 4096, 777};
    const char *path = test_context_file(test, "input", file.data, file.n);
    for (size_t i = 0; i < 3; i++) {
        enum mr_status status;
        struct bytes all = read_all(test, path, pieces[i], &status);
        assert_int_equal(status, MR_OK);
        assert_int_equal(all.n, bytes);
        assert_memory_equal(all.data, content, bytes);
        free(all.data);
    }
    free(file.data);
}

static void expect_error(struct test_context *test, struct bytes file, const char *message)
{
    enum mr_status status;
    const char *path = test_context_file(test, "input", file.data, file.n);
    struct bytes all = read_all(test, path, 4096, &status);
    assert_int_equal(status, MR_ERROR_INPUT);
    assert_string_equal(test_context_error(test), message);
    free(all.data);
    free(file.data);
}

static void plain_bytes_come_as_they_are(void **state)
{
    char *text = make_text(BIG_BYTES, 1);
    struct bytes file = {0};
    append(&file, text, BIG_BYTES);
    expect_content(*state, file, text, BIG_BYTES);
    file = (struct bytes){0};
    append(&file, "", 0);
    expect_content(*state, file, "", 0);
    free(text);
}

static void gzip_members_follow_each_other(void **state)
{
    char *text = make_text(BIG_BYTES, 2);
    struct bytes file = {0};
    append_gzip(&file, text, 1000);
    append_gzip(&file, "", 0);
    for (size_t at = 1000; at < 21000; at++) { /* members shorter than any buffer */
        append_gzip(&file, text + at, 1);
    }
    append_gzip(&file, text + 21000, BIG_BYTES - 21000);
    append_gzip(&file, "", 0);
    expect_content(*state, file, text, BIG_BYTES);
    free(text);
}

static void zstd_frames_follow_each_other(void **state)
{
    static const uint8_t skippable[] = {0x53, 0x2a, 0x4d, 0x18, 5, 0, 0, 0, 1, 2, 3, 4, 5};
    char *text = make_text(BIG_BYTES, 3);
    struct bytes file = {0};
    append(&file, skippable, sizeof skippable);
    append_zstd(&file, text, 1000);
    append_zstd(&file, "", 0);
    append(&file, skippable, sizeof skippable);
    append_zstd(&file, text + 1000, 1);
    append_zstd(&file, text + 1001, BIG_BYTES - 1001);
    append(&file, skippable, sizeof skippable);
    expect_content(*state, file, text, BIG_BYTES);
    free(text);
}

static void truncated_data_is_an_error_at_every_length(void **state)
{
    struct test_context *test = *state;
    char *text = make_text(2000, 4);
    for (int zstd = 0; zstd < 2; zstd++) {
        struct bytes whole = {0};
        (zstd ? append_zstd : append_gzip)(&whole, text, 2000);
        for (size_t n = zstd ? 4 : 2; n < whole.n; n++) {
            enum mr_status status;
            const char *path = test_context_file(test, "cut", whole.data, n);
            struct bytes all = read_all(test, path, 512, &status);
            assert_int_equal(status, MR_ERROR_INPUT);
            assert_true(all.n <= 2000);
            assert_memory_equal(all.data, text, all.n);
            assert_true(test->err.position <= n);
            mr_error_clear(&test->err);
            free(all.data);
        }
        free(whole.data);
    }
    free(text);
}

static void flipped_bits_are_noticed(void **state)
{
    struct test_context *test = *state;
    char *text = make_text(4000, 5);
    uint64_t seed = 6;
    for (int zstd = 0; zstd < 2; zstd++) {
        struct bytes whole = {0};
        (zstd ? append_zstd : append_gzip)(&whole, text, 4000);
        for (int i = 0; i < 150; i++) {
            size_t at = 20 + test_random(&seed) % (whole.n - 20);
            whole.data[at] ^= (uint8_t)(1u << test_random(&seed) % 8);
            enum mr_status status;
            struct bytes all =
                read_all(test, test_context_file(test, "flip", whole.data, whole.n), 512, &status);
            /* These zstd frames have no checksum, so any result without a crash is right. */
            assert_true(status == MR_ERROR_INPUT || (zstd && status == MR_OK) ||
                        (zstd && status == MR_ERROR_BUDGET));
            mr_error_clear(&test->err);
            free(all.data);
            free(whole.data);
            whole = (struct bytes){0};
            (zstd ? append_zstd : append_gzip)(&whole, text, 4000);
        }
        free(whole.data);
    }
    free(text);
}

/* ---- Dictionaries ---- */

static void expect_twice(struct test_context *test, const char *path, const char *text,
                         size_t bytes);

enum { PIECE_BYTES = 4000 };

/* Make a dictionary from pieces of a text. */
static struct bytes make_dictionary(const char *text, size_t bytes)
{
    struct bytes dictionary = {0};
    uint8_t room[32 << 10];
    size_t sizes[BIG_BYTES / PIECE_BYTES];
    const unsigned n = (unsigned)(bytes / PIECE_BYTES);

    for (unsigned i = 0; i < n; i++) {
        sizes[i] = PIECE_BYTES;
    }
    const size_t wrote = ZDICT_trainFromBuffer(room, sizeof room, text, sizes, n);
    assert_false(ZDICT_isError(wrote));
    append(&dictionary, room, wrote);
    return dictionary;
}

static void append_skippable(struct bytes *to, uint8_t number, const void *data, uint32_t bytes)
{
    const uint8_t head[] = {(uint8_t)(0x50 + number),
                            0x2a,
                            0x4d,
                            0x18,
                            (uint8_t)bytes,
                            (uint8_t)(bytes >> 8),
                            (uint8_t)(bytes >> 16),
                            (uint8_t)(bytes >> 24)};
    append(to, head, sizeof head);
    append(to, data, bytes);
}

static void append_with(struct bytes *to, struct bytes dictionary, const char *data, size_t n)
{
    const size_t bound = ZSTD_compressBound(n);
    uint8_t *packed = malloc(bound);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    assert_non_null(packed);
    const size_t wrote =
        ZSTD_compress_usingDict(context, packed, bound, data, n, dictionary.data, dictionary.n, 3);
    assert_false(ZSTD_isError(wrote));
    append(to, packed, wrote);
    (void)ZSTD_freeCCtx(context);
    free(packed);
}

/* A dictionary as it is, compressed, and compressed as a stream that does not tell its size. */
static void append_dictionary(struct bytes *to, struct bytes dictionary, unsigned form)
{
    struct bytes packed = {0};
    if (form == 0) {
        append(&packed, dictionary.data, dictionary.n);
    } else if (form == 1) {
        append_zstd(&packed, dictionary.data, dictionary.n);
    } else {
        uint8_t room[64 << 10];
        ZSTD_CCtx *context = ZSTD_createCCtx();
        ZSTD_outBuffer out = {room, sizeof room, 0};
        ZSTD_inBuffer in = {dictionary.data, dictionary.n, 0};
        (void)ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
        assert_int_equal(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end), 0);
        (void)ZSTD_freeCCtx(context);
        append(&packed, room, out.pos);
    }
    append_skippable(to, 13, packed.data, (uint32_t)packed.n);
    free(packed.data);
}

static void the_first_frame_may_hold_the_dictionary_of_the_others(void **state)
{
    struct test_context *test = *state;
    char *text = make_text(BIG_BYTES, 21);
    struct bytes dictionary = make_dictionary(text, 400000);

    for (unsigned form = 0; form < 3; form++) {
        for (unsigned threads = 1; threads <= 4; threads += 3) {
            struct bytes file = {0};
            test->context.threads = threads;
            append_dictionary(&file, dictionary, form);
            for (size_t at = 0; at < BIG_BYTES; at += 50000) {
                append_with(&file, dictionary, text + at,
                            BIG_BYTES - at < 50000 ? BIG_BYTES - at : 50000);
                if (at % 200000 == 0) {
                    append_skippable(&file, 13, "later", 5); /* no dictionary */
                }
            }
            expect_twice(test, test_context_file(test, "twice", file.data, file.n), text,
                         BIG_BYTES);
            expect_content(test, file, text, BIG_BYTES);
        }
    }
    /* Such a frame that holds something else, or nothing, is skipped; so is one without others. */
    struct bytes other = {0}, empty = {0}, alone = {0};
    append_skippable(&other, 13, "no dictionary", 13);
    append_zstd(&other, text, 5000);
    expect_content(test, other, text, 5000);
    append_skippable(&empty, 13, "", 0);
    append_zstd(&empty, text, 5000);
    expect_content(test, empty, text, 5000);
    append_dictionary(&alone, dictionary, 1);
    expect_content(test, alone, text, 0);
    free(dictionary.data);
    free(text);
}

static void bad_dictionaries_are_refused(void **state)
{
    static const uint8_t huge[] = {0x5d, 0x2a, 0x4d, 0x18, 0xff, 0xff,
                                   0xff, 0xff, 0x28, 0xb5, 0x2f, 0xfd};
    struct test_context *test = *state;
    char *text = make_text(BIG_BYTES, 22), *zeros = calloc(1, 20 << 20);
    struct bytes dictionary = make_dictionary(text, 400000), file = {0}, bomb = {0};
    enum mr_status status;

    assert_non_null(zeros);
    append_with(&file, dictionary, text, 9000); /* without its dictionary */
    expect_error(test, file,
                 "input: offset 0: was compressed with a dictionary that its first frame does not "
                 "have; decompress it: zstd -d -D DICTIONARY FILE");
    file = (struct bytes){0};
    append(&file, huge, sizeof huge);
    expect_error(test, file,
                 "input: offset 12: ends in the middle of a zstd frame; get the file again or "
                 "decompress what can be saved");
    file = (struct bytes){0};
    append_zstd(&bomb, zeros, 20 << 20);
    append_skippable(&file, 13, bomb.data, (uint32_t)bomb.n);
    expect_error(test, file,
                 "input: offset 0: the zstd dictionary in its first frame cannot be decompressed "
                 "(Destination buffer is too small); get the file again");
    /* Cut anywhere, or with a byte changed, also in the dictionary: an error or other bytes. */
    struct bytes good = {0};
    append_dictionary(&good, dictionary, 1);
    append_with(&good, dictionary, text, 9000);
    for (size_t n = 4; n < good.n; n += 97) {
        struct bytes all =
            read_all(test, test_context_file(test, "cut", good.data, n), 4096, &status);
        assert_int_equal(status, MR_ERROR_INPUT);
        mr_error_clear(&test->err);
        free(all.data);
        good.data[n] ^= 0x55;
        all = read_all(test, test_context_file(test, "cut", good.data, good.n), 4096, &status);
        good.data[n] ^= 0x55;
        mr_error_clear(&test->err);
        free(all.data);
    }
    free(good.data);
    free(bomb.data);
    free(dictionary.data);
    free(zeros);
    free(text);
}

static void errors_name_offset_and_reason(void **state)
{
    struct bytes file = {0};
    append_gzip(&file, "1 2\n", 4);
    assert_int_equal(file.n, 24);
    append(&file, "garbage", 7);
    expect_error(
        *state, file,
        "input: offset 24: the bytes after the gzip data are not a gzip member; get the file "
        "again or decompress what can be saved");
    file = (struct bytes){0};
    append_gzip(&file, "1 2\n", 4);
    file.n -= 3;
    expect_error(*state, file,
                 "input: offset 21: ends in the middle of gzip data; get the file again or "
                 "decompress what can be saved");
    file = (struct bytes){0};
    append_gzip(&file, "1 2\n", 4);
    file.data[17] ^= 1;
    expect_error(*state, file,
                 "input: offset 20: damaged gzip data (incorrect data check); get the file again "
                 "or decompress what can be saved");
    file = (struct bytes){0};
    append_zstd(&file, "1 2\n", 4);
    size_t end = file.n;
    append(&file, "x", 1);
    assert_int_equal(end, 13);
    expect_error(*state, file,
                 "input: offset 13: no zstd frame begins here; get the file again or decompress "
                 "what can be saved");
    file = (struct bytes){0};
    append_zstd(&file, "1 2\n", 4);
    file.n--;
    expect_error(*state, file,
                 "input: offset 12: ends in the middle of a zstd frame; get the file again or "
                 "decompress what can be saved");
}

/* The bytes before a magic number are X. */
static void data_for_other_programs_is_refused_with_a_pipe(void **state)
{
    static const struct {
        const char *magic;
        size_t at, n_bytes;
        const char *what, *command; /* NULL: it is a text */
    } cases[] = {
        {"\xfd\x37zXZ\0rest", 0, 10, "xz data", "xz -dc '%s'"},
        {"\x04\x22\x4d\x18rest", 0, 8, "lz4 data", "lz4 -dc '%s'"},
        {"BZh91AY&SYxxxx", 0, 14, "bzip2 data", "bzip2 -dc '%s'"},
        {"BZh91 2\n", 0, 8, NULL, NULL},
        {"\x1f\x9d\x90rest", 0, 7, "compress (.Z) data", "gzip -dc '%s'"},
        {"\x1f\x9d\0\0\x07\0\0\0", 0, 8, NULL, NULL}, /* the link from page 40223 to page 7 */
        {"\x37\x7a\xbc\xaf\x27\x1c", 0, 6, "7z data", "7z x -so '%s'"},
        {"PAR1\x15\x04\x15\n", 0, 8, "Parquet data without the suffix .parquet",
         "duckdb -csv -c \"select * from '%s'\""},
        {"PAR1 no end", 0, 11, "Parquet data without the suffix .parquet",
         "duckdb -csv -c \"select * from '%s'\""},
        {"PAR1 PAR2\n", 0, 10, NULL, NULL},
        {"ARROW1\0\0", 0, 8, "Arrow data",
         "python3 -c \"import pandas, sys; pandas.read_feather('%s').to_csv(sys.stdout, "
         "index=False)\""},
        {"ARROW1\tARROW2\n", 0, 14, NULL, NULL},
        {"FEA1\0\0\0\0", 0, 8, "Feather data",
         "python3 -c \"import pandas, sys; pandas.read_feather('%s').to_csv(sys.stdout, "
         "index=False)\""},
        {"ORC\n\x03\0\0", 0, 7, "ORC data",
         "python3 -c \"import pandas, sys; pandas.read_orc('%s').to_csv(sys.stdout, "
         "index=False)\""},
        {"ORC TROLL\n", 0, 10, NULL, NULL},
        {"\x89HDF\r\n\x1a\n", 0, 8, "HDF5 data",
         "python3 -c \"import pandas, sys; pandas.read_hdf('%s').to_csv(sys.stdout, "
         "index=False)\""},
        {"SQLite format 3\0\x10", 0, 17, "an SQLite database",
         "sqlite3 -csv '%s' 'select source, target from links'"},
        {"ustar ustar\n", 257, 12, NULL, NULL},
    };
    struct test_context *test = *state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        char whole[512], command[1024], error[2048];
        struct bytes file = {0};
        const size_t n = cases[i / 2].at + cases[i / 2].n_bytes;
        memset(whole, 'X', sizeof whole);
        memcpy(whole + cases[i / 2].at, cases[i / 2].magic, cases[i / 2].n_bytes);
        (i % 2 == 0 ? append : append_gzip)(&file, whole, n);
        if (cases[i / 2].what == NULL) {
            expect_content(test, file, whole, n);
            continue;
        }
        (void)snprintf(command, sizeof command, cases[i / 2].command,
                       test_dir_path(&test->dir, "input", test->path));
        (void)snprintf(error, sizeof error,
                       "input: is %s, which is not read; pipe it: %s | millrace ... -",
                       cases[i / 2].what, command);
        expect_error(test, file, error);
    }
}

static void a_directory_and_a_missing_file_are_refused(void **state)
{
    struct test_context *test = *state;
    struct mr_input *input = NULL;
    assert_int_equal(mr_input_open(&test->context, test->dir.path, &input, &test->err),
                     MR_ERROR_INPUT);
    mr_input_close(input);
    mr_error_clear(&test->err);
    (void)test_dir_path(&test->dir, "missing", test->path);
    assert_int_equal(mr_input_open(&test->context, test->path, &input, &test->err), MR_ERROR_INPUT);
    mr_input_close(input);
    assert_string_equal(test_context_error(test),
                        "missing: cannot open: No such file or directory");
}

static void a_bomb_takes_bounded_memory(void **state)
{
    struct test_context *test = *state;
    const size_t zero_bytes = 64u << 20;
    for (int zstd = 0; zstd < 2; zstd++) {
        char *zeros = calloc(1, zero_bytes);
        struct bytes file = {0};
        (zstd ? append_zstd : append_gzip)(&file, zeros, zero_bytes);
        free(zeros);
        const char *path = test_context_file(test, "bomb", file.data, file.n);
        struct mr_input *input = NULL;
        static char buffer[1 << 16];
        size_t got = 1;
        uint64_t sum = 0;
        assert_int_equal(mr_input_open(&test->context, path, &input, NULL), MR_OK);
        while (got > 0) {
            assert_int_equal(mr_input_read(input, buffer, sizeof buffer, &got, NULL), MR_OK);
            sum += got;
        }
        assert_int_equal(sum, zero_bytes);
        mr_input_close(input);
        free(file.data);
    }
    assert_true(mr_memory_peak(test->context.memory) < MR_MEMORY_RESERVE_BYTES + (8u << 20));
}

static void a_window_beyond_the_budget_is_refused(void **state)
{
    struct test_context *test = *state;
    /* Frame header: no content size, window of 2^31 bytes; one empty last block. */
    static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 1, 0, 0};
    enum mr_status status;
    struct bytes all =
        read_all(test, test_context_file(test, "wide", frame, sizeof frame), 100, &status);
    assert_int_equal(status, MR_ERROR_BUDGET);
    assert_non_null(strstr(test->err.message, "decompression needs 2.0 GiB"));
    mr_error_clear(&test->err);
    free(all.data);
}

static void peeking_consumes_nothing(void **state)
{
    struct test_context *test = *state;
    char *text = make_text(BIG_BYTES, 7);
    for (int gzip = 0; gzip < 2; gzip++) {
        struct bytes file = {0};
        struct mr_input *input = NULL;
        const char *data;
        size_t bytes, got = 1, at = 0;
        if (gzip) {
            append_gzip(&file, text, BIG_BYTES);
        } else {
            append(&file, text, BIG_BYTES);
        }
        const char *path = test_context_file(test, "peek", file.data, file.n);
        assert_int_equal(mr_input_open(&test->context, path, &input, NULL), MR_OK);
        assert_int_equal(mr_input_peek(input, &data, &bytes, NULL), MR_OK);
        assert_int_equal(mr_input_codec(input), gzip ? MR_INPUT_GZIP : MR_INPUT_PLAIN);
        assert_int_equal(bytes, MR_INPUT_PEEK_BYTES);
        assert_memory_equal(data, text, bytes);
        assert_int_equal(mr_input_peek(input, &data, &bytes, NULL), MR_OK);
        assert_int_equal(bytes, MR_INPUT_PEEK_BYTES);
        char *all = malloc(BIG_BYTES + 100);
        for (; got > 0; at += got) {
            assert_int_equal(
                mr_input_read(input, all + at,
                              100000 < BIG_BYTES + 100 - at ? 100000 : BIG_BYTES + 100 - at, &got,
                              NULL),
                MR_OK);
        }
        assert_int_equal(at, BIG_BYTES);
        assert_memory_equal(all, text, BIG_BYTES);
        uint64_t done, total;
        mr_input_position(input, &done, &total);
        assert_int_equal(done, file.n);
        assert_int_equal(total, file.n);
        mr_input_close(input);
        free(all);
        free(file.data);
    }
    free(text);
}

static void expect_twice(struct test_context *test, const char *path, const char *text,
                         size_t n_text)
{
    struct mr_input *input = NULL;
    char *all = malloc(n_text + 1);
    assert_int_equal(mr_input_open(&test->context, path, &input, &test->err), MR_OK);
    assert_int_equal(mr_input_make_rewindable(input, &test->err), MR_OK);
    for (int round = 0; round < 3; round++) {
        size_t got = 1, at = 0;
        for (; got > 0; at += got) {
            assert_int_equal(mr_input_read(input, all + at, n_text + 1 - at, &got, &test->err),
                             MR_OK);
        }
        assert_int_equal(at, n_text);
        assert_memory_equal(all, text, n_text);
        assert_int_equal(mr_input_rewind(input, &test->err), MR_OK);
    }
    mr_input_close(input);
    free(all);
}

static void files_and_pipes_can_be_read_again(void **state)
{
    struct test_context *test = *state;
    char *text = make_text(BIG_BYTES, 8), fifo[PATH_MAX];
    struct bytes file = {0};
    append_zstd(&file, text, BIG_BYTES);
    expect_twice(test, test_context_file(test, "twice", file.data, file.n), text, BIG_BYTES);
    (void)test_dir_path(&test->dir, "fifo", fifo);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    pid_t child = fork();
    if (child == 0) {
        FILE *out = fopen(fifo, "wb");
        _exit(out != NULL && fwrite(file.data, 1, file.n, out) == file.n && fclose(out) == 0 ? 0
                                                                                             : 1);
    }
    expect_twice(test, fifo, text, BIG_BYTES);
    /* The copy has no name any more. */
    assert_int_equal(test_dir_count(test->dir.path), 2);
    free(file.data);
    free(text);
}

static void frames_decoded_by_several_threads_come_in_order(void **state)
{
    static const size_t pieces[] = {1000, 70000, 300000, 1100000};
    struct test_context *test = *state;
    char *text = make_text(BIG_BYTES, 11);
    for (unsigned threads = 2; threads <= 5; threads++) {
        test->context.threads = threads;
        for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
            expect_content(test, make_frames(text, BIG_BYTES, pieces[i]), text, BIG_BYTES);
        }
    }
    free(text);
}

/* Test frames that are too large for a team, first in a file and in the middle. */
static void large_frames_among_others_are_decoded_as_they_come(void **state)
{
    enum { LARGE_BYTES = 48 << 20 };
    struct test_context *test = *state;
    char *text = calloc(1, LARGE_BYTES);
    assert_non_null(text);
    memcpy(text + LARGE_BYTES / 2, "in the middle", 13);
    char *noise = make_text(1 << 20, 5);
    struct bytes file = {0}, content = {0};
    for (unsigned i = 0; i < 6; i++) {
        const bool is_large = i == 3;
        append_zstd(&file, is_large ? text : noise, is_large ? LARGE_BYTES : 1 << 20);
        append(&content, is_large ? text : noise, is_large ? LARGE_BYTES : 1 << 20);
    }
    test->context.threads = 3;
    expect_content(test, file, content.data, content.n);
    free(content.data);
    free(noise);
    free(text);
}

/* Any number of threads finds the same error at the same location. */
static void damage_is_found_alike_by_any_number_of_threads(void **state)
{
    struct test_context *test = *state;
    char *text = make_text(BIG_BYTES, 12);
    struct bytes good = make_frames(text, BIG_BYTES, 200000);
    uint64_t seed = 4;
    for (int i = 0; i < 24; i++) {
        struct bytes bad = {0};
        char message[4096] = "";
        size_t n = 0;
        enum mr_status expected = MR_OK;
        append(&bad, good.data, i % 3 == 0 ? test_random(&seed) % good.n : good.n);
        if (i % 3 != 0) {
            bad.data[test_random(&seed) % bad.n] ^= (uint8_t)(1u << test_random(&seed) % 8);
        }
        const char *path = test_context_file(test, "input", bad.data, bad.n);
        for (unsigned threads = 1; threads <= 4; threads += 3) {
            enum mr_status status;
            test->context.threads = threads;
            struct bytes all = read_all(test, path, 4096, &status);
            if (threads == 1) {
                expected = status;
                n = all.n;
                (void)snprintf(message, sizeof message, "%s",
                               status == MR_OK ? "" : test_context_error(test));
            } else {
                assert_int_equal(status, expected);
                assert_string_equal(status == MR_OK ? "" : test_context_error(test), message);
                assert_true(status != MR_OK || all.n == n);
            }
            mr_error_clear(&test->err);
            free(all.data);
        }
        free(bad.data);
    }
    free(good.data);
    free(text);
}

static void random_bytes_never_crash(void **state)
{
    struct test_context *test = *state;
    uint64_t seed = 9;
    for (int i = 0; i < 300; i++) {
        uint8_t data[300];
        size_t n = test_random(&seed) % sizeof data;
        for (size_t k = 0; k < n; k++) {
            data[k] = (uint8_t)test_random(&seed);
        }
        static const uint8_t magics[3][4] = {
            {0x1f, 0x8b, 8, 0}, {0x28, 0xb5, 0x2f, 0xfd}, {0x50, 0x2a, 0x4d, 0x18}};
        memcpy(data, magics[i % 3], n < 4 ? n : 4);
        enum mr_status status;
        struct bytes all = read_all(test, test_context_file(test, "noise", data, n), 97, &status);
        mr_error_clear(&test->err);
        free(all.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(plain_bytes_come_as_they_are, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(gzip_members_follow_each_other, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(zstd_frames_follow_each_other, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(the_first_frame_may_hold_the_dictionary_of_the_others,
                                        test_context_set_up, test_context_tear_down),
        cmocka_unit_test_setup_teardown(bad_dictionaries_are_refused, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(truncated_data_is_an_error_at_every_length,
                                        test_context_set_up, test_context_tear_down),
        cmocka_unit_test_setup_teardown(flipped_bits_are_noticed, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(errors_name_offset_and_reason, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(data_for_other_programs_is_refused_with_a_pipe,
                                        test_context_set_up, test_context_tear_down),
        cmocka_unit_test_setup_teardown(a_directory_and_a_missing_file_are_refused,
                                        test_context_set_up, test_context_tear_down),
        cmocka_unit_test_setup_teardown(a_bomb_takes_bounded_memory, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(a_window_beyond_the_budget_is_refused, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(peeking_consumes_nothing, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(files_and_pipes_can_be_read_again, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(frames_decoded_by_several_threads_come_in_order,
                                        test_context_set_up, test_context_tear_down),
        cmocka_unit_test_setup_teardown(large_frames_among_others_are_decoded_as_they_come,
                                        test_context_set_up, test_context_tear_down),
        cmocka_unit_test_setup_teardown(damage_is_found_alike_by_any_number_of_threads,
                                        test_context_set_up, test_context_tear_down),
        cmocka_unit_test_setup_teardown(random_bytes_never_crash, test_context_set_up,
                                        test_context_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
