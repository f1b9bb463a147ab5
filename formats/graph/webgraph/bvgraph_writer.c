/* SPDX-License-Identifier: Apache-2.0 */
/* Writes WebGraph's BVGraph, for `export` and `convert`: BASE.graph, BASE.offsets, BASE.properties,
 * as the readers in Java and Rust need them: window 7 and chains of 3 references unless the user
 * says others, intervals from 4 on, zeta_3. These are the defaults of WebGraph, so that a graph
 * gets the bytes of Java, and zeros up to a multiple of 8 bytes, without which Rust does not open
 * it. */
#include <inttypes.h>
#include <stdlib.h>

#include "formats/graph/graph_output.h"
#include "formats/graph/webgraph/bv_encoder.h"
#include "formats/table/properties.h"

struct bv_writer {
    struct mr_graph_output graph;
    struct mr_output *lists, *gaps, *properties;
    struct mr_bv_encoder *encoder;
    struct mr_bit_writer offsets;
    uint64_t window, max_references;
    uint64_t n_bits, n_arcs;
};

static const char *const suffixes[] = {".graph", ".properties", ".offsets", NULL};

static void abandon(void *data)
{
    struct bv_writer *writer = data;
    if (writer != NULL) {
        mr_bv_encoder_destroy(writer->encoder);
        mr_output_abandon(writer->lists);
        mr_output_abandon(writer->gaps);
        mr_output_abandon(writer->properties);
        free(writer);
    }
}

static enum mr_status open_one(struct bv_writer *writer, const char *suffix, struct mr_output **out,
                               struct mr_error *err)
{
    char *path = mr_path_sibling(writer->graph.path, suffixes, suffix);
    const enum mr_status status =
        path == NULL ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a path")
                     : mr_output_open(writer->graph.context, path, writer->graph.force, out, err);
    free(path);
    return status;
}

static enum mr_status open_graph(const struct mr_graph_output *graph, void **out,
                                 struct mr_error *err)
{
    struct bv_writer *writer = calloc(1, sizeof *writer);

    *out = writer;
    if (writer == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a writer");
    }
    writer->graph = *graph;
    writer->window = graph->window > 0 ? graph->window : MR_BV_WINDOW;
    writer->max_references =
        graph->max_references > 0 ? graph->max_references : MR_BV_MAX_REFERENCES;
    enum mr_status status = open_one(writer, ".graph", &writer->lists, err);
    if (status == MR_OK) {
        status = open_one(writer, ".offsets", &writer->gaps, err);
    }
    if (status == MR_OK) {
        status = open_one(writer, ".properties", &writer->properties, err);
    }
    if (status == MR_OK) {
        status = mr_bv_encoder_create(graph->context, writer->lists, writer->window,
                                      writer->max_references, &writer->encoder, err);
    }
    if (status == MR_OK) {
        writer->offsets.output = writer->gaps;
        mr_bit_writer_gamma(&writer->offsets, 0);
    }
    return status;
}

static enum mr_status finish_offsets(struct bv_writer *writer, struct mr_error *err)
{
    struct mr_bit_writer *offsets = &writer->offsets;

    mr_bit_writer_end(offsets);
    return offsets->status == MR_OK
               ? MR_OK
               : mr_error_set(err, offsets->status, "%s", offsets->error.message);
}

static enum mr_status write_list(void *data, uint32_t vertex, const uint32_t *others,
                                 size_t n_others, struct mr_error *err)
{
    struct bv_writer *writer = data;
    uint64_t bits = 0;

    (void)vertex;
    /* A BVGraph cannot hold duplicates: the gaps between successors are at least 1. */
    for (size_t i = 1; i < n_others; i++) {
        if (others[i] == others[i - 1]) {
            return mr_error_set(
                err, MR_ERROR_USAGE,
                "the store keeps duplicates, which a WebGraph cannot hold; build it "
                "with --duplicates merge");
        }
    }
    const enum mr_status status = mr_bv_encoder_add(writer->encoder, others, n_others, &bits, err);
    mr_bit_writer_gamma(&writer->offsets, bits);
    writer->n_bits += bits;
    writer->n_arcs += n_others;
    return status;
}

static enum mr_status write_properties(struct bv_writer *writer, struct mr_error *err)
{
    const uint64_t nodes = writer->graph.n_vertices, arcs = writer->n_arcs;
    const double bits = (double)writer->n_bits;

    /* Java's plain version has at most 2^31 - 1 nodes; the "big" one reads the same bits. */
    enum mr_status status = mr_output_print(
        writer->properties, err,
        "#BVGraph properties\nversion=0\ngraphclass=it.unimi.dsi%s.webgraph.BVGraph\nnodes=%" PRIu64
        "\narcs=%" PRIu64 "\n",
        nodes > INT32_MAX ? ".big" : "", nodes, arcs);
    if (status == MR_OK) {
        status = mr_output_print(writer->properties, err,
                                 "windowsize=%" PRIu64 "\nmaxrefcount=%" PRIu64
                                 "\nminintervallength=%d\nzetak=3\n"
                                 "compressionflags=\n",
                                 writer->window, writer->max_references, MR_BV_MIN_INTERVAL);
    }
    return status == MR_OK
               ? mr_output_print(writer->properties, err,
                                 "length=%" PRIu64 "\nbitsperlink=%.3f\nbitspernode=%.3f\n",
                                 writer->n_bits, arcs == 0 ? 0 : bits / (double)arcs,
                                 nodes == 0 ? 0 : bits / (double)nodes)
               : status;
}

static enum mr_status commit(void *data, struct mr_error *err)
{
    struct bv_writer *writer = data;
    struct mr_output **outputs[] = {&writer->lists, &writer->gaps, &writer->properties};
    enum mr_status status = mr_bv_encoder_finish(writer->encoder, err);

    if (status == MR_OK) {
        status = finish_offsets(writer, err);
    }
    if (status == MR_OK) {
        status = write_properties(writer, err);
    }
    for (unsigned i = 0; i < 3 && status == MR_OK; i++) {
        status = mr_output_commit(*outputs[i], err);
        *outputs[i] = NULL;
    }
    abandon(writer);
    return status;
}

const struct mr_graph_writer mr_writer_bvgraph = {.name = "bvgraph",
                                                  .title = "WebGraph BVGraph",
                                                  .suffixes = {".graph"},
                                                  .wants = MR_WANTS_LISTS,
                                                  .binary = true,
                                                  .several_files = true,
                                                  .family = suffixes,
                                                  .open = open_graph,
                                                  .list = write_list,
                                                  .commit = commit,
                                                  .abandon = abandon};
