/* SPDX-License-Identifier: Apache-2.0 */
/* Merges sorted runs of names into one sequence. Internal to the dictionary. */
#ifndef MR_ENGINE_BUILDER_VERTICES_DICTIONARY_MERGE_H
#define MR_ENGINE_BUILDER_VERTICES_DICTIONARY_MERGE_H

#include "engine/builder/vertices/dictionary_run.h"

/* Called for each entry, ascending by the key of the canonical name, then by spelling. The entry is
 * valid during the call. */
typedef enum mr_status (*mr_merge_visit)(void *data, const struct mr_run_entry *entry,
                                         struct mr_error *err);

/* The least memory for merging so many runs. */
uint64_t mr_dictionary_merge_bytes(uint64_t n_runs);

/* Pass all entries of `runs[n_runs]` to `visit` in order. Each run is in that order too. Frees the
 * disk space of the runs. If the memory is too small for this many readers, first merges groups of
 * neighbouring runs into longer ones, in new files whose names begin with `stem`. Uses `runs` as
 * working space. O(n log n_runs) key comparisons. Reads each entry once per level; usually there is
 * one level. */
enum mr_status mr_dictionary_merge(const struct mr_context *context, const char *directory,
                                   const char *stem, struct mr_scratch_use *use, mr_name_key key,
                                   struct mr_name_run *runs, uint64_t n_runs, mr_merge_visit visit,
                                   void *data, struct mr_error *err) MR_WARN_UNUSED;

#endif
