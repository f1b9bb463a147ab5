/* SPDX-License-Identifier: Apache-2.0 */
/* What commands that build stores share: --codec, --estimate, the summary as text or JSON. */
#ifndef MR_CLI_GRAPH_BUILDING_H
#define MR_CLI_GRAPH_BUILDING_H

#include "cli/program/options.h"
#include "cli/program/session.h"
#include "library/import/import_files.h"

/* What building that many edges takes. */
struct mr_rank_costs mr_build_estimate(const struct mr_session *session, uint64_t edges,
                                       bool undirected);

/* mr_build_report prints the summary to standard error: what was read, and the size of the
 * store. If `store` is NULL, it prints only the first part. If `reversed`, the store is the
 * reverse of the graph that the user asked for, and the summary leaves out dangling vertices.
 * mr_build_json adds the same figures to `json`. */
void mr_build_report(struct mr_session *session, const char *store, bool reversed,
                     const struct mr_store_build_figures *summary);
/* One line, if links of older captures were left out. */
void mr_build_report_older(struct mr_session *session,
                           const struct mr_store_build_figures *summary);
/* mr_build_report, and with --json the figures to standard output. */
enum mr_status mr_build_print(struct mr_session *session, const char *store,
                              const struct mr_store_build_figures *summary,
                              struct mr_error *err) MR_WARN_UNUSED;
void mr_build_json(struct mr_json *json, const char *store,
                   const struct mr_store_build_figures *summary);

/* Reads "plain", "zstd" (level 9) or "zstd:LEVEL" into an int: 0 for plain, the level for zstd. */
enum mr_status mr_codec_parse(const char *text, void *zstd_level,
                              struct mr_error *err) MR_WARN_UNUSED;

/* ---- Flags of commands that read inputs (import_flags.c) ---- */

/* What part of a store a ranking is of. */
struct mr_links_flags {
    int links; /* the place in "all|external|internal", where the store tells them apart */
    double internal_weight, external_weight; /* 0: not given, which is 1 */
    int largest; /* the place in "all|weak|strong" */
    bool reversed; /* the store is the reverse of what is asked for; no option */
};

/* The table that fills a struct mr_import_options, whose defaults are MR_IMPORT_DEFAULTS. */
extern const struct mr_option mr_import_options[];

/* What --weights or --no-weights of a command that makes stores asks for. */
static inline enum mr_weights_wanted mr_weights_flags(bool must, bool none)
{
    return must ? MR_WEIGHTS_MUST : none ? MR_WEIGHTS_NONE : MR_WEIGHTS_IF_GOOD;
}

/* Prints the text of `millrace help profiles`. */
void mr_profile_help(FILE *out);

#endif
