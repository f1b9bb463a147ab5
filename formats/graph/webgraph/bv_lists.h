/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes the successor lists of a WebGraph bit stream, one after the other or from any node on.
 *
 * The list of node x consists of an outdegree; a reference to one of the `window` lists before it,
 * with blocks of that list to copy and to skip; runs of consecutive successors; and the remaining
 * successors one by one. Source: Boldi and Vigna, "The WebGraph framework I: compression
 * techniques" (WWW 2004). */
#ifndef MR_FORMATS_GRAPH_WEBGRAPH_BV_LISTS_H
#define MR_FORMATS_GRAPH_WEBGRAPH_BV_LISTS_H

#include "formats/graph/webgraph/bit_stream.h"

/* Decoding from the middle is refused for larger windows and longer chains. */
#define MR_BV_MAX_CHAIN 4096u

struct mr_bv_shape {
    uint64_t n_nodes; /* <= 2^32 - 1 */
    uint64_t n_arcs;
    unsigned window; /* 0: no references */
    uint64_t max_references; /* longest chain of references */
    uint64_t min_interval; /* 0: no intervals */
    struct mr_code outdegree, reference, block_count, block, interval, residual;
    bool little;
};

struct mr_bv_lists;

/* Locations of the lists before a starting point, because later lists refer to them. */
struct mr_bv_before {
    uint64_t first; /* the node of offsets[0] */
    const uint64_t *offsets; /* [n], in bits, of the nodes first .. first + n - 1 */
    size_t n;
};

/* Open a decoder with a stream of its own. `file`, `name` and `shape` are borrowed. Memory: the
 * stream's, and the lists of a window, which grow with the outdegrees. */
enum mr_status mr_bv_lists_open(const struct mr_context *context, struct mr_file *file,
                                const char *name, const struct mr_bv_shape *shape,
                                struct mr_bv_lists **out, struct mr_error *err) MR_WARN_UNUSED;
void mr_bv_lists_close(struct mr_bv_lists *lists); /* NULL is allowed */

/* Continue with the list of `node`, which begins `position` bits from the beginning of the file.
 * `before` must live until the next call of this function and have at least window * max_references
 * nodes, or all there are; for node 0 it may be NULL. */
void mr_bv_lists_seek(struct mr_bv_lists *lists, uint64_t node, uint64_t position,
                      const struct mr_bv_before *before);

/* Decode the next list: `successors[n]`, ascending, all below n_nodes; valid until `window` more
 * lists are decoded. Errors: INPUT at the byte where the list begins; BUDGET. */
enum mr_status mr_bv_lists_next(struct mr_bv_lists *lists, const uint32_t **successors, size_t *n,
                                struct mr_error *err) MR_WARN_UNUSED;

/* The location of the bit after the last list. */
uint64_t mr_bv_lists_position(const struct mr_bv_lists *lists);

#endif
