/* SPDX-License-Identifier: Apache-2.0 */
/* Merges fetch facts for an append. Both files ascend by position, and so do the positions of the
 * next store, so two blocks in memory suffice. */
#include "engine/builder/append_facts.h"

/* Reads the next row of a store whose page the next store has. */
static enum mr_status advance(struct mr_append_facts *facts, unsigned side, struct mr_error *err)
{
    const uint32_t *positions = facts->sides[side].positions;
    struct mr_fetch_facts *row = &facts->sides[side].row;
    bool *is_over = &facts->sides[side].is_over;
    enum mr_status status = MR_OK;

    do {
        status = mr_fetch_facts_read(facts->sides[side].reader, row, is_over, err);
        if (status == MR_OK && !*is_over && positions != NULL) {
            row->position = positions[row->position];
        }
    } while (status == MR_OK && !*is_over && row->position == UINT32_MAX);
    return status;
}

enum mr_status mr_append_facts_open(const struct mr_context *context,
                                    struct mr_store *const *stores, unsigned n_stores,
                                    const uint32_t *const *positions, struct mr_append_facts *facts,
                                    struct mr_error *err)
{
    enum mr_status status = MR_OK;

    facts->sides[0].is_over = facts->sides[1].is_over = true;
    for (unsigned i = 0; i < n_stores && status == MR_OK; i++) {
        facts->sides[i].positions = positions[i];
        facts->has_digests |= mr_store_get_info(stores[i])->has_digests;
        status = mr_fetch_facts_open(context, stores[i], &facts->sides[i].reader, err);
        status = status == MR_OK ? advance(facts, i, err) : status;
    }
    return status;
}

void mr_append_facts_close(struct mr_append_facts *facts)
{
    mr_fetch_facts_close(facts->sides[0].reader);
    mr_fetch_facts_close(facts->sides[1].reader);
}

static bool has(const struct mr_append_facts *facts, uint64_t position, unsigned bit)
{
    return facts->pages != NULL && mr_vertex_set_has(facts->pages, MR_APPEND_BITS * position + bit);
}

static enum mr_links_seen links_of(const struct mr_append_facts *facts, uint32_t position)
{
    return !facts->compares || !has(facts, position, MR_APPEND_FRESH) ? MR_LINKS_UNSEEN
           : has(facts, position, MR_APPEND_DIFFERS)                  ? MR_LINKS_OTHER
                                                                      : MR_LINKS_SAME;
}

/* The next page that the crawler was told is gone; n_pages: none. */
static uint64_t find_gone(struct mr_append_facts *facts)
{
    while (facts->next_gone < facts->n_pages && !has(facts, facts->next_gone, MR_APPEND_GONE)) {
        facts->next_gone++;
    }
    return facts->next_gone;
}

/* Gives the next row of a store or page that is gone; a row without anything in it is left out. */
static enum mr_status next_row(struct mr_append_facts *facts, struct mr_fetch_facts *row,
                               bool *is_over, struct mr_error *err)
{
    const struct mr_fetch_facts *a = &facts->sides[0].row, *b = &facts->sides[1].row;
    const uint64_t at_a = facts->sides[0].is_over ? UINT64_MAX : a->position;
    const uint64_t at_b = facts->sides[1].is_over ? UINT64_MAX : b->position;
    const uint64_t gone = find_gone(facts), at = mr_min_u64(mr_min_u64(at_a, at_b), gone);
    enum mr_status status = MR_OK;

    *is_over = at == facts->n_pages;
    if (*is_over) {
        return MR_OK;
    }
    *row = at_a == at ? *a : at_b == at ? *b : (struct mr_fetch_facts){.position = (uint32_t)at};
    if (at_a == at && at_b == at) {
        facts->n_mixed += a->first < b->last && b->first < a->last;
        mr_fetch_facts_join(row, b, links_of(facts, row->position));
    }
    row->gone = gone == at || (row->gone && (at_b == at || !has(facts, at, MR_APPEND_FRESH)));
    facts->next_gone += gone == at;
    if (at_a == at) {
        status = advance(facts, 0, err);
    }
    return status == MR_OK && at_b == at ? advance(facts, 1, err) : status;
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
