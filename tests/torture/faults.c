/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of the library of faults: reads the environment, decides at each call whether it fails,
 * and writes the report. Calls are told apart by their call stack, so that a run can try every
 * place of the program once instead of every turn of a loop. */
#include "tests/torture/faults.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MAX_FRAMES = 24, OWN_FRAMES = 2, N_SITES = 1 << 14, NAMED_FRAMES = 8 };

static struct {
    enum fault_class class;
    unsigned long at;
    bool and_after;
    unsigned long per_site;
    unsigned list; /* frames of the program that tell calls apart in the list; 0: no list */
    unsigned long clock_step, clock_signal;
    int report;
    uintptr_t base, begin, end; /* of the program's code */
} plan = {.report = -1};

static atomic_bool active;
static atomic_ulong counts[N_FAULT_CLASSES], clock_calls;
static atomic_flag sites_lock = ATOMIC_FLAG_INIT;
static struct {
    uint64_t hash;
    unsigned long n;
} sites[N_SITES];
static _Thread_local int paused __attribute__((tls_model("initial-exec")));

void fault_pause(void)
{
    paused++;
}

void fault_resume(void)
{
    paused--;
}

bool fault_is_paused(void)
{
    return paused > 0 || !atomic_load_explicit(&active, memory_order_relaxed);
}

void *fault_next(const char *name)
{
    fault_pause();
    void *function = dlsym(RTLD_NEXT, name);
    fault_resume();
    return function;
}

void fault_report(const char *format, ...)
{
    char line[4400];
    va_list arguments;
    if (plan.report < 0) {
        return;
    }
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length > 0) {
        size_t bytes = (size_t)length < sizeof line ? (size_t)length : sizeof line - 1;
        (void)syscall(SYS_write, plan.report, line, bytes);
    }
}

uintptr_t fault_offset_in_program(const void *address)
{
    uintptr_t at = (uintptr_t)address;
    return at >= plan.begin && at < plan.end ? at - plan.base : 0;
}

bool fault_is_planned(enum fault_class class)
{
    return (plan.class == class || plan.list > 0) && !fault_is_paused();
}

static const char *const class_names[N_FAULT_CLASSES] = {
    [FAULT_ALLOC] = "alloc",
    [FAULT_EIO] = "eio",
    [FAULT_ENOSPC] = "enospc",
    [FAULT_EINTR] = "eintr",
    [FAULT_SHORT] = "short",
    [FAULT_THREAD] = "thread",
    [FAULT_RING] = "ring",
    [FAULT_RING_EIO] = "ring-eio",
    [FAULT_RING_AGAIN] = "ring-again",
    [FAULT_RING_SHORT] = "ring-short",
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 1099511628211u;
    return hash ^ hash >> 29;
}

/* Is this one of the first calls from its place? */
static bool is_new_site(enum fault_class class, void *const *frames, int n)
{
    uint64_t hash = mix(14695981039346656037u, class);
    for (int i = OWN_FRAMES; i < n; i++) {
        hash = mix(hash, (uintptr_t)frames[i]);
    }
    hash |= 1;
    while (atomic_flag_test_and_set_explicit(&sites_lock, memory_order_acquire)) {
    }
    size_t at = hash % N_SITES;
    while (sites[at].hash != 0 && sites[at].hash != hash) {
        at = (at + 1) % N_SITES;
    }
    sites[at].hash = hash;
    bool is_new = sites[at].n++ < plan.per_site;
    atomic_flag_clear_explicit(&sites_lock, memory_order_release);
    return is_new;
}

/* Lists a call with a number for its nearest callers in the program. */
static void list_call(enum fault_class class, unsigned long number, const char *what,
                      void *const *frames, int n)
{
    uint64_t hash = 14695981039346656037u;
    unsigned used = 0;
    for (const char *at = what; *at != '\0'; at++) {
        hash = mix(hash, (unsigned char)*at);
    }
    for (int i = OWN_FRAMES; i < n && used < plan.list; i++) {
        uintptr_t offset = fault_offset_in_program(frames[i]);
        hash = mix(hash, offset);
        used += offset != 0;
    }
    fault_report("call %s %lu %llx\n", class_names[class], number, (unsigned long long)hash);
}

static void report_strike(const char *what, const char *path, void *const *frames, int n)
{
    char at[NAMED_FRAMES * 24] = "";
    size_t used = 0;
    int named = 0;
    for (int i = OWN_FRAMES; i < n && named < NAMED_FRAMES; i++) {
        uintptr_t offset = fault_offset_in_program(frames[i]);
        if (offset != 0) {
            used += (size_t)snprintf(at + used, sizeof at - used, " %#lx", (unsigned long)offset);
            named++;
        }
    }
    fault_report("fired %s\npath %s\nat%s\n", what, path != NULL ? path : "", at);
}

__attribute__((noinline)) bool fault_strikes(enum fault_class class, const char *what,
                                             const char *path)
{
    void *frames[MAX_FRAMES];
    int n = 0;
    if (!fault_is_planned(class)) {
        return false;
    }
    fault_pause();
    bool is_counted = true;
    if (plan.per_site > 0 || plan.list > 0) {
        n = backtrace(frames, MAX_FRAMES);
        is_counted = plan.per_site == 0 || is_new_site(class, frames, n);
    }
    unsigned long number =
        is_counted ? atomic_fetch_add(&counts[class], 1) + 1 : atomic_load(&counts[class]);
    if (is_counted && plan.list > 0) {
        list_call(class, number, what, frames, n);
    }
    bool strikes =
        plan.at > 0 && number >= plan.at && (plan.and_after || (is_counted && number == plan.at));
    if (strikes && is_counted && number == plan.at) {
        n = n > 0 ? n : backtrace(frames, MAX_FRAMES);
        report_strike(what, path, frames, n);
    }
    fault_resume();
    return strikes;
}

/* ---- The clock ---- */

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *time)
{
    static int (*next)(clockid_t, struct timespec *);
    if (next == NULL) {
        *(void **)&next = fault_next("clock_gettime");
    }
    int result = next(clock, time);
    if (plan.clock_step > 0 && !fault_is_paused()) {
        unsigned long calls = atomic_fetch_add(&clock_calls, 1) + 1;
        time->tv_sec += (time_t)(calls * plan.clock_step);
        if (calls == plan.clock_signal) {
            (void)raise(SIGINT);
        }
    }
    return result;
}

static void read_clock(const char *text)
{
    if (text != NULL) {
        char *end;
        plan.clock_step = strtoul(text, &end, 10);
        plan.clock_signal = *end == ':' ? strtoul(end + 1, NULL, 10) : 0;
    }
}

/* ---- Begin and end ---- */

static int find_program(struct dl_phdr_info *info, size_t bytes, void *data)
{
    (void)bytes, (void)data;
    plan.base = info->dlpi_addr;
    plan.begin = UINTPTR_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X) != 0) {
            uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            plan.begin = begin < plan.begin ? begin : plan.begin;
            plan.end = begin + info->dlpi_phdr[i].p_memsz;
        }
    }
    return 1; /* the program comes first */
}

static void read_plan(const char *text)
{
    const char *colon = text != NULL ? strchr(text, ':') : NULL;
    if (colon == NULL) {
        return;
    }
    for (unsigned i = 1; i < N_FAULT_CLASSES; i++) {
        size_t bytes = strlen(class_names[i]);
        if (bytes == (size_t)(colon - text) && memcmp(text, class_names[i], bytes) == 0) {
            char *end;
            plan.at = strtoul(colon + 1, &end, 10);
            plan.and_after = *end == '+';
            plan.class = (enum fault_class)i;
        }
    }
}

static int (*program_main)(int, char **, char **);

static int begin(int argc, char **argv, char **environment)
{
    void *frames[2];
    const char *report = getenv("MILLRACE_FAULT_REPORT");
    const char *per_site = getenv("MILLRACE_FAULT_SITES");
    (void)dl_iterate_phdr(find_program, NULL);
    (void)backtrace(frames, 2); /* loads the unwinder now, not at the first fault */
    fault_memory_begin();
    record_begin();
    plan.per_site = per_site != NULL ? strtoul(per_site, NULL, 10) : 0;
    if (report != NULL) {
        plan.report = (int)syscall(SYS_openat, AT_FDCWD, report,
                                   O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    }
    read_plan(getenv("MILLRACE_FAULT"));
    read_clock(getenv("MILLRACE_FAULT_CLOCK"));
    const char *list = getenv("MILLRACE_FAULT_LIST");
    plan.list = list != NULL ? (unsigned)strtoul(list, NULL, 10) : 0;
    (void)unsetenv("MILLRACE_FAULT");
    (void)unsetenv("LD_PRELOAD");
    atomic_store(&active, true);
    int code = program_main(argc, argv, environment);
    atomic_store(&active, false);
    fault_memory_end();
    fault_report("count %lu\nend %d\n", atomic_load(&counts[plan.class]), code);
    return code;
}

/* The C library's start calls the program's main through this function. */
int __libc_start_main(int (*main_function)(int, char **, char **), int argc, char **argv,
                      int (*init)(int, char **, char **), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end);

__attribute__((visibility("default"))) int
__libc_start_main(int (*main_function)(int, char **, char **), int argc, char **argv,
                  int (*init)(int, char **, char **), void (*fini)(void), void (*rtld_fini)(void),
                  void *stack_end)
{
    int (*next)(int (*)(int, char **, char **), int, char **, int (*)(int, char **, char **),
                void (*)(void), void (*)(void), void *);
    *(void **)&next = fault_next("__libc_start_main");
    program_main = main_function;
    return next(begin, argc, argv, init, fini, rtld_fini, stack_end);
}
