/* SPDX-License-Identifier: Apache-2.0 */
/* One run of the program, from the common options to the exit code. command.c opens the session
 * before a command runs and closes it after. The session owns what the library takes from its
 * caller: budget, file operations, threads, progress, cancellation. Signals and exit codes are
 * here, because the library touches neither. */
#include "cli/program/session.h"

#include <assert.h>
#include <errno.h>
#include <omp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/base/memory.h"
#include "engine/io/workspace.h"
#include "formats/score/scores.h"

static_assert((int)MR_PROGRESS_AUTO == 0 && (int)MR_PROGRESS_ALWAYS == 1 &&
                  (int)MR_PROGRESS_NEVER == 2,
              "--progress's choices are in the order of enum mr_progress_wanted");
static_assert((int)MR_QUEUE_AUTO == 0 && (int)MR_QUEUE_URING == 1 && (int)MR_QUEUE_PREAD == 2,
              "--io's choices are in the order of enum mr_queue_backend");

#define FIELD(name) offsetof(struct mr_common_flags, name)
const struct mr_option mr_common_options[] = {
    {"memory", 'm', MR_OPTION_SIZE, FIELD(memory), "SIZE", .also = "mem ram budget max-memory",
     .help =
         "Memory for the whole process, in bytes. Suffixes are k, M, G, T (powers of 1000), Ki, "
         "Mi, Gi, Ti (powers of 1024), or % of the available memory. Default 75%.",
     .often = true},
    {"threads", 't', MR_OPTION_COUNT, FIELD(threads), "N",
     .also = "j jobs workers cores nthreads num-threads T p nproc", .least = 1,
     .most = MR_THREADS_MAX,
     .help = "Number of threads. It does not change the results. Default: one per processor, which "
             "is the most that run, or 8 if that is more."},
    {"tmp", 0, MR_OPTION_TEXT, FIELD(tmp), "DIR", .file = MR_FILE_DIRECTORY,
     .also = "temp temp-dir tmpdir scratch",
     .help = "Directory for temporary files. Default: the directory of the output for builds; "
             "$TMPDIR or /var/tmp for temporary stores and copies of pipes."},
    {"duckdb", 0, MR_OPTION_TEXT, FIELD(duckdb), "FILE", .file = MR_FILE_READ,
     .help = "The library of DuckDB, libduckdb.so, which reads and writes .parquet, .duckdb and "
             "--sql. Default: $MILLRACE_DUCKDB, or that of the system."},
    {"io", 0, MR_OPTION_CHOICE, FIELD(io), .choices = "auto|uring|pread",
     .help = "How to read stores: uring uses io_uring, pread uses plain reads, auto uses io_uring "
             "if the system allows it. Default auto."},
    {"json", 0, MR_OPTION_FLAG, FIELD(json),
     .help = "Print figures of the run as JSON to standard output.", .often = true},
    {"progress", 0, MR_OPTION_CHOICE, FIELD(progress), .choices = "auto|always|never",
     .also = "verbose v",
     .help = "Progress on standard error: auto draws a bar on a terminal and writes a line every "
             "30 seconds elsewhere, always writes lines, never shows none. Default auto."},
    {"log-json", 0, MR_OPTION_FLAG, FIELD(log_json), .also = "json-log log-format",
     .help = "Write a log for programs to standard error: a line of JSON each minute, one for each "
             "note or summary, and one at the end with the exit code and the seconds. With --quiet "
             "without notes and summaries. crawl-rank and release end each stage with one, too."},
    {"quiet", 'q', MR_OPTION_FLAG, FIELD(quiet), .also = "silent no-progress",
     .help = "Print no progress, notes or summaries, only errors."},
    {"force", 'f', MR_OPTION_FLAG, FIELD(force), .also = "overwrite y yes",
     .help = "Replace an existing output.", .often = true},
    {"estimate", 0, MR_OPTION_FLAG, FIELD(estimate),
     .help = "Print the memory, temporary disk and passes that the command would need; of a "
             "ranking also the least --memory that works. Do nothing else."},
    {0}};
#undef FIELD

/* ---- Signals ---- */

/* The signal that asked the run to stop, or 0. It is global because a signal handler gets no
 * other data. */
static volatile sig_atomic_t caught_signal;

/* The context that the signal stops, or NULL. */
static struct mr_context *volatile stopped;

/* SIGUSR1 asks for a line of progress. */
static volatile sig_atomic_t progress_asked;

/* Set by mr_session_insist. */
static volatile sig_atomic_t insists;

enum { PATIENCE_S = 2, HARMLESS_THREADS = 8 };

static void on_signal(int number)
{
    caught_signal = number;
    if (stopped != NULL) {
        mr_context_stop(stopped, true);
    }
    if (insists != 0) {
        (void)alarm(PATIENCE_S);
    }
}

static void on_question(int number)
{
    (void)number;
    progress_asked = 1;
}

static void on_alarm(int number)
{
    (void)number;
    _exit(128 + caught_signal);
}

void mr_session_insist(void)
{
    struct sigaction action = {0};
    action.sa_handler = on_alarm;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGALRM, &action, NULL);
    insists = 1;
}

static void catch_signals(void)
{
    struct sigaction action = {0};

    /* The first signal asks the run to stop and interrupts waiting reads. The second signal
     * kills it. */
    action.sa_handler = on_signal;
    action.sa_flags = (int)SA_RESETHAND;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    /* A program started by nohup keeps ignoring SIGHUP. */
    struct sigaction before;
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
        (void)sigaction(SIGHUP, &action, NULL);
    }
    action.sa_handler = on_question;
    action.sa_flags = (int)SA_RESTART;
    (void)sigaction(SIGUSR1, &action, NULL);
    /* Without SIGPIPE, a write to a closed pipe returns EPIPE, like any other error. Without
     * SIGXFSZ, a write beyond the limit of file sizes returns EFBIG. */
    action.sa_handler = SIG_IGN;
    action.sa_flags = 0;
    (void)sigaction(SIGPIPE, &action, NULL);
    (void)sigaction(SIGXFSZ, &action, NULL);
}

/* ---- Memory ---- */

uint64_t mr_session_peak_bytes(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) {
        return 0;
    }
    return (uint64_t)usage.ru_maxrss * 1024;
}

void mr_session_forget_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "we");
    if (file != NULL) {
        (void)fputs("5", file); /* proc(5): the peak is the present size again */
        (void)fclose(file);
    }
}

/* ---- Callbacks ---- */

static void on_progress(void *data, const struct mr_progress *progress)
{
    struct mr_meter *meter = data;

    if (progress_asked != 0) {
        progress_asked = 0;
        mr_meter_ask(meter);
    }
    mr_meter_update(meter, progress, mr_now());
}

static void on_note(void *data, const char *text)
{
    mr_session_say(data, "note: %s", text);
}

void mr_session_say(struct mr_session *session, const char *format, ...)
{
    static const char name[] = "millrace: ";
    char text[1024], shown[MR_NAME_CODE_BYTES * sizeof text];

    if (session->flags.quiet) {
        return;
    }
    memcpy(text, name, sizeof name);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text + sizeof name - 1, sizeof text - (sizeof name - 1), format, arguments);
    va_end(arguments);
    if (session->flags.log_json) {
        struct mr_json json = mr_json_create_event("message");
        mr_json_text(&json, "text", text + sizeof name - 1);
        mr_json_line_and_destroy(&json, stderr);
        return;
    }
    shown[mr_name_escape(text, strlen(text), MR_NAME_MESSAGE, shown)] = '\0';
    mr_meter_print(&session->meter, shown);
}

void mr_print_name(FILE *out, const char *name, size_t name_bytes)
{
    for (const char *const end = name + name_bytes; name < end;) {
        char code[3 * MR_NAME_CODE_BYTES];
        size_t bytes = 0;
        const char *odd = mr_name_find_odd(name, end, MR_NAME_LINE, &bytes);
        (void)fwrite(name, 1, (size_t)(odd - name), out);
        bytes = odd < end ? bytes : 0;
        (void)fwrite(code, 1, mr_name_codes(odd, bytes, MR_NAME_LINE, code), out);
        name = odd + bytes;
    }
}

/* ---- Begin and end ---- */

static enum mr_status make_context(struct mr_session *session, uint64_t memory_bytes,
                                   struct mr_error *err)
{
    const struct mr_context_options options = {.struct_size = sizeof options,
                                               .memory_bytes = memory_bytes,
                                               .threads = session->context.threads,
                                               .tmp_dir = session->flags.tmp,
                                               .progress = on_progress,
                                               .progress_data = &session->meter,
                                               .note = on_note,
                                               .note_data = session};
    const enum mr_status status = mr_context_create(&options, &session->made, err);

    if (status == MR_OK) {
        session->context = *session->made;
        stopped = session->made;
        if (caught_signal != 0) { /* before there was a context */
            mr_context_stop(stopped, true);
        }
        session->context.backend = (enum mr_queue_backend)session->flags.io;
    }
    return status;
}

static enum mr_status resolve_memory(struct mr_session *session, struct mr_error *err)
{
    const struct mr_size size = session->flags.memory;
    const uint64_t machine = size.percent > 0.0 ? mr_memory_of_machine() : 0;
    session->memory_limit = mr_size_resolve(size, machine);
    if (size.percent > 0.0) {
        /* A multiple of 1 MiB, because such a limit has messages in MiB. */
        session->memory_limit &= ~((UINT64_C(1) << 20) - 1);
    }
    return session->memory_limit > 0
               ? make_context(session, session->memory_limit, err)
               : mr_memory_create(0, &session->context.memory, err); /* fails; 0 is its default */
}

enum mr_status mr_session_lift_limit(struct mr_session *session, struct mr_error *err)
{
    stopped = NULL;
    mr_context_destroy(session->made);
    return make_context(session, UINT64_MAX, err);
}

/* Threads that wait for a processor hold up those that wait for them: 128 threads on two processors
 * take 13 times as long as two. A few more than there are cost nothing. */
static void cap_threads(struct mr_session *session)
{
    const unsigned processors = (unsigned)omp_get_num_procs();
    const unsigned most = processors > HARMLESS_THREADS ? processors : HARMLESS_THREADS;

    if (session->context.threads > most) {
        mr_session_say(session, "note: --threads %u: %u threads run, for %u processor%s",
                       session->context.threads, most, processors, processors == 1 ? "" : "s");
        session->context.threads = most;
    }
}

static enum mr_status check_tmp(const char *tmp, struct mr_error *err)
{
    if (tmp != NULL && !mr_io_is_directory(tmp)) {
        return mr_error_set(err, MR_ERROR_USAGE, "--tmp %s: no such directory; make it first", tmp);
    }
    return MR_OK;
}

/* The library is opened by this variable. */
static enum mr_status set_duckdb(const char *file, struct mr_error *err)
{
    char *path = file != NULL ? realpath(file, NULL) : NULL;
    enum mr_status status = MR_OK;

    if (file != NULL && (path == NULL || setenv("MILLRACE_DUCKDB", path, 1) != 0)) {
        status = mr_error_set(err, MR_ERROR_USAGE, "--duckdb %s: no such file", file);
    }
    free(path);
    return status;
}

enum mr_status mr_session_open(struct mr_session *session, const struct mr_common_flags *flags,
                               size_t argc, const char *const *argv, struct mr_error *err)
{
    enum mr_status status;

    *session = (struct mr_session){.flags = *flags, .argv = argv, .argc = argc};
    mr_meter_init(&session->meter, stderr,
                  flags->log_json ? MR_PROGRESS_JSON
                  : flags->quiet  ? MR_PROGRESS_NEVER
                                  : flags->progress);
    session->meter.began = mr_now();
    session->context.threads =
        flags->threads > 0 ? (unsigned)flags->threads : (unsigned)omp_get_max_threads();
    cap_threads(session);
    catch_signals();
    status = check_tmp(flags->tmp, err);
    if (status == MR_OK) {
        status = set_duckdb(flags->duckdb, err);
    }
    return status == MR_OK ? resolve_memory(session, err) : status;
}

static int exit_code_of(enum mr_status status, const struct mr_error *err)
{
    if (status == MR_ERROR_RUNTIME && err->os_errno == EPIPE) {
        /* `millrace ... | head`: the reader needs no more. The output is cut, so the exit code is
         * not 0 but that of a program which SIGPIPE ends; a message would only disturb. */
        return 128 + SIGPIPE;
    }
    if (status == MR_INTERRUPTED) {
        return 128 + (caught_signal != 0 ? caught_signal : SIGINT);
    }
    return (int)status;
}

/* The last line of --log-json. */
static void log_end(const struct mr_session *session, enum mr_status status,
                    const struct mr_error *err)
{
    char text[sizeof err->file + sizeof err->message + 64];
    struct mr_json json = mr_json_create_event("end");

    mr_json_text(&json, "command", session->argv[1]);
    mr_json_count(&json, "exit_code", (uint64_t)exit_code_of(status, err));
    if (status != MR_OK) {
        (void)mr_error_text(err, text, sizeof text);
        mr_json_text(&json, "error", text);
    }
    mr_json_real(&json, "seconds", mr_now() - session->meter.began);
    mr_json_count(&json, "peak_rss_bytes", mr_session_peak_bytes());
    mr_json_line_and_destroy(&json, stderr);
}

enum mr_status mr_session_close(struct mr_session *session, enum mr_status status,
                                struct mr_error *err)
{
    mr_meter_clear(&session->meter);
    status = mr_session_publish(session, status, err);
    if (session->flags.log_json) {
        log_end(session, status, err);
    }
    mr_workspace_close(session->workspace);
    session->workspace = NULL;
    stopped = NULL;
    mr_context_destroy(session->made);
    session->made = NULL;
    return status;
}

int mr_session_exit_code(enum mr_status status, const struct mr_error *err)
{
    char text[sizeof err->file + sizeof err->message + 64];
    char shown[MR_NAME_CODE_BYTES * sizeof text];

    const int code = exit_code_of(status, err);
    if (code != 0 && code != 128 + SIGPIPE) {
        (void)mr_error_text(err, text, sizeof text);
        shown[mr_name_escape(text, strlen(text), MR_NAME_MESSAGE, shown)] = '\0';
        (void)fprintf(stderr, "millrace: %s\n", shown);
    }
    return code;
}

/* ---- Temporary stores ---- */

enum mr_status mr_session_temporary(struct mr_session *session, const char *what, char **path,
                                    struct mr_error *err)
{
    enum mr_status status = MR_OK;

    *path = NULL;
    if (session->workspace == NULL) {
        status = mr_workspace_open(&session->context, &session->workspace, err);
    }
    if (status == MR_OK &&
        asprintf(path, "%s/%s.mill", mr_workspace_path(session->workspace), what) < 0) {
        *path = NULL;
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a file name");
    }
    return status;
}

/* ---- Outputs ---- */

struct mr_publish_group *mr_session_publish_together(struct mr_session *session)
{
    session->context.together = &session->group;
    return session->context.together;
}

enum mr_status mr_session_flush(struct mr_error *err)
{
    return fflush(stdout) == 0 && ferror(stdout) == 0
               ? MR_OK
               : mr_error_file(err, MR_ERROR_RUNTIME, "standard output", errno, "cannot write");
}

enum mr_status mr_session_publish(struct mr_session *session, enum mr_status status,
                                  struct mr_error *err)
{
    session->context.together = NULL;
    status = status == MR_OK ? mr_session_flush(err) : status;
    const bool has_reader_left = status == MR_ERROR_RUNTIME && err->os_errno == EPIPE;
    if (status != MR_OK && !has_reader_left) {
        mr_publish_group_abandon(&session->group);
        return status;
    }
    struct mr_error problem = {0};
    const enum mr_status published = mr_publish_group_commit(&session->group, &problem);
    if (published != MR_OK) {
        *err = problem;
        return published;
    }
    return status;
}

void mr_session_leave_terminal(struct mr_session *session, const char *path)
{
    if (mr_output_is_standard(path) && isatty(STDOUT_FILENO)) {
        mr_meter_clear(&session->meter);
        session->meter.style = MR_METER_NONE;
    }
}

bool mr_session_is_read(const struct mr_rows_flags *flags)
{
    return flags->output == NULL && isatty(STDOUT_FILENO);
}

enum mr_status mr_session_check_rows(const struct mr_rows_flags *flags, struct mr_error *err)
{
    const enum mr_status status = mr_row_form_check(flags->output, false, err);
    return status == MR_OK ? mr_row_form_check_mark(flags->output, flags->mark, err) : status;
}

enum mr_status mr_session_open_rows(struct mr_session *session, const struct mr_rows_flags *flags,
                                    struct mr_row_writer *rows, struct mr_error *err)
{
    rows->is_aligned = rows->is_aligned || mr_session_is_read(flags);
    mr_session_leave_terminal(session, flags->output);
    return mr_row_writer_open(rows, &session->context, flags->output, session->flags.force,
                              flags->header, flags->mark, err);
}

enum mr_status mr_session_check_scores(const char *scores, const char *names, struct mr_error *err)
{
    const enum mr_status status = mr_row_form_check(scores, true, err);
    return status == MR_OK ? mr_scores_check_lines_path(names, err) : status;
}

enum mr_status mr_session_estimate(struct mr_session *session, const struct mr_rank_costs *estimate,
                                   struct mr_error *err)
{
    char memory[32], limit[32], temporary[32];
    const uint64_t whole = session->memory_limit;
    const uint64_t least =
        estimate->least_bytes == 0 || estimate->least_bytes > MR_MEMORY_FLOOR_BYTES
            ? estimate->least_bytes
            : MR_MEMORY_FLOOR_BYTES;

    if (session->estimate != NULL) {
        *session->estimate = *estimate;
        return MR_OK;
    }
    if (session->flags.json) {
        struct mr_json json = mr_json_create();
        mr_json_count(&json, "memory_bytes", estimate->memory_bytes);
        mr_json_count(&json, "memory_limit_bytes", session->memory_limit);
        if (least > 0) {
            mr_json_count(&json, "least_memory_bytes", least);
        }
        mr_json_count(&json, "temporary_bytes", estimate->temporary_bytes);
        mr_json_real(&json, "passes", estimate->passes);
        return mr_json_print_and_destroy(&json, err);
    }
    printf("peak memory     %s (--memory %s)\n",
           mr_size_text_of(estimate->memory_bytes, whole, memory),
           mr_size_text_of(whole, whole, limit));
    if (least > 0) {
        printf("least memory    --memory %s%s\n", mr_size_option(least, whole, limit),
               least > session->memory_limit ? "; it would be refused now" : "");
    }
    printf("temporary disk  %s\n", mr_size_text(estimate->temporary_bytes, temporary));
    printf("passes          %.0f\n", estimate->passes);
    return MR_OK;
}
