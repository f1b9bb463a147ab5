/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the numbered vertices: hashes them for the id of the graph, and writes them to the
 * store. Both walk the names in vertex order, from the id set, the dictionary or the store that
 * names are copied from. */
#include <assert.h>
#include <string.h>

#include <xxhash.h>

#include "engine/builder/vertices/numbering_internal.h"
#include "engine/names/name_writer.h"

/* Ids to take from the set at a time. */
enum { ID_BATCH = 512 };

enum mr_name_kind mr_numbering_name_kind(const struct mr_numbering *numbering)
{
    assert(numbering->is_finished);
    if (numbering->kind == MR_IDS_TEXT) {
        return MR_NAMES_TEXT;
    }
    if (numbering->kind == MR_IDS_DENSE) {
        return numbering->names.kind;
    }
    return mr_id_set_is_identity(numbering->ids) ? MR_NAMES_IDENTITY : MR_NAMES_NUMBERS;
}

/* Add names to a hash in vertex order, for the id of the graph. */
static uint64_t hash_number(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_text(uint64_t hash, const char *name, size_t name_bytes)
{
    return XXH3_64bits_withSeed(name, name_bytes, hash);
}

/* Where names are written. */
struct name_target {
    struct mr_names_writer *writer;
    struct mr_name_groups *groups; /* or NULL */
    bool has_spellings;
};

static enum mr_status write_text(void *data, const char *name, size_t name_bytes,
                                 struct mr_error *err)
{
    const struct name_target *target = data;
    enum mr_status status = mr_names_writer_text(target->writer, name, name_bytes, err);
    if (status == MR_OK && target->groups != NULL) {
        const char *end = target->has_spellings ? memchr(name, '\n', name_bytes) : NULL;
        status = mr_name_groups_add(target->groups, name,
                                    end != NULL ? (size_t)(end - name) : name_bytes, err);
    }
    return status;
}

static enum mr_status hash_copied(void *data, uint64_t number, const char *name, size_t name_bytes,
                                  struct mr_error *err)
{
    uint64_t *hash = data;
    (void)err;
    *hash = name == NULL ? hash_number(*hash, number) : hash_text(*hash, name, name_bytes);
    return MR_OK;
}

static enum mr_status write_copied(void *data, uint64_t number, const char *name, size_t name_bytes,
                                   struct mr_error *err)
{
    const struct name_target *target = data;
    return name == NULL ? mr_names_writer_number(target->writer, number, err)
                        : write_text(data, name, name_bytes, err);
}

enum mr_status mr_numbering_hash_source(struct mr_numbering *numbering, struct mr_error *err)
{
    const struct mr_names_source *names = &numbering->names;
    return names->kind == MR_NAMES_IDENTITY
               ? MR_OK
               : names->walk(names->data, hash_copied, &numbering->names_hash, err);
}

/* Write the names to the store. */
static enum mr_status write_source(const struct mr_numbering *numbering,
                                   struct mr_store_writer *store, uint64_t graph_id,
                                   struct mr_name_groups *groups, struct mr_error *err)
{
    const struct mr_names_source *names = &numbering->names;
    struct name_target target = {.groups = groups, .has_spellings = names->has_spellings};

    if (names->kind == MR_NAMES_IDENTITY) {
        return MR_OK;
    }
    enum mr_status status = mr_names_writer_create(numbering->context, store, graph_id, names->kind,
                                                   &target.writer, err);
    if (status == MR_OK) {
        status = names->walk(names->data, write_copied, &target, err);
    }
    if (status == MR_OK) {
        return mr_names_writer_finish(target.writer, err);
    }
    mr_names_writer_abandon(target.writer);
    return status;
}

static enum mr_status hash_name(void *data, const char *name, size_t name_bytes,
                                struct mr_error *err)
{
    uint64_t *hash = data;
    (void)err;
    *hash = hash_text(*hash, name, name_bytes);
    return MR_OK;
}

enum mr_status mr_numbering_hash(const struct mr_numbering *numbering, uint64_t *hash,
                                 struct mr_error *err)
{
    enum mr_name_kind kind = mr_numbering_name_kind(numbering);
    *hash = 0;
    if (numbering->kind == MR_IDS_DENSE) {
        *hash = numbering->names_hash;
    } else if (kind == MR_NAMES_NUMBERS) {
        uint64_t ids[ID_BATCH], cursor = 0;
        enum mr_status status;
        size_t n;
        do {
            status = mr_id_set_next(numbering->ids, &cursor, ids, ID_BATCH, &n, err);
            for (size_t i = 0; i < n; i++) {
                *hash = hash_number(*hash, ids[i]);
            }
        } while (status == MR_OK && n > 0);
        return status;
    } else if (kind == MR_NAMES_TEXT) {
        return mr_dictionary_walk(numbering->dictionary, hash_name, hash, err);
    }
    return MR_OK;
}

static enum mr_status write_numbers(const struct mr_numbering *numbering,
                                    struct mr_names_writer *writer, struct mr_error *err)
{
    uint64_t ids[ID_BATCH], cursor = 0;
    enum mr_status status = MR_OK;
    size_t n = 1;
    while (status == MR_OK && n > 0) {
        status = mr_context_poll(numbering->context, err);
        if (status == MR_OK) {
            status = mr_id_set_next(numbering->ids, &cursor, ids, ID_BATCH, &n, err);
        }
        for (size_t i = 0; status == MR_OK && i < n; i++) {
            status = mr_names_writer_number(writer, ids[i], err);
        }
    }
    return status;
}

enum mr_status mr_numbering_write(const struct mr_numbering *numbering,
                                  struct mr_store_writer *store, uint64_t graph_id,
                                  struct mr_name_groups *groups, struct mr_error *err)
{
    enum mr_name_kind kind = mr_numbering_name_kind(numbering);
    struct mr_names_writer *writer = NULL;
    if (numbering->kind == MR_IDS_DENSE) {
        return write_source(numbering, store, graph_id, groups, err);
    }
    if (kind == MR_NAMES_IDENTITY) {
        return MR_OK;
    }
    enum mr_status status =
        mr_names_writer_create(numbering->context, store, graph_id, kind, &writer, err);
    if (status != MR_OK) {
        return status;
    }
    struct name_target target = {
        .writer = writer, .groups = groups, .has_spellings = numbering->has_spellings};
    status = kind == MR_NAMES_TEXT
                 ? mr_dictionary_walk(numbering->dictionary, write_text, &target, err)
                 : write_numbers(numbering, writer, err);
    if (status != MR_OK) {
        mr_names_writer_abandon(writer);
        return status;
    }
    return mr_names_writer_finish(writer, err);
}
