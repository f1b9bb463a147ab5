/* SPDX-License-Identifier: Apache-2.0 */
/* The command of a kind of ranking (struct mr_ranking_kind): its options, help, estimate, scores
 * and metadata come from the rows of the kind. */
#ifndef MR_CLI_RANKING_KIND_H
#define MR_CLI_RANKING_KIND_H

#include "cli/program/command.h"

/* The command of mr_ranking_kind_at(index); NULL past the last. Made once, and never freed; for one
 * thread. */
const struct mr_command *mr_kind_command_at(size_t index);

/* The command of the kind with this name, which there is. */
const struct mr_command *mr_kind_command(const char *name);

/* Prints the fields of the JSON of every kind in Markdown, as they stand at the end of
 * docs/json-fields.md. */
void mr_kind_print_fields(FILE *out);

#endif
