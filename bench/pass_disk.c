/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the edges of a store as fast as the disk gives them, with the queues and the threads of a
 * pass but without decoding. The whole-pass benchmark compares the cold pass with it. */
#include "bench/pass_disk.h"

#include <fcntl.h>
#include <stdlib.h>

#include <omp.h>

#include "engine/base/bytes.h"
#include "engine/base/format.h"
#include "engine/base/team.h"
#include "engine/io/io.h"

/* Number of blocks that a thread takes at a time: long enough for sequential reads, like a
 * segment. */
#define JOB_BLOCKS 16u

struct bench_disk {
    const struct mr_context *context;
    struct mr_store *store;
    unsigned n_queues;
    struct mr_queue **queues;
};

enum mr_status bench_disk_open(const struct mr_context *context, struct mr_store *store,
                               unsigned depth, struct bench_disk **out, struct mr_error *err)
{
    struct bench_disk *disk = calloc(1, sizeof *disk);
    enum mr_status status = MR_OK;

    if (disk != NULL) {
        disk->queues = calloc(context->threads, sizeof(struct mr_queue *));
    }
    if (disk == NULL || disk->queues == NULL) {
        bench_disk_close(disk);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for queues");
    }
    disk->context = context;
    disk->store = store;
    for (; disk->n_queues < context->threads && status == MR_OK; disk->n_queues++) {
        status =
            mr_queue_create(context, depth, MR_BLOCK_MAX_BYTES, &disk->queues[disk->n_queues], err);
    }
    if (status != MR_OK) {
        bench_disk_close(disk);
        return status;
    }
    *out = disk;
    return MR_OK;
}

void bench_disk_close(struct bench_disk *disk)
{
    if (disk == NULL) {
        return;
    }
    for (unsigned i = 0; i < disk->n_queues; i++) {
        mr_queue_destroy(disk->queues[i]);
    }
    free(disk->queues);
    free(disk);
}

/* Push one block of the current job, or of the next one. Returns false when no block is left. */
static bool push(struct bench_disk *disk, struct mr_team *team, struct mr_queue *queue,
                 uint64_t *next, uint64_t *end, enum mr_status *status, struct mr_error *err)
{
    const struct mr_block_entry *blocks = mr_store_link_blocks(disk->store);

    if (*next == *end) {
        uint64_t job;

        if (!mr_team_next(team, &job)) {
            return false;
        }
        *next = job * JOB_BLOCKS;
        *end = mr_min_u64(*next + JOB_BLOCKS, mr_store_get_info(disk->store)->n_blocks);
    }
    *status = mr_queue_push(queue, mr_store_links_location(disk->store, &blocks[*next]).file,
                            blocks[*next].offset, blocks[*next].stored_bytes, 0, err);
    ++*next;
    return true;
}

/* A mr_team_work. */
static enum mr_status read_jobs(void *data, struct mr_team *team, unsigned worker,
                                struct mr_error *err)
{
    struct bench_disk *disk = data;
    struct mr_queue *queue = disk->queues[worker];
    enum mr_status status = MR_OK;
    uint64_t next = 0, end = 0;
    bool is_more = true;

    while (status == MR_OK) {
        while (is_more && status == MR_OK && mr_queue_has_room(queue)) {
            is_more = push(disk, team, queue, &next, &end, &status, err);
        }
        if (mr_queue_pending(queue) == 0) {
            break;
        }
        if (status == MR_OK) {
            uint8_t *block;
            uint64_t tag;

            status = mr_queue_pop(queue, &block, &tag, NULL, err);
        }
    }
    mr_queue_drain(queue);
    return status;
}

enum mr_status bench_disk_run(struct bench_disk *disk, struct mr_error *err)
{
    const uint64_t n_jobs = mr_div_up(mr_store_get_info(disk->store)->n_blocks, JOB_BLOCKS);

    return mr_team_run(disk->context, n_jobs, disk->n_queues, read_jobs, disk, err);
}

void bench_disk_drop_cache(const struct mr_store *store)
{
    const struct mr_block_entry *blocks = mr_store_link_blocks(store);

    for (uint64_t i = 0; i < mr_store_get_info(store)->n_blocks; i++) {
        if (i == 0 || blocks[i].link_class != blocks[i - 1].link_class) {
            const int fd = mr_file_descriptor(mr_store_links_location(store, &blocks[i]).file);

            (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        }
    }
}
