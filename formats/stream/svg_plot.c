/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a plot of curves as an SVG file. Commands that compare scores use it for their plots. It
 * writes the few elements by itself, because they need no library, and so the same plot gives the
 * same bytes everywhere. */
#include "formats/stream/svg_plot.h"

#include <assert.h>
#include <string.h>

#include "formats/stream/output.h"

enum { WIDTH = 760, HEIGHT = 460, LEFT = 64, RIGHT = 24, TOP = 44, BOTTOM = 52, TICKS = 5 };

static const char *const colours[MR_PLOT_MAX_CURVES] = {"#0072b2", "#d55e00", "#009e73",
                                                        "#cc79a7", "#e69f00", "#56b4e9"};
static const char *const dashes[MR_PLOT_MAX_CURVES] = {"none",     "7 3",  "2 3",
                                                       "10 3 2 3", "none", "5 5"};

static double x_of(const struct mr_plot *plot, double x)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * x / plot->x_end;
}

static double y_of(const struct mr_plot *plot, double y)
{
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * y / plot->y_end;
}

/* Write `text`; characters that XML reserves become entities. */
static enum mr_status put_text(struct mr_output *out, const char *text, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    for (const char *p = text; *p != '\0' && status == MR_OK; p++) {
        const char *entity = *p == '<' ? "&lt;" : *p == '>' ? "&gt;" : *p == '&' ? "&amp;" : NULL;
        status = entity != NULL ? mr_output_write(out, entity, strlen(entity), err)
                                : mr_output_write(out, p, 1, err);
    }
    return status;
}

/* Write a text element with `attributes` and `text`. */
static enum mr_status put_label(struct mr_output *out, double x, double y, const char *attributes,
                                const char *text, struct mr_error *err)
{
    enum mr_status status =
        mr_output_print(out, err, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    if (status == MR_OK) {
        status = put_text(out, text, err);
    }
    return status == MR_OK ? mr_output_print(out, err, "</text>\n") : status;
}

static enum mr_status draw_axes(struct mr_output *out, const struct mr_plot *plot,
                                struct mr_error *err)
{
    enum mr_status status = MR_OK;
    for (int i = 0; i <= TICKS && status == MR_OK; i++) {
        const double x = plot->x_end * i / TICKS, y = plot->y_end * i / TICKS;
        const double at_x = x_of(plot, x), at_y = y_of(plot, y);
        status = mr_output_print(out, err,
                                 "<path d=\"M%.1f %dV%d M%d %.1fH%d\" stroke=\"#ddd\"/>\n"
                                 "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.4g</text>\n"
                                 "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>\n",
                                 at_x, TOP, HEIGHT - BOTTOM, LEFT, at_y, WIDTH - RIGHT, at_x,
                                 HEIGHT - BOTTOM + 18, x, LEFT - 8, at_y + 4, y);
    }
    return status;
}

static enum mr_status draw_curve(struct mr_output *out, const struct mr_plot *plot, unsigned number,
                                 struct mr_error *err)
{
    const struct mr_plot_curve *curve = &plot->curves[number];
    enum mr_status status = mr_output_print(out, err,
                                            "<polyline fill=\"none\" stroke=\"%s\" "
                                            "stroke-width=\"2\" stroke-dasharray=\"%s\" points=\"",
                                            colours[number], dashes[number]);
    for (uint64_t i = 0; i < curve->n_points && status == MR_OK; i++) {
        status = mr_output_print(out, err, "%s%.1f,%.1f", i == 0 ? "" : " ",
                                 x_of(plot, curve->x[i]), y_of(plot, curve->y[i]));
    }
    return status == MR_OK ? mr_output_print(out, err, "\"/>\n") : status;
}

/* Draw the legend in the lower right corner, which growing curves leave free. */
static enum mr_status draw_legend(struct mr_output *out, const struct mr_plot *plot,
                                  struct mr_error *err)
{
    enum mr_status status = MR_OK;
    for (unsigned i = 0; i < plot->n_curves && status == MR_OK; i++) {
        const int y = HEIGHT - BOTTOM - 16 - 20 * (int)(plot->n_curves - 1 - i);
        status = mr_output_print(out, err,
                                 "<path d=\"M%d %dh36\" stroke=\"%s\" stroke-width=\"2\" "
                                 "stroke-dasharray=\"%s\"/>\n",
                                 WIDTH - RIGHT - 190, y - 4, colours[i], dashes[i]);
        if (status == MR_OK) {
            status = put_label(out, WIDTH - RIGHT - 146, y, "", plot->curves[i].name, err);
        }
    }
    return status;
}

static enum mr_status draw(struct mr_output *out, const struct mr_plot *plot, struct mr_error *err)
{
    enum mr_status status =
        mr_output_print(out, err,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
                        "width=\"%d\" height=\"%d\" "
                        "font-family=\"sans-serif\" font-size=\"12\">\n"
                        "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                        WIDTH, HEIGHT, WIDTH, HEIGHT);
    if (status == MR_OK) {
        status = draw_axes(out, plot, err);
    }
    if (status == MR_OK) {
        status = put_label(out, WIDTH / 2.0, 24, "text-anchor=\"middle\" font-size=\"15\"",
                           plot->title, err);
    }
    if (status == MR_OK) {
        status = put_label(out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12, "text-anchor=\"middle\"",
                           plot->x_label, err);
    }
    if (status == MR_OK) {
        status = put_label(out, -(TOP + HEIGHT - BOTTOM) / 2.0, 18,
                           "text-anchor=\"middle\" transform=\"rotate(-90)\"", plot->y_label, err);
    }
    for (unsigned i = 0; i < plot->n_curves && status == MR_OK; i++) {
        status = draw_curve(out, plot, i, err);
    }
    if (status == MR_OK) {
        status = draw_legend(out, plot, err);
    }
    return status == MR_OK ? mr_output_print(out, err, "</svg>\n") : status;
}

enum mr_status mr_plot_write(const struct mr_context *context, const char *path, bool force,
                             const struct mr_plot *plot, struct mr_error *err)
{
    struct mr_output *out = NULL;
    assert(plot->n_curves <= MR_PLOT_MAX_CURVES && plot->x_end > 0 && plot->y_end > 0);
    enum mr_status status = mr_output_open(context, path, force, &out, err);
    if (status != MR_OK) {
        return status;
    }
    status = draw(out, plot, err);
    if (status != MR_OK) {
        mr_output_abandon(out);
        return status;
    }
    return mr_output_commit(out, err);
}
