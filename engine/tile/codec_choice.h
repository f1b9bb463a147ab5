/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses plain or compressed blocks by measurement, for `--codec auto`.
 *
 * A pass takes as long as the slower of two things: reading its blocks, and computing with them.
 * Compressed blocks are fewer bytes and more work, so they pay where the disk is slow and cores are
 * many. This measures the disk by reading back a file of 64 MiB that it writes, and the cores on a
 * sample of keys. The sample is shaped like a web graph's keys, which zstd takes to a quarter
 * (cnr-2000: 1.25 to 0.35 bytes per edge). A graph with scrambled ids hardly shrinks; plain blocks
 * are better for it whatever is measured. The choice differs from machine to machine; the store
 * records its codec. */
#ifndef MR_ENGINE_TILE_CODEC_CHOICE_H
#define MR_ENGINE_TILE_CODEC_CHOICE_H

#include "engine/base/context.h"

struct mr_codec_choice {
    int zstd_level; /* the choice: 0 for plain, else the level */
    double disk_bytes_per_second; /* O_DIRECT where the file system has it */
    double keys_ns, zstd_ns; /* per edge, one thread: decode and add; decompress */
    double plain_bytes, zstd_bytes; /* per edge of the sample */
    double plain_pass_ns, zstd_pass_ns; /* per edge, as predicted for context->threads */
};

/* Measure in `directory` (of the future store), for stores compressed with `zstd_level`. Takes a
 * few tenths of a second, 64 MiB of disk during that time and 2 MiB of memory; leaves nothing
 * behind. Errors: those of memory and of the files. */
enum mr_status mr_codec_choose(const struct mr_context *context, const char *directory,
                               int zstd_level, struct mr_codec_choice *choice,
                               struct mr_error *err) MR_WARN_UNUSED;

#endif
