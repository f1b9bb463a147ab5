/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a push (push.h): the fingerprints of twins, PageRank where pages without links lead to all,
 * the lists of links, and as many workers as there are threads and memory has room for. A thread
 * that answers seeds takes a worker and gives it back, so that any number of callers share them. A
 * seed is answered by one thread, whose bits do not depend on the others. */
#include "algorithms/pagerank/push.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/base/relaxation.h"
#include "algorithms/base/weight_walk.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/sized_struct.h"
#include "engine/base/team.h"
#include "engine/scan/edges.h"

enum {
    LEAST_ROOM = 4 << 20, /* of lists that wait for the temporary file, while it is written */
    FEW_EDGES = 1 << 20 /* to follow fewer takes no time */
};

/* ---- Memory ---- */

static uint64_t worker_memory(const struct mr_store_info *info)
{
    return info->n_vertices * (sizeof(uint32_t) + sizeof(struct mr_push_page)) +
           info->n_sources * sizeof(uint32_t) + 3 * 4096;
}

/* Of the room for a list from the file. */
static uint64_t list_memory(const struct mr_store_info *info)
{
    return 2 * (info->max_out_degree * sizeof(uint32_t) + 4096);
}

/* What stays for all seeds, without the edges. */
static uint64_t base_memory(struct mr_store *store, enum mr_dangling dangling)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    const uint64_t everywhere = mr_pass_vector_length(info) * sizeof(double) +
                                info->n_vertices * sizeof(struct mr_best_page) + 2 * 4096;

    return (mr_twins_are_known(store) ? mr_twins_memory(info) + 2 * 4096 : 0) +
           (dangling == MR_DANGLING_UNIFORM ? everywhere : 0) + mr_out_lists_ends_memory(info);
}

/* Of the stages of opening, beside what stays. */
static uint64_t opening_memory(struct mr_store *store)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    const struct mr_pass_options pass = {.no_pinning = true};
    const uint64_t twins = mr_pass_vector_length(info) * sizeof(uint64_t) + 4096 +
                           mr_pass_least_memory(store, &pass, 1);
    const uint64_t lists = mr_edges_reader_memory(info) + LEAST_ROOM + list_memory(info);

    return mr_max_u64(mr_twins_are_known(store) ? twins : 0, lists);
}

/* Of passes over all edges, beside what stays and a worker. */
static uint64_t passes_memory(struct mr_store *store, enum mr_dangling dangling)
{
    const struct mr_pagerank_options options = mr_push_passes(dangling);

    return mr_rank_minimum_memory(store, &options, true) - MR_MEMORY_RESERVE_BYTES -
           mr_store_get_info(store)->index_bytes;
}

static uint64_t least_memory(struct mr_store *store, enum mr_dangling dangling)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    const struct mr_pagerank_options options = mr_push_passes(MR_DANGLING_UNIFORM);
    const uint64_t pushes = worker_memory(info) + list_memory(info);
    const uint64_t least = MR_MEMORY_RESERVE_BYTES + info->index_bytes +
                           base_memory(store, dangling) + mr_max_u64(opening_memory(store), pushes);

    return dangling == MR_DANGLING_UNIFORM
               ? mr_max_u64(least, mr_rank_minimum_memory(store, &options, false))
               : least;
}

static uint64_t most_memory(struct mr_store *store, enum mr_dangling dangling, unsigned threads)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    const uint64_t pushes = threads * worker_memory(info) + passes_memory(store, dangling) +
                            mr_pass_pinned_memory(store, true);
    const uint64_t most = MR_MEMORY_RESERVE_BYTES + info->index_bytes +
                          base_memory(store, dangling) + mr_out_lists_edges_memory(info) +
                          mr_max_u64(opening_memory(store), pushes);

    return mr_max_u64(most, least_memory(store, dangling));
}

/* ---- Opening ---- */

static enum mr_status find_twins(const struct mr_context *context, struct mr_store *store,
                                 struct mr_twins *twins, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    const struct mr_pass_options options = {.no_pinning = true};
    struct mr_pass *pass = NULL;
    uint64_t *values = NULL;
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("fingerprints of links", info->n_vertices, &twins->in_links),
        MR_WANTED("out-degrees", info->n_vertices, &twins->out_degree),
        MR_WANTED("marks of pages", mr_pass_vector_length(info), &values),
    };

    enum mr_status status = mr_memory_arrays(context->memory, arrays, err);
    if (status == MR_OK) {
        status = mr_pass_open(context, store, &options, &pass, err);
    }
    if (status == MR_OK) {
        status = mr_twins_find(pass, info, NULL, 0, values, twins, err);
    }
    mr_pass_close(pass);
    mr_memory_free(context->memory, values);
    return status;
}

static enum mr_status rank_everywhere(struct mr_push *push, struct mr_store *store,
                                      struct mr_error *err)
{
    struct mr_pagerank_options options = mr_push_passes(MR_DANGLING_UNIFORM);
    struct mr_pagerank_result result;

    options.damping = push->damping;
    enum mr_status status = mr_pagerank(push->context, store, &options, &result, err);
    if (status != MR_OK) {
        mr_pagerank_result_free(&result);
        return status;
    }
    push->everywhere = result.scores;
    push->everywhere_error = result.error_bound;
    status = mr_memory_array(push->context->memory, "pages by PageRank", push->n_vertices,
                             &push->everywhere_best, err);
    if (status == MR_OK) {
        mr_until_best(push->everywhere, push->n_vertices, push->everywhere_best, push->n_vertices);
    }
    return status;
}

static enum mr_status open_worker(const struct mr_push *push, struct mr_push_worker *worker,
                                  struct mr_error *err)
{
    const struct mr_out_lists *lists = &push->lists;
    const uint64_t room = lists->file != NULL ? lists->longest : 0;
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("places of pages", push->n_vertices, &worker->places),
        MR_WANTED("pages of a push", push->n_vertices, &worker->pages),
        MR_WANTED("queue of a push", lists->n_sources, &worker->queue),
        MR_WANTED("list of links", room, &worker->targets),
        MR_WANTED("list of links", lists->is_weighted ? room : 0, &worker->weights),
    };
    return mr_memory_arrays(push->context->memory, arrays, err);
}

/* At least one, and as many more as fit beside passes over all edges. */
static enum mr_status open_workers(struct mr_push *push, const struct mr_store_info *info,
                                   struct mr_error *err)
{
    const uint64_t each = worker_memory(info) + (push->lists.file != NULL ? list_memory(info) : 0);
    const uint64_t available = mr_memory_available(push->context->memory);
    const uint64_t passes = passes_memory(push->store, push->dangling);
    const bool has_passes = available >= each + passes;
    const uint64_t fit = (available - (has_passes ? passes : 0)) / each;
    enum mr_status status = MR_OK;

    push->most_followed = has_passes ? mr_max_u64(push->lists.n_edges / 2, FEW_EDGES) : UINT64_MAX;
    push->n_workers = (unsigned)mr_max_u64(mr_min_u64(fit, push->context->threads), 1);
    push->workers = calloc(push->n_workers, sizeof *push->workers);
    if (push->workers == NULL) {
        push->n_workers = 0;
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for pushes");
    }
    for (unsigned i = 0; i < push->n_workers && status == MR_OK; i++) {
        status = open_worker(push, &push->workers[i], err);
        push->workers[i].next = push->free;
        push->free = &push->workers[i];
    }
    return status;
}

static enum mr_status open_all(struct mr_push *push, struct mr_store *store, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    struct mr_memory *memory = push->context->memory;
    const uint64_t beside = mr_out_lists_ends_memory(info) +
                            mr_max_u64(mr_edges_reader_memory(info), worker_memory(info));
    enum mr_status status =
        push->dangling == MR_DANGLING_UNIFORM ? rank_everywhere(push, store, err) : MR_OK;

    if (status == MR_OK && mr_twins_are_known(store)) {
        status = find_twins(push->context, store, &push->twins, err);
    }
    if (status == MR_OK) {
        const uint64_t available = mr_memory_available(memory);
        const uint64_t room = available - mr_min_u64(available, beside);
        const bool fits = mr_out_lists_edges_memory(info) <= room;
        const uint64_t reading = mr_out_lists_ends_memory(info) + mr_edges_reader_memory(info);
        status = mr_out_lists_open(push->context, store,
                                   fits ? UINT64_MAX : available - mr_min_u64(available, reading),
                                   &push->lists, err);
    }
    return status == MR_OK ? open_workers(push, info, err) : status;
}

static enum mr_status take_options(const struct mr_push_options *given,
                                   const struct mr_store *store, struct mr_push_options *options,
                                   enum mr_dangling *dangling, struct mr_error *err)
{
    const double *strengths;

    *options = (struct mr_push_options)MR_PUSH_OPTIONS_INIT;
    const enum mr_status status = mr_sized_copy(given, options, sizeof *options, err);
    if (status != MR_OK) {
        return status;
    }
    const bool is_rule = mr_dangling_of(options->dangling, dangling);
    if (!(options->damping >= 0 && options->damping < 1) || !is_rule) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            is_rule ? "damping is not at least 0 and below 1"
                                    : "dangling is none of teleport, uniform, none");
    }
    if (mr_store_class_weights(store, &strengths) != NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "classes of links have weights, which pushes do not take; ppr with a "
                            "batch does");
    }
    return MR_OK;
}

enum mr_status mr_push_open(const struct mr_context *context, struct mr_store *store,
                            const struct mr_push_options *options, struct mr_push **out,
                            struct mr_error *err)
{
    struct mr_push_options given;
    const struct mr_store_info *info = mr_store_get_info(store);
    enum mr_dangling dangling = MR_DANGLING_TELEPORT;
    struct mr_push *push = NULL;

    *out = NULL;
    enum mr_status status = take_options(options, store, &given, &dangling, err);
    if (status == MR_OK) {
        status = mr_ranking_require(context, info, least_memory(store, dangling), err);
    }
    if (status != MR_OK) {
        return status;
    }
    push = calloc(1, sizeof *push);
    if (push == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for pushes");
    }
    *push = (struct mr_push){.context = context,
                             .store = store,
                             .n_vertices = info->n_vertices,
                             .damping = given.damping,
                             .dangling = dangling,
                             .mutex = PTHREAD_MUTEX_INITIALIZER,
                             .freed = PTHREAD_COND_INITIALIZER,
                             .passing = PTHREAD_MUTEX_INITIALIZER};
    status = info->n_vertices > 0 ? open_all(push, store, err) : MR_OK;
    if (status != MR_OK) {
        mr_push_close(push);
        return status;
    }
    *out = push;
    return MR_OK;
}

enum mr_status mr_push_plan(const struct mr_context *context, struct mr_store *store,
                            const struct mr_push_options *options, struct mr_rank_costs *plan,
                            struct mr_error *err)
{
    struct mr_push_options given;
    enum mr_dangling dangling = MR_DANGLING_TELEPORT;
    const enum mr_status status = take_options(options, store, &given, &dangling, err);

    *plan = (struct mr_rank_costs){0};
    if (status == MR_OK) {
        plan->least_bytes = least_memory(store, dangling);
        plan->memory_bytes = most_memory(store, dangling, context->threads);
        plan->temporary_bytes = mr_out_lists_edges_memory(mr_store_get_info(store));
        plan->passes = 3;
    }
    return status;
}

void mr_push_close(struct mr_push *push)
{
    if (push == NULL) {
        return;
    }
    struct mr_memory *memory = push->context->memory;
    for (unsigned i = 0; i < push->n_workers; i++) {
        mr_memory_free(memory, push->workers[i].places);
        mr_memory_free(memory, push->workers[i].pages);
        mr_memory_free(memory, push->workers[i].queue);
        mr_memory_free(memory, push->workers[i].targets);
        mr_memory_free(memory, push->workers[i].weights);
    }
    free(push->workers);
    mr_out_lists_close(&push->lists);
    mr_memory_free(memory, push->twins.in_links);
    mr_memory_free(memory, push->twins.out_degree);
    mr_memory_free(memory, push->everywhere);
    mr_memory_free(memory, push->everywhere_best);
    free(push);
}

/* ---- Seeds ---- */

static struct mr_push_worker *take_worker(struct mr_push *push)
{
    (void)pthread_mutex_lock(&push->mutex);
    while (push->free == NULL) {
        (void)pthread_cond_wait(&push->freed, &push->mutex);
    }
    struct mr_push_worker *worker = push->free;
    push->free = worker->next;
    (void)pthread_mutex_unlock(&push->mutex);
    return worker;
}

static void give_worker(struct mr_push *push, struct mr_push_worker *worker)
{
    (void)pthread_mutex_lock(&push->mutex);
    worker->next = push->free;
    push->free = worker;
    (void)pthread_cond_signal(&push->freed);
    (void)pthread_mutex_unlock(&push->mutex);
}

static enum mr_status answer_seeds(void *data, struct mr_team *team, unsigned number,
                                   struct mr_error *err)
{
    struct mr_push_job *job = data;
    struct mr_push_worker *worker = take_worker(job->push);
    enum mr_status status = MR_OK;
    uint64_t i;

    (void)number;
    while (status == MR_OK && mr_team_next(team, &i)) {
        const struct mr_rank_vector *seed = &job->seeds[i];
        struct mr_push_answer *answer = &job->answers[i];
        *answer = (struct mr_push_answer){0};
        if (mr_weights_largest(seed->pages, seed->count, job->push->n_vertices) > 0) {
            status = mr_push_seed(job, worker, i, err);
            job->n_whole += status == MR_OK && answer->n == MR_PUSH_WHOLE;
            job->n_far += status == MR_OK && answer->bound > job->error;
        }
    }
    give_worker(job->push, worker);
    return status;
}

/* Answers the seeds that followed too many edges, one after the other. */
static enum mr_status answer_whole(struct mr_push_job *job, uint64_t n_seeds, struct mr_error *err)
{
    struct mr_push_worker *worker = take_worker(job->push);
    enum mr_status status = MR_OK;

    (void)pthread_mutex_lock(&job->push->passing);
    for (uint64_t i = 0; i < n_seeds && status == MR_OK; i++) {
        if (job->answers[i].n == MR_PUSH_WHOLE) {
            status = mr_push_whole(job, worker, i, err);
            job->n_far += status == MR_OK && job->answers[i].bound > job->error;
        }
    }
    (void)pthread_mutex_unlock(&job->push->passing);
    give_worker(job->push, worker);
    return status;
}

static enum mr_status check_seeds(const struct mr_push *push, const struct mr_rank_vector *seeds,
                                  uint64_t n_seeds, uint64_t top, double error,
                                  struct mr_error *err)
{
    if (top == 0 || !(error > 0 && error <= 1)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            top == 0 ? "the best 0 pages; ask for 1 or more"
                                     : "the error is not above 0 and at most 1");
    }
    for (uint64_t i = 0; i < n_seeds; i++) {
        if (mr_weights_largest(seeds[i].pages, seeds[i].count, push->n_vertices) < 0) {
            return mr_error_set(err, MR_ERROR_USAGE,
                                "seed number %llu: weights must be finite, not negative and "
                                "ascending by page",
                                (unsigned long long)i);
        }
    }
    return MR_OK;
}

enum mr_status mr_push_best(struct mr_push *push, const struct mr_rank_vector *seeds,
                            uint64_t n_seeds, uint64_t top, double error, uint32_t *vertices,
                            double *scores, struct mr_push_answer *answers, struct mr_error *err)
{
    struct mr_push_job job = {.push = push,
                              .seeds = seeds,
                              .top = top,
                              .error = error,
                              .vertices = vertices,
                              .scores = scores,
                              .answers = answers};
    enum mr_status status = check_seeds(push, seeds, n_seeds, top, error, err);

    if (status != MR_OK) {
        return status;
    }
    if (n_seeds == 0 || push->n_vertices == 0) {
        memset(answers, 0, n_seeds * sizeof *answers);
        return MR_OK;
    }
    status = mr_team_run(push->context, n_seeds, (unsigned)mr_min_u64(push->n_workers, n_seeds),
                         answer_seeds, &job, err);
    if (status == MR_OK && job.n_whole > 0) {
        status = answer_whole(&job, n_seeds, err);
    }
    if (status == MR_OK && job.n_far > 0) {
        return mr_error_set(err, MR_NOT_CONVERGED,
                            "the error bound of %llu of %llu seeds is above %.2e, which is less "
                            "than pushes in doubles reach; take a larger error",
                            (unsigned long long)job.n_far, (unsigned long long)n_seeds, error);
    }
    return status;
}
