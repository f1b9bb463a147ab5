/* SPDX-License-Identifier: Apache-2.0 */
/* Prints man pages, and the same text as one page of Markdown. The build runs `millrace help --man
 * NAME` for each name that `millrace help --man` lists, and installs the files; docs/commands.md is
 * what `millrace help --markdown` prints. The text comes from the option tables, so that a page
 * cannot disagree with the program. The macros are those of man(7), which groff and mandoc both
 * know. Markdown is compact: an option is a row of a table, and what an earlier command explains is
 * only named. */
#include "cli/program/command.h"

#include <stdlib.h>
#include <string.h>

#include "millrace/version.h"

enum { COMMAND_SECTION = 1, TOPIC_SECTION = 7 };
enum { LINE_WIDTH = 66 }; /* of a man page's source, before some characters are escaped */

/* What is printed, and as what. */
struct page {
    const struct mr_program *program;
    const struct mr_command *command; /* the one that is explained, or NULL */
    FILE *out;
    bool is_markdown;
    bool has_table; /* Markdown: the head of the table of options is printed */
};

/* ---- Text ---- */

/* What stands for a character of the text; NULL: the character itself. */
static const char *roff_of(char c)
{
    switch (c) {
    case '\\':
        return "\\e";
    case '-':
        return "\\-";
    case '\'':
        return "\\(aq";
    case '^':
        return "\\(ha";
    case '~':
        return "\\(ti";
    default:
        return NULL;
    }
}

static const char *markdown_of(char c)
{
    switch (c) {
    case '\\':
        return "\\\\";
    case '*':
        return "\\*";
    case '_':
        return "\\_";
    case '`':
        return "\\`";
    case '|':
        return "\\|";
    case '[':
        return "\\[";
    case '<':
        return "&lt;";
    default:
        return NULL;
    }
}

/* Prints text so that no character of it is taken for a request or a mark. */
static void print_escaped(const struct page *page, const char *text, size_t length)
{
    bool starts_line = true;

    for (size_t i = 0; i < length; i++) {
        if (!page->is_markdown && starts_line && (text[i] == '.' || text[i] == '\'')) {
            (void)fputs("\\&", page->out);
        }
        starts_line = text[i] == '\n';
        const char *instead = page->is_markdown ? markdown_of(text[i]) : roff_of(text[i]);
        if (instead != NULL) {
            (void)fputs(instead, page->out);
        } else {
            (void)fputc(text[i], page->out);
        }
    }
}

static void print_text(const struct page *page, const char *text)
{
    print_escaped(page, text, strlen(text));
}

/* A word inside `...` in a table of Markdown: only bars would end it. */
static void print_code(const struct page *page, const char *word)
{
    if (!page->is_markdown) {
        print_text(page, word);
        return;
    }
    for (; *word != '\0'; word++) {
        (void)fputs(*word == '|' ? "\\" : "", page->out);
        (void)fputc(*word, page->out);
    }
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
static void print_paragraph(const struct page *page, const char *text)
{
    for (;;) {
        const size_t length = strcspn(text, "\n");
        for (size_t at = 0; at < length;) {
            const size_t line =
                page->is_markdown ? length - at : line_length(text + at, length - at);
            print_escaped(page, text + at, line);
            at += line + 1; /* and the blank */
            if (at < length || !page->is_markdown) {
                (void)fputc('\n', page->out);
            }
        }
        if (text[length] == '\0' || text[length + 1] == '\0') {
            break;
        }
        (void)fputs(page->is_markdown ? "<br>\n" : ".br\n", page->out);
        text += length + 1;
    }
    if (page->is_markdown) {
        (void)fputc('\n', page->out);
    }
}

static void print_capitals(const char *text, FILE *out)
{
    for (; *text != '\0'; text++) {
        (void)fputc(*text >= 'a' && *text <= 'z' ? *text - 'a' + 'A' : *text, out);
    }
}

/* The heading of a section of a man page. */
static void print_section(const struct page *page, const char *title)
{
    if (!page->is_markdown) {
        (void)fputs(".SH ", page->out);
        print_capitals(title, page->out);
        (void)fputc('\n', page->out);
    }
}

/* Begins a page, in Markdown a chapter. `name` is NULL for the page of the program. */
static void print_title(const struct page *page, const char *name, int section, const char *summary)
{
    FILE *out = page->out;

    if (page->is_markdown) {
        (void)fprintf(out, name != NULL ? "\n## %s\n" : "# Commands\n\n", name);
        return;
    }
    (void)fputs(".\\\" Made by 'millrace help --man' from the option tables. Do not edit.\n"
                ".TH MILLRACE",
                out);
    if (name != NULL) {
        (void)fputs("\\-", out);
        print_capitals(name, out);
    }
    (void)fprintf(out, " %d \"\" \"Millrace " MR_VERSION "\" \"Millrace\"\n", section);
    (void)fputs(".nh\n.ad l\n.SH NAME\nmillrace", out);
    if (name != NULL) {
        (void)fputs("\\-", out);
        print_text(page, name);
    }
    (void)fputs(" \\- ", out);
    print_text(page, summary);
    (void)fputc('\n', out);
}

/* Lines as they are; `indent` blanks at the beginning of each go. */
static void print_lines(const struct page *page, const char *text, size_t indent)
{
    (void)fputs(page->is_markdown ? "```\n" : indent > 0 ? ".RS 2\n.nf\n" : ".nf\n", page->out);
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        const size_t blanks = strspn(text, " ") >= indent ? indent : 0;
        if (page->is_markdown) {
            (void)fwrite(text + blanks, 1, length - blanks, page->out);
        } else {
            print_escaped(page, text + blanks, length - blanks);
        }
        (void)fputc('\n', page->out);
        text += length + (text[length] == '\n');
    }
    (void)fputs(page->is_markdown ? "```\n" : indent > 0 ? ".fi\n.RE\n" : ".fi\n", page->out);
}

/* ---- Options ---- */

static void print_option(const struct page *page, const struct mr_option *option)
{
    const char *value = mr_option_value(option);
    FILE *out = page->out;

    (void)fputs(page->is_markdown ? "| `" : ".TP\n", out);
    if (option->letter != '\0') {
        (void)fprintf(out, page->is_markdown ? "-%c`, `" : "\\fB\\-%c\\fR, ", option->letter);
    }
    (void)fputs(page->is_markdown ? "--" : "\\fB\\-\\-", out);
    print_code(page, option->name);
    (void)fputs(page->is_markdown ? "" : "\\fR", out);
    if (value != NULL) {
        (void)fputs(page->is_markdown ? " " : " \\fI", out);
        print_code(page, value);
        (void)fputs(page->is_markdown ? "" : "\\fR", out);
    }
    (void)fputs(page->is_markdown ? "` | " : "\n", out);
    if (page->is_markdown) {
        print_text(page, option->help);
        (void)fputs(" |\n", out);
    } else {
        print_paragraph(page, option->help);
    }
}

static bool lists_all(const struct mr_option_group *group, const struct mr_option_group *other)
{
    for (const struct mr_option *o = other->options; o->name != NULL; o++) {
        if (mr_option_is_listed(other, o) && !mr_option_is_listed(group, o)) {
            return false;
        }
    }
    return true;
}

/* Where the options of a group are explained, if not in place: a topic, or in Markdown the first
 * command that lists all of them. */
static const char *explained_elsewhere(const struct page *page, const struct mr_option_group *group)
{
    if (group->topic != NULL || !page->is_markdown || page->command == NULL) {
        return group->topic;
    }
    for (const struct mr_command_section *s = page->program->sections; s->title != NULL; s++) {
        for (size_t i = 0; s->commands[i] != NULL; i++) {
            const struct mr_command *command = s->commands[i];
            if (command == page->command) {
                return NULL;
            }
            for (const struct mr_option_group *g = command->groups; g->title != NULL; g++) {
                if (g->options == group->options && lists_all(g, group)) {
                    return command->name;
                }
            }
        }
    }
    return NULL;
}

static void print_names(const struct page *page, const struct mr_option_group *group,
                        const char *where)
{
    const char *between = "";

    for (const struct mr_option *o = group->options; o->name != NULL; o++) {
        if (mr_option_is_listed(group, o)) {
            (void)fprintf(page->out, page->is_markdown ? "%s`--" : "%s\\fB\\-\\-", between);
            print_text(page, o->name);
            (void)fputs(page->is_markdown ? "`" : "\\fR", page->out);
            between = page->is_markdown ? ", " : ",\n";
        }
    }
    if (page->is_markdown) {
        (void)fprintf(page->out, ": [%s](#%s) |\n", where, where);
        return;
    }
    (void)fprintf(page->out, ".\n\\fBmillrace\\-");
    print_text(page, where);
    (void)fprintf(page->out, "\\fR(%d) explains these options.\n", TOPIC_SECTION);
}

/* The title of a group, in Markdown the head of a table or a row of it. `goes_on`: that row has a
 * text that follows. */
static void print_group_title(struct page *page, const char *title, bool goes_on)
{
    const bool is_head = !page->has_table;

    (void)fputs(!page->is_markdown ? ".SS " : is_head ? "\n| " : "| **", page->out);
    print_text(page, title);
    if (!page->is_markdown) {
        (void)fputc('\n', page->out);
    } else if (is_head) {
        (void)fprintf(page->out, " | |\n|---|---|\n%s", goes_on ? "| | " : "");
    } else {
        (void)fprintf(page->out, "** | %s", goes_on ? "" : "|\n");
    }
    page->has_table = true;
}

static void print_group(struct page *page, const struct mr_option_group *group)
{
    const char *where = explained_elsewhere(page, group);

    print_group_title(page, group->title, where != NULL);
    if (where != NULL) {
        print_names(page, group, where);
        return;
    }
    for (const struct mr_option *o = group->options; o->name != NULL; o++) {
        if (mr_option_is_listed(group, o)) {
            print_option(page, o);
        }
    }
}

static void print_groups(struct page *page, const struct mr_option_group *groups)
{
    page->has_table = false;
    for (const struct mr_option_group *g = groups; g->title != NULL; g++) {
        print_group(page, g);
    }
}

/* ---- Pages ---- */

static void print_exit_codes(const struct page *page)
{
    print_section(page, "Exit status");
    for (const struct mr_exit_code *e = page->program->exit_codes; e->meaning != NULL; e++) {
        (void)fprintf(page->out, ".TP\n\\fB%d\\fR\n", e->code);
        print_paragraph(page, e->meaning);
    }
}

static void print_usage(const struct page *page, const char *usage)
{
    const size_t name = strcspn(usage, " ");

    print_section(page, "Synopsis");
    if (page->is_markdown) {
        (void)fprintf(page->out, "`millrace %s`<br>\n", usage);
        return;
    }
    (void)fputs("\\fBmillrace ", page->out);
    print_escaped(page, usage, name);
    (void)fputs("\\fR", page->out);
    print_text(page, usage + name);
    (void)fputc('\n', page->out);
}

static void print_command(struct page *page, const struct mr_command *command)
{
    page->command = command;
    print_title(page, command->name, COMMAND_SECTION, command->summary);
    print_usage(page, command->usage);
    print_section(page, "Description");
    print_paragraph(page, command->text);
    print_section(page, "Options");
    print_groups(page, command->groups);
    if (!page->is_markdown) {
        (void)fputs(".TP\n\\fB\\-h\\fR\nPrint a short list of the options.\n"
                    ".TP\n\\fB\\-\\-help\\fR\nPrint a text like this page.\n",
                    page->out);
    }
    print_section(page, "Examples");
    print_lines(page, command->examples, 2);
    if (!page->is_markdown) {
        print_exit_codes(page);
        (void)fputs(".SH SEE ALSO\n\\fBmillrace\\fR(1)\n", page->out);
    }
    page->command = NULL;
}

static void print_topic(struct page *page, const struct mr_topic *topic)
{
    print_title(page, topic->name, TOPIC_SECTION, topic->summary);
    print_section(page, "Description");
    if (topic->text != NULL) {
        print_paragraph(page, topic->text);
    }
    print_groups(page, topic->groups);
    if (topic->print != NULL) {
        char *text = NULL;
        size_t length = 0;
        FILE *memory = open_memstream(&text, &length);
        if (memory != NULL) {
            topic->print(memory);
            (void)fclose(memory);
            print_lines(page, text, 0);
        }
        free(text);
    }
    if (!page->is_markdown) {
        (void)fputs(".SH SEE ALSO\n\\fBmillrace\\fR(1)\n", page->out);
    }
}

static void print_entry(const struct page *page, const char *name, int section, const char *summary)
{
    if (page->is_markdown) {
        (void)fprintf(page->out, "| [%s](#%s) | ", name, name);
        print_text(page, summary);
        (void)fputs(" |\n", page->out);
        return;
    }
    (void)fputs(".TP\n\\fBmillrace\\-", page->out);
    print_text(page, name);
    (void)fprintf(page->out, "\\fR(%d)\n", section);
    print_paragraph(page, summary);
}

static void print_program(struct page *page)
{
    const struct mr_program *program = page->program;

    print_title(page, NULL, COMMAND_SECTION, "rank the pages of a web crawl by their links");
    if (!page->is_markdown) {
        (void)fputs(".SH SYNOPSIS\n\\fBmillrace\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] "
                    "[\\fIFILES\\fR]\n"
                    ".br\n\\fBmillrace help\\fR [\\fICOMMAND\\fR|\\fITOPIC\\fR]\n",
                    page->out);
    }
    print_section(page, "Description");
    print_paragraph(page, program->text);
    print_section(page, "Commands");
    page->has_table = false;
    for (const struct mr_command_section *s = program->sections; s->title != NULL; s++) {
        print_group_title(page, s->title, false);
        for (size_t i = 0; s->commands[i] != NULL; i++) {
            print_entry(page, s->commands[i]->name, COMMAND_SECTION, s->commands[i]->summary);
        }
    }
    print_group_title(page, "Topics", false);
    for (const struct mr_topic *t = program->topics; t->name != NULL; t++) {
        print_entry(page, t->name, TOPIC_SECTION, t->summary);
    }
    if (!page->is_markdown) {
        print_exit_codes(page);
        print_section(page, "Examples");
        print_lines(page, program->examples, 2);
    }
}

void mr_manual_markdown(const struct mr_program *program, FILE *out)
{
    struct page page = {.program = program, .out = out, .is_markdown = true};

    (void)fputs("<!-- $ millrace help --markdown -->\n", out);
    print_program(&page);
    for (const struct mr_command_section *s = program->sections; s->title != NULL; s++) {
        for (size_t i = 0; s->commands[i] != NULL; i++) {
            print_command(&page, s->commands[i]);
        }
    }
    for (const struct mr_topic *t = program->topics; t->name != NULL; t++) {
        print_topic(&page, t);
    }
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
    struct page page = {.program = program, .out = out};

    if (strcmp(name, "millrace") == 0 || strcmp(name, "millrace.1") == 0) {
        print_program(&page);
        return true;
    }
    for (const struct mr_command_section *s = program->sections; s->title != NULL; s++) {
        for (size_t i = 0; s->commands[i] != NULL; i++) {
            if (is_page(name, s->commands[i]->name, COMMAND_SECTION)) {
                print_command(&page, s->commands[i]);
                return true;
            }
        }
    }
    for (const struct mr_topic *t = program->topics; t->name != NULL; t++) {
        if (is_page(name, t->name, TOPIC_SECTION)) {
            print_topic(&page, t);
            return true;
        }
    }
    return false;
}
