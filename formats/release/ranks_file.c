/* SPDX-License-Identifier: Apache-2.0 */
/* Writes ranks in Common Crawl's layout: the last step of `release`. Two stable radix sorts give
 * the positions. Then the names are read once, in their order; each line goes to its place in the
 * order of harmonic centrality (line_order.h). So names are never in memory, and never looked up.
 */
#include "formats/release/ranks_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "formats/release/line_order.h"
#include "formats/stream/name_text.h"
#include "formats/table/lines.h"

enum {
    ROWS_PER_REPORT = 1 << 16,
    N_KEPT = 1 << 12,
    LINE_BYTES = 80, /* of an average line of Common Crawl, rounded up */
    DIGIT_BITS = 16
};

/* ---- Counts ---- */

struct mr_counts {
    struct mr_input *input;
    struct mr_lines *lines;
};

enum mr_status mr_counts_open(const struct mr_context *context, const char *path,
                              struct mr_counts **out, struct mr_error *err)
{
    struct mr_counts *counts = calloc(1, sizeof *counts);

    *out = NULL;
    if (counts == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for counts");
    }
    enum mr_status status = mr_input_open(context, path, &counts->input, err);
    if (status == MR_OK) {
        status = mr_lines_open(context, counts->input, &counts->lines, err);
    }
    if (status != MR_OK) {
        mr_counts_close(counts);
        return status;
    }
    *out = counts;
    return MR_OK;
}

void mr_counts_close(struct mr_counts *counts)
{
    if (counts != NULL) {
        mr_lines_close(counts->lines);
        mr_input_close(counts->input);
        free(counts);
    }
}

enum mr_status mr_counts_next(struct mr_counts *counts, uint64_t *count, struct mr_error *err)
{
    const char *line = NULL;
    size_t bytes = 0, i;

    *count = UINT64_MAX;
    const enum mr_status status = mr_lines_next(counts->lines, &line, &bytes, err);
    if (status != MR_OK || line == NULL) {
        return status;
    }
    const char *tab = bytes > 0 ? memrchr(line, '\t', bytes) : NULL;
    const size_t first = tab == NULL ? bytes : (size_t)(tab + 1 - line);
    uint64_t value = 0;
    for (i = first; i < bytes && i < first + 18 && line[i] >= '0' && line[i] <= '9'; i++) {
        value = 10 * value + (uint64_t)(line[i] - '0');
    }
    if (i == first || i < bytes) {
        return mr_error_file(err, MR_ERROR_INPUT, mr_input_name(counts->input), 0,
                             "line %" PRIu64 " is no NAME<TAB>COUNT",
                             mr_lines_number(counts->lines));
    }
    *count = value;
    return MR_OK;
}

/* ---- Positions ---- */

/* Keys fall as values rise. Values are >= 0, so their bits have their order. */
static inline uint64_t key_of_float(const void *values, uint32_t i)
{
    uint32_t bits;
    memcpy(&bits, (const float *)values + i, sizeof bits);
    return (uint32_t)~bits;
}

static inline uint64_t key_of_double(const void *values, uint32_t i)
{
    uint64_t bits;
    memcpy(&bits, (const double *)values + i, sizeof bits);
    return ~bits;
}

/* One stable pass by the digit at `shift`: from[n] to to[n]. `from` NULL is 0 .. n - 1. */
static void sort_by_digit(const void *values, bool is_double, unsigned shift, uint64_t n,
                          const uint32_t *from, uint32_t *to, uint64_t *starts)
{
    const uint64_t mask = ((uint64_t)1 << DIGIT_BITS) - 1;
    uint64_t sum = 0;

    memset(starts, 0, sizeof *starts << DIGIT_BITS);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t key =
            is_double ? key_of_double(values, (uint32_t)i) : key_of_float(values, (uint32_t)i);
        starts[key >> shift & mask]++;
    }
    for (uint64_t digit = 0; digit <= mask; digit++) {
        const uint64_t count = starts[digit];
        starts[digit] = sum;
        sum += count;
    }
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t item = from == NULL ? (uint32_t)i : from[i];
        const uint64_t key = is_double ? key_of_double(values, item) : key_of_float(values, item);
        to[starts[key >> shift & mask]++] = item;
    }
}

/* places[i]: how many come before i in the order of falling values; equal ones in their order. */
static enum mr_status find_places(const struct mr_context *context, const void *values,
                                  bool is_double, uint64_t n, uint32_t *places,
                                  struct mr_error *err)
{
    uint32_t *order = NULL;
    uint64_t *starts = NULL;
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("order of ranks", n, &order),
        MR_WANTED("digits of ranks", (uint64_t)1 << DIGIT_BITS, &starts),
    };
    enum mr_status status = mr_memory_arrays(context->memory, arrays, err);
    const unsigned bits = is_double ? 64 : 32;
    uint32_t *from = NULL, *to = order, *other = places;

    for (unsigned shift = 0; shift < bits && status == MR_OK && n > 0; shift += DIGIT_BITS) {
        status = mr_context_poll(context, err);
        if (status == MR_OK) {
            sort_by_digit(values, is_double, shift, n, from, to, starts);
            from = to;
            to = other;
            other = from;
        }
    }
    /* an even number of passes: the order is in `places`, its inverse goes there next */
    if (status == MR_OK && n > 0) {
        memcpy(order, places, n * sizeof *order);
        for (uint64_t i = 0; i < n; i++) {
            places[order[i]] = (uint32_t)i;
        }
    }
    mr_memory_free(context->memory, starts);
    mr_memory_free(context->memory, order);
    return status;
}

/* ---- Lines ---- */

enum { VALUE_BYTES = 32 }; /* sign, 17 digits, point, e-308, and a zero */

/* Texts of values: many pages share a value. */
struct kept {
    double value;
    uint32_t bytes; /* 0: empty */
    char text[VALUE_BYTES];
};

struct writer {
    const struct mr_context *context;
    const struct mr_ranks_options *options;
    struct mr_ranks_summary *summary;
    struct mr_line_order *order;
    struct mr_counts *counts; /* NULL: none */
    uint32_t *harmonic_places, *pagerank_places; /* [n] */
    struct kept *kept; /* [2 * N_KEPT]: floats, then doubles */
    char *line; /* of the longest name */
};

enum { LINE_ROOM = MR_NAME_CODE_BYTES * MR_NAME_MAX_BYTES + 256 };

/* Writes the fewest digits that read back as the same double or float. */
static uint32_t value_text(double value, bool is_double, char text[VALUE_BYTES])
{
    int digits = is_double ? 15 : 6, bytes;
    do {
        bytes = snprintf(text, VALUE_BYTES, "%.*g", digits++, value);
    } while (is_double ? strtod(text, NULL) != value : strtof(text, NULL) != (float)value);
    return (uint32_t)bytes;
}

static size_t put_value(struct writer *writer, double value, bool is_double, char *to)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    struct kept *kept =
        &writer->kept[(is_double ? N_KEPT : 0) + ((bits * 0x9e3779b97f4a7c15u) >> 32) % N_KEPT];

    if (kept->bytes == 0 || kept->value != value) {
        kept->value = value;
        kept->bytes = value_text(value, is_double, kept->text);
    }
    memcpy(to, kept->text, kept->bytes);
    return kept->bytes;
}

static enum mr_status add_row(struct writer *writer, uint64_t i, const char *name,
                              size_t name_bytes, struct mr_error *err)
{
    const struct mr_ranks_options *options = writer->options;
    char *line = writer->line;
    uint64_t count = 0;
    enum mr_status status = MR_OK;

    if (writer->counts != NULL) {
        status = mr_counts_next(writer->counts, &count, err);
        if (status == MR_OK && count == UINT64_MAX) {
            status = mr_error_file(err, MR_ERROR_INPUT, options->counts, 0,
                                   "ends before the names of the store");
        }
        if (status != MR_OK) {
            return status;
        }
    }
    size_t used = (size_t)sprintf(line, "%" PRIu64 "\t", (uint64_t)writer->harmonic_places[i] + 1);
    used += put_value(writer, (double)options->harmonic[i], false, line + used);
    used +=
        (size_t)sprintf(line + used, "\t%" PRIu64 "\t", (uint64_t)writer->pagerank_places[i] + 1);
    used += put_value(writer, options->pagerank[i], true, line + used);
    line[used++] = '\t';
    const size_t before = used;
    used += mr_name_escape(name, name_bytes, MR_NAME_LINE, line + used);
    writer->summary->escaped += used - before != name_bytes;
    if (writer->counts != NULL) {
        used += (size_t)sprintf(line + used, "\t%" PRIu64, count);
    }
    line[used++] = '\n';
    return mr_line_order_add(writer->order, writer->harmonic_places[i], line, used, err);
}

static enum mr_status report(const struct writer *writer, uint64_t done, struct mr_error *err)
{
    const struct mr_context *context = writer->context;

    if (context->progress != NULL) {
        const struct mr_progress progress = {.stage = "write",
                                             .done = done,
                                             .total = writer->options->n,
                                             .unit = "rows",
                                             .error_bound = -1};
        context->progress(context->progress_data, &progress);
    }
    return mr_context_poll(context, err);
}

static enum mr_status add_rows(struct writer *writer, struct mr_names *names, struct mr_error *err)
{
    struct mr_name_cursor *cursor = NULL;
    const char *name = NULL;
    size_t name_bytes = 0;
    uint64_t i = 0, count = UINT64_MAX;
    enum mr_status status =
        writer->options->n == 0 ? MR_OK : mr_name_cursor_open(names, 0, &cursor, err);

    for (; status == MR_OK && i < writer->options->n; i++) {
        status = i % ROWS_PER_REPORT == 0 ? report(writer, i, err) : MR_OK;
        if (status == MR_OK) {
            status = mr_name_cursor_next(cursor, &name, &name_bytes, err);
        }
        if (status == MR_OK) {
            status = add_row(writer, i, name, name_bytes, err);
        }
    }
    mr_name_cursor_close(cursor);
    if (status == MR_OK && writer->counts != NULL) {
        status = mr_counts_next(writer->counts, &count, err);
        if (status == MR_OK && count != UINT64_MAX) {
            status = mr_error_file(err, MR_ERROR_INPUT, writer->options->counts, 0,
                                   "has more lines than the store has names");
        }
    }
    return status;
}

static enum mr_status check_scores(const struct mr_ranks_options *options, struct mr_error *err)
{
    for (uint64_t i = 0; i < options->n; i++) {
        if (!(options->harmonic[i] >= 0) || !(options->pagerank[i] >= 0)) {
            return mr_error_set(err, MR_ERROR_INPUT,
                                "the page at row %" PRIu64 " has a score below 0", i + 1);
        }
    }
    return MR_OK;
}

static enum mr_status put_header(const struct mr_ranks_options *options, struct mr_output *output,
                                 struct mr_error *err)
{
    const char *name = options->name_title != NULL ? options->name_title : "#host_rev";
    return mr_output_print(
        output, err, "#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t%s%s%s\n", name,
        options->counts != NULL ? "\t" : "", options->counts != NULL ? options->count_title : "");
}

enum mr_status mr_ranks_write(const struct mr_context *context, struct mr_names *names,
                              const struct mr_ranks_options *options, const char *path,
                              struct mr_ranks_summary *summary, struct mr_error *err)
{
    struct writer writer = {.context = context, .options = options, .summary = summary};
    struct mr_output *output = NULL;
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("positions by harmonic centrality", options->n, &writer.harmonic_places),
        MR_WANTED("positions by PageRank", options->n, &writer.pagerank_places),
        MR_WANTED("texts of values", (uint64_t)2 * N_KEPT, &writer.kept),
        MR_WANTED("a line of ranks", LINE_ROOM, &writer.line),
    };

    *summary = (struct mr_ranks_summary){0};
    enum mr_status status = check_scores(options, err);
    if (status == MR_OK) {
        status = mr_output_open(context, path, options->force, &output, err);
    }
    if (status == MR_OK) {
        status = mr_memory_arrays(context->memory, arrays, err);
    }
    if (status == MR_OK) {
        status =
            find_places(context, options->harmonic, false, options->n, writer.harmonic_places, err);
    }
    if (status == MR_OK) {
        status =
            find_places(context, options->pagerank, true, options->n, writer.pagerank_places, err);
    }
    if (status == MR_OK && options->counts != NULL) {
        status = mr_counts_open(context, options->counts, &writer.counts, err);
    }
    if (status == MR_OK) {
        status = mr_line_order_open(context, options->directory, options->n, LINE_BYTES,
                                    &writer.order, err);
    }
    if (status == MR_OK) {
        status = add_rows(&writer, names, err);
    }
    if (status == MR_OK) {
        status = put_header(options, output, err);
    }
    if (status == MR_OK) {
        status = mr_line_order_write(writer.order, output, err);
    }
    summary->temporary_bytes = writer.order == NULL ? 0 : mr_line_order_disk_bytes(writer.order);
    mr_line_order_close(writer.order);
    mr_counts_close(writer.counts);
    mr_memory_free(context->memory, writer.line);
    mr_memory_free(context->memory, writer.kept);
    mr_memory_free(context->memory, writer.pagerank_places);
    mr_memory_free(context->memory, writer.harmonic_places);
    if (status != MR_OK) {
        mr_output_abandon(output);
        return status;
    }
    return mr_output_commit(output, err);
}
