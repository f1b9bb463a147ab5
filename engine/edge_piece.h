/* One piece of the edges in memory: loaded by several threads, sorted, ready to be encoded.
 *
 *     create -> ( begin -> add* -> flush -> sort )* -> destroy
 *
 * Edges go through a line of 8 to 64 records per worker and bucket, so that memory sees whole cache
 * lines and a shared counter one addition for as many edges; then each bucket is sorted inside a
 * cache, by any thread. 8 bytes an edge, and a little more. */
#ifndef MR_ENGINE_EDGE_PIECE_H
#define MR_ENGINE_EDGE_PIECE_H

#include "engine/edge_plan.h"

struct mr_edge_sorter;

/* A sorted piece; lives until the next begin. The keys of bucket b are mr_sorted_keys(r), its weights, if
 * there are some, mr_sorted_weights(r, b.n_edges), where r = records + b.first_edge * record_words; its
 * tiles begin at runs[b.first_run]. */
struct mr_sorted_piece {
    const struct mr_edge_piece *piece;
    const struct mr_edge_bucket *buckets; /* [piece->n_buckets], bands ascending */
    const uint64_t *records;
    unsigned record_words; /* as in the plan */
    const struct mr_tile_run *runs;
};

/* What is counted while a piece is sorted, over all pieces. */
struct mr_sort_tally {
    uint32_t *out_degrees; /* [n_vertices], the caller's */
    uint64_t n_edges; /* left after merging */
    uint64_t n_self_loops; /* among them */
    /* Where edges have weights. Strengths are added up in the order of the bands, in a band of the keys,
     * which for one source is the order of the targets. */
    double *out_strengths; /* [n_vertices], the caller's */
    float least_weight, most_weight; /* 0 before the first edge */
};

/* `plan` outlives the sorter. Room for its largest piece is charged as "sort buffer". Destroy takes
 * NULL. */
enum mr_status mr_edge_sorter_create(const struct mr_context *context,
                                     const struct mr_edge_plan *plan, bool merge,
                                     struct mr_edge_sorter **out,
                                     struct mr_error *err) MR_WARN_UNUSED;
void mr_edge_sorter_destroy(struct mr_edge_sorter *sorter);

void mr_edge_sorter_begin(struct mr_edge_sorter *sorter, const struct mr_edge_piece *piece);

/* Add edges of the piece, by worker 0..plan->n_workers-1; flush once after all of a worker's edges.
 * Thread-safe between workers. MR_ERROR_RUNTIME when they are not the edges that were counted. */
enum mr_status mr_edge_sorter_add(struct mr_edge_sorter *sorter, unsigned worker,
                                  const uint32_t (*pairs)[2], const float *weights, size_t n_pairs,
                                  struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_edge_sorter_flush(struct mr_edge_sorter *sorter, unsigned worker,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Sort the piece, on all threads. MR_ERROR_INPUT when an out-degree exceeds 2^32 - 1, or merged weights what
 * a float holds. */
enum mr_status mr_edge_sorter_sort(struct mr_edge_sorter *sorter, struct mr_sort_tally *tally,
                                   struct mr_sorted_piece *sorted,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Memory that a sorter allocates beyond the largest mr_edge_piece.bytes. */
#define MR_EDGE_SORTER_EXTRA_BYTES 4096u

#endif
