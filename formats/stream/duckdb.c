/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the library of DuckDB and a database in memory (duckdb.h). The functions of its C interface
 * that are called are declared there, and each is looked up: a library that lacks one is refused.
 * While a database is open, a thread watches whether the run shall stop, and interrupts DuckDB. */
#include "formats/stream/duckdb.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

#include "engine/base/bytes.h"
#include "engine/base/count_text.h"
#include "engine/base/memory.h"
#include "engine/io/workspace.h"

enum { PATIENCE_MS = 100, REASON_BYTES = 640 };

/* What DuckDB takes beside its limit: its text, and what it does not count. The least that is left
 * holds a group of rows for each of two threads. */
#define UNCOUNTED_BYTES ((uint64_t)48 << 20)
#define MOST_BYTES      ((uint64_t)1 << 30)
/* Numbers take twice as long with DuckDB's default, 1 MB: threads wait for the reader. */
#define MOST_AHEAD_BYTES ((uint64_t)64 << 20)

static const char library_name[] = "libduckdb.so";
static const char memory_name[] = "DuckDB";

struct mr_duckdb_inside {
    const struct mr_context *context;
    void *library, *database;
    struct mr_workspace *workspace; /* for its temporary files */
    uint64_t charged_bytes;
    pthread_t watch;
    sigset_t signals; /* of the thread that opened it, which the watch takes */
    pthread_mutex_t mutex; /* guards `is_over` */
    pthread_cond_t change;
    bool is_watched, is_over, writes;
    char path[]; /* for messages */
};

bool mr_duckdb_has_suffix(const char *path, const char *suffix)
{
    const size_t bytes = strlen(path), suffix_bytes = strlen(suffix);
    return bytes > suffix_bytes && strcasecmp(path + bytes - suffix_bytes, suffix) == 0;
}

/* ---- Errors ---- */

enum mr_status mr_duckdb_failed(const struct mr_duckdb *db, const char *reason,
                                struct mr_error *err)
{
    const struct mr_duckdb_inside *inside = db->inside;
    char text[REASON_BYTES];
    size_t n = 0;

    const enum mr_status polled = mr_context_poll(inside->context, err);
    if (polled != MR_OK) {
        return polled;
    }
    reason = reason != NULL ? reason : "Out of Memory, or DuckDB gives no reason";
    const char *end = strstr(reason, "\nLINE "); /* the query and the place in it */
    end = end != NULL ? end : reason + strlen(reason);
    for (; reason < end && n + 1 < sizeof text; reason++) {
        if (*reason != '\n' || (n > 0 && text[n - 1] != ' ')) {
            text[n++] = *reason == '\n' ? ' ' : *reason;
        }
    }
    while (n > 0 && text[n - 1] == ' ') {
        n--;
    }
    text[n] = '\0';
    const bool is_memory =
        strncmp(text, "Out of Memory", 13) == 0 || strstr(text, "Allocation failure") != NULL;
    const bool is_fault = strstr(text, strerror(EIO)) != NULL;
    const bool is_disk = strstr(text, strerror(ENOSPC)) != NULL ||
                         strstr(text, strerror(EFBIG)) != NULL ||
                         strstr(text, strerror(EDQUOT)) != NULL;
    return mr_error_file(err,
                         is_memory || is_disk         ? MR_ERROR_BUDGET
                         : inside->writes || is_fault ? MR_ERROR_RUNTIME
                                                      : MR_ERROR_INPUT,
                         inside->path, 0, "%s%s", text,
                         is_memory ? "; give more --memory, of which DuckDB gets a quarter"
                         : is_disk ? "; free some space, or write elsewhere (-o, --tmp)"
                                   : "");
}

/* ---- The library ---- */

/* A program without a dynamic loader cannot open libraries. */
static bool is_static(void)
{
    return getauxval(AT_BASE) == 0;
}

/* Says how to get the library, and what does the same without it. */
static enum mr_status refuse(const struct mr_duckdb_inside *inside, const char *reason,
                             struct mr_error *err)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "/._-+=:*@";
    const char *path = inside->path[strspn(inside->path, plain)] == '\0' ? inside->path : "FILE";
    const bool is_query = strncmp(inside->path, MR_QUERY_PREFIX, sizeof MR_QUERY_PREFIX - 1) == 0;
    const char *form =
        mr_duckdb_has_suffix(path, ".duckdb") && inside->writes
            ? "name a .csv, which duckdb '%.128s' -c \"create table result as from 'ranks.csv'\" "
              "turns into it"
        : inside->writes ? "name a .csv, which duckdb -c \"copy (from 'ranks.csv') to '%.128s'\" "
                           "turns into it"
        : is_query       ? "pipe it: duckdb -csv -c \"QUERY\" | millrace ... -"
                         : "pipe it: duckdb -csv -c \"select * from '%.128s'\" | millrace ... -";
    char way[256];

    (void)snprintf(way, sizeof way, form, path);
    return mr_error_file(err,
                         strcasestr(reason, "memory") != NULL ? MR_ERROR_BUDGET
                         : inside->writes                     ? MR_ERROR_USAGE
                                                              : MR_ERROR_INPUT,
                         inside->path, 0,
                         "needs the library of DuckDB: %.240s; npm pack "
                         "@duckdb/node-bindings-linux-x64 has libduckdb.so, and MILLRACE_DUCKDB "
                         "says where it is; or %s; pip install duckdb-cli has the command duckdb",
                         reason, way);
}

static enum mr_status find_functions(struct mr_duckdb *db, struct mr_error *err)
{
    struct mr_duckdb_inside *inside = db->inside;
    char reason[256];
    const char *missing = NULL;

#define FIND(type, name, parameters)                                                               \
    *(void **)&db->call.name = dlsym(inside->library, "duckdb_" #name);                            \
    missing = db->call.name == NULL && missing == NULL ? #name : missing;
    MR_DUCKDB_FUNCTIONS(FIND)
#undef FIND
    if (missing != NULL) {
        (void)snprintf(reason, sizeof reason, "version %.32s has no duckdb_%s; 1.4 or newer has it",
                       db->call.library_version != NULL ? db->call.library_version() : "unknown",
                       missing);
        return refuse(inside, reason, err);
    }
    return MR_OK;
}

static enum mr_status open_library(struct mr_duckdb *db, struct mr_error *err)
{
    struct mr_duckdb_inside *inside = db->inside;
    const char *said = getenv("MILLRACE_DUCKDB");
    const char *file = said != NULL && *said != '\0' ? said : library_name;

    if (is_static()) {
        return refuse(inside, "a static program opens no libraries, that of the package does", err);
    }
    inside->library = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (inside->library == NULL) {
        const char *reason = dlerror();
        return refuse(inside, reason != NULL ? reason : file, err);
    }
    return find_functions(db, err);
}

/* ---- The database ---- */

/* Interrupts DuckDB when the run shall stop. */
static void *watch(void *data)
{
    struct mr_duckdb *db = data;
    struct mr_duckdb_inside *inside = db->inside;
    struct timespec until;

    mr_duckdb_restore_signals(&inside->signals);
    (void)pthread_mutex_lock(&inside->mutex);
    while (!inside->is_over) {
        if (mr_context_cancelled(inside->context)) {
            db->call.interrupt(db->connection);
        }
        (void)clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += PATIENCE_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&inside->change, &inside->mutex, &until);
    }
    (void)pthread_mutex_unlock(&inside->mutex);
    return NULL;
}

/* Takes a part of the budget for DuckDB: its limit, and what it may read ahead of its reader. */
static enum mr_status take_memory(struct mr_duckdb *db, char limit[32], struct mr_error *err)
{
    struct mr_duckdb_inside *inside = db->inside;
    struct mr_memory *memory = inside->context->memory;
    const uint64_t part = mr_memory_available(memory) / 4;
    const uint64_t bytes = mr_min_u64(mr_max_u64(part, MR_DUCKDB_LEAST_BYTES), MOST_BYTES);

    const enum mr_status status = mr_memory_charge(memory, memory_name, bytes, err);
    inside->charged_bytes = status == MR_OK ? bytes : 0;
    const uint64_t limit_bytes = bytes - UNCOUNTED_BYTES;
    (void)snprintf(limit, 32, "%lluKiB", (unsigned long long)limit_bytes >> 10);
    db->ahead_bytes = mr_min_u64(limit_bytes / 8, MOST_AHEAD_BYTES);
    return status;
}

static enum mr_status open_database(struct mr_duckdb *db, struct mr_error *err)
{
    struct mr_duckdb_inside *inside = db->inside;
    const struct mr_context *context = inside->context;
    char limit[32], threads[16], *problem = NULL;
    void *config = NULL;

    enum mr_status status = take_memory(db, limit, err);
    if (status == MR_OK) {
        status = mr_workspace_open(context, &inside->workspace, err);
    }
    if (status != MR_OK) {
        return status;
    }
    (void)snprintf(threads, sizeof threads, "%u", context->threads);
    db->directory = mr_workspace_path(inside->workspace);
    const char *const settings[][2] = {
        {"threads", threads},
        {"memory_limit", limit},
        {"temp_directory", db->directory},
    };
    int failed = db->call.create_config(&config);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0] && failed == 0; i++) {
        failed = db->call.set_config(config, settings[i][0], settings[i][1]);
    }
    failed = failed != 0 ? failed : db->call.open_ext(NULL, &inside->database, config, &problem);
    failed = failed != 0 ? failed : db->call.connect(inside->database, &db->connection);
    if (failed != 0) {
        status = mr_duckdb_failed(db, problem, err);
    }
    db->call.free(problem);
    db->call.destroy_config(&config);
    return status;
}

char *mr_duckdb_quote(const char *text, char quote)
{
    char *out = malloc(2 * strlen(text) + 3), *at = out;

    if (out != NULL) {
        *at++ = quote;
        for (; *text != '\0'; text++) {
            *at++ = *text;
            if (*text == quote) {
                *at++ = quote;
            }
        }
        *at++ = quote;
        *at = '\0';
    }
    return out;
}

/* What an open object has from its beginning. */
static enum mr_status begin(const struct mr_context *context, const char *path, bool writes,
                            struct mr_duckdb *db, struct mr_error *err)
{
    const size_t path_bytes = strlen(path) + 1;
    struct mr_duckdb_inside *inside = calloc(1, sizeof *inside + path_bytes);

    db->inside = inside;
    if (inside == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for DuckDB");
    }
    inside->context = context;
    inside->writes = writes;
    memcpy(inside->path, path, path_bytes);
    (void)pthread_mutex_init(&inside->mutex, NULL);
    (void)pthread_cond_init(&inside->change, NULL);
    return open_library(db, err);
}

enum mr_status mr_duckdb_check(const char *path, struct mr_error *err)
{
    struct mr_duckdb db = {0};
    const enum mr_status status = begin(NULL, path, true, &db, err);

    mr_duckdb_close(&db);
    return status;
}

enum mr_status mr_duckdb_open(const struct mr_context *context, const char *path, bool writes,
                              struct mr_duckdb *db, struct mr_error *err)
{
    enum mr_status status = begin(context, path, writes, db, err);
    struct mr_duckdb_inside *inside = db->inside;

    if (status != MR_OK) {
        return status;
    }
    mr_duckdb_block_signals(&inside->signals);
    status = open_database(db, err);
    if (status == MR_OK) {
        inside->is_watched = pthread_create(&inside->watch, NULL, watch, db) == 0;
        status = inside->is_watched
                     ? MR_OK
                     : mr_error_set(err, MR_ERROR_BUDGET, "no thread can be started for DuckDB");
    }
    mr_duckdb_restore_signals(&inside->signals);
    return status;
}

void mr_duckdb_close(struct mr_duckdb *db)
{
    struct mr_duckdb_inside *inside = db->inside;

    if (inside == NULL) {
        return;
    }
    if (inside->is_watched) {
        (void)pthread_mutex_lock(&inside->mutex);
        inside->is_over = true;
        (void)pthread_cond_signal(&inside->change);
        (void)pthread_mutex_unlock(&inside->mutex);
        (void)pthread_join(inside->watch, NULL);
    }
    if (db->connection != NULL) {
        db->call.disconnect(&db->connection);
    }
    if (inside->database != NULL) {
        db->call.close(&inside->database);
    }
    mr_workspace_close(inside->workspace);
    if (inside->charged_bytes > 0) {
        mr_memory_discharge(inside->context->memory, memory_name, inside->charged_bytes);
    }
    (void)pthread_cond_destroy(&inside->change);
    (void)pthread_mutex_destroy(&inside->mutex);
    if (inside->library != NULL) {
        (void)dlclose(inside->library);
    }
    free(inside);
    *db = (struct mr_duckdb){0};
}

enum mr_status mr_duckdb_run(struct mr_duckdb *db, const char *sql, struct mr_error *err)
{
    struct mr_duckdb_result result = {0};
    const int failed = db->call.query(db->connection, sql, &result);
    const enum mr_status status =
        failed != 0 ? mr_duckdb_failed(db, db->call.result_error(&result), err) : MR_OK;

    db->call.destroy_result(&result);
    return status;
}
