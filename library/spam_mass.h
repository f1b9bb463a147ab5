/* How much of a page's PageRank does not come from trusted pages: the arithmetic of one page. */
#ifndef MR_LIBRARY_SPAM_MASS_H
#define MR_LIBRARY_SPAM_MASS_H

struct mr_spam {
    double pagerank, mass, share, trust;
};

/* From the unnormalised y(t) = (1 - a) (I - a P^T)^-1 t of trusted and of all pages, dangling
 * mass lost, and the sums of both over all pages: PageRank is y(1/n) / |y(1/n)|, and the part of
 * it that a share G of all jumps, those to trusted pages, brings is G y(trusted) / |y(1/n)|. */
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
