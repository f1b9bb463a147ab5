/* SPDX-License-Identifier: Apache-2.0 */
/* Collects what a report says about the graph alone: the distributions of degrees, and the map of
 * where links go. The map has rows of targets and columns of sources, both in the order in which
 * the store numbers its pages; it shows how near links are to each other on disk. */
#include <math.h>

#include "engine/scan/edges.h"
#include "engine/scan/neighbours.h"
#include "library/report/report.h"

unsigned mr_report_bin(double value)
{
    int exponent = 0;
    const double fraction = frexp(value, &exponent); /* 0.5 to 1 */
    const int bin = (exponent - 1 + 48) * 8 + (int)((fraction - 0.5) * 16.0);
    return bin < 0 ? 0 : bin >= MR_REPORT_BINS ? MR_REPORT_BINS - 1 : (unsigned)bin;
}

double mr_report_bin_least(unsigned bin)
{
    return ldexp(0.5 + (double)(bin % 8) / 16.0, (int)(bin / 8) - 48 + 1);
}

static enum mr_status take_degrees(void *data, uint64_t first, const uint32_t *degrees, size_t n,
                                   struct mr_error *err)
{
    struct mr_distribution *distribution = data;

    (void)first;
    (void)err;
    for (size_t i = 0; i < n; i++) {
        if (degrees[i] > 0) {
            /* Degrees above 2^16 share bins of their own range by their logarithm. */
            distribution->counts[mr_report_bin((double)degrees[i] * 0x1p-32)]++;
            distribution->n++;
        }
    }
    return MR_OK;
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
    }
    return MR_OK;
}

enum mr_status mr_report_read_graph(const struct mr_context *context, struct mr_report *report,
                                    struct mr_error *err)
{
    struct mr_store *store = report->store;
    enum mr_status status =
        mr_degrees_read(context, store, MR_DEGREES_IN, take_degrees, &report->in, err);

    report->n_vertices = mr_store_get_info(store)->n_vertices;
    if (status == MR_OK) {
        status = mr_degrees_read(context, store, MR_DEGREES_OUT, take_degrees, &report->out, err);
    }
    return status == MR_OK ? mr_edges_read(context, store, NULL, take_edges, report, err) : status;
}
