/* SPDX-License-Identifier: Apache-2.0 */
/* What both rankings share: two iterates and a pass from one to the other. */
#ifndef MR_ALGORITHMS_SPECTRAL_INTERNAL_H
#define MR_ALGORITHMS_SPECTRAL_INTERNAL_H

#include "algorithms/spectral/spectral.h"

/* Sums of a band, or of all of them. */
struct mr_iterate_sums {
    double before, after; /* of the values before and after the pass */
    double change; /* of |after - before|, or what the ranking makes of it */
    double largest_change; /* of one vertex, its rounding included if that is asked for */
    double rounding; /* sum of the bounds of rounding */
    double largest_rounding; /* of one vertex */
    double relative_rounding; /* of one vertex, relative to its value, the largest */
};

struct mr_iteration {
    const struct mr_context *context;
    const struct mr_store_info *info;
    struct mr_pass *pass;
    double *x, *next; /* [length] */
    struct mr_iterate_sums *sums; /* [n_bands] */
};

/* Allocates, and opens the pass. Close it even after an error. */
enum mr_status mr_iteration_open(const struct mr_context *context, struct mr_store *store,
                                 struct mr_iteration *iteration,
                                 struct mr_error *err) MR_WARN_UNUSED;
void mr_iteration_close(struct mr_iteration *iteration);

/* One pass: `fill` makes the values of its band in `next` and the sums of the band; then the
 * iterates change places, and `sums` are those of all bands, added in their order. */
enum mr_status mr_iteration_run(struct mr_iteration *iteration, bool in_degrees,
                                mr_pass_callback fill, void *data, struct mr_iterate_sums *sums,
                                struct mr_error *err) MR_WARN_UNUSED;

/* The largest sum over one band, after the last pass. */
double mr_iteration_largest_band(const struct mr_iteration *iteration);

/* The largest sum of a row of A, or of a column, whichever is less: no eigenvalue is above it. */
enum mr_status mr_iteration_largest_row(struct mr_iteration *iteration, double *largest,
                                        struct mr_error *err) MR_WARN_UNUSED;

/* The iterate, times `factor`, as an array of its own [n_vertices], which the caller frees. */
enum mr_status mr_iteration_copy_scores(struct mr_iteration *iteration, double factor,
                                        double **scores, struct mr_error *err) MR_WARN_UNUSED;

#endif
