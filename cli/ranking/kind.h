/* SPDX-License-Identifier: Apache-2.0 */
/* The command of a kind of ranking (struct mr_ranking_kind): its options, help, estimate, scores
 * and metadata come from the rows of the kind. */
#ifndef MR_CLI_RANKING_KIND_H
#define MR_CLI_RANKING_KIND_H

#include "cli/ranking/ranker.h"
#include "library/rank/kinds.h"

/* What the program adds to a kind. */
struct mr_kind_front {
    const char *kind; /* its name */
    const struct mr_option *options; /* of the struct at mr_kind_flags; they follow the rows */
    const void *defaults; /* [flags_bytes] of it, at most MR_KIND_FLAGS_BYTES */
    size_t flags_bytes;
    const char *fields; /* rows of what `describe` adds, in Markdown; or NULL */
    /* `data_bytes` of mr_kind_data. `check`, `describe` and `end` come after those of the kind,
     * `prepare` before; `write_before` comes, too. The others are NULL. */
    struct mr_ranker hooks;
    /* Adds to the run, right before it. NULL: nothing. */
    enum mr_status (*begin)(struct mr_run *run, struct mr_rank_extras *extras,
                            struct mr_error *err);
    /* What the command does instead of ranking where the first option is given, whose `value` is
     * the first text of the front's flags; it takes no graph then. NULL: nothing. */
    enum mr_status (*act)(struct mr_session *session, const struct mr_ranking_flags *flags,
                          const char *value, struct mr_error *err);
    /* What drives the command likewise in place of the ranking, with a graph; or NULL. */
    const struct mr_ranker *instead;
    /* In place of mr_ranker_list_files; or NULL. */
    enum mr_status (*list_files)(const void *flags, const struct mr_parsed *parsed,
                                 struct mr_files *files, struct mr_error *err);
};
enum { MR_KIND_FLAGS_BYTES = 64 };

/* Drives ppr --each in the place of the ranking: the best pages of many seeds, by pushes (each.c).
 */
extern const struct mr_ranker mr_each_ranker;

/* Sets the fronts, which a NULL ends. Call it before the functions below. */
void mr_kind_set_fronts(const struct mr_kind_front *const *fronts);

/* The flags of the front, among all `flags` of the command. */
const void *mr_kind_flags(const void *flags);
/* The data of the front in this run, zero at first. */
void *mr_kind_data(const struct mr_run *run);
/* Is one of these options given, with | between? */
bool mr_kind_gives(const struct mr_run *run, const char *names);
/* The text of an option that is given last, or NULL. */
const char *mr_kind_text(const struct mr_parsed *parsed, const char *option);
/* The value of an option of the type REAL, or its usual value. */
double mr_kind_real(const struct mr_run *run, const char *option);
/* The ranking, after the run. */
const struct mr_ranking *mr_kind_ranking(const struct mr_run *run);

/* Also writes this column, of those that are not written otherwise. For `check`. */
enum mr_status mr_kind_choose(struct mr_run *run, const char *column,
                              struct mr_error *err) MR_WARN_UNUSED;

/* The command of mr_ranking_kind_at(index); NULL past the last. Made once, and never freed; for one
 * thread. */
const struct mr_command *mr_kind_command_at(size_t index);

/* The command of the kind with this name, which there is. */
const struct mr_command *mr_kind_command(const char *name);

/* Prints the fields of the JSON of every kind in Markdown, as they stand at the end of
 * docs/json-fields.md. */
void mr_kind_print_fields(FILE *out);

#endif
