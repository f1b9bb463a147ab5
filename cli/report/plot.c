/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a picture of chart.c to a file of its own. Around the picture stands an <svg> element with
 * the style, which follows the reader's choice of light or dark as a report does. The picture is
 * made in memory, because its size does not depend on the number of pages. */
#include "cli/report/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/stream/output.h"

enum { SIDE = 40, MAP = 436 /* width and height of the map with its labels */ };

struct range {
    double least, most;
};

static bool is_shown(const struct mr_score_pair *pair)
{
    return isfinite(pair->a) && isfinite(pair->b) && pair->a > 0.0 && pair->b > 0.0;
}

static void widen(struct range *range, double score)
{
    range->least = fmin(range->least, score);
    range->most = fmax(range->most, score);
}

/* The cell of a score, from 0 to SIDE - 1. */
static unsigned cell_of(const struct range *range, double score)
{
    const double span = log(range->most) - log(range->least);
    const double at = span > 0.0 ? (log(score) - log(range->least)) / span * SIDE : 0.0;
    return at >= SIDE ? SIDE - 1 : (unsigned)at;
}

static void draw_pairs(FILE *out, const struct mr_score_pair *pairs, uint64_t n_pairs)
{
    struct range a = {INFINITY, 0.0}, b = {INFINITY, 0.0};
    uint64_t counts[SIDE * SIDE] = {0}, n = 0;
    char x_label[80] = "score in A", y_label[80] = "score in B";

    for (uint64_t i = 0; i < n_pairs; i++) {
        if (is_shown(&pairs[i])) {
            widen(&a, pairs[i].a);
            widen(&b, pairs[i].b);
            n++;
        }
    }
    for (uint64_t i = 0; i < n_pairs; i++) {
        if (is_shown(&pairs[i])) {
            counts[(SIDE - 1 - cell_of(&b, pairs[i].b)) * SIDE + cell_of(&a, pairs[i].a)]++;
        }
    }
    if (n > 0) {
        (void)snprintf(x_label, sizeof x_label, "score in A: %.3g to %.3g, logarithmic", a.least,
                       a.most);
        (void)snprintf(y_label, sizeof y_label, "score in B: %.3g to %.3g, logarithmic", b.least,
                       b.most);
    }
    mr_chart_map(out, "Pages by their scores in A and in B, both axes logarithmic", x_label,
                 y_label, counts, SIDE);
}

/* Opens the stream of a picture and writes its first lines. */
static FILE *begin(struct mr_picture *picture, int width, int height)
{
    FILE *out = open_memstream(&picture->text, &picture->bytes);

    if (out != NULL) {
        (void)fprintf(out,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\">\n<style>\n"
                      ":root{background:#fff}@media(prefers-color-scheme:dark){:root{--ink:#e6e9ec;"
                      "--line:#343b43;--c0:#6cb0ff;background:#14181c}}\n",
                      width, height);
        mr_chart_style(out);
        (void)fputs("</style>\n", out);
    }
    return out;
}

static enum mr_status out_of_memory(struct mr_error *err)
{
    return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the picture");
}

/* Writes the last line and closes the stream, which completes the picture. Without memory, the C
 * library may close a stream well and leave no text. */
static enum mr_status end(FILE *out, const struct mr_picture *picture, struct mr_error *err)
{
    (void)fputs("</svg>\n", out);
    const bool failed = ferror(out) != 0;
    return fclose(out) == 0 && !failed && picture->text != NULL ? MR_OK : out_of_memory(err);
}

enum mr_status mr_plot_pairs(const struct mr_score_pair *pairs, uint64_t n_pairs,
                             struct mr_picture *picture, struct mr_error *err)
{
    FILE *out = begin(picture, MAP, MAP);

    if (out == NULL) {
        return out_of_memory(err);
    }
    draw_pairs(out, pairs, n_pairs);
    return end(out, picture, err);
}

enum mr_status mr_plot_passes(const char *title, const char *y_label, const double *points,
                              size_t n, struct mr_picture *picture, struct mr_error *err)
{
    double *axes = calloc(2 * n + 1, sizeof *axes);
    FILE *out = axes == NULL ? NULL : begin(picture, MR_CHART_WIDTH, MR_CHART_HEIGHT);

    if (out == NULL) {
        free(axes);
        return out_of_memory(err);
    }
    const struct mr_series series = {y_label, axes, axes + n, n};
    for (size_t i = 0; i < n; i++) {
        axes[i] = points[2 * i];
        axes[n + i] = points[2 * i + 1];
    }
    mr_chart_lines(out, &(struct mr_chart){title, "pass", y_label, false, true, &series, 1, true});
    free(axes);
    return end(out, picture, err);
}

enum mr_status mr_plot_bars(const char *title, const char *x_label, const struct mr_bar *bars,
                            unsigned n, struct mr_picture *picture, struct mr_error *err)
{
    FILE *out = begin(picture, MR_CHART_WIDTH, mr_chart_bars_height(n));

    if (out == NULL) {
        return out_of_memory(err);
    }
    mr_chart_bars(out, title, x_label, bars, n);
    return end(out, picture, err);
}

enum mr_status mr_picture_write(struct mr_session *session, const struct mr_picture *picture,
                                const char *path, struct mr_error *err)
{
    struct mr_output *output = NULL;
    enum mr_status status =
        mr_output_open(&session->context, path, session->flags.force, &output, err);

    if (status != MR_OK) {
        return status;
    }
    status = mr_output_write(output, picture->text, picture->bytes, err);
    if (status != MR_OK) {
        mr_output_abandon(output);
        return status;
    }
    return mr_output_commit(output, err);
}

void mr_picture_free(struct mr_picture *picture)
{
    free(picture->text);
    *picture = (struct mr_picture){0};
}
