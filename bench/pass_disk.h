/* SPDX-License-Identifier: Apache-2.0 */
/* The upper limit that the disk sets: the file of edges read once, in order, through the queues of
 * the pass, by the same number of threads. The data is not used. */
#ifndef MR_BENCH_PASS_DISK_H
#define MR_BENCH_PASS_DISK_H

#include "engine/io/queue.h"
#include "engine/store/store.h"

struct bench_disk;

/* Make one queue per thread of `context`, each with `depth` reads in flight. The store must stay
 * open until close, which accepts NULL. Memory: (depth + 1) * 256 KiB per thread. */
enum mr_status bench_disk_open(const struct mr_context *context, struct mr_store *store,
                               unsigned depth, struct bench_disk **out,
                               struct mr_error *err) MR_WARN_UNUSED;
void bench_disk_close(struct bench_disk *disk);

/* Read all blocks of edges once. */
enum mr_status bench_disk_run(struct bench_disk *disk, struct mr_error *err) MR_WARN_UNUSED;

/* Drop the file of edges from the page cache. With O_DIRECT nothing of it is there. */
void bench_disk_drop_cache(const struct mr_store *store);

#endif
