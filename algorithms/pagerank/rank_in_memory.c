/* Small graphs: the links are read once, and swept in memory until the residual is small (block_sweeps.h); then the
 * certificate is made from the store as ever. */
#include <omp.h>
#include <string.h>

#include "algorithms/pagerank/block_sweeps.h"
#include "algorithms/pagerank/solver.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"

/* Below so many links a second thread costs more than it brings. */
#define LINKS_TO_SHARE 100000

struct mr_rank_memory {
    struct mr_rank_solver *solver;
    struct mr_link_slices *slices;
    struct mr_block_sweeps sweeps;
    struct mr_context context; /* theirs, with the caller's flag */
};

/* ---- Setting up ---- */

static uint64_t most_rows(const struct mr_store_info *info)
{
    return mr_link_slices_rows(info) + MR_SLICE_ROWS;
}

static uint64_t vector_bytes(uint64_t n_rows)
{
    return n_rows * (6 * sizeof(double) + sizeof(uint32_t));
}

/* Of each vertex, until rows are known. */
static uint64_t band_bytes(const struct mr_store_info *info)
{
    return info->n_vertices * (2 * sizeof(double) + 2 * sizeof(uint32_t));
}

uint64_t mr_rank_memory_bytes(const struct mr_store_info *info, unsigned depth)
{
    return mr_link_slices_memory(info) + mr_round_up(vector_bytes(most_rows(info)), 4096) +
           mr_round_up(band_bytes(info), 4096) +
           mr_acceleration_memory(depth, most_rows(info), MR_SWEEP_CHUNKS) +
           mr_round_up(sizeof(struct mr_rank_memory), 4096) + 2 * 4096;
}

/* Sums here are of doubles, those over corner tiles of integers; they differ by what rounding allows, and the certificate is
 * made from the latter. So cnr-2000 comes to a bound of 5.3e-12 at damping 0.85, band by band below 5e-12. */
#define LEAST_RESIDUAL 1.5e-12

bool mr_rank_fits_memory(const struct mr_store_info *info,
                         const struct mr_pagerank_options *options)
{
    const bool spreads = options->dangling == MR_DANGLING_UNIFORM && options->teleport != NULL;
    const bool is_fine =
        options->tolerance > 0 && options->tolerance * (1 - options->damping) < LEAST_RESIDUAL;
    return options->iterations == 0 && options->inner == 0 && options->max_passes != 1 &&
           !spreads && !is_fine && mr_link_slices_fit(info);
}

/* By vertex. */
struct band_terms {
    struct mr_rank_job *job;
    double *base, *gain;
    uint32_t *out_degree, *in_degree;
};

static void copy_terms(void *data, const struct mr_pass_band *band)
{
    const struct band_terms *terms = data;
    const uint64_t first = band->first_vertex;
    mr_rank_terms(terms->job, band, terms->base + first, terms->gain + first);
    memcpy(terms->out_degree + first, band->out_degree, band->n_vertices * sizeof(uint32_t));
    memcpy(terms->in_degree + first, band->in_degree, band->n_vertices * sizeof(uint32_t));
}

static enum mr_status allocate(struct mr_rank_solver *solver, uint64_t bytes, void *out,
                               struct mr_error *err)
{
    void *pointer = NULL;
    enum mr_status status = mr_memory_alloc(
        solver->context.memory, "sweeps in memory (--inner K has none)", bytes, &pointer, err);
    memcpy(out, &pointer, sizeof pointer);
    return status;
}

/* x = b + g (s + k x), k links to itself, is x = (b + g s) / (1 - k g). */
static void set_rows(struct mr_rank_memory *memory, const struct band_terms *terms)
{
    const struct mr_link_slices *slices = memory->slices;
#pragma omp parallel for schedule(static) num_threads((int)memory->solver->context.threads)
    for (uint32_t row = 0; row < slices->n_rows; row++) {
        const uint32_t v = slices->vertex[row];
        if (v != UINT32_MAX) {
            const double scale = 1 / (1 - (double)slices->self_links[row] * terms->gain[v]);
            memory->sweeps.base[row] = terms->base[v] * scale;
            memory->sweeps.gain[row] = terms->gain[v] * scale;
            memory->sweeps.weight[row] = terms->out_degree[v] == 0 ? 1 : terms->out_degree[v];
        }
    }
}

static uint32_t most_block_rows(const struct mr_link_slices *slices)
{
    uint32_t most = 1;
    for (uint32_t b = 0; b < slices->n_blocks; b++) {
        const uint32_t n = slices->blocks[b].end - slices->blocks[b].first;
        most = n > most ? n : most;
    }
    return most * MR_SLICE_ROWS;
}

static enum mr_status create_rows(struct mr_rank_memory *memory, const struct band_terms *terms,
                                  struct mr_error *err)
{
    struct mr_rank_solver *solver = memory->solver;
    enum mr_status status = mr_link_slices_create(&solver->context, solver->store, terms->in_degree,
                                                  terms->out_degree, &memory->slices, err);
    if (status != MR_OK) {
        return status;
    }
    const uint64_t n = memory->slices->n_rows + MR_SLICE_ROWS;
    status = allocate(solver, vector_bytes(n), &memory->sweeps.base, err);
    if (status == MR_OK && solver->result->acceleration > 0) {
        status = mr_acceleration_create(&solver->context, solver->result->acceleration,
                                        most_block_rows(memory->slices), MR_SWEEP_CHUNKS, false,
                                        &memory->sweeps.acceleration, err);
    }
    if (status != MR_OK) {
        return status;
    }
    memory->context = solver->context;
    memory->context.cancel = solver->cancel;
    memory->sweeps.context = &memory->context;
    memory->sweeps.slices = memory->slices;
    memory->sweeps.gain = memory->sweeps.base + n;
    memory->sweeps.start = memory->sweeps.gain + n;
    memory->sweeps.value[0] = memory->sweeps.start + n;
    memory->sweeps.value[1] = memory->sweeps.value[0] + n;
    memory->sweeps.before = memory->sweeps.value[1] + n;
    memory->sweeps.weight = (uint32_t *)(memory->sweeps.before + n);
    set_rows(memory, terms);
    return MR_OK;
}

enum mr_status mr_rank_memory_create(struct mr_rank_solver *solver, struct mr_error *err)
{
    const struct mr_store_info *info = solver->info;
    struct band_terms terms = {.job = &solver->job};
    struct mr_pass_run degrees = {.degrees_only = true, .in_degrees = true};
    enum mr_status status = allocate(solver, sizeof *solver->memory, &solver->memory, err);
    if (status != MR_OK) {
        return status;
    }
    solver->memory->solver = solver;
    status = allocate(solver, band_bytes(info), &terms.base, err);
    if (status == MR_OK) {
        terms.gain = terms.base + info->n_vertices;
        terms.out_degree = (uint32_t *)(terms.gain + info->n_vertices);
        terms.in_degree = terms.out_degree + info->n_vertices;
        mr_rank_set_terms(solver, true);
        degrees.callback_data = &terms;
        status = mr_rank_run_with(solver, &degrees, copy_terms, &terms, err);
    }
    if (status == MR_OK) {
        const double began = omp_get_wtime();
        status = create_rows(solver->memory, &terms, err);
        solver->progress.figures.seconds += omp_get_wtime() - began;
        solver->progress.figures.passes++; /* the links were read */
        solver->progress.figures.bytes_read += info->links_bytes;
        solver->progress.passes++;
    }
    mr_memory_free(solver->context.memory, terms.base);
    return status;
}

void mr_rank_memory_destroy(struct mr_rank_solver *solver)
{
    struct mr_rank_memory *memory = solver->memory;
    if (memory != NULL) {
        mr_acceleration_destroy(memory->sweeps.acceleration);
        mr_link_slices_destroy(memory->slices);
        mr_memory_free(solver->context.memory, memory->sweeps.base);
        mr_memory_free(solver->context.memory, memory);
        solver->memory = NULL;
    }
}

/* ---- A round ---- */

/* Of n things, those before the h-th half. */
static uint32_t part_of(uint32_t n, unsigned h)
{
    return (uint32_t)((uint64_t)n * h / MR_SWEEP_HALVES);
}

static void load_rows(struct mr_rank_memory *memory, unsigned half)
{
    const struct mr_rank_job *job = &memory->solver->job;
    const uint32_t n_rows = memory->slices->n_rows;
    const uint32_t first = part_of(n_rows, half), end = part_of(n_rows, half + 1);
    for (uint32_t row = first; row < end; row++) {
        const uint32_t v = memory->slices->vertex[row];
        memory->sweeps.value[0][row] = v == UINT32_MAX ? 0
                                       : job->options->precision == MR_PRECISION_SINGLE
                                           ? (double)((const float *)job->x)[v]
                                           : ((const double *)job->x)[v];
    }
    memcpy(memory->sweeps.value[1] + first, memory->sweeps.value[0] + first,
           (end - first) * sizeof(double));
    memcpy(memory->sweeps.before + first, memory->sweeps.value[0] + first,
           (end - first) * sizeof(double));
}

static void store_rows(const struct mr_rank_memory *memory, unsigned half)
{
    const struct mr_rank_job *job = &memory->solver->job;
    const uint32_t n_rows = memory->slices->n_rows;
    for (uint32_t row = part_of(n_rows, half); row < part_of(n_rows, half + 1); row++) {
        const uint32_t v = memory->slices->vertex[row];
        if (v == UINT32_MAX) {
            continue;
        }
        if (job->options->precision == MR_PRECISION_SINGLE) {
            ((float *)job->x)[v] = (float)memory->sweeps.value[0][row];
        } else {
            ((double *)job->x)[v] = memory->sweeps.value[0][row];
        }
    }
}

/* One thread's share of a round. */
static void work_on_round(struct mr_rank_memory *memory, struct mr_sweeper *me)
{
    const struct mr_link_slices *slices = memory->slices;
    const uint32_t n_dangling = slices->n_slices - slices->n_inner;
    for (unsigned h = me->first; h < me->end; h++) {
        load_rows(memory, h);
    }
    mr_sweeper_meet(me);
    bool is_over = false;
    for (uint32_t b = 0; b < slices->n_blocks && !is_over; b++) {
        mr_sweeper_solve(me, &slices->blocks[b]);
        is_over = me->first == me->end || memory->sweeps.status != MR_OK;
    }
    if (is_over) {
        return; /* another thread does the rest; or interrupted: the vector is as it was before the round */
    }
    for (unsigned h = me->first; h < me->end; h++) { /* dangling rows: nobody reads them */
        (void)mr_link_slices_relax(slices, slices->n_inner + part_of(n_dangling, h),
                                   slices->n_inner + part_of(n_dangling, h + 1),
                                   memory->sweeps.base, memory->sweeps.gain, memory->sweeps.weight,
                                   memory->sweeps.value[0]);
    }
    mr_sweeper_meet(me);
    for (unsigned h = me->first; h < me->end; h++) {
        store_rows(memory, h);
    }
}

/* The bound that the blocks' last changes foretell, of change and mass. Where dangling mass follows t, the sum of all ranks
 * is a times that of vertices with links, and 1 - a. */
static double foretell(const struct mr_rank_solver *solver, struct mr_slices_sum sum)
{
    const double a = solver->job.damping;
    return mr_rank_is_normalised(solver) ? 2 * a * sum.change / ((1 - a) * (a * sum.mass + 1 - a))
                                         : a * sum.change / (1 - a);
}

enum mr_status mr_rank_memory_round(struct mr_rank_solver *solver, double wanted, double *foretold)
{
    struct mr_rank_memory *memory = solver->memory;
    const double began = omp_get_wtime();
    /* clang 14 does not see that the clause reads it. NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores) */
    const unsigned n_threads =
        solver->context.threads > 1 && memory->slices->n_links >= LINKS_TO_SHARE ? MR_SWEEP_HALVES
                                                                                 : 1;
    /* With this share of a mass of at most 1, which the solution has, the foretold bound is `wanted`. */
    memory->sweeps.wanted =
        wanted / foretell(solver, (struct mr_slices_sum){.change = 1, .mass = 1});
    mr_block_sweeps_begin(&memory->sweeps);
#pragma omp parallel num_threads((int)n_threads)
    {
        struct mr_sweeper me = mr_sweeper_of(&memory->sweeps, (unsigned)omp_get_thread_num(),
                                             (unsigned)omp_get_num_threads());
        work_on_round(memory, &me);
    }
    struct mr_pass_figures *figures = &solver->progress.figures;
    figures->edge_visits +=
        memory->sweeps.n_visits + memory->slices->n_outer_links + memory->slices->n_dangling_links;
    figures->seconds += omp_get_wtime() - began;
    *foretold = foretell(solver, memory->sweeps.done);
    return memory->sweeps.status;
}
