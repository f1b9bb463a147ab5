/* SPDX-License-Identifier: Apache-2.0 */
/* One run of the program: turns the common flags into the context that the library gets. */
#ifndef MR_CLI_PROGRAM_SESSION_H
#define MR_CLI_PROGRAM_SESSION_H

#include "cli/program/json.h"
#include "cli/program/options.h"
#include "cli/program/progress.h"
#include "engine/io/publish.h"
#include "formats/score/scores.h"
#include "millrace/rank.h"

/* The first member of the struct of flags of every command. */
struct mr_common_flags {
    struct mr_size memory;
    uint64_t threads; /* 0: one per processor */
    const char *tmp, *duckdb;
    int io; /* index into "auto|uring|pread"; equals enum mr_queue_backend */
    int progress; /* index into "auto|always|never"; equals enum mr_progress_wanted */
    bool json, log_json, quiet, force, estimate;
};

/* The values of the flags before parsing. */
#define MR_COMMON_DEFAULTS                                                                         \
    {                                                                                              \
        .memory = {.percent = 75.0 }                                                               \
    }

extern const struct mr_option mr_common_options[];

struct mr_command;

struct mr_session {
    const struct mr_command *command;
    struct mr_common_flags flags;
    struct mr_context context; /* `made` with the signals and the queue of this program */
    struct mr_context *made;
    uint64_t memory_limit;
    const char *const *argv; /* [argc], the whole command line, for the metadata */
    size_t argc;
    struct mr_meter meter;
    struct mr_publish_group group; /* outputs that are published together */
    struct mr_workspace *workspace; /* of temporary stores; NULL: there are none yet */
    struct mr_rank_costs *estimate; /* where --estimate goes; NULL: to standard output */
};

/* Sets up budget, I/O, threads, progress and signals. Errors: USAGE where --tmp is no directory,
 * BUDGET where --memory is too small. Close the session even after an error. */
enum mr_status mr_session_open(struct mr_session *session, const struct mr_common_flags *flags,
                               size_t argc, const char *const *argv,
                               struct mr_error *err) MR_WARN_UNUSED;

/* Makes a path for a temporary store in the workspace of the run, which lies in --tmp, in $TMPDIR
 * or in /var/tmp, and is removed at the end. `what` is the name of the store and must be unique in
 * this process. The caller frees `*path` and may remove the store earlier with
 * mr_io_remove_store_dir. Errors: BUDGET, RUNTIME. */
enum mr_status mr_session_temporary(struct mr_session *session, const char *what, char **path,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* From now on a signal that asks the run to stop kills it 2 seconds later if it still goes on, with
 * the exit code of the signal. For commands that call long functions of other libraries. */
void mr_session_insist(void);

/* Publishes the outputs that wait (mr_session_publish), writes the last line of --log-json and
 * releases everything. Returns `status`,
 * or RUNTIME where `status` is OK and standard output cannot be flushed. */
enum mr_status mr_session_close(struct mr_session *session, enum mr_status status,
                                struct mr_error *err) MR_WARN_UNUSED;

/* Prints the error and returns the exit code. Prints nothing and returns 0 for MR_OK and where
 * the reader of standard output has gone. */
int mr_session_exit_code(enum mr_status status, const struct mr_error *err);

/* Prints a line to standard error that begins with "millrace: ", with codes for what a terminal
 * could not take. Prints nothing with --quiet. */
void mr_session_say(struct mr_session *session, const char *format, ...) MR_PRINTF(2, 3);

/* Prints a name (MR_NAME_LINE of formats/stream/name_text.h). */
void mr_print_name(FILE *out, const char *name, size_t name_bytes);

/* Writes what standard output holds back. */
enum mr_status mr_session_flush(struct mr_error *err) MR_WARN_UNUSED;

/* After this call, complete outputs wait for mr_session_publish or the end of the session: they
 * appear together, and only if what the command prints about them could be written. Returns the
 * group, for stores (struct mr_build_options); files know it from the context. */
struct mr_publish_group *mr_session_publish_together(struct mr_session *session);

/* Publishes the outputs that wait if `status` is OK and standard output can be flushed;
 * otherwise abandons them. Publishes them also where only the reader of standard output has
 * gone. Returns `status` or the error of publishing. */
enum mr_status mr_session_publish(struct mr_session *session, enum mr_status status,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Do the suffixes of a file of scores and of one of their names say what can be written? Both may
 * be NULL. */
enum mr_status mr_session_check_scores(const char *scores, const char *names,
                                       struct mr_error *err) MR_WARN_UNUSED;

/* Call this before results are written to `path`. Ends the progress bar where `path` is standard
 * output and a terminal: results and the bar would overwrite each other there. */
void mr_session_leave_terminal(struct mr_session *session, const char *path);

/* Returns the largest resident set of this process so far, or since mr_session_forget_peak if the
 * system can forget it; in bytes, 0 if it is unknown. */
uint64_t mr_session_peak_bytes(void);
void mr_session_forget_peak(void);

/* Takes the limit of --memory away, so that an estimate can open what has no room within it.
 * session->memory_limit stays. Nothing may be allocated from the memory yet. */
enum mr_status mr_session_lift_limit(struct mr_session *session,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* Where the rows of a command go: MR_ROWS_OPTIONS of cli/program/option_table.h. */
struct mr_rows_flags {
    const char *output; /* NULL: standard output */
    bool header, mark;
};

/* Do people read the rows, at a terminal? */
bool mr_session_is_read(const struct mr_rows_flags *flags);

/* Refuses an output that rows cannot have. Errors: USAGE. */
enum mr_status mr_session_check_rows(const struct mr_rows_flags *flags,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* Opens the output; the caller has set the columns. mr_row_writer_end ends it. */
enum mr_status mr_session_open_rows(struct mr_session *session, const struct mr_rows_flags *flags,
                                    struct mr_row_writer *rows,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Prints what a command would need to standard output, as text or with --json as JSON: the memory
 * is the peak of the whole process; a least_bytes of 0 is unknown. */
enum mr_status mr_session_estimate(struct mr_session *session, const struct mr_rank_costs *estimate,
                                   struct mr_error *err) MR_WARN_UNUSED;

#endif
