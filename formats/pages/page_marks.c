/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files of names and fetches and marks their pages, for lists of pages, for rankings that
 * choose what to fetch, and for rows of score files. page_names.c finds the pages of a name. */
#include "formats/pages/page_list.h"

#include "engine/base/memory.h"
#include "engine/names/names.h"
#include "engine/scan/neighbours.h"
#include "formats/pages/name_lines.h"

/* Tags of names: a page to mark; one that loses its mark; else failed tries. */
enum { MARK = 0 };
#define UNMARK MR_NAME_UNCOUNTED

struct marks_reader {
    struct mr_name_lines lines; /* first */
    const struct mr_page_marks *marks;
    uint8_t *failed; /* [n_pages], fetches that failed for now; NULL without `retries` */
};

static enum mr_status take_page(void *data, const struct mr_row *name, uint32_t page,
                                uint64_t n_pages, struct mr_error *err)
{
    const struct marks_reader *reader = data;
    const struct mr_page_marks *marks = reader->marks;
    const uint8_t bit = (uint8_t)(1u << page % 8);

    (void)n_pages, (void)err;
    if (marks->times != NULL && name->values[0] < marks->times[page]) {
        return MR_OK; /* a newer fetch is known */
    }
    if (marks->times != NULL) {
        marks->times[page] = (uint32_t)name->values[0];
    }
    if (name->tag == UNMARK) {
        marks->bits[page / 8] &= (uint8_t)~bit;
        return MR_OK;
    }
    if (name->tag != MARK) {
        const uint64_t failed = reader->failed[page] + name->tag;
        reader->failed[page] = (uint8_t)(failed < UINT8_MAX ? failed : UINT8_MAX);
        if (failed < marks->retries) {
            return MR_OK;
        }
    }
    marks->bits[page / 8] |= bit;
    return MR_OK;
}

static enum mr_status take_row(void *data, const struct mr_row *row, struct mr_error *err)
{
    struct marks_reader *reader = data;
    const enum mr_fetch_wanted wanted = reader->marks->wanted;
    struct mr_row name = *row; /* without a time its first value is 0 */

    name.tag = mr_fetch_failed_for_now(row->state)                            ? row->tries
               : wanted == MR_FETCH_WANTS_GONE && row->state != MR_FETCH_GONE ? UNMARK
               : reader->marks->drops_gone && row->state == MR_FETCH_GONE     ? UNMARK
                                                                              : MARK;
    reader->lines.names += name.tag != UNMARK;
    reader->lines.n_timeless += wanted == MR_FETCH_WANTS_TIMES && row->n_values == 0;
    return mr_page_names_add(reader->lines.finder, &name, err);
}

enum mr_status mr_page_marks_read(const struct mr_page_marks *marks, const char *const *files,
                                  size_t n_files, struct mr_error *err)
{
    struct marks_reader reader = {.lines = {.context = marks->context,
                                            .wanted = marks->wanted,
                                            .retries = marks->retries,
                                            .max_unknown = marks->max_unknown},
                                  .marks = marks};
    enum mr_status status = MR_OK;

    if (marks->retries > 0 && n_files > 0) {
        status = mr_memory_array(marks->context->memory, "failed fetches", marks->n_pages + 1,
                                 &reader.failed, err);
    }
    if (status == MR_OK) {
        status = mr_name_lines_read(&reader.lines, files, n_files, &marks->place, take_row,
                                    take_page, err);
    }
    mr_memory_free(marks->context->memory, reader.failed);
    return status;
}

enum mr_status mr_page_facts_read(const struct mr_context *context, const struct mr_store *store,
                                  struct mr_names *names, mr_page_facts_take take, void *data,
                                  struct mr_error *err)
{
    struct mr_fetch_facts_reader *reader = NULL;
    enum mr_status status = mr_fetch_facts_open(context, store, &reader, err);

    for (bool is_over = false; status == MR_OK && !is_over;) {
        struct mr_fetch_facts row;
        uint32_t vertex = 0;
        status = mr_fetch_facts_read(reader, &row, &is_over, err);
        if (status == MR_OK && !is_over) {
            status = mr_names_vertex(names, row.position, &vertex, err);
            if (status == MR_OK) {
                take(data, &row, vertex);
            }
        }
    }
    mr_fetch_facts_close(reader);
    return status;
}

static void mark(void *data, const struct mr_fetch_facts *row, uint32_t vertex)
{
    uint8_t *bits = data;

    (void)row;
    bits[vertex / 8] |= (uint8_t)(1u << vertex % 8);
}

static void mark_gone(void *data, const struct mr_fetch_facts *row, uint32_t vertex)
{
    if (row->gone) {
        mark(data, row, vertex);
    }
}

static void unmark_gone(void *data, const struct mr_fetch_facts *row, uint32_t vertex)
{
    uint8_t *bits = data;

    bits[vertex / 8] &= (uint8_t) ~((unsigned)row->gone << vertex % 8);
}

enum mr_status mr_page_marks_facts(const struct mr_context *context, const struct mr_store *store,
                                   struct mr_names *names, uint8_t *bits, struct mr_error *err)
{
    return mr_page_facts_read(context, store, names, mark, bits, err);
}

static enum mr_status mark_degrees(void *data, uint64_t first, const uint32_t *degrees,
                                   const double *strengths, size_t n, struct mr_error *err)
{
    uint8_t *bits = data;

    (void)strengths;
    (void)err;
    for (uint64_t v = first; v < first + n; v++) {
        bits[v / 8] |= (uint8_t)((degrees[v - first] > 0) << v % 8);
    }
    return MR_OK;
}

enum mr_status mr_page_marks_links(const struct mr_context *context, struct mr_store *store,
                                   struct mr_names *names, uint8_t *bits, struct mr_error *err)
{
    const enum mr_status status =
        mr_degrees_read(context, store, MR_DEGREES_OUT, mark_degrees, bits, err);
    return status == MR_OK ? mr_page_marks_facts(context, store, names, bits, err) : status;
}

enum mr_status mr_page_marks_gone(const struct mr_context *context, const struct mr_store *store,
                                  struct mr_names *names, bool unmark, uint8_t *bits,
                                  struct mr_error *err)
{
    return mr_store_get_info(store)->has_gone
               ? mr_page_facts_read(context, store, names, unmark ? unmark_gone : mark_gone, bits,
                                    err)
               : MR_OK;
}
