/* One run of the program: the common flags turned into the context that the library works in. */
#ifndef MR_CLI_PROGRAM_SESSION_H
#define MR_CLI_PROGRAM_SESSION_H

#include "cli/program/json.h"
#include "cli/program/options.h"
#include "cli/program/progress.h"
#include "engine/io/publish.h"
#include "engine/io/queue.h"

/* Begins the struct of flags of every command. */
struct mr_common_flags {
    struct mr_size memory;
    uint64_t threads; /* 0: as many as there are processors */
    const char *tmp;
    int io; /* the place in "auto|uring|pread", which is enum mr_queue_backend */
    bool json, quiet, force, estimate;
};

/* What flags are when none is given. */
#define MR_COMMON_DEFAULTS                                                                         \
    {                                                                                              \
        .memory = {.percent = 75.0 }                                                               \
    }

extern const struct mr_option mr_common_options[];

struct mr_session {
    struct mr_common_flags flags;
    struct mr_context context;
    enum mr_queue_backend backend;
    uint64_t memory_limit;
    const char *const *argv; /* [argc], the whole command line, for the metadata */
    size_t argc;
    struct mr_meter meter;
    struct mr_publish_group group; /* of outputs that belong together */
};

/* Set up budget, I/O, threads, progress and signals. Errors: USAGE for a directory that is none,
 * BUDGET for too small a memory. Close it even after an error. */
enum mr_status mr_session_open(struct mr_session *session, const struct mr_common_flags *flags,
                               size_t argc, const char *const *argv,
                               struct mr_error *err) MR_WARN_UNUSED;

/* Release everything and flush standard output, whose failure is an error too. Returns the status
 * to end with. */
enum mr_status mr_session_close(struct mr_session *session, enum mr_status status,
                                struct mr_error *err) MR_WARN_UNUSED;

/* Print what went wrong (nothing for MR_OK, nor when standard output's reader went away) and return
 * the exit code. */
int mr_session_exit_code(enum mr_status status, const struct mr_error *err);

/* A line on standard error, "millrace: " before it, unless --quiet. */
void mr_session_say(struct mr_session *session, const char *format, ...) MR_PRINTF(2, 3);

/* From here on outputs that are whole wait for mr_session_publish, so that files that belong together appear
 * together. */
void mr_session_publish_together(struct mr_session *session);
/* All was written with `status`, standard output included: publish what waits, or after an error none of it. That the
 * reader of standard output has gone is no reason against the files. Returns the status to go on with. */
enum mr_status mr_session_publish(struct mr_session *session, enum mr_status status,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Do the suffixes of a file of scores and of one of their names say what can be written? Both may be NULL. */
enum mr_status mr_session_check_scores(const char *scores, const char *names,
                                       struct mr_error *err) MR_WARN_UNUSED;

/* NULL, "-" and "/dev/stdout". */
bool mr_is_standard_output(const char *path);

/* Before results are written to `path`: where that is standard output and a terminal, they and the
 * bar would overwrite each other, so that there is no more progress from here on. */
void mr_session_leave_terminal(struct mr_session *session, const char *path);

/* Highest resident set of this process so far. */
uint64_t mr_session_peak_bytes(void);

/* What a command would need: the answer to --estimate. */
struct mr_estimate {
    uint64_t memory_bytes; /* peak, of the whole process */
    uint64_t temporary_bytes; /* disk */
    double passes; /* over the links */
};

/* Print an estimate to standard output, as text or JSON. */
enum mr_status mr_session_estimate(struct mr_session *session, const struct mr_estimate *estimate,
                                   struct mr_error *err) MR_WARN_UNUSED;

#endif
