/* SPDX-License-Identifier: Apache-2.0 */
/* Runs any kind of ranking: finds it by its name, turns the values of the caller into its options
 * by its rows, and what it finds into a ranking. */
#include "library/rank/kinds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/base/weight_walk.h"

/* The build lists the files kind_*.c of this folder. */
#define MR_KIND(name) extern const struct mr_ranking_kind mr_kind_##name;
#include "library/rank/kinds.inc"
#undef MR_KIND
#define MR_KIND(name) &mr_kind_##name,
static const struct mr_ranking_kind *const kinds[] = {
#include "library/rank/kinds.inc"
    NULL};
#undef MR_KIND

const struct mr_ranking_kind *mr_ranking_kind_at(size_t index)
{
    return index < sizeof kinds / sizeof kinds[0] ? kinds[index] : NULL;
}

static enum mr_status find_kind(const char *name, const struct mr_ranking_kind **kind,
                                struct mr_error *err)
{
    char list[512] = "";
    size_t used = 0;

    for (size_t i = 0; (*kind = mr_ranking_kind_at(i)) != NULL; i++) {
        if (strcmp((*kind)->name, name) == 0) {
            return MR_OK;
        }
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "" : ", ",
                                 (*kind)->name);
        used = used < sizeof list ? used : sizeof list - 1;
    }
    return mr_error_set(err, MR_ERROR_USAGE, "%s: no such ranking; there are %s", name, list);
}

/* ---- Options ---- */

/* The number of `name` among the words of `list`, which have | between; -1: it is none of them. */
static int word_index(const char *list, const char *name)
{
    const size_t bytes = strlen(name);

    for (int i = 0; list != NULL && *list != '\0'; i++) {
        const char *end = strchr(list, '|');
        const size_t length = end != NULL ? (size_t)(end - list) : strlen(list);
        if (length == bytes && memcmp(list, name, bytes) == 0) {
            return i;
        }
        list += length + (end != NULL);
    }
    return -1;
}

static enum mr_status check_range(const struct mr_rank_option *row, double value,
                                  struct mr_error *err)
{
    const bool is_low = !(value >= row->least) || (row->above_least && !(value > row->least));
    const bool is_high = !(value <= row->most) || (row->below_most && !(value < row->most));

    return !is_low && !is_high && isfinite(value)
               ? MR_OK
               : mr_error_set(err, MR_ERROR_USAGE, "%s: %.17g must be %s %g and %s %g", row->name,
                              value, row->above_least ? "above" : "at least", row->least,
                              row->below_most ? "below" : "at most", row->most);
}

static enum mr_status check_pages(const struct mr_rank_option *row,
                                  const struct mr_named_value *value, uint64_t n_vertices,
                                  struct mr_error *err)
{
    if (value->pages == NULL || !(mr_weights_largest(value->pages, value->count, n_vertices) > 0)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "%s: must be vertices of the store, ascending, with weights that are "
                            "finite, not below 0, and not all 0",
                            row->name);
    }
    return MR_OK;
}

static void set_usual(const struct mr_rank_option *row, void *at)
{
    const double usual = row->usual;

    if (row->type == MR_RANK_FLAG) {
        *(bool *)at = usual > 0;
    } else if (row->type == MR_RANK_COUNT) {
        *(uint64_t *)at = (uint64_t)usual;
    } else if (row->type == MR_RANK_REAL) {
        *(double *)at = usual;
    }
}

static enum mr_status set_value(const struct mr_rank_option *row,
                                const struct mr_named_value *value, uint64_t n_vertices, void *at,
                                struct mr_error *err)
{
    enum mr_status status = MR_OK;

    switch (row->type) {
    case MR_RANK_FLAG:
        *(bool *)at = value->count != 0;
        return MR_OK;
    case MR_RANK_COUNT:
        *(uint64_t *)at = value->count;
        return check_range(row, (double)value->count, err);
    case MR_RANK_REAL:
        *(double *)at = value->real;
        return check_range(row, value->real, err);
    case MR_RANK_TEXT:
        *(const char **)at = value->text;
        return MR_OK;
    case MR_RANK_CHOICE:
        *(int *)at = value->text == NULL ? 0 : word_index(row->choices, value->text);
        return *(int *)at >= 0 ? MR_OK
                               : mr_error_set(err, MR_ERROR_USAGE, "%s: %s is not one of %s",
                                              row->name, value->text, row->choices);
    case MR_RANK_PAGES:
        status = check_pages(row, value, n_vertices, err);
        *(struct mr_rank_array *)at = (struct mr_rank_array){value->pages, value->count};
        return status;
    default:
        return mr_error_set(err, MR_ERROR_USAGE, "%s: is not an option", row->name);
    }
}

static enum mr_status check_excludes(const struct mr_rank_option *row,
                                     const struct mr_named_value *values, size_t n_values,
                                     struct mr_error *err)
{
    for (size_t i = 0; i < n_values; i++) {
        if (word_index(row->excludes, values[i].name) >= 0) {
            return mr_error_set(err, MR_ERROR_USAGE, "%s and %s exclude each other; give one",
                                row->name, values[i].name);
        }
    }
    return MR_OK;
}

static enum mr_status set_options(const struct mr_ranking_kind *kind,
                                  const struct mr_named_value *values, size_t n_values,
                                  uint64_t n_vertices, uint8_t *options, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (const struct mr_rank_option *row = kind->options; row->name != NULL; row++) {
        set_usual(row, options + row->offset);
    }
    for (size_t i = 0; i < n_values && status == MR_OK; i++) {
        const struct mr_rank_option *row = kind->options;
        while (row->name != NULL && strcmp(row->name, values[i].name) != 0) {
            row++;
        }
        status = row->name == NULL ? mr_error_set(err, MR_ERROR_USAGE, "%s has no option %s",
                                                  kind->name, values[i].name)
                                   : check_excludes(row, values, n_values, err);
        if (status == MR_OK) {
            status = set_value(row, &values[i], n_vertices, options + row->offset, err);
        }
    }
    return status;
}

/* Fills `job` but for its ranking. Free job->options. */
static enum mr_status open_job(const struct mr_context *context, struct mr_store *store,
                               const char *name, const struct mr_named_value *values,
                               size_t n_values, const struct mr_ranking_kind **kind,
                               struct mr_ranking_job *job, struct mr_error *err)
{
    static const struct mr_store_info nothing;
    *job = (struct mr_ranking_job){.context = context,
                                   .store = store,
                                   .info = store != NULL ? mr_store_get_info(store) : &nothing};
    const enum mr_status status = find_kind(name, kind, err);
    if (status != MR_OK) {
        return status;
    }
    uint8_t *options = calloc(1, (*kind)->work->options_bytes + 1);
    job->options = options;
    if (options == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the options of a ranking");
    }
    if (job->info->is_weighted && !(*kind)->takes_weights) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "%s does not use weights; give the store without them", name);
    }
    return set_options(*kind, values, n_values, job->info->n_vertices, options, err);
}

/* ---- Figures ---- */

void mr_ranking_value(const struct mr_ranking *ranking, const struct mr_rank_figure *figure,
                      struct mr_named_value *value)
{
    mr_figure_value(ranking->kind_figures, figure, value);
}

/* The figures that all rankings have are rows of a kind, too, if it has them. */
static void fill_figures(struct mr_ranking *ranking)
{
    struct mr_ranking_figures *figures = &ranking->figures;
    struct mr_named_value value;

    figures->converged = true;
    for (const struct mr_rank_figure *row = ranking->kind->figures; row->name != NULL; row++) {
        const char *name = row->name;
        mr_ranking_value(ranking, row, &value);
        if (strcmp(name, "converged") == 0) {
            figures->converged = value.count != 0;
        } else if (strcmp(name, "error_bound") == 0 && isfinite(value.real)) {
            figures->bound_kind = MR_BOUND_ERROR;
            figures->error_bound = value.real;
        } else if (strcmp(name, "tolerance") == 0) {
            figures->tolerance = value.real;
        } else if (strcmp(name, "change") == 0) {
            figures->change = value.real;
        } else if (strcmp(name, "eigenvalue") == 0) {
            figures->eigenvalue = value.real;
        } else if (strcmp(name, "passes") == 0) {
            figures->passes = (unsigned)value.count;
        } else if (strcmp(name, "bytes_read") == 0) {
            figures->bytes_read = value.count;
        } else if (strcmp(name, "pass_seconds") == 0) {
            figures->seconds = value.real;
        }
    }
}

/* ---- A call ---- */

static enum mr_status run(struct mr_ranking_job *job, const struct mr_ranking_kind *kind,
                          struct mr_ranking **ranking, struct mr_error *err)
{
    enum mr_status status =
        mr_ranking_create(job->context, job->info->n_vertices, &job->ranking, err);
    if (status != MR_OK) {
        return status;
    }
    job->ranking->kind = kind;
    job->figures = job->ranking->kind_figures = calloc(1, kind->work->figures_bytes + 1);
    status = job->figures != NULL
                 ? kind->work->run(job, err)
                 : mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a ranking");
    if (status == MR_OK || status == MR_NOT_CONVERGED) {
        fill_figures(job->ranking);
        if (kind->work->say != NULL) {
            kind->work->say(job->figures, job->ranking->text, sizeof job->ranking->text);
        }
    }
    return mr_ranking_finish(job->ranking, status, ranking);
}

enum mr_status mr_rank(const struct mr_context *context, struct mr_store *store,
                       struct mr_names *names, const char *name,
                       const struct mr_named_value *values, size_t n_values,
                       struct mr_ranking **ranking, struct mr_error *err)
{
    const struct mr_ranking_kind *kind;
    struct mr_ranking_job job;

    *ranking = NULL;
    enum mr_status status = open_job(context, store, name, values, n_values, &kind, &job, err);
    job.names = names;
    if (status == MR_OK) {
        status = run(&job, kind, ranking, err);
    }
    free((void *)job.options);
    return status;
}

enum mr_status mr_rank_plan(const struct mr_context *context, struct mr_store *store,
                            const char *name, const struct mr_named_value *values, size_t n_values,
                            struct mr_rank_costs *plan, struct mr_error *err)
{
    const struct mr_ranking_kind *kind;
    struct mr_ranking_job job;

    *plan = (struct mr_rank_costs){0};
    const enum mr_status status =
        open_job(context, store, name, values, n_values, &kind, &job, err);
    if (status == MR_OK) {
        kind->work->plan(&job, plan);
    }
    free((void *)job.options);
    return status;
}

const char *mr_ranking_text(const struct mr_ranking *ranking)
{
    return ranking->text;
}
