/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of options: which ones an option needs, and which ones it excludes. A row of a table
 * states them, so that one check serves all commands, and help texts name them. */
#include <stdlib.h>
#include <string.h>

#include "cli/program/options.h"

/* The options that rules are about: those of a command, and which of them were given. */
struct rule_book {
    const struct mr_option_group *groups;
    const char *defaults, *flags;
    const struct mr_parsed *parsed;
};

/* One name of a rule. */
struct rule_name {
    const struct mr_option *option; /* NULL: the command does not have it */
    size_t field; /* its place in the flags */
    char text[64]; /* "--NAME" or "--NAME VALUE" */
    const char *value; /* in `text`, the only value that counts; NULL: any */
};

/* Takes the next of `*names`. Returns false at the end. */
static bool next_name(const struct mr_option_group *groups, const char **names,
                      struct rule_name *name)
{
    if (*names == NULL || **names == '\0') {
        return false;
    }
    const size_t bytes = strcspn(*names, "|"), name_bytes = strcspn(*names, "=|");
    name->option = mr_option_find(groups, *names, name_bytes, &name->field);
    (void)snprintf(name->text, sizeof name->text, "--%.*s", (int)bytes, *names);
    name->value = NULL;
    if (name_bytes < bytes) {
        name->text[2 + name_bytes] = ' ';
        name->value = name->text + 3 + name_bytes;
    }
    *names += bytes + ((*names)[bytes] == '|');
    return true;
}

static bool was_given(const struct mr_parsed *parsed, const struct mr_option *option,
                      const char *value)
{
    for (size_t i = 0; i < parsed->n_given; i++) {
        const char *text = parsed->given[i].text;
        if (parsed->given[i].option == option &&
            (value == NULL || (text != NULL && strcmp(text, value) == 0))) {
            return true;
        }
    }
    return false;
}

/* The size of a field that says whether it has its default; 0: that is not known. */
static size_t field_bytes(enum mr_option_type type)
{
    return type == MR_OPTION_COUNT    ? sizeof(uint64_t)
           : type == MR_OPTION_REAL   ? sizeof(double)
           : type == MR_OPTION_NUMBER ? sizeof(unsigned)
           : type == MR_OPTION_CHOICE ? sizeof(int)
                                      : 0;
}

/* Has the option that value, or with NULL one that is not its default? */
static bool counts(const struct rule_book *book, const struct mr_option *option, size_t field,
                   const char *value)
{
    int index = 0;

    if (option == NULL || !was_given(book->parsed, option, NULL)) {
        return false;
    }
    if (value != NULL) {
        return option->type == MR_OPTION_CHOICE
                   ? mr_value_choice(value, option->choices, &index, NULL) == MR_OK &&
                         memcmp(book->flags + field, &index, sizeof index) == 0
                   : was_given(book->parsed, option, value);
    }
    const size_t bytes = field_bytes(option->type);
    return bytes == 0 || memcmp(book->flags + field, book->defaults + field, bytes) != 0;
}

/* Adds a name to a list in words. */
static void add_name(char list[MR_MOST_HELP_BYTES], const char *between, const char *name,
                     const char *value)
{
    const size_t used = strlen(list);
    (void)snprintf(list + used, MR_MOST_HELP_BYTES - used, "%s%s%s%s", used > 0 ? between : "",
                   name, value != NULL ? " " : "", value != NULL ? value : "");
}

static enum mr_status check_rule(const struct rule_book *book, const struct mr_option *option,
                                 const struct mr_option_rule *rule, bool needs,
                                 struct mr_error *err)
{
    const char *names = rule->names;
    size_t field = 0;
    char others[MR_MOST_HELP_BYTES] = "", subject[64];
    struct rule_name name;

    (void)mr_option_find(book->groups, option->name, strlen(option->name), &field);
    if (names == NULL || !counts(book, option, field, rule->value)) {
        return MR_OK;
    }
    while (next_name(book->groups, &names, &name)) {
        const bool given = counts(book, name.option, name.field, name.value);
        if (given && needs) {
            return MR_OK;
        }
        if (name.option != NULL && given != needs) {
            add_name(others, needs ? " or " : " and ", name.text,
                     needs && name.value == NULL ? mr_option_value(name.option) : NULL);
        }
    }
    if (others[0] == '\0') {
        return MR_OK;
    }
    (void)snprintf(subject, sizeof subject, "--%s%s%s", option->name,
                   rule->value != NULL ? " " : "", rule->value != NULL ? rule->value : "");
    return rule->why != NULL ? mr_error_set(err, MR_ERROR_USAGE, "%s %s; %s %s", subject, rule->why,
                                            needs ? "say" : "leave out", others)
           : needs
               ? mr_error_set(err, MR_ERROR_USAGE, "%s needs %s", subject, others)
               : mr_error_set(err, MR_ERROR_USAGE, "%s and %s exclude each other; give one of them",
                              subject, others);
}

enum mr_status mr_options_check(const struct mr_option_group *groups, const void *defaults,
                                const void *flags, const struct mr_parsed *parsed,
                                struct mr_error *err)
{
    const struct rule_book book = {groups, defaults, flags, parsed};
    enum mr_status status = MR_OK;

    for (size_t i = 0; i < parsed->n_given; i++) {
        const struct mr_option *option = parsed->given[i].option;
        for (unsigned r = 0; r < MR_MOST_OPTION_RULES && status == MR_OK; r++) {
            status = check_rule(&book, option, &option->needs[r], true, err);
            if (status == MR_OK) {
                status = check_rule(&book, option, &option->excludes[r], false, err);
            }
        }
    }
    return status;
}

/* ---- Help ---- */

static bool is_listed(const struct mr_option_group *groups, const struct mr_option *option)
{
    for (; groups->title != NULL; groups++) {
        for (const struct mr_option *o = groups->options; o->name != NULL; o++) {
            if (o == option) {
                return mr_option_is_listed(groups, o);
            }
        }
    }
    return false;
}

/* Adds the names of a rule that the text of the option does not have. */
static void add_unknown(const struct mr_option_group *groups, const struct mr_option *option,
                        const struct mr_option_rule *rule, const char *between,
                        char list[MR_MOST_HELP_BYTES])
{
    const char *names = rule->names;
    struct rule_name name;

    while (next_name(groups, &names, &name)) {
        if (is_listed(groups, name.option) && strstr(option->help, name.text) == NULL) {
            add_name(list, between, name.text, NULL);
        }
    }
}

/* Adds a sentence about the options in `list`, if there are some, and empties the list. */
static void add_sentence(char text[MR_MOST_HELP_BYTES], const char *value, const char *words,
                         char list[MR_MOST_HELP_BYTES])
{
    const size_t used = strlen(text);

    if (list[0] != '\0') {
        (void)snprintf(text + used, MR_MOST_HELP_BYTES - used, " %s%s%s %s.",
                       value != NULL ? value : "", value != NULL ? ": " : "", words, list);
    }
    list[0] = '\0';
}

void mr_option_explain(const struct mr_option_group *groups, const struct mr_option *option,
                       char text[MR_MOST_HELP_BYTES])
{
    char list[MR_MOST_HELP_BYTES] = "";

    (void)snprintf(text, MR_MOST_HELP_BYTES, "%s", option->help);
    for (unsigned i = 0; i < MR_MOST_OPTION_RULES; i++) {
        const char *value = option->needs[i].value;
        add_unknown(groups, option, &option->needs[i], " or ", list);
        add_sentence(text, value, value != NULL ? "needs" : "Needs", list);
    }
    for (unsigned i = 0; i < MR_MOST_OPTION_RULES; i++) {
        const char *value = option->excludes[i].value;
        add_unknown(groups, option, &option->excludes[i], ", ", list);
        if (value != NULL || i + 1 == MR_MOST_OPTION_RULES) {
            add_sentence(text, value, value != NULL ? "not with" : "Not with", list);
        }
    }
}
