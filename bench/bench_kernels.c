/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the kernels of the pass on values and accumulators that are in L2: scatter alone,
 * decoding and scattering as in the pass, and the sum of two accumulators. */
#include <stdio.h>

#include "bench/shim.h"
#include "bench/streams.h"
#include "engine/base/memory.h"
#include "engine/tile/key_kernels.h"

struct shape {
    unsigned band_bits, stripe_bits;
};

/* The range that the builder uses, from the smallest tile to the widest band. */
static const struct shape shapes[] = {{14, 14}, {16, 16}, {18, 14}, {20, 12}};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0], N_VALUES = 3, N_STREAMS = 2 };

static const enum bench_kind kinds[N_STREAMS] = {BENCH_WEB, BENCH_KRON};
static const char *const value_names[N_VALUES] = {"float", "double", "u64"};

struct scatter {
    const struct bench_stream *stream;
    struct mr_memory *memory;
    enum mr_value value;
    bool decoding;
};

struct addition {
    struct mr_memory *memory;
    uint64_t n;
};

/* Values and accumulator in the shape of a stream. The engine's allocator puts large arrays on huge
 * pages. All values are zero, because adding takes the same time for all values. */
struct arrays {
    void *x, *accumulator;
};

static bool arrays_make(const struct bench_stream *stream, struct mr_memory *memory,
                        struct arrays *arrays)
{
    return mr_memory_alloc(memory, "x", (uint64_t)8 << stream->stripe_bits, &arrays->x, NULL) ==
               MR_OK &&
           mr_memory_alloc(memory, "accumulator", (uint64_t)8 << stream->band_bits,
                           &arrays->accumulator, NULL) == MR_OK;
}

static void scatter_tile(const struct scatter *scatter, size_t tile,
                         const struct mr_kernel_shape *shape, const struct arrays *arrays)
{
    const struct bench_stream *stream = scatter->stream;
    const struct mr_key_kernels *kernels = mr_key_kernels_best();
    const size_t first_key = tile == 0 ? 0 : stream->key_ends[tile - 1];
    const size_t n_keys = stream->key_ends[tile] - first_key;

    if (scatter->decoding) {
        const uint8_t *in = stream->bytes + (tile == 0 ? 0 : stream->byte_ends[tile - 1]);

        (void)kernels->add_stream[scatter->value](shape, in,
                                                  stream->bytes + stream->byte_ends[tile], n_keys,
                                                  arrays->x, arrays->accumulator);
    } else {
        kernels->add_keys[scatter->value](shape, stream->keys + first_key, n_keys, arrays->x,
                                          arrays->accumulator);
    }
}

static void run_scatter(struct bench_state *state, const void *data)
{
    const struct scatter *scatter = data;
    const struct bench_stream *stream = scatter->stream;
    const struct mr_kernel_shape shape = {
        .band_bits = stream->band_bits,
        .target_mask = ((uint32_t)1 << stream->band_bits) - 1,
        .source_mask = ((uint32_t)1 << stream->stripe_bits) - 1,
    };
    struct arrays arrays = {0};

    if (!arrays_make(stream, scatter->memory, &arrays)) {
        bench_fail(state, "out of memory");
    }
    while (bench_next(state)) {
        for (size_t tile = 0; tile < stream->n_tiles; tile++) {
            scatter_tile(scatter, tile, &shape, &arrays);
        }
        bench_keep(arrays.accumulator);
    }
    bench_set_items(state, stream->n_keys);
    bench_set_bytes(state, scatter->decoding ? stream->n_bytes : 4 * stream->n_keys);
    mr_memory_free(scatter->memory, arrays.x);
    mr_memory_free(scatter->memory, arrays.accumulator);
}

/* Two accumulators of a band, as its segments leave them. */
static void run_add(struct bench_state *state, const void *data)
{
    const struct addition *addition = data;
    const uint64_t bytes = addition->n * MR_ACCUMULATOR_BYTES;
    void *a = NULL, *b = NULL;

    if (mr_memory_alloc(addition->memory, "accumulator", bytes, &a, NULL) != MR_OK ||
        mr_memory_alloc(addition->memory, "accumulator", bytes, &b, NULL) != MR_OK) {
        bench_fail(state, "out of memory");
    }
    while (bench_next(state)) {
        mr_kernel_add(MR_VALUE_DOUBLE, a, b, a, addition->n);
        bench_keep(a);
    }
    bench_set_items(state, addition->n);
    bench_set_bytes(state, 3 * bytes);
    mr_memory_free(addition->memory, a);
    mr_memory_free(addition->memory, b);
}

static void add_shape(struct mr_memory *memory, const struct bench_stream *stream,
                      struct scatter scatters[2][N_VALUES])
{
    char name[64];

    for (unsigned i = 0; i < 2 * N_VALUES; i++) {
        const unsigned decoding = i / N_VALUES, value = i % N_VALUES;
        struct scatter *scatter = &scatters[decoding][value];

        *scatter = (struct scatter){.stream = stream,
                                    .memory = memory,
                                    .value = (enum mr_value)value,
                                    .decoding = decoding == 1};
        (void)snprintf(name, sizeof name, "%s/%s/%u+%u/%s",
                       decoding == 1 ? "decode+scatter" : "scatter", stream->name,
                       stream->band_bits, stream->stripe_bits, value_names[value]);
        bench_register(name, run_scatter, scatter);
    }
}

int main(int argc, char **argv)
{
    static struct bench_stream streams[N_STREAMS][N_SHAPES];
    static struct scatter scatters[N_STREAMS][N_SHAPES][2][N_VALUES];
    static struct addition additions[N_SHAPES];
    struct mr_memory *memory = NULL;
    char name[64];

    if (mr_memory_create(UINT64_MAX, &memory, NULL) != MR_OK) {
        return 1;
    }
    for (unsigned i = 0; i < N_STREAMS * N_SHAPES; i++) {
        const unsigned kind = i / N_SHAPES, shape = i % N_SHAPES;

        streams[kind][shape] =
            bench_stream_make(kinds[kind], shapes[shape].band_bits, shapes[shape].stripe_bits);
        add_shape(memory, &streams[kind][shape], scatters[kind][shape]);
    }
    for (unsigned shape = 0; shape < N_SHAPES; shape++) {
        additions[shape].memory = memory;
        additions[shape].n = (uint64_t)1 << shapes[shape].band_bits;
        (void)snprintf(name, sizeof name, "add/%u", shapes[shape].band_bits);
        bench_register(name, run_add, &additions[shape]);
    }
    int result = bench_run(argc, argv, "item");
    for (unsigned i = 0; i < N_STREAMS * N_SHAPES; i++) {
        bench_stream_free(&streams[i / N_SHAPES][i % N_SHAPES]);
    }
    mr_memory_destroy(memory);
    return result;
}
