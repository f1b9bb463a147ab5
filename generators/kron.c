/* SPDX-License-Identifier: Apache-2.0 */
/* Kronecker (R-MAT) graphs as Graph500 and GAP define them: the standard synthetic benchmark.
 *
 * A graph has 2^scale vertices and edge_factor * 2^scale edges. Each edge chooses one quadrant per
 * bit with probabilities 0.57, 0.19, 0.19, 0.05. A fixed bijection that depends on the seed
 * scrambles vertex ids. Every edge is a function of (seed, its number), so the graph is the same on
 * any number of threads. Source: Chakrabarti, Zhan, Faloutsos 2004; Graph500 specification 2.0, GAP
 * benchmark suite.
 *
 * `millrace generate` and the benchmarks use it. Four levels of the recursion take one random draw.
 *
 * An edge is `scale` independent choices among four quadrants. Four choices together have 256
 * outcomes. An alias table (Walker 1974, Vose 1991) turns one 32-bit random number into one of
 * them: 8 bits pick a cell, 24 bits decide between the cell's own outcome and its alias. The
 * probabilities are integers out of 2^32, computed without floating point. Each is within 2^-32 of
 * its true value, so that of a quadrant is within 2^-25. If fewer than four levels are left, they
 * use the first choices of another draw.
 *
 * Random numbers are splitmix64 by counter (random.h): word j of edge e is mr_random_mix(mix(seed)
 * + (4 e + j + 1) * golden). */
#include "generators/generate.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/base/bytes.h"
#include "engine/base/random.h"

#define GOLDEN     MR_RANDOM_GOLDEN
#define EDGE_WORDS 4u /* 64-bit words per edge: eight draws of four levels suffice for scale 32 */
#define MAX_SCALE  31u
#define MAX_EDGES  ((uint64_t)1 << 48)
#define N_OUTCOMES 256u
#define UNIT_EDGES ((uint64_t)16 << 10)

/* Rounds of scrambling. After three rounds every bit of the result depends on every bit of the
 * id. */
#define SCRAMBLE_ROUNDS 4u

/* A cell. If the draw's upper 24 bits are below `limit`, they choose the outcome own, otherwise
 * alias. */
struct cell {
    uint32_t limit;
    uint32_t pair; /* own << 8 | alias */
};

struct generator {
    struct cell cells[N_OUTCOMES];
    uint64_t key;
    unsigned scale;
    bool scrambled;
    uint64_t mask; /* of `scale` bits */
    unsigned shift;
    uint64_t factor[SCRAMBLE_ROUNDS]; /* odd */
    uint64_t addend[SCRAMBLE_ROUNDS];
    uint64_t n_edges; /* of the graph */
};

/* The weights of all outcomes. Outcome s << 4 | t has four source bits s and four target bits t;
 * the first choice is the highest bit. The weights add up to 2^32, because each is the difference
 * of two rounded cumulative sums. */
static void outcome_weights(uint64_t weight[N_OUTCOMES])
{
    static const uint64_t percent[4] = {57, 19, 19, 5}; /* source bit << 1 | target bit */
    const uint64_t whole = 100000000; /* 100^4 */
    uint64_t sum = 0, before = 0;

    for (unsigned outcome = 0; outcome < N_OUTCOMES; outcome++) {
        uint64_t product = 1;

        for (unsigned level = 0; level < 4; level++) {
            product *= percent[((outcome >> (4 + level)) & 1) << 1 | ((outcome >> level) & 1)];
        }
        sum += product;
        uint64_t rounded = ((sum << 32) + whole / 2) / whole; /* sum <= 10^8: below 2^59 */
        weight[outcome] = rounded - before;
        before = rounded;
    }
}

/* Vose's construction in integers. Cells hold 2^24 each, so this step rounds nothing. */
static void make_cells(struct cell cells[N_OUTCOMES])
{
    const uint64_t full = (uint64_t)1 << 24;
    uint64_t weight[N_OUTCOMES];
    unsigned small[N_OUTCOMES], large[N_OUTCOMES], n_small = 0, n_large = 0;

    outcome_weights(weight);
    for (unsigned i = 0; i < N_OUTCOMES; i++) {
        if (weight[i] < full) {
            small[n_small++] = i;
        } else {
            large[n_large++] = i;
        }
    }
    while (n_small > 0) {
        /* the cells that lack weight lack exactly what the others have in excess */
        assert(n_large > 0);
        unsigned poor = small[--n_small], rich = large[n_large - 1];

        cells[poor] = (struct cell){(uint32_t)weight[poor], poor << 8 | rich};
        weight[rich] -= full - weight[poor];
        if (weight[rich] < full) {
            n_large--;
            small[n_small++] = rich;
        }
    }
    while (n_large > 0) {
        unsigned rich = large[--n_large];

        assert(weight[rich] == full);
        cells[rich] = (struct cell){(uint32_t)full, rich << 8 | rich};
    }
}

static void make_generator(const struct mr_generator_options *options, struct generator *generator)
{
    uint64_t key = mr_random_mix(options->seed + GOLDEN);

    assert(options->scale >= 1 && options->scale <= MAX_SCALE);
    make_cells(generator->cells);
    generator->key = key;
    generator->scale = options->scale;
    generator->scrambled = !options->keep_order;
    generator->mask = ((uint64_t)1 << options->scale) - 1;
    generator->shift = (options->scale + 1) / 2;
    for (unsigned i = 0; i < SCRAMBLE_ROUNDS; i++) {
        generator->factor[i] = mr_random_mix(~key + (2 * i + 1) * GOLDEN) | 1;
        generator->addend[i] = mr_random_mix(~key + (2 * i + 2) * GOLDEN);
    }
}

/* A bijection on `scale` bits. Multiplying by an odd number and adding are bijections modulo
 * 2^scale and carry upwards; x ^ (x >> shift) is a bijection and carries downwards. */
static inline uint64_t scramble(const struct generator *generator, uint64_t x)
{
    for (unsigned i = 0; i < SCRAMBLE_ROUNDS; i++) {
        x = (x * generator->factor[i] + generator->addend[i]) & generator->mask;
        x ^= x >> generator->shift;
    }
    return x;
}

/* Chooses between own and alias with a shift, because a branch would be mispredicted (42 instead of
 * 26 ns per edge). */
static inline uint32_t choose(const struct cell cells[N_OUTCOMES], uint32_t draw)
{
    struct cell cell = cells[draw % N_OUTCOMES];
    uint32_t is_own = ((draw >> 8) - cell.limit) >> 31; /* both are at most 2^24 */

    return cell.pair >> (is_own << 3) & 255;
}

static struct mr_edge make_edge(const struct generator *generator, uint64_t number)
{
    uint64_t counter = generator->key + number * EDGE_WORDS * GOLDEN;
    uint64_t source = 0, target = 0, word = 0;
    unsigned left = generator->scale;

    for (unsigned draw = 0; left >= 4; draw++, left -= 4) {
        if (draw % 2 == 0) {
            word = mr_random_mix(counter += GOLDEN);
        } else {
            word >>= 32;
        }
        uint32_t outcome = choose(generator->cells, (uint32_t)word);
        source = source << 4 | outcome >> 4;
        target = target << 4 | (outcome & 15);
    }
    if (left > 0) {
        word = generator->scale / 4 % 2 == 0 ? mr_random_mix(counter + GOLDEN) : word >> 32;
        uint32_t outcome = choose(generator->cells, (uint32_t)word);
        source = source << left | outcome >> (8 - left);
        target = target << left | (outcome & 15) >> (4 - left);
    }
    if (generator->scrambled) {
        source = scramble(generator, source);
        target = scramble(generator, target);
    }
    return (struct mr_edge){source, target};
}

static void make_edges(const struct generator *generator, uint64_t first, uint64_t count,
                       struct mr_edge *edges)
{
    for (uint64_t i = 0; i < count; i++) {
        edges[i] = make_edge(generator, first + i);
    }
}

void mr_kron_edges(const struct mr_generator_options *options, uint64_t first, uint64_t count,
                   struct mr_edge *edges)
{
    struct generator generator;

    make_generator(options, &generator);
    make_edges(&generator, first, count, edges);
}

uint32_t mr_kron_vertex(const struct mr_generator_options *options, uint32_t vertex)
{
    struct generator generator;

    make_generator(options, &generator);
    return generator.scrambled ? (uint32_t)scramble(&generator, vertex) : vertex;
}

static enum mr_status count_edges(const struct mr_generator_options *options, uint64_t *n_edges,
                                  struct mr_error *err)
{
    if (options->scale < 1 || options->scale > MAX_SCALE) {
        return mr_error_set(err, MR_ERROR_USAGE, "the scale of a Kronecker graph is 1 to %u",
                            MAX_SCALE);
    }
    if (mr_mul_overflows(options->edge_factor, (uint64_t)1 << options->scale, n_edges) ||
        *n_edges > MAX_EDGES) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "a graph has at most 2^48 edges; choose a smaller edge factor");
    }
    return MR_OK;
}

static enum mr_status make_unit(const void *model, uint64_t unit, void *scratch,
                                struct mr_edge_list *list, struct mr_error *err)
{
    const struct generator *kron = model;
    uint64_t first = unit * UNIT_EDGES, count = mr_min_u64(UNIT_EDGES, kron->n_edges - first);
    (void)scratch;
    enum mr_status status = mr_edge_list_reserve(list, count, err);
    if (status == MR_OK) {
        make_edges(kron, first, count, list->edges);
        list->n_edges = count;
    }
    return status;
}

enum mr_status mr_kron_open(const struct mr_context *context,
                            const struct mr_generator_options *options, struct mr_generator *out,
                            struct mr_error *err)
{
    uint64_t n_edges = 0;

    (void)context;
    *out = (struct mr_generator){0};
    const enum mr_status status = count_edges(options, &n_edges, err);
    if (status != MR_OK) {
        return status;
    }
    struct generator *kron = calloc(1, sizeof *kron);
    if (kron == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a generator");
    }
    make_generator(options, kron);
    kron->n_edges = n_edges;
    *out = (struct mr_generator){.n_units = mr_div_up(n_edges, UNIT_EDGES),
                                 .n_vertices = (uint64_t)1 << options->scale,
                                 .n_edges = n_edges,
                                 .model = kron,
                                 .make = make_unit,
                                 .close = free};
    return MR_OK;
}
