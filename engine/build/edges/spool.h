/* The spool: edges as they came, in chunks, until their vertices have numbers. The first chunks stay in
 * memory, as far as they were told they may, the others go to temporary disk.
 *
 * A chunk holds pairs of 32-bit ids (8 bytes an edge), or of 64-bit ids (16 bytes) where one of them
 * needs it, and behind all of them their weights (4 bytes an edge) where edges have weights. Several writers fill chunks of their own. Chunks are read back in any order, by any number
 * of threads, and discarded one by one, so that what the next stage writes takes the space the spool
 * gives back. Numbers are in the machine's own byte order: nobody else reads them.
 * Memory: what may stay, one chunk per writer while adding, 40 bytes per chunk, and 8 more
 * during a pass.
 *
 * A spool that is kept has all of its chunks in a file with a name, checksummed, where they stay: a later process
 * can go on from it (engine/build/build_checkpoint.h). */
#ifndef MR_ENGINE_BUILD_EDGES_SPOOL_H
#define MR_ENGINE_BUILD_EDGES_SPOOL_H

#include "engine/base/context.h"
#include "engine/base/edge.h"
#include "engine/io/scratch_file.h"

/* Big enough that a write costs little beyond the copy, small enough that 8 threads with one each
 * leave most of the smallest budget alone. */
#define MR_SPOOL_CHUNK_BYTES (256u << 10)

struct mr_spool;

struct mr_spool_figures {
    uint64_t n_edges;
    uint64_t n_self_loops; /* edges with source == target, among them */
    uint64_t max_id; /* 0 when no edge was added */
    uint64_t n_chunks;
    uint64_t bytes; /* of all chunks, */
    uint64_t resident_bytes; /* of memory, and */
    uint64_t disk_bytes; /* of disk that hold them now; discarded ones take neither */
};

/* A chunk in memory: `narrow` or `wide` is set, pairs of (source, target). */
struct mr_spool_chunk {
    uint64_t index;
    uint32_t n_edges;
    bool is_numbered; /* the pairs are vertices: see mr_spool_settle */
    uint32_t (*narrow)[2];
    uint64_t (*wide)[2];
    float *weights; /* NULL: none */
    void *spare; /* the reader's buffer where the pairs are not in it, else NULL */
};

struct mr_spool_options {
    const char *directory, *stem; /* as in scratch_file.h */
    bool swap; /* store every edge the other way round */
    unsigned n_writers; /* >= 1 */
    uint64_t resident_bytes; /* of chunks that may stay in memory */
    bool has_weights;
    const char
        *kept_path; /* NULL, or the file of a spool that is kept; nothing stays in memory then */
};

/* What is known of a kept spool beside its file: all but where and by whom it is used. */
struct mr_spool_kept {
    uint64_t n_edges, n_self_loops, max_id;
    uint64_t n_chunks;
    bool has_room, has_weights; /* for weights, and those */
};

struct mr_spool_kept_chunk {
    uint64_t checksum;
    uint32_t n_edges;
    bool is_wide;
};

/* `use` as in scratch_file.h. Destroy takes NULL. */
enum mr_status mr_spool_create(const struct mr_context *context,
                               const struct mr_spool_options *options, struct mr_scratch_use *use,
                               struct mr_spool **out, struct mr_error *err) MR_WARN_UNUSED;
void mr_spool_destroy(struct mr_spool *spool);

/* Add edges as writer 0..n_writers-1; thread-safe between writers. `weights` [n_edges], above 0 and finite,
 * where the spool has weights. About 2 ns an edge. */
enum mr_status mr_spool_add(struct mr_spool *spool, unsigned writer, const struct mr_edge *edges,
                            const float *weights, size_t n_edges,
                            struct mr_error *err) MR_WARN_UNUSED;

/* Where `writer` may put pairs of ids itself, `*n_edges` > 0 of them at most: the free part of its chunk, until it
 * calls again, adds, or the spool is sealed. Only those it then names as filled are there, `first` being the number
 * of the first of them in the input. `*pairs` is NULL where
 * edges have to come by mr_spool_add: they have weights or are turned round. */
enum mr_status mr_spool_room(struct mr_spool *spool, unsigned writer, uint32_t (**pairs)[2],
                             uint32_t *n_edges, struct mr_error *err) MR_WARN_UNUSED;
void mr_spool_filled(struct mr_spool *spool, unsigned writer, uint32_t n_edges, uint64_t first);

/* What comes is without weights from here on, and so is what came: of a spool not yet sealed, by its only
 * user. */
void mr_spool_forget_weights(struct mr_spool *spool);

/* Write what is buffered and free the buffers: nothing is added any more. */
enum mr_status mr_spool_seal(struct mr_spool *spool, struct mr_error *err) MR_WARN_UNUSED;

/* Of a spool that is kept and sealed: have it all on the disk, and say what is needed to open it again. */
enum mr_status mr_spool_sync(struct mr_spool *spool, struct mr_error *err) MR_WARN_UNUSED;
struct mr_spool_kept mr_spool_kept(const struct mr_spool *spool);
struct mr_spool_kept_chunk mr_spool_kept_chunk(const struct mr_spool *spool, uint64_t index);
bool mr_spool_is_kept(const struct mr_spool *spool);

/* Open the spool that `path` keeps, sealed. `chunks` [kept->n_chunks] is copied, and as it was said. */
enum mr_status mr_spool_open(const struct mr_context *context, const char *path,
                             const struct mr_spool_kept *kept,
                             const struct mr_spool_kept_chunk *chunks, struct mr_scratch_use *use,
                             struct mr_spool **out, struct mr_error *err) MR_WARN_UNUSED;

/* Move the chunks that stay in memory to disk: somebody else needs it. Of a sealed spool. */
enum mr_status mr_spool_evict(struct mr_spool *spool, struct mr_error *err) MR_WARN_UNUSED;

/* Figures of what was added so far, while nobody is adding; n_chunks and bytes are final once sealed. */
struct mr_spool_figures mr_spool_figures(const struct mr_spool *spool);

bool mr_spool_has_weights(const struct mr_spool *spool);

/* The chunks of a sealed spool in the order of the input, or nearly, as far as that is known: `order[n_chunks]`. */
void mr_spool_order(const struct mr_spool *spool, uint64_t *order);

/* Is chunk `index` of a sealed spool in memory? */
bool mr_spool_is_resident(const struct mr_spool *spool, uint64_t index);

/* Edges of a sealed spool that are in memory. */
uint64_t mr_spool_resident_edges(const struct mr_spool *spool);

/* Read chunk `index` of a sealed spool into `buffer[MR_SPOOL_CHUNK_BYTES]`, aligned to 8, which the
 * caller may change. Thread-safe. CORRUPT for a chunk of a kept spool that is not what was written. */
enum mr_status mr_spool_read(struct mr_spool *spool, uint64_t index, void *buffer,
                             struct mr_spool_chunk *chunk, struct mr_error *err) MR_WARN_UNUSED;

/* The same without a copy of what is in memory: the caller changes it there, and says so with
 * mr_spool_settle, or not at all; or it reads it last and discards it then. */
enum mr_status mr_spool_take(struct mr_spool *spool, uint64_t index, void *buffer,
                             struct mr_spool_chunk *chunk, struct mr_error *err) MR_WARN_UNUSED;

/* A chunk that was taken and is in memory now has `n_edges` pairs of vertices, narrow ones, at its
 * beginning: whoever reads it next need not number them again. */
void mr_spool_settle(struct mr_spool *spool, uint64_t index, uint32_t n_edges);

/* Give the memory or the disk space of chunk `index` back, once. Thread-safe. */
void mr_spool_discard(struct mr_spool *spool, uint64_t index);

#endif
