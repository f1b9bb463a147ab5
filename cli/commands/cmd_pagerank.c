/* SPDX-License-Identifier: Apache-2.0 */
/* What the program adds to the kind "pagerank": the log, checkpoints beside -o and --resume, and
 * the graph and the file of Heritrix. The checkpoint is removed last. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/ranking/kind.h"
#include "engine/io/workspace.h"
#include "library/import/import_files.h"
#include "library/query/subset.h"
#include "library/rank/pagerank_saver.h"

#define CHECKPOINT_SUFFIX ".checkpoint"

enum { RESUME_NO, RESUME_YES, RESUME_AUTO };

struct pagerank_flags {
    const char *heritrix_file;
    const char *what_if, *without;
    const char *log;
    int resume; /* index into "no|yes|auto" */
};
static const struct pagerank_flags defaults;

#define WHOLE_GRAPH "links|largest|internal-weight|external-weight|heritrix"
#define FIELD(name) offsetof(struct pagerank_flags, name)
static const struct mr_option options[] = {
    {"resume", 0, MR_OPTION_CHOICE, FIELD(resume), .may_be_alone = true, .choices = "no|yes|auto",
     .help = "yes, or --resume alone: continue from the checkpoint of an interrupted run with the "
             "same store and parameters. The scores are the same, bit by bit. auto: continue if "
             "there is such a checkpoint, else begin. Default no."},
    {"heritrix-file", 0, MR_OPTION_TEXT, FIELD(heritrix_file), "FILE", .file = MR_FILE_WRITE,
     .help = "With --heritrix: also write the file that Heritrix's job passes from round to round, "
             "lines PAGE SCORE O:TARGET,TARGET. It is an input for build, and for --start.",
     .needs = {{.names = "heritrix"}}},
    {"what-if", 0, MR_OPTION_TEXT, FIELD(what_if), "ADD", .file = MR_FILE_READ,
     .help =
         "Rank the graph as it would be with the links in the file ADD, too, which may name new "
         "pages. It is a temporary copy; STORE stays as it is. With --start OLD, the scores of "
         "STORE, fewer passes do; 'millrace compare --changes OLD NEW' then says what changes. "
         "Options about inputs, such as --columns, say how ADD and DROP are read.",
     .excludes = {{.names = WHOLE_GRAPH, .why = "ranks all links"}}},
    {"without", 0, MR_OPTION_TEXT, FIELD(without), "DROP", .file = MR_FILE_READ,
     .help = "The same without the links in the file DROP. Their pages stay.",
     .excludes = {{.names = WHOLE_GRAPH, .why = "ranks all links"}}},
    {"log", 0, MR_OPTION_TEXT, FIELD(log), "FILE", .file = MR_FILE_LISTED,
     .help = "Write a line to FILE after each pass: pass, bound, whether the bound is certified or "
             "estimated, seconds in passes, links applied, bytes read. Tabs between, with a "
             "header. 'millrace report --log FILE' draws it."},
    {0}};
#undef FIELD

/* The data of one run. */
struct pagerank {
    struct mr_graph linked; /* with --heritrix, if that leaves something out; else zero */
    uint64_t n_pages, n_self_loops; /* that it leaves out */
    FILE *log; /* or NULL */
    bool log_goes_on; /* behind the lines of the run that is resumed */
    int log_errno; /* of the first failure to write the log; 0: none */
    char *checkpoint; /* path, owned; NULL where none is written */
    struct mr_pagerank_saver saver;
    struct mr_pagerank_hooks hooks;
};

static const struct pagerank_flags *flags_of(const struct mr_run *run)
{
    return mr_kind_flags(run->flags);
}

/* ---- The log ---- */

static void head_log(const struct pagerank *run)
{
    (void)fputs("pass\tbound\tcertified\tseconds\tedge_visits\tbytes_read\n", run->log);
}

static enum mr_status open_log(struct pagerank *run, const char *path, struct mr_error *err)
{
    const bool resumes = run->saver.resumes;

    if (path == NULL) {
        return MR_OK;
    }
    /* O_NONBLOCK: to open a pipe without a reader is an error, and does not wait. */
    int fd;
    do {
        fd = open(path,
                  O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK |
                      (resumes ? O_APPEND : O_TRUNC),
                  0666);
    } while (fd < 0 && errno == EINTR);
    if (fd >= 0) {
        (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
        run->log = fdopen(fd, resumes ? "a" : "w");
    }
    if (run->log == NULL) {
        if (fd >= 0) {
            (void)close(fd);
        }
        return mr_error_file(err, MR_ERROR_RUNTIME, path, errno, "cannot write");
    }
    if (!resumes) {
        head_log(run);
    }
    run->log_goes_on = resumes;
    return MR_OK;
}

/* The solver calls this after each pass. A failure to write ends the log and not the ranking, whose
 * scores may have taken hours; `end` reports it. */
static enum mr_status log_step(void *data, const struct mr_pagerank_step *step,
                               struct mr_error *err)
{
    struct pagerank *run = data;
    const struct mr_pass_figures *figures = &step->figures;
    (void)err;
    if (run->log_errno != 0) {
        return MR_OK;
    }
    if (run->log_goes_on && !run->saver.resumes && ftruncate(fileno(run->log), 0) == 0) {
        head_log(run);
    }
    run->log_goes_on = false;
    (void)fprintf(run->log, "%u\t", step->pass);
    if (step->bound >= 0) {
        (void)fprintf(run->log, "%.6e", step->bound);
    }
    (void)fprintf(run->log, "\t%d\t%.6f\t%" PRIu64 "\t%" PRIu64 "\n", step->certified,
                  figures->seconds, figures->edge_visits,
                  figures->bytes_read + figures->degree_bytes_read);
    if (fflush(run->log) != 0 || ferror(run->log) != 0) {
        run->log_errno = errno != 0 ? errno : EIO;
    }
    return MR_OK;
}

/* ---- The checkpoint ---- */

/* Sets `*path` to --checkpoint, or to a file beside the output, or to NULL for standard output
 * and devices. The caller frees it. */
static enum mr_status place_checkpoint(const char *given, const char *output, char **path,
                                       struct mr_error *err)
{
    *path = NULL;
    if (given != NULL) {
        *path = strdup(given);
    } else if (!mr_output_is_standard(output) && strncmp(output, "/dev/", 5) != 0) {
        if (asprintf(path, "%s" CHECKPOINT_SUFFIX, output) < 0) {
            *path = NULL;
        }
    } else {
        return MR_OK;
    }
    return *path != NULL ? MR_OK
                         : mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a file name");
}

static enum mr_status list_files(const void *data, const struct mr_parsed *parsed,
                                 struct mr_files *files, struct mr_error *err)
{
    const struct mr_ranking_flags *ranking = data;
    const struct pagerank_flags *flags = mr_kind_flags(data);
    const char *given = mr_kind_text(parsed, "checkpoint");
    char *path = NULL;

    mr_fetch_list_files(&ranking->fetch, files);
    enum mr_status status = place_checkpoint(given, ranking->columns.output, &path, err);
    if (status == MR_OK && path != NULL) {
        const bool may_exist = given == NULL || flags->resume != RESUME_NO || ranking->common.force;
        status = mr_pagerank_saver_check(path, may_exist, err);
    }
    if (path != NULL && given == NULL) {
        mr_files_add(files, MR_FILE_UPDATED, "the checkpoint of -o", path, NULL);
    }
    mr_files_add(files, flags->resume != RESUME_NO ? MR_FILE_UPDATED : MR_FILE_WRITE, "--log",
                 flags->log, NULL);
    free(path);
    return status;
}

/* ---- The run ---- */

static enum mr_status check(struct mr_run *run, struct mr_error *err)
{
    const struct pagerank_flags *flags = flags_of(run);
    const bool is_heritrix = mr_kind_gives(run, "heritrix");

    if (flags->resume == RESUME_YES && mr_kind_text(run->parsed, "checkpoint") == NULL &&
        mr_output_is_standard(run->flags->columns.output)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--resume needs a checkpoint; name it with --checkpoint FILE, or name "
                            "the output with -o");
    }
    if (flags->log != NULL && mr_output_is_standard(flags->log)) {
        return mr_error_set(err, MR_ERROR_USAGE, "--log %s: needs a file of its own", flags->log);
    }
    if (is_heritrix && run->flags->import.self_loops == 1) {
        return mr_error_set(
            err, MR_ERROR_USAGE,
            "--heritrix needs the links of pages to themselves; leave out --self-loops drop");
    }
    run->import.ignores_weights = is_heritrix ? "--heritrix counts links" : NULL;
    return MR_OK;
}

/* Replaces the graph by a copy with other links. */
static enum mr_status change_graph(struct mr_run *run, struct mr_error *err)
{
    const struct pagerank_flags *flags = flags_of(run);
    const bool is_store = run->graph.temporary == NULL;
    /* Options about inputs are those of the lists, unless an input needs them. */
    struct mr_import_options import =
        is_store ? run->import : (struct mr_import_options)MR_IMPORT_DEFAULTS;
    struct mr_store_append_options changes = MR_STORE_APPEND_OPTIONS_INIT;
    struct mr_store_append_figures figures;
    struct mr_import_summary input;
    struct mr_graph changed = {0};
    char added[64], removed[32], pages[64];

    changes.without = &flags->without;
    changes.n_without = flags->without != NULL ? 1 : 0;
    import.zstd_level = MR_ZSTD_LEVEL_OF_STORE;
    enum mr_status status =
        is_store ? mr_append_check_options(&import, &changes, flags->what_if != NULL, err) : MR_OK;
    if (status != MR_OK) {
        return status;
    }
    status = mr_session_temporary(run->session, "what-if", &changed.temporary, err);
    changes.to = changed.temporary;
    if (status == MR_OK) {
        status = mr_append_inputs(&run->session->context, mr_store_path(run->graph.store),
                                  &flags->what_if, flags->what_if != NULL ? 1 : 0, &import,
                                  &changes, &input, &figures, err);
    }
    mr_graph_close(run->session, &run->graph);
    run->graph = changed;
    if (status != MR_OK) {
        return status;
    }
    mr_session_say(run->session, "note: ranking a changed copy in %s: %s more, %s fewer, %s",
                   mr_workspace_parent(&run->session->context),
                   mr_count_of_text(figures.n_new_links, "link", added),
                   mr_count_text(figures.n_removed, removed),
                   mr_count_of_text(figures.n_new_vertices, "new page", pages));
    if (figures.n_new_links + figures.n_removed + figures.n_new_vertices == 0) {
        mr_session_say(run->session,
                       "note: this changes nothing: the store has all links of --what-if, and "
                       "none of --without; 'millrace show STORE PAGE --links-out' prints links");
    }
    status = mr_graph_open_at(run->session, changed.temporary, &run->graph, err);
    return status == MR_OK && run->flags->weights
               ? mr_graph_open_weights(run->session, &run->graph, err)
               : status;
}

/* Ranks the graph of Heritrix's offline PageRank, a temporary store unless it is the whole graph.
 */
static enum mr_status link_graph(struct mr_run *run, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(run->graph.store);
    struct mr_session *session = run->session;
    struct pagerank *own = mr_kind_data(run);
    struct mr_store_build_figures summary;
    bool is_whole = false;
    char n_pages[32], n_loops[32];

    if (info->self_loops_dropped) {
        return mr_error_file(err, MR_ERROR_USAGE, run->parsed->operands[0], 0,
                             "was built with --self-loops drop, and --heritrix needs the links of "
                             "pages to themselves; build it without that flag");
    }
    enum mr_status status = mr_session_temporary(session, "heritrix", &own->linked.temporary, err);
    if (status == MR_OK) {
        status = mr_part_of_heritrix(&session->context, run->graph.store, own->linked.temporary,
                                     &is_whole, &summary, err);
    }
    if (status != MR_OK || is_whole) {
        return status;
    }
    own->n_pages = info->n_vertices - summary.n_vertices;
    own->n_self_loops = info->n_self_loops;
    mr_session_say(session,
                   "note: --heritrix leaves out pages without a link to them (%s) and self-loops "
                   "(%s)%s; making a temporary store without them in %s",
                   mr_count_text(own->n_pages, n_pages), mr_count_text(own->n_self_loops, n_loops),
                   info->duplicates_kept ? ", and counts repeated links once" : "",
                   mr_workspace_parent(&session->context));
    run->ranked = &own->linked;
    return mr_graph_open_at(session, own->linked.temporary, &own->linked, err);
}

static enum mr_status prepare(struct mr_run *run, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    if (flags_of(run)->what_if != NULL || flags_of(run)->without != NULL) {
        status = change_graph(run, err);
    }
    return status == MR_OK && mr_kind_gives(run, "heritrix") ? link_graph(run, err) : status;
}

/* Opens the log and the checkpoint. */
static enum mr_status begin(struct mr_run *run, struct mr_rank_extras *extras, struct mr_error *err)
{
    const struct pagerank_flags *flags = flags_of(run);
    const char *given = mr_kind_text(run->parsed, "checkpoint");
    struct pagerank *pagerank = mr_kind_data(run);

    enum mr_status status =
        place_checkpoint(given, run->flags->columns.output, &pagerank->checkpoint, err);
    pagerank->saver = (struct mr_pagerank_saver){.context = &run->session->context,
                                                 .path = pagerank->checkpoint,
                                                 .only_at_interruption = given == NULL,
                                                 .resumes = flags->resume == RESUME_YES ||
                                                            (flags->resume == RESUME_AUTO &&
                                                             pagerank->checkpoint != NULL &&
                                                             mr_io_exists(pagerank->checkpoint)),
                                                 .may_begin = flags->resume == RESUME_AUTO};
    if (status == MR_OK) {
        status = open_log(pagerank, flags->log, err);
    }
    pagerank->hooks = (struct mr_pagerank_hooks){.data = pagerank,
                                                 .step = pagerank->log != NULL ? log_step : NULL};
    extras->hooks = &pagerank->hooks;
    extras->saver = pagerank->checkpoint != NULL ? &pagerank->saver : NULL;
    return status;
}

static void describe(const struct mr_run *run, struct mr_json *json)
{
    const struct pagerank *pagerank = mr_kind_data(run);

    if (mr_kind_gives(run, "heritrix")) {
        mr_json_count(json, "pages_left_out", pagerank->n_pages);
        mr_json_count(json, "self_loops_left_out", pagerank->n_self_loops);
    }
    if (flags_of(run)->what_if != NULL || flags_of(run)->without != NULL) {
        mr_json_text(json, "what_if", flags_of(run)->what_if);
        mr_json_text(json, "without", flags_of(run)->without);
    }
    mr_json_flag(json, "resumed", pagerank->saver.resumes);
}

static enum mr_status write_before(struct mr_run *run, struct mr_error *err)
{
    const char *path = flags_of(run)->heritrix_file;

    return path == NULL
               ? MR_OK
               : mr_heritrix_write(&run->session->context, run->ranked->store, run->ranked->names,
                                   run->columns.columns, path, run->flags->common.force, err);
}

/* Removes the checkpoint only after MR_OK, so that a run that fails or is interrupted before can
 * continue from it. Returns `status`, or the error of removing, or that of the log: a log that
 * cannot be written costs no scores. */
static enum mr_status close_run(struct mr_run *run, enum mr_status status, struct mr_error *err)
{
    struct pagerank *pagerank = mr_kind_data(run);

    if (pagerank->log != NULL && fclose(pagerank->log) != 0 && pagerank->log_errno == 0) {
        pagerank->log_errno = errno != 0 ? errno : EIO;
    }
    if ((status == MR_OK || status == MR_NOT_CONVERGED) && pagerank->log_errno != 0) {
        mr_error_clear(err);
        const enum mr_status ignored = mr_pagerank_saver_end(&pagerank->saver, MR_OK, NULL);
        (void)ignored;
        return mr_error_file(err, MR_ERROR_RUNTIME, flags_of(run)->log, pagerank->log_errno,
                             "cannot write the log, which is cut off; the scores are complete");
    }
    status = mr_pagerank_saver_end(&pagerank->saver, status, err);
    if (status == MR_INTERRUPTED && pagerank->checkpoint == NULL && pagerank->hooks.data != NULL) {
        mr_error_clear(err);
        status =
            mr_error_set(err, MR_INTERRUPTED,
                         "interrupted; nothing is kept: -o FILE or --checkpoint FILE keeps the "
                         "state for --resume");
    }
    return status;
}

static enum mr_status end(struct mr_run *run, enum mr_status status, struct mr_error *err)
{
    struct pagerank *pagerank = mr_kind_data(run);

    status = close_run(run, status, err);
    free(pagerank->checkpoint);
    mr_graph_close(run->session, &pagerank->linked);
    return status;
}

const struct mr_kind_front mr_pagerank_front = {
    .kind = "pagerank",
    .options = options,
    .defaults = &defaults,
    .flags_bytes = sizeof defaults,
    .fields = "| `pages_left_out`, `self_loops_left_out` | with `--heritrix` |\n"
              "| `what_if`, `without` | files of links that the copy has more and fewer; with "
              "these options |\n"
              "| `resumed` | whether the run went on from a checkpoint |\n",
    .begin = begin,
    .list_files = list_files,
    .hooks = {.data_bytes = sizeof(struct pagerank),
              .check = check,
              .prepare = prepare,
              .describe = describe,
              .write_before = write_before,
              .end = end}};
