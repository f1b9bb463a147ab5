/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the true distance of scores to PageRank, by Gauss-Seidel in long double over a list of
 * edges. It shares no code with the program.
 *
 *     rank_oracle EDGES DAMPING teleport|none VERTICES [SCORES BOUND]...
 *
 * EDGES has pairs of uint32_t; SCORES is an .npy file of all vertices, float or double. It prints
 * the L1 distance of each SCORES to the solution, whose own error is at most 1e-15. It exits with 1
 * when a distance is above its BOUND. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct graph {
    uint32_t n;
    uint64_t m;
    uint64_t *ends; /* [n + 1]: ends of the lists of sources */
    uint32_t *sources;
    uint32_t *out_degree;
};

static void *need(void *pointer, const char *what)
{
    if (pointer == NULL) {
        fprintf(stderr, "rank_oracle: %s\n", what);
        exit(2);
    }
    return pointer;
}

static struct graph read_graph(const char *path, uint32_t n)
{
    struct graph g = {.n = n};
    FILE *file = need(fopen(path, "rb"), path);
    (void)fseek(file, 0, SEEK_END);
    g.m = (uint64_t)ftell(file) / 8;
    rewind(file);
    uint32_t(*edges)[2] = need(malloc(g.m * 8 + 8), "out of memory");
    if (fread(edges, 8, g.m, file) != g.m || fclose(file) != 0) {
        need(NULL, path);
    }
    g.ends = need(calloc(n + UINT64_C(2), sizeof *g.ends), "out of memory");
    g.sources = need(malloc(g.m * 4 + 4), "out of memory");
    g.out_degree = need(calloc(n + UINT64_C(1), 4), "out of memory");
    for (uint64_t i = 0; i < g.m; i++) {
        if (edges[i][0] >= n || edges[i][1] >= n) {
            need(NULL, "an edge of no vertex");
        }
        g.ends[edges[i][1] + 2]++;
        g.out_degree[edges[i][0]]++;
    }
    for (uint32_t v = 0; v < n; v++) {
        g.ends[v + 1] += g.ends[v];
    }
    for (uint64_t i = 0; i < g.m; i++) {
        g.sources[g.ends[edges[i][1] + 1]++] = edges[i][0];
    }
    free(edges);
    return g;
}

/* x = a P^T x + (1 - a) / n. share: x divided by the out-degree, for vertices with out-edges. */
static void solve(const struct graph *g, long double a, long double *x, long double *share)
{
    const long double start = (1 - a) / g->n;
    for (uint32_t v = 0; v < g->n; v++) {
        x[v] = 1.0L / g->n;
        share[v] = g->out_degree[v] == 0 ? 0 : x[v] / g->out_degree[v];
    }
    for (long double change = 1; change > 1e-16L * (1 - a);) {
        change = 0;
        for (uint32_t v = 0; v < g->n; v++) {
            long double sum = 0;
            for (uint64_t i = g->ends[v]; i < g->ends[v + 1]; i++) {
                sum += share[g->sources[i]];
            }
            const long double fresh = start + a * sum;
            change += fabsl(fresh - x[v]);
            x[v] = fresh;
            share[v] = g->out_degree[v] == 0 ? 0 : fresh / g->out_degree[v];
        }
    }
}

static long double distance(const struct graph *g, const long double *x, const char *path)
{
    char head[10] = {0}, text[4096] = {0};
    FILE *file = need(fopen(path, "rb"), path);
    const size_t n_head = fread(head, 1, 10, file);
    const unsigned length = (unsigned char)head[8] | (unsigned)(unsigned char)head[9] << 8;
    if (n_head != 10 || memcmp(head, "\x93NUMPY\x01", 7) != 0 || length >= sizeof text ||
        fread(text, 1, length, file) != length) {
        need(NULL, path);
    }
    const int is_float = strstr(text, "<f4") != NULL;
    long double sum = 0;
    for (uint32_t v = 0; v < g->n; v++) {
        double d = 0;
        float f = 0;
        if (fread(is_float ? (void *)&f : (void *)&d, is_float ? 4 : 8, 1, file) != 1) {
            need(NULL, path);
        }
        sum += fabsl((is_float ? (long double)f : (long double)d) - x[v]);
    }
    (void)fclose(file);
    return sum;
}

int main(int argc, char **argv)
{
    if (argc < 5 || argc % 2 == 0) {
        fprintf(stderr,
                "usage: rank_oracle EDGES DAMPING teleport|none VERTICES [SCORES BOUND]...\n");
        return 2;
    }
    const struct graph g = read_graph(argv[1], (uint32_t)strtoul(argv[4], NULL, 10));
    long double *x = need(calloc(g.n + UINT64_C(1), sizeof *x), "out of memory");
    long double *share = need(calloc(g.n + UINT64_C(1), sizeof *share), "out of memory");
    long double mass = 0;
    int above = 0;
    solve(&g, strtold(argv[2], NULL), x, share);
    for (uint32_t v = 0; v < g.n; v++) {
        mass += x[v];
    }
    for (uint32_t v = 0; v < g.n && strcmp(argv[3], "none") != 0; v++) {
        x[v] /= mass;
    }
    for (int i = 5; i < argc; i += 2) {
        const long double error = distance(&g, x, argv[i]), bound = strtold(argv[i + 1], NULL);
        printf("  %-24s true L1 error %.2Le, bound %.2Le\n", argv[i], error, bound);
        above |= error > bound;
    }
    free(g.ends);
    free(g.sources);
    free(g.out_degree);
    free(x);
    free(share);
    return above;
}
