/* SPDX-License-Identifier: Apache-2.0 */
/* Draws charts as SVG text. `millrace report` puts them into its page, and --charts into files
 * of their own: the same bytes. The drawing is plain: two axes with a grid, lines in four
 * colours with different dashes (so that they differ without colour), a legend. Numbers are
 * rounded to a tenth of a unit, which keeps a page small. */
#include "library/report/chart.h"

#include <math.h>
#include <string.h>

#include "formats/stream/name_text.h"

enum { WIDTH = 640, HEIGHT = 360 }; /* of a chart of one line, in its own units */
enum { LEFT = 76, RIGHT = 30, TOP = 14, BOTTOM = 54 };
enum { LEGEND = 20 }; /* the height of a line of the legend */
enum { DOTS = 64 }; /* points of a line that are dots, too */

struct axis {
    double least, most; /* logarithms on a logarithmic axis */
    bool is_log;
    double from, to; /* in the picture */
};

/* Writes text with <, >, & and quotes escaped, and what is no text of UTF-8 as \xNN. */
static void text(FILE *out, const char *string)
{
    for (const char *const end = string + strlen(string); string < end;) {
        char code[3 * MR_NAME_CODE_BYTES];
        size_t odd_bytes = 0;
        const char *odd = mr_name_find_odd(string, end, MR_NAME_UTF8, &odd_bytes);
        for (; string < odd; string++) {
            (void)fprintf(out, strchr("<>&\"'", *string) != NULL ? "&#%d;" : "%c", *string);
        }
        if (odd < end) {
            (void)fwrite(code, 1, mr_name_codes(odd, odd_bytes, MR_NAME_UTF8, code), out);
            string += odd_bytes;
        }
    }
}

static const char *const colours[] = {"#1f6feb", "#c2410c", "#15803d", "#7c3aed"};
static const char *const dashes[] = {"none", "7 3", "2 3", "9 3 2 3"};

/* Begins a picture whose corner is at (0, top). */
static void begin(FILE *out, const char *name, const char *class, int top, int width, int height,
                  const char *title)
{
    (void)fprintf(out,
                  "<svg id=\"%s\"%s xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 %d %d %d\" "
                  "width=\"%d\" height=\"%d\" role=\"img\" font-family=\"sans-serif\" "
                  "font-size=\"13\" fill=\"#222\"><title>",
                  name, class, top, width, height, width, height);
    text(out, title);
    (void)fputs("</title>\n", out);
}

static void begin_series(FILE *out, size_t number)
{
    (void)fprintf(out,
                  "<path class=\"s%zu\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\" "
                  "stroke-dasharray=\"%s\" d=\"",
                  number, colours[number], dashes[number]);
}

/* The labels of the axes: in the middle below, and turned at the left. */
static void draw_labels(FILE *out, int x, int y, const char *x_label, int left, int middle,
                        const char *y_label)
{
    (void)fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", x, y);
    text(out, x_label);
    (void)fprintf(out,
                  "</text>\n<text transform=\"translate(%d %d) rotate(-90)\" "
                  "text-anchor=\"middle\">",
                  left, middle);
    text(out, y_label);
    (void)fputs("</text>\n", out);
}

static bool is_shown(const struct axis *axis, double value)
{
    return isfinite(value) && (!axis->is_log || value > 0.0);
}

static double place(const struct axis *axis, double value)
{
    const double at = axis->is_log ? log10(value) : value;
    return axis->from + (at - axis->least) / (axis->most - axis->least) * (axis->to - axis->from);
}

/* Widens the axis to whole decades, or to zero and the largest value. */
static void fit(struct axis *axis, double least, double most)
{
    if (!(least <= most)) {
        least = axis->is_log ? 1.0 : 0.0;
        most = axis->is_log ? 10.0 : 1.0;
    }
    if (axis->is_log) {
        axis->least = floor(log10(least) + 1e-9);
        axis->most = ceil(log10(most) - 1e-9);
    } else {
        axis->least = least < 0.0 ? least : 0.0;
        axis->most = most;
    }
    if (axis->most <= axis->least) {
        axis->most = axis->least + 1.0;
    }
}

static void fit_axes(const struct mr_chart *chart, struct axis *x, struct axis *y)
{
    double least_x = INFINITY, most_x = -INFINITY, least_y = INFINITY, most_y = -INFINITY;

    for (size_t s = 0; s < chart->n_series; s++) {
        const struct mr_series *series = &chart->series[s];
        for (size_t i = 0; i < series->n; i++) {
            if (is_shown(x, series->x[i]) && is_shown(y, series->y[i])) {
                least_x = fmin(least_x, series->x[i]);
                most_x = fmax(most_x, series->x[i]);
                least_y = fmin(least_y, series->y[i]);
                most_y = fmax(most_y, series->y[i]);
            }
        }
    }
    fit(x, least_x, most_x);
    fit(y, least_y, most_y);
}

/* The distance of two ticks: whole decades, or 1, 2 or 5 times a power of ten. */
static double tick_step(const struct axis *axis)
{
    const double span = axis->most - axis->least;

    if (axis->is_log) {
        return fmax(1.0, ceil(span / 8.0));
    }
    const double power = pow(10.0, floor(log10(span / 6.0)));
    const double ratio = span / 6.0 / power;
    return power * (ratio > 5.0 ? 10.0 : ratio > 2.0 ? 5.0 : ratio > 1.0 ? 2.0 : 1.0);
}

/* Ticks are multiples of their distance. */
static int first_tick(const struct axis *axis, double step)
{
    return (int)ceil(axis->least / step);
}

static int last_tick(const struct axis *axis, double step)
{
    return (int)floor(axis->most / step + 1e-9);
}

static void tick_text(FILE *out, const struct axis *axis, double at)
{
    if (!axis->is_log) {
        (void)fprintf(out, "%.4g", fabs(at) < 1e-12 ? 0.0 : at);
    } else if (at >= 0.0 && at <= 4.0) {
        (void)fprintf(out, "%.0f", pow(10.0, at));
    } else {
        (void)fprintf(out, "1e%.0f", at);
    }
}

static void draw_axes(FILE *out, const struct mr_chart *chart, const struct axis *x,
                      const struct axis *y)
{
    const double step_x = tick_step(x), step_y = tick_step(y);

    for (int i = first_tick(x, step_x); i <= last_tick(x, step_x); i++) {
        const double at = i * step_x;
        const double px = place(&(struct axis){x->least, x->most, false, x->from, x->to}, at);
        (void)fprintf(
            out,
            "<line class=\"grid\" stroke=\"#ddd\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>"
            "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">",
            px, TOP, px, HEIGHT - BOTTOM, px, HEIGHT - BOTTOM + 20);
        tick_text(out, x, at);
        (void)fputs("</text>\n", out);
    }
    for (int i = first_tick(y, step_y); i <= last_tick(y, step_y); i++) {
        const double at = i * step_y;
        const double py = place(&(struct axis){y->least, y->most, false, y->from, y->to}, at);
        (void)fprintf(
            out,
            "<line class=\"grid\" stroke=\"#ddd\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>"
            "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">",
            LEFT, py, WIDTH - RIGHT, py, LEFT - 6, py + 4);
        tick_text(out, y, at);
        (void)fputs("</text>\n", out);
    }
    draw_labels(out, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, chart->x_label, 16,
                (TOP + HEIGHT - BOTTOM) / 2, chart->y_label);
}

/* The legend stands above the axes, because lines can run through every part between them. */
static int legend_height(const struct mr_chart *chart)
{
    return chart->n_series > 1 ? LEGEND * (int)chart->n_series : 0;
}

static void draw_legend(FILE *out, const struct mr_chart *chart)
{
    for (size_t s = 0; s < chart->n_series && chart->n_series > 1; s++) {
        const int y = LEGEND / 2 + LEGEND * (int)s - legend_height(chart);
        begin_series(out, s);
        (void)fprintf(out, "M%d %dh36\"/><text x=\"%d\" y=\"%d\" text-anchor=\"end\">",
                      WIDTH - RIGHT - 44, y, WIDTH - RIGHT - 52, y + 4);
        text(out, chart->series[s].label);
        (void)fputs("</text>\n", out);
    }
}

/* A line. */
static void draw_series(FILE *out, const struct mr_series *series, size_t number,
                        const struct axis *x, const struct axis *y)
{
    char move = 'M';

    begin_series(out, number);
    for (size_t i = 0; i < series->n; i++) {
        if (is_shown(x, series->x[i]) && is_shown(y, series->y[i])) {
            (void)fprintf(out, "%c%.1f %.1f", move, place(x, series->x[i]), place(y, series->y[i]));
            move = 'L';
        }
    }
    (void)fputs("\"/>\n", out);
}

static void draw_dots(FILE *out, const struct mr_series *series, size_t number,
                      const struct axis *x, const struct axis *y)
{
    for (size_t i = 0; i < series->n && series->n <= DOTS; i++) {
        if (is_shown(x, series->x[i]) && is_shown(y, series->y[i])) {
            (void)fprintf(out,
                          "<circle class=\"d%zu\" fill=\"%s\" cx=\"%.1f\" cy=\"%.1f\" "
                          "r=\"2.5\"/>\n",
                          number, colours[number], place(x, series->x[i]), place(y, series->y[i]));
        }
    }
}

void mr_chart_lines(FILE *out, const struct mr_chart *chart)
{
    struct axis x = {.is_log = chart->log_x, .from = LEFT, .to = WIDTH - RIGHT};
    struct axis y = {.is_log = chart->log_y, .from = HEIGHT - BOTTOM, .to = TOP};

    fit_axes(chart, &x, &y);
    begin(out, chart->name, "", -legend_height(chart), WIDTH, HEIGHT + legend_height(chart),
          chart->title);
    draw_axes(out, chart, &x, &y);
    for (size_t s = 0; s < chart->n_series; s++) {
        draw_series(out, &chart->series[s], s, &x, &y);
        if (chart->dots) {
            draw_dots(out, &chart->series[s], s, &x, &y);
        }
    }
    draw_legend(out, chart);
    (void)fputs("</svg>\n", out);
}

void mr_chart_values(FILE *out, const struct mr_chart *chart, size_t number)
{
    const struct mr_series *series = &chart->series[number];
    const struct axis x = {.is_log = chart->log_x}, y = {.is_log = chart->log_y};

    for (int coordinate = 0; coordinate < 2; coordinate++) {
        const char *before = coordinate == 0 ? ",\"x\":[" : "],\"y\":[";
        const char *const first = before;
        for (size_t i = 0; i < series->n; i++) {
            if (is_shown(&x, series->x[i]) && is_shown(&y, series->y[i])) {
                (void)fprintf(out, "%s%.6g", before, coordinate == 0 ? series->x[i] : series->y[i]);
                before = ",";
            }
        }
        (void)fputs(before == first ? first : "", out);
    }
    (void)fputs("]", out);
}

/* ---- Maps ---- */

enum { SIDE = 400, LOW = 34, NAMES = 270, ROW = 24, LABEL = 32 };

/* Names at the left, long ones without their beginning; numbers at the right of them and above. */
static void draw_names(FILE *out, const struct mr_chart_cells *map, double cell)
{
    for (unsigned i = 0; i < map->side; i++) {
        const char *name = map->labels[i];
        const size_t bytes = strlen(name);
        const char *from = bytes > LABEL ? name + bytes - LABEL : name;
        const double middle = cell * (i + 0.5);
        while ((*from & 0xc0) == 0x80) {
            from++; /* inside a character */
        }
        (void)fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s", LOW + NAMES - 6,
                      LOW + middle + 4, from > name ? "&#8230;" : "");
        text(out, from);
        (void)fprintf(out, " %u</text><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%u</text>\n",
                      i + 1, LOW + NAMES + middle, LOW - 6, i + 1);
    }
}

void mr_chart_map(FILE *out, const struct mr_chart_cells *map)
{
    const unsigned side = map->side;
    const bool named = map->labels != NULL;
    const int width = named && side * ROW < SIDE ? (int)side * ROW : SIDE;
    const int left = named ? LOW + NAMES : LOW, top = named ? LOW : 1;
    const double cell = (double)width / side;
    uint64_t most = 1;

    for (unsigned i = 0; i < side * side; i++) {
        most = map->counts[i] > most ? map->counts[i] : most;
    }
    begin(out, map->name, " class=\"map\"", 0, left + width + 2, top + width + LOW, map->title);
    (void)fprintf(out,
                  "<path class=\"grid\" fill=\"none\" stroke=\"#ddd\" d=\"M%d %dh%dv%dh-%dz\"/>\n"
                  "<g class=\"cell\" fill=\"%s\">\n",
                  left, top, width, width, width, colours[0]);
    for (unsigned i = 0; i < side * side; i++) {
        if (map->counts[i] > 0) {
            (void)fprintf(out, "<path opacity=\"%.2f\" d=\"M%.1f %.1fh%.1fv%.1fh-%.1fz\"/>\n",
                          0.1 + 0.9 * log1p((double)map->counts[i]) / log1p((double)most),
                          left + cell * (i % side), top + cell * (i / side), cell, cell, cell);
        }
    }
    (void)fputs("</g>\n", out);
    if (named) {
        draw_names(out, map, cell);
    }
    draw_labels(out, left + width / 2, top + width + 22, map->x_label, 20, top + width / 2,
                map->y_label);
    (void)fputs("</svg>\n", out);
}
