#include "algorithms/pagerank/link_rows.h"

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/team.h"
#include "engine/scan/edges.h"

/* Of links; more than two bring little. */
#define MOST_READERS 2

struct reading {
    struct mr_link_rows *rows;
    struct mr_store *store;
    const uint32_t *in_degree;
};

static uint64_t rows_bytes(const struct mr_store_info *info)
{
    return sizeof(struct mr_link_rows) + 3 * info->n_vertices * sizeof(uint32_t) +
           (info->n_edges + 1) * sizeof(uint32_t);
}

uint64_t mr_link_rows_memory(const struct mr_store_info *info)
{
    return mr_round_up(rows_bytes(info), 4096) + 4096 + MOST_READERS * mr_edges_rows_memory(info);
}

enum mr_status mr_link_rows_differ(struct mr_store *store, struct mr_error *err)
{
    return mr_error_set(err, MR_ERROR_CORRUPT,
                        "the degrees of %s are not those of its links; build it again",
                        mr_store_path(store));
}

static inline bool place(const struct reading *reading, uint32_t target, uint32_t source)
{
    struct mr_link_rows *rows = reading->rows;
    const uint32_t at = rows->ends[target];
    const uint32_t end = rows->starts[target] + reading->in_degree[target];
    if (source == target) {
        return ++rows->self_links[target] <= reading->in_degree[target];
    }
    if (at == end) {
        return false;
    }
    rows->sources[at] = source;
    rows->ends[target] = at + 1;
    return true;
}

static enum mr_status place_row(void *data, uint32_t target, uint32_t first_source,
                                const uint32_t *sources, size_t n_sources, struct mr_error *err)
{
    const struct reading *reading = data;
    bool good = true;
    for (size_t i = 0; i < n_sources && good; i++) {
        good = place(reading, target, first_source + sources[i]);
    }
    return good ? MR_OK : mr_link_rows_differ(reading->store, err);
}

static enum mr_status place_pairs(void *data, const uint32_t (*pairs)[2], size_t n_pairs,
                                  struct mr_error *err)
{
    const struct reading *reading = data;
    bool good = true;
    for (size_t i = 0; i < n_pairs && good; i++) {
        good = place(reading, pairs[i][1], pairs[i][0]);
    }
    return good ? MR_OK : mr_link_rows_differ(reading->store, err);
}

/* Bands before the i-th of `n` parts of about as many links. */
static uint32_t bands_before(const struct reading *reading, unsigned i, unsigned n)
{
    const struct mr_store_info *info = mr_store_info(reading->store);
    uint64_t links = 0, v = 0;
    uint32_t band = 0;
    while (band < info->n_bands && links * n < info->n_edges * i) {
        const uint64_t end = v + mr_band_vertices(info, band);
        for (; v < end; v++) {
            links += reading->in_degree[v];
        }
        band++;
    }
    return i == n ? info->n_bands : band;
}

/* A band's targets are nobody else's, so bands can be read at the same time. Each thread has a run of
 * them: setting up a reader takes longer than reading a band. */
static enum mr_status read_links(const struct mr_context *context, struct reading *reading,
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
            const uint32_t first = bands_before(reading, (unsigned)part, n);
            const uint32_t end = bands_before(reading, (unsigned)part + 1, n);
            struct mr_error error = {0};
            const enum mr_status read =
                first == end ? MR_OK
                             : mr_edges_read_rows(context, reading->store, first, end - first,
                                                  place_pairs, place_row, reading, &error);
            if (read != MR_OK) {
                mr_team_fail(&team, read, &error);
            }
        }
    }
    return mr_team_end(&team, err);
}

enum mr_status mr_link_rows_create(const struct mr_context *context, struct mr_store *store,
                                   const uint32_t *in_degree, struct mr_link_rows **out,
                                   struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_info(store);
    const uint64_t n = info->n_vertices;
    void *memory = NULL;
    uint64_t n_links = 0;
    for (uint64_t v = 0; v < n; v++) {
        n_links += in_degree[v];
    }
    if (n_links != info->n_edges) {
        return mr_link_rows_differ(store, err);
    }
    enum mr_status status = mr_memory_alloc(
        context->memory, "links in memory (--inner K needs none)", rows_bytes(info), &memory, err);
    if (status != MR_OK) {
        return status;
    }
    struct mr_link_rows *rows = memory;
    rows->starts = (uint32_t *)(rows + 1);
    rows->ends = rows->starts + n;
    rows->self_links = rows->ends + n;
    rows->sources = rows->self_links + n;
    uint32_t start = 0;
    for (uint64_t v = 0; v < n; v++) {
        rows->starts[v] = rows->ends[v] = start;
        start += in_degree[v];
    }
    struct reading reading = {.rows = rows, .store = store, .in_degree = in_degree};
    status = read_links(context, &reading, err);
    for (uint64_t v = 0; v < n && status == MR_OK; v++) {
        if (rows->ends[v] - rows->starts[v] + rows->self_links[v] != in_degree[v]) {
            status = mr_link_rows_differ(store, err);
        }
    }
    if (status != MR_OK) {
        mr_memory_free(context->memory, memory);
        return status;
    }
    *out = rows;
    return MR_OK;
}
