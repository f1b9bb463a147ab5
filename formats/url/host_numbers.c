/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table from hosts to numbers (host_numbers.h). It holds hashes of 128 bits in place of the
 * names, as row_table.c does. `report` and the levels of `precedence --per-host` use it. */
#include "formats/url/host_numbers.h"

#include <stdlib.h>

#include <xxhash.h>

#include "formats/url/host.h"

enum { FIRST_ROOM = 1024 };

struct slot {
    XXH128_hash_t hash;
    uint32_t number; /* from 1; 0: the slot is free */
};

struct mr_host_numbers {
    struct mr_memory *memory;
    struct mr_host_groups *groups;
    struct slot *slots; /* [room], at most three of four in use */
    uint64_t room; /* a power of two */
    uint32_t n, part, n_parts;
    bool named;
    char host[MR_HOST_MAX_BYTES];
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
static struct slot *find(struct slot *slots, uint64_t room, XXH128_hash_t hash)
{
    uint64_t at = hash.low64 & (room - 1);

    while (slots[at].number != 0 && !XXH128_isEqual(slots[at].hash, hash)) {
        at = (at + 1) & (room - 1);
    }
    return &slots[at];
}

static enum mr_status grow(struct mr_host_numbers *numbers, struct mr_error *err)
{
    struct slot *slots = NULL;
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

enum mr_status mr_host_number(struct mr_host_numbers *numbers, const char *name, size_t name_bytes,
                              uint32_t *number, struct mr_error *err)
{
    const size_t bytes = mr_host_group(numbers->groups, name, name_bytes, numbers->host);
    const XXH128_hash_t hash = XXH3_128bits(numbers->host, bytes);
    enum mr_status status = MR_OK;

    numbers->named |= bytes > 0;
    *number = MR_HOST_OTHER_PART;
    if ((hash.high64 & (numbers->n_parts - 1)) != numbers->part) {
        return MR_OK;
    }
    struct slot *slot = find(numbers->slots, numbers->room, hash);
    if (slot->number == 0 && 4 * ((uint64_t)numbers->n + 1) > 3 * numbers->room) {
        status = grow(numbers, err);
        slot = find(numbers->slots, numbers->room, hash);
    }
    if (status == MR_OK && slot->number == 0) {
        *slot = (struct slot){hash, ++numbers->n};
    }
    *number = slot->number - 1;
    return status;
}

uint32_t mr_host_numbers_count(const struct mr_host_numbers *numbers)
{
    return numbers->n;
}

bool mr_host_numbers_named(const struct mr_host_numbers *numbers)
{
    return numbers->named;
}
