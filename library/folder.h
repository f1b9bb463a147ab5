/* SPDX-License-Identifier: Apache-2.0 */
/* A directory of results that belong together: export --shards, release, crawl-rank.
 *
 *     DIR/_millrace_unfinished/   results that will have names in DIR, while they are written
 *     DIR/_SUCCESS                an empty file; there only while all results are complete
 *
 * Results that are there keep their names and contents until all new ones are complete. Then the
 * new ones take the names: _SUCCESS goes first and comes back last. After an error the old ones are
 * back. A crash between two renames leaves DIR without _SUCCESS. Readers of Spark and Hadoop leave
 * out names that begin with "_", and know _SUCCESS. */
#ifndef MR_LIBRARY_FOLDER_H
#define MR_LIBRARY_FOLDER_H

#include "engine/base/context.h"
#include "engine/io/store_lock.h"

#define MR_FOLDER_UNFINISHED "_millrace_unfinished"

struct mr_folder {
    const struct mr_context *context;
    const char *path; /* DIR; borrowed */
    char *work; /* where to write: DIR, or DIR/_millrace_unfinished; owned */
    bool beside; /* the latter */
    bool made; /* DIR was not there before */
    struct mr_store_lock *lock; /* one run at a time */
};

/* Makes the directory unless it is there, and locks it. `beside`: the results are not in DIR before
 * mr_folder_commit. `anew` removes what a run that was cut off left unfinished. Errors: RUNTIME,
 * also where another process works there; BUDGET. Close the folder even after an error. */
enum mr_status mr_folder_open(const struct mr_context *context, const char *path, bool beside,
                              bool anew, struct mr_folder *folder,
                              struct mr_error *err) MR_WARN_UNUSED;
/* Was a run cut off while or after its results got their names? Those in DIR are then its own. */
bool mr_folder_is_cut_off(const char *path);
/* Removes what is unfinished unless it `stays`, and the directory if it was made and is empty. */
void mr_folder_close(struct mr_folder *folder, bool stays);

/* Takes _SUCCESS away, before results in DIR itself change. */
enum mr_status mr_folder_begin(const struct mr_folder *folder, struct mr_error *err) MR_WARN_UNUSED;

/* Publishes all that `work` has, files that are complete and closed. Errors: RUNTIME, BUDGET. */
enum mr_status mr_folder_commit(struct mr_folder *folder, struct mr_error *err) MR_WARN_UNUSED;

/* Takes DIR/_millrace_unfinished out of the paths in `text`, for metadata and messages: results
 * have the names that they will have in DIR. */
void mr_folder_final_names(char *text);

#endif
