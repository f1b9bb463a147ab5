/* SPDX-License-Identifier: Apache-2.0 */
/* Which pages a crawler fetches next: the options --fetched, --times, --only, --next and
 * --revisit. */
#ifndef MR_CLI_GRAPH_FETCH_PLAN_H
#define MR_CLI_GRAPH_FETCH_PLAN_H

#include "cli/graph/graph.h"
#include "formats/score/scores.h"
#include "library/files.h"
#include "millrace/query.h"

enum mr_only { MR_ONLY_ALL, MR_ONLY_UNFETCHED, MR_ONLY_FETCHED };

struct mr_fetch_flags {
    struct mr_texts fetched; /* "links", "links:FILE" or files */
    struct mr_texts times;
    unsigned retries; /* 0: not given */
    int only; /* enum mr_only */
    uint64_t next; /* 0: not given */
    unsigned per_host, per_domain; /* of these, at most; 0: not given */
    bool urls_only;
    bool revisit;
};

/* The first MR_FETCH_LIST_ROWS options say what a ranking prints. precedence and crawl-rank begin
 * behind them. */
extern const struct mr_option mr_fetch_options[];
enum { MR_FETCH_LIST_ROWS = 3 };

/* The same for a ranking that knows itself which pages are fetched. */
extern const struct mr_option mr_fetch_known_options[];

/* The values of its option --fetched: all, links, links:FILE, list:FILE or FILE. */
struct mr_fetched_value {
    bool is_given;
    int word; /* all, links, list */
    struct mr_texts files;
};
enum mr_status mr_fetched_parse(const char *text, void *value, struct mr_error *err) MR_WARN_UNUSED;

/* The pages of a graph that are fetched or not. */
struct mr_fetch_plan {
    struct mr_memory *memory;
    uint64_t n_vertices;
    bool is_open; /* some flag asks for it */
    uint8_t *fetched; /* a bit per vertex */
    uint8_t *waiting; /* its complement */
    uint64_t n_fetched;
    uint32_t *times; /* [n_vertices] with --revisit: seconds of the last fetch, 0: not known */
};

/* What the pages are chosen from. OPIC knows itself which are fetched; a file of scores has no
 * links. */
enum mr_fetch_of { MR_FETCH_OF_GRAPH, MR_FETCH_OF_OPIC, MR_FETCH_OF_SCORES };

/* Refuses flags that contradict each other. `prints` says that --top or --json prints to standard
 * output. Errors: USAGE. */
enum mr_status mr_fetch_check(const struct mr_fetch_flags *flags, enum mr_fetch_of of, bool prints,
                              const char *output, struct mr_error *err) MR_WARN_UNUSED;

/* Adds the files of --fetched. */
void mr_fetch_list_files(const struct mr_fetch_flags *flags, struct mr_files *files);

/* Reads the files. Memory: 2 bits per page; with --revisit also 4 bytes. Close the plan even after
 * an error. */
enum mr_status mr_fetch_plan_open(struct mr_session *session, const struct mr_fetch_flags *flags,
                                  const struct mr_graph *graph, uint64_t max_unknown,
                                  struct mr_fetch_plan *plan, struct mr_error *err) MR_WARN_UNUSED;
void mr_fetch_plan_close(struct mr_fetch_plan *plan);

/* The pages that --only chooses, for mr_scores_options; NULL: all. */
const uint8_t *mr_fetch_plan_chosen(const struct mr_fetch_flags *flags,
                                    const struct mr_fetch_plan *plan);

/* Prints the pages to fetch next, with their values in `column`; with --revisit the pages to fetch
 * again, with their priorities as well. */
enum mr_status mr_fetch_plan_print(struct mr_session *session, const struct mr_fetch_flags *flags,
                                   const struct mr_fetch_plan *plan, const struct mr_graph *graph,
                                   const struct mr_score_column *column, bool header,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Prints the pages of a ranking that knows itself which are fetched: those whose `cash`
 * [n_vertices] is not below 0, but for pages that are gone by the store, and with --revisit by the
 * files of --fetched and --times. Their first reading gave the notes about them. */
enum mr_status mr_fetch_known_print(struct mr_session *session, const struct mr_fetch_flags *flags,
                                    const struct mr_graph *graph, const double *cash,
                                    const struct mr_texts *fetched, const struct mr_texts *timed,
                                    bool header, struct mr_error *err) MR_WARN_UNUSED;

#endif
