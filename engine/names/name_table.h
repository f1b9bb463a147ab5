/* SPDX-License-Identifier: Apache-2.0 */
/* A table with one row of fixed size per vertex, keyed by the names of the vertices, in one file.
 * An algorithm stores there what it knows of a graph from one run to the next. The graph, and so
 * the numbers of its vertices, may change between runs.
 *
 * A table has a head, which the owner defines, and one row per vertex in the order of the names, in
 * checksummed and compressed blocks. The file is written under a temporary name and renamed when it
 * is complete (engine/io/publish.h): a process that is killed leaves the old file or the new one.
 * Layout: docs/opic.md, "State file". One thread at a time. */
#ifndef MR_ENGINE_NAMES_NAME_TABLE_H
#define MR_ENGINE_NAMES_NAME_TABLE_H

#include <stdbool.h>

#include "engine/names/names.h"
#include "engine/store/store.h"

struct mr_name_table_writer;
struct mr_name_table_reader;

#define MR_NAME_TABLE_HEAD_MAX_BYTES 4096u
#define MR_NAME_TABLE_ROW_MAX_BYTES  256u

/* Properties of a table. */
struct mr_name_table_shape {
    char kind[8]; /* the owner, zero-padded: "opic" */
    uint32_t version; /* version of head and rows, set by the owner */
    uint32_t head_bytes; /* 1..MR_NAME_TABLE_HEAD_MAX_BYTES */
    uint32_t row_bytes; /* 1..MR_NAME_TABLE_ROW_MAX_BYTES */
    uint64_t n_rows;
    bool text; /* names are text in the order of key `key_number`; else ascending numbers */
    uint32_t key_number; /* as in struct mr_store_info, without MR_NAME_SPELLINGS */
};

/* Begin the table of all vertices of a store at `path`. Replaces a regular file of that name.
 * `shape` gives kind, version, head_bytes and row_bytes; the store gives the rest.
 * `head[head_bytes]` is copied. Memory: 1.5 MiB. */
enum mr_status mr_name_table_create(const struct mr_context *context, const char *path,
                                    struct mr_names *names, const struct mr_store_info *info,
                                    const struct mr_name_table_shape *shape, const uint8_t *head,
                                    struct mr_name_table_writer **out,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Rows come in the order of the names. Before each row, this function returns its vertex. */
enum mr_status mr_name_table_vertex(struct mr_name_table_writer *writer, uint32_t *vertex,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Add the row of that vertex: `row[row_bytes]`. */
enum mr_status mr_name_table_add(struct mr_name_table_writer *writer, const uint8_t *row,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* After the row of the last vertex: sync and publish. Frees `writer` in any case. */
enum mr_status mr_name_table_commit(struct mr_name_table_writer *writer,
                                    struct mr_error *err) MR_WARN_UNUSED;
/* Remove the unfinished file. Takes NULL. */
void mr_name_table_abandon(struct mr_name_table_writer *writer);

/* Open the table at `path`. Errors: RUNTIME if it cannot be opened; INPUT if it is no table, has
 * another kind, or is newer than `version`; CORRUPT if it is damaged. Memory: 600 KiB. Close takes
 * NULL. */
enum mr_status mr_name_table_open(const struct mr_context *context, const char *path,
                                  const char kind[8], uint32_t version,
                                  struct mr_name_table_reader **out,
                                  struct mr_error *err) MR_WARN_UNUSED;
void mr_name_table_close(struct mr_name_table_reader *reader);

/* Valid until close. */
const struct mr_name_table_shape *mr_name_table_shape_of(const struct mr_name_table_reader *reader);
const uint8_t *mr_name_table_head(const struct mr_name_table_reader *reader);

/* Read the next row and its name, both valid until the next call. `*row` is NULL past the last one.
 * Errors: CORRUPT at an offset of the file. */
enum mr_status mr_name_table_next(struct mr_name_table_reader *reader, const char **name,
                                  size_t *name_bytes, const uint8_t **row,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Walks a table and the names of a store side by side. Both are in the same order. */
struct mr_name_table_merge;

enum mr_name_table_match {
    MR_NAME_IN_BOTH,
    MR_NAME_IN_STORE, /* a new vertex, without a row */
    MR_NAME_IN_TABLE, /* a row whose vertex is gone */
    MR_NAME_NONE /* the end of both */
};

/* Open a merge. Errors: INPUT if the names of the store have another kind or order than those of
 * the table. `key` is the function for the store's key number (NULL for numbers). Close takes NULL;
 * the reader stays open. */
enum mr_status mr_name_table_merge_open(const struct mr_context *context,
                                        struct mr_name_table_reader *reader, struct mr_names *names,
                                        const struct mr_store_info *info, mr_name_key key,
                                        struct mr_name_table_merge **out,
                                        struct mr_error *err) MR_WARN_UNUSED;
void mr_name_table_merge_close(struct mr_name_table_merge *merge);

/* Get the next name of either, in order. Sets `*vertex` unless the name is only in the table, and
 * `*row` unless it is only in the store. The row is valid until the next call. Linear time over
 * both; one key per name. */
enum mr_status mr_name_table_merge_next(struct mr_name_table_merge *merge,
                                        enum mr_name_table_match *match, uint32_t *vertex,
                                        const uint8_t **row, struct mr_error *err) MR_WARN_UNUSED;

#endif
