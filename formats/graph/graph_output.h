/* What a writer of a graph format is. Which of the calls it wants it says in `wants`. Vertices are
 * 0..n_vertices-1. formats/graph_writer.h has the list of all. */
#ifndef MR_FORMATS_GRAPH_GRAPH_OUTPUT_H
#define MR_FORMATS_GRAPH_GRAPH_OUTPUT_H

#include <stdbool.h>

#include "engine/base/context.h"

enum mr_graph_wants {
    MR_WANTS_PAIRS, /* links as they come */
    MR_WANTS_LISTS, /* the targets of every vertex, ascending, vertices in order */
    MR_WANTS_BOTH_LISTS /* those, and then the sources of every vertex likewise */
};

enum mr_graph_weighs { MR_WEIGHS_NOT, MR_WEIGHS_IF_THERE, MR_WEIGHS_ALWAYS };

struct mr_graph_output {
    size_t struct_size; /* sizeof(struct mr_graph_output) */
    const struct mr_context *context; /* outlives the writer */
    const char *path; /* NULL or "-": standard output, where the format is a single stream */
    bool force; /* replace existing files */
    uint64_t n_vertices;
    uint64_t n_edges; /* exactly as many will come */
    bool symmetric; /* every link is there in both directions */
    bool weighted; /* links come with weights, of which */
    bool whole_weights; /* each is a whole number up to 2^24 */
    const uint64_t *numbers; /* [n_vertices]: what the input called them; NULL: their own numbers */
};

struct mr_graph_writer {
    const char *name; /* of --format */
    const char *title;
    const char *suffixes[4]; /* of its files, ".mtx"; NULL ends */
    enum mr_graph_wants wants;
    enum mr_graph_weighs weighs;
    bool asks_whole; /* whether weights are whole numbers: else whole_weights may be false anyway */
    bool binary; /* not for terminals */
    bool several_files; /* not for standard output */
    /* NULL: the output is one file. Else the suffixes of the files of one output, NULL ends. Whichever
     * of them the output's name has is taken off first. */
    const char *const *family;
    enum mr_status (*open)(const struct mr_graph_output *output, void **writer,
                           struct mr_error *err);
    /* `weights` [n_pairs] where the output is weighted, else NULL; likewise in lists. */
    enum mr_status (*pairs)(void *writer, const uint32_t (*pairs)[2], const float *weights,
                            size_t n_pairs, struct mr_error *err);
    /* Targets of `vertex`; with MR_WANTS_BOTH_LISTS, after the last vertex, its sources. */
    enum mr_status (*list)(void *writer, uint32_t vertex, const uint32_t *others,
                           const float *weights, size_t n_others, struct mr_error *err);
    /* Publish. Frees the writer either way. */
    enum mr_status (*commit)(void *writer, struct mr_error *err);
    void (*abandon)(void *writer); /* NULL is allowed */
};

#endif
