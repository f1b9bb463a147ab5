/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures in files of their own, for --plot. */
#ifndef MR_CLI_REPORT_PLOT_H
#define MR_CLI_REPORT_PLOT_H

#include "cli/program/session.h"
#include "cli/report/chart.h"
#include "engine/base/score_pair.h"

/* A finished picture: the text of an SVG, owned. Initialise it with zeros. */
struct mr_picture {
    char *text;
    size_t bytes;
};

/* Draws how many of the `pairs` [n_pairs] have which scores in A and in B, as a map on logarithmic
 * axes. Pairs without two scores above 0 are left out. Cost: two readings of the pairs. Errors:
 * BUDGET. */
enum mr_status mr_plot_pairs(const struct mr_score_pair *pairs, uint64_t n_pairs,
                             struct mr_picture *picture, struct mr_error *err) MR_WARN_UNUSED;
/* Draws values against passes, with a logarithmic axis for the values. `points` [2 * n] has a pass
 * and its value in turn; values of 0 are left out. Errors: BUDGET. */
enum mr_status mr_plot_passes(const char *title, const char *y_label, const double *points,
                              size_t n, struct mr_picture *picture,
                              struct mr_error *err) MR_WARN_UNUSED;
/* Draws a chart of `bars` [n] as mr_chart_bars does. Errors: BUDGET. */
enum mr_status mr_plot_bars(const char *title, const char *x_label, const struct mr_bar *bars,
                            unsigned n, struct mr_picture *picture,
                            struct mr_error *err) MR_WARN_UNUSED;

/* Writes the picture to `path`. Errors: those of mr_output_open and mr_output_commit. */
enum mr_status mr_picture_write(struct mr_session *session, const struct mr_picture *picture,
                                const char *path, struct mr_error *err) MR_WARN_UNUSED;
void mr_picture_free(struct mr_picture *picture);

#endif
