/* SPDX-License-Identifier: Apache-2.0 */
/* Adds names to the dictionary: a hash table gives each name a provisional number. When the names
 * fill their share of the memory, dictionary_order.c sorts them and writes them to disk. It also
 * makes the final order of the names. */
#include "engine/builder/vertices/dictionary.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/builder/vertices/dictionary_internal.h"

/* Slots of a new table; a power of two. */
#define MIN_SLOTS ((uint64_t)1 << 12)

#define MIN_ARENA_BYTES ((uint64_t)1 << 16)
#define MIN_STARTS      ((uint64_t)1 << 12)

/* Names may fill one part in MEMORY_SHARE of the memory: sorting takes as much again, and three
 * times as much if bytes above 127 are escaped. The minimum applies even if that is more. */
enum { MEMORY_SHARE = 5 };
#define MIN_SHARE_BYTES ((uint64_t)2 << 20)

enum mr_status mr_dictionary_create(const struct mr_context *context,
                                    const struct mr_dictionary_options *options,
                                    struct mr_dictionary **out, struct mr_error *err)
{
    struct mr_dictionary *dictionary = calloc(1, sizeof *dictionary);

    *out = dictionary;
    if (dictionary == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a dictionary");
    }
    dictionary->context = context;
    dictionary->options = *options;
    dictionary->max_bytes =
        options->stays ? UINT64_MAX
        : options->max_bytes > 0
            ? options->max_bytes
            : mr_max_u64(MIN_SHARE_BYTES, mr_memory_available(context->memory) / MEMORY_SHARE);
    if (options->drops_spellings) {
        dictionary->normal = options->canonical;
        dictionary->options.canonical = NULL;
        dictionary->normal_name = malloc(MR_NAME_MAX_BYTES);
        if (dictionary->normal_name == NULL) {
            return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a dictionary");
        }
    }
    return MR_OK;
}

void mr_dictionary_forget_names(struct mr_dictionary *dictionary)
{
    mr_dictionary_free_local(dictionary);
    mr_scratch_file_close(dictionary->runs_file);
    mr_scratch_file_close(dictionary->merged.file);
    dictionary->runs_file = NULL;
    dictionary->merged.file = NULL;
}

void mr_dictionary_destroy(struct mr_dictionary *dictionary)
{
    if (dictionary == NULL) {
        return;
    }
    mr_dictionary_forget_names(dictionary);
    mr_memory_free(dictionary->context->memory, dictionary->vertices);
    free(dictionary->runs);
    free(dictionary->normal_name);
    free(dictionary);
}

uint64_t mr_dictionary_count(const struct mr_dictionary *dictionary)
{
    return mr_dictionary_n_numbers(dictionary);
}

uint64_t mr_dictionary_runs(const struct mr_dictionary *dictionary)
{
    return dictionary->n_runs;
}

static uint64_t adding_bytes(const struct mr_dictionary *dictionary)
{
    return dictionary->arena_capacity + dictionary->starts_capacity * sizeof *dictionary->starts +
           (dictionary->slots != NULL ? sizeof *dictionary->slots << dictionary->slot_bits : 0);
}

uint64_t mr_dictionary_bytes(const struct mr_dictionary *dictionary)
{
    return adding_bytes(dictionary) +
           (dictionary->order != NULL ? dictionary->n_names * sizeof(uint32_t) : 0) +
           (dictionary->vertices != NULL ? mr_dictionary_count(dictionary) * sizeof(uint32_t) : 0);
}

/* ---- Adding ---- */

static enum mr_status double_table(struct mr_dictionary *dictionary, struct mr_error *err)
{
    struct mr_memory *memory = dictionary->context->memory;
    uint64_t n_old = dictionary->slots != NULL ? (uint64_t)1 << dictionary->slot_bits : 0;
    uint64_t n_slots = n_old > 0 ? 2 * n_old : MIN_SLOTS;
    uint64_t *slots = NULL;
    const enum mr_status status = mr_memory_array(memory, "name dictionary", n_slots, &slots, err);
    if (status != MR_OK) {
        return status;
    }
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

/* Make room for one more name of `name_bytes`. */
static enum mr_status make_room(struct mr_dictionary *dictionary, size_t name_bytes,
                                struct mr_error *err)
{
    struct mr_memory *memory = dictionary->context->memory;
    enum mr_status status = MR_OK;
    if (dictionary->arena_capacity - dictionary->arena_bytes < name_bytes) {
        uint64_t capacity = dictionary->arena_capacity + dictionary->arena_capacity / 2 +
                            MIN_ARENA_BYTES + name_bytes;
        status = mr_memory_resize(memory, "name dictionary", &dictionary->arena, capacity, err);
        dictionary->arena_capacity = status == MR_OK ? capacity : dictionary->arena_capacity;
    }
    if (status == MR_OK && dictionary->n_names + 1 >= dictionary->starts_capacity) {
        uint64_t capacity =
            dictionary->starts_capacity + dictionary->starts_capacity / 2 + MIN_STARTS;
        status = mr_memory_resize(memory, "name dictionary", &dictionary->starts,
                                  capacity * sizeof *dictionary->starts, err);
        dictionary->starts_capacity = status == MR_OK ? capacity : dictionary->starts_capacity;
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

/* Append a name and return its number. */
static enum mr_status append(struct mr_dictionary *dictionary, const char *name, size_t name_bytes,
                             uint64_t *number, struct mr_error *err)
{
    if (mr_dictionary_count(dictionary) == UINT32_MAX) {
        return mr_error_set(
            err, MR_ERROR_INPUT, "%s",
            dictionary->n_runs == 0
                ? "the graph has more than 4294967295 pages, the most a store can hold"
                : "the names in all runs are more than 4294967295; give more --memory, which makes "
                  "fewer runs");
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

/* Would one more name exceed the share of the dictionary? */
static bool is_full(const struct mr_dictionary *dictionary, size_t name_bytes)
{
    uint64_t bytes = adding_bytes(dictionary);
    if (dictionary->n_names == 0 || dictionary->max_bytes == UINT64_MAX) {
        return false;
    }
    if (dictionary->arena_capacity - dictionary->arena_bytes < name_bytes) {
        bytes += dictionary->arena_capacity / 2 + MIN_ARENA_BYTES + name_bytes;
    }
    if (dictionary->n_names + 1 >= dictionary->starts_capacity) {
        bytes += (dictionary->starts_capacity / 2 + MIN_STARTS) * sizeof *dictionary->starts;
    }
    if (dictionary->slots != NULL && 3 * (dictionary->n_names + 1) > (uint64_t)2
                                                                         << dictionary->slot_bits) {
        bytes += sizeof *dictionary->slots << dictionary->slot_bits;
    }
    return bytes > dictionary->max_bytes;
}

static enum mr_status check_name(const struct mr_dictionary *dictionary, const char *name,
                                 size_t name_bytes, struct mr_error *err)
{
    if (name_bytes < 1 || name_bytes > MR_NAME_MAX_BYTES) {
        return mr_error_set(err, MR_ERROR_INPUT, "a name of %llu bytes; 1 to %u are possible",
                            (unsigned long long)name_bytes, MR_NAME_MAX_BYTES);
    }
    if (dictionary->options.canonical != NULL && memchr(name, '\n', name_bytes) != NULL) {
        return mr_error_set(err, MR_ERROR_INPUT,
                            "a name has a line feed in it, so it cannot be a spelling");
    }
    return MR_OK;
}

/* The slot of the name, or the free slot where it belongs. */
static uint64_t find_slot(const struct mr_dictionary *dictionary, uint64_t hash, const char *name,
                          size_t name_bytes)
{
    uint64_t mask = ((uint64_t)1 << dictionary->slot_bits) - 1;
    uint64_t at = hash >> (64 - dictionary->slot_bits);
    for (uint64_t slot; (slot = dictionary->slots[at]) != 0; at = (at + 1) & mask) {
        if (slot >> 32 == hash >> 32 &&
            is_named(dictionary, (uint32_t)slot - 1, name, name_bytes)) {
            break;
        }
    }
    return at;
}

uint32_t mr_dictionary_hash(const char *name, size_t name_bytes)
{
    return (uint32_t)(XXH3_64bits(name, name_bytes) >> 32);
}

/* The number of a name in memory, or UINT64_MAX. */
static uint64_t find_number(const struct mr_dictionary *dictionary, const struct mr_name_ref *ref)
{
    if (dictionary->slots == NULL) {
        return UINT64_MAX;
    }
    const uint64_t at =
        find_slot(dictionary, (uint64_t)ref->hash << 32, ref->name, ref->name_bytes);
    return dictionary->slots[at] != 0
               ? dictionary->first_number + (uint32_t)dictionary->slots[at] - 1
               : UINT64_MAX;
}

/* Give `ref`, which is not in memory, the next number. */
static enum mr_status insert_new(struct mr_dictionary *dictionary, const struct mr_name_ref *ref,
                                 uint64_t *number, struct mr_error *err)
{
    const char *name = ref->name;
    const size_t name_bytes = ref->name_bytes;
    const uint64_t hash = (uint64_t)ref->hash << 32;
    enum mr_status status = MR_OK;

    if (is_full(dictionary, name_bytes)) {
        status = mr_dictionary_spill(dictionary, err);
        if (status != MR_OK) {
            return status;
        }
    }
    /* The table is at most two thirds full, so that probes stay short. */
    if (dictionary->slots == NULL || 3 * (dictionary->n_names + 1) > (uint64_t)2
                                                                         << dictionary->slot_bits) {
        status = double_table(dictionary, err);
        if (status != MR_OK) {
            return status;
        }
    }
    const uint64_t at = find_slot(dictionary, hash, name, name_bytes);
    status = append(dictionary, name, name_bytes, number, err);
    if (status == MR_OK) {
        mr_distinct_add(&dictionary->distinct, (uint32_t)(hash >> 32));
        dictionary->slots[at] = hash | (*number + 1);
        *number += dictionary->first_number;
    }
    return status;
}

/* The canonical form comes last, because most names are known ones. */
static enum mr_status add(struct mr_dictionary *dictionary, const struct mr_name_ref *ref,
                          bool insert, uint64_t *number, struct mr_error *err)
{
    struct mr_name_ref normal;

    assert(dictionary->vertices == NULL);
    enum mr_status status = check_name(dictionary, ref->name, ref->name_bytes, err);
    if (status != MR_OK) {
        return status;
    }
    *number = find_number(dictionary, ref);
    if (*number == UINT64_MAX && dictionary->normal != NULL) {
        const size_t bytes = dictionary->normal(dictionary->options.canonical_data, ref->name,
                                                ref->name_bytes, dictionary->normal_name);
        if (bytes != ref->name_bytes || memcmp(dictionary->normal_name, ref->name, bytes) != 0) {
            normal = (struct mr_name_ref){dictionary->normal_name, (uint32_t)bytes,
                                          mr_dictionary_hash(dictionary->normal_name, bytes)};
            ref = &normal;
            *number = find_number(dictionary, ref);
        }
    }
    return *number == UINT64_MAX && insert ? insert_new(dictionary, ref, number, err) : MR_OK;
}

enum mr_status mr_dictionary_add(struct mr_dictionary *dictionary, const char *name,
                                 size_t name_bytes, bool insert, uint64_t *number,
                                 struct mr_error *err)
{
    const struct mr_name_ref ref = {.name = name,
                                    .name_bytes = (uint32_t)mr_min_u64(name_bytes, UINT32_MAX),
                                    .hash = mr_dictionary_hash(name, name_bytes)};
    return add(dictionary, &ref, insert, number, err);
}

/* Names ahead of the one that is added: of these, the slot is fetched, then where the name in it
 * starts, then the name. Each needs the one before; a fetch from memory takes as long as some ten
 * names. */
enum { AHEAD_SLOT = 24, AHEAD_START = 16, AHEAD_NAME = 8 };

static void fetch(const struct mr_dictionary *dictionary, const struct mr_name_ref *ref,
                  unsigned ahead)
{
    if (dictionary->slots == NULL) {
        return;
    }
    const uint64_t *slot =
        &dictionary->slots[((uint64_t)ref->hash << 32) >> (64 - dictionary->slot_bits)];
    if (ahead == AHEAD_SLOT) {
        __builtin_prefetch(slot);
    } else if (*slot != 0 && ahead == AHEAD_START) {
        __builtin_prefetch(&dictionary->starts[(uint32_t)*slot - 1]);
    } else if (*slot != 0) {
        const char *name = dictionary->arena + dictionary->starts[(uint32_t)*slot - 1];
        __builtin_prefetch(name);
        __builtin_prefetch(name + 64);
    }
}

enum mr_status mr_dictionary_add_all(struct mr_dictionary *dictionary,
                                     const struct mr_name_ref *names, size_t n, bool insert,
                                     uint64_t *numbers, struct mr_error *err)
{
    static const unsigned stages[] = {AHEAD_SLOT, AHEAD_START, AHEAD_NAME};
    enum mr_status status = MR_OK;
    for (size_t i = 0; i < n && status == MR_OK; i++) {
        for (unsigned k = 0; k < 3; k++) {
            if (i + stages[k] < n) {
                fetch(dictionary, &names[i + stages[k]], stages[k]);
            }
        }
        status = add(dictionary, &names[i], insert, &numbers[i], err);
    }
    return status;
}
