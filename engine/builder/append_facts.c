/* SPDX-License-Identifier: Apache-2.0 */
/* Merges fetch facts for an append. Both files ascend by position, and so do the positions of the
 * next store, so two blocks in memory suffice. */
#include "engine/builder/append_facts.h"

#include <stdint.h>

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

    *facts = (struct mr_append_facts){.sides = {{.is_over = true}, {.is_over = true}}};
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

static enum mr_links_seen links_of(const struct mr_append_facts *facts, uint32_t position)
{
    return facts->links == NULL || !mr_vertex_set_has(facts->links, 2 * (uint64_t)position)
               ? MR_LINKS_UNSEEN
           : mr_vertex_set_has(facts->links, 2 * (uint64_t)position + 1) ? MR_LINKS_OTHER
                                                                         : MR_LINKS_SAME;
}

enum mr_status mr_append_facts_next(void *data, struct mr_fetch_facts *row, bool *is_over,
                                    struct mr_error *err)
{
    struct mr_append_facts *facts = data;
    const struct mr_fetch_facts *a = &facts->sides[0].row, *b = &facts->sides[1].row;
    const bool has_a = !facts->sides[0].is_over, has_b = !facts->sides[1].is_over;
    const bool takes_a = has_a && (!has_b || a->position <= b->position);
    const bool takes_b = has_b && (!has_a || b->position <= a->position);
    enum mr_status status = MR_OK;

    *is_over = !has_a && !has_b;
    *row = takes_a ? *a : *b;
    if (takes_a && takes_b) {
        mr_fetch_facts_join(row, b, links_of(facts, row->position));
    }
    if (takes_a) {
        status = advance(facts, 0, err);
    }
    return status == MR_OK && takes_b ? advance(facts, 1, err) : status;
}
