/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the vertices of many named scores at once. Internal to formats/score/.
 *
 * A lookup of one name decodes a block of names, 40 us. Ranks in the order of their values need one
 * lookup for each line. The join keeps lines with hashes of their names, walks over all names of
 * the store, and looks each one up among the lines. What a batch of lines misses (spellings that
 * are not the name itself, unknown names) is then looked up line by line. */
#ifndef MR_FORMATS_SCORE_SCORE_JOIN_H
#define MR_FORMATS_SCORE_SCORE_JOIN_H

#include "engine/base/context.h"
#include "engine/names/names.h"

struct mr_score_join;

/* Scores go to `scores` [n_vertices], by vertex; of several scores of a vertex the last one stays.
 * A batch takes up to `memory_bytes` (0: half of the budget that is left), about 100 bytes a line
 * of a host graph. All arguments outlive the join. */
enum mr_status mr_score_join_create(const struct mr_context *context, struct mr_names *names,
                                    uint64_t n_vertices, uint64_t memory_bytes, double *scores,
                                    struct mr_score_join **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
/* Takes NULL. */
void mr_score_join_destroy(struct mr_score_join *join);

/* Adds a line. `name[name_bytes]` is copied. A full batch is matched first: that reads all names of
 * the store, or looks up each line if there are few. */
enum mr_status mr_score_join_add(struct mr_score_join *join, const char *name, size_t name_bytes,
                                 double score, struct mr_error *err) MR_WARN_UNUSED;

/* Matches the last batch. `*n_unknown`: lines of names that the store does not have. */
enum mr_status mr_score_join_finish(struct mr_score_join *join, uint64_t *n_unknown,
                                    struct mr_error *err) MR_WARN_UNUSED;

#endif
