/* SPDX-License-Identifier: Apache-2.0 */
/* The files behind the paths that a user gives as inputs. Each path is looked at once. */
#ifndef MR_FORMATS_STREAM_INPUT_PATHS_H
#define MR_FORMATS_STREAM_INPUT_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"

struct mr_input_path {
    char *path; /* "-" is standard input */
    size_t
        folder; /* the number of the given path, from 1, if that is a directory of files; else 0 */
    uint64_t bytes; /* of a regular file; 0: a pipe, a device or standard input, or nothing in it */
};

struct mr_input_paths {
    struct mr_input_path *items; /* [n] */
    size_t n;
};

/* Find the files of `paths[n]`: a file or a pipe is itself. A directory is its files in the order
 * of the bytes of their names, without those that begin with _ or ., as Hadoop, Spark and crawlers
 * write them beside their parts. Of a directory of Nutch (a segment or several, a linkdb, a
 * crawldb, outlinks) it is the files called data: of links `of_links`, else those of fetches. Call
 * mr_input_paths_free, also after an error. Errors: INPUT for a path that is none, with what was
 * meant if that can be seen, and for a directory that has no files or has directories; USAGE for a
 * store; BUDGET. */
enum mr_status mr_input_paths_find(const char *const *paths, size_t n, bool of_links,
                                   struct mr_input_paths *found,
                                   struct mr_error *err) MR_WARN_UNUSED;
void mr_input_paths_free(struct mr_input_paths *found);

/* The name of a file in messages. */
const char *mr_input_path_name(const char *path);

#endif
