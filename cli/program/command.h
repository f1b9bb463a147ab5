/* What a command is, and how one runs: its flags, its help, its function. */
#ifndef MR_CLI_PROGRAM_COMMAND_H
#define MR_CLI_PROGRAM_COMMAND_H

#include "cli/program/files.h"
#include "cli/program/session.h"

/* Which operands name files that are read. */
enum mr_operand_files {
    MR_OPERANDS_READ = 0, /* all */
    MR_OPERANDS_FIRST, /* the first; the others are names or expressions */
    MR_OPERANDS_LISTED /* list_files says it; without one, none */
};

struct mr_command {
    const char *name;
    const char *summary; /* one line for the list of commands */
    const char *usage; /* what follows "millrace" */
    const char *text; /* what it does, in plain words */
    const char *examples; /* lines, each indented by two blanks */
    struct mr_option_group groups[MR_MAX_OPTION_GROUPS]; /* the last one has no title */
    const void *defaults; /* the flags when none is given; they begin with mr_common_flags */
    size_t flags_bytes;
    size_t min_operands, max_operands;
    enum mr_operand_files operand_files;
    const char *operands; /* what they are, for the error when there are too few or too many */
    /* Add the files that neither the tables nor operand_files tell of, or refuse them. NULL: there are none. */
    enum mr_status (*list_files)(const void *flags, const struct mr_parsed *parsed,
                                 struct mr_files *files, struct mr_error *err);
    /* `flags` as parsed, `parsed` for the operands. Prints results, returns errors. */
    enum mr_status (*run)(struct mr_session *session, const void *flags,
                          const struct mr_parsed *parsed, struct mr_error *err);
};

/* Every command's last group. */
#define MR_COMMON_GROUP                                                                            \
    {                                                                                              \
        .title = "Common options", .options = mr_common_options, .base = 0                         \
    }

extern const struct mr_command mr_command_build;
extern const struct mr_command mr_command_info;
extern const struct mr_command mr_command_append;
extern const struct mr_command mr_command_bench;
extern const struct mr_command mr_command_check;
extern const struct mr_command mr_command_pagerank;
extern const struct mr_command mr_command_opic;
extern const struct mr_command mr_command_precedence;
extern const struct mr_command mr_command_compact;
extern const struct mr_command mr_command_compare;
extern const struct mr_command mr_command_crawl_rank;
extern const struct mr_command mr_command_links;
extern const struct mr_command mr_command_find;
extern const struct mr_command mr_command_hosts;
extern const struct mr_command mr_command_show;
extern const struct mr_command mr_command_export;
extern const struct mr_command mr_command_convert;
extern const struct mr_command mr_command_generate;
extern const struct mr_command mr_command_hits;
extern const struct mr_command mr_command_ppr;
extern const struct mr_command mr_command_trustrank;
extern const struct mr_command mr_command_salsa;
extern const struct mr_command mr_command_degree;
extern const struct mr_command mr_command_transpose;

/* Parse argv[2..argc), run, and return the exit code. argv[0] and argv[1] are the program's and the
 * command's names. */
int mr_command_run(const struct mr_command *command, int argc, char **argv);

/* The whole help text of a command. */
void mr_command_help(const struct mr_command *command, FILE *out);

#endif
