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
    bool has_table; /* Markdown: the head of the table is printed */
    const char *between; /* Markdown: before the next entry of a row */
};

/* ---- Text ---- */

/* Prints text so that no character of it is taken for a request or a mark. */
static void print_escaped(const struct page *page, const char *text, size_t length)
{
    static const char in_roff[] = "\\-'^~", in_markdown[] = "\\*_`|[<";
    static const char *const instead[] = {"\\e", "\\-", "\\(aq", "\\(ha", "\\(ti"};
    bool starts_line = true;

    for (size_t i = 0; i < length; i++) {
        const char *special = strchr(page->is_markdown ? in_markdown : in_roff, text[i]);
        if (!page->is_markdown && starts_line && (text[i] == '.' || text[i] == '\'')) {
            (void)fputs("\\&", page->out);
        }
        starts_line = text[i] == '\n';
        if (special == NULL) {
            (void)fputc(text[i], page->out);
        } else if (*special == '<') {
            (void)fputs("&lt;", page->out);
        } else if (page->is_markdown) {
            (void)fprintf(page->out, "\\%c", *special);
        } else {
            (void)fputs(instead[special - in_roff], page->out);
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
        (void)fputs(page->is_markdown ? "<br>" : ".br\n", page->out);
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
        (void)fputs(name != NULL ? "## " : "# Commands\n", out);
        (void)fprintf(out, "%s\n", name != NULL ? name : "");
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
    (void)fputs(indent > 0 ? ".RS 2\n.nf\n" : ".nf\n", page->out);
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        const size_t blanks = strspn(text, " ") >= indent ? indent : 0;
        print_escaped(page, text + blanks, length - blanks);
        (void)fputc('\n', page->out);
        text += length + (text[length] == '\n');
    }
    (void)fputs(indent > 0 ? ".fi\n.RE\n" : ".fi\n", page->out);
}

/* Examples of a command, in Markdown the last row of its table. A line that ends with a backslash
 * goes on in the next one. */
static void print_examples(const struct page *page, const char *text)
{
    if (!page->is_markdown) {
        print_section(page, "Examples");
        print_lines(page, text, 2);
        return;
    }
    (void)fputs("| Examples | `", page->out);
    for (text += strspn(text, " "); *text != '\0'; text++) {
        const bool goes_on = strncmp(text, "\\\n", 2) == 0;
        if (*text == '\n' || goes_on) {
            text += goes_on ? 1 : 0;
            text += strspn(text + 1, " ");
            (void)fputs(goes_on || text[1] == '\0' ? "" : "`<br>`", page->out);
        } else {
            (void)fputs(*text == '|' ? "\\" : "", page->out);
            (void)fputc(*text, page->out);
        }
    }
    (void)fputs("` |\n", page->out);
}

/* ---- Options ---- */

static void print_option(const struct page *page, const struct mr_option_group *groups,
                         const struct mr_option *option)
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
    char help[MR_MOST_HELP_BYTES];
    mr_option_explain(groups, option, help);
    if (page->is_markdown) {
        print_text(page, help);
        (void)fputs(" |\n", out);
    } else {
        print_paragraph(page, help);
    }
}

static bool lists_same(const struct mr_command *command, const struct mr_option *option)
{
    for (const struct mr_option_group *g = command->groups; g->title != NULL; g++) {
        for (const struct mr_option *o = g->options; g->topic == NULL && o->name != NULL; o++) {
            if (strcmp(o->name, option->name) == 0 && strcmp(o->help, option->help) == 0 &&
                mr_option_is_listed(g, o)) {
                return true;
            }
        }
    }
    return false;
}

/* Where an option is explained, if not in place: in a topic, or in Markdown at the first command
 * that explains it with the same words. */
static const char *explained_elsewhere(const struct page *page, const struct mr_option_group *group,
                                       const struct mr_option *option)
{
    if (group->topic != NULL || !page->is_markdown || page->command == NULL) {
        return group->topic;
    }
    for (const struct mr_command_section *s = page->program->sections; s->title != NULL; s++) {
        for (size_t i = 0; s->commands[i] != NULL; i++) {
            if (s->commands[i] == page->command) {
                return NULL;
            }
            if (lists_same(s->commands[i], option)) {
                return s->commands[i]->name;
            }
        }
    }
    return NULL;
}

/* The title of a group, in Markdown that of the first one, which is the head of the table. */
static void print_group_title(struct page *page, const char *title)
{
    if (!page->has_table || !page->is_markdown) {
        (void)fputs(page->is_markdown ? "\n| " : ".SS ", page->out);
        print_text(page, title);
        (void)fputs(page->is_markdown ? " | |\n|---|---|\n" : "\n", page->out);
    }
    page->has_table = true;
}

/* Names the options of some groups that are explained at `where`. */
static void print_names(const struct page *page, const struct mr_option_group *groups,
                        size_t n_groups, const char *where)
{
    const char *between = "";

    for (size_t i = 0; i < n_groups; i++) {
        for (const struct mr_option *o = groups[i].options; o->name != NULL; o++) {
            const char *place = explained_elsewhere(page, &groups[i], o);
            if (mr_option_is_listed(&groups[i], o) && place != NULL && strcmp(place, where) == 0) {
                (void)fprintf(page->out, page->is_markdown ? "%s`--" : "%s\\fB\\-\\-", between);
                print_code(page, o->name);
                (void)fputs(page->is_markdown ? "`" : "\\fR", page->out);
                between = page->is_markdown ? ", " : ",\n";
            }
        }
    }
}

static void print_group(struct page *page, const struct mr_option_group *group)
{
    bool has_title = false;

    for (const struct mr_option *o = group->options; o->name != NULL; o++) {
        if (mr_option_is_listed(group, o) && explained_elsewhere(page, group, o) == NULL) {
            if (!has_title) {
                print_group_title(page, group->title);
            }
            has_title = true;
            print_option(page, page->command != NULL ? page->command->groups : group, o);
        }
    }
    if (!page->is_markdown && group->topic != NULL) {
        print_group_title(page, group->title);
        print_names(page, group, 1, group->topic);
        (void)fputs(".\n\\fBmillrace\\-", page->out);
        print_text(page, group->topic);
        (void)fprintf(page->out, "\\fR(%d) explains these options.\n", TOPIC_SECTION);
    }
}

/* The last row of a table of Markdown: what is explained elsewhere, by place. */
static void print_others(struct page *page, const struct mr_option_group *groups)
{
    enum { MOST_PLACES = 16 };
    const char *places[MOST_PLACES];
    size_t n_groups = 0, n_places = 0;

    for (; groups[n_groups].title != NULL; n_groups++) {
        const struct mr_option_group *group = &groups[n_groups];
        for (const struct mr_option *o = group->options; o->name != NULL; o++) {
            const char *place = explained_elsewhere(page, group, o);
            bool is_new = place != NULL && mr_option_is_listed(group, o) && n_places < MOST_PLACES;
            for (size_t i = 0; i < n_places && is_new; i++) {
                is_new = strcmp(places[i], place) != 0;
            }
            if (is_new) {
                places[n_places++] = place;
            }
        }
    }
    if (n_places > 0 && !page->has_table) {
        print_group_title(page, "Options");
    }
    for (size_t i = 0; i < n_places; i++) {
        (void)fprintf(page->out, "%s[%s](#%s): ", i == 0 ? "| Explained at | " : "<br>", places[i],
                      places[i]);
        print_names(page, groups, n_groups, places[i]);
    }
    (void)fputs(n_places > 0 ? " |\n" : "", page->out);
}

static void print_groups(struct page *page, const struct mr_option_group *groups)
{
    page->has_table = false;
    for (const struct mr_option_group *g = groups; g->title != NULL; g++) {
        print_group(page, g);
    }
    if (page->is_markdown) {
        print_others(page, groups);
    }
}

/* ---- Pages ---- */

static void print_exit_codes(const struct page *page)
{
    const char *between = " |\n\nExit codes: ";

    print_section(page, "Exit status");
    for (const struct mr_exit_code *e = page->program->exit_codes; e->meaning != NULL; e++) {
        if (page->is_markdown) {
            (void)fprintf(page->out, "%s%d %s", between, e->code, e->meaning);
            between = "; ";
        } else {
            (void)fprintf(page->out, ".TP\n\\fB%d\\fR\n", e->code);
            print_paragraph(page, e->meaning);
        }
    }
    (void)fputs(page->is_markdown ? ".\n\n" : "", page->out);
}

static void print_usage(const struct page *page, const char *usage)
{
    const size_t name = strcspn(usage, " ");

    print_section(page, "Synopsis");
    if (page->is_markdown) {
        (void)fprintf(page->out, "`millrace %s`<br>", usage);
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
    print_examples(page, command->examples);
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
    if (topic->print != NULL && !page->is_markdown) {
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

/* The title of a list of pages, in Markdown the beginning of a row with all of them. */
static void print_list_title(struct page *page, const char *title)
{
    if (!page->is_markdown) {
        print_group_title(page, title);
        return;
    }
    (void)fprintf(page->out, "%s| %s | ", page->has_table ? " |\n" : "\n| | |\n|---|---|\n", title);
    page->has_table = true;
    page->between = "";
}

/* In Markdown only pages with options have a chapter. */
static void print_entry(struct page *page, const char *name, int section, const char *summary,
                        bool has_options)
{
    if (page->is_markdown && has_options) {
        (void)fprintf(page->out, "%s[%s](#%s): ", page->between, name, name);
    } else if (page->is_markdown) {
        (void)fprintf(page->out, "%s`millrace help %s`: ", page->between, name);
    } else {
        (void)fprintf(page->out, ".TP\n\\fBmillrace\\-");
        print_text(page, name);
        (void)fprintf(page->out, "\\fR(%d)\n", section);
        print_paragraph(page, summary);
        return;
    }
    print_text(page, summary);
    page->between = "<br>";
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
        print_list_title(page, s->title);
        for (size_t i = 0; s->commands[i] != NULL; i++) {
            print_entry(page, s->commands[i]->name, COMMAND_SECTION, s->commands[i]->summary, true);
        }
    }
    print_list_title(page, "Topics");
    for (const struct mr_topic *t = program->topics; t->name != NULL; t++) {
        print_entry(page, t->name, TOPIC_SECTION, t->summary, t->groups[0].title != NULL);
    }
    print_exit_codes(page);
    if (!page->is_markdown) {
        print_examples(page, program->examples);
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
        if (t->groups[0].title != NULL) {
            print_topic(&page, t);
        }
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
