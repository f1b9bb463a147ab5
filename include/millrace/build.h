/* Building stores: from files of whatever format, from arrays, from a callback, or as the
 * reverse of a store.
 *
 * A build works out of core: links are spooled to temporary files, vertices numbered, links
 * sorted band by band, merged, encoded and written; then the store is published by a rename, so
 * that it is there whole or not at all. Peak memory stays within the context's budget. Links
 * that fit in half of it stay there; more take 8 to 16 bytes of temporary disk each, in the
 * context's tmp_dir or beside the store, given back as they are consumed. The same links and
 * options give the same bytes, whatever the order of the links, the threads and the memory.
 * Time: linear in the links, and n log n in the bytes of names that are text. */
#ifndef MILLRACE_BUILD_H
#define MILLRACE_BUILD_H

#include "millrace/store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which number a vertex gets. Outputs always stay in the order of positions: by id, or by key of
 * the name (names.h, "position"). */
enum mr_order {
    MR_ORDER_KEEP, /* the vertex's position */
    /* By in-degree plus out-degree, highest first; by position among equals. The pages with most
     * links then lie in few tiles. */
    MR_ORDER_DEGREE,
    /* DEGREE if it pays: few edges are near, few vertices have most edges, tiles are not full */
    MR_ORDER_AUTO
};

/* What to do with the weights of links that a file has. */
enum mr_weights_use {
    MR_WEIGHTS_WHERE_GOOD, /* keep them if all are above 0 and finite; else a note says so */
    MR_WEIGHTS_REQUIRED, /* keep them; refuse an input without weights, and one that is not good */
    MR_WEIGHTS_IGNORED /* leave them out */
};

#define MR_ZSTD_MEASURED (-1)

/* How a store is made. Fields of the second group are for mr_store_build_files alone. */
struct mr_store_build_options {
    size_t struct_size; /* sizeof(struct mr_store_build_options) */
    bool force; /* replace an existing store */
    bool undirected; /* every link also the other way round; a self-loop counts once */
    bool
        keep_duplicates; /* repeated links count as often; else they are merged, weights added up */
    bool drop_self_loops;
    bool transpose; /* store every link reversed */
    /* Above 0: vertices are 0 .. n_vertices - 1, whether a link names them or not; at most 2^32
     * - 1. 0: the numbers or names that appear. */
    uint64_t n_vertices;
    /* Where names are URLs: which spellings are one page, NULL or "none", "heritrix", "wayback",
     * "surt"; and rules of that profile to switch, NULL or "-RULE,+RULE,...". `millrace help
     * profiles` explains them. */
    const char *profile, *profile_rules;
    /* Tell links inside a host or a registered domain from others; names are URLs then. */
    enum mr_class_rule class_rule;
    enum mr_order order;
    /* 0: blocks are plain, which is fastest from a fast disk; 1 to 19: zstd of that level, smaller;
     * MR_ZSTD_MEASURED: measure disk and cores for a moment and take the faster. */
    int zstd_level;

    /* NULL: by content, and by suffix where that says nothing. Else a name that `millrace help
     * build` lists under --format, such as "csv". */
    const char *format;
    bool target_first; /* of two columns, the first is the page that is linked to */
    enum mr_weights_use weights;
    const char *vertex_list; /* file of the only vertices there are, one per line; NULL: none */
    bool skip_bad_lines; /* count a line that makes no sense, and go on */
    uint64_t max_bad_lines; /* with skip_bad_lines: more are an error after all; 0: no limit */
    /* A directory that keeps what was read, so that the same call goes on from there after an
     * interruption; it is removed when the store is there. NULL: none. Takes 8 to 16 bytes of
     * disk a link. */
    const char *checkpoint;
};

/* What happened, in numbers. Counts are exact. */
struct mr_store_build_figures {
    size_t struct_size; /* sizeof(struct mr_store_build_figures), set by the caller */
    uint64_t input_edges; /* as they came in */
    uint64_t self_loops; /* among them, kept or dropped */
    uint64_t duplicates; /* merged away */
    uint64_t n_vertices;
    uint64_t n_edges; /* in the store */
    uint64_t n_dangling; /* vertices without out-links */
    uint64_t store_bytes;
    uint64_t temporary_bytes; /* highest use of temporary disk */
    uint64_t bad_lines; /* skipped */
    double seconds;
};

/* Build a store at `path`, a directory, NAME.mill by convention, from files of links: text of
 * numbers or names, CSV, Matrix Market, WebGraph, WAT and many more (docs/formats.md), which may
 * be compressed with gzip or zstd; "-" is standard input. All of `inputs[n_inputs]` (n_inputs >
 * 0) are of one format and make one graph. `options` and `figures` may be NULL. Errors: USAGE
 * when `path` exists without force and for options that contradict each other or the inputs;
 * INPUT at FILE:LINE or at an offset for what makes no sense; BUDGET for memory or disk, before
 * any work where that can be foretold; INTERRUPTED. */
MR_API enum mr_status mr_store_build_files(const struct mr_context *context, const char *path,
                                           const char *const *inputs, size_t n_inputs,
                                           const struct mr_store_build_options *options,
                                           struct mr_store_build_figures *figures,
                                           struct mr_error *err) MR_WARN_UNUSED;

/* Links in memory. All arrays are borrowed for the call. */
struct mr_edge_arrays {
    size_t struct_size; /* sizeof(struct mr_edge_arrays) */
    uint64_t n_edges;
    const uint64_t *sources, *targets; /* [n_edges]: ids, or indices of `names` */
    const float *weights; /* [n_edges], above 0 and finite; NULL: none */
    /* NULL, or [n_names]: what the vertices are called, such as URLs: 1 to 65536 bytes, no line
     * feed. Each becomes a vertex, whether a link has it or not; the same name twice is one. */
    const char *const *names;
    uint64_t n_names;
};

/* Build a store from arrays. Without names the vertices are the ids that appear, or those below
 * options->n_vertices. Memory besides: 8 bytes per name. Errors: as mr_store_build_files; INPUT
 * for an id that is no vertex and for a weight that is not good. */
MR_API enum mr_status mr_store_build_arrays(const struct mr_context *context, const char *path,
                                            const struct mr_edge_arrays *arrays,
                                            const struct mr_store_build_options *options,
                                            struct mr_store_build_figures *figures,
                                            struct mr_error *err) MR_WARN_UNUSED;

struct mr_edge {
    uint64_t source;
    uint64_t target;
};

/* Gives the next links: up to `capacity` (> 0) of them into `edges`, and where `weights` is not
 * NULL as many weights; `*n_edges` is set to their number, 0 after the last one. Called from one
 * thread, the one that builds. A status other than OK ends the build with it: return
 * mr_error_set(err, ...). */
typedef enum mr_status (*mr_edge_callback)(void *data, struct mr_edge *edges, float *weights,
                                           size_t capacity, size_t *n_edges, struct mr_error *err);

/* Build a store from a callback. Vertices are as with arrays without names. The links have
 * weights where options->weights is MR_WEIGHTS_REQUIRED. Errors: as mr_store_build_arrays; what
 * the callback returns. */
MR_API enum mr_status mr_store_build_callback(const struct mr_context *context, const char *path,
                                              mr_edge_callback next, void *next_data,
                                              const struct mr_store_build_options *options,
                                              struct mr_store_build_figures *figures,
                                              struct mr_error *err) MR_WARN_UNUSED;

/* A link between names, which are not terminated; they must live until the next call of the
 * callback. */
struct mr_named_edge {
    const char *source, *target;
    size_t source_bytes, target_bytes; /* 1 to 65536; no line feed */
    float weight; /* 1 before the call; looked at where links have weights */
};

/* Gives the next link; `*is_end` is set to true after the last one, and is false before. */
typedef enum mr_status (*mr_named_edge_callback)(void *data, struct mr_named_edge *edge,
                                                 bool *is_end, struct mr_error *err);

/* The same with names, such as URLs: the vertices are the names that appear, in the order of
 * host and path. options->n_vertices must be 0. */
MR_API enum mr_status mr_store_build_named(const struct mr_context *context, const char *path,
                                           mr_named_edge_callback next, void *next_data,
                                           const struct mr_store_build_options *options,
                                           struct mr_store_build_figures *figures,
                                           struct mr_error *err) MR_WARN_UNUSED;

/* Build the reverse of `store` at `path`: every link turned round, the vertices and their names
 * kept; what mr_rank_hits walks beside the store. Weights are kept, classes of links are not.
 * Cost: as a build, besides one pass over the links and two over the names. Errors: USAGE when
 * `path` exists without `force`; as mr_store_build_files. */
MR_API enum mr_status mr_store_build_reverse(const struct mr_context *context,
                                             struct mr_store *store, const char *path, bool force,
                                             struct mr_error *err) MR_WARN_UNUSED;

#ifdef __cplusplus
}
#endif

#endif
