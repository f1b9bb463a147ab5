/* Small graphs: the links are read once, and swept in memory until the residual is small; then the certificate
 * is made from the store as ever.
 *
 * Rows are relaxed one after the other from the newest values (Gauss-Seidel), with Anderson acceleration
 * after every STRIDE sweeps. Two threads may share a sweep: the rows are cut into two halves of PHASES chunks each, and
 * chunk k of one half is relaxed at the same time as chunk k of the other. Each half has values of its own of all
 * rows. Before its chunk k it takes over the other's chunk k - LAG: so the order of everything is fixed, whoever
 * does it, and who is behind by a chunk keeps nobody waiting. (Of halves that tell each other only once a sweep
 * web-NotreDame needs 58 sweeps instead of 52.) */
#include <math.h>
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "algorithms/link_slices.h"
#include "algorithms/pagerank_solver.h"
#include "engine/bytes.h"
#include "engine/memory.h"

/* Sweeps between accelerations, and of a round. On cnr-2000, web-NotreDame and soc-Slashdot0902, strides of 2, 3, 5 and 6
 * took as many sweeps or more. A round is the time until a certificate, whether due or not: short where something else
 * than the tolerance can end the run. */
enum {
    HALVES = 2,
    PHASES = 8,
    CHUNKS = HALVES * PHASES,
    LAG = 2,
    STRIDE = 4,
    ROUND = 64,
    SHORT_ROUND = 8
};

/* Below so many links a second thread costs more than it brings. */
#define LINKS_TO_SHARE 100000

struct mr_rank_memory {
    struct mr_rank_solver *solver;
    struct mr_link_slices *slices;
    uint32_t
        chunk_ends[CHUNKS + 1]; /* slices; those of half h are [h * PHASES, (h + 1) * PHASES) */
    double *base, *gain; /* [n_rows + 1]: value = base + gain * sum, links to itself solved for */
    uint32_t *weight; /* [n_rows]: out-degrees; 1 of dangling rows, 0 of padding */
    double *value[HALVES]; /* [n_rows + 1] shares; the last is 0 */
    double *before; /* [n_rows]: when the acceleration was last applied */

    /* A round, shared by its threads. */
    atomic_uint arrived;
    atomic_uint relaxed[HALVES]; /* chunks so far */
    double change[2][CHUNKS]; /* of sweeps of either parity */
    double mass[CHUNKS];
    double wanted; /* foretold bound to end at */
    double foretold;
    unsigned n_sweeps, most_sweeps;
};

/* ---- Setting up ---- */

static uint64_t most_rows(const struct mr_store_info *info)
{
    return info->n_vertices + 4 * MR_SLICE_ROWS;
}

static uint64_t vector_bytes(uint64_t n_rows)
{
    return n_rows * (5 * sizeof(double) + sizeof(uint32_t));
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
           mr_acceleration_memory(depth, most_rows(info), CHUNKS) +
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
    for (uint32_t row = 0; row < slices->n_rows; row++) {
        const uint32_t v = slices->vertex[row];
        if (v == UINT32_MAX) {
            continue;
        }
        const double scale = 1 / (1 - (double)slices->self_links[row] * terms->gain[v]);
        memory->base[row] = terms->base[v] * scale;
        memory->gain[row] = terms->gain[v] * scale;
        memory->weight[row] = terms->out_degree[v] == 0 ? 1 : terms->out_degree[v];
    }
}

/* Chunks of about the same work: a slice's rows cost as much as two of their sources each. */
static void set_chunks(struct mr_rank_memory *memory)
{
    const struct mr_link_slices *slices = memory->slices;
    const uint32_t n = slices->n_inner;
    uint32_t s = 0;
    for (unsigned i = 0; i < CHUNKS; i++) {
        const uint64_t all = (uint64_t)MR_SLICE_ROWS * (slices->ends[n] + 2 * (uint64_t)n) +
                             slices->list_ends[n * MR_SLICE_ROWS];
        while (s < n && ((uint64_t)MR_SLICE_ROWS * (slices->ends[s] + 2 * (uint64_t)s) +
                         slices->list_ends[s * MR_SLICE_ROWS]) *
                                CHUNKS <
                            all * i) {
            s++;
        }
        memory->chunk_ends[i] = s;
    }
    memory->chunk_ends[CHUNKS] = n;
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
    status = allocate(solver, vector_bytes(n), &memory->base, err);
    if (status == MR_OK && solver->result->acceleration > 0) {
        status = mr_acceleration_create(&solver->context, solver->result->acceleration,
                                        (uint64_t)MR_SLICE_ROWS * (memory->slices->n_inner + 1),
                                        CHUNKS, false, &solver->job.acceleration, err);
    }
    if (status != MR_OK) {
        return status;
    }
    memory->gain = memory->base + n;
    memory->value[0] = memory->gain + n;
    memory->value[1] = memory->value[0] + n;
    memory->before = memory->value[1] + n;
    memory->weight = (uint32_t *)(memory->before + n);
    set_rows(memory, terms);
    set_chunks(memory);
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
        mr_link_slices_destroy(memory->slices);
        mr_memory_free(solver->context.memory, memory->base);
        mr_memory_free(solver->context.memory, memory);
        solver->memory = NULL;
    }
}

/* ---- A round ---- */

/* Threads look on for a while before they give way: chunks last some 100 us. */
enum { LOOKS = 2000 };

static void wait_for(atomic_uint *count, unsigned goal)
{
    for (unsigned i = 0; atomic_load_explicit(count, memory_order_acquire) < goal; i++) {
        if (i >= LOOKS) {
            (void)sched_yield();
        }
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
}

static void meet(struct mr_rank_memory *memory, unsigned n_threads, unsigned *n_meetings)
{
    if (n_threads == 1) {
        return;
    }
    const unsigned goal = ++*n_meetings * n_threads;
    atomic_fetch_add_explicit(&memory->arrived, 1, memory_order_acq_rel);
    wait_for(&memory->arrived, goal);
}

static void chunk_rows(const struct mr_rank_memory *memory, unsigned chunk, uint32_t *first,
                       uint32_t *end)
{
    *first = memory->chunk_ends[chunk] * MR_SLICE_ROWS;
    *end = memory->chunk_ends[chunk + 1] * MR_SLICE_ROWS;
}

static void take_over(struct mr_rank_memory *memory, unsigned half, unsigned chunk)
{
    uint32_t first, end;
    chunk_rows(memory, chunk, &first, &end);
    memcpy(memory->value[half] + first, memory->value[1 - half] + first,
           (end - first) * sizeof(double));
}

/* What was done since the last acceleration, and the mass of rows that others read. */
static void observe(struct mr_rank_memory *memory, unsigned half, unsigned chunk)
{
    struct mr_acceleration *acceleration = memory->solver->job.acceleration;
    const double *value = memory->value[half], *before = memory->before;
    float *difference = mr_acceleration_difference(acceleration);
    uint32_t first, end;
    chunk_rows(memory, chunk, &first, &end);
    for (uint32_t i = first; i < end; i++) {
        difference[i] = (float)(value[i] - before[i]);
    }
    mr_acceleration_observe(acceleration, chunk, first, end - first, memory->weight + first);
}

static void weigh(struct mr_rank_memory *memory, unsigned half, unsigned chunk)
{
    const double *value = memory->value[half];
    double lanes[MR_SLICE_ROWS] = {0}, mass = 0;
    uint32_t first, end;
    chunk_rows(memory, chunk, &first, &end);
    for (uint32_t i = first; i < end; i += MR_SLICE_ROWS) {
        for (unsigned k = 0; k < MR_SLICE_ROWS; k++) {
            lanes[k] += value[i + k] * (double)memory->weight[i + k];
        }
    }
    for (unsigned k = 0; k < MR_SLICE_ROWS; k++) {
        mass += lanes[k];
    }
    memory->mass[chunk] = mass;
}

static void accelerate(struct mr_rank_memory *memory, unsigned half, unsigned chunk)
{
    uint32_t first, end;
    chunk_rows(memory, chunk, &first, &end);
    mr_acceleration_apply(memory->solver->job.acceleration, memory->value[half], 1, first, end);
    memcpy(memory->before + first, memory->value[half] + first, (end - first) * sizeof(double));
    memcpy(memory->value[1 - half] + first, memory->value[half] + first,
           (end - first) * sizeof(double));
}

/* The bound that the last sweep's change foretells. Where dangling mass follows t, the sum of all ranks is a times
 * that of vertices with links, and 1 - a. */
static double foretell(const struct mr_rank_memory *memory, unsigned parity, double *change)
{
    const struct mr_rank_solver *solver = memory->solver;
    const double a = solver->job.damping;
    double mass = 0;
    *change = 0;
    for (unsigned i = 0; i < CHUNKS; i++) {
        *change += memory->change[parity][i];
        mass += memory->mass[i];
    }
    return mr_rank_is_normalised(solver) ? 2 * a * *change / ((1 - a) * (a * mass + 1 - a))
                                         : a * *change / (1 - a);
}

struct member {
    unsigned first, end; /* halves that are this thread's */
    unsigned n_threads, n_meetings;
};

static void sweep(struct mr_rank_memory *memory, struct member *me, unsigned n)
{
    for (unsigned k = 0; k < PHASES; k++) {
        for (unsigned h = me->first; h < me->end; h++) {
            const unsigned chunk = h * PHASES + k;
            if (k >= LAG) {
                wait_for(&memory->relaxed[1 - h], (n - 1) * PHASES + k - LAG + 1);
                take_over(memory, h, (1 - h) * PHASES + k - LAG);
            }
            memory->change[n % 2][chunk] = mr_link_slices_relax(
                memory->slices, memory->chunk_ends[chunk], memory->chunk_ends[chunk + 1],
                memory->base, memory->gain, memory->weight, memory->value[h]);
            atomic_store_explicit(&memory->relaxed[h], (n - 1) * PHASES + k + 1,
                                  memory_order_release);
        }
    }
    meet(memory, me->n_threads, &me->n_meetings);
    for (unsigned h = me->first; h < me->end; h++) {
        for (unsigned k = PHASES - LAG; k < PHASES; k++) {
            take_over(memory, h, (1 - h) * PHASES + k);
        }
    }
}

/* For each chunk of this thread's halves. */
static void for_chunks(struct mr_rank_memory *memory, const struct member *me,
                       void (*work)(struct mr_rank_memory *memory, unsigned half, unsigned chunk))
{
    for (unsigned h = me->first; h < me->end; h++) {
        for (unsigned k = 0; k < PHASES; k++) {
            work(memory, h, h * PHASES + k);
        }
    }
}

/* Of n things, those before the h-th half. */
static uint32_t part_of(uint32_t n, unsigned h)
{
    return (uint32_t)((uint64_t)n * h / HALVES);
}

static void load_rows(struct mr_rank_memory *memory, unsigned half)
{
    const struct mr_rank_job *job = &memory->solver->job;
    const uint32_t n_rows = memory->slices->n_rows;
    const uint32_t first = part_of(n_rows, half), end = part_of(n_rows, half + 1);
    for (uint32_t row = first; row < end; row++) {
        const uint32_t v = memory->slices->vertex[row];
        memory->value[0][row] = v == UINT32_MAX ? 0
                                : job->options->precision == MR_PRECISION_SINGLE
                                    ? (double)((const float *)job->x)[v]
                                    : ((const double *)job->x)[v];
    }
    memcpy(memory->value[1] + first, memory->value[0] + first, (end - first) * sizeof(double));
    memcpy(memory->before + first, memory->value[0] + first, (end - first) * sizeof(double));
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
            ((float *)job->x)[v] = (float)memory->value[0][row];
        } else {
            ((double *)job->x)[v] = memory->value[0][row];
        }
    }
}

/* One thread's share of a round. All threads come to the same decisions, from the same numbers. */
static void work_on_round(struct mr_rank_memory *memory, struct member *me)
{
    struct mr_acceleration *acceleration = memory->solver->job.acceleration;
    double last_change = memory->solver->progress.last_change;
    for (unsigned h = me->first; h < me->end; h++) {
        load_rows(memory, h);
    }
    meet(memory, me->n_threads, &me->n_meetings);
    for_chunks(memory, me, weigh);
    meet(memory, me->n_threads, &me->n_meetings);
    for (unsigned n = 1; n <= memory->most_sweeps; n++) {
        double change;
        sweep(memory, me, n);
        const double foretold = foretell(memory, n % 2, &change);
        if (me->first == 0) {
            memory->foretold = foretold;
            memory->n_sweeps = n;
        }
        if (foretold <= memory->wanted) {
            break;
        }
        if (n % STRIDE != 0) {
            continue;
        }
        meet(memory, me->n_threads, &me->n_meetings); /* all have foretold */
        for_chunks(memory, me, weigh);
        if (acceleration == NULL) {
            meet(memory, me->n_threads, &me->n_meetings);
            continue;
        }
        for_chunks(memory, me, observe);
        meet(memory, me->n_threads, &me->n_meetings);
        if (me->first == 0) {
            if (change > last_change) {
                mr_acceleration_restart(acceleration);
            }
            mr_acceleration_plan(acceleration);
            memory->solver->progress.last_change = change;
        }
        last_change = change;
        meet(memory, me->n_threads, &me->n_meetings);
        for_chunks(memory, me, accelerate);
        meet(memory, me->n_threads, &me->n_meetings);
        if (me->first == 0) {
            mr_acceleration_done(acceleration);
        }
    }
    meet(memory, me->n_threads, &me->n_meetings);
    for (unsigned h = me->first; h < me->end; h++) { /* dangling rows: nobody reads them */
        const struct mr_link_slices *slices = memory->slices;
        const uint32_t n = slices->n_slices - slices->n_inner;
        (void)mr_link_slices_relax(slices, slices->n_inner + part_of(n, h),
                                   slices->n_inner + part_of(n, h + 1), memory->base, memory->gain,
                                   memory->weight, memory->value[0]);
    }
    meet(memory, me->n_threads, &me->n_meetings);
    for (unsigned h = me->first; h < me->end; h++) {
        store_rows(memory, h);
    }
}

double mr_rank_memory_round(struct mr_rank_solver *solver, double wanted)
{
    struct mr_rank_memory *memory = solver->memory;
    const double began = omp_get_wtime();
    /* clang 14 does not see that the clause reads it. NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores) */
    const unsigned n_threads =
        solver->context.threads > 1 && memory->slices->n_links >= LINKS_TO_SHARE ? HALVES : 1;
    memory->wanted = wanted;
    memory->most_sweeps = solver->options->until == MR_UNTIL_TOLERANCE ? ROUND : SHORT_ROUND;
    atomic_store(&memory->arrived, 0);
    for (unsigned h = 0; h < HALVES; h++) {
        atomic_store(&memory->relaxed[h], 0);
    }
#pragma omp parallel num_threads((int)n_threads)
    {
        const unsigned n = (unsigned)omp_get_num_threads(), i = (unsigned)omp_get_thread_num();
        struct member me = {.first = i, .end = n == 1 ? HALVES : i + 1, .n_threads = n};
        work_on_round(memory, &me);
    }
    if (solver->job.acceleration != NULL && memory->n_sweeps % STRIDE != 0) {
        mr_acceleration_restart(solver->job.acceleration); /* its step is not complete */
    }
    struct mr_pass_figures *figures = &solver->progress.figures;
    figures->edge_visits +=
        memory->n_sweeps * memory->slices->n_links + memory->slices->n_dangling_links;
    figures->seconds += omp_get_wtime() - began;
    return memory->foretold;
}
