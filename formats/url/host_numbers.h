/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers the hosts of names in the order in which they come, for figures by host. The names of a
 * host need not come together: a file can be sorted by score, and a store that was appended to has
 * several sorted parts. */
#ifndef MR_FORMATS_URL_HOST_NUMBERS_H
#define MR_FORMATS_URL_HOST_NUMBERS_H

#include "engine/base/memory.h"
#include "formats/url/canonical.h"
#include "millrace/build.h"

struct mr_host_numbers;

/* Number the hosts of names that `canonical` made, or their registered domains. Of the hosts, only
 * those of one part are numbered: part `part` of `n_parts`, a power of two, by their hashes.
 * `memory` outlives it. Takes 27 to 38 bytes per host, and 16 more while it grows. Error: BUDGET.
 * Close takes NULL. */
enum mr_status mr_host_numbers_open(struct mr_memory *memory, const struct mr_canonical *canonical,
                                    enum mr_fold_by by, uint32_t part, uint32_t n_parts,
                                    struct mr_host_numbers **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_host_numbers_close(struct mr_host_numbers *numbers);

#define MR_HOST_OTHER_PART UINT32_MAX /* MR_HASH_SET_NONE */

/* The number of the host of a name, from 0; MR_HOST_OTHER_PART if the host belongs to another part.
 * The case of letters does not count. A name may be a host alone, www.example.org. Names without a
 * host count as names of one host. Two of 2^32
 * hosts get the same number with a probability below 2^-64. Error: BUDGET. */
enum mr_status mr_host_number(struct mr_host_numbers *numbers, const char *name, size_t name_bytes,
                              uint32_t *number, struct mr_error *err) MR_WARN_UNUSED;

/* mr_host_number in steps, for callers that do not number every host. mr_host_next takes a name,
 * and returns true if its host is that of the name before. The other functions are about the host
 * of the last name. mr_host_text is "" for a name without a host, and valid until mr_host_next
 * meets two other hosts. mr_host_number_of gives a host without a number the next one if `add` is
 * set, and MR_HOST_OTHER_PART if not. */
bool mr_host_next(struct mr_host_numbers *numbers, const char *name, size_t name_bytes);
const char *mr_host_text(const struct mr_host_numbers *numbers);
uint64_t mr_host_hash(const struct mr_host_numbers *numbers);
enum mr_status mr_host_number_of(struct mr_host_numbers *numbers, bool add, uint32_t *number,
                                 struct mr_error *err) MR_WARN_UNUSED;

uint32_t mr_host_numbers_count(const struct mr_host_numbers *numbers);
/* True if a name has a host. */
bool mr_host_numbers_named(const struct mr_host_numbers *numbers);

#endif
