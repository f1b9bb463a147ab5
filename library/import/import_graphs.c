/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that become one graph. Each is looked at by itself first, so that the builder knows the
 * union of what they say, and so that inputs whose pages mean different things are refused before
 * the first link. Then each is read by the reader of its own format. */
#include "library/import/import_graphs.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/store/store.h"
#include "formats/graph/link_columns.h"
#include "formats/stream/output.h"

struct one_input {
    const struct mr_input_path *path;
    struct mr_input *input; /* open, or NULL */
    struct mr_graph_reader *reader; /* of it, or NULL */
    const struct mr_graph_format *format; /* NULL: it has no links */
    struct mr_graph_head head;
    bool has_links; /* it is no file of vertices alone */
    bool is_apart; /* it may be read at the same time as others */
};

struct mr_graph_inputs {
    const struct mr_context *context;
    const struct mr_import_options *options;
    struct one_input *all; /* [n_inputs] */
    size_t n_inputs;
    const struct one_input *first; /* the first input that has a format, or NULL */
    const struct one_input *vertices; /* the first one of a format that detects vertices, or NULL */
    const struct one_input *with_ends, *headless; /* of these heads (graph_reader.h), or NULL */
    const struct one_input *weighted, *plain; /* the last with weights, and without; or NULL */
    bool is_mixed; /* another input has another format */
    bool has_noted_columns, has_noted_direction; /* of the first input of names; that says one */
    bool lists_names; /* the list of vertices has names */
    bool is_undirected; /* the builder adds the reverse of each link */
    struct mr_edge_text_options text;
    struct mr_edge_text_summary *summary;
    struct mr_graph_head head; /* of all inputs that were looked at */
    bool has_first_row;
    uint64_t first_row[2];
    struct mr_twin_ids twins;
    const struct mr_import_names *names; /* NULL: ids go to the builder as they are */
};

static bool is_lines(const struct mr_graph_format *format)
{
    return mr_rows_of(format) == MR_ROWS_OF_NUMBERS || mr_rows_of(format) == MR_ROWS_OF_NAMES;
}

static bool is_text(const struct mr_graph_format *format)
{
    return mr_rows_of(format) != MR_ROWS_OTHER;
}

static void close_one(struct one_input *one)
{
    mr_graph_reader_close(one->reader);
    one->reader = NULL;
    mr_input_close(one->input);
    one->input = NULL;
}

/* ---- Formats ---- */

/* Numbers in lines are names if the store or the list of vertices has names, and lines may have
 * weights. */
static enum mr_status adapt_lines(const struct mr_graph_inputs *inputs, struct one_input *one,
                                  struct mr_error *err)
{
    const struct mr_import_options *options = inputs->options;
    enum mr_status status = MR_OK;

    if (mr_rows_of(one->format) == MR_ROWS_OF_NUMBERS) {
        const bool has_weights =
            options->weights == MR_WEIGHTS_MUST ||
            (options->weights == MR_WEIGHTS_IF_GOOD && options->format == NULL &&
             mr_output_has_suffix(one->path->path, ".wel"));
        if (options->onto != NULL && options->onto->name_kind == MR_NAMES_TEXT) {
            status = mr_import_check_onto(inputs->context, options->onto_path, one->input, err);
            one->format = mr_graph_format_find("urls");
        } else if (inputs->lists_names && options->format == NULL) {
            one->format = mr_graph_format_find("urls");
        } else if (has_weights) {
            one->format = mr_graph_format_find("wel");
        }
    }
    if (status == MR_OK && options->weights == MR_WEIGHTS_MUST &&
        mr_rows_of(one->format) == MR_ROWS_OF_NAMES) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            options->onto != NULL
                                ? "lines of names have no weights, and the store has some; a table "
                                  "with a header may have them (csv)"
                                : "--weights: lines of names have none; a table with a header may "
                                  "(csv)");
    }
    return status;
}

/* Refuses a part of a table without a header beside one whose header says that the ends are not the
 * first two columns. */
static enum mr_status check_ends(struct mr_graph_inputs *inputs, const struct one_input *one,
                                 struct mr_error *err)
{
    inputs->with_ends = one->head.with_ends != '\0' ? one : inputs->with_ends;
    inputs->headless = one->head.headless != '\0' ? one : inputs->headless;
    return inputs->with_ends == NULL || inputs->headless == NULL ||
                   inputs->with_ends->head.with_ends != inputs->headless->head.headless ||
                   inputs->options->columns.is_said
               ? MR_OK
               : mr_error_file(err, MR_ERROR_INPUT,
                               mr_input_path_name(inputs->headless->path->path), 0,
                               "has no header, and that of %s says that the ends of its links are "
                               "not the first two columns; if both are parts of one table, put "
                               "them together (cat), else say --columns",
                               inputs->with_ends->path->path);
}

/* Refuses links without weights beside links with weights, unless weights are ignored. An input
 * without links, such as the empty part of a table, has none of either. */
static enum mr_status check_weights(struct mr_graph_inputs *inputs, const struct one_input *one,
                                    struct mr_error *err)
{
    const char *data;
    size_t bytes;
    const enum mr_status status = mr_input_peek(one->input, &data, &bytes, err);

    if (status != MR_OK || bytes == 0 || !one->has_links) {
        return status;
    }
    inputs->weighted = one->head.weighted ? one : inputs->weighted;
    inputs->plain = one->head.weighted ? inputs->plain : one;
    const bool are_kept = inputs->options->weights == MR_WEIGHTS_MUST ||
                          (inputs->options->weights == MR_WEIGHTS_IF_GOOD &&
                           inputs->options->class_rule == MR_CLASSES_NONE);
    return inputs->weighted == NULL || inputs->plain == NULL || !are_kept
               ? MR_OK
               : mr_error_file(err, MR_ERROR_INPUT, mr_input_path_name(inputs->plain->path->path),
                               0, "has no weights, and %s has some; %s",
                               mr_input_path_name(inputs->weighted->path->path),
                               inputs->options->onto != NULL
                                   ? "give links with weights"
                                   : "--no-weights reads both without, or write a weight into each "
                                     "line");
}

/* Opens an input and finds its format, which stays NULL if it has no links. */
static enum mr_status find_format(struct mr_graph_inputs *inputs, struct one_input *one,
                                  struct mr_error *err)
{
    struct mr_graph_probe probe = {.path = one->path->path};

    enum mr_status status = mr_input_open(inputs->context, one->path->path, &one->input, err);
    if (status == MR_OK) {
        status = mr_import_choose(inputs->options,
                                  inputs->vertices != NULL ? inputs->vertices->format : NULL,
                                  one->path, one->input, &one->format, err);
    }
    if (status == MR_OK) {
        status = adapt_lines(inputs, one, err);
    }
    if (status == MR_OK) {
        status = mr_input_peek(one->input, &probe.data, &probe.bytes, err);
    }
    if (status == MR_OK && inputs->n_inputs == 1 && mr_rows_of(one->format) == MR_ROWS_OF_NUMBERS) {
        inputs->has_first_row = mr_edge_text_first_row(probe.data, probe.bytes, inputs->first_row);
    }
    if (status == MR_OK && one->format == NULL) { /* perhaps a header alone */
        struct mr_columns_found found = {0};
        struct mr_table table;
        const bool has_ends = mr_columns_find(probe.data, probe.bytes, &found, &table) &&
                              table.is_known && (found.columns[0] != 0 || found.columns[1] != 1);
        one->head.with_ends = has_ends ? mr_table_separator(table.separator) : '\0';
        status = check_ends(inputs, one, err);
    }
    one->has_links = status == MR_OK && one->format != NULL &&
                     !(one->format->detects_vertices && one->format->detect(&probe));
    return status;
}

/* Opens the reader of an input, whose head then says what it is. */
static enum mr_status open_one(struct mr_graph_inputs *inputs, struct one_input *one,
                               const struct mr_context *context,
                               struct mr_edge_text_summary *summary, struct mr_error *err)
{
    const char *data;
    size_t bytes;
    enum mr_status status = MR_OK;

    if (one->input == NULL) {
        status = mr_input_open(context, one->path->path, &one->input, err);
    }
    if (status == MR_OK) {
        /* Decides about compression, which readers may ask for. */
        status = mr_input_peek(one->input, &data, &bytes, err);
    }
    if (status != MR_OK) {
        return status;
    }
    const struct mr_graph_request request = {
        .context = context,
        .path = one->path->path,
        .input = one->input,
        .text = &inputs->text,
        .summary = summary,
        .merges = inputs->options->duplicates >= 0,
        .twins = &inputs->twins,
        .weights = inputs->options->weights,
        /* With --undirected the builder adds the reverse of each link. */
        .directed = inputs->options->directed || inputs->options->undirected ||
                    (inputs->options->onto != NULL && inputs->options->onto->undirected),
    };
    return mr_graph_reader_open(one->format, &request, &one->head, &one->reader, err);
}

/* ---- One graph ---- */

static const char *pages_of(const struct one_input *one)
{
    return one->head.reversed_hosts         ? "reversed hosts"
           : one->head.ids == MR_IDS_TEXT   ? "names"
           : one->head.ids == MR_IDS_SPARSE ? "numbers as they stand there"
                                            : "numbers of its own";
}

/* Do the pages of both inputs mean the same? A format that says by itself which numbers there are
 * counts from 0 or from 1, and goes together with itself alone. */
static enum mr_status check_mix(const struct one_input *first, const struct one_input *one,
                                struct mr_error *err)
{
    if (first->head.ids == one->head.ids &&
        first->head.reversed_hosts == one->head.reversed_hosts &&
        (one->head.ids != MR_IDS_DENSE || one->format == first->format)) {
        return MR_OK;
    }
    return mr_error_file(
        err, MR_ERROR_INPUT, mr_input_path_name(one->path->path), 0,
        "is %s, whose pages are %s; %s is %s, whose pages are %s: they are no one graph; %s",
        one->format->title, pages_of(one), first->path->path, first->format->title, pages_of(first),
        is_text(first->format) && is_text(one->format)
            ? "--format urls takes the numbers for names, or make a store of each"
            : "make a store of each");
}

/* Refuses lines of any text beside files of a crawler in one directory: a note about the crawl is
 * then not taken for links. */
static enum mr_status check_folder(const struct mr_graph_inputs *inputs,
                                   const struct one_input *one, struct mr_error *err)
{
    for (const struct one_input *other = inputs->all; other < one; other++) {
        const bool is_beside = other->format != NULL && one->path->folder != 0 &&
                               other->path->folder == one->path->folder;
        if (is_beside && ((is_text(one->format) && other->format->mark != NULL) ||
                          (is_text(other->format) && one->format->mark != NULL))) {
            return mr_error_file(
                err, MR_ERROR_INPUT, one->path->path, 0,
                "is %s, and %s in the same directory is %s; name the files to read",
                one->format->title, other->path->path, other->format->title);
        }
    }
    return MR_OK;
}

/* Notes how the lines of an input are read, once for all inputs. */
static void note_lines(struct mr_graph_inputs *inputs, const struct one_input *one)
{
    const struct mr_store_info *onto = inputs->options->onto;

    if (mr_rows_of(one->format) == MR_ROWS_OF_NAMES && !inputs->options->columns.is_said &&
        !inputs->has_noted_columns && (onto == NULL || onto->name_kind == MR_NAMES_TEXT)) {
        inputs->has_noted_columns = true;
        mr_context_note(inputs->context,
                        "%s holds names, read as source, then target; if the target comes "
                        "first, say --columns target-source",
                        mr_input_name(one->input));
    }
    if (one->head.both_ways != NULL && !inputs->has_noted_direction) {
        inputs->has_noted_direction = true;
        mr_context_note(inputs->context,
                        "%s says \"%s\": each of its links goes in both directions; --directed "
                        "takes them as they are written",
                        mr_input_name(one->input), one->head.both_ways);
    }
}

/* Adds what an input says to the head of all. */
static enum mr_status join(struct mr_graph_inputs *inputs, struct one_input *one,
                           struct mr_error *err)
{
    struct mr_graph_head *all = &inputs->head;
    const struct mr_graph_head *head = &one->head;

    enum mr_status status = check_ends(inputs, one, err);
    if (status != MR_OK) {
        return status;
    }
    if (inputs->options->replaces && one->format->in_part) {
        return mr_error_file(err, MR_ERROR_USAGE, one->path->path, 0,
                             "is %s, which has some links of a page and not all; --replace needs "
                             "the pages (WARC, JSON, dumps of segments); leave it out to add links",
                             one->format->title);
    }
    if (inputs->vertices != NULL && one->format == inputs->vertices->format) {
        one->head.reversed_hosts = inputs->vertices->head.reversed_hosts; /* links do not show it */
    }
    status = inputs->first != NULL ? check_mix(inputs->first, one, err) : MR_OK;
    if (status == MR_OK) {
        status = check_weights(inputs, one, err);
    }
    if (status != MR_OK) {
        return status;
    }
    if (inputs->first == NULL) {
        inputs->first = one;
        *all = *head;
    } else {
        inputs->is_mixed |= one->format != inputs->first->format;
        all->n_vertices = mr_max_u64(all->n_vertices, head->n_vertices);
        all->n_edges += head->n_edges;
        all->weighted |= head->weighted;
        all->mirrors |= head->mirrors;
    }
    all->both_ways = head->both_ways != NULL ? all->both_ways : NULL;
    note_lines(inputs, one);
    if (one->format->detects_vertices && inputs->vertices == NULL) {
        inputs->vertices = one;
    }
    return MR_OK;
}

static enum mr_status look_at_all(struct mr_graph_inputs *inputs, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (size_t i = 0; i < inputs->n_inputs && status == MR_OK; i++) {
        struct one_input *one = &inputs->all[i];
        status = find_format(inputs, one, err);
        if (status == MR_OK && one->format != NULL) {
            status = check_folder(inputs, one, err);
        }
        if (status == MR_OK && one->format != NULL) {
            status = open_one(inputs, one, inputs->context, inputs->summary, err);
        }
        if (status == MR_OK && one->format != NULL) {
            status = join(inputs, one, err);
        }
        if (inputs->n_inputs > 1 && (one->format == NULL || one->path->bytes > 0)) {
            close_one(one); /* a pipe stays open */
        }
    }
    return status;
}

/* The vertices that were asked for against what the inputs say themselves. */
static enum mr_status apply_vertices(struct mr_graph_inputs *inputs, struct mr_error *err)
{
    const struct mr_import_options *options = inputs->options;
    struct mr_graph_head *head = &inputs->head;
    const char *title = mr_graph_inputs_format(inputs)->title;

    if ((head->ids == MR_IDS_DENSE || head->reversed_hosts) && options->vertices_from != NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--vertex-list: %s says by itself which vertices there are", title);
    }
    if (options->vertices == UINT64_MAX) {
        return MR_OK;
    }
    if (head->ids == MR_IDS_TEXT) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--vertices is for numbered pages, and the pages of %s have "
                            "names",
                            title);
    }
    if (head->ids == MR_IDS_DENSE && options->vertices < head->n_vertices) {
        return mr_error_set(
            err, MR_ERROR_USAGE, "--vertices %llu: the input has %llu; give at least as many",
            (unsigned long long)options->vertices, (unsigned long long)head->n_vertices);
    }
    head->ids = MR_IDS_DENSE;
    head->n_vertices = options->vertices;
    return MR_OK;
}

static enum mr_status apply_weights(const struct mr_graph_inputs *inputs, struct mr_error *err)
{
    const struct mr_import_options *options = inputs->options;

    if (inputs->head.weighted && options->weights == MR_WEIGHTS_NONE) {
        mr_import_note_weights(inputs->context, options->ignores_weights);
    } else if (inputs->head.weighted && options->weights == MR_WEIGHTS_IF_GOOD &&
               options->class_rule != MR_CLASSES_NONE) {
        mr_import_note_weights(inputs->context, "a store with --classes has none");
    }
    if (!inputs->head.weighted && options->weights == MR_WEIGHTS_MUST) {
        return mr_error_file(err, MR_ERROR_USAGE, inputs->all[0].path->path, 0,
                             options->onto != NULL
                                 ? "%s without weights, and the store has some; give links with "
                                   "weights"
                                 : "--weights: %s without weights; leave it out",
                             mr_graph_inputs_format(inputs)->title);
    }
    return MR_OK;
}

static enum mr_status look(struct mr_graph_inputs *inputs, struct mr_input *list,
                           struct mr_error *err)
{
    const struct mr_store_info *onto = inputs->options->onto;
    const char *data = NULL;
    size_t bytes = 0;

    enum mr_status status = list == NULL ? MR_OK : mr_input_peek(list, &data, &bytes, err);
    if (status != MR_OK) {
        return status;
    }
    inputs->lists_names = list != NULL && mr_edge_text_detect(data, bytes, 1) == MR_IDS_TEXT;
    inputs->head.ids = inputs->lists_names || (onto != NULL && onto->name_kind == MR_NAMES_TEXT)
                           ? MR_IDS_TEXT
                           : MR_IDS_SPARSE;
    inputs->head.weighted = inputs->n_inputs == 0 && inputs->options->weights == MR_WEIGHTS_MUST;
    status = look_at_all(inputs, err);
    if (status == MR_OK && inputs->head.ids == MR_IDS_DENSE &&
        inputs->head.n_vertices > UINT32_MAX) {
        status =
            mr_error_file(err, MR_ERROR_INPUT, mr_input_path_name(inputs->all[0].path->path), 0,
                          "says that it has %llu pages; a store can hold %lu",
                          (unsigned long long)inputs->head.n_vertices, (unsigned long)UINT32_MAX);
    }
    if (status == MR_OK) {
        status = apply_vertices(inputs, err);
    }
    return status == MR_OK ? apply_weights(inputs, err) : status;
}

enum mr_status mr_graph_inputs_begin(const struct mr_context *context,
                                     const struct mr_import_options *options,
                                     const struct mr_input_paths *paths, struct mr_input *list,
                                     struct mr_edge_text_summary *summary,
                                     struct mr_graph_head *head, struct mr_graph_inputs **out,
                                     struct mr_error *err)
{
    struct mr_graph_inputs *all = calloc(1, sizeof *all);

    *out = all;
    if (all != NULL) {
        *all = (struct mr_graph_inputs){
            .context = context,
            .options = options,
            .all = calloc(paths->n + 1, sizeof *all->all),
            .n_inputs = paths->n,
            .summary = summary,
            .text = {.columns = options->columns.order,
                     .column_names = options->columns.names,
                     .separator = options->separator,
                     .where = options->where,
                     .is_guessed = options->format == NULL,
                     .are_names = mr_rows_of(options->format) == MR_ROWS_OF_NAMES,
                     .bad_lines = options->bad_lines,
                     .max_bad = options->max_bad,
                     .link_kinds = options->link_kinds,
                     .drop_nofollow = options->drop_nofollow,
                     .outlinks_from = options->outlinks_from},
        };
    }
    if (all == NULL || all->all == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for inputs");
    }
    for (size_t i = 0; i < paths->n; i++) {
        all->all[i].path = &paths->items[i];
    }
    const enum mr_status status = look(all, list, err);
    *head = all->head;
    return status;
}

const struct mr_graph_format *mr_graph_inputs_format(const struct mr_graph_inputs *inputs)
{
    static const struct mr_graph_format mixed = {.name = "mixed",
                                                 .title = "inputs of several formats"};
    return inputs->is_mixed ? &mixed
           : inputs->first != NULL
               ? inputs->first->format
               : mr_graph_format_find(inputs->head.ids == MR_IDS_TEXT ? "urls" : "edges");
}

bool mr_graph_inputs_first_row(const struct mr_graph_inputs *inputs, uint64_t row[2])
{
    memcpy(row, inputs->first_row, sizeof inputs->first_row);
    return inputs->has_first_row;
}

enum mr_status mr_graph_inputs_guess(const struct mr_graph_inputs *inputs, bool all,
                                     uint64_t *edges, bool *is_rough, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    *edges = 0;
    *is_rough = false;
    for (size_t i = 0; i < inputs->n_inputs && status == MR_OK; i++) {
        const struct one_input *one = &inputs->all[i];
        *edges += one->has_links ? one->head.n_edges : 0;
        if (one->has_links && (all || is_lines(one->format) || one->format->detects_vertices) &&
            one->head.n_edges == 0) {
            status = mr_edge_guess_lines(inputs->context, one->path, edges, is_rough, err);
        }
    }
    return status;
}

void mr_graph_inputs_name(struct mr_graph_inputs *inputs, const struct mr_import_names *names)
{
    inputs->names = names;
}

/* ---- Reading ---- */

static enum mr_status read_one(struct mr_graph_inputs *inputs, struct one_input *one,
                               struct mr_graph_build_sink *target, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    if (one->reader == NULL) {
        status = open_one(inputs, one, inputs->context, inputs->summary, err);
    }
    if (status == MR_OK) {
        target->input = mr_input_name(one->input);
        inputs->text.mirrors =
            one->head.both_ways != NULL && !one->head.mirrors && !inputs->is_undirected;
        const struct mr_graph_sink sink = mr_graph_sink_of_build(target, inputs->context->threads);
        struct mr_named_sink named = {
            .names = inputs->names, .inner = &sink, .input = target->input};
        const struct mr_graph_sink outer = mr_import_names_sink(&named);
        status = mr_graph_reader_read(one->reader, inputs->names != NULL ? &outer : &sink, err);
    }
    inputs->text.bytes_before += one->path->bytes;
    close_one(one);
    return status;
}

/* One of the inputs that are read at the same time; the others were read before. */
static enum mr_status read_apart(void *data, size_t index, const struct mr_context *context,
                                 struct mr_edge_text_summary *summary,
                                 const struct mr_graph_sink *sink, struct mr_error *err)
{
    struct mr_graph_inputs *inputs = data;
    struct one_input one = inputs->all[index];

    if (!one.is_apart) {
        return MR_OK;
    }
    enum mr_status status = open_one(inputs, &one, context, summary, err);
    if (status == MR_OK) {
        status = mr_graph_reader_read(one.reader, sink, err);
    }
    close_one(&one);
    return status;
}

static enum mr_status read_together(struct mr_graph_inputs *inputs, unsigned n_workers,
                                    struct mr_graph_build_sink *target, struct mr_error *err)
{
    target->input = inputs->all[0].path->path;
    const struct mr_graph_sink sink = mr_graph_sink_of_build(target, 1);
    const struct mr_import_together job = {.context = inputs->context,
                                           .n_inputs = inputs->n_inputs,
                                           .n_workers = n_workers,
                                           .sink = &sink,
                                           .summary = inputs->summary,
                                           .data = inputs,
                                           .read = read_apart};
    return mr_import_read_together(&job, err);
}

enum mr_status mr_graph_inputs_read(struct mr_graph_inputs *inputs, struct mr_build *build,
                                    const struct mr_build_options *options, struct mr_error *err)
{
    struct mr_graph_build_sink target = {
        .build = build,
        .ids = options->ids,
        .swap = inputs->options->columns.order == MR_COLUMNS_TARGET_SOURCE,
        .may_forget_weights = inputs->options->weights == MR_WEIGHTS_IF_GOOD,
    };
    enum mr_status status = MR_OK;
    size_t n_apart = 0;

    inputs->text.ids = options->ids;
    inputs->text.n_vertices = options->n_vertices;
    inputs->is_undirected = options->undirected;
    for (size_t i = 0; i < inputs->n_inputs; i++) {
        struct one_input *one = &inputs->all[i];
        inputs->text.bytes_total += one->path->bytes;
        /* --max-bad counts the bad records of all inputs in their order. */
        one->is_apart = one->format != NULL && one->format->takes_long && one->reader == NULL &&
                        inputs->names == NULL && inputs->text.max_bad == 0;
        n_apart += one->is_apart;
    }
    const unsigned n_workers = mr_import_together_workers(inputs->context, n_apart);
    for (size_t i = 0; i < inputs->n_inputs && status == MR_OK; i++) {
        struct one_input *one = &inputs->all[i];
        if (one->format != NULL && !(one->is_apart && n_workers > 1)) {
            status = read_one(inputs, one, &target, err);
        }
    }
    if (status == MR_OK && n_workers > 1) {
        status = read_together(inputs, n_workers, &target, err);
    }
    if (target.has_forgotten_weights) {
        mr_context_note(inputs->context,
                        "the weights are not kept: one is %g, and only those above 0 rank "
                        "anything; --weights says where it is",
                        (double)target.bad_weight);
    }
    return status;
}

void mr_graph_inputs_end(struct mr_graph_inputs *inputs)
{
    for (size_t i = 0; inputs != NULL && inputs->all != NULL && i < inputs->n_inputs; i++) {
        close_one(&inputs->all[i]);
    }
    if (inputs != NULL) {
        mr_memory_free(inputs->context->memory, inputs->twins.pairs);
        free(inputs->all);
    }
    free(inputs);
}
