/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of `hosts` that are kept for sorting. A heap has the row that is the last in order at
 * its root, so that with --top K rows beyond the first K leave at once, and memory holds K rows. */
#include "cli/graph/host_rows.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"

/* Does `a` come after `b`? */
static bool comes_after(const struct mr_host_row *a, const struct mr_host_row *b)
{
    return a->key < b->key || (!(a->key > b->key) && a->number > b->number);
}

static void sift_down(struct mr_host_row *heap, uint64_t n, uint64_t at)
{
    const struct mr_host_row moved = heap[at];
    for (uint64_t child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && comes_after(&heap[child + 1], &heap[child]);
        if (!comes_after(&heap[child], &moved)) {
            break;
        }
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static void sift_up(struct mr_host_row *heap, uint64_t at)
{
    const struct mr_host_row moved = heap[at];
    for (; at > 0 && comes_after(&moved, &heap[(at - 1) / 2]); at = (at - 1) / 2) {
        heap[at] = heap[(at - 1) / 2];
    }
    heap[at] = moved;
}

enum mr_status mr_host_rows_keep(struct mr_host_rows *kept, const struct mr_host_row *row,
                                 struct mr_error *err)
{
    const bool replaces = kept->n == kept->most;

    if (replaces && comes_after(row, &kept->rows[0])) {
        return MR_OK;
    }
    const enum mr_status status = mr_memory_grow(kept->memory, "hosts to sort", kept->n + !replaces,
                                                 &kept->rows, &kept->room, err);
    if (status != MR_OK) {
        return status;
    }
    struct mr_host_row copy = *row;
    copy.sums.host = copy.host = strdup(row->sums.host);
    if (copy.host == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for hosts");
    }
    if (replaces) {
        free(kept->rows[0].host);
        kept->rows[0] = copy;
        sift_down(kept->rows, kept->n, 0);
    } else {
        kept->rows[kept->n++] = copy;
        sift_up(kept->rows, kept->n - 1);
    }
    return MR_OK;
}

void mr_host_rows_sort(struct mr_host_rows *kept)
{
    for (uint64_t n = kept->n; n > 1; n--) { /* moves the last in order to the end */
        const struct mr_host_row last = kept->rows[0];
        kept->rows[0] = kept->rows[n - 1];
        kept->rows[n - 1] = last;
        sift_down(kept->rows, n - 1, 0);
    }
}

void mr_host_rows_free(struct mr_host_rows *kept)
{
    for (uint64_t i = 0; i < kept->n; i++) {
        free(kept->rows[i].host);
    }
    mr_memory_free(kept->memory, kept->rows);
    *kept = (struct mr_host_rows){0};
}
