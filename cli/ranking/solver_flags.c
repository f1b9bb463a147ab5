/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ranking/solver_flags.h"

#include <math.h>

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

double mr_solver_tolerance(const struct mr_pagerank_options *options)
{
    return options->tolerance > 0.0                    ? options->tolerance
           : options->precision == MR_PRECISION_SINGLE ? 1e-5
                                                       : 1e-9;
}

/* About 0.3 of those of the power iteration (web graphs take 0.2 to 0.4 of them), and one for the
 * certificate. */
double mr_solver_passes(const struct mr_pagerank_options *options)
{
    const double tolerance = mr_solver_tolerance(options);

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
