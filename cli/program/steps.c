/* SPDX-License-Identifier: Apache-2.0 */
/* Runs other commands of the program (steps.h), for crawl-rank and release. The program starts
 * itself again through /proc/self/exe. A signal that asks this process to stop goes on to the
 * step. */
#include "cli/program/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/program/folder.h"
#include "engine/base/clock.h"

extern char **environ;

void mr_step_add(struct mr_step *step, const char *word)
{
    if (step->n + 2 > step->room) {
        const size_t room = 2 * step->room + 32;
        const char **words = realloc(step->words, room * sizeof *words);
        if (words == NULL) {
            step->failed = true;
            return;
        }
        step->words = words;
        step->room = room;
    }
    step->words[step->n++] = word;
    step->words[step->n] = NULL;
}

void mr_step_add_common(struct mr_step *step, const struct mr_session *session, bool force)
{
    static const char *const valued[] = {"--memory", "--threads", "--tmp", "--io"};

    for (size_t i = 2; i < session->argc; i++) {
        for (size_t k = 0; k < sizeof valued / sizeof valued[0]; k++) {
            const size_t bytes = strlen(valued[k]);
            if (strcmp(session->argv[i], valued[k]) == 0 && i + 1 < session->argc) {
                mr_step_add(step, session->argv[i]);
                mr_step_add(step, session->argv[++i]);
                break;
            }
            if (strncmp(session->argv[i], valued[k], bytes) == 0 &&
                session->argv[i][bytes] == '=') {
                mr_step_add(step, session->argv[i]);
            }
        }
    }
    if (session->flags.quiet) {
        mr_step_add(step, "--quiet");
    }
    if (force) {
        mr_step_add(step, "--force");
    }
}

void mr_step_free(struct mr_step *step)
{
    free(step->words);
    *step = (struct mr_step){0};
}

void mr_step_text(const struct mr_step *step, char text[MR_STEP_TEXT_BYTES])
{
    text[0] = '\0';
    for (size_t i = 1, used = 0; i < step->n && used < MR_STEP_TEXT_BYTES; i++) {
        used += (size_t)snprintf(text + used, MR_STEP_TEXT_BYTES - used, "%s%s", i > 1 ? " " : "",
                                 step->words[i]);
    }
    mr_folder_final_names(text);
}

/* Waits for a child; passes a request to stop on to it. */
static int wait_for(struct mr_session *session, pid_t child, uint64_t *peak_bytes)
{
    struct rusage usage = {0};
    int status = 0;

    while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
        if (mr_context_cancelled(&session->context)) {
            (void)kill(child, SIGTERM);
        }
    }
    *peak_bytes = (uint64_t)usage.ru_maxrss << 10;
    return status;
}

/* Starts the step with this standard output and these messages; -1: those of this process. Returns
 * 0 or an errno. The system kills the step when this process dies: nobody would wait for what it
 * publishes. */
static int spawn(const struct mr_step *step, int output, int messages, pid_t *child)
{
    const pid_t parent = getpid();

    *child = fork();
    if (*child != 0) {
        return *child < 0 ? errno : 0;
    }
    if ((output < 0 || dup2(output, STDOUT_FILENO) >= 0) &&
        (messages < 0 || dup2(messages, STDERR_FILENO) >= 0) &&
        prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent) {
        (void)execve("/proc/self/exe", (char *const *)(uintptr_t)step->words, environ);
    }
    _exit(MR_ERROR_RUNTIME);
}

enum mr_status mr_step_run(struct mr_session *session, struct mr_step *step, const char *caller,
                           struct mr_error *err)
{
    const double began = mr_now();
    char text[MR_STEP_TEXT_BYTES];
    pid_t child;

    if (step->failed) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a command line");
    }
    mr_step_text(step, text);
    mr_session_say(session, "$ millrace %s", text);
    (void)fflush(stdout);
    const int nowhere = step->silent ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    const int failure = spawn(step, nowhere, -1, &child);
    if (nowhere >= 0) {
        (void)close(nowhere);
    }
    if (failure != 0) {
        return mr_error_file(err, MR_ERROR_RUNTIME, "/proc/self/exe", failure, "cannot run itself");
    }
    const int status = wait_for(session, child, &step->peak_bytes);
    step->seconds = mr_now() - began;
    if (mr_context_cancelled(&session->context)) {
        return mr_context_poll(&session->context, err);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return MR_OK;
    }
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : MR_ERROR_RUNTIME;
    return mr_error_set(err, code < MR_INTERRUPTED ? (enum mr_status)code : MR_ERROR_RUNTIME,
                        "%s stops: 'millrace %s' %s", caller, step->words[1],
                        WIFEXITED(status) ? "failed" : "was killed");
}

/* Starts the step with its standard output in `*pipe_out` and its messages in /dev/null. */
static bool spawn_to_pipe(const struct mr_step *step, pid_t *child, FILE **pipe_out)
{
    int ends[2];

    *pipe_out = NULL;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const bool started = nowhere >= 0 && spawn(step, ends[1], nowhere, child) == 0;
    if (nowhere >= 0) {
        (void)close(nowhere);
    }
    (void)close(ends[1]);
    *pipe_out = started ? fdopen(ends[0], "r") : NULL;
    if (*pipe_out == NULL) {
        (void)close(ends[0]);
    }
    return started;
}

json_t *mr_step_ask(struct mr_session *session, struct mr_step *step)
{
    json_t *answer = NULL;
    pid_t child;
    FILE *out;

    (void)fflush(stdout);
    if (step->failed || !spawn_to_pipe(step, &child, &out)) {
        return NULL;
    }
    if (out != NULL) {
        answer = json_loadf(out, 0, NULL);
        (void)fclose(out);
    }
    const int status = wait_for(session, child, &step->peak_bytes);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        json_decref(answer);
        return NULL;
    }
    return answer;
}
