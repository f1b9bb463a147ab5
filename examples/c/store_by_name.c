/* SPDX-License-Identifier: Apache-2.0 */
/* A store queried by name: the degrees and the score of pages.
 *
 *     store_by_name STORE NAME...
 *
 * Prints "NAME, links to it, links on it, score" for each page. Ends with 1 where one is unknown.
 */
#include <millrace/millrace.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct mr_error err;

static void check(enum mr_status status)
{
    char text[1400];

    if (status != MR_OK) {
        fprintf(stderr, "store_by_name: %s\n", mr_error_text(&err, text, sizeof text));
        exit((int)status);
    }
}

int main(int argc, char **argv)
{
    struct mr_context *context = NULL;
    struct mr_store *store = NULL;
    struct mr_names *names = NULL;
    struct mr_ranking *ranking = NULL, *degrees = NULL;
    int result = 0;

    if (argc < 3) {
        fprintf(stderr, "usage: store_by_name STORE NAME...\n");
        return MR_ERROR_USAGE;
    }
    check(mr_context_create(NULL, &context, &err));
    check(mr_store_open(context, argv[1], &store, &err));
    check(mr_store_open_names(context, store, &names, &err));
    check(mr_rank(context, store, NULL, "pagerank", NULL, 0, &ranking, &err));
    check(mr_rank(context, store, NULL, "degree", NULL, 0, &degrees,
                  &err)); /* columns: links on it, links to it */
    for (int i = 2; i < argc; i++) {
        uint32_t page = 0;
        bool found = false;
        check(mr_names_find(names, argv[i], strlen(argv[i]), &page, &found, &err));
        if (found) {
            printf("%s\t%.0f\t%.0f\t%.9f\n", argv[i], mr_ranking_scores(degrees, 1)[page],
                   mr_ranking_scores(degrees, 0)[page], mr_ranking_scores(ranking, 0)[page]);
        } else {
            fprintf(stderr, "store_by_name: no page is called %s\n", argv[i]);
            result = 1;
        }
    }
    mr_ranking_free(degrees);
    mr_ranking_free(ranking);
    mr_names_close(names);
    mr_store_close(store), mr_context_destroy(context);
    return result;
}
