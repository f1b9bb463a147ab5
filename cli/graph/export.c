/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `export` and `convert`: their table, the lists of pages and the scores that they
 * name, and the estimate. mr_store_export (library/export_store.c) writes the files. */
#include "cli/graph/export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/graph/graph.h"
#include "cli/program/option_table.h"
#include "engine/base/memory.h"
#include "formats/pages/page_list.h"
#include "library/query/export_store.h"

static const char *known_format(size_t index)
{
    const struct mr_graph_writer *writer = mr_graph_writer_at(index);
    return writer != NULL ? writer->name : NULL;
}

static enum mr_status parse_format(const char *text, void *format, struct mr_error *err)
{
    const struct mr_graph_writer *writer;
    const enum mr_status status = mr_graph_writer_choose(text, &writer, err);

    *(const char **)format = status == MR_OK ? writer->name : NULL;
    return status;
}

#define FIELD(name)      offsetof(struct mr_export_flags, name)
#define FILE_FIELD(name) FIELD(file.name)
#define FORMAT_OPTION                                                                              \
    {                                                                                              \
        .name = "to", .type = MR_OPTION_PARSED, .offset = FILE_FIELD(format), .value = "FORMAT",   \
        .known = known_format, .parse = parse_format, .also = "format output-format",              \
        .help = "Format of the file: u32 or u64 (pairs of little-endian numbers), edges (SNAP "    \
                "text), mtx (Matrix "                                                              \
                "Market), npy (shape (2, E)), sg (GAPBS), bvgraph (WebGraph). With names: urls "   \
                "(lines of two names), csv, jsonl. The files of Heritrix's offline PageRank: "     \
                "heritrix-links, heritrix-input-links, heritrix-map, heritrix-pagerank. A table "  \
                "of pages without links: pages (hash, URL, first and last fetch, changes, "        \
                "fetches, depth, score, as in Aduana's page database). Formats "                   \
                "with weights: wel, mtx, csv. "                                                    \
                "Default: by the suffix of the output; u32 on standard output.",                   \
        .often = true                                                                              \
    }
#define PART_OPTIONS                                                                               \
    {.name = "window",                                                                             \
     .type = MR_OPTION_COUNT,                                                                      \
     .offset = FILE_FIELD(window),                                                                 \
     .value = "N",                                                                                 \
     .least = 1,                                                                                   \
     .most = 65536,                                                                                \
     .help = "With --to bvgraph: how many lists before it a list may refer to. Default 7, as "     \
             "WebGraph."},                                                                         \
        {.name = "max-ref",                                                                        \
         .type = MR_OPTION_COUNT,                                                                  \
         .offset = FILE_FIELD(max_references),                                                     \
         .value = "N",                                                                             \
         .least = 1,                                                                               \
         .most = INT32_MAX,                                                                        \
         .help = "With --to bvgraph: the longest chain of references. --window 16 --max-ref 100 "  \
                 "takes 8 to 14% fewer bytes; who reads one list may then decode 100. Default 3, " \
                 "as WebGraph."},                                                                  \
        {.name = "no-weights",                                                                     \
         .type = MR_OPTION_FLAG,                                                                   \
         .offset = FILE_FIELD(no_weights),                                                         \
         .help = "Leave out the weights of links."},                                               \
        {.name = "host",                                                                           \
         .type = MR_OPTION_TEXT,                                                                   \
         .offset = FILE_FIELD(host),                                                               \
         .value = "HOST",                                                                          \
         .help = "Write only the pages of HOST (www.example.com) and the links between them. "     \
                 "Numbers begin at 0 again.",                                                      \
         .often = true},                                                                           \
        MR_LARGEST_OPTION(FILE_FIELD(largest)),                                                    \
        {.name = "names",                                                                          \
         .type = MR_OPTION_TEXT,                                                                   \
         .offset = FILE_FIELD(names),                                                              \
         .value = "FILE",                                                                          \
         .file = MR_FILE_WRITE,                                                                    \
         .help = "Also write the names of the pages to FILE, one per line, page 0 first."},        \
    {                                                                                              \
        0                                                                                          \
    }

const struct mr_option mr_export_options[] = {
    FORMAT_OPTION,
    {.name = "vertex-list",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(vertices_from),
     .value = "FILE",
     .file = MR_FILE_READ,
     .help = "Write only the pages named in FILE, one per line, and the links between them. "
             "Numbers begin at 0 again.",
     .often = true},
    MR_MAX_UNKNOWN_OPTION(FIELD(max_unknown), "names in --vertex-list and --seeds"),
    {.name = "scores",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(scores),
     .value = "FILE",
     .file = MR_FILE_READ,
     .help = "With --to pages: the scores of the pages, from a ranking of this store. Default 0."},
    {.name = "seeds",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(seeds),
     .value = "FILE",
     .file = MR_FILE_READ,
     .help = "With --to pages: the depth of a page is the least number of links from a page in "
             "FILE; \"-\" if no links lead to it. Reads the links once for each depth. Default "
             "\"-\"."},
    PART_OPTIONS};

/* --format and --vertex-list of convert describe the input. */
const struct mr_option mr_convert_options[] = {FORMAT_OPTION, PART_OPTIONS};
#undef FILE_FIELD
#undef FIELD

/* A list without pages. */
static const uint32_t no_page;

enum mr_status mr_export_choose(struct mr_session *session, const struct mr_export_flags *flags,
                                const char *output, const struct mr_graph_writer **writer,
                                struct mr_error *err)
{
    static const double score;
    struct mr_store_export_options options = flags->file;

    /* The files are read later. The check asks only whether there are some. */
    options.vertices = flags->vertices_from != NULL ? &no_page : NULL;
    options.seeds = flags->seeds != NULL ? &no_page : NULL;
    options.scores = flags->scores != NULL ? &score : NULL;
    options.struct_size = sizeof options;
    options.force = session->flags.force;
    const enum mr_status status = mr_store_export_check(NULL, 0, output, &options, err);
    *writer = mr_export_writer(&options, output);
    if (status == MR_OK && mr_output_is_standard(output) && (*writer)->binary &&
        isatty(STDOUT_FILENO)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "export: not writing binary numbers to a terminal; say -o FILE");
    }
    return status;
}

uint64_t mr_export_temporary_bytes(const struct mr_export_flags *flags, const char *output,
                                   const struct mr_store_info *info)
{
    const struct mr_graph_writer *writer = mr_export_writer(&flags->file, output);
    const uint64_t copy = info->links_bytes + info->degrees_bytes;
    const bool lists =
        writer != NULL && writer->wants != MR_WANTS_PAIRS && writer->wants != MR_WANTS_PAGES;
    return lists && writer->wants != MR_WANTS_SOURCES && !info->undirected ? copy : 0;
}

/* Reads the pages that a file names, if there is one. */
static enum mr_status read_pages(struct mr_session *session, const struct mr_graph *graph,
                                 const char *file, uint64_t max_unknown, struct mr_page_list *list,
                                 struct mr_error *err)
{
    return file == NULL ? MR_OK
                        : mr_page_list_read(&session->context, &file, 1, graph->names,
                                            mr_store_get_info(graph->store), MR_FETCH_WANTS_PAGES,
                                            0, max_unknown, list, err);
}

enum mr_status mr_export(struct mr_session *session, const struct mr_export_flags *flags,
                         struct mr_graph *graph, bool reversed, const char *output,
                         struct mr_error *err)
{
    struct mr_store_export_options options = flags->file;
    struct mr_page_list vertices = {0}, seeds = {0};
    double *scores = NULL;

    enum mr_status status =
        read_pages(session, graph, flags->vertices_from, flags->max_unknown, &vertices, err);
    if (status == MR_OK) {
        status = read_pages(session, graph, flags->seeds, flags->max_unknown, &seeds, err);
    }
    if (status == MR_OK && flags->scores != NULL) {
        status = mr_query_scores(session, graph, flags->scores, NULL, &scores, err);
    }
    if (status == MR_OK) {
        options.struct_size = sizeof options;
        options.force = session->flags.force;
        options.reversed = reversed;
        options.vertices =
            flags->vertices_from != NULL && vertices.n_pages == 0 ? &no_page : vertices.pages;
        options.n_vertices = vertices.n_pages;
        options.seeds = seeds.pages;
        options.n_seeds = seeds.n_pages;
        options.scores = scores;
        mr_session_leave_terminal(session, output);
        (void)mr_session_publish_together(session);
        status =
            mr_store_export(&session->context, graph->store, graph->names, output, &options, err);
    }
    mr_memory_free(session->context.memory, scores);
    mr_page_list_free(&seeds);
    mr_page_list_free(&vertices);
    return status;
}
