#include "formats/score/vertex_weights.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "formats/score/score_reader.h"
#include "formats/stream/lines.h"

enum {
    FIRST_ENTRIES = 4096,
    RADIX_BITS = 11, /* three rounds for 32 bits; the counts take 8 KiB */
    NOTED_UNKNOWN = 5,
    LINES_PER_POLL = 4096
};

static const char array_name[] = "vertex weights";

struct reader {
    const struct mr_context *context;
    struct mr_input *input;
    struct mr_names *names;
    const struct mr_vertex_weights_options *options;
    struct mr_vertex_weights *out;
    struct mr_lines *lines;
    uint64_t room; /* for entries */
};

static enum mr_status add_entry(struct reader *reader, uint32_t vertex, double weight,
                                struct mr_error *err)
{
    struct mr_vertex_weights *out = reader->out;
    if (out->n_entries == reader->room) {
        uint64_t room = reader->room == 0 ? FIRST_ENTRIES : reader->room + reader->room / 2, bytes;
        void *grown = out->entries;
        enum mr_status status =
            mr_memory_size(array_name, room, sizeof *out->entries, 0, &bytes, err);
        if (status == MR_OK) {
            status = mr_memory_resize(reader->context->memory, array_name, &grown, bytes, err);
        }
        if (status != MR_OK) {
            return status;
        }
        out->entries = grown;
        reader->room = room;
    }
    out->entries[out->n_entries++] = (struct mr_vertex_weight){vertex, weight};
    return MR_OK;
}

static enum mr_status bad_line(const struct reader *reader, const char *line, size_t bytes,
                               const char *reason, struct mr_error *err)
{
    char quote[MR_LINES_QUOTE_BYTES];
    return mr_error_line(err, MR_ERROR_INPUT, mr_input_name(reader->input),
                         mr_lines_number(reader->lines), "%s: %s",
                         mr_lines_quote(line, bytes, quote), reason);
}

static enum mr_status unknown_name(struct reader *reader, const char *name, size_t name_bytes,
                                   struct mr_error *err)
{
    struct mr_vertex_weights *out = reader->out;
    char quote[MR_LINES_QUOTE_BYTES];

    out->unknown++;
    if (out->unknown > reader->options->max_unknown) {
        return mr_error_line(
            err, MR_ERROR_INPUT, mr_input_name(reader->input), mr_lines_number(reader->lines),
            "%s is no vertex of the store (%llu such names so far); allow more "
            "with --max-unknown",
            mr_lines_quote(name, name_bytes, quote), (unsigned long long)out->unknown);
    }
    if (out->unknown <= NOTED_UNKNOWN) {
        mr_context_note(reader->context, "%s:%llu: %s is no vertex of the store; left out",
                        mr_input_name(reader->input),
                        (unsigned long long)mr_lines_number(reader->lines),
                        mr_lines_quote(name, name_bytes, quote));
    }
    return MR_OK;
}

static enum mr_status read_line(struct reader *reader, const char *line, size_t bytes,
                                struct mr_error *err)
{
    const char *at = line;
    const char *const end = line + bytes;
    size_t name_bytes, weight_bytes;
    double weight = 1;
    uint32_t vertex;
    bool found;

    const char *name = mr_lines_field(&at, end, &name_bytes);
    if (name == NULL || (name_bytes == 1 && *name == '#')) {
        return MR_OK;
    }
    if (reader->options->weighted) {
        const char *text = mr_lines_field(&at, end, &weight_bytes);
        if (text == NULL) {
            return bad_line(reader, line, bytes, "no weight; lines are NAME<TAB>WEIGHT", err);
        }
        if (reader->options->parse != NULL) {
            if (!reader->options->parse(text, weight_bytes, &weight)) {
                return bad_line(reader, line, bytes, reader->options->expected, err);
            }
        } else if (!mr_score_parse(text, weight_bytes, &weight)) {
            return bad_line(reader, line, bytes, "the weight is no finite number", err);
        }
        if (weight < 0) {
            return bad_line(reader, line, bytes, "the weight is negative", err);
        }
    }
    reader->out->lines++;
    enum mr_status status = mr_names_find(reader->names, name, name_bytes, &vertex, &found, err);
    if (status != MR_OK) {
        return status;
    }
    return found ? add_entry(reader, vertex, weight, err)
                 : unknown_name(reader, name, name_bytes, err);
}

static enum mr_status read_lines(struct reader *reader, struct mr_error *err)
{
    const char *line;
    size_t bytes;
    enum mr_status status = mr_lines_open(reader->context, reader->input, &reader->lines, err);

    while (status == MR_OK) {
        status = mr_lines_next(reader->lines, &line, &bytes, err);
        if (status != MR_OK || line == NULL) {
            break;
        }
        status = read_line(reader, line, bytes, err);
        if (status == MR_OK && mr_lines_number(reader->lines) % LINES_PER_POLL == 0) {
            status = mr_context_poll(reader->context, err);
        }
    }
    mr_lines_close(reader->lines);
    return status;
}

/* One round of a stable sort by RADIX_BITS of the vertex. Stable, because sums of doubles depend on
 * their order, and that is to be the file's. */
static void sort_round(const struct mr_vertex_weight *from, struct mr_vertex_weight *to, uint64_t n,
                       unsigned shift)
{
    const uint32_t mask = (1u << RADIX_BITS) - 1;
    uint64_t place[1u << RADIX_BITS] = {0};
    uint64_t sum = 0;

    for (uint64_t i = 0; i < n; i++) {
        place[from[i].vertex >> shift & mask]++;
    }
    for (uint32_t digit = 0; digit <= mask; digit++) {
        uint64_t count = place[digit];
        place[digit] = sum;
        sum += count;
    }
    for (uint64_t i = 0; i < n; i++) {
        to[place[from[i].vertex >> shift & mask]++] = from[i];
    }
}

static enum mr_status sort_entries(struct reader *reader, struct mr_error *err)
{
    struct mr_vertex_weights *out = reader->out;
    struct mr_memory *memory = reader->context->memory;
    uint64_t n = out->n_entries;
    void *spare = NULL;
    enum mr_status status =
        mr_memory_alloc(memory, array_name, n * sizeof *out->entries, &spare, err);

    if (status != MR_OK) {
        return status;
    }
    struct mr_vertex_weight *from = out->entries, *to = spare;
    for (unsigned shift = 0; shift < 32; shift += RADIX_BITS) {
        sort_round(from, to, n, shift);
        struct mr_vertex_weight *swap = from;
        from = to;
        to = swap;
    }
    out->entries = from;
    mr_memory_free(memory, to);
    return MR_OK;
}

/* Weights of the same vertex add. */
static enum mr_status merge_entries(struct reader *reader, struct mr_error *err)
{
    struct mr_vertex_weights *out = reader->out;
    uint64_t kept = 0;
    double sum = 0;

    for (uint64_t i = 0; i < out->n_entries; i++) {
        if (kept > 0 && out->entries[kept - 1].vertex == out->entries[i].vertex) {
            double *weight = &out->entries[kept - 1].weight;
            *weight = reader->options->latest ? fmax(*weight, out->entries[i].weight)
                                              : *weight + out->entries[i].weight;
        } else {
            out->entries[kept++] = out->entries[i];
        }
        sum += out->entries[i].weight;
    }
    out->duplicates = out->n_entries - kept;
    out->n_entries = kept;
    const char *file = mr_input_name(reader->input);
    if (!isfinite(sum)) {
        return mr_error_file(err, MR_ERROR_INPUT, file, 0,
                             "the weights add up to more than a double can hold; scale them down");
    }
    if (sum <= 0 && !reader->options->may_be_empty) {
        return mr_error_file(err, MR_ERROR_INPUT, file, 0,
                             "no vertex of the store has a weight above 0; at least one must");
    }
    return MR_OK;
}

enum mr_status mr_vertex_weights_read(const struct mr_context *context, struct mr_input *input,
                                      struct mr_names *names,
                                      const struct mr_vertex_weights_options *options,
                                      struct mr_vertex_weights *out, struct mr_error *err)
{
    struct reader reader = {
        .context = context, .input = input, .names = names, .options = options, .out = out};

    assert(options->struct_size == sizeof *options);
    *out = (struct mr_vertex_weights){.memory = context->memory};
    enum mr_status status = read_lines(&reader, err);
    if (status == MR_OK && out->n_entries > 0) {
        status = sort_entries(&reader, err);
    }
    if (status == MR_OK) {
        status = merge_entries(&reader, err);
    }
    if (status != MR_OK) {
        mr_vertex_weights_free(out);
    }
    return status;
}

enum mr_status mr_vertex_weights_load(const struct mr_context *context, const char *path,
                                      struct mr_names *names, bool weighted, uint64_t max_unknown,
                                      struct mr_vertex_weights *out, struct mr_error *err)
{
    const struct mr_vertex_weights_options options = {
        .struct_size = sizeof options, .weighted = weighted, .max_unknown = max_unknown};
    struct mr_input *input = NULL;

    *out = (struct mr_vertex_weights){0};
    enum mr_status status = mr_input_open(context, path, &input, err);
    if (status == MR_OK) {
        status = mr_vertex_weights_read(context, input, names, &options, out, err);
    }
    mr_input_close(input);
    return status;
}

void mr_vertex_weights_free(struct mr_vertex_weights *weights)
{
    if (weights->memory != NULL) {
        mr_memory_free(weights->memory, weights->entries);
    }
    *weights = (struct mr_vertex_weights){0};
}
