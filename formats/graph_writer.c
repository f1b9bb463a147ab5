/* SPDX-License-Identifier: Apache-2.0 */
/* The list of all graph formats that Millrace writes. Commands that export a graph find a writer
 * here, by name or by the suffix of the output file. Each writer is a file of its own in
 * formats/graph; this list is the only place that knows all of them. */
#include "formats/graph_writer.h"

#include <stdio.h>
#include <string.h>

#include "formats/stream/output.h"

/* stream_writers.c */
extern const struct mr_graph_writer mr_writer_u32, mr_writer_u64, mr_writer_edges, mr_writer_mtx,
    mr_writer_npy, mr_writer_wel, mr_writer_urls, mr_writer_csv, mr_writer_jsonl,
    mr_writer_heritrix_links, mr_writer_heritrix_input_links, mr_writer_heritrix_map,
    mr_writer_heritrix_pagerank;
/* sg_writer.c, bvgraph_writer.c */
extern const struct mr_graph_writer mr_writer_sg, mr_writer_bvgraph;

static const struct mr_graph_writer pages = {
    .name = "pages", .title = "a table of pages", .wants = MR_WANTS_PAGES};

static const struct mr_graph_writer *const writers[] = {
    &mr_writer_u32,
    &mr_writer_u64,
    &mr_writer_edges,
    &mr_writer_mtx,
    &mr_writer_npy,
    &mr_writer_wel,
    &mr_writer_sg,
    &mr_writer_bvgraph,
    &mr_writer_urls,
    &mr_writer_csv,
    &mr_writer_jsonl,
    &mr_writer_heritrix_links,
    &mr_writer_heritrix_input_links,
    &mr_writer_heritrix_map,
    &mr_writer_heritrix_pagerank,
    &pages,
};
enum { N_WRITERS = sizeof writers / sizeof writers[0] };

const struct mr_graph_writer *mr_graph_writer_at(size_t index)
{
    return index < N_WRITERS ? writers[index] : NULL;
}

const struct mr_graph_writer *mr_graph_writer_find(const char *name)
{
    name = strcmp(name, "snap") == 0 ? "edges" : name;
    for (size_t i = 0; i < N_WRITERS; i++) {
        if (strcmp(writers[i]->name, name) == 0) {
            return writers[i];
        }
    }
    return NULL;
}

enum mr_status mr_graph_writer_choose(const char *name, const struct mr_graph_writer **out,
                                      struct mr_error *err)
{
    char names[256] = "";

    *out = mr_graph_writer_find(name);
    for (size_t i = 0; i < N_WRITERS && *out == NULL; i++) {
        const size_t used = strlen(names);
        (void)snprintf(names + used, sizeof names - used, "%s%s",
                       i == 0              ? ""
                       : i + 1 < N_WRITERS ? ", "
                                           : " or ",
                       writers[i]->name);
    }
    return *out != NULL ? MR_OK : mr_error_set(err, MR_ERROR_USAGE, "must be %s", names);
}

const struct mr_graph_writer *mr_graph_writer_of_path(const char *path)
{
    for (size_t i = 0; i < N_WRITERS && path != NULL; i++) {
        for (const char *const *suffix = writers[i]->suffixes; *suffix != NULL; suffix++) {
            if (mr_output_has_suffix(path, *suffix)) {
                return writers[i];
            }
        }
    }
    return NULL;
}
