/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the names of one store in another: an append joins the names of the new edges (the delta)
 * with those of the store. Both are in the same order, so the join walks the delta once per part of
 * the store and reads only blocks of the store that may hold a match. New names get numbers behind
 * the old ones. */
#include "engine/names/name_join.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/names/name_block.h"
#include "engine/names/name_index.h"

#define NOT_FOUND UINT32_MAX

/* The key of a name: bytes for text, the number otherwise. */
struct key {
    uint64_t number;
    char *bytes; /* [MR_NAME_KEY_MAX_BYTES] */
    size_t n_bytes;
};

struct join {
    const struct mr_context *context;
    struct mr_store *store, *delta;
    mr_name_key key;
    bool is_text, has_spellings;
    uint32_t *vertices;
    uint64_t n_lost;
    struct mr_name_scan names; /* names of delta */
    struct mr_name_scan base; /* names of store; `at` is the key of the latest if has_base */
    struct key wanted, at, first;
    char *name; /* [MR_NAME_MAX_BYTES] */
};

static int compare(const struct join *join, const struct key *a, const struct key *b)
{
    if (!join->is_text) {
        return a->number < b->number ? -1 : a->number > b->number;
    }
    const size_t common = a->n_bytes < b->n_bytes ? a->n_bytes : b->n_bytes;
    const int order = memcmp(a->bytes, b->bytes, common);
    return order != 0 ? order : a->n_bytes < b->n_bytes ? -1 : a->n_bytes > b->n_bytes;
}

static size_t bytes_of_name(const struct join *join, const char *record, size_t record_bytes)
{
    const char *end = join->has_spellings ? memchr(record, '\n', record_bytes) : NULL;
    return end != NULL ? (size_t)(end - record) : record_bytes;
}

static void make_key(const struct join *join, uint64_t number, const char *record,
                     size_t record_bytes, struct key *key)
{
    key->number = number;
    if (join->is_text) {
        key->n_bytes = join->key(record, bytes_of_name(join, record, record_bytes), key->bytes);
    }
}

/* Set `first` to the key of the first name of block `block` of a part. */
static void first_of(struct join *join, const struct mr_name_index *index, uint64_t block)
{
    if (join->is_text) {
        const size_t bytes = mr_name_index_text(index, block, join->name);
        make_key(join, 0, join->name, bytes, &join->first);
    } else {
        join->first.number = mr_name_index_number(index, block);
    }
}

/* The last block, from `block` on, whose first name is not above the wanted one; -1 for none. */
static int64_t block_of(struct join *join, const struct mr_name_index *index, int64_t block)
{
    uint64_t low = (uint64_t)(block + 1), step = 1;
    /* The block is usually near: gallop, then binary search. */
    uint64_t high = low;
    while (high < index->n_blocks) {
        first_of(join, index, high);
        if (compare(join, &join->first, &join->wanted) > 0) {
            break;
        }
        low = high + 1;
        high += step;
        step *= 2;
    }
    high = high < index->n_blocks ? high : index->n_blocks;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        first_of(join, index, middle);
        if (compare(join, &join->first, &join->wanted) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (int64_t)low - 1;
}

/* The spellings of a record, which follow its name; the name itself if the record has no others. */
struct spellings {
    const char *at; /* NULL: `name` is the only spelling */
    size_t bytes;
    const char *name;
    size_t name_bytes;
};

static struct spellings spellings_of(const struct mr_name_scan *scan)
{
    const char *at = memchr(scan->name, '\n', scan->name_bytes);
    return (struct spellings){
        .at = at,
        .bytes = at != NULL ? scan->name_bytes - (size_t)(at - scan->name) : 0,
        .name = scan->name,
        .name_bytes = scan->name_bytes,
    };
}

static const char *next_spelling(struct spellings *s, size_t *n_bytes)
{
    if (s->at != NULL) {
        return mr_name_next_spelling(&s->at, &s->bytes, n_bytes);
    }
    const char *name = s->name;
    *n_bytes = s->name_bytes;
    s->name = NULL;
    return name;
}

/* Number of spellings of `theirs` that `ours` does not have. */
static uint64_t count_lost(const struct mr_name_scan *ours, const struct mr_name_scan *theirs)
{
    struct spellings wanted = spellings_of(theirs);
    uint64_t n_lost = 0;
    size_t bytes, own_bytes;
    for (const char *spelling; (spelling = next_spelling(&wanted, &bytes)) != NULL;) {
        struct spellings all = spellings_of(ours);
        bool found = false;
        for (const char *own; !found && (own = next_spelling(&all, &own_bytes)) != NULL;) {
            found = own_bytes == bytes && memcmp(own, spelling, bytes) == 0;
        }
        n_lost += !found;
    }
    return n_lost;
}

/* Advance in the loaded block of the store up to the wanted name. */
static enum mr_status seek(struct join *join, bool *has_base, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    while (status == MR_OK && (!*has_base || compare(join, &join->at, &join->wanted) < 0) &&
           mr_name_scan_has_next(&join->base)) {
        status = mr_name_scan_next(&join->base, err);
        if (status == MR_OK) {
            make_key(join, join->base.number, join->base.name, join->base.name_bytes, &join->at);
            *has_base = true;
        }
    }
    return status;
}

/* Find all names of delta in one part of the store. */
static enum mr_status join_part(struct join *join, const struct mr_names_part *part,
                                struct mr_error *err)
{
    struct mr_name_index index = {0};
    int64_t block = -1;
    bool has_base = false;
    enum mr_status status =
        mr_name_index_open(&index, part->kind, part->index, part->index_bytes, part->n_blocks,
                           mr_store_path(join->store), join->name, err);
    for (uint64_t i = 0; i < join->names.n_blocks && status == MR_OK; i++) {
        status = mr_context_poll(join->context, err);
        if (status == MR_OK) {
            join->names.block = UINT64_MAX;
            status = mr_name_scan_load(&join->names, i, err);
        }
        while (status == MR_OK && mr_name_scan_has_next(&join->names)) {
            status = mr_name_scan_next(&join->names, err);
            if (status != MR_OK) {
                break;
            }
            make_key(join, join->names.number, join->names.name, join->names.name_bytes,
                     &join->wanted);
            const int64_t wanted = block_of(join, &index, block);
            if (wanted != block) {
                block = wanted;
                has_base = false;
                status = mr_name_scan_load(&join->base, part->first_block + (uint64_t)block, err);
            }
            if (status == MR_OK && block >= 0) {
                status = seek(join, &has_base, err);
            }
            if (status == MR_OK && has_base && compare(join, &join->at, &join->wanted) == 0) {
                join->vertices[join->names.vertex - 1] = (uint32_t)(join->base.vertex - 1);
                join->n_lost += join->has_spellings ? count_lost(&join->base, &join->names) : 0;
            }
        }
    }
    return status;
}

/* Find the names of delta in a store whose first n vertices are named 0 to n - 1. */
static enum mr_status join_identity(struct join *join, uint64_t n, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    for (uint64_t i = 0; i < join->names.n_blocks && status == MR_OK; i++) {
        status = mr_name_scan_load(&join->names, i, err);
        while (status == MR_OK && mr_name_scan_has_next(&join->names)) {
            status = mr_name_scan_next(&join->names, err);
            if (status == MR_OK && join->names.number < n) {
                join->vertices[join->names.vertex - 1] = (uint32_t)join->names.number;
            }
        }
    }
    return status;
}

/* Find the numbers 0 to n - 1, for which delta has no file of names, in a part of numbers. */
static enum mr_status join_dense(struct join *join, const struct mr_names_part *part,
                                 struct mr_error *err)
{
    const uint64_t n = mr_store_get_info(join->delta)->n_vertices;
    enum mr_status status = MR_OK;
    for (uint64_t i = 0; i < part->n_blocks && status == MR_OK; i++) {
        status = mr_name_scan_load(&join->base, part->first_block + i, err);
        while (status == MR_OK && mr_name_scan_has_next(&join->base)) {
            status = mr_name_scan_next(&join->base, err);
            if (status == MR_OK && join->base.number >= n) {
                return MR_OK;
            }
            if (status == MR_OK) {
                join->vertices[join->base.number] = (uint32_t)(join->base.vertex - 1);
            }
        }
    }
    return status;
}

/* Number the new vertices, behind the old ones, in the order of their names. */
static enum mr_status number_new(struct join *join, struct mr_names_joined *joined,
                                 struct mr_error *err)
{
    const uint64_t n_delta = mr_store_get_info(join->delta)->n_vertices;
    joined->n_vertices = mr_store_get_info(join->store)->n_vertices;
    for (uint64_t v = 0; v < n_delta; v++) {
        if (join->vertices[v] == NOT_FOUND) {
            if (joined->n_vertices == UINT32_MAX) {
                return mr_error_set(err, MR_ERROR_BUDGET,
                                    "more than 4294967295 pages; a store cannot hold them");
            }
            join->vertices[v] = (uint32_t)joined->n_vertices++;
            joined->n_new++;
        }
    }
    return MR_OK;
}

/* If each new vertex is named by its own number, as all old ones are, none of them needs a name. */
static enum mr_status look_for_identity(struct join *join, struct mr_names_joined *joined,
                                        struct mr_error *err)
{
    const uint64_t n_old = mr_store_get_info(join->store)->n_vertices;
    bool is_identity = true;
    enum mr_status status = MR_OK;
    for (uint64_t i = 0; i < join->names.n_blocks && status == MR_OK && is_identity; i++) {
        status = mr_name_scan_load(&join->names, i, err);
        while (status == MR_OK && mr_name_scan_has_next(&join->names)) {
            status = mr_name_scan_next(&join->names, err);
            const uint32_t vertex = join->vertices[join->names.vertex - 1];
            is_identity = is_identity && (vertex < n_old || vertex == join->names.number);
        }
    }
    joined->kind = is_identity ? MR_NAMES_IDENTITY : MR_NAMES_NUMBERS;
    return status;
}

static enum mr_status open_join(struct join *join, struct mr_error *err)
{
    const uint64_t n_delta = mr_store_get_info(join->delta)->n_vertices;
    void *pointer = NULL;
    enum mr_status status = MR_OK;
    if (n_delta > 0) {
        status = mr_memory_alloc(join->context->memory, "pages of new links",
                                 n_delta * sizeof(uint32_t), &pointer, err);
        join->vertices = pointer;
    }
    if (status == MR_OK) {
        pointer = NULL;
        status =
            mr_memory_alloc(join->context->memory, "keys of names",
                            3 * (uint64_t)MR_NAME_KEY_MAX_BYTES + MR_NAME_MAX_BYTES, &pointer, err);
    }
    if (status != MR_OK) {
        return status;
    }
    assert(join->vertices != NULL);
    memset(join->vertices, 0xff, n_delta * sizeof(uint32_t)); /* NOT_FOUND */
    join->wanted.bytes = pointer;
    join->at.bytes = join->wanted.bytes + MR_NAME_KEY_MAX_BYTES;
    join->first.bytes = join->at.bytes + MR_NAME_KEY_MAX_BYTES;
    join->name = join->first.bytes + MR_NAME_KEY_MAX_BYTES;
    if (mr_store_get_info(join->delta)->name_kind != MR_NAMES_IDENTITY) {
        status = mr_name_scan_open(join->context, join->delta, &join->names, err);
    }
    if (status == MR_OK && mr_store_get_info(join->store)->name_kind != MR_NAMES_IDENTITY) {
        status = mr_name_scan_open(join->context, join->store, &join->base, err);
    }
    return status;
}

static enum mr_status find_all(struct join *join, struct mr_error *err)
{
    const struct mr_index *index = mr_store_index(join->store);
    const struct mr_store_info *info = mr_store_get_info(join->store);
    const struct mr_store_info *delta = mr_store_get_info(join->delta);
    const bool is_dense = delta->name_kind == MR_NAMES_IDENTITY;
    enum mr_status status = MR_OK;
    if (info->name_kind == MR_NAMES_IDENTITY) {
        return join_identity(join, info->n_vertices, err);
    }
    for (uint32_t p = 0; p < index->n_name_parts && status == MR_OK; p++) {
        const struct mr_names_part *part = &index->name_parts[p];
        if (part->kind != MR_NAMES_IDENTITY) {
            status = is_dense ? join_dense(join, part, err) : join_part(join, part, err);
        } else if (is_dense) {
            for (uint64_t v = 0; v < part->n_vertices && v < delta->n_vertices; v++) {
                join->vertices[v] = (uint32_t)v;
            }
        } else {
            status = join_identity(join, part->n_vertices, err);
        }
    }
    return status;
}

enum mr_status mr_names_join(const struct mr_context *context, struct mr_store *store,
                             struct mr_store *delta, mr_name_key key,
                             struct mr_names_joined *joined, struct mr_error *err)
{
    const struct mr_store_info *ours = mr_store_get_info(store), *theirs = mr_store_get_info(delta);
    struct join join = {.context = context,
                        .store = store,
                        .delta = delta,
                        .key = key,
                        .is_text = ours->name_kind == MR_NAMES_TEXT,
                        .has_spellings = (ours->name_key_number & MR_NAME_SPELLINGS) != 0};
    *joined = (struct mr_names_joined){.kind = ours->name_kind};
    if (join.is_text != (theirs->name_kind == MR_NAMES_TEXT) ||
        ours->name_key_number != theirs->name_key_number || (join.is_text && key == NULL)) {
        return mr_error_file(
            err, MR_ERROR_USAGE, mr_store_path(store), 0,
            "its pages have %s as names, but the names to append are of another kind",
            join.is_text ? "text" : "numbers");
    }
    if (ours->name_kind == MR_NAMES_IDENTITY && theirs->name_kind == MR_NAMES_IDENTITY) {
        joined->n_vertices =
            ours->n_vertices > theirs->n_vertices ? ours->n_vertices : theirs->n_vertices;
        joined->n_new = joined->n_vertices - ours->n_vertices;
        return MR_OK;
    }
    enum mr_status status = open_join(&join, err);
    if (status == MR_OK) {
        status = find_all(&join, err);
    }
    if (status == MR_OK) {
        status = number_new(&join, joined, err);
    }
    if (status == MR_OK && ours->name_kind == MR_NAMES_IDENTITY) {
        status = look_for_identity(&join, joined, err);
    }
    mr_name_scan_close(&join.base);
    mr_name_scan_close(&join.names);
    mr_memory_free(context->memory, join.wanted.bytes);
    if (status != MR_OK) {
        mr_memory_free(context->memory, join.vertices);
        return status;
    }
    joined->vertices = join.vertices;
    joined->n_lost = join.n_lost;
    return MR_OK;
}

/* ---- The new names ---- */

static enum mr_status walk_new(void *data, uint32_t part, mr_names_visit visit, void *visit_data,
                               struct mr_error *err)
{
    const struct mr_names_new *names = data;
    const uint64_t n_old = mr_store_get_info(names->store)->n_vertices;
    const struct mr_store_info *info = mr_store_get_info(names->delta);
    const uint32_t *vertices = names->joined->vertices;
    struct mr_name_scan scan = {0};
    enum mr_status status = MR_OK;

    (void)part;
    if (info->name_kind == MR_NAMES_IDENTITY) {
        for (uint64_t v = 0; v < info->n_vertices && status == MR_OK; v++) {
            if (vertices[v] >= n_old) {
                status = visit(visit_data, v, NULL, 0, err);
            }
        }
        return status;
    }
    status = mr_name_scan_open(names->context, names->delta, &scan, err);
    for (uint64_t i = 0; i < scan.n_blocks && status == MR_OK; i++) {
        status = mr_context_poll(names->context, err);
        if (status == MR_OK) {
            status = mr_name_scan_load(&scan, i, err);
        }
        while (status == MR_OK && mr_name_scan_has_next(&scan)) {
            status = mr_name_scan_next(&scan, err);
            if (status == MR_OK && vertices[scan.vertex - 1] >= n_old) {
                status =
                    visit(visit_data, scan.number, mr_name_scan_text(&scan), scan.name_bytes, err);
            }
        }
    }
    mr_name_scan_close(&scan);
    return status;
}

struct mr_names_source mr_names_of_join(struct mr_names_new *names, uint32_t generation)
{
    const struct mr_store_info *info = mr_store_get_info(names->store);
    uint32_t n_parts = 0;

    if (names->joined->kind != MR_NAMES_IDENTITY && info->name_kind == MR_NAMES_IDENTITY) {
        names->parts[n_parts++] = (struct mr_names_part){.generation = generation - 1,
                                                         .kind = MR_NAMES_IDENTITY,
                                                         .n_vertices = info->n_vertices};
    }
    if (names->joined->kind != MR_NAMES_IDENTITY && names->joined->n_new > 0) {
        names->parts[n_parts++] = (struct mr_names_part){.generation = generation,
                                                         .kind = names->joined->kind,
                                                         .first_vertex = info->n_vertices,
                                                         .n_vertices = names->joined->n_new};
    }
    return (struct mr_names_source){.kind = names->joined->kind,
                                    .has_spellings =
                                        (info->name_key_number & MR_NAME_SPELLINGS) != 0,
                                    .parts = names->parts,
                                    .n_parts = n_parts,
                                    .walk = walk_new,
                                    .data = names};
}
