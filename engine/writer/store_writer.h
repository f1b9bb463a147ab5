/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the files of a new store into a directory: blocks as they come, then the index, then the
 * manifest. A directory without a manifest is no store. Order of calls, from one thread at a time:
 *
 * create -> names? (name_writer.h) -> per band: take*, end_band, in_degrees
 *        -> per band: out_degrees -> finish */
#ifndef MR_ENGINE_WRITER_STORE_WRITER_H
#define MR_ENGINE_WRITER_STORE_WRITER_H

#include "engine/store/core_map.h"
#include "engine/store/fetch_facts.h"
#include "engine/writer/band_writer.h"

struct mr_store_writer;
struct mr_block_header;

/* Begins a store in `directory`, which exists and is empty. `shape` is that of the band writers. If
 * the shape has weights there are two writers: this one and one for the weighted set, which gets
 * its own calls and is finished or abandoned with this one. */
enum mr_status mr_store_writer_create(const struct mr_context *context, const char *directory,
                                      const struct mr_band_shape *shape,
                                      struct mr_store_writer **out,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* Appends the blocks that `band` has sealed so far (of its current band, in band order) to the file
 * of its class; `band` forgets them. */
enum mr_status mr_store_writer_add_blocks(struct mr_store_writer *writer,
                                          struct mr_band_writer *band,
                                          struct mr_error *err) MR_WARN_UNUSED;

/* Takes the rest of a band that mr_band_writer_end completed, and records the band. Bands come in
 * order, each exactly once for each class, including empty ones. */
enum mr_status mr_store_writer_end_band(struct mr_store_writer *writer, struct mr_band_writer *band,
                                        struct mr_error *err) MR_WARN_UNUSED;

/* Write the degrees [n] of a band's vertices: first all in-degrees (bands in order, for each band
 * its sets in order), then all out-degrees in the same order. Set 0 counts all edges. If
 * shape.n_classes is above 1, set 1 + c counts class c. `strengths` [n] is NULL except in the
 * weighted set: for each vertex the sum of the weights, added in the order that
 * docs/store-format.md states. */
enum mr_status mr_store_writer_in_degrees(struct mr_store_writer *writer, unsigned set,
                                          uint32_t band, const uint32_t *degrees,
                                          const double *strengths, uint32_t n,
                                          struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_store_writer_out_degrees(struct mr_store_writer *writer, unsigned set,
                                           uint32_t band, const uint32_t *degrees,
                                           const double *strengths, uint32_t n,
                                           struct mr_error *err) MR_WARN_UNUSED;

/* The writer of the weighted set; NULL if the shape has no weights. It takes the blocks of band
 * writers with weights. */
struct mr_store_writer *mr_store_writer_weights(const struct mr_store_writer *writer);

/* Writes the order of the vertices, a sealed map. At most one call, before finish. */
enum mr_status mr_store_writer_order(struct mr_store_writer *writer, const struct mr_core_map *core,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* Writes the fetch facts that `next` gives, if there are any, with or without their digests. At
 * most one call, before finish. */
enum mr_status mr_store_writer_facts(struct mr_store_writer *writer, bool digests,
                                     mr_fetch_facts_next next, void *data,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* For name_writer: begins the names, which are not MR_NAMES_IDENTITY. */
enum mr_status mr_store_writer_begin_names(struct mr_store_writer *writer,
                                           struct mr_error *err) MR_WARN_UNUSED;

/* Appends a sealed block to the file of degrees or of names. */
enum mr_status mr_store_writer_block(struct mr_store_writer *writer, enum mr_store_file which,
                                     const uint8_t *block, const struct mr_block_header *header,
                                     struct mr_error *err) MR_WARN_UNUSED;
/* For name_writer, once: the index of names. */
enum mr_status mr_store_writer_name_index(struct mr_store_writer *writer, const uint8_t *index,
                                          uint64_t index_bytes,
                                          struct mr_error *err) MR_WARN_UNUSED;

/* Writes index and manifest, and syncs and closes every file. Frees `writer` in any case. `facts`
 * has what only the builder knows: n_self_loops, undirected, duplicates_kept, self_loops_dropped,
 * transposed, core_first, class_rule, name_kind, name_key_number, last_append, weights.least and
 * weights.most. The writer takes nothing else of it. */
enum mr_status mr_store_writer_finish(struct mr_store_writer *writer,
                                      const struct mr_store_info *facts,
                                      struct mr_error *err) MR_WARN_UNUSED;
/* Frees the writer and abandons its files. NULL is allowed. */
void mr_store_writer_destroy(struct mr_store_writer *writer);

#endif
