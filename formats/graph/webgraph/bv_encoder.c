/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes successor lists for formats/graph/webgraph/bvgraph_writer.c. For each list of the window
 * it makes a plan (what to copy, what remains) and measures the bits of the plan. Only the shortest
 * plan is written. */
#include "formats/graph/webgraph/bv_encoder.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"

enum { ZETA_K = 3 };

struct coded_list {
    uint32_t *items; /* [capacity] */
    uint64_t capacity, n;
    uint64_t references; /* length of the chain of references that begins here */
};

/* A plan: how to make a list from another one, and what remains. */
struct copy_plan {
    uint32_t *blocks; /* [n_blocks]: lengths, copied and skipped in turn, without the last one */
    uint32_t *extra; /* [n_extra]: successors that are not copied */
    size_t n_blocks, n_extra;
};

struct mr_bv_encoder {
    const struct mr_context *context;
    uint64_t window, max_references;
    struct coded_list *ring; /* [window + 1] */
    struct copy_plan plans[2]; /* the best so far, and the current one */
    uint64_t capacity; /* capacity of the arrays of the plans */
    uint64_t node;
    struct mr_bit_writer writer;
};

static enum mr_status grow(struct mr_memory *memory, uint32_t **items, uint64_t n,
                           struct mr_error *err)
{
    return mr_memory_resize(memory, "lists of successors", items, 4 * n, err);
}

/* Makes room for plans over lists of up to `n` successors. */
static enum mr_status grow_plans(struct mr_bv_encoder *encoder, uint64_t n, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    const uint64_t capacity = mr_max_u64(1024, 2 * n + 2);

    if (n + 1 <= encoder->capacity) {
        return MR_OK;
    }
    for (unsigned i = 0; i < 2 && status == MR_OK; i++) {
        status = grow(encoder->context->memory, &encoder->plans[i].blocks, capacity, err);
        if (status == MR_OK) {
            status = grow(encoder->context->memory, &encoder->plans[i].extra, capacity, err);
        }
    }
    encoder->capacity = status == MR_OK ? capacity : encoder->capacity;
    return status;
}

/* Plans how to make `list` from `from`. */
static void make_plan(struct copy_plan *plan, const uint32_t *list, size_t n,
                      const struct coded_list *from)
{
    size_t i = 0, j = 0, run = 0;
    bool copying = true;

    plan->n_blocks = plan->n_extra = 0;
    while (j < from->n) {
        while (i < n && list[i] < from->items[j]) {
            plan->extra[plan->n_extra++] = list[i++];
        }
        const bool common = i < n && list[i] == from->items[j];
        if (common != copying) {
            plan->blocks[plan->n_blocks++] = (uint32_t)run;
            copying = common;
            run = 0;
        }
        run++;
        j++;
        i += common;
    }
    /* The open block goes to the end and is left out. The decoder copies the rest after an even
     * number of blocks, and skips it after an odd number. */
    while (i < n) {
        plan->extra[plan->n_extra++] = list[i++];
    }
}

/* The end of the run of consecutive numbers that begins at `at`. */
static size_t run_end(const uint32_t *items, size_t at, size_t n)
{
    size_t end = at + 1;
    while (end < n && items[end] == items[end - 1] + 1) {
        end++;
    }
    return end;
}

static size_t count_intervals(const struct copy_plan *plan, unsigned min_interval)
{
    size_t n = 0;
    for (size_t i = 0, end; i < plan->n_extra; i = end) {
        end = run_end(plan->extra, i, plan->n_extra);
        n += end - i >= min_interval;
    }
    return n;
}

/* The number of bits of everything after the reference. */
static uint64_t measure(const struct mr_bv_encoder *encoder, const struct copy_plan *plan,
                        bool refers)
{
    const int64_t node = (int64_t)encoder->node;
    const unsigned least = MR_BV_MIN_INTERVAL;
    uint64_t bits = 0, previous = 0;
    bool first = true, first_interval = true;
    size_t n_intervals = 0;

    if (refers) {
        bits += mr_bits_of_gamma(plan->n_blocks);
        for (size_t i = 0; i < plan->n_blocks; i++) {
            bits += mr_bits_of_gamma(plan->blocks[i] - (i > 0));
        }
    }
    if (plan->n_extra == 0) {
        return bits;
    }
    uint64_t interval_end = 0;
    for (size_t i = 0, end; i < plan->n_extra; i = end) {
        end = run_end(plan->extra, i, plan->n_extra);
        if (end - i >= least) {
            bits +=
                mr_bits_of_gamma(first_interval ? mr_bits_of_signed((int64_t)plan->extra[i] - node)
                                                : plan->extra[i] - interval_end - 1);
            bits += mr_bits_of_gamma(end - i - least);
            interval_end = (uint64_t)plan->extra[end - 1] + 1;
            first_interval = false;
            n_intervals++;
            continue;
        }
        for (; i < end; i++) {
            bits += mr_bits_of_zeta(first ? mr_bits_of_signed((int64_t)plan->extra[i] - node)
                                          : plan->extra[i] - previous - 1,
                                    ZETA_K);
            previous = plan->extra[i];
            first = false;
        }
    }
    return bits + mr_bits_of_gamma(n_intervals);
}

static void write_plan(struct mr_bv_encoder *encoder, const struct copy_plan *plan, bool refers)
{
    struct mr_bit_writer *writer = &encoder->writer;
    const int64_t node = (int64_t)encoder->node;
    const unsigned least = MR_BV_MIN_INTERVAL;
    uint64_t previous = 0;
    bool first = true;

    if (refers) {
        mr_bit_writer_gamma(writer, plan->n_blocks);
        for (size_t i = 0; i < plan->n_blocks; i++) {
            mr_bit_writer_gamma(writer, plan->blocks[i] - (i > 0));
        }
    }
    if (plan->n_extra == 0) {
        return;
    }
    mr_bit_writer_gamma(writer, count_intervals(plan, least));
    for (size_t i = 0, end; i < plan->n_extra; i = end) {
        end = run_end(plan->extra, i, plan->n_extra);
        if (end - i < least) {
            continue;
        }
        mr_bit_writer_gamma(writer, first ? mr_bits_of_signed((int64_t)plan->extra[i] - node)
                                          : plan->extra[i] - previous - 1);
        mr_bit_writer_gamma(writer, end - i - least);
        previous = (uint64_t)plan->extra[end - 1] + 1;
        first = false;
    }
    first = true;
    for (size_t i = 0, end; i < plan->n_extra; i = end) {
        end = run_end(plan->extra, i, plan->n_extra);
        for (size_t k = i; k < end && end - i < least; k++) {
            mr_bit_writer_zeta(writer,
                               first ? mr_bits_of_signed((int64_t)plan->extra[k] - node)
                                     : plan->extra[k] - previous - 1,
                               ZETA_K);
            previous = plan->extra[k];
            first = false;
        }
    }
}

/* Chooses the reference that gives the fewest bits; 0: none. Its plan is then plans[0]. */
static uint64_t choose(struct mr_bv_encoder *encoder, const uint32_t *successors, size_t n)
{
    const uint64_t window = encoder->window;
    static const struct coded_list nothing = {0};
    uint64_t best = 0;

    make_plan(&encoder->plans[0], successors, n, &nothing);
    /* References are in unary code: a reference of r takes r + 1 bits. */
    uint64_t least = measure(encoder, &encoder->plans[0], false) + 1;
    for (uint64_t r = 1; r <= window && r <= encoder->node; r++) {
        const struct coded_list *from = &encoder->ring[(encoder->node - r) % (window + 1)];
        if (from->n == 0 || from->references >= encoder->max_references) {
            continue;
        }
        make_plan(&encoder->plans[1], successors, n, from);
        const uint64_t bits = measure(encoder, &encoder->plans[1], true) + r + 1;
        if (bits < least) {
            const struct copy_plan plan = encoder->plans[0];
            encoder->plans[0] = encoder->plans[1];
            encoder->plans[1] = plan;
            least = bits;
            best = r;
        }
    }
    return best;
}

enum mr_status mr_bv_encoder_add(struct mr_bv_encoder *encoder, const uint32_t *successors,
                                 size_t n, uint64_t *bits, struct mr_error *err)
{
    const uint64_t window = encoder->window;
    struct coded_list *slot = &encoder->ring[encoder->node % (window + 1)];
    struct mr_bit_writer *writer = &encoder->writer;
    const uint64_t before = writer->n_bits;
    uint64_t longest = n;
    enum mr_status status = MR_OK;

    for (uint64_t i = 0; i <= window; i++) {
        longest = mr_max_u64(longest, encoder->ring[i].n);
    }
    status = grow_plans(encoder, longest, err);
    if (status == MR_OK && n > slot->capacity) {
        status = grow(encoder->context->memory, &slot->items, mr_max_u64(1024, n + n / 2), err);
        slot->capacity = status == MR_OK ? mr_max_u64(1024, n + n / 2) : slot->capacity;
    }
    if (status != MR_OK) {
        return status;
    }
    mr_bit_writer_gamma(writer, n);
    slot->references = 0;
    if (n > 0) {
        const uint64_t reference = choose(encoder, successors, n);
        mr_bit_writer_unary(writer, reference);
        write_plan(encoder, &encoder->plans[0], reference > 0);
        if (reference > 0) {
            slot->references =
                encoder->ring[(encoder->node - reference) % (window + 1)].references + 1;
        }
        memcpy(slot->items, successors, 4 * n);
    }
    slot->n = n;
    encoder->node++;
    *bits = writer->n_bits - before;
    return writer->status == MR_OK ? MR_OK
                                   : mr_error_set(err, writer->status, "%s", writer->error.message);
}

void mr_bit_writer_flush(struct mr_bit_writer *writer)
{
    if (writer->status == MR_OK) {
        writer->status =
            mr_output_write(writer->output, writer->buffer, writer->used, &writer->error);
    }
    writer->used = 0;
}

void mr_bit_writer_end(struct mr_bit_writer *writer)
{
    while (writer->n_bits % 64 != 0) {
        mr_bit_writer_put(writer, 0, 8 - writer->n_pending);
    }
    mr_bit_writer_flush(writer);
}

enum mr_status mr_bv_encoder_finish(struct mr_bv_encoder *encoder, struct mr_error *err)
{
    struct mr_bit_writer *writer = &encoder->writer;

    mr_bit_writer_end(writer);
    return writer->status == MR_OK ? MR_OK
                                   : mr_error_set(err, writer->status, "%s", writer->error.message);
}

enum mr_status mr_bv_encoder_create(const struct mr_context *context, struct mr_output *output,
                                    uint64_t window, uint64_t max_references,
                                    struct mr_bv_encoder **out, struct mr_error *err)
{
    struct mr_bv_encoder *encoder = calloc(1, sizeof *encoder);

    *out = NULL;
    if (encoder != NULL) {
        encoder->context = context;
        encoder->writer.output = output;
        encoder->window = window;
        encoder->max_references = max_references;
        encoder->ring = calloc(window + 1, sizeof *encoder->ring);
    }
    if (encoder == NULL || encoder->ring == NULL) {
        free(encoder);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for an encoder");
    }
    *out = encoder;
    return MR_OK;
}

void mr_bv_encoder_destroy(struct mr_bv_encoder *encoder)
{
    if (encoder == NULL) {
        return;
    }
    struct mr_memory *memory = encoder->context->memory;
    for (uint64_t i = 0; i <= encoder->window; i++) {
        mr_memory_free(memory, encoder->ring[i].items);
    }
    for (unsigned i = 0; i < 2; i++) {
        mr_memory_free(memory, encoder->plans[i].blocks);
        mr_memory_free(memory, encoder->plans[i].extra);
    }
    free(encoder->ring);
    free(encoder);
}
