/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the inputs of `millrace opic` other than the graph: lists of pages, times of fetches,
 * the edges inside hosts, and the state of the last crawl. cmd_opic.c calls these functions
 * before the sweeps, and saves the state after them. */
#include <stdlib.h>
#include <unistd.h>

#include "cli/opic/opic_job.h"
#include "engine/base/memory.h"
#include "engine/builder/build.h"
#include "engine/io/io.h"
#include "engine/scan/edges.h"
#include "formats/table/time_text.h"
#include "library/rank/opic_state_file.h"

uint64_t mr_opic_pages(struct mr_size size, uint64_t n_vertices)
{
    const uint64_t pages = mr_size_resolve(size, n_vertices);
    return pages > 0 ? pages : 1;
}

/* ---- Lists ---- */

static enum mr_status read_list(struct mr_opic_job *job, const struct mr_texts *files,
                                enum mr_fetch_wanted wanted, struct mr_page_list *list,
                                struct mr_error *err)
{
    const struct mr_store *facts = wanted == MR_FETCH_WANTS_FETCHED && job->info->n_facts > 0 &&
                                           mr_opic_fetched_rule(job->flags) == MR_OPIC_FETCHED_LINKS
                                       ? job->run->ranked->store
                                       : NULL;

    return mr_page_list_read(
        &job->session->context, files->items, files->n, facts, job->names, job->info, wanted,
        wanted == MR_FETCH_WANTS_FETCHED ? job->flags->ranking.fetch.retries : 0,
        job->run->flags->max_unknown, list, err);
}

static enum mr_status read_file_of_times(struct mr_opic_job *job, enum mr_list_kind kind,
                                         struct mr_vertex_weights *out, struct mr_error *err)
{
    const uint64_t max_unknown =
        kind == MR_LIST_TIMES ? job->run->flags->max_unknown : UINT64_MAX; /* told already */
    return mr_vertex_weights_read(&job->session->context, job->flags->times.items,
                                  job->flags->times.n, job->names, NULL, kind, max_unknown, out,
                                  err);
}

/* Reads the intervals of pages, and makes windows of them. */
static enum mr_status read_windows(struct mr_opic_job *job, struct mr_error *err)
{
    const double intervals = job->flags->window.intervals;
    struct mr_vertex_weights *windows = &job->windows;
    char some[32], all[32];
    uint64_t n = 0;

    if (!(intervals > 0)) {
        return MR_OK;
    }
    const enum mr_status status = read_file_of_times(job, MR_LIST_INTERVALS, windows, err);
    for (uint64_t i = 0; i < windows->n_entries; i++) {
        windows->entries[n] = windows->entries[i];
        windows->entries[n].weight *= intervals;
        n += windows->entries[n].weight > 0;
    }
    windows->n_entries = n;
    if (status == MR_OK && n == 0) {
        return mr_error_file(err, MR_ERROR_INPUT, job->flags->times.items[0], 0,
                             "has no intervals of fetches; leave out the number before x in "
                             "--window, or give lines NAME<TAB>TIME<TAB>INTERVAL");
    }
    if (status == MR_OK) {
        mr_session_say(job->session, "%s: %s of %s pages have an interval of their own",
                       job->flags->times.items[0], mr_count_text(n, some),
                       mr_count_text(job->times.n_entries, all));
    }
    return status;
}

static enum mr_status read_times(struct mr_opic_job *job, struct mr_error *err)
{
    if (job->flags->times.n == 0) {
        return MR_OK;
    }
    enum mr_status status = read_file_of_times(job, MR_LIST_TIMES, &job->times, err);
    if (status == MR_OK && job->times.n_entries == 0) {
        status = mr_error_file(
            err, MR_ERROR_INPUT, job->flags->times.items[0], 0,
            "names no page of the graph, so no page would be visited; check the names");
    }
    return status == MR_OK ? read_windows(job, err) : status;
}

enum mr_status mr_opic_read_lists(struct mr_opic_job *job, struct mr_error *err)
{
    const struct mr_opic_flags *flags = job->flags;
    enum mr_status status =
        read_list(job, &flags->payout.files, MR_FETCH_WANTS_PAGES, &job->targets, err);
    if (status == MR_OK && flags->payout.files.n > 0 && job->targets.n_pages == 0) {
        status = mr_error_file(err, MR_ERROR_INPUT, flags->payout.files.items[0], 0,
                               "names no page, host or domain of the graph, so no page would be "
                               "paid; check the names");
    }
    if (status == MR_OK) {
        status = read_list(job, &flags->fetched.files, MR_FETCH_WANTS_FETCHED, &job->fetched, err);
    }
    return status == MR_OK ? read_times(job, err) : status;
}

/* ---- Edges inside hosts ---- */

struct divider {
    struct mr_build *build;
    const uint64_t *host_of; /* NULL: all edges are internal */
    bool ignore_self_loops;
    uint64_t n_internal;
};

static enum mr_status take_internal(void *data, const uint32_t (*pairs)[2], const float *weights,
                                    size_t n_pairs, struct mr_error *err)
{
    struct divider *divider = data;
    struct mr_edge edges[MR_EDGES_BATCH];
    size_t n = 0;

    (void)weights;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t source = pairs[i][0], target = pairs[i][1];
        if ((divider->host_of == NULL || divider->host_of[source] == divider->host_of[target]) &&
            !(divider->ignore_self_loops && source == target)) {
            edges[n++] = (struct mr_edge){source, target};
        }
    }
    divider->n_internal += n;
    return mr_build_edges(divider->build, 0, edges, NULL, n, err);
}

/* Builds a store of the edges of `source`: all of them, or with host_of those inside a host. */
static enum mr_status build_internal(struct mr_opic_job *job, struct mr_store *source,
                                     const uint64_t *host_of, uint64_t *n_internal,
                                     struct mr_error *err)
{
    const struct mr_context *context = &job->session->context;
    struct divider divider = {.host_of = host_of,
                              .ignore_self_loops = job->flags->ignore_self_loops};
    const struct mr_build_options options = {.ids = MR_IDS_DENSE,
                                             .n_vertices = job->info->n_vertices,
                                             .keep_duplicates = job->info->duplicates_kept,
                                             .force = true};

    enum mr_status status =
        mr_build_create(context, job->internal_path, &options, &divider.build, err);
    if (status == MR_OK) {
        status = mr_edges_read(context, source, NULL, take_internal, &divider, err);
    }
    status = mr_build_finish(divider.build, status, NULL, err);
    *n_internal = divider.n_internal;
    return status == MR_OK ? mr_store_open(context, job->internal_path, &job->internal, err)
                           : status;
}

/* Opens the internal edges of a store with classes, which are by host or by registered domain. */
static enum mr_status take_class(struct mr_opic_job *job, struct mr_error *err)
{
    struct mr_store *store = NULL;
    uint64_t n_internal = 0;
    char links[32];
    enum mr_status status =
        mr_store_open_classes(&job->session->context, mr_store_path(job->run->graph.store),
                              1u << MR_LINK_INTERNAL, &store, err);

    if (status != MR_OK) {
        return status;
    }
    if (job->flags->ignore_self_loops) {
        status = build_internal(job, store, NULL, &n_internal, err);
        mr_store_close(store);
    } else {
        job->internal = store;
        n_internal = mr_store_get_info(store)->n_edges;
    }
    if (status == MR_OK) {
        mr_session_say(job->session, "note: %s links are internal by %s, as in the store",
                       mr_count_text(n_internal, links),
                       job->info->class_rule == MR_CLASSES_BY_HOST ? "host" : "registered domain");
    }
    return status;
}

/* Finds the internal edges by the hosts of all names. */
static enum mr_status divide_by_host(struct mr_opic_job *job, struct mr_error *err)
{
    const struct mr_context *context = &job->session->context;
    uint64_t *host_of = NULL, n_internal = 0;
    char links[32];
    enum mr_status status = mr_memory_array(context->memory, "hosts of pages",
                                            job->info->n_vertices + 1, &host_of, err);

    if (status == MR_OK) {
        status = mr_hosts_find(context, job->names, job->info, false, host_of, err);
    }
    if (status == MR_OK) {
        status = build_internal(job, job->run->graph.store, host_of, &n_internal, err);
    }
    if (status == MR_OK) {
        mr_session_say(job->session, "note: %s links are inside a host",
                       mr_count_text(n_internal, links));
    }
    mr_memory_free(context->memory, host_of);
    return status;
}

enum mr_status mr_opic_make_internal(struct mr_opic_job *job, struct mr_error *err)
{
    const struct mr_opic_flags *flags = job->flags;

    /* Compare the weights exactly: the user gave the same number for both, or different ones. */
    if (!(flags->internal_weight < flags->external_weight) &&
        !(flags->internal_weight > flags->external_weight)) {
        return MR_OK;
    }
    const enum mr_status status =
        mr_session_temporary(job->session, "internal", &job->internal_path, err);
    if (status != MR_OK) {
        return status;
    }
    return job->info->n_classes == MR_CLASSES_MAX && job->info->classes == MR_CLASSES_ALL
               ? take_class(job, err)
               : divide_by_host(job, err);
}

void mr_opic_free_inputs(struct mr_opic_job *job)
{
    struct mr_memory *memory = job->session->context.memory;

    mr_memory_free(memory, job->extra.cash);
    mr_memory_free(memory, job->extra.history);
    mr_memory_free(memory, job->extra.last);
    mr_page_list_free(&job->targets);
    mr_page_list_free(&job->fetched);
    mr_vertex_weights_free(&job->times);
    mr_vertex_weights_free(&job->windows);
    mr_store_close(job->internal);
    if (job->internal_path != NULL) {
        mr_io_remove_store_dir(job->session->context.io, job->internal_path);
        free(job->internal_path);
    }
}

/* ---- The state ---- */

static void say_merge(struct mr_opic_job *job)
{
    const struct mr_opic_merge *merge = &job->merge;
    char kept[32], added[32], vanished[32];

    if (merge->added == 0 && merge->vanished == 0) {
        mr_session_say(
            job->session, "%s: %s pages, %s", job->flags->state, mr_count_text(merge->kept, kept),
            merge->unchanged ? "graph and parameters unchanged" : "links or parameters changed");
    } else {
        mr_session_say(job->session,
                       "%s: %s pages were there before, %s are new (paid %.2g of the cash), %s are "
                       "gone (gave back %.2g)",
                       job->flags->state, mr_count_text(merge->kept, kept),
                       mr_count_text(merge->added, added), merge->added_cash,
                       mr_count_text(merge->vanished, vanished), merge->vanished_cash);
    }
    if (merge->other_clock) {
        mr_session_say(
            job->session,
            "note: %s: its visits have times in other units; all pages count as visited now",
            job->flags->state);
    }
}

enum mr_status mr_opic_check_state(struct mr_opic_job *job, struct mr_error *err)
{
    const char *path = job->flags->state;
    struct mr_name_table_reader *reader = NULL;

    if (path == NULL || !mr_io_exists(path)) {
        return MR_OK;
    }
    const enum mr_status status = mr_name_table_open(
        &job->session->context, path, MR_OPIC_STATE_KIND, MR_OPIC_STATE_VERSION, &reader, err);
    mr_name_table_close(reader);
    return status;
}

enum mr_status mr_opic_load_state(struct mr_opic_job *job, struct mr_error *err)
{
    const char *path = job->flags->state;

    if (path == NULL) {
        return MR_OK;
    }
    const enum mr_status status =
        mr_opic_state_load(&job->session->context, job->opic, path, job->names, job->info,
                           &job->merge, &job->has_merged, err);
    if (status == MR_OK && job->has_merged) {
        say_merge(job);
    }
    return status;
}

enum mr_status mr_opic_save_state(struct mr_opic_job *job, struct mr_error *err)
{
    return job->flags->state == NULL
               ? MR_OK
               : mr_opic_state_save(&job->session->context, job->opic, job->flags->state,
                                    job->names, job->info, err);
}
