/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the figures of a report in the order in which they need each other, and has the page
 * written. */
#include "library/report/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/base/memory.h"
#include "engine/base/sized_struct.h"
#include "engine/io/io.h"
#include "engine/io/publish.h"
#include "library/files.h"

static enum mr_status check_options(const struct mr_store_report_options *options,
                                    struct mr_error *err)
{
    if (options->n_scores > MR_REPORT_MAX_SCORES || options->top > MR_REPORT_TOP) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "report shows at most %d files of scores and %d pages and hosts",
                            MR_REPORT_MAX_SCORES, MR_REPORT_TOP);
    }
    if (options->since != NULL && options->n_scores == 0) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--since %s: needs the scores of now, too; name them behind the store",
                            options->since);
    }
    return options->good_share >= 0 && options->good_share <= 1
               ? MR_OK
               : mr_error_set(err, MR_ERROR_USAGE, "--good-share: %g is not between 0 and 1",
                              options->good_share);
}

/* Refuses outputs that cannot be written, before anything is read, and makes the directory of
 * charts if it does not exist. */
static enum mr_status prepare_outputs(const struct mr_report *report, const char *path, bool *made,
                                      struct mr_error *err)
{
    const struct mr_store_report_options *options = report->options;
    const char *charts = options->charts;
    struct mr_files *files = mr_files_create();

    mr_files_add(files, MR_FILE_READ, "the store", mr_store_path(report->store), NULL);
    for (unsigned i = 0; i < options->n_scores; i++) {
        mr_files_add(files, MR_FILE_READ, "the scores", options->scores[i], "");
    }
    mr_files_add(files, MR_FILE_READ, "the passes", options->passes, NULL);
    mr_files_add(files, MR_FILE_READ, "the older scores", options->since, NULL);
    mr_files_add(files, MR_FILE_WRITE, "the page", path, NULL);
    mr_files_add(files, MR_FILE_DIRECTORY, "the charts", charts, NULL);
    for (size_t i = 0; mr_report_charts[i] != NULL && charts != NULL && mr_io_is_directory(charts);
         i++) {
        mr_files_add(files, MR_FILE_WRITE, "the charts", charts, mr_report_charts[i]);
    }
    const enum mr_status status = mr_files_end(files, MR_OK, options->force, false, err);
    *made = status == MR_OK && charts != NULL && mkdir(charts, 0777) == 0;
    return status == MR_OK && charts != NULL && !*made && errno != EEXIST
               ? mr_error_file(err, MR_ERROR_RUNTIME, charts, errno, "cannot make it")
               : status;
}

static enum mr_status find_components(const struct mr_context *context, struct mr_report *report,
                                      struct mr_error *err)
{
    const struct mr_components_options options = {0};
    const enum mr_status status = mr_components_find(context, report->store, report->names,
                                                     &options, &report->components, err);

    report->has_components = status == MR_OK;
    return status;
}

static enum mr_status find_changes(const struct mr_context *context, struct mr_report *report,
                                   struct mr_error *err)
{
    const struct mr_scores_side before = {.path = report->options->since};
    const struct mr_scores_side after = {.path = report->options->scores[0]};
    const struct mr_changes_options options = {
        .struct_size = sizeof options, .top = report->n_best, .hosts = true};

    return mr_scores_find_changes(context, &before, &after, &options, &report->changes, err);
}

static enum mr_status read_all(const struct mr_context *context, struct mr_report *report,
                               struct mr_error *err)
{
    const struct mr_store_report_options *options = report->options;
    enum mr_status status = MR_OK;

    for (unsigned i = 0; i < options->n_scores && status == MR_OK; i++) {
        status = mr_report_read_scores(context, report, options->scores[i], err);
    }
    if (status == MR_OK) {
        status = mr_report_compare(context, report, err);
    }
    if (status == MR_OK) {
        status = mr_report_read_spam(context, report, options->good_share, err);
    }
    if (status == MR_OK) {
        status = mr_report_read_graph(context, report, err);
    }
    if (status == MR_OK) {
        status = mr_report_explain(context, report, err);
    }
    if (status == MR_OK) {
        status = mr_report_read_hosts(context, report, err);
    }
    if (status == MR_OK && options->since != NULL) {
        status = find_changes(context, report, err);
    }
    return status == MR_OK && options->components ? find_components(context, report, err) : status;
}

static void free_pages(struct mr_report_page *pages, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        free(pages[i].name);
    }
}

static void destroy(struct mr_memory *memory, struct mr_report *report)
{
    free_pages(report->spam.top, report->spam.n_top);
    mr_memory_free(memory, report->spam.own_pagerank);
    for (unsigned i = 0; i < report->n_scores; i++) {
        struct mr_report_scores *scores = &report->scores[i];
        free_pages(scores->top, scores->n_top);
        json_decref(scores->meta);
        mr_memory_free(memory, scores->values);
    }
    for (size_t i = 0; i < report->n_whys; i++) {
        mr_why_free(&report->whys[i]);
    }
    mr_memory_free(memory, report->host_of);
    mr_memory_free(memory, report->hosts);
    mr_components_free(&report->components);
    mr_changes_free(&report->changes);
    free(report);
}

enum mr_status mr_store_report(const struct mr_context *given, struct mr_store *store,
                               struct mr_names *names, const char *path,
                               const struct mr_store_report_options *options, struct mr_error *err)
{
    struct mr_store_report_options taken = {.struct_size = sizeof taken};
    struct mr_publish_group group = {0};
    struct mr_context context = *given;
    struct mr_report *report = calloc(1, sizeof *report);
    bool made = false;

    if (report == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the report");
    }
    report->options = &taken;
    report->store = store;
    report->names = names;
    report->n_vertices = mr_store_get_info(store)->n_vertices;
    report->began = mr_now();
    (void)mr_canonical_of(mr_store_get_info(store)->name_key_number, &report->canonical);
    context.together = &group;
    enum mr_status status = mr_sized_copy(options, &taken, sizeof taken, err);
    if (status == MR_OK) {
        status = check_options(&taken, err);
        report->n_best = taken.top > 0 ? taken.top : MR_REPORT_TOP;
    }
    if (status == MR_OK) {
        status = prepare_outputs(report, path, &made, err);
    }
    if (status == MR_OK) {
        status = read_all(&context, report, err);
    }
    if (status == MR_OK) {
        status = mr_report_write(&context, report, path, err);
        status = mr_publish_group_end(&group, status, err);
    }
    if (status != MR_OK && made) {
        (void)rmdir(taken.charts);
    }
    destroy(context.memory, report);
    return status;
}
