#include "algorithms/pagerank/link_slices.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "algorithms/pagerank/components.h"
#include "algorithms/pagerank/link_rows.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"

#define LINKS_MAX    (UINT64_C(1) << 22)
#define VERTICES_MAX (UINT64_C(1) << 19)

/* Blocks have so many links at least, unless the next component alone has as many: fewer, and two threads wait for each
 * other more often than it is worth. */
#define BLOCK_LINKS 131072u

/* Padding is below a row's length, at most LENGTH_MAX, for each row of a window's longest group. */
enum { ROWS = MR_SLICE_ROWS, WINDOW = 2048, GROUP = 64, LENGTH_MAX = 64 };
#define PADDING UINT32_MAX

/* Of a full block and what comes before it, at least one has BLOCK_LINKS links. */
static uint64_t most_blocks(const struct mr_store_info *info)
{
    return 2 * (info->n_edges / BLOCK_LINKS) + 2;
}

/* Each block's are rounded up to whole slices, and those of dangling vertices. */
uint64_t mr_link_slices_rows(const struct mr_store_info *info)
{
    return info->n_vertices + (most_blocks(info) + 1) * ROWS;
}

/* A group of rows has at most (longest - shortest) * GROUP places that nobody needs, and over a window
 * these differences add up to LENGTH_MAX; blocks end windows, too. */
static uint64_t most_places(const struct mr_store_info *info)
{
    const uint64_t windows = info->n_vertices / WINDOW + most_blocks(info) + 2;
    return info->n_edges + windows * (uint64_t)LENGTH_MAX * (GROUP + ROWS);
}

static uint64_t fixed_bytes(const struct mr_store_info *info)
{
    const uint64_t n_rows = mr_link_slices_rows(info);
    return sizeof(struct mr_link_slices) + most_blocks(info) * sizeof(struct mr_slice_block) +
           (4 * n_rows + 2 + n_rows / ROWS + 1) * sizeof(uint32_t);
}

/* Of each vertex, while they are ordered: see struct ordering. */
static uint64_t ordering_bytes(const struct mr_store_info *info)
{
    return (4 * info->n_vertices + 1) * sizeof(uint32_t);
}

bool mr_link_slices_fit(const struct mr_store_info *info)
{
    return info->n_edges <= LINKS_MAX && info->n_vertices <= VERTICES_MAX && !info->is_weighted &&
           !info->weighs_classes;
}

uint64_t mr_link_slices_memory(const struct mr_store_info *info)
{
    return mr_link_rows_memory(info) + mr_round_up(fixed_bytes(info), 4096) +
           mr_round_up((most_places(info) + 1) * sizeof(uint32_t), 4096) +
           mr_round_up(ordering_bytes(info), 4096) +
           mr_components_memory((uint32_t)info->n_vertices) + 4 * 4096;
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

/* ---- The order of rows ---- */

struct ordering {
    struct mr_link_rows
        *rows; /* `ends` of vertices with a row: of the sources in their block, which come first */
    const uint32_t *in_degree;
    uint32_t n_vertices, n_inner, n_components;
    uint32_t *inner; /* [n_inner] vertices with out-links, ascending; then, by component */
    uint32_t *component; /* [n_vertices]; later the row of each vertex */
    uint32_t *of_component; /* [n_inner]: `inner` in the order of components */
    uint32_t *starts; /* [n_components + 1] in that */
};

static uint32_t length_of(const struct mr_link_rows *rows, uint32_t vertex)
{
    return rows->ends[vertex] - rows->starts[vertex];
}

static uint32_t place_length(const struct mr_link_rows *rows, uint32_t vertex)
{
    const uint32_t length = length_of(rows, vertex);
    return length < LENGTH_MAX ? length : LENGTH_MAX;
}

/* Sort vertices[n] by length, longest first, equal ones as they are. */
static void sort_window(const struct mr_link_rows *rows, uint32_t *vertices, uint32_t n)
{
    uint32_t first[LENGTH_MAX + 2] = {0}, sorted[WINDOW];
    for (uint32_t i = 0; i < n; i++) {
        first[LENGTH_MAX - place_length(rows, vertices[i]) + 1]++;
    }
    for (unsigned l = 0; l <= LENGTH_MAX; l++) {
        first[l + 1] += first[l];
    }
    for (uint32_t i = 0; i < n; i++) {
        sorted[first[LENGTH_MAX - place_length(rows, vertices[i])]++] = vertices[i];
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

/* Deal vertices[n] to slices where they are; returns the rows that this takes. */
static uint32_t deal_rows(const struct mr_link_rows *rows, uint32_t *vertices, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += WINDOW) {
        sort_window(rows, vertices + i, (uint32_t)mr_min_u64(n - i, WINDOW));
    }
    for (uint32_t i = 0; i < n; i += GROUP) {
        deal_group(vertices + i, (uint32_t)mr_min_u64(n - i, GROUP));
    }
    while (n % ROWS != 0) {
        vertices[n++] = PADDING;
    }
    return n;
}

static enum mr_status sort_by_component(const struct mr_context *context, struct ordering *order,
                                        struct mr_error *err)
{
    const struct mr_dependences graph = {.n_vertices = order->n_vertices,
                                         .starts = order->rows->starts,
                                         .ends = order->rows->ends,
                                         .sources = order->rows->sources};
    enum mr_status status = mr_components_find(context, &graph, order->inner, order->n_inner,
                                               order->component, &order->n_components, err);
    if (status != MR_OK) {
        return status;
    }
    uint32_t *starts = order->starts;
    for (uint32_t i = 0; i < order->n_inner; i++) {
        starts[order->component[order->inner[i]]]++;
    }
    for (uint32_t c = 0, start = 0; c <= order->n_components; c++) {
        const uint32_t n = c < order->n_components ? starts[c] : 0;
        starts[c] = start;
        start += n;
    }
    for (uint32_t i = 0; i < order->n_inner; i++) {
        order->of_component[starts[order->component[order->inner[i]]]++] = order->inner[i];
    }
    for (uint32_t c = order->n_components; c > 0; c--) {
        starts[c] = starts[c - 1];
    }
    starts[0] = 0;
    return MR_OK;
}

/* Links to the vertices of a component. */
static uint64_t component_links(const struct ordering *order, uint32_t component)
{
    uint64_t n_links = 0;
    for (uint32_t i = order->starts[component]; i < order->starts[component + 1]; i++) {
        n_links += length_of(order->rows, order->of_component[i]);
    }
    return n_links;
}

/* Sources in the block, those of component `first` and later, before the others. */
static void part_sources(struct ordering *order, uint32_t vertex, uint32_t first)
{
    uint32_t *sources = order->rows->sources, end = order->rows->starts[vertex];
    for (uint32_t i = end; i < order->rows->ends[vertex]; i++) {
        const uint32_t source = sources[i];
        if (order->component[source] >= first) {
            sources[i] = sources[end];
            sources[end++] = source;
        }
    }
    order->rows->ends[vertex] = end;
}

/* Components in order, as many as a block has. */
static void make_blocks(struct mr_link_slices *slices, struct ordering *order)
{
    /* clang 14 does not see that the clause reads it. NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores) */
    const int n_threads = (int)slices->context->threads;
    uint32_t n_rows = 0, c = 0;
    while (c < order->n_components) {
        const uint32_t first = order->starts[c], first_component = c;
        uint64_t n_links = component_links(order, c++);
        while (c < order->n_components && n_links < BLOCK_LINKS) {
            const uint64_t more = component_links(order, c);
            if (more >= BLOCK_LINKS) {
                break;
            }
            n_links += more;
            c++;
        }
        const uint32_t n = order->starts[c] - first;
        uint32_t *vertices = slices->vertex + n_rows;
        memcpy(vertices, order->of_component + first, n * sizeof *vertices);
        struct mr_slice_block *block = &slices->blocks[slices->n_blocks++];
        slices->n_links += n_links;
        uint64_t n_inside = 0;
#pragma omp parallel for schedule(static) reduction(+ : n_inside) num_threads(n_threads)
        for (uint32_t i = 0; i < n; i++) {
            part_sources(order, vertices[i], first_component);
            n_inside += length_of(order->rows, vertices[i]);
        }
        block->n_links = n_inside;
        slices->n_outer_links += n_links - block->n_links;
        block->first = n_rows / ROWS;
        n_rows += deal_rows(order->rows, vertices, n);
        block->end = n_rows / ROWS;
    }
    slices->n_inner = n_rows / ROWS;
}

static void add_dangling(struct mr_link_slices *slices, const struct ordering *order,
                         const uint32_t *out_degree)
{
    uint32_t *vertices = slices->vertex + (size_t)slices->n_inner * ROWS, n = 0;
    for (uint32_t v = 0; v < order->n_vertices; v++) {
        if (out_degree[v] == 0) {
            vertices[n++] = v;
            slices->n_dangling_links += length_of(order->rows, v);
        }
    }
    slices->n_rows = slices->n_inner * ROWS + deal_rows(order->rows, vertices, n);
    slices->n_slices = slices->n_rows / ROWS;
}

/* Where each row's sources go. */
static void lay_out(struct mr_link_slices *slices, const struct ordering *order)
{
    const struct mr_link_rows *rows = order->rows;
    for (uint32_t s = 0; s < slices->n_slices; s++) {
        uint32_t longest = 0;
        for (uint32_t row = s * ROWS; row < (s + 1) * ROWS; row++) {
            const uint32_t v = slices->vertex[row];
            const uint32_t length = v == PADDING ? 0 : length_of(rows, v);
            const uint32_t own = length < LENGTH_MAX ? length : LENGTH_MAX;
            longest = own > longest ? own : longest;
            slices->list_ends[row + 1] = slices->list_ends[row] + (length - own);
            slices->self_links[row] = v == PADDING ? 0 : rows->self_links[v];
            slices->outer_ends[row + 1] =
                slices->outer_ends[row] +
                (v == PADDING ? 0 : order->in_degree[v] - rows->self_links[v] - length);
        }
        slices->ends[s + 1] = slices->ends[s] + longest;
    }
}

/* ---- The links ---- */

/* false: a source has no row that others read. */
static bool fill_slice(const struct mr_link_slices *slices, const struct mr_link_rows *rows,
                       const uint32_t *row_of, uint32_t s)
{
    const uint32_t n_inner_rows = slices->n_inner * ROWS,
                   length = slices->ends[s + 1] - slices->ends[s];
    bool good = true;
    for (unsigned k = 0; k < ROWS; k++) {
        const uint32_t v = slices->vertex[s * ROWS + k];
        good &= s < slices->n_inner || slices->self_links[s * ROWS + k] == 0;
        const uint32_t n = v == PADDING ? 0 : length_of(rows, v);
        const uint32_t own = n < LENGTH_MAX ? n : LENGTH_MAX;
        const uint32_t *from = v == PADDING ? rows->sources : rows->sources + rows->starts[v];
        uint32_t *to = slices->sources + (uint64_t)ROWS * slices->ends[s] + k;
        for (uint32_t i = 0; i < own; i++) {
            const uint32_t row = row_of[from[i]];
            good &= row < n_inner_rows;
            to[(size_t)ROWS * i] = row;
        }
        for (uint32_t i = own; i < length; i++) {
            to[(size_t)ROWS * i] = slices->n_rows;
        }
        to = slices->lists + slices->list_ends[s * ROWS + k];
        for (uint32_t i = own; i < n; i++) {
            const uint32_t row = row_of[from[i]];
            good &= row < n_inner_rows;
            *to++ = row;
        }
        to = slices->outers + slices->outer_ends[s * ROWS + k];
        for (uint32_t i = n; to < slices->outers + slices->outer_ends[s * ROWS + k + 1]; i++) {
            const uint32_t row = row_of[from[i]];
            good &= row < n_inner_rows;
            *to++ = row;
        }
    }
    return good;
}

static enum mr_status fill(struct mr_link_slices *slices, const struct ordering *order,
                           struct mr_store *store, struct mr_error *err)
{
    const uint64_t n_places = (uint64_t)ROWS * slices->ends[slices->n_slices];
    const uint64_t n_listed = slices->list_ends[slices->n_rows];
    const uint64_t n_outer = slices->outer_ends[slices->n_rows];
    uint32_t *row_of = order->component;
    atomic_bool good = true;
    enum mr_status status =
        allocate(slices->context, (n_places + n_listed + n_outer + 1) * sizeof(uint32_t),
                 &slices->sources, err);
    if (status != MR_OK) {
        return status;
    }
    slices->lists = slices->sources + n_places;
    slices->outers = slices->lists + n_listed;
    for (uint32_t row = 0; row < slices->n_rows; row++) {
        if (slices->vertex[row] != PADDING) {
            row_of[slices->vertex[row]] = row;
        }
    }
#pragma omp parallel for schedule(dynamic, 256) num_threads((int)slices->context->threads)
    for (uint32_t s = 0; s < slices->n_slices; s++) {
        if (!fill_slice(slices, order->rows, row_of, s)) {
            atomic_store_explicit(&good, false, memory_order_relaxed);
        }
    }
    return good ? MR_OK : mr_link_rows_differ(store, err);
}

static enum mr_status order_and_fill(struct mr_link_slices *slices, struct ordering *order,
                                     struct mr_store *store, const uint32_t *out_degree,
                                     struct mr_error *err)
{
    order->component = order->inner + order->n_vertices;
    order->of_component = order->component + order->n_vertices;
    order->starts = order->of_component + order->n_vertices;
    for (uint32_t v = 0; v < order->n_vertices; v++) {
        if (out_degree[v] != 0) {
            order->inner[order->n_inner++] = v;
        }
    }
    enum mr_status status = sort_by_component(slices->context, order, err);
    if (status == MR_OK) {
        make_blocks(slices, order);
        add_dangling(slices, order, out_degree);
        lay_out(slices, order);
        status = fill(slices, order, store, err);
    }
    return status;
}

enum mr_status mr_link_slices_create(const struct mr_context *context, struct mr_store *store,
                                     const uint32_t *in_degree, const uint32_t *out_degree,
                                     struct mr_link_slices **out, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_info(store);
    const uint64_t n_rows = mr_link_slices_rows(info);
    struct mr_link_slices *slices = NULL;
    struct mr_link_rows *rows = NULL;
    struct ordering order = {.n_vertices = (uint32_t)info->n_vertices, .in_degree = in_degree};
    enum mr_status status = mr_link_rows_create(context, store, in_degree, &rows, err);
    if (status != MR_OK) {
        return status;
    }
    order.rows = rows;
    status = allocate(context, fixed_bytes(info), &slices, err);
    if (status == MR_OK) {
        slices->context = context;
        slices->blocks = (struct mr_slice_block *)(slices + 1);
        slices->vertex = (uint32_t *)(slices->blocks + most_blocks(info));
        slices->self_links = slices->vertex + n_rows;
        slices->list_ends = slices->self_links + n_rows;
        slices->outer_ends = slices->list_ends + n_rows + 1;
        slices->ends = slices->outer_ends + n_rows + 1;
        status = allocate(context, ordering_bytes(info), &order.inner, err);
    }
    if (status == MR_OK) {
        status = order_and_fill(slices, &order, store, out_degree, err);
    }
    mr_memory_free(context->memory, order.inner);
    mr_memory_free(context->memory, rows);
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

void mr_link_slices_start(const struct mr_link_slices *slices, uint32_t first, uint32_t end,
                          const double *base, const double *gain, const double *value,
                          double *start)
{
    const uint32_t *outer_ends = slices->outer_ends;
    for (uint32_t row = first * ROWS; row < end * ROWS; row++) {
        const uint32_t at = outer_ends[row];
        start[row] =
            base[row] + gain[row] * sum_list(slices->outers + at, outer_ends[row + 1] - at, value);
    }
}

struct mr_slices_sum mr_link_slices_relax(const struct mr_link_slices *slices, uint32_t first,
                                          uint32_t end, const double *start, const double *gain,
                                          const uint32_t *weight, double *value)
{
    const uint32_t *list_ends = slices->list_ends;
    double change[ROWS] = {0}, mass[ROWS] = {0};
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
            const double fresh = start[row + k] + gain[row + k] * sum[k];
            change[k] += fabs(fresh - value[row + k]) * (double)weight[row + k];
            mass[k] += fresh * (double)weight[row + k];
            value[row + k] = fresh;
        }
    }
    return (struct mr_slices_sum){.change = join(change), .mass = join(mass)};
}
