/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the rows of a query as text (query.h). formats/stream/source.c reads it in place of
 * the bytes of a file, so that all that reads tables of text reads tables of DuckDB, with the same
 * words for columns, the same options and the same messages.
 *
 * DuckDB's threads run the query and fill chunks of 2048 rows; the thread that reads takes them in
 * their order and writes them as text. The chunks of the first text are kept, so that a reader that
 * has looked at it can have all rows as they are. */
#include "formats/stream/query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/decimal.h"
#include "engine/base/memory.h"
#include "formats/stream/double_text.h"

enum {
    TEXT_BYTES = 256 << 10, /* of the buffer at first; a row may need more */
    NUMBER_BYTES = MR_DOUBLE_TEXT_BYTES + 2, /* at most, with ".0" or a comma */
    TEXTS_AHEAD_BYTES = 128 << 10,
    KEPT_CHUNKS = TEXT_BYTES / 2048 / 2 /* a row is two bytes at least, a chunk mostly 2048 rows */
};

/* Further numbers of DuckDB. */
enum {
    HUGEINT = 16,
    DECIMAL = 19,
    LIST = 24,
    STRUCT = 25,
    MAP = 26,
    UNION = 28,
    UHUGEINT = 32,
    ARRAY = 33
};

/* Whole numbers below it are written without an exponent. */
#define MOST_PLAIN 1e16

struct mr_query {
    const struct mr_context *context;
    struct mr_duckdb db;
    void *statement, *pending;
    struct mr_duckdb_result result;
    struct mr_query_column *columns; /* [n_columns], those of the chunk */
    uint64_t n_columns, row,
        n_before; /* row: of the chunk, the next one; n_before: of earlier ones */
    struct mr_query_rows chunk;
    struct mr_query_rows kept[KEPT_CHUNKS]; /* the first chunks, with this one; */
    unsigned n_kept, n_given; /* given: to a reader of rows */
    char *text; /* [room] */
    uint64_t room, at, end; /* text[at..end) is not read yet */
    bool has_result, is_over;
    bool is_text; /* the first chunks are not kept */
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
    return type >= MR_QUERY_TINYINT && type <= MR_QUERY_UBIGINT;
}

static bool is_number(int type)
{
    return (type >= MR_QUERY_TINYINT && type <= MR_QUERY_DOUBLE) || type == HUGEINT ||
           type == DECIMAL || type == UHUGEINT;
}

/* Is it written as it is? */
static bool is_plain(int type)
{
    return is_integer(type) || type == MR_QUERY_FLOAT || type == MR_QUERY_DOUBLE ||
           type == MR_QUERY_VARCHAR;
}

/* The query with casts of the columns whose type is another one. A whole DECIMAL is an integer
 * without a point, since a text 1.000 may be a thousand. A list is JSON with each item in quotes:
 * DuckDB's own text of a list has quotes around some; NULL in a list is no item. NULL: out of
 * memory. */
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
        const int type = query->columns[i].type;
        const unsigned long long c = i;
        (void)fputs(i > 0 ? ", " : "", out);
        if (query->columns[i].is_list) {
            (void)fprintf(out,
                          "to_json([CASE WHEN typeof(c%llu) LIKE 'DECIMAL%%' THEN "
                          "regexp_replace(x, '\\.0+$', '') ELSE x END FOR x IN "
                          "CAST(c%llu AS VARCHAR[]) IF x IS NOT NULL])::VARCHAR",
                          c, c);
        } else {
            (void)fprintf(out,
                          is_plain(type)    ? "c%llu"
                          : type == DECIMAL ? "regexp_replace(CAST(c%llu AS VARCHAR), '\\.0+$', '')"
                                            : "CAST(c%llu AS VARCHAR)",
                          c);
        }
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

/* Writes a number as DuckDB's cast to text does. */
static char *put_real(double value, bool is_single, char *to)
{
    if (isnan(value) || isinf(value)) {
        const char *word = isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
        return stpcpy(to, word);
    }
    if (value == trunc(value) && fabs(value) < MOST_PLAIN) {
        *to = '-';
        to = mr_decimal_put(to + (signbit(value) ? 1 : 0), (uint64_t)fabs(value));
        return stpcpy(to, ".0");
    }
    return to + (is_single ? mr_single_shortest((float)value, to) : mr_double_shortest(value, to));
}

static char *put_number(const struct mr_query_column *column, uint64_t row, char *to)
{
    if (!is_integer(column->type)) {
        return put_real(mr_query_real(column, row), column->type == MR_QUERY_FLOAT, to);
    }
    return mr_query_put_integer(column, row, to);
}

static enum mr_status put_value(struct mr_query *query, const struct mr_query_column *column,
                                struct mr_error *err)
{
    const uint64_t row = query->row;
    const bool is_null = mr_query_is_null(column, row);
    const bool is_text = column->type == MR_QUERY_VARCHAR;
    uint64_t bytes = 0;
    const char *text = is_text && !is_null ? mr_query_text(column, row, &bytes) : NULL;

    const enum mr_status status = make_room(query, most_bytes(bytes), err);
    if (status != MR_OK || is_null) {
        return status;
    }
    if (!is_text) {
        char *to = query->text + query->end;
        query->end += (uint64_t)(put_number(column, row, to) - to);
        return MR_OK;
    }
    put_text(query, text, bytes, !column->is_number);
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

struct mr_query_column mr_query_vector(const struct mr_query *query,
                                       const struct mr_query_rows *rows, uint64_t index)
{
    void *vector = query->db.call.data_chunk_get_vector(rows->chunk, index);
    const struct mr_query_column *column = &query->columns[index];

    return (struct mr_query_column){
        .type = column->type,
        .is_number = column->is_number,
        .is_list = column->is_list, /* the others change while mr_query_row runs */
        .data = query->db.call.vector_get_data(vector),
        .valid = query->db.call.vector_get_validity(vector),
    };
}

uint64_t mr_query_text_bytes(const struct mr_query *query, const struct mr_query_rows *rows)
{
    uint64_t sum = 0, bytes;

    for (uint64_t i = 0; i < query->n_columns && rows->n > 0; i++) {
        const struct mr_query_column column = mr_query_vector(query, rows, i);
        for (uint64_t row = 0; row < rows->n && column.type == MR_QUERY_VARCHAR; row++) {
            if (!mr_query_is_null(&column, row)) {
                (void)mr_query_text(&column, row, &bytes);
                sum += bytes;
            }
        }
    }
    return sum;
}

enum mr_status mr_query_look_at_end(const struct mr_query *query, const char *name, int index,
                                    bool *is_list, struct mr_error *err)
{
    *is_list = index >= 0 && (uint64_t)index < query->n_columns && query->columns[index].is_list;
    return index >= 0 && (uint64_t)index < query->n_columns && query->columns[index].has_parts
               ? mr_error_file(err, MR_ERROR_INPUT, name, 0,
                               "column %d has values with parts of their own (structs, maps, lists "
                               "of lists), which are no pages; choose a part of them in a query",
                               index + 1)
               : MR_OK;
}

void mr_query_release(const struct mr_query *query, struct mr_query_rows *rows)
{
    if (rows->chunk != NULL) {
        query->db.call.destroy_data_chunk(&rows->chunk);
    }
    *rows = (struct mr_query_rows){0};
}

/* Takes the next chunk of DuckDB; `rows->n` is 0 at the end. */
static enum mr_status fetch(struct mr_query *query, struct mr_query_rows *rows,
                            struct mr_error *err)
{
    const struct mr_duckdb_calls *call = &query->db.call;
    sigset_t before;

    mr_duckdb_block_signals(&before);
    *rows = (struct mr_query_rows){.first = query->n_before};
    while (!query->is_over && rows->n == 0) {
        mr_query_release(query, rows);
        rows->first = query->n_before;
        rows->chunk = call->fetch_chunk(query->result);
        query->is_over = rows->chunk == NULL;
        rows->n = query->is_over ? 0 : call->data_chunk_get_size(rows->chunk);
    }
    mr_duckdb_restore_signals(&before);
    query->n_before += rows->n;
    if (rows->n > MR_QUERY_ROWS) {
        return mr_duckdb_failed(&query->db, "chunks of more than 2048 rows", err);
    }
    if (rows->n > 0) {
        return MR_OK;
    }
    const char *reason = call->result_error(&query->result);
    return reason != NULL && *reason != '\0' ? mr_duckdb_failed(&query->db, reason, err)
                                             : mr_context_poll(query->context, err);
}

static void forget_kept(struct mr_query *query)
{
    for (unsigned i = query->n_given; i < query->n_kept; i++) {
        mr_query_release(query, &query->kept[i]);
    }
    query->n_kept = query->n_given = 0;
}

static void take_columns(struct mr_query *query, const struct mr_query_rows *rows)
{
    for (uint64_t i = 0; i < query->n_columns; i++) {
        const struct mr_query_column column = mr_query_vector(query, rows, i);
        query->columns[i].data = column.data;
        query->columns[i].valid = column.valid;
    }
}

static enum mr_status take_chunk(struct mr_query *query, struct mr_error *err)
{
    if (query->is_text) {
        mr_query_release(query, &query->chunk);
    }
    query->row = 0;
    const enum mr_status status = fetch(query, &query->chunk, err);
    if (status == MR_OK && query->chunk.n > 0) {
        take_columns(query, &query->chunk);
    }
    if (!query->is_text && query->chunk.chunk != NULL) {
        if (query->n_kept == KEPT_CHUNKS) {
            query->is_text = true;
            forget_kept(query);
        } else {
            query->kept[query->n_kept++] = query->chunk;
        }
    }
    return status;
}

/* Writes rows until the buffer has enough, or there are no more. */
static enum mr_status fill(struct mr_query *query, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    if (query->n_kept > 0 && !query->is_text && !query->is_over) { /* the look has its text */
        query->is_text = true;
        query->n_kept -= query->chunk.chunk != NULL; /* its rows follow */
        forget_kept(query);
    }
    query->at = query->end = 0;
    while (status == MR_OK && query->end < TEXT_BYTES / 2) {
        if (query->row < query->chunk.n) {
            status = put_row(query, err);
            continue;
        }
        status = take_chunk(query, err);
        if (query->chunk.n == 0) {
            break;
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
        const struct mr_query_column column = {
            .data = call->vector_get_data(call->data_chunk_get_vector(chunk, 0))};
        uint64_t bytes;
        const char *text = mr_query_text(&column, 0, &bytes);
        *value = strndup(text, bytes);
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

static bool has_parts(int type)
{
    return type == LIST || type == ARRAY || type == STRUCT || type == MAP || type == UNION;
}

/* Has an item of the column, which are lists, parts of its own? */
static bool items_have_parts(const struct mr_query *query, uint64_t index)
{
    const struct mr_duckdb_calls *call = &query->db.call;
    void *list = call->prepared_statement_column_logical_type(query->statement, index);
    void *item = query->columns[index].type == LIST ? call->list_type_child_type(list)
                                                    : call->array_type_child_type(list);
    const bool have = has_parts(call->get_type_id(item));

    call->destroy_logical_type(&item);
    call->destroy_logical_type(&list);
    return have;
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
        struct mr_query_column *column = &query->columns[i];
        *column = (struct mr_query_column){
            .type = type, .is_number = is_number(type), .is_list = type == LIST || type == ARRAY};
        column->has_parts = column->is_list ? items_have_parts(query, i) : has_parts(type);
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
        struct mr_query_column *column = &query->columns[i];
        column->type = is_plain(column->type) ? column->type : MR_QUERY_VARCHAR;
    }
    return status;
}

/* Says how many bytes of rows DuckDB makes before they are read. It counts 16 bytes of a text,
 * however long that is, and holds chunks of 2048 rows: of texts of 3 KB, which are good names, 2 GB
 * in place of 9 MB. Rows with texts take no longer with few chunks. */
static enum mr_status limit_rows_ahead(struct mr_query *query, struct mr_error *err)
{
    uint64_t bytes = query->db.ahead_bytes;
    char text[64];

    for (uint64_t i = 0; i < query->n_columns; i++) {
        bytes = query->columns[i].type == MR_QUERY_VARCHAR ? TEXTS_AHEAD_BYTES : bytes;
    }
    (void)snprintf(text, sizeof text, "SET streaming_buffer_size = '%lluKiB'",
                   (unsigned long long)bytes >> 10);
    return mr_duckdb_run(&query->db, text, err);
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
    if (status == MR_OK) {
        status = limit_rows_ahead(query, err);
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
    sigset_t before;

    *out = query;
    if (query == NULL) {
        return no_memory(err);
    }
    query->context = context;
    enum mr_status status = mr_duckdb_open(context, path, false, &query->db, err);
    mr_duckdb_block_signals(&before);
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
    mr_duckdb_restore_signals(&before);
    free(sql);
    return status;
}

void mr_query_close(struct mr_query *query)
{
    if (query == NULL) {
        return;
    }
    const struct mr_duckdb_calls *call = &query->db.call;
    if (query->is_text) {
        mr_query_release(query, &query->chunk);
    }
    forget_kept(query);
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

/* ---- Rows as they are ---- */

struct mr_query_column mr_query_column_at(const struct mr_query *query, uint64_t index)
{
    struct mr_query_column column = {.type = 0};

    if (index < query->n_columns) {
        column.type = query->columns[index].type;
        column.is_number = query->columns[index].is_number;
    }
    return column;
}

bool mr_query_restart(struct mr_query *query)
{
    query->at = query->end = 0;
    query->row = query->chunk.n;
    return !query->is_text;
}

enum mr_status mr_query_next(struct mr_query *query, struct mr_query_rows *rows,
                             struct mr_error *err)
{
    if (query->n_given < query->n_kept) {
        *rows = query->kept[query->n_given++];
        return MR_OK;
    }
    return fetch(query, rows, err);
}

enum mr_status mr_query_row(struct mr_query *query, const struct mr_query_rows *rows, uint64_t row,
                            const char **text, size_t *bytes, struct mr_error *err)
{
    query->end = 0;
    query->row = row;
    take_columns(query, rows);
    const enum mr_status status = put_row(query, err);
    *text = query->text;
    *bytes = query->end > 0 ? query->end - 1 : 0;
    return status;
}
