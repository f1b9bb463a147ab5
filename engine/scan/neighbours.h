/* The links of single vertices, and parts of the links of a store: for queries. Rankings use
 * engine/pass/pass.h, and who wants all links engine/scan/edges.h. */
#ifndef MR_ENGINE_SCAN_NEIGHBOURS_H
#define MR_ENGINE_SCAN_NEIGHBOURS_H

#include "engine/store/store.h"

struct mr_degrees {
    uint32_t in, out; /* links as stored: repeated ones counted as often */
};

/* Degrees of a vertex < n: two blocks read. Errors: CORRUPT. */
enum mr_status mr_vertex_degrees(const struct mr_context *context, struct mr_store *store,
                                 uint32_t vertex, struct mr_degrees *degrees,
                                 struct mr_error *err) MR_WARN_UNUSED;

enum mr_degree_kind { MR_DEGREES_IN, MR_DEGREES_OUT };

/* All degrees of one kind in vertex order, a band at a time: degrees[n] of vertices first, first + 1 ...
 * Reads the file's half of that kind once. 4 bytes per vertex of a band. */
typedef enum mr_status (*mr_degrees_visit)(void *data, uint64_t first, const uint32_t *degrees,
                                           size_t n, struct mr_error *err);
enum mr_status mr_degrees_read(const struct mr_context *context, struct mr_store *store,
                               enum mr_degree_kind which, mr_degrees_visit visit, void *data,
                               struct mr_error *err) MR_WARN_UNUSED;

/* The vertices that link to `vertex`, or that it links to, ascending, repeated ones repeated. `*out`
 * [*n] is the caller's to give back with mr_memory_free; NULL for none.
 *
 * In: the blocks of the vertex's band are read and decoded, n_edges / n_bands links on the average.
 * Out: those blocks of every band that hold its stripe, at least one block of 256 KiB per band that has
 * links from it. */
enum mr_status mr_neighbours(const struct mr_context *context, struct mr_store *store,
                             uint32_t vertex, enum mr_degree_kind direction, uint32_t **out,
                             uint64_t *n, struct mr_error *err) MR_WARN_UNUSED;

/* The same with the weight of each link, by vertex and then by weight; `weighted` is what
 * mr_store_open_weights opened of `store`. */
struct mr_weighted_neighbour {
    uint32_t vertex;
    float weight;
};
enum mr_status mr_weighted_neighbours(const struct mr_context *context, struct mr_store *store,
                                      struct mr_store *weighted, uint32_t vertex,
                                      enum mr_degree_kind direction,
                                      struct mr_weighted_neighbour **out, uint64_t *n,
                                      struct mr_error *err) MR_WARN_UNUSED;

#endif
