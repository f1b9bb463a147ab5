/* SPDX-License-Identifier: Apache-2.0 */
/* The command of a kind: its options, text and groups, made from its rows. */
#include "cli/ranking/kind_internal.h"

#include <assert.h>
#include <string.h>

enum { MOST_KINDS = 32 };

/* A command, with what it points to. */
struct made {
    struct mr_command command;
    struct mr_ranker ranker;
    const struct mr_kind_front *front;
    struct mr_option options[MR_KIND_OPTIONS_MAX + 4];
    struct mr_kind_options defaults;
    char usage[MR_KIND_NEEDS_BYTES + 128];
    char text[2048];
};
static struct made made[MOST_KINDS];

/* ---- The command ---- */

/* The row as an option of the program; its usual value goes to the slot. */
static struct mr_option option_of(const struct mr_rank_option *row, size_t i,
                                  union mr_kind_slot *slot)
{
    struct mr_option option = {.name = row->name,
                               .offset = offsetof(struct mr_kind_options, slots) + i * sizeof *slot,
                               .value = row->value,
                               .help = row->help,
                               .also = row->also,
                               .often = row->often,
                               .excludes = {{.names = row->excludes, .why = row->why}},
                               .needs = {{.names = row->needs}},
                               .choices = row->choices};

    if (row->type == MR_RANK_FLAG) {
        option.type = MR_OPTION_FLAG;
        slot->flag = row->usual > 0;
    } else if (row->type == MR_RANK_COUNT) {
        option.type = MR_OPTION_COUNT;
        option.least = (uint64_t)row->least;
        option.most = row->most >= 0x1p64 ? UINT64_MAX : (uint64_t)row->most;
        slot->count = (uint64_t)row->usual;
    } else if (row->type == MR_RANK_REAL) {
        option.type = MR_OPTION_REAL;
        option.range = (struct mr_range){row->least, row->most, row->above_least, row->below_most};
        slot->real = row->usual;
    } else if (row->type == MR_RANK_CHOICE) {
        option.type = MR_OPTION_CHOICE;
    } else if (row->type == MR_RANK_FETCHED) {
        option.type = MR_OPTION_PARSED;
        option.parse = mr_fetched_parse;
        option.adds = true;
        option.file = MR_FILE_LISTED;
    } else if (mr_kind_has_files(row) && row->type != MR_RANK_WEIGHTS &&
               row->type != MR_RANK_VECTORS) {
        option.type = MR_OPTION_TEXTS;
        option.file = MR_FILE_READ;
    } else {
        option.type = MR_OPTION_TEXT;
        option.file = row->type == MR_RANK_FILE   ? MR_FILE_UPDATED
                      : row->type == MR_RANK_TEXT ? MR_FILE_NONE
                                                  : MR_FILE_READ;
    }
    return option;
}

/* The first option of a front that does something in place of the ranking; NULL: it is not given.
 */
static const char *act_value(const struct mr_kind_front *front, const void *flags)
{
    return front != NULL && (front->act != NULL || front->instead != NULL)
               ? *(const char *const *)mr_kind_flags(flags)
               : NULL;
}

static bool has_option(const struct mr_ranking_kind *kind, const char *name)
{
    const struct mr_rank_option *row = kind->options;

    while (row->name != NULL && strcmp(row->name, name) != 0) {
        row++;
    }
    return row->name != NULL;
}

/* The rows of the kind, --max-unknown for its lists of pages, --score-columns for several. */
static void make_options(const struct mr_ranking_kind *kind, struct made *of)
{
    static const struct mr_option unknown = MR_MAX_UNKNOWN_OPTION(
        offsetof(struct mr_kind_options, ranking.max_unknown), "names of pages");
    static const struct mr_option columns = {
        "score-columns",
        0,
        MR_OPTION_TEXT,
        offsetof(struct mr_kind_options, columns),
        "COLUMN,...",
        .help = "Scores to write, with commas between. Default: those that the text names."};
    bool has_pages = false;
    size_t n = 0;

    for (; kind->options[n].name != NULL; n++) {
        assert(n < MR_KIND_OPTIONS_MAX);
        of->options[n] = option_of(&kind->options[n], n, &of->defaults.slots[n]);
        has_pages |= mr_kind_has_files(&kind->options[n]);
    }
    if (has_pages) {
        of->options[n++] = unknown;
    }
    if (kind->columns[1].name != NULL && !has_option(kind, columns.name)) {
        of->options[n++] = columns;
    }
    for (size_t i = 0; of->front != NULL && of->front->options[i].name != NULL; i++) {
        assert(n < sizeof of->options / sizeof of->options[0] - 1);
        of->options[n] = of->front->options[i];
        of->options[n++].offset += offsetof(struct mr_kind_options, of_front);
    }
}

/* "... Lines are NAME, hub, authority; --score-columns also writes parts." */
static void make_text(const struct mr_ranking_kind *kind, struct made *of)
{
    size_t used = (size_t)snprintf(of->text, sizeof of->text, "%s Lines are NAME", kind->text);
    const struct mr_rank_column *column = kind->columns;

    for (unsigned i = 0; column[i].name != NULL && used < sizeof of->text; i++) {
        used += (size_t)snprintf(
            of->text + used, sizeof of->text - used, "%s %s%s%s%s",
            i > 0 && i == kind->n_written ? "; --score-columns also writes" : ",", column[i].name,
            column[i].needs != NULL      ? " (with --"
            : column[i].excludes != NULL ? " (without --"
                                         : "",
            column[i].needs != NULL      ? column[i].needs
            : column[i].excludes != NULL ? column[i].excludes
                                         : "",
            column[i].needs != NULL || column[i].excludes != NULL ? ")" : "");
    }
    assert(used < sizeof of->text - 1);
    (void)snprintf(of->text + used, sizeof of->text - used, ".");
}

/* Takes what the front adds. */
static void make_ranker(const struct mr_ranking_kind *kind, struct made *of)
{
    of->ranker = mr_kind_ranker;
    of->front = mr_kind_front_of(kind);
    if (mr_kind_is_of_labels(kind)) {
        of->ranker.print = mr_kind_print_table;
    }
    if (mr_kind_fetched_row(kind) != NULL) {
        of->ranker.print_next = mr_kind_print_next;
    }
    if (of->front != NULL) {
        assert(of->front->flags_bytes <= sizeof of->defaults.of_front);
        memcpy(of->defaults.of_front, of->front->defaults, of->front->flags_bytes);
        of->ranker.data_bytes += of->front->hooks.data_bytes;
        of->ranker.write_before = of->front->hooks.write_before;
    }
}

/* Labels have no order, so there are no best pages, and none to fetch. */
static void make_groups(const struct mr_ranking_kind *kind, struct made *of)
{
    struct mr_option_group *group = of->command.groups;
    const unsigned links = kind->weighs_classes  ? MR_CLASS_LINKS
                           : kind->takes_weights ? MR_ALL_LINKS
                                                 : MR_UNWEIGHTED_LINKS;

    *group++ = (struct mr_option_group){.title = "Ranking", .options = of->options};
    if (mr_kind_is_of_labels(kind)) {
        *group++ = (struct mr_option_group)MR_LABELS_GROUP;
    } else {
        *group++ = (struct mr_option_group)MR_LINKS_GROUP(links);
        *group++ = (struct mr_option_group)MR_OUTPUT_GROUP;
    }
    *group++ = (struct mr_option_group)MR_IMPORT_GROUP;
    if (!mr_kind_is_of_labels(kind)) {
        *group = (struct mr_option_group)MR_FETCH_GROUP;
        group->options =
            mr_kind_fetched_row(kind) != NULL ? mr_fetch_known_options : group->options;
        group++;
    }
    *group = (struct mr_option_group)MR_COMMON_GROUP;
}

/* Ranks, or does what the front does instead. */
static enum mr_status run_kind(struct mr_session *session, const void *data,
                               const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct mr_ranking_kind *kind = session->command->kind;
    const struct mr_kind_front *front = mr_kind_front_of(kind);
    const char *value = act_value(front, data);

    if (value != NULL && front->instead != NULL) {
        return mr_ranker_run(session, front->instead, data, parsed, err);
    }
    if (value == NULL && parsed->n_operands == 0) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "%s: needs a store or an input file (- for standard input); 'millrace "
                            "help %s' shows how",
                            kind->name, kind->name);
    }
    if (value != NULL && parsed->n_operands > 0) {
        return mr_error_set(err, MR_ERROR_USAGE, "--%s needs no graph; leave out %s",
                            front->options[0].name, parsed->operands[0]);
    }
    return value == NULL ? mr_ranker_run(session, session->command->ranker, data, parsed, err)
                         : front->act(session, data, value, err);
}

/* Files of options, and those of FETCHED. */
static enum mr_status list_files(const void *data, const struct mr_parsed *parsed,
                                 struct mr_files *files, struct mr_error *err)
{
    const struct mr_option *option = NULL;

    for (size_t i = 0; i < parsed->n_given; i++) {
        option =
            parsed->given[i].option->parse == mr_fetched_parse ? parsed->given[i].option : option;
    }
    if (option != NULL) {
        const struct mr_fetched_value *value =
            (const void *)((const uint8_t *)data + option->offset);
        for (size_t i = 0; i < value->files.n; i++) {
            mr_files_add(files, MR_FILE_READ, "--fetched", value->files.items[i], NULL);
        }
    }
    return mr_ranker_list_files(data, parsed, files, err);
}

static void make(const struct mr_ranking_kind *kind, struct made *of)
{
    struct mr_command *command = &of->command;
    char needs[MR_KIND_NEEDS_BYTES];

    of->defaults.ranking = (struct mr_ranking_flags)MR_RANKING_DEFAULTS;
    if (mr_kind_is_of_labels(kind)) {
        of->defaults.ranking.columns.sort = MR_SORT_NAME; /* labels have no order */
    }
    make_ranker(kind, of);
    make_options(kind, of);
    make_text(kind, of);
    mr_kind_needs_text(kind, false, needs);
    (void)snprintf(of->usage, sizeof of->usage, "%s STORE|INPUT... %s%s[-o FILE] [OPTIONS]",
                   kind->name, needs, needs[0] != '\0' ? " " : "");
    *command = (struct mr_command){
        .name = kind->name,
        .summary = kind->summary,
        .usage = of->usage,
        .text = of->text,
        .examples = kind->examples,
        .defaults = &of->defaults,
        .flags_bytes = sizeof of->defaults,
        .min_operands = of->front == NULL || of->front->act == NULL,
        .max_operands = SIZE_MAX,
        .operands = "a store or an input file (- for standard input)",
        .list_files =
            of->front != NULL && of->front->list_files != NULL ? of->front->list_files : list_files,
        .ranker = &of->ranker,
        .kind = kind,
        .run = run_kind,
    };
    make_groups(kind, of);
}

const struct mr_command *mr_kind_command_at(size_t index)
{
    const struct mr_ranking_kind *kind = mr_ranking_kind_at(index);

    if (kind == NULL) {
        return NULL;
    }
    assert(index < MOST_KINDS);
    if (made[index].command.name == NULL) {
        make(kind, &made[index]);
    }
    return &made[index].command;
}

const struct mr_command *mr_kind_command(const char *name)
{
    size_t i = 0;

    while (strcmp(mr_ranking_kind_at(i)->name, name) != 0) {
        i++;
    }
    return mr_kind_command_at(i);
}
