/* SPDX-License-Identifier: Apache-2.0 */
/* A level of `release`, and the stage that writes its published tables (release_tables.c). */
#ifndef MR_CLI_RELEASE_RELEASE_H
#define MR_CLI_RELEASE_RELEASE_H

#include <limits.h>

#include "cli/graph/graph.h"
#include "cli/program/command.h"

/* A graph of the release: pages, hosts or domains. */
struct mr_release_level {
    const char *name; /* "page", "host" or "domain" */
    const char *name_title; /* of the column of names */
    const char *count_title; /* of the column of counts; NULL: there is none */
    char store[PATH_MAX];
    const char *store_path; /* the same, as an operand */
    char prefix[PATH_MAX]; /* of its files: DIR/host */
    char counts[PATH_MAX]; /* file of counts, if there is a title */
    uint64_t n_vertices, n_edges;
};

/* The names of the files of a level: PREFIX SUFFIX. */
#define MR_RELEASE_PAGERANK   "-pagerank.npy"
#define MR_RELEASE_HARMONIC   "-harmonic.npy"
#define MR_RELEASE_DEGREES    "-degrees.npy"
#define MR_RELEASE_COMPONENTS "-components.tsv.gz"
#define MR_RELEASE_SIZES      "-connected-components-distrib.txt.gz"
#define MR_RELEASE_RANKS      "-ranks.txt.gz"
#define MR_RELEASE_STATISTICS ".stats"

/* Writes PREFIX SUFFIX to `path`; nothing if that is too long for a path. */
void mr_release_path(char path[PATH_MAX], const char *prefix, const char *suffix);

/* Writes ranks, tables of degrees and statistics of a level, from the files of the stages before.
 * Memory: mr_release_tables_bytes. */
enum mr_status mr_release_tables(struct mr_session *session, const struct mr_release_level *level,
                                 struct mr_error *err) MR_WARN_UNUSED;
uint64_t mr_release_tables_bytes(uint64_t n_vertices);

/* Prints the statistics of a level and its first ranks to standard output. */
enum mr_status mr_release_print(struct mr_session *session, const struct mr_release_level *level,
                                struct mr_error *err) MR_WARN_UNUSED;

/* ---- Commands that are made of stages (stages.c) ---- */

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
struct mr_rank_costs mr_stage_estimate(const struct mr_stages *stages,
                                       const struct mr_stage *stage);

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
