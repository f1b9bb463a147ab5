/* SPDX-License-Identifier: Apache-2.0 */
/* millrace release: a whole web-graph release in one command, from vertices and edges to ranks.
 *
 * The graph of the input is a level: pages, hosts or domains. Pages are folded to hosts, hosts to
 * domains. The stages of a level are commands of this program (cli/release/stages.h), and one
 * stage that joins their files. Each stage is announced before it starts, and remembered when it is
 * done; the same command goes on where an earlier one stopped. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "cli/graph/graph.h"
#include "cli/ranking/kind.h"
#include "cli/release/release.h"
#include "engine/base/clock.h"
#include "formats/stream/input_paths.h"
#include "library/folder.h"

enum { MAX_LEVELS = 3 };

struct release_flags {
    struct mr_common_flags common;
    const char *output;
    uint64_t log2m;
    bool alone;
};

static const struct release_flags defaults = {.common = MR_COMMON_DEFAULTS, .log2m = 10};

#define FIELD(name) offsetof(struct release_flags, name)
static const struct mr_option release_options[] = {
    {"output", 'o', MR_OPTION_TEXT, FIELD(output), "DIR", .file = MR_FILE_DIRECTORY,
     .help = "Directory of the release. The command makes it if it does not exist. Required.",
     .often = true},
    {"log2m", 0, MR_OPTION_COUNT, FIELD(log2m), "B", .least = 4, .most = 14,
     .help = "Counters of harmonic centrality have 2^B registers; see 'millrace help harmonic'. "
             "Default 10, as Common Crawl uses for hosts.",
     .often = true},
    {"no-fold", 0, MR_OPTION_FLAG, FIELD(alone),
     .help = "Rank only the graph of the input, not the graphs of its hosts and domains.",
     .often = true},
    {0}};
#undef FIELD

struct release {
    struct mr_session *session;
    const struct release_flags *flags;
    struct mr_folder folder;
    struct mr_stages stages;
    uint64_t store_id; /* of the input, if it is a store */
    const struct mr_parsed *parsed;
    bool from_store; /* the only operand */
    struct mr_input_paths inputs; /* without a store */
    struct mr_release_level levels[MAX_LEVELS];
    size_t n_levels;
    unsigned n_stages, stage; /* of all levels; the present one, from 1 */
};

/* ---- Inputs ---- */

static enum mr_status find_inputs(struct release *release, const struct mr_parsed *parsed,
                                  struct mr_error *err)
{
    release->parsed = parsed;
    release->from_store = mr_graph_is_store(parsed);
    return release->from_store ? MR_OK
                               : mr_input_paths_find(parsed->operands, parsed->n_operands, true,
                                                     &release->inputs, err);
}

/* What identifies the inputs: path, size and time of each file, or the id of the store. */
static json_t *describe_inputs(const struct release *release)
{
    json_t *list = json_array();

    for (size_t i = 0; i < release->inputs.n + release->from_store && list != NULL; i++) {
        struct mr_json input = {.object = mr_stages_input(release->from_store
                                                              ? release->parsed->operands[0]
                                                              : release->inputs.items[i].path)};
        if (release->from_store) {
            mr_json_id(&input, "store_id", release->store_id);
        }
        if (json_array_append_new(list, mr_json_finish(&input)) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

/* ---- Levels ---- */

/* Sets the names of the next level of the release. `count_title` is NULL if it is the first. */
static void name_level(struct release *release, const char *name, const char *count_title)
{
    struct mr_release_level *level = &release->levels[release->n_levels];

    level->name = name;
    level->name_title = strcmp(name, "page") == 0 ? "#page" : "#host_rev";
    level->count_title = count_title;
    level->store_path = level->store;
    (void)snprintf(level->prefix, PATH_MAX, "%s/%s", release->folder.work, name);
    if (release->n_levels > 0) {
        mr_release_path(level->store, level->prefix, ".mill");
        mr_release_path(level->counts, level->prefix, "-members.tsv.zst");
    }
    release->n_levels++;
}

/* Opens the store of a level for its counts. Errors: INPUT if it is the input, and its pages have
 * no names. */
static enum mr_status measure_level(struct release *release, struct mr_release_level *level,
                                    bool *has_hosts, struct mr_error *err)
{
    struct mr_graph graph = {0};

    enum mr_status status = mr_graph_open_at(release->session, level->store, &graph, err);
    if (status == MR_OK && mr_store_get_info(graph.store)->name_kind != MR_NAMES_TEXT) {
        status = mr_error_file(err, MR_ERROR_INPUT, level->store, 0,
                               "its pages are called by numbers; ranks need names: give vertices "
                               "with names, or build the store with --names");
    }
    if (status == MR_OK) {
        *has_hosts = graph.canonical.reversed_hosts;
        level->n_vertices = mr_store_get_info(graph.store)->n_vertices;
        level->n_edges = mr_store_get_info(graph.store)->n_edges;
    }
    mr_graph_close(release->session, &graph);
    return status;
}

/* Finds out what the names of the first level are, and which levels follow. */
static enum mr_status choose_levels(struct release *release, struct mr_error *err)
{
    bool hosts = false;
    const enum mr_status status = measure_level(release, &release->levels[0], &hosts, err);

    release->n_levels = 0;
    name_level(release, hosts ? "host" : "page", NULL);
    if (!release->flags->alone && !hosts) {
        name_level(release, "host", "#n_pages");
    }
    if (!release->flags->alone) {
        name_level(release, "domain", "#n_hosts");
    }
    return status;
}

/* ---- Stages ---- */

enum kind { BUILD, FOLD, PAGERANK, HARMONIC, COMPONENTS, DEGREE, TABLES, N_KINDS };

/* A kind of stage, and its output: the suffix, and about its bytes per link and per page. */
static const struct {
    const char *name;
    const struct mr_command *command; /* NULL: mr_release_tables, or the kind `name` */
    const char *suffix; /* NULL: the store of the level */
    double link_bytes, page_bytes;
} kinds[N_KINDS] = {
    [BUILD] = {"build", &mr_command_build, NULL, 2, 14},
    [FOLD] = {"fold", &mr_command_fold, NULL, 2, 14},
    [PAGERANK] = {"pagerank", NULL, MR_RELEASE_PAGERANK, 0, 8},
    [HARMONIC] = {"harmonic", NULL, MR_RELEASE_HARMONIC, 0, 8},
    [COMPONENTS] = {"components", NULL, MR_RELEASE_COMPONENTS, 0, 12},
    [DEGREE] = {"degree", NULL, MR_RELEASE_DEGREES, 0, 16},
    [TABLES] = {"tables", NULL, MR_RELEASE_STATISTICS, 0, 50},
};

/* Says what the stage will take. */
static void announce(struct release *release, enum kind kind, const struct mr_release_level *level,
                     const struct mr_stage *stage)
{
    struct mr_rank_costs estimate = {.memory_bytes = mr_release_tables_bytes(level->n_vertices),
                                     .temporary_bytes = 80 * level->n_vertices};
    const struct mr_import_options import = MR_IMPORT_DEFAULTS;
    uint64_t links = level->n_edges;
    char memory[32], temporary[32], size[32], free_text[32];
    struct statvfs disk;

    if (kind == BUILD &&
        mr_import_guess(&release->session->context, release->parsed->operands,
                        release->parsed->n_operands, &import, &links, NULL) != MR_OK) {
        links = level->n_edges;
    }
    if (stage->command != NULL) {
        estimate = mr_stage_estimate(&release->stages, stage);
    }
    const uint64_t output_bytes = (uint64_t)(kinds[kind].link_bytes * (double)links +
                                             kinds[kind].page_bytes * (double)level->n_vertices);
    mr_session_say(release->session,
                   "stage %u of %u, %s of the %s graph: at least %s of memory, %s of temporary "
                   "disk, %s of output",
                   release->stage, release->n_stages, kinds[kind].name, level->name,
                   mr_size_text(estimate.memory_bytes, memory),
                   mr_size_text(estimate.temporary_bytes, temporary),
                   mr_size_text(output_bytes, size));
    if (statvfs(release->flags->output, &disk) == 0) {
        const uint64_t room = (uint64_t)disk.f_bavail * disk.f_frsize;
        if (room < output_bytes + estimate.temporary_bytes) {
            mr_session_say(release->session,
                           "note: %s has only %s free; the stage may fail, and goes on later",
                           release->flags->output, mr_size_text(room, free_text));
        }
    }
}

/* The bytes of a file, or of the files in a directory. */
static uint64_t bytes_of(const char *path)
{
    struct stat info;
    DIR *listing = opendir(path);
    uint64_t bytes = 0;

    if (listing == NULL) {
        return stat(path, &info) == 0 ? (uint64_t)info.st_size : 0;
    }
    for (const struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        if (entry->d_name[0] != '.' && fstatat(dirfd(listing), entry->d_name, &info, 0) == 0) {
            bytes += (uint64_t)info.st_size;
        }
    }
    (void)closedir(listing);
    return bytes;
}

/* Each stage opens the store of the input by itself. All must read the same links. */
static enum mr_status check_input(struct release *release, struct mr_error *err)
{
    const char *path = release->parsed->operands[0];
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

static enum mr_status do_stage(struct release *release, const struct mr_release_level *level,
                               struct mr_stage *stage, struct mr_error *err)
{
    const double began = mr_now();
    enum mr_status status;

    if (stage->command != NULL) {
        status = mr_stage_run(&release->stages, stage, err);
    } else {
        status = mr_release_tables(release->session, level, err);
        stage->seconds = mr_now() - began;
        stage->peak_bytes = mr_session_peak_bytes();
    }
    if (status == MR_OK) {
        status = check_input(release, err);
    }
    if (status == MR_OK) {
        char peak[32], bytes[32];
        const uint64_t made = bytes_of(stage->output);
        mr_session_say(release->session, "stage %u of %u: %.1f s, peak memory %s, output %s",
                       release->stage, release->n_stages, stage->seconds,
                       mr_size_text(stage->peak_bytes, peak), mr_size_text(made, bytes));
        status = mr_stages_add(&release->stages, stage, made, err);
    }
    return status;
}

/* Runs a stage unless it is done, on `inputs`, with `options` up to a NULL. */
static enum mr_status run_stage(struct release *release, enum kind kind,
                                const struct mr_release_level *level, const char *const *inputs,
                                size_t n_inputs, const char *const *options, struct mr_error *err)
{
    char output[PATH_MAX];
    double seconds = 0;
    const bool is_ranking = kinds[kind].command == NULL && kind != TABLES;
    struct mr_stage stage = {.command = is_ranking ? mr_kind_command(kinds[kind].name)
                                                   : kinds[kind].command,
                             .inputs = inputs,
                             .n_inputs = n_inputs,
                             .is_silent = true, /* there the statistics come at the end */
                             .output = output};

    release->stage++;
    (void)snprintf(stage.name, sizeof stage.name, "%s %s", level->name, kinds[kind].name);
    mr_release_path(output, kinds[kind].suffix == NULL ? level->store : level->prefix,
                    kinds[kind].suffix == NULL ? "" : kinds[kind].suffix);
    mr_stage_add(&stage, kinds[kind].name);
    mr_stage_add(&stage, "-o");
    mr_stage_add(&stage, output);
    for (; *options != NULL; options++) {
        mr_stage_add(&stage, *options);
    }
    mr_stage_add(&stage, "--force");
    if (mr_stages_have(&release->stages, &stage, &seconds)) {
        mr_session_say(release->session,
                       "stage %u of %u, %s of the %s graph: done before, in %.1f s", release->stage,
                       release->n_stages, kinds[kind].name, level->name, seconds);
        return MR_OK;
    }
    const enum mr_status status = mr_folder_begin(&release->folder, err);
    if (status != MR_OK) {
        return status;
    }
    announce(release, kind, level, &stage);
    return do_stage(release, level, &stage, err);
}

static enum mr_status run_level(struct release *release, const struct mr_release_level *level,
                                struct mr_error *err)
{
    char log2m[8], sizes[PATH_MAX];
    const char *const options[N_KINDS][4] = {[HARMONIC] = {"--log2m", log2m},
                                             [COMPONENTS] = {"--part", "--sizes", sizes},
                                             [TABLES] = {"--log2m", log2m}};
    enum mr_status status = MR_OK;

    (void)snprintf(log2m, sizeof log2m, "%u", (unsigned)release->flags->log2m);
    mr_release_path(sizes, level->prefix, MR_RELEASE_SIZES);
    for (int kind = PAGERANK; kind < N_KINDS && status == MR_OK; kind++) {
        status =
            run_stage(release, (enum kind)kind, level, &level->store_path, 1, options[kind], err);
    }
    return status;
}

static enum mr_status run_fold(struct release *release, const struct mr_release_level *from,
                               struct mr_release_level *to, struct mr_error *err)
{
    const char *by = strcmp(to->name, "host") == 0 ? "host" : "icann-domain";
    const char *const options[] = {"--by", by, "--weights", "none", "--members", to->counts, NULL};

    to->n_vertices = from->n_vertices;
    to->n_edges = from->n_edges;
    return run_stage(release, FOLD, to, &from->store_path, 1, options, err);
}

/* ---- The command ---- */

/* Refuses a directory with files of a level that this release does not make: they would look like
 * its own. */
static enum mr_status refuse_other_levels(const struct release *release, struct mr_error *err)
{
    static const char *const names[] = {"page", "host", "domain"};
    char old[PATH_MAX];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bool made = false;
        for (size_t k = 0; k < release->n_levels; k++) {
            made = made || strcmp(release->levels[k].name, names[i]) == 0;
        }
        (void)snprintf(old, sizeof old, "%s/%s" MR_RELEASE_STATISTICS, release->flags->output,
                       names[i]);
        if (!made && mr_io_exists(old)) {
            return mr_error_file(err, MR_ERROR_USAGE, old, 0,
                                 "is of another release, and this one has no %s graph; name "
                                 "another directory, or remove %s/%s*",
                                 names[i], release->flags->output, names[i]);
        }
    }
    return MR_OK;
}

static enum mr_status run_all(struct release *release, struct mr_error *err)
{
    static const char *const no_options[] = {NULL};
    const unsigned n_before = release->from_store ? 0 : 1;
    enum mr_status status = MR_OK;
    bool has_hosts;

    release->n_stages = n_before + 6 * (release->flags->alone ? 1U : 2U) - 1;
    if (!release->from_store) {
        status = run_stage(release, BUILD, &release->levels[0], release->parsed->operands,
                           release->parsed->n_operands, no_options, err);
    }
    if (status == MR_OK) {
        status = choose_levels(release, err);
        release->n_stages = n_before + 6 * (unsigned)release->n_levels - 1;
    }
    if (status == MR_OK && release->folder.beside) {
        status = refuse_other_levels(release, err);
    }
    for (size_t i = 0; i < release->n_levels && status == MR_OK; i++) {
        struct mr_release_level *level = &release->levels[i];
        if (i > 0) {
            status = run_fold(release, level - 1, level, err);
        }
        if (status == MR_OK) {
            status = measure_level(release, level, &has_hosts, err);
        }
        if (status == MR_OK) {
            status = run_level(release, level, err);
        }
    }
    return status;
}

static bool is_empty(const char *directory)
{
    DIR *listing = opendir(directory);
    bool empty = true;

    if (listing == NULL) {
        return true;
    }
    for (const struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        empty = empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
                          strcmp(entry->d_name, MR_LOCK_NAME) == 0);
    }
    (void)closedir(listing);
    return empty;
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
    const bool was_empty = is_empty(flags->output);
    enum mr_status status = find_inputs(release, parsed, err);
    if (status == MR_OK && release->from_store) {
        status =
            mr_store_open(&release->session->context, release->parsed->operands[0], &store, err);
        release->store_id = status == MR_OK ? mr_store_get_info(store)->store_id : 0;
    }
    mr_store_close(store);
    if (status == MR_OK) {
        status = mr_folder_open(&release->session->context, flags->output,
                                flags->common.force && !was_empty, true, &release->folder, err);
    }
    if (status == MR_OK) {
        status =
            mr_stages_open(&release->stages, release->folder.work, describe_inputs(release), err);
    }
    if (status == MR_OK && !release->stages.goes_on && !flags->common.force && !was_empty) {
        status = mr_error_file(err, MR_ERROR_USAGE, flags->output, 0,
                               "has files, but no release that could go on (release.json); name "
                               "another directory, or say --force to write into this one");
    }
    if (status == MR_OK) {
        name_level(release, "input", NULL);
        (void)snprintf(release->levels[0].store, PATH_MAX, "%s%s",
                       release->from_store ? release->parsed->operands[0] : release->folder.work,
                       release->from_store ? "" : "/graph.mill");
    }
    return status;
}

static enum mr_status run_release(struct mr_session *session, const void *data,
                                  const struct mr_parsed *parsed, struct mr_error *err)
{
    struct release release = {
        .session = session, .flags = data, .stages = {.session = session, .caller = "release"}};

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
        status = mr_session_flush(err); /* what it printed about the results */
    }
    if (status == MR_OK) {
        status = mr_folder_commit(&release.folder, err);
    }
    mr_input_paths_free(&release.inputs);
    mr_stages_close(&release.stages);
    mr_folder_close(&release.folder, false);
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
            "build, pagerank, harmonic, components, degree and fold one after the other, and "
            "announces each stage with what it takes. The same command goes on where an "
            "earlier one stopped; --force begins anew.",
    .examples = "  millrace release vertices.txt.gz edges.txt.gz -o release --memory 12G\n"
                "  millrace release web.mill -o release --log2m 12\n",
    .groups = {{.title = "Release", .options = release_options, .base = 0},
               MR_COMMON_GROUP_WITHOUT("json estimate")},
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .operand_files = MR_OPERANDS_LISTED,
    .operands = "files of vertices and edges, or a store",
    MR_COMMAND_RUNS(defaults, run_release),
};
