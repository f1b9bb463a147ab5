#include "algorithms/pagerank/block_sweeps.h"

#include <math.h>
#include <omp.h>
#include <sched.h>
#include <string.h>

#include "engine/base/bytes.h"

/* STRIDE: sweeps between accelerations. They begin anew where the change has grown by GROWTH since the last one (where
 * it has grown at all: web-NotreDame at damping 0.9999 takes 1950 links per link instead of 730, cnr-2000 at 0.999 1360
 * instead of 460), or has not been smaller for STALLED sweeps; after MOST_STALLS of these in a row there is no more to
 * be had. MOST_SWEEPS of a block, after which its rest is for the next round. POLLED: sweeps between two looks at
 * whether the run is to stop. */
enum {
    HALVES = MR_SWEEP_HALVES,
    PHASES = MR_SWEEP_PHASES,
    LAG = 2,
    LEAST_PHASES = 2 * LAG, /* nobody comes to a chunk that the other half is still taking over */
    STRIDE = 2,
    GROWTH = 2,
    STALLED = 32,
    MOST_STALLS = 8,
    MOST_SWEEPS = 4096,
    POLLED = 32
};
_Static_assert(LEAST_PHASES <= PHASES, "the shortest blocks have chunks enough");

/* Longer blocks have more phases than the least. */
#define PHASE_LINKS 65536

/* Seconds that are not yet a long time to wait. */
#define LEAST_WAITED 0.02

/* Threads look on for a while before they give way: chunks last some 100 us. */
enum { LOOKS = 2000 };

static void wait_for(struct mr_sweeper *me, atomic_uint *count, unsigned goal)
{
    double began = 0;
    for (unsigned i = 0; atomic_load_explicit(count, memory_order_acquire) < goal; i++) {
        if (i == LOOKS) {
            began = omp_get_wtime();
        }
        if (i >= LOOKS) {
            (void)sched_yield();
        }
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    me->waited += began > 0 ? omp_get_wtime() - began : 0;
}

void mr_block_sweeps_begin(struct mr_block_sweeps *sweeps)
{
    sweeps->done = (struct mr_slices_sum){0, 0};
    sweeps->n_visits = 0;
    sweeps->status = MR_OK;
    sweeps->began = omp_get_wtime();
    sweeps->is_left_alone = false;
    atomic_store(&sweeps->arrived, 0);
    for (unsigned h = 0; h < HALVES; h++) {
        atomic_store(&sweeps->relaxed[h], 0);
    }
}

struct mr_sweeper mr_sweeper_of(struct mr_block_sweeps *sweeps, unsigned i, unsigned n)
{
    return (struct mr_sweeper){
        .sweeps = sweeps, .first = i, .end = n == 1 ? HALVES : i + 1, .n_threads = n};
}

void mr_sweeper_meet(struct mr_sweeper *me)
{
    if (me->n_threads > 1) {
        const unsigned goal = ++me->n_meetings * me->n_threads;
        atomic_fetch_add_explicit(&me->sweeps->arrived, 1, memory_order_acq_rel);
        wait_for(me, &me->sweeps->arrived, goal);
    }
}

/* For each chunk of this thread's halves. */
static void for_chunks(struct mr_sweeper *me,
                       void (*work)(struct mr_sweeper *me, unsigned half, uint32_t chunk,
                                    uint32_t first, uint32_t n))
{
    for (unsigned h = me->first; h < me->end; h++) {
        for (unsigned chunk = h * PHASES; chunk < (h + 1) * PHASES; chunk++) {
            const uint32_t first = me->chunk_ends[chunk] * MR_SLICE_ROWS;
            work(me, h, chunk, first, me->chunk_ends[chunk + 1] * MR_SLICE_ROWS - first);
        }
    }
}

/* Work of slices up to the s-th: a slice's rows cost as much as two of their sources each. */
static uint64_t work_until(const struct mr_link_slices *slices, uint32_t s)
{
    return (uint64_t)MR_SLICE_ROWS * (slices->ends[s] + 2 * (uint64_t)s) +
           slices->list_ends[(size_t)s * MR_SLICE_ROWS];
}

/* Chunks of about the same work. */
static void cut_block(struct mr_sweeper *me, const struct mr_slice_block *block)
{
    const struct mr_link_slices *slices = me->sweeps->slices;
    const uint64_t first = work_until(slices, block->first);
    const uint64_t all = work_until(slices, block->end) - first;
    me->n_phases =
        (unsigned)mr_min_u64(PHASES, mr_max_u64(LEAST_PHASES, block->n_links / PHASE_LINKS));
    const unsigned n = HALVES * me->n_phases;
    uint32_t s = block->first;
    for (unsigned h = 0; h < HALVES; h++) {
        for (unsigned k = 0; k < PHASES; k++) { /* those not needed are empty */
            const unsigned i = h * me->n_phases + (k < me->n_phases ? k : me->n_phases);
            while (s < block->end && (work_until(slices, s) - first) * n < all * i) {
                s++;
            }
            me->chunk_ends[h * PHASES + k] = s;
        }
    }
    me->chunk_ends[MR_SWEEP_CHUNKS] = block->end;
    me->first_row = block->first * MR_SLICE_ROWS;
}

static void take_over(const struct mr_sweeper *me, unsigned half, unsigned chunk)
{
    struct mr_block_sweeps *sweeps = me->sweeps;
    const uint32_t first = me->chunk_ends[chunk] * MR_SLICE_ROWS;
    const uint32_t end = me->chunk_ends[chunk + 1] * MR_SLICE_ROWS;
    memcpy(sweeps->value[half] + first, sweeps->value[1 - half] + first,
           (end - first) * sizeof(double));
}

static void start(struct mr_sweeper *me, unsigned half, uint32_t chunk, uint32_t first, uint32_t n)
{
    (void)chunk;
    struct mr_block_sweeps *sweeps = me->sweeps;
    mr_link_slices_start(sweeps->slices, first / MR_SLICE_ROWS, (first + n) / MR_SLICE_ROWS,
                         sweeps->base, sweeps->gain, sweeps->value[half], sweeps->start);
}

static struct mr_slices_sum sweep(struct mr_sweeper *me)
{
    struct mr_block_sweeps *sweeps = me->sweeps;
    struct mr_slices_sum *sums = sweeps->sums[me->n_sweeps % 2], all = {0, 0};
    for (unsigned k = 0; k < me->n_phases; k++) {
        for (unsigned h = me->first; h < me->end; h++) {
            const unsigned chunk = h * PHASES + k;
            if (k >= LAG) {
                wait_for(me, &sweeps->relaxed[1 - h], me->n_relaxed + k - LAG + 1);
                take_over(me, h, (1 - h) * PHASES + k - LAG);
            }
            sums[chunk] = mr_link_slices_relax(sweeps->slices, me->chunk_ends[chunk],
                                               me->chunk_ends[chunk + 1], sweeps->start,
                                               sweeps->gain, sweeps->weight, sweeps->value[h]);
            atomic_store_explicit(&sweeps->relaxed[h], me->n_relaxed + k + 1, memory_order_release);
        }
    }
    mr_sweeper_meet(me);
    for (unsigned h = me->first; h < me->end; h++) {
        for (unsigned k = me->n_phases - LAG; k < me->n_phases; k++) {
            take_over(me, h, (1 - h) * PHASES + k);
        }
    }
    for (unsigned h = 0; h < HALVES; h++) {
        for (unsigned k = 0; k < me->n_phases; k++) {
            all.change += sums[h * PHASES + k].change;
            all.mass += sums[h * PHASES + k].mass;
        }
    }
    me->n_relaxed += me->n_phases;
    me->n_sweeps++;
    return all;
}

/* What was done since the last acceleration. */
static void observe(struct mr_sweeper *me, unsigned half, uint32_t chunk, uint32_t first,
                    uint32_t n)
{
    struct mr_block_sweeps *sweeps = me->sweeps;
    const double *value = sweeps->value[half] + first, *before = sweeps->before + first;
    const uint32_t at = first - me->first_row;
    float *difference = mr_acceleration_difference(sweeps->acceleration) + at;
    for (uint32_t i = 0; i < n; i++) {
        difference[i] = (float)(value[i] - before[i]);
    }
    mr_acceleration_observe(sweeps->acceleration, chunk, at, n, sweeps->weight + first);
}

static void apply(struct mr_sweeper *me, unsigned half, uint32_t chunk, uint32_t first, uint32_t n)
{
    (void)chunk;
    struct mr_block_sweeps *sweeps = me->sweeps;
    double *value = sweeps->value[half];
    mr_acceleration_apply(sweeps->acceleration, value + me->first_row, 1, first - me->first_row,
                          first - me->first_row + n);
    memcpy(sweeps->before + first, value + first, n * sizeof(double));
    memcpy(sweeps->value[1 - half] + first, value + first, n * sizeof(double));
}

static void accelerate(struct mr_sweeper *me, bool restart)
{
    struct mr_acceleration *acceleration = me->sweeps->acceleration;
    for_chunks(me, observe);
    mr_sweeper_meet(me);
    if (me->first == 0) {
        if (restart) {
            mr_acceleration_restart(acceleration);
        }
        mr_acceleration_plan(acceleration);
    }
    mr_sweeper_meet(me);
    for_chunks(me, apply);
    mr_sweeper_meet(me);
    if (me->first == 0) {
        mr_acceleration_done(acceleration);
    }
}

/* The first thread asks for all whether the run is to stop, and whether it gets on with the other. */
static void poll(struct mr_sweeper *me)
{
    struct mr_block_sweeps *sweeps = me->sweeps;
    if (me->first == 0 && sweeps->status == MR_OK) {
        const double seconds = omp_get_wtime() - sweeps->began;
        sweeps->status = mr_context_poll(sweeps->context, NULL);
        if (me->n_threads > 1) { /* else the other may still be about to read it */
            sweeps->is_left_alone = me->waited > LEAST_WAITED && me->waited > seconds / 2;
        }
    }
    mr_sweeper_meet(me);
    if (me->n_threads > 1 && sweeps->is_left_alone) {
        me->first = me->first == 0 ? 0 : HALVES;
        me->end = HALVES;
        me->n_threads = 1;
    }
}

void mr_sweeper_solve(struct mr_sweeper *me, const struct mr_slice_block *block)
{
    struct mr_block_sweeps *sweeps = me->sweeps;
    struct mr_slices_sum sum;
    double last_change = INFINITY, least = INFINITY;
    unsigned n = 0, n_stalls = 0, since = 0; /* the last restart, or smaller change */
    cut_block(me, block);
    for_chunks(me, start);
    if (me->first == 0 && sweeps->acceleration != NULL) {
        mr_acceleration_restart(sweeps->acceleration);
    }
    for (;;) {
        sum = sweep(me);
        n++;
        if (sum.change < least) {
            least = sum.change;
            since = n;
            n_stalls = 0;
        }
        const bool is_stalled = n - since >= STALLED;
        if (is_stalled) {
            since = n;
            n_stalls++;
        }
        if (!(sum.change > sweeps->wanted * sum.mass) || n == MOST_SWEEPS ||
            n_stalls == MOST_STALLS) {
            break;
        }
        if (n % POLLED == 0) {
            poll(me);
            if (me->first == me->end || sweeps->status != MR_OK) {
                return;
            }
        }
        if (n % STRIDE == 0 && sweeps->acceleration != NULL) {
            accelerate(me, is_stalled || sum.change > GROWTH * last_change);
            last_change = sum.change;
        }
    }
    if (me->first == 0) {
        sweeps->done.change += sum.change;
        sweeps->done.mass += sum.mass;
        sweeps->n_visits += n * block->n_links;
    }
    poll(me);
}
