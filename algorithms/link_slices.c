#include "algorithms/link_slices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/bytes.h"
#include "engine/edges.h"
#include "engine/memory.h"
#include "engine/team.h"

#define LINKS_MAX    (UINT64_C(1) << 22)
#define VERTICES_MAX (UINT64_C(1) << 19)

/* Padding is below a row's length, at most LENGTH_MAX, for each row of a window's longest group. */
enum { ROWS = MR_SLICE_ROWS, WINDOW = 2048, GROUP = 64, LENGTH_MAX = 64 };
#define PADDING UINT32_MAX

/* Rows a graph can have: either kind is rounded up to whole slices. */
static uint64_t most_rows(const struct mr_store_info *info)
{
    return info->n_vertices + 2 * ROWS;
}

/* A group of rows has at most (longest - shortest) * GROUP places that nobody needs, and over a window
 * these differences add up to LENGTH_MAX; two windows are cut off by their kind's end. */
static uint64_t most_places(const struct mr_store_info *info)
{
    const uint64_t windows = info->n_vertices / WINDOW + 2;
    return info->n_edges + windows * (uint64_t)LENGTH_MAX * (GROUP + ROWS);
}

static uint64_t fixed_bytes(uint64_t n_rows)
{
    return mr_round_up(sizeof(struct mr_link_slices) + (3 * n_rows + 1) * sizeof(uint32_t) +
                           (n_rows / ROWS + 1) * sizeof(uint32_t),
                       4096);
}

/* Of links; more than two bring little. */
#define MOST_READERS 2

bool mr_link_slices_fit(const struct mr_store_info *info)
{
    return info->n_edges <= LINKS_MAX && info->n_vertices <= VERTICES_MAX && !info->is_weighted &&
           !info->weighs_classes;
}

uint64_t mr_link_slices_memory(const struct mr_store_info *info)
{
    return fixed_bytes(most_rows(info)) +
           mr_round_up((most_places(info) + info->n_edges) * sizeof(uint32_t), 4096) +
           mr_round_up(2 * info->n_vertices * sizeof(uint32_t), 4096) +
           MOST_READERS * mr_edges_rows_memory(info) + 4 * 4096;
}

/* ---- The order of rows ---- */

static uint32_t place_length(const uint32_t *in_degree, uint32_t vertex)
{
    return in_degree[vertex] < LENGTH_MAX ? in_degree[vertex] : LENGTH_MAX;
}

/* Sort vertices[n] by length, longest first, equal ones as they are. */
static void sort_window(const uint32_t *in_degree, uint32_t *vertices, uint32_t n)
{
    uint32_t first[LENGTH_MAX + 2] = {0}, sorted[WINDOW];
    for (uint32_t i = 0; i < n; i++) {
        first[LENGTH_MAX - place_length(in_degree, vertices[i]) + 1]++;
    }
    for (unsigned l = 0; l <= LENGTH_MAX; l++) {
        first[l + 1] += first[l];
    }
    for (uint32_t i = 0; i < n; i++) {
        sorted[first[LENGTH_MAX - place_length(in_degree, vertices[i])]++] = vertices[i];
    }
    memcpy(vertices, sorted, n * sizeof *vertices);
}

/* Rows of a slice are taken from all over the group. */
static void deal_group(uint32_t *vertices, uint32_t n)
{
    uint32_t dealt[GROUP];
    const uint32_t n_slices = (n + ROWS - 1) / ROWS;
    uint32_t k = 0;
    for (uint32_t s = 0; s < n_slices; s++) {
        for (uint32_t i = s; i < n; i += n_slices) {
            dealt[k++] = vertices[i];
        }
    }
    memcpy(vertices, dealt, n * sizeof *vertices);
}

/* Rows for the vertices that are, or are not, dangling; returns the row after them, a slice's first. */
static uint32_t order_rows(struct mr_link_slices *slices, uint64_t n_vertices,
                           const uint32_t *in_degree, const uint32_t *out_degree, bool dangling,
                           uint32_t first)
{
    uint32_t *vertices = slices->vertex + first, n = 0;
    for (uint32_t v = 0; v < n_vertices; v++) {
        if ((out_degree[v] == 0) == dangling) {
            vertices[n++] = v;
        }
    }
    for (uint32_t i = 0; i < n; i += WINDOW) {
        sort_window(in_degree, vertices + i, (uint32_t)mr_min_u64(n - i, WINDOW));
    }
    for (uint32_t i = 0; i < n; i += GROUP) {
        deal_group(vertices + i, (uint32_t)mr_min_u64(n - i, GROUP));
    }
    while (n % ROWS != 0) {
        vertices[n++] = PADDING;
    }
    return first + n;
}

/* Where each row's sources go. */
static void lay_out(struct mr_link_slices *slices, const uint32_t *in_degree)
{
    for (uint32_t s = 0; s < slices->n_slices; s++) {
        uint32_t length = 0;
        for (uint32_t row = s * ROWS; row < (s + 1) * ROWS; row++) {
            const uint32_t v = slices->vertex[row];
            const uint32_t own = v == PADDING ? 0 : place_length(in_degree, v);
            length = own > length ? own : length;
            slices->list_ends[row + 1] =
                slices->list_ends[row] + (v == PADDING ? 0 : in_degree[v] - own);
        }
        slices->ends[s + 1] = slices->ends[s] + length;
    }
}

/* ---- The links ---- */

struct filling {
    struct mr_link_slices *slices;
    struct mr_store *store;
    const uint32_t *in_degree;
    uint32_t *row_of; /* [n_vertices] */
    uint32_t *n_placed; /* [n_vertices]: sources so far, the vertex itself left out */
};

static enum mr_status degrees_differ(struct mr_store *store, struct mr_error *err)
{
    return mr_error_set(err, MR_ERROR_CORRUPT,
                        "the degrees of %s are not those of its links; build it again",
                        mr_store_path(store));
}

/* Sources of one target, some of all it has: sources[i] + first_source. */
static inline bool place_sources(const struct filling *filling, uint32_t target,
                                 uint32_t first_source, const uint32_t *sources, size_t n)
{
    struct mr_link_slices *slices = filling->slices;
    const uint32_t row = filling->row_of[target], n_inner_rows = slices->n_inner * ROWS;
    const uint32_t all = filling->in_degree[target];
    const uint32_t own = place_length(filling->in_degree, target);
    uint32_t *in_slice = slices->sources + (uint64_t)ROWS * slices->ends[row / ROWS] + row % ROWS;
    uint32_t *in_list = slices->lists + slices->list_ends[row];
    uint32_t k = filling->n_placed[target];
    bool good = true;

    if (n > all - k) {
        return false; /* links to itself included: they are few */
    }
    for (size_t i = 0; i < n; i++) {
        const uint32_t source = first_source + sources[i];
        const uint32_t from = filling->row_of[source];
        good &= from < n_inner_rows; /* else dangling, and yet a source */
        if (source == target) {
            slices->self_links[row]++;
        } else if (k < own) {
            in_slice[(size_t)ROWS * k++] = from;
        } else {
            in_list[k++ - own] = from;
        }
    }
    filling->n_placed[target] = k;
    return good && k + slices->self_links[row] <= all;
}

static enum mr_status place_row(void *data, uint32_t target, uint32_t first_source,
                                const uint32_t *sources, size_t n_sources, struct mr_error *err)
{
    const struct filling *filling = data;
    return place_sources(filling, target, first_source, sources, n_sources)
               ? MR_OK
               : degrees_differ(filling->store, err);
}

static enum mr_status place_pairs(void *data, const uint32_t (*pairs)[2], size_t n_pairs,
                                  struct mr_error *err)
{
    const struct filling *filling = data;
    bool good = true;
    for (size_t i = 0; i < n_pairs && good; i++) {
        good = place_sources(filling, pairs[i][1], pairs[i][0], &(const uint32_t){0}, 1);
    }
    return good ? MR_OK : degrees_differ(filling->store, err);
}

/* Places that no source came for, one for each link of a row to itself and those that pad its slice, are the
 * row's whose value is 0. */
static enum mr_status fill_up(struct filling *filling, struct mr_error *err)
{
    struct mr_link_slices *slices = filling->slices;
    for (uint32_t row = 0; row < slices->n_rows; row++) {
        const uint32_t v = slices->vertex[row];
        const uint32_t all = v == PADDING ? 0 : filling->in_degree[v];
        const uint32_t placed = v == PADDING ? 0 : filling->n_placed[v];
        const uint32_t own = v == PADDING ? 0 : place_length(filling->in_degree, v);
        const uint32_t first = slices->ends[row / ROWS], end = slices->ends[row / ROWS + 1];
        if (placed + slices->self_links[row] != all) {
            return degrees_differ(filling->store, err);
        }
        for (uint32_t k = first + (placed < own ? placed : own); k < end; k++) {
            slices->sources[(uint64_t)ROWS * k + row % ROWS] = slices->n_rows;
        }
        for (uint32_t k = placed < own ? own : placed; k < all; k++) {
            slices->lists[slices->list_ends[row] + k - own] = slices->n_rows;
        }
        *(row / ROWS < slices->n_inner ? &slices->n_links : &slices->n_dangling_links) += placed;
    }
    return MR_OK;
}

/* Bands before the i-th of `n` parts of about as many links. */
static uint32_t bands_before(const struct filling *filling, unsigned i, unsigned n)
{
    const struct mr_store_info *info = mr_store_info(filling->store);
    uint64_t links = 0, v = 0;
    uint32_t band = 0;
    while (band < info->n_bands && links * n < info->n_edges * i) {
        const uint64_t end = v + mr_band_vertices(info, band);
        for (; v < end; v++) {
            links += filling->in_degree[v];
        }
        band++;
    }
    return i == n ? info->n_bands : band;
}

/* A band's targets are nobody else's, so bands can be filled at the same time. Each thread has a run of
 * them: setting up a reader takes longer than reading a band. */
static enum mr_status fill(const struct mr_context *context, struct filling *filling,
                           struct mr_error *err)
{
    struct mr_team team;
    const unsigned n = (unsigned)mr_min_u64(context->threads, MOST_READERS);
    enum mr_status status = mr_team_begin(&team, context, n, err);
    if (status != MR_OK) {
        return status;
    }
#pragma omp parallel num_threads((int)n)
    {
        uint64_t part;
        while (mr_team_next(&team, &part)) {
            const uint32_t first = bands_before(filling, (unsigned)part, n);
            const uint32_t end = bands_before(filling, (unsigned)part + 1, n);
            struct mr_error error = {0};
            const enum mr_status filled =
                first == end ? MR_OK
                             : mr_edges_read_rows(context, filling->store, first, end - first,
                                                  place_pairs, place_row, filling, &error);
            if (filled != MR_OK) {
                mr_team_fail(&team, filled, &error);
            }
        }
    }
    return mr_team_end(&team, err);
}

static enum mr_status allocate(const struct mr_context *context, uint64_t bytes, void *out,
                               struct mr_error *err)
{
    void *pointer = NULL;
    enum mr_status status = mr_memory_alloc(
        context->memory, "links in memory (--inner K needs none)", bytes, &pointer, err);
    memcpy(out, &pointer, sizeof pointer);
    return status;
}

static enum mr_status create_links(struct mr_link_slices *slices, struct filling *filling,
                                   struct mr_error *err)
{
    const struct mr_context *context = slices->context;
    const uint64_t n_listed = slices->list_ends[slices->n_rows];
    const uint64_t n_vertices = mr_store_info(filling->store)->n_vertices;
    const uint64_t n_places = (uint64_t)ROWS * slices->ends[slices->n_slices];
    enum mr_status status =
        allocate(context, (n_places + n_listed + 1) * sizeof(uint32_t), &slices->sources, err);
    if (status == MR_OK) {
        status = allocate(context, 2 * n_vertices * sizeof(uint32_t), &filling->row_of, err);
    }
    if (status != MR_OK) {
        return status;
    }
    slices->lists = slices->sources + n_places;
    filling->n_placed = filling->row_of + n_vertices;
    for (uint32_t row = 0; row < slices->n_rows; row++) {
        if (slices->vertex[row] != PADDING) {
            filling->row_of[slices->vertex[row]] = row;
        }
    }
    status = fill(context, filling, err);
    return status == MR_OK ? fill_up(filling, err) : status;
}

enum mr_status mr_link_slices_create(const struct mr_context *context, struct mr_store *store,
                                     const uint32_t *in_degree, const uint32_t *out_degree,
                                     struct mr_link_slices **out, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_info(store);
    const uint64_t n_rows = most_rows(info);
    struct mr_link_slices *slices = NULL;
    uint64_t n_links = 0;
    for (uint64_t v = 0; v < info->n_vertices; v++) {
        n_links += in_degree[v];
    }
    if (n_links != info->n_edges) {
        return degrees_differ(store, err);
    }
    enum mr_status status = allocate(context, fixed_bytes(n_rows), &slices, err);
    if (status != MR_OK) {
        return status;
    }
    slices->context = context;
    slices->vertex = (uint32_t *)(slices + 1);
    slices->self_links = slices->vertex + n_rows;
    slices->list_ends = slices->self_links + n_rows;
    slices->ends = slices->list_ends + n_rows + 1;
    slices->n_inner = order_rows(slices, info->n_vertices, in_degree, out_degree, false, 0) / ROWS;
    slices->n_rows =
        order_rows(slices, info->n_vertices, in_degree, out_degree, true, slices->n_inner * ROWS);
    slices->n_slices = slices->n_rows / ROWS;
    lay_out(slices, in_degree);
    struct filling filling = {.slices = slices, .store = store, .in_degree = in_degree};
    status = create_links(slices, &filling, err);
    mr_memory_free(context->memory, filling.row_of);
    if (status != MR_OK) {
        mr_link_slices_destroy(slices);
        return status;
    }
    *out = slices;
    return MR_OK;
}

void mr_link_slices_destroy(struct mr_link_slices *slices)
{
    if (slices != NULL) {
        mr_memory_free(slices->context->memory, slices->sources);
        mr_memory_free(slices->context->memory, slices);
    }
}

/* ---- Sweeps ---- */

static inline double join(const double lanes[ROWS])
{
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
           ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

static double sum_list(const uint32_t *restrict list, size_t n, const double *restrict value)
{
    double lanes[ROWS] = {0};
    size_t i = 0;
    for (; i + ROWS <= n; i += ROWS) {
        for (unsigned k = 0; k < ROWS; k++) {
            lanes[k] += value[list[i + k]];
        }
    }
    for (unsigned k = 0; i + k < n; k++) {
        lanes[k] += value[list[i + k]];
    }
    return join(lanes);
}

double mr_link_slices_relax(const struct mr_link_slices *slices, uint32_t first, uint32_t end,
                            const double *base, const double *gain, const uint32_t *weight,
                            double *value)
{
    const uint32_t *list_ends = slices->list_ends;
    double change[ROWS] = {0};
    for (uint32_t s = first; s < end; s++) {
        const uint32_t *sources = slices->sources + (uint64_t)ROWS * slices->ends[s];
        const uint32_t *sources_end = slices->sources + (uint64_t)ROWS * slices->ends[s + 1];
        const uint32_t row = s * ROWS;
        double sum[ROWS] = {0};
        for (; sources != sources_end; sources += ROWS) {
            for (unsigned k = 0; k < ROWS; k++) {
                sum[k] += value[sources[k]];
            }
        }
        for (unsigned k = 0; k < ROWS && list_ends[row + ROWS] != list_ends[row]; k++) {
            const uint32_t at = list_ends[row + k];
            sum[k] += sum_list(slices->lists + at, list_ends[row + k + 1] - at, value);
        }
        for (unsigned k = 0; k < ROWS; k++) {
            const double fresh = base[row + k] + gain[row + k] * sum[k];
            change[k] += fabs(fresh - value[row + k]) * (double)weight[row + k];
            value[row + k] = fresh;
        }
    }
    return join(change);
}
