/* What the files of the numbering share. Internal to engine/numbering*.c. */
#ifndef MR_ENGINE_BUILD_VERTICES_NUMBERING_INTERNAL_H
#define MR_ENGINE_BUILD_VERTICES_NUMBERING_INTERNAL_H

#include "engine/build/vertices/dictionary.h"
#include "engine/build/vertices/id_set.h"
#include "engine/build/vertices/numbering.h"

struct mr_numbering {
    const struct mr_context *context;
    enum mr_id_kind kind;
    uint64_t n_vertices; /* DENSE: given; else once finished */
    bool is_frozen, is_finished;
    bool has_declared; /* SPARSE: vertices, without or before edges */
    struct mr_id_set *ids; /* SPARSE */
    struct mr_dictionary *dictionary; /* TEXT */
    bool has_spellings; /* behind its names */
    uint64_t n_self_loops; /* in the spool, once finished */
    struct mr_names_source names; /* DENSE: copied */
    uint64_t names_hash; /* of those, once finished */
    uint32_t *order; /* [n_vertices]: vertices of places; NULL: each its own */
};

/* All names that are copied, for the id of the graph. */
enum mr_status mr_numbering_hash_source(struct mr_numbering *numbering,
                                        struct mr_error *err) MR_WARN_UNUSED;

#endif
