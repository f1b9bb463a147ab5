/* SPDX-License-Identifier: Apache-2.0 */
/* Explains scores of the PageRank family: which part of a score comes from the teleport, from pages
 * without links, from each page that links to it, and from each host of such pages. The equation
 * that the exact scores x fulfil has one term for each,
 *
 *     x(v) = (1 - a) s t(v)  +  a D u(v)  +  sum over links (w, v) of a p(w, v) x(w),
 *
 * t the teleport, D the score of pages without links, u where it goes (t, 1/n or nowhere), p the
 * portion of a link, s the scale. Given scores differ from the exact ones by at most E in all, so a
 * term, or a sum of terms, differs by at most E times its largest factor; and the terms add up to
 * the given score up to E (docs/solver.md). If they do not, these are not the scores of this graph
 * and these options. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/base/sum.h"
#include "algorithms/pagerank/pagerank.h"
#include "engine/base/bytes.h"
#include "engine/base/count_text.h"
#include "engine/base/memory.h"
#include "engine/base/sized_struct.h"
#include "engine/names/names.h"
#include "engine/scan/edges.h"
#include "engine/scan/neighbours.h"
#include "formats/url/host.h"
#include "formats/url/host_numbers.h"
#include "library/query/subset.h"
#include "millrace/query.h"

enum { FILTER_BITS = 1 << 14 };

struct explanation {
    const struct mr_context *context;
    struct mr_store *store;
    struct mr_names *names;
    const double *scores; /* [n_vertices] */
    enum mr_dangling rule;
    const struct mr_why_options *options;
    const uint32_t *vertices; /* [n] */
    struct mr_why *whys; /* [n] */
    size_t n;
    uint64_t filter[FILTER_BITS / 64]; /* has the vertices, by their last bits */
    struct mr_sum dangling; /* score of vertices without edges */
    uint64_t n_dangling;
};

/* ---- Rounding ---- */

/* What a share of several terms, at most `portion` of a score each, can differ by. */
static double bound_of(const struct explanation *of, double portion, double share, double n_terms)
{
    const double a = of->options->damping;
    return (a * portion * of->options->error_bound + (n_terms + 16) * 0x1p-53 * share) *
           (1 + 0x1p-40);
}

/* Adds a share to the sum of several, and sets the bound of that. */
static void add_share(const struct explanation *of, struct mr_why_share *sum,
                      const struct mr_why_share *share)
{
    sum->vertex = sum->n_vertices == 0 ? share->vertex : sum->vertex;
    sum->n_vertices += share->n_vertices;
    sum->share += share->share;
    sum->score += share->score;
    sum->portion = fmax(sum->portion, share->portion);
    /* A portion by weights has the rounding of a sum of as many weights. */
    const bool is_weighted = mr_store_get_info(of->store)->is_weighted;
    sum->bound = bound_of(of, sum->portion, sum->share, (double)sum->n_vertices) +
                 (is_weighted ? (double)share->out_degree * 0x1p-53 * sum->share : 0);
}

/* ---- Links ---- */

static enum mr_status collect(void *data, const uint32_t (*pairs)[2], const float *weights,
                              size_t n_pairs, struct mr_error *err)
{
    const struct explanation *of = data;

    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t to = pairs[i][1];
        if ((of->filter[to % FILTER_BITS / 64] >> to % 64 & 1) == 0) {
            continue;
        }
        for (size_t k = 0; k < of->n; k++) {
            struct mr_why *why = &of->whys[k];
            if (of->vertices[k] == to && why->n_listed < why->links.n_vertices) {
                why->vertices[why->n_listed++] =
                    (struct mr_why_share){.vertex = pairs[i][0],
                                          .n_vertices = 1,
                                          .portion = weights != NULL ? (double)weights[i] : 1};
            }
        }
    }
    return MR_OK;
}

static int by_vertex(const void *left, const void *right)
{
    const struct mr_why_share *a = left, *b = right;
    return a->vertex != b->vertex ? (a->vertex > b->vertex) - (a->vertex < b->vertex)
                                  : (a->portion > b->portion) - (a->portion < b->portion);
}

/* Edges from one vertex become one. */
static void merge_links(struct mr_why *why)
{
    uint64_t n = 0;

    if (why->n_listed > 0) {
        qsort(why->vertices, why->n_listed, sizeof *why->vertices, by_vertex);
    }
    for (uint64_t i = 0; i < why->n_listed; i++) {
        if (n > 0 && why->vertices[n - 1].vertex == why->vertices[i].vertex) {
            why->vertices[n - 1].portion += why->vertices[i].portion;
        } else {
            why->vertices[n++] = why->vertices[i];
        }
    }
    why->n_listed = n;
    why->links = (struct mr_why_share){0};
}

static enum mr_status find_links(struct explanation *of, struct mr_error *err)
{
    struct mr_memory *memory = of->context->memory;
    const struct mr_store_info *info = mr_store_get_info(of->store);
    uint8_t *bands = NULL;

    enum mr_status status =
        mr_memory_array(memory, "bands of pages", (uint64_t)info->n_bands + 1, &bands, err);
    for (size_t k = 0; k < of->n && status == MR_OK; k++) {
        struct mr_degrees degrees = {0};
        const uint32_t v = of->vertices[k];
        of->filter[v % FILTER_BITS / 64] |= (uint64_t)1 << v % 64;
        bands[v >> info->band_bits] = 1;
        status = mr_vertex_degrees(of->context, of->store, v, &degrees, err);
        of->whys[k].links.n_vertices = degrees.in; /* the room, until they are merged */
        if (status == MR_OK) {
            status = mr_memory_array(memory, "links to pages", (uint64_t)degrees.in + 1,
                                     &of->whys[k].vertices, err);
        }
    }
    if (status == MR_OK) {
        const struct mr_scan scan = {.active_bands = bands};
        status = mr_edges_read(of->context, of->store, &scan, collect, of, err);
    }
    for (size_t k = 0; k < of->n && status == MR_OK; k++) {
        merge_links(&of->whys[k]);
    }
    mr_memory_free(memory, bands);
    return status;
}

/* ---- Shares ---- */

/* The first of its links from `vertex` or a later one. */
static struct mr_why_share *link_from(const struct mr_why *why, uint64_t vertex)
{
    uint64_t low = 0, high = why->n_listed;

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (why->vertices[middle].vertex < vertex) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return &why->vertices[low];
}

static enum mr_status share_out(void *data, uint64_t first, const uint32_t *degrees,
                                const double *strengths, size_t n, struct mr_error *err)
{
    struct explanation *of = data;

    for (size_t i = 0; i < n; i++) {
        const double score = of->scores[first + i];
        if (!isfinite(score) || score < 0) {
            return mr_error_set(err, MR_ERROR_INPUT,
                                "the score %g of vertex %llu is not finite and at least 0", score,
                                (unsigned long long)(first + i));
        }
        if (degrees[i] == 0) {
            mr_sum_add(&of->dangling, score);
            of->n_dangling++;
        }
    }
    for (size_t k = 0; k < of->n; k++) {
        const struct mr_why_share *end = of->whys[k].vertices + of->whys[k].n_listed;
        for (struct mr_why_share *link = link_from(&of->whys[k], first);
             link < end && link->vertex < first + n; link++) {
            const size_t i = link->vertex - first;
            link->out_degree = degrees[i];
            link->score = of->scores[link->vertex];
            link->portion /= strengths != NULL ? strengths[i] : (double)degrees[i];
            link->share = of->options->damping * link->portion * link->score;
            struct mr_why_share alone = {0};
            add_share(of, &alone, link);
            link->bound = alone.bound;
        }
    }
    return MR_OK;
}

/* The part of the teleport that goes to `vertex`; `*n` vertices have one. */
static double teleport_to(const struct explanation *of, uint32_t vertex, uint64_t *n)
{
    const struct mr_why_options *options = of->options;
    struct mr_sum sum = {0}, own = {0};

    *n = mr_store_get_info(of->store)->n_vertices;
    if (options->teleport == NULL) {
        return 1 / (double)*n;
    }
    *n = options->n_teleport;
    for (uint64_t i = 0; i < *n; i++) {
        mr_sum_add(&sum, options->teleport[i].weight);
        mr_sum_add(&own, options->teleport[i].vertex == vertex ? options->teleport[i].weight : 0);
    }
    return mr_sum_value(&own) / mr_sum_value(&sum);
}

/* Fills in the shares that come from no link. */
static void share_rest(const struct explanation *of, uint32_t vertex, struct mr_why *why)
{
    const struct mr_why_options *options = of->options;
    const double portion = teleport_to(of, vertex, &why->teleport.n_vertices);
    const double share = (1 - options->damping) * portion * options->scale;
    struct mr_why_share *dangling = &why->dangling;

    why->teleport.portion = portion;
    why->teleport.share = share;
    why->teleport.bound = share * 0x1p-48;
    dangling->n_vertices = of->n_dangling;
    dangling->score = mr_sum_value(&of->dangling);
    dangling->portion = of->rule == MR_DANGLING_NONE ? 0
                        : of->rule == MR_DANGLING_UNIFORM
                            ? 1 / (double)mr_store_get_info(of->store)->n_vertices
                            : portion;
    dangling->share = options->damping * dangling->portion * dangling->score;
    dangling->bound = bound_of(of, dangling->portion, dangling->share, 0);
}

static enum mr_status check_sum(const struct explanation *of, uint32_t vertex,
                                const struct mr_why *why, struct mr_error *err)
{
    const double sum = why->teleport.share + why->dangling.share + why->links.share;
    const double rounding = (double)(why->links.n_vertices + 64) * 0x1p-52 * (sum + why->score);
    const char *name = NULL;
    size_t bytes = 0;
    char bound[32];

    if (fabs(why->score - sum) <= of->options->error_bound + rounding) {
        return MR_OK;
    }
    const enum mr_status status = mr_names_get(of->names, vertex, &name, &bytes, err);
    return status != MR_OK
               ? status
               : mr_error_set(
                     err, MR_ERROR_INPUT,
                     "what %.*s has from its links and the teleport adds up to %.9g and its "
                     "score is %.9g, though they differ by at most %s in a ranking of this "
                     "graph with this damping, dangling, teleport and weights; rank the "
                     "store again",
                     (int)mr_min_u64(bytes, 200), name, sum, why->score,
                     mr_bound_text(of->options->error_bound, bound));
}

/* ---- Hosts ---- */

static int by_share(const void *left, const void *right)
{
    const struct mr_why_share *a = left, *b = right;
    return a->share != b->share ? (a->share < b->share) * 2 - 1
                                : (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

/* Sorts shares [*n], of which `most` stay; the others are added to `rest`. */
static void keep_best(const struct explanation *of, struct mr_why_share *shares, uint64_t *n,
                      uint64_t most, struct mr_why_share *rest)
{
    if (*n > 0) {
        qsort(shares, *n, sizeof *shares, by_share);
    }
    for (uint64_t i = most; i < *n; i++) {
        add_share(of, rest, &shares[i]);
    }
    *n = mr_min_u64(*n, most);
}

static enum mr_status host_of(const struct explanation *of, uint32_t vertex,
                              struct mr_host_numbers *numbers, uint32_t *number,
                              struct mr_error *err)
{
    const char *name = NULL;
    size_t bytes = 0;
    const enum mr_status status = mr_names_get(of->names, vertex, &name, &bytes, err);

    return status == MR_OK ? mr_host_number(numbers, name, bytes, number, err) : status;
}

static enum mr_status name_hosts(const struct explanation *of, struct mr_host_numbers *numbers,
                                 struct mr_why *why, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    uint32_t number = 0;

    for (uint64_t i = 0; i < why->n_hosts && status == MR_OK; i++) {
        status = host_of(of, why->hosts[i].vertex, numbers, &number, err);
        why->hosts[i].host = strdup(mr_host_text(numbers));
        if (status == MR_OK && why->hosts[i].host == NULL) {
            status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the names of hosts");
        }
    }
    return status;
}

/* Sums up the links by host; that of the vertex itself has number 0. */
static enum mr_status sum_hosts(const struct explanation *of, uint32_t vertex,
                                struct mr_host_numbers *numbers, struct mr_why *why, uint64_t most,
                                struct mr_error *err)
{
    uint64_t room = 0;
    uint32_t number = 0;
    enum mr_status status = host_of(of, vertex, numbers, &number, err);

    if (status == MR_OK) {
        status =
            mr_memory_grow(of->context->memory, "hosts", ++why->n_hosts, &why->hosts, &room, err);
    }
    for (uint64_t i = 0; i < why->n_listed && status == MR_OK; i++) {
        status = host_of(of, why->vertices[i].vertex, numbers, &number, err);
        if (status == MR_OK && number == why->n_hosts) {
            status = mr_memory_grow(of->context->memory, "hosts", ++why->n_hosts, &why->hosts,
                                    &room, err);
        }
        if (status == MR_OK) {
            add_share(of, &why->hosts[number], &why->vertices[i]);
        }
    }
    if (status != MR_OK || !mr_host_numbers_named(numbers)) {
        why->n_hosts = 0;
        return status;
    }
    if (why->hosts[0].n_vertices == 0) {
        why->hosts[0].vertex = vertex;
    }
    uint64_t n_others = why->n_hosts - 1;
    keep_best(of, why->hosts + 1, &n_others, most, &why->other_hosts);
    why->n_hosts = n_others + 1;
    return name_hosts(of, numbers, why, err);
}

static enum mr_status explain_hosts(const struct explanation *of, uint32_t vertex,
                                    struct mr_why *why, uint64_t most, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(mr_names_store(of->names));
    struct mr_host_numbers *numbers = NULL;
    struct mr_canonical canonical = {0};

    if (info->name_kind != MR_NAMES_TEXT) {
        return MR_OK;
    }
    (void)mr_canonical_of(info->name_key_number, &canonical);
    enum mr_status status =
        mr_host_numbers_open(of->context->memory, &canonical, of->options->by, 0, 1, &numbers, err);
    if (status == MR_OK) {
        status = sum_hosts(of, vertex, numbers, why, most, err);
    }
    mr_host_numbers_close(numbers);
    return status;
}

static enum mr_status explain_vertex(const struct explanation *of, uint32_t vertex,
                                     struct mr_why *why, struct mr_error *err)
{
    const uint64_t most = of->options->top > 0 ? of->options->top : UINT64_MAX;

    why->score = of->scores[vertex];
    share_rest(of, vertex, why);
    for (uint64_t i = 0; i < why->n_listed; i++) {
        add_share(of, &why->links, &why->vertices[i]);
    }
    enum mr_status status = check_sum(of, vertex, why, err);
    if (status == MR_OK) {
        status = explain_hosts(of, vertex, why, most, err);
    }
    keep_best(of, why->vertices, &why->n_listed, most, &why->others);
    return status;
}

/* ---- The function ---- */

void mr_why_free(struct mr_why *why)
{
    for (uint64_t i = 0; i < why->n_hosts; i++) {
        free(why->hosts[i].host);
    }
    if (why->memory != NULL) {
        mr_memory_free(why->memory, why->hosts);
        mr_memory_free(why->memory, why->vertices);
    }
    *why = (struct mr_why){0};
}

static enum mr_status check_options(struct explanation *of, struct mr_error *err)
{
    const struct mr_why_options *options = of->options;

    if (!mr_dangling_of(options->dangling, &of->rule) ||
        !(options->damping >= 0 && options->damping < 1) ||
        !(options->scale > 0 && isfinite(options->scale)) ||
        (unsigned)options->by > MR_FOLD_BY_ICANN_DOMAIN) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "no options of a PageRank: damping %g, dangling %s, scale %g, by %d",
                            options->damping, options->dangling, options->scale, (int)options->by);
    }
    if (!(options->error_bound >= 0 && isfinite(options->error_bound))) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "the scores have no proven error bound, so no share is certain; rank "
                            "until there is one");
    }
    if (mr_store_get_info(of->store)->weighs_classes) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "scores by --internal-weight or --external-weight are not explained; "
                            "rank without them");
    }
    return mr_vertices_check(of->store, of->vertices, of->n, err);
}

enum mr_status mr_scores_explain(const struct mr_context *context, struct mr_store *store,
                                 struct mr_names *names, const double *scores,
                                 const struct mr_why_options *options, const uint32_t *vertices,
                                 size_t n, struct mr_why *whys, struct mr_error *err)
{
    struct mr_why_options taken = MR_WHY_OPTIONS_INIT;
    struct explanation of = {.context = context,
                             .store = store,
                             .names = names,
                             .scores = scores,
                             .options = &taken,
                             .vertices = vertices,
                             .whys = whys,
                             .n = n};

    for (size_t k = 0; k < n; k++) {
        whys[k] = (struct mr_why){.memory = context->memory};
    }
    enum mr_status status = mr_sized_copy(options, &taken, sizeof taken, err);
    taken.dangling = taken.dangling != NULL ? taken.dangling : "teleport";
    if (status == MR_OK) {
        status = check_options(&of, err);
    }
    if (status == MR_OK) {
        status = find_links(&of, err);
    }
    if (status == MR_OK) {
        status = mr_degrees_read(context, store, MR_DEGREES_OUT, share_out, &of, err);
    }
    for (size_t k = 0; k < n && status == MR_OK; k++) {
        status = explain_vertex(&of, vertices[k], &whys[k], err);
    }
    for (size_t k = 0; k < n && status != MR_OK; k++) {
        mr_why_free(&whys[k]);
    }
    return status;
}
