/* SPDX-License-Identifier: Apache-2.0 */
/* Scores that are made while they are read: for rankings whose memory holds one number per page of
 * the core, and has no room for the scores of the frontier (docs/solver.md). The vector of the core
 * stays as the certificate has it; a window of bands of the core and a window of bands of the
 * frontier hold scores. A reader that goes through the vertices of each part in ascending order
 * reads the links of the frontier once. */
#ifndef MR_ALGORITHMS_PAGERANK_RANK_STREAM_H
#define MR_ALGORITHMS_PAGERANK_RANK_STREAM_H

#include "algorithms/pagerank/pagerank.h"

struct mr_rank_solver;

/* Bytes of the windows, and of what a writer of scores needs beside them. */
uint64_t mr_rank_stream_memory(const struct mr_store_info *info);

/* Take the vector of a solver that is done, with the terms of its last certificate. The solver's
 * store, context and teleport weights must outlive the stream. The solver has no pass any more. */
enum mr_status mr_rank_stream_create(struct mr_rank_solver *solver, struct mr_rank_stream **out,
                                     struct mr_error *err) MR_WARN_UNUSED;

#endif
