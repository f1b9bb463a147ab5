/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the rows of a query as text (query.h). formats/stream/source.c reads it in place of
 * the bytes of a file, so that all that reads tables of text reads tables of DuckDB, with the same
 * words for columns, the same options and the same messages.
 *
 * DuckDB's threads run the query and fill chunks of 2048 rows; the thread that reads takes them in
 * their order and writes them as text, and the readers of text run on all threads. */
#include "formats/stream/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/decimal.h"
#include "engine/base/memory.h"

enum {
    TEXT_BYTES = 256 << 10, /* of the buffer at first; a row may need more */
    NUMBER_BYTES = 22, /* at most, with a sign and a comma */
    INLINE_BYTES = 12, /* of a text in its vector */
    STRING_BYTES = 16 /* of a vector's entry */
};

/* DuckDB's types: those that are written from vectors, and further numbers. */
enum {
    TINYINT = 2,
    SMALLINT,
    INTEGER,
    BIGINT,
    UTINYINT,
    USMALLINT,
    UINTEGER,
    UBIGINT,
    FLOAT,
    DOUBLE,
    HUGEINT = 16,
    VARCHAR,
    DECIMAL = 19,
    UHUGEINT = 32
};

struct query_column {
    int type;
    bool is_number; /* its texts need no quotes */
    const uint8_t *data; /* of the chunk */
    const uint64_t *valid; /* bits, or NULL: all rows have values */
};

struct mr_query {
    const struct mr_context *context;
    struct mr_duckdb db;
    void *statement, *pending, *chunk;
    struct mr_duckdb_result result;
    struct query_column *columns; /* [n_columns] */
    uint64_t n_columns, row, n_rows; /* of the chunk: the next one, all */
    char *text; /* [room] */
    uint64_t room, at, end; /* text[at..end) is not read yet */
    bool has_result, is_over;
    bool are_pairs; /* the rows of the chunk are two numbers each */
};

static bool is_query(const char *path)
{
    return strncmp(path, MR_QUERY_PREFIX, sizeof MR_QUERY_PREFIX - 1) == 0;
}

bool mr_query_is(const char *path)
{
    return is_query(path) || mr_duckdb_has_suffix(path, ".parquet") ||
           mr_duckdb_has_suffix(path, ".duckdb");
}

/* ---- Queries ---- */

static enum mr_status no_memory(struct mr_error *err)
{
    return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a query");
}

/* Where the last statement begins: behind the last semicolon that has more than blanks behind it,
 * outside of quotes and comments. */
static const char *last_statement(const char *sql)
{
    const char *last = sql;
    bool is_new = false; /* behind a semicolon */

    for (const char *at = sql; *at != '\0'; at++) {
        const bool is_line = at[0] == '-' && at[1] == '-', is_note = at[0] == '/' && at[1] == '*';
        const char *stop = at;
        if (is_line || is_note) {
            stop = strstr(at + 1, is_line ? "\n" : "*/");
            stop = stop != NULL && is_note ? stop + 1 : stop;
        } else if (*at == ';') {
            is_new = true;
        } else if (strchr(" \t\r\n", *at) == NULL) {
            last = is_new ? at : last;
            is_new = false;
            stop = *at == '\'' || *at == '"' ? strchr(at + 1, *at) : at;
        }
        if (stop == NULL) {
            break;
        }
        at = stop;
    }
    return last;
}

static enum mr_status prepare(struct mr_query *query, const char *sql, struct mr_error *err)
{
    const struct mr_duckdb_calls *call = &query->db.call;

    if (query->statement != NULL) {
        call->destroy_prepare(&query->statement);
    }
    return call->prepare(query->db.connection, sql, &query->statement) == 0
               ? MR_OK
               : mr_duckdb_failed(&query->db, call->prepare_error(query->statement), err);
}

static bool is_integer(int type)
{
    return type >= TINYINT && type <= UBIGINT;
}

static bool is_number(int type)
{
    return (type >= TINYINT && type <= DOUBLE) || type == HUGEINT || type == DECIMAL ||
           type == UHUGEINT;
}

/* Is it written as it is? */
static bool is_plain(int type)
{
    return is_integer(type) || type == VARCHAR;
}

/* The query with casts of the columns whose type is another one. NULL: out of memory. */
static char *cast(const struct mr_query *query, const char *sql)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    if (out == NULL) {
        return NULL;
    }
    (void)fputs("SELECT ", out);
    for (uint64_t i = 0; i < query->n_columns; i++) {
        const char *form =
            is_plain(query->columns[i].type) ? "%sc%llu" : "%sCAST(c%llu AS VARCHAR)";
        (void)fprintf(out, form, i > 0 ? ", " : "", (unsigned long long)i);
    }
    (void)fprintf(out, " FROM (%s\n) AS t(", sql);
    for (uint64_t i = 0; i < query->n_columns; i++) {
        (void)fprintf(out, "%sc%llu", i > 0 ? ", " : "", (unsigned long long)i);
    }
    (void)fputs(")", out);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- Text ---- */

/* Makes room for so many bytes more. */
static enum mr_status make_room(struct mr_query *query, uint64_t bytes, struct mr_error *err)
{
    return query->room - query->end >= bytes
               ? MR_OK
               : mr_memory_grow(query->context->memory, "text of a table", query->end + bytes,
                                &query->text, &query->room, err);
}

/* Writes a field of CSV, or a line of a list, in which odd bytes become codes. There is room. */
static void put_text(struct mr_query *query, const char *text, uint64_t bytes, bool in_quotes)
{
    char *to = query->text + query->end;

    if (query->n_columns == 1) {
        static const char digits[] = "0123456789abcdef";
        for (uint64_t i = 0; i < bytes; i++) {
            const uint8_t byte = (uint8_t)text[i];
            if (byte >= ' ' && byte != '\\') {
                *to++ = (char)byte;
            } else {
                memcpy(to, "\\x", 2);
                to[2] = digits[byte >> 4];
                to[3] = digits[byte & 15];
                to += 4;
            }
        }
    } else if (!in_quotes) {
        memcpy(to, text, bytes);
        to += bytes;
    } else {
        *to++ = '"';
        for (uint64_t i = 0; i < bytes; i++) {
            *to++ = text[i];
            if (text[i] == '"') {
                *to++ = '"';
            }
        }
        *to++ = '"';
    }
    query->end = (uint64_t)(to - query->text);
}

/* What a text needs at most, with what stands around it. */
static uint64_t most_bytes(uint64_t bytes)
{
    return 4 * bytes + NUMBER_BYTES;
}

/* A header without quotes is no row of texts, and one in quotes is no row of numbers: a reader that
 * passes over a header that comes again passes over no row. */
static bool is_word(const char *name)
{
    return strpbrk(name, ",\"\r\n\t;|'#%") == NULL && (*name < '0' || *name > '9');
}

static enum mr_status put_header(struct mr_query *query, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (uint64_t i = 0; i < query->n_columns && status == MR_OK; i++) {
        const char *name = query->db.call.prepared_statement_column_name(query->statement, i);
        const uint64_t bytes = name != NULL ? strlen(name) : 0;
        status = make_room(query, most_bytes(bytes), err);
        if (status == MR_OK) {
            put_text(query, name, bytes, bytes == 0 || !is_word(name));
            query->text[query->end++] = i + 1 < query->n_columns ? ',' : '\n';
        }
        query->db.call.free((void *)(uintptr_t)name);
    }
    return status;
}

/* The number at a row, without its sign. */
static uint64_t number_at(const struct query_column *column, uint64_t row, bool *is_negative)
{
    int64_t number = 0;

    switch (column->type) {
    case TINYINT:
        number = ((const int8_t *)column->data)[row];
        break;
    case SMALLINT:
        number = ((const int16_t *)column->data)[row];
        break;
    case INTEGER:
        number = ((const int32_t *)column->data)[row];
        break;
    case BIGINT:
        number = ((const int64_t *)column->data)[row];
        break;
    case UTINYINT:
        number = column->data[row];
        break;
    case USMALLINT:
        number = ((const uint16_t *)column->data)[row];
        break;
    case UINTEGER:
        number = ((const uint32_t *)column->data)[row];
        break;
    default:
        *is_negative = false;
        return ((const uint64_t *)column->data)[row];
    }
    *is_negative = number < 0;
    return *is_negative ? -(uint64_t)number : (uint64_t)number;
}

static char *put_number(const struct query_column *column, uint64_t row, char *to)
{
    bool is_negative;
    const uint64_t number = number_at(column, row, &is_negative);

    *to = '-';
    return mr_decimal_put(to + is_negative, number);
}

static enum mr_status put_value(struct mr_query *query, const struct query_column *column,
                                struct mr_error *err)
{
    const uint64_t row = query->row;
    const uint8_t *entry = column->data + row * STRING_BYTES;
    const bool is_null = column->valid != NULL && (column->valid[row / 64] >> row % 64 & 1) == 0;
    const bool is_text = column->type == VARCHAR;
    const uint64_t bytes = is_text && !is_null ? mr_get_u32(entry) : 0;
    const char *text;

    const enum mr_status status = make_room(query, most_bytes(bytes), err);
    if (status != MR_OK || is_null) {
        return status;
    }
    if (!is_text) {
        char *to = query->text + query->end;
        query->end += (uint64_t)(put_number(column, row, to) - to);
        return MR_OK;
    }
    memcpy(&text, entry + 8, sizeof text);
    put_text(query, bytes <= INLINE_BYTES ? (const char *)entry + 4 : text, bytes,
             !column->is_number);
    return MR_OK;
}

static enum mr_status put_row(struct mr_query *query, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (uint64_t i = 0; i < query->n_columns && status == MR_OK; i++) {
        status = put_value(query, &query->columns[i], err);
        if (status == MR_OK) {
            query->text[query->end++] = i + 1 < query->n_columns ? ',' : '\n';
        }
    }
    query->row++;
    return status;
}

/* Writes rows of two numbers while there is room, twice as fast. */
static void put_pairs(struct mr_query *query)
{
    const struct query_column columns[2] = {query->columns[0], query->columns[1]};
    char *to = query->text + query->end, *const last = query->text + query->room - 2 * NUMBER_BYTES;
    uint64_t row = query->row;

    for (; row < query->n_rows && to <= last; row++) {
        to = put_number(&columns[0], row, to);
        *to++ = ',';
        to = put_number(&columns[1], row, to);
        *to++ = '\n';
    }
    query->row = row;
    query->end = (uint64_t)(to - query->text);
}

static enum mr_status take_chunk(struct mr_query *query, struct mr_error *err)
{
    const struct mr_duckdb_calls *call = &query->db.call;

    if (query->chunk != NULL) {
        call->destroy_data_chunk(&query->chunk);
    }
    query->row = query->n_rows = 0;
    query->chunk = call->fetch_chunk(query->result);
    if (query->chunk == NULL) {
        const char *reason = call->result_error(&query->result);
        query->is_over = true;
        return reason != NULL && *reason != '\0' ? mr_duckdb_failed(&query->db, reason, err)
                                                 : mr_context_poll(query->context, err);
    }
    query->n_rows = call->data_chunk_get_size(query->chunk);
    query->are_pairs = query->n_columns == 2;
    for (uint64_t i = 0; i < query->n_columns; i++) {
        void *vector = call->data_chunk_get_vector(query->chunk, i);
        struct query_column *column = &query->columns[i];
        column->data = call->vector_get_data(vector);
        column->valid = call->vector_get_validity(vector);
        query->are_pairs &= is_integer(column->type) && column->valid == NULL;
    }
    return MR_OK;
}

/* Writes rows until the buffer has enough, or there are no more. */
static enum mr_status fill(struct mr_query *query, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    query->at = query->end = 0;
    while (status == MR_OK && !query->is_over && query->end < TEXT_BYTES / 2) {
        if (query->row == query->n_rows) {
            status = take_chunk(query, err);
            continue;
        }
        if (query->are_pairs) {
            put_pairs(query);
        } else {
            status = put_row(query, err);
        }
    }
    return status;
}

/* ---- Opening ---- */

/* The only value of a query, which is a text. NULL: none, or out of memory. */
static enum mr_status ask(struct mr_query *query, const char *sql, char **value,
                          struct mr_error *err)
{
    const struct mr_duckdb_calls *call = &query->db.call;
    struct mr_duckdb_result result = {0};
    void *chunk = NULL;

    *value = NULL;
    enum mr_status status = call->query(query->db.connection, sql, &result) == 0
                                ? MR_OK
                                : mr_duckdb_failed(&query->db, call->result_error(&result), err);
    if (status == MR_OK && (chunk = call->fetch_chunk(result)) != NULL) {
        const uint8_t *entry = call->vector_get_data(call->data_chunk_get_vector(chunk, 0));
        const uint32_t bytes = mr_get_u32(entry);
        const char *text;
        memcpy(&text, entry + 8, sizeof text);
        *value = strndup(bytes <= INLINE_BYTES ? (const char *)entry + 4 : text, bytes);
        call->destroy_data_chunk(&chunk);
    }
    call->destroy_result(&result);
    return status;
}

/* Sets `*sql` to the query of a database, which has one table. */
static enum mr_status query_of_database(struct mr_query *query, const char *path, char **sql,
                                        struct mr_error *err)
{
    char *name = mr_duckdb_quote(path, '\''), *attach = NULL, *tables = NULL;

    if (name == NULL || asprintf(&attach, "ATTACH %s AS input (READ_ONLY)", name) < 0) {
        free(name);
        return no_memory(err);
    }
    enum mr_status status = mr_duckdb_run(&query->db, attach, err);
    if (status == MR_OK) {
        status = ask(query,
                     "SELECT coalesce(string_agg(CASE n WHEN 1 THEN q ELSE t END, ', '), '') FROM "
                     "(SELECT schema_name || '.' || table_name AS t, 'FROM input.\"' || "
                     "replace(schema_name, '\"', '\"\"') || '\".\"' || "
                     "replace(table_name, '\"', '\"\"') || '\"' AS q, count(*) OVER () AS n "
                     "FROM (SELECT database_name, schema_name, table_name FROM duckdb_tables() "
                     "UNION ALL SELECT database_name, schema_name, view_name FROM duckdb_views() "
                     "WHERE NOT internal) WHERE database_name = 'input' ORDER BY t)",
                     &tables, err);
    }
    if (status == MR_OK && tables == NULL) {
        status = no_memory(err);
    }
    if (status == MR_OK && strncmp(tables, "FROM input.", 11) != 0) {
        status = mr_error_file(err, MR_ERROR_INPUT, path, 0,
                               *tables == '\0' ? "is a database without a table%s"
                                               : "has the tables %.300s; say which columns of "
                                                 "which: --sql \"attach 'FILE' as x; select "
                                                 "source, target from x.TABLE\"",
                               tables);
    }
    *sql = tables;
    free(attach);
    free(name);
    return status;
}

/* Sets `*sql`, to be freed, to the query that the path means. */
static enum mr_status query_of(struct mr_query *query, const char *path, char **sql,
                               struct mr_error *err)
{
    char *name;

    if (is_query(path)) {
        *sql = strdup(path + sizeof MR_QUERY_PREFIX - 1);
        return *sql != NULL ? MR_OK : no_memory(err);
    }
    if (mr_duckdb_has_suffix(path, ".duckdb")) {
        return query_of_database(query, path, sql, err);
    }
    name = mr_duckdb_quote(path, '\'');
    if (name == NULL || asprintf(sql, "FROM read_parquet(%s)", name) < 0) {
        *sql = NULL;
    }
    free(name);
    return *sql != NULL ? MR_OK : no_memory(err);
}

/* Finds the columns of the statement that is prepared, and prepares it anew with casts if it needs
 * some. */
static enum mr_status find_columns(struct mr_query *query, const char *sql, struct mr_error *err)
{
    const struct mr_duckdb_calls *call = &query->db.call;
    bool all_plain = true;

    query->n_columns = call->prepared_statement_column_count(query->statement);
    enum mr_status status = mr_memory_array(query->context->memory, "columns of a table",
                                            query->n_columns, &query->columns, err);
    for (uint64_t i = 0; i < query->n_columns && status == MR_OK; i++) {
        const int type = call->prepared_statement_column_type(query->statement, i);
        query->columns[i] = (struct query_column){.type = type, .is_number = is_number(type)};
        all_plain &= is_plain(type);
    }
    if (status == MR_OK && query->n_columns > 1) {
        status = put_header(query, err);
    }
    if (status == MR_OK && !all_plain) {
        char *whole = cast(query, sql);
        status = whole != NULL ? prepare(query, whole, err) : no_memory(err);
        free(whole);
    }
    for (uint64_t i = 0; i < query->n_columns && status == MR_OK; i++) {
        struct query_column *column = &query->columns[i];
        column->type = is_integer(column->type) ? column->type : VARCHAR;
    }
    return status;
}

/* Runs the statements before the last one, and begins to run that. */
static enum mr_status begin(struct mr_query *query, char *sql, struct mr_error *err)
{
    const struct mr_duckdb_calls *call = &query->db.call;
    char *last = sql + (last_statement(sql) - sql);
    enum mr_status status = MR_OK;

    for (size_t n = strlen(last); n > 0 && strchr("; \t\r\n", last[n - 1]) != NULL; n--) {
        last[n - 1] = '\0';
    }
    if (last > sql) {
        const char first = *last;
        *last = '\0';
        status = mr_duckdb_run(&query->db, sql, err);
        *last = first;
    }
    if (status == MR_OK) {
        status = prepare(query, last, err);
    }
    if (status == MR_OK) {
        status = find_columns(query, last, err);
    }
    if (status == MR_OK &&
        call->pending_prepared_streaming(query->statement, &query->pending) != 0) {
        status = mr_duckdb_failed(&query->db, call->pending_error(query->pending), err);
    }
    if (status == MR_OK) {
        query->has_result = true;
        if (call->execute_pending(query->pending, &query->result) != 0) {
            status = mr_duckdb_failed(&query->db, call->result_error(&query->result), err);
        }
    }
    return status;
}

enum mr_status mr_query_open(const struct mr_context *context, const char *path,
                             struct mr_query **out, struct mr_error *err)
{
    struct mr_query *query = calloc(1, sizeof *query);
    char *sql = NULL;

    *out = query;
    if (query == NULL) {
        return no_memory(err);
    }
    query->context = context;
    enum mr_status status = mr_duckdb_open(context, path, false, &query->db, err);
    if (status == MR_OK) {
        status = mr_memory_grow(context->memory, "text of a table", TEXT_BYTES, &query->text,
                                &query->room, err);
    }
    if (status == MR_OK) {
        status = query_of(query, path, &sql, err);
    }
    if (status == MR_OK) {
        status = begin(query, sql, err);
    }
    free(sql);
    return status;
}

void mr_query_close(struct mr_query *query)
{
    if (query == NULL) {
        return;
    }
    const struct mr_duckdb_calls *call = &query->db.call;
    if (query->chunk != NULL) {
        call->destroy_data_chunk(&query->chunk);
    }
    if (query->has_result) {
        call->destroy_result(&query->result);
    }
    if (query->pending != NULL) {
        call->destroy_pending(&query->pending);
    }
    if (query->statement != NULL) {
        call->destroy_prepare(&query->statement);
    }
    mr_memory_free(query->context->memory, query->columns);
    mr_memory_free(query->context->memory, query->text);
    mr_duckdb_close(&query->db);
    free(query);
}

enum mr_status mr_query_read(struct mr_query *query, void *buffer, size_t capacity, size_t *got,
                             struct mr_error *err)
{
    const enum mr_status status = query->at == query->end ? fill(query, err) : MR_OK;

    *got = status == MR_OK ? (size_t)mr_min_u64(capacity, query->end - query->at) : 0;
    memcpy(buffer, query->text + query->at, *got);
    query->at += *got;
    return status;
}
