/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the stages of release and crawl-rank (stages.h), and keeps the state of the run. The state
 * is written anew after each stage, by a rename. A stage counts as done only for the same inputs
 * and the same command. */
#include "cli/release/release.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "library/folder.h"

void mr_stage_add(struct mr_stage *stage, const char *word)
{
    assert(stage->n_words < MR_STAGE_WORDS);
    stage->words[stage->n_words++] = word;
}

/* The command line as it stands in messages and in the state: cut to the size of `text`, with the
 * names that files have at the end (folder.h), without the common options. */
static void describe(const struct mr_stage *stage, char text[MR_STAGE_TEXT_BYTES])
{
    const size_t n = stage->n_words + (stage->n_inputs > 0) + stage->n_inputs;

    text[0] = '\0';
    for (size_t i = 0, used = 0; i < n && used < MR_STAGE_TEXT_BYTES; i++) {
        const char *word = i < stage->n_words    ? stage->words[i]
                           : i == stage->n_words ? "--"
                                                 : stage->inputs[i - stage->n_words - 1];
        used += (size_t)snprintf(text + used, MR_STAGE_TEXT_BYTES - used, "%s", i > 0 ? " " : "");
        used += used < MR_STAGE_TEXT_BYTES
                    ? mr_value_quote(word, text + used, MR_STAGE_TEXT_BYTES - used)
                    : 0;
    }
    mr_folder_final_names(text);
}

/* ---- Running ---- */

/* Runs the command of a stage with the common options of this run. */
static enum mr_status run_command(const struct mr_session *session, const struct mr_stage *stage,
                                  struct mr_rank_costs *estimate, struct mr_error *err)
{
    struct mr_common_flags common = session->flags;
    const char **argv = calloc(stage->n_words + stage->n_inputs + 3, sizeof *argv);
    size_t n = 0;

    if (argv == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a command line");
    }
    argv[n++] = "millrace";
    for (size_t i = 0; i < stage->n_words; i++) {
        argv[n++] = stage->words[i];
    }
    argv[n++] = "--";
    for (size_t i = 0; i < stage->n_inputs; i++) {
        argv[n++] = stage->inputs[i];
    }
    common.force = true;
    common.estimate = estimate != NULL;
    common.quiet = common.quiet || estimate != NULL;
    const enum mr_status status =
        mr_command_run_inside(stage->command, (int)n, argv, &common, estimate, err);
    free(argv);
    return status;
}

struct mr_rank_costs mr_stage_estimate(const struct mr_stages *stages, const struct mr_stage *stage)
{
    struct mr_rank_costs estimate = {0};
    const enum mr_status status = run_command(stages->session, stage, &estimate, NULL);

    return status == MR_OK ? estimate : (struct mr_rank_costs){0};
}

/* Sends standard output to /dev/null, or back to `before`. Returns the one before, -1 if there is
 * none. */
static int turn_output(int before)
{
    const int to = before >= 0 ? before : open("/dev/null", O_WRONLY | O_CLOEXEC);
    const int kept = before >= 0 || to < 0 ? -1 : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);

    if (to >= 0) {
        (void)dup2(to, STDOUT_FILENO);
        (void)close(to);
    }
    return kept;
}

enum mr_status mr_stage_run(const struct mr_stages *stages, struct mr_stage *stage,
                            struct mr_error *err)
{
    const double began = mr_now();
    char text[MR_STAGE_TEXT_BYTES];
    struct mr_error own = {0};

    describe(stage, text);
    mr_session_say(stages->session, "$ millrace %s", text);
    mr_session_forget_peak();
    (void)fflush(stdout); /* commands do not all write through it */
    const int output = stage->is_silent ? turn_output(-1) : -1;
    const enum mr_status status = run_command(stages->session, stage, NULL, &own);
    (void)fflush(stdout);
    if (output >= 0) {
        (void)turn_output(output);
    }
    stage->seconds = mr_now() - began;
    stage->peak_bytes = mr_session_peak_bytes();
    if (status == MR_OK || status == MR_INTERRUPTED || own.os_errno == EPIPE) {
        *err = status == MR_OK ? *err : own; /* one message is enough, or none */
        return status;
    }
    (void)mr_session_exit_code(status, &own);
    return mr_error_set(err, status, "%s stops: 'millrace %s' failed", stages->caller,
                        stage->words[0]);
}

/* ---- State ---- */

json_t *mr_stages_input(const char *path)
{
    struct mr_json file = mr_json_create();
    struct stat info;

    mr_json_text(&file, "path", path);
    if (stat(path, &info) == 0 && S_ISREG(info.st_mode)) {
        mr_json_count(&file, "bytes", (uint64_t)info.st_size);
        mr_json_count(&file, "modified_ns",
                      (uint64_t)info.st_mtim.tv_sec * 1000000000u + (uint64_t)info.st_mtim.tv_nsec);
    }
    return mr_json_finish(&file);
}

enum mr_status mr_stages_open(struct mr_stages *stages, const char *directory, json_t *inputs,
                              struct mr_error *err)
{
    const bool anew = stages->session->flags.force;
    json_error_t why = {0};
    enum mr_status status = MR_OK;

    (void)snprintf(stages->path, sizeof stages->path, "%s/%s.json", directory, stages->caller);
    stages->root = anew ? NULL : json_load_file(stages->path, 0, &why);
    stages->goes_on = stages->root != NULL;
    if (!stages->goes_on) {
        stages->root = json_pack("{s:O, s:{}}", "inputs", inputs, "stages");
    }
    const bool out_of_memory = json_error_code(&why) == json_error_out_of_memory;
    if (inputs == NULL || stages->root == NULL || (out_of_memory && !stages->goes_on)) {
        status = mr_error_file(err, MR_ERROR_BUDGET, stages->path, 0, "out of memory for JSON");
    } else if (stages->goes_on && (!json_equal(json_object_get(stages->root, "inputs"), inputs) ||
                                   !json_is_object(json_object_get(stages->root, "stages")))) {
        status = mr_error_file(err, MR_ERROR_USAGE, stages->path, 0,
                               "belongs to a %s of other inputs, or the inputs have changed; name "
                               "another directory, or say --force to begin anew",
                               stages->caller);
    }
    json_decref(inputs);
    if (status != MR_OK) {
        mr_stages_close(stages);
    }
    return status;
}

void mr_stages_close(struct mr_stages *stages)
{
    json_decref(stages->root);
    stages->root = NULL;
}

bool mr_stages_have(const struct mr_stages *stages, const struct mr_stage *stage, double *seconds)
{
    const json_t *done = json_object_get(json_object_get(stages->root, "stages"), stage->name);
    const char *before = json_string_value(json_object_get(done, "command"));
    char text[MR_STAGE_TEXT_BYTES];

    describe(stage, text);
    *seconds = json_number_value(json_object_get(done, "seconds"));
    return before != NULL && strcmp(before, text) == 0 && mr_io_exists(stage->output);
}

static enum mr_status write_state(const struct mr_stages *stages, struct mr_error *err)
{
    const struct mr_json root = {.object = stages->root};
    char *text = NULL;

    enum mr_status status = mr_json_dump(&root, &text, err);
    if (status == MR_OK) {
        status =
            mr_output_file(&stages->session->context, stages->path, true, text, strlen(text), err);
    }
    free(text);
    return status;
}

enum mr_status mr_stages_add(struct mr_stages *stages, const struct mr_stage *stage,
                             uint64_t output_bytes, struct mr_error *err)
{
    struct mr_json done = mr_json_create();
    char text[MR_STAGE_TEXT_BYTES];

    describe(stage, text);
    mr_json_text(&done, "command", text);
    mr_json_real(&done, "seconds", stage->seconds);
    mr_json_count(&done, "peak_rss_bytes", stage->peak_bytes);
    if (output_bytes > 0) {
        mr_json_count(&done, "output_bytes", output_bytes);
    }
    return json_object_set_new(json_object_get(stages->root, "stages"), stage->name,
                               mr_json_finish(&done)) != 0
               ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the state of a run")
               : write_state(stages, err);
}
