/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table from hosts to numbers (host_numbers.h). It holds hashes of 128 bits in place of the
 * names, as row_table.c does. `report`, `hosts` and the levels of `precedence --per-host` use
 * it. */
#include "formats/url/host_numbers.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "formats/url/host.h"

enum { FIRST_ROOM = 1024 };

struct host_slot {
    XXH128_hash_t hash;
    uint32_t number; /* from 1; 0: the slot is free */
};

struct mr_host_numbers {
    struct mr_memory *memory;
    struct mr_host_groups *groups;
    struct host_slot *slots; /* [room], at most three of four in use */
    uint64_t room; /* a power of two */
    uint32_t n, part, n_parts;
    bool named, is_begun;
    XXH128_hash_t hash; /* of hosts[current], the host of the last name, */
    size_t bytes; /* and its length */
    bool current;
    char hosts[2][MR_HOST_MAX_BYTES];
};

enum mr_status mr_host_numbers_open(struct mr_memory *memory, const struct mr_canonical *canonical,
                                    enum mr_fold_by by, uint32_t part, uint32_t n_parts,
                                    struct mr_host_numbers **out, struct mr_error *err)
{
    struct mr_host_numbers *numbers = calloc(1, sizeof *numbers);

    *out = numbers;
    if (numbers == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for hosts");
    }
    numbers->memory = memory;
    numbers->part = part;
    numbers->n_parts = n_parts;
    numbers->room = FIRST_ROOM;
    numbers->groups = mr_host_groups_open(canonical, by);
    return numbers->groups == NULL
               ? mr_host_groups_error(err)
               : mr_memory_array(memory, "hosts", numbers->room, &numbers->slots, err);
}

void mr_host_numbers_close(struct mr_host_numbers *numbers)
{
    if (numbers != NULL) {
        mr_memory_free(numbers->memory, numbers->slots);
        mr_host_groups_close(numbers->groups);
        free(numbers);
    }
}

/* The slot of the hash, or the free slot where it belongs. */
static struct host_slot *find(struct host_slot *slots, uint64_t room, XXH128_hash_t hash)
{
    uint64_t at = hash.low64 & (room - 1);

    while (slots[at].number != 0 && !XXH128_isEqual(slots[at].hash, hash)) {
        at = (at + 1) & (room - 1);
    }
    return &slots[at];
}

static enum mr_status grow(struct mr_host_numbers *numbers, struct mr_error *err)
{
    struct host_slot *slots = NULL;
    const enum mr_status status =
        mr_memory_array(numbers->memory, "hosts", 2 * numbers->room, &slots, err);

    for (uint64_t i = 0; status == MR_OK && i < numbers->room; i++) {
        if (numbers->slots[i].number != 0) {
            *find(slots, 2 * numbers->room, numbers->slots[i].hash) = numbers->slots[i];
        }
    }
    if (status == MR_OK) {
        mr_memory_free(numbers->memory, numbers->slots);
        numbers->slots = slots;
        numbers->room *= 2;
    }
    return status;
}

bool mr_host_next(struct mr_host_numbers *numbers, const char *name, size_t name_bytes)
{
    char *host = numbers->hosts[!numbers->current];
    const size_t bytes = mr_host_group(numbers->groups, name, name_bytes, host);

    host[bytes] = '\0';
    if (numbers->is_begun && bytes == numbers->bytes &&
        memcmp(host, numbers->hosts[numbers->current], bytes) == 0) {
        return true;
    }
    numbers->is_begun = true;
    numbers->bytes = bytes;
    numbers->named |= bytes > 0;
    numbers->current = !numbers->current;
    numbers->hash = XXH3_128bits(host, bytes);
    return false;
}

const char *mr_host_text(const struct mr_host_numbers *numbers)
{
    return numbers->hosts[numbers->current];
}

uint64_t mr_host_hash(const struct mr_host_numbers *numbers)
{
    return numbers->hash.high64;
}

enum mr_status mr_host_number_of(struct mr_host_numbers *numbers, bool add, uint32_t *number,
                                 struct mr_error *err)
{
    struct host_slot *slot = find(numbers->slots, numbers->room, numbers->hash);
    enum mr_status status = MR_OK;

    if (add && slot->number == 0 && 4 * ((uint64_t)numbers->n + 1) > 3 * numbers->room) {
        status = grow(numbers, err);
        slot = find(numbers->slots, numbers->room, numbers->hash);
    }
    if (status == MR_OK && add && slot->number == 0) {
        *slot = (struct host_slot){numbers->hash, ++numbers->n};
    }
    *number = slot->number == 0 ? MR_HOST_OTHER_PART : slot->number - 1;
    return status;
}

enum mr_status mr_host_number(struct mr_host_numbers *numbers, const char *name, size_t name_bytes,
                              uint32_t *number, struct mr_error *err)
{
    (void)mr_host_next(numbers, name, name_bytes);
    *number = MR_HOST_OTHER_PART;
    return (numbers->hash.high64 & (numbers->n_parts - 1)) != numbers->part
               ? MR_OK
               : mr_host_number_of(numbers, true, number, err);
}

uint32_t mr_host_numbers_count(const struct mr_host_numbers *numbers)
{
    return numbers->n;
}

bool mr_host_numbers_named(const struct mr_host_numbers *numbers)
{
    return numbers->named;
}
