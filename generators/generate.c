/* SPDX-License-Identifier: Apache-2.0 */
/* Running a generator on all threads and handing its edges to a sink in order. `millrace generate`
 * and builds from synthetic graphs use it. Order makes the output independent of the number of
 * threads. */
#include "generators/generate.h"

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/team.h"

#define FIRST_CAPACITY ((size_t)4096)

enum mr_status mr_edge_list_reserve(struct mr_edge_list *list, size_t more, struct mr_error *err)
{
    if (list->capacity - list->n_edges >= more) {
        return MR_OK;
    }
    void *edges = list->edges;
    size_t capacity = mr_max_u64(list->n_edges + more, 2 * list->capacity + FIRST_CAPACITY);
    enum mr_status status = mr_memory_resize(list->memory, "generated edges", &edges,
                                             capacity * sizeof *list->edges, err);
    if (status == MR_OK) {
        list->edges = edges;
        list->capacity = capacity;
    }
    return status;
}

enum mr_status mr_byte_list_reserve(struct mr_byte_list *list, size_t more, struct mr_error *err)
{
    if (list->capacity - list->n_bytes >= more) {
        return MR_OK;
    }
    void *bytes = list->bytes;
    size_t capacity = mr_max_u64(list->n_bytes + more, 2 * list->capacity + FIRST_CAPACITY);
    enum mr_status status = mr_memory_resize(list->memory, "generated text", &bytes, capacity, err);
    if (status == MR_OK) {
        list->bytes = bytes;
        list->capacity = capacity;
    }
    return status;
}

static void free_edge_list(struct mr_edge_list *list)
{
    mr_memory_free(list->memory, list->edges);
    *list = (struct mr_edge_list){.memory = list->memory};
}

void mr_byte_list_free(struct mr_byte_list *list)
{
    mr_memory_free(list->memory, list->bytes);
    *list = (struct mr_byte_list){.memory = list->memory};
}

struct run {
    const struct mr_context *context;
    const struct mr_generator *generator;
    const struct mr_edge_sink *sink;
    struct mr_team team;
    pthread_mutex_t mutex; /* guards the members below */
    pthread_cond_t turned;
    uint64_t turn; /* the next unit to hand over */
    uint64_t n_edges; /* handed over so far */
};

/* Units are given out in order, so the thread that has the turn is working, not waiting. */
static enum mr_status hand_over(struct run *run, uint64_t unit, const struct mr_edge_list *edges,
                                const struct mr_byte_list *packed, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    (void)pthread_mutex_lock(&run->mutex);
    while (run->turn != unit && !mr_team_failed(&run->team)) {
        (void)pthread_cond_wait(&run->turned, &run->mutex);
    }
    if (!mr_team_failed(&run->team)) {
        status = run->sink->take(run->sink->data, edges->edges, edges->n_edges, packed, err);
        run->turn++;
        run->n_edges += edges->n_edges;
        if (status == MR_OK && run->context->progress != NULL) {
            const struct mr_progress progress = {.stage = "generate",
                                                 .done = run->turn,
                                                 .total = run->generator->n_units,
                                                 .unit = "units",
                                                 .edges = run->n_edges,
                                                 .error_bound = -1};
            run->context->progress(run->context->progress_data, &progress);
        }
    }
    (void)pthread_cond_broadcast(&run->turned);
    (void)pthread_mutex_unlock(&run->mutex);
    return status;
}

static enum mr_status make_unit(struct run *run, uint64_t unit, void *scratch,
                                struct mr_edge_list *edges, struct mr_byte_list *packed,
                                struct mr_error *err)
{
    edges->n_edges = 0;
    packed->n_bytes = 0;
    enum mr_status status = run->generator->make(run->generator->model, unit, scratch, edges, err);
    if (status == MR_OK && run->sink->pack != NULL) {
        status = run->sink->pack(run->sink->data, (unsigned)omp_get_thread_num(), edges->edges,
                                 edges->n_edges, packed, err);
    }
    return status == MR_OK ? hand_over(run, unit, edges, packed, err) : status;
}

static void work(struct run *run)
{
    struct mr_memory *memory = run->context->memory;
    struct mr_edge_list edges = {.memory = memory};
    struct mr_byte_list packed = {.memory = memory};
    struct mr_error error = {.status = MR_OK};
    void *scratch = NULL;
    uint64_t unit;
    enum mr_status status = MR_OK;

    if (run->generator->scratch_bytes > 0) {
        status =
            mr_memory_alloc(memory, "generator", run->generator->scratch_bytes, &scratch, &error);
    }
    while (status == MR_OK && mr_team_next(&run->team, &unit)) {
        status = make_unit(run, unit, scratch, &edges, &packed, &error);
    }
    if (status != MR_OK) {
        mr_team_fail(&run->team, status, &error);
    }
    /* Also after mr_team_next said stop: no thread may wait for a unit that will never come. */
    (void)pthread_mutex_lock(&run->mutex);
    (void)pthread_cond_broadcast(&run->turned);
    (void)pthread_mutex_unlock(&run->mutex);
    mr_memory_free(memory, scratch);
    mr_byte_list_free(&packed);
    free_edge_list(&edges);
}

enum mr_status mr_generate(const struct mr_context *context, const struct mr_generator *generator,
                           const struct mr_edge_sink *sink, struct mr_error *err)
{
    struct run run = {.context = context, .generator = generator, .sink = sink};
    enum mr_status status = MR_OK;
    int failure = pthread_mutex_init(&run.mutex, NULL);

    if (failure != 0) {
        return mr_error_file(err, MR_ERROR_RUNTIME, NULL, failure, "cannot make a mutex");
    }
    failure = pthread_cond_init(&run.turned, NULL);
    if (failure != 0) {
        (void)pthread_mutex_destroy(&run.mutex);
        return mr_error_file(err, MR_ERROR_RUNTIME, NULL, failure, "cannot make a condition");
    }
    status = mr_team_begin(&run.team, context, generator->n_units, err);
    if (status == MR_OK) {
#pragma omp parallel num_threads((int)context->threads)
        work(&run);
        status = mr_team_end(&run.team, err);
    }
    (void)pthread_cond_destroy(&run.turned);
    (void)pthread_mutex_destroy(&run.mutex);
    return status;
}

static enum mr_status take_into_build(void *data, const struct mr_edge *edges, size_t n_edges,
                                      const struct mr_byte_list *packed, struct mr_error *err)
{
    (void)packed;
    return mr_build_edges(data, edges, n_edges, err);
}

struct mr_edge_sink mr_build_sink(struct mr_build *build)
{
    return (struct mr_edge_sink){.data = build, .take = take_into_build};
}
