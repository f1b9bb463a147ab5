/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of formats that say themselves what their vertices are. All heads are looked at first,
 * so that the builder knows the union of what they say; then each is read into it. Lines of two
 * columns are import_files.c's own. */
#include "library/import_graphs.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "library/import_detect.h"
#include "library/import_together.h"

struct mr_graph_inputs {
    const struct mr_context *context;
    const struct mr_import_options *options;
    const struct mr_graph_format *format;
    const char *const *inputs; /* [n_inputs] */
    size_t n_inputs;
    struct mr_edge_text_options text;
    struct mr_edge_text_summary *summary;
    struct mr_graph_head head;
    struct mr_input *input; /* open, or NULL */
    void *reader; /* of it */
    const struct mr_import_names *names; /* NULL: ids go to the builder as they are */
};

static void close_one(struct mr_graph_inputs *inputs)
{
    inputs->format->close(inputs->reader);
    inputs->reader = NULL;
    mr_input_close(inputs->input);
    inputs->input = NULL;
}

/* Open the reader of input `index`, and the input itself unless it is open. */
static enum mr_status open_one(struct mr_graph_inputs *inputs, size_t index,
                               struct mr_graph_head *head, struct mr_error *err)
{
    const struct mr_context *context = inputs->context;
    const char *path = inputs->inputs[index], *data;
    size_t bytes;
    enum mr_status status = MR_OK;

    if (inputs->input == NULL) {
        status = mr_input_open(context, path, &inputs->input, err);
    }
    if (status == MR_OK) {
        /* Decides about compression, which readers may ask for. */
        status = mr_input_peek(inputs->input, &data, &bytes, err);
    }
    if (status != MR_OK) {
        return status;
    }
    const struct mr_graph_request request = {
        .struct_size = sizeof request,
        .context = context,
        .path = path,
        .input = inputs->input,
        .text = &inputs->text,
        .summary = inputs->summary,
        .merges = inputs->options->duplicates >= 0,
        .weights = inputs->options->weights,
    };
    *head = (struct mr_graph_head){0};
    return inputs->format->open(&request, head, &inputs->reader, err);
}

static enum mr_status look_at_all(struct mr_graph_inputs *inputs, struct mr_error *err)
{
    struct mr_graph_head *all = &inputs->head, head;
    enum mr_status status = open_one(inputs, 0, all, err);

    for (size_t i = 1; i < inputs->n_inputs && status == MR_OK; i++) {
        close_one(inputs);
        status = open_one(inputs, i, &head, err);
        if (status == MR_OK) {
            all->n_vertices = mr_max_u64(all->n_vertices, head.n_vertices);
            all->n_edges += head.n_edges;
            all->weighted = all->weighted || head.weighted;
        }
    }
    if (inputs->n_inputs > 1) {
        close_one(inputs);
    }
    return status;
}

/* The vertices that were asked for against what the inputs say themselves. */
static enum mr_status apply_vertices(struct mr_graph_inputs *inputs, struct mr_error *err)
{
    const struct mr_import_options *options = inputs->options;
    struct mr_graph_head *head = &inputs->head;

    if ((head->ids == MR_IDS_DENSE || head->reversed_hosts) && options->vertices_from != NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--vertex-list: %s says by itself which vertices there are",
                            inputs->format->title);
    }
    if (options->vertices == UINT64_MAX) {
        return MR_OK;
    }
    if (head->ids == MR_IDS_TEXT) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--vertices is for numbered pages, and the pages of %s have "
                            "names",
                            inputs->format->title);
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

enum mr_status mr_graph_inputs_begin(const struct mr_context *context,
                                     const struct mr_import_options *options,
                                     const struct mr_graph_format *format,
                                     const char *const *inputs, size_t n_inputs,
                                     struct mr_input *first, struct mr_edge_text_summary *summary,
                                     struct mr_graph_head *head, struct mr_graph_inputs **out,
                                     struct mr_error *err)
{
    struct mr_graph_inputs *all = calloc(1, sizeof *all);

    *out = NULL;
    if (all == NULL) {
        mr_input_close(first);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader");
    }
    *all = (struct mr_graph_inputs){
        .context = context,
        .options = options,
        .format = format,
        .inputs = inputs,
        .n_inputs = n_inputs,
        .summary = summary,
        .input = first,
        .text = {.struct_size = sizeof all->text,
                 .columns =
                     options->columns == 1 ? MR_COLUMNS_TARGET_SOURCE : MR_COLUMNS_SOURCE_TARGET,
                 .column_names = options->column_names,
                 .bad_lines = options->bad_lines,
                 .max_bad = options->max_bad,
                 .link_kinds = options->link_kinds,
                 .drop_nofollow = options->drop_nofollow,
                 .outlinks_from = options->outlinks_from},
    };
    enum mr_status status = look_at_all(all, err);
    if (status == MR_OK && all->head.ids == MR_IDS_DENSE && all->head.n_vertices > UINT32_MAX) {
        status = mr_error_file(err, MR_ERROR_INPUT,
                               strcmp(inputs[0], "-") == 0 ? "standard input" : inputs[0], 0,
                               "says that it has %llu pages; a store can hold %lu",
                               (unsigned long long)all->head.n_vertices, (unsigned long)UINT32_MAX);
    }
    if (status == MR_OK) {
        status = apply_vertices(all, err);
    }
    if (status == MR_OK && all->head.weighted && options->weights == MR_WEIGHTS_NONE) {
        mr_import_note_weights(context, options->ignores_weights);
    }
    if (status == MR_OK && !all->head.weighted && options->weights == MR_WEIGHTS_MUST) {
        status = mr_error_file(err, MR_ERROR_USAGE, inputs[0], 0,
                               options->onto != NULL
                                   ? "%s without weights, and the store has some; give links with "
                                     "weights"
                                   : "--weights: %s without weights; leave it out",
                               format->title);
    }
    *head = all->head;
    if (status != MR_OK) {
        mr_graph_inputs_end(all);
        return status;
    }
    *out = all;
    return MR_OK;
}

void mr_graph_inputs_name(struct mr_graph_inputs *inputs, const struct mr_import_names *names)
{
    inputs->names = names;
}

/* One of several inputs that are read at the same time. */
static enum mr_status read_apart(void *data, size_t index, const struct mr_context *context,
                                 struct mr_edge_text_summary *summary,
                                 const struct mr_graph_sink *sink, struct mr_error *err)
{
    struct mr_graph_inputs one = *(const struct mr_graph_inputs *)data;
    struct mr_graph_head head;
    one.context = context;
    one.summary = summary;
    enum mr_status status = open_one(&one, index, &head, err);
    if (status == MR_OK) {
        status = one.format->read(one.reader, sink, err);
    }
    close_one(&one);
    return status;
}

static enum mr_status read_together(struct mr_graph_inputs *inputs, struct mr_build *build,
                                    unsigned n_workers, struct mr_error *err)
{
    struct mr_graph_build_sink target = {.build = build,
                                         .ids = inputs->head.ids,
                                         .swap = inputs->options->columns == 1,
                                         .input = inputs->inputs[0]};
    const struct mr_graph_sink sink = mr_graph_sink_of_build(&target, 1);
    const struct mr_import_together job = {.context = inputs->context,
                                           .n_inputs = inputs->n_inputs,
                                           .n_workers = n_workers,
                                           .sink = &sink,
                                           .summary = inputs->summary,
                                           .data = inputs,
                                           .read = read_apart};
    close_one(inputs);
    return mr_import_read_together(&job, err);
}

enum mr_status mr_graph_inputs_read(struct mr_graph_inputs *inputs, struct mr_build *build,
                                    struct mr_error *err)
{
    /* --max-bad counts the bad records of all inputs in their order. */
    const bool may_read_together =
        inputs->format->takes_long && inputs->names == NULL && inputs->text.max_bad == 0;
    const unsigned n_workers = mr_import_together_workers(inputs->context, inputs->n_inputs);
    if (may_read_together && n_workers > 1) {
        return read_together(inputs, build, n_workers, err);
    }
    struct mr_graph_build_sink target = {
        .build = build,
        .ids = inputs->names != NULL ? MR_IDS_TEXT : inputs->head.ids,
        .swap = inputs->options->columns == 1,
        .may_forget_weights = inputs->options->weights == MR_WEIGHTS_IF_GOOD,
    };
    enum mr_status status = MR_OK;

    for (size_t i = 0; i < inputs->n_inputs && status == MR_OK; i++) {
        struct mr_graph_head head;

        if (inputs->reader == NULL) {
            status = open_one(inputs, i, &head, err);
        }
        if (status == MR_OK) {
            target.input = mr_input_name(inputs->input);
            const struct mr_graph_sink sink =
                mr_graph_sink_of_build(&target, inputs->context->threads);
            struct mr_named_sink named = {
                .names = inputs->names, .inner = &sink, .input = target.input};
            const struct mr_graph_sink outer = mr_import_names_sink(&named);
            status =
                inputs->format->read(inputs->reader, inputs->names != NULL ? &outer : &sink, err);
        }
        close_one(inputs);
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
    if (inputs != NULL) {
        close_one(inputs);
        free(inputs);
    }
}
