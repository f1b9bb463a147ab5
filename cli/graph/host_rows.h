/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of hosts with their figures, sorted by one of these: all of them, or the first ones. */
#ifndef MR_CLI_GRAPH_HOST_ROWS_H
#define MR_CLI_GRAPH_HOST_ROWS_H

#include "engine/base/memory.h"
#include "millrace/query.h"

struct mr_host_row {
    struct mr_host_sums sums;
    char *host; /* of the sums, owned by struct mr_host_rows */
    uint64_t number; /* of the host in the order of the names */
    double key; /* what is sorted by, the largest first; equal ones by number */
};

struct mr_host_rows {
    struct mr_memory *memory;
    struct mr_host_row *rows; /* [n] */
    uint64_t n, room;
    uint64_t n_sorted; /* the first ones, which are in order */
    uint64_t most; /* how many to keep; memory may hold twice as many */
};

/* Keep a copy of the row if it is among the first `most` so far. Error: BUDGET. */
enum mr_status mr_host_rows_keep(struct mr_host_rows *kept, const struct mr_host_row *row,
                                 struct mr_error *err) MR_WARN_UNUSED;
/* Put the rows in order, and drop those behind the first `most`. */
void mr_host_rows_sort(struct mr_host_rows *kept);
void mr_host_rows_free(struct mr_host_rows *kept);

#endif
