/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays to ranks: links in memory become a store, and the store is ranked.
 *
 *     arrays_to_ranks STORE
 *
 * Prints each page with its score, and a bound on the sum of the errors of all scores. */
#include <millrace/millrace.h>

#include <stdio.h>
#include <stdlib.h>

enum { N_PAGES = 4, N_LINKS = 6 };
static const char *const pages[N_PAGES] = {"http://a.example/", "http://b.example/",
                                           "http://c.example/", "http://d.example/"};
static const uint64_t sources[N_LINKS] = {0, 0, 1, 2, 3, 3};
static const uint64_t targets[N_LINKS] = {1, 2, 2, 0, 0, 2};

static struct mr_memory_edges links = MR_MEMORY_EDGES_INIT;
static struct mr_ranking_figures figures;
static struct mr_error err;

static void check(enum mr_status status)
{
    char text[1400];

    if (status != MR_OK) {
        fprintf(stderr, "arrays_to_ranks: %s\n", mr_error_text(&err, text, sizeof text));
        exit((int)status);
    }
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "arrays.mill";
    struct mr_context *context = NULL;
    struct mr_store *store = NULL;
    struct mr_names *names = NULL;
    struct mr_ranking *ranking = NULL;
    unsigned n_columns = 0;

    links.n_edges = N_LINKS, links.sources = sources, links.targets = targets;
    links.n_names = N_PAGES, links.names = pages;
    check(mr_context_create(NULL, &context, &err));
    check(mr_store_build_edges(context, path, &links, NULL, NULL, &err));
    check(mr_store_open(context, path, &store, &err));
    check(mr_store_open_names(context, store, &names, &err));
    check(mr_rank(context, store, NULL, "pagerank", NULL, 0, &ranking, &err));
    const struct mr_score_column *columns = mr_ranking_columns(ranking, &n_columns);
    check(mr_scores_write(context, NULL, names, N_PAGES, columns, n_columns, NULL, NULL, &err));
    figures.struct_size = sizeof figures;
    mr_ranking_describe(ranking, &figures);
    fprintf(stderr, "the errors of all scores add up to %.0e at most\n", figures.error_bound);
    mr_ranking_free(ranking);
    mr_names_close(names);
    mr_store_close(store);
    mr_context_destroy(context);
    return 0;
}
