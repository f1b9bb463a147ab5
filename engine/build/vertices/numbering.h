/* The builder's vertices: which ids the input may use, and which vertex each of them is. Dense ids,
 * sparse ids and names behind one interface. */
#ifndef MR_ENGINE_BUILD_VERTICES_NUMBERING_H
#define MR_ENGINE_BUILD_VERTICES_NUMBERING_H

#include "engine/base/edge.h"
#include "engine/build/edges/spool_scan.h"
#include "engine/build/vertices/dictionary.h"
#include "engine/names/name_groups.h"
#include "engine/names/name_source.h"
#include "engine/writer/store_writer.h"

struct mr_numbering;

/* `names` is how TEXT is numbered; else it is not looked at. Destroy takes NULL. */
enum mr_status mr_numbering_create(const struct mr_context *context, enum mr_id_kind kind,
                                   uint64_t n_vertices, const struct mr_dictionary_options *names,
                                   struct mr_numbering **out, struct mr_error *err) MR_WARN_UNUSED;
void mr_numbering_destroy(struct mr_numbering *numbering);

/* DENSE: the vertices have these names. Their data is borrowed until names are forgotten. */
void mr_numbering_copy_names(struct mr_numbering *numbering, const struct mr_names_source *names);

/* See mr_build_vertex, mr_build_freeze, mr_build_is_frozen, mr_build_knows, mr_build_name. */
enum mr_status mr_numbering_vertex(struct mr_numbering *numbering, uint64_t id,
                                   struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_numbering_freeze(struct mr_numbering *numbering,
                                   struct mr_error *err) MR_WARN_UNUSED;
bool mr_numbering_is_frozen(const struct mr_numbering *numbering);
bool mr_numbering_knows(const struct mr_numbering *numbering, uint64_t id);
enum mr_status mr_numbering_name(struct mr_numbering *numbering, const char *name,
                                 size_t name_bytes, uint64_t *id,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Keep what is known of vertices that edges do not tell, for a later process, on the disk: names in the dictionary's
 * kept file, declared ids in the file `ids_path`; names that were declared are not kept (they stay in memory, and
 * are to be declared again). Nothing is added any more. What there is to know beside the files goes to `kept`. A new
 * numbering of the same kind goes on from there; the caller sees to it that the files are the same. */
struct mr_numbering_kept {
    uint64_t
        n_names; /* numbers given to names; their runs: mr_dictionary_run of mr_numbering_dictionary */
    uint64_t n_runs;
    bool is_frozen;
    uint64_t n_ids; /* SPARSE, frozen: in the file, 8 bytes each, little-endian, ascending */
};
enum mr_status mr_numbering_sync(struct mr_numbering *numbering, const char *ids_path,
                                 struct mr_numbering_kept *kept,
                                 struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_numbering_restore(struct mr_numbering *numbering, const char *ids_path,
                                    const struct mr_numbering_kept *kept,
                                    const struct mr_dictionary_run *runs,
                                    struct mr_error *err) MR_WARN_UNUSED;
const struct mr_dictionary *mr_numbering_dictionary(const struct mr_numbering *numbering);

/* Number the vertices: those known so far and, unless frozen, the ids in the sealed `spool`. At most
 * one pass over it, and one over names that are copied; one more where several numbers of names were
 * one vertex. */
enum mr_status mr_numbering_finish(struct mr_numbering *numbering, struct mr_spool *spool,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Once finished. */
uint64_t mr_numbering_count(const struct mr_numbering *numbering);
enum mr_name_kind mr_numbering_name_kind(const struct mr_numbering *numbering);
uint64_t mr_numbering_bytes(const struct mr_numbering *numbering); /* of memory held */
uint64_t mr_numbering_self_loops(const struct mr_numbering *numbering); /* in the spool */
uint64_t mr_numbering_left_out(const struct mr_numbering *numbering); /* spellings of names */

/* Once finished: the vertices above are places, and this is the vertex of each (engine/store/vertex_order.h):
 * `vertices`, a budgeted allocation [n_vertices + 1], is the numbering's from now on. Chunks of `spool` that were
 * numbered already are numbered again: one pass over those in memory. */
enum mr_status mr_numbering_reorder(struct mr_numbering *numbering, struct mr_spool *spool,
                                    uint32_t *vertices, struct mr_error *err) MR_WARN_UNUSED;

/* A mr_spool_translate; `numbering` is a struct mr_numbering. No work at all where ids are vertices already.
 * MR_ERROR_INPUT for an id nobody knows. */
enum mr_status mr_numbering_apply(const void *numbering, const struct mr_spool_chunk *chunk,
                                  uint32_t (**pairs)[2], struct mr_error *err) MR_WARN_UNUSED;

/* A hash of all names in vertex order; 0 where names are the identity. */
enum mr_status mr_numbering_hash(const struct mr_numbering *numbering, uint64_t *hash,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Write the file of names, if there has to be one. `groups`: NULL, or told each name, without spellings. */
enum mr_status mr_numbering_write(const struct mr_numbering *numbering,
                                  struct mr_store_writer *store, uint64_t graph_id,
                                  struct mr_name_groups *groups,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Names are written: keep only what mr_numbering_apply needs. */
void mr_numbering_forget_names(struct mr_numbering *numbering);

#endif
