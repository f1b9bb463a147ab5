/* SPDX-License-Identifier: Apache-2.0 */
/* Runs any kind of ranking: finds it by its name, turns the values of the caller into its options
 * by its rows, and what it finds into a ranking. */
#include "library/rank/kinds.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/base/relaxation.h"
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

static enum mr_status check_ascending(const struct mr_rank_option *row,
                                      const struct mr_named_value *value, uint64_t n_vertices,
                                      struct mr_error *err)
{
    uint64_t least = 0;
    bool is_right = value->count == 0 || value->vertices != NULL || value->pages != NULL;

    for (uint64_t i = 0; i < value->count && is_right; i++) {
        const uint64_t vertex =
            value->vertices != NULL ? value->vertices[i] : value->pages[i].vertex;
        is_right = vertex >= least && vertex < n_vertices &&
                   (value->vertices != NULL ||
                    (value->pages[i].weight >= 0 && value->pages[i].weight < 0x1p32));
        least = vertex + 1;
    }
    return is_right ? MR_OK
                    : mr_error_set(err, MR_ERROR_USAGE,
                                   "%s: must be vertices of the store, ascending, each once, with "
                                   "times from 0 to below 2^32 if they have times",
                                   row->name);
}

static enum mr_status check_array(const struct mr_rank_option *row,
                                  const struct mr_named_value *value, uint64_t n_vertices,
                                  struct mr_error *err)
{
    if (row->type == MR_RANK_REALS) {
        return value->reals != NULL && value->count == n_vertices
                   ? MR_OK
                   : mr_error_set(err, MR_ERROR_USAGE, "%s: must be %llu numbers, one per vertex",
                                  row->name, (unsigned long long)n_vertices);
    }
    if (row->type == MR_RANK_VERTICES || row->type == MR_RANK_FETCHED ||
        row->type == MR_RANK_TIMES || row->type == MR_RANK_INTERVALS) {
        return check_ascending(row, value, n_vertices, err);
    }
    for (uint64_t i = 0; row->type == MR_RANK_VECTORS && value->vectors != NULL; i++) {
        const struct mr_rank_vector *vector = &value->vectors[i];
        if (i == value->count && i > 0) {
            return MR_OK;
        }
        if (i == value->count || vector->name == NULL || vector->pages == NULL ||
            !(mr_weights_largest(vector->pages, vector->count, n_vertices) > 0)) {
            break;
        }
    }
    if (row->type == MR_RANK_VECTORS || value->pages == NULL ||
        !(mr_weights_largest(value->pages, value->count, n_vertices) > 0)) {
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

static bool is_array(enum mr_rank_type type)
{
    return (type >= MR_RANK_PAGES && type <= MR_RANK_FETCHED) || type == MR_RANK_REALS ||
           type == MR_RANK_VECTORS;
}

/* For a plan there is something, too. */
static struct mr_rank_array array_of(const struct mr_rank_option *row,
                                     const struct mr_named_value *value)
{
    static const double something;
    const void *items = row->type == MR_RANK_REALS     ? (const void *)value->reals
                        : row->type == MR_RANK_VECTORS ? (const void *)value->vectors
                        : value->vertices != NULL      ? (const void *)value->vertices
                                                       : value->pages;

    return (struct mr_rank_array){items != NULL ? items : &something, value->count};
}

static enum mr_status set_choice(const struct mr_rank_option *row, const char *text, int *word,
                                 struct mr_error *err)
{
    *word = text == NULL ? 0 : mr_rank_word(row->choices, text);
    return *word >= 0 ? MR_OK
                      : mr_error_set(err, MR_ERROR_USAGE, "%s: %s is not one of %s", row->name,
                                     text, row->choices);
}

static enum mr_status set_fetched(const struct mr_rank_option *row,
                                  const struct mr_named_value *value,
                                  struct mr_rank_fetched *fetched, struct mr_error *err)
{
    const char *last = strrchr(row->choices, '|') + 1;

    fetched->pages = (struct mr_rank_array){value->vertices, value->count};
    return set_choice(row, value->text != NULL ? value->text : last, &fetched->word, err);
}

static enum mr_status set_value(const struct mr_rank_option *row,
                                const struct mr_named_value *value, void *at, struct mr_error *err)
{
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
    case MR_RANK_FILE:
        *(const char **)at = value->text;
        return MR_OK;
    case MR_RANK_STORE:
        *(struct mr_store **)at = value->store;
        return MR_OK;
    case MR_RANK_CHOICE:
        return set_choice(row, value->text, at, err);
    case MR_RANK_FETCHED:
        return set_fetched(row, value, at, err);
    case MR_RANK_PAGES:
    case MR_RANK_WEIGHTS:
    case MR_RANK_VECTORS:
    case MR_RANK_TIMES:
    case MR_RANK_INTERVALS:
    case MR_RANK_VERTICES:
    case MR_RANK_REALS:
        *(struct mr_rank_array *)at = array_of(row, value);
        return MR_OK;
    default:
        return mr_error_set(err, MR_ERROR_USAGE, "%s: is not an option", row->name);
    }
}

/* A value that is the default does not count as given. */
static bool is_given(const struct mr_rank_option *row, const struct mr_named_value *value)
{
    return row->type == MR_RANK_FLAG    ? value->count != 0
           : row->type == MR_RANK_COUNT ? value->count != (uint64_t)row->usual
           : row->type == MR_RANK_REAL  ? value->real != row->usual
           : value->text != NULL && (row->type == MR_RANK_CHOICE || row->type == MR_RANK_FETCHED)
               ? mr_rank_word(row->choices, value->text) > 0
           : is_array(row->type) || row->type == MR_RANK_STORE ? true
                                                               : value->text != NULL;
}

uint64_t mr_rank_given(const struct mr_ranking_kind *kind, const struct mr_named_value *values,
                       size_t n_values)
{
    uint64_t given = 0;

    for (size_t i = 0; i < n_values; i++) {
        for (unsigned at = 0; kind->options[at].name != NULL; at++) {
            if (strcmp(kind->options[at].name, values[i].name) == 0 &&
                is_given(&kind->options[at], &values[i])) {
                given |= UINT64_C(1) << at;
            }
        }
    }
    return given;
}

static const struct mr_named_value *find_value(const struct mr_named_value *values, size_t n_values,
                                               const char *name)
{
    for (size_t i = 0; i < n_values; i++) {
        if (strcmp(values[i].name, name) == 0) {
            return &values[i];
        }
    }
    return NULL;
}

/* Sets what the option `like` says, but for options that have a value. `set` gets the options. */
static enum mr_status set_likes(const struct mr_ranking_kind *kind,
                                const struct mr_named_value *values, size_t n_values,
                                uint8_t *options, uint64_t *set, struct mr_error *err)
{
    const struct mr_rank_option *rows = kind->options;
    const struct mr_named_value *like =
        kind->work->likes != NULL ? find_value(values, n_values, "like") : NULL;
    const char *at = "";
    enum mr_status status = MR_OK;

    for (unsigned i = 0; like != NULL && rows[i].name != NULL; i++) {
        const int word = strcmp(rows[i].name, "like") == 0 && like->text != NULL
                             ? mr_rank_word(rows[i].choices, like->text)
                             : 0;
        at = word > 0 ? kind->work->likes[word] : at;
    }
    for (char name[32], text[32]; *at != '\0' && status == MR_OK; at += strspn(at, " ")) {
        const int n = sscanf(at, "%31[^=]=%31[^ ]", name, text);
        unsigned i = 0;
        while (n == 2 && rows[i].name != NULL && strcmp(rows[i].name, name) != 0) {
            i++;
        }
        assert(n == 2 && rows[i].name != NULL);
        at += strcspn(at, " ");
        if (find_value(values, n_values, name) == NULL) {
            const struct mr_named_value value = {
                .name = name, .text = text, .count = strtoull(text, NULL, 10)};
            status = set_value(&rows[i], &value, options + rows[i].offset, err);
            *set |= is_given(&rows[i], &value) ? UINT64_C(1) << i : 0;
        }
    }
    return status;
}

/* "a" or "one of a|b". */
static enum mr_status say_needs(const char *who, const char *names, struct mr_error *err)
{
    return mr_error_set(err, MR_ERROR_USAGE, "%s needs %s%s", who,
                        strchr(names, '|') != NULL ? "one of " : "", names);
}

/* What options say about each other. `like` is an option that sets those of `set`. */
static enum mr_status check_rules(const struct mr_ranking_kind *kind, uint64_t given, uint64_t set,
                                  struct mr_error *err)
{
    const struct mr_rank_option *rows = kind->options;
    const char *by;

    if (!mr_rank_gives(kind, given, kind->needs)) {
        return say_needs(kind->name, kind->needs, err);
    }
    for (unsigned i = 0; rows[i].name != NULL; i++) {
        if ((given >> i & 1) == 0) {
            continue;
        }
        if (!mr_rank_gives(kind, given, rows[i].needs)) {
            return say_needs(rows[i].name, rows[i].needs, err);
        }
        for (unsigned j = 0; rows[j].name != NULL; j++) {
            if ((given >> j & 1) != 0 && mr_rank_word(rows[i].excludes, rows[j].name) >= 0) {
                by = (set >> i & 1) != 0 ? ", which like sets," : "";
                return rows[i].why != NULL
                           ? mr_error_set(err, MR_ERROR_USAGE, "%s%s %s; leave out %s",
                                          rows[i].name, by, rows[i].why, rows[j].name)
                           : mr_error_set(err, MR_ERROR_USAGE,
                                          "%s and %s exclude each other; give one", rows[i].name,
                                          rows[j].name);
            }
        }
    }
    return MR_OK;
}

/* Sets job->given. For a plan arrays are not checked. */
static enum mr_status set_options(const struct mr_ranking_kind *kind,
                                  const struct mr_named_value *values, size_t n_values, bool plans,
                                  uint8_t *options, struct mr_ranking_job *job,
                                  struct mr_error *err)
{
    const struct mr_rank_option *rows = kind->options;
    uint64_t set = 0;

    for (size_t i = 0; rows[i].name != NULL; i++) {
        set_usual(&rows[i], options + rows[i].offset);
    }
    enum mr_status status = set_likes(kind, values, n_values, options, &set, err);
    for (size_t i = 0; i < n_values && status == MR_OK; i++) {
        size_t at = 0;
        while (rows[at].name != NULL && strcmp(rows[at].name, values[i].name) != 0) {
            at++;
        }
        if (rows[at].name == NULL) {
            return mr_error_set(err, MR_ERROR_USAGE, "%s has no option %s", kind->name,
                                values[i].name);
        }
        status = set_value(&rows[at], &values[i], options + rows[at].offset, err);
        if (status == MR_OK && is_array(rows[at].type) && !plans) {
            status = check_array(&rows[at], &values[i], job->info->n_vertices, err);
        }
    }
    job->given = mr_rank_given(kind, values, n_values) | set;
    return status == MR_OK ? check_rules(kind, job->given, set, err) : status;
}

/* Fills `job` but for its ranking. Free job->options. */
static enum mr_status open_job(const struct mr_context *context, struct mr_store *store,
                               const char *name, const struct mr_named_value *values,
                               size_t n_values, bool plans, const struct mr_ranking_kind **kind,
                               struct mr_ranking_job *job, struct mr_error *err)
{
    static const struct mr_store_info nothing;
    *job = (struct mr_ranking_job){.context = context,
                                   .store = store,
                                   .info = store != NULL ? mr_store_get_info(store) : &nothing};
    enum mr_status status = find_kind(name, kind, err);
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
    status = set_options(*kind, values, n_values, plans, options, job, err);
    return status == MR_OK && (*kind)->work->check != NULL ? (*kind)->work->check(job, err)
                                                           : status;
}

/* ---- Figures ---- */

/* The value of a figure in the struct that its row is about. */
static void read_figure(const void *figures, const struct mr_rank_figure *figure,
                        struct mr_named_value *value)
{
    const void *at = (const uint8_t *)figures + figure->offset;

    *value = (struct mr_named_value){.name = figure->name, .real = (double)NAN};
    if (figure->type == MR_RANK_FLAG) {
        value->count = *(const bool *)at;
    } else if (figure->type == MR_RANK_COUNT) {
        value->count = *(const uint64_t *)at;
    } else if (figure->type == MR_RANK_REAL) {
        value->real = *(const double *)at;
    } else if (figure->type == MR_RANK_CHOICE) {
        value->text = figure->words[*(const int *)at];
    } else if (figure->type == MR_RANK_TEXT) {
        value->text = *(const char *const *)at;
    } else if (figure->type == MR_RANK_RECORD) {
        value->records = at;
        value->count = 1;
    } else {
        const struct mr_rank_array *array = at;
        value->reals = figure->type == MR_RANK_REALS ? array->items : NULL;
        value->records = array->items;
        value->count = array->n;
    }
}

void mr_ranking_value(const struct mr_ranking *ranking, const struct mr_rank_figure *figure,
                      struct mr_named_value *value)
{
    read_figure(ranking->kind_figures, figure, value);
    if (!mr_rank_has(ranking->kind, ranking->given, figure->needs, figure->excludes)) {
        *value = (struct mr_named_value){.real = (double)NAN};
    }
}

void mr_ranking_record(const struct mr_rank_figure *table, const struct mr_named_value *records,
                       uint64_t record, const struct mr_rank_figure *field,
                       struct mr_named_value *value)
{
    read_figure((const uint8_t *)records->records + record * table->record_bytes, field, value);
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
            figures->bound_kind =
                figures->bound_kind == MR_BOUND_NONE ? MR_BOUND_ERROR : figures->bound_kind;
            figures->error_bound = value.real;
        } else if (strcmp(name, "relative_bound") == 0) {
            figures->bound_kind = MR_BOUND_RELATIVE;
            figures->error_bound = value.real;
        } else if (strcmp(name, "residual") == 0) {
            figures->residual = value.real;
        } else if (strcmp(name, "rounding_bound") == 0) {
            figures->rounding_bound = value.real;
        } else if (strcmp(name, "proven_until") == 0) {
            figures->proven_until = value.count != 0;
        } else if (strcmp(name, "tolerance") == 0) {
            figures->tolerance = value.real;
        } else if (strcmp(name, "change") == 0) {
            figures->change = value.real;
        } else if (strcmp(name, "eigenvalue") == 0) {
            figures->eigenvalue = value.real;
        } else if (strcmp(name, "passes") == 0) {
            figures->passes = (unsigned)value.count;
        } else if (strcmp(name, "partial_passes") == 0) {
            figures->passes += (unsigned)value.count;
        } else if (strcmp(name, "bytes_read") == 0) {
            figures->bytes_read = value.count;
        } else if (strcmp(name, "pass_seconds") == 0) {
            figures->seconds = value.real;
        }
    }
}

/* ---- A call ---- */

static const struct mr_rank_extras no_extras;

static enum mr_status rank_by_kind(struct mr_ranking_job *job, const struct mr_ranking_kind *kind,
                                   struct mr_ranking **ranking, struct mr_error *err)
{
    struct mr_rank_costs costs = {0};

    enum mr_status status =
        mr_ranking_create(job->context, job->info->n_vertices, &job->ranking, err);
    if (status != MR_OK) {
        return status;
    }
    kind->work->plan(job, &costs);
    status = mr_ranking_require(job->context, job->info, costs.least_bytes, err);
    job->ranking->kind = kind;
    job->ranking->given = job->given;
    job->figures = job->ranking->kind_figures = calloc(1, kind->work->figures_bytes + 1);
    if (status == MR_OK && job->figures == NULL) {
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a ranking");
    }
    if (status == MR_OK) {
        status = kind->work->run(job, err);
    }
    if (status == MR_OK || status == MR_NOT_CONVERGED) {
        fill_figures(job->ranking);
        if (kind->work->say != NULL) {
            kind->work->say(job->figures, job->ranking->text, sizeof job->ranking->text);
        }
    }
    return mr_ranking_finish(job->ranking, status, ranking);
}

enum mr_status mr_rank_with(const struct mr_context *context, struct mr_store *store,
                            struct mr_names *names, const char *name,
                            const struct mr_named_value *values, size_t n_values,
                            const struct mr_rank_extras *extras, struct mr_ranking **ranking,
                            struct mr_error *err)
{
    const struct mr_ranking_kind *kind;
    struct mr_ranking_job job;

    *ranking = NULL;
    enum mr_status status =
        open_job(context, store, name, values, n_values, false, &kind, &job, err);
    job.names = names;
    job.extras = *extras;
    if (status == MR_OK) {
        status = rank_by_kind(&job, kind, ranking, err);
    }
    free((void *)job.options);
    return status;
}

enum mr_status mr_ranking_keep(const struct mr_ranking *ranking, struct mr_error *err)
{
    return ranking->held != NULL ? ranking->kind->work->keep(ranking->held, err) : MR_OK;
}

const double *mr_ranking_next(const struct mr_ranking *ranking, bool again)
{
    return ranking->held != NULL ? ranking->kind->work->next(ranking->held, again) : NULL;
}

enum mr_status mr_rank(const struct mr_context *context, struct mr_store *store,
                       struct mr_names *names, const char *name,
                       const struct mr_named_value *values, size_t n_values,
                       struct mr_ranking **ranking, struct mr_error *err)
{
    struct mr_error later = {0};
    const enum mr_status status =
        mr_rank_with(context, store, names, name, values, n_values, &no_extras, ranking, err);

    if (*ranking == NULL) {
        return status;
    }
    /* A result that did not converge is kept, too. Not to keep it is worse. */
    const enum mr_status kept = mr_ranking_keep(*ranking, &later);
    mr_ranking_release(*ranking);
    if (kept == MR_OK) {
        return status;
    }
    mr_ranking_free(*ranking);
    *ranking = NULL;
    if (err != NULL) {
        *err = later;
    }
    return kept;
}

enum mr_status mr_rank_plan_with(const struct mr_context *context, struct mr_store *store,
                                 const char *name, const struct mr_named_value *values,
                                 size_t n_values, const struct mr_rank_extras *extras,
                                 struct mr_rank_costs *plan, struct mr_error *err)
{
    const struct mr_ranking_kind *kind;
    struct mr_ranking_job job;

    *plan = (struct mr_rank_costs){0};
    const enum mr_status status =
        open_job(context, store, name, values, n_values, true, &kind, &job, err);
    job.extras = *extras;
    if (status == MR_OK) {
        kind->work->plan(&job, plan);
    }
    free((void *)job.options);
    return status;
}

enum mr_status mr_rank_plan(const struct mr_context *context, struct mr_store *store,
                            const char *name, const struct mr_named_value *values, size_t n_values,
                            struct mr_rank_costs *plan, struct mr_error *err)
{
    return mr_rank_plan_with(context, store, name, values, n_values, &no_extras, plan, err);
}

const char *mr_ranking_text(const struct mr_ranking *ranking)
{
    return ranking->text;
}
