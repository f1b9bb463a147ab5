/* SPDX-License-Identifier: Apache-2.0 */
/* ppr --each FILE: the best pages of many seeds, by pushes (millrace/rank.h). */
#ifndef MR_CLI_RANKING_EACH_H
#define MR_CLI_RANKING_EACH_H

#include "cli/ranking/ranker.h"

enum { MR_EACH_TOP = 100 }; /* by default */
#define MR_EACH_ERROR 1e-2

/* Drives ppr in the place of the ranking. */
extern const struct mr_ranker mr_each_ranker;

/* The rows of its JSON in docs/json-fields.md. */
#define MR_EACH_FIELDS                                                                             \
    "| `each`, `seeds`, `seeds_empty`, `seeds_unknown` | file of `--each`, its seeds, those "      \
    "without a page, names that the graph lacks |\n"                                               \
    "| `top`, `proven` | with `--each`: pages of a seed at most, seeds whose pages are proven to " \
    "be the best |\n"                                                                              \
    "| `error_bound`, `seeds_per_second` | with `--each`: the largest bound of a seed, seeds "     \
    "answered in a second |\n"

#endif
