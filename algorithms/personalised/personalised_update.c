/* The relaxation of one band: its vertices' new shares, in pieces that stay in the first cache. */
#include "algorithms/base/row_loops.h"
#include "algorithms/personalised/personalised_walks.h"

enum { MAX_WIDTH = MR_PERSONALISED_MAX_WIDTH, PIECE = 512 /* values */ };

/* Of a band. */
struct update {
    const struct mr_slots *slots;
    const struct mr_pass_band *band;
    struct mr_slot_walks walks;
    struct mr_row_update rows;
    double degree[PIECE], none[PIECE]; /* of a piece, by vertex */
    double start[PIECE]; /* by value */
};

/* A row of what ranks start with: where nobody teleports to, or from `t`. */
static void set_start(struct update *update, uint32_t row, const double *t)
{
    const unsigned width = update->slots->width;
    for (unsigned j = 0; j < width; j++) {
        const struct mr_slot *slot = &update->slots->slots[j];
        update->start[row * width + j] =
            t == NULL ? slot->constant : slot->teleport_scale * t[j] + slot->constant;
    }
}

/* Vertices [first, first + n) of the band. */
static void update_piece(struct update *update, const struct mr_row_loops *loops, uint32_t first,
                         uint32_t n)
{
    const struct mr_slots *slots = update->slots;
    const struct mr_pass_band *band = update->band;
    const uint64_t vertex = (uint64_t)band->first_vertex + first;
    bool has_teleports = false;

    for (uint32_t i = 0; i < n; i++) {
        update->degree[i] = mr_slot_divisor(band, first + i);
        update->none[i] = band->out_degree[first + i] == 0 ? 1 : 0;
    }
    while (update->walks.next < vertex + n) {
        const uint32_t row = (uint32_t)(update->walks.next - vertex);
        double t[MAX_WIDTH] = {0};
        mr_slot_walks_take(&update->walks, (uint32_t)update->walks.next, t);
        set_start(update, row, t);
        has_teleports = true;
    }
    update->rows.n = n;
    loops->update(&update->rows);
    if (update->rows.difference != NULL) {
        mr_acceleration_rows_observe(slots->acceleration, band->band, first == 0, vertex, n,
                                     update->degree);
    }
    for (uint32_t i = 0; i < n && has_teleports; i++) {
        set_start(update, i, NULL);
    }
}

static void next_piece(struct mr_row_update *rows)
{
    const uint64_t n = (uint64_t)rows->n * rows->width;
    const uint64_t bytes = n * (rows->is_single ? sizeof(float) : sizeof(double));
    rows->linked += n;
    rows->old = (const uint8_t *)rows->old + bytes;
    rows->fresh = (uint8_t *)rows->fresh + bytes;
    if (rows->difference != NULL) {
        rows->difference += n;
    }
}

void mr_slots_update(struct mr_slots *slots, const struct mr_pass_band *band, const void *old,
                     void *fresh, bool is_last)
{
    const uint32_t most = PIECE / slots->width;
    const struct mr_row_loops *loops = mr_row_loops_best();
    struct update update = {.slots = slots, .band = band, .walks = mr_slot_walks(slots, band)};

    update.rows = (struct mr_row_update){.width = slots->width,
                                         .is_single = slots->is_single,
                                         .damping = slots->damping,
                                         .start = update.start,
                                         .linked = band->accumulator,
                                         .degree = update.degree,
                                         .none = update.none,
                                         .old = old,
                                         .fresh = fresh};
    if (is_last && slots->acceleration != NULL && slots->next == NULL) {
        update.rows.difference = mr_acceleration_rows_difference(slots->acceleration) +
                                 (uint64_t)band->first_vertex * slots->width;
    }
    for (unsigned j = 0; j < slots->width; j++) {
        update.rows.still[j] = slots->slots[j].is_still ? UINT64_MAX : 0;
    }
    for (uint32_t i = 0; i < most; i++) {
        set_start(&update, i, NULL);
    }
    for (uint32_t first = 0; first < band->n_vertices; first += most) {
        const uint32_t left = band->n_vertices - first;
        update_piece(&update, loops, first, left < most ? left : most);
        next_piece(&update.rows);
    }
    for (unsigned j = 0; j < slots->width && is_last; j++) {
        slots->sums[(uint64_t)band->band * slots->width + j] =
            (struct mr_rank_sums){.mass = update.rows.mass[j],
                                  .dangling = update.rows.dangling[j],
                                  .change = update.rows.change[j]};
    }
}
