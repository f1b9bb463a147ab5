/* SPDX-License-Identifier: Apache-2.0 */
/* Lines in another order than that in which they come: each line comes with its place in the
 * output, and the places are the numbers 0 .. n - 1, each once. So no sort is needed: a line goes
 * to the run of its place, a run has so few places that a cache holds it, and the runs are read one
 * after the other, or side by side. */
#ifndef MR_FORMATS_STREAM_LINE_ORDER_H
#define MR_FORMATS_STREAM_LINE_ORDER_H

#include "engine/base/context.h"
#include "formats/stream/output.h"

struct mr_line_order;

/* Lines of a run, but for a short budget; a run never has fewer. */
enum { MR_LINE_RUN = 1 << 13 };

/* Expect `n_lines` (at most 2^32 - 1) of about `line_bytes` each. Lines that do not fit into the
 * budget wait in a temporary file in context->tmp_dir, $TMPDIR or /var/tmp; it gets at most as long
 * as the output and 8 bytes for each line. Takes at most half of the budget that is left. `context`
 * outlives it. Close takes NULL. Errors: BUDGET, RUNTIME. */
enum mr_status mr_line_order_open(const struct mr_context *context, uint64_t n_lines,
                                  uint64_t line_bytes, struct mr_line_order **out,
                                  struct mr_error *err) MR_WARN_UNUSED;
void mr_line_order_close(struct mr_line_order *order);

/* Add the line at `place`: text[bytes]. */
enum mr_status mr_line_order_add(struct mr_line_order *order, uint32_t place, const char *text,
                                 size_t bytes, struct mr_error *err) MR_WARN_UNUSED;

/* The run that a reader of lines has loaded; zero at first. */
struct mr_place_reader {
    uint64_t first, n; /* places */
    char *records;
    const char **lines; /* [n] */
    uint64_t records_room, lines_room;
};

/* Get the line at `place`, after the last was added. It is valid until the next call with this
 * reader. A run is loaded once: readers of several threads read different runs. */
enum mr_status mr_line_order_get(struct mr_line_order *order, struct mr_place_reader *reader,
                                 uint32_t place, const char **text, size_t *bytes,
                                 struct mr_error *err) MR_WARN_UNUSED;
void mr_place_reader_free(const struct mr_line_order *order, struct mr_place_reader *reader);
uint64_t mr_line_order_run(const struct mr_line_order *order); /* places of a run */

/* Write all lines in order, once, with the line ends that they have. */
enum mr_status mr_line_order_write(struct mr_line_order *order, struct mr_output *output,
                                   struct mr_error *err) MR_WARN_UNUSED;

uint64_t mr_line_order_disk_bytes(const struct mr_line_order *order); /* of the temporary file */

#endif
