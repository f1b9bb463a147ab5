/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that are made of stages: release and crawl-rank. A stage is a command of the program,
 * which runs in this process as the user would run it, so its results are those of that command.
 * DIR/COMMAND.json says which stages are done, and for which inputs: a run that was cut off goes on
 * with the stage that it was in. */
#ifndef MR_CLI_RELEASE_STAGES_H
#define MR_CLI_RELEASE_STAGES_H

#include <limits.h>

#include "cli/program/command.h"

enum { MR_STAGE_WORDS = 64 + 4 * MR_MOST_TEXTS, MR_STAGE_TEXT_BYTES = 4096 };

struct mr_stage {
    const struct mr_command *command; /* NULL: the caller does the work */
    char name[64]; /* of the stage, in the state */
    const char *words[MR_STAGE_WORDS]; /* [n_words]: the name of the command, then options */
    size_t n_words;
    const char *const *inputs; /* [n_inputs]: the operands */
    size_t n_inputs;
    const char *output; /* the path of what it makes */
    bool is_silent; /* its standard output is thrown away */
    double seconds; /* mr_stage_run: how long it took */
    uint64_t peak_bytes; /* mr_stage_run: the largest resident set meanwhile */
};

/* Append a word; texts are borrowed. */
void mr_stage_add(struct mr_stage *stage, const char *word);

struct mr_stages {
    struct mr_session *session;
    const char *caller; /* the name of the command that has the stages */
    char path[PATH_MAX]; /* of the state */
    json_t *root; /* "inputs": [...], "stages": {name: {...}} */
    bool goes_on; /* an earlier run left it */
};

/* Read the state of stages->caller in `directory`, or begin one; with --force always begin one.
 * `inputs` is stolen: what the outputs are made of. Close it even after an error. Errors: USAGE if
 * the directory has the state of other inputs; BUDGET. */
enum mr_status mr_stages_open(struct mr_stages *stages, const char *directory, json_t *inputs,
                              struct mr_error *err) MR_WARN_UNUSED;
void mr_stages_close(struct mr_stages *stages);

/* Is the output there, made by this very command? Then `*seconds` says how long it took. */
bool mr_stages_have(const struct mr_stages *stages, const struct mr_stage *stage, double *seconds);

/* What the command of the stage says about itself with --estimate; zero if it says nothing. */
struct mr_estimate mr_stage_estimate(const struct mr_stages *stages, const struct mr_stage *stage);

/* Print the command line and run the command with the common options of this run and --force. The
 * command prints its own messages and its own error. Errors: that of the command. */
enum mr_status mr_stage_run(const struct mr_stages *stages, struct mr_stage *stage,
                            struct mr_error *err) MR_WARN_UNUSED;

/* Remember that the stage is done, with the bytes of its output if they are known, and write the
 * state. Errors: BUDGET, RUNTIME. */
enum mr_status mr_stages_add(struct mr_stages *stages, const struct mr_stage *stage,
                             uint64_t output_bytes, struct mr_error *err) MR_WARN_UNUSED;

/* Path, size and time of a file as a new object; of a pipe or a device only the path. NULL when out
 * of memory. */
json_t *mr_stages_input(const char *path);

#endif
