/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that are read at the same time, each by one thread, into one builder. Internal to
 * library. */
#ifndef MR_LIBRARY_IMPORT_TOGETHER_H
#define MR_LIBRARY_IMPORT_TOGETHER_H

#include "formats/graph/graph_reader.h"

struct mr_import_together {
    const struct mr_context *context;
    size_t n_inputs;
    unsigned n_workers; /* at least 1 */
    const struct mr_graph_sink
        *sink; /* its functions `name`, `capture`, `edges` are called, one at a time */
    struct mr_edge_text_summary *summary; /* counts are added to it */
    void *data; /* of the caller */
    /* Read input `index` into `sink`, with notes to `context` and counts to `summary`. */
    enum mr_status (*read)(void *data, size_t index, const struct mr_context *context,
                           struct mr_edge_text_summary *summary, const struct mr_graph_sink *sink,
                           struct mr_error *err);
};

/* How many threads there is memory for. */
unsigned mr_import_together_workers(const struct mr_context *context, size_t n_inputs);

/* Read all inputs. The sink gets names and edges of different inputs in any order. Notes come when
 * all inputs are read, in the order of the inputs, and the error is that of the first input that
 * has one: both are the same for any number of threads. */
enum mr_status mr_import_read_together(const struct mr_import_together *job,
                                       struct mr_error *err) MR_WARN_UNUSED;

#endif
