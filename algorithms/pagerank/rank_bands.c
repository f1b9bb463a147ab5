/* SPDX-License-Identifier: Apache-2.0 */
/* What PageRank does with one band of a pass: start, relax, iterate, certify, finish. The loops
 * over pages that take the time are in algorithms/base/relax_loops.h. */
#include "algorithms/pagerank/rank_bands.h"

#include <math.h>
#include <string.h>

#include "engine/base/bytes.h"

static double load(const struct mr_rank_job *job, const void *values, uint64_t i)
{
    return job->options->precision == MR_PRECISION_SINGLE ? (double)((const float *)values)[i]
                                                          : ((const double *)values)[i];
}

static void store(const struct mr_rank_job *job, void *values, uint64_t i, double value)
{
    if (job->options->precision == MR_PRECISION_SINGLE) {
        ((float *)values)[i] = (float)value;
    } else {
        ((double *)values)[i] = value;
    }
}

/* Walks the sparse teleport vector beside a band's vertices. */
struct teleport {
    const struct mr_rank_job *job;
    const struct mr_vertex_weight *next, *end;
    double uniform;
};

static struct teleport teleport_of(const struct mr_rank_job *job, const struct mr_pass_band *band)
{
    const struct mr_pagerank_options *options = job->options;
    struct teleport teleport = {.job = job};
    if (options->teleport == NULL) {
        teleport.uniform = options->heritrix ? 1.0 : 1.0 / (double)job->n_vertices;
        return teleport;
    }
    uint64_t low = 0, high = options->n_teleport;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (options->teleport[middle].vertex < band->first_vertex) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    teleport.next = options->teleport + low;
    teleport.end = options->teleport + options->n_teleport;
    return teleport;
}

/* t(vertex); vertices are asked for in ascending order. */
static inline double teleport_at(struct teleport *teleport, uint32_t vertex)
{
    if (teleport->next == NULL) {
        return teleport->uniform;
    }
    if (teleport->next == teleport->end || teleport->next->vertex != vertex) {
        return 0;
    }
    const struct mr_rank_job *job = teleport->job;
    return teleport->next++->weight / job->largest_weight * job->inverse_weight;
}

/* What a vertex's score is divided by: its links, or their weights together. */
static inline double degree_or_1(const struct mr_pass_band *band, uint32_t i)
{
    if (band->out_degree[i] == 0) {
        return 1.0;
    }
    return band->out_strength == NULL ? (double)band->out_degree[i] : band->out_strength[i];
}

/* What the pages of a piece start with, [n] from `first`. */
static void start_piece(const struct mr_rank_job *job, struct teleport *teleport, uint32_t first,
                        size_t n, double *start)
{
    for (size_t i = 0; i < n; i++) {
        start[i] =
            job->teleport_scale * teleport_at(teleport, first + (uint32_t)i) + job->uniform_term;
    }
}

/* Shares of the pages of a piece from their sums. */
static struct mr_relax_piece terms_of(const struct mr_rank_job *job, struct teleport *teleport,
                                      const struct mr_pass_band *band, uint32_t first,
                                      double *start, double *sums)
{
    const size_t n = mr_min_u64(band->n_vertices - first, MR_RELAX_PIECE);
    if (first == 0 || job->options->teleport != NULL) {
        start_piece(job, teleport, band->first_vertex + first, n, start);
    }
    return (struct mr_relax_piece){
        .n = n,
        .width = 1,
        .out_degree = band->out_degree + first,
        .out_strength = band->out_strength == NULL ? NULL : band->out_strength + first,
        .damping = job->damping,
        .start = start,
        .sums = sums,
        .relaxation = 1,
        .is_single = job->options->precision == MR_PRECISION_SINGLE,
    };
}

void mr_rank_terms(void *data, const struct mr_pass_band *band, double *sums, double *gain)
{
    const struct mr_rank_job *job = data;
    struct teleport teleport = teleport_of(job, band);
    double start[MR_RELAX_PIECE];
    for (uint32_t done = 0; done < band->n_vertices; done += MR_RELAX_PIECE) {
        struct mr_relax_piece piece = terms_of(job, &teleport, band, done, start, sums + done);
        piece.gain = gain + done;
        job->loops->terms(&piece);
    }
}

static void end_band(struct mr_rank_job *job, const struct mr_pass_band *band,
                     const struct mr_relax_sums *sums)
{
    job->sums[band->band] = (struct mr_rank_sums){.mass = mr_relax_join(sums->mass, 1, 0),
                                                  .dangling = mr_relax_join(sums->dangling, 1, 0),
                                                  .change = mr_relax_join(sums->change, 1, 0)};
}

void mr_rank_relax(void *data, const struct mr_pass_band *band)
{
    struct mr_rank_job *job = data;
    const bool is_single = job->options->precision == MR_PRECISION_SINGLE;
    const size_t value_bytes = is_single ? sizeof(float) : sizeof(double);
    struct mr_relax_sums sums = {0};
    for (uint32_t done = 0; done < band->n_vertices; done += MR_RELAX_PIECE) {
        const struct mr_relax_piece piece = {
            .n = mr_min_u64(band->n_vertices - done, MR_RELAX_PIECE),
            .width = 1,
            .out_degree = band->out_degree + done,
            .out_strength = band->out_strength == NULL ? NULL : band->out_strength + done,
            .shares = band->relaxed + done,
            .relaxation = job->relaxation,
            .is_single = is_single,
            .old = (const uint8_t *)band->values + done * value_bytes,
            .steps = band->steps + done,
            .totals = &sums,
        };
        job->loops->settle(&piece);
    }
    end_band(job, band, &sums);
    if (job->acceleration != NULL) {
        mr_acceleration_observe(job->acceleration, band->band, band->first_vertex, band->n_vertices,
                                band->out_degree);
    }
}

static void *in_vector(const struct mr_rank_job *job, void *vector, const struct mr_pass_band *band)
{
    const size_t bytes =
        job->options->precision == MR_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
    return (uint8_t *)vector + band->first_vertex * bytes;
}

void mr_rank_iterate(void *data, const struct mr_pass_band *band)
{
    struct mr_rank_job *job = data;
    const size_t value_bytes =
        job->options->precision == MR_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
    struct teleport teleport = teleport_of(job, band);
    struct mr_relax_sums sums = {0};
    double start[MR_RELAX_PIECE], shares[MR_RELAX_PIECE];
    for (uint32_t done = 0; done < band->n_vertices; done += MR_RELAX_PIECE) {
        struct mr_relax_piece piece = terms_of(job, &teleport, band, done, start, shares);
        memcpy(shares, (const double *)band->accumulator + done, piece.n * sizeof *shares);
        job->loops->terms(&piece);
        piece.shares = shares;
        piece.old = (const uint8_t *)in_vector(job, job->x, band) + done * value_bytes;
        piece.fresh = (uint8_t *)in_vector(job, job->next, band) + done * value_bytes;
        piece.totals = &sums;
        job->loops->settle(&piece);
    }
    end_band(job, band, &sums);
}

void mr_rank_start(void *data, const struct mr_pass_band *band)
{
    struct mr_rank_job *job = data;
    void *x = in_vector(job, job->x, band);
    struct teleport teleport = teleport_of(job, band);
    struct mr_rank_sums sums = {0};
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        double rank = teleport_at(&teleport, band->first_vertex + i);
        if (job->options->iterations > 0) { /* the textbook starts from 1/n whatever t is */
            rank = job->options->heritrix ? 1.0 : 1.0 / (double)job->n_vertices;
        }
        if (job->options->start != NULL) {
            rank = job->options->start[band->first_vertex + i] * job->scale;
        }
        sums.mass += rank;
        sums.dangling += band->out_degree[i] == 0 ? rank : 0;
        store(job, x, i, rank / degree_or_1(band, i));
    }
    job->sums[band->band] = sums;
}

/* The residual of the stored vector and a bound on the rounding of this very computation: `k`
 * ordered additions of nonnegative numbers err by at most (k - 1) u times their sum, as many sums
 * of tiles by u times themselves when they become doubles, each further operation adds u times its
 * result (docs/solver.md, "The certificate"). */
void mr_rank_certify(void *data, const struct mr_pass_band *band)
{
    struct mr_rank_job *job = data;
    const double *acc = band->accumulator;
    const void *x = in_vector(job, job->x, band);
    struct teleport teleport = teleport_of(job, band);
    struct mr_sum mass = {0}, dangling = {0}, residual = {0};
    double rounding = 0, shares = 0;
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const double t = teleport_at(&teleport, band->first_vertex + i);
        const double start = job->teleport_scale * t + job->uniform_term;
        const double linked = job->damping * acc[i];
        const double share = load(job, x, i);
        const double rank = share * degree_or_1(band, i);
        shares += share;
        mr_sum_add(&mass, rank);
        mr_sum_add(&dangling, band->out_degree[i] == 0 ? rank : 0);
        mr_sum_add(&residual, fabs(start + linked - rank));
        rounding += ((double)band->in_degree[i] + 5) * linked + 6 * start + 3 * rank;
        if (band->out_strength !=
            NULL) { /* a product more; and the sum of the weights was rounded */
            rounding += linked + job->damping * (double)band->out_degree[i] * rank;
        }
    }
    job->sums[band->band] = (struct mr_rank_sums){
        .mass = mr_sum_value(&mass),
        .dangling = mr_sum_value(&dangling),
        .residual = mr_sum_value(&residual),
        .rounding = 0x1p-53 * rounding,
        .shares = shares,
    };
}

void mr_rank_measure(void *data, const struct mr_pass_band *band)
{
    struct mr_rank_job *job = data;
    const void *x = in_vector(job, job->x, band);
    struct mr_sum mass = {0}, dangling = {0};
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const double rank = load(job, x, i) * degree_or_1(band, i);
        mr_sum_add(&mass, rank);
        mr_sum_add(&dangling, band->out_degree[i] == 0 ? rank : 0);
    }
    job->sums[band->band] =
        (struct mr_rank_sums){.mass = mr_sum_value(&mass), .dangling = mr_sum_value(&dangling)};
}

void mr_rank_copy(void *data, const struct mr_pass_band *band)
{
    struct mr_rank_job *job = data;
    const void *x = in_vector(job, job->x, band);
    double *ranks = job->ranks + (band->first_vertex - job->first_rank);
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        ranks[i] = load(job, x, i) * degree_or_1(band, i) * job->scale;
    }
}

void mr_rank_finish(void *data, const struct mr_pass_band *band)
{
    struct mr_rank_job *job = data;
    void *x = in_vector(job, job->x, band);
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        store(job, x, i, load(job, x, i) * degree_or_1(band, i) * job->scale);
    }
}

/* ---- The frontier ---- */

/* The rank of a vertex of a band without sources, t(v) being `t`. */
static double rank_of(const struct mr_rank_job *job, const struct mr_pass_band *band, uint32_t i,
                      double t)
{
    const double *acc = band->accumulator;
    return job->teleport_scale * t + job->uniform_term + job->damping * acc[i];
}

/* Ranks of the frontier solve their equations by construction. What is left is the rounding. */
void mr_rank_certify_frontier(void *data, const struct mr_pass_band *band)
{
    struct mr_rank_job *job = data;
    const double *acc = band->accumulator;
    struct teleport teleport = teleport_of(job, band);
    struct mr_sum mass = {0};
    double rounding = 0;
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const double t = teleport_at(&teleport, band->first_vertex + i);
        const double start = job->teleport_scale * t + job->uniform_term;
        const double linked = job->damping * acc[i], rank = rank_of(job, band, i, t);
        mr_sum_add(&mass, rank);
        rounding += ((double)band->in_degree[i] + 5) * linked + 6 * start + 3 * rank;
        rounding += job->has_weights ? linked : 0;
    }
    job->sums[band->band] =
        (struct mr_rank_sums){.mass = mr_sum_value(&mass), .rounding = 0x1p-53 * rounding};
}

void mr_rank_copy_frontier(void *data, const struct mr_pass_band *band)
{
    struct mr_rank_job *job = data;
    struct teleport teleport = teleport_of(job, band);
    double *ranks = job->ranks + (band->first_vertex - job->first_rank);
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const double t = teleport_at(&teleport, band->first_vertex + i);
        ranks[i] = rank_of(job, band, i, t) * job->scale;
    }
}

void mr_rank_finish_frontier(void *data, const struct mr_pass_band *band)
{
    struct mr_rank_job *job = data;
    struct teleport teleport = teleport_of(job, band);
    void *x = in_vector(job, job->x, band);
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const double t = teleport_at(&teleport, band->first_vertex + i);
        store(job, x, i, rank_of(job, band, i, t) * job->scale);
    }
}
