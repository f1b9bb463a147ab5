/* Writes the files of a new store into a directory: blocks as they come, then index, then manifest.
 * What has no manifest is no store. Order of calls, from one thread at a time:
 *
 *     create -> names? (name_writer.h) -> per band: take*, end_band, in_degrees
 *            -> per band: out_degrees -> finish
 */
#ifndef MR_ENGINE_WRITER_STORE_WRITER_H
#define MR_ENGINE_WRITER_STORE_WRITER_H

#include "engine/store/vertex_order.h"
#include "engine/writer/band_writer.h"

struct mr_store_writer;
struct mr_block_header;
struct mr_names_part;

/* `directory` exists and is empty. `shape` as the band writers have it. Where it has weights there are two
 * writers: this one, and one of the weighted set, which is fed likewise and finished or abandoned with this
 * one. `base`: NULL, or the store without weights of which this is the next generation: its parts of links and
 * names belong to it, and what is written here is new; degrees are those of all. It outlives the writer.
 * `generation` is that of the files, 1 unless there is a reason. */
enum mr_status mr_store_writer_create(const struct mr_context *context, const char *directory,
                                      const struct mr_band_shape *shape, struct mr_store *base,
                                      uint32_t generation, struct mr_store_writer **out,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* Append the blocks sealed so far by `band` (its current band, in band order) to the file of its class; it
 * forgets them. */
enum mr_status mr_store_writer_take(struct mr_store_writer *writer, struct mr_band_writer *band,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Take the rest of a band that mr_band_writer_end completed, and record it. Bands come in order, each
 * exactly once for each class, empty ones included. */
enum mr_status mr_store_writer_end_band(struct mr_store_writer *writer, struct mr_band_writer *band,
                                        struct mr_error *err) MR_WARN_UNUSED;

/* Degrees of a band's vertices, [n]; all in-degrees (bands in order, of each the sets in order), then all
 * out-degrees. Set 0 counts all links; where shape.n_classes is above 1, set 1 + c those of class c. */
enum mr_status mr_store_writer_in_degrees(struct mr_store_writer *writer, unsigned set,
                                          uint32_t band, const uint32_t *degrees, uint32_t n,
                                          struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_store_writer_out_degrees(struct mr_store_writer *writer, unsigned set,
                                           uint32_t band, const uint32_t *degrees, uint32_t n,
                                           struct mr_error *err) MR_WARN_UNUSED;

/* The writer of the weighted set, NULL where the shape has no weights. It takes the blocks of band writers
 * with weights; its blocks of degrees have strengths, too: of each vertex the sum of the weights, added up
 * in the order told in docs/store-format.md. */
struct mr_store_writer *mr_store_writer_weights(const struct mr_store_writer *writer);
enum mr_status mr_store_writer_in_strengths(struct mr_store_writer *writer, uint32_t band,
                                            const uint32_t *degrees, const double *strengths,
                                            uint32_t n, struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_store_writer_out_strengths(struct mr_store_writer *writer, uint32_t band,
                                             const uint32_t *degrees, const double *strengths,
                                             uint32_t n, struct mr_error *err) MR_WARN_UNUSED;

/* The vertices are in an order of their own (engine/store/vertex_order.h), which `source` gives. Once at most, before
 * finish; not with a base. */
enum mr_status mr_store_writer_order(struct mr_store_writer *writer, mr_order_source source,
                                     void *data, struct mr_error *err) MR_WARN_UNUSED;

/* For names_writer: begin a part of names, of which generation, kind and first_vertex are looked at, and
 * n_vertices for MR_NAMES_IDENTITY, which has no blocks. Parts come in order. */
enum mr_status mr_store_writer_begin_names(struct mr_store_writer *writer,
                                           const struct mr_names_part *part,
                                           struct mr_error *err) MR_WARN_UNUSED;

/* For names_writer: append a sealed block to the file of names, and the lookup bytes at the end. */
enum mr_status mr_store_writer_name_block(struct mr_store_writer *writer, const uint8_t *block,
                                          const struct mr_block_header *header,
                                          struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_store_writer_name_index(struct mr_store_writer *writer, const uint8_t *index,
                                          uint64_t index_bytes,
                                          struct mr_error *err) MR_WARN_UNUSED;

/* What only the builder knows. */
struct mr_store_facts {
    uint64_t n_self_loops[1 + MR_CLASSES_MAX]; /* of each set of degrees */
    bool undirected, duplicates_kept, self_loops_dropped, transposed;
    enum mr_class_rule class_rule;
    enum mr_name_kind name_kind;
    uint32_t name_key_number;
    float least_weight, most_weight; /* where there are weights and links */
};

struct mr_store_written {
    uint64_t store_id;
    uint64_t n_dangling;
    uint64_t bytes, links_bytes;
    uint64_t internal_edges; /* where there are classes */
};

/* Write index and manifest, sync and close every file. `written` may be NULL. Frees `writer` either way. */
enum mr_status mr_store_writer_finish(struct mr_store_writer *writer,
                                      const struct mr_store_facts *facts,
                                      struct mr_store_written *written,
                                      struct mr_error *err) MR_WARN_UNUSED;
void mr_store_writer_abandon(struct mr_store_writer *writer);

#endif
