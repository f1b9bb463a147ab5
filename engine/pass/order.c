/* Who may start what, and when: the part of the pass that makes results independent of threads.
 *
 * Units are claimed in store order. In a relaxing run band b must see the new values of all bands before it
 * and the old ones of all others, whoever computed them when. So new values go to a slot of a
 * ring and are copied to x ("committed") only when no band in work can read the old ones:
 *
 *     band b starts      when b < done + lag         (all up to b - lag are finished)
 *     band b is finished when done = b               (what comes from bands after b - lag is added then)
 *     band s is copied   when done >= s + lag
 *
 * A unit notes `committed` when it starts and reads bands before it from x, later ones before b
 * from the ring, those after b - lag not before they are finished: near.c. With b < committed + 2 lag as a
 * second condition a reader never looks back further than 2 lag - 1 bands, and with 3 lag slots no slot is
 * written while it is read: slot s is written by band s + 3 lag, after every b < s + 3 lag is finished.
 *
 * Nothing here can lock up: the lowest unfinished unit may always start. The conditions above speak of
 * lower bands. Two accumulators are kept for it: of the lowest band, the sum takes one when the first
 * segment is complete, and each further one borrows the other until it is merged; when the band is
 * finished both are free for the next. All other units start only while more than two are free. A
 * worker that has no end left, or that waits for a tile's values, waits for lower bands only. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/pass/internal.h"

enum { MANY_BANDS = 8 }; /* for each thread: one more or less in the end makes no difference */

static struct band_state *state_of(struct mr_pass *pass, uint32_t band)
{
    return &pass->order.states[band % pass->order.n_states];
}

static uint32_t most_units(const struct mr_pass *pass)
{
    uint32_t most = 1;
    for (uint32_t b = 0; b < pass->info->n_bands; b++) {
        most = mr_units_of(pass, b) > most ? mr_units_of(pass, b) : most;
    }
    return most;
}

enum mr_status mr_order_create(struct mr_pass *pass, uint32_t n_states, uint32_t n_slots,
                               struct mr_error *err)
{
    struct pass_order *order = &pass->order;
    const uint32_t most = order->most_units = most_units(pass);
    order->n_states = n_states;
    order->n_slots = n_slots;
    order->states = calloc(n_states, sizeof *order->states);
    order->finished = calloc(n_states, sizeof *order->finished);
    order->free_accumulators = calloc(pass->n_accumulators, sizeof *order->free_accumulators);
    if (order->states == NULL || order->finished == NULL || order->free_accumulators == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the order of bands");
    }
    for (uint32_t i = 0; i < n_states; i++) {
        order->states[i].completed = calloc(most, sizeof(void *));
        if (order->states[i].completed == NULL) {
            return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the order of segments");
        }
    }
    if (n_slots == 0) {
        return MR_OK;
    }
    void *ring = NULL;
    uint64_t bytes =
        n_slots * pass->band_width * pass->options.width * mr_value_bytes(pass->options.value);
    enum mr_status status =
        mr_memory_alloc(pass->context->memory, "band buffers", bytes, &ring, err);
    order->ring = ring;
    return status;
}

void mr_order_destroy(struct mr_pass *pass)
{
    struct pass_order *order = &pass->order;
    mr_memory_free(pass->context->memory, order->ring);
    for (uint32_t i = 0; order->states != NULL && i < order->n_states; i++) {
        free(order->states[i].completed);
    }
    free(order->states);
    free(order->finished);
    free(order->free_accumulators);
}

void mr_order_reset(struct mr_pass *pass)
{
    struct pass_order *order = &pass->order;
    order->claim_band = order->claim_segment = 0;
    order->done_bands = order->committed = 0;
    order->committing = false;
    order->crew.is_open = false;
    order->crew.n_helpers = 0;
    order->window = pass->run->relax ? pass->run->lag : order->n_states;
    assert(order->window >= 1 && order->window <= order->n_states);
    assert(!pass->run->relax || 3 * pass->run->lag <= order->n_slots);
    memset(order->finished, 0, order->n_states * sizeof *order->finished);
    for (uint32_t i = 0; i < order->n_states; i++) {
        order->states[i].next_merge = 0;
        order->states[i].merging = false;
        order->states[i].sum = NULL;
        order->states[i].end = order->states[i].taken = NULL;
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
    const struct mr_pass_run *run = pass->run;
    return pass->bands[pass->order.claim_band].end_block > pass->pinned_blocks ||
           (pass->pinned_degrees == NULL && (run->out_degrees || run->in_degrees));
}

/* Under the lock. A unit that is claimed before it starts is one that nobody else will do. One in memory is claimed
 * only to fetch its first block into the cache: not one of the last, which are for whoever is free. (Of the five
 * bands of cnr-2000 one of two threads could get three, 62% of the links; taken as threads are free it is 54%.)
 * Others are claimed to be read; long before they start only while as many are left for everybody, and none that
 * must wait for bands that others have not begun. */
static bool may_claim(const struct mr_pass *pass, unsigned n_held)
{
    const struct pass_order *order = &pass->order;
    const uint64_t n_left = pass->info->n_bands - order->claim_band;
    if (n_held == 0) {
        return true;
    }
    if (!is_on_disk(pass)) {
        return n_held < CLAIMS_NEAR && n_left >= (uint64_t)MANY_BANDS * pass->n_running;
    }
    return n_held < CLAIMS_NEAR ||
           (n_left >= (n_held + UINT64_C(1)) * pass->n_running &&
            order->claim_band < (uint64_t)order->done_bands + order->window);
}

bool mr_order_claim(struct mr_pass *pass, unsigned n_held, struct pass_unit *unit)
{
    struct pass_order *order = &pass->order;
    pthread_mutex_lock(&order->lock);
    const bool is_left = order->claim_band < pass->info->n_bands && order->status == MR_OK &&
                         may_claim(pass, n_held);
    if (is_left) {
        unit->band = order->claim_band;
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
    if (unit->band >= (uint64_t)order->done_bands + order->window) {
        return false;
    }
    if (pass->run->relax && unit->band >= (uint64_t)order->committed + 2 * pass->run->lag) {
        return false;
    }
    const struct band_state *state = &order->states[unit->band % order->n_states];
    bool is_lowest = unit->band == order->done_bands && state->next_merge == unit->segment;
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

/* Under the lock. Relaxing, whichever unit of the band starts first: not always the first one. */
static bool takes_end(const struct mr_pass *pass, const struct band_state *state,
                      const struct pass_unit *unit)
{
    return pass->run->relax ? state->taken == NULL : unit->is_last;
}

bool mr_order_start(struct pass_worker *worker, const struct pass_unit *unit, void **accumulator,
                    uint32_t *committed, struct band_end **end)
{
    struct mr_pass *pass = worker->pass;
    struct pass_order *order = &pass->order;
    pthread_mutex_lock(&order->lock);
    struct band_state *state = state_of(pass, unit->band);
    while (order->status == MR_OK &&
           (!may_start(pass, unit) || (takes_end(pass, state, unit) && free_end(worker) == NULL))) {
        mr_crew_wait(worker);
    }
    bool is_running = order->status == MR_OK;
    *end = NULL;
    if (is_running) {
        *accumulator = order->free_accumulators[--order->n_free];
        *committed = order->committed;
        state->n_segments = mr_units_of(pass, unit->band);
        if (takes_end(pass, state, unit)) {
            state->taken = free_end(worker);
            state->taken->is_taken = true;
            state->taken->band = unit->band;
            if (pass->run->relax && state->taken->near != NULL) {
                mr_near_begin(pass, state->taken->near, unit->band);
            }
        }
        *end = pass->run->relax || unit->is_last ? state->taken : NULL;
    }
    pthread_mutex_unlock(&order->lock);
    if (is_running && !pass->run->degrees_only) {
        memset(*accumulator, 0, pass->band_width * pass->sum_bytes);
    }
    return is_running;
}

/* Under the lock, which is given up while vectors are added: merge what is next in segment order. */
static void merge(struct mr_pass *pass, struct band_state *state)
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
                          pass->band_width * pass->width);
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

static void take(struct band_state *state, struct band_end **done, void **sum)
{
    *done = state->end;
    *sum = state->sum;
    state->end = NULL;
}

bool mr_order_complete(struct mr_pass *pass, const struct pass_unit *unit, void *accumulator,
                       struct band_end *end, struct band_end **done, void **sum)
{
    struct pass_order *order = &pass->order;
    struct band_state *state = state_of(pass, unit->band);
    pthread_mutex_lock(&order->lock);
    state->completed[unit->segment] = accumulator;
    if (unit->is_last) {
        state->end = end;
    }
    merge(pass, state);
    /* Whoever merges meanwhile, or finishes the band before, sees to it that the band is finished. */
    const bool is_its_turn = !pass->run->relax || unit->band == order->done_bands;
    const bool is_done = is_its_turn && is_complete(pass, state);
    if (is_done) {
        take(state, done, sum);
    }
    pthread_mutex_unlock(&order->lock);
    return is_done;
}

static uint8_t *slot(const struct mr_pass *pass, uint32_t band)
{
    return pass->order.ring + (band % pass->order.n_slots) * pass->band_width * pass->vertex_bytes;
}

static uint8_t *in_x(const struct mr_pass *pass, uint32_t band)
{
    return (uint8_t *)pass->run->x + band * pass->band_width * pass->vertex_bytes;
}

const void *mr_order_values(const struct mr_pass *pass, uint32_t band)
{
    return in_x(pass, band);
}

const void *mr_order_sources(const struct mr_pass *pass, const struct mr_tile *tile,
                             uint32_t reader, uint32_t committed)
{
    const unsigned bits = pass->info->band_bits - pass->info->stripe_bits;
    const uint32_t band = tile->stripe >> bits;
    const bool is_in_ring = pass->run->relax && band >= committed && band < reader;
    if (tile->encoding == MR_TILE_PACKED) {
        return mr_packed_values(pass, tile->stripe, is_in_ring);
    }
    const uint8_t *x = is_in_ring ? slot(pass, band) : in_x(pass, band);
    return x + (tile->stripe - (band << bits)) * (pass->vertex_bytes << pass->info->stripe_bits);
}

void *mr_order_new_values(const struct mr_pass *pass, uint32_t band)
{
    return slot(pass, band);
}

/* Under the lock, which is given up while values are copied. One thread at a time, in band order. */
static void commit(struct mr_pass *pass)
{
    struct pass_order *order = &pass->order;
    const uint32_t n_bands = pass->info->n_bands;
    if (order->committing) {
        return;
    }
    order->committing = true;
    while (order->committed < n_bands && order->status == MR_OK) {
        bool is_over = order->done_bands == n_bands; /* nobody reads any more */
        if (!is_over && order->done_bands < (uint64_t)order->committed + pass->run->lag) {
            break;
        }
        uint32_t band = order->committed;
        pthread_mutex_unlock(&order->lock);
        memcpy(in_x(pass, band), slot(pass, band),
               mr_band_vertices(pass->info, band) * pass->vertex_bytes);
        if (mr_is_packed(pass)) {
            mr_packed_commit(pass, band);
        }
        pthread_mutex_lock(&order->lock);
        order->committed++;
        pthread_cond_broadcast(&order->changed);
    }
    order->committing = false;
}

bool mr_order_wait_for(struct pass_worker *worker, uint32_t band)
{
    struct pass_order *order = &worker->pass->order;
    pthread_mutex_lock(&order->lock);
    while (order->status == MR_OK && order->done_bands <= band) {
        mr_crew_wait(worker);
    }
    const bool is_running = order->status == MR_OK;
    pthread_mutex_unlock(&order->lock);
    return is_running;
}

bool mr_order_finish(struct mr_pass *pass, struct band_end *end, struct band_end **done, void **sum)
{
    struct pass_order *order = &pass->order;
    const uint32_t band = end->band;
    bool is_next_done = false;
    pthread_mutex_lock(&order->lock);
    struct band_state *state = state_of(pass, band);
    order->free_accumulators[order->n_free++] = state->sum;
    state->sum = NULL;
    state->taken = NULL;
    state->next_merge = 0;
    end->is_taken = false;
    order->finished[band % order->n_states] = true;
    while (order->done_bands < pass->info->n_bands &&
           order->finished[order->done_bands % order->n_states]) {
        order->finished[order->done_bands % order->n_states] = false;
        order->done_bands++;
    }
    if (pass->run->relax) {
        commit(pass);
        const uint32_t next = order->done_bands; /* another thread may be further */
        state = state_of(pass, next);
        is_next_done =
            next < pass->info->n_bands && is_complete(pass, state) && state->end->band == next;
        if (is_next_done) {
            take(state, done, sum);
        }
    }
    pthread_cond_broadcast(&order->changed);
    const struct mr_context *context = pass->context;
    if (context->progress != NULL) {
        struct mr_progress progress = {
            .stage = "pass",
            .done = order->done_bands,
            .total = pass->info->n_bands,
            .unit = "bands",
            .passes = (unsigned)pass->figures.passes,
            .error_bound = -1,
        };
        context->progress(context->progress_data, &progress);
    }
    pthread_mutex_unlock(&order->lock);
    return is_next_done;
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
