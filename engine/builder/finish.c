/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the spool into a published store: numbers the vertices, counts the edges, plans,
 * partitions, sorts and encodes. Counting comes first: the counts decide the width of bands and
 * what fits in memory at once. Small graphs go from the spool straight into the sort buffer; large
 * ones go through a temporary file of pieces. */
#include <inttypes.h>

#include <xxhash.h>

#include "engine/base/bytes.h"
#include "engine/base/clock.h"
#include "engine/base/count_text.h"
#include "engine/base/memory.h"
#include "engine/builder/internal.h"
#include "engine/io/io.h"

/* Memory for small things that grow while a store is written. Most of it is the index: 64 bytes for
 * each block of 256 KiB, counted twice since arrays double. */
#define WRITER_BASE_BYTES  ((uint64_t)256 << 10)
#define WRITER_BLOCK_BYTES ((uint64_t)128)

/* Number of edges to sort: those added, without dropped self-loops, plus reversed edges. */
static uint64_t count_expanded(const struct mr_build *build)
{
    struct mr_spool_figures figures = mr_spool_figures_of(build->spool);
    uint64_t n_self_loops = build->numbering->n_self_loops;
    uint64_t n_proper = figures.n_edges - n_self_loops;
    return (build->options.undirected ? 2 * n_proper : n_proper) +
           (build->options.drop_self_loops ? 0 : n_self_loops);
}

/* ---- Number and count ---- */

static void choose_bits(struct mr_build *build, uint64_t n_vertices, uint64_t n_near)
{
    unsigned band, stripe;
    const struct mr_build_options *options = &build->options;
    mr_build_choose_bits(n_vertices, count_expanded(build), n_near, &band, &stripe);
    if (options->stripe_bits != 0) {
        stripe = options->stripe_bits;
        band = band + stripe > 32 ? 32 - stripe : band;
    }
    if (options->band_bits != 0) {
        band = options->band_bits;
        stripe = stripe > band ? band : stripe;
        stripe = band + stripe > 32 ? 32 - band : stripe;
    }
    build->shape.band_bits = band;
    build->shape.stripe_bits = stripe;
}

/* Make the id of this graph, which every block of the store carries. It does not depend on the
 * order of the edges, or on how often an edge came if duplicates are merged. Never 0. */
static uint64_t make_graph_id(const struct mr_build *build, uint64_t names_hash)
{
    const struct mr_store_info *facts = &build->facts;
    unsigned flags = (unsigned)facts->undirected | (unsigned)facts->duplicates_kept << 1 |
                     (unsigned)facts->self_loops_dropped << 2 | (unsigned)facts->transposed << 3 |
                     (unsigned)facts->class_rule << 4;
    const uint64_t parts[] = {
        build->counts.hash,
        facts->duplicates_kept ? build->counts.n_edges : 0,
        build->grid.n_vertices,
        names_hash,
        (uint64_t)facts->name_kind << 32 | facts->name_key_number,
        flags,
        (uint64_t)build->shape.band_bits << 32 | build->shape.stripe_bits,
        0,
    };
    enum { N_PARTS = sizeof parts / sizeof parts[0] };
    uint8_t bytes[8 * N_PARTS];
    for (size_t i = 0; i < N_PARTS; i++) {
        mr_put_u64(bytes + 8 * i, parts[i]);
    }
    uint64_t id = XXH3_64bits(bytes, sizeof bytes);
    return id != 0 ? id : 1;
}

/* Numbering sparse ids needs memory: a bitmap of 2 bits for each possible id, or 10 bytes for each
 * id that appears. If that does not fit beside the edges in memory, move the edges to disk. */
static enum mr_status make_room_for_ids(struct mr_build *build, struct mr_error *err)
{
    struct mr_spool_figures figures = mr_spool_figures_of(build->spool);
    uint64_t needed = mr_min_u64(figures.max_id / 4, 20 * figures.n_edges);
    if (build->options.ids != MR_IDS_SPARSE || build->numbering->is_frozen ||
        needed < mr_memory_available(build->context->memory) / 2) {
        return MR_OK;
    }
    return mr_spool_evict(build->spool, err);
}

/* Count the edges of each cell, on the grid of the bits chosen so far. */
static enum mr_status count(struct mr_build *build, uint64_t n_vertices, struct mr_error *err)
{
    const uint64_t n_bands = mr_div_up(n_vertices, (uint64_t)1 << build->shape.band_bits);
    const struct mr_spool_scan scan = mr_build_scan(build, "count");
    build->grid = mr_edge_grid_make(n_vertices, build->shape.band_bits, build->shape.stripe_bits,
                                    mr_edge_count_max_cells(build->context, n_bands));
    return mr_edge_count(build->context, &scan, &build->grid, &build->counts, err);
}

/* Only counting shows whether the graph is local. A local graph may be counted twice, since it gets
 * other bits. */
static enum mr_status count_and_choose_bits(struct mr_build *build, uint64_t n_vertices,
                                            struct mr_error *err)
{
    choose_bits(build, n_vertices, 0);
    const struct mr_band_shape guess = build->shape;
    enum mr_status status = count(build, n_vertices, err);
    if (status != MR_OK) {
        return status;
    }
    choose_bits(build, n_vertices, build->counts.n_near);
    if (build->shape.band_bits != guess.band_bits ||
        build->shape.stripe_bits != guess.stripe_bits) {
        mr_memory_free(build->context->memory, build->counts.cells);
        status = count(build, n_vertices, err);
    }
    return status;
}

static enum mr_status number_and_count(struct mr_build *build, struct mr_error *err)
{
    enum mr_status status = make_room_for_ids(build, err);
    if (status == MR_OK) {
        status = mr_build_foresee(build, err);
    }
    if (status == MR_OK) {
        status = mr_numbering_finish(build->numbering, build->spool, build->options.all_captures,
                                     build->options.fetched, err);
    }
    if (status == MR_OK) {
        status = mr_build_make_order(build, err);
    }
    if (status != MR_OK) {
        return status;
    }
    uint64_t n_vertices = build->numbering->n_vertices;
    status = count_and_choose_bits(build, n_vertices, err);
    if (status == MR_OK) {
        build->facts.name_kind = build->numbering->names.kind;
        build->shape.n_vertices = n_vertices;
        build->shape.zstd_level = build->options.zstd_level;
        build->shape.n_classes = build->options.name_group != NULL ? MR_CLASSES_MAX : 1;
        uint64_t names_hash = 0;
        status = mr_numbering_hash(build->numbering, &names_hash, err);
        build->shape.graph_id = make_graph_id(build, names_hash);
        build->shape.has_weights = build->options.weights;
        build->shape.weights_graph_id = build->shape.graph_id ^ build->counts.weights_hash;
        build->shape.encoding =
            build->options.keep_duplicates ? MR_ENCODING_KEYS : build->options.encoding;
    }
    return status;
}

/* Write the fetch facts that the caller gives, those of options.like, or those of the input. */
static enum mr_status write_facts(struct mr_build *build, struct mr_error *err)
{
    struct mr_store *like = build->options.like;
    struct mr_fetch_facts_reader *reader = NULL;

    if (build->change.next_facts != NULL) {
        return mr_store_writer_facts(build->store, build->change.has_digests,
                                     build->change.next_facts, build->change.facts, err);
    }
    if (like == NULL || mr_store_get_info(like)->n_facts == 0) {
        return mr_numbering_write_facts(build->numbering, build->store, err);
    }
    enum mr_status status = mr_fetch_facts_open(build->context, like, &reader, err);
    if (status == MR_OK) {
        status = mr_store_writer_facts(build->store, mr_store_get_info(like)->has_digests,
                                       mr_fetch_facts_read, reader, err);
    }
    mr_fetch_facts_close(reader);
    return status;
}

/* Begin the store and write its names. */
static enum mr_status begin_store(struct mr_build *build, struct mr_error *err)
{
    enum mr_status status = mr_store_writer_create(build->context, mr_publish_path(build->publish),
                                                   &build->shape, &build->store, err);
    if (status == MR_OK && build->options.name_group != NULL) {
        status = mr_build_begin_groups(build, err);
    }
    if (status == MR_OK) {
        status = mr_numbering_write(build->numbering, build->store, build->shape.graph_id,
                                    build->groups, err);
    }
    mr_numbering_forget_names(build->numbering);
    if (status == MR_OK) {
        status = write_facts(build, err);
    }
    if (status == MR_OK && build->groups != NULL) {
        status = mr_build_end_groups(build, err);
    }
    if (status == MR_OK) {
        status = mr_build_write_order(build, err);
    }
    if (status == MR_OK) {
        status =
            mr_band_pipeline_create(build->context, build->store, &build->shape, &build->grid,
                                    build->groups != NULL ? mr_name_groups_of(build->groups) : NULL,
                                    build->internal_out, &build->pipeline, err);
    }
    return status;
}

/* ---- Plan ---- */

static uint64_t saturating_sub(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* Memory for all later allocations, without the sort buffer and the out-degrees. */
static uint64_t overhead_bytes(const struct mr_build *build, unsigned n_workers)
{
    uint64_t n_blocks = build->counts.n_edges / 16384 + 6 * (uint64_t)build->grid.n_bands;
    if (build->options.weights) {
        n_blocks *= 3; /* the set with weights has more blocks, and more short ones */
    }
    return mr_band_pipeline_pending_bytes(build->pipeline) +
           n_workers * (uint64_t)MR_EDGE_LOAD_BYTES + WRITER_BASE_BYTES +
           n_blocks * WRITER_BLOCK_BYTES + MR_EDGE_SORTER_EXTRA_BYTES;
}

/* Plan the sort. `*is_direct`: all edges go from the spool into memory at once. Otherwise the
 * numbering and the spool free their memory before the first piece is sorted. */
static enum mr_status make_plan(struct mr_build *build, bool *is_direct, struct mr_error *err)
{
    uint64_t available = mr_memory_available(build->context->memory);
    unsigned n_workers = mr_spool_scan_workers(build->context, 0);
    uint64_t overhead = overhead_bytes(build, n_workers);
    uint64_t after = available + mr_numbering_bytes(build->numbering) +
                     mr_spool_figures_of(build->spool).resident_bytes;
    uint64_t vertex_bytes =
        sizeof(uint32_t) + (build->options.weights ? sizeof(double) : 0); /* of out-degrees */
    uint64_t limit = saturating_sub(after, overhead + vertex_bytes * build->grid.n_vertices);
    if (build->options.sort_bytes != 0) {
        limit = mr_min_u64(limit, build->options.sort_bytes);
    }
    /* Sums of weights depend on their order, so repeated edges with weights are merged in one go.
     */
    const bool may_condense = !build->options.keep_duplicates && !build->options.weights;
    const struct mr_edge_elastic elastic = mr_band_pipeline_elastic(build->pipeline);
    enum mr_status status =
        mr_edge_plan_make(build->context, &build->grid, build->counts.cells, build->options.weights,
                          may_condense, n_workers, limit, &elastic, &build->plan, err);
    /* If direct, the spool's memory becomes part of the sort buffer, and the numbering is freed
     * before the out-degrees are allocated. */
    struct mr_spool_scan scan = mr_build_scan(build, "partition");
    uint64_t degrees =
        saturating_sub(vertex_bytes * build->grid.n_vertices, mr_numbering_bytes(build->numbering));
    build->given_bytes = mr_edge_given_bytes(&scan, &build->plan);
    const uint64_t direct_bytes =
        saturating_sub(available, overhead + degrees) + build->given_bytes;
    *is_direct = build->plan.n_pieces <= 1 && build->plan.n_heavy == 0 &&
                 build->plan.max_bytes <= direct_bytes;
    const uint64_t room = *is_direct ? mr_min_u64(limit, direct_bytes) : limit;
    mr_edge_plan_widen(&build->plan, saturating_sub(room, build->plan.max_bytes) / 4);
    return status;
}

/* Note how much temporary disk the sort needs. Refuse to start if it is not there, before hours are
 * spent. */
static enum mr_status check_disk(const struct mr_build *build, const struct mr_spool_scan *scan,
                                 struct mr_error *err)
{
    const char *directory =
        build->context->tmp_dir != NULL ? build->context->tmp_dir : mr_publish_path(build->publish);
    uint64_t needed = mr_edge_partition_bytes(scan, build->counts.n_edges, build->options.weights);
    char size[32], room[32];
    uint64_t free_bytes;
    enum mr_status status = mr_io_free_bytes(directory, &free_bytes, err);
    if (status != MR_OK) {
        return status;
    }
    if (needed > free_bytes) {
        return mr_error_file(err, MR_ERROR_BUDGET, directory, 0,
                             "needs %s more of temporary disk for sorting, and %s is free; make "
                             "room, or give --tmp or more --memory",
                             mr_size_text(needed, size), mr_size_text(free_bytes, room));
    }
    mr_context_note(
        build->context,
        "sorting %" PRIu64 " links in %" PRIu64 " pieces through %s of temporary files in %s",
        build->counts.n_edges, build->plan.n_pieces,
        mr_size_text((build->options.weights ? 12 : 8) * build->counts.n_edges, size), directory);
    return MR_OK;
}

/* ---- Sort and encode ---- */

static void destroy_spool(struct mr_build *build)
{
    mr_spool_destroy(build->spool);
    build->spool = NULL;
}

/* Free the numbering, which is no longer needed, and allocate the out-degrees. */
static enum mr_status begin_sorting(struct mr_build *build, struct mr_error *err)
{
    const uint64_t n = build->grid.n_vertices;
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("out-degrees", n, &build->tally.out_degrees),
        MR_WANTED("out-strengths", build->options.weights ? n : 0, &build->tally.out_strengths),
    };
    mr_numbering_destroy(build->numbering);
    build->numbering = NULL;
    return mr_memory_arrays(build->context->memory, arrays, err);
}

static enum mr_status create_sorter(struct mr_build *build, uint64_t given_bytes,
                                    struct mr_error *err)
{
    return mr_edge_sorter_create(build->context, &build->plan, !build->options.keep_duplicates,
                                 given_bytes, &build->sorter, err);
}

static enum mr_status sort_and_encode(struct mr_build *build, struct mr_error *err)
{
    struct mr_sorted_piece sorted;
    enum mr_status status = mr_edge_sorter_sort(build->sorter, &build->tally, &sorted, err);
    return status == MR_OK ? mr_band_pipeline_piece(build->pipeline, &build->plan, &sorted, err)
                           : status;
}

static enum mr_status encode_directly(struct mr_build *build, double *partitioned,
                                      struct mr_error *err)
{
    struct mr_spool_scan scan = mr_build_scan(build, "partition");
    scan.n_workers = build->plan.n_workers;
    scan.discard = true;
    enum mr_status status = create_sorter(build, build->given_bytes, err);
    if (status == MR_OK) {
        mr_edge_sorter_begin(build->sorter, &build->plan.pieces[0]);
        status = mr_edge_load_spool(build->context, &scan, build->sorter, err);
    }
    *partitioned = mr_now();
    if (status == MR_OK) {
        status = begin_sorting(build, err);
    }
    return status == MR_OK ? sort_and_encode(build, err) : status;
}

static enum mr_status encode_pieces(struct mr_build *build, double *partitioned,
                                    struct mr_error *err)
{
    struct mr_spool_scan scan = mr_build_scan(build, "partition");
    scan.discard = true;
    enum mr_status status = check_disk(build, &scan, err);
    if (status == MR_OK) {
        status =
            mr_edge_partition_create(build->context, mr_publish_path(build->publish), build->stem,
                                     &scan, &build->plan, &build->use, &build->partition, err);
    }
    *partitioned = mr_now();
    destroy_spool(build);
    if (status == MR_OK) {
        status = begin_sorting(build, err);
    }
    for (uint64_t piece = 0; status == MR_OK && piece < build->plan.n_pieces; piece++) {
        if (build->plan.pieces[piece].is_heavy) {
            status = mr_edge_partition_condense(build->partition, &build->plan, piece,
                                                build->counts.cells, err);
        }
    }
    if (status == MR_OK) {
        status = create_sorter(build, 0, err);
    }
    for (uint64_t piece = 0; status == MR_OK && piece < build->plan.n_pieces; piece++) {
        mr_edge_sorter_begin(build->sorter, &build->plan.pieces[piece]);
        status = mr_edge_partition_load(build->partition, piece, build->sorter, err);
        if (status == MR_OK) {
            status = sort_and_encode(build, err);
        }
    }
    return status;
}

static enum mr_status write_out_degrees(struct mr_build *build, uint32_t band, struct mr_error *err)
{
    const uint64_t first = (uint64_t)band << build->grid.band_bits;
    const uint32_t width = mr_edge_grid_width(&build->grid, band);
    uint32_t *all = build->tally.out_degrees + first;
    enum mr_status status =
        mr_store_writer_out_degrees(build->store, 0, band, all, NULL, width, err);
    if (status == MR_OK && build->options.weights) {
        status = mr_store_writer_out_degrees(mr_store_writer_weights(build->store), 0, band, all,
                                             build->tally.out_strengths + first, width, err);
    }
    if (status != MR_OK || build->groups == NULL) {
        return status;
    }
    const uint32_t *internal = build->internal_out + first;
    for (uint32_t i = 0; i < width; i++) {
        all[i] -= internal[i];
    }
    status = mr_store_writer_out_degrees(build->store, 1 + MR_LINK_EXTERNAL, band, all, NULL, width,
                                         err);
    return status == MR_OK ? mr_store_writer_out_degrees(build->store, 1 + MR_LINK_INTERNAL, band,
                                                         internal, NULL, width, err)
                           : status;
}

static enum mr_status encode(struct mr_build *build, double *partitioned, struct mr_error *err)
{
    bool is_direct;
    enum mr_status status = make_plan(build, &is_direct, err);
    if (status == MR_OK && build->plan.n_pieces > 0) {
        status = is_direct ? encode_directly(build, partitioned, err)
                           : encode_pieces(build, partitioned, err);
    }
    mr_edge_partition_destroy(build->partition);
    build->partition = NULL;
    mr_edge_sorter_destroy(build->sorter);
    build->sorter = NULL;
    destroy_spool(build);
    for (uint32_t band = 0; status == MR_OK && band < build->grid.n_bands; band++) {
        status = write_out_degrees(build, band, err);
    }
    return status;
}

/* ---- All of it ---- */

/* The figures of a written store and of its weighted set, or NULL. */
static void take_written(const struct mr_store *store, const struct mr_store *weighted,
                         struct mr_store_build_figures *summary)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    summary->class_rule = info->class_rule;
    summary->internal_edges =
        info->n_classes > 1 ? mr_store_parts(store)[MR_LINK_INTERNAL].n_edges : 0;
    summary->n_dangling = info->n_dangling;
    summary->facts_id = info->facts_id;
    summary->store_bytes =
        info->bytes + (weighted != NULL ? mr_store_get_info(weighted)->bytes : 0);
    summary->links_bytes = info->links_bytes;
}

/* Open what was written as its readers will, so that a store that cannot be read replaces none. */
static enum mr_status check_written(const struct mr_build *build,
                                    struct mr_store_build_figures *summary, struct mr_error *err)
{
    const char *path = mr_publish_path(build->publish);
    struct mr_store *store = NULL, *weighted = NULL;
    struct mr_error reason = {.status = MR_OK};
    enum mr_status status = mr_store_open(build->context, path, &store, &reason);
    if (status == MR_OK && build->shape.has_weights) {
        status = mr_store_open_weights(build->context, store, &weighted, &reason);
    }
    if (status == MR_OK) {
        take_written(store, weighted, summary);
    }
    mr_store_close(weighted);
    mr_store_close(store);
    if (status == MR_ERROR_CORRUPT) {
        return mr_error_file(err, MR_ERROR_RUNTIME, path, 0,
                             "the new store cannot be read back (%s), so it is given up; check the "
                             "disk, and report this if the disk is sound",
                             reason.message);
    }
    if (status != MR_OK && err != NULL && err->status == MR_OK) {
        *err = reason;
    }
    return status;
}

/* Publish the complete store, unless the caller does or it waits. */
static enum mr_status publish_store(struct mr_build *build, struct mr_error *err)
{
    struct mr_publish *publish = build->publish;
    const enum mr_status status = mr_context_poll(build->context, err);
    if (status != MR_OK || build->change.publish != NULL) {
        return status;
    }
    build->publish = NULL; /* the commit frees it in any case */
    return mr_publish_commit_with(publish, build->options.together, err);
}

/* Take the facts and figures that are known when all edges are encoded. */
static void take_last_facts(struct mr_build *build, const struct mr_spool_figures *figures,
                            struct mr_store_build_figures *summary)
{
    build->facts.n_self_loops = build->tally.n_self_loops;
    build->facts.weights.least = build->tally.least_weight;
    build->facts.weights.most = build->tally.most_weight;
    summary->input_edges = figures->n_edges;
    summary->self_loops = build->tally.n_self_loops;
    summary->duplicates = build->counts.n_edges - build->tally.n_edges;
    summary->n_vertices = build->grid.n_vertices;
    summary->n_edges = build->tally.n_edges;
    summary->temporary_bytes = atomic_load(&build->use.peak_bytes);
}

enum mr_status mr_build_make_store(struct mr_build *build, struct mr_store_build_figures *summary,
                                   struct mr_error *err)
{
    double spooled = mr_now();
    enum mr_status status = mr_spool_seal(build->spool, err);
    if (status == MR_OK) {
        status = number_and_count(build, err);
    }
    if (status == MR_OK) {
        status = mr_build_make_room(build, err);
    }
    if (status == MR_OK) {
        status = begin_store(build, err);
    }
    double numbered = mr_now(), partitioned = numbered;
    if (status != MR_OK) {
        return status;
    }
    const struct mr_spool_figures figures = mr_spool_figures_of(build->spool);
    const struct mr_dictionary *dictionary = build->numbering->dictionary;
    const uint64_t n_self_loops = build->numbering->n_self_loops;
    *summary = (struct mr_store_build_figures){
        .dropped_self_loops = build->options.drop_self_loops ? n_self_loops : 0,
        .older_links =
            (count_expanded(build) - build->counts.n_edges) / (build->options.undirected ? 2 : 1),
        .spellings_left_out = dictionary != NULL ? mr_dictionary_left_out(dictionary) : 0,
        .seconds_spool = spooled - build->started,
        .seconds_number = numbered - spooled,
    };
    status = encode(build, &partitioned, err);
    if (status == MR_OK) {
        take_last_facts(build, &figures, summary);
        struct mr_store_writer *store = build->store;
        build->store = NULL; /* the writer is freed in any case */
        status = mr_store_writer_finish(store, &build->facts, err);
    }
    if (status == MR_OK) {
        status = check_written(build, summary, err);
    }
    if (status == MR_OK) {
        status = publish_store(build, err);
        summary->seconds_partition = partitioned - numbered;
        summary->seconds_encode = mr_now() - partitioned;
        summary->seconds = mr_now() - build->started;
    }
    return status;
}
