/* One table-driven option parser for all commands, and the help text from the same tables.
 *
 * A command lists groups of options; each group writes into one struct inside the command's struct
 * of flags, whose initial values are the defaults. Options and operands come in any order. Long
 * options take their value behind '=' or as the next argument, `-o FILE` and `-oFILE` are the same,
 * "--" ends the options, "-" is an operand, a value is taken as it stands even when it begins with
 * '-'. Given twice, the last one counts. */
#ifndef MR_CLI_PROGRAM_OPTIONS_H
#define MR_CLI_PROGRAM_OPTIONS_H

#include <stdio.h>

#include "cli/program/values.h"

enum mr_option_type {
    MR_OPTION_FLAG = 1, /* bool: no value, becomes true */
    MR_OPTION_TEXT, /* const char *: the argument itself */
    MR_OPTION_SIZE, /* struct mr_size */
    MR_OPTION_COUNT, /* uint64_t, `least` to `most` */
    MR_OPTION_REAL, /* double, in `range` */
    MR_OPTION_CHOICE, /* int: the place in `choices` */
    MR_OPTION_PARSED /* whatever `parse` writes */
};

/* What a command does with the file that an option names, for cli/program/files.h. */
enum mr_file_use {
    MR_FILE_NONE = 0, /* it names no file */
    MR_FILE_READ, /* a file, a store, or standard input */
    MR_FILE_WRITE, /* an output: an existing file is replaced as a whole, with --force only */
    MR_FILE_SCORES, /* likewise, with FILE.meta.json beside it */
    MR_FILE_STORE, /* likewise a store, or what else an option may take for it */
    MR_FILE_KEPT, /* written whether it is there or not; the command looks at what it is */
    MR_FILE_DIRECTORY, /* a directory that outputs go into; made where it is not there */
    MR_FILE_UPDATE, /* a store that is written in its place */
    MR_FILE_LISTED /* the command's list_files says it */
};

/* Fills `*value`; the message names neither option nor text, as in cli/program/values.h. */
typedef enum mr_status (*mr_option_parser)(const char *text, void *value, struct mr_error *err);

struct mr_option {
    const char *name; /* long, without dashes; NULL ends a table */
    char letter; /* one-letter form, or 0 */
    enum mr_option_type type;
    size_t offset; /* of the field in the group's struct */
    const char *value; /* what the help calls the value; NULL: the choices */
    const char *help; /* plain words, the default included */
    const char *choices;
    uint64_t least, most;
    struct mr_range range;
    mr_option_parser parse;
    enum mr_file_use file; /* of MR_OPTION_TEXT */
};

struct mr_option_group {
    const char *title; /* heading in the help text; NULL ends a list of groups */
    const struct mr_option *options;
    size_t base; /* offset of the group's struct in the command's flags */
};

enum { MR_MAX_OPTION_GROUPS = 8 };

struct mr_parsed {
    const char **operands; /* [n_operands], pointers into argv; free with mr_parsed_free */
    size_t n_operands;
    bool help; /* -h or --help was among the options */
    const char *first_given[MR_MAX_OPTION_GROUPS]; /* per group: name of an option given, or NULL */
};

/* Parse argv[0..argc) (the program's and the command's names already removed) into `flags`. Errors:
 * USAGE naming the option, the value and what would be right; `command` is for the pointer to its
 * help. `parsed` needs no freeing after an error. */
enum mr_status mr_options_parse(const char *command, const struct mr_option_group *groups,
                                void *flags, int argc, char **argv, struct mr_parsed *parsed,
                                struct mr_error *err) MR_WARN_UNUSED;
void mr_parsed_free(struct mr_parsed *parsed);

/* The options with their explanations, wrapped to 80 columns. */
void mr_options_help(const struct mr_option_group *groups, FILE *out);

/* Print `text` wrapped to 80 columns, every line indented by `indent` columns; `column` columns of
 * the first line are taken already. '\n' in the text ends a line. */
void mr_help_wrap(const char *text, int indent, int column, FILE *out);

#endif
