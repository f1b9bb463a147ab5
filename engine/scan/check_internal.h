/* The two halves of mr_check. Internal to engine/check*.c. */
#ifndef MR_ENGINE_SCAN_CHECK_INTERNAL_H
#define MR_ENGINE_SCAN_CHECK_INTERNAL_H

#include "engine/names/names.h"
#include "engine/store/block_stream.h"
#include "engine/store/store.h"
#include "engine/tile/corners_expand.h"
#include "engine/tile/keys.h"

#define MR_CHECK_WAY_OUT "; restore the store from a copy or build it again"

struct mr_check {
    const struct mr_context *context;
    struct mr_store *store;
    const struct mr_store_info *info;
    bool full;
    struct mr_block_stream *links, *degrees;
    const char *degrees_path;

    /* With `full`: recounted. */
    uint32_t *out_degrees; /* [n_vertices] */
    uint32_t *in_degrees; /* [2^band_bits], of the band in work */
    double *out_strengths, *in_strengths; /* likewise, where links have weights */
    float least_weight, most_weight;
    uint64_t byte_edges;
    uint64_t links_hash; /* of all links, in any order, without weights */
    uint64_t n_self_loops, n_tiles;
    uint64_t keys_tiles, keys_edges, keys_bytes;
    struct mr_corners_figures corners;
    uint64_t sum_of_in_degrees, max_in_degree;
    uint64_t sum_of_out_degrees, max_out_degree, n_dangling;

    /* The tile in work: it may go on in the next block. */
    uint32_t stripe;
    uint32_t last_key;
    bool in_tile;

    mr_keys_decoder decode;
    struct mr_corners_expander *expander; /* with `full`, where there are corner tiles */
    uint32_t *links_of_part; /* likewise, [MR_CORNERS_LINKS_MAX] */
    uint32_t keys[MR_KEYS_BATCH + MR_KEYS_SLACK_KEYS];
    float weights[MR_KEYS_BATCH];
};

/* Read and check the blocks of links of `band`, counting degrees, loops and tiles. */
enum mr_status mr_check_band(struct mr_check *check, uint32_t band,
                             struct mr_error *err) MR_WARN_UNUSED;

/* Both lists of an order: always their blocks, with `full` also that each is the other's inverse. */
enum mr_status mr_check_order(struct mr_check *check, struct mr_error *err) MR_WARN_UNUSED;

/* Every block of names: always its checksum and header, with `full` also names, order and index. */
enum mr_status mr_check_names(struct mr_check *check, mr_name_key key,
                              struct mr_error *err) MR_WARN_UNUSED;

#endif
