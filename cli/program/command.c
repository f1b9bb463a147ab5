/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one command: parses the arguments, opens a session, checks the files, calls the command's
 * function, prints its error. Stands between cli/main.c, which chooses the command, and
 * cli/commands. Every command goes through the same steps, so that no command can leave one out.
 * The check of files comes before the command's function, so that wrong files are refused before
 * any work is done. */
#include "cli/program/command.h"

#include <stdlib.h>
#include <string.h>

#include "millrace/store.h"

void mr_command_help(const struct mr_command *command, FILE *out)
{
    (void)fprintf(out, "Usage: millrace %s\n\n", command->usage);
    mr_help_wrap(command->text, 0, 0, out);
    mr_options_help(command->groups, out);
    (void)fprintf(out, "  -h                      Print a short list of the options.\n"
                       "  --help                  Print this text.\n");
    (void)fprintf(out, "\nExamples:\n%s", command->examples);
}

static void short_help(const struct mr_command *command, FILE *out)
{
    (void)fprintf(out, "Usage: millrace %s\n", command->usage);
    (void)fprintf(out, "%s: %s\n", command->name, command->summary);
    mr_options_summary(command->groups, out);
    const int first_line = (int)strcspn(command->examples, "\n");
    (void)fprintf(out, "Example:\n%.*s\n'millrace %s --help' explains every option.\n", first_line,
                  command->examples, command->name);
}

/* Has the command an option -o that was not given? */
static bool lacks_output(const struct mr_command *command, const struct mr_parsed *parsed)
{
    size_t field;
    const struct mr_option *output = mr_option_find(command->groups, "output", 6, &field);

    for (size_t i = 0; output != NULL && i < parsed->n_given; i++) {
        output = parsed->given[i].option == output ? NULL : output;
    }
    return output != NULL;
}

static enum mr_status check_operands(const struct mr_command *command,
                                     const struct mr_parsed *parsed, struct mr_error *err)
{
    if (parsed->n_operands < command->min_operands) {
        return mr_error_set(err, MR_ERROR_USAGE, "%s needs %s; 'millrace help %s' tells more",
                            command->name, command->operands, command->name);
    }
    if (parsed->n_operands > command->max_operands) {
        const char *operand = parsed->operands[command->max_operands];
        const bool is_output = lacks_output(command, parsed);
        return mr_error_set(err, MR_ERROR_USAGE,
                            "%s: one argument too many; %s takes %s%s%s, and 'millrace help %s' "
                            "tells more",
                            operand, command->name, command->operands,
                            is_output ? "; an output is -o " : "", is_output ? operand : "",
                            command->name);
    }
    return MR_OK;
}

/* Adds all files that the options of `groups` name in `flags`. */
static void add_options(struct mr_files *files, const struct mr_option_group *groups,
                        const void *flags)
{
    for (size_t g = 0; groups[g].title != NULL; g++) {
        for (const struct mr_option *o = groups[g].options; o->name != NULL; o++) {
            char what[40];
            if (o->file == MR_FILE_NONE || o->file == MR_FILE_LISTED) {
                continue;
            }
            if (o->letter != 0) {
                (void)snprintf(what, sizeof what, "-%c", o->letter);
            } else {
                (void)snprintf(what, sizeof what, "--%s", o->name);
            }
            const void *field = (const char *)flags + groups[g].base + o->offset;
            const struct mr_texts *texts = field;
            const bool is_one = o->type == MR_OPTION_TEXT;
            for (size_t i = 0; i < (is_one ? 1 : texts->n); i++) {
                mr_files_add(files, o->file, what,
                             is_one ? *(const char *const *)field : texts->items[i], NULL);
            }
        }
    }
}

/* Refuses files that cannot be written or that conflict with each other. */
static enum mr_status check_files(const struct mr_command *command, const void *flags,
                                  const struct mr_parsed *parsed, bool force, struct mr_error *err)
{
    struct mr_files *files = mr_files_create();
    enum mr_status status = MR_OK;

    const size_t n_read = command->operand_files == MR_OPERANDS_READ    ? parsed->n_operands
                          : command->operand_files == MR_OPERANDS_FIRST ? 1
                                                                        : 0;
    for (size_t i = 0; i < n_read; i++) {
        mr_files_add(files, MR_FILE_READ, "an operand", parsed->operands[i], NULL);
    }
    add_options(files, command->groups, flags);
    if (command->list_files != NULL) {
        status = command->list_files(flags, parsed, files, err);
    }
    return mr_files_end(files, status, force, true, err);
}

/* "report SCORES STORE" is "report STORE SCORES". */
static void put_store_first(struct mr_parsed *parsed)
{
    size_t n_stores = 0, at = 0;

    for (size_t i = 0; i < parsed->n_operands; i++) {
        if (mr_store_probe(parsed->operands[i])) {
            n_stores++;
            at = i;
        }
    }
    if (n_stores == 1) {
        const char *store = parsed->operands[at];
        memmove(parsed->operands + 1, parsed->operands, at * sizeof *parsed->operands);
        parsed->operands[0] = store;
    }
}

static enum mr_status run_parsed(const struct mr_command *command, const void *flags,
                                 const struct mr_parsed *parsed, int argc, char **argv,
                                 struct mr_rank_costs *estimate, struct mr_error *err)
{
    struct mr_session session;
    enum mr_status status = check_operands(command, parsed, err);

    if (status == MR_OK) {
        status = mr_options_check(command->groups, command->defaults, flags, parsed, err);
    }
    if (status != MR_OK) {
        return status;
    }
    status = mr_session_open(&session, flags, (size_t)argc, (const char *const *)argv, err);
    if (status == MR_OK && !session.flags.estimate) {
        status = check_files(command, flags, parsed, session.flags.force, err);
    }
    session.command = command;
    session.estimate = estimate;
    if (status == MR_OK) {
        status = command->run(&session, flags, parsed, err);
    }
    return mr_session_close(&session, status, err);
}

static enum mr_status run_line(const struct mr_command *command, int argc, char **argv,
                               const struct mr_common_flags *common, struct mr_rank_costs *estimate,
                               struct mr_error *err)
{
    struct mr_parsed parsed = {0};
    void *flags = malloc(command->flags_bytes);

    if (flags == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the flags");
    }
    memcpy(flags, command->defaults, command->flags_bytes);
    enum mr_status status =
        mr_options_parse(command->usage, command->groups, flags, argc - 2, argv + 2, &parsed, err);
    if (status == MR_OK && common != NULL) {
        struct mr_common_flags *own = flags;
        const bool quiet = own->quiet || common->quiet;
        *own = *common;
        own->quiet = quiet;
    }
    if (status == MR_OK && parsed.help) {
        mr_command_help(command, stdout);
    } else if (status == MR_OK && parsed.short_help) {
        short_help(command, stdout);
    } else if (status == MR_OK) {
        if (command->store_first) {
            put_store_first(&parsed);
        }
        status = run_parsed(command, flags, &parsed, argc, argv, estimate, err);
    }
    mr_parsed_free(&parsed);
    free(flags);
    return status;
}

int mr_command_run(const struct mr_command *command, int argc, char **argv)
{
    struct mr_error err = {0};
    const enum mr_status status = run_line(command, argc, argv, NULL, NULL, &err);

    return mr_session_exit_code(status, &err);
}

enum mr_status mr_command_run_inside(const struct mr_command *command, int argc, const char **argv,
                                     const struct mr_common_flags *common,
                                     struct mr_rank_costs *estimate, struct mr_error *err)
{
    return run_line(command, argc, (char **)(uintptr_t)argv, common, estimate, err);
}
