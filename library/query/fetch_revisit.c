/* SPDX-License-Identifier: Apache-2.0 */
/* Weighs a page by the probability that it has changed since its last fetch. The changes of a page
 * are taken for a Poisson process whose rate has a Gamma distribution. What the fetches of all
 * pages showed is the prior; the fetches of the page itself narrow it down. docs/opic.md derives
 * the formulas. If the store knows no fetches, the age takes the place of the probability: a page
 * that is twice as important is worth a visit after half the time. */
#include <math.h>

#include "engine/store/store.h"
#include "formats/pages/page_list.h"
#include "formats/score/scores.h"
#include "millrace/query.h"

/* Without a compared fetch in the whole store: a change in 30 days. */
#define DEFAULT_INTERVAL_S (30 * 86400.0)

/* How often a page changed while it was watched, and for how many seconds. */
struct watched {
    double changes, seconds;
};

/* A fetch shows one change at most, so a page that changes fast shows fewer than it has. Source:
 * Cho and Garcia-Molina, "Estimating frequency of change", 2003. */
static struct watched watched_of(const struct mr_fetch_facts *row)
{
    const double n = row->compared, c = row->changes;

    return row->compared == 0 ? (struct watched){0, 0}
                              : (struct watched){.changes = n * log((n + 0.5) / (n - c + 0.5)),
                                                 .seconds = (double)(row->last - row->first) * n /
                                                            (row->fetches - 1.0)};
}

struct visits {
    const struct mr_score_column *column;
    uint32_t *times; /* 0: not known */
    double *priorities;
    struct watched all;
    double prior_seconds; /* the mean time between changes of the average page */
    uint32_t first, last; /* of the times */
};

static void add_row(void *data, const struct mr_fetch_facts *row, uint32_t vertex)
{
    struct visits *visits = data;
    const struct watched watched = watched_of(row);

    visits->all.changes += watched.changes;
    visits->all.seconds += watched.seconds;
    visits->times[vertex] = visits->times[vertex] > row->last ? visits->times[vertex] : row->last;
}

/* The rate has the Gamma distribution of shape 1 + changes and of rate prior + seconds, so that no
 * change in the time t has the probability (b / (b + t))^a. */
static double priority(const struct visits *visits, struct watched watched, uint32_t vertex)
{
    const uint32_t time =
        visits->times[vertex] > 0 ? visits->times[vertex] : visits->first; /* the oldest */
    const double t = visits->last - time;
    const double a = 1 + watched.changes, b = visits->prior_seconds + watched.seconds;

    return mr_score_at(visits->column, vertex) * -expm1(-a * log1p(t / b));
}

static void set_row(void *data, const struct mr_fetch_facts *row, uint32_t vertex)
{
    struct visits *visits = data;

    visits->priorities[vertex] = priority(visits, watched_of(row), vertex);
}

static void find_range(struct visits *visits, uint64_t n)
{
    for (uint64_t v = 0; v < n; v++) {
        const uint32_t time = visits->times[v];
        visits->first = time > 0 && time < visits->first ? time : visits->first;
        visits->last = time > visits->last ? time : visits->last;
    }
}

enum mr_status mr_fetch_priorities(const struct mr_context *context, struct mr_store *store,
                                   struct mr_names *names, const struct mr_score_column *column,
                                   uint64_t n, uint32_t *times, double *priorities,
                                   struct mr_error *err)
{
    const bool has_facts = store != NULL && mr_store_get_info(store)->n_facts > 0;
    struct visits visits = {
        .column = column, .times = times, .priorities = priorities, .first = UINT32_MAX};
    enum mr_status status =
        has_facts ? mr_page_facts_read(context, store, names, add_row, &visits, err) : MR_OK;

    if (status != MR_OK) {
        return status;
    }
    visits.prior_seconds =
        visits.all.seconds > 0 ? visits.all.seconds / (1 + visits.all.changes) : DEFAULT_INTERVAL_S;
    find_range(&visits, n);
    for (uint64_t v = 0; v < n; v++) { /* the average page, unless there is a row */
        const uint32_t time = times[v] > 0 ? times[v] : visits.first;
        priorities[v] = has_facts ? priority(&visits, (struct watched){0, 0}, (uint32_t)v)
                        : time > visits.last
                            ? 0
                            : mr_score_at(column, v) * ((visits.last - time) / 86400.0);
    }
    return has_facts ? mr_page_facts_read(context, store, names, set_row, &visits, err) : MR_OK;
}
