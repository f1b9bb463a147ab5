/* SPDX-License-Identifier: Apache-2.0 */
/* Merges fetch facts for an append. Both files ascend by position, and so do the positions of the
 * next store, so two blocks in memory suffice. */
#include "engine/builder/append_internal.h"

/* Reads the next row of a store whose page the next store has. */
static enum mr_status advance(struct mr_append *append, unsigned side, struct mr_error *err)
{
    const uint32_t *positions = append->sides[side].positions;
    struct mr_fetch_facts *row = &append->sides[side].row;
    bool *is_over = &append->sides[side].is_over;
    enum mr_status status = MR_OK;

    do {
        status = mr_fetch_facts_read(append->sides[side].reader, row, is_over, err);
        if (status == MR_OK && !*is_over && positions != NULL) {
            row->position = positions[row->position];
        }
    } while (status == MR_OK && !*is_over && row->position == UINT32_MAX);
    return status;
}

enum mr_status mr_append_facts_open(struct mr_append *append, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    append->sides[0].is_over = append->sides[1].is_over = true;
    for (unsigned i = 0; i < mr_append_n_stores(append) && status == MR_OK; i++) {
        append->sides[i].positions = mr_names_merge_positions(append->merge, i);
        status =
            mr_fetch_facts_open(append->context, append->stores[i], &append->sides[i].reader, err);
        status = status == MR_OK ? advance(append, i, err) : status;
    }
    return status;
}

void mr_append_facts_close(struct mr_append *append)
{
    mr_fetch_facts_close(append->sides[0].reader);
    mr_fetch_facts_close(append->sides[1].reader);
}

static bool has(const struct mr_append *append, uint64_t position, unsigned bit)
{
    return append->leaves_out && mr_vertex_set_has(&append->known, MR_APPEND_BITS * position + bit);
}

static enum mr_links_seen links_of(const struct mr_append *append, uint32_t position)
{
    return !append->compares || !has(append, position, MR_APPEND_FRESH) ? MR_LINKS_UNSEEN
           : has(append, position, MR_APPEND_DIFFERS)                   ? MR_LINKS_OTHER
                                                                        : MR_LINKS_SAME;
}

/* The next page that the crawler was told is gone; the number of pages: none. */
static uint64_t find_gone(struct mr_append *append)
{
    const uint64_t n_pages = mr_names_merge_count(append->merge);
    while (append->next_gone < n_pages && !has(append, append->next_gone, MR_APPEND_GONE)) {
        append->next_gone++;
    }
    return append->next_gone;
}

/* Gives the next row of a store or page that is gone; a row without anything in it is left out. */
static enum mr_status next_row(struct mr_append *append, struct mr_fetch_facts *row, bool *is_over,
                               struct mr_error *err)
{
    const struct mr_fetch_facts *a = &append->sides[0].row;
    struct mr_fetch_facts *b = &append->sides[1].row;
    const uint64_t at_a = append->sides[0].is_over ? UINT64_MAX : a->position;
    const uint64_t at_b = append->sides[1].is_over ? UINT64_MAX : b->position;
    const uint64_t gone = find_gone(append), at = mr_min_u64(mr_min_u64(at_a, at_b), gone);
    enum mr_status status = MR_OK;

    *is_over = at == mr_names_merge_count(append->merge);
    if (*is_over) {
        return MR_OK;
    }
    *row = at_a == at ? *a : at_b == at ? *b : (struct mr_fetch_facts){.position = (uint32_t)at};
    if (at_a == at && at_b == at) {
        mr_fetch_facts_date(b, a);
        append->n_mixed += a->first < b->last && b->first < a->last;
        mr_fetch_facts_join(row, b, links_of(append, row->position));
    }
    row->gone = gone == at || (row->gone && (at_b == at || !has(append, at, MR_APPEND_FRESH)));
    append->next_gone += gone == at;
    if (at_a == at) {
        status = advance(append, 0, err);
    }
    return status == MR_OK && at_b == at ? advance(append, 1, err) : status;
}

enum mr_status mr_append_facts_next(void *data, struct mr_fetch_facts *row, bool *is_over,
                                    struct mr_error *err)
{
    enum mr_status status;

    do {
        status = next_row(data, row, is_over, err);
    } while (status == MR_OK && !*is_over && row->fetches == 0 && !row->gone);
    return status;
}
