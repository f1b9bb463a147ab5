/* SPDX-License-Identifier: Apache-2.0 */
/* A table of all pages for crawlers that keep one, in the columns of Aduana's page database: a
 * hash, the index that --to edges has, the URL, first and last fetch, changes, fetches, depth,
 * score. Names and fetch facts are in the same order, so both are read once. Depths come first: a
 * page at depth d gives d + 1 to the pages that it links to, in one reading of the links for each
 * d. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <xxhash.h>

#include "engine/base/memory.h"
#include "engine/names/names.h"
#include "engine/scan/edges.h"
#include "engine/store/fetch_facts.h"
#include "formats/stream/output.h"
#include "library/query/export_store.h"
#include "library/query/subset.h"

#define UNREACHED UINT32_MAX

/* ---- Depths ---- */

struct depths {
    uint32_t *of; /* [n_vertices] */
    uint32_t level;
    unsigned source; /* the end of a stored edge that has the link */
    bool goes_on; /* a page is at level + 1 */
};

static enum mr_status deepen(void *data, const uint32_t (*pairs)[2], const float *weights,
                             size_t n_pairs, struct mr_error *err)
{
    struct depths *depths = data;

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        uint32_t *target = &depths->of[pairs[i][1 - depths->source]];
        if (*target == UNREACHED && depths->of[pairs[i][depths->source]] == depths->level) {
            *target = depths->level + 1;
            depths->goes_on = true;
        }
    }
    return MR_OK;
}

/* `*depths` [n_vertices] is charged to the budget; the caller frees it. */
static enum mr_status find_depths(const struct mr_context *context, struct mr_store *store,
                                  const struct mr_store_export_options *options, uint32_t **depths,
                                  struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    struct depths all = {.source = info->transposed ? 1 : 0, .goes_on = true};

    enum mr_status status = mr_vertices_check(store, options->seeds, options->n_seeds, err);
    if (status == MR_OK) {
        status =
            mr_memory_array(context->memory, "depths of pages", info->n_vertices + 1, &all.of, err);
        *depths = all.of;
    }
    for (uint64_t v = 0; status == MR_OK && v < info->n_vertices; v++) {
        all.of[v] = UNREACHED;
    }
    for (uint64_t i = 0; status == MR_OK && i < options->n_seeds; i++) {
        all.of[options->seeds[i]] = 0;
    }
    for (; status == MR_OK && all.goes_on; all.level++) {
        all.goes_on = false;
        status = mr_edges_read(context, store, NULL, deepen, &all, err);
    }
    return status;
}

/* ---- Rows ---- */

struct page_rows {
    struct mr_output *out;
    struct mr_fetch_facts_reader *facts;
    struct mr_fetch_facts row; /* the next one */
    bool is_over;
    const uint32_t *depths; /* or NULL */
    const double *scores; /* or NULL */
    bool is_numbered; /* --to edges has the names, which are numbers, else the positions */
};

/* A mr_name_take. */
static enum mr_status write_row(void *data, const struct mr_name_cursor *cursor, uint64_t at,
                                const char *name, size_t name_bytes, struct mr_error *err)
{
    struct page_rows *rows = data;
    const uint32_t vertex = mr_name_cursor_vertex(cursor);
    const bool has_facts = !rows->is_over && rows->row.position == at;
    const struct mr_fetch_facts row = has_facts ? rows->row : (struct mr_fetch_facts){0};
    const double score = rows->scores != NULL ? rows->scores[vertex] : 0.0;
    char depth[16] = "-";
    uint64_t escaped = 0;

    if (!isfinite(score)) {
        return mr_error_set(err, MR_ERROR_INPUT,
                            "the score %g of vertex %u is not finite; each vertex needs a score",
                            score, vertex);
    }
    if (rows->depths != NULL && rows->depths[vertex] != UNREACHED) {
        (void)snprintf(depth, sizeof depth, "%" PRIu32, rows->depths[vertex]);
    }
    enum mr_status status =
        rows->is_numbered
            ? mr_output_print(rows->out, err, "%016" PRIx64 " %.*s ",
                              (uint64_t)XXH3_64bits(name, name_bytes), (int)name_bytes, name)
            : mr_output_print(rows->out, err, "%016" PRIx64 " %" PRIu64 " ",
                              (uint64_t)XXH3_64bits(name, name_bytes), at);
    if (status == MR_OK) {
        status = mr_output_name_escaped(rows->out, name, name_bytes, MR_NAME_URI, &escaped, err);
    }
    if (status == MR_OK) {
        status = mr_output_print(rows->out, err, " %" PRIu32 ".0 %" PRIu32 ".0 %u %u %s %.17g\n",
                                 row.first, row.fetches > 0 ? row.last : 0, row.changes,
                                 row.fetches, depth, score);
    }
    return status == MR_OK && has_facts
               ? mr_fetch_facts_read(rows->facts, &rows->row, &rows->is_over, err)
               : status;
}

enum mr_status mr_export_pages(const struct mr_context *context, struct mr_store *store,
                               struct mr_names *names,
                               const struct mr_store_export_options *options, const char *path,
                               struct mr_error *err)
{
    struct page_rows rows = {.scores = options->scores,
                             .is_numbered = mr_store_get_info(store)->name_kind != MR_NAMES_TEXT};
    uint32_t *depths = NULL;
    enum mr_status status = MR_OK;

    if (options->seeds != NULL) {
        status = find_depths(context, store, options, &depths, err);
    }
    if (status == MR_OK) {
        rows.depths = depths;
        status = mr_fetch_facts_open(context, store, &rows.facts, err);
    }
    if (status == MR_OK) {
        status = mr_fetch_facts_read(rows.facts, &rows.row, &rows.is_over, err);
    }
    if (status == MR_OK) {
        status = mr_output_open(context, path, options->force, &rows.out, err);
    }
    if (status == MR_OK) {
        status = mr_names_walk(context, names, mr_store_get_info(store)->n_vertices, NULL,
                               write_row, &rows, err);
    }
    status = mr_output_end(rows.out, status, err);
    mr_fetch_facts_close(rows.facts);
    mr_memory_free(context->memory, depths);
    return status;
}
