/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the command of a kind share:
 *
 *     kind_parts.c    what a run was given, and its front
 *     kind.c          a run: columns, values, checks, the ranking, what it says
 *     kind_files.c    reads the files of the options
 *     kind_fields.c   metadata, and their fields in docs/json-fields.md
 *     kind_command.c  the command: options, text, groups
 */
#ifndef MR_CLI_RANKING_KIND_INTERNAL_H
#define MR_CLI_RANKING_KIND_INTERNAL_H

#include "cli/ranking/kind.h"
#include "formats/pages/page_list.h"

enum { MR_KIND_OPTIONS_MAX = 32, MR_KIND_NAME_BYTES = 64, MR_KIND_NEEDS_BYTES = 256 };

/* The value of a row, as struct mr_option has it. */
union mr_kind_slot {
    bool flag;
    uint64_t count;
    double real;
    const char *text;
    int choice;
    struct mr_texts files;
    struct mr_fetched_value fetched;
};

struct mr_kind_options {
    struct mr_ranking_flags ranking;
    const char *columns; /* --score-columns */
    union mr_kind_slot slots[MR_KIND_OPTIONS_MAX]; /* by the number of the row */
    _Alignas(max_align_t) char of_front[MR_KIND_FLAGS_BYTES];
};

/* The data of one run. */
struct mr_kind_run {
    struct mr_named_value values[MR_KIND_OPTIONS_MAX]; /* [n_values]: the options that are given */
    size_t n_values;
    uint64_t given; /* mr_rank_given */
    /* What files of the options have, by the number of the row. */
    struct mr_vertex_weights pages[MR_KIND_OPTIONS_MAX];
    struct mr_page_list vertices[MR_KIND_OPTIONS_MAX];
    double *reals[MR_KIND_OPTIONS_MAX];
    struct mr_scores_found found[MR_KIND_OPTIONS_MAX]; /* of reals */
    struct mr_store *stores[MR_KIND_OPTIONS_MAX];
    char ignores_weights[MR_KIND_NAME_BYTES]; /* a note */
    struct mr_rank_costs plan;
    struct mr_ranking *ranking;
    const char *chosen[MR_RANKING_MAX_COLUMNS]; /* [n_chosen], of the ranking's columns */
    unsigned n_chosen;
    struct mr_score_column columns[MR_RANKING_MAX_COLUMNS]; /* [n_chosen] */
    struct mr_teleport_batch batch; /* of the option of vectors */
    struct mr_rank_extras extras;
    max_align_t of_front[]; /* [hooks.data_bytes] */
};

static inline const struct mr_kind_options *mr_kind_options_of(const struct mr_run *run)
{
    return (const struct mr_kind_options *)run->flags;
}

static inline const struct mr_ranking_kind *mr_kind_of(const struct mr_run *run)
{
    return run->session->command->kind;
}

/* Are the columns of the kind labels, which have no order? */
static inline bool mr_kind_is_of_labels(const struct mr_ranking_kind *kind)
{
    return kind->columns[0].is_label;
}

/* Does the program read files for the option? */
static inline bool mr_kind_has_files(const struct mr_rank_option *row)
{
    return (row->type >= MR_RANK_PAGES && row->type <= MR_RANK_FETCHED) ||
           row->type == MR_RANK_VECTORS;
}

/* kind_parts.c: the front of a kind, or NULL; what it adds to the run, or zeros. */
const struct mr_kind_front *mr_kind_front_of(const struct mr_ranking_kind *kind);
const struct mr_ranker *mr_kind_hooks(const struct mr_run *run);
/* Option number `i` as it was given last, or NULL. */
const struct mr_given *mr_kind_given(const struct mr_run *run, size_t i);
/* Does the run have what needs and excludes these options? */
bool mr_kind_has(const struct mr_run *run, const char *needs, const char *excludes);
/* The row of the type FETCHED; NULL: the kind has none. */
const struct mr_rank_option *mr_kind_fetched_row(const struct mr_ranking_kind *kind);
/* The files of an option of pages. */
const char *const *mr_kind_files(const struct mr_run *run, size_t i, size_t *n);

/* kind.c: what all kinds have alike; print and print_next are for those that need them. The table
 * about labels goes to standard error if standard output has the lines of an output. */
extern const struct mr_ranker mr_kind_ranker;
/* Writes the options of which the kind needs one, the first of them or all: "--a FILE, --b NAME".
 */
void mr_kind_needs_text(const struct mr_ranking_kind *kind, bool all,
                        char text[MR_KIND_NEEDS_BYTES]);
void mr_kind_print_table(const struct mr_run *run);
enum mr_status mr_kind_print_next(struct mr_run *run, struct mr_error *err) MR_WARN_UNUSED;

/* kind_files.c: reads the files of the options. */
enum mr_status mr_kind_prepare(struct mr_run *run, struct mr_error *err) MR_WARN_UNUSED;

/* kind_fields.c: adds the options and the figures. */
void mr_kind_describe(const struct mr_run *run, struct mr_json *json);

#endif
