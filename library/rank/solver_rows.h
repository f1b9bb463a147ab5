/* SPDX-License-Identifier: Apache-2.0 */
/* What the kinds of rankings by the solver of PageRank have alike: the rows of its options; and for
 * vectors side by side (algorithms/pagerank/personalised.h) their figures, columns, costs and
 * text. */
#ifndef MR_LIBRARY_RANK_SOLVER_ROWS_H
#define MR_LIBRARY_RANK_SOLVER_ROWS_H

#include <math.h>

#include "algorithms/pagerank/personalised.h"
#include "library/rank/kinds.h"

/* The rows of the options of a struct mr_pagerank_options at the offset `at`. */
#define MR_SOLVER_FIELD(at, member) ((at) + offsetof(struct mr_pagerank_options, member))
#define MR_SOLVER_OPTIONS(at)                                                                      \
    {"damping",                                                                                    \
     MR_RANK_REAL,                                                                                 \
     MR_SOLVER_FIELD(at, damping),                                                                 \
     "A",                                                                                          \
     "Share of a page's score that goes on along its links. Default 0.85.",                        \
     .also = "alpha d factor",                                                                     \
     .often = true,                                                                                \
     .usual = 0.85,                                                                                \
     .most = 1,                                                                                    \
     .below_most = true},                                                                          \
        {"tolerance",                                                                              \
         MR_RANK_REAL,                                                                             \
         MR_SOLVER_FIELD(at, tolerance),                                                           \
         "T",                                                                                      \
         "Stop when the error is proven to be at most T, the sum of all scores' errors. Default "  \
         "1e-9, with "                                                                             \
         "--precision single 1e-5.",                                                               \
         .also = "tol eps epsilon threshold",                                                      \
         .often = true,                                                                            \
         .most = (double)INFINITY,                                                                 \
         .above_least = true},                                                                     \
        MR_MAX_PASSES_OPTION(MR_SOLVER_FIELD(at, max_passes)),                                     \
        {"precision", MR_RANK_CHOICE, MR_SOLVER_FIELD(at, precision),                              \
         .help = "single needs half the memory. Default double.", .choices = "double|single"},     \
        {"inner",                                                                                  \
         MR_RANK_COUNT,                                                                            \
         MR_SOLVER_FIELD(at, inner),                                                               \
         "K",                                                                                      \
         "Apply the links inside a band of pages K times per pass, while they are in cache. "      \
         "Default: 2 where at least half of the links stay inside bands, else 1; none where "      \
         "memory has no room for two thirds of them, decoded.",                                    \
         .least = 1,                                                                               \
         .most = 1000},                                                                            \
        {"acceleration",                                                                           \
         MR_RANK_COUNT,                                                                            \
         MR_SOLVER_FIELD(at, acceleration),                                                        \
         "M",                                                                                      \
         "Depth of the Anderson acceleration. Each step of depth needs 4 bytes per page (and "     \
         "vector), and 4 more if M is not 0. Default: 5, or less if --memory has no room.",        \
         .usual = MR_ACCELERATION_AUTO,                                                            \
         .most = 8},                                                                               \
    {                                                                                              \
        "no-pin", MR_RANK_FLAG, MR_SOLVER_FIELD(at, no_pinning),                                   \
            .help = "Keep no links in memory. Read all links in every pass. For measurements."     \
    }
#define MR_DANGLING_OPTION(at)                                                                     \
    {                                                                                              \
        "dangling", MR_RANK_CHOICE, MR_SOLVER_FIELD(at, dangling),                                 \
            .help = "Where the score of pages without links goes: to the pages of the teleport, "  \
                    "to all pages evenly, or nowhere (the scores then do not add up to 1). "       \
                    "Default teleport.",                                                           \
            .choices = "teleport|uniform|none"                                                     \
    }
#define MR_WIDTH_OPTION(at)                                                                        \
    {                                                                                              \
        "width", MR_RANK_COUNT, MR_SOLVER_FIELD(at, width), "K",                                   \
            "Number of vectors that share a pass over the links, at most: 1, 2, 4, 8 or 16. It "   \
            "does not change the results. Default 16, or 8 if memory has no room for more.",       \
            .least = 1, .most = MR_RANK_MAX_WIDTH                                                  \
    }

/* A guess of the passes to the tolerance. */
double mr_solver_passes(const struct mr_pagerank_options *options);

/* ---- Vectors side by side ---- */

struct mr_personal_figures {
    struct mr_personalised_result result;
    struct mr_rank_array vectors; /* of struct mr_personalised_vector */
};

/* The rows of the figures of a struct mr_personal_figures at the offset `at`. */
#define MR_PERSONAL_FIELD(at, member) ((at) + offsetof(struct mr_personal_figures, member))
#define MR_PERSONAL_FIGURES(at)                                                                    \
    {"tolerance", MR_RANK_REAL, MR_PERSONAL_FIELD(at, result.tolerance),                           \
     .help = "of the error bounds", .part = "vectors"},                                            \
        {"width", MR_RANK_COUNT, MR_PERSONAL_FIELD(at, result.width),                              \
         .help = "most vectors side by side in a pass; batches of so many", .part = "vectors"},    \
        {"batches", MR_RANK_COUNT, MR_PERSONAL_FIELD(at, result.n_batches), .help = NULL},         \
        {"inner", MR_RANK_COUNT, MR_PERSONAL_FIELD(at, result.inner),                              \
         .help = "sweeps inside a band in a pass; depth of the acceleration; bands in parallel",   \
         .part = "vectors"},                                                                       \
        {"acceleration", MR_RANK_COUNT, MR_PERSONAL_FIELD(at, result.acceleration), .help = NULL}, \
        {"wave", MR_RANK_COUNT, MR_PERSONAL_FIELD(at, result.wave), .help = NULL},                 \
        {"converged", MR_RANK_FLAG, MR_PERSONAL_FIELD(at, result.converged),                       \
         .help = "whether all bounds reached the tolerance; vectors add up to 1",                  \
         .part = "vectors"},                                                                       \
        {"normalised", MR_RANK_FLAG, MR_PERSONAL_FIELD(at, result.normalised), .help = NULL},      \
        {"passes", MR_RANK_COUNT, MR_PERSONAL_FIELD(at, result.figures.passes),                    \
         .help = "passes over all links; with skipped blocks; blocks skipped for now",             \
         .part = "vectors"},                                                                       \
        {"partial_passes", MR_RANK_COUNT, MR_PERSONAL_FIELD(at, result.figures.partial_passes),    \
         .help = NULL},                                                                            \
        {"blocks_skipped", MR_RANK_COUNT, MR_PERSONAL_FIELD(at, result.figures.blocks_skipped),    \
         .help = NULL},                                                                            \
        {"vectors",                                                                                \
         MR_RANK_TABLE,                                                                            \
         MR_PERSONAL_FIELD(at, vectors),                                                           \
         .help = "an object for each vector, which has a certificate of its own",                  \
         .part = "vectors",                                                                        \
         .fields = mr_personal_fields,                                                             \
         .record_bytes = sizeof(struct mr_personalised_vector)},                                   \
        MR_PASS_FIGURES(MR_PERSONAL_FIELD(at, result.figures))
extern const struct mr_rank_figure mr_personal_fields[];

/* The mr_personalised_sink that gives each vector a column, [n_vertices], doubles or floats. */
struct mr_personal_columns {
    uint64_t n_vertices;
    bool from_floats, to_floats; /* the solver's scores, the columns */
    void *const *columns; /* by the vector */
};
enum mr_status mr_personal_take(void *data, uint64_t first, unsigned n, unsigned width,
                                void *values, struct mr_error *err);

/* Plans a run of `n` vectors with `n_columns` columns in memory. */
void mr_personal_plan(const struct mr_ranking_job *job, const struct mr_pagerank_options *options,
                      uint64_t n, uint64_t n_columns, struct mr_rank_costs *plan);

/* Says the error bounds in one line, if the tolerance was reached. */
void mr_personal_say(const struct mr_personal_figures *figures, char *text, size_t text_bytes);

#endif
