/* SPDX-License-Identifier: Apache-2.0 */
/* opic --dump-state: writes the pages of a state as lines, and what a run knows of each page as
 * columns of its scores. A state is otherwise seen by opic alone; crawlers and scripts read these.
 */
#include "cli/opic/opic_job.h"
#include "engine/base/memory.h"
#include "formats/score/scores.h"
#include "formats/stream/output.h"

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

enum mr_status mr_opic_dump(struct mr_session *session, const struct mr_opic_flags *flags,
                            struct mr_error *err)
{
    struct mr_name_table_reader *reader = NULL;
    struct mr_output *out = NULL;
    const char *name;
    const uint8_t *row;
    size_t name_bytes;
    uint64_t n = 0;
    char count[32];

    enum mr_status status = mr_scores_check_lines_path(flags->ranking.columns.output, err);
    if (status == MR_OK) {
        status = mr_name_table_open(&session->context, flags->dump_state, MR_OPIC_STATE_KIND,
                                    MR_OPIC_STATE_VERSION, &reader, err);
    }
    if (status == MR_OK) {
        mr_session_leave_terminal(session, flags->ranking.columns.output);
        status = mr_output_open(&session->context, flags->ranking.columns.output,
                                flags->ranking.common.force, &out, err);
    }
    if (status == MR_OK && flags->ranking.columns.header) {
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
        mr_session_say(session, "%s: %s pages", flags->dump_state, mr_count_text(n, count));
    }
    mr_name_table_close(reader);
    return status;
}

/* Memory: 24 bytes per page. */
enum mr_status mr_opic_fill_extra(struct mr_opic_job *job, struct mr_error *err)
{
    struct mr_opic_extra *extra = &job->extra;
    const uint64_t n = job->info->n_vertices;
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("cash column", n + 1, &extra->cash),
        MR_WANTED("history column", n + 1, &extra->history),
        MR_WANTED("column of visits", n + 1, &extra->last),
    };
    const enum mr_status status = mr_memory_arrays(job->session->context.memory, arrays, err);

    for (uint64_t v = 0; status == MR_OK && v < n; v++) {
        const struct mr_opic_page page = mr_opic_get_page(job->opic, v);
        extra->cash[v] = page.cash;
        extra->history[v] = page.history;
        extra->last[v] = page.last;
    }
    return status;
}
