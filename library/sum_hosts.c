/* SPDX-License-Identifier: Apache-2.0 */
/* Sums up vertices, edges and scores by host. One walk over the names numbers the hosts in the
 * order in which they come, and adds up. The names of a host need not follow each other: those of
 * another host can stand between two ports, or, in a graph of hosts, between those of a domain. A
 * pass over the edges then counts the edges inside hosts. */
#include <math.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/names/name_walk.h"
#include "engine/scan/edges.h"
#include "engine/scan/neighbours.h"
#include "formats/url/host.h"
#include "formats/url/host_numbers.h"
#include "millrace/query.h"

struct row {
    struct mr_host_sums sums;
    double compensation; /* of the sum of scores */
    uint32_t vertex; /* the first of the host, which names it */
};

struct tally {
    struct mr_memory *memory;
    const double *scores; /* [n_vertices], or NULL */
    struct mr_host_numbers *numbers;
    uint32_t *in, *out; /* [n_vertices] degrees */
    uint32_t *hosts; /* [n_vertices], the number of the host of each vertex; NULL: not needed */
    struct row *rows; /* [n_rows] */
    uint64_t n_rows, room;
};

static enum mr_status take_degrees(void *data, uint64_t first, const uint32_t *degrees, size_t n,
                                   struct mr_error *err)
{
    (void)err;
    memcpy((uint32_t *)data + first, degrees, n * sizeof *degrees);
    return MR_OK;
}

/* Adds by the method of Neumaier, which sums the rounding errors separately. */
static enum mr_status add_score(struct row *row, double score, uint32_t vertex,
                                struct mr_error *err)
{
    const double before = row->sums.score, sum = before + score;

    row->compensation +=
        fabs(before) >= fabs(score) ? (before - sum) + score : (score - sum) + before;
    row->sums.score = sum;
    return isfinite(score)
               ? MR_OK
               : mr_error_set(err, MR_ERROR_INPUT,
                              "the score %g of vertex %u is not finite; each vertex needs a score",
                              score, vertex);
}

/* A mr_name_take. */
static enum mr_status add_vertex(void *data, const struct mr_name_cursor *cursor, uint64_t position,
                                 const char *name, size_t name_bytes, struct mr_error *err)
{
    struct tally *tally = data;
    const uint32_t vertex = mr_name_cursor_vertex(cursor);
    uint32_t number = 0;

    (void)position;
    enum mr_status status = mr_host_number(tally->numbers, name, name_bytes, &number, err);
    if (status == MR_OK && number == tally->n_rows) {
        status = mr_memory_grow(tally->memory, "sums of hosts", tally->n_rows + 1, &tally->rows,
                                &tally->room, err);
        if (status == MR_OK) {
            tally->rows[tally->n_rows++] = (struct row){.vertex = vertex};
        }
    }
    if (status != MR_OK) {
        return status;
    }
    struct row *row = &tally->rows[number];
    row->sums.n_vertices++;
    row->sums.in_degree += tally->in[vertex];
    row->sums.out_degree += tally->out[vertex];
    if (tally->hosts != NULL) {
        tally->hosts[vertex] = number;
    }
    return tally->scores != NULL ? add_score(row, tally->scores[vertex], vertex, err) : MR_OK;
}

static enum mr_status count_pairs(void *data, const uint32_t (*pairs)[2], size_t n_pairs,
                                  struct mr_error *err)
{
    struct tally *tally = data;

    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t host = tally->hosts[pairs[i][0]];
        tally->rows[host].sums.n_internal += host == tally->hosts[pairs[i][1]];
    }
    return MR_OK;
}

/* Fills the rows. */
static enum mr_status sum(const struct mr_context *context, struct mr_store *store,
                          struct mr_names *names, bool internal, struct tally *tally,
                          struct mr_error *err)
{
    const uint64_t n = mr_store_get_info(store)->n_vertices;
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("in-degrees", n + 1, &tally->in),
        MR_WANTED("out-degrees", n + 1, &tally->out),
        MR_WANTED("hosts of pages", internal ? n + 1 : 0, &tally->hosts),
    };

    enum mr_status status = mr_memory_arrays(context->memory, arrays, err);
    if (status == MR_OK) {
        status = mr_degrees_read(context, store, MR_DEGREES_IN, take_degrees, tally->in, err);
    }
    if (status == MR_OK) {
        status = mr_degrees_read(context, store, MR_DEGREES_OUT, take_degrees, tally->out, err);
    }
    if (status == MR_OK) {
        status = mr_names_walk(context, names, n, NULL, add_vertex, tally, err);
    }
    return status == MR_OK && internal ? mr_edges_read(context, store, count_pairs, tally, err)
                                       : status;
}

/* Gives the rows to the caller. */
static enum mr_status give(const struct tally *tally, struct mr_names *names,
                           struct mr_host_groups *groups, mr_host_callback take, void *take_data,
                           struct mr_error *err)
{
    char host[MR_HOST_MAX_BYTES];
    enum mr_status status = MR_OK;

    for (uint64_t i = 0; i < tally->n_rows && status == MR_OK; i++) {
        struct mr_host_sums sums = tally->rows[i].sums;
        const char *name = NULL;
        size_t bytes = 0;
        status = mr_names_get(names, tally->rows[i].vertex, &name, &bytes, err);
        if (status == MR_OK) {
            host[mr_host_group(groups, name, bytes, host)] = '\0';
            sums.host = host;
            sums.score += tally->rows[i].compensation;
            status = take(take_data, &sums, err);
        }
    }
    return status;
}

enum mr_status mr_store_sum_hosts(const struct mr_context *context, struct mr_store *store,
                                  struct mr_names *names, enum mr_fold_by by, bool internal,
                                  const double *scores, mr_host_callback take, void *take_data,
                                  struct mr_error *err)
{
    struct tally tally = {.memory = context->memory, .scores = scores};
    struct mr_canonical canonical = {0};

    if ((unsigned)by > MR_FOLD_BY_ICANN_DOMAIN) {
        return mr_error_set(err, MR_ERROR_USAGE, "no such groups of hosts: %d", (int)by);
    }
    (void)mr_canonical_of(mr_store_get_info(store)->name_key_number, &canonical);
    struct mr_host_groups *groups = mr_host_groups_open(&canonical, by);
    if (groups == NULL) {
        return mr_host_groups_error(err);
    }
    enum mr_status status =
        mr_host_numbers_open(context->memory, &canonical, by, 0, 1, &tally.numbers, err);
    if (status == MR_OK) {
        status = sum(context, store, names, internal, &tally, err);
    }
    if (status == MR_OK) {
        status = give(&tally, names, groups, take, take_data, err);
    }
    mr_host_numbers_close(tally.numbers);
    mr_host_groups_close(groups);
    mr_memory_free(context->memory, tally.rows);
    mr_memory_free(context->memory, tally.hosts);
    mr_memory_free(context->memory, tally.out);
    mr_memory_free(context->memory, tally.in);
    return status;
}
