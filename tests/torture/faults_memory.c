/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations and threads that fail, and leaks. Every allocation of the process comes here, those
 * of libraries included. For those that the program's own code makes, the library remembers where;
 * what is still there when main returns is reported as a leak. Memory that libraries keep for their
 * next use is none of the program's. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tests/torture/faults.h"

#define API __attribute__((visibility("default")))

enum { ARENA_BYTES = 1 << 20, N_LIVE = 1 << 14, MAX_LEAKS = 20 };

/* The C library allocates before the next malloc is known. */
static struct {
    _Alignas(64) char bytes[ARENA_BYTES];
    atomic_size_t used;
} arena;

static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void *(*next_memalign)(size_t, size_t);
static void (*next_free)(void *);

static atomic_bool tracking;
static atomic_flag live_lock = ATOMIC_FLAG_INIT;
static struct {
    uintptr_t at; /* 0: free, 1: was used */
    uintptr_t site;
    size_t bytes;
} live[N_LIVE];

__attribute__((constructor)) static void find_next(void)
{
    *(void **)&next_free = fault_next("free");
    *(void **)&next_calloc = fault_next("calloc");
    *(void **)&next_realloc = fault_next("realloc");
    *(void **)&next_memalign = fault_next("memalign");
    *(void **)&next_malloc = fault_next("malloc");
}

static void *from_arena(size_t bytes, size_t alignment)
{
    size_t rounded = (bytes + alignment + 63) & ~(size_t)63;
    size_t at = atomic_fetch_add(&arena.used, rounded);
    if (at + rounded > ARENA_BYTES) {
        abort();
    }
    uintptr_t address = (uintptr_t)arena.bytes + at;
    return (void *)((address + alignment - 1) & ~(uintptr_t)(alignment - 1));
}

static bool is_from_arena(const void *memory)
{
    const char *at = memory;
    return at >= arena.bytes && at < arena.bytes + ARENA_BYTES;
}

/* ---- Leaks ---- */

static void lock_live(void)
{
    while (atomic_flag_test_and_set_explicit(&live_lock, memory_order_acquire)) {
    }
}

static void unlock_live(void)
{
    atomic_flag_clear_explicit(&live_lock, memory_order_release);
}

static size_t slot_of(uintptr_t address)
{
    return (size_t)((address >> 4) * 11400714819323198485u >> 40) % N_LIVE;
}

static void *remember(void *memory, size_t bytes, const void *caller)
{
    if (memory == NULL || !atomic_load_explicit(&tracking, memory_order_relaxed) ||
        fault_is_paused()) {
        return memory;
    }
    uintptr_t site = fault_offset_in_program(caller);
    if (site == 0) {
        return memory;
    }
    lock_live();
    size_t at = slot_of((uintptr_t)memory), n = 0;
    while (live[at].at > 1 && n++ < N_LIVE) {
        at = (at + 1) % N_LIVE;
    }
    if (n < N_LIVE) {
        live[at].at = (uintptr_t)memory;
        live[at].site = site;
        live[at].bytes = bytes;
    }
    unlock_live();
    return memory;
}

static void forget(const void *memory)
{
    if (!atomic_load_explicit(&tracking, memory_order_relaxed)) {
        return;
    }
    lock_live();
    size_t at = slot_of((uintptr_t)memory), n = 0;
    while (live[at].at != 0 && live[at].at != (uintptr_t)memory && n++ < N_LIVE) {
        at = (at + 1) % N_LIVE;
    }
    if (live[at].at == (uintptr_t)memory) {
        live[at].at = 1;
    }
    unlock_live();
}

void fault_memory_begin(void)
{
    atomic_store(&tracking, true);
}

void fault_memory_end(void)
{
    unsigned n = 0;
    atomic_store(&tracking, false);
    for (size_t i = 0; i < N_LIVE; i++) {
        if (live[i].at > 1 && n++ < MAX_LEAKS) {
            fault_report("leak %#lx %zu\n", (unsigned long)live[i].site, live[i].bytes);
        }
    }
}

/* ---- Allocations ---- */

#define CALLER __builtin_return_address(0)

static bool fails(const char *what)
{
    if (fault_strikes(FAULT_ALLOC, what, NULL)) {
        errno = ENOMEM;
        return true;
    }
    return false;
}

API void *malloc(size_t bytes)
{
    if (next_malloc == NULL) {
        return from_arena(bytes, 16);
    }
    return fails("malloc") ? NULL : remember(next_malloc(bytes), bytes, CALLER);
}

API void *calloc(size_t n, size_t bytes)
{
    if (next_malloc == NULL) {
        return from_arena(n * bytes, 16); /* zero, and never used before */
    }
    return fails("calloc") ? NULL : remember(next_calloc(n, bytes), n * bytes, CALLER);
}

API void *realloc(void *memory, size_t bytes)
{
    if (next_malloc == NULL || is_from_arena(memory)) {
        void *copy = next_malloc == NULL ? from_arena(bytes, 16) : next_malloc(bytes);
        if (copy != NULL && memory != NULL) {
            size_t room = (size_t)(arena.bytes + ARENA_BYTES - (char *)memory);
            memcpy(copy, memory, bytes < room ? bytes : room);
        }
        return copy;
    }
    if (fails("realloc")) {
        return NULL;
    }
    /* While realloc works, another thread may get the old address. */
    if (memory != NULL) {
        forget(memory);
    }
    void *moved = next_realloc(memory, bytes);
    (void)remember(moved != NULL ? moved : memory, bytes, CALLER);
    return moved;
}

API void *memalign(size_t alignment, size_t bytes)
{
    if (next_malloc == NULL) {
        return from_arena(bytes, alignment);
    }
    return fails("memalign") ? NULL : remember(next_memalign(alignment, bytes), bytes, CALLER);
}

API void *aligned_alloc(size_t alignment, size_t bytes)
{
    if (next_malloc == NULL) {
        return from_arena(bytes, alignment);
    }
    return fails("aligned_alloc") ? NULL : remember(next_memalign(alignment, bytes), bytes, CALLER);
}

API int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    if (next_malloc == NULL) {
        *out = from_arena(bytes, alignment);
        return 0;
    }
    if (fails("posix_memalign")) {
        return ENOMEM;
    }
    void *memory = remember(next_memalign(alignment, bytes), bytes, CALLER);
    if (memory == NULL) {
        return ENOMEM;
    }
    *out = memory;
    return 0;
}

API void free(void *memory)
{
    if (memory != NULL && !is_from_arena(memory)) {
        forget(memory);
        next_free(memory);
    }
}

API char *strndup(const char *text, size_t most)
{
    size_t bytes = strnlen(text, most);
    if (fails("strndup")) {
        return NULL;
    }
    char *copy = remember(next_malloc(bytes + 1), bytes + 1, CALLER);
    if (copy != NULL) {
        memcpy(copy, text, bytes);
        copy[bytes] = '\0';
    }
    return copy;
}

API char *strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    if (next_malloc == NULL) {
        return memcpy(from_arena(bytes, 16), text, bytes);
    }
    if (fails("strdup")) {
        return NULL;
    }
    char *copy = remember(next_malloc(bytes), bytes, CALLER);
    return copy != NULL ? memcpy(copy, text, bytes) : NULL;
}

#define MAP(NAME)                                                                                  \
    API void *NAME(void *address, size_t bytes, int protection, int flags, int fd, long offset)    \
    {                                                                                              \
        static void *(*next)(void *, size_t, int, int, int, long);                                 \
        if (next == NULL) {                                                                        \
            *(void **)&next = fault_next(#NAME);                                                   \
        }                                                                                          \
        return fails(#NAME) ? (void *)-1 : next(address, bytes, protection, flags, fd, offset);    \
    }

MAP(mmap)
MAP(mmap64)

/* ---- Threads ---- */

API int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                       void *(*function)(void *), void *argument)
{
    static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (next == NULL) {
        *(void **)&next = fault_next("pthread_create");
    }
    if (fault_strikes(FAULT_THREAD, "pthread_create", NULL)) {
        return EAGAIN;
    }
    /* The memory that the C library takes for a thread is part of "a thread cannot be made". */
    fault_pause();
    int result = next(thread, attributes, function, argument);
    fault_resume();
    return result;
}
