/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the file that the PageRank job of Heritrix's offline analysis reads and writes in each
 * round, for `pagerank --heritrix-file`:
 *
 *     PAGE<TAB>SCORE<TAB>O:TARGET,TARGET,...
 *
 * A page without links has the target "dummy", and "dummy" has a line of its own, which links to
 * itself. Commas divide targets, so a comma in a URL is written as %2C. A store has its links by
 * target, so this makes a temporary reverse and reads its lists. Source: the "Offline PageRank
 * Analysis Notes" of Heritrix 2.0.0. */
#include <stdio.h>
#include <string.h>

#include "cli/graph/reverse.h"
#include "cli/ranking/heritrix.h"
#include "engine/scan/lists.h"
#include "formats/stream/output.h"

struct file {
    const struct mr_graph *graph;
    const struct mr_pagerank_result *result;
    struct mr_output *output;
    uint64_t n_commas; /* names that had one */
};

static enum mr_status write_text(struct file *file, const char *text, struct mr_error *err)
{
    return mr_output_write(file->output, text, strlen(text), err);
}

static enum mr_status write_name(struct file *file, uint32_t vertex, struct mr_error *err)
{
    const char *name, *comma;
    size_t bytes;
    enum mr_status status = mr_names_get(file->graph->names, vertex, &name, &bytes, err);

    if (status == MR_OK && memchr(name, ',', bytes) != NULL) {
        file->n_commas++;
    }
    while (status == MR_OK && bytes > 0 && (comma = memchr(name, ',', bytes)) != NULL) {
        status = mr_output_write(file->output, name, (size_t)(comma - name), err);
        if (status == MR_OK) {
            status = write_text(file, "%2C", err);
        }
        bytes -= (size_t)(comma - name) + 1;
        name = comma + 1;
    }
    return status == MR_OK ? mr_output_write(file->output, name, bytes, err) : status;
}

static enum mr_status write_page(void *data, uint32_t vertex, const uint32_t *targets,
                                 size_t n_targets, struct mr_error *err)
{
    struct file *file = data;
    const double score = file->result->precision == MR_PRECISION_SINGLE
                             ? (double)((const float *)file->result->scores)[vertex]
                             : ((const double *)file->result->scores)[vertex];
    char text[64];

    enum mr_status status = write_name(file, vertex, err);
    (void)snprintf(text, sizeof text, "\t%.17g\tO:%s", score, n_targets == 0 ? "dummy" : "");
    if (status == MR_OK) {
        status = write_text(file, text, err);
    }
    for (size_t i = 0; i < n_targets && status == MR_OK; i++) {
        status = i > 0 ? write_text(file, ",", err) : MR_OK;
        if (status == MR_OK) {
            status = write_name(file, targets[i], err);
        }
    }
    return status == MR_OK ? write_text(file, "\n", err) : status;
}

enum mr_status mr_heritrix_write(struct mr_session *session, const struct mr_graph *graph,
                                 const struct mr_pagerank_result *result, const char *path,
                                 bool force, struct mr_error *err)
{
    struct file file = {.graph = graph, .result = result};
    struct mr_reverse reverse = {0};
    char count[32];

    enum mr_status status = mr_reverse_open(session, graph, NULL, true, &reverse, err);
    if (status == MR_OK) {
        status = mr_output_open(&session->context, path, force, &file.output, err);
    }
    if (status == MR_OK) {
        status = mr_lists_read(&session->context, reverse.store, write_page, &file, err);
    }
    if (status == MR_OK) {
        status = write_text(&file, "dummy\t1.0\tO:dummy\n", err);
    }
    if (status == MR_OK) {
        struct mr_output *output = file.output;
        file.output = NULL;
        status = mr_output_commit(output, err);
    }
    if (status == MR_OK && file.n_commas > 0) {
        mr_session_say(session, "note: %s: commas in %s names are written as %%2C", path,
                       mr_count_text(file.n_commas, count));
    }
    mr_output_abandon(file.output);
    mr_reverse_close(session, &reverse);
    return status;
}
