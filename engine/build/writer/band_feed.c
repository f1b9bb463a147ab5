#include "engine/build/writer/band_feed_internal.h"

#include <stdlib.h>

enum mr_status mr_band_feed_create(const struct mr_context *context, struct mr_store_writer *store,
                                   const struct mr_band_shape *shape,
                                   const struct mr_edge_grid *grid,
                                   const struct mr_feed_classes *classes, struct mr_store *base,
                                   struct mr_band_feed **out, struct mr_error *err)
{
    *out = NULL;
    struct mr_band_feed *feed = calloc(1, sizeof *feed);
    if (feed == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for encoding");
    }
    enum mr_status status = MR_OK;
    feed->context = context;
    feed->store = store;
    feed->base = base;
    feed->grid = grid;
    feed->classes = classes;
    feed->n_classes = classes != NULL ? MR_CLASSES_MAX : 1;
    feed->slots = calloc(context->threads, sizeof *feed->slots);
    feed->free_slots = calloc(context->threads, sizeof(struct feed_slot *));
    feed->has_mutex = pthread_mutex_init(&feed->mutex, NULL) == 0;
    feed->has_condition = pthread_cond_init(&feed->turned, NULL) == 0;
    if (feed->slots == NULL || feed->free_slots == NULL || !feed->has_mutex ||
        !feed->has_condition) {
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for encoding");
    }
    if (status == MR_OK) {
        status = mr_feed_slots_create(feed, shape, err);
    }
    if (status != MR_OK) {
        mr_band_feed_destroy(feed);
        return status;
    }
    *out = feed;
    return MR_OK;
}

void mr_band_feed_destroy(struct mr_band_feed *feed)
{
    if (feed == NULL) {
        return;
    }
    mr_feed_slots_destroy(feed);
    if (feed->has_condition) {
        (void)pthread_cond_destroy(&feed->turned);
    }
    if (feed->has_mutex) {
        (void)pthread_mutex_destroy(&feed->mutex);
    }
    free(feed->free_slots);
    free(feed->slots);
    free(feed);
}

uint64_t mr_band_feed_pending_bytes(const struct mr_band_feed *feed)
{
    return (uint64_t)feed->n_slots * feed->n_sets * feed->n_classes *
           (feed->pending_bytes + PENDING_EXTRA_BYTES);
}

/* ---- Turns: the store takes bands in order ---- */

static void pass_turn(struct mr_band_feed *feed, uint32_t next)
{
    (void)pthread_mutex_lock(&feed->mutex);
    atomic_store_explicit(&feed->turn, next, memory_order_release);
    (void)pthread_cond_broadcast(&feed->turned);
    (void)pthread_mutex_unlock(&feed->mutex);
}

/* ---- Encoding ---- */

/* Whoever has the turn reports: one thread at a time. */
static void report(struct feeding *feeding, uint64_t n_edges)
{
    struct mr_band_feed *feed = feeding->feed;
    const struct mr_context *context = feed->context;
    const struct mr_edge_piece *last = &feeding->plan->pieces[feeding->plan->n_pieces - 1];
    feed->n_edges_done += n_edges;
    if (context->progress == NULL) {
        return;
    }
    const struct mr_progress progress = {
        .stage = "encode",
        .done = feed->n_edges_done,
        .total = last->first_edge + last->n_edges,
        .unit = "edges",
        .edges = feed->n_edges_done,
        .error_bound = -1,
    };
    context->progress(context->progress_data, &progress);
}

static enum mr_status feed_band(struct feeding *feeding, uint32_t band, struct mr_error *err)
{
    struct mr_band_feed *feed = feeding->feed;
    bool is_carried = band == feeding->first_band && !feeding->begins;
    bool goes_on = band + 1 == feeding->end_band && !feeding->completes;
    struct feed_slot *slot = is_carried ? feeding->carried : mr_feed_slot_take(feed);
    uint64_t n_edges = 0;

    enum mr_status status = is_carried ? MR_OK : mr_feed_slot_begin(feed, band, slot, err);
    if (status == MR_OK) {
        status = mr_feed_band_links(feeding, band, slot, &n_edges, err);
    }
    if (status == MR_OK && goes_on) {
        feed->carried = slot; /* for the next piece */
        if (mr_feed_wait_for_turn(feed, &feeding->team, band)) {
            report(feeding, n_edges);
        }
        return MR_OK;
    }
    for (unsigned c = 0; c < feed->n_classes && status == MR_OK; c++) {
        status = mr_band_writer_end(slot->writers[c], err);
    }
    if (status == MR_OK && slot->weighted != NULL) {
        status = mr_band_writer_end(slot->weighted, err);
    }
    if (status == MR_OK && mr_feed_wait_for_turn(feed, &feeding->team, band)) {
        status = mr_feed_slot_end(feed, band, slot, err);
        if (status == MR_OK) {
            report(feeding, n_edges);
            pass_turn(feed, band + 1);
        }
    }
    mr_feed_slot_give(feed, slot);
    return status;
}

enum mr_status mr_band_feed_piece(struct mr_band_feed *feed, const struct mr_edge_plan *plan,
                                  const struct mr_sorted_piece *sorted, struct mr_error *err)
{
    struct feeding feeding = {
        .feed = feed, .plan = plan, .sorted = sorted, .carried = feed->carried};
    mr_edge_plan_bands(plan, sorted->piece, &feeding.first_band, &feeding.end_band, &feeding.begins,
                       &feeding.completes);
    enum mr_status status =
        mr_team_begin(&feeding.team, feed->context, feeding.end_band - feeding.first_band, err);
    if (status != MR_OK) {
        return status;
    }
#pragma omp parallel num_threads((int)feed->n_slots)
    {
        struct mr_error error = {.status = MR_OK};
        uint64_t job;
        while (mr_team_next(&feeding.team, &job)) {
            enum mr_status failure =
                feed_band(&feeding, feeding.first_band + (uint32_t)job, &error);
            if (failure != MR_OK) {
                mr_team_fail(&feeding.team, failure, &error);
            }
        }
        if (mr_team_failed(&feeding.team)) { /* wake those who wait for a turn that never comes */
            (void)pthread_mutex_lock(&feed->mutex);
            (void)pthread_cond_broadcast(&feed->turned);
            (void)pthread_mutex_unlock(&feed->mutex);
        }
    }
    return mr_team_end(&feeding.team, err);
}
