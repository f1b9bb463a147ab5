/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/stream/input_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <zstd.h>

/* Make a frame of `bytes` zeros; `streamed` leaves the size out of the header. */
static size_t make_frame(size_t bytes, int level, bool streamed, uint8_t *frame, size_t room)
{
    uint8_t *content = calloc(1, bytes + 1);
    ZSTD_CCtx *cctx = ZSTD_createCCtx();
    ZSTD_inBuffer in = {content, bytes, 0};
    ZSTD_outBuffer out = {frame, room, 0};
    assert_non_null(content);
    assert_false(ZSTD_isError(ZSTD_CCtx_setParameter(cctx, ZSTD_c_compressionLevel, level)));
    if (streamed) {
        assert_int_not_equal(ZSTD_compressStream2(cctx, &out, &in, ZSTD_e_flush), 1);
        assert_int_equal(ZSTD_compressStream2(cctx, &out, &in, ZSTD_e_end), 0);
    } else {
        out.pos = ZSTD_compress2(cctx, frame, room, content, bytes);
    }
    assert_false(ZSTD_isError(out.pos));
    (void)ZSTD_freeCCtx(cctx);
    free(content);
    return out.pos;
}

static void one_segment_says_its_size(void **state)
{
    static const size_t sizes[] = {0, 1, 255, 256, 257, 65791, 65792, 100000};
    static uint8_t frame[1 << 16];
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct mr_zstd_frame parsed;
        size_t bytes = make_frame(sizes[i], 3, false, frame, sizeof frame);
        assert_true(mr_zstd_frame_parse(frame, bytes, &parsed));
        assert_false(parsed.skippable);
        assert_int_equal(parsed.window_bytes, sizes[i]);
        assert_int_equal(ZSTD_getFrameContentSize(frame, bytes), sizes[i]);
    }
}

static void streams_say_their_window(void **state)
{
    static const struct {
        int level;
        uint64_t window_bytes;
    } cases[] = {{1, 1 << 19}, {3, 1 << 21}, {19, 1 << 23}};
    static uint8_t frame[1 << 16];
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct mr_zstd_frame parsed;
        size_t bytes = make_frame(1000, cases[i].level, true, frame, sizeof frame);
        assert_true(mr_zstd_frame_parse(frame, bytes, &parsed));
        assert_int_equal(parsed.window_bytes, cases[i].window_bytes);
    }
}

static void headers_cut_off_are_refused(void **state)
{
    static const uint8_t skippable[] = {0x5f, 0x2a, 0x4d, 0x18, 0, 0, 0, 0};
    static const uint8_t wide[] = {0x28, 0xb5, 0x2f, 0xfd, 0xc3, 0xff, 1, 2, 3,
                                   4,    1,    2,    3,    4,    5,    6, 7, 8};
    struct mr_zstd_frame parsed;
    (void)state;
    assert_true(mr_zstd_frame_parse(skippable, sizeof skippable, &parsed));
    assert_true(parsed.skippable && parsed.window_bytes == 0);
    for (size_t n = 0; n < sizeof wide; n++) {
        assert_false(mr_zstd_frame_parse(wide, n, &parsed));
    }
    assert_true(mr_zstd_frame_parse(wide, sizeof wide, &parsed));
    assert_int_equal(parsed.window_bytes, ((uint64_t)15 << 41) / 8);
    assert_false(mr_zstd_frame_parse((const uint8_t *)"plain text", 10, &parsed));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_segment_says_its_size),
        cmocka_unit_test(streams_say_their_window),
        cmocka_unit_test(headers_cut_off_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
