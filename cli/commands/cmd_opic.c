/* SPDX-License-Identifier: Apache-2.0 */
/* opic --dump-state: writes the pages of a state as lines, which crawlers and scripts read. A state
 * is otherwise seen by opic alone. */
#include "algorithms/opic/opic.h"
#include "cli/ranking/kind.h"
#include "formats/score/scores.h"
#include "formats/stream/output.h"

struct opic_flags {
    const char *state; /* to dump */
};

static const struct opic_flags defaults;

static const struct mr_option options[] = {
    {"dump-state", 0, MR_OPTION_TEXT, offsetof(struct opic_flags, state), "FILE",
     .file = MR_FILE_READ,
     .help = "Write the pages of this state instead of ranking a graph: lines NAME, cash, history, "
             "last visit, 1 if visited, with tabs between. --header names the columns."},
    {0}};

static enum mr_status print_page(struct mr_output *out, const uint8_t *head, const char *name,
                                 size_t name_bytes, const uint8_t *row, struct mr_error *err)
{
    struct mr_opic_page page;
    bool visited, has_times;
    uint64_t escaped = 0;
    enum mr_status status = mr_opic_page_of_row(head, row, &page, &visited, &has_times, err);

    if (status == MR_OK) {
        status = mr_output_name_escaped(out, name, name_bytes, MR_NAME_LINE, &escaped, err);
    }
    return status == MR_OK ? mr_output_print(out, err, "\t%.17g\t%.17g\t%.17g\t%d\n", page.cash,
                                             page.history, page.last, visited)
                           : status;
}

static enum mr_status dump(struct mr_session *session, const struct mr_ranking_flags *flags,
                           const char *state, struct mr_error *err)
{
    struct mr_name_table_reader *reader = NULL;
    struct mr_output *out = NULL;
    const char *name;
    const uint8_t *row;
    size_t name_bytes;
    uint64_t n = 0;
    char count[32];

    enum mr_status status = mr_scores_check_lines_path(flags->columns.output, err);
    if (status == MR_OK) {
        status = mr_name_table_open(&session->context, state, MR_OPIC_STATE_KIND,
                                    MR_OPIC_STATE_VERSION, &reader, err);
    }
    if (status == MR_OK) {
        mr_session_leave_terminal(session, flags->columns.output);
        status = mr_output_open(&session->context, flags->columns.output, flags->common.force, &out,
                                err);
    }
    if (status == MR_OK && flags->columns.header) {
        status = mr_output_print(out, err, "name\tcash\thistory\tlast_visit\tvisited\n");
    }
    while (status == MR_OK) {
        status = mr_name_table_next(reader, &name, &name_bytes, &row, err);
        if (status != MR_OK || row == NULL) {
            break;
        }
        status = print_page(out, mr_name_table_head(reader), name, name_bytes, row, err);
        n++;
    }
    if (status == MR_OK) {
        status = mr_output_commit(out, err);
    } else {
        mr_output_abandon(out);
    }
    if (status == MR_OK) {
        mr_session_say(session, "%s: %s pages", state, mr_count_text(n, count));
    }
    mr_name_table_close(reader);
    return status;
}

const struct mr_kind_front mr_opic_front = {.kind = "opic",
                                            .options = options,
                                            .defaults = &defaults,
                                            .flags_bytes = sizeof defaults,
                                            .act = dump};
