/* SPDX-License-Identifier: Apache-2.0 */
/* A table-driven parser of options for all commands. It makes the help text from the same
 * tables.
 *
 * A command lists groups of options. Each group writes into one struct inside the command's
 * struct of flags; the initial values of that struct are the defaults. Options and operands come
 * in any order. A long option takes its value after '=' or from the next argument. `-o FILE` and
 * `-oFILE` are the same, and so are `-q -o FILE` and `-qo FILE`. "--" ends the options. "-" is an
 * operand. A value may begin with '-'. An option with a value is given once, unless its values add
 * up. */
#ifndef MR_CLI_PROGRAM_OPTIONS_H
#define MR_CLI_PROGRAM_OPTIONS_H

#include <stdio.h>

#include "cli/program/values.h"
#include "library/files.h"

enum mr_option_type {
    MR_OPTION_FLAG = 1, /* bool; takes no value and becomes true */
    MR_OPTION_TEXT, /* const char *: the argument itself */
    MR_OPTION_TEXTS, /* struct mr_texts: given again, it adds a text */
    MR_OPTION_SIZE, /* struct mr_size */
    MR_OPTION_COUNT, /* uint64_t, `least` to `most` */
    MR_OPTION_NUMBER, /* unsigned, `least` to `most` */
    MR_OPTION_REAL, /* double, in `range` */
    MR_OPTION_CHOICE, /* int; index into `choices` */
    MR_OPTION_PARSED, /* any type; `parse` writes it */
    MR_OPTION_OPERAND /* an operand: the name of the option, a colon, and the argument */
};

/* Parses `text` into `*value`. The error message names neither the option nor `text`, as in
 * cli/program/values.h. */
typedef enum mr_status (*mr_option_parser)(const char *text, void *value, struct mr_error *err);

/* Options that another one needs or excludes. An option counts as given if its value is not the
 * default. Names that the command does not have are passed over. */
struct mr_option_rule {
    const char *names; /* with '|' between; NAME=VALUE: with this value only. NULL ends the rules */
    /* What the option does, behind its name in the message: "is about links". NULL: nothing */
    const char *why;
    const char *value; /* the rule is for this value of the option; NULL: for any */
};
enum { MR_MOST_OPTION_RULES = 2 };

/* Tables give the first five fields in this order, and name the others. */
struct mr_option {
    const char *name; /* long, without dashes; NULL ends a table */
    char letter; /* one-letter form, or 0 */
    enum mr_option_type type;
    size_t offset; /* of the field in the group's struct */
    const char *value; /* the name of the value in the help; NULL: the choices */
    const char *help; /* plain words; ends with the default */
    /* What users of other programs call it, words with blanks between: an error about such a word
     * names this option. NULL: nothing else */
    const char *also;
    const char *alias; /* another long name that is accepted; NULL: none */
    const char *choices;
    bool often; /* people use it: -h explains it in a line, and only names the others */
    bool may_be_alone; /* CHOICE: without a value it is the second choice */
    /* The words that a value may be, for completion, where they are no `choices`: number `index`,
     * NULL past the last. NULL: not known. */
    const char *(*known)(size_t index);
    uint64_t least, most;
    struct mr_range range;
    mr_option_parser parse;
    bool adds; /* PARSED: given again, `parse` adds to the value */
    enum mr_file_use file; /* only for TEXT and TEXTS */
    struct mr_option_rule needs[MR_MOST_OPTION_RULES]; /* one of the names of each rule */
    struct mr_option_rule excludes[MR_MOST_OPTION_RULES]; /* all of the names of each rule */
};

struct mr_option_group {
    const char *title; /* heading in the help text; NULL ends a list of groups */
    const struct mr_option *options;
    size_t base; /* offset of the group's struct in the command's flags */
    /* Names, with blanks between, of options that the command refuses or has no use for. They
     * parse, so that the command can say why, but no help and no completion lists them. NULL: all
     * are listed. */
    const char *unlisted;
    /* The topic of `millrace help` that explains these options; help texts of commands only name
     * them. NULL: they are explained in place. */
    const char *topic;
    bool is_aside; /* -h names the topic instead of its options */
};

enum { MR_MAX_OPTION_GROUPS = 8, MR_MOST_HELP_BYTES = 1536 };

/* An option as it was given, with its value; NULL if it has none. */
struct mr_given {
    const struct mr_option *option;
    const char *text;
};

struct mr_parsed {
    const char **operands; /* [n_operands], pointers into argv or `owned` */
    size_t n_operands;
    char **owned; /* [n_owned]; free all with mr_parsed_free */
    size_t n_owned;
    struct mr_given *given; /* [n_given], in the order of the arguments */
    size_t n_given;
    bool help; /* --help was given */
    bool short_help; /* -h was given */
};

/* Parses argv[0..argc), without the names of the program and the command, into `flags`. Errors:
 * USAGE with a message that names the option, the value and the accepted values; BUDGET. The
 * message refers to the help of the command; `usage` begins with its name. Texts in `flags` point
 * into argv. After an error the caller need not free `parsed`. */
enum mr_status mr_options_parse(const char *usage, const struct mr_option_group *groups,
                                void *flags, int argc, char **argv, struct mr_parsed *parsed,
                                struct mr_error *err) MR_WARN_UNUSED;
void mr_parsed_free(struct mr_parsed *parsed);

/* The option with that long name, and where its field is in the flags; NULL if there is none. */
const struct mr_option *mr_option_find(const struct mr_option_group *groups, const char *name,
                                       size_t length, size_t *field);

/* Refuses options that are given without those that they need, or with those that they exclude.
 * `defaults` are the flags before parsing. Errors: USAGE with a message that names the options and
 * what to do. */
enum mr_status mr_options_check(const struct mr_option_group *groups, const void *defaults,
                                const void *flags, const struct mr_parsed *parsed,
                                struct mr_error *err) MR_WARN_UNUSED;

/* Returns the name of the first given option of `table`, or NULL. If `name` is not NULL, no other
 * option counts. */
const char *mr_options_given(const struct mr_parsed *parsed, const struct mr_option *table,
                             const char *name);

/* Does help list this option of the group? */
bool mr_option_is_listed(const struct mr_option_group *group, const struct mr_option *option);

/* The help text of an option, and the options of `groups` that it needs or excludes and its text
 * does not name. */
void mr_option_explain(const struct mr_option_group *groups, const struct mr_option *option,
                       char text[MR_MOST_HELP_BYTES]);

/* What stands for the value in help texts; NULL for a flag. */
const char *mr_option_value(const struct mr_option *option);

/* The length of the first sentence of a help text, or of its part before a colon. */
size_t mr_option_gist(const char *help);

/* Prints the listed options with their help texts, wrapped to 80 columns. */
void mr_options_help(const struct mr_option_group *groups, FILE *out);

/* Prints only the names and values of the listed options, several in a line. */
void mr_options_summary(const struct mr_option_group *groups, FILE *out);

/* Prints `text` as one word of a list, with two blanks between words. `*column` is the column
 * where the last word ended, at least `indent`. Starts a new line where the word does not fit. */
void mr_help_wrap_word(const char *text, int indent, int *column, FILE *out);

/* Prints `text` wrapped to 80 columns, with every line indented by `indent` columns. The first
 * line already has `column` columns of other text. '\n' in the text ends a line. */
void mr_help_wrap(const char *text, int indent, int column, FILE *out);

#endif
