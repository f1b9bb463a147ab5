/* SPDX-License-Identifier: Apache-2.0 */
/* A plot of a few curves as an SVG file, which any browser shows. It needs no library and no
 * fonts. */
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
    double x_end, y_end; /* > 0: the axes go from 0 to these values */
    const struct mr_plot_curve *curves; /* [n_curves] */
    unsigned n_curves; /* up to MR_PLOT_MAX_CURVES */
};

/* Draw `plot` to `path` (formats/stream/output.h). The colours are distinct for colour-blind
 * readers too (Okabe and Ito 2008), and the curves also differ by their dashes. The same plot gives
 * the same bytes. Errors: those of mr_output_open and of writing. */
enum mr_status mr_plot_write(const struct mr_context *context, const char *path, bool force,
                             const struct mr_plot *plot, struct mr_error *err) MR_WARN_UNUSED;

#endif
