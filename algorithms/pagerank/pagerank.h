/* SPDX-License-Identifier: Apache-2.0 */
/* PageRank and personalised PageRank with a certificate.
 *
 * Solves (I - a P^T) x = (1 - a) t without the dangling rows and normalises: exactly PageRank with
 * dangling mass returned along the teleport vector t (Brin and Page 1998; "strongly preferential"
 * in Boldi, Santini, Vigna 2005; seeds: aduana-frontera). Bands are relaxed in waves, the links
 * inside a band row by row from the newest values, with Anderson acceleration of small depth on
 * top; a final synchronous pass computes the residual r of the returned vector in double, which
 * bounds the error:
 *
 *     |pi - exact|_1 <= |r|_1 / ((1 - a) |x|_1)      (docs/solver.md)
 *
 * Same store and options, same bits, for any threads, memory and I/O back end. */
#ifndef MR_ALGORITHMS_PAGERANK_PAGERANK_H
#define MR_ALGORITHMS_PAGERANK_PAGERANK_H

#include "engine/io/checkpoint.h"
#include "engine/pass/pass.h"
#include "engine/store/store.h"
#include "millrace/rank.h"
#include "millrace/weights.h"

#define MR_RANK_MAX_WIDTH 16u /* vectors side by side */

/* One pass of a run, for a log. Figures are those of the whole run, an interrupted beginning
 * included. */
struct mr_pagerank_step {
    unsigned pass; /* complete readings of the links so far */
    bool certified; /* `bound` is proven; else it is foretold from how much the pass changed */
    double bound; /* of the L1 error; < 0 where nothing is known */
    struct mr_pass_figures figures;
};

enum { MR_PAGERANK_STATE_PARTS = 4 }; /* at most, of the solver's state */

/* Calls back, from the thread that called mr_pagerank. Any may be NULL; a status other than OK ends
 * the run with it. */
struct mr_pagerank_hooks {
    void *data, *state_data; /* of `step`; of `save` and `restore` */
    enum mr_status (*step)(void *data, const struct mr_pagerank_step *step, struct mr_error *err);
    /* Between two passes: a run that gets these parts back from `restore` comes to the same bits as
     * one that went on. With `save` the context's cancel flag does not stop a pass, so that `save`
     * can look at it with whole passes behind it. */
    enum mr_status (*save)(void *data, const struct mr_checkpoint_part *parts, unsigned n_parts,
                           struct mr_error *err);
    /* Before the first pass: fill the parts. */
    enum mr_status (*restore)(void *data, const struct mr_checkpoint_part *parts, unsigned n_parts,
                              struct mr_error *err);
};

/* Where vertices without out-edges pass their score to. */
enum mr_dangling {
    MR_DANGLING_TELEPORT, /* to the vertices that the teleport goes to, in the same shares */
    MR_DANGLING_UNIFORM, /* to all vertices, in equal shares */
    MR_DANGLING_NONE /* nowhere: the sum of the scores is then below 1 */
};
extern const char *const mr_dangling_words[]; /* by enum mr_dangling: "teleport", ... */
/* The rule of that word; NULL is TELEPORT. Returns false if there is none. */
bool mr_dangling_of(const char *word, enum mr_dangling *rule);

enum mr_precision { MR_PRECISION_DOUBLE, MR_PRECISION_SINGLE };

/* What the scores add up to; with MR_DANGLING_NONE less. */
enum mr_scale { MR_SCALE_ONE, MR_SCALE_PAGES /* n_vertices */ };

/* What must come true before the tolerance does, for the run to end early. */
enum mr_until {
    MR_UNTIL_TOLERANCE, /* nothing else */
    MR_UNTIL_ORDER, /* the order of the best `until_count` pages is proven */
    /* at most `until_share` of the pages can be on another of `until_count` levels */
    MR_UNTIL_LEVELS
};

#define MR_ACCELERATION_AUTO   255u
#define MR_PAGERANK_MAX_PASSES 10000u /* by default */

struct mr_pagerank_options {
    double damping; /* at least 0 and below 1; MR_PAGERANK_OPTIONS_INIT sets 0.85 */
    double tolerance; /* of the error bound, at scale ONE; 0: 1e-9, with single precision 1e-5 */
    /* Above 0: run this number of rounds of the textbook power iteration from 1/n. */
    uint64_t iterations;
    /* stop (NOT_CONVERGED) after this number of passes; 0: MR_PAGERANK_MAX_PASSES */
    uint64_t max_passes;
    uint64_t inner; /* sweeps over the rows of a band in a pass; 0: a fixed rule */
    /* depth of the acceleration, 0..8; AUTO: a fixed rule, or less where memory has no room */
    uint64_t acceleration;
    enum mr_dangling dangling;
    enum mr_precision precision; /* of the scores */
    enum mr_scale scale; /* mr_personalised: ONE */
    /* The arithmetic of Heritrix's offline PageRank: score = 0.15 + 0.85 * sum, from 1 each or from
     * `start`, as it is. With iterations, damping 0.85, MR_DANGLING_NONE and no teleport weights.
     * With a tolerance above 0 it ends as soon as the bound is not above that; NOT_CONVERGED after
     * `iterations`. */
    bool heritrix;
    bool no_pinning; /* keep no edges in memory from one pass to the next */
    /* mr_personalised: vectors side by side: 1, 2, 4, 8 or 16. 0: as many as there are and fit
     * into memory. */
    uint64_t width;
    enum mr_until until; /* not with iterations */
    uint64_t until_count; /* >= 1; levels: at most 65536 */
    double until_share; /* 0 <= share < 1 */
    /* Teleport weights: ascending by vertex, finite, >= 0, at least one above 0, of any sum. NULL:
     * the same weight for all vertices. Borrowed for the call. Not for mr_personalised. */
    const struct mr_vertex_weight *teleport; /* [n_teleport] */
    uint64_t n_teleport;
    /* Scores to start from: [n_vertices], finite, >= 0, at least one above 0, of any sum. NULL: the
     * teleport vector. Borrowed for the call. Not for mr_personalised. Not with teleport
     * weights, since what they do not reach must score 0, nor with iterations, unless they are
     * Heritrix's. */
    const double *start;
    bool may_stream; /* scores that do not fit into memory may become result->stream */
    const struct mr_pagerank_hooks *hooks; /* or NULL */
};
#define MR_PAGERANK_OPTIONS_INIT                                                                   \
    {                                                                                              \
        0.85, 0, 0, 0, 0, MR_ACCELERATION_AUTO, MR_DANGLING_TELEPORT, MR_PRECISION_DOUBLE,         \
            MR_SCALE_ONE, false, false, 0, MR_UNTIL_TOLERANCE, 0, 0, NULL, 0, NULL, false, NULL    \
    }

struct mr_rank_stream;

struct mr_pagerank_result {
    enum mr_precision precision;
    void *scores; /* double or float [n_vertices], owned: mr_pagerank_result_free */
    struct mr_rank_stream *stream; /* the scores where there is a stream, which the result owns */
    struct mr_memory *memory; /* where scores came from */
    uint64_t n_vertices;
    bool converged; /* error_bound <= tolerance, or proven_until (true with iterations and no
                       tolerance) */
    bool proven_until; /* what `until` asked for is proven */
    uint64_t until_ties; /* order: pages that have the same score as the next; levels: 0 */
    uint64_t
        /* order: pages neither proven to be better than the next nor tied; levels: 0 */
        until_close;
    double until_share; /* levels: share of pages that could be on another one */
    bool normalised; /* sums to 1 (not with MR_DANGLING_NONE) */
    double error_bound; /* L1 error of scores is proven to be at most this */
    double residual; /* bound on |r|_1 / |x|_1 of the certified vector */
    double rounding_bound; /* part of error_bound that is rounding of the certificate */
    double tolerance;
    double score_sum; /* before normalisation */
    double sum; /* of the scores: 1 if they are normalised, else score_sum */
    uint64_t iterations; /* rounds that made the scores; 0 without `iterations` */
    uint64_t passes; /* complete readings of the links, certificates included */
    uint64_t inner; /* sweeps over the rows of diagonal tiles */
    uint64_t wave; /* bands of a wave; 0: synchronous */
    uint64_t acceleration; /* depth, 0 for none */
    double
        relaxation; /* how far a relaxing pass goes, times what the links say; 1 is Gauss-Seidel */
    struct mr_pass_figures figures;
};

/* The score of a vertex. Going through the vertices of the core and through all others each in
 * ascending order reads the degrees of the core and the links of all others once. Rounds as
 * `precision` says. Errors: those of a pass. */
enum mr_status mr_rank_stream_score(struct mr_rank_stream *stream, uint64_t vertex, double *score,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_rank_stream_destroy(struct mr_rank_stream *stream); /* takes NULL */

/* Rank. Memory: 8 bytes per vertex of the core (4 single), 4 (1 + depth) more with acceleration,
 * plus bounded buffers; in the end, unless the result is a stream, 8 bytes per vertex. With
 * iterations 16 bytes per vertex. Spare budget pins blocks. MR_NOT_CONVERGED still fills
 * `result`; on other errors it is all zero. n = 0 gives an empty result, converged. `until` takes
 * 20 bytes per vertex, 8 where links have weights, and a pass more; levels one byte more. */
enum mr_status mr_pagerank(const struct mr_context *context, struct mr_store *store,
                           const struct mr_pagerank_options *options,
                           struct mr_pagerank_result *result, struct mr_error *err) MR_WARN_UNUSED;
void mr_pagerank_result_free(struct mr_pagerank_result *result);

/* Least budget (mr_memory limit) with which a solver runs on this store: mr_pagerank, or
 * mr_personalised if `is_personal`. */
uint64_t mr_rank_minimum_memory(struct mr_store *store, const struct mr_pagerank_options *options,
                                bool is_personal);

/* The tolerance of the options, or the default. */
double mr_rank_tolerance(const struct mr_pagerank_options *options);

/* proof.c: mr_scores_certify of `scores` [mr_pass_vector_length], finite and >= 0, by vertex, with
 * zeros behind the last vertex. They are overwritten. Memory: that of a pass, and 16 bytes per page
 * of `top`. Other errors and costs: as mr_scores_certify. */
enum mr_status mr_proof_find(const struct mr_context *context, struct mr_store *links,
                             const struct mr_certify_options *options, double *scores,
                             struct mr_certify_figures *proof, struct mr_error *err) MR_WARN_UNUSED;

#endif
