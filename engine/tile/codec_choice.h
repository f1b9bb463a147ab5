/* Plain or compressed blocks, by measurement: what `--codec auto` does.
 *
 * A pass takes as long as the slower of reading its blocks and computing them. Compressed blocks are
 * fewer bytes and more work, so they pay where the disk is slow and cores are many. This measures the
 * disk, by reading back a file of 64 MiB it writes, and the cores, on a sample of keys shaped like a web
 * graph's, which zstd takes to a quarter (cnr-2000: 1.25 to 0.35 bytes per link; a graph with scrambled
 * ids hardly shrinks, and is better off plain whatever is measured). The choice differs from machine to machine; the store it is made
 * for records its codec like any other. */
#ifndef MR_ENGINE_TILE_CODEC_CHOICE_H
#define MR_ENGINE_TILE_CODEC_CHOICE_H

#include "engine/base/context.h"

struct mr_codec_choice {
    int zstd_level; /* the choice: 0 plain, else the level */
    double disk_bytes_per_second; /* O_DIRECT where the file system has it */
    double keys_ns, zstd_ns; /* one thread, per link: decode and add; decompress */
    double plain_bytes, zstd_bytes; /* per link of the sample */
    double plain_pass_ns, zstd_pass_ns; /* per link, foretold for context->threads */
};

/* Measure in `directory` (where the store will be), for stores compressed with `zstd_level`. Takes a
 * few tenths of a second, 64 MiB of disk for that long and 2 MiB of memory; leaves nothing behind. */
enum mr_status mr_codec_choose(const struct mr_context *context, const char *directory,
                               int zstd_level, struct mr_codec_choice *choice,
                               struct mr_error *err) MR_WARN_UNUSED;

#endif
