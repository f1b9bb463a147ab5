/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of crawl-rank and their state (release_state.c). A run that was killed, interrupted or
 * met a full disk leaves the state beside its unfinished results, and the same command goes on: it
 * skips the stages that are done. */
#include "cli/release/crawl_stages.h"

#include <stdlib.h>
#include <string.h>

#include "engine/io/io.h"

const char *const mr_crawl_commands[MR_CRAWL_STAGES] = {"build", "pagerank", "precedence"};
const char *const mr_crawl_outputs[MR_CRAWL_STAGES] = {"/crawl.mill", "/ranks.tsv",
                                                       "/precedence.txt"};

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
    return mr_release_state_open(run->directory, "crawl-rank", list, run->session->flags.force,
                                 &run->state, err);
}

static void add_inputs(struct mr_step *line, const char *const *inputs, size_t n_inputs)
{
    mr_step_add(line, "--");
    for (size_t i = 0; i < n_inputs; i++) {
        mr_step_add(line, inputs[i]);
    }
}

enum mr_status mr_crawl_run_stage(struct mr_crawl_run *run, enum mr_crawl_stage stage,
                                  const char *output, struct mr_step *line,
                                  const char *const *inputs, size_t n_inputs, struct mr_error *err)
{
    struct mr_session *session = run->session;
    const char *name = mr_crawl_commands[stage];
    const size_t n_words = line->n;
    char command[MR_STEP_TEXT_BYTES];
    double seconds = 0;

    add_inputs(line, inputs, n_inputs);
    if (line->failed) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a command line");
    }
    mr_step_text(line, command);
    line->n = n_words;
    /* A stage is done if all that it reads is as it was. */
    if (!run->worked && run->is_known && mr_io_exists(output) &&
        mr_release_state_has(&run->state, name, command, &seconds)) {
        mr_session_say(session, "%s%s: done before, in %.1f s", run->directory,
                       mr_crawl_outputs[stage], seconds);
        return MR_OK;
    }
    run->worked = true;
    mr_step_add_common(line, session, true);
    add_inputs(line, inputs, n_inputs);
    enum mr_status status = mr_step_run(session, line, "crawl-rank", err);
    if (status == MR_OK) {
        const struct mr_stage_done done = {
            .command = command, .seconds = line->seconds, .peak_bytes = line->peak_bytes};
        status = mr_release_state_add(session, &run->state, name, &done, err);
    }
    return status;
}

bool mr_crawl_close(struct mr_crawl_run *run, bool is_done)
{
    const json_t *stages = json_object_get(run->state.root, "stages");
    const bool has_some = json_object_size(stages) > 0 && mr_io_exists(run->state.path);
    const bool stays = run->state.root == NULL ||
                       (!is_done && run->is_known && has_some && !run->session->flags.force);

    if (!stays && mr_io_exists(run->state.path)) {
        mr_release_state_remove(run->session, &run->state);
    }
    mr_release_state_close(&run->state);
    return stays;
}
