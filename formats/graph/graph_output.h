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
    MR_WANTS_SOURCES, /* the sources of every vertex likewise */
    MR_WANTS_BOTH_LISTS, /* the targets, and then the sources */
    MR_WANTS_PAGES /* no edges: library/export_pages.c writes a table of the pages */
};

/* What a file calls a vertex. */
enum mr_graph_numbers {
    MR_NUMBERS_OWN, /* its number */
    MR_NUMBERS_OF_INPUT, /* its id in the input; its number where the input has names */
    MR_NUMBERS_OF_LINKED /* 1, 2, ... for the vertices with an in-edge; 0: it has no number */
};

enum mr_graph_weighs { MR_WEIGHS_NOT, MR_WEIGHS_IF_THERE, MR_WEIGHS_ALWAYS };

enum { MR_BV_MAX_WINDOW = 65536 };

struct mr_graph_output {
    const struct mr_context *context; /* must outlive the writer */
    const struct mr_graph_writer *format;
    const char *path; /* NULL or "-": standard output, where the format is a single stream */
    bool force; /* replace existing files */
    uint64_t n_vertices;
    uint64_t n_edges; /* exactly as many edges will come */
    bool symmetric; /* every edge is there in both directions */
    bool weighted; /* edges come with weights */
    bool whole_weights; /* each weight is a whole number up to 2^24; if `weighs` is IF_THERE */
    uint64_t window, max_references; /* of a BVGraph; 0: 7 and 3 */
    const uint64_t *numbers; /* [n_vertices]; NULL: vertices have their own numbers */
    /* The name of a vertex, valid until the next call, if the writer wants names. */
    enum mr_status (*name)(void *data, uint32_t vertex, const char **name, size_t *bytes,
                           struct mr_error *err);
    double (*score)(const void *data, uint32_t vertex); /* NULL: the format's first score */
    void *data; /* for both */
};

struct mr_graph_writer {
    const char *name; /* the name for --format */
    const char *title;
    const char *suffixes[4]; /* suffixes of its files, such as ".mtx"; NULL ends the list */
    enum mr_graph_wants wants;
    enum mr_graph_weighs weighs;
    enum mr_graph_numbers numbers;
    const void *variant; /* what tells writers with the same functions apart; NULL: nothing */
    bool wants_names; /* edges are written with the names of their pages */
    bool binary; /* not to be written to a terminal */
    bool several_files; /* cannot be written to standard output */
    /* NULL where the output is one file. Otherwise the suffixes of the files of one output; NULL
     * ends the list. If the name of the output has one of them, it is removed first. */
    const char *const *family;
    /* After an error, too, the writer is there or NULL, for `abandon`. */
    enum mr_status (*open)(const struct mr_graph_output *output, void **writer,
                           struct mr_error *err);
    /* `weights` is [n_pairs] where the output is weighted, otherwise NULL. */
    enum mr_status (*pairs)(void *writer, const uint32_t (*pairs)[2], const float *weights,
                            size_t n_pairs, struct mr_error *err);
    /* The list of `vertex` that the writer wants; of BOTH, sources come after the last vertex. */
    enum mr_status (*list)(void *writer, uint32_t vertex, const uint32_t *others, size_t n_others,
                           struct mr_error *err);
    /* Publish the files. Frees the writer on success and on failure. */
    enum mr_status (*commit)(void *writer, struct mr_error *err);
    void (*abandon)(void *writer); /* NULL is allowed */
};

#endif
