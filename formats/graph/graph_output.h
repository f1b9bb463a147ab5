/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of a writer of a graph format. `wants` says which of the calls the writer needs.
 * Vertices are 0..n_vertices-1. formats/graph_writer.h has the list of all writers. */
#ifndef MR_FORMATS_GRAPH_GRAPH_OUTPUT_H
#define MR_FORMATS_GRAPH_GRAPH_OUTPUT_H

#include <stdbool.h>

#include "engine/base/context.h"

enum mr_graph_wants {
    MR_WANTS_PAIRS, /* edges in any order */
    MR_WANTS_LISTS, /* the targets of every vertex, ascending, vertices in order */
    MR_WANTS_BOTH_LISTS /* the same, and then the sources of every vertex likewise */
};

enum mr_graph_weighs { MR_WEIGHS_NOT, MR_WEIGHS_IF_THERE, MR_WEIGHS_ALWAYS };

/* Names of vertices: that of v stands in text[ends[v]] .. text[ends[v + 1] - 1]. */
struct mr_name_texts {
    const uint64_t *ends; /* [n_vertices + 1], the first is 0 */
    const char *text;
};

struct mr_graph_output {
    size_t struct_size; /* sizeof(struct mr_graph_output) */
    const struct mr_context *context; /* must outlive the writer */
    const char *format; /* the name of the format */
    const char *path; /* NULL or "-": standard output, where the format is a single stream */
    bool force; /* replace existing files */
    uint64_t n_vertices;
    uint64_t n_edges; /* exactly as many edges will come */
    bool symmetric; /* every edge is there in both directions */
    bool weighted; /* edges come with weights */
    bool whole_weights; /* each weight is a whole number up to 2^24; if `weighs` is IF_THERE */
    /* [n_vertices]: the ids of the input; NULL: vertices have their own numbers */
    const uint64_t *numbers;
    const struct mr_name_texts *names; /* if the writer wants names */
};

struct mr_graph_writer {
    const char *name; /* the name for --format */
    const char *title;
    const char *suffixes[4]; /* suffixes of its files, such as ".mtx"; NULL ends the list */
    enum mr_graph_wants wants;
    enum mr_graph_weighs weighs;
    bool wants_names; /* edges are written with the names of their pages */
    bool binary; /* not to be written to a terminal */
    bool several_files; /* cannot be written to standard output */
    /* NULL where the output is one file. Otherwise the suffixes of the files of one output; NULL
     * ends the list. If the name of the output has one of them, it is removed first. */
    const char *const *family;
    enum mr_status (*open)(const struct mr_graph_output *output, void **writer,
                           struct mr_error *err);
    /* `weights` is [n_pairs] where the output is weighted, otherwise NULL. */
    enum mr_status (*pairs)(void *writer, const uint32_t (*pairs)[2], const float *weights,
                            size_t n_pairs, struct mr_error *err);
    /* The targets of `vertex`; with MR_WANTS_BOTH_LISTS its sources after the last vertex. */
    enum mr_status (*list)(void *writer, uint32_t vertex, const uint32_t *others, size_t n_others,
                           struct mr_error *err);
    /* Publish the files. Frees the writer on success and on failure. */
    enum mr_status (*commit)(void *writer, struct mr_error *err);
    void (*abandon)(void *writer); /* NULL is allowed */
};

#endif
