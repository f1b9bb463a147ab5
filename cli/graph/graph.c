/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the graph that a ranking works on. Rankings accept a store or the files that `build`
 * accepts; for files this code builds a temporary store first and removes it at the end. So
 * every ranking works on a store, and there is one way to read a graph. Finds pages by name, too,
 * for the commands that answer questions about a store. */
#include "cli/graph/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/builder/transpose.h"
#include "engine/io/workspace.h"
#include "engine/pass/pass.h"
#include "formats/score/scores.h"
#include "formats/url/host.h"
#include "library/import/import_files.h"
#include "library/query/subset.h"

enum { NEAR_BYTES = 512 };

bool mr_graph_is_store(const struct mr_parsed *parsed)
{
    return parsed->n_operands == 1 && mr_store_probe(parsed->operands[0]);
}

static enum mr_status build_temporary(struct mr_session *session,
                                      const struct mr_import_options *import, bool reversed,
                                      const struct mr_parsed *parsed, struct mr_graph *graph,
                                      struct mr_error *err)
{
    struct mr_import_summary summary;

    enum mr_status status = mr_session_temporary(session, "graph", &graph->temporary, err);
    if (status == MR_OK) {
        status = mr_import_files(&session->context, graph->temporary, parsed->operands,
                                 parsed->n_operands, import, &summary, err);
    }
    if (status == MR_OK) {
        mr_session_say(session, "note: %s is no store; built a temporary one in %s",
                       parsed->operands[0], mr_workspace_parent(&session->context));
        mr_build_report(session, NULL, reversed, &summary.build);
    }
    return status;
}

static enum mr_status open_names(struct mr_session *session, struct mr_graph *graph,
                                 struct mr_error *err)
{
    (void)mr_canonical_of(mr_store_get_info(graph->store)->name_key_number, &graph->canonical);
    return mr_store_open_names(&session->context, graph->store, &graph->names, err);
}

enum mr_status mr_graph_open_at(struct mr_session *session, const char *path,
                                struct mr_graph *graph, struct mr_error *err)
{
    const enum mr_status status = mr_store_open(&session->context, path, &graph->store, err);
    return status == MR_OK ? open_names(session, graph, err) : status;
}

enum mr_status mr_graph_estimate(struct mr_session *session, const char *path, uint64_t page_bytes,
                                 double passes, struct mr_error *err)
{
    struct mr_store *store = NULL;
    enum mr_status status = mr_store_open(&session->context, path, &store, err);

    if (status == MR_OK) {
        struct mr_store_figures figures = {.struct_size = sizeof figures};
        mr_store_describe(store, &figures);
        const struct mr_rank_costs costs = {.memory_bytes = MR_MEMORY_FLOOR_BYTES +
                                                            page_bytes * figures.n_vertices,
                                            .passes = passes};
        status = mr_session_estimate(session, &costs, err);
    }
    mr_store_close(store);
    return status;
}

enum mr_status mr_graph_open_weights(struct mr_session *session, struct mr_graph *graph,
                                     struct mr_error *err)
{
    return mr_store_open_weights(&session->context, graph->store, &graph->weighted, err);
}

static bool wants_classes(const struct mr_links_flags *links)
{
    return links->links != 0 || links->internal_weight > 0 || links->external_weight > 0;
}

/* Is the store without the classes that `links` asks for, or with those of another rule? */
static bool lacks_classes(const struct mr_graph *graph, const struct mr_links_flags *links,
                          enum mr_class_rule rule)
{
    const struct mr_store_info *info = mr_store_get_info(graph->store);
    return wants_classes(links) && (info->n_classes < MR_CLASSES_MAX ||
                                    (rule != MR_CLASSES_NONE && rule != info->class_rule));
}

/* Replaces the graph by one that tells links inside hosts or domains apart, a temporary store. */
static enum mr_status add_classes(struct mr_session *session, const char *path,
                                  enum mr_class_rule rule, struct mr_graph *graph,
                                  struct mr_error *err)
{
    struct mr_store_info like = *mr_store_get_info(graph->store);
    struct mr_graph divided = {0};
    struct mr_host_groups *groups = NULL;

    like.class_rule = rule == MR_CLASSES_NONE ? MR_CLASSES_BY_HOST : rule;
    if (like.name_kind != MR_NAMES_TEXT) {
        return mr_error_file(err, MR_ERROR_USAGE, path, 0,
                             "calls its pages by numbers, so no link is inside a host; name them: "
                             "millrace build INPUT --names FILE --classes host -o STORE");
    }
    enum mr_status status = mr_host_groups_of_store(&like, &groups, err);
    if (status == MR_OK) {
        status = mr_session_temporary(session, "classes", &divided.temporary, err);
    }
    if (status == MR_OK) {
        const struct mr_build_options options = {.force = true,
                                                 .class_rule = like.class_rule,
                                                 .name_group = mr_host_group,
                                                 .name_group_data = groups};
        const char *word = like.class_rule == MR_CLASSES_BY_HOST ? "host" : "domain";
        mr_session_say(session,
                       "note: %s does not tell links inside a %s apart; a temporary store in %s "
                       "does, and one built with --classes %s needs none",
                       path, word, mr_workspace_parent(&session->context), word);
        status =
            mr_build_again(&session->context, graph->store, divided.temporary, &options, NULL, err);
    }
    mr_host_groups_close(groups);
    mr_graph_close(session, graph);
    *graph = divided;
    return status == MR_OK ? mr_graph_open_at(session, divided.temporary, graph, err) : status;
}

/* Opens the store at `path` with the classes of edges that `links` asks for, by `rule` or by any.
 * `may_build`: makes them where the store has none; else it opens all links then. */
static enum mr_status open_links(struct mr_session *session, const char *path,
                                 const struct mr_links_flags *links, enum mr_class_rule rule,
                                 bool may_build, struct mr_graph *graph, struct mr_error *err)
{
    const bool weighs = links->internal_weight > 0 || links->external_weight > 0;
    enum mr_status status = mr_graph_open_at(session, path, graph, err);
    if (status == MR_OK && lacks_classes(graph, links, rule)) {
        if (!may_build) {
            return MR_OK;
        }
        status = add_classes(session, path, rule, graph, err);
        path = graph->temporary;
    }
    if (status != MR_OK || !wants_classes(links)) {
        return status;
    }
    if (weighs) {
        const double weights[MR_CLASSES_MAX] = {
            [MR_LINK_EXTERNAL] = links->external_weight > 0 ? links->external_weight : 1,
            [MR_LINK_INTERNAL] = links->internal_weight > 0 ? links->internal_weight : 1};
        return mr_store_weigh_classes(&session->context, graph->store, weights, err);
    }
    mr_names_close(graph->names);
    mr_store_close(graph->store);
    graph->names = NULL;
    graph->store = NULL;
    status = mr_store_open_classes(&session->context, path, mr_links_class(links->links),
                                   &graph->store, err);
    return status == MR_OK ? open_names(session, graph, err) : status;
}

/* Replaces the graph by its largest component, as a temporary store. */
static enum mr_status narrow(struct mr_session *session, bool is_strong, struct mr_graph *graph,
                             struct mr_error *err)
{
    struct mr_graph part = {0};
    struct mr_store_build_figures summary;
    char pages[64];

    enum mr_status status = mr_session_temporary(session, "largest", &part.temporary, err);
    if (status == MR_OK) {
        status = mr_part_of_largest(&session->context, graph->store, graph->names, is_strong,
                                    part.temporary, &summary, err);
    }
    if (status == MR_OK) {
        mr_session_say(session, "note: taking the largest %s component, %s",
                       is_strong ? "strong" : "weak",
                       mr_count_of_text(summary.n_vertices, "page", pages));
    }
    mr_graph_close(session, graph);
    *graph = part;
    return status == MR_OK ? mr_graph_open_at(session, part.temporary, graph, err) : status;
}

/* Are there lists of links beside the graph? Options about inputs are those of the lists then. */
static bool has_lists(const struct mr_parsed *parsed)
{
    for (size_t i = 0; i < parsed->n_given; i++) {
        const char *name = parsed->given[i].option->name;
        if (strcmp(name, "what-if") == 0 || strcmp(name, "without") == 0) {
            return true;
        }
    }
    return false;
}

/* Refuses options about inputs, but for --classes with `links` that want some. */
static enum mr_status refuse_import(const struct mr_links_flags *links,
                                    const struct mr_parsed *parsed, struct mr_error *err)
{
    for (size_t i = 0; i < parsed->n_given && !has_lists(parsed); i++) {
        const struct mr_option *option = parsed->given[i].option;
        const char *value = parsed->given[i].text;
        for (const struct mr_option *o = mr_import_options; o->name != NULL; o++) {
            if (o == option && !(wants_classes(links) && strcmp(o->name, "classes") == 0)) {
                return mr_error_set(
                    err, MR_ERROR_USAGE,
                    "--%s: %s is a store already; this flag is for building one: millrace build "
                    "INPUT... --%s%s%s -o STORE",
                    o->name, parsed->operands[0], o->name, value != NULL ? " " : "",
                    value != NULL ? value : "");
            }
        }
    }
    return MR_OK;
}

enum mr_status mr_graph_open(struct mr_session *session, const struct mr_import_options *import,
                             const struct mr_links_flags *links, const struct mr_parsed *parsed,
                             struct mr_graph *graph, struct mr_error *err)
{
    const char *path = parsed->operands[0];

    *graph = (struct mr_graph){0};
    enum mr_status status = MR_OK;
    if (parsed->n_operands > 1 && mr_store_probe(path)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "%s: one argument too many; %s is a store, and stands alone; 'millrace "
                            "append' adds files to it",
                            parsed->operands[1], path);
    }
    if (!mr_graph_is_store(parsed)) {
        struct mr_import_options options = *import;
        options.force = true;
        if (options.class_rule == MR_CLASSES_NONE && wants_classes(links)) {
            options.class_rule = MR_CLASSES_BY_HOST;
        }
        status = build_temporary(session, &options, links->reversed, parsed, graph, err);
        if (status != MR_OK) {
            return status;
        }
        path = graph->temporary;
    } else {
        status = refuse_import(links, parsed, err);
        if (status != MR_OK) {
            return status;
        }
    }
    status = open_links(session, path, links, import->class_rule, true, graph, err);
    if (status == MR_OK && links->largest != 0) {
        status = narrow(session, links->largest == 2, graph, err);
    }
    if (status == MR_OK && import->weights == MR_WEIGHTS_MUST) {
        return mr_graph_open_weights(session, graph, err);
    }
    if (status == MR_OK && import->weights == MR_WEIGHTS_NONE &&
        mr_store_get_info(graph->store)->has_weights) {
        mr_import_note_weights(&session->context, import->ignores_weights);
    }
    return status;
}

enum mr_status mr_graph_open_to_estimate(struct mr_session *session, const char *path,
                                         const struct mr_links_flags *links, bool weighs,
                                         enum mr_class_rule rule, struct mr_graph *graph,
                                         uint64_t *beside, bool *builds, struct mr_error *err)
{
    *graph = (struct mr_graph){0};
    *beside = 0;
    *builds = false;
    enum mr_status status = mr_session_lift_limit(session, err);
    if (status != MR_OK) {
        return status;
    }
    const uint64_t before = mr_memory_available(session->context.memory);
    status = open_links(session, path, links, rule, false, graph, err);
    *builds = status == MR_OK && lacks_classes(graph, links, rule);
    if (status == MR_OK && weighs) {
        status = mr_graph_open_weights(session, graph, err);
    }
    if (status == MR_OK) {
        const uint64_t held = before - mr_memory_available(session->context.memory);
        *beside = held - mr_store_get_info(mr_graph_links(graph))->index_bytes;
    }
    return status;
}

void mr_graph_close(struct mr_session *session, struct mr_graph *graph)
{
    mr_store_close(graph->weighted);
    mr_names_close(graph->names);
    mr_store_close(graph->store);
    if (graph->temporary != NULL) {
        mr_io_remove_store_dir(session->context.io, graph->temporary);
        free(graph->temporary);
    }
    *graph = (struct mr_graph){0};
}

/* ---- Pages of the graph ---- */

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
        return mr_error_file(err, MR_ERROR_INPUT, mr_store_path(graph->store), 0,
                             "has no page with the name %s; did you mean %s?", name, near);
    }
    return mr_error_file(err, MR_ERROR_INPUT, mr_store_path(graph->store), 0,
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
