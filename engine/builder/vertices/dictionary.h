/* SPDX-License-Identifier: Apache-2.0 */
/* The dictionary: gives text names provisional numbers in order of appearance while the input is
 * read, and then vertices in ascending order of the keys of their canonical names.
 *
 *     create -> add* -> order -> walk*, vertices -> forget_names
 *
 * It works out of core. When its names fill their share of the memory, it sorts them, writes them
 * to temporary disk as a run, and forgets them. A name that comes again gets another number. The
 * merge of the runs finds equal names. So a name gets at most one number per run.
 *
 * Memory while adding: the share (a fifth of the memory). A name takes its own bytes, 8 bytes for
 * its start, and about 12 for the hash table. Sorting a run takes as much again. Afterwards: 4
 * bytes per number; if all names fit in memory, also 4 more per number and the names. Temporary
 * disk: the names, compressed about 4:1, once for each run that has them. */
#ifndef MR_ENGINE_BUILDER_VERTICES_DICTIONARY_H
#define MR_ENGINE_BUILDER_VERTICES_DICTIONARY_H

#include <stdbool.h>

#include "engine/base/context.h"
#include "engine/io/scratch_file.h"
#include "engine/names/name_source.h"

struct mr_dictionary;

struct mr_dictionary_options {
    /* for temporary files, if the context has none; outlives the dictionary */
    const char *directory;
    const char *stem; /* of the names of temporary files; outlives the dictionary */
    struct mr_scratch_use *use; /* outlives the dictionary */
    mr_name_key key;
    mr_name_canonical canonical; /* NULL: every name is canonical */
    const void *canonical_data;
    /* Without spellings, a new name gets its canonical form at once, and only that is kept. */
    bool drops_spellings;
    bool stays; /* all names stay in memory, since some will be looked up without being added */
    uint64_t max_bytes; /* the most bytes of names in memory; 0: the share; for tests */
};

/* Create a dictionary. The options are copied. Destroy takes NULL. */
enum mr_status mr_dictionary_create(const struct mr_context *context,
                                    const struct mr_dictionary_options *options,
                                    struct mr_dictionary **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_dictionary_destroy(struct mr_dictionary *dictionary);

/* Get a number of `name`, which has 1..MR_NAME_MAX_BYTES bytes. A name that is not in memory gets
 * the next number if `insert` is set, else UINT64_MAX. MR_ERROR_INPUT for a name of another length,
 * for a line feed in a name if spellings are kept, and for more than 2^32 - 1 numbers. Cost:
 * one probe of the table and of one name. */
enum mr_status mr_dictionary_add(struct mr_dictionary *dictionary, const char *name,
                                 size_t name_bytes, bool insert, uint64_t *number,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* The part of a name's hash that the dictionary uses. Thread-safe. */
uint32_t mr_dictionary_hash(const char *name, size_t name_bytes);

/* mr_dictionary_add of names[n], in their order, with the hashes that mr_dictionary_hash gave: the
 * memory that later names need is fetched meanwhile. */
enum mr_status mr_dictionary_add_all(struct mr_dictionary *dictionary,
                                     const struct mr_name_ref *names, size_t n, bool insert,
                                     uint64_t *numbers, struct mr_error *err) MR_WARN_UNUSED;

/* What ordering names on disk takes. Returns false if all names are in memory. */
struct mr_names_forecast {
    uint64_t n_vertices; /* about: different names */
    uint64_t numbers_bytes; /* what stays: the vertex of each number, and the chosen captures */
    uint64_t merge_bytes; /* beside these, at least, while runs are merged or captures chosen */
};
bool mr_dictionary_foresee(const struct mr_dictionary *dictionary,
                           struct mr_names_forecast *forecast);

uint64_t mr_dictionary_count(const struct mr_dictionary *dictionary); /* numbers given */
uint64_t mr_dictionary_bytes(const struct mr_dictionary *dictionary); /* bytes of memory held */

/* Sort the names, on all threads, and merge the runs. No name can be added afterwards. Multikey
 * quicksort over eight bytes of the keys at a time. Source: Bentley and Sedgewick, "Fast algorithms
 * for sorting and searching strings", 1997; caching of characters as in Ng and Kakehi, 2007. */
enum mr_status mr_dictionary_order(struct mr_dictionary *dictionary,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* After mr_dictionary_order: the vertex of each number, [count], and the number of vertices. Valid
 * until destroy. */
const uint32_t *mr_dictionary_vertices(const struct mr_dictionary *dictionary);
uint64_t mr_dictionary_vertex_count(const struct mr_dictionary *dictionary);
/* 0: all names are in memory */
uint64_t mr_dictionary_runs(const struct mr_dictionary *dictionary);

/* After mr_dictionary_order and before mr_dictionary_forget_names: visit all names in vertex order.
 * With canonical names and spellings, the other spellings of the input follow a name, ascending,
 * each after a line feed (MR_NAME_SPELLINGS), unless the name itself is the only one. Spellings
 * that exceed MR_NAME_MAX_BYTES in total are left out and counted. */
enum mr_status mr_dictionary_walk(struct mr_dictionary *dictionary, mr_names_visit visit,
                                  void *data, struct mr_error *err) MR_WARN_UNUSED;
uint64_t mr_dictionary_left_out(const struct mr_dictionary *dictionary); /* spellings */

/* Free all but the vertices. */
void mr_dictionary_forget_names(struct mr_dictionary *dictionary);

#endif
