/* SPDX-License-Identifier: Apache-2.0 */
/* Tests PageRank against the published results in facts.txt, which describes its content and form,
 * and against closed forms.
 *
 *     facts_test [FILE]
 *
 * The exact ranks of a closed form are known. The test therefore also checks the certificate: the
 * true error of a result is at most its bound, for any tolerance. */
#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conformance/ranked_case.h"
#include "tests/support/test_dir.h"

struct reader {
    FILE *file;
    const char *path;
    unsigned long line_number;
    char *rest; /* the rest of the line */
    struct ranked_case fact;
    bool is_open; /* between "fact" and "end" */
    bool is_finished; /* the vertices are sorted, and expected values may follow */
    bool is_exact; /* the case has a closed form */
    bool has_source;
    size_t n_expected; /* number of values read */
    unsigned passed, failed;
};

static const char separators[] = " \t\r\n";

/* ---- Words ---- */

static char *next_word(struct reader *reader)
{
    return strtok_r(NULL, separators, &reader->rest);
}

static bool word_id(const char *word, uint64_t *id)
{
    char *end;

    if (word == NULL) {
        return false;
    }
    errno = 0;
    *id = strtoull(word, &end, 10);
    return errno == 0 && end != word && *end == '\0';
}

static bool word_value(const char *word, double *value)
{
    char *end;

    if (word == NULL) {
        return false;
    }
    *value = strtod(word, &end);
    return end != word && *end == '\0';
}

/* Reads "A..B" as A and B, and "A" as A twice. */
static bool word_range(char *word, uint64_t *first, uint64_t *last)
{
    char *dots = strstr(word, "..");

    if (dots == NULL) {
        return word_id(word, first) && word_id(word, last);
    }
    *dots = '\0';
    return word_id(word, first) && word_id(dots + 2, last) && *first <= *last;
}

/* ---- Closed forms ---- */

/* A clique of k vertices 0..k-1, a directed cycle of p vertices k..k+p-1, and a bridge between
 * vertex k-1 of the clique and vertex k of the cycle: "none", "forward" (k-1 -> k) or "back" (k ->
 * k-1). The graphs and the idea come from the tests of LAW's and webgraph-rs's PageRank.
 *
 * Let t = (1 - a)/n, x the rank of the clique's other vertices, y that of vertex k-1, z_i that of
 * vertex k+i, and d_i = z_i - 1/n. Take a vertex whose only in-edge is the only out-edge of its
 * predecessor: it has d_i = a d_(i-1). The two vertices at the bridge give the rest. */
struct form {
    double a, n, k, x, y, d; /* d = z_0 - 1/n */
    double d1; /* z_1 - 1/n */
};

static double power(double base, uint64_t exponent)
{
    double result = 1.0;
    for (uint64_t i = 0; i < exponent; i++) {
        result *= base;
    }
    return result;
}

static struct form closed_form(double a, uint64_t k_vertices, uint64_t p, const char *bridge)
{
    const double k = (double)k_vertices, n = (double)(k_vertices + p), t = (1.0 - a) / n;
    struct form f = {.a = a, .n = n, .k = k, .x = 1.0 / n, .y = 1.0 / n};

    if (strcmp(bridge, "forward") == 0) {
        /* y = t + a x has k out-edges; z_0 gets one of them, and the edge of its predecessor */
        f.x = t * (1.0 + a / k) / (1.0 - a * (k - 2.0) / (k - 1.0) - a * a / k);
        f.y = t + a * f.x;
        f.d = a * f.y / k / (1.0 - power(a, p));
        f.d1 = a * f.d;
    } else if (strcmp(bridge, "back") == 0) {
        /* z_0 has two out-edges: z_1 and y get half of it each */
        f.d = -power(a, p) / (2.0 * n) / (1.0 - power(a, p) / 2.0);
        f.d1 = a * f.d / 2.0 - a / (2.0 * n);
        const double half = a * (1.0 / n + f.d) / 2.0;
        f.x = (t + a * (t + half) / (k - 1.0)) /
              (1.0 - a * (k - 2.0) / (k - 1.0) - a * a / (k - 1.0));
        f.y = t + a * f.x + half;
    }
    return f;
}

static const char *add_clique_cycle(struct reader *reader, uint64_t k, uint64_t p,
                                    const char *bridge)
{
    struct ranked_case *fact = &reader->fact;

    for (uint64_t u = 0; u < k + p; u++) {
        case_add_vertex(fact, u);
        for (uint64_t v = 0; v < k && u < k; v++) {
            if (u != v) {
                case_add_edge(fact, u, v);
            }
        }
        if (u >= k) {
            case_add_edge(fact, u, u + 1 < k + p ? u + 1 : k);
        }
    }
    if (strcmp(bridge, "forward") == 0) {
        case_add_edge(fact, k - 1, k);
    } else if (strcmp(bridge, "back") == 0) {
        case_add_edge(fact, k, k - 1);
    } else if (strcmp(bridge, "none") != 0) {
        return "the bridge is none, forward or back";
    }
    const char *problem = case_finish(fact);
    const struct form f = closed_form(fact->damping, k, p, bridge);
    double d = f.d;
    for (uint64_t v = 0; v < k + p && problem == NULL; v++) {
        double value = v + 1 < k ? f.x : f.y;
        if (v >= k) {
            value = 1.0 / f.n + d;
            d = v == k ? f.d1 : f.a * d;
        }
        problem = case_expect(fact, v, value) ? NULL : "a vertex twice";
    }
    reader->n_expected = fact->n_vertices;
    reader->is_finished = true;
    reader->is_exact = true;
    return problem;
}

/* Checks that true error <= bound <= tolerance, for loose to strict tolerances. */
static bool check_certificates(const struct ranked_case *fact)
{
    static const double tolerances[] = {1e-1, 1e-3, 1e-6, 1e-9, 1e-12};
    struct mr_error err = {0};
    struct case_store *store = NULL;
    struct case_outcome outcome;
    char text[1536];

    enum mr_status status = case_store_open(fact, &store, &err);
    for (size_t i = 0; i < sizeof tolerances / sizeof tolerances[0] && status == MR_OK; i++) {
        status = case_rank(fact, store, tolerances[i], &outcome, &err);
        /* the closed form is rounded too, by a few units per value; the sum of the values is 1 */
        if (status == MR_OK && !(outcome.error_bound <= tolerances[i] &&
                                 outcome.l1_difference <= outcome.error_bound + 8 * DBL_EPSILON)) {
            status =
                mr_error_set(&err, MR_ERROR_RUNTIME, "tolerance %g, error bound %g, true error %g",
                             tolerances[i], outcome.error_bound, outcome.l1_difference);
        }
    }
    case_store_close(store);
    if (status != MR_OK) {
        printf("%-42s FAILED: certificate: %s\n", fact->name,
               mr_error_text(&err, text, sizeof text));
    }
    return status == MR_OK;
}

/* ---- Lines: each returns NULL, or what is wrong with it ---- */

static const char *read_fact(struct reader *reader)
{
    const char *name = next_word(reader);

    if (reader->is_open || name == NULL) {
        return "fact NAME, after the end of the one before";
    }
    case_clear(&reader->fact);
    (void)snprintf(reader->fact.name, sizeof reader->fact.name, "%s", name);
    reader->fact.damping = 0.85;
    reader->is_open = true;
    reader->is_finished = reader->is_exact = reader->has_source = false;
    reader->n_expected = 0;
    return NULL;
}

static const char *read_dangling(struct reader *reader)
{
    static const char *const rules[] = {"teleport", "uniform", "none"};
    const char *word = next_word(reader);

    for (size_t i = 0; i < 3 && word != NULL; i++) {
        if (strcmp(word, rules[i]) == 0) {
            reader->fact.dangling = (enum mr_dangling)i;
            return NULL;
        }
    }
    return "dangling teleport, uniform or none";
}

static const char *read_vertices(struct reader *reader)
{
    for (char *word = next_word(reader); word != NULL; word = next_word(reader)) {
        uint64_t first, last;
        if (reader->is_finished || !word_range(word, &first, &last)) {
            return "vertices A B C..D, before the expected values";
        }
        for (uint64_t id = first; id <= last; id++) {
            case_add_vertex(&reader->fact, id);
        }
    }
    return NULL;
}

static const char *read_edges(struct reader *reader)
{
    for (char *word = next_word(reader); word != NULL; word = next_word(reader)) {
        char *dash = strchr(word, '-');
        uint64_t source, target;
        if (dash == NULL) {
            return "edges SOURCE-TARGET";
        }
        *dash = '\0';
        if (!word_id(word, &source) || !word_id(dash + 1, &target)) {
            return "edges SOURCE-TARGET";
        }
        case_add_edge(&reader->fact, source, target);
    }
    return NULL;
}

static const char *read_teleport(struct reader *reader)
{
    for (char *word = next_word(reader); word != NULL; word = next_word(reader)) {
        char *equals = strchr(word, '=');
        uint64_t id;
        double weight;
        if (equals == NULL) {
            return "teleport ID=WEIGHT";
        }
        *equals = '\0';
        if (!word_id(word, &id) || !word_value(equals + 1, &weight)) {
            return "teleport ID=WEIGHT";
        }
        case_add_teleport(&reader->fact, id, weight);
    }
    return NULL;
}

/* Reads values in the order of the ids, from any number of lines. */
static const char *read_expected(struct reader *reader)
{
    struct ranked_case *fact = &reader->fact;
    const char *problem = reader->is_finished ? NULL : case_finish(fact);

    reader->is_finished = true;
    for (char *word = next_word(reader); word != NULL && problem == NULL;
         word = next_word(reader)) {
        double value;
        if (reader->n_expected == fact->n_vertices || !word_value(word, &value)) {
            return "expected VALUE, one per vertex";
        }
        const uint64_t id = fact->vertices[reader->n_expected++].id;
        problem = case_expect(fact, id, value) ? NULL : "a vertex twice";
    }
    return problem;
}

static const char *read_form(struct reader *reader)
{
    uint64_t k, p;

    if (!word_id(next_word(reader), &k) || !word_id(next_word(reader), &p) || k < 3 || p < 2 ||
        k + p > 1000) {
        return "clique-cycle K P BRIDGE";
    }
    const char *bridge = next_word(reader);
    return bridge == NULL ? "clique-cycle K P BRIDGE" : add_clique_cycle(reader, k, p, bridge);
}

static const char *read_number(struct reader *reader, const char *key)
{
    struct ranked_case *fact = &reader->fact;
    double value;

    if (!word_value(next_word(reader), &value) || value < 0.0) {
        return "a number is missing";
    }
    if (strcmp(key, "damping") == 0) {
        fact->damping = value;
    } else if (strcmp(key, "tolerance") == 0) {
        fact->tolerance = value;
    } else {
        fact->iterations = (unsigned)value;
    }
    return NULL;
}

static const char *read_end(struct reader *reader)
{
    const struct ranked_case *fact = &reader->fact;

    if (!reader->is_finished || reader->n_expected != fact->n_vertices ||
        !(fact->tolerance > 0.0) || !reader->has_source) {
        return "source, tolerance or expected values are missing";
    }
    const bool good = case_check(fact) && (!reader->is_exact || check_certificates(fact));
    *(good ? &reader->passed : &reader->failed) += 1;
    reader->is_open = false;
    return NULL;
}

static const char *read_line(struct reader *reader, char *line)
{
    const char *key = strtok_r(line, separators, &reader->rest);

    if (key == NULL || key[0] == '#') {
        return NULL;
    }
    if (strcmp(key, "fact") == 0) {
        return read_fact(reader);
    }
    if (!reader->is_open) {
        return "a line outside fact ... end";
    }
    if (strcmp(key, "source") == 0) {
        reader->has_source = next_word(reader) != NULL;
        return NULL;
    }
    if (strcmp(key, "damping") == 0 || strcmp(key, "tolerance") == 0 ||
        strcmp(key, "iterations") == 0) {
        return read_number(reader, key);
    }
    if (strcmp(key, "undirected") == 0) {
        reader->fact.undirected = true;
        return NULL;
    }
    static const struct {
        const char *key;
        const char *(*read)(struct reader *reader);
    } keys[] = {{"dangling", read_dangling}, {"vertices", read_vertices},
                {"edges", read_edges},       {"teleport", read_teleport},
                {"expected", read_expected}, {"clique-cycle", read_form}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(key, keys[i].key) == 0) {
            return keys[i].read(reader);
        }
    }
    return strcmp(key, "end") == 0 ? read_end(reader) : "an unknown word";
}

int main(int argc, char **argv)
{
    struct reader reader = {0};
    const char *sources = getenv("MILLRACE_SOURCE_DIR");
    const char *problem = NULL;
    char path[PATH_MAX];
    char *line = NULL;
    size_t room = 0;

    (void)snprintf(path, sizeof path, "%s/tests/conformance/facts.txt",
                   sources != NULL ? sources : ".");
    reader.path = argc > 1 ? argv[1] : path;
    reader.file = fopen(reader.path, "r");
    if (reader.file == NULL) {
        perror(reader.path);
        return 1;
    }
    while (problem == NULL && getline(&line, &room, reader.file) >= 0) {
        reader.line_number++;
        problem = read_line(&reader, line);
    }
    if (problem == NULL && reader.is_open) {
        problem = "the last fact has no end";
    }
    if (problem != NULL) {
        fprintf(stderr, "%s:%lu: %s\n", reader.path, reader.line_number, problem);
    }
    free(line);
    case_clear(&reader.fact);
    (void)fclose(reader.file);
    printf("%u passed, %u failed, 0 skipped\n", reader.passed, reader.failed);
    return problem != NULL || reader.failed > 0 || reader.passed == 0;
}
