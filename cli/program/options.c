/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the arguments of a command by the tables of the command. An unknown option gets a
 * suggestion from spelling.c. */
#include "cli/program/options.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/program/spelling.h"

enum { MOST_CHOICE_BYTES = 32 };

/* ---- Finding options ---- */

/* Is `word` [length] one of `words`, which have blanks between? `words` may be NULL. */
static bool has_word(const char *words, const char *word, size_t length)
{
    while (words != NULL && *words != '\0') {
        const size_t bytes = strcspn(words, " ");
        if (bytes == length && memcmp(words, word, length) == 0) {
            return true;
        }
        words += bytes + strspn(words + bytes, " ");
    }
    return false;
}

const struct mr_option *mr_option_find(const struct mr_option_group *groups, const char *name,
                                       size_t length, size_t *field)
{
    for (size_t g = 0; groups[g].title != NULL; g++) {
        for (const struct mr_option *o = groups[g].options; o->name != NULL; o++) {
            if (has_word(o->name, name, length) || has_word(o->alias, name, length)) {
                *field = groups[g].base + o->offset;
                return o;
            }
        }
    }
    return NULL;
}

static const struct mr_option *find_letter(const struct mr_option_group *groups, char letter,
                                           size_t *field)
{
    for (size_t g = 0; groups[g].title != NULL; g++) {
        for (const struct mr_option *o = groups[g].options; o->name != NULL; o++) {
            if (o->letter == letter) {
                *field = groups[g].base + o->offset;
                return o;
            }
        }
    }
    return NULL;
}

static enum mr_status unknown_option(const char *usage, const struct mr_option_group *groups,
                                     const char *argument, size_t length, struct mr_error *err)
{
    char word[64];
    const size_t dashes = strspn(argument, "-");
    const int name = (int)strcspn(usage, " "); /* of the command */
    (void)snprintf(word, sizeof word, "%.*s", (int)(length - dashes), argument + dashes);

    struct mr_spelling spelling = {.word = word};
    bool has_output = false;
    mr_spelling_consider(&spelling, "help");
    for (size_t g = 0; groups[g].title != NULL; g++) {
        for (const struct mr_option *o = groups[g].options; o->name != NULL; o++) {
            if (has_word(o->also, word, strlen(word))) {
                return mr_error_set(err, MR_ERROR_USAGE,
                                    "unknown option %.*s; it is --%s here, and 'millrace help "
                                    "%.*s' explains it",
                                    (int)length, argument, o->name, name, usage);
            }
            mr_spelling_consider(&spelling, o->name);
            has_output |= strcmp(o->name, "output") == 0;
        }
    }
    if (has_word("i input inputs in infile f file graph g store s scores", word, strlen(word)) ||
        (!has_output && has_word("o out output", word, strlen(word)))) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "unknown option %.*s; files are named without it: millrace %s",
                            (int)length, argument, usage);
    }
    const char *nearest = mr_spelling_best(&spelling);
    if (nearest != NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "unknown option %.*s; did you mean --%s? 'millrace help %.*s' lists "
                            "all",
                            (int)length, argument, nearest, name, usage);
    }
    return mr_error_set(err, MR_ERROR_USAGE, "unknown option %.*s; 'millrace help %.*s' lists all",
                        (int)length, argument, name, usage);
}

/* ---- Values ---- */

static enum mr_status read_number(const struct mr_option *option, const char *text, void *field,
                                  struct mr_error *err)
{
    uint64_t count = 0;
    const enum mr_status status = mr_value_count(text, option->least, option->most, &count, err);

    if (status == MR_OK) {
        *(unsigned *)field = (unsigned)count;
    }
    return status;
}

static enum mr_status read_value(const struct mr_option *option, const char *text, void *field,
                                 struct mr_error *err)
{
    assert(text != NULL || option->type == MR_OPTION_FLAG);
    switch (option->type) {
    case MR_OPTION_FLAG:
        *(bool *)field = true;
        return MR_OK;
    case MR_OPTION_TEXT:
        if (text[0] == '\0') {
            return mr_error_set(err, MR_ERROR_USAGE, "must not be empty");
        }
        *(const char **)field = text;
        return MR_OK;
    case MR_OPTION_TEXTS:
        return mr_texts_add(text, field, err);
    case MR_OPTION_SIZE:
        return mr_value_size(text, field, err);
    case MR_OPTION_COUNT:
        return mr_value_count(text, option->least, option->most, field, err);
    case MR_OPTION_NUMBER:
        return read_number(option, text, field, err);
    case MR_OPTION_REAL:
        return mr_value_real(text, &option->range, field, err);
    case MR_OPTION_CHOICE:
        return mr_value_choice(text, option->choices, field, err);
    case MR_OPTION_PARSED:
        return option->parse(text, field, err);
    case MR_OPTION_OPERAND:
        break;
    }
    return MR_OK;
}

static enum mr_status add_operand(struct mr_parsed *parsed, const char *name, const char *text,
                                  struct mr_error *err)
{
    char *operand = NULL;

    if (asprintf(&operand, "%s:%s", name, text) < 0) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the arguments");
    }
    parsed->owned[parsed->n_owned++] = operand;
    parsed->operands[parsed->n_operands++] = operand;
    return MR_OK;
}

const char *mr_option_value(const struct mr_option *option)
{
    return option->type == MR_OPTION_FLAG ? NULL
           : option->value != NULL        ? option->value
                                          : option->choices;
}

/* ---- One argument at a time ---- */

struct argument_reader {
    const char *usage;
    const struct mr_option_group *groups;
    char *flags;
    int argc;
    char **argv;
    int next; /* the argument to read next */
    struct mr_parsed *parsed;
};

/* Refuses an option whose second value would replace the first one. */
static enum mr_status check_once(const struct argument_reader *reader,
                                 const struct mr_option *option, const char *spelled,
                                 int spelled_length, struct mr_error *err)
{
    const struct mr_parsed *parsed = reader->parsed;
    char plural[64];

    if (option->type == MR_OPTION_FLAG || option->type == MR_OPTION_TEXTS || option->adds ||
        option->type == MR_OPTION_OPERAND) {
        return MR_OK;
    }
    for (size_t i = 0; i < parsed->n_given; i++) {
        if (parsed->given[i].option == option) {
            const int bytes = snprintf(plural, sizeof plural, "%ss", option->name);
            size_t field;
            const struct mr_option *list =
                mr_option_find(reader->groups, plural, (size_t)bytes, &field);
            const bool has_list = list != NULL && list->type == MR_OPTION_TEXTS;
            return mr_error_set(err, MR_ERROR_USAGE, "%.*s is given twice; leave one out%s%s%s",
                                spelled_length, spelled, has_list ? ", or list several in --" : "",
                                has_list ? plural : "", has_list ? " FILE" : "");
        }
    }
    return MR_OK;
}

static bool is_choice_next(const struct argument_reader *reader, const struct mr_option *option)
{
    int index;
    return reader->next < reader->argc &&
           mr_value_choice(reader->argv[reader->next], option->choices, &index, NULL) == MR_OK;
}

static const char *second_choice(const struct mr_option *option, char word[MOST_CHOICE_BYTES])
{
    const char *second = strchr(option->choices, '|') + 1;
    (void)snprintf(word, MOST_CHOICE_BYTES, "%.*s", (int)strcspn(second, "|"), second);
    return word;
}

/* Reads the value of the option to the flags at `field`. `spelled` is the option as the user wrote
 * it, such as
 * "--damping" or "-o". The value is `attached`, or the next argument where `attached` is NULL. */
static enum mr_status take_option(struct argument_reader *reader, const struct mr_option *option,
                                  size_t field, const char *spelled, int spelled_length,
                                  const char *attached, struct mr_error *err)
{
    const char *text = attached;
    char word[MOST_CHOICE_BYTES];

    if (option->type == MR_OPTION_FLAG && attached != NULL) {
        return mr_error_set(err, MR_ERROR_USAGE, "%.*s: takes no value", spelled_length, spelled);
    }
    if (option->may_be_alone && attached == NULL && !is_choice_next(reader, option)) {
        text = second_choice(option, word);
    } else if (option->type != MR_OPTION_FLAG && attached == NULL) {
        if (reader->next == reader->argc) {
            return mr_error_set(err, MR_ERROR_USAGE, "%.*s: needs a value: %.*s %s", spelled_length,
                                spelled, spelled_length, spelled, mr_option_value(option));
        }
        text = reader->argv[reader->next++];
    }
    struct mr_error reason = {0};
    enum mr_status status = check_once(reader, option, spelled, spelled_length, err);
    if (status != MR_OK) {
        return status;
    }
    status = option->type == MR_OPTION_OPERAND
                 ? add_operand(reader->parsed, option->name, text, &reason)
                 : read_value(option, text, reader->flags + field, &reason);
    if (status != MR_OK) {
        return mr_error_set(err, status, "%.*s %s: %s", spelled_length, spelled, text,
                            reason.message);
    }
    reader->parsed->given[reader->parsed->n_given++] =
        (struct mr_given){option, text == word ? NULL : text};
    return MR_OK;
}

static enum mr_status take_long(struct argument_reader *reader, const char *argument,
                                struct mr_error *err)
{
    const char *name = argument + 2;
    const size_t length = strcspn(name, "=");

    if (length == 4 && memcmp(name, "help", 4) == 0) {
        reader->parsed->help = true;
        return MR_OK;
    }
    size_t field;
    const struct mr_option *option = mr_option_find(reader->groups, name, length, &field);
    if (option == NULL) {
        return unknown_option(reader->usage, reader->groups, argument, length + 2, err);
    }
    return take_option(reader, option, field, argument, (int)length + 2,
                       name[length] == '=' ? name + length + 1 : NULL, err);
}

/* Is it a long option with one dash? -force is not -f -o rce, and -out not -o ut. */
static bool is_long(const struct mr_option_group *groups, const char *argument)
{
    const char *word = argument + 1;
    const size_t length = strcspn(word, "=");

    for (size_t g = 0; groups[g].title != NULL && length > 2; g++) {
        for (const struct mr_option *o = groups[g].options; o->name != NULL; o++) {
            if (strncmp(o->name, word, length) == 0 || has_word(o->alias, word, length) ||
                has_word(o->also, word, length)) {
                return true;
            }
        }
    }
    return false;
}

static enum mr_status take_letter(struct argument_reader *reader, const char *argument,
                                  struct mr_error *err)
{
    if (strcmp(argument, "-h") == 0) {
        reader->parsed->short_help = true;
        return MR_OK;
    }
    if (is_long(reader->groups, argument)) {
        return unknown_option(reader->usage, reader->groups, argument, strcspn(argument, "="), err);
    }
    enum mr_status status = MR_OK;
    for (const char *letter = argument + 1; *letter != '\0' && status == MR_OK; letter++) {
        const char spelled[] = {'-', *letter, '\0'};
        size_t field;
        const struct mr_option *option = find_letter(reader->groups, *letter, &field);
        if (option == NULL) {
            return unknown_option(reader->usage, reader->groups, argument, strlen(argument), err);
        }
        if (option->type != MR_OPTION_FLAG) {
            return take_option(reader, option, field, spelled, 2,
                               letter[1] != '\0' ? letter + 1 : NULL, err);
        }
        status = take_option(reader, option, field, spelled, 2, NULL, err);
    }
    return status;
}

enum mr_status mr_options_parse(const char *usage, const struct mr_option_group *groups,
                                void *flags, int argc, char **argv, struct mr_parsed *parsed,
                                struct mr_error *err)
{
    struct argument_reader reader = {.usage = usage,
                                     .groups = groups,
                                     .flags = flags,
                                     .argc = argc,
                                     .argv = argv,
                                     .parsed = parsed};
    bool options_ended = false;

    *parsed = (struct mr_parsed){0};
    /* Letters of flags share an argument. */
    size_t most_given = 1;
    for (int i = 0; i < argc; i++) {
        most_given += strlen(argv[i]);
    }
    parsed->operands = calloc((size_t)argc + 1, sizeof *parsed->operands);
    parsed->owned = calloc((size_t)argc + 1, sizeof *parsed->owned);
    parsed->given = calloc(most_given, sizeof *parsed->given);
    if (parsed->operands == NULL || parsed->owned == NULL || parsed->given == NULL) {
        mr_parsed_free(parsed);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the arguments");
    }
    while (reader.next < argc) {
        const char *argument = argv[reader.next++];
        enum mr_status status = MR_OK;

        if (options_ended || argument[0] != '-' || argument[1] == '\0') {
            parsed->operands[parsed->n_operands++] = argument;
        } else if (strcmp(argument, "--") == 0) {
            options_ended = true;
        } else if (argument[1] == '-') {
            status = take_long(&reader, argument, err);
        } else {
            status = take_letter(&reader, argument, err);
        }
        if (status != MR_OK) {
            mr_parsed_free(parsed);
            return status;
        }
    }
    return MR_OK;
}

void mr_parsed_free(struct mr_parsed *parsed)
{
    for (size_t i = 0; i < parsed->n_owned; i++) {
        free(parsed->owned[i]);
    }
    free(parsed->owned);
    free(parsed->operands);
    free(parsed->given);
    *parsed = (struct mr_parsed){0};
}

const char *mr_options_given(const struct mr_parsed *parsed, const struct mr_option *table,
                             const char *name)
{
    for (size_t i = 0; i < parsed->n_given; i++) {
        for (const struct mr_option *o = table; o->name != NULL; o++) {
            if (parsed->given[i].option == o && (name == NULL || strcmp(o->name, name) == 0)) {
                return o->name;
            }
        }
    }
    return NULL;
}

bool mr_option_is_listed(const struct mr_option_group *group, const struct mr_option *option)
{
    return !has_word(group->unlisted, option->name, strlen(option->name));
}
