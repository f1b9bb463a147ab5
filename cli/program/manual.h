/* SPDX-License-Identifier: Apache-2.0 */
/* Man pages of the program, its commands and its topics, from the tables that parse and that print
 * the help texts. Nothing in them is written twice. */
#ifndef MR_CLI_PROGRAM_MANUAL_H
#define MR_CLI_PROGRAM_MANUAL_H

#include "cli/program/command.h"

/* Prints the file names of all man pages, one per line: millrace.1, millrace-build.1 ...,
 * millrace-inputs.7 ... */
void mr_manual_list(const struct mr_program *program, FILE *out);

/* Prints one man page as roff source. `name` is "millrace", a command, a topic, or a file name of
 * mr_manual_list. Returns false where there is no such page. */
bool mr_manual_print(const struct mr_program *program, const char *name, FILE *out);

#endif
