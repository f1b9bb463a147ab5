/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a store in parts, for `export --shards`. Names come first, in their order, and
 * tell the id of each vertex; then one reading of the links. Spark reads a directory of parts as
 * one table, splits lines at white space in GraphLoader.edgeListFile, and leaves out files that
 * begin with "_". */
#include "library/query/export_store.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/decimal.h"
#include "engine/base/memory.h"
#include "engine/base/random.h"
#include "engine/io/io.h"
#include "engine/names/names.h"
#include "engine/store/store.h"
#include "formats/stream/output.h"
#include "millrace/query.h"

enum { NUMBER_BYTES = 20 };

struct shards {
    const struct mr_context *context;
    const char *directory;
    unsigned n;
    enum mr_shards_for layout; /* GRAPHX or GRAPHFRAMES */
    bool gzip;
    uint64_t *ids; /* [n_vertices], by vertex */
    struct mr_output **outputs; /* [n] */
    uint64_t escaped;
    bool has_texts; /* names that are no numbers, or too large for Spark's */
};

/* Refuses a directory with files that are not parts, and with parts unless they may be replaced. */
static enum mr_status check_directory(const char *directory, const char *kind, bool force,
                                      struct mr_error *err)
{
    char *path = NULL;
    enum mr_status status = asprintf(&path, "%s/%s", directory, kind) < 0
                                ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a path")
                                : MR_OK;
    DIR *entries = status == MR_OK ? opendir(path) : NULL;

    for (const struct dirent *entry;
         entries != NULL && status == MR_OK && (entry = readdir(entries)) != NULL;) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
            continue;
        }
        if (!force) {
            status = mr_error_file(err, MR_ERROR_USAGE, path, 0,
                                   "has files already; name another directory, or say --force to "
                                   "remove its parts");
        } else if (strncmp(name, "part-", 5) != 0 && name[0] != '.' && name[0] != '_') {
            status = mr_error_file(err, MR_ERROR_USAGE, path, 0,
                                   "has %s, which is no part; move it away, or name another "
                                   "directory",
                                   name);
        }
    }
    if (entries != NULL) {
        (void)closedir(entries);
    }
    free(path);
    return status;
}

/* Opens the parts of `kind`, "edges" or "vertices", each with `header` unless that is NULL. */
static enum mr_status open_parts(struct shards *shards, const char *kind, const char *header,
                                 struct mr_error *err)
{
    const char *suffix = shards->layout == MR_SHARDS_GRAPHX ? "txt" : "csv";
    const char *gz = shards->gzip ? ".gz" : "";
    char *directory = NULL;
    enum mr_status status = asprintf(&directory, "%s/%s", shards->directory, kind) < 0
                                ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a path")
                                : mr_io_make_dir(shards->context->io, directory, err);

    for (unsigned i = 0; i < shards->n && status == MR_OK; i++) {
        char *path = NULL;
        if (asprintf(&path, "%s/part-%05u.%s%s", directory, i, suffix, gz) < 0) {
            status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a path");
            break;
        }
        status = mr_output_open(shards->context, path, false, &shards->outputs[i], err);
        free(path);
        if (status == MR_OK && header != NULL && shards->layout == MR_SHARDS_GRAPHFRAMES) {
            status = mr_output_print(shards->outputs[i], err, "%s\n", header);
        }
    }
    free(directory);
    return status;
}

static enum mr_status close_parts(struct shards *shards, enum mr_status status,
                                  struct mr_error *err)
{
    for (unsigned i = 0; i < shards->n; i++) {
        if (status == MR_OK) {
            status = mr_output_commit(shards->outputs[i], err);
        } else {
            mr_output_abandon(shards->outputs[i]);
        }
        shards->outputs[i] = NULL;
    }
    return status;
}

static struct mr_output *part_of(const struct shards *shards, uint64_t id)
{
    return shards->outputs[mr_random_mix(id) % shards->n];
}

/* Writes the digits of a number, without a zero at the end. Returns their count. */
static size_t put_number(uint64_t number, char text[NUMBER_BYTES])
{
    return (size_t)(mr_decimal_put(text, number) - text);
}

/* ---- Vertices ---- */

/* Writes a name with codes \xNN, which files of ranks may bring back. In CSV quotes and
 * backslashes, which readers take in different ways, need them. A comma needs quotes, in which
 * Spark doubles backslashes: in a name with codes it has one, too. */
static enum mr_status put_name(struct shards *shards, struct mr_output *output, const char *name,
                               size_t bytes, struct mr_error *err)
{
    const bool is_csv = shards->layout == MR_SHARDS_GRAPHFRAMES;
    const char *at = name, *const end = name + bytes;
    size_t n_odd = 0;
    const char *odd = mr_name_find_odd(name, end, MR_NAME_TABLE, &n_odd);
    const bool coded =
        odd < end ||
        (is_csv && (memchr(name, '"', bytes) != NULL || memchr(name, '\\', bytes) != NULL));
    const bool quotes = is_csv && !coded && memchr(name, ',', bytes) != NULL;
    enum mr_status status = quotes ? mr_output_write(output, "\"", 1, err) : MR_OK;

    shards->escaped += coded;
    if (!coded && status == MR_OK) {
        status = mr_output_write(output, name, bytes, err);
        at = end;
    }
    while (at < end && status == MR_OK) {
        char code[3 * MR_NAME_CODE_BYTES];
        const bool is_odd = at == odd || (is_csv && strchr("\"\\,", *at) != NULL);
        const size_t n = at == odd ? n_odd : 1;
        status = is_odd
                     ? mr_output_write(output, code, mr_name_codes(at, n, MR_NAME_TABLE, code), err)
                     : mr_output_write(output, at, 1, err);
        if (at == odd) {
            odd = mr_name_find_odd_inside(at + n, end, MR_NAME_TABLE, &n_odd);
        }
        at += n;
    }
    return status == MR_OK && quotes ? mr_output_write(output, "\"", 1, err) : status;
}

static enum mr_status write_vertex(struct shards *shards, uint64_t id, const char *name,
                                   size_t bytes, struct mr_error *err)
{
    struct mr_output *output = part_of(shards, id);
    const char separator = shards->layout == MR_SHARDS_GRAPHX ? '\t' : ',';
    char text[NUMBER_BYTES + 1];
    size_t used = put_number(id, text);

    text[used++] = separator;
    enum mr_status status = mr_output_write(output, text, used, err);
    if (status == MR_OK) {
        status = put_name(shards, output, name, bytes, err);
    }
    return status == MR_OK ? mr_output_write(output, "\n", 1, err) : status;
}

/* A mr_name_take. */
static enum mr_status take_name(void *data, const struct mr_name_cursor *cursor, uint64_t position,
                                const char *name, size_t bytes, struct mr_error *err)
{
    struct shards *shards = data;
    uint64_t id = position;
    const char *at = name;

    if (!shards->has_texts) {
        (void)mr_decimal_parse(&at, name + bytes, &id);
    }
    shards->ids[mr_name_cursor_vertex(cursor)] = id;
    return write_vertex(shards, id, name, bytes, err);
}

/* Are ids positions, because names are texts, or because the last number is above Spark's? */
static enum mr_status choose_ids(struct shards *shards, struct mr_store *store,
                                 struct mr_names *names, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    struct mr_name_cursor *cursor = NULL;
    const char *name = NULL;
    size_t bytes = 0;
    uint64_t last = 0;

    shards->has_texts = info->name_kind == MR_NAMES_TEXT;
    if (shards->has_texts || info->n_vertices == 0) {
        return MR_OK;
    }
    enum mr_status status =
        mr_name_cursor_open(names, (uint32_t)(info->n_vertices - 1), &cursor, err);
    if (status == MR_OK) {
        status = mr_name_cursor_next(cursor, &name, &bytes, err);
    }
    if (status == MR_OK && mr_decimal_whole(name, name + bytes, &last) && last > INT64_MAX) {
        shards->has_texts = true;
        mr_context_note(shards->context,
                        "page %" PRIu64 " is no number for Spark; ids are "
                        "positions, and the numbers are the names",
                        last);
    }
    mr_name_cursor_close(cursor);
    return status;
}

static enum mr_status write_vertices(struct shards *shards, struct mr_store *store,
                                     struct mr_names *names, struct mr_error *err)
{
    enum mr_status status = open_parts(shards, "vertices", "id,name", err);

    if (status == MR_OK) {
        status = choose_ids(shards, store, names, err);
    }
    if (status == MR_OK) {
        status = mr_names_walk(shards->context, names, mr_store_get_info(store)->n_vertices, NULL,
                               take_name, shards, err);
    }
    return close_parts(shards, status, err);
}

/* ---- Edges ---- */

static enum mr_status write_pairs(void *data, const uint32_t (*pairs)[2], const float *weights,
                                  size_t n_pairs, struct mr_error *err)
{
    struct shards *shards = data;
    const char separator = shards->layout == MR_SHARDS_GRAPHX ? '\t' : ',';
    enum mr_status status = MR_OK;

    for (size_t i = 0; i < n_pairs && status == MR_OK; i++) {
        const uint64_t source = shards->ids[pairs[i][0]];
        char line[2 * NUMBER_BYTES + 2];
        char weight[32];
        size_t used = put_number(source, line);
        line[used++] = separator;
        used += put_number(shards->ids[pairs[i][1]], line + used);
        struct mr_output *output = part_of(shards, source);
        const int more = snprintf(weight, sizeof weight, "%c%.9g\n", separator,
                                  weights != NULL ? (double)weights[i] : 0.0);
        status = mr_output_write(output, line, used, err);
        if (status == MR_OK) {
            status = weights == NULL ? mr_output_write(output, "\n", 1, err)
                                     : mr_output_write(output, weight, (size_t)more, err);
        }
    }
    return status;
}

static enum mr_status write_edges(struct shards *shards, struct mr_store *store,
                                  struct mr_error *err)
{
    const struct mr_context *context = shards->context;
    const bool weighs = mr_store_get_info(store)->has_weights;
    struct mr_store *weighted = NULL;

    enum mr_status status = open_parts(shards, "edges", weighs ? "src,dst,weight" : "src,dst", err);
    if (status == MR_OK && weighs) {
        status = mr_store_open_weights(context, store, &weighted, err);
    }
    if (status == MR_OK) {
        status = mr_store_read_edges(context, weighted != NULL ? weighted : store, write_pairs,
                                     shards, err);
    }
    mr_store_close(weighted);
    if (status == MR_OK && weighs && shards->layout == MR_SHARDS_GRAPHX) {
        mr_context_note(shards->context, "the third column has the weights of links, which "
                                         "GraphLoader.edgeListFile leaves out");
    }
    return close_parts(shards, status, err);
}

enum mr_status mr_export_shards_check(const char *directory, bool force, struct mr_error *err)
{
    const enum mr_status status = check_directory(directory, "edges", force, err);
    return status == MR_OK ? check_directory(directory, "vertices", force, err) : status;
}

enum mr_status mr_export_shards(const struct mr_context *context, struct mr_store *store,
                                struct mr_names *names, const char *directory, unsigned n_shards,
                                enum mr_shards_for layout, struct mr_error *err)
{
    struct mr_memory *memory = context->memory;
    struct shards shards = {.context = context,
                            .directory = directory,
                            .n = n_shards,
                            .layout = layout % MR_SHARDS_GZIP,
                            .gzip = layout >= MR_SHARDS_GZIP};
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("ids of pages", mr_store_get_info(store)->n_vertices + 1, &shards.ids),
        /* An array of pointers. NOLINTNEXTLINE(bugprone-sizeof-expression) */
        MR_WANTED("parts", (uint64_t)n_shards, &shards.outputs),
    };
    enum mr_status status = mr_memory_arrays(memory, arrays, err);

    if (status == MR_OK) {
        status = write_vertices(&shards, store, names, err);
    }
    if (status == MR_OK) {
        status = write_edges(&shards, store, err);
    }
    if (status == MR_OK && shards.escaped > 0) {
        mr_context_note(context,
                        "%" PRIu64 " names have codes \\xNN, which Millrace reads in ranks",
                        shards.escaped);
    }
    mr_memory_free(memory, shards.outputs);
    mr_memory_free(memory, shards.ids);
    return status;
}
