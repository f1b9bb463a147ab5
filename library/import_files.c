/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a store from files of links. This file decides on the format and on the vertices, and then
 * gives all links to the builder. It decides everything before it reads the first link, so that
 * options that contradict each other are refused at once. It reads lines of two columns itself;
 * import_graphs.c reads all other formats. */
#include "library/import_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/count_text.h"
#include "engine/store/store.h"
#include "formats/graph/link_kinds.h"
#include "formats/stream/input.h"
#include "formats/stream/output.h"
#include "library/build_names.h"
#include "library/edge_guess.h"
#include "library/import_detect.h"
#include "library/import_graphs.h"
#include "library/import_onto.h"

struct import {
    const struct mr_context *context;
    const struct mr_import_options *options;
    enum mr_id_kind ids;
    struct mr_build *build;
    struct mr_edge_text_options text; /* for all inputs */
    struct mr_import_summary *summary;
    const char *const *inputs; /* [n_inputs] */
    size_t n_inputs;
    size_t next; /* index of the input to read next */
    struct mr_input *input; /* the input at `next` if it is open, or NULL */
    const struct mr_graph_format *format; /* of the inputs */
    struct mr_graph_inputs *graphs; /* NULL for lines of two columns */
    struct mr_graph_head head; /* what the heads of `graphs` say */
    struct mr_input *list; /* --vertex-list */
    struct mr_import_names *numbered; /* names of numbered vertices (--names), or NULL */
    uint64_t n_numbered; /* vertices of the graph that has these names; 0: unknown */
    struct mr_build_names names;
    bool has_first_row; /* of two numbers */
    uint64_t first_row[2];
};

static uint64_t file_bytes(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
}

static bool is_format(const struct mr_graph_format *format, const char *name)
{
    return format != NULL && strcmp(format->name, name) == 0;
}

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
    if (options->vertices != UINT64_MAX && is_format(options->format, "urls")) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--vertices is for numbered pages, --format urls for names; list "
                            "the names with --vertex-list");
    }
    if (options->column_names != NULL && options->format != NULL &&
        !is_format(options->format, "csv")) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--columns %s: only tables have such columns; leave out --format, or "
                            "say --format csv",
                            options->column_names);
    }
    if (options->max_bad != 0 && options->bad_lines == MR_BAD_LINES_FAIL) {
        return mr_error_set(err, MR_ERROR_USAGE, "--max-bad needs --bad-lines skip");
    }
    return MR_OK;
}

static enum mr_status open_next(struct import *import, struct mr_error *err)
{
    const char *path = import->inputs[import->next];
    const enum mr_status status = mr_import_refuse_base(path, err);
    return status == MR_OK ? mr_input_open(import->context, path, &import->input, err) : status;
}

static void close_input(struct import *import)
{
    mr_input_close(import->input);
    import->input = NULL;
    import->next++;
}

/* Decides on the format of the inputs: the one of the options, or the one that the first bytes of
 * the first input show. Skips empty inputs, because the first of many parts may be empty. */
static enum mr_status decide_format(struct import *import, struct mr_error *err)
{
    const char *data = NULL;
    size_t bytes = 0;
    enum mr_status status = MR_OK;

    import->format = import->options->column_names != NULL ? mr_graph_format_find("csv")
                                                           : import->options->format;
    if (import->format != NULL) {
        return MR_OK;
    }
    status = mr_input_peek(import->input, &data, &bytes, err);
    while (status == MR_OK && bytes == 0 && import->next + 1 < import->n_inputs) {
        close_input(import);
        status = open_next(import, err);
        if (status == MR_OK) {
            status = mr_input_peek(import->input, &data, &bytes, err);
        }
    }
    return status == MR_OK
               ? mr_import_detect(import->inputs[import->next], import->input, &import->format, err)
               : status;
}

/* Refuses a --link-kinds that the format cannot tell apart. */
static enum mr_status check_kinds(const struct import *import, struct mr_error *err)
{
    const struct mr_graph_format *format = import->format;
    const unsigned missing = import->options->link_kinds & ~format->link_kinds;

    for (unsigned i = 0; mr_link_kind_name(i) != NULL; i++) {
        if ((missing >> i & 1) != 0) {
            return mr_error_set(err, MR_ERROR_USAGE, "--link-kinds %s: %s %s; leave it out",
                                mr_link_kind_name(i), format->title,
                                format->link_kinds != 0 ? "cannot tell such links from others"
                                                        : "cannot tell kinds of links");
        }
    }
    const bool is_warc = is_format(format, "warc") || is_format(format, "arc");
    if (import->options->outlinks_from != MR_OUTLINKS_AUTO && !is_warc) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--outlinks-from: %s has only one source of links, other than a WARC "
                            "file; leave it out",
                            format->title);
    }
    if (import->options->drop_nofollow && !is_warc && !is_format(format, "wat") &&
        !is_format(format, "jsonl")) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--drop-nofollow: %s cannot tell which links are nofollow, only "
                            "WARC, ARC and WAT files and JSON lines can; leave it out",
                            format->title);
    }
    return MR_OK;
}

/* Lines of numbers have weights if an option says so, or if the input is a .wel file. */
static enum mr_status decide_weights(struct import *import, struct mr_error *err)
{
    const enum mr_weights_wanted wanted = import->options->weights;

    if (is_format(import->format, "edges") &&
        (wanted == MR_WEIGHTS_MUST ||
         (wanted == MR_WEIGHTS_IF_GOOD && import->options->format == NULL &&
          mr_output_has_suffix(import->inputs[import->next], ".wel")))) {
        import->format = mr_graph_format_find("wel");
    }
    if (wanted == MR_WEIGHTS_MUST && import->format->open == NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            import->options->onto != NULL
                                ? "lines of names have no weights, and the store has some; a table "
                                  "with a header may have them (csv)"
                                : "--weights: lines of names have none; a table with a header may "
                                  "(csv)");
    }
    return MR_OK;
}

/* With --names, chooses the reader of number lines that lets names come between it and the builder.
 * The fast reader of lines does not. */
static void choose_named_reader(struct import *import)
{
    if (import->options->names_from != NULL && is_format(import->format, "edges")) {
        import->format = &mr_format_number_lines;
    }
}

/* Lines of two columns have numbers or names. They have names if a link or a listed vertex has. */
static enum mr_status decide_ids(struct import *import, struct mr_error *err)
{
    const struct mr_import_options *options = import->options;
    const char *data = NULL;
    size_t bytes = 0;
    enum mr_status status = MR_OK;

    import->ids = is_format(import->format, "urls") ? MR_IDS_TEXT : MR_IDS_SPARSE;
    if (options->onto != NULL && options->onto->name_kind == MR_NAMES_TEXT) {
        if (import->ids != MR_IDS_TEXT) { /* where some ids are names, numbers are names as well */
            status = mr_import_check_onto(import->context, options->onto_path, import->input, err);
        }
        import->ids = MR_IDS_TEXT;
    } else if (options->vertices != UINT64_MAX) {
        import->ids = MR_IDS_DENSE;
    } else if (options->format == NULL && import->ids == MR_IDS_SPARSE && import->list != NULL) {
        status = mr_input_peek(import->list, &data, &bytes, err);
        if (status == MR_OK) {
            import->ids = mr_edge_text_detect(data, bytes, 1);
        }
    }
    if (status == MR_OK && import->ids != MR_IDS_TEXT) {
        status = mr_input_peek(import->input, &data, &bytes, err);
        import->has_first_row =
            status == MR_OK && mr_edge_text_first_row(data, bytes, import->first_row);
    }
    if (status == MR_OK && import->ids == MR_IDS_TEXT && options->columns < 0 &&
        (options->onto == NULL || options->onto->name_kind == MR_NAMES_TEXT)) {
        mr_context_note(import->context,
                        "%s holds names, read as source, then target; if the target comes "
                        "first, say --columns target-source",
                        mr_input_name(import->input));
    }
    return status;
}

/* Formats other than lines of two columns state the kind of their vertices. */
static enum mr_status look_at_graphs(struct import *import, struct mr_error *err)
{
    struct mr_input *first = import->input;

    import->input = NULL; /* belongs to `graphs` from here on */
    const enum mr_status status =
        mr_graph_inputs_begin(import->context, import->options, import->format,
                              import->inputs + import->next, import->n_inputs - import->next, first,
                              &import->summary->text, &import->head, &import->graphs, err);
    import->ids = import->head.ids;
    return status;
}

/* With --names the vertices have names, even if the inputs number them. */
static enum mr_status open_names(struct import *import, struct mr_error *err)
{
    const struct mr_import_options *options = import->options;

    if (options->names_from == NULL) {
        return MR_OK;
    }
    if (import->ids == MR_IDS_TEXT || import->graphs == NULL) {
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

/* Sets the options of the builder, except for those of names, which mr_build_names_open sets. */
static struct mr_build_options build_options(const struct import *import)
{
    const struct mr_import_options *o = import->options;
    const struct mr_store_info *onto = o->onto;

    return (struct mr_build_options){
        .struct_size = sizeof(struct mr_build_options),
        .ids = import->ids,
        .n_vertices = import->ids != MR_IDS_DENSE ? 0
                      : import->graphs != NULL    ? import->head.n_vertices
                                                  : o->vertices,
        .lists_names = import->ids == MR_IDS_TEXT && o->vertices_from != NULL,
        .undirected = onto != NULL ? onto->undirected : o->undirected,
        .keep_duplicates = onto != NULL ? onto->duplicates_kept : o->duplicates == 1,
        .drop_self_loops = onto != NULL ? onto->self_loops_dropped : o->drop_self_loops,
        .transpose = onto != NULL ? onto->transposed : o->transpose,
        .weights = o->weights != MR_WEIGHTS_NONE && import->head.weighted &&
                   (o->class_rule == MR_CLASSES_NONE || o->weights == MR_WEIGHTS_MUST),
        .force = o->force,
        .zstd_level = o->zstd_level,
        .encoding = o->encoding,
        .order = o->order,
        .core_first = onto == NULL, /* an append keeps the numbers of the store */
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
    import->text = (struct mr_edge_text_options){
        .struct_size = sizeof import->text,
        .ids = import->ids,
        .n_vertices = options.n_vertices,
        .columns = o->columns == 1 ? MR_COLUMNS_TARGET_SOURCE : MR_COLUMNS_SOURCE_TARGET,
        .is_guessed = o->format == NULL,
        .bad_lines = o->bad_lines,
        .max_bad = o->max_bad,
    };
    return status == MR_OK ? mr_build_create(import->context, store, &options, &import->build, err)
                           : status;
}

static enum mr_status read_vertex_list(struct import *import, struct mr_error *err)
{
    struct mr_edge_text_summary listed = {0};

    const enum mr_status status = mr_vertex_list_read(import->context, import->list, import->build,
                                                      &import->text, &listed, err);
    if (status != MR_OK) {
        return status;
    }
    import->summary->text.vertices = listed.vertices;
    return mr_build_freeze(import->build, err);
}

/* Reads the edges of the inputs from `next` on. The input at `next` is open already. */
static enum mr_status read_inputs(struct import *import, struct mr_error *err)
{
    struct mr_edge_text_options options = import->text;
    enum mr_status status = MR_OK;

    for (size_t i = import->next; i < import->n_inputs; i++) {
        options.bytes_total += file_bytes(import->inputs[i]);
    }
    while (status == MR_OK) {
        status = mr_edge_text_read(import->context, import->input, import->build, &options,
                                   &import->summary->text, err);
        options.bytes_before += file_bytes(import->inputs[import->next]);
        close_input(import);
        if (import->next == import->n_inputs) {
            break;
        }
        if (status == MR_OK) {
            status = open_next(import, err);
        }
    }
    return status;
}

/* Refuses inputs without a single link, unless an option or the format names the vertices. Without
 * names of vertices, such inputs are a mistake. */
static enum mr_status refuse_nothing(const struct import *import, struct mr_error *err)
{
    const struct mr_import_options *options = import->options;
    const char *path = import->inputs[0];

    if (import->summary->text.edges > 0 || options->vertices != UINT64_MAX ||
        options->vertices_from != NULL || (import->graphs != NULL && import->ids != MR_IDS_TEXT)) {
        return MR_OK;
    }
    if (import->summary->text.other_kinds > 0) {
        return mr_error_file(err, MR_ERROR_INPUT, strcmp(path, "-") == 0 ? "standard input" : path,
                             0,
                             "no links of the wanted kinds in %s, and %llu of other kinds; say "
                             "which with --link-kinds",
                             import->n_inputs == 1 ? "it" : "this or the other inputs",
                             (unsigned long long)import->summary->text.other_kinds);
    }
    return mr_error_file(err, MR_ERROR_INPUT, strcmp(path, "-") == 0 ? "standard input" : path, 0,
                         "no links in %s; for a graph without links say --vertices N or "
                         "--vertex-list FILE",
                         import->n_inputs == 1 ? "it" : "this or the other inputs");
}

/* Tells the builder how many edges to expect. The builder notes the temporary disk that they take,
 * and refuses them before the first edge is read if the disk is too small. */
static enum mr_status expect_edges(const struct import *import, struct mr_error *err)
{
    struct mr_edge_guess guess = {.edges = import->graphs != NULL ? import->head.n_edges : 0};
    enum mr_status status = MR_OK;

    if (import->graphs == NULL || import->format->detects_vertices) {
        status = mr_edge_guess_make(import->context, import->inputs, import->n_inputs, &guess, err);
    }
    return status == MR_OK ? mr_build_expect(import->build, guess.edges, guess.is_rough, err)
                           : status;
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
        status = open_next(import, err);
    }
    if (status == MR_OK && list != NULL) {
        status = mr_input_open(import->context, list, &import->list, err);
    }
    if (status == MR_OK) {
        status = decide_format(import, err);
    }
    if (status == MR_OK) {
        status = check_kinds(import, err);
    }
    if (status == MR_OK) {
        status = decide_weights(import, err);
    }
    if (status == MR_OK) {
        choose_named_reader(import);
        status =
            import->format->open == NULL ? decide_ids(import, err) : look_at_graphs(import, err);
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
    if (status == MR_OK && list != NULL) {
        status = read_vertex_list(import, err);
    }
    if (status == MR_OK && import->numbered != NULL) {
        status = mr_import_names_read(import->numbered, import->build, import->n_numbered, err);
        mr_graph_inputs_name(import->graphs, import->numbered);
    }
    return status;
}

/* A first line "vertices edges" is read as a link where the file is too long for formats/graph to
 * see that so many follow. In a small file such a line may well be a link. */
enum { HEADER_LINKS = 64 };

static enum mr_status refuse_count(const struct import *import, struct mr_error *err)
{
    const uint64_t *row = import->first_row;
    return import->has_first_row && import->n_inputs == 1 && import->text.is_guessed &&
                   import->options->columns < 0 && row[1] >= HEADER_LINKS &&
                   row[1] + 1 == import->summary->text.edges
               ? mr_error_file(err, MR_ERROR_INPUT, import->inputs[0], 0,
                               "the first line, %" PRIu64 " %" PRIu64 ", says how many lines "
                               "follow, it seems; leave it out (tail -n +2 FILE | millrace ... "
                               "-), or say --columns source-target if it is a link",
                               row[0], row[1])
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
    char count[32];

    if (zeros > 0) {
        mr_context_note(import->context, "left out %s link%s of weight 0",
                        mr_count_text(zeros, count), zeros == 1 ? "" : "s");
    }

    if (links > 0 && import->options->link_kinds == 0) {
        mr_context_note(import->context,
                        "left out %s link%s other than navigation and redirects; "
                        "--link-kinds takes more",
                        mr_count_text(links, count), links == 1 ? "" : "s");
    }
}

/* Reads all edges. */
static enum mr_status read_all(struct import *import, struct mr_error *err)
{
    enum mr_status status = import->graphs != NULL
                                ? mr_graph_inputs_read(import->graphs, import->build, err)
                                : read_inputs(import, err);

    if (status == MR_OK) {
        note_extra_columns(import);
        note_left_out(import);
        status = refuse_nothing(import, err);
    }
    if (status == MR_OK) {
        status = refuse_count(import, err);
    }
    return status;
}

static enum mr_status finish(struct import *import, struct mr_error *err)
{
    const enum mr_status status = mr_build_finish(import->build, &import->summary->build, err);

    import->build = NULL;
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
    if (status == MR_OK) {
        status = finish(&import, err);
    }
    summary->format = import.format;
    mr_build_abandon(import.build);
    mr_import_names_close(import.numbered);
    mr_build_names_close(&import.names);
    mr_graph_inputs_end(import.graphs);
    mr_input_close(import.list);
    mr_input_close(import.input);
    return status;
}
