/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes successor lists into a WebGraph bit stream, big-endian, with the default codes.
 * bv_lists.h is the decoder. */
#ifndef MR_FORMATS_GRAPH_WEBGRAPH_BV_ENCODER_H
#define MR_FORMATS_GRAPH_WEBGRAPH_BV_ENCODER_H

#include "formats/stream/output.h"

struct mr_bv_encoder;

/* What WebGraph takes unless told otherwise: lists that may be referred to, the longest chain of
 * references, the least run of successors that is an interval. */
enum { MR_BV_WINDOW = 7, MR_BV_MAX_REFERENCES = 3, MR_BV_MIN_INTERVAL = 4 };

/* Begin a stream into `output`, which is borrowed. A list may refer to one of the `window` lists
 * before it, at the end of a chain of up to `max_references`. Destroy takes NULL. Errors: BUDGET.
 */
enum mr_status mr_bv_encoder_create(const struct mr_context *context, struct mr_output *output,
                                    uint64_t window, uint64_t max_references,
                                    struct mr_bv_encoder **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_bv_encoder_destroy(struct mr_bv_encoder *encoder);

/* Encode the list of the next node: `successors[n]`, strictly ascending. Tries each list of the
 * window as a reference and takes the one that gives the fewest bits, as WebGraph does. `*bits` is
 * the size of the list in the stream. Time: O((window + 1) n). */
enum mr_status mr_bv_encoder_add(struct mr_bv_encoder *encoder, const uint32_t *successors,
                                 size_t n, uint64_t *bits, struct mr_error *err) MR_WARN_UNUSED;
/* Fill the last byte with zeros and write it. */
enum mr_status mr_bv_encoder_finish(struct mr_bv_encoder *encoder,
                                    struct mr_error *err) MR_WARN_UNUSED;

#endif
