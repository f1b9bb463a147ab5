/* Manifest and index: the two files that say what the others contain. Internal to the engine.
 *
 * The manifest is small and of fixed size, written last; it names a generation of files, their sizes
 * and the index's checksum. The index lists bands, segments and blocks. Both are parsed as hostile:
 * what does not add up exactly is MR_ERROR_CORRUPT. Layout: docs/store-format.md. */
#ifndef MR_ENGINE_MANIFEST_H
#define MR_ENGINE_MANIFEST_H

#include "engine/store.h"

struct mr_memory;

enum mr_store_file {
    MR_FILE_INDEX,
    MR_FILE_LINKS,
    MR_FILE_DEGREES,
    MR_FILE_NAMES,
    MR_FILE_MANIFEST
};
#define MR_N_DATA_FILES 4u /* those whose sizes the manifest holds */
#define MR_N_FILES      5u

#define MR_MANIFEST_BYTES 512u

struct mr_manifest {
    uint32_t format_version;
    uint32_t generation;
    uint64_t graph_id;
    uint64_t n_vertices, n_edges, n_dangling, n_self_loops, max_out_degree, max_in_degree;
    uint32_t band_bits, stripe_bits, n_bands;
    int zstd_level;
    uint64_t n_tiles, keys_tiles, keys_edges, keys_bytes;
    struct mr_corners_figures corners;
    bool undirected, duplicates_kept, self_loops_dropped, transposed;
    enum mr_name_kind name_kind;
    uint32_t name_key_number;
    uint64_t file_bytes[MR_N_DATA_FILES];
    uint64_t index_checksum;
    uint64_t store_id; /* its own checksum */
};

/* The index in memory. Arrays are budgeted allocations. */
struct mr_index {
    struct mr_band_entry *bands;
    uint64_t n_bands;
    uint64_t *segment_ends; /* block after the last one of each segment */
    uint64_t n_segments, segment_capacity;
    struct mr_block_entry *link_blocks;
    uint64_t n_link_blocks, link_capacity;
    struct mr_block_entry *degree_blocks;
    uint64_t n_degree_blocks, degree_capacity;
    struct mr_block_entry *name_blocks;
    uint64_t n_name_blocks, name_capacity;
    uint8_t *names;
    uint64_t names_bytes;
};

/* Path of a file of generation 1 in `directory`. */
enum mr_status mr_store_file_path(const char *directory, enum mr_store_file which, char *path,
                                  size_t path_bytes, struct mr_error *err) MR_WARN_UNUSED;

enum mr_status mr_index_create(struct mr_memory *memory, uint64_t n_bands, struct mr_index *index,
                               struct mr_error *err) MR_WARN_UNUSED;
void mr_index_free(struct mr_memory *memory, struct mr_index *index);
enum mr_status mr_index_add_block(struct mr_memory *memory, struct mr_index *index,
                                  enum mr_store_file file, const struct mr_block_entry *entry,
                                  struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_index_add_segment(struct mr_memory *memory, struct mr_index *index,
                                    uint64_t end_block, struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_index_set_names(struct mr_memory *memory, struct mr_index *index,
                                  const uint8_t *bytes, uint64_t n_bytes,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* To bytes, setting manifest->index_checksum. `*bytes` is a budgeted allocation. */
enum mr_status mr_index_serialize(struct mr_memory *memory, struct mr_manifest *manifest,
                                  const struct mr_index *index, uint8_t **bytes, uint64_t *n_bytes,
                                  struct mr_error *err) MR_WARN_UNUSED;
/* From bytes: verifies the checksum, every count and range, and that blocks tile their files. */
enum mr_status mr_index_parse(struct mr_memory *memory, const struct mr_manifest *manifest,
                              const uint8_t *bytes, uint64_t n_bytes, const char *path,
                              struct mr_index *index, struct mr_error *err) MR_WARN_UNUSED;

void mr_manifest_serialize(struct mr_manifest *manifest, uint8_t bytes[MR_MANIFEST_BYTES]);
/* `n_bytes` is the file's size; `bytes` has the first MR_MANIFEST_BYTES of it, or all if fewer. */
enum mr_status mr_manifest_parse(const uint8_t *bytes, uint64_t n_bytes, const char *path,
                                 struct mr_manifest *manifest, struct mr_error *err) MR_WARN_UNUSED;
void mr_manifest_info(const struct mr_manifest *manifest, const struct mr_index *index,
                      struct mr_store_info *info);

#endif
