/* SPDX-License-Identifier: Apache-2.0 */
/* Synthetic graphs, and running a generator of edges: all threads make units of edges, which are
 * handed over in order to the builder or to another sink. */
#ifndef MR_GENERATORS_GENERATE_H
#define MR_GENERATORS_GENERATE_H

#include "engine/builder/build.h"

#define MR_GENERATOR_NAME_MAX_BYTES 128u

/* A growing array, charged to a budget. Zeroed except for `memory` it is empty. */
struct mr_edge_list {
    struct mr_memory *memory;
    struct mr_edge *edges; /* [capacity] */
    uint64_t n_edges, capacity;
};

/* Make room for `more` items after the existing ones. Errors: BUDGET. */
enum mr_status mr_edge_list_reserve(struct mr_edge_list *list, size_t more,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_edge_list_free(struct mr_edge_list *list);

/* A graph cut into units. Each unit can be made alone. A builder for it has MR_IDS_DENSE. */
struct mr_generator {
    uint64_t n_units;
    uint64_t n_vertices;
    uint64_t n_edges; /* approximately, for progress; 0: unknown */
    void *model; /* owned if there is `close` */
    size_t scratch_bytes; /* zeroed once for each thread; 0: none */
    /* Appends the edges of `unit` to `list`. Thread-safe if each thread has its own `scratch`. */
    enum mr_status (*make)(const void *model, uint64_t unit, void *scratch,
                           struct mr_edge_list *list, struct mr_error *err);
    /* Writes the name of `vertex`, not terminated; returns its length. Names ascend. Thread-safe.
     * NULL: vertices have numbers alone. */
    size_t (*name)(const void *model, uint32_t vertex, char name[MR_GENERATOR_NAME_MAX_BYTES]);
    void (*close)(void *model);
};

/* What a graph is made of. The graph is a function of these numbers in integer arithmetic: the same
 * on any number of threads and any machine. */
struct mr_generator_options {
    uint64_t seed;
    uint64_t n_vertices; /* crawl: 1..2^32 - 1; hosts: from 1000 on; social: 0, or 1000 and more */
    unsigned scale; /* kron: 2^scale vertices, 1..31 */
    /* kron: edges per vertex; about: hosts 4..1000, 0: 35; crawl 10..80, 0: 10 */
    uint64_t edge_factor;
    double frontier; /* crawl: the share of pages without out-edges, 0.1 to 0.8; 0: about 0.245 */
    bool keep_order; /* kron: do not scramble ids: vertex 0 has the highest expected degree */
};

/* Open the generators; each is described in its file. `context` outlives them. Memory: kron 4 KiB;
 * crawl 4 bytes per host, of about 16 pages; hosts 2 bytes per host; social 8 bytes per vertex and
 * 4 MiB. Close them even after an error. Errors: USAGE for numbers out of range; BUDGET. */
typedef enum mr_status (*mr_generator_open)(const struct mr_context *context,
                                            const struct mr_generator_options *options,
                                            struct mr_generator *out, struct mr_error *err);
enum mr_status mr_kron_open(const struct mr_context *context,
                            const struct mr_generator_options *options, struct mr_generator *out,
                            struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_crawl_open(const struct mr_context *context,
                             const struct mr_generator_options *options, struct mr_generator *out,
                             struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_social_open(const struct mr_context *context,
                              const struct mr_generator_options *options, struct mr_generator *out,
                              struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_hosts_open(const struct mr_context *context,
                             const struct mr_generator_options *options, struct mr_generator *out,
                             struct mr_error *err) MR_WARN_UNUSED;
void mr_generator_close(struct mr_generator *generator);

#define MR_CRAWL_FRONTIER_LEAST 0.1
#define MR_CRAWL_FRONTIER_MOST  0.8
#define MR_CRAWL_LINKS_USUAL    10u
#define MR_CRAWL_LINKS_MOST     80u
#define MR_SOCIAL_VERTICES      4847571u
#define MR_SOCIAL_EDGES         68993773u
#define MR_SOCIAL_SELF_LOOPS    518382u

/* Was the host fetched? The others have no out-edges. */
struct mr_hosts;
bool mr_hosts_is_fetched(const struct mr_hosts *hosts, uint32_t host);

/* kron: edges [first, first + count) of the sequence; about 25 ns per edge, and some microseconds
 * per call. The id that scrambling gives to `vertex` < 2^scale: a bijection. */
void mr_kron_edges(const struct mr_generator_options *options, uint64_t first, uint64_t count,
                   struct mr_edge *edges);
uint32_t mr_kron_vertex(const struct mr_generator_options *options, uint32_t vertex);

/* The receiver of edges. */
struct mr_edge_sink {
    void *data;
    /* Takes the units in order, one at a time. */
    enum mr_status (*take)(void *data, const struct mr_edge *edges, size_t n_edges,
                           struct mr_error *err);
    /* Instead of `take`: makes all units itself, with its own threads. */
    enum mr_status (*make)(void *data, const struct mr_context *context,
                           const struct mr_generator *generator, struct mr_error *err);
};

/* Passes all edges of `generator` to `sink`, the same for any number of threads; reports progress
 * "generate". Memory: the edges of one unit per thread. */
enum mr_status mr_generate(const struct mr_context *context, const struct mr_generator *generator,
                           const struct mr_edge_sink *sink, struct mr_error *err) MR_WARN_UNUSED;

/* A sink that passes all edges to mr_build_edges. */
struct mr_edge_sink mr_build_sink(struct mr_build *build);

#endif
