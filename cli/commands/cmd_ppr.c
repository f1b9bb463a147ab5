/* SPDX-License-Identifier: Apache-2.0 */
/* What the program adds to the kind "ppr": --each, which pushes; and columns go straight to an
 * .npy, as soon as a batch of them is finished, so that memory need not hold all of them. */
#include <string.h>

#include "cli/ranking/each.h"
#include "cli/ranking/kind.h"

enum { COPY_BYTES = 64 << 10 };

static bool is_single(const struct mr_run *run)
{
    const char *precision = mr_kind_text(run->parsed, "precision");
    return precision != NULL && strcmp(precision, "single") == 0;
}

static enum mr_status append_columns(void *data, uint64_t first, unsigned n, unsigned width,
                                     void *values, struct mr_error *err)
{
    struct mr_run *run = data;
    const uint64_t n_vertices = mr_run_info(run)->n_vertices;
    const size_t bytes = is_single(run) ? sizeof(float) : sizeof(double);
    uint8_t copy[COPY_BYTES];
    enum mr_status status = MR_OK;

    (void)first;
    for (unsigned j = 0; j < n && status == MR_OK; j++) {
        const uint8_t *from = (const uint8_t *)values + j * bytes;
        for (uint64_t v = 0; v < n_vertices && status == MR_OK;) {
            size_t used = 0;
            for (; v < n_vertices && used < sizeof copy && status == MR_OK; v++, used += bytes) {
                uint32_t vertex = 0;
                status = mr_names_vertex(run->ranked->names, (uint32_t)v, &vertex, err);
                memcpy(copy + used, from + (size_t)vertex * width * bytes, bytes);
            }
            status =
                status == MR_OK ? mr_output_write(run->columns.output, copy, used, err) : status;
        }
    }
    return status;
}

/* Only an .npy stores whole columns one after the other. */
static enum mr_status begin(struct mr_run *run, struct mr_rank_extras *extras, struct mr_error *err)
{
    const struct mr_columns_flags *columns = &run->flags->columns;
    const enum mr_score_type type = is_single(run) ? MR_SCORES_FLOAT : MR_SCORES_DOUBLE;

    if (columns->output == NULL || !mr_output_has_suffix(columns->output, ".npy") ||
        columns->top > 0 || run->flags->fetch.next > 0) {
        return MR_OK;
    }
    extras->take = append_columns;
    extras->take_data = run;
    const enum mr_status status =
        mr_output_open(&run->session->context, columns->output, run->flags->common.force,
                       &run->columns.output, err);
    return status == MR_OK ? mr_scores_npy_begin(run->columns.output, type,
                                                 mr_run_info(run)->n_vertices, run->n_columns, err)
                           : status;
}

static const struct mr_each_flags defaults;

static const struct mr_option options[] = {
    {"each", 0, MR_OPTION_TEXT, offsetof(struct mr_each_flags, file), "FILE", .file = MR_FILE_READ,
     .help = "Only the best pages of each seed in FILE, --top K of them (default 100), without a "
             "pass over the links for each: the links are followed from the seed until the errors "
             "of all scores add up to at most --tolerance (here 1e-2 by default, at most 1). Lines "
             "are PAGE, or SET<TAB>PAGE<TAB>WEIGHT of a seed of several pages. Lines of -o FILE "
             "are seed, page, score, error bound, and 1 if the bound proves that these are the "
             "best pages; .csv has the same, .jsonl and .json an object and .npy a record for each "
             "seed.",
     .excludes = {{.names = "seed|seeds|teleport|batch|width|max-passes|precision|inner|"
                            "acceleration|no-pin|internal-weight|external-weight|by|sort|per-host|"
                            "per-domain|urls-only|fetched|times|retries|only|next|revisit",
                   .why = "answers many seeds"}},
     .often = true},
    {0}};

const struct mr_kind_front mr_ppr_front = {.kind = "ppr",
                                           .options = options,
                                           .defaults = &defaults,
                                           .flags_bytes = sizeof defaults,
                                           .fields = MR_EACH_FIELDS,
                                           .begin = begin,
                                           .instead = &mr_each_ranker};
