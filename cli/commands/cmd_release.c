/* SPDX-License-Identifier: Apache-2.0 */
/* millrace release: a whole web-graph release in one command, from vertices and edges to ranks.
 *
 * The graph of the input is a level: pages, hosts or domains. Pages are folded to hosts, hosts to
 * domains. The stages of a level are commands of this program, each a process of its own, and one
 * stage of this process that joins their files. Each stage is announced before it starts, and
 * remembered when it is done; the same command goes on where an earlier one stopped. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "cli/graph/build_estimate.h"
#include "cli/graph/graph.h"
#include "cli/program/command.h"
#include "cli/release/release.h"
#include "engine/base/clock.h"
#include "engine/base/count_text.h"
#include "engine/base/memory.h"
#include "engine/io/io.h"

enum { MAX_LEVELS = 3, DISTANCES = 12 };

struct release_flags {
    struct mr_common_flags common;
    const char *output;
    uint64_t log2m;
    bool alone;
};

static const struct release_flags defaults = {.common = MR_COMMON_DEFAULTS, .log2m = 10};

#define FIELD(name) offsetof(struct release_flags, name)
static const struct mr_option release_options[] = {
    {.name = "output",
     .letter = 'o',
     .type = MR_OPTION_TEXT,
     .offset = FIELD(output),
     .value = "DIR",
     .file = MR_FILE_DIRECTORY,
     .help = "Directory of the release. The command makes it if it does not exist. Required."},
    {.name = "log2m",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(log2m),
     .value = "B",
     .least = 4,
     .most = 14,
     .help = "Counters of harmonic centrality have 2^B registers; see 'millrace help harmonic'. "
             "Default 10, as Common Crawl uses for hosts."},
    {.name = "no-fold",
     .type = MR_OPTION_FLAG,
     .offset = FIELD(alone),
     .help = "Rank only the graph of the input, not the graphs of its hosts and domains."},
    {0}};
#undef FIELD

struct release {
    struct mr_session *session;
    const struct release_flags *flags;
    struct mr_folder folder;
    struct mr_release_state state;
    uint64_t store_id; /* of the input, if it is a store */
    char **inputs; /* [n_inputs], owned: files, without directories; or one store */
    size_t n_inputs;
    bool from_store;
    struct mr_release_level levels[MAX_LEVELS];
    size_t n_levels;
    unsigned n_stages, stage; /* of all levels; the present one, from 1 */
};

/* ---- Inputs ---- */

static bool add_input(struct release *release, char *path)
{
    char **inputs =
        path == NULL ? NULL
                     : realloc(release->inputs, (release->n_inputs + 1) * sizeof *release->inputs);
    if (inputs == NULL) {
        free(path);
        return false;
    }
    release->inputs = inputs;
    release->inputs[release->n_inputs++] = path;
    return true;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* The files of a directory in the order of their names: the parts of a graph of Common Crawl. */
static enum mr_status add_directory(struct release *release, const char *path, struct mr_error *err)
{
    struct dirent **entries = NULL;
    const int n = scandir(path, &entries, is_visible, alphasort);
    bool added = true;

    if (n < 0) {
        return mr_error_file(err, MR_ERROR_INPUT, path, errno, "cannot read it");
    }
    for (int i = 0; i < n; i++) {
        char *file = NULL;
        added = added && asprintf(&file, "%s/%s", path, entries[i]->d_name) >= 0 &&
                add_input(release, file);
        free(entries[i]);
    }
    free(entries);
    if (!added) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for inputs");
    }
    return n > 0 ? MR_OK : mr_error_file(err, MR_ERROR_INPUT, path, 0, "is an empty directory");
}

static enum mr_status find_inputs(struct release *release, const struct mr_parsed *parsed,
                                  struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (size_t i = 0; i < parsed->n_operands && status == MR_OK; i++) {
        const char *path = parsed->operands[i];
        const bool is_store = mr_store_is_at(path);
        if (is_store && parsed->n_operands > 1) {
            status = mr_error_file(err, MR_ERROR_USAGE, path, 0,
                                   "is a store; a release is made of one store alone, or of files");
        } else if (!is_store && mr_io_is_directory(path)) {
            status = add_directory(release, path, err);
        } else if (!add_input(release, strdup(path))) {
            status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for inputs");
        }
        release->from_store = is_store;
    }
    return status;
}

/* What identifies the inputs: path, size and time of each file, or the id of the store. */
static json_t *describe_inputs(const struct release *release, const struct mr_store_info *info)
{
    json_t *list = json_array();

    for (size_t i = 0; i < release->n_inputs && list != NULL; i++) {
        struct mr_json input = {.object = mr_release_describe_file(release->inputs[i])};
        input.failed = input.object == NULL;
        if (info != NULL) {
            mr_json_id(&input, "store_id", info->store_id);
        }
        if (input.failed || json_array_append(list, input.object) != 0) {
            json_decref(list);
            list = NULL;
        }
        mr_json_destroy(&input);
    }
    return list;
}

/* ---- Levels ---- */

/* Sets the names of a level of the release, and the paths of its files. */
static bool name_level(struct release *release, size_t i, const char *name, const char *count_title,
                       const char *store)
{
    struct mr_release_level *level = &release->levels[i];

    level->name = name;
    level->name_title = strcmp(name, "page") == 0 ? "#page" : NULL;
    level->count_title = count_title;
    return asprintf(&level->prefix, "%s/%s", release->folder.work, name) >= 0 &&
           (store != NULL ? (level->store = strdup(store)) != NULL
                          : asprintf(&level->store, "%s/%s.mill", release->folder.work,
                                     i == 0 ? "graph" : name) >= 0) &&
           (count_title == NULL ||
            (level->counts = mr_release_path(level->prefix, "-members.tsv.zst")) != NULL);
}

/* Finds out what the names of the first level are, and which levels follow. */
static enum mr_status choose_levels(struct release *release, struct mr_error *err)
{
    struct mr_release_level *first = &release->levels[0];
    struct mr_graph graph = {0};
    bool named = true;

    enum mr_status status = mr_query_open(release->session, first->store, &graph, err);
    if (status == MR_OK && mr_store_get_info(graph.store)->name_kind != MR_NAMES_TEXT) {
        status = mr_error_file(err, MR_ERROR_INPUT, first->store, 0,
                               "its pages are called by numbers; ranks need names: give vertices "
                               "with names, or build the store with --names");
    }
    if (status == MR_OK) {
        char *store = first->store;
        const bool hosts = graph.canonical.reversed_hosts;
        free(first->prefix);
        named = name_level(release, 0, hosts ? "host" : "page", NULL, store);
        free(store);
        release->n_levels = 1;
        if (!release->flags->alone && !hosts) {
            named = named && name_level(release, release->n_levels++, "host", "#n_pages", NULL);
        }
        if (!release->flags->alone) {
            named = named && name_level(release, release->n_levels++, "domain", "#n_hosts", NULL);
        }
        if (!named) {
            status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for paths");
        }
        first->n_vertices = mr_store_get_info(graph.store)->n_vertices;
        first->n_edges = mr_store_get_info(graph.store)->n_edges;
    }
    mr_graph_close(release->session, &graph);
    return status;
}

static enum mr_status measure_level(struct release *release, struct mr_release_level *level,
                                    struct mr_error *err)
{
    struct mr_store *store = NULL;
    const enum mr_status status =
        mr_store_open(&release->session->context, level->store, &store, err);

    if (status == MR_OK) {
        level->n_vertices = mr_store_get_info(store)->n_vertices;
        level->n_edges = mr_store_get_info(store)->n_edges;
    }
    mr_store_close(store);
    return status;
}

/* ---- Announcing a stage ---- */

enum kind { BUILD, PAGERANK, HARMONIC, COMPONENTS, DEGREE, FOLD, TABLES, N_KINDS };

/* The output of each kind, in bytes per link and per page. */
static const struct {
    const char *name;
    double link_bytes, page_bytes;
} costs[N_KINDS] = {
    [BUILD] = {"build", 2, 14},      [PAGERANK] = {"pagerank", 0, 8},
    [HARMONIC] = {"harmonic", 0, 8}, [COMPONENTS] = {"components", 0, 12},
    [DEGREE] = {"degree", 0, 16},    [FOLD] = {"fold", 2, 14},
    [TABLES] = {"tables", 0, 50},
};

/* What a stage takes; 0: unknown. */
struct forecast {
    uint64_t memory_bytes, temporary_bytes, output_bytes;
};

static struct forecast guess(struct release *release, enum kind kind,
                             const struct mr_release_level *level, struct mr_step *step)
{
    struct forecast forecast = {0};
    double links = (double)level->n_edges;
    json_t *answer = NULL;

    if (kind == TABLES) {
        forecast.memory_bytes = mr_release_tables_bytes(level->n_vertices);
        forecast.temporary_bytes = 80 * level->n_vertices;
    } else {
        mr_step_add(step, "--estimate");
        mr_step_add(step, "--json");
        answer = mr_step_ask(release->session, step);
        step->n -= 2;
        step->words[step->n] = NULL;
        forecast.memory_bytes =
            (uint64_t)json_integer_value(json_object_get(answer, "memory_bytes"));
        forecast.temporary_bytes =
            (uint64_t)json_integer_value(json_object_get(answer, "temporary_bytes"));
    }
    if (kind == BUILD) {
        uint64_t edges = 0;
        if (mr_import_guess_edges(release->session, (const char *const *)release->inputs,
                                  release->n_inputs, &edges, NULL) == MR_OK) {
            links = (double)edges;
        }
    }
    forecast.output_bytes = (uint64_t)(costs[kind].link_bytes * links +
                                       costs[kind].page_bytes * (double)level->n_vertices);
    json_decref(answer);
    return forecast;
}

static void announce(struct release *release, enum kind kind, const struct mr_release_level *level,
                     const struct forecast *forecast)
{
    char memory[32], temporary[32], output[32], free_text[32];
    struct statvfs disk;

    mr_session_say(release->session,
                   "stage %u of %u, %s of the %s graph: at least %s of memory, %s of temporary "
                   "disk, %s of output",
                   release->stage, release->n_stages, costs[kind].name, level->name,
                   mr_size_text(forecast->memory_bytes, memory),
                   mr_size_text(forecast->temporary_bytes, temporary),
                   mr_size_text(forecast->output_bytes, output));
    if (statvfs(release->flags->output, &disk) == 0) {
        const uint64_t room = (uint64_t)disk.f_bavail * disk.f_frsize;
        if (room < forecast->output_bytes + forecast->temporary_bytes) {
            mr_session_say(release->session,
                           "note: %s has only %s free; the stage may fail, and goes on later",
                           release->flags->output, mr_size_text(room, free_text));
        }
    }
}

/* ---- Running a stage ---- */

static uint64_t bytes_of(const char *path)
{
    struct stat stat_of;
    struct dirent **entries = NULL;
    uint64_t bytes = 0;

    if (stat(path, &stat_of) != 0) {
        return 0;
    }
    if (!S_ISDIR(stat_of.st_mode)) {
        return (uint64_t)stat_of.st_size;
    }
    const int n = scandir(path, &entries, is_visible, alphasort);
    for (int i = 0; i < n; i++) {
        char *file = NULL;
        if (asprintf(&file, "%s/%s", path, entries[i]->d_name) >= 0) {
            bytes += stat(file, &stat_of) == 0 ? (uint64_t)stat_of.st_size : 0;
            free(file);
        }
        free(entries[i]);
    }
    free(entries);
    return bytes;
}

/* Each stage opens the store of the input by itself. All must read the same links. */
static enum mr_status check_input(struct release *release, struct mr_error *err)
{
    const char *path = release->inputs[0];
    struct mr_store *store = NULL;

    if (!release->from_store) {
        return MR_OK;
    }
    enum mr_status status = mr_store_open(&release->session->context, path, &store, err);
    if (status == MR_OK && mr_store_get_info(store)->store_id != release->store_id) {
        status = mr_error_file(err, MR_ERROR_INPUT, path, 0,
                               "has changed since the release began, so its tables would be of two "
                               "graphs; say --force to begin anew");
    }
    mr_store_close(store);
    return status;
}

/* Runs a stage unless it is done: the command of `step`, or for TABLES a function. `output` is what
 * must be there afterwards. */
static enum mr_status run_stage(struct release *release, enum kind kind,
                                const struct mr_release_level *level, struct mr_step *step,
                                const char *output, struct mr_error *err)
{
    struct mr_session *session = release->session;
    char name[64], command[MR_STEP_TEXT_BYTES];
    double seconds = 0;
    enum mr_status status = MR_OK;

    release->stage++;
    if (output == NULL || step->failed) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a stage");
    }
    (void)snprintf(name, sizeof name, "%s %s", level->name, costs[kind].name);
    mr_step_text(step, command);
    if (mr_release_state_has(&release->state, name, command, &seconds) && bytes_of(output) > 0) {
        mr_session_say(session, "stage %u of %u, %s of the %s graph: done before, in %.1f s",
                       release->stage, release->n_stages, costs[kind].name, level->name, seconds);
        return MR_OK;
    }
    status = mr_folder_begin(&release->folder, err);
    if (status != MR_OK) {
        return status;
    }
    mr_step_add_common(step, session, true);
    const struct forecast forecast = guess(release, kind, level, step);
    announce(release, kind, level, &forecast);
    if (kind == TABLES) {
        const double began = mr_now();
        status = mr_release_tables(session, level, err);
        step->seconds = mr_now() - began;
        step->peak_bytes = mr_session_peak_bytes();
    } else {
        step->silent = true; /* standard output is for the statistics at the end */
        status = mr_step_run(session, step, "release", err);
    }
    if (status == MR_OK) {
        status = check_input(release, err);
    }
    if (status == MR_OK) {
        char peak[32], bytes[32];
        const uint64_t made = bytes_of(output);
        mr_session_say(session, "stage %u of %u: %.1f s, peak memory %s, output %s", release->stage,
                       release->n_stages, step->seconds, mr_size_text(step->peak_bytes, peak),
                       mr_size_text(made, bytes));
        const struct mr_stage_done done = {.command = command,
                                           .seconds = step->seconds,
                                           .peak_bytes = step->peak_bytes,
                                           .output_bytes = made};
        status = mr_release_state_add(session, &release->state, name, &done, err);
    }
    return status;
}

/* A stage whose command is `words`, up to a NULL. */
static enum mr_status run_words(struct release *release, enum kind kind,
                                const struct mr_release_level *level, const char *output,
                                const char *const *words, struct mr_error *err)
{
    struct mr_step step = {0};

    for (size_t i = 0; words[i] != NULL; i++) {
        mr_step_add(&step, words[i]);
    }
    const enum mr_status status = run_stage(release, kind, level, &step, output, err);
    mr_step_free(&step);
    return status;
}

static enum mr_status run_build(struct release *release, struct mr_error *err)
{
    const struct mr_release_level *level = &release->levels[0];
    struct mr_step step = {0};

    mr_step_add(&step, "millrace");
    mr_step_add(&step, "build");
    mr_step_add(&step, "-o");
    mr_step_add(&step, level->store);
    for (size_t i = 0; i < release->n_inputs; i++) {
        mr_step_add(&step, release->inputs[i]);
    }
    const enum mr_status status = run_stage(release, BUILD, level, &step, level->store, err);
    mr_step_free(&step);
    return status;
}

static enum mr_status run_level(struct release *release, const struct mr_release_level *level,
                                struct mr_error *err)
{
    static const char *const suffixes[] = {MR_RELEASE_PAGERANK,   MR_RELEASE_HARMONIC,
                                           MR_RELEASE_COMPONENTS, MR_RELEASE_DEGREES,
                                           MR_RELEASE_SIZES,      MR_RELEASE_STATISTICS};
    enum { RANKS_OF, CENTRALITY, LABELS, DEGREES, SIZES, STATISTICS, N_FILES };
    char *paths[N_FILES] = {0}, log2m[8];
    enum mr_status status = MR_OK;

    for (int i = 0; i < N_FILES && status == MR_OK; i++) {
        paths[i] = mr_release_path(level->prefix, suffixes[i]);
        status = paths[i] == NULL ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for paths")
                                  : MR_OK;
    }
    (void)snprintf(log2m, sizeof log2m, "%u", (unsigned)release->flags->log2m);
    if (status == MR_OK) {
        status = run_words(release, PAGERANK, level, paths[RANKS_OF],
                           (const char *const[]){"millrace", "pagerank", level->store, "-o",
                                                 paths[RANKS_OF], NULL},
                           err);
    }
    if (status == MR_OK) {
        status = run_words(release, HARMONIC, level, paths[CENTRALITY],
                           (const char *const[]){"millrace", "harmonic", level->store, "-o",
                                                 paths[CENTRALITY], "--log2m", log2m, NULL},
                           err);
    }
    if (status == MR_OK) {
        status =
            run_words(release, COMPONENTS, level, paths[LABELS],
                      (const char *const[]){"millrace", "components", level->store, "-o",
                                            paths[LABELS], "--part", "--sizes", paths[SIZES], NULL},
                      err);
    }
    if (status == MR_OK) {
        status = run_words(
            release, DEGREE, level, paths[DEGREES],
            (const char *const[]){"millrace", "degree", level->store, "-o", paths[DEGREES], NULL},
            err);
    }
    if (status == MR_OK) {
        status = run_words(release, TABLES, level, paths[STATISTICS],
                           (const char *const[]){"millrace", "tables", log2m, NULL}, err);
    }
    for (int i = 0; i < N_FILES; i++) {
        free(paths[i]);
    }
    return status;
}

static enum mr_status run_fold(struct release *release, const struct mr_release_level *from,
                               struct mr_release_level *to, struct mr_error *err)
{
    const bool to_hosts = strcmp(to->name, "host") == 0;

    to->n_vertices = from->n_vertices;
    to->n_edges = from->n_edges;
    return run_words(release, FOLD, to, to->store,
                     (const char *const[]){"millrace", "fold", from->store, "-o", to->store, "--by",
                                           to_hosts ? "host" : "icann-domain", "--weights", "none",
                                           "--members", to->counts, NULL},
                     err);
}

/* ---- The command ---- */

/* Refuses a directory with files of a level that this release does not make: they would look like
 * its own. */
static enum mr_status refuse_other_levels(const struct release *release, struct mr_error *err)
{
    static const char *const names[] = {"page", "host", "domain"};
    enum mr_status status = MR_OK;

    for (size_t i = 0; i < sizeof names / sizeof names[0] && status == MR_OK; i++) {
        char *old = NULL;
        bool made = false;
        for (size_t k = 0; k < release->n_levels; k++) {
            made = made || strcmp(release->levels[k].name, names[i]) == 0;
        }
        if (asprintf(&old, "%s/%s" MR_RELEASE_STATISTICS, release->flags->output, names[i]) < 0) {
            return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for paths");
        }
        if (!made && mr_io_exists(old)) {
            status = mr_error_file(err, MR_ERROR_USAGE, old, 0,
                                   "is of another release, and this one has no %s graph; name "
                                   "another directory, or remove %s/%s*",
                                   names[i], release->flags->output, names[i]);
        }
        free(old);
    }
    return status;
}

static enum mr_status run_all(struct release *release, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    const size_t expected = release->flags->alone ? 1 : 2;

    release->n_stages = (unsigned)(!release->from_store + 6 * expected - 1);
    if (!release->from_store) {
        status = run_build(release, err);
    }
    if (status == MR_OK) {
        status = choose_levels(release, err);
        release->n_stages = (unsigned)(!release->from_store + 6 * release->n_levels - 1);
    }
    if (status == MR_OK && release->folder.beside) {
        status = refuse_other_levels(release, err);
    }
    for (size_t i = 0; i < release->n_levels && status == MR_OK; i++) {
        if (i > 0) {
            status = run_fold(release, &release->levels[i - 1], &release->levels[i], err);
        }
        if (status == MR_OK) {
            status = measure_level(release, &release->levels[i], err);
        }
        if (status == MR_OK) {
            status = run_level(release, &release->levels[i], err);
        }
    }
    return status;
}

static enum mr_status prepare(struct release *release, const struct mr_parsed *parsed,
                              struct mr_error *err)
{
    const struct release_flags *flags = release->flags;
    struct mr_store *store = NULL;

    if (flags->output == NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "release: needs an output directory; say -o DIR, such as -o release");
    }
    enum mr_status status = find_inputs(release, parsed, err);
    if (status == MR_OK && release->from_store) {
        status = mr_store_open(&release->session->context, release->inputs[0], &store, err);
    }
    if (status == MR_OK) {
        const bool replaces = flags->common.force && !mr_release_is_empty(flags->output);
        status =
            mr_folder_open(release->session, flags->output, replaces, true, &release->folder, err);
    }
    if (status == MR_OK) {
        release->store_id = store != NULL ? mr_store_get_info(store)->store_id : 0;
        json_t *inputs = describe_inputs(release, store != NULL ? mr_store_get_info(store) : NULL);
        status = mr_release_state_open(release->folder.work, "release", inputs, flags->common.force,
                                       &release->state, err);
    }
    if (status == MR_OK && !release->state.goes_on && !flags->common.force &&
        !mr_release_is_empty(flags->output)) {
        status = mr_error_file(err, MR_ERROR_USAGE, flags->output, 0,
                               "has files, but no release that could go on (release.json); name "
                               "another directory, or say --force to write into this one");
    }
    mr_store_close(store);
    if (status == MR_OK &&
        !name_level(release, 0, "input", NULL, release->from_store ? release->inputs[0] : NULL)) {
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for paths");
    }
    return status;
}

static void close_release(struct release *release)
{
    for (size_t i = 0; i < MAX_LEVELS; i++) {
        free(release->levels[i].store);
        free(release->levels[i].prefix);
        free(release->levels[i].counts);
    }
    for (size_t i = 0; i < release->n_inputs; i++) {
        free(release->inputs[i]);
    }
    free(release->inputs);
    mr_release_state_close(&release->state);
    mr_folder_close(&release->folder, false);
}

static enum mr_status run(struct mr_session *session, const void *data,
                          const struct mr_parsed *parsed, struct mr_error *err)
{
    struct release release = {.session = session, .flags = data};

    if (release.flags->common.estimate || release.flags->common.json) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "release has no --estimate and no --json: each stage is announced with "
                            "an estimate, and DIR/release.json has the figures");
    }
    enum mr_status status = prepare(&release, parsed, err);
    if (status == MR_OK) {
        status = run_all(&release, err);
    }
    for (size_t i = 0; i < release.n_levels && status == MR_OK; i++) {
        status = mr_release_print(session, &release.levels[i], err);
    }
    if (status == MR_OK) {
        status = mr_folder_commit(&release.folder, err);
    }
    close_release(&release);
    return status;
}

const struct mr_command mr_command_release = {
    .name = "release",
    .summary = "make a whole web-graph release: ranks of hosts and domains",
    .usage = "release VERTICES EDGES | STORE -o DIR [OPTIONS]",
    .text = "Makes the files that Common Crawl publishes with a web graph: ranks by harmonic "
            "centrality and PageRank (DIR/host-ranks.txt.gz), degrees, components and statistics "
            "of the graph of the input, and of the graphs of its hosts and registered domains, "
            "which it folds. VERTICES and EDGES are files, or directories of their parts. It runs "
            "build, pagerank, harmonic, components, degree and fold as processes of their own, "
            "and announces each stage with what it takes. The same command goes on where an "
            "earlier one stopped; --force begins anew.",
    .examples = "  millrace release vertices.txt.gz edges.txt.gz -o release --memory 12G\n"
                "  millrace release web.mill -o release --log2m 12\n",
    .groups = {{.title = "Release", .options = release_options, .base = 0},
               MR_COMMON_GROUP_WITHOUT("json estimate")},
    .defaults = &defaults,
    .flags_bytes = sizeof defaults,
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .operand_files = MR_OPERANDS_LISTED,
    .operands = "files of vertices and edges, or a store",
    .run = run,
};
