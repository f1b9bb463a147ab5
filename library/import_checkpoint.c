/* SPDX-License-Identifier: Apache-2.0 */
/* A checkpoint is of what was read, so it is good as long as the same would be read: the text
 * names the inputs by path, size and time, and says how they are taken. */
#include "library/import_checkpoint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/stream/properties.h"

/* One line of a file: where it is, how long, and when it was last changed. */
static void describe(FILE *out, const char *what, const char *path, const struct stat *info)
{
    char *real = realpath(path, NULL);
    (void)fprintf(out, "%s %s, %" PRIu64 " bytes, changed %lld.%09ld\n", what,
                  real != NULL ? real : path, (uint64_t)info->st_size,
                  (long long)info->st_mtim.tv_sec, info->st_mtim.tv_nsec);
    free(real);
}

/* A file, and those beside it that its format reads as well. */
static enum mr_status describe_input(FILE *out, const char *what, const char *path,
                                     struct mr_error *err)
{
    static const char *const bases[] = {".graph", ".properties", ".offsets", NULL};
    static const char *const siblings[] = {".graph", ".properties", ".offsets", ".ini"};
    struct stat info;
    bool is_known = false;

    if (strcmp(path, "-") != 0 && stat(path, &info) == 0) {
        if (!S_ISREG(info.st_mode)) {
            return mr_error_file(
                err, MR_ERROR_USAGE, path, 0,
                "--checkpoint: is no file, so that nobody could tell later whether "
                "it is the same; leave --checkpoint out, or give a file");
        }
        describe(out, what, path, &info);
        is_known = true;
    }
    for (size_t i = 0; i < sizeof siblings / sizeof siblings[0]; i++) {
        char *sibling = mr_path_sibling(path, bases, siblings[i]);
        if (sibling != NULL && strcmp(sibling, path) != 0 && stat(sibling, &info) == 0 &&
            S_ISREG(info.st_mode)) {
            describe(out, "beside it", sibling, &info);
            is_known = true;
        }
        free(sibling);
    }
    if (!is_known) {
        return mr_error_file(err, MR_ERROR_USAGE, strcmp(path, "-") == 0 ? "standard input" : path,
                             0,
                             "--checkpoint: is no file, so that nobody could tell later whether it "
                             "is the same; leave --checkpoint out, or give a file");
    }
    return MR_OK;
}

enum mr_status mr_import_checkpoint_text(const struct mr_import_options *options,
                                         const struct mr_graph_format *format,
                                         const char *const *inputs, size_t n_inputs, char **text,
                                         struct mr_error *err)
{
    size_t bytes = 0;
    enum mr_status status = MR_OK;

    *text = NULL;
    FILE *out = open_memstream(text, &bytes);
    if (out == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a checkpoint");
    }
    (void)fprintf(out, "format %s\ncolumns %s\nbad lines %s, limit %" PRIu64 "\n", format->name,
                  options->columns == 1 ? "target-source" : "source-target",
                  options->bad_lines == MR_BAD_LINES_SKIP ? "skipped" : "fail", options->max_bad);
    (void)fprintf(out, "link kinds %u%s, outlinks %d\nduplicates %s\nweights %s\n",
                  options->link_kinds, options->drop_nofollow ? " without nofollow" : "",
                  (int)options->outlinks_from,
                  options->duplicates < 0 ? "not mentioned" : "mentioned",
                  options->weights == MR_WEIGHTS_MUST   ? "asked for"
                  : options->weights == MR_WEIGHTS_NONE ? "refused"
                                                        : "where there are some");
    if (options->vertices_from != NULL) {
        status = describe_input(out, "page list", options->vertices_from, err);
    }
    for (size_t i = 0; i < n_inputs && status == MR_OK; i++) {
        status = describe_input(out, "input", inputs[i], err);
    }
    const bool is_lost = ferror(out) != 0;
    if ((fclose(out) != 0 || is_lost || *text == NULL) && status == MR_OK) {
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a checkpoint");
    }
    if (status != MR_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}

void mr_import_checkpoint_notes(const struct mr_edge_text_summary *summary,
                                uint64_t notes[MR_BUILD_NOTES])
{
    notes[0] = summary->lines;
    notes[1] = summary->comments;
    notes[2] = summary->blank;
    notes[3] = summary->edges;
    notes[4] = summary->vertices;
    notes[5] = summary->bad_lines;
    notes[6] = summary->extra_columns;
    notes[7] = summary->other_kinds;
}

void mr_import_checkpoint_summary(const uint64_t notes[MR_BUILD_NOTES],
                                  struct mr_edge_text_summary *summary)
{
    *summary = (struct mr_edge_text_summary){
        .lines = notes[0],
        .comments = notes[1],
        .blank = notes[2],
        .edges = notes[3],
        .vertices = notes[4],
        .bad_lines = notes[5],
        .extra_columns = notes[6],
        .other_kinds = notes[7],
    };
}
