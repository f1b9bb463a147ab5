/* SPDX-License-Identifier: Apache-2.0 */
/* Folds a store of pages into the graph of its hosts or domains. This file chooses the groups by
 * the names of the store, and writes the number of pages of each host beside the new store; the
 * engine does the rest. */
#include <stdio.h>
#include <stdlib.h>

#include "engine/base/sized_struct.h"
#include "engine/builder/fold.h"
#include "engine/io/publish.h"
#include "engine/io/workspace.h"
#include "formats/table/row_writer.h"
#include "formats/url/host.h"
#include "formats/url/surt.h"
#include "library/files.h"
#include "library/import/import_files.h"

static enum mr_status write_member(void *data, const char *group, size_t group_bytes,
                                   uint64_t n_members, struct mr_error *err)
{
    const struct mr_cell cells[] = {{.text = group, .bytes = group_bytes}, {.count = n_members}};
    return mr_row_writer_add(data, cells, err);
}

/* The members are complete. Their file gets its name after the store has its own. */
static enum mr_status end_members(void *data, struct mr_error *err)
{
    return mr_row_writer_end(data, MR_OK, err);
}

static enum mr_status fold_hosts(const struct mr_context *context, struct mr_store *store,
                                 struct mr_names *names, const char *path,
                                 const struct mr_store_fold_options *wanted, const char *temporary,
                                 struct mr_store_build_figures *figures, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    const struct mr_canonical reversed = {.reversed_hosts = true};
    const int level = wanted->zstd_level;
    struct mr_canonical canonical = {0};
    const struct mr_row_column columns[] = {{"name", MR_CELL_NAME, false},
                                            {"members", MR_CELL_COUNT, false}};
    struct mr_row_writer members = {.columns = columns, .n_columns = 2};
    struct mr_fold_options options = {
        .group = mr_host_group_reversed,
        .name_key_number = mr_canonical_number(&reversed),
        .weights = wanted->weights,
        .drop_self_loops = !wanted->keep_self_loops,
        .force = wanted->force,
        .zstd_level = level == MR_ZSTD_LEVEL_OF_STORE ? info->zstd_level : level,
        .encoding = wanted->encoding,
        .temporary = temporary};

    if (info->name_kind != MR_NAMES_TEXT) {
        return mr_error_file(err, MR_ERROR_INPUT, mr_store_path(store), 0,
                             "its pages are called by numbers, which have no hosts; build the "
                             "store from URLs");
    }
    (void)mr_canonical_of(info->name_key_number, &canonical);
    options.name_key = mr_name_key_of(options.name_key_number);
    options.group_data = mr_host_groups_open(&canonical, wanted->by);
    if (options.group_data == NULL) {
        return mr_host_groups_error(err);
    }
    enum mr_status status = MR_OK;
    if (wanted->members != NULL) {
        status = mr_row_writer_open(&members, context, wanted->members, wanted->force, false, false,
                                    err);
        options.take = write_member;
        options.taken = end_members;
        options.take_data = &members;
    }
    if (status == MR_OK) {
        status = mr_fold(context, store, names, &options, path, figures, err);
    }
    if (status == MR_OK && info->n_vertices > 0 && figures->n_alone == info->n_vertices) {
        status = mr_error_file(err, MR_ERROR_INPUT, mr_store_path(store), 0,
                               "no page has a host by its name; names are to be URLs, or reversed "
                               "hosts such as org.example.www");
    }
    mr_host_groups_close(options.group_data);
    return mr_row_writer_end(&members, status, err);
}

/* The store and the file of members appear together. */
static enum mr_status fold_together(const struct mr_context *given, struct mr_store *store,
                                    struct mr_names *names, const char *path,
                                    const struct mr_store_fold_options *options,
                                    const char *temporary, struct mr_store_build_figures *figures,
                                    struct mr_error *err)
{
    struct mr_publish_group group = {0};
    struct mr_context context = *given;

    if (given->together != NULL) {
        return fold_hosts(given, store, names, path, options, temporary, figures, err);
    }
    context.together = &group;
    const enum mr_status status =
        fold_hosts(&context, store, names, path, options, temporary, figures, err);
    return mr_publish_group_end(&group, status, err);
}

static enum mr_status check_options(const struct mr_store_fold_options *options,
                                    struct mr_error *err)
{
    if ((unsigned)options->by > MR_FOLD_BY_ICANN_DOMAIN ||
        (unsigned)options->weights > MR_FOLD_NONE ||
        (unsigned)options->encoding > MR_ENCODING_CORNERS) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "no such groups, weights or encoding of a fold: %d, %d, %d",
                            (int)options->by, (int)options->weights, (int)options->encoding);
    }
    if (options->zstd_level != MR_ZSTD_LEVEL_OF_STORE &&
        (options->zstd_level < 0 || options->zstd_level > 19)) {
        return mr_error_set(err, MR_ERROR_USAGE, "zstd_level %d is not between 0 and 19",
                            options->zstd_level);
    }
    return MR_OK;
}

enum mr_status mr_store_fold(const struct mr_context *context, struct mr_store *store,
                             const char *path, const struct mr_store_fold_options *options,
                             struct mr_store_build_figures *figures, struct mr_error *err)
{
    struct mr_store_fold_options taken = MR_STORE_FOLD_OPTIONS_INIT;
    struct mr_store_build_figures made = {0};
    struct mr_workspace *workspace = NULL;
    struct mr_names *names = NULL;
    char *temporary = NULL;

    enum mr_status status = mr_sized_copy(options, &taken, sizeof taken, err);
    if (status == MR_OK) {
        status = check_options(&taken, err);
    }
    if (status == MR_OK) {
        struct mr_files *files = mr_files_create();
        mr_files_add(files, MR_FILE_READ, "the store", mr_store_path(store), NULL);
        mr_files_add(files, MR_FILE_STORE, "the new store", path, NULL);
        mr_files_add(files, MR_FILE_WRITE, "the members", taken.members, NULL);
        status = mr_files_end(files, status, taken.force, false, err);
    }
    if (status == MR_OK) {
        status = mr_store_open_names(context, store, &names, err);
    }
    if (status == MR_OK) {
        status = mr_workspace_open(context, &workspace, err);
    }
    if (status == MR_OK && asprintf(&temporary, "%s/fold.mill", mr_workspace_path(workspace)) < 0) {
        temporary = NULL;
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a file name");
    }
    if (status == MR_OK) {
        status = fold_together(context, store, names, path, &taken, temporary, &made, err);
    }
    if (status == MR_OK) {
        mr_sized_give(&made, sizeof made, figures);
    }
    free(temporary);
    mr_workspace_close(workspace);
    mr_names_close(names);
    return status;
}
