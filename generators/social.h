/* A synthetic social network of the size and shape of SNAP's soc-LiveJournal1: 4,847,571 vertices,
 * 68,993,773 different directed edges, 518,382 of them self-loops and 74.8% of the others
 * reciprocated; in- and out-degrees with tails like the published ones (docs/generators.md).
 *
 * A friendship is a pair of edges, anything else an edge in one direction. Who is linked to whom is
 * drawn by weight; that no edge comes twice follows from a rule that gives each pair of vertices to
 * one of them, as a friendship or not. Deterministic in integer arithmetic, the same on any number of
 * threads. Sources of the figures: snap.stanford.edu/data/soc-LiveJournal1.html, and
 * konect.cc/networks/soc-LiveJournal1. */
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
    uint32_t n_vertices; /* 0: MR_SOCIAL_VERTICES; edges in proportion. At least 1000; for tests */
};

/* Memory: 8 bytes per vertex and 4 MiB. Errors: USAGE for too few vertices. The context outlives it. Destroy
 * takes NULL. */
enum mr_status mr_social_create(const struct mr_context *context,
                                const struct mr_social_options *options, struct mr_social **out,
                                struct mr_error *err) MR_WARN_UNUSED;
void mr_social_destroy(struct mr_social *social);

uint32_t mr_social_vertices(const struct mr_social *social);
uint64_t mr_social_edges(const struct mr_social *social); /* exactly */

/* Its edges, in no order; every vertex has one. About 0.25 us each on one core. The generator borrows `social`; a
 * builder for it has MR_IDS_DENSE and n_vertices = mr_social_vertices. */
struct mr_generator mr_social_generator(const struct mr_social *social);

#endif
