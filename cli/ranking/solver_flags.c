/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ranking/solver_flags.h"

#include <math.h>

#include "cli/program/meta.h"
#include "engine/base/memory.h"
#include "library/bound.h"

#define BESIDE_BYTES (UINT64_C(1) << 20)

static_assert((int)MR_DANGLING_TELEPORT == 0 && (int)MR_DANGLING_UNIFORM == 1 &&
                  (int)MR_DANGLING_NONE == 2,
              "--dangling's choices are in the order of enum mr_dangling");
static_assert((int)MR_PRECISION_DOUBLE == 0 && (int)MR_PRECISION_SINGLE == 1,
              "--precision's choices are in the order of enum mr_precision");

#define FIELD(name) offsetof(struct mr_solver_flags, name)
const struct mr_option mr_solver_options[] = {
    {"dangling", 0, MR_OPTION_CHOICE, FIELD(solver.dangling), .choices = "teleport|uniform|none",
     .help = "Where the score of pages without links goes: to the pages of the teleport, to all "
             "pages evenly, or nowhere (the scores then do not add up to 1). Default teleport."},
    MR_RANKED_LINKS_OPTIONS,
    MR_LINK_WEIGHTS_OPTIONS(FIELD(ranking.links.internal_weight),
                            FIELD(ranking.links.external_weight)),
    MR_DAMPING_OPTION(FIELD(solver.damping)),
    MR_TOLERANCE_OPTION(FIELD(solver.tolerance),
                        "Stop when the sum of all scores' errors is proven to be at most T. "
                        "Default 1e-9, with --precision single 1e-5."),
    {"max-passes", 0, MR_OPTION_NUMBER, FIELD(solver.max_passes), "N", .least = 1,
     .most = UINT32_MAX, .also = "max-iter maxiter max-iterations",
     .help = "Stop after N passes over the links, with exit code 6 and the scores so far. Default "
             "10000."},
    MR_MAX_UNKNOWN_OPTION(FIELD(ranking.max_unknown), "names of pages"),
    MR_PRECISION_OPTION(FIELD(solver.precision)),
    {"inner", 0, MR_OPTION_NUMBER, FIELD(solver.inner), "K", .least = 1, .most = 1000,
     .help = "Apply the links inside a band of pages K times per pass, while they are in cache. "
             "Default: 2 where at least half of the links stay inside bands, else 1."},
    {"acceleration", 0, MR_OPTION_OR_NONE, FIELD(solver.acceleration), "M", .least = 0, .most = 8,
     .help = "Depth of the Anderson acceleration. Each step of depth needs 4 bytes per page (and "
             "vector), and 4 more if M is not 0. Default: 5, or less if --memory has no room."},
    MR_NO_PIN_OPTION(FIELD(solver.no_pinning)),
    {0}};
#undef FIELD

/* About 0.3 of those of the power iteration (web graphs take 0.2 to 0.4 of them), and one for the
 * certificate. */
double mr_solver_passes(const struct mr_pagerank_options *options)
{
    const double tolerance = mr_rank_tolerance(options);

    return options->damping > 0.0 && tolerance < 1.0
               ? ceil(0.3 * log(tolerance) / log(options->damping)) + 1.0
               : 2.0;
}

void mr_solver_describe(struct mr_json *json, const struct mr_pagerank_options *options,
                        double tolerance)
{
    static const char *const dangling[] = {"teleport", "uniform", "none"};

    mr_json_real(json, "damping", options->damping);
    mr_json_real(json, "tolerance", tolerance);
    mr_json_text(json, "dangling", dangling[options->dangling]);
    mr_json_text(json, "precision",
                 options->precision == MR_PRECISION_SINGLE ? "single" : "double");
}

/* ---- Columns ---- */

static size_t value_bytes(const struct mr_personal_columns *columns)
{
    return columns->is_single ? sizeof(float) : sizeof(double);
}

enum mr_status mr_personal_columns_create(struct mr_session *session, uint64_t n_vertices,
                                          uint64_t n_columns, bool is_single,
                                          struct mr_personal_columns *columns, struct mr_error *err)
{
    static const char name[] = "scores of all vectors (an .npy needs those of one batch only)";
    uint64_t bytes = 0;

    *columns = (struct mr_personal_columns){.memory = session->context.memory,
                                            .n_vertices = n_vertices,
                                            .n_columns = n_columns,
                                            .is_single = is_single};
    enum mr_status status =
        mr_memory_size(name, n_vertices, n_columns * value_bytes(columns), 1, &bytes, err);
    return status == MR_OK ? mr_memory_alloc(columns->memory, name, bytes, &columns->values, err)
                           : status;
}

void mr_personal_columns_destroy(struct mr_personal_columns *columns)
{
    if (columns->memory != NULL) {
        mr_memory_free(columns->memory, columns->values);
    }
    *columns = (struct mr_personal_columns){0};
}

struct mr_score_column mr_personal_column(const struct mr_personal_columns *columns, uint64_t i,
                                          const char *name)
{
    return (struct mr_score_column){.name = name,
                                    .type = columns->is_single ? MR_SCORES_FLOAT : MR_SCORES_DOUBLE,
                                    .values = (const uint8_t *)columns->values +
                                              i * columns->n_vertices * value_bytes(columns)};
}

enum mr_status mr_personal_columns_take(void *data, uint64_t first, unsigned n, unsigned width,
                                        void *values, struct mr_error *err)
{
    struct mr_personal_columns *columns = data;

    (void)err;
    for (uint64_t v = 0; v < columns->n_vertices; v++) {
        for (unsigned j = 0; j < n; j++) {
            const uint64_t to = (first + j) * columns->n_vertices + v, from = v * width + j;
            if (columns->is_single) {
                ((float *)columns->values)[to] = ((const float *)values)[from];
            } else {
                ((double *)columns->values)[to] = ((const double *)values)[from];
            }
        }
    }
    return MR_OK;
}

/* ---- Ranking ---- */

enum mr_status mr_personal_rank(struct mr_run *run, struct mr_personal *personal,
                                mr_personalised_sink sink, void *sink_data, struct mr_error *err)
{
    run->session->meter.goal = mr_rank_tolerance(&personal->options);
    return mr_personalised(&run->session->context, mr_run_links(run), personal->teleports,
                           personal->n, &personal->options, personal->outcomes, sink, sink_data,
                           &personal->result, err);
}

void mr_personal_report(const struct mr_run *run, const struct mr_personal *personal)
{
    struct mr_session *session = run->session;
    const struct mr_personalised_result *result = &personal->result;
    const uint64_t n = personal->n;
    const uint64_t passes = result->figures.passes, parts = result->figures.partial_passes;
    double worst = 0.0;
    char bound[32], count[32];

    for (uint64_t i = 0; i < n; i++) {
        worst = fmax(worst, personal->outcomes[i].error_bound);
    }
    (void)mr_bound_text(worst, bound);
    if (result->n_unconverged > 0) {
        return;
    }
    if (n == 1) {
        mr_session_say(
            session,
            "error bound %s (tolerance %g) after %llu passes, %llu of them partial, %.1f "
            "s",
            bound, result->tolerance, (unsigned long long)(passes + parts),
            (unsigned long long)parts, run->seconds);
    } else {
        mr_session_say(session,
                       "%s vectors, %u per pass: error bounds at most %s (tolerance %g) after %llu "
                       "passes, %.1f s",
                       mr_count_text(n, count), result->width, bound, result->tolerance,
                       (unsigned long long)(passes + parts), run->seconds);
    }
}

void mr_personal_describe(struct mr_json *json, const struct mr_personal *personal)
{
    const struct mr_personalised_result *result = &personal->result;
    json_t *trace = json_array(), *vectors = json_array();

    mr_solver_describe(json, &personal->options, result->tolerance);
    mr_json_count(json, "width", result->width);
    mr_json_count(json, "batches", result->n_batches);
    mr_json_count(json, "inner", result->inner);
    mr_json_count(json, "acceleration", result->acceleration);
    mr_json_count(json, "wave", result->wave);
    mr_json_flag(json, "converged", result->n_unconverged == 0);
    mr_json_flag(json, "normalised", result->normalised);
    mr_json_count(json, "passes", result->figures.passes);
    mr_json_count(json, "partial_passes", result->figures.partial_passes);
    mr_json_count(json, "blocks_skipped", result->figures.blocks_skipped);
    for (unsigned i = 0; i < result->n_traced; i++) {
        json->failed |=
            json_array_append_new(trace, json_integer((json_int_t)result->trace_bytes[i])) != 0;
    }
    mr_json_add(json, "first_passes_bytes", trace);
    for (uint64_t i = 0; i < personal->n; i++) {
        const struct mr_personalised_vector *outcome = &personal->outcomes[i];
        struct mr_json vector = mr_json_create();
        mr_json_text(&vector, "name", personal->names[i]);
        mr_json_flag(&vector, "converged", outcome->converged);
        mr_json_real(&vector, "error_bound", outcome->error_bound);
        mr_json_real(&vector, "residual", outcome->residual);
        mr_json_real(&vector, "rounding_bound", outcome->rounding_bound);
        mr_json_real(&vector, "score_sum", result->normalised ? 1 : outcome->score_sum);
        mr_json_real(&vector, "unnormalised_sum", outcome->score_sum);
        mr_json_count(&vector, "passes", outcome->passes);
        json->failed |= json_array_append_new(vectors, mr_json_take(&vector)) != 0;
    }
    mr_json_add(json, "vectors", vectors);
    mr_meta_figures(json, &result->figures);
}

void mr_personal_estimate(const struct mr_run *run, const struct mr_personal *personal, uint64_t n,
                          uint64_t n_columns, uint64_t beside, struct mr_estimate *estimate)
{
    const struct mr_pagerank_options *options = &personal->options;
    struct mr_store *store = mr_run_links(run);
    const unsigned most = options->width > 0 ? options->width : MR_RANK_MAX_WIDTH;
    unsigned width = 1;

    while (width < n && width < most) {
        width *= 2;
    }
    /* The scores of all vectors, and what the names of seeds and an .npy that is written batch by
     * batch hold meanwhile. */
    beside += n_columns * mr_run_info(run)->n_vertices * sizeof(double) + BESIDE_BYTES;
    estimate->memory_bytes = mr_rank_minimum_memory(store, options, width) + beside;
    estimate->least_bytes =
        mr_rank_minimum_memory(store, options, options->width > 0 ? width : 1) + beside;
}

double mr_personal_passes(const struct mr_personal *personal, uint64_t n)
{
    const unsigned width = personal->options.width;
    const double batches = ceil((double)n / (width > 0 ? width : MR_RANK_MAX_WIDTH));

    return mr_solver_passes(&personal->options) * batches;
}
