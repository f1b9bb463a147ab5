/* SPDX-License-Identifier: Apache-2.0 */
/* Charts as SVG: lines over linear or logarithmic axes, and maps of cells. Colours are CSS
 * variables, so that the page decides on light and dark. */
#ifndef MR_CLI_REPORT_CHART_H
#define MR_CLI_REPORT_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The size of a chart of one line, in its own units. Charts of more are higher by their legend. */
enum { MR_CHART_WIDTH = 640, MR_CHART_HEIGHT = 360 };

struct mr_series {
    const char *label;
    const double *x, *y; /* [n]; points that an axis cannot show (0 on a logarithm) are left out */
    size_t n;
};

struct mr_chart {
    const char *title; /* for people who do not see the picture */
    const char *x_label, *y_label;
    bool log_x, log_y;
    const struct mr_series *series; /* [n_series], at most 4 */
    size_t n_series;
    bool dots; /* at the points, where they are few */
};

/* Writes text with <, >, & and quotes escaped, as mr_print_name does. */
void mr_html_text(FILE *out, const char *text, size_t bytes);

/* The colours and strokes of charts, as CSS for a <style> element. */
void mr_chart_style(FILE *out);

/* Writes one <svg> element. */
void mr_chart_lines(FILE *out, const struct mr_chart *chart);

/* Writes a map of side x side cells, row by row; darker cells have a larger `counts`, on a
 * logarithm. */
void mr_chart_map(FILE *out, const char *title, const char *x_label, const char *y_label,
                  const uint64_t *counts, unsigned side);

#endif
