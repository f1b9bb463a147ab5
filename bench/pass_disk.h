/* What the disk gives at best: the file of links read once, in order, through the queues that the pass
 * uses, by as many threads, with nothing done to what arrives. */
#ifndef MR_BENCH_PASS_DISK_H
#define MR_BENCH_PASS_DISK_H

#include "engine/io/queue.h"
#include "engine/store/store.h"

struct bench_disk;

/* Set up one queue per thread of `context`, `depth` reads in flight each. The store stays open until
 * close, which takes NULL. Memory: (depth + 1) * 256 KiB per thread. */
enum mr_status bench_disk_open(const struct mr_context *context, struct mr_store *store,
                               enum mr_queue_backend backend, unsigned depth,
                               struct bench_disk **out, struct mr_error *err) MR_WARN_UNUSED;
void bench_disk_close(struct bench_disk *disk);

/* Read all blocks of links once. */
enum mr_status bench_disk_run(struct bench_disk *disk, struct mr_error *err) MR_WARN_UNUSED;

/* Make the kernel forget what it cached of the file of links. With O_DIRECT there is nothing. */
void bench_disk_drop_cache(const struct mr_store *store);

#endif
