/* SPDX-License-Identifier: Apache-2.0 */
/* What an input is and whether there is one: asked before anything is built, by the import, by
 * estimates and by commands that look at their inputs first. */
#include "library/import/import_graphs.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "formats/graph/link_columns.h"
#include "formats/graph/link_kinds.h"
#include "formats/stream/not_links.h"
#include "formats/stream/query.h"

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

/* Refuses options that the format of an input has no use for. */
static enum mr_status check_kinds(const struct mr_import_options *options,
                                  const struct mr_graph_format *format, struct mr_error *err)
{
    assert(format != NULL);
    const unsigned missing = options->link_kinds & ~format->link_kinds;

    for (unsigned i = 0; mr_link_kind_name(i) != NULL; i++) {
        if ((missing >> i & 1) != 0) {
            return mr_error_set(err, MR_ERROR_USAGE, "--link-kinds %s: %s %s; leave it out",
                                mr_link_kind_name(i), format->title,
                                format->link_kinds != 0 ? "cannot tell such links from others"
                                                        : "cannot tell kinds of links");
        }
    }
    if (options->outlinks_from != MR_OUTLINKS_AUTO && !format->tells_outlinks) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--outlinks-from: %s has only one source of links, other than a WARC "
                            "file; leave it out",
                            format->title);
    }
    if (options->drop_nofollow && !format->tells_nofollow) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--drop-nofollow: %s cannot tell which links are nofollow, only "
                            "WARC, ARC and WAT files, JSON lines and tables can; leave it out",
                            format->title);
    }
    return MR_OK;
}

/* Has the text a line that is neither blank nor a comment, or so many lines that it may have? */
static bool has_rows(const char *data, size_t bytes)
{
    bool is_comment = false;

    for (size_t i = 0; i < bytes; i++) {
        is_comment = data[i] != '\n' && (is_comment || data[i] == '#' || data[i] == '%');
        if (!is_comment && strchr("\n\r\t ", data[i]) == NULL) {
            return true;
        }
    }
    return bytes == MR_INPUT_PEEK_BYTES;
}

enum mr_status mr_link_kinds_choose(const char *text, unsigned *kinds, struct mr_error *err)
{
    *kinds = 0;
    for (;;) {
        const size_t bytes = strcspn(text, ",");
        const char *name;
        unsigned i = 0;
        while ((name = mr_link_kind_name(i)) != NULL &&
               (strlen(name) != bytes || memcmp(name, text, bytes) != 0)) {
            i++;
        }
        if (name == NULL) {
            return mr_error_set(err, MR_ERROR_USAGE,
                                "must be of navigation, redirect, embed, speculative, "
                                "prerequisite, inferred, manifest, submit, failed, a, area, form, "
                                "iframe, frame, link, img, with commas between");
        }
        *kinds |= 1u << i;
        if (text[bytes] == '\0') {
            return MR_OK;
        }
        text += bytes + 1;
    }
}

enum mr_status mr_columns_choose(const char *text, struct mr_columns_wanted *columns,
                                 struct mr_error *err)
{
    const size_t bytes = strlen(text);
    size_t n_commas = 0;

    for (size_t i = 0; i < bytes; i++) {
        n_commas += text[i] == ',';
    }
    if (strcmp(text, "source-target") != 0 && strcmp(text, "target-source") != 0 &&
        (n_commas < 1 || n_commas > 2 || text[0] == ',' || text[bytes - 1] == ',' ||
         strstr(text, ",,") != NULL)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "must be source-target, target-source or columns of a table: "
                            "SOURCE,TARGET or SOURCE,TARGET,WEIGHT");
    }
    const size_t first = strcspn(text, ",");
    if (n_commas > 0 && strncmp(text, text + first + 1, first) == 0 &&
        strcspn(text + first + 1, ",") == first) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "source and target are the same column; name two");
    }
    *columns = (struct mr_columns_wanted){
        .is_said = true,
        .order = strcmp(text, "target-source") == 0 ? MR_COLUMNS_TARGET_SOURCE
                                                    : MR_COLUMNS_SOURCE_TARGET,
        .names = n_commas > 0 ? text : NULL,
    };
    return MR_OK;
}

enum mr_status mr_import_choose(const struct mr_import_options *options,
                                const struct mr_graph_format *vertices,
                                const struct mr_input_path *path, struct mr_input *input,
                                const struct mr_graph_format **format, struct mr_error *err)
{
    const struct mr_graph_format *marked,
        *given = options->columns.names != NULL ||
                         (options->separator != '\0' &&
                          (options->format == NULL || options->format->rows == MR_ROWS_OF_NAMES)) ||
                         options->where != NULL || mr_query_is(path->path)
                     ? mr_graph_format_find("csv")
                     : options->format;
    struct mr_graph_probe probe = {.path = path->path,
                                   .has_weights = options->weights == MR_WEIGHTS_MUST};

    enum mr_status status = mr_input_peek(input, &probe.data, &probe.bytes, err);
    const char *const data = probe.data;
    const size_t bytes = probe.bytes;
    if (status == MR_OK && given != NULL) {
        marked = mr_graph_format_of_mark(data, bytes);
        status = marked == NULL
                     ? mr_not_links_refuse_text(mr_input_name(input), data, bytes, true, err)
                     : MR_OK;
        if (status != MR_OK) {
            return status;
        }
        if (marked != NULL && (given->mark == NULL || strcmp(marked->mark, given->mark) != 0)) {
            return mr_error_file(err, MR_ERROR_INPUT, mr_input_name(input), 0,
                                 "is %s, as its beginning says, and not %s; leave --format out",
                                 marked->title, given->title);
        }
        struct mr_table table = {.separator = '\0'};
        const bool is_table =
            given->rows == MR_ROWS_OF_NAMES &&
            mr_text_kind_of(data, bytes, &table) != MR_TEXT_NONE &&
            (table.has_header || memchr("\0 \t", mr_table_separator(table.separator), 3) == NULL);
        given = is_table ? mr_graph_format_find("csv") : given;
        *format = given;
        status = options->columns.names == NULL && given->rows == MR_ROWS_OF_NAMES
                     ? mr_graph_format_check(&probe, mr_input_name(input), given, err)
                     : MR_OK;
        return status == MR_OK ? check_kinds(options, given, err) : status;
    }
    if (status != MR_OK) {
        return status;
    }
    probe.file_bytes = mr_input_codec(input) == MR_INPUT_PLAIN ? path->bytes : 0;
    status = mr_graph_format_detect(&probe, format, vertices != NULL ? NULL : err);
    if (vertices != NULL && (status != MR_OK || (*format)->rows != MR_ROWS_OTHER)) {
        *format = vertices;
        return MR_OK;
    }
    struct mr_table table;
    const bool is_header_alone = status == MR_OK && (*format)->rows == MR_ROWS_OF_TABLE &&
                                 mr_text_kind_of(data, bytes, &table) == MR_TEXT_TABLE &&
                                 table.has_header && table.row == data + bytes;
    if (is_header_alone ||
        (status == MR_OK && (*format)->rows == MR_ROWS_OF_NUMBERS && !has_rows(data, bytes))) {
        *format = NULL;
        return MR_OK;
    }
    return status == MR_OK ? check_kinds(options, *format, err) : status;
}

void mr_import_note_weights(const struct mr_context *context, const char *ignores_weights)
{
    mr_context_note(context, "the weights of the links are ignored (%s)",
                    ignores_weights != NULL ? ignores_weights : "no --weights");
}
