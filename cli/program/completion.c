/* SPDX-License-Identifier: Apache-2.0 */
/* Prints completion scripts. The build runs `millrace help --completion SHELL` and installs the
 * output. The scripts hold all options and values, so that completing starts no program. What an
 * option takes comes from its table: the words of a choice, a file, a directory, or nothing that a
 * shell could know. */
#include "cli/program/command.h"

#include <string.h>

/* ---- What an option takes ---- */

enum taken { TAKES_NOTHING, TAKES_WORDS, TAKES_FILE, TAKES_DIRECTORY, TAKES_OTHER };

/* Finds the next word of a value such as "plain|zstd[:LEVEL]": a piece between bars that has
 * only small letters, digits and hyphens. Returns its length, 0 at the end, and moves `*text`. */
static size_t next_word(const char **text, const char **word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789-";

    while (**text != '\0') {
        const char *piece = *text;
        const size_t length = strcspn(piece, "|");
        *text += length + (piece[length] == '|');
        if (length > 0 && strspn(piece, plain) == length) {
            *word = piece;
            return length;
        }
    }
    return 0;
}

/* The words of a choice, in its value or in its list. */
static const char *words_of(const struct mr_option *option)
{
    return option->choices != NULL ? option->choices : mr_option_value(option);
}

static void print_words(const struct mr_option *option, FILE *out)
{
    const char *value = words_of(option), *word, *between = "";
    size_t length;

    for (size_t i = 0; option->known != NULL && option->known(i) != NULL; i++) {
        (void)fprintf(out, "%s%s", i > 0 ? " " : "", option->known(i));
    }
    while ((length = next_word(&value, &word)) > 0) {
        (void)fprintf(out, "%s%.*s", between, (int)length, word);
        between = " ";
    }
}

static enum taken what_it_takes(const struct mr_option *option)
{
    const char *value = words_of(option), *word;

    if (mr_option_value(option) == NULL) {
        return TAKES_NOTHING;
    }
    if (option->known != NULL) {
        return TAKES_WORDS;
    }
    if (option->file == MR_FILE_DIRECTORY) {
        return TAKES_DIRECTORY;
    }
    if (option->file != MR_FILE_NONE) {
        return TAKES_FILE;
    }
    return next_word(&value, &word) > 0 ? TAKES_WORDS : TAKES_OTHER;
}

/* The first sentence of a help text, at most 60 characters of it, without `forbidden` characters.
 */
static void print_gist(const char *help, const char *forbidden, FILE *out)
{
    enum { MOST = 60 };
    size_t end = mr_option_gist(help);

    if (end > MOST) { /* ends with a whole word */
        end = MOST;
        while (end > 0 && help[end] != ' ') {
            end--;
        }
    }
    for (size_t i = 0; i < end; i++) {
        if (help[i] == '\'') {
            (void)fputs("'\\''", out); /* both shells end the quotes, take one, and go on */
        } else if (strchr(forbidden, help[i]) == NULL) {
            (void)fputc(help[i], out);
        }
    }
}

/* ---- Visiting the tables ---- */

typedef void (*option_printer)(const struct mr_command *command, const struct mr_option *option,
                               FILE *out);

static void each_option(const struct mr_command *command, option_printer print, FILE *out)
{
    for (const struct mr_option_group *g = command->groups; g->title != NULL; g++) {
        for (const struct mr_option *o = g->options; o->name != NULL; o++) {
            if (mr_option_is_listed(g, o)) {
                print(command, o, out);
            }
        }
    }
}

static void each_command(const struct mr_program *program,
                         void (*print)(const struct mr_command *command, FILE *out), FILE *out)
{
    for (const struct mr_command_section *s = program->sections; s->title != NULL; s++) {
        for (size_t i = 0; s->commands[i] != NULL; i++) {
            print(s->commands[i], out);
        }
    }
}

static void print_topic_names(const struct mr_program *program, FILE *out)
{
    for (const struct mr_topic *t = program->topics; t->name != NULL; t++) {
        (void)fprintf(out, " %s", t->name);
    }
}

static void print_command_name(const struct mr_command *command, FILE *out)
{
    (void)fprintf(out, " %s", command->name);
}

/* ---- bash ---- */

static void bash_value(const struct mr_command *command, const struct mr_option *option, FILE *out)
{
    const enum taken taken = what_it_takes(option);

    (void)command;
    if (taken == TAKES_NOTHING) {
        return;
    }
    (void)fprintf(out, "        --%s", option->name);
    if (option->letter != '\0') {
        (void)fprintf(out, " | -%c", option->letter);
    }
    (void)fprintf(out, ") kind=");
    switch (taken) {
    case TAKES_WORDS:
        (void)fprintf(out, "words words='");
        print_words(option, out);
        (void)fprintf(out, "'");
        break;
    case TAKES_FILE:
        (void)fprintf(out, "file");
        break;
    case TAKES_DIRECTORY:
        (void)fprintf(out, "directory");
        break;
    default:
        (void)fprintf(out, "other");
    }
    (void)fprintf(out, " ;;\n");
}

static void bash_name(const struct mr_command *command, const struct mr_option *option, FILE *out)
{
    (void)command;
    (void)fprintf(out, " --%s", option->name);
}

static void bash_command(const struct mr_command *command, FILE *out)
{
    (void)fprintf(out, "    %s)\n        options='--help", command->name);
    each_option(command, bash_name, out);
    (void)fprintf(out, "'\n        case $before in\n");
    each_option(command, bash_value, out);
    (void)fprintf(out, "        esac\n        ;;\n");
}

static void print_bash(const struct mr_program *program, FILE *out)
{
    (void)fprintf(out,
                  "# Completion of millrace for bash, made by 'millrace help --completion bash'.\n"
                  "# Words are no files, even where a directory is called build.\n"
                  "_millrace_files()\n"
                  "{\n"
                  "    compopt -o filenames 2>/dev/null\n"
                  "    mapfile -t COMPREPLY < <(compgen \"$1\" -- \"$2\")\n"
                  "}\n"
                  "_millrace()\n"
                  "{\n"
                  "    local commands='");
    each_command(program, print_command_name, out);
    (void)fprintf(out,
                  " help version'\n"
                  "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
                  "    local options= words= kind=operand\n"
                  "    COMPREPLY=()\n"
                  "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
                  "        mapfile -t COMPREPLY < <(compgen -W \"$commands --help --version\" -- "
                  "\"$current\")\n"
                  "        return\n"
                  "    fi\n"
                  "    # bash takes --flag=value for three words.\n"
                  "    if [ \"$current\" = = ]; then\n"
                  "        current=\n"
                  "    elif [ \"$before\" = = ]; then\n"
                  "        before=${COMP_WORDS[COMP_CWORD-2]}\n"
                  "    fi\n"
                  "    case ${COMP_WORDS[1]} in\n"
                  "    help)\n"
                  "        kind=words words=\"$commands");
    print_topic_names(program, out);
    (void)fprintf(out, "\"\n        ;;\n");
    each_command(program, bash_command, out);
    (void)fprintf(out,
                  "    *) return ;;\n"
                  "    esac\n"
                  "    case $kind in\n"
                  "    words) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\") ;;\n"
                  "    file) _millrace_files -f \"$current\" ;;\n"
                  "    directory) _millrace_files -d \"$current\" ;;\n"
                  "    operand)\n"
                  "        if [[ $current = -* ]]; then\n"
                  "            mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")\n"
                  "        else\n"
                  "            _millrace_files -f \"$current\"\n"
                  "        fi\n"
                  "        ;;\n"
                  "    esac\n"
                  "}\n"
                  "complete -F _millrace millrace\n");
}

/* ---- zsh ---- */

static const char zsh_forbidden[] = "[]:\\`$\"";

static void zsh_option(const struct mr_command *command, const struct mr_option *option, FILE *out)
{
    const enum taken taken = what_it_takes(option);

    (void)command;
    if (option->letter != '\0') {
        (void)fprintf(out, " \\\n            '(-%c --%s)'{-%c,--%s", option->letter, option->name,
                      option->letter, option->name);
        (void)fprintf(out, "}'[");
    } else {
        (void)fprintf(out, " \\\n            '--%s%s[", option->name,
                      taken == TAKES_NOTHING ? "" : "=");
    }
    print_gist(option->help, zsh_forbidden, out);
    (void)fputc(']', out);
    if (taken == TAKES_WORDS) {
        (void)fprintf(out, ":value:(");
        print_words(option, out);
        (void)fputc(')', out);
    } else if (taken == TAKES_FILE || taken == TAKES_DIRECTORY) {
        (void)fprintf(out, ":file:_files%s", taken == TAKES_DIRECTORY ? " -/" : "");
    } else if (taken == TAKES_OTHER) {
        (void)fprintf(out, ":value: ");
    }
    (void)fputc('\'', out);
}

static void zsh_command(const struct mr_command *command, FILE *out)
{
    (void)fprintf(out, "        %s)\n        _arguments -S", command->name);
    each_option(command, zsh_option, out);
    (void)fprintf(out, " \\\n            '(- *)--help[Explain the command]' '*:file:_files'\n"
                       "        ;;\n");
}

static void zsh_summary(const struct mr_command *command, FILE *out)
{
    (void)fprintf(out, "        '%s:", command->name);
    print_gist(command->summary, zsh_forbidden, out);
    (void)fprintf(out, "'\n");
}

static void print_zsh(const struct mr_program *program, FILE *out)
{
    (void)fprintf(out,
                  "#compdef millrace\n"
                  "# Completion of millrace for zsh, made by 'millrace help --completion zsh'.\n"
                  "_millrace()\n"
                  "{\n"
                  "    local -a commands\n"
                  "    commands=(\n");
    each_command(program, zsh_summary, out);
    (void)fprintf(out, "        'help:explain a command or a topic'\n"
                       "        'version:print the version'\n"
                       "    )\n"
                       "    if (( CURRENT == 2 )); then\n"
                       "        _describe command commands\n"
                       "        return\n"
                       "    fi\n"
                       "    local command=${words[2]}\n"
                       "    shift words\n"
                       "    (( CURRENT-- ))\n"
                       "    case $command in\n"
                       "        help)\n"
                       "        _describe command commands\n"
                       "        compadd");
    print_topic_names(program, out);
    (void)fprintf(out, "\n        ;;\n");
    each_command(program, zsh_command, out);
    (void)fprintf(out, "    esac\n"
                       "}\n"
                       "if [ \"$funcstack[1]\" = _millrace ]; then\n"
                       "    _millrace \"$@\"\n"
                       "else\n"
                       "    compdef _millrace millrace\n"
                       "fi\n");
}

/* ---- fish ---- */

static const char fish_forbidden[] = "\\";

static void fish_option(const struct mr_command *command, const struct mr_option *option, FILE *out)
{
    const enum taken taken = what_it_takes(option);

    (void)fprintf(out, "complete -c millrace -n '__fish_seen_subcommand_from %s' -l %s",
                  command->name, option->name);
    if (option->letter != '\0') {
        (void)fprintf(out, " -s %c", option->letter);
    }
    if (taken == TAKES_WORDS) {
        (void)fprintf(out, " -x -a '");
        print_words(option, out);
        (void)fputc('\'', out);
    } else if (taken == TAKES_DIRECTORY) {
        (void)fprintf(out, " -x -a '(__fish_complete_directories)'");
    } else if (taken == TAKES_FILE) {
        (void)fprintf(out, " -r -F");
    } else if (taken == TAKES_OTHER) {
        (void)fprintf(out, " -x");
    }
    (void)fprintf(out, " -d '");
    print_gist(option->help, fish_forbidden, out);
    (void)fprintf(out, "'\n");
}

static void fish_command(const struct mr_command *command, FILE *out)
{
    (void)fprintf(out, "complete -c millrace -n __fish_use_subcommand -f -a %s -d '",
                  command->name);
    print_gist(command->summary, fish_forbidden, out);
    (void)fprintf(out, "'\n");
    each_option(command, fish_option, out);
}

static void print_fish(const struct mr_program *program, FILE *out)
{
    (void)fprintf(
        out, "# Completion of millrace for fish, made by 'millrace help --completion fish'.\n");
    each_command(program, fish_command, out);
    (void)fprintf(out, "complete -c millrace -n __fish_use_subcommand -f -a 'help version'\n"
                       "complete -c millrace -n '__fish_seen_subcommand_from help' -f -a '");
    each_command(program, print_command_name, out);
    print_topic_names(program, out);
    (void)fprintf(out, "'\n");
}

bool mr_completion_print(const struct mr_program *program, const char *shell, FILE *out)
{
    static const struct {
        const char *shell;
        void (*print)(const struct mr_program *program, FILE *out);
    } scripts[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};

    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        if (strcmp(shell, scripts[i].shell) == 0) {
            scripts[i].print(program, out);
            return true;
        }
    }
    return false;
}
