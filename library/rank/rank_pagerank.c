/* SPDX-License-Identifier: Apache-2.0 */
/* The public PageRank. The solvers check the options and do the work. The result becomes a ranking,
 * or goes to a callback one vector at a time. A saver keeps the state of one vector in a file. */
#include "library/rank/rank_pagerank.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <xxhash.h>

#include "engine/base/clock.h"
#include "engine/base/memory.h"
#include "engine/base/sized_struct.h"
#include "engine/io/checkpoint.h"
#include "library/files.h"
#include "millrace/version.h"

/* Copies `options`, which may be NULL or of an older version. */
static enum mr_status take_options(const struct mr_pagerank_options *options,
                                   struct mr_pagerank_options *taken, struct mr_error *err)
{
    *taken = (struct mr_pagerank_options)MR_PAGERANK_OPTIONS_INIT;
    const enum mr_status status = mr_sized_take(options, taken, sizeof *taken, err);
    if (status != MR_OK) {
        return status;
    }
    if ((unsigned)taken->dangling > MR_DANGLING_NONE) {
        return mr_error_set(err, MR_ERROR_USAGE, "no such way of dangling pages: %d",
                            (int)taken->dangling);
    }
    if ((unsigned)taken->precision > MR_PRECISION_SINGLE ||
        (unsigned)taken->until > MR_UNTIL_LEVELS) {
        return mr_error_set(err, MR_ERROR_USAGE, "no such precision or aim: %d, %d",
                            (int)taken->precision, (int)taken->until);
    }
    return taken->may_stream || taken->hooks != NULL
               ? mr_error_set(err, MR_ERROR_USAGE, "streams and hooks are the program's own")
               : MR_OK;
}

/* ---- The checkpoint ---- */

#define WORTH_A_SAVE_S  10.0 /* shorter runs save no checkpoint without --checkpoint */
#define SAVE_INTERVAL_S 60.0 /* time between checkpoints */
/* Writes everything that the state depends on to saver->text. */
static void describe_state(struct mr_pagerank_saver *saver, const struct mr_store_info *info,
                           const struct mr_pagerank_options *options)
{
    const uint64_t teleport =
        options->teleport == NULL
            ? 0
            : XXH3_64bits(options->teleport, options->n_teleport * sizeof *options->teleport);
    (void)snprintf(saver->text, sizeof saver->text,
                   "store %016" PRIx64 ", damping %.17g, dangling %d%s, precision %d, iterations "
                   "%" PRIu64 ", tolerance %.17g, inner %" PRIu64 ", acceleration %" PRIu64
                   ", teleport %016" PRIx64 ", links %u %.17g %.17g, millrace %s",
                   info->store_id, options->damping, (int)options->dangling,
                   options->heritrix ? ", heritrix" : "", (int)options->precision,
                   options->iterations, options->heritrix ? options->tolerance : 0, options->inner,
                   options->acceleration, teleport, info->classes, info->class_weights[0],
                   info->class_weights[1], MR_VERSION);
}

/* The solver calls this between two passes. Saves the state at intervals and when the run is
 * asked to stop. */
static enum mr_status save_state(void *data, const struct mr_state_part *parts, unsigned n_parts,
                                 struct mr_error *err)
{
    struct mr_pagerank_saver *saver = data;
    const struct mr_context *context = saver->context;
    struct mr_checkpoint_part saved[MR_PAGERANK_STATE_PARTS];
    const double now = mr_now();
    const bool is_asked = mr_context_cancelled(context);
    const bool is_due = saver->only_at_interruption
                            ? is_asked && now - saver->began >= WORTH_A_SAVE_S
                            : is_asked || now - saver->saved_at >= SAVE_INTERVAL_S;
    if (is_due) {
        for (unsigned i = 0; i < n_parts; i++) {
            saved[i] = (struct mr_checkpoint_part){parts[i].bytes, parts[i].n_bytes};
        }
        const enum mr_status status =
            mr_checkpoint_write(context->io, saver->path, saver->text, saved, n_parts, err);
        if (status != MR_OK) {
            return status;
        }
        saver->saved_at = mr_now();
        saver->is_ours = true;
    }
    return mr_context_poll(context, err);
}

static enum mr_status restore_state(void *data, const struct mr_state_part *parts, unsigned n_parts,
                                    struct mr_error *err)
{
    struct mr_pagerank_saver *saver = data;
    struct mr_checkpoint_part wanted[MR_PAGERANK_STATE_PARTS];
    for (unsigned i = 0; i < n_parts; i++) {
        wanted[i] = (struct mr_checkpoint_part){parts[i].bytes, parts[i].n_bytes};
    }
    const enum mr_status status =
        mr_checkpoint_read(saver->context->io, saver->path, saver->text, wanted, n_parts, err);
    saver->is_ours = status == MR_OK;
    return status;
}

void mr_pagerank_saver_begin(struct mr_pagerank_saver *saver, const struct mr_store *links,
                             const struct mr_pagerank_options *options, bool resumes,
                             struct mr_pagerank_hooks *hooks)
{
    saver->began = saver->saved_at = mr_now();
    describe_state(saver, mr_store_get_info(links), options);
    hooks->state_data = saver;
    hooks->save = save_state;
    hooks->restore = resumes ? restore_state : NULL;
}

enum mr_status mr_pagerank_saver_end(const struct mr_pagerank_saver *saver, enum mr_status status,
                                     struct mr_error *err)
{
    if (status == MR_OK && saver->is_ours) {
        status = mr_io_unlink(saver->context->io, saver->path, err);
    } else if (status == MR_INTERRUPTED && saver->is_ours) {
        mr_error_clear(err);
        status = mr_error_set(err, MR_INTERRUPTED,
                              "interrupted; the state is in %s: --resume continues", saver->path);
    }
    return status;
}

/* ---- One vector ---- */

enum mr_status mr_rank_pagerank(const struct mr_context *context, struct mr_store *store,
                                const struct mr_pagerank_options *options,
                                struct mr_ranking **ranking, struct mr_error *err)
{
    struct mr_pagerank_options taken;
    struct mr_pagerank_result result = {0};
    struct mr_pagerank_hooks hooks = {.data = NULL};
    struct mr_pagerank_saver saver = {.context = context};
    struct mr_ranking *made = NULL;

    *ranking = NULL;
    enum mr_status status = take_options(options, &taken, err);
    if (status == MR_OK && taken.checkpoint != NULL) {
        saver.path = taken.checkpoint;
        const bool resume = mr_io_exists(saver.path);
        struct mr_files *files = mr_files_create();
        mr_files_add(files, MR_FILE_READ, "the store", mr_store_path(store), NULL);
        mr_files_add(files, MR_FILE_UPDATED, "the checkpoint", saver.path, NULL);
        status = resume ? mr_checkpoint_may_replace(saver.path, err) : MR_OK;
        status = mr_files_end(files, status, true, false, err);
        mr_pagerank_saver_begin(&saver, store, &taken, resume, &hooks);
        taken.hooks = &hooks;
    }
    if (status == MR_OK) {
        status = mr_ranking_create(context, mr_store_get_info(store)->n_vertices, &made, err);
    }
    if (status != MR_OK) {
        return status;
    }
    status = mr_pagerank(context, store, &taken, &result, err);
    if (status == MR_OK || status == MR_NOT_CONVERGED) {
        struct mr_ranking_figures *figures = &made->figures;
        mr_ranking_add(made, "score",
                       taken.precision == MR_PRECISION_SINGLE ? MR_SCORES_FLOAT : MR_SCORES_DOUBLE,
                       result.scores);
        figures->converged = result.converged;
        figures->bound_kind = MR_BOUND_ERROR;
        figures->error_bound = result.error_bound;
        figures->tolerance = result.tolerance;
        figures->residual = result.residual;
        figures->rounding_bound = result.rounding_bound;
        figures->passes = (unsigned)result.passes;
        figures->proven_until = result.proven_until;
        mr_ranking_take_passes(figures, &result.figures);
    }
    return mr_ranking_finish(made, mr_pagerank_saver_end(&saver, status, err), ranking);
}

/* ---- Many vectors ---- */

static void figures_of(const struct mr_personalised_vector *vector,
                       const struct mr_personalised_result *result, uint64_t n_vertices,
                       struct mr_ranking_figures *figures)
{
    *figures = (struct mr_ranking_figures){
        .n_vertices = n_vertices,
        .converged = vector->converged,
        .bound_kind = MR_BOUND_ERROR,
        .error_bound = vector->error_bound,
        .tolerance = result->tolerance,
        .residual = vector->residual,
        .rounding_bound = vector->rounding_bound,
        .passes = (unsigned)(result->figures.passes + result->figures.partial_passes)};
    mr_ranking_take_passes(figures, &result->figures);
}

struct taker {
    mr_rank_callback take;
    void *take_data;
    double *scores; /* [n_vertices], of one vector */
    uint64_t n_vertices;
    bool is_single; /* the solver's scores are floats */
};

static enum mr_status take_batch(void *data, uint64_t first, unsigned n, unsigned width,
                                 void *values, struct mr_error *err)
{
    const struct taker *taker = data;
    enum mr_status status = MR_OK;

    for (unsigned j = 0; j < n && status == MR_OK; j++) {
        for (uint64_t v = 0; v < taker->n_vertices; v++) {
            const uint64_t at = v * width + j;
            taker->scores[v] =
                taker->is_single ? ((const float *)values)[at] : ((const double *)values)[at];
        }
        status = taker->take(taker->take_data, first + j, taker->scores, err);
    }
    return status;
}

static void give_figures(const struct mr_personalised_vector *outcomes, uint64_t n_vectors,
                         const struct mr_personalised_result *result, uint64_t n_vertices,
                         struct mr_ranking_figures *figures)
{
    /* The caller's structs may be longer or shorter than those of this version. */
    uint8_t *at = (uint8_t *)figures;
    for (uint64_t i = 0; i < n_vectors; i++) {
        struct mr_ranking_figures one;
        struct mr_ranking_figures *to = (struct mr_ranking_figures *)(void *)at;
        figures_of(&outcomes[i], result, n_vertices, &one);
        mr_sized_give(&one, sizeof one, to);
        at += to->struct_size;
    }
}

static enum mr_status rank_vectors(const struct mr_context *context, struct mr_store *store,
                                   const struct mr_teleport_vector *vectors, uint64_t n_vectors,
                                   const struct mr_pagerank_options *options, struct taker *taker,
                                   struct mr_ranking_figures *figures, struct mr_error *err)
{
    struct mr_personalised_result result = {0};
    struct mr_personalised_vector *outcomes = calloc(n_vectors, sizeof *outcomes);

    if (outcomes == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for %llu vectors",
                            (unsigned long long)n_vectors);
    }
    const enum mr_status status = mr_personalised(context, store, vectors, n_vectors, options,
                                                  outcomes, take_batch, taker, &result, err);
    if (figures != NULL && (status == MR_OK || status == MR_NOT_CONVERGED)) {
        give_figures(outcomes, n_vectors, &result, taker->n_vertices, figures);
    }
    free(outcomes);
    return status;
}

enum mr_status mr_rank_personalised(const struct mr_context *context, struct mr_store *store,
                                    const struct mr_teleport_vector *vectors, uint64_t n_vectors,
                                    const struct mr_pagerank_options *options,
                                    mr_rank_callback take, void *take_data,
                                    struct mr_ranking_figures *figures, struct mr_error *err)
{
    struct taker taker = {
        .take = take, .take_data = take_data, .n_vertices = mr_store_get_info(store)->n_vertices};
    struct mr_pagerank_options taken;

    enum mr_status status = take_options(options, &taken, err);
    if (status != MR_OK || n_vectors == 0) {
        return status;
    }
    taker.is_single = taken.precision == MR_PRECISION_SINGLE;
    status = mr_memory_alloc(context->memory, "scores", taker.n_vertices * sizeof(double) + 1,
                             &taker.scores, err);
    if (status == MR_OK) {
        status = rank_vectors(context, store, vectors, n_vectors, &taken, &taker, figures, err);
    }
    mr_memory_free(context->memory, taker.scores);
    return status;
}
