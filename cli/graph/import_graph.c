#include "cli/graph/import_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/bytes.h"

enum mr_status mr_format_parse(const char *text, void *format, struct mr_error *err)
{
    const struct mr_graph_format **out = format;
    char names[512] = "auto";

    *out = strcmp(text, "auto") == 0 ? NULL : mr_graph_format_find(text);
    if (*out != NULL || strcmp(text, "auto") == 0) {
        return MR_OK;
    }
    for (size_t i = 0; mr_graph_format_at(i) != NULL; i++) {
        const size_t used = strlen(names);
        (void)snprintf(names + used, sizeof names - used, "%s%s",
                       mr_graph_format_at(i + 1) != NULL ? ", " : " or ",
                       mr_graph_format_at(i)->name);
    }
    return mr_error_set(err, MR_ERROR_USAGE, "must be %s", names);
}

static uint64_t plain_bytes(const char *path, const struct mr_input *input)
{
    struct stat info;
    return mr_input_codec(input) == MR_INPUT_PLAIN && stat(path, &info) == 0 &&
                   S_ISREG(info.st_mode)
               ? (uint64_t)info.st_size
               : 0;
}

enum mr_status mr_import_detect(const char *path, struct mr_input *input,
                                const struct mr_graph_format **format, struct mr_error *err)
{
    struct mr_graph_probe probe = {.path = path};
    const enum mr_status status = mr_input_peek(input, &probe.data, &probe.bytes, err);

    if (status != MR_OK) {
        return status;
    }
    probe.file_bytes = plain_bytes(path, input);
    return mr_graph_format_detect(&probe, format, err);
}

uint64_t mr_graph_edges_stated(struct mr_session *session, const char *path)
{
    const struct mr_edge_text_options text = {.struct_size = sizeof text};
    const struct mr_graph_format *format = NULL;
    struct mr_edge_text_summary summary = {0};
    struct mr_graph_head head = {0};
    struct mr_input *input = NULL;
    void *reader = NULL;

    enum mr_status status = mr_input_open(&session->context, path, &input, NULL);
    if (status == MR_OK) {
        status = mr_import_detect(path, input, &format, NULL);
    }
    if (status == MR_OK && format->open != NULL) {
        const struct mr_graph_request request = {.struct_size = sizeof request,
                                                 .context = &session->context,
                                                 .path = path,
                                                 .input = input,
                                                 .text = &text,
                                                 .summary = &summary};
        status = format->open(&request, &head, &reader, NULL);
        format->close(reader);
    }
    mr_input_close(input);
    return status == MR_OK ? head.n_edges : 0;
}

struct mr_graph_inputs {
    struct mr_session *session;
    const struct mr_import_flags *flags;
    const struct mr_graph_format *format;
    const char *const *inputs; /* [n_inputs] */
    size_t n_inputs;
    struct mr_edge_text_options text;
    struct mr_edge_text_summary *summary;
    struct mr_graph_head head;
    struct mr_input *input; /* open, or NULL */
    void *reader; /* of it */
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
    const struct mr_context *context = &inputs->session->context;
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
        .merges = inputs->flags->duplicates >= 0,
        .weights = (enum mr_weights_wanted)inputs->flags->weights,
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

/* --vertices and --vertex-list against what the inputs say themselves. */
static enum mr_status apply_flags(struct mr_graph_inputs *inputs, struct mr_error *err)
{
    const struct mr_import_flags *flags = inputs->flags;
    struct mr_graph_head *head = &inputs->head;

    if ((head->ids == MR_IDS_DENSE || head->reversed_hosts) && flags->vertices_from != NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--vertex-list: %s says by itself which vertices there are",
                            inputs->format->title);
    }
    if (flags->vertices == UINT64_MAX) {
        return MR_OK;
    }
    if (head->ids == MR_IDS_TEXT) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--vertices is for numbered vertices, and the vertices of %s have "
                            "names",
                            inputs->format->title);
    }
    if (head->ids == MR_IDS_DENSE && flags->vertices < head->n_vertices) {
        return mr_error_set(
            err, MR_ERROR_USAGE, "--vertices %llu: the input has %llu; give at least as many",
            (unsigned long long)flags->vertices, (unsigned long long)head->n_vertices);
    }
    head->ids = MR_IDS_DENSE;
    head->n_vertices = flags->vertices;
    return MR_OK;
}

void mr_import_note_weights(struct mr_session *session, const struct mr_import_flags *flags)
{
    mr_session_say(session, "note: the weights of the links are ignored (%s)",
                   flags->ignores_weights != NULL ? flags->ignores_weights : "no --weights");
}

enum mr_status mr_graph_inputs_begin(struct mr_session *session,
                                     const struct mr_import_flags *flags,
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
        .session = session,
        .flags = flags,
        .format = format,
        .inputs = inputs,
        .n_inputs = n_inputs,
        .summary = summary,
        .input = first,
        .text = {.struct_size = sizeof all->text,
                 .columns =
                     flags->columns == 1 ? MR_COLUMNS_TARGET_SOURCE : MR_COLUMNS_SOURCE_TARGET,
                 .bad_lines = flags->bad_lines == 1 ? MR_BAD_LINES_SKIP : MR_BAD_LINES_FAIL,
                 .max_bad = flags->max_bad,
                 .link_kinds = flags->link_kinds,
                 .drop_nofollow = flags->drop_nofollow},
    };
    enum mr_status status = look_at_all(all, err);
    if (status == MR_OK && all->head.ids == MR_IDS_DENSE && all->head.n_vertices > UINT32_MAX) {
        status = mr_error_file(err, MR_ERROR_INPUT,
                               strcmp(inputs[0], "-") == 0 ? "standard input" : inputs[0], 0,
                               "says that it has %llu vertices; a store can hold %lu",
                               (unsigned long long)all->head.n_vertices, (unsigned long)UINT32_MAX);
    }
    if (status == MR_OK) {
        status = apply_flags(all, err);
    }
    if (status == MR_OK && all->head.weighted && flags->weights == MR_WEIGHTS_NONE) {
        mr_import_note_weights(session, flags);
    }
    if (status == MR_OK && !all->head.weighted && flags->weights == MR_WEIGHTS_MUST) {
        status = mr_error_file(err, MR_ERROR_USAGE, inputs[0], 0,
                               flags->onto != NULL
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

enum mr_status mr_graph_inputs_read(struct mr_graph_inputs *inputs, struct mr_build *build,
                                    struct mr_error *err)
{
    struct mr_graph_build_sink target = {
        .build = build,
        .ids = inputs->head.ids,
        .swap = inputs->flags->columns == 1,
        .may_forget_weights = inputs->flags->weights == MR_WEIGHTS_IF_GOOD,
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
                mr_graph_sink_of_build(&target, inputs->session->context.threads);
            status = inputs->format->read(inputs->reader, &sink, err);
        }
        close_one(inputs);
    }
    if (target.has_forgotten_weights) {
        mr_session_say(inputs->session,
                       "note: the weights are not kept: one is %g, and only those above 0 rank "
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
