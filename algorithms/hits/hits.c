/* SPDX-License-Identifier: Apache-2.0 */
/* HITS from options to result: checks the options, allocates the vectors, opens the passes over the
 * store and its transpose, solves, and fills the result. hits_solve.c has the solver, hits_rounds.c
 * one application of the operator. */
#include "algorithms/hits/hits.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algorithms/base/relaxation.h"
#include "algorithms/base/weight_walk.h"
#include "algorithms/hits/internal.h"
#include "engine/base/bytes.h"
#include "engine/base/count_text.h"
#include "engine/base/memory.h"
#include "engine/base/team.h"
#include "engine/builder/transpose.h"

/* The number of vectors in the Lanczos basis, best first: a run has the first one that fits into
 * its memory. A search for the second eigenvalue needs as much as two. */
enum { N_BASES = 4 };
static const unsigned bases[N_BASES] = {6, 4, 2, 0};

/* The share of the mean that every vertex gets when the caller gives hubs to start from. */
#define START_FLOOR 1e-3

/* Left to the solver, it is the smallest one before mr_hits has chosen. */
static unsigned choose_basis(const struct mr_hits_options *options)
{
    return options->acceleration == MR_HITS_AUTO ? 0 : (unsigned)options->acceleration;
}

/* The number of vectors beside the base: the basis without its base, or the one vector of a
 * search. */
static unsigned choose_slots(const struct mr_hits_options *options)
{
    const unsigned basis = choose_basis(options);
    return basis > 0 ? basis - 1 : options->probe > 0 ? 1 : 0;
}

static struct mr_pass_options pass_options(const struct mr_hits_options *options)
{
    return (struct mr_pass_options){.no_pinning = options->no_pinning, .decode_pinned = true};
}

/* Bands of the transpose that links lead to: those of the vertices that have out-links. */
static uint32_t hub_bands(const struct mr_store_info *info, unsigned band_bits)
{
    return (uint32_t)mr_max_u64(1, mr_div_up(info->n_sources, (uint64_t)1 << band_bits));
}

/* Of the hubs while they are computed; all others have 0. */
static uint64_t hub_length(const struct mr_store_info *info, unsigned transpose_bits)
{
    return mr_max_u64(mr_pass_source_length(info), (uint64_t)hub_bands(info, transpose_bits)
                                                       << transpose_bits);
}

/* ---- Checks ---- */

/* The largest of the hubs to start from; -1: one is not valid. */
static double largest_start(const double *start, uint64_t n)
{
    double largest = 0;

    for (uint64_t v = 0; v < n; v++) {
        if (start[v] < 0 || isinf(start[v])) {
            return -1;
        }
        largest = start[v] > largest ? start[v] : largest;
    }
    return largest;
}

static enum mr_status check_options(const struct mr_hits_solver *solver, struct mr_error *err)
{
    const struct mr_hits_options *o = solver->options;
    const uint64_t n = solver->info->n_vertices;

    if (!(o->tolerance > 0)) {
        return mr_error_set(err, MR_ERROR_USAGE, "tolerance %g must be above 0", o->tolerance);
    }
    if (o->acceleration == 1 || o->acceleration > MR_HITS_AUTO) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "acceleration with %llu vectors; it takes none, or 2 to %d",
                            (unsigned long long)o->acceleration, MR_KRYLOV_MAX);
    }
    if (o->relevance != NULL && !(mr_weights_largest(o->relevance, o->n_relevance, n) > 0)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "page scores must be finite, not negative, ascending by page and not "
                            "all 0");
    }
    if (o->start != NULL && !(largest_start(o->start, n) > 0)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "hubs to start from must be finite, not negative and not all 0");
    }
    return MR_OK;
}

/* ---- Vectors ---- */

static void scale(const struct mr_hits_solver *solver, double *values, uint64_t n_values,
                  double factor)
{
    const int64_t n = (int64_t)n_values;
#pragma omp parallel for num_threads(                                                              \
    mr_team_threads(n > MR_HITS_SCAN ? solver->context->threads : 1)) schedule(static)
    for (int64_t i = 0; i < n; i++) {
        values[i] *= factor;
    }
}

static void set_start(struct mr_hits_solver *solver)
{
    const struct mr_hits_options *o = solver->options;
    struct mr_hits_vector *hubs = &solver->hubs;
    const uint64_t n = solver->info->n_vertices;
    double mean = 1;

    if (o->start != NULL) {
        const double largest = largest_start(o->start, n);
        struct mr_sum sum = {0};
        uint64_t n_known = 0;
        for (uint64_t v = 0; v < n; v++) {
            if (!isnan(o->start[v])) {
                mr_sum_add(&sum, o->start[v] / largest);
                n_known++;
            }
        }
        mean = mr_sum_value(&sum) / (double)n_known;
        for (uint64_t v = 0; v < solver->n_hubs; v++) {
            hubs->values[v] =
                (isnan(o->start[v]) ? mean : o->start[v] / largest) + START_FLOOR * mean;
        }
    } else {
        for (uint64_t v = 0; v < solver->n_hubs; v++) {
            hubs->values[v] = 1 / (double)n;
        }
    }
    hubs->norm = mr_hits_clean_norm(solver, hubs->values);
    hubs->change = (double)INFINITY;
    hubs->last_factor = solver->authorities.last_factor = 1;
}

/* ---- Begin and end ---- */

static void set_sizes(struct mr_hits_solver *solver)
{
    const unsigned bits = solver->transpose_info->band_bits;
    uint32_t *n_bands = solver->n_bands;

    n_bands[0] = solver->info->n_bands;
    n_bands[1] = hub_bands(solver->info, bits);
    solver->n_hubs = mr_min_u64(solver->info->n_vertices, (uint64_t)n_bands[1] << bits);
}

/* The vectors for these sizes: what is allocated, and what is planned. */
enum { VECTORS = 5 };
static void list_vectors(struct mr_hits_solver *solver, struct mr_memory_wanted arrays[VECTORS])
{
    const uint64_t length = mr_max_u64(mr_pass_vector_length(solver->info),
                                       mr_pass_vector_length(solver->transpose_info));
    const struct mr_memory_wanted all[VECTORS] = {
        MR_WANTED("hubs", hub_length(solver->info, solver->transpose_info->band_bits),
                  &solver->hubs.values),
        MR_WANTED("authorities", length, &solver->authorities.values),
        MR_WANTED("authorities by page score", solver->options->relevance != NULL ? length : 0,
                  &solver->relevant),
        MR_WANTED("sums of bands", mr_max_u64(solver->n_bands[0], solver->n_bands[1]),
                  &solver->band_sums),
        MR_WANTED("sums of a scan", mr_div_up(solver->n_hubs, MR_HITS_SCAN), &solver->sums),
    };
    memcpy(arrays, all, sizeof all);
}

uint64_t mr_hits_result_memory(const struct mr_store_info *info)
{
    struct mr_hits_result nothing;
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("hubs", info->n_vertices, &nothing.hubs),
        MR_WANTED("authorities", mr_pass_vector_length(info), &nothing.authorities),
    };
    return mr_memory_of_arrays(arrays, 2);
}

/* In the end, when the passes and the basis are gone, the hubs grow to all vertices. */
uint64_t mr_hits_minimum_memory(const struct mr_store_info *info,
                                const struct mr_hits_options *options)
{
    const struct mr_pass_options pass = pass_options(options);
    const unsigned n_slots = choose_slots(options);
    struct mr_memory_wanted arrays[VECTORS];
    struct mr_hits_solver plan = {.options = options, .info = info, .transpose_info = info};

    set_sizes(&plan);
    list_vectors(&plan, arrays);
    const uint64_t work = mr_memory_of_arrays(arrays, VECTORS) +
                          2 * mr_pass_minimum_memory(info, &pass) +
                          (n_slots > 0 ? mr_krylov_memory(plan.n_hubs, n_slots) : 0);
    return MR_MEMORY_RESERVE_BYTES + 2 * info->index_bytes +
           mr_max_u64(work, mr_hits_result_memory(info));
}

static enum mr_status allocate_vectors(struct mr_hits_solver *solver, struct mr_error *err)
{
    const unsigned n_slots = choose_slots(solver->options);
    struct mr_memory_wanted arrays[VECTORS];

    list_vectors(solver, arrays);
    enum mr_status status = mr_memory_arrays(solver->context->memory, arrays, err);
    if (status == MR_OK && n_slots > 0) {
        status = mr_krylov_create(solver->context, solver->n_hubs, n_slots, &solver->krylov, err);
    }
    return status;
}

/* Divide the rest of the budget between the two passes, in proportion to the bytes that each could
 * pin. */
static enum mr_status open_passes(struct mr_hits_solver *solver, struct mr_error *err)
{
    struct mr_pass_options options = pass_options(solver->options);
    const uint64_t least = mr_pass_minimum_memory(solver->transpose_info, &options);
    const uint64_t available = mr_memory_available(solver->context->memory);
    const uint64_t other =
        solver->transpose_info->links_bytes + solver->transpose_info->degrees_bytes;
    const uint64_t both = other + solver->info->links_bytes + solver->info->degrees_bytes;

    options.leave_bytes =
        mr_max_u64(least, (uint64_t)((double)available * ((double)other / (double)(both + 1))));
    enum mr_status status =
        mr_pass_open(solver->context, solver->store, &options, &solver->forward, err);
    options.leave_bytes = 0;
    if (status == MR_OK) {
        status = mr_pass_open(solver->context, solver->transpose, &options, &solver->backward, err);
    }
    return status;
}

static struct mr_pass_figures add_figures(struct mr_pass_figures a, struct mr_pass_figures b)
{
    a.direct = a.direct && b.direct;
    a.registered_buffers = a.registered_buffers && b.registered_buffers;
    a.threads = a.threads < b.threads ? a.threads : b.threads;
    a.passes += b.passes;
    a.edge_visits += b.edge_visits;
    a.bytes_read += b.bytes_read;
    a.degree_bytes_read += b.degree_bytes_read;
    a.pinned_bytes += b.pinned_bytes;
    a.decoded_bytes += b.decoded_bytes;
    a.pinned_degree_bytes += b.pinned_degree_bytes;
    a.seconds += b.seconds;
    a.wait_seconds += b.wait_seconds;
    return a;
}

/* Scale the vectors; the hubs grow to all vertices. */
static enum mr_status finish_vectors(struct mr_hits_solver *solver, struct mr_error *err)
{
    struct mr_hits_result *result = solver->result;
    const uint64_t n = solver->info->n_vertices;
    const bool is_zero = !(solver->hubs.norm > 0) || !(solver->authorities.norm > 0);

    scale(solver, solver->hubs.values, solver->n_hubs, is_zero ? 0 : 1 / solver->hubs.norm);
    scale(solver, solver->authorities.values, n, is_zero ? 0 : 1 / solver->authorities.norm);
    const enum mr_status status = mr_memory_resize(solver->context->memory, "hubs",
                                                   &solver->hubs.values, n * sizeof(double), err);
    if (status != MR_OK) {
        return status;
    }
    result->hubs = solver->hubs.values;
    result->authorities = solver->authorities.values;
    solver->hubs.values = solver->authorities.values = NULL;
    return MR_OK;
}

/* From the start until nothing moves. Only the first time there may be a shift. */
static enum mr_status solve(struct mr_hits_solver *solver, struct mr_error *err)
{
    struct mr_hits_result *result = solver->result;

    set_start(solver);
    solver->is_shifted = false;
    const enum mr_status status = mr_hits_solve(solver, err);
    if (status != MR_OK) {
        return status;
    }
    result->rounds = solver->rounds;
    if (!(solver->hubs.norm > 0) || !(solver->authorities.norm > 0)) {
        result->hub_change = result->authority_change = 0;
        return MR_OK;
    }
    result->hub_change = solver->hubs.change;
    result->authority_change = solver->authorities.change;
    result->eigenvalue = solver->eigenvalue;
    return MR_OK;
}

static enum mr_status compute(struct mr_hits_solver *solver, struct mr_error *err)
{
    struct mr_hits_result *result = solver->result;
    const double tolerance = solver->options->tolerance;

    solver->may_shift = solver->options->probe > 0;
    enum mr_status status = solve(solver, err);
    if (status == MR_OK && solver->is_shifted && result->hub_change > tolerance &&
        result->rounds < solver->options->max_rounds) {
        status = solve(solver, err); /* it gave up */
    }
    if (status != MR_OK || !(result->eigenvalue > 0) || result->hub_change > tolerance ||
        solver->options->probe == 0) {
        return status;
    }
    status = mr_hits_separate(solver, err);
    if (status == MR_OK && result->depends_on_start && solver->is_shifted) {
        /* A shift changes how parts with equal eigenvalues share the score. */
        solver->rounds = (unsigned)result->rounds;
        status = solve(solver, err);
        if (status == MR_OK) {
            status = mr_hits_authorities(solver, err);
        }
    }
    if (!result->depends_on_start && solver->is_settled) {
        /* Twice, since only the 2-norm of the error shrinks by this ratio in each round, and since
         * the search may have found a third eigenvalue for the second. */
        const double ratio = fmax(result->separation, solver->shrink);
        result->error_estimate =
            ratio < 1 ? 2 * result->hub_change * ratio / (1 - ratio) : (double)NAN;
    }
    return status;
}

static enum mr_status rank(struct mr_hits_solver *solver, struct mr_error *err)
{
    struct mr_hits_result *result = solver->result;
    struct mr_memory *memory = solver->context->memory;

    enum mr_status status = allocate_vectors(solver, err);
    if (status == MR_OK) {
        status = open_passes(solver, err);
    }
    if (status == MR_OK) {
        status = compute(solver, err);
    }
    if (status == MR_OK) {
        result->figures = add_figures(mr_pass_get_figures(solver->forward),
                                      mr_pass_get_figures(solver->backward));
        result->passes = result->figures.passes;
        result->converged = result->hub_change <= solver->options->tolerance &&
                            result->authority_change <= solver->options->tolerance;
    }
    mr_pass_close(solver->forward);
    mr_pass_close(solver->backward);
    mr_krylov_destroy(&solver->krylov);
    mr_memory_free(memory, solver->sums);
    mr_memory_free(memory, solver->band_sums);
    mr_memory_free(memory, solver->relevant);
    if (status == MR_OK) {
        status = finish_vectors(solver, err);
    }
    mr_memory_free(memory, solver->authorities.values);
    mr_memory_free(memory, solver->hubs.values);
    if (status == MR_OK && !result->converged) {
        char rounds[64], authorities[48] = "";
        if (isfinite(result->authority_change)) { /* there were older ones */
            (void)snprintf(authorities, sizeof authorities, " and authorities by %.2e",
                           result->authority_change);
        }
        return mr_error_set(err, MR_NOT_CONVERGED,
                            "after %s the last one still moved hubs by %.2e%s, more than the "
                            "tolerance %.2e; %s",
                            mr_count_of_text(result->rounds, "round", rounds), result->hub_change,
                            authorities, solver->options->tolerance,
                            result->rounds >= solver->options->max_rounds
                                ? "raise --tolerance or --max-rounds"
                                : "the moves get no smaller: raise --tolerance");
    }
    return status;
}

/* Checks that there is memory, and chooses the basis where the caller leaves it to the solver. */
static enum mr_status fit_basis(const struct mr_context *context, const struct mr_store_info *info,
                                struct mr_hits_options *options, struct mr_error *err)
{
    enum mr_status status = mr_ranking_require(
        context, info, mr_hits_minimum_memory(info, options) - info->index_bytes, err);
    if (status != MR_OK || options->acceleration != MR_HITS_AUTO) {
        return status;
    }
    uint64_t best = 0;
    char enough[32];
    for (unsigned i = 0; i < N_BASES; i++) {
        options->acceleration = bases[i];
        const uint64_t needs = mr_hits_minimum_memory(info, options) - info->index_bytes;
        best = i == 0 ? needs : best;
        if (needs <= mr_ranking_available(context, info)) {
            break;
        }
    }
    if (choose_basis(options) < bases[0]) {
        mr_context_note(context,
                        "the acceleration has %u vectors, since %u need --memory %s or more",
                        choose_basis(options), bases[0],
                        mr_size_option(best, mr_memory_limit(context->memory), enough));
    }
    return MR_OK;
}

/* What the solver takes from the stores. */
static void describe_stores(struct mr_hits_solver *solver)
{
    const struct mr_hits_options *options = solver->options;

    solver->transpose_info = mr_store_get_info(solver->transpose);
    set_sizes(solver);
    if (options->relevance != NULL) {
        const double largest =
            mr_weights_largest(options->relevance, options->n_relevance, solver->info->n_vertices);
        solver->inverse_relevance = 1 / fmax(largest, DBL_MIN); /* finite */
    }
}

/* Checks what can be checked, makes the reverse if the caller gives none, and ranks. */
static enum mr_status check_and_rank(struct mr_hits_solver *solver, struct mr_hits_options *fitted,
                                     struct mr_reverse *reverse, struct mr_error *err)
{
    const struct mr_context *context = solver->context;
    struct mr_hits_result *result = solver->result;

    enum mr_status status = check_options(solver, err);
    if (status == MR_OK && solver->transpose != NULL) {
        status = mr_hits_check_sizes(solver->store, solver->transpose, err);
    }
    if (status != MR_OK || solver->info->n_vertices == 0) {
        result->converged = true;
        return status;
    }
    status = fit_basis(context, solver->info, fitted, err);
    if (status == MR_OK && solver->transpose == NULL) {
        status = mr_reverse_open(context, solver->store, reverse, err);
        solver->transpose = reverse->store;
    }
    if (status != MR_OK) {
        return status;
    }
    describe_stores(solver);
    result->acceleration = choose_basis(fitted);
    return rank(solver, err);
}

enum mr_status mr_hits(const struct mr_context *context, struct mr_store *store,
                       struct mr_store *transpose, const struct mr_hits_options *options,
                       struct mr_hits_result *result, struct mr_error *err)
{
    struct mr_hits_options fitted = *options;
    struct mr_reverse reverse = {0};
    struct mr_hits_solver solver = {
        .context = context,
        .store = store,
        .transpose = transpose,
        .info = mr_store_get_info(store),
        .options = &fitted,
        .result = result,
    };

    *result = (struct mr_hits_result){.memory = context->memory,
                                      .n_vertices = solver.info->n_vertices,
                                      .tolerance = options->tolerance,
                                      .second_eigenvalue = (double)NAN,
                                      .separation = (double)NAN,
                                      .error_estimate = (double)NAN};
    const enum mr_status status = check_and_rank(&solver, &fitted, &reverse, err);
    mr_reverse_close(&reverse);
    if (status != MR_OK && status != MR_NOT_CONVERGED) {
        mr_hits_result_free(result);
    }
    return status;
}

void mr_hits_result_free(struct mr_hits_result *result)
{
    mr_memory_free(result->memory, result->hubs);
    mr_memory_free(result->memory, result->authorities);
    memset(result, 0, sizeof *result);
}
