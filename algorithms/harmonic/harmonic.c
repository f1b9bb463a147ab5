/* SPDX-License-Identifier: Apache-2.0 */
/* Harmonic centrality by slices (harmonic.h). A slice has k bytes for each vertex: k registers of
 * its counter, or 8 k bits of its set. One reading of the edges makes the sets of the next distance
 * of those of this one: registers by maximum, bits by union. Threads own bands of targets, so they
 * write without locks. Exact sums are integers of 128 bits, in which 1/t is rounded once: any order
 * of slices and threads gives the same bits. */
#include "algorithms/harmonic/harmonic.h"

#include <math.h>
#include <string.h>

#include <omp.h>

#include "algorithms/harmonic/internal.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/scan/edges.h"

enum { EXACT_SLICE_BYTES = 512 }; /* at the most: 4096 sources */

typedef unsigned __int128 mr_harmonic_fixed; /* in units of 2^-64 */

struct harmonic_search {
    const struct mr_context *context;
    const struct mr_store_info *info;
    const struct mr_harmonic_options *options;
    struct mr_harmonic *result;
    struct mr_edges_team *team;
    struct mr_names *names; /* NULL: positions are numbers */
    struct mr_harmonic_tally *tally; /* NULL: exact */
    /* exact sums, [n] each: of 1/d, of d, of 1 */
    mr_harmonic_fixed *inverse;
    uint64_t *distances, *reach;
    uint64_t *pairs; /* [n_pairs]: exact pairs at each distance */
    uint64_t n_pairs;
    /* the slice */
    unsigned k; /* bytes per vertex */
    uint64_t first; /* register or source that it begins with */
    unsigned used; /* registers in it */
    uint8_t *now, *next; /* [n * k] */
    uint64_t *changed, *changes; /* bits: changed at the last distance, at this one */
    uint8_t *active, *activates; /* by stripe, likewise */
    struct mr_harmonic_fall *falls; /* [3 bands for each reader]: room for settle_band; not exact */
    uint64_t distance;
    bool is_changed;
    bool is_least; /* take the least memory */
    enum mr_status status; /* the first failure of a callback without a status */
    struct mr_error error;
};

/* ---- One distance ---- */

/* Sixteen bytes at a time, in vectors that every machine of the architecture has. Ranks are below
 * 128, so signed comparisons are right, which SSE2 has. */
typedef int8_t vector __attribute__((vector_size(16)));

static inline vector load(const uint8_t *from)
{
    vector bytes;
    memcpy(&bytes, from, sizeof bytes);
    return bytes;
}

static inline void unite(const struct harmonic_search *search, uint32_t u, uint32_t v)
{
    const unsigned k = search->k;
    const bool is_exact = search->tally == NULL;
    const uint8_t *from = search->now + (uint64_t)u * k;
    uint8_t *to = search->next + (uint64_t)v * k;
    unsigned i = 0;

    for (; i + sizeof(vector) <= k; i += (unsigned)sizeof(vector)) {
        const vector a = load(from + i), b = load(to + i);
        const vector greater = (vector)(a > b);
        const vector united = is_exact ? (a | b) : ((a & greater) | (b & ~greater));
        memcpy(to + i, &united, sizeof united);
    }
    for (; i < k; i++) {
        to[i] = is_exact ? (uint8_t)(to[i] | from[i]) : to[i] > from[i] ? to[i] : from[i];
    }
}

static enum mr_status unite_pairs(void *data, const uint32_t (*pairs)[2], const float *weights,
                                  size_t n_pairs, struct mr_error *err)
{
    const struct harmonic_search *search = data;

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t u = pairs[i][0];
        if ((search->changed[u >> 6] >> (u & 63) & 1) != 0) {
            unite(search, u, pairs[i][1]);
        }
    }
    return MR_OK;
}

static void begin_unit(void *data, uint32_t first, uint32_t n)
{
    const struct harmonic_search *search = data;
    memcpy(search->next + (uint64_t)first * search->k, search->now + (uint64_t)first * search->k,
           (uint64_t)n * search->k);
}

/* By how much the value of a set falls, or in exact mode how many bits are new. Most bytes are the
 * same, so they are compared eight at a time. */
static uint64_t compare_sets(const uint8_t *old, const uint8_t *new, unsigned k, bool is_exact)
{
    uint64_t sum = 0, x, y;

    for (unsigned i = 0; i < k;) {
        const unsigned end = k - i < 8 ? k : i + 8;
        if (end == i + 8) {
            memcpy(&x, old + i, 8);
            memcpy(&y, new + i, 8);
            if (x == y) {
                i = end;
                continue;
            }
        }
        for (; i < end; i++) {
            sum += is_exact ? (uint64_t)__builtin_popcount((unsigned)(old[i] ^ new[i]))
                            : mr_harmonic_value(old[i]) - mr_harmonic_value(new[i]);
        }
    }
    return sum;
}

static void add_exactly(struct harmonic_search *search, uint64_t v, uint64_t n_new)
{
    search->reach[v] += n_new;
    if (search->distance > 0) {
        const mr_harmonic_fixed one = (mr_harmonic_fixed)1 << 64;
        search->inverse[v] += (one + search->distance / 2) / search->distance * n_new;
        search->distances[v] += search->distance * n_new;
    }
}

static void mark_change(struct harmonic_search *search, uint64_t v)
{
    search->changes[v >> 6] |= (uint64_t)1 << (v & 63);
    search->activates[v >> search->info->stripe_bits] = 1;
    __atomic_store_n(&search->is_changed, true, __ATOMIC_RELAXED);
}

/* The most vertices of a band. */
static uint64_t band_width(const struct mr_store_info *info)
{
    return mr_min_u64(info->n_vertices, (uint64_t)1 << info->band_bits);
}

/* What changed in a band, from `before` (NULL: all 0) to `after`. */
static void settle_band(struct harmonic_search *search, unsigned worker, uint32_t band,
                        const uint8_t *before, const uint8_t *after)
{
    static const uint8_t nothing[(1 << MR_HARMONIC_MOST_LOG2M) + EXACT_SLICE_BYTES];
    const uint64_t first = (uint64_t)band << search->info->band_bits;
    const uint64_t n = mr_band_vertices(search->info, band);
    const uint64_t width = band_width(search->info);
    struct mr_harmonic_fall *falls =
        search->tally == NULL ? NULL : search->falls + 3 * width * worker;
    struct mr_error err = {0};
    uint64_t n_falls = 0, n_new = 0;
    enum mr_status status = MR_OK;

    for (uint64_t i = 0; i < n; i++) {
        const uint64_t v = first + i;
        const uint8_t *old = before == NULL ? nothing : before + v * search->k;
        const uint8_t *new = after + v * search->k;
        if (memcmp(old, new, search->k) == 0) {
            continue;
        }
        mark_change(search, v);
        const uint64_t more = compare_sets(old, new, search->k, search->tally == NULL);
        if (search->tally == NULL) {
            add_exactly(search, v, more);
            n_new += more;
        } else {
            falls[n_falls++] =
                (struct mr_harmonic_fall){(uint32_t)i, (uint32_t)more, (uint32_t)(more >> 32)};
        }
    }
    if (search->tally != NULL) {
        status = mr_harmonic_tally_add(search->tally, search->distance, band, falls, n_falls,
                                       falls + width, falls + 2 * width, &err);
    } else {
        __atomic_fetch_add(&search->pairs[search->distance], n_new, __ATOMIC_RELAXED);
    }
    if (status != MR_OK) {
#pragma omp critical(mr_harmonic_failure)
        if (search->status == MR_OK) {
            search->status = status;
            search->error = err;
        }
    }
}

static void end_unit(void *data, uint32_t first, uint32_t n)
{
    struct harmonic_search *search = data;
    const uint32_t end = (uint32_t)(((uint64_t)first + n - 1) >> search->info->band_bits);

    for (uint32_t band = first >> search->info->band_bits; band <= end; band++) {
        settle_band(search, (unsigned)omp_get_thread_num(), band, search->now, search->next);
    }
}

/* Room for what comes at search->distance. */
static enum mr_status reserve(struct harmonic_search *search, struct mr_error *err)
{
    if (search->tally != NULL) {
        return mr_harmonic_tally_reserve(search->tally, search->distance, err);
    }
    if (search->distance < search->n_pairs) {
        return MR_OK;
    }
    const enum mr_status status =
        mr_memory_resize(search->context->memory, "pairs by distance", &search->pairs,
                         (2 * search->distance + 16) * sizeof(uint64_t), err);
    search->n_pairs = status == MR_OK ? 2 * search->distance + 16 : search->n_pairs;
    return status;
}

static void clear_changes(struct harmonic_search *search)
{
    memset(search->changes, 0, (search->info->n_vertices / 64 + 1) * sizeof *search->changes);
    memset(search->activates, 0, mr_edges_stripes(search->info) + 1);
    search->is_changed = false;
}

static void swap_pointers(void *a, void *b)
{
    void *pointer;
    memcpy(&pointer, a, sizeof pointer);
    memcpy(a, b, sizeof pointer);
    memcpy(b, &pointer, sizeof pointer);
}

/* After a distance: what changed is what spreads next. */
static enum mr_status turn(struct harmonic_search *search, struct mr_error *err)
{
    if (search->status != MR_OK) {
        if (err != NULL && err->status == MR_OK) {
            *err = search->error;
        }
        return search->status;
    }
    swap_pointers(&search->changed, &search->changes);
    swap_pointers(&search->active, &search->activates);
    if (search->is_changed && search->distance + 1 > search->result->n_distances) {
        search->result->n_distances = search->distance + 1;
    }
    return MR_OK;
}

static enum mr_status next_distance(struct harmonic_search *search, struct mr_error *err)
{
    const struct mr_scan scan = {.begin = begin_unit,
                                 .end = end_unit,
                                 .active_stripes = search->active,
                                 .stage = "balls",
                                 .figures = &search->result->read};
    search->distance++;
    enum mr_status status = reserve(search, err);
    if (status == MR_OK) {
        clear_changes(search);
        status = mr_edges_team_read(search->team, &scan, unite_pairs, search, err);
    }
    if (status == MR_OK) {
        status = turn(search, err);
        swap_pointers(&search->now, &search->next);
    }
    return status;
}

/* ---- A slice ---- */

/* Mixes 64 bits (Stafford's mix 13, as in splitmix64). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* A hash of 64 bits. The seed is mixed first: if it were added to x, two seeds would give
 * neighbouring runs of x mostly the same hashes. */
static uint64_t hash(uint64_t x, uint64_t seed)
{
    return mix(((x + 1) * 0x9e3779b97f4a7c15u) ^ mix(seed + 0x9e3779b97f4a7c15u));
}

/* The vertex counts: one register of its counter, or its own bit, if that is in the slice. `index`
 * is its number among the sources. */
static enum mr_status put_source(struct harmonic_search *search, uint32_t v, uint64_t index,
                                 struct mr_error *err)
{
    uint8_t *set = search->now + (uint64_t)v * search->k;
    uint32_t position = v;

    if (search->tally == NULL) {
        if (index >= search->first && index - search->first < 8ull * search->k) {
            const uint64_t bit = index - search->first;
            set[bit / 8] |= (uint8_t)(1u << (bit % 8));
        }
        return MR_OK;
    }
    const enum mr_status status =
        search->names == NULL ? MR_OK : mr_names_position(search->names, v, &position, err);
    if (status != MR_OK) {
        return status;
    }
    const uint64_t h = hash(position, search->options->seed);
    const uint64_t number = h & (((uint64_t)1 << search->options->log2m) - 1);
    const uint64_t rest = h >> search->options->log2m;
    const unsigned rank = rest == 0 ? MR_HARMONIC_MOST_RANK : 1 + (unsigned)__builtin_ctzll(rest);
    if (number >= search->first && number - search->first < search->used) {
        set[number - search->first] =
            (uint8_t)(rank < MR_HARMONIC_MOST_RANK ? rank : MR_HARMONIC_MOST_RANK);
    }
    return MR_OK;
}

static enum mr_status begin_slice(struct harmonic_search *search, struct mr_error *err)
{
    const struct mr_harmonic_options *options = search->options;
    const uint64_t n = search->info->n_vertices;

    search->distance = 0;
    memset(search->now, 0, n * search->k);
    clear_changes(search);
    enum mr_status status = reserve(search, err);
    for (uint64_t i = 0; i < (options->sources == NULL ? n : options->n_sources) && status == MR_OK;
         i++) {
        const uint32_t v = options->sources == NULL ? (uint32_t)i : options->sources[i];
        status = put_source(search, v, i, err);
    }
    for (uint32_t band = 0; band < search->info->n_bands && status == MR_OK; band++) {
        settle_band(search, 0, band, NULL, search->now);
    }
    return status == MR_OK ? turn(search, err) : status;
}

static uint64_t n_parts(const struct harmonic_search *search) /* registers, or bytes of bits */
{
    const struct mr_harmonic_options *options = search->options;
    const uint64_t n = options->sources == NULL ? search->info->n_vertices : options->n_sources;
    return options->log2m > 0 ? (uint64_t)1 << options->log2m : mr_div_up(n, 8);
}

static enum mr_status run_slices(struct harmonic_search *search, struct mr_error *err)
{
    const uint64_t parts = n_parts(search);
    enum mr_status status = MR_OK;

    for (uint64_t part = 0; part < parts && status == MR_OK; part += search->k) {
        search->first = search->tally != NULL ? part : 8 * part;
        search->used = (unsigned)mr_min_u64(search->k, parts - part);
        status = begin_slice(search, err);
        while (status == MR_OK && search->is_changed) {
            status = next_distance(search, err);
        }
        search->result->n_slices++;
    }
    return status;
}

/* ---- The whole ---- */

/* The arrays of a slice of `k` bytes per vertex and of `n_readers` threads. */
enum { SLICE_ARRAYS = 10 };
static void slice_arrays(struct harmonic_search *search, uint64_t k, unsigned n_readers,
                         struct mr_memory_wanted arrays[SLICE_ARRAYS])
{
    const uint64_t n = search->info->n_vertices;
    const uint64_t n_exact = search->options->log2m == 0 ? n : 0;
    const uint64_t n_falls = n_exact > 0 ? 0 : 3 * band_width(search->info) * n_readers;
    const uint64_t n_stripes = mr_edges_stripes(search->info) + 1;
    const struct mr_memory_wanted all[SLICE_ARRAYS] = {
        MR_WANTED("exact sums", n_exact, &search->inverse),
        MR_WANTED("exact sums", n_exact, &search->distances),
        MR_WANTED("exact sums", n_exact, &search->reach),
        MR_WANTED("changed vertices", n / 64 + 1, &search->changed),
        MR_WANTED("changed vertices", n / 64 + 1, &search->changes),
        MR_WANTED("active stripes", n_stripes, &search->active),
        MR_WANTED("active stripes", n_stripes, &search->activates),
        MR_WANTED("changes of a band", n_falls, &search->falls),
        MR_WANTED("counters", n * k, &search->now),
        MR_WANTED("counters", n * k, &search->next),
    };
    memcpy(arrays, all, sizeof all);
}

/* The memory of slices, with all that the readers will charge and something for what grows with the
 * distances. */
static uint64_t slice_memory(struct harmonic_search *search, uint64_t k, unsigned n_readers)
{
    struct mr_memory_wanted arrays[SLICE_ARRAYS];
    slice_arrays(search, k, n_readers, arrays);
    return mr_memory_of_arrays(arrays, SLICE_ARRAYS) +
           n_readers * mr_edges_reader_memory(search->info) + (UINT64_C(1) << 20);
}

/* The memory of the end, when the slices are gone. */
static uint64_t finish_memory(struct harmonic_search *search)
{
    struct mr_harmonic result = {.n_vertices = search->info->n_vertices};
    struct mr_memory_wanted arrays[MR_HARMONIC_RESULT_ARRAYS], sums[SLICE_ARRAYS];
    mr_harmonic_result_arrays(&result, arrays);
    slice_arrays(search, 0, 0, sums);
    return mr_memory_of_arrays(arrays, MR_HARMONIC_RESULT_ARRAYS) +
           (search->options->log2m == 0 ? mr_memory_of_arrays(sums, 3)
                                        : mr_harmonic_tally_finish_memory(search->info)) +
           (UINT64_C(1) << 20);
}

static uint64_t most_of_slice(const struct harmonic_search *search)
{
    const uint64_t parts = n_parts(search);
    return search->options->log2m > 0 ? parts : mr_min_u64(parts, EXACT_SLICE_BYTES);
}

uint64_t mr_harmonic_memory(const struct mr_store_info *info,
                            const struct mr_harmonic_options *wanted, unsigned n_threads)
{
    struct mr_harmonic_options options = *wanted;
    struct harmonic_search search = {.info = info, .options = &options};
    options.log2m = mr_harmonic_log2m(wanted->log2m, info->n_vertices);
    const uint64_t k = n_threads == 0 ? 1 : most_of_slice(&search);
    return mr_max_u64(slice_memory(&search, k, n_threads == 0 ? 1 : n_threads),
                      finish_memory(&search));
}

/* Bytes per vertex of a slice: what the budget holds twice, beside all else. */
static unsigned choose_slice(struct harmonic_search *search)
{
    const uint64_t available = mr_memory_available(search->context->memory);
    const uint64_t other = slice_memory(search, 0, mr_edges_team_readers(search->team));
    const uint64_t rest = available - mr_min_u64(available, other);
    const uint64_t most = most_of_slice(search);
    const uint64_t wanted = search->options->slice_bytes;
    uint64_t k = wanted > 0 ? wanted : (rest - rest / 16) / (2 * search->info->n_vertices);

    k = mr_min_u64(k < 1 || search->is_least ? 1 : k, most);
    return (unsigned)(k >= 16 && k < most ? k / 16 * 16 : k);
}

static enum mr_status open_slices(struct harmonic_search *search, struct mr_error *err)
{
    struct mr_memory_wanted arrays[SLICE_ARRAYS];

    search->k = choose_slice(search);
    search->result->slice_bytes = search->k;
    slice_arrays(search, search->k, mr_edges_team_readers(search->team), arrays);
    return mr_memory_arrays(search->context->memory, arrays, err);
}

static void close_slices(struct harmonic_search *search)
{
    struct mr_memory *memory = search->context->memory;

    mr_memory_free(memory, search->next);
    mr_memory_free(memory, search->now);
    mr_memory_free(memory, search->falls);
    mr_memory_free(memory, search->activates);
    mr_memory_free(memory, search->active);
    mr_memory_free(memory, search->changes);
    mr_memory_free(memory, search->changed);
}

static enum mr_status finish_exactly(struct harmonic_search *search, struct mr_error *err)
{
    struct mr_harmonic *result = search->result;
    const uint64_t n = result->n_vertices;
    struct mr_memory_wanted arrays[MR_HARMONIC_RESULT_ARRAYS];
    mr_harmonic_result_arrays(result, arrays);
    const enum mr_status status = mr_memory_arrays(search->context->memory, arrays, err);

    for (uint64_t v = 0; v < n && status == MR_OK; v++) {
        const mr_harmonic_fixed inverse = search->inverse[v];
        result->harmonic[v] =
            (double)(uint64_t)(inverse >> 64) + ldexp((double)(uint64_t)inverse, -64);
        result->closeness[v] = search->distances[v] > 0 ? 1 / (double)search->distances[v] : 0;
        result->reach[v] = (double)search->reach[v];
    }
    uint64_t pairs = 0;
    for (uint64_t t = 0; t < result->n_distances && status == MR_OK; t++) {
        pairs += search->pairs[t];
        result->neighbourhood[t] = (double)pairs;
    }
    return status;
}

static void close_search(struct harmonic_search *search)
{
    struct mr_memory *memory = search->context->memory;

    mr_harmonic_tally_close(search->tally);
    mr_edges_team_close(search->team);
    mr_memory_free(memory, search->pairs);
    mr_memory_free(memory, search->reach);
    mr_memory_free(memory, search->distances);
    mr_memory_free(memory, search->inverse);
}

/* Opens what there must be room for, reads the slices, and closes what the end does not need. */
static enum mr_status find_slices(struct harmonic_search *search, struct mr_store *store,
                                  struct mr_error *err)
{
    const struct mr_context *context = search->context;
    const struct mr_harmonic_options *options = search->options;
    const uint64_t beside = slice_memory(search, 0, 2) - slice_memory(search, 0, 1);
    const uint64_t leave = search->is_least ? UINT64_MAX : slice_memory(search, 1, 0);

    enum mr_status status = mr_edges_team_open(
        context, store, leave, beside - mr_edges_reader_memory(search->info), &search->team, err);
    if (status == MR_OK && options->log2m > 0) {
        status = mr_harmonic_tally_open(context, search->info, &search->tally, err);
    }
    if (status == MR_OK) {
        status = open_slices(search, err);
    }
    if (status == MR_OK) {
        status = run_slices(search, err);
    }
    close_slices(search);
    mr_edges_team_close(search->team);
    search->team = NULL;
    return status;
}

/* Refuses what the end would refuse, before the work; errors ask for all of it. */
static enum mr_status check_memory(struct harmonic_search *search, struct mr_error *err)
{
    struct mr_memory *memory = search->context->memory;
    const uint64_t end = finish_memory(search);
    const uint64_t held = mr_memory_limit(memory) - mr_memory_available(memory);

    mr_memory_foresee(memory, held + mr_harmonic_memory(search->info, search->options, 0));
    const enum mr_status status = mr_memory_charge(memory, "harmonic centrality", end, err);
    if (status == MR_OK) {
        mr_memory_discharge(memory, "harmonic centrality", end);
    }
    return status;
}

unsigned mr_harmonic_log2m(unsigned log2m, uint64_t n_vertices)
{
    return log2m != MR_HARMONIC_AUTO_LOG2M ? log2m : n_vertices <= MR_HARMONIC_SMALL ? 0 : 6;
}

enum mr_status mr_harmonic_find(const struct mr_context *context, struct mr_store *store,
                                struct mr_names *names, const struct mr_harmonic_options *wanted,
                                struct mr_harmonic *result, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    struct mr_harmonic_options options = *wanted;
    const struct harmonic_search empty = {
        .context = context,
        .info = info,
        .options = &options,
        .result = result,
        .names = names != NULL && mr_names_are_ordered(names) ? names : NULL};
    struct harmonic_search search = empty;
    struct mr_error error = {0};

    options.log2m = mr_harmonic_log2m(wanted->log2m, info->n_vertices);
    *result = (struct mr_harmonic){
        .memory = context->memory, .n_vertices = info->n_vertices, .log2m = options.log2m};
    if (info->n_vertices == 0) {
        return MR_OK;
    }
    result->relative_error = options.log2m > 0 ? 1.04 / sqrt((double)(1u << options.log2m)) : 0;
    enum mr_status status = check_memory(&search, err);
    if (status == MR_OK) {
        status = find_slices(&search, store, &error);
    }
    if (status == MR_ERROR_BUDGET && search.k > 1 && options.slice_bytes == 0) {
        /* More distances than foreseen: their records grow. The least slices leave room for most.
         */
        close_search(&search);
        search = empty;
        search.is_least = true;
        result->n_distances = result->n_slices = 0;
        mr_error_clear(&error);
        status = find_slices(&search, store, &error);
    }
    if (status != MR_OK && err != NULL && err->status == MR_OK) {
        *err = error;
    }
    if (status == MR_OK) {
        status = search.tally == NULL
                     ? finish_exactly(&search, err)
                     : mr_harmonic_tally_finish(search.tally, options.log2m, result, err);
    }
    close_search(&search);
    mr_memory_foresee(context->memory, 0);
    if (status != MR_OK) {
        mr_harmonic_free(result);
        return status;
    }
    result->readings = info->n_edges == 0 ? 0 : (double)result->read.edges / (double)info->n_edges;
    return MR_OK;
}

void mr_harmonic_free(struct mr_harmonic *result)
{
    if (result->memory != NULL) {
        mr_memory_free(result->memory, result->neighbourhood);
        mr_memory_free(result->memory, result->reach);
        mr_memory_free(result->memory, result->closeness);
        mr_memory_free(result->memory, result->harmonic);
    }
    *result = (struct mr_harmonic){0};
}
