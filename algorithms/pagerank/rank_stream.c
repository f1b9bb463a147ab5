/* SPDX-License-Identifier: Apache-2.0 */
/* Scores in windows (solver.h). pagerank.c makes a stream at the end of a run that has no
 * memory for all scores; cli/commands/cmd_pagerank.c reads it while it writes. A store numbers the
 * core and the frontier each in the order of the input, so a writer, which goes by positions, moves
 * each of the two windows forward only. */

#include <stdlib.h>

#include "algorithms/pagerank/solver.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"

enum {
    WINDOW_VERTICES = 1 << 18, /* at least one band */
    WRITER_BYTES = 8 << 20 /* buffers of names and of a compressed output */
};

struct score_window {
    double *scores; /* [window_bands << band_bits] */
    uint32_t first_band, end_band; /* equal: nothing yet */
};

struct mr_rank_stream {
    struct mr_context context;
    const struct mr_store_info *info;
    struct mr_rank_vector teleport;
    struct mr_rank_shares vector;
    struct mr_pass *pass;
    uint32_t n_core_bands;
    uint32_t window_bands;
    struct score_window windows[2]; /* of the core, of the frontier */
};

static uint32_t window_bands(const struct mr_store_info *info)
{
    return (uint32_t)mr_max_u64(1, WINDOW_VERTICES >> info->band_bits);
}

static uint64_t window_bytes(const struct mr_store_info *info)
{
    return ((uint64_t)window_bands(info) << info->band_bits) * sizeof(double);
}

uint64_t mr_rank_stream_memory(const struct mr_store_info *info)
{
    return 2 * window_bytes(info) + WRITER_BYTES;
}

enum mr_status mr_rank_stream_create(struct mr_rank_solver *solver, struct mr_rank_stream **out,
                                     struct mr_error *err)
{
    const struct mr_pass_options options = {
        .no_pinning = true, .leave_bytes = WRITER_BYTES, .scales_weights = true};
    struct mr_rank_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the scores");
    }
    stream->context = solver->context;
    stream->context.progress = NULL;
    stream->info = solver->info;
    stream->n_core_bands = solver->n_core_bands;
    stream->window_bands = window_bands(solver->info);
    enum mr_status status = MR_OK;
    for (int i = 0; i < 2 && status == MR_OK; i++) {
        status = mr_memory_alloc(stream->context.memory, "scores, some at a time",
                                 window_bytes(solver->info), &stream->windows[i].scores, err);
    }
    if (status == MR_OK) {
        status = mr_pass_open(&stream->context, solver->store, &options, &stream->pass, err);
    }
    if (status != MR_OK) {
        mr_rank_stream_destroy(stream);
        return status;
    }
    stream->vector = solver->vector;
    stream->vector.x = mr_rank_take_vector(solver);
    stream->teleport = solver->teleport;
    stream->vector.terms.teleport = &stream->teleport;
    *out = stream;
    return MR_OK;
}

void mr_rank_stream_destroy(struct mr_rank_stream *stream)
{
    if (stream == NULL) {
        return;
    }
    mr_pass_close(stream->pass);
    mr_memory_free(stream->context.memory, stream->windows[0].scores);
    mr_memory_free(stream->context.memory, stream->windows[1].scores);
    mr_memory_free(stream->context.memory, stream->vector.x);
    free(stream);
}

/* Move the window so that it begins with `band`. */
static enum mr_status move(struct mr_rank_stream *stream, unsigned part, uint32_t band,
                           struct mr_error *err)
{
    struct score_window *window = &stream->windows[part];
    const uint32_t last = part == 0 ? stream->n_core_bands : stream->info->n_bands;
    const uint32_t end = (uint32_t)mr_min_u64(last, (uint64_t)band + stream->window_bands);
    struct mr_pass_task task = {
        .value = stream->vector.is_single ? MR_VALUE_FLOAT : MR_VALUE_DOUBLE,
        .x = stream->vector.x,
        .out_degrees = part == 0,
        .degrees_only = part == 0,
        .first_band = band,
        .end_band = end,
        .callback = part == 0 ? mr_vector_finish : mr_vector_finish_frontier,
        .callback_data = &stream->vector,
    };
    window->first_band = window->end_band = 0;
    stream->vector.ranks = window->scores;
    stream->vector.first_rank = (uint64_t)band << stream->info->band_bits;
    const enum mr_status status = mr_pass_run(stream->pass, &task, err);
    if (status == MR_OK) {
        window->first_band = band;
        window->end_band = end;
    }
    return status;
}

enum mr_status mr_rank_stream_score(struct mr_rank_stream *stream, uint64_t vertex, double *score,
                                    struct mr_error *err)
{
    const unsigned bits = stream->info->band_bits;
    const uint32_t band = (uint32_t)(vertex >> bits);
    const unsigned part = band < stream->n_core_bands ? 0 : 1;
    struct score_window *window = &stream->windows[part];
    if (band < window->first_band || band >= window->end_band) {
        const enum mr_status status = move(stream, part, band, err);
        if (status != MR_OK) {
            return status;
        }
    }
    *score = window->scores[vertex - ((uint64_t)window->first_band << bits)];
    if (stream->vector.is_single) {
        *score = (double)(float)*score;
    }
    return MR_OK;
}
