/* SPDX-License-Identifier: Apache-2.0 */
/* What a release has done so far, in DIR/release.json. It is written anew after each stage, by a
 * rename, so a release that was killed goes on with the stage that was cut off. A stage counts as
 * done only for the same inputs and the same command. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "cli/release/release.h"
#include "engine/io/io.h"

char *mr_release_path(const char *prefix, const char *suffix)
{
    char *path = NULL;
    return asprintf(&path, "%s%s", prefix, suffix) < 0 ? NULL : path;
}

static bool is_empty(const char *directory)
{
    DIR *entries = opendir(directory);
    bool empty = true;

    if (entries == NULL) {
        return true;
    }
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        empty = empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
    }
    (void)closedir(entries);
    return empty;
}

enum mr_status mr_release_state_open(struct mr_session *session, const char *directory,
                                     json_t *inputs, bool anew, struct mr_release_state *state,
                                     struct mr_error *err)
{
    (void)session;
    *state = (struct mr_release_state){.path = mr_release_path(directory, "/release.json")};
    json_t *before = state->path != NULL && !anew ? json_load_file(state->path, 0, NULL) : NULL;

    if (state->path == NULL || inputs == NULL) {
        json_decref(inputs);
        json_decref(before);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the state of a release");
    }
    if (before == NULL && !anew && !is_empty(directory)) {
        json_decref(inputs);
        return mr_error_file(err, MR_ERROR_USAGE, directory, 0,
                             "has files, but no release that could go on (release.json); name "
                             "another directory, or say --force to write into this one");
    }
    if (before != NULL && (!json_equal(json_object_get(before, "inputs"), inputs) ||
                           !json_is_object(json_object_get(before, "stages")))) {
        json_decref(inputs);
        json_decref(before);
        return mr_error_file(err, MR_ERROR_USAGE, state->path, 0,
                             "belongs to a release of other inputs, or the inputs have changed; "
                             "name another directory, or say --force to begin anew");
    }
    if (before != NULL) {
        json_decref(inputs);
        state->root = before;
        return MR_OK;
    }
    state->root = json_pack("{s:o, s:{}}", "inputs", inputs, "stages");
    return state->root != NULL ? MR_OK
                               : mr_error_set(err, MR_ERROR_BUDGET, "out of memory for JSON");
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

enum mr_status mr_release_state_add(struct mr_session *session, struct mr_release_state *state,
                                    const char *stage, const char *command, double seconds,
                                    uint64_t peak_bytes, uint64_t output_bytes,
                                    struct mr_error *err)
{
    json_t *stages = json_object_get(state->root, "stages");
    struct mr_json done = mr_json_create();
    struct mr_output *output = NULL;
    char *text = NULL;

    mr_json_text(&done, "command", command);
    mr_json_real(&done, "seconds", seconds);
    mr_json_count(&done, "peak_rss_bytes", peak_bytes);
    mr_json_count(&done, "output_bytes", output_bytes);
    const bool failed = done.failed || json_object_set(stages, stage, done.object) != 0;
    mr_json_destroy(&done);
    if (failed) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the state of a release");
    }
    const struct mr_json root = {.object = state->root};
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
