/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about single vertices and about hosts: the edges of a vertex, when it was fetched, and
 * sums over the vertices of each host; and the vertices that a crawler fetches next. The functions
 * also pass on all edges, write them as files of other programs, and write a page of HTML about the
 * store.
 *
 * `names` are those of `store` (mr_store_open_names). */
#ifndef MILLRACE_QUERY_H
#define MILLRACE_QUERY_H

#include "millrace/build.h"
#include "millrace/scores.h"
#include "millrace/weights.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- One vertex ---- */

struct mr_vertex_facts {
    size_t struct_size; /* sizeof(struct mr_vertex_facts), set by the caller */
    uint32_t position; /* of its name in the order of the names */
    uint32_t in_degree, out_degree; /* edges as stored: duplicates count */
    /* Different times at which the inputs say that it was fetched; 0: none is known. Counts stop at
     * 65535. */
    uint32_t n_fetches;
    uint32_t first_fetch, last_fetch; /* seconds since 1970; 0: not known */
    /* fetches that were compared with the one before, by edges or by digests of the content */
    uint32_t n_compared;
    uint32_t n_changes; /* of these, fetches that found other edges or other content */
    bool is_gone; /* the inputs say that there is no such page any more: 404, 410 */
};

/* Fill `facts` of a vertex. The caller sets its struct_size. Errors: USAGE for a vertex that the
 * store does not have, CORRUPT. Reads a few blocks. */
MR_API enum mr_status mr_vertex_describe(const struct mr_context *context, struct mr_store *store,
                                         struct mr_names *names, uint32_t vertex,
                                         struct mr_vertex_facts *facts,
                                         struct mr_error *err) MR_WARN_UNUSED;

/* An edge, by the vertex at its other end. */
struct mr_vertex_edge {
    uint32_t vertex;
    uint32_t position; /* of that vertex */
    float weight; /* 0 without weights */
};

/* The caller frees it with mr_vertex_edges_free. */
struct mr_vertex_edges {
    struct mr_vertex_edge *items; /* [n_items] */
    uint64_t n_items;
    struct mr_memory *memory; /* private: the budget that the items are charged to */
};

/* Find the edges from `vertex`, or with `incoming` those to it, in the order of the names of their
 * other ends, duplicates with ascending weights. `weighted` is `store` opened by
 * mr_store_open_weights, or NULL for edges without weights. `out` is zero after an error.
 *
 * Errors: USAGE for a vertex that the store does not have, CORRUPT, BUDGET. Memory: 20 bytes per
 * edge. Incoming edges take a reading of a part of the edges, that of the band of the vertex;
 * outgoing ones take at least a block of 256 KiB for each band. */
MR_API enum mr_status mr_vertex_list_edges(const struct mr_context *context, struct mr_store *store,
                                           struct mr_store *weighted, struct mr_names *names,
                                           uint32_t vertex, bool incoming,
                                           struct mr_vertex_edges *out,
                                           struct mr_error *err) MR_WARN_UNUSED;
/* Free the items. A zeroed struct is allowed. Call it before the context is destroyed. */
MR_API void mr_vertex_edges_free(struct mr_vertex_edges *edges);

/* ---- All edges ---- */

/* Takes up to 4096 edges, (source, target), and their weights; NULL: there are none. A status other
 * than MR_OK ends the call with it. */
typedef enum mr_status (*mr_edge_pairs_callback)(void *data, const uint32_t (*pairs)[2],
                                                 const float *weights, size_t n_pairs,
                                                 struct mr_error *err);

/* Read all edges of `store` once, in the order of the store, with their weights if it comes from
 * mr_store_open_weights. `take` gets them from the thread that calls. Errors: those of `take`,
 * CORRUPT, BUDGET, INTERRUPTED. Memory: a few buffers. */
MR_API enum mr_status mr_store_read_edges(const struct mr_context *context, struct mr_store *store,
                                          mr_edge_pairs_callback take, void *take_data,
                                          struct mr_error *err) MR_WARN_UNUSED;

/* ---- Files of other programs ---- */

/* A connected component: of several largest ones the first in the order of the names. */
enum mr_largest { MR_LARGEST_NONE, MR_LARGEST_WEAK, MR_LARGEST_STRONG };

/* What mr_store_export writes. All fields are 0 by default. */
struct mr_store_export_options {
    size_t struct_size; /* sizeof(struct mr_store_export_options) */
    bool force; /* replace existing files */
    bool no_weights; /* leave out the weights of edges */
    /* `store` is the reverse of the graph to write, such as a build with options.transpose. Not of
     * the format "pages". */
    bool reversed;
    /* At most one of the next three limits the export to some vertices and the edges among them.
     * Their numbers then begin at 0 again. */
    enum mr_largest largest;
    const char *host; /* "www.example.com", with any scheme and port */
    const uint32_t *vertices; /* [n_vertices], in any order; NULL: not limited by them */
    uint64_t n_vertices;
    /* A name of docs/formats.md, such as "edges" or "bvgraph"; NULL: by the suffix of the path, or
     * "u32" on standard output. */
    const char *format;
    const char *names; /* a second file, for the names of the vertices, one per line */
    const double *scores; /* of the format "pages": [vertices of the store], finite; NULL: 0 */
    /* Of the format "pages": [n_seeds]. The depth of a vertex is the least number of edges from
     * one of these; NULL: no depths. In a build with options.transpose the edges count in the
     * direction of the input. */
    const uint32_t *seeds;
    uint64_t n_seeds;
    /* Of the format "bvgraph": the lists before a list to which it may refer, at most 65536, and
     * the longest chain of references, at most 2^31 - 1. More take fewer bytes and more time. 0: 7
     * and 3, as WebGraph has them. */
    uint64_t window, max_references;
};

/* Write the edges of `store`, from mr_store_open, in the format of another program, or its vertices
 * in the format "pages". `path` may be "-" or NULL for standard output if the format is one stream;
 * ".gz" and ".zst" compress it. Vertices have the numbers of their positions, unless the format has
 * names or ids of the input. Weights are written if the store has weights and the format can have
 * them. `options` may be NULL. All files appear together.
 *
 * Errors: USAGE for options that do not go together or with the format, and when a file exists and
 * `force` is not set; INPUT for a host that the store does not have and for a score that is not
 * finite; CORRUPT, BUDGET, INTERRUPTED. Files that cannot be written are refused before anything is
 * read. Reads the edges once, and once more for each of these: to count those of a part; "mtx" and
 * "csv" with weights; "heritrix-map" and "heritrix-pagerank". `largest` has the readings and the
 * memory of the ranking "components" before that. Memory: 4 bytes per vertex in a store with an
 * order, 8 per written vertex if the format has ids, and the text of the names if it has names.
 * Formats of lists by source, unless `reversed` or undirected, take a temporary store in the
 * context's tmp_dir, $TMPDIR or /var/tmp. "pages" reads the edges once for each depth. */
MR_API enum mr_status mr_store_export(const struct mr_context *context, struct mr_store *store,
                                      struct mr_names *names, const char *path,
                                      const struct mr_store_export_options *options,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* Check what mr_store_export would refuse without a look at the store: the options, and the files
 * that it would write. None of these may be one of inputs[n_inputs], the files that a program is
 * about to build the store from. mr_store_export itself knows the files of the store alone. Errors:
 * USAGE, RUNTIME. */
MR_API enum mr_status mr_store_export_check(const char *const *inputs, size_t n_inputs,
                                            const char *path,
                                            const struct mr_store_export_options *options,
                                            struct mr_error *err) MR_WARN_UNUSED;

/* ---- A page of HTML ---- */

/* What a report shows. All fields are 0 by default. */
struct mr_store_report_options {
    size_t struct_size; /* sizeof(struct mr_store_report_options) */
    bool force; /* replace existing files */
    bool components; /* find the connected components, which reads the edges three more times */
    unsigned top; /* best pages and hosts of a list, at most 1000; 0: 1000 */
    const char *const *scores; /* [n_scores] files of rankings of this store, with .meta.json */
    unsigned n_scores; /* at most 4 */
    double good_share; /* of all vertices, that the trusted ones stand in for; 0: as in the file */
    const char *passes; /* a file of `pagerank --log`, for the convergence; NULL: none */
    const char *charts; /* a directory that gets the pictures as SVG; NULL: none */
    /* [n_command] words. With them the page says when and by which command it was made; NULL: it
     * does not, and the same input gives the same bytes. */
    const char *const *command;
    size_t n_command;
    const char *since; /* an older file of scores, for what changed in the first one; NULL: none */
};

/* Write a page of HTML about `store` to `path`, with its pictures inside: a browser loads no
 * other file. Its script makes tables of the figures, which are JSON in the page. It shows where
 * its edges go, the best pages and hosts, distributions, how alike files of scores are, and what
 * looks like spam. `options` may be NULL. Errors: USAGE when a file exists and `force` is not set,
 * before anything is read; INPUT and CORRUPT for files and stores that cannot be read; BUDGET,
 * INTERRUPTED. Memory: 14 bytes per vertex, 8 for each file of scores, 32 for several, 8 for spam
 * mass, 8 for components, 90 to 170 per host. Reads the edges three times, and those to
 * the best pages once more. */
MR_API enum mr_status mr_store_report(const struct mr_context *context, struct mr_store *store,
                                      struct mr_names *names, const char *path,
                                      const struct mr_store_report_options *options,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* ---- Why a vertex has its score ---- */

/* Which scores they are: PageRank or personalised PageRank, from any run of it. */
struct mr_why_options {
    size_t struct_size; /* sizeof(struct mr_why_options) */
    double damping; /* at least 0 and below 1 */
    const char *dangling; /* "teleport", "uniform" or "none", as of "ppr"; NULL: "teleport" */
    /* Teleport weights, as PAGES of an option (rank.h). NULL: the same for all vertices. Borrowed
     * for the call. */
    const struct mr_vertex_weight *teleport; /* [n_teleport] */
    uint64_t n_teleport;
    double scale; /* what scores add up to, with "none" at most: 1, or n_vertices */
    double error_bound; /* the sum of the errors of all scores is at most this */
    enum mr_fold_by by; /* sums by host or by registered domain */
    uint64_t top; /* vertices and hosts of a list, at most; 0: all */
};
#define MR_WHY_OPTIONS_INIT                                                                        \
    {                                                                                              \
        sizeof(struct mr_why_options), 0.85, NULL, NULL, 0, 1, 1e-9, MR_FOLD_BY_HOST, 20           \
    }

/* What a score has from one vertex that links to it, or from several. */
struct mr_why_share {
    double share; /* of the score: damping * portion * score of that vertex; or a sum of such */
    double bound; /* the share of the exact score differs from it by at most this */
    double score; /* of that vertex, or of all; damping * score comes from a vertex with one link */
    double portion; /* of what that vertex passes on, 0 to 1; of several the largest */
    uint64_t n_vertices; /* that have a share; of several */
    uint32_t vertex; /* that vertex, or the first of them */
    uint32_t out_degree; /* the edges that it divides its score among; of several 0 */
    char *host; /* of them, "" for vertices without a host; NULL: not the vertices of a host */
};

/* Where the score of a vertex comes from: teleport, dangling and links add up to it, up to the
 * error bound of the scores. The caller frees it with mr_why_free. */
struct mr_why {
    double score;
    struct mr_why_share teleport, dangling, links;
    struct mr_why_share
        *vertices; /* [n_listed]: of `links` the largest shares, by vertex if equal */
    uint64_t n_listed;
    struct mr_why_share others; /* that link to it and are not listed */
    /* [n_hosts]: of `links` by host. The first is the host of the vertex itself, perhaps with a
     * share of 0; then the largest shares. Empty if vertices have no hosts. */
    struct mr_why_share *hosts;
    uint64_t n_hosts;
    struct mr_why_share other_hosts; /* that are not listed */
    struct mr_memory *memory; /* private: the budget that the lists are charged to */
};

/* Explain the scores of `vertices` [n], none of which is there twice, in `whys` [n]. `scores`
 * [n_vertices], by vertex, are those of a ranking of `store`, the handle that was ranked: that from
 * mr_store_open_weights if weights counted. `options` may be NULL. `whys` are zero after an error.
 *
 * Errors: USAGE for options that are not valid, for a vertex that the store does not have, and for
 * a store whose classes of edges have weights; INPUT for scores that are not finite, and if the
 * shares do not add up to a score: they are of another graph, or of other options. CORRUPT, BUDGET.
 * Reads the out-degrees once, the edges of the bands of the vertices, and a name for each vertex
 * that links to one of them. Memory: 64 bytes for each such edge. */
MR_API enum mr_status mr_scores_explain(const struct mr_context *context, struct mr_store *store,
                                        struct mr_names *names, const double *scores,
                                        const struct mr_why_options *options,
                                        const uint32_t *vertices, size_t n, struct mr_why *whys,
                                        struct mr_error *err) MR_WARN_UNUSED;
/* Free the lists. A zeroed struct is allowed. Call it before the context is destroyed. */
MR_API void mr_why_free(struct mr_why *why);

/* ---- Hosts ---- */

struct mr_host_sums {
    const char *host; /* "www.example.com"; "" sums up vertices without a host. Borrowed */
    uint64_t n_vertices;
    uint64_t out_degree, in_degree; /* edges from the vertices of the host, and to them */
    uint64_t n_internal; /* edges inside the host; 0 unless asked for */
    double score; /* the sum of the scores; 0 without scores */
};

/* Takes the sums of a host. A status other than MR_OK ends the call with it. */
typedef enum mr_status (*mr_host_callback)(void *data, const struct mr_host_sums *sums,
                                           struct mr_error *err);

/* Sum up each host, or registered domain, in the order of the names: `take` gets one after the
 * other, from the thread that calls. `internal` also counts the edges inside each host. `scores`
 * [n_vertices], by vertex, are finite, or NULL; they are added in an order that depends on the
 * names alone, with compensation for rounding. Errors: USAGE for an unknown `by`, INPUT for a score
 * that is not finite, those of `take`, CORRUPT, BUDGET, INTERRUPTED. Memory: 10 bytes per vertex,
 * and up to 200 per host whose names do not follow each other. Reads the degrees once and the names
 * twice. `internal` takes 4 bytes per vertex and 8 per host more, a third reading of the names, and
 * one of the edges. */
MR_API enum mr_status mr_store_sum_hosts(const struct mr_context *context, struct mr_store *store,
                                         struct mr_names *names, enum mr_fold_by by, bool internal,
                                         const double *scores, mr_host_callback take,
                                         void *take_data, struct mr_error *err) MR_WARN_UNUSED;

/* ---- What to fetch next ---- */

/* Mark the vertices that `files` [n_files] say are fetched: bits of `fetched` [n_vertices / 8 + 1],
 * fetched[v / 8] >> v % 8 & 1, which are added. A file is a list of names, hosts or domains, or
 * what a crawler writes (docs/crawl.md). With `times` [n_vertices], 0 at first, lines of lists are
 * `name<TAB>time`, and each vertex gets the time of its latest fetch, in seconds since 1970. That
 * many `retries` that failed count as a fetch; 0: none does. Gone vertices, by the files or by the
 * store, are done: their bits are set, too, or cleared with `drop_gone`. Errors: INPUT for more
 * than `max_unknown` names that the store does not have, and for times that are none. Memory: 1
 * byte per vertex with `retries`. */
MR_API enum mr_status mr_fetched_read(const struct mr_context *context, struct mr_store *store,
                                      struct mr_names *names, const char *const *files,
                                      size_t n_files, unsigned retries, bool drop_gone,
                                      uint64_t max_unknown, uint8_t *fetched, uint32_t *times,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* Set `priorities[n]` of visits to fetched vertices: the score in `column` times the age in days,
 * from the vertex's time in `times[n]` to the latest of them. A vertex with time 0, which is not
 * known, counts as old as the oldest one. If the store has fetch facts, `times` are raised to
 * theirs, and the priority is the score times the probability that the vertex has changed since
 * (docs/opic.md). `n` is n_vertices; `store` and `names` may be NULL for scores of no store.
 * Errors: CORRUPT. Reads the facts twice. */
MR_API enum mr_status mr_fetch_priorities(const struct mr_context *context, struct mr_store *store,
                                          struct mr_names *names,
                                          const struct mr_score_column *column, uint64_t n,
                                          uint32_t *times, double *priorities,
                                          struct mr_error *err) MR_WARN_UNUSED;

/* Choose the best vertices by `column`, at most `most`, of those that are `allowed` (a bit for
 * each, as in mr_fetched_read; NULL: all) and that the store does not know as gone, at most
 * `per_host` of a host and `per_domain` of a registered domain (0: any number). `vertices[most]`
 * gets them, best first, equal ones in the order of the names, and `*n` their number. Scores are
 * not NaN. Errors: INPUT for a cap on a store of numbers, BUDGET. Memory: 16 bytes per vertex that
 * is looked at, mostly twice `most`; 8 per vertex for each cap, which reads the names once. */
MR_API enum mr_status mr_fetch_choose(const struct mr_context *context, struct mr_store *store,
                                      struct mr_names *names, const struct mr_score_column *column,
                                      const uint8_t *allowed, uint64_t most, unsigned per_host,
                                      unsigned per_domain, uint32_t *vertices, uint64_t *n,
                                      struct mr_error *err) MR_WARN_UNUSED;

#ifdef __cplusplus
}
#endif

#endif
