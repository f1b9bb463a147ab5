/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the degrees of one band of a store. Internal to the engine; queries use
 * engine/scan/neighbours.h. */
#ifndef MR_ENGINE_SCAN_DEGREE_READER_H
#define MR_ENGINE_SCAN_DEGREE_READER_H

#include "engine/scan/neighbours.h"

struct mr_degree_reader;

/* Open a reader; about 1 MiB. The store outlives it. One thread at a time. Close takes NULL. */
enum mr_status mr_degree_reader_open(const struct mr_context *context, struct mr_store *store,
                                     struct mr_degree_reader **out,
                                     struct mr_error *err) MR_WARN_UNUSED;
void mr_degree_reader_close(struct mr_degree_reader *reader);

/* Read the degrees of all vertices of `band` < n_bands to out[their number]. */
enum mr_status mr_degree_reader_band(struct mr_degree_reader *reader, enum mr_degree_kind which,
                                     uint32_t band, uint32_t *out,
                                     struct mr_error *err) MR_WARN_UNUSED;

#endif
