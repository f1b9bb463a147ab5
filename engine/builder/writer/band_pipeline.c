/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes sorted pieces and writes them: the last stage of a build. The threads of a team take
 * bands in ascending order. Each thread encodes its band into blocks in memory. Then it waits for
 * the turn of its band and writes the blocks, since the store takes bands in order. While one
 * thread writes, the others encode. */
#include "engine/builder/writer/band_pipeline_internal.h"

#include <stdlib.h>

enum mr_status mr_band_pipeline_create(const struct mr_context *context,
                                       struct mr_store_writer *store,
                                       const struct mr_band_shape *shape,
                                       const struct mr_edge_grid *grid, const uint32_t *groups,
                                       uint32_t *internal_out, struct mr_band_pipeline **out,
                                       struct mr_error *err)
{
    struct mr_band_pipeline *pipeline = calloc(1, sizeof *pipeline);
    *out = pipeline;
    if (pipeline == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for encoding");
    }
    enum mr_status status = MR_OK;
    pipeline->context = context;
    pipeline->store = store;
    pipeline->grid = grid;
    pipeline->groups = groups;
    pipeline->internal_out = internal_out;
    pipeline->n_classes = groups != NULL ? MR_CLASSES_MAX : 1;
    pipeline->slots = calloc(context->threads, sizeof *pipeline->slots);
    pipeline->free_slots = calloc(context->threads, sizeof(struct pipeline_slot *));
    pipeline->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    if (pipeline->slots == NULL || pipeline->free_slots == NULL) {
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for encoding");
    }
    if (status == MR_OK) {
        status = mr_pipeline_slots_create(pipeline, shape, err);
    }
    return status;
}

void mr_band_pipeline_destroy(struct mr_band_pipeline *pipeline)
{
    if (pipeline == NULL) {
        return;
    }
    mr_pipeline_slots_destroy(pipeline);
    free(pipeline->free_slots);
    free(pipeline->slots);
    free(pipeline);
}

uint64_t mr_band_pipeline_pending_bytes(const struct mr_band_pipeline *pipeline)
{
    return (uint64_t)pipeline->n_slots * pipeline->n_sets * pipeline->n_classes *
           (pipeline->pending_bytes + PENDING_EXTRA_BYTES);
}

struct mr_edge_elastic mr_band_pipeline_elastic(const struct mr_band_pipeline *pipeline)
{
    return (struct mr_edge_elastic){.writer_bytes = pipeline->slot_bytes,
                                    .available_bytes = pipeline->available_bytes,
                                    .n_writers = pipeline->n_slots,
                                    .most_writers = pipeline->context->threads};
}

/* ---- Encoding ---- */

/* Only the thread whose band has the turn calls this function: one thread at a time. */
static void report(struct piece_work *work, uint64_t n_edges)
{
    struct mr_band_pipeline *pipeline = work->pipeline;
    const struct mr_context *context = pipeline->context;
    const struct mr_edge_piece *last = &work->plan->pieces[work->plan->n_pieces - 1];
    pipeline->n_edges_done += n_edges;
    if (context->progress == NULL) {
        return;
    }
    const struct mr_progress progress = {
        .stage = "encode",
        .done = pipeline->n_edges_done,
        .total = last->first_edge + last->n_edges,
        .unit = "edges",
        .edges = pipeline->n_edges_done,
        .error_bound = -1,
    };
    context->progress(context->progress_data, &progress);
}

static enum mr_status encode_band(struct piece_work *work, uint32_t band, struct mr_error *err)
{
    struct mr_band_pipeline *pipeline = work->pipeline;
    bool is_carried = band == work->first_band && !work->begins;
    bool goes_on = band + 1 == work->end_band && !work->completes;
    struct pipeline_slot *slot = is_carried ? work->carried : mr_pipeline_slot_take(pipeline);
    uint64_t n_edges = 0;

    if (!is_carried) {
        mr_pipeline_slot_begin(pipeline, band, slot);
    }
    enum mr_status status = mr_pipeline_encode_band(work, band, slot, &n_edges, err);
    if (status == MR_OK && goes_on) {
        pipeline->carried = slot; /* the next piece goes on with this band */
        if (mr_pipeline_await_turn(work, band)) {
            report(work, n_edges);
        }
        return MR_OK;
    }
    for (unsigned c = 0; c < pipeline->n_classes && status == MR_OK; c++) {
        status = mr_band_writer_end(slot->writers[c], err);
    }
    if (status == MR_OK && slot->weighted != NULL) {
        status = mr_band_writer_end(slot->weighted, err);
    }
    if (status == MR_OK && mr_pipeline_await_turn(work, band)) {
        status = mr_pipeline_slot_end(pipeline, band, slot, err);
        if (status == MR_OK) {
            report(work, n_edges);
            mr_team_pass(work->team);
        }
    }
    mr_pipeline_slot_give(pipeline, slot);
    return status;
}

/* A mr_team_work. */
static enum mr_status encode_bands(void *data, struct mr_team *team, unsigned worker,
                                   struct mr_error *err)
{
    struct piece_work *work = data;
    struct piece_work own = *work;
    enum mr_status status = MR_OK;
    uint64_t job;

    (void)worker;
    own.team = team;
    while (status == MR_OK && mr_team_next(team, &job)) {
        status = encode_band(&own, work->first_band + (uint32_t)job, err);
    }
    return status;
}

enum mr_status mr_band_pipeline_piece(struct mr_band_pipeline *pipeline,
                                      const struct mr_edge_plan *plan,
                                      const struct mr_sorted_piece *sorted, struct mr_error *err)
{
    struct piece_work work = {
        .pipeline = pipeline, .plan = plan, .sorted = sorted, .carried = pipeline->carried};
    mr_edge_plan_bands(plan, sorted->piece, &work.first_band, &work.end_band, &work.begins,
                       &work.completes);
    return mr_team_run(pipeline->context, work.end_band - work.first_band, pipeline->n_slots,
                       encode_bands, &work, err);
}
