/* The builder: edges in, a published store out, out of core.
 *
 *     create -> (vertex*, freeze)? -> edges* -> save? -> finish
 *
 * Edges are spooled to temporary files, vertices numbered, edges partitioned by destination band,
 * sorted band by band, deduplicated, encoded and written; then the store is published by a rename.
 * Peak memory stays within the context's budget; edges that fit in half of it stay there, temporary
 * disk for more is 8-16 bytes per edge, given back as it is consumed. The same edges and options give the same bytes, whatever the order of the
 * edges, the threads and the memory. Cost: O(E) time besides an O(n log n) sort of text names, which is
 * out of core as well (engine/build/vertices/dictionary.h). */
#ifndef MR_ENGINE_BUILD_BUILD_H
#define MR_ENGINE_BUILD_BUILD_H

#include "engine/base/context.h"
#include "engine/base/edge.h"
#include "engine/base/format.h"
#include "engine/names/name_groups.h"
#include "engine/names/names.h"
#include "millrace/build.h"

struct mr_build;
struct mr_store;

struct mr_build_options {
    size_t struct_size; /* sizeof(struct mr_build_options) */
    enum mr_id_kind ids;
    uint64_t n_vertices; /* DENSE only: 0..2^32-1 */
    mr_name_key name_key; /* TEXT only */
    uint32_t name_key_number; /* TEXT only: recorded in the store, > 0 */
    /* TEXT only: NULL, or what names are called by; then name_key_number has MR_NAME_SPELLINGS, and
     * spellings are kept. `name_canonical_data` outlives the build. */
    mr_name_canonical name_canonical;
    const void *name_canonical_data;
    /* NONE, or: tell links inside a group of names from others, each class in tiles of its own. For names that
     * are text, those of `like` included. `name_group_data` outlives the build. */
    enum mr_class_rule class_rule;
    mr_name_group name_group;
    void *name_group_data;
    bool lists_names; /* TEXT only: there will be a freeze; names stay in memory until finished */
    bool undirected; /* every edge also the other way round; a self-loop counts once */
    bool keep_duplicates; /* default: merge them, their weights added up */
    bool drop_self_loops; /* default: keep them */
    bool transpose; /* store the reversed graph */
    bool force; /* replace an existing store */
    bool weights; /* edges have weights: they come through mr_build_weighted_edges alone, and the
                   * store has its links twice, with and without. With `like`: of a store with weights */
    /* DENSE, or NULL: the vertices are this store's, n_vertices its number of them. Their names are
     * copied, and what is known of its edges is inherited: `undirected`, `keep_duplicates` and
     * `drop_self_loops` are not looked at, `transpose` turns its own round. It outlives the build. */
    struct mr_store *like;
    int zstd_level; /* 0: plain; 1..19 */
    enum mr_encoding encoding;
    /* 4 bytes more a vertex, 12 for a moment. With `like` KEEP alone: vertices are ordered as that store's are. */
    enum mr_order order;
    bool in_places; /* with `like`: edges come as places, and the order is not taken over */
    unsigned band_bits; /* 0: chosen from the graph; else 8..20, for tests and benchmarks */
    unsigned stripe_bits; /* 0: chosen; else 8..16, <= band_bits */
    uint64_t sort_bytes; /* 0: what memory leaves; else at most this to sort, and nothing
                          * kept in memory before: for tests */
    uint64_t name_bytes; /* 0: a share of memory; else at most this for names, for tests */
    /* NULL, or a directory for what is read (engine/build/build_checkpoint.h): what mr_build_save has left there is
     * where the next build goes on, mr_build_is_read. It is made, and removed when the store is published. Edges
     * then go to disk, all of them, and stay there to the end. Not with `like`. `checkpoint_text` says where
     * vertices and edges come from, in lines, each ended by a line feed; NULL: nothing to say. */
    const char *checkpoint, *checkpoint_text;
};

/* What happened, in numbers. Counts are exact. */
struct mr_build_summary {
    uint64_t input_edges; /* handed to mr_build_edges */
    uint64_t dropped_self_loops; /* among them, and not in the store */
    uint64_t self_loops; /* in the store */
    uint64_t duplicates; /* merged away (0 with keep_duplicates), after undirected */
    uint64_t vertices;
    uint64_t edges; /* in the store */
    bool is_ordered; /* vertices are by degree */
    struct mr_order_figures order; /* of the input, unless KEEP was asked for */
    enum mr_class_rule class_rule; /* NONE: */
    uint64_t internal_edges; /* of these; 0 */
    uint64_t dangling; /* vertices without out-edges */
    uint64_t store_bytes;
    uint64_t links_bytes;
    uint64_t spellings_left_out; /* beyond 64 KiB for one vertex */
    uint64_t temporary_bytes; /* highest use of temporary disk */
    double seconds;
    double seconds_spool, seconds_number, seconds_partition, seconds_encode;
};

/* Begin a store at `path` (a directory, by convention NAME.mill). The context outlives the build.
 * Errors: USAGE when `path` exists without force, or the options make no sense. */
enum mr_status mr_build_create(const struct mr_context *context, const char *path,
                               const struct mr_build_options *options, struct mr_build **out,
                               struct mr_error *err) MR_WARN_UNUSED;

/* Temporary disk that a build of `n_edges` input edges takes at most, about: nothing where they fit in
 * memory. Knows no vertices and counts 8 bytes an edge; ids from 2^32 on take 16 while they are read. */
uint64_t mr_build_temporary_bytes(const struct mr_context *context, enum mr_id_kind ids,
                                  uint64_t n_edges, bool undirected);

/* The same of a build with a checkpoint: in its directory, and, to `*sorted`, beside it. */
uint64_t mr_build_checkpoint_bytes(const struct mr_context *context, uint64_t n_edges,
                                   bool undirected, uint64_t *sorted);

/* About `n_edges` edges are coming: say what temporary disk they will take, if any, and refuse
 * (MR_ERROR_BUDGET) what does not fit, before they are read. `is_guess`: only say it. */
enum mr_status mr_build_expect(struct mr_build *build, uint64_t n_edges, bool is_guess,
                               struct mr_error *err) MR_WARN_UNUSED;

/* SPARSE: declare a vertex; after the last one freeze. From then on only declared ids are known, and
 * edges must use known ids: ask mr_build_knows first. TEXT: intern the name instead, then freeze. */
enum mr_status mr_build_vertex(struct mr_build *build, uint64_t id,
                               struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_build_freeze(struct mr_build *build, struct mr_error *err) MR_WARN_UNUSED;
bool mr_build_is_frozen(const struct mr_build *build);

/* May `id` be an endpoint? DENSE: below n_vertices. SPARSE: always, or declared once frozen. */
bool mr_build_knows(const struct mr_build *build, uint64_t id);

/* TEXT: a provisional id of a name (1..MR_NAME_MAX_BYTES bytes, any values; no line feed where there
 * are canonical names), to be used in edges. New names get the next number, and so may a name that was
 * written to disk; once frozen an unknown name sets `*id` to UINT64_MAX. */
enum mr_status mr_build_name(struct mr_build *build, const char *name, size_t name_bytes,
                             uint64_t *id, struct mr_error *err) MR_WARN_UNUSED;

/* Hand over edges; copied. Called from one thread. */
enum mr_status mr_build_edges(struct mr_build *build, const struct mr_edge *edges, size_t n_edges,
                              struct mr_error *err) MR_WARN_UNUSED;

/* The same by several threads: worker 0..context->threads-1, each called by one thread at a time.
 * mr_build_edges is worker 0. */
enum mr_status mr_build_edges_by(struct mr_build *build, unsigned worker,
                                 const struct mr_edge *edges, size_t n_edges,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* The same without a copy: `*pairs` is where the worker may put pairs of 32-bit ids, `*n_edges` > 0 of them at most,
 * before it does anything else; mr_build_filled says how many it did, and the number of the first in the input. NULL where the build cannot take them so:
 * one with weights, or transposed. */
enum mr_status mr_build_room(struct mr_build *build, unsigned worker, uint32_t (**pairs)[2],
                             uint32_t *n_edges, struct mr_error *err) MR_WARN_UNUSED;
void mr_build_filled(struct mr_build *build, unsigned worker, uint32_t n_edges, uint64_t first);

/* The same of a build with weights, `weights` [n_edges]. One that is not above 0 and finite is
 * MR_ERROR_INPUT; after mr_build_forget_weights they are not looked at. */
enum mr_status mr_build_weighted_edges(struct mr_build *build, unsigned worker,
                                       const struct mr_edge *edges, const float *weights,
                                       size_t n_edges, struct mr_error *err) MR_WARN_UNUSED;

/* The store will be one without weights after all. Nobody is adding edges meanwhile. */
void mr_build_forget_weights(struct mr_build *build);
bool mr_build_has_weights(const struct mr_build *build);

/* With a checkpoint. All vertices and edges are there, as a build of the same has left them: none are to be added
 * (but names that are declared, which have to be again), and mr_build_save is not to be called. `notes` are those
 * that it was given. */
#define MR_BUILD_NOTES 8u
bool mr_build_is_read(const struct mr_build *build, uint64_t notes[MR_BUILD_NOTES]);

/* With a checkpoint: that was the last edge; keep all that was read. From here on a failure, or the end of the
 * process, leaves it. Cost: two syncs of what was written meanwhile, and a sort of the names in memory. */
enum mr_status mr_build_save(struct mr_build *build, const uint64_t notes[MR_BUILD_NOTES],
                             struct mr_error *err) MR_WARN_UNUSED;

/* Number, sort, encode, publish. Frees `build` either way. `summary` may be NULL. */
enum mr_status mr_build_finish(struct mr_build *build, struct mr_build_summary *summary,
                               struct mr_error *err) MR_WARN_UNUSED;

/* Give up: removes temporary files. NULL is allowed. */
void mr_build_abandon(struct mr_build *build);

/* The band and stripe bits of a graph where the options leave them open: a fixed function of the
 * numbers of vertices and edges (duplicates and reversed edges counted). `n_near` of the edges have both
 * ends in the same 2^MR_NEAR_BITS vertices, counted from 0. */
void mr_build_choose_bits(uint64_t n_vertices, uint64_t n_edges, uint64_t n_near,
                          unsigned *band_bits, unsigned *stripe_bits);

#endif
