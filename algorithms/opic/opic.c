/* SPDX-License-Identifier: Apache-2.0 */
/* Runs an OPIC system from sweep to sweep, decides when to stop, computes the error bounds, and
 * gives the scores. create.c makes the system; cash_sweep.c does the work of a sweep. The bound
 * follows from the amounts of cash where it can. Otherwise a pass measures it, first after 8 sweeps
 * and then after every quarter more, because that pass costs as much as a sweep. */
#include "algorithms/opic/opic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algorithms/opic/internal.h"
#include "engine/base/count_text.h"
#include "engine/base/memory.h"

enum {
    MOST_SWEEPS = 100000, /* the limit without --sweeps */
    /* number of sweeps before the first measured bound; the next ones follow after a quarter
     * more */
    FIRST_MEASURE = 8
};

/* ---- Bounds ---- */

/* Returns whether a limit exists, a PageRank: it needs a tax, and a virtual page that pays a fixed
 * vector. */
static bool has_limit(const struct mr_opic *opic)
{
    const enum mr_opic_payout payout = opic->options.payout;
    return opic->options.tax > 0 && !opic->options.tax_one_link &&
           (payout == MR_OPIC_PAY_ALL || payout == MR_OPIC_PAY_TARGETS);
}

/* Returns whether the amounts of cash do not explain the scores, so that a pass must measure the
 * bound. */
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

/* From (I - a P^T) x = paid - a P^T C - losses, where x = H + C, and C is the cash on vertices with
 * edges. */
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
    enum mr_status status = mr_opic_settle_frontier(opic, err);
    if (status == MR_OK) {
        status = mr_opic_measure(opic, &bound, err);
    }
    mr_opic_leave_frontier(opic); /* the measure used the shares */
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
    result->figures = mr_pass_get_figures(opic->pass);
}

static void report(const struct mr_opic *opic, const struct mr_opic_result *result)
{
    const struct mr_context *context = opic->context;
    char detail[64];
    if (context->progress == NULL) {
        return;
    }
    const struct mr_pass_figures figures = mr_pass_get_figures(opic->pass);
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

/* Returns whether a sweep over all vertices found nothing to move. Draining ends this way; vertices
 * that are not fetched keep their cash. */
static bool is_dry(const struct mr_opic *opic)
{
    return opic->choice == OPIC_CHOOSE_ALL && opic->total.moved == 0 && opic->pay == 0;
}

/* Returns whether a rule other than the bound says stop. */
static bool is_over(const struct mr_opic *opic, const struct mr_opic_result *result)
{
    const struct mr_opic_options *o = &opic->options;
    if (o->n_times > 0) {
        return false; /* mr_opic_choose ends the run */
    }
    return is_dry(opic) ||
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
    const enum mr_status status = mr_opic_settle_frontier(opic, err);
    return status == MR_OK && must_measure(opic) && !is_measured ? measure(opic, result, err)
                                                                 : status;
}

/* What they pin is memory for the columns and the state. */
static void close_passes(struct mr_opic *opic)
{
    mr_pass_close(opic->pass);
    mr_pass_close(opic->internal_pass);
    opic->pass = opic->internal_pass = NULL;
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
        close_passes(opic);
        return MR_OK;
    }
    mr_opic_leave_frontier(opic);
    status = sweep_on(opic, result, err);
    fill_result(opic, result);
    close_passes(opic);
    if (status != MR_OK) {
        return status;
    }
    result->converged =
        !(tolerance > 0) || result->error_bound <= tolerance ||
        (opic->options.sweeps > 0 && result->sweeps >= opic->options.sweeps) ||
        (opic->options.cash_left > 0 && result->cash_left <= opic->options.cash_left);
    if (!result->converged) {
        char sweeps[64];
        return mr_error_set(
            err, MR_NOT_CONVERGED, "error bound %.2e is above the tolerance %.2e after %s; %s",
            result->error_bound, tolerance, mr_count_of_text(result->sweeps, "sweep", sweeps),
            is_dry(opic) ? "no cash is left to move, raise --tolerance"
                         : "raise --tolerance, or take --method drain");
    }
    return MR_OK;
}

/* ---- Results ---- */

const double *mr_opic_scores(struct mr_opic *opic)
{
    double *scores = (double *)opic->share; /* of the same size as doubles */
    const double scale = opic->total.score > 0 ? 1 / opic->total.score : 0;
    _Static_assert(sizeof *scores == sizeof *opic->share, "scores take the place of shares");
    for (uint64_t v = 0; v < opic->info->n_vertices; v++) {
        const double score = mr_opic_score(opic, (uint32_t)v) * scale;
        memcpy(&opic->share[v], &score, sizeof score);
    }
    return scores;
}

double *mr_opic_give_scores(struct mr_opic *opic)
{
    opic->has_given = true;
    (void)mr_opic_scores(opic);
    return (double *)opic->share;
}

static const double *cash_of(struct mr_opic *opic, bool wanted, uint64_t *n_pages)
{
    *n_pages = 0;
    for (uint64_t v = 0; v < opic->info->n_vertices; v++) {
        const bool fetched = (opic->flags[v] & OPIC_FETCHED) != 0 || mr_opic_is_timed(opic, v);
        const double cash = fetched != wanted ? -1 : (double)opic->cash[v] * 0x1p-62;
        *n_pages += fetched == wanted;
        memcpy(&opic->share[v], &cash, sizeof cash);
    }
    return (const double *)opic->share;
}

const double *mr_opic_unfetched(struct mr_opic *opic, uint64_t *n_unfetched)
{
    return cash_of(opic, false, n_unfetched);
}

const double *mr_opic_refetch(struct mr_opic *opic, uint64_t *n_fetched)
{
    return cash_of(opic, true, n_fetched);
}

struct mr_opic_page mr_opic_get_page(const struct mr_opic *opic, uint64_t vertex)
{
    const double last = (double)opic->last[vertex];
    return (struct mr_opic_page){
        .cash = (double)opic->cash[vertex] * 0x1p-62,
        .history = opic->history[vertex],
        .last = opic->clock_kind == OPIC_CLOCK_TIME ? last : ldexp(last, -OPIC_TICK_BITS)};
}
