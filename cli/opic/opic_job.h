/* SPDX-License-Identifier: Apache-2.0 */
/* The state that the parts of `millrace opic` share. cmd_opic.c runs the command, opic_inputs.c
 * reads lists, internal edges and states, opic_results.c writes. */
#ifndef MR_CLI_OPIC_OPIC_JOB_H
#define MR_CLI_OPIC_OPIC_JOB_H

#include "algorithms/opic/opic.h"
#include "cli/graph/graph.h"
#include "cli/ranking/ranker.h"
#include "formats/pages/page_list.h"
#include "formats/score/vertex_weights.h"

/* What --score-columns all adds, [n_vertices] each. */
struct mr_opic_extra {
    double *cash, *history, *last;
};

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

struct mr_opic_job {
    struct mr_run *run;
    struct mr_session *session; /* that of the run */
    const struct mr_opic_flags *flags;
    struct mr_names *names;
    const struct mr_store_info *info;
    struct mr_page_list targets, fetched;
    struct mr_vertex_weights times;
    struct mr_vertex_weights windows; /* of single pages, with --window KxT */
    struct mr_store *internal; /* edges inside hosts, or NULL */
    char *internal_path; /* path of its temporary store, or NULL */
    struct mr_opic_options options;
    struct mr_opic *opic;
    struct mr_opic_result result;
    struct mr_opic_merge merge;
    bool has_merged; /* a state was loaded */
    struct mr_opic_extra extra;
    struct mr_score_column columns[4];
};

/* Reads the files of --payout, --fetched and --times. */
enum mr_status mr_opic_read_lists(struct mr_opic_job *job, struct mr_error *err) MR_WARN_UNUSED;

/* Opens the edges inside hosts in job->internal if the two weights differ. Makes a temporary
 * store for them where the store has no classes or self-loops are ignored. */
enum mr_status mr_opic_make_internal(struct mr_opic_job *job, struct mr_error *err) MR_WARN_UNUSED;

/* Checks that the file of --state is a state, if it exists. Errors: those of mr_name_table_open. */
enum mr_status mr_opic_check_state(struct mr_opic_job *job, struct mr_error *err) MR_WARN_UNUSED;

/* Loads the file of --state into job->opic, if it exists, and prints what changed. */
enum mr_status mr_opic_load_state(struct mr_opic_job *job, struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_opic_save_state(struct mr_opic_job *job, struct mr_error *err) MR_WARN_UNUSED;

void mr_opic_free_inputs(struct mr_opic_job *job);

/* Writes the pages of the state that --dump-state names. */
enum mr_status mr_opic_dump(struct mr_session *session, const struct mr_opic_flags *flags,
                            struct mr_error *err) MR_WARN_UNUSED;

/* Fills job->extra, which mr_opic_free_inputs frees. */
enum mr_status mr_opic_fill_extra(struct mr_opic_job *job, struct mr_error *err) MR_WARN_UNUSED;

/* Prints the figures and the bound of a run. */
void mr_opic_report(const struct mr_run *run);
/* Adds parameters and results to the metadata. */
void mr_opic_fill_json(const struct mr_run *run, struct mr_json *json);
/* Prints the pages of --next. */
enum mr_status mr_opic_print_next(struct mr_run *run, struct mr_error *err) MR_WARN_UNUSED;

/* Returns a number of pages from a number or a percentage, at least 1. */
uint64_t mr_opic_pages(struct mr_size size, uint64_t n_vertices);

#endif
