/* SPDX-License-Identifier: Apache-2.0 */
/* Reads from the metadata beside a file of scores which PageRank they are. The pages of its
 * teleport are not in the metadata, which names their files; these are read again, as the ranking
 * read them.
 */
#include "library/score_meta.h"

#include <stdlib.h>
#include <string.h>

#include "engine/io/io.h"
#include "formats/score/vertex_weights.h"

#define EXPLAINED "why explains scores of pagerank, ppr and trustrank"

static const char *text_of(const json_t *meta, const char *key)
{
    const char *text = json_string_value(json_object_get(meta, key));
    return text != NULL ? text : "";
}

static enum mr_status check(const char *path, const json_t *meta, const struct mr_store_info *info,
                            struct mr_error *err)
{
    static const char *const kinds = " pagerank ppr trustrank ";
    const char *kind = text_of(meta, "algorithm");
    const char *at = strstr(kinds, kind);
    char id[17];

    if (!mr_io_exists(path) && strcmp(path, "-") != 0) {
        return mr_error_file(err, MR_ERROR_INPUT, path, 0, "does not exist; check the name");
    }
    if (meta == NULL) {
        return mr_error_file(err, MR_ERROR_INPUT, path, 0,
                             "has no .meta.json beside it, which says damping, teleport and error "
                             "bound; " EXPLAINED " that millrace wrote with -o FILE");
    }
    if (*kind == '\0' || at == NULL || at[-1] != ' ' || at[strlen(kind)] != ' ') {
        return mr_error_file(err, MR_ERROR_INPUT, path, 0,
                             "has scores of %s, which are no sum over links with a proven bound; "
                             "" EXPLAINED,
                             *kind != '\0' ? kind : "another program");
    }
    if (json_is_true(json_object_get(meta, "heritrix")) ||
        json_is_true(json_object_get(meta, "spam_mass"))) {
        return mr_error_file(err, MR_ERROR_INPUT, path, 0,
                             "has scores of %s; " EXPLAINED ", without %s",
                             *kind == 'p' ? "pagerank --heritrix, which leaves out pages and links"
                                          : "trustrank --spam-mass, which are differences",
                             *kind == 'p' ? "--heritrix" : "--spam-mass");
    }
    (void)snprintf(id, sizeof id, "%016llx", (unsigned long long)info->graph_id);
    return strcmp(text_of(meta, "graph_id"), id) == 0
               ? MR_OK
               : mr_error_file(err, MR_ERROR_INPUT, path, 0,
                               "comes from another graph than this store, or from another build of "
                               "it; rank the store again with -o FILE");
}

/* The vector that the column is of. `n` > 0. */
static size_t vector_of(const json_t *vectors, const char *column, size_t n)
{
    if (column == NULL) {
        return n - 1;
    }
    for (size_t i = 0; i < n; i++) {
        if (strcmp(text_of(json_array_get(vectors, i), "name"), column) == 0) {
            return i;
        }
    }
    const unsigned long k = strtoul(column, NULL, 10);
    return k >= 1 && k <= n ? k - 1 : n - 1;
}

/* The pages of a vector of --batch. */
static enum mr_status read_batch(const struct mr_context *context, const char *file, size_t vector,
                                 const struct mr_store_info *info, struct mr_names *names,
                                 struct mr_why_options *options, struct mr_vertex_weights *teleport,
                                 struct mr_error *err)
{
    struct mr_teleport_batch batch = {0};
    const enum mr_status status =
        mr_teleport_batch_read(context, file, names, info, false, UINT64_MAX, &batch, err);

    if (status == MR_OK && vector < batch.n_vectors) {
        options->teleport = batch.vectors[vector].pages;
        options->n_teleport = batch.vectors[vector].count;
        *teleport = batch.weights;
        batch.weights = (struct mr_vertex_weights){0};
    }
    mr_teleport_batch_free(&batch);
    return status;
}

/* The pages of files, which `value` has as a text or as a list of such. */
static enum mr_status read_files(const struct mr_context *context, const json_t *value,
                                 enum mr_list_kind kind, const struct mr_store_info *info,
                                 struct mr_names *names, struct mr_vertex_weights *teleport,
                                 struct mr_error *err)
{
    const size_t n = json_is_array(value) ? json_array_size(value) : 1;
    const char **files = calloc(n + 1, sizeof *files);
    enum mr_status status = MR_OK;

    for (size_t i = 0; i < n && files != NULL; i++) {
        files[i] = json_string_value(json_is_array(value) ? json_array_get(value, i) : value);
        if (files[i] == NULL || strcmp(files[i], "-") == 0) {
            status = mr_error_set(err, MR_ERROR_INPUT,
                                  "the teleport of the scores came from standard input, which is "
                                  "gone; rank with a file of it");
        }
    }
    if (files == NULL) {
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the names of files");
    }
    if (status == MR_OK) {
        status =
            mr_vertex_weights_read(context, files, n, names, info, kind, UINT64_MAX, teleport, err);
    }
    free(files);
    return status;
}

enum mr_status mr_explain_file(const struct mr_context *context, const char *path,
                               const char *column, const json_t *meta,
                               const struct mr_store_info *info, struct mr_names *names,
                               struct mr_why_options *options, struct mr_vertex_weights *teleport,
                               struct mr_error *err)
{
    const char *const keys[] = {"teleport", "seeds", "trusted"};
    const json_t *vectors = json_object_get(meta, "vectors");
    const size_t n = json_array_size(vectors);
    const size_t vector = n > 0 ? vector_of(vectors, column, n) : 0;

    enum mr_status status = check(path, meta, info, err);
    if (status != MR_OK) {
        return status;
    }
    options->damping = json_number_value(json_object_get(meta, "damping"));
    options->dangling = text_of(meta, "dangling");
    options->scale = strcmp(text_of(meta, "scale"), "pages") == 0 ? (double)info->n_vertices : 1.0;
    options->error_bound = mr_meta_error_bound(n > 0 ? json_array_get(vectors, vector) : meta);
    if (*text_of(meta, "batch") != '\0') {
        return read_batch(context, text_of(meta, "batch"), vector, info, names, options, teleport,
                          err);
    }
    if (*text_of(meta, "seed") != '\0') {
        status =
            mr_vertex_weights_of_name(context, text_of(meta, "seed"), names, info, teleport, err);
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys && status == MR_OK; i++) {
        const json_t *files = json_object_get(meta, keys[i]);
        if (files != NULL && !json_is_null(files)) {
            status = read_files(context, files, i == 0 ? MR_LIST_WEIGHTS : MR_LIST_NAMES, info,
                                names, teleport, err);
        }
    }
    options->teleport = teleport->entries;
    options->n_teleport = teleport->n_entries;
    return status;
}
