/* SPDX-License-Identifier: Apache-2.0 */
/* A file to a store to precedence: links of a crawl become levels for the queues of a crawler.
 *
 *     file_to_precedence LINKS STORE >precedence.txt
 *
 * LINKS has any format that `millrace build` reads. Prints lines "URL LEVEL", 1 for the best. */
#include <millrace/millrace.h>

#include <stdio.h>
#include <stdlib.h>

static struct mr_error err;

static void check(enum mr_status status)
{
    char text[1400];

    if (status != MR_OK) {
        fprintf(stderr, "file_to_precedence: %s\n", mr_error_text(&err, text, sizeof text));
        exit((int)status);
    }
}

int main(int argc, char **argv)
{
    struct mr_context *context = NULL;
    struct mr_store *store = NULL;
    struct mr_names *names = NULL;
    struct mr_ranking *ranking = NULL;

    if (argc != 3) {
        fprintf(stderr, "usage: file_to_precedence LINKS STORE >precedence.txt\n");
        return MR_ERROR_USAGE;
    }
    check(mr_context_create(NULL, &context, &err));
    check(
        mr_store_build_files(context, argv[2], (const char *const *)argv + 1, 1, NULL, NULL, &err));
    check(mr_store_open(context, argv[2], &store, &err));
    check(mr_store_open_names(context, store, &names, &err));
    check(mr_rank(context, store, NULL, "pagerank", NULL, 0, &ranking, &err));
    check(mr_precedence_write(context, store, names, mr_ranking_scores(ranking, 0), NULL, "-", NULL,
                              NULL, &err));
    mr_ranking_free(ranking);
    mr_names_close(names);
    mr_store_close(store);
    mr_context_destroy(context);
    return MR_OK;
}
