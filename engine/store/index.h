/* SPDX-License-Identifier: Apache-2.0 */
/* The index of a store: its files, and the location of every block. Internal to the engine.
 *
 * On disk the index is a list of parts, one for each class of edges, each with the bands and blocks
 * of one file. In memory the parts are merged: a band has one run of blocks, whatever files they
 * are in, and only engine/store knows how many files there are. The parser treats the bytes as
 * hostile: anything that does not add up exactly is MR_ERROR_CORRUPT. Layout: docs/store-format.md,
 * "Index". */
#ifndef MR_ENGINE_STORE_INDEX_H
#define MR_ENGINE_STORE_INDEX_H

#include "engine/base/format.h"
#include "engine/store/manifest.h"

/* Figures of the edges that a set of degrees counts. */
struct mr_degree_facts {
    uint64_t n_dangling, n_self_loops, max_out_degree, max_in_degree;
};

/* The bytes of figures and entries in the index. */
extern const struct mr_field mr_links_fields[]; /* figures of struct mr_links_part */
extern const struct mr_field mr_degree_fields[]; /* figures of struct mr_degree_facts */
extern const struct mr_field mr_block_fields[]; /* struct mr_block_entry */
/* struct mr_band_entry: the blocks of edges of a band in one part, and those of its degrees. */
extern const struct mr_field mr_band_fields[], mr_run_fields[];

/* The merged index in memory. Its arrays are charged to the budget. */
struct mr_index {
    struct mr_links_part *parts; /* [n_parts], by class */
    uint32_t n_parts;
    struct mr_band_entry *bands;
    uint64_t n_bands;
    uint64_t *segment_ends; /* for each segment the block after its last one */
    uint64_t n_segments;
    struct mr_block_entry *link_blocks;
    uint64_t n_link_blocks;
    struct mr_block_entry *degree_blocks;
    uint64_t n_degree_blocks;
    struct mr_block_entry *name_blocks;
    uint64_t n_name_blocks;
    uint8_t *names; /* the index of names, [names_bytes] */
    uint64_t names_bytes;
    /* Figures of the opened classes. */
    struct mr_degree_facts facts;
    struct mr_links_part total; /* sums of the figures of its parts */
    uint64_t degrees_bytes;
};

/* The lists of an index on disk, in the order of the file. */
enum mr_index_list {
    MR_INDEX_PARTS, /* files of edges */
    MR_INDEX_NAME_PARTS,
    MR_INDEX_SETS, /* of degrees: of all edges, then of each class if there are two */
    MR_INDEX_RUNS, /* of blocks of degrees: sets times bands */
    MR_INDEX_BANDS, /* parts times bands */
    MR_INDEX_LINKS, /* blocks of edges, part after part */
    MR_INDEX_DEGREES,
    MR_INDEX_NAMES,
    MR_INDEX_NAME_BYTES,
    MR_INDEX_N_LISTS
};

/* The sizes of their items on disk. */
enum {
    MR_INDEX_HEADER_BYTES = 16 + 8 * MR_INDEX_N_LISTS, /* magic, graph id, counts */
    MR_INDEX_PART_BYTES = 128,
    MR_INDEX_NAME_PART_BYTES = 64,
    MR_INDEX_SET_BYTES = 32,
    MR_INDEX_RUN_BYTES = 32,
    MR_INDEX_BAND_BYTES = 40,
    MR_INDEX_BLOCK_BYTES = 32
};
extern const uint8_t mr_index_item_bytes[MR_INDEX_N_LISTS];
#define MR_INDEX_MAGIC "MRINDEX3" /* 8 bytes */

/* Parses the index: verifies every count and range, and that blocks fill their files without gaps.
 * `classes` is as in mr_store_open_classes; bands, blocks, degrees and figures are of these
 * classes. Free the index with mr_index_free, which takes a zeroed one. Errors: CORRUPT, BUDGET. */
enum mr_status mr_index_parse(struct mr_memory *memory, const struct mr_store_info *manifest,
                              uint32_t classes, const uint8_t *bytes, uint64_t n_bytes,
                              const char *path, struct mr_index *index,
                              struct mr_error *err) MR_WARN_UNUSED;
void mr_index_free(struct mr_memory *memory, struct mr_index *index);

const struct mr_index *mr_store_index(const struct mr_store *store);

#endif
