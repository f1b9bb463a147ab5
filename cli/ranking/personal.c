/* SPDX-License-Identifier: Apache-2.0 */
/* The common part of `ppr` and `trustrank`: both rank vectors of personalised PageRank side by
 * side. Each command fills the teleports and decides where the scores go; this file runs the
 * solver, prints what it reached, and writes the metadata. */
#include "cli/ranking/personal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "algorithms/base/relaxation.h"
#include "cli/program/bound.h"
#include "cli/program/meta.h"
#include "cli/program/option_table.h"
#include "engine/base/clock.h"
#include "engine/base/memory.h"
#include "formats/graph_format.h"

static_assert((int)MR_PRECISION_DOUBLE == 0 && (int)MR_PRECISION_SINGLE == 1,
              "--precision's choices are in the order of enum mr_precision");

#define BESIDE_BYTES (UINT64_C(1) << 20)

#define FIELD(name) offsetof(struct mr_personal_flags, name)
const struct mr_option mr_personal_options[] = {
    MR_DAMPING_OPTION(FIELD(damping)),
    MR_TOLERANCE_OPTION(FIELD(tolerance),
                        "Stop when the sum of all scores' errors is proven to be at most T, for "
                        "each vector. Default 1e-9, with --precision single 1e-5."),
    {.name = "max-passes",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(max_passes),
     .value = "N",
     .least = 1,
     .most = UINT32_MAX,
     .help = "Stop after N passes over the links (per batch), with exit code 6 and the scores so "
             "far. Default 10000."},
    MR_MAX_UNKNOWN_OPTION(FIELD(max_unknown), "names of pages"),
    MR_PRECISION_OPTION(FIELD(precision)),
    {.name = "width",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(width),
     .value = "K",
     .least = 1,
     .most = MR_RANK_MAX_WIDTH,
     .help = "Number of vectors that share a pass over the links: 1, 2, 4, 8 or 16. It does not "
             "change the results. Default: all, if memory allows."},
    {.name = "inner",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(inner),
     .value = "K",
     .least = 1,
     .most = 1000,
     .help = "Apply the links inside a band of pages K times per pass, while they are in cache. "
             "Default: by a fixed rule."},
    {.name = "acceleration",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(acceleration),
     .value = "M",
     .least = 0,
     .most = 8,
     .help =
         "Depth of the Anderson acceleration. Each step of depth needs 4 bytes per page and "
         "vector, and 4 more if M is not 0. Default: 5, or less if --memory has no room for it."},
    MR_NO_PIN_OPTION(FIELD(no_pin)),
    {0}};
#undef FIELD

struct mr_pagerank_options mr_personal_solver(const struct mr_session *session,
                                              const struct mr_personal_flags *flags,
                                              enum mr_dangling dangling)
{
    struct mr_pagerank_options options;

    mr_pagerank_defaults(&options);
    options.damping = flags->damping;
    options.tolerance = flags->tolerance;
    options.max_passes = (unsigned)flags->max_passes;
    options.inner = (unsigned)flags->inner;
    if (flags->acceleration != MR_PERSONAL_BY_RULE) {
        options.acceleration =
            flags->acceleration == 0 ? MR_ACCELERATION_NONE : (int)flags->acceleration;
    }
    options.dangling = dangling;
    options.precision = (enum mr_precision)flags->precision;
    options.width = (unsigned)flags->width;
    options.backend = session->backend;
    options.no_pinning = flags->no_pin;
    return options;
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

static double wanted_tolerance(const struct mr_pagerank_options *options)
{
    return options->tolerance > 0.0                    ? options->tolerance
           : options->precision == MR_PRECISION_SINGLE ? 1e-5
                                                       : 1e-9;
}

enum mr_status mr_personal_open(struct mr_personal *personal, const struct mr_import_flags *import,
                                const char *import_given, struct mr_error *err)
{
    struct mr_import_flags flags = *import;

    flags.weights = personal->weights ? MR_WEIGHTS_MUST : MR_WEIGHTS_NONE;
    return mr_graph_open(personal->session, &flags, import_given, personal->parsed,
                         &personal->graph, err);
}

/* Prints the error bounds in one line, if the tolerance was reached. */
static void report(const struct mr_personal *personal)
{
    struct mr_session *session = personal->session;
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
            (unsigned long long)parts, personal->seconds);
    } else {
        mr_session_say(session,
                       "%s vectors, %u per pass: error bounds at most %s (tolerance %g) after %llu "
                       "passes, %.1f s",
                       mr_count_text(n, count), result->width, bound, result->tolerance,
                       (unsigned long long)(passes + parts), personal->seconds);
    }
}

enum mr_status mr_personal_rank(struct mr_personal *personal, mr_personalised_sink sink,
                                void *sink_data,
                                enum mr_status (*write)(void *data, struct mr_error *err),
                                void *write_data, struct mr_error *err)
{
    struct mr_session *session = personal->session;
    const double began = mr_now();

    session->meter.goal = wanted_tolerance(&personal->options);
    enum mr_status status = mr_personalised(
        &session->context, mr_graph_links(&personal->graph), personal->teleports, personal->n,
        &personal->options, personal->outcomes, sink, sink_data, &personal->result, err);
    session->meter.goal = 0.0;
    personal->seconds = mr_now() - began;
    if (status == MR_OK || status == MR_NOT_CONVERGED) {
        /* Vectors that did not converge are written as well. A failure to write is then the
         * graver error. */
        struct mr_error write_error = {0};
        report(personal);
        enum mr_status write_status = write(write_data, &write_error);
        if (write_status != MR_OK) {
            status = write_status;
            *err = write_error;
        }
    }
    return status;
}

struct mr_json mr_personal_json(const struct mr_personal *personal, const char *algorithm)
{
    const struct mr_parsed *parsed = personal->parsed;
    const char *path = personal->graph.temporary != NULL ? NULL : parsed->operands[0];
    struct mr_json json = mr_json_create();

    mr_meta_store(&json, path, mr_store_get_info(personal->graph.store));
    mr_json_flag(&json, "weights", personal->weights);
    if (path == NULL) {
        mr_json_texts(&json, "inputs", parsed->operands, parsed->n_operands);
    }
    mr_json_text(&json, "algorithm", algorithm);
    return json;
}

void mr_personal_describe(struct mr_json *json, const struct mr_personal *personal)
{
    static const char *const dangling_names[] = {"teleport", "uniform", "none"};
    const struct mr_pagerank_options *options = &personal->options;
    const struct mr_personalised_result *result = &personal->result;
    json_t *trace = json_array(), *vectors = json_array();

    mr_json_real(json, "damping", options->damping);
    mr_json_real(json, "tolerance", result->tolerance);
    mr_json_text(json, "dangling", dangling_names[options->dangling]);
    mr_json_text(json, "precision",
                 options->precision == MR_PRECISION_SINGLE ? "single" : "double");
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
        if (json_array_append_new(trace, json_integer((json_int_t)result->trace_bytes[i])) != 0) {
            json->failed = true;
        }
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
        json->failed |= vector.failed || json_array_append(vectors, vector.object) != 0;
        mr_json_destroy(&vector);
    }
    mr_json_add(json, "vectors", vectors);
    mr_json_real(json, "seconds", personal->seconds);
    mr_meta_figures(json, &result->figures);
    mr_meta_run(json, personal->session);
}

enum mr_status mr_personal_estimate(const struct mr_personal *personal,
                                    const struct mr_import_flags *import, uint64_t n,
                                    uint64_t n_columns, struct mr_error *err)
{
    struct mr_session *session = personal->session;
    const struct mr_parsed *parsed = personal->parsed;
    const struct mr_pagerank_options *options = &personal->options;
    struct mr_import_flags flags = *import;
    const double tolerance = wanted_tolerance(options);
    const double passes = options->damping > 0.0 && tolerance < 1.0
                              ? ceil(0.3 * log(tolerance) / log(options->damping)) + 1.0
                              : 2.0;
    const double batches =
        ceil((double)n / (options->width > 0 ? options->width : MR_RANK_MAX_WIDTH));
    struct mr_estimate result = {0};
    enum mr_status status;

    flags.weights = personal->weights ? MR_WEIGHTS_MUST : MR_WEIGHTS_NONE;
    if (mr_graph_is_store(parsed)) {
        struct mr_graph graph;
        uint64_t open = 0;
        status =
            mr_graph_open_to_estimate(session, parsed->operands[0], &flags, &graph, &open, err);
        if (status == MR_OK) {
            struct mr_store *store = mr_graph_links(&graph);
            const struct mr_store_info *info = mr_store_get_info(store);
            unsigned width = 1;
            while (width < n && width < (options->width > 0 ? options->width : MR_RANK_MAX_WIDTH)) {
                width *= 2;
            }
            /* The scores of all vectors, and what the names of seeds and an .npy that is written
             * batch by batch hold meanwhile. */
            const uint64_t beside =
                open + n_columns * info->n_vertices * sizeof(double) + BESIDE_BYTES;
            result.memory_bytes = mr_personalised_minimum_memory(store, width, options) + beside;
            result.least_bytes =
                mr_personalised_minimum_memory(store, options->width > 0 ? width : 1, options) +
                beside;
        }
        mr_graph_close(session, &graph);
    } else {
        uint64_t edges = 0;
        status = mr_import_guess_edges(session, parsed->operands, parsed->n_operands, &edges, err);
        result = mr_build_estimate(session, edges, import->undirected);
    }
    result.passes = passes * batches;
    return status == MR_OK ? mr_session_estimate(session, &result, err) : status;
}
