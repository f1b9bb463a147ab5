#include "algorithms/pagerank.h"

#include <math.h>
#include <string.h>

#include "algorithms/pagerank_bands.h"
#include "engine/bytes.h"
#include "engine/memory.h"

#define DEFAULT_DAMPING          0.85
#define DEFAULT_TOLERANCE_DOUBLE 1e-9
#define DEFAULT_TOLERANCE_SINGLE 1e-5
#define DEFAULT_MAX_PASSES       10000u

/* Sweeps of the diagonal tile per visit, row by row. On web graphs, where 60-90% of the links lie there,
 * 4 need a third of the passes of 1; on graphs without locality they cost as little as they bring
 * (docs/solver.md). */
#define DEFAULT_INNER         4u
#define DEFAULT_CORNERS_INNER 6u

/* Rows that would change by less than this share of the mean change of the last pass are passed over:
 * half of the work of the sweeps, at most one pass more. */
#define ROW_SHARE (1.0 / 64)

/* Depth of the acceleration: as deep as pays while its vectors, 4 (1 + 2 depth) bytes per vertex, are small
 * beside any machine's memory. A function of the vertex count alone: it is part of the arithmetic. */
static const struct {
    uint64_t most_vertices;
    unsigned depth;
} depths[] = {{UINT64_C(1) << 20, 5}, {UINT64_C(1) << 22, 2}, {UINT64_C(1) << 24, 1}};

/* Certificates that must fail to improve before the solver gives up. */
enum { PATIENCE = 3 };

struct solver {
    const struct mr_context *context;
    struct mr_store *store;
    const struct mr_store_info *info;
    const struct mr_pagerank_options *options;
    struct mr_pagerank_result *result;
    struct mr_pass *pass;
    struct mr_rank_job job;
    struct mr_rank_sums sums; /* of the latest pass, over all bands */
    double tolerance;
};

void mr_pagerank_defaults(struct mr_pagerank_options *options)
{
    memset(options, 0, sizeof *options);
    options->struct_size = sizeof *options;
    options->damping = DEFAULT_DAMPING;
}

static size_t value_bytes(const struct mr_pagerank_options *options)
{
    return options->precision == MR_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
}

/* How many bands are in work at once: a function of the store alone. A sixteenth of the bands costs
 * few passes (docs/solver.md) and keeps 8 threads busy from 128 bands on. */
static unsigned choose_lag(const struct mr_store_info *info)
{
    unsigned lag = info->n_bands / 16;
    return lag < 1 ? 1 : lag > 8 ? 8 : lag;
}

static unsigned choose_depth(const struct mr_store_info *info,
                             const struct mr_pagerank_options *options)
{
    if (options->iterations > 0 || options->acceleration < 0) {
        return 0;
    }
    if (options->acceleration > 0) {
        return (unsigned)options->acceleration;
    }
    for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++) {
        if (info->n_vertices <= depths[i].most_vertices) {
            return depths[i].depth;
        }
    }
    return 0;
}

/* Mostly of corner tiles: sweeps apply these as they are, all vertices at once. Row by row would need
 * their links, and making those takes longer than all sweeps together. */
static bool is_of_corners(const struct mr_store_info *info)
{
    return info->corners.edges > info->n_edges / 2;
}

static unsigned choose_inner(const struct mr_store_info *info,
                             const struct mr_pagerank_options *options)
{
    return options->iterations > 0 ? 1
           : options->inner > 0    ? options->inner
           : is_of_corners(info)   ? DEFAULT_CORNERS_INNER
                                   : DEFAULT_INNER;
}

static struct mr_pass_options pass_options(const struct mr_store_info *info,
                                           const struct mr_pagerank_options *options)
{
    return (struct mr_pass_options){
        .struct_size = sizeof(struct mr_pass_options),
        .backend = options->backend,
        .no_pinning = options->no_pinning,
        .max_lag = options->iterations > 0 ? 0 : choose_lag(info),
        .value = options->precision == MR_PRECISION_SINGLE ? MR_VALUE_FLOAT : MR_VALUE_DOUBLE,
        .row_sweeps = choose_inner(info, options) > 1 && !is_of_corners(info),
    };
}

uint64_t mr_pagerank_minimum_memory(const struct mr_store_info *info,
                                    const struct mr_pagerank_options *options)
{
    struct mr_pass_options pass = pass_options(info, options);
    uint64_t vectors = options->iterations > 0 ? 2 : 1;
    return MR_MEMORY_RESERVE_BYTES + mr_pass_minimum_memory(info, &pass) +
           vectors * mr_pass_vector_length(info) * value_bytes(options) +
           mr_acceleration_memory(choose_depth(info, options), mr_pass_vector_length(info),
                                  info->n_bands) +
           info->n_bands * sizeof(struct mr_rank_sums) + info->index_bytes;
}

static enum mr_status check_options(const struct solver *solver, struct mr_error *err)
{
    const struct mr_pagerank_options *o = solver->options;
    if (!(o->damping >= 0 && o->damping < 1)) {
        return mr_error_set(err, MR_ERROR_USAGE, "damping %g must be at least 0 and below 1",
                            o->damping);
    }
    if (!(o->tolerance >= 0)) {
        return mr_error_set(err, MR_ERROR_USAGE, "tolerance %g must be above 0", o->tolerance);
    }
    if (o->acceleration > (int)MR_ACCELERATION_MAX_DEPTH) {
        return mr_error_set(err, MR_ERROR_USAGE, "acceleration of depth %d; at most %u",
                            o->acceleration, MR_ACCELERATION_MAX_DEPTH);
    }
    if (o->teleport == NULL) {
        return MR_OK;
    }
    double largest = 0;
    for (uint64_t i = 0; i < o->n_teleport; i++) {
        const struct mr_vertex_weight *w = &o->teleport[i];
        if (w->vertex >= solver->info->n_vertices || !(w->weight >= 0) || isinf(w->weight) ||
            (i > 0 && w->vertex <= w[-1].vertex)) {
            return mr_error_set(err, MR_ERROR_USAGE,
                                "teleport weights must be finite, not negative and ascending by "
                                "vertex");
        }
        largest = fmax(largest, w->weight);
    }
    if (!(largest > 0)) {
        return mr_error_set(err, MR_ERROR_USAGE, "teleport weights must not all be 0");
    }
    return MR_OK;
}

/* Add the bands' sums in band order. */
static void add_up(struct solver *solver)
{
    struct mr_sum mass = {0}, dangling = {0}, change = {0}, residual = {0}, rounding = {0};
    double shares = 0;
    for (uint32_t b = 0; b < solver->info->n_bands; b++) {
        const struct mr_rank_sums *band = &solver->job.sums[b];
        shares = fmax(shares, band->shares);
        mr_sum_add(&mass, band->mass);
        mr_sum_add(&dangling, band->dangling);
        mr_sum_add(&change, band->change);
        mr_sum_add(&residual, band->residual);
        mr_sum_add(&rounding, band->rounding);
    }
    solver->sums = (struct mr_rank_sums){
        .mass = mr_sum_value(&mass),
        .dangling = mr_sum_value(&dangling),
        .change = mr_sum_value(&change),
        .residual = mr_sum_value(&residual),
        .rounding = mr_sum_value(&rounding),
        .shares = shares,
    };
}

/* Is the dangling mass spread evenly although teleports are not? Otherwise it follows from scale. */
static bool spreads_dangling(const struct solver *solver)
{
    return solver->options->dangling == MR_DANGLING_UNIFORM && solver->options->teleport != NULL;
}

static bool is_normalised(const struct solver *solver)
{
    return solver->options->dangling != MR_DANGLING_NONE;
}

static enum mr_status run(struct solver *solver, struct mr_pass_run *run, mr_pass_callback callback,
                          struct mr_error *err)
{
    run->value =
        solver->options->precision == MR_PRECISION_SINGLE ? MR_VALUE_FLOAT : MR_VALUE_DOUBLE;
    run->x = solver->job.x;
    run->out_degrees = true;
    run->callback = callback;
    run->callback_data = &solver->job;
    enum mr_status status = mr_pass_run(solver->pass, run, err);
    add_up(solver);
    return status;
}

static enum mr_status run_degrees(struct solver *solver, mr_pass_callback callback,
                                  struct mr_error *err)
{
    struct mr_pass_run job = {.degrees_only = true};
    return run(solver, &job, callback, err);
}

/* Terms of `rank = c t + u + a acc` for the coming pass. Where dangling mass follows t, relaxation
 * solves for fixed scale; everything else takes scale and dangling mass from the vector as it is. */
static void set_terms(struct solver *solver, bool fixed_scale)
{
    struct mr_rank_job *job = &solver->job;
    const double a = job->damping, mass = solver->sums.mass, dangling = solver->sums.dangling;
    job->uniform_term = 0;
    if (solver->options->dangling == MR_DANGLING_NONE) {
        job->teleport_scale = 1 - a;
    } else if (spreads_dangling(solver)) {
        job->teleport_scale = (1 - a) * mass;
        job->uniform_term = a * dangling / (double)solver->info->n_vertices;
    } else {
        job->teleport_scale = fixed_scale ? 1 - a : mass - a * (mass - dangling);
    }
}

/* One synchronous pass: the residual of the vector as stored, and what it proves. */
static enum mr_status certify(struct solver *solver, struct mr_error *err)
{
    struct mr_pagerank_result *result = solver->result;
    struct mr_pass_run job = {.in_degrees = true};
    const double a = solver->job.damping;
    const double u = 0x1p-53;
    /* Mass and dangling mass of the vector as stored, which acceleration and rounding moved on. */
    enum mr_status status = run_degrees(solver, mr_rank_measure, err);
    if (status != MR_OK) {
        return status;
    }
    set_terms(solver, false);
    status = run(solver, &job, mr_rank_certify, err);
    if (status != MR_OK) {
        return status;
    }
    const struct mr_rank_sums *sums = &solver->sums;
    /* Sums over vertices are compensated, in their band and over the bands: below 4 u each time. The
     * sum of the rounding terms is not: 2^-20 is more than its error, and more than the k^2 u^2 of
     * in-degrees up to 2^32. */
    const double summing = 10 * u;
    const double slack = 1 + 2 * summing;
    const double mass = is_normalised(solver) ? sums->mass / slack : 1;
    const double factor = is_normalised(solver) ? 2 : 1;
    const double per_residual = factor * slack / ((1 - a) * mass);
    /* What links in corner tiles may err by; a stripe's sum is at most its band's. */
    const double corners =
        a * MR_PASS_LINK_ERROR * (double)solver->info->corners.edges * sums->shares;
    const double rounding = (sums->rounding + corners) * (1 + 0x1p-20);
    /* Dangling mass is a sum over vertices itself: its error, spread evenly, adds up to this. */
    const double spread = spreads_dangling(solver) ? a * summing * sums->dangling : 0;
    /* Ranks returned are the certified ones times degree and scale, rounded; t is rounded too. */
    const double output =
        (solver->options->precision == MR_PRECISION_SINGLE ? 0x1p-24 : 0) + 16 * u + summing;
    result->residual = sums->mass > 0 ? sums->residual / sums->mass : 0;
    result->rounding_bound =
        per_residual * (rounding + spread) +
        output * (is_normalised(solver) ? 1 : sums->mass) / (is_normalised(solver) ? 1 : 1 - a);
    result->error_bound = per_residual * sums->residual + result->rounding_bound;
    result->score_sum = sums->mass;
    return MR_OK;
}

static void report(const struct solver *solver, double bound)
{
    const struct mr_context *context = solver->context;
    if (context->progress == NULL) {
        return;
    }
    const struct mr_pass_figures figures = mr_pass_figures(solver->pass);
    struct mr_progress progress = {
        .stage = "rank",
        .done = figures.passes,
        .unit = "passes",
        .edges = figures.edge_visits,
        .bytes = figures.bytes_read + figures.degree_bytes_read,
        .passes = (unsigned)figures.passes,
        .error_bound = bound,
    };
    context->progress(context->progress_data, &progress);
}

/* Move x on from G(x), the outcome of a pass, unless the last move did harm: then begin anew. */
static void accelerate(struct solver *solver, double last_change)
{
    if (solver->job.acceleration == NULL) {
        return;
    }
    if (solver->sums.change > last_change) {
        mr_acceleration_restart(solver->job.acceleration);
    }
    mr_acceleration_step(solver->job.acceleration, solver->job.x);
}

/* In terms of the pass: a change of rank by d is one of share by d / degree = d / a * gain. */
static double row_threshold(const struct solver *solver, double last_change)
{
    const double a = solver->job.damping;
    return isfinite(last_change) && a > 0
               ? ROW_SHARE / a * last_change / (double)solver->info->n_vertices
               : 0;
}

/* Relax until the certificate holds. The change of a pass foretells the bound: what a relaxation moved
 * is at most 1/a of the residual it leaves; by how much less is learnt from each certificate. */
static enum mr_status solve(struct solver *solver, struct mr_error *err)
{
    struct mr_pagerank_result *result = solver->result;
    const unsigned max_passes =
        solver->options->max_passes > 0 ? solver->options->max_passes : DEFAULT_MAX_PASSES;
    const double a = solver->job.damping;
    double ratio = 0.5, best = INFINITY, last_change = INFINITY;
    unsigned failures = 0;
    if (max_passes == 1) { /* nothing but the certificate: of the start vector */
        return certify(solver, err);
    }
    struct mr_pass_run job = {
        .relax = true,
        .lag = result->lag,
        .sweeps = result->inner,
        .terms = result->inner > 1 && !is_of_corners(solver->info) ? mr_rank_terms : NULL,
    };
    for (unsigned passes = 1;; passes++) {
        set_terms(solver, true);
        job.row_threshold = row_threshold(solver, last_change);
        enum mr_status status = run(solver, &job, mr_rank_relax, err);
        if (status != MR_OK) {
            return status;
        }
        const double mass = is_normalised(solver) ? solver->sums.mass : 1;
        const double factor = is_normalised(solver) ? 2 : 1;
        const double foretold = factor * a * solver->sums.change / ((1 - a) * mass);
        report(solver, ratio * foretold);
        accelerate(solver, last_change);
        last_change = solver->sums.change;
        if (ratio * foretold > solver->tolerance && passes + 1 < max_passes) {
            continue;
        }
        status = certify(solver, err);
        passes++;
        report(solver, result->error_bound);
        if (status != MR_OK || result->error_bound <= solver->tolerance || passes >= max_passes) {
            return status;
        }
        failures = !(result->error_bound <= 0.9 * best) ? failures + 1 : 0;
        best = fmin(best, result->error_bound);
        if (failures == PATIENCE) {
            return MR_OK;
        }
        if (foretold > 0) {
            ratio = fmin(1, fmax(ratio, (result->error_bound - result->rounding_bound) / foretold));
        }
    }
}

/* The textbook: synchronous rounds from 1/n, dangling mass by the rule. */
static enum mr_status iterate(struct solver *solver, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    for (unsigned i = 0; i < solver->options->iterations && status == MR_OK; i++) {
        struct mr_pass_run job = {0};
        set_terms(solver, false);
        status = run(solver, &job, mr_rank_iterate, err);
        void *old = solver->job.x;
        solver->job.x = solver->job.next;
        solver->job.next = old;
        report(solver, -1);
    }
    return status == MR_OK ? certify(solver, err) : status;
}

static enum mr_status prepare(struct solver *solver, struct mr_error *err)
{
    struct mr_memory *memory = solver->context->memory;
    const struct mr_store_info *info = solver->info;
    const struct mr_pagerank_options *options = solver->options;
    enum mr_status status =
        mr_memory_alloc(memory, "rank vector", mr_pass_vector_length(info) * value_bytes(options),
                        &solver->job.x, err);
    void *sums = NULL;
    if (status == MR_OK) {
        status = mr_memory_alloc(memory, "sums of bands", info->n_bands * sizeof *solver->job.sums,
                                 &sums, err);
    }
    solver->job.sums = sums;
    if (status == MR_OK && solver->result->acceleration > 0) {
        status = mr_acceleration_create(solver->context, solver->result->acceleration,
                                        mr_pass_vector_length(info), info->n_bands,
                                        options->precision == MR_PRECISION_SINGLE,
                                        &solver->job.acceleration, err);
    }
    if (status == MR_OK && options->iterations > 0) {
        status = mr_memory_alloc(memory, "second rank vector",
                                 mr_pass_vector_length(info) * value_bytes(options),
                                 &solver->job.next, err);
    }
    const struct mr_pass_options wishes = pass_options(info, options);
    if (status == MR_OK) {
        status = mr_pass_open(solver->context, solver->store, &wishes, &solver->pass, err);
    }
    solver->job.options = options;
    solver->job.n_vertices = info->n_vertices;
    solver->job.damping = options->damping;
    if (options->teleport != NULL) {
        struct mr_sum sum = {0};
        for (uint64_t i = 0; i < options->n_teleport; i++) {
            solver->job.largest_weight =
                fmax(solver->job.largest_weight, options->teleport[i].weight);
        }
        for (uint64_t i = 0; i < options->n_teleport; i++) {
            mr_sum_add(&sum, options->teleport[i].weight / solver->job.largest_weight);
        }
        solver->job.inverse_weight = 1 / mr_sum_value(&sum);
    }
    return status;
}

static enum mr_status rank(struct solver *solver, struct mr_error *err)
{
    struct mr_pagerank_result *result = solver->result;
    enum mr_status status = prepare(solver, err);
    if (status == MR_OK) {
        status = run_degrees(solver, mr_rank_start, err);
    }
    if (status == MR_OK) {
        status = solver->options->iterations > 0 ? iterate(solver, err) : solve(solver, err);
    }
    solver->job.scale = is_normalised(solver) && result->score_sum > 0 ? 1 / result->score_sum : 1;
    if (status == MR_OK) {
        status = run_degrees(solver, mr_rank_finish, err);
    }
    if (solver->pass != NULL) {
        result->figures = mr_pass_figures(solver->pass);
    }
    mr_pass_close(solver->pass);
    mr_acceleration_destroy(solver->job.acceleration);
    mr_memory_free(solver->context->memory, solver->job.next);
    mr_memory_free(solver->context->memory, solver->job.sums);
    if (status != MR_OK) {
        mr_memory_free(solver->context->memory, solver->job.x);
        return status;
    }
    result->scores = solver->job.x;
    result->passes = (unsigned)result->figures.passes;
    result->converged = solver->options->iterations > 0 || result->error_bound <= solver->tolerance;
    if (!result->converged) {
        return mr_error_set(err, MR_NOT_CONVERGED,
                            "error bound %.2e is above the tolerance %.2e after %u passes; raise "
                            "--tolerance, or lower --damping",
                            result->error_bound, solver->tolerance, result->passes);
    }
    return MR_OK;
}

enum mr_status mr_pagerank(const struct mr_context *context, struct mr_store *store,
                           const struct mr_pagerank_options *options,
                           struct mr_pagerank_result *result, struct mr_error *err)
{
    struct solver solver = {
        .context = context,
        .store = store,
        .info = mr_store_info(store),
        .options = options,
        .result = result,
    };
    memset(result, 0, sizeof *result);
    enum mr_status status = check_options(&solver, err);
    if (status != MR_OK) {
        return status;
    }
    solver.tolerance = options->tolerance > 0                      ? options->tolerance
                       : options->precision == MR_PRECISION_SINGLE ? DEFAULT_TOLERANCE_SINGLE
                                                                   : DEFAULT_TOLERANCE_DOUBLE;
    result->precision = options->precision;
    result->memory = context->memory;
    result->n_vertices = solver.info->n_vertices;
    result->normalised = is_normalised(&solver);
    result->tolerance = solver.tolerance;
    result->inner = choose_inner(solver.info, options);
    result->lag = options->iterations > 0 ? 0 : choose_lag(solver.info);
    result->acceleration = choose_depth(solver.info, options);
    if (solver.info->n_vertices == 0) {
        result->converged = true;
        return MR_OK;
    }
    status = rank(&solver, err);
    if (status != MR_OK && status != MR_NOT_CONVERGED) {
        memset(result, 0, sizeof *result);
    }
    return status;
}

void mr_pagerank_result_free(struct mr_pagerank_result *result)
{
    mr_memory_free(result->memory, result->scores);
    memset(result, 0, sizeof *result);
}
