/* SPDX-License-Identifier: Apache-2.0 */
/* What the program adds to the kind "ppr": --each, which pushes; and columns go straight to an
 * .npy, as soon as a batch of them is finished, so that memory need not hold all of them. */
#include <string.h>

#include "cli/ranking/kind.h"

static enum mr_score_type type_of(const struct mr_run *run)
{
    const char *precision = mr_kind_text(run->parsed, "precision");
    return precision != NULL && strcmp(precision, "single") == 0 ? MR_SCORES_FLOAT
                                                                 : MR_SCORES_DOUBLE;
}

static enum mr_status append_columns(void *data, uint64_t first, unsigned n, unsigned width,
                                     void *values, struct mr_error *err)
{
    struct mr_run *run = data;

    (void)first;
    return mr_scores_npy_columns(run->columns.output, type_of(run), run->ranked->names,
                                 mr_run_info(run)->n_vertices, values, width, n, err);
}

/* Only an .npy stores whole columns one after the other. */
static enum mr_status begin(struct mr_run *run, struct mr_rank_extras *extras, struct mr_error *err)
{
    const struct mr_columns_flags *columns = &run->flags->columns;

    if (columns->output == NULL || !mr_output_has_suffix(columns->output, ".npy") ||
        columns->top > 0 || run->flags->fetch.next > 0) {
        return MR_OK;
    }
    extras->take = append_columns;
    extras->take_data = run;
    const enum mr_status status =
        mr_output_open(&run->session->context, columns->output, run->flags->common.force,
                       &run->columns.output, err);
    return status == MR_OK ? mr_scores_npy_begin(run->columns.output, type_of(run),
                                                 mr_run_info(run)->n_vertices, run->n_columns, err)
                           : status;
}

static const char *const defaults; /* the file of --each */

static const struct mr_option options[] = {
    {"each", 0, MR_OPTION_TEXT, 0, "FILE", .file = MR_FILE_READ,
     .help = "Only the best pages of each seed in FILE, --top K of them (default 100), without a "
             "pass over the links for each: the links are followed from the seed until the errors "
             "of all scores add up to at most --tolerance (here 1e-2 by default, at most 1). Lines "
             "are PAGE, or SET<TAB>PAGE<TAB>WEIGHT of a seed of several pages. Lines of -o FILE "
             "are seed, page, score, error bound, and 1 if the bound proves that these are the "
             "best pages, also as .csv, .jsonl, .json and .parquet; .npy has a record for each "
             "seed.",
     .excludes = {{.names = "seed|seeds|teleport|batch|width|max-passes|precision|inner|"
                            "acceleration|no-pin|internal-weight|external-weight|by|sort|per-host|"
                            "per-domain|urls-only|fetched|times|retries|only|next|revisit",
                   .why = "answers many seeds"}},
     .often = true},
    {0}};

const struct mr_kind_front mr_ppr_front = {
    .kind = "ppr",
    .options = options,
    .defaults = &defaults,
    .flags_bytes = sizeof defaults,
    .fields =
        "| `each`, `seeds`, `seeds_empty`, `seeds_unknown` | file of `--each`, its seeds, those "
        "without a page, names that the graph lacks |\n"
        "| `top`, `proven` | with `--each`: pages of a seed at most, seeds whose pages are proven "
        "to "
        "be the best |\n"
        "| `error_bound`, `seeds_per_second` | with `--each`: the largest bound of a seed, seeds "
        "answered in a second |\n",
    .begin = begin,
    .instead = &mr_each_ranker};
