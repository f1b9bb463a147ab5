/* The scores that two files give to one page. */
#ifndef MR_ENGINE_BASE_SCORE_PAIR_H
#define MR_ENGINE_BASE_SCORE_PAIR_H

/* NaN: that file does not have the page. At least one of the two is a number. */
struct mr_score_pair {
    double a, b;
};

#endif
