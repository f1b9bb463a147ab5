/* Ranks a file of links and prints the ten best pages, with nothing but the public face of
 * libmillrace:
 *
 *     cc rank_links.c $(pkg-config --cflags --libs millrace) -o rank_links
 *     ./rank_links links.txt.gz web.mill
 *
 * The file is in any format that `millrace build` reads. The store stays; a second run replaces
 * it. */
#include <millrace/millrace.h>

#include <stdio.h>

static int fail(const struct mr_error *err)
{
    char text[1400];

    (void)fprintf(stderr, "rank_links: %s\n", mr_error_text(err, text, sizeof text));
    return (int)err->status;
}

static void on_note(void *data, const char *text)
{
    (void)data;
    (void)fprintf(stderr, "rank_links: note: %s\n", text);
}

/* Build the store, open it, rank it, and write the best pages to standard output. The caller
 * closes `store`, `names` and `ranking`, also after an error. */
static enum mr_status rank(const struct mr_context *context, const char *input, const char *path,
                           struct mr_store **store, struct mr_names **names,
                           struct mr_ranking **ranking, struct mr_error *err)
{
    const struct mr_store_build_options build = {.struct_size = sizeof build, .force = true};
    const struct mr_scores_options top = {.struct_size = sizeof top, .only_top = true, .top = 10};
    struct mr_ranking_figures figures = {.struct_size = sizeof figures};

    enum mr_status status = mr_store_build_files(context, path, &input, 1, &build, NULL, err);
    if (status == MR_OK) {
        status = mr_store_open(context, path, store, err);
    }
    if (status == MR_OK) {
        status = mr_store_open_names(context, *store, names, err);
    }
    if (status == MR_OK) {
        status = mr_rank_pagerank(context, *store, NULL, ranking, err);
    }
    if (status != MR_OK) {
        return status;
    }
    unsigned n_columns = 0;
    const struct mr_score_column *columns = mr_ranking_columns(*ranking, &n_columns);
    mr_ranking_describe(*ranking, &figures);
    (void)fprintf(stderr, "rank_links: the scores' errors add up to %.3g at most\n",
                  figures.error_bound);
    return mr_scores_write(context, NULL, *names, figures.n_vertices, columns, n_columns, &top,
                           NULL, err);
}

int main(int argc, char **argv)
{
    const struct mr_context_options options = {.struct_size = sizeof options, .note = on_note};
    struct mr_error err = {.status = MR_OK};
    struct mr_context *context = NULL;
    struct mr_store *store = NULL;
    struct mr_names *names = NULL;
    struct mr_ranking *ranking = NULL;

    if (argc != 3) {
        (void)fprintf(stderr, "usage: rank_links LINKS STORE\n");
        return MR_ERROR_USAGE;
    }
    enum mr_status status = mr_context_create(&options, &context, &err);
    if (status == MR_OK) {
        status = rank(context, argv[1], argv[2], &store, &names, &ranking, &err);
    }
    mr_ranking_free(ranking);
    mr_names_close(names);
    mr_store_close(store);
    mr_context_destroy(context);
    return status == MR_OK ? 0 : fail(&err);
}
