/* SPDX-License-Identifier: Apache-2.0 */
/* Connected components, whose labels are vertices, and the bow-tie (Broder et al. 2000). */
#include "algorithms/components/components.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/count_text.h"
#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "library/rank/kinds.h"

static_assert(offsetof(struct mr_component_figures, n_by_size) -
                      offsetof(struct mr_component_figures, by_size) ==
                  offsetof(struct mr_rank_array, n),
              "the classes by size are a struct mr_rank_array");

static const char *const parts[] = {"core", "in", "out", "tendrils", "disconnected", NULL};

/* The array of parts, allocated and planned. */
static const struct mr_memory_wanted *list_part(const struct mr_ranking_job *job, uint8_t **part,
                                                struct mr_memory_wanted *array)
{
    *array =
        (struct mr_memory_wanted)MR_WANTED("parts of the bow-tie", job->info->n_vertices + 1, part);
    return array;
}

static void plan(const struct mr_ranking_job *job, struct mr_rank_costs *plan)
{
    const struct mr_components_options *options = job->options;
    struct mr_memory_wanted part;
    const uint64_t result =
        mr_components_result_memory(job->info, options->only_weak) +
        (options->only_weak ? 0 : mr_memory_of_arrays(list_part(job, NULL, &part), 1));

    plan->least_bytes = mr_rank_least_memory(
        job, mr_max_u64(mr_components_memory(job->info, options->only_weak), result), result);
    plan->memory_bytes = plan->least_bytes;
    plan->temporary_bytes = options->only_weak ? 0 : 4 * job->info->n_vertices;
    plan->passes = options->only_weak ? 1 : 3;
}

/* ---- Results ---- */

static enum mr_status add_parts(struct mr_ranking_job *job, const struct mr_components *found,
                                struct mr_error *err)
{
    struct mr_memory_wanted array;
    uint8_t *part = NULL;

    const enum mr_status status =
        mr_memory_alloc_arrays(job->context->memory, list_part(job, &part, &array), 1, err);
    for (uint64_t v = 0; v < found->n_vertices && status == MR_OK; v++) {
        part[v] = (uint8_t)mr_components_part(found, (uint32_t)v);
    }
    if (status == MR_OK) {
        mr_ranking_add_words(job->ranking, "part", part, parts);
    }
    return status;
}

static enum mr_status run_components(struct mr_ranking_job *job, struct mr_error *err)
{
    const struct mr_components_options *options = job->options;
    struct mr_components *found = job->figures;

    enum mr_status status =
        mr_components_find(job->context, job->store, job->names, options, found, err);
    if (status != MR_OK) {
        return status;
    }
    mr_ranking_add(job->ranking, "weak", MR_SCORES_VERTEX, found->weak);
    if (found->strong != NULL) {
        mr_ranking_add(job->ranking, "strong", MR_SCORES_VERTEX, found->strong);
        status = add_parts(job, found, err);
    }
    mr_memory_free(found->memory, found->reached);
    mr_memory_free(found->memory, found->reaching);
    return status;
}

/* ---- The table ---- */

/* Adds to `text` [bytes]. */
__attribute__((format(printf, 3, 4))) static void add(char *text, size_t bytes, const char *format,
                                                      ...)
{
    const size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text + used, bytes - used, format, arguments);
    va_end(arguments);
}

static void say_sizes(char *text, size_t bytes, const char *kind,
                      const struct mr_component_figures *sizes)
{
    char count[32], pages[32], least[32];

    add(text, bytes, "\n%-24s %14s %14s\n", kind, "components", "pages");
    for (uint64_t i = 0; i < sizes->n_by_size; i++) {
        const struct mr_component_class *class = &sizes->by_size[i];
        add(text, bytes, "  from %-17s %14s %14s\n", mr_count_text(class->from, least),
            mr_count_text(class->n_components, count), mr_count_text(class->n_vertices, pages));
    }
    add(text, bytes, "  %-22s %14s\n", "all", mr_count_text(sizes->n_components, count));
    add(text, bytes, "  %-22s %14s %14s\n", "largest", "1", mr_count_text(sizes->largest, pages));
}

static void say(const void *data, char *text, size_t bytes)
{
    const struct mr_components *figures = data;
    const uint64_t n = figures->n_vertices;
    char pages[32];

    add(text, bytes, "components: %.1f readings of the links\n", figures->readings);
    add(text, bytes, "%-24s %14s\n", "pages", mr_count_text(n, pages));
    for (int i = 0; figures->strong != NULL && i < MR_BOW_TIE_PARTS; i++) {
        add(text, bytes, "  %-22s %14s %13.2f%%\n", parts[i],
            mr_count_text(figures->bow_tie[i], pages),
            n == 0 ? 0.0 : 100.0 * (double)figures->bow_tie[i] / (double)n);
    }
    say_sizes(text, bytes, "weak, by size", &figures->weak_figures);
    if (figures->strong != NULL) {
        say_sizes(text, bytes, "strong, by size", &figures->strong_figures);
    }
}

#define OPTION(name) offsetof(struct mr_components_options, name)
#define FIGURE(name) offsetof(struct mr_components, name)
#define SIZE(name)   offsetof(struct mr_component_figures, name)
#define CLASS(name)  offsetof(struct mr_component_class, name)
#define STRONG       .excludes = "weak-only"

static const struct mr_rank_figure class_rows[] = {
    {"from", MR_RANK_COUNT, CLASS(from), .help = "sizes from this number to below its double"},
    {"components", MR_RANK_COUNT, CLASS(n_components), .help = "components of such sizes"},
    {"pages", MR_RANK_COUNT, CLASS(n_vertices), .help = "their pages"},
    {0}};

static const struct mr_rank_figure size_rows[] = {
    {"components", MR_RANK_COUNT, SIZE(n_components), .help = "number of components"},
    {"largest", MR_RANK_COUNT, SIZE(largest), .help = "pages of the largest one"},
    {"single", MR_RANK_COUNT, SIZE(n_single), .help = "components of one page"},
    {"by_size", MR_RANK_TABLE, SIZE(by_size), .help = "components by their size",
     .fields = class_rows, .record_bytes = sizeof(struct mr_component_class)},
    {0}};

static const struct mr_rank_figure part_rows[] = {
    {"core", MR_RANK_COUNT, MR_BOW_TIE_CORE * sizeof(uint64_t), .help = "the largest"},
    {"in", MR_RANK_COUNT, MR_BOW_TIE_IN * sizeof(uint64_t), .help = "reach the core"},
    {"out", MR_RANK_COUNT, MR_BOW_TIE_OUT * sizeof(uint64_t), .help = "the core reaches them"},
    {"tendrils", MR_RANK_COUNT, MR_BOW_TIE_TENDRILS * sizeof(uint64_t),
     .help = "the rest of the weak component of the core"},
    {"disconnected", MR_RANK_COUNT, MR_BOW_TIE_DISCONNECTED * sizeof(uint64_t),
     .help = "all others"},
    {0}};

/* ---- A file of sizes ---- */

/* A row for each size, the largest first. Lines are those of Common Crawl. */
static enum mr_status print_each_size(struct mr_row_writer *rows, const uint32_t *sizes,
                                      uint64_t n_sizes, uint64_t n_pages, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    char percent[32];

    for (uint64_t end = n_sizes, i; end > 0 && status == MR_OK; end = i) {
        for (i = end - 1; i > 0 && sizes[i - 1] == sizes[end - 1];) {
            i--;
        }
        const double share = (double)sizes[end - 1] * (double)(end - i) / (double)n_pages;
        const int bytes = snprintf(percent, sizeof percent, "%9.6f%%", 100 * share);
        const struct mr_cell cells[] = {{.count = end - i},
                                        {.count = sizes[end - 1]},
                                        {.text = percent, .bytes = (size_t)bytes},
                                        {.real = share}};
        status = mr_row_writer_add(rows, cells, err);
    }
    return status;
}

enum mr_status mr_components_write_sizes(const struct mr_context *context, const uint32_t *labels,
                                         uint64_t n_vertices, const char *path, bool force,
                                         struct mr_error *err)
{
    const bool is_lines = mr_row_form_of(path) == MR_ROWS_TSV;
    const struct mr_row_column columns[] = {{is_lines ? "#freq" : "freq", MR_CELL_COUNT, false},
                                            {is_lines ? "#size" : "size", MR_CELL_COUNT, false},
                                            {"#perc", MR_CELL_LABEL, !is_lines},
                                            {"share", MR_CELL_REAL, is_lines}};
    struct mr_row_writer rows = {.columns = columns,
                                 .n_columns = sizeof columns / sizeof columns[0]};
    uint32_t *sizes = NULL;
    uint64_t n_sizes = 0;

    enum mr_status status =
        mr_memory_array(context->memory, "sizes of components", n_vertices, &sizes, err);
    if (status == MR_OK) {
        status = mr_row_writer_open(&rows, context, path, force, true, false, err);
    }
    for (uint64_t v = 0; v < n_vertices && status == MR_OK; v++) {
        sizes[labels[v]]++;
    }
    for (uint64_t v = 0; v < n_vertices && status == MR_OK; v++) {
        const uint32_t size = sizes[v];
        sizes[n_sizes] = size;
        n_sizes += size > 0;
    }
    if (status == MR_OK && n_sizes > 0) {
        mr_sort_u32_in_place(sizes, n_sizes);
    }
    if (status == MR_OK) {
        status = print_each_size(&rows, sizes, n_sizes, n_vertices, err);
    }
    mr_memory_free(context->memory, sizes);
    return mr_row_writer_end(&rows, status, err);
}

const struct mr_ranking_kind mr_kind_components = {
    .name = "components",
    .summary = "find connected components and the bow-tie of the graph",
    .text = "Finds the weakly and strongly connected components, their sizes, and the bow-tie: the "
            "largest strong component (core), the pages that reach it (in), those that it reaches "
            "(out), the rest of its weak component (tendrils), and all others (disconnected). A "
            "component has the name of its first page in the order of the names. Memory: 9 bytes "
            "per page; the links stay on disk unless they fit.",
    .examples = "  millrace components web.mill\n"
                "  millrace components web.mill -o components.tsv.zst --part\n",
    .columns = (const struct mr_rank_column[]){{.name = "weak", .is_label = true},
                                               {.name = "strong", STRONG, .is_label = true},
                                               {.name = "part", STRONG, .is_label = true},
                                               {0}},
    .n_written = 2,
    .options =
        (const struct mr_rank_option[]){
            {"weak-only", MR_RANK_FLAG, OPTION(only_weak),
             .help = "Find only weak components, in one reading of the links.", .often = true},
            {0}},
    .figures =
        (const struct mr_rank_figure[]){
            {"weak", MR_RANK_RECORD, FIGURE(weak_figures), .help = "figures of weak components",
             .fields = size_rows},
            {"strong", MR_RANK_RECORD, FIGURE(strong_figures), .help = "those of strong components",
             STRONG, .fields = size_rows},
            {"bow_tie", MR_RANK_RECORD, FIGURE(bow_tie), .help = "pages of each part", STRONG,
             .fields = part_rows},
            {"trimmed", MR_RANK_COUNT, FIGURE(n_trimmed), .help = "pages without a cycle", STRONG},
            {"in_memory", MR_RANK_COUNT, FIGURE(n_in_memory), .help = "pages settled in memory",
             STRONG},
            {"colour_rounds", MR_RANK_COUNT, FIGURE(n_colour_rounds), .help = "rounds of colouring",
             STRONG},
            {"readings", MR_RANK_REAL, FIGURE(readings),
             .help = "links read, in readings of the whole graph"},
            {"bytes_read", MR_RANK_COUNT, FIGURE(read.bytes_read), .help = "bytes read"},
            {0}},
    .work = &(const struct mr_ranking_work){.options_bytes = sizeof(struct mr_components_options),
                                            .figures_bytes = sizeof(struct mr_components),
                                            .plan = plan,
                                            .run = run_components,
                                            .say = say},
};
