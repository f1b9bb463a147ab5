/* SPDX-License-Identifier: Apache-2.0 */
/* The solver of one vector, and its files:
 *
 *     pagerank.c      options of one vector, defaults; mr_pagerank
 *     personalised.c  options of many, batches; mr_personalised
 *     solve.c         relaxing passes: when to accelerate, to certify and to stop
 *     rounds.c        power iteration of one vector
 *     rank_setup.c    what follows from store and options; the memory plan; the arrays
 *     rank_pass.c     one pass, the terms that it needs, what a vector's residual proves
 *     rank_bands.c    one band of a pass, with teleports to its vertices
 *     rank_update.c   its relaxation
 *     rank_report.c   what is told of passes
 *     rank_state.c    the state between two passes
 *     rank_stream.c   scores that are made while they are read
 *     until.c         what a bound proves about order and levels
 *     twins.c         pages that have the same score whatever it is
 *     proof.c         bounds of scores that others computed
 *
 * Internal to algorithms. */
#ifndef MR_ALGORITHMS_PAGERANK_SOLVER_H
#define MR_ALGORITHMS_PAGERANK_SOLVER_H

#include "algorithms/pagerank/pagerank.h"
#include "algorithms/pagerank/personalised.h"
#include "algorithms/pagerank/rank_bands.h"
#include "algorithms/pagerank/twins.h"

/* Where the vector stands: plain data. */
struct mr_rank_progress {
    uint64_t moves; /* relaxing passes, rounds that spread, and certificates */
    uint64_t stood_at; /* passes before the last certificate */
    /* of its moves since the acceleration began anew, rounds: of the last one; INFINITY before */
    double least_change;
    uint64_t pause; /* moves before the acceleration may begin anew */
    uint64_t harms; /* how often it did harm */
    double foretold; /* bound that the last move foretells */
    double ratio; /* of the certified bound to the foretold one, as learnt so far */
    double best; /* certified bound */
    uint64_t failures; /* certificates in a row that were no better */
    uint64_t certified_at; /* moves at the last certificate */
    double least_foretold;
    uint64_t least_at; /* moves at the least foretold bound, or at a certificate if that is later */
    double until_bound; /* it makes no sense to ask again before the bound is below this */
    struct mr_certificate proof; /* of the last certificate */
    uint64_t is_final; /* certified, or given up */
};

/* What the passes leave behind besides vectors: saved and restored as it is. */
struct mr_rank_saved {
    uint64_t n_passes;
    struct mr_rank_progress progress;
    struct mr_rank_sums sums; /* of the latest pass, over all bands */
    struct mr_pass_figures figures;
};

struct mr_rank_solver {
    struct mr_context context; /* the caller's; its cancel flag is the one that stops a pass */
    struct mr_store *store;
    const struct mr_store_info *info;
    const struct mr_pagerank_options *options;
    struct mr_pass *pass;
    struct mr_rank_shares vector;
    struct mr_rank_progress progress;
    uint64_t n_passes; /* relaxing passes, rounds and certificates */
    struct mr_pass_figures before; /* of the passes before an interruption */
    bool is_personal; /* of mr_personalised; such a vector may spread */
    bool may_spread; /* a sparse teleport: rounds may skip blocks */
    void *vectors[2]; /* x and next of the vector, in either order */
    uint64_t vector_bytes; /* of each, while it solves */
    uint8_t *active[2]; /* those of the vector, in either order; or NULL */
    float *steps; /* of a wave; NULL: the acceleration has room for all */
    double tolerance;
    uint64_t max_passes;
    uint32_t wave; /* bands of a wave */
    unsigned sweeps;
    /* Bands that passes read and whose values they keep: those that have sources. With `iterations`
     * all, since a round makes the values of all. */
    uint32_t n_core_bands;

    /* Of mr_pagerank. The caller's flag; that of `context` does not stop passes that are saved. */
    const volatile sig_atomic_t *cancel;
    struct mr_pagerank_result *result; /* or NULL */
    struct mr_rank_vector teleport;
    double *ranks; /* [mr_pass_vector_length], for `until` */
    uint8_t *levels; /* [n_vertices], for MR_UNTIL_LEVELS */
    struct mr_twins twins; /* for either */
};

static inline size_t mr_rank_value_bytes(const struct mr_pagerank_options *options)
{
    return options->precision == MR_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
}

static inline enum mr_value mr_rank_value(const struct mr_pagerank_options *options)
{
    return options->precision == MR_PRECISION_SINGLE ? MR_VALUE_FLOAT : MR_VALUE_DOUBLE;
}

/* Is the solution scaled to a sum of 1? */
static inline bool mr_rank_is_normalised(const struct mr_rank_solver *solver)
{
    return solver->options->dangling != MR_DANGLING_NONE;
}

/* Do rounds end at the tolerance? */
static inline bool mr_rank_iterates_until_tolerance(const struct mr_rank_solver *solver)
{
    return solver->options->heritrix && solver->options->tolerance > 0;
}

/* Is the dangling mass spread evenly although teleports are not? Otherwise it follows
 * from scale. */
static inline bool mr_rank_spreads_dangling(const struct mr_rank_solver *solver)
{
    return solver->options->dangling == MR_DANGLING_UNIFORM &&
           solver->vector.terms.teleport->pages != NULL;
}

/* Are there pages whose scores follow from those of the others? */
static inline bool mr_rank_has_frontier(const struct mr_rank_solver *solver)
{
    return solver->n_core_bands < solver->info->n_bands;
}

/* Vertices that have values while the solver runs. */
static inline uint64_t mr_rank_length(const struct mr_rank_solver *solver)
{
    return (uint64_t)solver->n_core_bands << solver->info->band_bits;
}

/* The vector x, which is the caller's from now on. */
static inline void *mr_rank_take_vector(struct mr_rank_solver *solver)
{
    void *x = solver->vector.x;
    solver->vectors[x == solver->vectors[0] ? 0 : 1] = NULL;
    solver->vector.x = NULL;
    return x;
}

/* rank_setup.c: errors in the options that one vector and several have in common; the tolerance,
 * the depth of the acceleration, sweeps, bands of a wave (0: synchronous) and bands of the core
 * that follow from them. */
enum mr_status mr_rank_check(const struct mr_pagerank_options *options,
                             struct mr_error *err) MR_WARN_UNUSED;
unsigned mr_rank_depth(const struct mr_pagerank_options *options);
unsigned mr_rank_sweeps(const struct mr_store_info *info,
                        const struct mr_pagerank_options *options);
uint32_t mr_rank_wave(const struct mr_store_info *info, const struct mr_pagerank_options *options);
/* Bytes that the scores of the frontier need in the end, when the history is gone. */
uint64_t mr_rank_frontier_bytes(const struct mr_store_info *info,
                                const struct mr_pagerank_options *options);
/* May the result be a stream? */
bool mr_rank_may_stream(const struct mr_store_info *info,
                        const struct mr_pagerank_options *options);
/* options->inner: no rows, and so no sweeps. Rows that have to be made anew in each pass, since
 * memory has no room for them, take longer than the passes that they save. */
#define MR_RANK_NO_ROWS UINT64_MAX
/* Set the depth of the acceleration, where the caller leaves it to the solver: the best one, or the
 * best one that memory has room for, without rows unless there is room for
 * two thirds of links and rows. Errors: BUDGET
 * where no depth fits. */
enum mr_status mr_rank_fit_depth(const struct mr_context *context, struct mr_store *store,
                                 struct mr_pagerank_options *options, bool is_personal,
                                 struct mr_error *err) MR_WARN_UNUSED;
/* Allocate the arrays and set what follows from the options. Open the pass, which takes what memory
 * is left. Release also takes what is not there. */
enum mr_status mr_rank_prepare(struct mr_rank_solver *solver, struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_rank_open_pass(struct mr_rank_solver *solver,
                                 struct mr_error *err) MR_WARN_UNUSED;
void mr_rank_close_pass(struct mr_rank_solver *solver);
void mr_rank_release(struct mr_rank_solver *solver);
/* Create the acceleration, if there is to be one; destroy it. */
enum mr_status mr_rank_remember(struct mr_rank_solver *solver, struct mr_error *err) MR_WARN_UNUSED;
void mr_rank_forget(struct mr_rank_solver *solver);
/* Shares become scores, of all vertices; the vector has its scale. */
enum mr_status mr_rank_finish(struct mr_rank_solver *solver, struct mr_error *err) MR_WARN_UNUSED;

/* rank_pass.c: one pass over the core, or one over its degrees alone, and the sums of
 * all bands. */
enum mr_status mr_rank_run(struct mr_rank_solver *solver, struct mr_pass_task *run,
                           mr_pass_callback callback, struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_rank_run_degrees(struct mr_rank_solver *solver, mr_pass_callback callback,
                                   struct mr_error *err) MR_WARN_UNUSED;
/* One pass over the bands behind the core: their sums alone. */
enum mr_status mr_rank_run_frontier(struct mr_rank_solver *solver, bool in_degrees,
                                    mr_pass_callback callback, struct mr_error *err) MR_WARN_UNUSED;
/* Terms of `rank = scale t + constant + a acc` for the coming pass. Where dangling mass follows t,
 * relaxation solves for fixed scale; everything else takes scale and dangling mass from the vector
 * as it is. */
void mr_rank_set_terms(struct mr_rank_solver *solver, bool fixed_scale);
/* Where there is a frontier: add its mass, which follows from the sum of all equations, to the sums
 * of a relaxing pass. Exact for the solution. */
void mr_rank_add_implied_mass(struct mr_rank_solver *solver);
/* The certificate: one synchronous pass, the residual of the vector as stored, and what it
 * proves. */
enum mr_status mr_rank_prove(struct mr_rank_solver *solver, struct mr_certificate *proof,
                             struct mr_error *err) MR_WARN_UNUSED;
/* Figures of the whole run. */
struct mr_pass_figures mr_rank_figures(const struct mr_rank_solver *solver);

/* rank_report.c: bytes of the core's blocks that a pass with these active stripes wants; NULL: all.
 */
uint64_t mr_rank_active_bytes(const struct mr_rank_solver *solver, const uint8_t *active);
/* Tell the progress and the log of a bound. */
enum mr_status mr_rank_report(const struct mr_rank_solver *solver, double bound, bool is_certified,
                              struct mr_error *err) MR_WARN_UNUSED;

/* rank_state.c: call the hooks, if there are any. */
enum mr_status mr_rank_save(struct mr_rank_solver *solver, struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_rank_restore(struct mr_rank_solver *solver, struct mr_error *err) MR_WARN_UNUSED;

/* solve.c: from the start vector, or from where the state leaves off, to the end. */
enum mr_status mr_rank_solve(struct mr_rank_solver *solver, struct mr_error *err) MR_WARN_UNUSED;
/* rounds.c: the textbook, synchronous rounds from 1/n. */
enum mr_status mr_rank_iterate(struct mr_rank_solver *solver, struct mr_error *err) MR_WARN_UNUSED;

/* Scores that are made while they are read: for rankings whose memory holds one number per page of
 * the core, and has no room for the scores of the frontier (docs/solver.md). The vector of the core
 * stays as the certificate has it; a window of bands of the core and a window of bands of the
 * frontier hold scores. A reader that goes through the vertices of each part in ascending order
 * reads the links of the frontier once. */

/* Bytes of the windows, and of what a writer of scores needs beside them. */
uint64_t mr_rank_stream_memory(const struct mr_store_info *info);

/* Take the vector of a solver that is done, with the terms of its last certificate. The solver's
 * store, context and teleport weights must outlive the stream. The solver has no pass any more. */
enum mr_status mr_rank_stream_create(struct mr_rank_solver *solver, struct mr_rank_stream **out,
                                     struct mr_error *err) MR_WARN_UNUSED;

#endif
