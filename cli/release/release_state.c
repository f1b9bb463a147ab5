/* SPDX-License-Identifier: Apache-2.0 */
/* What a command of several stages has done so far, in DIR/COMMAND.json (release, crawl-rank). It
 * is written anew before and after each stage, by a rename, so a run that was killed goes on with
 * the stage that was cut off. A stage counts as done only for the same inputs and the same command.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/release/release.h"
#include "engine/io/io.h"
#include "engine/io/store_lock.h"

char *mr_release_path(const char *prefix, const char *suffix)
{
    char *path = NULL;
    return asprintf(&path, "%s%s", prefix, suffix) < 0 ? NULL : path;
}

bool mr_release_is_empty(const char *directory)
{
    DIR *entries = opendir(directory);
    bool empty = true;

    if (entries == NULL) {
        return true;
    }
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        empty = empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
                          strcmp(entry->d_name, MR_LOCK_NAME) == 0);
    }
    (void)closedir(entries);
    return empty;
}

json_t *mr_release_describe_file(const char *path)
{
    struct mr_json file = mr_json_create();
    struct stat info;

    mr_json_text(&file, "path", path);
    if (stat(path, &info) == 0 && S_ISREG(info.st_mode)) {
        mr_json_count(&file, "bytes", (uint64_t)info.st_size);
        mr_json_count(&file, "modified_ns",
                      (uint64_t)info.st_mtim.tv_sec * 1000000000u + (uint64_t)info.st_mtim.tv_nsec);
    }
    json_t *object = file.failed ? NULL : json_incref(file.object);
    mr_json_destroy(&file);
    return object;
}

/* Takes the file at `path`; `*root` is NULL where there is none, or no whole one. */
static enum mr_status read_state(const char *path, json_t **root, struct mr_error *err)
{
    json_error_t why;

    *root = json_load_file(path, 0, &why);
    return *root == NULL && json_error_code(&why) == json_error_out_of_memory
               ? mr_error_file(err, MR_ERROR_BUDGET, path, 0, "out of memory for JSON")
               : MR_OK;
}

static enum mr_status check_before(const struct mr_release_state *state, const char *command,
                                   const json_t *before, const json_t *inputs, struct mr_error *err)
{
    if (before != NULL && (!json_equal(json_object_get(before, "inputs"), inputs) ||
                           !json_is_object(json_object_get(before, "stages")))) {
        return mr_error_file(err, MR_ERROR_USAGE, state->path, 0,
                             "belongs to a %s of other inputs, or the inputs have changed; "
                             "name another directory, or say --force to begin anew",
                             command);
    }
    return MR_OK;
}

enum mr_status mr_release_state_open(const char *directory, const char *command, json_t *inputs,
                                     bool anew, struct mr_release_state *state,
                                     struct mr_error *err)
{
    json_t *before = NULL;
    enum mr_status status = MR_OK;

    *state = (struct mr_release_state){0};
    if (asprintf(&state->path, "%s/%s.json", directory, command) < 0) {
        state->path = NULL;
    }
    if (inputs == NULL || state->path == NULL) {
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the state of a %s", command);
    }
    if (status == MR_OK && !anew) {
        status = read_state(state->path, &before, err);
    }
    if (status == MR_OK) {
        status = check_before(state, command, before, inputs, err);
    }
    if (status == MR_OK) {
        state->goes_on = before != NULL;
        state->root = before != NULL ? json_incref(before)
                                     : json_pack("{s:O, s:{}}", "inputs", inputs, "stages");
        status = state->root != NULL ? MR_OK
                                     : mr_error_set(err, MR_ERROR_BUDGET, "out of memory for JSON");
    }
    json_decref(inputs);
    json_decref(before);
    return status;
}

void mr_release_state_close(struct mr_release_state *state)
{
    json_decref(state->root);
    free(state->path);
    *state = (struct mr_release_state){0};
}

bool mr_release_state_has(const struct mr_release_state *state, const char *stage,
                          const char *command, double *seconds)
{
    const json_t *done = json_object_get(json_object_get(state->root, "stages"), stage);
    const char *text = json_string_value(json_object_get(done, "command"));

    *seconds = json_number_value(json_object_get(done, "seconds"));
    return text != NULL && strcmp(text, command) == 0;
}

static enum mr_status write_state(struct mr_session *session, const struct mr_release_state *state,
                                  struct mr_error *err)
{
    const struct mr_json root = {.object = state->root};
    struct mr_output *output = NULL;
    char *text = NULL;

    enum mr_status status = mr_json_dump(&root, &text, err);
    if (status == MR_OK) {
        status = mr_output_open(&session->context, state->path, true, &output, err);
    }
    if (status == MR_OK) {
        status = mr_output_write(output, text, strlen(text), err);
        if (status == MR_OK) {
            status = mr_output_commit(output, err);
        } else {
            mr_output_abandon(output);
        }
    }
    free(text);
    return status;
}

/* Takes `done`, which may be NULL when out of memory. */
static enum mr_status set_stage(struct mr_session *session, struct mr_release_state *state,
                                const char *stage, json_t *done, struct mr_error *err)
{
    json_t *stages = json_object_get(state->root, "stages");

    return json_object_set_new(stages, stage, done) != 0
               ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the state of a run")
               : write_state(session, state, err);
}

enum mr_status mr_release_state_add(struct mr_session *session, struct mr_release_state *state,
                                    const char *stage, const struct mr_stage_done *what,
                                    struct mr_error *err)
{
    struct mr_json done = mr_json_create();

    mr_json_text(&done, "command", what->command);
    mr_json_real(&done, "seconds", what->seconds);
    mr_json_count(&done, "peak_rss_bytes", what->peak_bytes);
    if (what->output_bytes > 0) {
        mr_json_count(&done, "output_bytes", what->output_bytes);
    }
    json_t *object = done.failed ? NULL : json_incref(done.object);
    mr_json_destroy(&done);
    return set_stage(session, state, stage, object, err);
}

void mr_release_state_remove(struct mr_session *session, const struct mr_release_state *state)
{
    enum mr_status ignored = mr_io_unlink(session->context.io, state->path, NULL);
    (void)ignored;
}
