/* The memory budget: every big allocation goes through it, by name.
 *
 * `--memory` bounds the whole process. The budget therefore starts with a fixed reserve for what is
 * not counted one by one (program text, stacks, library state), and every array, buffer and
 * compression context of size is charged to it. When it runs out the error says who asked for how
 * much and who holds the rest, so that a user knows which flag to turn. Thread-safe. */
#ifndef MR_ENGINE_BASE_MEMORY_H
#define MR_ENGINE_BASE_MEMORY_H

#include "engine/base/error.h"

struct mr_memory;

#define MR_MEMORY_RESERVE_BYTES (12u << 20) /* uncounted: text, stacks, stdio, library state */
#define MR_MEMORY_FLOOR_BYTES   (32u << 20) /* smallest budget accepted, vertex arrays besides */

/* A budget of `limit_bytes` for the process, UINT64_MAX for none. Free with mr_memory_destroy,
 * which takes NULL and asserts that everything was given back. */
enum mr_status mr_memory_create(uint64_t limit_bytes, struct mr_memory **out,
                                struct mr_error *err) MR_WARN_UNUSED;
void mr_memory_destroy(struct mr_memory *memory);

/* Allocate `bytes` (> 0) of zeroed memory, aligned to 4096 bytes; from 2 MiB on, aligned to 2 MiB
 * and advised to be huge pages. `name` (static string) says what it is for: "rank vector", "sort
 * buffer". MR_ERROR_BUDGET when the budget or the machine has too little. */
enum mr_status mr_memory_alloc(struct mr_memory *memory, const char *name, uint64_t bytes,
                               void **out, struct mr_error *err) MR_WARN_UNUSED;

/* The same for an array of `count` items, with the multiplication checked; no items are NULL. `out`
 * points to the pointer to the array, of whatever type: mr_memory_array takes the size of an item from
 * that type. */
enum mr_status mr_memory_alloc_array(struct mr_memory *memory, const char *name, uint64_t count,
                                     uint64_t item_bytes, void *out,
                                     struct mr_error *err) MR_WARN_UNUSED;
#define mr_memory_array(memory, name, count, out, err)                                             \
    mr_memory_alloc_array((memory), (name), (count), sizeof **(out), (out), (err))

/* Several arrays, in order. All pointers are set: on failure those not reached are NULL, and those
 * before stay with the caller, who frees all of them alike. */
struct mr_memory_wanted {
    const char *name;
    uint64_t count, item_bytes;
    void *out;
};
#define MR_WANTED(name, count, out)                                                                \
    {                                                                                              \
        (name), (count), sizeof **(out), (out)                                                     \
    }
enum mr_status mr_memory_alloc_arrays(struct mr_memory *memory,
                                      const struct mr_memory_wanted *wanted, size_t n_arrays,
                                      struct mr_error *err) MR_WARN_UNUSED;
/* Those of a local array of struct mr_memory_wanted. */
#define mr_memory_arrays(memory, wanted, err)                                                      \
    mr_memory_alloc_arrays((memory), (wanted), sizeof(wanted) / sizeof(wanted)[0], (err))

/* Grow or shrink an allocation, contents kept up to the smaller size, growth zeroed. `*pointer` may
 * be NULL (then it allocates). On failure `*pointer` stays valid and unchanged. */
enum mr_status mr_memory_resize(struct mr_memory *memory, const char *name, void **pointer,
                                uint64_t bytes, struct mr_error *err) MR_WARN_UNUSED;

/* Give an allocation back. NULL is allowed. */
void mr_memory_free(struct mr_memory *memory, void *pointer);

/* Charge memory that a library allocates itself (zstd contexts, inflate windows). */
enum mr_status mr_memory_charge(struct mr_memory *memory, const char *name, uint64_t bytes,
                                struct mr_error *err) MR_WARN_UNUSED;
void mr_memory_discharge(struct mr_memory *memory, const char *name, uint64_t bytes);

uint64_t mr_memory_limit(const struct mr_memory *memory); /* as given to create */
uint64_t mr_memory_available(const struct mr_memory *memory); /* limit - reserve - held, >= 0 */
uint64_t mr_memory_peak(const struct mr_memory *memory); /* highest held, reserve included */

/* Bytes this process could still get: the least of MemAvailable and what its cgroups (v1 and v2,
 * every ancestor) leave. Reads /proc and /sys; on failure falls back to physical memory. */
uint64_t mr_memory_of_machine(void);

/* `count * size + extra`, MR_ERROR_BUDGET naming `name` on overflow of 64 bits. */
enum mr_status mr_memory_size(const char *name, uint64_t count, uint64_t size, uint64_t extra,
                              uint64_t *out, struct mr_error *err) MR_WARN_UNUSED;

#endif
