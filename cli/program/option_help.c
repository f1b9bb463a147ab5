/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the help of a command from the tables that parse its arguments, so that no option lacks a
 * help text and none is documented wrongly. */
#include <string.h>

#include "cli/program/options.h"

enum { HELP_WIDTH = 80, HELP_INDENT = 26 };

void mr_help_wrap(const char *text, int indent, int column, FILE *out)
{
    while (*text != '\0') {
        if (*text == '\n') {
            (void)fputc('\n', out);
            column = 0;
            text++;
            continue;
        }
        const int length = (int)strcspn(text, " \n");
        if (column > indent && column + 1 + length > HELP_WIDTH) {
            (void)fputc('\n', out);
            column = 0;
        }
        if (column < indent) {
            (void)fprintf(out, "%*s", indent - column, "");
            column = indent;
        } else if (column > indent) {
            (void)fputc(' ', out);
            column++;
        }
        (void)fprintf(out, "%.*s", length, text);
        column += length;
        text += length;
        while (*text == ' ') {
            text++;
        }
    }
    (void)fputc('\n', out);
}

static void print_option(const struct mr_option *option, const char *help, FILE *out)
{
    int column =
        option->letter != '\0' ? fprintf(out, "  -%c, ", option->letter) : fprintf(out, "      ");
    column += fprintf(out, "--%s", option->name);
    if (option->type != MR_OPTION_FLAG) {
        column += fprintf(out, " %s", mr_option_value(option));
    }
    if (column + 2 > HELP_INDENT) {
        (void)fputc('\n', out);
        column = 0;
    }
    mr_help_wrap(help, HELP_INDENT, column, out);
}

size_t mr_option_gist(const char *help)
{
    size_t end = 0;

    while (help[end] != '\0' && help[end] != '\n' && help[end] != ':' && help[end] != ';' &&
           !(help[end] == '.' && (help[end + 1] == ' ' || help[end + 1] == '\0'))) {
        end++;
    }
    return end;
}

void mr_help_wrap_word(const char *text, int indent, int *column, FILE *out)
{
    const int length = (int)strlen(text);

    if (*column > indent && *column + 2 + length > HELP_WIDTH) {
        (void)fprintf(out, "\n%*s", indent, "");
        *column = indent;
    } else if (*column > indent) {
        *column += fprintf(out, "  ");
    }
    (void)fputs(text, out);
    *column += length;
}

enum print { NAMES, NAMES_AND_VALUES, NAMES_WITHOUT_LETTERS };

/* Prints the names of the listed options of a group, or of those without a letter. */
static void print_names(const struct mr_option_group *group, enum print print, FILE *out)
{
    int column = fprintf(out, "  ");

    for (const struct mr_option *o = group->options; o->name != NULL; o++) {
        const char *value = print != NAMES ? mr_option_value(o) : NULL;
        char word[128], letter[8] = "";
        if (!mr_option_is_listed(group, o) ||
            (print == NAMES_WITHOUT_LETTERS && o->letter != '\0')) {
            continue;
        }
        if (o->letter != '\0') {
            (void)snprintf(letter, sizeof letter, "-%c, ", o->letter);
        }
        (void)snprintf(word, sizeof word, "%s--%s%s%s", letter, o->name, value != NULL ? " " : "",
                       value != NULL ? value : "");
        mr_help_wrap_word(word, 2, &column, out);
    }
    (void)fputc('\n', out);
}

/* Prints a line for each listed option with a letter. */
static void print_lines(const struct mr_option_group *group, FILE *out)
{
    for (const struct mr_option *option = group->options; option->name != NULL; option++) {
        char gist[HELP_WIDTH];
        (void)snprintf(gist, sizeof gist, "%.*s", (int)mr_option_gist(option->help), option->help);
        if (option->letter != '\0' && mr_option_is_listed(group, option)) {
            print_option(option, gist, out);
        }
    }
}

void mr_options_summary(const struct mr_option_group *groups, FILE *out)
{
    for (; groups->title != NULL; groups++) {
        if (groups->topic != NULL) {
            (void)fprintf(out, "%s: see 'millrace help %s'\n", groups->title, groups->topic);
        } else if (groups->in_lines) {
            (void)fprintf(out, "%s:\n", groups->title);
            print_lines(groups, out);
            print_names(groups, NAMES_WITHOUT_LETTERS, out);
        } else {
            (void)fprintf(out, "%s:\n", groups->title);
            print_names(groups, NAMES_AND_VALUES, out);
        }
    }
}

void mr_options_help(const struct mr_option_group *groups, FILE *out)
{
    for (const struct mr_option_group *group = groups; group->title != NULL; group++) {
        if (group->topic != NULL) {
            (void)fprintf(out, "\n%s (see 'millrace help %s'):\n", group->title, group->topic);
            print_names(group, NAMES, out);
            continue;
        }
        (void)fprintf(out, "\n%s:\n", group->title);
        for (const struct mr_option *option = group->options; option->name != NULL; option++) {
            if (mr_option_is_listed(group, option)) {
                char text[MR_MOST_HELP_BYTES];
                mr_option_explain(groups, option, text);
                print_option(option, text, out);
            }
        }
    }
}
