/* SPDX-License-Identifier: Apache-2.0 */
/* Prints man pages. The build runs `millrace help --man NAME` for each name that
 * `millrace help --man` lists, and installs the files. The text comes from the option tables, so
 * that a page cannot disagree with the program. The macros are those of man(7), which groff and
 * mandoc both know. */
#include "cli/program/command.h"

#include <stdlib.h>
#include <string.h>

#include "millrace/version.h"

enum { COMMAND_SECTION = 1, TOPIC_SECTION = 7 };
enum { LINE_WIDTH = 66 }; /* of a page's source, before some characters are escaped */

/* ---- roff ---- */

/* Prints text so that roff takes no character of it for a request. */
static void print_escaped(const char *text, size_t length, FILE *out)
{
    bool starts_line = true;

    for (size_t i = 0; i < length; i++) {
        if (starts_line && (text[i] == '.' || text[i] == '\'')) {
            (void)fputs("\\&", out);
        }
        starts_line = text[i] == '\n';
        switch (text[i]) {
        case '\\':
            (void)fputs("\\e", out);
            break;
        case '-':
            (void)fputs("\\-", out);
            break;
        case '\'':
            (void)fputs("\\(aq", out);
            break;
        case '^':
            (void)fputs("\\(ha", out);
            break;
        case '~':
            (void)fputs("\\(ti", out);
            break;
        default:
            (void)fputc(text[i], out);
        }
    }
}

static void print_text(const char *text, FILE *out)
{
    print_escaped(text, strlen(text), out);
}

/* The length of the first line of a text. The line ends at a blank that does not follow a sentence,
 * because roff puts two blanks where a line ends with one. */
static size_t line_length(const char *text, size_t length)
{
    size_t end = length;

    for (size_t i = 1; i < length && (i <= LINE_WIDTH || end == length); i++) {
        if (text[i] == ' ' && strchr(".?!:)", text[i - 1]) == NULL && length > LINE_WIDTH) {
            end = i;
        }
    }
    return end;
}

/* Prints a paragraph; '\n' in the text ends a line. */
static void print_paragraph(const char *text, FILE *out)
{
    for (;;) {
        const size_t length = strcspn(text, "\n");
        for (size_t at = 0; at < length;) {
            const size_t line = line_length(text + at, length - at);
            print_escaped(text + at, line, out);
            (void)fputc('\n', out);
            at += line + 1; /* and the blank */
        }
        if (text[length] == '\0' || text[length + 1] == '\0') {
            return;
        }
        (void)fputs(".br\n", out);
        text += length + 1;
    }
}

static void print_heading(const char *text, FILE *out)
{
    (void)fprintf(out, ".SH ");
    for (; *text != '\0'; text++) {
        (void)fputc(*text >= 'a' && *text <= 'z' ? *text - 'a' + 'A' : *text, out);
    }
    (void)fputc('\n', out);
}

/* `name` is NULL for the page of the program. */
static void print_title(const char *name, int section, const char *summary, FILE *out)
{
    (void)fprintf(out, ".\\\" Made by 'millrace help --man' from the option tables. Do not edit.\n"
                       ".TH MILLRACE");
    if (name != NULL) {
        (void)fputs("\\-", out);
        for (const char *c = name; *c != '\0'; c++) {
            (void)fputc(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c, out);
        }
    }
    (void)fprintf(out, " %d \"\" \"Millrace " MR_VERSION "\" \"Millrace\"\n", section);
    (void)fprintf(out, ".nh\n.ad l\n.SH NAME\nmillrace");
    if (name != NULL) {
        (void)fputs("\\-", out);
        print_text(name, out);
    }
    (void)fputs(" \\- ", out);
    print_text(summary, out);
    (void)fputc('\n', out);
}

/* Lines as they are; each begins with two blanks, which go. */
static void print_lines(const char *text, FILE *out)
{
    (void)fputs(".RS 2\n.nf\n", out);
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        const size_t blanks = length >= 2 && memcmp(text, "  ", 2) == 0 ? 2 : 0;
        print_escaped(text + blanks, length - blanks, out);
        (void)fputc('\n', out);
        text += length + (text[length] == '\n');
    }
    (void)fputs(".fi\n.RE\n", out);
}

/* ---- Options ---- */

static void print_option(const struct mr_option *option, FILE *out)
{
    const char *value = mr_option_value(option);

    (void)fputs(".TP\n", out);
    if (option->letter != '\0') {
        (void)fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
    }
    (void)fputs("\\fB\\-\\-", out);
    print_text(option->name, out);
    (void)fputs("\\fR", out);
    if (value != NULL) {
        (void)fputs(" \\fI", out);
        print_text(value, out);
        (void)fputs("\\fR", out);
    }
    (void)fputc('\n', out);
    print_paragraph(option->help, out);
}

static void print_group(const struct mr_option_group *group, FILE *out)
{
    (void)fputs(".SS ", out);
    print_text(group->title, out);
    (void)fputc('\n', out);
    if (group->topic == NULL) {
        for (const struct mr_option *o = group->options; o->name != NULL; o++) {
            if (mr_option_is_listed(group, o)) {
                print_option(o, out);
            }
        }
        return;
    }
    const char *between = "";
    for (const struct mr_option *o = group->options; o->name != NULL; o++) {
        if (mr_option_is_listed(group, o)) {
            (void)fprintf(out, "%s\\fB\\-\\-", between);
            print_text(o->name, out);
            (void)fputs("\\fR", out);
            between = ",\n";
        }
    }
    (void)fprintf(out, ".\n\\fBmillrace\\-");
    print_text(group->topic, out);
    (void)fprintf(out, "\\fR(%d) explains these options.\n", TOPIC_SECTION);
}

/* ---- Pages ---- */

static void print_exit_codes(const struct mr_program *program, FILE *out)
{
    (void)fputs(".SH EXIT STATUS\n", out);
    for (const struct mr_exit_code *e = program->exit_codes; e->meaning != NULL; e++) {
        (void)fprintf(out, ".TP\n\\fB%d\\fR\n", e->code);
        print_paragraph(e->meaning, out);
    }
}

static void print_command(const struct mr_program *program, const struct mr_command *command,
                          FILE *out)
{
    const size_t name = strcspn(command->usage, " ");

    print_title(command->name, COMMAND_SECTION, command->summary, out);
    (void)fputs(".SH SYNOPSIS\n\\fBmillrace ", out);
    print_escaped(command->usage, name, out);
    (void)fputs("\\fR", out);
    print_text(command->usage + name, out);
    (void)fputs("\n.SH DESCRIPTION\n", out);
    print_paragraph(command->text, out);
    (void)fputs(".SH OPTIONS\n", out);
    for (const struct mr_option_group *g = command->groups; g->title != NULL; g++) {
        print_group(g, out);
    }
    (void)fputs(".TP\n\\fB\\-h\\fR\nPrint a short list of the options.\n"
                ".TP\n\\fB\\-\\-help\\fR\nPrint a text like this page.\n",
                out);
    print_heading("Examples", out);
    print_lines(command->examples, out);
    print_exit_codes(program, out);
    (void)fputs(".SH SEE ALSO\n\\fBmillrace\\fR(1)\n", out);
}

static void print_topic(const struct mr_topic *topic, FILE *out)
{
    print_title(topic->name, TOPIC_SECTION, topic->summary, out);
    (void)fputs(".SH DESCRIPTION\n", out);
    if (topic->text != NULL) {
        print_paragraph(topic->text, out);
    }
    for (const struct mr_option_group *g = topic->groups; g->title != NULL; g++) {
        print_group(g, out);
    }
    if (topic->print != NULL) {
        char *text = NULL;
        size_t length = 0;
        FILE *memory = open_memstream(&text, &length);
        if (memory != NULL) {
            topic->print(memory);
            (void)fclose(memory);
            (void)fputs(".nf\n", out);
            print_escaped(text, length, out);
            (void)fputs(".fi\n", out);
        }
        free(text);
    }
    (void)fputs(".SH SEE ALSO\n\\fBmillrace\\fR(1)\n", out);
}

static void print_entry(const char *name, int section, const char *summary, FILE *out)
{
    (void)fputs(".TP\n\\fBmillrace\\-", out);
    print_text(name, out);
    (void)fprintf(out, "\\fR(%d)\n", section);
    print_paragraph(summary, out);
}

static void print_program(const struct mr_program *program, FILE *out)
{
    print_title(NULL, COMMAND_SECTION, "rank the pages of a web crawl by their links", out);
    (void)fputs(".SH SYNOPSIS\n\\fBmillrace\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIFILES\\fR]\n"
                ".br\n\\fBmillrace help\\fR [\\fICOMMAND\\fR|\\fITOPIC\\fR]\n"
                ".SH DESCRIPTION\n",
                out);
    print_paragraph(program->text, out);
    (void)fputs(".SH COMMANDS\n", out);
    for (const struct mr_command_section *s = program->sections; s->title != NULL; s++) {
        (void)fputs(".SS ", out);
        print_text(s->title, out);
        (void)fputc('\n', out);
        for (size_t i = 0; s->commands[i] != NULL; i++) {
            print_entry(s->commands[i]->name, COMMAND_SECTION, s->commands[i]->summary, out);
        }
    }
    (void)fputs(".SS Topics\n", out);
    for (const struct mr_topic *t = program->topics; t->name != NULL; t++) {
        print_entry(t->name, TOPIC_SECTION, t->summary, out);
    }
    print_exit_codes(program, out);
    print_heading("Examples", out);
    print_lines(program->examples, out);
}

/* ---- Which page ---- */

void mr_manual_list(const struct mr_program *program, FILE *out)
{
    (void)fprintf(out, "millrace.%d\n", COMMAND_SECTION);
    for (const struct mr_command_section *s = program->sections; s->title != NULL; s++) {
        for (size_t i = 0; s->commands[i] != NULL; i++) {
            (void)fprintf(out, "millrace-%s.%d\n", s->commands[i]->name, COMMAND_SECTION);
        }
    }
    for (const struct mr_topic *t = program->topics; t->name != NULL; t++) {
        (void)fprintf(out, "millrace-%s.%d\n", t->name, TOPIC_SECTION);
    }
}

/* Is `asked` the page `name` of this section, with or without "millrace-" and ".1"? */
static bool is_page(const char *asked, const char *name, int section)
{
    char file[128];

    (void)snprintf(file, sizeof file, "millrace-%s.%d", name, section);
    return strcmp(asked, name) == 0 || strcmp(asked, file) == 0;
}

bool mr_manual_print(const struct mr_program *program, const char *name, FILE *out)
{
    if (strcmp(name, "millrace") == 0 || strcmp(name, "millrace.1") == 0) {
        print_program(program, out);
        return true;
    }
    for (const struct mr_command_section *s = program->sections; s->title != NULL; s++) {
        for (size_t i = 0; s->commands[i] != NULL; i++) {
            if (is_page(name, s->commands[i]->name, COMMAND_SECTION)) {
                print_command(program, s->commands[i], out);
                return true;
            }
        }
    }
    for (const struct mr_topic *t = program->topics; t->name != NULL; t++) {
        if (is_page(name, t->name, TOPIC_SECTION)) {
            print_topic(t, out);
            return true;
        }
    }
    return false;
}
