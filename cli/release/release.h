/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the commands release and crawl-rank. The map:
 *
 *   cmd_release.c     the options; the stages in their order, announced, run and remembered
 *   cmd_crawl_rank.c  the same for crawl-rank
 *   release_state.c   DIR/COMMAND.json: which stages are done, and for which inputs
 *   release_tables.c  the stage that writes ranks, degrees and statistics of a level
 *   crawl_stages.c    the stages of crawl-rank: which files are its own, which are done
 *   crawl_summary.c   the best pages that crawl-rank shows */
#ifndef MR_CLI_RELEASE_RELEASE_H
#define MR_CLI_RELEASE_RELEASE_H

#include "cli/graph/query.h"
#include "cli/program/folder.h"
#include "cli/program/steps.h"

/* A graph of the release: pages, hosts or domains. */
struct mr_release_level {
    const char *name; /* "page", "host" or "domain" */
    const char *name_title; /* of the column of names */
    const char *count_title; /* of the column of counts; NULL: there is none */
    char *store; /* path */
    char *prefix; /* of its files: DIR/host */
    char *counts; /* file of counts, or NULL */
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

/* PREFIX SUFFIX as a new text; NULL when out of memory. */
char *mr_release_path(const char *prefix, const char *suffix);

/* Writes ranks, tables of degrees and statistics of a level, from the files of the stages before.
 * Memory: mr_release_tables_bytes. */
enum mr_status mr_release_tables(struct mr_session *session, const struct mr_release_level *level,
                                 struct mr_error *err) MR_WARN_UNUSED;
uint64_t mr_release_tables_bytes(uint64_t n_vertices);

/* Prints the statistics of a level and its first ranks to standard output. */
enum mr_status mr_release_print(struct mr_session *session, const struct mr_release_level *level,
                                struct mr_error *err) MR_WARN_UNUSED;

/* ---- State ---- */

struct mr_release_state {
    char *path; /* of COMMAND.json */
    json_t *root; /* "inputs": [...], "stages": {name: {...}} */
    bool goes_on; /* an earlier run left it */
};

/* Reads the state of `command` in `directory`, or begins one. `inputs` is stolen: what the outputs
 * are made of. With `anew` an earlier state is forgotten. Errors: USAGE where the directory has the
 * state of other inputs; BUDGET. */
enum mr_status mr_release_state_open(const char *directory, const char *command, json_t *inputs,
                                     bool anew, struct mr_release_state *state,
                                     struct mr_error *err) MR_WARN_UNUSED;
void mr_release_state_close(struct mr_release_state *state);

/* Was the stage done by this very command? Then `*seconds` says how long it took. */
bool mr_release_state_has(const struct mr_release_state *state, const char *stage,
                          const char *command, double *seconds);

struct mr_stage_done {
    const char *command; /* as mr_step_text writes it */
    double seconds;
    uint64_t peak_bytes, output_bytes;
};

/* Remembers that the stage is done, and writes the state. */
enum mr_status mr_release_state_add(struct mr_session *session, struct mr_release_state *state,
                                    const char *stage, const struct mr_stage_done *what,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Removes the file of the state. */
void mr_release_state_remove(struct mr_session *session, const struct mr_release_state *state);

bool mr_release_is_empty(const char *directory);

/* Path, size and time of a file as a new object; of a pipe or a device only the path. NULL when out
 * of memory. */
json_t *mr_release_describe_file(const char *path);

#endif
