/* SPDX-License-Identifier: Apache-2.0 */
/* All edges of a store, read by several threads: for algorithms whose result does not depend on the
 * order of the edges, such as sets, maxima and smallest labels.
 *
 * The store is cut into units: runs of bands with about a million edges. One thread at a time reads
 * a unit, so only that thread sees the edges into the vertices of the unit. What a callback changes
 * for a target needs no lock; what it changes for a source does. */
#ifndef MR_ENGINE_SCAN_EDGES_TEAM_H
#define MR_ENGINE_SCAN_EDGES_TEAM_H

#include "engine/scan/edges.h"

/* Vertices [first_vertex, first_vertex + n_vertices) of a unit. Called from any thread. */
typedef void (*mr_edges_unit_callback)(void *data, uint32_t first_vertex, uint32_t n_vertices);

struct mr_edges_team;

/* Open a team of up to context->threads readers. There are fewer if more than half of the memory
 * that is left would be theirs, beside `leave_bytes` that the caller must have later and
 * `beside_bytes` that it needs for each reader; but at least one. They charge their memory as they
 * read, up to mr_edges_reader_memory each. The store outlives the team. Errors: BUDGET. Close takes
 * NULL. */
enum mr_status mr_edges_team_open(const struct mr_context *context, struct mr_store *store,
                                  uint64_t leave_bytes, uint64_t beside_bytes,
                                  struct mr_edges_team **out, struct mr_error *err) MR_WARN_UNUSED;
unsigned mr_edges_team_readers(const struct mr_edges_team *team);
void mr_edges_team_close(struct mr_edges_team *team);

struct mr_edges_team_task {
    mr_edges_callback pairs; /* from any thread */
    /* Called before and after the edges of each unit, also of a unit of which nothing is read. May
     * be NULL. */
    mr_edges_unit_callback begin, end;
    void *data;
    const uint8_t *active_stripes; /* as for mr_edges_reader_read; NULL: all */
    const uint8_t *active_bands; /* [n_bands]: bands with 0 are not read; NULL: all */
    const char *stage; /* for progress; NULL: none */
};

/* Read the edges once. Adds to `*figures`. Errors: CORRUPT, RUNTIME, BUDGET, INTERRUPTED; the first
 * error of a callback. After an error the team can only be closed. */
enum mr_status mr_edges_team_read(struct mr_edges_team *team, const struct mr_edges_team_task *task,
                                  struct mr_edges_figures *figures,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Read all edges once with a team of their own. `stage` is for progress; NULL: none. */
enum mr_status mr_edges_read_by_team(const struct mr_context *context, struct mr_store *store,
                                     const char *stage, mr_edges_callback pairs, void *data,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* The number of entries of active_stripes. */
uint64_t mr_edges_stripes(const struct mr_store_info *info);

#endif
