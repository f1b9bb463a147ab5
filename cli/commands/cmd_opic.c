/* SPDX-License-Identifier: Apache-2.0 */
/* opic --dump-state: writes the pages of a state as rows, which crawlers and scripts read. A state
 * is otherwise seen by opic alone. */
#include "cli/ranking/kind.h"

static const char *const defaults; /* the state to dump */

static const struct mr_option options[] = {
    {"dump-state", 0, MR_OPTION_TEXT, 0, "FILE", .file = MR_FILE_READ,
     .help = "Write the pages of this state instead of ranking a graph: lines NAME, cash, history, "
             "last visit, 1 if visited, with tabs between. --header names the columns."},
    {0}};

static const struct mr_row_column columns[] = {{"name", MR_CELL_NAME, false},
                                               {"cash", MR_CELL_REAL, false},
                                               {"history", MR_CELL_REAL, false},
                                               {"last_visit", MR_CELL_REAL, false},
                                               {"visited", MR_CELL_FLAG, false}};

static enum mr_status dump(struct mr_session *session, const struct mr_ranking_flags *flags,
                           const char *state, struct mr_error *err)
{
    const struct mr_rows_flags output = {.output = flags->columns.output,
                                         .header = flags->columns.header,
                                         .mark = flags->columns.mark};
    struct mr_row_writer rows = {.columns = columns,
                                 .n_columns = sizeof columns / sizeof columns[0]};
    char count[64];

    enum mr_status status = mr_session_check_rows(&output, err);
    if (status == MR_OK) {
        status = mr_session_open_rows(session, &output, &rows, err);
    }
    if (status == MR_OK) {
        status = mr_opic_state_list(&session->context, state, &rows, err);
    }
    status = mr_row_writer_end(&rows, status, err);
    if (status == MR_OK) {
        mr_session_say(session, "%s: %s", state, mr_count_of_text(rows.n_rows, "page", count));
    }
    return status;
}

const struct mr_kind_front mr_opic_front = {.kind = "opic",
                                            .options = options,
                                            .defaults = &defaults,
                                            .flags_bytes = sizeof defaults,
                                            .act = dump};
