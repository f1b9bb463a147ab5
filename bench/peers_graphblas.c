/* SPDX-License-Identifier: Apache-2.0 */
/* PageRank in GraphBLAS, as LAGraph writes it: r = (1 - a)/n + A' (a r / d), until a round changes
 * r by less than the tolerance in the 1-norm. Score of pages without links is lost; `millrace
 * certify` scales the ranks. peers.py compiles this file with Debian's libgraphblas-dev.
 *
 *     peers_graphblas PAIRS.u32 N TOLERANCE RANKS
 *
 * Prints the seconds of the ranking. */
#include <GraphBLAS.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const double damping = 0.85;

static void must(GrB_Info info)
{
    if (info != GrB_SUCCESS) {
        fprintf(stderr, "GraphBLAS: %d\n", (int)info);
        exit(1);
    }
}

static double now(void)
{
    struct timespec at;
    (void)clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

/* Reads the pairs; fills the reversed matrix and a/d of each page that has links. */
static void read_graph(const char *path, GrB_Index n, GrB_Matrix *links, GrB_Vector *shares)
{
    FILE *file = fopen(path, "rb");
    uint32_t pair[2];
    GrB_Index m = 0, n_pairs = 0;

    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        exit(1);
    }
    m = (GrB_Index)ftell(file) / sizeof pair;
    rewind(file);
    GrB_Index *from = malloc(m * sizeof *from + 1), *to = malloc(m * sizeof *to + 1);
    double *degrees = calloc(n, sizeof *degrees);
    bool *ones = malloc(m + 1);
    if (from == NULL || to == NULL || degrees == NULL || ones == NULL) {
        exit(1);
    }
    for (; n_pairs < m && fread(pair, sizeof pair, 1, file) == 1; n_pairs++) {
        from[n_pairs] = pair[0];
        to[n_pairs] = pair[1];
        ones[n_pairs] = true;
        degrees[pair[0]]++;
    }
    (void)fclose(file);
    must(GrB_Matrix_new(links, GrB_BOOL, n, n));
    must(GrB_Matrix_build_BOOL(*links, to, from, ones, n_pairs, GrB_LOR));
    must(GrB_Vector_new(shares, GrB_FP64, n));
    for (GrB_Index v = 0; v < n; v++) {
        if (degrees[v] > 0) {
            must(GrB_Vector_setElement_FP64(*shares, damping / degrees[v], v));
        }
    }
    must(GrB_Matrix_wait(*links, GrB_MATERIALIZE));
    must(GrB_Vector_wait(*shares, GrB_MATERIALIZE));
    free(from);
    free(to);
    free(degrees);
    free(ones);
}

static void rank(GrB_Matrix links, GrB_Vector shares, GrB_Index n, double tolerance,
                 GrB_Vector *ranks)
{
    GrB_Vector given, next, change;
    const double base = (1 - damping) / (double)n;
    double sum = INFINITY;

    must(GrB_Vector_new(&given, GrB_FP64, n));
    must(GrB_Vector_new(&next, GrB_FP64, n));
    must(GrB_Vector_new(&change, GrB_FP64, n));
    must(GrB_Vector_new(ranks, GrB_FP64, n));
    must(GrB_assign(*ranks, NULL, NULL, 1.0 / (double)n, GrB_ALL, n, NULL));
    for (int round = 0; round < 1000 && sum > tolerance; round++) {
        must(GrB_eWiseMult(given, NULL, NULL, GrB_TIMES_FP64, *ranks, shares, NULL));
        must(GrB_assign(next, NULL, NULL, base, GrB_ALL, n, NULL));
        must(GrB_mxv(next, NULL, GrB_PLUS_FP64, GxB_PLUS_SECOND_FP64, links, given, NULL));
        must(GrB_eWiseAdd(change, NULL, NULL, GrB_MINUS_FP64, next, *ranks, NULL));
        must(GrB_apply(change, NULL, NULL, GrB_ABS_FP64, change, NULL));
        must(GrB_reduce(&sum, NULL, GrB_PLUS_MONOID_FP64, change, NULL));
        const GrB_Vector old = *ranks;
        *ranks = next;
        next = old;
    }
    GrB_free(&given);
    GrB_free(&next);
    GrB_free(&change);
}

int main(int argc, char **argv)
{
    GrB_Matrix links;
    GrB_Vector shares, ranks;

    if (argc != 5) {
        return 2;
    }
    const GrB_Index n = strtoull(argv[2], NULL, 10);
    must(GrB_init(GrB_NONBLOCKING));
    read_graph(argv[1], n, &links, &shares);
    const double began = now();
    rank(links, shares, n, atof(argv[3]), &ranks);
    printf("seconds %.6f\n", now() - began);
    FILE *out = fopen(argv[4], "w");
    for (GrB_Index v = 0; out != NULL && v < n; v++) {
        double score = 0;
        must(GrB_Vector_extractElement_FP64(&score, ranks, v));
        (void)fprintf(out, "%llu\t%.17g\n", (unsigned long long)v, score);
    }
    GrB_free(&links);
    GrB_free(&shares);
    GrB_free(&ranks);
    must(GrB_finalize());
    return out != NULL && fclose(out) == 0 ? 0 : 1;
}
