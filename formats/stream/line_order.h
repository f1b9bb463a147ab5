/* SPDX-License-Identifier: Apache-2.0 */
/* Lines in another order than that in which they come: each line comes with its place in the
 * output, and the places are the numbers 0 .. n - 1, each once. So no sort is needed: a line goes
 * to the bucket of its place, a bucket is a run of places that fits into memory, and the buckets
 * are written one after the other. */
#ifndef MR_FORMATS_STREAM_LINE_ORDER_H
#define MR_FORMATS_STREAM_LINE_ORDER_H

#include "engine/base/context.h"
#include "formats/stream/output.h"

struct mr_line_order;

/* Expect `n_lines` (at most 2^32 - 1) of about `line_bytes` each. Lines that do not fit into the
 * budget wait in a temporary file in context->tmp_dir, $TMPDIR or /var/tmp; it gets as long as
 * the output and 8 bytes for each line. Takes at most half of the budget that is left. `context`
 * outlives it. Close takes NULL. Errors: BUDGET, RUNTIME. */
enum mr_status mr_line_order_open(const struct mr_context *context, uint64_t n_lines,
                                  uint64_t line_bytes, struct mr_line_order **out,
                                  struct mr_error *err) MR_WARN_UNUSED;
void mr_line_order_close(struct mr_line_order *order);

/* Add the line at `place`: text[bytes]. */
enum mr_status mr_line_order_add(struct mr_line_order *order, uint32_t place, const char *text,
                                 size_t bytes, struct mr_error *err) MR_WARN_UNUSED;

/* Give all lines in order, once, after the last was added. A status other than MR_OK ends it. */
typedef enum mr_status (*mr_line_take)(void *data, uint32_t place, const char *text, size_t bytes,
                                       struct mr_error *err);
enum mr_status mr_line_order_read(struct mr_line_order *order, mr_line_take take, void *data,
                                  struct mr_error *err) MR_WARN_UNUSED;
/* Write them, with the line ends that they have. */
enum mr_status mr_line_order_write(struct mr_line_order *order, struct mr_output *output,
                                   struct mr_error *err) MR_WARN_UNUSED;

uint64_t mr_line_order_disk_bytes(const struct mr_line_order *order); /* of the temporary file */

#endif
