/* SPDX-License-Identifier: Apache-2.0 */
/* Writes Parquet files (table_file.h). formats/stream/output.c writes to the pipe in place of a
 * file, so that all writers of rows write such files, with all their threads.
 *
 * A pipe holds little, and DuckDB a few groups of rows: memory does not grow with the table. When
 * DuckDB has ended before the lines, its thread reads the rest of them, so that no write to the
 * pipe waits or raises a signal. */
#include "formats/stream/table_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIPE_BYTES = 1 << 20, DRAIN_BYTES = 4096 };

struct mr_table_file {
    struct mr_duckdb db;
    char *sql;
    int ends[2]; /* of the pipe; -1: closed */
    pthread_t thread;
    bool is_running;
    _Atomic bool has_failed;
    enum mr_status status; /* of the thread, with */
    struct mr_error error;
};

bool mr_table_file_is(const char *path)
{
    static const char suffix[] = ".parquet";
    const size_t bytes = path != NULL ? strlen(path) : 0, suffix_bytes = sizeof suffix - 1;
    return bytes > suffix_bytes && strcasecmp(path + bytes - suffix_bytes, suffix) == 0;
}

static void *copy(void *data)
{
    struct mr_table_file *file = data;
    char rest[DRAIN_BYTES];
    ssize_t got;

    file->status = mr_duckdb_run(&file->db, file->sql, &file->error);
    file->has_failed = file->status != MR_OK;
    do {
        got = read(file->ends[0], rest, sizeof rest);
    } while (got > 0 || (got < 0 && errno == EINTR));
    return NULL;
}

/* The statement, to be freed. NULL: out of memory. */
static char *statement(const struct mr_table_file *file, const char *temporary, const char *columns,
                       const char *metadata)
{
    char *path = mr_duckdb_quote(temporary, '\''), *sql = NULL;
    char *json = mr_duckdb_quote(metadata != NULL ? metadata : "{}", '\'');

    if (path == NULL || json == NULL ||
        asprintf(&sql,
                 "COPY (FROM read_csv('/dev/fd/%d', auto_detect = false, header = false, "
                 "delim = '\t', quote = '', escape = '', new_line = '\\n', columns = {%s}, "
                 "max_line_size = 1048576, buffer_size = 4194304)) TO %s (FORMAT parquet, "
                 "COMPRESSION zstd, "
                 "USE_TMP_FILE false, KV_METADATA {millrace: %s})",
                 file->ends[0], columns, path, json) < 0) {
        sql = NULL;
    }
    free(json);
    free(path);
    return sql;
}

enum mr_status mr_table_file_open(const struct mr_context *context, const char *path,
                                  const char *temporary, const char *columns, const char *metadata,
                                  struct mr_table_file **out, struct mr_error *err)
{
    struct mr_table_file *file = calloc(1, sizeof *file);

    *out = file;
    if (file == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a table");
    }
    file->ends[0] = file->ends[1] = -1;
    enum mr_status status = mr_duckdb_open(context, path, true, &file->db, err);
    if (status == MR_OK && pipe2(file->ends, O_CLOEXEC) != 0) {
        status = mr_error_file(err, MR_ERROR_RUNTIME, path, errno, "cannot make a pipe");
    }
    if (status == MR_OK) {
        (void)fcntl(file->ends[1], F_SETPIPE_SZ, PIPE_BYTES);
        file->sql = statement(file, temporary, columns, metadata);
        file->is_running =
            file->sql != NULL && pthread_create(&file->thread, NULL, copy, file) == 0;
        status = file->is_running
                     ? MR_OK
                     : mr_error_set(err, MR_ERROR_BUDGET, "no thread can be started for a table");
    }
    return status;
}

int mr_table_file_descriptor(const struct mr_table_file *file)
{
    return file->ends[1];
}

bool mr_table_file_failed(const struct mr_table_file *file)
{
    return file->has_failed;
}

/* Ends the lines, and waits for the thread. */
static void end(struct mr_table_file *file)
{
    if (file->ends[1] >= 0) {
        (void)close(file->ends[1]);
        file->ends[1] = -1;
    }
    if (file->is_running) {
        (void)pthread_join(file->thread, NULL);
        file->is_running = false;
    }
}

enum mr_status mr_table_file_finish(struct mr_table_file *file, struct mr_error *err)
{
    end(file);
    if (file->status != MR_OK && err != NULL && err->status == MR_OK) {
        *err = file->error;
    }
    return file->status;
}

void mr_table_file_close(struct mr_table_file *file)
{
    if (file == NULL) {
        return;
    }
    end(file);
    if (file->ends[0] >= 0) {
        (void)close(file->ends[0]);
    }
    mr_duckdb_close(&file->db);
    free(file->sql);
    free(file);
}
