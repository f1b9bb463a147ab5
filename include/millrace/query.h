/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about single vertices and about hosts: the edges of a vertex, when it was fetched, and
 * sums over the vertices of each host.
 *
 * `names` are those of `store` (mr_store_open_names). */
#ifndef MILLRACE_QUERY_H
#define MILLRACE_QUERY_H

#include "millrace/build.h"
#include "millrace/names.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- One vertex ---- */

struct mr_vertex_facts {
    size_t struct_size; /* sizeof(struct mr_vertex_facts), set by the caller */
    uint32_t position; /* of its name in the order of the names */
    uint32_t in_degree, out_degree; /* edges as stored: duplicates count */
    /* Fetches at different times that inputs told; 0: no fetch is known. Counts stop at 65535. */
    uint32_t n_fetches;
    uint32_t first_fetch, last_fetch; /* seconds since 1970; 0: not known */
    uint32_t n_compared; /* fetches whose edges were compared with those of the fetch before */
    uint32_t n_changes; /* of these, fetches that found other edges */
};

/* Fill `facts` of a vertex. The caller sets its struct_size. Errors: USAGE for a vertex that the
 * store does not have, CORRUPT. Reads a few blocks. */
MR_API enum mr_status mr_vertex_describe(const struct mr_context *context, struct mr_store *store,
                                         struct mr_names *names, uint32_t vertex,
                                         struct mr_vertex_facts *facts,
                                         struct mr_error *err) MR_WARN_UNUSED;

/* An edge, by the vertex at its other end. */
struct mr_vertex_edge {
    uint32_t vertex;
    uint32_t position; /* of that vertex */
    float weight; /* 0 without weights */
};

/* The caller frees it with mr_vertex_edges_free. */
struct mr_vertex_edges {
    struct mr_vertex_edge *items; /* [n_items] */
    uint64_t n_items;
    struct mr_memory *memory; /* private: the budget that the items are charged to */
};

/* Find the edges from `vertex`, or with `incoming` those to it, in the order of the names of their
 * other ends, duplicates with ascending weights. `weighted` is `store` opened by
 * mr_store_open_weights, or NULL for edges without weights. `out` is zero after an error.
 *
 * Errors: USAGE for a vertex that the store does not have, CORRUPT, BUDGET. Memory: 20 bytes per
 * edge. Incoming edges take a reading of a part of the edges, that of the band of the vertex;
 * outgoing ones take at least a block of 256 KiB for each band. */
MR_API enum mr_status mr_vertex_list_edges(const struct mr_context *context, struct mr_store *store,
                                           struct mr_store *weighted, struct mr_names *names,
                                           uint32_t vertex, bool incoming,
                                           struct mr_vertex_edges *out,
                                           struct mr_error *err) MR_WARN_UNUSED;
/* Free the items. A zeroed struct is allowed. Call it before the context is destroyed. */
MR_API void mr_vertex_edges_free(struct mr_vertex_edges *edges);

/* ---- Hosts ---- */

struct mr_host_sums {
    const char *host; /* "www.example.com"; "" sums up vertices without a host. Borrowed */
    uint64_t n_vertices;
    uint64_t out_degree, in_degree; /* edges from the vertices of the host, and to them */
    uint64_t n_internal; /* edges inside the host; 0 unless asked for */
    double score; /* the sum of the scores; 0 without scores */
};

/* Takes the sums of a host. A status other than MR_OK ends the call with it. */
typedef enum mr_status (*mr_host_callback)(void *data, const struct mr_host_sums *sums,
                                           struct mr_error *err);

/* Sum up each host, or registered domain, in the order of the names: `take` gets one after the
 * other, from the thread that calls. `internal` also counts the edges inside each host. `scores`
 * [n_vertices], by vertex, are finite, or NULL; they are added in the order of the names, with
 * compensation for rounding. Errors: USAGE for an unknown `by`, INPUT for a score that is not
 * finite, those of `take`, CORRUPT, BUDGET, INTERRUPTED. Memory: 8 bytes per vertex, and 90 to 200
 * per host. Reads the degrees and the names once, and looks up a name of each host. `internal`
 * takes 4 bytes per vertex more, and a reading of the edges. */
MR_API enum mr_status mr_store_sum_hosts(const struct mr_context *context, struct mr_store *store,
                                         struct mr_names *names, enum mr_fold_by by, bool internal,
                                         const double *scores, mr_host_callback take,
                                         void *take_data, struct mr_error *err) MR_WARN_UNUSED;

#ifdef __cplusplus
}
#endif

#endif
