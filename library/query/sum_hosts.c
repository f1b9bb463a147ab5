/* SPDX-License-Identifier: Apache-2.0 */
/* Sums up vertices, edges and scores by host, in walks over the names. The names of a host mostly
 * follow each other: a run. Names of another host can stand between two ports, or, in a graph of
 * hosts, between those of a domain. The first walk finds the hosts that have several runs, by a
 * filter of the hosts before, and sums up all runs but the first. If edges inside hosts count, the
 * second walk numbers the host of each vertex, and a pass over the edges follows. The last walk
 * sums up each host again and gives it to the caller, at its first run. So a host takes memory only
 * if it has several runs, or if the filter is wrong about it: about one of 32 hosts of a single
 * name, and fewer of larger ones. */
#include <math.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/names/names.h"
#include "engine/scan/edges.h"
#include "engine/scan/neighbours.h"
#include "formats/url/host_numbers.h"
#include "millrace/query.h"

enum walk { FIND = 1, NUMBER, GIVE };

struct summed_host {
    struct mr_host_sums sums;
    double compensation; /* of the sum of scores */
    uint32_t vertex; /* the first one that the first walk added */
    uint32_t number; /* of the host, in the order in which hosts come */
    enum walk walk; /* the last one that came to the host */
};

struct tally {
    struct mr_memory *memory;
    const double *scores; /* [n_vertices], or NULL */
    mr_host_callback take;
    void *take_data;
    struct mr_host_numbers *numbers; /* of the hosts that have rows */
    uint32_t *in, *out; /* [n_vertices] degrees */
    uint32_t *hosts; /* [n_vertices], the number of the host of each vertex; NULL: not needed */
    uint64_t *internal; /* [n_hosts] edges inside; NULL: not needed */
    uint64_t *filter; /* [n_words]: a bit for each host that came */
    uint64_t n_words;
    struct summed_host *rows; /* [n_rows] of [room] */
    uint64_t n_rows, room, n_hosts;
    enum walk walk;
    struct summed_host run; /* its sums; dropped if the row of the host has them already */
    struct summed_host *into; /* the row that its vertices are added to; NULL: no run yet */
    struct summed_host *ready; /* the row that end_run gives to the caller, or NULL */
    const char *host; /* of the run */
};

static enum mr_status take_degrees(void *data, uint64_t first, const uint32_t *degrees,
                                   const double *strengths, size_t n, struct mr_error *err)
{
    (void)strengths;
    (void)err;
    memcpy((uint32_t *)data + first, degrees, n * sizeof *degrees);
    return MR_OK;
}

/* Adds by the method of Neumaier, which sums the rounding errors separately. */
static enum mr_status add_score(struct summed_host *row, double score, uint32_t vertex,
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

/* Finds the row of the host of the run, or NULL; the first walk makes it for a host that may have
 * come before. */
static enum mr_status find_row(struct tally *tally, uint32_t vertex, struct summed_host **row,
                               struct mr_error *err)
{
    const uint64_t bit = mr_host_hash(tally->numbers) % (64 * tally->n_words);
    uint64_t *word = &tally->filter[bit / 64];
    const bool may_be_old = *word >> bit % 64 & 1;
    uint32_t number = 0;

    *row = NULL;
    *word |= (uint64_t)1 << bit % 64;
    if (!may_be_old) {
        return MR_OK;
    }
    enum mr_status status = mr_host_number_of(tally->numbers, tally->walk == FIND, &number, err);
    if (status == MR_OK && number == tally->n_rows) {
        status = mr_memory_grow(tally->memory, "sums of hosts", tally->n_rows + 1, &tally->rows,
                                &tally->room, err);
        if (status == MR_OK) {
            tally->rows[tally->n_rows++] = (struct summed_host){.vertex = vertex};
        }
    }
    *row = status == MR_OK && number != MR_HOST_OTHER_PART ? &tally->rows[number] : NULL;
    return status;
}

/* Gives the host of a run whose names are over. */
static enum mr_status end_run(struct tally *tally, struct mr_error *err)
{
    if (tally->into == NULL || tally->ready == NULL) {
        return MR_OK;
    }
    struct mr_host_sums sums = tally->ready->sums;
    sums.host = tally->host;
    sums.score += tally->ready->compensation;
    sums.n_internal = tally->internal != NULL ? tally->internal[tally->ready->number] : 0;
    return tally->take(tally->take_data, &sums, err);
}

static enum mr_status begin_run(struct tally *tally, uint32_t vertex, struct mr_error *err)
{
    struct summed_host *row = NULL;
    const enum mr_status status = find_row(tally, vertex, &row, err);
    const bool is_first = row == NULL || row->walk != tally->walk;

    tally->run = (struct summed_host){.vertex = vertex};
    struct summed_host *host = row != NULL ? row : &tally->run;
    if (is_first) {
        host->number = (uint32_t)tally->n_hosts++;
        host->walk = tally->walk;
    }
    tally->run.number = host->number;
    tally->host = mr_host_text(tally->numbers);
    tally->ready = is_first && tally->walk == GIVE ? host : NULL;
    /* The last walk adds the first run of a row, unless the filter was wrong and the first walk
     * added it. */
    tally->into = tally->walk == FIND || (tally->ready != NULL && host->vertex != vertex)
                      ? host
                      : &tally->run;
    return status;
}

/* A mr_name_take. */
static enum mr_status add_vertex(void *data, const struct mr_name_cursor *cursor, uint64_t position,
                                 const char *name, size_t name_bytes, struct mr_error *err)
{
    struct tally *tally = data;
    const uint32_t vertex = mr_name_cursor_vertex(cursor);

    (void)position;
    if (!mr_host_next(tally->numbers, name, name_bytes) || tally->into == NULL) {
        enum mr_status status = end_run(tally, err);
        if (status == MR_OK) {
            status = begin_run(tally, vertex, err);
        }
        if (status != MR_OK) {
            return status;
        }
    }
    struct summed_host *row = tally->into;
    row->sums.n_vertices++;
    row->sums.in_degree += tally->in[vertex];
    row->sums.out_degree += tally->out[vertex];
    if (tally->walk == NUMBER) {
        tally->hosts[vertex] = tally->run.number;
    }
    return tally->scores != NULL ? add_score(row, tally->scores[vertex], vertex, err) : MR_OK;
}

static enum mr_status walk_names(const struct mr_context *context, struct mr_names *names,
                                 uint64_t n, enum walk walk, struct tally *tally,
                                 struct mr_error *err)
{
    tally->walk = walk;
    tally->into = tally->ready = NULL;
    tally->n_hosts = 0;
    const enum mr_status status = mr_names_walk(context, names, n, NULL, add_vertex, tally, err);
    return status == MR_OK ? end_run(tally, err) : status;
}

static enum mr_status count_pairs(void *data, const uint32_t (*pairs)[2], const float *weights,
                                  size_t n_pairs, struct mr_error *err)
{
    struct tally *tally = data;

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t host = tally->hosts[pairs[i][0]];
        tally->internal[host] += host == tally->hosts[pairs[i][1]];
    }
    return MR_OK;
}

static enum mr_status count_internal(const struct mr_context *context, struct mr_store *store,
                                     struct mr_names *names, struct tally *tally,
                                     struct mr_error *err)
{
    const uint64_t n = mr_store_get_info(store)->n_vertices;
    enum mr_status status =
        mr_memory_array(context->memory, "hosts of pages", n + 1, &tally->hosts, err);

    if (status == MR_OK) {
        status = walk_names(context, names, n, NUMBER, tally, err);
    }
    if (status == MR_OK) {
        status = mr_memory_array(context->memory, "links inside hosts", tally->n_hosts + 1,
                                 &tally->internal, err);
    }
    return status == MR_OK ? mr_edges_read(context, store, NULL, count_pairs, tally, err) : status;
}

static enum mr_status sum(const struct mr_context *context, struct mr_store *store,
                          struct mr_names *names, bool internal, struct tally *tally,
                          struct mr_error *err)
{
    const uint64_t n = mr_store_get_info(store)->n_vertices;

    tally->n_words = n / 4 + 1; /* 16 bits for a vertex */
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("in-degrees", n + 1, &tally->in),
        MR_WANTED("out-degrees", n + 1, &tally->out),
        MR_WANTED("filter of hosts", tally->n_words, &tally->filter),
    };
    enum mr_status status = mr_memory_arrays(context->memory, arrays, err);
    if (status == MR_OK) {
        status = mr_degrees_read(context, store, MR_DEGREES_IN, take_degrees, tally->in, err);
    }
    if (status == MR_OK) {
        status = mr_degrees_read(context, store, MR_DEGREES_OUT, take_degrees, tally->out, err);
    }
    if (status == MR_OK) {
        status = walk_names(context, names, n, FIND, tally, err);
    }
    if (status == MR_OK && internal) {
        status = count_internal(context, store, names, tally, err);
    }
    return status == MR_OK ? walk_names(context, names, n, GIVE, tally, err) : status;
}

enum mr_status mr_store_sum_hosts(const struct mr_context *context, struct mr_store *store,
                                  struct mr_names *names, enum mr_fold_by by, bool internal,
                                  const double *scores, mr_host_callback take, void *take_data,
                                  struct mr_error *err)
{
    struct tally tally = {
        .memory = context->memory, .scores = scores, .take = take, .take_data = take_data};
    struct mr_canonical canonical = {0};

    if ((unsigned)by > MR_FOLD_BY_ICANN_DOMAIN) {
        return mr_error_set(err, MR_ERROR_USAGE, "no such groups of hosts: %d", (int)by);
    }
    (void)mr_canonical_of(mr_store_get_info(store)->name_key_number, &canonical);
    enum mr_status status =
        mr_host_numbers_open(context->memory, &canonical, by, 0, 1, &tally.numbers, err);
    if (status == MR_OK) {
        status = sum(context, store, names, internal, &tally, err);
    }
    mr_host_numbers_close(tally.numbers);
    mr_memory_free(context->memory, tally.rows);
    mr_memory_free(context->memory, tally.filter);
    mr_memory_free(context->memory, tally.internal);
    mr_memory_free(context->memory, tally.hosts);
    mr_memory_free(context->memory, tally.out);
    mr_memory_free(context->memory, tally.in);
    return status;
}
