/* SPDX-License-Identifier: Apache-2.0 */
/* Options that several commands share, as entries of their tables. `field` is the offset of the
 * option's field in the struct that the table fills. */
#ifndef MR_CLI_PROGRAM_OPTION_TABLE_H
#define MR_CLI_PROGRAM_OPTION_TABLE_H

#include <math.h>

#include "cli/program/options.h"
#include "millrace/weights.h"

#define MR_DAMPING_OPTION(field)                                                                   \
    {                                                                                              \
        .name = "damping", .often = true, .also = "alpha d factor", .type = MR_OPTION_REAL,        \
        .offset = (field), .value = "A", .range = {.least = 0.0, .most = 1.0, .below_most = true}, \
        .help = "Share of a page's score that goes on along its links. Default 0.85."              \
    }

#define MR_TOP_OPTION(field)                                                                       \
    {                                                                                              \
        .name = "top", .letter = 'n', .often = true, .alias = "limit", .type = MR_OPTION_COUNT,    \
        .offset = (field), .value = "K", .least = 1, .most = UINT32_MAX,                           \
        .help = "Print the K best pages to standard output, best first. -o FILE gets all pages.",  \
        .excludes = {                                                                              \
            {.names = "next"}                                                                      \
        }                                                                                          \
    }

#define MR_HEADER_OPTION(field)                                                                    \
    {                                                                                              \
        .name = "header", .type = MR_OPTION_FLAG, .offset = (field),                               \
        .help = "Write a first line that names the columns. A .csv has it anyway."                 \
    }

#define MR_MARK_OPTION(field)                                                                      \
    {                                                                                              \
        .name = "bom", .type = MR_OPTION_FLAG, .offset = (field),                                  \
        .help = "Begin a .csv with the mark of UTF-8, by which Excel knows it.", .needs = {        \
            {.names = "output"}                                                                    \
        }                                                                                          \
    }

/* The rows of a command: -o, --header and --bom into a struct mr_rows_flags (session.h); further
 * members are of -o. */
#define MR_ROWS_OPTIONS(field, ...)                                                                \
    {.name = "output",                                                                             \
     .letter = 'o',                                                                                \
     .type = MR_OPTION_TEXT,                                                                       \
     .offset = (field) + offsetof(struct mr_rows_flags, output),                                   \
     .value = "FILE",                                                                              \
     .file = MR_FILE_WRITE,                                                                        \
     .help = "Write the rows to FILE: lines with tabs, or .csv, .jsonl, .json and .parquet; .gz "  \
             "and .zst compress. Default: standard output, in columns on a terminal.",             \
     .often = true,                                                                                \
     __VA_ARGS__},                                                                                 \
        MR_HEADER_OPTION((field) + offsetof(struct mr_rows_flags, header)),                        \
        MR_MARK_OPTION((field) + offsetof(struct mr_rows_flags, mark))

#define MR_NAMES_OPTION(field)                                                                     \
    {                                                                                              \
        .name = "names", .type = MR_OPTION_TEXT, .offset = (field), .value = "FILE",               \
        .file = MR_FILE_WRITE,                                                                     \
        .help = "Also write the names of the pages, one per line, in the order of the scores. An " \
                ".npy file has no names."                                                          \
    }

#define MR_COLUMN_OPTION(field)                                                                    \
    {                                                                                              \
        .name = "column", .type = MR_OPTION_TEXT, .offset = (field), .value = "NAME|K",            \
        .help = "Read this score where a line has several: the K-th one, from 1, or the one with " \
                "NAME in the header line. Default: without a header the last, with one "           \
                "that of a word such as score, or the only one of numbers."                        \
    }

#define MR_STORE_CODEC_OPTION(field)                                                               \
    {                                                                                              \
        .name = "codec", .type = MR_OPTION_PARSED, .offset = (field),                              \
        .value = "plain|zstd[:LEVEL]", .parse = mr_codec_parse,                                    \
        .help = "See 'millrace help inputs'. Default: the codec of the store."                     \
    }

/* What a build does with edges before it writes them. */
#define MR_MERGE_OPTIONS(both_ways, repeated, loops)                                               \
    {.name = "undirected",                                                                         \
     .type = MR_OPTION_FLAG,                                                                       \
     .offset = (both_ways),                                                                        \
     .help = "Add the reverse of every link."},                                                    \
        {.name = "duplicates",                                                                     \
         .type = MR_OPTION_CHOICE,                                                                 \
         .offset = (repeated),                                                                     \
         .choices = "merge|keep",                                                                  \
         .help = "What to do with a link that occurs again. Default merge."},                      \
    {                                                                                              \
        .name = "self-loops", .type = MR_OPTION_CHOICE, .offset = (loops), .choices = "keep|drop", \
        .help = "What to do with a link from a page to itself. Default keep."                      \
    }

#define MR_ENCODING_OPTION(field)                                                                  \
    {                                                                                              \
        .name = "encoding", .type = MR_OPTION_CHOICE, .offset = (field),                           \
        .choices = "auto|keys|corners", .help = "See 'millrace help inputs'. Default auto."        \
    }

#define MR_LINKS_OPTION(field)                                                                     \
    {                                                                                              \
        .name = "links", .often = true, .type = MR_OPTION_CHOICE, .offset = (field),               \
        .choices = "all|external|internal",                                                        \
        .help =                                                                                    \
            "Use only links inside a host or domain (internal), or only the others (external). "   \
            "By --classes, else by host; a store that was built without takes a temporary one. "   \
            "Default all.",                                                                        \
        .excludes = {                                                                              \
            {.names = "weights"},                                                                  \
            {.names = "internal-weight|external-weight", .why = "leaves only one class of links"}  \
        }                                                                                          \
    }

#define MR_LARGEST_OPTION(field)                                                                   \
    {                                                                                              \
        .name = "largest", .type = MR_OPTION_CHOICE, .offset = (field),                            \
        .also = "largest-component lcc giant", .choices = "all|weak|strong",                       \
        .help = "Take only the pages of the largest weakly or strongly connected component, and "  \
                "the links between them (see components). Default all.",                           \
        .excludes = {                                                                              \
            {.names = "links|internal-weight|external-weight", .why = "takes all links"}           \
        }                                                                                          \
    }

#define MR_LINK_WEIGHTS_OPTIONS(internal, external)                                                \
    {.name = "internal-weight",                                                                    \
     .type = MR_OPTION_REAL,                                                                       \
     .offset = (internal),                                                                         \
     .value = "W",                                                                                 \
     .range = {.least = 1e-9, .most = 1e9},                                                        \
     .help = "Weight of a link inside a host or domain. A page divides its score among its links " \
             "by weight. Which links are inside is as for --links. Default 1.",                    \
     .excludes = {{.names = "weights"}}},                                                          \
    {                                                                                              \
        .name = "external-weight", .type = MR_OPTION_REAL, .offset = (external), .value = "W",     \
        .range = {.least = 1e-9, .most = 1e9}, .help = "Weight of any other link. Default 1.",     \
        .excludes = {                                                                              \
            {.names = "weights"}                                                                   \
        }                                                                                          \
    }

/* --weights and --no-weights of commands that make stores; mr_weights_flags reads them. */
#define MR_KEEP_WEIGHTS_OPTIONS(must, none)                                                        \
    {.name = "weights",                                                                            \
     .type = MR_OPTION_FLAG,                                                                       \
     .offset = (must),                                                                             \
     .help =                                                                                       \
         "Keep the weights of links. All must be above 0. In edges they are the third column. "    \
         "Default: keep them if the format has weights and all are above 0.",                      \
     .excludes = {{.names = "no-weights"}}},                                                       \
    {                                                                                              \
        .name = "no-weights", .type = MR_OPTION_FLAG, .offset = (none),                            \
        .help = "Ignore the weights of links."                                                     \
    }

#define MR_RETRIES_OPTION(field)                                                                   \
    {                                                                                              \
        .name = "retries", .type = MR_OPTION_NUMBER, .offset = (field), .value = "N", .least = 1,  \
        .most = 255,                                                                               \
        .help = "A page counts as fetched when N fetches of it failed in the files of --fetched, " \
                "also for reasons that may pass: no connection, a server's 5xx, FETCH_ERROR. "     \
                "Default: such failures do not count.",                                            \
        .needs = {                                                                                 \
            {.names = "fetched", .why = "counts failures in a file"}                               \
        }                                                                                          \
    }

/* What a ranking prints with --next: three options. */
#define MR_MOST_PAGES_OPTION(option, field, group)                                                 \
    {                                                                                              \
        .name = option, .type = MR_OPTION_NUMBER, .offset = (field), .value = "N", .least = 1,     \
        .most = UINT32_MAX, .help = "With --next: at most N pages of a " group ".", .needs = {     \
            {.names = "next"}                                                                      \
        }                                                                                          \
    }
#define MR_FETCH_LIST_OPTIONS(host, domain, urls_only)                                             \
    MR_MOST_PAGES_OPTION("per-host", host, "host"),                                                \
        MR_MOST_PAGES_OPTION("per-domain", domain, "registered domain"),                           \
    {                                                                                              \
        .name = "urls-only", .type = MR_OPTION_FLAG, .offset = (urls_only),                        \
        .help = "With --next: print the pages without scores, one per line.", .needs = {           \
            {.names = "next"}                                                                      \
        }                                                                                          \
    }

/* `names` says which names, such as "names in --seeds". */
#define MR_MAX_UNKNOWN_OPTION(field, names)                                                        \
    {                                                                                              \
        .name = "max-unknown", .type = MR_OPTION_PARSED, .offset = (field), .value = "N|P%",       \
        .parse = mr_value_unknown,                                                                 \
        .help = "Accept up to N " names " that the graph does not have, or up to P% of a file's "  \
                "names. Default 50%."                                                              \
    }

/* The default of --max-unknown. Lists from elsewhere, such as page scores, always have pages that
 * the crawl lacks; where most are missing, names are probably spelled in another way. */
#define MR_MAX_UNKNOWN_DEFAULT MR_UNKNOWN_PERCENT(50)

#endif
