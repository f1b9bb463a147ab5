/* SPDX-License-Identifier: Apache-2.0 */
/* Stores: a graph on disk, in a directory that a build (build.h) wrote, NAME.mill by convention.
 * docs/store-format.md describes the format.
 *
 * A graph has vertices 0 .. n_vertices - 1 and edges; documents for users call them pages and
 * links. names.h gives the names of vertices. An open store is immutable: a later append does not
 * change it. Any number of processes may open the same store. One thread at a time uses a handle;
 * several threads open the store once each. */
#ifndef MILLRACE_STORE_H
#define MILLRACE_STORE_H

#include <stdbool.h>

#include "millrace/context.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mr_store;

/* Classes of edges. Each class has its own tiles and degrees. A store without a class rule has one
 * class. */
#define MR_CLASSES_MAX 2u
enum mr_link_class { MR_LINK_EXTERNAL = 0, MR_LINK_INTERNAL = 1 };
/* Which edges are internal: those inside a host, or inside a registered domain. */
enum mr_class_rule { MR_CLASSES_NONE = 0, MR_CLASSES_BY_HOST = 1, MR_CLASSES_BY_DOMAIN = 2 };

/* All classes of edges of a store. A selection of classes is the sum of their 1 << class. */
#define MR_CLASSES_ALL 0u

/* What names the vertices have. */
enum mr_name_kind {
    MR_NAMES_IDENTITY = 0, /* no file: vertex v is called "v" */
    MR_NAMES_NUMBERS = 1, /* 64-bit numbers, ascending */
    MR_NAMES_TEXT = 2 /* byte strings, ascending by key */
};

/* Open the store at `path`. The caller closes `*out`, which is NULL after an error. Close the store
 * before its context. The call verifies the manifest, the index and the file sizes; a block is
 * verified when it is read. Errors: INPUT when `path` is not a store or has a newer format; CORRUPT
 * when the store is damaged. Memory: about 56 bytes per block of 256 KiB. Reads the index, no
 * edges.
 *
 * An open store of a small graph keeps what its last ranking read and set up for the next one, with
 * the same context. This is at most 8 MiB, of all stores of a context at most a sixteenth of its
 * budget, to which it does not count. */
MR_API enum mr_status mr_store_open(const struct mr_context *context, const char *path,
                                    struct mr_store **out, struct mr_error *err) MR_WARN_UNUSED;

/* Open a store with the edges of some classes only. `classes` is MR_CLASSES_ALL, or a sum of 1 <<
 * class. Degrees count these edges only. Errors: as mr_store_open, and USAGE for a class that the
 * store does not have. */
MR_API enum mr_status mr_store_open_classes(const struct mr_context *context, const char *path,
                                            uint32_t classes, struct mr_store **out,
                                            struct mr_error *err) MR_WARN_UNUSED;

/* Open the same graph with the weights of its edges. The store must have weights (has_weights).
 * `*out` is another handle; close it before `store`. It has no names of its own: use those of
 * `store`. Every ranking accepts it in place of `store`, unless its comment says otherwise. Errors:
 * INPUT when there are no weights; else as mr_store_open. */
MR_API enum mr_status mr_store_open_weights(const struct mr_context *context,
                                            const struct mr_store *store, struct mr_store **out,
                                            struct mr_error *err) MR_WARN_UNUSED;

/* Give each class a weight: from now on rankings count an edge by the weight of its class.
 * `weights[MR_CLASSES_MAX]` are finite and above 0; only their ratio matters. The store must have
 * two classes and be opened with both. Memory: 8 bytes per vertex, until the store is closed. Reads
 * the out-degrees twice. Errors: USAGE for other weights, and when the store has one class or was
 * opened with one. */
MR_API enum mr_status mr_store_weigh_classes(const struct mr_context *context,
                                             struct mr_store *store,
                                             const double weights[MR_CLASSES_MAX],
                                             struct mr_error *err) MR_WARN_UNUSED;

/* Close a store. NULL is allowed. */
MR_API void mr_store_close(struct mr_store *store);

/* Figures of a store, or of those classes of edges that it was opened with. Counts are exact. */
struct mr_store_figures {
    size_t struct_size; /* sizeof(struct mr_store_figures), set by the caller */
    uint64_t n_vertices; /* at most 2^32 - 1 */
    uint64_t n_edges; /* at most 2^48; repeated edges count as often as they occur */
    uint64_t n_dangling; /* vertices without out-edges */
    uint64_t n_self_loops;
    uint64_t max_out_degree;
    uint64_t max_in_degree;
    uint64_t bytes; /* total size of all files */
    uint64_t store_id; /* hash of the manifest; it identifies the content */
    uint32_t n_classes; /* classes of edges: 1, or MR_CLASSES_MAX */
    enum mr_class_rule class_rule; /* the rule that separates two classes */
    enum mr_name_kind name_kind;
    bool undirected; /* the reverse of every edge is also an edge */
    bool duplicates_kept; /* repeated edges count as often as they occur */
    bool self_loops_dropped;
    bool transposed; /* the store has the reverse of every edge of its input */
    bool has_weights; /* mr_store_open_weights accepts this store */
    bool is_weighted; /* this handle comes from mr_store_open_weights */
};

/* Fill `figures`. The caller sets its struct_size. Reads nothing; never fails. */
MR_API void mr_store_describe(const struct mr_store *store, struct mr_store_figures *figures);

/* Returns whether `path` looks like a store: a directory with a manifest. */
MR_API bool mr_store_probe(const char *path);

/* What was verified. This struct does not grow in later versions. */
struct mr_check_summary {
    uint64_t blocks, bytes, edges, vertices;
};

/* Verify the store at `path`. Reads every block of every file once and checks checksums, headers
 * and padding. `full` also decodes everything and counts the degrees again, which takes 4 bytes of
 * memory per vertex, 12 with weights. `summary` may be NULL. Errors: CORRUPT with file and offset
 * of the first error; else as mr_store_open. */
MR_API enum mr_status mr_store_check(const struct mr_context *context, const char *path, bool full,
                                     struct mr_check_summary *summary,
                                     struct mr_error *err) MR_WARN_UNUSED;

#ifdef __cplusplus
}
#endif

#endif
