/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files of the numbering share. Internal to the numbering.
 *
 *     numbering.c        takes ids and names, numbers them, translates chunks
 *     numbering_names.c  hashes and writes the names of the vertices
 */
#ifndef MR_ENGINE_BUILDER_VERTICES_NUMBERING_INTERNAL_H
#define MR_ENGINE_BUILDER_VERTICES_NUMBERING_INTERNAL_H

#include "engine/builder/vertices/captures.h"
#include "engine/builder/vertices/dictionary.h"
#include "engine/builder/vertices/id_file.h"
#include "engine/builder/vertices/id_set.h"
#include "engine/builder/vertices/numbering.h"

struct mr_numbering {
    const struct mr_context *context;
    enum mr_id_kind kind;
    uint64_t n_vertices; /* DENSE: given; else set by mr_numbering_finish */
    bool is_frozen, is_finished;
    bool has_declared; /* SPARSE: some vertices were declared */
    struct mr_id_set *ids; /* SPARSE, unless the ids are in: */
    struct mr_id_file *id_file; /* NULL, or made by mr_numbering_finish */
    struct mr_id_file_options id_options; /* no directory: ids stay in memory */
    struct mr_dictionary *dictionary; /* TEXT */
    struct mr_captures captures; /* TEXT; numbers of names become vertices when they are chosen */
    bool has_spellings; /* spellings follow the names of the dictionary */
    uint64_t n_self_loops; /* in the spool; set by mr_numbering_finish */
    struct mr_names_source names; /* DENSE: the names to copy */
    uint64_t names_hash; /* of `names`; set by mr_numbering_finish */
    uint32_t *order; /* [n_vertices]: vertex of each position; NULL: they are equal, or: */
    const struct mr_core_map *core; /* borrowed; NULL: not the core first */
};

/* Get the next ids of SPARSE, see mr_id_set_next and mr_id_file_next. */
enum mr_status mr_numbering_next_ids(const struct mr_numbering *numbering, uint64_t *cursor,
                                     uint64_t *ids, size_t room, size_t *n_ids,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* Hash all names that are copied, for the id of the graph. */
enum mr_status mr_numbering_hash_source(struct mr_numbering *numbering,
                                        struct mr_error *err) MR_WARN_UNUSED;

#endif
