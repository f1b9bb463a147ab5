/* SPDX-License-Identifier: Apache-2.0 */
/* The files that a command will read and write, checked together before any work.
 *
 * The tables of options (cli/program/options.h) and the operands (cli/program/command.h) name
 * the files of a command; its `list_files` adds the others. One check then refuses everything
 * that would fail only after hours, or would destroy data: an output that exists, without
 * --force; an output inside a store; an output that is also an input; two outputs with one name;
 * a directory that does not exist or cannot be written. The check compares files by inode and
 * device, not by path. Pipes and devices are not checked. */
#ifndef MR_CLI_PROGRAM_FILES_H
#define MR_CLI_PROGRAM_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/program/options.h"
#include "engine/base/error.h"

struct mr_files;

/* Returns NULL when out of memory. mr_files_free accepts NULL. */
struct mr_files *mr_files_create(void);
void mr_files_free(struct mr_files *files);

/* Adds the file that the option or operand `what` names: `path`, followed by `suffix` unless
 * that is NULL. Copies the texts. With MR_FILE_READ it also adds the other files of a format
 * that has several. Does nothing for a NULL `path`; "-" is standard input or standard output.
 * These and a pipe serve only once. If memory runs out, mr_files_check returns the error. */
void mr_files_add(struct mr_files *files, enum mr_file_use use, const char *what, const char *path,
                  const char *suffix);

/* Adds all files that the options of `groups` name in `flags`. */
void mr_files_add_options(struct mr_files *files, const struct mr_option_group *groups,
                          const void *flags);

/* Checks all files. With `force`, outputs may exist. Errors: USAGE for a wrong file, RUNTIME for
 * a directory that does not exist or cannot be written, BUDGET when out of memory; the error
 * names the file. Cost: a few system calls per file. */
enum mr_status mr_files_check(const struct mr_files *files, bool force,
                              struct mr_error *err) MR_WARN_UNUSED;

#endif
