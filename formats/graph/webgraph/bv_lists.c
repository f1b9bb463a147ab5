/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes the successor lists of a BVGraph for formats/graph/webgraph/bvgraph.c. The decoder is
 * written once and compiled twice: for the codes and the bit order of nearly every graph, where
 * constants remove all choices, and for all others. The last lists are in a ring, because a list
 * refers only to the `window` lists before it. */
#include "formats/graph/webgraph/bv_lists.h"

#include <stdlib.h>

#include "engine/base/memory.h"

struct bv_list {
    uint32_t *items; /* [capacity] */
    uint64_t capacity;
    uint64_t n;
};

struct mr_bv_lists {
    const struct mr_context *context;
    const struct mr_bv_shape *shape;
    const char *name;
    struct mr_bits bits;
    bool usual; /* big-endian with the default codes */
    uint64_t node; /* the next node */
    uint64_t seek_node; /* the lists before it were not decoded in sequence */
    struct mr_bv_before before;
    struct bv_list *ring; /* [window + 1]: list of node x at x mod (window + 1) */
    /* [window + 1]: node whose list is in the ring though it comes before the seek */
    uint64_t *resolved;
    struct bv_list copied, extra, chain[2];
};

static enum mr_status grow(struct mr_bv_lists *lists, struct bv_list *list, uint64_t n,
                           struct mr_error *err)
{
    return mr_memory_grow(lists->context->memory, "lists of successors", n, &list->items,
                          &list->capacity, err);
}

/* The error for a bad list; `reason` says what is wrong. */
static enum mr_status wrong(const struct mr_bv_lists *lists, uint64_t node, uint64_t start,
                            const char *reason, struct mr_error *err)
{
    if (lists->bits.status != MR_OK) {
        return mr_error_file(err, lists->bits.status, lists->name, lists->bits.error.os_errno, "%s",
                             lists->bits.error.message);
    }
    return mr_error_offset(err, MR_ERROR_INPUT, lists->name, start / 8,
                           "bit %llu, node %llu: %s; the file is damaged, or its .properties are "
                           "another graph's",
                           (unsigned long long)start, (unsigned long long)node,
                           mr_bits_is_over(&lists->bits) ? "the file ends here" : reason);
}

/* Copies the blocks of `from` that the stream names. Returns NULL, or what is wrong. */
MR_BITS_INLINE const char *copy_blocks(struct mr_bits *bits, const struct bv_list *from,
                                       struct mr_code count_code, struct mr_code block_code,
                                       bool little, uint64_t limit, struct bv_list *to)
{
    const uint64_t n_blocks = mr_bits_code(bits, count_code, little);
    const uint32_t *at = from->items, *const end = from->items + from->n;
    uint32_t *out = to->items;
    bool copies = true;

    if (n_blocks > from->n + 1) {
        return "it has more blocks than the list it refers to has successors";
    }
    for (uint64_t i = 0; i <= n_blocks; i++) {
        uint64_t length = (uint64_t)(end - at);
        if (i < n_blocks) {
            const uint64_t given = mr_bits_code(bits, block_code, little);
            if (given > length || given + (i > 0) > length) {
                return "a block goes beyond the list it refers to";
            }
            length = given + (i > 0);
        }
        if (copies) {
            if (length > limit - (uint64_t)(out - to->items)) {
                return "it copies more successors than it has";
            }
            memcpy(out, at, 4 * length);
            out += length;
        }
        at += length;
        copies = !copies;
    }
    to->n = (uint64_t)(out - to->items);
    return NULL;
}

/* Takes the runs of consecutive successors. Returns NULL, or what is wrong. */
MR_BITS_INLINE const char *take_intervals(struct mr_bits *bits, const struct mr_bv_shape *shape,
                                          struct mr_code code, bool little, uint64_t node,
                                          uint64_t limit, struct bv_list *to)
{
    const uint64_t n_nodes = shape->n_nodes, n_intervals = mr_bits_code(bits, code, little);
    uint64_t end = 0;
    uint32_t *out = to->items, *const full = to->items + limit;

    if (n_intervals > limit) {
        return "it has more intervals than successors";
    }
    for (uint64_t i = 0; i < n_intervals; i++) {
        const uint64_t given = mr_bits_code(bits, code, little);
        const uint64_t left = i == 0 ? node + mr_bits_signed(given) : end + 1 + given;
        const uint64_t length = mr_bits_code(bits, code, little) + shape->min_interval;

        if (given >> 40 != 0 || left >= n_nodes || length > n_nodes - left ||
            length > (uint64_t)(full - out)) {
            return "an interval goes beyond what there is";
        }
        for (uint64_t j = 0; j < length; j++) {
            out[j] = (uint32_t)(left + j);
        }
        out += length;
        end = left + length;
    }
    to->n = (uint64_t)(out - to->items);
    return NULL;
}

static const char has_twice[] = "it has a successor twice";

/* Merges `a[n_a]` and `b[n_b]`; the second is mostly short. Returns false if one number is in both,
 * which no writer does. */
static bool merge(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b, uint32_t *out)
{
    size_t i = 0;
    bool is_good = true;

    for (size_t j = 0; j < n_b; j++) {
        const uint32_t next = b[j];
        while (i < n_a && a[i] < next) {
            *out++ = a[i++];
        }
        is_good &= i == n_a || a[i] != next;
        *out++ = next;
    }
    memcpy(out, a + i, 4 * (n_a - i));
    return is_good;
}

MR_BITS_INLINE const char *take_residuals(struct mr_bits *bits, uint64_t n_nodes,
                                          struct mr_code code, bool little, uint64_t node,
                                          uint64_t n, uint32_t *out)
{
    bool bad = false;
    uint64_t at = node;

    for (uint64_t i = 0; i < n; i++) {
        const uint64_t given = mr_bits_code(bits, code, little);
        at += i == 0 ? mr_bits_signed(given) : given + 1;
        bad |= at >= n_nodes || given >> 40 != 0;
        out[i] = (uint32_t)at;
    }
    return bad ? "a successor is no node" : NULL;
}

/* Decodes the part of a list after outdegree and reference. `from` is the list that it refers to,
 * or NULL. */
MR_BITS_INLINE enum mr_status take_list(struct mr_bv_lists *lists, uint64_t node, uint64_t start,
                                        uint64_t degree, const struct bv_list *from,
                                        struct bv_list *to, bool little,
                                        const struct mr_bv_shape *codes, struct mr_error *err)
{
    struct mr_bits *bits = &lists->bits;
    const uint64_t n_nodes = lists->shape->n_nodes;
    struct bv_list *copied = &lists->copied, *extra = &lists->extra;
    const char *reason = NULL;
    enum mr_status status = grow(lists, to, degree, err);

    copied->n = extra->n = 0;
    if (status == MR_OK) {
        status = grow(lists, copied, degree, err);
    }
    if (status == MR_OK) {
        status = grow(lists, extra, degree, err);
    }
    if (status != MR_OK) {
        return status;
    }
    if (from != NULL) {
        reason = copy_blocks(bits, from, codes->block_count, codes->block, little, degree, copied);
    }
    uint64_t left = degree - copied->n;
    if (reason == NULL && left > 0 && lists->shape->min_interval > 0) {
        reason = take_intervals(bits, lists->shape, codes->interval, little, node, left, extra);
        left -= extra->n;
    }
    if (reason == NULL && left > 0) {
        /* Residuals are stored after the intervals, then both are merged into `to`, and that is
         * merged with the copied successors. */
        uint32_t *residuals = extra->items + extra->n;
        reason = take_residuals(bits, n_nodes, codes->residual, little, node, left, residuals);
        if (reason == NULL && extra->n > 0) {
            reason = merge(extra->items, extra->n, residuals, left, to->items) ? NULL : has_twice;
            memcpy(extra->items, to->items, 4 * (extra->n + left));
        }
        extra->n += left;
    }
    if (reason != NULL || mr_bits_is_over(bits)) {
        return wrong(lists, node, start, reason == NULL ? "" : reason, err);
    }
    to->n = degree;
    if (copied->n == 0 || extra->n == 0) {
        /* One of them is the whole list: exchange the arrays instead of copying. */
        struct bv_list *whole = copied->n == 0 ? extra : copied;
        const struct bv_list spare = *to;
        *to = *whole;
        *whole = spare;
        to->n = degree;
        return MR_OK;
    }
    return merge(copied->items, copied->n, extra->items, extra->n, to->items)
               ? MR_OK
               : wrong(lists, node, start, has_twice, err);
}

static enum mr_status take_body(struct mr_bv_lists *lists, uint64_t node, uint64_t start,
                                uint64_t degree, const struct bv_list *from, struct bv_list *to,
                                struct mr_error *err)
{
    if (lists->usual) {
        return take_list(lists, node, start, degree, from, to, false,
                         &(const struct mr_bv_shape){.outdegree = {MR_CODE_GAMMA, 0},
                                                     .reference = {MR_CODE_UNARY, 0},
                                                     .block_count = {MR_CODE_GAMMA, 0},
                                                     .block = {MR_CODE_GAMMA, 0},
                                                     .interval = {MR_CODE_GAMMA, 0},
                                                     .residual = {MR_CODE_ZETA, 3}},
                         err);
    }
    return take_list(lists, node, start, degree, from, to, lists->bits.little, lists->shape, err);
}

/* Takes the outdegree and the reference of `node`. */
static enum mr_status take_head(struct mr_bv_lists *lists, uint64_t node, uint64_t start,
                                uint64_t *degree, uint64_t *reference, struct mr_error *err)
{
    const struct mr_bv_shape *shape = lists->shape;
    struct mr_bits *bits = &lists->bits;

    *reference = 0;
    *degree = lists->usual ? mr_bits_gamma(bits, false)
                           : mr_bits_code(bits, shape->outdegree, bits->little);
    if (*degree > shape->n_nodes) {
        return wrong(lists, node, start, "it has more successors than there are nodes", err);
    }
    if (*degree > 0 && shape->window > 0) {
        *reference = lists->usual ? mr_bits_unary(bits, false)
                                  : mr_bits_code(bits, shape->reference, bits->little);
        if (*reference > shape->window || *reference > node) {
            return wrong(lists, node, start, "it refers to a list outside the window", err);
        }
    }
    if (mr_bits_is_over(bits)) {
        return wrong(lists, node, start, "", err);
    }
    return MR_OK;
}

static struct bv_list *slot_of(struct mr_bv_lists *lists, uint64_t node)
{
    return &lists->ring[node % (lists->shape->window + 1)];
}

/* Decodes the list of `node`, which comes before the node where decoding began. Follows its
 * references to a list that has none, then decodes the chain from there. */
static enum mr_status resolve(struct mr_bv_lists *lists, uint64_t node, struct mr_error *err)
{
    const struct mr_bv_before *before = &lists->before;
    uint64_t chain[MR_BV_MAX_CHAIN + 1];
    const struct bv_list *from = NULL;
    size_t length = 0;
    uint64_t degree, reference = 0, at = node;
    enum mr_status status;

    do {
        if (length > lists->shape->max_references || length > MR_BV_MAX_CHAIN ||
            at < before->first || at - before->first >= before->n) {
            return wrong(lists, node, 0, "references form a chain longer than maxrefcount", err);
        }
        chain[length++] = at;
        const uint64_t start = before->offsets[at - before->first];
        mr_bits_seek(&lists->bits, start);
        status = take_head(lists, at, start, &degree, &reference, err);
        at -= reference;
    } while (status == MR_OK && reference > 0);
    while (status == MR_OK && length > 0) {
        at = chain[--length];
        struct bv_list *to = length == 0 ? slot_of(lists, node) : &lists->chain[length & 1];
        const uint64_t start = before->offsets[at - before->first];

        mr_bits_seek(&lists->bits, start);
        status = take_head(lists, at, start, &degree, &reference, err);
        if (status == MR_OK && degree == 0) {
            status = grow(lists, to, 1, err);
            to->n = 0;
        } else if (status == MR_OK) {
            status = take_body(lists, at, start, degree, from, to, err);
        }
        from = to;
    }
    lists->resolved[node % (lists->shape->window + 1)] = node;
    return status;
}

enum mr_status mr_bv_lists_next(struct mr_bv_lists *lists, const uint32_t **successors, size_t *n,
                                struct mr_error *err)
{
    const uint64_t node = lists->node, start = mr_bits_position(&lists->bits);
    struct bv_list *const to = slot_of(lists, node);
    const struct bv_list *from = NULL;
    uint64_t degree, reference;

    enum mr_status status = take_head(lists, node, start, &degree, &reference, err);
    if (status != MR_OK) {
        return status;
    }
    if (degree == 0) {
        /* a list that refers to it needs an array to point into */
        status = grow(lists, to, 1, err);
        to->n = 0;
    } else {
        if (reference > 0) {
            const uint64_t other = node - reference;
            if (other < lists->seek_node &&
                lists->resolved[other % (lists->shape->window + 1)] != other) {
                const uint64_t here = mr_bits_position(&lists->bits);
                status = resolve(lists, other, err);
                mr_bits_seek(&lists->bits, here);
            }
            from = slot_of(lists, other);
        }
        if (status == MR_OK) {
            status = take_body(lists, node, start, degree, from, to, err);
        }
    }
    lists->node++;
    *successors = to->items;
    *n = to->n;
    return status;
}

uint64_t mr_bv_lists_position(const struct mr_bv_lists *lists)
{
    return mr_bits_position(&lists->bits);
}

void mr_bv_lists_seek(struct mr_bv_lists *lists, uint64_t node, uint64_t position,
                      const struct mr_bv_before *before)
{
    lists->node = lists->seek_node = node;
    lists->before = before != NULL ? *before : (struct mr_bv_before){0};
    for (unsigned i = 0; i <= lists->shape->window; i++) {
        lists->resolved[i] = UINT64_MAX;
    }
    mr_bits_seek(&lists->bits, position);
}

static bool is_usual(const struct mr_bv_shape *shape)
{
    return !shape->little && shape->outdegree.kind == MR_CODE_GAMMA &&
           shape->reference.kind == MR_CODE_UNARY && shape->block_count.kind == MR_CODE_GAMMA &&
           shape->block.kind == MR_CODE_GAMMA && shape->interval.kind == MR_CODE_GAMMA &&
           shape->residual.kind == MR_CODE_ZETA && shape->residual.k == 3;
}

enum mr_status mr_bv_lists_open(const struct mr_context *context, struct mr_file *file,
                                const char *name, const struct mr_bv_shape *shape,
                                struct mr_bv_lists **out, struct mr_error *err)
{
    struct mr_bv_lists *lists = calloc(1, sizeof *lists);
    enum mr_status status = MR_OK;

    *out = lists;
    if (lists == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader");
    }
    lists->context = context;
    lists->shape = shape;
    lists->name = name;
    lists->usual = is_usual(shape);
    lists->ring = calloc((size_t)shape->window + 1, sizeof *lists->ring);
    lists->resolved = calloc((size_t)shape->window + 1, sizeof *lists->resolved);
    if (lists->ring == NULL || lists->resolved == NULL) {
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a window of %u lists",
                              shape->window);
    }
    if (status == MR_OK) {
        status = mr_bits_open(&lists->bits, context, file, shape->little, err);
    }
    if (status == MR_OK) {
        mr_bv_lists_seek(lists, 0, 0, NULL);
    }
    return status;
}

void mr_bv_lists_close(struct mr_bv_lists *lists)
{
    if (lists == NULL) {
        return;
    }
    struct mr_memory *memory = lists->context->memory;
    for (unsigned i = 0; lists->ring != NULL && i <= lists->shape->window; i++) {
        mr_memory_free(memory, lists->ring[i].items);
    }
    mr_memory_free(memory, lists->copied.items);
    mr_memory_free(memory, lists->extra.items);
    mr_memory_free(memory, lists->chain[0].items);
    mr_memory_free(memory, lists->chain[1].items);
    mr_bits_close(&lists->bits);
    free(lists->ring);
    free(lists->resolved);
    free(lists);
}
