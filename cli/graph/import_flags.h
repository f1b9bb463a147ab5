/* SPDX-License-Identifier: Apache-2.0 */
/* Flags of commands that read inputs. */
#ifndef MR_CLI_GRAPH_IMPORT_FLAGS_H
#define MR_CLI_GRAPH_IMPORT_FLAGS_H

#include "cli/program/options.h"
#include "library/import/import_files.h"

/* What part of a store a ranking is of. */
struct mr_links_flags {
    int links; /* the place in "all|external|internal", where the store tells them apart */
    double internal_weight, external_weight; /* 0: not given, which is 1 */
    int largest; /* the place in "all|weak|strong" */
    bool reversed; /* the store is the reverse of what is asked for; no option */
};

/* The table that fills a struct mr_import_options, whose defaults are MR_IMPORT_DEFAULTS. */
extern const struct mr_option mr_import_options[];

/* What --weights or --no-weights of a command that makes stores asks for. */
static inline enum mr_weights_wanted mr_weights_flags(bool must, bool none)
{
    return must ? MR_WEIGHTS_MUST : none ? MR_WEIGHTS_NONE : MR_WEIGHTS_IF_GOOD;
}

/* Prints the text of `millrace help profiles`. */
void mr_profile_help(FILE *out);

#endif
