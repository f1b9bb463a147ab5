/* SPDX-License-Identifier: Apache-2.0 */
/* Completion scripts for shells, from the option tables that parse. */
#ifndef MR_CLI_PROGRAM_COMPLETION_H
#define MR_CLI_PROGRAM_COMPLETION_H

#include "cli/program/command.h"

/* Prints the script for "bash", "zsh" or "fish". Returns false for another shell. */
bool mr_completion_print(const struct mr_program *program, const char *shell, FILE *out);

#endif
