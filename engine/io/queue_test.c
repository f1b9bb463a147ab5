/* SPDX-License-Identifier: Apache-2.0 */
/* Read queues with both back ends, against a copy of the file: order, short files, errors, threads
 * and memory. */
#include "engine/io/queue.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>

#include "engine/base/memory.h"
#include "tests/support/io_fault.h"
#include "tests/support/test.h"
#include "tests/support/test_dir.h"

enum { PAGE = 4096, FILE_PAGES = 512, FILE_BYTES = FILE_PAGES * PAGE, SLOT_BYTES = 16 * PAGE };

static uint8_t content[FILE_BYTES]; /* the bytes of the file: the oracle */

struct fixture {
    struct test_dir dir, shm; /* shm.path is "" if there is none */
    struct mr_io *io;
    struct mr_memory *memory;
    struct mr_context context;
    struct mr_error err;
    bool has_uring;
};

static void take_note(void *data, const char *note)
{
    *(unsigned *)data += strstr(note, "reading with pread") != NULL;
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct mr_queue *queue = NULL;
    char path[PATH_MAX];
    uint64_t seed = 42;

    *state = f;
    for (size_t i = 0; i < FILE_BYTES; i += 8) {
        uint64_t value = test_random(&seed);
        memcpy(content + i, &value, 8);
    }
    if (!test_dir_make(&f->dir, NULL) || mr_io_create_real(&f->io, NULL) != MR_OK ||
        mr_memory_create(64u << 20, &f->memory, NULL) != MR_OK ||
        !test_dir_write(test_dir_path(&f->dir, "file", path), content, FILE_BYTES)) {
        return 1;
    }
    if (!test_dir_make(&f->shm, "/dev/shm") ||
        !test_dir_write(test_dir_path(&f->shm, "file", path), content, FILE_BYTES)) {
        f->shm.path[0] = '\0';
    }
    f->context = (struct mr_context){.memory = f->memory, .io = f->io, .threads = 1};
    f->context.backend = MR_QUEUE_URING;
    f->has_uring = mr_queue_create(&f->context, 1, PAGE, &queue, NULL) == MR_OK;
    f->context.backend = MR_QUEUE_AUTO;
    mr_queue_destroy(queue);
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    mr_memory_destroy(f->memory); /* asserts that every queue freed its buffers */
    mr_io_destroy(f->io);
    test_dir_remove(&f->dir);
    if (f->shm.path[0] != '\0') {
        test_dir_remove(&f->shm);
    }
    free(f);
    return 0;
}

static struct mr_file *open_file(struct mr_io *io, const struct test_dir *dir, unsigned flags)
{
    char path[PATH_MAX];
    struct mr_file *file = NULL;
    assert_int_equal(
        mr_file_open(io, test_dir_path(dir, "file", path), MR_OPEN_READ | flags, &file, NULL),
        MR_OK);
    return file;
}

static struct mr_queue *open_queue(struct fixture *f, enum mr_queue_backend backend, unsigned depth)
{
    struct mr_queue *queue = NULL;
    f->context.backend = backend;
    assert_int_equal(mr_queue_create(&f->context, depth, SLOT_BYTES, &queue, &f->err), MR_OK);
    return queue;
}

static void assert_no_failure(const char *failure)
{
    assert_string_equal(failure != NULL ? failure : "", "");
}

struct extent {
    uint64_t offset, bytes;
};

static struct extent random_extent(uint64_t *seed, bool aligned)
{
    uint64_t unit = aligned ? PAGE : 1;
    struct extent extent;
    extent.bytes = unit * (1 + test_random(seed) % (SLOT_BYTES / unit));
    extent.offset = unit * (test_random(seed) % ((FILE_BYTES - extent.bytes) / unit + 1));
    return extent;
}

/* Pushes extents from `*pushed` on while there is room. */
static bool fill(struct mr_queue *queue, struct mr_file *file, const struct extent *extents,
                 unsigned n_extents, unsigned *pushed)
{
    for (; *pushed < n_extents && mr_queue_has_room(queue); ++*pushed) {
        if (mr_queue_push(queue, file, extents[*pushed].offset, extents[*pushed].bytes,
                          1000 + *pushed, NULL) != MR_OK) {
            return false;
        }
    }
    return true;
}

/* Reads random extents and compares each with the oracle after the next pushes, which must not
 * change the buffer of the last pop. Returns NULL or a description of the failure, because threads
 * without cmocka call it, too. */
static const char *stream(struct mr_queue *queue, struct mr_file *file, uint64_t seed,
                          unsigned n_extents)
{
    enum { MAX = 256 };
    struct extent extents[MAX] = {{0, 0}};
    unsigned pushed = 0;

    for (unsigned i = 0; i < n_extents; i++) {
        extents[i] = random_extent(&seed, mr_file_is_direct(file));
    }
    if (!fill(queue, file, extents, n_extents, &pushed)) {
        return "push failed";
    }
    for (unsigned popped = 0; popped < n_extents; popped++) {
        uint8_t *data = NULL;
        uint64_t tag = 0, wait_ns = UINT64_MAX;
        if (mr_queue_pop(queue, &data, &tag, &wait_ns, NULL) != MR_OK) {
            return "pop failed";
        }
        if (!fill(queue, file, extents, n_extents, &pushed)) {
            return "push failed";
        }
        if (tag != 1000 + popped || wait_ns == UINT64_MAX || (uintptr_t)data % PAGE != 0) {
            return "wrong tag, time or alignment";
        }
        if (memcmp(data, content + extents[popped].offset, extents[popped].bytes) != 0) {
            return "wrong bytes";
        }
        volatile uint8_t slack = data[extents[popped].bytes + MR_QUEUE_SLACK_BYTES - 1];
        (void)slack;
    }
    return mr_queue_pending(queue) == 0 ? NULL : "reads left over";
}

static void both_back_ends_read_the_same_bytes_at_any_depth(void **state)
{
    struct fixture *f = *state;
    const struct test_dir *dirs[] = {&f->dir, &f->shm};
    for (int backend = f->has_uring ? MR_QUEUE_URING : MR_QUEUE_PREAD; backend <= MR_QUEUE_PREAD;
         backend++) {
        for (int i = 0; i < 4; i++) {
            const struct test_dir *dir = dirs[i / 2];
            if (dir->path[0] == '\0') {
                continue;
            }
            struct mr_file *file = open_file(f->io, dir, i % 2 == 0 ? 0 : MR_OPEN_DIRECT);
            bool registered = false;
            for (unsigned depth = 1; depth <= 16; depth++) {
                struct mr_queue *queue = open_queue(f, (enum mr_queue_backend)backend, depth);
                assert_int_equal(mr_memory_available(f->memory),
                                 (52u << 20) - mr_queue_memory(depth, SLOT_BYTES));
                assert_int_equal(mr_queue_get_backend(queue, &registered), backend);
                assert_no_failure(stream(queue, file, depth, 100));
                mr_queue_destroy(queue);
            }
            print_message("%s: %s, %s%s\n", dir->path,
                          backend == MR_QUEUE_URING ? "io_uring" : "pread",
                          mr_file_is_direct(file) ? "direct" : "buffered",
                          registered ? ", registered buffers" : "");
            mr_file_abandon(file);
        }
    }
}

static void a_file_that_ends_early_is_corrupt(void **state)
{
    struct fixture *f = *state;
    char path[PATH_MAX];
    assert_int_equal(truncate(test_dir_path(&f->dir, "file", path), 10 * PAGE + 100), 0);
    for (int i = 0; i < 4; i++) {
        if (i / 2 == 0 && !f->has_uring) {
            continue;
        }
        struct mr_queue *queue = open_queue(f, i / 2 == 0 ? MR_QUEUE_URING : MR_QUEUE_PREAD, 4);
        struct mr_file *file = open_file(f->io, &f->dir, i % 2 == 0 ? 0 : MR_OPEN_DIRECT);
        uint8_t *data = NULL;
        uint64_t tag = 0;
        /* One before the end, one across the end, one beyond the end, one more before the end. */
        static const uint64_t offsets[] = {0, 8 * PAGE, 20 * PAGE, 6 * PAGE};
        for (uint64_t k = 0; k < 4; k++) {
            assert_int_equal(mr_queue_push(queue, file, offsets[k], 4 * PAGE, k, NULL), MR_OK);
        }
        struct mr_error err = {.status = MR_OK};
        assert_int_equal(mr_queue_pop(queue, &data, &tag, NULL, &err), MR_OK);
        assert_memory_equal(data, content, 4 * PAGE);
        assert_int_equal(mr_queue_pop(queue, &data, &tag, NULL, &err), MR_ERROR_CORRUPT);
        assert_int_equal(tag, 1);
        assert_int_equal(err.position, 8 * PAGE);
        assert_string_equal(err.file, mr_file_path(file));
        assert_string_equal(err.message,
                            "file ends at 41060, 8092 bytes short of what is recorded; "
                            "it is truncated");
        assert_int_equal(mr_queue_pop(queue, &data, &tag, NULL, NULL), MR_ERROR_CORRUPT);
        assert_int_equal(mr_queue_pop(queue, &data, &tag, NULL, NULL), MR_OK);
        assert_int_equal(tag, 3);
        assert_memory_equal(data, content + 6 * PAGE, 4 * PAGE);
        mr_queue_destroy(queue);
        mr_file_abandon(file);
    }
}

/* Reads 20 extents through a failing io; returns how many reads popped without error before the
 * first error. */
static unsigned reads_before_error(struct fixture *f, enum mr_queue_backend backend,
                                   struct mr_fault_plan plan, struct mr_error *err)
{
    struct mr_io *real = NULL, *io = NULL;
    assert_int_equal(mr_io_create_real(&real, NULL), MR_OK);
    assert_int_equal(mr_io_create_fault(real, &plan, &io, NULL), MR_OK);
    struct mr_file *file = open_file(io, &f->dir, 0);
    struct mr_queue *queue = open_queue(f, backend, 4);
    unsigned popped = 0, good = 0;
    bool failed = false;
    for (unsigned pushed = 0; popped < 20; popped++) {
        uint8_t *data = NULL;
        uint64_t tag = 0;
        for (; pushed < 20 && mr_queue_has_room(queue); pushed++) {
            assert_int_equal(mr_queue_push(queue, file, pushed * PAGE, 2 * PAGE, pushed, NULL),
                             MR_OK);
        }
        enum mr_status status = mr_queue_pop(queue, &data, &tag, NULL, err);
        assert_int_equal(tag, popped);
        if (status == MR_OK) {
            assert_memory_equal(data, content + tag * PAGE, 2 * PAGE);
        }
        failed = failed || status != MR_OK;
        good += !failed;
    }
    mr_queue_destroy(queue);
    mr_file_abandon(file);
    mr_io_destroy(io);
    return good;
}

static void injected_errors_come_out_at_their_read(void **state)
{
    struct fixture *f = *state;
    for (int backend = f->has_uring ? MR_QUEUE_URING : MR_QUEUE_PREAD; backend <= MR_QUEUE_PREAD;
         backend++) {
        for (unsigned at = 1; at <= 21; at++) {
            struct mr_error err = {.status = MR_OK};
            struct mr_fault_plan plan = {.kind = MR_FAULT_ERROR,
                                         .operations = MR_FAULT_ON_READ,
                                         .at = at,
                                         .and_after = at % 2 == 0,
                                         .error_number = EIO};
            assert_int_equal(reads_before_error(f, (enum mr_queue_backend)backend, plan, &err),
                             at - 1);
            assert_int_equal(err.status, at <= 20 ? MR_ERROR_RUNTIME : MR_OK);
            assert_int_equal(err.os_errno, at <= 20 ? EIO : 0);
        }
    }
}

static void short_reads_are_continued(void **state)
{
    struct fixture *f = *state;
    struct mr_fault_plan plan = {
        .kind = MR_FAULT_SHORT, .operations = MR_FAULT_ON_READ, .at = 3, .error_number = 0};
    assert_int_equal(reads_before_error(f, MR_QUEUE_PREAD, plan, &f->err), 20);
    plan.error_number = EIO;
    assert_int_equal(reads_before_error(f, MR_QUEUE_PREAD, plan, &f->err), 2);
    assert_non_null(strstr(f->err.message, "cannot read 4096 bytes at offset 12288"));
}

static void a_bad_descriptor_is_an_error_not_a_hang(void **state)
{
    struct fixture *f = *state;
    for (int backend = f->has_uring ? MR_QUEUE_URING : MR_QUEUE_PREAD; backend <= MR_QUEUE_PREAD;
         backend++) {
        struct mr_queue *queue = open_queue(f, (enum mr_queue_backend)backend, 2);
        struct mr_file *file = NULL;
        uint8_t *data = NULL;
        uint64_t tag = 0;
        char path[PATH_MAX];
        assert_int_equal(mr_file_open(f->io, test_dir_path(&f->dir, "writable", path),
                                      MR_OPEN_WRITE | MR_OPEN_TRUNCATE, &file, NULL),
                         MR_OK);
        struct mr_error err = {.status = MR_OK};
        assert_int_equal(mr_queue_push(queue, file, 0, PAGE, 0, NULL), MR_OK);
        assert_int_equal(mr_queue_pop(queue, &data, &tag, NULL, &err), MR_ERROR_RUNTIME);
        assert_int_equal(err.os_errno, EBADF);
        mr_file_abandon(file);
        mr_queue_destroy(queue);
    }
}

static void draining_forgets_all_but_what_is_held(void **state)
{
    struct fixture *f = *state;
    for (int backend = f->has_uring ? MR_QUEUE_URING : MR_QUEUE_PREAD; backend <= MR_QUEUE_PREAD;
         backend++) {
        struct mr_queue *queue = open_queue(f, (enum mr_queue_backend)backend, 3);
        struct mr_file *file = open_file(f->io, &f->dir, 0);
        uint8_t *data = NULL;
        uint64_t tag = 0;
        for (unsigned round = 0; round < 10; round++) {
            for (uint64_t i = 0; mr_queue_has_room(queue); i++) {
                assert_int_equal(mr_queue_push(queue, file, i * PAGE, PAGE, i, NULL), MR_OK);
            }
            assert_int_equal(mr_queue_pending(queue), 3);
            assert_int_equal(mr_queue_room(queue), 0);
            assert_int_equal(mr_queue_pop(queue, &data, &tag, NULL, NULL), MR_OK);
            assert_int_equal(mr_queue_push(queue, file, 9 * PAGE, PAGE, 9, NULL), MR_OK);
            mr_queue_drain(queue);
            assert_int_equal(mr_queue_pending(queue), 0);
            assert_int_equal(mr_queue_room(queue), 3);
            for (uint64_t i = 0; mr_queue_has_room(queue); i++) {
                assert_int_equal(mr_queue_push(queue, file, (3 + i) * PAGE, PAGE, i, NULL), MR_OK);
            }
            assert_memory_equal(data, content, PAGE);
            assert_int_equal(mr_queue_pop(queue, &data, &tag, NULL, NULL), MR_OK);
            assert_memory_equal(data, content + 3 * PAGE, PAGE);
            mr_queue_drain(queue);
        }
        /* Destroy the queue with all reads in flight. */
        while (mr_queue_has_room(queue)) {
            assert_int_equal(mr_queue_push(queue, file, 0, SLOT_BYTES, 0, NULL), MR_OK);
        }
        mr_queue_destroy(queue);
        mr_file_abandon(file);
    }
    mr_queue_destroy(NULL);
}

static void an_extent_that_cannot_be_is_refused(void **state)
{
    struct fixture *f = *state;
    struct mr_queue *queue = open_queue(f, MR_QUEUE_AUTO, 2);
    struct mr_file *file = open_file(f->io, &f->dir, 0);
    assert_int_equal(mr_queue_push(queue, file, 0, SLOT_BYTES + 1, 0, &f->err), MR_ERROR_CORRUPT);
    assert_int_equal(mr_queue_push(queue, file, 0, 0, 0, NULL), MR_ERROR_CORRUPT);
    assert_int_equal(mr_queue_pending(queue), 0);
    mr_queue_destroy(queue);
    mr_file_abandon(file);
}

static void a_budget_too_small_is_said_so(void **state)
{
    struct fixture *f = *state;
    struct mr_queue *queue = NULL;
    assert_int_equal(mr_queue_create(&f->context, 16, 8u << 20, &queue, &f->err), MR_ERROR_BUDGET);
    mr_queue_destroy(queue);
    assert_non_null(strstr(f->err.message, "read buffers needs 136.1 MiB"));
    assert_int_equal(mr_queue_memory(1, PAGE), 4 * PAGE);
    assert_int_equal(mr_queue_memory(1024, UINT64_MAX - PAGE), UINT64_MAX);
}

/* No descriptor is left for a ring; a container without io_uring behaves the same. */
static void auto_falls_back_to_pread(void **state)
{
    struct fixture *f = *state;
    struct mr_queue *queue = NULL;
    struct rlimit before, none;
    unsigned notes = 0;
    struct mr_file *file = open_file(f->io, &f->dir, 0);
    f->context.note = take_note;
    f->context.note_data = &notes;
    int next = dup(mr_file_descriptor(file));
    assert_true(next >= 0);
    (void)close(next);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = (rlim_t)next;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    f->context.backend = MR_QUEUE_URING;
    enum mr_status forced = mr_queue_create(&f->context, 2, SLOT_BYTES, &queue, &f->err);
    struct mr_queue *fallback = NULL;
    f->context.backend = MR_QUEUE_AUTO;
    enum mr_status automatic = mr_queue_create(&f->context, 2, SLOT_BYTES, &fallback, NULL);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(forced, MR_ERROR_RUNTIME);
    mr_queue_destroy(queue);
    assert_non_null(
        strstr(f->err.message, "io_uring is not available here; use --io pread or auto"));
    assert_int_equal(automatic, MR_OK);
    bool registered = true;
    assert_int_equal(mr_queue_get_backend(fallback, &registered), MR_QUEUE_PREAD);
    assert_false(registered);
    assert_int_equal(notes, 1);
    assert_no_failure(stream(fallback, file, 7, 50));
    mr_queue_destroy(fallback);
    mr_file_abandon(file);
}

struct worker {
    pthread_t thread;
    const struct mr_context *context;
    struct mr_file *file;
    struct mr_queue *queue; /* NULL: the thread makes its own */
    uint64_t seed;
};

static void *work(void *data)
{
    struct worker *worker = data;
    struct mr_queue *queue = worker->queue;
    if (queue == NULL && mr_queue_create(worker->context, 8, SLOT_BYTES, &queue, NULL) != MR_OK) {
        return "no queue";
    }
    const char *failure = stream(queue, worker->file, worker->seed, 200);
    if (worker->queue == NULL) {
        mr_queue_destroy(queue);
    }
    return (void *)(uintptr_t)failure;
}

static void workers_with_a_queue_each_share_a_file(void **state)
{
    struct fixture *f = *state;
    struct worker workers[4];
    for (int backend = f->has_uring ? MR_QUEUE_URING : MR_QUEUE_PREAD; backend <= MR_QUEUE_PREAD;
         backend++) {
        struct mr_file *file = open_file(f->io, &f->dir, MR_OPEN_DIRECT);
        f->context.backend = (enum mr_queue_backend)backend;
        for (unsigned i = 0; i < 4; i++) {
            workers[i] = (struct worker){.context = &f->context, .file = file, .seed = i};
            assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
        }
        for (unsigned i = 0; i < 4; i++) {
            void *failure = NULL;
            assert_int_equal(pthread_join(workers[i].thread, &failure), 0);
            assert_no_failure(failure);
        }
        mr_file_abandon(file);
    }
}

static void *push_and_leave(void *data)
{
    const struct worker *worker = data;
    for (uint64_t i = 0; i < 8; i++) {
        if (mr_queue_push(worker->queue, worker->file, i * SLOT_BYTES, SLOT_BYTES, i, NULL) !=
            MR_OK) {
            return "push failed";
        }
    }
    return NULL;
}

/* A queue made here is used by threads one after the other; the later ones end and leave their
 * reads in flight. */
static void a_queue_may_change_threads(void **state)
{
    struct fixture *f = *state;
    for (int backend = f->has_uring ? MR_QUEUE_URING : MR_QUEUE_PREAD; backend <= MR_QUEUE_PREAD;
         backend++) {
        struct mr_file *file = open_file(f->io, &f->dir, MR_OPEN_DIRECT);
        struct mr_queue *queue = open_queue(f, (enum mr_queue_backend)backend, 8);
        for (unsigned i = 0; i < 10; i++) {
            struct worker worker = {.file = file, .queue = queue, .seed = i};
            void *failure = NULL;
            assert_int_equal(
                pthread_create(&worker.thread, NULL, i < 5 ? work : push_and_leave, &worker), 0);
            assert_int_equal(pthread_join(worker.thread, &failure), 0);
            assert_no_failure(failure);
            for (uint64_t k = 0; mr_queue_pending(queue) > 0; k++) {
                uint8_t *data = NULL;
                uint64_t tag = 0;
                assert_int_equal(mr_queue_pop(queue, &data, &tag, NULL, NULL), MR_OK);
                assert_int_equal(tag, k);
                assert_memory_equal(data, content + k * SLOT_BYTES, SLOT_BYTES);
            }
        }
        mr_queue_destroy(queue);
        mr_file_abandon(file);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN(TEST(both_back_ends_read_the_same_bytes_at_any_depth),
          TEST(a_file_that_ends_early_is_corrupt), TEST(injected_errors_come_out_at_their_read),
          TEST(short_reads_are_continued), TEST(a_bad_descriptor_is_an_error_not_a_hang),
          TEST(draining_forgets_all_but_what_is_held), TEST(an_extent_that_cannot_be_is_refused),
          TEST(a_budget_too_small_is_said_so), TEST(auto_falls_back_to_pread),
          TEST(workers_with_a_queue_each_share_a_file), TEST(a_queue_may_change_threads))
