/* SPDX-License-Identifier: Apache-2.0 */
/* Merges sorted runs of names with a heap of readers: the reader with the least name is on top. A
 * key is made once per entry, when the entry comes to the front of its run, and keys are compared
 * as bytes. Equal keys mean equal canonical names; those are ordered by spelling, so that the same
 * spelling from several runs comes in a row. */
#include "engine/builder/vertices/dictionary_internal.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/heap.h"
#include "engine/base/memory.h"

struct front {
    struct mr_run_reader *reader;
    const struct mr_run_entry *entry;
    char *key; /* [MR_NAME_KEY_MAX_BYTES] */
    size_t key_bytes;
};

struct merge {
    const struct mr_context *context;
    mr_name_key key;
    struct front *fronts; /* [n_fronts] */
    struct front **heap; /* [n_heap], a heap */
    uint64_t n_fronts, n_heap;
    char *keys;
};

enum { POLL_ENTRIES = 4096, LEAST_FAN_IN = 4 };
#define FRONT_BYTES (MR_RUN_READER_BYTES + MR_NAME_KEY_MAX_BYTES + 256)

static bool is_less(struct front *const *a, struct front *const *b)
{
    const struct mr_run_entry *x = (*a)->entry, *y = (*b)->entry;
    const int order = mr_compare_bytes((*a)->key, (*a)->key_bytes, (*b)->key, (*b)->key_bytes);
    return order != 0 ? order < 0
                      : mr_compare_bytes(x->spelling, x->spelling_bytes, y->spelling,
                                         y->spelling_bytes) < 0;
}

MR_HEAP(fronts, struct front *, is_less)

static enum mr_status advance(struct merge *merge, struct front *front, struct mr_error *err)
{
    enum mr_status status = mr_run_reader_next(front->reader, &front->entry, err);
    if (status == MR_OK && front->entry != NULL) {
        front->key_bytes =
            merge->key(front->entry->canonical, front->entry->canonical_bytes, front->key);
    }
    return status;
}

static void close_merge(struct merge *merge)
{
    for (uint64_t i = 0; i < merge->n_fronts; i++) {
        mr_run_reader_close(merge->fronts[i].reader);
    }
    mr_memory_free(merge->context->memory, merge->keys);
    free(merge->fronts);
    free(merge->heap);
}

static enum mr_status open_merge(struct merge *merge, const struct mr_name_run *runs,
                                 uint64_t n_runs, struct mr_error *err)
{
    merge->fronts = calloc(n_runs, sizeof *merge->fronts);
    merge->heap = calloc(n_runs, sizeof(struct front *));
    if (merge->fronts == NULL || merge->heap == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for merging names");
    }
    enum mr_status status = mr_memory_array(merge->context->memory, "run of names",
                                            n_runs * MR_NAME_KEY_MAX_BYTES, &merge->keys, err);
    for (; status == MR_OK && merge->n_fronts < n_runs; merge->n_fronts++) {
        struct front *front = &merge->fronts[merge->n_fronts];
        front->key = merge->keys + merge->n_fronts * MR_NAME_KEY_MAX_BYTES;
        status =
            mr_run_reader_open(merge->context, &runs[merge->n_fronts], true, &front->reader, err);
        if (status == MR_OK) {
            status = advance(merge, front, err);
        }
        if (status == MR_OK && front->entry != NULL) {
            merge->heap[merge->n_heap++] = front;
        }
    }
    if (status == MR_OK) {
        fronts_make(merge->heap, merge->n_heap);
    }
    return status;
}

/* Merge all of these runs at once. */
static enum mr_status merge_runs(const struct mr_context *context, mr_name_key key,
                                 const struct mr_name_run *runs, uint64_t n_runs,
                                 mr_merge_visit visit, void *data, struct mr_error *err)
{
    struct merge merge = {.context = context, .key = key};
    enum mr_status status = open_merge(&merge, runs, n_runs, err);

    for (uint64_t n = 0; status == MR_OK && merge.n_heap > 0; n++) {
        struct front *front = merge.heap[0];
        status = visit(data, front->entry, err);
        if (status == MR_OK) {
            status = advance(&merge, front, err);
        }
        if (status == MR_OK && n % POLL_ENTRIES == 0) {
            status = mr_context_poll(context, err);
        }
        if (front->entry == NULL) {
            merge.heap[0] = merge.heap[--merge.n_heap];
        }
        if (merge.n_heap > 0) {
            fronts_sift(merge.heap, merge.n_heap, 0);
        }
    }
    close_merge(&merge);
    return status;
}

static enum mr_status put_on(void *data, const struct mr_run_entry *entry, struct mr_error *err)
{
    return mr_run_writer_put(data, entry, err);
}

/* Merge several runs into one longer run, in a file of its own. */
static enum mr_status merge_group(const struct mr_context *context, const char *directory,
                                  const char *stem, struct mr_scratch_use *use, mr_name_key key,
                                  const struct mr_name_run *runs, uint64_t n_runs,
                                  struct mr_name_run *out, struct mr_error *err)
{
    struct mr_scratch_file *file = NULL;
    struct mr_run_writer *writer = NULL;
    enum mr_status status = mr_scratch_file_open(context, directory, stem, use, &file, err);

    if (status == MR_OK) {
        status = mr_run_writer_create(context, file, 0, &writer, err);
    }
    if (status == MR_OK) {
        status = merge_runs(context, key, runs, n_runs, put_on, writer, err);
    }
    if (status == MR_OK) {
        status = mr_run_writer_finish(writer, out, err);
    } else {
        mr_run_writer_destroy(writer);
    }
    if (status != MR_OK) {
        mr_scratch_file_close(file);
    }
    return status;
}

uint64_t mr_dictionary_merge_bytes(uint64_t n_runs)
{
    return (n_runs < LEAST_FAN_IN ? n_runs : LEAST_FAN_IN) * FRONT_BYTES;
}

enum mr_status mr_dictionary_merge(const struct mr_context *context, const char *directory,
                                   const char *stem, struct mr_scratch_use *use, mr_name_key key,
                                   struct mr_name_run *runs, uint64_t n_runs, mr_merge_visit visit,
                                   void *data, struct mr_error *err)
{
    uint64_t fan_in = mr_memory_available(context->memory) / 2 / FRONT_BYTES;
    struct mr_name_run *longer = calloc(n_runs, sizeof *longer);
    uint64_t n_longer = 0, at = 0;
    enum mr_status status = MR_OK;

    if (longer == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for merging names");
    }
    fan_in = fan_in < LEAST_FAN_IN ? LEAST_FAN_IN : fan_in;
    /* Merge groups of `fan_in` runs into longer ones until `fan_in` or fewer runs are left. Each
     * longer run has a file of its own. */
    while (status == MR_OK && n_runs - at + n_longer > fan_in && n_runs - at > 1) {
        uint64_t n = n_runs - at < fan_in ? n_runs - at : fan_in;
        status =
            merge_group(context, directory, stem, use, key, runs + at, n, &longer[n_longer], err);
        n_longer += status == MR_OK;
        at += n;
    }
    if (status == MR_OK) {
        uint64_t n_rest = n_runs - at;
        struct mr_name_run *all = calloc(n_longer + n_rest, sizeof *all);
        if (all == NULL) {
            status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for merging names");
        } else {
            memcpy(all, longer, n_longer * sizeof *all);
            memcpy(all + n_longer, runs + at, n_rest * sizeof *all);
            status = n_longer > fan_in
                         ? mr_dictionary_merge(context, directory, stem, use, key, all,
                                               n_longer + n_rest, visit, data, err)
                         : merge_runs(context, key, all, n_longer + n_rest, visit, data, err);
        }
        free(all);
    }
    for (uint64_t i = 0; i < n_longer; i++) {
        mr_scratch_file_close(longer[i].file);
    }
    free(longer);
    return status;
}
