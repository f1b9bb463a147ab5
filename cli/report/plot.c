/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a picture of chart.c to a file of its own. Around the picture stands an <svg> element with
 * the style, which follows the reader's choice of light or dark as a report does. The picture is
 * made in memory, because its size does not depend on the number of pages. */
#include "cli/report/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/chart.h"
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

static enum mr_status write_file(struct mr_session *session, const char *path, const char *text,
                                 size_t bytes, struct mr_error *err)
{
    struct mr_output *output = NULL;
    enum mr_status status =
        mr_output_open(&session->context, path, session->flags.force, &output, err);

    if (status != MR_OK) {
        return status;
    }
    status = mr_output_write(output, text, bytes, err);
    if (status != MR_OK) {
        mr_output_abandon(output);
        return status;
    }
    return mr_output_commit(output, err);
}

/* A picture in memory. */
struct picture {
    char *text;
    size_t bytes;
    FILE *out;
};

static enum mr_status begin(struct picture *picture, int width, int height, struct mr_error *err)
{
    picture->out = open_memstream(&picture->text, &picture->bytes);
    if (picture->out == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the picture");
    }
    (void)fprintf(picture->out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\">\n<style>\n"
                  ":root{background:#fff}@media(prefers-color-scheme:dark){:root{--ink:#e6e9ec;"
                  "--line:#343b43;--c0:#6cb0ff;background:#14181c}}\n",
                  width, height);
    mr_chart_style(picture->out);
    (void)fputs("</style>\n", picture->out);
    return MR_OK;
}

/* Writes the picture to `path` and frees it. */
static enum mr_status end(struct mr_session *session, struct picture *picture, const char *path,
                          struct mr_error *err)
{
    enum mr_status status = MR_OK;

    (void)fputs("</svg>\n", picture->out);
    const bool failed = ferror(picture->out) != 0;
    if (fclose(picture->out) != 0 || failed) {
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the picture");
    }
    if (status == MR_OK) {
        status = write_file(session, path, picture->text, picture->bytes, err);
    }
    free(picture->text);
    return status;
}

enum mr_status mr_plot_pairs(struct mr_session *session, const char *path,
                             const struct mr_score_pair *pairs, uint64_t n_pairs,
                             struct mr_error *err)
{
    struct picture picture = {0};
    const enum mr_status status = begin(&picture, MAP, MAP, err);

    if (status != MR_OK) {
        return status;
    }
    draw_pairs(picture.out, pairs, n_pairs);
    return end(session, &picture, path, err);
}

enum mr_status mr_plot_bounds(struct mr_session *session, const char *path, const double *points,
                              size_t n, struct mr_error *err)
{
    struct picture picture = {0};
    double *axes = calloc(2 * n + 1, sizeof *axes);
    enum mr_status status =
        axes == NULL ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the picture")
                     : begin(&picture, MR_CHART_WIDTH, MR_CHART_HEIGHT, err);

    if (status == MR_OK) {
        const struct mr_series series = {"bound", axes, axes + n, n};
        for (size_t i = 0; i < n; i++) {
            axes[i] = points[2 * i];
            axes[n + i] = points[2 * i + 1];
        }
        mr_chart_lines(picture.out,
                       &(struct mr_chart){"Error bound after each pass, logarithmic", "pass",
                                          "bound on the error", false, true, &series, 1});
        status = end(session, &picture, path, err);
    }
    free(axes);
    return status;
}
