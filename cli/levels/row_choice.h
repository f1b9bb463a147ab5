/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a score file that `precedence` writes: those that are fetched or not, and the best N
 * of them. */
#ifndef MR_CLI_LEVELS_ROW_CHOICE_H
#define MR_CLI_LEVELS_ROW_CHOICE_H

#include "cli/graph/fetch_plan.h"
#include "formats/score/precedence_file.h"
#include "formats/url/canonical.h"

struct mr_row_choice {
    struct mr_memory *memory;
    uint8_t *chosen; /* a bit per row; NULL: all rows */
    uint64_t n_chosen;
    double *priorities; /* [n] with --revisit: score times age; or NULL */
};

/* Chooses rows by `flags`; leaves `choice` zero if these ask for nothing. `canonical` made the
 * names of the rows. Memory: 32 bytes per row while the lists are read. Close the choice even after
 * an error. */
enum mr_status mr_row_choice_make(struct mr_session *session, const struct mr_fetch_flags *flags,
                                  uint64_t max_unknown, struct mr_score_file *file,
                                  const double *scores, uint64_t n,
                                  const struct mr_canonical *canonical,
                                  struct mr_row_choice *choice,
                                  struct mr_error *err) MR_WARN_UNUSED;
void mr_row_choice_close(struct mr_row_choice *choice);

#endif
