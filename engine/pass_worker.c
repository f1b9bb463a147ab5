/* One thread of a pass: blocks in, keys out, kernels, and the end of a band. */
#include <string.h>

#include "engine/bytes.h"
#include "engine/memory.h"
#include "engine/pass_parts.h"

enum { CLAIMS_AHEAD = 2 }; /* the unit computed and the one whose blocks are being read */

/* What a unit reads, in order: its segment's blocks, then with the last unit of a band the blocks of
 * the diagonal and the degrees asked for. */
enum item_kind { ITEM_LINKS, ITEM_DIAGONAL, ITEM_OUT_DEGREES, ITEM_IN_DEGREES, N_ITEM_KINDS };

struct item {
    enum item_kind kind;
    const struct mr_block_entry *entry;
    const uint8_t *pinned; /* NULL: from the queue */
};

struct item_cursor {
    enum item_kind kind;
    uint64_t next; /* block in its file */
    uint64_t n_idle; /* blocks passed over so far */
    bool is_started;
};

struct claim {
    struct pass_unit unit;
    struct item_cursor read; /* pushed to the queue so far */
};

/* The units this worker holds: claims[0] is computed, the other only read. */
struct claims {
    struct claim claim[CLAIMS_AHEAD];
    unsigned count;
    unsigned reading; /* index of the one whose blocks are pushed next; count: none left to push */
    bool exhausted;
};

/* Blocks [first, end) of a kind for `unit`. */
static void item_range(const struct mr_pass *pass, const struct pass_unit *unit,
                       enum item_kind kind, uint64_t *first, uint64_t *end)
{
    const struct mr_band_entry *band = &pass->bands[unit->band];
    const uint64_t *ends = mr_store_segment_ends(pass->store);
    const uint64_t segment = band->first_segment + unit->segment;
    *first = *end = 0;
    if (pass->run->degrees_only && (kind == ITEM_LINKS || kind == ITEM_DIAGONAL)) {
        return;
    }
    switch (kind) {
    case N_ITEM_KINDS:
        return;
    case ITEM_LINKS:
        if (segment < band->end_segment) {
            *first = unit->segment == 0 ? band->first_block : ends[segment - 1];
            *end = ends[segment];
        }
        return;
    case ITEM_DIAGONAL:
        *first = unit->is_last ? band->first_diagonal : 0;
        *end = unit->is_last ? band->end_block : 0;
        return;
    case ITEM_OUT_DEGREES:
        if (unit->is_last && pass->run->out_degrees) {
            *first = band->first_out_block;
            *end = band->end_out_block;
        }
        return;
    case ITEM_IN_DEGREES:
        if (unit->is_last && pass->run->in_degrees) {
            *first = band->first_in_block;
            *end = band->end_in_block;
        }
        return;
    }
}

static void describe_item(const struct mr_pass *pass, enum item_kind kind, uint64_t block,
                          struct item *item)
{
    item->kind = kind;
    item->pinned = NULL;
    if (kind == ITEM_LINKS || kind == ITEM_DIAGONAL) {
        item->entry = &pass->links[block];
        if (block < pass->pinned_blocks) {
            item->pinned = pass->pinned_links + item->entry->position;
        }
        return;
    }
    item->entry = &pass->degrees[block];
    if (pass->pinned_degrees != NULL) {
        item->pinned = pass->pinned_degrees + item->entry->position;
    }
}

static struct mr_block_place place_of(const struct mr_pass *pass, const struct item *item)
{
    return item->kind == ITEM_LINKS || item->kind == ITEM_DIAGONAL
               ? mr_store_links_place(pass->store, item->entry)
               : mr_store_degrees_place(pass->store);
}

/* Has the block no source that is active in this run? */
static bool is_idle(const struct mr_pass *pass, enum item_kind kind, uint64_t block)
{
    if (pass->run->active_stripes == NULL || (kind != ITEM_LINKS && kind != ITEM_DIAGONAL)) {
        return false;
    }
    const struct mr_block_entry *entry = &pass->links[block];
    return pass->active_before[entry->last + 1] == pass->active_before[entry->first];
}

/* The next item of `unit`, or false. Both the reading and the computing side walk this sequence. */
static bool next_item(const struct mr_pass *pass, const struct pass_unit *unit,
                      struct item_cursor *cursor, struct item *item)
{
    for (;;) {
        uint64_t first, end;
        if (cursor->kind >= N_ITEM_KINDS) {
            return false;
        }
        item_range(pass, unit, cursor->kind, &first, &end);
        if (!cursor->is_started) {
            cursor->next = first;
            cursor->is_started = true;
        }
        while (cursor->next < end && is_idle(pass, cursor->kind, cursor->next)) {
            cursor->next++;
            cursor->n_idle++;
        }
        if (cursor->next < end) {
            describe_item(pass, cursor->kind, cursor->next++, item);
            return true;
        }
        cursor->kind++;
        cursor->is_started = false;
    }
}

/* Keep the queue full: push the blocks of the units held, claiming one ahead when they run out. */
static enum mr_status fill_queue(struct pass_worker *worker, struct claims *claims,
                                 struct mr_error *err)
{
    struct mr_pass *pass = worker->pass;
    while (mr_queue_has_room(worker->queue)) {
        if (claims->reading == claims->count) {
            if (claims->exhausted || claims->count == CLAIMS_AHEAD) {
                return MR_OK;
            }
            struct claim *claim = &claims->claim[claims->count];
            memset(claim, 0, sizeof *claim);
            if (!mr_order_claim(pass, &claim->unit)) {
                claims->exhausted = true;
                return MR_OK;
            }
            claims->count++;
        }
        struct claim *claim = &claims->claim[claims->reading];
        struct item item;
        if (!next_item(pass, &claim->unit, &claim->read, &item)) {
            claims->reading++;
            continue;
        }
        if (item.pinned != NULL) {
            continue;
        }
        bool is_link = item.kind == ITEM_LINKS || item.kind == ITEM_DIAGONAL;
        enum mr_status status = mr_queue_push(worker->queue, place_of(pass, &item).file,
                                              item.entry->offset, item.entry->stored_bytes, 0, err);
        if (status != MR_OK) {
            return status;
        }
        if (is_link) {
            worker->bytes_read += item.entry->stored_bytes;
        } else {
            worker->degree_bytes_read += item.entry->stored_bytes;
        }
    }
    return MR_OK;
}

/* Bytes of an item, verified and decompressed. */
static enum mr_status open_item(struct pass_worker *worker, struct claims *claims,
                                const struct item *item, uint32_t band,
                                struct mr_block_header *header, const uint8_t **raw,
                                struct mr_error *err)
{
    struct mr_pass *pass = worker->pass;
    const uint8_t *data = item->pinned;
    enum mr_status status = mr_context_poll(pass->context, err);
    if (status == MR_OK) {
        status = fill_queue(worker, claims, err);
    }
    if (status == MR_OK && data == NULL) {
        uint8_t *popped = NULL;
        uint64_t tag, wait_ns = 0;
        status = mr_queue_pop(worker->queue, &popped, &tag, &wait_ns, err);
        worker->wait_ns += wait_ns;
        data = popped;
    }
    if (status != MR_OK) {
        return status;
    }
    enum mr_block_kind kind = MR_BLOCK_LINKS;
    if (item->kind == ITEM_OUT_DEGREES) {
        kind = pass->info->is_weighted ? MR_BLOCK_OUT_STRENGTHS : MR_BLOCK_OUT_DEGREES;
    } else if (item->kind == ITEM_IN_DEGREES) {
        kind = pass->info->is_weighted ? MR_BLOCK_IN_STRENGTHS : MR_BLOCK_IN_DEGREES;
    }
    const struct mr_block_place place = place_of(pass, item);
    const char *path = mr_file_path(place.file);
    status = mr_block_open(worker->codec, data, item->entry->stored_bytes, kind, place.graph_id,
                           worker->scratch, path, item->entry->offset, header, raw, err);
    if (status == MR_OK) {
        status = mr_block_check_entry(header, item->entry, band, path, err);
    }
    return status;
}

static enum mr_status bad_stream(const struct mr_tile_cursor *cursor, struct mr_error *err)
{
    return mr_error_offset(err, MR_ERROR_CORRUPT, cursor->path, cursor->offset,
                           "a tile does not decode; the store is damaged: build it again");
}

/* Where the item behind `cursor` is or will be, in the unit that is computed or in the one claimed next. */
static bool look_ahead(const struct pass_worker *worker, const struct claims *claims,
                       struct item_cursor cursor, struct item *item)
{
    const struct mr_pass *pass = worker->pass;
    struct item_cursor next_claim = {0};
    if (!next_item(pass, &claims->claim[0].unit, &cursor, item) &&
        (claims->count < 2 || !next_item(pass, &claims->claim[1].unit, &next_claim, item))) {
        return false;
    }
    if (item->pinned == NULL) {
        item->pinned = mr_queue_next_data(worker->queue);
    }
    return item->pinned != NULL;
}

/* What to fetch while `tile` is applied, `links_left` of its block with it still to come: the stripe of the
 * tile behind it, and of the block behind this one as much as of this one's links. */
static struct mr_tile_ahead ahead_of(const struct mr_pass *pass, const struct mr_tile *tile,
                                     const struct mr_tile *next, const struct item *following,
                                     uint64_t links_left, uint64_t *fetched)
{
    const uint64_t stripe_bytes = pass->vertex_bytes << pass->info->stripe_bits;
    struct mr_tile_ahead ahead = {0};
    uint32_t stripe = tile->stripe;
    if (next->n_entries > 0) {
        stripe = next->stripe;
    } else if (following != NULL && following->kind <= ITEM_DIAGONAL) {
        stripe = following->entry->first;
    }
    if (stripe != tile->stripe) {
        ahead.values = (const uint8_t *)pass->run->x + stripe * stripe_bytes;
        ahead.value_bytes = stripe_bytes;
    }
    if (following != NULL) {
        const uint64_t left = following->entry->stored_bytes - *fetched;
        ahead.bytes = following->pinned + *fetched;
        ahead.n_bytes = left * tile->n_entries / links_left;
        *fetched += ahead.n_bytes;
    }
    return ahead;
}

/* Apply every tile of a block to `accumulator`. `following`: the item behind it, or NULL. */
static enum mr_status apply_block(struct pass_worker *worker, const struct pass_unit *unit,
                                  const struct mr_block_header *header, const uint8_t *raw,
                                  const struct item *item, const struct item *following,
                                  uint32_t committed, void *accumulator, struct mr_error *err)
{
    struct mr_pass *pass = worker->pass;
    const struct mr_store_info *info = pass->info;
    const unsigned stripes_bits = info->band_bits - info->stripe_bits; /* stripes of a band */
    const uint64_t stripe_bytes = pass->vertex_bytes << info->stripe_bits;
    struct mr_tile_cursor cursor;
    struct mr_tile tile, next;
    uint64_t links_left = header->n_entries, fetched = 0;
    mr_tile_cursor_init(&cursor, info, header, raw, mr_file_path(place_of(pass, item).file),
                        item->entry->offset);
    enum mr_status status = mr_tile_next(&cursor, &tile, err);
    for (; status == MR_OK && tile.n_entries > 0; tile = next) {
        status = mr_tile_next(&cursor, &next, err);
        if (status != MR_OK) {
            break;
        }
        const struct mr_tile_ahead ahead =
            ahead_of(pass, &tile, &next, following, links_left, &fetched);
        mr_tile_applier_expect(worker->applier, &ahead, tile.n_entries);
        links_left -= tile.n_entries;
        const uint32_t band = tile.stripe >> stripes_bits;
        const uint32_t stripe_in_band = tile.stripe - (band << stripes_bits);
        const uint8_t *x = mr_order_values(pass, band, unit->band, committed);
        x += stripe_in_band * stripe_bytes;
        if (!mr_tile_apply_later(worker->applier, &tile, x, accumulator)) {
            return bad_stream(&cursor, err);
        }
        worker->edge_visits += tile.n_entries;
    }
    mr_tile_applier_finish(worker->applier);
    return status;
}

/* Decode the tiles of a block of the diagonal, to be applied several times. */
static enum mr_status keep_block(struct pass_worker *worker, struct mr_kept_tiles *kept,
                                 const struct mr_block_header *header, const uint8_t *raw,
                                 const struct item *item, struct mr_error *err)
{
    struct mr_pass *pass = worker->pass;
    const uint32_t first_stripe = header->band << (pass->info->band_bits - pass->info->stripe_bits);
    struct mr_tile_cursor cursor;
    struct mr_tile tile;
    mr_tile_cursor_init(&cursor, pass->info, header, raw, mr_file_path(place_of(pass, item).file),
                        item->entry->offset);
    for (;;) {
        enum mr_status status = mr_tile_next(&cursor, &tile, err);
        if (status != MR_OK || tile.n_entries == 0) {
            return status;
        }
        if (!mr_kept_tiles_add(kept, worker->applier, &tile, tile.stripe - first_stripe)) {
            return bad_stream(&cursor, err);
        }
    }
}

/* Strengths at the end of a block of degrees; NULL when it is too short for them. */
static const uint8_t *decode_strengths(const struct mr_block_header *header, const uint8_t *raw,
                                       double *strengths)
{
    const uint64_t n = header->n_entries;
    if (header->raw_bytes / sizeof *strengths < n) {
        return NULL;
    }
    const uint8_t *begin = raw + header->raw_bytes - n * sizeof *strengths;
    for (uint64_t i = 0; i < n; i++) {
        strengths[i] = mr_get_f64(begin + i * sizeof *strengths);
    }
    return begin;
}

/* A block of degrees: the stream's keys are their running sums. `strengths` where links have weights. */
static enum mr_status decode_degrees(struct pass_worker *worker,
                                     const struct mr_block_header *header, const uint8_t *raw,
                                     const struct item *item, uint32_t *degrees, double *strengths,
                                     struct mr_error *err)
{
    struct mr_pass *pass = worker->pass;
    const uint32_t first = header->first - (header->band << pass->info->band_bits);
    const uint8_t *in = raw, *end = raw + header->raw_bytes;
    if (strengths != NULL) {
        end = decode_strengths(header, raw, strengths + first);
        in = end == NULL ? NULL : in;
    }
    uint32_t previous = 0;
    for (uint64_t done = 0; done < header->n_entries && in != NULL;) {
        uint32_t n = (uint32_t)mr_min_u64(header->n_entries - done, MR_KEYS_BATCH);
        in = pass->decode(in, end, previous, worker->keys, n);
        if (in == NULL) {
            break;
        }
        uint32_t *out = degrees + first + done;
        out[0] = worker->keys[0] - previous;
        for (uint32_t i = 1; i < n; i++) {
            out[i] = worker->keys[i] - worker->keys[i - 1];
        }
        previous = worker->keys[n - 1];
        done += n;
    }
    if (in == NULL || in != end) {
        return mr_error_offset(
            err, MR_ERROR_CORRUPT, mr_file_path(mr_store_degrees_place(pass->store).file),
            item->entry->offset, "degrees do not decode; the store is damaged: build it again");
    }
    return MR_OK;
}

/* May the diagonal tile of this band be kept decoded and applied several times? */
static bool keeps_diagonal(const struct mr_pass *pass, uint32_t band)
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

/* All of the band's sums are there: hand them to the algorithm, sweep by sweep, and let the next bands
 * go on. */
static enum mr_status finish_band(struct pass_worker *worker, struct band_end *end, const void *sum,
                                  struct mr_error *err)
{
    struct mr_pass *pass = worker->pass;
    const struct mr_pass_run *run = pass->run;
    const bool kept = keeps_diagonal(pass, end->band);
    const size_t n = (size_t)mr_band_vertices(pass->info, end->band);
    struct mr_pass_band band = {
        .band = end->band,
        .first_vertex = end->band << pass->info->band_bits,
        .n_vertices = (uint32_t)n,
        .out_degree = run->out_degrees ? end->out_degree : NULL,
        .in_degree = run->in_degrees ? end->in_degree : NULL,
        .out_strength = run->out_degrees ? out_strength_of(pass, end) : NULL,
        .in_strength = run->in_degrees ? end->in_strength : NULL,
        .accumulator = kept ? worker->total : sum,
    };
    if (run->degrees_only) {
        band.accumulator = NULL;
    }
    if (run->relax) {
        band.values = band.old_values = mr_order_values(pass, band.band, band.band, 0);
        band.new_values = mr_order_new_values(pass, band.band);
    }
    const unsigned sweeps = kept && mr_pass_terms_of(pass, run) == NULL ? run->sweeps : 1;
    for (band.sweep = 0; band.sweep < sweeps; band.sweep++) {
        band.is_last_sweep = band.sweep + 1 == sweeps;
        if (kept &&
            mr_pass_terms_of(pass, run) != NULL) { /* the callback makes the last sweep of it */
            relax_rows(worker, end, &band, sum, run->sweeps - 1);
        } else if (kept && !add_diagonal(worker, end, sum, band.values, n)) {
            const struct mr_block_entry *entry =
                &pass->links[pass->bands[end->band].first_diagonal];
            return mr_error_offset(err, MR_ERROR_CORRUPT,
                                   mr_file_path(mr_store_links_place(pass->store, entry).file),
                                   entry->offset,
                                   "a tile of the diagonal does not add up; the store is damaged: "
                                   "build it again");
        }
        run->callback(run->callback_data, &band);
        if (run->relax && n < pass->band_width) { /* the padding: a damaged key may read it */
            const size_t bytes = pass->vertex_bytes;
            memset((uint8_t *)band.new_values + n * bytes, 0, (pass->band_width - n) * bytes);
        }
        band.values = band.new_values;
    }
    mr_order_finish(pass, end);
    return MR_OK;
}

/* Read and apply the blocks of one unit. */
static enum mr_status read_unit(struct pass_worker *worker, struct claims *claims,
                                struct band_end *end, uint32_t committed, void *accumulator,
                                struct mr_error *err)
{
    struct mr_pass *pass = worker->pass;
    const struct pass_unit unit = claims->claim[0].unit;
    const bool kept = keeps_diagonal(pass, unit.band);
    struct item_cursor cursor = {0};
    struct item item;
    enum mr_status status = MR_OK;
    mr_tile_applier_forget(worker->applier);
    if (kept && unit.is_last) {
        /* several vectors share a key, but not a prefix sum */
        for (unsigned c = 0; c < mr_class_kept(pass->info); c++) {
            mr_kept_tiles_begin(end->kept[c], mr_pass_terms_of(pass, pass->run) != NULL);
        }
    }
    while (status == MR_OK && next_item(pass, &unit, &cursor, &item)) {
        struct mr_block_header header;
        const uint8_t *raw;
        if (atomic_load_explicit(&pass->order.stop, memory_order_relaxed)) {
            return MR_OK;
        }
        status = open_item(worker, claims, &item, unit.band, &header, &raw, err);
        if (status != MR_OK) {
            return status;
        }
        if (item.kind == ITEM_OUT_DEGREES) {
            status = decode_degrees(worker, &header, raw, &item, end->out_degree, end->out_strength,
                                    err);
        } else if (item.kind == ITEM_IN_DEGREES) {
            status =
                decode_degrees(worker, &header, raw, &item, end->in_degree, end->in_strength, err);
        } else if (item.kind == ITEM_DIAGONAL && kept) {
            status = keep_block(worker, mr_class_kept_of(worker, end, item.entry), &header, raw,
                                &item, err);
        } else {
            struct item following;
            const bool follows = look_ahead(worker, claims, cursor, &following);
            status = apply_block(worker, &unit, &header, raw, &item, follows ? &following : NULL,
                                 committed, mr_class_target(worker, item.entry, accumulator), err);
        }
    }
    mr_class_flush(worker, accumulator);
    worker->blocks_skipped += cursor.n_idle;
    return status;
}

/* The unit that was claimed first, and the end of the band that it completes. */
static enum mr_status run_unit(struct pass_worker *worker, struct claims *claims,
                               struct mr_error *err)
{
    struct mr_pass *pass = worker->pass;
    const struct pass_unit unit = claims->claim[0].unit;
    struct band_end *end, *done;
    void *accumulator, *sum;
    uint32_t committed;
    if (!mr_order_start(worker, &unit, &accumulator, &committed, &end)) {
        return MR_OK;
    }
    enum mr_status status = read_unit(worker, claims, end, committed, accumulator, err);
    if (status != MR_OK || atomic_load_explicit(&pass->order.stop, memory_order_relaxed)) {
        return status;
    }
    if (mr_order_complete(pass, &unit, accumulator, end, &done, &sum)) {
        status = finish_band(worker, done, sum, err);
    }
    return status;
}

void mr_worker_run(struct pass_worker *worker)
{
    struct mr_pass *pass = worker->pass;
    struct claims claims = {0};
    struct mr_error error = {0};
    enum mr_status status = MR_OK;
    mr_tile_applier_begin(worker->applier, pass->run->value, pass->width);
    while (status == MR_OK && !atomic_load(&pass->order.stop)) {
        status = fill_queue(worker, &claims, &error);
        if (status != MR_OK || claims.count == 0) {
            break;
        }
        status = run_unit(worker, &claims, &error);
        claims.claim[0] = claims.claim[1];
        claims.count--;
        if (claims.reading > 0) {
            claims.reading--;
        }
    }
    if (status != MR_OK) {
        mr_order_fail(pass, status, &error);
    } else {
        mr_crew_help_until_over(worker);
    }
    mr_queue_drain(worker->queue);
}
