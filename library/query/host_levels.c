/* SPDX-License-Identifier: Apache-2.0 */
/* Makes levels for each host. The rows of a host stand anywhere in the file, so
 * they are brought together: each row becomes one word, the number of its host before the number of
 * the row, and the words are sorted. If the words do not fit into memory, the hosts are divided by
 * their hashes into twice as many parts, until they do. */
#include "library/query/precedence_rows.h"

#include <string.h>

#include "algorithms/scores/compare.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "formats/score/scores.h"
#include "formats/url/host_numbers.h"

enum { MOST_PARTS = 64 };

struct part {
    const struct mr_context *context;
    const uint8_t *chosen; /* a bit per row; NULL: all */
    const struct mr_precedence_options *options;
    const double *scores; /* [n] */
    uint8_t *levels; /* [n] */
    uint64_t *counts; /* [n_levels] */
    struct mr_host_numbers *hosts;
    uint64_t n_seen; /* chosen rows */
    uint64_t *rows; /* [n_rows] those of the part: host << 32 | row */
    uint64_t n_rows, room;
    double *host_scores; /* [largest host] */
    uint8_t *host_levels; /* [largest host] */
};

/* A mr_score_row_take. */
static enum mr_status take_row(void *data, uint64_t row, const char *name, size_t name_bytes,
                               struct mr_error *err)
{
    struct part *part = data;
    uint32_t host = 0;

    if (!mr_score_is_chosen(part->chosen, row)) {
        return MR_OK;
    }
    const uint64_t chosen = part->n_seen++;
    enum mr_status status = mr_host_number(part->hosts, name, name_bytes, &host, err);
    if (status != MR_OK || host == MR_HOST_OTHER_PART) {
        return status;
    }
    status = mr_memory_grow(part->context->memory, "rows by host", part->n_rows + 1, &part->rows,
                            &part->room, err);
    if (status == MR_OK) {
        part->rows[part->n_rows++] = (uint64_t)host << 32 | chosen;
    }
    return status;
}

/* Where the rows of the host end that begin at `first`. */
static uint64_t end_of_host(const struct part *part, uint64_t first)
{
    uint64_t end = first + 1;
    while (end < part->n_rows && part->rows[end] >> 32 == part->rows[first] >> 32) {
        end++;
    }
    return end;
}

static enum mr_status level_host(struct part *part, uint64_t first, uint64_t end,
                                 struct mr_error *err)
{
    uint64_t counts[MR_PRECEDENCE_MAX_LEVELS] = {0};

    for (uint64_t i = first; i < end; i++) {
        part->host_scores[i - first] = part->scores[(uint32_t)part->rows[i]];
    }
    const enum mr_status status =
        mr_precedence_levels(part->context, part->host_scores, end - first, part->options,
                             part->host_levels, counts, err);
    for (uint64_t i = first; status == MR_OK && i < end; i++) {
        part->levels[(uint32_t)part->rows[i]] = part->host_levels[i - first];
    }
    for (unsigned i = 0; i < part->options->n_levels; i++) {
        part->counts[i] += counts[i];
    }
    return status;
}

static enum mr_status level_part(struct part *part, struct mr_score_file *file,
                                 struct mr_error *err)
{
    uint64_t largest = 0;
    enum mr_status status = mr_score_file_visit(file, take_row, part, err);

    if (status != MR_OK) {
        return status;
    }
    mr_sort_u64_in_place(part->rows, part->n_rows);
    for (uint64_t first = 0, end; first < part->n_rows; first = end) {
        end = end_of_host(part, first);
        largest = mr_max_u64(largest, end - first);
    }
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("scores of a host", largest, &part->host_scores),
        MR_WANTED("levels of a host", largest, &part->host_levels),
    };
    status = mr_memory_arrays(part->context->memory, arrays, err);
    for (uint64_t first = 0, end; first < part->n_rows && status == MR_OK; first = end) {
        end = end_of_host(part, first);
        status = level_host(part, first, end, err);
    }
    return status;
}

enum mr_status mr_host_levels(const struct mr_context *context, const struct mr_crawler_rows *rows,
                              const struct mr_precedence_options *options, const double *scores,
                              uint64_t n, uint8_t *levels, uint64_t *counts, struct mr_error *err)
{
    struct mr_error reason;
    enum mr_status status = MR_ERROR_BUDGET;
    uint32_t n_hosts = 2;

    if (n > UINT32_MAX) {
        return mr_error_set(err, MR_ERROR_INPUT, "more than 4294967295 pages");
    }
    for (uint32_t n_parts = 1; status == MR_ERROR_BUDGET && n_parts <= MOST_PARTS && n_hosts > 1;
         n_parts *= 2) {
        reason = (struct mr_error){.status = MR_OK};
        status = MR_OK;
        memset(counts, 0, options->n_levels * sizeof *counts);
        for (uint32_t i = 0; i < n_parts && status == MR_OK; i++) {
            struct part part = {.context = context,
                                .chosen = rows->chosen,
                                .options = options,
                                .scores = scores,
                                .levels = levels,
                                .counts = counts};
            status = mr_host_numbers_open(context->memory, rows->canonical, MR_FOLD_BY_HOST, i,
                                          n_parts, &part.hosts, &reason);
            if (status == MR_OK) {
                status = level_part(&part, rows->file, &reason);
                n_hosts = mr_host_numbers_count(part.hosts);
            }
            mr_memory_free(context->memory, part.host_levels);
            mr_memory_free(context->memory, part.host_scores);
            mr_memory_free(context->memory, part.rows);
            mr_host_numbers_close(part.hosts);
        }
    }
    if (status != MR_OK && err != NULL) {
        *err = reason;
    }
    return status;
}
