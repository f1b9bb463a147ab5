/* SPDX-License-Identifier: Apache-2.0 */
/* The memory budget: sizes, alignment, charges, error texts, and the limits of an imitated
 * machine. */
#include "engine/base/memory.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/test.h"
#include "tests/support/test_dir.h"

#define MIB ((uint64_t)1 << 20)

static struct mr_memory *budget_of(uint64_t bytes)
{
    struct mr_error err = {.status = MR_OK};
    struct mr_memory *memory = NULL;
    assert_int_equal(mr_memory_create(bytes, &memory, &err), MR_OK);
    return memory;
}

static bool is_zero(const uint8_t *data, size_t bytes)
{
    return bytes == 0 || (data[0] == 0 && memcmp(data, data + 1, bytes - 1) == 0);
}

static void a_budget_below_the_floor_is_refused(void **state)
{
    struct mr_error err = {.status = MR_OK};
    struct mr_memory *memory = NULL;
    (void)state;
    assert_int_equal(mr_memory_create(32 * MIB - 1, &memory, &err), MR_ERROR_BUDGET);
    assert_null(memory);
    assert_string_equal(err.message, "a memory budget of 33554431 bytes is too small; say "
                                     "--memory 34M or 32Mi");
    memory = budget_of(32 * MIB);
    assert_int_equal(mr_memory_available(memory), 20 * MIB);
    mr_memory_destroy(memory);
    mr_memory_destroy(NULL);
}

static void allocations_are_zeroed_aligned_and_counted(void **state)
{
    static const uint64_t sizes[] = {1, 4096, 4097, 2 * MIB - 1, 2 * MIB, 2 * MIB + 1, 9 * MIB};
    struct mr_memory *memory = budget_of(100 * MIB);
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint64_t pages = (sizes[i] + 4095) / 4096 * 4096;
        void *data = NULL;
        assert_int_equal(mr_memory_alloc(memory, "array", sizes[i], &data, NULL), MR_OK);
        assert_int_equal((uintptr_t)data % (pages >= 2 * MIB ? 2 * MIB : 4096), 0);
        assert_true(is_zero(data, sizes[i]));
        memset(data, 0xff, sizes[i]);
        assert_int_equal(mr_memory_available(memory), 88 * MIB - pages);
        mr_memory_free(memory, data);
        assert_int_equal(mr_memory_available(memory), 88 * MIB);
    }
    assert_int_equal(mr_memory_peak(memory), 21 * MIB);
    assert_int_equal(mr_memory_limit(memory), 100 * MIB);
    mr_memory_free(memory, NULL);
    mr_memory_destroy(memory);
}

static void running_out_names_who_wants_and_who_holds(void **state)
{
    struct mr_memory *memory = budget_of(100 * MIB);
    struct mr_error err = {.status = MR_OK};
    void *sort = NULL, *read = NULL, *more = NULL, *rank = NULL, *small = NULL;
    (void)state;
    assert_int_equal(mr_memory_alloc(memory, "sort buffer", 30 * MIB, &sort, NULL), MR_OK);
    assert_int_equal(mr_memory_alloc(memory, "read buffers", 8 * MIB, &read, NULL), MR_OK);
    assert_int_equal(mr_memory_alloc(memory, "sort buffer", 10 * MIB, &more, NULL), MR_OK);
    assert_int_equal(mr_memory_alloc(memory, "degrees", 4096, &small, NULL), MR_OK);
    assert_int_equal(mr_memory_charge(memory, "zstd", MIB, NULL), MR_OK);
    assert_int_equal(mr_memory_alloc(memory, "rank vector", 64 * MIB, &rank, &err),
                     MR_ERROR_BUDGET);
    assert_null(rank);
    assert_string_equal(
        err.message, "out of memory budget: rank vector needs 64.0 MiB, 39.0 MiB of 100.0 MiB left "
                     "(held: sort buffer 40.0 MiB, read buffers 8.0 MiB, zstd 1.0 MiB, reserve "
                     "12.0 MiB); it takes --memory 126Mi or more");
    mr_error_clear(&err);
    assert_int_equal(mr_memory_charge(memory, "zstd", 200 * MIB, &err), MR_ERROR_BUDGET);
    mr_memory_discharge(memory, "zstd", MIB);
    mr_memory_free(memory, small);
    mr_memory_free(memory, sort);
    mr_memory_free(memory, more);
    mr_memory_free(memory, read);
    assert_int_equal(mr_memory_available(memory), 88 * MIB);
    mr_memory_destroy(memory);
}

static void what_the_system_refuses_is_not_charged(void **state)
{
    struct mr_memory *memory = budget_of(UINT64_MAX);
    struct mr_error err = {.status = MR_OK};
    void *data = NULL;
    (void)state;
    assert_int_equal(mr_memory_alloc(memory, "edges", (uint64_t)1 << 50, &data, &err),
                     MR_ERROR_BUDGET);
    assert_string_equal(err.message, "out of memory: edges needs 1.1 PB and the system refuses "
                                     "it: Cannot allocate memory");
    mr_error_clear(&err);
    assert_int_equal(mr_memory_alloc(memory, "edges", UINT64_MAX - 1, &data, &err),
                     MR_ERROR_BUDGET);
    assert_int_equal(mr_memory_alloc(memory, "edges", 3 * MIB, &data, NULL), MR_OK);
    memset(data, 7, 3 * MIB);
    void *before = data;
    assert_int_equal(mr_memory_resize(memory, "edges", &data, (uint64_t)1 << 50, NULL),
                     MR_ERROR_BUDGET);
    assert_ptr_equal(data, before);
    assert_int_equal(((uint8_t *)data)[3 * MIB - 1], 7);
    mr_memory_free(memory, data);
    assert_int_equal(mr_memory_available(memory), UINT64_MAX - 12 * MIB);
    mr_memory_destroy(memory);
}

/* Compares random sizes with a plain copy: contents stay, growth is zero, alignment and charge are
 * right. */
static void resizing_keeps_contents_and_zeroes_growth(void **state)
{
    enum { MAX = 5 << 20 };
    struct mr_memory *memory = budget_of(64 * MIB);
    uint8_t *expected = calloc(1, MAX);
    void *data = NULL;
    uint64_t seed = 1, size = 0;
    (void)state;
    for (int round = 0; round < 400; round++) {
        uint64_t next = 1 + test_random(&seed) % (round % 3 == 0 ? MAX : 20000);
        assert_int_equal(mr_memory_resize(memory, "array", &data, next, NULL), MR_OK);
        if (next > size) {
            memset(expected + size, 0, next - size);
        }
        size = next;
        assert_memory_equal(data, expected, size);
        uint64_t pages = (size + 4095) / 4096 * 4096;
        assert_int_equal(mr_memory_available(memory), 52 * MIB - pages);
        assert_int_equal((uintptr_t)data % (pages >= 2 * MIB ? 2 * MIB : 4096), 0);
        uint8_t fill = (uint8_t)(test_random(&seed) | 1);
        memset(data, fill, size);
        memset(expected, fill, size);
    }
    mr_memory_free(memory, data);
    mr_memory_destroy(memory);
    free(expected);
}

static void a_refused_resize_changes_nothing(void **state)
{
    struct mr_memory *memory = budget_of(32 * MIB);
    struct mr_error err = {.status = MR_OK};
    void *data = NULL;
    (void)state;
    assert_int_equal(mr_memory_resize(memory, "array", &data, 5 * MIB, &err), MR_OK);
    memset(data, 5, 5 * MIB);
    void *before = data;
    assert_int_equal(mr_memory_resize(memory, "array", &data, 21 * MIB, &err), MR_ERROR_BUDGET);
    assert_ptr_equal(data, before);
    assert_int_equal(((uint8_t *)data)[5 * MIB - 1], 5);
    assert_int_equal(mr_memory_available(memory), 15 * MIB);
    /* The charge moves from the old name to the new one. */
    assert_int_equal(mr_memory_resize(memory, "vector", &data, 2 * MIB, NULL), MR_OK);
    mr_error_clear(&err);
    assert_int_equal(mr_memory_charge(memory, "zstd", 19 * MIB, &err), MR_ERROR_BUDGET);
    assert_non_null(strstr(err.message, "(held: vector 2.0 MiB, reserve 12.0 MiB)"));
    mr_memory_free(memory, data);
    mr_memory_destroy(memory);
}

static void more_names_than_places_still_add_up(void **state)
{
    static char names[100][16];
    struct mr_memory *memory = budget_of(100 * MIB);
    struct mr_error err = {.status = MR_OK};
    (void)state;
    for (int i = 0; i < 100; i++) {
        (void)snprintf(names[i], sizeof names[i], "n%d", i);
        assert_int_equal(mr_memory_charge(memory, names[i], 4096, NULL), MR_OK);
    }
    assert_int_equal(mr_memory_charge(memory, names[0], 100 * MIB, &err), MR_ERROR_BUDGET);
    assert_non_null(strstr(err.message, "(held: others 148.0 KiB, "));
    for (int i = 99; i >= 0; i--) {
        mr_memory_discharge(memory, names[i], 4096);
    }
    mr_memory_destroy(memory);
}

static void an_array_grows_by_half_and_stays_where_it_cannot(void **state)
{
    struct mr_memory *memory = budget_of(32 * MIB);
    uint32_t *items = NULL;
    uint64_t room = 0, n_moves = 0;
    (void)state;
    for (uint32_t i = 0; i < 100000; i++) {
        const uint64_t before = room;
        assert_int_equal(mr_memory_grow(memory, "items", i + 1, &items, &room, NULL), MR_OK);
        assert_true(room > i && (room == before || 2 * room >= 3 * before));
        n_moves += room != before;
        items[i] = i;
    }
    assert_true(n_moves < 30);
    const uint32_t *const old = items;
    const uint64_t before = room;
    assert_int_equal(mr_memory_grow(memory, "items", 1 << 30, &items, &room, NULL),
                     MR_ERROR_BUDGET);
    assert_int_equal(mr_memory_grow(memory, "items", UINT64_MAX, &items, &room, NULL),
                     MR_ERROR_BUDGET);
    assert_true(items == old && room == before);
    for (uint32_t i = 0; i < 100000; i++) {
        assert_int_equal(items[i], i);
    }
    mr_memory_free(memory, items);
    mr_memory_destroy(memory);
}

static void *allocate_and_free(void *data)
{
    struct mr_memory *memory = data;
    void *held[16] = {NULL};
    uint64_t seed = (uint64_t)(uintptr_t)&held;
    for (int round = 0; round < 2000; round++) {
        void **one = &held[test_random(&seed) % 16];
        uint64_t bytes = 1 + test_random(&seed) % (64 << 10);
        if (*one == NULL || round % 3 == 0) {
            if (mr_memory_resize(memory, "array", one, bytes, NULL) != MR_OK) {
                return "resize failed";
            }
            memset(*one, 1, bytes);
        } else {
            mr_memory_free(memory, *one);
            *one = NULL;
        }
    }
    for (int i = 0; i < 16; i++) {
        mr_memory_free(memory, held[i]);
    }
    return NULL;
}

static void threads_share_a_budget(void **state)
{
    struct mr_memory *memory = budget_of(64 * MIB);
    pthread_t threads[4];
    (void)state;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, allocate_and_free, memory), 0);
    }
    for (int i = 0; i < 4; i++) {
        void *failure = NULL;
        assert_int_equal(pthread_join(threads[i], &failure), 0);
        assert_null(failure);
    }
    assert_int_equal(mr_memory_available(memory), 52 * MIB);
    mr_memory_destroy(memory);
}

static void sizes_that_overflow_are_refused(void **state)
{
    struct mr_error err = {.status = MR_OK};
    uint64_t bytes = 0;
    (void)state;
    assert_int_equal(mr_memory_size("rank vector", 10, 8, 4, &bytes, &err), MR_OK);
    assert_int_equal(bytes, 84);
    assert_int_equal(mr_memory_size("rank vector", UINT64_MAX / 8 + 1, 8, 0, &bytes, &err),
                     MR_ERROR_BUDGET);
    assert_string_equal(err.message, "rank vector of 2305843009213693952 entries exceeds any "
                                     "memory");
    assert_int_equal(mr_memory_size("x", UINT64_MAX, 1, 1, &bytes, NULL), MR_ERROR_BUDGET);
}

static void arrays_are_of_their_items_and_null_where_there_are_none(void **state)
{
    struct mr_memory *memory = budget_of(100 * MIB);
    struct mr_error err = {.status = MR_OK};
    double *ranks = NULL;
    double *ranks_of_all = NULL;
    uint32_t *degrees = NULL;
    char *names = (char *)&err, *more = names, *rest = names;
    (void)state;
    assert_int_equal(mr_memory_array(memory, "ranks", MIB, &ranks, NULL), MR_OK);
    assert_int_equal(mr_memory_available(memory), 80 * MIB);
    assert_true(ranks[0] == 0 && ranks[MIB - 1] == 0);
    const struct mr_memory_wanted wanted[] = {
        MR_WANTED("degrees", 2 * MIB, &degrees), MR_WANTED("names", 0, &names),
        MR_WANTED("more", 90 * MIB, &more), MR_WANTED("rest", 1, &rest)};
    assert_int_equal(mr_memory_arrays(memory, wanted, &err), MR_ERROR_BUDGET);
    assert_string_equal(
        err.message, "out of memory budget: more needs 90.0 MiB, 72.0 MiB of 100.0 MiB left (held: "
                     "ranks 8.0 MiB, degrees 8.0 MiB, reserve 12.0 MiB); it takes --memory "
                     "118Mi or more");
    assert_non_null(degrees);
    assert_true(names == NULL && more == NULL && rest == NULL);
    mr_error_clear(&err);
    assert_int_equal(
        mr_memory_array(memory, "ranks of all", UINT64_MAX / 8 + 1, &ranks_of_all, &err),
        MR_ERROR_BUDGET);
    assert_string_equal(err.message, "ranks of all of 2305843009213693952 entries exceeds any "
                                     "memory");
    mr_error_clear(&err);
    mr_memory_free(memory, degrees);
    mr_memory_free(memory, ranks);
    mr_memory_destroy(memory);
}

/* ---- A machine, imitated in a directory ---- */

static void lay_out(const struct test_dir *dir, const char *name, const char *content)
{
    char path[PATH_MAX];
    (void)test_dir_path(dir, name, path);
    for (char *slash = strchr(path + strlen(dir->path) + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0777);
        *slash = '/';
    }
    assert_true(test_dir_write(path, content, strlen(content)));
}

static struct test_dir machine_of_a_gibibyte(void)
{
    struct test_dir dir;
    assert_true(test_dir_make(&dir, NULL));
    lay_out(&dir, "proc/meminfo", "MemTotal: 4194304 kB\nMemAvailable:    1048576 kB\n");
    return dir;
}

static void a_machine_without_groups_has_what_is_available(void **state)
{
    struct test_dir dir = machine_of_a_gibibyte();
    (void)state;
    assert_int_equal(mr_memory_of_machine_below(dir.path), 1024 * MIB);
    test_dir_remove(&dir);
    /* If nothing is readable, the answer is physical memory. */
    assert_true(mr_memory_of_machine_below("/nonexistent") > 0);
    assert_true(mr_memory_of_machine() > 0);
}

static void version_1_limits_count_at_every_ancestor(void **state)
{
    struct test_dir dir = machine_of_a_gibibyte();
    (void)state;
    lay_out(&dir, "proc/self/cgroup", "5:devices:/\n4:hugetlb,memory:/a/b\n0::/\n");
    lay_out(&dir, "proc/self/mountinfo",
            "30 20 0:26 / /cg/cpu rw - cgroup cgroup rw,cpu\n"
            "31 20 0:27 / /cg/my\\040memory rw,nosuid shared:9 - cgroup cgroup rw,hugetlb,memory\n"
            "32 20 0:28 / /cg/unified rw - cgroup2 cgroup2 rw\n");
    lay_out(&dir, "cg/my memory/memory.limit_in_bytes", "9223372036854771712\n");
    lay_out(&dir, "cg/my memory/memory.usage_in_bytes", "123\n");
    lay_out(&dir, "cg/my memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
    lay_out(&dir, "cg/my memory/a/b/memory.usage_in_bytes", "1000000\n");
    lay_out(&dir, "cg/my memory/a/memory.limit_in_bytes", "300000000\n");
    lay_out(&dir, "cg/my memory/a/memory.usage_in_bytes", "250000000\n");
    lay_out(&dir, "cg/my memory/a/memory.stat",
            "cache 9\ninactive_file 7\ntotal_inactive_file 40000000\ntotal_active_file 10000000\n");
    assert_int_equal(mr_memory_of_machine_below(dir.path), 100000000);
    test_dir_remove(&dir);
}

static void version_2_limits_count_in_a_container(void **state)
{
    struct test_dir dir = machine_of_a_gibibyte();
    (void)state;
    /* The mount shows /docker only; the process is two levels below it. */
    lay_out(&dir, "proc/self/cgroup", "0::/docker/abc/job\n");
    lay_out(&dir, "proc/self/mountinfo", "31 20 0:27 /docker /cg rw - cgroup2 cgroup2 rw\n");
    lay_out(&dir, "cg/abc/memory.max", "200000000\n");
    lay_out(&dir, "cg/abc/memory.current", "50000000\n");
    lay_out(&dir, "cg/abc/job/memory.max", "max\n");
    lay_out(&dir, "cg/abc/job/memory.high", "90000000\n");
    lay_out(&dir, "cg/abc/job/memory.current", "20000000\n");
    lay_out(&dir, "cg/abc/job/memory.stat", "anon 1\ninactive_file 5000000\nactive_file 1\n");
    assert_int_equal(mr_memory_of_machine_below(dir.path), 75000001);
    /* The group is not below the part that the mount shows: only the mount point can be read. */
    lay_out(&dir, "proc/self/cgroup", "0::/../../elsewhere\n");
    lay_out(&dir, "cg/memory.max", "60000000\n");
    lay_out(&dir, "cg/memory.current", "70000000\n");
    assert_int_equal(mr_memory_of_machine_below(dir.path), 0);
    test_dir_remove(&dir);
}

static void test_errors_ask_for_what_is_foreseen(void **state)
{
    char text[32];
    struct mr_memory *memory = NULL;
    struct mr_error err = {.status = MR_OK};
    void *pointer = NULL;
    (void)state;
    assert_int_equal(mr_memory_create(MR_MEMORY_FLOOR_BYTES, &memory, NULL), MR_OK);
    assert_string_equal(mr_memory_enough(memory, (uint64_t)40 << 20, text), "40Mi");
    mr_memory_foresee(memory, (uint64_t)48 << 20);
    mr_memory_expect_more(memory, (uint64_t)3 << 20);
    assert_string_equal(mr_memory_enough(memory, (uint64_t)40 << 20, text), "51Mi");
    assert_string_equal(mr_memory_enough(memory, (uint64_t)60 << 20, text), "63Mi");
    assert_string_equal(mr_memory_enough(memory, UINT64_MAX, text), "17592186044416Mi");
    assert_int_equal(mr_memory_alloc(memory, "vectors", (uint64_t)30 << 20, &pointer, &err),
                     MR_ERROR_BUDGET);
    assert_non_null(strstr(err.message, "it takes --memory 51Mi or more"));
    mr_memory_destroy(memory);
}

static void idle_memory_does_not_count_up_to_a_sixteenth(void **state)
{
    struct mr_memory *memory = NULL;
    void *kept = NULL, *rest = NULL;
    (void)state;
    assert_int_equal(mr_memory_create((uint64_t)64 << 20, &memory, NULL), MR_OK);
    const uint64_t all = mr_memory_available(memory);
    assert_int_equal(mr_memory_alloc(memory, "kept", (uint64_t)5 << 20, &kept, NULL), MR_OK);
    assert_false(mr_memory_idle(memory, ((uint64_t)4 << 20) + 1));
    assert_true(mr_memory_available(memory) == all - ((uint64_t)5 << 20));
    assert_true(mr_memory_idle(memory, (uint64_t)3 << 20));
    assert_false(mr_memory_idle(memory, (uint64_t)2 << 20));
    assert_true(mr_memory_available(memory) == all - ((uint64_t)2 << 20));
    assert_int_equal(mr_memory_alloc(memory, "rest", mr_memory_available(memory), &rest, NULL),
                     MR_OK);
    mr_memory_free(memory, rest);
    mr_memory_wake(memory, (uint64_t)3 << 20);
    assert_true(mr_memory_available(memory) == all - ((uint64_t)5 << 20));
    mr_memory_free(memory, kept);
    mr_memory_destroy(memory);
}

TEST_MAIN(cmocka_unit_test(a_budget_below_the_floor_is_refused),
          cmocka_unit_test(allocations_are_zeroed_aligned_and_counted),
          cmocka_unit_test(running_out_names_who_wants_and_who_holds),
          cmocka_unit_test(what_the_system_refuses_is_not_charged),
          cmocka_unit_test(resizing_keeps_contents_and_zeroes_growth),
          cmocka_unit_test(a_refused_resize_changes_nothing),
          cmocka_unit_test(an_array_grows_by_half_and_stays_where_it_cannot),
          cmocka_unit_test(more_names_than_places_still_add_up),
          cmocka_unit_test(threads_share_a_budget),
          cmocka_unit_test(sizes_that_overflow_are_refused),
          cmocka_unit_test(arrays_are_of_their_items_and_null_where_there_are_none),
          cmocka_unit_test(a_machine_without_groups_has_what_is_available),
          cmocka_unit_test(version_1_limits_count_at_every_ancestor),
          cmocka_unit_test(version_2_limits_count_in_a_container),
          cmocka_unit_test(test_errors_ask_for_what_is_foreseen),
          cmocka_unit_test(idle_memory_does_not_count_up_to_a_sixteenth))
