/* SPDX-License-Identifier: Apache-2.0 */
/* Charts as SVG: lines over linear or logarithmic axes, and maps of cells. A chart has plain
 * attributes, which librsvg, Inkscape and LaTeX draw as browsers do. The classes grid, s0 to s3, d0
 * to d3 and cell let the style of a page have other colours. */
#ifndef MR_LIBRARY_REPORT_CHART_H
#define MR_LIBRARY_REPORT_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct mr_series {
    const char *label;
    const double *x, *y; /* [n]; points that an axis cannot show (0 on a logarithm) are left out */
    size_t n;
};

struct mr_chart {
    const char *name; /* the id of its <svg>, and the name of its file */
    const char *title; /* for people who do not see the picture */
    const char *x_label, *y_label;
    bool log_x, log_y;
    const struct mr_series *series; /* [n_series], at most 4 */
    size_t n_series;
    bool dots; /* at the points, where they are few */
};

/* Writes one <svg> element. */
void mr_chart_lines(FILE *out, const struct mr_chart *chart);
/* Writes the points that it shows of a series, in their order, as ,"x":[...],"y":[...]. */
void mr_chart_values(FILE *out, const struct mr_chart *chart, size_t series);

/* A map of side x side cells; darker cells have a larger count, on a logarithm. */
struct mr_chart_cells {
    const char *name, *title, *x_label, *y_label; /* as above */
    const uint64_t *counts; /* [side * side], row by row */
    unsigned side;
    char *const *labels; /* [side], of rows and, as numbers, of columns; NULL: there are none */
};
void mr_chart_map(FILE *out, const struct mr_chart_cells *map);

#endif
