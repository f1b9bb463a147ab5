/* SPDX-License-Identifier: Apache-2.0 */
/* The files of the options of a kind: pages, scores, stores, vectors. */
#include "cli/ranking/kind_internal.h"

#include <stdlib.h>
#include <string.h>

#include "cli/program/meta.h"
#include "engine/base/count_text.h"
#include "engine/base/memory.h"

/* What the program reads of the files of an option. */
static enum mr_status read_pages(struct mr_run *run, size_t i, struct mr_error *err)
{
    const struct mr_context *context = &run->session->context;
    const enum mr_rank_type type = mr_kind_of(run)->options[i].type;
    const uint64_t max_unknown = run->flags->max_unknown;
    struct mr_kind_run *own = run->data;
    size_t n = 0;
    const char *const *files = mr_kind_files(run, i, &n);

    if (n == 0) {
        return MR_OK;
    }
    if (type == MR_RANK_PAGES || type == MR_RANK_WEIGHTS) {
        return mr_run_read_pages(run, files, n, type == MR_RANK_WEIGHTS, &own->pages[i], err);
    }
    const enum mr_status status =
        type == MR_RANK_TIMES || type == MR_RANK_INTERVALS
            ? mr_vertex_weights_read(context, files, n, run->ranked->names, NULL,
                                     type == MR_RANK_TIMES ? MR_LIST_TIMES : MR_LIST_INTERVALS,
                                     max_unknown, &own->pages[i], err)
            : mr_page_list_read(context, files, n, run->ranked->names, mr_run_info(run),
                                type == MR_RANK_FETCHED ? MR_FETCH_WANTS_FETCHED
                                                        : MR_FETCH_WANTS_PAGES,
                                run->flags->fetch.retries, max_unknown, &own->vertices[i], err);
    return status == MR_OK && type != MR_RANK_FETCHED && own->pages[i].n_entries == 0 &&
                   own->vertices[i].n_pages == 0
               ? mr_error_file(err, MR_ERROR_INPUT, files[0], 0,
                               "has nothing for --%s about a page of the graph; check the names",
                               mr_kind_of(run)->options[i].name)
               : status;
}

/* Refuses scores of which no page of the graph has one above 0; notes what does not match. */
static enum mr_status check_reals(struct mr_run *run, const char *path, const double *reals,
                                  const struct mr_scores_found *found, struct mr_error *err)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    const uint64_t n = mr_run_info(run)->n_vertices;
    char count[32], missing[64];
    uint64_t v = 0;

    while (v < n && !(reals[v] > 0)) {
        v++;
    }
    if (v == n && n > 0) {
        return mr_error_file(
            err, MR_ERROR_INPUT, name, 0,
            "gives no page of the graph a score above 0; use scores of this graph");
    }
    if (found->n_unknown > 0 || found->n_found < n) {
        mr_session_say(run->session,
                       "note: %s: %s of its names are not pages of the graph, and it lacks %s of "
                       "the graph",
                       name, mr_count_text(found->n_unknown, count),
                       mr_count_of_text(n - found->n_found, "page", missing));
    }
    return MR_OK;
}

/* Reads the scores of an earlier result, of this graph or another one. */
static enum mr_status read_reals(struct mr_run *run, size_t i, struct mr_error *err)
{
    const struct mr_context *context = &run->session->context;
    const struct mr_rank_option *row = &mr_kind_of(run)->options[i];
    const struct mr_store_info *info = mr_run_info(run);
    const char *path = mr_kind_options_of(run)->slots[i].text;
    struct mr_kind_run *own = run->data;

    bool has_names = false;
    enum mr_status status = mr_memory_array(context->memory, "scores to start from",
                                            info->n_vertices + 1, &own->reals[i], err);
    if (status == MR_OK) {
        status =
            mr_scores_read_from(context, path, row->choices, run->ranked->names, info->n_vertices,
                                "the score is negative; a start takes scores that are not",
                                own->reals[i], &own->found[i], &has_names, err);
    }
    /* By name, scores are good in each graph that grew from theirs; by place only in their own. */
    if (status == MR_OK && !has_names) {
        status = mr_meta_check_store(context, path, info, "the graph", err);
    }
    return status == MR_OK ? check_reals(run, path, own->reals[i], &own->found[i], err) : status;
}

/* Opens a store, with its weights or only the class of links, where the graph is opened so. */
static enum mr_status open_store(struct mr_run *run, size_t i, struct mr_error *err)
{
    const struct mr_context *context = &run->session->context;
    const int links = run->flags->links.links;
    struct mr_kind_run *own = run->data;
    struct mr_store *plain = NULL;

    enum mr_status status =
        mr_store_open_classes(context, mr_kind_options_of(run)->slots[i].text,
                              links != 0 ? mr_links_class(links) : MR_CLASSES_ALL, &plain, err);
    if (status == MR_OK && links != 0 && mr_store_get_info(plain)->n_classes < MR_CLASSES_MAX) {
        status = mr_error_file(err, MR_ERROR_USAGE, mr_store_path(plain), 0,
                               "does not tell internal and external links apart; leave out --%s, "
                               "and a temporary store takes its place",
                               mr_kind_of(run)->options[i].name);
    }
    if (status != MR_OK || !run->flags->weights) {
        own->stores[i] = plain;
        return status;
    }
    status = mr_store_open_weights(context, plain, &own->stores[i], err);
    mr_store_close(plain);
    return status;
}

/* Reads the vectors, and expects a column for each. */
static enum mr_status read_batch(struct mr_run *run, const char *path, struct mr_error *err)
{
    struct mr_kind_run *own = run->data;
    struct mr_teleport_batch *batch = &own->batch;
    const enum mr_status status =
        mr_teleport_batch_read(&run->session->context, path, run->ranked->names, mr_run_info(run),
                               false, run->flags->max_unknown, batch, err);

    return status == MR_OK
               ? mr_columns_expect(run, (const char *const *)batch->names, batch->n_vectors, err)
               : status;
}

enum mr_status mr_kind_prepare(struct mr_run *run, struct mr_error *err)
{
    const struct mr_ranking_kind *kind = mr_kind_of(run);
    enum mr_status status =
        mr_kind_hooks(run)->prepare != NULL ? mr_kind_hooks(run)->prepare(run, err) : MR_OK;

    for (size_t i = 0; kind->options[i].name != NULL && status == MR_OK; i++) {
        const enum mr_rank_type type = kind->options[i].type;
        if (type == MR_RANK_REALS && mr_kind_given(run, i) != NULL) {
            status = read_reals(run, i, err);
        } else if (type == MR_RANK_STORE && mr_kind_given(run, i) != NULL) {
            status = open_store(run, i, err);
        } else if (type == MR_RANK_VECTORS && mr_kind_given(run, i) != NULL) {
            status = read_batch(run, mr_kind_options_of(run)->slots[i].text, err);
        } else if (type != MR_RANK_VECTORS && mr_kind_has_files(&kind->options[i])) {
            status = read_pages(run, i, err);
        }
    }
    return status;
}
