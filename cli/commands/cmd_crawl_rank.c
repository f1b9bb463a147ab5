/* SPDX-License-Identifier: Apache-2.0 */
/* millrace crawl-rank: turns lists of links into the file that a crawler loads, in one command.
 *
 * It runs `build`, `pagerank` and `precedence` as stages (cli/release/stages.h) and prints each
 * command line. So the store, the scores and the levels are exactly those of the single commands.
 * A run that was killed, interrupted or met a full disk leaves the state beside its unfinished
 * results, and the same command goes on: it skips the stages that are done. */
#include <math.h>
#include <string.h>

#include "cli/graph/best_pages.h"
#include "cli/graph/building.h"
#include "cli/graph/fetch_plan.h"
#include "cli/levels/levels_file.h"
#include "cli/program/option_table.h"
#include "cli/ranking/kind.h"
#include "cli/release/release.h"
#include "engine/base/clock.h"
#include "engine/base/memory.h"
#include "library/folder.h"

struct crawl_flags {
    struct mr_common_flags common;
    const char *output;
    struct mr_import_options import;
    struct mr_fetch_flags fetch;
    uint64_t max_unknown;
    /* Of options that only go to a stage. */
    const char *damping, *tolerance, *iterations, *links, *internal_weight, *external_weight;
    bool heritrix, weights;
    const char *levels, *percentages, *crawler, *only_changed;
    bool log_scale, per_host;
};

static const struct crawl_flags defaults = {.common = MR_COMMON_DEFAULTS,
                                            .import = MR_IMPORT_DEFAULTS};

#define FIELD(name) offsetof(struct crawl_flags, name)
#define TEXT(field, option, what, ...)                                                             \
    {                                                                                              \
        .name = (option), .type = MR_OPTION_TEXT, .offset = FIELD(field), .value = (what),         \
        .help = __VA_ARGS__                                                                        \
    }
#define FLAG(field, option, words)                                                                 \
    {                                                                                              \
        .name = (option), .type = MR_OPTION_FLAG, .offset = FIELD(field), .help = (words)          \
    }

static const struct mr_option output_options[] = {
    {"output", 'o', MR_OPTION_TEXT, FIELD(output), "DIR", .file = MR_FILE_DIRECTORY,
     .help = "Directory of crawl.mill, ranks.tsv and precedence.txt. The command makes it if it "
             "does not exist. Required.",
     .often = true},
    {0}};

static const struct mr_option rank_options[] = {
    TEXT(damping, "damping", "D",
         "Damping factor. See 'millrace help pagerank' for this option and the next ones.",
         .often = true),
    TEXT(tolerance, "tolerance", "E", "Error bound to reach."),
    TEXT(iterations, "iterations", "N", "Make N rounds of plain power iteration instead."),
    {"heritrix", 0, MR_OPTION_FLAG, FIELD(heritrix),
     .help = "Compute the numbers of Heritrix's offline PageRank.",
     .excludes = {{.names = "damping|weights|self-loops=drop",
                   .why = "makes plain rounds of 0.15 + 0.85 * sum that start from 1 for each page "
                          "with a link to it"}}},
    TEXT(links, "links", "all|external|internal", "Use only external or only internal links.",
         .often = true),
    TEXT(internal_weight, "internal-weight", "W", "Weight of a link inside a host."),
    TEXT(external_weight, "external-weight", "W", "Weight of any other link."),
    {"weights", 0, MR_OPTION_FLAG, FIELD(weights),
     .help = "Use the weights of links. All inputs must have weights.",
     .excludes = {{.names = "links=external|links=internal|internal-weight|external-weight"}}},
    {0}};

static const struct mr_option level_options[] = {
    TEXT(levels, "levels", "N",
         "Number of levels. See 'millrace help precedence' for this option and the next ones.",
         .often = true),
    TEXT(percentages, "percentages", "P,P,...", "Percentage of the pages on each level."),
    FLAG(log_scale, "log-scale", "Make levels by the logarithm of the score."),
    FLAG(per_host, "per-host", "Make levels for the pages of each host separately."),
    {"crawler", 0, MR_OPTION_TEXT, FIELD(crawler), "CRAWLER", .choices = MR_CRAWLER_CHOICES,
     .help = "The format to write: one of those of 'millrace help precedence'. Default heritrix.",
     .often = true},
    {"only-changed", 0, MR_OPTION_TEXT, FIELD(only_changed), "OLD", .file = MR_FILE_READ,
     .help = "Write only lines that OLD does not have.", .often = true},
    MR_MAX_UNKNOWN_OPTION(FIELD(max_unknown), "names in --fetched or --times"),
    {0}};

#undef FIELD

/* ---- The stages ---- */

enum { BUILD, RANK, LEVELS, N_STAGES };

static const struct {
    const struct mr_command *command; /* NULL: pagerank */
    const char *output; /* in the directory */
    const struct mr_option *options[2]; /* what is passed on */
    enum mr_file_use use;
    const char *what; /* the output, in messages */
} stage_kinds[N_STAGES] = {
    [BUILD] = {&mr_command_build, "/crawl.mill", {mr_import_options}, MR_FILE_STORE, "the store"},
    [RANK] = {NULL, "/ranks.tsv", {rank_options}, MR_FILE_SCORES, "the scores"},
    [LEVELS] = {&mr_command_precedence,
                "/precedence.txt",
                {level_options, mr_fetch_options + MR_FETCH_LIST_ROWS},
                MR_FILE_WRITE,
                "the levels"},
};

struct crawl_run {
    struct mr_session *session;
    const struct crawl_flags *flags;
    const struct mr_parsed *parsed;
    struct mr_stages stages;
    char outputs[N_STAGES][PATH_MAX];
    const char *output_of[N_STAGES]; /* the same, as operands */
    char names[MR_STAGE_WORDS][32]; /* of options, with dashes */
    bool is_known; /* the inputs are files, so a later run can tell whether they are the same */
    uint64_t peak_bytes;
};

static void set_outputs(struct crawl_run *run, const char *directory)
{
    for (int i = 0; i < N_STAGES; i++) {
        (void)snprintf(run->outputs[i], PATH_MAX, "%s%s", directory, stage_kinds[i].output);
        run->output_of[i] = run->outputs[i];
    }
}

static bool wants_classes(const struct crawl_flags *flags)
{
    return (flags->links != NULL && strcmp(flags->links, "all") != 0) ||
           flags->internal_weight != NULL || flags->external_weight != NULL;
}

/* Adds an option; a `value` of NULL: it has none. */
static void add_option(struct crawl_run *run, struct mr_stage *stage, const char *name,
                       const char *value)
{
    char *word = run->names[stage->n_words];

    (void)snprintf(word, sizeof run->names[0], "--%s", name);
    mr_stage_add(stage, word);
    if (value != NULL) {
        mr_stage_add(stage, value);
    }
}

/* Adds the options of a table that were given, in the order of the table: the same command has the
 * same text then. */
static void add_given(struct crawl_run *run, struct mr_stage *stage, const struct mr_option *table)
{
    for (const struct mr_option *o = table; o->name != NULL; o++) {
        bool is_done = false; /* a flag that was given twice is passed on once */
        for (size_t i = 0; i < run->parsed->n_given && !is_done; i++) {
            if (run->parsed->given[i].option == o) {
                add_option(run, stage, o->name, run->parsed->given[i].text);
                is_done = o->type == MR_OPTION_FLAG;
            }
        }
    }
}

/* The command of a stage. */
static void make_stage(struct crawl_run *run, int i, struct mr_stage *stage)
{
    const struct crawl_flags *flags = run->flags;

    *stage =
        (struct mr_stage){.command = stage_kinds[i].command != NULL ? stage_kinds[i].command
                                                                    : mr_kind_command("pagerank"),
                          .output = run->outputs[i],
                          .inputs = i == BUILD ? run->parsed->operands : &run->output_of[i - 1],
                          .n_inputs = i == BUILD ? run->parsed->n_operands : 1};
    (void)snprintf(stage->name, sizeof stage->name, "%s", stage->command->name);
    mr_stage_add(stage, stage->command->name);
    mr_stage_add(stage, "-o");
    mr_stage_add(stage, stage->output);
    for (unsigned t = 0; t < 2 && stage_kinds[i].options[t] != NULL; t++) {
        add_given(run, stage, stage_kinds[i].options[t]);
    }
    if (i == BUILD && wants_classes(flags) &&
        mr_options_given(run->parsed, mr_import_options, "classes") == NULL) {
        add_option(run, stage, "classes", "host");
    }
    if (i == BUILD && flags->weights) {
        add_option(run, stage, "weights", NULL);
    }
    if (i == LEVELS) {
        add_option(run, stage, "spellings", run->outputs[BUILD]);
    }
    mr_stage_add(stage, "--force");
}

/* Adds the files in an existing directory. A new directory has no files to refuse. */
static enum mr_status list_files(const void *data, const struct mr_parsed *parsed,
                                 struct mr_files *files, struct mr_error *err)
{
    const struct crawl_flags *flags = data;

    (void)parsed;
    (void)err;
    mr_fetch_list_files(&flags->fetch, files);
    for (int i = 0; i < N_STAGES && flags->output != NULL; i++) {
        if (mr_io_is_directory(flags->output) && !mr_folder_is_cut_off(flags->output)) {
            mr_files_add(files, stage_kinds[i].use, stage_kinds[i].what, flags->output,
                         stage_kinds[i].output);
        }
    }
    return MR_OK;
}

static void add_input(struct crawl_run *run, json_t **list, const char *path)
{
    json_t *file = mr_stages_input(path);

    run->is_known = run->is_known && json_object_get(file, "bytes") != NULL;
    if (json_array_append_new(*list, file) != 0) {
        json_decref(*list);
        *list = NULL;
    }
}

/* What the store is made of. Files for the levels may change: they are made in every run. */
static enum mr_status open_state(struct crawl_run *run, struct mr_error *err)
{
    const struct mr_parsed *parsed = run->parsed;
    json_t *list = json_array();

    run->is_known = true;
    for (size_t i = 0; i < parsed->n_operands; i++) {
        add_input(run, &list, parsed->operands[i]);
    }
    if (run->flags->import.vertices_from != NULL) {
        add_input(run, &list, run->flags->import.vertices_from);
    }
    return mr_stages_open(&run->stages, run->flags->output, list, err);
}

static enum mr_status run_stages(struct crawl_run *run, struct mr_error *err)
{
    enum mr_status status = open_state(run, err);
    bool worked = false;

    for (int i = 0; i < N_STAGES && status == MR_OK; i++) {
        struct mr_stage stage;
        double seconds = 0;
        make_stage(run, i, &stage);
        /* A stage is done if all that it reads is as it was. */
        if (!worked && i != LEVELS && run->is_known &&
            mr_stages_have(&run->stages, &stage, &seconds)) {
            mr_session_say(run->session, "%s%s: done before, in %.1f s", run->flags->output,
                           stage_kinds[i].output, seconds);
            continue;
        }
        worked = true;
        status = mr_stage_run(&run->stages, &stage, err);
        if (status == MR_OK) {
            status = mr_stages_add(&run->stages, &stage, 0, err);
        }
        run->peak_bytes = stage.peak_bytes > run->peak_bytes ? stage.peak_bytes : run->peak_bytes;
    }
    return status;
}

/* Ends the run. The state is removed if all is done, or if nothing is that could go on. Returns
 * true if the same command can go on, or if the run of another one was not touched. */
static bool close_state(struct crawl_run *run, bool is_done)
{
    const json_t *stages = json_object_get(run->stages.root, "stages");
    const bool has_some = json_object_size(stages) > 0 && mr_io_exists(run->stages.path);
    const bool stays = run->stages.root == NULL ||
                       (!is_done && run->is_known && has_some && !run->session->flags.force);

    if (!stays && mr_io_exists(run->stages.path)) {
        enum mr_status ignored = mr_io_unlink(run->session->context.io, run->stages.path, NULL);
        (void)ignored;
    }
    if (stays && run->stages.root != NULL) {
        mr_session_say(run->session, "%s keeps what is done: the same command goes on from there",
                       run->flags->output);
    }
    mr_stages_close(&run->stages);
    return stays;
}

/* ---- What is shown at the end ---- */

/* Prints the best pages. The scores are read back from their file, and the proven bound from the
 * metadata beside it. Pages that the ranking left out (--heritrix) have no scores and are not
 * listed. `*has_hosts` says whether the names have hosts. */
static enum mr_status print_best(struct crawl_run *run, bool *has_hosts, struct mr_error *err)
{
    struct mr_session *session = run->session;
    struct mr_memory *memory = session->context.memory;
    const char *ranks = run->outputs[RANK];
    struct mr_graph graph = {0};
    struct mr_scores_found found = {0};
    double *scores = NULL;
    uint8_t *chosen = NULL;
    uint64_t n = 0;

    enum mr_status status = mr_graph_open_at(session, run->outputs[BUILD], &graph, err);
    if (status == MR_OK) {
        n = mr_store_get_info(graph.store)->n_vertices;
        *has_hosts = mr_store_get_info(graph.store)->name_kind == MR_NAMES_TEXT;
        const struct mr_memory_wanted arrays[] = {
            MR_WANTED("scores", n + 1, &scores),
            MR_WANTED("pages with scores", n / 8 + 1, &chosen),
        };
        status = mr_memory_arrays(memory, arrays, err);
    }
    if (status == MR_OK) {
        status =
            mr_scores_read(&session->context, ranks, NULL, graph.names, n, scores, &found, err);
    }
    for (uint64_t v = 0; status == MR_OK && v < n; v++) {
        chosen[v / 8] |= (uint8_t)(!isnan(scores[v]) << v % 8);
    }
    if (status == MR_OK) {
        const struct mr_score_column column = {
            .name = "score", .type = MR_SCORES_DOUBLE, .values = scores};
        const struct mr_best_pages best = {.graph = &graph,
                                           .columns = &column,
                                           .n_columns = 1,
                                           .bound = mr_bound_beside(&session->context, ranks),
                                           .chosen = chosen};
        status = mr_best_pages_print(session, &best, err);
    }
    (void)putchar('\n');
    mr_memory_free(memory, chosen);
    mr_memory_free(memory, scores);
    mr_graph_close(session, &graph);
    return status;
}

/* Shows the best pages and the hosts whose pages have most score together. */
static enum mr_status show_best(struct crawl_run *run, struct mr_error *err)
{
    const char *const words[] = {"hosts", "--scores", run->outputs[RANK], "--sort", "score",
                                 "--top", "10",       "--header",         "--quiet"};
    struct mr_stage hosts = {
        .command = &mr_command_hosts, .inputs = &run->output_of[BUILD], .n_inputs = 1};
    bool has_hosts = false;
    enum mr_status status = print_best(run, &has_hosts, err);

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        mr_stage_add(&hosts, words[i]);
    }
    /* `hosts` sums up scores of all pages, and --heritrix leaves pages out. */
    return status == MR_OK && has_hosts && !run->flags->heritrix
               ? mr_stage_run(&run->stages, &hosts, err)
               : status;
}

/* ---- The command ---- */

static enum mr_status run_all(struct crawl_run *run, struct mr_error *err)
{
    const struct crawl_flags *flags = run->flags;
    struct mr_folder folder = {0};

    if (flags->output == NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "crawl-rank: needs an output directory; say -o DIR, such as -o out");
    }
    enum mr_status status = mr_folder_open(&run->session->context, flags->output, true,
                                           flags->common.force, &folder, err);
    if (status == MR_OK) {
        set_outputs(run, folder.work);
        status = run_stages(run, err);
    }
    if (status == MR_OK && !run->session->flags.quiet) {
        status = show_best(run, err);
    }
    if (status == MR_OK) {
        status = mr_session_flush(err); /* what it printed about the results */
    }
    if (status == MR_OK) {
        status = mr_folder_commit(&folder, err);
    }
    mr_folder_close(&folder, close_state(run, status == MR_OK));
    set_outputs(run, flags->output);
    return status;
}

static enum mr_status run_crawl_rank(struct mr_session *session, const void *data,
                                     const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct crawl_flags *flags = data;
    struct crawl_run run = {.session = session,
                            .flags = flags,
                            .parsed = parsed,
                            .stages = {.session = session, .caller = "crawl-rank"}};
    const double started = mr_now();
    char peak[32];

    if (flags->common.estimate || flags->common.json) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "crawl-rank has no --estimate and no --json; its steps have them: "
                            "'millrace build', 'pagerank' and 'precedence'");
    }
    enum mr_status status = mr_fetch_check(&flags->fetch, MR_FETCH_OF_SCORES, false, NULL, err);
    if (status == MR_OK) {
        status = run_all(&run, err);
    }
    if (status == MR_OK) {
        mr_session_say(session,
                       "%s: crawl.mill, ranks.tsv and precedence.txt, %.1f s, peak memory %s",
                       flags->output, mr_now() - started, mr_size_text(run.peak_bytes, peak));
    }
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
                "  millrace crawl-rank links.txt -o out --columns target-source --levels 10\n"
                "  millrace crawl-rank *.warc.gz -o out --fetched crawl.log --next 20000\n",
    .groups = {{.title = "Output", .options = output_options, .base = 0},
               {.title = "Building",
                .options = mr_import_options,
                .topic = "inputs",
                .base = offsetof(struct crawl_flags, import)},
               {.title = "Ranking", .options = rank_options, .base = 0},
               {.title = "Levels", .options = level_options, .base = 0},
               {.title = "Pages to fetch",
                .options = mr_fetch_options + MR_FETCH_LIST_ROWS,
                .base = offsetof(struct crawl_flags, fetch)},
               MR_COMMON_GROUP_WITHOUT("json estimate")},
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .list_files = list_files,
    .operands = "an input file (- for standard input)",
    MR_COMMAND_RUNS(defaults, run_crawl_rank),
};
