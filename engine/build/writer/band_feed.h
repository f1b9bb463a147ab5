/* From sorted pieces to the store's file of links: several bands are encoded at once and written in
 * order. A band's blocks depend on its edges only: not on threads, and not on where pieces end, since
 * a band that goes on in the next piece keeps its writer. */
#ifndef MR_ENGINE_BUILD_WRITER_BAND_FEED_H
#define MR_ENGINE_BUILD_WRITER_BAND_FEED_H

#include "engine/build/edges/edge_piece.h"
#include "engine/writer/store_writer.h"

struct mr_band_feed;

/* Two classes of links: internal ones lead from a group of vertices to itself. */
struct mr_feed_classes {
    const uint32_t *groups; /* [n_vertices] */
    uint32_t *out_degrees; /* [n_vertices], 0: those of internal links, counted by the feed */
};

/* One band writer per thread, or as many as a quarter of the memory left allows. `store`, `shape` and
 * `grid` outlive the feed, and so do `classes`, NULL for links of one class, and `base`, NULL, or the store
 * whose degrees these links are added to. Destroy takes NULL. */
enum mr_status mr_band_feed_create(const struct mr_context *context, struct mr_store_writer *store,
                                   const struct mr_band_shape *shape,
                                   const struct mr_edge_grid *grid,
                                   const struct mr_feed_classes *classes, struct mr_store *base,
                                   struct mr_band_feed **out, struct mr_error *err) MR_WARN_UNUSED;
void mr_band_feed_destroy(struct mr_band_feed *feed);

/* Memory that encoded blocks waiting for their turn may take at most, beyond what is held now. */
uint64_t mr_band_feed_pending_bytes(const struct mr_band_feed *feed);

/* Encode and write a piece; all pieces of the plan, in order. In-degrees are counted and written with
 * their band. MR_ERROR_INPUT when one exceeds 2^32 - 1. */
enum mr_status mr_band_feed_piece(struct mr_band_feed *feed, const struct mr_edge_plan *plan,
                                  const struct mr_sorted_piece *sorted,
                                  struct mr_error *err) MR_WARN_UNUSED;

#endif
