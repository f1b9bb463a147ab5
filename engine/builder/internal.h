/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files of the builder share. Internal to the builder.
 *
 *     build.c             takes vertices and edges
 *     finish.c            makes the store: numbers, counts, partitions, sorts, encodes, publishes
 *     forecast.c          the memory that the rest of a build takes
 *     choose_order.c      the order of the vertices, and groups of their names
 *     shape.c             the width of bands, and how the spooled edges are read
 *     store_edges.c       copies edges of existing stores into a build
 *     append.c            appends to a store
 *     append_facts.c      merges the fetch facts for it
 *     transpose.c         the reverse of a store
 *     subgraph.c          part of a store as a store of its own
 */
#ifndef MR_ENGINE_BUILDER_INTERNAL_H
#define MR_ENGINE_BUILDER_INTERNAL_H

#include <time.h>

#include "engine/builder/build.h"
#include "engine/builder/edges/edge_count.h"
#include "engine/builder/edges/edge_partition.h"
#include "engine/builder/edges/spool.h"
#include "engine/builder/vertices/numbering.h"
#include "engine/builder/writer/band_pipeline.h"
#include "engine/io/publish.h"
#include "engine/names/name_source.h"

/* A build from an existing store: its vertices already have numbers and names. */
struct mr_build_change {
    struct mr_store *store; /* facts about its edges are inherited, as with options.like */
    const struct mr_names_source *names; /* of all options.n_vertices */
    struct mr_publish *publish; /* the directory to write to; the caller commits */
    mr_fetch_facts_next next_facts; /* the fetch facts of the new store; NULL: it has none */
    void *facts; /* data of `next_facts` */
    bool has_digests; /* of contents, in the fetch facts */
    uint64_t last_append; /* of the new store, as in struct mr_store_info */
    bool merges; /* edges that come several times */
};

struct mr_build {
    const struct mr_context *context;
    struct mr_build_options options;
    struct mr_build_change change; /* zeros for a build of an input */
    struct mr_names_source names;
    struct mr_publish *publish;
    struct mr_store_info facts; /* those that mr_store_writer_finish takes */
    char *stem; /* for the names of temporary files */
    struct mr_scratch_use use;
    struct mr_numbering *numbering;
    struct mr_spool *spool;
    double started; /* in seconds */

    /* ---- The members below are used while finishing ---- */

    struct mr_core_map core; /* the order; without words: vertices are their positions */
    struct mr_edge_grid grid;
    struct mr_edge_counts counts;
    struct mr_band_shape shape;
    struct mr_name_groups *groups; /* groups of vertices; NULL: all edges have one class */
    uint32_t *internal_out; /* [n_vertices]: internal out-edges, if edges have classes */
    struct mr_store_writer *store;
    struct mr_band_pipeline *pipeline;
    struct mr_edge_plan plan;
    uint64_t given_bytes; /* bytes of the spool that a sorter of all edges gets */
    struct mr_edge_sorter *sorter;
    struct mr_edge_partition *partition;
    struct mr_sort_tally tally;
};

/* As mr_build_create, with DENSE ids. `change` and the objects that it points to outlive the
 * build. */
enum mr_status mr_build_create_change(const struct mr_context *context, const char *path,
                                      const struct mr_build_options *options,
                                      const struct mr_build_change *change, struct mr_build **out,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* Refuse a new store at `path` that keeps the names of `store` if the disk has no room for them,
 * before any link is read. Errors: BUDGET. */
enum mr_status mr_build_check_names(const char *path, const struct mr_store *store,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Make the store in the temporary directory and publish it, unless the caller publishes. The caller
 * releases the build in any case. */
enum mr_status mr_build_make_store(struct mr_build *build, struct mr_store_build_figures *summary,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Foresee (mr_memory_foresee) what a build with announced vertices takes, or before names are
 * merged one with names on disk or with captures. Edges in memory go to disk if these have no room
 * beside them. */
enum mr_status mr_build_foresee(struct mr_build *build, struct mr_error *err) MR_WARN_UNUSED;

/* Foresee what the rest takes, when the edges are counted. Edges in memory go to disk where the
 * encoder has no room beside them. */
enum mr_status mr_build_make_room(struct mr_build *build, struct mr_error *err) MR_WARN_UNUSED;

/* shape.c: a scan of all edges as vertices. The vertices must have numbers. */
struct mr_spool_scan mr_build_scan(const struct mr_build *build, const char *stage);

/* Order the numbered vertices as options.core_first and options.like say. */
enum mr_status mr_build_make_order(struct mr_build *build, struct mr_error *err) MR_WARN_UNUSED;

/* Group the names if the options ask for classes: begin before the names are written, end
 * afterwards. */
enum mr_status mr_build_begin_groups(struct mr_build *build, struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_build_end_groups(struct mr_build *build, struct mr_error *err) MR_WARN_UNUSED;

/* Write the order to the store if it differs from that of the names. */
enum mr_status mr_build_write_order(struct mr_build *build, struct mr_error *err) MR_WARN_UNUSED;

#endif
