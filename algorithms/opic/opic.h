/* SPDX-License-Identifier: Apache-2.0 */
/* OPIC, the on-line computation of page importance, in batch over a store (Abiteboul, Preda, Cobena
 * 2003; docs/opic.md says what is computed and where the sources disagree).
 *
 * Each vertex has cash. One virtual page has edges to and from all vertices. A visit of a vertex
 * adds its cash to its history, pays a tax to the virtual page, and splits the rest over its
 * out-edges. A vertex without out-edges pays everything to the virtual page. The virtual page pays
 * out by a rule. Cash is a 64-bit integer. The virtual page gets what a division leaves over, so
 * that the total is 2^62 units at every moment:
 *
 *     sum of cash + cash of the virtual page = 2^62
 *
 * A sweep visits many vertices at once, each with the cash that it had at the beginning of the
 * sweep. All sums of cash are integers, so that the bits are the same for any threads, memory and
 * I/O back end. The importance of a vertex is its history plus its cash, divided by the sum over
 * all vertices. With a window T this is AOPIC: the cash that came in during the last T.
 *
 *     create -> (load | nothing) -> run -> scores, unfetched, write -> destroy */
#ifndef MR_ALGORITHMS_OPIC_OPIC_H
#define MR_ALGORITHMS_OPIC_OPIC_H

#include "engine/names/name_table.h"
#include "engine/pass/pass.h"
#include "millrace/weights.h"

struct mr_opic;

/* ---- Options ---- */

enum mr_opic_policy {
    MR_OPIC_CYCLIC, /* every fetched vertex in each sweep */
    MR_OPIC_GREEDY, /* the richest vertices, which hold half of the cash; all in every 16th sweep */
    MR_OPIC_RANDOM /* a tenth of the vertices, drawn anew for each sweep */
};

enum mr_opic_payout { /* the vertices that the virtual page pays, all the same amount */
                      MR_OPIC_PAY_ALL,
                      MR_OPIC_PAY_UNVISITED, /* those never visited: favours discovery */
                      MR_OPIC_PAY_VISITED, /* those visited before: favours recrawling */
                      MR_OPIC_PAY_TARGETS /* those of a list: a focused crawl */
};

/* the vertices that may be visited; the others keep their cash, which is their priority */
enum mr_opic_fetched {
    MR_OPIC_FETCHED_ALL,
    MR_OPIC_FETCHED_LINKS, /* those with out-edges, and those in the list */
    MR_OPIC_FETCHED_LIST /* those in the list */
};

/* What vertices that a state does not know begin with. */
enum mr_opic_new_pages {
    MR_OPIC_NEW_BY_WINDOW, /* with a window their average, else nothing */
    MR_OPIC_NEW_AVERAGE, /* the average history of the latest vertices */
    MR_OPIC_NEW_ZERO
};

/* Lists are ascending, and borrowed for the call. */
struct mr_opic_options {
    double tax; /* 0..1; MR_OPIC_OPTIONS_INIT sets 0.15 */
    /* The virtual page is one edge more of each vertex: it gets a 1 / (d + 1) of the cash, and
     * `tax` is ignored. There is then no limit, so the bound is on stationarity. Not with `drain`,
     * nor with `internal`. */
    bool tax_one_link;
    /* the virtual page pays once, at the beginning, and keeps all cash that it gets later */
    bool drain;
    enum mr_opic_policy policy;
    uint64_t visits; /* vertices visited per sweep; 0: the policy decides */
    uint64_t seed; /* for the random policy */
    enum mr_opic_payout payout;
    const uint32_t *targets; /* [n_targets], for MR_OPIC_PAY_TARGETS */
    uint64_t n_targets;
    enum mr_opic_fetched fetched_rule;
    const uint32_t *fetched; /* [n_fetched] */
    uint64_t n_fetched;
    bool ignore_self_loops;
    /* Weights of edges inside a host and between hosts. `internal` is a store of the edges inside a
     * host only, with the same vertices (and without self-loops if those are ignored). NULL: all
     * edges weigh the same. */
    struct mr_store *internal;
    double internal_weight, external_weight; /* 0..2^20, not both 0 */
    /* The window of adaptive OPIC, in units of the total cash moved by visits, or in the unit of
     * `times` if those are given. 0: no window, plain OPIC. */
    double window;
    /* Windows of single vertices: `window_intervals` times the interval of the vertex, if that is
     * above 0; other vertices have `window`. History is then what came in per `window`, at the rate
     * of the vertex's own window. */
    double window_intervals; /* above 0 if there are intervals */
    const struct mr_vertex_weight *intervals; /* [n_intervals], in the unit of `times`; copied */
    uint64_t n_intervals;
    /* Times of visits (whole numbers in [0, 2^32)). Each vertex in the list is visited once, at its
     * time, if that is after its last visit. The times are cut into `sweeps` slices (0: one). Other
     * vertices are not visited. A vertex in the list counts as fetched, whatever `fetched_rule`
     * says; states save that. */
    const struct mr_vertex_weight *times; /* [n_times] */
    uint64_t n_times;
    enum mr_opic_new_pages new_pages;
    /* The run stops at the first of these limits. */
    double tolerance; /* of the error bound; 0: none */
    uint64_t sweeps; /* number of sweeps; 0: at most 100000 */
    double cash_left; /* share of the total cash on fetched vertices with edges; 0: none */
    bool no_pinning; /* keep no edges in memory from one pass to the next */
};
#define MR_OPIC_OPTIONS_INIT                                                                       \
    {                                                                                              \
        .tax = 0.15, .internal_weight = 1, .external_weight = 1                                    \
    }

#define MR_OPIC_TOTAL (UINT64_C(1) << 62) /* units of cash in every system */

/* ---- Results ---- */

enum mr_opic_bound {
    MR_OPIC_NO_BOUND,
    /* L1 distance of the scores to PageRank with damping 1 - tax and teleport to the payout's
     * vertices */
    MR_OPIC_DISTANCE,
    /* |P^T X - X|_1: the distance of the scores to stationary ones, not to a limit */
    MR_OPIC_STATIONARITY
};

struct mr_opic_result {
    bool converged; /* the run reached the tolerance, or none was set */
    enum mr_opic_bound bound_kind;
    double error_bound; /* of the kind in bound_kind; INFINITY without a bound */
    bool measured; /* a pass measured the bound; otherwise it follows from the cash */
    /* 2 / (|H| + 1), where |H| includes the virtual page's history; INFINITY with a window */
    double stationarity;
    double history; /* |H|: sum of the vertices' histories, in units of the total */
    double moved; /* cash moved in the last sweep, as a share of the total */
    double cash_left; /* share of the total cash on fetched vertices with edges */
    double virtual_cash; /* share of the total cash on the virtual page */
    uint64_t cash_sum; /* counted after each sweep; always MR_OPIC_TOTAL if there are vertices */
    uint64_t sweeps, visits; /* of this run */
    uint64_t total_sweeps, total_visits; /* in the whole life of the state */
    /* vertices that may be visited; vertices that were ever visited */
    uint64_t n_fetched, n_visited;
    struct mr_pass_figures figures;
};

/* Figures of a merge. */
struct mr_opic_merge {
    uint64_t kept, added, vanished; /* numbers of vertices */
    double vanished_cash; /* share of the total that vanished vertices left to the virtual page */
    double added_cash; /* share of the total that the virtual page paid to the added vertices */
    double added_history; /* of each added vertex, in units of the total */
    /* the state has times of visits in other units: all its vertices count as visited now */
    bool other_clock;
    bool unchanged; /* the store and the parameters are the same, so that the proof goes on */
};

/* Do vertices that a state does not know begin with the average history? */
static inline bool mr_opic_new_get_average(const struct mr_opic_options *options)
{
    return options->new_pages == MR_OPIC_NEW_AVERAGE ||
           (options->new_pages == MR_OPIC_NEW_BY_WINDOW && options->window > 0);
}

/* Create a system in which the virtual page has just paid all its cash to the vertices. Memory: 29
 * bytes per vertex (with weights 20 more), and buffers of bounded size; the rest of the budget pins
 * blocks. Reads the degrees, and all edges once if self-loops are ignored. Errors: USAGE for
 * options that are not valid, BUDGET. */
enum mr_status mr_opic_create(const struct mr_context *context, struct mr_store *store,
                              const struct mr_opic_options *options, struct mr_opic **out,
                              struct mr_error *err) MR_WARN_UNUSED;
void mr_opic_destroy(struct mr_opic *opic);

/* ---- State between crawls (engine/names/name_table.h) ---- */

#define MR_OPIC_HEAD_BYTES 160u
extern const struct mr_name_table_kind mr_opic_state;

/* Replace the beginning by a state: vertices are matched by name. The cash of vanished vertices
 * goes to the virtual page. The virtual page pays each new vertex its share of the total, or all it
 * has in equal parts if that is less. Call it before mr_opic_run. Errors: CORRUPT when the cash of
 * the state does not add up to the total, INPUT. */
enum mr_status mr_opic_load(struct mr_opic *opic, struct mr_name_table_reader *reader,
                            struct mr_names *names, mr_name_key key, struct mr_opic_merge *merge,
                            struct mr_error *err) MR_WARN_UNUSED;

/* The head of the state, and the row of a vertex, for mr_name_table_write. */
void mr_opic_describe(const struct mr_opic *opic, uint8_t head[MR_OPIC_HEAD_BYTES]);
void mr_opic_fill_row(const void *opic, uint32_t vertex, uint8_t *row);

/* ---- The run ---- */

/* Sweep until a rule of the options says stop. Returns MR_NOT_CONVERGED, with `result` filled, when
 * the run did not reach the tolerance that was asked for. Each sweep reads the degrees, and the
 * edges of the visited vertices. After any other error (also INTERRUPTED), call nothing but
 * destroy. */
enum mr_status mr_opic_run(struct mr_opic *opic, struct mr_opic_result *result,
                           struct mr_error *err) MR_WARN_UNUSED;

/* The importance of each vertex, [n_vertices], with the sum 1 (all 0 without cash). Valid until the
 * next call of a function of `opic`. */
const double *mr_opic_scores(struct mr_opic *opic);

/* The same, for a caller that frees them with mr_memory_free. NULL without vertices. */
double *mr_opic_give_scores(struct mr_opic *opic) MR_WARN_UNUSED;

/* The cash of each vertex that is not fetched, as a share of the total. It is -1 for a fetched
 * vertex, and for one that had a time in this run or an earlier one. Valid as long as the scores.
 * `*n_unfetched` is the number of entries that are not -1. */
const double *mr_opic_unfetched(struct mr_opic *opic, uint64_t *n_unfetched);

/* The same for the fetched vertices: their cash since their last visit is what they are worth
 * fetching again. It is -1 for the others. `*n_fetched` is the number of entries that are not. */
const double *mr_opic_refetch(struct mr_opic *opic, uint64_t *n_fetched);

/* What the system knows of a vertex. */
struct mr_opic_page {
    double cash; /* as a share of the total */
    double history; /* in totals */
    /* the last visit, or when the vertex came in: seconds since 1970 if the run has times, else the
     * cash moved until then, in totals */
    double last;
};
struct mr_opic_page mr_opic_get_page(const struct mr_opic *opic, uint64_t vertex);

/* The same from a row of a state, whose head tells the clock. Errors: CORRUPT for a row that makes
 * no sense. */
enum mr_status mr_opic_page_of_row(const uint8_t *head, const uint8_t *row,
                                   struct mr_opic_page *page, bool *visited, bool *has_times,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Bytes that a system of cash takes at the least, and what of them it keeps after mr_opic_run. */
uint64_t mr_opic_memory(const struct mr_store_info *info, const struct mr_opic_options *options);
uint64_t mr_opic_result_memory(const struct mr_store_info *info,
                               const struct mr_opic_options *options);

#endif
