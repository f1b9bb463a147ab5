/* SPDX-License-Identifier: Apache-2.0 */
/* Replays a crawl over a store: each step fetches the best known vertices by one of four orders,
 * and a pass over their edges finds the vertices that become known. All sums are integers, and the
 * greedy order uses the arithmetic of OPIC, so that a replay has the same bits for any threads. */
#include "algorithms/opic/replay.h"

#include <assert.h>
#include <string.h>

#include "algorithms/base/select_largest.h"
#include "algorithms/base/sum.h"
#include "algorithms/opic/opic.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/random.h"

__extension__ typedef unsigned __int128 u128;

enum flag { KNOWN = 1, FETCHED = 2, LATEST = 4 /* fetched in this step */ };

struct simulation {
    const struct mr_context *context;
    struct mr_context quiet; /* for the passes; the replay itself reports progress, by steps */
    const struct mr_store_info *info;
    const struct mr_replay_options *options;
    struct mr_pass *pass;
    uint64_t *x; /* [mr_pass_vector_length]: what each edge of a vertex carries */
    uint8_t *active; /* [mr_pass_stripes] */
    uint8_t *flags; /* [n] */
    uint32_t *known_at; /* [n]: the step in which the vertex became known, from 1 */
    uint64_t *cash; /* [n], for the greedy order */
    uint64_t *digits;
    uint64_t virtual_cash, pay, kept;
    uint64_t salt; /* for the random order */
    uint64_t n_known, n_fetched;
    uint32_t step;
    struct mr_sum importance;
    uint64_t hub; /* while a seed is searched */
};

static enum mr_status open_simulation(struct simulation *s, struct mr_store *store,
                                      struct mr_error *err)
{
    const uint64_t n = s->info->n_vertices;
    const bool greedy = s->options->order == MR_REPLAY_GREEDY;
    const struct mr_pass_options pass = {.struct_size = sizeof pass,
                                         .backend = s->options->backend,
                                         .no_pinning = s->options->no_pinning,
                                         .decode_pinned = true,
                                         .may_skip = true};
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("shares of links", mr_pass_vector_length(s->info), &s->x),
        MR_WANTED("active stripes", mr_pass_stripes(s->info), &s->active),
        MR_WANTED("flags of pages", n, &s->flags),
        MR_WANTED("steps of pages", n, &s->known_at),
        MR_WANTED("cash", greedy ? n : 0, &s->cash),
        MR_WANTED("digit counts", MR_SELECT_DIGITS, &s->digits),
    };
    const enum mr_status status = mr_memory_arrays(s->context->memory, arrays, err);
    return status == MR_OK ? mr_pass_open(&s->quiet, store, &pass, &s->pass, err) : status;
}

static void close_simulation(struct simulation *s)
{
    struct mr_memory *memory = s->context->memory;
    mr_pass_close(s->pass);
    mr_memory_free(memory, s->x);
    mr_memory_free(memory, s->active);
    mr_memory_free(memory, s->flags);
    mr_memory_free(memory, s->known_at);
    mr_memory_free(memory, s->cash);
    mr_memory_free(memory, s->digits);
}

/* ---- The next vertices ---- */

static uint64_t key_of(const void *data, uint32_t v)
{
    const struct simulation *s = data;
    uint64_t bits;
    if ((s->flags[v] & (KNOWN | FETCHED)) != KNOWN) {
        return 0;
    }
    switch (s->options->order) {
    case MR_REPLAY_RANDOM:
        return mr_random_mix(s->salt + v * MR_RANDOM_GOLDEN) | 1;
    case MR_REPLAY_BREADTH_FIRST:
        return UINT32_MAX - s->known_at[v];
    case MR_REPLAY_GREEDY:
        return s->cash[v] + 1;
    case MR_REPLAY_IMPORTANCE: /* the bits of doubles >= 0 have the order of the doubles */
        memcpy(&bits, &s->options->importance[v], sizeof bits);
        return bits + 1;
    }
    return 0;
}

static void fetch(void *data, uint32_t v)
{
    struct simulation *s = data;
    s->flags[v] |= FETCHED | LATEST;
    s->n_fetched++;
    mr_sum_add(&s->importance, s->options->importance[v]);
}

/* ---- Edges ---- */

static void clear_band(struct simulation *s, const struct mr_pass_band *band)
{
    memset(s->x + band->first_vertex, 0, band->n_vertices * sizeof *s->x);
    memset(s->active + (band->first_vertex >> s->info->stripe_bits), 0,
           (size_t)1 << (s->info->band_bits - s->info->stripe_bits));
}

static inline void put(struct simulation *s, uint32_t v, uint64_t value)
{
    s->x[v] = value;
    if (value > 0) {
        s->active[v >> s->info->stripe_bits] = 1;
    }
}

static void point_from_latest(void *data, const struct mr_pass_band *band)
{
    struct simulation *s = data;
    clear_band(s, band);
    for (uint32_t v = band->first_vertex; v < band->first_vertex + band->n_vertices; v++) {
        if ((s->flags[v] & LATEST) != 0) {
            put(s, v, 1);
            s->flags[v] &= (uint8_t)~LATEST;
        }
    }
}

static void learn(void *data, const struct mr_pass_band *band)
{
    struct simulation *s = data;
    const uint64_t *links = band->accumulator;
    uint64_t n_new = 0;
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const uint32_t v = band->first_vertex + i;
        if (links[i] > 0 && (s->flags[v] & KNOWN) == 0) {
            s->flags[v] |= KNOWN;
            s->known_at[v] = s->step + 1;
            n_new++;
        }
    }
    (void)__atomic_fetch_add(&s->n_known, n_new, __ATOMIC_RELAXED);
}

/* Every fetched vertex is visited once more; the virtual page pays the known vertices. */
static void visit(void *data, const struct mr_pass_band *band)
{
    struct simulation *s = data;
    uint64_t back = 0;
    clear_band(s, band);
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const uint32_t v = band->first_vertex + i;
        if ((s->flags[v] & FETCHED) == 0) {
            continue;
        }
        const uint64_t cash = s->cash[v], degree = band->out_degree[i];
        const uint64_t give = (uint64_t)((u128)cash * s->kept >> 63);
        const uint64_t share = degree > 0 ? give / degree : 0;
        s->cash[v] = 0;
        put(s, v, share);
        back += cash - share * degree;
    }
    (void)__atomic_fetch_add(&s->virtual_cash, back, __ATOMIC_RELAXED);
}

static void collect(void *data, const struct mr_pass_band *band)
{
    struct simulation *s = data;
    const uint64_t *sum = band->accumulator;
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const uint32_t v = band->first_vertex + i;
        s->cash[v] += sum[i] + ((s->flags[v] & KNOWN) != 0 ? s->pay : 0);
    }
}

/* Out-degree and number in one word whose largest value has the highest degree and, of equal
 * degrees, the lowest number. Bands may then come in any order. */
static void find_hub(void *data, const struct mr_pass_band *band)
{
    struct simulation *s = data;
    uint64_t best = 0;
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const uint64_t this =
            (uint64_t)band->out_degree[i] << 32 | (UINT32_MAX - band->first_vertex - i);
        best = this > best ? this : best;
    }
    uint64_t seen = __atomic_load_n(&s->hub, __ATOMIC_RELAXED);
    while (best > seen && !__atomic_compare_exchange_n(&s->hub, &seen, best, false,
                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

static enum mr_status run(struct simulation *s, bool degrees_only, mr_pass_callback callback,
                          struct mr_error *err)
{
    const struct mr_pass_task run = {.value = MR_VALUE_U64,
                                     .x = s->x,
                                     .out_degrees = degrees_only,
                                     .degrees_only = degrees_only,
                                     .active_stripes = degrees_only ? NULL : s->active,
                                     .callback = callback,
                                     .callback_data = s};
    return mr_pass_run(s->pass, &run, err);
}

/* ---- The crawl ---- */

static enum mr_status take_seeds(struct simulation *s, struct mr_error *err)
{
    const uint32_t *seeds = s->options->seeds;
    uint64_t n_seeds = s->options->n_seeds;
    uint32_t hub;

    if (n_seeds == 0) {
        const enum mr_status status = run(s, true, find_hub, err);
        if (status != MR_OK) {
            return status;
        }
        hub = UINT32_MAX - (uint32_t)s->hub;
        seeds = &hub;
        n_seeds = 1;
    }
    for (uint64_t i = 0; i < n_seeds; i++) {
        s->flags[seeds[i]] |= KNOWN;
        s->known_at[seeds[i]] = 1;
        if (s->cash != NULL) { /* the virtual page pays the seeds */
            s->cash[seeds[i]] = MR_OPIC_TOTAL / n_seeds;
            s->virtual_cash -= MR_OPIC_TOTAL / n_seeds;
        }
    }
    s->n_known = n_seeds;
    return MR_OK;
}

static enum mr_status take_step(struct simulation *s, struct mr_error *err)
{
    enum mr_status status = run(s, true, point_from_latest, err);
    if (status == MR_OK) {
        status = run(s, false, learn, err);
    }
    if (status != MR_OK || s->cash == NULL) {
        return status;
    }
    s->pay = s->virtual_cash / s->n_known;
    s->virtual_cash -= s->pay * s->n_known;
    status = run(s, true, visit, err);
    return status == MR_OK ? run(s, false, collect, err) : status;
}

static enum mr_status note_step(struct simulation *s, struct mr_replay *crawl, uint64_t *room,
                                struct mr_error *err)
{
    if (crawl->n_steps == *room) {
        const uint64_t wanted = *room == 0 ? 64 : 2 * *room;
        void *steps = crawl->steps;
        enum mr_status status = mr_memory_resize(s->context->memory, "steps of a crawl", &steps,
                                                 wanted * sizeof *crawl->steps, err);
        if (status != MR_OK) {
            return status;
        }
        crawl->steps = steps;
        *room = wanted;
    }
    crawl->steps[crawl->n_steps++] = (struct mr_replay_step){
        .fetched = s->n_fetched, .known = s->n_known, .importance = mr_sum_value(&s->importance)};
    return MR_OK;
}

static void report(const struct simulation *s)
{
    const struct mr_context *context = s->context;
    if (context->progress == NULL) {
        return;
    }
    const struct mr_progress progress = {.stage = "crawl",
                                         .done = s->n_fetched,
                                         .total = s->info->n_vertices,
                                         .unit = "pages",
                                         .error_bound = -1};
    context->progress(context->progress_data, &progress);
}

static enum mr_status crawl_on(struct simulation *s, struct mr_replay *crawl, struct mr_error *err)
{
    const struct mr_selection selection = {.n = (uint32_t)s->info->n_vertices,
                                           .wanted = s->options->budget,
                                           .key = key_of,
                                           .take = fetch,
                                           .data = s,
                                           .digits = s->digits};
    uint64_t room = 0;
    enum mr_status status = take_seeds(s, err);
    while (status == MR_OK && s->n_fetched < s->n_known) {
        s->step++;
        s->salt = mr_random_mix(s->options->seed ^ s->step);
        (void)mr_select_largest(&selection);
        status = take_step(s, err);
        if (status == MR_OK) {
            status = note_step(s, crawl, &room, err);
        }
        report(s);
    }
    return status;
}

enum mr_status mr_replay_simulate(const struct mr_context *context, struct mr_store *store,
                                  const struct mr_replay_options *options, struct mr_replay *crawl,
                                  struct mr_error *err)
{
    struct simulation s = {.context = context,
                           .info = mr_store_get_info(store),
                           .options = options,
                           .virtual_cash = MR_OPIC_TOTAL};
    assert(options->struct_size == sizeof *options && options->budget >= 1);
    *crawl = (struct mr_replay){.memory = context->memory};
    if (s.info->n_vertices == 0) {
        return MR_OK;
    }
    s.quiet = *context;
    s.quiet.progress = NULL;
    s.kept = (UINT64_C(1) << 63) - (uint64_t)(options->tax * 0x1p63);
    enum mr_status status = open_simulation(&s, store, err);
    if (status == MR_OK) {
        status = crawl_on(&s, crawl, err);
    }
    close_simulation(&s);
    if (status != MR_OK) {
        mr_replay_free(crawl);
    }
    return status;
}

void mr_replay_free(struct mr_replay *crawl)
{
    if (crawl->memory != NULL) {
        mr_memory_free(crawl->memory, crawl->steps);
    }
    *crawl = (struct mr_replay){0};
}
