/* What a ranking keeps in files while it runs: its log, its checkpoint, the scores it starts from. */
#ifndef MR_CLI_COMMANDS_PAGERANK_RUN_H
#define MR_CLI_COMMANDS_PAGERANK_RUN_H

#include "algorithms/pagerank/pagerank.h"
#include "cli/commands/pagerank_flags.h"
#include "cli/graph/graph.h"
#include "cli/program/files.h"

struct mr_pagerank_run {
    struct mr_session *session;
    FILE *log; /* or NULL */
    const char *log_path;
    char *checkpoint; /* path; NULL: none is kept */
    bool only_at_interruption; /* the checkpoint was not asked for */
    bool is_ours; /* it is there, and it is this run's */
    char text[1024]; /* whose state it is */
    double began, saved_at; /* seconds on the session's clock */
    double *start; /* [n_vertices], or NULL */
    struct mr_pagerank_hooks hooks;
};

/* Refuse flags that contradict each other. */
enum mr_status mr_pagerank_run_check(const struct mr_pagerank_flags *flags,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* `pagerank`'s files beside those of its tables: the log, and the checkpoint that nobody asked for. Refuses a
 * checkpoint that may not be written. */
enum mr_status mr_pagerank_list_files(const void *flags, const struct mr_parsed *parsed,
                                      struct mr_files *files, struct mr_error *err) MR_WARN_UNUSED;

/* Open the log, read --start, and add hooks and start to `options`, which are complete otherwise. Close it
 * even after an error. Memory: 8 bytes per vertex with --start. */
enum mr_status mr_pagerank_run_open(struct mr_pagerank_run *run, struct mr_session *session,
                                    const struct mr_pagerank_flags *flags,
                                    const struct mr_graph *graph,
                                    struct mr_pagerank_options *options,
                                    struct mr_error *err) MR_WARN_UNUSED;
/* The ranking ended with `status`: the log is complete, the memory of --start given back. */
enum mr_status mr_pagerank_run_end(struct mr_pagerank_run *run, enum mr_status status,
                                   struct mr_error *err) MR_WARN_UNUSED;
/* All ended with `status`, the writing of scores, too. Only after MR_OK is the checkpoint removed: what fails or is
 * interrupted before that can go on from it. */
enum mr_status mr_pagerank_run_close(struct mr_pagerank_run *run, enum mr_status status,
                                     struct mr_error *err) MR_WARN_UNUSED;

#endif
