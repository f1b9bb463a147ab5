/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of the program: a command has options, a help text and a function that does its work. */
#ifndef MR_CLI_PROGRAM_COMMAND_H
#define MR_CLI_PROGRAM_COMMAND_H

#include "cli/program/session.h"
#include "library/files.h"

/* Says which operands name files that the command reads. */
enum mr_operand_files {
    MR_OPERANDS_READ = 0, /* all operands */
    MR_OPERANDS_FIRST, /* the first one; the others are names or expressions */
    MR_OPERANDS_LISTED /* those that list_files adds; none where list_files is NULL */
};

struct mr_ranker;
struct mr_ranking_kind;

struct mr_command {
    const char *name;
    const char *summary; /* one line for the list of commands */
    const char *usage; /* the text after "millrace" in the usage line */
    const char *text; /* what the command does, in plain words */
    const char *examples; /* lines, each indented by two blanks */
    struct mr_option_group groups[MR_MAX_OPTION_GROUPS]; /* the last one has no title */
    /* [flags_bytes], the values before parsing; begin with struct mr_common_flags */
    const void *defaults;
    size_t flags_bytes;
    size_t min_operands, max_operands;
    bool store_first; /* the only operand that is a store becomes the first one */
    enum mr_operand_files operand_files;
    const char *operands; /* names the operands in errors about too few or too many of them */
    /* Adds files that neither the tables of options nor operand_files name, or refuses them.
     * NULL where there are no such files. */
    enum mr_status (*list_files)(const void *flags, const struct mr_parsed *parsed,
                                 struct mr_files *files, struct mr_error *err);
    const struct mr_ranker *ranker; /* for mr_ranker_run: what a ranking adds to the driver */
    const struct mr_ranking_kind *kind; /* of a command that mr_kind_command made; else NULL */
    /* Does the work with the parsed `flags` and the operands in `parsed`; session->command is the
     * command. Prints results to standard output and returns errors. */
    enum mr_status (*run)(struct mr_session *session, const void *flags,
                          const struct mr_parsed *parsed, struct mr_error *err);
};

/* The last group of options of every command. `names` are those that the command refuses or has no
 * use for; see struct mr_option_group. */
#define MR_COMMON_GROUP_WITHOUT(names)                                                             \
    {                                                                                              \
        .title = "Common options", .options = mr_common_options, .base = 0, .unlisted = (names)    \
    }
#define MR_COMMON_GROUP MR_COMMON_GROUP_WITHOUT(NULL)

/* Commands that belong together in lists of commands. */
struct mr_command_section {
    const char *title; /* NULL ends a list of sections */
    const struct mr_command *commands[16]; /* NULL ends the list */
};

/* Something that `millrace help` explains and that is not a command. */
struct mr_topic {
    const char *name; /* NULL ends a list of topics */
    const char *summary;
    const char *text; /* NULL where `print` prints all */
    struct mr_option_group groups[2]; /* options to explain; the last one has no title */
    void (*print)(FILE *out); /* further text, or NULL */
};

struct mr_exit_code {
    int code;
    const char *meaning; /* NULL ends a list */
};

/* All that the manual of the program describes. */
struct mr_program {
    const char *text; /* what the program does, in plain words */
    const struct mr_command_section *sections;
    const struct mr_topic *topics;
    const struct mr_exit_code *exit_codes;
    const char *examples; /* lines, each indented by two blanks */
};

/* The end of a command: its flags begin as `usual`, and `work` runs it. */
#define MR_COMMAND_RUNS(usual, work)                                                               \
    .defaults = &(usual), .flags_bytes = sizeof(usual), .run = (work)

extern const struct mr_command mr_command_build;
extern const struct mr_command mr_command_info;
extern const struct mr_command mr_command_append;
extern const struct mr_command mr_command_bench;
extern const struct mr_command mr_command_certify;
extern const struct mr_command mr_command_check;
extern const struct mr_command mr_command_precedence;
extern const struct mr_command mr_command_release;
extern const struct mr_command mr_command_compare;
extern const struct mr_command mr_command_crawl_rank;
extern const struct mr_command mr_command_find;
extern const struct mr_command mr_command_hosts;
extern const struct mr_command mr_command_report;
extern const struct mr_command mr_command_show;
extern const struct mr_command mr_command_export;
extern const struct mr_command mr_command_convert;
extern const struct mr_command mr_command_fold;
extern const struct mr_command mr_command_generate;
extern const struct mr_command mr_command_transpose;
extern const struct mr_command mr_command_why;

struct mr_kind_front;
extern const struct mr_kind_front mr_components_front, mr_hits_front, mr_opic_front,
    mr_pagerank_front, mr_ppr_front;
extern const struct mr_kind_front *const mr_kind_fronts[]; /* all of them, then NULL */

/* Parses argv[2..argc), runs the command and returns the exit code. argv[0] is the name of the
 * program, argv[1] the name of the command. */
int mr_command_run(const struct mr_command *command, int argc, char **argv);

/* The same for a stage of another command, in its process: the command has the common options of
 * `common`, and --quiet also if argv says it. It returns its error instead of printing it. With
 * common->estimate, what it would print goes to `*estimate`. */
struct mr_rank_costs;
enum mr_status mr_command_run_inside(const struct mr_command *command, int argc, const char **argv,
                                     const struct mr_common_flags *common,
                                     struct mr_rank_costs *estimate,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* Prints the whole help text of a command. */
void mr_command_help(const struct mr_command *command, FILE *out);

/* completion.c: prints the script for "bash", "zsh" or "fish", from the tables that parse. Returns
 * false for another shell. */
bool mr_completion_print(const struct mr_program *program, const char *shell, FILE *out);

/* manual.c: prints the file names of all man pages, from the same tables, one per line:
 * millrace.1, millrace-build.1 ..., millrace-inputs.7 ... */
void mr_manual_list(const struct mr_program *program, FILE *out);

/* Prints one man page as roff source. `name` is "millrace", a command, a topic, or a file name of
 * mr_manual_list. Returns false where there is no such page. */
bool mr_manual_print(const struct mr_program *program, const char *name, FILE *out);

/* Prints all pages as one page of Markdown: docs/commands.md. */
void mr_manual_markdown(const struct mr_program *program, FILE *out);

#endif
