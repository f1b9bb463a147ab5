/* SPDX-License-Identifier: Apache-2.0 */
/* Writes labels of vertices, the last step of `components`. A cursor gives the names of the rows in
 * order. The name of a label is mostly that of the row itself, of its neighbours in the order, or
 * of the largest component, so a small table of names spares nearly all look-ups. */
#include "formats/score/label_file.h"

#include <string.h>

#include "engine/base/memory.h"
#include "engine/names/name_walk.h"
#include "formats/stream/output.h"

enum { N_KEPT = 1 << 13, KEPT_BYTES = 500 };

struct kept {
    uint32_t vertex;
    uint32_t bytes; /* 0: empty */
    char text[KEPT_BYTES];
};

struct labels {
    const struct mr_context *context;
    struct mr_names *names;
    struct mr_output *output;
    const struct mr_label_column *columns;
    unsigned n_columns;
    struct mr_scores_summary *summary;
    struct kept *kept; /* [N_KEPT], by the low bits of the vertex */
    uint64_t ignored; /* escaped labels; the names are counted in their own rows */
};

static enum mr_status write_label(struct labels *labels, uint32_t label, struct mr_error *err)
{
    struct kept *kept = &labels->kept[label % N_KEPT];
    const char *name = kept->text;
    size_t bytes = kept->bytes;

    if (kept->bytes == 0 || kept->vertex != label) {
        const enum mr_status status = mr_names_get(labels->names, label, &name, &bytes, err);
        if (status != MR_OK) {
            return status;
        }
        if (bytes <= KEPT_BYTES) {
            memcpy(kept->text, name, bytes);
            kept->vertex = label;
            kept->bytes = (uint32_t)bytes;
        }
    }
    return mr_output_name_escaped(labels->output, name, bytes, MR_NAME_LINE, &labels->ignored, err);
}

/* A mr_name_take. */
static enum mr_status write_row(void *data, const struct mr_name_cursor *cursor, uint64_t position,
                                const char *name, size_t name_bytes, struct mr_error *err)
{
    struct labels *labels = data;
    const uint32_t vertex = mr_name_cursor_vertex(cursor);
    enum mr_status status = mr_output_name_escaped(labels->output, name, name_bytes, MR_NAME_LINE,
                                                   &labels->summary->escaped, err);

    (void)position;
    for (unsigned i = 0; i < labels->n_columns && status == MR_OK; i++) {
        const struct mr_label_column *column = &labels->columns[i];
        status = mr_output_write(labels->output, "\t", 1, err);
        if (status != MR_OK) {
            break;
        }
        if (column->labels == NULL) {
            const char *text = column->text(column->text_data, vertex);
            status = mr_output_write(labels->output, text, strlen(text), err);
        } else if (column->labels[vertex] == vertex) {
            status = mr_output_name_escaped(labels->output, name, name_bytes, MR_NAME_LINE,
                                            &labels->ignored, err);
        } else {
            status = write_label(labels, column->labels[vertex], err);
        }
    }
    labels->summary->rows++;
    return status == MR_OK ? mr_output_write(labels->output, "\n", 1, err) : status;
}

enum mr_status mr_labels_write(const struct mr_context *context, const char *path,
                               struct mr_names *names, uint64_t n_vertices,
                               const struct mr_label_column *columns, unsigned n_columns,
                               bool header, bool force, struct mr_scores_summary *summary,
                               struct mr_error *err)
{
    struct labels labels = {.context = context,
                            .names = names,
                            .columns = columns,
                            .n_columns = n_columns,
                            .summary = summary};

    *summary = (struct mr_scores_summary){0};
    enum mr_status status =
        mr_memory_array(context->memory, "names of labels", N_KEPT, &labels.kept, err);
    if (status == MR_OK) {
        status = mr_output_open(context, path, force, &labels.output, err);
    }
    for (unsigned i = 0; header && i < n_columns && status == MR_OK; i++) {
        status = mr_output_print(labels.output, err, "%s\t%s%s", i == 0 ? "name" : "",
                                 columns[i].name, i + 1 == n_columns ? "\n" : "");
    }
    if (status == MR_OK) {
        status = mr_names_walk(context, names, n_vertices, "write", write_row, &labels, err);
    }
    mr_memory_free(context->memory, labels.kept);
    return mr_output_end(labels.output, status, err);
}
