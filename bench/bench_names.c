/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the lookup of one name, id -> name and name -> id, from memory and from disk.
 *
 *     bench_names STORE [LOOKUPS]
 *
 * Ids are random. Warm: the file of names is in the page cache, and each lookup probably needs
 * another block than the one before. Cold: the file's pages are dropped before each lookup
 * (posix_fadvise), so that it reads from the disk; the number of cold lookups is a twentieth. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/base/memory.h"
#include "engine/base/random.h"
#include "engine/io/io.h"
#include "engine/names/names.h"
#include "engine/store/store.h"
#include "formats/url/canonical.h"
#include "formats/url/surt.h"

enum { LOOKUPS = 4000, COLD_SHARE = 20 };

struct bench {
    struct mr_store *store;
    struct mr_names *names;
    struct mr_canonical canonical;
    int fd; /* the file of names, to drop its pages */
    uint64_t n;
    double *seconds; /* [n] */
};

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(struct bench *bench, const char *what, uint64_t n)
{
    qsort(bench->seconds, n, sizeof *bench->seconds, compare);
    (void)printf("%-20s median %8.1f us   99%% %8.1f us   longest %8.1f us\n", what,
                 1e6 * bench->seconds[n / 2], 1e6 * bench->seconds[n - 1 - n / 100],
                 1e6 * bench->seconds[n - 1]);
}

static void drop_pages(const struct bench *bench)
{
    (void)posix_fadvise(bench->fd, 0, 0, POSIX_FADV_DONTNEED);
}

/* Looks up the name of one vertex, or the vertex of its name, and records the time. */
static enum mr_status look_up(struct bench *bench, bool backwards, bool cold, struct mr_error *err)
{
    const uint64_t n_vertices = mr_store_get_info(bench->store)->n_vertices;
    const uint64_t n = cold ? bench->n / COLD_SHARE : bench->n;
    char *own = malloc(MR_NAME_MAX_BYTES);
    enum mr_status status = own != NULL ? MR_OK : mr_error_set(err, MR_ERROR_BUDGET, "memory");

    for (uint64_t i = 0; status == MR_OK && i < n; i++) {
        const uint32_t vertex =
            mr_random_below(mr_random_at(1, backwards, i), (uint32_t)n_vertices);
        const uint32_t other = (uint32_t)((vertex + n_vertices / 2) % n_vertices);
        const char *name = NULL;
        size_t name_bytes = 0;
        uint32_t found_vertex = 0;
        bool found = false;

        status = mr_names_get(bench->names, vertex, &name, &name_bytes, err);
        /* read another block first, so that the next call has to read */
        if (status == MR_OK && backwards) {
            memcpy(own, name, name_bytes);
            const size_t own_bytes = name_bytes;
            status = mr_names_get(bench->names, other, &name, &name_bytes, err);
            if (cold) {
                drop_pages(bench);
            }
            const double start = mr_now();
            if (status == MR_OK) {
                status = mr_names_find(bench->names, own, own_bytes, &found_vertex, &found, err);
            }
            bench->seconds[i] = mr_now() - start;
            if (status == MR_OK && (!found || found_vertex != vertex)) {
                status = mr_error_set(err, MR_ERROR_CORRUPT, "vertex %u is not found", vertex);
            }
        } else if (status == MR_OK) {
            if (cold) {
                drop_pages(bench);
            }
            const double start = mr_now();
            status = mr_names_get(bench->names, other, &name, &name_bytes, err);
            bench->seconds[i] = mr_now() - start;
        }
    }
    free(own);
    return status;
}

static enum mr_status open_all(const struct mr_context *context, const char *path,
                               struct bench *bench, struct mr_error *err)
{
    char names_path[4096];
    enum mr_status status = mr_store_open(context, path, &bench->store, err);
    if (status != MR_OK) {
        return status;
    }
    const struct mr_store_info *info = mr_store_get_info(bench->store);
    if (info->name_kind == MR_NAMES_IDENTITY || info->n_vertices == 0) {
        return mr_error_file(err, MR_ERROR_USAGE, path, 0, "has no names");
    }
    status = mr_names_open(context, bench->store, mr_name_key_of(info->name_key_number),
                           &bench->names, err);
    if (status == MR_OK && (info->name_key_number & MR_NAME_SPELLINGS) != 0 &&
        mr_canonical_of(info->name_key_number, &bench->canonical)) {
        mr_names_set_canonical(bench->names, mr_canonical_name, &bench->canonical,
                               sizeof bench->canonical);
    }
    (void)snprintf(names_path, sizeof names_path, "%s/names.1", path);
    bench->fd = open(names_path, O_RDONLY | O_CLOEXEC);
    return status;
}

int main(int argc, char **argv)
{
    struct mr_context context = {.threads = 1};
    struct mr_error err = {0};
    struct bench bench = {.fd = -1, .n = LOOKUPS};
    char text[1536];

    if (argc < 2) {
        (void)fputs("usage: bench_names STORE [LOOKUPS]\n", stderr);
        return 2;
    }
    if (argc > 2) {
        bench.n = strtoull(argv[2], NULL, 10);
    }
    bench.n = bench.n < COLD_SHARE ? COLD_SHARE : bench.n;
    bench.seconds = calloc(bench.n, sizeof *bench.seconds);
    enum mr_status status = bench.seconds != NULL
                                ? mr_memory_create(UINT64_MAX, &context.memory, &err)
                                : mr_error_set(&err, MR_ERROR_BUDGET, "memory");
    if (status == MR_OK) {
        status = mr_io_create_real(&context.io, &err);
    }
    double started = mr_now();
    if (status == MR_OK) {
        status = open_all(&context, argv[1], &bench, &err);
    }
    if (status == MR_OK) {
        const struct mr_store_info *info = mr_store_get_info(bench.store);
        (void)printf("%s: %llu names, %.2f bytes each; opened in %.1f ms\n", argv[1],
                     (unsigned long long)info->n_vertices,
                     (double)info->names_bytes / (double)info->n_vertices,
                     1e3 * (mr_now() - started));
    }
    for (int i = 0; i < 6 && status == MR_OK; i++) { /* the first two rounds fill the page cache */
        static const char *const titles[] = {"id -> name, warm", "name -> id, warm",
                                             "id -> name, cold", "name -> id, cold"};
        const bool backwards = i % 2 != 0, cold = i >= 4;
        status = look_up(&bench, backwards, cold, &err);
        if (status == MR_OK && i >= 2) {
            report(&bench, titles[i - 2], cold ? bench.n / COLD_SHARE : bench.n);
        }
    }
    if (status != MR_OK) {
        (void)fprintf(stderr, "%s\n", mr_error_text(&err, text, sizeof text));
    }
    if (bench.fd >= 0) {
        (void)close(bench.fd);
    }
    mr_names_close(bench.names);
    mr_store_close(bench.store);
    mr_io_destroy(context.io);
    mr_memory_destroy(context.memory);
    free(bench.seconds);
    return status == MR_OK ? 0 : 1;
}
