/* SPDX-License-Identifier: Apache-2.0 */
/* DuckDB, which reads and writes tables that Millrace does not read itself: Parquet, databases,
 * what SQL can reach. Its library is opened at run time and is never needed to build or to start
 * Millrace. Internal to formats.
 *
 * Each object is a database of its own in memory. Its memory, threads and temporary files are those
 * of the context. One thread at a time. */
#ifndef MR_FORMATS_STREAM_DUCKDB_H
#define MR_FORMATS_STREAM_DUCKDB_H

#include <signal.h>

#include "engine/base/context.h"

#define MR_QUERY_PREFIX "sql:" /* an input that is a query */

/* A result of DuckDB, which passes it by value. The parts have no meaning here. */
struct mr_duckdb_result {
    uint64_t counts[3];
    void *parts[3];
};

/* The functions of DuckDB's C interface that Millrace calls: what they return, their names without
 * "duckdb_", their parameters. Handles are pointers, and state 0 is success. */
#define MR_DUCKDB_FUNCTIONS(F)                                                                     \
    F(const char *, library_version, (void))                                                       \
    F(int, create_config, (void **config))                                                         \
    F(int, set_config, (void *config, const char *name, const char *value))                        \
    F(void, destroy_config, (void **config))                                                       \
    F(int, open_ext, (const char *path, void **database, void *config, char **problem))            \
    F(void, close, (void **database))                                                              \
    F(void, free, (void *pointer))                                                                 \
    F(int, connect, (void *database, void **connection))                                           \
    F(void, disconnect, (void **connection))                                                       \
    F(void, interrupt, (void *connection))                                                         \
    F(int, query, (void *connection, const char *sql, struct mr_duckdb_result *result))            \
    F(const char *, result_error, (struct mr_duckdb_result * result))                              \
    F(void, destroy_result, (struct mr_duckdb_result * result))                                    \
    F(int, prepare, (void *connection, const char *sql, void **statement))                         \
    F(const char *, prepare_error, (void *statement))                                              \
    F(void, destroy_prepare, (void **statement))                                                   \
    F(uint64_t, prepared_statement_column_count, (void *statement))                                \
    F(const char *, prepared_statement_column_name, (void *statement, uint64_t column))            \
    F(int, prepared_statement_column_type, (void *statement, uint64_t column))                     \
    F(void *, prepared_statement_column_logical_type, (void *statement, uint64_t column))          \
    F(int, get_type_id, (void *type))                                                              \
    F(void *, list_type_child_type, (void *type))                                                  \
    F(void *, array_type_child_type, (void *type))                                                 \
    F(void, destroy_logical_type, (void **type))                                                   \
    F(int, pending_prepared_streaming, (void *statement, void **pending))                          \
    F(const char *, pending_error, (void *pending))                                                \
    F(int, execute_pending, (void *pending, struct mr_duckdb_result *result))                      \
    F(void, destroy_pending, (void **pending))                                                     \
    F(void *, fetch_chunk, (struct mr_duckdb_result result))                                       \
    F(void, destroy_data_chunk, (void **chunk))                                                    \
    F(uint64_t, data_chunk_get_size, (void *chunk))                                                \
    F(void *, data_chunk_get_vector, (void *chunk, uint64_t column))                               \
    F(void *, vector_get_data, (void *vector))                                                     \
    F(uint64_t *, vector_get_validity, (void *vector))

#define MR_DUCKDB_CALL(type, name, parameters) type(*name) parameters;
struct mr_duckdb_calls {
    MR_DUCKDB_FUNCTIONS(MR_DUCKDB_CALL)
};

struct mr_duckdb {
    struct mr_duckdb_calls call;
    void *connection;
    const char *directory; /* for temporary files */
    uint64_t ahead_bytes; /* of rows that a query may make before they are read */
    struct mr_duckdb_inside *inside; /* of duckdb.c */
};

/* Of its part of the budget. */
#define MR_DUCKDB_LEAST_BYTES ((uint64_t)112 << 20)

/* Does the path end in this suffix, in large or small letters, behind a name? */
bool mr_duckdb_has_suffix(const char *path, const char *suffix);

/* Refuse to write `path` if there is no library that does. Errors: USAGE. */
enum mr_status mr_duckdb_check(const char *path, struct mr_error *err) MR_WARN_UNUSED;

/* Open the library: $MILLRACE_DUCKDB, or else libduckdb.so where the system looks for libraries.
 * `path` is what the user wants to read, or to write (`writes`), for messages. `*db` is zero
 * before; close it after an error as well. Errors: INPUT if there is no library, or none that is
 * new enough; BUDGET. Memory: a quarter of what is left, at most 1 GiB. */
enum mr_status mr_duckdb_open(const struct mr_context *context, const char *path, bool writes,
                              struct mr_duckdb *db, struct mr_error *err) MR_WARN_UNUSED;
void mr_duckdb_close(struct mr_duckdb *db);

/* Block all signals in this thread while it is inside of DuckDB, which gives up an input if one
 * interrupts a read (EINTR). Its own threads are started so. `*before` is what to restore. */
static inline void mr_duckdb_block_signals(sigset_t *before)
{
    sigset_t all;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, before);
}
static inline void mr_duckdb_restore_signals(const sigset_t *before)
{
    (void)pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Run statements without a result. */
enum mr_status mr_duckdb_run(struct mr_duckdb *db, const char *sql,
                             struct mr_error *err) MR_WARN_UNUSED;

/* The text between two quotes `quote`, with each one in it doubled; to be freed. NULL: no memory.
 */
char *mr_duckdb_quote(const char *text, char quote);

/* The error of a call of DuckDB, which says `reason`: INTERRUPTED if the run shall stop, BUDGET if
 * its memory or a disk is too small, RUNTIME of what it writes and of a disk that fails, else
 * INPUT. */
enum mr_status mr_duckdb_failed(const struct mr_duckdb *db, const char *reason,
                                struct mr_error *err) MR_WARN_UNUSED;

#endif
