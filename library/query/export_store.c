/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a store in the format of another program. A store has its edges by target, so formats of
 * pairs are written in one pass. Formats of lists by source are written from a temporary reverse of
 * the store. Files number vertices by position, which takes 4 bytes for each vertex of a store with
 * an order. */
#include "library/query/export_store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/count_text.h"
#include "engine/base/decimal.h"
#include "engine/base/memory.h"
#include "engine/base/sized_struct.h"
#include "engine/builder/transpose.h"
#include "engine/io/publish.h"
#include "engine/io/workspace.h"
#include "engine/names/names.h"
#include "engine/scan/edges.h"
#include "engine/scan/lists.h"
#include "engine/store/core_map.h"
#include "formats/graph/link_columns.h"
#include "formats/stream/output.h"
#include "formats/table/properties.h"
#include "library/import/import_graphs.h"
#include "library/query/subset.h"

const struct mr_graph_writer *mr_export_writer(const struct mr_store_export_options *options,
                                               const char *path)
{
    return options->format != NULL       ? mr_graph_writer_find(options->format)
           : mr_output_is_standard(path) ? mr_graph_writer_find("u32")
                                         : mr_graph_writer_of_path(path);
}

/* Chooses the format, and checks that the output can have it and that the options go together.
 * Arrays of the options may have no content yet. */
static enum mr_status choose_format(const struct mr_store_export_options *options, const char *path,
                                    const struct mr_graph_writer **writer, struct mr_error *err)
{
    const int n_parts =
        (options->vertices != NULL) + (options->host != NULL) + (options->largest != 0);
    *writer = mr_export_writer(options, path);
    const bool of_pages = *writer != NULL && (*writer)->wants == MR_WANTS_PAGES;

    if (*writer == NULL && options->format != NULL) {
        struct mr_error reason = {0};
        const enum mr_status status = mr_graph_writer_choose(options->format, writer, &reason);
        return mr_error_set(err, status, "--to %s: %s", options->format, reason.message);
    }
    if (of_pages && options->reversed) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--to pages has no links to reverse; leave out --transpose");
    }
    if (of_pages && (n_parts > 0 || options->names != NULL || options->no_weights)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--to pages is about all pages; leave out --vertex-list, --host, "
                            "--largest, --names and --no-weights");
    }
    if (!of_pages && (options->scores != NULL || options->seeds != NULL)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--scores and --seeds are about the table of --to pages");
    }
    if (*writer != NULL && strcmp((*writer)->name, "bvgraph") != 0 &&
        (options->window > 0 || options->max_references > 0)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--window and --max-ref are about the lists of --to bvgraph");
    }
    if (*writer == NULL) {
        return mr_error_file(err, MR_ERROR_USAGE, path, 0,
                             "the suffix names no format; choose one with --to, or end the name "
                             "with .txt, .mtx, .npy, .u32, .sg, .graph, ...");
    }
    if (n_parts > 1) {
        return mr_error_set(
            err, MR_ERROR_USAGE,
            "--vertex-list, --host and --largest exclude each other; give one of them");
    }
    if ((unsigned)options->largest > MR_LARGEST_STRONG) {
        return mr_error_set(err, MR_ERROR_USAGE, "no such component: %d", (int)options->largest);
    }
    if (options->window > MR_BV_MAX_WINDOW || options->max_references > INT32_MAX) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "a window has at most %d lists, a chain %d references",
                            MR_BV_MAX_WINDOW, INT32_MAX);
    }
    if (options->names != NULL && (*writer)->numbers == MR_NUMBERS_OF_LINKED) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--names: %s has other numbers; --to heritrix-map writes their names",
                            (*writer)->title);
    }
    if (options->names != NULL && mr_output_is_standard(options->names) &&
        mr_output_is_standard(path)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "the links and --names both go to standard output; say -o FILE");
    }
    if ((*writer)->several_files && mr_output_is_standard(path)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "%s has several parts that are written at once; say -o FILE",
                            (*writer)->title);
    }
    return !(*writer)->several_files || !mr_output_compresses(path)
               ? MR_OK
               : mr_error_file(err, MR_ERROR_USAGE, path, 0,
                               "%s has several parts that are written at once and cannot be "
                               "compressed; leave out the last suffix",
                               (*writer)->title);
}

enum name_use { PARSE_NAMES, COUNT_NAMES, SAVE_NAMES, WRITE_NAMES };

struct export
{
    struct mr_context context; /* with a group of outputs that appear together */
    struct mr_store_export_options options;
    const struct mr_graph_writer *format;
    const char *path;
    struct mr_store *store;
    struct mr_names *names;
    struct mr_store *weighted; /* `store` with its weights; NULL where no weights are written */
    bool whole_weights;
    struct mr_workspace *workspace; /* of a temporary store; NULL: there is none */
    uint32_t *positions; /* [n_vertices]: of each vertex; NULL where that is its number */
    struct mr_vertex_set subset; /* positions, where has_subset; otherwise all are written */
    bool has_subset;
    uint64_t n_edges; /* number of edges that will be written */
    uint64_t n_dangling; /* number of written lists without an edge */
    uint64_t *numbers; /* [n_vertices written] */
    /* [n_vertices written + 1]: where names end in the text behind, if the format wants names */
    uint64_t *name_ends;
    enum name_use name_use; /* in a walk over the names */
    uint64_t text_bytes; /* of all names */
    struct mr_output *names_file;
    bool is_first_name; /* of names_file */
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
    const unsigned source = export->options.reversed ? 1 : 0;
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

static enum mr_status count_pairs(void *data, const uint32_t (*pairs)[2], const float *weights,
                                  size_t n_pairs, struct mr_error *err)
{
    struct export *export = data;
    (void)weights;
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
    const enum mr_status status = mr_memory_grow(export->context.memory, "list of pages", n_others,
                                                 &export->list, &export->list_capacity, err);
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

/* May the first line of a list be more than a name (library/import/import_names.c)? */
static bool may_be_more(const char *name, const char *end)
{
    const bool is_url = memmem(name, (size_t)(end - name), "://", 3) != NULL;
    uint64_t id;

    for (const char *separator = ",;| "; *separator != '\0'; separator++) {
        const char *first = memchr(name, *separator, (size_t)(end - name));
        const char *last = memrchr(name, *separator, (size_t)(end - name));
        struct mr_table_field begin = {.text = name}, rest = {.text = end};
        if (first != NULL) {
            begin.bytes = (size_t)(first - name);
            rest = (struct mr_table_field){.text = last + 1, .bytes = (size_t)(end - last - 1)};
        }
        if (mr_column_whole(&begin, &id) ||
            ((*separator == ' ' || !is_url) && mr_column_whole(&rest, &id))) {
            return true;
        }
    }
    return mr_import_names_may_be_other(name, (size_t)(end - name));
}

/* Writes the first name of a list. If it looks like more than a name, it has codes for what would
 * separate an id from it, and for its first byte, so that the list is read as a name a line. */
static enum mr_status write_first_name(struct export *export, const char *name, size_t bytes,
                                       struct mr_error *err)
{
    const char *const begin = name, *const end = name + bytes;
    const bool has_codes = may_be_more(name, end);
    uint64_t escaped = 0;
    enum mr_status status = MR_OK;

    while (status == MR_OK && name < end) {
        const char *at = name;
        while (at < end && (!has_codes || (at > begin && strchr(",;| ", *at) == NULL))) {
            at++;
        }
        status = at == name ? MR_OK
                            : mr_output_name_escaped(export->names_file, name, (size_t)(at - name),
                                                     MR_NAME_LINE, &escaped, err);
        if (status == MR_OK && at < end) {
            char code[8];
            const int n = snprintf(code, sizeof code, "\\x%02x", (unsigned char)*at);
            status = mr_output_write(export->names_file, code, (size_t)n, err);
        }
        name = at + (at < end);
    }
    return status;
}

/* A mr_name_take: does with the name of each written vertex what export->name_use says. */
static enum mr_status take_name(void *data, const struct mr_name_cursor *cursor, uint64_t position,
                                const char *name, size_t bytes, struct mr_error *err)
{
    struct export *export = data;
    uint64_t *ends = export->name_ends, escaped = 0;
    enum mr_status status = MR_OK;

    (void)cursor;
    if (export->has_subset && !mr_vertex_set_has(&export->subset, position)) {
        return MR_OK;
    }
    const uint64_t vertex =
        export->has_subset ? mr_vertex_set_rank_of(&export->subset, (uint32_t)position) : position;
    switch (export->name_use) {
    case PARSE_NAMES:
        (void)mr_decimal_parse(&name, name + bytes, &export->numbers[vertex]);
        break;
    case COUNT_NAMES:
        export->text_bytes += bytes;
        break;
    case SAVE_NAMES:
        memcpy((char *)(ends + n_written(export) + 1) + ends[vertex], name, bytes);
        ends[vertex + 1] = ends[vertex] + bytes;
        break;
    case WRITE_NAMES:
        status = export->is_first_name ? write_first_name(export, name, bytes, err)
                                       : mr_output_name_escaped(export->names_file, name, bytes,
                                                                MR_NAME_LINE, &escaped, err);
        export->is_first_name = false;
        status = status == MR_OK ? mr_output_write(export->names_file, "\n", 1, err) : status;
        break;
    }
    return status;
}

static enum mr_status walk_names(struct export *export, enum name_use use, struct mr_error *err)
{
    export->name_use = use;
    return mr_names_walk(&export->context, export->names,
                         mr_store_get_info(export->store)->n_vertices, NULL, take_name, export,
                         err);
}

static enum mr_status mark_linked(void *data, const uint32_t (*pairs)[2], const float *weights,
                                  size_t n_pairs, struct mr_error *err)
{
    struct export *export = data;
    const size_t n = choose_pairs(export, pairs, NULL, n_pairs);

    (void)weights;
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
        mr_edges_read(&export->context, export->store, NULL, mark_linked, export, err);

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
    const enum mr_status status = mr_memory_array(export->context.memory, "names of pages",
                                                  n_written(export), &export->numbers, err);
    return status != MR_OK ? status
           : linked        ? number_linked(export, err)
                           : walk_names(export, PARSE_NAMES, err);
}

/* Loads the names of all vertices that are written, for formats that write names: 8 bytes for each
 * and their text. */
static enum mr_status load_texts(struct export *export, struct mr_error *err)
{
    const uint64_t n = n_written(export);
    void *memory = NULL;

    if (!export->format->wants_names) {
        return MR_OK;
    }
    enum mr_status status = walk_names(export, COUNT_NAMES, err);
    if (status == MR_OK) {
        status = mr_memory_alloc(export->context.memory, "names of pages",
                                 (n + 1) * sizeof(uint64_t) + export->text_bytes, &memory, err);
    }
    export->name_ends = memory;
    return status == MR_OK ? walk_names(export, SAVE_NAMES, err) : status;
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

    if (export->options.names != NULL || export->name_ends != NULL || n == 0) {
        return;
    }
    if (export->format->numbers == MR_NUMBERS_OF_LINKED) {
        for (uint64_t v = 0; v < n; v++) {
            n_linked += export->numbers[v] > 0;
        }
        mr_context_note(&export->context,
                        "pages have the numbers of --to heritrix-map; pages without a link to "
                        "them are left out with their links (%s)",
                        mr_count_text(n - n_linked, count));
    } else if (export->numbers == NULL && (kind != MR_NAMES_IDENTITY || export->has_subset)) {
        mr_context_note(&export->context,
                        "the output has new numbers for the pages, in the order of their %s; "
                        "--names FILE writes these",
                        kind == MR_NAMES_TEXT ? "names" : "numbers");
    }
}

static enum mr_status write_names(struct export *export, struct mr_error *err)
{
    enum mr_status status = mr_output_open(&export->context, export->options.names,
                                           export->options.force, &export->names_file, err);
    if (status == MR_OK) {
        export->is_first_name = true;
        status = walk_names(export, WRITE_NAMES, err);
    }
    return mr_output_end(export->names_file, status, err);
}

/* ---- Lists ---- */

static enum mr_status make_reverse(struct export *export, struct mr_store **made,
                                   struct mr_error *err)
{
    const struct mr_build_options options = {0};
    const struct mr_context *context = &export->context;
    char *path = NULL;

    enum mr_status status = mr_workspace_open(context, &export->workspace, err);
    if (status == MR_OK &&
        asprintf(&path, "%s/reverse.mill", mr_workspace_path(export->workspace)) < 0) {
        path = NULL;
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a file name");
    }
    if (status == MR_OK) {
        status = mr_transpose(context, export->store, path, &options, NULL, err);
    }
    if (status == MR_OK) {
        status = mr_store_open(context, path, made, err);
    }
    free(path);
    return status;
}

static enum mr_status read_lists(struct export *export, struct mr_store *store,
                                 struct mr_error *err)
{
    return mr_lists_read(&export->context, store, true, UINT64_MAX, write_list, export, err);
}

static enum mr_status write_lists(struct export *export, struct mr_error *err)
{
    const bool direct = export->options.reversed || mr_store_get_info(export->store)->undirected ||
                        export->format->wants == MR_WANTS_SOURCES;
    struct mr_store *reverse = NULL;
    enum mr_status status = MR_OK;

    if (!direct) {
        mr_context_note(&export->context,
                        "%s needs the links by source; reversing the store into a temporary one",
                        export->format->title);
        status = make_reverse(export, &reverse, err);
    }
    if (status == MR_OK) {
        status = read_lists(export, direct ? export->store : reverse, err);
    }
    mr_store_close(reverse);
    if (status == MR_OK && export->format->wants == MR_WANTS_BOTH_LISTS && !direct) {
        status = read_lists(export, export->store, err);
    }
    return status;
}

/* ---- The export ---- */

static enum mr_status choose_subset(struct export *export, struct mr_error *err)
{
    const struct mr_store_export_options *options = &export->options;
    const struct mr_context *context = &export->context;
    enum mr_status status = MR_OK;

    export->n_edges = mr_store_get_info(export->store)->n_edges;
    export->has_subset =
        options->vertices != NULL || options->host != NULL || options->largest != 0;
    if (!export->has_subset) {
        return MR_OK;
    }
    if (options->vertices != NULL) {
        status = mr_subset_of_list(&export->subset, context, export->store, export->positions,
                                   options->vertices, options->n_vertices, err);
    } else if (options->host != NULL) {
        status = mr_subset_of_host(&export->subset, context, export->store, export->names,
                                   options->host, err);
    } else {
        status =
            mr_subset_of_largest(&export->subset, context, export->store, export->names,
                                 export->positions, options->largest == MR_LARGEST_STRONG, err);
    }
    if (status == MR_OK) {
        export->n_edges = 0;
        status = mr_edges_read(context, export->store, NULL, count_pairs, export, err);
    }
    return status;
}

/* Decides whether weights are written, and whether all are whole numbers. */
static enum mr_status choose_weights(struct export *export, struct mr_error *err)
{
    const struct mr_context *context = &export->context;
    const struct mr_store_info *info = mr_store_get_info(export->store);
    const enum mr_graph_weighs weighs = export->format->weighs;

    if (weighs == MR_WEIGHS_ALWAYS && (!info->has_weights || export->options.no_weights)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "%s: needs weights, and the store has none or --no-weights leaves them "
                            "out; choose another format",
                            export->format->title);
    }
    if (weighs == MR_WEIGHS_NOT && info->has_weights && !export->options.no_weights) {
        mr_context_note(context, "%s cannot have weights; wel, mtx and csv can",
                        export->format->title);
    }
    if (weighs == MR_WEIGHS_NOT || !info->has_weights || export->options.no_weights) {
        return MR_OK;
    }
    enum mr_status status = mr_store_open_weights(context, export->store, &export->weighted, err);
    if (status == MR_OK) {
        const struct mr_store_info *weighted = mr_store_get_info(export->weighted);
        export->whole_weights = true;
        if (weighted->weights.byte_edges < weighted->n_edges && weighs == MR_WEIGHS_IF_THERE) {
            status = mr_edges_read(context, export->weighted, NULL, see_whole, export, err);
        }
    }
    return status;
}

static enum mr_status write_graph(struct export *export, struct mr_error *err)
{
    const struct mr_graph_output output = {
        .context = &export->context,
        .format = export->format,
        .path = export->path,
        .force = export->options.force,
        .n_vertices = n_written(export),
        .n_edges = export->n_edges,
        .symmetric = mr_store_get_info(export->store)->undirected,
        .weighted = export->weighted != NULL,
        .whole_weights = export->whole_weights,
        .window = export->options.window,
        .max_references = export->options.max_references,
        .numbers = export->numbers,
        .name = name_of,
        .data = export,
    };
    enum mr_status status = export->format->open(&output, &export->writer, err);

    if (status == MR_OK) {
        status = export->format->wants == MR_WANTS_PAIRS
                     ? mr_edges_read(&export->context,
                                     export->weighted != NULL ? export->weighted : export->store,
                                     NULL, write_pairs, export, err)
                     : write_lists(export, err);
    }
    if (status != MR_OK) {
        export->format->abandon(export->writer);
        return status;
    }
    return export->format->commit(export->writer, err);
}

/* Writes the graph and its names, which appear together. */
static enum mr_status write_files(struct export *export, struct mr_error *err)
{
    struct mr_publish_group group = {0};

    if (export->context.together == NULL) {
        export->context.together = &group;
    }
    enum mr_status status = write_graph(export, err);
    if (status == MR_OK && export->options.names != NULL) {
        status = write_names(export, err);
    }
    return mr_publish_group_end(&group, status, err);
}

/* The shortest line of text has four bytes, and an undirected graph may have one for two edges. */
static enum mr_status check_room(const struct export *export, struct mr_error *err)
{
    const struct mr_graph_writer *format = export->format;
    const bool pairs = format->wants == MR_WANTS_PAIRS;
    const uint64_t line = mr_store_get_info(export->store)->undirected ? 2 : 4;
    const uint64_t bytes = !format->binary ? pairs * line : pairs ? 8 : 0;
    uint64_t room;

    return mr_output_check_room(export->path, "the links", bytes * export->n_edges, &room, err);
}

static enum mr_status export_edges(struct export *export, struct mr_error *err)
{
    enum mr_status status = choose_weights(export, err);
    char count[32];

    if (status == MR_OK && mr_store_get_info(export->store)->order_id != 0) {
        status =
            mr_core_map_load_positions(&export->context, export->store, &export->positions, err);
    }
    if (status == MR_OK) {
        status = choose_subset(export, err);
    }
    if (status == MR_OK) {
        status = check_room(export, err);
    }
    if (status == MR_OK) {
        status = load_numbers(export, err);
    }
    if (status == MR_OK) {
        status = load_texts(export, err);
    }
    if (status == MR_OK) {
        status = write_files(export, err);
    }
    if (status == MR_OK) {
        note_numbers(export);
    }
    if (status == MR_OK && export->options.reversed) {
        mr_context_note(&export->context, "%s of the pages are dangling",
                        mr_count_text(export->n_dangling, count));
    }
    return status;
}

void mr_export_list_files(const struct mr_store_export_options *options, const char *what,
                          const char *path, struct mr_files *files)
{
    const struct mr_graph_writer *writer = mr_export_writer(options, path);

    if (writer == NULL || writer->family == NULL || mr_output_is_standard(path)) {
        mr_files_add(files, MR_FILE_WRITE, what, path != NULL ? path : "-", NULL);
        return;
    }
    for (size_t i = 0; writer->family[i] != NULL; i++) {
        char *one = mr_path_sibling(path, writer->family, writer->family[i]);
        mr_files_add(files, MR_FILE_WRITE, what, one != NULL ? one : path, NULL);
        free(one);
    }
}

/* Choose the format, and refuse options and outputs that cannot be. */
static enum mr_status check_export(const char *const *inputs, size_t n_inputs, const char *path,
                                   const struct mr_store_export_options *options,
                                   const struct mr_graph_writer **format, struct mr_error *err)
{
    const enum mr_status status = choose_format(options, path, format, err);
    struct mr_files *files = mr_files_create();

    for (size_t i = 0; i < n_inputs; i++) {
        mr_files_add(files, MR_FILE_READ, "an input", inputs[i], NULL);
    }
    mr_export_list_files(options, "the export", path, files);
    mr_files_add(files, MR_FILE_WRITE, "the names", options->names, NULL);
    return mr_files_end(files, status, options->force, false, err);
}

enum mr_status mr_store_export_check(const char *const *inputs, size_t n_inputs, const char *path,
                                     const struct mr_store_export_options *options,
                                     struct mr_error *err)
{
    struct mr_store_export_options taken = {.struct_size = sizeof taken};
    const struct mr_graph_writer *format = NULL;
    const enum mr_status status = mr_sized_copy(options, &taken, sizeof taken, err);

    return status == MR_OK ? check_export(inputs, n_inputs, path, &taken, &format, err) : status;
}

static void destroy(struct export *export)
{
    struct mr_memory *memory = export->context.memory;

    mr_store_close(export->weighted);
    mr_workspace_close(export->workspace);
    mr_memory_free(memory, export->list);
    mr_memory_free(memory, export->name_ends);
    mr_memory_free(memory, export->numbers);
    mr_memory_free(memory, export->positions);
    mr_vertex_set_destroy(&export->subset);
    free(export);
}

enum mr_status mr_store_export(const struct mr_context *context, struct mr_store *store,
                               struct mr_names *names, const char *path,
                               const struct mr_store_export_options *options, struct mr_error *err)
{
    struct export *export = calloc(1, sizeof *export);

    if (export == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for an export");
    }
    export->context = *context;
    export->store = store;
    export->names = names;
    export->path = path;
    enum mr_status status = mr_sized_copy(options, &export->options, sizeof export->options, err);
    if (status == MR_OK) {
        const char *const input = mr_store_path(store);
        status = check_export(&input, 1, path, &export->options, &export->format, err);
    }
    if (status == MR_OK &&
        (mr_store_get_info(store)->is_weighted || mr_store_get_info(store)->classes != 0)) {
        status =
            mr_error_set(err, MR_ERROR_USAGE, "an export takes a store that mr_store_open opened");
    }
    if (status == MR_OK) {
        status = export->format->wants == MR_WANTS_PAGES
                     ? mr_export_pages(context, store, names, &export->options, path, err)
                     : export_edges(export, err);
    }
    destroy(export);
    return status;
}
