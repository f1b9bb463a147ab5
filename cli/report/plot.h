/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures in files of their own, for --plot. */
#ifndef MR_CLI_REPORT_PLOT_H
#define MR_CLI_REPORT_PLOT_H

#include "cli/program/session.h"
#include "engine/base/score_pair.h"

/* Writes an SVG to `path`: how many of the `pairs` [n_pairs] have which scores in A and in B, as a
 * map on logarithmic axes. Pairs without two scores above 0 are left out. Cost: two readings of the
 * pairs. Errors: those of mr_output_open, and BUDGET. */
enum mr_status mr_plot_pairs(struct mr_session *session, const char *path,
                             const struct mr_score_pair *pairs, uint64_t n_pairs,
                             struct mr_error *err) MR_WARN_UNUSED;

/* Writes an SVG to `path`: the error bound after each pass, on a logarithmic axis. `points` [2 * n]
 * has a pass and its bound in turn. Errors: those of mr_output_open, and BUDGET. */
enum mr_status mr_plot_bounds(struct mr_session *session, const char *path, const double *points,
                              size_t n, struct mr_error *err) MR_WARN_UNUSED;

#endif
