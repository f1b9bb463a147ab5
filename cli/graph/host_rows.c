/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of `hosts` that are kept for sorting. With --top K they are sorted and cut to K whenever
 * there are 2 K, and rows behind these K are left out from then on. */
#include "cli/graph/host_rows.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"

/* Does `a` come after `b`? */
static bool comes_after(const struct mr_host_row *a, const struct mr_host_row *b)
{
    return a->key < b->key || (!(a->key > b->key) && a->number > b->number);
}

static int compare(const void *left, const void *right)
{
    return (int)comes_after(left, right) - (int)comes_after(right, left);
}

void mr_host_rows_sort(struct mr_host_rows *kept)
{
    if (kept->n > 0) {
        qsort(kept->rows, kept->n, sizeof *kept->rows, compare);
    }
    while (kept->n > kept->most) {
        free(kept->rows[--kept->n].host);
    }
    kept->n_sorted = kept->n;
}

enum mr_status mr_host_rows_keep(struct mr_host_rows *kept, const struct mr_host_row *row,
                                 struct mr_error *err)
{
    if (kept->n / 2 >= kept->most) {
        mr_host_rows_sort(kept);
    }
    if (kept->n_sorted > 0 && comes_after(row, &kept->rows[kept->n_sorted - 1])) {
        return MR_OK;
    }
    const enum mr_status status =
        mr_memory_grow(kept->memory, "hosts to sort", kept->n + 1, &kept->rows, &kept->room, err);
    if (status != MR_OK) {
        return status;
    }
    struct mr_host_row copy = *row;
    copy.sums.host = copy.host = strdup(row->sums.host);
    if (copy.host == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for hosts");
    }
    kept->rows[kept->n++] = copy;
    return MR_OK;
}

void mr_host_rows_free(struct mr_host_rows *kept)
{
    for (uint64_t i = 0; i < kept->n; i++) {
        free(kept->rows[i].host);
    }
    mr_memory_free(kept->memory, kept->rows);
    *kept = (struct mr_host_rows){0};
}
