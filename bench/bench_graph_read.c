/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the speed of the readers of graph formats, up to the point where a store would take
 * their edges:
 *
 *     bench_graph_read [--threads N] FILE...
 *
 * Each file is read seven times. The first time does not count; the median of the others is
 * printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "formats/graph_format.h"

enum { ROUNDS = 6 };

struct count {
    uint64_t edges, sum;
};

/* Reads every edge, as any user would. */
static enum mr_status count_edges(void *data, struct mr_edge *edges, const float *weights, size_t n,
                                  struct mr_error *err)
{
    struct count *count = data;
    (void)weights;
    (void)err;
    for (size_t i = 0; i < n; i++) {
        count->sum += edges[i].source ^ edges[i].target;
    }
    count->edges += n;
    return MR_OK;
}

static enum mr_status read_once(const struct mr_context *context, const char *path,
                                struct count *count, struct mr_error *err)
{
    const struct mr_graph_sink sink = {.data = count, .edges = count_edges};
    struct mr_edge_text_summary summary = {0};
    struct mr_edge_text_options text = {0};
    struct mr_graph_probe probe = {.path = path, .file_bytes = 0};
    const struct mr_graph_format *format = NULL;
    struct mr_input *input = NULL;
    struct mr_graph_head head;
    struct mr_graph_reader *reader = NULL;

    enum mr_status status = mr_input_open(context, path, &input, err);
    if (status == MR_OK) {
        status = mr_input_peek(input, &probe.data, &probe.bytes, err);
    }
    if (status == MR_OK) {
        status = mr_graph_format_detect(&probe, &format, err);
    }
    if (status == MR_OK && format->reader_bytes == 0) {
        status = mr_error_file(err, MR_ERROR_USAGE, path, 0, "text of two columns is not for this");
    }
    if (status == MR_OK) {
        const struct mr_graph_request request = {
            .context = context, .path = path, .input = input, .text = &text, .summary = &summary};
        status = mr_graph_reader_open(format, &request, &head, &reader, err);
    }
    if (status == MR_OK) {
        status = mr_graph_reader_read(reader, &sink, err);
    }
    mr_graph_reader_close(reader);
    mr_input_close(input);
    return status;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    struct mr_context context = {.threads = 1};
    struct mr_error err = {0};
    char text[1536];
    int first = 1;

    if (argc > 2 && strcmp(argv[1], "--threads") == 0) {
        context.threads = (unsigned)strtoul(argv[2], NULL, 10);
        first = 3;
    }
    enum mr_status status = mr_memory_create(UINT64_MAX, &context.memory, &err);
    if (status == MR_OK) {
        status = mr_io_create_real(&context.io, &err);
    }
    for (int i = first; i < argc && status == MR_OK; i++) {
        double seconds[ROUNDS + 1];
        struct count count = {0};

        for (int round = 0; round <= ROUNDS && status == MR_OK; round++) {
            count = (struct count){0};
            const double start = mr_now();
            status = read_once(&context, argv[i], &count, &err);
            seconds[round] = mr_now() - start;
        }
        qsort(seconds + 1, ROUNDS, sizeof *seconds, compare);
        const double median = seconds[1 + ROUNDS / 2];
        (void)printf("%s: %llu edges, %u threads, %.1f M edges/s, %.2f ns an edge (sum %llx)\n",
                     argv[i], (unsigned long long)count.edges, context.threads,
                     1e-6 * (double)count.edges / median, 1e9 * median / (double)count.edges,
                     (unsigned long long)count.sum);
    }
    if (status != MR_OK) {
        (void)fprintf(stderr, "%s\n", mr_error_text(&err, text, sizeof text));
    }
    return status == MR_OK ? 0 : 1;
}
