#include "engine/dictionary.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "engine/bytes.h"
#include "engine/dictionary_sort.h"
#include "engine/memory.h"
#include "engine/team.h"

/* Slots of the table at first; a power of two. */
#define MIN_SLOTS ((uint64_t)1 << 12)

#define MIN_ARENA_BYTES ((uint64_t)1 << 16)
#define MIN_STARTS      ((uint64_t)1 << 12)

/* Names given to a thread at a time while keys are made. */
#define KEY_JOB_NAMES ((uint64_t)4096)

struct mr_dictionary {
    const struct mr_context *context;
    uint64_t n_names;

    /* Open addressing, linear probing. A slot is (upper half of the hash << 32 | number + 1), 0 when
     * free; its place comes from the upper bits of that half, so that the table doubles without
     * looking at a name. */
    uint64_t *slots; /* [1 << slot_bits] */
    unsigned slot_bits;

    char *arena; /* the names, back to back */
    uint64_t arena_bytes, arena_capacity;
    uint64_t *starts; /* [n_names + 1], in the arena */
    uint64_t starts_capacity;

    uint32_t *names_of; /* [n_names], number of a vertex; NULL until ordered */
    uint32_t *vertices; /* [n_names], vertex of a number */
};

enum mr_status mr_dictionary_create(const struct mr_context *context, struct mr_dictionary **out,
                                    struct mr_error *err)
{
    *out = NULL;
    struct mr_dictionary *dictionary = calloc(1, sizeof *dictionary);
    if (dictionary == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a dictionary");
    }
    dictionary->context = context;
    *out = dictionary;
    return MR_OK;
}

static void free_table(struct mr_dictionary *dictionary)
{
    mr_memory_free(dictionary->context->memory, dictionary->slots);
    dictionary->slots = NULL;
    dictionary->slot_bits = 0;
}

void mr_dictionary_forget_names(struct mr_dictionary *dictionary)
{
    struct mr_memory *memory = dictionary->context->memory;
    free_table(dictionary);
    mr_memory_free(memory, dictionary->arena);
    mr_memory_free(memory, dictionary->starts);
    mr_memory_free(memory, dictionary->names_of);
    dictionary->arena = NULL;
    dictionary->starts = NULL;
    dictionary->names_of = NULL;
    dictionary->arena_capacity = dictionary->starts_capacity = 0;
}

void mr_dictionary_destroy(struct mr_dictionary *dictionary)
{
    if (dictionary == NULL) {
        return;
    }
    mr_dictionary_forget_names(dictionary);
    mr_memory_free(dictionary->context->memory, dictionary->vertices);
    free(dictionary);
}

uint64_t mr_dictionary_count(const struct mr_dictionary *dictionary)
{
    return dictionary->n_names;
}

uint64_t mr_dictionary_bytes(const struct mr_dictionary *dictionary)
{
    uint64_t bytes =
        dictionary->arena_capacity + dictionary->starts_capacity * sizeof *dictionary->starts;
    if (dictionary->slots != NULL) {
        bytes += sizeof *dictionary->slots << dictionary->slot_bits;
    }
    bytes += dictionary->names_of != NULL ? dictionary->n_names * sizeof(uint32_t) : 0;
    bytes += dictionary->vertices != NULL ? dictionary->n_names * sizeof(uint32_t) : 0;
    return bytes;
}

/* ---- Adding ---- */

static enum mr_status double_table(struct mr_dictionary *dictionary, struct mr_error *err)
{
    struct mr_memory *memory = dictionary->context->memory;
    uint64_t n_old = dictionary->slots != NULL ? (uint64_t)1 << dictionary->slot_bits : 0;
    uint64_t n_slots = n_old > 0 ? 2 * n_old : MIN_SLOTS;
    void *pointer = NULL;
    enum mr_status status =
        mr_memory_alloc(memory, "name dictionary", n_slots * sizeof(uint64_t), &pointer, err);
    if (status != MR_OK) {
        return status;
    }
    uint64_t *slots = pointer;
    unsigned bits = (unsigned)__builtin_ctzll(n_slots);
    for (uint64_t i = 0; i < n_old; i++) {
        uint64_t slot = dictionary->slots[i];
        if (slot == 0) {
            continue;
        }
        uint64_t at = slot >> 32 << 32 >> (64 - bits);
        while (slots[at] != 0) {
            at = (at + 1) & (n_slots - 1);
        }
        slots[at] = slot;
    }
    mr_memory_free(memory, dictionary->slots);
    dictionary->slots = slots;
    dictionary->slot_bits = bits;
    return MR_OK;
}

/* Room for one more name of `name_bytes`. */
static enum mr_status make_room(struct mr_dictionary *dictionary, size_t name_bytes,
                                struct mr_error *err)
{
    struct mr_memory *memory = dictionary->context->memory;
    enum mr_status status = MR_OK;
    if (dictionary->arena_capacity - dictionary->arena_bytes < name_bytes) {
        void *pointer = dictionary->arena;
        uint64_t capacity = dictionary->arena_capacity + dictionary->arena_capacity / 2 +
                            MIN_ARENA_BYTES + name_bytes;
        status = mr_memory_resize(memory, "name dictionary", &pointer, capacity, err);
        if (status == MR_OK) {
            dictionary->arena = pointer;
            dictionary->arena_capacity = capacity;
        }
    }
    if (status == MR_OK && dictionary->n_names + 1 >= dictionary->starts_capacity) {
        void *pointer = dictionary->starts;
        uint64_t capacity =
            dictionary->starts_capacity + dictionary->starts_capacity / 2 + MIN_STARTS;
        status = mr_memory_resize(memory, "name dictionary", &pointer,
                                  capacity * sizeof *dictionary->starts, err);
        if (status == MR_OK) {
            dictionary->starts = pointer;
            dictionary->starts_capacity = capacity;
        }
    }
    return status;
}

static bool is_named(const struct mr_dictionary *dictionary, uint64_t number, const char *name,
                     size_t name_bytes)
{
    uint64_t start = dictionary->starts[number];
    return dictionary->starts[number + 1] - start == name_bytes &&
           memcmp(dictionary->arena + start, name, name_bytes) == 0;
}

/* Keep the name and return its number. */
static enum mr_status append(struct mr_dictionary *dictionary, const char *name, size_t name_bytes,
                             uint64_t *number, struct mr_error *err)
{
    if (dictionary->n_names == UINT32_MAX) {
        return mr_error_set(
            err, MR_ERROR_INPUT,
            "the graph has more than 4294967295 vertices, the most a store can hold");
    }
    enum mr_status status = make_room(dictionary, name_bytes, err);
    if (status != MR_OK) {
        return status;
    }
    memcpy(dictionary->arena + dictionary->arena_bytes, name, name_bytes);
    dictionary->arena_bytes += name_bytes;
    *number = dictionary->n_names++;
    dictionary->starts[dictionary->n_names] = dictionary->arena_bytes;
    return MR_OK;
}

enum mr_status mr_dictionary_add(struct mr_dictionary *dictionary, const char *name,
                                 size_t name_bytes, bool insert, uint64_t *number,
                                 struct mr_error *err)
{
    assert(dictionary->vertices == NULL);
    if (name_bytes < 1 || name_bytes > MR_NAME_MAX_BYTES) {
        return mr_error_set(err, MR_ERROR_INPUT, "a name of %llu bytes; 1 to %u are possible",
                            (unsigned long long)name_bytes, MR_NAME_MAX_BYTES);
    }
    /* Two thirds full at most: probes stay short. */
    if (dictionary->slots == NULL || 3 * (dictionary->n_names + 1) > (uint64_t)2
                                                                         << dictionary->slot_bits) {
        enum mr_status status = double_table(dictionary, err);
        if (status != MR_OK) {
            return status;
        }
    }
    uint64_t hash = XXH3_64bits(name, name_bytes) >> 32 << 32;
    uint64_t mask = ((uint64_t)1 << dictionary->slot_bits) - 1;
    uint64_t at = hash >> (64 - dictionary->slot_bits);
    for (uint64_t slot; (slot = dictionary->slots[at]) != 0; at = (at + 1) & mask) {
        if (slot >> 32 == hash >> 32 &&
            is_named(dictionary, (uint32_t)slot - 1, name, name_bytes)) {
            *number = (uint32_t)slot - 1;
            return MR_OK;
        }
    }
    if (!insert) {
        *number = UINT64_MAX;
        return MR_OK;
    }
    enum mr_status status = append(dictionary, name, name_bytes, number, err);
    if (status == MR_OK) {
        dictionary->slots[at] = hash | (*number + 1);
    }
    return status;
}

/* ---- Ordering ---- */

struct keys {
    mr_name_key key;
    struct mr_string_entry *entries; /* [n_names] */
    uint64_t *starts; /* [n_names], in the arena */
    char *arena;
    uint64_t arena_bytes;
};

/* Make the keys of all names: their lengths first, then, with an arena of just that size, the keys.
 * Twice the work, but each byte of memory is accounted for beforehand. */
static enum mr_status make_keys(const struct mr_dictionary *dictionary, struct keys *keys,
                                bool fill, struct mr_error *err)
{
    struct mr_team team;
    _Atomic uint64_t used;
    uint64_t n_names = dictionary->n_names;
    enum mr_status status =
        mr_team_begin(&team, dictionary->context, mr_div_up(n_names, KEY_JOB_NAMES), err);
    if (status != MR_OK) {
        return status;
    }
    atomic_init(&used, 0);
#pragma omp parallel num_threads((int)dictionary->context->threads)
    {
        char *scratch = malloc(MR_NAME_KEY_MAX_BYTES);
        struct mr_error error = {.status = MR_OK};
        uint64_t job;
        if (scratch == NULL) {
            mr_team_fail(&team,
                         mr_error_set(&error, MR_ERROR_BUDGET, "out of memory for a name's key"),
                         &error);
        }
        while (scratch != NULL && mr_team_next(&team, &job)) {
            uint64_t end = mr_min_u64(n_names, (job + 1) * KEY_JOB_NAMES);
            for (uint64_t i = job * KEY_JOB_NAMES; i < end; i++) {
                uint64_t start = dictionary->starts[i];
                size_t n_bytes = keys->key(dictionary->arena + start,
                                           (size_t)(dictionary->starts[i + 1] - start), scratch);
                assert(n_bytes <= MR_NAME_KEY_MAX_BYTES);
                uint64_t at = atomic_fetch_add_explicit(&used, n_bytes, memory_order_relaxed);
                if (fill) {
                    memcpy(keys->arena + at, scratch, n_bytes);
                    keys->starts[i] = at;
                    keys->entries[i].number = (uint32_t)i;
                    keys->entries[i].n_bytes = (uint32_t)n_bytes;
                }
            }
        }
        free(scratch);
    }
    keys->arena_bytes = atomic_load(&used);
    return mr_team_end(&team, err);
}

static enum mr_status alloc_keys(struct mr_memory *memory, struct keys *keys, uint64_t n_names,
                                 struct mr_error *err)
{
    void *pointer = NULL;
    enum mr_status status =
        mr_memory_alloc(memory, "name keys", n_names * sizeof *keys->entries, &pointer, err);
    keys->entries = pointer;
    if (status == MR_OK) {
        status =
            mr_memory_alloc(memory, "name keys", n_names * sizeof *keys->starts, &pointer, err);
        keys->starts = pointer;
    }
    if (status == MR_OK) {
        status = mr_memory_alloc(memory, "name keys", keys->arena_bytes + 1, &pointer, err);
        keys->arena = pointer;
    }
    return status;
}

static enum mr_status alloc_order(struct mr_dictionary *dictionary, struct mr_error *err)
{
    struct mr_memory *memory = dictionary->context->memory;
    uint64_t bytes = (dictionary->n_names + 1) * sizeof(uint32_t);
    void *pointer = NULL;
    enum mr_status status = mr_memory_alloc(memory, "name dictionary", bytes, &pointer, err);
    dictionary->names_of = pointer;
    if (status == MR_OK) {
        status = mr_memory_alloc(memory, "name dictionary", bytes, &pointer, err);
        dictionary->vertices = pointer;
    }
    return status;
}

enum mr_status mr_dictionary_order(struct mr_dictionary *dictionary, mr_name_key key,
                                   struct mr_error *err)
{
    struct mr_memory *memory = dictionary->context->memory;
    struct keys keys = {.key = key};
    uint64_t n_names = dictionary->n_names;

    assert(dictionary->vertices == NULL);
    free_table(dictionary);
    enum mr_status status = alloc_order(dictionary, err);
    if (status != MR_OK || n_names == 0) {
        return status;
    }
    status = make_keys(dictionary, &keys, false, err);
    if (status == MR_OK) {
        status = alloc_keys(memory, &keys, n_names, err);
    }
    if (status == MR_OK) {
        status = make_keys(dictionary, &keys, true, err);
    }
    if (status == MR_OK) {
        mr_strings_sort(keys.entries, n_names, keys.arena, keys.starts,
                        dictionary->context->threads);
        for (uint64_t v = 0; v < n_names; v++) {
            dictionary->names_of[v] = keys.entries[v].number;
            dictionary->vertices[keys.entries[v].number] = (uint32_t)v;
        }
    }
    mr_memory_free(memory, keys.arena);
    mr_memory_free(memory, keys.starts);
    mr_memory_free(memory, keys.entries);
    return status;
}

const uint32_t *mr_dictionary_vertices(const struct mr_dictionary *dictionary)
{
    return dictionary->vertices;
}

void mr_dictionary_name(const struct mr_dictionary *dictionary, uint32_t vertex, const char **name,
                        size_t *name_bytes)
{
    assert(dictionary->names_of != NULL && vertex < dictionary->n_names);
    uint32_t number = dictionary->names_of[vertex];
    uint64_t start = dictionary->starts[number];
    *name = dictionary->arena + start;
    *name_bytes = (size_t)(dictionary->starts[number + 1] - start);
}
