/* SPDX-License-Identifier: Apache-2.0 */
/* Files of labels: lines `name<TAB>label...` in the order of positions, where a label is the name
 * of a vertex. Components are written so. */
#ifndef MR_FORMATS_SCORE_LABEL_FILE_H
#define MR_FORMATS_SCORE_LABEL_FILE_H

#include "engine/names/names.h"
#include "millrace/scores.h"

/* A column: the vertex whose name is written, for each vertex; or a text of a small list. */
struct mr_label_column {
    const char *name; /* for the header line */
    const uint32_t *labels; /* [n_vertices]; NULL: */
    const char *(*text)(const void *data, uint32_t vertex); /* without tabs and line ends */
    const void *text_data;
};

/* Write `columns[n_columns]` of all vertices to `path`; NULL and "-" are standard output; .gz and
 * .zst compress. Names with control bytes are escaped and counted as in mr_scores_write. Reads the
 * names in order; looks the name of a label up unless it is that of the row or was needed a short
 * time before. Memory: 4 MiB. Errors: USAGE when the file exists and `force` is not set; CORRUPT,
 * RUNTIME, BUDGET. */
enum mr_status mr_labels_write(const struct mr_context *context, const char *path,
                               struct mr_names *names, uint64_t n_vertices,
                               const struct mr_label_column *columns, unsigned n_columns,
                               bool header, bool force, struct mr_scores_summary *summary,
                               struct mr_error *err) MR_WARN_UNUSED;

#endif
