#include "engine/edge_partition.h"

#include <omp.h>
#include <stdlib.h>

#include "engine/bytes.h"
#include "engine/memory.h"
#include "engine/team.h"

/* Edges collected for a piece before they are written, 8 bytes each. */
enum { MIN_BUFFER_EDGES = 64, MAX_BUFFER_EDGES = 1 << 15 };

enum { EDGE_BYTES = 8, LOAD_EDGES = MR_EDGE_LOAD_BYTES / EDGE_BYTES };

struct mr_edge_partition {
    const struct mr_context *context;
    const struct mr_edge_plan *plan;
    struct mr_scratch_file *file;
    /* While the spool is distributed. */
    uint32_t *piece_of; /* [n_cells] */
    _Atomic uint64_t *written; /* [n_pieces], edges */
    unsigned n_workers;
    uint32_t buffer_edges;
    uint32_t (*buffers)[2]; /* [n_workers][n_pieces][buffer_edges] */
    uint32_t *fills; /* [n_workers][n_pieces] */
};

/* ---- Without a file ---- */

static enum mr_status add_to_sorter(void *data, unsigned worker, const uint32_t (*pairs)[2],
                                    size_t n_pairs, struct mr_error *err)
{
    return mr_edge_sorter_add(data, worker, pairs, n_pairs, err);
}

enum mr_status mr_edge_load_spool(const struct mr_context *context,
                                  const struct mr_spool_scan *scan, struct mr_edge_sorter *sorter,
                                  struct mr_error *err)
{
    enum mr_status status = mr_spool_scan_pairs(context, scan, add_to_sorter, sorter, err);
    for (unsigned worker = 0; status == MR_OK && worker < scan->n_workers; worker++) {
        status = mr_edge_sorter_flush(sorter, worker, err);
    }
    return status;
}

/* ---- Distributing ---- */

uint64_t mr_edge_partition_bytes(const struct mr_spool_scan *scan, uint64_t n_edges)
{
    uint64_t given_back = mr_spool_figures(scan->spool).disk_bytes, written = n_edges * EDGE_BYTES;
    /* The last chunk that each worker read is given back after its edges were written. */
    uint64_t in_flight = 2 * (uint64_t)scan->n_workers * MR_SPOOL_CHUNK_BYTES;
    return (written > given_back ? written - given_back : 0) + in_flight;
}

static enum mr_status write_out(struct mr_edge_partition *partition, uint64_t piece,
                                const uint32_t (*edges)[2], uint32_t n_edges, struct mr_error *err)
{
    const struct mr_edge_piece *place = &partition->plan->pieces[piece];
    uint64_t at = atomic_fetch_add(&partition->written[piece], n_edges);
    if (at > place->n_edges || n_edges > place->n_edges - at) {
        return mr_error_set(err, MR_ERROR_RUNTIME,
                            "the temporary files changed while they were in use; check the disk");
    }
    return mr_scratch_file_write(partition->file, edges, (uint64_t)n_edges * EDGE_BYTES,
                                 (place->first_edge + at) * EDGE_BYTES, err);
}

static enum mr_status distribute(void *data, unsigned worker, const uint32_t (*pairs)[2],
                                 size_t n_pairs, struct mr_error *err)
{
    struct mr_edge_partition *partition = data;
    const struct mr_edge_grid grid = *partition->plan->grid;
    const uint64_t n_pieces = partition->plan->n_pieces, room = partition->buffer_edges;
    const uint32_t *piece_of = partition->piece_of;
    uint32_t(*buffers)[2] = partition->buffers + worker * n_pieces * room;
    uint32_t *fills = partition->fills + worker * n_pieces;
    for (size_t i = 0; i < n_pairs; i++) {
        uint32_t source = pairs[i][0], target = pairs[i][1];
        uint32_t piece = piece_of[mr_edge_grid_cell(&grid, source, target)];
        uint32_t(*buffer)[2] = buffers + piece * room;
        uint32_t fill = fills[piece];
        buffer[fill][0] = source;
        buffer[fill][1] = target;
        if (++fill == room) {
            enum mr_status status =
                write_out(partition, piece, (const uint32_t(*)[2])buffer, fill, err);
            if (status != MR_OK) {
                return status;
            }
            fill = 0;
        }
        fills[piece] = fill;
    }
    return MR_OK;
}

static enum mr_status write_rest(struct mr_edge_partition *partition, struct mr_error *err)
{
    const uint64_t n_pieces = partition->plan->n_pieces;
    for (uint64_t i = 0; i < partition->n_workers * n_pieces; i++) {
        uint32_t(*buffer)[2] = partition->buffers + i * partition->buffer_edges;
        if (partition->fills[i] == 0) {
            continue;
        }
        enum mr_status status = write_out(partition, i % n_pieces, (const uint32_t(*)[2])buffer,
                                          partition->fills[i], err);
        if (status != MR_OK) {
            return status;
        }
    }
    return MR_OK;
}

static void free_buffers(struct mr_edge_partition *partition)
{
    struct mr_memory *memory = partition->context->memory;
    mr_memory_free(memory, partition->fills);
    mr_memory_free(memory, partition->buffers);
    mr_memory_free(memory, (void *)partition->written);
    mr_memory_free(memory, partition->piece_of);
    partition->fills = NULL;
    partition->buffers = NULL;
    partition->written = NULL;
    partition->piece_of = NULL;
}

static enum mr_status alloc_buffers(struct mr_edge_partition *partition, struct mr_error *err)
{
    struct mr_memory *memory = partition->context->memory;
    const struct mr_edge_plan *plan = partition->plan;
    uint64_t n_pieces = plan->n_pieces;
    void *pointer = NULL;
    enum mr_status status = mr_memory_alloc(memory, "partition buffer",
                                            plan->grid->n_cells * sizeof(uint32_t), &pointer, err);
    partition->piece_of = pointer;
    if (status == MR_OK) {
        status =
            mr_memory_alloc(memory, "partition buffer", n_pieces * sizeof(uint64_t), &pointer, err);
        partition->written = pointer;
    }
    if (status == MR_OK) {
        partition->n_workers =
            mr_spool_scan_workers(partition->context, n_pieces * MIN_BUFFER_EDGES * EDGE_BYTES);
        status = mr_memory_alloc(memory, "partition buffer",
                                 partition->n_workers * n_pieces * sizeof(uint32_t), &pointer, err);
        partition->fills = pointer;
    }
    if (status == MR_OK) {
        uint64_t n_buffers = partition->n_workers * n_pieces;
        uint64_t affordable = mr_memory_available(memory) / 2 / (n_buffers * EDGE_BYTES);
        partition->buffer_edges =
            (uint32_t)mr_max_u64(MIN_BUFFER_EDGES, mr_min_u64(affordable, MAX_BUFFER_EDGES));
        status = mr_memory_alloc(memory, "partition buffer",
                                 n_buffers * partition->buffer_edges * EDGE_BYTES, &pointer, err);
        partition->buffers = pointer;
    }
    return status;
}

enum mr_status mr_edge_partition_create(const struct mr_context *context, const char *directory,
                                        const char *stem, const struct mr_spool_scan *scan,
                                        const struct mr_edge_plan *plan, struct mr_scratch_use *use,
                                        struct mr_edge_partition **out, struct mr_error *err)
{
    *out = NULL;
    struct mr_edge_partition *partition = calloc(1, sizeof *partition);
    if (partition == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the partition of edges");
    }
    partition->context = context;
    partition->plan = plan;
    enum mr_status status = alloc_buffers(partition, err);
    if (status == MR_OK) {
        status = mr_scratch_file_open(context, directory, stem, use, &partition->file, err);
    }
    if (status == MR_OK) {
        struct mr_spool_scan pass = *scan;
        for (uint64_t p = 0; p < plan->n_pieces; p++) {
            for (uint64_t c = plan->pieces[p].first_cell; c < plan->pieces[p].end_cell; c++) {
                partition->piece_of[c] = (uint32_t)p;
            }
        }
        pass.n_workers = partition->n_workers;
        status = mr_spool_scan_pairs(context, &pass, distribute, partition, err);
    }
    if (status == MR_OK) {
        status = write_rest(partition, err);
    }
    free_buffers(partition);
    if (status != MR_OK) {
        mr_edge_partition_destroy(partition);
        return status;
    }
    *out = partition;
    return MR_OK;
}

void mr_edge_partition_destroy(struct mr_edge_partition *partition)
{
    if (partition == NULL) {
        return;
    }
    free_buffers(partition);
    mr_scratch_file_close(partition->file);
    free(partition);
}

/* ---- Loading ---- */

static enum mr_status load_job(struct mr_edge_partition *partition,
                               const struct mr_edge_piece *piece, uint64_t job, unsigned worker,
                               uint32_t (*buffer)[2], struct mr_edge_sorter *sorter,
                               struct mr_error *err)
{
    uint64_t first = job * LOAD_EDGES;
    uint64_t n_edges = mr_min_u64(LOAD_EDGES, piece->n_edges - first);
    uint64_t offset = (piece->first_edge + first) * EDGE_BYTES, bytes = n_edges * EDGE_BYTES;
    enum mr_status status = mr_scratch_file_read(partition->file, buffer, bytes, offset, err);
    if (status == MR_OK) {
        status = mr_edge_sorter_add(sorter, worker, (const uint32_t(*)[2])buffer, n_edges, err);
    }
    if (status == MR_OK) {
        mr_scratch_file_discard(partition->file, offset, bytes);
    }
    return status;
}

enum mr_status mr_edge_partition_load(struct mr_edge_partition *partition, uint64_t index,
                                      struct mr_edge_sorter *sorter, struct mr_error *err)
{
    const struct mr_edge_plan *plan = partition->plan;
    const struct mr_edge_piece *piece = &plan->pieces[index];
    struct mr_memory *memory = partition->context->memory;
    struct mr_team team;
    void *buffers = NULL;
    enum mr_status status = mr_memory_alloc(
        memory, "partition buffer", (uint64_t)plan->n_workers * MR_EDGE_LOAD_BYTES, &buffers, err);
    if (status == MR_OK) {
        status =
            mr_team_begin(&team, partition->context, mr_div_up(piece->n_edges, LOAD_EDGES), err);
    }
    if (status == MR_OK) {
#pragma omp parallel num_threads((int)plan->n_workers)
        {
            struct mr_error error = {.status = MR_OK};
            unsigned worker = (unsigned)omp_get_thread_num();
            void *buffer = (char *)buffers + (size_t)worker * MR_EDGE_LOAD_BYTES;
            uint64_t job;
            while (mr_team_next(&team, &job)) {
                enum mr_status failure =
                    load_job(partition, piece, job, worker, buffer, sorter, &error);
                if (failure != MR_OK) {
                    mr_team_fail(&team, failure, &error);
                }
            }
        }
        status = mr_team_end(&team, err);
    }
    for (unsigned worker = 0; status == MR_OK && worker < plan->n_workers; worker++) {
        status = mr_edge_sorter_flush(sorter, worker, err);
    }
    mr_memory_free(memory, buffers);
    return status;
}
