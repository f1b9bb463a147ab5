/* Sorted runs of names into one sequence. Internal to the dictionary. */
#ifndef MR_ENGINE_BUILD_VERTICES_DICTIONARY_MERGE_H
#define MR_ENGINE_BUILD_VERTICES_DICTIONARY_MERGE_H

#include "engine/build/vertices/dictionary_run.h"

/* Ascending by the key of the canonical name, then by spelling. The entry lives for the call. */
typedef enum mr_status (*mr_merge_visit)(void *data, const struct mr_run_entry *entry,
                                         struct mr_error *err);

/* Hand all entries of `runs[n_runs]`, each of them in that order, to `visit` in that order; the runs'
 * disk space is given back. Where so many readers do not fit the memory, groups of neighbouring runs
 * are first merged into longer ones, in new files that begin with `stem`. `runs` is working space.
 * O(n log n_runs) key comparisons; as many readings as there are levels, mostly one. */
enum mr_status mr_dictionary_merge(const struct mr_context *context, const char *directory,
                                   const char *stem, struct mr_scratch_use *use, mr_name_key key,
                                   struct mr_run *runs, uint64_t n_runs, mr_merge_visit visit,
                                   void *data, struct mr_error *err) MR_WARN_UNUSED;

#endif
