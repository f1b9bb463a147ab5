/* SPDX-License-Identifier: Apache-2.0 */
#include "library/rank/solver_rows.h"

#include <assert.h>
#include <stdio.h>

#include "engine/base/count_text.h"

#define BESIDE_BYTES (UINT64_C(1) << 20)

static_assert((int)MR_DANGLING_TELEPORT == 0 && (int)MR_DANGLING_UNIFORM == 1 &&
                  (int)MR_DANGLING_NONE == 2 && (int)MR_PRECISION_DOUBLE == 0 &&
                  (int)MR_PRECISION_SINGLE == 1,
              "the words of dangling and precision are in the order of the enums");

/* About 0.3 of those of the power iteration (web graphs take 0.2 to 0.4 of them), and one for the
 * certificate. */
double mr_solver_passes(const struct mr_pagerank_options *options)
{
    const double tolerance = mr_rank_tolerance(options);

    return options->damping > 0.0 && tolerance < 1.0
               ? ceil(0.3 * log(tolerance) / log(options->damping)) + 1.0
               : 2.0;
}

#define FIELD(name) offsetof(struct mr_personalised_vector, name)
const struct mr_rank_figure mr_personal_fields[] = {
    {"name", MR_RANK_TEXT, FIELD(name), .help = "of the vector"},
    {"converged", MR_RANK_FLAG, FIELD(converged),
     .help = "whether its bound reached the tolerance"},
    {"error_bound", MR_RANK_REAL, FIELD(error_bound),
     .help = "proven bound on the sum of the errors of all its scores"},
    {"residual", MR_RANK_REAL, FIELD(residual), .help = "the part of it that iterating left"},
    {"rounding_bound", MR_RANK_REAL, FIELD(rounding_bound),
     .help = "the part of it that rounding can add"},
    {"score_sum", MR_RANK_REAL, FIELD(sum), .help = "sum of the scores"},
    {"unnormalised_sum", MR_RANK_REAL, FIELD(score_sum),
     .help = "their sum before they were normalised; spam masses are relative to it"},
    {"passes", MR_RANK_COUNT, FIELD(passes), .help = "until it stood still"},
    {0}};

enum mr_status mr_personal_take(void *data, uint64_t first, unsigned n, unsigned width,
                                void *values, struct mr_error *err)
{
    const struct mr_personal_columns *to = data;
    const double *doubles = values;
    const float *floats = values;

    (void)err;
    for (uint64_t v = 0; v < to->n_vertices; v++) {
        for (unsigned j = 0; j < n; j++) {
            void *column = to->columns[first + j];
            const uint64_t at = v * width + j;
            if (to->to_floats) {
                ((float *)column)[v] = floats[at];
            } else {
                ((double *)column)[v] = to->from_floats ? floats[at] : doubles[at];
            }
        }
    }
    return MR_OK;
}

void mr_personal_plan(const struct mr_ranking_job *job, const struct mr_pagerank_options *options,
                      uint64_t n, uint64_t n_columns, struct mr_rank_costs *plan)
{
    const unsigned batch = mr_personalised_batch(job->info, options, n);

    plan->passes = mr_solver_passes(options) * ceil((double)n / (double)batch);
    plan->goal = mr_rank_tolerance(options);
    if (job->store == NULL) {
        return;
    }
    /* The scores of all vectors, and what the names of seeds and an .npy that is written batch by
     * batch hold meanwhile; when a run begins, they hold it already. */
    const uint64_t beside = n_columns * job->info->n_vertices * sizeof(double) +
                            (job->ranking == NULL ? BESIDE_BYTES : 0);
    plan->least_bytes = mr_rank_minimum_memory(job->store, options, true) + beside;
    plan->memory_bytes =
        batch > 1 ? mr_personalised_memory(job->info, batch) + beside : plan->least_bytes;
}

void mr_personal_say(const struct mr_personal_figures *figures, char *text, size_t text_bytes)
{
    const struct mr_personalised_result *result = &figures->result;
    const struct mr_personalised_vector *vectors = figures->vectors.items;
    const unsigned long long parts = result->figures.partial_passes;
    const unsigned long long passes = result->figures.passes + parts;
    double worst = 0.0;
    char bound[32], count[32], text_of_passes[64];

    for (uint64_t i = 0; i < figures->vectors.n; i++) {
        worst = fmax(worst, vectors[i].error_bound);
    }
    (void)mr_bound_text(worst, bound);
    if (result->converged && figures->vectors.n == 1) {
        (void)snprintf(text, text_bytes,
                       "error bound %s (tolerance %g) after %s, %llu of them partial", bound,
                       result->tolerance, mr_count_of_text(passes, "pass", text_of_passes), parts);
    } else if (result->converged) {
        (void)snprintf(text, text_bytes,
                       "%s vectors, %llu per pass: error bounds at most %s (tolerance %g) after "
                       "%s",
                       mr_count_text(figures->vectors.n, count), (unsigned long long)result->width,
                       bound, result->tolerance, mr_count_of_text(passes, "pass", text_of_passes));
    }
}
