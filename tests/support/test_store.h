/* SPDX-License-Identifier: Apache-2.0 */
/* For unit tests: makes a store from a list of edges with the writers alone, in memory, without the
 * builder. It also writes wrong orders and wrong figures if a test asks for them. */
#ifndef MR_TESTS_SUPPORT_TEST_STORE_H
#define MR_TESTS_SUPPORT_TEST_STORE_H

#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/names/name_writer.h"
#include "engine/writer/store_writer.h"

struct test_edge {
    uint32_t source, target;
};

struct test_store_options {
    uint32_t n_vertices;
    unsigned band_bits, stripe_bits;
    uint64_t graph_id;
    int zstd_level;
    enum mr_encoding encoding;
    bool duplicates_kept, self_loops_dropped;
    bool undirected; /* the manifest says so */
    /* do not sort the edges; the edges of a band must be together, and bands ascending */
    bool in_given_order;
    bool no_names; /* otherwise the name of vertex v is 3 v + 1 */
    uint32_t n_core; /* the core are the last n_core positions; 0: vertices are their positions */
    const struct mr_fetch_facts *facts; /* [n_facts] */
    size_t n_facts;
    int64_t more_self_loops; /* added to the true number */
    uint32_t wrong_in_degree; /* 1 + the vertex whose in-degree is stored one too large; 0: none */
    uint32_t wrong_out_degree; /* the same for the out-degree */
    uint32_t without_out_degree; /* 1 + the vertex whose out-degree is stored as 0; 0: none */
};

/* The sort key of an edge in store order: band, off the diagonal or on it, stripe, key. */
static inline uint64_t test_store_position(const struct test_store_options *o,
                                           struct test_edge edge)
{
    uint64_t band = edge.target >> o->band_bits;
    uint64_t diagonal = edge.source >> o->band_bits == band;

    return band << 32 | diagonal << 31 | edge.source >> o->stripe_bits;
}

static inline uint32_t test_store_key(const struct test_store_options *o, struct test_edge edge)
{
    uint32_t source = edge.source & (uint32_t)(((uint64_t)1 << o->stripe_bits) - 1);

    return source << o->band_bits | (edge.target & ((1u << o->band_bits) - 1));
}

static inline int test_store_compare(const void *a, const void *b, void *options)
{
    const struct test_edge *x = a, *y = b;
    uint64_t place_x = test_store_position(options, *x), place_y = test_store_position(options, *y);
    uint32_t key_x = test_store_key(options, *x), key_y = test_store_key(options, *y);

    if (place_x != place_y) {
        return place_x < place_y ? -1 : 1;
    }
    return (key_x > key_y) - (key_x < key_y);
}

/* Sort into store order. Without options.duplicates_kept, drop all but one of equal edges. Returns
 * the number of edges left. */
static inline size_t test_store_sort(const struct test_store_options *options,
                                     struct test_edge *edges, size_t n_edges)
{
    struct test_store_options copy = *options;
    size_t n = 0;

    if (n_edges > 0) {
        qsort_r(edges, n_edges, sizeof *edges, test_store_compare, &copy);
    }
    for (size_t i = 0; i < n_edges; i++) {
        if (options->duplicates_kept || n == 0 ||
            memcmp(&edges[n - 1], &edges[i], sizeof *edges) != 0) {
            edges[n++] = edges[i];
        }
    }
    return n;
}

/* Writes the edges of one band, tile by tile. Returns their number. */
static inline size_t test_store_band(const struct test_store_options *o, uint32_t band_number,
                                     const struct test_edge *edges, size_t n_edges,
                                     struct mr_band_writer *band, enum mr_status *status)
{
    size_t i = 0;

    mr_band_writer_begin(band, band_number);
    for (; i < n_edges && edges[i].target >> o->band_bits == band_number && *status == MR_OK; i++) {
        uint32_t key = test_store_key(o, edges[i]);

        *status = mr_band_writer_add(band, edges[i].source >> o->stripe_bits, &key, 1, NULL);
    }
    if (*status == MR_OK) {
        *status = mr_band_writer_end(band, NULL);
    }
    return i;
}

static inline enum mr_status test_store_degrees(const struct test_store_options *o,
                                                const struct test_edge *edges, size_t n_edges,
                                                bool out, struct mr_store_writer *writer)
{
    /* with room for invalid targets and sources */
    uint32_t *degrees = calloc(o->n_vertices + ((size_t)1 << o->band_bits), sizeof *degrees);
    uint32_t wrong = out ? o->wrong_out_degree : o->wrong_in_degree;
    enum mr_status status = MR_OK;

    for (size_t i = 0; i < n_edges; i++) {
        degrees[out ? edges[i].source : edges[i].target]++;
    }
    if (wrong > 0) {
        degrees[wrong - 1]++;
    }
    if (out && o->without_out_degree > 0) {
        degrees[o->without_out_degree - 1] = 0;
    }
    for (uint64_t v = 0; v < o->n_vertices && status == MR_OK; v += (uint64_t)1 << o->band_bits) {
        uint32_t band = (uint32_t)(v >> o->band_bits);
        uint32_t n = (uint32_t)mr_min_u64((uint64_t)1 << o->band_bits, o->n_vertices - v);

        status = out ? mr_store_writer_out_degrees(writer, 0, band, degrees + v, NULL, n, NULL)
                     : mr_store_writer_in_degrees(writer, 0, band, degrees + v, NULL, n, NULL);
    }
    free(degrees);
    return status;
}

static inline enum mr_status test_store_names(const struct mr_context *context,
                                              const struct test_store_options *o,
                                              struct mr_store_writer *writer)
{
    struct mr_names_writer *names = NULL;
    enum mr_status status =
        mr_names_writer_create(context, writer, o->graph_id, MR_NAMES_NUMBERS, &names, NULL);

    for (uint32_t v = 0; v < o->n_vertices && status == MR_OK; v++) {
        status = mr_names_writer_number(names, 3 * (uint64_t)v + 1, NULL);
    }
    return status == MR_OK ? mr_names_writer_finish(names, NULL) : status;
}

/* The vertex at a position. */
static inline uint32_t test_store_vertex(const struct test_store_options *o, uint32_t position)
{
    return (position + o->n_core) % o->n_vertices;
}

static inline enum mr_status test_store_order(const struct mr_context *context,
                                              const struct test_store_options *o,
                                              struct mr_store_writer *writer)
{
    struct mr_core_map core;
    enum mr_status status = mr_core_map_create(context->memory, o->n_vertices, &core, NULL);

    for (uint32_t p = o->n_vertices - o->n_core; p < o->n_vertices && status == MR_OK; p++) {
        mr_core_map_add(&core, p);
    }
    if (status == MR_OK) {
        mr_core_map_seal(&core);
        status = mr_store_writer_order(writer, &core, NULL);
    }
    mr_core_map_free(context->memory, &core);
    return status;
}

struct test_store_facts {
    const struct mr_fetch_facts *rows;
    size_t n, at;
};

static inline enum mr_status test_store_next_facts(void *data, struct mr_fetch_facts *row,
                                                   bool *is_over, struct mr_error *err)
{
    struct test_store_facts *facts = data;

    (void)err;
    *is_over = facts->at == facts->n;
    if (!*is_over) {
        *row = facts->rows[facts->at++];
    }
    return MR_OK;
}

/* Write a store into the empty directory `path`. Sorts `edges`, unless the options forbid it.
 * `*n_edges` becomes the number of edges in the store. After an error it leaks memory, which is
 * harmless in a test. */
static inline enum mr_status test_store_write(const struct mr_context *context, const char *path,
                                              const struct test_store_options *o,
                                              struct test_edge *edges, size_t *n_edges)
{
    const struct mr_band_shape shape = {.graph_id = o->graph_id,
                                        .band_bits = o->band_bits,
                                        .stripe_bits = o->stripe_bits,
                                        .n_vertices = o->n_vertices,
                                        .zstd_level = o->zstd_level,
                                        .encoding =
                                            o->duplicates_kept ? MR_ENCODING_KEYS : o->encoding};
    struct mr_store_info facts = {.n_self_loops = (uint64_t)o->more_self_loops,
                                  .undirected = o->undirected,
                                  .duplicates_kept = o->duplicates_kept,
                                  .self_loops_dropped = o->self_loops_dropped,
                                  .name_kind = o->no_names ? MR_NAMES_IDENTITY : MR_NAMES_NUMBERS};
    struct mr_store_writer *writer = NULL;
    struct mr_band_writer *band = NULL;
    uint64_t n_bands = mr_div_up(o->n_vertices, (uint64_t)1 << o->band_bits);
    enum mr_status status = mr_store_writer_create(context, path, &shape, &writer, NULL);
    size_t done = 0;

    if (!o->in_given_order) {
        *n_edges = test_store_sort(o, edges, *n_edges);
    }
    if (status == MR_OK && !o->no_names) {
        status = test_store_names(context, o, writer);
    }
    if (status == MR_OK && o->n_core > 0) {
        status = test_store_order(context, o, writer);
    }
    if (status == MR_OK) {
        struct test_store_facts rows = {.rows = o->facts, .n = o->n_facts};
        status = mr_store_writer_facts(writer, o->n_facts > 0 && o->facts[0].last_digest > 0,
                                       test_store_next_facts, &rows, NULL);
    }
    if (status == MR_OK) {
        status = mr_band_writer_create(context, &shape, &band, NULL);
    }
    for (uint32_t b = 0; b < n_bands && status == MR_OK; b++) {
        done += test_store_band(o, b, edges + done, *n_edges - done, band, &status);
        if (status == MR_OK) {
            status = mr_store_writer_end_band(writer, band, NULL);
        }
    }
    for (size_t i = 0; i < *n_edges; i++) {
        facts.n_self_loops += edges[i].source == edges[i].target;
    }
    if (status == MR_OK) {
        status = test_store_degrees(o, edges, *n_edges, false, writer);
    }
    if (status == MR_OK) {
        status = test_store_degrees(o, edges, *n_edges, true, writer);
    }
    mr_band_writer_destroy(band);
    return status == MR_OK ? mr_store_writer_finish(writer, &facts, NULL) : status;
}

#endif
