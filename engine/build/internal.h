/* What the files of the builder share. Internal to the builder.
 *
 *     build.c         takes edges in
 *     finish.c        makes the store: numbers, counts, partitions, sorts, encodes, publishes
 *     choose_order.c  the order of the vertices, and groups of their names
 *     shape.c         how wide bands are, and how the spooled edges are read
 */
#ifndef MR_ENGINE_BUILD_INTERNAL_H
#define MR_ENGINE_BUILD_INTERNAL_H

#include <time.h>

#include "engine/build/build.h"
#include "engine/build/build_checkpoint.h"
#include "engine/build/edges/base_filter.h"
#include "engine/build/edges/edge_count.h"
#include "engine/build/edges/edge_partition.h"
#include "engine/build/vertices/degree_order.h"
#include "engine/build/vertices/numbering.h"
#include "engine/build/writer/band_feed.h"
#include "engine/io/publish.h"
#include "engine/names/name_source.h"

/* A build whose vertices are numbered and named already, from those of a store. */
struct mr_build_change {
    struct mr_store *store; /* what is known of its edges is inherited, as with options.like */
    const struct mr_names_source
        *names; /* of all options.n_vertices, or the new ones where it appends */
    bool
        appends; /* what is written is the next generation of `store`, without the links that this has */
    struct mr_publish *publish; /* where to write it; the caller commits */
};

struct mr_build {
    const struct mr_context *context;
    struct mr_build_options options;
    struct mr_build_change change; /* or zeros */
    struct mr_names_copy copy; /* of options.like */
    struct mr_names_source names;
    struct mr_publish *publish;
    struct mr_store_facts facts; /* name_kind and n_self_loops while finishing */
    char *stem; /* of temporary files */
    struct mr_scratch_use use;
    struct mr_numbering *numbering;
    struct mr_spool *spool;
    struct mr_build_checkpoint *checkpoint; /* or NULL */
    bool is_read; /* from there */
    double started; /* in seconds */

    /* From here on while finishing. */
    struct mr_degree_order order; /* `vertices` are the numbering's; `places` until written */
    struct mr_edge_grid grid;
    struct mr_edge_counts counts;
    struct mr_band_shape shape;
    uint32_t *groups_order; /* vertices of places, while groups are made of those of options.like */
    struct mr_name_groups *groups; /* of vertices; NULL: links are of one class */
    struct mr_feed_classes classes; /* of the groups */
    struct mr_store_writer *store;
    struct mr_band_feed *feed;
    struct mr_edge_plan plan;
    uint64_t given_bytes; /* of the spool's memory, to a sorter that takes all edges at once */
    struct mr_edge_sorter *sorter;
    struct mr_edge_partition *partition;
    struct mr_base_filter *filter; /* where it appends and merges */
    struct mr_sort_tally tally;
};

/* As mr_build_create, with DENSE ids. `change` and what it points at outlive the build. */
enum mr_status mr_build_create_change(const struct mr_context *context, const char *path,
                                      const struct mr_build_options *options,
                                      const struct mr_build_change *change, struct mr_build **out,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* options.checkpoint: open it, and see whether it `is_read`. */
enum mr_status mr_build_open_checkpoint(struct mr_build *build,
                                        struct mr_error *err) MR_WARN_UNUSED;

/* Its share of mr_build_expect; the rest goes to `*sorted`. */
enum mr_status mr_build_expect_checkpoint(const struct mr_build *build, uint64_t n_edges,
                                          bool is_guess, uint64_t *sorted,
                                          struct mr_error *err) MR_WARN_UNUSED;

/* Make the store in the temporary directory and publish it, unless that is the caller's. Leaves the build for its caller to
 * release, whatever happens. */
enum mr_status mr_build_make_store(struct mr_build *build, struct mr_build_summary *summary,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* shape.c: all edges as vertices, once these are numbered. */
struct mr_spool_scan mr_build_scan(const struct mr_build *build, const char *stage);

/* Order the numbered vertices as options.order says. */
enum mr_status mr_build_make_order(struct mr_build *build, struct mr_error *err) MR_WARN_UNUSED;

/* Groups of names, where options ask for classes: begin before the names are written, end afterwards. */
enum mr_status mr_build_begin_groups(struct mr_build *build, struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_build_end_groups(struct mr_build *build, struct mr_error *err) MR_WARN_UNUSED;

/* The order into the store, where it is another than that of the names. */
enum mr_status mr_build_write_order(struct mr_build *build, struct mr_error *err) MR_WARN_UNUSED;

#endif
