/* SPDX-License-Identifier: Apache-2.0 */
/* millrace links: prints the links of one page. It reads the tiles that can hold edges of the
 * page and skips the rest, so it is fast without an index. See engine/scan/neighbours.h. */
#include <assert.h>
#include <stdlib.h>

#include "cli/graph/query.h"
#include "cli/program/command.h"
#include "engine/base/memory.h"
#include "engine/names/names.h"
#include "engine/scan/neighbours.h"

struct links_flags {
    struct mr_common_flags common;
    bool in, out; /* neither: both */
    bool weights;
    uint64_t limit, offset;
};

static const struct links_flags defaults = {.common = MR_COMMON_DEFAULTS, .limit = 100};

#define FIELD(name) offsetof(struct links_flags, name)
static const struct mr_option links_options[] = {
    {"in", 0, MR_OPTION_FLAG, FIELD(in),
     .help = "Print the pages that link to the page. Default: both directions, with \"out\" or "
             "\"in\" before each name."},
    {"out", 0, MR_OPTION_FLAG, FIELD(out), .help = "Print the pages that the page links to."},
    {"weights", 0, MR_OPTION_FLAG, FIELD(weights),
     .help = "Print a tab and the weight of the link after each name."},
    {"limit", 0, MR_OPTION_COUNT, FIELD(limit), "N", .least = 0, .most = UINT64_MAX,
     .help = "Print at most N names for each direction; with 0 only the counts. Default 100."},
    {"offset", 0, MR_OPTION_COUNT, FIELD(offset), "N", .least = 0, .most = UINT64_MAX,
     .help = "Skip the first N names."},
    {0}};
#undef FIELD

struct answer {
    struct mr_session *session;
    const struct links_flags *flags;
    struct mr_graph *graph;
    uint32_t vertex;
    struct mr_output *out; /* NULL with --json */
    struct mr_json json;
};

/* Sets [*first, *end) to the names to show, of n names. */
static void choose_page(const struct links_flags *flags, uint64_t n, uint64_t *first, uint64_t *end)
{
    *first = flags->offset < n ? flags->offset : n;
    *end = n - *first < flags->limit ? n : *first + flags->limit;
}

/* A `weight` of 0 is not shown. */
static enum mr_status show_name(struct answer *answer, uint32_t vertex, float weight,
                                const char *label, json_t *list, json_t *weights,
                                struct mr_error *err)
{
    const char *name = NULL;
    size_t name_bytes = 0;
    uint64_t escaped = 0;
    enum mr_status status = mr_names_get(answer->graph->names, vertex, &name, &name_bytes, err);

    if (status != MR_OK) {
        return status;
    }
    if (answer->out == NULL) {
        answer->json.failed |= json_array_append_new(list, mr_json_string(name, name_bytes)) != 0;
        if (weights != NULL) {
            answer->json.failed |= json_array_append_new(weights, json_real((double)weight)) != 0;
        }
        return MR_OK;
    }
    if (label != NULL) {
        status = mr_output_print(answer->out, err, "%s\t", label);
    }
    if (status == MR_OK && weight > 0) {
        status = mr_output_name_escaped(answer->out, name, name_bytes, MR_NAME_LINE, &escaped, err);
        return status == MR_OK ? mr_output_print(answer->out, err, "\t%.9g\n", (double)weight)
                               : status;
    }
    return status == MR_OK ? mr_query_print_name(answer->out, name, name_bytes, err) : status;
}

/* Finds the edges of one direction: `*vertices`, or with weights `*weighted`. The caller frees
 * both. */
static enum mr_status find_links(struct answer *answer, enum mr_degree_kind direction,
                                 uint32_t **vertices, struct mr_weighted_neighbour **weighted,
                                 uint64_t *n, struct mr_error *err)
{
    const struct mr_context *context = &answer->session->context;
    return answer->graph->weighted == NULL
               ? mr_neighbours(context, answer->graph->store, answer->vertex, direction, vertices,
                               n, err)
               : mr_weighted_neighbours(context, answer->graph->store, answer->graph->weighted,
                                        answer->vertex, direction, weighted, n, err);
}

/* What is sorted: a position, and which of the links it belongs to. */
struct place {
    uint32_t position, vertex;
    float weight;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->position != y->position ? (x->position > y->position) - (x->position < y->position)
                                      : (x->weight > y->weight) - (x->weight < y->weight);
}

/* Names are printed in the order of the input, which the vertices of the store may not have. */
static enum mr_status order_by_position(struct answer *answer, uint32_t *vertices,
                                        struct mr_weighted_neighbour *weighted, uint64_t n,
                                        struct mr_error *err)
{
    struct mr_memory *memory = answer->session->context.memory;
    void *pointer = NULL;

    if (n == 0 || !mr_names_are_ordered(answer->graph->names)) {
        return MR_OK;
    }
    enum mr_status status =
        mr_memory_alloc(memory, "links in order", n * sizeof(struct place), &pointer, err);
    struct place *places = pointer;
    assert(weighted != NULL || vertices != NULL);
    for (uint64_t i = 0; i < n && status == MR_OK; i++) {
        places[i].vertex = weighted != NULL ? weighted[i].vertex : vertices[i];
        places[i].weight = weighted != NULL ? weighted[i].weight : 0;
        status =
            mr_names_position(answer->graph->names, places[i].vertex, &places[i].position, err);
    }
    if (status == MR_OK) {
        qsort(places, n, sizeof *places, compare_places);
    }
    for (uint64_t i = 0; i < n && status == MR_OK; i++) {
        if (weighted != NULL) {
            weighted[i] = (struct mr_weighted_neighbour){places[i].vertex, places[i].weight};
        } else {
            vertices[i] = places[i].vertex;
        }
    }
    mr_memory_free(memory, places);
    return status;
}

static enum mr_status show_direction(struct answer *answer, enum mr_degree_kind direction,
                                     const char *label, struct mr_error *err)
{
    const struct links_flags *flags = answer->flags;
    const bool is_in = direction == MR_DEGREES_IN;
    uint32_t *vertices = NULL;
    struct mr_weighted_neighbour *weighted = NULL;
    uint64_t n = 0, first, end;
    json_t *list = answer->out == NULL ? json_array() : NULL;
    json_t *weights = answer->out == NULL && flags->weights ? json_array() : NULL;
    char total[32];
    enum mr_status status = find_links(answer, direction, &vertices, &weighted, &n, err);
    if (status == MR_OK) {
        status = order_by_position(answer, vertices, weighted, n, err);
    }
    choose_page(flags, n, &first, &end);
    assert(status != MR_OK || n == 0 || weighted != NULL || vertices != NULL);
    for (uint64_t i = first; status == MR_OK && i < end; i++) {
        status = weighted != NULL ? show_name(answer, weighted[i].vertex, weighted[i].weight, label,
                                              list, weights, err)
                                  : show_name(answer, vertices[i], 0, label, list, weights, err);
    }
    mr_memory_free(answer->session->context.memory, weighted);
    mr_memory_free(answer->session->context.memory, vertices);
    if (answer->out == NULL) {
        mr_json_count(&answer->json, is_in ? "links_in" : "links_out", n);
        mr_json_add(&answer->json, is_in ? "in" : "out", list);
        if (weights != NULL) {
            mr_json_add(&answer->json, is_in ? "in_weights" : "out_weights", weights);
        }
    }
    if (status == MR_OK) {
        char from[32], to[32];
        mr_session_say(answer->session, "%s links %s%s%s%s%s%s%s%s", mr_count_text(n, total),
                       is_in ? "in" : "out", end > first ? "; " : "",
                       end > first ? mr_count_text(first + 1, from) : "", end > first ? " to " : "",
                       end > first ? mr_count_text(end, to) : "", end > first ? " shown" : "",
                       end < n && flags->limit > 0 ? ", " : "",
                       end < n && flags->limit > 0 ? "--offset for more" : "");
    }
    return status;
}

static enum mr_status show(struct answer *answer, const char *name, struct mr_error *err)
{
    const struct links_flags *flags = answer->flags;
    const bool both = flags->in == flags->out;
    enum mr_status status = mr_query_vertex(answer->graph, name, &answer->vertex, err);

    if (status == MR_OK && (both || flags->out)) {
        status = show_direction(answer, MR_DEGREES_OUT, both ? "out" : NULL, err);
    }
    if (status == MR_OK && (both || flags->in)) {
        status = show_direction(answer, MR_DEGREES_IN, both ? "in" : NULL, err);
    }
    return status;
}

static enum mr_status run(struct mr_session *session, const void *data,
                          const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct links_flags *flags = data;
    struct mr_graph graph = {0};
    struct answer answer = {.session = session, .flags = flags, .graph = &graph};

    if (flags->common.estimate) {
        const struct mr_estimate estimate = {.memory_bytes = MR_MEMORY_FLOOR_BYTES};
        return mr_session_estimate(session, &estimate, err);
    }
    enum mr_status status = mr_query_open(session, parsed->operands[0], &graph, err);
    if (status == MR_OK && flags->weights) {
        status = mr_graph_open_weights(session, &graph, err);
    }
    if (flags->common.json) {
        answer.json = mr_json_create();
        mr_json_text(&answer.json, "name", parsed->operands[1]);
    } else if (status == MR_OK) {
        status = mr_output_open(&session->context, NULL, false, &answer.out, err);
    }
    if (status == MR_OK) {
        status = show(&answer, parsed->operands[1], err);
    }
    if (flags->common.json) {
        status = status == MR_OK ? mr_json_print(&answer.json, stdout, err) : status;
        mr_json_destroy(&answer.json);
    } else if (status == MR_OK) {
        status = mr_output_commit(answer.out, err);
    } else {
        mr_output_abandon(answer.out);
    }
    mr_graph_close(session, &graph);
    return status;
}

const struct mr_command mr_command_links = {
    .name = "links",
    .summary = "print the links of one page",
    .usage = "links STORE NAME [--in|--out] [OPTIONS]",
    .text = "Prints the names of the pages that a page links to and of the pages that link to it, "
            "in the order of the names, and how many there are. NAME may be any spelling of the "
            "page if the store was built with a profile.",
    .examples = "  millrace links web.mill https://example.com/\n"
                "  millrace links web.mill https://example.com/ --in --limit 20 --offset 40\n",
    .groups = {{.title = "What to show", .options = links_options, .base = 0},
               MR_COMMON_GROUP_WITHOUT("force")},
    .defaults = &defaults,
    .flags_bytes = sizeof defaults,
    .min_operands = 2,
    .max_operands = 2,
    .operand_files = MR_OPERANDS_FIRST,
    .operands = "a store and the name of a page",
    .run = run,
};
