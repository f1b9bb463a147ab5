/* SPDX-License-Identifier: Apache-2.0 */
/* Offers the names of an existing store to a builder that copies them. Transposition and subgraphs
 * of known vertices use it. name_merge.c offers another source with the same interface. */
#include "engine/names/name_source.h"

#include "engine/names/name_block.h"

static enum mr_status walk(const struct mr_names_source *source, mr_names_visit visit,
                           void *visit_data, struct mr_error *err)
{
    struct mr_name_scan scan = {0};
    bool is_over = false;

    enum mr_status status = mr_name_scan_open(source->context, source->data, &scan, err);
    while (status == MR_OK && !is_over) {
        status = mr_name_scan_step(&scan, &is_over, err);
        if (status == MR_OK && !is_over) {
            status = visit(visit_data, scan.number, mr_name_scan_text(&scan), scan.name_bytes, err);
        }
    }
    mr_name_scan_close(&scan);
    return status;
}

struct mr_names_source mr_names_of_store(const struct mr_context *context, struct mr_store *store)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    return (struct mr_names_source){
        .context = context,
        .kind = info->name_kind,
        .has_spellings = (info->name_key_number & MR_NAME_SPELLINGS) != 0,
        .walk = walk,
        .data = store,
    };
}
