/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of crawl-rank and their state (release_state.c). A run that was killed, interrupted or
 * met a full disk leaves the state, and the same command goes on: it skips the stages that are
 * done, and replaces the output of the stage that was cut off. An output is replaced only if the
 * state says that it belongs to the run: its stage had begun, and if it was done, the file is
 * unchanged. */
#include "cli/release/crawl_stages.h"

#include <stdlib.h>
#include <string.h>

#include "engine/io/io.h"

const char *const mr_crawl_commands[MR_CRAWL_STAGES] = {"build", "pagerank", "precedence"};
const char *const mr_crawl_outputs[MR_CRAWL_STAGES] = {"/crawl.mill", "/ranks.tsv",
                                                       "/precedence.txt"};

/* The file that changes with the output of a stage, as a new text; NULL when out of memory. */
static char *path_of(const char *directory, unsigned stage)
{
    char *path = NULL;
    return asprintf(&path, "%s%s%s", directory, mr_crawl_outputs[stage],
                    stage == MR_CRAWL_BUILD ? "/MANIFEST" : "") < 0
               ? NULL
               : path;
}

/* Does the output of a stage belong to the run? A stage that is done has left the file as it is
 * now, one that was cut off has not found the file as it is now. */
static enum mr_status check_own(const char *directory, const json_t *root, unsigned stage,
                                bool *own, struct mr_error *err)
{
    const json_t *known = mr_release_state_stage(root, mr_crawl_commands[stage]);
    const json_t *output = json_object_get(known, "output");
    const json_t *before = json_object_get(known, "before");

    *own = known != NULL;
    if (output == NULL && before == NULL) {
        return MR_OK;
    }
    char *path = path_of(directory, stage);
    json_t *now = path != NULL ? mr_release_describe_file(path) : NULL;
    const bool failed = now == NULL;
    *own = output != NULL ? json_equal(output, now) : !json_equal(before, now);
    json_decref(now);
    free(path);
    return failed ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the state of a run")
                  : MR_OK;
}

static enum mr_status check_all(const char *directory, const json_t *root,
                                bool own[MR_CRAWL_STAGES], struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (unsigned stage = 0; stage < MR_CRAWL_STAGES && status == MR_OK; stage++) {
        status = check_own(directory, root, stage, &own[stage], err);
    }
    return status;
}

enum mr_status mr_crawl_own(const char *directory, bool own[MR_CRAWL_STAGES], struct mr_error *err)
{
    json_t *root = NULL;
    enum mr_status status = mr_release_state_read(directory, "crawl-rank", &root, err);

    if (status == MR_OK) {
        status = check_all(directory, root, own, err);
    }
    json_decref(root);
    return status;
}

enum mr_status mr_crawl_open(struct mr_crawl_run *run, const char *const *inputs, size_t n_inputs,
                             struct mr_error *err)
{
    json_t *list = json_array();

    run->is_known = true;
    for (size_t i = 0; i < n_inputs && list != NULL; i++) {
        json_t *file = mr_release_describe_file(inputs[i]);
        run->is_known = run->is_known && json_object_get(file, "bytes") != NULL;
        if (json_array_append_new(list, file) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    enum mr_status status = mr_release_state_open(run->folder->work, "crawl-rank", list,
                                                  run->session->flags.force, &run->state, err);
    if (status == MR_OK) {
        status = check_all(run->folder->work, run->state.root, run->own, err);
    }
    return status;
}

/* Runs the stage, and writes the state before and after it. */
static enum mr_status work(struct mr_crawl_run *run, enum mr_crawl_stage stage,
                           struct mr_step *line, const char *command, struct mr_error *err)
{
    struct mr_session *session = run->session;
    const char *name = mr_crawl_commands[stage];
    char *file = path_of(run->folder->work, stage);
    enum mr_status status = file == NULL
                                ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for file names")
                                : mr_release_state_begin(session, &run->state, name,
                                                         run->own[stage] ? NULL : file, err);

    if (status == MR_OK) {
        status = mr_step_run(session, line, "crawl-rank", err);
        bool own = true;
        if (status != MR_OK &&
            check_own(run->folder->work, run->state.root, stage, &own, NULL) == MR_OK && !own) {
            mr_release_state_forget(session, &run->state, name); /* it has left no output */
        }
    }
    if (status == MR_OK) {
        const struct mr_stage_done done = {.command = command,
                                           .file = file,
                                           .seconds = line->seconds,
                                           .peak_bytes = line->peak_bytes};
        status = mr_release_state_add(session, &run->state, name, &done, err);
    }
    free(file);
    return status;
}

static void add_inputs(struct mr_step *line, const char *const *inputs, size_t n_inputs)
{
    mr_step_add(line, "--");
    for (size_t i = 0; i < n_inputs; i++) {
        mr_step_add(line, inputs[i]);
    }
}

enum mr_status mr_crawl_run_stage(struct mr_crawl_run *run, enum mr_crawl_stage stage,
                                  struct mr_step *line, const char *const *inputs, size_t n_inputs,
                                  struct mr_error *err)
{
    struct mr_session *session = run->session;
    const size_t n_words = line->n;
    char command[MR_STEP_TEXT_BYTES];
    double seconds = 0;

    add_inputs(line, inputs, n_inputs);
    if (line->failed) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a command line");
    }
    line->folder = run->folder;
    mr_step_text(line, command);
    line->n = n_words;
    /* A stage is done if all that it reads is as it was. */
    if (!run->worked && run->is_known && run->own[stage] &&
        mr_release_state_has(&run->state, mr_crawl_commands[stage], command, &seconds)) {
        mr_session_say(session, "%s%s: done before, in %.1f s", run->folder->work,
                       mr_crawl_outputs[stage], seconds);
        return MR_OK;
    }
    run->worked = true;
    mr_step_add_common(line, session, session->flags.force || run->own[stage]);
    add_inputs(line, inputs, n_inputs);
    return work(run, stage, line, command, err);
}

/* Is there an output that belongs to the run? */
static bool has_outputs(const struct mr_crawl_run *run)
{
    bool own[MR_CRAWL_STAGES] = {false}, found = false;

    if (check_all(run->folder->work, run->state.root, own, NULL) != MR_OK) {
        return true;
    }
    for (unsigned stage = 0; stage < MR_CRAWL_STAGES; stage++) {
        char *path = path_of(run->folder->work, stage);
        found = found || (own[stage] && (path == NULL || mr_io_exists(path)));
        free(path);
    }
    return found;
}

bool mr_crawl_close(struct mr_crawl_run *run, bool is_done)
{
    const bool stays = run->state.root != NULL && !is_done && has_outputs(run);

    if (run->state.root != NULL && !stays && mr_io_exists(run->state.path)) {
        mr_release_state_remove(run->session, &run->state);
    }
    mr_release_state_close(&run->state);
    return stays;
}
