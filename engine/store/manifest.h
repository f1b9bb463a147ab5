/* SPDX-License-Identifier: Apache-2.0 */
/* The manifest: the file that describes the other files of a store. Internal to the engine.
 *
 * It is small, has a fixed size and is written last. It has the sizes of the files and the
 * checksum of the index (engine/store/index.h). The parser treats the bytes as hostile:
 * anything that does not add up exactly is MR_ERROR_CORRUPT. Layout: docs/store-format.md. */
#ifndef MR_ENGINE_STORE_MANIFEST_H
#define MR_ENGINE_STORE_MANIFEST_H

#include "engine/store/store.h"

struct mr_memory;

#define MR_MANIFEST_BYTES 512u

struct mr_manifest {
    uint32_t format_version;
    uint64_t graph_id;
    uint64_t n_vertices, n_edges, n_dangling, n_self_loops, max_out_degree, max_in_degree;
    uint32_t band_bits, stripe_bits, n_bands;
    uint32_t n_classes;
    enum mr_class_rule class_rule;
    int zstd_level;
    uint64_t n_tiles, keys_tiles, keys_edges, keys_bytes;
    struct mr_corners_figures corners;
    bool undirected, duplicates_kept, self_loops_dropped, transposed;
    bool has_weights; /* there is a weighted set; weights_id is the checksum of its manifest */
    bool is_weighted; /* this is a weighted set's manifest; `weights` has its figures */
    uint64_t weights_id;
    struct mr_weights_figures weights;
    enum mr_name_kind name_kind;
    uint32_t name_key_number;
    uint64_t order_id; /* 0: vertices are in the order of their names */
    enum mr_order_kind order_kind;
    uint64_t n_sources; /* 1 + the highest vertex that has out-edges; 0 without edges */
    bool core_first; /* a build of it numbers the core first */
    uint64_t last_append; /* id of the edges that were appended last; 0: none since the build */
    uint64_t n_facts; /* pages with fetch facts */
    uint64_t facts_id; /* hash of these; 0 without any */
    bool has_digests, has_gone; /* in these */
    uint64_t file_bytes[MR_N_DATA_FILES]; /* links and names: sum of all parts */
    uint64_t index_checksum;
    uint64_t store_id; /* its own checksum */
};

/* Writes the path of a file in `directory` to `path`. `is_weighted` chooses the file of the
 * weighted set. Errors: USAGE if the path is too long. */
enum mr_status mr_store_file_path(const char *directory, bool is_weighted, enum mr_store_file which,
                                  char *path, size_t path_bytes,
                                  struct mr_error *err) MR_WARN_UNUSED;

void mr_manifest_serialize(struct mr_manifest *manifest, uint8_t bytes[MR_MANIFEST_BYTES]);
/* Parses and checks a manifest. `n_bytes` is the file's size; `bytes` has its first
 * MR_MANIFEST_BYTES, or all if there are fewer. Errors: CORRUPT; INPUT for another format
 * version. */
enum mr_status mr_manifest_parse(const uint8_t *bytes, uint64_t n_bytes, const char *path,
                                 struct mr_manifest *manifest, struct mr_error *err) MR_WARN_UNUSED;

#endif
