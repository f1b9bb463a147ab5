/* SPDX-License-Identifier: Apache-2.0 */
/* Collects what a report says about the graph alone: the distributions of degrees, and the map of
 * where links go. The map has rows of targets and columns of sources, both in the order in which
 * the store numbers its pages; it shows how near links are to each other on disk. */
#include <math.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/scan/edges.h"
#include "engine/scan/neighbours.h"
#include "library/report/report.h"

unsigned mr_report_bin(double value)
{
    int exponent = 0;
    const double fraction = frexp(value, &exponent); /* 0.5 to 1 */
    const int bin =
        (exponent - 1 + 48) * MR_REPORT_OCTAVE + (int)((fraction - 0.5) * 2 * MR_REPORT_OCTAVE);
    return bin < 0 ? 0 : bin >= MR_REPORT_BINS ? MR_REPORT_BINS - 1 : (unsigned)bin;
}

double mr_report_bin_least(unsigned bin)
{
    return ldexp(0.5 + (double)(bin % MR_REPORT_OCTAVE) / (2 * MR_REPORT_OCTAVE),
                 (int)(bin / MR_REPORT_OCTAVE) - 48 + 1);
}

size_t mr_report_cumulate(const struct mr_distribution *distribution, double scale, double *x,
                          double *y)
{
    uint64_t rest = distribution->n;
    size_t n = 0;

    for (unsigned bin = 0; bin < MR_REPORT_BINS; bin++) {
        if (distribution->counts[bin] > 0) {
            x[n] = mr_report_bin_least(bin) * scale;
            y[n++] = (double)rest / (double)distribution->n;
            rest -= distribution->counts[bin];
        }
    }
    return n;
}

static enum mr_status take_degrees(void *data, uint64_t first, const uint32_t *degrees,
                                   const double *strengths, size_t n, struct mr_error *err)
{
    struct mr_distribution *distribution = data;

    (void)first;
    (void)strengths;
    (void)err;
    for (size_t i = 0; i < n; i++) {
        if (degrees[i] > 0) {
            /* Degrees above 2^16 share bins of their own range by their logarithm. */
            distribution->counts[mr_report_bin((double)degrees[i] / MR_REPORT_DEGREE_SCALE)]++;
            distribution->n++;
        }
    }
    return MR_OK;
}

/* The page of the list that this vertex is. */
static struct mr_report_page *linked_page(struct mr_report *report, uint32_t vertex)
{
    struct mr_report_page *page = report->scores[0].top;
    while (page->vertex != vertex) {
        page++;
    }
    return page;
}

/* Keeps the best pages that link to `page`, best first, equal ones in the order of the store. */
static void add_linker(const double *scores, struct mr_report_page *page, uint32_t from)
{
    unsigned at = page->n_linkers;

    for (unsigned i = 0; i < page->n_linkers; i++) {
        if (page->linkers[i] == from) {
            return; /* it has several links */
        }
    }
    while (at > 0 &&
           (scores[from] > scores[page->linkers[at - 1]] ||
            (scores[from] == scores[page->linkers[at - 1]] && from < page->linkers[at - 1]))) {
        at--;
    }
    if (isnan(scores[from]) || at == MR_REPORT_LINKERS) {
        return;
    }
    page->n_linkers += page->n_linkers < MR_REPORT_LINKERS;
    memmove(&page->linkers[at + 1], &page->linkers[at],
            (page->n_linkers - 1 - at) * sizeof page->linkers[0]);
    page->linkers[at] = from;
}

static enum mr_status take_edges(void *data, const uint32_t (*pairs)[2], const float *weights,
                                 size_t n_pairs, struct mr_error *err)
{
    struct mr_report *report = data;
    const uint64_t n = report->n_vertices;

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint64_t column = pairs[i][0] * (uint64_t)MR_REPORT_MAP / n;
        const uint64_t row = pairs[i][1] * (uint64_t)MR_REPORT_MAP / n;
        report->map[row * MR_REPORT_MAP + column]++;
        report->near_links += row == column;
        const uint32_t to = pairs[i][1];
        if (report->linked != NULL && (report->linked[to / 8] >> to % 8 & 1) != 0) {
            add_linker(report->scores[0].values, linked_page(report, to), pairs[i][0]);
        }
    }
    return MR_OK;
}

static enum mr_status read_links(const struct mr_context *context, struct mr_report *report,
                                 struct mr_error *err)
{
    enum mr_status status = MR_OK;

    if (report->n_scores > 0) {
        status = mr_memory_alloc(context->memory, "linked pages", report->n_vertices / 8 + 1,
                                 &report->linked, err);
    }
    if (status == MR_OK && report->linked != NULL) {
        memset(report->linked, 0, report->n_vertices / 8 + 1);
        for (uint64_t i = 0; i < mr_min_u64(report->scores[0].n_top, MR_REPORT_LINKED); i++) {
            const uint32_t v = report->scores[0].top[i].vertex;
            report->linked[v / 8] = (uint8_t)(report->linked[v / 8] | 1u << v % 8);
        }
    }
    if (status == MR_OK) {
        status = mr_edges_read(context, report->store, NULL, take_edges, report, err);
    }
    mr_memory_free(context->memory, report->linked);
    return status;
}

enum mr_status mr_report_read_graph(const struct mr_context *context, struct mr_report *report,
                                    struct mr_error *err)
{
    struct mr_store *store = report->store;
    enum mr_status status =
        mr_degrees_read(context, store, MR_DEGREES_IN, take_degrees, &report->in, err);

    if (status == MR_OK) {
        status = mr_degrees_read(context, store, MR_DEGREES_OUT, take_degrees, &report->out, err);
    }
    return status == MR_OK ? read_links(context, report, err) : status;
}
