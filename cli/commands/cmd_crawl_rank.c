/* millrace crawl-rank: from a list of links to what a crawler loads, in one go.
 *
 * Runs the commands that one would run by hand, each in a process of its own, and says which: a store,
 * scores and precedence are what those commands make, byte for byte, and the memory of one step is given
 * back before the next. */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/graph/graph.h"
#include "cli/program/command.h"
#include "engine/base/clock.h"
#include "engine/base/memory.h"
#include "engine/io/io.h"

extern char **environ;

/* Options that go on to a step as they stand: a text, or (FLAG) nothing. */
enum { MAX_PASSED = 32 };

struct crawl_flags {
    struct mr_common_flags common;
    const char *output;
    const char *values[MAX_PASSED]; /* by place in the tables below, build's first */
    bool set[MAX_PASSED];
};

static const struct crawl_flags defaults = {.common = MR_COMMON_DEFAULTS};

enum step { BUILD, RANK, LEVELS };

/* Which step an option belongs to and what it is called there, by place. */
struct passed {
    enum step step;
    const char *name;
};

enum {
    FORMAT,
    COLUMNS,
    LINK_KINDS,
    DROP_NOFOLLOW,
    PROFILE,
    RULE,
    CLASSES,
    DUPLICATES,
    SELF_LOOPS,
    BAD_LINES,
    MAX_BAD,
    CODEC,
    DAMPING,
    TOLERANCE,
    ITERATIONS,
    HERITRIX,
    LINKS,
    INTERNAL_WEIGHT,
    EXTERNAL_WEIGHT,
    WEIGHTS,
    LEVEL_COUNT,
    PERCENTAGES,
    LOGARITHMIC,
    PER_HOST,
    CRAWLER,
    ONLY_CHANGED,
    N_PASSED
};

_Static_assert((int)N_PASSED <= (int)MAX_PASSED, "there is a place for every option");

static const struct passed passed[N_PASSED] = {
    [FORMAT] = {BUILD, "--format"},
    [COLUMNS] = {BUILD, "--columns"},
    [LINK_KINDS] = {BUILD, "--link-kinds"},
    [DROP_NOFOLLOW] = {BUILD, "--drop-nofollow"},
    [PROFILE] = {BUILD, "--profile"},
    [RULE] = {BUILD, "--rule"},
    [CLASSES] = {BUILD, "--classes"},
    [DUPLICATES] = {BUILD, "--duplicates"},
    [SELF_LOOPS] = {BUILD, "--self-loops"},
    [BAD_LINES] = {BUILD, "--bad-lines"},
    [MAX_BAD] = {BUILD, "--max-bad"},
    [CODEC] = {BUILD, "--codec"},
    [DAMPING] = {RANK, "--damping"},
    [TOLERANCE] = {RANK, "--tolerance"},
    [ITERATIONS] = {RANK, "--iterations"},
    [HERITRIX] = {RANK, "--heritrix"},
    [LINKS] = {RANK, "--links"},
    [INTERNAL_WEIGHT] = {RANK, "--internal-weight"},
    [EXTERNAL_WEIGHT] = {RANK, "--external-weight"},
    [WEIGHTS] = {RANK, "--weights"},
    [LEVEL_COUNT] = {LEVELS, "--levels"},
    [PERCENTAGES] = {LEVELS, "--percentages"},
    [LOGARITHMIC] = {LEVELS, "--log"},
    [PER_HOST] = {LEVELS, "--per-host"},
    [CRAWLER] = {LEVELS, "--format"},
    [ONLY_CHANGED] = {LEVELS, "--only-changed"},
};

#define TEXT(place, option, what, words)                                                           \
    {                                                                                              \
        .name = (option), .type = MR_OPTION_TEXT,                                                  \
        .offset = offsetof(struct crawl_flags, values) + (place) * sizeof(const char *),           \
        .value = (what), .help = (words)                                                           \
    }
#define FLAG(place, option, words)                                                                 \
    {                                                                                              \
        .name = (option), .type = MR_OPTION_FLAG,                                                  \
        .offset = offsetof(struct crawl_flags, set) + (place) * sizeof(bool), .help = (words)      \
    }

static const struct mr_option output_options[] = {
    {.name = "output",
     .letter = 'o',
     .type = MR_OPTION_TEXT,
     .offset = offsetof(struct crawl_flags, output),
     .value = "DIR",
     .file = MR_FILE_DIRECTORY,
     .help = "Where to put crawl.mill, ranks.tsv and precedence.txt; made if it is not there. "
             "Required."},
    {0}};

static const struct mr_option build_options[] = {
    TEXT(FORMAT, "format", "FORMAT", "As of 'millrace build', like the others here."),
    TEXT(COLUMNS, "columns", "COLUMNS",
         "source-target, or target-source as Heritrix's link lists are."),
    TEXT(LINK_KINDS, "link-kinds", "KIND,KIND,...",
         "Which links of a crawl count. Default navigation,redirect."),
    FLAG(DROP_NOFOLLOW, "drop-nofollow", "Of WAT files, leave out links with rel=nofollow."),
    TEXT(PROFILE, "profile", "PROFILE", "none, heritrix, wayback or surt."),
    TEXT(RULE, "rule", "-RULE,+RULE,...", "Switch rules of the profile."),
    TEXT(CLASSES, "classes", "none|host|domain",
         "Tell internal links from others. Default none, with one of the flags for links below "
         "host."),
    TEXT(DUPLICATES, "duplicates", "merge|keep",
         "Repeated links. Default merge, with --heritrix keep."),
    TEXT(SELF_LOOPS, "self-loops", "keep|drop", "Links of a page to itself."),
    TEXT(BAD_LINES, "bad-lines", "fail|skip", "Lines that make no sense."),
    TEXT(MAX_BAD, "max-bad", "N", "With --bad-lines skip: at most N."),
    TEXT(CODEC, "codec", "CODEC", "plain, zstd[:LEVEL] or auto."),
    {0}};

static const struct mr_option rank_options[] = {
    TEXT(DAMPING, "damping", "D", "As of 'millrace pagerank', like the others here."),
    TEXT(TOLERANCE, "tolerance", "E", "Bound of the error."),
    TEXT(ITERATIONS, "iterations", "N", "So many plain iterations instead."),
    FLAG(HERITRIX, "heritrix", "The numbers of Heritrix's offline PageRank."),
    TEXT(LINKS, "links", "all|external|internal", "Only links between hosts, or only others."),
    TEXT(INTERNAL_WEIGHT, "internal-weight", "W", "What a link inside a host counts."),
    TEXT(EXTERNAL_WEIGHT, "external-weight", "W", "What any other link counts."),
    FLAG(WEIGHTS, "weights", "A link counts by its weight, which the inputs then have to have."),
    {0}};

static const struct mr_option level_options[] = {
    TEXT(LEVEL_COUNT, "levels", "N", "As of 'millrace precedence', like the others here."),
    TEXT(PERCENTAGES, "percentages", "P,P,...", "Percent of the pages on each level."),
    FLAG(LOGARITHMIC, "log", "Levels by the logarithm of the score."),
    FLAG(PER_HOST, "per-host", "Levels of each host's pages among themselves."),
    TEXT(CRAWLER, "crawler", "CRAWLER",
         "heritrix, nutch, stormcrawler, frontera, scrapy or commoncrawl."),
    {.name = "only-changed",
     .type = MR_OPTION_TEXT,
     .offset = offsetof(struct crawl_flags, values) + ONLY_CHANGED * sizeof(const char *),
     .value = "OLD",
     .file = MR_FILE_READ,
     .help = "Only lines that OLD does not have."},
    {0}};

/* ---- One step ---- */

struct command_line {
    const char **words; /* [n], NULL at the end */
    size_t n, room;
    bool failed;
};

static void add(struct command_line *line, const char *word)
{
    if (line->n + 2 > line->room) {
        const size_t room = 2 * line->room + 32;
        const char **words = realloc(line->words, room * sizeof *words);
        if (words == NULL) {
            line->failed = true;
            return;
        }
        line->words = words;
        line->room = room;
    }
    line->words[line->n++] = word;
    line->words[line->n] = NULL;
}

/* The common flags as they were given, whatever they were. */
static void add_common(struct command_line *line, const struct mr_session *session)
{
    static const char *const valued[] = {"--memory", "--threads", "--tmp", "--io"};
    static const char *const flags[] = {"--quiet", "--force"};

    for (size_t i = 2; i < session->argc; i++) {
        for (size_t k = 0; k < sizeof valued / sizeof valued[0]; k++) {
            const size_t bytes = strlen(valued[k]);
            if (strcmp(session->argv[i], valued[k]) == 0 && i + 1 < session->argc) {
                add(line, session->argv[i]);
                add(line, session->argv[++i]);
                break;
            }
            if (strncmp(session->argv[i], valued[k], bytes) == 0 &&
                session->argv[i][bytes] == '=') {
                add(line, session->argv[i]);
            }
        }
        for (size_t k = 0; k < sizeof flags / sizeof flags[0]; k++) {
            if (strcmp(session->argv[i], flags[k]) == 0) {
                add(line, session->argv[i]);
            }
        }
    }
}

static bool wants_classes(const struct crawl_flags *flags)
{
    const char *links = flags->values[LINKS];
    return (links != NULL && strcmp(links, "all") != 0) || flags->values[INTERNAL_WEIGHT] != NULL ||
           flags->values[EXTERNAL_WEIGHT] != NULL;
}

static void add_passed(struct command_line *line, const struct crawl_flags *flags, enum step step)
{
    for (int i = 0; i < N_PASSED; i++) {
        if (passed[i].step == step && (flags->values[i] != NULL || flags->set[i])) {
            add(line, passed[i].name);
            if (flags->values[i] != NULL) {
                add(line, flags->values[i]);
            }
        }
    }
    if (step == BUILD && flags->values[CLASSES] == NULL && wants_classes(flags)) {
        add(line, "--classes");
        add(line, "host");
    }
    if (step == BUILD && flags->set[WEIGHTS]) {
        add(line, "--weights");
    }
    if (step == BUILD && flags->set[HERITRIX] && flags->values[DUPLICATES] == NULL) {
        add(line, "--duplicates");
        add(line, "keep");
    }
}

static void say(struct mr_session *session, const struct command_line *line)
{
    char text[1024] = "";

    for (size_t i = 1; i < line->n; i++) {
        const size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, " %s", line->words[i]);
    }
    mr_session_say(session, "$ millrace%s", text);
}

/* Run it and wait. Its messages are its own; a failure ends with its exit code. */
static enum mr_status run_step(struct mr_session *session, struct command_line *line,
                               struct mr_error *err)
{
    pid_t child;
    int status = 0, failure;

    if (line->failed) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a command line");
    }
    say(session, line);
    (void)fflush(stdout);
    failure = posix_spawn(&child, "/proc/self/exe", NULL, NULL,
                          (char *const *)(uintptr_t)line->words, environ);
    if (failure != 0) {
        return mr_error_file(err, MR_ERROR_RUNTIME, "/proc/self/exe", failure, "cannot run itself");
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        if (mr_context_cancelled(&session->context)) {
            (void)kill(child, SIGTERM);
        }
    }
    if (mr_context_cancelled(&session->context)) {
        return mr_context_poll(&session->context, err);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return MR_OK;
    }
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : MR_ERROR_RUNTIME;
    return mr_error_set(err, code < MR_INTERRUPTED ? (enum mr_status)code : MR_ERROR_RUNTIME,
                        "crawl-rank stops: 'millrace %s' %s", line->words[1],
                        WIFEXITED(status) ? "failed" : "was killed");
}

/* ---- All of them ---- */

struct paths {
    char *store, *ranks, *levels;
    bool made_directory;
};

static bool make_paths(const char *directory, struct paths *paths)
{
    return asprintf(&paths->store, "%s/crawl.mill", directory) >= 0 &&
           asprintf(&paths->ranks, "%s/ranks.tsv", directory) >= 0 &&
           asprintf(&paths->levels, "%s/precedence.txt", directory) >= 0;
}

/* What a later step would refuse after the work of the first. */
static enum mr_status check_together(const struct crawl_flags *flags, struct mr_error *err)
{
    const char *loops = flags->values[SELF_LOOPS];
    const char *other = flags->values[DAMPING] != NULL                ? "damping"
                        : flags->values[TOLERANCE] != NULL            ? "tolerance"
                        : flags->set[WEIGHTS]                         ? "weights"
                        : loops != NULL && strcmp(loops, "drop") == 0 ? "self-loops drop"
                                                                      : NULL;
    if (flags->set[HERITRIX] && other != NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--heritrix is plain rounds of 0.15 + 0.85 * sum from 1 each, for "
                            "all pages that are linked to; leave out --%s",
                            other);
    }
    return mr_graph_check_weights(flags->set[WEIGHTS], wants_classes(flags), err);
}

static enum mr_status prepare(const struct crawl_flags *flags, struct paths *paths,
                              struct mr_error *err)
{
    if (flags->output == NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "crawl-rank: where should the results go? Say -o DIR, such as -o out");
    }
    if (!make_paths(flags->output, paths)) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for file names");
    }
    paths->made_directory = mkdir(flags->output, 0777) == 0;
    if (!paths->made_directory && errno != EEXIST) {
        return mr_error_file(err, MR_ERROR_RUNTIME, flags->output, errno, "cannot make it");
    }
    return MR_OK;
}

/* What is in the directory already; in a new one there is nothing to refuse. */
static enum mr_status list_files(const void *data, const struct mr_parsed *parsed,
                                 struct mr_files *files, struct mr_error *err)
{
    const struct crawl_flags *flags = data;

    (void)parsed;
    (void)err;
    if (flags->output != NULL && mr_io_is_directory(flags->output)) {
        mr_files_add(files, MR_FILE_STORE, "the store", flags->output, "/crawl.mill");
        mr_files_add(files, MR_FILE_SCORES, "the scores", flags->output, "/ranks.tsv");
        mr_files_add(files, MR_FILE_WRITE, "the levels", flags->output, "/precedence.txt");
    }
    return MR_OK;
}

static enum mr_status run_all(struct mr_session *session, const struct crawl_flags *flags,
                              const struct mr_parsed *parsed, const struct paths *paths,
                              struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (int step = BUILD; step <= LEVELS && status == MR_OK; step++) {
        struct command_line line = {0};
        static const char *const names[] = {"build", "pagerank", "precedence"};
        const char *outputs[] = {paths->store, paths->ranks, paths->levels};

        add(&line, "millrace");
        add(&line, names[step]);
        add(&line, "-o");
        add(&line, outputs[step]);
        add_passed(&line, flags, (enum step)step);
        add_common(&line, session);
        if (step == LEVELS) {
            add(&line, "--spellings");
            add(&line, paths->store);
        }
        add(&line, "--");
        for (size_t i = 0; step == BUILD && i < parsed->n_operands; i++) {
            add(&line, parsed->operands[i]);
        }
        if (step != BUILD) {
            add(&line, step == RANK ? paths->store : paths->ranks);
        }
        status = run_step(session, &line, err);
        free(line.words);
    }
    return status;
}

static enum mr_status run(struct mr_session *session, const void *data,
                          const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct crawl_flags *flags = data;
    struct paths paths = {0};
    const double started = mr_now();

    if (flags->common.estimate || flags->common.json) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "crawl-rank: no --estimate and no --json; its steps have them: "
                            "'millrace build', 'pagerank' and 'precedence'");
    }
    enum mr_status status = check_together(flags, err);
    if (status == MR_OK) {
        status = prepare(flags, &paths, err);
    }
    if (status == MR_OK) {
        status = run_all(session, flags, parsed, &paths, err);
    }
    if (status == MR_OK) {
        struct rusage usage = {0};
        char peak[32];
        (void)getrusage(RUSAGE_CHILDREN, &usage);
        mr_session_say(
            session, "%s: crawl.mill, ranks.tsv and precedence.txt, %.1f s, peak memory %s",
            flags->output, mr_now() - started, mr_size_text((uint64_t)usage.ru_maxrss << 10, peak));
    }
    if (status != MR_OK && paths.made_directory) {
        (void)rmdir(flags->output); /* stays if there is anything in it */
    }
    free(paths.store);
    free(paths.ranks);
    free(paths.levels);
    return status;
}

const struct mr_command mr_command_crawl_rank = {
    .name = "crawl-rank",
    .summary = "links to precedence, in one go",
    .usage = "crawl-rank INPUT... -o DIR [OPTIONS]",
    .text = "Builds a store from lists of links, ranks it and writes precedence: what 'millrace "
            "build', 'millrace pagerank' and 'millrace precedence --spellings' do one after the "
            "other, which it runs and shows.",
    .examples = "  millrace crawl-rank links.txt.gz -o out --profile heritrix\n"
                "  millrace crawl-rank links.txt -o out --columns target-source --levels 10\n",
    .groups = {{.title = "Output", .options = output_options, .base = 0},
               {.title = "Building", .options = build_options, .base = 0},
               {.title = "Ranking", .options = rank_options, .base = 0},
               {.title = "Levels", .options = level_options, .base = 0},
               MR_COMMON_GROUP},
    .defaults = &defaults,
    .flags_bytes = sizeof defaults,
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .list_files = list_files,
    .operands = "an input file (- for standard input)",
    .run = run,
};
