/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of diagonal tiles: making them, and sweeping them (rows.h has the layout and why). A builder
 * collects the links of a band. Corner tiles give whole rows. Other tiles, and rows that have links
 * in several tiles, give pairs. Then the rows of a window are sorted by length and laid into
 * slices: whole rows eight at a time, pairs one by one. */
#include "engine/tile/rows.h"

#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/tile/corners_by_row.h"
#include "engine/tile/key_kernels.h"
#include "engine/tile/key_steps.h"

/* A window of 2^13 rows leaves 3% of them over. cnr-2000 needs as many sweeps with windows of 2^11.
 * Rows of LENGTH_MAX links and more stand by themselves. */
enum { WINDOW = 1 << 13, LENGTH_MAX = 64, ROUNDING = 4096 };

enum { SLACK = MR_SLICE_ROWS * MR_SLICE_ROWS }; /* sources behind those of a room */

/* Groups of a window: slices of each length, and what is left of each. */
#define WINDOW_GROUPS (LENGTH_MAX * 8u)

/* The sources of a row that came first, all at once: sources[first .. first + length). */
struct whole_row {
    uint32_t first, length;
};

struct mr_rows_builder {
    struct mr_memory *memory;
    const struct mr_store_info *info;
    struct mr_corners_by_row *by_row; /* NULL where the store has no corner tiles */
    uint32_t n_vertices;
    uint64_t capacity, n_listed, n_self;
    uint64_t n_whole, n_pairs; /* in `sources` and in `pairs` */
    uint32_t *pairs; /* [capacity + slack]: source << 16 | row, in the order of the tiles */
    uint32_t *lengths; /* [2^band_bits]: listed links of each row */
    uint32_t *next; /* [2^band_bits]: where the next source of the row goes */
    uint8_t *strides; /* [2^band_bits]: from a source of the row to its next one */
    struct whole_row *whole; /* [2^band_bits] */
    uint16_t *sources; /* [mr_corners_by_row_room(capacity)]: those of whole rows */
    uint64_t *self_links; /* [2^band_bits / 64] */
};

struct mr_rows_room {
    struct mr_memory *memory;
    struct mr_rows rows;
    struct mr_row_group *groups;
    uint16_t *order, *sources;
    uint64_t *self_links;
};

bool mr_rows_fit(const struct mr_store_info *info, const struct mr_band_entry *band)
{
    return info->band_bits <= MR_ROWS_BAND_BITS && !info->is_weighted && !info->weighs_classes &&
           band->n_diagonal_edges > 0 && band->n_diagonal_edges <= MR_ROWS_LINKS_MAX;
}

uint64_t mr_rows_most_links(const struct mr_store_info *info, const struct mr_band_entry *bands)
{
    uint64_t most = 0;
    if (bands == NULL) {
        return mr_min_u64(info->n_edges, MR_ROWS_LINKS_MAX);
    }
    for (uint32_t b = 0; b < info->n_bands; b++) {
        most = mr_rows_fit(info, &bands[b]) ? mr_max_u64(most, bands[b].n_diagonal_edges) : most;
    }
    return most;
}

/* ---- Memory ---- */

static uint64_t band_width(const struct mr_store_info *info)
{
    return (uint64_t)1 << info->band_bits;
}

static struct mr_corners_shape corners_shape(const struct mr_store_info *info)
{
    return (struct mr_corners_shape){.band_bits = info->band_bits,
                                     .stripe_bits = info->stripe_bits};
}

static uint64_t builder_bytes(const struct mr_store_info *info, uint64_t most_links)
{
    const uint64_t width = band_width(info);
    return sizeof(struct mr_rows_builder) + mr_div_up(width, 64) * sizeof(uint64_t) +
           width * sizeof(struct whole_row) +
           (most_links + MR_KEYS_SLACK_KEYS + 2 * width) * sizeof(uint32_t) +
           mr_corners_by_row_room(most_links) * sizeof(uint16_t) + width;
}

uint64_t mr_rows_builder_memory(const struct mr_store_info *info, uint64_t most_links)
{
    const struct mr_corners_shape shape = corners_shape(info);
    return mr_round_up(builder_bytes(info, most_links), ROUNDING) +
           (info->corners.edges == 0 ? 0 : mr_corners_by_row_memory(&shape));
}

enum mr_status mr_rows_builder_create(struct mr_memory *memory, const struct mr_store_info *info,
                                      uint64_t most_links, struct mr_rows_builder **out,
                                      struct mr_error *err)
{
    const uint64_t width = band_width(info);
    const struct mr_corners_shape shape = corners_shape(info);
    void *pointer = NULL;
    const enum mr_status status =
        mr_memory_alloc(memory, "rows of a band", builder_bytes(info, most_links), &pointer, err);
    if (status != MR_OK) {
        return status;
    }
    struct mr_rows_builder *builder = pointer;
    *builder = (struct mr_rows_builder){.memory = memory, .info = info, .capacity = most_links};
    builder->self_links = (uint64_t *)(builder + 1);
    builder->whole = (struct whole_row *)(builder->self_links + mr_div_up(width, 64));
    builder->pairs = (uint32_t *)(builder->whole + width);
    builder->lengths = builder->pairs + most_links + MR_KEYS_SLACK_KEYS;
    builder->next = builder->lengths + width;
    builder->sources = (uint16_t *)(builder->next + width);
    builder->strides = (uint8_t *)(builder->sources + mr_corners_by_row_room(most_links));
    *out = builder;
    return info->corners.edges > 0 ? mr_corners_by_row_create(memory, &shape, &builder->by_row, err)
                                   : MR_OK;
}

void mr_rows_builder_destroy(struct mr_rows_builder *builder)
{
    if (builder != NULL) {
        mr_corners_by_row_destroy(builder->by_row);
        mr_memory_free(builder->memory, builder);
    }
}

static uint64_t most_groups(const struct mr_store_info *info, uint64_t most_links)
{
    return mr_div_up(band_width(info), WINDOW) * WINDOW_GROUPS + most_links / LENGTH_MAX + 1;
}

static uint64_t room_bytes(const struct mr_store_info *info, uint64_t most_links)
{
    const uint64_t width = band_width(info);
    return sizeof(struct mr_rows_room) + mr_div_up(width, 64) * sizeof(uint64_t) +
           most_groups(info, most_links) * sizeof(struct mr_row_group) +
           (width + most_links + SLACK) * sizeof(uint16_t);
}

uint64_t mr_rows_room_memory(const struct mr_store_info *info, uint64_t most_links)
{
    return mr_round_up(room_bytes(info, most_links), ROUNDING);
}

enum mr_status mr_rows_room_create(struct mr_memory *memory, const struct mr_store_info *info,
                                   uint64_t most_links, struct mr_rows_room **out,
                                   struct mr_error *err)
{
    const uint64_t width = band_width(info);
    void *pointer = NULL;
    enum mr_status status =
        mr_memory_alloc(memory, "rows of a band", room_bytes(info, most_links), &pointer, err);
    if (status != MR_OK) {
        return status;
    }
    struct mr_rows_room *room = pointer;
    *room = (struct mr_rows_room){.memory = memory};
    room->self_links = (uint64_t *)(room + 1);
    room->groups = (struct mr_row_group *)(room->self_links + mr_div_up(width, 64));
    room->order = (uint16_t *)(room->groups + most_groups(info, most_links));
    room->sources = room->order + width;
    *out = room;
    return MR_OK;
}

void mr_rows_room_destroy(struct mr_rows_room *room)
{
    if (room != NULL) {
        mr_memory_free(room->memory, room);
    }
}

/* ---- Links ---- */

void mr_rows_begin(struct mr_rows_builder *builder, uint32_t n_vertices)
{
    builder->n_vertices = n_vertices;
    builder->n_listed = builder->n_self = builder->n_whole = builder->n_pairs = 0;
    memset(builder->lengths, 0, n_vertices * sizeof *builder->lengths);
    memset(builder->whole, 0, n_vertices * sizeof *builder->whole);
    memset(builder->self_links, 0, mr_div_up(n_vertices, 64) * sizeof *builder->self_links);
}

/* The first link of a vertex to itself is a bit; further ones, of stores that keep repeated links,
 * are listed. */
static inline void put(struct mr_rows_builder *builder, uint32_t source, uint32_t row)
{
    uint64_t *word = &builder->self_links[row / 64];
    const uint64_t bit = (uint64_t)1 << row % 64;
    if (source == row && (*word & bit) == 0) {
        *word |= bit;
        builder->n_self++;
        return;
    }
    builder->pairs[builder->n_pairs++] = source << 16 | row;
    builder->lengths[row]++;
    builder->n_listed++;
}

/* Keys lie where their pairs go: a pair is never written before its key is read. */
static bool put_keys(struct mr_rows_builder *builder, const uint32_t *keys, uint32_t n_keys,
                     uint32_t first_source)
{
    const unsigned bits = builder->info->band_bits;
    const uint32_t targets = ((uint32_t)1 << bits) - 1, n = builder->n_vertices;
    const uint32_t sources = ((uint32_t)1 << builder->info->stripe_bits) - 1;
    for (uint32_t i = 0; i < n_keys; i++) {
        const uint32_t source = first_source + (keys[i] >> bits & sources);
        const uint32_t row = keys[i] & targets;
        if (row >= n || source >= n) {
            return false;
        }
        put(builder, source, row);
    }
    return true;
}

/* The sources of a row of a tile, which lie at builder->sources + first: as they are where they are
 * the row's first ones, else as pairs. */
static inline void put_row(struct mr_rows_builder *builder, uint32_t row, uint64_t first,
                           uint32_t length, bool has_self_link)
{
    if (has_self_link) {
        put(builder, row, row);
    }
    if (builder->lengths[row] == 0) {
        builder->whole[row] = (struct whole_row){.first = (uint32_t)first, .length = length};
        builder->lengths[row] = length;
        builder->n_listed += length;
        return;
    }
    for (uint32_t i = 0; i < length; i++) {
        put(builder, builder->sources[first + i], row);
    }
}

static bool put_corners(struct mr_rows_builder *builder, const struct mr_tile *tile,
                        uint32_t first_source)
{
    struct mr_part_rows rows;
    const uint64_t n_before = builder->n_whole;
    if (builder->by_row == NULL ||
        mr_corners_make_rows(builder->by_row, tile->n_entries, tile->data, tile->data_bytes,
                             first_source, builder->n_vertices, builder->sources + n_before,
                             &rows) != NULL) {
        return false;
    }
    uint32_t first = 0;
    for (uint32_t r = 0; r < rows.n_rows; r++) {
        const uint32_t length = rows.ends[r] - first;
        const bool has_self_link = (rows.self_links[r / 64] >> r % 64 & 1) != 0;
        if (length > 0 || has_self_link) {
            put_row(builder, rows.first_row + r, n_before + first, length, has_self_link);
        }
        first = rows.ends[r];
    }
    builder->n_whole += first;
    return true;
}

bool mr_rows_add(struct mr_rows_builder *builder, const struct mr_tile *tile, uint32_t stripe)
{
    const uint64_t first_source = (uint64_t)stripe << builder->info->stripe_bits;
    if (tile->n_entries > builder->capacity - builder->n_listed - builder->n_self ||
        first_source >= builder->n_vertices) {
        return false;
    }
    const uint8_t *end = tile->data + tile->data_bytes;
    uint32_t *keys = builder->pairs + builder->n_pairs;
    if (tile->encoding == MR_TILE_DECODED) {
        return put_keys(builder, (const uint32_t *)tile->data, tile->n_entries,
                        (uint32_t)first_source);
    }
    if (tile->encoding == MR_TILE_KEYS) {
        return mr_key_kernels_best()->decode(tile->data, end, 0, keys, tile->n_entries) == end &&
               put_keys(builder, keys, tile->n_entries, (uint32_t)first_source);
    }
    return tile->encoding == MR_TILE_CORNERS && put_corners(builder, tile, (uint32_t)first_source);
}

/* ---- Slices ---- */

/* Rows of a window, [first, end), sorted by length, longest first, neighbours in their order.
 * counts[l] rows have LENGTH_MAX - l links, counts[0] as many or more. */
static void sort_window(const uint32_t *lengths, uint32_t first, uint32_t end, uint16_t *sorted,
                        uint32_t counts[LENGTH_MAX + 1])
{
    uint32_t at[LENGTH_MAX + 1], sum = 0;
    memset(counts, 0, (LENGTH_MAX + 1) * sizeof *counts);
    for (uint32_t r = first; r < end; r++) {
        counts[LENGTH_MAX - (lengths[r] < LENGTH_MAX ? lengths[r] : LENGTH_MAX)]++;
    }
    for (unsigned l = 0; l <= LENGTH_MAX; l++) {
        at[l] = sum;
        sum += counts[l];
    }
    for (uint32_t r = first; r < end; r++) {
        sorted[at[LENGTH_MAX - (lengths[r] < LENGTH_MAX ? lengths[r] : LENGTH_MAX)]++] =
            (uint16_t)r;
    }
}

/* Where the layout of a band has come to. */
struct band_layout {
    struct mr_rows_builder *builder;
    struct mr_rows_room *room;
    uint32_t n_groups, n_rows;
    uint32_t n_sources;
};

static void lay_alone(struct band_layout *layout, uint16_t row)
{
    struct mr_rows_builder *builder = layout->builder;
    const struct whole_row whole = builder->whole[row];
    const uint32_t length = builder->lengths[row];
    layout->room->groups[layout->n_groups++] = (struct mr_row_group){.length = length};
    layout->room->order[layout->n_rows++] = row;
    memcpy(layout->room->sources + layout->n_sources, builder->sources + whole.first,
           whole.length * sizeof(uint16_t));
    builder->next[row] = layout->n_sources + whole.length;
    builder->strides[row] = 1;
    layout->n_sources += length;
}

typedef uint16_t eight __attribute__((vector_size(16)));

/* Eight rows of eight sources become eight columns. Three times, each row of the first half is
 * interleaved with its partner in the second half. */
static inline void transpose(eight rows[MR_SLICE_ROWS])
{
    for (unsigned step = 0; step < 3; step++) {
        eight mixed[MR_SLICE_ROWS];
        for (unsigned i = 0; i < MR_SLICE_ROWS / 2; i++) {
            const eight a = rows[i], b = rows[i + MR_SLICE_ROWS / 2];
            mixed[2 * i] = SHUFFLE(eight, a, b, 0, 8, 1, 9, 2, 10, 3, 11);
            mixed[2 * i + 1] = SHUFFLE(eight, a, b, 4, 12, 5, 13, 6, 14, 7, 15);
        }
        memcpy(rows, mixed, sizeof mixed);
    }
}

/* The sources of eight whole rows of one length, interleaved. Up to SLACK sources behind them are
 * overwritten. */
static void lay_whole(const struct mr_rows_builder *builder, const uint16_t rows[MR_SLICE_ROWS],
                      uint32_t length, uint16_t *to)
{
    const uint16_t *from[MR_SLICE_ROWS];
    for (unsigned k = 0; k < MR_SLICE_ROWS; k++) {
        from[k] = builder->sources + builder->whole[rows[k]].first;
    }
    for (uint32_t i = 0; i < length; i += MR_SLICE_ROWS) {
        eight some[MR_SLICE_ROWS];
        for (unsigned k = 0; k < MR_SLICE_ROWS; k++) {
            memcpy(&some[k], from[k] + i, sizeof some[k]);
        }
        transpose(some);
        memcpy(to + (size_t)i * MR_SLICE_ROWS, some, sizeof some);
    }
}

/* One of them, of which not all sources may be there yet. */
static void lay_part(const struct mr_rows_builder *builder, struct whole_row whole, uint16_t *to)
{
    for (uint32_t i = 0; i < whole.length; i++) {
        to[(size_t)i * MR_SLICE_ROWS] = builder->sources[whole.first + i];
    }
}

/* Slices of rows[n], n a multiple of MR_SLICE_ROWS, all of the same length: each place has a run of
 * them. */
static void lay_slices(struct band_layout *layout, const uint16_t *rows, uint32_t n,
                       uint32_t length)
{
    struct mr_rows_builder *builder = layout->builder;
    const uint32_t n_slices = n / MR_SLICE_ROWS;
    layout->room->groups[layout->n_groups++] =
        (struct mr_row_group){.length = length, .n_slices = n_slices};
    for (uint32_t s = 0; s < n_slices; s++) {
        uint16_t *order = layout->room->order + layout->n_rows;
        uint16_t *to = layout->room->sources + layout->n_sources;
        bool is_whole = true;
        for (uint32_t k = 0; k < MR_SLICE_ROWS; k++) {
            const uint16_t row = order[k] = rows[k * n_slices + s];
            is_whole &= builder->whole[row].length == length;
        }
        if (is_whole) {
            lay_whole(builder, order, length, to);
        }
        for (uint32_t k = 0; k < MR_SLICE_ROWS && !is_whole; k++) {
            const uint16_t row = order[k];
            lay_part(builder, builder->whole[row], to + k);
            builder->next[row] = layout->n_sources + k + MR_SLICE_ROWS * builder->whole[row].length;
            builder->strides[row] = MR_SLICE_ROWS;
        }
        layout->n_rows += MR_SLICE_ROWS;
        layout->n_sources += MR_SLICE_ROWS * length;
    }
}

static void lay_window(struct band_layout *layout, uint32_t first, uint32_t end)
{
    uint16_t sorted[WINDOW];
    uint32_t counts[LENGTH_MAX + 1];
    sort_window(layout->builder->lengths, first, end, sorted, counts);
    const uint16_t *rows = sorted;
    for (unsigned l = 0; l <= LENGTH_MAX; l++) {
        const uint32_t in_slices = l == 0 ? 0 : counts[l] / MR_SLICE_ROWS * MR_SLICE_ROWS;
        if (in_slices > 0) {
            lay_slices(layout, rows, in_slices, LENGTH_MAX - l);
        }
        for (uint32_t i = in_slices; i < counts[l]; i++) {
            lay_alone(layout, rows[i]);
        }
        rows += counts[l];
    }
}

void mr_rows_end(struct mr_rows_builder *builder, struct mr_rows_room *room)
{
    const uint32_t n = builder->n_vertices;
    struct band_layout layout = {.builder = builder, .room = room};
    for (uint32_t first = 0; first < n; first += WINDOW) {
        lay_window(&layout, first, (uint32_t)mr_min_u64(first + WINDOW, n));
    }
    for (uint64_t i = 0; i < builder->n_pairs; i++) {
        const uint32_t pair = builder->pairs[i], row = pair & 0xffff;
        room->sources[builder->next[row]] = (uint16_t)(pair >> 16);
        builder->next[row] += builder->strides[row];
    }
    memcpy(room->self_links, builder->self_links, mr_div_up(n, 64) * sizeof *room->self_links);
    room->rows = (struct mr_rows){.n_vertices = n,
                                  .n_groups = layout.n_groups,
                                  .n_listed = layout.n_sources,
                                  .n_links = layout.n_sources + builder->n_self,
                                  .groups = room->groups,
                                  .order = room->order,
                                  .sources = room->sources,
                                  .self_links = room->self_links};
}

struct mr_rows mr_rows_of(const struct mr_rows_room *room)
{
    return room->rows;
}

/* ---- Copies ---- */

uint64_t mr_rows_most_bytes(uint32_t n_vertices, uint64_t n_links)
{
    const uint64_t windows = mr_div_up(n_vertices, WINDOW);
    const uint64_t n_groups =
        mr_min_u64(windows * WINDOW_GROUPS + n_links / LENGTH_MAX, n_vertices);
    return mr_div_up(n_vertices, 64) * sizeof(uint64_t) + n_groups * sizeof(struct mr_row_group) +
           mr_round_up((n_vertices + n_links) * sizeof(uint16_t), sizeof(uint64_t));
}

uint64_t mr_rows_bytes(const struct mr_rows *rows)
{
    return mr_div_up(rows->n_vertices, 64) * sizeof(uint64_t) +
           rows->n_groups * sizeof(struct mr_row_group) +
           mr_round_up((rows->n_vertices + rows->n_listed) * sizeof(uint16_t), sizeof(uint64_t));
}

struct mr_rows mr_rows_copy(const struct mr_rows *rows, void *at)
{
    const uint64_t n_words = mr_div_up(rows->n_vertices, 64);
    struct mr_rows copy = *rows;
    uint64_t *self_links = at;
    struct mr_row_group *groups = (struct mr_row_group *)(self_links + n_words);
    uint16_t *order = (uint16_t *)(groups + rows->n_groups);
    uint16_t *sources = order + rows->n_vertices;
    memcpy(self_links, rows->self_links, n_words * sizeof *self_links);
    memcpy(groups, rows->groups, rows->n_groups * sizeof *groups);
    memcpy(order, rows->order, rows->n_vertices * sizeof *order);
    memcpy(sources, rows->sources, rows->n_listed * sizeof *sources);
    copy.self_links = self_links;
    copy.groups = groups;
    copy.order = order;
    copy.sources = sources;
    return copy;
}

/* ---- Sweeps ---- */

/* The one order in which the eight sums of a row by itself come together. */
static inline double join(const double sums[MR_SLICE_ROWS])
{
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
           ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

/* A row by itself: its sources go to eight sums in turn. */
ALWAYS_INLINE void relax_alone(uint32_t row, const uint16_t *sources, size_t length,
                               const double *constant, const double *gain, double *x)
{
    const uint16_t *at = sources, *end = sources + length, *whole = end - length % MR_SLICE_ROWS;
    double sums[MR_SLICE_ROWS] = {0};
    for (; at < whole; at += MR_SLICE_ROWS) {
        for (unsigned k = 0; k < MR_SLICE_ROWS; k++) {
            sums[k] += x[at[k]];
        }
    }
    for (unsigned k = 0; at + k < end; k++) {
        sums[k] += x[at[k]];
    }
    x[row] = constant[row] + gain[row] * join(sums);
}

/* Eight sums at once. */
ALWAYS_INLINE void relax_slice(const uint16_t *order, const uint16_t *sources, size_t length,
                               const double *constant, const double *gain, double *x)
{
    double sums[MR_SLICE_ROWS] = {0};
    for (const uint16_t *end = sources + MR_SLICE_ROWS * length; sources < end;
         sources += MR_SLICE_ROWS) {
        for (unsigned k = 0; k < MR_SLICE_ROWS; k++) {
            sums[k] += x[sources[k]];
        }
    }
    for (unsigned k = 0; k < MR_SLICE_ROWS; k++) {
        const uint16_t row = order[k];
        x[row] = constant[row] + gain[row] * sums[k];
    }
}

void mr_rows_sweep(const struct mr_rows *rows, const double *constant, const double *gain,
                   double *x)
{
#if defined(__x86_64__)
    if (mr_rows_gather()) {
        mr_rows_sweep_gathering(rows, constant, gain, x);
        return;
    }
#endif
    const uint16_t *order = rows->order, *sources = rows->sources;
    for (uint32_t g = 0; g < rows->n_groups; g++) {
        const struct mr_row_group group = rows->groups[g];
        if (group.n_slices == 0) {
            relax_alone(*order++, sources, group.length, constant, gain, x);
            sources += group.length;
        }
        for (uint32_t s = 0; s < group.n_slices; s++) {
            relax_slice(order, sources, group.length, constant, gain, x);
            order += MR_SLICE_ROWS;
            sources += (size_t)MR_SLICE_ROWS * group.length;
        }
    }
}
