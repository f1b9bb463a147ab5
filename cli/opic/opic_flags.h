/* SPDX-License-Identifier: Apache-2.0 */
/* The flags of `millrace opic`: a struct, its defaults and the tables that fill it. */
#ifndef MR_CLI_OPIC_OPIC_FLAGS_H
#define MR_CLI_OPIC_OPIC_FLAGS_H

#include "algorithms/opic/opic.h"
#include "cli/ranking/ranker.h"

/* A word, or WORD:FILE for words that take a file. */
struct mr_opic_rule {
    int choice;
    struct mr_texts files;
};

/* --tax: a share, or a link more for each page. */
struct mr_opic_tax {
    double share;
    bool one_link;
};

/* The length of a window, in time or in cash. */
struct mr_window {
    double value; /* seconds if is_time, else units of the total cash; 0: not given */
    bool is_time;
    double intervals; /* of a page's fetches, its own window; 0: all pages have `value` */
};

struct mr_opic_flags {
    struct mr_ranking_flags ranking;
    int method; /* 0 auto, 1 opic, 2 drain */
    struct mr_opic_tax tax;
    int policy; /* enum mr_opic_policy */
    struct mr_size visits;
    uint64_t seed;
    struct mr_opic_rule payout; /* enum mr_opic_payout */
    struct mr_opic_rule fetched; /* all, links, list; -1: not given */
    bool ignore_self_loops;
    double internal_weight, external_weight;
    double tolerance, cash_left; /* 0: not given */
    uint64_t sweeps; /* 0: not given */
    struct mr_window window;
    struct mr_texts times;
    int new_pages; /* 0 auto, 1 average, 2 zero */
    const char *state;
    bool no_pin;
    const char *dump_state;
    int columns; /* 0 score, 1 all */
};

/* The rule of --fetched: with --next the default is `links`. */
static inline enum mr_opic_fetched mr_opic_fetched_rule(const struct mr_opic_flags *flags)
{
    return flags->fetched.choice >= 0      ? (enum mr_opic_fetched)flags->fetched.choice
           : flags->ranking.fetch.next > 0 ? MR_OPIC_FETCHED_LINKS
                                           : MR_OPIC_FETCHED_ALL;
}

extern const struct mr_opic_flags mr_opic_flag_defaults;
extern const struct mr_option mr_opic_ranking_options[]; /* how cash moves, and when to stop */
extern const struct mr_option mr_opic_crawl_options[]; /* what is saved between crawls */
extern const struct mr_option mr_opic_list_options[]; /* what else is written */

#endif
