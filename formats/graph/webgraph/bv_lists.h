/* Successor lists out of a WebGraph bit stream, one after the other or from any node on.
 *
 * The list of node x is an outdegree; a reference to one of the `window` lists before it, with blocks
 * of it to copy and to skip; runs of consecutive successors; and the rest, one by one. Source: Boldi
 * and Vigna, "The WebGraph framework I: compression techniques" (WWW 2004). */
#ifndef MR_FORMATS_GRAPH_WEBGRAPH_BV_LISTS_H
#define MR_FORMATS_GRAPH_WEBGRAPH_BV_LISTS_H

#include "formats/graph/webgraph/bit_stream.h"

/* Larger windows and deeper chains are not decoded from the middle. */
#define MR_BV_MAX_CHAIN 4096u

struct mr_bv_shape {
    uint64_t n_nodes; /* <= 2^32 - 1 */
    uint64_t n_arcs;
    unsigned window; /* 0: no references */
    uint64_t max_references; /* length of a chain of references */
    uint64_t min_interval; /* 0: no intervals */
    struct mr_code outdegree, reference, block_count, block, interval, residual;
    bool little;
};

struct mr_bv_lists;

/* Where the lists of the nodes before a starting point begin, for what they are referred to. */
struct mr_bv_before {
    uint64_t first; /* node of offsets[0] */
    const uint64_t *offsets; /* [n] in bits, of nodes first .. first + n - 1 */
    size_t n;
};

/* A decoder over a stream of its own. `name` and `shape` are borrowed. Memory: the stream's, and the
 * lists of a window, which grow with the outdegrees. */
enum mr_status mr_bv_lists_open(const struct mr_context *context, struct mr_file *file,
                                const char *name, const struct mr_bv_shape *shape,
                                struct mr_bv_lists **out, struct mr_error *err) MR_WARN_UNUSED;
void mr_bv_lists_close(struct mr_bv_lists *lists); /* NULL is allowed */

/* The next list is that of `node`, `position` bits from the beginning. `before` lives until the next
 * call and has at least window * max_references nodes, or all there are; for node 0 it may be NULL. */
void mr_bv_lists_seek(struct mr_bv_lists *lists, uint64_t node, uint64_t position,
                      const struct mr_bv_before *before);

/* The next list: `successors[n]`, ascending, all below n_nodes; valid until `window` more lists were
 * decoded. Errors: INPUT at the byte where the list begins, BUDGET. */
enum mr_status mr_bv_lists_next(struct mr_bv_lists *lists, const uint32_t **successors, size_t *n,
                                struct mr_error *err) MR_WARN_UNUSED;

/* The bit after the last list. */
uint64_t mr_bv_lists_position(const struct mr_bv_lists *lists);

#endif
