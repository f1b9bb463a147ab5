#include "algorithms/opic.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/opic_parts.h"
#include "algorithms/select_largest.h"
#include "engine/bytes.h"
#include "engine/edges.h"
#include "engine/memory.h"

#define DEFAULT_TAX 0.15

enum {
    MOST_SWEEPS = 100000, /* without --sweeps; then it gives up */
    FIRST_MEASURE = 8 /* sweeps before the first measured bound; then every quarter more */
};

void mr_opic_defaults(struct mr_opic_options *options)
{
    memset(options, 0, sizeof *options);
    options->struct_size = sizeof *options;
    options->tax = DEFAULT_TAX;
    options->internal_weight = options->external_weight = 1;
}

/* ---- Create ---- */

static enum mr_status check_list(const uint32_t *list, uint64_t n_entries, uint64_t n_vertices,
                                 const char *what, struct mr_error *err)
{
    for (uint64_t i = 0; i < n_entries; i++) {
        if (list[i] >= n_vertices || (i > 0 && list[i] <= list[i - 1])) {
            return mr_error_set(err, MR_ERROR_USAGE, "the list of %s must be ascending vertices",
                                what);
        }
    }
    return MR_OK;
}

static enum mr_status check_times(const struct mr_opic *opic, struct mr_error *err)
{
    const struct mr_vertex_weight *times = opic->options.times;
    for (uint64_t i = 0; i < opic->options.n_times; i++) {
        if (times[i].vertex >= opic->info->n_vertices ||
            (i > 0 && times[i].vertex <= times[i - 1].vertex)) {
            return mr_error_set(err, MR_ERROR_USAGE, "times must be ascending by vertex");
        }
        if (!(times[i].weight >= 0 && times[i].weight < 0x1p32)) {
            return mr_error_set(err, MR_ERROR_USAGE, "time %g is not in 0..2^32", times[i].weight);
        }
    }
    return MR_OK;
}

static enum mr_status check_options(const struct mr_opic *opic, struct mr_error *err)
{
    const struct mr_opic_options *o = &opic->options;
    const uint64_t n = opic->info->n_vertices;
    if (!(o->tax >= 0 && o->tax <= 1)) {
        return mr_error_set(err, MR_ERROR_USAGE, "tax %g must be at least 0 and at most 1", o->tax);
    }
    if (o->drain && o->tax <= 0) {
        return mr_error_set(err, MR_ERROR_USAGE, "draining needs a tax above 0");
    }
    if (!(o->window >= 0) || !(o->tolerance >= 0) || !(o->cash_left >= 0)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "window, tolerance and cash left must not be negative");
    }
    if (o->internal != NULL && (!(o->internal_weight >= 0 && o->internal_weight <= 0x1p20) ||
                                !(o->external_weight >= 0 && o->external_weight <= 0x1p20) ||
                                o->internal_weight + o->external_weight <= 0)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "weights of links must be in 0..2^20 and not both 0");
    }
    if (o->internal != NULL && mr_store_info(o->internal)->n_vertices != n) {
        return mr_error_set(err, MR_ERROR_USAGE, "the internal links are of another graph");
    }
    if (o->payout == MR_OPIC_PAY_TARGETS && o->n_targets == 0 && n > 0) {
        return mr_error_set(err, MR_ERROR_USAGE, "payout to targets, but there are none");
    }
    enum mr_status status = check_list(o->targets, o->n_targets, n, "targets", err);
    if (status == MR_OK) {
        status = check_list(o->fetched, o->n_fetched, n, "fetched pages", err);
    }
    return status == MR_OK ? check_times(opic, err) : status;
}

static enum mr_status allocate(struct mr_opic *opic, const char *name, uint64_t count,
                               uint64_t size, void *out, struct mr_error *err)
{
    void *pointer = NULL;
    uint64_t bytes;
    enum mr_status status = mr_memory_size(name, mr_max_u64(count, 1), size, 0, &bytes, err);
    if (status == MR_OK) {
        status = mr_memory_alloc(opic->context->memory, name, bytes, &pointer, err);
    }
    memcpy(out, &pointer, sizeof pointer);
    return status;
}

static bool needs_digits(const struct mr_opic_options *options)
{
    return options->policy == MR_OPIC_RANDOM ||
           (options->policy == MR_OPIC_GREEDY && options->visits > 0);
}

static enum mr_status allocate_arrays(struct mr_opic *opic, struct mr_error *err)
{
    const struct mr_opic_options *o = &opic->options;
    const uint64_t n = opic->info->n_vertices, length = mr_pass_vector_length(opic->info);
    const bool weighted = o->internal != NULL;
    const struct {
        const char *name;
        uint64_t count, size;
        void *out;
    } arrays[] = {
        {"cash", n, sizeof *opic->cash, &opic->cash},
        {"shares of links", length, sizeof *opic->share, &opic->share},
        {"history", n, sizeof *opic->history, &opic->history},
        {"last visits", n, sizeof *opic->last, &opic->last},
        {"flags of pages", n, sizeof *opic->flags, &opic->flags},
        {"active stripes", mr_pass_stripes(opic->info), 1, &opic->active_stripes},
        {"sums of bands", opic->info->n_bands, sizeof *opic->sums, &opic->sums},
        {"shares of internal links",
         weighted ? mr_pass_vector_length(mr_store_info(o->internal)) : 0,
         sizeof *opic->internal_share, &opic->internal_share},
        {"sums of internal links", weighted ? n : 0, sizeof *opic->internal_sum,
         &opic->internal_sum},
        {"internal degrees", weighted ? n : 0, sizeof *opic->internal_degree,
         &opic->internal_degree},
        {"digit counts", needs_digits(o) ? MR_SELECT_DIGITS : 0, sizeof *opic->digits,
         &opic->digits},
        {"order of times", o->n_times, sizeof *opic->by_time, &opic->by_time},
    };
    enum mr_status status = MR_OK;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0] && status == MR_OK; i++) {
        if (arrays[i].count > 0) {
            status =
                allocate(opic, arrays[i].name, arrays[i].count, arrays[i].size, arrays[i].out, err);
        }
    }
    return status;
}

/* Self-loops come source by source inside a tile, and each has one tile. */
static enum mr_status note_self_loops(void *data, const uint32_t (*pairs)[2], size_t n_pairs,
                                      struct mr_error *err)
{
    struct mr_opic *opic = data;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t v = pairs[i][0];
        if (v != pairs[i][1]) {
            continue;
        }
        if (opic->n_self_loops > 0 && opic->self_loops[opic->n_self_loops - 1].vertex == v) {
            opic->self_loops[opic->n_self_loops - 1].count++;
            continue;
        }
        if (opic->n_self_loops == opic->self_loop_room) { /* as many as the manifest says */
            return mr_error_file(err, MR_ERROR_CORRUPT, mr_store_path(opic->store), 0,
                                 "more self-loops than it says; the store is damaged: build it "
                                 "again");
        }
        opic->self_loops[opic->n_self_loops++] = (struct opic_self_loop){v, 1};
    }
    return MR_OK;
}

static enum mr_status find_self_loops(struct mr_opic *opic, struct mr_error *err)
{
    opic->self_loop_room = mr_min_u64(opic->info->n_self_loops, opic->info->n_vertices);
    if (!opic->options.ignore_self_loops || opic->self_loop_room == 0) {
        return MR_OK;
    }
    enum mr_status status = allocate(opic, "self-loops", opic->self_loop_room,
                                     sizeof *opic->self_loops, &opic->self_loops, err);
    return status == MR_OK ? mr_edges_read(opic->context, opic->store, note_self_loops, opic, err)
                           : status;
}

static enum mr_status open_passes(struct mr_opic *opic, struct mr_error *err)
{
    struct mr_pass_options options = {.struct_size = sizeof options,
                                      .backend = opic->options.backend,
                                      .value = MR_VALUE_U64,
                                      .no_pinning = true};
    enum mr_status status = MR_OK;
    if (opic->options.internal != NULL) { /* what can be pinned is for the many links */
        status = mr_pass_open(opic->context, opic->options.internal, &options, &opic->internal_pass,
                              err);
    }
    options.no_pinning = opic->options.no_pinning;
    options.may_skip = true;
    return status == MR_OK ? mr_pass_open(opic->context, opic->store, &options, &opic->pass, err)
                           : status;
}

static int compare_times(const void *a, const void *b, void *data)
{
    const struct mr_vertex_weight *times = data;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const uint32_t at_x = (uint32_t)times[x].weight, at_y = (uint32_t)times[y].weight;
    return at_x != at_y ? (at_x > at_y) - (at_x < at_y) : (x > y) - (x < y);
}

/* The crawl began with its first fetch. */
static void set_clock(struct mr_opic *opic)
{
    const uint64_t n_times = opic->options.n_times;
    opic->window = opic->options.window * (double)(1u << OPIC_TICK_BITS);
    if (n_times == 0) {
        return;
    }
    opic->clock_kind = OPIC_CLOCK_TIME;
    opic->window = opic->options.window;
    for (uint64_t i = 0; i < n_times; i++) {
        opic->by_time[i] = (uint32_t)i;
    }
    struct mr_vertex_weight *times = (struct mr_vertex_weight *)(uintptr_t)opic->options.times;
    qsort_r(opic->by_time, n_times, sizeof *opic->by_time, compare_times, times);
    opic->clock = (uint64_t)opic->options.times[opic->by_time[0]].weight;
}

static void set_fixed_point(struct mr_opic *opic)
{
    const double tax = opic->options.tax;
    opic->kept = (UINT64_C(1) << 63) - (uint64_t)ldexp(tax, 63);
    opic->internal_weight = (uint64_t)llround(ldexp(opic->options.internal_weight, 20));
    opic->external_weight = (uint64_t)llround(ldexp(opic->options.external_weight, 20));
}

/* Every page is new, and paid. */
static void begin_anew(struct mr_opic *opic)
{
    const uint32_t n = (uint32_t)opic->info->n_vertices;
    opic->virtual_cash = MR_OPIC_TOTAL;
    for (uint32_t v = 0; v < n; v++) {
        opic->flags[v] |= OPIC_NEW | OPIC_RECENT;
        opic->last[v] = (uint32_t)opic->clock;
        opic->n_fetched += (opic->flags[v] & OPIC_FETCHED) != 0;
    }
    mr_opic_inject(opic, opic->options.payout == MR_OPIC_PAY_TARGETS ? opic->n_targets : n, true);
}

static enum mr_status prepare(struct mr_opic *opic, struct mr_error *err)
{
    const struct mr_opic_options *o = &opic->options;
    enum mr_status status = check_options(opic, err);
    if (status == MR_OK) {
        status = allocate_arrays(opic, err);
    }
    if (status != MR_OK) {
        return status;
    }
    set_fixed_point(opic);
    set_clock(opic);
    opic->n_targets = o->n_targets;
    for (uint64_t i = 0; i < o->n_targets; i++) {
        opic->flags[o->targets[i]] |= OPIC_TARGET;
    }
    for (uint64_t i = 0; i < o->n_fetched && o->fetched_rule != MR_OPIC_FETCHED_ALL; i++) {
        opic->flags[o->fetched[i]] |= OPIC_FETCHED;
    }
    status = find_self_loops(opic, err);
    if (status == MR_OK) {
        status = open_passes(opic, err);
    }
    if (status == MR_OK) {
        status = mr_opic_survey(opic, err);
    }
    if (status == MR_OK) {
        begin_anew(opic);
    }
    return status;
}

enum mr_status mr_opic_create(const struct mr_context *context, struct mr_store *store,
                              const struct mr_opic_options *options, struct mr_opic **out,
                              struct mr_error *err)
{
    struct mr_opic *opic = calloc(1, sizeof *opic);
    assert(options->struct_size == sizeof *options);
    *out = NULL;
    if (opic == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a system of cash");
    }
    opic->context = context;
    opic->store = store;
    opic->info = mr_store_info(store);
    opic->options = *options;
    enum mr_status status = prepare(opic, err);
    if (status != MR_OK) {
        mr_opic_destroy(opic);
        return status;
    }
    *out = opic;
    return MR_OK;
}

void mr_opic_destroy(struct mr_opic *opic)
{
    if (opic == NULL) {
        return;
    }
    struct mr_memory *memory = opic->context->memory;
    mr_pass_close(opic->pass);
    mr_pass_close(opic->internal_pass);
    mr_memory_free(memory, opic->cash);
    mr_memory_free(memory, opic->share);
    mr_memory_free(memory, opic->history);
    mr_memory_free(memory, opic->last);
    mr_memory_free(memory, opic->flags);
    mr_memory_free(memory, opic->active_stripes);
    mr_memory_free(memory, opic->sums);
    mr_memory_free(memory, opic->internal_share);
    mr_memory_free(memory, opic->internal_sum);
    mr_memory_free(memory, opic->internal_degree);
    mr_memory_free(memory, opic->self_loops);
    mr_memory_free(memory, opic->digits);
    mr_memory_free(memory, opic->by_time);
    free(opic);
}

uint64_t mr_opic_minimum_memory(const struct mr_store_info *info,
                                const struct mr_opic_options *options)
{
    const struct mr_pass_options pass = {
        .struct_size = sizeof pass, .value = MR_VALUE_U64, .may_skip = true};
    const uint64_t n = info->n_vertices, length = mr_pass_vector_length(info);
    const uint64_t slack = UINT64_C(2) << 20; /* rounding to pages */
    uint64_t bytes = MR_MEMORY_RESERVE_BYTES + mr_pass_minimum_memory(info, &pass) + 21 * n +
                     8 * length + 2 * mr_pass_stripes(info) * sizeof(uint32_t) +
                     info->n_bands * sizeof(struct opic_sums) + info->index_bytes + slack;
    if (options->internal != NULL) {
        const struct mr_store_info *internal = mr_store_info(options->internal);
        bytes += mr_pass_minimum_memory(internal, &pass) + 12 * n +
                 8 * mr_pass_vector_length(internal) + internal->index_bytes;
    }
    if (options->ignore_self_loops) {
        bytes += sizeof(struct opic_self_loop) * mr_min_u64(info->n_self_loops, n);
    }
    return bytes + (needs_digits(options) ? MR_SELECT_DIGITS * sizeof(uint64_t) : 0) +
           options->n_times * sizeof(uint32_t);
}

/* ---- Bounds ---- */

uint64_t mr_opic_payees(const struct mr_opic *opic)
{
    const uint64_t n = opic->info->n_vertices;
    switch (opic->options.payout) {
    case MR_OPIC_PAY_ALL:
        return n;
    case MR_OPIC_PAY_UNVISITED:
        return n - opic->n_visited;
    case MR_OPIC_PAY_VISITED:
        return opic->n_visited;
    case MR_OPIC_PAY_TARGETS:
        return opic->n_targets;
    }
    return 0;
}

/* Is there a PageRank to be distant from: a tax, and a fixed vector that the virtual page pays by? */
static bool has_limit(const struct mr_opic *opic)
{
    const enum mr_opic_payout payout = opic->options.payout;
    return opic->options.tax > 0 && (payout == MR_OPIC_PAY_ALL || payout == MR_OPIC_PAY_TARGETS);
}

/* Have the scores anything in them that the cash does not account for? Then a pass must measure. */
static bool must_measure(const struct mr_opic *opic)
{
    return has_limit(opic) && (opic->window > 0 || opic->foreign > 0);
}

static double stationarity(const struct mr_opic *opic)
{
    if (opic->window > 0) {
        return INFINITY;
    }
    const double paid = (double)opic->paid * 0x1p-62;
    return (2 + 2 * opic->foreign) / (opic->total.history + paid + 1);
}

/* From (I - a P^T) x = paid - a P^T C - losses, x = H + C and C the cash on pages with links. */
static double distance(const struct mr_opic *opic)
{
    const double tax = opic->options.tax, damping = 1 - tax;
    const double wrong = tax * opic->foreign +
                         (damping * (double)opic->total.linked_cash + (double)opic->lost) * 0x1p-62;
    const double rounding = 2 * ((double)opic->proof_sweeps + 16) * 0x1p-53;
    if (opic->window > 0 || !(opic->total.score > 0)) {
        return INFINITY;
    }
    return (2 * wrong / (tax * opic->total.score) + rounding) * (1 + 0x1p-49);
}

static void set_bound(const struct mr_opic *opic, struct mr_opic_result *result)
{
    result->stationarity = stationarity(opic);
    result->measured = false;
    if (has_limit(opic)) {
        result->bound_kind = MR_OPIC_DISTANCE;
        result->error_bound = distance(opic);
    } else {
        result->bound_kind = opic->window > 0 ? MR_OPIC_NO_BOUND : MR_OPIC_STATIONARITY;
        result->error_bound = result->stationarity;
    }
}

static enum mr_status measure(struct mr_opic *opic, struct mr_opic_result *result,
                              struct mr_error *err)
{
    double bound;
    enum mr_status status = mr_opic_measure(opic, &bound, err);
    if (status == MR_OK && bound < result->error_bound) {
        result->error_bound = bound;
        result->measured = true;
    }
    return status;
}

/* ---- The run ---- */

static void fill_result(const struct mr_opic *opic, struct mr_opic_result *result)
{
    result->history = opic->total.history;
    result->moved = (double)opic->total.moved * 0x1p-62;
    result->cash_left = (double)opic->total.linked_cash * 0x1p-62;
    result->virtual_cash = (double)opic->virtual_cash * 0x1p-62;
    result->cash_sum = opic->total.cash + opic->virtual_cash;
    result->total_sweeps = opic->sweep;
    result->total_visits = opic->visits;
    result->n_fetched = opic->n_fetched;
    result->n_visited = opic->n_visited;
    result->figures = mr_pass_figures(opic->pass);
}

static void report(const struct mr_opic *opic, const struct mr_opic_result *result)
{
    const struct mr_context *context = opic->context;
    char detail[64];
    if (context->progress == NULL) {
        return;
    }
    const struct mr_pass_figures figures = mr_pass_figures(opic->pass);
    const double history = opic->total.history, moved = (double)opic->total.moved * 0x1p-62;
    (void)snprintf(detail, sizeof detail, "|H| %.4g, moved %.2g", history, moved);
    const struct mr_progress progress = {
        .stage = "rank",
        .done = result->sweeps,
        .unit = "sweeps",
        .edges = figures.edge_visits,
        .bytes = figures.bytes_read + figures.degree_bytes_read,
        .passes = (unsigned)(figures.passes + figures.partial_passes),
        .error_bound = isfinite(result->error_bound) ? result->error_bound : -1,
        .detail = detail,
    };
    context->progress(context->progress_data, &progress);
}

/* Is it time to stop, whatever the bound? */
static bool is_over(const struct mr_opic *opic, const struct mr_opic_result *result)
{
    const struct mr_opic_options *o = &opic->options;
    const bool is_dry = opic->choice == OPIC_CHOOSE_ALL && opic->total.moved == 0 && opic->pay == 0;
    if (o->n_times > 0) {
        return false; /* mr_opic_choose knows */
    }
    return is_dry ||
           (o->sweeps > 0 ? result->sweeps >= o->sweeps
                          : result->sweeps >= (uint64_t)MOST_SWEEPS) ||
           (o->cash_left > 0 && (double)opic->total.linked_cash * 0x1p-62 <= o->cash_left);
}

static enum mr_status sweep_on(struct mr_opic *opic, struct mr_opic_result *result,
                               struct mr_error *err)
{
    const double tolerance = opic->options.tolerance;
    uint64_t next_measure = FIRST_MEASURE;
    bool is_measured = false;

    while (mr_opic_choose(opic, result->sweeps)) {
        enum mr_status status = mr_opic_sweep(opic, err);
        if (status != MR_OK) {
            return status;
        }
        result->sweeps++;
        result->visits += opic->total.visits;
        set_bound(opic, result);
        is_measured = must_measure(opic) && tolerance > 0 && result->sweeps >= next_measure;
        if (is_measured) {
            next_measure += next_measure / 4;
            status = measure(opic, result, err);
            if (status != MR_OK) {
                return status;
            }
        }
        report(opic, result);
        if ((tolerance > 0 && result->error_bound <= tolerance) || is_over(opic, result)) {
            break;
        }
    }
    return must_measure(opic) && !is_measured ? measure(opic, result, err) : MR_OK;
}

enum mr_status mr_opic_run(struct mr_opic *opic, struct mr_opic_result *result,
                           struct mr_error *err)
{
    const double tolerance = opic->options.tolerance;

    memset(result, 0, sizeof *result);
    enum mr_status status = mr_opic_add_up(opic, err);
    if (status != MR_OK) {
        return status;
    }
    set_bound(opic, result);
    if (opic->info->n_vertices == 0) {
        result->error_bound = 0;
        result->converged = true;
        fill_result(opic, result);
        return MR_OK;
    }
    status = sweep_on(opic, result, err);
    fill_result(opic, result);
    if (status != MR_OK) {
        return status;
    }
    result->converged =
        !(tolerance > 0) || result->error_bound <= tolerance ||
        (opic->options.sweeps > 0 && result->sweeps >= opic->options.sweeps) ||
        (opic->options.cash_left > 0 && result->cash_left <= opic->options.cash_left);
    if (!result->converged) {
        return mr_error_set(err, MR_NOT_CONVERGED,
                            "error bound %.2e is above the tolerance %.2e after %llu sweeps; raise "
                            "--tolerance, or take --method drain",
                            result->error_bound, tolerance, (unsigned long long)result->sweeps);
    }
    return MR_OK;
}

/* ---- Results ---- */

const double *mr_opic_scores(struct mr_opic *opic)
{
    double *scores = (double *)opic->share; /* of the same size */
    const double scale = opic->total.score > 0 ? 1 / opic->total.score : 0;
    _Static_assert(sizeof *scores == sizeof *opic->share, "scores take the place of shares");
    for (uint64_t v = 0; v < opic->info->n_vertices; v++) {
        const double score = mr_opic_score(opic, (uint32_t)v) * scale;
        memcpy(&opic->share[v], &score, sizeof score);
    }
    return scores;
}

const double *mr_opic_unfetched(struct mr_opic *opic, uint64_t *n_unfetched)
{
    *n_unfetched = 0;
    for (uint64_t v = 0; v < opic->info->n_vertices; v++) {
        const bool fetched = (opic->flags[v] & OPIC_FETCHED) != 0;
        const double cash = fetched ? -1 : (double)opic->cash[v] * 0x1p-62;
        *n_unfetched += !fetched;
        memcpy(&opic->share[v], &cash, sizeof cash);
    }
    return (const double *)opic->share;
}

const uint64_t *mr_opic_cash(const struct mr_opic *opic)
{
    return opic->cash;
}

const double *mr_opic_history(const struct mr_opic *opic)
{
    return opic->history;
}

uint64_t mr_opic_virtual_cash(const struct mr_opic *opic)
{
    return opic->virtual_cash;
}
