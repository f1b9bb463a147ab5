/* SPDX-License-Identifier: Apache-2.0 */
/* Edges of a store as pairs of vertices. For export, copies, queries, and algorithms whose result
 * does not depend on the order of the edges; rankings use engine/pass/pass.h. */
#ifndef MR_ENGINE_SCAN_EDGES_H
#define MR_ENGINE_SCAN_EDGES_H

#include "engine/store/store.h"

/* Called with up to MR_EDGES_BATCH pairs (source, target) at a time, and with their weights in a
 * store that mr_store_open_weights opened; otherwise `weights` is NULL. An error status ends the
 * scan. */
#define MR_EDGES_BATCH 4096u
typedef enum mr_status (*mr_edges_callback)(void *data, const uint32_t (*pairs)[2],
                                            const float *weights, size_t n_pairs,
                                            struct mr_error *err);
/* Vertices [first_vertex, first_vertex + n_vertices) of a unit. */
typedef void (*mr_edges_unit_callback)(void *data, uint32_t first_vertex, uint32_t n_vertices);

struct mr_edges_figures {
    uint64_t blocks_read, blocks_skipped;
    uint64_t bytes_read; /* of the files of edges */
    uint64_t edges; /* in the blocks that were read */
};

static inline void mr_edges_figures_add(struct mr_edges_figures *sum,
                                        const struct mr_edges_figures *more)
{
    sum->blocks_read += more->blocks_read;
    sum->blocks_skipped += more->blocks_skipped;
    sum->bytes_read += more->bytes_read;
    sum->edges += more->edges;
}

/* What to read; zeros: all edges, from one thread, in store order: band by band, tile by tile, by
 * source inside a tile. */
struct mr_scan {
    uint32_t first_band, n_bands; /* n_bands 0: all bands */
    uint32_t first_stripe, n_stripes; /* edges from these stripes alone; n_stripes 0: from all */
    /* [mr_edges_stripes]: 1 for active stripes, else 0. Blocks that can have no edge from an active
     * stripe are not read; other blocks come whole. NULL: all stripes. */
    const uint8_t *active_stripes;
    const uint8_t *active_bands; /* [bands of the store]: those with 0 are not read; NULL: all */
    /* Several threads read. The store is cut into units: runs of bands with about a million edges.
     * One thread at a time reads a unit, so only that thread sees the edges into the vertices of
     * the unit. What a callback changes for a target needs no lock; what it changes for a source
     * does. All bands and stripes are read, but for those that are not active. */
    bool by_team;
    /* By a team: called before and after the edges of each unit, also of a unit of which nothing is
     * read. May be NULL. */
    mr_edges_unit_callback begin, end;
    const char *stage; /* by a team, for progress; NULL: none */
    struct mr_edges_figures *figures; /* gets more; may be NULL */
};

/* Reads the edges once. `scan` may be NULL: zeros. Errors: CORRUPT, RUNTIME, BUDGET, INTERRUPTED;
 * the first error of a callback. */
enum mr_status mr_edges_read(const struct mr_context *context, struct mr_store *store,
                             const struct mr_scan *scan, mr_edges_callback callback, void *data,
                             struct mr_error *err) MR_WARN_UNUSED;

/* The number of entries of active_stripes. */
uint64_t mr_edges_stripes(const struct mr_store_info *info);

/* A reader for many scans by one thread, which keeps its buffers. All are of some stripes if
 * `by_stripes`, else of all. The store outlives it. Memory: mr_edges_reader_memory, at the most.
 * After an error the reader can only be closed. Close takes NULL. */
struct mr_edges_reader;
enum mr_status mr_edges_reader_open(const struct mr_context *context, struct mr_store *store,
                                    bool by_stripes, struct mr_edges_reader **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_edges_reader_close(struct mr_edges_reader *reader);
uint64_t mr_edges_reader_memory(const struct mr_store_info *info);
/* Reads as mr_edges_read does from one thread. */
enum mr_status mr_edges_reader_read(struct mr_edges_reader *reader, const struct mr_scan *scan,
                                    mr_edges_callback callback, void *data,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* A team of up to context->threads readers for many scans. There are fewer if more than half of the
 * memory that is left would be theirs, beside `leave_bytes` that the caller must have later and
 * `beside_bytes` that it needs for each reader; but at least one. They charge their memory as they
 * read. The store outlives the team. Errors: BUDGET. After an error of a scan the team can only be
 * closed. Close takes NULL. */
struct mr_edges_team;
enum mr_status mr_edges_team_open(const struct mr_context *context, struct mr_store *store,
                                  uint64_t leave_bytes, uint64_t beside_bytes,
                                  struct mr_edges_team **out, struct mr_error *err) MR_WARN_UNUSED;
unsigned mr_edges_team_readers(const struct mr_edges_team *team);
void mr_edges_team_close(struct mr_edges_team *team);
/* Reads as mr_edges_read does by a team. */
enum mr_status mr_edges_team_read(struct mr_edges_team *team, const struct mr_scan *scan,
                                  mr_edges_callback callback, void *data,
                                  struct mr_error *err) MR_WARN_UNUSED;

#endif
