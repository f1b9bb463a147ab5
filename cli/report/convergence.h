/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of the convergence of a ranking, for --plot. It needs nothing from the solver but its
 * reports of progress, which say the bound after each pass. */
#ifndef MR_CLI_REPORT_CONVERGENCE_H
#define MR_CLI_REPORT_CONVERGENCE_H

#include <stdbool.h>

#include "cli/program/session.h"

/* Initialise it with zeros. */
struct mr_convergence {
    struct mr_session *session;
    const char *path; /* of the picture; NULL: none is wanted */
    mr_progress_callback progress; /* of the session, which gets all reports as well */
    void *progress_data;
    double *points; /* [2 * n]: pass, bound; owned */
    size_t n;
    bool is_lost; /* no memory for a point */
};

/* Watches the rankings of `session` until mr_convergence_leave. Does nothing where `path` is NULL.
 * `path` is borrowed. Memory: 16 bytes per pass, outside the budget. */
void mr_convergence_watch(struct mr_convergence *convergence, struct mr_session *session,
                          const char *path);
void mr_convergence_leave(struct mr_convergence *convergence);
/* Writes the picture, if one is wanted. `value` says what the solver reports, such as "bound on the
 * error". Call this after the scores are written, so that a picture that cannot be written costs no
 * scores. Errors: BUDGET, and those of mr_picture_write. */
enum mr_status mr_convergence_draw(const struct mr_convergence *convergence, const char *value,
                                   struct mr_error *err) MR_WARN_UNUSED;
void mr_convergence_free(struct mr_convergence *convergence);

#endif
