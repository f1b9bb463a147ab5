/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the names of a new store, in vertex order. See names.h and docs/store-format.md,
 * "Names". */
#ifndef MR_ENGINE_NAMES_NAME_WRITER_H
#define MR_ENGINE_NAMES_NAME_WRITER_H

#include "engine/names/names.h"
#include "engine/store/index.h"
#include "engine/writer/store_writer.h"

struct mr_names_writer;

/* What a writer takes at least; its index grows with the names. */
uint64_t mr_names_writer_bytes(void);

/* Begin the names of a store, MR_NAMES_NUMBERS or MR_NAMES_TEXT. */
enum mr_status mr_names_writer_create(const struct mr_context *context,
                                      struct mr_store_writer *store, uint64_t graph_id,
                                      enum mr_name_kind kind, struct mr_names_writer **out,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* Add a name. Numbers ascend; texts ascend by their keys. The caller's sort guarantees the order,
 * and mr_check verifies it. */
enum mr_status mr_names_writer_number(struct mr_names_writer *writer, uint64_t number,
                                      struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_names_writer_text(struct mr_names_writer *writer, const char *name,
                                    size_t name_bytes, struct mr_error *err) MR_WARN_UNUSED;

/* Seal the last block and pass the index to the store writer. Frees `writer` in any case. */
enum mr_status mr_names_writer_finish(struct mr_names_writer *writer,
                                      struct mr_error *err) MR_WARN_UNUSED;
void mr_names_writer_abandon(struct mr_names_writer *writer);

#endif
