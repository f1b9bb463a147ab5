/* SPDX-License-Identifier: Apache-2.0 */
/* Twins: pages that provably have the same PageRank, whatever it is. No error bound tells an order
 * of these. Internal to algorithms. */
#ifndef MR_ALGORITHMS_PAGERANK_TWINS_H
#define MR_ALGORITHMS_PAGERANK_TWINS_H

#include "engine/base/random.h"
#include "engine/pass/pass.h"
#include "millrace/weights.h"

/* NULL arrays: no twins are known. */
struct mr_twins {
    uint64_t *in_links; /* [n_vertices], a fingerprint of the in-links and the teleport weight */
    uint32_t *out_degree; /* [n_vertices] */
};

/* What a source adds to the fingerprints of its targets. */
static inline uint64_t mr_twins_mark(uint64_t vertex)
{
    return mr_random_mix((vertex + 1) * MR_RANDOM_GOLDEN);
}

/* Are `a` and `b` twins? Either they have the same in-links. Or each links to the other, all other
 * in-links are the same, and so are the numbers of out-links, d: then x(a) + damping / d * x(a)
 * equals the same of b. */
static inline bool mr_twins_are(const struct mr_twins *twins, uint64_t a, uint64_t b)
{
    if (twins->in_links == NULL) {
        return false;
    }
    const uint64_t of_a = twins->in_links[a], of_b = twins->in_links[b];
    return of_a == of_b || (of_a + mr_twins_mark(a) == of_b + mr_twins_mark(b) &&
                            twins->out_degree[a] == twins->out_degree[b]);
}

/* Can twins of this store be found? Not where links have weights. */
bool mr_twins_are_known(const struct mr_store *store);

/* Bytes of the two arrays, which the caller allocates. */
uint64_t mr_twins_memory(const struct mr_store_info *info);

/* Fill `twins`, of the store of `pass`: one pass over the links. A fingerprint is a sum of 64-bit
 * random numbers of the sources: two pages with different in-links have the same with probability
 * 2^-64. `teleport` [n_teleport] are weights >= 0 (NULL: all pages have the same); `values`
 * [mr_pass_vector_length] is overwritten. Errors: those of the pass. */
enum mr_status mr_twins_find(struct mr_pass *pass, const struct mr_store_info *info,
                             const struct mr_vertex_weight *teleport, uint64_t n_teleport,
                             uint64_t *values, struct mr_twins *twins,
                             struct mr_error *err) MR_WARN_UNUSED;

#endif
