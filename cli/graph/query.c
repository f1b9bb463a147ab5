/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a page by its name, and prints names, for the commands that answer questions about a
 * store. */
#include "cli/graph/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "formats/score/scores.h"

enum { NEAR_BYTES = 512 };

/* Looks for a page whose name is `name` with a little more or less, as people type URLs: without
 * the scheme, without the last slash, or with one too many. Returns false where there is none. */
static bool find_near(struct mr_graph *graph, const char *name, char *near, size_t near_bytes)
{
    static const char *const schemes[] = {"", "https://", "http://", "https://www.", "http://www."};
    const size_t bytes = strlen(name);
    const int stem = (int)(bytes > 0 && name[bytes - 1] == '/' ? bytes - 1 : bytes);
    const size_t n_schemes = strstr(name, "://") != NULL ? 1 : sizeof schemes / sizeof *schemes;

    for (size_t i = 0; i < 2 * n_schemes && stem > 0; i++) {
        uint32_t vertex = 0;
        bool found = false;
        const int length = snprintf(near, near_bytes, "%s%.*s%s", schemes[i / 2], stem, name,
                                    i % 2 == 0 ? "/" : "");
        if (length > 0 && (size_t)length < near_bytes &&
            mr_names_find(graph->names, near, (size_t)length, &vertex, &found, NULL) == MR_OK &&
            found) {
            return true;
        }
    }
    return false;
}

enum mr_status mr_query_vertex(struct mr_graph *graph, const char *name, uint32_t *vertex,
                               struct mr_error *err)
{
    char near[NEAR_BYTES];
    bool found = false;
    enum mr_status status = MR_OK;
    if (strchr(name, '\\') != NULL) { /* perhaps a name as we print it */
        char *plain = malloc(strlen(name));
        status = plain == NULL ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a name")
                               : mr_names_find(graph->names, plain,
                                               mr_name_unescape(name, strlen(name), plain), vertex,
                                               &found, err);
        free(plain);
    }
    if (status == MR_OK && !found) {
        status = mr_names_find(graph->names, name, strlen(name), vertex, &found, err);
    }
    if (status != MR_OK || found) {
        return status;
    }
    if (find_near(graph, name, near, sizeof near)) {
        return mr_error_file(err, MR_ERROR_USAGE, mr_store_path(graph->store), 0,
                             "has no page with the name %s; did you mean %s?", name, near);
    }
    return mr_error_file(err, MR_ERROR_USAGE, mr_store_path(graph->store), 0,
                         "has no page with the name %s; 'millrace find' searches names", name);
}

enum mr_status mr_query_scores(struct mr_session *session, struct mr_graph *graph, const char *path,
                               const char *column, double **scores, struct mr_error *err)
{
    const uint64_t n = mr_store_get_info(graph->store)->n_vertices;
    struct mr_scores_found found = {0};

    enum mr_status status = mr_memory_array(session->context.memory, "scores", n + 1, scores, err);
    if (status == MR_OK) {
        status =
            mr_scores_read(&session->context, path, column, graph->names, n, *scores, &found, err);
    }
    if (status == MR_OK && (found.n_found < n || found.n_unknown > 0)) {
        status = mr_error_file(err, MR_ERROR_INPUT, path, 0,
                               "has scores of %llu of the %llu pages, and of %llu others; scores "
                               "have to come from a ranking of this store, without --top",
                               (unsigned long long)found.n_found, (unsigned long long)n,
                               (unsigned long long)found.n_unknown);
    }
    return status;
}

enum mr_status mr_query_print_name(struct mr_output *out, const char *name, size_t name_bytes,
                                   struct mr_error *err)
{
    uint64_t escaped = 0;
    const enum mr_status status =
        mr_output_name_escaped(out, name, name_bytes, MR_NAME_LINE, &escaped, err);
    return status == MR_OK ? mr_output_write(out, "\n", 1, err) : status;
}
