/* SPDX-License-Identifier: Apache-2.0 */
/* Flags of commands that read inputs: a struct, its defaults and the table that fills it. */
#ifndef MR_CLI_GRAPH_IMPORT_FLAGS_H
#define MR_CLI_GRAPH_IMPORT_FLAGS_H

#include "cli/program/options.h"
#include "engine/store/store.h"

struct mr_graph_format;

/* Which links a ranking is of, where the store tells them apart. */
struct mr_links_flags {
    int links; /* the place in "all|external|internal" */
    double internal_weight, external_weight; /* 0: not given, which is 1 */
};

/* Ints are places in the choices of their option. */
struct mr_import_flags {
    const struct mr_graph_format *format; /* NULL: by content */
    const char *columns; /* see mr_columns_parse; NULL: not given */
    bool undirected, directed;
    int duplicates; /* 0 merge, 1 keep, -1: not given, which is merge */
    int self_loops; /* 0 keep, 1 drop */
    uint64_t vertices; /* UINT64_MAX: not given */
    const char *vertices_from; /* --vertex-list */
    const char *names_from; /* build --names; no option of this table */
    unsigned link_kinds; /* 0: not given */
    bool drop_nofollow;
    int outlinks_from; /* enum mr_outlinks */
    int captures; /* enum mr_captures_wanted */
    const char *profile, *rules; /* or NULL; see cli/program/profile.h */
    int classes; /* enum mr_class_rule */
    struct mr_links_flags links; /* for whoever opens the store; no option of this table */
    int largest; /* place in "all|weak|strong"; for rankings; no option of this table */
    int zstd_level; /* 0: plain */
    int encoding; /* enum mr_encoding */
    int order; /* enum mr_order */
    bool transpose;
    int weights; /* enum mr_weights_wanted; no option of this table */
    const char *ignores_weights; /* why weights are not wanted, for a note; NULL: no --weights */
    int bad_lines; /* enum mr_bad_lines */
    uint64_t max_bad; /* 0: not given */
    /* NULL, or the store that the links are for: by its names, and its flags instead of those
     * above. */
    const struct mr_store_info *onto;
    const char *onto_path; /* where that is */
    /* of an append, as in struct mr_import_options; no options of this table */
    struct mr_texts seeds;
    struct mr_vertex_set *fetched;
    bool replaces;
    bool reversed; /* the store is the reverse of what is asked for; no option of this table */
};

#define MR_IMPORT_DEFAULTS                                                                         \
    {                                                                                              \
        .duplicates = -1, .vertices = UINT64_MAX                                                   \
    }

extern const struct mr_option mr_import_options[];

/* What --weights and --no-weights of a command that makes stores ask for; without either
 * MR_WEIGHTS_IF_GOOD. Errors: USAGE for both. */
enum mr_status mr_weights_flags(bool must, bool none, int *weights,
                                struct mr_error *err) MR_WARN_UNUSED;

/* --columns: source-target, target-source, or two or three columns of a table. */
enum mr_status mr_columns_parse(const char *text, void *columns,
                                struct mr_error *err) MR_WARN_UNUSED;

/* --link-kinds: the sum of enum mr_link_kind for names with commas between, into an unsigned. */
enum mr_status mr_link_kinds_parse(const char *text, void *kinds,
                                   struct mr_error *err) MR_WARN_UNUSED;

#endif
