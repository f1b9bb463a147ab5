/* SPDX-License-Identifier: Apache-2.0 */
/* The memory budget. All large allocations of the library pass through this file, so that a run
 * stays below --memory and an error can say who holds what. The budget keeps two tables: `blocks`,
 * sorted by address, remembers the size of each allocation until it is freed; `holders` has one
 * entry per name, for error texts. Both are small: there are hundreds of large allocations and
 * dozens of names. */
#include "engine/base/memory.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/base/bytes.h"
#include "engine/base/count_text.h"

enum { MAX_HOLDERS = 64, NAMED_IN_ERROR = 3, FIRST_ITEMS = 64, IDLE_SHARE = 16 };

#define HUGE_PAGE_BYTES ((uint64_t)2 << 20)
#define BLOCK_ALIGNMENT ((uint64_t)4096)

struct block {
    char *start;
    uint64_t bytes; /* as requested; the charge is this number rounded up to pages */
    const char *name;
};

struct holder {
    const char *name;
    uint64_t bytes;
};

struct mr_memory {
    uint64_t limit_bytes;
    uint64_t page_bytes;
    /* Changed only under the mutex; the const functions read them without it. */
    _Atomic uint64_t held_bytes; /* includes the reserve, but not: */
    uint64_t idle_bytes;
    _Atomic uint64_t peak_bytes;
    _Atomic uint64_t foreseen_bytes, more_bytes; /* for the advice in errors */
    pthread_mutex_t mutex; /* guards everything below */
    struct block *blocks; /* [n_blocks], ascending start */
    size_t n_blocks;
    size_t room_for_blocks;
    /* entries are never removed; the last entry collects all further names */
    struct holder holders[MAX_HOLDERS];
    size_t n_holders;
};

/* ---- The table of names. The caller holds the mutex. ---- */

static struct holder *find_holder(struct mr_memory *memory, const char *name)
{
    for (size_t i = 0; i < memory->n_holders; i++) {
        if (strcmp(memory->holders[i].name, name) == 0) {
            return &memory->holders[i];
        }
    }
    /* Names are never removed. A name that shares the last entry therefore stays there, and its
     * discharges come off the same entry. */
    if (memory->n_holders == MAX_HOLDERS) {
        return &memory->holders[MAX_HOLDERS - 1];
    }
    struct holder *holder = &memory->holders[memory->n_holders++];
    holder->name = memory->n_holders == MAX_HOLDERS ? "others" : name;
    return holder;
}

/* Writes "sort buffer 40.0 MiB, read buffers 8.0 MiB, reserve 12.0 MiB", the largest holder
 * first. */
static void describe_holders(const struct mr_memory *memory, char *text, size_t text_bytes)
{
    bool named[MAX_HOLDERS] = {false};
    size_t used = 0;
    char amount[32];

    text[0] = '\0';
    for (int rank = 0; rank < NAMED_IN_ERROR; rank++) {
        const struct holder *biggest = NULL;
        for (size_t i = 0; i < memory->n_holders; i++) {
            const struct holder *holder = &memory->holders[i];
            if (!named[i] && holder->bytes > 0 &&
                (biggest == NULL || holder->bytes > biggest->bytes)) {
                biggest = holder;
            }
        }
        if (biggest == NULL) {
            break;
        }
        named[biggest - memory->holders] = true;
        int wrote = snprintf(text + used, text_bytes - used, "%s %s, ", biggest->name,
                             mr_size_text_of(biggest->bytes, memory->limit_bytes, amount));
        used = (size_t)mr_min_u64(used + (size_t)wrote, text_bytes - 1);
    }
    (void)snprintf(text + used, text_bytes - used, "reserve %s",
                   mr_size_text_of(MR_MEMORY_RESERVE_BYTES, memory->limit_bytes, amount));
}

/* ---- The charge. The caller holds the mutex. ---- */

static enum mr_status charge(struct mr_memory *memory, const char *name, uint64_t bytes,
                             struct mr_error *err)
{
    uint64_t held = atomic_load(&memory->held_bytes);
    if (bytes > memory->limit_bytes - held) {
        char holders[320], needs[32], left[32], limit[32], enough[32];
        const uint64_t total = held > UINT64_MAX - bytes ? UINT64_MAX : held + bytes;
        const uint64_t whole = memory->limit_bytes;
        describe_holders(memory, holders, sizeof holders);
        return mr_error_set(
            err, MR_ERROR_BUDGET,
            "out of memory budget: %s needs %s, %s of %s left (held: %s); it takes --memory %s "
            "or more",
            name, mr_size_text_of(bytes, whole, needs), mr_size_text_of(whole - held, whole, left),
            mr_size_text_of(whole, whole, limit), holders, mr_memory_enough(memory, total, enough));
    }
    held += bytes;
    atomic_store(&memory->held_bytes, held);
    if (held > atomic_load(&memory->peak_bytes)) {
        atomic_store(&memory->peak_bytes, held);
    }
    find_holder(memory, name)->bytes += bytes;
    return MR_OK;
}

static void discharge(struct mr_memory *memory, const char *name, uint64_t bytes)
{
    struct holder *holder = find_holder(memory, name);
    assert(holder->bytes >= bytes);
    holder->bytes -= bytes;
    atomic_store(&memory->held_bytes, atomic_load(&memory->held_bytes) - bytes);
}

/* ---- The table of blocks. The caller holds the mutex. ---- */

/* Index of the first block at or after `start`. */
static size_t find_block(const struct mr_memory *memory, const char *start)
{
    size_t low = 0, high = memory->n_blocks;
    MR_FIND_FIRST(low, high, middle, (uintptr_t)memory->blocks[middle].start < (uintptr_t)start);
    return low;
}

static enum mr_status reserve_block(struct mr_memory *memory, struct mr_error *err)
{
    if (memory->n_blocks < memory->room_for_blocks) {
        return MR_OK;
    }
    size_t room = memory->room_for_blocks == 0 ? 64 : 2 * memory->room_for_blocks;
    struct block *blocks = realloc(memory->blocks, room * sizeof *blocks);
    if (blocks == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the table of allocations");
    }
    memory->blocks = blocks;
    memory->room_for_blocks = room;
    return MR_OK;
}

static void insert_block(struct mr_memory *memory, struct block block)
{
    assert(memory->n_blocks < memory->room_for_blocks);
    size_t at = find_block(memory, block.start);
    memmove(&memory->blocks[at + 1], &memory->blocks[at], (memory->n_blocks - at) * sizeof block);
    memory->blocks[at] = block;
    memory->n_blocks++;
}

static struct block remove_block(struct mr_memory *memory, const char *start)
{
    size_t at = find_block(memory, start);
    if (at >= memory->n_blocks || memory->blocks[at].start != start) {
        abort(); /* This memory has no such block. Going on would free another one. */
    }
    struct block block = memory->blocks[at];
    memory->n_blocks--;
    memmove(&memory->blocks[at], &memory->blocks[at + 1], (memory->n_blocks - at) * sizeof block);
    return block;
}

/* ---- Address space ---- */

/* Maps fresh zeroed pages. From 2 MiB on they are aligned to 2 MiB, so that the kernel can back all
 * of them with huge pages. Returns NULL with errno set on failure. `bytes` is a multiple of the
 * page size. */
static char *map_pages(uint64_t bytes, int protection)
{
    uint64_t spare = bytes >= HUGE_PAGE_BYTES ? HUGE_PAGE_BYTES : 0;
    void *map = mmap(NULL, bytes + spare, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) {
        return NULL;
    }
    char *start = map;
    if (spare > 0) {
        uint64_t skipped = mr_round_up((uintptr_t)map, HUGE_PAGE_BYTES) - (uintptr_t)map;
        start += skipped;
        /* In practice the kernel always has the memory for trimming. If munmap fails, only address
         * space is lost. */
        if (skipped > 0) {
            (void)munmap(map, skipped);
        }
        if (skipped < spare) {
            (void)munmap(start + bytes, spare - skipped);
        }
    }
    return start;
}

static void advise_huge(char *start, uint64_t bytes)
{
    if (bytes >= HUGE_PAGE_BYTES) {
        /* some kernels refuse it; that only costs speed */
        (void)madvise(start, bytes, MADV_HUGEPAGE);
    }
}

/* Changes the size of a mapping by moving page tables, not bytes. Returns NULL on failure; the old
 * mapping is then unharmed. */
static char *remap_pages(char *start, uint64_t old_bytes, uint64_t new_bytes)
{
    bool aligned = (uintptr_t)start % HUGE_PAGE_BYTES == 0;
    if (new_bytes <= old_bytes || new_bytes < HUGE_PAGE_BYTES || aligned) {
        int flags = new_bytes < HUGE_PAGE_BYTES ? MREMAP_MAYMOVE : 0;
        void *map = mremap(start, old_bytes, new_bytes, flags);
        if (map != MAP_FAILED) {
            return map;
        }
        if (flags == MREMAP_MAYMOVE) {
            return NULL;
        }
    }
    /* There is no room behind the mapping, or it is not aligned: reserve an aligned range and move
     * the mapping there. */
    char *target = map_pages(new_bytes, PROT_NONE);
    if (target == NULL) {
        return NULL;
    }
    /* On failure the kernel may already have unmapped the target, and another thread may have got
     * that range. Leave the target alone: a reservation without access costs nothing. */
    void *map = mremap(start, old_bytes, new_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, target);
    return map == MAP_FAILED ? NULL : map;
}

static enum mr_status machine_has_no_more(const char *name, uint64_t bytes, struct mr_error *err)
{
    char needs[32];
    return mr_error_file(err, MR_ERROR_BUDGET, NULL, errno,
                         "out of memory: %s needs %s and the system refuses it", name,
                         mr_size_text(bytes, needs));
}

/* The charge for `bytes`, in whole pages. */
static enum mr_status pages_of(const struct mr_memory *memory, const char *name, uint64_t bytes,
                               uint64_t *out, struct mr_error *err)
{
    /* No allocation near the top of the address space can succeed. Refusing it here keeps every
     * later rounding and addition free of overflow. */
    if (bytes > (uint64_t)INT64_MAX - 2 * HUGE_PAGE_BYTES) {
        errno = ENOMEM;
        return machine_has_no_more(name, bytes, err);
    }
    *out = mr_round_up(bytes, memory->page_bytes);
    return MR_OK;
}

/* ---- Public ---- */

enum mr_status mr_memory_create(uint64_t limit_bytes, struct mr_memory **out, struct mr_error *err)
{
    *out = NULL;
    if (limit_bytes < MR_MEMORY_FLOOR_BYTES) {
        char limit[32];
        if (limit_bytes % 1000 == 0 || limit_bytes % 1024 == 0) {
            (void)mr_size_text_of(limit_bytes, limit_bytes, limit);
        } else {
            (void)snprintf(limit, sizeof limit, "%llu bytes", (unsigned long long)limit_bytes);
        }
        return mr_error_set(err, MR_ERROR_BUDGET,
                            "a memory budget of %s is too small; say --memory 34M or 32Mi", limit);
    }
    const enum mr_status status = mr_memory_check_stacks(err);
    if (status != MR_OK) {
        return status;
    }
    struct mr_memory *memory = calloc(1, sizeof *memory);
    if (memory == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the memory budget");
    }
    memory->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    memory->limit_bytes = limit_bytes;
    memory->page_bytes = mr_max_u64(BLOCK_ALIGNMENT, (uint64_t)sysconf(_SC_PAGESIZE));
    atomic_init(&memory->held_bytes, MR_MEMORY_RESERVE_BYTES);
    atomic_init(&memory->peak_bytes, MR_MEMORY_RESERVE_BYTES);
    atomic_init(&memory->foreseen_bytes, 0);
    atomic_init(&memory->more_bytes, 0);
    *out = memory;
    return MR_OK;
}

void mr_memory_destroy(struct mr_memory *memory)
{
    if (memory == NULL) {
        return;
    }
    assert(memory->n_blocks == 0);
    assert(atomic_load(&memory->held_bytes) == MR_MEMORY_RESERVE_BYTES);
    free(memory->blocks);
    free(memory);
}

enum mr_status(mr_memory_alloc)(struct mr_memory *memory, const char *name, uint64_t bytes,
                                void *out, struct mr_error *err)
{
    uint64_t pages_bytes = 0;
    void *start = NULL;

    assert(bytes > 0);
    memcpy(out, &start, sizeof start);
    enum mr_status status = pages_of(memory, name, bytes, &pages_bytes, err);
    if (status != MR_OK) {
        return status;
    }
    (void)pthread_mutex_lock(&memory->mutex);
    status = reserve_block(memory, err);
    if (status != MR_OK) {
        goto out;
    }
    status = charge(memory, name, pages_bytes, err);
    if (status != MR_OK) {
        goto out;
    }
    start = map_pages(pages_bytes, PROT_READ | PROT_WRITE);
    if (start == NULL) {
        status = machine_has_no_more(name, bytes, err);
        discharge(memory, name, pages_bytes);
        goto out;
    }
    advise_huge(start, pages_bytes);
    insert_block(memory, (struct block){.start = start, .bytes = bytes, .name = name});
    memcpy(out, &start, sizeof start);
out:
    (void)pthread_mutex_unlock(&memory->mutex);
    return status;
}

enum mr_status mr_memory_alloc_array(struct mr_memory *memory, const char *name, uint64_t count,
                                     uint64_t item_bytes, void *out, struct mr_error *err)
{
    void *const none = NULL;
    uint64_t bytes;
    const enum mr_status status = mr_memory_size(name, count, item_bytes, 0, &bytes, err);

    memcpy(out, &none, sizeof none);
    return status == MR_OK && bytes > 0 ? (mr_memory_alloc)(memory, name, bytes, out, err) : status;
}

enum mr_status mr_memory_alloc_arrays(struct mr_memory *memory,
                                      const struct mr_memory_wanted *wanted, size_t n_arrays,
                                      struct mr_error *err)
{
    enum mr_status status = MR_OK;
    for (size_t i = 0; i < n_arrays; i++) {
        const struct mr_memory_wanted *array = &wanted[i];
        const uint64_t count = status == MR_OK ? array->count : 0;
        const enum mr_status failed =
            mr_memory_alloc_array(memory, array->name, count, array->item_bytes, array->out, err);
        status = failed != MR_OK ? failed : status;
    }
    return status;
}

uint64_t mr_memory_of_arrays(const struct mr_memory_wanted *wanted, size_t n_arrays)
{
    const uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t sum = 0, bytes;
    for (size_t i = 0; i < n_arrays; i++) {
        if (mr_mul_overflows(wanted[i].count, wanted[i].item_bytes, &bytes) ||
            mr_add_overflows(bytes, page_bytes - 1, &bytes) ||
            mr_add_overflows(sum, bytes / page_bytes * page_bytes, &sum)) {
            return UINT64_MAX;
        }
    }
    return sum;
}

/* Resizes `block`, which is not in the table, to `bytes`. On success `block` describes the new
 * allocation, and `name` carries the charge. The caller holds the mutex. */
static enum mr_status resize_block(struct mr_memory *memory, const char *name, uint64_t bytes,
                                   struct block *block, struct mr_error *err)
{
    const struct block old = *block;
    uint64_t old_pages = mr_round_up(old.bytes, memory->page_bytes);
    uint64_t new_pages = mr_round_up(bytes, memory->page_bytes);
    char *start = old.start;

    if (new_pages > old_pages) {
        enum mr_status status = charge(memory, name, new_pages - old_pages, err);
        if (status != MR_OK) {
            return status;
        }
    }
    if (new_pages != old_pages) {
        start = remap_pages(old.start, old_pages, new_pages);
    }
    if (start == NULL) {
        enum mr_status status = machine_has_no_more(name, bytes, err);
        if (new_pages > old_pages) {
            discharge(memory, name, new_pages - old_pages);
        }
        return status;
    }
    if (bytes > old.bytes) {
        /* The rest of the last page may hold data from before an earlier shrinking. */
        memset(start + old.bytes, 0, mr_min_u64(bytes, old_pages) - old.bytes);
    }
    advise_huge(start, new_pages);
    /* Move the charge of the remaining pages from the old name to the new one. */
    find_holder(memory, old.name)->bytes -= old_pages;
    find_holder(memory, name)->bytes += mr_min_u64(old_pages, new_pages);
    if (new_pages < old_pages) {
        atomic_store(&memory->held_bytes,
                     atomic_load(&memory->held_bytes) - (old_pages - new_pages));
    }
    *block = (struct block){.start = start, .bytes = bytes, .name = name};
    return MR_OK;
}

enum mr_status(mr_memory_resize)(struct mr_memory *memory, const char *name, void *pointer,
                                 uint64_t bytes, struct mr_error *err)
{
    uint64_t pages_bytes;
    void *start;

    assert(bytes > 0);
    memcpy(&start, pointer, sizeof start);
    if (start == NULL) {
        return (mr_memory_alloc)(memory, name, bytes, pointer, err);
    }
    enum mr_status status = pages_of(memory, name, bytes, &pages_bytes, err);
    if (status != MR_OK) {
        return status;
    }
    (void)pthread_mutex_lock(&memory->mutex);
    struct block block = remove_block(memory, start);
    status = resize_block(memory, name, bytes, &block, err);
    insert_block(memory, block);
    memcpy(pointer, &block.start, sizeof start);
    (void)pthread_mutex_unlock(&memory->mutex);
    return status;
}

enum mr_status mr_memory_grow_array(struct mr_memory *memory, const char *name, uint64_t wanted,
                                    uint64_t item_bytes, void *array, uint64_t *room,
                                    struct mr_error *err)
{
    const uint64_t larger = mr_max_u64(wanted, *room + *room / 2 + FIRST_ITEMS);
    uint64_t bytes;

    if (wanted <= *room) {
        return MR_OK;
    }
    enum mr_status status = mr_memory_size(name, larger, item_bytes, 0, &bytes, err);
    if (status == MR_OK) {
        status = (mr_memory_resize)(memory, name, array, bytes, err);
    }
    *room = status == MR_OK ? larger : *room;
    return status;
}

void mr_memory_free(struct mr_memory *memory, void *pointer)
{
    if (pointer == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&memory->mutex);
    struct block block = remove_block(memory, pointer);
    (void)pthread_mutex_unlock(&memory->mutex);
    /* Unmap outside the mutex, because freeing 10 GiB of pages takes long. The charge stays until
     * the pages are gone, so that the budget never shows less than the process holds. */
    uint64_t pages_bytes = mr_round_up(block.bytes, memory->page_bytes);
    int failure = munmap(block.start, pages_bytes);
    assert(failure == 0);
    (void)failure;
    (void)pthread_mutex_lock(&memory->mutex);
    discharge(memory, block.name, pages_bytes);
    (void)pthread_mutex_unlock(&memory->mutex);
}

enum mr_status mr_memory_charge(struct mr_memory *memory, const char *name, uint64_t bytes,
                                struct mr_error *err)
{
    (void)pthread_mutex_lock(&memory->mutex);
    enum mr_status status = charge(memory, name, bytes, err);
    (void)pthread_mutex_unlock(&memory->mutex);
    return status;
}

void mr_memory_discharge(struct mr_memory *memory, const char *name, uint64_t bytes)
{
    (void)pthread_mutex_lock(&memory->mutex);
    discharge(memory, name, bytes);
    (void)pthread_mutex_unlock(&memory->mutex);
}

static void set_idle(struct mr_memory *memory, uint64_t bytes)
{
    const uint64_t all = atomic_load(&memory->held_bytes) + memory->idle_bytes;
    atomic_store(&memory->held_bytes, all - bytes);
    memory->idle_bytes = bytes;
}

bool mr_memory_idle(struct mr_memory *memory, uint64_t bytes)
{
    (void)pthread_mutex_lock(&memory->mutex);
    const bool fits = memory->idle_bytes + bytes <= memory->limit_bytes / IDLE_SHARE;
    if (fits) {
        set_idle(memory, memory->idle_bytes + bytes);
    }
    (void)pthread_mutex_unlock(&memory->mutex);
    return fits;
}

void mr_memory_wake(struct mr_memory *memory, uint64_t bytes)
{
    (void)pthread_mutex_lock(&memory->mutex);
    set_idle(memory, memory->idle_bytes - bytes);
    (void)pthread_mutex_unlock(&memory->mutex);
}

void mr_memory_foresee(struct mr_memory *memory, uint64_t total_bytes)
{
    atomic_store(&memory->foreseen_bytes, total_bytes);
}

void mr_memory_expect_more(struct mr_memory *memory, uint64_t bytes)
{
    atomic_store(&memory->more_bytes, bytes);
}

const char *mr_memory_enough(const struct mr_memory *memory, uint64_t total_bytes, char text[32])
{
    const uint64_t more = atomic_load(&memory->more_bytes);
    const uint64_t most = mr_max_u64(total_bytes, atomic_load(&memory->foreseen_bytes));
    return mr_size_option(most > UINT64_MAX - more ? UINT64_MAX : most + more, memory->limit_bytes,
                          text);
}

uint64_t mr_memory_limit(const struct mr_memory *memory)
{
    return memory->limit_bytes;
}

uint64_t mr_memory_available(const struct mr_memory *memory)
{
    return memory->limit_bytes - atomic_load(&memory->held_bytes);
}

uint64_t mr_memory_peak(const struct mr_memory *memory)
{
    return atomic_load(&memory->peak_bytes);
}

enum mr_status mr_memory_size(const char *name, uint64_t count, uint64_t size, uint64_t extra,
                              uint64_t *out, struct mr_error *err)
{
    if (mr_mul_overflows(count, size, out) || mr_add_overflows(*out, extra, out)) {
        return mr_error_set(err, MR_ERROR_BUDGET, "%s of %llu entries exceeds any memory", name,
                            (unsigned long long)count);
    }
    return MR_OK;
}
