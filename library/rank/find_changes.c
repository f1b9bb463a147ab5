/* SPDX-License-Identifier: Apache-2.0 */
/* The changes between two files of scores. Both are read and matched by name (score_match.h), and
 * again for the names of the pages and hosts that are listed: so no name stays in memory. Hosts are
 * numbered as they come, in the same way both times. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/base/sum.h"
#include "algorithms/scores/compare.h"
#include "engine/base/count_text.h"
#include "engine/base/hash_set.h"
#include "engine/base/sized_struct.h"
#include "engine/io/io.h"
#include "formats/score/score_match.h"
#include "formats/url/host.h"
#include "library/score_meta.h"

struct finder {
    const struct mr_context *context;
    struct mr_changes_options options;
    struct mr_scores_side sides[2];
    struct mr_score_match match;
    struct mr_hash_set hosts;
    uint32_t *host_of; /* [match.n_pairs] */
    uint64_t room;
    uint64_t no_host; /* the number of those without one */
    /* rows of pages, and of hosts, that still need their names: [n_wanted], by number */
    struct mr_change **wanted[2];
    uint64_t n_wanted[2];
};

/* ---- What is known of a file ---- */

static enum mr_status no_bound(const char *path, const json_t *meta, struct mr_error *err)
{
    const char *kind = json_string_value(json_object_get(meta, "algorithm"));

    if (kind != NULL && strcmp(kind, "pagerank") != 0) {
        return mr_error_file(err, MR_ERROR_INPUT, path, 0,
                             "has scores of %s without one error bound for all of them, so no "
                             "change can be proven; compare without --changes says how alike the "
                             "files are",
                             kind);
    }
    return mr_error_file(err, MR_ERROR_INPUT, path, 0,
                         "has no .meta.json with an error bound of PageRank beside it, so no "
                         "change can be proven; 'millrace certify SCORES --graph STORE --json > "
                         "SCORES.meta.json' writes one");
}

static enum mr_status fill_side(struct mr_scores_side *side, const json_t *meta,
                                struct mr_error *err)
{
    const json_t *vertices = json_object_get(meta, "vertices");
    const char *dangling = json_string_value(json_object_get(meta, "dangling"));
    const char *scale = json_string_value(json_object_get(meta, "scale"));
    const double sum = json_number_value(json_object_get(meta, "score_sum"));

    side->bound = mr_meta_error_bound(meta);
    if (!(side->bound >= 0) || dangling == NULL || json_integer_value(vertices) <= 0 ||
        !(sum > 0)) {
        return no_bound(side->path, meta, err);
    }
    side->n_vertices = (uint64_t)(json_integer_value(vertices) - /* those of --heritrix */
                                  json_integer_value(json_object_get(meta, "pages_left_out")));
    side->adds_up = strcmp(dangling, "none") != 0;
    if (json_object_get(meta, "order_proven") != NULL) { /* of certify: of scores by their sum */
        side->total = sum;
        side->bound *= sum;
    } else {
        const bool is_mean = (scale != NULL && strcmp(scale, "pages") == 0) ||
                             json_is_true(json_object_get(meta, "heritrix")) || sum > 1.05;
        side->total = is_mean ? (double)side->n_vertices : 1.0;
    }
    return MR_OK;
}

/* Sends a note for options of the ranking that differ: not only the links have changed then. */
static void compare_options(const struct finder *finder, const json_t *before, const json_t *after)
{
    static const char *const keys[] = {"algorithm", "damping",  "weights", "dangling",
                                       "teleport",  "heritrix", "seeds"};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const json_t *a = json_object_get(before, keys[i]), *b = json_object_get(after, keys[i]);
        if (a != NULL && b != NULL && !json_equal(a, b)) {
            mr_context_note(finder->context,
                            "%s and %s were not ranked in the same way: %s differs; changes come "
                            "from this, too",
                            finder->sides[0].path, finder->sides[1].path, keys[i]);
        }
    }
}

static enum mr_status read_sides(struct finder *finder, struct mr_error *err)
{
    json_t *metas[2] = {NULL, NULL};
    enum mr_status status = MR_OK;

    for (int i = 0; i < 2 && status == MR_OK; i++) {
        struct mr_scores_side *side = &finder->sides[i];
        if (side->path == NULL || strcmp(side->path, "-") == 0) {
            status = mr_error_set(err, MR_ERROR_USAGE,
                                  "changes need files of scores, because they are read twice");
        } else if (!mr_io_exists(side->path)) {
            status =
                mr_error_file(err, MR_ERROR_INPUT, side->path, 0, "does not exist; check the name");
        } else if (side->n_vertices == 0) {
            status = mr_meta_read(finder->context, side->path, &metas[i], err);
            status = status == MR_OK ? fill_side(side, metas[i], err) : status;
        }
    }
    if (status == MR_OK) {
        compare_options(finder, metas[0], metas[1]);
    }
    json_decref(metas[0]);
    json_decref(metas[1]);
    return status;
}

static enum mr_status check_rows(const struct mr_scores_side *side, uint64_t n_rows,
                                 struct mr_error *err)
{
    return n_rows == side->n_vertices
               ? MR_OK
               : mr_error_file(err, MR_ERROR_INPUT, side->path, 0,
                               "has %llu scores of a graph with %llu pages; changes need the "
                               "scores of all pages, as -o FILE writes them",
                               (unsigned long long)n_rows, (unsigned long long)side->n_vertices);
}

/* Exact scores add up to the total, and those of the file are so near to them as their bound. */
static enum mr_status check_sum(const struct mr_scores_side *side,
                                const struct mr_changes_scale *scale, struct mr_error *err)
{
    char bound[32];

    return !side->adds_up || fabs(scale->sum - side->total) <= side->bound + 0x1p-40 * side->total
               ? MR_OK
               : mr_error_file(err, MR_ERROR_INPUT, side->path, 0,
                               "has scores that add up to %.12g and not to %.12g, from which they "
                               "differ by at most %s by its .meta.json: they are changed or "
                               "rounded; rank again, or 'millrace certify' them",
                               scale->sum, side->total, mr_bound_text(side->bound, bound));
}

/* ---- Names ---- */

static int compare_numbers(const void *left, const void *right)
{
    const uint64_t a = (*(struct mr_change *const *)left)->number;
    const uint64_t b = (*(struct mr_change *const *)right)->number;
    return (a > b) - (a < b);
}

static enum mr_status give_name(const struct finder *finder, int of, uint64_t number,
                                const char *name, size_t name_bytes, struct mr_error *err)
{
    struct mr_change key = {.number = number}, *key_row = &key;
    struct mr_change **found = finder->n_wanted[of] == 0
                                   ? NULL
                                   : bsearch(&key_row, finder->wanted[of], finder->n_wanted[of],
                                             sizeof key_row, compare_numbers);

    if (found == NULL || (*found)->name != NULL) {
        return MR_OK;
    }
    (*found)->name = malloc(name_bytes + 1);
    if ((*found)->name == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the names of changes");
    }
    memcpy((*found)->name, name, name_bytes);
    (*found)->name[name_bytes] = '\0';
    (*found)->name_bytes = name_bytes;
    return MR_OK;
}

static enum mr_status no_names(struct mr_error *err)
{
    return mr_error_set(err, MR_ERROR_INPUT,
                        "an array has no names, by which changes are found; give files with names, "
                        "such as -o scores.tsv");
}

/* mr_score_match_visit. */
static enum mr_status visit(void *data, uint64_t pair, const char *name, size_t name_bytes,
                            struct mr_error *err)
{
    static const struct mr_canonical urls = {0};
    struct finder *finder = data;
    char host[MR_HOST_MAX_BYTES];

    if (name == NULL) {
        return no_names(err);
    }
    enum mr_status status = give_name(finder, 0, pair, name, name_bytes, err);
    if (status != MR_OK || !finder->options.hosts) {
        return status;
    }
    const size_t bytes = mr_host_of_name(&urls, name, name_bytes, host, sizeof host);
    uint32_t number;
    status = mr_hash_set_add(&finder->hosts, XXH3_128bits(host, bytes), &number, err);
    if (status == MR_OK) {
        status = mr_memory_grow(finder->context->memory, "hosts of pages", pair + 1,
                                &finder->host_of, &finder->room, err);
    }
    if (status != MR_OK) {
        return status;
    }
    finder->host_of[pair] = number;
    finder->no_host = bytes == 0 ? number : finder->no_host;
    return give_name(finder, 1, number, host, bytes, err);
}

/* Reads both files. Forgets what an earlier reading found. */
static enum mr_status read_files(struct finder *finder, struct mr_error *err)
{
    const struct mr_scores_side *sides = finder->sides;

    mr_hash_set_free(&finder->hosts);
    mr_score_match_free(&finder->match);
    finder->hosts = (struct mr_hash_set){.memory = finder->context->memory, .name = "hosts"};
    finder->no_host = UINT64_MAX;
    const enum mr_status status =
        mr_score_match_read(finder->context, sides[0].path, sides[0].column, sides[1].path,
                            sides[1].column, visit, finder, &finder->match, err);
    return status == MR_OK && finder->match.by_row ? no_names(err) : status;
}

/* ---- Changes ---- */

/* Adds up the pairs by host. The caller frees `*sums`. */
static enum mr_status sum_hosts(const struct finder *finder, struct mr_score_pair **pairs,
                                struct mr_error *err)
{
    struct mr_memory *memory = finder->context->memory;
    const uint64_t n = finder->hosts.n;
    struct mr_sum *sums = NULL; /* [2 * n]; the sum is NaN if there is no page */
    enum mr_status status = mr_memory_array(memory, "sums of hosts", 2 * n, &sums, err);

    for (uint64_t i = 0; status == MR_OK && i < 2 * n; i++) {
        sums[i].sum = NAN;
    }
    for (uint64_t i = 0; status == MR_OK && i < finder->match.n_pairs; i++) {
        const double scores[2] = {finder->match.pairs[i].a, finder->match.pairs[i].b};
        for (int side = 0; side < 2; side++) {
            struct mr_sum *sum = &sums[2 * (uint64_t)finder->host_of[i] + (uint64_t)side];
            if (!isnan(scores[side])) {
                sum->sum = isnan(sum->sum) ? 0 : sum->sum;
                mr_sum_add(sum, scores[side]);
            }
        }
    }
    if (status == MR_OK) {
        status = mr_memory_array(memory, "scores of hosts", n, pairs, err);
    }
    for (uint64_t i = 0; status == MR_OK && i < n; i++) {
        (*pairs)[i] = (struct mr_score_pair){.a = mr_sum_value(&sums[2 * i]),
                                             .b = mr_sum_value(&sums[2 * i + 1])};
    }
    mr_memory_free(memory, sums);
    return status;
}

/* Lists the changes of pages (0) or hosts (1), and wants their names. */
static enum mr_status list_changes(struct finder *finder, int of, const struct mr_score_pair *pairs,
                                   uint64_t n, uint64_t left_out,
                                   const struct mr_changes_scale scales[2],
                                   struct mr_changes *changes, struct mr_error *err)
{
    struct mr_change_list *lists = changes->lists[of];
    uint64_t n_rows = 0;
    enum mr_status status = mr_changes_list(finder->context, pairs, n, left_out, scales,
                                            finder->options.top, lists, err);

    for (unsigned kind = 0; kind < MR_CHANGE_KINDS; kind++) {
        n_rows += lists[kind].n_rows;
    }
    if (status == MR_OK) {
        status = mr_memory_array(finder->context->memory, "names of changes", n_rows,
                                 &finder->wanted[of], err);
    }
    for (unsigned kind = 0; status == MR_OK && kind < MR_CHANGE_KINDS; kind++) {
        for (uint64_t i = 0; i < lists[kind].n_rows; i++) {
            finder->wanted[of][finder->n_wanted[of]++] = &lists[kind].rows[i];
        }
    }
    if (finder->n_wanted[of] > 0) {
        qsort(finder->wanted[of], finder->n_wanted[of], sizeof *finder->wanted[of],
              compare_numbers);
    }
    return status;
}

static enum mr_status compare(struct finder *finder, struct mr_changes *changes,
                              struct mr_error *err)
{
    const struct mr_score_match *match = &finder->match;
    struct mr_changes_scale scales[2];
    struct mr_score_pair *hosts = NULL;

    changes->n_common = match->n_common;
    for (uint64_t i = 0; i < match->n_pairs; i++) {
        changes->n_before += isnan(match->pairs[i].a) ? 0 : 1;
        changes->n_after += isnan(match->pairs[i].b) ? 0 : 1;
    }
    enum mr_status status = check_rows(&finder->sides[0], changes->n_before, err);
    if (status == MR_OK) {
        status = check_rows(&finder->sides[1], changes->n_after, err);
    }
    for (int i = 0; i < 2; i++) {
        scales[i] = mr_changes_scale_of(match->pairs, match->n_pairs, i, &finder->sides[i],
                                        finder->options.shares);
        status = status == MR_OK ? check_sum(&finder->sides[i], &scales[i], err) : status;
    }
    changes->bound_before = scales[0].bound * scales[0].factor;
    changes->bound_after = scales[1].bound * scales[1].factor;
    if (status == MR_OK) {
        status =
            list_changes(finder, 0, match->pairs, match->n_pairs, UINT64_MAX, scales, changes, err);
    }
    if (status == MR_OK && finder->options.hosts) {
        status = sum_hosts(finder, &hosts, err);
    }
    if (status == MR_OK && finder->options.hosts) {
        status =
            list_changes(finder, 1, hosts, finder->hosts.n, finder->no_host, scales, changes, err);
    }
    mr_memory_free(finder->context->memory, hosts);
    return status;
}

enum mr_status mr_scores_find_changes(const struct mr_context *context,
                                      const struct mr_scores_side *before,
                                      const struct mr_scores_side *after,
                                      const struct mr_changes_options *options,
                                      struct mr_changes *changes, struct mr_error *err)
{
    struct finder finder = {.context = context,
                            .options = MR_CHANGES_OPTIONS_INIT,
                            .sides = {*before, *after},
                            .hosts = {.memory = context->memory}};

    *changes = (struct mr_changes){.memory = context->memory};
    enum mr_status status = mr_sized_copy(options, &finder.options, sizeof finder.options, err);
    finder.options.top += finder.options.top == 0 ? 100 : 0;
    if (status == MR_OK) {
        status = read_sides(&finder, err);
    }
    if (status == MR_OK) {
        status = read_files(&finder, err);
    }
    if (status == MR_OK) {
        status = compare(&finder, changes, err);
    }
    if (status == MR_OK && finder.n_wanted[0] + finder.n_wanted[1] > 0) {
        status = read_files(&finder, err);
    }
    mr_hash_set_free(&finder.hosts);
    mr_score_match_free(&finder.match);
    mr_memory_free(context->memory, finder.host_of);
    mr_memory_free(context->memory, finder.wanted[0]);
    mr_memory_free(context->memory, finder.wanted[1]);
    if (status != MR_OK) {
        mr_changes_free(changes);
    }
    return status;
}

void mr_changes_free(struct mr_changes *changes)
{
    for (unsigned i = 0; i < 2 * MR_CHANGE_KINDS; i++) {
        struct mr_change_list *list = &changes->lists[i / MR_CHANGE_KINDS][i % MR_CHANGE_KINDS];
        for (uint64_t row = 0; row < list->n_rows; row++) {
            free(list->rows[row].name);
        }
        if (changes->memory != NULL) {
            mr_memory_free(changes->memory, list->rows);
        }
    }
    *changes = (struct mr_changes){.memory = NULL};
}
