/* SPDX-License-Identifier: Apache-2.0 */
/* ppr --each: reads the seeds, pushes from a batch of them at a time, and writes their best pages.
 * The pages of a batch are looked up in the order of their vertices, since names are packed in
 * blocks and a block has many of them. */
#include "cli/ranking/each.h"

#include <stdlib.h>
#include <string.h>

#include "cli/program/meta.h"
#include "cli/ranking/kind.h"
#include "engine/base/bytes.h"
#include "engine/base/clock.h"
#include "engine/base/count_text.h"
#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "formats/score/scores.h"

enum {
    ROWS = 1 << 15, /* of a batch; a seed with more is a batch by itself */
    TEXT_BYTES = 4 << 20, /* of the names of a batch, mostly */
    NOTED_EMPTY = 5,
    NPY_ALIGN = 64
};

enum each_form { EACH_LINES, EACH_JSONL, EACH_NPY };

/* The pages of a batch. */
struct each_rows {
    uint64_t room; /* of the rows, as many as `top` or ROWS */
    uint32_t *vertices; /* [room] */
    double *scores; /* [room] */
    struct mr_push_answer *answers; /* [room] */
    uint32_t *known; /* [n_known] of [room]: all vertices, ascending, each once */
    uint32_t *positions; /* [n_known] */
    uint64_t *starts; /* [n_known + 1]: their names in `text` */
    uint64_t n_known;
    char *text;
    uint64_t text_room;
    uint8_t *record; /* of an .npy */
};

struct each_run {
    double error;
    struct mr_push_options options;
    uint64_t top;
    enum each_form form;
    struct mr_teleport_batch seeds;
    struct mr_rank_vector *vectors; /* [seeds.n_vectors] */
    struct mr_push *push;
    struct each_rows rows;
    struct mr_output *output;
    uint64_t n_empty, n_proven, escaped;
    double bound; /* the largest */
    double push_seconds;
};

static const char *file_of(const struct mr_run *run)
{
    return ((const struct mr_each_flags *)mr_kind_flags(run->flags))->file;
}

/* ---- Options ---- */

static enum mr_status check(struct mr_run *run, struct mr_error *err)
{
    static const char *const objects[] = {".jsonl", ".ndjson", ".jl", NULL};
    static const char *const others[] = {".csv", ".json", "score_uri.txt", NULL};
    const char *output = run->flags->columns.output;
    struct each_run *own = run->data;

    own->error = mr_kind_real(run, "tolerance");
    own->error = own->error > 0 ? own->error : MR_EACH_ERROR;
    own->options = (struct mr_push_options){sizeof own->options, mr_kind_real(run, "damping"),
                                            mr_kind_text(run->parsed, "dangling")};
    own->top = run->flags->columns.top > 0 ? run->flags->columns.top : MR_EACH_TOP;
    if (own->error > 1) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--tolerance %s: with --each it is at most 1, the sum of all scores",
                            mr_kind_text(run->parsed, "tolerance"));
    }
    for (size_t i = 0; output != NULL && objects[i] != NULL; i++) {
        own->form = mr_output_has_suffix(output, objects[i]) ? EACH_JSONL : own->form;
    }
    own->form = output != NULL && mr_output_has_suffix(output, ".npy") ? EACH_NPY : own->form;
    for (size_t i = 0; output != NULL && others[i] != NULL; i++) {
        if (mr_output_has_suffix(output, others[i])) {
            return mr_error_set(err, MR_ERROR_USAGE,
                                "-o %s: --each writes lines with tabs (.tsv), .jsonl and .npy",
                                output);
        }
    }
    return run->flags->common.json && output == NULL
               ? mr_error_set(err, MR_ERROR_USAGE,
                              "--json prints to standard output, as --each does; add -o FILE")
               : MR_OK;
}

/* ---- Memory ---- */

static uint64_t rows_memory(const struct each_run *own)
{
    const uint64_t row = sizeof(uint32_t) + sizeof(double) + sizeof(struct mr_push_answer) +
                         2 * sizeof(uint32_t) + sizeof(uint64_t) + 12;

    return mr_max_u64(own->top, ROWS) * row + TEXT_BYTES + (1 << 20);
}

static void estimate(struct mr_run *run, uint64_t beside, struct mr_estimate *estimate)
{
    struct each_run *own = run->data;
    const uint64_t more = rows_memory(own) + beside;
    struct mr_rank_costs costs = {0};
    struct mr_error ignored = {0};

    if (mr_push_plan(&run->session->context, mr_run_links(run), &own->options, &costs, &ignored) ==
        MR_OK) {
        estimate->least_bytes = costs.least_bytes + more;
        estimate->memory_bytes =
            mr_max_u64(estimate->least_bytes,
                       mr_min_u64(costs.memory_bytes + more, run->session->memory_limit));
        estimate->temporary_bytes =
            estimate->memory_bytes < costs.memory_bytes + more ? costs.temporary_bytes : 0;
    }
}

static enum mr_status open_rows(struct mr_run *run, struct mr_error *err)
{
    struct each_run *own = run->data;
    struct each_rows *rows = &own->rows;

    own->top = mr_min_u64(own->top, mr_run_info(run)->n_vertices);
    rows->room = mr_max_u64(own->top, mr_min_u64(ROWS, own->top * own->seeds.n_vectors));
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("best pages", rows->room, &rows->vertices),
        MR_WANTED("best pages", rows->room, &rows->scores),
        MR_WANTED("best pages", rows->room, &rows->answers),
        MR_WANTED("best pages", rows->room, &rows->known),
        MR_WANTED("best pages", rows->room, &rows->positions),
        MR_WANTED("best pages", rows->room + 1, &rows->starts),
        MR_WANTED("names of best pages", TEXT_BYTES, &rows->text),
        MR_WANTED("best pages", 13 + 12 * own->top, &rows->record),
    };
    rows->text_room = TEXT_BYTES;
    return mr_memory_arrays(run->session->context.memory, arrays, err);
}

/* ---- Seeds ---- */

static enum mr_status count_empty(struct mr_run *run, struct mr_error *err)
{
    struct each_run *own = run->data;
    char count[32];

    for (uint64_t i = 0; i < own->seeds.n_vectors; i++) {
        double largest = 0;
        for (uint64_t j = 0; j < own->vectors[i].count; j++) {
            largest = own->vectors[i].pages[j].weight > largest ? own->vectors[i].pages[j].weight
                                                                : largest;
        }
        own->n_empty += !(largest > 0);
        if (!(largest > 0) && own->n_empty <= NOTED_EMPTY) {
            mr_session_say(run->session,
                           "%s:%llu: seed %s: no page of the store has a weight above 0; it gets "
                           "no pages",
                           file_of(run), (unsigned long long)own->seeds.lines[i],
                           own->seeds.names[i]);
        }
    }
    if (own->n_empty > NOTED_EMPTY) {
        mr_session_say(run->session, "note: %s: %s seeds are empty, and get no pages", file_of(run),
                       mr_count_text(own->n_empty, count));
    }
    return own->n_empty < own->seeds.n_vectors
               ? MR_OK
               : mr_error_file(err, MR_ERROR_INPUT, file_of(run), 0,
                               "no seed has a page of the store with a weight above 0; compare the "
                               "spelling of the names with 'millrace find'");
}

static enum mr_status prepare(struct mr_run *run, struct mr_error *err)
{
    struct each_run *own = run->data;
    struct mr_teleport_batch *seeds = &own->seeds;
    const enum mr_status status =
        mr_teleport_batch_read(&run->session->context, file_of(run), run->ranked->names,
                               mr_run_info(run), true, run->flags->max_unknown, seeds, err);

    if (status != MR_OK) {
        return status;
    }
    own->vectors = calloc(seeds->n_vectors, sizeof *own->vectors);
    if (own->vectors == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for %llu seeds",
                            (unsigned long long)seeds->n_vectors);
    }
    for (uint64_t i = 0; i < seeds->n_vectors; i++) {
        const uint64_t first = i > 0 ? seeds->ends[i - 1] : 0;
        own->vectors[i] = (struct mr_rank_vector){seeds->names[i], seeds->weights.entries + first,
                                                  seeds->ends[i] - first};
    }
    return count_empty(run, err);
}

/* ---- Names ---- */

static enum mr_status add_name(struct mr_run *run, uint64_t i, struct mr_error *err)
{
    struct each_run *own = run->data;
    struct each_rows *rows = &own->rows;
    const char *name = NULL;
    size_t bytes = 0;

    if (own->form == EACH_NPY) {
        return mr_names_position(run->ranked->names, rows->known[i], &rows->positions[i], err);
    }
    enum mr_status status = mr_names_get(run->ranked->names, rows->known[i], &name, &bytes, err);
    if (status == MR_OK) {
        status = mr_memory_grow(run->session->context.memory, "names of best pages",
                                rows->starts[i] + bytes, &rows->text, &rows->text_room, err);
    }
    if (status == MR_OK) {
        memcpy(rows->text + rows->starts[i], name, bytes);
        rows->starts[i + 1] = rows->starts[i] + bytes;
    }
    return status;
}

/* Looks up the pages of the first `n` answers. */
static enum mr_status find_names(struct mr_run *run, uint64_t n, struct mr_error *err)
{
    struct each_run *own = run->data;
    struct each_rows *rows = &own->rows;
    uint64_t n_rows = 0;
    enum mr_status status = MR_OK;

    for (uint64_t s = 0; s < n; s++) {
        memcpy(rows->known + n_rows, rows->vertices + s * own->top,
               rows->answers[s].n * sizeof *rows->known);
        n_rows += rows->answers[s].n;
    }
    if (n_rows > 0) {
        mr_sort_u32_in_place(rows->known, n_rows);
    }
    rows->n_known = 0;
    for (uint64_t i = 0; i < n_rows && status == MR_OK; i++) {
        if (i == 0 || rows->known[i] != rows->known[i - 1]) {
            rows->known[rows->n_known] = rows->known[i];
            status = add_name(run, rows->n_known++, err);
        }
    }
    return status;
}

static uint64_t place_of(const struct each_rows *rows, uint32_t vertex)
{
    uint64_t low = 0, high = rows->n_known;

    MR_FIND_FIRST(low, high, middle, rows->known[middle] < vertex);
    return low;
}

/* ---- Output ---- */

static enum mr_status write_text(struct mr_output *output, const char *text, struct mr_error *err)
{
    return mr_output_write(output, text, strlen(text), err);
}

static enum mr_status write_real(struct mr_output *output, double value, struct mr_error *err)
{
    return mr_output_print(output, err, "%.17g", value);
}

static enum mr_status write_name(struct each_run *own, const char *name, size_t bytes,
                                 struct mr_error *err)
{
    return own->form == EACH_JSONL
               ? mr_output_name_field(own->output, MR_NAME_UTF8, name, bytes, &own->escaped, err)
               : mr_output_name_escaped(own->output, name, bytes, MR_NAME_LINE, &own->escaped, err);
}

static enum mr_status write_page(struct each_run *own, uint32_t vertex, struct mr_error *err)
{
    const struct each_rows *rows = &own->rows;
    const uint64_t place = place_of(rows, vertex);

    return write_name(own, rows->text + rows->starts[place],
                      rows->starts[place + 1] - rows->starts[place], err);
}

/* Lines SEED PAGE SCORE BOUND PROVEN. */
static enum mr_status write_lines(struct each_run *own, uint64_t seed,
                                  const struct mr_push_answer *answer, const uint32_t *vertices,
                                  const double *scores, struct mr_error *err)
{
    const char *name = own->seeds.names[seed];
    char end[64];
    enum mr_status status = MR_OK;

    (void)snprintf(end, sizeof end, "\t%.17g\t%d\n", answer->bound, answer->proven);
    for (uint64_t i = 0; i < answer->n && status == MR_OK; i++) {
        status = write_name(own, name, strlen(name), err);
        status = status == MR_OK ? write_text(own->output, "\t", err) : status;
        status = status == MR_OK ? write_page(own, vertices[i], err) : status;
        status = status == MR_OK ? write_text(own->output, "\t", err) : status;
        status = status == MR_OK ? write_real(own->output, scores[i], err) : status;
        status = status == MR_OK ? write_text(own->output, end, err) : status;
    }
    return status;
}

/* {"seed": ..., "bound": ..., "proven": ..., "pages": [...], "scores": [...]} */
static enum mr_status write_object(struct each_run *own, uint64_t seed,
                                   const struct mr_push_answer *answer, const uint32_t *vertices,
                                   const double *scores, struct mr_error *err)
{
    const char *name = own->seeds.names[seed];
    enum mr_status status = write_text(own->output, "{\"seed\": ", err);

    status = status == MR_OK ? write_name(own, name, strlen(name), err) : status;
    if (status == MR_OK && answer->n == 0) {
        return write_text(own->output,
                          ", \"error\": \"no page of the store has a weight above 0\", \"bound\": "
                          "null, \"proven\": false, \"pages\": [], \"scores\": []}\n",
                          err);
    }
    status = status == MR_OK ? write_text(own->output, ", \"bound\": ", err) : status;
    status = status == MR_OK ? write_real(own->output, answer->bound, err) : status;
    status = status == MR_OK ? mr_output_print(own->output, err, ", \"proven\": %s, \"pages\": [",
                                               answer->proven ? "true" : "false")
                             : status;
    for (uint64_t i = 0; i < answer->n && status == MR_OK; i++) {
        status = i > 0 ? write_text(own->output, ", ", err) : MR_OK;
        status = status == MR_OK ? write_page(own, vertices[i], err) : status;
    }
    status = status == MR_OK ? write_text(own->output, "], \"scores\": [", err) : status;
    for (uint64_t i = 0; i < answer->n && status == MR_OK; i++) {
        status = i > 0 ? write_text(own->output, ", ", err) : MR_OK;
        status = status == MR_OK ? write_real(own->output, scores[i], err) : status;
    }
    return status == MR_OK ? write_text(own->output, "]}\n", err) : status;
}

/* A record of n, bound, proven, pages, scores; pages are their rows in --names. */
static enum mr_status write_record(struct each_run *own, const struct mr_push_answer *answer,
                                   const uint32_t *vertices, const double *scores,
                                   struct mr_error *err)
{
    uint8_t *record = own->rows.record, *pages = record + 13, *values = pages + 4 * own->top;
    const double bound = answer->n > 0 ? answer->bound : (double)NAN;
    uint64_t bits;

    memset(record, 0, 13 + 12 * own->top);
    memset(pages, 0xff, 4 * own->top);
    mr_put_u32(record, (uint32_t)answer->n);
    memcpy(&bits, &bound, sizeof bits);
    mr_put_u64(record + 4, bits);
    record[12] = answer->proven;
    for (uint64_t i = 0; i < answer->n; i++) {
        mr_put_u32(pages + 4 * i, own->rows.positions[place_of(&own->rows, vertices[i])]);
        memcpy(&bits, &scores[i], sizeof bits);
        mr_put_u64(values + 8 * i, bits);
    }
    return mr_output_write(own->output, record, 13 + 12 * own->top, err);
}

static enum mr_status begin_output(struct mr_run *run, struct mr_error *err)
{
    struct each_run *own = run->data;
    const unsigned long long top = own->top, n = own->seeds.n_vectors;
    char type[320];

    mr_session_leave_terminal(run->session, run->flags->columns.output);
    const enum mr_status status =
        mr_output_open(&run->session->context, run->flags->columns.output, run->flags->common.force,
                       &run->columns.output, err);
    own->output = run->columns.output;
    if (status == MR_OK && own->form == EACH_NPY) {
        (void)snprintf(type, sizeof type,
                       "[('n', '<u4'), ('bound', '<f8'), ('proven', '|b1'), ('pages', '<u4', "
                       "(%llu,)), ('scores', '<f8', (%llu,))]",
                       top, top);
        return mr_scores_npy_header(own->output, type, n, 1, err);
    }
    return status == MR_OK && own->form == EACH_LINES && run->flags->columns.header
               ? write_text(own->output, "seed\tpage\tscore\tbound\tproven\n", err)
               : status;
}

static enum mr_status write_seeds(struct mr_run *run, uint64_t first, uint64_t n,
                                  struct mr_error *err)
{
    struct each_run *own = run->data;
    enum mr_status status = find_names(run, n, err);

    for (uint64_t s = 0; s < n && status == MR_OK; s++) {
        const struct mr_push_answer *answer = &own->rows.answers[s];
        const uint32_t *vertices = own->rows.vertices + s * own->top;
        const double *scores = own->rows.scores + s * own->top;
        own->n_proven += answer->proven;
        own->bound = answer->n > 0 && answer->bound > own->bound ? answer->bound : own->bound;
        status =
            own->form == EACH_LINES   ? write_lines(own, first + s, answer, vertices, scores, err)
            : own->form == EACH_JSONL ? write_object(own, first + s, answer, vertices, scores, err)
                                      : write_record(own, answer, vertices, scores, err);
    }
    return status;
}

/* ---- The run ---- */

/* Answers and writes batch after batch. Seeds that did not converge are written as well. */
static enum mr_status answer_all(struct mr_run *run, struct mr_error *err)
{
    struct each_run *own = run->data;
    const struct mr_context *context = &run->session->context;
    const uint64_t n = own->seeds.n_vectors, each = own->rows.room / own->top;
    enum mr_status status = MR_OK, far = MR_OK;

    for (uint64_t first = 0; first < n && status == MR_OK; first += each) {
        const uint64_t count = mr_min_u64(each, n - first);
        const double began = mr_now();
        struct mr_error *reason = far == MR_OK ? err : NULL;
        status = mr_context_report(context, "push", "seeds", first, n, err);
        if (status == MR_OK) {
            status = mr_push_best(own->push, own->vectors + first, count, own->top, own->error,
                                  own->rows.vertices, own->rows.scores, own->rows.answers, reason);
        }
        own->push_seconds += mr_now() - began;
        if (status == MR_NOT_CONVERGED) {
            far = status;
            status = MR_OK;
        }
        if (status == MR_OK) {
            status = write_seeds(run, first, count, far == MR_OK ? err : NULL);
        }
    }
    return status == MR_OK ? far : status;
}

static enum mr_status rank(struct mr_run *run, struct mr_error *err)
{
    struct each_run *own = run->data;
    enum mr_status status = open_rows(run, err);
    if (status == MR_OK) {
        status = begin_output(run, err);
    }
    if (status == MR_OK) {
        status =
            mr_push_open(&run->session->context, mr_run_links(run), &own->options, &own->push, err);
    }
    return status == MR_OK ? answer_all(run, err) : status;
}

static double per_second(const struct each_run *own)
{
    return own->push_seconds > 0 ? (double)own->seeds.n_vectors / own->push_seconds : 0;
}

static void report(const struct mr_run *run)
{
    const struct each_run *own = run->data;
    char n[32], proven[32], top[32];

    mr_session_say(
        run->session,
        "%s seeds: error bounds at most %.2e (tolerance %.0e), the best %s of %s proven, "
        "%.0f seeds a second, %.1f s",
        mr_count_text(own->seeds.n_vectors, n), own->bound, own->error,
        mr_count_text(own->top, top), mr_count_text(own->n_proven, proven), per_second(own),
        run->seconds);
}

static void describe(const struct mr_run *run, struct mr_json *json)
{
    const struct each_run *own = run->data;

    mr_json_text(json, "algorithm", "ppr");
    mr_json_text(json, "each", file_of(run));
    mr_json_count(json, "seeds", own->seeds.n_vectors);
    mr_json_count(json, "seeds_empty", own->n_empty);
    mr_json_count(json, "seeds_unknown", own->seeds.weights.unknown);
    mr_json_count(json, "top", own->top);
    mr_json_count(json, "proven", own->n_proven);
    mr_json_real(json, "damping", own->options.damping);
    mr_json_text(json, "dangling",
                 own->options.dangling != NULL ? own->options.dangling : "teleport");
    mr_json_real(json, "tolerance", own->error);
    mr_json_real(json, "error_bound", own->bound);
    mr_json_flag(json, "converged", own->bound <= own->error);
    mr_json_real(json, "seeds_per_second", per_second(own));
}

/* Standard output has the pages already, if they go there. */
static void print(const struct mr_run *run)
{
    (void)run;
}

static enum mr_status end(struct mr_run *run, enum mr_status status, struct mr_error *err)
{
    struct mr_memory *memory = run->session->context.memory;
    struct each_run *own = run->data;

    (void)err;
    mr_push_close(own->push);
    mr_memory_free(memory, own->rows.vertices);
    mr_memory_free(memory, own->rows.scores);
    mr_memory_free(memory, own->rows.answers);
    mr_memory_free(memory, own->rows.known);
    mr_memory_free(memory, own->rows.positions);
    mr_memory_free(memory, own->rows.starts);
    mr_memory_free(memory, own->rows.text);
    mr_memory_free(memory, own->rows.record);
    mr_teleport_batch_free(&own->seeds);
    free(own->vectors);
    return status;
}

const struct mr_ranker mr_each_ranker = {.data_bytes = sizeof(struct each_run),
                                         .check = check,
                                         .estimate = estimate,
                                         .n_passes = 3,
                                         .prepare = prepare,
                                         .rank = rank,
                                         .report = report,
                                         .describe = describe,
                                         .print = print,
                                         .end = end};
