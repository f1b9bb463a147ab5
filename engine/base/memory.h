/* SPDX-License-Identifier: Apache-2.0 */
/* The memory budget: every large allocation is charged to it by name.
 *
 * `--memory` bounds the whole process. The budget therefore starts with a fixed reserve for memory
 * that is not counted one by one (program text, stacks, library state). Every large array, buffer
 * and compression context is charged to it. If the budget does not suffice, the error says who
 * asked for how much and who holds the rest, so that a user knows which flag to change.
 * Thread-safe. */
#ifndef MR_ENGINE_BASE_MEMORY_H
#define MR_ENGINE_BASE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/error.h"

struct mr_memory;

#define MR_MEMORY_RESERVE_BYTES (12u << 20) /* uncounted: text, stacks, stdio, library state */
#define MR_MEMORY_FLOOR_BYTES   (32u << 20) /* smallest budget; vertex arrays come on top */

/* Creates a budget of `limit_bytes` for the process; UINT64_MAX means no limit. Free it with
 * mr_memory_destroy, which takes NULL and asserts that every allocation was freed. */
enum mr_status mr_memory_create(uint64_t limit_bytes, struct mr_memory **out,
                                struct mr_error *err) MR_WARN_UNUSED;
void mr_memory_destroy(struct mr_memory *memory);

/* Allocates `bytes` (> 0) of zeroed memory, aligned to 4096 bytes. From 2 MiB on the memory is
 * aligned to 2 MiB and advised to use huge pages. `name` is a static string that says what the
 * memory is for: "rank vector", "sort buffer". `out` points to a pointer of any type. Free it with
 * mr_memory_free. Returns MR_ERROR_BUDGET if the budget or the machine has too little. */
enum mr_status mr_memory_alloc(struct mr_memory *memory, const char *name, uint64_t bytes,
                               void *out, struct mr_error *err) MR_WARN_UNUSED;
/* Compiles only if `out` points to a pointer: a forgotten & is an error. */
#define MR_OUT_POINTER(out) ((out) + 0 * sizeof(*(out) == NULL))
#define mr_memory_alloc(memory, name, bytes, out, err)                                             \
    mr_memory_alloc((memory), (name), (bytes), MR_OUT_POINTER(out), (err))

/* The same for an array of `count` items; the multiplication is checked. A count of 0 gives NULL.
 * mr_memory_array takes the size of an item from the type of the pointer. */
enum mr_status mr_memory_alloc_array(struct mr_memory *memory, const char *name, uint64_t count,
                                     uint64_t item_bytes, void *out,
                                     struct mr_error *err) MR_WARN_UNUSED;
#define mr_memory_array(memory, name, count, out, err)                                             \
    mr_memory_alloc_array((memory), (name), (count), sizeof **(out), (out), (err))

/* Several arrays, allocated in order. All pointers are set. On failure the arrays before the failed
 * one stay allocated and the other pointers are NULL; the caller frees all of them in the same
 * way. */
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
/* What they would be charged: for plans, which have the same list. UINT64_MAX: more than that. */
uint64_t mr_memory_of_arrays(const struct mr_memory_wanted *wanted, size_t n_arrays);
/* Allocates all arrays of a local array of struct mr_memory_wanted. */
#define mr_memory_arrays(memory, wanted, err)                                                      \
    mr_memory_alloc_arrays((memory), (wanted), sizeof(wanted) / sizeof(wanted)[0], (err))

/* Makes room for `wanted` items in an array that grows, at least by half, so that many items can be
 * added one by one. `array` points to the pointer to the array, of any type, and `*room` is the
 * number of items that it has room for. On failure both stay as they are. */
enum mr_status mr_memory_grow_array(struct mr_memory *memory, const char *name, uint64_t wanted,
                                    uint64_t item_bytes, void *array, uint64_t *room,
                                    struct mr_error *err) MR_WARN_UNUSED;
#define mr_memory_grow(memory, name, wanted, array, room, err)                                     \
    mr_memory_grow_array((memory), (name), (wanted), sizeof **(array), (array), (room), (err))

/* Grows or shrinks an allocation. Contents stay up to the smaller size, and new bytes are zero.
 * `pointer` points to a pointer of any type, which may be NULL; the function then allocates. On
 * failure that pointer stays valid and unchanged. */
enum mr_status mr_memory_resize(struct mr_memory *memory, const char *name, void *pointer,
                                uint64_t bytes, struct mr_error *err) MR_WARN_UNUSED;
#define mr_memory_resize(memory, name, pointer, bytes, err)                                        \
    mr_memory_resize((memory), (name), MR_OUT_POINTER(pointer), (bytes), (err))

/* Frees an allocation. NULL is allowed. */
void mr_memory_free(struct mr_memory *memory, void *pointer);

/* Charges memory that another library allocates itself (zstd contexts, inflate windows). */
enum mr_status mr_memory_charge(struct mr_memory *memory, const char *name, uint64_t bytes,
                                struct mr_error *err) MR_WARN_UNUSED;
void mr_memory_discharge(struct mr_memory *memory, const char *name, uint64_t bytes);

/* `bytes` of what is held are idle from now on: kept only so that a later call need not make them
 * again. They do not count until mr_memory_wake, so that a budget leaves room for the same things
 * whatever was done before. False, and they count on, if more than a sixteenth of the limit would
 * be idle. */
bool mr_memory_idle(struct mr_memory *memory, uint64_t bytes);
void mr_memory_wake(struct mr_memory *memory, uint64_t bytes);

/* Says that the run will hold `total_bytes` at once, reserve included, as far as the caller can
 * tell now; the last call counts. An error about the budget then asks for at least this much, so
 * that the user raises --memory once. It neither charges nor refuses anything. */
void mr_memory_foresee(struct mr_memory *memory, uint64_t total_bytes);
/* Says that a later stage holds `bytes` more than the present one, beside the same things: errors
 * ask for these too. The last call counts. */
void mr_memory_expect_more(struct mr_memory *memory, uint64_t bytes);
/* Writes the size that an error about the budget asks for, such as "34M" or "33Mi" (count_text.h),
 * if the caller itself needs `total_bytes`. Returns `text`. */
const char *mr_memory_enough(const struct mr_memory *memory, uint64_t total_bytes, char text[32]);

uint64_t mr_memory_limit(const struct mr_memory *memory); /* as given to mr_memory_create */
uint64_t mr_memory_available(const struct mr_memory *memory); /* limit - reserve - held, >= 0 */
/* highest sum of charges, reserve included */
uint64_t mr_memory_peak(const struct mr_memory *memory);

/* The bytes that this process can still get: the minimum of MemAvailable and of what its cgroups
 * (v1 and v2, every ancestor) leave. Reads /proc and /sys; on failure returns the size of physical
 * memory. */
uint64_t mr_memory_of_machine(void);

/* Computes `count * size + extra`. On overflow of 64 bits it returns MR_ERROR_BUDGET with a message
 * that has `name`. */
enum mr_status mr_memory_size(const char *name, uint64_t count, uint64_t size, uint64_t extra,
                              uint64_t *out, struct mr_error *err) MR_WARN_UNUSED;

/* ---- The machine (memory_machine.c) ---- */

/* Like mr_memory_of_machine, but reads `root`/proc/meminfo, `root`/proc/self/cgroup,
 * `root`/proc/self/mountinfo and the cgroup files below `root`. "" is the real machine. */
uint64_t mr_memory_of_machine_below(const char *root);

/* The bytes of a stack that the environment gives the threads of OpenMP, and in `*name`, which may
 * be NULL, the variable that does. UINT64_MAX: none. */
uint64_t mr_memory_openmp_stack(const char **name);

/* Refuses a limit of stacks below 256 KiB, of this thread or of those of OpenMP: they would
 * overflow without a message. Errors: BUDGET, with what to set. */
enum mr_status mr_memory_check_stacks(struct mr_error *err) MR_WARN_UNUSED;

#endif
