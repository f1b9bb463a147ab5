/* SPDX-License-Identifier: Apache-2.0 */
/* Output of rankings: -o, --top, --by, --header and --names, their checks, the files. */
#ifndef MR_CLI_RANKING_COLUMNS_H
#define MR_CLI_RANKING_COLUMNS_H

#include "cli/graph/fetch_plan.h"
#include "cli/program/json.h"
#include "formats/score/scores.h"

struct mr_output;
struct mr_run;

/* MR_SORT_USUAL: by score on standard output, by name in a file. */
enum mr_row_sort { MR_SORT_NAME, MR_SORT_SCORE, MR_SORT_USUAL };
enum { MR_SORT_BYTES = 20 }; /* of memory for each page that is sorted */

struct mr_columns_flags {
    const char *output;
    const char *names;
    const char *by; /* the column that orders --top and --sort; NULL: the last */
    int sort; /* enum mr_row_sort */
    uint64_t top; /* 0: not given */
    bool header, mark;
};

extern const struct mr_option mr_columns_options[];
/* Of a ranking that prints a table, since its columns are labels. */
extern const struct mr_option mr_labels_options[];

/* The scores of a ranking. */
struct mr_columns {
    const struct mr_score_column *columns; /* [n_columns] */
    unsigned n_columns;
    const struct mr_score_stream *stream; /* the scores, where the only column has no values */
    /* The file of -o with all its values, not committed yet; NULL: the driver writes the columns */
    struct mr_output *output;
    double bound; /* proven for the sum of the errors of a column; below 0: nothing is proven */
};

/* Are all rows written in the order of a score, best first? */
bool mr_columns_sort(const struct mr_columns_flags *flags);

/* Refuses flags that contradict each other. Errors: USAGE. */
enum mr_status mr_columns_check(struct mr_run *run, struct mr_error *err) MR_WARN_UNUSED;
/* Sets the names of the columns, as soon as they are known: refuses a --by that is none of them,
 * and a file that cannot have so many. Errors: USAGE. */
enum mr_status mr_columns_expect(struct mr_run *run, const char *const *names, uint64_t n_names,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Refuses scores that the file of -o cannot have, that the memory cannot sort, or that the disk has
 * surely no room for; notes where they hardly fit. Call it when the graph is open. Errors: USAGE,
 * BUDGET, and those of asking the disk. */
enum mr_status mr_columns_check_room(struct mr_run *run, struct mr_error *err) MR_WARN_UNUSED;

/* Call it after a failed write: puts the scores into an .npy in --tmp, and adds its path to `err`,
 * if the ranking took long or the user named --tmp. */
void mr_columns_rescue(struct mr_run *run, struct mr_error *err);

/* Says that `n` names of a file had control bytes; nothing for 0. */
void mr_columns_note_escaped(struct mr_session *session, uint64_t n);

/* Writes the scores and their metadata to -o, and the names to --names. Writes to standard output
 * the JSON, the pages of --next, the best pages or, without -o, all scores. `json` is the output of
 * --json and the contents of FILE.meta.json. */
enum mr_status mr_columns_write(struct mr_run *run, const struct mr_json *json,
                                struct mr_error *err) MR_WARN_UNUSED;

#endif
