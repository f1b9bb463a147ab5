/* SPDX-License-Identifier: Apache-2.0 */
/* One distance of a slice: the sets of the next distance of those of this one, and what that adds
 * to the sums. Threads own ranges of targets, so they write without locks. With lists a range is
 * united from its list of sources; else pairs are united as they are read. Only sets that change
 * are copied, compared or counted. */
#include <omp.h>

#include "algorithms/harmonic/internal.h"
#include "engine/base/team.h"

enum { RANGE_BITS = 12, RANGE_BYTES = 1 << 22 };

/* ---- What a distance adds ---- */

/* How many bits of a set are new. */
static uint64_t count_new(const uint8_t *old, const uint8_t *new, unsigned k)
{
    uint64_t sum = 0, x, y;
    unsigned i = 0;

    for (; i + sizeof x <= k; i += (unsigned)sizeof x) {
        memcpy(&x, old + i, sizeof x);
        memcpy(&y, new + i, sizeof y);
        sum += x == y ? 0 : (uint64_t)__builtin_popcountll(x ^ y);
    }
    for (; i < k; i++) {
        sum += (uint64_t)__builtin_popcount((unsigned)(old[i] ^ new[i]));
    }
    return sum;
}

static void add_exactly(struct mr_harmonic_search *search, uint64_t v, uint64_t n_new)
{
    search->reach[v] += n_new;
    if (search->distance > 0) {
        const mr_harmonic_fixed one = (mr_harmonic_fixed)1 << 64;
        search->inverse[v] += (one + search->distance / 2) / search->distance * n_new;
        search->distances[v] += search->distance * n_new;
    }
    __atomic_fetch_add(&search->exact_pairs[search->distance], n_new, __ATOMIC_RELAXED);
}

/* Vertex v of a band has changed. A fall is written where there is a tally. */
static void settle_vertex(struct mr_harmonic_search *search, uint64_t v,
                          struct mr_harmonic_fall *fall)
{
    static const uint8_t nothing[(1 << MR_HARMONIC_MOST_LOG2M) + MR_HARMONIC_EXACT_SLICE_BYTES];
    const struct mr_balls *balls = &search->balls;
    const bool is_first = search->distance == 0;
    const uint8_t *old = is_first ? nothing : balls->now + v * balls->k;
    const uint8_t *new = (is_first ? balls->now : balls->next) + v * balls->k;

    search->activates[v >> search->info->stripe_bits] = 1;
    if (balls->are_bits) {
        add_exactly(search, v, count_new(old, new, balls->k));
    } else if (search->tally == NULL) {
        search->gains[v] = mr_harmonic_take_value(
            search->result, v, search->loops->value(new, balls->k), search->distance);
    } else {
        const uint64_t more =
            search->loops->value(old, balls->k) - search->loops->value(new, balls->k);
        const uint64_t in_band = v & (((uint64_t)1 << search->info->band_bits) - 1);
        *fall =
            (struct mr_harmonic_fall){(uint32_t)in_band, (uint32_t)more, (uint32_t)(more >> 32)};
    }
}

/* Settles the marked vertices of a range that begins at a multiple of 64; with a tally it is a
 * band. */
static enum mr_status settle(struct mr_harmonic_search *search, unsigned worker, uint32_t first,
                             uint32_t n, struct mr_error *err)
{
    const uint64_t width = mr_harmonic_band_width(search->info);
    struct mr_harmonic_fall *falls =
        search->tally == NULL ? NULL : search->falls + 3 * width * worker;
    enum mr_status status = MR_OK;
    uint64_t n_changes = 0;

    for (uint64_t word = first / 64; word < mr_div_up((uint64_t)first + n, 64) && status == MR_OK;
         word++) {
        status = mr_context_poll(search->context, err);
        for (uint64_t bits = search->balls.changes[word]; bits != 0; bits &= bits - 1) {
            settle_vertex(search, 64 * word + (uint64_t)__builtin_ctzll(bits),
                          falls == NULL ? NULL : falls + n_changes);
            n_changes++;
        }
    }
    if (n_changes > 0) {
        __atomic_fetch_add(&search->n_changes, n_changes, __ATOMIC_RELAXED);
    }
    return status != MR_OK || search->tally == NULL
               ? status
               : mr_harmonic_tally_add(search->tally, search->distance,
                                       first >> search->info->band_bits, falls, n_changes,
                                       falls + width, falls + 2 * width, err);
}

static enum mr_status settle_bands(struct mr_harmonic_search *search, unsigned worker,
                                   uint32_t first, uint32_t n, struct mr_error *err)
{
    const uint64_t end = (uint64_t)first + n;
    enum mr_status status = MR_OK;

    for (uint64_t v = first; v < end && status == MR_OK;) {
        const uint32_t some = (uint32_t)mr_min_u64(end - v, (uint64_t)1 << search->info->band_bits);
        status = settle(search, worker, (uint32_t)v, some, err);
        v += some;
    }
    return status;
}

/* Adds the estimated pairs, in the order of vertices. */
static void add_gains(struct mr_harmonic_search *search)
{
    struct mr_sum sum = {0};

    for (uint64_t word = 0; word < search->info->n_vertices / 64 + 1; word++) {
        for (uint64_t bits = search->balls.changes[word]; bits != 0; bits &= bits - 1) {
            mr_sum_add(&sum, search->gains[64 * word + (uint64_t)__builtin_ctzll(bits)]);
        }
    }
    search->estimated_pairs[search->distance] = sum;
}

/* ---- Pairs as they are read ---- */

static enum mr_status unite_pairs(void *data, const uint32_t (*pairs)[2], const float *weights,
                                  size_t n_pairs, struct mr_error *err)
{
    const struct mr_harmonic_search *search = data;

    (void)weights;
    (void)err;
    search->loops->unite_pairs(&search->balls, pairs, n_pairs);
    return MR_OK;
}

/* Makes the next sets of 64 vertices what they are now if one of these has changed. */
static void begin_unit(void *data, uint32_t first, uint32_t n)
{
    const struct mr_balls *balls = &((const struct mr_harmonic_search *)data)->balls;
    const uint64_t end = (uint64_t)first + n;

    for (uint64_t v = first; v < end; v += 64) {
        if (balls->changed[v / 64] != 0) {
            memcpy(balls->next + v * balls->k, balls->now + v * balls->k,
                   mr_min_u64(64, end - v) * balls->k);
        }
    }
}

static void end_unit(void *data, uint32_t first, uint32_t n)
{
    struct mr_harmonic_search *search = data;
    struct mr_error err = {0};
    const enum mr_status status =
        settle_bands(search, (unsigned)omp_get_thread_num(), first, n, &err);

    if (status != MR_OK) {
#pragma omp critical(mr_harmonic_failure)
        if (search->status == MR_OK) {
            search->status = status;
            search->error = err;
        }
    }
}

static enum mr_status read_pairs(struct mr_harmonic_search *search, struct mr_error *err)
{
    const struct mr_scan scan = {.begin = begin_unit,
                                 .end = end_unit,
                                 .active_stripes = search->active,
                                 .stage = "balls",
                                 .figures = &search->result->read};
    const enum mr_status status = mr_edges_team_read(search->team, &scan, unite_pairs, search, err);

    if (status == MR_OK && search->status != MR_OK && err != NULL && err->status == MR_OK) {
        *err = search->error;
    }
    return status == MR_OK ? search->status : status;
}

/* ---- Lists ---- */

static void report(struct mr_harmonic_search *search, uint64_t n_edges)
{
    const struct mr_context *context = search->context;

    search->edges_done += n_edges;
    if (context->progress != NULL) {
        const struct mr_progress progress = {.stage = "balls",
                                             .done = search->edges_done,
                                             .total = search->info->n_edges,
                                             .edges = search->edges_done,
                                             .unit = "edges",
                                             .error_bound = -1};
        context->progress(context->progress_data, &progress);
    }
}

/* A mr_team_work. */
static enum mr_status unite_ranges(void *data, struct mr_team *jobs, unsigned worker,
                                   struct mr_error *err)
{
    struct mr_harmonic_search *search = data;
    enum mr_status status = MR_OK;
    uint64_t job;

    while (status == MR_OK && mr_team_next(jobs, &job)) {
        const uint64_t first = job << search->range_bits;
        const uint64_t end = mr_min_u64(search->info->n_vertices, (job + 1) << search->range_bits);
        search->loops->unite_lists(&search->balls, search->starts, search->list, (uint32_t)first,
                                   (uint32_t)end);
        status = settle(search, worker, (uint32_t)first, (uint32_t)(end - first), err);
#pragma omp critical(mr_harmonic_report)
        report(search, search->starts[end] - search->starts[first]);
    }
    return status;
}

static enum mr_status read_lists(struct mr_harmonic_search *search, struct mr_error *err)
{
    const unsigned band_bits = search->info->band_bits;

    search->range_bits = search->tally != NULL || band_bits < RANGE_BITS ? band_bits : RANGE_BITS;
    while (search->tally == NULL && search->range_bits > 6 &&
           (uint64_t)search->balls.k << search->range_bits > RANGE_BYTES) {
        search->range_bits--;
    }
    search->edges_done = 0;
    return mr_team_run(search->context,
                       mr_div_up(search->info->n_vertices, (uint64_t)1 << search->range_bits),
                       search->n_workers, unite_ranges, search, err);
}

/* ---- The distance ---- */

/* Room for what comes at search->distance. */
static enum mr_status reserve(struct mr_harmonic_search *search, struct mr_error *err)
{
    struct mr_memory *memory = search->context->memory;

    if (search->tally != NULL) {
        return mr_harmonic_tally_reserve(search->tally, search->distance, err);
    }
    if (search->distance < search->n_pairs) {
        return MR_OK;
    }
    const uint64_t n = 2 * search->distance + 16;
    const enum mr_status status =
        search->balls.are_bits
            ? mr_memory_resize(memory, "pairs by distance", &search->exact_pairs,
                               n * sizeof *search->exact_pairs, err)
            : mr_memory_resize(memory, "pairs by distance", &search->estimated_pairs,
                               n * sizeof *search->estimated_pairs, err);
    search->n_pairs = status == MR_OK ? n : search->n_pairs;
    return status;
}

enum mr_status mr_harmonic_begin_distance(struct mr_harmonic_search *search, struct mr_error *err)
{
    memset(search->balls.changes, 0,
           (search->info->n_vertices / 64 + 1) * sizeof *search->balls.changes);
    memset(search->activates, 0, mr_edges_stripes(search->info) + 1);
    search->n_changes = 0;
    return reserve(search, err);
}

static void swap_pointers(void *a, void *b)
{
    void *pointer;
    memcpy(&pointer, a, sizeof pointer);
    memcpy(a, b, sizeof pointer);
    memcpy(b, &pointer, sizeof pointer);
}

/* After a distance: what changed is what spreads next. */
static void turn(struct mr_harmonic_search *search)
{
    if (search->gains != NULL) {
        add_gains(search);
    }
    swap_pointers(&search->balls.changed, &search->balls.changes);
    swap_pointers(&search->active, &search->activates);
    search->balls.are_most_changed = search->n_changes > search->info->n_vertices / 2;
    if (search->n_changes > 0 && search->distance + 1 > search->result->n_distances) {
        search->result->n_distances = search->distance + 1;
    }
}

enum mr_status mr_harmonic_settle_first(struct mr_harmonic_search *search, struct mr_error *err)
{
    const enum mr_status status =
        settle_bands(search, 0, 0, (uint32_t)search->info->n_vertices, err);
    if (status == MR_OK) {
        turn(search);
    }
    return status;
}

enum mr_status mr_harmonic_next_distance(struct mr_harmonic_search *search, struct mr_error *err)
{
    search->distance++;
    enum mr_status status = mr_harmonic_begin_distance(search, err);
    if (status == MR_OK) {
        status = search->team != NULL ? read_pairs(search, err) : read_lists(search, err);
    }
    if (status == MR_OK) {
        turn(search);
        swap_pointers(&search->balls.now, &search->balls.next);
    }
    return status;
}
