/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a store in the format of another program, for `export` and `convert`. A store has its
 * edges by target, so formats of pairs are written in one pass. Formats of lists by source are
 * written from a temporary reverse of the store. Files number vertices by position, which takes 4
 * bytes for each vertex of a store with an order. Only lists of a store ordered by degree need a
 * temporary copy of it without order. */
#include "cli/graph/export.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/graph/page_rows.h"
#include "cli/graph/reverse.h"
#include "cli/graph/subset.h"
#include "cli/program/option_table.h"
#include "engine/base/decimal.h"
#include "engine/base/memory.h"
#include "engine/builder/transpose.h"
#include "engine/io/io.h"
#include "engine/scan/edges.h"
#include "engine/scan/lists.h"
#include "engine/store/vertex_order.h"
#include "formats/graph_writer.h"
#include "formats/stream/output.h"
#include "formats/table/properties.h"
#include "formats/url/surt.h"

static const char *known_format(size_t index)
{
    const struct mr_graph_writer *writer = mr_graph_writer_at(index);
    return writer != NULL ? writer->name : NULL;
}

static enum mr_status parse_format(const char *text, void *format, struct mr_error *err)
{
    const struct mr_graph_writer **out = format;
    char names[256] = "";

    *out = mr_graph_writer_find(text);
    for (size_t i = 0; known_format(i) != NULL; i++) {
        const size_t used = strlen(names);
        (void)snprintf(names + used, sizeof names - used, "%s%s",
                       i == 0                        ? ""
                       : known_format(i + 1) != NULL ? ", "
                                                     : " or ",
                       known_format(i));
    }
    return *out != NULL ? MR_OK : mr_error_set(err, MR_ERROR_USAGE, "must be %s", names);
}

#define FIELD(name) offsetof(struct mr_export_flags, name)
#define FORMAT_OPTION                                                                              \
    {                                                                                              \
        .name = "to", .type = MR_OPTION_PARSED, .offset = FIELD(format), .value = "FORMAT",        \
        .known = known_format, .parse = parse_format,                                              \
        .help = "u32 or u64 (pairs of little-endian numbers), edges (SNAP text), mtx (Matrix "     \
                "Market), npy (shape (2, E)), sg (GAPBS), bvgraph (WebGraph). With names: urls "   \
                "(lines of two names), csv, jsonl. The files of Heritrix's offline PageRank: "     \
                "heritrix-links, heritrix-input-links, heritrix-map, heritrix-pagerank. A table "  \
                "of pages without links: pages (hash, URL, first and last fetch, changes, "        \
                "fetches, depth, score, as in Aduana's page database). Formats "                   \
                "with weights: wel, mtx, csv. "                                                    \
                "Default: by the suffix of the output; u32 on standard output."                    \
    }
#define PART_OPTIONS                                                                               \
    {.name = "no-weights",                                                                         \
     .type = MR_OPTION_FLAG,                                                                       \
     .offset = FIELD(no_weights),                                                                  \
     .help = "Leave out the weights of links."},                                                   \
        {.name = "host",                                                                           \
         .type = MR_OPTION_TEXT,                                                                   \
         .offset = FIELD(host),                                                                    \
         .value = "HOST",                                                                          \
         .help = "Write only the pages of HOST (www.example.com) and the links between them. "     \
                 "Numbers begin at 0 again."},                                                     \
        MR_LARGEST_OPTION(FIELD(largest)),                                                         \
        {.name = "names",                                                                          \
         .type = MR_OPTION_TEXT,                                                                   \
         .offset = FIELD(names_to),                                                                \
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
             "Numbers begin at 0 again."},
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
#undef FIELD

const struct mr_graph_writer *mr_export_writer(const struct mr_export_flags *flags,
                                               const char *output)
{
    return flags->format != NULL           ? flags->format
           : mr_is_standard_output(output) ? mr_graph_writer_find("u32")
                                           : mr_graph_writer_of_path(output);
}

enum mr_status mr_export_choose(const struct mr_export_flags *flags, const char *option,
                                const char *output, const struct mr_graph_writer **writer,
                                struct mr_error *err)
{
    const bool is_file = !mr_is_standard_output(output);
    const bool has_part = flags->vertices_from != NULL || flags->host != NULL ||
                          flags->largest != 0 || flags->names_to != NULL || flags->no_weights;
    *writer = mr_export_writer(flags, output);
    const bool of_pages = *writer != NULL && (*writer)->wants == MR_WANTS_PAGES;
    if (of_pages && has_part) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--to pages is about all pages; leave out --vertex-list, --host, "
                            "--largest, --names and --no-weights");
    }
    if (!of_pages && (flags->scores != NULL || flags->seeds != NULL)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--scores and --seeds are about the table of --to pages");
    }
    if (*writer == NULL) {
        return mr_error_file(err, MR_ERROR_USAGE, output, 0,
                             "the suffix names no format; choose one with --%s, or end the name "
                             "with .txt, .mtx, .npy, .u32, .sg, .graph, ...",
                             option);
    }
    if (is_file && (*writer)->several_files && mr_output_compresses(output)) {
        return mr_error_file(err, MR_ERROR_USAGE, output, 0,
                             "%s has several parts that are written at once and cannot be "
                             "compressed; leave out the last suffix",
                             (*writer)->title);
    }
    if ((flags->vertices_from != NULL) + (flags->host != NULL) + (flags->largest != 0) > 1) {
        return mr_error_set(
            err, MR_ERROR_USAGE,
            "--vertex-list, --host and --largest exclude each other; give one of them");
    }
    if (flags->names_to != NULL && (*writer)->numbers == MR_NUMBERS_OF_LINKED) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--names: %s has other numbers; --to heritrix-map writes their names",
                            (*writer)->title);
    }
    if (is_file) {
        return MR_OK;
    }
    if ((*writer)->several_files) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "%s has several parts that are written at once; say -o FILE",
                            (*writer)->title);
    }
    if ((*writer)->binary && isatty(STDOUT_FILENO)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "export: not writing binary numbers to a terminal; say -o FILE");
    }
    return MR_OK;
}

void mr_export_list_files(const struct mr_export_flags *flags, const char *what, const char *output,
                          struct mr_files *files)
{
    const struct mr_graph_writer *writer = mr_export_writer(flags, output);

    if (writer == NULL || writer->family == NULL || mr_is_standard_output(output)) {
        mr_files_add(files, MR_FILE_WRITE, what, output != NULL ? output : "-", NULL);
        return;
    }
    for (size_t i = 0; writer->family[i] != NULL; i++) {
        char *path = mr_path_sibling(output, writer->family, writer->family[i]);
        mr_files_add(files, MR_FILE_WRITE, what, path != NULL ? path : output, NULL);
        free(path);
    }
}

uint64_t mr_export_temporary_bytes(const struct mr_graph_writer *writer,
                                   const struct mr_store_info *info)
{
    const uint64_t copy = info->links_bytes + info->degrees_bytes;
    const bool lists = writer->wants != MR_WANTS_PAIRS && writer->wants != MR_WANTS_PAGES;
    return (lists && info->order_kind == MR_ORDER_BY_LISTS ? copy : 0) +
           (lists && writer->wants != MR_WANTS_SOURCES && !info->undirected ? copy : 0);
}

struct export
{
    struct mr_session *session;
    const struct mr_export_flags *flags;
    const struct mr_graph_writer *format;
    struct mr_store *store;
    /* the store with its weights, or NULL where no weights are written */
    struct mr_store *weighted;
    bool whole_weights;
    struct mr_names *names;
    const char *output;
    bool reversed;
    uint32_t *positions; /* [n_vertices]: of each vertex; NULL where that is its number */
    struct mr_vertex_set subset; /* positions, where has_subset; otherwise all are written */
    bool has_subset;
    uint64_t n_edges; /* number of edges that will be written */
    uint64_t n_dangling; /* number of written lists without an edge */
    uint64_t *numbers; /* [n_vertices written] */
    /* [n_vertices written + 1]: where names end in the text behind, if the format wants names */
    uint64_t *name_ends;
    void *writer;
    uint32_t pairs[MR_EDGES_BATCH][2];
    float weights[MR_EDGES_BATCH];
    uint32_t *list; /* [list_capacity]: the part of a list inside the subset */
    uint64_t list_capacity;
};

static uint64_t n_written(const struct export *export)
{
    return export->has_subset ? export->subset.n_members
                              : mr_store_get_info(export->store)->n_vertices;
}

/* ---- Edges inside the subset ---- */

/* Copies the pairs inside the subset to export->pairs, with the numbers they have in the file.
 * `weights` may be NULL. Returns how many. */
static size_t choose_pairs(struct export *export, const uint32_t (*pairs)[2], const float *weights,
                           size_t n_pairs)
{
    const struct mr_vertex_set *subset = &export->subset;
    const uint32_t *positions = export->positions;
    const unsigned source = export->reversed ? 1 : 0;
    size_t n = 0;

    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t from = pairs[i][source], to = pairs[i][1 - source];
        const uint32_t u = positions == NULL ? from : positions[from];
        const uint32_t v = positions == NULL ? to : positions[to];
        export->weights[n] = weights == NULL ? 1 : weights[i];
        if (!export->has_subset) {
            export->pairs[n][0] = u;
            export->pairs[n++][1] = v;
        } else if (mr_vertex_set_has(subset, u) && mr_vertex_set_has(subset, v)) {
            export->pairs[n][0] = mr_vertex_set_rank_of(subset, u);
            export->pairs[n++][1] = mr_vertex_set_rank_of(subset, v);
        }
    }
    return n;
}

static enum mr_status write_pairs(void *data, const uint32_t (*pairs)[2], const float *weights,
                                  size_t n_pairs, struct mr_error *err)
{
    struct export *export = data;
    const size_t n = choose_pairs(export, pairs, weights, n_pairs);

    return n == 0 ? MR_OK
                  : export->format->pairs(export->writer, (const uint32_t(*)[2]) export->pairs,
                                          weights == NULL ? NULL : export->weights, n, err);
}

static enum mr_status see_whole(void *data, const uint32_t (*pairs)[2], const float *weights,
                                size_t n_pairs, struct mr_error *err)
{
    struct export *export = data;
    (void)pairs;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        export->whole_weights &= weights[i] <= 0x1p24f && weights[i] == floorf(weights[i]);
    }
    return MR_OK;
}

static enum mr_status count_pairs(void *data, const uint32_t (*pairs)[2], size_t n_pairs,
                                  struct mr_error *err)
{
    struct export *export = data;
    (void)err;
    export->n_edges += choose_pairs(export, pairs, NULL, n_pairs);
    return MR_OK;
}

static enum mr_status write_list(void *data, uint32_t vertex, const uint32_t *others,
                                 size_t n_others, struct mr_error *err)
{
    struct export *export = data;
    const struct mr_vertex_set *subset = &export->subset;
    size_t n = 0;

    if (!export->has_subset) {
        export->n_dangling += n_others == 0;
        return export->format->list(export->writer, vertex, others, n_others, err);
    }
    if (!mr_vertex_set_has(subset, vertex)) {
        return MR_OK;
    }
    const enum mr_status status =
        mr_memory_grow(export->session->context.memory, "list of pages", n_others, &export->list,
                       &export->list_capacity, err);
    if (status != MR_OK) {
        return status;
    }
    for (size_t i = 0; i < n_others; i++) {
        if (mr_vertex_set_has(subset, others[i])) {
            export->list[n++] = mr_vertex_set_rank_of(subset, others[i]);
        }
    }
    export->n_dangling += n == 0;
    return export->format->list(export->writer, mr_vertex_set_rank_of(subset, vertex), export->list,
                                n, err);
}

/* ---- Names ---- */

/* Gets the name of each written vertex, in order. */
typedef enum mr_status (*name_visitor)(void *data, uint64_t vertex, const char *name, size_t bytes,
                                       struct mr_error *err);

static enum mr_status visit_names(struct export *export, name_visitor see, void *data,
                                  struct mr_error *err)
{
    const uint64_t n = mr_store_get_info(export->store)->n_vertices;
    struct mr_name_cursor *cursor = NULL;
    uint64_t next = 0;
    enum mr_status status = mr_name_cursor_open(export->names, 0, &cursor, err);

    for (uint64_t v = 0; v < n && status == MR_OK; v++) {
        const char *name;
        size_t bytes;
        status = mr_name_cursor_next(cursor, &name, &bytes, err);
        if (status == MR_OK &&
            (!export->has_subset || mr_vertex_set_has(&export->subset, (uint32_t)v))) {
            status = see(data, next++, name, bytes, err);
        }
    }
    mr_name_cursor_close(cursor);
    return status;
}

static enum mr_status save_number(void *data, uint64_t vertex, const char *name, size_t bytes,
                                  struct mr_error *err)
{
    uint64_t *numbers = data;
    (void)err;
    (void)mr_decimal_parse(&name, name + bytes, &numbers[vertex]);
    return MR_OK;
}

static enum mr_status write_name(void *data, uint64_t vertex, const char *name, size_t bytes,
                                 struct mr_error *err)
{
    uint64_t escaped = 0;
    struct mr_output *output = data;
    (void)vertex;
    const enum mr_status status =
        mr_output_name_escaped(output, name, bytes, MR_NAME_LINE, &escaped, err);
    return status == MR_OK ? mr_output_write(output, "\n", 1, err) : status;
}

static enum mr_status mark_linked(void *data, const uint32_t (*pairs)[2], size_t n_pairs,
                                  struct mr_error *err)
{
    struct export *export = data;
    const size_t n = choose_pairs(export, pairs, NULL, n_pairs);

    (void)err;
    for (size_t i = 0; i < n; i++) {
        export->numbers[export->pairs[i][1]] = 1;
    }
    return MR_OK;
}

/* Numbers the pages that have a link to them, in order. */
static enum mr_status number_linked(struct export *export, struct mr_error *err)
{
    uint64_t last = 0;
    const enum mr_status status =
        mr_edges_read(&export->session->context, export->store, mark_linked, export, err);

    for (uint64_t v = 0; v < n_written(export); v++) {
        last += export->numbers[v];
        export->numbers[v] *= last;
    }
    return status;
}

/* Makes the numbers that the format calls vertices by, if these are not their own. */
static enum mr_status load_numbers(struct export *export, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(export->store);
    const bool linked = export->format->numbers == MR_NUMBERS_OF_LINKED;

    if (export->format->numbers == MR_NUMBERS_OWN ||
        (!linked && (info->name_kind == MR_NAMES_TEXT ||
                     (info->name_kind == MR_NAMES_IDENTITY && !export->has_subset)))) {
        return MR_OK;
    }
    const enum mr_status status = mr_memory_array(export->session->context.memory, "names of pages",
                                                  n_written(export), &export->numbers, err);
    return status != MR_OK ? status
           : linked        ? number_linked(export, err)
                           : visit_names(export, save_number, export->numbers, err);
}

static enum mr_status count_text(void *data, uint64_t vertex, const char *name, size_t bytes,
                                 struct mr_error *err)
{
    uint64_t *total = data;
    (void)vertex, (void)name, (void)err;
    *total += bytes;
    return MR_OK;
}

static enum mr_status save_text(void *data, uint64_t vertex, const char *name, size_t bytes,
                                struct mr_error *err)
{
    struct export *export = data;
    uint64_t *ends = export->name_ends;
    char *text = (char *)(ends + n_written(export) + 1);
    (void)err;
    memcpy(text + ends[vertex], name, bytes);
    ends[vertex + 1] = ends[vertex] + bytes;
    return MR_OK;
}

/* Loads the names of all vertices that are written, for formats that write names: 8 bytes for each
 * and their text. */
static enum mr_status load_texts(struct export *export, struct mr_error *err)
{
    const uint64_t n = n_written(export);
    uint64_t bytes = 0;
    void *memory = NULL;

    if (!export->format->wants_names) {
        return MR_OK;
    }
    enum mr_status status = visit_names(export, count_text, &bytes, err);
    if (status == MR_OK) {
        status = mr_memory_alloc(export->session->context.memory, "names of pages",
                                 (n + 1) * sizeof(uint64_t) + bytes, &memory, err);
    }
    export->name_ends = memory;
    return status == MR_OK ? visit_names(export, save_text, export, err) : status;
}

/* Finds the name of a vertex in them. */
static enum mr_status name_of(void *data, uint32_t vertex, const char **name, size_t *bytes,
                              struct mr_error *err)
{
    const struct export *export = data;
    const uint64_t *ends = export->name_ends;

    (void)err;
    *name = (const char *)(ends + n_written(export) + 1) + ends[vertex];
    *bytes = (size_t)(ends[vertex + 1] - ends[vertex]);
    return MR_OK;
}

/* Prints a note where the output has other numbers than the input and nothing names them. */
static void note_numbers(const struct export *export)
{
    const enum mr_name_kind kind = mr_store_get_info(export->store)->name_kind;
    const uint64_t n = n_written(export);
    uint64_t n_linked = 0;
    char count[32];

    if (export->flags->names_to != NULL || export->name_ends != NULL || n == 0) {
        return;
    }
    if (export->format->numbers == MR_NUMBERS_OF_LINKED) {
        for (uint64_t v = 0; v < n; v++) {
            n_linked += export->numbers[v] > 0;
        }
        mr_session_say(export->session,
                       "note: pages have the numbers of --to heritrix-map; pages without a link to "
                       "them are left out with their links (%s)",
                       mr_count_text(n - n_linked, count));
    } else if (export->numbers == NULL && (kind != MR_NAMES_IDENTITY || export->has_subset)) {
        mr_session_say(export->session,
                       "note: the output has new numbers for the pages, in the order of their %s; "
                       "--names FILE writes these",
                       kind == MR_NAMES_TEXT ? "names" : "numbers");
    }
}

static enum mr_status write_names(struct export *export, struct mr_error *err)
{
    struct mr_output *output = NULL;
    enum mr_status status = mr_output_open(&export->session->context, export->flags->names_to,
                                           export->session->flags.force, &output, err);
    if (status == MR_OK) {
        status = visit_names(export, write_name, output, err);
    }
    return mr_output_end(output, status, err);
}

/* ---- Lists ---- */

static enum mr_status read_lists(struct export *export, struct mr_store *store,
                                 struct mr_error *err)
{
    return mr_lists_read_by_position(&export->session->context, store, UINT64_MAX, write_list,
                                     export, err);
}

/* Makes a temporary reverse of the store and reads its lists. */
static enum mr_status read_reversed_lists(struct export *export, struct mr_error *err)
{
    const struct mr_graph graph = {.store = export->store};
    struct mr_reverse reverse;

    mr_session_say(export->session,
                   "note: %s needs the links by source; reversing the store into a temporary one",
                   export->format->title);
    enum mr_status status = mr_reverse_open(export->session, &graph, NULL, true, &reverse, err);
    if (status == MR_OK) {
        status = read_lists(export, reverse.store, err);
    }
    mr_reverse_close(export->session, &reverse);
    return status;
}

static enum mr_status write_lists(struct export *export, struct mr_error *err)
{
    const bool direct = export->reversed || mr_store_get_info(export->store)->undirected ||
                        export->format->wants == MR_WANTS_SOURCES;
    enum mr_status status =
        direct ? read_lists(export, export->store, err) : read_reversed_lists(export, err);

    if (status == MR_OK && export->format->wants == MR_WANTS_BOTH_LISTS && !direct) {
        status = read_lists(export, export->store, err);
    }
    return status;
}

/* ---- The export ---- */

/* Turns the vertices of the subset into positions. */
static enum mr_status place_subset(struct export *export, struct mr_error *err)
{
    struct mr_vertex_set vertices = export->subset;
    enum mr_status status =
        mr_vertex_set_create(&export->session->context, vertices.n_vertices, &export->subset, err);
    for (uint64_t v = 0; v < vertices.n_vertices && status == MR_OK; v++) {
        if (mr_vertex_set_has(&vertices, (uint32_t)v)) {
            mr_vertex_set_add(&export->subset, export->positions[v]);
        }
    }
    if (status == MR_OK) {
        mr_vertex_set_rank(&export->subset);
    }
    mr_vertex_set_destroy(&vertices);
    return status;
}

static enum mr_status choose_subset(struct export *export, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(export->store);
    const struct mr_context *context = &export->session->context;
    const struct mr_export_flags *flags = export->flags;
    enum mr_status status = MR_OK;

    export->n_edges = info->n_edges;
    export->has_subset = flags->vertices_from != NULL || flags->host != NULL || flags->largest != 0;
    if (flags->vertices_from != NULL) {
        status = mr_subset_of_list(&export->subset, context, export->names, info,
                                   flags->max_unknown, flags->vertices_from, err);
    } else if (flags->host != NULL) {
        status = mr_subset_of_host(&export->subset, context, export->names,
                                   mr_name_key_of(info->name_key_number), info->n_vertices,
                                   flags->host, err);
    } else if (flags->largest != 0) {
        status = mr_subset_of_largest(&export->subset, context, export->store, export->names,
                                      flags->largest == 2, NULL, err);
    }
    if (status == MR_OK && export->has_subset && export->positions != NULL) {
        status = place_subset(export, err);
    }
    if (status == MR_OK && export->has_subset) {
        export->n_edges = 0;
        status = mr_edges_read(context, export->store, count_pairs, export, err);
    }
    return status;
}

/* Decides whether weights are written, and whether all are whole numbers. */
static enum mr_status choose_weights(struct export *export, struct mr_error *err)
{
    const struct mr_context *context = &export->session->context;
    const struct mr_store_info *info = mr_store_get_info(export->store);
    const enum mr_graph_weighs weighs = export->format->weighs;

    if (weighs == MR_WEIGHS_ALWAYS && (!info->has_weights || export->flags->no_weights)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "%s: needs weights, and the store has none or --no-weights leaves them "
                            "out; choose another format",
                            export->format->title);
    }
    if (weighs == MR_WEIGHS_NOT && info->has_weights && !export->flags->no_weights) {
        mr_session_say(export->session, "note: %s cannot have weights; wel, mtx and csv can",
                       export->format->title);
    }
    if (weighs == MR_WEIGHS_NOT || !info->has_weights || export->flags->no_weights) {
        return MR_OK;
    }
    enum mr_status status = mr_store_open_weights(context, export->store, &export->weighted, err);
    if (status == MR_OK) {
        const struct mr_store_info *weighted = mr_store_get_info(export->weighted);
        export->whole_weights = true;
        if (weighted->weights.byte_edges < weighted->n_edges && weighs == MR_WEIGHS_IF_THERE) {
            status = mr_edges_read_weighted(context, export->weighted, see_whole, export, err);
        }
    }
    return status;
}

static enum mr_status write_all_pairs(struct export *export, struct mr_error *err)
{
    const struct mr_context *context = &export->session->context;
    return mr_edges_read_either(context, export->store, export->weighted, write_pairs, export, err);
}

static enum mr_status write_graph(struct export *export, struct mr_error *err)
{
    const struct mr_graph_output output = {
        .struct_size = sizeof output,
        .context = &export->session->context,
        .format = export->format->name,
        .path = export->output,
        .force = export->session->flags.force,
        .n_vertices = n_written(export),
        .n_edges = export->n_edges,
        .symmetric = mr_store_get_info(export->store)->undirected,
        .weighted = export->weighted != NULL,
        .whole_weights = export->whole_weights,
        .numbers = export->numbers,
        .name = name_of,
        .data = export,
    };
    enum mr_status status = export->format->open(&output, &export->writer, err);

    if (status != MR_OK) {
        return status;
    }
    status = export->format->wants == MR_WANTS_PAIRS ? write_all_pairs(export, err)
                                                     : write_lists(export, err);
    if (status != MR_OK) {
        export->format->abandon(export->writer);
        return status;
    }
    return export->format->commit(export->writer, err);
}

/* Copies a store with lists of its order into a temporary store with vertices in the order of their
 * positions. */
static enum mr_status open_by_position(struct export *export, char **path, struct mr_error *err)
{
    const struct mr_context *context = &export->session->context;
    struct mr_store *store = NULL;
    struct mr_names *names = NULL;

    enum mr_status status = mr_session_temporary(export->session, "in-order", path, err);
    if (status != MR_OK) {
        *path = NULL;
        return status;
    }
    mr_session_say(export->session, "note: the store has its pages in another order than the "
                                    "input; making a temporary store in the order of the input");
    status = mr_undo_order(context, export->store, *path, err);
    if (status == MR_OK) {
        status = mr_store_open(context, *path, &store, err);
    }
    if (status == MR_OK) {
        status = mr_names_open(
            context, store, mr_name_key_of(mr_store_get_info(store)->name_key_number), &names, err);
    }
    if (status != MR_OK) {
        mr_store_close(store);
        return status;
    }
    export->store = store;
    export->names = names;
    return MR_OK;
}

enum mr_status mr_export(struct mr_session *session, const struct mr_export_flags *flags,
                         const struct mr_graph_writer *writer, struct mr_store *store,
                         struct mr_names *names, bool reversed, const char *output,
                         struct mr_error *err)
{
    char *ordered_path = NULL;

    if (writer->wants == MR_WANTS_PAGES) {
        return mr_page_rows_write(session, flags, store, names, output, err);
    }
    struct export *export = calloc(1, sizeof *export);
    if (export == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for an export");
    }
    export->session = session;
    export->flags = flags;
    export->store = store;
    export->names = names;
    export->output = output;
    export->reversed = reversed;
    export->format = writer;
    enum mr_status status = MR_OK;
    const enum mr_order_kind order = mr_store_get_info(store)->order_kind;
    if (order == MR_ORDER_BY_LISTS && writer->wants != MR_WANTS_PAIRS) {
        status = open_by_position(export, &ordered_path, err);
    } else if (order != MR_ORDER_BY_NAME) {
        status = mr_vertex_order_load(&session->context, store, MR_ORDER_POSITIONS,
                                      &export->positions, err);
    }
    if (status == MR_OK) {
        status = choose_weights(export, err);
    }
    if (status == MR_OK) {
        status = choose_subset(export, err);
    }
    if (status == MR_OK) {
        status = load_numbers(export, err);
    }
    if (status == MR_OK) {
        status = load_texts(export, err);
    }
    if (status == MR_OK) {
        mr_session_publish_together(session);
        status = write_graph(export, err);
        if (status == MR_OK && flags->names_to != NULL) {
            status = write_names(export, err);
        }
        status = mr_session_publish(session, status, err);
    }
    if (status == MR_OK) {
        note_numbers(export);
    }
    if (status == MR_OK && reversed) {
        char count[32];
        mr_session_say(session, "%s of the pages are dangling",
                       mr_count_text(export->n_dangling, count));
    }
    mr_store_close(export->weighted);
    mr_memory_free(session->context.memory, export->list);
    mr_memory_free(session->context.memory, export->name_ends);
    mr_memory_free(session->context.memory, export->numbers);
    mr_memory_free(session->context.memory, export->positions);
    mr_vertex_set_destroy(&export->subset);
    if (export->store != store) {
        mr_names_close(export->names);
        mr_store_close(export->store);
    }
    if (ordered_path != NULL) {
        mr_io_remove_store_dir(session->context.io, ordered_path);
        free(ordered_path);
    }
    free(export);
    return status;
}
