/* SPDX-License-Identifier: Apache-2.0 */
/* The files that a call will read and write, checked together before any work: those of a command
 * of the program, and those of a public function. One check refuses everything that would fail only
 * after hours, or would destroy data: an output that exists, without
 * --force; an output inside a store; an output that is also an input; two outputs with one name;
 * a directory that does not exist or cannot be written. The check compares files by inode and
 * device, not by path. Pipes and devices are not checked. */
#ifndef MR_LIBRARY_FILES_H
#define MR_LIBRARY_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"

/* What a call does with a file. */
enum mr_file_use {
    MR_FILE_NONE = 0, /* of an option: names no file */
    MR_FILE_READ, /* a file, a store, or standard input */
    MR_FILE_WRITE, /* an output; with `force` an existing file is replaced as a whole */
    MR_FILE_SCORES, /* like WRITE, with FILE.meta.json beside it */
    MR_FILE_STORE, /* like WRITE, for a store or another output that the option accepts instead */
    MR_FILE_UPDATED, /* an output that may exist; the call checks what it is */
    MR_FILE_DIRECTORY, /* a directory for outputs, which is made if it does not exist */
    MR_FILE_UPDATE, /* a store that the call changes in place */
    MR_FILE_LISTED /* of an option: the command's list_files adds it */
};

struct mr_files;

/* Returns NULL when out of memory, which the other functions take. */
struct mr_files *mr_files_create(void);

/* Adds the file that the option or argument `what` names: `path`, followed by `suffix` unless
 * that is NULL. Copies the texts. With MR_FILE_READ it also adds the other files of a format
 * that has several. Does nothing for a NULL `path`; "-" is standard input or standard output.
 * These and a pipe serve only once. If memory runs out, mr_files_end returns the error. */
void mr_files_add(struct mr_files *files, enum mr_file_use use, const char *what, const char *path,
                  const char *suffix);

/* Checks all files if `status` is MR_OK, and frees the list. With `force`, outputs may exist.
 * `prints`: the call also writes to standard output, which then may be no file of the list.
 * Errors: USAGE for a wrong file, RUNTIME for a directory that does not exist or cannot be
 * written, BUDGET when out of memory; the error names the file. Cost: a few system calls per
 * file. */
enum mr_status mr_files_end(struct mr_files *files, enum mr_status status, bool force, bool prints,
                            struct mr_error *err) MR_WARN_UNUSED;

#endif
