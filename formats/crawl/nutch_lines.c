/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of Nutch's dumps, which are text:
 *
 *     readlinkdb DB -dump
 *         "TARGET<TAB>Inlinks:", then for each link to it a line " fromUrl: SOURCE anchor: ...".
 *         Nutch stores at most db.max.inlinks of them per page.
 *     readseg -dump SEGMENT
 *         "Recno:: N" and "URL:: PAGE" begin the record of a page. Its part "ParseData::" has
 *         "Outlinks: N" and N lines "  outlink: toUrl: TARGET anchor: ...".
 *
 * Names stay as Nutch spells them, because its files have the same spellings. The first line tells
 * which of the two a file is. "Outlinks:" says how many lines follow, so that the reader never
 * takes a title for a link. A dump with the contents or texts of pages is refused, since a page may
 * hold what looks like the record of another one. A dump of the crawldb has no links:
 * formats/stream/not_links.c refuses it. Source: LinkDbReader, SegmentReader, ParseData and Outlink
 * of Apache Nutch. */
#include <string.h>

#include "engine/base/decimal.h"
#include "formats/graph/graph_reader.h"
#include "formats/graph/line_reader.h"

struct nutch {
    struct mr_line_reader lines;
    bool has_page; /* linkdb: the reader has seen a page's line; segment: it has seen "URL::" */
    bool in_record; /* segment: the previous line was "Recno::" */
    bool in_parse; /* segment: after "ParseData::", before "Outlinks:" */
    uint64_t page;
    uint64_t n_outlinks; /* segment: outlink lines still to come */
    char url[MR_NAME_MAX_BYTES]; /* segment: URL of the record */
    size_t url_bytes;
};

/* Does the text at `*at` begin with `words`? If so, `*at` moves behind them. */
static bool skip_words(const char **at, const char *end, const char *words)
{
    const size_t bytes = strlen(words);
    if ((size_t)(end - *at) < bytes || memcmp(*at, words, bytes) != 0) {
        return false;
    }
    *at += bytes;
    return true;
}

static bool has_inlinks(const char *line, const char *end, const char **tab)
{
    static const char mark[] = "\tInlinks:";
    *tab = memmem(line, (size_t)(end - line), mark, sizeof mark - 1);
    return *tab != NULL && *tab > line;
}

/* The end of the URL that begins at `url`: " anchor: " follows it. NULL when there is none. */
static const char *url_end(const char *url, const char *end)
{
    static const char anchor[] = " anchor: ";
    const char *stop = memmem(url, (size_t)(end - url), anchor, sizeof anchor - 1);
    return stop == url ? NULL : stop;
}

/* ---- A dump of a linkdb ---- */

static enum mr_status linkdb_line(struct mr_line_reader *reader, const char *line, const char *end,
                                  struct mr_error *err)
{
    struct nutch *nutch = (struct nutch *)reader;
    const char *url = line, *tab;
    uint64_t source;

    if (line == end) {
        reader->request.summary->blank++;
        nutch->has_page = false;
        return MR_OK;
    }
    if (skip_words(&url, end, " fromUrl: ")) {
        const char *stop = url_end(url, end);
        if (!nutch->has_page || stop == NULL) {
            return mr_line_reader_bad(reader, line, end,
                                      nutch->has_page ? "no \" anchor: \" behind the URL"
                                                      : "an inlink without a page before it",
                                      err);
        }
        enum mr_status status =
            mr_edge_batch_name(&reader->batch, url, (size_t)(stop - url), &source, err);
        return status == MR_OK ? mr_line_reader_link(reader, line, end, source, nutch->page, err)
                               : status;
    }
    nutch->has_page = has_inlinks(line, end, &tab);
    if (!nutch->has_page) {
        return mr_line_reader_bad(reader, line, end,
                                  "neither a page with \"Inlinks:\" nor an inlink", err);
    }
    return mr_edge_batch_name(&reader->batch, line, (size_t)(tab - line), &nutch->page, err);
}

/* ---- A dump of a segment ---- */

static enum mr_status outlink(struct nutch *nutch, const char *line, const char *end,
                              struct mr_error *err)
{
    struct mr_line_reader *reader = &nutch->lines;
    const char *url = line;
    uint64_t target;

    nutch->n_outlinks--;
    if (!skip_words(&url, end, "  outlink: toUrl: ")) {
        nutch->n_outlinks = 0;
        return mr_line_reader_bad(reader, line, end,
                                  "fewer lines \"  outlink: toUrl:\" than \"Outlinks:\" says", err);
    }
    const char *stop = url_end(url, end);
    if (stop == NULL) {
        return mr_line_reader_bad(reader, line, end, "no \" anchor: \" behind the URL", err);
    }
    if (mr_link_scheme_of(url, (size_t)(stop - url)) == MR_SCHEME_OTHER) {
        reader->request.summary->comments++; /* "mailto:" and the like lead to no page */
        return MR_OK;
    }
    enum mr_status status =
        mr_edge_batch_name(&reader->batch, url, (size_t)(stop - url), &target, err);
    return status == MR_OK ? mr_line_reader_link(reader, line, end, nutch->page, target, err)
                           : status;
}

/* Parse "Outlinks: N" of a page. A page without outlinks is a vertex, too. */
static enum mr_status outlinks(struct nutch *nutch, const char *line, const char *end,
                               const char *digits, struct mr_error *err)
{
    nutch->in_parse = false;
    if (!mr_decimal_whole(digits, end, &nutch->n_outlinks)) {
        nutch->n_outlinks = 0;
        return mr_line_reader_bad(&nutch->lines, line, end, "no number after \"Outlinks:\"", err);
    }
    const enum mr_status status =
        mr_edge_batch_name(&nutch->lines.batch, nutch->url, nutch->url_bytes, &nutch->page, err);
    return status == MR_OK ? mr_edge_batch_page(&nutch->lines.batch, NULL, &nutch->page, err)
                           : status;
}

static enum mr_status segment_line(struct mr_line_reader *reader, const char *line, const char *end,
                                   struct mr_error *err)
{
    struct nutch *nutch = (struct nutch *)reader;
    const bool in_record = nutch->in_record;
    const char *at = line;

    if (nutch->n_outlinks > 0) {
        return outlink(nutch, line, end, err);
    }
    if (nutch->in_parse && skip_words(&at, end, "Outlinks: ")) {
        return outlinks(nutch, line, end, at, err);
    }
    if (nutch->has_page && ((skip_words(&at, end, "Content::") && at == end) ||
                            (skip_words(&at, end, "ParseText::") && at == end))) {
        return mr_error_line(err, MR_ERROR_INPUT, mr_input_name(reader->request.input),
                             mr_lines_number(reader->lines),
                             "this dump has the contents of pages, which can look like records; "
                             "give the segment's directory itself, or dump it with 'nutch readseg "
                             "-dump SEGMENT DIR -nocontent -noparsetext'");
    }
    nutch->in_record = skip_words(&at, end, "Recno:: ");
    if (in_record && skip_words(&at, end, "URL:: ")) {
        nutch->has_page = (size_t)(end - at) <= sizeof nutch->url;
        nutch->url_bytes = nutch->has_page ? (size_t)(end - at) : 0;
        memcpy(nutch->url, at, nutch->url_bytes);
        if (!nutch->has_page) {
            return mr_line_reader_bad(reader, line, end, MR_LINE_NO_PAGE, err);
        }
    } else if (nutch->in_record) {
        nutch->has_page = nutch->in_parse = false;
    } else if (nutch->has_page && skip_words(&at, end, "ParseData::") && at == end) {
        nutch->in_parse = true;
    }
    reader->request.summary->blank += line == end;
    reader->request.summary->comments += line < end;
    return MR_OK;
}

/* ---- Both dumps ---- */

/* The first line that is not blank. */
static const char *first_line(const char *data, size_t bytes, const char **end)
{
    const char *const all_end = data + bytes;
    while (data < all_end && (*data == '\n' || *data == '\r')) {
        data++;
    }
    *end = memchr(data, '\n', (size_t)(all_end - data));
    return data;
}

static bool is_segment(const char *data, size_t bytes)
{
    const char *end, *line = first_line(data, bytes, &end);
    return end != NULL && skip_words(&line, end, "Recno:: ");
}

static bool detect(const struct mr_graph_probe *probe)
{
    const char *end, *tab, *line = first_line(probe->data, probe->bytes, &end);
    return end != NULL && (has_inlinks(line, end, &tab) || is_segment(probe->data, probe->bytes));
}

static enum mr_status open_nutch(void *opened, struct mr_graph_head *head, struct mr_error *err)
{
    struct mr_line_reader *reader = opened;
    const char *data;
    size_t bytes;
    const enum mr_status status = mr_input_peek(reader->request.input, &data, &bytes, err);

    (void)head;
    return status == MR_OK ? mr_line_reader_begin(
                                 reader, is_segment(data, bytes) ? segment_line : linkdb_line, err)
                           : status;
}

const struct mr_graph_format mr_format_nutch = {.name = "nutch",
                                                .mark = "nutch",
                                                .title = "a dump of Nutch's linkdb or a segment",
                                                .has_nutch_names = true,
                                                .detect = detect,
                                                .reader_bytes = sizeof(struct nutch),
                                                .head = {.ids = MR_IDS_TEXT},
                                                .open = open_nutch,
                                                .read = mr_line_reader_read,
                                                .close = mr_line_reader_close};
