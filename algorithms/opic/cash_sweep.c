/* SPDX-License-Identifier: Apache-2.0 */
/* One sweep of OPIC: opic.c calls it after choose.c has chosen the vertices. The first half reads
 * the degrees and visits the chosen vertices; the second half reads the edges and adds the cash
 * that they carry. Everything but the histories is computed in integers, so that the result does
 * not depend on the order. The file also has the pass that measures the error bound. */
#include <math.h>
#include <string.h>

#include "algorithms/base/sum.h"
#include "algorithms/opic/internal.h"
#include "engine/base/bytes.h"

/* ---- Self-loops, where they are ignored ---- */

/* The index of the first self-loop at or after `vertex`. */
static uint64_t first_self_loop(const struct mr_opic *opic, uint32_t vertex)
{
    uint64_t low = 0, high = opic->n_self_loops;
    MR_FIND_FIRST(low, high, middle, opic->self_loops[middle].vertex < vertex);
    return low;
}

/* The number of self-loops of `v`. `*at` moves on; calls come with ascending v. */
static inline uint32_t self_loops_of(const struct mr_opic *opic, uint32_t v, uint64_t *at)
{
    if (*at < opic->n_self_loops && opic->self_loops[*at].vertex == v) {
        return opic->self_loops[(*at)++].count;
    }
    return 0;
}

/* ---- Splitting cash over edges ---- */

/* `degree` counts the edges without ignored self-loops. `internal` of these edges are inside the
 * host. Where edges of both classes have a weight above 0, let a be the smaller weight divided by
 * the larger one, i and e the edges of each class, and d <= 2^-63 what the cut takes off a. The
 * edges of a class get g i a / (i a + e) of the cash g < 2^62: the cut moves at most g d i / e from
 * one class to the other, less than half a unit for each edge of the first. */
static inline struct opic_split split_cash(const struct mr_opic *opic, uint64_t cash,
                                           uint32_t degree, uint32_t internal)
{
    struct opic_split split = {0};
    const uint64_t give = opic->options.tax_one_link
                              ? (uint64_t)((mr_u128)cash * degree / ((uint64_t)degree + 1))
                              : (uint64_t)((mr_u128)cash * opic->kept >> 63);

    const uint64_t external = degree - internal;
    if (internal == 0 || external == 0) { /* all of them weigh the same */
        split.share = split.internal_share = give / degree;
    } else {
        const mr_u128 all =
            (mr_u128)internal * opic->internal_weight + (mr_u128)external * opic->external_weight;
        split.internal_share = (uint64_t)((mr_u128)give * opic->internal_weight / all);
        split.share = (uint64_t)((mr_u128)give * opic->external_weight / all);
        split.lost = degree;
    }
    split.to_links = split.internal_share * internal + split.share * external;
    split.lost += give - split.to_links;
    return split;
}

/* Store the shares of a vertex where the passes read them. */
static inline void put_shares(struct mr_opic *opic, uint32_t v, const struct opic_split *split)
{
    opic->share[v] = split->share;
    if (opic->options.internal != NULL) {
        opic->internal_share[v] = split->internal_share - split->share;
    }
    /* Neighbouring stripes share a cache line, which other threads read and write: write once. */
    uint8_t *active = &opic->active_stripes[v >> opic->info->stripe_bits];
    if (split->to_links > 0 && *active == 0) {
        *active = 1;
    }
}

static void clear_shares(struct mr_opic *opic, const struct mr_pass_band *band)
{
    const unsigned bits = opic->info->stripe_bits;
    const size_t bytes = band->n_vertices * sizeof *opic->share;
    memset(opic->share + band->first_vertex, 0, bytes);
    if (opic->options.internal != NULL) {
        memset(opic->internal_share + band->first_vertex, 0, bytes);
    }
    memset(opic->active_stripes + (band->first_vertex >> bits), 0,
           (size_t)1 << (opic->info->band_bits - bits));
}

static inline uint32_t internal_of(const struct mr_opic *opic, uint32_t v)
{
    return opic->options.internal != NULL ? opic->internal_degree[v] : 0;
}

/* ---- Degrees ---- */

static void keep_internal_degrees(void *data, const struct mr_pass_band *band)
{
    struct mr_opic *opic = data;
    memcpy(opic->internal_degree + band->first_vertex, band->out_degree,
           band->n_vertices * sizeof *opic->internal_degree);
}

/* Set the flag OPIC_LINKED of the vertices that have edges with a weight above 0. */
static void survey_band(void *data, const struct mr_pass_band *band)
{
    struct mr_opic *opic = data;
    const bool listed = opic->options.fetched_rule == MR_OPIC_FETCHED_LIST;
    const bool by_links = opic->options.fetched_rule == MR_OPIC_FETCHED_LINKS;
    uint64_t at = first_self_loop(opic, band->first_vertex);
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const uint32_t v = band->first_vertex + i;
        const uint32_t degree = band->out_degree[i] - self_loops_of(opic, v, &at);
        const uint32_t internal = internal_of(opic, v);
        const bool carries = opic->options.internal == NULL
                                 ? degree > 0
                                 : (internal > 0 && opic->options.internal_weight > 0) ||
                                       (degree > internal && opic->options.external_weight > 0);
        if (!listed && (!by_links || band->out_degree[i] > 0)) {
            opic->flags[v] |= OPIC_FETCHED;
        }
        if (carries && (opic->flags[v] & OPIC_FETCHED) != 0) {
            opic->flags[v] |= OPIC_LINKED;
        }
    }
}

static enum mr_status run_degrees(struct mr_opic *opic, struct mr_pass *pass, uint32_t end_band,
                                  mr_pass_callback callback, struct mr_error *err)
{
    const struct mr_pass_task run = {.value = MR_VALUE_U64,
                                     .x = opic->share,
                                     .out_degrees = true,
                                     .degrees_only = true,
                                     .end_band = end_band,
                                     .callback = callback,
                                     .callback_data = opic};
    return mr_pass_run(pass, &run, err);
}

enum mr_status mr_opic_survey(struct mr_opic *opic, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    if (opic->options.internal != NULL) {
        status = run_degrees(opic, opic->internal_pass, 0, keep_internal_degrees, err);
    }
    return status == MR_OK ? run_degrees(opic, opic->pass, 0, survey_band, err) : status;
}

/* ---- Visits ---- */

/* The time at which vertex `v` is visited. `v` must have a time. */
static uint32_t time_of(const struct mr_opic *opic, uint32_t v)
{
    const struct mr_vertex_weight *times = opic->options.times;
    uint64_t low = 0, high = opic->options.n_times;
    MR_FIND_LAST(low, high, middle, times[middle].vertex <= v);
    return (uint32_t)times[low].weight;
}

static inline bool is_chosen(const struct mr_opic *opic, uint32_t v)
{
    const uint8_t flags = opic->flags[v];
    switch (opic->choice) {
    case OPIC_CHOOSE_ALL:
        return (flags & OPIC_FETCHED) != 0;
    case OPIC_CHOOSE_RICH:
        return (flags & OPIC_FETCHED) != 0 && opic->cash[v] >= opic->threshold;
    case OPIC_CHOOSE_MARKED:
        return (flags & OPIC_MARKED) != 0;
    }
    return false;
}

/* Update the history, the last visit and the flags of a vertex that is visited with `cash`. */
static inline void record_visit(struct mr_opic *opic, uint32_t v, uint64_t cash,
                                struct opic_sums *sums)
{
    const double amount = (double)cash * 0x1p-62;
    const uint32_t now = opic->clock_kind == OPIC_CLOCK_CASH || opic->options.n_times == 0
                             ? (uint32_t)opic->clock
                             : time_of(opic, v);
    if (opic->window > 0) {
        const double since = now > opic->last[v] ? (double)(now - opic->last[v]) : 0;
        opic->history[v] = mr_opic_interpolate(opic->window, mr_opic_window(opic, v),
                                               opic->history[v], amount, since);
    } else {
        opic->history[v] += amount;
    }
    opic->last[v] = now;
    sums->visits++;
    if ((opic->flags[v] & OPIC_VISITED) == 0) {
        opic->flags[v] |= OPIC_VISITED | OPIC_FIRST;
        sums->first_visits++;
    }
}

static void visit_band(void *data, const struct mr_pass_band *band)
{
    struct mr_opic *opic = data;
    struct opic_sums sums = {0};
    uint64_t at = first_self_loop(opic, band->first_vertex);

    clear_shares(opic, band);
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const uint32_t v = band->first_vertex + i;
        const uint32_t loops = self_loops_of(opic, v, &at);
        if (!is_chosen(opic, v)) {
            continue;
        }
        const uint64_t cash = opic->cash[v];
        opic->flags[v] &= (uint8_t)~OPIC_MARKED;
        record_visit(opic, v, cash, &sums);
        opic->cash[v] = 0;
        sums.moved += cash;
        if ((opic->flags[v] & OPIC_LINKED) == 0) {
            sums.to_virtual += cash;
            continue;
        }
        const struct opic_split split =
            split_cash(opic, cash, band->out_degree[i] - loops, internal_of(opic, v));
        put_shares(opic, v, &split);
        if (opic->late_shares != NULL) {
            opic->late_shares[v] += split.share;
        }
        sums.to_virtual += cash - split.to_links;
        sums.lost += split.lost;
    }
    opic->sums[band->band] = sums;
}

/* ---- Edges ---- */

static inline bool is_paid(const struct mr_opic *opic, uint8_t flags)
{
    switch (opic->options.payout) {
    case MR_OPIC_PAY_ALL:
        return true;
    case MR_OPIC_PAY_UNVISITED:
        return (flags & OPIC_VISITED) == 0 || (flags & OPIC_FIRST) != 0;
    case MR_OPIC_PAY_VISITED:
        return (flags & OPIC_VISITED) != 0 && (flags & OPIC_FIRST) == 0;
    case MR_OPIC_PAY_TARGETS:
        return (flags & OPIC_TARGET) != 0;
    }
    return false;
}

static void keep_internal_sums(void *data, const struct mr_pass_band *band)
{
    struct mr_opic *opic = data;
    memcpy(opic->internal_sum + band->first_vertex, band->accumulator,
           band->n_vertices * sizeof *opic->internal_sum);
}

/* The cash that edges brought to `v`. */
static inline uint64_t income(const struct mr_opic *opic, uint32_t v, uint64_t sum, uint64_t *at)
{
    sum -= self_loops_of(opic, v, at) * opic->share[v];
    return opic->options.internal != NULL ? sum + opic->internal_sum[v] : sum;
}

/* Add vertex `v`, as it is now, to the sums. */
static inline void count_page(struct mr_opic *opic, uint32_t v, struct opic_sums *sums,
                              struct mr_sum *history, struct mr_sum *score, uint64_t *classes)
{
    const uint64_t cash = opic->cash[v];
    sums->cash += cash;
    if ((opic->flags[v] & OPIC_LINKED) != 0) {
        sums->linked_cash += cash;
    }
    mr_sum_add(history, opic->history[v]);
    mr_sum_add(score, mr_opic_score(opic, v));
    if (classes != NULL && (opic->flags[v] & OPIC_FETCHED) != 0) {
        classes[mr_opic_class(cash)] += cash;
    }
}

static void end_counting(struct mr_opic *opic, uint32_t band, const struct opic_sums *sums,
                         const struct mr_sum *history, const struct mr_sum *score,
                         const uint64_t *classes)
{
    opic->sums[band] = *sums;
    opic->sums[band].history = mr_sum_value(history);
    opic->sums[band].score = mr_sum_value(score);
    for (uint32_t i = 0; classes != NULL && i < OPIC_CLASSES; i++) {
        if (classes[i] != 0) { /* integers: the order does not matter */
            (void)__atomic_fetch_add(&opic->classes[i], classes[i], __ATOMIC_RELAXED);
        }
    }
}

static bool wants_classes(const struct mr_opic *opic)
{
    return opic->options.policy == MR_OPIC_GREEDY && opic->options.visits == 0;
}

static void collect_band(void *data, const struct mr_pass_band *band)
{
    struct mr_opic *opic = data;
    const uint64_t *sum = band->accumulator;
    struct opic_sums sums = opic->sums[band->band]; /* those of the visits */
    struct mr_sum history = {0}, score = {0};
    uint64_t classes[OPIC_CLASSES] = {0};
    uint64_t at = first_self_loop(opic, band->first_vertex);

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const uint32_t v = band->first_vertex + i;
        const uint8_t flags = opic->flags[v];
        opic->cash[v] += income(opic, v, sum[i], &at) + (is_paid(opic, flags) ? opic->pay : 0);
        opic->flags[v] = flags & (uint8_t)~OPIC_FIRST;
        count_page(opic, v, &sums, &history, &score, wants_classes(opic) ? classes : NULL);
    }
    end_counting(opic, band->band, &sums, &history, &score, wants_classes(opic) ? classes : NULL);
}

static void count_band(void *data, const struct mr_pass_band *band)
{
    struct mr_opic *opic = data;
    struct opic_sums sums = {0};
    struct mr_sum history = {0}, score = {0};
    uint64_t classes[OPIC_CLASSES] = {0};

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        count_page(opic, band->first_vertex + i, &sums, &history, &score,
                   wants_classes(opic) ? classes : NULL);
    }
    end_counting(opic, band->band, &sums, &history, &score, wants_classes(opic) ? classes : NULL);
}

/* Add up the sums of the bands, in the order of the bands. */
static void total_up(struct mr_opic *opic)
{
    struct opic_sums *total = &opic->total;
    struct mr_sum history = {0}, score = {0};
    memset(total, 0, sizeof *total);
    for (uint32_t b = 0; b < opic->info->n_bands; b++) {
        const struct opic_sums *sums = &opic->sums[b];
        total->cash += sums->cash;
        total->linked_cash += sums->linked_cash;
        total->moved += sums->moved;
        total->to_virtual += sums->to_virtual;
        total->lost += sums->lost;
        total->visits += sums->visits;
        total->first_visits += sums->first_visits;
        total->measured += sums->measured;
        total->given += sums->given;
        total->above += sums->above;
        total->below += sums->below;
        mr_sum_add(&history, sums->history);
        mr_sum_add(&score, sums->score);
    }
    total->history = mr_sum_value(&history);
    total->score = mr_sum_value(&score);
}

enum mr_status mr_opic_add_up(struct mr_opic *opic, struct mr_error *err)
{
    memset(opic->classes, 0, sizeof opic->classes);
    enum mr_status status = run_degrees(opic, opic->pass, 0, count_band, err);
    total_up(opic);
    return status;
}

/* Turn shares into sums: first over the internal edges, then over all edges. `callback` runs at the
 * end of each band before `end_band`; 0: of all. */
static enum mr_status run_links(struct mr_opic *opic, uint32_t end_band, mr_pass_callback callback,
                                struct mr_error *err)
{
    struct mr_pass_task run = {.value = MR_VALUE_U64,
                               .x = opic->internal_share,
                               .active_stripes = opic->active_stripes,
                               .callback = keep_internal_sums,
                               .callback_data = opic};
    if (opic->options.internal != NULL) {
        /* The store of internal edges may have other stripes. This pass reads all of it. */
        run.active_stripes = NULL;
        const enum mr_status status = mr_pass_run(opic->internal_pass, &run, err);
        if (status != MR_OK) {
            return status;
        }
        run.active_stripes = opic->active_stripes;
    }
    run.x = opic->share;
    run.end_band = end_band;
    run.callback = callback;
    return mr_pass_run(opic->pass, &run, err);
}

static enum mr_status check_total(const struct mr_opic *opic, struct mr_error *err)
{
    if (opic->total.cash + opic->virtual_cash == MR_OPIC_TOTAL) {
        return MR_OK;
    }
    return mr_error_file(err, MR_ERROR_CORRUPT, mr_store_path(opic->store), 0,
                         "cash is %llu units, not 2^62: links and degrees of the store disagree; "
                         "'millrace check --full' says where",
                         (unsigned long long)(opic->total.cash + opic->virtual_cash));
}

/* ---- The frontier ---- */

void mr_opic_leave_frontier(struct mr_opic *opic)
{
    const struct mr_store_info *info = opic->info;
    const uint64_t n_core = mr_pass_source_length(info);
    bool may_wait = opic->options.internal == NULL && !(opic->window > 0) &&
                    mr_pass_vector_length(info) >= 2 * n_core;

    opic->late_shares = NULL;
    opic->late_pay = 0;
    opic->end_band = info->n_bands;
    for (uint64_t v = n_core; v < info->n_vertices && may_wait; v++) {
        may_wait = (opic->flags[v] & OPIC_FETCHED) == 0;
    }
    if (!may_wait) {
        return;
    }
    opic->end_band = info->n_source_bands;
    opic->late_shares = opic->share + n_core;
    memset(opic->late_shares, 0, n_core * sizeof *opic->late_shares);
    for (uint32_t b = opic->end_band; b < info->n_bands; b++) {
        /* Histories of pages that are not visited stay as they are; cash is added apart. */
        const uint64_t first = (uint64_t)b << info->band_bits;
        const uint64_t end = mr_min_u64(info->n_vertices, first + (1ull << info->band_bits));
        struct mr_sum history = {0};
        for (uint64_t v = first; v < end; v++) {
            mr_sum_add(&history, opic->history[v]);
        }
        opic->sums[b] =
            (struct opic_sums){.history = mr_sum_value(&history), .score = mr_sum_value(&history)};
    }
}

/* The sums of a sweep without the frontier get its cash: what nobody else has. */
static void add_late_cash(struct mr_opic *opic)
{
    const uint64_t cash = MR_OPIC_TOTAL - opic->virtual_cash - opic->total.cash;
    opic->late_pay += opic->pay;
    opic->total.cash += cash;
    opic->total.score += (double)cash * 0x1p-62;
}

static void settle_band(void *data, const struct mr_pass_band *band)
{
    struct mr_opic *opic = data;
    const uint64_t *sum = band->accumulator;

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const uint32_t v = band->first_vertex + i;
        opic->cash[v] += sum[i] + (is_paid(opic, opic->flags[v]) ? opic->late_pay : 0);
    }
}

enum mr_status mr_opic_settle_frontier(struct mr_opic *opic, struct mr_error *err)
{
    if (opic->late_shares == NULL) {
        return MR_OK;
    }
    const struct opic_sums before = opic->total;
    const struct mr_pass_task run = {.value = MR_VALUE_U64,
                                     .x = opic->late_shares,
                                     .first_band = opic->info->n_source_bands,
                                     .end_band = opic->info->n_bands,
                                     .callback = settle_band,
                                     .callback_data = opic};
    enum mr_status status = mr_pass_run(opic->pass, &run, err);
    if (status == MR_OK) {
        status = mr_opic_add_up(opic, err);
    }
    if (status != MR_OK) {
        return status;
    }
    opic->total.moved = before.moved; /* of the latest sweep */
    opic->total.to_virtual = before.to_virtual;
    opic->total.lost = before.lost;
    opic->total.visits = before.visits;
    opic->total.first_visits = before.first_visits;
    mr_opic_leave_frontier(opic);
    return check_total(opic, err);
}

/* ---- The sweep ---- */

/* Advance the clock by the cash that the visits moved. */
static enum mr_status move_clock(struct mr_opic *opic, struct mr_error *err)
{
    opic->distributed += opic->total.moved;
    if (opic->clock_kind != OPIC_CLOCK_CASH) {
        return MR_OK;
    }
    const mr_u128 ticks = opic->distributed >> (62 - OPIC_TICK_BITS);
    if (ticks > UINT32_MAX) {
        return mr_error_set(err, MR_ERROR_RUNTIME,
                            "the state's clock has come to its end, 2^20 times the total cash; "
                            "begin a new state");
    }
    opic->clock = (uint64_t)ticks;
    return MR_OK;
}

/* The number of vertices that the virtual page pays. */
static uint64_t count_payees(const struct mr_opic *opic)
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

enum mr_status mr_opic_sweep(struct mr_opic *opic, struct mr_error *err)
{
    const uint64_t n_payees = count_payees(opic);
    const bool pays = n_payees > 0 && !(opic->options.drain && opic->has_paid);

    opic->pay = pays ? opic->virtual_cash / n_payees : 0;
    opic->has_paid |= pays;
    opic->virtual_cash -= opic->pay * n_payees;
    opic->paid += (mr_u128)opic->pay * n_payees;
    enum mr_status status = run_degrees(opic, opic->pass, opic->end_band, visit_band, err);
    if (status != MR_OK) {
        return status;
    }
    total_up(opic);
    status = move_clock(opic, err); /* move the clock before the cash arrives */
    if (status == MR_OK) {
        memset(opic->classes, 0, sizeof opic->classes);
        status = run_links(opic, opic->end_band, collect_band, err);
    }
    if (status != MR_OK) {
        return status;
    }
    total_up(opic);
    opic->virtual_cash += opic->total.to_virtual;
    if (opic->late_shares != NULL) {
        add_late_cash(opic);
    }
    opic->n_visited += opic->total.first_visits;
    opic->visits += opic->total.visits;
    opic->sweep++;
    opic->proof_sweeps++;
    /* the tax is rounded up: one unit per visit */
    const uint64_t lost = opic->total.lost + opic->total.visits;
    opic->lost = opic->lost > UINT64_MAX - lost ? UINT64_MAX : opic->lost + lost;
    return check_total(opic, err);
}

/* ---- The measured bound ---- */

/* The score in units. The sum of all these scores is below 2^62. */
static inline uint64_t units_of_score(const struct mr_opic *opic, uint32_t v)
{
    return (uint64_t)(mr_opic_score(opic, v) * opic->measure_scale);
}

static void spread_band(void *data, const struct mr_pass_band *band)
{
    struct mr_opic *opic = data;
    struct opic_sums sums = {0};
    uint64_t at = first_self_loop(opic, band->first_vertex);

    clear_shares(opic, band);
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const uint32_t v = band->first_vertex + i;
        const uint32_t loops = self_loops_of(opic, v, &at);
        const uint64_t units = units_of_score(opic, v);
        sums.measured += units;
        if ((opic->flags[v] & OPIC_LINKED) != 0) {
            const struct opic_split split =
                split_cash(opic, units, band->out_degree[i] - loops, internal_of(opic, v));
            put_shares(opic, v, &split);
            sums.given += split.to_links;
            sums.lost += split.lost + 1;
        }
    }
    opic->sums[band->band] = sums;
}

static void compare_band(void *data, const struct mr_pass_band *band)
{
    struct mr_opic *opic = data;
    const uint64_t *sum = band->accumulator;
    uint64_t above = 0, below = 0, at = first_self_loop(opic, band->first_vertex);

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const uint32_t v = band->first_vertex + i;
        const uint64_t units = units_of_score(opic, v);
        const uint64_t other =
            income(opic, v, sum[i], &at) + (is_paid(opic, opic->flags[v]) ? opic->pay : 0);
        above += other > units ? other - units : 0;
        below += other < units ? units - other : 0;
    }
    opic->sums[band->band].above = above;
    opic->sums[band->band].below = below;
}

/* Take any y >= 0 and any s, and r = s t + a P^T y - y. Then the distance from y / |y| to the
 * solution is at most 2 m / ((1 - a) |y|), m being the larger one of the sums of the positive and
 * of the negative r (docs/solver.md). Here y are the scores cut to integers, and s makes the sum of
 * r nearly 0. The only error of P^T y comes from divisions; it is counted. */
enum mr_status mr_opic_measure(struct mr_opic *opic, double *bound, struct mr_error *err)
{
    const double damping = 1 - opic->options.tax, n = (double)opic->info->n_vertices;

    *bound = INFINITY;
    opic->measure_scale = 0x1p61 / opic->total.score;
    if (!(opic->total.score > 0) || !isfinite(opic->measure_scale)) {
        return MR_OK;
    }
    const struct opic_sums total = opic->total;
    enum mr_status status = run_degrees(opic, opic->pass, 0, spread_band, err);
    if (status != MR_OK) {
        return status;
    }
    total_up(opic);
    opic->pay = (opic->total.measured - opic->total.given) / count_payees(opic);
    status = run_links(opic, 0, compare_band, err);
    if (status != MR_OK) {
        return status;
    }
    total_up(opic);
    const double measured = (double)opic->total.measured;
    const double larger = (double)mr_max_u64(opic->total.above, opic->total.below);
    const double residual = larger + (double)opic->total.lost + n;
    opic->total = total;
    if (measured > 0) {
        *bound = (2 * residual / ((1 - damping) * measured) + 2 * n / measured + 0x1p-49) *
                 (1 + 0x1p-49);
    }
    return MR_OK;
}
