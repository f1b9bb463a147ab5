/* SPDX-License-Identifier: Apache-2.0 */
/* certify --harmonic: checks a file of harmonic centralities against exact values of a sample. */
#ifndef MR_CLI_RANKING_CERTIFY_HARMONIC_H
#define MR_CLI_RANKING_CERTIFY_HARMONIC_H

#include "cli/graph/graph.h"

struct mr_harmonic_check {
    const char *path; /* of the scores, for messages and the metadata beside it */
    uint64_t sample; /* pages */
    uint64_t seed; /* that chooses them */
    double relative_error; /* stated standard deviation; NAN: that of the metadata */
};

/* Compares `scores` [n_vertices], by vertex, and prints the result, with `as_json` as JSON. Errors:
 * USAGE where no error is stated; those of mr_harmonic_of_pages. */
enum mr_status mr_certify_harmonic(struct mr_session *session, const struct mr_graph *graph,
                                   const struct mr_harmonic_check *options, const double *scores,
                                   bool as_json, struct mr_error *err) MR_WARN_UNUSED;

#endif
