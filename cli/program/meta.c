/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata of a run. Rankings collect it in a struct mr_json, print it with --json and write it
 * beside their score file, so that a reader of scores can see which graph, flags and version
 * made them. Commands that continue or compare scores read it back. */
#include "cli/program/meta.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/program/folder.h"
#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "formats/stream/input.h"
#include "formats/stream/output.h"
#include "formats/url/canonical.h"
#include "millrace/version.h"

static const char meta_suffix[] = ".meta.json";

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
    mr_json_text(json, "version", MR_VERSION);
    mr_json_count(json, "memory_limit_bytes", session->memory_limit);
    mr_json_count(json, "memory_peak_bytes", mr_memory_peak(session->context.memory));
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

static const char *backend_text(enum mr_queue_backend backend)
{
    switch (backend) {
    case MR_QUEUE_URING:
        return "io_uring";
    case MR_QUEUE_PREAD:
        return "pread";
    case MR_QUEUE_AUTO:
        break;
    }
    return "none"; /* nothing was read */
}

void mr_meta_figures(struct mr_json *json, const struct mr_pass_figures *figures)
{
    mr_json_text(json, "io", backend_text(figures->backend));
    mr_json_flag(json, "direct", figures->direct);
    mr_json_flag(json, "registered_buffers", figures->registered_buffers);
    mr_json_count(json, "threads", figures->threads);
    mr_json_count(json, "edge_visits", figures->edge_visits);
    mr_json_count(json, "bytes_read", figures->bytes_read);
    mr_json_count(json, "degree_bytes_read", figures->degree_bytes_read);
    mr_json_count(json, "pinned_bytes", figures->pinned_bytes);
    mr_json_count(json, "decoded_bytes", figures->decoded_bytes);
    mr_json_count(json, "pinned_degree_bytes", figures->pinned_degree_bytes);
    mr_json_real(json, "pass_seconds", figures->seconds);
    mr_json_real(json, "wait_seconds", figures->wait_seconds);
}

static char *path_of_meta(const char *path)
{
    char *text = NULL;
    return asprintf(&text, "%s%s", path, meta_suffix) >= 0 ? text : NULL;
}

/* What the file has may be anything; that it cannot be read is an error. */
static enum mr_status pass_on(enum mr_status status, const struct mr_error *reason,
                              struct mr_error *err)
{
    if (status == MR_OK || status == MR_ERROR_INPUT) {
        return MR_OK;
    }
    *err = *reason;
    return status;
}

/* Reads all of the file to `text` [room]; `*bytes` is `room` if it is longer or damaged. */
static enum mr_status read_text(struct mr_input *input, char *text, size_t room, size_t *bytes,
                                struct mr_error *err)
{
    struct mr_error reason = {.status = MR_OK};
    enum mr_status status = MR_OK;
    size_t got = 1;

    *bytes = 0;
    while (status == MR_OK && got > 0 && *bytes < room) {
        status = mr_input_read(input, text + *bytes, room - *bytes, &got, &reason);
        *bytes += status == MR_OK ? got : 0;
    }
    *bytes = status == MR_OK ? *bytes : room;
    return pass_on(status, &reason, err);
}

static enum mr_status no_memory(struct mr_error *err)
{
    return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a .meta.json");
}

static enum mr_status read_json(struct mr_input *input, json_t **meta, struct mr_error *err)
{
    enum { MOST = 1 << 20 };
    json_error_t reason;
    size_t bytes = 0;
    char *text = malloc(MOST);

    enum mr_status status =
        text == NULL ? no_memory(err) : read_text(input, text, MOST, &bytes, err);
    if (status == MR_OK && bytes < MOST) {
        errno = 0;
        *meta = json_loadb(text, bytes, 0, &reason);
        status = errno == ENOMEM ? no_memory(err) : MR_OK;
    }
    if (!json_is_object(*meta)) {
        json_decref(*meta);
        *meta = NULL;
    }
    free(text);
    return status;
}

enum mr_status mr_meta_read(struct mr_session *session, const char *path, json_t **meta,
                            struct mr_error *err)
{
    struct mr_error reason = {.status = MR_OK};
    struct mr_input *input = NULL;
    enum mr_status status = MR_OK;
    char *meta_path = path_of_meta(path);

    *meta = NULL;
    if (meta_path == NULL) {
        return no_memory(err);
    }
    if (mr_io_exists(meta_path)) {
        status = mr_input_open(&session->context, meta_path, &input, &reason);
        status = status == MR_OK ? read_json(input, meta, err) : pass_on(status, &reason, err);
        mr_input_close(input);
    }
    free(meta_path);
    return status;
}

/* Says a note unless `meta`, of the scores at `path`, has the graph of `of`, which is `graph`. */
static void compare_graphs(struct mr_session *session, const char *path, const json_t *meta,
                           const json_t *graph, const char *of)
{
    static const char *const keys[] = {"graph_id", "vertices", "edges"};
    char pages[32], links[32];
    bool same = true;

    if (json_object_get(meta, keys[0]) == NULL) {
        mr_session_say(session,
                       "note: %s has no %s%s with a graph_id, so nothing shows that it belongs to "
                       "%s",
                       path, path, meta_suffix, of);
        return;
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        same = same && json_equal(json_object_get(meta, keys[i]), json_object_get(graph, keys[i]));
    }
    if (!same) {
        mr_session_say(
            session,
            "note: %s comes from another graph than %s, or from another build of it: it had %s "
            "pages and %s links",
            path, of,
            mr_count_text((uint64_t)json_integer_value(json_object_get(meta, keys[1])), pages),
            mr_count_text((uint64_t)json_integer_value(json_object_get(meta, keys[2])), links));
    }
}

enum mr_status mr_meta_check_store(struct mr_session *session, const char *path,
                                   const struct mr_store_info *info, const char *of,
                                   struct mr_error *err)
{
    json_t *meta = NULL;
    if (strcmp(path, "-") == 0) {
        return MR_OK;
    }
    enum mr_status status = mr_meta_read(session, path, &meta, err);
    if (status == MR_OK) {
        struct mr_json graph = mr_json_create();
        mr_meta_store(&graph, NULL, info);
        status = graph.failed ? no_memory(err) : MR_OK;
        if (status == MR_OK) {
            compare_graphs(session, path, meta, graph.object, of);
        }
        mr_json_destroy(&graph);
    }
    json_decref(meta);
    return status;
}

enum mr_status mr_meta_check_scores(struct mr_session *session, const char *path, const char *other,
                                    struct mr_error *err)
{
    json_t *meta = NULL, *graph = NULL;
    enum mr_status status = mr_meta_read(session, other, &graph, err);

    if (status == MR_OK) {
        status = mr_meta_read(session, path, &meta, err);
    }
    if (status == MR_OK) {
        const bool is_known = json_object_get(graph, "graph_id") != NULL;
        compare_graphs(session, is_known ? path : other, is_known ? meta : NULL, graph,
                       is_known ? other : path);
    }
    json_decref(graph);
    json_decref(meta);
    return status;
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
    char *meta_path = path_of_meta(path);
    if (status == MR_OK) {
        status = meta_path == NULL
                     ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a file name")
                     : mr_output_file(&session->context, meta_path, true, text, strlen(text), err);
    }
    free(meta_path);
    free(text);
    return status;
}
