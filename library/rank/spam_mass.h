/* SPDX-License-Identifier: Apache-2.0 */
/* The spam mass of one page: the part of its PageRank that does not come from trusted pages. */
#ifndef MR_LIBRARY_RANK_SPAM_MASS_H
#define MR_LIBRARY_RANK_SPAM_MASS_H

struct mr_spam {
    double pagerank, mass, share, trust;
};

/* Let y(t) = (1 - a) (I - a P^T)^-1 t be the unnormalised solution, where dangling mass is lost.
 * The arguments are y of the trusted pages and y of all pages, with their sums over all pages.
 * PageRank is y(1/n) / |y(1/n)|. If a share G of all jumps goes to trusted pages, these jumps bring
 * the part G y(trusted) / |y(1/n)| of it. */
static inline struct mr_spam mr_spam_of(double trusted, double all, double trusted_sum,
                                        double all_sum, double good_share)
{
    const double rank = all / all_sum, good = good_share * trusted / all_sum;

    return (struct mr_spam){.pagerank = rank,
                            .mass = rank - good,
                            .share = rank > 0.0 ? (rank - good) / rank : 0.0,
                            .trust = trusted / trusted_sum};
}

#endif
