/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the best pages of a ranking with their degrees and hosts, and prints them. Rankings call it
 * at their end if standard output is a terminal: a person reads few lines, of those digits that are
 * proven. A pipe gets lines of scores. The place of a page in its host is counted among the pages
 * of the list, k^2 comparisons: all pages that are better than the k-th best are in it. */
#include "cli/graph/best_pages.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/bytes.h"
#include "engine/base/count_text.h"
#include "formats/url/host.h"
#include "library/score_meta.h"

/* One page of the list. */
struct listed_page {
    struct mr_best_score best;
    struct mr_vertex_facts facts;
    char *name, *host; /* owned; "" where the name has no host */
    size_t name_bytes;
    uint64_t place; /* in its host, from 1 */
};

struct best_list {
    struct listed_page *pages; /* [n] */
    uint64_t n;
};

bool mr_best_pages_wanted(const char *output, uint64_t top)
{
    return (output == NULL || top > 0) && top <= MR_BEST_PAGES_MOST && isatty(STDOUT_FILENO);
}

int mr_proven_decimals(double bound)
{
    int decimals = 0;
    double half_unit = 0.05;

    while (decimals < 17 && bound >= 0.0 && bound <= half_unit) {
        decimals++;
        half_unit /= 10.0;
    }
    return decimals;
}

double mr_bound_beside(const struct mr_context *context, const char *scores)
{
    json_t *meta = NULL;
    const enum mr_status status = mr_meta_read(context, scores, &meta, NULL);
    const double bound = status == MR_OK ? mr_meta_error_bound(meta) : NAN;

    json_decref(meta);
    return isfinite(bound) ? bound : -1;
}

static void close_list(struct best_list *list)
{
    for (uint64_t i = 0; i < list->n; i++) {
        free(list->pages[i].name);
        free(list->pages[i].host);
    }
    free(list->pages);
}

/* A terminated copy; NULL without memory. */
static char *copy_of(const char *text, size_t bytes)
{
    char *copy = malloc(bytes + 1);

    if (copy != NULL) {
        memcpy(copy, text, bytes);
        copy[bytes] = '\0';
    }
    return copy;
}

static enum mr_status describe(struct mr_session *session, const struct mr_best_pages *best,
                               struct best_list *list, struct listed_page *page,
                               struct mr_error *err)
{
    char host[MR_HOST_MAX_BYTES];
    const char *name = NULL;
    size_t bytes = 0;

    page->facts.struct_size = sizeof page->facts;
    enum mr_status status =
        mr_vertex_describe(&session->context, best->graph->store, best->graph->names,
                           page->best.vertex, &page->facts, err);

    if (status == MR_OK) {
        status = mr_names_get(best->graph->names, page->best.vertex, &name, &bytes, err);
    }
    if (status != MR_OK) {
        return status;
    }
    const size_t host_bytes =
        mr_host_of_name(&best->graph->canonical, name, bytes, host, sizeof host);
    page->name_bytes = bytes;
    page->name = copy_of(name, bytes);
    page->host = copy_of(host, host_bytes);
    if (page->name == NULL || page->host == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the names of the best pages");
    }
    page->place = 1;
    for (const struct listed_page *p = list->pages; p < page; p++) {
        page->place += strcmp(p->host, page->host) == 0;
    }
    return MR_OK;
}

static enum mr_status make_list(struct mr_session *session, const struct mr_best_pages *best,
                                struct best_list *list, struct mr_error *err)
{
    const uint64_t n_vertices = mr_store_get_info(best->graph->store)->n_vertices;
    uint64_t k = mr_min_u64(best->k > 0 ? best->k : MR_BEST_PAGES, n_vertices);
    struct mr_best_score *scores = calloc((size_t)k + 1, sizeof *scores);

    list->pages = calloc((size_t)k + 1, sizeof *list->pages);
    if (scores == NULL || list->pages == NULL) {
        free(scores);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the best %llu pages",
                            (unsigned long long)k);
    }
    enum mr_status status = mr_scores_best(&best->columns[best->leading], best->graph->names,
                                           n_vertices, best->chosen, scores, &k, err);
    while (status == MR_OK && list->n < k) {
        struct listed_page *page = &list->pages[list->n];
        page->best = scores[list->n++];
        status = describe(session, best, list, page, err);
    }
    free(scores);
    return status;
}

/* ---- The table ---- */

static bool are_whole(const struct best_list *list)
{
    for (uint64_t i = 0; i < list->n; i++) {
        if (list->pages[i].best.score != floor(list->pages[i].best.score)) {
            return false;
        }
    }
    return true;
}

/* The decimals of the scores: those that are proven, but two digits of the last score, so that
 * pages can be told apart. Where nothing is proven six digits, or none if the scores are whole, as
 * those of `degree`. */
static int decimals_of(const struct mr_best_pages *best, const struct best_list *list)
{
    const double last = list->n > 0 ? list->pages[list->n - 1].best.score : 1.0;
    const double size = last > 0.0 && isfinite(last) ? -floor(log10(last)) : 1.0;
    const int two_digits = size < 0.0 ? 0 : (int)size + 1;
    const int proven = mr_proven_decimals(best->bound);

    if (!(best->bound >= 0.0)) {
        return are_whole(list) ? 0 : two_digits + 4 < 17 ? two_digits + 4 : 17;
    }
    return proven > two_digits ? proven : two_digits < 17 ? two_digits : 17;
}

/* The columns of `degree` say the numbers of links themselves. */
static bool has_degrees(const struct mr_best_pages *best)
{
    for (unsigned i = 0; i < best->n_columns; i++) {
        if (strcmp(best->columns[i].name, "in") == 0) {
            return true;
        }
    }
    return false;
}

static enum mr_status print_table(struct mr_session *session, const struct mr_best_pages *best,
                                  const struct best_list *list, struct mr_error *err)
{
    const int decimals = decimals_of(best, list);
    bool hosts = false;

    for (uint64_t i = 0; i < list->n; i++) {
        hosts |= list->pages[i].host[0] != '\0';
    }
    const struct mr_row_column columns[] = {
        {best->columns[best->leading].name, MR_CELL_REAL, false},
        {"links in", MR_CELL_COUNT, false},
        {"links out", MR_CELL_COUNT, false},
        {"in host", MR_CELL_COUNT, !hosts},
        {"page", MR_CELL_NAME, false}};
    struct mr_row_writer rows = {
        .columns = columns, .n_columns = sizeof columns / sizeof columns[0], .is_aligned = true};
    enum mr_status status = mr_session_open_rows(session, &(struct mr_rows_flags){0}, &rows, err);
    for (uint64_t i = 0; i < list->n && status == MR_OK; i++) {
        const struct listed_page *page = &list->pages[i];
        char score[400];
        (void)snprintf(score, sizeof score, "%.*f", decimals, page->best.score);
        const struct mr_cell cells[] = {
            {.text = score},
            {.count = page->facts.in_degree},
            {.count = page->facts.out_degree},
            {.text = page->host[0] == '\0' ? "" : NULL, .count = page->place},
            {.text = page->name, .bytes = page->name_bytes}};
        status = mr_row_writer_add(&rows, cells, err);
    }
    return mr_row_writer_end(&rows, status, err);
}

static void say_rest(struct mr_session *session, const struct mr_best_pages *best,
                     const struct best_list *list)
{
    const uint64_t n_vertices = mr_store_get_info(best->graph->store)->n_vertices;
    char count[32];

    if (best->bound >= 0.0) {
        mr_session_say(session, "each score is proven to %d decimals",
                       mr_proven_decimals(best->bound));
    }
    if (best->k == 0 && list->n < n_vertices && best->chosen == NULL) {
        mr_session_say(session,
                       "%s more page%s: -o FILE writes all scores, --top K prints the best K; a "
                       "pipe gets all, best first",
                       mr_count_text(n_vertices - list->n, count),
                       n_vertices - list->n == 1 ? "" : "s");
    }
}

/* Pages whose score is 0 are in no order, so a table leaves them out: most pages are far from the
 * seed of a personalised ranking. The first page stays. */
static void leave_out_zeros(struct best_list *list)
{
    while (list->n > 1 && list->pages[list->n - 1].best.score == 0.0) {
        list->n--;
        free(list->pages[list->n].name);
        free(list->pages[list->n].host);
    }
}

enum mr_status mr_best_pages_print(struct mr_session *session, const struct mr_best_pages *best,
                                   struct mr_error *err)
{
    struct best_list list = {0};
    enum mr_status status = make_list(session, best, &list, err);

    if (status == MR_OK) {
        if (best->k == 0) {
            leave_out_zeros(&list);
        }
        status = print_table(session, best, &list, err);
    }
    if (status == MR_OK) {
        say_rest(session, best, &list);
    }
    close_list(&list);
    return status;
}

/* ---- JSON ---- */

static json_t *page_json(const struct mr_best_pages *best, const struct listed_page *page)
{
    struct mr_json row = mr_json_create();

    mr_json_add(&row, "name", mr_json_string(page->name, page->name_bytes));
    for (unsigned i = 0; i < best->n_columns; i++) {
        mr_json_real(&row, best->columns[i].name,
                     mr_score_at(&best->columns[i], page->best.vertex));
    }
    if (!has_degrees(best)) {
        mr_json_count(&row, "links_in", page->facts.in_degree);
        mr_json_count(&row, "links_out", page->facts.out_degree);
    }
    if (page->host[0] != '\0') {
        mr_json_text(&row, "host", page->host);
        mr_json_count(&row, "rank_in_host", page->place);
    }
    return mr_json_finish(&row);
}

enum mr_status mr_best_pages_json(struct mr_session *session, const struct mr_best_pages *best,
                                  const struct mr_json *json, struct mr_error *err)
{
    struct mr_json with_top = {.object = json_copy(json->object), .failed = json->failed};
    struct best_list list = {0};
    enum mr_status status = MR_OK;

    if (best->k > 0) {
        json_t *rows = json_array();
        status = make_list(session, best, &list, err);
        for (uint64_t i = 0; status == MR_OK && i < list.n; i++) {
            with_top.failed |= json_array_append_new(rows, page_json(best, &list.pages[i])) != 0;
        }
        mr_json_add(&with_top, "top", rows);
    }
    if (status == MR_OK) {
        with_top.failed |= with_top.object == NULL;
        status = mr_json_print_and_destroy(&with_top, err);
    }
    mr_json_destroy(&with_top);
    close_list(&list);
    return status;
}
