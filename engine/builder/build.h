/* SPDX-License-Identifier: Apache-2.0 */
/* The builder: takes edges and publishes a store, out of core.
 *
 *     create -> (vertex*, freeze)? -> edges* -> save? -> finish
 *
 * The builder spools the edges to temporary files and numbers the vertices. Then it partitions the
 * edges by target band, and sorts, merges, encodes and writes them band by band. A rename publishes
 * the store. Peak memory stays within the context's budget. Edges stay in memory if they fit into
 * half of it. Otherwise they take 8-16 bytes of temporary disk each, which is freed as it is read.
 * The same edges and options give the same bytes, for any order of the edges, any threads and any
 * memory. Cost: O(E) time, and an O(n log n) sort of text names, which is out of core too
 * (engine/builder/vertices/dictionary.h). */
#ifndef MR_ENGINE_BUILDER_BUILD_H
#define MR_ENGINE_BUILDER_BUILD_H

#include "engine/base/context.h"
#include "engine/base/edge.h"
#include "engine/base/format.h"
#include "engine/names/name_groups.h"
#include "engine/names/names.h"
#include "millrace/build.h"

struct mr_build;
struct mr_store;

struct mr_build_options {
    enum mr_id_kind ids;
    uint64_t n_vertices; /* DENSE only: 0..2^32-1 */
    mr_name_key name_key; /* TEXT only */
    uint32_t name_key_number; /* TEXT only, > 0: the store records it */
    /* TEXT only: NULL, or the function that makes canonical names. If name_key_number has
     * MR_NAME_SPELLINGS, the store has the spellings too. `name_canonical_data` outlives the
     * build. */
    mr_name_canonical name_canonical;
    const void *name_canonical_data;
    /* NONE, or the rule that separates edges inside a group of names from all others; each class
     * gets its own tiles. Names must be text, also those of `like`. `name_group_data` outlives the
     * build. */
    enum mr_class_rule class_rule;
    mr_name_group name_group;
    void *name_group_data;
    bool lists_names; /* TEXT only: the caller will freeze; names stay in memory to the end */
    bool undirected; /* store each edge in both directions; a self-loop counts once */
    bool keep_duplicates; /* default: merge duplicates and add up their weights */
    bool drop_self_loops; /* default: keep them */
    bool transpose; /* store the reversed graph */
    bool force; /* replace an existing store */
    struct mr_publish_group *together; /* where the complete store waits; NULL: it is published */
    /* Edges have weights. The store then has its edges twice, with and without weights. With
     * `like`: that store has weights. */
    bool weights;
    /* DENSE only, or NULL: take the vertices of this store; n_vertices is their number. The build
     * copies its names and inherits the facts about its edges: it ignores `undirected`,
     * `keep_duplicates` and `drop_self_loops`, and `transpose` inverts the fact of that store. It
     * outlives the build. */
    struct mr_store *like;
    int zstd_level; /* 0: plain; 1..19 */
    enum mr_encoding encoding;
    /* Number vertices that have out-edges first. 1.5 bits more per vertex. Not with `like`: the
     * order of that store stays. */
    bool core_first;
    /* TEXT, without order: NULL, or becomes the set of the captured pages. The caller destroys it
     * in any case. */
    struct mr_vertex_set *fetched;
    bool all_captures; /* TEXT: the links of all captures of a page count */
    unsigned band_bits; /* 0: chosen from the graph; else 8..20, for tests and benchmarks */
    unsigned stripe_bits; /* 0: chosen; else 8..16, <= band_bits */
    /* 0: use the memory left. Otherwise sort in at most this many bytes, and keep no edges in
     * memory before; for tests. */
    uint64_t sort_bytes;
    uint64_t name_bytes; /* 0: a share of the memory; else at most this for names, for tests */
};

/* Begin a store at `path` (a directory, by convention NAME.mill). The context outlives the build.
 * Errors: USAGE when `path` exists without force, or the options make no sense. */
enum mr_status mr_build_create(const struct mr_context *context, const char *path,
                               const struct mr_build_options *options, struct mr_build **out,
                               struct mr_error *err) MR_WARN_UNUSED;

/* About the most temporary disk that a build of `n_edges` input edges takes; 0 if they fit in
 * memory. Does not count vertices. Assumes 8 bytes per edge; ids of 2^32 and more take 16 until
 * they are numbered. */
uint64_t mr_build_temporary_bytes(const struct mr_context *context, enum mr_id_kind ids,
                                  uint64_t n_edges, bool undirected);

/* Announce about `n_edges` edges. Notes how much temporary disk they will take, if any. Refuses
 * (MR_ERROR_BUDGET) edges that do not fit, before they are read. `is_guess`: does not refuse. */
enum mr_status mr_build_expect(struct mr_build *build, uint64_t n_edges, bool is_guess,
                               struct mr_error *err) MR_WARN_UNUSED;

/* SPARSE: declare a vertex; freeze after the last one. From then on only declared ids are known,
 * and edges may use only known ids: ask mr_build_knows first. TEXT: call mr_build_name for each
 * name instead, then freeze. */
enum mr_status mr_build_vertex(struct mr_build *build, uint64_t id,
                               struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_build_freeze(struct mr_build *build, struct mr_error *err) MR_WARN_UNUSED;
bool mr_build_is_frozen(const struct mr_build *build);

/* May `id` be an endpoint? DENSE: below n_vertices. SPARSE: always, or declared once frozen. */
bool mr_build_knows(const struct mr_build *build, uint64_t id);

/* TEXT: get a provisional id of a name for use in edges. A name has 1..MR_NAME_MAX_BYTES bytes of
 * any values, but no line feed if there are spellings. A new name gets the next number. A
 * name that was written to disk may get another number. After freeze an unknown name sets `*id` to
 * UINT64_MAX. */
enum mr_status mr_build_name(struct mr_build *build, const char *name, size_t name_bytes,
                             uint64_t *id, struct mr_error *err) MR_WARN_UNUSED;

/* TEXT: add a capture. `*id` is the id of its page from mr_build_name, and becomes the source of
 * the links of this capture. Of the dated captures of a page only the newest one gives links. If
 * `id` is NULL, `capture` is a fetch of `capture->page`, and its links are in another file. */
enum mr_status mr_build_capture(struct mr_build *build, const struct mr_capture *capture,
                                uint64_t *id, struct mr_error *err) MR_WARN_UNUSED;

/* mr_build_name of names[n], in their order, with hashes of mr_build_name_hash, which any thread
 * may call. */
uint32_t mr_build_name_hash(const char *name, size_t name_bytes);
enum mr_status mr_build_all_names(struct mr_build *build, const struct mr_name_ref *names, size_t n,
                                  uint64_t *ids, struct mr_error *err) MR_WARN_UNUSED;

/* Add edges, which are copied, as worker 0..context->threads-1. One thread at a time may use a
 * worker. `weights` [n_edges] are those of a build with weights, which without them gives each edge
 * the weight 1; NULL: none. A weight that is not finite or not above 0 is MR_ERROR_INPUT, unless
 * the build has none or has forgotten them (mr_build_forget_weights). */
enum mr_status mr_build_edges(struct mr_build *build, unsigned worker, const struct mr_edge *edges,
                              const float *weights, size_t n_edges,
                              struct mr_error *err) MR_WARN_UNUSED;

/* The same without a copy. `*pairs` points to room for `*n_edges` > 0 pairs of 32-bit ids. The
 * worker fills it before any other call, then passes mr_build_filled the number of pairs and the
 * number of the first of them in the input. `*pairs` is NULL if the build cannot take edges this
 * way: it has weights or is transposed. */
enum mr_status mr_build_room(struct mr_build *build, unsigned worker, uint32_t (**pairs)[2],
                             uint32_t *n_edges, struct mr_error *err) MR_WARN_UNUSED;
void mr_build_filled(struct mr_build *build, unsigned worker, uint32_t n_edges, uint64_t first);

/* Build the store without weights after all. No thread may add edges during the call. */
void mr_build_forget_weights(struct mr_build *build);
bool mr_build_has_weights(const struct mr_build *build);

/* Number, sort, encode, publish if `status` is MR_OK; otherwise remove the temporary files and
 * return `status`. Frees `build` in any case; NULL is allowed. `summary` may be NULL. */
enum mr_status mr_build_finish(struct mr_build *build, enum mr_status status,
                               struct mr_store_build_figures *summary,
                               struct mr_error *err) MR_WARN_UNUSED;

/* Choose the band and stripe bits of a graph where the options leave them open. They are a fixed
 * function of the numbers of vertices and edges (duplicates and reversed edges count). `n_near` is
 * the number of edges whose ends both lie in one aligned run of 2^MR_NEAR_BITS vertices. */
void mr_build_choose_bits(uint64_t n_vertices, uint64_t n_edges, uint64_t n_near,
                          unsigned *band_bits, unsigned *stripe_bits);

#endif
