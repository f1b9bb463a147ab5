#include "algorithms/personalised.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/personalised_bands.h"
#include "algorithms/weight_walk.h"
#include "engine/bytes.h"
#include "engine/memory.h"

#define DEFAULT_DAMPING          0.85
#define DEFAULT_TOLERANCE_DOUBLE 1e-9
#define DEFAULT_TOLERANCE_SINGLE 1e-5
#define DEFAULT_MAX_PASSES       10000u

/* As for one vector (algorithms/pagerank.c, docs/solver.md); sweeps of the diagonal tile are plain ones here. */
#define DEFAULT_INNER      6u
#define INNER_SHARE        16 /* of the links: 1/16 */
#define DEFAULT_DEPTH      2u
#define DEPTH_MAX_VERTICES (UINT64_C(1) << 22)

/* More than 8 side by side cost more per vector than they save: the values of a stripe leave the cache. */
#define WIDTH_BY_RULE 8u

/* A teleport vector with entries for more than a sixteenth of the vertices is not spread from. */
#define SPARSE_SHARE 16

enum { PATIENCE = 3, CHUNK = 1 << 12 };

/* Where one vector stands, besides its slot. */
struct progress {
    struct mr_personalised_vector *outcome; /* NULL: an empty slot */
    bool is_final; /* certified, or given up */
    double foretold, ratio, best, last_change;
    unsigned failures;
};

struct solver {
    const struct mr_context *context;
    struct mr_store *store;
    const struct mr_store_info *info;
    const struct mr_personalised_options *options;
    struct mr_personalised_result *result;
    struct mr_pass *pass;
    struct mr_slots slots;
    struct progress progress[MR_PERSONALISED_MAX_WIDTH];
    struct mr_acceleration *accelerations[MR_PERSONALISED_MAX_WIDTH];
    void *vectors[2]; /* x and next of the slots, in either order */
    uint8_t *active[2];
    bool may_spread; /* one sparse vector */
    double tolerance;
    unsigned max_passes;
    unsigned n_passes; /* of this batch */
};

void mr_personalised_defaults(struct mr_personalised_options *options)
{
    memset(options, 0, sizeof *options);
    options->struct_size = sizeof *options;
    options->damping = DEFAULT_DAMPING;
}

/* ---- Choices ---- */

static size_t value_bytes(const struct mr_personalised_options *options)
{
    return options->precision == MR_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
}

static enum mr_value value_of(const struct mr_personalised_options *options)
{
    return options->precision == MR_PRECISION_SINGLE ? MR_VALUE_FLOAT : MR_VALUE_DOUBLE;
}

static unsigned choose_lag(const struct mr_store_info *info)
{
    const unsigned lag = info->n_bands / 16;
    return lag < 1 ? 1 : lag > 8 ? 8 : lag;
}

static unsigned choose_depth(const struct mr_store_info *info,
                             const struct mr_personalised_options *options)
{
    if (options->acceleration != 0) {
        return options->acceleration < 0 ? 0 : (unsigned)options->acceleration;
    }
    return info->n_vertices <= DEPTH_MAX_VERTICES ? DEFAULT_DEPTH : 0;
}

static unsigned choose_inner(const struct solver *solver)
{
    const struct mr_band_entry *bands = mr_store_bands(solver->store);
    uint64_t n_diagonal = 0;
    if (solver->options->inner > 0) {
        return solver->options->inner;
    }
    for (uint32_t b = 0; b < solver->info->n_bands; b++) {
        n_diagonal += bands[b].n_diagonal_edges;
    }
    return n_diagonal >= solver->info->n_edges / INNER_SHARE ? DEFAULT_INNER : 1;
}

static struct mr_pass_options pass_options(const struct mr_store_info *info, unsigned width,
                                           const struct mr_personalised_options *options)
{
    return (struct mr_pass_options){.struct_size = sizeof(struct mr_pass_options),
                                    .backend = options->backend,
                                    .no_pinning = options->no_pinning,
                                    .max_lag = choose_lag(info),
                                    .value = value_of(options),
                                    .width = width,
                                    .may_skip = width == 1};
}

uint64_t mr_personalised_minimum_memory(const struct mr_store_info *info, unsigned width,
                                        const struct mr_personalised_options *options)
{
    const struct mr_pass_options pass = pass_options(info, width, options);
    const uint64_t length = mr_pass_vector_length(info);
    /* One vector alone may need a second copy and its active stripes. */
    const uint64_t copies = width == 1 && options->dangling != MR_DANGLING_UNIFORM ? 2 : 1;
    return MR_MEMORY_RESERVE_BYTES + mr_pass_minimum_memory(info, &pass) +
           copies * length * width * value_bytes(options) + 2 * mr_pass_stripes(info) +
           width * mr_acceleration_memory(choose_depth(info, options), length, info->n_bands) +
           info->n_bands * width * sizeof(struct mr_slot_sums) + info->index_bytes;
}

static unsigned power_of_two(uint64_t n)
{
    unsigned width = 1;
    while (width < n && width < MR_PERSONALISED_MAX_WIDTH) {
        width *= 2;
    }
    return width;
}

/* One where the links stay in memory: several side by side then only share the decoding, and their values
 * leave the caches (kron-22: 8 vectors cost as much as 8 runs; corner tiles: more). Else as many as there
 * are vectors, up to 8, and as fit; the index and the reserve are taken already. No bit depends on it. */
static unsigned choose_width(const struct solver *solver, uint64_t n)
{
    const struct mr_personalised_options *options = solver->options;
    unsigned width = power_of_two(n);
    if (options->width > 0) {
        return options->width < width ? options->width : width;
    }
    width = width > WIDTH_BY_RULE ? WIDTH_BY_RULE : width;
    const uint64_t taken = MR_MEMORY_RESERVE_BYTES + solver->info->index_bytes;
    const uint64_t pinned = solver->info->links_bytes + solver->info->degrees_bytes;
    if (!options->no_pinning &&
        mr_personalised_minimum_memory(solver->info, 1, options) - taken + pinned <=
            mr_memory_available(solver->context->memory)) {
        return 1;
    }
    while (width > 1 && mr_personalised_minimum_memory(solver->info, width, options) - taken >
                            mr_memory_available(solver->context->memory)) {
        width /= 2;
    }
    return width;
}

/* ---- Checks ---- */

static enum mr_status check_options(const struct solver *solver, struct mr_error *err)
{
    const struct mr_personalised_options *o = solver->options;
    const unsigned w = o->width;
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
    if (w > MR_PERSONALISED_MAX_WIDTH || (w & (w - 1)) != 0) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "%u vectors side by side; it can be 1, 2, 4, 8 or %u", w,
                            MR_PERSONALISED_MAX_WIDTH);
    }
    return MR_OK;
}

static enum mr_status check_teleports(const struct solver *solver,
                                      const struct mr_teleport *teleports, uint64_t n,
                                      struct mr_error *err)
{
    for (uint64_t i = 0; i < n; i++) {
        const struct mr_teleport *t = &teleports[i];
        if (t->weights != NULL &&
            !(mr_weights_largest(t->weights, t->n_weights, solver->info->n_vertices) > 0)) {
            return mr_error_set(err, MR_ERROR_USAGE,
                                "teleport weights must be finite, not negative, ascending by "
                                "vertex and not all 0");
        }
    }
    return MR_OK;
}

/* ---- Passes ---- */

static bool is_normalised(const struct solver *solver)
{
    return solver->options->dangling != MR_DANGLING_NONE;
}

static bool spreads_dangling(const struct solver *solver, const struct mr_slot *slot)
{
    return solver->options->dangling == MR_DANGLING_UNIFORM && slot->teleport->weights != NULL;
}

/* Bytes of the blocks that a pass with these active stripes wants. */
static uint64_t active_bytes(const struct solver *solver, const uint8_t *active)
{
    const struct mr_block_entry *blocks = mr_store_link_blocks(solver->store);
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < solver->info->n_blocks; i++) {
        bool any = active == NULL;
        for (uint32_t s = blocks[i].first; !any && s <= blocks[i].last; s++) {
            any = active[s] != 0;
        }
        bytes += any ? blocks[i].stored_bytes : 0;
    }
    return bytes;
}

static enum mr_status run(struct solver *solver, struct mr_pass_run *run, mr_pass_callback callback,
                          struct mr_error *err)
{
    struct mr_personalised_result *result = solver->result;
    run->value = value_of(solver->options);
    run->width = solver->slots.width;
    run->x = solver->slots.x;
    run->out_degrees = true;
    run->callback = callback;
    run->callback_data = &solver->slots;
    const enum mr_status status = mr_pass_run(solver->pass, run, err);
    if (status == MR_OK && !run->degrees_only) {
        solver->n_passes++;
        if (result->n_traced < MR_PERSONALISED_TRACE) {
            result->trace_bytes[result->n_traced++] = active_bytes(solver, run->active_stripes);
        }
    }
    mr_slots_add_up(&solver->slots, solver->info->n_bands);
    return status;
}

/* Terms of `rank = scale t + constant + a acc`, as set_terms of pagerank.c. */
static void set_terms(struct solver *solver, bool fixed_scale)
{
    const double a = solver->options->damping, n = (double)solver->info->n_vertices;
    for (unsigned j = 0; j < solver->slots.width; j++) {
        struct mr_slot *slot = &solver->slots.slots[j];
        const double mass = slot->sums.mass, dangling = slot->sums.dangling;
        slot->teleport_scale = slot->constant = 0;
        if (slot->teleport == NULL) {
            continue;
        }
        if (solver->options->dangling == MR_DANGLING_NONE) {
            slot->teleport_scale = 1 - a;
        } else if (spreads_dangling(solver, slot)) {
            slot->teleport_scale = (1 - a) * mass;
            slot->constant = a * dangling / n;
        } else {
            slot->teleport_scale = fixed_scale ? 1 - a : mass - a * (mass - dangling);
        }
        if (slot->teleport->weights == NULL) {
            slot->constant = slot->teleport_scale * (1.0 / n);
        }
    }
}

static void report(const struct solver *solver)
{
    const struct mr_context *context = solver->context;
    double worst = 0;
    if (context->progress == NULL) {
        return;
    }
    for (unsigned j = 0; j < solver->slots.width; j++) {
        const struct progress *p = &solver->progress[j];
        if (p->outcome != NULL && !p->is_final) {
            worst = fmax(worst, p->ratio * p->foretold);
        }
    }
    const struct mr_pass_figures figures = mr_pass_figures(solver->pass);
    struct mr_progress progress = {
        .stage = "rank",
        .done = figures.passes + figures.partial_passes,
        .unit = "passes",
        .edges = figures.edge_visits,
        .bytes = figures.bytes_read + figures.degree_bytes_read,
        .passes = (unsigned)(figures.passes + figures.partial_passes),
        .error_bound = worst,
    };
    context->progress(context->progress_data, &progress);
}

/* ---- Certificates ---- */

/* What the latest certifying pass proves of slot j: the bound of certify in pagerank.c. */
static void prove(const struct solver *solver, unsigned j, double dangling)
{
    const struct mr_slot *slot = &solver->slots.slots[j];
    struct mr_personalised_vector *outcome = solver->progress[j].outcome;
    const double a = solver->options->damping, u = 0x1p-53;
    const double summing = 10 * u, slack = 1 + 2 * summing;
    const bool normalised = is_normalised(solver);
    const double mass = normalised ? slot->sums.mass / slack : 1;
    const double per_residual = (normalised ? 2 : 1) * slack / ((1 - a) * mass);
    const double corners =
        a * MR_PASS_LINK_ERROR * (double)solver->info->corners.edges * slot->sums.shares;
    const double rounding = (slot->sums.rounding + corners) * (1 + 0x1p-20);
    const double spread = spreads_dangling(solver, slot) ? a * summing * dangling : 0;
    const double output =
        (slot->teleport != NULL && solver->slots.is_single ? 0x1p-24 : 0) + 16 * u + summing;
    outcome->residual = slot->sums.mass > 0 ? slot->sums.residual / slot->sums.mass : 0;
    outcome->rounding_bound =
        per_residual * (rounding + spread) + output * (normalised ? 1 : slot->sums.mass / (1 - a));
    outcome->error_bound = per_residual * slot->sums.residual + outcome->rounding_bound;
    outcome->score_sum = slot->sums.mass;
    outcome->converged = outcome->error_bound <= solver->tolerance;
}

static enum mr_status certify(struct solver *solver, struct mr_error *err)
{
    struct mr_slots *slots = &solver->slots;
    double dangling[MR_PERSONALISED_MAX_WIDTH];
    struct mr_pass_run measure = {.degrees_only = true};
    struct mr_pass_run job = {.in_degrees = true,
                              .active_stripes = slots->next != NULL ? slots->active : NULL};

    enum mr_status status = run(solver, &measure, mr_slots_measure, err);
    if (status != MR_OK) {
        return status;
    }
    for (unsigned j = 0; j < slots->width; j++) {
        dangling[j] = slots->slots[j].sums.dangling;
    }
    set_terms(solver, false);
    status = run(solver, &job, mr_slots_certify, err);
    for (unsigned j = 0; j < slots->width && status == MR_OK; j++) {
        slots->slots[j].sums.dangling = dangling[j];
        if (solver->progress[j].outcome != NULL && !solver->progress[j].is_final) {
            prove(solver, j, dangling[j]);
        }
    }
    return status;
}

/* After a certificate: who is done, who goes on. */
static void judge(struct solver *solver)
{
    const bool is_over = solver->n_passes >= solver->max_passes;

    solver->slots.any_still = false;
    for (unsigned j = 0; j < solver->slots.width; j++) {
        struct progress *p = &solver->progress[j];
        struct mr_slot *slot = &solver->slots.slots[j];
        if (p->outcome != NULL && !p->is_final) {
            const double bound = p->outcome->error_bound;
            p->failures = !(bound <= 0.9 * p->best) ? p->failures + 1 : 0;
            p->best = fmin(p->best, bound);
            p->is_final = p->outcome->converged || p->failures == PATIENCE || is_over;
            slot->is_still = p->is_final;
            if (p->foretold > 0) {
                const double seen = (bound - p->outcome->rounding_bound) / p->foretold;
                p->ratio = fmin(1, fmax(p->ratio, seen));
            }
        }
        solver->slots.any_still |= slot->is_still;
    }
}

/* ---- Rounds ---- */

/* Each vector that still moves, from G(x) to the accelerated next x: chunk by chunk, so that the values
 * of all of them are fetched once. */
static void accelerate(struct solver *solver)
{
    struct mr_slots *slots = &solver->slots;
    const uint64_t length = mr_pass_vector_length(solver->info);
    const int64_t n_chunks = (int64_t)mr_div_up(length, CHUNK);
    const size_t bytes = value_bytes(solver->options);
    struct mr_acceleration *moving[MR_PERSONALISED_MAX_WIDTH];
    uint8_t *values[MR_PERSONALISED_MAX_WIDTH];
    unsigned n = 0;

    for (unsigned j = 0; j < slots->width; j++) {
        struct mr_slot *slot = &slots->slots[j];
        struct progress *p = &solver->progress[j];
        if (slot->acceleration == NULL || slot->is_still) {
            continue;
        }
        if (slot->sums.change > p->last_change) {
            mr_acceleration_restart(slot->acceleration);
        }
        p->last_change = slot->sums.change;
        mr_acceleration_plan(slot->acceleration);
        values[n] = (uint8_t *)slots->x + j * bytes;
        moving[n++] = slot->acceleration;
    }
    if (n == 0) {
        return;
    }
#pragma omp parallel for num_threads((int)solver->context->threads) schedule(static)
    for (int64_t c = 0; c < n_chunks; c++) {
        const uint64_t first = (uint64_t)c * CHUNK, end = mr_min_u64(first + CHUNK, length);
        for (unsigned i = 0; i < n; i++) {
            mr_acceleration_apply(moving[i], values[i], slots->width, first, end);
        }
    }
    for (unsigned i = 0; i < n; i++) {
        mr_acceleration_done(moving[i]);
    }
}

/* One round of all vectors that move: synchronous while few blocks are wanted, else relaxing. */
static enum mr_status advance(struct solver *solver, struct mr_error *err)
{
    struct mr_slots *slots = &solver->slots;
    enum mr_status status;

    if (slots->next != NULL &&
        2 * active_bytes(solver, slots->active) >= solver->info->links_bytes) {
        slots->next = NULL;
    }
    set_terms(solver, true);
    if (slots->next == NULL) {
        struct mr_pass_run relax = {
            .relax = true, .lag = solver->result->lag, .sweeps = solver->result->inner};
        status = run(solver, &relax, mr_slots_relax, err);
        if (status == MR_OK) {
            accelerate(solver);
        }
        return status;
    }
    struct mr_pass_run spread = {.active_stripes = slots->active};
    status = run(solver, &spread, mr_slots_spread, err);
    void *old = slots->x;
    uint8_t *active = slots->active;
    slots->x = slots->next;
    slots->next = old;
    slots->active = slots->next_active;
    slots->next_active = active;
    return status;
}

/* Those whose bound is foretold to hold stand still from here on. True when all do. */
static bool halt(struct solver *solver)
{
    const double a = solver->options->damping;
    bool all = true;

    for (unsigned j = 0; j < solver->slots.width; j++) {
        struct mr_slot *slot = &solver->slots.slots[j];
        struct progress *p = &solver->progress[j];
        if (slot->is_still) {
            continue;
        }
        const double mass = is_normalised(solver) ? slot->sums.mass : 1;
        p->foretold = (is_normalised(solver) ? 2 : 1) * a * slot->sums.change / ((1 - a) * mass);
        slot->is_still = !(p->ratio * p->foretold > solver->tolerance);
        if (slot->is_still) {
            p->outcome->passes = solver->n_passes;
        }
        solver->slots.any_still |= slot->is_still;
        all = all && slot->is_still;
    }
    return all;
}

static bool all_final(const struct solver *solver)
{
    for (unsigned j = 0; j < solver->slots.width; j++) {
        if (solver->progress[j].outcome != NULL && !solver->progress[j].is_final) {
            return false;
        }
    }
    return true;
}

static enum mr_status solve(struct solver *solver, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    while (!all_final(solver)) {
        bool is_due = solver->max_passes == 1;
        if (!is_due) {
            status = advance(solver, err);
            if (status != MR_OK) {
                return status;
            }
            is_due = halt(solver) || solver->n_passes + 1 >= solver->max_passes;
            report(solver);
        }
        if (is_due) {
            status = certify(solver, err);
            if (status != MR_OK) {
                return status;
            }
            judge(solver);
            report(solver);
        }
    }
    return status;
}

/* ---- Batches ---- */

static void begin_slot(struct solver *solver, unsigned j, const struct mr_teleport *teleport,
                       struct mr_personalised_vector *outcome)
{
    struct mr_slot *slot = &solver->slots.slots[j];

    *slot = (struct mr_slot){.teleport = teleport, .is_still = teleport == NULL};
    solver->progress[j] = (struct progress){
        .outcome = outcome, .ratio = 0.5, .best = INFINITY, .last_change = INFINITY};
    if (teleport == NULL) {
        solver->slots.any_still = true;
        return;
    }
    *outcome = (struct mr_personalised_vector){0};
    if (teleport->weights != NULL) {
        struct mr_sum sum = {0};
        slot->largest_weight =
            mr_weights_largest(teleport->weights, teleport->n_weights, solver->info->n_vertices);
        for (uint64_t i = 0; i < teleport->n_weights; i++) {
            mr_sum_add(&sum, teleport->weights[i].weight / slot->largest_weight);
        }
        slot->inverse_weight = 1 / mr_sum_value(&sum);
    }
    slot->acceleration = solver->accelerations[j];
    if (slot->acceleration != NULL) {
        mr_acceleration_restart(slot->acceleration);
    }
}

static enum mr_status run_batch(struct solver *solver, const struct mr_teleport *teleports,
                                unsigned n, struct mr_personalised_vector *outcomes,
                                struct mr_error *err)
{
    struct mr_slots *slots = &solver->slots;
    struct mr_pass_run degrees = {.degrees_only = true};

    slots->width = power_of_two(n);
    slots->any_still = false;
    slots->x = solver->vectors[0];
    slots->next = solver->may_spread ? solver->vectors[1] : NULL;
    slots->active = solver->active[0];
    slots->next_active = solver->active[1];
    memset(slots->x, 0,
           mr_pass_vector_length(solver->info) * slots->width * value_bytes(solver->options));
    for (unsigned j = 0; j < slots->width; j++) {
        begin_slot(solver, j, j < n ? &teleports[j] : NULL, j < n ? &outcomes[j] : NULL);
    }
    solver->n_passes = 0;
    enum mr_status status = run(solver, &degrees, mr_slots_start, err);
    if (status == MR_OK) {
        status = solve(solver, err);
    }
    for (unsigned j = 0; j < slots->width; j++) {
        const double sum = j < n ? outcomes[j].score_sum : 0;
        slots->slots[j].scale = is_normalised(solver) && sum > 0 ? 1 / sum : 1;
        solver->result->n_unconverged += j < n && !outcomes[j].converged;
    }
    struct mr_pass_run finish = {.degrees_only = true};
    return status == MR_OK ? run(solver, &finish, mr_slots_finish, err) : status;
}

static enum mr_status allocate(struct solver *solver, const char *name, uint64_t bytes, void *out,
                               struct mr_error *err)
{
    void *pointer = NULL;
    const enum mr_status status =
        mr_memory_alloc(solver->context->memory, name, bytes, &pointer, err);
    memcpy(out, &pointer, sizeof pointer);
    return status;
}

static enum mr_status prepare(struct solver *solver, unsigned width, struct mr_error *err)
{
    const struct mr_store_info *info = solver->info;
    const uint64_t length = mr_pass_vector_length(info);
    const uint64_t bytes = length * width * value_bytes(solver->options);

    enum mr_status status = allocate(solver, "rank vectors", bytes, &solver->vectors[0], err);
    if (status == MR_OK) {
        status = allocate(solver, "sums of bands",
                          (uint64_t)info->n_bands * width * sizeof *solver->slots.sums,
                          &solver->slots.sums, err);
    }
    for (int i = 0; i < 2 && solver->may_spread && status == MR_OK; i++) {
        status = allocate(solver, "active stripes", mr_pass_stripes(info), &solver->active[i], err);
    }
    if (solver->may_spread && status == MR_OK) {
        status = allocate(solver, "second rank vector", bytes, &solver->vectors[1], err);
    }
    for (unsigned j = 0; j < width && solver->result->acceleration > 0 && status == MR_OK; j++) {
        status = mr_acceleration_create(solver->context, solver->result->acceleration, length,
                                        info->n_bands, solver->slots.is_single,
                                        &solver->accelerations[j], err);
    }
    const struct mr_pass_options options = pass_options(info, width, solver->options);
    return status == MR_OK
               ? mr_pass_open(solver->context, solver->store, &options, &solver->pass, err)
               : status;
}

static void release(struct solver *solver)
{
    struct mr_memory *memory = solver->context->memory;

    mr_pass_close(solver->pass);
    for (unsigned j = 0; j < MR_PERSONALISED_MAX_WIDTH; j++) {
        mr_acceleration_destroy(solver->accelerations[j]);
    }
    mr_memory_free(memory, solver->vectors[1]);
    mr_memory_free(memory, solver->active[1]);
    mr_memory_free(memory, solver->active[0]);
    mr_memory_free(memory, solver->slots.sums);
    mr_memory_free(memory, solver->vectors[0]);
}

static enum mr_status run_all(struct solver *solver, const struct mr_teleport *teleports,
                              uint64_t n, struct mr_personalised_vector *outcomes,
                              mr_personalised_sink sink, void *sink_data, struct mr_error *err)
{
    struct mr_personalised_result *result = solver->result;
    const unsigned width = result->width;

    enum mr_status status = prepare(solver, width, err);
    for (uint64_t first = 0; first < n && status == MR_OK; first += width) {
        const unsigned count = (unsigned)mr_min_u64(width, n - first);
        status = run_batch(solver, teleports + first, count, outcomes + first, err);
        if (status == MR_OK) {
            result->n_batches++;
            status = sink(sink_data, first, count, solver->slots.width, solver->slots.x, err);
        }
    }
    if (solver->pass != NULL) {
        result->figures = mr_pass_figures(solver->pass);
    }
    return status;
}

enum mr_status mr_personalised(const struct mr_context *context, struct mr_store *store,
                               const struct mr_teleport *teleports, uint64_t n,
                               const struct mr_personalised_options *options,
                               struct mr_personalised_vector *outcomes, mr_personalised_sink sink,
                               void *sink_data, struct mr_personalised_result *result,
                               struct mr_error *err)
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
    if (status == MR_OK) {
        status = check_teleports(&solver, teleports, n, err);
    }
    if (status != MR_OK) {
        return status;
    }
    const bool is_single = options->precision == MR_PRECISION_SINGLE;
    solver.tolerance = options->tolerance > 0 ? options->tolerance
                       : is_single            ? DEFAULT_TOLERANCE_SINGLE
                                              : DEFAULT_TOLERANCE_DOUBLE;
    solver.max_passes = options->max_passes > 0 ? options->max_passes : DEFAULT_MAX_PASSES;
    solver.may_spread = n == 1 && teleports[0].weights != NULL &&
                        teleports[0].n_weights <= solver.info->n_vertices / SPARSE_SHARE &&
                        options->dangling != MR_DANGLING_UNIFORM;
    solver.slots.n_vertices = solver.info->n_vertices;
    solver.slots.is_single = is_single;
    solver.slots.stripe_bits = solver.info->stripe_bits;
    solver.slots.damping = options->damping;
    result->tolerance = solver.tolerance;
    result->normalised = is_normalised(&solver);
    result->inner = choose_inner(&solver);
    result->lag = choose_lag(solver.info);
    result->acceleration = choose_depth(solver.info, options);
    result->width = choose_width(&solver, n);
    if (solver.info->n_vertices == 0 || n == 0) {
        for (uint64_t i = 0; i < n; i++) {
            outcomes[i] = (struct mr_personalised_vector){.converged = true};
        }
        return MR_OK;
    }
    status = run_all(&solver, teleports, n, outcomes, sink, sink_data, err);
    release(&solver);
    if (status == MR_OK && result->n_unconverged > 0) {
        return mr_error_set(err, MR_NOT_CONVERGED,
                            "the error bound of %u of %llu vectors is above the tolerance %.2e; "
                            "raise --tolerance, or lower --damping",
                            result->n_unconverged, (unsigned long long)n, solver.tolerance);
    }
    return status;
}
