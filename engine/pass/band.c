/* The end of a band: its sums are there, the diagonal tile is relaxed, the callback makes new values. */
#include <string.h>

#include "engine/pass/internal.h"

bool mr_band_keeps_diagonal(const struct mr_pass *pass, uint32_t band)
{
    return pass->run->relax && pass->run->sweeps > 1 &&
           mr_kept_tiles_fit(pass->info, &pass->bands[band]);
}

/* total = sum + the diagonal tile applied to `values`. */
static bool add_diagonal(struct pass_worker *worker, const struct band_end *end, const void *sum,
                         const void *values, size_t n)
{
    struct mr_pass *pass = worker->pass;
    memset(worker->total, 0, pass->band_width * pass->sum_bytes);
    mr_tile_applier_forget(worker->applier);
    if (!mr_class_apply_kept(worker, end, values, worker->total)) {
        return false;
    }
    worker->edge_visits += mr_class_kept_links(worker, end);
    mr_kernel_add(pass->run->value, sum, worker->total, worker->total, n * pass->width);
    return true;
}

/* A band that is relaxed row by row, for whoever shares the work. */
struct row_work {
    struct mr_row_sweeps *rows;
    const struct mr_pass_run *run;
    const struct mr_pass_band *band;
    double *total;
    unsigned n_phases;
    uint64_t n_applied[MR_ROW_PARTS];
};

static void prepare_rows(struct row_work *work, unsigned part)
{
    struct mr_pass_band band = *work->band;
    double *values = mr_row_sweeps_values(work->rows);
    uint32_t first, end;
    mr_row_sweeps_range(work->rows, part, &first, &end);
    band.first_vertex += first;
    band.n_vertices = end - first;
    band.out_degree = band.out_degree == NULL ? NULL : band.out_degree + first;
    band.in_degree = band.in_degree == NULL ? NULL : band.in_degree + first;
    band.out_strength = band.out_strength == NULL ? NULL : band.out_strength + first;
    band.in_strength = band.in_strength == NULL ? NULL : band.in_strength + first;
    for (uint32_t v = first; v < end; v++) {
        values[v] = work->run->value == MR_VALUE_FLOAT ? (double)((const float *)band.values)[v]
                                                       : ((const double *)band.values)[v];
    }
    band.values = band.old_values = band.new_values = NULL;
    work->run->terms(work->run->callback_data, &band, mr_row_sweeps_base(work->rows) + first,
                     mr_row_sweeps_gain(work->rows) + first);
    mr_row_sweeps_prepare(work->rows, part);
}

/* Phase 0 prepares; then sums are brought together and swept in turn; the last phase ends it. */
static void work_on_rows(void *data, unsigned phase, unsigned part)
{
    struct row_work *work = data;
    if (phase == 0) {
        prepare_rows(work, part);
    } else if (phase % 2 == 0) {
        work->n_applied[part] += mr_row_sweeps_sweep(work->rows, part);
    } else {
        mr_row_sweeps_merge(work->rows, part);
        if (phase == work->n_phases - 1) {
            mr_row_sweeps_end(work->rows, part, work->total);
        }
    }
}

/* The sums after `sweeps` sweeps row by row from the band's old values, to total. */
static void relax_rows(struct pass_worker *worker, const struct band_end *end,
                       const struct mr_pass_band *band, const double *sum, unsigned sweeps)
{
    struct mr_pass *pass = worker->pass;
    struct row_work work = {.rows = worker->rows,
                            .run = pass->run,
                            .band = band,
                            .total = worker->total,
                            .n_phases = 2 + 2 * sweeps};
    const uint64_t *ends;
    const uint32_t *keys = mr_kept_tiles_keys(end->kept[0], &ends);
    mr_row_sweeps_begin(worker->rows, keys, mr_kept_tiles_weights(end->kept[0]), ends,
                        band->n_vertices, sum, pass->run->row_threshold);
    mr_crew_run(pass, work_on_rows, &work, work.n_phases, MR_ROW_PARTS);
    worker->edge_visits += mr_kept_tiles_links(end->kept[0]);
    for (unsigned p = 0; p < MR_ROW_PARTS; p++) {
        worker->edge_visits += work.n_applied[p];
    }
}

/* Of the links of the band's vertices: streamed with them, or by their classes. */
static const double *out_strength_of(const struct mr_pass *pass, const struct band_end *end)
{
    return pass->out_strengths == NULL
               ? end->out_strength
               : pass->out_strengths + ((size_t)end->band << pass->info->band_bits);
}

static enum mr_status bad_band(const struct mr_pass *pass, uint64_t block, const char *what,
                               struct mr_error *err)
{
    const struct mr_block_entry *entry = &pass->links[block];
    return mr_error_offset(
        err, MR_ERROR_CORRUPT, mr_file_path(mr_store_links_place(pass->store, entry).file),
        entry->offset, "%s does not add up; the store is damaged: build it again", what);
}

enum mr_status mr_band_finish(struct pass_worker *worker, struct band_end *end, void *sum,
                              struct mr_error *err)
{
    struct mr_pass *pass = worker->pass;
    const struct mr_pass_run *run = pass->run;
    const bool kept = mr_band_keeps_diagonal(pass, end->band);
    const size_t n = (size_t)mr_band_vertices(pass->info, end->band);
    struct mr_pass_band band = {
        .band = end->band,
        .first_vertex = end->band << pass->info->band_bits,
        .n_vertices = (uint32_t)n,
        .out_degree = run->out_degrees ? mr_out_degrees_of(pass, end) : NULL,
        .in_degree = run->in_degrees ? end->in_degree : NULL,
        .out_strength = run->out_degrees ? out_strength_of(pass, end) : NULL,
        .in_strength = run->in_degrees ? end->in_strength : NULL,
        .accumulator = kept ? worker->total : sum,
    };
    if (run->degrees_only) {
        band.accumulator = NULL;
    }
    if (run->relax) {
        band.values = band.old_values = mr_order_values(pass, band.band);
        band.new_values = mr_order_new_values(pass, band.band);
    }
    const bool is_packed = run->relax && pass->packed.has_targets;
    if (is_packed && !kept) { /* they were scattered for the diagonal */
        mr_packed_gather_sums(pass, band.band, sum);
    }
    if (run->relax && end->near != NULL && !mr_near_apply(worker, end, sum)) {
        return bad_band(pass, pass->bands[end->band].first_block, "a tile", err);
    }
    if (is_packed) {
        mr_packed_scatter_sums(pass, band.band, sum);
    }
    const unsigned sweeps = kept && mr_pass_terms_of(pass, run) == NULL ? run->sweeps : 1;
    for (band.sweep = 0; band.sweep < sweeps; band.sweep++) {
        band.is_last_sweep = band.sweep + 1 == sweeps;
        if (kept &&
            mr_pass_terms_of(pass, run) != NULL) { /* the callback makes the last sweep of it */
            relax_rows(worker, end, &band, sum, run->sweeps - 1);
        } else if (kept && !add_diagonal(worker, end, sum, band.values, n)) {
            return bad_band(pass, pass->bands[end->band].first_diagonal, "a tile of the diagonal",
                            err);
        }
        run->callback(run->callback_data, &band);
        if (run->relax && n < pass->band_width) { /* the padding: a damaged key may read it */
            const size_t bytes = pass->vertex_bytes;
            memset((uint8_t *)band.new_values + n * bytes, 0, (pass->band_width - n) * bytes);
        }
        band.values = band.new_values;
    }
    if (run->relax && mr_is_packed(pass)) {
        mr_packed_band(pass, band.band, band.new_values);
    }
    return MR_OK;
}
