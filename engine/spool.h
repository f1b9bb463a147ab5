/* The spool: edges as they came, in chunks on temporary disk, until their vertices have numbers.
 *
 * A chunk holds pairs of 32-bit ids (8 bytes an edge), or of 64-bit ids (16 bytes) where one of them
 * needs it. Chunks are read back in any order, by any number of threads, and discarded one by one, so
 * that what the next stage writes takes the space the spool gives back. Numbers are in the machine's
 * own byte order: nobody else reads them.
 * Memory: one chunk while adding, 4 bytes per chunk besides. */
#ifndef MR_ENGINE_SPOOL_H
#define MR_ENGINE_SPOOL_H

#include "engine/build.h"
#include "engine/scratch_file.h"

/* Big enough that a write costs little beyond the copy, small enough that 8 threads with one each
 * leave most of the smallest budget alone. */
#define MR_SPOOL_CHUNK_BYTES (256u << 10)

struct mr_spool;

struct mr_spool_figures {
    uint64_t n_edges;
    uint64_t n_self_loops; /* edges with source == target, among them */
    uint64_t max_id; /* 0 when no edge was added */
    uint64_t n_chunks;
    uint64_t bytes; /* on disk */
};

/* A chunk in memory: `narrow` or `wide` is set, pairs of (source, target), into the reader's buffer. */
struct mr_spool_chunk {
    uint32_t n_edges;
    uint32_t (*narrow)[2];
    uint64_t (*wide)[2];
};

/* `directory`, `stem` and `use` as in scratch_file.h. With `swap` every edge is stored the other way
 * round. Destroy takes NULL. */
enum mr_status mr_spool_create(const struct mr_context *context, const char *directory,
                               const char *stem, bool swap, struct mr_scratch_use *use,
                               struct mr_spool **out, struct mr_error *err) MR_WARN_UNUSED;
void mr_spool_destroy(struct mr_spool *spool);

/* Add edges, from one thread. About 2 ns an edge and the copy into the page cache. */
enum mr_status mr_spool_add(struct mr_spool *spool, const struct mr_edge *edges, size_t n_edges,
                            struct mr_error *err) MR_WARN_UNUSED;

/* Write what is buffered and free the buffer: nothing is added any more. */
enum mr_status mr_spool_seal(struct mr_spool *spool, struct mr_error *err) MR_WARN_UNUSED;

/* Figures of what was added so far; n_chunks and bytes are final once sealed. */
struct mr_spool_figures mr_spool_figures(const struct mr_spool *spool);

/* Read chunk `index` of a sealed spool into `buffer[MR_SPOOL_CHUNK_BYTES]`, aligned to 8. Thread-safe. */
enum mr_status mr_spool_read(struct mr_spool *spool, uint64_t index, void *buffer,
                             struct mr_spool_chunk *chunk, struct mr_error *err) MR_WARN_UNUSED;

/* Give the disk space of chunk `index` back, once. Thread-safe. */
void mr_spool_discard(struct mr_spool *spool, uint64_t index);

#endif
