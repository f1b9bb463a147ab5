/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that build stores: from files, from arrays, from a callback, or as the reverse of a
 * store.
 *
 * A build works out of core. It writes the edges to temporary files, numbers the vertices, sorts
 * and merges the edges band by band, encodes them and writes them. At the end it renames the store
 * to its final name, so that a complete store or none is there. Peak memory stays within the
 * context's budget. If the edges fit in half of the budget, they stay in memory. Otherwise they
 * take 8 to 16 bytes of temporary disk each, in the context's tmp_dir or beside the store; the
 * build gives this space back while it consumes the edges. The same edges and options give the same
 * bytes, for any order of the edges, any threads and any memory. Time: linear in the edges, and n
 * log n in the bytes of names that are text. */
#ifndef MILLRACE_BUILD_H
#define MILLRACE_BUILD_H

#include "millrace/weights.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a build does with the weights of edges in a file. */
enum mr_weights_use {
    /* Store the weights, unless one of them is not finite or below 1.2e-38. Then ignore all of them
     * and send a note. */
    MR_WEIGHTS_WHERE_GOOD,
    /* Store the weights. An input without weights is an error, and so is a weight that is not
     * finite or below 1.2e-38. */
    MR_WEIGHTS_REQUIRED,
    MR_WEIGHTS_IGNORED /* ignore the weights */
};

/* How the edges of a store are written (docs/store-format.md). Repeated edges are always keys. */
enum mr_encoding {
    MR_ENCODING_AUTO, /* for each part of a tile, what a pass is predicted to be faster with */
    MR_ENCODING_KEYS,
    MR_ENCODING_CORNERS /* corners wherever possible, for comparisons */
};

#define MR_ZSTD_LEVEL_OF_STORE (-2) /* zstd_level: that of the store that the new one comes from */

/* How a store is built. MR_STORE_BUILD_OPTIONS_INIT sets the defaults, which are those of
 * `millrace build`. Only mr_store_build_files uses the fields of the second group; a stream takes
 * `columns` and `weights`. */
struct mr_store_build_options {
    size_t struct_size; /* sizeof(struct mr_store_build_options) */
    bool force; /* replace an existing store */
    bool undirected; /* add the reverse of every edge; a self-loop counts once */
    /* repeated edges count as often as they occur; else they are merged and their weights added */
    bool keep_duplicates;
    bool drop_self_loops;
    bool transpose; /* store the reverse of every edge */
    /* Above 0: the vertices are 0 .. n_vertices - 1, with or without edges; at most 2^32 - 1. 0:
     * the vertices are the numbers or names that occur in the input. */
    uint64_t n_vertices;
    /* For names that are URLs. The profile says which spellings mean the same page: NULL or "none",
     * "heritrix", "wayback", "surt". The rules switch single rules of that profile: NULL or
     * "-RULE,+RULE,...". `millrace help profiles` explains them. */
    const char *profile, *profile_rules;
    /* Separate the edges inside a host or a registered domain from the others. Names must be
     * URLs. */
    enum mr_class_rule class_rule;
    /* 0: plain blocks, which are fastest from a fast disk. 1 to 19: blocks compressed by zstd at
     * that level. */
    int zstd_level;

    /* NULL: detect the format from the content, then from the file's suffix. Else the name of a
     * format, such as "csv"; `millrace help inputs` lists them under --format. */
    const char *format;
    /* The ends of a link. NULL: as the words of a header say, else the source is first.
     * "target-source": the target is first. "SOURCE,TARGET" or "SOURCE,TARGET,WEIGHT": the columns
     * of a table by their names in its header, or by their numbers from 1. */
    const char *columns;
    enum mr_weights_use weights;
    /* A file that lists the vertices, one per line; no others exist. NULL: none. */
    const char *vertex_list;
    bool skip_bad_lines; /* skip and count lines that are not valid */
    /* With skip_bad_lines: the largest number of skipped lines that is no error. 0: no limit. */
    uint64_t max_bad_lines;
    /* Take the links of files as they are written. Without it, a file that calls itself undirected
     * ("% sym", "# Undirected graph", a symmetric matrix) has each link in both directions. */
    bool directed;
    enum mr_encoding encoding;
};
#define MR_STORE_BUILD_OPTIONS_INIT                                                                \
    {                                                                                              \
        sizeof(struct mr_store_build_options), false, false, false, false, false, 0, NULL, NULL,   \
            MR_CLASSES_NONE, 0, NULL, NULL, MR_WEIGHTS_WHERE_GOOD, NULL, false, 0, false,          \
            MR_ENCODING_AUTO                                                                       \
    }

/* Figures of a build. Counts are exact. */
struct mr_store_build_figures {
    size_t struct_size; /* sizeof(struct mr_store_build_figures), set by the caller */
    uint64_t input_edges; /* edges that were read */
    uint64_t dropped_self_loops; /* self-loops among them that are not in the store */
    uint64_t self_loops; /* in the store */
    uint64_t older_links; /* left out: links of captures that are not the newest of their page */
    uint64_t duplicates; /* edges that were merged into an equal one */
    uint64_t n_vertices;
    uint64_t n_edges; /* edges in the store */
    enum mr_class_rule class_rule; /* of the store; NONE: internal_edges is 0 */
    uint64_t internal_edges; /* of n_edges */
    uint64_t n_dangling; /* vertices without out-edges */
    uint64_t facts_id; /* the same for the same facts of fetches; 0 without any */
    uint64_t store_bytes;
    uint64_t links_bytes; /* of these, of the files of the edges */
    uint64_t spellings_left_out; /* spellings beyond 64 KiB for one vertex */
    uint64_t temporary_bytes; /* largest use of temporary disk */
    uint64_t bad_lines; /* lines that were skipped */
    uint64_t n_alone; /* of a fold: vertices without a host, which are left out with their edges */
    uint64_t n_edges_alone; /* edges with such an end */
    double seconds;
    double seconds_spool, seconds_number, seconds_partition, seconds_encode; /* of its stages */
};

/* Build a store at `path` from files of edges. `path` is a directory, NAME.mill by convention. The
 * files hold numbers or names as text, CSV, Matrix Market, WebGraph, WAT or another format of
 * docs/formats.md; they may be compressed with gzip or zstd. "-" is standard input. All of
 * `inputs[n_inputs]` (n_inputs > 0) make one graph. `options` and `figures` may be NULL. The store
 * has the same bytes as that of `millrace build` with the same options. The number of a vertex is
 * not its position (names.h), because vertices with out-edges come first.
 *
 * Errors: USAGE when `path` exists and `force` is not set, and for options that contradict each
 * other or the inputs. INPUT with FILE:LINE or an offset for input that is not valid. BUDGET for
 * too little memory or disk, before any work where the need can be computed. INTERRUPTED. */
MR_API enum mr_status mr_store_build_files(const struct mr_context *context, const char *path,
                                           const char *const *inputs, size_t n_inputs,
                                           const struct mr_store_build_options *options,
                                           struct mr_store_build_figures *figures,
                                           struct mr_error *err) MR_WARN_UNUSED;

struct mr_store_append_options {
    size_t struct_size; /* sizeof(struct mr_store_append_options) */
    /* The links of a vertex in the inputs replace the links that the store has of it, also where a
     * page is fetched and has no links now. Other vertices keep theirs. */
    bool replace;
    bool drop_unlinked; /* leave out gone vertices to which no other vertex links any more */
    /* [n_gone] files of pages that are gone, which lose the links that the store has of them: lists
     * of pages or hosts, or files of crawlers, whose pages count if they ended in 404 or 410 */
    const char *const *gone;
    size_t n_gone;
    const char *const *seeds; /* [n_seeds] lists of vertices that are added, without links */
    size_t n_seeds;
    uint64_t max_unknown; /* names in `gone` that may be unknown; also MR_UNKNOWN_PERCENT */
    /* How the inputs are read: the second group of these fields, but weights, which has no effect:
     * weights are read if the store has some. A zstd_level of 0 is that of the store, too. The
     * store fixed all others, which must have their defaults. NULL: the defaults. */
    const struct mr_store_build_options *reading;
    /* [n_without] files of links that the new store does not have, read like inputs; links that the
     * store lacks change nothing, and their vertices stay */
    const char *const *without;
    size_t n_without;
    const char *to; /* write the new store here, and leave that at `path` as it is; NULL: do not */
};
#define MR_STORE_APPEND_OPTIONS_INIT                                                               \
    {                                                                                              \
        sizeof(struct mr_store_append_options), false, false, NULL, 0, NULL, 0,                    \
            MR_UNKNOWN_PERCENT(50), NULL, NULL, 0, NULL                                            \
    }

/* Figures of an append. Where the store keeps duplicates, links count as often as they are there.
 */
struct mr_store_append_figures {
    size_t struct_size; /* sizeof(struct mr_store_append_figures), set by the caller */
    uint64_t n_links; /* edges in the inputs, without duplicates if the store has none */
    /* of these, edges that the store had; they are left out unless it keeps duplicates */
    uint64_t n_known;
    uint64_t n_new_links, n_new_vertices;
    uint64_t n_kept, n_removed; /* edges of the store that are in the new one, or are not */
    /* vertices of the store that the inputs have links of, or have as fetched and that are not gone
     */
    uint64_t n_replaced;
    uint64_t n_gone; /* gone vertices that the inputs have no links of */
    uint64_t n_dropped; /* of these, vertices that the new store does not have */
    uint64_t n_respelled; /* vertices with new spellings */
    uint64_t n_vertices, n_edges, n_dangling; /* of the new store */
    uint64_t store_bytes;
    double seconds;
    uint64_t input_edges, bad_lines; /* that were read; that were skipped */
};

/* Add the edges of files to the store at `path`, which changes in one step: the new store is that
 * of one build of all inputs (docs/append.md). A store that is open keeps the old edges; vertices
 * of the new one have other numbers if names are new. n_inputs may be 0 with `gone`, `seeds` or
 * `without`. `options` and `figures` may be NULL. One writer at a time may change a store.
 *
 * Errors: USAGE for options that the store fixed, and for edges that were added last and would
 * count twice; INPUT for more unknown names in `gone`; RUNTIME if another process writes the store;
 * else as mr_store_build_files. Cost: a reading of the store and a build of all its edges; with
 * `replace` and `drop_unlinked` another reading each. */
MR_API enum mr_status mr_store_append_files(const struct mr_context *context, const char *path,
                                            const char *const *inputs, size_t n_inputs,
                                            const struct mr_store_append_options *options,
                                            struct mr_store_append_figures *figures,
                                            struct mr_error *err) MR_WARN_UNUSED;

struct mr_edge {
    uint64_t source;
    uint64_t target;
};

/* Writes the next edges, at most `capacity` (> 0), to `edges`, and their weights to `weights` where
 * that is not NULL. Sets `*n_edges` to their number, which is 0 after the last edge. All calls come
 * from the thread that builds. If the callback returns a status other than MR_OK, the build ends
 * with it: return mr_error_set(err, ...). */
typedef enum mr_status (*mr_edge_callback)(void *data, struct mr_edge *edges, float *weights,
                                           size_t capacity, size_t *n_edges, struct mr_error *err);

struct ArrowArrayStream;

/* Edges in memory, in one of three forms. Arrays and `names` are borrowed for the call. */
struct mr_memory_edges {
    size_t struct_size; /* sizeof(struct mr_memory_edges) */
    /* Arrays. The vertices are the ids that occur, or the numbers below options->n_vertices, and
     * keep their order: with n_vertices, vertex v of the store is the number v. */
    uint64_t n_edges;
    const uint64_t *sources, *targets; /* [n_edges]: ids, or indices into `names` */
    const float *weights; /* [n_edges], above 0 and finite; NULL: none */
    /* [n_names]: the names of the vertices, such as URLs, each of 1 to 65536 bytes without a line
     * feed. Each name becomes a vertex, with or without edges; equal names become one vertex. NULL:
     * the vertices are numbers. */
    const char *const *names;
    uint64_t n_names;
    /* A callback, or NULL. The vertices are as with arrays without names. The edges have weights if
     * options->weights is MR_WEIGHTS_REQUIRED. */
    mr_edge_callback next;
    void *next_data;
    /* A stream of Apache Arrow's C stream interface, or NULL: a table with the columns source,
     * target and, if options->weights is MR_WEIGHTS_REQUIRED, weight: those that options->columns
     * says, those whose names are words for them (docs/formats.md), or all columns of the table in
     * this order. Sources and targets are integers of any size, floats and decimals that are whole,
     * and the vertices as with a callback; or texts (utf8, binary, their large forms and views),
     * and the vertices are the names that occur, in the order of host and path. Both may be
     * dictionaries. Weights are floats of 32 or 64 bits, decimals of 128 bits or integers. One
     * batch of rows is in memory at a time. The call releases the stream in any case. Errors say
     * the row, counted from 0. */
    struct ArrowArrayStream *stream;
};
#define MR_MEMORY_EDGES_INIT                                                                       \
    {                                                                                              \
        sizeof(struct mr_memory_edges), 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL             \
    }

/* Build a store from edges in memory. Names take 8 bytes of memory each beside the arrays. Errors:
 * as mr_store_build_files, and those of the callback; also INPUT for an id that is not a vertex,
 * for a weight that is not finite or below 1.2e-38, and for a stream that fails. */
MR_API enum mr_status mr_store_build_edges(const struct mr_context *context, const char *path,
                                           const struct mr_memory_edges *edges,
                                           const struct mr_store_build_options *options,
                                           struct mr_store_build_figures *figures,
                                           struct mr_error *err) MR_WARN_UNUSED;

/* What the vertices of a fold are. */
enum mr_fold_by {
    MR_FOLD_BY_HOST,
    MR_FOLD_BY_DOMAIN, /* registered domains, by the public suffix list */
    MR_FOLD_BY_ICANN_DOMAIN /* the same by its section of registries alone */
};

/* What the weight of an edge between two groups counts. */
enum mr_fold_weights {
    MR_FOLD_LINKS, /* the edges from one group to the other; their weights, if the store has some */
    MR_FOLD_PAGES, /* the vertices of the source that have such an edge */
    MR_FOLD_NONE /* the new store has no weights */
};

struct mr_store_fold_options {
    size_t struct_size; /* sizeof(struct mr_store_fold_options) */
    enum mr_fold_by by;
    enum mr_fold_weights weights;
    bool keep_self_loops; /* edges inside a group become one of the group to itself */
    bool force; /* replace existing files */
    int zstd_level; /* as for a build, or MR_ZSTD_LEVEL_OF_STORE */
    /* A file that gets lines `name<TAB>n` with the number of vertices of each group; NULL: none. */
    const char *members;
    enum mr_encoding encoding;
};
#define MR_STORE_FOLD_OPTIONS_INIT                                                                 \
    {                                                                                              \
        sizeof(struct mr_store_fold_options), MR_FOLD_BY_HOST, MR_FOLD_LINKS, false, false,        \
            MR_ZSTD_LEVEL_OF_STORE, NULL, MR_ENCODING_AUTO                                         \
    }

/* Fold `store`, whose names are URLs or hosts, into the graph of its hosts or domains at `path`.
 * Their names are reversed: org.example.www. Edges between the same two groups become one edge.
 * `options` and `figures` may be NULL.
 *
 * Errors: INPUT for a store of numbers; USAGE when `path` or the file of members exists and `force`
 * is not set; else as mr_store_build_files. Cost: 4 bytes per vertex and 12 per run of vertices of
 * one group beside those of a build; two readings of the names, one of the edges. */
MR_API enum mr_status mr_store_fold(const struct mr_context *context, struct mr_store *store,
                                    const char *path, const struct mr_store_fold_options *options,
                                    struct mr_store_build_figures *figures,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Build the reverse of `store` at `path`: the same vertices, names, weights and classes of edges,
 * and the reverse of every edge. The ranking "hits" reads both stores. Of `options` count force,
 * zstd_level and encoding; NULL: the zstd_level of the store. `options` and `figures` may be NULL.
 * Cost: as a build, one pass over the edges and two over the names. Errors: USAGE when `path`
 * exists and `force` is not set; else as mr_store_build_files. */
MR_API enum mr_status mr_store_build_reverse(const struct mr_context *context,
                                             struct mr_store *store, const char *path,
                                             const struct mr_store_build_options *options,
                                             struct mr_store_build_figures *figures,
                                             struct mr_error *err) MR_WARN_UNUSED;

#ifdef __cplusplus
}
#endif

#endif
