/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts the names in memory and combines sorted names: all names with one canonical name are one
 * vertex, whose record has that name and the other spellings. If names were written to disk, runs
 * are merged first (dictionary_merge.c). Otherwise everything stays in memory. */
#include <assert.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/count_text.h"
#include "engine/base/memory.h"
#include "engine/base/team.h"
#include "engine/builder/vertices/dictionary_internal.h"

/* Names in a job of a thread while keys are made. */
#define KEY_JOB_NAMES ((uint64_t)4096)

enum { POLL_NAMES = 4096 };

static const char *name_of(const struct mr_dictionary *dictionary, uint32_t local, uint32_t *bytes)
{
    uint64_t start = dictionary->starts[local];
    *bytes = (uint32_t)(dictionary->starts[local + 1] - start);
    return dictionary->arena + start;
}

/* The canonical name: in `buffer[MR_NAME_MAX_BYTES]`, or the name itself if that is canonical. */
static const char *canonical_of(const struct mr_dictionary *dictionary, const char *name,
                                uint32_t name_bytes, char *buffer, uint32_t *bytes)
{
    const struct mr_dictionary_options *options = &dictionary->options;
    *bytes = name_bytes;
    if (options->canonical == NULL) {
        return name;
    }
    *bytes = (uint32_t)options->canonical(options->canonical_data, name, name_bytes, buffer);
    return *bytes == name_bytes && memcmp(buffer, name, name_bytes) == 0 ? name : buffer;
}

/* ---- Sorting what is in memory ---- */

struct keys {
    struct mr_string_entry *entries; /* [n_names] */
    uint64_t *starts; /* [n_names], in the arena */
    char *arena; /* NULL: the keys are made for their lengths alone */
    _Atomic uint64_t used; /* bytes of the arena */
    const struct mr_dictionary *dictionary;
};

/* A mr_team_work. */
static enum mr_status make_keys_of_jobs(void *data, struct mr_team *team, unsigned worker,
                                        struct mr_error *err)
{
    struct keys *keys = data;
    const struct mr_dictionary *dictionary = keys->dictionary;
    char *scratch = malloc(MR_NAME_KEY_MAX_BYTES + MR_NAME_MAX_BYTES);
    uint64_t job;

    (void)worker;
    if (scratch == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a name's key");
    }
    while (mr_team_next(team, &job)) {
        uint64_t end = mr_min_u64(dictionary->n_names, (job + 1) * KEY_JOB_NAMES);
        for (uint64_t i = job * KEY_JOB_NAMES; i < end; i++) {
            uint32_t name_bytes, bytes;
            const char *name = name_of(dictionary, (uint32_t)i, &name_bytes);
            name =
                canonical_of(dictionary, name, name_bytes, scratch + MR_NAME_KEY_MAX_BYTES, &bytes);
            size_t n_bytes = dictionary->options.key(name, bytes, scratch);
            assert(n_bytes <= MR_NAME_KEY_MAX_BYTES);
            uint64_t at = atomic_fetch_add_explicit(&keys->used, n_bytes, memory_order_relaxed);
            if (keys->arena != NULL) {
                memcpy(keys->arena + at, scratch, n_bytes);
                keys->starts[i] = at;
                keys->entries[i].number = (uint32_t)i;
                keys->entries[i].n_bytes = (uint32_t)n_bytes;
            }
        }
    }
    free(scratch);
    return MR_OK;
}

/* Make the keys of all names. First makes them for their lengths, then allocates an arena of
 * exactly that size and makes them again. This is twice the work, but the budget knows every byte
 * beforehand. */
static enum mr_status make_keys(struct keys *keys, struct mr_error *err)
{
    const struct mr_dictionary *dictionary = keys->dictionary;

    atomic_store(&keys->used, 0);
    return mr_team_run(dictionary->context, mr_div_up(dictionary->n_names, KEY_JOB_NAMES),
                       dictionary->context->threads, make_keys_of_jobs, keys, err);
}

static enum mr_status alloc_keys(struct mr_memory *memory, struct keys *keys, uint64_t n_names,
                                 struct mr_error *err)
{
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("name keys", n_names, &keys->entries),
        MR_WANTED("name keys", n_names, &keys->starts),
        MR_WANTED("name keys", atomic_load(&keys->used) + 1, &keys->arena),
    };
    return mr_memory_arrays(memory, arrays, err);
}

static enum mr_status sort_keys(struct keys *keys, struct mr_error *err)
{
    const struct mr_dictionary *dictionary = keys->dictionary;
    struct mr_memory *memory = dictionary->context->memory;
    enum mr_status status = make_keys(keys, err);
    if (status == MR_OK) {
        status = alloc_keys(memory, keys, dictionary->n_names, err);
    }
    if (status == MR_OK) {
        status = make_keys(keys, err);
    }
    if (status == MR_OK) {
        mr_strings_sort(keys->entries, dictionary->n_names, keys->arena, keys->starts,
                        dictionary->context->threads);
    }
    return status;
}

static bool same_key(const struct keys *keys, const struct mr_string_entry *a,
                     const struct mr_string_entry *b)
{
    return a->n_bytes == b->n_bytes &&
           memcmp(keys->arena + keys->starts[a->number], keys->arena + keys->starts[b->number],
                  a->n_bytes) == 0;
}

static int compare_spellings(const void *left, const void *right, void *data)
{
    const struct mr_dictionary *dictionary = data;
    uint32_t a_bytes, b_bytes;
    const char *a = name_of(dictionary, *(const uint32_t *)left, &a_bytes);
    const char *b = name_of(dictionary, *(const uint32_t *)right, &b_bytes);
    return mr_compare_bytes(a, a_bytes, b, b_bytes);
}

/* Set dictionary->order: local numbers ascending by key; numbers with equal keys by spelling. */
static enum mr_status sort_local(struct mr_dictionary *dictionary, struct mr_error *err)
{
    struct mr_memory *memory = dictionary->context->memory;
    uint64_t n_names = dictionary->n_names;
    struct keys keys = {.dictionary = dictionary};

    mr_dictionary_free_table(dictionary);
    enum mr_status status =
        mr_memory_array(memory, "name dictionary", n_names + 1, &dictionary->order, err);
    if (status == MR_OK && n_names > 0) {
        status = sort_keys(&keys, err);
    }
    for (uint64_t i = 0; status == MR_OK && i < n_names; i++) {
        dictionary->order[i] = keys.entries[i].number;
    }
    for (uint64_t i = 0, end; status == MR_OK && i < n_names; i = end) {
        for (end = i + 1; end < n_names && dictionary->options.canonical != NULL &&
                          same_key(&keys, &keys.entries[i], &keys.entries[end]);
             end++) {
        }
        if (end - i > 1) {
            qsort_r(dictionary->order + i, end - i, sizeof(uint32_t), compare_spellings,
                    dictionary);
        }
    }
    mr_memory_free(memory, keys.arena);
    mr_memory_free(memory, keys.starts);
    mr_memory_free(memory, keys.entries);
    return status;
}

/* Pass the sorted names in memory to `visit` as entries. */
static enum mr_status visit_local(struct mr_dictionary *dictionary, mr_merge_visit visit,
                                  void *data, struct mr_error *err)
{
    char *buffer = malloc(MR_NAME_MAX_BYTES);
    enum mr_status status =
        buffer != NULL ? MR_OK
                       : mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a canonical name");

    for (uint64_t i = 0; status == MR_OK && i < dictionary->n_names; i++) {
        uint32_t local = dictionary->order[i];
        struct mr_run_entry entry = {.number = (uint32_t)dictionary->first_number + local};
        entry.spelling = name_of(dictionary, local, &entry.spelling_bytes);
        entry.canonical = canonical_of(dictionary, entry.spelling, entry.spelling_bytes, buffer,
                                       &entry.canonical_bytes);
        status = i % POLL_NAMES == 0 ? mr_context_poll(dictionary->context, err) : MR_OK;
        if (status == MR_OK) {
            status = visit(data, &entry, err);
        }
    }
    free(buffer);
    return status;
}

/* ---- Runs ---- */

static enum mr_status put_on(void *data, const struct mr_run_entry *entry, struct mr_error *err)
{
    return mr_run_writer_put(data, entry, err);
}

/* Make room for the description of one more run, and open the file of the runs. */
static enum mr_status make_room_for_run(struct mr_dictionary *dictionary, struct mr_error *err)
{
    if (dictionary->n_runs == dictionary->runs_capacity) {
        uint64_t capacity = 2 * dictionary->runs_capacity + 16;
        struct mr_name_run *runs = realloc(dictionary->runs, capacity * sizeof *runs);
        if (runs == NULL) {
            return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for runs of names");
        }
        dictionary->runs = runs;
        dictionary->runs_capacity = capacity;
    }
    if (dictionary->runs_file != NULL) {
        return MR_OK;
    }
    const struct mr_dictionary_options *options = &dictionary->options;
    return mr_scratch_file_open(dictionary->context, options->directory, options->stem,
                                options->use, &dictionary->runs_file, err);
}

enum mr_status mr_dictionary_spill(struct mr_dictionary *dictionary, struct mr_error *err)
{
    struct mr_run_writer *writer = NULL;
    enum mr_status status = make_room_for_run(dictionary, err);
    uint64_t offset = dictionary->n_runs > 0 ? dictionary->runs[dictionary->n_runs - 1].end : 0;

    if (status == MR_OK) {
        status = sort_local(dictionary, err);
    }
    if (status == MR_OK) {
        status =
            mr_run_writer_create(dictionary->context, dictionary->runs_file, offset, &writer, err);
    }
    if (status == MR_OK) {
        status = visit_local(dictionary, put_on, writer, err);
    }
    if (status == MR_OK) {
        status = mr_run_writer_finish(writer, &dictionary->runs[dictionary->n_runs], err);
    } else {
        mr_run_writer_destroy(writer);
    }
    if (status == MR_OK) {
        dictionary->n_runs++;
        dictionary->first_number += dictionary->n_names;
        dictionary->n_names = 0;
        dictionary->arena_bytes = 0;
        mr_memory_free(dictionary->context->memory, dictionary->order);
        dictionary->order = NULL;
    }
    return status;
}

/* ---- Combining ---- */

/* Builds the record of one vertex from its entries, which come in a row. */
struct record_builder {
    struct mr_dictionary *dictionary;
    uint64_t n_vertices, left_out;
    bool has_record, assigns;
    char *record; /* [MR_NAME_MAX_BYTES] */
    uint32_t record_bytes, canonical_bytes;
    char *spelling; /* [MR_NAME_MAX_BYTES], the latest spelling */
    uint32_t spelling_bytes;
    uint64_t n_spellings; /* of this vertex */
    bool only_itself; /* its first spelling is the canonical name */
    struct mr_run_writer *writer; /* destination of the records, */
    mr_names_visit visit; /* or, if not NULL, the function that gets them */
    void *data;
};

static enum mr_status open_collector(struct record_builder *collector, struct mr_error *err)
{
    collector->record = malloc(2 * (size_t)MR_NAME_MAX_BYTES);
    if (collector->record == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a name");
    }
    collector->spelling = collector->record + MR_NAME_MAX_BYTES;
    return MR_OK;
}

static enum mr_status emit(struct record_builder *collector, struct mr_error *err)
{
    if (!collector->has_record) {
        return MR_OK;
    }
    collector->has_record = false;
    if (collector->n_spellings == 1 && collector->only_itself) {
        collector->record_bytes = collector->canonical_bytes;
    }
    if (collector->writer != NULL) {
        const struct mr_run_entry entry = {.spelling = collector->record,
                                           .canonical = collector->record,
                                           .spelling_bytes = collector->record_bytes,
                                           .canonical_bytes = collector->record_bytes};
        return mr_run_writer_put(collector->writer, &entry, err);
    }
    return collector->visit != NULL ? collector->visit(collector->data, 0, collector->record,
                                                       collector->record_bytes, err)
                                    : MR_OK;
}

static bool is_same(const char *a, uint32_t a_bytes, const char *b, uint32_t b_bytes)
{
    return a_bytes == b_bytes && memcmp(a, b, a_bytes) == 0;
}

static void add_spelling(struct record_builder *collector, const struct mr_run_entry *entry)
{
    if (is_same(entry->spelling, entry->spelling_bytes, collector->spelling,
                collector->spelling_bytes)) {
        return; /* the same spelling from another run */
    }
    memcpy(collector->spelling, entry->spelling, entry->spelling_bytes);
    collector->spelling_bytes = entry->spelling_bytes;
    collector->n_spellings++;
    if (entry->spelling_bytes >= MR_NAME_MAX_BYTES - collector->record_bytes) {
        collector->left_out++;
        return;
    }
    collector->record[collector->record_bytes] = '\n';
    memcpy(collector->record + collector->record_bytes + 1, entry->spelling, entry->spelling_bytes);
    collector->record_bytes += 1 + entry->spelling_bytes;
}

static enum mr_status collect(void *data, const struct mr_run_entry *entry, struct mr_error *err)
{
    struct record_builder *collector = data;

    if (!collector->has_record || !is_same(entry->canonical, entry->canonical_bytes,
                                           collector->record, collector->canonical_bytes)) {
        enum mr_status status = emit(collector, err);
        if (status != MR_OK) {
            return status;
        }
        memcpy(collector->record, entry->canonical, entry->canonical_bytes);
        collector->record_bytes = collector->canonical_bytes = entry->canonical_bytes;
        collector->spelling_bytes = 0;
        collector->n_spellings = 0;
        collector->only_itself = is_same(entry->spelling, entry->spelling_bytes, entry->canonical,
                                         entry->canonical_bytes);
        collector->has_record = true;
        collector->n_vertices++;
    }
    if (collector->assigns) {
        if (entry->number >= mr_dictionary_n_numbers(collector->dictionary)) {
            return mr_scratch_changed(err);
        }
        collector->dictionary->vertices[entry->number] = (uint32_t)(collector->n_vertices - 1);
    }
    if (collector->dictionary->options.canonical != NULL) {
        add_spelling(collector, entry);
    }
    return MR_OK;
}

/* Merge the runs into records, which go to disk too, since they are read twice. */
static enum mr_status merge(struct mr_dictionary *dictionary, struct record_builder *collector,
                            struct mr_error *err)
{
    const struct mr_dictionary_options *options = &dictionary->options;
    struct mr_scratch_file *file = NULL;
    enum mr_status status = mr_scratch_file_open(dictionary->context, options->directory,
                                                 options->stem, options->use, &file, err);
    if (status != MR_OK) {
        return status;
    }
    dictionary->merged.file = file; /* closed together with the dictionary */
    status = mr_run_writer_create(dictionary->context, file, 0, &collector->writer, err);
    if (status == MR_OK) {
        status = mr_dictionary_merge(dictionary->context, options->directory, options->stem,
                                     options->use, options->key, dictionary->runs,
                                     dictionary->n_runs, collect, collector, err);
    }
    if (status == MR_OK) {
        status = emit(collector, err);
    }
    if (status == MR_OK) {
        status = mr_run_writer_finish(collector->writer, &dictionary->merged, err);
    } else {
        mr_run_writer_destroy(collector->writer);
    }
    mr_scratch_file_close(dictionary->runs_file);
    dictionary->runs_file = NULL;
    return status;
}

/* The most that a writer of a run takes. */
#define RUN_WRITER_BYTES ((uint64_t)5 << 18)

bool mr_dictionary_foresee(const struct mr_dictionary *dictionary,
                           struct mr_names_forecast *forecast)
{
    const uint64_t n_numbers = mr_dictionary_n_numbers(dictionary);
    const uint64_t n_runs = dictionary->n_runs + (dictionary->n_names > 0);
    const double about = 1.05 * (double)mr_distinct_count(&dictionary->distinct);

    *forecast = (struct mr_names_forecast){
        .n_vertices = mr_min_u64(n_numbers, (uint64_t)about),
        .numbers_bytes = (n_numbers + 1) * sizeof(uint32_t),
        .merge_bytes = mr_dictionary_merge_bytes(n_runs) + 2 * RUN_WRITER_BYTES,
    };
    return dictionary->n_runs > 0;
}

enum mr_status mr_dictionary_order(struct mr_dictionary *dictionary, struct mr_error *err)
{
    struct record_builder collector = {.dictionary = dictionary, .assigns = true};
    enum mr_status status = MR_OK;
    char size[32];

    assert(dictionary->vertices == NULL);
    if (dictionary->n_runs > 0) {
        mr_context_note(
            dictionary->context,
            "sorting %" PRIu64 " names in %" PRIu64 " runs through temporary files of %s",
            mr_dictionary_n_numbers(dictionary), dictionary->n_runs + (dictionary->n_names > 0),
            mr_size_text(dictionary->runs[dictionary->n_runs - 1].end, size));
        status = dictionary->n_names > 0 ? mr_dictionary_spill(dictionary, err) : MR_OK;
        mr_dictionary_free_local(dictionary);
    } else {
        status = sort_local(dictionary, err);
    }
    if (status == MR_OK) {
        status =
            mr_memory_array(dictionary->context->memory, "pages of names",
                            mr_dictionary_n_numbers(dictionary) + 1, &dictionary->vertices, err);
    }
    if (status == MR_OK) {
        status = open_collector(&collector, err);
    }
    if (status == MR_OK) {
        status = dictionary->n_runs > 0 ? merge(dictionary, &collector, err)
                                        : visit_local(dictionary, collect, &collector, err);
    }
    dictionary->n_vertices = collector.n_vertices;
    dictionary->left_out = collector.left_out;
    free(collector.record);
    return status;
}

const uint32_t *mr_dictionary_vertices(const struct mr_dictionary *dictionary)
{
    return dictionary->vertices;
}

uint64_t mr_dictionary_vertex_count(const struct mr_dictionary *dictionary)
{
    return dictionary->n_vertices;
}

uint64_t mr_dictionary_left_out(const struct mr_dictionary *dictionary)
{
    return dictionary->left_out;
}

static enum mr_status walk_merged(struct mr_dictionary *dictionary, mr_names_visit visit,
                                  void *data, struct mr_error *err)
{
    struct mr_run_reader *reader = NULL;
    const struct mr_run_entry *entry = NULL;
    enum mr_status status =
        mr_run_reader_open(dictionary->context, &dictionary->merged, false, &reader, err);

    for (uint64_t n = 0; status == MR_OK; n++) {
        status = n % POLL_NAMES == 0 ? mr_context_poll(dictionary->context, err) : MR_OK;
        if (status == MR_OK) {
            status = mr_run_reader_next(reader, &entry, err);
        }
        if (status != MR_OK || entry == NULL) {
            break;
        }
        status = visit(data, 0, entry->spelling, entry->spelling_bytes, err);
    }
    mr_run_reader_close(reader);
    return status;
}

enum mr_status mr_dictionary_walk(struct mr_dictionary *dictionary, mr_names_visit visit,
                                  void *data, struct mr_error *err)
{
    struct record_builder collector = {.dictionary = dictionary, .visit = visit, .data = data};

    assert(dictionary->vertices != NULL);
    if (dictionary->order == NULL) {
        return walk_merged(dictionary, visit, data, err);
    }
    enum mr_status status = open_collector(&collector, err);
    if (status == MR_OK) {
        status = visit_local(dictionary, collect, &collector, err);
    }
    if (status == MR_OK) {
        status = emit(&collector, err);
    }
    free(collector.record);
    return status;
}
