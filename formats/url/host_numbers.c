/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers hosts by their hashes (host_numbers.h). `report`, `hosts` and the levels of `precedence
 * --per-host` use it. */
#include "formats/url/host_numbers.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash_set.h"
#include "formats/url/host.h"

struct mr_host_numbers {
    struct mr_hash_set set;
    struct mr_host_groups *groups;
    uint32_t part, n_parts;
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
    numbers->set = (struct mr_hash_set){.memory = memory, .name = "hosts"};
    numbers->part = part;
    numbers->n_parts = n_parts;
    numbers->groups = mr_host_groups_open(canonical, by);
    return numbers->groups == NULL ? mr_host_groups_error(err) : MR_OK;
}

void mr_host_numbers_close(struct mr_host_numbers *numbers)
{
    if (numbers != NULL) {
        mr_hash_set_free(&numbers->set);
        mr_host_groups_close(numbers->groups);
        free(numbers);
    }
}

/* The host of a name that is a host alone, such as www.example.org, or the domain of that host. */
static size_t host_alone(struct mr_host_numbers *numbers, const char *name, size_t bytes,
                         char *host)
{
    static const char scheme[] = {'h', 't', 't', 'p', ':', '/', '/'};
    char url[sizeof scheme + MR_HOST_MAX_BYTES];

    if (bytes > MR_HOST_MAX_BYTES || memchr(name, '.', bytes) == NULL ||
        memchr(name, '/', bytes) != NULL || memchr(name, ' ', bytes) != NULL) {
        return 0;
    }
    memcpy(url, scheme, sizeof scheme);
    memcpy(url + sizeof scheme, name, bytes);
    return mr_host_group(numbers->groups, url, sizeof scheme + bytes, host);
}

bool mr_host_next(struct mr_host_numbers *numbers, const char *name, size_t name_bytes)
{
    char *host = numbers->hosts[!numbers->current];
    size_t bytes = mr_host_group(numbers->groups, name, name_bytes, host);

    bytes = bytes > 0 ? bytes : host_alone(numbers, name, name_bytes, host);
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
    if (add) {
        return mr_hash_set_add(&numbers->set, numbers->hash, number, err);
    }
    *number = mr_hash_set_find(&numbers->set, numbers->hash);
    return MR_OK;
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
    return (uint32_t)numbers->set.n;
}

bool mr_host_numbers_named(const struct mr_host_numbers *numbers)
{
    return numbers->named;
}
