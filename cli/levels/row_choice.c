/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses rows of a score file for `precedence`. It does by rows what cli/graph/fetch_plan.c does
 * by vertices, because scores may come from other programs and then have no store. */
#include "cli/levels/levels_file.h"

#include <assert.h>

#include "engine/base/memory.h"
#include "formats/score/precedence_file.h"
#include "library/query/precedence_rows.h"

/* Keeps the best `most` of the chosen rows [n_chosen]; the first of equal ones. */
static enum mr_status keep_best(struct mr_memory *memory, uint8_t *chosen, uint64_t n_chosen,
                                const double *scores, uint64_t n, uint64_t most,
                                struct mr_error *err)
{
    uint32_t *rows = NULL;
    uint64_t used = 0;
    const enum mr_status status =
        mr_memory_array(memory, "rows by score", n_chosen + 1, &rows, err);

    for (uint64_t i = 0; status == MR_OK && i < n; i++) {
        if (mr_score_is_chosen(chosen, i)) {
            rows[used++] = (uint32_t)i;
        }
    }
    if (status == MR_OK) {
        mr_rows_by_score(rows, used, scores);
    }
    for (uint64_t i = most; i < used; i++) {
        chosen[rows[i] / 8] &= (uint8_t) ~(1u << rows[i] % 8);
    }
    mr_memory_free(memory, rows);
    return status;
}

static uint64_t count(uint8_t *chosen, uint64_t n, bool inverts)
{
    uint64_t n_chosen = 0;

    for (uint64_t i = 0; inverts && i < n / 8 + 1; i++) {
        chosen[i] = (uint8_t)~chosen[i];
    }
    for (uint64_t i = 0; i < n; i++) {
        n_chosen += mr_score_is_chosen(chosen, i);
    }
    return n_chosen;
}

enum mr_status mr_rows_choose(struct mr_session *session, const struct mr_fetch_flags *flags,
                              uint64_t max_unknown, struct mr_score_file *file,
                              const double *scores, uint64_t n,
                              const struct mr_canonical *canonical, uint8_t **chosen,
                              double **priorities, struct mr_error *err)
{
    const bool wants_fetched = flags->revisit || flags->only == MR_ONLY_FETCHED;
    struct mr_row_table *table = NULL;
    struct mr_page_marks marks = {.wanted = MR_FETCH_WANTS_FETCHED,
                                  .retries = flags->retries,
                                  .drops_gone = flags->revisit,
                                  .max_unknown = max_unknown};
    struct mr_memory *memory = session->context.memory;
    uint32_t *times = NULL;
    uint64_t n_chosen = 0;
    enum mr_status status;

    if (flags->next == 0 && flags->only == MR_ONLY_ALL) {
        return MR_OK;
    }
    status = mr_memory_array(memory, "chosen pages", n / 8 + 1, chosen, err);
    marks.bits = *chosen;
    if (status == MR_OK && flags->times.n > 0) {
        status = mr_memory_array(memory, "times of fetches", n + 1, &times, err);
    }
    if (status == MR_OK) {
        status = mr_row_table_open(&session->context, file, &table, err);
    }
    if (status == MR_OK) {
        status = mr_row_table_read(table, flags->fetched.items, flags->fetched.n, canonical, &marks,
                                   err);
    }
    if (status == MR_OK) {
        marks.wanted = MR_FETCH_WANTS_TIMES;
        marks.retries = 0;
        marks.times = times;
        status =
            mr_row_table_read(table, flags->times.items, flags->times.n, canonical, &marks, err);
    }
    mr_row_table_close(table);
    if (status == MR_OK) {
        n_chosen = count(*chosen, n, !wants_fetched);
    }
    if (status == MR_OK && flags->revisit) {
        const struct mr_score_column column = {.type = MR_SCORES_DOUBLE, .values = scores};
        assert(times != NULL); /* mr_fetch_check */
        status = mr_memory_array(memory, "priorities of visits", n + 1, priorities, err);
        if (status == MR_OK) {
            status = mr_fetch_priorities(&session->context, NULL, NULL, &column, n, times,
                                         *priorities, err);
        }
    }
    mr_memory_free(memory, times);
    if (status == MR_OK && n_chosen == 0) {
        status = mr_error_set(err, MR_ERROR_INPUT, "no page of the scores is %s",
                              flags->revisit  ? "fetched and not gone"
                              : wants_fetched ? "fetched"
                                              : "left to fetch: all are fetched");
    }
    if (status == MR_OK && flags->next > 0) {
        status = keep_best(memory, *chosen, n_chosen, *priorities != NULL ? *priorities : scores, n,
                           flags->next, err);
    }
    return status;
}
