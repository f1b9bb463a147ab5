/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files of the dictionary share: dictionary.c adds names, dictionary_order.c
 * sorts them in memory (dictionary_sort.c) and merges runs on disk (dictionary_merge.c). Internal
 * to the dictionary. */
#ifndef MR_ENGINE_BUILDER_VERTICES_DICTIONARY_INTERNAL_H
#define MR_ENGINE_BUILDER_VERTICES_DICTIONARY_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/distinct.h"
#include "engine/base/memory.h"
#include "engine/builder/vertices/dictionary.h"
#include "engine/io/scratch_file.h"
#include "engine/names/names.h"

/* ---- dictionary_run.c: names in key order on temporary disk ----
 *
 * The dictionary writes runs when its memory is full, and merges them.
 *
 * A run is a sequence of blocks, each zstd level 1 over front-coded entries:
 *
 *     u32 stored bytes, u32 raw bytes, frame
 *     entry:  LEB number, LEB shared, LEB rest, rest    the spelling, against the one before
 *             LEB 0, or LEB 1 + shared, LEB rest, rest  the canonical name, against the spelling
 *
 * One thread at a time. Several runs may share a file, one after the other. */

struct mr_run_writer;
struct mr_run_reader;

struct mr_name_run {
    struct mr_scratch_file *file;
    uint64_t begin, end; /* range of its blocks in the file */
    uint64_t n_entries;
};

/* One name. The pointers are borrowed. */
struct mr_run_entry {
    uint32_t number;
    const char *spelling, *canonical; /* equal pointers if the texts are the same */
    uint32_t spelling_bytes, canonical_bytes;
};

/* Write a run to `file` from `offset` on. finish frees the writer in any case; destroy takes NULL.
 * About 400 KiB. */
enum mr_status mr_run_writer_create(const struct mr_context *context, struct mr_scratch_file *file,
                                    uint64_t offset, struct mr_run_writer **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_run_writer_put(struct mr_run_writer *writer, const struct mr_run_entry *entry,
                                 struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_run_writer_finish(struct mr_run_writer *writer, struct mr_name_run *run,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_run_writer_destroy(struct mr_run_writer *writer);

/* Read a run. `discard` gives its disk space back block by block. */
#define MR_RUN_READER_BYTES ((uint64_t)832 << 10) /* the most memory that a reader takes */
enum mr_status mr_run_reader_open(const struct mr_context *context, const struct mr_name_run *run,
                                  bool discard, struct mr_run_reader **out,
                                  struct mr_error *err) MR_WARN_UNUSED;
/* The next entry, valid until the next call; `*out` is NULL at the end. */
enum mr_status mr_run_reader_next(struct mr_run_reader *reader, const struct mr_run_entry **out,
                                  struct mr_error *err) MR_WARN_UNUSED;
void mr_run_reader_close(struct mr_run_reader *reader);

/* ---- The dictionary ---- */

struct mr_dictionary {
    const struct mr_context *context;
    struct mr_dictionary_options options; /* without `canonical` if it drops spellings */
    mr_name_canonical normal; /* that function then */
    char *normal_name; /* [MR_NAME_MAX_BYTES], with `normal` */
    uint64_t max_bytes; /* the most bytes of the members up to the arena; UINT64_MAX: no limit */

    /* The names in memory have the numbers first_number .. first_number + n_names - 1. The hash
     * table uses open addressing with linear probing. A slot holds (upper half of the hash << 32 |
     * number - first_number + 1), or 0 when free. The upper bits of that half give its index, so
     * the table doubles without reading a name. */
    uint64_t first_number, n_names;
    uint64_t *slots; /* [1 << slot_bits] */
    unsigned slot_bits;
    uint64_t *starts; /* [n_names + 1], in the arena */
    uint64_t starts_capacity;
    char *arena; /* the names, one after the other */
    uint64_t arena_bytes, arena_capacity;

    /* Sorted names on disk. */
    struct mr_scratch_file *runs_file; /* all runs, one after the other */
    struct mr_name_run *runs; /* [n_runs] */
    uint64_t n_runs, runs_capacity;
    struct mr_distinct distinct; /* names of all runs, and of the memory */

    /* The members below are set by mr_dictionary_order. */
    uint32_t *vertices; /* [count]: vertex of each number */
    uint64_t n_vertices;
    uint64_t left_out;
    /* [n_names]: numbers in key order, if all names are in memory; else NULL, and `merged` is
     * used */
    uint32_t *order;
    struct mr_name_run merged; /* records in vertex order */
};

/* Numbers given to names in memory and on disk. */
static inline uint64_t mr_dictionary_n_numbers(const struct mr_dictionary *dictionary)
{
    return dictionary->first_number + dictionary->n_names;
}

static inline void mr_dictionary_free_table(struct mr_dictionary *dictionary)
{
    mr_memory_free(dictionary->context->memory, dictionary->slots);
    dictionary->slots = NULL;
    dictionary->slot_bits = 0;
}

/* Free the names in memory. */
static inline void mr_dictionary_free_local(struct mr_dictionary *dictionary)
{
    struct mr_memory *memory = dictionary->context->memory;
    mr_dictionary_free_table(dictionary);
    mr_memory_free(memory, dictionary->arena);
    mr_memory_free(memory, dictionary->starts);
    mr_memory_free(memory, dictionary->order);
    dictionary->arena = NULL;
    dictionary->starts = NULL;
    dictionary->order = NULL;
    dictionary->arena_bytes = dictionary->arena_capacity = dictionary->starts_capacity = 0;
}

/* dictionary_order.c: sort the names in memory, write them as a run, and free them. */
enum mr_status mr_dictionary_spill(struct mr_dictionary *dictionary,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* ---- dictionary_sort.c: byte strings in one arena ---- */

/* One string. `word` is working space; `number` belongs to the caller. */
struct mr_string_entry {
    uint64_t word;
    uint32_t number;
    uint32_t n_bytes;
};

/* Sort in ascending memcmp order, a proper prefix first; equal strings in any order. The string of
 * entry e is arena[starts[e.number] .. + e.n_bytes). On `threads` threads. O(n log n) word
 * comparisons and one reading of the prefixes that tell the strings apart. */
void mr_strings_sort(struct mr_string_entry *entries, uint64_t n_entries, const char *arena,
                     const uint64_t *starts, unsigned threads);

/* ---- dictionary_merge.c: sorted runs of names become one sequence ---- */

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
