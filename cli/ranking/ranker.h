/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of all rankings: it opens the graph, reads what --fetched names, runs the ranking with
 * the progress meter, and writes columns, metadata and lists. A ranking adds its options, its
 * columns and a few functions; cmd_salsa.c shows a small one. */
#ifndef MR_CLI_RANKING_RANKER_H
#define MR_CLI_RANKING_RANKER_H

#include "cli/graph/building.h"
#include "cli/program/command.h"
#include "cli/program/option_table.h"
#include "cli/ranking/columns.h"
#include "formats/score/vertex_weights.h"

/* The first member of the struct of flags of every ranking. */
struct mr_ranking_flags {
    struct mr_common_flags common;
    struct mr_import_options import;
    struct mr_links_flags links;
    struct mr_columns_flags columns;
    struct mr_fetch_flags fetch;
    uint64_t max_unknown;
    bool weights;
};
#define MR_RANKING_DEFAULTS                                                                        \
    {                                                                                              \
        .common = MR_COMMON_DEFAULTS, .import = MR_IMPORT_DEFAULTS, .columns.sort = MR_SORT_USUAL, \
        .max_unknown = MR_MAX_UNKNOWN_DEFAULT                                                      \
    }

/* Which links count: --internal-weight, --external-weight, --weights, --links and --largest,
 * without the first two (MR_ALL_LINKS) or three. */
extern const struct mr_option mr_links_options[];
enum { MR_CLASS_LINKS = 0, MR_ALL_LINKS = 2, MR_UNWEIGHTED_LINKS = 3 };
#define MR_RANKED_LINKS_OPTIONS                                                                    \
    {.name = "weights",                                                                            \
     .type = MR_OPTION_FLAG,                                                                       \
     .offset = offsetof(struct mr_ranking_flags, weights),                                         \
     .help = "Use the weights of links: a page divides its score among its links by them, and "    \
             "degrees are sums of them. Default: all links of a page count the same."},            \
        MR_LINKS_OPTION(offsetof(struct mr_ranking_flags, links.links)),                           \
        MR_LARGEST_OPTION(offsetof(struct mr_ranking_flags, links.largest))
#define MR_LINKS_GROUP(from)                                                                       \
    {                                                                                              \
        .title = "Links", .options = mr_links_options + (from), .base = 0                          \
    }
#define MR_OUTPUT_GROUP                                                                            \
    {                                                                                              \
        .title = "Output", .options = mr_columns_options,                                          \
        .base = offsetof(struct mr_ranking_flags, columns)                                         \
    }
#define MR_LABELS_GROUP                                                                            \
    {                                                                                              \
        .title = "Output", .options = mr_labels_options,                                           \
        .base = offsetof(struct mr_ranking_flags, columns)                                         \
    }
#define MR_IMPORT_GROUP                                                                            \
    {                                                                                              \
        .title = "For an input that is not a store", .options = mr_import_options,                 \
        .topic = "inputs", .is_aside = true, .base = offsetof(struct mr_ranking_flags, import)     \
    }
#define MR_FETCH_GROUP                                                                             \
    {                                                                                              \
        .title = "Pages to fetch", .options = mr_fetch_options,                                    \
        .base = offsetof(struct mr_ranking_flags, fetch)                                           \
    }

/* One run of a ranking. */
struct mr_run {
    struct mr_session *session;
    const struct mr_ranker *ranker;
    const struct mr_ranking_flags *flags; /* these begin the flags of the command */
    const struct mr_parsed *parsed;
    void *data; /* [ranker->data_bytes], zero at first */
    struct mr_import_options import; /* those of the flags, and what `check` changed */
    struct mr_graph graph; /* the graph of the operands */
    const struct mr_graph *ranked; /* `graph`, or the part of it that `prepare` chose */
    struct mr_fetch_plan plan;
    unsigned n_columns; /* of the columns that `rank` will set, from mr_columns_expect */
    struct mr_columns columns; /* set by `rank` */
    double seconds; /* that `rank` took */
};

/* What a ranking adds to the driver. Functions may be NULL unless their comment says otherwise. */
struct mr_ranker {
    size_t data_bytes; /* of the data of one run */
    /* The names of the columns. NULL: `check` or `prepare` calls mr_columns_expect. */
    const char *const *columns;
    unsigned n_columns;
    /* Refuses flags that contradict each other, before any work. */
    enum mr_status (*check)(struct mr_run *run, struct mr_error *err);
    /* For --estimate: fills the memory; `beside` is what the open graph holds, without the index of
     * its links. Not NULL. run->ranked is the graph. */
    void (*estimate)(struct mr_run *run, uint64_t beside, struct mr_rank_costs *estimate);
    /* For --estimate: guesses the passes over the links. The graph is not open. NULL: n_passes. */
    double (*passes)(const struct mr_run *run);
    double n_passes;
    /* Reads the files of the options. May set run->ranked. */
    enum mr_status (*prepare)(struct mr_run *run, struct mr_error *err);
    /* Computes the scores and sets run->columns. A result that did not converge is written as
     * well. Not NULL. */
    enum mr_status (*rank)(struct mr_run *run, struct mr_error *err);
    /* Says what was found. */
    void (*report)(const struct mr_run *run);
    /* Adds the parameters and the results to the metadata, "algorithm" first. Not NULL. */
    void (*describe)(const struct mr_run *run, struct mr_json *json);
    /* Write more files together with the scores: before them, and after them. What comes after
     * them (a state) is published only if standard output was written, too. */
    enum mr_status (*write_before)(struct mr_run *run, struct mr_error *err);
    enum mr_status (*write_after)(struct mr_run *run, struct mr_error *err);
    /* Prints the result to standard output. NULL: the best pages or all scores. */
    void (*print)(const struct mr_run *run);
    /* Prints the pages of --next. NULL: those that the files of --fetched leave. */
    enum mr_status (*print_next)(struct mr_run *run, struct mr_error *err);
    /* Frees the data. Returns `status`, or the error of what must be done in the end. */
    enum mr_status (*end)(struct mr_run *run, enum mr_status status, struct mr_error *err);
};

/* Runs a ranking. */
enum mr_status mr_ranker_run(struct mr_session *session, const struct mr_ranker *ranker,
                             const void *flags, const struct mr_parsed *parsed,
                             struct mr_error *err) MR_WARN_UNUSED;

/* The list_files of a command whose files are those of its tables and of --fetched. */
enum mr_status mr_ranker_list_files(const void *flags, const struct mr_parsed *parsed,
                                    struct mr_files *files, struct mr_error *err) MR_WARN_UNUSED;

/* Facts about the graph that is ranked. */
static inline const struct mr_store_info *mr_run_info(const struct mr_run *run)
{
    return mr_store_get_info(run->ranked->store);
}
/* The links to rank. */
static inline struct mr_store *mr_run_links(const struct mr_run *run)
{
    return mr_graph_links(run->ranked);
}

/* Reads lines NAME VALUE (`weighted`) or NAME of `files` [n_files] for the graph that is ranked; no
 * files give no pages. A name may be a host or a domain. */
enum mr_status mr_run_read_pages(const struct mr_run *run, const char *const *files, size_t n_files,
                                 bool weighted, struct mr_vertex_weights *pages,
                                 struct mr_error *err) MR_WARN_UNUSED;

#endif
