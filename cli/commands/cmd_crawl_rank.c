/* SPDX-License-Identifier: Apache-2.0 */
/* millrace crawl-rank: turns lists of links into the file that a crawler loads, in one command.
 *
 * It runs `build`, `pagerank` and `precedence` as processes of their own and prints each command
 * line. So the store, the scores and the levels are exactly those of the single commands, and
 * the memory of one step is free before the next step. A run that was cut off goes on where it
 * stopped (cli/release/crawl_stages.h). */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/graph/graph.h"
#include "cli/program/command.h"
#include "cli/program/folder.h"
#include "cli/program/steps.h"
#include "cli/release/crawl_stages.h"
#include "cli/release/crawl_summary.h"
#include "engine/base/clock.h"
#include "engine/base/memory.h"
#include "engine/io/io.h"

/* Options that are passed on to a step unchanged. Each has a text, or no value (FLAG). */
enum { MAX_PASSED = 32 };

struct crawl_flags {
    struct mr_common_flags common;
    const char *output;
    const char *values[MAX_PASSED]; /* one per option, in the order of the enum below */
    bool set[MAX_PASSED];
};

static const struct crawl_flags defaults = {.common = MR_COMMON_DEFAULTS};

/* The step of an option and its name there, by index. */
struct passed {
    enum mr_crawl_stage step;
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

_Static_assert((int)N_PASSED <= (int)MAX_PASSED, "values and set have room for every option");

static const struct passed passed[N_PASSED] = {
    [FORMAT] = {MR_CRAWL_BUILD, "--format"},
    [COLUMNS] = {MR_CRAWL_BUILD, "--columns"},
    [LINK_KINDS] = {MR_CRAWL_BUILD, "--link-kinds"},
    [DROP_NOFOLLOW] = {MR_CRAWL_BUILD, "--drop-nofollow"},
    [PROFILE] = {MR_CRAWL_BUILD, "--profile"},
    [RULE] = {MR_CRAWL_BUILD, "--rule"},
    [CLASSES] = {MR_CRAWL_BUILD, "--classes"},
    [DUPLICATES] = {MR_CRAWL_BUILD, "--duplicates"},
    [SELF_LOOPS] = {MR_CRAWL_BUILD, "--self-loops"},
    [BAD_LINES] = {MR_CRAWL_BUILD, "--bad-lines"},
    [MAX_BAD] = {MR_CRAWL_BUILD, "--max-bad"},
    [CODEC] = {MR_CRAWL_BUILD, "--codec"},
    [DAMPING] = {MR_CRAWL_RANK, "--damping"},
    [TOLERANCE] = {MR_CRAWL_RANK, "--tolerance"},
    [ITERATIONS] = {MR_CRAWL_RANK, "--iterations"},
    [HERITRIX] = {MR_CRAWL_RANK, "--heritrix"},
    [LINKS] = {MR_CRAWL_RANK, "--links"},
    [INTERNAL_WEIGHT] = {MR_CRAWL_RANK, "--internal-weight"},
    [EXTERNAL_WEIGHT] = {MR_CRAWL_RANK, "--external-weight"},
    [WEIGHTS] = {MR_CRAWL_RANK, "--weights"},
    [LEVEL_COUNT] = {MR_CRAWL_LEVELS, "--levels"},
    [PERCENTAGES] = {MR_CRAWL_LEVELS, "--percentages"},
    [LOGARITHMIC] = {MR_CRAWL_LEVELS, "--log-scale"},
    [PER_HOST] = {MR_CRAWL_LEVELS, "--per-host"},
    [CRAWLER] = {MR_CRAWL_LEVELS, "--crawler"},
    [ONLY_CHANGED] = {MR_CRAWL_LEVELS, "--only-changed"},
};

#define TEXT(index, option, what, words)                                                           \
    {                                                                                              \
        .name = (option), .type = MR_OPTION_TEXT,                                                  \
        .offset = offsetof(struct crawl_flags, values) + (index) * sizeof(const char *),           \
        .value = (what), .help = (words)                                                           \
    }
#define FLAG(index, option, words)                                                                 \
    {                                                                                              \
        .name = (option), .type = MR_OPTION_FLAG,                                                  \
        .offset = offsetof(struct crawl_flags, set) + (index) * sizeof(bool), .help = (words)      \
    }

static const struct mr_option output_options[] = {
    {.name = "output",
     .letter = 'o',
     .type = MR_OPTION_TEXT,
     .offset = offsetof(struct crawl_flags, output),
     .value = "DIR",
     .file = MR_FILE_DIRECTORY,
     .help = "Directory of crawl.mill, ranks.tsv and precedence.txt. The command makes it if it "
             "does not exist. Required."},
    {0}};

static const struct mr_option build_options[] = {
    TEXT(FORMAT, "format", "FORMAT",
         "Format of the input. See 'millrace help inputs' for this option and the next ones."),
    TEXT(COLUMNS, "columns", "COLUMNS",
         "Which column links to the other; target-source in the link lists of Heritrix."),
    TEXT(LINK_KINDS, "link-kinds", "KIND,KIND,...",
         "Kinds of links of a crawl that count. Default navigation,redirect."),
    FLAG(DROP_NOFOLLOW, "drop-nofollow", "Leave out links with rel=nofollow of WAT files."),
    TEXT(PROFILE, "profile", "none|heritrix|wayback|surt",
         "Which spellings of a URL are one page. Default none."),
    TEXT(RULE, "rule", "-RULE,+RULE,...", "Switch rules of the profile on (+) or off (-)."),
    TEXT(CLASSES, "classes", "none|host|domain",
         "Tell internal links from external ones. Default none; host with --links or a weight for "
         "links."),
    TEXT(DUPLICATES, "duplicates", "merge|keep",
         "What to do with repeated links. Default merge, with --heritrix keep."),
    TEXT(SELF_LOOPS, "self-loops", "keep|drop", "What to do with links from a page to itself."),
    TEXT(BAD_LINES, "bad-lines", "fail|skip", "What to do with lines that cannot be read."),
    TEXT(MAX_BAD, "max-bad", "N", "With --bad-lines skip: accept at most N bad lines."),
    TEXT(CODEC, "codec", "plain|zstd[:LEVEL]", "Compression of the store."),
    {0}};

static const struct mr_option rank_options[] = {
    TEXT(DAMPING, "damping", "D",
         "Damping factor. See 'millrace help pagerank' for this option and the next ones."),
    TEXT(TOLERANCE, "tolerance", "E", "Error bound to reach."),
    TEXT(ITERATIONS, "iterations", "N", "Make N rounds of plain power iteration instead."),
    FLAG(HERITRIX, "heritrix", "Compute the numbers of Heritrix's offline PageRank."),
    TEXT(LINKS, "links", "all|external|internal",
         "Use only external links, or only internal links."),
    TEXT(INTERNAL_WEIGHT, "internal-weight", "W", "Weight of a link inside a host."),
    TEXT(EXTERNAL_WEIGHT, "external-weight", "W", "Weight of any other link."),
    FLAG(WEIGHTS, "weights", "Use the weights of links. All inputs must have weights."),
    {0}};

static const struct mr_option level_options[] = {
    TEXT(LEVEL_COUNT, "levels", "N",
         "Number of levels. See 'millrace help precedence' for this option and the next ones."),
    TEXT(PERCENTAGES, "percentages", "P,P,...", "Percentage of the pages on each level."),
    {.name = "log-scale",
     .type = MR_OPTION_FLAG,
     .offset = offsetof(struct crawl_flags, set) + LOGARITHMIC * sizeof(bool),
     .help = "Make levels by the logarithm of the score."},
    FLAG(PER_HOST, "per-host", "Make levels for the pages of each host separately."),
    TEXT(CRAWLER, "crawler", "heritrix|nutch|stormcrawler|frontera|scrapy|commoncrawl",
         "The format to write."),
    {.name = "only-changed",
     .type = MR_OPTION_TEXT,
     .offset = offsetof(struct crawl_flags, values) + ONLY_CHANGED * sizeof(const char *),
     .value = "OLD",
     .file = MR_FILE_READ,
     .help = "Write only lines that OLD does not have."},
    {0}};

/* ---- One step ---- */

static bool wants_classes(const struct crawl_flags *flags)
{
    const char *links = flags->values[LINKS];
    return (links != NULL && strcmp(links, "all") != 0) || flags->values[INTERNAL_WEIGHT] != NULL ||
           flags->values[EXTERNAL_WEIGHT] != NULL;
}

static void add_passed(struct mr_step *line, const struct crawl_flags *flags,
                       enum mr_crawl_stage step)
{
    for (int i = 0; i < N_PASSED; i++) {
        if (passed[i].step == step && (flags->values[i] != NULL || flags->set[i])) {
            mr_step_add(line, passed[i].name);
            if (flags->values[i] != NULL) {
                mr_step_add(line, flags->values[i]);
            }
        }
    }
    if (step == MR_CRAWL_BUILD && flags->values[CLASSES] == NULL && wants_classes(flags)) {
        mr_step_add(line, "--classes");
        mr_step_add(line, "host");
    }
    if (step == MR_CRAWL_BUILD && flags->set[WEIGHTS]) {
        mr_step_add(line, "--weights");
    }
    if (step == MR_CRAWL_BUILD && flags->set[HERITRIX] && flags->values[DUPLICATES] == NULL) {
        mr_step_add(line, "--duplicates");
        mr_step_add(line, "keep");
    }
}

/* ---- All steps ---- */

struct paths {
    char *outputs[MR_CRAWL_STAGES];
};

static bool make_paths(const char *directory, struct paths *paths)
{
    for (int i = 0; i < MR_CRAWL_STAGES; i++) {
        if (asprintf(&paths->outputs[i], "%s%s", directory, mr_crawl_outputs[i]) < 0) {
            paths->outputs[i] = NULL;
            return false;
        }
    }
    return true;
}

/* Refuses flags that a later step would refuse after the work of the first one. */
static enum mr_status check_together(const struct crawl_flags *flags, struct mr_error *err)
{
    const char *loops = flags->values[SELF_LOOPS];
    const char *other = flags->values[DAMPING] != NULL                ? "damping"
                        : flags->set[WEIGHTS]                         ? "weights"
                        : loops != NULL && strcmp(loops, "drop") == 0 ? "self-loops drop"
                                                                      : NULL;
    if (flags->set[HERITRIX] && other != NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--heritrix makes plain rounds of 0.15 + 0.85 * sum that start from 1 "
                            "for each page with a link to it; leave out --%s",
                            other);
    }
    return mr_graph_check_weights(flags->set[WEIGHTS], wants_classes(flags), err);
}

static void free_paths(struct paths *paths)
{
    for (int i = 0; i < MR_CRAWL_STAGES; i++) {
        free(paths->outputs[i]);
        paths->outputs[i] = NULL;
    }
}

/* Adds the files in an existing directory. A new directory has no files to refuse. */
static enum mr_status list_files(const void *data, const struct mr_parsed *parsed,
                                 struct mr_files *files, struct mr_error *err)
{
    static const enum mr_file_use uses[] = {MR_FILE_STORE, MR_FILE_SCORES, MR_FILE_WRITE};
    static const char *const what[] = {"the store", "the scores", "the levels"};
    const struct crawl_flags *flags = data;

    (void)parsed;
    (void)err;
    for (int i = 0; i < MR_CRAWL_STAGES && flags->output != NULL; i++) {
        if (mr_io_is_directory(flags->output)) {
            mr_files_add(files, uses[i], what[i], flags->output, mr_crawl_outputs[i]);
        }
    }
    return MR_OK;
}

/* The command of a step, without the common options and the inputs. */
static void make_line(struct mr_step *line, const struct crawl_flags *flags,
                      const struct paths *paths, enum mr_crawl_stage step)
{
    mr_step_add(line, "millrace");
    mr_step_add(line, mr_crawl_commands[step]);
    mr_step_add(line, "-o");
    mr_step_add(line, paths->outputs[step]);
    add_passed(line, flags, step);
    if (step == MR_CRAWL_LEVELS) {
        mr_step_add(line, "--spellings");
        mr_step_add(line, paths->outputs[MR_CRAWL_BUILD]);
    }
}

static enum mr_status run_stages(struct mr_crawl_run *run, const struct crawl_flags *flags,
                                 const struct mr_parsed *parsed, const struct paths *paths,
                                 struct mr_error *err)
{
    enum mr_status status = mr_crawl_open(run, parsed->operands, parsed->n_operands, err);

    for (int i = 0; i < MR_CRAWL_STAGES && status == MR_OK; i++) {
        const enum mr_crawl_stage step = (enum mr_crawl_stage)i;
        const bool reads_inputs = step == MR_CRAWL_BUILD;
        const char *before = i == 0 ? NULL : paths->outputs[i - 1];
        struct mr_step line = {0};
        make_line(&line, flags, paths, step);
        status = mr_crawl_run_stage(run, step, paths->outputs[i], &line,
                                    reads_inputs ? parsed->operands : &before,
                                    reads_inputs ? parsed->n_operands : 1, err);
        mr_step_free(&line);
    }
    return status;
}

static enum mr_status run_all(struct mr_session *session, const struct crawl_flags *flags,
                              const struct mr_parsed *parsed, struct mr_error *err)
{
    struct mr_crawl_run run = {.session = session, .directory = flags->output};
    struct mr_folder folder = {0};
    struct paths paths = {0};

    if (flags->output == NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "crawl-rank: needs an output directory; say -o DIR, such as -o out");
    }
    enum mr_status status =
        mr_folder_open(session, flags->output, true, flags->common.force, &folder, err);
    if (status == MR_OK && !make_paths(folder.work, &paths)) {
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for file names");
    }
    if (status == MR_OK) {
        status = run_stages(&run, flags, parsed, &paths, err);
    }
    if (status == MR_OK) {
        status = mr_folder_commit(&folder, err);
    }
    const bool began = run.state.root != NULL;
    const bool stays = mr_crawl_close(&run, status == MR_OK);
    mr_folder_close(&folder, stays);
    free_paths(&paths);
    if (began && stays) {
        mr_session_say(session, "%s keeps what is done: the same command goes on from there",
                       flags->output);
    }
    return status;
}

/* Shows the best pages and the hosts whose pages have most score together. */
static enum mr_status show_best(struct mr_session *session, const struct crawl_flags *flags,
                                const struct paths *paths, struct mr_error *err)
{
    bool has_hosts = false;
    struct mr_step line = {0};
    const char *store = paths->outputs[MR_CRAWL_BUILD], *ranks = paths->outputs[MR_CRAWL_RANK];
    const char *const words[] = {"millrace", "hosts", store, "--scores", ranks,    "--sort",
                                 "score",    "--top", "10",  "--header", "--quiet"};
    enum mr_status status = mr_crawl_summary_print(session, store, ranks, &has_hosts, err);

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        mr_step_add(&line, words[i]);
    }
    /* `hosts` sums up scores of all pages, and --heritrix leaves pages out. */
    if (status == MR_OK && has_hosts && !flags->set[HERITRIX]) {
        status = mr_step_run(session, &line, "crawl-rank", err);
    }
    mr_step_free(&line);
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
                            "crawl-rank has no --estimate and no --json; its steps have them: "
                            "'millrace build', 'pagerank' and 'precedence'");
    }
    enum mr_status status = check_together(flags, err);
    if (status == MR_OK) {
        status = run_all(session, flags, parsed, err);
    }
    if (status == MR_OK && !make_paths(flags->output, &paths)) {
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for file names");
    }
    if (status == MR_OK && !session->flags.quiet) {
        status = show_best(session, flags, &paths, err);
    }
    if (status == MR_OK) {
        struct rusage usage = {0};
        char peak[32];
        (void)getrusage(RUSAGE_CHILDREN, &usage);
        mr_session_say(
            session, "%s: crawl.mill, ranks.tsv and precedence.txt, %.1f s, peak memory %s",
            flags->output, mr_now() - started, mr_size_text((uint64_t)usage.ru_maxrss << 10, peak));
    }
    free_paths(&paths);
    return status;
}

const struct mr_command mr_command_crawl_rank = {
    .name = "crawl-rank",
    .summary = "turn links into crawler precedence levels in one command",
    .usage = "crawl-rank INPUT... -o DIR [OPTIONS]",
    .text = "Builds a store from lists of links, ranks it and writes precedence levels. It runs "
            "'millrace build', 'millrace pagerank' and 'millrace precedence --spellings' one after "
            "the other, and prints each command. Then it shows the best pages and hosts. The same "
            "command goes on where an earlier one was cut off; --force begins anew.",
    .examples = "  millrace crawl-rank links.txt.gz -o out --profile heritrix\n"
                "  millrace crawl-rank links.txt -o out --columns target-source --levels 10\n",
    .groups = {{.title = "Output", .options = output_options, .base = 0},
               {.title = "Building", .options = build_options, .base = 0},
               {.title = "Ranking", .options = rank_options, .base = 0},
               {.title = "Levels", .options = level_options, .base = 0},
               MR_COMMON_GROUP_WITHOUT("json estimate")},
    .defaults = &defaults,
    .flags_bytes = sizeof defaults,
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .list_files = list_files,
    .operands = "an input file (- for standard input)",
    .run = run,
};
