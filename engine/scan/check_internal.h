/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files of mr_check share. Internal to engine/scan. */
#ifndef MR_ENGINE_SCAN_CHECK_INTERNAL_H
#define MR_ENGINE_SCAN_CHECK_INTERNAL_H

#include "engine/names/names.h"
#include "engine/store/block_stream.h"
#include "engine/store/store.h"
#include "engine/tile/corners_expand.h"
#include "engine/tile/degrees.h"
#include "engine/tile/keys.h"

#define MR_CHECK_WAY_OUT "; restore the store from a copy or build it again"

struct mr_checker {
    const struct mr_context *context;
    struct mr_store *store;
    const struct mr_store_info *info;
    bool full;
    bool is_class; /* the store is open with one class of edges; the others follow */
    mr_name_key key; /* of names; NULL: their order is not checked */
    struct mr_block_stream *links, *degree_blocks;

    /* Counted again, with `full`. */
    uint32_t *out_degrees; /* [n_vertices] */
    uint32_t *in_degrees; /* [2^band_bits], of the current band */
    double *out_strengths, *in_strengths; /* as the degrees, if edges have weights */
    uint32_t *degrees; /* of the current block of degrees */
    double *strengths; /* likewise, if edges have weights; else NULL */
    float least_weight, most_weight;
    uint64_t byte_edges;
    uint64_t links_hash; /* of all edges, in any order, without weights */
    uint64_t n_self_loops, n_tiles;
    uint64_t keys_tiles, keys_edges, keys_bytes;
    struct mr_corners_figures corners;
    uint64_t sum_of_in_degrees, max_in_degree;
    uint64_t sum_of_out_degrees, max_out_degree, n_sources, n_dangling;

    /* The current tile: it may continue in the next block. */
    uint32_t stripe;
    uint32_t last_key;
    bool in_tile;

    mr_keys_decoder decode;
    struct mr_corners_expander *expander; /* with `full`, for stores with corner tiles */
    uint32_t *links_of_part; /* [MR_CORNERS_LINKS_MAX], likewise */
    uint32_t keys[MR_KEYS_BATCH + MR_KEYS_SLACK_KEYS];
    float weights[MR_KEYS_BATCH];
};

/* Read and check the blocks of edges of `band`. Counts degrees, self-loops and tiles. */
enum mr_status mr_check_band(struct mr_checker *check, uint32_t band,
                             struct mr_error *err) MR_WARN_UNUSED;

/* Check the file of names: checksums and headers, and with `full` also names, their order and their
 * index. */
enum mr_status mr_check_names(struct mr_checker *check, struct mr_error *err) MR_WARN_UNUSED;

/* Check the file of the order, and that of fetch facts. */
enum mr_status mr_check_order(struct mr_checker *check, struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_check_facts(struct mr_checker *check, struct mr_error *err) MR_WARN_UNUSED;

#endif
