/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that another program has to read first. Every input comes through here when it is opened
 * and when its first bytes are known. Without these messages the user would see an error about a
 * missing file, or about line 1 of binary data. */
#include "formats/stream/foreign.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "engine/io/io.h"

enum { NAME_BYTES = 512, ZIP_NAME_AT = 30 };

#define ZIP "PK\x03\x04"
#define PANDAS(function)                                                                           \
    "python3 -c \"import pandas, sys; pandas." function "('%s').to_csv(sys.stdout, index=False)\""
#define MATRIX                                                                                     \
    "python3 -c \"import scipy.io, scipy.sparse, sys; "                                            \
    "scipy.io.mmwrite(sys.stdout.buffer, scipy.sparse.load_npz('%s'))\""
#define PARQUET "duckdb -csv -c \"select * from '%s'\""

struct foreign {
    const char *magic;
    size_t at, n_bytes; /* of the magic number */
    bool may_be_text; /* a text may begin so, and is no such data */
    const char *in_zip; /* the name of the first file in a zip archive, or its beginning; or NULL */
    const char *what;
    const char *command; /* %s is the file */
};

static const struct foreign formats[] = {
    {"\xfd\x37zXZ\0", 0, 6, false, NULL, "xz", "xz -dc '%s'"},
    {"\x04\x22\x4d\x18", 0, 4, false, NULL, "lz4", "lz4 -dc '%s'"},
    /* Two bytes might begin pairs of numbers; the third one says 16 bits, as compress writes. */
    {"\x1f\x9d\x90", 0, 3, false, NULL, "compress (.Z)", "gzip -dc '%s'"},
    {"\x37\x7a\xbc\xaf\x27\x1c", 0, 6, false, NULL, "7z", "7z x -so '%s'"},
    /* "BZh9" may begin a name; the magic number of a block behind it does not. */
    {"1AY&SY", 4, 6, false, NULL, "bzip2", "bzip2 -dc '%s'"},
    {"\x17\x72\x45\x38\x50\x90", 4, 6, false, NULL, "bzip2", "bzip2 -dc '%s'"},
    {"ustar", 257, 5, true, NULL, "tar", "tar -xOf '%s'"},
    {"PAR1", 0, 4, true, NULL, "Parquet", PARQUET},
    {"ORC", 0, 3, true, NULL, "ORC", PANDAS("read_orc")},
    {"ARROW1", 0, 6, true, NULL, "Arrow", PANDAS("read_feather")},
    {"FEA1", 0, 4, true, NULL, "Feather", PANDAS("read_feather")},
    {"\x89HDF\r\n\x1a\n", 0, 8, false, NULL, "HDF5", PANDAS("read_hdf")},
    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0, 8, false, NULL, "Excel", PANDAS("read_excel")},
    {"SQLite format 3\0", 0, 16, false, NULL, "SQLite",
     "sqlite3 -csv '%s' 'select source, target from links'"},
    {ZIP, 0, 4, false, "[Content_Types].xml", "Excel", PANDAS("read_excel")},
    {ZIP, 0, 4, false, "_rels/", "Excel", PANDAS("read_excel")},
    {ZIP, 0, 4, false, "docProps/", "Excel", PANDAS("read_excel")},
    {ZIP, 0, 4, false, "xl/", "Excel", PANDAS("read_excel")},
    {ZIP, 0, 4, false, "mimetypeapplication/vnd.oasis.", "OpenDocument", PANDAS("read_excel")},
    {ZIP, 0, 4, false, "indices.npy", "SciPy's .npz", MATRIX},
    {ZIP, 0, 4, false, "row.npy", "SciPy's .npz", MATRIX},
    {ZIP, 0, 4, false, NULL, "zip", "unzip -p '%s'"},
};

/* Lines without control characters. */
static bool is_text(const char *data, size_t bytes)
{
    for (size_t i = 0; i < bytes && i < NAME_BYTES; i++) {
        if ((unsigned char)data[i] < ' ' && memchr("\t\n\r\f", data[i], 4) == NULL) {
            return false;
        }
    }
    return bytes > 0 && memchr(data, '\n', bytes) != NULL;
}

static bool has_at(const char *data, size_t bytes, size_t at, const char *text, size_t n)
{
    return bytes >= at + n && memcmp(data + at, text, n) == 0;
}

static bool is_format(const struct foreign *format, const char *data, size_t bytes)
{
    return has_at(data, bytes, format->at, format->magic, format->n_bytes) &&
           !(format->may_be_text && is_text(data, bytes)) &&
           (format->in_zip == NULL ||
            has_at(data, bytes, ZIP_NAME_AT, format->in_zip, strlen(format->in_zip)));
}

/* The name if it can stand in quotes of a shell, or else `other`. */
static const char *shell_name(const char *name, const char *other)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./,+@%=:-?&#~";
    const size_t bytes = strlen(name);
    return strspn(name, plain) == bytes && bytes < NAME_BYTES / 2 && name[0] != '-' ? name : other;
}

enum mr_status mr_foreign_refuse_data(const char *name, const char *data, size_t bytes,
                                      struct mr_error *err)
{
    char command[NAME_BYTES];

    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (is_format(&formats[i], data, bytes)) {
            (void)snprintf(command, sizeof command, formats[i].command, shell_name(name, "FILE"));
            return mr_error_offset(err, MR_ERROR_INPUT, name, 0,
                                   "%s data, which is not read directly; pipe it: %s | "
                                   "millrace ... -",
                                   formats[i].what, command);
        }
    }
    return MR_OK;
}

enum mr_status mr_foreign_refuse_address(const char *path, struct mr_error *err)
{
    static const struct {
        const char *scheme, *command;
    } schemes[] = {
        {"http://", "curl -sSfL '%s'"},       {"https://", "curl -sSfL '%s'"},
        {"ftp://", "curl -sSfL '%s'"},        {"s3://", "aws s3 cp '%s' -"},
        {"gs://", "gcloud storage cat '%s'"}, {"hdfs://", "hdfs dfs -cat '%s'"},
    };
    const char *const end = strstr(path, "://"), *command = NULL;
    char text[NAME_BYTES];

    if (end == NULL || end == path || memchr(path, '/', (size_t)(end - path)) != NULL ||
        mr_io_exists(path)) {
        return MR_OK;
    }
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        if (strncmp(path, schemes[i].scheme, strlen(schemes[i].scheme)) == 0) {
            command = strlen(end) > 8 && strcmp(path + strlen(path) - 8, ".parquet") == 0
                          ? PARQUET
                          : schemes[i].command;
        }
    }
    if (command == NULL) {
        return mr_error_file(err, MR_ERROR_INPUT, path, 0,
                             "is an address, and Millrace reads files; get the file and say its "
                             "path");
    }
    (void)snprintf(text, sizeof text, command, shell_name(path, "ADDRESS"));
    return mr_error_file(err, MR_ERROR_INPUT, path, 0,
                         "is an address, and Millrace reads files; pipe it: %s | millrace ... -",
                         text);
}
