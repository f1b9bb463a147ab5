/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions on stores and names that need formats/url, which knows the order and the
 * spellings of names by their number. The engine itself opens and closes stores. */
#include "engine/store/store.h"

#include "engine/base/sized_struct.h"
#include "engine/scan/check.h"
#include "formats/url/canonical.h"
#include "formats/url/host.h"
#include "formats/url/surt.h"

void mr_store_describe(const struct mr_store *store, struct mr_store_figures *figures)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    const struct mr_store_figures all = {.n_vertices = info->n_vertices,
                                         .n_edges = info->n_edges,
                                         .n_dangling = info->n_dangling,
                                         .n_self_loops = info->n_self_loops,
                                         .max_out_degree = info->max_out_degree,
                                         .max_in_degree = info->max_in_degree,
                                         .bytes = info->bytes,
                                         .store_id = info->store_id,
                                         .n_classes = info->n_classes,
                                         .class_rule = info->class_rule,
                                         .name_kind = info->name_kind,
                                         .undirected = info->undirected,
                                         .duplicates_kept = info->duplicates_kept,
                                         .self_loops_dropped = info->self_loops_dropped,
                                         .transposed = info->transposed,
                                         .has_weights = info->has_weights,
                                         .is_weighted = info->is_weighted};

    mr_sized_give(&all, sizeof all, figures);
}

enum mr_status mr_store_check(const struct mr_context *context, const char *path, bool full,
                              struct mr_check_summary *summary, struct mr_error *err)
{
    struct mr_check_summary found;
    struct mr_store *store = NULL;

    enum mr_status status = mr_store_open(context, path, &store, err);
    if (status != MR_OK) {
        return status;
    }
    const mr_name_key key = mr_name_key_of(mr_store_get_info(store)->name_key_number);
    mr_store_close(store);
    return mr_check(context, path, full, key, summary != NULL ? summary : &found, err);
}

enum mr_status mr_store_open_names(const struct mr_context *context, struct mr_store *store,
                                   struct mr_names **out, struct mr_error *err)
{
    const uint32_t number = mr_store_get_info(store)->name_key_number;
    struct mr_canonical canonical;
    const bool is_known = mr_canonical_of(number, &canonical);
    const mr_name_key key = is_known ? mr_name_key_of(number) : NULL;
    enum mr_status status =
        mr_store_get_info(store)->name_kind == MR_NAMES_TEXT ? mr_names_check(err) : MR_OK;

    *out = NULL;
    status = status == MR_OK ? mr_names_open(context, store, key, out, err) : status;
    if (status == MR_OK && is_known && !canonical.reversed_hosts) {
        mr_names_set_canonical(*out, mr_canonical_name, &canonical, sizeof canonical);
    }
    return status;
}
