/* SPDX-License-Identifier: Apache-2.0 */
/* Rankings: by mr_rank all the kinds of mr_ranking_kind_at. The functions work out of core on an
 * open store. They read its edges from disk as often as the memory budget makes necessary.
 *
 * A ranking is a handle with one or more columns of scores, each of n_vertices doubles by vertex,
 * or floats in single precision, or of labels (enum mr_score_type). mr_scores_write writes the
 * columns to a file. The same store and options give the same bits, for any threads and I/O back
 * end. They do for any memory, too, if the options set the acceleration; a fixed rule sets it lower
 * where memory is small.
 *
 * A struct of options has an initialiser, such as MR_CERTIFY_OPTIONS_INIT, which sets its size and
 * the defaults; NULL in place of options means the same.
 *
 * PageRank and its relatives end with a certificate: a final pass computes the residual of the
 * scores, which bounds their distance to the exact scores (docs/solver.md). A function that returns
 * MR_NOT_CONVERGED gives a ranking too, with the bound that it reached. */
#ifndef MILLRACE_RANK_H
#define MILLRACE_RANK_H

#include "millrace/scores.h"
#include "millrace/store.h"
#include "millrace/weights.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mr_ranking;

/* The meaning of error_bound. */
enum mr_bound_kind {
    MR_BOUND_NONE,
    MR_BOUND_ERROR, /* proven: the sum of the errors of all scores is at most error_bound */
    MR_BOUND_ESTIMATE, /* HITS: an estimate of the error, without a proof */
    MR_BOUND_STATIONARITY, /* OPIC: the distance of the scores to stationary ones, not to a limit */
    MR_BOUND_RELATIVE /* katz: as MR_BOUND_ERROR, divided by the sum of the scores */
};

/* Figures of a ranking. Fields that an algorithm does not have are 0. */
struct mr_ranking_figures {
    size_t struct_size; /* sizeof(struct mr_ranking_figures), set by the caller */
    uint64_t n_vertices;
    /* The ranking reached what ends it: the tolerance, a given number of iterations or sweeps, or
     * with `until` the proof; then error_bound may be above `tolerance`. */
    bool converged;
    enum mr_bound_kind bound_kind;
    double error_bound; /* of the kind in bound_kind; 0 without a bound */
    double tolerance; /* the tolerance of the caller, or the default */
    /* PageRank: bound on the L1 residual of the certified vector, relative to the vector's sum */
    double residual;
    /* PageRank: the part of error_bound that comes from rounding in the certificate */
    double rounding_bound;
    double change; /* HITS: the larger change of the two vectors in the last round */
    double eigenvalue; /* HITS: the largest eigenvalue; 0: no edges, and all scores are 0 */
    unsigned passes; /* complete passes over the edges */
    uint64_t rounds; /* HITS: rounds of two passes each; OPIC: sweeps */
    uint64_t bytes_read; /* bytes that passes over the edges read from disk */
    double seconds; /* time inside passes */
    bool proven_until; /* PageRank: what `until` asked for is proven */
};

/* Get the columns of a ranking, [*n_columns], in the form that mr_scores_write takes. The array,
 * the names and the values belong to the ranking. `n_columns` may be NULL. */
MR_API const struct mr_score_column *mr_ranking_columns(const struct mr_ranking *ranking,
                                                        unsigned *n_columns);

/* Get the scores of column `column`, [n_vertices], by vertex; NULL if it has floats or labels,
 * which mr_ranking_columns gives. `column` is from 0 and below the number of columns. The scores
 * belong to the ranking. */
static inline const double *mr_ranking_scores(const struct mr_ranking *ranking, unsigned column)
{
    const struct mr_score_column *const found = &mr_ranking_columns(ranking, NULL)[column];
    return found->type == MR_SCORES_DOUBLE ? (const double *)found->values : NULL;
}

/* Fill `figures`. The caller sets its struct_size. */
MR_API void mr_ranking_describe(const struct mr_ranking *ranking,
                                struct mr_ranking_figures *figures);

/* Free a ranking. NULL is allowed. Free it before its context is destroyed; the store may be closed
 * already. */
MR_API void mr_ranking_free(struct mr_ranking *ranking);

/* ---- Kinds of rankings ----
 *
 * A kind is one table: the columns of a ranking, its options, its figures. mr_rank runs any kind,
 * and checks each value that a caller gives against the row of its option. The flags, help and JSON
 * of the program and the functions of Python come from the same rows. */

enum mr_rank_type {
    MR_RANK_FLAG = 1, /* `count`, 0 or 1 */
    MR_RANK_COUNT, /* `count` */
    MR_RANK_REAL, /* `real` */
    MR_RANK_TEXT, /* `text` */
    MR_RANK_CHOICE, /* `text`, one of the choices */
    MR_RANK_PAGES, /* `pages` [count]: ascending by vertex; finite, >= 0, one at least above 0 */
    MR_RANK_WEIGHTS, /* as PAGES; the lines of the program's file have weights */
    MR_RANK_TIMES, /* as PAGES, with times of fetches, from 0 to below 2^32 */
    MR_RANK_INTERVALS, /* as TIMES, with seconds between fetches */
    MR_RANK_VERTICES, /* `vertices` [count]: ascending */
    MR_RANK_FETCHED, /* `text`, one of the choices, or VERTICES, which are the last choice, or both
                      */
    MR_RANK_FILE, /* `text`, the path of a file that the run reads and replaces */
    MR_RANK_REALS, /* `reals` [count]; of an option a score for each vertex, NAN: it has none */
    MR_RANK_TABLE, /* `records` [count]; of figures only */
    MR_RANK_RECORD, /* a TABLE of one record */
    MR_RANK_STORE, /* `store`, with its weights where those of the links count */
    MR_RANK_VECTORS /* `vectors` [count]: each becomes a column with its name */
};

/* Pages of one of several vectors: as PAGES of an option. */
struct mr_rank_vector {
    const char *name;
    const struct mr_vertex_weight *pages; /* [count] */
    uint64_t count;
};

/* The value of an option or a figure: `name`, and what its type says. */
struct mr_named_value {
    const char *name;
    double real;
    uint64_t count;
    const char *text;
    const struct mr_vertex_weight *pages; /* borrowed for the call, as are `vertices` */
    const uint32_t *vertices;
    const double *reals;
    const void *records; /* for mr_ranking_record */
    struct mr_store *store; /* borrowed for the call, as are the vectors */
    const struct mr_rank_vector *vectors;
};

struct mr_rank_option {
    const char *name; /* words with dashes between; NULL ends the rows */
    enum mr_rank_type type;
    size_t offset; /* for the library */
    const char *value; /* what stands for the value in a help text, such as "N" */
    const char *help; /* plain words; ends with the default */
    /* CHOICE: words with | between; the first one is the default. REALS: the score of a file that
     * the program reads, as in mr_scores_read; NULL: the last. */
    const char *choices;
    double usual; /* FLAG, COUNT, REAL: the value if none is given, perhaps outside the range */
    double least, most; /* COUNT, REAL: the range of values */
    bool above_least, below_most; /* this end does not belong to it */
    bool often; /* people use it: the short help of the program explains it in a line */
    const char *excludes; /* options that cannot be given too, with | between; or NULL */
    const char *why; /* what it does, behind its name in a message about `excludes`; or NULL */
    const char *needs; /* options of which one must be given, too, likewise; or NULL */
    const char *also; /* what other programs call it, with blanks between; or NULL */
};

struct mr_rank_figure {
    const char *name; /* words with _ between; NULL ends the rows */
    enum mr_rank_type type;
    size_t offset; /* for the library */
    const char *help; /* what it says, in plain words; NULL: the row before says it, too */
    const char *const *words; /* CHOICE: for the library */
    const char *needs; /* options, with | between: only runs with one of them have it; or NULL */
    const char *excludes; /* likewise: no run with one of them has it */
    const char *part; /* the name of rows that several kinds have; or NULL */
    const struct mr_rank_figure *fields; /* TABLE, RECORD: of a record; NULL ends them */
    size_t record_bytes; /* TABLE: for the library */
};

struct mr_rank_column {
    const char *name; /* NULL ends the rows */
    const char *needs, *excludes; /* as in figures */
    bool is_label; /* its values are vertices or words (enum mr_score_type), not scores */
};

struct mr_ranking_work;

struct mr_ranking_kind {
    const char *name; /* of the command and the function: "salsa" */
    const char *summary; /* one line */
    const char *text; /* what it computes, in plain words */
    const char *examples; /* commands, each indented by two blanks */
    const struct mr_rank_column *columns; /* the last one is the score of a page */
    unsigned n_written; /* columns that the program writes unless told otherwise; 0: all */
    bool takes_weights; /* weights count on a handle from mr_store_open_weights */
    bool weighs_classes; /* the program may weigh links inside a host, and others */
    const char *needs; /* options of which one must be given, with | between; NULL: none */
    const struct mr_rank_option *options;
    const struct mr_rank_figure *figures;
    const struct mr_ranking_work *work; /* of the library */
};

/* Get kind number `index`; NULL past the last. The kinds are in the order of their names. */
MR_API const struct mr_ranking_kind *mr_ranking_kind_at(size_t index);

/* Rank `store` by `kind`, the name of a kind, with `values` [n_values] in place of defaults.
 * `names` are those of the store. They may be NULL; with them, what depends on an order of pages
 * depends on that of the names. The caller frees `*ranking`, which is NULL after every error except
 * MR_NOT_CONVERGED.
 *
 * Errors: USAGE for an unknown kind, an unknown option, and a value that its row does not allow;
 * CORRUPT, BUDGET, INTERRUPTED, RUNTIME. Costs: mr_rank_plan. */
MR_API enum mr_status mr_rank(const struct mr_context *context, struct mr_store *store,
                              struct mr_names *names, const char *kind,
                              const struct mr_named_value *values, size_t n_values,
                              struct mr_ranking **ranking, struct mr_error *err) MR_WARN_UNUSED;

/* What a ranking takes, the open store included. */
struct mr_rank_costs {
    uint64_t least_bytes; /* of memory: less is refused */
    uint64_t memory_bytes; /* of memory that it can make use of */
    uint64_t temporary_bytes; /* of disk */
    double passes; /* over the edges; a guess */
    double goal; /* the error bound that ends the run; 0: none does */
    uint64_t rounds; /* that end the run; 0: other things do */
};

/* Fill `plan` for a call of mr_rank with the same arguments. Of values of pages and reals only the
 * names count. Without a store only `passes`, `goal` and `rounds` say something. Reads nothing.
 * Errors: USAGE, as mr_rank. */
MR_API enum mr_status mr_rank_plan(const struct mr_context *context, struct mr_store *store,
                                   const char *kind, const struct mr_named_value *values,
                                   size_t n_values, struct mr_rank_costs *plan,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Get the value of a figure of the ranking's kind. What `value` points to belongs to the ranking. A
 * REAL that the ranking does not have is NAN, a TEXT is NULL. The name of a figure whose `needs`
 * the run did not have, or whose `excludes` it had, is NULL. */
MR_API void mr_ranking_value(const struct mr_ranking *ranking, const struct mr_rank_figure *figure,
                             struct mr_named_value *value);

/* Get a field of record number `record` of a figure that is a TABLE or RECORD. `records` is the
 * value of that figure. The field may be a TABLE, too. */
MR_API void mr_ranking_record(const struct mr_rank_figure *table,
                              const struct mr_named_value *records, uint64_t record,
                              const struct mr_rank_figure *field, struct mr_named_value *value);

/* Get what there is to say about the result, such as "hubs: 3, authorities: 4", in lines; "" if
 * there is nothing. It belongs to the ranking. */
MR_API const char *mr_ranking_text(const struct mr_ranking *ranking);

/* ---- The best pages of many seeds ----
 *
 * Personalised PageRank of one teleport after the other, of which only the best pages are wanted. A
 * push follows links from the seed as far as the error asks: it costs no pass over the edges, and
 * hardly more on a large graph than on a small one. The out-edges of the store are sorted once,
 * when a push is opened; they stay in memory, or in a temporary file if they do not fit. A seed
 * that follows half as many edges as there are (at least 2^20) is ranked by passes over all edges
 * instead, as in "ppr", if memory has room for them. The same store, seeds and options give the
 * same bits, for any threads, and for any memory that has this room. */

struct mr_push;

struct mr_push_options {
    size_t struct_size; /* sizeof(struct mr_push_options) */
    double damping; /* at least 0 and below 1 */
    /* "teleport", "uniform" or "none", as the option of "ppr"; NULL: "teleport" */
    const char *dangling;
};
#define MR_PUSH_OPTIONS_INIT                                                                       \
    {                                                                                              \
        sizeof(struct mr_push_options), 0.85, NULL                                                 \
    }

/* What came of one seed. This struct does not grow in later versions. */
struct mr_push_answer {
    uint64_t n; /* its best pages; fewer than asked for if no others have a score; 0: empty seed */
    double bound; /* the sum of the errors of all scores, listed or not, is at most this */
    /* These are the best pages by the exact scores, too, as a set: no other page is better than one
     * of them. Pages that surely have the same score count as the same. */
    bool proven;
};

/* Prepare pushes on `store`, which stays open until mr_push_close. A handle from
 * mr_store_open_weights has the weights of links. `options` may be NULL. The caller closes `*out`
 * with mr_push_close, before the context is destroyed; it is NULL after an error.
 *
 * Errors: USAGE for options that are not valid and for a store whose classes of links have weights;
 * BUDGET with the least memory; else as mr_rank. Time: two readings of the edges and a pass; with
 * "uniform" a PageRank. Memory: 20 bytes per vertex, 32 more for each thread, and 4 (with weights
 * 8) per edge if they fit, else the edges in a file in the directory of temporary files. */
MR_API enum mr_status mr_push_open(const struct mr_context *context, struct mr_store *store,
                                   const struct mr_push_options *options, struct mr_push **out,
                                   struct mr_error *err) MR_WARN_UNUSED;
/* Fill `plan` for a call of mr_push_open: its memory, the disk if the edges do not fit into memory,
 * readings of the edges. Reads nothing. Errors: USAGE. */
MR_API enum mr_status mr_push_plan(const struct mr_context *context, struct mr_store *store,
                                   const struct mr_push_options *options,
                                   struct mr_rank_costs *plan, struct mr_error *err) MR_WARN_UNUSED;
/* Close a push. NULL is allowed. */
MR_API void mr_push_close(struct mr_push *push);

/* Find the best `top` (1 .. n_vertices) pages of each of `seeds` [n_seeds], so that the errors of
 * all scores of a seed add up to at most `error`, above 0 and at most 1. Pages of a seed are as
 * PAGES of an option; a seed without a weight above 0 is empty, and has no pages. Page number i of
 * seed s is vertices[s * top + i], with scores[s * top + i], best first, equal ones by vertex;
 * answers [n_seeds].
 *
 * Any number of threads may call it at the same time. Each call takes as many threads as the
 * context has, or as memory had room for; a call waits while others have all of them. While a call
 * runs nothing else uses the handle of the store.
 *
 * Errors: USAGE; NOT_CONVERGED after all seeds are answered, where `error` is so small (below 1e-8)
 * that doubles do not reach it; INTERRUPTED; RUNTIME for the file. */
MR_API enum mr_status mr_push_best(struct mr_push *push, const struct mr_rank_vector *seeds,
                                   uint64_t n_seeds, uint64_t top, double error, uint32_t *vertices,
                                   double *scores, struct mr_push_answer *answers,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* ---- Certificates ---- */

struct mr_certify_options {
    size_t struct_size; /* sizeof(struct mr_certify_options) */
    double damping; /* of the exact ranking, above 0 and below 1 */
    uint64_t top; /* how many of the best to prove; above n_vertices: all */
    /* Teleport weights of the exact ranking, as PAGES of an option; dangling vertices link by
     * the same weights. NULL: the same weight for all vertices. Borrowed for the call. */
    const struct mr_vertex_weight *teleport; /* [n_teleport] */
    uint64_t n_teleport;
    bool is_uniform; /* dangling vertices link to all vertices, also where there is a teleport */
    uint64_t max_unknown; /* names of a file of scores that the store may lack */
};
#define MR_CERTIFY_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(struct mr_certify_options), 0.85, 100, NULL, 0, false, 0                            \
    }

struct mr_certify_figures {
    size_t struct_size; /* sizeof(struct mr_certify_figures), set by the caller */
    double score_sum; /* of the given scores; they are divided by it */
    double error_bound; /* of the 1-norm of scores / sum - exact ranks */
    double residual; /* bound on that of the scaled scores, in the 1-norm */
    double rounding_bound; /* the part of error_bound that comes from rounding here */
    uint64_t top; /* vertices that are asked for, at most n_vertices */
    /* of the `top` best by the given scores, those that are surely among the `top` best by the
     * exact ranks */
    uint64_t top_proven;
    /* the first of them, as many as surely are in their exact order, each above all that follow */
    uint64_t order_proven;
    uint64_t n_found, n_unknown; /* vertices with a score; names of a file that the store lacks */
};

/* Prove how far `scores` are from the exact PageRank of `store`, whoever made them
 * (docs/certify.md). They are finite and >= 0, of any sum, with at least one above 0; a vertex
 * without a score has 0. `names`, those of the store, are for the names of a file. A handle from
 * mr_store_open_weights has the exact ranking with weights. `options` may be NULL.
 *
 * Errors: USAGE for options that are not valid; INPUT for scores that are not, for more than
 * max_unknown names, and for a store without vertices; else as mr_rank. Memory: 8 bytes per vertex,
 * 16 per vertex of `top`, and the buffers of a pass. Time: one pass over the edges and one reading
 * of the degrees. */
MR_API enum mr_status mr_scores_certify(const struct mr_context *context, struct mr_store *store,
                                        struct mr_names *names, const struct mr_scores_side *scores,
                                        const struct mr_certify_options *options,
                                        struct mr_certify_figures *figures,
                                        struct mr_error *err) MR_WARN_UNUSED;

#define MR_HARMONIC_SAMPLE_MAX 1048576u

/* Relative errors of the sample: score / exact value - 1. */
struct mr_certify_harmonic_figures {
    size_t struct_size; /* sizeof(struct mr_certify_harmonic_figures), set by the caller */
    uint64_t sample; /* vertices that were searched from, at most n_vertices */
    uint64_t n_unreached; /* of these, vertices that no other vertex reaches */
    /* of these, vertices whose error is at most 1, 2 and 3 stated deviations */
    uint64_t within_1, within_2, within_3;
    double mean_error, mean_signed_error; /* of the absolute errors, and with their signs */
    double largest_error; /* absolute; infinite for a score of a vertex that nothing reaches */
    uint32_t largest_vertex; /* which has it */
};

/* Measure how far `scores`, as above, are from the exact harmonic centralities of `store` along
 * incoming paths, at `sample` random vertices (1 .. MR_HARMONIC_SAMPLE_MAX), which `seed` draws.
 * `relative_error`, 0 to 1, is the standard deviation that the maker of the scores states.
 *
 * Errors: USAGE for parameters out of range, INPUT for scores that are not valid and for a store
 * without vertices; else as mr_rank. Memory: 16 bytes per vertex. Time: for each 64 vertices
 * of the sample a reading of the edges per distance. */
MR_API enum mr_status mr_scores_certify_harmonic(const struct mr_context *context,
                                                 struct mr_store *store, struct mr_names *names,
                                                 const struct mr_scores_side *scores,
                                                 uint64_t max_unknown, double relative_error,
                                                 uint64_t sample, uint64_t seed,
                                                 struct mr_certify_harmonic_figures *figures,
                                                 struct mr_error *err) MR_WARN_UNUSED;

#ifdef __cplusplus
}
#endif

#endif
