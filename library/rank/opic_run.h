/* SPDX-License-Identifier: Apache-2.0 */
/* What the kind "opic" does, whose rows are in kind_opic.c: the run (opic_run.c), and its files
 * (opic_files.c), which are the state, the rows of algorithms/opic/opic.h in a table by name, and
 * the temporary store of the edges inside hosts. */
#ifndef MR_LIBRARY_RANK_OPIC_RUN_H
#define MR_LIBRARY_RANK_OPIC_RUN_H

#include "algorithms/opic/opic.h"
#include "engine/io/workspace.h"
#include "library/rank/kinds.h"

/* The figures of a run. Words have the numbers of kind_opic.c. */
struct mr_opic_figures {
    struct mr_opic_result result;
    struct mr_opic_merge merge;
    bool continued; /* from a state */
    int method, policy, payout, fetched, new_pages, bound_kind;
    double window, window_intervals, tolerance, error_bound, stationarity;
    uint64_t visits_per_sweep;
};

/* Do the two weights of links differ? Then a run needs the edges inside hosts. */
static inline bool mr_opic_weighs(const struct mr_opic_options *options)
{
    return options->internal_weight < options->external_weight ||
           options->internal_weight > options->external_weight;
}

/* Run `job`: go on from the state at `state` (NULL: none), sweep, and make the columns, all of them
 * or the score. `options` have the lists of the caller; `internal` is set here. The three functions
 * below are of what it leaves in job->ranking->held. Memory: mr_opic_memory, 24 bytes per
 * vertex for all columns, and that of mr_opic_internal_open if the weights differ. */
enum mr_status mr_opic_rank(struct mr_ranking_job *job, const struct mr_opic_options *options,
                            const char *state, bool all_columns,
                            struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_opic_keep(const void *held, struct mr_error *err) MR_WARN_UNUSED;
const double *mr_opic_next(const void *held, bool again);
void mr_opic_release(void *held);

/* ---- Files ---- */

/* Refuse a file at `path` that is no state; none is no error. Reads its head. Errors: those of
 * mr_name_table_open. */
enum mr_status mr_opic_state_check(const struct mr_context *context, const char *path,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Go on from the state at `path`: calls mr_opic_load, so call it before mr_opic_run. If the file
 * does not exist, `*found` is false and nothing happens. Errors: INPUT for a file of another
 * program, CORRUPT for a damaged one. */
enum mr_status mr_opic_state_load(const struct mr_context *context, struct mr_opic *opic,
                                  const char *path, struct mr_names *names,
                                  const struct mr_store_info *info, struct mr_opic_merge *merge,
                                  bool *found, struct mr_error *err) MR_WARN_UNUSED;

/* Write the state to `path`. It replaces an existing file in one step. */
enum mr_status mr_opic_state_save(const struct mr_context *context, const struct mr_opic *opic,
                                  const char *path, struct mr_names *names,
                                  const struct mr_store_info *info,
                                  struct mr_error *err) MR_WARN_UNUSED;

struct mr_opic_internal {
    struct mr_store *store; /* edges inside hosts; its vertices are those of all edges */
    struct mr_workspace *workspace; /* where it lies; NULL: the store has it as a class */
};

/* Open the edges of `store` inside hosts. In a store with classes these are a class, by host or by
 * registered domain. Otherwise, or if self-loops are ignored, they are written to a temporary
 * store, and a note says how many there are. Close it even after an error. Errors: INPUT where
 * names are numbers. Memory without classes: 8 bytes per vertex, and that of a build. */
enum mr_status mr_opic_internal_open(const struct mr_context *context, struct mr_store *store,
                                     struct mr_names *names, bool ignore_self_loops,
                                     struct mr_opic_internal *internal,
                                     struct mr_error *err) MR_WARN_UNUSED;
/* What it takes at the most, without the store that it opens. */
uint64_t mr_opic_internal_memory(struct mr_store *store, bool ignore_self_loops);
void mr_opic_internal_close(struct mr_opic_internal *internal);

#endif
