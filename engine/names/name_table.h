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

#define MR_NAME_TABLE_HEAD_MAX_BYTES 4096u
#define MR_NAME_TABLE_ROW_MAX_BYTES  256u

/* What the owner of tables says about them. */
struct mr_name_table_kind {
    char name[8]; /* the owner, zero-padded: "opic" */
    uint32_t version; /* of head and rows */
    uint32_t head_bytes; /* 1..MR_NAME_TABLE_HEAD_MAX_BYTES */
    uint32_t row_bytes; /* 1..MR_NAME_TABLE_ROW_MAX_BYTES */
};

/* Fills the row of a vertex: `row[row_bytes]`. */
typedef void (*mr_name_table_fill)(const void *data, uint32_t vertex, uint8_t *row);

/* Write the table of all vertices of a store, in the order of their names, to `path`. Replaces a
 * regular file of that name when it is complete. Memory: 1.5 MiB. */
enum mr_status mr_name_table_write(const struct mr_context *context, const char *path,
                                   struct mr_names *names, const struct mr_store_info *info,
                                   const struct mr_name_table_kind *kind, const uint8_t *head,
                                   mr_name_table_fill fill, const void *data,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Open the table at `path`. Errors: RUNTIME if it cannot be opened; INPUT if it is no table, has
 * another kind, or is newer than its version; CORRUPT if it is damaged. Memory: 600 KiB. `kind`
 * outlives the reader. Close takes NULL. */
struct mr_name_table_reader;
enum mr_status mr_name_table_open(const struct mr_context *context, const char *path,
                                  const struct mr_name_table_kind *kind,
                                  struct mr_name_table_reader **out,
                                  struct mr_error *err) MR_WARN_UNUSED;
void mr_name_table_close(struct mr_name_table_reader *reader);

/* Valid until close. */
const uint8_t *mr_name_table_head(const struct mr_name_table_reader *reader);

/* Read the next row and its name, both valid until the next call. `*row` is NULL past the last one.
 * Errors: CORRUPT at an offset of the file. */
enum mr_status mr_name_table_next(struct mr_name_table_reader *reader, const char **name,
                                  size_t *name_bytes, const uint8_t **row,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Called for each name of a store or a table. `vertex` is NULL if the vertex is gone, `row` if the
 * vertex is new. The row is valid during the call. */
typedef enum mr_status (*mr_name_table_take)(void *data, const uint32_t *vertex, const uint8_t *row,
                                             struct mr_error *err);

/* Walk over a table that was just opened and over the names of a store, side by side: both are in
 * the same order. `key` is the function for the store's key number (NULL for numbers). Errors:
 * INPUT if the names of the store have another kind or order than those of the table; those of
 * `take`. Linear time over both; one key per name. */
enum mr_status mr_name_table_merge(const struct mr_context *context,
                                   struct mr_name_table_reader *reader, struct mr_names *names,
                                   const struct mr_store_info *info, mr_name_key key,
                                   mr_name_table_take take, void *data,
                                   struct mr_error *err) MR_WARN_UNUSED;

#endif
