/* SPDX-License-Identifier: Apache-2.0 */
/* A synthetic social network with the size and shape of SNAP's soc-LiveJournal1: 4,847,571 vertices
 * and 68,993,773 different directed edges. 518,382 of them are self-loops, and 74.8% of the others
 * are reciprocated. In- and out-degrees have tails like the published ones (docs/generators.md).
 *
 * A friendship is a pair of edges; every other edge has one direction. Edges are drawn by the
 * weights of vertices. No edge appears twice, because a rule gives each pair of vertices to one of
 * the two, either as a friendship or as a one-way edge. Deterministic in integer arithmetic, the
 * same on any number of threads. Sources of the figures:
 * snap.stanford.edu/data/soc-LiveJournal1.html, and konect.cc/networks/soc-LiveJournal1.
 *
 * The file makes the edges of any unit of ranks, without the units before, in no order, about 0.25
 * us per edge on one core. Vertices are ranked by weight, rank 0 is the heaviest; ids are the
 * scrambled ranks.
 *
 *     ranks   0 ............................... n_active ......... n
 *             begin friendships and one-way     only followed, by
 *             edges, are chosen by weight       one vertex each
 *
 * A hash of each pair {a, b} of active ranks says which of the two owns it, and whether it is for
 * friendship or for a one-way edge. So no edge can appear twice, whatever partners the owners draw.
 * The number of edges of each kind that a rank begins is a difference of rounded cumulative
 * weights, so these numbers add up exactly. */
#include "generators/generate.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/random.h"
#include "engine/base/sort.h"

/* Figures of the full-size network. */
/* 74.8% of the edges that are no loops, in pairs */
#define N_FRIENDSHIPS         ((uint64_t)25609796)
#define N_ONE_WAY             ((uint64_t)MR_SOCIAL_EDGES - MR_SOCIAL_SELF_LOOPS - 2 * N_FRIENDSHIPS)
#define ONLY_FOLLOWED_IN_1000 111u

/* The weight of rank n >> k, roughly proportional to the degree. Between these ranks it is linear
 * in the rank. */
enum { N_OCTAVES = 23 };
static const uint32_t octave_weight[N_OCTAVES + 1] = {
    1,    9,    27,   58,   95,   146,   218,   322,   470,   690,   1010,  1480,
    2150, 3100, 4400, 6200, 8700, 11800, 15200, 18700, 22000, 25000, 27500, 30000};

enum {
    WEIGHT_SCALE = 1024, /* multiplies all weights */
    GUIDE_BITS = 20,
    UNIT_EDGES = 32768, /* approximately; the edges of a vertex stay in one unit */
    LIST_MAX = 1 << 16, /* edges of one rank; the heaviest rank begins fewer than 10,000 */
    SCRAMBLE_ROUNDS = 4
};
#define FRIEND_PAIRS MR_SHARE(0.6)

enum what { ABOUT_PAIR = 1, ABOUT_FRIEND, ABOUT_FOLLOWING, ABOUT_SCRAMBLE };

struct mr_social {
    const struct mr_context *context;
    uint64_t key;
    uint32_t n, n_active;
    uint64_t n_self_loops, n_friendships, n_one_way;
    /* one-way edges drawn by weight; the other ones are one for each lonely rank */
    uint64_t n_following;
    uint64_t n_units;
    uint64_t *cumulative; /* [n_active + 1]: the sum of the weights before each rank */
    /* [2^GUIDE_BITS + 1]: the last rank at or before k / 2^20 of the whole weight */
    uint32_t *guide;
    unsigned bits; /* ids are scrambled on 2^bits >= n */
    uint64_t factor[SCRAMBLE_ROUNDS], addend[SCRAMBLE_ROUNDS];
};

struct social_scratch {
    uint32_t targets[LIST_MAX], room[LIST_MAX];
};

static uint64_t part(uint64_t whole, uint64_t numerator, uint64_t denominator)
{
    return (uint64_t)((unsigned __int128)whole * numerator / denominator);
}

/* ---- Weights ---- */

static uint64_t weight_of(const struct mr_social *social, uint32_t rank)
{
    unsigned octave = 0;
    while (octave + 1 < N_OCTAVES && rank < social->n >> (octave + 1)) {
        octave++;
    }
    uint64_t high = social->n >> octave, low = social->n >> (octave + 1);
    uint64_t heavy = octave_weight[octave + 1], light = octave_weight[octave];
    if (high == low || rank < low) {
        return heavy * WEIGHT_SCALE;
    }
    return heavy * WEIGHT_SCALE - (heavy - light) * WEIGHT_SCALE * (rank - low) / (high - low);
}

/* The number of the `whole` things that rank `rank` gets; `*first` is the number of its first
 * one. */
static uint64_t share_of(const struct mr_social *social, uint64_t whole, uint32_t rank,
                         uint64_t *first)
{
    uint64_t all = social->cumulative[social->n_active];
    *first = part(whole, social->cumulative[rank], all);
    return part(whole, social->cumulative[rank + 1], all) - *first;
}

/* Counts the ranks that begin no friendship. Each of them begins one more one-way edge, so that it
 * begins something. */
static uint64_t count_lonely(const struct mr_social *social)
{
    uint64_t n_lonely = 0, first;
    for (uint32_t rank = 0; rank < social->n_active; rank++) {
        n_lonely += share_of(social, social->n_friendships, rank, &first) == 0;
    }
    return n_lonely;
}

static void make_guide(struct mr_social *social)
{
    uint64_t all = social->cumulative[social->n_active];
    uint32_t rank = 0;
    for (uint64_t k = 0; k <= 1u << GUIDE_BITS; k++) {
        uint64_t at = part(all, k, 1u << GUIDE_BITS);
        while (rank + 1 < social->n_active && social->cumulative[rank + 1] <= at) {
            rank++;
        }
        social->guide[k] = rank;
    }
}

/* Draws a rank with a probability proportional to its weight. */
static uint32_t draw_rank(const struct mr_social *social, uint64_t random)
{
    uint64_t all = social->cumulative[social->n_active];
    uint64_t at = (uint64_t)((unsigned __int128)all * random >> 64);
    uint32_t low = social->guide[random >> (64 - GUIDE_BITS)];
    uint32_t high = social->guide[(random >> (64 - GUIDE_BITS)) + 1] + 1;
    MR_FIND_LAST(low, high, middle, social->cumulative[middle] <= at);
    return low;
}

/* ---- Ids ---- */

static void make_scramble(struct mr_social *social)
{
    while ((uint64_t)1 << social->bits < social->n) {
        social->bits++;
    }
    for (unsigned i = 0; i < SCRAMBLE_ROUNDS; i++) {
        social->factor[i] = mr_random_at(social->key, ABOUT_SCRAMBLE, 2 * i) | 1;
        social->addend[i] = mr_random_at(social->key, ABOUT_SCRAMBLE, 2 * i + 1);
    }
}

/* Applies a bijection of [0, 2^bits) until the result is below n; this is a bijection of [0, n). */
static uint32_t id_of(const struct mr_social *social, uint32_t rank)
{
    uint64_t mask = ((uint64_t)1 << social->bits) - 1, x = rank;
    do {
        for (unsigned i = 0; i < SCRAMBLE_ROUNDS; i++) {
            x = (x * social->factor[i] + social->addend[i]) & mask;
            x ^= x >> (social->bits + 1) / 2;
        }
    } while (x >= social->n);
    return (uint32_t)x;
}

/* ---- All of it ---- */

static enum mr_status make_weights(struct mr_social *social, struct mr_error *err)
{
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("weights of vertices", (uint64_t)social->n_active + 1, &social->cumulative),
        MR_WANTED("weights of vertices", (1u << GUIDE_BITS) + 1, &social->guide),
    };
    const enum mr_status status = mr_memory_arrays(social->context->memory, arrays, err);
    if (status != MR_OK) {
        return status;
    }
    for (uint32_t rank = 0; rank < social->n_active; rank++) {
        social->cumulative[rank + 1] = social->cumulative[rank] + weight_of(social, rank);
    }
    make_guide(social);
    return MR_OK;
}

static void close_social(void *model)
{
    struct mr_social *social = model;
    mr_memory_free(social->context->memory, social->guide);
    mr_memory_free(social->context->memory, social->cumulative);
    free(social);
}

/* ---- Edges ---- */

/* True if `owner` may begin an edge of this kind to `other`. */
static bool may_begin(const struct mr_social *social, uint32_t owner, uint32_t other,
                      bool friendship)
{
    uint32_t least = owner < other ? owner : other, most = owner < other ? other : owner;
    uint64_t hash = mr_random_at(social->key, ABOUT_PAIR, (uint64_t)most << 32 | least);
    bool least_owns = (hash >> 63) != 0;
    return owner != other && least_owns == (owner == least) &&
           mr_random_chance(hash, FRIEND_PAIRS) == friendship;
}

/* Draws `n` different partners of `rank`; returns a pointer into `scratch`. Removes repeated
 * partners and draws again until there are enough. */
static const uint32_t *draw_partners(const struct mr_social *social, uint32_t rank, uint64_t n,
                                     bool friendship, struct social_scratch *scratch)
{
    unsigned what = friendship ? ABOUT_FRIEND : ABOUT_FOLLOWING;
    uint64_t attempt = 0;
    size_t n_found = 0;

    assert(n <= LIST_MAX);
    while (n_found < n) {
        while (n_found < n) {
            uint64_t index = (uint64_t)rank << 32 | attempt++;
            uint32_t other = draw_rank(social, mr_random_at(social->key, what, index));
            if (may_begin(social, rank, other, friendship)) {
                scratch->targets[n_found++] = other;
            }
        }
        const uint32_t *sorted = mr_sort_u32(scratch->targets, scratch->room, n_found);
        if (sorted == scratch->targets) {
            n_found = mr_unique_u32(sorted, n_found, scratch->room);
            memcpy(scratch->targets, scratch->room, n_found * sizeof *scratch->room);
        } else {
            n_found = mr_unique_u32(sorted, n_found, scratch->targets);
        }
    }
    return scratch->targets;
}

static void add_edge(const struct mr_social *social, uint32_t source, uint32_t target,
                     struct mr_edge_list *list)
{
    list->edges[list->n_edges++] = (struct mr_edge){id_of(social, source), id_of(social, target)};
}

static void add_friends(const struct mr_social *social, uint32_t rank, uint64_t n,
                        struct social_scratch *scratch, struct mr_edge_list *list)
{
    const uint32_t *partners = draw_partners(social, rank, n, true, scratch);
    for (uint64_t i = 0; i < n; i++) {
        add_edge(social, rank, partners[i], list);
        add_edge(social, partners[i], rank, list);
    }
}

/* One-way edges by weight are numbered through all ranks. Every `step`-th of them goes to a vertex
 * that is only followed, until each such vertex has one. */
static void add_following(const struct mr_social *social, uint32_t rank, uint64_t first,
                          uint64_t n_by_weight, uint64_t n, struct social_scratch *scratch,
                          struct mr_edge_list *list)
{
    uint64_t n_followed = social->n - social->n_active, n_drawn = n;
    uint64_t step = n_followed > 0 ? social->n_following / n_followed : 1;
    for (uint64_t i = 0; i < n_by_weight; i++) {
        uint64_t number = first + i;
        if (number % step == 0 && number / step < n_followed) {
            add_edge(social, rank, social->n_active + (uint32_t)(number / step), list);
            n_drawn--;
        }
    }
    const uint32_t *partners = draw_partners(social, rank, n_drawn, false, scratch);
    for (uint64_t i = 0; i < n_drawn; i++) {
        add_edge(social, rank, partners[i], list);
    }
}

static enum mr_status add_rank(const struct mr_social *social, uint32_t rank,
                               struct social_scratch *scratch, struct mr_edge_list *list,
                               struct mr_error *err)
{
    uint64_t ignored, first;
    uint64_t n_friends = share_of(social, social->n_friendships, rank, &ignored);
    uint64_t n_by_weight = share_of(social, social->n_following, rank, &first);
    uint64_t n_one_way = n_by_weight + (n_friends == 0);
    enum mr_status status = mr_edge_list_reserve(list, 2 * n_friends + n_one_way, err);
    if (status == MR_OK) {
        add_friends(social, rank, n_friends, scratch, list);
        add_following(social, rank, first, n_by_weight, n_one_way, scratch, list);
    }
    return status;
}

/* The first rank of a unit. All units have about the same weight. */
static uint32_t unit_begin(const struct mr_social *social, uint64_t unit)
{
    uint64_t at = part(social->cumulative[social->n_active], unit, social->n_units);
    uint32_t low = 0, high = social->n_active; /* the first rank with cumulative >= at */
    MR_FIND_FIRST(low, high, middle, social->cumulative[middle] < at);
    return low;
}

/* Adds the unit's self-loops, which are spread evenly over the ids. */
static enum mr_status add_self_loops(const struct mr_social *social, uint64_t unit,
                                     struct mr_edge_list *list, struct mr_error *err)
{
    uint64_t first = part(social->n_self_loops, unit, social->n_units);
    uint64_t end = part(social->n_self_loops, unit + 1, social->n_units);
    enum mr_status status = mr_edge_list_reserve(list, end - first, err);
    for (uint64_t i = first; status == MR_OK && i < end; i++) {
        uint32_t id = (uint32_t)part(social->n, i, social->n_self_loops);
        list->edges[list->n_edges++] = (struct mr_edge){id, id};
    }
    return status;
}

static enum mr_status make_unit(const void *model, uint64_t unit, void *scratch,
                                struct mr_edge_list *list, struct mr_error *err)
{
    const struct mr_social *social = model;
    uint32_t end = unit + 1 == social->n_units ? social->n_active : unit_begin(social, unit + 1);
    enum mr_status status = add_self_loops(social, unit, list, err);
    for (uint32_t rank = unit_begin(social, unit); status == MR_OK && rank < end; rank++) {
        status = add_rank(social, rank, scratch, list, err);
    }
    return status;
}

enum mr_status mr_social_open(const struct mr_context *context,
                              const struct mr_generator_options *options, struct mr_generator *out,
                              struct mr_error *err)
{
    const uint64_t n = options->n_vertices != 0 ? options->n_vertices : MR_SOCIAL_VERTICES;

    *out = (struct mr_generator){0};
    if (n < 1000 || n > MR_SOCIAL_VERTICES) {
        return mr_error_set(err, MR_ERROR_USAGE, "this network has 1000 to %u vertices",
                            MR_SOCIAL_VERTICES);
    }
    struct mr_social *social = calloc(1, sizeof *social);
    if (social == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a generator");
    }
    social->context = context;
    social->key = mr_random_mix(options->seed + MR_RANDOM_GOLDEN);
    social->n = (uint32_t)n;
    social->n_active = social->n - (uint32_t)(n * ONLY_FOLLOWED_IN_1000 / 1000);
    social->n_self_loops = part(MR_SOCIAL_SELF_LOOPS, n, MR_SOCIAL_VERTICES);
    social->n_friendships = part(N_FRIENDSHIPS, n, MR_SOCIAL_VERTICES);
    social->n_one_way = part(N_ONE_WAY, n, MR_SOCIAL_VERTICES);
    social->n_units = mr_div_up(2 * social->n_friendships + social->n_one_way, UNIT_EDGES);
    *out = (struct mr_generator){.n_units = social->n_units,
                                 .n_vertices = n,
                                 .n_edges = social->n_self_loops + 2 * social->n_friendships +
                                            social->n_one_way,
                                 .model = social,
                                 .scratch_bytes = sizeof(struct social_scratch),
                                 .make = make_unit,
                                 .close = close_social};
    make_scramble(social);
    const enum mr_status status = make_weights(social, err);
    if (status == MR_OK) {
        social->n_following = social->n_one_way - count_lonely(social);
        assert(social->n_following < social->n_one_way &&
               social->n_following / 2 > n - social->n_active);
    }
    return status;
}
