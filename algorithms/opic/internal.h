/* What the parts of OPIC share. Internal to algorithms.
 *
 *     create.c       options, arrays, passes, the first payment
 *     opic.c         run, stop, bounds, results
 *     cash_sweep.c   one sweep over the bands: visits, links, sums; the measured bound
 *     choose.c       which pages a sweep visits
 *     opic_state.c   the state file's rows and head, merging, paying new pages */
#ifndef MR_ALGORITHMS_OPIC_INTERNAL_H
#define MR_ALGORITHMS_OPIC_INTERNAL_H

#include "algorithms/opic/opic.h"

__extension__ typedef unsigned __int128 mr_u128;

enum mr_opic_flag {
    OPIC_FETCHED = 1, /* may be visited */
    OPIC_LINKED = 2, /* fetched, and has links that count */
    OPIC_TARGET = 4,
    OPIC_VISITED = 8, /* in some sweep, of this or an earlier run */
    OPIC_FIRST = 16, /* first visited in the sweep that is going on */
    OPIC_MARKED = 32, /* chosen for the sweep that is going on */
    OPIC_RECENT = 64, /* among the pages added last */
    OPIC_NEW = 128 /* being added */
};
/* In rows of the state. FETCHED stands for a time of a fetch there, as in the array `timed`. */
#define OPIC_STORED_FLAGS (OPIC_FETCHED | OPIC_VISITED | OPIC_RECENT)

/* How a sweep knows its pages. */
enum opic_choice { OPIC_CHOOSE_ALL, OPIC_CHOOSE_RICH, OPIC_CHOOSE_MARKED };

enum opic_clock { OPIC_CLOCK_CASH, OPIC_CLOCK_TIME };

/* Ticks of the cash clock per total moved: last visits have 32 bits, enough for 2^20 totals. */
#define OPIC_TICK_BITS 12

/* Cash by size: four classes per power of two, for the greedy threshold. */
#define OPIC_CLASSES 256u

struct opic_self_loop {
    uint32_t vertex, count;
};

/* Sums over a band, added up in band order; units of cash unless told otherwise. */
struct opic_sums {
    uint64_t cash, linked_cash; /* after the sweep */
    uint64_t moved, to_virtual; /* by visits */
    uint64_t lost; /* of what links should have got, truncated; without the tax's own truncation */
    uint64_t visits, first_visits; /* pages */
    double history, score; /* units of the total */
    uint64_t measured, given, residual; /* of mr_opic_measure */
};

struct mr_opic {
    const struct mr_context *context;
    struct mr_store *store;
    const struct mr_store_info *info;
    struct mr_opic_options options;
    struct mr_pass *pass;
    struct mr_pass *internal_pass; /* NULL without weights */
    uint64_t kept; /* 1 - tax, in 2^-63 */
    uint64_t internal_weight, external_weight; /* in 2^-20 */

    uint64_t *cash; /* [n] */
    uint64_t
        *share; /* [mr_pass_vector_length]: what each link (between hosts) carries; or scores */
    uint64_t *internal_share; /* likewise: what a link inside a host carries more, modulo 2^64 */
    uint64_t *internal_sum; /* [n]: what came in of that */
    uint32_t *internal_degree; /* [n] */
    double *history; /* [n], in units of the total */
    uint32_t *last; /* [n], time of the last visit, or of the page's coming */
    uint8_t *flags; /* [n], enum mr_opic_flag */
    uint8_t *timed; /* [n / 8], bits: the page has, or had in an earlier run, a time of a fetch */
    uint8_t *active_stripes; /* [mr_pass_stripes] */
    struct opic_self_loop *self_loops; /* [n_self_loops], ascending, when ignored */
    uint64_t n_self_loops, self_loop_room;
    struct opic_sums *sums; /* [n_bands] */
    struct opic_sums total; /* of the latest sweep */
    uint64_t *digits; /* [2^16], for choosing; NULL where not needed */
    uint32_t *by_time; /* [n_times]: places in options.times, by time */

    uint64_t virtual_cash;
    uint64_t n_targets, n_fetched, n_visited;
    uint64_t classes[OPIC_CLASSES]; /* cash of fetched pages by size */

    enum opic_clock clock_kind;
    uint64_t clock; /* ticks: 2^-12 of the total moved, or units of times */
    mr_u128 distributed; /* moved by visits, ever */
    mr_u128 paid; /* by the virtual page, since `foreign` was set */
    double window; /* in ticks */

    /* The proof (docs/opic.md): what did not come about by this graph's links from the payout's
     * vector, and what truncation took since then. */
    double foreign;
    uint64_t lost;
    uint64_t proof_sweeps;

    uint64_t sweep; /* ever */
    uint64_t visits; /* ever */
    uint64_t runs; /* that wrote a state */
    uint64_t cursor; /* cyclic with a number of visits: the next page */
    bool has_paid; /* in this run */

    /* Of the sweep that is going on: */
    enum opic_choice choice;
    uint64_t threshold;
    uint64_t pay; /* to each payee */
    uint64_t salt; /* of the random policy */
    double measure_scale; /* units per unit of score */
};

/* A division of cash over a page's links. */
struct opic_split {
    uint64_t share; /* per link, between hosts where there are weights */
    uint64_t internal_share;
    uint64_t to_links; /* all of them together */
    uint64_t lost; /* by the division */
};

static inline bool mr_opic_is_timed(const struct mr_opic *opic, uint64_t v)
{
    return (opic->timed[v >> 3] >> (v & 7) & 1) != 0;
}
static inline void mr_opic_note_time(struct mr_opic *opic, uint64_t v)
{
    opic->timed[v >> 3] |= (uint8_t)(1u << (v & 7));
}

/* choose.c: set choice, threshold and marks for the next sweep, the `number`-th of this run from
 * 0. False when there is nothing left to visit by times. */
bool mr_opic_choose(struct mr_opic *opic, uint64_t number);
uint32_t mr_opic_class(uint64_t cash);

/* cash_sweep.c: choose has been called. */
enum mr_status mr_opic_sweep(struct mr_opic *opic, struct mr_error *err) MR_WARN_UNUSED;
/* Degrees into LINKED flags (and internal degrees). */
enum mr_status mr_opic_survey(struct mr_opic *opic, struct mr_error *err) MR_WARN_UNUSED;
/* Sums over cash, history and scores as they are. */
enum mr_status mr_opic_add_up(struct mr_opic *opic, struct mr_error *err) MR_WARN_UNUSED;
/* One pass over the links: a bound on the distance of the scores to PageRank, whatever led to them. */
enum mr_status mr_opic_measure(struct mr_opic *opic, double *bound,
                               struct mr_error *err) MR_WARN_UNUSED;

/* opic_state.c: the virtual page pays the pages marked NEW, which are `n_new`. */
void mr_opic_inject(struct mr_opic *opic, uint64_t n_new, bool all_of_it);

/* AOPIC's interpolation: history after a visit that finds `cash` (units of the total), `since` ticks
 * after the one before. since >= T: cash * T / since; else history * (T - since) / T + cash. */
static inline double mr_opic_interpolate(double window, double history, double cash, double since)
{
    return since >= window ? cash * (window / since) : history * ((window - since) / window) + cash;
}

/* The unnormalised importance: history and cash, with a window as a visit now would leave them. */
static inline double mr_opic_score(const struct mr_opic *opic, uint32_t v)
{
    const double cash = (double)opic->cash[v] * 0x1p-62;
    if (!(opic->window > 0)) {
        return opic->history[v] + cash;
    }
    const double since = (double)opic->clock - (double)opic->last[v];
    return mr_opic_interpolate(opic->window, opic->history[v], cash, since > 0 ? since : 0);
}

#endif
