/* SPDX-License-Identifier: Apache-2.0 */
/* Collects what a report says about hosts: pages, scores, links between hosts, the map of links
 * between the best ones, and the few hosts that give a host most of its links. The pages of a host
 * need not follow each other: the names of another host can stand between those of two ports. The
 * givers are found in constant memory per host: the counters of Misra and Gries (1982) in one
 * reading of the links leave all hosts that can give more than a fifth of them, and a second
 * reading counts their links. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/names/names.h"
#include "engine/scan/edges.h"
#include "formats/url/host.h"
#include "formats/url/host_numbers.h"
#include "library/report/report.h"

static void add_page(struct mr_report *report, uint32_t number, uint32_t vertex)
{
    struct mr_report_host *host = &report->hosts[number];

    report->host_of[vertex] = number;
    if (host->pages++ == 0) {
        host->first_vertex = vertex;
    }
    if (report->n_scores > 0 && !isnan(report->scores[0].values[vertex])) {
        host->score += report->scores[0].values[vertex];
    }
    if (report->spam.trust != NULL) {
        const struct mr_spam spam = mr_report_spam_at(report, vertex);
        host->pagerank += spam.pagerank;
        host->spam += spam.mass;
    }
}

/* A mr_name_take: numbers the host, and fills the arrays if they are there. */
static enum mr_status take_name(void *data, const struct mr_name_cursor *cursor, uint64_t position,
                                const char *name, size_t name_bytes, struct mr_error *err)
{
    struct mr_report *report = data;
    uint32_t host = 0;
    const enum mr_status status = mr_host_number(report->numbers, name, name_bytes, &host, err);

    (void)position;
    if (status == MR_OK && report->hosts != NULL) {
        add_page(report, host, mr_name_cursor_vertex(cursor));
    }
    return status;
}

static enum mr_status walk(const struct mr_context *context, struct mr_report *report,
                           struct mr_host_numbers *numbers, struct mr_error *err)
{
    report->numbers = numbers;
    const enum mr_status status =
        mr_names_walk(context, report->names, report->n_vertices, NULL, take_name, report, err);

    report->n_hosts = mr_host_numbers_named(numbers) ? mr_host_numbers_count(numbers) : 0;
    return status;
}

/* ---- The best hosts ---- */

unsigned mr_report_best_hosts(const struct mr_report *report, mr_host_value value,
                              uint32_t best[MR_REPORT_TOP + 1])
{
    unsigned n = 0;

    for (uint32_t host = 0; host < report->n_hosts; host++) {
        const double own = value(&report->hosts[host]);
        unsigned at = n;
        while (at > 0 && own > value(&report->hosts[best[at - 1]])) {
            at--;
        }
        if (own > 0.0 && at < report->n_best) {
            n += n < report->n_best;
            memmove(&best[at + 1], &best[at], (n - 1 - at) * sizeof best[0]);
            best[at] = host;
        }
    }
    return n;
}

static double by_score(const struct mr_report_host *host)
{
    return host->score;
}

static double by_pages(const struct mr_report_host *host)
{
    return (double)host->pages;
}

/* Finds the hosts of the list, and gives the first of them a place in the map. */
static void choose_best(struct mr_report *report)
{
    report->n_best_hosts = mr_report_best_hosts(report, report->n_scores > 0 ? by_score : by_pages,
                                                report->best_hosts);
    while (report->host_map_side < MR_REPORT_HOST_MAP &&
           report->host_map_side < report->n_best_hosts) {
        const uint32_t host = report->best_hosts[report->host_map_side];
        report->hosts[host].place = ++report->host_map_side;
    }
}

/* ---- Links between hosts ---- */

/* The counter of `from`, or NULL. A counter of 0 links is free. */
static struct mr_report_giver *giver_of(struct mr_report_host *host, uint32_t from)
{
    for (unsigned i = 0; i < MR_REPORT_GIVERS; i++) {
        if (host->givers[i].links > 0 && host->givers[i].host == from) {
            return &host->givers[i];
        }
    }
    return NULL;
}

/* One link from another host: counts it, takes a free counter, or takes one from each counter. */
static void vote(struct mr_report_host *host, uint32_t from)
{
    struct mr_report_giver *giver = giver_of(host, from);
    unsigned i = 0;

    if (giver != NULL) {
        giver->links += giver->links < UINT32_MAX;
        return;
    }
    while (i < MR_REPORT_GIVERS && host->givers[i].links > 0) {
        i++;
    }
    if (i < MR_REPORT_GIVERS) {
        host->givers[i] = (struct mr_report_giver){from, 1};
        return;
    }
    for (i = 0; i < MR_REPORT_GIVERS; i++) {
        host->givers[i].links--;
    }
}

static enum mr_status take_votes(void *data, const uint32_t (*pairs)[2], const float *weights,
                                 size_t n_pairs, struct mr_error *err)
{
    struct mr_report *report = data;

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t from = report->host_of[pairs[i][0]], to = report->host_of[pairs[i][1]];
        const uint32_t column = report->hosts[from].place, row = report->hosts[to].place;
        if (column > 0 && row > 0) {
            report->host_map[(row - 1) * report->host_map_side + column - 1]++;
        }
        if (from == to) {
            report->inside_hosts++;
            continue;
        }
        report->hosts[from].links_out++;
        report->hosts[to].links_in++;
        vote(&report->hosts[to], from);
    }
    return MR_OK;
}

/* Counters that are in use begin again, at 1, so that they stay in use. */
static void begin_counts(struct mr_report *report)
{
    for (uint32_t host = 0; host < report->n_hosts; host++) {
        for (unsigned i = 0; i < MR_REPORT_GIVERS; i++) {
            struct mr_report_giver *giver = &report->hosts[host].givers[i];
            giver->links = giver->links > 0;
        }
    }
}

static enum mr_status take_counts(void *data, const uint32_t (*pairs)[2], const float *weights,
                                  size_t n_pairs, struct mr_error *err)
{
    struct mr_report *report = data;

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t from = report->host_of[pairs[i][0]], to = report->host_of[pairs[i][1]];
        struct mr_report_giver *giver = from == to ? NULL : giver_of(&report->hosts[to], from);
        if (giver != NULL && giver->links < UINT32_MAX) {
            giver->links++;
        }
    }
    return MR_OK;
}

static int by_links(const void *a, const void *b)
{
    const struct mr_report_giver *x = a, *y = b;

    if (x->links != y->links) {
        return x->links < y->links ? 1 : -1;
    }
    return (x->host > y->host) - (x->host < y->host);
}

/* Takes the 1 of begin_counts away, and sorts the givers. */
static void end_counts(struct mr_report *report)
{
    for (uint32_t host = 0; host < report->n_hosts; host++) {
        struct mr_report_giver *givers = report->hosts[host].givers;
        for (unsigned i = 0; i < MR_REPORT_GIVERS; i++) {
            givers[i].links -= givers[i].links > 0;
        }
        qsort(givers, MR_REPORT_GIVERS, sizeof givers[0], by_links);
    }
}

static enum mr_status find_givers(const struct mr_context *context, struct mr_report *report,
                                  struct mr_error *err)
{
    struct mr_store *store = report->store;
    enum mr_status status = mr_edges_read(context, store, NULL, take_votes, report, err);

    if (status == MR_OK) {
        begin_counts(report);
        status = mr_edges_read(context, store, NULL, take_counts, report, err);
        end_counts(report);
    }
    return status;
}

enum mr_status mr_report_read_hosts(const struct mr_context *context, struct mr_report *report,
                                    struct mr_error *err)
{
    struct mr_memory *memory = context->memory;
    struct mr_store *store = report->store;
    struct mr_host_numbers *numbers = NULL;

    if (mr_store_get_info(store)->name_kind != MR_NAMES_TEXT) {
        return MR_OK;
    }
    enum mr_status status =
        mr_host_numbers_open(memory, &report->canonical, MR_FOLD_BY_HOST, 0, 1, &numbers, err);
    if (status == MR_OK) {
        status = walk(context, report, numbers, err);
    }
    if (status == MR_OK && report->n_hosts > 0) {
        const struct mr_memory_wanted arrays[] = {
            MR_WANTED("hosts of pages", report->n_vertices, &report->host_of),
            MR_WANTED("hosts", report->n_hosts, &report->hosts),
        };
        status = mr_memory_arrays(memory, arrays, err);
        if (status == MR_OK) {
            status = walk(context, report, numbers, err);
            choose_best(report);
        }
    }
    mr_host_numbers_close(numbers);
    return status == MR_OK && report->n_hosts > 0 ? find_givers(context, report, err) : status;
}

/* Does the name of a page begin with this scheme and host, and no port? */
static bool begins(const char *page, size_t bytes, const char *scheme, const char *host,
                   size_t host_bytes)
{
    const size_t before = strlen(scheme);
    return bytes > before + host_bytes && memcmp(page, scheme, before) == 0 &&
           memcmp(page + before, host, host_bytes) == 0 && page[before + host_bytes] == '/';
}

enum mr_status mr_report_host_name(const struct mr_report *report, uint32_t host, char **name,
                                   const char **scheme, struct mr_error *err)
{
    char text[MR_HOST_MAX_BYTES];
    const char *page = NULL;
    size_t bytes = 0;
    const enum mr_status status =
        mr_names_get(report->names, report->hosts[host].first_vertex, &page, &bytes, err);

    if (status != MR_OK) {
        return status;
    }
    const size_t n = mr_host_of_name(&report->canonical, page, bytes, text, sizeof text);
    *scheme = begins(page, bytes, "http://", text, n)    ? "http://"
              : begins(page, bytes, "https://", text, n) ? "https://"
                                                         : "";
    *name = strndup(text, n);
    return *name != NULL ? MR_OK
                         : mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the report");
}
