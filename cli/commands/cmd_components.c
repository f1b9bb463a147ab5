/* SPDX-License-Identifier: Apache-2.0 */
/* millrace components: weakly and strongly connected components of a store, their sizes, the
 * bow-tie. algorithms/components does the work; this file prints the table and writes the
 * labels. */
#include "algorithms/components/components.h"

#include <string.h>

#include "cli/ranking/ranker.h"
#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "engine/names/name_walk.h"

struct components_flags {
    struct mr_ranking_flags ranking;
    const char *sizes;
    bool part;
    bool weak;
};

static const struct components_flags defaults = {.ranking = MR_RANKING_DEFAULTS};

static const char *const part_names[MR_BOW_TIE_PARTS] = {"core", "in", "out", "tendrils",
                                                         "disconnected"};

#define FIELD(name) offsetof(struct components_flags, name)
static const struct mr_option output_options[] = {
    {"output", 'o', MR_OPTION_TEXT, FIELD(ranking.columns.output), "FILE", .file = MR_FILE_SCORES,
     .help = "Write a line for each page to FILE: name, weak component, strong component, with "
             "tabs between, in the order of the names. A component has the name of its first page "
             "in this order. .gz and .zst compress. Default: only the table is printed."},
    {"part", 0, MR_OPTION_FLAG, FIELD(part),
     .help = "Add a column: core, in, out, tendrils or disconnected."},
    {"weak-only", 0, MR_OPTION_FLAG, FIELD(weak),
     .help = "Compute only weak components, in one reading of the links."},
    {"sizes", 0, MR_OPTION_TEXT, FIELD(sizes), "FILE", .file = MR_FILE_WRITE,
     .help = "Write how many weak components of each size there are to FILE: lines of number, "
             "size and share of the pages, as Common Crawl publishes them. .gz and .zst compress."},
    MR_HEADER_OPTION(FIELD(ranking.columns.header)),
    {0}};
#undef FIELD

static const struct components_flags *flags_of(const struct mr_run *run)
{
    return (const struct components_flags *)run->flags;
}

/* ---- Output ---- */

static void print_sizes(FILE *out, const char *kind, const struct mr_component_figures *figures)
{
    char count[32], pages[32], least[32];

    fprintf(out, "\n%-24s %14s %14s\n", kind, "components", "pages");
    for (int i = 0; i < MR_COMPONENT_SIZE_CLASSES; i++) {
        if (figures->by_size[i] > 0) {
            fprintf(out, "  from %-17s %14s %14s\n", mr_count_text((uint64_t)1 << i, least),
                    mr_count_text(figures->by_size[i], count),
                    mr_count_text(figures->vertices_by_size[i], pages));
        }
    }
    fprintf(out, "  %-22s %14s\n", "all", mr_count_text(figures->n_components, count));
    fprintf(out, "  %-22s %14s %14s\n", "largest", "1", mr_count_text(figures->largest, pages));
}

static void print_table(FILE *out, const struct mr_components *result)
{
    char pages[32];

    fprintf(out, "%-24s %14s\n", "pages", mr_count_text(result->n_vertices, pages));
    if (result->strong != NULL) {
        for (int i = 0; i < MR_BOW_TIE_PARTS; i++) {
            fprintf(out, "  %-22s %14s %13.2f%%\n", part_names[i],
                    mr_count_text(result->bow_tie[i], pages),
                    result->n_vertices == 0
                        ? 0.0
                        : 100.0 * (double)result->bow_tie[i] / (double)result->n_vertices);
        }
    }
    print_sizes(out, "weak, by size", &result->weak_figures);
    if (result->strong != NULL) {
        print_sizes(out, "strong, by size", &result->strong_figures);
    }
}

static json_t *json_of_figures(const struct mr_component_figures *figures)
{
    struct mr_json json = mr_json_create();
    json_t *sizes = json_array();

    mr_json_count(&json, "components", figures->n_components);
    mr_json_count(&json, "largest", figures->largest);
    mr_json_count(&json, "single", figures->n_single);
    for (int i = 0; i < MR_COMPONENT_SIZE_CLASSES; i++) {
        if (figures->by_size[i] > 0) {
            struct mr_json row = mr_json_create();
            mr_json_count(&row, "from", (uint64_t)1 << i);
            mr_json_count(&row, "components", figures->by_size[i]);
            mr_json_count(&row, "pages", figures->vertices_by_size[i]);
            json.failed |= json_array_append_new(sizes, mr_json_take(&row)) != 0;
        }
    }
    mr_json_add(&json, "by_size", sizes);
    return mr_json_take(&json);
}

static void describe(const struct mr_run *run, struct mr_json *json)
{
    const struct mr_components *result = run->data;

    mr_json_text(json, "algorithm", "components");
    mr_json_add(json, "weak", json_of_figures(&result->weak_figures));
    if (result->strong != NULL) {
        struct mr_json parts = mr_json_create();
        for (int i = 0; i < MR_BOW_TIE_PARTS; i++) {
            mr_json_count(&parts, part_names[i], result->bow_tie[i]);
        }
        mr_json_add(json, "strong", json_of_figures(&result->strong_figures));
        mr_json_add(json, "bow_tie", parts.object);
        mr_json_count(json, "trimmed", result->n_trimmed);
        mr_json_count(json, "in_memory", result->n_in_memory);
        mr_json_count(json, "colour_rounds", result->n_colour_rounds);
    }
    mr_json_real(json, "readings", result->readings);
    mr_json_count(json, "bytes_read", result->read.bytes_read);
}

/* ---- Labels ----
 *
 * A label is the name of a vertex. It is mostly that of the row itself, of its neighbours in the
 * order, or of the largest component, so a small table of names spares nearly all look-ups. */

enum { N_KEPT = 1 << 13, KEPT_BYTES = 500 };

struct kept {
    uint32_t vertex;
    uint32_t bytes; /* 0: empty */
    char text[KEPT_BYTES];
};

struct labels {
    struct mr_names *names;
    struct mr_output *output;
    const struct mr_components *components;
    bool has_part;
    struct kept *kept; /* [N_KEPT], by the low bits of the vertex */
    uint64_t escaped; /* names of rows with control bytes */
    uint64_t ignored; /* escaped labels; the names are counted in their own rows */
};

static enum mr_status write_label(struct labels *labels, uint32_t vertex, struct mr_error *err)
{
    struct kept *kept = &labels->kept[vertex % N_KEPT];
    const char *name = kept->text;
    size_t bytes = kept->bytes;

    if (kept->bytes == 0 || kept->vertex != vertex) {
        const enum mr_status status = mr_names_get(labels->names, vertex, &name, &bytes, err);
        if (status != MR_OK) {
            return status;
        }
        if (bytes <= KEPT_BYTES) {
            memcpy(kept->text, name, bytes);
            kept->vertex = vertex;
            kept->bytes = (uint32_t)bytes;
        }
    }
    return mr_output_name_escaped(labels->output, name, bytes, MR_NAME_LINE, &labels->ignored, err);
}

/* A mr_name_take. */
static enum mr_status write_row(void *data, const struct mr_name_cursor *cursor, uint64_t position,
                                const char *name, size_t name_bytes, struct mr_error *err)
{
    struct labels *labels = data;
    const struct mr_components *components = labels->components;
    const uint32_t vertex = mr_name_cursor_vertex(cursor);
    const uint32_t *const columns[] = {components->weak, components->strong};
    enum mr_status status = mr_output_name_escaped(labels->output, name, name_bytes, MR_NAME_LINE,
                                                   &labels->escaped, err);

    (void)position;
    for (int i = 0; i < 2 && status == MR_OK && columns[i] != NULL; i++) {
        const uint32_t label = columns[i][vertex];
        status = mr_output_write(labels->output, "\t", 1, err);
        if (status == MR_OK) {
            status = label != vertex ? write_label(labels, label, err)
                                     : mr_output_name_escaped(labels->output, name, name_bytes,
                                                              MR_NAME_LINE, &labels->ignored, err);
        }
    }
    if (status == MR_OK && labels->has_part) {
        status = mr_output_print(labels->output, err, "\t%s",
                                 part_names[mr_components_part(components, vertex)]);
    }
    return status == MR_OK ? mr_output_write(labels->output, "\n", 1, err) : status;
}

static enum mr_status write_labels(struct mr_run *run, struct mr_error *err)
{
    const struct mr_context *context = &run->session->context;
    const struct mr_columns_flags *flags = &run->flags->columns;
    const struct mr_components *result = run->data;
    struct labels labels = {
        .names = run->graph.names, .components = result, .has_part = flags_of(run)->part};
    char count[32];

    mr_session_leave_terminal(run->session, flags->output);
    enum mr_status status =
        mr_memory_array(context->memory, "names of labels", N_KEPT, &labels.kept, err);
    if (status == MR_OK) {
        status =
            mr_output_open(context, flags->output, run->flags->common.force, &labels.output, err);
    }
    if (status == MR_OK && flags->header) {
        status = mr_output_print(labels.output, err, "name\tweak%s%s\n",
                                 result->strong != NULL ? "\tstrong" : "",
                                 labels.has_part ? "\tpart" : "");
    }
    if (status == MR_OK) {
        status = mr_names_walk(context, run->graph.names, result->n_vertices, "write", write_row,
                               &labels, err);
    }
    mr_memory_free(context->memory, labels.kept);
    status = mr_output_end(labels.output, status, err);
    if (status == MR_OK && labels.escaped > 0) {
        mr_session_say(run->session, "note: %s names had control bytes; written as \\xNN",
                       mr_count_text(labels.escaped, count));
    }
    return status;
}

/* ---- Sizes ---- */

/* Lines of one size each, the largest first. */
static enum mr_status print_each_size(struct mr_output *output, const uint32_t *sizes,
                                      uint64_t n_sizes, uint64_t n_pages, struct mr_error *err)
{
    enum mr_status status = mr_output_print(output, err, "#freq\t#size\t#perc\n");

    for (uint64_t end = n_sizes, i; end > 0 && status == MR_OK; end = i) {
        for (i = end - 1; i > 0 && sizes[i - 1] == sizes[end - 1];) {
            i--;
        }
        const double share = (double)sizes[end - 1] * (double)(end - i) / (double)n_pages;
        status = mr_output_print(output, err, "%llu\t%u\t%9.6f%%\n", (unsigned long long)(end - i),
                                 sizes[end - 1], 100 * share);
    }
    return status;
}

static enum mr_status write_sizes(struct mr_run *run, struct mr_error *err)
{
    const struct mr_context *context = &run->session->context;
    const struct mr_components *result = run->data;
    const char *path = flags_of(run)->sizes;
    struct mr_output *output = NULL;
    uint32_t *sizes = NULL;
    uint64_t n_sizes = 0;

    if (path == NULL) {
        return MR_OK;
    }
    enum mr_status status =
        mr_memory_array(context->memory, "sizes of components", result->n_vertices, &sizes, err);
    if (status == MR_OK) {
        status = mr_output_open(context, path, run->flags->common.force, &output, err);
    }
    for (uint64_t v = 0; v < result->n_vertices && status == MR_OK; v++) {
        sizes[result->weak[v]]++;
    }
    for (uint64_t v = 0; v < result->n_vertices && status == MR_OK; v++) {
        const uint32_t size = sizes[v];
        sizes[n_sizes] = size;
        n_sizes += size > 0;
    }
    if (status == MR_OK && n_sizes > 0) {
        mr_sort_u32_in_place(sizes, n_sizes);
    }
    if (status == MR_OK) {
        status = print_each_size(output, sizes, n_sizes, result->n_vertices, err);
    }
    mr_memory_free(context->memory, sizes);
    return mr_output_end(output, status, err);
}

/* Prints the table, to standard error if standard output has the lines of another output. */
static void print(const struct mr_run *run)
{
    const char *output = run->flags->columns.output, *sizes = flags_of(run)->sizes;
    const bool has_lines = (output != NULL && mr_output_is_standard(output)) ||
                           (sizes != NULL && mr_output_is_standard(sizes));

    mr_session_leave_terminal(run->session, NULL);
    if (!has_lines || !run->flags->common.quiet) {
        print_table(has_lines ? stderr : stdout, run->data);
    }
}

/* ---- The command ---- */

static enum mr_status check(struct mr_run *run, struct mr_error *err)
{
    const struct components_flags *flags = flags_of(run);
    const struct mr_columns_flags *columns = &run->flags->columns;

    run->import.weights = run->flags->import.weights; /* components do not depend on weights */
    if (flags->weak && flags->part) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--part needs strong components; leave out --weak-only");
    }
    if (columns->output == NULL && (flags->part || columns->header)) {
        return mr_error_set(err, MR_ERROR_USAGE, "--%s needs -o FILE",
                            flags->part ? "part" : "header");
    }
    return mr_scores_check_lines_path(flags->sizes, err);
}

static void estimate(struct mr_run *run, uint64_t beside, struct mr_estimate *estimate)
{
    const struct mr_store_info *info = mr_run_info(run);

    estimate->memory_bytes =
        MR_MEMORY_FLOOR_BYTES + info->index_bytes + beside + mr_components_memory(info);
    estimate->temporary_bytes = flags_of(run)->weak ? 0 : 4 * info->n_vertices;
}

static double passes(const struct mr_run *run)
{
    return flags_of(run)->weak ? 1 : 3;
}

static enum mr_status find(struct mr_run *run, struct mr_error *err)
{
    const struct mr_components_options options = {.struct_size = sizeof options,
                                                  .only_weak = flags_of(run)->weak};

    return mr_components_find(&run->session->context, run->graph.store, run->graph.names, &options,
                              run->data, err);
}

static void report(const struct mr_run *run)
{
    const struct mr_components *result = run->data;
    mr_session_say(run->session, "components: %.1f readings of the links; %.1f s", result->readings,
                   run->seconds);
}

static enum mr_status end(struct mr_run *run, enum mr_status status, struct mr_error *err)
{
    (void)err;
    mr_components_free(run->data);
    return status;
}

static const struct mr_ranker ranker = {.data_bytes = sizeof(struct mr_components),
                                        .check = check,
                                        .estimate = estimate,
                                        .passes = passes,
                                        .rank = find,
                                        .report = report,
                                        .describe = describe,
                                        .write_before = write_sizes,
                                        .write_rows = write_labels,
                                        .print = print,
                                        .end = end};

const struct mr_command mr_command_components = {
    .name = "components",
    .summary = "find connected components and the bow-tie of the graph",
    .usage = "components STORE|INPUT... [-o FILE] [OPTIONS]",
    .text = "Finds the weakly and strongly connected components, and prints their sizes and the "
            "bow-tie: the largest strong component (core), the pages that reach it (in), those "
            "that it reaches (out), the rest of its weak component (tendrils), and all others "
            "(disconnected). Memory: 8 bytes per page; the links stay on disk unless they fit into "
            "--memory.",
    .examples = "  millrace components web.mill\n"
                "  millrace components web.mill -o components.tsv.zst --part\n",
    .groups = {{.title = "Output", .options = output_options, .base = 0},
               MR_IMPORT_GROUP,
               MR_COMMON_GROUP},
    MR_RANKING_COMMAND(defaults, ranker),
};
