/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ranking/ranker.h"

#include <stdlib.h>

#include "cli/program/meta.h"
#include "engine/base/bytes.h"
#include "engine/base/clock.h"
#include "engine/base/memory.h"

const struct mr_option mr_links_options[] = {
    MR_LINK_WEIGHTS_OPTIONS(offsetof(struct mr_ranking_flags, links.internal_weight),
                            offsetof(struct mr_ranking_flags, links.external_weight)),
    MR_RANKED_LINKS_OPTIONS,
    {0}};

enum mr_status mr_run_read_pages(const struct mr_run *run, const char *const *files, size_t n_files,
                                 bool weighted, struct mr_vertex_weights *pages,
                                 struct mr_error *err)
{
    /* A file about the whole graph names many pages that a part of it does not have. */
    const uint64_t max_unknown = run->ranked == &run->graph ? run->flags->max_unknown : UINT64_MAX;

    return n_files == 0 ? MR_OK
                        : mr_vertex_weights_read(&run->session->context, files, n_files,
                                                 run->ranked->names, mr_run_info(run),
                                                 weighted ? MR_LIST_WEIGHTS : MR_LIST_NAMES,
                                                 max_unknown, pages, err);
}

enum mr_status mr_ranker_list_files(const void *flags, const struct mr_parsed *parsed,
                                    struct mr_files *files, struct mr_error *err)
{
    const struct mr_ranking_flags *ranking = flags;

    (void)parsed;
    (void)err;
    mr_fetch_list_files(&ranking->fetch, files);
    return MR_OK;
}

static enum mr_status estimate(struct mr_run *run, struct mr_error *err)
{
    const struct mr_parsed *parsed = run->parsed;
    struct mr_session *session = run->session;
    struct mr_rank_costs estimate = {0};
    uint64_t beside = 0, edges = 0;
    bool builds = false;
    enum mr_status status;

    if (mr_graph_is_store(parsed)) {
        status = mr_graph_open_to_estimate(session, parsed->operands[0], &run->flags->links,
                                           run->flags->weights, run->import.class_rule, &run->graph,
                                           &beside, &builds, err);
        if (status == MR_OK && mr_columns_sort(&run->flags->columns)) {
            beside += mr_run_info(run)->n_vertices * MR_SORT_BYTES;
        }
        if (status == MR_OK) {
            run->ranker->estimate(run, beside, &estimate);
        }
        if (builds) {
            estimate.temporary_bytes +=
                mr_build_estimate(session, mr_run_info(run)->n_edges, false).temporary_bytes;
        }
        mr_graph_close(session, &run->graph);
    } else {
        status = mr_import_guess(&session->context, parsed->operands, parsed->n_operands,
                                 &run->import, &edges, err);
        estimate = mr_build_estimate(session, edges, run->import.undirected);
    }
    estimate.passes =
        run->ranker->passes != NULL ? run->ranker->passes(run) : run->ranker->n_passes;
    return status == MR_OK ? mr_session_estimate(session, &estimate, err) : status;
}

/* Reads the files of the options. Errors about memory ask for what the ranking takes, too. */
static enum mr_status read_lists(struct mr_run *run, struct mr_error *err)
{
    const struct mr_ranker *ranker = run->ranker;
    struct mr_memory *memory = run->session->context.memory;
    struct mr_rank_costs estimate = {.least_bytes = MR_MEMORY_RESERVE_BYTES};
    enum mr_status status = MR_OK;

    ranker->estimate(run, 0, &estimate);
    mr_memory_expect_more(memory, estimate.least_bytes -
                                      mr_min_u64(estimate.least_bytes, MR_MEMORY_RESERVE_BYTES));
    if (ranker->prepare != NULL) {
        status = ranker->prepare(run, err);
    }
    if (status == MR_OK) {
        status = mr_fetch_plan_open(run->session, &run->flags->fetch, run->ranked,
                                    run->flags->max_unknown, &run->plan, err);
    }
    mr_memory_expect_more(memory, 0);
    return status;
}

static enum mr_status open_all(struct mr_run *run, struct mr_error *err)
{
    const enum mr_status status = mr_graph_open(run->session, &run->import, &run->flags->links,
                                                run->parsed, &run->graph, err);
    return status == MR_OK ? read_lists(run, err) : status;
}

static enum mr_status rank(struct mr_run *run, struct mr_error *err)
{
    struct mr_meter *meter = &run->session->meter;
    const double began = mr_now();

    const enum mr_status status = run->ranker->rank(run, err);
    meter->goal = 0.0;
    meter->rounds = 0;
    run->seconds = mr_now() - began;
    return status;
}

static enum mr_status write_results(struct mr_run *run, struct mr_error *err)
{
    const struct mr_parsed *parsed = run->parsed;
    const char *path = run->graph.temporary != NULL ? NULL : parsed->operands[0];
    struct mr_json json = mr_json_create();

    mr_meta_store(&json, path, mr_store_get_info(run->graph.store));
    if (path == NULL) {
        mr_json_texts(&json, "inputs", parsed->operands, parsed->n_operands);
    }
    run->ranker->describe(run, &json);
    mr_json_real(&json, "seconds", run->seconds);
    mr_meta_run(&json, run->session);
    const enum mr_status status = mr_columns_write(run, &json, err);
    mr_json_destroy(&json);
    return status;
}

static enum mr_status do_run(struct mr_run *run, struct mr_error *err)
{
    const struct mr_ranker *ranker = run->ranker;

    enum mr_status status = mr_columns_check(run, err);
    if (status == MR_OK && ranker->check != NULL) {
        status = ranker->check(run, err);
    }
    if (status == MR_OK && run->flags->common.estimate) {
        return estimate(run, err);
    }
    if (status == MR_OK) {
        status = open_all(run, err);
    }
    if (status == MR_OK) {
        status = mr_columns_check_room(run, err);
    }
    if (status != MR_OK) {
        return status;
    }
    status = rank(run, err);
    if (status == MR_OK || status == MR_NOT_CONVERGED) {
        /* Scores that did not converge are written as well. A failure to write is then the graver
         * error. */
        struct mr_error write_error = {0};
        if (ranker->report != NULL) {
            ranker->report(run);
        }
        const enum mr_status write_status = write_results(run, &write_error);
        if (write_status != MR_OK) {
            status = write_status;
            *err = write_error;
            mr_columns_rescue(run, err);
        }
    }
    return status;
}

enum mr_status mr_ranker_run(struct mr_session *session, const struct mr_ranker *ranker,
                             const void *flags, const struct mr_parsed *parsed,
                             struct mr_error *err)
{
    struct mr_run run = {.session = session,
                         .ranker = ranker,
                         .flags = flags,
                         .parsed = parsed,
                         .data = calloc(1, ranker->data_bytes),
                         .columns = {.bound = -1.0}};

    if (run.data == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a ranking");
    }
    run.ranked = &run.graph;
    run.import = run.flags->import;
    run.import.weights = run.flags->weights ? MR_WEIGHTS_MUST : MR_WEIGHTS_NONE;
    enum mr_status status = do_run(&run, err);
    mr_output_abandon(run.columns.output);
    if (ranker->end != NULL) {
        status = ranker->end(&run, status, err);
    }
    mr_fetch_plan_close(&run.plan);
    mr_graph_close(session, &run.graph);
    free(run.data);
    return status;
}
