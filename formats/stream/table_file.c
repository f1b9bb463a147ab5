/* SPDX-License-Identifier: Apache-2.0 */
/* Writes Parquet files and databases (table_file.h). formats/stream/output.c writes to the pipe in
 * place of a file, so that all writers of rows write such files, with all their threads.
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

#include "formats/stream/double_text.h"

enum { PIPE_BYTES = 1 << 20, DRAIN_BYTES = 4096 };

struct mr_table_file {
    struct mr_duckdb db;
    char *sql;
    char *log; /* beside the temporary file, which DuckDB leaves there after some errors */
    int ends[2]; /* of the pipe; -1: closed */
    pthread_t thread;
    bool is_running;
    _Atomic bool has_failed;
    enum mr_status status; /* of the thread, with */
    struct mr_error error;
};

bool mr_table_file_is(const char *path)
{
    return path != NULL &&
           (mr_duckdb_has_suffix(path, ".parquet") || mr_duckdb_has_suffix(path, ".duckdb"));
}

static void *copy(void *data)
{
    struct mr_table_file *file = data;
    char rest[DRAIN_BYTES];
    sigset_t before;
    ssize_t got;

    mr_duckdb_block_signals(&before);
    file->status = mr_duckdb_run(&file->db, file->sql, &file->error);
    file->has_failed = file->status != MR_OK;
    do {
        got = read(file->ends[0], rest, sizeof rest);
    } while (got > 0 || (got < 0 && errno == EINTR));
    return NULL;
}

/* DuckDB makes no database of an empty file. So the temporary one, which is locked, gets the bytes
 * of an empty database first. */
static int put_database(const struct mr_table_file *file, const char *to, const char *lines,
                        const char *json, char **sql)
{
    const char *empty = file->db.directory;
    return asprintf(sql,
                    "ATTACH '%s/empty' AS empty (TYPE duckdb); DETACH empty; "
                    "COPY (SELECT content FROM read_blob('%s/empty')) TO %s (FORMAT blob, "
                    "USE_TMP_FILE false); ATTACH %s AS output (TYPE duckdb); "
                    "CREATE TABLE output.result AS %s; COMMENT ON TABLE output.result IS %s; "
                    "DETACH output",
                    empty, empty, to, to, lines, json);
}

/* The statements, to be freed. NULL: out of memory. */
static char *statements(const struct mr_table_file *file, const char *path, const char *temporary,
                        const char *columns, double bound, const char *metadata)
{
    char *to = mr_duckdb_quote(temporary, '\''), *lines = NULL, *sql = NULL;
    char digits[256] = "", number[MR_DOUBLE_TEXT_BYTES + 1] = "";
    char *json = mr_duckdb_quote(metadata != NULL ? metadata : "{}", '\'');
    int bytes = -1;

    if (bound > 0) {
        (void)mr_double_shortest(bound, number);
        (void)snprintf(digits, sizeof digits,
                       ", CASE WHEN #2 >= %s::DOUBLE AND isfinite(#2) THEN "
                       "least(floor(log10(#2 / %s::DOUBLE)), 17) ELSE 0 END::UTINYINT AS digits",
                       number, number);
    }
    if (to != NULL && json != NULL &&
        asprintf(&lines,
                 "SELECT *%s FROM read_csv('/dev/fd/%d', auto_detect = false, header = false, "
                 "delim = '\t', "
                 "quote = '', escape = '', new_line = '\\n', columns = {%s}, "
                 "max_line_size = 1048576, buffer_size = 4194304)",
                 digits, file->ends[0], columns) >= 0) {
        bytes = mr_duckdb_has_suffix(path, ".parquet")
                    ? asprintf(&sql,
                               "COPY (%s) TO %s (FORMAT parquet, COMPRESSION zstd, "
                               "USE_TMP_FILE false, KV_METADATA {millrace: %s})",
                               lines, to, json)
                    : put_database(file, to, lines, json, &sql);
        free(lines);
    }
    free(json);
    free(to);
    return bytes >= 0 ? sql : NULL;
}

enum mr_status mr_table_file_open(const struct mr_context *context, const char *path,
                                  const char *temporary, const char *columns, double bound,
                                  const char *metadata, struct mr_table_file **out,
                                  struct mr_error *err)
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
        file->sql = statements(file, path, temporary, columns, bound, metadata);
        file->is_running = asprintf(&file->log, "%s.wal", temporary) >= 0 && file->sql != NULL &&
                           pthread_create(&file->thread, NULL, copy, file) == 0;
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
    if (file->status != MR_OK) {
        (void)unlink(file->log);
    }
    free(file->log);
    free(file->sql);
    free(file);
}
