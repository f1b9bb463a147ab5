/* SPDX-License-Identifier: Apache-2.0 */
/* What `crawl-rank` has done in its directory, in DIR/crawl-rank.json while it works. */
#ifndef MR_CLI_RELEASE_CRAWL_STAGES_H
#define MR_CLI_RELEASE_CRAWL_STAGES_H

#include "cli/release/release.h"

/* A stage: the command that makes one output in the directory. */
enum mr_crawl_stage { MR_CRAWL_BUILD, MR_CRAWL_RANK, MR_CRAWL_LEVELS, MR_CRAWL_STAGES };

/* The name of its command, and of its output with a slash before it. */
extern const char *const mr_crawl_commands[MR_CRAWL_STAGES];
extern const char *const mr_crawl_outputs[MR_CRAWL_STAGES];

struct mr_crawl_run {
    struct mr_session *session;
    const char *directory;
    struct mr_release_state state;
    bool is_known; /* the inputs are files, so a later run can tell whether they are the same */
    bool worked; /* a stage was not done before */
};

/* Goes on with the run that the directory has, or begins one; with --force it begins anew. Errors:
 * USAGE where that run has other inputs; BUDGET. */
enum mr_status mr_crawl_open(struct mr_crawl_run *run, const char *const *inputs, size_t n_inputs,
                             struct mr_error *err) MR_WARN_UNUSED;

/* Runs a stage that makes `output`, unless it is done. `line` has the command without the common
 * options and without `inputs` [n_inputs], which follow. */
enum mr_status mr_crawl_run_stage(struct mr_crawl_run *run, enum mr_crawl_stage stage,
                                  const char *output, struct mr_step *line,
                                  const char *const *inputs, size_t n_inputs,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Ends the run. The state is removed if all is done, or if nothing is that could go on. Returns
 * true where the same command can go on, or where the run of another one was not touched. */
bool mr_crawl_close(struct mr_crawl_run *run, bool is_done);

#endif
