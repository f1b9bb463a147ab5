/* SPDX-License-Identifier: Apache-2.0 */
/* A level of `release`, and the stage that writes its published tables (release_tables.c). */
#ifndef MR_CLI_RELEASE_RELEASE_H
#define MR_CLI_RELEASE_RELEASE_H

#include <limits.h>

#include "cli/graph/query.h"

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

#endif
