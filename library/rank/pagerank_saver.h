/* SPDX-License-Identifier: Apache-2.0 */
/* The checkpoint of a PageRank. */
#ifndef MR_LIBRARY_RANK_PAGERANK_SAVER_H
#define MR_LIBRARY_RANK_PAGERANK_SAVER_H

#include "algorithms/pagerank/pagerank.h"

/* The checkpoint of a run, which carries a text that identifies the store and all parameters: the
 * state of another run is refused. */
struct mr_pagerank_saver {
    const struct mr_context *context;
    const char *path;
    bool only_at_interruption; /* and not before 10 seconds; else every minute, too */
    bool resumes; /* begin with the state in the file */
    bool may_begin; /* if the state in the file is of another run: it gets another name */
    bool is_ours; /* the checkpoint exists and belongs to this run */
    char text[1024]; /* identifies the store and parameters of the state */
    double began, saved_at;
};

/* Refuse a file that is no checkpoint, and one that is unless it `may_exist`. Errors: USAGE. */
enum mr_status mr_pagerank_saver_check(const char *path, bool may_exist,
                                       struct mr_error *err) MR_WARN_UNUSED;

/* Prepare `saver`, whose first five fields are set, for a run on `links`; `options` have all
 * fields that scores depend on. Sets the hooks that save and restore. Clears saver->resumes if the
 * run begins anew. */
enum mr_status mr_pagerank_saver_begin(struct mr_pagerank_saver *saver,
                                       const struct mr_store *links,
                                       const struct mr_pagerank_options *options,
                                       struct mr_pagerank_hooks *hooks,
                                       struct mr_error *err) MR_WARN_UNUSED;

/* Call this when everything has ended with `status`. Removes the checkpoint only after MR_OK, so
 * that a run that fails or is interrupted before can continue from it. Returns `status`, or the
 * error of removing. */
enum mr_status mr_pagerank_saver_end(const struct mr_pagerank_saver *saver, enum mr_status status,
                                     struct mr_error *err) MR_WARN_UNUSED;

#endif
