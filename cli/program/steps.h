/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of a command that runs other commands of the program, each as a process of its own. So the
 * results are exactly those of the single commands, and the memory of a step is free before the
 * next step. */
#ifndef MR_CLI_PROGRAM_STEPS_H
#define MR_CLI_PROGRAM_STEPS_H

#include "cli/program/session.h"

struct mr_step {
    const char **words; /* [n], NULL at the end; borrowed texts */
    size_t n, room;
    bool failed; /* out of memory; mr_step_run reports it */
    bool silent; /* its standard output is thrown away */
    double seconds; /* mr_step_run: how long it took */
    uint64_t peak_bytes; /* mr_step_run: its largest resident set */
};

/* Append a word. The first word is "millrace", the second one the command. */
void mr_step_add(struct mr_step *step, const char *word);
/* Append the common options of this run in the form in which the user gave them; --force only with
 * `force`. */
void mr_step_add_common(struct mr_step *step, const struct mr_session *session, bool force);
void mr_step_free(struct mr_step *step);

/* The command line of a step, cut to the size of `text`, with final names (folder.h). */
enum { MR_STEP_TEXT_BYTES = 4096 };
void mr_step_text(const struct mr_step *step, char text[MR_STEP_TEXT_BYTES]);

/* Print the command line and run it. The step ends when this process ends for any reason. The step
 * prints its own messages. `caller` is the command that stops where the step fails, for the
 * message. Errors: that of the step by its exit code. */
enum mr_status mr_step_run(struct mr_session *session, struct mr_step *step, const char *caller,
                           struct mr_error *err) MR_WARN_UNUSED;

/* Run it silently and read the JSON object that it prints to standard output. The caller releases
 * it; NULL where the step fails or prints no JSON. */
json_t *mr_step_ask(struct mr_session *session, struct mr_step *step);

#endif
