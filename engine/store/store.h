/* SPDX-License-Identifier: Apache-2.0 */
/* An open store: its figures, its index of blocks, its files. It is read-only and immutable; any
 * number of threads and processes may use one. Layout: docs/store-format.md.
 *
 * millrace/store.h opens and closes it. The weighted set that mr_store_open_weights opens is a
 * store with the same graph, but with its own bands, edges (keys, each with a weight) and files,
 * so that readers without need of weights do not read any. It serves passes and
 * mr_edges_read. Where a pass asks for degrees it also gets strengths, the sums of the
 * weights (double). */
#ifndef MR_ENGINE_STORE_STORE_H
#define MR_ENGINE_STORE_STORE_H

#include <stdbool.h>

#include "engine/base/context.h"
#include "engine/base/format.h"
#include "millrace/store.h"

struct mr_file;

/* The files of a store. */
enum mr_store_file {
    MR_FILE_INDEX,
    MR_FILE_LINKS, /* of class MR_LINK_EXTERNAL, or all */
    MR_FILE_DEGREES,
    MR_FILE_NAMES, /* only if names are not numbers of their vertices */
    MR_FILE_MANIFEST,
    MR_FILE_ORDER, /* only if order_id is not 0 */
    MR_FILE_FACTS, /* only if n_facts is not 0 */
    MR_FILE_INTERNAL_LINKS, /* of class MR_LINK_INTERNAL, if there are classes */
    MR_N_FILES
};

/* The file with the edges of a class. */
static inline enum mr_store_file mr_links_file(uint32_t link_class)
{
    return link_class == 0 ? MR_FILE_LINKS : MR_FILE_INTERNAL_LINKS;
}

/* Figures of tiles in encoding 1. */
struct mr_corners_figures {
    uint64_t tiles; /* tiles whose first part is in encoding 1 */
    uint64_t edges, bytes; /* edges, and bytes of tile data */
    uint64_t parts;
    uint64_t entries; /* additions per pass; keys take one addition per edge */
    uint64_t rows; /* row sums per pass */
};

/* Figures of a weighted set. */
struct mr_weights_figures {
    double total; /* sum of the out-strengths */
    float least, most; /* 0 if there are no edges */
    uint64_t byte_edges; /* edges whose weight takes one byte; the other weights take four */
};

/* The figures of a file of edges, which has those of one class, with its own tiles and blocks.
 * Opening a store merges the blocks of all parts into one list. */
struct mr_links_part {
    uint64_t file_bytes;
    uint64_t n_blocks;
    uint64_t n_edges;
    uint64_t n_tiles, keys_tiles, keys_edges, keys_bytes;
    struct mr_corners_figures corners;
};

/* The figures of a store. Most are those of its manifest (engine/store/manifest.h), the others are
 * derived. If a store is opened with some of its classes of edges, the figures of edges, degrees,
 * tiles, blocks and segments count only these. */
struct mr_store_info {
    uint32_t format_version;
    uint32_t n_classes; /* of edges: 1, or MR_CLASSES_MAX */
    enum mr_class_rule class_rule; /* the rule that separates two classes */
    bool weighs_classes; /* mr_store_weigh_classes was called, with these weights: */
    double class_weights[MR_CLASSES_MAX];
    uint32_t classes; /* the opened classes: sum of 1 << class; MR_CLASSES_ALL: all */
    uint64_t store_id; /* hash of the manifest: identifies the content, appears in metadata */
    uint64_t graph_id; /* in every block, so that blocks of two stores cannot be mixed up */
    uint64_t n_vertices; /* <= 2^32 - 1 */
    uint64_t n_edges; /* <= 2^48; repeated edges count as often as they are stored */
    uint64_t n_dangling; /* vertices of out-degree 0 */
    uint64_t n_self_loops; /* stored edges v -> v */
    uint64_t n_diagonal_edges; /* from a band into itself */
    uint64_t max_out_degree;
    uint64_t max_in_degree;
    unsigned band_bits; /* a band is 2^band_bits consecutive targets */
    unsigned stripe_bits; /* a stripe is 2^stripe_bits consecutive sources, <= band_bits */
    uint32_t n_bands;
    uint64_t n_tiles; /* nonempty; a tile cut across blocks counts once, one in two parts twice */
    uint64_t n_blocks; /* of edges */
    uint64_t n_segments;
    uint64_t bytes; /* all files of the store */
    uint64_t links_bytes; /* the files of edges: tiles, headers, checksums, padding */
    uint64_t degrees_bytes; /* of the degrees that a pass reads */
    uint64_t names_bytes;
    uint64_t index_bytes;
    uint64_t index_checksum;
    uint64_t keys_tiles, keys_edges, keys_bytes; /* encoding 0: tiles, edges, bytes of tile data */
    struct mr_corners_figures corners;
    int zstd_level; /* 0: plain */
    bool undirected, duplicates_kept, self_loops_dropped, transposed;
    bool has_weights; /* mr_store_open_weights can open a weighted set, whose id is: */
    uint64_t weights_id;
    bool is_weighted; /* mr_store_open_weights opened this store */
    struct mr_weights_figures weights; /* of a weighted set; otherwise 0 */
    enum mr_name_kind name_kind;
    uint32_t name_key_number; /* 0 unless names are text */
    /* 0: vertices are in the order of their names, and each vertex's number is its position
     * (engine/names/names.h). Otherwise the id of their order, which is the same in all stores with
     * these vertices in this order. */
    uint64_t order_id;
    /* 1 + the highest vertex that has out-edges, of all classes: sources of edges are below. Bands
     * of targets from n_source_bands on have no source. */
    uint64_t n_sources;
    uint32_t n_source_bands; /* at least 1 where there are vertices */
    uint64_t n_core_edges; /* into these bands */
    bool core_first; /* a build of it numbers the vertices that have out-edges first */
    /* Id of the edges that were appended last, in a store with weights or with edges kept
     * repeatedly; 0: none since the build. */
    uint64_t last_append;
    uint64_t n_facts; /* pages with fetch facts (engine/store/fetch_facts.h) */
    uint64_t facts_id; /* the same for the same facts; 0 without any */
    bool has_digests; /* of contents, in these facts */
    bool has_gone; /* gone pages, in these facts */
};

/* The location and the content of one block: enough to read it or to skip it. */
struct mr_block_entry {
    uint64_t offset; /* in its file */
    uint64_t position; /* stored bytes of the entries before it in the store's list */
    uint32_t stored_bytes; /* header and padding included */
    uint32_t raw_bytes; /* decompressed payload */
    uint32_t first; /* edges: lowest source stripe in it; degrees, names: first vertex */
    uint32_t last; /* edges: highest source stripe; degrees, names: last vertex */
    uint64_t n_entries; /* edges: number of edges; degrees, names: number of vertices */
    /* edges: number among the band's blocks in its part; degrees: among its run; names: in the
     * file */
    uint32_t number;
    uint32_t link_class; /* edges: their class, which says in which file they are */
};

/* One band: consecutive runs of blocks in the lists of edges and of degrees. Off-diagonal blocks
 * come first, those of the first part, then of the second, and so on; diagonal blocks follow in the
 * same order. The off-diagonal blocks are cut into segments, which are runs of blocks: segment i
 * ends before block segment_ends[i] and begins where the segment before it ends. A band's first
 * segment begins at first_block. */
struct mr_band_entry {
    uint64_t first_block; /* edges, off-diagonal blocks first */
    uint64_t first_diagonal; /* first block of diagonal tiles */
    uint64_t end_block;
    uint64_t first_segment; /* a band without off-diagonal blocks has no segment */
    uint64_t end_segment;
    uint64_t n_edges;
    uint64_t n_diagonal_edges;
    uint64_t first_in_block; /* in-degrees, in the list of blocks of degrees */
    uint64_t end_in_block;
    uint64_t first_out_block; /* out-degrees, in the same list */
    uint64_t end_out_block;
};

/* The weight of an edge of each class, [MR_CLASSES_MAX], above 0 and at most 1, or NULL if none are
 * set. If they are set, `*out_strengths` [n_vertices] has the sum of the weights of each vertex's
 * out-edges. See mr_store_weigh_classes. */
const double *mr_store_class_weights(const struct mr_store *store, const double **out_strengths);
/* Used by class_weights.c. `strengths` is charged to the budget and becomes the store's. */
void mr_store_set_class_weights(struct mr_store *store, const double weights[MR_CLASSES_MAX],
                                double *strengths);

/* What an open store keeps from one ranking to the next, so that those of small graphs are soon
 * done: a pass (engine/pass/kept.c). The store destroys it when it is closed, and when classes get
 * weights. */
#define MR_STORE_KEEPS_BYTES (UINT64_C(8) << 20) /* at most */
struct mr_kept {
    void (*destroy)(struct mr_kept *kept);
};
/* Returns what was kept before, or NULL. */
struct mr_kept *mr_store_keep(struct mr_store *store, struct mr_kept *kept);
struct mr_memory *
mr_store_memory(const struct mr_store *store); /* of the context it was opened with */

const struct mr_store_info *mr_store_get_info(const struct mr_store *store);
const char *mr_store_path(const struct mr_store *store);
const struct mr_band_entry *mr_store_bands(const struct mr_store *store); /* [n_bands] */
const struct mr_block_entry *mr_store_link_blocks(const struct mr_store *store); /* [n_blocks] */
const struct mr_block_entry *mr_store_degree_blocks(const struct mr_store *store, uint64_t *count);
const struct mr_block_entry *mr_store_name_blocks(const struct mr_store *store, uint64_t *count);
const uint64_t *mr_store_segment_ends(const struct mr_store *store); /* [n_segments] */
/* The files of the store's edges by class, [info->n_classes], including those of classes that are
 * not opened. */
const struct mr_links_part *mr_store_parts(const struct mr_store *store);

/* The file of a block of one of the lists above, and the graph id that the block must have. Opening
 * a store opens its files: edges and degrees ask for O_DIRECT, names are buffered. */
struct mr_block_location {
    struct mr_file *file;
    uint64_t graph_id;
};
struct mr_block_location mr_store_location(const struct mr_store *store, enum mr_store_file which);
struct mr_block_location mr_store_links_location(const struct mr_store *store,
                                                 const struct mr_block_entry *entry);

/* The number of vertices of band `band`: [band << band_bits, min(n, (band + 1) << band_bits)). */
static inline uint64_t mr_band_vertices(const struct mr_store_info *info, uint32_t band)
{
    uint64_t first = (uint64_t)band << info->band_bits;
    uint64_t width = (uint64_t)1 << info->band_bits;
    return info->n_vertices - first < width ? info->n_vertices - first : width;
}

/* Checks that `path` looks like a store (a directory with a manifest), for callers that need one:
 * INPUT if it does not, RUNTIME if the user may not look into it. */
enum mr_status mr_store_require(const char *path, struct mr_error *err) MR_WARN_UNUSED;

#endif
