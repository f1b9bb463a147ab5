/* Options that several commands have, as entries of their tables: `field` is the offset of the field in
 * the struct that the table fills. */
#ifndef MR_CLI_PROGRAM_OPTION_TABLE_H
#define MR_CLI_PROGRAM_OPTION_TABLE_H

#include <math.h>

#include "cli/program/options.h"

#define MR_DAMPING_OPTION(field)                                                                   \
    {                                                                                              \
        .name = "damping", .type = MR_OPTION_REAL, .offset = (field), .value = "A",                \
        .range = {.least = 0.0, .most = 1.0, .below_most = true},                                  \
        .help = "Share of a page's score that its links pass on. Default 0.85."                    \
    }

#define MR_PRECISION_OPTION(field)                                                                 \
    {                                                                                              \
        .name = "precision", .type = MR_OPTION_CHOICE, .offset = (field),                          \
        .choices = "double|single", .help = "single takes half the memory. Default double."        \
    }

#define MR_NO_PIN_OPTION(field)                                                                    \
    {                                                                                              \
        .name = "no-pin", .type = MR_OPTION_FLAG, .offset = (field),                               \
        .help = "Keep no links in memory, read all in every pass. For measurements."               \
    }

#define MR_TOP_OPTION(field)                                                                       \
    {                                                                                              \
        .name = "top", .type = MR_OPTION_COUNT, .offset = (field), .value = "K", .least = 1,       \
        .most = UINT32_MAX,                                                                        \
        .help = "Print the K best pages to standard output, best first; -o FILE still gets all."   \
    }

#define MR_HEADER_OPTION(field)                                                                    \
    {                                                                                              \
        .name = "header", .type = MR_OPTION_FLAG, .offset = (field),                               \
        .help = "Begin with a line that names the columns."                                        \
    }

#define MR_NAMES_OPTION(field)                                                                     \
    {                                                                                              \
        .name = "names", .type = MR_OPTION_TEXT, .offset = (field), .value = "FILE",               \
        .file = MR_FILE_WRITE,                                                                     \
        .help =                                                                                    \
            "Also write the names alone, one per line, in the order of the scores: what an .npy "  \
            "lacks."                                                                               \
    }

#define MR_COLUMN_OPTION(field)                                                                    \
    {                                                                                              \
        .name = "column", .type = MR_OPTION_TEXT, .offset = (field), .value = "NAME|K",            \
        .help = "Of several scores per line: the K-th (from 1), or the one that the header line "  \
                "calls NAME. Default: the last."                                                   \
    }

#define MR_STORE_CODEC_OPTION(field)                                                               \
    {                                                                                              \
        .name = "codec", .type = MR_OPTION_PARSED, .offset = (field),                              \
        .value = "plain|zstd[:LEVEL]|auto", .parse = mr_codec_parse,                               \
        .help = "As in 'millrace help build'. Default: that of the store."                         \
    }

/* What becomes of links on their way into a store. */
#define MR_MERGE_OPTIONS(both_ways, repeated, loops)                                               \
    {.name = "undirected",                                                                         \
     .type = MR_OPTION_FLAG,                                                                       \
     .offset = (both_ways),                                                                        \
     .help = "Every link also the other way round."},                                              \
        {.name = "duplicates",                                                                     \
         .type = MR_OPTION_CHOICE,                                                                 \
         .offset = (repeated),                                                                     \
         .choices = "merge|keep",                                                                  \
         .help = "What to do with a link that comes again. Default merge."},                       \
    {                                                                                              \
        .name = "self-loops", .type = MR_OPTION_CHOICE, .offset = (loops), .choices = "keep|drop", \
        .help = "What to do with a link of a page to itself. Default keep."                        \
    }

#define MR_ENCODING_OPTION(field)                                                                  \
    {                                                                                              \
        .name = "encoding", .type = MR_OPTION_CHOICE, .offset = (field),                           \
        .choices = "auto|keys|corners", .help = "As in 'millrace help build'. Default auto."       \
    }

#define MR_LINKS_OPTION(field)                                                                     \
    {                                                                                              \
        .name = "links", .type = MR_OPTION_CHOICE, .offset = (field),                              \
        .choices = "all|external|internal",                                                        \
        .help = "Only links inside hosts or domains, or only others: of a store built with "       \
                "--classes. An input that is no store is told apart by host unless --classes "     \
                "says otherwise. Default all."                                                     \
    }

#define MR_LINK_WEIGHTS_OPTIONS(internal, external)                                                \
    {.name = "internal-weight",                                                                    \
     .type = MR_OPTION_REAL,                                                                       \
     .offset = (internal),                                                                         \
     .value = "W",                                                                                 \
     .range = {.least = 0.0, .most = 1e9, .above_least = true},                                    \
     .help = "A link inside a host or domain counts W: a page hands on to what it links to in "    \
             "proportion. Of a store built with --classes. Default 1."},                           \
    {                                                                                              \
        .name = "external-weight", .type = MR_OPTION_REAL, .offset = (external), .value = "W",     \
        .range = {.least = 0.0, .most = 1e9, .above_least = true},                                 \
        .help = "Likewise any other link. Default 1."                                              \
    }

/* --weights and --no-weights of commands that make stores, for mr_weights_flags. */
#define MR_KEEP_WEIGHTS_OPTIONS(must, none)                                                        \
    {.name = "weights",                                                                            \
     .type = MR_OPTION_FLAG,                                                                       \
     .offset = (must),                                                                             \
     .help = "Keep the weights of links, which must all be above 0: of edges the third column. "   \
             "Default: where the format has weights and all of them are."},                        \
    {                                                                                              \
        .name = "no-weights", .type = MR_OPTION_FLAG, .offset = (none),                            \
        .help = "Read past the weights of links."                                                  \
    }

/* `help` ends with the default. */
#define MR_TOLERANCE_OPTION(field, help_text)                                                      \
    {                                                                                              \
        .name = "tolerance", .type = MR_OPTION_REAL, .offset = (field), .value = "T",              \
        .range = {.least = 0.0, .most = (double)INFINITY, .above_least = true}, .help = help_text  \
    }

/* `names`: "names in --seeds". */
#define MR_MAX_UNKNOWN_OPTION(field, names)                                                        \
    {                                                                                              \
        .name = "max-unknown", .type = MR_OPTION_COUNT, .offset = (field), .value = "N",           \
        .most = UINT64_MAX,                                                                        \
        .help = "Accept up to N " names " that the graph does not have. Default 0."                \
    }

/* --weights of rankings. */
#define MR_RANK_WEIGHTS_OPTION(field)                                                              \
    {                                                                                              \
        .name = "weights", .type = MR_OPTION_FLAG, .offset = (field),                              \
        .help = "A link counts by its weight: a page hands on to each it links to in proportion "  \
                "to the weights. Default: all links alike."                                        \
    }

#endif
