/* SPDX-License-Identifier: Apache-2.0 */
/* The push of one seed (push.h), in three steps. The push itself goes in rounds: pages whose
 * residual for each link is above a threshold wait in a queue, first in, first out; when it is
 * empty the threshold falls. It ends as soon as the bound is small enough. Then the best pages come
 * to the front. Last, the bound says whether others could belong among them.
 *
 * Touched pages stand one behind the other, 24 bytes each, however far apart their vertices are: a
 * push of few pages stays in the cache. The lists of links are the only large thing it reads.
 *
 * Where few pages are far from each other a push follows each link many times, each time somewhere
 * else in memory. There the solver takes over after a fixed number of links; the last two steps
 * are the same. */
#include <math.h>

#include "algorithms/base/relaxation.h"
#include "algorithms/base/weight_walk.h"
#include "algorithms/pagerank/push.h"
#include "engine/base/heap.h"

/* The threshold falls to this share of the largest residual for each link. */
#define FALL 0.25

enum { PUSHES_PER_POLL = 1 << 16 };

static const double unit = 0x1p-53; /* relative error of an operation */

/* ---- The push ---- */

struct push_job {
    const struct mr_push *push;
    struct mr_push_worker *worker;
    const struct mr_rank_vector *seed;
};

static inline struct mr_push_page *page_of(const struct push_job *job, uint32_t vertex)
{
    struct mr_push_worker *worker = job->worker;
    uint32_t place = worker->places[vertex];

    if (place == 0) {
        worker->pages[worker->n_pages] = (struct mr_push_page){
            .vertex = vertex, .degree = mr_out_lists_degree(&job->push->lists, vertex)};
        place = (uint32_t)++worker->n_pages;
        worker->places[vertex] = place;
    }
    return &worker->pages[place - 1];
}

static inline void enqueue(const struct push_job *job, uint32_t place)
{
    struct mr_push_worker *worker = job->worker;
    uint64_t at = worker->queue_first + worker->queue_n++;

    at -= at >= job->push->lists.n_sources ? job->push->lists.n_sources : 0;
    worker->queue[at] = place;
}

/* The residual above which a page waits in the queue. A push costs as much as its links, and one
 * more for itself. */
static inline double limit_of(const struct mr_push_worker *worker, const struct mr_push_page *page)
{
    return worker->threshold * ((double)page->degree + 1);
}

/* `value` comes to a page. */
static inline void arrive(const struct push_job *job, uint32_t vertex, double value)
{
    const double damping = job->push->damping;
    struct mr_push_worker *worker = job->worker;
    struct mr_push_page *page = page_of(job, vertex);

    if (page->degree == 0) {
        page->score += (1 - damping) * value;
        worker->lost += damping * value;
        return;
    }
    const double limit = limit_of(worker, page), before = page->residual;
    page->residual = before + value;
    worker->residuals += value;
    if (before <= limit && page->residual > limit) {
        enqueue(job, (uint32_t)(page - worker->pages));
    }
}

static enum mr_status push_page(const struct push_job *job, uint32_t place, struct mr_error *err)
{
    const struct mr_push *push = job->push;
    struct mr_push_worker *worker = job->worker;
    struct mr_push_page *page = &worker->pages[place];
    const double moved = push->damping * page->residual;
    const uint32_t n = page->degree;
    const uint32_t *targets;
    const float *weights;
    double strength = 0;

    const enum mr_status status = mr_out_lists_get(&push->lists, page->vertex, worker->targets,
                                                   worker->weights, &targets, &weights, err);
    if (status != MR_OK) {
        return status;
    }
    page->score += (1 - push->damping) * page->residual;
    worker->residuals -= page->residual;
    page->residual = 0;
    worker->followed += n;
    worker->roundings += 5 * ((uint64_t)n + 1);
    if (weights == NULL) {
        const double share = moved / n;
        for (uint32_t i = 0; i < n; i++) {
            arrive(job, targets[i], share);
        }
        return MR_OK;
    }
    for (uint32_t i = 0; i < n; i++) {
        strength += (double)weights[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        arrive(job, targets[i], moved * ((double)weights[i] / strength));
    }
    return MR_OK;
}

/* What comes of the residuals at most, if their sum is this. */
static inline double rest_of(const struct push_job *job, double residuals)
{
    return job->push->damping * residuals;
}

/* The part of the bound that no push makes smaller. */
static inline double floor_of(const struct push_job *job)
{
    return unit * (double)job->worker->roundings + job->push->everywhere_error * job->worker->lost;
}

/* What the scores are divided by. */
static inline double scale_of(const struct push_job *job)
{
    return job->push->dangling == MR_DANGLING_TELEPORT ? 1 - job->worker->lost : 1;
}

static inline bool is_far(const struct push_job *job, double error)
{
    const double rest = rest_of(job, job->worker->residuals), least = floor_of(job);
    /* twice: the sum of the residuals is itself rounded */
    return rest + 2 * least > error * scale_of(job) && rest > least / 16;
}

/* Lets the threshold fall, and pages above it wait in the queue. Adds the residuals up again. */
static void begin_round(const struct push_job *job)
{
    struct mr_push_worker *worker = job->worker;
    double largest = 0;

    worker->residuals = 0;
    for (uint64_t i = 0; i < worker->n_pages; i++) {
        const struct mr_push_page *page = &worker->pages[i];
        largest = fmax(largest, page->residual / ((double)page->degree + 1));
        worker->residuals += page->residual;
    }
    worker->threshold = FALL * largest;
    worker->queue_first = worker->queue_n = 0;
    for (uint64_t i = 0; i < worker->n_pages; i++) {
        if (worker->pages[i].residual > limit_of(worker, &worker->pages[i])) {
            enqueue(job, (uint32_t)i);
        }
    }
}

static enum mr_status run_round(const struct push_job *job, double error, struct mr_error *err)
{
    struct mr_push_worker *worker = job->worker;
    const uint64_t room = job->push->lists.n_sources;
    enum mr_status status = mr_context_poll(job->push->context, err);

    for (uint64_t n = 1; worker->queue_n > 0 && status == MR_OK && is_far(job, error) &&
                         worker->followed <= job->push->most_followed;
         n++) {
        const uint32_t place = worker->queue[worker->queue_first];
        worker->queue_n--;
        worker->queue_first = worker->queue_first + 1 == room ? 0 : worker->queue_first + 1;
        status = push_page(job, place, err);
        if (status == MR_OK && n % PUSHES_PER_POLL == 0) {
            status = mr_context_poll(job->push->context, err);
        }
    }
    return status;
}

static enum mr_status run(const struct push_job *job, double error, struct mr_error *err)
{
    const struct mr_rank_vector *seed = job->seed;
    struct mr_push_worker *worker = job->worker;
    enum mr_status status = MR_OK;
    double sum = 0;

    worker->threshold = (double)INFINITY;
    worker->residuals = worker->lost = 0;
    worker->followed = 0;
    worker->roundings = 4 * seed->count;
    for (uint64_t i = 0; i < seed->count; i++) {
        sum += seed->pages[i].weight;
    }
    for (uint64_t i = 0; i < seed->count; i++) {
        if (seed->pages[i].weight > 0) {
            arrive(job, seed->pages[i].vertex, seed->pages[i].weight / sum);
        }
    }
    while (status == MR_OK && is_far(job, error) && worker->followed <= job->push->most_followed) {
        begin_round(job);
        status = run_round(job, error, err);
    }
    return status;
}

/* ---- The best pages ---- */

/* Does `a` stand behind `b`? */
static inline bool is_worse(const struct mr_push_page *a, const struct mr_push_page *b)
{
    return a->score < b->score || (a->score == b->score && a->vertex > b->vertex);
}

/* The worst is on top. */
MR_HEAP(worst, struct mr_push_page, is_worse)

/* Settles the residuals and scales the scores. Returns whether each page with links was pushed:
 * then no page has a score but those that were touched. Adds the residuals up again. */
static bool settle(const struct push_job *job)
{
    struct mr_push_worker *worker = job->worker;
    const double scale = scale_of(job);
    bool is_closed = true;
    double sum = 0;

    for (uint64_t i = 0; i < worker->n_pages; i++) {
        struct mr_push_page *page = &worker->pages[i];
        is_closed &= page->score > 0;
        page->score = (page->score + (1 - job->push->damping) * page->residual) / scale;
        sum += page->residual;
    }
    worker->residuals = sum;
    worker->roundings += 4 * worker->n_pages;
    return is_closed || rest_of(job, sum) == 0;
}

/* With MR_DANGLING_UNIFORM every page has a score: adds it, and the best `n` that no push touched.
 * Returns the largest score of the others. */
static double add_everywhere(const struct push_job *job, uint64_t n)
{
    const struct mr_push *push = job->push;
    struct mr_push_worker *worker = job->worker;
    const uint64_t n_touched = worker->n_pages;
    uint64_t i = 0;

    for (uint64_t j = 0; j < n_touched; j++) {
        worker->pages[j].score += worker->lost * push->everywhere[worker->pages[j].vertex];
    }
    for (; i < push->n_vertices && worker->n_pages - n_touched < n; i++) {
        const struct mr_best_page *best = &push->everywhere_best[i];
        if (worker->places[best->vertex] == 0) {
            page_of(job, (uint32_t)best->vertex)->score = worker->lost * best->score;
        }
    }
    return i < push->n_vertices ? worker->lost * push->everywhere_best[i].score : 0;
}

/* Brings the best `n` pages to the front, best first. */
static void sort_best(struct mr_push_worker *worker, uint64_t n)
{
    struct mr_push_page *pages = worker->pages;

    worst_make(pages, n);
    for (uint64_t i = n; i < worker->n_pages; i++) {
        if (is_worse(&pages[0], &pages[i])) {
            const struct mr_push_page page = pages[0];
            pages[0] = pages[i];
            pages[i] = page;
            worst_sift(pages, n, 0);
        }
    }
    worst_sort(pages, n);
}

/* ---- The proof ---- */

static double weight_of(const struct mr_rank_vector *seed, uint32_t vertex)
{
    const struct mr_weight_walk walk = mr_weight_walk_begin(seed->pages, seed->count, vertex);
    return walk.next != walk.end && walk.next->vertex == vertex ? walk.next->weight : 0;
}

/* Have both pages surely the same score? */
static bool are_same(const struct push_job *job, const struct mr_push_page *a,
                     const struct mr_push_page *b)
{
    return a == b || (mr_twins_are(&job->push->twins, a->vertex, b->vertex) &&
                      weight_of(job->seed, a->vertex) == weight_of(job->seed, b->vertex));
}

/* Of two pages whose scores are as far apart as the bound, the better one is. So the first `n` are
 * the best if each of them is so far above the best of the others, or the same as that one, and
 * each of the others so far below the worst of the first. `untouched`: the largest score of pages
 * that no push touched; below 0: there are none that have a score. */
static bool is_proven(const struct push_job *job, uint64_t n, double bound, double untouched)
{
    const struct mr_push_worker *worker = job->worker;
    const struct mr_push_page *pages = worker->pages, *last = &pages[n - 1];
    double next = untouched;
    bool is_same = true;

    if (untouched >= 0 && last->score - untouched < bound) {
        return false;
    }
    for (uint64_t i = n; i < worker->n_pages && is_same; i++) {
        next = fmax(next, pages[i].score);
        is_same = last->score - pages[i].score >= bound || are_same(job, last, &pages[i]);
    }
    if (last->score - next >= bound) {
        return is_same;
    }
    for (uint64_t i = n; i-- > 0 && is_same && pages[i].score - next < bound;) {
        is_same = are_same(job, last, &pages[i]);
    }
    return is_same;
}

/* ---- Answers ---- */

/* Fills the answer with the pages of the worker. `untouched` as in is_proven. */
static void fill(const struct push_job *job, const struct mr_push_job *wanted, uint64_t i,
                 double bound, double untouched)
{
    struct mr_push_worker *worker = job->worker;
    struct mr_push_answer *answer = &wanted->answers[i];
    const uint64_t top = wanted->top, n = top < worker->n_pages ? top : worker->n_pages;

    untouched = worker->n_pages == job->push->n_vertices ? -1 : untouched;
    sort_best(worker, n);
    answer->bound = bound;
    answer->proven = n < top ? untouched < 0 : is_proven(job, n, bound, untouched);
    answer->n = n;
    for (uint64_t j = 0; j < n; j++) {
        wanted->vertices[i * top + j] = worker->pages[j].vertex;
        wanted->scores[i * top + j] = worker->pages[j].score;
    }
    while (answer->n > 0 && !(wanted->scores[i * top + answer->n - 1] > 0)) {
        answer->n--;
    }
}

static void forget_pages(struct mr_push_worker *worker)
{
    for (uint64_t i = 0; i < worker->n_pages; i++) {
        worker->places[worker->pages[i].vertex] = 0;
    }
    worker->n_pages = 0;
}

enum mr_status mr_push_seed(const struct mr_push_job *wanted, struct mr_push_worker *worker,
                            uint64_t i, struct mr_error *err)
{
    const struct push_job job = {wanted->push, worker, &wanted->seeds[i]};
    const enum mr_status status = run(&job, wanted->error, err);

    if (status == MR_OK && is_far(&job, wanted->error) &&
        worker->followed > wanted->push->most_followed) {
        wanted->answers[i].n = MR_PUSH_WHOLE;
    } else if (status == MR_OK) {
        double untouched = settle(&job) ? -1 : 0;
        if (wanted->push->dangling == MR_DANGLING_UNIFORM && worker->lost > 0) {
            untouched = add_everywhere(&job, wanted->top + 1);
        }
        fill(&job, wanted, i, (rest_of(&job, worker->residuals) + floor_of(&job)) / scale_of(&job),
             untouched);
    }
    forget_pages(worker);
    return status;
}

struct mr_pagerank_options mr_push_passes(enum mr_dangling dangling)
{
    struct mr_pagerank_options options = MR_PAGERANK_OPTIONS_INIT;

    options.dangling = dangling;
    options.acceleration = mr_relaxation_depths[1]; /* the same bits for any memory */
    return options;
}

enum mr_status mr_push_whole(const struct mr_push_job *wanted, struct mr_push_worker *worker,
                             uint64_t i, struct mr_error *err)
{
    const struct mr_push *push = wanted->push;
    const struct push_job job = {push, worker, &wanted->seeds[i]};
    struct mr_pagerank_options options = mr_push_passes(push->dangling);
    struct mr_pagerank_result result;

    options.damping = push->damping;
    options.tolerance = wanted->error;
    options.teleport = job.seed->pages;
    options.n_teleport = job.seed->count;
    enum mr_status status = mr_pagerank(push->context, push->store, &options, &result, err);
    if (status == MR_OK || status == MR_NOT_CONVERGED) {
        const double *scores = result.scores;
        for (uint64_t v = 0; v < push->n_vertices; v++) {
            if (scores[v] > 0) {
                page_of(&job, (uint32_t)v)->score = scores[v];
            }
        }
        fill(&job, wanted, i, result.error_bound, 0);
        forget_pages(worker);
        status = MR_OK;
    }
    mr_pagerank_result_free(&result);
    return status;
}
