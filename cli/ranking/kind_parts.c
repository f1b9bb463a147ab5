/* SPDX-License-Identifier: Apache-2.0 */
/* What a run of a kind was given, and its front. */
#include "cli/ranking/kind_internal.h"

#include <string.h>

static const struct mr_kind_front *const *all_fronts;

const void *mr_kind_flags(const void *flags)
{
    return ((const struct mr_kind_options *)flags)->of_front;
}

void *mr_kind_data(const struct mr_run *run)
{
    return ((struct mr_kind_run *)run->data)->of_front;
}

const struct mr_ranking *mr_kind_ranking(const struct mr_run *run)
{
    return ((const struct mr_kind_run *)run->data)->ranking;
}

const char *mr_kind_text(const struct mr_parsed *parsed, const char *option)
{
    const char *text = NULL;

    for (size_t i = 0; i < parsed->n_given; i++) {
        text = strcmp(parsed->given[i].option->name, option) == 0 ? parsed->given[i].text : text;
    }
    return text;
}

double mr_kind_real(const struct mr_run *run, const char *option)
{
    double value = 0;
    size_t field = 0;

    if (mr_option_find(run->session->command->groups, option, strlen(option), &field) != NULL) {
        memcpy(&value, (const uint8_t *)run->flags + field, sizeof value);
    }
    return value;
}

void mr_kind_set_fronts(const struct mr_kind_front *const *fronts)
{
    all_fronts = fronts;
}

/* The front of a kind, or NULL. */
const struct mr_kind_front *mr_kind_front_of(const struct mr_ranking_kind *kind)
{
    const struct mr_kind_front *const *at = all_fronts;

    while (at != NULL && *at != NULL && strcmp((*at)->kind, kind->name) != 0) {
        at++;
    }
    return at != NULL ? *at : NULL;
}

const struct mr_ranker *mr_kind_hooks(const struct mr_run *run)
{
    static const struct mr_ranker none;
    const struct mr_kind_front *front = mr_kind_front_of(mr_kind_of(run));
    return front != NULL ? &front->hooks : &none;
}

const struct mr_given *mr_kind_given(const struct mr_run *run, size_t i)
{
    const struct mr_option *option = &run->session->command->groups[0].options[i];
    const struct mr_given *found = NULL;

    for (size_t j = 0; j < run->parsed->n_given; j++) {
        found = run->parsed->given[j].option == option ? &run->parsed->given[j] : found;
    }
    return found;
}

bool mr_kind_has(const struct mr_run *run, const char *needs, const char *excludes)
{
    const struct mr_kind_run *own = run->data;
    return mr_rank_has(mr_kind_of(run), own->given, needs, excludes);
}

bool mr_kind_gives(const struct mr_run *run, const char *names)
{
    return mr_kind_has(run, names, NULL);
}

const struct mr_rank_option *mr_kind_fetched_row(const struct mr_ranking_kind *kind)
{
    const struct mr_rank_option *row = kind->options;

    while (row->name != NULL && row->type != MR_RANK_FETCHED) {
        row++;
    }
    return row->name != NULL ? row : NULL;
}

const char *const *mr_kind_files(const struct mr_run *run, size_t i, size_t *n)
{
    const union mr_kind_slot *slot = &mr_kind_options_of(run)->slots[i];
    const enum mr_rank_type type = mr_kind_of(run)->options[i].type;
    const bool is_one = type == MR_RANK_WEIGHTS || type == MR_RANK_VECTORS;
    const struct mr_texts *files = type == MR_RANK_FETCHED ? &slot->fetched.files : &slot->files;

    *n = is_one ? slot->text != NULL : files->n;
    return is_one ? &slot->text : files->items;
}
