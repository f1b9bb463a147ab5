/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the numbered vertices: hashes them for the id of the graph, and writes them to the
 * store. Both walk the names in vertex order, from the id set, the dictionary or the store that
 * names are copied from. */
#include <assert.h>

#include <xxhash.h>

#include "engine/builder/vertices/numbering.h"
#include "engine/names/name_writer.h"

/* Ids to take from the set at a time. */
enum { ID_BATCH = 512 };

static enum mr_status walk_ids(const struct mr_names_source *source, mr_names_visit visit,
                               void *visit_data, struct mr_error *err)
{
    const struct mr_numbering *numbering = source->data;
    uint64_t ids[ID_BATCH], cursor = 0;
    enum mr_status status = MR_OK;
    size_t n = 1;
    while (status == MR_OK && n > 0) {
        status = mr_context_poll(numbering->context, err);
        if (status == MR_OK) {
            status = mr_id_set_next(numbering->ids, &cursor, ids, ID_BATCH, &n, err);
        }
        for (size_t i = 0; status == MR_OK && i < n; i++) {
            status = visit(visit_data, ids[i], NULL, 0, err);
        }
    }
    return status;
}

static enum mr_status walk_dictionary(const struct mr_names_source *source, mr_names_visit visit,
                                      void *visit_data, struct mr_error *err)
{
    const struct mr_numbering *numbering = source->data;
    return mr_dictionary_walk(numbering->dictionary, visit, visit_data, err);
}

void mr_numbering_take_names(struct mr_numbering *numbering)
{
    struct mr_names_source *names = &numbering->names;
    names->data = numbering;
    if (numbering->kind == MR_IDS_TEXT) {
        names->kind = MR_NAMES_TEXT;
        names->walk = walk_dictionary;
    } else {
        names->kind = mr_id_set_is_identity(numbering->ids) ? MR_NAMES_IDENTITY : MR_NAMES_NUMBERS;
        names->walk = walk_ids;
    }
}

static enum mr_status hash_name(void *data, uint64_t number, const char *name, size_t name_bytes,
                                struct mr_error *err)
{
    uint64_t *hash = data;
    (void)err;
    if (name != NULL) {
        *hash = XXH3_64bits_withSeed(name, name_bytes, *hash);
    } else {
        *hash = (*hash ^ number) * 0x9e3779b97f4a7c15u;
        *hash ^= *hash >> 29;
    }
    return MR_OK;
}

enum mr_status mr_numbering_hash(const struct mr_numbering *numbering, uint64_t *hash,
                                 struct mr_error *err)
{
    const struct mr_names_source *names = &numbering->names;
    *hash = 0;
    return names->kind == MR_NAMES_IDENTITY ? MR_OK : names->walk(names, hash_name, hash, err);
}

/* Where names are written. */
struct name_target {
    struct mr_names_writer *writer;
    struct mr_name_groups *groups; /* or NULL */
    bool has_spellings;
};

static enum mr_status write_name(void *data, uint64_t number, const char *name, size_t name_bytes,
                                 struct mr_error *err)
{
    const struct name_target *target = data;
    if (name == NULL) {
        return mr_names_writer_number(target->writer, number, err);
    }
    enum mr_status status = mr_names_writer_text(target->writer, name, name_bytes, err);
    if (status == MR_OK && target->groups != NULL) {
        status = mr_name_groups_add(target->groups, name,
                                    mr_name_bytes_of(target->has_spellings, name, name_bytes), err);
    }
    return status;
}

enum mr_status mr_numbering_write(const struct mr_numbering *numbering,
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
        status = names->walk(names, write_name, &target, err);
    }
    if (status == MR_OK) {
        return mr_names_writer_finish(target.writer, err);
    }
    mr_names_writer_abandon(target.writer);
    return status;
}
