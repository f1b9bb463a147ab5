/* SPDX-License-Identifier: Apache-2.0 */
/* The flags of `millrace pagerank`, and the files that it uses while it runs: its log, its
 * checkpoint, the scores that it starts from. */
#ifndef MR_CLI_RANKING_PAGERANK_RUN_H
#define MR_CLI_RANKING_PAGERANK_RUN_H

#include "cli/graph/graph.h"
#include "cli/ranking/solver_flags.h"
#include "library/files.h"
#include "library/rank/rank_pagerank.h"

struct mr_pagerank_flags {
    struct mr_ranking_flags ranking; /* as in struct mr_solver_flags */
    struct mr_pagerank_options solver;
    const char *heritrix_file;
    const char *teleport;
    struct mr_texts seeds;
    const char *start;
    const char *log;
    const char *checkpoint;
    int resume; /* index into "no|yes|auto" */
};

extern const struct mr_pagerank_flags mr_pagerank_flag_defaults;
extern const struct mr_option mr_pagerank_options[];

struct mr_pagerank_run {
    struct mr_session *session;
    FILE *log; /* or NULL */
    const char *log_path;
    int log_errno; /* of the first failure to write the log; 0: none */
    char *checkpoint; /* path, owned; NULL where none is written */
    bool resumes; /* goes on from the checkpoint */
    struct mr_pagerank_saver saver;
    double *start; /* [n_vertices], or NULL */
    struct mr_pagerank_hooks hooks;
};

/* Refuses flags that contradict each other. Errors: USAGE. */
enum mr_status mr_pagerank_run_check(const struct mr_pagerank_flags *flags,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* Adds the files of `pagerank` that its tables do not name: the log, and the checkpoint beside
 * -o. Refuses a checkpoint that may not be replaced. Errors: USAGE, BUDGET. */
enum mr_status mr_pagerank_list_files(const void *data, const struct mr_parsed *parsed,
                                      struct mr_files *files, struct mr_error *err) MR_WARN_UNUSED;

/* Opens the log, reads --start, and adds the hooks and the start to `options`; all other options
 * must be set. Close the run even after an error. Memory: 8 bytes per vertex with --start. */
enum mr_status mr_pagerank_run_open(struct mr_pagerank_run *run, struct mr_session *session,
                                    const struct mr_pagerank_flags *flags,
                                    const struct mr_graph *graph,
                                    struct mr_pagerank_options *options,
                                    struct mr_error *err) MR_WARN_UNUSED;
/* Call this when the ranking has ended. Closes the log and frees the memory of --start. */
void mr_pagerank_run_end(struct mr_pagerank_run *run);
/* Call this when everything has ended with `status`, the writing of scores included. Removes the
 * checkpoint only after MR_OK, so that a run that fails or is interrupted before can continue
 * from it. Returns `status`, or the error of removing, or that of the log: a log that cannot be
 * written costs no scores. */
enum mr_status mr_pagerank_run_close(struct mr_pagerank_run *run, enum mr_status status,
                                     struct mr_error *err) MR_WARN_UNUSED;

#endif
