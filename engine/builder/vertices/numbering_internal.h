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
#include "engine/builder/vertices/id_set.h"
#include "engine/builder/vertices/numbering.h"

struct mr_numbering {
    const struct mr_context *context;
    enum mr_id_kind kind;
    uint64_t n_vertices; /* DENSE: given; else set by mr_numbering_finish */
    bool is_frozen, is_finished;
    struct mr_id_set *ids; /* SPARSE */
    struct mr_dictionary *dictionary; /* TEXT */
    struct mr_captures captures; /* TEXT; numbers of names become vertices when they are chosen */
    uint64_t n_self_loops; /* in the spool; set by mr_numbering_finish */
    struct mr_names_source names; /* DENSE: to copy; else set by mr_numbering_finish */
    const struct mr_core_map *core; /* borrowed; NULL: vertices are their positions */
};

/* The names are those of the ids or of the dictionary, which are numbered. */
void mr_numbering_take_names(struct mr_numbering *numbering);

#endif
