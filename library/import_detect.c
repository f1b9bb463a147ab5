/* SPDX-License-Identifier: Apache-2.0 */
/* What an input is and whether there is one: asked before anything is built, by the import, by
 * estimates and by commands that look at their inputs first. */
#include "library/import_detect.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/io/io.h"

enum mr_status mr_format_choose(const char *text, const struct mr_graph_format **out,
                                struct mr_error *err)
{
    char names[512] = "auto";

    *out = strcmp(text, "auto") == 0 ? NULL : mr_graph_format_find(text);
    if (*out != NULL || strcmp(text, "auto") == 0) {
        return MR_OK;
    }
    for (size_t i = 0; mr_graph_format_at(i) != NULL; i++) {
        const size_t used = strlen(names);
        (void)snprintf(names + used, sizeof names - used, "%s%s",
                       mr_graph_format_at(i + 1) != NULL ? ", " : " or ",
                       mr_graph_format_at(i)->name);
    }
    return mr_error_set(err, MR_ERROR_USAGE, "must be %s", names);
}

static uint64_t plain_bytes(const char *path, const struct mr_input *input)
{
    struct stat info;
    return mr_input_codec(input) == MR_INPUT_PLAIN && stat(path, &info) == 0 &&
                   S_ISREG(info.st_mode)
               ? (uint64_t)info.st_size
               : 0;
}

enum mr_status mr_import_detect(const char *path, struct mr_input *input,
                                const struct mr_graph_format **format, struct mr_error *err)
{
    struct mr_graph_probe probe = {.path = path};
    const enum mr_status status = mr_input_peek(input, &probe.data, &probe.bytes, err);

    if (status != MR_OK) {
        return status;
    }
    probe.file_bytes = plain_bytes(path, input);
    return mr_graph_format_detect(&probe, format, err);
}

enum mr_status mr_import_refuse_base(const char *path, struct mr_error *err)
{
    static const char *const suffixes[] = {".graph", ".e", ".config", ".nodes"};
    char whole[PATH_MAX];

    if (mr_io_exists(path)) {
        return MR_OK;
    }
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        (void)snprintf(whole, sizeof whole, "%s%s", path, suffixes[i]);
        if (mr_io_exists(whole)) {
            return mr_error_file(err, MR_ERROR_INPUT, path, 0,
                                 "no such file, but the beginning of some; say %s", whole);
        }
    }
    return MR_OK;
}

void mr_import_note_weights(const struct mr_context *context, const char *ignores_weights)
{
    mr_context_note(context, "the weights of the links are ignored (%s)",
                    ignores_weights != NULL ? ignores_weights : "no --weights");
}
