/* Stores: a graph of links on disk, as the builder (build.h) leaves it in a directory, NAME.mill
 * by convention. docs/store-format.md is the format.
 *
 * A graph has vertices 0 .. n_vertices - 1 (pages, in what users read) and edges (links).
 * names.h says what a vertex is called. An opened store is read-only and immutable: it stays
 * what it was when it was opened, whatever is appended to it meanwhile, and any number of
 * processes may have it open. Within a process one thread at a time uses a handle; threads open
 * the store once each. */
#ifndef MILLRACE_STORE_H
#define MILLRACE_STORE_H

#include <stdbool.h>

#include "millrace/context.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mr_store;

/* Classes of edges. Each class has its own tiles and degrees. A store without classes has only
 * MR_LINK_EXTERNAL. */
#define MR_CLASSES_MAX 2u
enum mr_link_class { MR_LINK_EXTERNAL = 0, MR_LINK_INTERNAL = 1 };
/* The rule that separates classes: internal edges stay inside a host, or inside a registered
 * domain. */
enum mr_class_rule { MR_CLASSES_NONE = 0, MR_CLASSES_BY_HOST = 1, MR_CLASSES_BY_DOMAIN = 2 };

/* Which classes of edges are opened: a sum of 1 << class. 0 means all of them. */
#define MR_CLASSES_ALL 0u

/* What names the vertices have. */
enum mr_name_kind {
    MR_NAMES_IDENTITY = 0, /* no file: vertex v is called "v" */
    MR_NAMES_NUMBERS = 1, /* 64-bit numbers, ascending */
    MR_NAMES_TEXT = 2 /* byte strings, ascending by key */
};

/* Opens a store and verifies its manifest, index and file sizes; blocks are verified when they
 * are read. The caller closes `*out`; it is NULL after an error. The context outlives it.
 * Errors: INPUT if `path` is no store or has a newer format; CORRUPT if it is damaged. Memory:
 * about 56 bytes per block of up to 256 KiB. Reads the index, no edges. */
MR_API enum mr_status mr_store_open(const struct mr_context *context, const char *path,
                                    struct mr_store **out, struct mr_error *err) MR_WARN_UNUSED;

/* Opens a store as if it had only the edges of some classes. `classes` is MR_CLASSES_ALL or a
 * sum of 1 << class. Degrees count only these edges. Errors: also USAGE for a class that the
 * store does not have. */
MR_API enum mr_status mr_store_open_classes(const struct mr_context *context, const char *path,
                                            uint32_t classes, struct mr_store **out,
                                            struct mr_error *err) MR_WARN_UNUSED;

/* Opens the edges of a store that has_weights together with their weights. It is a store with
 * the same graph. Close it before `store`, whose names it shares. Every ranking takes it in
 * place of `store`, unless the ranking says otherwise. Errors: INPUT if there are no weights;
 * otherwise as mr_store_open. */
MR_API enum mr_status mr_store_open_weights(const struct mr_context *context,
                                            const struct mr_store *store, struct mr_store **out,
                                            struct mr_error *err) MR_WARN_UNUSED;

/* Lets rankings count an edge by its class: `weights[MR_CLASSES_MAX]` are finite and above 0;
 * only their ratio matters. The store has two classes, and both are open. Memory: 8 bytes per
 * vertex, until the store is closed. Reads the out-degrees twice. Errors: USAGE if the store has
 * one class or not all are open. */
MR_API enum mr_status mr_store_weigh_classes(const struct mr_context *context,
                                             struct mr_store *store,
                                             const double weights[MR_CLASSES_MAX],
                                             struct mr_error *err) MR_WARN_UNUSED;

/* NULL is allowed. */
MR_API void mr_store_close(struct mr_store *store);

/* The figures of a store, or of the classes of edges that it was opened with. Counts are exact. */
struct mr_store_figures {
    size_t struct_size; /* sizeof(struct mr_store_figures), set by the caller */
    uint64_t n_vertices; /* at most 2^32 - 1 */
    uint64_t n_edges; /* at most 2^48, repeated ones counted */
    uint64_t n_dangling; /* vertices without out-links */
    uint64_t n_self_loops;
    uint64_t max_out_degree;
    uint64_t max_in_degree;
    uint64_t bytes; /* of all files */
    uint64_t store_id; /* hash of the manifest: names this content */
    uint32_t generation; /* 1 as built, one more with each append */
    uint32_t n_classes; /* of links: 1, or MR_CLASSES_MAX */
    enum mr_class_rule class_rule; /* what tells two classes apart */
    enum mr_name_kind name_kind;
    bool undirected; /* every link also goes the other way */
    bool duplicates_kept; /* repeated links count as often */
    bool self_loops_dropped;
    bool transposed; /* every link is stored reversed */
    bool has_weights; /* mr_store_open_weights has something to open */
    bool is_weighted; /* this is what it opened */
};

/* Fill `figures`, whose struct_size is set. Reads nothing; never fails. */
MR_API void mr_store_describe(const struct mr_store *store, struct mr_store_figures *figures);

/* True if `path` is a directory with a file named MANIFEST. Any thread may ask. */
MR_API bool mr_store_probe(const char *path);

/* Verify the store at `path` from the bytes up. Reads every block of every file once: checksums,
 * headers, padding. With `full` also decodes everything, and counts degrees again: 4 bytes per
 * vertex, 12 with weights. Errors: CORRUPT with file and offset for the first thing wrong; as
 * mr_store_open. */
MR_API enum mr_status mr_store_check(const struct mr_context *context, const char *path, bool full,
                                     struct mr_error *err) MR_WARN_UNUSED;

#ifdef __cplusplus
}
#endif

#endif
