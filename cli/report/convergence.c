/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the bound after each pass of a ranking, and draws it for --plot. It stands between the
 * solver and the progress meter: every solver reports its passes and its bound to the meter, so
 * that one collector serves all of them. */
#include "cli/report/convergence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/plot.h"

static void add_point(struct mr_convergence *convergence, double pass, double bound)
{
    double *points = reallocarray(convergence->points, convergence->n + 1, 2 * sizeof *points);

    if (points == NULL) {
        convergence->is_lost = true;
        return;
    }
    points[2 * convergence->n] = pass;
    points[2 * convergence->n + 1] = bound;
    convergence->points = points;
    convergence->n++;
}

static void take_report(void *data, const struct mr_progress *progress)
{
    struct mr_convergence *convergence = data;

    if (strcmp(progress->stage, "rank") == 0 && progress->error_bound > 0.0) {
        add_point(convergence, progress->passes, progress->error_bound);
    }
    convergence->progress(convergence->progress_data, progress);
}

void mr_convergence_watch(struct mr_convergence *convergence, struct mr_session *session,
                          const char *path)
{
    if (path == NULL) {
        return;
    }
    *convergence = (struct mr_convergence){.session = session,
                                           .path = path,
                                           .progress = session->context.progress,
                                           .progress_data = session->context.progress_data};
    session->context.progress = take_report;
    session->context.progress_data = convergence;
}

void mr_convergence_leave(struct mr_convergence *convergence)
{
    if (convergence->path != NULL) {
        convergence->session->context.progress = convergence->progress;
        convergence->session->context.progress_data = convergence->progress_data;
    }
}

enum mr_status mr_convergence_draw(const struct mr_convergence *convergence, const char *value,
                                   struct mr_error *err)
{
    struct mr_picture picture = {0};
    char title[80];

    if (convergence->path == NULL) {
        return MR_OK;
    }
    if (convergence->is_lost) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the picture");
    }
    (void)snprintf(title, sizeof title, "Convergence: %s after each pass, logarithmic", value);
    enum mr_status status =
        mr_plot_passes(title, value, convergence->points, convergence->n, &picture, err);
    if (status == MR_OK) {
        status = mr_picture_write(convergence->session, &picture, convergence->path, err);
    }
    mr_picture_free(&picture);
    return status;
}

void mr_convergence_free(struct mr_convergence *convergence)
{
    free(convergence->points);
    *convergence = (struct mr_convergence){0};
}
