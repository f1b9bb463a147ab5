/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ranking/solver_flags.h"

#include "cli/program/meta.h"

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
    {"max-passes", 0, MR_OPTION_COUNT, FIELD(solver.max_passes), "N", .least = 1,
     .most = UINT32_MAX, .also = "max-iter maxiter max-iterations",
     .help = "Stop after N passes over the links, with exit code 6 and the scores so far. Default "
             "10000."},
    MR_MAX_UNKNOWN_OPTION(FIELD(ranking.max_unknown), "names of pages"),
    MR_PRECISION_OPTION(FIELD(solver.precision)),
    {"inner", 0, MR_OPTION_COUNT, FIELD(solver.inner), "K", .least = 1, .most = 1000,
     .help = "Apply the links inside a band of pages K times per pass, while they are in cache. "
             "Default: 2 where at least half of the links stay inside bands, else 1; none where "
             "memory has no room for all of them, decoded."},
    {"acceleration", 0, MR_OPTION_COUNT, FIELD(solver.acceleration), "M", .least = 0, .most = 8,
     .help = "Depth of the Anderson acceleration. Each step of depth needs 4 bytes per page (and "
             "vector), and 4 more if M is not 0. Default: 5, or less if --memory has no room."},
    MR_NO_PIN_OPTION(FIELD(solver.no_pinning)),
    {0}};
#undef FIELD

void mr_solver_describe(struct mr_json *json, const struct mr_pagerank_options *options)
{
    mr_json_real(json, "damping", options->damping);
    mr_json_text(json, "dangling", mr_dangling_words[options->dangling]);
    mr_json_text(json, "precision",
                 options->precision == MR_PRECISION_SINGLE ? "single" : "double");
}
