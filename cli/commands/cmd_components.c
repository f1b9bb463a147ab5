/* SPDX-License-Identifier: Apache-2.0 */
/* What the program adds to the kind "components": a file of sizes, and --part. */
#include <stddef.h>

#include "cli/ranking/kind.h"
#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "millrace/rank.h"

struct components_flags {
    const char *sizes;
    bool part;
};
static const struct components_flags defaults;

#define FIELD(name) offsetof(struct components_flags, name)
static const struct mr_option options[] = {
    {"part", 0, MR_OPTION_FLAG, FIELD(part),
     .help = "Also write the part: core, in, out, tendrils or disconnected.",
     .needs = {{.names = "output"}}, .excludes = {{.names = "weak-only|score-columns"}},
     .often = true},
    {"sizes", 0, MR_OPTION_TEXT, FIELD(sizes), "FILE", .file = MR_FILE_WRITE,
     .help = "Write how many weak components each size has: FILE gets lines of number, "
             "size and share of the pages, as Common Crawl publishes them; or .csv, .jsonl, .json "
             "and .parquet. .gz and .zst compress.",
     .often = true},
    {0}};
#undef FIELD

static enum mr_status check(struct mr_run *run, struct mr_error *err)
{
    const struct components_flags *flags = mr_kind_flags(run->flags);
    const enum mr_status status = flags->part ? mr_kind_choose(run, "part", err) : MR_OK;

    return status == MR_OK ? mr_row_form_check(flags->sizes, false, err) : status;
}

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

static enum mr_status write_sizes(struct mr_run *run, struct mr_error *err)
{
    const struct mr_context *context = &run->session->context;
    unsigned n_columns;
    const uint32_t *weak = mr_ranking_columns(mr_kind_ranking(run), &n_columns)[0].values;
    const uint64_t n_vertices = mr_run_info(run)->n_vertices;
    const char *path = ((const struct components_flags *)mr_kind_flags(run->flags))->sizes;
    const bool is_lines = mr_row_form_of(path) == MR_ROWS_TSV;
    const struct mr_row_column columns[] = {{is_lines ? "#freq" : "freq", MR_CELL_COUNT, false},
                                            {is_lines ? "#size" : "size", MR_CELL_COUNT, false},
                                            {"#perc", MR_CELL_LABEL, !is_lines},
                                            {"share", MR_CELL_REAL, is_lines}};
    struct mr_row_writer rows = {.columns = columns,
                                 .n_columns = sizeof columns / sizeof columns[0]};
    uint32_t *sizes = NULL;
    uint64_t n_sizes = 0;

    if (path == NULL) {
        return MR_OK;
    }
    enum mr_status status =
        mr_memory_array(context->memory, "sizes of components", n_vertices, &sizes, err);
    if (status == MR_OK) {
        status =
            mr_row_writer_open(&rows, context, path, run->flags->common.force, true, false, err);
    }
    for (uint64_t v = 0; v < n_vertices && status == MR_OK; v++) {
        sizes[weak[v]]++;
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

const struct mr_kind_front mr_components_front = {
    .kind = "components",
    .options = options,
    .defaults = &defaults,
    .flags_bytes = sizeof defaults,
    .hooks = {.check = check, .write_before = write_sizes}};
