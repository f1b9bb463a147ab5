/* SPDX-License-Identifier: Apache-2.0 */
/* Offers the names of an existing store to a builder that copies them. Transposition and subgraphs
 * of known vertices use it. name_merge.c offers another source with the same interface. */
#include "engine/names/name_source.h"

#include "engine/names/name_block.h"

static enum mr_status walk(void *data, mr_names_visit visit, void *visit_data, struct mr_error *err)
{
    const struct mr_names_copy *copy = data;
    struct mr_name_scan scan = {0};

    enum mr_status status = mr_name_scan_open(copy->context, copy->store, &scan, err);

    for (uint64_t i = 0; i < scan.n_blocks && status == MR_OK; i++) {
        status = mr_context_poll(copy->context, err);
        if (status == MR_OK) {
            status = mr_name_scan_load(&scan, i, err);
        }
        while (status == MR_OK && mr_name_scan_has_next(&scan)) {
            status = mr_name_scan_next(&scan, err);
            if (status == MR_OK) {
                status =
                    visit(visit_data, scan.number, mr_name_scan_text(&scan), scan.name_bytes, err);
            }
        }
    }
    mr_name_scan_close(&scan);
    return status;
}

struct mr_names_source mr_names_of_store(struct mr_names_copy *copy)
{
    return (struct mr_names_source){
        .kind = mr_store_get_info(copy->store)->name_kind,
        .has_spellings = (mr_store_get_info(copy->store)->name_key_number & MR_NAME_SPELLINGS) != 0,
        .walk = walk,
        .data = copy,
    };
}
