/* SPDX-License-Identifier: Apache-2.0 */
/* The solver of HITS: plain rounds, runs of Lanczos between them, and the search for the second
 * eigenvalue. hits.c calls it; hits_rounds.c applies the operator. Only a plain round accepts a
 * result, because the tolerance limits the move of such a round. */
#include "algorithms/hits/internal.h"

#include <math.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/random.h"
#include "engine/base/team.h"

/* Eigenvalues whose relative distance is smaller count as equal. */
#define EQUAL_EIGENVALUES 1e-6

/* The first run of Lanczos ends in a shift if its residual is larger than SHIFT_RESIDUAL after
 * SHIFT_AT + 1 steps. SHIFT: as a share of the first eigenvalue. Rounds: docs/notes/methods.md. */
#define SHIFT_RESIDUAL 0.01
#define SHIFT          0.9
enum { SHIFT_AT = 2 };

/* PATIENCE: the solver gives up after so many measured rounds without improvement. Plain rounds may
 * move more and more for a while, until a large eigenvector with a small share has come up; only
 * below SMALL_CHANGE it is rounding. */
enum { PATIENCE = 20, PROBE_LEAST = 8 };
#define SMALL_CHANGE 1e-8

/* The norm of hubs, values[n_hubs], after negative entries are set to 0. Only rounding makes such
 * entries. */
double mr_hits_clean_norm(struct mr_hits_solver *solver, double *values)
{
    const uint64_t n = solver->n_hubs;
    const int64_t n_scans = (int64_t)mr_div_up(n, MR_HITS_SCAN);
    const enum mr_hits_norm kind = solver->options->norm;

#pragma omp parallel for num_threads(mr_team_threads(n_scans > 1 ? solver->context->threads : 1))  \
    schedule(static)
    for (int64_t s = 0; s < n_scans; s++) {
        const uint64_t first = (uint64_t)s * MR_HITS_SCAN,
                       end = mr_min_u64(first + MR_HITS_SCAN, n);
        struct mr_sum sum = {0};
        double largest = 0;
        for (uint64_t i = first; i < end; i++) {
            values[i] = values[i] > 0 ? values[i] : 0;
            largest = fmax(largest, values[i]);
            mr_sum_add(&sum, kind == MR_HITS_L2 ? values[i] * values[i] : values[i]);
        }
        solver->sums[s] = kind == MR_HITS_MAX ? (struct mr_sum){.sum = largest} : sum;
    }
    struct mr_sum sum = {0};
    double largest = 0;
    for (int64_t s = 0; s < n_scans; s++) {
        largest = fmax(largest, solver->sums[s].sum);
        mr_sum_add(&sum, mr_sum_value(&solver->sums[s]));
    }
    const double total = mr_sum_value(&sum);
    return kind == MR_HITS_MAX ? largest : kind == MR_HITS_L2 ? sqrt(total) : total;
}

/* ---- Acceleration ---- */

/* Tells the caller how much the last round changed, or about how much a round would change. */
static void report(const struct mr_hits_solver *solver, double change)
{
    const struct mr_context *context = solver->context;
    if (context->progress == NULL) {
        return;
    }
    const struct mr_pass_figures forward = mr_pass_get_figures(solver->forward);
    const struct mr_pass_figures backward = mr_pass_get_figures(solver->backward);
    struct mr_progress progress = {
        .stage = "rank",
        .done = forward.passes + backward.passes,
        .unit = "passes",
        .edges = forward.edge_visits + backward.edge_visits,
        .bytes = forward.bytes_read + backward.bytes_read,
        .passes = (unsigned)(forward.passes + backward.passes),
        .error_bound = isfinite(change) ? change : -1,
    };
    context->progress(context->progress_data, &progress);
}

/* Communities with few links among them have eigenvectors of their own, which are far from 0 only
 * inside. The start has a positive part of each. Multiplied by M^2 (M - shift), where the shift is
 * between the first eigenvalue and theirs, these parts become negative, and mr_hits_clean_norm sets
 * the pages of all such communities to 0 at once. The first eigenvector's part stays positive, and
 * it only grows. */
static double find_shift(double h[MR_KRYLOV_MAX + 1][MR_KRYLOV_MAX + 2], double eigenvalue,
                         double *weights)
{
    double y[SHIFT_AT + 1] = {1}, last = 0;

    for (unsigned step = 0; step <= SHIFT_AT; step++) {
        last = y[SHIFT_AT];
        for (unsigned i = 0; i <= SHIFT_AT; i++) {
            weights[i] = (h[i][i] - (step == 0 ? SHIFT * eigenvalue : 0)) * y[i] +
                         (i < SHIFT_AT ? h[i][i + 1] * y[i + 1] : 0) +
                         (i > 0 ? h[i - 1][i] * y[i - 1] : 0);
        }
        memcpy(y, weights, sizeof y);
    }
    return last;
}

/* Restarted Lanczos: replace the hubs by the best vector of the space that M spans from them. It
 * takes at most as many applications as the basis has vectors. `*residual` is the move of the next
 * plain round, in the 2-norm. */
static enum mr_status accelerate(struct mr_hits_solver *solver, double *residual,
                                 struct mr_error *err)
{
    struct mr_krylov *krylov = &solver->krylov;
    double *w = solver->hubs.values;
    /* The matrix is tridiagonal by construction, so the other entries are set to 0. Computed as
     * products of vectors, they would have errors of single precision, which soon exceed the first
     * beta. */
    double h[MR_KRYLOV_MAX + 1][MR_KRYLOV_MAX + 2] = {{0}};
    struct mr_ritz ritz;
    const bool may_shift = solver->may_shift;
    bool is_shift = false;
    unsigned j = 0;

    solver->may_shift = false;
    mr_krylov_store_base(krylov, w, 1 / mr_krylov_norm(krylov, w));
    for (;; j++) {
        double products[MR_KRYLOV_MAX + 1];
        const enum mr_status status = mr_hits_apply(solver, err);
        if (status != MR_OK) {
            return status;
        }
        const double beta = mr_krylov_orthogonalise(krylov, w, j, products);
        h[j][j] = products[j];
        h[j][j + 1] = beta;
        ritz = mr_krylov_ritz(h, j + 1);
        *residual = beta * fabs(ritz.vector[j]) / ritz.value;
        report(solver, solver->worth * *residual);
        if (may_shift && j == SHIFT_AT && *residual > SHIFT_RESIDUAL) {
            solver->is_shifted = is_shift = true;
            break;
        }
        /* The base has double precision, the slots single. Below this limit w is rounding only. */
        const double least = (j == 0 ? 1e-13 : 1e-6) * ritz.value;
        if (j == krylov->n_slots || !(beta > least) ||
            solver->worth * *residual <= 0.5 * solver->options->tolerance ||
            solver->rounds + 1 >= solver->options->max_rounds) {
            break;
        }
        mr_krylov_store(krylov, w, 1 / beta, j);
    }
    double last = 0;
    if (is_shift) {
        last = find_shift(h, ritz.value, ritz.vector);
        *residual = 0; /* a shift tells nothing about the next round */
    } else {
        /* For the best vector y = sum of s_i q_i, store M y = theta y + s_j w. w is at hand, so
         * that this step costs nothing. */
        const double sign = ritz.vector[0] < 0 ? -1 : 1;
        last = sign * ritz.vector[j];
        for (unsigned i = 0; i <= j; i++) {
            ritz.vector[i] *= sign * ritz.value;
        }
    }
    mr_krylov_combine(krylov, w, last, j, ritz.vector);
    solver->hubs.norm = mr_hits_clean_norm(solver, w);
    solver->hubs.change = (double)INFINITY;
    solver->eigenvalue = ritz.value;
    return MR_OK;
}

/* The move of the vector that moved more. */
static double find_change(const struct mr_hits_solver *solver)
{
    return fmax(solver->hubs.change, solver->authorities.change);
}

enum mr_status mr_hits_solve(struct mr_hits_solver *solver, struct mr_error *err)
{
    const double tolerance = solver->options->tolerance;
    const uint64_t most = solver->options->max_rounds;
    double best = INFINITY, last = INFINITY, residual = 0;
    unsigned failures = 0;

    solver->worth = 1;
    for (;;) {
        enum mr_status status = mr_hits_authorities(solver, err);
        /* Lanczos leaves no old authorities. If the round behind it does not move the hubs, half a
         * round more measures the authorities. */
        if (status != MR_OK || !(solver->authorities.norm > 0) ||
            find_change(solver) <= tolerance) {
            return status;
        }
        status = mr_hits_hubs(solver, err);
        if (status != MR_OK || !(solver->hubs.norm > 0)) {
            return status;
        }
        const double hubs = solver->hubs.change;
        report(solver, find_change(solver));
        const bool may_grow = solver->result->acceleration == 0 && best > SMALL_CHANGE;
        failures = hubs < best || may_grow ? 0 : failures + 1;
        best = fmin(best, hubs);
        solver->shrink = solver->result->acceleration == 0 ? hubs / last : 0;
        last = hubs;
        if (find_change(solver) <= tolerance || solver->rounds >= most || failures == PATIENCE) {
            return MR_OK;
        }
        if (residual > 0 && isfinite(hubs)) {
            solver->worth = hubs / residual;
            residual = 0;
        }
        const bool is_due = hubs > tolerance || isfinite(solver->authorities.change);
        if (solver->result->acceleration > 0 && is_due && solver->rounds + 1 < most) {
            status = accelerate(solver, &residual, err);
        }
        if (status != MR_OK) {
            return status;
        }
    }
}

/* ---- The second eigenvalue ---- */

/* A number in [-1, 1) that depends on `i` only. */
static double scatter(uint64_t i)
{
    return (double)(int64_t)mr_random_mix((i + 1) * MR_RANDOM_GOLDEN) * 0x1p-63;
}

/* Make w orthogonal to the hubs and of length 1; it is the first vector of the search. All later
 * vectors are orthogonal to the hubs too. */
static bool begin_search(struct mr_krylov *krylov, double *w)
{
    double products[1];
    const double norm = mr_krylov_orthogonalise(krylov, w, 0, products);
    /* A smaller norm is what rounding leaves of a multiple of the hubs. */
    const bool is_there = norm > 1e-10 * fabs(products[0]);
    if (is_there) {
        mr_krylov_store(krylov, w, 1 / norm, 0);
    }
    return is_there;
}

/* Lanczos orthogonal to the hubs found. The start has signs and sizes without a pattern, so that it
 * has a part in every eigenvector. The search ends when the error of the second eigenvalue is about
 * a tenth of its distance from the first. */
static enum mr_status search(struct mr_hits_solver *solver, unsigned most, struct mr_error *err)
{
    struct mr_hits_result *result = solver->result;
    struct mr_krylov *krylov = &solver->krylov;
    double *w = solver->hubs.values;
    double h[MR_KRYLOV_MAX + 1][MR_KRYLOV_MAX + 2] = {{0}};
    const double equal = fmax(EQUAL_EIGENVALUES, 10 * fmax(result->hub_change, 0));
    const unsigned least = krylov->n_slots > 2 ? PROBE_LEAST : 2 * PROBE_LEAST;
    unsigned j = 0;

    for (uint64_t v = 0; v < solver->n_hubs; v++) {
        w[v] = scatter(v);
    }
    /* The first application removes the vertices without edges. */
    enum mr_status status = mr_hits_apply(solver, err);
    result->probe_rounds = 1;
    result->second_eigenvalue = 0;
    if (status != MR_OK || !begin_search(krylov, w)) {
        solver->is_settled = true; /* there is no other eigenvalue */
        return status;
    }
    while (result->probe_rounds < most) {
        double products[MR_KRYLOV_MAX + 1];
        status = mr_hits_apply(solver, err);
        if (status != MR_OK) {
            return status;
        }
        result->probe_rounds++;
        const double beta = mr_krylov_orthogonalise(krylov, w, j + 1, products);
        h[j][j] = products[1 + j];
        h[j][j + 1] = beta;
        const struct mr_ritz ritz = mr_krylov_ritz(h, j + 1);
        const double residual = beta * fabs(ritz.vector[j]) / result->eigenvalue;
        const double separation = ritz.value / result->eigenvalue;
        const double gained = (ritz.value - result->second_eigenvalue) / result->eigenvalue;
        result->second_eigenvalue = fmax(result->second_eigenvalue, ritz.value);
        report(solver, -1);
        /* A small residual alone is no proof: it may belong to a third eigenvalue that the start
         * favours. */
        solver->is_settled =
            !(beta > 1e-6 * result->eigenvalue) ||
            (result->probe_rounds >= least && residual <= 0.05 * (1 - separation) &&
             gained <= 0.005 * (1 - separation));
        if (separation >= 1 - equal || solver->is_settled) {
            break;
        }
        if (j + 1 < krylov->n_slots) {
            mr_krylov_store(krylov, w, 1 / beta, ++j);
            continue;
        }
        double weights[MR_KRYLOV_MAX + 1] = {0};
        for (unsigned i = 0; i <= j; i++) {
            weights[1 + i] = ritz.vector[i] * ritz.value;
        }
        mr_krylov_combine(krylov, w, ritz.vector[j], j + 1, weights);
        memset(h, 0, sizeof h);
        j = 0;
        if (!begin_search(krylov, w)) {
            solver->is_settled = true;
            break;
        }
    }
    return MR_OK;
}

/* Copy the hubs to the base, search, copy them back, and compute their authorities again. */
enum mr_status mr_hits_separate(struct mr_hits_solver *solver, struct mr_error *err)
{
    struct mr_hits_result *result = solver->result;
    const unsigned most = (unsigned)solver->options->probe;
    double *hubs = solver->hubs.values;

    const double length = mr_krylov_norm(&solver->krylov, hubs);
    mr_krylov_store_base(&solver->krylov, hubs, 1 / length);
    enum mr_status status = search(solver, most, err);
    if (status != MR_OK) {
        return status;
    }
    const double back[1] = {length};
    mr_krylov_combine(&solver->krylov, hubs, 0, 0, back);
    solver->hubs.norm = mr_hits_clean_norm(solver, hubs);
    result->separation = result->second_eigenvalue / result->eigenvalue;
    result->depends_on_start =
        result->separation >= 1 - fmax(EQUAL_EIGENVALUES, 10 * result->hub_change);
    return mr_hits_authorities(solver, err);
}
