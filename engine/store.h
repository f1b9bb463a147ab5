/* An opened store: its figures, its index of blocks, its files. Read-only and immutable; any number
 * of threads and processes may use one. Layout: docs/store-format.md. */
#ifndef MR_ENGINE_STORE_H
#define MR_ENGINE_STORE_H

#include <stdbool.h>

#include "engine/context.h"
#include "engine/names.h"

struct mr_store;
struct mr_file;

/* Of tiles in encoding 1. */
struct mr_corners_figures {
    uint64_t tiles; /* those whose first part is one of corners */
    uint64_t edges, bytes; /* payload */
    uint64_t parts;
    uint64_t entries; /* additions per pass, where keys take one a link */
    uint64_t rows; /* row sums per pass */
};

/* The manifest's figures. */
struct mr_store_info {
    uint32_t format_version;
    uint64_t store_id; /* hash of the manifest: names this content, appears in metadata */
    uint64_t graph_id; /* in every block, so that blocks of two stores cannot be mixed */
    uint64_t n_vertices; /* <= 2^32 - 1 */
    uint64_t n_edges; /* <= 2^48, duplicates kept counted */
    uint64_t n_dangling; /* vertices of out-degree 0 */
    uint64_t n_self_loops; /* stored edges v -> v */
    uint64_t max_out_degree;
    uint64_t max_in_degree;
    unsigned band_bits; /* a band is 2^band_bits consecutive destinations */
    unsigned stripe_bits; /* a stripe is 2^stripe_bits consecutive sources, <= band_bits */
    uint32_t n_bands;
    uint64_t n_tiles; /* nonempty tiles; one cut across blocks counts once */
    uint64_t n_blocks; /* of links */
    uint64_t n_segments;
    uint64_t bytes; /* all files of the store */
    uint64_t links_bytes; /* the file of links: tiles, headers, checksums, padding */
    uint64_t degrees_bytes;
    uint64_t names_bytes;
    uint64_t index_bytes;
    uint64_t keys_tiles, keys_edges, keys_bytes; /* encoding 0: tiles, edges, payload bytes */
    struct mr_corners_figures corners;
    int zstd_level; /* 0: plain */
    bool undirected, duplicates_kept, self_loops_dropped, transposed;
    enum mr_name_kind name_kind;
    uint32_t name_key_number; /* 0 unless names are text */
};

/* Where one block lies and what is in it: enough to read it, or to skip it. */
struct mr_block_entry {
    uint64_t offset; /* in its file */
    uint32_t stored_bytes; /* header and padding included */
    uint32_t raw_bytes; /* payload once decompressed */
    uint32_t first; /* links: lowest source stripe in it; degrees, names: first vertex */
    uint32_t last; /* links: highest source stripe; degrees, names: last vertex */
    uint64_t n_entries; /* links: edges; degrees, names: vertices */
};

/* One band: consecutive runs of blocks in the file of links and in the file of degrees. Its
 * off-diagonal blocks are cut into segments, runs of blocks again: segment i ends before block
 * segment_ends[i] and begins where the one before ended, a band's first one at first_block. */
struct mr_band_entry {
    uint64_t first_block; /* links, off-diagonal blocks first */
    uint64_t first_diagonal; /* first block of the diagonal tile */
    uint64_t end_block;
    uint64_t first_segment; /* a band without off-diagonal blocks has none */
    uint64_t end_segment;
    uint64_t n_edges;
    uint64_t n_diagonal_edges;
    uint64_t first_in_block; /* in-degrees, blocks of the file of degrees */
    uint64_t end_in_block;
    uint64_t first_out_block; /* out-degrees, likewise */
    uint64_t end_out_block;
};

/* Open and verify manifest, index and file sizes; blocks are verified as they are read. Errors: INPUT
 * when `path` is no store, or a newer format; CORRUPT when it is damaged. Memory: about 32 bytes per
 * block and 80 per band. Close takes NULL. */
enum mr_status mr_store_open(const struct mr_context *context, const char *path,
                             struct mr_store **out, struct mr_error *err) MR_WARN_UNUSED;
void mr_store_close(struct mr_store *store);

/* Is there something at `path` that claims to be a store (a directory with a manifest)? */
bool mr_store_probe(const char *path);

const struct mr_store_info *mr_store_info(const struct mr_store *store);
const char *mr_store_path(const struct mr_store *store);
const struct mr_band_entry *mr_store_bands(const struct mr_store *store); /* [n_bands] */
const struct mr_block_entry *mr_store_link_blocks(const struct mr_store *store); /* [n_blocks] */
const struct mr_block_entry *mr_store_degree_blocks(const struct mr_store *store, uint64_t *count);
const struct mr_block_entry *mr_store_name_blocks(const struct mr_store *store, uint64_t *count);
const uint64_t *mr_store_segment_ends(const struct mr_store *store); /* [n_segments] */
/* The bytes that mr_names_writer left for the lookup of names; engine/names.c reads them. */
const uint8_t *mr_store_name_index(const struct mr_store *store, uint64_t *bytes);

/* Files, opened with the store: links and degrees ask for O_DIRECT, names are buffered (NULL when
 * the names are the identity). */
struct mr_file *mr_store_links_file(const struct mr_store *store);
struct mr_file *mr_store_degrees_file(const struct mr_store *store);
struct mr_file *mr_store_names_file(const struct mr_store *store);

/* Vertices of band `band`: [band << band_bits, min(n, (band + 1) << band_bits)). */
static inline uint64_t mr_band_vertices(const struct mr_store_info *info, uint32_t band)
{
    uint64_t first = (uint64_t)band << info->band_bits;
    uint64_t width = (uint64_t)1 << info->band_bits;
    return info->n_vertices - first < width ? info->n_vertices - first : width;
}

#endif
