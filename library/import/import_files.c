/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a store from files of links. This file decides on the format and on the vertices, and then
 * gives all links to the builder. It decides everything before it reads the first link, so that
 * options that contradict each other are refused at once. It reads lines of two columns itself;
 * import_graphs.c reads all other formats. */
#include "library/import/import_files.h"

#include <inttypes.h>
#include <string.h>

#include "engine/base/count_text.h"
#include "engine/store/store.h"
#include "formats/crawl/fetch_log.h"
#include "formats/graph/link_columns.h"
#include "formats/stream/input.h"
#include "formats/url/links_resolve.h"
#include "library/import/build_names.h"
#include "library/import/import_graphs.h"

struct import {
    const struct mr_context *context;
    const struct mr_import_options *options;
    enum mr_id_kind ids;
    struct mr_build *build;
    struct mr_import_summary *summary;
    const char *const *inputs; /* [n_inputs] */
    size_t n_inputs;
    struct mr_input_paths paths; /* their files */
    struct mr_graph_inputs *graphs;
    const struct mr_graph_format *format; /* of `graphs` */
    struct mr_graph_head head; /* what they say */
    struct mr_input *list; /* --vertex-list */
    struct mr_import_names *numbered; /* names of numbered vertices (--names), or NULL */
    struct mr_build_options built; /* as the build got them */
    struct mr_resolver *resolver; /* NULL: no list was a crawler's file yet */
    uint64_t n_numbered; /* vertices of the graph that has these names; 0: unknown */
    struct mr_build_names names;
};

static enum mr_status check_options(const struct mr_import_options *options,
                                    const char *const *inputs, size_t n_inputs,
                                    struct mr_error *err)
{
    unsigned standard_inputs =
        options->vertices_from != NULL && !strcmp(options->vertices_from, "-");

    for (size_t i = 0; i < n_inputs; i++) {
        standard_inputs += strcmp(inputs[i], "-") == 0;
    }
    if (standard_inputs > 1) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "standard input can be read only once; name - "
                            "once");
    }
    if (options->vertices != UINT64_MAX && options->vertices_from != NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--vertices and --vertex-list exclude each other; give one of them");
    }
    if (options->vertices != UINT64_MAX && mr_rows_of(options->format) == MR_ROWS_OF_NAMES) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--vertices is for numbered pages, --format urls for names; list "
                            "the names with --vertex-list");
    }
    const char *of_tables = options->columns.names != NULL ? options->columns.names
                            : options->where != NULL       ? options->where
                                                           : "";
    const struct mr_graph_format *format = options->format;
    if (format != NULL && format->rows != MR_ROWS_OF_NAMES &&
        ((*of_tables != '\0' && format->rows != MR_ROWS_OF_TABLE) ||
         (options->separator != '\0' && !format->takes_separator))) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "%s%s: only tables have such columns; leave out --format, or say "
                            "--format csv",
                            options->columns.names != NULL ? "--columns "
                            : options->where != NULL       ? "--where "
                                                           : "--separator",
                            of_tables);
    }
    if (options->directed && options->undirected) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--directed and --undirected exclude each other; give one of them");
    }
    if (options->max_bad != 0 && options->bad_lines == MR_BAD_LINES_FAIL) {
        return mr_error_set(err, MR_ERROR_USAGE, "--max-bad needs --bad-lines skip");
    }
    return MR_OK;
}

/* With --names the vertices have names, even if the inputs number them. */
static enum mr_status open_names(struct import *import, struct mr_error *err)
{
    const struct mr_import_options *options = import->options;

    if (options->names_from == NULL) {
        return MR_OK;
    }
    if (import->ids == MR_IDS_TEXT && !import->format->may_have_numbers) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--names is for numbered pages, and those of %s have names; leave it "
                            "out",
                            import->format->title);
    }
    if (options->vertices != UINT64_MAX || options->vertices_from != NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--names says which pages there are; leave out --vertices and "
                            "--vertex-list");
    }
    const enum mr_status status =
        mr_import_names_open(import->context, options->names_from, &import->numbered, err);
    if (status == MR_OK) {
        import->n_numbered = import->ids == MR_IDS_DENSE ? import->head.n_vertices : 0;
        import->ids = import->head.ids = MR_IDS_TEXT;
        import->head.reversed_hosts = mr_import_names_are_reversed(import->numbered);
    }
    return status;
}

/* Refuses inputs whose kind of vertices does not fit the profile or the store. */
static enum mr_status check_names(struct import *import, struct mr_error *err)
{
    const struct mr_import_options *options = import->options;
    const struct mr_store_info *onto = options->onto;
    const bool is_text = import->ids == MR_IDS_TEXT;

    if (import->head.reversed_hosts && import->names.canonical.profile != MR_CANONICAL_NONE) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--profile %s is for URLs, and the pages of %s are hosts",
                            options->profile, import->format->title);
    }
    if (onto == NULL) {
        import->names.canonical.reversed_hosts = import->head.reversed_hosts;
        if (options->profile == NULL && options->rules == NULL && import->format->has_nutch_names) {
            import->names.canonical.rules = 0; /* scores find their pages by Nutch's own spelling */
        }
    } else if (import->head.reversed_hosts && !import->names.canonical.reversed_hosts) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "the pages of %s are hosts, those of the store are not; give links as "
                            "the store was built from",
                            import->format->title);
    }
    if (onto != NULL && is_text != (onto->name_kind == MR_NAMES_TEXT)) {
        return mr_error_file(err, MR_ERROR_USAGE, import->inputs[0], 0,
                             "has %s for pages, the store %s; give links as the store was built "
                             "from",
                             is_text ? "names" : "numbers", is_text ? "numbers" : "names");
    }
    return MR_OK;
}

/* The builder adds the reverse of each link if all inputs say so, and no reader adds it. */
static bool is_undirected(const struct import *import)
{
    return import->head.both_ways != NULL && !import->head.mirrors;
}

/* Sets the options of the builder, except for those of names, which mr_build_names_open sets. */
static struct mr_build_options build_options(const struct import *import)
{
    const struct mr_import_options *o = import->options;
    const struct mr_store_info *onto = o->onto;

    return (struct mr_build_options){
        .ids = import->ids,
        .n_vertices = import->ids == MR_IDS_DENSE ? import->head.n_vertices : 0,
        .lists_names = import->ids == MR_IDS_TEXT && o->vertices_from != NULL,
        .undirected = onto != NULL ? onto->undirected : o->undirected || is_undirected(import),
        .keep_duplicates = onto != NULL ? onto->duplicates_kept : o->duplicates == 1,
        .drop_self_loops =
            onto != NULL ? onto->self_loops_dropped && !o->replaces : o->self_loops == 1,
        .transpose = onto != NULL ? onto->transposed : o->transpose,
        .weights = o->weights != MR_WEIGHTS_NONE && import->head.weighted &&
                   (o->class_rule == MR_CLASSES_NONE || o->weights == MR_WEIGHTS_MUST),
        .force = o->force,
        .zstd_level = o->zstd_level,
        .encoding = o->encoding,
        .core_first = onto == NULL, /* an append keeps the numbers of the store */
        .fetched = o->fetched,
        .together = o->together,
        .all_captures = o->captures == MR_CAPTURES_ALL,
    };
}

static enum mr_status begin_build(struct import *import, const char *store, struct mr_error *err)
{
    const struct mr_import_options *o = import->options;

    enum mr_status status = check_names(import, err);
    if (status != MR_OK) {
        return status;
    }
    struct mr_build_options options = build_options(import);
    status = mr_build_names_open(&import->names, o->profile, o->class_rule, &options, err);
    import->built = options;
    return status == MR_OK ? mr_build_create(import->context, store, &options, &import->build, err)
                           : status;
}

/* A mr_row_take: the page has the name that the links of such a file give it. */
static enum mr_status take_listed(void *data, const struct mr_row *fetch, struct mr_error *err)
{
    struct import *import = data;
    const char *name = mr_resolver_name(import->resolver, fetch->name, fetch->name_bytes);
    uint64_t id;

    enum mr_status status = mr_resolver_check(import->resolver, err);
    if (status == MR_OK && name != NULL) { /* NULL: it is too long for a name, or has a NUL */
        status = mr_build_name(import->build, name, strlen(name), &id, err);
        import->summary->text.vertices++;
    }
    return status;
}

/* Declares the pages of a list that is a crawler's own file. `*is_log`: it is one. */
static enum mr_status read_log(struct import *import, struct mr_input *list, bool *is_log,
                               struct mr_error *err)
{
    const char *data;
    size_t bytes;
    enum mr_status status = mr_input_peek(list, &data, &bytes, err);
    const enum mr_fetch_log log = status == MR_OK && import->ids == MR_IDS_TEXT
                                      ? mr_fetch_log_look(data, bytes)
                                      : MR_FETCH_LOG_NONE;
    const struct mr_graph_format *marked =
        status == MR_OK ? mr_graph_format_of_mark(data, bytes) : NULL;

    *is_log = log != MR_FETCH_LOG_NONE;
    if (status == MR_OK && !*is_log &&
        (marked != NULL || (bytes > 0 && memchr(data, '\0', bytes) != NULL))) {
        return mr_error_file(err, MR_ERROR_INPUT, mr_input_name(list), 0,
                             "is %s, and no list of pages; write their names, one per line",
                             marked != NULL ? marked->title : "a binary file");
    }
    if (*is_log && import->resolver == NULL) {
        import->resolver = mr_resolver_open();
        status = import->resolver != NULL
                     ? MR_OK
                     : mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a list");
    }
    return status == MR_OK && *is_log
               ? mr_fetch_log_read(import->context, list, log, MR_FETCH_WANTS_PAGES, take_listed,
                                   import, err)
               : status;
}

/* Declares the vertices of a list. */
static enum mr_status read_list(struct import *import, struct mr_input *list, struct mr_error *err)
{
    struct mr_edge_text_summary listed = {0};
    bool is_log = false;
    const struct mr_edge_text_options text = {.ids = import->ids,
                                              .is_guessed = import->options->format == NULL,
                                              .bad_lines = import->options->bad_lines,
                                              .max_bad = import->options->max_bad};

    enum mr_status status = read_log(import, list, &is_log, err);
    if (status == MR_OK && !is_log) {
        status = mr_vertex_list_read(import->context, list, import->build, &text, &listed, err);
    }
    import->summary->text.vertices += listed.vertices;
    return status;
}

/* The vertices of a list are all that there are. */
static enum mr_status read_vertex_list(struct import *import, struct mr_error *err)
{
    const enum mr_status status = read_list(import, import->list, err);
    return status == MR_OK ? mr_build_freeze(import->build, err) : status;
}

/* Those of seeds are there besides others. */
static enum mr_status read_seeds(struct import *import, struct mr_error *err)
{
    struct mr_input_paths paths;
    enum mr_status status =
        mr_input_paths_find(import->options->seeds, import->options->n_seeds, false, &paths, err);

    for (size_t i = 0; i < paths.n && status == MR_OK; i++) {
        struct mr_input *list = NULL;
        status = mr_input_open(import->context, paths.items[i].path, &list, err);
        if (status == MR_OK) {
            status = read_list(import, list, err);
        }
        mr_input_close(list);
    }
    mr_input_paths_free(&paths);
    return status;
}

/* Refuses inputs without a single link, unless an option or the format names the vertices. Without
 * names of vertices, such inputs are a mistake. */
static enum mr_status refuse_nothing(const struct import *import, struct mr_error *err)
{
    const struct mr_import_options *options = import->options;
    const char *path = import->n_inputs > 0 ? import->inputs[0] : "-";

    if (import->summary->text.edges > 0 || options->n_seeds > 0 ||
        (import->summary->text.pages > 0 && options->onto != NULL) ||
        options->vertices != UINT64_MAX || options->vertices_from != NULL ||
        (import->format->rows == MR_ROWS_OTHER && import->ids != MR_IDS_TEXT)) {
        return MR_OK;
    }
    if (import->summary->text.other_kinds > 0) {
        return mr_error_file(err, MR_ERROR_INPUT, mr_input_path_name(path), 0,
                             "no links of the wanted kinds in %s, and %llu of other kinds; say "
                             "which with --link-kinds",
                             import->paths.n == 1 ? "it" : "this or the other inputs",
                             (unsigned long long)import->summary->text.other_kinds);
    }
    return mr_error_file(err, MR_ERROR_INPUT, mr_input_path_name(path), 0,
                         "no links in %s%s%s; for a graph without links say --vertices N or "
                         "--vertex-list FILE",
                         import->paths.n == 1 ? "it" : "this or the other inputs",
                         options->where != NULL ? " in rows with " : "",
                         options->where != NULL ? options->where : "");
}

/* Tells the builder how many edges to expect. The builder notes the temporary disk that they take,
 * and refuses them before the first edge is read if the disk is too small. */
static enum mr_status expect_edges(const struct import *import, struct mr_error *err)
{
    uint64_t edges;
    bool is_rough;
    const enum mr_status status =
        mr_graph_inputs_guess(import->graphs, false, &edges, &is_rough, err);

    return status == MR_OK ? mr_build_expect(import->build, edges, is_rough, err) : status;
}

/* Chooses the profile of URL spellings: that of the store that gets the links, or else that of the
 * options. */
static enum mr_status choose_profile(struct import *import, struct mr_error *err)
{
    const struct mr_import_options *options = import->options;
    if (options->onto == NULL || options->onto->name_kind != MR_NAMES_TEXT) {
        return mr_profile_choose(options->profile, options->rules, &import->names.canonical, err);
    }
    return mr_canonical_of(options->onto->name_key_number, &import->names.canonical)
               ? MR_OK
               : mr_error_set(err, MR_ERROR_INPUT,
                              "the store's names are in an order that this program does not know; "
                              "use a newer millrace");
}

/* Prepares the reading of edges: checks the options, opens the inputs, begins the build, and
 * declares the vertices of a list. */
static enum mr_status begin(struct import *import, const char *store, struct mr_error *err)
{
    const char *list = import->options->vertices_from;

    enum mr_status status = check_options(import->options, import->inputs, import->n_inputs, err);
    if (status == MR_OK) {
        status = choose_profile(import, err);
    }
    if (status == MR_OK) {
        status = mr_input_paths_find(import->inputs, import->n_inputs, true, &import->paths, err);
    }
    if (status == MR_OK && list != NULL) {
        status = mr_input_open(import->context, list, &import->list, err);
    }
    if (status == MR_OK) {
        status =
            mr_graph_inputs_begin(import->context, import->options, &import->paths, import->list,
                                  &import->summary->text, &import->head, &import->graphs, err);
    }
    if (status == MR_OK) {
        import->format = mr_graph_inputs_format(import->graphs);
        import->ids = import->head.ids;
    }
    if (status == MR_OK) {
        status = open_names(import, err);
    }
    if (status == MR_OK) {
        status = begin_build(import, store, err);
    }
    if (status == MR_OK) {
        status = expect_edges(import, err);
    }
    if (status == MR_OK) {
        status = read_seeds(import, err);
    }
    if (status == MR_OK && list != NULL) {
        status = read_vertex_list(import, err);
    }
    if (status == MR_OK && import->numbered != NULL) {
        const struct mr_import_options *o = import->options;
        status = mr_import_names_read(
            import->numbered, import->build, import->n_numbered,
            o->profile != NULL || o->rules != NULL || o->bad_lines == MR_BAD_LINES_SKIP, err);
        mr_graph_inputs_name(import->graphs, import->numbered);
    }
    return status;
}

/* A first line "vertices edges" is read as a link where the file is too long for formats/graph to
 * see that so many follow. In a small file such a line may well be a link. */
enum { HEADER_LINKS = 64 };

static enum mr_status refuse_count(const struct import *import, struct mr_error *err)
{
    uint64_t row[2];
    char text[MR_WAY_OUT_BYTES];
    return mr_graph_inputs_first_row(import->graphs, row) && import->options->format == NULL &&
                   !import->options->columns.is_said && row[1] >= HEADER_LINKS &&
                   row[1] + 1 == import->summary->text.edges
               ? mr_error_file(
                     err, MR_ERROR_INPUT, import->inputs[0], 0,
                     "the first line, %" PRIu64 " %" PRIu64 ", says how many lines "
                     "follow, it seems; leave it out (%s), or say --columns "
                     "source-target if it is a link",
                     row[0], row[1],
                     mr_text_way_out(import->inputs[0], "tail -n +2 FILE | millrace ... -", text))
               : MR_OK;
}

static void note_extra_columns(const struct import *import)
{
    const uint64_t lines = import->summary->text.extra_columns;
    char count[32];

    if (lines > 0) {
        mr_context_note(import->context,
                        "%s line%s more than two columns; the others are ignored%s",
                        mr_count_text(lines, count), lines == 1 ? " has" : "s have",
                        import->ids == MR_IDS_TEXT || import->options->ignores_weights != NULL
                            ? ""
                            : " (--weights takes the third)");
    }
}

/* Notes how many links are left out: by the default of --link-kinds, and for their weights. */
static void note_left_out(const struct import *import)
{
    const uint64_t links = import->summary->text.other_kinds;
    const uint64_t zeros = import->summary->text.zero_weights;
    const uint64_t empty = import->summary->text.no_values;
    char count[64];

    if (empty > 0) {
        mr_context_note(import->context,
                        "left out %s without a source or a target (an empty field, \\N, nan, "
                        "None, NULL or NA without quotes)",
                        mr_count_of_text(empty, "line", count));
    }

    if (zeros > 0) {
        mr_context_note(import->context, "left out %s link%s of weight 0",
                        mr_count_text(zeros, count), zeros == 1 ? "" : "s");
    }

    if (links > 0 && import->options->link_kinds == 0) {
        mr_context_note(import->context,
                        "left out %s link%s other than navigation and redirects%s; "
                        "--link-kinds takes more",
                        mr_count_text(links, count), links == 1 ? "" : "s",
                        import->options->drop_nofollow ? ", or nofollow" : "");
    }
}

static void note_bad_times(const struct import *import)
{
    const uint64_t times = import->summary->text.bad_times;
    char count[32];

    if (times > 0) {
        mr_context_note(import->context,
                        "%s capture%s a time that is none: it counts as undated, and its links "
                        "count beside those of the newest capture of its page",
                        mr_count_text(times, count), times == 1 ? " has" : "s have");
    }
}

/* Reads all edges. */
static enum mr_status read_all(struct import *import, struct mr_error *err)
{
    enum mr_status status =
        mr_graph_inputs_read(import->graphs, import->build, &import->built, err);

    if (status == MR_OK) {
        note_extra_columns(import);
        note_left_out(import);
        note_bad_times(import);
        status = refuse_nothing(import, err);
    }
    if (status == MR_OK) {
        status = refuse_count(import, err);
    }
    return status;
}

enum mr_status mr_import_files(const struct mr_context *context, const char *store,
                               const char *const *inputs, size_t n_inputs,
                               const struct mr_import_options *options,
                               struct mr_import_summary *summary, struct mr_error *err)
{
    struct import import = {.context = context,
                            .options = options,
                            .summary = summary,
                            .inputs = inputs,
                            .n_inputs = n_inputs};

    *summary = (struct mr_import_summary){0};
    enum mr_status status = begin(&import, store, err);
    if (status == MR_OK) {
        status = read_all(&import, err);
    }
    status = mr_build_finish(import.build, status, &summary->build, err);
    summary->format = import.format;
    mr_import_names_close(import.numbered);
    mr_build_names_close(&import.names);
    mr_graph_inputs_end(import.graphs);
    mr_input_paths_free(&import.paths);
    mr_input_close(import.list);
    mr_resolver_close(import.resolver);
    return status;
}

enum mr_status mr_import_guess(const struct mr_context *context, const char *const *inputs,
                               size_t n_inputs, const struct mr_import_options *options,
                               uint64_t *edges, struct mr_error *err)
{
    struct mr_context silent = *context; /* the build will note what there is */
    struct mr_edge_text_summary summary = {0};
    struct mr_graph_inputs *opened = NULL;
    bool is_rough = false;
    struct mr_input_paths found;
    struct mr_graph_head head;

    *edges = 0;
    silent.note = NULL;
    enum mr_status status = mr_input_paths_find(inputs, n_inputs, true, &found, err);
    for (size_t i = 0; i < found.n && status == MR_OK; i++) {
        if (found.items[i].bytes == 0) {
            status = mr_error_file(err, MR_ERROR_USAGE, mr_input_path_name(found.items[i].path), 0,
                                   "--estimate knows nothing about it before it is read, because "
                                   "it is a pipe or empty; name a file");
        }
    }
    if (status == MR_OK) {
        status =
            mr_graph_inputs_begin(&silent, options, &found, NULL, &summary, &head, &opened, err);
    }
    if (status == MR_OK) {
        status = mr_graph_inputs_guess(opened, true, edges, &is_rough, err);
    }
    mr_graph_inputs_end(opened);
    mr_input_paths_free(&found);
    return status;
}
