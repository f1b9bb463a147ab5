/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of the builder: random graphs, a naive model of the store that the builder should make
 * of them, and a hash of the store's bytes. */
#ifndef MR_TESTS_SUPPORT_TEST_BUILD_H
#define MR_TESTS_SUPPORT_TEST_BUILD_H

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/builder/build.h"
#include "tests/support/test_dir.h"

/* The ids of a test graph. In TEXT mode the name of id i is `test_build_name(i)`. */
struct test_graph {
    struct mr_build_options options;
    struct mr_edge *edges; /* [n_edges], freed with the graph */
    size_t n_edges;
    uint64_t *declared; /* [n_declared], freed with the graph; NULL: not frozen */
    size_t n_declared;
};

/* Names of ids in an order that differs from that of the numbers. Returns the length. */
static inline size_t test_build_name(uint64_t id, char name[64])
{
    return (size_t)snprintf(name, 64, "%llx.example/%llu", (unsigned long long)(id * 0x9e3779b9u),
                            (unsigned long long)id);
}

static inline size_t test_build_key(const char *name, size_t name_bytes, char *key)
{
    for (size_t i = 0; i < name_bytes; i++) {
        key[i] = name[name_bytes - 1 - i];
    }
    return name_bytes;
}

static inline enum mr_status
test_build_feed_text(struct mr_build *build, const struct test_graph *graph, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    char name[64];
    uint64_t id;
    for (size_t i = 0; i < graph->n_declared && status == MR_OK; i++) {
        status = mr_build_name(build, name, test_build_name(graph->declared[i], name), &id, err);
    }
    if (graph->declared != NULL && status == MR_OK) {
        status = mr_build_freeze(build, err);
    }
    for (size_t i = 0; i < graph->n_edges && status == MR_OK; i++) {
        struct mr_edge edge;
        status = mr_build_name(build, name, test_build_name(graph->edges[i].source, name),
                               &edge.source, err);
        if (status == MR_OK) {
            status = mr_build_name(build, name, test_build_name(graph->edges[i].target, name),
                                   &edge.target, err);
        }
        if (status == MR_OK) {
            status = mr_build_edges(build, 0, &edge, NULL, 1, err);
        }
    }
    return status;
}

/* Build the graph at `path`. */
static inline enum mr_status test_build_run(const struct mr_context *context, const char *path,
                                            const struct test_graph *graph,
                                            struct mr_store_build_figures *summary,
                                            struct mr_error *err)
{
    struct mr_build *build;
    enum mr_status status = mr_build_create(context, path, &graph->options, &build, err);
    if (graph->options.ids == MR_IDS_TEXT) {
        status = status == MR_OK ? test_build_feed_text(build, graph, err) : status;
    } else {
        for (size_t i = 0; i < graph->n_declared && status == MR_OK; i++) {
            status = mr_build_vertex(build, graph->declared[i], err);
        }
        if (graph->declared != NULL && status == MR_OK) {
            status = mr_build_freeze(build, err);
        }
        for (size_t done = 0; done < graph->n_edges && status == MR_OK;) {
            size_t part = graph->n_edges - done < 5000 ? graph->n_edges - done : 5000;
            status = mr_build_edges(build, 0, graph->edges + done, NULL, part, err);
            done += part;
        }
    }
    return mr_build_finish(build, status, summary, err);
}

/* Bring the edges into another order (Fisher-Yates). */
static inline void test_build_shuffle(struct test_graph *graph, uint64_t seed)
{
    for (size_t i = graph->n_edges; i > 1; i--) {
        size_t j = test_random(&seed) % i;
        struct mr_edge edge = graph->edges[i - 1];
        graph->edges[i - 1] = graph->edges[j];
        graph->edges[j] = edge;
    }
}

static inline void test_build_free(struct test_graph *graph)
{
    free(graph->edges);
    free(graph->declared);
}

/* A hash (FNV-1a) of all files of a store and of their names. It does not depend on the order of
 * the files. */
static inline uint64_t test_build_hash(const char *path)
{
    uint64_t sum = 0;
    DIR *listing = opendir(path);
    for (struct dirent *entry; listing != NULL && (entry = readdir(listing)) != NULL;) {
        char name[PATH_MAX + NAME_MAX + 2];
        uint64_t hash = 0xcbf29ce484222325u;
        if (entry->d_name[0] == '.') {
            continue;
        }
        (void)snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        for (const char *p = entry->d_name; *p != '\0'; p++) {
            hash = (hash ^ (uint8_t)*p) * 0x100000001b3u;
        }
        FILE *file = fopen(name, "rb");
        static char data[1 << 16];
        for (size_t n; file != NULL && (n = fread(data, 1, sizeof data, file)) > 0;) {
            for (size_t i = 0; i < n; i++) {
                hash = (hash ^ (uint8_t)data[i]) * 0x100000001b3u;
            }
        }
        if (file != NULL) {
            (void)fclose(file);
        }
        sum += hash;
    }
    if (listing != NULL) {
        (void)closedir(listing);
    }
    return sum;
}

#endif
