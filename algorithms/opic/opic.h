/* OPIC, the on-line computation of page importance, in batch over a stored graph (Abiteboul, Preda,
 * Cobena 2003; docs/opic.md says what is computed and where the sources disagree).
 *
 * Each page has cash; one virtual page links to and from all of them. A visit of a page adds its cash
 * to its history, pays a tax of it to the virtual page and splits the rest over its links; a page
 * without links pays all to the virtual page, which pays out by a rule. Cash is a 64-bit integer, what
 * a division leaves over goes to the virtual page, so that the total is 2^62 units at every moment:
 *
 *     sum of cash + cash of the virtual page = 2^62
 *
 * A sweep visits many pages at once, each with the cash it had at the beginning: integer sums, the
 * same bits for any threads, memory and I/O back end. The importance of a page is its history and
 * cash, as a share of all pages'. With a window T it is AOPIC: what came in during the last T.
 *
 *     create -> (load | nothing) -> run -> scores, unfetched, write -> destroy */
#ifndef MR_ALGORITHMS_OPIC_OPIC_H
#define MR_ALGORITHMS_OPIC_OPIC_H

#include "engine/base/vertex_weight.h"
#include "engine/names/name_table.h"
#include "engine/pass/pass.h"

struct mr_opic;

#define MR_OPIC_TOTAL (UINT64_C(1) << 62) /* units of cash in every system */

enum mr_opic_policy {
    MR_OPIC_CYCLIC, /* every fetched page in each sweep */
    MR_OPIC_GREEDY, /* the richest, which hold half of the cash; every 16th sweep all */
    MR_OPIC_RANDOM /* a tenth of the pages, drawn anew for each sweep */
};

enum mr_opic_payout { /* which pages the virtual page pays, each the same */
                      MR_OPIC_PAY_ALL,
                      MR_OPIC_PAY_UNVISITED, /* never visited so far: favours discovery */
                      MR_OPIC_PAY_VISITED, /* visited before: favours recrawling */
                      MR_OPIC_PAY_TARGETS /* those of a list: a focused crawl */
};

enum mr_opic_fetched { /* which pages may be visited; others keep their cash, which is their priority */
                       MR_OPIC_FETCHED_ALL,
                       MR_OPIC_FETCHED_LINKS, /* those with out-links, and those listed */
                       MR_OPIC_FETCHED_LIST /* those listed */
};

/* Lists are ascending and borrowed until destroy. */
struct mr_opic_options {
    size_t struct_size; /* sizeof(struct mr_opic_options) */
    double tax; /* 0..1; mr_opic_defaults sets 0.15 */
    bool drain; /* the virtual page pays once, at the beginning, and keeps what it then gets */
    enum mr_opic_policy policy;
    uint64_t visits; /* pages visited per sweep; 0: as the policy says */
    uint64_t seed; /* of the random policy */
    enum mr_opic_payout payout;
    const uint32_t *targets; /* [n_targets], for MR_OPIC_PAY_TARGETS */
    uint64_t n_targets;
    enum mr_opic_fetched fetched_rule;
    const uint32_t *fetched; /* [n_fetched] */
    uint64_t n_fetched;
    bool ignore_self_loops;
    /* Weights of links inside a host and between hosts: `internal` has the former alone, over the same
     * vertices (without self-loops where those are ignored); NULL: all links weigh the same. */
    struct mr_store *internal;
    double internal_weight, external_weight; /* 0..2^20, not both 0 */
    /* Adaptive. The window is in units of the total cash moved by visits, or with `times` in the unit
     * of those; 0: none, plain OPIC. */
    double window;
    /* Times of visits (whole numbers in [0, 2^32)): each page listed is visited once, at its time if
     * that is after its last visit, in `sweeps` slices of time (0: one). No other page is. A page listed
     * counts as fetched, whatever `fetched_rule` says; states keep that. */
    const struct mr_vertex_weight *times; /* [n_times] */
    uint64_t n_times;
    bool new_pages_at_zero; /* else new pages begin with the average history of the latest ones */
    /* When to stop: at whichever comes first. */
    double tolerance; /* on the error bound; 0: not by it */
    uint64_t sweeps; /* 0: not by their number (but by 100000) */
    double cash_left; /* share of the total on fetched pages with links; 0: not by it */
    enum mr_queue_backend backend;
    bool no_pinning;
};

enum mr_opic_bound {
    MR_OPIC_NO_BOUND,
    MR_OPIC_DISTANCE, /* L1 distance of the scores to PageRank with damping 1 - tax, teleport = payout */
    MR_OPIC_STATIONARITY /* |P^T X - X|_1: how far the scores are from stationary, not from a limit */
};

struct mr_opic_result {
    bool converged; /* the tolerance was reached, or none was asked for */
    enum mr_opic_bound bound_kind;
    double error_bound; /* of that kind; INFINITY without one */
    bool measured; /* the bound was measured by a pass, not derived from the cash */
    double
        stationarity; /* 2 / (|H| + 1), |H| including the virtual page's; INFINITY with a window */
    double history; /* |H|: sum of the pages' histories, in units of the total */
    double moved; /* cash moved in the last sweep, share of the total */
    double cash_left; /* share of the total on fetched pages with links */
    double virtual_cash; /* share of the total */
    uint64_t cash_sum; /* counted: always MR_OPIC_TOTAL (with vertices) */
    uint64_t sweeps, visits; /* of this run */
    uint64_t total_sweeps, total_visits; /* of the state's whole life */
    uint64_t n_fetched, n_visited; /* pages that may be, and were ever, visited */
    struct mr_pass_figures figures;
};

/* What a merge found. */
struct mr_opic_merge {
    uint64_t kept, added, vanished; /* pages */
    double vanished_cash; /* share of the total that went to the virtual page */
    double added_cash; /* share of the total that it paid to the added pages */
    double added_history; /* each added page's, in units of the total */
    bool other_clock; /* its times of visits are in other units: all count as visited now */
    bool unchanged; /* same store, same parameters: proofs go on */
};

void mr_opic_defaults(struct mr_opic_options *options);

/* A system in which the virtual page has just paid all its cash to the pages. Memory: 29 bytes per
 * page (with weights 20 more), and bounded buffers; spare budget pins blocks. Reads the degrees, and
 * all links once where self-loops are ignored. Errors: USAGE for options that make no sense, BUDGET. */
enum mr_status mr_opic_create(const struct mr_context *context, struct mr_store *store,
                              const struct mr_opic_options *options, struct mr_opic **out,
                              struct mr_error *err) MR_WARN_UNUSED;
void mr_opic_destroy(struct mr_opic *opic);

/* ---- State between crawls (engine/names/name_table.h) ---- */

#define MR_OPIC_STATE_KIND    "opic\0\0\0"
#define MR_OPIC_STATE_VERSION 1u
#define MR_OPIC_HEAD_BYTES    160u

/* Go on from a state, instead of from the beginning: pages are matched by name; the cash of vanished
 * ones goes to the virtual page, which pays new ones their share of the total, as far as it has it.
 * Before mr_opic_run. Errors: CORRUPT when its cash does not add up to the total, INPUT. */
enum mr_status mr_opic_load(struct mr_opic *opic, struct mr_name_table_reader *reader,
                            struct mr_names *names, mr_name_key key, struct mr_opic_merge *merge,
                            struct mr_error *err) MR_WARN_UNUSED;

/* The state's shape and head, for mr_name_table_create, and its rows. */
void mr_opic_describe(const struct mr_opic *opic, struct mr_name_table_shape *shape,
                      uint8_t head[MR_OPIC_HEAD_BYTES]);
enum mr_status mr_opic_write(const struct mr_opic *opic, struct mr_name_table_writer *writer,
                             struct mr_error *err) MR_WARN_UNUSED;

/* ---- The run ---- */

/* Sweep until a rule of the options says stop. MR_NOT_CONVERGED when it was not the tolerance asked
 * for; `result` is filled then too. Each sweep reads the degrees, and the links of pages visited. After
 * another error (INTERRUPTED among them) the system may only be destroyed. */
enum mr_status mr_opic_run(struct mr_opic *opic, struct mr_opic_result *result,
                           struct mr_error *err) MR_WARN_UNUSED;

/* Importance of each page, [n_vertices], adding up to 1 (all 0 without cash); valid until the next
 * call of a function of `opic`. */
const double *mr_opic_scores(struct mr_opic *opic);

/* Cash of each page that is not fetched, as a share of the total, -1 for fetched ones and for those that
 * had a time in this or an earlier run; valid as the scores. `*n_unfetched` is how many there are. */
const double *mr_opic_unfetched(struct mr_opic *opic, uint64_t *n_unfetched);

/* Least budget (mr_memory limit) with which this would run. */
uint64_t mr_opic_minimum_memory(const struct mr_store_info *info,
                                const struct mr_opic_options *options);

#endif
