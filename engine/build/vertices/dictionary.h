/* Text names to numbers: provisional ones in order of appearance while the input is read, then
 * vertices in ascending order of the canonical names' keys.
 *
 *     create -> add* -> order -> walk*, vertices -> forget_names
 *
 * Out of core: when the names of which it knows fill its share of the memory, they are sorted and
 * written to temporary disk as a run, and it forgets them; a name that comes again gets another
 * number. Merging the runs finds out what is the same. So a name costs at most one number per run.
 *
 * Memory while adding: the share (a fifth of what there is), of which a name takes itself, 8 bytes for
 * where it begins and about 12 for the hash table; as much again while a run is sorted. Afterwards 4
 * bytes per number, and 4 more and the names where they all fitted. Temporary disk: the names, about
 * 4:1 compressed, once per run that they are in. */
#ifndef MR_ENGINE_BUILD_VERTICES_DICTIONARY_H
#define MR_ENGINE_BUILD_VERTICES_DICTIONARY_H

#include <stdbool.h>

#include "engine/base/context.h"
#include "engine/io/scratch_file.h"
#include "engine/names/names.h"

struct mr_dictionary;

struct mr_dictionary_options {
    const char *directory; /* for temporary files, where the context names none; outlives it */
    const char *stem; /* of their names; outlives it */
    struct mr_scratch_use *use; /* outlives it */
    mr_name_key key;
    mr_name_canonical canonical; /* NULL: every name is its own */
    const void *canonical_data;
    bool stays; /* in memory, all of it: names will be looked up without being added */
    uint64_t max_bytes; /* of names in memory; 0: its share; for tests */
    const char *
        kept_path; /* NULL, or a file that keeps all runs; outlives the dictionary. Not with `stays` */
};

/* Options are copied. Destroy takes NULL. */
enum mr_status mr_dictionary_create(const struct mr_context *context,
                                    const struct mr_dictionary_options *options,
                                    struct mr_dictionary **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_dictionary_destroy(struct mr_dictionary *dictionary);

/* A number of `name`, 1..MR_NAME_MAX_BYTES bytes. A name that is not in memory gets the next number
 * when `insert` is set, and UINT64_MAX otherwise. MR_ERROR_INPUT for a name of another length, with a
 * line feed in it where there are canonical names, or when there would be more than 2^32 - 1 numbers.
 * One probe of the table, and of the name found there. */
enum mr_status mr_dictionary_add(struct mr_dictionary *dictionary, const char *name,
                                 size_t name_bytes, bool insert, uint64_t *number,
                                 struct mr_error *err) MR_WARN_UNUSED;

uint64_t mr_dictionary_count(const struct mr_dictionary *dictionary); /* of numbers given */
uint64_t mr_dictionary_bytes(const struct mr_dictionary *dictionary); /* of memory held */

/* With a kept_path: write all names to it as runs, sync it, and describe run 0..mr_dictionary_runs - 1; nothing is
 * added any more. And in a new dictionary: go on from there. The caller sees to it that the file is the same. */
struct mr_dictionary_run {
    uint64_t begin, end; /* in the file */
    uint64_t n_entries;
};
enum mr_status mr_dictionary_sync(struct mr_dictionary *dictionary,
                                  struct mr_error *err) MR_WARN_UNUSED;
struct mr_dictionary_run mr_dictionary_run_at(const struct mr_dictionary *dictionary, uint64_t run);
enum mr_status mr_dictionary_restore(struct mr_dictionary *dictionary, uint64_t count,
                                     const struct mr_dictionary_run *runs, uint64_t n_runs,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* Sort, on all threads, and merge; nothing is added any more. Multikey quicksort over eight bytes of
 * the keys at a time. Source: Bentley and Sedgewick, "Fast algorithms for sorting and searching
 * strings", 1997; caching of characters as in Ng and Kakehi, 2007. */
enum mr_status mr_dictionary_order(struct mr_dictionary *dictionary,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Once ordered: [count], the vertex of each number, and how many vertices there are. Lives until
 * destroy. */
const uint32_t *mr_dictionary_vertices(const struct mr_dictionary *dictionary);
uint64_t mr_dictionary_vertex_count(const struct mr_dictionary *dictionary);
uint64_t mr_dictionary_runs(const struct mr_dictionary *dictionary); /* 0: all in memory */

/* Once ordered, until names are forgotten: all names in vertex order. With canonical names, a name is
 * followed by the spellings that the input had, ascending, a line feed before each (MR_NAME_SPELLINGS),
 * unless it is the only one itself; as many as fit MR_NAME_MAX_BYTES. The others are counted. */
typedef enum mr_status (*mr_dictionary_visit)(void *data, const char *name, size_t name_bytes,
                                              struct mr_error *err);
enum mr_status mr_dictionary_walk(struct mr_dictionary *dictionary, mr_dictionary_visit visit,
                                  void *data, struct mr_error *err) MR_WARN_UNUSED;
uint64_t mr_dictionary_left_out(const struct mr_dictionary *dictionary); /* spellings */

/* Free all but the vertices. */
void mr_dictionary_forget_names(struct mr_dictionary *dictionary);

#endif
