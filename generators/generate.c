/* SPDX-License-Identifier: Apache-2.0 */
/* Running a generator on all threads and handing its edges to a sink in order. `millrace generate`
 * and builds from synthetic graphs use it. Order makes the output independent of the number of
 * threads. */
#include "generators/generate.h"

#include "engine/base/memory.h"
#include "engine/base/team.h"

enum mr_status mr_edge_list_reserve(struct mr_edge_list *list, size_t more, struct mr_error *err)
{
    return mr_memory_grow(list->memory, "generated edges", list->n_edges + more, &list->edges,
                          &list->capacity, err);
}

void mr_edge_list_free(struct mr_edge_list *list)
{
    mr_memory_free(list->memory, list->edges);
    *list = (struct mr_edge_list){.memory = list->memory};
}

void mr_generator_close(struct mr_generator *generator)
{
    if (generator->close != NULL) {
        generator->close(generator->model);
    }
    *generator = (struct mr_generator){0};
}

struct generation {
    const struct mr_context *context;
    const struct mr_generator *generator;
    const struct mr_edge_sink *sink;
    uint64_t n_edges; /* handed over so far, by the thread that has the turn */
};

static void report(const struct generation *run, uint64_t done)
{
    const struct mr_progress progress = {.stage = "generate",
                                         .done = done,
                                         .total = run->generator->n_units,
                                         .unit = "units",
                                         .edges = run->n_edges,
                                         .error_bound = -1};
    if (run->context->progress != NULL) {
        run->context->progress(run->context->progress_data, &progress);
    }
}

static enum mr_status make_unit(struct generation *run, struct mr_team *team, uint64_t unit,
                                void *scratch, struct mr_edge_list *edges, struct mr_error *err)
{
    edges->n_edges = 0;
    enum mr_status status = run->generator->make(run->generator->model, unit, scratch, edges, err);
    if (status == MR_OK && mr_team_await(team, unit)) {
        status = run->sink->take(run->sink->data, edges->edges, edges->n_edges, err);
        run->n_edges += edges->n_edges;
        if (status == MR_OK) {
            report(run, unit + 1);
            mr_team_pass(team);
        }
    }
    return status;
}

/* A mr_team_work. */
static enum mr_status work(void *data, struct mr_team *team, unsigned worker, struct mr_error *err)
{
    struct generation *run = data;
    struct mr_memory *memory = run->context->memory;
    struct mr_edge_list edges = {.memory = memory};
    void *scratch = NULL;
    uint64_t unit;
    enum mr_status status = MR_OK;

    (void)worker;
    if (run->generator->scratch_bytes > 0) {
        status = mr_memory_alloc(memory, "generator", run->generator->scratch_bytes, &scratch, err);
    }
    while (status == MR_OK && mr_team_next(team, &unit)) {
        status = make_unit(run, team, unit, scratch, &edges, err);
    }
    mr_memory_free(memory, scratch);
    mr_edge_list_free(&edges);
    return status;
}

enum mr_status mr_generate(const struct mr_context *context, const struct mr_generator *generator,
                           const struct mr_edge_sink *sink, struct mr_error *err)
{
    struct generation run = {.context = context, .generator = generator, .sink = sink};

    return sink->make != NULL
               ? sink->make(sink->data, context, generator, err)
               : mr_team_run(context, generator->n_units, context->threads, work, &run, err);
}

static enum mr_status take_into_build(void *data, const struct mr_edge *edges, size_t n_edges,
                                      struct mr_error *err)
{
    return mr_build_edges(data, 0, edges, NULL, n_edges, err);
}

struct mr_edge_sink mr_build_sink(struct mr_build *build)
{
    return (struct mr_edge_sink){.data = build, .take = take_into_build};
}
