/* SPDX-License-Identifier: Apache-2.0 */
/* Verifies a store: reads every block of every file and checks checksums and headers. With `full`
 * it also decodes everything, counts again, and compares the counts with the figures of the store.
 * A store with classes of links also has the degrees that each class alone gives; they are checked
 * like a store that has only this class.
 *
 * This file walks over the files of the store and checks degrees and figures; check_links.c checks
 * edges, check_names.c names, the order and fetch facts. */
#include "engine/scan/check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "engine/scan/check_internal.h"

static enum mr_status figure_is_wrong(const struct mr_checker *check, const char *what,
                                      uint64_t recounted, uint64_t stated, struct mr_error *err)
{
    return mr_error_file(err, MR_ERROR_CORRUPT, mr_store_path(check->store), 0,
                         "%s: %" PRIu64 " recounted, %" PRIu64 " stated" MR_CHECK_WAY_OUT, what,
                         recounted, stated);
}

/* Compare decoded strengths with `summed`. They must have the same bits, since the order of
 * additions is documented. -0 equals 0 as a number and is refused, too. */
static enum mr_status compare_strengths(const struct mr_checker *check, const char *path,
                                        const struct mr_block_entry *entry, const double *summed,
                                        struct mr_error *err)
{
    for (uint64_t i = 0; i < entry->n_entries; i++) {
        if (memcmp(&check->strengths[i], &summed[i], sizeof *summed) != 0) {
            return mr_error_offset(err, MR_ERROR_CORRUPT, path, entry->offset,
                                   "the weights of page %" PRIu64 " add up to %.17g, stated is "
                                   "%.17g" MR_CHECK_WAY_OUT,
                                   entry->first + i, summed[i], check->strengths[i]);
        }
    }
    return MR_OK;
}

static enum mr_status compare_degrees(const struct mr_checker *check, const char *path, bool is_in,
                                      const struct mr_block_entry *entry, const uint32_t *counted,
                                      struct mr_error *err)
{
    for (uint64_t i = 0; i < entry->n_entries; i++) {
        if (check->degrees[i] != counted[i]) {
            return mr_error_offset(err, MR_ERROR_CORRUPT, path, entry->offset,
                                   "page %" PRIu64 " has %s-degree %" PRIu32
                                   " by its links, %" PRIu32 " as stated" MR_CHECK_WAY_OUT,
                                   entry->first + i, is_in ? "in" : "out", counted[i],
                                   check->degrees[i]);
        }
    }
    return MR_OK;
}

/* Check a band's degrees of one kind: blocks [first, end) of the file. With `full`, `counted` and
 * `summed` have what they should be; the latter is NULL without weights. */
static enum mr_status check_degrees(struct mr_checker *check, bool is_in, uint32_t band,
                                    uint64_t first, uint64_t end, const uint32_t *counted,
                                    const double *summed, struct mr_error *err)
{
    const bool is_weighted = check->info->is_weighted;
    const enum mr_block_kind kind =
        is_in ? (is_weighted ? MR_BLOCK_IN_STRENGTHS : MR_BLOCK_IN_DEGREES)
              : (is_weighted ? MR_BLOCK_OUT_STRENGTHS : MR_BLOCK_OUT_DEGREES);
    const struct mr_block_location place = mr_store_location(check->store, MR_FILE_DEGREES);
    const char *path = mr_file_path(place.file);
    uint64_t n_blocks = 0, done = 0;
    const struct mr_block_entry *blocks = mr_store_degree_blocks(check->store, &n_blocks);
    enum mr_status status = MR_OK;

    for (uint64_t i = first; i < end && status == MR_OK; done += blocks[i++].n_entries) {
        struct mr_block_header header;
        const uint8_t *raw = NULL;

        status = mr_block_stream_next(check->degree_blocks, kind, band, &header, &raw, err);
        if (status != MR_OK || !check->full) {
            continue;
        }
        status = mr_degrees_decode(place, &blocks[i], &header, raw, check->degrees,
                                   check->strengths, err);
        if (status == MR_OK && is_weighted) {
            status = compare_strengths(check, path, &blocks[i], summed + done, err);
        }
        if (status == MR_OK) {
            status = compare_degrees(check, path, is_in, &blocks[i], counted + done, err);
        }
    }
    return status;
}

static void report(const struct mr_checker *check, uint32_t bands, uint64_t edges)
{
    if (check->context->progress != NULL) {
        const struct mr_progress progress = {
            .stage = "check",
            .done = bands,
            .total = check->info->n_bands,
            .unit = "bands",
            .edges = edges,
            .error_bound = -1,
        };

        check->context->progress(check->context->progress_data, &progress);
    }
}

/* Check the files of edges band by band, each with its in-degrees. */
static enum mr_status check_links(struct mr_checker *check, struct mr_error *err)
{
    const struct mr_band_entry *bands = mr_store_bands(check->store);
    enum mr_status status = MR_OK;
    uint64_t n_edges = 0;

    for (uint32_t band = 0; band < check->info->n_bands && status == MR_OK; band++) {
        uint64_t n_vertices = mr_band_vertices(check->info, band);

        if (check->full) {
            memset(check->in_degrees, 0, n_vertices * sizeof *check->in_degrees);
            if (check->in_strengths != NULL) {
                memset(check->in_strengths, 0, n_vertices * sizeof *check->in_strengths);
            }
        }
        status = check->is_class && !check->full ? MR_OK : mr_check_band(check, band, err);
        if (status == MR_OK) {
            status = check_degrees(check, true, band, bands[band].first_in_block,
                                   bands[band].end_in_block, check->in_degrees, check->in_strengths,
                                   err);
        }
        for (uint64_t i = 0; check->full && i < n_vertices; i++) {
            check->sum_of_in_degrees += check->in_degrees[i];
            check->max_in_degree = mr_max_u64(check->max_in_degree, check->in_degrees[i]);
        }
        n_edges += bands[band].n_edges;
        report(check, band + 1, n_edges);
    }
    return status;
}

/* Check the rest of the file of degrees: the out-degrees. */
static enum mr_status check_out_degrees(struct mr_checker *check, struct mr_error *err)
{
    const struct mr_band_entry *bands = mr_store_bands(check->store);
    enum mr_status status = MR_OK;

    for (uint32_t band = 0; band < check->info->n_bands && status == MR_OK; band++) {
        const uint32_t *counted = NULL;
        const double *summed = NULL;
        const uint64_t first = (uint64_t)band << check->info->band_bits;

        if (check->full) {
            counted = check->out_degrees + first;
            summed = check->out_strengths == NULL ? NULL : check->out_strengths + first;
        }
        status = check_degrees(check, false, band, bands[band].first_out_block,
                               bands[band].end_out_block, counted, summed, err);
    }
    for (uint64_t i = 0; check->full && i < check->info->n_vertices; i++) {
        check->sum_of_out_degrees += check->out_degrees[i];
        check->max_out_degree = mr_max_u64(check->max_out_degree, check->out_degrees[i]);
        check->n_dangling += check->out_degrees[i] == 0;
        check->n_sources = check->out_degrees[i] == 0 ? check->n_sources : i + 1;
    }
    return status;
}

/* Compare the figures of the manifest with the counts. Degrees have 32 bits; if one wrapped around,
 * the sum differs. */
static enum mr_status check_figures(const struct mr_checker *check, struct mr_error *err)
{
    const struct mr_store_info *info = check->info;
    const struct {
        const char *what;
        uint64_t recounted, stated;
    } figures[] = {
        {"sum of in-degrees", check->sum_of_in_degrees, info->n_edges},
        {"sum of out-degrees", check->sum_of_out_degrees, info->n_edges},
        {"highest in-degree", check->max_in_degree, info->max_in_degree},
        {"highest out-degree", check->max_out_degree, info->max_out_degree},
        {"pages without out-links", check->n_dangling, info->n_dangling},
        {"last page with out-links", check->n_sources,
         check->is_class ? check->n_sources : info->n_sources},
        {"self-loops", check->n_self_loops, info->n_self_loops},
        {"self-loops, which were to be dropped", check->n_self_loops,
         info->self_loops_dropped ? 0 : check->n_self_loops},
        {"tiles", check->n_tiles, info->n_tiles},
        {"tiles of keys", check->keys_tiles, info->keys_tiles},
        {"links in tiles of keys", check->keys_edges, info->keys_edges},
        {"bytes of keys", check->keys_bytes, info->keys_bytes},
        {"tiles of corners", check->corners.tiles, info->corners.tiles},
        {"links in tiles of corners", check->corners.edges, info->corners.edges},
        {"bytes of corners", check->corners.bytes, info->corners.bytes},
        {"parts of corners", check->corners.parts, info->corners.parts},
        {"entries of corners", check->corners.entries, info->corners.entries},
        {"rows of corners", check->corners.rows, info->corners.rows},
        {"links with a weight of a byte", check->byte_edges, info->weights.byte_edges},
    };

    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        if (figures[i].recounted != figures[i].stated) {
            return figure_is_wrong(check, figures[i].what, figures[i].recounted, figures[i].stated,
                                   err);
        }
    }
    double total = 0;
    for (uint64_t v = 0; info->is_weighted && v < info->n_vertices; v++) {
        total += check->out_strengths[v];
    }
    if (total != info->weights.total || check->least_weight != info->weights.least ||
        check->most_weight != info->weights.most) {
        return mr_error_file(err, MR_ERROR_CORRUPT, mr_store_path(check->store), 0,
                             "weights are from %g to %g, their sum is %.17g; stated are %g, %g and "
                             "%.17g" MR_CHECK_WAY_OUT,
                             (double)check->least_weight, (double)check->most_weight, total,
                             (double)info->weights.least, (double)info->weights.most,
                             info->weights.total);
    }
    return MR_OK;
}

static enum mr_status prepare(struct mr_checker *check, struct mr_error *err)
{
    const struct mr_store_info *info = check->info;
    uint64_t n_degree_blocks = 0;
    const struct mr_block_entry *degree_blocks =
        mr_store_degree_blocks(check->store, &n_degree_blocks);
    const uint64_t n = check->full ? info->n_vertices : 0;
    const uint64_t width = n > 0 ? (uint64_t)1 << info->band_bits : 0;
    const uint64_t weighted = info->is_weighted ? 1 : 0;
    /* each degree takes at least a byte of its block */
    const uint64_t in_block = mr_min_u64(width, MR_BLOCK_RAW_MAX_BYTES);
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("recounted degrees", n, &check->out_degrees),
        MR_WANTED("recounted degrees", width, &check->in_degrees),
        MR_WANTED("added up weights", weighted * n, &check->out_strengths),
        MR_WANTED("added up weights", weighted * width, &check->in_strengths),
        MR_WANTED("degrees", in_block, &check->degrees),
        MR_WANTED("strengths", weighted * in_block, &check->strengths),
    };

    check->decode = mr_keys_best_decoder();
    enum mr_status status = mr_memory_arrays(check->context->memory, arrays, err);
    if (status == MR_OK && check->full && info->corners.edges > 0) {
        const struct mr_corners_shape shape = {.band_bits = info->band_bits,
                                               .stripe_bits = info->stripe_bits};

        status = mr_corners_expander_create(check->context->memory, &shape, &check->expander, err);
        if (status == MR_OK) {
            status = mr_memory_array(check->context->memory, "corner tiles", MR_CORNERS_LINKS_MAX,
                                     &check->links_of_part, err);
        }
    }
    if (status == MR_OK && (check->full || !check->is_class)) {
        status = mr_block_stream_open(check->context, check->store, MR_BLOCK_LINKS,
                                      mr_store_link_blocks(check->store), info->n_blocks,
                                      &check->links, err);
    }
    if (status == MR_OK) {
        status = mr_block_stream_open(check->context, check->store, MR_BLOCK_IN_DEGREES,
                                      degree_blocks, n_degree_blocks, &check->degree_blocks, err);
    }
    return status;
}

/* The files of a store and what is checked of each: the checksum and the header of every block, and
 * with `full` what its codec says. Opening the store has checked its manifest, its index and the
 * size of each file. */
static const struct {
    enum mr_store_file which;
    enum mr_status (*check)(struct mr_checker *check, struct mr_error *err);
} files[] = {
    {MR_FILE_LINKS, check_links},    {MR_FILE_DEGREES, check_out_degrees},
    {MR_FILE_NAMES, mr_check_names}, {MR_FILE_ORDER, mr_check_order},
    {MR_FILE_FACTS, mr_check_facts},
};
enum { N_FILES = sizeof files / sizeof files[0], N_FILES_OF_CLASS = 2 };

static enum mr_status check_store(struct mr_checker *check, struct mr_error *err)
{
    enum mr_status status = prepare(check, err);

    for (unsigned i = 0; i < (check->is_class ? N_FILES_OF_CLASS : N_FILES); i++) {
        if (status == MR_OK && (i < N_FILES_OF_CLASS ||
                                mr_store_location(check->store, files[i].which).file != NULL)) {
            status = files[i].check(check, err);
        }
    }
    return status == MR_OK && check->full ? check_figures(check, err) : status;
}

/* Check all of `store`, one of the two sets of edges or one class of edges. Adds to `summary`. */
static enum mr_status check_set(const struct mr_context *context, struct mr_store *store, bool full,
                                mr_name_key key, uint64_t *links_hash,
                                struct mr_check_summary *summary, struct mr_error *err)
{
    struct mr_checker *check = calloc(1, sizeof *check);
    uint64_t n_degree_blocks = 0, n_name_blocks = 0;

    if (check == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a check");
    }
    check->context = context;
    check->store = store;
    check->info = mr_store_get_info(store);
    check->full = full;
    check->key = key;
    check->is_class = check->info->classes != MR_CLASSES_ALL;
    const enum mr_status status = check_store(check, err);
    (void)mr_store_degree_blocks(store, &n_degree_blocks);
    (void)mr_store_name_blocks(store, &n_name_blocks);
    if (check->is_class) { /* its links and names are counted already */
        summary->blocks += n_degree_blocks;
    } else {
        summary->blocks += check->info->n_blocks + n_degree_blocks + n_name_blocks;
        summary->bytes += check->info->bytes;
        summary->edges = check->info->n_edges;
    }
    summary->vertices = check->info->n_vertices;
    *links_hash = check->links_hash;
    mr_memory_free(context->memory, check->links_of_part);
    mr_corners_expander_destroy(check->expander);
    mr_block_stream_close(check->links);
    mr_block_stream_close(check->degree_blocks);
    mr_memory_free(context->memory, check->degrees);
    mr_memory_free(context->memory, check->strengths);
    mr_memory_free(context->memory, check->in_strengths);
    mr_memory_free(context->memory, check->out_strengths);
    mr_memory_free(context->memory, check->in_degrees);
    mr_memory_free(context->memory, check->out_degrees);
    free(check);
    return status;
}

/* Check the degrees of each class of edges. */
static enum mr_status check_classes(const struct mr_context *context, const struct mr_store *store,
                                    bool full, struct mr_check_summary *summary,
                                    struct mr_error *err)
{
    const uint32_t n_classes = mr_store_get_info(store)->n_classes;
    enum mr_status status = MR_OK;

    for (uint32_t c = 0; n_classes > 1 && c < n_classes && status == MR_OK; c++) {
        struct mr_store *alone = NULL;
        uint64_t ignored = 0;
        status =
            mr_store_open_classes(context, mr_store_path(store), (uint32_t)1 << c, &alone, err);
        if (status == MR_OK) {
            status = check_set(context, alone, full, NULL, &ignored, summary, err);
        }
        mr_store_close(alone);
    }
    return status;
}

enum mr_status mr_check(const struct mr_context *context, const char *path, bool full,
                        mr_name_key key, struct mr_check_summary *summary, struct mr_error *err)
{
    struct mr_store *store = NULL, *weighted = NULL;
    uint64_t links = 0, weighted_links = 0;

    *summary = (struct mr_check_summary){0};
    enum mr_status status = mr_store_open(context, path, &store, err);
    if (status == MR_OK) {
        status = check_set(context, store, full, key, &links, summary, err);
    }
    if (status == MR_OK) {
        status = check_classes(context, store, full, summary, err);
    }
    if (status == MR_OK && mr_store_get_info(store)->has_weights) {
        status = mr_store_open_weights(context, store, &weighted, err);
        if (status == MR_OK) {
            status = check_set(context, weighted, full, key, &weighted_links, summary, err);
        }
        if (status == MR_OK && links != weighted_links) {
            status = mr_error_file(
                err, MR_ERROR_CORRUPT, path, 0,
                "the links with weights differ from those without weights" MR_CHECK_WAY_OUT);
        }
    }
    mr_store_close(weighted);
    mr_store_close(store);
    return status;
}
