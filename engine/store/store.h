/* An opened store: its figures, its index of blocks, its files. Read-only and immutable; any number of threads
 * and processes may use one. It is opened and closed by millrace/store.h: what mr_store_open_weights opens is
 * a store again, with bands, links (keys, each with a weight) and files by themselves, so that whoever reads
 * the one without weights pays nothing for them. It is for passes and mr_edges_read_weighted; where a pass is
 * asked for degrees there are strengths, too, the sums of the weights (double). Layout: docs/store-format.md. */
#ifndef MR_ENGINE_STORE_STORE_H
#define MR_ENGINE_STORE_STORE_H

#include <stdbool.h>

#include "engine/base/context.h"
#include "engine/base/format.h"
#include "millrace/store.h"

struct mr_file;

/* Of tiles in encoding 1. */
struct mr_corners_figures {
    uint64_t tiles; /* those whose first part is one of corners */
    uint64_t edges, bytes; /* payload */
    uint64_t parts;
    uint64_t entries; /* additions per pass, where keys take one a link */
    uint64_t rows; /* row sums per pass */
};

/* Of a weighted set. */
struct mr_weights_figures {
    double total; /* sum of the out-strengths */
    float least, most; /* 0 where there are no links */
    uint64_t byte_edges; /* links whose weight is stored in a byte; the others take four */
};

/* A file of links: what one build or append wrote of one class. Its tiles and blocks are its own; blocks of
 * all parts are merged into one list when a store is opened. */
struct mr_links_part {
    uint32_t generation; /* that wrote it, and in its name */
    uint32_t link_class; /* < n_classes of the store */
    uint64_t file_bytes;
    uint64_t block_id; /* graph_id of its blocks */
    uint64_t n_blocks;
    uint64_t n_edges;
    uint64_t n_tiles, keys_tiles, keys_edges, keys_bytes;
    struct mr_corners_figures corners;
};

/* The figures of a store, or of the classes of links it was opened with: those of edges, degrees, tiles,
 * blocks and segments are of these classes alone. */
struct mr_store_info {
    uint32_t format_version;
    uint32_t generation; /* 1 as built, one more with each append */
    uint32_t n_parts; /* files of links, of all classes */
    uint32_t n_classes; /* of links: 1, or MR_CLASSES_MAX */
    enum mr_class_rule class_rule; /* what tells two classes apart */
    bool weighs_classes; /* mr_store_weigh_classes was called, with these weights: */
    double class_weights[MR_CLASSES_MAX];
    uint32_t classes; /* opened: sum of 1 << class; MR_CLASSES_ALL: all */
    uint64_t store_id; /* hash of the manifest: names this content, appears in metadata */
    uint64_t graph_id; /* in every block, so that blocks of two stores cannot be mixed */
    uint64_t n_vertices; /* <= 2^32 - 1 */
    uint64_t n_edges; /* <= 2^48, duplicates kept counted */
    uint64_t n_dangling; /* vertices of out-degree 0 */
    uint64_t n_self_loops; /* stored edges v -> v */
    uint64_t n_diagonal_edges; /* from a band to itself */
    uint64_t max_out_degree;
    uint64_t max_in_degree;
    unsigned band_bits; /* a band is 2^band_bits consecutive destinations */
    unsigned stripe_bits; /* a stripe is 2^stripe_bits consecutive sources, <= band_bits */
    uint32_t n_bands;
    uint64_t
        n_tiles; /* nonempty tiles; one cut across blocks counts once, one in two parts twice */
    uint64_t n_blocks; /* of links */
    uint64_t n_segments;
    uint64_t bytes; /* all files of the store */
    uint64_t links_bytes; /* the files of links: tiles, headers, checksums, padding */
    uint64_t degrees_bytes; /* of the degrees that a pass reads */
    uint64_t names_bytes;
    uint64_t index_bytes;
    uint64_t keys_tiles, keys_edges, keys_bytes; /* encoding 0: tiles, edges, payload bytes */
    struct mr_corners_figures corners;
    int zstd_level; /* 0: plain */
    bool undirected, duplicates_kept, self_loops_dropped, transposed;
    bool has_weights; /* mr_store_open_weights has something to open */
    bool is_weighted; /* this is what it opened */
    struct mr_weights_figures weights; /* of a weighted set; else 0 */
    enum mr_name_kind name_kind;
    uint32_t name_key_number; /* 0 unless names are text */
    uint32_t n_name_parts; /* files of names, and the vertices without */
    bool
        names_ascend; /* from the first place to the last: not where names were appended behind others */
    /* 0: vertices are in the order of their names, each at its own place (engine/names/names.h). Else the order's: the
     * same in all stores of these vertices in this order. */
    uint64_t order_id;
};

/* Where one block lies and what is in it: enough to read it, or to skip it. */
struct mr_block_entry {
    uint64_t offset; /* in its file */
    uint64_t position; /* stored bytes of the entries before it in the store's list */
    uint32_t stored_bytes; /* header and padding included */
    uint32_t raw_bytes; /* payload once decompressed */
    uint32_t first; /* links: lowest source stripe in it; degrees, names: first vertex */
    uint32_t last; /* links: highest source stripe; degrees, names: last vertex */
    uint64_t n_entries; /* links: edges; degrees, names: vertices */
    uint32_t
        number; /* links: among its band's blocks of its part; degrees: of its kind; names: in file */
    uint16_t part; /* links, names: which file */
    uint16_t link_class; /* links */
};

/* One band: consecutive runs of blocks in the lists of links and of degrees. Off-diagonal blocks come
 * first, those of the first part, then of the second ...; diagonal ones behind them likewise. Its
 * off-diagonal blocks are cut into segments, runs of blocks again: segment i ends before block
 * segment_ends[i] and begins where the one before ended, a band's first one at first_block. */
struct mr_band_entry {
    uint64_t first_block; /* links, off-diagonal blocks first */
    uint64_t first_diagonal; /* first block of diagonal tiles */
    uint64_t end_block;
    uint64_t first_segment; /* a band without off-diagonal blocks has none */
    uint64_t end_segment;
    uint64_t n_edges;
    uint64_t n_diagonal_edges;
    uint64_t first_in_block; /* in-degrees, in the list of blocks of degrees */
    uint64_t end_in_block;
    uint64_t first_out_block; /* out-degrees, likewise */
    uint64_t end_out_block;
};

/* NULL, or [MR_CLASSES_MAX]: what a link of each class counts, above 0 and at most 1; then also
 * `*out_strengths` [n_vertices], what a vertex's out-links count together. See class_weights.h. */
const double *mr_store_class_weights(const struct mr_store *store, const double **out_strengths);
/* For class_weights.c. `strengths` is a budgeted allocation and becomes the store's. */
void mr_store_set_class_weights(struct mr_store *store, const double weights[MR_CLASSES_MAX],
                                double *strengths);

/* For what goes through names that ascend. MR_ERROR_USAGE, naming `path` and the way out, where they do not. */
enum mr_status mr_store_need_order(const struct mr_store_info *info, const char *path,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Is it a store, whole or damaged: a directory whose manifest begins as a manifest does? */
bool mr_store_is_at(const char *path);

const struct mr_store_info *mr_store_info(const struct mr_store *store);
const char *mr_store_path(const struct mr_store *store);
const struct mr_band_entry *mr_store_bands(const struct mr_store *store); /* [n_bands] */
const struct mr_block_entry *mr_store_link_blocks(const struct mr_store *store); /* [n_blocks] */
const struct mr_block_entry *mr_store_degree_blocks(const struct mr_store *store, uint64_t *count);
const struct mr_block_entry *mr_store_name_blocks(const struct mr_store *store, uint64_t *count);
const uint64_t *mr_store_segment_ends(const struct mr_store *store); /* [n_segments] */
/* The parts that the store's links lie in, [info->n_parts], those of classes not opened among them. */
const struct mr_links_part *mr_store_parts(const struct mr_store *store);

/* Where a block of one of the lists above lies, and the graph id it has to have. Files are opened with the
 * store: links and degrees ask for O_DIRECT, names are buffered. */
struct mr_block_place {
    struct mr_file *file;
    uint64_t graph_id;
};
struct mr_block_place mr_store_links_place(const struct mr_store *store,
                                           const struct mr_block_entry *entry);
struct mr_block_place mr_store_degrees_place(const struct mr_store *store);
struct mr_block_place
mr_store_order_place(const struct mr_store *store); /* engine/store/vertex_order.h */
struct mr_block_place mr_store_names_place(const struct mr_store *store,
                                           const struct mr_block_entry *entry);

/* Vertices of band `band`: [band << band_bits, min(n, (band + 1) << band_bits)). */
static inline uint64_t mr_band_vertices(const struct mr_store_info *info, uint32_t band)
{
    uint64_t first = (uint64_t)band << info->band_bits;
    uint64_t width = (uint64_t)1 << info->band_bits;
    return info->n_vertices - first < width ? info->n_vertices - first : width;
}

#endif
