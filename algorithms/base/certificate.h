/* What the residual of a vector proves about its ranks: the sums that a certifying pass leaves behind, and
 * the bound they give. Shared by one vector and by several side by side; internal to algorithms. The bound
 * is derived in docs/solver.md. */
#ifndef MR_ALGORITHMS_BASE_CERTIFICATE_H
#define MR_ALGORITHMS_BASE_CERTIFICATE_H

#include <stdbool.h>
#include <stdint.h>

/* Sums over one band, or over all: added up in band order, a fixed order for any threads. */
struct mr_rank_sums {
    double mass; /* of ranks */
    double dangling; /* of ranks of vertices without out-edges */
    double change; /* of |new rank - old rank| */
    double residual; /* certificate: of |r| */
    double rounding; /* certificate: bound on the rounding in r */
    double shares; /* certificate: of x; over all bands the largest */
};

/* Sums of a vector whose bands' are bands[0], bands[stride], ...: n_bands of them. */
struct mr_rank_sums mr_rank_add_up(const struct mr_rank_sums *bands, uint64_t n_bands,
                                   unsigned stride);

/* What the equation is. */
struct mr_certificate_rules {
    double damping;
    bool is_normalised; /* the solution is scaled to a sum of 1 */
    bool spreads_dangling; /* evenly, although teleports are not even */
    bool is_single; /* ranks are float in the end */
    uint64_t n_corner_links; /* links in corner tiles */
};

struct mr_certificate {
    double residual; /* relative to the vector's mass */
    double rounding_bound; /* the part of error_bound that no further pass can lower */
    double error_bound; /* in the 1-norm, of the ranks as they are returned */
};

/* `sums` of the certifying pass, `dangling` as it was measured before. */
struct mr_certificate mr_certificate(const struct mr_certificate_rules *rules,
                                     const struct mr_rank_sums *sums, double dangling);

#endif
