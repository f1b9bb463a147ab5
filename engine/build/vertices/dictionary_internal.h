/* What the two halves of the dictionary share: dictionary.c takes names in, dictionary_order.c sorts
 * them. Internal to the dictionary. */
#ifndef MR_ENGINE_BUILD_VERTICES_DICTIONARY_INTERNAL_H
#define MR_ENGINE_BUILD_VERTICES_DICTIONARY_INTERNAL_H

#include "engine/build/vertices/dictionary.h"
#include "engine/build/vertices/dictionary_run.h"

struct mr_dictionary {
    const struct mr_context *context;
    struct mr_dictionary_options options;
    uint64_t max_bytes; /* of what follows up to the arena; UINT64_MAX: never spills */

    /* The names in memory, numbers first_number .. first_number + n_names - 1. Open addressing, linear
     * probing. A slot is (upper half of the hash << 32 | number - first_number + 1), 0 when free; its
     * place comes from the upper bits of that half, so that the table doubles without looking at a
     * name. */
    uint64_t first_number, n_names;
    uint64_t *slots; /* [1 << slot_bits] */
    unsigned slot_bits;
    uint64_t *starts; /* [n_names + 1], in the arena */
    uint64_t starts_capacity;
    char *arena; /* the names, back to back */
    uint64_t arena_bytes, arena_capacity;

    /* Sorted names on disk. */
    struct mr_scratch_file *runs_file; /* all runs, one after the other */
    struct mr_run *runs; /* [n_runs] */
    uint64_t n_runs, runs_capacity;

    /* Once ordered. */
    uint32_t *vertices; /* [count], vertex of a number */
    uint64_t n_vertices;
    uint64_t left_out;
    uint32_t *order; /* all in memory: [n_names], numbers in key order; else NULL, and */
    struct mr_run merged; /* records in vertex order */
};

void mr_dictionary_free_table(struct mr_dictionary *dictionary);
void mr_dictionary_free_local(struct mr_dictionary *dictionary); /* names in memory */

/* Sort the names in memory and write them as a run; none is in memory afterwards. */
enum mr_status mr_dictionary_spill(struct mr_dictionary *dictionary,
                                   struct mr_error *err) MR_WARN_UNUSED;

#endif
