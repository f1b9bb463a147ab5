/* The files that a command is going to read and to write, looked at together before any work.
 *
 * A command's tables of options and its operands say which files there are (cli/program/options.h, cli/program/command.h); what
 * they cannot say, its `list_files` adds. One check then refuses what would fail after hours, or would destroy
 * something: an output that exists, without --force; one that is in a store, or that is an input; two outputs
 * of one name; a directory that is not there or cannot be written. Files are told apart by the file system's
 * identity, not by their spelling. Pipes and devices are written as they are, and nothing here is about them. */
#ifndef MR_CLI_PROGRAM_FILES_H
#define MR_CLI_PROGRAM_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/program/options.h"
#include "engine/base/error.h"

struct mr_files;

/* NULL when out of memory. Free takes NULL. */
struct mr_files *mr_files_create(void);
void mr_files_free(struct mr_files *files);

/* Add the file that `what`, an option or an operand, names: `path`, and `suffix` behind it unless that is NULL.
 * Both are copied. MR_FILE_READ: also the files beside it that its format reads as well. A `path` of NULL is none;
 * "-" is standard input or standard output. What fails for lack of memory shows in mr_files_check. */
void mr_files_add(struct mr_files *files, enum mr_file_use use, const char *what, const char *path,
                  const char *suffix);

/* All files that options of `groups` name in `flags`. */
void mr_files_add_options(struct mr_files *files, const struct mr_option_group *groups,
                          const void *flags);

/* `force`: outputs may exist. Errors: USAGE for what is the wrong file, RUNTIME for a directory that is not there or
 * cannot be written; the error names the file. Time: a few system calls a file. */
enum mr_status mr_files_check(const struct mr_files *files, bool force,
                              struct mr_error *err) MR_WARN_UNUSED;

#endif
