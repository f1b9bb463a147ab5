/* SPDX-License-Identifier: Apache-2.0 */
/* Moves edges from the spool to a sorter. If all edges are one piece, they go directly. Otherwise
 * this file distributes them to a temporary file where each piece has its own range, and loads the
 * pieces one by one. The spool gives its disk space back while it is read, so both together take
 * little more than one copy of the edges.
 *
 * A cell of the grid is never cut, because its repeated edges have to meet. A cell with more edges
 * than fit in memory is a heavy piece: its edges are read from the file batch by batch and merged,
 * before the sorter loads what is left of them. */
#include "engine/builder/edges/edge_partition.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "engine/base/team.h"

/* Edges that a worker collects for a piece before it writes them; 8 or 12 bytes each. */
enum { MIN_BUFFER_EDGES = 64, MAX_BUFFER_EDGES = 1 << 15 };

/* Words of 32 bits in an edge: source and target; with weights also the bits of the weight. */
enum { PLAIN_WORDS = 2, WEIGHTED_WORDS = 3, WORD_BYTES = 4, RECORD_BYTES = 8 };

struct mr_edge_partition {
    const struct mr_context *context;
    const struct mr_edge_plan *plan;
    struct mr_scratch_file *file;
    /* The members below are used while the spool is distributed. */
    uint32_t *piece_of; /* [n_cells] */
    _Atomic uint64_t *written; /* [n_pieces]: edges written for each piece */
    unsigned n_workers;
    unsigned edge_words;
    uint64_t edge_bytes;
    uint32_t buffer_edges;
    uint32_t *buffers; /* [n_workers][n_pieces][buffer_edges][edge_words] */
    uint32_t *fills; /* [n_workers][n_pieces] */
    /* And these while a piece is loaded. */
    const struct mr_edge_piece *piece;
    struct mr_edge_sorter *sorter;
    char *load_buffers; /* [n_workers] of MR_EDGE_LOAD_BYTES */
};

/* ---- Without a file ---- */

static enum mr_status add_to_sorter(void *data, unsigned worker, const uint32_t (*pairs)[2],
                                    const float *weights, size_t n_pairs, struct mr_error *err)
{
    return mr_edge_sorter_add(data, worker, pairs, weights, n_pairs, err);
}

static void give_to_sorter(void *data, unsigned worker, void *memory, uint64_t bytes)
{
    mr_edge_sorter_give(data, worker, memory, bytes);
}

uint64_t mr_edge_given_bytes(const struct mr_spool_scan *scan, const struct mr_edge_plan *plan)
{
    /* Each worker adds all edges of a chunk (each may become two records) before it gives the
     * chunk's memory away, and holds one more chunk that others could use. */
    uint64_t ahead = 3 * (uint64_t)plan->n_workers * MR_SPOOL_CHUNK_BYTES;
    uint64_t given = mr_spool_resident_edges(scan->spool) * RECORD_BYTES;
    given = mr_min_u64(given, plan->n_pieces > 0 ? plan->pieces[0].n_edges * RECORD_BYTES : 0);
    /* records with weights are longer than the edges in the spool */
    if (mr_spool_has_weights(scan->spool)) {
        return 0;
    }
    return given > ahead ? given - ahead : 0;
}

enum mr_status mr_edge_load_spool(const struct mr_context *context,
                                  const struct mr_spool_scan *scan, struct mr_edge_sorter *sorter,
                                  struct mr_error *err)
{
    struct mr_spool_scan giving = *scan;
    giving.give = mr_spool_has_weights(scan->spool) ? NULL : give_to_sorter;
    enum mr_status status = mr_spool_scan_pairs(context, &giving, add_to_sorter, sorter, err);
    for (unsigned worker = 0; status == MR_OK && worker < scan->n_workers; worker++) {
        status = mr_edge_sorter_flush(sorter, worker, err);
    }
    return status;
}

/* ---- Distributing ---- */

static unsigned words_of(bool has_weights)
{
    return has_weights ? WEIGHTED_WORDS : PLAIN_WORDS;
}

uint64_t mr_edge_partition_bytes(const struct mr_spool_scan *scan, uint64_t n_edges,
                                 bool has_weights)
{
    uint64_t given_back = mr_spool_figures_of(scan->spool).disk_bytes;
    uint64_t written = n_edges * words_of(has_weights) * WORD_BYTES;
    /* The last chunk that each worker read is freed only after its edges are written. */
    uint64_t in_flight = 2 * (uint64_t)scan->n_workers * MR_SPOOL_CHUNK_BYTES;
    return (written > given_back ? written - given_back : 0) + in_flight;
}

static enum mr_status write_out(struct mr_edge_partition *partition, uint64_t piece,
                                const uint32_t *edges, uint32_t n_edges, struct mr_error *err)
{
    const struct mr_edge_piece *range = &partition->plan->pieces[piece];
    uint64_t at = atomic_fetch_add(&partition->written[piece], n_edges);
    if (at > range->n_edges || n_edges > range->n_edges - at) {
        return mr_scratch_changed(err);
    }
    return mr_scratch_file_write(partition->file, edges, (uint64_t)n_edges * partition->edge_bytes,
                                 (range->first_edge + at) * partition->edge_bytes, err);
}

static inline enum mr_status distribute_some(struct mr_edge_partition *partition, unsigned worker,
                                             const uint32_t (*pairs)[2], const float *weights,
                                             size_t n_pairs, unsigned words, struct mr_error *err)
{
    const struct mr_edge_grid grid = *partition->plan->grid;
    const uint64_t n_pieces = partition->plan->n_pieces, room = partition->buffer_edges;
    const uint32_t *piece_of = partition->piece_of;
    uint32_t *buffers = partition->buffers + worker * n_pieces * room * words;
    uint32_t *fills = partition->fills + worker * n_pieces;
    for (size_t i = 0; i < n_pairs; i++) {
        uint32_t source = pairs[i][0], target = pairs[i][1];
        uint32_t piece = piece_of[mr_edge_grid_cell(&grid, source, target)];
        uint32_t *buffer = buffers + piece * room * words;
        uint32_t fill = fills[piece];
        buffer[fill * words] = source;
        buffer[fill * words + 1] = target;
        if (words == WEIGHTED_WORDS) {
            memcpy(&buffer[fill * words + 2], &weights[i], WORD_BYTES);
        }
        if (++fill == room) {
            enum mr_status status = write_out(partition, piece, buffer, fill, err);
            if (status != MR_OK) {
                return status;
            }
            fill = 0;
        }
        fills[piece] = fill;
    }
    return MR_OK;
}

static enum mr_status distribute(void *data, unsigned worker, const uint32_t (*pairs)[2],
                                 const float *weights, size_t n_pairs, struct mr_error *err)
{
    return weights == NULL
               ? distribute_some(data, worker, pairs, NULL, n_pairs, PLAIN_WORDS, err)
               : distribute_some(data, worker, pairs, weights, n_pairs, WEIGHTED_WORDS, err);
}

static enum mr_status write_rest(struct mr_edge_partition *partition, struct mr_error *err)
{
    const uint64_t n_pieces = partition->plan->n_pieces;
    for (uint64_t i = 0; i < partition->n_workers * n_pieces; i++) {
        const uint32_t *buffer =
            partition->buffers + i * partition->buffer_edges * partition->edge_words;
        if (partition->fills[i] == 0) {
            continue;
        }
        enum mr_status status =
            write_out(partition, i % n_pieces, buffer, partition->fills[i], err);
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

static const char array_name[] = "partition buffer";

static enum mr_status alloc_buffers(struct mr_edge_partition *partition, struct mr_error *err)
{
    struct mr_memory *memory = partition->context->memory;
    const struct mr_edge_plan *plan = partition->plan;
    uint64_t n_pieces = plan->n_pieces;
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED(array_name, plan->grid->n_cells, &partition->piece_of),
        MR_WANTED(array_name, n_pieces, &partition->written),
    };
    enum mr_status status = mr_memory_arrays(memory, arrays, err);
    if (status == MR_OK) {
        partition->n_workers = mr_spool_scan_workers(
            partition->context, n_pieces * MIN_BUFFER_EDGES * partition->edge_bytes);
        status = mr_memory_array(memory, array_name, partition->n_workers * n_pieces,
                                 &partition->fills, err);
    }
    if (status == MR_OK) {
        uint64_t n_buffers = partition->n_workers * n_pieces;
        uint64_t affordable = mr_memory_available(memory) / 2 / (n_buffers * partition->edge_bytes);
        partition->buffer_edges =
            (uint32_t)mr_max_u64(MIN_BUFFER_EDGES, mr_min_u64(affordable, MAX_BUFFER_EDGES));
        status = mr_memory_alloc_array(memory, array_name, n_buffers * partition->buffer_edges,
                                       partition->edge_bytes, &partition->buffers, err);
    }
    return status;
}

enum mr_status mr_edge_partition_create(const struct mr_context *context, const char *directory,
                                        const char *stem, const struct mr_spool_scan *scan,
                                        const struct mr_edge_plan *plan, struct mr_scratch_use *use,
                                        struct mr_edge_partition **out, struct mr_error *err)
{
    struct mr_edge_partition *partition = calloc(1, sizeof *partition);
    *out = partition;
    if (partition == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the partition of links");
    }
    partition->context = context;
    partition->plan = plan;
    partition->edge_words = words_of(plan->record_words == 2);
    partition->edge_bytes = (uint64_t)partition->edge_words * WORD_BYTES;
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
    return status;
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

/* ---- Heavy pieces ---- */

/* Reads the edges of a piece batch by batch behind the `room` edges of `edges`, and merges repeated
 * ones. `*n_edges` gets the number of edges that are left. The file loses them. */
static enum mr_status merge_batches(struct mr_edge_partition *partition,
                                    const struct mr_edge_piece *piece, uint64_t *edges,
                                    uint64_t room, uint64_t *n_edges, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    char enough[32];
    *n_edges = 0;
    for (uint64_t done = 0; done < piece->n_edges && status == MR_OK;) {
        const uint64_t n = mr_min_u64(room - *n_edges, piece->n_edges - done);
        const uint64_t offset = (piece->first_edge + done) * partition->edge_bytes;
        status = mr_context_poll(partition->context, err);
        if (status == MR_OK && n < room / 4 && n < piece->n_edges - done) {
            status = mr_error_set(
                err, MR_ERROR_BUDGET,
                "out of memory budget: sort buffer needs room for more than %llu different links "
                "into band %llu that have to be sorted together; --memory %s is enough",
                (unsigned long long)*n_edges,
                (unsigned long long)(piece->first_cell / partition->plan->grid->n_columns),
                mr_edge_plan_enough(partition->plan, enough));
        }
        if (status == MR_OK) {
            status = mr_scratch_file_read(partition->file, edges + *n_edges,
                                          n * partition->edge_bytes, offset, err);
        }
        if (status == MR_OK) {
            mr_scratch_file_discard(partition->file, offset, n * partition->edge_bytes);
            mr_sort_u64_in_place(edges, *n_edges + n);
            *n_edges = mr_unique_u64(edges, *n_edges + n);
            done += n;
        }
    }
    return status;
}

enum mr_status mr_edge_partition_condense(struct mr_edge_partition *partition,
                                          struct mr_edge_plan *plan, uint64_t index,
                                          uint64_t *counts, struct mr_error *err)
{
    const struct mr_edge_piece *piece = &plan->pieces[index];
    struct mr_memory *memory = partition->context->memory;
    const uint64_t room = mr_max_u64(MIN_BUFFER_EDGES, plan->limit_bytes / RECORD_BYTES);
    uint64_t *edges = NULL, n_edges = 0;

    /* An edge without a weight is one number of 64 bits; its order does not matter here. */
    assert(partition->edge_bytes == sizeof *edges && piece->is_heavy);
    enum mr_status status = mr_memory_array(memory, "sort buffer", room, &edges, err);
    if (status == MR_OK) {
        status = merge_batches(partition, piece, edges, room, &n_edges, err);
    }
    if (status == MR_OK) {
        status = mr_scratch_file_write(partition->file, edges, n_edges * sizeof *edges,
                                       piece->first_edge * sizeof *edges, err);
    }
    mr_memory_free(memory, edges);
    if (status == MR_OK) {
        counts[piece->first_cell] = n_edges;
        status = mr_edge_plan_condensed(plan, index, err);
    }
    return status;
}

/* ---- Loading ---- */

/* Edges that a worker loads at a time. Its buffer holds the bytes read and, with weights, separate
 * arrays of edges and weights. */
static uint64_t load_edges(const struct mr_edge_partition *partition)
{
    const uint64_t words = partition->edge_words == PLAIN_WORDS ? PLAIN_WORDS : 2 * WEIGHTED_WORDS;
    return MR_EDGE_LOAD_BYTES / (words * WORD_BYTES);
}

static enum mr_status load_job(struct mr_edge_partition *partition, uint64_t job, unsigned worker,
                               struct mr_error *err)
{
    const struct mr_edge_piece *piece = partition->piece;
    uint32_t *buffer = (void *)(partition->load_buffers + (uint64_t)worker * MR_EDGE_LOAD_BYTES);
    const uint64_t room = load_edges(partition), first = job * room;
    uint64_t n_edges = mr_min_u64(room, piece->n_edges - first);
    uint64_t offset = (piece->first_edge + first) * partition->edge_bytes;
    uint64_t bytes = n_edges * partition->edge_bytes;
    uint32_t(*pairs)[2] = (void *)buffer;
    float *weights = NULL;
    enum mr_status status = mr_scratch_file_read(partition->file, buffer, bytes, offset, err);
    if (status == MR_OK && partition->edge_words == WEIGHTED_WORDS) {
        pairs = (void *)(buffer + room * WEIGHTED_WORDS);
        weights = (void *)(pairs + room);
        for (uint64_t i = 0; i < n_edges; i++) {
            pairs[i][0] = buffer[3 * i];
            pairs[i][1] = buffer[3 * i + 1];
            memcpy(&weights[i], &buffer[3 * i + 2], WORD_BYTES);
        }
    }
    if (status == MR_OK) {
        status = mr_edge_sorter_add(partition->sorter, worker, (const uint32_t(*)[2])pairs, weights,
                                    n_edges, err);
    }
    if (status == MR_OK) {
        mr_scratch_file_discard(partition->file, offset, bytes);
    }
    return status;
}

/* A mr_team_work. */
static enum mr_status load_jobs(void *data, struct mr_team *team, unsigned worker,
                                struct mr_error *err)
{
    enum mr_status status = MR_OK;
    uint64_t job;

    while (status == MR_OK && mr_team_next(team, &job)) {
        status = load_job(data, job, worker, err);
    }
    return status;
}

enum mr_status mr_edge_partition_load(struct mr_edge_partition *partition, uint64_t index,
                                      struct mr_edge_sorter *sorter, struct mr_error *err)
{
    const struct mr_edge_plan *plan = partition->plan;
    const struct mr_edge_piece *piece = &plan->pieces[index];
    struct mr_memory *memory = partition->context->memory;

    partition->piece = piece;
    partition->sorter = sorter;
    enum mr_status status =
        mr_memory_array(memory, array_name, (uint64_t)plan->n_workers * MR_EDGE_LOAD_BYTES,
                        &partition->load_buffers, err);
    if (status == MR_OK) {
        status = mr_team_run(partition->context, mr_div_up(piece->n_edges, load_edges(partition)),
                             plan->n_workers, load_jobs, partition, err);
    }
    for (unsigned worker = 0; status == MR_OK && worker < plan->n_workers; worker++) {
        status = mr_edge_sorter_flush(sorter, worker, err);
    }
    mr_memory_free(memory, partition->load_buffers);
    partition->load_buffers = NULL;
    return status;
}
