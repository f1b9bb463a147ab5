/* SPDX-License-Identifier: Apache-2.0 */
/* The numbering: which ids the input may use, and the vertex of each. One interface for dense ids,
 * sparse ids and names. */
#ifndef MR_ENGINE_BUILDER_VERTICES_NUMBERING_H
#define MR_ENGINE_BUILDER_VERTICES_NUMBERING_H

#include "engine/base/edge.h"
#include "engine/builder/edges/spool_scan.h"
#include "engine/builder/vertices/captures.h"
#include "engine/builder/vertices/dictionary.h"
#include "engine/builder/vertices/id_set.h"
#include "engine/names/name_groups.h"
#include "engine/names/name_source.h"
#include "engine/scan/vertex_set.h"
#include "engine/store/core_map.h"
#include "engine/writer/store_writer.h"

/* The builder reads it; numbering.c and numbering_names.c, which has to do with names, change it.
 */
struct mr_numbering {
    const struct mr_context *context;
    enum mr_id_kind kind;
    uint64_t n_vertices; /* DENSE: given; else set by mr_numbering_finish */
    bool is_frozen, is_finished;
    struct mr_id_set *ids; /* SPARSE */
    struct mr_dictionary *dictionary; /* TEXT; else NULL */
    struct mr_captures captures; /* TEXT; numbers of names become vertices when they are chosen */
    uint64_t n_self_loops; /* in the spool; set by mr_numbering_finish */
    /* DENSE: the builder says what is copied, and its data lives until mr_numbering_forget_names;
     * else set by mr_numbering_finish */
    struct mr_names_source names;
    const struct mr_core_map *core; /* borrowed; NULL: vertices are their positions */
};

/* Create a numbering. `names` are the options of the dictionary for TEXT. SPARSE only takes from
 * them where temporary files go. Destroy takes NULL. */
enum mr_status mr_numbering_create(const struct mr_context *context, enum mr_id_kind kind,
                                   uint64_t n_vertices, const struct mr_dictionary_options *names,
                                   struct mr_numbering **out, struct mr_error *err) MR_WARN_UNUSED;
void mr_numbering_destroy(struct mr_numbering *numbering);

/* See mr_build_vertex, mr_build_freeze, mr_build_knows, mr_build_name. */
enum mr_status mr_numbering_vertex(struct mr_numbering *numbering, uint64_t id,
                                   struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_numbering_freeze(struct mr_numbering *numbering,
                                   struct mr_error *err) MR_WARN_UNUSED;
bool mr_numbering_knows(const struct mr_numbering *numbering, uint64_t id);
enum mr_status mr_numbering_name(struct mr_numbering *numbering, const char *name,
                                 size_t name_bytes, uint64_t *id,
                                 struct mr_error *err) MR_WARN_UNUSED;
/* Number the vertices: those declared, and unless frozen the ids in the sealed `spool`. At most one
 * scan of the spool, and one pass over names that are copied. One more scan if several numbers of
 * names mean one vertex, or there are dated captures. `fetched` is NULL, or becomes the set of the
 * vertices that were captured. `all_captures`: the links of all captures count. */
enum mr_status mr_numbering_finish(struct mr_numbering *numbering, struct mr_spool *spool,
                                   bool all_captures, struct mr_vertex_set *fetched,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Before mr_numbering_finish: what ordering the names and choosing the captures takes. Returns
 * false if all names are in memory and no captures have links. */
bool mr_numbering_foresee(const struct mr_numbering *numbering, struct mr_names_forecast *forecast);

/* The functions below need a finished numbering. */
uint64_t mr_numbering_bytes(const struct mr_numbering *numbering); /* bytes of memory held */

/* Number the core first. Until now each vertex was its position. The sealed map outlives the
 * numbering. Chunks of `spool` in memory that have vertices already are renumbered in one pass. */
enum mr_status mr_numbering_core_first(struct mr_numbering *numbering, struct mr_spool *spool,
                                       const struct mr_core_map *core,
                                       struct mr_error *err) MR_WARN_UNUSED;

/* A mr_spool_translate; `data` is a struct mr_numbering. Costs nothing if ids are vertices
 * already. Leaves out the edges of captures that do not count. MR_ERROR_INPUT for an unknown
 * id. */
enum mr_status mr_numbering_apply(const void *data, struct mr_spool_chunk *chunk,
                                  uint32_t (**pairs)[2], struct mr_error *err) MR_WARN_UNUSED;

/* numbering_names.c: the names are those of the ids or of the dictionary, which are numbered. */
void mr_numbering_take_names(struct mr_numbering *numbering);

/* A hash of all names in vertex order; 0 if names are the identity. */
enum mr_status mr_numbering_hash(const struct mr_numbering *numbering, uint64_t *hash,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Write the file of names, if the store needs one. `groups` is NULL, or gets each name without
 * spellings. */
enum mr_status mr_numbering_write(const struct mr_numbering *numbering,
                                  struct mr_store_writer *store, uint64_t graph_id,
                                  struct mr_name_groups *groups,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Write the fetch facts of the captured pages, if captures are dated, and free them. */
enum mr_status mr_numbering_write_facts(struct mr_numbering *numbering,
                                        struct mr_store_writer *store,
                                        struct mr_error *err) MR_WARN_UNUSED;

/* Free the names, after they are written. mr_numbering_apply still works. */
void mr_numbering_forget_names(struct mr_numbering *numbering);

#endif
