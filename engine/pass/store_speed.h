/* SPDX-License-Identifier: Apache-2.0 */
/* How fast this machine passes over a store, and what holds it up: what `millrace bench` prints.
 *
 * A pass takes about as long as the slowest of reading the blocks, opening them (checksum, zstd),
 * decoding the links and adding the values up. Each is measured by itself, and the whole pass from
 * memory and from disk. The parts of the core's work are timed on a sample of blocks, spread
 * evenly, by all threads at the same time. */
#ifndef MR_ENGINE_PASS_STORE_SPEED_H
#define MR_ENGINE_PASS_STORE_SPEED_H

#include "engine/pass/pass.h"

struct mr_store_speed_options {
    size_t struct_size; /* sizeof(struct mr_store_speed_options) */
    unsigned rounds; /* medians of so many; 0: 5 */
    enum mr_value value; /* float or double */
    enum mr_queue_backend backend;
};

/* Times are wall-clock nanoseconds per link, all threads working: medians over the rounds. */
struct mr_store_speed {
    unsigned threads, rounds;
    enum mr_queue_backend backend;
    bool direct, registered_buffers;
    const char *decoder;
    uint64_t sampled_links; /* of them `sampled_keys` in tiles of encoding keys */
    uint64_t sampled_keys;
    double disk_ns; /* reading alone */
    double checksum_ns;
    double decompress_ns; /* 0 where blocks are plain */
    double decode_ns,
        add_ns; /* per link of keys tiles, one after the other; NaN where there are none */
    double apply_ns; /* tiles of every encoding, decoded and added as the pass does it */
    double pinned_ns; /* a pass with all links in memory; NaN where they do not fit the budget */
    bool is_decoded; /* and these decoded */
    double cold_ns; /* a pass with none in memory */
    double cold_wait_share; /* of the threads' time in cold passes: waiting for the disk */
};

/* What a cold pass takes at least, and the name of what takes it: "disk", "checksums", "zstd",
 * "decoding", "adding" (the two overlap: the larger one names them). */
double mr_store_speed_limit(const struct mr_store_speed *speed, const char **name);

/* Measure. Time: per round one reading of the file of links, one or two passes and a fifth of a
 * second. Memory: what a pass takes, a value per vertex, and at most 16 MiB of sample. Errors:
 * those of a pass; USAGE for a store without links. */
enum mr_status mr_store_speed_measure(const struct mr_context *context, struct mr_store *store,
                                      const struct mr_store_speed_options *options,
                                      struct mr_store_speed *speed,
                                      struct mr_error *err) MR_WARN_UNUSED;

#endif
