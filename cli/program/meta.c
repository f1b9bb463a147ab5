/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata of a run. Rankings collect it in a struct mr_json, print it with --json and write it
 * beside their score file, so that a reader of scores can see which graph, flags and version
 * made them. library/score_meta.h reads it back. */
#include "cli/program/meta.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/url/host.h"
#include "library/folder.h"
#include "library/rank/kinds.h"
#include "millrace/version.h"

/* The path as JSON; that of an unfinished result has its final name. */
static json_t *path_string(const char *path)
{
    char *text = strdup(path);
    json_t *string = NULL;

    if (text != NULL) {
        mr_folder_final_names(text);
        string = mr_json_string(text, strlen(text));
        free(text);
    }
    return string;
}

void mr_meta_run(struct mr_json *json, const struct mr_session *session)
{
    json_t *words = json_array();
    for (size_t i = 0; i < session->argc; i++) {
        json->failed |= json_array_append_new(words, path_string(session->argv[i])) != 0;
    }
    mr_json_add(json, "argv", words);
    mr_json_text(json, "version", mr_version());
    mr_json_count(json, "memory_limit_bytes", mr_context_memory_limit(&session->context));
    mr_json_count(json, "memory_peak_bytes", mr_context_memory_peak(&session->context));
    mr_json_count(json, "peak_rss_bytes", mr_session_peak_bytes());
}

void mr_meta_store(struct mr_json *json, const char *path, const struct mr_store_info *info)
{
    mr_json_add(json, "store", path == NULL ? json_null() : path_string(path));
    mr_json_id(json, "store_id", info->store_id);
    struct mr_canonical canonical;
    if (info->name_kind == MR_NAMES_TEXT && mr_canonical_of(info->name_key_number, &canonical) &&
        canonical.profile != MR_CANONICAL_NONE) {
        mr_json_text(json, "profile", mr_canonical_profile_name(canonical.profile));
    }
    mr_json_id(json, "graph_id", info->graph_id);
    mr_json_count(json, "vertices", info->n_vertices);
    mr_json_count(json, "edges", info->n_edges);
    mr_json_count(json, "links_bytes", info->links_bytes);
    if (info->n_classes > 1) {
        mr_json_text(json, "links",
                     info->classes == MR_CLASSES_ALL           ? "all"
                     : info->classes == 1u << MR_LINK_INTERNAL ? "internal"
                                                               : "external");
    }
    if (info->weighs_classes) {
        mr_json_real(json, "internal_weight", info->class_weights[MR_LINK_INTERNAL]);
        mr_json_real(json, "external_weight", info->class_weights[MR_LINK_EXTERNAL]);
    }
}

static json_t *list_of(const struct mr_named_value *value)
{
    json_t *list = json_array();

    for (uint64_t i = 0; list != NULL && i < value->count; i++) {
        if (json_array_append_new(list, json_real(value->reals[i])) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

/* Adds all fields of record number `i` of a row. */
static void add_record(struct mr_json *json, const struct mr_named_value *records, uint64_t i,
                       const struct mr_rank_figure *row)
{
    struct mr_named_value value;

    for (const struct mr_rank_figure *field = row->fields; field->name != NULL; field++) {
        mr_ranking_record(row, records, i, field, &value);
        mr_meta_figure(json, field, &value);
    }
}

static json_t *record_of(const struct mr_named_value *value, uint64_t i,
                         const struct mr_rank_figure *row)
{
    struct mr_json json = mr_json_create();

    add_record(&json, value, i, row);
    return mr_json_finish(&json);
}

static json_t *table_of(const struct mr_named_value *value, const struct mr_rank_figure *row)
{
    json_t *list = json_array();

    for (uint64_t i = 0; list != NULL && i < value->count; i++) {
        if (json_array_append_new(list, record_of(value, i, row)) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

void mr_meta_figure(struct mr_json *json, const struct mr_rank_figure *row,
                    const struct mr_named_value *value)
{
    if (row->type == MR_RANK_FLAG) {
        mr_json_flag(json, row->name, value->count != 0);
    } else if (row->type == MR_RANK_COUNT) {
        mr_json_count(json, row->name, value->count);
    } else if (row->type == MR_RANK_REAL) {
        mr_json_real(json, row->name, value->real);
    } else if (row->type == MR_RANK_REALS) {
        mr_json_add(json, row->name, list_of(value));
    } else if (row->type == MR_RANK_TABLE) {
        mr_json_add(json, row->name, table_of(value, row));
    } else if (row->type == MR_RANK_RECORD) {
        mr_json_add(json, row->name, record_of(value, 0, row));
    } else {
        mr_json_text(json, row->name, value->text);
    }
}

enum mr_status mr_meta_write(struct mr_session *session, const struct mr_json *json,
                             const char *path, struct mr_error *err)
{
    char *text = NULL;
    struct stat info;

    if (mr_output_is_standard(path) || (stat(path, &info) == 0 && !S_ISREG(info.st_mode))) {
        return MR_OK;
    }
    enum mr_status status = mr_json_dump(json, &text, err);
    char *meta_path = mr_meta_path(path);
    if (status == MR_OK) {
        status = meta_path == NULL
                     ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a file name")
                     : mr_output_file(&session->context, meta_path, true, text, strlen(text), err);
    }
    free(meta_path);
    free(text);
    return status;
}
