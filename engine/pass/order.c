/* SPDX-License-Identifier: Apache-2.0 */
/* Who may start what, and when: the part of the pass that makes results independent of threads.
 *
 * Workers claim units in the order of the run: that of the store, or in relaxing runs wave by wave;
 * the lowest unit is the first in this order. All units of a wave read the x from before it. When
 * all its bands are finished, their steps are added to x; only then a unit of the next wave
 * starts. A worker that waits for this takes pieces of the work. Workers may claim
 * units of later waves earlier, so that their blocks are being read.
 *
 * No deadlock is possible. The lowest unfinished unit may always start once its wave has begun, and
 * the workers that wait for the next wave end the current one. Two accumulators are reserved for
 * the lowest unit: the sum of the lowest band takes one when its first segment is complete, and
 * each further segment borrows the other one until it is merged. When the band is finished, both
 * are free for the next one. All other units start only while more than two accumulators are free.
 * A worker without a free `band_end` waits for lower bands only. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/pass/internal.h"

enum { MANY_BANDS = 8 }; /* for each thread: one more or less in the end makes no difference */

static struct band_state *state_of(struct mr_pass *pass, uint32_t place)
{
    return &pass->order.states[place % pass->order.n_states];
}

enum mr_status mr_order_create(struct mr_pass *pass, uint32_t n_states, struct mr_error *err)
{
    struct pass_order *order = &pass->order;
    order->n_states = n_states;
    order->states = calloc(n_states, sizeof *order->states);
    order->finished = calloc(n_states, sizeof *order->finished);
    order->free_accumulators = calloc(pass->n_accumulators, sizeof *order->free_accumulators);
    if (order->states == NULL || order->finished == NULL || order->free_accumulators == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the order of bands");
    }
    for (uint32_t i = 0; i < n_states; i++) {
        order->states[i].completed = calloc(order->most_units, sizeof(void *));
        if (order->states[i].completed == NULL) {
            return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the order of segments");
        }
    }
    return MR_OK;
}

void mr_order_destroy(struct mr_pass *pass)
{
    struct pass_order *order = &pass->order;
    for (uint32_t i = 0; order->states != NULL && i < order->n_states; i++) {
        free(order->states[i].completed);
    }
    free(order->states);
    free(order->finished);
    free(order->free_accumulators);
}

/* Behind the wave that begins with `place`. */
static uint32_t wave_end(const struct mr_pass *pass, uint32_t place)
{
    const uint32_t end = pass->end_band;
    return pass->run->relax && pass->run->wave < end - place ? place + pass->run->wave : end;
}

void mr_order_reset(struct mr_pass *pass)
{
    struct pass_order *order = &pass->order;
    order->claim_band = order->done_bands = order->wave_first = pass->run->first_band;
    order->claim_segment = order->wave_done = 0;
    order->wave_end = wave_end(pass, order->wave_first);
    order->next_piece = order->n_pieces = order->pieces_done = 0;
    memset(order->finished, 0, order->n_states * sizeof *order->finished);
    for (uint32_t i = 0; i < order->n_states; i++) {
        order->states[i].next_merge = 0;
        order->states[i].merging = false;
        order->states[i].sum = NULL;
        order->states[i].end = NULL;
        memset(order->states[i].completed, 0, order->most_units * sizeof(void *));
    }
    order->n_free = pass->n_accumulators;
    for (unsigned i = 0; i < pass->n_accumulators; i++) {
        order->free_accumulators[i] = pass->accumulators[i];
    }
    for (unsigned i = 0; i < pass->n_workers; i++) {
        for (unsigned j = 0; j < MR_BAND_ENDS; j++) {
            pass->workers[i].ends[j].is_taken = false;
        }
    }
    order->status = MR_OK;
    mr_error_clear(&order->error);
    atomic_store(&order->stop, false);
}

/* Under the lock. Has the next unit anything to be read? */
static bool is_on_disk(const struct mr_pass *pass)
{
    const struct mr_pass_task *run = pass->run;
    const uint32_t band = mr_pass_band_of(pass, pass->order.claim_band);
    return pass->bands[band].end_block > pass->pinned_blocks ||
           (pass->pinned_degrees == NULL && (run->out_degrees || run->in_degrees));
}

/* Under the lock: may a worker claim the next unit ahead of its start? Nobody else can then take
 * it. A unit in memory is claimed ahead only to fetch its first block into the cache, and never
 * when few bands are left, which free threads need. (Of the five bands of cnr-2000 one of two
 * threads could get three, 62% of the links; without claims ahead it gets 54%.) A unit on disk is
 * claimed ahead to be read, while as many units are left for each worker, and only inside the
 * window of bands in work. */
static bool may_claim(const struct mr_pass *pass, unsigned n_held)
{
    const struct pass_order *order = &pass->order;
    const uint64_t n_left = pass->end_band - order->claim_band;
    if (n_held == 0) {
        return true;
    }
    if (!is_on_disk(pass)) {
        return n_held < CLAIMS_NEAR && n_left >= (uint64_t)MANY_BANDS * pass->n_running;
    }
    return n_held < CLAIMS_NEAR ||
           (n_left >= (n_held + UINT64_C(1)) * pass->n_running &&
            order->claim_band < (uint64_t)order->done_bands + order->n_states);
}

bool mr_order_claim(struct mr_pass *pass, unsigned n_held, struct pass_unit *unit)
{
    struct pass_order *order = &pass->order;
    pthread_mutex_lock(&order->lock);
    const bool is_left =
        order->claim_band < pass->end_band && order->status == MR_OK && may_claim(pass, n_held);
    if (is_left) {
        unit->place = order->claim_band;
        unit->band = mr_pass_band_of(pass, unit->place);
        unit->segment = order->claim_segment++;
        unit->is_last = order->claim_segment == mr_units_of(pass, unit->band);
        if (unit->is_last) {
            order->claim_band++;
            order->claim_segment = 0;
        }
    }
    pthread_mutex_unlock(&order->lock);
    return is_left;
}

/* Under the lock. */
static bool may_start(const struct mr_pass *pass, const struct pass_unit *unit)
{
    const struct pass_order *order = &pass->order;
    if (unit->place >= order->wave_end ||
        unit->place >= (uint64_t)order->done_bands + order->n_states) {
        return false;
    }
    const struct band_state *state = &order->states[unit->place % order->n_states];
    bool is_lowest = unit->place == order->done_bands && state->next_merge == unit->segment;
    return order->n_free > MR_ACCUMULATORS_KEPT || (is_lowest && order->n_free > 0);
}

/* Under the lock. One of the worker's ends that is free, or NULL. */
static struct band_end *free_end(struct pass_worker *worker)
{
    for (unsigned i = 0; i < worker->n_ends; i++) {
        if (!worker->ends[i].is_taken) {
            return &worker->ends[i];
        }
    }
    return NULL;
}

/* ---- Waves ---- */

/* Pieces in which a wave's steps are taken: small ones where there are few, so that all threads
 * have some. */
enum { PIECE_BITS = 13, FEW_BANDS = 8 };

static unsigned piece_bits(const struct mr_pass *pass)
{
    const struct pass_order *order = &pass->order;
    const unsigned band_bits = pass->info->band_bits;
    return order->wave_end - order->wave_first > FEW_BANDS || band_bits < PIECE_BITS ? band_bits
                                                                                     : PIECE_BITS;
}

/* Under the lock: counts a finished band. Behind the last one of a wave its steps wait to be added
 * to x. */
static void count_band(struct mr_pass *pass)
{
    struct pass_order *order = &pass->order;
    order->wave_done++;
    if (pass->run->relax && order->wave_done == order->wave_end - order->wave_first) {
        const unsigned shift = pass->info->band_bits - piece_bits(pass);
        order->n_pieces = (uint64_t)order->wave_done << shift;
    }
}

/* Under the lock, which it releases meanwhile: adds one piece of the steps. False if there is
 * none. */
static bool take_piece(struct mr_pass *pass)
{
    struct pass_order *order = &pass->order;
    if (order->next_piece == order->n_pieces) {
        return false;
    }
    const unsigned bits = piece_bits(pass), shift = pass->info->band_bits - bits;
    const uint64_t piece = order->next_piece++;
    const uint32_t place = order->wave_first + (uint32_t)(piece >> shift);
    const uint64_t first = ((uint64_t)mr_pass_band_of(pass, place) << pass->info->band_bits) +
                           ((piece & ((1u << shift) - 1)) << bits);
    const uint64_t end = first + ((uint64_t)1 << bits);
    pthread_mutex_unlock(&order->lock);
    mr_band_take_steps(pass, place, first, end);
    pthread_mutex_lock(&order->lock);
    order->pieces_done++;
    if (order->pieces_done == order->n_pieces) {
        order->wave_first = order->wave_end;
        order->wave_end = wave_end(pass, order->wave_first);
        order->wave_done = 0;
        order->next_piece = order->n_pieces = order->pieces_done = 0;
        pthread_cond_broadcast(&order->changed);
    }
    return true;
}

/* Under the lock: takes a piece of the steps if there is one, else waits for a change. The caller
 * then checks its condition again. */
static void wait_for_change(struct pass_worker *worker)
{
    struct pass_order *order = &worker->pass->order;
    if (!take_piece(worker->pass)) {
        const uint64_t start = mr_now_ns();
        pthread_cond_wait(&order->changed, &order->lock);
        worker->idle_ns += mr_now_ns() - start;
    }
}

void mr_order_help_until_over(struct pass_worker *worker)
{
    struct mr_pass *pass = worker->pass;
    struct pass_order *order = &pass->order;
    pthread_mutex_lock(&order->lock);
    while (order->status == MR_OK && order->wave_first < pass->end_band) {
        wait_for_change(worker);
    }
    pthread_mutex_unlock(&order->lock);
}

/* ---- Units and bands ---- */

bool mr_order_start(struct pass_worker *worker, const struct pass_unit *unit, void **accumulator,
                    struct band_end **end)
{
    struct mr_pass *pass = worker->pass;
    struct pass_order *order = &pass->order;
    pthread_mutex_lock(&order->lock);
    struct band_state *state = state_of(pass, unit->place);
    while (order->status == MR_OK &&
           (!may_start(pass, unit) || (unit->is_last && free_end(worker) == NULL))) {
        wait_for_change(worker);
    }
    bool is_running = order->status == MR_OK;
    *end = NULL;
    if (is_running) {
        *accumulator = order->free_accumulators[--order->n_free];
        state->n_segments = mr_units_of(pass, unit->band);
        if (unit->is_last) {
            *end = free_end(worker);
            (*end)->is_taken = true;
            (*end)->band = unit->band;
            (*end)->place = unit->place;
        }
    }
    pthread_mutex_unlock(&order->lock);
    if (is_running && !pass->run->degrees_only) {
        memset(*accumulator, 0, mr_band_vertices(pass->info, unit->band) * MR_ACCUMULATOR_BYTES);
    }
    return is_running;
}

/* Under the lock, which it releases while it adds: merges the next segments in their order. */
static void merge(struct mr_pass *pass, uint32_t band, struct band_state *state)
{
    struct pass_order *order = &pass->order;
    if (state->merging) {
        return;
    }
    state->merging = true;
    while (state->next_merge < state->n_segments && state->completed[state->next_merge] != NULL) {
        void *next = state->completed[state->next_merge];
        state->completed[state->next_merge] = NULL;
        if (state->sum == NULL) {
            state->sum = next;
        } else {
            pthread_mutex_unlock(&order->lock);
            mr_kernel_add(pass->run->value, state->sum, next, state->sum,
                          mr_band_vertices(pass->info, band));
            pthread_mutex_lock(&order->lock);
            order->free_accumulators[order->n_free++] = next;
        }
        state->next_merge++;
        pthread_cond_broadcast(&order->changed);
    }
    state->merging = false;
}

/* Under the lock. Does the band have all it needs? */
static bool is_complete(const struct mr_pass *pass, const struct band_state *state)
{
    return !state->merging && state->end != NULL && state->next_merge == state->n_segments &&
           pass->order.status == MR_OK;
}

bool mr_order_complete(struct mr_pass *pass, const struct pass_unit *unit, void *accumulator,
                       struct band_end *end, struct band_end **done, void **sum)
{
    struct pass_order *order = &pass->order;
    struct band_state *state = state_of(pass, unit->place);
    pthread_mutex_lock(&order->lock);
    state->completed[unit->segment] = accumulator;
    if (unit->is_last) {
        state->end = end;
    }
    merge(pass, unit->band, state);
    /* Whoever merges meanwhile sees to it that the band is finished. */
    const bool is_done = is_complete(pass, state);
    if (is_done) {
        *done = state->end;
        *sum = state->sum;
        state->end = NULL;
    }
    pthread_mutex_unlock(&order->lock);
    return is_done;
}

void mr_order_finish(struct mr_pass *pass, struct band_end *end)
{
    struct pass_order *order = &pass->order;
    const uint32_t place = end->place;
    pthread_mutex_lock(&order->lock);
    struct band_state *state = state_of(pass, place);
    order->free_accumulators[order->n_free++] = state->sum;
    state->sum = NULL;
    state->next_merge = 0;
    end->is_taken = false;
    order->finished[place % order->n_states] = true;
    while (order->done_bands < pass->end_band &&
           order->finished[order->done_bands % order->n_states]) {
        order->finished[order->done_bands % order->n_states] = false;
        order->done_bands++;
    }
    count_band(pass);
    pthread_cond_broadcast(&order->changed);
    const struct mr_context *context = pass->context;
    if (context->progress != NULL) {
        struct mr_progress progress = {
            .stage = "pass",
            .done = order->done_bands - pass->run->first_band,
            .total = pass->end_band - pass->run->first_band,
            .unit = "bands",
            .passes = (unsigned)pass->figures.passes,
            .error_bound = -1,
        };
        context->progress(context->progress_data, &progress);
    }
    pthread_mutex_unlock(&order->lock);
}

void mr_order_fail(struct mr_pass *pass, enum mr_status status, const struct mr_error *error)
{
    struct pass_order *order = &pass->order;
    pthread_mutex_lock(&order->lock);
    if (order->status == MR_OK) {
        order->status = status;
        order->error = *error;
        atomic_store(&order->stop, true);
    }
    pthread_cond_broadcast(&order->changed);
    pthread_mutex_unlock(&order->lock);
}
