/* SPDX-License-Identifier: Apache-2.0 */
/* A synthetic social network with the size and shape of SNAP's soc-LiveJournal1: 4,847,571 vertices
 * and 68,993,773 different directed edges. 518,382 of them are self-loops, and 74.8% of the others
 * are reciprocated. In- and out-degrees have tails like the published ones (docs/generators.md).
 *
 * A friendship is a pair of edges; every other edge has one direction. Edges are drawn by the
 * weights of vertices. No edge appears twice, because a rule gives each pair of vertices to one of
 * the two, either as a friendship or as a one-way edge. Deterministic in integer arithmetic, the
 * same on any number of threads. Sources of the figures:
 * snap.stanford.edu/data/soc-LiveJournal1.html, and konect.cc/networks/soc-LiveJournal1. */
#ifndef MR_GENERATORS_SOCIAL_H
#define MR_GENERATORS_SOCIAL_H

#include "generators/generate.h"

#define MR_SOCIAL_VERTICES   4847571u
#define MR_SOCIAL_EDGES      68993773u
#define MR_SOCIAL_SELF_LOOPS 518382u

struct mr_social;

struct mr_social_options {
    size_t struct_size; /* sizeof(struct mr_social_options) */
    uint64_t seed;
    /* 0: MR_SOCIAL_VERTICES. At least 1000; edges are in proportion. For tests */
    uint32_t n_vertices;
};

/* Prepares the network. Memory: 8 bytes per vertex and 4 MiB. Errors: USAGE for a wrong number of
 * vertices. `context` outlives it. mr_social_destroy takes NULL. */
enum mr_status mr_social_create(const struct mr_context *context,
                                const struct mr_social_options *options, struct mr_social **out,
                                struct mr_error *err) MR_WARN_UNUSED;
void mr_social_destroy(struct mr_social *social);

uint32_t mr_social_vertices(const struct mr_social *social);
uint64_t mr_social_edges(const struct mr_social *social); /* the exact number */

/* Its edges, in no order; every vertex has at least one. About 0.25 us per edge on one core. The
 * generator borrows `social`. A builder for it has MR_IDS_DENSE and n_vertices =
 * mr_social_vertices. */
struct mr_generator mr_social_generator(const struct mr_social *social);

#endif
