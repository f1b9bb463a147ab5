/* SPDX-License-Identifier: Apache-2.0 */
/* Tests ranks against the expected results of other projects' tests. Each vector is a directory
 * with graph.el, vertices.txt, expected.tsv and params.json.
 *
 *     vectors_test [DIRECTORY]
 *
 * The directory is $MILLRACE_VECTORS, or ../shared/vectors beside the sources. It is not part of
 * this repository; without it the test is skipped. facts_test has the small vectors and always
 * runs. */
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/conformance/ranked_case.h"
#include "tests/support/test_dir.h"

enum { EXIT_SKIPPED = 77, MAX_NAME = 128 };

enum verdict { PASSED, FAILED, SKIPPED };

struct vector {
    /* of this vector, relative: main has changed to the directory of all vectors */
    const char *directory;
    json_t *params;
    struct ranked_case graph;
    const char *reason; /* why the vector is skipped or wrong; static or in `params` */
};

/* ---- Files ---- */

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Calls `line` for every line except comments and empty ones, until a call returns false. */
static bool each_line(struct vector *vector, const char *name,
                      bool (*line)(struct vector *vector, char *text))
{
    char path[PATH_MAX];
    char *text = NULL;
    size_t room = 0;
    bool good = true;

    (void)snprintf(path, sizeof path, "%s/%s", vector->directory, name);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        vector->reason = "a file is missing";
        return false;
    }
    while (good && getline(&text, &room, file) >= 0) {
        if (text[0] != '#' && text[strspn(text, " \t\r\n")] != '\0') {
            good = line(vector, text);
        }
    }
    free(text);
    (void)fclose(file);
    return good;
}

static bool read_id(char **text, uint64_t *id)
{
    char *end;

    errno = 0;
    *id = strtoull(*text, &end, 10);
    const bool good = errno == 0 && end != *text;
    *text = end;
    return good;
}

static bool vertex_line(struct vector *vector, char *text)
{
    uint64_t id;

    if (!read_id(&text, &id)) {
        vector->reason = "a bad line in vertices.txt";
        return false;
    }
    case_add_vertex(&vector->graph, id);
    return true;
}

static bool edge_line(struct vector *vector, char *text)
{
    const char *weights = json_string_value(json_object_get(vector->params, "weights"));
    uint64_t source, target;

    if (!read_id(&text, &source) || !read_id(&text, &target)) {
        vector->reason = "a bad line in graph.el";
        return false;
    }
    const bool is_ignored = weights != NULL && starts_with(weights, "ignored");
    if (!is_ignored && text[strspn(text, " \t\r\n")] != '\0') {
        char *end = NULL;
        const float weight = strtof(text, &end);
        if (end == text || !mr_weight_is_good(weight)) {
            vector->reason = "a bad weight in graph.el";
            return false;
        }
        case_add_weighted_edge(&vector->graph, source, target, weight);
        return true;
    }
    case_add_edge(&vector->graph, source, target);
    return true;
}

static bool expected_line(struct vector *vector, char *text)
{
    uint64_t id;
    char *end = NULL;
    double value = 0.0;

    double authority = 0.0;
    const bool good = read_id(&text, &id);
    if (good) {
        value = strtod(text, &end);
    }
    if (good && vector->graph.is_hits && end != text) {
        text = end;
        authority = strtod(text, &end);
    }
    if (!good || end == text || end[strspn(end, " \t\r\n")] != '\0' ||
        !(vector->graph.is_hits ? case_expect_hits(&vector->graph, id, value, authority)
                                : case_expect(&vector->graph, id, value))) {
        vector->reason = "a bad line in expected.tsv";
        return false;
    }
    return true;
}

/* ---- Parameters ---- */

/* NULL, or the reason why the program cannot compute this vector. */
static const char *why_skip(const char *name, const json_t *algorithm)
{
    if (!json_is_string(algorithm)) {
        return "no algorithm is named";
    }
    if (starts_with(name, "networkit-")) {
        return "another normalisation";
    }
    return NULL;
}

static const char *read_dangling(const json_t *params, enum mr_dangling *dangling)
{
    const char *rule = json_string_value(json_object_get(params, "dangling"));

    if (rule == NULL || strcmp(rule, "to the personalisation vector") == 0) {
        *dangling = MR_DANGLING_TELEPORT; /* the default of projects that do not name a rule */
    } else if (starts_with(rule, "uniform")) {
        *dangling = MR_DANGLING_UNIFORM;
    } else if (strstr(rule, "leak") != NULL) {
        *dangling = MR_DANGLING_NONE;
    } else {
        return "an unknown dangling rule";
    }
    return NULL;
}

/* Checks the conventions that this program follows: the sum is 1, repeated edges and self-loops
 * count as often as they are listed, iterations start from 1/n. */
static const char *check_conventions(const json_t *params)
{
    static const struct {
        const char *key, *start;
    } known[] = {{"normalisation", "sum1"},
                 {"normalisation", "sums to 1"},
                 {"multi_edges", "counted"},
                 {"self_loops", "kept"},
                 {"init", "1/"},
                 {"init", "uniform 1/n"}};
    static const char *const keys[] = {"normalisation", "multi_edges", "self_loops", "init"};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *value = json_string_value(json_object_get(params, keys[i]));
        bool found = value == NULL;
        for (size_t k = 0; k < sizeof known / sizeof known[0] && !found; k++) {
            found = strcmp(known[k].key, keys[i]) == 0 && starts_with(value, known[k].start);
        }
        if (!found) {
            return "an unknown convention in params.json";
        }
    }
    return NULL;
}

static const char *read_teleport(struct ranked_case *graph, json_t *params)
{
    const char *key;
    json_t *value;
    size_t i;

    json_object_foreach(json_object_get(params, "personalisation"), key, value)
    {
        char *end = NULL;
        const uint64_t id = strtoull(key, &end, 10);
        if (*end != '\0' || !json_is_number(value)) {
            return "a bad personalisation";
        }
        case_add_teleport(graph, id, json_number_value(value));
    }
    json_array_foreach(json_object_get(params, "sources"), i, value)
    {
        if (!json_is_integer(value)) {
            return "bad sources";
        }
        case_add_teleport(graph, (uint64_t)json_integer_value(value), 1.0);
    }
    return NULL;
}

/* "sum 1", "hubs and authorities each sum to 1", "max = 1 for hubs and for authorities". */
static const char *read_hits_params(struct vector *vector, const json_t *root)
{
    const char *norm = json_string_value(json_object_get(vector->params, "normalisation"));
    const json_t *tolerance = json_object_get(root, "tolerance");

    if (norm == NULL || !json_is_number(tolerance)) {
        return "params.json lacks normalisation or tolerance";
    }
    if (strstr(norm, "sum") == NULL && !starts_with(norm, "max = 1")) {
        return "an unknown convention in params.json";
    }
    vector->graph.norm = starts_with(norm, "max") ? MR_HITS_MAX : MR_HITS_L1;
    vector->graph.tolerance = json_number_value(tolerance);
    vector->graph.undirected = json_is_false(json_object_get(root, "directed"));
    return NULL;
}

static const char *read_params(struct vector *vector, const json_t *root)
{
    struct ranked_case *graph = &vector->graph;
    const json_t *damping = json_object_get(vector->params, "damping");
    const json_t *tolerance = json_object_get(root, "tolerance");
    const json_t *directed = json_object_get(root, "directed");

    if (!json_is_number(damping) || !json_is_number(tolerance) || !json_is_boolean(directed)) {
        return "params.json lacks damping, tolerance or directed";
    }
    graph->damping = json_number_value(damping);
    graph->tolerance = json_number_value(tolerance);
    graph->undirected = json_is_false(directed);
    graph->iterations = (unsigned)json_integer_value(json_object_get(vector->params, "iterations"));
    const bool is_series = starts_with(vector->graph.name, "neo4j-");
    const char *problem = is_series ? NULL : check_conventions(vector->params);
    if (problem == NULL) {
        problem = read_dangling(vector->params, &graph->dangling);
    }
    if (problem == NULL) {
        problem = read_teleport(graph, vector->params);
    }
    if (is_series) { /* 0.15 to every source or to every vertex, then this number of applications */
        graph->applications = graph->iterations;
        graph->iterations = 0;
        graph->scale_by_sources = true;
    }
    return problem;
}

/* ---- One vector ---- */

static const char *all_expected(const struct ranked_case *graph)
{
    for (size_t i = 0; i < graph->n_vertices; i++) {
        if (!graph->vertices[i].has_expected) {
            return "a vertex without an expected value";
        }
    }
    return NULL;
}

static bool read_graph(struct vector *vector)
{
    if (!each_line(vector, "vertices.txt", vertex_line) ||
        !each_line(vector, "graph.el", edge_line)) {
        return false;
    }
    vector->reason = case_finish(&vector->graph);
    if (vector->reason != NULL || !each_line(vector, "expected.tsv", expected_line)) {
        return false;
    }
    vector->reason = all_expected(&vector->graph);
    return vector->reason == NULL;
}

static enum verdict judge(struct vector *vector, const json_t *root)
{
    const char *name = vector->graph.name;

    vector->params = json_object_get(root, "parameters");
    vector->reason = why_skip(name, json_object_get(root, "algorithm"));
    if (vector->reason != NULL) {
        return SKIPPED;
    }
    vector->graph.is_hits =
        strcmp(json_string_value(json_object_get(root, "algorithm")), "hits") == 0;
    vector->reason =
        vector->graph.is_hits ? read_hits_params(vector, root) : read_params(vector, root);
    if (vector->reason != NULL) {
        return FAILED;
    }
    if (!read_graph(vector)) {
        return FAILED;
    }
    return case_check(&vector->graph) ? PASSED : FAILED;
}

static enum verdict run(const char *name)
{
    struct vector vector = {.directory = name};
    char path[PATH_MAX];
    enum verdict verdict = FAILED;

    memcpy(vector.graph.name, name, strnlen(name, sizeof vector.graph.name - 1));
    (void)snprintf(path, sizeof path, "%s/params.json", name);
    json_t *root = json_load_file(path, 0, NULL);
    if (root == NULL) {
        vector.reason = "params.json cannot be read";
    } else {
        verdict = judge(&vector, root);
    }
    if (vector.reason != NULL) {
        printf("%-42s %s: %s\n", name, verdict == SKIPPED ? "skipped" : "FAILED", vector.reason);
    }
    case_clear(&vector.graph);
    json_decref(root);
    return verdict;
}

/* ---- All of them ---- */

/* Selects all directories but "formats", which has inputs for parsers. */
static int is_vector(const struct dirent *entry)
{
    struct stat status;

    return entry->d_name[0] != '.' && strcmp(entry->d_name, "formats") != 0 &&
           strlen(entry->d_name) < MAX_NAME && stat(entry->d_name, &status) == 0 &&
           S_ISDIR(status.st_mode);
}

static void find_vectors(int argc, char **argv, char path[PATH_MAX])
{
    const char *given = argc > 1 ? argv[1] : getenv("MILLRACE_VECTORS");
    const char *sources = getenv("MILLRACE_SOURCE_DIR");

    if (given != NULL && given[0] != '\0') {
        (void)snprintf(path, PATH_MAX, "%s", given);
    } else {
        (void)snprintf(path, PATH_MAX, "%s/../shared/vectors", sources != NULL ? sources : ".");
    }
}

int main(int argc, char **argv)
{
    char directory[PATH_MAX];
    struct dirent **entries = NULL;
    unsigned counts[3] = {0};

    find_vectors(argc, argv, directory);
    const int n_entries = chdir(directory) != 0 ? -1 : scandir(".", &entries, is_vector, alphasort);
    if (n_entries < 0) {
        printf("skipped: no vectors in %s; MILLRACE_VECTORS names their directory\n", directory);
        return EXIT_SKIPPED;
    }
    for (int i = 0; i < n_entries; i++) {
        counts[run(entries[i]->d_name)]++;
        free(entries[i]);
    }
    free(entries);
    printf("%u passed, %u failed, %u skipped\n", counts[PASSED], counts[FAILED], counts[SKIPPED]);
    return counts[FAILED] > 0 || counts[PASSED] == 0;
}
