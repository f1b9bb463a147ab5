/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the metadata of scores, which the program writes beside them, and compares their
 * graphs. Reports and the commands that continue or compare scores call these functions. */
#include "library/score_meta.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/count_text.h"
#include "engine/io/io.h"
#include "formats/stream/input.h"

static const char meta_suffix[] = ".meta.json";

char *mr_meta_path(const char *path)
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
    if (err != NULL && err->status == MR_OK) {
        *err = *reason;
    }
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

enum mr_status mr_meta_read(const struct mr_context *context, const char *path, json_t **meta,
                            struct mr_error *err)
{
    struct mr_error reason = {.status = MR_OK};
    struct mr_input *input = NULL;
    enum mr_status status = MR_OK;
    char *meta_path = mr_meta_path(path);

    *meta = NULL;
    if (meta_path == NULL) {
        return no_memory(err);
    }
    if (mr_io_exists(meta_path)) {
        status = mr_input_open(context, meta_path, &input, &reason);
        status = status == MR_OK ? read_json(input, meta, err) : pass_on(status, &reason, err);
        mr_input_close(input);
    }
    free(meta_path);
    return status;
}

double mr_meta_error_bound(const json_t *meta)
{
    const json_t *bound = json_object_get(meta, "error_bound");
    const json_t *kind = json_object_get(meta, "bound");

    if (!json_is_number(bound) ||
        (kind != NULL &&
         (!json_is_string(kind) || strcmp(json_string_value(kind), "distance") != 0))) {
        return NAN;
    }
    return json_number_value(bound);
}

/* Sends a note unless `meta`, of the scores at `path`, has the graph of `of`, which is `graph`. */
static void compare_graphs(const struct mr_context *context, const char *path, const json_t *meta,
                           const json_t *graph, const char *of)
{
    static const char *const keys[] = {"graph_id", "vertices", "edges"};
    char pages[32], links[32];
    bool same = true;

    if (json_object_get(meta, keys[0]) == NULL) {
        mr_context_note(context,
                        "%s has no %s%s with a graph_id, so nothing shows that it belongs to "
                        "%s",
                        path, path, meta_suffix, of);
        return;
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        same = same && json_equal(json_object_get(meta, keys[i]), json_object_get(graph, keys[i]));
    }
    if (!same) {
        mr_context_note(
            context,
            "%s comes from another graph than %s, or from another build of it: it had %s "
            "pages and %s links",
            path, of,
            mr_count_text((uint64_t)json_integer_value(json_object_get(meta, keys[1])), pages),
            mr_count_text((uint64_t)json_integer_value(json_object_get(meta, keys[2])), links));
    }
}

enum mr_status mr_meta_check_store(const struct mr_context *context, const char *path,
                                   const struct mr_store_info *info, const char *of,
                                   struct mr_error *err)
{
    json_t *meta = NULL, *graph = NULL;
    char id[17];

    if (strcmp(path, "-") == 0) {
        return MR_OK;
    }
    (void)snprintf(id, sizeof id, "%016llx", (unsigned long long)info->graph_id);
    enum mr_status status = mr_meta_read(context, path, &meta, err);
    if (status == MR_OK) {
        graph = json_pack("{s:s,s:I,s:I}", "graph_id", id, "vertices", (json_int_t)info->n_vertices,
                          "edges", (json_int_t)info->n_edges);
        status = graph == NULL ? no_memory(err) : MR_OK;
    }
    if (status == MR_OK) {
        compare_graphs(context, path, meta, graph, of);
    }
    json_decref(graph);
    json_decref(meta);
    return status;
}

enum mr_status mr_meta_check_scores(const struct mr_context *context, const char *path,
                                    const char *other, struct mr_error *err)
{
    json_t *meta = NULL, *graph = NULL;
    enum mr_status status = mr_meta_read(context, other, &graph, err);

    if (status == MR_OK) {
        status = mr_meta_read(context, path, &meta, err);
    }
    if (status == MR_OK) {
        const bool is_known = json_object_get(graph, "graph_id") != NULL;
        compare_graphs(context, is_known ? path : other, is_known ? meta : NULL, graph,
                       is_known ? other : path);
    }
    json_decref(graph);
    json_decref(meta);
    return status;
}
