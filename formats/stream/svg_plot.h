/* A plot of a few curves as an SVG file that any browser shows: no library, no fonts of its own. */
#ifndef MR_FORMATS_STREAM_SVG_PLOT_H
#define MR_FORMATS_STREAM_SVG_PLOT_H

#include "engine/base/context.h"

#include <stdbool.h>

enum { MR_PLOT_MAX_CURVES = 6 };

struct mr_plot_curve {
    const char *name;
    const double *x, *y; /* [n_points], x ascending, borrowed */
    uint64_t n_points;
};

struct mr_plot {
    const char *title, *x_label, *y_label; /* plain text */
    double x_end, y_end; /* > 0: axes go from 0 to there */
    const struct mr_plot_curve *curves; /* [n_curves] */
    unsigned n_curves; /* up to MR_PLOT_MAX_CURVES */
};

/* Draw `plot` into `path` (formats/stream/output.h). Colours are told apart by the colour-blind (Okabe and Ito
 * 2008), curves by dashes too. The same plot makes the same bytes. */
enum mr_status mr_plot_write(const struct mr_context *context, const char *path, bool force,
                             const struct mr_plot *plot, struct mr_error *err) MR_WARN_UNUSED;

#endif
