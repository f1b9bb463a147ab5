/* SPDX-License-Identifier: Apache-2.0 */
/* Matches the rows of two score files, for `compare` and `precedence --mix`. It reads them side by
 * side as long as their names agree, because two rankings of one store agree to the end and need no
 * table. The remaining rows go into a table of hashes, first those of a, then those of b. */
#include "formats/score/score_match.h"

#include <math.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/hash_set.h"
#include "engine/base/memory.h"
#include "formats/score/row_forecast.h"
#include "formats/score/score_reader.h"
#include "formats/stream/input_paths.h"
#include "formats/table/lines.h"

enum { ROWS_PER_REPORT = 1 << 16 };

/* One file, or those of a directory, as rows. */
struct side {
    const struct mr_context *context;
    const char *column;
    struct mr_input_paths paths;
    size_t at; /* the path that is read */
    struct mr_input *input;
    struct mr_score_reader *rows;
    char first_name[MR_LINES_QUOTE_BYTES]; /* in quotes; empty where there is none */
    bool is_end;
    struct mr_row row; /* the one read last */
};

struct matcher {
    const struct mr_context *context;
    struct side a, b;
    struct mr_score_match *out;
    struct mr_row_array array; /* of the pairs */
    struct mr_hash_set names; /* of the pairs from out->n_side_by_side on */
    uint64_t rows; /* read so far, of both files */
    mr_score_match_visit visit; /* or NULL */
    void *visit_data;
};

/* ---- Rows ---- */

static void end_file(struct side *side)
{
    mr_score_reader_close(side->rows);
    mr_input_close(side->input);
    side->rows = NULL;
    side->input = NULL;
}

static enum mr_status begin_file(struct side *side, struct mr_error *err)
{
    const enum mr_status status =
        mr_input_open(side->context, side->paths.items[side->at].path, &side->input, err);
    return status == MR_OK
               ? mr_score_reader_open(side->context, side->input, side->column, 0, &side->rows, err)
               : status;
}

static enum mr_status side_open(const struct mr_context *context, const char *path,
                                const char *column, struct side *side, struct mr_error *err)
{
    side->context = context;
    side->column = column;
    const enum mr_status status = mr_input_paths_find(&path, 1, false, &side->paths, err);
    return status == MR_OK ? begin_file(side, err) : status;
}

static void side_close(struct side *side)
{
    end_file(side);
    mr_input_paths_free(&side->paths);
}

static enum mr_status side_next(struct side *side, struct mr_error *err)
{
    enum mr_status status = mr_score_reader_next(side->rows, &side->row, &side->is_end, err);

    while (status == MR_OK && side->is_end && side->at + 1 < side->paths.n) {
        end_file(side);
        side->at++;
        status = begin_file(side, err);
        if (status == MR_OK) {
            status = mr_score_reader_next(side->rows, &side->row, &side->is_end, err);
        }
    }
    if (status == MR_OK && side->first_name[0] == '\0' && side->row.name != NULL) {
        (void)mr_lines_quote(side->row.name, side->row.name_bytes, side->first_name);
    }
    return status;
}

static enum mr_status report(struct matcher *matcher, struct mr_error *err)
{
    const struct mr_context *context = matcher->context;

    if (matcher->rows++ % ROWS_PER_REPORT != 0) {
        return MR_OK;
    }
    if (context->progress != NULL) {
        struct mr_progress progress = {.stage = "read", .unit = "bytes", .error_bound = -1};
        uint64_t done = 0, total = 0;
        mr_input_position(matcher->a.input, &progress.done, &progress.total);
        mr_input_position(matcher->b.input, &done, &total);
        progress.done += done;
        progress.total = progress.total > 0 && total > 0 ? progress.total + total : 0;
        progress.bytes = progress.done;
        context->progress(context->progress_data, &progress);
    }
    return mr_context_poll(context, err);
}

/* ---- Pairs ---- */

/* About what the readers of both files hold. */
#define SIDES_BYTES ((uint64_t)3 << 20)

static uint64_t forecast(const struct matcher *matcher)
{
    const struct side *side =
        mr_score_reader_has_names(matcher->a.rows) ? &matcher->a : &matcher->b;
    return mr_row_forecast(side->input, matcher->out->n_pairs, mr_score_reader_place(side->rows));
}

static enum mr_status add_pair(struct matcher *matcher, const struct mr_row *row, double a,
                               double b, struct mr_error *err)
{
    struct mr_score_match *out = matcher->out;

    if (out->n_pairs >= UINT32_MAX) {
        return mr_error_set(err, MR_ERROR_INPUT, "more than 4294967295 pages in the two files");
    }
    if (out->n_pairs == matcher->array.room) {
        const enum mr_status status = mr_row_array_grow(matcher->context->memory, forecast(matcher),
                                                        &matcher->array, &out->pairs, err);
        if (status != MR_OK) {
            return status;
        }
    }
    out->pairs[out->n_pairs++] = (struct mr_score_pair){a, b};
    return matcher->visit == NULL ? MR_OK
                                  : matcher->visit(matcher->visit_data, out->n_pairs - 1, row->name,
                                                   row->name_bytes, err);
}

/* ---- The table ---- */

/* Says what the table will take: the last growth is beside all pairs and their order. */
static void expect_table(const struct matcher *matcher)
{
    const uint64_t n_rows = forecast(matcher), n = matcher->names.n;

    mr_memory_expect_more(matcher->context->memory,
                          (mr_max_u64(n_rows, n) - n) * MR_HASH_SET_TEXT_BYTES +
                              n_rows * (sizeof(XXH128_hash_t) + 2 * sizeof(struct mr_score_pair)));
}

static enum mr_status given_twice(const struct side *side, struct mr_error *err)
{
    char quote[MR_LINES_QUOTE_BYTES];
    return mr_error_line(err, MR_ERROR_INPUT, mr_input_name(side->input), side->row.line,
                         "%s has a score already; a file may name a page once",
                         mr_lines_quote(side->row.name, side->row.name_bytes, quote));
}

/* Puts the score of the row into the pair of its page. Adds the pair if the page has none. */
static enum mr_status match_row(struct matcher *matcher, const struct side *side,
                                struct mr_error *err)
{
    const bool is_a = side == &matcher->a;
    const double score = side->row.values[0];

    uint32_t number;

    if (matcher->names.n == matcher->names.room) {
        expect_table(matcher);
    }
    const enum mr_status status = mr_hash_set_add(
        &matcher->names, XXH3_128bits(side->row.name, side->row.name_bytes), &number, err);
    const uint64_t at = matcher->out->n_side_by_side + number;
    if (status != MR_OK || at == matcher->out->n_pairs) {
        return status != MR_OK ? status
                               : add_pair(matcher, &side->row, is_a ? score : (double)NAN,
                                          is_a ? (double)NAN : score, err);
    }
    struct mr_score_pair *pair = &matcher->out->pairs[at];
    double *place = is_a ? &pair->a : &pair->b;
    if (!isnan(*place)) {
        return given_twice(side, err);
    }
    *place = score;
    matcher->out->n_common++;
    return MR_OK;
}

static enum mr_status match_rest(struct matcher *matcher, struct side *side, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    while (status == MR_OK && !side->is_end) {
        status = match_row(matcher, side, err);
        if (status == MR_OK) {
            status = report(matcher, err);
        }
        if (status == MR_OK) {
            status = side_next(side, err);
        }
    }
    return status;
}

/* ---- Matching ---- */

static bool have_same_name(const struct matcher *matcher)
{
    const struct mr_row *a = &matcher->a.row, *b = &matcher->b.row;
    return matcher->out->by_row ||
           (a->name_bytes == b->name_bytes && memcmp(a->name, b->name, a->name_bytes) == 0);
}

static enum mr_status other_length(const struct matcher *matcher, struct mr_error *err)
{
    const struct side *array =
        mr_score_reader_has_names(matcher->a.rows) ? &matcher->b : &matcher->a;
    const struct side *other = array == &matcher->a ? &matcher->b : &matcher->a;
    return mr_error_file(err, MR_ERROR_INPUT, mr_input_name(array->input), 0,
                         "an array has no names, so the other file must have as many rows; %s does "
                         "not",
                         mr_input_name(other->input));
}

static enum mr_status nothing_in_common(const struct matcher *matcher, struct mr_error *err)
{
    const struct side *a = &matcher->a, *b = &matcher->b;
    const struct side *empty = a->first_name[0] == '\0' ? a : b;

    if (matcher->out->n_pairs == 0 || empty->first_name[0] == '\0') {
        return mr_error_file(err, MR_ERROR_INPUT, mr_input_name(empty->input), 0,
                             "has no scores; there is nothing to compare");
    }
    return mr_error_file(
        err, MR_ERROR_INPUT, mr_input_name(a->input), 0,
        "names no page that %s names: the first ones are %s and %s; give scores of "
        "the same pages, called by the same names",
        mr_input_name(b->input), a->first_name, b->first_name);
}

static enum mr_status match(struct matcher *matcher, struct mr_error *err)
{
    struct side *a = &matcher->a, *b = &matcher->b;

    matcher->out->by_row =
        !mr_score_reader_has_names(a->rows) || !mr_score_reader_has_names(b->rows);
    enum mr_status status = side_next(a, err);
    if (status == MR_OK) {
        status = side_next(b, err);
    }
    while (status == MR_OK && !a->is_end && !b->is_end && have_same_name(matcher)) {
        status = add_pair(matcher, &a->row, a->row.values[0], b->row.values[0], err);
        matcher->out->n_side_by_side++;
        matcher->out->n_common++;
        if (status == MR_OK) {
            status = report(matcher, err);
        }
        if (status == MR_OK) {
            status = side_next(a, err);
        }
        if (status == MR_OK) {
            status = side_next(b, err);
        }
    }
    if (status == MR_OK && matcher->out->by_row && !(a->is_end && b->is_end)) {
        return other_length(matcher, err);
    }
    if (status == MR_OK) {
        status = match_rest(matcher, a, err);
    }
    if (status == MR_OK) {
        status = match_rest(matcher, b, err);
    }
    return status == MR_OK && matcher->out->n_common == 0 ? nothing_in_common(matcher, err)
                                                          : status;
}

enum mr_status mr_score_match_read(const struct mr_context *context, const char *path_a,
                                   const char *column_a, const char *path_b, const char *column_b,
                                   mr_score_match_visit visit, void *data,
                                   struct mr_score_match *out, struct mr_error *err)
{
    /* Comparing takes as much again for the order of the pairs, when the files are closed. */
    struct matcher matcher = {.context = context,
                              .out = out,
                              .visit = visit,
                              .visit_data = data,
                              .names = {.memory = context->memory, .name = "table of names"},
                              .array = {.name = "scores",
                                        .item_bytes = sizeof *out->pairs,
                                        .later_row_bytes = sizeof *out->pairs,
                                        .freed_bytes = SIDES_BYTES}};

    *out = (struct mr_score_match){.memory = context->memory};
    enum mr_status status = side_open(context, path_a, column_a, &matcher.a, err);
    if (status == MR_OK) {
        status = side_open(context, path_b, column_b, &matcher.b, err);
    }
    if (status == MR_OK) {
        status = match(&matcher, err);
    }
    mr_memory_expect_more(context->memory, 0);
    mr_hash_set_free(&matcher.names);
    side_close(&matcher.a);
    side_close(&matcher.b);
    if (status != MR_OK) {
        mr_score_match_free(out);
    }
    return status;
}

void mr_score_match_free(struct mr_score_match *match)
{
    if (match->memory != NULL) {
        mr_memory_free(match->memory, match->pairs);
    }
    *match = (struct mr_score_match){0};
}
