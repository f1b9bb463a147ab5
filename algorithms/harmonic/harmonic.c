/* SPDX-License-Identifier: Apache-2.0 */
/* Harmonic centrality by slices (harmonic.h). A slice has k bytes for each vertex: k registers of
 * its counter, or 8 k bits of its set. The sets of the next distance are made of those of this one
 * (distance.c): registers by maximum, bits by union. Exact sums are integers of 128 bits, in which
 * 1/t is rounded once: any order of slices and threads gives the same bits. */
#include "algorithms/harmonic/harmonic.h"

#include <math.h>

#include "algorithms/harmonic/internal.h"

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
static enum mr_status put_source(struct mr_harmonic_search *search, uint32_t v, uint64_t index,
                                 struct mr_error *err)
{
    uint8_t *set = search->balls.now + (uint64_t)v * search->balls.k;
    uint32_t position = v;

    if (search->balls.are_bits) {
        if (index >= search->first && index - search->first < 8ull * search->balls.k) {
            const uint64_t bit = index - search->first;
            set[bit / 8] |= (uint8_t)(1u << (bit % 8));
            mr_balls_mark(search->balls.changes, v);
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
        mr_balls_mark(search->balls.changes, v);
    }
    return MR_OK;
}

/* All sets become empty. In pieces, since a stop is not to wait for gigabytes. */
static enum mr_status clear_sets(struct mr_harmonic_search *search, struct mr_error *err)
{
    enum { PIECE = 1 << 22 };
    const uint64_t bytes = search->info->n_vertices * search->balls.k;
    enum mr_status status = MR_OK;

    for (uint64_t at = 0; at < bytes && status == MR_OK; at += PIECE) {
        memset(search->balls.now + at, 0, mr_min_u64(PIECE, bytes - at));
        memset(search->balls.next + at, 0, mr_min_u64(PIECE, bytes - at));
        status = mr_context_poll(search->context, err);
    }
    return status;
}

static enum mr_status begin_slice(struct mr_harmonic_search *search, struct mr_error *err)
{
    const struct mr_harmonic_options *options = search->options;
    const uint64_t n = search->info->n_vertices;
    const uint64_t n_sources = options->sources == NULL ? n : options->n_sources;

    search->distance = 0;
    enum mr_status status = clear_sets(search, err);
    if (status == MR_OK) {
        status = mr_harmonic_begin_distance(search, err);
    }
    for (uint64_t i = 0; i < n_sources && status == MR_OK; i++) {
        const uint32_t v = options->sources == NULL ? (uint32_t)i : options->sources[i];
        status = put_source(search, v, i, err);
    }
    return status == MR_OK ? mr_harmonic_settle_first(search, err) : status;
}

static uint64_t n_parts(const struct mr_harmonic_search *search) /* registers, or bytes of bits */
{
    const struct mr_harmonic_options *options = search->options;
    const uint64_t n = options->sources == NULL ? search->info->n_vertices : options->n_sources;
    return options->log2m > 0 ? (uint64_t)1 << options->log2m : mr_div_up(n, 8);
}

static enum mr_status run_slices(struct mr_harmonic_search *search, struct mr_error *err)
{
    const uint64_t parts = n_parts(search);
    enum mr_status status = MR_OK;

    for (uint64_t part = 0; part < parts && status == MR_OK; part += search->balls.k) {
        search->first = search->balls.are_bits ? 8 * part : part;
        search->used = (unsigned)mr_min_u64(search->balls.k, parts - part);
        status = begin_slice(search, err);
        while (status == MR_OK && search->n_changes > 0) {
            status = mr_harmonic_next_distance(search, err);
        }
        search->result->n_slices++;
    }
    return status;
}

/* ---- What there is room for ---- */

/* What a run has in memory. */
struct slice_shape {
    uint64_t k; /* bytes of a set */
    bool has_lists;
    bool is_at_once; /* estimates of one slice are made at each distance */
    unsigned n_workers;
};

enum { SLICE_ARRAYS = 14, BESIDE_BYTES = 1 << 20 }; /* for what grows with the distances */

static uint64_t shape_arrays(struct mr_harmonic_search *search, const struct slice_shape *shape,
                             struct mr_memory_wanted arrays[SLICE_ARRAYS])
{
    const uint64_t n = search->info->n_vertices;
    const bool is_exact = search->options->log2m == 0;
    const uint64_t n_exact = is_exact ? n : 0, n_at_once = shape->is_at_once ? n : 0;
    const uint64_t width = mr_harmonic_band_width(search->info);
    const uint64_t n_falls = is_exact || shape->is_at_once ? 0 : 3 * width * shape->n_workers;
    const uint64_t n_stripes = mr_edges_stripes(search->info) + 1;
    struct mr_harmonic *result = search->result;
    const struct mr_memory_wanted all[SLICE_ARRAYS] = {
        MR_WANTED("exact sums", n_exact, &search->inverse),
        MR_WANTED("exact sums", n_exact, &search->distances),
        MR_WANTED("exact sums", n_exact, &search->reach),
        MR_WANTED("harmonic centrality", n_at_once, &result->harmonic),
        MR_WANTED("closeness", n_at_once, &result->closeness),
        MR_WANTED("reach", n_at_once, &result->reach),
        MR_WANTED("growth of estimates", n_at_once, &search->gains),
        MR_WANTED("changed vertices", n / 64 + 1, &search->balls.changed),
        MR_WANTED("changed vertices", n / 64 + 1, &search->balls.changes),
        MR_WANTED("active stripes", n_stripes, &search->active),
        MR_WANTED("active stripes", n_stripes, &search->activates),
        MR_WANTED("changes of a band", n_falls, &search->falls),
        MR_WANTED("counters", n * shape->k, &search->balls.now),
        MR_WANTED("counters", n * shape->k, &search->balls.next),
    };
    memcpy(arrays, all, sizeof all);
    return mr_memory_of_arrays(all, SLICE_ARRAYS);
}

static uint64_t lists_memory(const struct mr_harmonic_search *search)
{
    struct mr_harmonic_search copy = *search;
    struct mr_memory_wanted arrays[MR_HARMONIC_LISTS_ARRAYS];
    mr_harmonic_lists_arrays(&copy, arrays);
    return mr_memory_of_arrays(arrays, MR_HARMONIC_LISTS_ARRAYS);
}

/* The memory of slices, with all that the readers charge. They are gone when lists are made. */
static uint64_t shape_memory(const struct mr_harmonic_search *search,
                             const struct slice_shape *shape)
{
    struct mr_harmonic result;
    struct mr_harmonic_search copy = *search;
    struct mr_memory_wanted arrays[SLICE_ARRAYS];
    copy.result = &result;
    const uint64_t slices = shape_arrays(&copy, shape, arrays);
    const uint64_t readers = shape->n_workers * mr_edges_reader_memory(search->info);
    return BESIDE_BYTES + (shape->has_lists ? lists_memory(search) + mr_max_u64(readers, slices)
                                            : readers + slices);
}

/* The memory of the end, when the slices are gone. */
static uint64_t finish_memory(const struct mr_harmonic_search *search)
{
    struct mr_harmonic result = {.n_vertices = search->info->n_vertices};
    struct mr_memory_wanted arrays[MR_HARMONIC_RESULT_ARRAYS];
    const uint64_t n = search->options->log2m == 0 ? search->info->n_vertices : 0;
    mr_harmonic_result_arrays(&result, arrays);
    return BESIDE_BYTES + mr_memory_of_arrays(arrays, MR_HARMONIC_RESULT_ARRAYS) +
           (n > 0 ? n * (sizeof *search->inverse + 2 * sizeof(uint64_t))
                  : mr_harmonic_tally_finish_memory(search->info));
}

static uint64_t most_of_slice(const struct mr_harmonic_search *search)
{
    const uint64_t parts = n_parts(search);
    return search->options->log2m > 0 ? parts : mr_min_u64(parts, MR_HARMONIC_EXACT_SLICE_BYTES);
}

/* MR_HARMONIC_AUTO_LOG2M becomes 0 or 6. */
static unsigned choose_log2m(unsigned log2m, uint64_t n_vertices)
{
    return log2m != MR_HARMONIC_AUTO_LOG2M ? log2m : n_vertices <= MR_HARMONIC_SMALL ? 0 : 6;
}

uint64_t mr_harmonic_memory(const struct mr_store_info *info,
                            const struct mr_harmonic_options *wanted, unsigned n_threads)
{
    struct mr_harmonic_options options = *wanted;
    const struct mr_harmonic_search search = {.info = info, .options = &options};
    options.log2m = choose_log2m(wanted->log2m, info->n_vertices);
    const struct slice_shape least = {.k = 1, .n_workers = 1};
    const struct slice_shape most = {.k = most_of_slice(&search),
                                     .has_lists = true,
                                     .is_at_once = options.log2m > 0,
                                     .n_workers = n_threads};
    return mr_max_u64(shape_memory(&search, n_threads == 0 ? &least : &most),
                      finish_memory(&search));
}

/* The most bytes of sets that the budget holds beside all else of the shape; 0: it does not hold
 * the shape. */
static uint64_t fit_sets(const struct mr_harmonic_search *search, struct slice_shape shape)
{
    const uint64_t available = search->available;
    const uint64_t most = most_of_slice(search), wanted = search->options->slice_bytes;
    shape.k = 0;
    const uint64_t rest = available - mr_min_u64(available, shape_memory(search, &shape));
    uint64_t k = (rest - rest / 16) / (2 * search->info->n_vertices);

    k = mr_min_u64(wanted > 0 && k > 0 ? wanted : k, most);
    return k >= 16 && k < most ? k / 16 * 16 : k;
}

/* Does the budget hold all registers, with the estimates of each distance? */
static bool fits_at_once(const struct mr_harmonic_search *search, struct slice_shape shape)
{
    shape.k = n_parts(search);
    shape.is_at_once = true;
    return search->options->log2m > 0 && search->options->slice_bytes == 0 &&
           shape_memory(search, &shape) <= search->available;
}

/* Lists are worth up to twice the slices: a link of a list takes a fraction of the time of one
 * that is decoded. */
static struct slice_shape choose_shape(const struct mr_harmonic_search *search)
{
    const uint64_t parts = n_parts(search);
    struct slice_shape shape = {.n_workers = search->n_workers, .k = 1}, lists = shape;

    if (search->is_least) {
        return shape;
    }
    shape.is_at_once = fits_at_once(search, shape);
    shape.k = shape.is_at_once ? parts : mr_max_u64(1, fit_sets(search, shape));
    if (!search->options->no_lists && search->info->n_edges > 0) {
        lists.has_lists = true;
        lists.is_at_once = fits_at_once(search, lists);
        lists.k = lists.is_at_once ? parts : fit_sets(search, lists);
    }
    return lists.has_lists && lists.k > 0 &&
                   mr_div_up(parts, lists.k) <= 2 * mr_div_up(parts, shape.k)
               ? lists
               : shape;
}

uint64_t mr_harmonic_disk(const struct mr_store_info *info,
                          const struct mr_harmonic_options *wanted, uint64_t available,
                          unsigned n_threads)
{
    enum {
        DISTANCES = 8,
        ENTRY_BYTES = 2 * sizeof(struct mr_harmonic_fall)
    }; /* old and new ones */
    struct mr_harmonic_options options = *wanted;
    const struct mr_harmonic_search search = {
        .info = info, .options = &options, .n_workers = n_threads, .available = available};
    options.log2m = choose_log2m(wanted->log2m, info->n_vertices);
    return options.log2m == 0 || info->n_vertices == 0 || choose_shape(&search).is_at_once
               ? 0
               : info->n_vertices * DISTANCES * ENTRY_BYTES;
}

static enum mr_status open_slices(struct mr_harmonic_search *search, struct mr_error *err)
{
    struct mr_memory *memory = search->context->memory;
    search->available = mr_memory_available(memory);
    const struct slice_shape shape = choose_shape(search);
    struct mr_memory_wanted arrays[SLICE_ARRAYS];
    enum mr_status status = MR_OK;

    search->balls.k = (unsigned)shape.k;
    search->result->slice_bytes = shape.k;
    if (shape.has_lists) {
        status = mr_harmonic_lists_read(search, err);
        mr_edges_team_close(search->team);
        search->team = NULL;
    }
    if (status == MR_OK && search->options->log2m > 0 && !shape.is_at_once) {
        status = mr_harmonic_tally_open(search->context, search->info, &search->tally, err);
    }
    if (status == MR_OK) {
        shape_arrays(search, &shape, arrays);
        status = mr_memory_arrays(memory, arrays, err);
    }
    return status;
}

static void close_slices(struct mr_harmonic_search *search)
{
    struct mr_memory *memory = search->context->memory;

    mr_memory_free(memory, search->balls.next);
    mr_memory_free(memory, search->balls.now);
    mr_memory_free(memory, search->falls);
    mr_memory_free(memory, search->activates);
    mr_memory_free(memory, search->active);
    mr_memory_free(memory, search->balls.changes);
    mr_memory_free(memory, search->balls.changed);
    mr_memory_free(memory, search->gains);
    mr_memory_free(memory, search->list);
    mr_memory_free(memory, search->starts);
    mr_edges_team_close(search->team);
    search->team = NULL;
}

/* The estimates are made; what remains are the pairs. */
static enum mr_status finish_at_once(struct mr_harmonic_search *search, struct mr_error *err)
{
    struct mr_harmonic *result = search->result;
    const enum mr_status status =
        mr_memory_array(search->context->memory, "neighbourhood function", result->n_distances + 1,
                        &result->neighbourhood, err);
    if (status == MR_OK) {
        mr_harmonic_finish_sums(result, search->estimated_pairs);
    }
    return status;
}

static enum mr_status finish_exactly(struct mr_harmonic_search *search, struct mr_error *err)
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
        pairs += search->exact_pairs[t];
        result->neighbourhood[t] = (double)pairs;
    }
    return status;
}

static void close_search(struct mr_harmonic_search *search)
{
    struct mr_memory *memory = search->context->memory;

    mr_harmonic_tally_close(search->tally);
    mr_memory_free(memory, search->exact_pairs);
    mr_memory_free(memory, search->estimated_pairs);
    mr_memory_free(memory, search->reach);
    mr_memory_free(memory, search->distances);
    mr_memory_free(memory, search->inverse);
}

/* Opens what there must be room for, makes the sets, and closes what the end does not need. */
static enum mr_status find_slices(struct mr_harmonic_search *search, struct mr_store *store,
                                  struct mr_error *err)
{
    struct slice_shape one = {.n_workers = 1}, two = {.n_workers = 2}, least = {.k = 1};
    const uint64_t beside = shape_memory(search, &two) - shape_memory(search, &one);
    const uint64_t leave = search->is_least ? UINT64_MAX : shape_memory(search, &least);

    enum mr_status status =
        mr_edges_team_open(search->context, store, leave,
                           beside - mr_edges_reader_memory(search->info), &search->team, err);
    if (status == MR_OK) {
        search->n_workers = mr_edges_team_readers(search->team);
        status = open_slices(search, err);
    }
    if (status == MR_OK) {
        status = run_slices(search, err);
    }
    close_slices(search);
    return status;
}

static enum mr_status finish(struct mr_harmonic_search *search, struct mr_error *err)
{
    return search->balls.are_bits  ? finish_exactly(search, err)
           : search->tally == NULL ? finish_at_once(search, err)
                                   : mr_harmonic_tally_finish(search->tally, search->result, err);
}

/* Refuses what the end would refuse, before the work; errors ask for all of it. */
static enum mr_status check_memory(struct mr_harmonic_search *search, struct mr_error *err)
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

enum mr_status mr_harmonic_find(const struct mr_context *context, struct mr_store *store,
                                struct mr_names *names, const struct mr_harmonic_options *wanted,
                                struct mr_harmonic *result, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    struct mr_harmonic_options options = *wanted;
    options.log2m = choose_log2m(wanted->log2m, info->n_vertices);
    const struct mr_harmonic empty = {
        .memory = context->memory, .n_vertices = info->n_vertices, .log2m = options.log2m};
    const struct mr_harmonic_search start = {
        .context = context,
        .info = info,
        .options = &options,
        .result = result,
        .names = names != NULL && mr_names_are_ordered(names) ? names : NULL,
        .balls = {.are_bits = options.log2m == 0},
        .loops = mr_balls_loops_best()};
    struct mr_harmonic_search search = start;
    struct mr_error error = {0};

    *result = empty;
    if (info->n_vertices == 0) {
        return MR_OK;
    }
    enum mr_status status = check_memory(&search, err);
    if (status == MR_OK) {
        status = find_slices(&search, store, &error);
    }
    if (status == MR_ERROR_BUDGET && search.balls.k > 1 && options.slice_bytes == 0) {
        /* More distances than foreseen: their records grow. The least slices leave room for most.
         */
        close_search(&search);
        mr_harmonic_free(result);
        search = start;
        search.is_least = true;
        *result = empty;
        mr_error_clear(&error);
        status = find_slices(&search, store, &error);
    }
    if (status != MR_OK && err != NULL && err->status == MR_OK) {
        *err = error;
    }
    if (status == MR_OK) {
        status = finish(&search, err);
    }
    close_search(&search);
    mr_memory_foresee(context->memory, 0);
    if (status != MR_OK) {
        mr_harmonic_free(result);
        return status;
    }
    result->relative_error = options.log2m > 0 ? 1.04 / sqrt((double)(1u << options.log2m)) : 0;
    result->closeness_error = MR_HARMONIC_CLOSENESS_TIMES * result->relative_error;
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
