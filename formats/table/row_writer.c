/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a table (row_writer.h). A cell is laid out together with what stands before it, so that a
 * number costs one call of the output. */
#include "formats/table/row_writer.h"

#include <assert.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "formats/stream/double_text.h"
#include "formats/stream/table_file.h"

enum { MARK_BYTES = 3, HELD_ROWS = 1000, WIDEST = 100 };

enum mr_row_form mr_row_form_of(const char *path)
{
    static const struct {
        const char *suffix;
        enum mr_row_form form;
    } forms[] = {{".csv", MR_ROWS_CSV},
                 {".jsonl", MR_ROWS_JSONL},
                 {".ndjson", MR_ROWS_JSONL},
                 {".jl", MR_ROWS_JSONL},
                 {".json", MR_ROWS_JSON}};

    for (size_t i = 0; path != NULL && i < sizeof forms / sizeof forms[0]; i++) {
        if (mr_output_has_suffix(path, forms[i].suffix)) {
            return forms[i].form;
        }
    }
    return mr_table_file_is(path) ? MR_ROWS_TABLE : MR_ROWS_TSV;
}

/* Tables, archives and compressions that are not written. */
static const char *const foreign[] = {
    ".npy",  ".parquet", ".arrow",  ".feather", ".orc",  ".avro", ".xlsx",  ".xls", ".ods",
    ".h5",   ".hdf5",    ".sqlite", ".db",      ".pkl",  ".npz",  ".mat",   ".xml", ".html",
    ".yaml", ".zip",     ".7z",     ".tar",     ".bz2",  ".xz",   ".lz4",   ".br",  ".f32",
    ".f64",  ".u32",     ".ranks",  ".bin",     ".mill", ".pq",   ".duckdb"};

enum mr_status mr_row_form_check(const char *path, bool numbers, struct mr_error *err)
{
    for (size_t i = numbers; path != NULL && i < sizeof foreign / sizeof foreign[0]; i++) {
        if (mr_output_has_suffix(path, foreign[i]) && !mr_table_file_is(path)) {
            return mr_error_file(err, MR_ERROR_USAGE, path, 0,
                                 "%s is not written; name a file of lines with tabs (.tsv), .csv, "
                                 ".parquet, .jsonl%s; .gz or .zst behind it compresses",
                                 strcasestr(path, foreign[i]),
                                 numbers ? ", .json or .npy" : " or .json");
        }
    }
    return mr_table_file_is(path) ? mr_duckdb_check(path, err) : MR_OK;
}

enum mr_status mr_row_form_check_mark(const char *path, bool mark, struct mr_error *err)
{
    return !mark || mr_row_form_of(path) == MR_ROWS_CSV
               ? MR_OK
               : mr_error_set(err, MR_ERROR_USAGE, "--bom: -o %s is no .csv, which alone has it",
                              path != NULL ? path : "-");
}

static size_t number_text(const struct mr_row_column *column, const struct mr_cell *cell,
                          bool is_json, char *to)
{
    if (column->type == MR_CELL_FLAG && is_json) {
        return (size_t)sprintf(to, "%s", cell->count != 0 ? "true" : "false");
    }
    if (column->type <= MR_CELL_COUNT) {
        return (size_t)sprintf(to, "%llu", (unsigned long long)cell->count);
    }
    if (is_json && !isfinite(cell->real)) {
        memcpy(to, "null", 4);
        return 4;
    }
    return column->type == MR_CELL_SINGLE ? mr_single_shortest((float)cell->real, to)
                                          : mr_double_shortest(cell->real, to);
}

/* Writes a name as a cell of that form. Increments `*escaped` when that is another text. */
static enum mr_status write_name(struct mr_output *output, enum mr_row_form form, const char *name,
                                 size_t name_bytes, uint64_t *escaped, struct mr_error *err)
{
    return form == MR_ROWS_TSV || form == MR_ROWS_TABLE
               ? mr_output_name_escaped(output, name, name_bytes,
                                        form == MR_ROWS_TSV ? MR_NAME_LINE : MR_NAME_UTF8, escaped,
                                        err)
               : mr_output_name_field(output, form >= MR_ROWS_JSONL ? MR_NAME_UTF8 : MR_NAME_LINE,
                                      name, name_bytes, escaped, err);
}

/* Writes a cell behind text[bytes], which has room for a number. */
static enum mr_status write_cell(struct mr_row_writer *rows, const struct mr_row_column *column,
                                 const struct mr_cell *cell, char *text, size_t bytes,
                                 struct mr_error *err)
{
    const bool is_json = rows->form >= MR_ROWS_JSONL;
    uint64_t escaped = 0;

    if (column->type > MR_CELL_LABEL) {
        bytes += number_text(column, cell, is_json, text + bytes);
        return mr_output_write(rows->output, text, bytes, err);
    }
    enum mr_status status = mr_output_write(rows->output, text, bytes, err);
    if (status == MR_OK) {
        status = write_name(rows->output, rows->form, cell->text, cell->bytes, &escaped, err);
    }
    rows->n_escaped += column->type == MR_CELL_NAME ? escaped : 0;
    return status;
}

/* ---- On a terminal ---- */

static bool is_number(const struct mr_row_column *column)
{
    return column->type > MR_CELL_LABEL;
}

/* The columns of the terminal that a text takes. Where the locale has no UTF-8, a character takes
 * one. */
static int width_of(const char *text)
{
    mbstate_t state = {0};
    int width = 0;

    while (*text != '\0') {
        wchar_t character;
        const size_t bytes = mbrtowc(&character, text, MB_LEN_MAX, &state);
        const bool is_one = bytes > 0 && bytes <= MB_LEN_MAX;
        const int columns = is_one ? wcwidth(character) : -1;
        width += columns >= 0 ? columns : ((unsigned char)*text & 0xc0) != 0x80;
        text += is_one ? bytes : 1;
        state = is_one ? state : (mbstate_t){0};
    }
    return width;
}

static void widen(struct mr_row_writer *rows, size_t i, const char *text)
{
    const int width = width_of(text), most = width < WIDEST ? width : WIDEST;

    rows->widths[i] = most > rows->widths[i] ? most : rows->widths[i];
}

static enum mr_status hold_text(struct mr_row_writer *rows, const char *text, size_t bytes,
                                struct mr_error *err)
{
    if (rows->held == NULL) {
        rows->held = open_memstream(&rows->texts, &rows->texts_bytes);
    }
    if (rows->held == NULL || fwrite(text, 1, bytes, rows->held) != bytes ||
        putc('\0', rows->held) == EOF) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the rows of a table");
    }
    return MR_OK;
}

/* Keeps the text of a cell. */
static enum mr_status hold_cell(struct mr_row_writer *rows, size_t i, const struct mr_cell *cell,
                                struct mr_error *err)
{
    const struct mr_row_column *column = &rows->columns[i];
    char number[MR_DOUBLE_TEXT_BYTES];

    if (is_number(column) && cell->text != NULL) {
        return hold_text(rows, cell->text, strlen(cell->text), err);
    }
    if (is_number(column)) {
        const int bytes = column->type <= MR_CELL_COUNT
                              ? sprintf(number, "%llu", (unsigned long long)cell->count)
                              : snprintf(number, sizeof number, "%.6g", cell->real);
        return hold_text(rows, number, (size_t)bytes, err);
    }
    char *text = malloc(MR_NAME_CODE_BYTES * cell->bytes + 1);
    if (text == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a name");
    }
    const enum mr_status status =
        hold_text(rows, text, mr_name_escape(cell->text, cell->bytes, MR_NAME_LINE, text), err);
    free(text);
    return status;
}

/* Writes the texts of a row [n_columns], the names last. */
static enum mr_status print_row(struct mr_row_writer *rows, const char *const *texts,
                                struct mr_error *err)
{
    enum mr_status status = MR_OK;
    int gap = 0; /* before the next text */

    for (size_t k = 0; k < 2 * rows->n_columns && status == MR_OK; k++) {
        const size_t i = k % rows->n_columns;
        const struct mr_row_column *column = &rows->columns[i];
        if (column->absent || (column->type == MR_CELL_NAME) != (k >= rows->n_columns)) {
            continue;
        }
        const int left = rows->widths[i] - width_of(texts[i]), blanks = left > 0 ? left : 0;
        status =
            mr_output_print(rows->output, err, "%*s", gap + (is_number(column) ? blanks : 0), "");
        if (status == MR_OK) {
            status = mr_output_write(rows->output, texts[i], strlen(texts[i]), err);
        }
        gap = 2 + (is_number(column) ? 0 : blanks);
    }
    return status == MR_OK ? mr_output_write(rows->output, "\n", 1, err) : status;
}

/* Finds the texts of the next row [n_columns] that is held, or returns false. */
static bool next_texts(const struct mr_row_writer *rows, const char **at, const char **texts)
{
    if (*at == NULL || *at == rows->texts + rows->texts_bytes) {
        return false;
    }
    for (size_t i = 0; i < rows->n_columns; i++) {
        texts[i] = *at;
        *at += rows->columns[i].absent ? 0 : strlen(*at) + 1;
    }
    return true;
}

/* Writes the rows that are held, the first ones below a heading. */
static enum mr_status lay_out(struct mr_row_writer *rows, struct mr_error *err)
{
    const char *texts[MR_ROW_COLUMNS] = {NULL};
    enum mr_status status = MR_OK;
    /* What a name is does not depend on the locale of the program. */
    const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    const locale_t before = utf8 != (locale_t)0 ? uselocale(utf8) : (locale_t)0;

    assert(rows->n_columns <= MR_ROW_COLUMNS);
    if (rows->held != NULL && fclose(rows->held) != 0) {
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the rows of a table");
    }
    for (const char *at = rows->texts; status == MR_OK && next_texts(rows, &at, texts);) {
        for (size_t i = 0; i < rows->n_columns; i++) {
            widen(rows, i, rows->columns[i].absent ? "" : texts[i]);
        }
    }
    for (size_t i = 0; i < rows->n_columns; i++) {
        texts[i] = rows->columns[i].name;
        widen(rows, i, texts[i]);
    }
    if (status == MR_OK && rows->n_rows <= HELD_ROWS) {
        status = print_row(rows, texts, err);
    }
    for (const char *at = rows->texts; status == MR_OK && next_texts(rows, &at, texts);) {
        status = print_row(rows, texts, err);
    }
    if (utf8 != (locale_t)0) {
        (void)uselocale(before);
        freelocale(utf8);
    }
    free(rows->texts);
    rows->held = NULL;
    rows->texts = NULL;
    rows->texts_bytes = 0;
    return status;
}

/* ---- Rows ---- */

enum mr_status mr_row_writer_cell(struct mr_row_writer *rows, size_t i, const struct mr_cell *cell,
                                  struct mr_error *err)
{
    const struct mr_row_column *column = &rows->columns[i];
    char text[1 + MR_DOUBLE_TEXT_BYTES];
    enum mr_status status = MR_OK;
    size_t bytes = 0;

    if (column->absent) {
        return MR_OK;
    }
    if (rows->form == MR_ROWS_ALIGNED) {
        return hold_cell(rows, i, cell, err);
    }
    if (rows->form >= MR_ROWS_JSONL) {
        const char *open = rows->form == MR_ROWS_JSON && rows->n_rows > 0 ? ",\n{" : "{";
        status = mr_output_print(rows->output, err, "%s\"%s\":", rows->in_row ? "," : open,
                                 column->name);
    } else if (rows->in_row) {
        text[bytes++] = rows->form == MR_ROWS_CSV ? ',' : '\t';
    }
    rows->in_row = true;
    return status == MR_OK ? write_cell(rows, column, cell, text, bytes, err) : status;
}

enum mr_status mr_row_writer_next(struct mr_row_writer *rows, struct mr_error *err)
{
    rows->n_rows++;
    rows->in_row = false;
    if (rows->form == MR_ROWS_ALIGNED) {
        return rows->n_rows % HELD_ROWS == 0 ? lay_out(rows, err) : MR_OK;
    }
    return rows->form == MR_ROWS_JSONL  ? mr_output_write(rows->output, "}\n", 2, err)
           : rows->form == MR_ROWS_JSON ? mr_output_write(rows->output, "}", 1, err)
                                        : mr_output_write(rows->output, "\n", 1, err);
}

enum mr_status mr_row_writer_add(struct mr_row_writer *rows, const struct mr_cell *cells,
                                 struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (size_t i = 0; i < rows->n_columns && status == MR_OK; i++) {
        status = mr_row_writer_cell(rows, i, &cells[i], err);
    }
    return status == MR_OK ? mr_row_writer_next(rows, err) : status;
}

/* Opens a .parquet or a .duckdb. */
static enum mr_status open_table(struct mr_row_writer *rows, const struct mr_context *context,
                                 const char *path, bool force, struct mr_error *err)
{
    static const char *const types[] = {
        [MR_CELL_NAME] = "VARCHAR", [MR_CELL_ID] = "UBIGINT",    [MR_CELL_LABEL] = "VARCHAR",
        [MR_CELL_FLAG] = "BOOLEAN", [MR_CELL_COUNT] = "UBIGINT", [MR_CELL_SINGLE] = "FLOAT",
        [MR_CELL_REAL] = "DOUBLE"};
    char *columns = NULL;
    size_t bytes = 0;
    bool are_named = true;
    FILE *text = open_memstream(&columns, &bytes);

    for (size_t i = 0; text != NULL && i < rows->n_columns; i++) {
        char *name = mr_duckdb_quote(rows->columns[i].name, '\'');
        if (!rows->columns[i].absent && name != NULL) {
            (void)fprintf(text, "%s: '%s', ", name, types[rows->columns[i].type]);
        }
        are_named = are_named && name != NULL;
        free(name);
    }
    if (text == NULL || fclose(text) != 0 || !are_named) {
        free(columns);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the columns of a table");
    }
    const enum mr_status status = mr_output_open_table(context, path, force, columns, rows->bound,
                                                       rows->metadata, &rows->output, err);
    free(columns);
    return status;
}

static enum mr_status write_header(const struct mr_row_writer *rows, struct mr_error *err)
{
    const char *between = "";
    enum mr_status status = MR_OK;

    for (size_t i = 0; i < rows->n_columns && status == MR_OK; i++) {
        if (!rows->columns[i].absent) {
            status = mr_output_print(rows->output, err, "%s%s", between, rows->columns[i].name);
            between = rows->form == MR_ROWS_CSV ? "," : "\t";
        }
    }
    return status == MR_OK ? mr_output_write(rows->output, "\n", 1, err) : status;
}

enum mr_status mr_row_writer_open(struct mr_row_writer *rows, const struct mr_context *context,
                                  const char *path, bool force, bool header, bool mark,
                                  struct mr_error *err)
{
    size_t n_present = 0;

    for (size_t i = 0; i < rows->n_columns; i++) {
        n_present += !rows->columns[i].absent;
    }
    rows->form = rows->is_aligned && n_present > 1 ? MR_ROWS_ALIGNED : mr_row_form_of(path);
    if (rows->form == MR_ROWS_TABLE) {
        return open_table(rows, context, path, force, err);
    }
    enum mr_status status = mr_output_open(context, path, force, &rows->output, err);

    if (status == MR_OK && mark && rows->form == MR_ROWS_CSV) {
        status = mr_output_write(rows->output, "\xef\xbb\xbf", MARK_BYTES, err);
    }
    if (status != MR_OK || rows->form == MR_ROWS_JSONL || rows->form == MR_ROWS_ALIGNED) {
        return status;
    }
    return rows->form == MR_ROWS_JSON            ? mr_output_write(rows->output, "[\n", 2, err)
           : rows->form == MR_ROWS_CSV || header ? write_header(rows, err)
                                                 : MR_OK;
}

enum mr_status mr_row_writer_finish(struct mr_row_writer *rows, struct mr_error *err)
{
    return rows->output == NULL || rows->form < MR_ROWS_ALIGNED || rows->form == MR_ROWS_JSONL
               ? MR_OK
           : rows->form == MR_ROWS_ALIGNED
               ? (rows->n_rows > 0 && rows->n_rows % HELD_ROWS == 0 ? MR_OK : lay_out(rows, err))
           : rows->n_rows > 0 ? mr_output_write(rows->output, "\n]\n", 3, err)
                              : mr_output_write(rows->output, "]\n", 2, err);
}

enum mr_status mr_row_writer_end(struct mr_row_writer *rows, enum mr_status status,
                                 struct mr_error *err)
{
    struct mr_output *output = rows->output;

    if (status == MR_OK) {
        status = mr_row_writer_finish(rows, err);
    } else if (rows->held != NULL) {
        (void)fclose(rows->held);
        free(rows->texts);
        rows->held = NULL;
    }
    rows->output = NULL;
    return output == NULL ? status : mr_output_end(output, status, err);
}
