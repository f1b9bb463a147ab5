/* SPDX-License-Identifier: Apache-2.0 */
/* The last stage of a level of `release`: joins PageRank, harmonic centrality, degrees and names
 * into the files that Common Crawl publishes, and writes statistics under the names that WebGraph's
 * .stats files use. It also prints the statistics and the first ranks at the end of a release. */
#include "cli/release/release.h"

#include <inttypes.h>

#include "cli/program/meta.h"
#include "engine/base/memory.h"
#include "formats/release/release_files.h"

enum { SHOWN_RANKS = 10, BUFFERS_BYTES = 64 << 20 };

void mr_release_path(char path[PATH_MAX], const char *prefix, const char *suffix)
{
    if (snprintf(path, PATH_MAX, "%s%s", prefix, suffix) >= PATH_MAX) {
        path[0] = '\0';
    }
}

uint64_t mr_release_tables_bytes(uint64_t n_vertices)
{
    /* a float, a double, two positions and an order */
    return MR_MEMORY_FLOOR_BYTES + 24 * n_vertices + BUFFERS_BYTES;
}

/* ---- Statistics ---- */

static uint64_t count_at(const json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

static enum mr_status put_degrees(struct mr_output *output, const char *kind,
                                  const struct mr_degree_figures *figures, uint64_t n,
                                  struct mr_error *err)
{
    return mr_output_print(output, err,
                           "min%sdegree=%" PRIu64 "\nmax%sdegree=%" PRIu64
                           "\nmin%sdegreenode=%" PRIu64 "\nmax%sdegreenode=%" PRIu64
                           "\navg%sdegree=%.17g\n",
                           kind, figures->least, kind, figures->most, kind, figures->least_at, kind,
                           figures->most_at, kind, n == 0 ? 0 : (double)figures->sum / (double)n);
}

static double percent(uint64_t part, uint64_t all)
{
    return all == 0 ? 0 : 100 * (double)part / (double)all;
}

static enum mr_status put_components(struct mr_output *output, const json_t *components, uint64_t n,
                                     struct mr_error *err)
{
    const json_t *weak = json_object_get(components, "weak");
    const json_t *strong = json_object_get(components, "strong");
    const json_t *bow_tie = json_object_get(components, "bow_tie");

    enum mr_status status =
        mr_output_print(output, err,
                        "wccs=%" PRIu64 "\nmaxwccsize=%" PRIu64 "\npercmaxwcc=%.6f\nsccs=%" PRIu64
                        "\nmaxsccsize=%" PRIu64 "\npercmaxscc=%.6f\n",
                        count_at(weak, "components"), count_at(weak, "largest"),
                        percent(count_at(weak, "largest"), n), count_at(strong, "components"),
                        count_at(strong, "largest"), percent(count_at(strong, "largest"), n));
    static const char *const parts[] = {"core", "in", "out", "tendrils", "disconnected"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && status == MR_OK; i++) {
        status = mr_output_print(output, err, "bowtie%s=%" PRIu64 "\n", parts[i],
                                 count_at(bow_tie, parts[i]));
    }
    return status;
}

static enum mr_status write_statistics(struct mr_session *session,
                                       const struct mr_release_level *level,
                                       const struct mr_store_info *info,
                                       const struct mr_degree_figures figures[MR_DEGREE_KINDS],
                                       struct mr_error *err)
{
    char path[PATH_MAX], labels[PATH_MAX];
    struct mr_output *output = NULL;
    json_t *components = NULL;
    const uint64_t n = level->n_vertices, dangling = figures[MR_DEGREE_OUT].n_zero;

    mr_release_path(path, level->prefix, MR_RELEASE_STATISTICS);
    mr_release_path(labels, level->prefix, MR_RELEASE_COMPONENTS);
    enum mr_status status = mr_meta_read(&session->context, labels, &components, err);
    if (status == MR_OK) {
        status = mr_output_open(&session->context, path, true, &output, err);
    }
    if (status == MR_OK) {
        status =
            mr_output_print(output, err,
                            "nodes=%" PRIu64 "\narcs=%" PRIu64 "\nloops=%" PRIu64
                            "\ndangling=%" PRIu64 "\npercdangling=%.6f\n",
                            n, level->n_edges, info->n_self_loops, dangling, percent(dangling, n));
    }
    if (status == MR_OK) {
        status = put_degrees(output, "out", &figures[MR_DEGREE_OUT], n, err);
    }
    if (status == MR_OK) {
        status = put_degrees(output, "in", &figures[MR_DEGREE_IN], n, err);
    }
    if (status == MR_OK) {
        status = put_components(output, components, n, err);
    }
    json_decref(components);
    return mr_output_end(output, status, err);
}

enum mr_status mr_release_tables(struct mr_session *session, const struct mr_release_level *level,
                                 struct mr_error *err)
{
    char harmonic[PATH_MAX], pagerank[PATH_MAX], degrees[PATH_MAX];
    struct mr_degree_figures figures[MR_DEGREE_KINDS];
    struct mr_release_files files = {.n = level->n_vertices,
                                     .harmonic = harmonic,
                                     .pagerank = pagerank,
                                     .degrees = degrees,
                                     .name_title = level->name_title,
                                     .counts = level->counts,
                                     .count_title = level->count_title,
                                     .prefix = level->prefix};
    struct mr_graph graph = {0};

    mr_release_path(harmonic, level->prefix, MR_RELEASE_HARMONIC);
    mr_release_path(pagerank, level->prefix, MR_RELEASE_PAGERANK);
    mr_release_path(degrees, level->prefix, MR_RELEASE_DEGREES);
    enum mr_status status = mr_graph_open_at(session, level->store, &graph, err);
    if (status == MR_OK) {
        status = mr_release_files_write(&session->context, graph.names, &files, figures, err);
    }
    if (status == MR_OK) {
        status = write_statistics(session, level, mr_store_get_info(graph.store), figures, err);
    }
    mr_graph_close(session, &graph);
    return status;
}

/* ---- At the end ---- */

static void print_line(const char *line, size_t bytes)
{
    printf("%.*s\n", (int)bytes, line);
}

static enum mr_status print_lines(struct mr_session *session, const struct mr_release_level *level,
                                  const char *suffix, uint64_t n, struct mr_error *err)
{
    char path[PATH_MAX];

    mr_release_path(path, level->prefix, suffix);
    return mr_release_lines(&session->context, path, n, print_line, err);
}

enum mr_status mr_release_print(struct mr_session *session, const struct mr_release_level *level,
                                struct mr_error *err)
{
    printf("# %s\n", level->name);
    enum mr_status status = print_lines(session, level, MR_RELEASE_STATISTICS, UINT64_MAX, err);
    return status == MR_OK ? print_lines(session, level, MR_RELEASE_RANKS, SHOWN_RANKS + 1, err)
                           : status;
}
