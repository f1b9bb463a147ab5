/* SPDX-License-Identifier: Apache-2.0 */
/* Structs and functions that the parts of OPIC share, and the map of the parts.
 *
 *     create.c       options, arrays, passes, the first payment
 *     opic.c         run, stop, bounds, results
 *     cash_sweep.c   one sweep over the bands: visits, edges, sums; the measured bound
 *     choose.c       the vertices that a sweep visits
 *     opic_state.c   rows and head of the state file, merging, paying new vertices */
#ifndef MR_ALGORITHMS_OPIC_INTERNAL_H
#define MR_ALGORITHMS_OPIC_INTERNAL_H

#include "algorithms/opic/opic.h"

__extension__ typedef unsigned __int128 mr_u128;

enum mr_opic_flag {
    OPIC_FETCHED = 1, /* may be visited */
    OPIC_LINKED = 2, /* fetched, and has edges with a weight above 0 */
    OPIC_TARGET = 4,
    OPIC_VISITED = 8, /* in some sweep, of this or an earlier run */
    OPIC_FIRST = 16, /* first visited in the current sweep */
    OPIC_MARKED = 32, /* chosen for the current sweep */
    OPIC_RECENT = 64, /* among the vertices of the last addition */
    OPIC_NEW = 128 /* being added now */
};
/* The flags in rows of the state. There, FETCHED means that the vertex had a time, as in the array
 * `timed`. */
#define OPIC_STORED_FLAGS (OPIC_FETCHED | OPIC_VISITED | OPIC_RECENT)

/* How a sweep recognises its vertices. */
enum opic_choice { OPIC_CHOOSE_ALL, OPIC_CHOOSE_RICH, OPIC_CHOOSE_MARKED };

enum opic_clock { OPIC_CLOCK_CASH, OPIC_CLOCK_TIME };

/* The cash clock has 2^12 ticks per total moved. Last visits have 32 bits: enough for 2^20
 * totals. */
#define OPIC_TICK_BITS 12

/* Classes of cash by size, four per power of two, for the greedy threshold. */
#define OPIC_CLASSES 256u

struct opic_self_loop {
    uint32_t vertex, count;
};

/* Sums over a band; total_up adds them in the order of the bands. Units of cash, unless the field
 * says otherwise. */
struct opic_sums {
    uint64_t cash, linked_cash; /* after the sweep */
    uint64_t moved, to_virtual; /* by the visits of the sweep */
    /* the part of the edges' cash that divisions cut off; without the rounding of the tax */
    uint64_t lost;
    uint64_t visits, first_visits; /* numbers of vertices */
    double history, score; /* in units of the total */
    uint64_t measured, given, above, below; /* for mr_opic_measure */
};

struct mr_opic {
    const struct mr_context *context;
    struct mr_store *store;
    const struct mr_store_info *info;
    struct mr_opic_options options;
    struct mr_pass *pass;
    struct mr_pass *internal_pass; /* NULL if all edges weigh the same */
    uint64_t kept; /* 1 - tax, as a fraction of 2^63 */
    /* The larger one is exact, in 2^63..2^64; the smaller one is cut off by less than 1. */
    uint64_t internal_weight, external_weight;

    uint64_t *cash; /* [n] */
    /* [mr_pass_vector_length]: the cash that each edge (between hosts) carries; scores after the
     * run */
    uint64_t *share;
    bool has_given; /* `share` belongs to the caller of mr_opic_give_scores */
    /* [mr_pass_vector_length]: what an edge inside a host carries above that, modulo 2^64 */
    uint64_t *internal_share;
    uint64_t *internal_sum; /* [n]: the sum of internal_share that came in */
    uint32_t *internal_degree; /* [n] */
    double *history; /* [n], in units of the total */
    /* [n], time of the last visit; for a vertex without a visit, the time when it was added */
    uint32_t *last;
    uint8_t *flags; /* [n], enum mr_opic_flag */
    /* [n / 8], bits: the vertex has a time of a fetch, in this run or an earlier one */
    uint8_t *timed;
    uint8_t *active_stripes; /* [mr_pass_stripes] */
    struct opic_self_loop *self_loops; /* [n_self_loops], ascending, where self-loops are ignored */
    uint64_t n_self_loops, self_loop_room;
    struct opic_sums *sums; /* [n_bands] */
    struct opic_sums total; /* of the latest sweep */
    uint64_t *digits; /* [2^16], for choosing; NULL if the options need no choice */
    uint32_t *by_time; /* [n_times]: indices into options.times, ordered by time */

    uint64_t virtual_cash;
    uint64_t n_targets, n_fetched, n_visited;
    uint64_t classes[OPIC_CLASSES]; /* cash of fetched vertices, by class */

    enum opic_clock clock_kind;
    uint64_t clock; /* in ticks of 2^-12 of the total moved, or in units of times */
    mr_u128 distributed; /* cash that visits moved in the whole life of the state */
    mr_u128 paid; /* cash that the virtual page paid since `foreign` was set */
    double window; /* in ticks */
    float *windows; /* [n], of single vertices, in ticks; 0: `window`. NULL: none has its own */

    /* The proof (docs/opic.md). `foreign`: history and cash that did not come over the edges of
     * this graph from the payout's vector. `lost`: units that truncation cut off since then. */
    double foreign;
    uint64_t lost;
    uint64_t proof_sweeps;

    uint64_t sweep; /* in the whole life of the state */
    uint64_t visits; /* in the whole life of the state */
    uint64_t runs; /* runs that wrote a state */
    uint64_t cursor; /* cyclic policy with a number of visits: the next vertex */
    bool has_paid; /* the virtual page has paid in this run */

    /* For the current sweep: */
    enum opic_choice choice;
    uint64_t threshold;
    uint64_t pay; /* the payment to each payee */
    uint64_t salt; /* for the random policy */
    double measure_scale; /* units per unit of score */

    /* Where no page of the frontier is fetched, sweeps leave its bands out. They add up the shares
     * of each vertex of the core, and one pass in the end brings them to the frontier. The sums
     * stand in `share` behind those of the core, which no pass reads; NULL: each sweep makes all
     * bands. `late_pay`: what the virtual page paid to each payee meanwhile. */
    uint64_t *late_shares;
    uint64_t late_pay;
    uint32_t end_band; /* of sweeps */
};

/* The division of a vertex's cash over its edges. */
struct opic_split {
    uint64_t share; /* per edge; with weights, per edge between hosts */
    uint64_t internal_share;
    uint64_t to_links; /* the sum over all edges */
    uint64_t lost; /* what the division leaves over, and what weights that are cut off move */
};

static inline bool mr_opic_is_timed(const struct mr_opic *opic, uint64_t v)
{
    return (opic->timed[v >> 3] >> (v & 7) & 1) != 0;
}
static inline void mr_opic_note_time(struct mr_opic *opic, uint64_t v)
{
    opic->timed[v >> 3] |= (uint8_t)(1u << (v & 7));
}

/* choose.c: set choice, threshold and marks for the next sweep. `number` counts the sweeps of this
 * run from 0. Returns false when no times are left to visit. */
bool mr_opic_choose(struct mr_opic *opic, uint64_t number);
uint32_t mr_opic_class(uint64_t cash);

/* cash_sweep.c: one sweep. Call mr_opic_choose first. */
enum mr_status mr_opic_sweep(struct mr_opic *opic, struct mr_error *err) MR_WARN_UNUSED;
/* Read the degrees; set the LINKED flags and the internal degrees. */
enum mr_status mr_opic_survey(struct mr_opic *opic, struct mr_error *err) MR_WARN_UNUSED;
/* Compute the sums over cash, history and scores without a sweep. */
enum mr_status mr_opic_add_up(struct mr_opic *opic, struct mr_error *err) MR_WARN_UNUSED;
/* Before the first sweep of a run: leave the frontier out, if that can be. After the last one, and
 * before its cash is looked at: bring what it got since, and compute the sums again. */
void mr_opic_leave_frontier(struct mr_opic *opic);
enum mr_status mr_opic_settle_frontier(struct mr_opic *opic, struct mr_error *err) MR_WARN_UNUSED;
/* One pass over the edges: compute a bound on the distance of the scores to PageRank, which is
 * valid for any scores. */
enum mr_status mr_opic_measure(struct mr_opic *opic, double *bound,
                               struct mr_error *err) MR_WARN_UNUSED;

/* opic_state.c: the virtual page pays the `n_new` vertices that are marked NEW. */
void mr_opic_inject(struct mr_opic *opic, uint64_t n_new, bool all_of_it);

/* AOPIC's interpolation: the history after a visit with `cash` (in units of the total), `since`
 * ticks after the previous visit. If since >= W: cash * T / since; else: history * (W - since) / W
 * + cash * T / W. W is the window of the vertex; T is that of all histories, so that they compare.
 * W = T where vertices have no windows of their own. */
static inline double mr_opic_interpolate(double all, double window, double history, double cash,
                                         double since)
{
    return since >= window ? cash * (all / since)
                           : history * ((window - since) / window) + cash * (all / window);
}

static inline double mr_opic_window(const struct mr_opic *opic, uint32_t v)
{
    return opic->windows != NULL && opic->windows[v] > 0 ? (double)opic->windows[v] : opic->window;
}

/* The unnormalised importance: history plus cash; with a window, the history that a visit now would
 * set. */
static inline double mr_opic_score(const struct mr_opic *opic, uint32_t v)
{
    const double cash = (double)opic->cash[v] * 0x1p-62;
    if (!(opic->window > 0)) {
        return opic->history[v] + cash;
    }
    const double since = (double)opic->clock - (double)opic->last[v];
    return mr_opic_interpolate(opic->window, mr_opic_window(opic, v), opic->history[v], cash,
                               since > 0 ? since : 0);
}

#define MR_SELECT_DIGITS (1u << 16) /* counters, with which choose.c finds the largest keys */

#endif
