/* SPDX-License-Identifier: Apache-2.0 */
/* The scores that two score files give to the same page. */
#ifndef MR_ENGINE_BASE_SCORE_PAIR_H
#define MR_ENGINE_BASE_SCORE_PAIR_H

/* NaN means that this file does not have the page. At least one of the two is a number. */
struct mr_score_pair {
    double a, b;
};

#endif
