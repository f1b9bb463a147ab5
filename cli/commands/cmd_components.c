/* SPDX-License-Identifier: Apache-2.0 */
/* What the program adds to the kind "components": a file of sizes, and --part. */
#include <stddef.h>

#include "cli/ranking/kind.h"
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

static enum mr_status write_sizes(struct mr_run *run, struct mr_error *err)
{
    const char *path = ((const struct components_flags *)mr_kind_flags(run->flags))->sizes;
    unsigned n_columns;
    const struct mr_score_column *weak = mr_ranking_columns(mr_kind_ranking(run), &n_columns);

    return path == NULL ? MR_OK
                        : mr_components_write_sizes(&run->session->context, weak->values,
                                                    mr_run_info(run)->n_vertices, path,
                                                    run->flags->common.force, err);
}

const struct mr_kind_front mr_components_front = {
    .kind = "components",
    .options = options,
    .defaults = &defaults,
    .flags_bytes = sizeof defaults,
    .hooks = {.check = check, .write_before = write_sizes}};
