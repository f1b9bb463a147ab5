/* SPDX-License-Identifier: Apache-2.0 */
/* Damages every byte of stores: flips a bit of each, cuts each file at each length, swaps and
 * repeats blocks, exchanges files between stores. The full check must report every damage. A
 * ranking must refuse the store or give the scores of the intact one. A few processes do this,
 * which makes a million cases possible: a new process for each case would take hours.
 *
 *     damage_campaign STEP STORE...      STEP 1: every byte; N: one of N bytes
 *
 * The directory of the damaged stores is best in memory: nearly all time goes to the file system.
 */
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/checksum.h"
#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "engine/scan/check.h"
#include "millrace/millrace.h"

enum { MAX_FILES = 32, MAX_REPORTS = 30, BLOCK_UNIT = 64, RANK_EVERY = 16 };

struct damaged_file {
    char name[64];
    char path[PATH_MAX];
    uint8_t *bytes;
    size_t n_bytes;
};

static struct {
    struct mr_context context;
    char directory[PATH_MAX];
    struct damaged_file files[MAX_FILES];
    unsigned n_files;
    uint64_t ranks; /* hash of the intact store's scores */
    const char *kind;
} store;

/* Shared by the processes. */
static struct counts {
    atomic_uint next; /* index of the next store in the arguments */
    atomic_ulong flips, cuts, blocks, exchanges, ranked, same, missed, wrong;
} * n;

static void die(const char *what, const char *path)
{
    (void)fprintf(stderr, "damage_campaign: %s: %s\n", path, what);
    exit(2);
}

static void write_file(const char *path, const uint8_t *bytes, size_t n_bytes)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, n_bytes, file) != n_bytes || fclose(file) != 0) {
        die("cannot write", path);
    }
}

static void read_file(const char *path, struct damaged_file *out)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        die("cannot read", path);
    }
    out->n_bytes = (size_t)ftell(file);
    rewind(file);
    out->bytes = malloc(out->n_bytes + 1);
    if (out->bytes == NULL || fread(out->bytes, 1, out->n_bytes, file) != out->n_bytes) {
        die("cannot read", path);
    }
    (void)fclose(file);
}

/* Copies a store to the work directory and keeps its bytes. */
static void open_store(const char *path)
{
    char from[PATH_MAX + 256];
    DIR *listing = opendir(path);
    if (listing == NULL || mkdir(store.directory, 0777) != 0) {
        die("cannot open", path);
    }
    store.n_files = 0;
    store.kind = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        struct damaged_file *file = &store.files[store.n_files];
        if (entry->d_name[0] == '.' || store.n_files == MAX_FILES) {
            continue;
        }
        (void)snprintf(file->name, sizeof file->name, "%.63s", entry->d_name);
        (void)snprintf(file->path, sizeof file->path, "%.3000s/%.63s", store.directory,
                       entry->d_name);
        (void)snprintf(from, sizeof from, "%s/%s", path, entry->d_name);
        read_file(from, file);
        write_file(file->path, file->bytes, file->n_bytes);
        store.n_files++;
    }
    (void)closedir(listing);
}

static void close_store(void)
{
    for (unsigned i = 0; i < store.n_files; i++) {
        (void)unlink(store.files[i].path);
        free(store.files[i].bytes);
    }
    (void)rmdir(store.directory);
}

static void restore(const struct damaged_file *file)
{
    write_file(file->path, file->bytes, file->n_bytes);
}

/* A hash of the scores; 0 if the store is refused. */
static uint64_t rank(void)
{
    struct mr_store *opened = NULL;
    struct mr_ranking *ranking = NULL;
    uint64_t hash = 0;
    const struct mr_named_value rounds = {.name = "iterations", .count = 3};
    enum mr_status status = mr_store_open(&store.context, store.directory, &opened, NULL);
    if (status == MR_OK) {
        status = mr_rank(&store.context, opened, NULL, "pagerank", &rounds, 1, &ranking, NULL);
    }
    if (status == MR_OK) {
        const uint64_t n_vertices = mr_store_get_info(opened)->n_vertices;
        const double *scores = mr_ranking_scores(ranking, 0);
        hash = 1 | mr_checksum(scores, n_vertices * sizeof *scores);
    }
    mr_ranking_free(ranking);
    mr_store_close(opened);
    return hash;
}

/* Checks and sometimes ranks the store as it is now. */
static void judge(const char *what, const char *file, size_t at, bool also_rank)
{
    struct mr_check_summary summary;
    if (mr_check(&store.context, store.directory, true, NULL, &summary, NULL) == MR_OK) {
        if (n->missed++ < MAX_REPORTS) {
            printf("FAILED: %s/%s: %s at %zu is not reported\n", store.kind, file, what, at);
        }
    }
    if (also_rank) {
        const uint64_t hash = rank();
        n->ranked++;
        n->same += hash == store.ranks;
        if (hash != 0 && hash != store.ranks && n->wrong++ < MAX_REPORTS) {
            printf("FAILED: %s/%s: %s at %zu gives other scores\n", store.kind, file, what, at);
        }
    }
}

static void flip_and_cut(struct damaged_file *file, size_t step)
{
    for (size_t at = 0; at < file->n_bytes; at += step) {
        const uint8_t bit = (uint8_t)(1u << (at * 5 + at / 64) % 8);
        file->bytes[at] ^= bit;
        restore(file);
        file->bytes[at] ^= bit;
        judge("a flipped bit", file->name, at, at / step % RANK_EVERY == 0);
        n->flips++;
    }
    restore(file);
    for (size_t cut = file->n_bytes; cut > 0;) {
        cut = cut > step ? cut - step : 0;
        if (truncate(file->path, (off_t)cut) != 0) {
            die("cannot cut", file->path);
        }
        judge("a cut", file->name, cut, cut / step % RANK_EVERY == 0);
        n->cuts++;
    }
    restore(file);
}

/* Swaps neighbouring units, and repeats one in place of the next: replays of old content. */
static void move_blocks(struct damaged_file *file)
{
    const size_t unit = file->n_bytes % 4096 == 0 && file->n_bytes > 4096 ? 4096 : BLOCK_UNIT;
    uint8_t *moved = malloc(file->n_bytes + 1);
    if (moved == NULL) {
        die("no memory", file->path);
    }
    for (size_t at = 0; at + 2 * unit <= file->n_bytes; at += unit) {
        if (memcmp(file->bytes + at, file->bytes + at + unit, unit) == 0) {
            continue; /* the same bytes: no damage */
        }
        for (int repeat = 0; repeat < 2; repeat++) {
            memcpy(moved, file->bytes, file->n_bytes);
            memcpy(moved + at + unit, file->bytes + at, unit);
            if (repeat == 0) {
                memcpy(moved + at, file->bytes + at + unit, unit);
            }
            write_file(file->path, moved, file->n_bytes);
            judge(repeat ? "a repeated block" : "swapped blocks", file->name, at, true);
            n->blocks++;
        }
    }
    restore(file);
    free(moved);
}

/* Gives each file the content of each other file of this store, and of `donor`'s file of the same
 * name. */
static void exchange_files(const char *donor)
{
    for (unsigned i = 0; i < store.n_files; i++) {
        struct damaged_file *file = &store.files[i], other;
        for (unsigned j = 0; j < store.n_files; j++) {
            const struct damaged_file *from = &store.files[j];
            if (i != j && (from->n_bytes != file->n_bytes ||
                           memcmp(from->bytes, file->bytes, file->n_bytes) != 0)) {
                write_file(file->path, from->bytes, from->n_bytes);
                judge("another file", file->name, j, true);
                n->exchanges++;
            }
        }
        char path[PATH_MAX + 80];
        (void)snprintf(path, sizeof path, "%s/%s", donor, file->name);
        if (access(path, R_OK) == 0) {
            read_file(path, &other);
            if (other.n_bytes != file->n_bytes ||
                memcmp(other.bytes, file->bytes, file->n_bytes) != 0) {
                write_file(file->path, other.bytes, other.n_bytes);
                judge("another store's file", file->name, 0, true);
                n->exchanges++;
            }
            free(other.bytes);
        }
        restore(file);
    }
}

static void try_store(const char *path, const char *donor, size_t step)
{
    struct mr_check_summary summary;
    open_store(path);
    if (mr_check(&store.context, store.directory, true, NULL, &summary, NULL) != MR_OK ||
        (store.ranks = rank()) == 0) {
        die("is not intact", path);
    }
    for (unsigned f = 0; f < store.n_files; f++) {
        /* Small files are tried whole. */
        flip_and_cut(&store.files[f], store.files[f].n_bytes <= 512 ? 1 : step);
        move_blocks(&store.files[f]);
    }
    exchange_files(donor);
    close_store();
}

/* Takes stores until there are no more. */
static int work(size_t step, char **paths, unsigned n_paths)
{
    const char *root = getenv("TMPDIR");
    (void)snprintf(store.directory, sizeof store.directory, "%.3000s/damage-%ld.mill",
                   root != NULL ? root : "/tmp", (long)getpid());
    if (mr_memory_create(UINT64_C(1) << 30, &store.context.memory, NULL) != MR_OK ||
        mr_io_create_real(&store.context.io, NULL) != MR_OK) {
        die("cannot begin", "context");
    }
    store.context.threads = 1;
    for (unsigned i; (i = atomic_fetch_add(&n->next, 1)) < n_paths;) {
        try_store(paths[i], paths[i + 1 < n_paths ? i + 1 : 0], step);
    }
    mr_io_destroy(store.context.io);
    mr_memory_destroy(store.context.memory);
    return 0;
}

int main(int argc, char **argv)
{
    const long step = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
    const long n_jobs = sysconf(_SC_NPROCESSORS_ONLN);
    bool failed = false;
    int status;
    if (step < 1) {
        (void)fprintf(stderr, "usage: damage_campaign STEP STORE...\n");
        return 2;
    }
    n = mmap(NULL, sizeof *n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (n == MAP_FAILED) {
        die("no memory", "counts");
    }
    (void)prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* clearing huge pages takes a third of the time */
    for (long i = 0; i < n_jobs; i++) {
        if (fork() == 0) {
            exit(work((size_t)step, argv + 2, (unsigned)argc - 2));
        }
    }
    while (wait(&status) > 0) {
        failed = failed || status != 0;
    }
    printf("%d stores: %lu flips, %lu cuts, %lu moved blocks, %lu exchanged files; %lu not "
           "reported; %lu rankings tried, %lu with the same scores, %lu with other scores\n",
           argc - 2, n->flips, n->cuts, n->blocks, n->exchanges, n->missed, n->ranked, n->same,
           n->wrong);
    return failed || n->missed + n->wrong > 0 ? 1 : 0;
}
