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

/* "  -o, --output FILE" [room]. Returns its length. */
static int option_head(const struct mr_option *option, char *head, size_t room)
{
    const char letter[] = {'-', option->letter, ',', '\0'};
    const char *value = mr_option_value(option);

    return snprintf(head, room, "  %3s --%s%s%s", option->letter != '\0' ? letter : "",
                    option->name, value != NULL ? " " : "", value != NULL ? value : "");
}

static void print_option(const struct mr_option *option, const char *help, FILE *out)
{
    char head[MR_MOST_HELP_BYTES];
    int column = option_head(option, head, sizeof head);

    (void)fputs(head, out);
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

/* Prints the names of the listed options of a group, without those that have a line in -h. */
static void print_names(const struct mr_option_group *group, bool with_often, int *column,
                        FILE *out)
{
    for (const struct mr_option *o = group->options; o->name != NULL; o++) {
        char word[64];
        (void)snprintf(word, sizeof word, "%s%.1s%s--%s", o->letter != '\0' ? "-" : "", &o->letter,
                       o->letter != '\0' ? ", " : "", o->name);
        if (mr_option_is_listed(group, o) && (with_often || !o->often)) {
            mr_help_wrap_word(word, 2, column, out);
        }
    }
}

/* Prints the option and what it does, in one line: the first sentence of its help, or what fits of
 * it, up to a comma or a bracket. */
static void print_line(const struct mr_option *option, FILE *out)
{
    char head[HELP_WIDTH];
    const int width = option_head(option, head, sizeof head) + 2;
    const int indent = width > HELP_INDENT ? width : HELP_INDENT;
    int length = (int)mr_option_gist(option->help);

    while (length > HELP_WIDTH - indent) {
        do {
            length--;
        } while (length > 0 && strncmp(option->help + length, ", ", 2) != 0 &&
                 strncmp(option->help + length, " (", 2) != 0);
    }
    (void)fprintf(out, "%-*s%.*s\n", indent, head, length, option->help);
}

void mr_options_summary(const struct mr_option_group *groups, FILE *out)
{
    int column = 2;

    for (const struct mr_option_group *g = groups; g->title != NULL; g++) {
        for (const struct mr_option *o = g->options; !g->is_aside && o->name != NULL; o++) {
            if (o->often && mr_option_is_listed(g, o)) {
                print_line(o, out);
            }
        }
    }
    (void)fputs("Others:\n  ", out);
    for (const struct mr_option_group *g = groups; g->title != NULL; g++) {
        if (!g->is_aside) {
            print_names(g, false, &column, out);
        }
    }
    (void)fputc('\n', out);
    for (const struct mr_option_group *g = groups; g->title != NULL; g++) {
        if (g->topic != NULL) {
            (void)fprintf(out, "%s: see 'millrace help %s'\n", g->title, g->topic);
        }
    }
}

void mr_options_help(const struct mr_option_group *groups, FILE *out)
{
    for (const struct mr_option_group *group = groups; group->title != NULL; group++) {
        if (group->topic != NULL) {
            (void)fprintf(out, "\n%s (see 'millrace help %s'):\n", group->title, group->topic);
            int column = fprintf(out, "  ");
            print_names(group, true, &column, out);
            (void)fputc('\n', out);
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
